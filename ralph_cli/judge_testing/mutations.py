"""False variants of true claims, each with one kind of falsehood: what a judge must not let stand. Pure.

Only the wording is changed, never the quotes. A variant that by chance may still be true is left out as far as code can
tell: it stands in the document, or follows from what is said ("more than four" from "more than five").
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from ralph_cli.judge_testing.mutate_figures import mutate_numbers, mutate_times
from ralph_cli.judge_testing.mutate_names import DocumentNames
from ralph_cli.judge_testing.mutate_wording import mutate_negations, mutate_scopes
from ralph_cli.text.fold import fold


@dataclass(frozen=True, slots=True)
class TrueClaim:
    """A claim that its quotes prove.

    Of a table's row also: what it is about (`subject`), other rows of the table that say another thing (`rivals`), its
    column (`period`) and the others (`periods`), in which another figure stands.
    """

    text: str
    quotes: tuple[str, ...]
    subject: str = ""
    rivals: tuple[str, ...] = ()
    period: str = ""
    periods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What is known of the document that claims are about: its words, and the names in it."""

    text: str
    names: DocumentNames = field(init=False)
    _normalized: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", DocumentNames(self.text))
        object.__setattr__(self, "_normalized", _normalize(self.text))

    def has_wording(self, text: str, claim: TrueClaim) -> bool:
        """Whether these very words stand in the document, and not only in what the claim was made from."""
        words = _normalize(text)
        if words not in self._normalized:
            return False
        rest = self._normalized
        for own in (claim.text, *claim.quotes):
            rest = rest.replace(_normalize(own), " ")
        return words in rest


def mutate(claim: TrueClaim, kind: str, facts: DocumentFacts, rng: random.Random) -> str | None:
    """The claim made false in one way of that kind, chosen by `rng`; None where there is none."""
    found = list(dict.fromkeys(_variants(claim, kind, facts)))
    rng.shuffle(found)
    for text in found:
        if _normalize(text) != _normalize(claim.text) and not facts.has_wording(text, claim):
            return text
    return None


def _normalize(text: str) -> str:
    return " ".join(fold(text).text.split()).casefold()


def _variants(claim: TrueClaim, kind: str, facts: DocumentFacts) -> Iterator[str]:
    """The claim made false in every way of that kind; what a row of a table says has ways of its own."""
    text, period = claim.text, f"in {claim.period}"
    match kind:
        case "negation" if claim.subject:
            yield text.replace("The table shows ", "The table does not show ", 1)
        case "negation":
            yield from mutate_negations(text)
        case "number":
            yield from mutate_numbers(text)
        case "entity" if claim.subject:
            yield from (text.replace(claim.subject, rival, 1) for rival in claim.rivals)
        case "entity":
            yield from facts.names.swap_names(text)
        case "scope" if claim.period:
            yield from (text.replace(period, f"in {other} and {period}") for other in claim.periods)
        case "scope":
            yield from mutate_scopes(text)
        case "time" if claim.period:
            yield from (text.replace(period, f"in {other}") for other in claim.periods)
        case "time":
            yield from mutate_times(text)
