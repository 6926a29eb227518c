"""The shapes of a slide: which placeholder they fill, where they stand, and the text of tables."""

from xml.etree.ElementTree import Element

from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.documents.page_text import PageText, one_line
from ralph_cli.documents.slides.paragraphs import read_paragraphs
from ralph_cli.documents.tables import TableCell, TableRow, measure_blanks, write_table

TITLES = ("title", "ctrTitle")
"""The types of placeholders for titles."""

_EMU_OF_POINT, _EMU_OF_LEVEL = 12_700, 342_900
"""A level of a list is set in by so much where nothing else is said."""

Place = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def read_table(element: Element, findings: Findings) -> PageText:
    """A table as text; empty if nothing is in it."""
    named = attribute(child(element, "a:tblPr"), "firstRow") in ("1", "true")
    rows: list[TableRow] = []
    for row in children(element, "a:tr"):
        cells = []
        for at, cell in enumerate(children(row, "a:tc")):
            if attribute(cell, "hMerge") in ("1", "true"):
                continue
            span = max(number(attribute(cell, "gridSpan"), 1) or 1, 1)
            text = one_line(read_paragraphs(child(cell, "a:txBody"), findings))
            cells.append(TableCell(at, at + span, text, attribute(cell, "vMerge") in ("1", "true")))
        rows.append(TableRow(cells, _measure_indent(row), named and not rows))
    return write_table(rows)


def _measure_indent(row: Element) -> float:
    """How many points the first line of a row is set in."""
    paragraph = child(row, "a:tc", "a:txBody", "a:p")
    properties = child(paragraph, "a:pPr")
    level = number(attribute(properties, "lvl"), 0) or 0
    margin = number(attribute(properties, "marL"), level * _EMU_OF_LEVEL) or 0
    text = child(paragraph, "a:r", "a:t")
    blanks = measure_blanks(text.text or "") if text is not None else 0.0
    return (margin + (number(attribute(properties, "indent"), 0) or 0)) / _EMU_OF_POINT + blanks


def placeholder(shape: Element) -> Element | None:
    """The element that says which placeholder of its layout a shape fills; None if it fills none."""
    return next((found for one in shape if (found := child(one, "p:nvPr", "p:ph")) is not None), None)


def placeholder_key(shape: Element) -> str:
    """What a placeholder is known by in its layout: its number, or its type."""
    found = placeholder(shape)
    if found is None:
        return ""
    return attribute(found, "idx") or ("title" if attribute(found, "type") in TITLES else "body")


def is_hidden(shape: Element) -> bool:
    """Whether a shape is switched off."""
    return any(attribute(child(one, "p:cNvPr"), "hidden") in ("1", "true") for one in shape)


def read_place(shape: Element) -> Place | None:
    """Left, top, right and bottom of a shape, None if it has no place of its own."""
    for one in (*(child(part, "a:xfrm") for part in shape), child(shape, "p:xfrm")):
        offset, size = child(one, "a:off"), child(one, "a:ext")
        left, top = number(attribute(offset, "x")), number(attribute(offset, "y"))
        if left is not None and top is not None:
            width, height = number(attribute(size, "cx"), 0) or 0, number(attribute(size, "cy"), 0) or 0
            return left, top, left + width, top + height
    return None
