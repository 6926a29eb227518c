"""One paragraph: its visible text, the marks in it, and the text boxes and charts attached to it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.equations import write_equation
from ralph_cli.documents.docx.fields import PAGE_NUMBER, Fields
from ralph_cli.documents.docx.reading import Reading, RunLook
from ralph_cli.documents.docx.styles import PAPER, Ground, exact_height, shaded
from ralph_cli.documents.docx.symbols import UNKNOWN, is_symbol_font, symbol_of_code, translate_symbol
from ralph_cli.documents.office.xml_tree import all_text, attribute, child, children, number, preferred_choice
from ralph_cli.documents.page_text import PageText
from ralph_cli.documents.sight import CLIPPED, MARKED, OFF_PAGE, is_far_off, is_flat, is_unseen
from ralph_cli.text.raised import (
    LOWERED,
    RAISED,
    cross_out,
    flatten_figures,
    lower_figures,
    raise_figures,
    write_fraction,
)

DELETED = frozenset({"w:del", "w:moveFrom"})
# Elements whose text is not shown: properties, and the fallback for content that newer programs show.
_NOT_TEXT = frozenset(
    ["w:pPr", "w:rPr", "w:sdtPr", "w:sdtEndPr", "w:delText", "w:delInstrText", "mc:Fallback", "w:customXmlPr"]
)

_BREAKS = {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "\u2011"}
_CODE = "of fields' code"
_DRAWINGS = frozenset({"w:drawing", "w:pict", "w:object"})
_TYPED_FRACTION = re.compile(f"(\\d?)([{RAISED[:10]}]+)[/\u2044]([{LOWERED[:10]}]+)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A reference in a paragraph: `kind` is footnote, endnote or comment, and `number` is its id."""

    kind: str
    number: str


@dataclass(frozen=True, slots=True)
class Box:
    """A box attached to a paragraph: the `content` of a text box with the ground behind it, or a drawing's text."""

    content: Element | None = None
    ground: Ground = PAPER
    text: PageText = field(default_factory=PageText)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    moved: int = 0
    struck: bool = False


@dataclass(slots=True)
class Paragraph:
    """A paragraph read from a document.

    `label` is the number that Word generates, including the space after it; `level` is the heading level. A paragraph
    is empty if it has no visible text.
    """

    style: str = ""
    level: int = 0
    left: int = 0
    indent: int = 0
    label: str = ""
    joins_next: bool = False
    title_pieces: int | None = None
    is_empty: bool = True
    pieces: list[_Piece | Mark] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)

    def add(self, text: str, moved: int = 0, struck: bool = False) -> None:
        """Append a text."""
        self.pieces.append(_Piece(text, moved, struck))
        self.is_empty = self.is_empty and not text.strip()

    def join(self, following: "Paragraph") -> None:
        """Append the following paragraph, because the paragraph mark between them is deleted or hidden."""
        if self.is_empty:
            self.style, self.level = following.style, following.level
            self.left, self.indent = following.left, following.indent
            self.label, self.title_pieces = following.label, following.title_pieces
        elif self.title_pieces is None:
            self.title_pieces = len(self.pieces)
        self.is_empty = self.is_empty and following.is_empty
        self.pieces += following.pieces
        self.boxes += following.boxes
        self.joins_next = following.joins_next

    def title(self) -> str:
        """Return the paragraph's text in a list of headings."""
        return self._write(self.pieces[: self.title_pieces])[0]

    def content(self) -> PageText:
        """Return the text without surrounding whitespace, with its marks."""
        text, marks = self._write(self.pieces)
        found = PageText.of(text)
        found.marks = marks
        return found

    def _write(self, pieces: list[_Piece | Mark]) -> tuple[str, list[tuple[Any, int]]]:
        moves = {piece.moved for piece in pieces if isinstance(piece, _Piece) and piece.text.strip()}
        same_height = len(moves) == 1  # a paragraph that is shifted as a whole is not raised
        parts: list[str] = []
        marks: list[tuple[Any, int]] = []
        length, run, struck = 0, "", False

        def flush() -> None:
            nonlocal length, run
            text = cross_out(run) if struck else run
            if not text.isascii():
                text = _TYPED_FRACTION.sub(_make_fraction, text)
            parts.append(text)
            length += len(text)
            run = ""

        for piece in pieces:
            if isinstance(piece, Mark):
                flush()
                marks.append((piece, length))
                continue
            if piece.struck != struck:
                flush()
                struck = piece.struck
            run += piece.text if same_height else _shift(piece.text, piece.moved)
        flush()
        raw = "".join(parts)
        text = raw.strip()
        lead = len(raw) - len(raw.lstrip()) - len(self.label if text else "")
        end = len(text) + len(self.label if text else "")
        return (self.label + text if text else ""), [(mark, max(0, min(at - lead, end))) for mark, at in marks]


