"""Page references: how memos name pages, and whether a reference names a page."""

import re
from collections.abc import Iterator
from typing import Literal

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import PageReference
from ralph_cli.core.structure import Page

_ROMAN = r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_LABEL = rf"(?:[A-Z]{{1,3}}-\d{{1,4}}|\d{{1,5}}|{_ROMAN})"
_STOP = r"(?![\w%]|-[A-Za-z]|[.,]\d)"
_DASH = r"\s*(?:[-\u2010-\u2014]|\bto\b)\s*"
_AND = r"\s*(?:,\s*and\b|,\s*&|,|&|\band\b|;)\s*"
# The page that follows ("44f."), or the pages ("44ff.").
_AND_FOLLOWING = r"(?:\s?ff?(?!\w)\.?|\s+et\s+seq\b\.?)"

_RANGE = rf"{_LABEL}(?:{_DASH}{_LABEL}{_STOP})?(?:{_AND_FOLLOWING}|{_STOP})"
_ONE = (
    rf"(?i:\bpage|\bpg\.?|\bp\.)\s*(?:no\.?\s*)?(?P<one>{_RANGE})"
    rf"|\bp ?(?P<short>\d{{1,5}}(?:{_DASH}\d{{1,5}})?(?:{_AND_FOLLOWING}|{_STOP}))"
)
_LIST = rf"{_RANGE}(?:{_AND}(?:(?:pp?\.|pages?)\s*)?{_RANGE})*"
_SEVERAL = rf"(?i:\bpages|\bpage\(s\)|\bpgs\.?|\bpp\.|\bpp(?=[ \d]))\s*(?P<several>{_LIST})"
_NUMBERED = r"(?:[A-Z]{1,3}-\d{1,4}|\d{1,4})"
_AT = (
    rf"[(\[](?:[^()\[\]\n]{{0,80}}[\s,;])?at (?P<at>{_NUMBERED}(?:{_DASH}{_NUMBERED})?)(?=\s*[)\]])"
    rf"|\b[Ii]d\.,? at (?P<id>{_NUMBERED}(?:{_DASH}{_NUMBERED})?{_STOP})"
)
# The names behind which a bare "at 12" is a page.
_NAMED = (
    r"(?:[Ss]ee\s+)?(?:Exh?\.|Exhibit|Annex|App\.|Appendix|Form|10-[KQ]|Doc\.|Docket|Dkt\.|Tab|Sched\.|Schedule|Annual"
    r"|Report|Agreement|Contract|Lease|Filing|Prospectus)"
)

_BEHIND = re.compile(
    rf"(?m)[\s,;.]*(?:{_NAMED}[^\n\"\u201c\u201d;()]{{0,60}}?[\s,])?"
    rf"\bat (?P<behind>{_NUMBERED}(?:{_DASH}{_NUMBERED})?)(?=\s*(?:[.;,)\]](?!\d)|$))"
)
_REFERENCE = re.compile(rf"{_SEVERAL}|{_ONE}|{_AT}")
_SPLIT = re.compile(rf"(?:{_AND})(?:(?:pp?\.|pages?)\s*)?")
_ENDS = re.compile(rf"({_LABEL})(?:{_DASH}({_LABEL}))?({_AND_FOLLOWING})?")
_PREFIXED = re.compile(r"([A-Za-z]+-)?(\d+)")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ENDLESS = re.compile(rf"{_AND_FOLLOWING}\Z")
MAX_RANGES = 200
# The pages behind the first one that "ff." and "et seq." include.
FOLLOWING_PAGES = 5


def find_references(text: str) -> Iterator[PageReference]:
    """The page references of a text, in order, each with its line."""
    for match in _REFERENCE.finditer(text):
        yield _parse_reference(match, text)


def has_reference(text: str) -> bool:
    """Whether a text names a page."""
    return _REFERENCE.search(text) is not None


def reference_behind(text: str, at: int) -> PageReference | None:
    """A bare "at 12" right behind a quotation that ends at `at`, or None."""
    match = _BEHIND.match(text, at, at + 160)
    return _parse_reference(match, text) if match else None


def parse_page_cell(text: str) -> PageReference | None:
    """The reference of a cell that contains only pages: "12", "12-13", "F-3"."""
    match = re.fullmatch(rf"\s*(?P<cell>{_RANGE}(?:{_AND}{_RANGE})*)\s*", text)
    return _parse_reference(match, text) if match else None


def _parse_reference(match: re.Match[str], text: str) -> PageReference:
    group = match.lastgroup or ""
    start, end = match.span(group)
    if group in ("one", "short", "several", "id"):
        start = match.start()
    ranges = []
    for piece in _SPLIT.split(match[group])[:MAX_RANGES]:
        if ends := _ENDS.fullmatch(piece.strip()):
            high = _complete_range_end(ends[1], ends[2] or ends[1])
            ranges.append(
                (ends[1], _label_after(high, 1 if ends[3].strip(" .") == "f" else FOLLOWING_PAGES) if ends[3] else high)
            )
    return PageReference(" ".join(text[start:end].split()), tuple(ranges), text.count("\n", 0, start) + 1, start, end)


def _label_after(label: str, pages: int) -> str:
    """The label this many pages later; the label itself if it has no number."""
    match = _PREFIXED.fullmatch(label)
    return f"{match[1] or ''}{int(match[2]) + pages}" if match else label


def _complete_range_end(low: str, high: str) -> str:
    """The end of a range with its first digits completed: 112-13 ends on 113."""
    if low.isdecimal() and high.isdecimal() and len(high) < len(low):
        return low[: len(low) - len(high)] + high
    return high


def page_match(reference: PageReference, page: Page) -> Literal["number", "label", "both"] | None:
    """How the reference names this page: by its number in the file, by its printed label, or by both; None if it does
    not.
    """
    number = any(_is_in_range(str(page.number), low, high) for low, high in reference.ranges)
    label = any(_is_in_range(page.label, low, high) for low, high in reference.ranges)
    return "both" if number and label else "number" if number else "label" if label else None


def is_in_document(reference: PageReference, document: Document) -> bool:
    """Whether the document has each page that begins or ends a range of the reference."""
    numbers = {str(page.number) for page in document.pages} | {page.label.casefold() for page in document.pages}
    ends = [ends[:1] if _ENDLESS.search(reference.text) else ends for ends in reference.ranges]
    return all(end.casefold() in numbers for pair in ends for end in pair)


def _is_in_range(label: str, low: str, high: str) -> bool:
    if label.casefold() in (low.casefold(), high.casefold()):
        return True
    ends = [_label_order(end) for end in (low, label, high)]
    return all(ends) and ends[0][0] == ends[1][0] == ends[2][0] and ends[0][1] <= ends[1][1] <= ends[2][1]  # type: ignore[index]


def _label_order(label: str) -> tuple[str, int] | None:
    """A label as its series and its number in it, so that labels of one series can be compared."""
    if match := _PREFIXED.fullmatch(label):
        return (match[1] or "").casefold(), int(match[2])
    if re.fullmatch(_ROMAN, label.casefold()):
        values = [_VALUES[letter] for letter in label.casefold()]
        return "roman", sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
    return None
