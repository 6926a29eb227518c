"""Describes what differs between the documents of a table: in words, for the terminal, and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ralph_cli.core.results.table import Comparison, DocumentGroup, Outlier
from ralph_cli.reports.safe_text import Styled, one_line
from ralph_cli.text.lexicon import pluralize

# Values told of a question, names told of a value, and characters of a value; JSON has them all.
MAX_GROUPS, MAX_NAMES, MAX_WIDTH = 12, 8, 100


def comparison_objects(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """An object for each question."""
    return [
        {"question": comparison.question.id, "compared": comparison.compared, "differs": comparison.differs}
        | {name: value for name, value in asdict(comparison).items() if name != "question"}
        for comparison in comparisons
    ]


def comparison_lines(comparisons: Sequence[Comparison]) -> Iterator[list[Styled]]:
    """The differences, question by question, a line at a time."""
    for comparison in comparisons:
        question = comparison.question
        yield []
        yield [(f"{one_line(question.id)}: ", "bold"), (one_line(question.question, MAX_WIDTH), "")]
        yield [(f"  {describe_comparison(comparison)}", "yellow" if comparison.differs else "")]
        yield from _value_lines(comparison)
        for outlier in comparison.outliers:
            where = f"{one_line(outlier.row)}: {one_line(outlier.text, MAX_WIDTH)}"
            yield [("  outlier: ", "yellow"), (f"{where}, {one_line(describe_outlier(outlier), MAX_WIDTH)}", "")]
        for group in comparison.units:
            unit = one_line(group.text) or "no unit"
            yield [("  not compared with other units: ", "yellow"), (f"{unit}: {_names(group.rows)}", "")]
        if comparison.silent:
            yield [("  do not say it: ", ""), (_names(comparison.silent), "")]
        for group in comparison.unusable:
            yield [("  no usable answer: ", "yellow"), (f"{_names(group.rows)}: {one_line(group.text, MAX_WIDTH)}", "")]


def describe_outlier(outlier: Outlier) -> str:
    """The distance of an outlier from the others, in words."""
    return f"far {'above' if outlier.score > 0 else 'below'} the median, {outlier.median}"


def describe_comparison(comparison: Comparison) -> str:
    """The number of different values, in words."""
    if not comparison.compared:
        return "no document has a value"
    documents = pluralize(comparison.compared, "document")
    if comparison.question.type == "list":
        items = pluralize(len(comparison.values), "item")
        return f"{items} in {documents}" + ("" if comparison.differs else ", the same in all")
    if comparison.compared == 1:
        return "one document has a value"
    if not comparison.differs:
        return f"the same in all {documents} that say it"
    return f"{len(comparison.values):,} different values in {documents}"


def compared_rows(comparisons: Sequence[Comparison]) -> Iterator[tuple[Comparison, str, str, tuple[str, ...]]]:
    """The differences as rows: the comparison, the kind of difference, its text, and its documents.

    Values come first, the most frequent first; then outliers, units that are not compared, and documents without a
    value.
    """
    for comparison in comparisons:
        for group in comparison.values:
            yield comparison, "value", group.text, group.rows
            if group.lacking:
                yield comparison, "not in the list of", group.text, group.lacking
        for outlier in comparison.outliers:
            yield comparison, "outlier", f"{outlier.text}, {describe_outlier(outlier)}", (outlier.row,)
        for group in comparison.units:
            yield comparison, "not compared with other units", group.text or "no unit", group.rows
        if comparison.silent:
            yield comparison, "do not say it", "", comparison.silent
        for group in comparison.unusable:
            yield comparison, "no usable answer", group.text, group.rows


def _value_lines(comparison: Comparison) -> Iterator[list[Styled]]:
    for group in comparison.values[:MAX_GROUPS]:
        yield [
            (f"{len(group.rows):>7,}  ", ""),
            (one_line(group.text, MAX_WIDTH), "bold"),
            (f"  {_where(group)}", "dim"),
        ]
    if (more := len(comparison.values) - MAX_GROUPS) > 0:
        yield [(f"         and {more:,} more, each in no more documents than these; --json has them all", "dim")]


def _where(group: DocumentGroup) -> str:
    lacking = f"; not in {_names(group.lacking)}" if group.lacking else ""
    return _names(group.rows) + lacking


def _names(rows: Sequence[str]) -> str:
    named = ", ".join(one_line(row, MAX_WIDTH) for row in rows[:MAX_NAMES])
    more = len(rows) - MAX_NAMES
    return f"{named} and {more:,} more" if more > 0 else named
