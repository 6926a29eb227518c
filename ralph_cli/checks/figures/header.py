"""The lines above a quoted table row that name its columns, its period and its unit, found by code. Pure."""

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.text.quantities.figures import Figure, figures
from ralph_cli.text.sentences import line_at
from ralph_cli.text.tables import NIL, header_lines

_REACH = 60
"""Lines above a row among which the first one of its column is looked for."""


def unmarked_percentages(document: Document, quote: Quote) -> tuple[Figure, ...]:
    """The figures of a quote's rows without a percent sign whose column has one in a row above with as many figures."""
    text, page = document.text, document.page_at(quote.start)
    found: list[Figure] = []
    first, last = line_at(text, quote.start, quote.end, page.start, page.end)
    above = [figures(line) for line in text[page.start : first].split("\n")[-_REACH:]]
    for line in text[first:last].split("\n"):
        row = figures(line)
        for head in reversed(above):
            # A row of percentages alone says nothing of the rows below it; a column of them has others beside it.
            if len(head) == len(row) > 1 and 0 < sum(figure.percent for figure in head) < len(head):
                under = [cell for title, cell in zip(head, row, strict=True) if title.percent]
                found += [cell for cell in under if not cell.percent and not cell.currency]
                break
        above.append(row)
    return tuple(found)


def quote_header(document: Document, start: int, end: int) -> tuple[str, ...]:
    """The header lines of the rows of text[start:end] that stand above it on its page; none for running text."""
    text, page = document.text, document.page_at(start)
    found: dict[str, None] = {}
    at = start
    for line in text[start:end].splitlines(keepends=True):
        first, last = line_at(text, at, at, page.start, page.end)
        # A dash is a nil, which makes a row of a line as figures do.
        found.update(dict.fromkeys(header_lines(text[page.start : first], NIL.sub("0", text[first:last]))))
        at += len(line)
    return tuple(found)
