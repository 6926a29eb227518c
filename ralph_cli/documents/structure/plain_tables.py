"""Tables in plain text: Markdown tables, cells aligned under each other, and rows with the same number of cells.

The text is laid out like a typewritten page, so that the rules for positions on a page find its tables.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, pairwise
from operator import attrgetter

from ralph_cli.core.structure import EMPTY_CELL, Page, Table
from ralph_cli.documents.pdf.geometry.cells import to_tables
from ralph_cli.documents.pdf.geometry.fragments import Fragment, read_fragments
from ralph_cli.documents.pdf.geometry.rows import Row
from ralph_cli.documents.pdf.geometry.tables import CURRENCY, find_tables
from ralph_cli.documents.pdf.geometry.word import Word
from ralph_cli.documents.structure.grids import GridCell, GridRow, is_time, make_tables

_WORD = re.compile(r"[^\s|\u2502]+")
_LINE = re.compile(r"[^\n]+")
_DELIMITER = re.compile(r"[ \t]*[|+]?[ \t]*:?[-=]+:?[ \t]*(?:[|+][ \t]*:?[-=]+:?[ \t]*)*[|+]?[ \t]*")
_PIPE = re.compile(r"(?<!\\)\|")
_BLANK = re.compile(r"\n[ \t]*(?=\n)")
_RULE = re.compile(r"[\s\-=_+|.\u2500-\u257f]*")
_RULERS, _RUN = re.compile(r"[ \t]*(?:[=-]{2,}[ \t+|]+)+[=-]{2,}[ \t]*"), re.compile(r"[=-]{2,}")
_MOST_NAMES = 3
_AMOUNT = r"(?:[$\u20ac\u00a3\u00a5] ?)?\(?[-\u2212]?\d(?:[\d,.]*\d)?[)%]*|[-\u2010-\u2015]"
_LAST_AMOUNTS = re.compile(rf"(?<![\d,] )(?<! {{2}})(?<!\t)(?<= )(?:(?:{_AMOUNT})(?: |$)){{2,}}$")
# Amounts at the end of a line with one space between them, and where each begins.
_AMOUNTS = re.compile(rf" (?={_AMOUNT})")

_CELLS = re.compile(r"\S(?:  |\t|\s?\u2502)\s*\S")
# Most lines between the rows of a table, and most characters in them, with an empty line before and after them.
_FEW_LINES, _LONG_LINE = 2, 75

# Columns from one stop of the tabulator to the next, and points: the width of a character, the height of type and of
# a line, as typewriters have them.
_TAB, _CHARACTER, _HEIGHT, _LINE_HEIGHT = 8, 5.0, 10.0, 12.0

# Points from one cell to the next, and the largest width of a cell, if only the number of cells is known.
_SLOT, _SLOT_WIDTH = 400.0, 200.0


def find_plain_tables(text: str, pages: Sequence[Page], taken: Sequence[Table] = ()) -> Iterator[Table]:
    """Yield the tables in the text of these pages, in order, outside of the tables already known (`taken`)."""
    starts = [table.start for table in taken]
    for page in pages:
        lines = [match.span() for match in _LINE.finditer(text, page.start, page.end)]
        before = ((line, bisect_left(starts, line[1])) for line in lines)
        free = [line for line, count in before if not count or taken[count - 1].end <= line[0]]
        marked = list(_find_markdown(text, free))
        yield from (table for table, _ in marked)
        inside = {line for _, lines in marked for line in lines}
        ruled = list(_find_ruled(text, [line for line in free if line not in inside]))
        yield from (table for table, _ in ruled)
        inside |= {line for _, lines in ruled for line in lines}
        for block in _split(text, [line for line in free if line not in inside]):
            yield from _find_typed(text, block)


def _find_markdown(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[tuple[Table, Sequence[tuple[int, int]]]]:
    """Yield the tables with bars between their cells, each with its lines.

    These are tables of Markdown (GitHub Flavored Markdown, 4.10), tables that databases print with rules of "+---+",
    and tables without rules whose rows all begin with a bar and have the same number of bars. A rule may also be above
    the names.
    """
    end = 0
    for at in range(len(lines)):
        if at < end or not _has_bars(text, lines[at]):
            continue
        end = at + 1
        while end < len(lines) and lines[end][0] == lines[end - 1][1] + 1 and _has_bars(text, lines[end]):
            end += 1
        begin, tables = _read_barred(text, lines[at:end])
        yield from ((table, lines[at + begin : end]) for table in tables)


def _read_barred(text: str, block: Sequence[tuple[int, int]]) -> tuple[int, list[Table]]:
    """Return the line with the column names, if a rule is below it, and the tables from there on.

    Between rules of "+" each line counts as a row only if every line has a first cell.
    """
    is_rule = [_DELIMITER.fullmatch(text, *it) is not None for it in block]
    begin = next((n for n in range(len(block) - 1) if is_rule[n + 1] and not is_rule[n]), -1)
    rows = [it for it, is_one in zip(block, is_rule, strict=True) if not is_one]
    if begin < 0 and not _are_barred(text, rows):
        return 0, []
    grid = [_read_pipes(text, *row) for row in rows if row >= block[max(begin, 0)]]
    if "+" in text[slice(*block[-1])] and any(not row.cells or row.cells[0].column for row in grid):
        return 0, []
    width = max((cell.last + 1 for row in grid for cell in row.cells), default=1)
    return max(begin, 0), make_tables(grid, width, (1 if grid[0].cells else 0) if begin >= 0 else None)


def _are_barred(text: str, lines: Sequence[tuple[int, int]]) -> bool:
    """Whether all lines begin with a bar and have the same number of bars, with two cells or more."""
    bars = {len(_PIPE.findall(text, *it)) for it in lines}
    return len(bars) == 1 < len(lines) and min(bars) > 2 and all(text[slice(*it)].lstrip()[:1] == "|" for it in lines)


def _has_bars(text: str, line: tuple[int, int]) -> bool:
    words = text[slice(*line)]
    return "|" in words or ("+" in words and _DELIMITER.fullmatch(words) is not None)


def _read_pipes(text: str, low: int, high: int) -> GridRow:
    """Return a row with bars between its cells."""
    bars = [match.start() for match in _PIPE.finditer(text, low, high)]
    first = text[low:high].lstrip().startswith("|")
    edges = [*([] if first else [low - 1]), *bars, high]
    cells: list[GridCell] = []
    indent = 0.0
    for column, (left, right) in enumerate(pairwise(edges)):
        inside = text[left + 1 : right]
        if words := inside.strip():
            start = left + 1 + inside.index(words)
            indent = indent if cells else float(inside.count("\u00a0", 0, inside.index(words)))
            cells.append(GridCell(words.strip("*_` ") or words, start, start + len(words), column, column))
    return GridRow(low, high, cells, indent)


def _find_ruled(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[tuple[Table, Sequence[tuple[int, int]]]]:
    """Yield the tables with columns shown by a line of rulers ("===== ==="), each with its lines.

    These are simple tables of reStructuredText and Pandoc, and tables that programs print. The names are between two
    ruler lines, or above the only one.
    """
    rulers = [n for n, line in enumerate(lines) if _RULERS.fullmatch(text, *line)]
    taken = 0
    for number, at in enumerate(rulers):
        if at < taken:
            continue
        columns = [match.start() - lines[at][0] for match in _RUN.finditer(text, *lines[at])]
        further = [*rulers, len(lines)][number + 1]
        is_framed = 1 < further - at <= _MOST_NAMES + 1 and _are_adjacent(lines[at : further + 1])
        names = [*range(at + 1, further)] if is_framed else _find_names(lines, at, taken)
        begin = end = (further if is_framed else at) + 1
        while end < len(lines) and end not in rulers and _are_adjacent(lines[end - 1 : end + 1]):
            end += 1
        grid = [_read_ruled(text, lines[row], columns) for row in (*names, *range(begin, end))]
        rows = [row for row in grid if row is not None]
        if names and end > begin and len(rows) == len(grid):
            taken = end + (end in rulers and _are_adjacent(lines[end - 1 : end + 1]))
            for table in make_tables(rows, len(columns), len(names)):
                yield table, lines[min(*names, at) : taken]


def _find_names(lines: Sequence[tuple[int, int]], at: int, taken: int) -> list[int]:
    """Return the lines right above line `at` that may name columns."""
    first = at
    while first > taken and at - first < _MOST_NAMES and _are_adjacent(lines[first - 1 : first + 1]):
        first -= 1
    return [*range(first, at)]


def _are_adjacent(lines: Sequence[tuple[int, int]]) -> bool:
    """Whether no empty line separates these lines."""
    return all(below[0] == above[1] + 1 for above, below in pairwise(lines))


def _read_ruled(text: str, line: tuple[int, int], columns: Sequence[int]) -> GridRow | None:
    """Return a row with cells at these positions of the line, the last of any length.

    Return None if words cross a position.
    """
    low, high = line
    edges = [low, *(low + at for at in columns[1:]), max(high, low + columns[-1])]
    if any(edge < high and not (text[edge - 1].isspace() or text[edge].isspace()) for edge in edges[1:-1]):
        return None
    cells = []
    for column, (left, right) in enumerate(pairwise(edges)):
        if words := text[left : min(right, high)].strip("| \t"):
            start = text.index(words, left)
            cells.append(GridCell(words, start, start + len(words), column, column))
    return GridRow(low, high, cells) if cells else None


def _split(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Yield blocks of lines that may belong to one table. Three or more empty lines separate two tables."""
    block: list[tuple[int, int]] = []
    for line in lines:
        if block and text.count("\n", block[-1][1], line[0]) > 3:
            yield block
            block = []
        if not _RULE.fullmatch(text, *line):
            block.append(line)
    if block:
        yield block


