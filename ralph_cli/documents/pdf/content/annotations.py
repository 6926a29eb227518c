"""What is laid over a PDF page, so that a reader of it sees it: form fields, typed notes, stamps, signatures.

Each becomes a part of the page before that is read, drawn where it stands (ISO 32000-2, 12.5.5), so that a value is
read beside its label, and pictures of the page and checks of what is visible work for it as for any other text. Only in
memory: no file is changed. A box that is ticked, or not, is often drawn as lines; there a mark stands in the text.
"""

import ctypes
import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.core.structure import Addition, Origin
from ralph_cli.documents.pdf.boxes import Box, loose_box
from ralph_cli.documents.pdf.content.box_marks import BoxState, count_symbols, find_drawn_boxes, mark_boxes
from ralph_cli.documents.pdf.content.missing_fonts import PdfFile
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, PageLayout
from ralph_cli.documents.pdf.marked_content import TEXT, address

_MOST_UNITS = 1 << 16


def _kinds(names: str) -> frozenset[int]:
    """Kinds of annotations by their names in pdfium."""
    return frozenset(getattr(pdfium_c, f"FPDF_ANNOT_{name}") for name in names.split())


_MARKS_ON_WORDS = _kinds("HIGHLIGHT UNDERLINE SQUIGGLY STRIKEOUT INK")
_COMMENT_KINDS = _MARKS_ON_WORDS | _kinds("TEXT CARET LINE SQUARE CIRCLE POLYGON POLYLINE")
# What may tick a box.
_STROKES = _kinds("INK LINE POLYLINE STAMP")

_NEVER_DRAWN = _kinds("LINK POPUP")
_BUTTONS = frozenset({pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON})
_UNSEEN_FLAGS = pdfium_c.FPDF_ANNOT_FLAG_HIDDEN | pdfium_c.FPDF_ANNOT_FLAG_NOVIEW

# A form in Adobe's XML format has no drawn fields beyond those that are read here.
logging.getLogger("pypdfium2").setLevel(logging.ERROR)


@dataclass(slots=True)
class Overlay:
    """What was laid over a page: numbers of form fields, of boxes and options among them, of typed notes and stamps.

    `drawn_boxes` are printed on the page, as lines. `comments` open on a click, `struck` cross out words; `undrawn` are
    typed notes that have no appearance. `chosen` are the values of lists, which show all that one may choose from.
    `texts` are the text objects that were drawn for all of these, by address, `origins` what stands where, `strokes`
    where something was drawn by hand.
    """

    fields: int = 0
    boxes: int = 0
    drawn_boxes: int = 0
    notes: int = 0
    comments: int = 0
    struck: int = 0
    undrawn: int = 0
    chosen: list[str] = field(default_factory=list)
    texts: frozenset[int] = frozenset()
    origins: list[tuple[Box, Origin]] = field(default_factory=list)
    strokes: list[Box] = field(default_factory=list)


def open_page(document: PdfFile, index: int) -> tuple[Any, Overlay]:
    """The page with that index, as a reader of it sees it, and what was laid over it.

    Raises PdfiumError when the page does not load.
    """
    document.init_forms()
    document, page = document.load_all_words(index)
    overlay = Overlay()
    buttons: list[BoxState] = []
    drawn = False
    for number in range(pdfium_c.FPDFPage_GetAnnotCount(page.raw)):
        with _annotation(page, number) as annotation:
            kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
            if kind not in _NEVER_DRAWN:
                drawn = _register(document, annotation, kind, overlay, buttons) or drawn
    if not drawn:
        _mark_drawn_boxes(document, page, overlay)
        return page, overlay
    own = pdfium_c.FPDFPage_CountObjects(page.raw)
    printed = count_symbols(page, buttons)
    pdfium_c.FPDFPage_Flatten(page.raw, pdfium_c.FLAT_NORMALDISPLAY)
    page.close()
    page = document[index]
    # What is drawn for annotations comes behind the page's own objects.
    overlay.texts = frozenset(_text_objects(page, own))
    drawn_now = zip(buttons, printed, count_symbols(page, buttons), strict=True)
    # A box that is printed on the page says no more than that there is one.
    mark_boxes(document, page, [it for it, before, now in drawn_now if now <= (before if it[1] else 0)])
    _mark_drawn_boxes(document, page, overlay)
    return page, overlay


