"""Fields of a text: their results are shown and their codes are not; some codes alone give the result.

Special characters begin a field, separate its code from its result, and end it (ECMA-376, 17.16.18). They may be in
different paragraphs.
"""

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.symbols import CHECKED, UNCHECKED, symbol_of_code
from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on, number
from ralph_cli.text.raised import lower_figures, raise_figures, write_fraction

_FRACTION = re.compile(r"\\f\s*\(([^()\\;,]{1,40})[;,]([^()\\;,]{1,40})\)", re.IGNORECASE)
_RADICAL = re.compile(r"\\r\s*\((?:[^()\\;,]{0,9}[;,])?([^()\\;,]{1,40})\)", re.IGNORECASE)
_RAISED = re.compile(r"\\s\s*\\(up|do)\s*\d*\s*\(([^()\\;,]{1,40})\)", re.IGNORECASE)
_SYMBOL = re.compile(r"SYMBOL\s+(\d{1,6}|0x[0-9a-f]{1,5})(?:.*?\\f\s+\"?([^\"\\]+?)\"?\s*(?:\\|$))?", re.IGNORECASE)
_PAGE_NUMBERS = frozenset({"PAGE", "NUMPAGES", "SECTIONPAGES"})
# Replaces page numbers in text that is repeated on every page.
PAGE_NUMBER = "#"

_MOST_CODE = 4_000
_MOST_OPEN = 100


@dataclass(slots=True)
class _Field:
    code: list[str] = field(default_factory=list)
    in_result: bool = False
    length: int = 0
    replaced: bool = False
    form: str = ""


@dataclass(slots=True)
class Fields:
    """The fields open at a position in a text, innermost last.

    `repeated` means that the text is on every page. `unread` counts equations that could not be read.
    """

    repeated: bool = False
    unread: int = 0
    _open: list[_Field] = field(default_factory=list)

    @property
    def in_code(self) -> bool:
        """Whether the text here belongs to the code of a field, which is not shown."""
        return any(not one.in_result for one in self._open)

    @property
    def is_replaced(self) -> bool:
        """Whether the text here is a page number in a text that is repeated on every page."""
        return any(one.replaced for one in self._open)

    def replaces(self, code: str) -> bool:
        """Whether a sign replaces the result of a field with this code."""
        return self.repeated and code.strip().partition(" ")[0].upper() in _PAGE_NUMBERS

    def add_code(self, text: str) -> None:
        """Add text to the code of the innermost field."""
        if self._open and not self._open[-1].in_result and self._open[-1].length < _MOST_CODE:
            self._open[-1].code.append(text)
            self._open[-1].length += len(text)

    def mark(self, element: Element) -> str:
        """Process a field's character (w:fldChar); return the text shown in place of its result, or ""."""
        kind = attribute(element, "fldCharType")
        if kind == "begin" and len(self._open) < _MOST_OPEN:
            self._open.append(_Field(form=_form_field(child(element, "w:ffData"))))
        elif kind == "separate" and self._open:
            self._open[-1].in_result = True
            self._open[-1].replaced = self.replaces("".join(self._open[-1].code))
        elif kind == "end" and self._open:
            ended = self._open.pop()
            if ended.replaced:
                return PAGE_NUMBER
            if ended.form and (not ended.in_result or ended.form in (CHECKED, UNCHECKED)):
                return ended.form
            if not ended.in_result and not self.in_code:
                return self._show_code("".join(ended.code).strip())
        return ""

    def end_paragraph(self) -> None:
        """Drop the fields whose code does not end in this paragraph, so that they do not hide the text that follows."""
        self._open = [one for one in self._open if one.in_result]

    def _show_code(self, code: str) -> str:
        if self.replaces(code):
            return PAGE_NUMBER
        if symbol := _SYMBOL.match(code):
            return symbol_of_code(f"{int(symbol[1], 0):x}", (symbol[2] or "symbol").casefold())
        if not re.match(r"EQ\b", code, re.IGNORECASE):
            return ""
        shown = code[2:]
        shown = _FRACTION.sub(lambda match: write_fraction(match[1], match[2]), shown)
        shown = _RADICAL.sub(lambda match: f"\u221a({match[1]})", shown)
        shift = {"up": raise_figures, "do": lower_figures}
        shown = _RAISED.sub(lambda match: shift[match[1].lower()](match[2]), shown)
        if "\\" in shown:
            self.unread += 1
            return f"[equation: {code[2:].strip()[:200]}]"
        return shown.strip()


def _form_field(data: Element | None) -> str:
    """Return what a form field shows: the checkbox or the selected entry."""
    box, choices = child(data, "w:checkBox"), child(data, "w:ddList")
    if box is not None:
        state = child(box, "w:checked")
        return CHECKED if is_on(child(box, "w:default") if state is None else state) else UNCHECKED
    if choices is not None:
        entries = children(choices, "w:listEntry")
        chosen = number(attribute(child(choices, "w:result")) or attribute(child(choices, "w:default")), 0)
        return attribute(entries[chosen]) if 0 <= chosen < len(entries) else ""
    return ""
