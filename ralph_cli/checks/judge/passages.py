"""The passages that a judge is shown: all that each quote stands in, with the quoted words marked. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from ralph_cli.core.document import Document, Span
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.run import Quote
from ralph_cli.documents.context import context_span, headings_above, index_lines
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
    window_start: int
    window_end: int


def render_passages(document: Document, quotes: Sequence[Quote], nonce: str) -> str:
    """The paragraph or table around each quote, each once, the quoted words marked with the quote's id.

    Words that stand in several places are marked at the place they were pinned to, and as `[[1, also here: ...]]` at a
    few others. A table comes with its header rows, a row of it also with the lines further up that name its columns,
    period and unit; each passage with the headings that it stands under.
    """
    lines = index_lines(document)
    marks: list[_Mark] = []
    for quote in quotes:
        context = context_span(document, Span(quote.start, quote.end), lines)
        marks.append(_Mark(quote.start, quote.end, f"{quote.id}: ", context.start, context.end))
        # Words that stand nearly everywhere, such as the years above a table, say nothing elsewhere.
        others = [place for place in quote.places if place != (quote.start, quote.end)]
        for start, end in others[:MAX_SHOWN_ELSEWHERE] if quote.occurrences <= MAX_OCCURRENCES_MARKED else ():
            context = context_span(document, Span(start, end), lines, ELSEWHERE_CHARS)
            marks.append(_Mark(start, end, f"{quote.id}, also here: ", context.start, context.end))
    windows: list[tuple[int, int]] = []
    for mark in sorted(marks, key=lambda mark: mark.window_start):
        if windows and mark.window_start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(mark.window_end, windows[-1][1]))
        else:
            windows.append((mark.window_start, mark.window_end))
    shown = []
    for low, high in windows:
        inside = [mark for mark in marks if low <= mark.start and mark.end <= high]
        first = min(mark.start for mark in inside)
        text = (
            _section_line(document, first)
            + _header_lines(document, low, inside)
            + _insert_marks(document.text, low, high, inside)
        )
        shown.append(f"Page {document.page_at(first).number}:\n{frame_data(text, nonce)}")
    return "\n\n".join(shown)


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
        page = document.page_at(mark.start)
        for part in header_lines(text[page.start : line], text[line : mark.end]):
            if part not in text[low : mark.end]:
                found[part] = None
    return "".join(f"(above: {part})\n" for part in found)


def _insert_marks(text: str, low: int, high: int, marks: Sequence[_Mark]) -> str:
    """text[low:high] with the marks. Those inside others are nested; of those that cross, the ends are named, too."""
    crossing = {mark for mark in marks for other in marks if _crosses(mark, other) or _crosses(other, mark)}
    opened = [(mark.start, 1, -mark.end, f"[[{mark.label}") for mark in marks]
    closed = [(mark.end, 0, -mark.start, f"]]({_closing_label(mark)})" if mark in crossing else "]]") for mark in marks]
    parts, at = [], low
    for place, _, _, sign in sorted((*opened, *closed)):
        parts += [text[at:place], sign]
        at = place
    return "".join((*parts, text[at:high]))


def _crosses(one: _Mark, other: _Mark) -> bool:
    return one.start < other.start < one.end < other.end


def _closing_label(mark: _Mark) -> str:
    return f"end of {mark.label.split(',')[0].rstrip(': ')}"
