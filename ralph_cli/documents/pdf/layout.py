"""The text of one PDF page in reading lines, with a map from each character back to pdfium's character index.

One visual line per table row, cells two spaces apart. Pages of prose in two columns keep the order of the content
stream, where sorting by height would interleave the columns.
"""

import ctypes
import math
import re
from array import array
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.limits import Layout

CELL_GAP = "  "
NOT_A_CHARACTER = -1
"""In a character map: this character was added by the layout (space, line end) and has no box."""

_WORD = re.compile("[^\\s\x00\x02\ufffe\uffff]+[\x02\ufffe]?|[\x02\ufffe]")
_HYPHEN_MARK = re.compile("[\x02\ufffe]")
_SAMPLED_ANGLES = 24
_ROWS_LOOKED_BACK = 4
_MESH_SHARE = 0.7
"""Baselines nearer than this share of the type size cannot be two lines of one column."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """`text[i]` was drawn as pdfium's character `characters[i]`, or is `NOT_A_CHARACTER`."""

    text: str
    characters: "array[int]"


@dataclass(slots=True)
class _Run:
    """Words that follow each other on one baseline; grows while the page is read, so it is not frozen."""

    baseline: float
    left: float
    right: float
    height: float
    words: list[tuple[int, int]]

    def is_prose(self, text: str) -> bool:
        """At least four words, three quarters of which begin with a letter: a piece of a paragraph, not a cell."""
        letters = sum(text[start].isalpha() for start, _ in self.words)
        return len(self.words) >= 4 and letters >= 0.75 * len(self.words)


_Row = list[_Run]


def lay_out(text_page: Any, layout: Layout = "auto") -> PageLayout:
    """Lay out one pypdfium2 text page.

    "visual" puts everything at one height on one line, "stream" keeps the order of the file, "auto" is visual except on
    pages where at least four rows (and 12 % of them) would be made of two pieces of prose.
    """
    raw = text_page.raw
    source = page_characters(raw)
    runs = _find_runs(raw, source)
    rows = _visual_rows(runs)
    columns = sum(1 for row in rows if sum(run.is_prose(source) for run in row) >= 2)
    if layout == "stream" or (layout == "auto" and columns >= 4 and columns >= 0.12 * len(rows)):
        rows = _stream_rows(runs, source)
    return _join(rows, source)


def page_characters(raw: Any) -> str:
    """All characters of a pdfium text page; the i-th one is pdfium's character i."""
    count = pdfium_c.FPDFText_CountChars(raw)
    if count <= 0:
        return ""
    buffer = ctypes.create_string_buffer((count + 1) * 2)
    pdfium_c.FPDFText_GetText(raw, 0, count, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)))
    text = buffer.raw[: count * 2].decode("utf-16-le", "surrogatepass")
    if len(text) == count and "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in set(text)):
        return text
    # pdfium left characters out or used surrogate pairs, so positions have shifted: ask for each character.
    return "".join(_character(pdfium_c.FPDFText_GetUnicode(raw, index)) for index in range(count))


