"""Compares the context of a quote in two texts: its sentence and paragraph, its heading, the header of its table.

The same words may mean something else if their context was changed: "(in thousands)" for "(in millions)" above a table,
two columns that changed places, an exception in the next sentence. Code names the differences; whether they matter is
for the reader to decide.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Block, Span
from ralph_cli.retrieval.quotes.index import differences
from ralph_cli.text.fold import fold
from ralph_cli.text.sentences import CLAUSES, line_at, sentence_ends

# Characters on each side of a quote that are compared at most.
CONTEXT_CHARS = 800

_MARKS = re.compile(r"[*_#>|]+")
_NUMBER = re.compile(r"(?i)^(?:(?:section|article|clause|part|chapter|schedule)\s+)?\(?\d+(?:\.\d+)*[.)]?\s+")


@dataclass(frozen=True, slots=True)
class _AdjacentWords:
    """The words on one side of a quote, nearest first: of its own sentence, and of the text beside that.

    `own_cut` and `beyond_cut` say that the words go on: at the end of a page, or beyond `CONTEXT_CHARS`.
    """

    own: tuple[str, ...]
    own_cut: bool
    beyond: tuple[str, ...]
    beyond_cut: bool


@dataclass(frozen=True)
class DocumentContext:
    """A document that tells the context of a place in it."""

    document: Document

    def heading_at(self, offset: int) -> str:
        """The last heading before the character at `offset`; empty if there is none."""
        at = bisect_right(self.document.headings, offset, key=attrgetter("start"))
        return self.document.headings[at - 1].text if at else ""

    def table_header(self, span: Span) -> tuple[str, ...] | None:
        """The header lines of the table that contains the place; None if it is not in a table."""
        document = self.document
        if document.table_at(span.start) is None or document.table_at(span.end - 1) is None:
            return None
        head = document.lines_above(span.end - 1)
        return tuple(dict.fromkeys(" ".join(fold(document.text[it.start : it.end]).text.split()) for it in head))

    def sides(self, span: Span, *, row: bool) -> tuple[_AdjacentWords, _AdjacentWords]:
        """The words before and behind a place; in a table row those of its own lines."""
        document, text = self.document, self.document.text
        if row:
            pages = document.page_at(span.start), document.page_at(span.end - 1)
            first, last = line_at(text, span.start, span.end, pages[0].start, pages[1].end)
            before, behind = words_of(text[first : span.start]), words_of(text[span.end : last])
            return _AdjacentWords(before[::-1], False, (), False), _AdjacentWords(behind, False, (), False)
        return self._words_before(span.start), self._words_after(span.end)

    def _words_before(self, start: int) -> _AdjacentWords:
        block = self.document.block_at(start) or Block(start, start, "paragraph")
        first = min(self._body(block)[0], start)
        low = max(first, start - CONTEXT_CHARS)
        is_cut = low > first or self._goes_on(block, -1)
        text = self.document.text[low : start + 1]  # a sentence ends where the next one begins
        ends = [begin for _, begin in sentence_ends(text, stops=CLAUSES) if begin <= start - low]
        own, first = (ends[-1] if ends else 0), 0
        # A PDF has no sure paragraphs: only the sentence beside is compared.
        if self.document.kind == "pdf" and len(ends) > 1:
            first, is_cut = ends[-2], False
        nearest, beyond = words_of(text[own : start - low])[::-1], words_of(text[first:own])[::-1]
        return _AdjacentWords(nearest, not ends and is_cut, beyond, is_cut)

    def _words_after(self, end: int) -> _AdjacentWords:
        block = self.document.block_at(end - 1) or Block(end, end, "paragraph")
        last = max(self._body(block)[1], end)
        high = min(last, end + CONTEXT_CHARS)
        is_cut = high < last or self._goes_on(block, 1)
        text = self.document.text[end - 1 : high]  # the last character may be the stop of the quote's own sentence
        ends = [stop for stop, _ in sentence_ends(text, stops=CLAUSES) if 0 < stop < len(text)]
        own, last = (ends[0] if ends else len(text)), len(text)
        if self.document.kind == "pdf" and len(ends) > 1:
            last, is_cut = ends[1], False
        return _AdjacentWords(words_of(text[1:own]), not ends and is_cut, words_of(text[own:last]), is_cut)

    @cached_property
    def _running_lines(self) -> set[str]:
        """The lines that run through the pages, without their numbers."""
        furniture = (block for block in self.document.blocks if block.kind == "furniture")
        return {_mask(line) for block in furniture for line in self.document.text[block.start : block.end].split("\n")}

    def _body(self, block: Block) -> tuple[int, int]:
        """A block without the head of the first page and the foot of the last, which stand between no two pages."""
        text, start, end = self.document.text, block.start, block.end
        while (at := text.find("\n", start, end)) >= 0 and _mask(text[start:at]) in self._running_lines:
            start = at + 1
        while (at := text.rfind("\n", start, end)) >= 0 and _mask(text[at:end]) in self._running_lines:
            end = at
        return start, end

    def _goes_on(self, block: Block, step: int) -> bool:
        """Whether the text of a block may go on in the block before (-1) or behind (1): over the end of a page."""
        blocks, document = self.document.blocks, self.document
        at = bisect_right(blocks, block.start, key=attrgetter("start")) - 1 + step
        while 0 <= at < len(blocks) and blocks[at].kind == "furniture":
            at += step
        is_inside = 0 <= at < len(blocks)
        return is_inside and document.page_at(blocks[at].start) is not document.page_at(block.start)


def _mask(line: str) -> str:
    return re.sub(r"\d+", "0", line).strip()


def context_changes(quote: Quote, before: DocumentContext, after: DocumentContext, span: Span) -> Iterator[str]:
    """The changes in the context of a quote, each in a sentence; `span` is its place in the present text."""
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
            yield f"the text {where} its sentence reads otherwise (then -> now): {'; '.join(word_changes)}"


def has_new_heading(before: DocumentContext, old_offset: int, after: DocumentContext, new_offset: int) -> bool:
    """Whether a place is under another heading than before, and not only under a renamed one."""
    was, is_ = _without_number(before.heading_at(old_offset)), _without_number(after.heading_at(new_offset))
    old_headings, new_headings = (
        {_without_number(heading.text) for heading in context.document.headings} for context in (before, after)
    )
    return was != is_ and (not is_ or is_ in old_headings or was in new_headings)


def _heading_change(before: DocumentContext, old_span: Span, after: DocumentContext, span: Span) -> Iterator[str]:
    was, is_ = before.heading_at(old_span.start), after.heading_at(span.start)
    # The outline of a PDF may be missing in a version made with other software.
    if _without_number(was) == _without_number(is_) or (after.document.paged and not (was and is_)):
        return
    stood = f'was under "{was}"' if was else "was under no heading"
    yield f'{stood}, is under "{is_}"' if is_ else f"{stood}, is under none"


def _without_number(heading: str) -> str:
    """A heading without its number, which changes if another heading is added before it."""
    return " ".join(_NUMBER.sub("", fold(heading).text).casefold().split())


def _cut_to_same_length(
    old: tuple[str, ...], old_cut: bool, new: tuple[str, ...], new_cut: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two runs of words, nearest first; if one was cut off, the other is cut to its length."""
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
