"""The shape of an output: whether it parses, whether it fits its JSON Schema, and its pieces of text."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal

from ralph_cli.checks.output.schema import violations
from ralph_cli.core.model import Json
from ralph_cli.core.prompts.json_reply import unique_keys

Format = Literal["md", "json", "csv", "text"]

_LABEL_CHARS = 120
_FENCE = re.compile(r"\A```[a-z]*\n(.*)\n```\Z", re.DOTALL)
_RULE = re.compile(r"\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?\s*)?")

# A name with a digit in it: q4, h1, co2, fy24, 3m.
_NAME_WITH_DIGIT = re.compile(r"[A-Za-z]{1,3}\d{1,3}|\d{1,3}[A-Za-z]{1,3}")

# The number that tells a key from others: party_2, day10.
_ORDINAL_END = re.compile(r"(?<=[^\W\d_])[_-]?\d{1,2}")


def key_text(key: str) -> str:
    """The words of a key in which figures are looked up; empty if it has none.

    A name in one piece is taken apart: "rent_9999_usd" says "rent 9999 usd", "clause_6_3" "clause 6.3". A number of one
    or two digits at its end only tells it from other keys, and names such as q4 and co2 are no figures.
    """
    if not re.search(r"[^\W\d_]", key) or re.search(r"\s", key):
        return key if re.search(r"\s|\d", key) else ""
    if (end := _ORDINAL_END.search(key)) and end.end() == len(key):
        return ""
    words = [word for word in re.split(r"[_-]+", key) if not _NAME_WITH_DIGIT.fullmatch(word)]
    text = re.sub(r"\b(\d{1,2}) (?=\d{1,2}\b)", r"\1.", " ".join(words))
    return text if re.search(r"\d", text) else ""


class OutputParseError(ValueError):
    """The output does not parse; the message says where."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an output's text: `label` is its column or key, `where` its place; without one, lines count from
    `line`.

    `is_header` marks the name of a column or key itself; `name` is that name if `text` is only a part of it. `row` has
    the words beside it in a row or an object, `caption` the line above its table. `start` is its offset in the output;
    -1 if it is written otherwise there.
    """

    text: str
    label: str = ""
    where: str = ""
    line: int = 1
    is_header: bool = False
    row: str = ""
    name: str = ""
    caption: str = ""
    start: int = -1

    def place(self, offset: int) -> str:
        """The place of the character at `offset` in the output."""
        return self.where or f"line {self.line + self.text.count(chr(10), 0, offset)}"


def strip_fence(output: str, kind: Format) -> str:
    """The output without white space around it and, if it is data, without one code fence around all of it."""
    output = output.strip()
    match = _FENCE.match(output) if kind in ("json", "csv") else None
    return match[1].strip() if match and "```" not in match[1] else output


def shape_faults(output: str, kind: Format, schema: Json | bool | None) -> tuple[str, ...]:
    """The faults in the shape of an output, each with the path of the wrong value; empty if it is right.

    Raises SchemaCheckError.
    """
    try:
        value = parse_output(output, kind)
    except OutputParseError as error:
        return (str(error),)
    if schema is None:
        return ()
    if kind == "csv" and isinstance(schema, dict):
        value = _convert_cells(value, schema)
    return violations(value, schema)


def parse_output(output: str, kind: Format) -> Any:
    """The value of an output: for JSON its value, for CSV a list of rows by column, else the text itself.

    Raises OutputParseError.
    """
    if kind == "json":
        return _json(output)
    return _rows(output) if kind == "csv" else output


def pieces(output: str, kind: Format) -> tuple[Piece, ...]:
    """The pieces of text in which figures, dates and quotations are looked for. Raises OutputParseError."""
    if kind == "json":
        # Numbers stay as they were written, so that they are found, and named, in that form.
        value = _json(output, as_written=True)
        return tuple(_locate(_json_pieces(value, "$", ""), output))
    if kind == "csv":
        rows = _rows(output)
        heads = [Piece(name, where=f"in the header line, column {name!r}", is_header=True) for name in rows[0]]
        cells = [
            Piece(cell, name, f"row {number}, column {name!r}", row=_short_texts(row.values()))
            for number, row in enumerate(rows, 1)
            for name, cell in row.items()
        ]
        return tuple(_locate((*heads, *cells), output))
    return tuple(_markdown_pieces(output)) if kind == "md" else (Piece(output, start=0),)


def _locate(found: Iterable[Piece], output: str) -> Iterator[Piece]:
    """The pieces of an output in order, each with its offset, if it is written there in the same form."""
    end = 0
    for piece in found:
        match = re.compile(rf"(?<![\w.]){re.escape(piece.text)}(?!\w|\.\d)").search(output, end)
        end = match.end() if match else end
        yield replace(piece, start=match.start() if match else -1)


def _json(output: str, *, as_written: bool = False) -> Any:
    def reject_constant(word: str) -> float:
        raise OutputParseError(f"the output is not JSON: {word} is no JSON number")

    number = {"parse_int": _Number, "parse_float": _Number} if as_written else {}
    try:
        return json.loads(output, object_pairs_hook=unique_keys, parse_constant=reject_constant, **number)  # type: ignore[arg-type]
    except OutputParseError:
        raise
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise OutputParseError(f"the output is not JSON: {error.msg} at {place}") from None
    except (ValueError, RecursionError) as error:
        raise OutputParseError(f"the output is not JSON: {error}") from None


class _Number(str):
    """A number of a JSON text as it was written."""


def _short_texts(values: Iterable[object]) -> str:
    """The short texts beside a figure, such as the label of its row."""
    texts = (value for value in values if isinstance(value, str) and not isinstance(value, _Number))
    return " ".join(text for text in texts if len(text) <= _LABEL_CHARS and re.search(r"[^\W\d]{3}", text))


def _json_pieces(value: object, path: str, label: str, row: str = "") -> Iterator[Piece]:
    match value:
        case dict():
            row = _short_texts(value.values())
            for name, item in value.items():
                if words := key_text(name):
                    yield Piece(words, where=f"in the key {name!r} at {path}", is_header=True, name=name)
                yield from _json_pieces(item, f"{path}.{name}", name, row)
        case list():
            for number, item in enumerate(value):
                yield from _json_pieces(item, f"{path}[{number}]", label, row)
        case str():
            yield Piece(str(value), label, f"at {path}", row=row)


def _rows(output: str) -> list[dict[str, str]]:
    try:
        lines = [row for row in csv.reader(io.StringIO(output, newline=""), strict=True) if row]
    except csv.Error as error:
        raise OutputParseError(f"the output is not CSV: {error}") from None
    for mark, called in ((";", "semicolons"), ("\t", "tabs")):
        counts = {row[0].count(mark) if len(row) == 1 else 0 for row in lines}
        if len(counts) == 1 and counts != {0}:
            raise OutputParseError(f"the columns of the CSV are parted by {called}; part them by commas")
    if len(lines) < 2:
        raise OutputParseError("the output is not CSV with a header line and at least one row")
    names = [name.strip() for name in lines[0]]
    if len(names) != len(set(names)) or not all(names):
        raise OutputParseError("the header line of the CSV must name each column, each once")
    for number, row in enumerate(lines[1:], 1):
        if len(row) != len(names):
            raise OutputParseError(f"row {number} of the CSV has {len(row)} cells, the header line has {len(names)}")
    return [dict(zip(names, (cell.strip() for cell in row), strict=True)) for row in lines[1:]]


def _convert_cells(rows: Sequence[Mapping[str, str]], schema: Json) -> list[dict[str, Any]]:
    """Rows as JSON values: a cell is a number, a boolean or null where the schema of its column wants one."""
    items = schema.get("items", {})
    columns = items.get("properties", {}) if isinstance(items, dict) else {}

    def convert_cell(name: str, cell: str) -> Any:
        column = columns.get(name)
        wanted = column.get("type", "string") if isinstance(column, dict) else "string"
        kinds = wanted if isinstance(wanted, list) else [wanted]
        if cell == "" and "null" in kinds:
            return None
        if {"number", "integer", "boolean"}.isdisjoint(kinds):
            return cell
        try:
            value = json.loads(cell)
        except (ValueError, RecursionError):
            return cell
        return value if isinstance(value, int | float) else cell

    return [{name: convert_cell(name, cell) for name, cell in row.items()} for row in rows]


def _markdown_pieces(output: str) -> Iterator[Piece]:
    """The running text with its tables blanked out, then every cell of a table with its column."""
    lines = output.split("\n")
    tables: list[Piece] = []
    names: list[str] = []
    caption, begin = "", 0
    for number, line in enumerate(output.split("\n")):
        start, begin = begin, begin + len(line) + 1
        if not line.lstrip().startswith("|"):
            names, caption = [], line.strip() or caption
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        lines[number] = " " * len(line)
        if _RULE.fullmatch(line.strip()):
            continue
        row = _short_texts(cells)
        titled = zip_longest(cells, names[: len(cells)], fillvalue="")
        found = [Piece(cell, name, line=number + 1, row=row, caption=caption) for cell, name in titled if cell]
        tables += [replace(it, start=start + it.start) for it in _locate(found, line)]
        names = names or cells
    yield Piece("\n".join(lines), start=0)
    yield from tables
