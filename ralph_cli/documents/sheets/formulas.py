"""The formulas of a sheet, each listed once with the cells that it fills, and the names of cells."""

import re
from dataclasses import dataclass, field
from functools import cache

_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?([1-9]\d{0,6})")
_QUOTED = r"""("(?:[^"]|"")*"|'(?:[^']|'')*')"""
_PARTS = re.compile(_QUOTED + r"|(?<![A-Za-z0-9_.$])(\$?)([A-Z]{1,3})(\$?)([1-9]\d{0,6})(?![\w(])")
_MOST_FORMULAS, _LONGEST, _MOST_RANGES = 20_000, 300, 3


@dataclass(slots=True)
class _Formula:
    text: str
    ranges: list[list[int]] = field(default_factory=list)
    """First row, first column, last row and last column of each range."""
    open: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    """The range that the next row may extend, by its first and last column."""
    run: list[int] | None = None
    """The range in one row that the next cell may extend."""

    def add(self, row: int, column: int) -> None:
        if self.run and self.run[0] == row and self.run[3] == column - 1:
            self.run[3] = column
        else:
            self.end_run()
            self.run = [row, column, row, column]

    def end_run(self) -> None:
        """Join the range of one row to a range with the same columns that ends in the row above."""
        if self.run is not None:
            row, first, _, last = self.run
            above = self.open.get((first, last))
            if above is not None and above[2] == row - 1:
                above[2] = row
            else:
                self.ranges.append(self.run)
                self.open[first, last] = self.run
            self.run = None


class Formulas:
    """The formulas of one sheet, in the order of their first cells; `unlisted` counts the cells beyond the limit."""

    def __init__(self) -> None:
        self._found: dict[str, _Formula] = {}
        self.unlisted = 0

    def add(self, row: int, column: int, text: str) -> None:
        """Add the formula of one cell, row by row. `row` counts from 1, `column` from 0."""
        key = _relative(text, row, column)
        formula = self._found.get(key)
        if formula is None:
            if len(self._found) >= _MOST_FORMULAS:
                self.unlisted += 1
                return
            formula = self._found[key] = _Formula(text[:_LONGEST])
        formula.add(row, column)

    def add_filled(self, reference: str, text: str) -> None:
        """Add the formula of a whole range."""
        first, _, last = reference.partition(":")
        begin, end = parse_reference(first), parse_reference(last or first)
        if begin and end:
            self._found.setdefault(f"{reference}={text}", _Formula(text[:_LONGEST], [[*begin, *end]]))

    def list_lines(self) -> list[tuple[str, str]]:
        """Return for each formula its first cell, and a line with its cells and its text."""
        for one in self._found.values():
            one.end_run()
        return [(_name(*one.ranges[0][:2]), f"{_cells(one.ranges)}  ={one.text}") for one in self._found.values()]


@cache
def column_name(column: int) -> str:
    """Return the letters of a column, counted from 0."""
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


@cache
def column_number(letters: str) -> int:
    """Return the number of the column with these letters, from 0."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def parse_reference(text: str) -> tuple[int, int] | None:
    """Return row (from 1) and column (from 0) for a cell's name; None if the text is not one."""
    match = _REFERENCE.fullmatch(text)
    return (int(match[2]), column_number(match[1])) if match else None


def _relative(text: str, row: int, column: int) -> str:
    """Return a formula with references relative to its cell, so that filled cells have equal formulas."""

    def measure(match: "re.Match[str]") -> str:
        if match[1]:
            return match[0]
        across = match[3] if match[2] else f"[{column_number(match[3]) - column}]"
        down = match[5] if match[4] else f"[{int(match[5]) - row}]"
        return f"R{down}C{across}"

    return _PARTS.sub(measure, text)


def shift_formula(text: str, down: int, across: int) -> str:
    """Return a formula moved down and across by these numbers of rows and columns."""

    def shift(match: "re.Match[str]") -> str:
        if match[1]:
            return match[0]
        column = match[3] if match[2] else column_name(max(column_number(match[3]) + across, 0))
        return f"{match[2]}{column}{match[4]}{match[5] if match[4] else max(int(match[5]) + down, 1)}"

    return _PARTS.sub(shift, text)


def _cells(ranges: list[list[int]]) -> str:
    ordered = sorted(ranges)
    names = [
        _name(*one[:2]) if one[:2] == one[2:] else f"{_name(*one[:2])}:{_name(*one[2:])}" for one in ordered
    ][:_MOST_RANGES]  # fmt: skip
    more = len(ordered) - _MOST_RANGES
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


def _name(row: int, column: int) -> str:
    return f"{column_name(column)}{row}"
