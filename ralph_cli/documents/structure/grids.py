"""Make tables from rows of cells:

find the rows that name columns, the label cells, and the rows that head groups. Pure.

Every reader that knows rows and cells makes its tables here: from markup, positions on a page, or signs in a text.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise, takewhile
from operator import attrgetter
from typing import NamedTuple

from ralph_cli.core.structure import Cell, Column, Row, Table

_SIGNS = "$\u20ac\u00a3\u00a5\u20b9\u20a9"
_CURRENCY = f"[{_SIGNS}]"
_BEFORE = rf"[-+\u2212~<>\u2248\u00b1]?\s?(?:[A-Z]{{0,3}}{_CURRENCY}|[A-Z]{{3}})?\s?\(?[-+\u2212]?{_CURRENCY}?\s?"
_AMOUNT = rf"{_BEFORE}\d[\d.,\u2019'\u00a0\u202f ]*"
_BEHIND = rf"\s?(?:%|\u2030|pp|pts?|bps|[xX\u00d7]|{_CURRENCY}|[kKmMbB](?:n|io)?|[A-Z]{{3}})?\)?\s?%?"
_MARK = r"\s?(?:\(\w{1,2}\)|\[\w{1,2}\]|[*\u2020\u2021\u00a7]+|[\u00b9\u00b2\u00b3\u2070-\u2079\u207d\u207e]+)*"
_NIL = rf"{_CURRENCY}?\s?\(?[-\u2010-\u2015\u2212.]+\)?\s?%?|[nN]\.?/?[aAmM]\.?|NM|nm|\*+|\u2423"
# A span of figures in brackets, as written below an estimate.
INTERVAL = r"[\[{]<?[-\u2013\u2212]?\d[-\u2013\u2212\d,. ]*[\]}]"
_FIGURE = re.compile(rf"(?:{_AMOUNT}{_BEHIND}(?: ?\({_AMOUNT}{_BEHIND}\))?{_MARK}|{_NIL}|{INTERVAL})")
# From one amount to another, perhaps with a unit.
_RANGE = re.compile(rf"{_AMOUNT}{_BEHIND}(?: ?[-\u2010-\u2015] ?| [a-z]{{1,3}} ){_AMOUNT}{_BEHIND}(?: [^\W\d_]+)?")

# The words of a cell that end in a day without a year, perhaps before what is in brackets.
_DAY = re.compile(r"(?:.*[\W\d_])?(?:[^\W\d_]{3,}\.? \d{1,2}|\d{1,2}\.? [^\W\d_]{3,})\W*(?:\(.*\))?")

# A year, perhaps after three letters, a span of years, or a day: what names a column more often than it is a value.
_TIME = re.compile(
    r"\W*(?:(?:[A-Z]{3} )?(?:19|20)\d\d(?:\s?[-/\u2013]\s?(?:(?:19|20)?\d\d))?[AEFP]?"
    rf"|\d{{1,2}}[./]\d{{1,2}}[./](?:\d\d){{1,2}}|(?:19|20)\d\d-\d\d(?:-\d\d)?|\d{{1,2}}/(?:19|20)\d\d)[^\w(\[]*{_MARK}"
)

_WRITTEN_DAY = re.compile(r"(?:\d{1,2}\.? )?[^\W\d_]{3,9}\.? (?:\d{1,2}, )?(?:19|20)\d\d")
_WHOLE = re.compile(r"\d{1,9}")
_FEW_RISING = 4
_LEADING = re.compile(r"\d{1,9}(?=[-+\u2013]|$)")
# Most columns at the left that label the rows: the columns after them hold values.
_MOST_LABELS = 3

_SIGN_BEFORE = re.compile(rf"(?:[A-Z]{{0,3}}{_CURRENCY}|\()\s?\(?")
_SIGN_BEHIND = re.compile(r"\)?\s?(?:%|\))\s?%?")
_SIGN_OF_NEXT = re.compile(rf"[\d)%\u2010-\u2015] +{_CURRENCY}$")
_LONGEST_SIGN = 6
_LONGEST_NAME = 100
_MOST_HEADER_ROWS = 12
_LEAST_INDENT = 0.5
# Most amounts that a total may add up, and most lines of a group without indents.
_MOST_ADDED, _LONGEST_GROUP = 40, 80


class GridCell(NamedTuple):
    """A filled cell: its text, from `start` to `end` of the document, and its columns, from `column` to `last`."""

    text: str
    start: int
    end: int
    column: int
    last: int

    @property
    def is_figure(self) -> bool:
        """Whether the cell holds one amount or a sign for no amount, and neither words nor a time."""
        return is_figure(self.text)

    @property
    def is_amount(self) -> bool:
        """Whether the cell holds one amount."""
        return is_figure(self.text) and any(map(str.isdigit, self.text))


class GridRow(NamedTuple):
    """A row from `start` to `end` of the text, with its filled cells from left to right.

    `indent` is the indent of its label, in any unit that is the same for all rows. `is_header` is true if the format
    marks it as a row of column names. `goes_on` tells whether its position makes its label continue the previous row's
    label; None if a row may be only a line, so that its first word decides. `group` is how many rows before it the row
    is that certainly heads it. `is_head` tells whether its position allows its label, alone in the row, to head a
    group; None if the position does not tell.
    """

    start: int
    end: int
    cells: Sequence[GridCell]
    indent: float = 0.0
    is_header: bool = False
    goes_on: bool | None = False
    group: int = 0
    is_head: bool | None = None


def is_time(text: str) -> bool:
    """Whether a cell holds a year, a span of years or a day, perhaps with the mark of a note."""
    return _TIME.fullmatch(text.strip()) is not None


def is_date(text: str) -> bool:
    """Whether a cell holds a time, or a year after a word such as a month, perhaps with a day."""
    return is_time(text) or _WRITTEN_DAY.fullmatch(text.strip()) is not None


@lru_cache(maxsize=4_096)
def is_figure(text: str) -> bool:
    """Whether a cell holds one amount or a sign for no amount. A year or a day is not an amount."""
    text = " ".join(text.split())
    return bool(text) and _FIGURE.fullmatch(text) is not None and _TIME.fullmatch(text) is None


def _is_range(text: str) -> bool:
    """Whether a cell holds a range of two amounts. A span of years or days is not such a range."""
    return _RANGE.fullmatch(text) is not None and not is_time(text)


def make_tables(
    grid: Sequence[GridRow],
    columns: Sequence[Column] | int,
    header_rows: int | None = None,
    label_columns: int | None = None,
) -> list[Table]:
    """Return the table of these rows, or several tables if column names are repeated within it.

    `header_rows` is the number of rows at the top that name columns. `label_columns` is the number of columns at the
    left that label the rows. They are None if the format does not tell.
    """
    grid = [row._replace(cells=_join_signs(row.cells)) for row in grid if row.cells]
    if not grid:
        return []
    room = [Column()] * columns if isinstance(columns, int) else list(columns)
    head, labels = _find_header(grid, len(room), header_rows, label_columns)
    begins = [0, *_find_further_headers(grid, head, labels, len(room)), len(grid)]
    blocks = [grid[at:end] for at, end in pairwise(begins)]
    heads = [head, *(_count_header_rows(rows, labels) for rows in blocks[1:])]
    return [_make_table(rows, room, own, labels) for rows, own in zip(blocks, heads, strict=True)]


def find_header(grid: Sequence[GridRow], columns: int) -> tuple[int, int]:
    """Return the number of header rows and of label columns.

    Header rows are those that the format marks, or else those above the first figure. Label columns are at the left and
    label the rows.
    """
    return _find_header([row._replace(cells=_join_signs(row.cells)) for row in grid if row.cells], columns)


def _find_header(
    grid: Sequence[GridRow], columns: int, header_rows: int | None = None, label_columns: int | None = None
) -> tuple[int, int]:
    """Return the number of rows that name columns and of columns that label the rows, where they are not given."""
    head = header_rows if header_rows is not None else _count_marked_rows(grid)
    labels = _count_label_columns(grid[head or 0 :], columns) if label_columns is None else label_columns
    if head is None:
        head = _count_header_rows(grid, labels)
        labels = _count_label_columns(grid[head:], columns) if label_columns is None else labels
    while 0 < head < len(grid) - 1 and (_is_remark(grid[head], labels) or _divides(grid[head - 1], grid[head], labels)):
        head += 1
    return head, labels


def _is_remark(row: GridRow, labels: int) -> bool:
    """Whether a row is only a label in brackets: a remark on the rows above, not the name of a group."""
    text = row.cells[0].text
    return len(row.cells) == 1 and row.cells[0].column < labels and text[0] == "(" and text[-1] == ")"


def _divides(above: GridRow, row: GridRow, labels: int) -> bool:
    """Whether the row below divides a column name into names for its parts, and has no label of its own."""
    values = [cell for cell in row.cells if cell.column >= labels]
    wide = (cell for cell in above.cells if cell.last > cell.column >= labels > 0)
    is_divided = any(sum(one.column <= it.column <= it.last <= one.last for it in values) > 1 for one in wide)
    is_about = len(values) < len(row.cells) and not _shares_label(above, row)
    return is_divided and not is_about and not any(cell.is_figure for cell in values)


def _join_signs(cells: Sequence[GridCell]) -> list[GridCell]:
    """Return the cells of a row, with each sign joined to its figure if it is in another cell."""
    found: list[GridCell] = []
    are_before = False
    for cell in cells:
        if are_before and cell.start - found[-1].end < _LONGEST_SIGN and _SIGN_OF_NEXT.search(found[-1].text):
            last, words = found[-1], found[-1].text[:-1].rstrip()
            cell = cell._replace(text=f"{last.text[-1]} {cell.text}", start=last.end - 1)
            found[-1] = last._replace(text=words, end=last.end - len(last.text) + len(words))
        last = found[-1] if found else cell
        is_before = len(last.text) <= _LONGEST_SIGN and _SIGN_BEFORE.fullmatch(last.text) and is_figure(cell.text)
        is_behind = len(cell.text) <= _LONGEST_SIGN and _SIGN_BEHIND.fullmatch(cell.text) and is_figure(last.text)
        if found and (is_before or is_behind):
            found[-1] = GridCell(f"{last.text} {cell.text}", last.start, cell.end, last.column, cell.last)
        else:
            found.append(cell)
        are_before |= found[-1].text[0] in _SIGNS
    return found


def _make_table(rows: Sequence[GridRow], room: Sequence[Column], head: int, labels: int) -> Table:
    named = [*_spread_days(rows[:head], labels, len(room)), *(row.cells for row in rows[head:])]
    cells = tuple(Cell(it.start, it.end, at, it.column, it.last) for at, row in enumerate(named) for it in row)
    columns = tuple(column._replace(is_label=at < labels) for at, column in enumerate(room))
    goes_on = _find_continued(rows, head, labels)
    parents = _find_parents(rows, head, labels, goes_on)
    made = tuple(Row(row.start, row.end, parents[at], goes_on[at]) for at, row in enumerate(rows))
    return Table(rows[0].start, rows[-1].end, columns, made, cells, head)


def _spread_days(header: Sequence[GridRow], labels: int, columns: int) -> Iterator[Sequence[GridCell]]:
    """Yield the cells of header rows, with their columns corrected.

    A day without a year covers the years next to it or right below it. A title of the label columns that reaches over
    some value columns names none of those.
    """
    for number, row in enumerate(header):
        day = next((at for at, it in enumerate(row.cells) if it.column < labels and _DAY.fullmatch(it.text)), -1)
        beside = [[it for it in one.cells if it.column >= labels] for one in header[number : number + 2]]
        years = list(takewhile(lambda it: is_time(it.text), beside[0] or beside[-1]))
        if day < 0 or not years:
            ends = (labels - 1 if it.column < labels <= it.last < columns - 1 else it.last for it in row.cells)
            yield [it._replace(last=end) for it, end in zip(row.cells, ends, strict=True)]
        else:
            over = row.cells[day]._replace(column=years[0].column, last=years[-1].last)
            yield [*row.cells[:day], over, *row.cells[day + 1 :]]


def _count_label_columns(rows: Sequence[GridRow], count: int) -> int:
    """Return how many columns at the left label the rows: those before the first column of figures.

    In a table without figures it is only the first column.
    """
    figures, words = _count_kinds(rows, count)
    first = next((at for at in range(count) if figures[at] > words[at]), None)
    if first is None:
        return min(count, 1) if any(words) else 0
    named = next((at for at in range(count) if words[at] > figures[at]), count)
    if first == 0 and named == 1 < count:  # numbers of rows, before what they are about
        first = next((at for at in range(1, count) if figures[at] > words[at]), 2)
    elif first == 0:
        first = _count_keys(rows, named, count)
    most = min(first, _MOST_LABELS, max(count - 1, 1))
    last = max((at + 1 for at in range(most) if words[at] or figures[at]), default=0)
    return next((at for at in range(1, last) if words[at - 1] and _tell_apart(rows, at)), last)


def _tell_apart(rows: Sequence[GridRow], count: int) -> bool:
    """Whether the first `count` columns identify each row that has further cells."""
    said = [tuple(it.text for it in row.cells if it.column < count) for row in rows if row.cells[-1].column >= count]
    return len(said) > 1 and all(said) and len(set(said)) == len(said)


def _count_keys(rows: Sequence[GridRow], named: int, count: int) -> int:
    """Return how many columns at the left label the rows although the first holds whole numbers.

    It is the first column if it counts the rows. It is all columns up to the `named` one if each repeats its values but
    no two rows agree in all of them.
    """
    texts = [{cell.column: cell.text for cell in row.cells if cell.column == cell.last} for row in rows]
    texts = texts[next((at for at, row in enumerate(texts) if _WHOLE.fullmatch(row.get(0, ""))), 0) :]
    columns = [[row.get(at, "") for row in texts] for at in range(named + 1)]
    if len(texts) > 2 and max(map(len, texts)) > 1 and _is_rising(columns[0]):
        return 1
    are_whole = named < count - 1 and all(_WHOLE.fullmatch(text) for column in columns[:named] for text in column)
    are_said_again = all(2 * len(set(column)) <= len(texts) for column in columns)
    return len(columns) if are_whole and are_said_again and len({*zip(*columns, strict=True)}) == len(texts) else 0


def _is_rising(texts: Sequence[str]) -> bool:
    """Whether whole numbers, or spans of them ("22-23"), rise from text to text: by one if there are few."""
    numbers = [int(match[0]) if (match := _LEADING.match(text)) else -1 for text in texts]
    is_count = len(texts) > _FEW_RISING or numbers[-1] - numbers[0] == len(texts) - 1
    return is_count and numbers[0] >= 0 and all(above < below for above, below in pairwise(numbers))


def _count_kinds(rows: Sequence[GridRow], count: int) -> tuple[list[int], list[int]]:
    """Return the number of amounts and of words in each column.

    Signs for no amount do not count. Times after the first column do not count if the words in the first differ from
    row to row.
    """
    figures, words = [0] * (count + 1), [0] * (count + 1)
    dated = [row.cells[0] for row in rows if any(is_date(cell.text) for cell in row.cells[1:])]
    are_apart = len({it.text for it in dated if not (it.column or it.is_figure or is_date(it.text))}) == len(dated)
    cells = (it for row in rows for it in row.cells if it.last == it.column or it.column)  # one over all heads a group
    for at, cell in ((min(it.column, count), it) for it in cells):
        is_range = at > 0 and _is_range(cell.text)
        figures[at] += cell.is_amount or is_range
        words[at] += not (cell.is_figure or is_range or (at and are_apart and is_date(cell.text)))
    return figures, words


def _count_marked_rows(grid: Sequence[GridRow]) -> int | None:
    """Return the number of rows up to the last that the format marks as header; None if it marks none."""
    first = next((at for at, row in enumerate(grid) if row.is_header), None)
    if first is None or any(cell.is_figure for row in grid[:first] for cell in row.cells):
        return None
    end = next((at for at in range(first, len(grid)) if not grid[at].is_header), len(grid))
    while end - first > 1 and len(grid[end - 1].cells) == 1 and grid[end - 1].cells[0].column == 0:
        end -= 1  # the label of a group
    return end if end < len(grid) else None


def _count_header_rows(rows: Sequence[GridRow], labels: int) -> int:
    """Return the number of rows above the first figure, without the labels of its group.

    In a table without amounts the header is the first full row of names.
    """
    values = [[cell for cell in row.cells if cell.column >= labels] for row in rows]
    if not any(cell.is_amount for cells in values for cell in cells):
        return _count_names(rows)
    first = next(at for at, cells in enumerate(values) if any(cell.is_figure for cell in cells))
    while first and all(it.column < labels for it in rows[first - 1].cells):
        first -= 1
    about = [at for at in range(first) if rows[at].cells[0].column < labels and values[at]]
    if len(about) > 2:
        first = about[0] + 1  # the others are about something, in words
    while 0 < first < len(rows) - 1 and _shares_label(rows[first - 1], rows[first]):
        first += 1  # its name goes on beside figures, which are names, too
    return first if first <= _MOST_HEADER_ROWS else 0


def _count_names(rows: Sequence[GridRow]) -> int:
    """Return the number of rows up to the first full row of names, with the rows below that share its label."""
    at = next((at for at, row in enumerate(rows) if len(row.cells) > 1), len(rows))
    if at >= len(rows) - 1 or not _is_full(rows, at) or not _may_name(rows[at]):
        return 0
    end = at + 1 + sum(1 for _ in takewhile(lambda it: _shares_label(rows[at], it), rows[at + 1 :]))
    return end if end < min(at + 3, len(rows)) else 0


def _is_full(rows: Sequence[GridRow], at: int) -> bool:
    """Whether a row has a cell for nearly all columns, or has wide cells above a row with more cells."""
    own, below = rows[at].cells, rows[at + 1].cells
    covered = [sum(cell.last - cell.column + 1 for cell in row.cells) for row in rows]
    is_wide = len(below) > len(own) and covered[at] >= max(covered) - 1
    return is_wide or len(own) >= max(len(row.cells) for row in rows) - 1


def _may_name(row: GridRow) -> bool:
    """Whether the cells of a row can be names: none is as long as a paragraph or ends with a colon or semicolon."""
    return all(len(cell.text) <= _LONGEST_NAME and cell.text[-1:] not in ":;" for cell in row.cells)


def _shares_label(row: GridRow, below: GridRow) -> bool:
    """Whether the row below repeats the first cell of a row."""
    own, other = row.cells[0], below.cells[0]
    return (own.column, own.text) == (other.column, other.text)


def _names_columns(row: GridRow, labels: int, amounts: Collection[int]) -> bool:
    """Whether a row among figures names columns: it has words or times in two columns of amounts, and no figure.

    `amounts` are the columns in which most cells hold an amount.
    """
    values = [cell for cell in row.cells if cell.column >= labels]
    is_data = any(cell.is_figure or _is_range(cell.text) for cell in values)
    return sum(cell.column in amounts for cell in values) > 1 and not is_data


def _find_further_headers(grid: Sequence[GridRow], head: int, labels: int, columns: int) -> list[int]:
    """Return the first row of each block that names the columns again below rows of figures."""
    figures, words = _count_kinds(grid[head:], columns)
    amounts = [column for column in range(labels, columns) if figures[column] > words[column]]
    found: list[int] = []
    for is_named, block in groupby(range(head, len(grid)), lambda at: _names_columns(grid[at], labels, amounts)):
        begin, end = (run := [*block])[0], run[-1] + 1
        is_above_figures = end < len(grid) and any(cell.is_figure for cell in grid[end].cells if cell.column >= labels)
        if is_named and begin > head and is_above_figures:
            while begin - 1 > head and len(grid[begin - 1].cells) == 1 and grid[begin - 1].cells[0].column >= labels:
                begin -= 1  # a name over several columns
            found.append(begin)
    return found


def _find_continued(rows: Sequence[GridRow], head: int, labels: int) -> list[bool]:
    """Return, for each row, whether its label continues the label of the previous row.

    Its position decides, or, if a row may be only a line, a first word in lower case. Only one of the two rows may have
    figures.
    """
    found = [False] * len(rows)
    has_values = False
    above: list[GridCell] = []
    for at, row in enumerate(rows[head:], head):
        own = [cell for cell in row.cells if cell.column < labels]
        values = len(own) < len(row.cells)
        are_both = bool(own and above)
        is_lower = are_both and row.goes_on is None and _reads_on(above[-1].text, own[0].text)
        if is_lower and values and has_values and found[at - 1] and not above[0].text[:1].islower():
            found[at - 1] = has_values = len(above) < len(rows[at - 1].cells)  # what goes on here has begun above
        found[at] = (is_lower or (are_both and row.goes_on is True)) and not (values and has_values)
        has_values = values or (found[at] and has_values)
        above = own
    return found


def _reads_on(above: str, words: str) -> bool:
    return words[:1].islower() and above[-1:] not in ".:;"


class _Line(NamedTuple):
    """A row, joined with the rows that continue its label.

    It has its first row, its indent, whether it has a label in the first column and nothing else, and its amounts by
    column, in millionths, without percentages. The lines from `begin` on make up its amounts: as their sum if it
    `is_total`, or as the difference between a line and the next.
    """

    row: int
    indent: float
    has_label: bool
    is_head: bool
    amounts: dict[int, int]
    begin: int
    is_total: bool = False

    def is_in(self, other: "_Line") -> bool:
        """Whether the line is indented further than the other."""
        return self.indent > other.indent + _LEAST_INDENT

    def is_part(self, group: "_Line", last: "_Line") -> bool:
        """Whether the line belongs to `group`, whose last line so far is `last`.

        It is indented further than `group` and adds up nothing before it. If it has a label, it does not follow the
        group's total, which `last` may be.
        """
        is_behind = self.has_label and last.is_total and last.begin > group.begin
        return self.is_in(group) and not is_behind and not (self.is_total and self.begin <= group.begin)

    def is_level(self, other: "_Line") -> bool:
        """Whether the line has the same indent as the other."""
        return abs(self.indent - other.indent) <= _LEAST_INDENT


def _find_parents(rows: Sequence[GridRow], head: int, labels: int, goes_on: Sequence[bool]) -> list[int]:
    """Return, for each row, the row that certainly heads its group: the innermost group that has not ended.

    Rows with a larger indent below a label belong to its group, unless they add up rows before it. `_find_end` gives
    the extent of other groups.
    """
    lines = _join_lines(rows, head, labels, goes_on)
    if any(line.is_head or line.is_in(lines[0]) for line in lines):
        lines = list(_find_sums(lines))
    parents = [-1] * len(rows)
    open_groups: list[tuple[_Line, int]] = []
    for at, line in enumerate(lines):
        while open_groups and (group := open_groups[-1])[1] < at and not line.is_part(group[0], lines[group[1]]):
            open_groups.pop()
        parent = next((it.row for it, _ in reversed(open_groups) if line.has_label or it.is_head), -1)
        end = lines[at + 1].row if at + 1 < len(lines) else len(rows)
        if head <= line.row - rows[line.row].group < line.row:
            parent = line.row - rows[line.row].group
        parents[line.row : end] = [parent] * (end - line.row)
        if (last := _find_end(lines, at)) > at:
            open_groups.append((line, last))
    return parents


def _join_lines(rows: Sequence[GridRow], head: int, labels: int, goes_on: Sequence[bool]) -> list[_Line]:
    """Return the rows below the header as lines; rows that continue a label are joined."""
    found: list[_Line] = []
    for at in range(head, len(rows)):
        cells = rows[at].cells
        first = min(cells, key=attrgetter("column"))  # hidden ones stand last
        is_head = all(it.column < labels for it in cells) or (
            labels > 0 and len(cells) == 1 and first.last > first.column
        )
        is_head &= rows[at].is_head is not False
        amounts = {it.column: value for it in rows[at].cells if it.column >= labels and (value := _read(it.text))}
        if goes_on[at]:
            found[-1] = found[-1]._replace(is_head=found[-1].is_head and is_head, amounts=found[-1].amounts | amounts)
        else:
            found.append(_Line(at, rows[at].indent, first.column == 0 < labels, is_head, amounts, len(found)))
    return found


def _find_end(lines: Sequence[_Line], at: int) -> int:
    """Return the last line of the group that a line heads, even if it is not indented; the line itself if it heads
    none.

    A label with figures heads two or more lines of equal indent below it, if only the last of them may be a sum. A
    label alone also heads lines that are not indented. They reach to the line that adds them up, or to the next label
    alone. They reach past that label if its lines are not indented further and are added up with them. If that label is
    right below, the first heads all that is added up there beyond the other's group. It also heads that group if the
    two labels begin the table.
    """
    own, after = lines[at], lines[at + 1 : at + 1 + _LONGEST_GROUP]
    if not after or not (own.is_head or own.has_label) or own.is_in(after[0]):
        return at
    if not after[0].is_in(own):
        return _find_end_beside(lines, at, [*takewhile(lambda it: not own.is_in(it), after)]) if own.is_head else at
    inside = list(takewhile(lambda it: it.is_in(own), after))
    are_alike = sum(it.has_label and it.is_level(after[0]) for it in inside) > 1
    if own.is_head:
        return at + (are_alike or after[0].begin > at)
    return at + (are_alike and all(it.begin > at for it in inside[:-1]))


def _find_end_beside(lines: Sequence[_Line], at: int, level: Sequence[_Line]) -> int:
    """Return the last line of the group of a label alone, among the following lines with the same or a larger
    indent.
    """
    first = next((n for n, it in enumerate(level, at + 1) if it.amounts), at + 1)
    end = next((n for n, it in enumerate(level, at + 1) if it.begin <= at), at + 1 + len(level))
    totals = [n for n in range(first + 1, end) if lines[n].is_total and lines[n].begin <= first]
    labels = _find_next_labels(lines, at, level, totals, lines[first])
    if labels[:1] != [at + 1]:
        return min([end - 1, *totals[:1], *(n - 1 for n in labels[:1])])
    if len(totals) > 1 and end > at + len(level) and (at == 0 or lines[at - 1].is_total):
        further = next((n for n in labels if at == 0 and n > totals[1]), end)
        return max(n for n in totals if n < further)
    return at + (at == 0 and at + 2 not in labels)


def _find_next_labels(
    lines: Sequence[_Line], at: int, level: Sequence[_Line], totals: list[int], first: _Line
) -> list[int]:
    """Return the labels alone after another label alone.

    Labels are left out if their rows are indented further than the `first` of its amounts and added up with them.
    """
    labels = [n for n, it in enumerate(level, at + 1) if it.is_head and not it.is_in(lines[at])]
    is_outer = not at or not lines[at - 1].is_head  # else a total may be that of the label above
    while is_outer and totals[:1] > labels[:1] > [at + 1] and lines[labels[0] + 1].is_in(first):
        del labels[0]
    return labels


def _find_sums(lines: Sequence[_Line]) -> Iterator[_Line]:
    """Yield the lines, each with the lines that make up its amounts.

    Each line is added up once: later its total, or the difference between it and the next line, replaces it.
    """
    begins: list[int] = []
    heights = {column: [0] for line in lines for column in line.amounts}  # running sums of what is not added up yet
    for above, line in pairwise([lines[0], *lines]):
        if not line.amounts:
            yield line
            continue
        at = count = len(begins)
        lead, value = next(iter(line.amounts.items()))
        low, aim = max(0, count - _MOST_ADDED), heights[lead][count] - value
        top = count - (not above.amounts or len(line.amounts) < 2 or line.is_level(above))  # else it may add up one
        if aim in heights[lead][low:top]:
            at = next((n for n in range(top - 1, low - 1, -1) if _agree(heights, line, [(count, 1), (n, -1)])), count)
        is_total = at < count
        if count > 1 and not is_total and _agree(heights, line, [(count, -1), (count - 1, 2), (count - 2, -1)]):
            at = count - 2
        begins[at:] = [begins[at] if at < count else line.begin]
        for column, sums in heights.items():
            del sums[at + 1 :]
            sums.append(sums[at] + line.amounts.get(column, 0))
        yield line._replace(begin=begins[at], is_total=is_total)


def _agree(heights: dict[int, list[int]], line: _Line, parts: Sequence[tuple[int, int]]) -> bool:
    """Whether most amounts of a line equal a combination of running sums, given as (position, factor)."""
    made = (sum(heights[column][at] * times for at, times in parts) == value for column, value in line.amounts.items())
    return 2 * sum(made) > len(line.amounts)


def _read(text: str) -> int:
    """Return the amount of a cell in millionths, to be added up; 0 for a percentage or no amount."""
    if "%" in text or not is_figure(text):
        return 0
    digits = re.sub(r"[^\d.]", "", text.replace(",", ""))
    try:
        value = round(float(digits) * 1e6)
    except (ValueError, OverflowError):
        return 0
    return -value if re.match(r"\W*(?:\(|[-\u2212])", text) else value
