"""The blocks of a text in order: headings, paragraphs, lists, tables, and the texts of drawings."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from ralph_cli.core.structure import Origin
from ralph_cli.documents.office.backdrops import LINE_SIZE, PAGE_SIZE, Backdrops, is_backdrop
from ralph_cli.documents.office.findings import MERGED, Findings
from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.documents.open_document.archive import OpenDocument
from ralph_cli.documents.open_document.controls import Controls
from ralph_cli.documents.open_document.paragraphs import (
    DRAWINGS,
    ParagraphReader,
    blanks_before,
    plain_text,
)
from ralph_cli.documents.open_document.styles import Counter, Styles, read_points
from ralph_cli.documents.page_text import PARAGRAPH, PageText, join_lines, label_text, one_line
from ralph_cli.documents.sight import CLIPPED, MARKED, NOTHING, Colours, Ink, is_flat
from ralph_cli.documents.slides.sight import Canvas, Layer, Place
from ralph_cli.documents.tables import MOST_COLUMNS, TableCell, TableRow, measure_blanks, write_table

_SHOWN = ("draw:text-box", "table:table", "draw:object")
_OPAQUE = frozenset({"draw:image", "draw:object", "draw:object-ole", "table:table"})
_MOST_REPEATED_ROWS = 10_000
_NOT_READ = frozenset({"text:tracked-changes", "text:sequence-decls", "text:variable-decls"})


@dataclass(slots=True)
class Block:
    """A paragraph, a heading of a `level`, or a table; its notes and comments are marks in its text.

    `origin` is the origin of its words; `label` is written in brackets before them.
    """

    text: PageText
    level: int = 0
    origin: Origin | None = None
    label: str = ""

    def labelled(self) -> PageText:
        """Return its text with the label."""
        return label_text(self.label, self.text) if self.label else self.text

    def write(self, page: PageText, apart: int = PARAGRAPH) -> None:
        """Add it to a page after the separator `apart`."""
        at = page.add_line(self.labelled(), apart)
        if self.level:
            page.name_part(self.text.text(), at, self.level)
        if self.origin:
            page.mark(self.origin, at, page.length)


class Story:
    """Reads the text of one document."""

    def __init__(self, styles: Styles, findings: Findings, archive: OpenDocument, write: Callable[[int], None]) -> None:
        """`write` is called with the number of characters in a table row, and raises DocumentError at the limit."""
        self._write = write
        self._styles, self._findings, self._archive = styles, findings, archive
        self.controls = Controls(findings)
        self._paragraphs = ParagraphReader(styles, findings, self.controls)
        self._is_text = False
        self._outline = Counter(styles.outline)
        self._counters: dict[str, Counter] = {}

    def lay_on_paper(self, body: Element, masters: Element | None) -> None:
        """Set the ground for the text of `body` on pages with these masters, and find paragraphs that may cover
        drawings.
        """
        heads = () if masters is None else masters.iter()
        has_large = any(self._is_backdrop(one, PAGE_SIZE) for one in heads if one.tag in DRAWINGS)
        paper = None if has_large else self._styles.page_ground()
        found, styles, self._is_text = Backdrops(), self._styles, True
        for one in body.iter():
            style = attribute(one, "style-name")
            if one.tag in ("text:p", "text:h"):
                is_new = styles.value("paragraph", style, "paragraph", "break-before") == "page"
                found.begin_paragraph(id(one), is_new)
            elif one.tag == "text:soft-page-break":
                found.break_page()
            elif one.tag in DRAWINGS and self._is_backdrop(one, LINE_SIZE):
                found.add_drawing()
        self._paragraphs.lay_on_paper(paper, found.find_paragraphs())

    def _is_backdrop(self, shape: Element, size: tuple[float, float]) -> bool:
        """Whether a drawing has at least this size and text does not flow around it."""
        if self._styles.value("graphic", attribute(shape, "style-name"), "graphic", "wrap") != "run-through":
            return False
        return is_backdrop(self._fill(shape), _sides(shape), size)

    def set_usual(self, ink: Ink) -> None:
        """Set the ink for characters without another ink from a style."""
        self._paragraphs.usual = ink

    def show_fields(self, fields: dict[str, str]) -> None:
        """Set the texts of fields, by the names of their elements."""
        self._paragraphs.fields = fields

    def blocks(self, container: Iterable[Element]) -> Iterator[Block]:
        """Yield the blocks of an element, in order."""
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
                self._findings.hide("".join(element.itertext()), MARKED)
            case "text:tracked-changes":
                self._findings.changed = True
            case "office:forms":
                self.controls.add(element)
            case tag if tag in DRAWINGS:
                yield from self.read_drawing(element)
            case tag if tag not in _NOT_READ:
                yield from self.blocks(element)  # sections, indexes and unknown elements

    def _read_paragraph(self, element: Element, label: str = "") -> Iterator[Block]:
        """Yield a paragraph, followed by the texts of its drawings."""
        paragraph = self._paragraphs.read(element)
        level = number(attribute(element, "outline-level"), 0) if element.tag == "text:h" else 0
        if level and paragraph.text and not label and attribute(element, "is-list-header") != "true":
            label = self._outline.next_label(level - 1, number(attribute(element, "start-value")))
        text = PageText.of(label, paragraph.text) if paragraph.text else PageText()
        text.marks = [(note, at + len(label)) for note, at in paragraph.notes]
        text.marks += ((comment, text.length) for comment in paragraph.comments)
        for start, end in paragraph.filled_in:
            text.mark("form field", start + len(label), end + len(label))
        if text or text.marks:
            yield Block(text, level)
        for drawing in paragraph.drawings:
            yield from self.read_drawing(drawing)

    def _read_list(self, element: Element, style: str, level: int) -> Iterator[Block]:
        name = attribute(element, "style-name") or style
        known = attribute(element, "id") or name
        goes_on = attribute(element, "continue-numbering") == "true"
        source = attribute(element, "continue-list") or (name if goes_on else "")
        if not level:
            counter = (self._counters.get(source) if source else None) or Counter(self._styles.list_levels(name))
            self._counters[known] = self._counters[name] = counter
        counter = self._counters.get(name) or Counter(self._styles.list_levels(name))
        for item in (*children(element, "text:list-header"), *children(element, "text:list-item")):
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
        usual = self._paragraphs.usual
        table = self._styles.ink("table", attribute(element, "style-name"), usual)
        rows: list[TableRow] = []
        drawn: list[Block] = []
        spans: dict[int, int] = {}
        for row, is_header in _rows(element):
            ink = self._styles.ink("table-row", attribute(row, "style-name"), table)
            cells = list(self._read_cells(row, spans, drawn, ink))
            texts = [cell.content.text() for cell in cells if isinstance(cell.content, PageText)]
            if attribute(row, "visibility") in ("collapse", "filter"):
                self._findings.hide(" ".join(texts), MARKED)
                continue
            repeated = number(attribute(row, "number-rows-repeated"), 1) or 1
            repeated = min(max(repeated, 1), _MOST_REPEATED_ROWS) if any(texts) else 1
            self._write(repeated * sum(map(len, texts)))
            rows += [TableRow(cells, self._indent(row), is_header)] * repeated
        self._paragraphs.usual = usual
        if written := write_table(rows):
            yield Block(written)
        yield from drawn

    def _indent(self, row: Element) -> float:
        """Return the indent of a row's first paragraph, in points."""
        paragraph = child(row, "table:table-cell", "text:p")
        name = attribute(paragraph, "style-name")
        told = (self._styles.value("paragraph", name, "paragraph", key) for key in ("margin-left", "text-indent"))
        return sum(read_points(length) or 0.0 for length in told) + measure_blanks(blanks_before(paragraph))

    def _read_cells(self, row: Element, spans: dict[int, int], drawn: list[Block], ink: Ink) -> Iterator[TableCell]:
        column = 0
        for cell in row:
            if cell.tag not in ("table:table-cell", "table:covered-table-cell") or column >= MOST_COLUMNS:
                continue
            repeated = min(max(number(attribute(cell, "number-columns-repeated"), 1) or 1, 1), MOST_COLUMNS)
            if cell.tag == "table:covered-table-cell":
                for at in range(column, column + repeated):
                    if spans.get(at, 0) > 0:
                        spans[at] -= 1
                        yield TableCell(at, at + 1, goes_on=True)
                if text := plain_text(cell):
                    self._findings.hide(text, MERGED)
                column += repeated
                continue
            lines: list[PageText] = []
            self._paragraphs.usual = self._styles.ink("table-cell", attribute(cell, "style-name"), ink)
            for block in self.blocks(cell):
                if block.text.tables or block.origin not in (None, "form field"):
                    drawn.append(block)
                else:
                    lines.append(block.text)
            content = join_lines(lines)
            wide = min(max(number(attribute(cell, "number-columns-spanned"), 1) or 1, 1), MOST_COLUMNS)
            down = (number(attribute(cell, "number-rows-spanned"), 1) or 1) - 1
            for at in range(column, column + repeated) if content or down else ():
                spans[at] = down
                yield TableCell(at, at + wide, content)
            column += repeated

    def read_drawing(self, element: Element, ground: Colours = None) -> Iterator[Block]:
        """Yield the content of a frame or shape: its text, its table, its chart, or the description of its picture.

        `ground` is the ground behind it, None if unknown.
        """
        reader = self._paragraphs
        outer = reader.usual, reader.is_fitted
        reader.usual, reader.is_fitted = self._ink_in(element, ground), reader.is_fitted or self._is_fitted(element)
        yield from self._read_drawing(element)
        reader.usual, reader.is_fitted = outer

    def _ink_in(self, shape: Element, ground: Colours) -> Ink:
        """Return the ink of characters in a shape that have no ink from their own styles."""
        name, usual = attribute(shape, "style-name"), self._paragraphs.usual
        if not self._is_text:
            usual = self._styles.ink("presentation", name, self._styles.ink("graphic", name, usual))
        box = child(shape, "draw:text-box") if self._is_text else None
        is_cut = box is not None and not attribute(box, "min-height") and is_flat(*_sides(shape))
        return replace(usual, ground=self._fill(shape) or ground, flag=usual.flag or CLIPPED * is_cut)

    def layer(self, shape: Element) -> Layer:
        """Return a shape as a layer of the drawing."""
        kind = attribute(child(shape, "draw:enhanced-geometry"), "type")
        is_plain = shape.tag in ("draw:rect", "draw:frame") or kind in ("rectangle", "round-rectangle")
        return Layer(_read_place(shape), self._fill(shape), is_plain, shape.tag == "draw:g")

    def _fill(self, shape: Element) -> Colours:
        """Return the fill of a shape; no colour if it is not filled, None if the fill is unknown."""
        if shape.tag == "draw:g":
            return None if any(self._fill(one) != NOTHING for one in shape if one.tag in DRAWINGS) else NOTHING
        if next((True for one in shape if one.tag in _OPAQUE), False):
            return None
        name = attribute(shape, "style-name")
        of_graphic = self._styles.fill("graphic", name, NOTHING if shape.tag == "draw:frame" else None)
        return self._styles.fill("presentation", name, of_graphic)

    def _is_fitted(self, shape: Element) -> bool:
        """Whether the text of a shape is stretched to fill it."""
        name = attribute(shape, "style-name")
        fits = [self._styles.value(family, name, "graphic", "fit-to-size") for family in ("graphic", "presentation")]
        is_path = attribute(child(shape, "draw:enhanced-geometry"), "text-path") == "true"
        return is_path or "true" in fits or "all" in fits

    def _read_drawing(self, element: Element) -> Iterator[Block]:
        if element.tag == "draw:g":
            canvas = Canvas(self._paragraphs.usual.ground)
            for one in (one for one in element if one.tag in DRAWINGS):
                yield from self.read_drawing(one, canvas.draw(self.layer(one))[1])
            return
        if element.tag == "draw:control":
            text, is_filled_in = self.controls.take(element)
            if text:
                block = Block(PageText.of(text), origin="form field" if is_filled_in else None)
                if block.origin:
                    block.text.mark(block.origin, 0, len(text))
                yield block
            return
        shown = next((one for one in element if one.tag in _SHOWN), element)
        if shown.tag == "draw:text-box":
            yield from self.blocks(shown)
        elif shown.tag == "table:table":
            yield from self._read_table(shown)
        elif shown.tag == "draw:object":
            yield from self._read_object(attribute(shown, "href"))
        elif child(element, "draw:image") is not None:
            self._findings.unread["pictures"] += 1
            described = " ".join(one_line("".join(one.itertext())) for one in element if one.tag in (":title", ":desc"))
            if described.strip():
                yield Block(PageText.of(described.strip()), origin="image description", label="image description")
        elif child(element, "draw:object-ole") is not None or child(element, "draw:plugin") is not None:
            self._findings.unread["embedded objects"] += 1
        else:
            yield from self.blocks(element)

    def _read_object(self, reference: str) -> Iterator[Block]:
        """Yield a chart as its titles and its table, or an equation as its characters."""
        root = self._archive.open_object(reference) if reference else None
        chart = next(root.iter("chart:chart"), None) if root is not None else None
        if root is None:
            self._findings.miss(reference[:80] or "an object")
        elif root.tag == ":math":
            if text := one_line(" ".join(_presented(root))):
                yield Block(PageText.of(text))
        elif chart is not None:
            titles = [plain_text(one) for one in chart.iter() if one.tag in ("chart:title", "chart:subtitle")]
            content = PageText.of("; ".join(title for title in titles if title))
            for block in (block for one in children(chart, "table:table") for block in self._read_table(one)):
                content.add_line(block.text)
            if content:
                yield Block(content, origin="chart", label="chart")
        else:
            self._findings.unread["embedded objects"] += 1


