"""Names above a table: which columns each stands over, by the ruling that is drawn below it, or else by its place."""

import math
from dataclasses import dataclass
from itertools import chain

from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row, distance
from ralph_cli.documents.pdf.geometry.tables import LABEL_INDENT, FigureTable, is_sign
from ralph_cli.documents.pdf.geometry.word import Ruling, Rulings
from ralph_cli.documents.structure.grids import is_time

_OFF_CENTRE, _NEAR_MIDDLE, _ALMOST, _LEVEL, _BLANK_LINE = 0.08, 0.25, 0.5, 0.75, 2.2
# A title is so many times as high as names are; the lines of a name are nearer to each other than so many heights,
# and the mark of a note is nearer to its name.
_LARGER, _TIGHT, _MARK_GAP = 1.1, 1.25, 0.3

# Points by which a ruling below names reaches over the edge of labels, and a name over its ruling, at most; the share
# of a column that a ruling reaches over, at least.
_REACH, _OUTSIDE, _COVERED = 3.0, 1.0, 0.3

# A cell: the first and last column that it stands in, 0 for labels and 1 for the first of figures; and its pieces.
Placed = tuple[int, int, Row]

_Span = tuple[int, int]
_NONE = (-1, -1)


@dataclass(eq=False, slots=True)
class _Name:
    """A name with its lines from the lowest to the highest, each with the number of its row.

    `span` is the first and last column that it stands over, as in a cell, or `_NONE`; `is_ruled`: its `ruling` says so,
    right below it. `text` is that of the lowest line.
    """

    left: float
    right: float
    text: str
    lines: list[tuple[int, Fragment]]
    span: _Span = _NONE
    ruling: Ruling | None = None
    is_ruled: bool = False

    @property
    def top(self) -> Fragment:
        """The highest line."""
        return self.lines[-1][1]

    def is_over(self, other: "Ruling | Fragment | _Name") -> bool:
        """Whether it stands, at least in part, over another one."""
        return self.left < other.right and self.right > other.left

    def is_flush(self, other: "_Name") -> bool:
        """Whether it has the left edge, the middle or the right edge of another one."""
        left, right = self.left - other.left, self.right - other.right
        return min(abs(left), abs(right), abs(left + right) / 2) < _LEVEL

    def is_aligned(self, below: "_Name") -> bool:
        """Whether it may be a line of the name below; what stands over a year or day is none."""
        return self.is_flush(below) and not is_time(below.text.split()[-1])


def find_heads(table: FigureTable, rulings: Rulings) -> list[list[Placed]]:
    """Of each row above a table what it says of its columns: each piece that stands over some, and what names labels.

    A name stands over the columns between the rulings beside it, or over those that the ruling right below it reaches
    over. Where there is none, it stands over those that it is nearest to, or in the middle of, and over names below it
    rather than over figures.
    """
    header = _Header(table, rulings)
    for name, at in [(name, at) for at, row in enumerate(header.rows) for name in row]:
        header.find_ruling(name, at)
    header.join_lines()
    header.place()
    found: list[list[Placed]] = [[] for _ in table.above]
    for name in header.placed:
        for at, line in name.lines if name.span != _NONE else ():
            found[at].append((*name.span, [line]))
    return [sorted(heads, key=lambda head: head[2][0].left) for heads in found]


