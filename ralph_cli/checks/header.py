"""The lines above a quoted table row that name its columns, its period and its unit, found by code. Pure."""

import re

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.rlm.prelude import columns

DASH = re.compile(r"(?<!\S)[-\u2010-\u2015](?!\S)")
"""A cell of a table that stands for nil."""


_CELL = re.compile(r"\s{2,}")
_MONEY = re.compile(r"([$\u20ac\u00a3\u00a5])\s+")
_PERCENT = re.compile(r"\d\s*%")
_REACH = 60
"""Lines above a row among which the first one of its column is looked for."""


def percent_cells(document: Document, quote: Quote) -> tuple[str, ...]:
    """The cells of a quote's rows without a percent sign whose column has one in a row above with as many cells."""
    text, page = document.text, document.page_at(quote.start)
    found: list[str] = []
    first = max(text.rfind("\n", page.start, quote.start) + 1, page.start)
    last = text.find("\n", quote.end, page.end)
    above = [_cells(line) for line in text[page.start : first].split("\n")[-_REACH:]]
    for line in text[first : last if last >= 0 else page.end].split("\n"):
        cells = _cells(line)
        for row in reversed(above):
            if len(row) == len(cells) > 2 and any(_PERCENT.search(cell) for cell in row):
                pairs = zip(row[1:], cells[1:], strict=True)
                found += [cell for head, cell in pairs if _PERCENT.search(head) and "%" not in cell]
                break
        above.append(cells)
    return tuple(found)


def _cells(line: str) -> list[str]:
    """The cells of a row; a currency sign that stands apart belongs to its figure."""
    return _CELL.split(_MONEY.sub(r"\1", line.strip()))


def header_of(document: Document, quote: Quote) -> tuple[str, ...]:
    """The header lines of the rows of a quote that stand above it on its page; none for running text."""
    text, page = document.text, document.page_at(quote.start)
    found: dict[str, None] = {}
    at = quote.start
    for line in text[quote.start : quote.end].splitlines(keepends=True):
        first = max(text.rfind("\n", page.start, at) + 1, page.start)
        last = text.find("\n", at, page.end)
        whole = text[first : last if last >= 0 else page.end]
        # A dash is a nil, which makes a row of a line as figures do.
        found.update(dict.fromkeys(columns(text[page.start : first], DASH.sub("0", whole))))
        at += len(line)
    return tuple(found)