def read_paragraph(
    element: Element,
    reading: Reading,
    fields: Fields,
    ground: Ground,
    draw: Callable[[Element], list[Box]],
    before: Paragraph | None = None,
) -> Paragraph:
    """Return the paragraph of an element (w:p), joined to `before` if that continues into it.

    `ground` is the ground behind it; `draw` reads the content of a drawing.
    """
    properties = child(element, "w:pPr")
    style = attribute(child(properties, "w:pStyle")) or reading.styles.usual("paragraph")
    shading = reading.styles.property_of(style, properties, "w:shd")
    found = Paragraph(style, reading.styles.heading_level(style, properties), *_indents(properties))
    mark = child(properties, "w:rPr")
    deleted = mark is not None and any(child(mark, name) is not None for name in DELETED)
    reading.findings.changed |= deleted
    found.joins_next = deleted or reading.look(style, mark, ground).why == MARKED
    flag = ground.flag or _flag(reading.styles.property_of(style, properties, "w:spacing"), found.left)
    ground = replace(ground, colours=shaded(shading, ground.colours), flag=flag)
    _Runs(found, reading, fields, ground, draw).visit_all(element)
    fields.end_paragraph()
    if not (found.joins_next and found.is_empty) and (before is None or before.is_empty):
        found.label = _label(properties, style, reading)
        reading.write(len(found.label))
    if before is not None:
        before.join(found)
    return before or found


