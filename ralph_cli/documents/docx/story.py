"""The text of one part of a document, or of a note in it: paragraphs and tables in order, and what stands where."""

from collections.abc import Hashable, Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element

from ralph_cli.core.structure import Span
from ralph_cli.documents.docx.drawings import Drawings, find_doubtful_paragraphs
from ralph_cli.documents.docx.fields import Fields
from ralph_cli.documents.docx.paragraphs import DELETED, Mark, Paragraph, read_paragraph
from ralph_cli.documents.docx.reading import Reading
from ralph_cli.documents.docx.styles import PAPER, Ground
from ralph_cli.documents.docx.tables import Grid, read_grid, write_grid
from ralph_cli.documents.office.xml_tree import children, preferred_choice
from ralph_cli.documents.page_text import PageText
from ralph_cli.documents.parsed import ParsedDocument

_QUOTE_STYLES = ("quote", "intense quote", "block text", "quotations", "block quote", "block quotation")
_INDENT = 360
"""Twentieths of a point (a quarter inch) by which a paragraph is set in on both sides when it is a block quotation."""

_BLOCKS = frozenset({"w:p", "w:tbl", "w:altChunk", "w:subDoc"})
_NOT_BLOCKS = frozenset({"w:sdtPr", "w:tblPr", "w:trPr", "w:tcPr", "w:pPr", "mc:Fallback", "w:background"})


_Block = Paragraph | Grid | PageText | ParsedDocument


class Story(PageText):
    """A text that is being read, `repeated` if it stands on every page."""

    def __init__(self, reading: Reading, drawings: Drawings, paper: Ground = PAPER, repeated: bool = False) -> None:
        super().__init__()
        self._reading, self._drawings, self._paper = reading, drawings, paper
        self._fields = Fields(repeated)
        self._doubtful: set[Hashable] = set()
        self.sections: list[Element] = []

    def read(self, element: Element) -> None:
        """Add what is in an element, in order."""
        self._doubtful = find_doubtful_paragraphs(element)
        for block in self._blocks(element, self._paper):
            self._add(block)
        if self._fields.unread:
            self._reading.findings.unread["equations in fields"] += self._fields.unread

    def _blocks(self, container: Element, ground: Ground) -> Iterator[_Block]:
        """The paragraphs, tables and documents in an element; paragraphs that are joined are one."""
        waiting: Paragraph | None = None
        for element in self._elements(container):
            if element.tag == "w:p":
                behind = self._behind(element, ground)
                paragraph = read_paragraph(
                    element, self._reading, self._fields, behind, self._drawings.read, before=waiting
                )
                waiting = paragraph if paragraph.joins_next else None
                self.sections += children(element, "w:pPr", "w:sectPr")
                for one in children(element, "w:subDoc"):
                    self._drawings.read_foreign(one)
                if waiting is None:
                    yield from self._with_boxes(paragraph)
                continue
            if waiting is not None:
                yield from self._with_boxes(waiting)
                waiting = None
            if element.tag != "w:tbl":
                if (document := self._drawings.read_foreign(element)) is not None:
                    yield document
                continue
            behind = self._behind(element, ground)
            yield read_grid(element, self._reading.styles, self._reading.findings, behind, self._read_cell)
        if waiting is not None:
            yield from self._with_boxes(waiting)

    def _behind(self, element: Element, ground: Ground) -> Ground:
        """What is behind a paragraph or table: not known where a drawing may lie between it and the paper."""
        if ground is self._paper and any(id(one) in self._doubtful for one in element.iter("w:p")):
            return replace(ground, colours=None)
        return ground

    def _elements(self, container: Element) -> Iterator[Element]:
        """The paragraphs, tables and what is put in, also those in content controls, tracked moves and the like."""
        for element in container:
            if element.tag in _BLOCKS:
                yield element
            elif element.tag in DELETED:
                self._reading.findings.changed = True
            elif element.tag == "w:sectPr":
                self.sections.append(element)
            elif element.tag == "mc:AlternateContent":
                yield from self._elements(preferred_choice(element))
            elif element.tag not in _NOT_BLOCKS:
                yield from self._elements(element)

    def _read_cell(self, cell: Element, ground: Ground) -> list[PageText | Grid]:
        found: list[PageText | Grid] = []
        for block in self._blocks(cell, ground):
            if isinstance(block, ParsedDocument):
                found += _part_additions(block)
            else:
                found.append(block.content() if isinstance(block, Paragraph) else block)
        return found

    def _with_boxes(self, paragraph: Paragraph) -> Iterator[_Block]:
        """A paragraph, and behind it the text boxes that hang on it and what its charts say."""
        yield paragraph
        for box in paragraph.boxes:
            if box.content is not None:
                yield from self._blocks(box.content, box.ground)
            elif box.text:
                yield box.text

    def _add(self, block: _Block) -> None:
        if not isinstance(block, Paragraph):
            self.add_block(write_grid(block) if isinstance(block, Grid) else block)
            return
        content = block.content()
        at = self.add_block(content)
        if not content:
            return
        if block.level:
            self.name_part(block.title(), at, block.level)
        elif block.indent >= _INDENT or any(name in _QUOTE_STYLES for name in self._reading.styles.names(block.style)):
            self.quoted.append(Span(at + len(block.label), at + self._end_of_words(content.text(), content.marks)))

    def _end_of_words(self, text: str, marks: list[tuple[Mark, int]]) -> int:
        """Where a paragraph ends without the marks of notes behind its last word."""
        end = len(text)
        for mark, at in reversed(marks):
            if 0 < at < end and text[at:end] == self._reading.note_marks.get((mark.kind, mark.number)):
                end = at
        return end


def _part_additions(document: ParsedDocument) -> Iterator[PageText]:
    """The text of a document that is put in, in parts: its running text, and each part that is from elsewhere."""
    last = 0
    for one in (*document.additions, None):
        yield PageText.of(document.text[last : one.start if one else None].strip())
        if one:
            beside = PageText.of(document.text[max(last, one.start) : one.end].strip())
            beside.mark(one.origin, 0, beside.length)
            yield beside
            last = max(last, one.end)
