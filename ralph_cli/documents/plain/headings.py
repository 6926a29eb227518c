"""Headings of Markdown."""

import re
from collections.abc import Iterator, Sequence

from ralph_cli.core.structure import Heading
from ralph_cli.documents.parsed import clean_heading

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_ATX_CLOSE = re.compile(r"(?:^|[ \t])#+$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NOT_A_PARAGRAPH = re.compile(r" {0,3}(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|\||(?:[-*_][ \t]*){3,}$)|(?: {4}|\t)")


def find_headings(pages: Sequence[str]) -> Iterator[Heading]:
    """ATX and setext headings of pages, outside fenced code (CommonMark 0.31, sections 4.2, 4.3 and 4.5).

    A page break stands between the pages.
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
