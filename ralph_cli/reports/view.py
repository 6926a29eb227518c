"""What is shown of a run: one view, made of its best step, that every report renders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
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

if TYPE_CHECKING:  # importing events loads pydantic, which the command line does not need to start
    from ralph_cli.core.events import RunStarted

VERDICT_WORDS = {
    "supported": "supported",
    "partly": "only partly supported",
    "not": "not supported",
    "contradicted": "contradicted",
    "verbatim": "verbatim",
    "absent": "not in the document, as far as was searched",
}

# How a quote was matched, in reports for programs.
TIER_NAMES: dict[Tier, str] = {"exact": "exact", "folded": "folded", "recut": "re-cut", "elided": "elided"}

# How a quote was matched, in words for a reader.
TIER_WORDS: dict[Tier, str] = {
    "exact": "word for word",
    "folded": "word for word but for spaces and typographic signs",
    "recut": "the same letters and digits, other signs and spaces",
    "elided": "word for word but for what is marked as left out or put in",
}


def pages_of(quote: Quote) -> str:
    """The page of a quote, or its first and last page: "3-4"."""
    return f"{quote.page}-{quote.last_page}" if quote.last_page > quote.page else str(quote.page)


def describe_place(item: Quote | Passage, *, paged: bool) -> str:
    """Where a quote or passage is in the document."""
    return item.place if paged or item.where else f"at character {item.start:,}"


def describe_ocr(found: Quote | ClosestText | None) -> str:
    """A note that OCR read these words, with its confidence; "" if the file itself has them as text."""
    if found is None or found.ocr is None:
        return ""
    return f"ocr: read off a picture of the page, lowest confidence {found.ocr} %"


def is_paged(document: dict[str, Any]) -> bool:
    """Whether the page numbers of a recorded document mean something to a reader."""
    return document.get("kind") in PAGE_NOUNS or int(document.get("pages", 1)) > 1


# How a run without a language model ends.
UNREAD_STOPS = (StopType.PASSAGES, StopType.NO_PASSAGES)

# The state of a run that a process is working on.
RUNNING = Halt(StopType.NONE, "the run is still going on")

NO_SUBQUERIES = SubqueryTally()

# A model that gave no second opinion when asked, and the reason.
MissingVote = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimView:
    """A claim with its quotes and findings; `ruling` is None if no judge has ruled on it.

    `in_output` marks an item of an output that was judged as a whole. `missing_votes` are models of the panel that gave
    no verdict on the claim, `unconfirmed` is what code could not confirm, `figures` are the sources of its figures.
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
        """The passages elsewhere in the document that limit or contradict the claim."""
        return tuple(found for found in self.qualifications if not found.supports)

    @property
    def text(self) -> str:
        """The statement."""
        return self.claim.text

    @property
    def reason(self) -> str:
        """The judge's reason; empty if nobody ruled."""
        return self.ruling.reason if self.ruling else ""

    @property
    def verdict(self) -> str:
        """The judge's verdict, "in-output" or "unjudged"."""
        return self.ruling.verdict.value if self.ruling else "in-output" if self.in_output else "unjudged"

    @property
    def verdict_words(self) -> str:
        """The verdict in words."""
        if self.ruling is None:
            return "judged with the output" if self.in_output else "not judged"
        return VERDICT_WORDS.get(self.verdict, self.verdict)

    @property
    def is_quote(self) -> bool:
        """Whether the statement is only its quote, so that reports show it once."""
        words = [" ".join(quote.text.split()) for quote in self.quotes]
        return self.verdict == "verbatim" and words == [self.claim.text]

    @property
    def ruling_label(self) -> str:
        """The label of the ruling: code compares a verbatim claim with its quote, and searches for an absent one."""
        return {"verbatim": "Compared", "absent": "Searched"}.get(self.verdict, "Judge")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """Everything that a reader sees of a run.

    `absence` is the worker's note on what is not in the document; None if it reported no absence. `absence_reason` is
    the second reader's word on it. `output_ruling` is the verdict on an output as a whole. `looks` are the judges'
    look-ups. `found_passages` are passages that a check found, such as those that limit a claim. `unconfirmed` is what
    code could not confirm of claims and output. `figures` are the sources of the output's figures. `notes` say what the
    checks did. `completeness` is the proof that nothing is missing. `coverage` is None if it was not recorded.
    `is_searched` says that code searched all of the text. `counter_evidence_gaps` says which part of the search for
    counter-evidence was not made, and why. `losses` describes sub-queries without an answer, which `subqueries` counts.
    Both are also among the `notices`. `usd_by_role` is the cost in dollars by the role of the model, `saved_usd` is
    what prompt caches saved. `reviews` are the latest reviews by people. `follows` is empty, or has the `run` that the
    question follows on, and the earlier `questions` in order. `models` are the worker and the judge. `asks_models` is
    False if only the built-in engine could be asked. `verification` is the outcome of the verifier on the best step.
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
        """Whether the result was accepted; None for passages that no language model has read."""
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
    subqueries: SubqueryTally = NO_SUBQUERIES,
    usd_by_role: Mapping[str, float] = MappingProxyType({}),
    saved_usd: float = 0.0,
    children: tuple[ChildRun, ...] = (),
) -> RunView:
    """The view of a run that `started` so and had this `outcome`; `folder` has its record.

    `missing_votes` has, by claim, the models of the panel that gave no verdict.
    """
    best = outcome.best or Step(Attempt(), ())
    attempt, document = best.attempt, started.document
    starts: list[int] = document.get("page_starts", [])
    has_coverage = coverage and starts and outcome.halt.type not in UNREAD_STOPS
    issues = tuple(dict.fromkeys((*attempt.refused, *best.issues)))
    unconfirmed = list_unconfirmed(attempt, best.doubts)
    gaps = _counter_evidence_gaps(best)
    losses = tuple(lost_subqueries.describe_losses(subqueries, coverage.shown, starts))
    models = {role: str(name) for role, name in started.settings.get("models", {}).items()}
    asked = dict.fromkeys((models.get("worker", ""), models.get("judge", "")))
    return RunView(
        run=started.run,
        folder=folder,
        mode=started.mode,
        question=started.question,
        follows={name: started.follows[name] for name in ("run", "questions") if started.follows},
        document={name: value for name, value in document.items() if name != "page_starts"},
        halt=outcome.halt,
        claims=tuple(_view_claim(claim, best, issues, unconfirmed, missing_votes) for claim in attempt.claims),
        quotes=attempt.quotes,
        searches=attempt.searches,
        nearest=attempt.nearest,
        absence=attempt.absence.note if attempt.absence else None,
        output=attempt.output,
        format=_output_format(started),
        output_ruling=_rulings(best).get(0),  # claims count from 1: this ruling is on the output as a whole
        issues=issues,
        unconfirmed=unconfirmed,
        figures=tuple(figure for figure in best.figures if not figure.claim),
        found_passages=tuple(quote for item in best.evidence for quote in item.quotes),
        notes=tuple(item.note for item in best.evidence if item.note),
        looks=best.looks,
        absence_reason=next((it.note for it in best.evidence if it.check == ABSENCE_CHECK), ""),
        counter_evidence_gaps=gaps,
        losses=losses,
        usd_by_role=usd_by_role,
        saved_usd=saved_usd,
        subqueries=lost_subqueries.as_object(subqueries, coverage.shown),
        children=children,
        notices=tuple(dict.fromkeys((*notices, *gaps, *losses))),
        verification=best.verification,
        completeness=attempt.completeness,
        coverage=coverage_map(coverage, starts, int(document.get("characters", 0))) if has_coverage else None,
        is_searched=is_searched,
        judge=models.get("judge", ""),
        models=tuple(filter(None, asked)),
        asks_models=_asks_models(models, started.mode),
        iterations=outcome.iterations,
        usage=usage,
        seconds=seconds,
    )


def _asks_models(models: Mapping[str, str], mode: str) -> bool:
    # Its verifiers alone judge a goal.
    names = [name for role, name in models.items() if (mode, role) != ("goal", "judge")]
    return not names or not all(name.startswith("offline:") for name in names)


def _rulings(best: Step) -> dict[int, Ruling]:
    return {ruling.claim: ruling for ruling in best.rulings}


def _view_claim(
    claim: Claim,
    best: Step,
    issues: Sequence[Issue],
    unconfirmed: Sequence[Unconfirmed],
    missing_votes: Mapping[int, tuple[MissingVote, ...]],
) -> ClaimView:
    rulings = _rulings(best)
    return ClaimView(
        claim=claim,
        quotes=best.attempt.quotes_of(claim),
        ruling=rulings.get(claim.id),
        issues=tuple(issue for issue in issues if issue.claim == claim.id),
        qualifications=tuple(item for item in best.qualifications if item.claim == claim.id),
        in_output=0 in rulings,
        missing_votes=missing_votes.get(claim.id, ()),
        unconfirmed=tuple(doubt for doubt in unconfirmed if doubt.claim == claim.id),
        figures=tuple(figure for figure in best.figures if figure.claim == claim.id),
    )


def _output_format(started: "RunStarted") -> str:
    """The format of a task's output, as `Settings.output_format` has it."""
    if started.mode != "task":
        return ""
    return str(started.settings.get("format") or ("json" if started.settings.get("output_schema") else "md"))


def _counter_evidence_gaps(best: Step) -> tuple[str, ...]:
    """Which part of the search for passages against the claims was not made, in sentences."""
    unchecked, partly_checked = INCOMPLETE_COUNTER_CHECKS
    prefixes = {unchecked: "", partly_checked: "counter-evidence was only partly checked: "}
    found = [f"{prefixes[item.check]}{item.note}" for item in best.evidence if item.check in prefixes]
    return tuple(f"{message[:1].upper()}{message[1:]}." for message in found)
