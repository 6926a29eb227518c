"""The pieces of a memo within which quotation marks pair: paragraphs, list items, cells, and block quotations."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import PageReference
from ralph_cli.memo.reading.page_references import parse_page_cell

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([\w+-]*)")
# Words behind a fence that announce no program. Marks within a program quote nothing.
_PROSE = frozenset(("", "text", "txt", "md", "markdown", "quote", "plaintext"))

_QUOTED = re.compile(r" {0,3}(?:[-*+][ \t]+)?((?:>[ \t]?)+)")
_CALLOUT = re.compile(r"\[!\w+\]")
_BULLET = re.compile(r"[ \t]*[-*+\u2022\u25aa\u25cf\u2013][ \t]+\S")
_NUMBER = re.compile(r"[ \t]*\(?(?!pp?\.)(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)][ \t]+\S")
# A line of a list of pages ("p. 12: ...", "Page 12"). The line before has a page of its own.
_PAGE_FIRST = re.compile(r"(?i)[ \t*_]*(?:pages?|pp?\.|pgs?\.)\s*[\w, &-]{1,20}(?::|[ \t*_]*\Z)")

# The gap between the cells of a row in formats other than plain text.
_BETWEEN_CELLS = re.compile(r"\s{2,}")

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*")
_RULE = frozenset(" \t:|-")
_PAGES = re.compile(r"(?i)[ *_]*(?:pages?|pp?\.?|pg\.?|page (?:no|number|ref(?:erence)?)s?\.?)[ *_]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece, text[start:end]; `pages` is the page column of its table row."""

    start: int
    end: int
    block: bool = False
    pages: PageReference | None = None


def pieces(document: Document) -> list[Piece]:
    """The pieces of a memo in order."""
    found: list[Piece] = []
    for piece in _LineReader(document).pieces():
        found += _split_at_blocks(piece, document)
    return found


def _split_at_blocks(piece: Piece, document: Document) -> Iterator[Piece]:
    """A piece, cut into parts if the format marks some of it as a block quotation."""
    at = piece.start
    for span in document.quoted:
        start, end = max(span.start, piece.start), min(span.end, piece.end)
        if start >= end or not is_block(document, span.start, span.end):
            continue
        if at < start:
            yield Piece(at, start)
        yield Piece(start, end, block=True)
        at = end
    if at < piece.end:
        yield Piece(at, piece.end, piece.block, piece.pages)


def is_block(document: Document, start: int, end: int) -> bool:
    """Whether a quotation that the format marks is a block of its own, and not within a line."""
    text = document.text
    return (start == 0 or text[start - 1] in "\n\f") and (end == len(text) or text[end] in "\n\f")


