"""The cells of a table of figures, and the tables that they make at the places of a text."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from ralph_cli.core.structure import Column, Table
from ralph_cli.documents.pdf.geometry.boxed import BoxedTable
from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.heads import Placed, find_heads
from ralph_cli.documents.pdf.geometry.rows import Row, distance
from ralph_cli.documents.pdf.geometry.tables import CURRENCY, LABEL_INDENT, TAIL, FigureTable, is_text
from ralph_cli.documents.pdf.geometry.word import NO_RULINGS, Rulings
from ralph_cli.documents.structure.grids import GridCell, GridRow, make_tables

# Lines of one label are nearer than this share of the distance of rows; a label is set in by more than half this
# share of the height of type.
_NEAR_LINE, _LEAST_INDENT = 0.8, 0.5


def to_tables(
    table: FigureTable,
    text: str,
    place: Callable[[Fragment], tuple[int, int]],
    edge: float | None = 0.0,
    rulings: Rulings = NO_RULINGS,
) -> list[Table]:
    """A table of figures with its cells at the places of a text; the labels of its rows are the first column.

    The page begins at `edge` on the left; without one its columns have no room.
    """
    named, head = _find_named_rows(table, rulings)
    rows = [*named, *((row, cells) for row in table.rows if (cells := _find_cells(row, table)))]
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
    return make_tables(grid, columns if edge is not None else len(columns), head, 1)


def _find_named_rows(table: FigureTable, rulings: Rulings) -> tuple[list[tuple[Row, list[Placed]]], int]:
    """The rows above a table from the first on that names columns of figures, each with its cells, and how many of them
    name columns; or a label above the first of several groups."""
    heads = find_heads(table, rulings)
    figures = {number for number, column in enumerate(table.columns, 1) if not column.has_words}
    naming = [at for at, row in enumerate(heads) if any(not figures.isdisjoint(range(it[0], it[1] + 1)) for it in row)]
    first = naming[0] if naming else len(heads)
    if not naming and heads and any(len(row) == 1 and is_text(row[0]) for row in table.rows):
        first -= 1
    head = sum(bool(row) for row in heads[first : naming[-1] + 1]) if naming else 0
    return [it for it in zip(table.above[first:], heads[first:], strict=True) if it[1]], head


def box_tables(
    table: BoxedTable, text: str, place: Callable[[Fragment], tuple[int, int]], edge: float | None = 0.0
) -> list[Table]:
    """A table of boxes with its cells at the places of a text; what stands alone in a row heads a group for certain
    only if its box reaches over all columns. `edge` is as in `to_tables`."""
    grid = []
    for row in table.rows:
        places = [(place(it.lines[0][0])[0], place(it.lines[-1][-1])[1], it.left, it.right) for it in row.cells]
        made = [GridCell(text[start:end], start, end, left, right) for start, end, left, right in places]
        is_head = made[0].last - made[0].column == len(table.sides) - 2
        grid.append(GridRow(made[0].start, made[-1].end, made, row.indent, group=row.group, is_head=is_head))
    room = [
        Column(round(left - (edge or 0.0), 1), round(right - (edge or 0.0), 1)) for left, right in pairwise(table.sides)
    ]
    return make_tables(grid, room if edge is not None else len(room), table.header_rows, table.labels)


def _find_wrapped(rows: Sequence[tuple[Row, list[Placed]]]) -> list[bool]:
    """Of each row whether its label is the rest of that of the one above: they are of one size, and as near to each
    other as any two rows, which is clearly nearer than rows with figures are."""
    are_full = [cells[0][0] == 0 < cells[-1][0] for _, cells in rows]
    lines = pairwise(row for row, _ in rows)
    gaps = [distance(above, below) if _may_wrap(above[0], below[0]) else math.inf for above, below in lines]
    usual = sorted(gap for gap, pair in zip(gaps, pairwise(are_full), strict=True) if all(pair) and gap < math.inf)
    near = min(_NEAR_LINE * usual[len(usual) // 2], min(gaps) / _NEAR_LINE) if usual else 0.0
    return [False, *(gap < near for gap in gaps)]


def _may_wrap(above: Fragment, below: Fragment) -> bool:
    """Whether the size and left edge of a line allow that it goes on with the one above."""
    size = max(above.height, below.height)
    is_below = above.baseline - below.baseline > 0.5 * size and below.left > above.left - 0.2 * size
    return is_below and abs(above.height - below.height) < 0.05 * size


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
        is_label = not fragment.is_figure and fragment.left < table.columns[0].left - LABEL_INDENT
        if is_label or (not under and fragment.right <= table.columns[0].left):
            if found and found[-1][0] == 0:
                found[-1][2].append(fragment)
            else:
                found.append((0, 0, [fragment]))
        elif under:
            found.append((under[0], under[-1], [*waiting, fragment]))
        waiting = []
    return found
