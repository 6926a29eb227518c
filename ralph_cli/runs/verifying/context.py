"""What stands around a quote in two texts: its sentence and paragraph, its heading, the lines that head its table.

Words that are still there may say something else when what stands around them was changed: "(in thousands)" for "(in
millions)" above a table, two columns that changed places, an exception in the next sentence. Nothing here decides
whether that matters; what differs is named.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Span
from ralph_cli.documents.structure.running_lines import running_line_spans
from ralph_cli.retrieval.quotes.index import differences
from ralph_cli.text.fold import fold
from ralph_cli.text.sentences import CLAUSES, line_at, sentence_ends

CONTEXT_CHARS = 800
"""Characters to each side within which a sentence and its paragraph are looked for."""

_BREAK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:#|[-*|>] |\(?\d+(?:\.\d+)*[.)]? |\([a-z]{1,4}\) ))")
"""The end of a paragraph, or the line before a heading, a list item, a table row, or a numbered clause."""

_ROW = re.compile(r"(?:\A|\n)(?=[^\n]*\d)[^\n]*\S {2,}\S[^\n]*(?=\n)")
"""A row of a table of which the sentence above or below it is no part."""

_MARKS = re.compile(r"[*_#>|]+")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"(?i)^(?:(?:section|article|clause|part|chapter|schedule)\s+)?\(?\d+(?:\.\d+)*[.)]?\s+")


@dataclass(frozen=True, slots=True)
class _AdjacentWords:
    """The words on one side of a quote, nearest first: of its own sentence, and of what stands beside that.

    `own_cut` and `beyond_cut` say that they go on where they were cut: at the end of what was looked at, or of a page.
    """

    own: tuple[str, ...]
    own_cut: bool
    beyond: tuple[str, ...]
    beyond_cut: bool


@dataclass(frozen=True)
class DocumentContext:
    """One text, of which it can be said what stands around a place in it."""

    document: Document

    @cached_property
    def _body_starts(self) -> frozenset[int]:
        """Where the text of pages begins, but for the first."""
        return frozenset(self._bodies[page.number].start for page in self.document.pages[1:])

    @cached_property
    def _body_ends(self) -> frozenset[int]:
        """Where the text of pages ends, but for the last."""
        return frozenset(self._bodies[page.number].end for page in self.document.pages[:-1])

    def heading_at(self, offset: int) -> str:
        """The heading under which the character at `offset` stands, empty if the document has none before it."""
        headings = self.document.headings
        at = bisect_right(headings, offset, key=lambda heading: heading.start)
        return headings[at - 1].text if at else ""

    def table_header(self, span: Span) -> tuple[str, ...] | None:
        """The lines that head the table in whose rows the place stands; None if it is not in a table."""
        document = self.document
        if document.table_at(span.start) is None or document.table_at(span.end - 1) is None:
            return None
        head = document.lines_above(span.end - 1)
        return tuple(dict.fromkeys(" ".join(fold(document.text[it.start : it.end]).text.split()) for it in head))

    def sides(self, span: Span, *, row: bool) -> tuple[_AdjacentWords, _AdjacentWords]:
        """The words before and behind a place; of a table row those of its own lines."""
        if row:
            first, last = self._line_bounds(span)
            text = self.document.text
            before, behind = words_of(text[first : span.start]), words_of(text[span.end : last])
            return _AdjacentWords(before[::-1], False, (), False), _AdjacentWords(behind, False, (), False)
        return self._words_before(span.start), self._words_after(span.end)

    def _line_bounds(self, span: Span) -> tuple[int, int]:
        """From where the first line of a place begins to where its last one ends, on its pages."""
        text, page = self.document.text, self.document.page_at(span.start)
        return line_at(text, span.start, span.end, page.start, self.document.page_at(span.end - 1).end)

    def _words_before(self, start: int) -> _AdjacentWords:
        first = self._search_bounds(start, start + 1)[0]
        low = max(first, start - CONTEXT_CHARS)
        text = self.document.text[low : start + 1]  # a sentence ends where the next one begins
        edges = (match.end() for shape in (_BREAK, _ROW) for match in shape.finditer(text))
        breaks = [edge for edge in edges if edge <= start - low]
        paragraph = max(breaks, default=0)
        # At the top of a page text may go on from the page before; below a heading it begins.
        whole = bool(breaks) or low == 0 or (low == first and low not in self._body_starts)
        ends = [begin for _, begin in sentence_ends(text, paragraph, stops=CLAUSES) if begin <= start - low]
        own = ends[-1] if ends else paragraph
        # Text of a PDF knows no paragraphs: of it the sentence beside is all that is compared.
        if self.document.kind == "pdf" and len(ends) > 1:
            paragraph, whole = ends[-2], True
        nearest, beyond = words_of(text[own : start - low])[::-1], words_of(text[paragraph:own])[::-1]
        return _AdjacentWords(nearest, not ends and not whole, beyond, not whole)

    def _words_after(self, end: int) -> _AdjacentWords:
        last = self._search_bounds(end - 1, end)[1]
        high = min(last, end + CONTEXT_CHARS)
        text = self.document.text[end - 1 : high]  # the last character may be the stop of the quote's own sentence
        breaks = [match.start() for shape in (_BREAK, _ROW) if (match := shape.search(text, 1))]
        paragraph = min(breaks, default=len(text))
        whole = bool(breaks) or (high == last and last not in self._body_ends)
        ends = [stop for stop, _ in sentence_ends(text, 0, paragraph + 1, CLAUSES) if 0 < stop < paragraph]
        own = ends[0] if ends else paragraph
        if self.document.kind == "pdf" and len(ends) > 1:
            paragraph, whole = ends[1], True
        return _AdjacentWords(words_of(text[1:own]), not ends and not whole, words_of(text[own:paragraph]), not whole)

    def _search_bounds(self, start: int, end: int) -> tuple[int, int]:
        """From where to where text is looked at around a place: of its pages, without headings and running lines."""
        document, text = self.document, self.document.text
        first, last = document.page_at(start).number, document.page_at(end - 1).number
        low, high = self._bodies[first].start, self._bodies[last].end
        at = bisect_right(document.headings, start, key=lambda heading: heading.start)
        for heading in document.headings[max(at - 1, 0) : at]:
            title = text.find("\n", heading.start) + 1
            if low < title <= start:
                low = title
        behind = [heading.start for heading in document.headings[at : at + 1] if end <= heading.start < high]
        # A quote may stand in a running line itself.
        return min(low, start), max(min((high, *behind)), end)

    @cached_property
    def _bodies(self) -> dict[int, Span]:
        """Each page without its running lines; the first head and the last foot are known from the pages beside."""
        text, pages = self.document.text, self.document.pages
        starts, ends = {page.number: page.start for page in pages}, {page.number: page.end for page in pages}
        running_lines = running_line_spans(text, pages)
        for span in running_lines:
            upper, lower = self.document.page_at(span.start), self.document.page_at(span.end)
            starts[lower.number], ends[upper.number] = span.end, span.start
        if running_lines:
            first, second, last, other = pages[0], pages[1], pages[-1], pages[-2]
            head, foot = text[second.start : starts[second.number]], text[ends[other.number] : other.end]
            starts[first.number] += _running_line_length(text[first.start : ends[first.number]], head)
            ends[last.number] -= _running_line_length(text[starts[last.number] : last.end][::-1], foot[::-1])
        return {number: Span(start, max(ends[number], start + 1)) for number, start in starts.items()}


def _running_line_length(text: str, running: str) -> int:
    """How many characters of a text's beginning are lines like the running ones, numbers aside."""
    lines, count = running.strip("\n").split("\n"), 0
    for line, like in zip(text.split("\n"), lines, strict=False):
        if not like or _DIGITS.sub("0", line) != _DIGITS.sub("0", like):
            break
        count += len(line) + 1
    return min(count, len(text))


