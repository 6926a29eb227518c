"""The characters of a PDF page and the words they make, with their places.

Figures that are raised or lowered are words of their own, for they are no digits of what they stand at.
"""

import ctypes
import math
import re
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.geometry.word import IDEOGRAPHS, Word

# Quarter turns after which a line runs from top to bottom.
DOWNWARD = 3

_WORD = re.compile("[^\\s\x00\x02\ufffe\uffff]+[\x02\ufffe]?|[\x02\ufffe]")
_DIGIT = re.compile(r"\d")
_END_OF_DIGITS = re.compile(r"\d(?!\d|[.,]\d|$)")
_LEAST_DOWN = 3
_SAMPLED_ANGLES = 24
# What two characters of one line and type may differ in, as a share of the type's height.
_SAME_BASELINE, _SAME_HEIGHT = 0.08, 0.1

# Characters further apart than this, in heights of type, stand on two lines, though pdfium has nothing between.
_NEXT_LINE = 0.9

# Heights of type: a word of more a character may be several, and characters that far apart are not one word.
#
# The digits of a number that is filled into boxes stand apart, too, but nearer.
_WIDE, _APART = 0.65, 1.5

# Quarter turns: about two degrees.
_SLANT = 0.02

_DROP_CAP = 1.7
# Points: what lies further out, or at no number, is the work of a damaged file.
_FARTHEST = 1e7

# Bytes of the name of a font.
_LONGEST_NAME = 128

_NOWHERE = (0.0, 0.0, 0.0, 1.0)


def call_unchecked(function: Any, result: Any = ctypes.c_int) -> Any:
    """A function of pdfium that takes what it is given: handles, references, and numbers that are C's int.

    Without a check of its arguments a call takes a third of the time.
    """
    bare = type(function)(ctypes.cast(function, ctypes.c_void_p).value)
    bare.restype = result
    return bare


def page_characters(raw: Any) -> str:
    """All characters of a pdfium text page; the i-th one is pdfium's character i.

    A letter beyond the Basic Multilingual Plane is two of them, the halves of a surrogate pair.
    """
    count = pdfium_c.FPDFText_CountChars(raw)
    if count <= 0:
        return ""
    buffer = ctypes.create_string_buffer((count + 1) * 2)
    pdfium_c.FPDFText_GetText(raw, 0, count, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)))
    text = buffer.raw[: count * 2].decode("utf-16-le", "surrogatepass")
    if len(text) == count and "\x00" not in text:
        return text
    # pdfium left characters out or put pairs together, so positions have shifted: ask for each character.
    return "".join(_character(pdfium_c.FPDFText_GetUnicode(raw, index)) for index in range(count))


def _character(code: int) -> str:
    return chr(code) if code < 0x110000 else "\ufffd"


def is_bold(raw: Any, index: int) -> bool:
    """Whether the font of a character is a bold one, by its name."""
    name = ctypes.create_string_buffer(_LONGEST_NAME)
    pdfium_c.FPDFText_GetFontInfo(raw, index, name, _LONGEST_NAME, None)
    return b"bold" in name.value.lower()


