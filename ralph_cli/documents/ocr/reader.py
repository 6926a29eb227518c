"""Pages of a PDF read by tesseract, side by side, each from a gray picture that is drawn here; in the child."""

import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pypdfium2  # type: ignore[import-untyped]

from ralph_cli.core.document import Caution
from ralph_cli.core.structure import ScannedPage
from ralph_cli.documents.limits import Layout, LoadLimits
from ralph_cli.documents.ocr.lines import PictureWord, parse_tsv, place_words
from ralph_cli.documents.ocr.words import ScannedWord, pack_words
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import ParsedDocument, join_parts
from ralph_cli.documents.pdf.content.annotations import open_page
from ralph_cli.documents.pdf.ink import PageCanvas
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, PageLayout, write_words
from ralph_cli.documents.pdf.page import clean_text
from ralph_cli.documents.pdf.reader import open_pdf

_POINTS, _DPI = 72, 200
"""Tesseract reads figures best at 200 dots to an inch: with fewer they blur, with more it takes rows for blocks."""

_MOST_PIXELS = 40_000_000
_MAX_PRINTED = 16 << 20
_ONE_COLUMN = "4"
"""Tesseract's page segmentation for a single column of text of variable sizes, which keeps rows of tables together."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A page as it was drawn: gray pixels, `scale` of them to a point, and where those are on the page."""

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
    """The pages with these numbers, in their order, as `engine` (path, folder of its data, language) reads them.

    So many `processes` of it run at once, with a bound of time each; a page that takes longer, or on which it fails,
    has no text and is named in a caution by its place in `pages`. `on_progress(done, total)` is called before the first
    page and after each. Raises DocumentError as `open_pdf` does.
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
    """Each page with what the program says of it; no more than `most` wait drawn, for each is some megabytes."""
    waiting: deque[tuple[_Drawn | None, Future[str] | None]] = deque()
    for drawn in drawn_pages:
        waiting.append((drawn, submit(drawn) if drawn else None))
        if len(waiting) > most:
            yield waiting.popleft()
    yield from waiting


def _draw(document: Any, pages: Sequence[int]) -> Iterator[_Drawn | None]:
    """Each page in gray; None for one that cannot be drawn."""
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
    """What the program prints of a picture, which it gets in the plainest of formats and through a pipe."""
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
    """A page, when the program has answered; None if it could not read it."""
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
    """The words in the order of the page's text, each with its place there and on the page."""
    owners: list[int] = []
    for number, word in enumerate(words):
        owners += [number] * len(word.text) + [NOT_A_CHARACTER]  # one character parts each word from the next
    owners.append(NOT_A_CHARACTER)  # the last one is of what was added by the layout
    for owner, group in groupby(range(len(page.characters)), lambda at: owners[page.characters[at]]):
        if owner != NOT_A_CHARACTER:
            places, word = list(group), words[owner]
            left, upper = canvas.to_point(word.left, word.top)
            right, lower = canvas.to_point(word.right, word.bottom)
            box = min(left, right), min(upper, lower), max(left, right), max(upper, lower)
            yield ScannedWord(places[0], places[-1] + 1, word.confidence, *box)