def context_changes(quote: Quote, before: DocumentContext, after: DocumentContext, span: Span) -> Iterator[str]:
    """What stands around a quote otherwise than it did, each in a sentence; `span` is its place in the text now."""
    then = Span(quote.start, quote.end)
    was, is_ = before.table_header(then), after.table_header(span)
    if (was or ()) != (is_ or ()):
        change = f"{_describe_lines(was)} -> {_describe_lines(is_)}"
        yield f"the lines that head its table were changed (then -> now): {change}"
    yield from _heading_change(before, then, after, span)
    row = was is not None and is_ is not None
    old, new = before.sides(then, row=row), after.sides(span, row=row)
    left, left_now = _cut_to_same_length(old[0].own, old[0].own_cut, new[0].own, new[0].own_cut)
    right, right_now = _cut_to_same_length(old[1].own, old[1].own_cut, new[1].own, new[1].own_cut)
    middle = words_of(before.document.text[then.start : then.end])
    word_changes = differences(_join_words(left, middle, right), _join_words(left_now, middle, right_now))
    if word_changes:
        what = "its row reads" if row else "its sentence reads"
        yield f"{what} otherwise (then -> now): {'; '.join(word_changes)}"
        return
    for where, old_side, new_side, direction in (("before", old[0], new[0], -1), ("behind", old[1], new[1], 1)):
        mine, theirs = _cut_to_same_length(old_side.beyond, old_side.beyond_cut, new_side.beyond, new_side.beyond_cut)
        if word_changes := differences(" ".join(mine[::direction]), " ".join(theirs[::direction])):
            yield f"what stands {where} its sentence reads otherwise (then -> now): {'; '.join(word_changes)}"