def _read_place(shape: Element) -> Place | None:
    """Return left, top, right and bottom of a shape, or of a group's shapes, in points; None without a position."""
    if shape.tag == "draw:g":
        corners = [place for one in shape if one.tag in DRAWINGS and (place := _read_place(one))]
        lefts, tops, rights, bottoms = zip(*corners, strict=True) if corners else ((), (), (), ())
        return (min(lefts), min(tops), max(rights), max(bottoms)) if corners else None
    left, top = read_points(attribute(shape, "x")), read_points(attribute(shape, "y"))
    if left is None or top is None:
        return None
    width, height = _sides(shape)
    return left, top, left + (width or 0), top + (height or 0)


def _sides(shape: Element) -> tuple[float | None, float | None]:
    """Return width and height of a shape in points, None if unknown."""
    return read_points(attribute(shape, "width")), read_points(attribute(shape, "height"))


def _rows(element: Element) -> Iterator[tuple[Element, bool]]:
    """Yield the rows of a table, each with whether it belongs to the header."""
    for one in element:
        if one.tag == "table:table-row":
            yield one, element.tag == "table:table-header-rows"
        elif one.tag in ("table:table-rows", "table:table-header-rows", "table:table-row-group"):
            yield from _rows(one)


def _presented(root: Element) -> Iterator[str]:
    """Yield the texts of an equation, without the source that it was made from."""
    for one in root:
        if one.tag != ":annotation":
            if one.text and one.text.strip():
                yield one.text.strip()
            yield from _presented(one)
