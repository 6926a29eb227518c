"""Numbers and bullets that a browser writes before the items of lists (HTML standard 4.4.5, CSS Counter Styles 3)."""

import re
from collections.abc import Mapping
from typing import Any

from ralph_cli.documents.docx.numbering import write_roman

_BULLETS = {"disc": "\u2022", "circle": "\u25e6", "square": "\u25aa"}
_LETTERS = {
    "lower-alpha": "abcdefghijklmnopqrstuvwxyz",
    "lower-latin": "abcdefghijklmnopqrstuvwxyz",
    "lower-greek": "\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6\u03b7\u03b8\u03b9\u03ba\u03bb\u03bc\u03bd\u03be\u03bf\u03c0\u03c1\u03c3\u03c4\u03c5\u03c6\u03c7\u03c8\u03c9",  # noqa: E501
}
_INTEGER = re.compile(r"\s*([-+]?\d{1,9})")


class ListCounter:
    """Counts the items of one list."""

    def __init__(self, tag: str, attributes: Mapping[str, str | None], node: Any) -> None:
        self._step = -1 if tag == "ol" and "reversed" in attributes else 1
        start = integer(attributes.get("start")) if tag == "ol" else None
        if start is None:
            start = 1 if self._step == 1 else sum(child.tag == "li" for child in node.iter(include_text=False))
        self._next = start

    def next_marker(self, style: str, value: str | None) -> str:
        """Return the marker before the next item, "" for none; `value` is the item's own number, if it has one."""
        own = integer(value)
        number = self._next if own is None else own
        self._next = number + self._step
        if style in ("none", ""):
            return ""
        return f"{_BULLETS[style]} " if style in _BULLETS else f"{format_number(number, style)}. "


def format_number(number: int, style: str) -> str:
    """Return a number in a counter style; in decimals if the style cannot express it."""
    upper = style.startswith("upper-")
    style = style.replace("upper-", "lower-")
    text = str(number)
    if style == "lower-roman" and 0 < number < 4000:
        text = write_roman(number)
    elif style in _LETTERS and number > 0:
        text = _to_letters(number, _LETTERS[style])
    elif style == "decimal-leading-zero":
        text = f"{number:03d}" if number < 0 else f"{number:02d}"
    return text.upper() if upper else text


def integer(value: str | None) -> int | None:
    """Return the integer at the start of an attribute (HTML standard 2.3.4.1); None without one."""
    found = _INTEGER.match(value or "")
    return int(found[1]) if found else None


def _to_letters(number: int, letters: str) -> str:
    text = ""
    while number:
        number, digit = divmod(number - 1, len(letters))
        text = letters[digit] + text
    return text
