"""Horizontal rulings of a PDF page: the thin lines that are drawn below names of columns and above sums."""

import ctypes
import math
from collections.abc import Iterable
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.geometry.word import Ruling
from ralph_cli.documents.pdf.geometry.words import call_unchecked
from ralph_cli.documents.pdf.marked_content import PATH

_MOST_OBJECTS = 20_000
_THICK = 3.0
_TOUCHING = 1.0
"""Points between pieces of one ruling, along it and across."""

_GET_OBJECT = call_unchecked(pdfium_c.FPDFPage_GetObject, pdfium_c.FPDF_PAGEOBJECT)
_TYPE = call_unchecked(pdfium_c.FPDFPageObj_GetType)
_BOUNDS = call_unchecked(pdfium_c.FPDFPageObj_GetBounds)


def read_rulings(page: Any, turns: int) -> list[Ruling]:
    """The rulings of a page, from top to bottom, whose text is turned so often by 90 degrees; each in one piece.

    They are thin paths, stroked or filled as the borders of cells are. What stands in forms, or behind very many
    objects, is not looked at.
    """
    sides = [ctypes.c_float() for _ in range(4)]
    references = [ctypes.byref(side) for side in sides]
    pieces: list[Ruling] = []
    begin, end, level = 0.0, -math.inf, 0.0
    for number in range(min(pdfium_c.FPDFPage_CountObjects(page.raw), _MOST_OBJECTS)):
        item = _GET_OBJECT(page.raw, number)
        if _TYPE(item) != PATH or not _BOUNDS(item, *references):
            continue
        left, foot, right, top = [side.value for side in sides]
        if turns % 2:
            left, foot, right, top = foot, -right, top, -left
        if turns > 1:
            left, foot, right, top = -right, -top, -left, -foot
        if top - foot < _THICK:
            if foot == level and begin <= left < end + _TOUCHING:  # a line of dots has hundreds of pieces
                pieces.pop()
                left, right = begin, max(end, right)
            pieces.append(Ruling(left, right, foot))
            begin, end, level = pieces[-1]
    return join_pieces(pieces)


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
