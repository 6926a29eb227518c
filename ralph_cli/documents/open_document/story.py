"""The blocks of a text in order: headings, paragraphs, lists, tables, and what drawings in them say."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import Any
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.structure import Origin, Table
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.tables import MOST_COLUMNS, TableCell, write_table
from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.documents.open_document.controls import Controls
from ralph_cli.documents.open_document.paragraphs import (
    DRAWINGS,
    HIDDEN,
    Paragraph,
    ParagraphReader,
    list_items,
    plain_text,
)
from ralph_cli.documents.open_document.styles import Counter, Styles
from ralph_cli.documents.page_text import PageText, one_line

_MOST_REPEATED_ROWS = 10_000
_NOT_READ = frozenset({"text:tracked-changes", "text:sequence-decls", "text:variable-decls"})


@dataclass(slots=True)
class Block:
    """A paragraph, a heading of a `level`, or a table; `paragraphs` are what its notes and comments hang on.

    `filled_in` are the characters of form fields: where each begins and ends.
    """

    text: str
    level: int = 0
    tables: Sequence[Table] = ()
    origin: Origin | None = None
    paragraphs: list[Paragraph] = field(default_factory=list)
    filled_in: Sequence[tuple[int, int]] = ()

    def write(self, page: PageText) -> int:
        """Add it to a page, and return where it begins."""
        at = page.add_tables(self.text, self.tables)
        if self.level:
            page.name_part(one_line(self.text), at, self.level)
        self.mark(page, at)
        return at

    def mark(self, page: PageText, at: int) -> None:
        """Mark what is not of the running text on a page on which it begins there."""
        if self.origin:
            page.mark(self.origin, at, at + len(self.text))
        for start, end in self.filled_in:
            page.mark("form field", at + start, min(at + end, page.length))

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """Its text in pieces, and whether each was filled into a form."""
        last = 0
        for start, end in self.filled_in:
            yield self.text[last:start], False
            yield self.text[start:end], True
            last = end
        yield self.text[last:], False


class Story:
    """Reads the text of one document; `open_object` gives the tree of a chart or formula in the file."""

    def __init__(
        self,
        styles: Styles,
        findings: Findings,
        open_object: Callable[[str], Element | None],
        write: Callable[[int], None],
        is_on_paper: bool = False,
    ) -> None:
        """`write` is told how many characters a row of a table has, and raises when they are too many."""
        self._write = write
        self._styles, self._findings, self._open_object = styles, findings, open_object
        self.controls = Controls(findings)
        self._paragraphs = ParagraphReader(styles, findings, self.controls)
        self._paragraphs.is_on_paper = self._is_text = is_on_paper
        self._outline = Counter(styles.outline)
        self._counters: dict[str, Counter] = {}

    def show_fields(self, fields: dict[str, str]) -> None:
        """Let fields of these elements show these words from here on."""
        self._paragraphs.fields = fields

    def blocks(self, container: Iterable[Element]) -> Iterator[Block]:
        """The blocks of an element, in order."""
        for element in container:
            yield from self._read(element)

    def _read(self, element: Element) -> Iterator[Block]:
        match element.tag:
            case "text:p" | "text:h":
                yield from self._read_paragraph(element)
            case "text:list":
                yield from self._read_list(element, "", 0)
            case "table:table":
                yield from self._read_table(element)
            case "text:section" if attribute(element, "display") in ("none", "condition"):
                self._findings.hide("".join(element.itertext()), HIDDEN)
            case "text:tracked-changes":
                self._findings.changed = True
            case "office:forms":
                self.controls.add(element)
            case tag if tag in DRAWINGS:
                yield from self.read_drawing(element)
            case tag if tag not in _NOT_READ:
                yield from self.blocks(element)  # sections, indexes, and what is new

    def _read_paragraph(self, element: Element, label: str = "") -> Iterator[Block]:
        """A paragraph, and behind it what its drawings say."""
        paragraph = self._paragraphs.read(element)
        level = number(attribute(element, "outline-level"), 0) or 0 if element.tag == "text:h" else 0
        if level and paragraph.text and not label and attribute(element, "is-list-header") != "true":
            label = self._outline.next_label(level - 1, number(attribute(element, "start-value")))
        lead = len(label)
        paragraph.notes = [(note, at + lead) for note, at in paragraph.notes]
        filled_in = [(start + lead, end + lead) for start, end in paragraph.filled_in]
        if paragraph.text:
            yield Block(label + paragraph.text, level, paragraphs=[paragraph], filled_in=filled_in)
        elif paragraph.comments:
            yield Block("", paragraphs=[paragraph])
        for drawing in paragraph.drawings:
            yield from self.read_drawing(drawing)

    def _read_list(self, element: Element, style: str, level: int) -> Iterator[Block]:
        name = attribute(element, "style-name") or style
        known = attribute(element, "id") or name
        source = attribute(element, "continue-list") or (
            name if attribute(element, "continue-numbering") == "true" else ""
        )
        if not level:
            counter = (self._counters.get(source) if source else None) or Counter(self._styles.list_levels(name))
            self._counters[known] = self._counters[name] = counter
        counter = self._counters.get(name) or Counter(self._styles.list_levels(name))
        for item in list_items(element):
            label = ""
            if item.tag == "text:list-item" and any(one.tag in ("text:p", "text:h") for one in item):
                label = counter.next_label(level, number(attribute(item, "start-value")))
            for one in item:
                if one.tag == "text:list":
                    self._counters[attribute(one, "style-name") or name] = counter
                    yield from self._read_list(one, name, level + 1)
                elif one.tag in ("text:p", "text:h"):
                    yield from self._read_paragraph(one, label)
                    label = ""
                else:
                    yield from self._read(one)

    def _read_table(self, element: Element) -> Iterator[Block]:
        was_on_paper, self._paragraphs.is_on_paper = self._paragraphs.is_on_paper, False
        rows: list[list[TableCell]] = []
        header = 0
        held: list[Paragraph] = []
        drawn: list[Block] = []
        spans: dict[int, int] = {}
        for row, is_header in _rows(element):
            family = ("table-row", attribute(row, "style-name"))
            cells = list(self._read_cells(row, spans, held, drawn))
            if attribute(row, "visibility") in ("collapse", "filter"):
                self._findings.hide(" ".join(cell.text for cell in cells), f"in hidden rows of a {family[0][:5]}")
                continue
            repeated = number(attribute(row, "number-rows-repeated"), 1) or 1
            is_filled = any(cell.text for cell in cells)
            repeated = min(max(repeated, 1), _MOST_REPEATED_ROWS) if is_filled else 1
            self._write(repeated * sum(len(cell.text) for cell in cells))
            rows += [cells] * repeated
            header += is_header
        self._paragraphs.is_on_paper = was_on_paper
        filled_in: list[tuple[int, int, Any]] = []
        written = write_table(rows, header or None, filled_in)
        if written:
            yield Block(written[0], tables=written[1], paragraphs=held, filled_in=[place[:2] for place in filled_in])
        yield from drawn

    def _read_cells(
        self, row: Element, spans: dict[int, int], held: list[Paragraph], drawn: list[Block]
    ) -> Iterator[TableCell]:
        column = 0
        for cell in row:
            if cell.tag not in ("table:table-cell", "table:covered-table-cell") or column >= MOST_COLUMNS:
                continue
            repeated = min(max(number(attribute(cell, "number-columns-repeated"), 1) or 1, 1), MOST_COLUMNS)
            if cell.tag == "table:covered-table-cell":
                for at in range(column, column + repeated):
                    if spans.get(at, 0) > 0:
                        spans[at] -= 1
                        yield TableCell(at, at + 1, continues=True)
                if text := plain_text(cell):
                    self._findings.hide(text, "in cells that are merged")
                column += repeated
                continue
            pieces: list[tuple[str, bool]] = []
            for block in self.blocks(cell):
                if block.tables or block.origin not in (None, "form field"):
                    drawn.append(block)
                else:
                    pieces += block.pieces()
                    held += block.paragraphs
            text, filled_in = _join(pieces)
            wide = min(max(number(attribute(cell, "number-columns-spanned"), 1) or 1, 1), MOST_COLUMNS)
            down = (number(attribute(cell, "number-rows-spanned"), 1) or 1) - 1
            for at in range(column, column + repeated) if text or down else ():
                spans[at] = down
                yield TableCell(at, at + wide, text, marked=tuple((*place, None) for place in filled_in))
            column += repeated

    def read_drawing(self, element: Element) -> Iterator[Block]:
        """What a frame or shape says: its text, its table, its chart, or what is said of its picture."""
        reader = self._paragraphs
        outer = reader.usual_size, reader.is_fitted
        reader.usual_size, reader.is_fitted = self._size_in(element), reader.is_fitted or self._is_fitted(element)
        yield from self._read_drawing(element)
        reader.usual_size, reader.is_fitted = outer

    def _size_in(self, shape: Element) -> float | None:
        """Points of characters in a shape to which no other style gives a size. In texts its own style gives none."""
        name, usual = attribute(shape, "style-name"), self._paragraphs.usual_size
        if self._is_text:
            return usual
        return self._styles.font_size("graphic", name) or self._styles.font_size("presentation", name, usual)

    def _is_fitted(self, shape: Element) -> bool:
        """Whether the text of a shape is stretched until it fills it."""
        name = attribute(shape, "style-name")
        fits = [self._styles.value(family, name, "graphic", "fit-to-size") for family in ("graphic", "presentation")]
        is_path = attribute(child(shape, "draw:enhanced-geometry"), "text-path") == "true"
        return is_path or "true" in fits or "all" in fits

    def _read_drawing(self, element: Element) -> Iterator[Block]:
        if element.tag == "draw:g":
            for one in element:
                if one.tag in DRAWINGS:
                    yield from self.read_drawing(one)
            return
        if element.tag == "draw:control":
            text, is_filled_in = self.controls.take(element)
            if text:
                filled_in = ((0, len(text)),) if is_filled_in else ()
                yield Block(text, origin="form field" if is_filled_in else None, filled_in=filled_in)
            return
        shown = [one for one in element if one.tag in ("draw:text-box", "table:table", "draw:object")]
        if shown:
            yield from self._read_content(shown[0])
        elif child(element, "draw:image") is not None:
            self._findings.unread["pictures"] += 1
            described = " ".join(one_line("".join(one.itertext())) for one in element if one.tag in (":title", ":desc"))
            if described.strip():
                yield Block(f"[image description] {described.strip()}", origin="image description")
        elif child(element, "draw:object-ole") is not None or child(element, "draw:plugin") is not None:
            self._findings.unread["embedded objects"] += 1
        else:
            yield from self.blocks(element)

    def _read_content(self, content: Element) -> Iterator[Block]:
        if content.tag == "draw:text-box":
            yield from self.blocks(content)
        elif content.tag == "table:table":
            yield from self._read_table(content)
        else:
            yield from self._read_object(attribute(content, "href"))

    def _read_object(self, reference: str) -> Iterator[Block]:
        """A chart as its titles and its table, an equation as its characters."""
        root = self._open_object(reference) if reference else None
        chart = next(root.iter("chart:chart"), None) if root is not None else None
        if root is None:
            self._findings.miss(reference[:80] or "an object")
        elif root.tag == ":math":
            if text := one_line(" ".join(_presented(root))):
                yield Block(text)
        elif chart is not None:
            titles = [plain_text(one) for one in chart.iter() if one.tag in ("chart:title", "chart:subtitle")]
            tables = [block.text for one in children(chart, "table:table") for block in self._read_table(one)]
            text = "\n".join(text for text in ("; ".join(title for title in titles if title), *tables) if text)
            if text:
                yield Block(f"[chart] {text}", origin="chart")
        else:
            self._findings.unread["embedded objects"] += 1


def _join(pieces: list[tuple[str, bool]]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Pieces of a cell on one line, and where those begin and end that were filled in."""
    words: list[str] = []
    filled_in: list[tuple[int, int]] = []
    length = 0
    for piece, is_filled_in in pieces:
        if text := one_line(piece):
            length += len(text) + bool(words)
            words.append(text)
            filled_in += [(length - len(text), length)] if is_filled_in else []
    return " ".join(words), tuple(filled_in)


def _rows(element: Element) -> Iterator[tuple[Element, bool]]:
    """The rows of a table, and whether they are of its header."""
    for one in element:
        if one.tag == "table:table-row":
            yield one, element.tag == "table:table-header-rows"
        elif one.tag in ("table:table-rows", "table:table-header-rows", "table:table-row-group"):
            yield from _rows(one)


def _presented(root: Element) -> Iterator[str]:
    """The words of an equation, without the source that it was made from."""
    for one in root:
        if one.tag != ":annotation":
            if one.text and one.text.strip():
                yield one.text.strip()
            yield from _presented(one)
