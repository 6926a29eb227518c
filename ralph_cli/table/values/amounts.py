"""Read the number, or the amount of money, that a statement gives in the wanted unit."""

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from ralph_cli.core.results.table import TableQuestion, Value
from ralph_cli.table.values.figures import Figure, distinct, drop_repetitions, fits, is_exact, read_figures, read_unit
from ralph_cli.table.values.surroundings import describe_several, hedge_of, problem_of
from ralph_cli.table.values.writing import write_amount, write_measure

# The scales in which a question may want its figures, by the power of ten.
_SCALES = {3: "thousands?|000s?", 6: "millions?|mn|mln|mio|[€$£]m", 9: "billions?|mrd|bn|[€$£]bn"}

MAX_DIGITS = sys.float_info.dig
_PERCENT = ("%", "percent", "per cent", "pct")


def read_amount(question: TableQuestion, statement: str) -> Value:
    """Return the only figure of a statement with the kind and unit that the question wants, or why there is none.

    Scales are converted, and lengths of time if the conversion is exact by definition: weeks to days, years to months.
    Nothing else is converted. The same amount written twice counts as one.
    """
    wanted = read_unit(question.unit) if question.unit else None
    statement = drop_repetitions(statement)
    figures = read_figures(statement)
    if question.type == "money" or (wanted is not None and wanted.kind == "money"):
        if question.unit and (wanted is None or wanted.kind != "money"):
            return Value(problem=f'the unit "{question.unit}" of the question is no currency that is known')
        money = [figure for figure in figures if figure.kind == "money"]
        found = [taken for figure in money if (taken := _in_currency(figure, wanted)) is not None]
        return _sole(question, statement, found, money or figures)
    if question.unit and wanted is None:
        return _sole(question, statement, _with_literal_unit(statement, question.unit, figures), figures)
    return _sole(question, statement, _fitting(statement, figures, wanted), figures, wanted)


def _in_currency(figure: Figure, wanted: Figure | None) -> Figure | None:
    """Return an amount if it is in the wanted currency. A bare dollar then means the US dollar."""
    if not figure.unit.isalpha() and wanted is not None and figure.base != wanted.base:
        bare = {"$": "USD", "¥": "JPY"}.get(figure.unit)
        figure = figure if bare is None else figure.renamed(bare)
    return figure if wanted is None or fits(figure, wanted, "") else None


def _with_literal_unit(statement: str, unit: str, figures: Sequence[Figure]) -> list[Figure]:
    """Return the numbers before a unit that code knows only by its letters."""
    behind = re.compile(rf"(?i)\s*{re.escape(unit)}(?!\w)")
    return [figure for figure in figures if behind.match(statement, figure.quantity.end)]


def _fitting(statement: str, figures: Sequence[Figure], wanted: Figure | None) -> list[Figure]:
    if wanted is None:
        return [figure for figure in figures if figure.kind != "money"]
    found = [figure for figure in figures if fits(figure, wanted, statement)]
    if found or not figures:
        return found
    # A bare number answers the question if there is no other word, or if the question counts things.
    bare = [figure for figure in figures if figure.quantity.kind == "none" and not figure.quantity.nouns]
    is_alone = len(figures) == 1 and not re.search(r"[^\W\d_]", statement.replace(figures[0].quantity.text, ""))
    return [replace(one, number=one.number * wanted.number) for one in bare if is_alone or wanted.kind == "count"]


def _sole(
    question: TableQuestion,
    statement: str,
    found: Sequence[Figure],
    others: Sequence[Figure],
    wanted: Figure | None = None,
) -> Value:
    """Return the value of the matching figures if they have only one value."""
    kind = "amount of money" if question.type == "money" else "number"
    unit = f" in {question.unit}" if question.unit else ""
    if not found:
        named = f", but {' and '.join(figure.text for figure in others)}" if others else ""
        return Value(problem=f"it names no {kind}{unit}{named}")
    several = distinct(found)
    if len(several) > 1:
        return Value(problem=describe_several(statement, [(one.quantity, one.text) for one in several]))
    figure = several[0]
    if figure.is_doubtful:
        return Value(problem=f"whether {figure.quantity.text} has thousands or decimals cannot be told")
    if figure.quantity.power is None and abs(figure.number) < _wanted_scale(question):
        return Value(problem=f"whether {figure.text} is counted in the unit of the question cannot be told")
    if not figure.is_plain:
        return Value(problem=f'"{figure.quantity.text}" is no plain number')
    if len(figure.quantity.value.as_tuple().digits) > MAX_DIGITS:
        return Value(problem=f"{figure.quantity.text} has more than the {MAX_DIGITS} digits that a value keeps")
    if problem := problem_of(statement, question.question, figure.quantity, figure.text):
        return Value(problem=problem)
    return _value(question, figure, wanted, hedge_of(statement, figure.quantity))


def _wanted_scale(question: TableQuestion) -> int:
    """Return the scale in which a question wants its unit: a million for "USD million" and for "in USD millions"."""
    asked = f"in {question.unit}, {question.question}"
    found = [power for power, words in _SCALES.items() if re.search(rf"(?i)\bin\s+(?:\S+\s+)?(?:{words})\b", asked)]
    return int(10 ** found[0]) if found else 0


def _value(question: TableQuestion, figure: Figure, wanted: Figure | None, hedge: str) -> Value:
    if figure.kind == "money":
        text = write_amount(figure.number, figure.unit)
        return Value(text=hedge + text + figure.per, number=float(figure.number), unit=figure.unit + figure.per)
    if wanted is None:
        is_plain = figure.kind in ("count", "ratio") and not question.unit
        unit = question.unit or ("" if is_plain else figure.unit)
        number = figure.number / figure.scale
        return Value(
            text=hedge + write_measure(number, unit) + figure.per, number=float(number), unit=unit + figure.per
        )
    number = figure.number / wanted.number
    if not is_exact(number):
        return Value(problem=f"{figure.text} are no round number of {question.unit}")
    unit = "%" if question.unit.lower() in _PERCENT else question.unit
    per = "" if wanted.per else figure.per
    singular = wanted.quantity.unit if number == 1 and wanted.kind in ("time", "count") else ""
    return Value(text=hedge + write_measure(number, singular or unit) + per, number=float(number), unit=unit + per)
