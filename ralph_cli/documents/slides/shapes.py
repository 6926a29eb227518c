"""The shapes of a slide: which placeholder they fill, where they stand, and the text of tables."""

from xml.etree.ElementTree import Element

from ralph_cli.core.structure import Table
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.tables import TableCell, write_table
from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.documents.page_text import one_line
from ralph_cli.documents.slides.paragraphs import read_paragraphs

TITLES = ("title", "ctrTitle")
"""The types of placeholders for titles."""

Place = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def read_table(element: Element, findings: Findings) -> tuple[str, list[Table]] | None:
    """The text of a table with its columns, None if nothing is in it."""
    rows = []
    for row in children(element, "a:tr"):
        cells = []
        for at, cell in enumerate(children(row, "a:tc")):
            if attribute(cell, "hMerge") in ("1", "true"):
                continue
            span = max(number(attribute(cell, "gridSpan"), 1) or 1, 1)
            text = one_line(read_paragraphs(child(cell, "a:txBody"), findings))
            cells.append(TableCell(at, at + span, text, attribute(cell, "vMerge") in ("1", "true")))
        rows.append(cells)
    named = attribute(child(element, "a:tblPr"), "firstRow") in ("1", "true")
    return write_table(rows, 1 if named else None)


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
