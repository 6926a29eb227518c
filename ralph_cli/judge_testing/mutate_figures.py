"""Claims made false by a figure or a time: another digit, magnitude or unit; another year, quarter or order."""

import re
from collections.abc import Iterator
from decimal import Decimal

from ralph_cli.judge_testing.mutate_wording import replace_each, replace_match
from ralph_cli.text.lexicon import TENS, UNITS
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities

_NAMED = re.compile(
    r"(?i)\b(?:notes?|sections?|clauses?|pages?|items?|rules?|forms?|schedules?|exhibits?|parts?|articles?|topics?"
    r"|levels?|tiers?|phases?|series|chapters?|nos?\.?|numbers?|paragraphs?|annex|priority|class|types?|versions?"
    r"|figures?|tables?|scopes?|unit|room|column|step)\s+(?:[\d.()a-z]+\s*(?:,|and|or|to)\s*)*$"
)
_BOUND_BEFORE = re.compile(
    r"(?i)(?:more than|over|at least|exceed(?:s|ed|ing)?|in excess of|minimum of|less than|no fewer than|greater than"
    r"|above|until|later than|fewer than|up to|under|below|at most|maximum of|within|as much as|lower than|nearly"
    r"|almost|a further)\s+[$\u20ac\u00a3]?\s*$"
)
_BOUND_BEHIND = re.compile(r"(?:\s\w+)? or (?:more|greater|longer|older|above|less|fewer|below|under|lower)")
_CONDITION = re.compile(
    r"(?i)\b(?:only if|if|when|unless|provided that|so long as|as long as|whenever|except|other than|subject to)\b"
)
_HEDGED = re.compile(
    r"(?i)\b(?:about|approximately|around|nearly|almost|roughly|some|over|more than)\s+[$\u20ac\u00a3]?\s*$"
)
_RATES = ("percent", "points")
_SCALES = (("million", "billion"), ("billion", "million"), ("thousand", "million"), ("trillion", "billion"))
_YEAR = re.compile(
    r"(?<![\d$\u20ac\u00a3.,/-])(?:19[5-9]|20[0-4])\d(?![\d%/-]|[.,]\d| (?:million|billion|shares|people))"
)


def mutate_numbers(text: str) -> Iterator[str]:
    """The claim with one figure changed: a digit, a word, or million for billion.

    Bounds and conditions are left alone: "more than four" follows from "more than five".
    """
    if _CONDITION.search(text):
        return
    for figure in _read_figures(text):
        before, after = text[: figure.start], text[figure.end :]
        if _is_no_quantity(text, figure) or _BOUND_BEFORE.search(before) or _BOUND_BEHIND.match(after):
            continue
        for wording in (*_figure_variants(before, figure), *_magnitude_variants(figure)):
            yield before + wording + after


def _read_figures(text: str) -> list[Quantity]:
    found = read_quantities(text, "prose")
    return [figure for figure in found if figure.is_measured and figure.kind != "ordinal" and not figure.worded]


def _amount(figure: Quantity) -> Decimal:
    return abs(figure.value) * Decimal(10) ** (figure.power or 0)


def _is_spelled(figure: Quantity) -> bool:
    return figure.text[0].isalpha() and not re.search(r"\d", figure.text.partition("(")[0])


def _is_no_quantity(text: str, figure: Quantity) -> bool:
    """Whether a figure is a part of a name, a reference, a year or a time of day, and no quantity."""
    before, after = text[: figure.start], text[figure.end :]
    if _YEAR.match(text, figure.start) or figure.value == 0:
        return True
    if re.match(
        r"[-\u2013:/]\w|\w|\s*\(\d|\s+(?:and|or|to)\s+[$\u20ac\u00a3]?\d|[-\s](?:thirds?|halves|quarters of)", after
    ):
        return True
    if re.search(r"[-:/.#]$|\w\s*\($|(?i:\bbetween\s)[^.]*$|\d\s*(?:to|and|or|,|\u2013)\s*[$\u20ac\u00a3]?$", before):
        return True
    counted = figure.kind in ("none", "count") and figure.power is None and figure.value <= 2
    if (_is_spelled(figure) and counted) or figure.value == 1:
        return True
    word = re.search(r"([A-Za-z][\w.&'\u2019-]*)\s+[$\u20ac\u00a3]?$", before)
    proper = word and word[1][0].isupper() and word.start() > 0
    return bool(proper or _NAMED.search(before))