def _character(code: int) -> str:
    if code == 0:
        return " "
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _quarter_turns(raw: Any, text: str) -> int:
    """How often the page's text is turned by 90 degrees counter-clockwise, judged by a sample of its characters."""
    step = max(1, len(text) // _SAMPLED_ANGLES)
    votes = [0, 0, 0, 0]
    for index in range(0, len(text), step):
        if not text[index].isspace():
            angle = pdfium_c.FPDFText_GetCharAngle(raw, index)
            votes[round(-angle / (math.pi / 2)) % 4 if angle >= 0 else 0] += 1  # pdfium counts clockwise
    return max(range(4), key=lambda turns: (votes[turns], -turns))


class _Boxes:
    """Positions of characters, turned so that text runs from left to right."""

    def __init__(self, raw: Any, turns: int) -> None:
        self._raw, self._turns = raw, turns
        self._box, self._origin = pdfium_c.FPDFText_GetLooseCharBox, pdfium_c.FPDFText_GetCharOrigin
        self._rect = pdfium_c.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._rect_ref = ctypes.byref(self._rect)
        self._x_ref, self._y_ref = ctypes.byref(self._x), ctypes.byref(self._y)

    def extent(self, index: int) -> tuple[float, float, float]:
        """Left, right and height of a character, in points."""
        rect = self._rect
        if not self._box(self._raw, index, self._rect_ref):
            return 0.0, 0.0, 0.0
        if self._turns == 0:
            return rect.left, rect.right, rect.top - rect.bottom
        if self._turns == 2:
            return -rect.right, -rect.left, rect.top - rect.bottom
        left, right = (rect.bottom, rect.top) if self._turns == 1 else (-rect.top, -rect.bottom)
        return left, right, rect.right - rect.left

    def baseline(self, index: int) -> float:
        """Height of the character's baseline above the foot of the (turned) page, in points."""
        self._origin(self._raw, index, self._x_ref, self._y_ref)
        return float((self._y.value, -self._x.value, -self._y.value, self._x.value)[self._turns])


def _find_runs(raw: Any, text: str) -> list[_Run]:
    """Words in stream order, joined while they stand beside each other on one line."""
    boxes = _Boxes(raw, _quarter_turns(raw, text))
    runs: list[_Run] = []
    previous_end = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        left, right, height = boxes.extent(start)
        if height <= 0:
            height = 1.0
        baseline = boxes.baseline(start)
        if end - start > 1:
            right = boxes.extent(end - 1)[1]
        if runs and "\n" not in text[previous_end:start] and _continues(runs[-1], left, baseline, height):
            run = runs[-1]
            if height > run.height:
                run.baseline, run.height = baseline, height
            run.words.append((start, end))
            run.right = right
        else:
            runs.append(_Run(baseline, left, right, height, [(start, end)]))
        previous_end = end
    return runs


def _continues(run: _Run, left: float, baseline: float, height: float) -> bool:
    """Whether a word at this place goes on the run: same baseline, or raised or lowered small type beside it."""
    larger, smaller = max(height, run.height), min(height, run.height)
    if not -0.5 * larger < left - run.right < larger:
        return False
    shift = abs(baseline - run.baseline)
    return shift < 0.25 * height or (smaller < 0.85 * larger and shift < 0.5 * larger)


def _visual_rows(runs: list[_Run]) -> list[_Row]:
    rows: list[_Row] = []
    for run in sorted(runs, key=lambda run: (-run.baseline, run.left)):
        for row in reversed(rows[-_ROWS_LOOKED_BACK:]):
            if abs(row[0].baseline - run.baseline) < 0.35 * min(row[0].height, run.height):
                row.append(run)
                break
        else:
            rows.append([run])
    rows = _merge_meshing_rows(rows)
    for row in rows:
        row.sort(key=lambda run: run.left)
    return rows


def _merge_meshing_rows(rows: list[_Row]) -> list[_Row]:
    """Join a row with the one right below if they mesh: too close for two lines of type, and nowhere side by side.

    Some tables set their numbers a few points lower than the label; footnote marks stand a little higher.
    """
    settled: list[_Row] = []
    for row in rows:
        if settled and _meshes(settled[-1], row):
            settled[-1].extend(row)
        else:
            settled.append(row)
    return settled


def _meshes(above: _Row, below: _Row) -> bool:
    height = min(above[0].height, below[0].height)
    if not 0 <= above[0].baseline - below[0].baseline < _MESH_SHARE * height:
        return False
    return all(upper.right <= lower.left or lower.right <= upper.left for upper in above for lower in below)


def _stream_rows(runs: list[_Run], text: str) -> list[_Row]:
    rows: list[_Row] = []
    for run in runs:
        last = rows[-1][-1] if rows else None
        if (
            last is not None
            and abs(last.baseline - run.baseline) < 0.35 * min(last.height, run.height)
            and run.left > last.right - 1
            and not (run.left - last.right > 3 * run.height and run.is_prose(text) and last.is_prose(text))
        ):
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def _gap(left: _Run, right: _Run) -> str:
    distance = right.left - left.right
    if distance > 0.6 * right.height:
        return CELL_GAP
    return " " if distance > 0.1 * right.height else ""


def _join(rows: list[_Row], source: str) -> PageLayout:
    """Write the rows as lines; the last line has no line end."""
    parts: list[str] = []
    characters: array[int] = array("i")

    def add(separator: str) -> None:
        parts.append(separator)
        characters.extend([NOT_A_CHARACTER] * len(separator))

    for number, row in enumerate(rows):
        if number:
            add("\n")
        for position, run in enumerate(row):
            if position:
                add(_gap(row[position - 1], run))
            previous_end = run.words[0][0]
            for start, end in run.words:
                if start != previous_end:
                    add(" ")
                parts.append(source[start:end])
                characters.extend(range(start, end))
                previous_end = end
    # pdfium marks a hyphen at a line end with U+0002 or U+FFFE; on the page it is a hyphen.
    return PageLayout(_HYPHEN_MARK.sub("-", "".join(parts)), characters)
