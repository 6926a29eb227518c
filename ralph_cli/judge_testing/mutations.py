"""False variants of true claims, each with one kind of falsehood: what a judge must not let stand. Pure.

Only the wording is changed, never the quotes. A variant that by chance may still be true is left out as far as code can
tell: it stands in the document, or follows from what is said ("more than four" from "more than five").
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ralph_cli.judge_testing.mutate_figures import numbers, times
from ralph_cli.judge_testing.mutate_names import Names
from ralph_cli.judge_testing.mutate_wording import negations, scopes
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
class Lore:
    """What is known of the document that claims are about: its words, and the names in it."""

    text: str
    names: Names = field(init=False)
    _flat: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", Names(self.text))
        object.__setattr__(self, "_flat", _flat(self.text))

    def says(self, text: str, claim: TrueClaim) -> bool:
        """Whether these very words stand in the document, and not only in what the claim was made from."""
        words = _flat(text)
        if words not in self._flat:
            return False
        rest = self._flat
        for own in (claim.text, *claim.quotes):
            rest = rest.replace(_flat(own), " ")
        return words in rest


def mutated(claim: TrueClaim, kind: str, lore: Lore, chance: random.Random) -> str | None:
    """The claim made false in one way of that kind, chosen by `chance`; None where there is none."""
    found = list(dict.fromkeys(_CHANGES[kind](claim, lore)))
    chance.shuffle(found)
    return next((text for text in found if _flat(text) != _flat(claim.text) and not lore.says(text, claim)), None)


def _flat(text: str) -> str:
    return " ".join(fold(text).text.split()).casefold()


def _negation(claim: TrueClaim, lore: Lore) -> Iterator[str]:
    if claim.subject:
        yield claim.text.replace("The table shows ", "The table does not show ", 1)
    else:
        yield from negations(claim.text)


def _number(claim: TrueClaim, lore: Lore) -> Iterator[str]:
    return numbers(claim.text)


def _entity(claim: TrueClaim, lore: Lore) -> Iterator[str]:
    if claim.subject:
        yield from (claim.text.replace(claim.subject, rival, 1) for rival in claim.rivals)
    else:
        yield from lore.names.swapped(claim.text)


def _scope(claim: TrueClaim, lore: Lore) -> Iterator[str]:
    if claim.period:
        yield from (claim.text.replace(f"in {claim.period}", f"in {p} and in {claim.period}") for p in claim.periods)
    else:
        yield from scopes(claim.text)


def _time(claim: TrueClaim, lore: Lore) -> Iterator[str]:
    if claim.period:
        yield from (claim.text.replace(f"in {claim.period}", f"in {period}") for period in claim.periods)
    else:
        yield from times(claim.text)


_CHANGES: dict[str, Callable[[TrueClaim, Lore], Iterator[str]]] = {
    "negation": _negation,
    "number": _number,
    "entity": _entity,
    "scope": _scope,
    "time": _time,
}
