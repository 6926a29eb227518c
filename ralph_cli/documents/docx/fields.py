"""Fields of a text: their code is not shown, their result is; some have a result that their code alone tells.

A field is begun, parted into code and result, and ended by characters of its own (ECMA-376, 17.16.18), which may stand
in different paragraphs.
"""

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.parts.xml_tree import attribute, child, children, is_on, number
from ralph_cli.documents.docx.symbols import CHECKED, UNCHECKED, symbol_of_code
from ralph_cli.text.raised import lower_figures, raise_figures, write_fraction

_FRACTION = re.compile(r"\\f\s*\(([^()\\;,]{1,40})[;,]([^()\\;,]{1,40})\)", re.IGNORECASE)
_RADICAL = re.compile(r"\\r\s*\((?:[^()\\;,]{0,9}[;,])?([^()\\;,]{1,40})\)", re.IGNORECASE)
_RAISED = re.compile(r"\\s\s*\\(up|do)\s*\d*\s*\(([^()\\;,]{1,40})\)", re.IGNORECASE)
_SYMBOL = re.compile(r"SYMBOL\s+(\d{1,6}|0x[0-9a-f]{1,5})(?:.*?\\f\s+\"?([^\"\\]+?)\"?\s*(?:\\|$))?", re.IGNORECASE)
_MOST_CODE = 4_000
_MOST_OPEN = 100


@dataclass(slots=True)
class _Field:
    code: list[str] = field(default_factory=list)
    in_result: bool = False
    length: int = 0


@dataclass(slots=True)
class Fields:
    """The fields that are open at a place of a text, the innermost last; `unread` counts equations not understood."""

    unread: int = 0
    _open: list[_Field] = field(default_factory=list)

    @property
    def in_code(self) -> bool:
        """Whether text here belongs to some field's code, which is not shown."""
        return any(not one.in_result for one in self._open)

    def add_code(self, text: str) -> None:
        """Some of the code of the innermost field."""
        if self._open and not self._open[-1].in_result and self._open[-1].length < _MOST_CODE:
            self._open[-1].code.append(text)
            self._open[-1].length += len(text)

    def mark(self, element: Element) -> str:
        """A field's character (w:fldChar): what the field shows that has no result, else nothing."""
        kind = attribute(element, "fldCharType")
        if kind == "begin" and len(self._open) < _MOST_OPEN:
            shown = "" if self.in_code else _form_field(child(element, "w:ffData"))
            self._open.append(_Field())
            return shown
        if kind == "separate" and self._open:
            self._open[-1].in_result = True
        elif kind == "end" and self._open:
            ended = self._open.pop()
            if not ended.in_result and not self.in_code:
                return self._show_code("".join(ended.code).strip())
        return ""

    def end_paragraph(self) -> None:
        """Fields whose code has not ended with its paragraph are given up, so that they swallow no text."""
        self._open = [one for one in self._open if one.in_result]

    def _show_code(self, code: str) -> str:
        if symbol := _SYMBOL.match(code):
            return symbol_of_code(f"{int(symbol[1], 0):x}", (symbol[2] or "symbol").casefold())
        if not re.match(r"EQ\b", code, re.IGNORECASE):
            return ""
        shown = code[2:]
        shown = _FRACTION.sub(lambda match: write_fraction(match[1], match[2]), shown)
        shown = _RADICAL.sub(lambda match: f"\u221a({match[1]})", shown)
        shown = _RAISED.sub(
            lambda match: (raise_figures if match[1].lower() == "up" else lower_figures)(match[2]), shown
        )
        if "\\" in shown:
            self.unread += 1
            return f"[equation: {code[2:].strip()[:200]}]"
        return shown.strip()


def _form_field(data: Element | None) -> str:
    """What a field of a form shows: the box to tick, or the choice that was made."""
    box, choices = child(data, "w:checkBox"), child(data, "w:ddList")
    if box is not None:
        state = child(box, "w:checked")
        return CHECKED if is_on(child(box, "w:default") if state is None else state) else UNCHECKED
    if choices is not None:
        entries = children(choices, "w:listEntry")
        chosen = number(attribute(child(choices, "w:result")) or attribute(child(choices, "w:default")), 0) or 0
        return attribute(entries[chosen]) if 0 <= chosen < len(entries) else ""
    return ""
