"""The text of one PDF page in reading lines, with a map from each character back to pdfium's character index.

Each table row is one line, with two spaces between cells. An empty cell is marked if it is certain to be one. Raised
and lowered figures are written with Unicode's characters for them.
"""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ralph_cli.core.structure import EMPTY_CELL, Table
from ralph_cli.documents.limits import Layout
from ralph_cli.documents.pdf.geometry.boxed import (
    BoxedTable,
    BoxRow,
    find_boxed_tables,
    place_tables,
    read_around,
    separate,
)
from ralph_cli.documents.pdf.geometry.cells import box_tables, to_tables
from ralph_cli.documents.pdf.geometry.codes import read_codes, read_symbols
from ralph_cli.documents.pdf.geometry.columns import blocks_in_order
from ralph_cli.documents.pdf.geometry.empty_cells import find_empty_cells
from ralph_cli.documents.pdf.geometry.fragments import Fragment, read_fragments, shift_beside
from ralph_cli.documents.pdf.geometry.rows import Row, build_rows, reading_order, stream_rows
from ralph_cli.documents.pdf.geometry.rulings import read_rulings
from ralph_cli.documents.pdf.geometry.tables import CURRENCY, FigureTable, find_tables
from ralph_cli.documents.pdf.geometry.word import LEVEL, NO_RULINGS, RAISED, Rulings, Word
from ralph_cli.documents.pdf.geometry.words import (
    DOWNWARD,
    is_bold,
    page_characters,
    quarter_turns,
    read_words,
    runs_down,
)
from ralph_cli.text.raised import lower_figures, raise_figures

CELL_GAP = "  "
# In a character map: the layout added this character (space, line end, empty cell), so it has no box.
NOT_A_CHARACTER = -1