@dataclass(slots=True)
class _Runs:
    """Visits the runs of a paragraph in order."""

    found: Paragraph
    reading: Reading
    fields: Fields
    ground: Ground
    draw: Callable[[Element], list[Box]]

    def visit_all(self, parent: Element) -> None:
        for element in parent:
            self._visit(element)

    def _visit(self, element: Element) -> None:
        tag = element.tag
        if tag in DELETED:
            self.reading.findings.changed = True
        elif tag == "w:r":
            look = self.reading.look(self.found.style, child(element, "w:rPr"), self.ground)
            for one in element:
                self._visit_in_run(one, look)
        elif tag == "m:oMath":
            self._write_equation(element)
        elif tag == "mc:AlternateContent":
            self.visit_all(preferred_choice(element))
        elif tag == "w:fldSimple" and self.fields.replaces(attribute(element, "instr")):
            self._write(PAGE_NUMBER, RunLook())
        elif tag not in _NOT_TEXT:
            self.visit_all(element)

    def _visit_in_run(self, element: Element, look: RunLook) -> None:
        tag = element.tag
        if tag == "w:t":
            self._write_text(element.text or "", look)
        elif tag in _BREAKS:
            self._write(_BREAKS[tag], look)
        elif tag == "w:sym":
            symbol = symbol_of_code(attribute(element, "char"), attribute(element, "font").casefold())
            self._write(symbol, look)
        elif tag == "w:instrText":
            self.fields.add_code(element.text or "")
        elif tag == "w:fldChar":
            self._write_figure(self.fields.mark(element), look)
        elif tag in ("w:footnoteReference", "w:endnoteReference", "w:commentReference"):
            self._refer(element, look)
        elif tag in _DRAWINGS:
            self._draw(element, look)
        elif tag == "mc:AlternateContent":
            for one in preferred_choice(element):
                self._visit_in_run(one, look)
        elif tag == "w:ruby":
            self._read_ruby(element)

    def _read_ruby(self, element: Element) -> None:
        """Add a word, followed by its ruby text in brackets, as in HTML."""
        for base in children(element, "w:rubyBase"):
            self.visit_all(base)
        at = len(self.found.pieces)
        for reading in children(element, "w:rt"):
            self.visit_all(reading)
        shown = [one for one in self.found.pieces[at:] if isinstance(one, _Piece) and one.text.strip()]
        if shown:
            self.found.pieces.insert(at, replace(shown[0], text="("))
            self.found.pieces.append(replace(shown[-1], text=")"))

    def _write_text(self, text: str, look: RunLook) -> None:
        if is_symbol_font(look.font):
            text = "".join(translate_symbol(character, look.font) for character in text)
        self._write(text, look)

    def _write_figure(self, text: str, look: RunLook) -> None:
        """Add a fraction or an equation, with a space after a preceding figure: 3 5/16."""
        before = self.found.pieces[-1] if self.found.pieces else None
        self._write(_join_figures(before.text if isinstance(before, _Piece) else "", text), look)

    def _write(self, text: str, look: RunLook) -> None:
        findings = self.reading.findings
        if findings.take(text, self._why(look)) and not self.fields.is_replaced:
            self.reading.write(len(text))
            findings.symbols += text.count(UNKNOWN)
            if look.struck:
                findings.strike(text)
            self.found.add(_shift(text, look.script), 0 if look.script else look.moved, look.struck)

    def _why(self, look: RunLook) -> str:
        """Return why text with this look is not seen, by the rule of `sight`; a field's code is never seen."""
        return _CODE if self.fields.in_code and not is_unseen(look.why) else look.why

    def _write_equation(self, element: Element) -> None:
        look = RunLook()
        for run in element.iter("m:r"):
            look = self.reading.look(self.found.style, child(run, "w:rPr"), self.ground)
            if not is_unseen(look.why):
                break
        self._write_figure(write_equation(element).strip(), look)

    def _refer(self, element: Element, look: RunLook) -> None:
        kind = element.tag.removeprefix("w:").removesuffix("Reference")
        identity = attribute(element, "id")
        if self.fields.in_code or (look.why == MARKED and kind != "comment"):
            return  # hidden text shows no mark, so its note belongs to nothing visible
        self.found.pieces.append(Mark(kind, identity))
        if kind != "comment" and attribute(element, "customMarkFollows") not in ("1", "true", "on"):
            self._write(self.reading.mark_note(kind, identity), RunLook(struck=look.struck))

    def _draw(self, element: Element, look: RunLook) -> None:
        if (why := self._why(look)) in (_CODE, MARKED):  # the colour and size of letters do not apply to drawings
            self.reading.findings.hide(all_text(element, "w:t"), why)
        else:
            self.found.boxes += self.draw(element)


def _shift(text: str, by: int) -> str:
    return raise_figures(text) if by > 0 else lower_figures(text) if by < 0 else text


def _join_figures(before: str, text: str) -> str:
    """Return the text, with a space before it if its first figure would continue the figure before it."""
    return f" {text}" if "/" in text and before[-1:].isdecimal() and text[:1].isdecimal() else text


def _make_fraction(match: re.Match[str]) -> str:
    return match[1] + _join_figures(match[1], write_fraction(flatten_figures(match[2]), flatten_figures(match[3])))


def _label(properties: Element | None, style: str, reading: Reading) -> str:
    """Return the number that Word generates for a paragraph, by its own list and level or by those of its style."""
    own = child(properties, "w:numPr")
    instance, level = attribute(child(own, "w:numId")), number(attribute(child(own, "w:ilvl")))
    if not instance:
        instance, usual = reading.numbering.of_style(style)
        level = usual if level is None else level
    return reading.numbering.next_number(instance, level or 0) if instance not in ("", "0") else ""


def _indents(properties: Element | None) -> tuple[int, int]:
    """Return a paragraph's indent at the left and its indent on both sides, in twentieths of a point."""
    found = child(properties, "w:ind")
    left = number(attribute(found, "left") or attribute(found, "start"), 0)
    right = number(attribute(found, "right") or attribute(found, "end"), 0)
    return left, min(left, right)


def _flag(spacing: Element | None, left: int) -> str:
    """Return why a paragraph with this spacing and left indent (twentieths of a point) is unseen as a whole, or ""."""
    if is_flat(exact_height(spacing, "line", "lineRule")):
        return CLIPPED
    return OFF_PAGE if is_far_off(left / 20) else ""
