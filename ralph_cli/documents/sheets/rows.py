"""The rows of one sheet of a workbook, with its settings: hidden rows, merged cells, shared formulas."""

import re
from collections.abc import Callable, Collection
from xml.etree.ElementTree import Element

from ralph_cli.core.structure import Origin
from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.documents.page_text import one_line
from ralph_cli.documents.sheets.formulas import parse_reference, shift_formula
from ralph_cli.documents.sheets.page import Area, SheetCell, SheetPage
from ralph_cli.documents.sheets.styles import unescape

# The elements of a sheet that are read.
SHEET_PARTS = (
    "x:row", "x:cols", "x:mergeCells", "x:conditionalFormatting", "x:drawing", "x:headerFooter", "x:sheetFormatPr",
)  # fmt: skip

# The most ranges with conditional formats that a notice names.
MOST_RANGES = 5

_HEADS: tuple[tuple[Origin, str], ...] = (("page header", "Header"), ("page footer", "Footer"))
_HEAD_CODE = re.compile(r'&"[^"]*"|&\d+|&K[0-9A-Fa-f]{6}|&[A-Za-z]')
_MOST_MERGED = 200_000


class SheetReader:
    """Processes the elements of one sheet, in order."""

    def __init__(
        self,
        page: SheetPage,
        show_cell: Callable[[Element, int, int], SheetCell | None],
        conditional_formats: Collection[str],
    ) -> None:
        """`conditional_formats` are the numbers of the conditional formats that have a number format."""
        self._page, self._show_cell, self._conditional_formats = page, show_cell, conditional_formats
        self.merged: list[Area] = []
        self.declared: list[Area] = []
        self.heads: list[tuple[Origin, str]] = []
        self.drawing = ""
        self.conditional: list[str] = []
        """The first ranges of cells with such a format, one more than are named."""
        self._row = 0
        self._rows_are_hidden = False
        self._shared: dict[str, tuple[int, int, str]] = {}
        """For each shared formula, by its number: its cell and its text."""
        self._hidden_columns: list[tuple[int, int]] = []
        page.is_hidden_column = self._is_hidden_column

    def read(self, element: Element) -> None:
        """Read a row or another part of the sheet."""
        match element.tag:
            case "x:row":
                self._read_row(element)
            case "x:cols":
                for one in children(element, "x:col"):
                    if _is_hidden(one, "width"):
                        ends = number(attribute(one, "min"), 1) or 1, number(attribute(one, "max"), 0)
                        self._hidden_columns.append((ends[0] - 1, ends[1] - 1))
            case "x:sheetFormatPr":
                self._rows_are_hidden = attribute(element, "zeroHeight") in ("1", "true")
            case "x:mergeCells":
                areas = (read_area(attribute(one, "ref")) for one in children(element, "x:mergeCell")[:_MOST_MERGED])
                self.merged += [area for area in areas if area]
            case "x:headerFooter":
                self._read_heads(element)
            case "x:conditionalFormatting":
                formats = (attribute(one, "dxfId") for one in children(element, "x:cfRule"))
                if any(one in self._conditional_formats for one in formats):
                    ranges = attribute(element, "sqref").split(maxsplit=MOST_RANGES + 1)[: MOST_RANGES + 1]
                    self.conditional = list(dict.fromkeys(self.conditional + ranges))[: MOST_RANGES + 1]
            case "x:drawing":
                self.drawing = attribute(element, "id")

    def _read_heads(self, element: Element) -> None:
        """Read the headers and footers of printed pages, each text once."""
        for origin, name in _HEADS:
            texts = (child(element, f"x:{kind}{name}") for kind in ("odd", "even", "first"))
            read = (one_line(_HEAD_CODE.sub(" ", one.text or "")) for one in texts if one is not None)
            self.heads += [(origin, text) for text in dict.fromkeys(read) if any(map(str.isalnum, text))]

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
        """Whether a cell's formula is listed with its range; a formula stored at another cell is filled in."""
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


def _is_hidden(element: Element, size: str) -> bool:
    """Whether a row or column is hidden, or has no size."""
    if attribute(element, "hidden") in ("1", "true"):
        return True
    try:
        return float(attribute(element, size) or 1) == 0
    except ValueError:
        return False


def read_area(reference: str) -> Area | None:
    """Return the cells of a range like "A1:C3"; None if the text is not a range."""
    first, _, last = reference.partition(":")
    begin, end = parse_reference(first), parse_reference(last or first)
    return Area(*begin, *end) if begin and end and begin <= end else None