_HYPHEN_MARK = re.compile("[\x02\ufffe]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR_OR_CHARACTER = re.compile("[\ud800-\udbff][\udc00-\udfff]|(?s:.)")


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The text of a page. `text[i]` was drawn as pdfium's character `characters[i]`, or is `NOT_A_CHARACTER`.

    `tables` are the tables in `text`; on a page with turned text their columns have no coordinates. `symbols` are the
    characters of symbol fonts: as the file names them, and as they appear. `is_vertical` is true if lines run from top
    to bottom.
    """

    text: str
    characters: "array[int]"
    tables: tuple[Table, ...] = ()
    symbols: tuple[str, str] = ("", "")
    is_vertical: bool = False


def lay_out(text_page: Any, layout: Layout = "auto") -> PageLayout:
    """Lay out one pypdfium2 text page.

    "visual" puts everything at one height on one line. "stream" keeps the order of the file. "auto" is visual within
    each column of text, one column after the other.
    """
    raw = text_page.raw
    named = page_characters(raw)
    source = read_symbols(raw, read_codes(raw, named))
    is_vertical = runs_down(raw, source)
    turns = DOWNWARD if is_vertical else quarter_turns(raw, source)
    words, turned = read_words(raw, source, turns)
    edge = None if turns else text_page.page.get_bbox()[0]
    rulings = read_rulings(text_page.page, turns) if words else NO_RULINGS
    page = write_words(words, source, layout, turned, edge, rulings, lambda place: is_bold(raw, place))
    return replace(page, symbols=_differing(named, source), is_vertical=is_vertical)


def write_words(
    words: list[Word],
    source: str,
    layout: Layout = "auto",
    turned: Sequence[Word] = (),
    edge: float | None = 0.0,
    rulings: Rulings = NO_RULINGS,
    is_bold: Callable[[int], bool] = lambda _: False,
) -> PageLayout:
    """Lay out the words of `source` by their positions; the `turned` words come last.

    The page begins at `edge` on the left; if `edge` is None, table columns get no coordinates. `is_bold` tells whether
    a character is bold.
    """
    boxed = find_boxed_tables(rulings, words, source, is_bold) if layout == "auto" else []
    writer = _Writer(source)
    tables: list[FigureTable] = []
    for box, rows in place_tables(boxed, _blocks(read_around(boxed, words, source), layout)):
        found = find_tables(rows) if layout != "stream" else []
        empty = {table.first + at: lefts for table in found for at, lefts in find_empty_cells(table).items()}
        for box_row in box.rows if box else ():
            writer.add_boxes(box_row)
        for number, row in enumerate(rows):
            writer.add_line(row, empty.get(number, ()))
        tables += found
    for fragment in read_fragments(list(turned), source):
        writer.add_line([fragment])
    return writer.finish(tables, boxed, edge, rulings)


def _differing(first: str, second: str) -> tuple[str, str]:
    """Return the characters at which two texts of the same length differ."""
    if first == second:
        return "", ""
    places = [place for place, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1]]
    return "".join(first[place] for place in places), "".join(second[place] for place in places)


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
        self._places: dict[int, tuple[int, int]] = {}

    def finish(
        self, tables: list[FigureTable], boxed: Sequence[BoxedTable], edge: float | None, rulings: Rulings
    ) -> PageLayout:
        """Return the page as written. `edge` is the left edge of the page, or None if its text is turned."""
        # pdfium marks a hyphen at a line end with U+0002 or U+FFFE; on the page it is a hyphen.
        text = _HYPHEN_MARK.sub("-", "".join(self._parts))

        def place(part: Fragment) -> tuple[int, int]:
            return self._places[id(part)]

        found = [made for table in tables for made in to_tables(table, text, place, edge, rulings)]
        found += (made for box in boxed for made in box_tables(box, text, place, edge))
        return PageLayout(text, self._characters, tuple(sorted(found)))

    def add_line(self, row: Row, empty: Sequence[float] = ()) -> None:
        """Write a row with its cells apart. Empty cells are marked at the horizontal positions `empty`, in points."""
        self._begin_line()
        self._add_pieces(row, empty)

    def _begin_line(self) -> None:
        if self._parts:
            self._add("\n")

    def add_boxes(self, row: BoxRow) -> None:
        """Write a row of boxes: the lines of each box, one box after the other, with empty boxes marked."""
        self._begin_line()
        begin = 0
        for cell in row.cells:
            self._add(CELL_GAP if begin else "")
            self._add((EMPTY_CELL + CELL_GAP) * sum(begin <= at < cell.left for at in row.empty))
            for number, line in enumerate(cell.lines):
                self._add(separate(cell, number))
                self._add_pieces(line)
            begin = cell.right + 1

    def _add_pieces(self, row: Row, empty: Sequence[float] = ()) -> None:
        for left, right in pairwise(row):
            shift_beside(left, right, self._source)
        last: Fragment | None = None
        waiting = sorted(empty, reverse=True)
        for fragment in reading_order(row) if any(fragment.is_right_to_left for fragment in row) else row:
            gap = _gap(last, fragment) if last is not None else ""
            while waiting and waiting[-1] < fragment.left:
                waiting.pop()
                self._add(CELL_GAP + EMPTY_CELL)
                gap = CELL_GAP
            self._add(gap)
            first = len(self._characters)
            self._add_fragment(fragment)
            self._places[id(fragment)] = first, len(self._characters)
            last = fragment

    def _add(self, separator: str) -> None:
        self._parts.append(separator)
        self._characters.extend([NOT_A_CHARACTER] * len(separator))

    def _add_fragment(self, fragment: Fragment) -> None:
        words, text = fragment.words, fragment.text
        is_plain = fragment.is_spaced and not fragment.is_uneven and text.count(" ") == len(words) - 1
        if is_plain and not _SURROGATE.search(text):
            first = len(self._characters) - words[0].start
            self._parts.append(text)
            self._characters.extend(range(words[0].start, words[-1].end))
            for word in words[:-1]:
                self._characters[first + word.end] = NOT_A_CHARACTER
            return
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
    """Whether a raised or lowered figure touches its neighbour, although pdfium puts white space between them."""
    return (left.shift != LEVEL or right.shift != LEVEL) and right.left - left.right < 0.12 * height


def _join_pairs(text: str) -> Iterator[tuple[int, str]]:
    """Yield each letter with its position. Surrogate pairs are joined; a single surrogate becomes U+FFFD."""
    for match in _PAIR_OR_CHARACTER.finditer(text):
        pair = match.group().encode("utf-16-le", "surrogatepass")
        yield match.start(), pair.decode("utf-16-le", "replace")


def _gap(left: Fragment, right: Fragment) -> str:
    distance = max(right.left - left.right, left.left - right.right)
    if right.is_figure and CURRENCY.match(left.text):
        return " "
    goes_on = right.order == left.order + 1 and (left.is_prose or not right.is_figure)
    if distance > (1.0 if goes_on else 0.6) * right.height:
        return CELL_GAP
    are_figures = left.text[-1:].isdigit() and right.text[:1].isdigit()
    # Labels in a chart may almost touch; the digits of one figure do.
    return " " if distance > (0.03 if are_figures else 0.1) * right.height else ""
