"""Lines of a PDF that are set apart by their type: a font that running text does not use, or larger letters."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.core.structure import Heading
from ralph_cli.documents.parsed import clean_heading
from ralph_cli.documents.pdf.layout import PageLayout
from ralph_cli.text.lexicon import STOP_WORDS

# Characters of lines of running text, and how many of them, and which part of them in a document or of all on a page,
# have one of its typefaces.
_LONG_LINE, _LEAST_LINES, _SHARE, _PAGE_SHARE = 40, 3, 0.1, 0.5

# Sizes of letters, as parts of those of running text: of headings in its font above, of those in others at least.
_LARGER, _SMALLEST = 1.12, 0.85

# Sizes of letters from a line of a heading to its next and from a number to its title, and its lines, at most.
_LINES_APART, _TITLE_APART, _MOST_LINES = 1.5, 2.2, 3

_LINE = re.compile(r"[^\n]*[^\W\d_]{2}[^\n]*")
_ENDS = (".", ":", "!", "?")
_SENTENCES = re.compile(r"[a-z\d)][.!?] +[A-Z]")
_NUMBERED = re.compile(r"[^\W\d_]+ (?:\d{1,3}[A-Z]?|[IVXLC]+)\b")
_NUMBER_ALONE = re.compile(rf"{_NUMBERED.pattern}\.?")

# The name of a font, and the size in which it is used.
Face = tuple[str, float]


class TypeLine(NamedTuple):
    """A line, text[start:end] of its page, with its typefaces (empty for a line in a table).

    It has the right edge of the line and of its first word, and the bottom of the line, in points.
    """

    start: int
    end: int
    faces: frozenset[Face]
    right: float
    word: float
    bottom: float


def read_type(raw: Any, layout: PageLayout) -> Iterator[TypeLine]:
    """Yield the lines of a page in order, with the typefaces of their first, middle and last letter."""
    for match in _LINE.finditer(layout.text):
        start, end = match.span()
        signs = zip(layout.characters[start:end], match[0], strict=True)
        if drawn := [character for character, sign in signs if character >= 0 and sign.isalnum()]:
            is_inside = any(table.start < end and start < table.end for table in layout.tables)
            faces = () if is_inside else (_face(raw, it) for it in (drawn[0], drawn[len(drawn) // 2], drawn[-1]))
            left, _, bottom = _box(raw, drawn[0])
            letters = sum(map(str.isalnum, match[0].split()[0]))
            word = _box(raw, drawn[max(letters, 1) - 1])[1] - left
            yield TypeLine(start, end, frozenset(faces), _box(raw, drawn[-1])[1], word, bottom)


def _face(raw: Any, character: int) -> Face:
    """Return the typeface of a character, without the prefix of an embedded font subset (ISO 32000-1, 9.6.4)."""
    name = ctypes.create_string_buffer(128)
    pdfium_c.FPDFText_GetFontInfo(raw, character, name, 128, None)
    font = name.value.decode("utf-8", "replace").rpartition("+")[2]
    return font, round(pdfium_c.FPDFText_GetFontSize(raw, character), 1)


def _box(raw: Any, character: int) -> tuple[float, float, float]:
    """Return the left and right edge of a character, and its bottom."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium_c.FPDFText_GetCharBox(raw, character, left, right, bottom, top)
    return left.value, right.value, bottom.value


def find_set_apart(pages: Sequence[tuple[str, Sequence[TypeLine]]]) -> Iterator[list[Heading]]:
    """Yield, for each page (text and lines), the lines set apart by their type, as headings found in the text."""
    counts = [
        Counter(face for line in lines if line.end - line.start > _LONG_LINE for face in line.faces)
        for _, lines in pages
    ]
    total: Counter[Face] = sum(counts, Counter())
    edge = median([line.right for _, lines in pages for line in lines if line.end - line.start > _LONG_LINE] or [0.0])
    for (text, lines), count in zip(pages, counts, strict=True):
        least = max(_LEAST_LINES, _SHARE * total.total())
        running = {it for it in total if total[it] >= least or count[it] > _PAGE_SHARE * len(lines)}
        yield list(_find_on_page(text, lines, running, edge)) if running else []


def _find_on_page(text: str, lines: Sequence[TypeLine], running: set[Face], edge: float) -> Iterator[Heading]:
    largest, smallest = dict(sorted(running)), min(size for _, size in running)
    found: list[list[TypeLine]] = []
    last: TypeLine | None = None
    for line in lines:
        is_apart = bool(line.faces) and all(
            size > _LARGER * largest[font] if font in largest else size >= _SMALLEST * smallest
            for font, size in line.faces
        )
        goes_on = last is not None and _goes_on(text, last, line, edge, is_apart)
        is_open = bool(found) and found[-1][-1] is last
        if is_apart and is_open and goes_on:
            found[-1].append(line)
        elif is_apart and not goes_on:
            found.append([line])
        elif is_open and goes_on:
            found.pop()  # the sentence continues in running text
        last = line
    for part in found:
        words = clean_heading(text[part[0].start : part[-1].end])
        if len(part) <= _MOST_LINES and not _is_sentence(words, part):
            yield Heading(words, part[0].start, 1, is_read_off=True)


def _is_sentence(words: str, lines: Sequence[TypeLine]) -> bool:
    """Whether lines are running text and not bold."""
    is_bold = any("bold" in font.casefold() for line in lines for font, _ in line.faces)
    return words.endswith(".") and not is_bold and (len(lines) == _MOST_LINES or bool(_SENTENCES.search(words)))


def _goes_on(text: str, last: TypeLine, line: TypeLine, edge: float, is_apart: bool) -> bool:
    """Whether a line continues the line above it.

    It does if its first word did not fit above, if the last word above needs another one, or if it is the title after a
    single number ("Note 1").
    """
    above, words = text[last.start : last.end].strip(), text[line.start : line.end].strip()
    size = max((size for _, size in (*last.faces, *line.faces)), default=0.0)
    apart = last.bottom - line.bottom
    if _NUMBER_ALONE.fullmatch(above):
        return is_apart and 0 < apart < _TITLE_APART * size and not _NUMBERED.match(words)
    if not last.faces or not 0 < apart < _LINES_APART * size or above.endswith(_ENDS):
        return False
    _, gap, final = above.casefold().rpartition(" ")
    is_called_for = gap and len(final) > 1 and final in STOP_WORDS and line.faces == last.faces
    return last.right + line.word > edge or words[:1].islower() or bool(is_called_for)
