"""Excel workbooks (xlsx): each sheet is a page, each row a line, each cell as its number format shows it.

Sheets are read row by row, so that large ones need no tree. Hidden sheets, rows, columns and cells are read and
marked. Values that a format rounds or leaves out, and formulas, follow the rows.
"""

import math
from collections.abc import Iterator
from datetime import datetime
from xml.etree.ElementTree import Element

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.dates import days_since, to_iso
from ralph_cli.documents.office.drawing_text import describe_chart, join_paragraphs
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.number_format import NumberFormat, format_general
from ralph_cli.documents.office.package import Package, Relation
from ralph_cli.documents.office.theme import read_theme
from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.documents.page_text import CharacterBudget, PageText, finish_document, one_line
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sheets.formulas import parse_reference
from ralph_cli.documents.sheets.page import SheetCell, SheetPage, SheetTotals, describe_totals
from ralph_cli.documents.sheets.rows import MOST_RANGES, SHEET_PARTS, SheetReader, read_area
from ralph_cli.documents.sheets.styles import (
    CellStyle,
    is_sized,
    read_conditional_formats,
    read_string,
    read_styles,
    unescape,
)
from ralph_cli.documents.sight import DOUBTFUL, TINY, is_unseen
from ralph_cli.documents.tables import measure_blanks

_MAIN_PART = "xl/workbook.xml"
_SHEETS = {"worksheet": "x:worksheet", "chartsheet": "x:chartsheet"}
_CHARTS = ("c:chartSpace", "cx:chartSpace")
_USUAL = CellStyle()


