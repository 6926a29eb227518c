"""Claims made false by a figure or a time: another digit, magnitude or unit; another year, quarter or order."""

import re
from collections.abc import Iterator
from decimal import Decimal

from ralph_cli.judge_testing.mutate_wording import CONDITION, replace_each, replace_match
from ralph_cli.text.lexicon import UNITS
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities

_MAX_DIGIT_SHIFT = 4
# The digits of a figure that are changed, counted from the left.
_CHANGED_DIGITS = 3

_OTHER_SCALES = {"million": "billion", "billion": "million", "thousand": "million", "trillion": "billion"}


def mutate_numbers(text: str, *, bare: bool = False) -> Iterator[str]:
    """The claim with one figure changed: a digit, a word, or million for billion.

    Bounds, ranges and conditions stay as they are: "more than four" follows from "more than five". So does a number
    without a unit, which may be a name, unless figures are `bare`, as in a table.
    """
    if CONDITION.search(text):
        return
    in_range = False
    for figure in read_quantities(text, "prose"):
        begins_range = figure.last is not None
        if _is_amount(text, figure, bare=bare) and not begins_range and not in_range and not _is_bound(text, figure):
            for wording in (*_figure_variants(figure), *_magnitude_variants(figure)):
                yield text[: figure.start] + wording + text[figure.end :]
        in_range = begins_range


def _is_amount(text: str, figure: Quantity, *, bare: bool) -> bool:
    """Whether a figure says exactly how much or how many of something there are."""
    if figure.wording or abs(figure.value) <= 1:
        return False
    if figure.kind == "count":
        # "Tidemark 4", "14 Castle Row" and "clauses 8, 10 and 12" are names.
        before, after = text[: figure.start], text[figure.end :]
        is_name = re.search(r"\S [A-Z][\w'-]* \Z|\d,? (?:and|or|to)? ?\Z", before) or re.match(r"\s[A-Z]", after)
        return not is_name
    return figure.kind in ("currency", "percent", "points", "duration", "physical") or (bare and figure.kind == "none")


def _is_bound(text: str, figure: Quantity) -> bool:
    """Whether a figure is a bound ("at least 60 days", "within 60 days", "60 days or more")."""
    within = re.search(r"(?i)\b(?:within|until) \S?\Z", text[: figure.start])
    return bool(figure.bound or within or re.match(r"(?: \w+)? or ", text[figure.end :]))


def _amount(figure: Quantity) -> Decimal:
    return abs(figure.value) * Decimal(10) ** (figure.power or 0)


def _figure_variants(figure: Quantity) -> Iterator[str]:
    """Other figures of the same shape."""
    if figure.text.lower() in UNITS:
        yield from _spelled_variants(figure)
        return
    # Of what is "about" a figure a small change would still be true.
    least = _amount(figure) / 10 if figure.approximate else Decimal(0)
    places = [place for place, char in enumerate(figure.text) if char.isdecimal()]
    for number, place in enumerate(places[:_CHANGED_DIGITS]):
        for digit in "123456789" if number == 0 else "0123456789":
            wording = figure.text[:place] + digit + figure.text[place + 1 :]
            found = read_quantities(wording, "prose")
            if not 0 < abs(int(digit) - int(figure.text[place])) <= _MAX_DIGIT_SHIFT or len(found) != 1:
                continue
            is_impossible = figure.kind == "percent" and figure.value <= 100 < found[0].value
            if abs(_amount(found[0]) - _amount(figure)) > least and found[0].value != 1 and not is_impossible:
                yield wording


def _spelled_variants(figure: Quantity) -> Iterator[str]:
    """The numbers in words beside this one: "four" and "six" for "five"."""
    words = list(UNITS)
    value = words.index(figure.text.lower())
    for other in (value - 2, value - 1, value + 1, value + 2):
        if 2 <= other < len(words):
            yield words[other].capitalize() if figure.text[0].isupper() else words[other]


def _magnitude_variants(figure: Quantity) -> Iterator[str]:
    for scale, other in _OTHER_SCALES.items():
        if re.search(rf"\b{scale}\b", figure.text):
            yield figure.text.replace(scale, other)


# What holds for a span of time may also hold for a longer one.
_IN_SPAN = re.compile(r"(?i)\b(?:between|from|through|until|to|after|than)\s+(?:[\w,]+\s){0,4}\Z")

# What happened by a year happened by any later one; what holds since a year holds since any later one.
_SINCE_OR_BY = re.compile(r"(?i)\b(?:by|before|prior to|since)\s+(?:[\w,]+\s){0,4}\Z")

_OTHER_PACES = (
    (r"(each|every|per) year", r"\1 month"),
    (r"(each|every|per) (?:month|quarter)", r"\1 year"),
    ("annually", "monthly"),
)


def mutate_times(text: str) -> Iterator[str]:
    """The claim with another year, quarter or pace, or with "before" for "after"."""
    dates = [figure for figure in read_quantities(text, "prose") if figure.kind == "date"]
    years = {date.date.year for date in dates}
    for date in dates:
        before, after = text[: date.start], text[date.end :]
        year = date.date.year
        if year and str(year) in date.text and not _IN_SPAN.search(before):
            for shift in (-3, -2, -1) if _SINCE_OR_BY.search(before) else (-3, -2, -1, 1, 2):
                if year + shift not in years:
                    yield before + date.text.replace(str(year), str(year + shift)) + after
        for word, other in (("before", "after"), ("after", "before")):
            if before.endswith(f" {word} "):
                yield f"{before[: -len(word) - 1]}{other} {date.text}{after}"
    for match in re.finditer(r"\b(?:first|second|third|fourth)(?=[- ](?:fiscal )?quarter\b)|\bQ[1-4]\b", text):
        others = ("Q1", "Q2", "Q3", "Q4") if match[0].startswith("Q") else ("first", "second", "third", "fourth")
        yield from (replace_match(match, other) for other in others if other not in text)
    for pace, other in _OTHER_PACES:
        yield from replace_each(text, rf"(?<!quarter of )\b{pace}\b", other)
