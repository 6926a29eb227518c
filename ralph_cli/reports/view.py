"""From the best step of a run to what is shown of it: one view that the terminal, plain text and JSON all render."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ralph_cli.core.coverage import Coverage, CoverageMap, SubqueryTally, coverage_map
from ralph_cli.core.document import PAGE_NOUNS
from ralph_cli.core.model import Usage
from ralph_cli.core.results.memo import ClosestText
from ralph_cli.core.results.review import Review
from ralph_cli.core.run import (
    ABSENCE_CHECK,
    INCOMPLETE_COUNTER_CHECKS,
    Attempt,
    Claim,
    CompletenessProof,
    FigureSource,
    Halt,
    Issue,
    Look,
    Outcome,
    Passage,
    Qualification,
    Quote,
    Ruling,
    Search,
    Step,
    StopType,
    Tier,
    VerificationOutcome,
)
from ralph_cli.reports.sections import subqueries as lost_subqueries
from ralph_cli.reports.sections.children import ChildRun
from ralph_cli.reports.sections.unconfirmed import Unconfirmed, list_unconfirmed

if TYPE_CHECKING:  # the events need pydantic, which the start of the command line shall not wait for
    from ralph_cli.core.events import RunStarted

VERDICT_WORDS = {
    "supported": "supported",
    "partly": "only partly supported",
    "not": "not supported",
    "contradicted": "contradicted",
    "verbatim": "verbatim",
    "absent": "not in the document, as far as was searched",
}


TIER_NAMES: dict[Tier, str] = {"exact": "exact", "folded": "folded", "recut": "re-cut", "elided": "elided"}
"""How a quote was matched, as a program is told."""

TIER_WORDS: dict[Tier, str] = {
    "exact": "word for word",
    "folded": "word for word but for spaces and typographic signs",
    "recut": "the same letters and digits, other signs and spaces",
    "elided": "word for word but for what is marked as left out or put in",
}
"""The same for a reader."""


def pages_of(quote: Quote) -> str:
    """The page of a quote, or the pages from which to which it runs."""
    return f"{quote.page}-{quote.last_page}" if quote.last_page > quote.page else str(quote.page)


def describe_place(item: Quote | Passage, *, paged: bool) -> str:
    """Where a quote or passage stands."""
    return item.place if paged or item.where else f"at character {item.start:,}"


def describe_ocr(found: Quote | ClosestText | None) -> str:
    """That words of the document were read by OCR, and how surely; "" of those that the file itself has as text."""
    if found is None or found.ocr is None:
        return ""
    return f"ocr: read off a picture of the page, lowest confidence {found.ocr} %"


def is_paged(document: dict[str, Any]) -> bool:
    """Whether page numbers of a document, as a run recorded it, mean something to a reader."""
    return document.get("kind") in PAGE_NOUNS or int(document.get("pages", 1)) > 1


UNREAD_STOPS = (StopType.PASSAGES, StopType.NO_PASSAGES)
"""How a run ends in which no language model took part."""

RUNNING = Halt(StopType.NONE, "the run is still going on")
"""How a run stands that a process works on now."""

MissingVote = tuple[str, str]
"""A model that was asked for a second opinion and gave none, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    """A claim with its quotes and what was said of it; `ruling` is None when no judge has ruled on it.

    `in_output` says that it is an item of an output that was judged as a whole, beside the items and their passages.
    `missing_votes` are models of the panel that gave no verdict on it, `unconfirmed` what code could not confirm of it,
    `figures` where its figures come from.
    """

    claim: Claim
    quotes: tuple[Quote, ...]
    ruling: Ruling | None
    issues: tuple[Issue, ...]
    qualifications: tuple[Qualification, ...]
    in_output: bool
    missing_votes: tuple[MissingVote, ...]
    unconfirmed: tuple[Unconfirmed, ...] = ()
    figures: tuple[FigureSource, ...] = ()

    @property
    def limits(self) -> tuple[Qualification, ...]:
        """The passages elsewhere that limit the claim or contradict it."""
        return tuple(found for found in self.qualifications if not found.supports)

    @property
    def text(self) -> str:
        """The statement."""
        return self.claim.text

    @property
    def reason(self) -> str:
        """Why the judge ruled so; empty when nobody ruled."""
        return self.ruling.reason if self.ruling else ""

    @property
    def verdict(self) -> str:
        """The judge's word, or "in-output" or "unjudged"."""
        return self.ruling.verdict.value if self.ruling else "in-output" if self.in_output else "unjudged"

    @property
    def verdict_words(self) -> str:
        """The verdict in words."""
        if self.ruling is None:
            return "judged with the output" if self.in_output else "not judged"
        return VERDICT_WORDS.get(self.verdict, self.verdict)

    @property
    def is_quote(self) -> bool:
        """Whether the statement is nothing but its quote, so that it need not be shown twice."""
        return self.verdict == "verbatim" and [self.claim.text] == [
            " ".join(quote.text.split()) for quote in self.quotes
        ]

    @property
    def ruling_label(self) -> str:
        """What a ruling is called: a verbatim claim was compared with its quote, an absence was searched."""
        return {"verbatim": "Compared", "absent": "Searched"}.get(self.verdict, "Judge")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """Everything a reader is shown of a run; `verification` is what became of that of its best step.

    `absence` is the worker's note on what is not in the document, None if it did not say that. `output_ruling` is the
    verdict on an output as a whole. `looks` are what judges looked up, `absence_reason` is what a second reader says of
    an absence ("" if there was none). `found_passages` are passages that a check found, such as those that qualify a
    claim; `unconfirmed` is what code could not confirm of claims and output, `figures` where those of an output come
    from; `notes` say what the checks did,
    `completeness` what shows that nothing is missing. `coverage` is None if what was read was not recorded;
    `is_searched` says that code searched all of the text.
    `counter_evidence_gaps` says what of the search for counter-evidence was not made, and why; `losses` what became of
    sub-queries that gave no answer, which `subqueries` counts; both are among the `notices`, too.
    `usd_by_role` are dollars by whose calls they were, `saved_usd` those that prompt caches have saved.
    `reviews` are what people have said of it since, as far as it still counts.
    `follows` is empty, or names the `run` that the question follows on, and the `questions` asked before, in order.
    `models` are the worker and the judge; `asks_models` is False when nothing but the built-in engine could be asked.
    """

    run: str
    folder: str
    mode: str
    question: str
    follows: Mapping[str, Any]
    document: dict[str, Any]
    halt: Halt
    claims: tuple[ClaimView, ...]
    quotes: tuple[Quote, ...]
    searches: tuple[Search, ...]
    nearest: tuple[Passage, ...]
    absence: str | None
    output: str
    format: str
    output_ruling: Ruling | None
    issues: tuple[Issue, ...]
    unconfirmed: tuple[Unconfirmed, ...]
    figures: tuple[FigureSource, ...]
    found_passages: tuple[Quote, ...]
    looks: tuple[Look, ...]
    absence_reason: str
    notes: tuple[str, ...]
    counter_evidence_gaps: tuple[str, ...]
    losses: tuple[str, ...]
    subqueries: dict[str, Any]
    children: tuple[ChildRun, ...]
    usd_by_role: Mapping[str, float]
    saved_usd: float
    notices: tuple[str, ...]
    verification: VerificationOutcome
    completeness: tuple[CompletenessProof, ...]
    coverage: CoverageMap | None
    is_searched: bool
    judge: str
    models: tuple[str, ...]
    asks_models: bool
    iterations: int
    usage: Usage
    seconds: float
    reviews: tuple[Review, ...] = ()

    @property
    def ok(self) -> bool | None:
        """Whether it was accepted; None for passages that no language model has read."""
        return None if self.halt.type is StopType.PASSAGES else self.halt.type is StopType.COMPLETION

    @property
    def has_no_reader(self) -> bool:
        """Whether no language model took part."""
        return self.halt.type in UNREAD_STOPS

    @property
    def judged(self) -> bool:
        """Whether a language model has ruled on the claims, or on the output."""
        rulings = [self.output_ruling, *(view.ruling for view in self.claims)]
        return any(ruling and ruling.verdict.is_judgement for ruling in rulings)

    @property
    def paged(self) -> bool:
        """Whether page numbers mean something to a reader."""
        return is_paged(self.document)


