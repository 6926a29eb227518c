"""Strings of workbooks: runs of text joined, raised and struck ones marked, escaped characters put in."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on
from ralph_cli.documents.page_text import one_line
from ralph_cli.documents.sight import WHITE_GROUND, seen
from ralph_cli.text.raised import lower_figures, raise_figures, strike

_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def read_string(element: Element | None, findings: Findings) -> str:
    """The text of a shared or inline string (ECMA-376, part 1, 18.4) on one line, without what tells its reading."""
    return one_line("".join(_read_runs(element, findings))) if element is not None else ""


def read_size(font: Element | None) -> float | None:
    """The points of characters in a font, or with the properties of a run; None if they are not said."""
    try:
        return float(attribute(child(font, "x:sz"), "val")) or None
    except ValueError:
        return None


def is_sized(element: Element | None) -> bool:
    """Whether all words of a string have sizes of their own, whatever the size of its cell is."""
    parts = [*children(element, "x:t"), *children(element, "x:r")]
    return not any("".join(one.itertext()).strip() for one in parts if not read_size(child(one, "x:rPr")))


def unescape(text: str) -> str:
    """Some text with the characters that "_x000D_" and the like stand for (ECMA-376, part 1, 22.4.2.4)."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _read_runs(element: Element, findings: Findings) -> Iterator[str]:
    for one in element:
        if one.tag == "x:t":
            yield unescape(one.text or "")
        elif one.tag == "x:r":
            text = unescape("".join(part.text or "" for part in one if part.tag == "x:t"))
            properties = child(one, "x:rPr")
            text = findings.take(text, seen(None, WHITE_GROUND, read_size(properties)))
            match attribute(child(properties, "x:vertAlign")):
                case "superscript":
                    text = raise_figures(text)
                case "subscript":
                    text = lower_figures(text)
            yield strike(text) if is_on(child(properties, "x:strike")) else text
