"""The result of verifying a recorded run: all deterministic checks, and the current location of each quote."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from ralph_cli.core.events import VerifierFinished
from ralph_cli.core.run import Claim, Doubt, Halt, Issue, Quote, Ruling, Tier

# The current text compared with that of the run: the same; the same file read differently; another file; no text.
TextRelation = Literal["same", "other-reading", "other-document", "none"]


class Standing(StrEnum):
    """The state of a recorded quote in the current text.

    HOLDS: the quote is at its location, or on the same page of another text. MOVED: it is on another page or, in a text
    without pages, under another heading. CHANGED: only similar words are there. GONE: nothing similar is there. WRONG:
    the record of the quote is false even for the text that it came from.
    """

    HOLDS = "holds"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class QuoteStanding:
    """A recorded quote and its current location.

    `text`, `start`, `end`, `page` and `label` refer to the current text: the quote's own words, or the closest text if
    the quote was changed; they are empty and 0 if it is gone. `differing` has the words that differ, as "then -> now".
    `around` has changes around words that are still there: in their sentence or paragraph, their heading, or the lines
    that govern their table. `notes` are further remarks for the reader and, for a WRONG quote, the faults. `where` is
    its line and heading in a text without pages.
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
    """One repeated check. It holds if it has no `faults`; if it could not be repeated, `skipped` says why.

    `told` describes what was checked.
    """

    check: str
    told: str
    faults: tuple[Issue, ...] = ()
    skipped: str = ""

    @property
    def holds(self) -> bool:
        """Whether the check was repeated and found no faults."""
        return not self.faults and not self.skipped


@dataclass(frozen=True, slots=True)
class Verification:
    """A run, or an exported bundle of one, verified against a document without any model.

    `source` is "run" or "bundle"; `seal` is the SHA-256 of a bundle's manifest. `document` is the run's record of its
    document; `now` describes the current file (empty if there is none). Claims and quotes are those of the best
    attempt. `doubts` are what code could not confirm, then or now. `because` is the worker's reason for an output with
    objections. `rulings` are the models' verdicts and `evidence` the results of a goal's verifiers in the run; neither
    is repeated.
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
        """Whether every check that could be repeated holds, and every quote is there with nothing changed around it."""
        return not any(check.faults for check in self.checks) and all(
            item.there and not item.around for item in self.quotes
        )

    @property
    def lost(self) -> tuple[QuoteStanding, ...]:
        """The quotes that are no longer in the current text, changed or gone."""
        return tuple(item for item in self.quotes if not item.there)

    def of_claim(self, claim: Claim) -> tuple[QuoteStanding, ...]:
        """Return the quotes of `claim`, in the claim's order."""
        by_id = {item.quote.id: item for item in self.quotes}
        return tuple(by_id[number] for number in claim.quotes if number in by_id)


def count_standing(items: Sequence[QuoteStanding], standing: Standing) -> int:
    """Return the number of quotes with that standing."""
    return sum(item.standing is standing for item in items)
