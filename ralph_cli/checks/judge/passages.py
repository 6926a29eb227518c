"""The passages that a judge is shown: all that each quote stands in, with the quoted words marked. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ralph_cli.core.document import Document, Span
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.run import Quote
from ralph_cli.documents.columns import describe_sparse_rows
from ralph_cli.documents.context import context_span, headings_above, index_lines
from ralph_cli.documents.quotes.additions import describe_additions
from ralph_cli.text.tables import header_lines

ELSEWHERE_CHARS = 700
"""Characters shown on each side of other places of the same words, at most."""

MAX_SHOWN_ELSEWHERE, MAX_OCCURRENCES_MARKED = 2, 3


@dataclass(frozen=True, slots=True)
class _Mark:
    """One place of a quote, with the text that is shown around it."""

    start: int
    end: int
    label: str
    window: Span


def render_passages(document: Document, quotes: Sequence[Quote], nonce: str) -> str:
    """The paragraph or table around each quote, each once, the quoted words marked with the quote's id.

    Words that stand in several places are marked at the place they were pinned to, and as `[[1, also here: ...]]` at a
    few others. A table comes with its header rows, a row of it also with the lines further up that name its columns,
    period and unit; each passage with the headings that it stands under.
    """
    lines = index_lines(document)
    marks: list[_Mark] = []
    for quote in quotes:
        window = context_span(document, Span(quote.start, quote.end), lines)
        marks.append(_Mark(quote.start, quote.end, f"{quote.id}: ", window))
        # Words that stand nearly everywhere, such as the years above a table, say nothing elsewhere.
        others = [place for place in quote.places if place != (quote.start, quote.end)]
        for start, end in others[:MAX_SHOWN_ELSEWHERE] if quote.occurrences <= MAX_OCCURRENCES_MARKED else ():
            window = context_span(document, Span(start, end), lines, ELSEWHERE_CHARS)
            marks.append(_Mark(start, end, f"{quote.id}, also here: ", window))
    windows: list[Span] = []
    for window in sorted((mark.window for mark in marks), key=lambda window: window.start):
        if windows and window.start <= windows[-1].end:
            windows[-1] = Span(windows[-1].start, max(window.end, windows[-1].end))
        else:
            windows.append(window)
    shown = []
    for window in windows:
        inside = [mark for mark in marks if window.start <= mark.start and mark.end <= window.end]
        first = min(mark.start for mark in inside)
        above = _section_line(document, first) + _header_lines(document, window.start, inside)
        above += "".join(f"(in the row {text[:60]!r}: {columns})\n" for text, columns in _sparse_rows(document, inside))
        above += "".join(f"(quote {number} is {note})\n" for number, note in _additions(document, quotes, window))
        text = above + _insert_marks(document.text, window, inside)
        shown.append(f"Page {document.page_at(first).number}:\n{frame_data(text, nonce)}")
    return "\n\n".join(shown)


def _sparse_rows(document: Document, marks: Sequence[_Mark]) -> list[tuple[str, str]]:
    """The marked rows whose text does not show under which headers their figures stand, each with what does."""
    found = []
    for line, columns in describe_sparse_rows(document).items():
        row = document.text[line : document.text.find("\n", line)]
        if any(mark.start < line + len(row) and line < mark.end for mark in marks):
            found.append((" ".join(row.split()), columns))
    return found


def _additions(document: Document, quotes: Sequence[Quote], window: Span) -> Iterator[tuple[int, str]]:
    """The numbers of the quotes in a window of which words are not of the running text, each with what is known."""
    for quote in quotes:
        if window.start <= quote.start and quote.end <= window.end:
            yield from ((quote.id, note) for note in describe_additions(document, Span(quote.start, quote.end)))


def _section_line(document: Document, offset: int) -> str:
    """The headings above a passage, on a line."""
    names = [" ".join(heading.text.split())[:120] for heading in headings_above(document, offset)]
    return f"(section: {' > '.join(names)})\n" if names else ""


def _header_lines(document: Document, low: int, marks: Sequence[_Mark]) -> str:
    """The header lines of marked table rows that stand above the passage on the same page."""
    text = document.text
    found: dict[str, None] = {}
    for mark in marks:
        line = max(text.rfind("\n", 0, mark.start), text.rfind("\f", 0, mark.start)) + 1
        header = header_lines(text[document.page_at(mark.start).start : line], text[line : mark.end])
        found |= dict.fromkeys(part for part in header if part not in text[low : mark.end])
    return "".join(f"(above: {part})\n" for part in found)


def _insert_marks(text: str, window: Span, marks: Sequence[_Mark]) -> str:
    """A window's text with the marks. Those inside others are nested; of those that cross, the ends are named, too."""
    crossing = {mark for mark in marks for other in marks if _crosses(mark, other) or _crosses(other, mark)}
    opened = [(mark.start, 1, -mark.end, f"[[{mark.label}") for mark in marks]
    closed = [(mark.end, 0, -mark.start, _closing_sign(mark) if mark in crossing else "]]") for mark in marks]
    parts, at = [], window.start
    for place, _, _, sign in sorted((*opened, *closed)):
        parts += [text[at:place], sign]
        at = place
    return "".join((*parts, text[at : window.end]))


def _crosses(first: _Mark, second: _Mark) -> bool:
    return first.start < second.start < first.end < second.end


def _closing_sign(mark: _Mark) -> str:
    return f"]](end of {mark.label.split(',')[0].rstrip(': ')})"
