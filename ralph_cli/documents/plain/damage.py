"""Where a file that is named as JSON or CSV stops being it: plain text has no other sign of damage."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath

from ralph_cli.core.document import Caution
from ralph_cli.text.plural import pluralize

_JSON_SUFFIXES = frozenset([".json", ".ipynb", ".geojson"])
_CSV_SUFFIXES = frozenset([".csv", ".tsv"])
_LONGEST = 5_000_000
"""Characters that are looked through: as Python's objects they take many times their room."""

_LEAST_ROWS = 4
_SAME_SHARE = 0.9
"""Rows from which most have as many cells as the others, and their share: only then another one stands out."""


def find_damage(text: str, name: str) -> Iterator[Caution]:
    """What is wrong with a text under this file name, if it is named as JSON or CSV."""
    suffix = PurePath(name).suffix.lower()
    if len(text) > _LONGEST:
        return
    what = ""
    if suffix in _JSON_SUFFIXES:
        what = _describe_bad_json(text)
    elif suffix in _CSV_SUFFIXES:
        what = _describe_bad_csv(text, "\t" if suffix == ".tsv" else _delimiter(text))
    if what:
        yield Caution("incomplete", f"{what}: the file may be cut off or damaged")


def _describe_bad_json(text: str) -> str:
    """Where a text stops being JSON (RFC 8259)."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"no valid JSON from line {error.lineno:,}, column {error.colno:,}"
    except (RecursionError, ValueError):
        return ""  # nested too deeply, or with too long a number, for Python: nothing is known
    return ""


def _describe_bad_csv(text: str, delimiter: str) -> str:
    """Where quotes are not closed, or a row has not as many cells as nearly all others (RFC 4180).

    A row of one cell is a title or a note.
    """
    rows: list[tuple[int, int]] = []
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    begin = 1
    try:
        for row in reader:
            if any(row):
                rows.append((begin, len(row)))
            begin = reader.line_num + 1
    except csv.Error as error:
        # Anything else that is wrong is a matter of size.
        return f"quotation marks of the row in line {begin:,} do not match" if _is_of_quotes(error) else ""
    widths = Counter(width for _, width in rows)
    usual, count = widths.most_common(1)[0] if rows else (0, 0)
    if usual < 2 or len(rows) < _LEAST_ROWS or count < min(_SAME_SHARE * len(rows), len(rows) - 1):
        return ""
    for line, width in rows:
        if width not in (1, usual) or (width != usual and line == rows[-1][0] and not text.endswith("\n")):
            return f"the row in line {line:,} has {pluralize(width, 'cell')} where others have {usual:,}"
    return ""


def _is_of_quotes(error: csv.Error) -> bool:
    return "unexpected end" in str(error) or "expected after" in str(error)


def _delimiter(text: str) -> str:
    """What parts the cells: the sign that is most frequent in the first line."""
    first = text.lstrip("\n").partition("\n")[0]
    return max(",;\t", key=first.count)
