"""False variants of true claims, each with one kind of falsehood, which a judge should reject. Pure.

Only the wording changes, never the quotes. Variants that may still be true are left out as far as code can tell: those
that the document states, and those that follow from the claim ("more than four" from "more than five").
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from ralph_cli.judge_testing.mutate_figures import mutate_numbers, mutate_times
from ralph_cli.judge_testing.mutate_names import DocumentNames
from ralph_cli.judge_testing.mutate_wording import mutate_negations, mutate_scopes
from ralph_cli.text.fold import fold


@dataclass(frozen=True, slots=True)
class TrueClaim:
    """A claim that its quotes prove.

    A claim made from a row of a table also has the row's label (`subject`), labels of rows with other figures
    (`rivals`), the year of its column (`period`) and the years of the others (`periods`), which have other figures.
    """

    text: str
    quotes: tuple[str, ...]
    subject: str = ""
    rivals: tuple[str, ...] = ()
    period: str = ""
    periods: tuple[str, ...] = ()


class DocumentFacts:
    """The words and names of the document that claims are about."""

    def __init__(self, text: str) -> None:
        self.names = DocumentNames(text)
        self._normalized = _normalize(text)

    def states(self, text: str, claim: TrueClaim) -> bool:
        """Whether the document has exactly these words outside of what the claim was made from."""
        words, rest = _normalize(text), self._normalized
        if words not in rest:
            return False
        for own in (claim.text, *claim.quotes):
            rest = rest.replace(_normalize(own), " ")
        return words in rest


def mutate(claim: TrueClaim, kind: str, facts: DocumentFacts, rng: random.Random) -> str | None:
    """The claim made false in a way of this kind, which `rng` chooses; None if there is none."""
    found = list(dict.fromkeys(_variants(claim, kind, facts)))
    rng.shuffle(found)
    for text in found:
        if _normalize(text) != _normalize(claim.text) and not facts.states(text, claim):
            return text
    return None


def _normalize(text: str) -> str:
    return " ".join(fold(text).text.split()).casefold()


def _variants(claim: TrueClaim, kind: str, facts: DocumentFacts) -> Iterator[str]:
    """The claim made false in every way of this kind."""
    text, period = claim.text, f"in {claim.period}"
    match kind:
        case "negation" if claim.subject:
            yield text.replace("The table shows ", "The table does not show ", 1)
        case "negation":
            yield from mutate_negations(text)
        case "number":
            yield from mutate_numbers(text, bare=bool(claim.subject))
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
