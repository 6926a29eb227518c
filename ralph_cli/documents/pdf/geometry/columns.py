"""Columns of text: gutters between them that no row crosses, and the blocks that they part a page into.

A gutter holds for a band of rows, not for the page: above it a heading may run over both columns, below it a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row, build_rows

_DEEPEST = 8
_LEAST_ROWS, _LEAST_EDGES, _MOST_GUTTERS = 4, 3, 16
_LEAST_INDENT = 20
_EDGE_REACH = 2.0
# Points: a gutter of that width is as sure as one can be.
_WIDE_GUTTER = 24


@dataclass(frozen=True, slots=True)
class _Band:
    """Rows [first, end) whose two sides, left and right of `gutter`, are read one after the other."""

    first: int
    end: int
    gutter: float
    score: float


class _Crossing(Enum):
    """What a row does to a gutter."""

    NONE = auto()
    LABEL_AND_FIGURE = auto()
    CROSSED = auto()


def blocks_in_order(fragments: list[Fragment]) -> list[list[Row]]:
    """The blocks of a page in the order in which they are read."""
    is_right_to_left = 2 * sum(fragment.is_right_to_left for fragment in fragments) > len(fragments)
    return list(_parted(fragments, is_right_to_left, 0))


def _parted(fragments: list[Fragment], is_right_to_left: bool, depth: int) -> Iterator[list[Row]]:
    rows = build_rows(fragments)
    band = _find_band(rows) if depth < _DEEPEST else None
    if band is None:
        yield rows
        return
    above, inside, below = (
        [fragment for row in part for fragment in row]
        for part in (rows[: band.first], rows[band.first : band.end], rows[band.end :])
    )
    yield from _parted(above, is_right_to_left, depth + 1)
    for side in reversed(_sides(inside, band.gutter)) if is_right_to_left else _sides(inside, band.gutter):
        yield from _parted(side, is_right_to_left, depth + 1)
    yield from _parted(below, is_right_to_left, depth + 1)


def _sides(fragments: list[Fragment], gutter: float) -> tuple[list[Fragment], list[Fragment]]:
    """The fragments left and right of a gutter."""
    left: list[Fragment] = []
    right: list[Fragment] = []
    for fragment in fragments:
        (right if fragment.left >= gutter - 0.5 else left).append(fragment)
    return left, right


def _find_band(rows: list[Row]) -> _Band | None:
    """The best run of rows that a gutter parts into two sides which read apart."""
    texts = sum(fragment.is_prose or fragment.has_letters for row in rows for fragment in row)
    if len(rows) < _LEAST_ROWS or texts < 2 * _LEAST_ROWS or all(len(row) < 2 for row in rows):
        return None
    best: _Band | None = None
    for gutter in _find_gutters(rows):
        for first, end in _free_runs(rows, gutter):
            band = _judge(rows, first, end, gutter)
            if band is not None and (best is None or band.score > best.score):
                best = band
    return best


def _find_gutters(rows: list[Row]) -> list[float]:
    """Left edges that several lines of text share, no more than a page has columns."""
    clusters: list[list[float]] = []
    for edge in sorted(fragment.left for row in rows for fragment in row if not fragment.is_figure):
        if clusters and edge - clusters[-1][-1] <= _EDGE_REACH and edge - clusters[-1][0] <= 2 * _EDGE_REACH:
            clusters[-1].append(edge)
        else:
            clusters.append([edge])
    leftmost = min(row[0].left for row in rows)
    shared = [edges for edges in clusters if len(edges) >= _LEAST_EDGES and edges[0] > leftmost + _LEAST_INDENT]
    return sorted(edges[0] for edges in sorted(shared, key=len)[-_MOST_GUTTERS:])


def _free_runs(rows: list[Row], gutter: float) -> Iterator[tuple[int, int]]:
    """Runs of at least four rows, as [first, end), that do not cross the gutter.

    One row of a label on the left and a figure on the right may be chance, two near each other are a table.
    """
    crossings = [_crossing(row, gutter) for row in rows]
    first = 0
    for number, crossing in enumerate([*crossings, _Crossing.CROSSED]):
        if crossing is _Crossing.NONE:
            continue
        if crossing is _Crossing.LABEL_AND_FIGURE and crossings[max(0, number - 2) : number + 3].count(crossing) < 2:
            continue
        if number - first >= _LEAST_ROWS:
            yield first, number
        first = number + 1


def _crossing(row: Row, gutter: float) -> _Crossing:
    split = 0
    for fragment in row:
        if fragment.left < gutter - 0.5:
            if fragment.right > gutter - 0.35 * fragment.height:
                return _Crossing.CROSSED
            split += 1
    if not 0 < split < len(row) or not row[-1].is_figure:
        return _Crossing.NONE
    left, right = row[:split], row[split:]
    if any(fragment.has_letters for fragment in right):
        return _Crossing.NONE
    if not any(fragment.has_letters or fragment.is_figure for fragment in left):
        return _Crossing.NONE
    if len(right) >= 2:
        return _Crossing.CROSSED
    is_cell = left[-1].is_figure or not any(fragment.is_prose for fragment in left)
    return _Crossing.LABEL_AND_FIGURE if is_cell else _Crossing.NONE


class _Side:
    """The lines on one side of a gutter, and what reads on in them."""

    def __init__(self, rows: list[Row], gutter: float, is_right: bool) -> None:
        parts = ([fragment for fragment in row if (fragment.left >= gutter - 0.5) == is_right] for row in rows)
        self.lines = [part for part in parts if part]
        self._left = min((line[0].left for line in self.lines), default=0.0)
        self.right = max((line[-1].right for line in self.lines), default=0.0)
        least = 3 if self.lines and self.right - self._left < 20 * self.lines[0][0].height else 4
        self.prose = [line for line in self.lines if _is_prose_line(line, least)]

    def is_filled(self) -> bool:
        """Whether it is text that is no running prose (references, lists): long lines without cells of figures."""
        count = len(self.lines)
        long = sum(line[-1].right - line[0].left > 0.5 * (self.right - self._left) for line in self.lines)
        letters = sum(any(fragment.has_letters for fragment in line) for line in self.lines)
        figures = sum(any(fragment.is_figure for fragment in line) for line in self.lines)
        return long >= 0.6 * count and letters >= 0.8 * count and figures <= 0.15 * count

    def continued(self) -> float:
        """Share of its prose lines that begin inside a sentence (or in a script without capitals)."""
        initials = [line[0].text[0] for line in self.prose]
        inside = sum(initial.isalpha() and not initial.isupper() for initial in initials)
        return inside / len(initials) if initials else 0.0

    def words_a_line(self) -> float:
        """How long its prose lines are."""
        return sum(len(fragment.words) for line in self.prose for fragment in line) / max(len(self.prose), 1)


def _is_prose_line(line: Row, least: int) -> bool:
    if len(line) > 1 and not any(fragment.is_prose for fragment in line):
        return False
    words = sum(len(fragment.words) for fragment in line)
    return words >= least and sum(fragment.initials for fragment in line) >= 0.65 * words


def _judge(rows: list[Row], first: int, end: int, gutter: float) -> _Band | None:
    """The rows as a band, scored by the lines of prose that the gutter parts; None if the sides do not read apart."""
    if end - first < _LEAST_ROWS:
        return None
    left, right = (_Side(rows[first:end], gutter, is_right) for is_right in (False, True))
    if not left.lines or not right.lines:
        return None
    lines = _parted_prose(left, right)
    if not lines:
        return None
    width = min((gutter - left.right) / _WIDE_GUTTER, 1.0)
    return _Band(first, end, gutter, lines * (1 + width))


def _parted_prose(left: _Side, right: _Side) -> int:
    """Lines of two columns of prose, or of prose beside filled text."""
    both = (left, right)
    counts = [len(side.prose) for side in both]
    continued = min(side.continued() for side in both)
    if all(len(side.prose) >= max(3, 0.35 * len(side.lines)) for side in both):
        is_wordy = min(side.words_a_line() for side in both) >= 6
        if continued >= 0.2 or (is_wordy and min(counts) >= 0.7 * max(len(side.lines) for side in both)):
            return sum(counts)
    for this, other in (both, both[::-1]):
        is_prose = len(this.prose) >= max(4, 0.35 * len(this.lines))
        is_text = len(other.lines) >= 10 and len(other.prose) >= max(3, 0.15 * len(other.lines))
        if is_prose and is_text and continued >= 0.15 and other.is_filled():
            return len(this.prose) + len(other.lines) // 2
    return 0