def _find_typed(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[Table]:
    """Yield the tables of lines with cells separated by gaps."""
    waiting: list[Row] = []
    number, at = 0, lines[0][0] if lines else 0
    for part in _paragraphs(text, lines):
        is_prose = len(part) > _FEW_LINES or any(high - low > _LONG_LINE for low, high in part)
        if is_prose and not any(_may_be_row(text[low:high]) for low, high in part):
            yield from _to_tables(text, waiting)
            waiting = []
            continue
        words: list[Word] = []
        for low, high in part:
            number, at = number + text.count("\n", at, low), low
            words += _lay_out(text, low, high, number)
        own = [list(row) for _, row in groupby(read_fragments(words, text), attrgetter("baseline"))]
        if _are_placed(own):
            waiting += own
            continue
        yield from _to_tables(text, waiting)
        waiting = []
        for rows in _split_by_count(own):
            _slot(rows)
            yield from _to_tables(text, rows)
    yield from _to_tables(text, waiting)


def _may_be_row(line: str) -> bool:
    """Whether a line has cells separated by wide gaps. Lines that fail this quick test are skipped."""
    return bool(_CELLS.search(line)) or bool(line[-1:] in "0123456789)%-\u2013\u2014" and _LAST_AMOUNTS.search(line))


def _split_by_count(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield parts of the rows in which all rows of figures have the same number of cells."""
    part: list[Row] = []
    count = 0
    for row in rows:
        own = len(row) if _is_data(row) else 0
        if own and count and own != count:
            yield part
            part, count = [], 0
        part.append(row)
        count = own or count
    if part:
        yield part


def _to_tables(text: str, rows: list[Row]) -> Iterator[Table]:
    for table in find_tables(rows, least_rows=1) if any(len(row) > 1 for row in rows) else ():
        yield from to_tables(table, text, _place, None)


def _paragraphs(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Yield the lines in parts separated by empty lines."""
    part: list[tuple[int, int]] = []
    for line in lines:
        if part and _BLANK.search(text, part[-1][1], line[0] + 1):
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _place(fragment: Fragment) -> tuple[int, int]:
    return fragment.words[0].start, fragment.words[-1].end


def _lay_out(text: str, low: int, high: int, number: int) -> list[Word]:
    """Return the words of line `number` with positions on a page.

    Amounts separated by single spaces at the end of the line are treated as separate cells.
    """
    amounts = _LAST_AMOUNTS.search(text[low:high])
    gaps = {match.start() for match in _AMOUNTS.finditer(text, low + amounts.start() - 1, high)} if amounts else set()
    words = []
    column, at, wide = 0, low, 0.0
    for match in _WORD.finditer(text, low, high):
        for sign in text[at : match.start()]:
            column += _TAB - column % _TAB + 1 if sign == "\t" else 1
        wide += _CHARACTER * 2 * (match.start() - 1 in gaps)
        left = column * _CHARACTER + wide
        column, at = column + len(match[0]), match.end()
        if match[0] != EMPTY_CELL:
            right = left + len(match[0]) * _CHARACTER
            words.append(Word(*match.span(), left, right, -number * _LINE_HEIGHT, _HEIGHT))
    for mark, figure in pairwise(words):
        if CURRENCY.match(text[mark.start : mark.end]) and text[figure.start] in "(0123456789-\u2013\u2014":
            mark.left, mark.right = figure.left - 2 * _CHARACTER, figure.left - _CHARACTER
    return words


def _is_data(row: Row) -> bool:
    return len(row) > 1 and any(piece.is_figure and not is_time(piece.text) for piece in row)


def _are_placed(rows: Sequence[Row]) -> bool:
    """Whether the positions of cells show their columns: figures are aligned, and names are above them."""
    data = [row for row in rows if _is_data(row)]
    columns = _find_columns(data)
    if len(columns) != max(map(len, data), default=0):
        return not data
    is_named, is_clear = False, True
    for row in rows:
        over = [[at for at, (left, right) in enumerate(columns) if it.left < right and left < it.right] for it in row]
        if len(row) == len(columns):
            if over != [[at] for at in range(len(row))]:
                return False
            is_named |= not _is_data(row)
        elif len(row) > 1 and not _is_data(row):
            behind = over[1:] if 0 in over[0] else over  # what names the labels stands over no figures
            is_clear &= all(behind) and not any(0 in it for it in behind)
            is_clear &= behind is over or {*chain.from_iterable(behind)} == {*range(1, len(columns))}
    return is_named or is_clear


def _find_columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the left and right edges of the columns of these rows."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted((piece.left, piece.right) for row in rows for piece in row):
        if columns and left < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    return columns


def _slot(rows: Sequence[Row]) -> None:
    """Align cells of rows that have the same number of them.

    Names above them get the same columns if there are as many, or fewer similar ones that divide the columns evenly.
    Other names get no certain column.
    """
    count = max((len(row) for row in rows if _is_data(row)), default=0)
    for row in (row for row in rows if len(row) == 1):
        row[0].right = min(row[0].right, _SLOT_WIDTH)
    has_labels = any(not row[0].is_figure for row in rows if _is_data(row))
    for row in (row for row in rows if len(row) > 1):
        are_alike = len({any(map(str.isdigit, piece.text)) for piece in row}) == 1
        if len(row) == count and not (has_labels and is_time(row[0].text)):
            _place_at(row, range(count), 1)
        elif len(row) == count - 1 or (len(row) < count and are_alike and (count - 1) % len(row) == 0):
            wide = (count - 1) // len(row)
            _place_at(row, range(1, count, wide), wide)
        else:
            for piece in row:
                piece.left, piece.right = -_SLOT, -_SLOT_WIDTH


def _place_at(row: Row, columns: Sequence[int], wide: int) -> None:
    for column, piece in zip(columns, row, strict=True):
        if column:
            piece.left = column * _SLOT
            piece.right = (column + wide - 1) * _SLOT + _SLOT_WIDTH
        else:
            piece.right = min(piece.right, _SLOT_WIDTH)
