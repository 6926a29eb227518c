"""OpenDocument spreadsheets (ods): each sheet is a page, each row a line, each cell as the saving program showed it.

The file has both the shown and the stored value of a cell. Rows are read one by one, so that large sheets need no
tree. Hidden sheets, rows and columns are read and marked.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from xml.etree.ElementTree import Element

from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Origin
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, child, number
from ralph_cli.documents.open_document.archive import CONTENT, OBJECTS, OpenDocument
from ralph_cli.documents.open_document.paragraphs import DRAWINGS, blanks_before
from ralph_cli.documents.open_document.story import Story
from ralph_cli.documents.open_document.styles import Styles, collect_styles, read_points
from ralph_cli.documents.open_document.text import describe_comment
from ralph_cli.documents.page_text import CharacterBudget, PageText, finish_document, one_line
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sheets.formulas import column_name
from ralph_cli.documents.sheets.page import Area, SheetCell, SheetPage, SheetTotals, describe_totals
from ralph_cli.documents.sight import BLACK, WHITE, Ink, is_unseen
from ralph_cli.documents.tables import measure_blanks

_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384
# The ink for words that are read and marked although they are not seen.
_READ = Ink(ground=frozenset({BLACK, WHITE}))

_TEXTS = ("text:p", "text:list")
_FIGURES = frozenset({"float", "currency", "percentage"})
_REFERENCE = re.compile(r"\[([^\]]*)\]")


def parse_ods(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """Return a spreadsheet with tables, cell names and marks on hidden content; call it in a child process.

    Raises DocumentError damaged, encrypted, too-big, no-text, unsupported.
    """
    return _SpreadsheetReader(OpenDocument(data, name, limits), limits).read()


class _SpreadsheetReader:
    """Reads the sheets of one file, row by row."""

    def __init__(self, archive: OpenDocument, limits: LoadLimits) -> None:
        self._archive, self._limits = archive, limits
        self._findings = Findings()
        self._totals = SheetTotals(CharacterBudget(archive.name, limits))
        self._styles: Styles = collect_styles(archive.read_styles())
        self._usual = self._styles.usual_ink("table-cell", Ink())
        self._story = Story(self._styles, self._findings, archive, self._totals.write)
        self._pages: list[PageText] = []
        self._sheet: SheetPage | None = None
        self._uncalculated = 0
        self._margins: dict[str, float] = {}

    def read(self) -> ParsedDocument:
        """Return the whole spreadsheet."""
        names = ("office:automatic-styles", "office:forms", "table:table-row", "table:table-column", "table:shapes")
        try:
            for element in self._archive.iterate_xml(
                CONTENT, "office:document-content", *names, opened=("table:table",)
            ):
                self._take(element)
        except DocumentError as error:
            if self._sheet is None:
                raise
            at = len(self._pages) + 1
            self._findings.note_damage(error, f"sheet {at} could not be read to its end", at)
        self._finish_sheet()
        self._findings.pass_over(self._archive.unread_parts(OBJECTS))
        self._findings.notices += describe_totals(self._pages, self._totals, self._uncalculated)
        hint = "pictures are not read; save the sheet as PDF, and run OCR"
        return finish_document(self._pages, self._findings, self._archive.name, self._limits, empty_hint=hint)

    def _take(self, element: Element) -> None:
        if element.tag == "office:automatic-styles":
            self._styles.add([element])
        elif element.tag == "table:table":
            self._finish_sheet()
            self._begin_sheet(element)
        elif self._sheet is not None:
            match element.tag:
                case "table:table-column":
                    self._take_column(element)
                case "table:table-row":
                    self._take_row(element, self._sheet)
                case "office:forms":
                    self._story.controls.add(element)
                case "table:shapes":
                    self._drawings += [one for one in element if one.tag in DRAWINGS]

    def _begin_sheet(self, element: Element) -> None:
        style = attribute(element, "style-name")
        is_hidden = self._styles.value("table", style, "table", "display") == "false"
        self._hidden_columns: list[tuple[int, int]] = []
        self._column_styles: list[tuple[int, str]] = []
        """The first column of each group with a default cell style, and the style."""
        self._merged: list[Area] = []
        self._drawings: list[Element] = []
        self._comments: list[tuple[str, Element]] = []
        self._row, self._column = 0, 0
        name = attribute(element, "name") or f"sheet {len(self._pages) + 1}"
        hidden: Origin | None = "hidden sheet" if is_hidden else None
        self._sheet = SheetPage(name, self._totals, hidden, self._is_hidden_column)

    def _finish_sheet(self) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        for reference, comment in self._comments:
            author, text = describe_comment(comment)
            if text:
                sheet.add_beside(text, f"comment by {author} on {reference}", reference, "comment")
                self._findings.comments += 1
        for drawing in self._drawings:
            for block in self._story.read_drawing(drawing):
                sheet.add_beside(block.text, block.label or block.origin or "text box", origin=block.origin)
        self._pages.append(sheet.finish(self._merged))
        self._sheet = None

    def _take_column(self, element: Element) -> None:
        repeated = _repetition(element, "number-columns-repeated", _LAST_COLUMN)
        if attribute(element, "visibility") in ("collapse", "filter"):
            self._hidden_columns.append((self._column, self._column + repeated))
        self._column_styles.append((self._column, attribute(element, "default-cell-style-name")))
        self._column += repeated

    def _take_row(self, element: Element, sheet: SheetPage) -> None:
        repeated = _repetition(element, "number-rows-repeated", _LAST_ROW)
        is_hidden = attribute(element, "visibility") in ("collapse", "filter")
        cells = list(self._read_cells(element))
        for row in range(self._row + 1, min(self._row + repeated, _LAST_ROW) + 1) if cells else ():
            sheet.add_row(row, cells, is_hidden)
        self._row += repeated

    def _read_cells(self, element: Element) -> Iterator[SheetCell]:
        column = 0
        for one in element:
            if one.tag not in ("table:table-cell", "table:covered-table-cell"):
                continue
            repeated = _repetition(one, "number-columns-repeated", _LAST_COLUMN)
            text = self._show(one, column)
            self._note_merged(one, column)
            formula = _read_formula(attribute(one, "formula"))
            kind = attribute(one, "value-type")
            if formula and not kind:
                self._uncalculated += 1
                text, formula = text or f"={formula}", ""
            stored = _stored_behind(one, kind, text)
            if text or stored or formula:
                indent = self._indent(one, column)
                for at in range(column, min(column + repeated, _LAST_COLUMN)):
                    why = self._why(one, at)
                    yield SheetCell(at, text, stored, formula, why if is_unseen(why) else "", indent)
            column += repeated

    def _show(self, element: Element, column: int) -> str:
        """Return the text that a cell shows, on one line; its comment and drawings are kept for the end of the sheet.

        If a cell has visible words, its unseen words are left out.
        """
        texts = []
        style = self._style(element, column)
        ink = self._styles.ink("table-cell", style, self._usual)
        self._story.set_usual(_READ if is_unseen(ink.why) else ink)
        for one in element:
            if one.tag == "office:annotation":
                self._comments.append((f"{column_name(column)}{self._row + 1}", one))
            elif one.tag in DRAWINGS:
                self._drawings.append(one)
            elif one.tag == "text:p" and not len(one):
                texts.append(self._findings.take(one.text or "", "" if is_unseen(ink.why) else ink.why))
            elif one.tag in _TEXTS:
                texts += [block.text.text() for block in self._story.blocks([one])]
        text = one_line(" ".join(texts)) if texts else ""
        if text and self._styles.value("table-cell", style, "text", "text-line-through-style") not in ("", "none"):
            return self._findings.strike(text)
        return text

    def _style(self, element: Element, column: int) -> str:
        """Return the name of a cell's style."""
        if style := attribute(element, "style-name"):
            return style
        at = bisect_right(self._column_styles, column, key=itemgetter(0)) - 1
        return self._column_styles[at][1] if at >= 0 else ""

    def _indent(self, element: Element, column: int) -> float:
        """Return the indent of a cell's text in points."""
        style = self._style(element, column)
        if style not in self._margins:
            margin = self._styles.value("table-cell", style, "paragraph", "margin-left")
            self._margins[style] = read_points(margin) or 0.0
        return self._margins[style] + measure_blanks(blanks_before(child(element, "text:p")))

    def _why(self, element: Element, column: int) -> str:
        """Return why words of a cell are not seen in its style; "" if all are seen."""
        ink = self._styles.ink("table-cell", self._style(element, column), self._usual)
        texts = [one for one in element if one.tag in _TEXTS] if is_unseen(ink.why) else []
        return next(filter(is_unseen, (self._why_in(one, ink) for one in texts)), "") if texts else ink.why

    def _why_in(self, element: Element, ink: Ink) -> str:
        """Return why words of an element within text of this ink are not seen; runs may have their own ink."""
        if element.tag == "text:span":
            ink = self._styles.ink("text", attribute(element, "style-name"), ink)
        words = (element.text, *(one.tail for one in element))
        own = [ink.why] if any(text and text.strip() for text in words) else []
        return next(filter(is_unseen, (*own, *(self._why_in(one, ink) for one in element))), "")

    def _note_merged(self, element: Element, column: int) -> None:
        wide = _repetition(element, "number-columns-spanned", _LAST_COLUMN)
        down = _repetition(element, "number-rows-spanned", _LAST_ROW)
        if wide > 1 or down > 1:
            row = self._row + 1
            self._merged.append(Area(row, column, row + down - 1, column + wide - 1))

    def _is_hidden_column(self, column: int) -> bool:
        return any(first <= column < end for first, end in self._hidden_columns)


