"""What a text says of its figures beside one another: which became which, and whether that was up or down. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.quantities.quantity import Quantity

RISE = r"rose|ris(?:es?|en|ing)|gr(?:ew|ow|owth)\w*|increas\w*|climb\w*|rais\w+|up(?!\s+to)|higher|widen\w*|jump\w*"
RISE += r"|lengthen\w*|exceed(?:s|ed|ing)|surpass\w*"
RISE += r"|improv\w*|expand\w*|gain(?:s|ed|ing)|advanc\w*|surg(?:ed|es|ing)|soar\w*|swell\w*|strengthen\w*"
FALL = r"fell|fall(?:s|en|ing)?|drop\w*|declin\w*|decreas\w*|reduc\w*|cuts?|down|lower\w*|slip\w*|shr[aiu]nk\w*"
FALL += r"|eas(?:ed|es|ing)|weaken\w*|soften\w*|tumbl\w*|plung\w*|slump\w*|retreat\w*|reced\w*"
FALL += r"|shorten\w*|narrow\w*|dip(?:s|ped)?|contract(?:s|ed|ions?)|sank|slid\w*|fewer|smaller|less"
_RISES, _FALLS = (re.compile(rf"(?i)(?<![-\w])(?:{words})(?![-\w])") for words in (RISE, FALL))
_NOUN = re.compile(
    r"(?i)\A\W*(?:the\s+)?\w+s\b(?!\s+(?:by|from|in|of|to)\b)"
    r"|\b(?:growth|increase|decrease|decline|rise|fall|drop|gain)s?\s+(?=\w+ed\b)"
)
"""What is no verb of rise or fall: one that ends in "s" has its subject before it, and another verb none behind it."""

_NEGATED = re.compile(rf"(?i)\b(?:{NEGATIONS})\b")
_CLAUSE = re.compile(r"(?i)[;:.]\s|\b(?:and|but|while|whereas|although|because|which|as(?!\s+an?\b))\b")
_FROM, _TO = re.compile(r"(?i)\bfrom\s+(?:[a-z]+\s+)?\Z"), re.compile(r"(?i)\bto\s+(?:[a-z]+\s+)?\Z")
_BETWEEN_TO = re.compile(r"(?i)\s*(?:[a-z]+\s+){0,5}(?:(?:19|20)\d\d\s+)?to\s+(?:[a-z]+\s+)?")
_BETWEEN_FROM = re.compile(r"(?i)[^.;()]{0,60}\bfrom\s+(?:[a-z]+\s+){0,2}[^\w\s]*")


def are_comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two figures are amounts of one kind, of which either may stand where the other does."""
    kinds = {one.kind, other.kind}
    if one.date.day is not None and other.date.day is not None:
        return True
    if kinds & {"date", "identifier", "ordinal"} or one.worded or other.worded:
        return False
    of_things = kinds <= {"none", "count", "physical"} and kinds != {"physical"}
    return of_things or (len(kinds) == 1 and one.unit == other.unit)


def ordered_pairs(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    """The figures of a text of which one became the other, the earlier one first: "from 5 to 7", "to 7 from 5"."""
    ends = set[Quantity]()
    for number, other in enumerate(quantities):
        one = next((one for one in reversed(quantities[:number]) if are_comparable(one, other)), None)
        if one is None or one in ends:
            continue  # "from 8 to 7, and the fee from 5 to 4"
        gap = text[one.end : other.start]
        if _FROM.search(text, 0, one.start) and _BETWEEN_TO.fullmatch(gap):
            ends.add(other)
            yield one, other
        elif _BETWEEN_FROM.fullmatch(gap) and (_TO.search(text, 0, one.start) or direction_of(gap)):
            yield other, one


def is_misstated(text: str, before: Quantity, after: Quantity) -> bool:
    """Whether a text says of one figure that it rose, or fell, to the other, and they do the opposite."""
    change = _amount(after) - _amount(before)
    between = direction_of(text[after.end : before.start])  # "5, down from 7"
    said = between or direction_before(text, min(before.start, after.start))
    true = {"fall": change < 0, "rise": change > 0}
    return min(before.value, after.value) >= 0 and not true.get(said, True)


def direction_before(text: str, end: int) -> str:
    """The direction, "rise" or "fall", that the clause says which leads to a place; "" if it says both, or denies."""
    start = max((match.end() for match in _CLAUSE.finditer(text, 0, end)), default=0)
    found = direction_of(text[start:end])
    return "" if found == "unsure" else found


def direction_of(text: str) -> Literal["", "rise", "fall", "unsure"]:
    """Whether words say that something went up or down; "unsure" if they say both, or deny it."""
    text = _NOUN.sub("", text)  # "Slips range from 5 to 7", "growth slowed from 7 to 5"
    rises, falls = bool(_RISES.search(text)), bool(_FALLS.search(text))
    if (rises or falls) and (rises == falls or _NEGATED.search(text)):
        return "unsure"
    return "rise" if rises else "fall" if falls else ""


def _amount(quantity: Quantity) -> float:
    return float(quantity.value) * 10.0 ** (quantity.power or 0)
