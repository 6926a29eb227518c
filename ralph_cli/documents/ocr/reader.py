"""Reads pages of a PDF with tesseract, several at once, each from a gray picture rendered here; in the child.

The words found are arranged in lines, with the gaps between them.
"""

import re
import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Any, NamedTuple

import pypdfium2  # type: ignore[import-untyped]

from ralph_cli.core.document import Caution
from ralph_cli.core.structure import ScannedPage
from ralph_cli.documents.limits import Layout, LoadLimits
from ralph_cli.documents.ocr.words import ScannedWord, pack_words
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import ParsedDocument, join_parts
from ralph_cli.documents.pdf.content.annotations import open_page
from ralph_cli.documents.pdf.geometry.word import Word
from ralph_cli.documents.pdf.ink import PageCanvas
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, PageLayout, write_words
from ralph_cli.documents.pdf.page import clean_text
from ralph_cli.documents.pdf.reader import open_pdf

# Tesseract reads figures best at 200 dots per inch: at fewer they blur, at more it mistakes rows for blocks.
_POINTS, _DPI = 72, 200

_MOST_PIXELS = 40_000_000
_MAX_PRINTED = 16 << 20
# Tesseract's page segmentation for a single column of text of variable sizes, which keeps rows of tables together.
_ONE_COLUMN = "4"

# Heights of letters above the baseline, and their depth below it, as shares of the size of type.
_CAPITAL, _SMALL, _DESCENT = 0.72, 0.52, 0.21

# The height of a line of type, as a multiple of its size.
_TYPE_ROOM = 1.15

_TALL = re.compile(r"[A-Z0-9bdfhklt\u00c0-\u00de\u0400-\u042f]")
_DEEP = re.compile(r"[gjpqyQ,;()\[\]{}/|$@\u00a7]")
_LETTER = re.compile(r"[^\W_]")
_LEAST_WORDS = 5
# About five degrees: a page that is rotated further is not levelled.
_MOST_SLOPE = 0.09

_COLUMNS = 12
_WORD_LEVEL = "5"
# What OCR reads from lines drawn around cells: it has no meaning, and would divide rows.
_RULES = re.compile(r"[|_\u2014=~\u00a6]*[|_\u00a6][|_\u2014=~\u00a6]*")


class PictureWord(NamedTuple):
    """A word in a picture; its box is in pixels from the upper left corner."""

    text: str
    confidence: int
    left: int
    top: int
    right: int
    bottom: int


def parse_tsv(printed: str) -> list[list[PictureWord]]:
    """Return the lines of words, in the order of the program. Raises ValueError for another format."""
    rows = (line.split("\t", _COLUMNS - 1) for line in printed.split("\n")[1:] if line.strip())
    return [[word for _, word in group] for _, group in groupby(_words(rows), key=lambda item: item[0])]


def _words(rows: Iterator[list[str]]) -> Iterator[tuple[tuple[str, ...], PictureWord]]:
    for row in rows:
        if len(row) != _COLUMNS:
            raise ValueError("a row of the wrong length")
        text = "".join(row[11].split())
        if row[0] != _WORD_LEVEL or not text or _RULES.fullmatch(text):
            continue
        left, top, width, height = map(int, row[6:10])
        confidence = min(max(int(float(row[10])), 0), 100)
        yield tuple(row[1:5]), PictureWord(text, confidence, left, top, left + width, top + height)


def place_words(lines: Sequence[Sequence[PictureWord]], height: int, scale: float) -> tuple[str, list[Word]]:
    """Return all words as one text, and the position of each on the levelled page.

    `height` is the picture's height in pixels, `scale` the points per pixel. Words on one line of tesseract stay on
    one line, although their boxes differ by the letters in them.
    """
    slope = _page_slope(lines)
    placed: list[Word] = []
    parts: list[str] = []
    at = 0
    for line in lines:
        size, baseline = _measure(line, slope)
        for number, word in enumerate(line):
            if parts:
                parts.append(" " if number else "\n")
                at += 1
            # The page is rotated back around its upper left corner.
            left, right = (x + slope * baseline for x in (word.left, word.right))
            foot = (height - baseline) * scale
            placed.append(Word(at, at + len(word.text), left * scale, right * scale, foot, size * _TYPE_ROOM * scale))
            parts.append(word.text)
            at += len(word.text)
    return "".join(parts), placed


