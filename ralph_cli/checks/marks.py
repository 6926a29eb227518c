"""Quotation marks: where a quotation begins and ends, in all common pairs of marks, nested, over line ends.

Of nested marks the outer pair is the quotation. A mark without a partner is reported. An apostrophe or an inch sign may
look like a closing mark; then the scan continues to the next certain closing mark and gives both readings, and the
document shows which one is right.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# The most characters of a quotation.
MAX_CHARS = 20_000

# The most quotations of the same marks within each other; more are marks that never close.
MAX_DEPTH = 8

_CLOSERS = {
    "\u201c": "\u201d\u201c\"", "\u201d": "\u201d", "\u201e": "\u201c\u201d\u201f\"", '"': "\"\u201d",
    "\u2018": "\u2019'", "\u2019": "\u2019", "\u201a": "\u2018\u2019'", "'": "'\u2019",
    "\u00ab": "\u00bb", "\u00bb": "\u00ab\u00bb", "\u2039": "\u203a", "\u203a": "\u2039",
    "\u300c": "\u300d", "\u300e": "\u300f",
}  # fmt: skip
_MARK = re.compile("[\"'\u2018-\u201f\u00ab\u00bb\u2039\u203a\u300c-\u300f]")
_ALL_MARKS = "\"'\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
_SINGLE = "'\u2018\u2019\u201a"
_ALWAYS_CLOSE = "\u201d\u300d\u300f"
# Marks that are a fault without a partner; the others are also apostrophes, or open in some languages only.
_SURE_OPENERS = '\u201c\u201e\u00ab\u300c\u300e\u2018"'

_ELISION = re.compile("['\u2018\u2019](?:\\d\\ds?\\b|(?:tis|twas|em|n|til|cause|round)\\b)", re.IGNORECASE)
# The raised number of a footnote, right behind the closing mark.
_NOTE = re.compile("[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}|\\d{1,3}(?![\\w%])")

_POSSESSIVE = re.compile(r"\s+[a-z]")


@dataclass(frozen=True, slots=True)
class MarkedQuotation:
    """A quotation between marks: its first mark, and the offsets where it may end, the most certain last.

    Without an end, it is a mark without a partner.
    """

    start: int
    ends: tuple[int, ...]


def marked_quotations(text: str, start: int, end: int) -> Iterator[MarkedQuotation]:
    """The outermost quotations of text[start:end], in order."""
    at = start
    while match := _MARK.search(text, at, end):
        opening = match.start()
        at = opening + 1
        if not _is_opening(text, opening, start, end):
            if _is_stray_closing(text, opening, start):
                yield MarkedQuotation(opening, ())
            continue
        paragraph_end = text.find("\n\n", opening, end)
        near = end if paragraph_end < 0 else paragraph_end
        ends = _find_ends(text, opening, near if text[opening] in _SINGLE else end, nested=True)
        # Within a paragraph a mark that may open another quotation may also be a slip.
        ends = ends or _find_ends(text, opening, near, nested=False)
        if ends:
            yield MarkedQuotation(opening, ends)
            at = ends[-1] + 1
        elif text[opening] in _SURE_OPENERS:
            yield MarkedQuotation(opening, ())


def _is_opening(text: str, at: int, start: int, end: int) -> bool:
    """Whether the mark at `at` begins a quotation, outside of any other."""
    mark = text[at]
    before = text[at - 1] if at > start else " "
    after = text[at + 1] if at + 1 < end else " "
    if mark not in _CLOSERS:
        return False
    if mark in "\u201e\u201a\u300c\u300e":
        return True
    if mark in _SINGLE:
        return not before.isalnum() and not after.isspace() and not _ELISION.match(text, at, end)
    if mark in "\u201c\u00ab\u2039":
        begins = before.isspace() or _may_open_after(before) or after.isalnum() or after in "<[($\u00a3\u20ac"
        return begins or (mark != "\u201c" and not before.isalnum())
    return (before.isspace() or _may_open_after(before)) and not after.isspace()


def _may_open_after(before: str) -> bool:
    """Whether a quotation may begin directly after this character."""
    return not before.isalnum() and before not in ".,;!?)]\u2019\u201d%"


def _is_stray_closing(text: str, at: int, start: int) -> bool:
    """Whether the mark at `at`, outside a quotation, can only be a closing mark; after a figure it may mean inches."""
    before = text[at - 1] if at > start else " "
    return text[at] in '\u201d"' and not before.isspace() and not before.isdecimal() and before not in _ALL_MARKS


def _find_ends(text: str, opening: int, end: int, *, nested: bool) -> tuple[int, ...]:
    """The places of the marks that may close the quotation; none if it does not close.

    With `nested`, double marks of another kind within it open and close a quotation of their own.
    """
    closers = _CLOSERS[text[opening]]
    inner: list[str] = []
    found: list[int] = []
    for match in _MARK.finditer(text, opening + 1, min(end, opening + MAX_CHARS)):
        at = match.start()
        if found and not inner and text[at] != text[opening] and _is_opening(text, at, opening, end):
            break  # another quotation begins, so the doubtful end was one
        if _is_nested_opening(text, opening, at, end, others=nested):
            if found and not inner:
                break
            inner.append(_CLOSERS[text[at]])
            if len(inner) > MAX_DEPTH:
                break
        elif text[at] in (inner[-1] if inner else closers) and _is_closing(text, opening, at, end):
            if inner:
                inner.pop()
                continue
            found.append(at)
            if not may_be_apostrophe(text, at, end):
                break
    return tuple(found)


def _is_nested_opening(text: str, opening: int, at: int, end: int, *, others: bool) -> bool:
    """Whether the mark at `at` opens a nested quotation: of the same marks, or of `others` that close alike."""
    mark, outer = text[at], text[opening]
    alike = mark in _CLOSERS and not set(_CLOSERS[mark]).isdisjoint(_CLOSERS[outer])
    if mark != outer and not (others and alike and mark not in _SINGLE):
        return False
    before, after = text[at - 1], text[at + 1] if at + 1 < end else " "
    if mark in "\u00ab\u2039" and before.isspace():
        return True
    first = at == opening + 1 and after.isalnum()
    return first or ((before.isspace() or before in "([{\u2014\u2013") and not after.isspace() and at > opening + 1)


def _is_closing(text: str, opening: int, at: int, end: int) -> bool:
    mark, before, after = text[at], text[at - 1], text[at + 1] if at + 1 < end else " "
    if mark in _ALWAYS_CLOSE or mark in "\u00ab\u00bb\u2039\u203a" or (text[opening] == "\u201e" and mark == "\u201c"):
        return at > opening + 1
    noted = bool(mark == '"' and not before.isdecimal() and _NOTE.match(text, at + 1, end))
    return not before.isspace() and (not after.isalnum() or noted) and at > opening + 1


def may_be_apostrophe(text: str, at: int, end: int) -> bool:
    """Whether the mark at `at` may be a plural's apostrophe, or inches."""
    if text[at] in _SINGLE:
        return text[at - 1] in "sSxz" and _POSSESSIVE.match(text, at + 1, end) is not None
    return text[at] == '"' and text[at - 1].isdecimal() and _POSSESSIVE.match(text, at + 1, end) is not None