class _Header:
    """The names above a table, by row; those that are `placed`, from top to bottom, make the rooms of columns wider."""

    def __init__(self, table: FigureTable, rulings: Rulings) -> None:
        columns, above = table.columns, table.above
        self._table = table
        top, foot = above[0][0].baseline if above else -math.inf, table.rows[0][0].baseline
        self._rulings = [it for it in rulings.across if foot < it.foot < top]
        self._walls = rulings.down
        self._rooms = [(min(column.left, column.sign), column.right) for column in columns]
        has_labels = any(not row[0].is_figure or row[0].right <= columns[0].left for row in table.rows)
        self._edge = min(table.label_edge, columns[0].left - 1) if has_labels else -math.inf
        beside = [it for it in chain.from_iterable(table.rows) if it.left > self._edge and not is_sign(it)]
        self._others = [it for it in beside if not any(column.holds(it) for column in columns)]
        self.rows = [self._read_names(row, at) for at, row in enumerate(above)]
        self.placed: list[_Name] = []

    def _read_names(self, row: Row, at: int) -> list[_Name]:
        """The names of a row, each with the mark of a note beside it."""
        names: list[_Name] = []
        for part in row:
            if names and self._edge < part.left < names[-1].right + _MARK_GAP * names[-1].top.height:
                names[-1].right = part.right
                names[-1].lines.insert(0, (at, part))
            else:
                names.append(_Name(part.left, part.right, part.text, [(at, part)]))
        return names

    def find_ruling(self, name: _Name, at: int) -> None:
        """Place a name over the columns between the rulings beside it, or over those that the ruling right below it
        reaches over, if it stands alone there."""
        if over := self._find_between(name, at) or self._find_reached(name, at):
            name.span, name.is_ruled = (over[0], over[-1]), True

    def _find_reached(self, name: _Name, at: int) -> list[int]:
        """The columns that the ruling right below a name reaches over."""
        ruling = next((it for it in self._rulings if it.foot < name.top.baseline and name.is_over(it)), None)
        others = [it for it in chain.from_iterable(self.rows[at:]) if it is not name]
        if ruling is None or any(it.is_over(ruling) and it.top.baseline > ruling.foot for it in others):
            return []
        name.ruling = ruling
        over = [at for at, (left, right) in enumerate(self._rooms, 1) if ruling.covers(left, right) > _COVERED]
        is_within = ruling.left < name.left + _OUTSIDE and name.right < ruling.right + _OUTSIDE
        level = [it for it in self._rulings if it.foot == ruling.foot and it.right > self._edge]
        is_one_of_several = len(over) == len(self.rows[at]) == 1 < len(level)
        return over if is_within and ruling.left > self._edge - _REACH and not is_one_of_several else []

    def _find_between(self, name: _Name, at: int) -> list[int]:
        """The columns between the rulings on both sides of a name that is alone there; the outer side may be open."""
        walls = [it.foot for it in self._walls if it.left < name.top.baseline < it.right]
        left = max((it for it in walls if it < name.left + _OUTSIDE), default=-math.inf)
        right = min((it for it in walls if it > name.right - _OUTSIDE), default=math.inf)
        others = (it for it in self.rows[at] if it is not name)
        if len(walls) < 2 or left < self._edge - _REACH or any(left < it.right and it.left < right for it in others):
            return []
        return [at for at, room in enumerate(self._rooms, 1) if left < sum(room) / 2 < right]

    def join_lines(self) -> None:
        """Make the lines of each name one, as wide as all of them, in the row of the lowest."""
        for at, row in reversed([*enumerate(self.rows)]):
            self.rows[at] = []
            for name in row:
                below = self._find_continued(name, at)
                if below is None:
                    self.rows[at].append(name)
                else:
                    below.left, below.right = min(below.left, name.left), max(below.right, name.right)
                    below.lines += name.lines

    def _find_continued(self, line: _Name, at: int) -> _Name | None:
        """The name of which this is another line: the only one right below it, if no ruling parts them."""
        below = [it for it in chain.from_iterable(self.rows[at + 1 :]) if it.is_over(line)]
        height, top = line.top.height, max((it.top.baseline for it in below), default=math.inf)
        near = [it for it in below if it.top.baseline > top - 0.5 * height]
        is_parted = any(top < it.foot < line.top.baseline and line.is_over(it) for it in self._rulings)
        if len(near) != 1 or is_parted or line.left <= self._edge or line.top.baseline - top > _TIGHT * height:
            return None
        is_wide = near[0].is_ruled and near[0].span[0] < near[0].span[1]
        return near[0] if line.is_aligned(near[0]) or (is_wide and line.is_flush(near[0])) else None

    def place(self) -> None:
        """Say of the names which columns they stand over, from the lowest row up to a title."""
        for at, row in reversed([*enumerate(self.rows)]):
            rows = {number for name in row for number, _ in name.lines}
            beside = [it for it in self.placed if it.span[0] and any(number in rows for number, _ in it.lines)]
            is_alone = len(self._table.above[at]) == len(row) == 1
            self._set_under(row, beside)
            is_named = any(it.span[0] > 0 for it in self.placed)
            is_title = is_alone and self._is_title(row[0])
            if is_named and (is_title or distance(self._table.above[at], self._table.above[at + 1]) > _BLANK_LINE):
                break
            if is_title:
                continue
            for name in row:
                self._widen(name, [*row, *beside], is_alone)
            for name in row:
                first, last = name.span
                if first == last > 0:
                    left, right = self._rooms[first - 1]
                    self._rooms[first - 1] = min(left, name.left), max(right, name.right)
            self.placed = [*row, *self.placed]

    def _set_under(self, row: list[_Name], beside: list[_Name]) -> None:
        """Place names over the columns that they are over, and nearer to than what stands `beside` them."""
        over = [it for it in row if it.left > self._edge]
        for name in (it for it in row if not it.is_ruled):
            name.span = self._find_span(name, over, beside)
        over = [it for it in over if it.span != _NONE or not any(map(it.is_over, self._others))]
        nowhere = [it for it in self.placed if it.span == _NONE]
        over = [it for it in over if not any(map(it.is_aligned, nowhere))]
        for name, span in zip(over, self._find_groups(over), strict=False):
            name.span = name.span if name.is_ruled else span

    def _find_span(self, name: _Name, over: list[_Name], beside: list[_Name]) -> _Span:
        if name.left <= self._edge:
            return (0, 0) if name.right <= self._table.columns[0].left else _NONE
        under = [at for at, (left, right) in enumerate(self._rooms, 1) if name.left < right and name.right > left]
        nearest = [at for at in under if self._nearest([*over, *beside], at) is name] or under
        return (nearest[0], nearest[-1]) if nearest else _NONE

    def _nearest(self, names: list[_Name], column: int) -> _Name:
        return min(names, key=lambda it: self._off_centre(it, column, column))

    def _find_groups(self, names: list[_Name]) -> list[_Span]:
        """A group of columns for each name, if names below them say the same of each group, or all are as many, and no
        name reaches over those of another; it may not be right above them."""
        count = len(self._rooms)
        said = [" ".join(it.text for it in self.placed if it.span == (at, at)) for at in range(1, count + 1)]
        again = [at for at, text in enumerate(said, 1) if text == said[0]] if all(said) else []
        for begins in (again, range(1, count + 1, max(count // max(len(names), 1), 1))):
            groups = [*zip(begins, [at - 1 for at in [*begins, count + 1][1:]], strict=True)]
            are_over = (self._may_be_over(*it) for it in zip(names, groups, strict=False))
            if len(groups) == len(names) > 1 and all(are_over):
                return groups
        return []

    def _may_be_over(self, name: _Name, group: _Span) -> bool:
        """Whether a name reaches over no columns but these, and is in the middle of them as well as of any of them."""
        first, last = group
        bounds = [(0.0, -math.inf), *self._rooms, (math.inf, 0.0)]
        own = min(self._off_centre(name, at, at) for at in range(first, last + 1))
        is_over = self._off_centre(name, first, last) <= 1 + own
        return bounds[first - 1][1] <= name.left and name.right <= bounds[last + 1][0] and is_over

    def _off_centre(self, name: _Name, first: int, last: int) -> float:
        """How far a name stands from the middle of columns."""
        return abs(name.left + name.right - self._rooms[first - 1][0] - self._rooms[last - 1][1]) / 2

    def _is_title(self, name: _Name) -> bool:
        """Whether a name by itself is one of the table: in larger type than names below, or in the middle of all of it
        rather than of its columns."""
        left, right = self._table.label_edge - LABEL_INDENT, self._table.columns[-1].right
        off = abs(name.left + name.right - left - right) / 2
        own = self._off_centre(name, *name.span) if name.span[0] > 0 else name.top.height
        largest = max((it.top.height for it in self.placed if it.span[0]), default=math.inf)
        return (off < own and not name.is_ruled) or name.top.height > _LARGER * largest

    def _widen(self, name: _Name, names: list[_Name], is_alone: bool) -> None:
        """Place a name also over columns beside it that no other stands over, if it is in their middle; by itself it
        may be in the middle of all columns of figures."""
        first, last = name.span
        if first < 1 or name.is_ruled:
            return
        over = {at for it in names for at in range(it.span[0], it.span[1] + 1)} | {0, len(self._rooms) + 1}
        low, high = max(at for at in over if at < first) + 1, min(at for at in over if at > last)
        spans = [(begin, end) for begin in range(low, first + 1) for end in range(last, high)]
        best = min(spans, key=lambda span: self._off_centre(name, *span))
        if self._off_centre(name, *best) < _ALMOST * self._off_centre(name, first, last):
            name.span = best
        figures = [at for at, column in enumerate(self._table.columns, 1) if not column.has_words]
        off = self._off_centre(name, figures[0], figures[-1])
        end = self._rooms[figures[-1] - 1]
        is_over_all = name.ruling and name.ruling.left < self._edge and name.ruling.covers(*end) > 0
        limit = (_NEAR_MIDDLE if is_over_all else _OFF_CENTRE) * (self._rooms[-1][1] - self._rooms[0][0])
        if is_alone and off < limit:
            name.span = figures[0], figures[-1]