def build_view(
    started: "RunStarted",
    outcome: Outcome,
    *,
    folder: str,
    usage: Usage,
    seconds: float,
    notices: tuple[str, ...],
    coverage: Coverage,
    missing_votes: Mapping[int, tuple[MissingVote, ...]],
    is_searched: bool = False,
    subqueries: SubqueryTally | None = None,
    usd_by_role: Mapping[str, float] | None = None,
    saved_usd: float = 0.0,
    children: tuple[ChildRun, ...] = (),
) -> RunView:
    """The view of a run that `started` so and came to this `outcome`; `folder` is where its record is.

    What the run recorded of its document has where its pages begin, which is for `coverage` and goes no further.
    `missing_votes` has, by claim, the models of the panel that gave no verdict.
    """
    best = outcome.best or Step(Attempt(), ())
    attempt, document = best.attempt, started.document
    starts = document.get("page_starts")
    rulings = {ruling.claim: ruling for ruling in best.rulings}
    issues = tuple(dict.fromkeys((*attempt.refused, *best.issues)))
    unconfirmed = list_unconfirmed(attempt, best.doubts)
    subqueries = subqueries or SubqueryTally()
    gaps = tuple(_counter_evidence_gaps(best))
    losses = tuple(lost_subqueries.describe_losses(subqueries, coverage.shown, starts or ()))
    return RunView(
        run=started.run,
        folder=folder,
        mode=started.mode,
        question=started.question,
        follows={name: started.follows[name] for name in ("run", "questions") if started.follows},
        document={name: value for name, value in document.items() if name != "page_starts"},
        halt=outcome.halt,
        claims=tuple(
            ClaimView(
                claim=claim,
                quotes=attempt.quotes_of(claim),
                ruling=rulings.get(claim.id),
                issues=tuple(issue for issue in issues if issue.claim == claim.id),
                qualifications=tuple(item for item in best.qualifications if item.claim == claim.id),
                in_output=0 in rulings,
                missing_votes=missing_votes.get(claim.id, ()),
                unconfirmed=tuple(doubt for doubt in unconfirmed if doubt.claim == claim.id),
                figures=tuple(figure for figure in best.figures if figure.claim == claim.id),
            )
            for claim in attempt.claims
        ),
        quotes=attempt.quotes,
        searches=attempt.searches,
        nearest=attempt.nearest,
        absence=attempt.absence.note if attempt.absence else None,
        output=attempt.output,
        format=_output_format(started),
        output_ruling=rulings.get(0),  # claims count from 1: this one is on the output as a whole
        issues=issues,
        unconfirmed=unconfirmed,
        figures=tuple(figure for figure in best.figures if not figure.claim),
        found_passages=tuple(quote for item in best.evidence for quote in item.quotes),
        notes=tuple(item.note for item in best.evidence if item.note),
        looks=best.looks,
        absence_reason=next((it.note for it in best.evidence if it.check == ABSENCE_CHECK), ""),
        counter_evidence_gaps=gaps,
        losses=losses,
        usd_by_role=usd_by_role or {},
        saved_usd=saved_usd,
        subqueries=lost_subqueries.as_object(subqueries, coverage.shown),
        children=children,
        notices=tuple(dict.fromkeys((*notices, *gaps, *losses))),
        verification=best.verification,
        completeness=attempt.completeness,
        coverage=coverage_map(coverage, starts, int(document.get("characters", 0)))
        if coverage and starts and outcome.halt.type not in UNREAD_STOPS
        else None,
        is_searched=is_searched,
        judge=str(started.settings.get("models", {}).get("judge", "")),
        models=_asked_models(started),
        asks_models=_asks_models(started),
        iterations=outcome.iterations,
        usage=usage,
        seconds=seconds,
    )


def _asked_models(started: "RunStarted") -> tuple[str, ...]:
    named = started.settings.get("models", {})
    return tuple(dict.fromkeys(str(named[role]) for role in ("worker", "judge") if named.get(role)))


def _asks_models(started: "RunStarted") -> bool:
    named = started.settings.get("models", {})
    # Nobody but its verifiers judges a goal.
    models = [str(name) for role, name in named.items() if (started.mode, role) != ("goal", "judge")]
    return not models or not all(name.startswith("offline:") for name in models)


def _output_format(started: "RunStarted") -> str:
    """The format of a task's output, as `Settings.output_format` has it."""
    if started.mode != "task":
        return ""
    return str(started.settings.get("format") or ("json" if started.settings.get("output_schema") else "md"))


def _counter_evidence_gaps(best: Step) -> Iterator[str]:
    """What of the search for passages that speak against the claims was not made."""
    for item in best.evidence:
        if item.check in INCOMPLETE_COUNTER_CHECKS:
            partly = item.check == INCOMPLETE_COUNTER_CHECKS[1]
            message = f"counter-evidence was only partly checked: {item.note}" if partly else item.note
            yield f"{message[:1].upper()}{message[1:]}."
