"""Plain text, Markdown and source code: line ends, pages marked by form feeds, Markdown headings."""

import re
from collections.abc import Iterator

from ralph_cli.core.document import PAGE_BREAK
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.load import empty_error
from ralph_cli.documents.parsed import ParsedDocument, ParsedHeading, ParsedPage, clean_heading
from ralph_cli.documents.plain.damage import find_damage
from ralph_cli.documents.plain.decoding import decode_text

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_ATX_CLOSE = re.compile(r"(?:^|[ \t])#+$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NOT_A_PARAGRAPH = re.compile(r" {0,3}(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|\||(?:[-*_][ \t]*){3,}$)|(?: {4}|\t)")


def parse_text(data: bytes, *, name: str, kind: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Text, Markdown or code as it is, with line ends made LF; form feeds separate pages."""
    text, cautions = decode_text(data, name=name, encoding=encoding)
    if len(text) > limits.characters:
        raise DocumentError(
            f"{name} has more than {limits.characters:,} characters", code="too-big", hint="split the file"
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    pages = text.split(PAGE_BREAK)
    while len(pages) > 1 and not pages[-1].strip():
        pages.pop()  # a form feed also ends the last page of many texts
    if len(pages) > limits.pages:
        raise DocumentError(f"{name} has {len(pages)} pages; the limit is {limits.pages}", code="too-big")
    if not any(page.strip() for page in pages):
        raise empty_error(name, data)
    cautions += tuple(find_damage(text, name))
    headings = tuple(_headings(pages)) if kind == "markdown" else ()
    return ParsedDocument(tuple(ParsedPage(page) for page in pages), headings, cautions)


def _headings(pages: list[str]) -> Iterator[ParsedHeading]:
    """ATX and setext headings outside fenced code (CommonMark 0.31, sections 4.2, 4.3 and 4.5)."""
    fence = ""
    for index, page in enumerate(pages):
        offset = 0
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
                    yield ParsedHeading(index, offset, title, len(atx[1]))
                previous = None
            elif (under := _SETEXT.fullmatch(line)) and previous:
                yield ParsedHeading(index, previous[0], clean_heading(previous[1]), 1 if under[1][0] == "=" else 2)
                previous = None
            else:
                previous = (offset, line) if line.strip() and not _NOT_A_PARAGRAPH.match(line) else None
            offset += len(line) + 1