def _register(document: Any, annotation: Any, kind: int, overlay: Overlay, buttons: list[BoxState]) -> bool:
    """Count an annotation; whether it is drawn on the page."""
    flags = pdfium_c.FPDFAnnot_GetFlags(annotation)
    if flags & _UNSEEN_FLAGS:
        return False
    if pdfium_c.FPDFAnnot_HasKey(annotation, b"OC"):
        # On a layer, which may be off; drawn into the page it would always show.
        pdfium_c.FPDFAnnot_SetFlags(annotation, flags | pdfium_c.FPDF_ANNOT_FLAG_HIDDEN)
        overlay.undrawn += 1
        return False
    place = _place(annotation)
    if kind == pdfium_c.FPDF_ANNOT_WIDGET:
        _register_field(document, annotation, place, overlay, buttons)
        return True
    origin: Origin = "stamp"
    if kind == pdfium_c.FPDF_ANNOT_FREETEXT:
        origin = "typed note"
        is_drawn = pdfium_c.FPDFAnnot_GetAP(annotation, pdfium_c.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > 2
        overlay.notes += is_drawn
        overlay.undrawn += not is_drawn
    elif kind in _COMMENT_KINDS:
        origin = "comment"
        overlay.comments += bool(_string(pdfium_c.FPDFAnnot_GetStringValue, annotation, b"Contents").strip())
        overlay.struck += kind == pdfium_c.FPDF_ANNOT_STRIKEOUT
    else:
        overlay.notes += kind == pdfium_c.FPDF_ANNOT_STAMP
    if kind not in _MARKS_ON_WORDS:
        overlay.origins.append((place, origin))
    if kind in _STROKES:
        overlay.strokes.append(place)
    return True


def _register_field(document: Any, annotation: Any, place: Box, overlay: Overlay, buttons: list[BoxState]) -> None:
    overlay.fields += 1
    form = document.formenv.raw if document.formenv else None
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation) if form else None
    overlay.origins.append((place, "signature" if kind == pdfium_c.FPDF_FORMFIELD_SIGNATURE else "form field"))
    if kind == pdfium_c.FPDF_FORMFIELD_LISTBOX:
        chosen = _string(pdfium_c.FPDFAnnot_GetFormFieldValue, form, annotation)
        overlay.chosen += [" ".join(chosen.split())] if chosen.strip() else []
    if kind in _BUTTONS and place.width:
        overlay.boxes += 1
        buttons.append((place, bool(pdfium_c.FPDFAnnot_IsChecked(form, annotation))))


def _place(annotation: Any) -> Box:
    """Where an annotation stands; a box without width if it does not say."""
    rect = pdfium_c.FS_RECTF()
    pdfium_c.FPDFAnnot_GetRect(annotation, ctypes.byref(rect))
    return Box(rect.left, rect.bottom, rect.right, rect.top)


def _text_objects(page: Any, first: int) -> Iterator[int]:
    """The text objects, by address, in the forms from index `first` on."""
    for number in range(first, pdfium_c.FPDFPage_CountObjects(page.raw)):
        item = pypdfium2.PdfObject(pdfium_c.FPDFPage_GetObject(page.raw, number), page=page)
        if item.type == pdfium_c.FPDF_PAGEOBJ_FORM:
            yield from (address(text.raw) for text in page.get_objects([TEXT], form=item, level=1))


def _mark_drawn_boxes(document: Any, page: Any, overlay: Overlay) -> None:
    """Give each box that is printed as lines a character that says its state, if no word stands in it."""
    fields = [place for place, origin in overlay.origins if origin == "form field"]
    boxes = find_drawn_boxes(page, fields, overlay.strokes)
    if not boxes:
        return
    with closing(page.get_textpage()) as text_page:
        free = [item for item in boxes if not text_page.get_text_bounded(*item[0]).strip()]
    overlay.drawn_boxes = len(free)
    mark_boxes(document, page, free)


@contextmanager
def _annotation(page: Any, number: int) -> Iterator[Any]:
    annotation = pdfium_c.FPDFPage_GetAnnot(page.raw, number)
    try:
        yield annotation
    finally:
        if annotation:
            pdfium_c.FPDFPage_CloseAnnot(annotation)


def _string(ask: Any, *which: Any) -> str:
    """What one of pdfium's functions answers in UTF-16; "" when it is absent, or longer than anybody writes."""
    size = ask(*which, None, 0)
    if not 2 < size <= _MOST_UNITS:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    ask(*which, buffer, size)
    return bytes(buffer)[:size].decode("utf-16-le", "replace").rstrip("\x00")


def find_additions(text_page: Any, layout: PageLayout, overlay: Overlay) -> list[Addition]:
    """The words of a page's text that were drawn for what lies over it, one addition for those behind each other."""
    if not overlay.texts:
        return []
    places = [place for place, index in enumerate(layout.characters) if index != NOT_A_CHARACTER]
    known: dict[int, Origin | None] = {}

    def origin_of(place: int) -> Origin | None:
        index = layout.characters[place]
        owner = address(pdfium_c.FPDFText_GetTextObject(text_page.raw, index))
        if owner not in known:
            known[owner] = _nearest(overlay, loose_box(text_page.raw, index)) if owner in overlay.texts else None
        return known[owner]

    found = []
    for origin, group in groupby(places, origin_of):
        inside = list(group)
        if origin is not None and any(layout.text[place].isalnum() for place in inside):
            found.append(Addition(inside[0], inside[-1] + 1, origin))
    return found


def _nearest(overlay: Overlay, box: Box | None) -> Origin:
    """The origin of what stands where a box is, or nearest to it: a form's words may run out of their field."""

    def distance(place: Box) -> float:
        if box is None:
            return 0
        across = max(place.left - box.right, box.left - place.right, 0)
        return across + max(place.bottom - box.top, box.bottom - place.top, 0)

    nearest = min(overlay.origins, key=lambda item: distance(item[0]), default=None)
    return nearest[1] if nearest else "comment"