def _page_slope(lines: Sequence[Sequence[PictureWord]]) -> float:
    """Return how many pixels the lines of the page descend per pixel to the right."""
    slopes: list[tuple[float, int]] = []
    for line in lines:
        feet = [((word.left + word.right) / 2, word.bottom) for word in line if _stands_on_line(word.text)]
        if len(feet) < _LEAST_WORDS:
            continue
        middle = sum(x for x, _ in feet) / len(feet)
        level = sum(y for _, y in feet) / len(feet)
        spread = sum((x - middle) ** 2 for x, _ in feet)
        if spread:
            slopes.append((sum((x - middle) * (y - level) for x, y in feet) / spread, len(feet)))
    found = median([slope for slope, count in slopes for _ in range(count)]) if slopes else 0.0
    return found if abs(found) <= _MOST_SLOPE else 0.0


def _measure(line: Sequence[PictureWord], slope: float) -> tuple[float, float]:
    """Return the type size of a line, and its baseline on the levelled page, in pixels from the top."""
    sizes = [size for word in line if (size := _type_size(word))] or [word.bottom - word.top for word in line]
    size = median(sizes)
    feet = [(word.bottom - slope * (word.left + word.right) / 2, _stands_on_line(word.text)) for word in line]
    standing = [foot for foot, is_standing in feet if is_standing]
    return size, median(standing or [foot - _DESCENT * size for foot, _ in feet])


def _stands_on_line(text: str) -> bool:
    return bool(_LETTER.search(text)) and not _DEEP.search(text)


def _type_size(word: PictureWord) -> float:
    """Return the type size for which a word of these letters has its box; 0 if the word has no letters."""
    if not _LETTER.search(word.text):
        return 0.0
    above = _CAPITAL if _TALL.search(word.text) else _SMALL
    return (word.bottom - word.top) / (above + (_DESCENT if _DEEP.search(word.text) else 0.0))


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A rendered page: gray pixels, `scale` pixels per point, and the canvas that maps them to the page."""

    pixels: bytes
    width: int
    height: int
    scale: float
    canvas: PageCanvas
    page: Any


def read_scans(
    data: bytes,
    *,
    name: str,
    password: str | None,
    layout: Layout,
    pages: Sequence[int],
    engine: Sequence[str],
    limits: LoadLimits,
    on_progress: Callable[[int, int], None],
    processes: int,
) -> ParsedDocument:
    """Return the pages with these numbers, in this order, as read by `engine` (path, data folder, language).

    At most `processes` programs run at once, each with a time limit. A page that exceeds it or fails has no text; a
    caution gives its index in `pages`, from 1. `on_progress(done, total)` is called before the first page and after
    each. Raises DocumentError as `open_pdf` does.
    """
    parts: list[ParsedDocument] = []
    failed: list[int] = []
    total = len(pages)
    on_progress(0, total)
    with open_pdf(data, name, password, "none") as document, ThreadPoolExecutor(processes) as pool:

        def submit(drawn: _Drawn) -> "Future[str]":
            return pool.submit(_recognize, drawn, engine, limits.ocr_seconds)

        for number, (drawn, reply) in enumerate(_recognize_all(_draw(document, pages), submit, 2 * processes), 1):
            page = _read_page(drawn, reply, layout) if drawn and reply else None
            parts.append(page or plain_document([""]))
            failed += [number] if page is None else []
            if drawn:
                drawn.page.close()
            on_progress(number, total)
    return join_parts(parts, [Caution("ocr-failed", "not read", tuple(failed))] if failed else [])


def _recognize_all(
    drawn_pages: Iterable[_Drawn | None], submit: "Callable[[_Drawn], Future[str]]", most: int
) -> "Iterator[tuple[_Drawn | None, Future[str] | None]]":
    """Yield each page with the program's answer; at most `most` rendered pages wait, to save memory."""
    waiting: deque[tuple[_Drawn | None, Future[str] | None]] = deque()
    for drawn in drawn_pages:
        waiting.append((drawn, submit(drawn) if drawn else None))
        if len(waiting) > most:
            yield waiting.popleft()
    yield from waiting


