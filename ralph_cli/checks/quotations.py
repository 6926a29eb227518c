"""The quotations of a text, and whether the words of one stand in a source. Pure."""

import re
from collections.abc import Iterator, Sequence

from ralph_cli.documents.boundary import on_boundaries
from ralph_cli.documents.fold import fold

BLOCK_WORDS = 4
"""Words from which a block quotation counts as one; a typed ">" before less is mere layout."""

_QUOTED = re.compile(
    r"\u201c([^\u201c\u201d]+)\u201d|\u201e([^\u201c\u201d\u201e]+)[\u201c\u201d]|\u00ab([^\u00ab\u00bb]+)\u00bb|\"([^\"\n]+)\""
    # A straight mark opens and closes alike: over a line's end it must stand where a quotation can begin and end.
    r"|(?<!\w)\"(?=\S)([^\"\n]+\n[^\"\n]+)(?<=\S)\"(?!\w)"
)
_BLOCK = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_GAP = re.compile(r"\s*(?:\[\s*(?:\.\.\.|\u2026)\s*\]|\(\s*(?:\.\.\.|\u2026)\s*\)|\.\.\.|\u2026)\s*")


def quotations(text: str) -> Iterator[tuple[int, int, str]]:
    """The quoted spans of a text with their places: words in quotation marks, and block quotations of some length."""
    for match in _QUOTED.finditer(text):
        words = next(group for group in match.groups() if group is not None)
        if "\n\n" not in words:
            yield match.start(), match.end(), words
    for match in _BLOCK.finditer(text):
        words = " ".join(line.strip().lstrip(">").strip() for line in match[0].splitlines())
        # What is said beside it, such as where it stands, is not part of the quotation.
        words = re.sub(r"\s*[-\u2013\u2014]?\s*\(?\b(?:pages?|pp?\.)\s*\d+\)?\.?\s*$", "", words).strip()
        if not _QUOTED.search(words) and len(words.split()) >= BLOCK_WORDS:
            yield match.start(), match.end(), words


def stands_in(words: str, texts: Sequence[str]) -> bool:
    """Whether the words stand in one of the folded texts, in order; gaps that are marked may leave words out."""
    parts = [fold(part).text.strip().rstrip(".,;:!? ") for part in _GAP.split(words)]
    parts = [part for part in parts if part]
    return any(_in_order(parts, text) for text in texts)


def _in_order(parts: Sequence[str], text: str) -> bool:
    at = 0
    for number, part in enumerate(parts):
        forms = {part, part[0].swapcase() + part[1:]} if number == 0 else {part}
        found = [p for form in forms for p in places(text, form) if p >= at and on_boundaries(text, p, p + len(part))]
        if not found:
            return False
        at = min(found) + len(part)
    return bool(parts)


def places(text: str, wanted: str) -> Iterator[int]:
    """Where `wanted` stands in a text, overlapping places too."""
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)
