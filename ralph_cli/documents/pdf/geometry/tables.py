"""Tables of figures: which rows make one, which columns it has, and what the rows above call them."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import chain, pairwise

from ralph_cli.core.structure import Column, Table
from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row
from ralph_cli.documents.structure.grids import GridCell, GridRow, is_date, is_time, make_tables

_SENTENCE_END = re.compile(r"(?:[.;]|[^\W\d_],)$")
_NOTE_MARK = re.compile(r"\(?\w{1,2}\)|\*+|[\u2020\u2021\u00a7]")
_BRACKETED_MARKS = re.compile(r"(?:\(\w{1,2}\))+")
_BULLETS = ("\u2022", "\u25aa", "\u25cf", "\u25e6", "\u25a0")
CURRENCY = re.compile(r"(?:US|C|A|HK)?[$\u20ac\u00a3\u00a5]$")
TAIL = re.compile(r"[)%]+$")
_LONG_PROSE, _NOTE_WORDS, _FEW_WORDS = 10, 6, 3
_FAR = 3.5
"""Rows further apart than this, in heights of type, belong to two tables."""

_LEAST_ROWS, _LEAST_SHARE = 3, 0.1
_MOST_HEADINGS = 20
_LABEL_INDENT = 30.0
_TOUCHING = 1.0
"""Points between two ranges of figures of one column."""

_MOST_LABEL_ROWS = 3
_OFF_CENTRE, _ALMOST, _LEVEL, _BLANK_LINE = 0.08, 0.5, 0.75, 2.2
_SMALL, _LARGER, _TIGHT = 0.9, 1.1, 1.25
"""A title is so many times as high as names are; the lines of a name are nearer to each other than so many heights."""

_NEAR_LINE, _LEAST_INDENT = 0.8, 0.5
"""Lines of one label are nearer than this share of the distance of rows; a label is set in by more than half this share
of the height of type."""


class _Kind(Enum):
    """What a row may be to a table."""

    DATA = auto()
    HEADING = auto()
    TEXT = auto()
    PROSE = auto()


@dataclass(slots=True)
class FigureColumn:
    """Figures under each other between `left` and `right`.

    Names stand in the middle of signs and figures; the column's currency signs begin at `sign`.
    `is_named`: something stands above this column and no other. `has_words`: its cells are no figures.
    """

    left: float
    right: float
    is_named: bool = False
    has_words: bool = False
    sign: float = math.inf

    def holds(self, fragment: Fragment) -> bool:
        """Whether the fragment stands, at least in part, in the room of the column."""
        return fragment.left < self.right and fragment.right > self.left

    def is_under(self, fragment: Fragment) -> bool:
        """Whether the fragment, in a row above, stands over the column or its signs."""
        return fragment.left < self.right and fragment.right > min(self.left, self.sign)


@dataclass(slots=True)
class FigureTable:
    """The rows of a table, what stands above them, and its columns from left to right.

    `first` is the index of the first row in its block; `label_edge` is where labels begin.
    """

    first: int
    rows: list[Row]
    above: list[Row]
    label_edge: float
    columns: list[FigureColumn]


def find_tables(rows: list[Row], least_rows: int = _LEAST_ROWS) -> list[FigureTable]:
    """The tables of a block: so many rows of figures under each other, in two columns or behind labels; of fewer rows
    those whose columns are all named."""
    if not any(len(row) > 1 and any(fragment.is_figure for fragment in row) for row in rows):
        return []
    if any(fragment.is_right_to_left for row in rows for fragment in row):
        return []
    for left, right in chain.from_iterable(map(pairwise, rows)):
        if right.height < _SMALL * left.height and right.baseline > left.baseline and _NOTE_MARK.fullmatch(right.text):
            right.is_figure = False  # the raised mark of a note
    edge = min(row[0].left for row in rows) + _LABEL_INDENT
    kinds = [_kind(row, edge) for row in rows]
    tables = []
    for first, end in _numeric_runs(rows, kinds):
        data = [rows[at] for at in range(first, end) if kinds[at] is _Kind.DATA]
        above = _rows_above(rows, kinds, first)
        columns = _figure_columns(data, min(least_rows, 2))
        _name_columns(rows[first:end], above, edge, columns)
        columns = [it for it in columns if it.is_named or not _has_only_marks(it, data)]
        if _is_numbered(data, edge, columns):
            above, data, first = [*above, rows[first]], data[1:], first + 1
        if len(data) < least_rows and not all(column.is_named for column in columns):
            continue
        is_labelled = all(_is_text(row[0]) for row in data) and len(data) >= min(least_rows, 2)
        if len(columns) > 1 or (columns and is_labelled):
            columns = sorted(columns + _word_columns(data, above, edge, columns), key=lambda column: column.left)
            tables.append(FigureTable(first, rows[first:end], above, edge, columns))
    return tables


def _has_only_marks(column: FigureColumn, rows: list[Row]) -> bool:
    """Whether a column has nothing but marks of notes, some of them several: "(2)(5)"."""
    texts = [it.text for row in rows for it in row if column.holds(it)]
    return all(map(_BRACKETED_MARKS.fullmatch, texts)) and any(text.count("(") > 1 for text in texts)


def _is_numbered(rows: list[Row], edge: float, columns: list[FigureColumn]) -> bool:
    """Whether the first row has whole numbers for names: each another, above all columns, where rows below have labels
    and nothing else names all columns."""
    names, *others = rows
    is_full = len(names) == len({it.text for it in names}) == len(columns)
    is_over = is_full and all(map(FigureColumn.is_under, columns, names)) and not all(it.is_named for it in columns)
    is_whole = is_over and all(it.text.isalnum() or not it.is_figure for it in names)
    return is_whole and len(others) > 2 and all(row[0].left <= edge and _is_text(row[0]) for row in others)


def _kind(row: Row, label_edge: float) -> _Kind:
    words = sum(part.left > label_edge and part.has_letters for part in row)
    figures = [part for part in row if part.is_figure and not (words > 1 and _NOTE_MARK.fullmatch(part.text))]
    if len(row) > 1 and _NOTE_MARK.fullmatch(row[0].text) and row[1].is_prose and len(row[1].words) > _NOTE_WORDS:
        return _Kind.PROSE
    if row[0].text in _BULLETS:
        return _Kind.PROSE
    if figures and not all(is_time(fragment.text) for fragment in figures):
        return _Kind.DATA if len(row) > 1 else _Kind.TEXT
    if any(fragment.is_prose and len(fragment.words) >= _LONG_PROSE for fragment in row):
        return _Kind.PROSE
    is_heading = (figures and row[-1].left > label_edge) or sum(part.left > label_edge for part in row) >= 2
    return _Kind.HEADING if is_heading and not row[0].text[:1].islower() else _Kind.TEXT


def _numeric_runs(rows: list[Row], kinds: list[_Kind]) -> Iterator[tuple[int, int]]:
    """Rows [first, end) that begin and end with figures, and that neither prose, headings nor a wide gap parts.

    A long label that ends before the figures of the row above is no prose, if it has not the lines of a paragraph.
    """
    first = last = -1
    for number, kind in enumerate(kinds):
        is_far = number > 0 and not 0 <= _distance(rows[number - 1], rows[number]) <= _FAR
        if first >= 0 and (
            is_far or kind is _Kind.HEADING or (kind is _Kind.PROSE and not _is_label(rows, last, number))
        ):
            yield first, last + 1
            first = -1
        if kind is _Kind.DATA:
            first, last = (number if first < 0 else first), number
    if first >= 0:
        yield first, last + 1


def _is_label(rows: list[Row], last: int, number: int) -> bool:
    """Whether a row, near enough below the last one with figures, stands to the left of all of these."""
    figures = (fragment.left for fragment in rows[last] if fragment.is_figure)
    is_left = rows[number][-1].right <= min(figures) and not rows[number][-1].text.endswith(".")
    return number - last <= _MOST_LABEL_ROWS and is_left


def _distance(above: Row, below: Row) -> float:
    return (above[0].baseline - below[0].baseline) / max(above[0].height, below[0].height)


def _figure_columns(rows: list[Row], least: int) -> list[FigureColumn]:
    """The x-ranges that so many figures share, at least; none if they run into each other."""
    figures = sorted(((it, at) for at, row in enumerate(rows) for it in row if it.is_figure), key=lambda it: it[0].left)
    columns: list[tuple[FigureColumn, set[int], int]] = []  # each with the rows in which it has figures, and how many
    for figure, at in figures:
        for number, (column, filled, count) in enumerate(columns):
            shared = min(column.right, figure.right) - max(column.left, figure.left)
            if shared > 0.3 * min(figure.right - figure.left, column.right - column.left):
                column.left, column.right = min(column.left, figure.left), max(column.right, figure.right)
                columns[number] = column, filled | {at}, count + 1
                break
        else:
            columns.append((FigureColumn(figure.left, figure.right), {at}, 1))
    columns.sort(key=lambda it: it[0].left)
    found: list[tuple[FigureColumn, set[int], int]] = []
    for column, filled, count in columns:
        # Amounts with a sign, or in brackets, may stand a little to one side of those without; never in one row.
        if found and column.left - found[-1][0].right < _TOUCHING and not filled & found[-1][1]:
            before, its_rows, its_count = found.pop()
            column = FigureColumn(before.left, max(before.right, column.right))
            filled, count = filled | its_rows, count + its_count
        found.append((column, filled, count))
    fewest = max(min(least, len(rows)), _LEAST_SHARE * len(rows))
    wide = [column for column, _, count in found if count >= fewest]
    if wide and all(map(_is_text, (row[0] for row in rows))):
        begin = wide[0]
        wide = wide[not any(begin.holds(part) for row in rows for part in row[1:]) :]  # years name rows, too
    is_clear = all(left.right <= right.left for left, right in pairwise(wide))
    return wide if is_clear else []


def _word_columns(rows: list[Row], above: list[Row], edge: float, columns: list[FigureColumn]) -> list[FigureColumn]:
    """The columns of words beside those of figures, if these have names: with a name, apart from all labels, and filled
    in half of the rows, or in three with times; half of them with a label."""
    if not all(column.is_named for column in columns):
        return []
    labels = max((row[0].right for row in rows if row[0].left <= edge), default=edge)
    beside = [part for row in rows for part in row if part.left > edge and not (part.is_figure or _is_sign(part))]
    found: list[tuple[FigureColumn, Row]] = []
    for part in sorted(beside, key=lambda part: part.left):
        if found and found[-1][0].holds(part):
            found[-1][0].right = max(found[-1][0].right, part.right)
            found[-1][1].append(part)
        elif part.left >= labels:
            found.append((FigureColumn(part.left, part.right, has_words=True), [part]))
    first, names = {id(row[0]) for row in rows}, [*chain.from_iterable(row for row in above if len(row) > 1)]
    return [
        column
        for column, parts in found
        if (2 * len(parts) >= len(rows) or (len(parts) >= _LEAST_ROWS and all(is_date(part.text) for part in parts)))
        and 2 * sum(id(part) in first for part in parts) <= len(parts)
        and not any(column.left < it.right and min(it.left, it.sign) < column.right for it in columns)
        and any(column.holds(part) and not any(it.holds(part) for it in columns) for part in names if part.left > edge)
    ]


def _is_sign(fragment: Fragment) -> bool:
    return bool(CURRENCY.match(fragment.text) or TAIL.match(fragment.text))


def _rows_above(rows: list[Row], kinds: list[_Kind], first: int) -> list[Row]:
    """The rows that may name the columns of a table which begins at `first`, from top to bottom: also above a long
    label, right below the names."""
    begin = first
    while begin > 0 and first - begin < _MOST_HEADINGS:
        is_label = begin == first and kinds[max(begin - 2, 0)] is _Kind.HEADING and _is_label(rows, first, begin - 1)
        is_label = is_label and not rows[begin - 1][0].text[:1].islower()
        is_end = kinds[begin - 1] is _Kind.DATA or (kinds[begin - 1] is _Kind.PROSE and not is_label)
        if is_end or _distance(rows[begin - 1], rows[begin]) > _FAR:
            break
        begin -= 1
    return rows[begin:first]


def _name_columns(rows: list[Row], above: list[Row], edge: float, columns: list[FigureColumn]) -> None:
    """Say of each column where its signs begin, and whether something stands above it and no other."""
    for sign, figure in chain.from_iterable(map(pairwise, rows)):
        column = next((column for column in columns if column.holds(figure)), None)
        if column and figure.is_figure and CURRENCY.match(sign.text):
            column.sign = min(column.sign, sign.left)
    for fragment in chain.from_iterable(above):
        under = [column for column in columns if column.is_under(fragment)] if fragment.left > edge else []
        if len(under) == 1:
            under[0].is_named = True


Placed = tuple[int, int, Row]
"""A cell: the first and last column that it stands in, 0 for labels and 1 for the first of figures; and its pieces."""


def to_tables(
    table: FigureTable, text: str, place: Callable[[Fragment], tuple[int, int]], edge: float | None = 0.0
) -> list[Table]:
    """A table of figures with its cells at the places of a text; the labels of its rows are the first column.

    The page begins at `edge` on the left; without one its columns have no room.
    """
    above = _behind_sentence(table)
    heads = _find_heads(table, above)
    figures = {number for number, column in enumerate(table.columns, 1) if not column.has_words}
    naming = [at for at, row in enumerate(heads) if any(not figures.isdisjoint(range(it[0], it[1] + 1)) for it in row)]
    first = naming[0] if naming else len(heads)
    if not naming and heads and heads[-1] and any(len(row) == 1 and _is_text(row[0]) for row in table.rows):
        first -= 1  # the first of several groups
    rows = [*zip(above[first:], heads[first:], strict=True), *((row, _find_cells(row, table)) for row in table.rows)]
    rows = [(row, cells) for row, cells in rows if cells]
    height = max(row[0].height for row, _ in rows)
    grid = []
    for (row, cells), goes_on in zip(rows, _find_wrapped(rows), strict=True):
        places = [(place(parts[0])[0], place(parts[-1])[1], column, last) for column, last, parts in cells]
        made = [GridCell(text[start:end], start, end, column, last) for start, end, column, last in places]
        grid.append(
            GridRow(made[0].start, made[-1].end, made, row[0].left / height / _LEAST_INDENT, goes_on=goes_on or None)
        )
    room = [(table.label_edge, table.columns[0].left), *((column.left, column.right) for column in table.columns)]
    begin = edge or 0.0
    columns = [Column(round(left - begin, 1), round(max(left, right) - begin, 1)) for left, right in room]
    head = sum(bool(heads[at]) for at in range(first, naming[-1] + 1)) if naming else 0
    return make_tables(grid, columns if edge is not None else len(columns), head, 1)


def _find_wrapped(rows: Sequence[tuple[Row, list[Placed]]]) -> list[bool]:
    """Of each row whether its label is the rest of that of the one above: they are of one size, and as near to each
    other as any two rows, which is clearly nearer than rows with figures are."""
    are_full = [cells[0][0] == 0 < cells[-1][0] for _, cells in rows]
    lines = pairwise(row for row, _ in rows)
    gaps = [_distance(above, below) if _may_wrap(above[0], below[0]) else math.inf for above, below in lines]
    usual = sorted(gap for gap, pair in zip(gaps, pairwise(are_full), strict=True) if all(pair) and gap < math.inf)
    near = min(_NEAR_LINE * usual[len(usual) // 2], min(gaps) / _NEAR_LINE) if usual else 0.0
    return [False, *(gap < near for gap in gaps)]


def _may_wrap(above: Fragment, below: Fragment) -> bool:
    """Whether the size and left edge of a line allow that it goes on with the one above."""
    size = max(above.height, below.height)
    is_below = above.baseline - below.baseline > 0.5 * size and below.left > above.left - 0.2 * size
    return is_below and abs(above.height - below.height) < 0.05 * size


def _is_text(fragment: Fragment) -> bool:
    return not fragment.is_figure or is_time(fragment.text)


def _behind_sentence(table: FigureTable) -> list[Row]:
    """Of the rows above a table those that may belong to it: behind the last one that ends or goes on a sentence, but
    for the lines of labels below its names."""
    last, rows = -1, table.above
    names = max((at for at, row in enumerate(rows) if len(row) > 1), default=len(rows))
    for at, row in enumerate(rows[:names]):
        is_end = len(row) == 1 and bool(_SENTENCE_END.search(row[-1].text)) and len(row[-1].words) > _FEW_WORDS
        goes_on = row[0].text[:1].islower() and row[0].is_prose and row[0].left <= table.label_edge
        last = at if is_end or goes_on else last
    return rows[last + 1 :]


def _find_cells(row: Row, table: FigureTable) -> list[Placed]:
    """The cells of a row of figures: its label, and what stands in the columns, signs with their figures."""
    found: list[Placed] = []
    waiting: Row = []
    for fragment in row:
        if CURRENCY.match(fragment.text):
            waiting.append(fragment)
            continue
        if TAIL.match(fragment.text) and found and found[-1][0]:
            found[-1][2].append(fragment)
            continue
        under = [number for number, column in enumerate(table.columns, 1) if column.holds(fragment)]
        is_label = not fragment.is_figure and fragment.left < table.columns[0].left - _LABEL_INDENT
        if is_label or (not under and fragment.right <= table.columns[0].left):
            if found and found[-1][0] == 0:
                found[-1][2].append(fragment)
            else:
                found.append((0, 0, [fragment]))
        elif under:
            found.append((under[0], under[-1], [*waiting, fragment]))
        waiting = []
    return found


def _find_heads(table: FigureTable, above: list[Row]) -> list[list[Placed]]:
    """Of each row above a table what it says of its columns: each piece that stands over some, and what names labels.

    A name may stand over a name below it rather than over figures, and goes on in lines. A single piece in the middle
    of the whole table, or in larger type than the names below it, is a title.
    """
    rooms = [(min(column.left, column.sign), column.right) for column in table.columns]
    left, right = table.label_edge - _LABEL_INDENT, table.columns[-1].right
    has_labels = any(not row[0].is_figure or row[0].right <= table.columns[0].left for row in table.rows)
    edge = min(table.label_edge, table.columns[0].left - 1) if has_labels else -math.inf
    figures = [number for number, column in enumerate(table.columns, 1) if not column.has_words]
    whole = figures[0], figures[-1]
    others = [part for part in chain.from_iterable(table.rows) if part.left > edge and not _is_sign(part)]
    others = [part for part in others if not any(column.holds(part) for column in table.columns)]
    names: list[Placed] = []  # those below, with the ones of what is no column
    found: list[list[Placed]] = [[] for _ in above]
    is_title = False
    joined, lines = _join_lines(above, edge, rooms)
    for at, row in reversed(list(enumerate(joined))):
        is_alone = len(above[at]) == len(row) == 1
        is_named = any(column > 0 for column, _, _ in names)
        if is_named:
            is_title |= is_alone and row[0].height > _LARGER * max(it[0].height for n, _, it in names if n)
            if is_title or _distance(above[at], above[at + 1]) > _BLANK_LINE:
                break
        heads: list[Placed] = []
        taken = [it for part in row for number, _ in lines[id(part)] for it in found[number] if it[0]]
        for fragment, under in zip(row, _find_under(row, rooms, edge, others, names, taken), strict=True):
            off = abs(fragment.left + fragment.right - left - right) / 2
            if fragment.left <= edge or not under:
                is_label = fragment.right <= table.columns[0].left and fragment.left <= edge
                is_title |= is_named and is_alone and not is_label and off < fragment.height
                heads.append((0, 0, [fragment]) if is_label else (-1, -1, [fragment]))
            elif is_alone and fragment.left < rooms[0][0] and off < _off_centre([fragment], rooms, under[0], under[-1]):
                is_title = is_named
            else:
                heads.append((under[0], under[-1], [fragment]))
        wide = [_widen(it, [*heads, *taken], rooms, names) for it in heads]
        clash = {it for pair in pairwise(it for it in wide if it[0] > 0) if pair[0][1] >= pair[1][0] for it in pair}
        heads = [it if span in clash else (*span, it[2]) for span, it in zip(wide, heads, strict=True)]
        if is_alone and heads and heads[0][0] > 0 and len(rooms) > 1:
            # A name by itself in the middle of all columns of figures stands over all of them.
            apart, own = _off_centre(row, rooms, *whole), _off_centre(row, rooms, *heads[0][:2])
            is_even = heads[0][0] < heads[0][1] and heads[0][0] - whole[0] == whole[1] - heads[0][1]
            is_own = own + 1 < apart and not is_even and _is_own(heads[0], names, rooms)
            if apart < _OFF_CENTRE * (rooms[-1][1] - rooms[0][0]) and not is_own:
                heads = [(*whole, row)]
        for first, last, parts in heads:
            if first == last > 0:
                rooms[first - 1] = (min(rooms[first - 1][0], parts[0].left), max(rooms[first - 1][1], parts[-1].right))
            for number, part in lines[id(parts[0])] if first >= 0 else ():
                found[number].append((first, last, [part]))
        names = [*heads, *names]
    return [sorted(heads, key=lambda head: head[2][0].left) for heads in found]


def _join_lines(
    above: list[Row], edge: float, rooms: Sequence[tuple[float, float]]
) -> tuple[list[Row], dict[int, list[tuple[int, Fragment]]]]:
    """The names of each row, as wide as all of their lines, in the row of the last of these; and their lines by name,
    each with the number of its row."""
    joined: list[Row] = []
    lines: dict[int, list[tuple[int, Fragment]]] = {}
    for at, row in reversed(list(enumerate(above))):
        names: Row = []
        for part in row:
            below = [it for it in chain.from_iterable(joined) if _holds((part.left, part.right), it)]
            tops = [(lines[id(it)][-1][1].baseline, it) for it in below if part.left > edge]
            near = [it for top, it in tops if top > max(top for top, _ in tops) - 0.5 * part.height] if tops else []
            last = lines[id(near[0])][-1][1] if len(near) == 1 else part
            is_tight = 0 < part.baseline - last.baseline < _TIGHT * part.height
            if is_tight and _is_aligned(part, last) and (len(row) > 1 or _fits(part, near[0], rooms)):
                near[0].left, near[0].right = min(near[0].left, part.left), max(near[0].right, part.right)
                lines[id(near[0])].append((at, part))
            else:
                names.append(replace(part))
                lines[id(names[-1])] = [(at, part)]
        joined.insert(0, names)
    return joined, lines


def _fits(line: Fragment, name: Fragment, rooms: Sequence[tuple[float, float]]) -> bool:
    """Whether a line comes near to no more columns than the name below it, as one does that its column made narrow,
    or is flush with it."""
    between = [-math.inf, *((left[1] + right[0]) / 2 for left, right in pairwise(rooms)), math.inf]
    line_near, name_near = (sum(_holds(room, it) for room in pairwise(between)) for it in (line, name))
    return line_near <= name_near or min(abs(line.left - name.left), abs(line.right - name.right)) < _LEVEL


def _find_under(
    row: Row, rooms: Sequence[tuple[float, float]], edge: float, others: Row, names: list[Placed], taken: list[Placed]
) -> Iterator[Sequence[int]]:
    """The columns below each piece of a row of names: those that it is over, and nearer to than what stands beside it.

    Where each has as many, in order, and none reaches over those of another, they need not stand right below it; of
    several it is in the middle, or flush with groups of columns that say their names again. Pieces over `others`, which
    stand in no column, name none.
    """
    over = [it for it in row if it.left > edge]
    beside = over + [it[2][0] for it in taken]
    under = {id(it): [n for n, room in enumerate(rooms, 1) if _holds(room, it)] for it in over}
    for it in over:
        nearest = [n for n in under[id(it)] if min(beside, key=lambda part: _off_centre([part], rooms, n, n)) is it]
        under[id(it)] = nearest or under[id(it)]
    over = [it for it in over if under[id(it)] or not any(_holds((part.left, part.right), it) for part in others)]
    over = [it for it in over if not any(_is_aligned(it, part) for column, _, (part, *_) in names if column < 0)]
    bounds = [(0.0, -math.inf), *rooms, (math.inf, 0.0)]

    def is_over(it: Fragment, first: int, last: int) -> bool:
        off = _off_centre([it], rooms, first, last)
        is_apart = bounds[first - 1][1] <= it.left and it.right <= bounds[last + 1][0]
        if begins is again:
            return is_apart and (off < it.height or _is_own((first, last, [it]), names, rooms))
        own = min(_off_centre([it], rooms, n, n) for n in range(first, last + 1))
        return is_apart and (first == last or off <= 1 + own)

    each = len(rooms) // max(len(over), 1)
    said = [" ".join(it[2][0].text for it in names if it[0] == it[1] == n) for n in range(1, len(rooms) + 1)]
    again = [n for n, name in enumerate(said, 1) if n == 1 or name == said[0]] if all(said) and not taken else []
    for begins in (again, range(1, len(rooms) + 1, max(each, 1))):
        groups = [*zip(begins, [n - 1 for n in [*begins, len(rooms) + 1][1:]], strict=True)]
        if len(groups) == len(over) > 1 and all(map(is_over, over, *zip(*groups, strict=True))):
            under |= {id(it): [*range(first, last + 1)] for it, (first, last) in zip(over, groups, strict=True)}
            break
    for it in row:
        at = sum(right <= it.left for _, right in rooms)
        is_between = it in over and not under[id(it)] and 0 < at < len(rooms) and all(said[at - 1 : at + 1])
        is_between = is_between and _off_centre([it], rooms, at, at + 1) < _ALMOST * it.height
        yield (at, at + 1) if is_between else under.get(id(it), ())


def _holds(room: tuple[float, float], part: Fragment) -> bool:
    return part.left < room[1] and part.right > room[0]


def _off_centre(parts: Row, rooms: Sequence[tuple[float, float]], first: int, last: int) -> float:
    """How far a name stands from the middle of columns."""
    return abs(parts[0].left + parts[-1].right - rooms[first - 1][0] - rooms[last - 1][1]) / 2


def _is_aligned(name: Fragment, below: Fragment) -> bool:
    """Whether a name has the left edge, the middle or the right edge of the one below it, and so is a line of it; what
    stands over a year or day is none."""
    left, right = name.left - below.left, name.right - below.right
    return not is_time(below.text.split()[-1]) and min(abs(left), abs(right), abs(left + right) / 2) < _LEVEL


def _is_own(head: Placed, names: list[Placed], rooms: Sequence[tuple[float, float]]) -> bool:
    """Whether a name over one column stands on the name of it below, or one over several is flush with theirs."""
    first, last, (name, *_) = head
    left, right = ([it[2][0] for it in names if it[0] == it[1] == at] for at in (first, last))
    if not (left and right) or (first == last and any(is_time(it.text) for it in left)):
        return False
    if first == last:
        return _is_aligned(name, left[0]) and _fits(name, left[0], rooms)
    flush = [*(name.left - it.left for it in left), *(name.right - it.right for it in right)]
    return min(map(abs, flush)) < _LEVEL


def _widen(head: Placed, heads: list[Placed], rooms: list[tuple[float, float]], names: list[Placed]) -> tuple[int, int]:
    """The columns of a head of a row: also those beside it without a head, if it is in their middle; and all those of
    names below that it is over in part, as far as it stays in the middle."""
    first, last, parts = head
    over = {column for begin, end, _ in heads for column in range(begin, end + 1)} | {0, len(rooms) + 1}
    if first < 1 or _is_own(head, names, rooms):
        return first, last
    low = max(column for column in over if column < first) + 1
    high = min(column for column in over if column > last)
    spans = [(begin, end) for begin in range(low, first + 1) for end in range(last, high)]
    best = min(spans, key=lambda span: _off_centre(parts, rooms, *span))
    is_better = _off_centre(parts, rooms, *best) < _ALMOST * _off_centre(parts, rooms, first, last)
    first, last = best if is_better else (first, last)
    parted = [it for it in names if it[0] <= last and it[1] >= first > 0 < it[0]] if first < last else []
    whole = min([first, *(it[0] for it in parted)]), max([last, *(it[1] for it in parted)])
    is_middle = low <= whole[0] and whole[1] < high and _off_centre(parts, rooms, *whole) < _ALMOST * parts[0].height
    return whole if is_middle else (first, last)
