"""Excel workbooks (xlsx): each sheet a page, each row a line, each cell as its number format shows it.

Sheets are read row by row, so that large ones need no tree. Hidden sheets, rows, columns and cells are read and marked
as such. What a format rounds or leaves out, and formulas, stand behind the rows.
"""

import math
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from xml.etree.ElementTree import Element

from ralph_cli.core.document import Caution, Origin
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.drawing_text import describe_chart, join_paragraphs
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.package import Package, Relation
from ralph_cli.documents.office.pages import PageText, finish_document, one_line, too_many_characters_error
from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sheets.dates import days_since, to_iso
from ralph_cli.documents.sheets.formulas import parse_reference, shift_formula
from ralph_cli.documents.sheets.number_format import NumberFormat, format_general
from ralph_cli.documents.sheets.page import HIDDEN_CELL, Area, SheetCell, SheetPage, SheetTotals
from ralph_cli.documents.sheets.strings import read_string, unescape
from ralph_cli.documents.sheets.styles import CellStyle, read_styles
from ralph_cli.text.raised import STRUCK_CLOSING, STRUCK_OPENING, strike

_MAIN_PART = "xl/workbook.xml"
_SHEETS = {"worksheet": "x:worksheet", "chartsheet": "x:chartsheet"}
_SHEET_PARTS = ("x:row", "x:cols", "x:mergeCells", "x:drawing", "x:headerFooter", "x:sheetFormatPr")
_HEADS: tuple[tuple[Origin, str], ...] = (("page header", "Header"), ("page footer", "Footer"))
_HEAD_CODE = re.compile(r'&"[^"]*"|&\d+|&K[0-9A-Fa-f]{6}|&[A-Za-z]')
_MOST_MERGED = 200_000
_USUAL = CellStyle()
_SKIPPED = "the sheet {} could not be read to its end: {}"
_PASSED_ON = frozenset({"too-big", "encrypted", "unsupported"})


