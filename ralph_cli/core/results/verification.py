"""The result of verifying a recorded run: every deterministic check, and the current place of each quote."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from ralph_cli.core.events import VerifierFinished
from ralph_cli.core.run import Claim, Doubt, Halt, Issue, Quote, Ruling, Tier

# How the text at hand relates to that of the run: the same; the same file, read otherwise; another file; no text.
TextRelation = Literal["same", "other-reading", "other-document", "none"]


class Standing(StrEnum):
    """What became of a quote.

    HOLDS: at its place, or in another text still there on the same page. MOVED: there, on another page, or in a text
    without pages under another heading. CHANGED: not there, but words like it are. GONE: nothing like it is there.
    WRONG: the record of it does not hold in the very text it was taken from.
    """

    HOLDS = "holds"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class QuoteStanding:
    """A recorded quote and its current place.

    `text`, `start`, `end`, `page` and `label` are of the text at hand: the quote's own words there, or the closest true
    text of a quote that was changed; empty and 0 for one that is gone. `differing` holds the words that differ, as
    "then -> now"; `around` what was changed around words that are still there: their sentence or paragraph, their
    heading, the lines that head their table; `notes` what else a reader should know, and for a WRONG quote what is
    wrong; `where` is its line and heading in a text without pages.
    """

    quote: Quote
    standing: Standing
    text: str = ""
    start: int = 0
    end: int = 0
    page: int = 0
    label: str = ""
    section: str = ""
    tier: Tier | None = None
    differing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    where: str = ""

    @property
    def there(self) -> bool:
        """Whether the words are still in the current text."""
        return self.standing in (Standing.HOLDS, Standing.MOVED)


@dataclass(frozen=True, slots=True)
class Rechecked:
    """One check that was made again. It holds if it has no `faults`; with `skipped` it could not be made, and why.

    `told` describes what was checked.
    """

    check: str
    told: str
    faults: tuple[Issue, ...] = ()
    skipped: str = ""

    @property
    def holds(self) -> bool:
        """Whether it was made and found nothing."""
        return not self.faults and not self.skipped


@dataclass(frozen=True, slots=True)
class Verification:
    """A run, or an exported bundle of one, verified against a document without any model.

    `source` is "run" or "bundle", `seal` the SHA-256 of a bundle's manifest. `document` is what the run recorded of its
    document, `now` what is known of the file at hand (empty if there is none). Claims and quotes are those of the best
    attempt; `doubts` are what code could not confirm, then or now, and `because` is the worker's reason for an output
    with objections; `rulings` are the verdicts of models and `evidence` the results of a goal's verifiers in the run.
    Neither is repeated.
    """

    run: str
    mode: str
    question: str
    source: Literal["run", "bundle"]
    seal: str
    events: int
    begun: str
    halt: Halt
    document: dict[str, Any]
    now: dict[str, Any]
    reading: TextRelation
    checks: tuple[Rechecked, ...]
    claims: tuple[Claim, ...]
    quotes: tuple[QuoteStanding, ...]
    rulings: tuple[Ruling, ...]
    evidence: tuple[VerifierFinished, ...] = ()
    output: str = ""
    doubts: tuple[Doubt, ...] = ()
    because: str = ""

    @property
    def holds(self) -> bool:
        """Whether every check that could be made holds, and every quote is there with nothing changed around it."""
        return not any(check.faults for check in self.checks) and all(
            item.there and not item.around for item in self.quotes
        )

    @property
    def lost(self) -> tuple[QuoteStanding, ...]:
        """The quotes that are no longer in the text at hand, changed or gone."""
        return tuple(item for item in self.quotes if not item.there)

    def of_claim(self, claim: Claim) -> tuple[QuoteStanding, ...]:
        """The quotes of `claim`, in its own order."""
        by_id = {item.quote.id: item for item in self.quotes}
        return tuple(by_id[number] for number in claim.quotes if number in by_id)


def count_standing(items: Sequence[QuoteStanding], standing: Standing) -> int:
    """The number of quotes with that standing."""
    return sum(item.standing is standing for item in items)
