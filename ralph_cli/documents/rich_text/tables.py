"""The tables of an RTF file: rows whose cells end at given distances from the margin."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import field

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.page_text import PageText, join_lines
from ralph_cli.documents.rich_text.ink import Shade
from ralph_cli.documents.sight import CLIPPED, is_flat
from ralph_cli.documents.tables import MOST_COLUMNS, TableCell, TableRow, write_table

_NEAR = 60
"""Twentieths of a point by which edges may differ that are one."""


@dataclass(slots=True)
class CellForm:
    """Where a cell ends, and whether it goes on with the one before it or above it."""

    edge: int
    joins_left: bool = False
    joins_above: bool = False
    shade: Shade = field(default_factory=Shade)


@dataclass(slots=True)
class RowForm:
    """How a row is divided; `left` is where its first cell begins, `indent` how far its label is set in, in points."""

    left: int = 0
    indent: float = 0.0
    cells: list[CellForm] = field(default_factory=list)
    is_header: bool = False
    flag: str = ""
    shade: Shade = field(default_factory=lambda: Shade(is_sure=False))


@dataclass(slots=True)
class RtfTable:
    """The rows of a table while they are read."""

    rows: list[tuple[RowForm, list[PageText]]] = field(default_factory=list)

    def write(self) -> PageText:
        """Its text, and its columns in it; empty if nothing is in it."""
        edges = _distinct_edges(edge for form, _ in self.rows for edge in (form.left, *(c.edge for c in form.cells)))
        return write_table(
            [TableRow(_place(form, cells, edges), form.indent, form.is_header) for form, cells in self.rows]
        )


def why_cut(height: int | None) -> str:
    """Why nothing is seen in a row or line of so many twentieths of a point, less than 0 if it is kept; "" if it is."""
    return CLIPPED if height is not None and height < 0 and is_flat(-height / 20) else ""


def _distinct_edges(edges: Iterable[int]) -> list[int]:
    found: list[int] = []
    for edge in sorted(set(edges)):
        if not found or edge > found[-1] + _NEAR:
            found.append(edge)
    return found[: MOST_COLUMNS + 1]


def _place(form: RowForm, texts: list[PageText], edges: list[int]) -> list[TableCell]:
    """The cells of a row in the columns of its table."""
    cells: list[TableCell] = []
    shown = PageText()
    column = max(bisect_left(edges, form.left - _NEAR), 0)
    for at, text in enumerate(texts):
        shape = form.cells[at] if at < len(form.cells) else None
        end = bisect_left(edges, shape.edge - _NEAR) if shape else column + 1
        end = max(end, column + 1)
        if shape and shape.joins_left and cells:
            text = join_lines((shown, text))
            cells.append(cells.pop()._replace(end=end, content=text))
        else:
            cells.append(TableCell(column, end, text, bool(shape and shape.joins_above and not text)))
        column, shown = end, text
    return cells
