"""The text of one PDF page in reading lines, with a map from each character back to pdfium's character index.

One visual line per table row, cells two spaces apart. Raised and lowered figures are written as Unicode writes them.
"""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ralph_cli.documents.limits import Layout
from ralph_cli.documents.pdf.geometry.columns import blocks_in_order
from ralph_cli.documents.pdf.geometry.fragments import Fragment, read_fragments
from ralph_cli.documents.pdf.geometry.rows import Row, build_rows, reading_order, stream_rows
from ralph_cli.documents.pdf.geometry.words import LEVEL, RAISED, Word, page_characters, quarter_turns, read_words
from ralph_cli.text.raised import lower_figures, raise_figures

CELL_GAP = "  "
NOT_A_CHARACTER = -1
"""In a character map: this character was added by the layout (space, line end) and has no box."""

_HYPHEN_MARK = re.compile("[\x02\ufffe]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR_OR_CHARACTER = re.compile("[\ud800-\udbff][\udc00-\udfff]|(?s:.)")
_CURRENCY = re.compile(r"(?:US|C|A|HK)?[$\u20ac\u00a3\u00a5]$")


@dataclass(frozen=True, slots=True)
class PageLayout:
    """`text[i]` was drawn as pdfium's character `characters[i]`, or is `NOT_A_CHARACTER`."""

    text: str
    characters: "array[int]"


def lay_out(text_page: Any, layout: Layout = "auto") -> PageLayout:
    """Lay out one pypdfium2 text page.

    "visual" puts everything at one height on one line, "stream" keeps the order of the file, "auto" is visual in each
    column of text, one column after the other.
    """
    raw = text_page.raw
    source = page_characters(raw)
    words, turned = read_words(raw, source, quarter_turns(raw, source))
    fragments = read_fragments(words, source)
    writer = _Writer(source)
    for rows in _blocks(fragments, layout):
        for row in rows:
            writer.add_line(row)
    for fragment in read_fragments(turned, source):
        writer.add_line([fragment])
    return writer.finish()


def _blocks(fragments: list[Fragment], layout: Layout) -> list[list[Row]]:
    if layout == "auto":
        return blocks_in_order(fragments)
    return [stream_rows(fragments) if layout == "stream" else build_rows(fragments)]


class _Writer:
    """Writes rows as lines; the last line has no line end."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._parts: list[str] = []
        self._characters: array[int] = array("i")

    def finish(self) -> PageLayout:
        """The page that was written."""
        # pdfium marks a hyphen at a line end with U+0002 or U+FFFE; on the page it is a hyphen.
        return PageLayout(_HYPHEN_MARK.sub("-", "".join(self._parts)), self._characters)

    def add_line(self, row: Row) -> None:
        """A row, its cells apart."""
        if self._parts:
            self._add("\n")
        last: Fragment | None = None
        for fragment in reading_order(row) if any(fragment.is_right_to_left for fragment in row) else row:
            if last is not None:
                self._add(_gap(last, fragment))
            self._add_fragment(fragment)
            last = fragment

    def _add(self, separator: str) -> None:
        self._parts.append(separator)
        self._characters.extend([NOT_A_CHARACTER] * len(separator))

    def _add_fragment(self, fragment: Fragment) -> None:
        last: Word | None = None
        for word in fragment.words:
            if last is not None and not word.is_glued and not _touches(last, word, fragment.height):
                self._add(" ")
            text = self._source[word.start : word.end]
            if word.shift != LEVEL:
                text = raise_figures(text) if word.shift == RAISED else lower_figures(text)
            if _SURROGATE.search(text):
                for at, letter in _join_pairs(text):
                    self._parts.append(letter)
                    self._characters.append(word.start + at)
            else:
                self._parts.append(text)
                self._characters.extend(range(word.start, word.end))
            last = word


def _touches(left: Word, right: Word, height: float) -> bool:
    """Whether a raised or lowered figure stands at what is beside it, though pdfium has white space between them."""
    return (left.shift != LEVEL or right.shift != LEVEL) and right.left - left.right < 0.12 * height


def _join_pairs(text: str) -> Iterator[tuple[int, str]]:
    """Each letter with its place; the halves of a pair as one, and U+FFFD for a half that stands alone."""
    for match in _PAIR_OR_CHARACTER.finditer(text):
        pair = match.group().encode("utf-16-le", "surrogatepass")
        yield match.start(), pair.decode("utf-16-le", "replace")


def _gap(left: Fragment, right: Fragment) -> str:
    distance = max(right.left - left.right, left.left - right.right)
    if right.is_figure and _CURRENCY.match(left.text):
        return " "
    goes_on = right.order == left.order + 1 and not right.is_figure and not left.is_figure
    if distance > (1.0 if goes_on else 0.6) * right.height:
        return CELL_GAP
    return " " if distance > 0.1 * right.height else ""
