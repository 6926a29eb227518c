"""Plain text, Markdown and source code: line ends, pages marked by form feeds, Markdown headings."""

import re
from collections.abc import Iterator, Sequence

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import PAGE_BREAK, Heading
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.load import empty_error
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import ParsedDocument, clean_heading
from ralph_cli.documents.plain.decoding import decode_text

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_ATX_CLOSE = re.compile(r"(?:^|[ \t])#+$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NOT_A_PARAGRAPH = re.compile(r" {0,3}(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|\||(?:[-*_][ \t]*){3,}$)|(?: {4}|\t)")


def parse_text(data: bytes, *, name: str, kind: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Return text, Markdown or code with line ends as LF; form feeds separate pages."""
    text, cautions = read_plain_text(data, name=name, encoding=encoding, limits=limits)
    pages = text.split(PAGE_BREAK)
    while len(pages) > 1 and not pages[-1].strip():
        pages.pop()  # many texts also end their last page with a form feed
    if len(pages) > limits.pages:
        raise DocumentError(f"{name} has {len(pages)} pages; the limit is {limits.pages}", code="too-big")
    headings = tuple(find_headings(pages)) if kind == "markdown" else ()
    return plain_document(pages, cautions, headings=headings)


def read_plain_text(
    data: bytes, *, name: str, encoding: str | None, limits: LoadLimits
) -> tuple[str, tuple[Caution, ...]]:
    """Return a file's text with line ends as LF, and cautions about guesses.

    Raises DocumentError as `decode_text` does, empty and too-big.
    """
    text, cautions = decode_text(data, name=name, encoding=encoding)
    if len(text) > limits.characters:
        raise TooManyCharacters(name, limits)
    if not text.strip():
        raise empty_error(name, data)
    return text.replace("\r\n", "\n").replace("\r", "\n"), cautions


def find_headings(pages: Sequence[str]) -> Iterator[Heading]:
    """Yield ATX and setext headings of pages, outside fenced code (CommonMark 0.31, sections 4.2, 4.3 and 4.5).

    The offsets include a page break between pages.
    """
    fence = ""
    offset = 0
    for page in pages:
        previous: tuple[int, str] | None = None
        for line in page.split("\n"):
            mark = _FENCE.fullmatch(line)
            if fence:
                if mark and mark[1].startswith(fence) and not mark[2].strip():
                    fence = ""
                previous = None
            elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
                fence, previous = mark[1], None
            elif atx := _ATX.match(line):
                title = clean_heading(_ATX_CLOSE.sub("", line[atx.end() :].rstrip()))
                if title:
                    yield Heading(title, offset, len(atx[1]))
                previous = None
            elif (under := _SETEXT.fullmatch(line)) and previous:
                yield Heading(clean_heading(previous[1]), previous[0], 1 if under[1][0] == "=" else 2)
                previous = None
            else:
                previous = (offset, line) if line.strip() and not _NOT_A_PARAGRAPH.match(line) else None
            offset += len(line) + 1
