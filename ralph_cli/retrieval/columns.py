"""Rows of tables whose figures do not stand under the first columns: a row of text alone does not show it."""

from collections.abc import Sequence
from itertools import takewhile

from ralph_cli.core.document import Document
from ralph_cli.core.structure import EMPTY_CELL, Cell

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
        names = [document.column_path(table, column) for column in range(len(table.columns))]
        named = [at for at, name in enumerate(names) if name and not table.columns[at].is_label]
        for number in range(table.header_rows, len(table.rows)):
            all_cells = table.cells_of(number)
            cells = [cell for cell in all_cells if not table.columns[cell.column].is_label]
            if not cells or len(cells) > _MOST_FIGURES or any(cell.last != cell.column for cell in cells):
                continue
            columns = [cell.column for cell in cells]
            is_told = set(columns) <= set(named) and columns != named[: len(columns)]
            line = _line_start(document.text, table.rows[number].start)
            if is_told and not _shows_empty_cells(document.text, line, all_cells):
                found[line] = _describe(document.text, cells, names)
    return found


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\f", 0, offset)) + 1


def _shows_empty_cells(text: str, line: int, cells: Sequence[Cell]) -> bool:
    """Whether a row's empty cells are marked, or all its cells have signs between them."""
    if EMPTY_CELL in text[line : cells[-1].end]:
        return True
    before = (text[line : cell.start].rstrip(' "')[-1:] for cell in cells)
    return all(sign in _PARTING or not sign for sign in before) and cells[-1].start > line


def _describe(text: str, cells: Sequence[Cell], names: Sequence[tuple[str, ...]]) -> str:
    """The figures of a row with their columns: what a name begins with as the one before it is not said again."""
    told: list[str] = []
    before: list[str] = []
    for cell in cells:
        words = " ".join(names[cell.column]).split()
        while len(" ".join(words)) > _HEADER_CHARS and len(words) > 1:
            words = words[1:]
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, words[:-1], strict=False)))
        name = " ".join(["\u2026", *words[same:]] if same >= _LEAST_SAME and words != before else words)
        figure = " ".join(text[cell.start : cell.end].split())
        told.append(f"{figure} {'' if told else 'stands '}under \u201c{name}\u201d")
        before = words
    return "; ".join(told)