def _repetition(element: Element, name: str, most: int) -> int:
    return min(max(number(attribute(element, name), 1) or 1, 1), most)


def _read_formula(formula: str) -> str:
    """Return a formula as the sheet's users see it: without its language prefix, and references without brackets."""
    text = formula.removeprefix("of:").removeprefix("oooc:").removeprefix("=")
    return _REFERENCE.sub(lambda match: match[1].replace(":.", ":").removeprefix("."), " ".join(text.split()))


def _stored_behind(element: Element, kind: str, text: str) -> str:
    """Return the value stored in a cell if it says more than the shown text, else "".

    A figure says more if it has other digits, whatever the signs between them. A date says more if its day is not
    shown.
    """
    if kind in _FIGURES:
        value = attribute(element, "value")
        try:
            exact = f"{float(value):.15g}"
        except ValueError:
            return ""
        return "" if "e" in exact or _digits(exact) == _digits(text) else exact
    if kind == "date":
        value = attribute(element, "date-value").removesuffix("T00:00:00")
        numbers = {int(found) for found in re.findall(r"\d{1,4}", text)}
        year, _, rest = value.partition("-")
        day = re.fullmatch(r"\d\d-(\d\d)(T.*)?", rest)
        if day and year.isdecimal() and {int(year), int(year[-2:])} & numbers and int(day[1]) in numbers:
            return value if day[2] and ":" not in text else ""
        return one_line(value)[:40]
    return ""


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text)).strip("0")