def _draw(document: Any, pages: Sequence[int]) -> Iterator[_Drawn | None]:
    """Yield each page in gray; None for a page that cannot be rendered."""
    for number in pages:
        try:
            page, _ = open_page(document, number - 1)
            width, height = page.get_size()
            scale = min(_DPI / _POINTS, (_MOST_PIXELS / max(width * height, 1)) ** 0.5)
            with closing(page.render(scale=scale, grayscale=True)) as bitmap:
                across, down, stride, content = bitmap.width, bitmap.height, bitmap.stride, bytes(bitmap.buffer)
        except pypdfium2.PdfiumError:
            yield None
            continue
        rows = (content[y * stride : y * stride + across] for y in range(down))
        yield _Drawn(b"".join(rows), across, down, scale, PageCanvas(page, across, down), page)


def _recognize(drawn: _Drawn, engine: Sequence[str], seconds: float) -> str:
    """Return the program's output for a picture, which it gets in a plain format through a pipe."""
    path, data, language = engine
    options = ["--dpi", str(round(drawn.scale * _POINTS)), "--psm", _ONE_COLUMN, "-l", language, "--tessdata-dir", data]
    done = subprocess.run(
        [path, "stdin", "stdout", *options, "-c", "tessedit_create_tsv=1"],
        input=b"P5 %d %d 255\n%b" % (drawn.width, drawn.height, drawn.pixels),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=seconds,
        env={"OMP_THREAD_LIMIT": "1"},  # several run at once, each with one core
        check=True,
    )
    if len(done.stdout) > _MAX_PRINTED:
        raise ValueError("more words than a page has")
    return done.stdout.decode("utf-8", "replace")


def _read_page(drawn: _Drawn, reply: "Future[str]", layout: Layout) -> ParsedDocument | None:
    """Return a page when the program has answered; None if the program could not read it."""
    try:
        lines = parse_tsv(reply.result())
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    source, words = place_words(lines, drawn.height, 1 / drawn.scale)
    page = write_words(words, source, layout)
    flat = [word for line in lines for word in line]
    scan = ScannedPage(1, 0, pack_words(_locate(page, source, flat, drawn.canvas)))
    return plain_document([clean_text(page.text)], tables=page.tables, scans=(scan,))


def _locate(page: PageLayout, source: str, words: Sequence[PictureWord], canvas: PageCanvas) -> Iterator[ScannedWord]:
    """Yield the words in the order of the page's text, each with its position in the text and on the page."""
    owners: list[int] = []
    for number, word in enumerate(words):
        owners += [number] * len(word.text) + [NOT_A_CHARACTER]  # one character separates each word from the next
    owners.append(NOT_A_CHARACTER)  # the last one is for characters added by the layout
    for owner, group in groupby(range(len(page.characters)), lambda at: owners[page.characters[at]]):
        if owner != NOT_A_CHARACTER:
            places, word = list(group), words[owner]
            left, upper = canvas.to_point(word.left, word.top)
            right, lower = canvas.to_point(word.right, word.bottom)
            box = min(left, right), min(upper, lower), max(left, right), max(upper, lower)
            yield ScannedWord(places[0], places[-1] + 1, word.confidence, *box)
