"""Records of a table in plain text (RFC 4180): where they and their cells are, and what parts them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

_QUOTED = re.compile(r' *"((?:[^"]++|"")*+)"')
_SEPARATOR_LINE = re.compile(r"sep=(.)\n", re.IGNORECASE)
_DELIMITERS = "\t;|,"
_SAMPLE_CHARACTERS, _SAMPLE_RECORDS = 1 << 17, 200
_LEAST_SHARE, _SURE_SHARE = 0.6, 0.9
_MOST_UNSOUND = 100
"""Rows whose quotation marks do not match, behind which none is believed."""


@dataclass(slots=True)
class Record:
    """A row of a table, text[start:end], and where its cells are, without quotation marks and blanks around them."""

    start: int
    end: int
    cells: list[tuple[int, int]]
    is_sound: bool = True
    """Whether its quotation marks match."""

    @property
    def is_blank(self) -> bool:
        """Whether no cell has anything in it."""
        return all(start == end for start, end in self.cells)


def find_delimiter(text: str, suffix: str) -> str:
    """What parts the cells: what a first line "sep=;" says, as Excel writes it, or else what makes rows of equal width.

    "" if nothing does. A comma comes last, for it may be that of decimals.
    """
    if named := _SEPARATOR_LINE.match(text):
        return named[1]
    shares: dict[str, float] = {}
    for delimiter in _DELIMITERS:
        sample = list(islice(read_records(text[:_SAMPLE_CHARACTERS], delimiter), _SAMPLE_RECORDS))
        widths = Counter(len(record.cells) for record in sample if not record.is_blank)
        several = [(count, width) for width, count in widths.items() if width > 1]
        if several:
            shares[delimiter] = max(several)[0] / widths.total()
    if suffix in (".tsv", ".tab") and shares.get("\t", 0) >= _LEAST_SHARE:
        return "\t"
    sure = next((delimiter for delimiter, share in shares.items() if share >= _SURE_SHARE), "")
    best = max(shares, key=lambda each: shares[each], default="")
    return sure or (best if shares.get(best, 0) >= _LEAST_SHARE else "")


def read_records(text: str, delimiter: str) -> Iterator[Record]:
    """The records of a text in their order, blank ones among them; a line that only names the delimiter is none.

    A cell in quotation marks may hold delimiters and line ends. A mark that is never closed is an ordinary character,
    and so are all behind it.
    """
    named = _SEPARATOR_LINE.match(text)
    at = named.end() if named else 0
    unsound = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if unsound >= _MOST_UNSOUND or text.find('"', at, end) < 0:
            record = Record(at, end, _split(text, at, end, delimiter))
        else:
            record, believed = _read_quoted(text, at, delimiter)
            unsound += 0 if record.is_sound else 1 if believed else _MOST_UNSOUND
        yield record
        at = record.end + 1


def _split(text: str, start: int, end: int, delimiter: str) -> list[tuple[int, int]]:
    """The cells of a row without quotation marks."""
    line = text[start:end]
    cells: list[tuple[int, int]] = []
    if " " not in line:
        for cell in line.split(delimiter):
            end = start + len(cell)
            cells.append((start, end))
            start = end + 1
        return cells
    for cell in line.split(delimiter):
        lead = len(cell) - len(cell.lstrip(" "))
        stripped = cell.strip(" ")
        cells.append((start + lead, start + lead + len(stripped)) if stripped else (start, start))
        start += len(cell) + 1
    return cells


@cache
def _field_pattern(delimiter: str) -> "re.Pattern[str]":
    """A cell in quotation marks, or a plain one, with the delimiter, line end or end of text behind it."""
    sign = re.escape(delimiter)
    return re.compile(rf' *+"((?:[^"]++|"")*+)" *+({sign}|\n|\Z)|([^{sign}\n]*+)({sign}|\n|\Z)')


def _read_quoted(text: str, start: int, delimiter: str) -> tuple[Record, bool]:
    """A row with quotation marks, and whether they may still be believed behind it."""
    match = _field_pattern(delimiter).match
    cells: list[tuple[int, int]] = []
    at, is_sound, behind = start, True, delimiter
    while behind == delimiter:
        field = match(text, at)
        assert field is not None  # a plain cell may be empty, and ends with the text
        if field[1] is not None:
            cells.append(field.span(1))
            behind = field[2]
        elif not text[at : field.end(3)].lstrip(" ").startswith('"'):
            cells += _split(text, at, field.end(3), delimiter)
            behind = field[4]
        elif _QUOTED.match(text, at):
            cells.append((at, field.end(3)))
            is_sound, behind = False, field[4]
        else:
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            return Record(start, stop, [*cells, *_split(text, at, stop, delimiter)], False), False
        at = field.end()
    return Record(start, at - len(behind), cells, is_sound), True
