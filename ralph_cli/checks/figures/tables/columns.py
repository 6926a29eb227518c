"""Which cells of the lines above a row of a table name its cells. Pure.

Cells stand two spaces, a tab or a bar apart. The lines above a table's first row of amounts name its columns: in
Markdown cell by cell, where lines are laid out by what stands below what, else by their number from the right.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ralph_cli.core.deferred import re

_APART = re.compile(r"[^|\t]*?[^|\t\s](?=\s*\||\t| {2,}|\s*\Z)")
_SIGNS = re.compile(r"[$\u20ac\u00a3\u00a5%() ]+")
_AMOUNT = re.compile(
    r"(?:[-\u2010-\u2015\u2212+(\s$\u20ac\u00a3\u00a5]*\d[\d.,']*[\s%)*\u00b2\u00b3\u00b9]*)+|[-\u2010-\u2015\u2212]"
)
_YEARS = re.compile(
    r"\D*(?:19|20)\d\d(?:[-/\u2013]\d\d)?\D*|\d{1,2}[./]\d{1,2}[./](?:\d\d){1,2}|(?:19|20)\d\d-\d\d-\d\d"
)
_FIGURE = re.compile(r"[-\u2212]?[$\u20ac\u00a3\u00a5(]*\s?\d[\d.,]*[%)]*|(?<=\s)[-\u2010-\u2015](?=\s|\Z)")
_WIDE = re.compile(r"\S {3,}\S")
_RULE = re.compile(r"[\s|:=+_\u2500-]+")
_MOST_WORDS = 8
_MOST_OF_NAME = 3
"""Digits of a number that may name a column: "737", "Year 1"."""

_PLAIN = frozenset(".,$\u20ac\u00a3\u00a5%(")
_CHANGE = re.compile(r"(?i)\b(?:19|20)\d\d\b.*\b(?:19|20)\d\d\b|\bchange|\bvariance|\bincrease")
"""What names the cells of an amount and of a percentage."""


class NamedCell(NamedTuple):
    """A cell at line[start:end] and what the lines above name its column, "" for nothing."""

    start: int
    end: int
    name: str = ""


def split_cells(line: str) -> list[NamedCell]:
    """The cells of a line, signs of currency with the amount behind them; amounts that stand one space apart, too."""
    found = list[NamedCell]()
    for match in _APART.finditer(line):
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        if found and _SIGNS.fullmatch(match[0]):
            if match[0].strip() in ("%", ")", ")%"):
                found[-1] = NamedCell(found[-1].start, match.end())
                continue
        elif found and _SIGNS.fullmatch(line[found[-1].start : found[-1].end]):
            start = found.pop().start
        found.append(NamedCell(start, match.end()))
    if len(found) > 1 or not found:
        return [part for cell in found for part in _split_amounts(line, cell)]
    figures = [NamedCell(*match.span()) for match in _FIGURE.finditer(line)]
    label = line[: figures[0].start] if len(figures) > 1 else ""
    return [NamedCell(0, len(label)), *figures] if label.strip() else figures if len(figures) > 1 else found


def _split_amounts(line: str, cell: NamedCell) -> list[NamedCell]:
    """A cell of several amounts as so many cells: "$ 4,437 $ 982"; another one as it is."""
    text = line[cell.start : cell.end]
    parts = [NamedCell(cell.start + match.start(), cell.start + match.end()) for match in _FIGURE.finditer(text)]
    return parts if len(parts) == len(text.replace("$ ", "$").split()) > 1 and _AMOUNT.fullmatch(text) else [cell]


def find_names(above: Sequence[str], row: str) -> list[str]:
    """The lines that name the columns of a row, of the lines above it, the highest first."""
    found = list[str]()
    for line in reversed(above):
        cells = split_cells(line)
        if _RULE.fullmatch(line):
            if found and len(line.split()) == 1:
                break  # the upper edge of the table
            continue
        if row.lstrip().startswith("|") > line.lstrip().startswith("|"):
            break
        if _is_data(line, cells):
            if found:
                break
        elif len(cells) > 1 or (found and line.startswith(" ") and not row.startswith("|")):
            found.insert(0, line)
        elif found:
            if len(line.split()) <= _MOST_WORDS:
                found.insert(0, line)
            break
    return found


def _is_data(line: str, cells: Sequence[NamedCell]) -> bool:
    """Whether a line has amounts in cells behind a label, or amounts that are more than a number of a name."""
    texts = [line[cell.start : cell.end] for cell in cells]
    amounts = [text for text in texts if _AMOUNT.fullmatch(text) and not _YEARS.fullmatch(text.strip())]
    has_label = any(map(str.isalpha, texts[0])) if texts else False
    large = (sum(map(str.isdecimal, text)) > _MOST_OF_NAME or not _PLAIN.isdisjoint(text) for text in amounts)
    return len(texts) > 1 and (any(large) or (has_label and bool(amounts)))


def name_cells(lines: Sequence[str], row: str) -> list[NamedCell]:
    """The cells of a row, each with its name in these lines."""
    cells = split_cells(row)
    if len(cells) < 2:
        return cells
    has_label = any(map(str.isalpha, row[cells[0].start : cells[0].end]))
    data = cells[has_label:]
    names = [""] * len(data)
    for line in lines:
        for number, name in enumerate(_names_in_line(line, row, data)):
            names[number] = f"{names[number]} {name}".strip()
    return [*cells[:has_label], *(cell._replace(name=name) for cell, name in zip(data, names, strict=True))]


def _names_in_line(line: str, row: str, data: Sequence[NamedCell]) -> list[str]:
    """What a line names each of the cells of a row that have no label."""
    if "|" in row:
        texts = line.split("|")
        columns = [row.count("|", 0, cell.start) for cell in data]
        return [texts[column].strip() if column < len(texts) else "" for column in columns]
    heads, count = split_cells(line), len(data)
    texts = [line[head.start : head.end] for head in heads]
    if len(heads) == 1 and not line.startswith(" "):
        return texts * count
    if _WIDE.search(row):
        return [_below(line, heads, cell) for cell in data]
    if len(heads) in (count, count + 1):
        return texts[-count:]
    for several in (texts, texts[1:]):
        changes = sum(map(bool, map(_CHANGE.search, several)))
        if changes and len(several) + changes == count:
            return [text for text in several for _ in range(1 + bool(_CHANGE.search(text)))]
        if several and count % len(several) == 0:
            return [text for text in several for _ in range(count // len(several))]
    return [""] * count


def _below(line: str, heads: Sequence[NamedCell], cell: NamedCell) -> str:
    """The head below which a cell stands: that over which it reaches, else the nearest within its own width."""

    def apart(head: NamedCell) -> int:
        return max(head.start - cell.end, cell.start - head.end)

    nearest = min(heads, key=lambda head: (max(apart(head), 0), abs(head.end - cell.end)), default=None)
    return line[nearest.start : nearest.end] if nearest and apart(nearest) <= cell.end - cell.start else ""
