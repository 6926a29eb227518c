"""Tables whose cells are text of several lines: there the order of the file is a better guess than geometry."""

from collections.abc import Iterator

from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row, stream_rows

_REACH, _LEAST_ROWS = 4, 4
_MOST_FIGURES = 0.25


def find_text_tables(rows: list[Row]) -> Iterator[list[Row]]:
    """A block in parts: where several rows near each other hold two pieces of prose, in the order of the file."""
    done = 0
    for first, end in _paired_spans(rows):
        inside = rows[first:end]
        if sum(any(fragment.is_figure for fragment in row) for row in inside) > _MOST_FIGURES * len(inside):
            continue
        if first > done:
            yield rows[done:first]
        yield stream_rows([fragment for row in inside for fragment in row])
        done = end
    if done < len(rows):
        yield rows[done:]


def _paired_spans(rows: list[Row]) -> Iterator[tuple[int, int]]:
    """Rows [first, end) with at least four, never far from each other, that hold two pieces of prose."""
    span: list[int] = []
    for number, row in enumerate(rows):
        if sum(fragment.is_prose for fragment in row) < 2:
            continue
        if span and number - span[-1] > _REACH:
            if len(span) >= _LEAST_ROWS:
                yield span[0], span[-1] + 1
            span = []
        span.append(number)
    if len(span) >= _LEAST_ROWS:
        yield span[0], span[-1] + 1


def is_text_table(fragments: list[Fragment]) -> bool:
    """Whether cells of text were written row after row.

    The file goes from column to column, each time it comes back to an earlier one it stands below the row before, and
    few cells begin inside a sentence.
    """
    columns = _ranges(fragments)
    if len(columns) < 2:
        return False
    cells: list[tuple[int, Row]] = []
    table_rows: list[list[Row]] = []
    for fragment in sorted(fragments, key=lambda fragment: fragment.order):
        column = next(number for number, (_, right) in enumerate(columns) if fragment.left <= right + 0.1)
        if cells and cells[-1][0] == column and fragment.baseline < cells[-1][1][-1].baseline + fragment.height:
            cells[-1][1].append(fragment)
            continue
        if not table_rows or column <= cells[-1][0]:
            table_rows.append([])
        cells.append((column, [fragment]))
        table_rows[-1].append(cells[-1][1])
    if len(table_rows) < 3 or len(cells) < 1.7 * len(table_rows):
        return False
    inside = sum(cell[0].text[0].islower() for _, cell in cells)
    lines = sum(len({round(fragment.baseline) for fragment in cell}) for _, cell in cells)
    return _go_down(table_rows) and inside <= 0.12 * len(cells) and lines >= 1.3 * len(cells)


def _go_down(table_rows: list[list[Row]]) -> bool:
    """Whether nearly every row of cells begins below the one before."""
    tops = [max(fragment.baseline for cell in row for fragment in cell) for row in table_rows]
    feet = [min(fragment.baseline for cell in row for fragment in cell) for row in table_rows]
    room = 0.3 * table_rows[0][0][0].height
    down = sum(below < above + room for below, above in zip(tops[1:], feet, strict=False))
    return down >= 0.9 * len(tops[1:])


def _ranges(fragments: list[Fragment]) -> list[tuple[float, float]]:
    """The x-ranges between which nothing stands."""
    columns: list[tuple[float, float]] = []
    for fragment in sorted(fragments, key=lambda fragment: fragment.left):
        if columns and fragment.left < columns[-1][1] + 0.3 * fragment.height:
            columns[-1] = columns[-1][0], max(columns[-1][1], fragment.right)
        else:
            columns.append((fragment.left, fragment.right))
    return columns
