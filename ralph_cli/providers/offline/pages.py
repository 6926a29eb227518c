"""Pages of a document for the search: their bodies without running lines, windows of them, and what stands above a row.

The source of this module runs as guest code in the sandbox, behind that of the tables of texts. Standard library only.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Any

Page = tuple[int, str, int, int]
"""Number, label, start and end of a page, as the sandbox gives it."""

HEAD_CHARS = 200
"""The first characters of a page, which name what it is about."""

EDGE_LINES = 2
PAGE_NUMBER = re.compile(
    r"(?i)[ \t]*(?:page[ \t]*)?(?:[A-Z]-)?(?:\d{1,4}|[ivxlc]{1,6})(?:[ \t]*(?:of|/)[ \t]*\d{1,4})?[ \t]*"
)


def page_windows(text: str, pages: Sequence[Page]) -> list[tuple[int, int]]:
    """The pages, or windows of a page's size where the document has none."""
    spans = [(start, end) for _, _, start, end in pages if end > start]
    if len(spans) > 1:
        return spans
    return [(start, min(start + 3000, len(text))) for start in range(0, len(text), 3000)]


def mask_numbers(line: str) -> str:
    """A line with its numbers made equal, so that page numbers do not tell running headers and footers apart.

    A sentence keeps its own: those of two pages may differ in nothing else.
    """
    flat = " ".join(line.split())
    return flat if flat.endswith(".") else re.sub(r"\d+|\b[ivxlc]+\b", "#", flat)


def running_lines(text: str, pages: Sequence[Page]) -> set[str]:
    """The headers and footers: first or last two lines of a page that stand there on a fifth of all pages."""
    seen: Counter[str] = Counter()
    for _, _, start, end in pages:
        lines = text[start:end].strip().splitlines()
        if len(lines) > 5:  # a page of a few lines has no headers, it is all text
            seen.update({mask_numbers(line) for line in lines[:2] + lines[-2:]})
    return {line for line, count in seen.items() if count >= max(5, len(pages) / 5)}


def page_bodies(text: str, pages: Sequence[Page]) -> list[tuple[int, int]]:
    """The parts of a text between its form feeds, without the running lines and page numbers at their edges."""
    running = running_lines(text, pages)
    return [_trim_running(text, *part.span(), running) for part in re.finditer(r"[^\f]+", text)]


def _trim_running(text: str, start: int, end: int, running: set[str]) -> tuple[int, int]:
    lines = [match.span() for match in re.finditer(r"[^\n]*[^\s][^\n]*", text[start:end])]
    first = _count_running([text[start + a : start + b] for a, b in lines[:EDGE_LINES]], running)
    last = _count_running([text[start + a : start + b] for a, b in reversed(lines[-EDGE_LINES:])], running)
    if first + last >= len(lines):
        return start, end  # a page of running lines alone, as far as one can tell
    return start + lines[first][0] if first else start, start + lines[-1 - last][1] if last else end


def _count_running(lines: Sequence[str], running: set[str]) -> int:
    """How many of the first of these lines are running lines or page numbers."""
    runs = (bool(PAGE_NUMBER.fullmatch(line)) or mask_numbers(line) in running for line in lines)
    return next((at for at, runs_on in enumerate(runs) if not runs_on), len(lines))


def body_at(bodies: Sequence[tuple[int, int]], place: int) -> tuple[int, int]:
    """The body that holds a place."""
    return bodies[max(bisect_right(bodies, place, key=lambda body: body[0]) - 1, 0)]


def ends_with_page(text: str, bodies: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a body ends at a place, and the next one does not go on with its last sentence in small letters."""
    index = max(bisect_right(bodies, place - 1, key=lambda body: body[0]) - 1, 0)
    following = text[slice(*bodies[index + 1])].lstrip()[:1] if index + 1 < len(bodies) else ""
    return bool(bodies) and not text[place : bodies[index][1]].strip() and not following.islower()


def split_windows(
    text: str, bodies: Sequence[tuple[int, int]], size: int = 900, overlap: int = 200
) -> list[tuple[int, int]]:
    """Windows of about `size` characters of the bodies, which begin and end on line ends where there are any."""
    out: list[tuple[int, int]] = []
    for start, stop in bodies:
        while start < stop:
            end = text.find("\n", start + size, min(stop, start + 2 * size)) + 1
            if not end:
                end = text.rfind(" ", start + 1, min(stop, start + size)) + 1 if stop - start > size else stop
            end = end or min(stop, start + size)
            out.append((start, end))
            if end >= stop:
                break
            back = text.find("\n", end - overlap, end - 1) + 1 or text.find(" ", end - overlap, end - 1) + 1
            start = back if back > start else end
    return [(a, b) for a, b in out if not text[a:b].isspace()]


def page_head(text: str, pages: Sequence[Page], place: int) -> str:
    """The first lines of the page that holds `place`, unless the document has no pages."""
    if len(pages) < 2:
        return ""
    _, _, start, end = find_page(pages, place)
    return " ".join(text[start : min(start + HEAD_CHARS, end)].split())


def find_page(pages: Sequence[Page], place: int) -> Page:
    """The page that holds a place."""
    return pages[max(bisect_right(pages, place, key=lambda page: page[2]) - 1, 0)]


def widen_to_sentences(text: str, start: int, end: int, body: tuple[int, int], reach: int = 400) -> tuple[int, int]:
    """Grow a passage to the sentence ends around it, so that no sentence is seen in halves; never out of its body."""
    low, high = max(body[0], start - reach), min(body[1], end + reach)
    before = [match.end() + low for match in re.finditer(r"[.!?:]['\"\u201d)]?\s|\n\s*\n", text[low:start])]
    after = re.search(r"[.!?]['\"\u201d)]?(?=\s)|\n\s*\n", text[max(end - 2, start) : high])
    return (before[-1] if before else low), (max(end - 2, start) + after.end() if after else end)


def widen_to_header(tables: Sequence[Any], start: int, end: int, most: int) -> tuple[int, int]:
    """A row of a table from the lines that head its columns on, if that is at most `most` characters."""
    top, _ = header_span(tables, start)
    return (top, end) if end - top <= most else (start, end)


def header_span(tables: Sequence[Any], start: int) -> tuple[int, int]:
    """The lines that head the row at `start` of a table, as the sandbox has `tables`; empty, at its start, if there are
    none."""
    for _, end, first, heads, _ in tables:
        if first <= start < end and heads:
            return heads[0][0], heads[-1][1]
    return start, start