def quarter_turns(raw: Any, text: str) -> int:
    """How often the page's text is turned by 90 degrees counter-clockwise, judged by a sample of its characters."""
    step = max(1, len(text) // _SAMPLED_ANGLES)
    votes = [0, 0, 0, 0]
    for index in range(0, len(text), step):
        if not text[index].isspace():
            votes[_turns_of(raw, index)] += 1
    return max(range(4), key=lambda turns: (votes[turns], -turns))


def runs_down(raw: Any, text: str) -> bool:
    """Whether a page in Chinese or Japanese has vertical lines: most characters stand below the one before.

    The next line stands to the left, so it is read as text that is turned by `DOWNWARD`. A sample is looked at.
    """
    pairs = [match.start() for match in IDEOGRAPHS.finditer(text)]
    places = _Places(raw, 0)
    down = across = 0
    for index in pairs[:: max(1, len(pairs) // _SAMPLED_ANGLES)]:
        (x, y), (next_x, next_y) = places.origin(index), places.origin(index + 1)
        down += abs(next_x - x) < abs(next_y - y) and next_y < y
        across += abs(next_x - x) > abs(next_y - y)
    return down > max(across, _LEAST_DOWN)


def _turns_of(raw: Any, index: int) -> int:
    angle = pdfium_c.FPDFText_GetCharAngle(raw, index)
    return round(-angle / (math.pi / 2)) % 4 if angle >= 0 else 0  # pdfium counts clockwise


_LOOSE_BOX = call_unchecked(pdfium_c.FPDFText_GetLooseCharBox)
_ORIGIN = call_unchecked(pdfium_c.FPDFText_GetCharOrigin)


class _Places:
    """Places of characters, turned so that text runs from left to right."""

    def __init__(self, raw: Any, turns: int) -> None:
        self._raw, self._turns = raw, turns
        self._rect = pdfium_c.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._rect_ref = ctypes.byref(self._rect)
        self._x_ref, self._y_ref = ctypes.byref(self._x), ctypes.byref(self._y)

    def extent(self, index: int) -> tuple[float, float, float, float]:
        """Left, right, foot and height of a character's room, in points."""
        rect = self._rect
        if not _LOOSE_BOX(self._raw, index, self._rect_ref):
            return _NOWHERE
        left, right, foot, top = rect.left, rect.right, rect.bottom, rect.top
        if not abs(left + right + foot + top) < _FARTHEST:
            return _NOWHERE
        if self._turns == 0:
            return left, right, foot, top - foot or 1.0
        if self._turns == 2:
            return -right, -left, -top, top - foot or 1.0
        if self._turns == 1:
            return foot, top, -right, right - left or 1.0
        return -top, -foot, left, right - left or 1.0

    def origin(self, index: int) -> tuple[float, float]:
        """Where the character begins on the page that is not turned."""
        _ORIGIN(self._raw, index, self._x_ref, self._y_ref)
        return self._x.value, self._y.value

    def baseline(self, index: int) -> float:
        """Height of the character's baseline above the foot of the (turned) page, in points."""
        _ORIGIN(self._raw, index, self._x_ref, self._y_ref)
        baseline = (self._y.value, -self._x.value, -self._y.value, self._x.value)[self._turns]
        return float(baseline) if abs(baseline) < _FARTHEST else 0.0

    def is_slanted(self, index: int) -> bool:
        """Whether the character is turned by anything but quarters."""
        quarters = pdfium_c.FPDFText_GetCharAngle(self._raw, index) / (math.pi / 2)
        return bool(abs(quarters - round(quarters)) > _SLANT)


def read_words(raw: Any, text: str, turns: int) -> tuple[list[Word], list[Word]]:
    """The words in the order of the file, and apart from them those that are turned against the page's text.

    A word is asked for the room of its first and last character, and for all if they stand apart or have figures of
    uneven height, or if it is wide: between two short cells of a row pdfium may have no white space.
    """
    places = _Places(raw, turns)
    extent = places.extent
    words: list[Word] = []
    turned: list[Word] = []
    line_foot, line_height, baseline = math.nan, math.nan, 0.0
    for match in _WORD.finditer(text):
        start, end = match.span()
        left, right, foot, height = extent(start)
        if foot != line_foot or height != line_height:  # the same foot and height are the same line and type
            line_foot, line_height, baseline = foot, height, places.baseline(start)
        if end - start == 1:
            words.append(Word(start, end, left, right, baseline, height))
            continue
        last_left, last_right, last_foot, last_height = extent(end - 1)
        rise = last_foot - foot
        is_even = abs(rise) < _SAME_BASELINE * height and abs(last_height - height) < _SAME_HEIGHT * height
        word = Word(start, end, min(left, last_left), max(right, last_right), baseline, height)
        is_broken = not is_even and abs(rise) > _NEXT_LINE * max(height, last_height)
        if is_broken and _turns_of(raw, start) != turns:
            turned.append(word)
            continue
        has_figures = not match.group().isalpha() and _DIGIT.search(text, start, end) is not None
        is_wide = word.right - word.left > _WIDE * height * (end - start)
        if is_broken or is_wide or (has_figures and not (is_even and _has_even_figures(places, match, foot, height))):
            words += _split_uneven(places, text, start, end)
            continue
        if height > _DROP_CAP * last_height:  # the line is that of the small letters
            word.baseline, word.height = places.baseline(end - 1), last_height
        words.append(word)
    return words, turned


def _has_even_figures(places: _Places, word: "re.Match[str]", foot: float, height: float) -> bool:
    """Whether no figure inside the word is raised or lowered, as in "m2/day", or "1,5772," with a mark."""
    for match in _END_OF_DIGITS.finditer(word.group()):
        _, _, inner_foot, inner_height = places.extent(word.start() + match.start())
        if abs(inner_foot - foot) > _SAME_BASELINE * height or abs(inner_height - height) > _SAME_HEIGHT * height:
            return False
    return True


def _split_uneven(places: _Places, text: str, start: int, end: int) -> list[Word]:
    """The characters [start, end) in pieces of one baseline and height, without gaps in them."""
    pieces: list[Word] = []
    for index in range(start, end):
        left, right, _, height = places.extent(index)
        baseline = places.baseline(index)
        last = pieces[-1] if pieces else None
        is_near = last is not None and max(left - last.right, last.left - right) < _APART * height
        if (
            last is not None
            and is_near
            and abs(last.baseline - baseline) < _SAME_BASELINE * height
            and abs(last.height - height) < _SAME_HEIGHT * height
        ):
            last.end, last.left, last.right = index + 1, min(last.left, left), max(last.right, right)
        else:
            is_glued = last is not None and is_near and abs(last.baseline - baseline) < _NEXT_LINE * height
            if is_glued and text[index - 1 : index + 1].isdecimal() and pieces[-1].height == height:
                # Figures of one size on two baselines are two, as above the bars of a chart, if they are not slanted.
                is_glued = pieces[-1].baseline == baseline or places.is_slanted(index)
            pieces.append(Word(index, index + 1, left, right, baseline, height, is_glued))
    return pieces
