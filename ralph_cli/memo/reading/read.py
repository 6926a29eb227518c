"""Reads a memo: its quotations with the pages that it names for them, and the figures in its own words."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from ralph_cli.checks.marks import MarkedQuotation, marked_quotations
from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import Memo, MemoFigure, PageReference, Quotation
from ralph_cli.memo.reading.binding import Binder
from ralph_cli.memo.reading.layout import Locator, Piece, is_block, pieces
from ralph_cli.memo.reading.notes import note_mark_behind, pages_of_note
from ralph_cli.memo.reading.page_references import find_references
from ralph_cli.memo.reading.words import (
    MIN_WORDS,
    count_words,
    is_attributed,
    is_term,
    readings_of_hyphens,
    stated_figures,
    strip_attribution,
    strip_markup,
    strip_quote_prefix,
)
from ralph_cli.text.languages.documents import read_in_english
from ralph_cli.text.languages.figures import EnglishFigures
from ralph_cli.text.sentences import sentence_at

# The share of a block quotation between marks from which the marked words are the quotations, not the block.
_MIN_MARKED_SHARE = 0.5

# The most characters between a quotation and the page of its citation.
_CITATION_REACH = 160

_BRACKET_BEHIND = re.compile(r"[\s.,;:*_]{0,4}[(\[](?P<inner>[^()\[\]\n]{3,120})[)\]]")
_CITATION_END = re.compile(r"[)\]\n\f]")
_PAGE_COUNT = re.compile(r"(?P<of>[ \t]*(?:of|/)[ \t]*\d+)?[ \t]*(?=[\n\f]|\Z)")
# A lower number in words is a figure only before a unit: "two things" is none.
_MIN_SPELLED = 13

# The characters shown of a quotation that never closes.
_MAX_SHOWN_CHARS = 200

# The characters on each side of a quotation within which its sentence is looked for.
_SENTENCE_REACH = 1_000


def read_memo(document: Document) -> Memo:
    """The quotations of a memo, its other page references, and the figures of its own words."""
    reader = _Reader(document)
    found = reader.quotations()
    starts = [quotation.start for quotation in found]

    def place(reference: PageReference) -> PageReference:
        line, words = reader.places.line_number(reference.start), reader.places.describe(reference.start)
        return replace(reference, line=line, place=words)

    def is_free(reference: PageReference) -> bool:
        index = bisect_right(starts, reference.start) - 1
        inside = index >= 0 and reference.start < found[index].end
        return not inside and not _is_own_page_number(document, reference)

    free_references = [place(reference) for reference in find_references(document.text) if is_free(reference)]
    pairs = Binder(document, reader.pieces, found, free_references).bind()
    bound = [
        _classify(replace(item, reference=reference, citation=_citation(item, reference, document.text)), document.text)
        for item, reference in pairs
    ]
    used = [quotation.reference for quotation in bound if quotation.reference]
    # A footnote's pages are used together.
    unbound = tuple(
        reference
        for reference in free_references
        if not any(item.start <= reference.start < max(item.end, item.start + 1) for item in used)
    )
    spans = [(quotation.start, quotation.end) for quotation in found]
    masked = _mask(document.text, spans + [(reference.start, reference.end) for reference in free_references])
    english = document.derive(read_in_english).read_text(masked)

    def reference_in_note(at: int, piece: Piece) -> PageReference | None:
        mark = note_mark_behind(document, at, piece.end)
        return None if mark is None else pages_of_note(document, mark, free_references)

    figures = tuple(
        figure
        for piece in reader.pieces
        for figure in _own_figures(english, piece, reader.places, unbound, reference_in_note)
    )
    return Memo(tuple(bound), unbound, figures)


def _citation(quotation: Quotation, reference: PageReference | None, text: str) -> str:
    """The words that cite the source: around the named page, or in brackets right behind the quotation."""
    bracket = _BRACKET_BEHIND.match(text, quotation.end)
    if reference is None:
        return bracket["inner"] if bracket else ""
    line_start = max(text.rfind(mark, 0, reference.start) for mark in "\n\f") + 1
    line_end = next((at for at in range(reference.end, len(text)) if text[at] in "\n\f"), len(text))
    if quotation.end <= reference.start < quotation.end + _CITATION_REACH:
        stop = _CITATION_END.search(text, reference.end, line_end)
        return text[quotation.end : stop.start() if stop else line_end]
    if quotation.start - _CITATION_REACH < reference.end <= quotation.start:
        return text[max(line_start, reference.start - _CITATION_REACH) : reference.end]
    return text[line_start:line_end] if not line_start <= quotation.start < line_end else ""


def _mask(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with spaces in place of these spans; line ends are kept."""
    for start, end in spans:
        text = text[:start] + re.sub(r"[^\n\f]", " ", text[start:end]) + text[end:]
    return text


def _own_figures(
    masked: EnglishFigures,
    piece: Piece,
    places: Locator,
    references: Sequence[PageReference],
    reference_in_note: Callable[[int, Piece], PageReference | None],
) -> Iterator[MemoFigure]:
    """The figures of one piece of a memo whose quotations and page references are masked."""
    words = masked.text[piece.start : piece.end]
    if (
        not any(map(str.isalpha, words))
        and piece.pages is None
        and "\n" not in words.strip()
        and words.strip().isdigit()
    ):
        return  # the number of one of the memo's pages
    for figure in stated_figures(words):
        at = piece.start + figure.start
        written = masked.original[at : at + len(figure.text)]
        spelled = not any(map(str.isdigit, written))
        if spelled and figure.value < _MIN_SPELLED and figure.kind in ("none", "count", "ordinal"):
            continue
        first, last = sentence_at(masked.original, at, at + len(figure.text), piece.start, piece.end)
        inside = [reference for reference in references if first <= reference.start < last]
        near = next((reference for reference in inside if reference.start > at), inside[-1] if inside else None)
        near = near or reference_in_note(at + len(figure.text), piece)
        digits = re.search(r"\d[\d,]*(?:\.\d+)?", figure.text)
        number = digits[0].replace(",", "") if digits else figure.text
        yield MemoFigure(written.strip(), number, places.line_number(at), places.describe(at), near)


