"""PowerPoint presentations (pptx): each slide is a page, its title a heading, its shapes in reading order.

Speaker notes and comments follow their slide, marked. Hidden slides, and shapes that are hidden or outside of the
slide, are read and marked.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal
from xml.etree.ElementTree import Element

from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Origin
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.drawing_text import describe_chart, describe_diagram, join_paragraphs
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.package import Package, Relation
from ralph_cli.documents.office.theme import Theme
from ralph_cli.documents.office.xml_tree import attribute, child, children, contents, number, preferred_choice
from ralph_cli.documents.page_text import CharacterBudget, PageText, finish_document, label_text, one_line
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sight import Colours, Ink
from ralph_cli.documents.slides.order import Box, order_boxes
from ralph_cli.documents.slides.paragraphs import TextSetting, read_paragraphs
from ralph_cli.documents.slides.shapes import TITLES, Design, is_hidden, own_shapes, placeholder, read_table
from ralph_cli.documents.slides.sight import Canvas, Layer, describe_hidden, why_shape_unseen

_MAIN_PART = "ppt/presentation.xml"
_FOOTERS = ("ftr", "dt", "hdr")
_SHAPES = ("p:sp", "p:cxnSp", "p:pic", "p:graphicFrame", "p:grpSp", "mc:AlternateContent")


def parse_pptx(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """Return a presentation with headings, tables, and marks on content off the slides; call it in a child process.

    Raises DocumentError damaged, encrypted, too-big, no-text, unsupported.
    """
    return _PresentationReader(Package(data, name, limits, _MAIN_PART), limits).read()


@dataclass(slots=True)
class _Part:
    """A text to write on a page."""

    text: str | PageText
    origin: Origin | None = None
    is_title: bool = False


@dataclass(slots=True)
class _Shapes:
    """The shapes of one part, with their references, their design and theme, and the canvas behind them.

    `moves` means that some of them appear or disappear during the show.
    """

    relations: dict[str, Relation]
    design: Design
    theme: Theme
    canvas: Canvas
    moves: bool = False


class _PresentationReader:
    """Reads the parts of one presentation."""

    def __init__(self, package: Package, limits: LoadLimits) -> None:
        self._package, self._limits = package, limits
        self._count = CharacterBudget(package.name, limits)
        self._findings = Findings()
        self._main = package.main_part()
        self._relations = package.relations(self._main)
        self._presentation = package.read_xml(self._main, "p:presentation")
        size = child(self._presentation, "p:sldSz")
        self._size = number(attribute(size, "cx"), 0), number(attribute(size, "cy"), 0)
        self._designs: dict[str, Design] = {}
        self._masters: set[str] = set()
        self._unseen: Counter[str] = Counter()
        """The number of shapes marked as unseen, by reason."""

    def read(self) -> ParsedDocument:
        """Return the whole presentation."""
        findings = self._findings
        findings.doubts += self._package.doubts(self._main, "a PowerPoint presentation")
        pages = []
        for at, entry in enumerate(children(self._presentation, "p:sldIdLst", "p:sldId"), 1):
            pages.append(PageText())
            self._read_slide(self._relations.get(attribute(entry, "id")), at, pages[-1])
        findings.pass_over(self._package.orphans())
        findings.notices += describe_hidden(pages, self._unseen)
        hint = "pictures are not read; save the slides as PDF, and run OCR"
        return finish_document(pages, findings, self._package.name, self._limits, empty_hint=hint)

    def _read_slide(self, relation: Relation | None, at: int, page: PageText) -> None:
        if relation is None or not self._package.has(relation.target):
            self._findings.unreadable.append((f"slide {at} is not in the file", (at,)))
            return
        try:
            slide = self._package.read_xml(relation.target, "p:sld")
            page.hidden = "hidden slide" if attribute(slide, "show") in ("0", "false") else None
            relations = self._package.relations(relation.target)
            design = self._design(relations)
            shows_masters = attribute(slide, "showMasterSp") != "0"
            shapes = _shapes(slide, relations, design, design.layers if shows_masters else ())
            self._write_parts(page, self._read_tree(contents(slide, "p:cSld", "p:spTree"), shapes))
            if shows_masters:
                self._append_masters(page, design)
            self._append_notes(page, relations)
            self._append_comments(page, relations)
        except DocumentError as error:
            self._findings.note_damage(error, f"slide {at} could not be read to its end", at)
        self._count(page.length)

    def _write_parts(self, page: PageText, parts: list[_Part]) -> None:
        """Write the parts of a slide, its title first."""
        for part in sorted(parts, key=lambda part: not part.is_title):
            at = page.add_block(part.text)
            if part.is_title and isinstance(part.text, str):
                title = one_line(part.text)
                page.name_part(title, at, 1)
                page.label = page.label or title
            if part.origin:
                page.mark(part.origin, at, page.length)

    def _read_tree(self, tree: Iterable[Element], shapes: _Shapes, flag: str = "") -> list[_Part]:
        """Return the parts of the shapes in a slide or group, in reading order; `flag` says why none is seen, or ""."""
        drawn = []
        for shape in chain.from_iterable(map(_alternatives, tree)):
            layer = shapes.design.layer(shape, shapes.theme)
            drawn.append((shape, layer.place, *shapes.canvas.draw(layer)))
        boxes: list[Box[list[_Part]]] = []
        for shape, place, at, ground in drawn:
            is_covered = not shapes.moves and shapes.canvas.is_covered(at)
            why = flag or why_shape_unseen(is_hidden(shape), place, self._size, is_covered)
            if parts := self._read_shape(shape, shapes, ground, why):
                boxes.append(Box(parts, *(place or (0, 1e12 + at, 0, 1e12))))
        return [part for parts in order_boxes(boxes) for part in parts]

    def _read_shape(self, shape: Element, shapes: _Shapes, ground: Colours, flag: str) -> list[_Part]:
        setting = TextSetting(Ink(ground=ground), theme=shapes.theme)
        match shape.tag:
            case "p:grpSp":
                parts = self._read_tree(shape, replace(shapes, canvas=Canvas(ground)), flag)
            case "p:graphicFrame":
                parts = self._read_graphic(shape, shapes, setting)
            case "p:pic":
                parts = self._read_picture(shape)
            case _:
                kind = attribute(placeholder(shape), "type")
                setting = replace(setting, styles=shapes.design.styles(shape))
                text = read_paragraphs(child(shape, "p:txBody"), self._findings, setting)
                is_number = kind == "sldNum" or (kind in _FOOTERS and not any(map(str.isalnum, text)))
                origin: Origin | None = "page footer" if kind in _FOOTERS else None
                parts = [_Part(text, origin, kind in TITLES)] if text and not is_number else []
        for part in parts if flag else ():
            self._unseen += Counter([flag] * (part.origin != "hidden text"))
            part.origin, part.is_title = "hidden text", False
        return parts

    def _read_picture(self, shape: Element) -> list[_Part]:
        self._findings.unread["pictures"] += 1
        described = one_line(attribute(child(shape, "p:nvPicPr", "p:cNvPr"), "descr"))
        return [_Part(f"[image description] {described}", "image description")] if described else []

    def _read_graphic(self, shape: Element, shapes: _Shapes, setting: TextSetting) -> list[_Part]:
        """Return the table, chart or diagram of a frame."""
        for one in contents(shape, "a:graphic", "a:graphicData"):
            match one.tag:
                case "a:tbl":
                    table = read_table(one, self._findings, setting)
                    return [_Part(table)] if table else []
                case "c:chart" | "cx:chart":
                    root = self._open(shapes.relations.get(attribute(one, "id")), "c:chartSpace", "cx:chartSpace")
                    return _describe("chart", describe_chart(root) if root is not None else None)
                case "dgm:relIds":
                    root = self._open(shapes.relations.get(attribute(one, "dm")), "dgm:dataModel")
                    return _describe("diagram", describe_diagram(root) if root is not None else None)
                case "mc:AlternateContent" | "p:oleObj":
                    self._findings.unread["embedded objects"] += 1
        return []

    def _open(self, relation: Relation | None, *expected: str) -> Element | None:
        return self._package.open(relation, self._findings, "a drawing of a slide", *expected)

    def _design(self, relations: dict[str, Relation]) -> Design:
        """Return the design of a slide, which slides may share."""
        layout = next((one.target for one in relations.values() if one.kind == "slideLayout"), "")
        if layout not in self._designs:
            self._designs[layout] = Design(self._package, self._presentation, layout)
        return self._designs[layout]

    def _append_masters(self, page: PageText, design: Design) -> None:
        """Add the texts that a layout or master shows on its slides, to the first of these slides."""
        for part, root in design.parts:
            if part in self._masters:
                continue
            self._masters.add(part)
            shapes = _shapes(root, self._package.relations(part), design)
            for found in self._read_tree(own_shapes(root), shapes):
                if found.origin != "image description":
                    page.add_from("page footer", "on each slide", found.text)

    def _append_notes(self, page: PageText, relations: dict[str, Relation]) -> None:
        for relation in relations.values():
            notes = self._open(relation, "p:notes") if relation.kind == "notesSlide" else None
            if notes is None:
                continue
            shapes = _shapes(notes, {}, self._design({}))
            for shape in contents(notes, "p:cSld", "p:spTree"):
                if attribute(placeholder(shape), "type") not in ("sldNum", "sldImg", *_FOOTERS):
                    for part in self._read_shape(shape, shapes, None, ""):
                        page.add_from("speaker note", "speaker notes", part.text)

    def _append_comments(self, page: PageText, relations: dict[str, Relation]) -> None:
        for relation in relations.values():
            root = self._open(relation, "p:cmLst", ":cmLst") if relation.kind == "comments" else None
            if root is None:
                continue
            authors = self._read_authors()
            for comment in root.iter():
                if comment.tag.rpartition(":")[2] not in ("cm", "reply"):
                    continue
                own = [one for one in comment if one.tag.rpartition(":")[2] in ("text", "txBody")]
                text = one_line(" ".join(one.text or join_paragraphs(one) for one in own))
                author = authors.get(attribute(comment, "authorId"), "") or "an unnamed author"
                if text:
                    page.add_from("comment", f"comment by {author}", text)
                    self._findings.comments += 1

    def _read_authors(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for relation in self._relations.values():
            if relation.kind in ("commentAuthors", "authors") and self._package.has(relation.target):
                for one in self._package.read_xml(relation.target, "p:cmAuthorLst", ":authorLst"):
                    found[attribute(one, "id")] = one_line(attribute(one, "name"))[:80]
        return found


def _shapes(root: Element, relations: dict[str, Relation], design: Design, drawn: Iterable[Layer] = ()) -> _Shapes:
    """Return the shapes of a slide or another part; if some are animated, none counts as covered."""
    theme = design.theme(root)
    moves = next(root.iter("p:spTgt"), None) is not None
    return _Shapes(relations, design, theme, Canvas(design.ground(root, theme), drawn), moves)


def _alternatives(shape: Element) -> Iterable[Element]:
    """Return the shapes that are shown for an element."""
    if shape.tag not in _SHAPES:
        return ()
    return preferred_choice(shape) if shape.tag == "mc:AlternateContent" else [shape]


def _describe(what: Literal["chart", "diagram"], told: PageText | None) -> list[_Part]:
    return [_Part(label_text(what, told), what)] if told else []