def parse_xlsx(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """Return a workbook with tables, cell names and marks on hidden content; call it in a child process.

    Raises DocumentError damaged, encrypted, too-big, no-text, unsupported.
    """
    return _WorkbookReader(Package(data, name, limits, _MAIN_PART), limits).read()


class _WorkbookReader:
    """Reads the parts of one workbook."""

    def __init__(self, package: Package, limits: LoadLimits) -> None:
        self._package, self._limits = package, limits
        self._findings = Findings()
        self._totals = SheetTotals(CharacterBudget(package.name, limits))
        self._main = package.main_part()
        self._relations = package.relations(self._main)
        self._workbook = package.read_xml(self._main, "x:workbook")
        self._is_1904 = attribute(child(self._workbook, "x:workbookPr"), "date1904") in ("1", "true", "on")
        self._sized: set[int] = set()
        """The numbers of the strings whose words all have their own font sizes."""
        self._blanks: dict[int, float] = {}
        """The indent of strings by the blanks at their start, in points, by their numbers."""
        self._strings = list(self._read_strings())
        styles, theme = self._open("styles", "x:styleSheet"), read_theme(self._open("theme", "a:theme"))
        self._styles, self._conditional_formats = read_styles(styles, theme), read_conditional_formats(styles)
        self._conditional: list[str] = []
        self._known_styles: dict[str, CellStyle] = {}
        self._uncalculated = 0

    def read(self) -> ParsedDocument:
        """Return the whole workbook."""
        findings = self._findings
        findings.doubts += self._package.doubts(self._main, "an Excel workbook")
        pages = [
            self._read_sheet(sheet, at) for at, sheet in enumerate(children(self._workbook, "x:sheets", "x:sheet"), 1)
        ]
        findings.pass_over(self._package.orphans())
        findings.notices += describe_totals(pages, self._totals, self._uncalculated)
        if self._conditional:
            findings.notices.append(_describe_conditional(self._conditional))
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
            self._findings.leave("sheets of macros or dialogs", name)
        else:
            reader = SheetReader(page, self._show_cell, self._conditional_formats)
            try:
                for element in self._package.iterate_xml(relation.target, _SHEETS[relation.kind], *SHEET_PARTS):
                    reader.read(element)
                self._read_beside(relation.target, page, reader)
            except DocumentError as error:
                self._findings.note_damage(error, f"the sheet {name[:80]} could not be read to its end", at)
            self._conditional += map(page.name_cells, reader.conditional)
            return page.finish(reader.merged, reader.declared)
        return page.finish()

    def _read_beside(self, part: str, page: SheetPage, reader: "SheetReader") -> None:
        """Read the parts that belong to a sheet: declared tables, comments, drawings."""
        relations = self._package.relations(part)
        for relation in relations.values():
            if relation.kind == "table" and self._package.has(relation.target):
                table = self._package.read_xml(relation.target, "x:table")
                area = read_area(attribute(table, "ref"))
                if area and attribute(table, "headerRowCount") != "0":
                    reader.declared.append(area)
        for origin, text in reader.heads:
            page.add_beside(text, origin, origin=origin)
        for relation in relations.values():
            if relation.kind == "comments":
                self._append_comments(relation, page)
        if drawing := relations.get(reader.drawing):
            self._append_drawing(drawing, page)
        elif reader.drawing:
            self._findings.miss(f"a drawing of {part}")

    def _append_comments(self, relation: Relation, page: SheetPage) -> None:
        root = self._package.open(relation, self._findings, "", "x:comments")
        authors = [one_line(one.text or "")[:80] for one in children(root, "x:authors", "x:author")]
        for comment in children(root, "x:commentList", "x:comment"):
            text = read_string(child(comment, "x:text"), self._findings)
            at = number(attribute(comment, "authorId"), -1)
            author = (authors[at] if 0 <= at < len(authors) else "") or "an unnamed author"
            reference = attribute(comment, "ref")
            if text and parse_reference(reference):
                page.add_beside(text, f"comment by {author} on {reference}", reference, "comment")
                self._findings.comments += 1

    def _append_drawing(self, relation: Relation, page: SheetPage) -> None:
        """Add the texts of a sheet's shapes, and its charts."""
        root = self._package.open(relation, self._findings, "", "xdr:wsDr")
        charts = self._package.relations(relation.target)
        for element in root.iter() if root is not None else ():
            if element.tag == "xdr:txBody" and (text := join_paragraphs(element)):
                page.add_beside(text, "text box")
            elif element.tag in ("c:chart", "cx:chart"):
                chart = self._package.open(charts.get(attribute(element, "id")), self._findings, "a chart", *_CHARTS)
                if chart is not None and (told := describe_chart(chart)):
                    page.add_beside(told, "chart", origin="chart")
            elif element.tag == "xdr:pic":
                self._findings.unread["pictures"] += 1

    def _show_cell(self, element: Element, column: int, row: int) -> SheetCell | None:
        """Return a cell with the text it shows; None if it is empty."""
        style = self._style(element)
        kind = element.get("t", "n")
        inside = {one.tag: one for one in element}
        stored, formula = inside.get("x:v"), inside.get("x:f")
        cell = SheetCell(column, "", indent=style.indent)
        value = (stored.text or "").strip() if stored is not None else ""
        if formula is not None:
            cell.formula = " ".join((formula.text or "").split())
            if not value and kind != "str":
                self._uncalculated += 1
                cell.text, cell.formula = f"={cell.formula}", ""
                return cell
        self._show_value(cell, kind, stored, inside.get("x:is"), style)
        self._note_look(cell, style, is_sized=self._is_sized(kind, value, inside))
        return cell if cell.text or cell.stored or cell.formula else None

    def _note_look(self, cell: SheetCell, style: CellStyle, *, is_sized: bool) -> None:
        """Record whether a cell's words are seen and whether they are struck out."""
        if cell.text and is_unseen(style.why) and (style.why != TINY or not is_sized):
            cell.unseen = style.why
        elif style.why:
            self._findings.take(cell.text, DOUBTFUL)
        if style.is_struck and cell.text:
            cell.text = self._findings.strike(cell.text)

    def _show_value(
        self, cell: SheetCell, kind: str, stored: Element | None, inline: Element | None, style: CellStyle
    ) -> None:
        """Set the text of a cell from its stored value, by the kind of the value (ECMA-376, part 1, 18.18.11)."""
        written = (stored.text or "") if stored is not None else ""
        value = written.strip()
        match kind:
            case "s":
                at = number(value, -1)
                if at is not None and 0 <= at < len(self._strings):
                    self._show_text(cell, self._strings[at], style)
                    cell.indent += self._blanks.get(at, 0.0)
                else:
                    self._findings.miss(f"string {value[:20]} of a cell")
            case "inlineStr":
                self._show_text(cell, read_string(inline, self._findings), style)
            case "str":
                self._show_text(cell, one_line(unescape(written)), style)
            case "b":
                cell.text = "TRUE" if value in ("1", "true") else "FALSE" if value else ""
            case "e":
                cell.text = one_line(value)
            case _ if value:
                self._show_number(cell, _to_days(value, self._is_1904) if kind == "d" else value, style)

    def _is_sized(self, kind: str, value: str, inside: dict[str, Element]) -> bool:
        """Whether all words in a cell have their own font sizes."""
        if kind == "s":
            return number(value, -1) in self._sized
        return kind == "inlineStr" and is_sized(inside.get("x:is"))

    def _show_text(self, cell: SheetCell, text: str, style: CellStyle) -> None:
        cell.text = one_line(style.number_format.show_text(text)) if style.number_format.code else text
        if text and not cell.text:
            cell.stored = text

    def _show_number(self, cell: SheetCell, value: str, style: CellStyle) -> None:
        if style is _USUAL and len(value) < 12 and value.isdecimal():  # most cells of large sheets
            cell.text = str(int(value))
            return
        try:
            stored = float(value)
        except ValueError:
            stored = math.nan
        if math.isfinite(stored):
            show_number(cell, stored, style.number_format, self._is_1904)
        else:
            cell.text = one_line(value)  # no program writes this, but it must not be lost

    def _style(self, element: Element) -> CellStyle:
        index = element.get("s", "0")
        if index not in self._known_styles:
            at = number(index, -1)
            is_known = at is not None and 0 <= at < len(self._styles)
            style = self._styles[at] if at is not None and is_known else _USUAL
            self._known_styles[index] = _USUAL if style == _USUAL else style
        return self._known_styles[index]

    def _read_strings(self) -> Iterator[str]:
        if part := self._package.find_part(self._relations, "sharedStrings", self._findings):
            for at, element in enumerate(self._package.iterate_xml(part, "x:sst", "x:si")):
                if is_sized(element):
                    self._sized.add(at)
                first = next(element.iter("x:t"), None)
                if first is not None and (blanks := measure_blanks(first.text or "")):
                    self._blanks[at] = blanks
                yield read_string(element, self._findings)

    def _open(self, kind: str, root: str) -> Element | None:
        """Return the tree of the part of this kind that the workbook refers to; None without one."""
        part = self._package.find_part(self._relations, kind, self._findings)
        return self._package.read_xml(part, root) if part else None


def _describe_conditional(ranges: list[str]) -> Caution:
    """Return a caution about ranges with conditional formats that have number formats."""
    listed = ", ".join(name[:120] for name in ranges[:MOST_RANGES])
    others = " and other cells" if len(ranges) > MOST_RANGES else ""
    what = f"a spreadsheet program may show {listed}{others} differently"
    return Caution("conditional-formats", f"number formats of conditional formats are not applied: {what}")


def show_number(cell: SheetCell, stored: float, number_format: NumberFormat, is_1904: bool) -> None:
    """Set the text of a cell to a number, and keep the value if the format rounds or leaves out parts of it."""
    shown = number_format.show_number(stored, is_1904)
    cell.text = one_line(shown.text)
    iso = to_iso(stored, is_1904) if number_format.is_date else ""
    cell.is_regional = bool(iso) and number_format.is_regional
    if not shown.is_exact:
        cell.stored = iso or f"{stored:.15g}"


def _to_days(value: str, is_1904: bool) -> str:
    """Return the number of days of an ISO 8601 date; a text that is not a date stays unchanged."""
    try:
        return format_general(days_since(datetime.fromisoformat(value).replace(tzinfo=None), is_1904))
    except (ValueError, OverflowError):
        return value
