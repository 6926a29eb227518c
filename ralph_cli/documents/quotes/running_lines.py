"""Running heads and feet: the lines at the edges of pages that a sentence over a page's end runs past."""

from collections import defaultdict
from collections.abc import Iterator

from ralph_cli.core.deferred import re
from ralph_cli.core.document import Document, Span

EDGE_LINES = 3
"""Lines at each edge of a page that may be running ones."""

MIN_REPEATS, REPEAT_PAGES = 3, 8
"""A line is a running one if it stands at the same edge of so many pages within this many."""

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_DIVIDED = re.compile(r"[^\W\d_][-\u00ad\u2010]\s*\Z")
"""The end of a line in which a word is not over: no running line."""

_NUMBER = re.compile(r"\d{1,4}")
_MOST_NUMBERS = 6


def running_line_spans(document: Document) -> tuple[Span, ...]:
    """For each page's end where running lines stand, the interval from the first of them to the last, break included.

    A line counts when it comes back, to the letter or with a number that goes up with the pages, at the same edge of
    three pages within eight: a row of figures that is repeated with others is none.
    """
    if len(document.pages) < MIN_REPEATS:
        return ()
    heads, feet = [], []
    for page in document.pages:
        lines = [Span(*match.span()) for match in _LINE.finditer(document.text, page.start, page.end)]
        heads.append(lines[:EDGE_LINES])
        feet.append(lines[::-1][:EDGE_LINES])
    running = _find_running(document, heads) | _find_running(document, feet)
    found: list[Span] = []
    for upper, lower, foot, head in zip(document.pages, document.pages[1:], feet, heads[1:], strict=False):
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


def _find_running(document: Document, edges: list[list[Span]]) -> set[Span]:
    """The lines of one edge that are running ones."""
    seen: dict[str, list[tuple[int, Span]]] = defaultdict(list)
    for page, lines in zip(document.pages, edges, strict=True):
        for line in lines:
            words = document.text[line.start : line.end]
            for key in () if _DIVIDED.search(words) else _keys(words, page.number):
                seen[key].append((page.number, line))
    found: set[Span] = set()
    for places in seen.values():
        for at in range(len(places) - MIN_REPEATS + 1):
            group = places[at : at + MIN_REPEATS]
            if group[-1][0] - group[0][0] <= REPEAT_PAGES and len({number for number, _ in group}) == MIN_REPEATS:
                found.update(line for _, line in group)
    return found


def _keys(line: str, page: int) -> Iterator[str]:
    """A line as it is, and with each of its numbers as the distance from the page's."""
    words = " ".join(line.split())
    yield words
    for match in list(_NUMBER.finditer(words))[:_MOST_NUMBERS]:
        yield f"{words[: match.start()]}\0{int(match[0]) - page}\0{words[match.end() :]}"
