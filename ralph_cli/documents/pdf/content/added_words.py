"""Which words of a page were drawn for its form fields, notes and stamps: they are no part of what was printed."""

from itertools import groupby
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.core.structure import Addition, Origin
from ralph_cli.documents.pdf.boxes import Box, loose_box
from ralph_cli.documents.pdf.content.annotations import Overlay
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, PageLayout
from ralph_cli.documents.pdf.marked_content import address


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
