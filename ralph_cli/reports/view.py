"""From the best step of a run to what is shown of it: one view that the terminal, plain text and JSON all render."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ralph_cli.core.coverage import Coverage, CoverageMap, coverage_map
from ralph_cli.core.model import Usage
from ralph_cli.core.run import (
    INCOMPLETE_COUNTER_CHECKS,
    Attempt,
    Claim,
    Halt,
    Issue,
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

VERDICT_WORDS = {
    "supported": "supported",
    "partly": "only partly supported",
    "not": "not supported",
    "contradicted": "contradicted",
    "verbatim": "verbatim",
}


TIER_NAMES: dict[Tier, str] = {"exact": "exact", "folded": "folded", "recut": "re-cut"}
"""How a quote was matched, as a reader is told."""


def pages_of(quote: Quote) -> str:
    """The page of a quote, or the pages from which to which it runs."""
    return f"{quote.page}-{quote.last_page}" if quote.last_page > quote.page else str(quote.page)


MissingVote = tuple[str, str]
"""A model that was asked for a second opinion and gave none, and why."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim with its quotes and what was said of it; `ruling` is None when no judge has ruled on it.

    `in_output` says that it is an item of an output that was judged as a whole, beside the items and their passages.
    `unheard` are models of the panel that gave no verdict on it.
    """

    claim: Claim
    quotes: tuple[Quote, ...]
    ruling: Ruling | None
    issues: tuple[Issue, ...]
    qualifications: tuple[Qualification, ...] = ()
    in_output: bool = False
    missing_votes: tuple[MissingVote, ...] = ()

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
    def ruling_label(self) -> str:
        """What a ruling is called: a verbatim claim was compared with its quote, and judged by nobody."""
        return "Compared" if self.verdict == "verbatim" else "Judge"


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything a reader is shown of a run; `verification` is what became of that of its best step.

    `found` are passages that a check found, such as those that qualify a claim; `notes` say what the checks did.
    `coverage` is None if what was read was not recorded. `unlooked` says what of the search for counter-evidence was
    not made, and why; it is among the `notices`, too.
    """

    run: str
    folder: str
    question: str
    document: dict[str, Any]
    halt: Halt
    claims: tuple[ClaimView, ...]
    quotes: tuple[Quote, ...]
    searches: tuple[Search, ...]
    absence: str | None
    issues: tuple[Issue, ...]
    judge: str
    iterations: int
    usage: Usage
    seconds: float
    notices: tuple[str, ...] = ()
    mode: str = "qa"
    format: str = ""
    output: str = ""
    output_ruling: Ruling | None = None
    found_passages: tuple[Quote, ...] = ()
    notes: tuple[str, ...] = ()
    verification: VerificationOutcome = ""
    coverage: CoverageMap | None = None
    nearest: tuple[Passage, ...] = ()
    counter_evidence_gaps: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.halt.type is StopType.COMPLETION

    @property
    def judged(self) -> bool:
        """Whether a language model has ruled on the claims, or on the output."""
        rulings = [self.output_ruling, *(view.ruling for view in self.claims)]
        return any(ruling and ruling.verdict.value != "verbatim" for ruling in rulings)


def build_view(
    *,
    run: str,
    folder: str,
    question: str,
    document: dict[str, Any],
    halt: Halt,
    best: Step | None,
    judge: str,
    iterations: int,
    usage: Usage,
    seconds: float,
    notices: tuple[str, ...] = (),
    mode: str = "qa",
    format: str = "",
    coverage: Coverage | None = None,
    missing_votes: Mapping[int, tuple[MissingVote, ...]] | None = None,
) -> RunView:
    """The view of a run that ended with `halt`; `best` is its best step, if it had one.

    `document` is what the run recorded of it; where its pages begin is for `coverage` and goes no further.
    `missing_votes` has, by claim, the models of the panel that gave no verdict.
    """
    starts = document.get("page_starts")
    attempt = best.attempt if best else None
    rulings = {ruling.claim: ruling for ruling in best.rulings} if best else {}
    issues = tuple(dict.fromkeys((*best.attempt.refused, *best.issues))) if best else ()
    claims = (
        _claim_views(attempt, rulings, issues, best.qualifications, missing_votes or {}) if attempt and best else ()
    )
    unlooked = tuple(_counter_evidence_gaps(best)) if best else ()
    return RunView(
        run,
        folder,
        question,
        {name: value for name, value in document.items() if name != "page_starts"},
        halt,
        claims,
        attempt.quotes if attempt else (),
        attempt.searches if attempt else (),
        attempt.absence.note if attempt and attempt.absence else None,
        issues,
        judge,
        iterations,
        usage,
        seconds,
        tuple(dict.fromkeys((*notices, *unlooked))),
        mode,
        format,
        attempt.output if attempt else "",
        rulings.get(0),  # claims count from 1: this one is on the output as a whole
        verification=best.verification if best else "",
        found_passages=tuple(quote for item in best.evidence for quote in item.quotes) if best else (),
        notes=tuple(item.note for item in best.evidence if item.note) if best else (),
        coverage=coverage_map(coverage, starts, int(document.get("characters", 0))) if coverage and starts else None,
        nearest=attempt.nearest if attempt else (),
        counter_evidence_gaps=unlooked,
    )


def _counter_evidence_gaps(best: Step) -> Iterator[str]:
    """What of the search for passages that speak against the claims was not made."""
    for item in best.evidence:
        if item.check in INCOMPLETE_COUNTER_CHECKS:
            partly = item.check == INCOMPLETE_COUNTER_CHECKS[1]
            message = f"counter-evidence was only partly checked: {item.note}" if partly else item.note
            yield f"{message[:1].upper()}{message[1:]}."


def _claim_views(
    attempt: Attempt,
    rulings: dict[int, Ruling],
    issues: tuple[Issue, ...],
    qualifications: tuple[Qualification, ...],
    missing_votes: Mapping[int, tuple[MissingVote, ...]],
) -> tuple[ClaimView, ...]:
    return tuple(
        ClaimView(
            claim,
            attempt.quotes_of(claim),
            rulings.get(claim.id),
            tuple(issue for issue in issues if issue.claim == claim.id),
            tuple(said for said in qualifications if said.claim == claim.id),
            in_output=0 in rulings,
            missing_votes=missing_votes.get(claim.id, ()),
        )
        for claim in attempt.claims
    )
