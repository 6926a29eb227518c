"""Running heads and feet: the lines at the edges of pages that interrupt a sentence across pages.

They show the printed page number, which increases with the pages.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Page, Span

# Lines at each edge of a page that may be running ones.
EDGE_LINES = 3

# A running line is at the same edge of `MIN_REPEATS` pages within `REPEAT_PAGES`.
MIN_REPEATS, REPEAT_PAGES = 3, 8

_LINE = re.compile(r"[^\n]*\S[^\n]*")
# The end of a line that breaks a word: it is not a running line.
_DIVIDED = re.compile(r"[^\W\d_][-\u00ad\u2010]\s*\Z")

_NUMBER = re.compile(r"\d{1,4}")
_MOST_NUMBERS = 6
_SERIES = re.compile(r"(?:\A|\s)([A-Z]{1,2}-)\Z")
_BESIDE_NUMBER = " -\u2010\u2013\u2014|[]()."
_AHEAD = re.compile(r"(?i)(?:\A|.*[\s|\u2013\u2014(\[-])(?:[A-Z]{1,2}-)?\Z")
# A page's number is the first or the last thing on its line.
_BEHIND = re.compile(r"(?i)[\s|\u2013\u2014)\].-]*(?:(?:of|/)\s*\d+)?\W*\Z")


def running_line_spans(text: str, pages: Sequence[Page]) -> tuple[Span, ...]:
    """Return, for each page end with running lines, the interval from the first to the last, including the page break.

    A running line recurs at the same edge of three pages within eight, either unchanged or with a number that increases
    with the pages. A row of figures that is repeated with other numbers is not a running line.
    """
    if len(pages) < MIN_REPEATS:
        return ()
    heads, feet = _edge_lines(text, pages)
    running = _find_running(text, pages, heads) | _find_running(text, pages, feet)
    found: list[Span] = []
    for upper, lower, foot, head in zip(pages, pages[1:], feet, heads[1:], strict=False):
        start, end = upper.end, lower.start
        for line in foot:
            # On a short page the same line is at both edges; it is left out once.
            if line not in running or (found and line.start < found[-1].end):
                break
            start = line.start
        for line in head:
            if line not in running:
                break
            end = line.end
        if (start, end) != (upper.end, lower.start):
            found.append(Span(start, end))
    return tuple(found)


def with_printed_numbers(document: Document) -> Document:
    """Return the document with each page's printed number as its label, unless the file gives labels.

    A page without a printed number gets one if the numbers of the pages around it count through it.
    """
    if document.page_noun != "page" or any(page.label not in ("", str(page.number)) for page in document.pages):
        return document
    heads, feet = _edge_lines(document.text, document.pages)
    running = _find_running(document.text, document.pages, heads) | _find_running(document.text, document.pages, feet)
    printed: dict[int, tuple[str, int]] = {}
    for page, head, foot in zip(document.pages, heads, feet, strict=True):
        keys = (key for line in (*foot, *head) for key in running.get(line, ()))
        found = [number for key in keys if (number := _number_in(key, page.number))]
        # A line with nothing but the number is certain. If other lines disagree, the number is unknown.
        sure = {number[1:] for number in found if number[0]} or {number[1:] for number in found}
        if len(sure) == 1:
            printed[page.number] = sure.pop()
    for (low, (series, offset)), (high, beyond) in pairwise(sorted(printed.items())):
        if beyond == (series, offset):
            printed |= dict.fromkeys(range(low + 1, high), beyond)
    labels = {number: f"{series}{number + offset}" for number, (series, offset) in printed.items()}
    pages = tuple(page._replace(label=labels.get(page.number, page.label)) for page in document.pages)
    return replace(document, pages=pages) if pages != document.pages else document


def _number_in(key: str, page: int) -> tuple[bool, str, int] | None:
    """Return what a running line's key tells about the page number; None if nothing.

    It is whether the line has nothing else, the series ("F-" or ""), and the offset to the page.
    """
    before, _, rest = key.partition("\0")
    offset, _, behind = rest.partition("\0")
    if not rest or page + int(offset) < 1:
        return None
    series = match[1] if (match := _SERIES.search(before)) else ""
    first, last = not before.removesuffix(series).strip(_BESIDE_NUMBER), _BEHIND.match(behind) is not None
    if not (first and behind[:1] in ("", *_BESIDE_NUMBER)) and not (last and _AHEAD.match(before)):
        return None
    alone = first and not behind.strip(_BESIDE_NUMBER)
    return alone, series, int(offset)


def _edge_lines(text: str, pages: Sequence[Page]) -> tuple[list[list[Span]], list[list[Span]]]:
    """Return the first lines of each page, and its last lines from the bottom up."""
    heads, feet = [], []
    for page in pages:
        lines = [Span(*match.span()) for match in _LINE.finditer(text, page.start, page.end)]
        heads.append(lines[:EDGE_LINES])
        feet.append(lines[::-1][:EDGE_LINES])
    return heads, feet


def _find_running(text: str, pages: Sequence[Page], edges: list[list[Span]]) -> dict[Span, list[str]]:
    """Return the running lines of one edge, each with the keys that repeat."""
    seen: dict[str, list[tuple[int, Span]]] = defaultdict(list)
    for page, lines in zip(pages, edges, strict=True):
        for line in lines:
            words = text[line.start : line.end]
            for key in () if _DIVIDED.search(words) else _keys(words, page.number):
                seen[key].append((page.number, line))
    found: dict[Span, list[str]] = defaultdict(list)
    for key, places in seen.items():
        for at in range(len(places) - MIN_REPEATS + 1):
            group = places[at : at + MIN_REPEATS]
            if group[-1][0] - group[0][0] <= REPEAT_PAGES and len({number for number, _ in group}) == MIN_REPEATS:
                for _, line in group:
                    found[line].append(key)
    return found


def _keys(line: str, page: int) -> Iterator[str]:
    """Yield a line as it is, and with each of its numbers replaced by its distance from the page number."""
    words = " ".join(line.split())
    yield words
    for match in list(_NUMBER.finditer(words))[:_MOST_NUMBERS]:
        yield f"{words[: match.start()]}\0{int(match[0]) - page}\0{words[match.end() :]}"