def parse_xlsx(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """The text of a workbook, with tables, names of cells, and marks on what is hidden; for a child process.

    Raises DocumentError damaged, encrypted, too-big, no-text, unsupported.
    """
    return _WorkbookReader(Package(data, name, limits, _MAIN_PART), limits).read()


class _WorkbookReader:
    """Reads the parts of one workbook."""

    def __init__(self, package: Package, limits: LoadLimits) -> None:
        self._package, self._limits, self._left = package, limits, limits.characters
        self._findings = Findings()
        self._totals = SheetTotals(self._count)
        self._main = package.main_part()
        self._relations = package.relations(self._main)
        self._workbook = package.read_xml(self._main, "x:workbook")
        self._is_1904 = attribute(child(self._workbook, "x:workbookPr"), "date1904") in ("1", "true", "on")
        self._strings = list(self._read_strings())
        part = self._part_of("styles")
        self._styles = read_styles(package.read_xml(part, "x:styleSheet") if part else None)
        self._uncalculated = 0

    def read(self) -> ParsedDocument:
        """The whole workbook."""
        findings = self._findings
        findings.doubts += self._package.doubts(self._main, "an Excel workbook")
        pages = [
            self._read_sheet(sheet, at)
            for at, sheet in enumerate(children(child(self._workbook, "x:sheets"), "x:sheet"), 1)
        ]
        findings.notices += describe_totals(pages, self._totals, self._uncalculated)
        hint = "pictures are not read; save the sheet as PDF, and run OCR"
        return finish_document(pages, findings, self._package.name, self._limits, empty_hint=hint)

    def _read_sheet(self, sheet: Element, at: int) -> PageText:
        name = one_line(unescape(attribute(sheet, "name"))) or f"sheet {at}"
        hidden = attribute(sheet, "state") in ("hidden", "veryHidden")
        page = SheetPage(name, self._totals, "hidden sheet" if hidden else None)
        relation = self._relations.get(attribute(sheet, "id"))
        if relation is None or not self._package.has(relation.target):
            self._findings.unreadable.append((f"the sheet {name[:80]} is not in the file", (at,)))
        elif relation.kind not in _SHEETS:
            self._findings.unread[f"sheet of macros or dialogs, {name[:80]}"] += 1
        else:
            reader = _SheetReader(page, self._show_cell)
            try:
                for element in self._package.iterate_xml(relation.target, _SHEETS[relation.kind], *_SHEET_PARTS):
                    reader.read(element)
                self._read_beside(relation.target, page, reader)
            except DocumentError as error:
                if error.code in _PASSED_ON:
                    raise
                what = error.message.partition(" is damaged: ")[2] or error.message
                self._findings.unreadable.append((_SKIPPED.format(name[:80], what), (at,)))
            return page.finish(reader.merged, reader.declared)
        return page.finish()

    def _read_beside(self, part: str, page: SheetPage, reader: "_SheetReader") -> None:
        """What belongs to a sheet but stands in other parts: tables that it declares, comments, drawings."""
        relations = self._package.relations(part)
        for relation in relations.values():
            if relation.kind == "table" and self._package.has(relation.target):
                table = self._package.read_xml(relation.target, "x:table")
                area = _read_area(attribute(table, "ref"))
                if area and attribute(table, "headerRowCount") != "0":
                    reader.declared.append(area)
        for origin, text in reader.heads:
            page.add_beside(text, origin, origin=origin)
        for relation in relations.values():
            if relation.kind == "comments":
                self._append_comments(relation, page)
        if drawing := relations.get(reader.drawing):
            self._append_drawing(drawing, page)

    def _append_comments(self, relation: Relation, page: SheetPage) -> None:
        if not self._package.has(relation.target):
            self._findings.miss(relation.target)
            return
        root = self._package.read_xml(relation.target, "x:comments")
        authors = [one_line(one.text or "")[:80] for one in children(child(root, "x:authors"), "x:author")]
        for comment in children(child(root, "x:commentList"), "x:comment"):
            text = read_string(child(comment, "x:text"))
            at = number(attribute(comment, "authorId"), -1) or 0
            author = (authors[at] if 0 <= at < len(authors) else "") or "an unnamed author"
            reference = attribute(comment, "ref")
            if text and parse_reference(reference):
                page.add_beside(text, f"comment by {author} on {reference}", reference, "comment")
                self._findings.comments += 1

    def _append_drawing(self, relation: Relation, page: SheetPage) -> None:
        """The texts of a sheet's shapes, and its charts."""
        if not self._package.has(relation.target):
            self._findings.miss(relation.target)
            return
        root = self._package.read_xml(relation.target, "xdr:wsDr")
        charts = self._package.relations(relation.target)
        for element in root.iter():
            if element.tag == "xdr:txBody" and (text := join_paragraphs(element)):
                page.add_beside(text, "text box")
            elif element.tag in ("c:chart", "cx:chart"):
                chart = charts.get(attribute(element, "id"))
                if chart is None or not self._package.has(chart.target):
                    self._findings.miss(chart.target if chart else "a chart")
                elif text := describe_chart(self._package.read_xml(chart.target, "c:chartSpace", "cx:chartSpace")):
                    page.add_beside(text, "chart", origin="chart")
            elif element.tag == "xdr:pic":
                self._findings.unread["picture"] += 1

    def _show_cell(self, element: Element, column: int, row: int) -> SheetCell | None:
        """A cell with what it shows; None if there is nothing in it."""
        style = self._style(element)
        kind, stored = attribute(element, "t") or "n", (child(element, "x:v"))
        formula = child(element, "x:f")
        cell = SheetCell(column, "")
        value = (stored.text or "").strip() if stored is not None else ""
        if formula is not None:
            cell.formula = " ".join((formula.text or "").split())
            if not value and kind != "str":
                self._uncalculated += 1
                cell.text, cell.formula = f"={cell.formula}", ""
                return cell
        if kind == "s":
            at = number(value, -1)
            if at is None or not 0 <= at < len(self._strings):
                self._findings.miss(f"string {value[:20]} of a cell")
                return cell if cell.formula else None
            self._show_text(cell, self._strings[at], style)
        elif kind == "inlineStr":
            self._show_text(cell, read_string(child(element, "x:is")), style)
        elif kind == "str":
            self._show_text(cell, one_line(unescape(value if stored is None else stored.text or "")), style)
        elif kind == "b":
            cell.text = "TRUE" if value in ("1", "true") else "FALSE" if value else ""
        elif kind == "e":
            cell.text = one_line(value)
        elif value:
            self._show_number(cell, _to_days(value, self._is_1904) if kind == "d" else value, style)
        if style.is_unseen and cell.text:
            cell.unseen = HIDDEN_CELL
        if style.is_struck and cell.text:
            cell.text = f"{STRUCK_OPENING}{strike(cell.text)}{STRUCK_CLOSING}"
            self._findings.struck += len(cell.text)
        return cell if cell.text or cell.stored or cell.formula else None

    def _show_text(self, cell: SheetCell, text: str, style: CellStyle) -> None:
        cell.text = one_line(style.number_format.show_text(text)) if style.number_format.code else text
        if text and not cell.text:
            cell.stored = text

    def _show_number(self, cell: SheetCell, value: str, style: CellStyle) -> None:
        try:
            stored = float(value)
        except ValueError:
            cell.text = one_line(value)  # what no program writes is at least not lost
            return
        if not math.isfinite(stored):
            cell.text = one_line(value)
            return
        show_number(cell, stored, style.number_format, self._is_1904)

    def _style(self, element: Element) -> CellStyle:
        at = number(attribute(element, "s"), 0) or 0
        return self._styles[at] if 0 <= at < len(self._styles) else _USUAL

    def _read_strings(self) -> Iterator[str]:
        part = self._part_of("sharedStrings")
        if part:
            for element in self._package.iterate_xml(part, "x:sst", "x:si"):
                yield read_string(element)

    def _part_of(self, kind: str) -> str:
        """The part of a kind that the workbook refers to; "" if there is none."""
        named = [relation.target for relation in self._relations.values() if relation.kind == kind]
        found = next((part for part in named if self._package.has(part)), "")
        if named and not found:
            self._findings.miss(named[0])
        return found

    def _count(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise too_many_characters_error(self._package.name, self._limits)


class _SheetReader:
    """Takes the elements of one sheet, in order."""

    def __init__(self, page: SheetPage, show_cell: Callable[[Element, int, int], SheetCell | None]) -> None:
        self._page, self._show_cell = page, show_cell
        self.merged: list[Area] = []
        self.declared: list[Area] = []
        self.heads: list[tuple[Origin, str]] = []
        self.drawing = ""
        self._row = 0
        self._rows_are_hidden = False
        self._shared: dict[str, tuple[int, int, str]] = {}
        """By the number of a formula that several cells share: where it is kept, and its text."""
        self._hidden_columns: list[tuple[int, int]] = []
        page.is_hidden_column = self._is_hidden_column

    def read(self, element: Element) -> None:
        """One of the sheet's rows or other parts."""
        match element.tag:
            case "x:row":
                self._read_row(element)
            case "x:cols":
                for one in children(element, "x:col"):
                    if _is_hidden(one, "width"):
                        ends = number(attribute(one, "min"), 1) or 1, number(attribute(one, "max"), 0) or 0
                        self._hidden_columns.append((ends[0] - 1, ends[1] - 1))
            case "x:sheetFormatPr":
                self._rows_are_hidden = attribute(element, "zeroHeight") in ("1", "true")
            case "x:mergeCells":
                areas = (_read_area(attribute(one, "ref")) for one in children(element, "x:mergeCell")[:_MOST_MERGED])
                self.merged += [area for area in areas if area]
            case "x:headerFooter":
                for origin, name in _HEADS:
                    texts = (child(element, f"x:{kind}{name}") for kind in ("odd", "even", "first"))
                    read = (one_line(_HEAD_CODE.sub(" ", one.text or "")) for one in texts if one is not None)
                    self.heads += [(origin, text) for text in dict.fromkeys(read) if any(map(str.isalnum, text))]
            case "x:drawing":
                self.drawing = attribute(element, "id")

    def _read_row(self, element: Element) -> None:
        row = number(attribute(element, "r"), 0) or self._row + 1
        self._row = row
        cells: list[SheetCell] = []
        column = -1
        for one in element:
            if one.tag != "x:c":
                continue
            place = parse_reference(attribute(one, "r"))
            column = place[1] if place else column + 1
            is_told = self._share_formula(child(one, "x:f"), row, column)
            cell = self._show_cell(one, column, row)
            if cell is not None:
                cell.formula = "" if is_told else cell.formula
                cells.append(cell)
        is_unset = "hidden" not in element.attrib and "ht" not in element.attrib
        self._page.add_row(row, cells, _is_hidden(element, "ht") or (self._rows_are_hidden and is_unset))

    def _share_formula(self, formula: Element | None, row: int, column: int) -> bool:
        """Whether the formula of a cell is told with the range that has it; one kept at another cell is put in."""
        if formula is None or attribute(formula, "t") not in ("shared", "array"):
            return False
        if formula.text and attribute(formula, "ref"):
            text = unescape(" ".join(formula.text.split()))
            self._page.formulas.add_filled(attribute(formula, "ref"), text)
            self._shared[attribute(formula, "si")] = (row, column, text)
        elif attribute(formula, "si") in self._shared:
            top, left, text = self._shared[attribute(formula, "si")]
            formula.text = shift_formula(text, row - top, column - left)
        return True

    def _is_hidden_column(self, column: int) -> bool:
        return any(first <= column <= last for first, last in self._hidden_columns)


def show_number(cell: SheetCell, stored: float, number_format: NumberFormat, is_1904: bool) -> None:
    """Let a cell show a number, and keep what the format rounds or leaves out."""
    shown = number_format.show_number(stored, is_1904)
    cell.text = one_line(shown.text)
    if not shown.is_exact:
        iso = to_iso(stored, is_1904) if number_format.is_date else ""
        cell.stored = iso or f"{stored:.15g}"
    is_year = cell.text.isdecimal() and len(cell.text) == 4 and cell.text[:2] in ("19", "20")
    cell.is_amount = not is_year and not number_format.is_date


def describe_totals(pages: list[PageText], totals: SheetTotals, uncalculated: int) -> Iterator[Caution]:
    """What a reader should know of the sheets of a workbook."""
    sheets = [page.label for page in pages if page.hidden and page.length]
    parts = [f"the sheet{'s' * (len(sheets) > 1)} {', '.join(sheets[:8])}"[:300]] * bool(sheets)
    for origin, count in sorted(totals.hidden.items()):
        parts.append(f"{count:,} {'cells in hidden columns' if origin == 'hidden column' else f'{origin}s'}")
    if parts:
        message = f"hidden parts are read and marked: {'; '.join(parts)}"
        yield Caution("hidden-parts", message)
    if uncalculated:
        what = f"{uncalculated:,} cells hold formulas without a result: the formula is given in its place"
        yield Caution("no-result", what)
    for origin, count in totals.unlisted.items():
        if count:
            yield Caution("not-listed", f"{count:,} {origin}s are not listed: there are too many")


def _is_hidden(element: Element, size: str) -> bool:
    """Whether a row or column is hidden, or has no size."""
    if attribute(element, "hidden") in ("1", "true"):
        return True
    try:
        return float(attribute(element, size) or 1) == 0
    except ValueError:
        return False


def _read_area(reference: str) -> Area | None:
    first, _, last = reference.partition(":")
    begin, end = parse_reference(first), parse_reference(last or first)
    return Area(*begin, *end) if begin and end and begin <= end else None


def _to_days(value: str, is_1904: bool) -> str:
    """The number of days of an ISO 8601 date; what is none as it is."""
    try:
        return format_general(days_since(datetime.fromisoformat(value).replace(tzinfo=None), is_1904))
    except (ValueError, OverflowError):
        return value
