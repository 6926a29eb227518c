"""Guest code: which places of a search are rows of tables, and which of them come first."""

import bisect
import re
from typing import Any

from ralph_cli.documents.structure.sections import certain_headings
from ralph_cli.rlm.lookup.lines import _cut, _line_span, _lines_of, _Page

_Place = tuple[_Page, int, int, list[int]]  # its page, first character, end, the line beginnings of its hits

# Where its title begins, where it ends, its first row below the header; the lines that govern it; its groups.
_Table = tuple[int, int, int, list[tuple[int, int]], dict[int, int]]


def _table_at(offset: int) -> _Table | None:
    """The innermost table that holds a character in its rows or its title."""
    tables: list[_Table] = globals().get("_tables", [])
    at = bisect.bisect_right(tables, offset, key=lambda table: table[0]) - 1
    return tables[at] if at >= 0 and offset < tables[at][1] else None


def _row_of(line: int) -> int | None:
    """Where the row of a table begins that the line at `line` is; None if it is no part of a table."""
    table = _table_at(line)
    heads = table[3] if table else []
    is_part = table is not None and (line >= table[2] or any(begin <= line < end for begin, end in heads))
    return _line_span(line)[0] if is_part else None


def _header_of(line: int) -> list[str]:
    """The lines further up that name the columns, groups, period and unit of the row at `line`."""
    table = _table_at(line)
    if table is None or line < table[2]:
        return []
    above = [_cut(begin, end).strip() for begin, end in table[3]]
    groups: list[str] = []
    while line in table[4]:
        line = table[4][line]
        groups.insert(0, _cut(*_line_span(line)).strip())
    return [part for part in (*above, *groups) if part]


def _count_cells(line: str) -> int:
    return len(re.split(r"(?: {2,}|\t|\s*\|\s*)+", line.strip(" \t|")))


def _rank_rows(places: list[_Place]) -> tuple[list[_Place], list[int]]:
    """The places in tables, and the pages of the others.

    First come those on pages that are nearly all table, and of these those in the fewest numbered parts: a
    statement comes before its notes. Then those of many cells.
    """
    rows = [(place, row) for place in places if (row := _row_of(place[3][0])) is not None]
    full: dict[int, bool] = {}
    for number, _, first, last in {place[0] for place, _ in rows}:
        on_page = _lines_of(first, last)
        full[number] = 2 * sum(_row_of(at) is not None and _count_cells(it) > 2 for at, it in on_page) > len(on_page)

    def rank(entry: tuple[_Place, int]) -> tuple[bool, int, int]:
        place, row = entry
        is_full = full[place[0][0]]
        return not is_full, len(_numbered_parts(row)) if is_full else 0, -_count_cells(_cut(*_line_span(row)))

    found = [place for place, _ in rows]
    return [place for place, _ in sorted(rows, key=rank)], [place[0][0] for place in places if place not in found]


def _numbered_parts(offset: int) -> list[int]:
    """The headings, by number, that count on or are of an outline, that certainly apply to a character."""
    reaches: list[Any] = globals().get("_reaches", [])
    return [number for number in certain_headings(reaches, offset) if reaches[number][2]]
