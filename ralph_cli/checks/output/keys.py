"""What the keys of a JSON output say in figures, and which digits in them only tell one name from another. Pure."""

import re
from collections.abc import Set

_NAME_WITH_DIGIT = re.compile(r"[A-Za-z]{1,3}\d{1,3}|\d{1,3}[A-Za-z]{1,3}")
"""A name with a digit in it: q4, h1, co2, fy24, 3m."""

_NUMBERED = re.compile(r"(?P<stem>.*[^\W\d_])[_-]?(?P<number>\d{1,3})")
_ITEM_STEM = re.compile(r"(?i)(?:.*[_\W])?(?:item|entry|row|point|part|step|question|number|no|nr|id)")
"""What is numbered to be told apart, wherever the numbers begin."""


def key_text(key: str, keys: Set[str] = frozenset()) -> str:
    """What the name of a key says, to be looked up as words are; empty when it says no figure.

    A name in one piece is taken apart: "rent_9999_usd" says "rent 9999 usd", "clause_6_3" "clause 6.3". A number at
    its end only tells it from others if it counts on from one of the other `keys` ("party_1", "party_2"), or numbers
    an item; and names such as q4 and co2 are no figures.
    """
    if re.search(r"\s", key) or not re.search(r"[^\W\d_]", key):
        return key if re.search(r"\s|\d", key) else ""
    if _is_numbered_name(key, keys):
        return ""
    words = [word for word in re.split(r"[_-]+", key) if not _NAME_WITH_DIGIT.fullmatch(word)]
    text = re.sub(r"\b(\d{1,2}) (?=\d{1,2}\b)", r"\1.", " ".join(words))
    return text if re.search(r"\d", text) else ""


def _is_numbered_name(key: str, keys: Set[str]) -> bool:
    match = _NUMBERED.fullmatch(key)
    if match is None or re.search(r"\d", match["stem"]):
        return False
    number = int(match["number"])
    before = f"{key[: match.start('number')]}{number - 1:0{len(match['number'])}d}"
    return number <= 1 or before in keys or bool(_ITEM_STEM.fullmatch(match["stem"]))
