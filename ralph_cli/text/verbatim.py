"""Whether words are exactly those of quotes; code decides this. Pure."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence

from ralph_cli.text.fold import fold

_FIGURE = re.compile(r"[-+]?\d(?:[\d.,]*\d)?%?")
_MARK = re.compile(r"^\s*(?:[-*+>\u2022]\s+|#{1,6}\s+|\(?\d{1,3}[.)]\s+)*")
_PAGE = re.compile(r"\s*\(p\. \d+\)\s*$")
_MOST_NAMED = 8
_UNJUDGED = "and no model judged what it means"


def departure(claim: str, quotes: Sequence[str]) -> str:
    """Return why a claim is not one of its quotes word for word; empty if it is.

    White space and typography are folded.
    """
    text, sources = _flat(claim), [_flat(quote) for quote in quotes]
    if not text:
        return "the claim is empty"
    if not any(sources):
        return "the claim has no quote"
    figures = {figure for source in sources for figure in _FIGURE.findall(source)}
    if strange := [figure for figure in _FIGURE.findall(text) if figure not in figures]:
        return f"in no quote: {', '.join(strange)}"
    return "" if text in sources else f"the claim is not word for word one of its quotes, {_UNJUDGED}"


def unquoted_parts(output: str, kind: str, quotes: Sequence[str]) -> list[str]:
    """Return the parts of an output in the format `kind` ("json", "csv", else lines) that are not exactly in a
    quote.
    """
    sources = [_flat(quote) for quote in quotes]
    parts = [(place, _flat(text)) for place, text in _parts(output, kind) if text]
    strange = [place for place, words in parts if not any(words in source for source in sources)]
    return [f"{place} is not word for word a quote, {_UNJUDGED}" for place in strange[:_MOST_NAMED]]


def strip_marks(line: str) -> str:
    """Return a line without list or heading marks before it, and without the page reference after it."""
    return _PAGE.sub("", _MARK.sub("", line)).strip()


def _flat(text: str) -> str:
    return fold(text).text.strip()


def _parts(output: str, kind: str) -> list[tuple[str, str]]:
    """Return the words of the output piece by piece, with positions; page numbers are skipped."""
    try:
        if kind == "json":
            return [(f"the value at {path}", text) for path, text in _leaves(json.loads(output), "$")]
        if kind == "csv":
            rows = list(csv.DictReader(io.StringIO(output)))
            cells = [(number, *cell) for number, row in enumerate(rows, 1) for cell in row.items()]
            return [(f"row {row}, column {name!r}", str(cell)) for row, name, cell in cells if name != "page"]
    except ValueError:
        pass
    return [(f"line {number}", strip_marks(line)) for number, line in enumerate(output.splitlines(), 1)]


def _leaves(value: object, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            for name, item in value.items():
                if name != "page":
                    yield from _leaves(item, f"{path}.{name}")
        case list():
            for number, item in enumerate(value):
                yield from _leaves(item, f"{path}[{number}]")
        case None:
            pass
        case _:
            yield path, str(value)