class _LineReader:
    """One pass over the lines."""

    def __init__(self, document: Document) -> None:
        self._text = document.text.replace("\f", "\n")
        self._markdown = document.kind == "markdown"
        self._is_plain_file = document.kind in ("markdown", "text")
        self._has_spaced_cells = document.kind in ("docx", "html")
        self._open: Piece | None = None
        self._fence = ""
        self._skip = False
        self._column_titles: list[str] = []
        self._after_rule = False

    def pieces(self) -> Iterator[Piece]:
        at = 0
        for line in self._text.split("\n"):
            yield from self._read_line(line, at)
            at += len(line) + 1
        yield from self._flush()

    def _read_line(self, line: str, at: int) -> Iterator[Piece]:
        if self._markdown and (mark := _FENCE.match(line)):
            yield from self._flush()
            opens = not self._fence
            self._skip = opens and mark[2].lower() not in _PROSE
            self._fence = mark[1] if opens else ""
            return
        if self._skip:
            return
        if not line.strip():
            yield from self._flush()
            self._column_titles, self._after_rule = [], False
        elif self._is_plain_file and (mark := _QUOTED.match(line)):
            yield from self._read_quoted_line(line, at, mark.end())
        elif self._markdown and _ROW.fullmatch(line):
            yield from self._flush()
            yield from self._read_row(line, at)
        elif self._has_spaced_cells and _BETWEEN_CELLS.search(line.strip()):
            yield from self._flush()
            yield from self._read_spaced_row(line, at)
        else:
            if self._is_in_block or self._starts_piece(line):
                yield from self._flush()
            self._extend(line, at)

    def _starts_piece(self, line: str) -> bool:
        """Whether a line begins a piece of its own."""
        listed = _BULLET.match(line) or _PAGE_FIRST.match(line)
        return bool(listed or (self._markdown and (_NUMBER.match(line) or _HEADING.match(line))))

    def _read_quoted_line(self, line: str, at: int, inner: int) -> Iterator[Piece]:
        words = line[inner:].strip()
        has_words = bool(words) and not _CALLOUT.fullmatch(words)
        if not self._is_in_block or not has_words:
            yield from self._flush()
        if has_words:
            self._extend(line, at, block=True)

    def _read_row(self, line: str, at: int) -> Iterator[Piece]:
        """The cells of a table's row."""
        if _RULE.issuperset(line) and "--" in line:
            self._after_rule = True
            return
        bars = [match.start() for match in re.finditer(r"(?<!\\)\|", line)]
        cells = [(first + 1, last) for first, last in pairwise(bars)]
        texts = [line[first:last] for first, last in cells]
        if not self._after_rule:
            self._column_titles = texts
        named = zip(self._column_titles, texts, strict=False) if self._after_rule else ()
        pages = next((parse_page_cell(text) for title, text in named if _PAGES.fullmatch(title)), None)
        yield from _cells(line, at, cells, pages)

    def _read_spaced_row(self, line: str, at: int) -> Iterator[Piece]:
        """The cells of a row below titles with a page column; any other row is one piece."""
        bounds = [0, *(end for gap in _BETWEEN_CELLS.finditer(line) for end in gap.span()), len(line)]
        cells = list(zip(bounds[::2], bounds[1::2], strict=True))
        texts = [line[first:last] for first, last in cells]
        if any(map(_PAGES.fullmatch, texts)):
            self._column_titles = texts
        if not self._column_titles:
            yield Piece(at, at + len(line))
            return
        column = next(number for number, title in enumerate(self._column_titles) if _PAGES.fullmatch(title))
        if len(texts) != len(self._column_titles):  # empty cells leave no trace
            column = len(texts) - 1 if column == len(self._column_titles) - 1 else 0 if column == 0 else len(texts)
        pages = parse_page_cell(texts[column]) if column < len(texts) else None
        yield from _cells(line, at, cells, pages)

    @property
    def _is_in_block(self) -> bool:
        return self._open is not None and self._open.block

    def _extend(self, line: str, at: int, *, block: bool = False) -> None:
        self._open = Piece(self._open.start if self._open else at, at + len(line), block)

    def _flush(self) -> Iterator[Piece]:
        if self._open:
            yield self._open
        self._open = None


def _cells(line: str, at: int, bounds: Iterable[tuple[int, int]], pages: PageReference | None) -> Iterator[Piece]:
    """The cells of a row that begins at `at`, without the empty ones."""
    return (Piece(at + first, at + last, pages=pages) for first, last in bounds if line[first:last].strip())


class Locator:
    """Describes the place of a character for a reader of the memo's file."""

    def __init__(self, document: Document) -> None:
        self._document = document
        breaks = "\n\f" if document.kind == "pdf" else "\n"
        self._line_starts = [0, *(match.end() for match in re.finditer(f"[{breaks}]", document.text))]

    def line_number(self, at: int) -> int:
        """The number of its line in the text, from 1."""
        return bisect_right(self._line_starts, at)

    def describe(self, at: int) -> str:
        """The place in words: a line; in a PDF the line of a page, in formats without lines a paragraph."""
        if self._document.kind == "pdf":
            page = self._document.page_at(at)
            return f"p. {page.number}, line {self.line_number(at) - self.line_number(page.start) + 1}"
        return self._document.line_at(at)
