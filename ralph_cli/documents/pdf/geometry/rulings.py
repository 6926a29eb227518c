"""Rulings of a PDF page: the thin lines that are drawn below names of columns, above sums, and around cells."""

import ctypes
import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.geometry.word import Ruling, Rulings
from ralph_cli.documents.pdf.geometry.words import call_unchecked
from ralph_cli.documents.pdf.marked_content import PATH

_MOST_OBJECTS = 20_000
# Points of a path that is a rectangle, and of one that is looked at, at most.
_RECTANGLE, _MOST_POINTS = 5, 500

_THICK = 3.0
# A part of a colour, of 255 at most: lines without a darker one are no borders.
_LIGHT = 230

# Points between pieces of one ruling, along it and across.
_TOUCHING = 1.0

_GET_OBJECT = call_unchecked(pdfium_c.FPDFPage_GetObject, pdfium_c.FPDF_PAGEOBJECT)
_TYPE = call_unchecked(pdfium_c.FPDFPageObj_GetType)
_BOUNDS = call_unchecked(pdfium_c.FPDFPageObj_GetBounds)

# Left, foot, right and top of what is drawn, in points of the page.
_Bounds = tuple[float, float, float, float]


def read_rulings(page: Any, turns: int) -> Rulings:
    """The rulings of a page whose text is turned so often by 90 degrees; each in one piece.

    They are thin paths, stroked or filled as the borders of cells are, and the sides of stroked ones. What stands in
    forms, or behind very many objects, is not looked at.
    """
    sides = [ctypes.c_float() for _ in range(4)]
    references = [ctypes.byref(side) for side in sides]
    pieces: tuple[list[list[float]], ...] = [], [], []
    for number in range(min(pdfium_c.FPDFPage_CountObjects(page.raw), _MOST_OBJECTS)):
        item = _GET_OBJECT(page.raw, number)
        if _TYPE(item) != PATH or not _BOUNDS(item, *references):
            continue
        bounds = sides[0].value, sides[1].value, sides[2].value, sides[3].value
        is_thin = bounds[3] - bounds[1] < _THICK or bounds[2] - bounds[0] < _THICK
        for left, foot, right, top in (bounds,) if is_thin else (_find_lines(item) or (bounds,)):
            if turns % 2:
                left, foot, right, top = foot, -right, top, -left
            if turns > 1:
                left, foot, right, top = -right, -top, -left, -foot
            if top - foot < _THICK:
                _add(pieces[0], left, right, foot)
            elif right - left < _THICK:
                if _is_seen(item):
                    _add(pieces[1], foot, top, left)
            else:
                pieces[2].extend(([left, right, foot], [left, right, top]))
    return Rulings(*(join_pieces(Ruling(*piece) for piece in found) for found in pieces))


def _is_seen(path: Any) -> bool:
    """Whether a path is darker than the ground of cells; what parts those of a row may have the colour of paper."""
    fill, is_stroked = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(is_stroked))
    read = pdfium_c.FPDFPageObj_GetStrokeColor if is_stroked.value else pdfium_c.FPDFPageObj_GetFillColor
    parts = [ctypes.c_uint() for _ in range(4)]
    read(path, *map(ctypes.byref, parts))
    return min(part.value for part in parts[:3]) < _LIGHT


def _add(pieces: list[list[float]], left: float, right: float, foot: float) -> None:
    """Add a piece, or make the last one longer: a line of dots has hundreds of them."""
    last = pieces[-1] if pieces else [0.0, -math.inf, 0.0]
    if foot == last[2] and last[0] <= left < last[1] + _TOUCHING:
        last[1] = max(last[1], right)
    else:
        pieces.append([left, right, foot])


def _find_lines(path: Any) -> list[_Bounds]:
    """The thin parts of a path, and the sides of its other parts if it is stroked."""
    count = pdfium_c.FPDFPath_CountSegments(path)
    fill, is_stroked = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(is_stroked))
    lines: list[_Bounds] = []
    if count > _MOST_POINTS or not (is_stroked.value or count > _RECTANGLE):
        return lines
    for part in _find_parts(path, count):
        (lefts, feet) = zip(*part, strict=True)
        whole = min(lefts), min(feet), max(lefts), max(feet)
        if whole[2] - whole[0] < _THICK or whole[3] - whole[1] < _THICK:
            lines.append(whole)
        elif is_stroked.value:
            lines += [(min(x, u), min(y, v), max(x, u), max(y, v)) for (x, y), (u, v) in pairwise(part)]
    return lines


def _find_parts(path: Any, count: int) -> Iterator[list[tuple[float, float]]]:
    """The points of each part of a path, on the page; one that is closed ends where it begins."""
    matrix, x, y = pdfium_c.FS_MATRIX(), ctypes.c_float(), ctypes.c_float()
    pdfium_c.FPDFPageObj_GetMatrix(path, ctypes.byref(matrix))
    part: list[tuple[float, float]] = []
    for number in range(count):
        segment = pdfium_c.FPDFPath_GetPathSegment(path, number)
        pdfium_c.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        if part and pdfium_c.FPDFPathSegment_GetType(segment) == pdfium_c.FPDF_SEGMENT_MOVETO:
            yield part
            part = []
        across = matrix.a * x.value + matrix.c * y.value + matrix.e
        part.append((across, matrix.b * x.value + matrix.d * y.value + matrix.f))
        if pdfium_c.FPDFPathSegment_GetClose(segment):
            part.append(part[0])
    if part:
        yield part


def join_pieces(pieces: Iterable[Ruling]) -> list[Ruling]:
    """Rulings from top to bottom, those that touch each other at one height as one."""
    levels: list[list[Ruling]] = []
    for piece in sorted(pieces, key=lambda it: -it.foot):
        if not levels or levels[-1][0].foot - piece.foot > _TOUCHING:
            levels.append([])
        levels[-1].append(piece)
    found: list[Ruling] = []
    for level in levels:
        foot, end = level[0].foot, -math.inf
        for piece in sorted(level):
            if piece.left < end + _TOUCHING:
                found[-1] = found[-1]._replace(right=max(end, piece.right))
            else:
                found.append(piece._replace(foot=foot))
            end = found[-1].right
    return found
