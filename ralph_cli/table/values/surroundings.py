"""How the words next to a figure or date change it: a bound, a range, one of several, a denial."""

import re
from collections.abc import Sequence

from ralph_cli.core.results.table import HEDGES
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities

_NOT = r"(?:not?|never|cannot)\s+(?:be\s+|to\s+)?"
_LABELS = dict(zip(("least", "most", "about"), HEDGES, strict=True))
_AT_LEAST = rf"at\s+least|{_NOT}(?:less|fewer|lower|shorter|smaller)\s+than|(?:a\s+)?minimum\s+of"
_AT_MOST = rf"at\s+most|{_NOT}(?:more|greater|higher|longer|larger)\s+than|(?:a\s+)?maximum\s+of|up\s+to"
_AT_MOST += rf"|(?:{_NOT}|without\s+)exceed(?:ing)?"
_ABOUT = r"about|approximately|approx\.?|around|circa|ca\.?|roughly|some|nearly|almost|close\s+to"
_BEYOND = (
    r"(?:more|less|fewer|greater|higher|lower|longer|shorter|larger|smaller)\s+than|over|above|exceed(?:s|ed|ing)?"
)
_BEYOND += r"|(?:in\s+)?excess\s+of|beyond|under|below|short\s+of"
_SMALL = r"(?:\s+(?:a|an|the|total|sum|of|period))*\s*"
_HEDGE = re.compile(
    rf"(?i)\b(?:(?P<plain>{_NOT}later\s+than|on\s+or\s+before)|(?P<least>{_AT_LEAST})|(?P<most>{_AT_MOST})"
    rf"|(?P<beyond>{_BEYOND})|(?P<about>{_ABOUT})){_SMALL}(?:(?:{_ABOUT})\s+)?\Z"
)
_OR_MORE = re.compile(
    r"(?i)(?:\s+[^\W\d_]+['’]?){0,2}[\s,(]*(?:(?P<least>(?:or|and)\s+(?:more|above|longer)|at\s+least|minimum)"
    r"|(?P<most>(?:or|and)\s+(?:less|fewer|below)|at\s+(?:the\s+)?most|maximum))(?=\W*(?:[.,;:)]|\Z))"
)
_PARTED = re.compile(r"[;:,(]|\b(?:and|but|which|that)\b")
_DENIED = re.compile(rf"(?i)\b(?!without)(?:{NEGATIONS}|instead of|rather than)\b")
_ONE_OF = re.compile(
    r"(?i)\bwhichever\b|\b(?:greater|greatest|lesser|least|higher|highest|lower|lowest|larger|largest|smaller|smallest|"
    r"longer|longest|shorter|shortest|earlier|earliest|later|latest)\s+of\b"
)
_RANGE = re.compile(r"(?i)\s*(?:to|through|until|and|[-–—])\s*")
_JOINED = re.compile(r"(?i)\s*,?\s*(?:[/^×*x+]|or|plus|minus|times|multiplied\s+by)\s*")

# A word for a loss anywhere before a figure, or for a decrease directly before it.
_LESS = re.compile(
    r"(?i)\b(?:(?:loss|lost|deficit|shortfall|outflow)\w*|(?:fell|fall|drop|declin|decreas|reduc|lower|cut)\w*"
    r"(?:\s+\w+ly)?(?:\s+(?:by|of))?\s+\Z)"
)


def problem_of(statement: str, question: str, one: Quantity, written: str) -> str:
    """Return why a figure or date of a statement is not a plain answer, for people; empty if it is one."""
    before = statement[: one.start]
    if (word := _ONE_OF.search(statement)) is not None:
        return f'it gives one of several ("{word[0]}")'
    if one.last is not None or _is_joined(statement, one):
        return f"{written} is a part of a range, of several numbers or of a sum"
    if (hedge := _HEDGE.search(before)) is not None and hedge["beyond"]:
        return f'it gives a bound ("{" ".join(hedge[0].split())} {written}") and no value'
    if denial := is_denied(before if hedge is None else before[: hedge.start()]):
        return f'it denies something ("{denial}") where it names {written}'
    if (less := _LESS.search(before)) is not None and less[0][:4].lower() not in question.lower():
        return f'it names a loss or a decrease ("{less[0].strip()}"), which the question does not'
    return ""


def is_denied(before: str) -> str:
    """Return the word that denies what follows `before` in the same clause, if there is such a word."""
    clause = before[max((part.end() for part in _PARTED.finditer(before)), default=0) :]
    found = _DENIED.search(clause)
    return found[0] if found is not None else ""


def hedge_of(statement: str, one: Quantity) -> str:
    """Return the words that belong before a value, in standard form: "at least ", "at most ", "about "; often empty."""
    hedge = _HEDGE.search(statement[: one.start]) or _OR_MORE.match(statement, one.end)
    found = hedge.groupdict() if hedge is not None else {}
    return next((f"{words} " for name, words in _LABELS.items() if found.get(name)), "")


def describe_several(statement: str, found: Sequence[tuple[Quantity, str]]) -> str:
    """Return a message that a statement has several values, and which, or that it gives a range."""
    (first, one), (second, other) = found[0], found[1]
    if len(found) == 2 and first.unit == second.unit and _RANGE.fullmatch(statement, first.end, second.start):
        return f"it goes from {one} to {other} and has no one value"
    return f"it has several values: {', '.join(written for _, written in found)}"


def _is_joined(statement: str, one: Quantity) -> bool:
    """Whether a figure next to this one belongs with it: "1.5 to 2", "30/60", "1 284"."""
    if re.search(r"(?i)(?:\bplus|\+)\s+\Z", statement[: one.start]):
        return True
    for other in read_quantities(statement, "prose"):
        gap = statement[min(one.end, other.end) - 1 : max(one.start, other.start) + 1]
        alike = other.kind in ("none", one.kind)
        if other.is_measured and (
            _JOINED.fullmatch(gap[1:-1]) or (alike and (_RANGE.fullmatch(gap[1:-1]) or re.fullmatch(r"\d\s+\d", gap)))
        ):
            return True
    return False