def _is_own_page_number(document: Document, reference: PageReference) -> bool:
    """Whether this is the number of one of the memo's own pages, at its foot: "Page 3 of 9"."""
    text = document.text
    first = max(text.rfind(mark, 0, reference.start) for mark in "\n\f") + 1
    rest = _PAGE_COUNT.match(text, reference.end)
    if text[first : reference.start].strip() or rest is None:
        return False
    own = document.kind == "pdf" and reference.ranges == ((str(document.page_at(reference.start).number),) * 2,)
    return rest["of"] is not None or own


def _classify(quotation: Quotation, text: str) -> Quotation:
    """A quotation of a few words becomes a term, unless it names its page or a verb of saying introduces it."""
    if not quotation.closed or quotation.reference is not None or not is_term(quotation.words):
        return quotation
    if count_words(quotation.words) >= MIN_WORDS and is_attributed(text, quotation.start, quotation.end):
        return quotation
    return replace(quotation, form="term")


class _Reader:
    """Finds the quotations of a memo's pieces."""

    def __init__(self, document: Document) -> None:
        self._text, self._kind = document.text, document.kind
        self.pieces, self.places = pieces(document), Locator(document)
        self._inline = [span for span in document.quoted if not is_block(document, span.start, span.end)]

    def quotations(self) -> list[Quotation]:
        """All of them, in order, none within another."""
        found: list[Quotation] = []
        lead = ""
        for piece, following in zip_longest(self.pieces, self.pieces[1:]):
            inner = self._quotations_in_piece(piece, following)
            inner = [quotation for quotation in inner if any(map(str.isalnum, quotation.words))]
            inner.sort(key=lambda quotation: (quotation.start, -quotation.end))
            if not piece.block:
                lead = self._lead_sentence(piece)
            elif lead:
                inner = [replace(quotation, sentence=lead) for quotation in inner]
            found += [quotation for quotation in inner if not found or quotation.start >= found[-1].end]
        return found

    def _lead_sentence(self, piece: Piece) -> str:
        """The sentence that introduces a block quotation, if the piece ends in a colon."""
        text = self._text[piece.start : piece.end].rstrip(" \t\n*_")
        return self._sentence(piece, piece.start + len(text), piece.end) if text.endswith(":") else ""

    def _quotations_in_piece(self, piece: Piece, following: Piece | None) -> list[Quotation]:
        marks = marked_quotations(self._text, piece.start, piece.end)
        between = [self._quotation_between_marks(piece, mark, following) for mark in marks]
        if piece.block:
            raw = self._text[piece.start : piece.end]
            body = strip_attribution(strip_quote_prefix(raw))
            marked = sum(len(quotation.words) for quotation in between if quotation.closed)
            if marked < _MIN_MARKED_SHARE * max(len(body), 1):
                whole = self._quotation(piece, piece.start, piece.start + _body_end(body, raw), body)
                return [replace(whole, form="block")]
        spans = [span for span in self._inline if piece.start <= span.start and span.end <= piece.end]
        inline = [self._quotation(piece, span.start, span.end, self._text[span.start : span.end]) for span in spans]
        return inline + between

    def _quotation_between_marks(self, piece: Piece, mark: MarkedQuotation, following: Piece | None) -> Quotation:
        text, start = self._text, mark.start
        unquote = strip_quote_prefix if piece.block else str
        if mark.ends:
            readings = (unquote(text[start + 1 : end]) for end in reversed(mark.ends))
            return self._quotation(piece, start, mark.ends[-1] + 1, *readings)
        # A quotation of several paragraphs opens in each of them and closes only in the last one.
        behind = text[following.start : following.end].lstrip(" \t>*_") if following else ""
        closed = behind.startswith(text[start]) and text[start] in "\u201c\u00ab\u2018"
        limit = piece.end if closed else min(piece.end, start + _MAX_SHOWN_CHARS)
        end = piece.end if closed else start + 1
        return replace(self._quotation(piece, start, end, unquote(text[start + 1 : limit])), closed=closed)

    def _quotation(self, piece: Piece, start: int, end: int, *raw_readings: str) -> Quotation:
        """The quotation at text[start:end]; `raw_readings` are the ways to read it, the likeliest first."""
        words, *readings = (
            strip_markup(closed, self._kind) for raw in raw_readings for closed in readings_of_hyphens(raw)
        )
        line, place = self.places.line_number(start), self.places.describe(start)
        sentence = self._sentence(piece, start, end)
        return Quotation(words, start, end, line, place, readings=tuple(readings), sentence=sentence)

    def _sentence(self, piece: Piece, start: int, end: int) -> str:
        """The sentence that contains text[start:end], as words."""
        low, high = max(piece.start, start - _SENTENCE_REACH), min(piece.end, end + _SENTENCE_REACH)
        first, last = sentence_at(self._text, start, end, low, high)
        words = strip_markup(strip_quote_prefix(self._text[first:last]), self._kind)
        return " ".join(re.sub(r"^\s*(?:[-*+\u2022]|\(?\d{1,3}[.)])\s+", "", words).split())


def _body_end(body: str, raw: str) -> int:
    """The end of a block quotation's body in its typed lines, without the attribution."""
    tail = strip_quote_prefix(raw)[len(body) :].strip()
    return len(raw[: raw.rfind(tail.split("\n")[0])].rstrip(" \t>\n")) if tail else len(raw)
