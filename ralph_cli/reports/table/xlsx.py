"""Renders a table as a workbook: typed answers, quotes, and open cells with reasons. Needs the extra `xlsx`."""

import datetime
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as percent_encoded

from ralph_cli.core.errors import UserError
from ralph_cli.core.results.table import Cell, CellState, Comparison, Table, TableQuestion
from ralph_cli.reports.safe_text import make_visible
from ralph_cli.reports.table.comparison import compared_rows
from ralph_cli.reports.table.words import (
    STATES,
    count_states,
    describe_cost,
    describe_size,
    explain,
    first_place,
    open_cells,
    reason,
)

if TYPE_CHECKING:
    from openpyxl import Workbook

# Characters of a cell; Excel takes no more.
MAX_TEXT = 32_767

# Rows of a sheet; Excel takes 1,048,576.
MAX_ROWS = 1_048_000

# Links of a sheet; Excel takes 65,530.
MAX_LINKS = 65_000

# Characters of a comment.
MAX_COMMENT = 2_000

_CUT = " [cut: a cell has no room for more; table.jsonl has all]"
_FORMULA = re.compile(r"[=+\-@]")
_HEX_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_FILLS = {
    "good": "DDF2E3",
    "plain": "DCEFF4",
    "note": "E6E6FA",
    "warn": "FDEBD0",
    "bad": "FADBD8",
    "soft": "EEF0F2",
}
_WIDE, _NARROW, _LINE_HEIGHT, _MOST_LINES = 36, 18, 15.0, 16
_QUOTE_COLUMNS = (("Document", 28), ("Question", 16), ("State", 18), ("Answer", 40), ("Quote", 80), ("Place", 24))
_OPEN_COLUMNS = (("Document", 28), ("Question", 16), ("State", 18), ("What is found", 48), ("Why", 90))
_REVIEW_COLUMNS = (
    ("Document", 28), ("Question", 16), ("State", 18), ("Answer", 40), ("Claim", 8), ("Mark", 14),
    ("What is right", 40), ("Note", 50), ("By", 20), ("On", 12),
)  # fmt: skip
_COMPARISON_COLUMNS = (("Question", 16), ("What", 26), ("Value", 60), ("Documents", 12), ("Named", 90))

# The values of a row, the kind that gives it its colour, and the file that it links to.
_Row = tuple[tuple[str | int, ...], str, str]


