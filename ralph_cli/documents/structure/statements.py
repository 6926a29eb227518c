"""What stands above tables and governs them: their titles, where they go on from, and in what they are given. Pure."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter

from ralph_cli.core.deferred import re
from ralph_cli.core.structure import Page, Statement, Table
from ralph_cli.text.quantities.currencies import currencies_named
from ralph_cli.text.scales import SCALE_STATEMENT, read_unit

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_LONGEST_TITLE, _LONGEST_GAP = 300, 3
_ENDS = (".", ";", ",", "!", "?")
_UNIT_ALONE = re.compile(r"[\s(\[]*(?:%|[A-Z]{3}|[$\u20ac\u00a3\u00a5])[\s)\]]*")
"""A cell of nothing but the sign or code of a currency, or of per cent."""

_SIGNED = re.compile(r"[(\s]*([$\u20ac\u00a3\u00a5])|.*\d[\s)]*(%)[\s)]*$")

_NEAR = 3.0
"""Points by which columns of a table may stand elsewhere on the next page."""


def complete_tables(text: str, pages: Sequence[Page], tables: Sequence[Table]) -> list[Table]:
    """The tables in order, each with its title, the table that it continues, and what states its scale and units."""
    found: list[Table] = []
    for table in tables:
        page = page_at(pages, table.start)
        last = found[-1] if found else None
        low = max(page.start, last.end if last else 0)
        if table.title < 0:
            table = table._replace(title=_find_title(text, low, table.start))
        if last and table.continues < 0 and not table.header_rows and _goes_on(text, page, last, table):
            table = table._replace(continues=last.start)
        before = next((one for one in reversed(found) if one.start == table.continues), None)
        stated = (*_find_statements(text, table), *_find_signs(text, table))
        if before and not any(it.row == it.column == -1 for it in stated):
            stated = (*(it for it in before.statements if it.row == it.column == -1), *stated)
        found.append(table._replace(statements=stated))
    return found


def page_at(pages: Sequence[Page], offset: int) -> Page:
    """The page that holds a character."""
    return pages[max(bisect_right(pages, offset, key=attrgetter("start")) - 1, 0)]


def _find_title(text: str, low: int, start: int) -> int:
    """Where the line directly above a table begins that is its title, or introduces it with a colon; -1 for none."""
    lines = list(_LINE.finditer(text, max(low, start - 4 * _LONGEST_TITLE), start))
    if not lines or text.count("\n", lines[-1].end(), start) > _LONGEST_GAP:
        return -1
    words = lines[-1][0].strip()
    is_title = len(words) <= _LONGEST_TITLE and not words.endswith(_ENDS)
    return lines[-1].start() if is_title or words.endswith(":") else -1


def _goes_on(text: str, page: Page, last: Table, table: Table) -> bool:
    """Whether a table without names of columns is the rest of one that ends a page before, or just above it: it has as
    many columns, at the same places."""
    between = text[last.end : table.start]
    is_placed = any(column.right for column in table.columns)
    if not is_placed or len(last.columns) != len(table.columns) or table.title >= 0 or between.count("\f") > 1:
        return False
    if "\f" not in between and between.strip():
        return False
    pairs = zip(last.columns[1:], table.columns[1:], strict=True)
    return all(abs(one.right - other.right) <= _NEAR for one, other in pairs)


def _find_statements(text: str, table: Table) -> Iterator[Statement]:
    """What states a scale, unit or currency: of the whole table, of columns by their names, of rows by their labels."""
    if table.title >= 0:
        for line in _LINE.finditer(text, table.title, table.start):
            if SCALE_STATEMENT.search(line[0]) or _is_unit(line[0]):
                yield Statement(line.start(), line.end())
    wide = len(table.columns) - 1
    for cell in table.cells:
        words = text[cell.start : cell.end]
        is_header, is_label = cell.row < table.header_rows, table.columns[cell.column].is_label
        if not (is_header or is_label) or not _states(words):
            continue
        if not is_header:
            yield Statement(cell.start, cell.end, row=cell.row)
        elif is_label or (cell.column == 0 and cell.last == wide):
            yield Statement(cell.start, cell.end)
        else:
            for column in range(cell.column, cell.last + 1):
                yield Statement(cell.start, cell.end, column=column)


def _is_unit(words: str) -> bool:
    """Whether words are nothing but a currency or per cent."""
    return bool(_UNIT_ALONE.fullmatch(words)) and ("%" in words or bool(currencies_named(words)))


def _find_signs(text: str, table: Table) -> Iterator[Statement]:
    """The first cells of columns with the sign of a currency or of per cent that cells below go without."""
    seen: set[int] = set()
    for cell in table.cells:
        if cell.row < table.header_rows or table.columns[cell.column].is_label or cell.column in seen:
            continue
        seen.add(cell.column)
        if _SIGNED.match(text[cell.start : cell.end]):
            yield Statement(cell.start, cell.end, column=cell.column)


def _states(words: str) -> bool:
    """Whether a name or label says in what its figures are given."""
    if SCALE_STATEMENT.search(words) or _is_unit(words):
        return True
    return words.rstrip(" *:").endswith(")") and (read_unit(words) is not None or bool(currencies_named(words)))
