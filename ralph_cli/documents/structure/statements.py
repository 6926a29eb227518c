"""Find the text above tables that applies to them: titles, the tables they continue, scales and units. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import attrgetter

from ralph_cli.core.structure import PAGE_BREAK, Cell, Heading, Page, Span, Statement, Table
from ralph_cli.documents.structure.grids import is_figure
from ralph_cli.documents.structure.lines import is_day
from ralph_cli.text.languages.figures import TRANSLATED, in_english
from ralph_cli.text.languages.words import language_of
from ralph_cli.text.quantities.currencies import currencies_named
from ralph_cli.text.quantities.vocabulary import symbol_behind
from ralph_cli.text.scales import SCALE_STATEMENT, read_unit

_LINE = re.compile(r"[^\n\f]*[^\W_][^\n\f]*")
# Most characters of a title, line ends below one of its lines, and lines that are examined above a table.
_LONGEST_TITLE, _LONGEST_GAP, _MOST_LINES = 300, 3, 6

# Shows a row or the end of a sentence, also before the mark of a note.
_ENDS_PART = re.compile(
    r"[^\s.:](?: {2,}|\t)\S|[.;!?][\"\u201d)]?(?:\(\w{1,2}\)|[*\u2020\u2021\u00b9\u00b2\u00b3])*\s*$"
)

# Of the longest line near a table: what is shorter ends a paragraph.
_SHORT_LINE_SHARE = 0.5

_SENTENCE_END = re.compile(r"(?<![A-Z])[.!?][\"\u201d)]?\s+(?=[\"\u201c(]?[A-Z\d])")
# How the line above a table may end that states its scale, although it is not its title.
_MAY_STATE = re.compile(r"[^.;,\"\u201d\s]\s*$|\)\.\s*$")

_IN_BRACKETS = re.compile(r"\s*\(.*\)\s*")
_MARKS = re.compile(r"(?:[\s*:\u2020\u2021\u00b9\u00b2\u00b3\u2070-\u2079\u207d\u207e]|(?<=\))\(\w{1,2}\))+$")
_IN_BRACKETS_LAST = re.compile(r"\([^(\d]*\)$")
# A line of only a label and a short word, as a unit above a table.
_LABELLED_UNIT = re.compile(r"\s*[^\W\d_]{1,20} ?[:\uff1a]\s?([^\s.,;:]{1,10})\s*")

_WIDE_BRACKETS = str.maketrans("\uff08\uff09", "()")
# A cell of only the sign or code of a currency, or a per cent sign.
_UNIT_ALONE = re.compile(r"[\s(\[]*(?:%|[A-Z]{3}|[$\u20ac\u00a3\u00a5])[\s)\]]*")

_BRACKETS_ALONE = re.compile(r"(?m)^[ \t]*(\([^\n\f]*\))[ \t]*\n\s*")
_PER_CENT_ALONE = re.compile(r"(?:^|[^\W\d_\u00bc-\u00be\u2150-\u215f]\s?|[(/]\s?)%")
_OF_ALL_AMOUNTS = re.compile(r"(?i)\ball\s+(?:\w+\s+){0,3}?(?:amounts|figures|numbers|values)\s[^.\n]*")
_SIGN = re.compile(r"[%$\u20ac\u00a3\u00a5]")
# Most points by which columns of a table may shift on the next page.
_NEAR = 3.0


def complete_tables(
    text: str,
    pages: Sequence[Page],
    tables: Sequence[Table],
    headings: Sequence[Heading] = (),
    furniture: Sequence[Span] = (),
    apart: Sequence[Heading] = (),
) -> list[Table]:
    """Return the tables in order, each with its title, the table that it continues, and the statements of scale and
    units.

    A title may be a line that type sets `apart`, or, without such lines, a heading. Lines of `furniture` are not
    titles.
    """
    if tables and (language := language_of(text)) in TRANSLATED:
        # Of the same length; "en milliers d'euros" states a scale as "in thousands" does.
        text = in_english(text, language).text
    found: list[Table] = []
    general = sorted(_find_general(text, headings))
    for table in tables:
        page = pages[max(bisect_right(pages, table.start, key=attrgetter("start")) - 1, 0)]
        last = found[-1] if found else None
        at = bisect_right(furniture, table.start, key=attrgetter("start")) - 1
        low = max(page.start, last.end if last else 0, furniture[at].end if at >= 0 else 0)
        above = _lines_above(text, low, text.rfind("\n", 0, table.start) + 1)
        if table.title < 0 and table.continues < 0 and above:
            table = table._replace(title=_find_title(text, above, apart or headings, bool(apart)))
        table = _continue(text, last, table, low) if last else table
        stated = [*_find_statements(text, table, above), *_find_signs(text, table)]
        if not any(map(_is_of_table, stated)):
            before = next((it for it in reversed(found) if it.start == table.continues), None)
            if last and not before and _is_introduced_with(text, last, table, low):
                before = last
            stated = [*filter(_is_of_table, before.statements if before else ()), *stated]
        found.append(table._replace(statements=(*_find_far(text, table, stated, general), *stated)))
    return found


def _continue(text: str, last: Table, table: Table, low: int) -> Table:
    """Return a table with a reference to the last table, if it continues that table."""
    if last.header_rows and table.header_rows and _has_no_names(text, last, table, low):
        table = table._replace(header_rows=0)
    if table.continues < 0 and not table.header_rows and _goes_on(text, last, table):
        table = table._replace(continues=last.start if last.header_rows else last.continues)
    return table


def _is_of_table(statement: Statement) -> bool:
    """Whether a statement is about the whole table."""
    return statement.row == statement.column == -1


def _find_far(
    text: str, table: Table, stated: Sequence[Statement], general: Sequence[tuple[Statement, int]]
) -> Iterator[Statement]:
    """Yield the last general statement of the table's part, if nothing nearer states the scale of the table or its
    columns.
    """
    if not any(it.row < 0 and SCALE_STATEMENT.search(text, it.start, it.end) for it in stated):
        yield from islice((it for it, end in reversed(general) if it.end <= table.start < end), 1)


def _lines_above(text: str, low: int, start: int) -> list[re.Match[str]]:
    """Return the last lines before a table that are close to each other and to the table."""
    found: list[re.Match[str]] = []
    for line in reversed(list(_LINE.finditer(text, max(low, start - 4 * _LONGEST_TITLE), start))[-_MOST_LINES:]):
        if text.count("\n", line.end(), found[-1].start() if found else start) > _LONGEST_GAP:
            break
        found.append(line)
    return found[::-1]


def _find_title(text: str, above: Sequence[re.Match[str]], titles: Sequence[Heading], is_typed: bool) -> int:
    """Return the start of a table's title right above it, or of the sentence that introduces it with a colon; -1 if
    none.

    A title is one of the `titles` or a line by itself. If the file has type (`is_typed`), a line by itself counts only
    below a title.
    """
    heads = _find_heads(above, titles)
    at = max((n for n, line in enumerate(above) if not _IN_BRACKETS.fullmatch(line[0])), default=0)
    words = above[at][0].strip()
    long = max(len(line[0]) for line in above) * _SHORT_LINE_SHARE
    ends = (n for n in range(at) if heads[n] or len(above[n][0]) < long or _ENDS_PART.search(above[n][0]))
    begin = max(ends, default=-1) + 1
    if not heads[at] and words.endswith(":"):
        return _find_sentence(text, above[begin : at + 1], is_whole=bool(begin) or len(above) < _MOST_LINES)
    gap = text[above[at - 1].end() : above[at].start()] if at else ""
    is_alone = (at > 0 and heads[at - 1]) or (not is_typed and (at == begin or "\n\n" in gap))
    if not heads[at] and not (is_alone and _may_be_title(words)):
        return -1
    return _begin_title(text, above[: at + 1], heads)


def _begin_title(text: str, lines: Sequence[re.Match[str]], heads: Sequence[bool]) -> int:
    """Return the start of the title that ends with the last of these lines, including headings above; -1 for a day."""
    first = len(lines) - 1
    while first > 0 and heads[first - 1] and text.count("\n", lines[first - 1].end(), lines[first].start()) == 1:
        first -= 1
    return -1 if all(is_day(line[0]) for line in lines[first:]) else lines[first].start()


def _find_heads(lines: Sequence[re.Match[str]], titles: Sequence[Heading]) -> list[bool]:
    """Return, for each line, whether one of the titles is in it."""
    first = max(bisect_right(titles, lines[0].start(), key=attrgetter("start")) - 1, 0)
    near = titles[first : bisect_right(titles, lines[-1].end(), key=attrgetter("start"))]
    return [any(it.start < line.end() and line.start() < it.start + len(it.text) for it in near) for line in lines]


def _may_be_title(words: str) -> bool:
    """Whether a line is neither a row nor the beginning or end of a sentence."""
    return words[-1] != "," and not words[0].islower() and not _ENDS_PART.search(words)


def _find_sentence(text: str, lines: Sequence[re.Match[str]], is_whole: bool) -> int:
    """Return the start of the sentence that ends with a colon at the end of these lines; -1 if it may begin
    above them.
    """
    start, end = lines[0].start(), lines[-1].end()
    ends = [match.end() for match in _SENTENCE_END.finditer(text, start, end - 1)]
    start = ends[-1] if ends else start
    return start if (is_whole or ends) and not text[start].islower() and end - start <= _LONGEST_TITLE else -1


def _goes_on(text: str, last: Table, table: Table) -> bool:
    """Whether a table without column names continues the table on the previous page or just above it.

    It has the same number of columns at the same positions.
    """
    between = text[last.end : table.start]
    if table.title >= 0 or between.count("\f") > 1:
        return False
    if "\f" not in between and between.strip():
        return False
    return _has_same_sides(last, table)


def _has_same_sides(last: Table, table: Table) -> bool:
    pairs = zip(last.columns[1:], table.columns[1:], strict=False)
    is_near = all(abs(one.right - other.right) <= _NEAR for one, other in pairs)
    return is_near and len(last.columns) == len(table.columns) and table.columns[-1].right > 0


def _has_no_names(text: str, last: Table, table: Table, low: int) -> bool:
    """Whether the first row of a table of words at the top of a page holds values instead of names.

    The table then continues the last table of the previous page, which has the same columns. Only this row suggests
    otherwise.
    """
    page_end = text.find(PAGE_BREAK, last.end)
    if (
        _LINE.search(text, low, table.start)
        or not last.end <= page_end < low
        or text.find(PAGE_BREAK, page_end + 1, low) > 0
    ):
        return False
    names, others = ([text[it.start : it.end] for it in one.cells if it.row < one.header_rows] for one in (last, table))
    is_last = len(_LINE.findall(text, last.end, page_end)) < 2  # the number of the page
    has_figures = any(is_figure(text[it.start : it.end]) for it in table.cells)
    return is_last and _has_same_sides(last, table) and names != others and not has_figures


def _is_introduced_with(text: str, last: Table, table: Table, low: int) -> bool:
    """Whether the introduction of the last table also applies to this one.

    A laid-out table is right below the last one, or first on the next page with the same column names except for
    figures. Only running lines of the page are above `low`.
    """
    if _LINE.search(text, low, table.start) or not table.columns[-1].right:
        return False
    names, others = (
        [re.sub(r"\d+", "", text[it.start : it.end]) for it in one.cells if it.row < one.header_rows and it.column]
        for one in (last, table)
    )
    return low == last.end or (text.count(PAGE_BREAK, last.end, low) == 1 and names == others and any(names))


def _find_general(text: str, headings: Sequence[Heading]) -> Iterator[tuple[Statement, int]]:
    """Yield the statements of scale for a whole part, each with the end of that part.

    These are sentences about all amounts, and lines in brackets above the first of numbered headings.
    """
    for match in _BRACKETS_ALONE.finditer(text):
        below = headings[bisect_left(headings, match.end(), key=attrgetter("start")) :]
        if SCALE_STATEMENT.search(match[1]) and below and below[0].start == match.end() and below[0].is_counted:
            beside = (it for it in below if it.is_counted and it.level <= below[0].level)
            *_, last = next(groupby(beside, lambda it: re.split(r"\d", it.text)[0].casefold()))[1]  # "Note 1", "Note 2"
            yield Statement(*match.span(1)), last.end
    for match in _OF_ALL_AMOUNTS.finditer(text):
        if SCALE_STATEMENT.search(match[0]):
            ends = [it.end for it in headings if it.start <= match.start() < it.end]
            yield Statement(*match.span()), ends[-1] if ends else len(text)


def _find_statements(text: str, table: Table, above: Sequence[re.Match[str]]) -> Iterator[Statement]:
    """Yield what states a scale, unit or currency: for the whole table, for columns by name, for rows by label."""
    last = max((number for number, line in enumerate(above) if line[0].rstrip().endswith((".", ";"))), default=-1)
    for number, line in enumerate(above):
        may_state = 0 <= table.title < line.end() or (number > last and line[0].rstrip().endswith((")", ":")))
        may_state |= number == len(above) - 1 and bool(_MAY_STATE.search(line[0]))
        if may_state and (SCALE_STATEMENT.search(line[0]) or _is_unit(line[0])):
            yield Statement(line.start(), line.end())
    for number, cell in enumerate(table.cells):
        if cell.row < table.header_rows:
            yield from _find_in_name(text, table, number)
        elif table.columns[cell.column].is_label and _states(text[cell.start : cell.end]):
            yield Statement(cell.start, cell.end, row=cell.row)


def _find_in_name(text: str, table: Table, number: int) -> Iterator[Statement]:
    """Yield what a column name states, for its columns or for all."""
    cell = table.cells[number]
    words = text[cell.start : cell.end]
    if ")" in words and "(" not in words:
        names = (cells for cells in table.names_of(cell.column, cell.last) if cell in cells)
        words = " ".join(text[it.start : it.end] for it in next(names, [cell]))
    if not _states(words):
        return
    if table.columns[cell.column].is_label or _is_of_all(table, cell):
        below = table.cells[number + 1 : number + 2] if ")" not in words else ()
        goes_on = any(it.row < table.header_rows and text[it.start : it.end].endswith(")") for it in below)
        yield Statement(cell.start, below[0].end if goes_on else cell.end)
    else:
        for column in range(cell.column, cell.last + 1):
            yield Statement(cell.start, cell.end, column=column)


def _is_of_all(table: Table, cell: Cell) -> bool:
    """Whether a name covers all value columns, or is alone above the column names."""
    is_above = cell.row + 1 < table.header_rows and all(len(table.cells_of(row)) < 2 for row in range(cell.row + 1))
    is_first = all(column.is_label for column in table.columns[: cell.column])
    return is_above or (is_first and cell.last == len(table.columns) - 1)


def _is_unit(words: str) -> bool:
    """Whether words are only a currency or per cent, or a label and a unit."""
    if labelled := _LABELLED_UNIT.fullmatch(words):
        words = labelled[1]
        return bool(currencies_named(words)) or _is_symbol(words) or read_unit(f"({words})") is not None
    return bool(_UNIT_ALONE.fullmatch(words)) and ("%" in words or bool(currencies_named(words)))


def _is_symbol(words: str) -> bool:
    """Whether words are the symbol of a unit. Most single letters and capitals usually mean something else."""
    return (words == "L" or (len(words) > 1 and words != words.upper())) and symbol_behind(f" {words}", 0) != ""


def _find_signs(text: str, table: Table) -> Iterator[Statement]:
    """Yield the first cells of columns with a per cent sign that the other cells, or all but the last, lack."""
    columns: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.row >= table.header_rows and not table.columns[cell.column].is_label:
            columns.setdefault(cell.column, []).append(cell)
    for column, cells in columns.items():
        signs = [_SIGN.search(text, cell.start, cell.end) for cell in cells]
        is_first = signs[0] and signs[0][0] == "%" and " (" not in text[cells[0].start : cells[0].end]
        if is_first and not any(signs[1:-1]) and (not signs[-1] or signs[-1][0] == "%"):
            yield Statement(cells[0].start, cells[0].end, column=column)


def _states(words: str) -> bool:
    """Whether a name or label states the scale, unit or currency of its figures."""
    if SCALE_STATEMENT.search(words) or _is_unit(words) or _PER_CENT_ALONE.search(words):
        return True
    words = _MARKS.sub("", words.translate(_WIDE_BRACKETS))
    named = _IN_BRACKETS_LAST.search(words)
    is_named = named is not None and (bool(currencies_named(named[0])) or _is_symbol(named[0][1:-1]))
    return is_named or (words.endswith(")") and read_unit(words) is not None)
