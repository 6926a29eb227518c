"""What stands above a quoted table row on its page: its header lines, and the percent sign of its column. Pure."""

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.text.quantities.figures import Figure, figures
from ralph_cli.text.sentences import line_at
from ralph_cli.text.tables import NIL, header_lines

_MAX_LINES_ABOVE = 60
"""Lines above a quoted row in which a row with percent signs is looked for."""


def find_unmarked_percentages(document: Document, quote: Quote) -> tuple[Figure, ...]:
    """Figures of the quoted rows that have no percent sign although their column has one: in the nearest row above with
    as many figures, of which some are percentages and some are not.
    """
    text, page = document.text, document.page_at(quote.start)
    found: list[Figure] = []
    first, last = line_at(text, quote.start, quote.end, page.start, page.end)
    above = [figures(line) for line in text[page.start : first].split("\n")[-_MAX_LINES_ABOVE:]]
    for line in text[first:last].split("\n"):
        row = figures(line)
        for row_above in reversed(above):
            # A row of percentages alone says nothing of the rows below it; a column of them has others beside it.
            if len(row_above) == len(row) > 1 and 0 < sum(figure.percent for figure in row_above) < len(row_above):
                under = [cell for above_cell, cell in zip(row_above, row, strict=True) if above_cell.percent]
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
