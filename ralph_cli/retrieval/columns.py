"""Rows of tables whose figures do not stand under the first columns: a row of text alone does not show it."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile

from ralph_cli.core.document import Cell, Document, Table
from ralph_cli.text.tables import EMPTY_CELL

_HEADER_CHARS = 60
_LEAST_SAME = 3
"""Words that the names of two columns must share for them to be left out the second time."""

_MOST_FIGURES = 12
_PARTING = frozenset(",;|\t")


def describe_sparse_rows(document: Document) -> dict[int, str]:
    """By the offset at which its line begins, under which headers the figures of such a row stand.

    Rows are left out whose empty cells are marked in the text or parted by signs, as in csv, and those with a figure
    under a column that nothing names: half a description would mislead.
    """
    found: dict[int, str] = {}
    for table in document.tables:
        named = [number for number, column in enumerate(table.columns) if column.header]
        for line, cells in _rows(document.text, table).items():
            columns = [cell.column for cell in cells]
            is_told = set(columns) <= set(named) and columns != named[: len(columns)]
            if is_told and len(cells) <= _MOST_FIGURES:
                found[line] = _describe(document.text, cells, table)
    return found


def _rows(text: str, table: Table) -> dict[int, list[Cell]]:
    """The filled cells of each line of a table whose empty cells are not marked."""
    rows: dict[int, list[Cell]] = defaultdict(list)
    for cell in table.cells:
        rows[max(text.rfind("\n", 0, cell.start), text.rfind("\f", 0, cell.start)) + 1].append(cell)
    return {line: cells for line, cells in rows.items() if not _shows_empty_cells(text, line, cells)}


def _shows_empty_cells(text: str, line: int, cells: list[Cell]) -> bool:
    """Whether a row's empty cells are marked, or all its cells have signs between them."""
    if EMPTY_CELL in text[line : cells[-1].end]:
        return True
    before = (text[line : cell.start].rstrip(' "')[-1:] for cell in cells)
    return all(sign in _PARTING or not sign for sign in before) and cells[-1].start > line


def _describe(text: str, cells: Sequence[Cell], table: Table) -> str:
    """The figures of a row with their columns: what a name begins with as the one before it is not said again."""
    told: list[str] = []
    before: list[str] = []
    for cell in cells:
        words = table.columns[cell.column].header.split()
        while len(" ".join(words)) > _HEADER_CHARS and len(words) > 1:
            words = words[1:]
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, words[:-1], strict=False)))
        name = " ".join(["\u2026", *words[same:]] if same >= _LEAST_SAME and words != before else words)
        figure = " ".join(text[cell.start : cell.end].split())
        told.append(f"{figure} {'' if told else 'stands '}under \u201c{name}\u201d")
        before = words
    return "; ".join(told)