def _figure_variants(before: str, figure: Quantity) -> Iterator[str]:
    """Other figures of the same shape; `before` is the text in front of this one."""
    if _is_spelled(figure):
        yield from _spelled_variants(figure)
        return
    places = [place for place, char in enumerate(figure.text) if char.isdecimal()]
    least = _amount(figure) * Decimal("0.1") if _HEDGED.search(before) else Decimal(0)
    for number, place in enumerate(places[:3]):
        for digit in "123456789" if number == 0 else "0123456789":
            if abs(int(digit) - int(figure.text[place])) not in (1, 2, 3, 4):
                continue
            wording = figure.text[:place] + digit + figure.text[place + 1 :]
            found = _read_figures(wording)
            if len(found) != 1 or found[0].value == 1 or abs(_amount(found[0]) - _amount(figure)) <= least:
                continue
            if not (figure.kind in _RATES and figure.value <= 100 < found[0].value):
                yield wording


def _spelled_variants(figure: Quantity) -> Iterator[str]:
    """The numbers in words that are next to this one: "four" and "six" for "five"."""
    words = list(UNITS)
    value = words.index(figure.text.lower()) if figure.text.lower() in words else 0
    for other in (value - 2, value - 1, value + 1, value + 2) if value else ():
        if 2 <= other < len(words):
            yield words[other].capitalize() if figure.text[0].isupper() else words[other]


def _magnitude_variants(figure: Quantity) -> Iterator[str]:
    for scale, other in _SCALES:
        wording = re.sub(rf"\b{scale}\b", other, figure.text)
        if wording != figure.text and _read_figures(wording):
            yield wording


# Time

_QUARTERS = ("first", "second", "third", "fourth")
_BEHIND = r"\s+(?:[\w,]+\s){0,4}$"
_OPEN_SPAN = re.compile(rf"(?i)\b(?:between|through|until|after|to|and|later than){_BEHIND}")
_SPAN_END = re.compile(r"(?i)\b(?:to|and) $")
_SINCE_OR_BY = re.compile(rf"(?i)\b(?:by|before|prior to|since|from){_BEHIND}")
"""What happened by a year happened by any later one, and what holds since a year holds since any later one."""

_COUNTED = "|".join((*UNITS, *TENS))
_TIME = re.compile(rf"\s+(?!(?:that|it|this|them|about|approximately|more|less|{_COUNTED})\b)[^\W\d]")
_NOT_TIME = re.compile(
    r"\s+(?:income|tax|taxes|provision|interest|amorti[sz]ation|depreciation|deduct\w*|giving|consider\w*|taking"
    r"|adjust\w*|the effect|eliminat\w*|allow\w*|discount\w*|reclass\w*|minority|non)"
)
_PACE_SWAPS = (
    *(("each year", "each month"), ("each month", "each year"), ("each quarter", "each year")),
    *(("every year", "every month"), ("a year", "a month"), ("per year", "per month"), ("once a day", "once a week")),
    *(("annually", "monthly"), ("monthly", "yearly"), ("quarterly", "yearly")),
)


def mutate_times(text: str) -> Iterator[str]:
    """The claim with another year, quarter or pace, or with "before" for "after"."""
    years = {int(match[0]) for match in _YEAR.finditer(text)}
    for match in _YEAR.finditer(text):
        before = text[: match.start()]
        if _OPEN_SPAN.search(before) and (_has_span(before) or not _SPAN_END.search(before)):
            continue  # a longer span holds what a shorter one does
        for shift in (-3, -2, -1) if _SINCE_OR_BY.search(before) else (-3, -2, -1, 1, 2):
            other = int(match[0]) + shift
            if other not in years and not (min(years) < other < max(years) and _has_span(text)):
                yield replace_match(match, str(other))
    yield from _mutate_quarters_and_order(text)


def _has_span(text: str) -> bool:
    return bool(re.search(r"(?i)\b(?:from|between)\b", text))


def _mutate_quarters_and_order(text: str) -> Iterator[str]:
    """Other quarters and halves, orders and paces."""
    for match in re.finditer(r"\b(first|second|third|fourth)(?=[- ](?:fiscal )?quarter\b)", text):
        for other in _QUARTERS:
            if other not in text.lower():
                yield replace_match(match, other)
    for match in re.finditer(r"\bQ[1-4]\b", text):
        yield from (replace_match(match, f"Q{n}") for n in range(1, 5) if f"Q{n}" not in text)
    for word, other in (("before", "after"), ("after", "before"), ("prior to", "after")):
        for match in re.finditer(rf"(?<![-\w]){word}(?![-\w])", text):
            before, after = text[: match.start()], text[match.end() :]
            if word == "after" and re.search(r"(?i)\b(?:until|at least|within)\b", before):
                continue  # what lasts longer lasts that long, too
            if _TIME.match(after) and not _NOT_TIME.match(after):
                yield replace_match(match, other)
    for word, other in _PACE_SWAPS:
        yield from replace_each(text, rf"(?<!quarter of )\b{word}\b", other)
