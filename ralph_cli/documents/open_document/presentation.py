"""OpenDocument presentations (odp): each slide a page, its shapes in reading order, notes and comments behind them."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from ralph_cli.core.document import Caution
from ralph_cli.core.structure import Origin
from ralph_cli.documents.docx.fields import PAGE_NUMBER
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, child, children
from ralph_cli.documents.open_document.archive import CONTENT, OBJECTS, OpenDocument
from ralph_cli.documents.open_document.paragraphs import DRAWINGS
from ralph_cli.documents.open_document.story import Story
from ralph_cli.documents.open_document.styles import Styles, collect_styles, read_points
from ralph_cli.documents.open_document.text import append_comments
from ralph_cli.documents.page_text import CharacterBudget, PageText, finish_document, one_line
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.slides.order import Box, order_boxes

_NO_PLACE = 1e9
"""Points from the top at which shapes are put that have no place."""

_DECLARED = ("footer", "header", "date-time")
_FOOTERS = (*_DECLARED, "page-number")

_Placed = tuple[Element, tuple[float, float, float, float]]
"""A shape with the place of its left, upper, right and lower edge, in points."""


def parse_odp(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """The text of a presentation, with headings, tables and marks on what is not on the slides; for a child process.

    Raises DocumentError damaged, encrypted, too-big, no-text, unsupported.
    """
    archive = OpenDocument(data, name, limits)
    archive.refuse_encrypted()
    root = archive.read_xml(CONTENT, "office:document-content")
    body = child(root, "office:body", "office:presentation")
    if body is None:
        raise archive.damaged_error("the part content.xml holds no presentation")
    findings = Findings()
    styled = archive.read_styles()
    reader = _SlideReader(body, collect_styles(styled, root), collect_styles(styled), findings, archive, limits)
    pages: list[PageText] = []
    count = CharacterBudget(name, limits)
    try:
        for slide in children(body, "draw:page"):
            pages.append(reader.read(slide))
            count(pages[-1].length)
    except RecursionError:
        raise archive.too_big_error("nests groups or lists too deeply") from None
    if hidden := [str(at) for at, page in enumerate(pages, 1) if page.hidden]:
        message = f"hidden parts are read and marked: slide{'s' * (len(hidden) > 1)} {', '.join(hidden[:50])}"
        findings.notices.append(Caution("hidden-parts", message))
    hint = "pictures are not read; save the slides as PDF, and run OCR"
    findings.pass_over(archive.unread_parts(OBJECTS))
    return finish_document(pages, findings, name, limits, empty_hint=hint)


class _SlideReader:
    """Reads the slides of one presentation, and on the first that shows them the words of their masters."""

    def __init__(
        self,
        body: Element,
        styles: Styles,
        master_styles: Styles,
        findings: Findings,
        archive: OpenDocument,
        limits: LoadLimits,
    ) -> None:
        """`master_styles` are those of masters: a slide may have others by the same names."""
        self._styles, self._findings = styles, findings
        budget = CharacterBudget(archive.name, limits)
        self._story = Story(styles, findings, archive.open_object, budget)
        self._master_story = Story(master_styles, findings, archive.open_object, budget)
        self._declared = {(one.tag, attribute(one, "name")): one_line(one.text or "") for one in body}
        self._written: set[tuple[str, ...]] = set()
        """What was read of masters, and the words that were written of them."""
        self._masters: dict[str, dict[str, list[_Placed]]] = {}

    def read(self, slide: Element) -> PageText:
        """One slide, with its notes and comments behind it."""
        page, story = PageText(), self._story
        if self._setting(slide, "visibility") == "hidden":
            page.hidden = "hidden slide"
        fields = {
            f"presentation:{kind}": self._declared.get(
                (f"presentation:{kind}-decl", attribute(slide, f"use-{kind}-name")), ""
            )
            for kind in _DECLARED
        }
        story.show_fields(fields)
        for forms in children(slide, "office:forms"):
            story.controls.add(forms)
        self._write_shapes(slide, page)
        self._write_master(slide, page, fields)
        for notes in children(slide, "presentation:notes"):
            for shape in (one for one in notes if one.tag in DRAWINGS and attribute(one, "class") not in _FOOTERS):
                for block in story.read_drawing(shape):
                    if block.origin != "image description" and block.text:
                        page.add_from("speaker note", "speaker notes", block.labelled())
        append_comments(page, children(slide, "office:annotation"), self._findings)
        return page

    def _write_shapes(self, slide: Element, page: PageText) -> None:
        """Write the title of a slide and its other shapes in the order in which they are read."""
        titles = [one for one in slide if attribute(one, "class") == "title"]
        for shape in titles:
            for block in self._story.read_drawing(shape):
                block.level, title = 1, one_line(block.text.text())
                block.write(page)
                page.label = page.label or title
        size = self._styles.page_size(attribute(slide, "master-page-name"))
        boxes = []
        for shape, place in _placed(slide):
            kind = attribute(shape, "class")
            if shape not in titles and kind != "page-number":
                blocks = list(self._story.read_drawing(shape))
                for block in blocks:
                    block.origin = block.origin or ("page footer" if kind in _FOOTERS else None)
                    block.origin = "hidden text" if _is_beside(place, size) else block.origin
                boxes.append(Box(blocks, *place))
        for block in (block for blocks in order_boxes(boxes) for block in blocks):
            block.write(page)

    def _write_master(self, slide: Element, page: PageText, fields: dict[str, str]) -> None:
        """Write the words that the master of a slide puts on it, each once: what fills no place, and its footers."""
        name = attribute(slide, "master-page-name")
        if page.hidden or self._setting(slide, "background-objects-visible") == "false":
            return
        self._master_story.show_fields(fields | {"text:page-number": PAGE_NUMBER})
        size = self._styles.page_size(name)
        for kind, shapes in self._master(name).items():
            key = (name, kind, fields.get(f"presentation:{kind}", ""))
            if key not in self._written and (not kind or self._setting(slide, f"display-{kind}") != "false"):
                self._written.add(key)
                for shape, place in shapes:
                    origin: Origin = "hidden text" if _is_beside(place, size) else "page footer"
                    self._write_once(origin, "page footer" if kind else "on each slide", shape, page)

    def _master(self, name: str) -> dict[str, list[_Placed]]:
        """The shapes of a master that slides show, by their class."""
        if name not in self._masters:
            shapes = self._masters.setdefault(name, {})
            for one in _placed(self._styles.master(name) or ()):
                kind = attribute(one[0], "class")
                if not kind or kind in _DECLARED:
                    shapes.setdefault(kind, []).append(one)
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


def _placed(slide: Iterable[Element]) -> list[_Placed]:
    """The shapes of a slide with their places, in points; those without one come last, in order."""
    found = []
    for at, shape in enumerate(slide):
        if shape.tag not in DRAWINGS:
            continue
        inner = [shape, *(one for one in shape.iter() if one.tag in DRAWINGS)] if shape.tag == "draw:g" else [shape]
        corners = [place for one in inner if (place := _read_place(one))]
        if corners:
            lefts, tops, rights, bottoms = zip(*corners, strict=True)
            found.append((shape, (min(lefts), min(tops), max(rights), max(bottoms))))
        else:
            found.append((shape, (0.0, _NO_PLACE + at, 1.0, _NO_PLACE + at)))
    return found


def _is_beside(place: tuple[float, float, float, float], size: tuple[str, str]) -> bool:
    """Whether a place lies outside of a slide of this size."""
    left, top, right, bottom = place
    width, height = read_points(size[0]), read_points(size[1])
    return bool(width and height) and (
        right <= 0 or bottom <= 0 or (left >= (width or 0)) or (height or 0) <= top < _NO_PLACE
    )


def _read_place(shape: Element) -> tuple[float, float, float, float] | None:
    left, top = read_points(attribute(shape, "x")), read_points(attribute(shape, "y"))
    if left is None or top is None:
        return None
    width, height = (read_points(attribute(shape, side)) or 0 for side in ("width", "height"))
    return left, top, left + width, top + height
