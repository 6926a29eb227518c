"""Cells of CSV that a spreadsheet reads as text or numbers and never computes."""

import csv
import io
import re

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n", "\r", "＝", "＋", "－", "＠")

_NUMBER = re.compile(r"[+-]?[ ]?[$€£¥]?[ ]?(?:\d[\d,. ]*|\.\d+)(?:[eE][+-]?\d+)?[ ]?%?")
"""A number with a sign: "-5", "+3.1 %", "-$1,234.50", "-1e-3". A spreadsheet reads it as a number, or as text."""


def escape_cell(cell: str) -> str:
    """The cell with an apostrophe before it if a spreadsheet would compute it; a number stays a number.

    OWASP, "CSV Injection": a cell is dangerous when it begins with = + - @, a tab or a line break.
    """
    begins = cell.lstrip(" ")
    return f"'{cell}" if begins.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(begins.rstrip()) else cell


def without_formulas(table: str) -> str:
    """A CSV text in which no cell is a formula; unchanged to the letter if there is none, or if it is no CSV."""
    try:
        rows = list(csv.reader(io.StringIO(table, newline=""), strict=True))
    except csv.Error:
        return table
    safe = [[escape_cell(cell) for cell in row] for row in rows]
    if safe == rows:
        return table
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(safe)
    return out.getvalue()
