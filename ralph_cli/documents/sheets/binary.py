"""Excel workbooks in binary formats (xls of Excel 95 to 2003, xlsb): each sheet is a page, with cells as stored.

A library reads the values of cells and tells which are dates. It may fail with any error on damaged files.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from typing import Any

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.dates import days_since, to_iso
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.number_format import GENERAL, NumberFormat
from ralph_cli.documents.page_text import CharacterBudget, finish_document, one_line
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sheets.page import Area, SheetCell, SheetPage, SheetTotals, describe_totals
from ralph_cli.documents.sheets.records import SheetRecords, read_xls_records, read_xlsb_records
from ralph_cli.documents.sheets.xlsx import show_number

_TIME, _DURATION = NumberFormat("hh:mm:ss"), NumberFormat("[h]:mm:ss")
_STORED = (
    "values are as stored, not as Excel shows them: 0.125 may be shown as 12.5%, and dates in another form; comments, "
    "text boxes, charts, formulas and the colours of cells are not read"
)


def parse_binary_workbook(data: bytes, *, name: str, limits: LoadLimits, kind: str) -> ParsedDocument:
    """Return a workbook with tables, cell names and marks on hidden content; call it in a child process.

    Raises DocumentError damaged, encrypted, too-big, no-text, unsupported.
    """
    import python_calamine

    findings = Findings(notices=[Caution("stored-values", _STORED)])
    totals = SheetTotals(CharacterBudget(name, limits))
    with _telling(f"{name} cannot be read: it is damaged, or of a kind of {kind} that ralph does not know"):
        if kind == "xls":
            records = read_xls_records(data, name)
        else:
            data, records = read_xlsb_records(data, name, limits)
        workbook = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    pages = []
    for at, about in enumerate(workbook.sheets_metadata):
        is_hidden = about.visible != python_calamine.SheetVisibleEnum.Visible
        said = records[at] if at < len(records) else SheetRecords()
        page = SheetPage(about.name, totals, "hidden sheet" if is_hidden else None, said.hidden_columns.__contains__)
        try:
            with _telling(f"the sheet {page.page.label[:80]} could not be read to its end"):
                if about.typ == python_calamine.SheetTypeEnum.WorkSheet:
                    _read_sheet(workbook.get_sheet_by_index(at), page, said)
                else:
                    findings.leave("sheets of charts, macros or dialogs", about.name)
        except DocumentError as error:
            if error.code != "damaged":
                raise
            findings.unreadable.append((error.message, (at + 1,)))
        pages.append(page.finish(said.merged))
    findings.notices += describe_totals(pages, totals, 0)
    hint = "pictures and charts are not read; save it as xlsx, or as PDF and run OCR"
    return finish_document(pages, findings, name, limits, empty_hint=hint)


@contextmanager
def _telling(what: str) -> Iterator[None]:
    """Raise errors from inside as DocumentError with this message. A panic of the library is not an Exception."""
    try:
        yield
    except (DocumentError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DocumentError(what, code="damaged", hint="open it in Excel and save it as xlsx") from None


def _read_sheet(sheet: Any, page: SheetPage, said: SheetRecords) -> None:
    """Add the rows of a sheet, from the first; the library begins each row at the first column with content."""
    left = sheet.start[1] if sheet.start else 0
    for row, values in enumerate(sheet.iter_rows(), 1):
        cells = [SheetCell(column, said.errors.get((row, column), "")) for column in range(left, left + len(values))]
        for cell, value in zip(cells, values, strict=True):
            if value != "":
                _show(cell, value)
        page.add_row(row, cells, row in said.hidden_rows)
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        said.merged.append(Area(top + 1, left, bottom + 1, right))


def _show(cell: SheetCell, value: str | float | bool | date | time | timedelta) -> None:
    """Set the text of a cell to its stored value: dates in ISO 8601, numbers in the general format."""
    match value:
        case str():
            cell.text = one_line(value)
        case bool():
            cell.text = str(value).upper()
        case date():
            cell.text = to_iso(days_since(value), is_1904=False)
        case time():
            since_midnight = timedelta(0, value.second, value.microsecond, 0, value.minute, value.hour)
            cell.text = _TIME.show_number(since_midnight / timedelta(1)).text
        case timedelta():
            cell.text = _DURATION.show_number(value / timedelta(1)).text
        case _:
            show_number(cell, value, GENERAL, False)
