"""OpenDocument presentations (odp): each slide is a page, with shapes in reading order, then notes and comments."""

from collections import Counter
from xml.etree.ElementTree import Element

from ralph_cli.core.structure import Origin
from ralph_cli.documents.docx.fields import PAGE_NUMBER
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, child, children
from ralph_cli.documents.open_document.archive import CONTENT, OBJECTS, OpenDocument
from ralph_cli.documents.open_document.paragraphs import DRAWINGS
from ralph_cli.documents.open_document.story import Block, Story
from ralph_cli.documents.open_document.styles import collect_styles, read_points
from ralph_cli.documents.open_document.text import append_comments
from ralph_cli.documents.page_text import CharacterBudget, PageText, finish_document, one_line
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sight import NOTHING, WHITE_GROUND, Colours
from ralph_cli.documents.slides.order import Box, order_boxes
from ralph_cli.documents.slides.sight import Canvas, Layer, describe_hidden, why_shape_unseen

# Points from the top: the assumed position of shapes without one.
_NO_PLACE = 1e9

_DECLARED = ("footer", "header", "date-time")
_FOOTERS = (*_DECLARED, "page-number")


def parse_odp(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """Return a presentation with headings, tables, and marks on content off the slides; call it in a child process.

    Raises DocumentError damaged, encrypted, too-big, no-text, unsupported.
    """
    archive = OpenDocument(data, name, limits)
    try:
        return _PresentationReader(archive, limits).read()
    except RecursionError:
        raise archive.too_big_error("nests groups or lists too deeply") from None


class _PresentationReader:
    """Reads the slides of one presentation; texts of a master are on the first slide that shows them."""

    def __init__(self, archive: OpenDocument, limits: LoadLimits) -> None:
        self._archive, self._limits, self._findings = archive, limits, Findings()
        root, styled = archive.read_xml(CONTENT, "office:document-content"), archive.read_styles()
        body = child(root, "office:body", "office:presentation")
        if body is None:
            raise archive.damaged_error("the part content.xml holds no presentation")
        self._body = body
        self._styles, self._master_styles = collect_styles(styled, root), collect_styles(styled)
        """`_styles` is for slides and `_master_styles` for masters: a slide may have other styles with the same
        names.
        """
        self._unseen: Counter[str] = Counter()
        """The number of blocks marked as unseen, by reason."""
        budget = CharacterBudget(archive.name, limits)
        self._story = Story(self._styles, self._findings, archive, budget)
        self._master_story = Story(self._master_styles, self._findings, archive, budget)
        self._declared = {(one.tag, attribute(one, "name")): one_line(one.text or "") for one in body}
        self._written: set[tuple[str, ...]] = set()
        """The texts of masters that are already written."""
        self._masters: dict[str, dict[str, list[tuple[Element, Layer]]]] = {}

    def read(self) -> ParsedDocument:
        """Return the whole presentation."""
        pages: list[PageText] = []
        count = CharacterBudget(self._archive.name, self._limits)
        for slide in children(self._body, "draw:page"):
            pages.append(self._read_slide(slide))
            count(pages[-1].length)
        self._findings.notices += describe_hidden(pages, self._unseen)
        hint = "pictures are not read; save the slides as PDF, and run OCR"
        self._findings.pass_over(self._archive.unread_parts(OBJECTS))
        return finish_document(pages, self._findings, self._archive.name, self._limits, empty_hint=hint)

    def _read_slide(self, slide: Element) -> PageText:
        """Return one slide, followed by its notes and comments."""
        page, story = PageText(), self._story
        if self._setting(slide, "visibility") == "hidden":
            page.hidden = "hidden slide"
        fields: dict[str, str] = {}
        for kind in _DECLARED:
            declared = f"presentation:{kind}-decl", attribute(slide, f"use-{kind}-name")
            fields[f"presentation:{kind}"] = self._declared.get(declared, "")
        story.show_fields(fields)
        for forms in children(slide, "office:forms"):
            story.controls.add(forms)
        shows_master = self._setting(slide, "background-objects-visible") != "false"
        self._write_shapes(slide, page, shows_master)
        if shows_master and not page.hidden:
            self._write_master(slide, page, fields)
        for notes in children(slide, "presentation:notes"):
            for shape in (one for one in notes if one.tag in DRAWINGS and attribute(one, "class") not in _FOOTERS):
                for block in story.read_drawing(shape):
                    if block.origin != "image description" and block.text:
                        page.add_from("speaker note", "speaker notes", block.labelled())
        append_comments(page, children(slide, "office:annotation"), self._findings)
        return page

    def _write_shapes(self, slide: Element, page: PageText, shows_master: bool) -> None:
        """Write the title of a slide, then its other shapes in reading order."""
        master = attribute(slide, "master-page-name")
        beneath = (layer for shapes in self._master(master).values() for _, layer in shapes if shows_master)
        canvas = Canvas(self._ground(slide, master), beneath)
        layers = [(shape, self._story.layer(shape)) for shape in slide if shape.tag in DRAWINGS]
        drawn = [(shape, layer.place, *canvas.draw(layer)) for shape, layer in layers]
        moves = next(slide.iter(":par"), None) is not None
        boxes = []
        for shape, place, at, ground in drawn:
            kind = attribute(shape, "class")
            if kind == "page-number":
                continue
            blocks = list(self._story.read_drawing(shape, ground))
            why = why_shape_unseen(False, place, self._size(master), not moves and canvas.is_covered(at))
            for block in blocks:
                self._take_block(block, kind, why, page)
            if kind != "title" or why:
                boxes.append(Box(blocks, *(place or (0, _NO_PLACE + at, 1, _NO_PLACE + at))))
        for block in (block for blocks in order_boxes(boxes) for block in blocks):
            block.write(page)

    def _take_block(self, block: Block, kind: str, why: str, page: PageText) -> None:
        """Set the origin of a block in a shape of this kind, or `why` it is unseen; write a title at once."""
        block.origin = block.origin or ("page footer" if kind in _FOOTERS else None)
        if why:
            block.origin, self._unseen[why] = "hidden text", self._unseen[why] + 1
        elif kind == "title":
            block.level, title = 1, one_line(block.text.text())
            block.write(page)
            page.label = page.label or title

    def _ground(self, slide: Element, master: str) -> Colours:
        """Return the ground behind all shapes of a slide."""
        pages = (self._styles, slide), (self._master_styles, self._styles.master(master))
        fills = (styles.fill("drawing-page", attribute(page, "style-name"), NOTHING) for styles, page in pages)
        return next((fill for fill in fills if fill != NOTHING), WHITE_GROUND)

    def _size(self, master: str) -> tuple[float, float]:
        """Return the width and height of slides with this master, 0 if unknown."""
        width, height = self._styles.page_size(master)
        return read_points(width) or 0, read_points(height) or 0

    def _write_master(self, slide: Element, page: PageText, fields: dict[str, str]) -> None:
        """Write the texts that a slide's master adds, each once: those outside of placeholders, and footers."""
        name = attribute(slide, "master-page-name")
        self._master_story.show_fields(fields | {"text:page-number": PAGE_NUMBER})
        for kind, shapes in self._master(name).items():
            key = (name, kind, fields.get(f"presentation:{kind}", ""))
            if key not in self._written and (not kind or self._setting(slide, f"display-{kind}") != "false"):
                self._written.add(key)
                for shape, layer in shapes:
                    is_beside = why_shape_unseen(False, layer.place, self._size(name), False)
                    origin: Origin = "hidden text" if is_beside else "page footer"
                    self._write_once(origin, "page footer" if kind else "on each slide", shape, page)

    def _master(self, name: str) -> dict[str, list[tuple[Element, Layer]]]:
        """Return the shapes of a master that slides show, by their class."""
        if name not in self._masters:
            shapes = self._masters.setdefault(name, {})
            master = self._styles.master(name)
            for one in master if master is not None else ():
                kind = attribute(one, "class")
                if one.tag in DRAWINGS and (not kind or kind in _DECLARED):
                    shapes.setdefault(kind, []).append((one, self._master_story.layer(one)))
        return self._masters[name]

    def _write_once(self, origin: Origin, label: str, shape: Element, page: PageText) -> None:
        for block in self._master_story.read_drawing(shape):
            key = (origin, label, block.labelled().text())
            is_read = any(map(str.isalnum, key[2])) and block.origin != "image description"
            if is_read and key not in self._written:
                self._written.add(key)
                page.add_from(origin, label, block.labelled())

    def _setting(self, slide: Element, key: str) -> str:
        return self._styles.value("drawing-page", attribute(slide, "style-name"), "drawing-page", key)