def table_xlsx(table: Table, made_at: str, version: str, compared: Sequence[Comparison] = ()) -> bytes:
    """The workbook. It has no formulas; links lead to the evidence beside it.

    Raises UserError if openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook
    except ImportError as error:
        hint = "pip install 'ralph-cli[xlsx]', then `ralph table FOLDER` writes it"
        raise UserError("no workbook is written: openpyxl is not installed", code="no-xlsx", hint=hint) from error
    book = Workbook()
    answers = book.active
    assert answers is not None
    answers.title = "Answers"
    _fill_answers(answers, table)
    rest = ": table.jsonl has all."
    quotes = book.create_sheet("Quotes")
    _fill_rows(quotes, _QUOTE_COLUMNS, _quote_rows(table), f" quotes{rest}", tall=(4, 5), linked=6)
    _fill_rows(book.create_sheet("Problems"), _OPEN_COLUMNS, _open_rows(table), rest, tall=(4, 5))
    if any(cell.reviews for cell in table):
        reviews = book.create_sheet("Reviews")
        _fill_rows(reviews, _REVIEW_COLUMNS, _review_rows(table), f" reviews{rest}", tall=(4, 7, 8))
    if compared:
        rows, rest = _comparison_rows(compared), ": --json has all."
        _fill_rows(book.create_sheet("Comparison"), _COMPARISON_COLUMNS, rows, rest, tall=(3, 5), coloured=2)
    _fill_about(book, table, made_at, version)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _fill_answers(sheet: Any, table: Table) -> None:
    """Writes documents down and questions across: each answer with its proof beside it.

    The link has a cell of its own, because LibreOffice does not wrap the lines of a linked cell.
    """
    asked = [
        pair
        for item in table.questions
        for pair in ((f"{item.id}\n{item.question}", _WIDE), (f"{item.id}: proof", _NARROW))
    ]
    _head(sheet, [("Document", 30), *asked])
    sheet.row_dimensions[1].height = 4 * _LINE_HEIGHT
    links = 0
    for at, row in enumerate(table.rows, 2):
        _write(sheet, at, 1, row.name).font = _bold()
        own, most = table.of_each(row), _lines(row.name, 28)
        for number, question in enumerate(table.questions):
            if question not in own:
                continue
            cell = table.cell(row, question)
            written = _write_answer(sheet, at, 2 * number + 2, cell, question)
            proof = _write(sheet, at, 2 * number + 3, first_place(cell) or ("evidence" if cell.evidence else ""))
            if cell.evidence and links < MAX_LINKS:
                _link(proof, cell.evidence)
                links += 1
            most = max(most, _lines(str(written.value), _WIDE))
        sheet.row_dimensions[at].height = _LINE_HEIGHT * min(most, _MOST_LINES)
    _finish(sheet, freeze="B2")


def _write_answer(sheet: Any, row: int, column: int, cell: Cell, question: TableQuestion) -> Any:
    """Writes the value as a number or date if it has one, else the answer, else why there is none; with its state."""
    state = STATES[cell.state]
    typed, style = _typed(cell, question)
    if typed is not None:
        written = _write(sheet, row, column, "")
        written.value, written.number_format = typed, style
    else:
        words = "" if cell.state is CellState.ANSWERED else f"{state.words[:1].upper()}{state.words[1:]}"
        text = cell.shown if cell.answer else reason(cell)
        written = _write(sheet, row, column, ": ".join(part for part in (words, text) if part))
    written.fill = _fill(state.kind)
    if (comment := _comment(cell)) and typed is not None:
        from openpyxl.comments import Comment

        written.comment = Comment(_clean(comment[:MAX_COMMENT]), "ralph", height=160, width=360)
    return written


def _typed(cell: Cell, question: TableQuestion) -> tuple[float | datetime.date | None, str]:
    """The value as a number or date with its number format, which names a state other than answered."""
    value = cell.value
    suffix = "" if cell.state is CellState.ANSWERED else f" ({STATES[cell.state].words})"
    if value is None or value.problem:
        return None, ""
    if value.number is not None:
        is_money = question.type == "money"
        return value.number, _number_format(value.number, value.unit, suffix, hedge=value.hedge, is_money=is_money)
    if question.type == "date":
        try:
            day = datetime.date.fromisoformat(value.text)
        except ValueError:
            return None, ""  # a month or a year is not a day
        if day.year >= 1901:  # Excel has no dates before, and takes 1900 for a leap year
            return day, "yyyy-mm-dd" + _literal(suffix)
    return None, ""


def _number_format(number: float, unit: str, suffix: str, *, hedge: str, is_money: bool) -> str:
    """A number as a reader writes it: "at most 45 days", "5.5%", "EUR 5,100,000 per year", "$48,000"."""
    unit = re.sub(r'["\\]', "", make_visible(unit, keep=""))[:40]
    before, after = "", unit
    if is_money and unit:
        currency, _, after = unit.partition(" ")
        before = f"{currency} " if currency[-1].isalpha() else currency
    after = f" {after}" if after[:1].isalnum() else after
    whole = float(number).is_integer()
    before = f"{hedge} {before}" if hedge else before
    digits = "#,##0" if whole else "#,##0.00" if is_money else "#,##0.########"
    return _literal(before) + digits + _literal(after + suffix)


def _literal(words: str) -> str:
    return f'"{words}"' if words else ""


def _comment(cell: Cell) -> str:
    """The words of the answer, its limits, the cells of its figures, and its quotes."""
    quotes = (f"{quote.place}: “{' '.join(quote.text.split())}”" for quote in cell.quotes[:2])
    return "\n".join((cell.answer, *explain(cell), *cell.figures, *quotes)).strip()


def _quote_rows(table: Table) -> Iterator[_Row]:
    for cell in table:
        state = STATES[cell.state]
        for quote in cell.quotes:
            texts = (quote.document or cell.row, cell.question, state.words, cell.shown, quote.text, quote.place)
            yield texts, state.kind, quote.link or cell.evidence


def _open_rows(table: Table) -> Iterator[_Row]:
    for cell in open_cells(table):
        state, found = STATES[cell.state], cell.shown if cell.answer else ""
        yield (cell.row, cell.question, state.words, found, "\n".join(explain(cell))), state.kind, cell.evidence


def _review_rows(table: Table) -> Iterator[_Row]:
    for cell in table:
        for review in cell.reviews:
            told = (cell.row, cell.question, STATES[cell.state].words, cell.shown)
            mark = (str(review.claim or ""), review.mark.value, review.correction, review.note)
            yield (*told, *mark, review.by, review.at[:10]), "", cell.evidence


def _comparison_rows(compared: Sequence[Comparison]) -> Iterator[_Row]:
    """A row for each value of a question, each outlier, and each reason why documents have no value."""
    for comparison, what, text, documents in compared_rows(compared):
        kind = "" if what == "value" else "warn" if what == "outlier" else "soft"
        yield (comparison.question.id, what, text, len(documents), ", ".join(documents)), kind, ""


def _fill_rows(
    sheet: Any,
    columns: Sequence[tuple[str, int]],
    rows: Iterable[_Row],
    full: str,
    *,
    tall: tuple[int, ...],
    coloured: int = 3,
    linked: int = 2,
) -> None:
    """Writes rows below the heads of their columns. The text in the columns `tall`, counted from 1, sets the height of
    a row.
    """
    _head(sheet, columns)
    links = 0
    for at, (values, kind, target) in enumerate(rows, 2):
        if at > MAX_ROWS:
            _write(sheet, at, 1, f"A sheet has no room for more{full}")
            break
        for column, value in enumerate(values, 1):
            if isinstance(value, int):
                sheet.cell(at, column).value = value
            else:
                _write(sheet, at, column, value)
        if target and links < MAX_LINKS:
            _link(sheet.cell(at, linked), target)
            links += 1
        if kind:
            sheet.cell(at, coloured).fill = _fill(kind)
        most = max(_lines(str(values[column - 1]), columns[column - 1][1]) for column in tall)
        sheet.row_dimensions[at].height = _LINE_HEIGHT * min(most, _MOST_LINES)
    _finish(sheet, freeze="A2")


def _fill_about(book: "Workbook", table: Table, made_at: str, version: str) -> None:
    """Writes the meaning of the colours, the number of cells in each state, and the questions in full."""
    sheet: Any = book.create_sheet("About")
    _head(sheet, (("What", 24), ("", 10), ("", 100)))
    lines: list[tuple[str, int | str, str, str]] = [
        ("Table", "", describe_size(table), ""),
        ("Ended", "", f"{table.halt.detail}; {describe_cost(table)}", ""),
        ("Made", "", f"{made_at} by ralph {version}", ""),
    ]
    for state, count in count_states(table).items():
        lines.append((STATES[state].words, count, STATES[state].meaning, STATES[state].kind))
    lines += [(question.id, "", question.question, "") for question in table.questions]
    for at, (name, number, text, kind) in enumerate(lines, 2):
        named = _write(sheet, at, 1, name)
        sheet.cell(at, 2).value = number or None
        _write(sheet, at, 3, text)
        if kind:
            named.fill = _fill(kind)
    _finish(sheet, freeze="A2", filters=False)


def _head(sheet: Any, columns: Iterable[tuple[str, int]]) -> None:
    from openpyxl.utils import get_column_letter

    for number, (name, width) in enumerate(columns, 1):
        cell = _write(sheet, 1, number, name)
        cell.font, cell.fill = _bold(), _fill("soft")
        sheet.column_dimensions[get_column_letter(number)].width = width


def _finish(sheet: Any, freeze: str, *, filters: bool = True) -> None:
    sheet.freeze_panes = freeze
    sheet.auto_filter.ref = sheet.dimensions if filters else None
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.paperSize = sheet.PAPERSIZE_A4
    # Fits readable pages across, and as many down as needed.
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = max(sheet.max_column // 7, 1), 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.print_title_rows, sheet.print_title_cols = "1:1", "A:A"


def _write(sheet: Any, row: int, column: int, text: str) -> Any:
    """Writes text that stays text: never a formula, an error or a number, even after an edit of the cell."""
    from openpyxl.styles import Alignment

    cell = sheet.cell(row, column)
    cell.value = _clean(text)
    cell.data_type = "s"
    cell.quotePrefix = bool(_FORMULA.match(text))
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    return cell


def _clean(text: str) -> str:
    """Text that a workbook can hold and a reader can see.

    The format writes characters that it cannot hold as "_x0041_" (ECMA-376, ST_Xstring), so that sign itself is
    escaped.
    """
    clean = _HEX_ESCAPE.sub("_x005F_", make_visible(text, keep="\n"))
    return clean if len(clean) <= MAX_TEXT else clean[: MAX_TEXT - len(_CUT)] + _CUT


def _link(cell: Any, target: str) -> None:
    """Links a cell to a file beside the workbook, or to a page of it."""
    from openpyxl.styles import Font
    from openpyxl.worksheet.hyperlink import Hyperlink

    file, _, page = target.partition("#page=")
    location = f"page={page}" if page else None
    address = percent_encoded(file, errors="replace")
    cell.hyperlink = Hyperlink(ref=cell.coordinate, target=address, location=location)
    cell.font = Font(name="Calibri", size=11, color="0B57A4", underline="single")


def _fill(kind: str) -> Any:
    from openpyxl.styles import PatternFill

    return PatternFill("solid", start_color=_FILLS[kind])


def _bold() -> Any:
    from openpyxl.styles import Font

    return Font(name="Calibri", size=11, bold=True)


def _lines(text: str, width: int) -> int:
    return sum(int(len(line) / (0.9 * width)) + 1 for line in text.split("\n"))
