"""Finds what an objective names, as tables in CSV or as sentences.

The source of this module runs as guest code in the sandbox, after that of `rank`. It prints nothing itself.
"""

import csv
import io
import re
from collections.abc import Sequence

from ralph_cli.providers.offline.rank import Page, rank
from ralph_cli.text.sentences import sentence_ends

FIGURE_CELL = re.compile(r"[-+(]*[$\u20ac\u00a3]?\s*[-+(]?\d[\d.,]*\)?\s*%?\)?|[\u2013\u2014-]|n/?a", re.IGNORECASE)
MAX_TABLES = 3
PASSAGE_COUNTS = (1, 3, 8)  # passages of the first text, the second and the third
TITLE_SHARE = 2.0  # weight of a term in a table's title


def candidate_texts(
    objective: str, text: str, pages: Sequence[Page], *, as_csv: bool, tables: Sequence[Sequence[int]] = ()
) -> list[str]:
    """Return texts that may be the requested output, the most likely first.

    Each of the `tables` is the start of its title, its end, and the start of its first row below the header.
    """
    found = table_texts(objective, text, tables) if as_csv else []
    return found or passage_texts(objective, text, pages)


def passage_texts(objective: str, text: str, pages: Sequence[Page]) -> list[str]:
    """Return the sentences of the best passages that contain terms of the objective, in the document's order."""
    ranking = rank(objective, text, pages)
    least = min(2, sum(map(bool, ranking.field.places.values())))
    out: list[str] = []
    for count in PASSAGE_COUNTS:
        lines: dict[str, None] = {}
        for _, begin, end in sorted(ranking.passages[:count], key=lambda item: item[1]):
            start = begin
            for stop, following in (*sentence_ends(text, begin, end), (end, end)):
                if len(ranking.field.held(start, stop)) >= least:
                    lines[" ".join(text[start:stop].split())] = None
                start = following
        if lines and "\n".join(lines) not in out:
            out.append("\n".join(lines))
    return out


def table_texts(objective: str, text: str, tables: Sequence[Sequence[int]]) -> list[str]:
    """Return the tables with most of the objective's terms as CSV, each with plain numbers, then as printed."""
    field = rank(objective, text, ()).field
    scored: list[tuple[float, int, list[list[str]]]] = []
    for order, (begin, end, first_row) in enumerate(table[:3] for table in tables):
        above, rows = read_table(text, begin, first_row, end)
        score = TITLE_SHARE * sum(field.held(begin, first_row).values()) + sum(field.held(first_row, end).values())
        if rows and score:
            scored.append((score, -order, [*column_header(above, rows), *rows]))
    best = [rows for _, _, rows in sorted(scored, key=lambda item: item[:2], reverse=True)[:MAX_TABLES]]
    plain = [[[row[0], *(plain_number(cell) for cell in row[1:])] for row in rows] for rows in best]
    return [to_csv(rows) for pair in zip(plain, best, strict=True) for rows in pair]


def read_table(text: str, begin: int, first_row: int, end: int) -> tuple[list[str], list[list[str]]]:
    """Return the lines of a table's title and header, and its rows that have a figure."""
    rows = [re.split(r"\s{2,}|\t", line.strip()) for line in re.split(r"[\n\f]", text[first_row:end])]
    return text[begin:first_row].split("\n"), [row for row in rows if any(map(FIGURE_CELL.fullmatch, row[1:]))]


def column_header(above: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the nearest line above with a cell for each column. The label column is called "Item" if it has no
    name.
    """
    width = max(len(row) for row in rows)
    for line in reversed(above):
        cells = re.split(r"\s{2,}|\t", line.strip())
        if len(cells) > 1 and len(cells) in (width, width - 1):
            return [cells if len(cells) == width else ["Item", *cells]]
    return []


def plain_number(cell: str) -> str:
    """Return a figure without currency sign and thousands separators, negative if in parentheses, 0 for a dash."""
    if cell in ("-", "\u2013", "\u2014"):
        return "0"
    if not FIGURE_CELL.fullmatch(cell) or not re.search(r"\d", cell):
        return cell
    bare = re.sub(r"[$\u20ac\u00a3,()\s+]", "", cell)
    return f"-{bare.lstrip('-')}" if "(" in cell or bare.startswith("-") else bare


def to_csv(rows: Sequence[Sequence[object]]) -> str:
    """Return the rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
