"""Compares the documents of a table by their typed values; no model is asked."""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from statistics import fmean, median

from ralph_cli.core.results.table import (
    Cell,
    CellState,
    Comparison,
    DocumentGroup,
    Outlier,
    Table,
    TableQuestion,
    Value,
)
from ralph_cli.table.values.writing import write_amount, write_measure
from ralph_cli.text.fold import fold

# The fewest values among which an outlier can be found.
MIN_VALUES = 5

# The modified z-score beyond which a value is an outlier, as its authors recommend.
MAX_SCORE = 3.5

# The median deviation of normally distributed values, in standard deviations.
_NORMAL_MAD = 0.6745

# The standard deviation of normally distributed values, in mean deviations.
_NORMAL_MEAN = 1.253314


def compare_table(table: Table) -> tuple[Comparison, ...]:
    """Return the comparison of each question that is put to each document."""
    rows = [row for row in table.rows if not row.is_set]
    return tuple(
        compare_answers(question, [table.cell(row, question) for row in rows])
        for question in table.questions
        if question.each == "document"
    )


def compare_answers(question: TableQuestion, cells: Sequence[Cell]) -> Comparison:
    """Compare the answers to a question. Texts are compared only as equal or different."""
    values: dict[str, Value] = {}
    reasons: list[tuple[str, str]] = []
    for cell in cells:
        value = _value(question, cell)
        if value is not None and not value.problem:
            values[cell.row] = value
        elif cell.state is not CellState.ABSENT:
            reasons.append((f"no value: {value.problem}" if value is not None else _reason(cell), cell.row))
    return Comparison(
        question=question,
        values=_items(values) if question.type == "list" else _group((it.text, row) for row, it in values.items()),
        outliers=tuple(_outliers(question, values)),
        silent=tuple(cell.row for cell in cells if cell.state is CellState.ABSENT),
        unusable=_group(reasons),
        units=_units(values),
    )


def score_values(values: Sequence[float]) -> list[float]:
    """Return the modified z-score of each value, its distance from the median; all 0 for fewer than `MIN_VALUES`
    values.

    The deviation from the median is divided by the median of all deviations, which outliers do not move: B. Iglewicz
    and D. C. Hoaglin, How to Detect and Handle Outliers (ASQC Quality Press, 1993). If that is 0, because more than
    half of the values are equal, the mean of the deviations is used, as in IBM Cognos Analytics.
    """
    middle = median(values) if values else 0.0
    deviations = [abs(value - middle) for value in values]
    if len(values) < MIN_VALUES or not any(deviations):
        return [0.0] * len(values)
    scale = median(deviations) / _NORMAL_MAD or fmean(deviations) * _NORMAL_MEAN
    return [(value - middle) / scale for value in values]


def _value(question: TableQuestion, cell: Cell) -> Value | None:
    """Return the value of a cell for comparison; None if the cell has no accepted answer."""
    if cell.state not in (CellState.ANSWERED, CellState.QUALIFIED):
        return None
    if question.type == "text":
        return Value(text=cell.answer)
    return cell.value or Value(problem="it was not read")


def _reason(cell: Cell) -> str:
    return cell.reason or cell.state.value


def _group(pairs: Iterable[tuple[str, str]]) -> tuple[DocumentGroup, ...]:
    """Return the rows by their text, the most frequent first, in the spelling of the first row."""
    texts: dict[str, str] = {}
    rows: dict[str, list[str]] = {}
    for text, row in pairs:
        key = _key(text)
        texts.setdefault(key, text)
        rows.setdefault(key, []).append(row)
    groups = [DocumentGroup(texts[key], tuple(named)) for key, named in rows.items()]
    return tuple(sorted(groups, key=lambda group: -len(group.rows)))


def _key(text: str) -> str:
    """Return the text in a form that is equal for equal words."""
    return " ".join(fold(text).text.casefold().split()).rstrip(".")


def _items(values: dict[str, Value]) -> tuple[DocumentGroup, ...]:
    groups = _group((item, row) for row, value in values.items() for item in value.items)
    return tuple(
        DocumentGroup(group.text, group.rows, tuple(row for row in values if row not in group.rows)) for group in groups
    )


def _units(values: dict[str, Value]) -> tuple[DocumentGroup, ...]:
    groups = _group((value.unit, row) for row, value in values.items() if value.number is not None)
    return groups if len(groups) > 1 else ()


def _outliers(question: TableQuestion, values: dict[str, Value]) -> Iterable[Outlier]:
    """Return the values far from the others of the same unit, the farthest first."""
    by_unit: dict[str, dict[str, float]] = {}
    for row, value in values.items():
        number = _day(value) if value.number is None else value.number
        if number is not None:
            by_unit.setdefault("" if value.number is None else value.unit, {})[row] = number
    found = []
    for numbers in by_unit.values():
        for row, score in zip(numbers, score_values(list(numbers.values())), strict=True):
            if abs(score) > MAX_SCORE:
                middle = _write(question, values[row].unit, median(numbers.values()))
                found.append(Outlier(row, values[row].text, middle, score))
    return sorted(found, key=lambda outlier: -abs(outlier.score))


def _day(value: Value) -> float | None:
    """Return the day of a date as a number; None if the value is not a date or has no day."""
    try:
        return date.fromisoformat(value.text.removeprefix(f"{value.hedge} ")).toordinal()
    except ValueError:
        return None


def _write(question: TableQuestion, unit: str, number: float) -> str:
    """Return a number in the form of a question's values."""
    if question.type == "date":
        return date.fromordinal(int(number)).isoformat()
    unit, per, what = unit.partition(" per ")
    write = write_amount if question.type == "money" else write_measure
    return write(Decimal(str(number)), unit) + per + what