def has_new_heading(before: DocumentContext, old_offset: int, after: DocumentContext, new_offset: int) -> bool:
    """Whether a place stands under another heading than it did, and not only under one that was renamed."""
    was, is_ = _without_number(before.heading_at(old_offset)), _without_number(after.heading_at(new_offset))
    old_headings, new_headings = (
        {_without_number(heading.text) for heading in context.document.headings} for context in (before, after)
    )
    return was != is_ and (not is_ or is_ in old_headings or was in new_headings)


def _heading_change(before: DocumentContext, old_span: Span, after: DocumentContext, span: Span) -> Iterator[str]:
    was, is_ = before.heading_at(old_span.start), after.heading_at(span.start)
    # The outline of a PDF may be missing in a version that is made otherwise.
    if _without_number(was) == _without_number(is_) or (after.document.paged and not (was and is_)):
        return
    stood = f'stood under "{was}"' if was else "stood under no heading"
    yield f'{stood}, stands under "{is_}"' if is_ else f"{stood}, stands under none"


def _without_number(heading: str) -> str:
    """A heading without its number, which changes when another one is put before it."""
    return " ".join(_NUMBER.sub("", fold(heading).text).casefold().split())


def _cut_to_same_length(
    old: tuple[str, ...], old_cut: bool, new: tuple[str, ...], new_cut: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two runs of words, nearest first; where one was cut off, the other is compared no further than it goes."""
    if not old_cut and not new_cut:
        return old, new
    most = min(len(old) if old_cut else len(new), len(new) if new_cut else len(old))
    return old[:most], new[:most]


def words_of(text: str) -> tuple[str, ...]:
    """The folded words of a text, without the marks of Markdown."""
    return tuple(_MARKS.sub(" ", fold(text).text).split())


def _join_words(left: Sequence[str], middle: Sequence[str], right: Sequence[str]) -> str:
    return " ".join((*left[::-1], *middle, *right))


def _describe_lines(lines: tuple[str, ...] | None) -> str:
    return " / ".join(f'"{line}"' for line in lines) if lines else "none"
