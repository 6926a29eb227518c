"""OpenDocument presentations (odp): each slide a page, its shapes in reading order, notes and comments behind them."""

from xml.etree.ElementTree import Element

from ralph_cli.core.document import Caution
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.pages import CharacterBudget, PageText, finish_document, one_line
from ralph_cli.documents.office.xml_tree import attribute, child, children
from ralph_cli.documents.open_document.archive import CONTENT, OBJECTS, OpenDocument
from ralph_cli.documents.open_document.paragraphs import DRAWINGS
from ralph_cli.documents.open_document.story import Block, Story
from ralph_cli.documents.open_document.styles import Styles, collect_styles, read_points
from ralph_cli.documents.open_document.text import append_comments
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.slides.order import Box, order_boxes

_NO_PLACE = 1e9
"""Points from the top at which shapes are put that have no place."""

_FOOTERS = ("footer", "header", "date-time", "page-number")


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
    styles = collect_styles(archive.read_styles(), root)
    story = Story(styles, findings, archive.open_object, CharacterBudget(name, limits))
    pages: list[PageText] = []
    count = CharacterBudget(name, limits)
    try:
        for slide in children(body, "draw:page"):
            pages.append(_read_slide(slide, story, styles, findings))
            count(pages[-1].length)
    except RecursionError:
        raise archive.too_big_error("nests groups or lists too deeply") from None
    if hidden := [str(at) for at, page in enumerate(pages, 1) if page.hidden]:
        message = f"hidden parts are read and marked: slide{'s' * (len(hidden) > 1)} {', '.join(hidden[:50])}"
        findings.notices.append(Caution("hidden-parts", message))
    hint = "pictures are not read; save the slides as PDF, and run OCR"
    findings.pass_over(archive.unread_parts(OBJECTS))
    return finish_document(pages, findings, name, limits, empty_hint=hint)


def _read_slide(slide: Element, story: Story, styles: Styles, findings: Findings) -> PageText:
    page = PageText()
    if styles.value("drawing-page", attribute(slide, "style-name"), "drawing-page", "visibility") == "hidden":
        page.hidden = "hidden slide"
    titles = [one for one in slide if attribute(one, "class") == "title"]
    comments = children(slide, "office:annotation")
    for shape in titles:
        for block in story.read_drawing(shape):
            block.level, title = 1, one_line(block.text)
            _write(block, page, comments)
            page.label = page.label or title
    size = styles.page_size(attribute(slide, "master-page-name"))
    boxes = []
    for shape, place in _placed(slide):
        if shape not in titles and attribute(shape, "class") != "page-number":
            blocks = list(story.read_drawing(shape))
            for block in blocks if _is_beside(place, size) else ():
                block.origin = "hidden text"
            boxes.append(Box(blocks, *place))
    for block in (block for blocks in order_boxes(boxes) for block in blocks):
        _write(block, page, comments)
    for notes in children(slide, "presentation:notes"):
        for shape in (one for one in notes if one.tag in DRAWINGS and attribute(one, "class") not in _FOOTERS):
            for block in story.read_drawing(shape):
                if block.origin != "image description" and block.text:
                    page.add_from("speaker note", "speaker notes", block.text)
    append_comments(page, comments, findings)
    return page


def _write(block: Block, page: PageText, comments: list[Element]) -> None:
    if block.text:
        block.write(page)
    comments += [comment for paragraph in block.paragraphs for comment, _ in paragraph.comments]


def _placed(slide: Element) -> list[tuple[Element, tuple[float, float, float, float]]]:
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
