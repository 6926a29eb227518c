"""Guest code: which places of a search are rows of tables, and which of them come first."""

import bisect
from typing import Any

from ralph_cli.documents.structure.sections import certain_headings
from ralph_cli.rlm.lookup.lines import _cut, _line_span, _lines_of, _Page, _page_at, _text
from ralph_cli.text.tables import (
    count_cells,
    first_line_above,
    has_columns,
    header_lines,
    is_label,
    is_labelled_figure,
    names_cells,
)

_Place = tuple[_Page, int, int, list[int]]  # its page, first character, end, the line beginnings of its hits

_BELOW_CHARS = 1_000
"""Characters below a label within which its row begins."""


def _row_of(line: int) -> int | None:
    """Where the row begins that the line at `line` is, or that it is the label of; None if it is no part of a table.

    A label stands on a line of its own above its figures, or above the rows of its group.
    """
    low, high = _line_span(line)
    text = _cut(low, high)
    if _is_row(text) or names_cells(text):
        return low
    below = _lines_of(high, min(high + _BELOW_CHARS, _page_at(line)[3]))[:1]
    first = _page_at(line)[2]
    above = _cut(first_line_above(_text(), first, low), low).rstrip("\n").rpartition("\n")[2]
    return below[0][0] if below and _is_row(below[0][1]) and is_label(text, above) else None


def _is_row(line: str) -> bool:
    return has_columns(line) or is_labelled_figure(line)


def _header_of(line: int) -> list[str]:
    """The lines further up on the page that name the columns, period and unit of the row at `line`, or below it if it
    is a label."""
    tables: list[Any] = globals().get("_column_names", [])
    at = bisect.bisect_right(tables, (line,)) - 1
    heads = tables[at][2] if at >= 0 and line < tables[at][1] else []
    named = [_cut(begin, end).strip() for begin, end in heads]
    row = _row_of(line)
    above = (
        []
        if row is None
        else header_lines(_cut(first_line_above(_text(), _page_at(line)[2], row), row), _cut(*_line_span(row)))
    )
    return [*(part for part in above if part not in named), *named]


def _rank_rows(places: list[_Place]) -> tuple[list[_Place], list[int]]:
    """The places in tables, and the pages of the others.

    First come those on pages that are nearly all table, and of these those that stand in fewest numbered parts: a
    statement stands before the notes on it. Then those of many cells.
    """
    rows = [(place, row) for place in places if (row := _row_of(place[3][0])) is not None]
    full: dict[int, bool] = {}
    for number, _, first, last in {place[0] for place, _ in rows}:
        on_page = [line for _, line in _lines_of(first, last)]
        full[number] = 2 * sum(has_columns(line) and count_cells(line) > 2 for line in on_page) > len(on_page)

    def rank(entry: tuple[_Place, int]) -> tuple[bool, int, int]:
        place, row = entry
        is_full = full[place[0][0]]
        return not is_full, len(_numbered_parts(row)) if is_full else 0, -count_cells(_cut(*_line_span(row)))

    found = [place for place, _ in rows]
    return [place for place, _ in sorted(rows, key=rank)], [place[0][0] for place in places if place not in found]


def _numbered_parts(offset: int) -> list[int]:
    """The headings, by number, that count on or are of an outline, under which a character stands for certain."""
    reaches: list[Any] = globals().get("_reaches", [])
    return [number for number in certain_headings(reaches, offset) if reaches[number][2]]
