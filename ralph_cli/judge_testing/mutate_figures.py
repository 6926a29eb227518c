"""Claims made false by a figure or a time: another digit, magnitude or unit; another year, month, quarter or order."""

import re
from collections.abc import Iterator
from decimal import Decimal

from ralph_cli.judge_testing.mutate_wording import replace_each, replace_match
from ralph_cli.text.lexicon import MONTHS, NEGATIONS, TENS, UNITS
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities

_NAMED = re.compile(
    r"(?i)\b(?:notes?|sections?|clauses?|pages?|items?|rules?|forms?|schedules?|exhibits?|parts?|articles?|topics?"
    r"|levels?|tiers?|phases?|series|chapters?|nos?\.?|numbers?|paragraphs?|annex|priority|class|types?|versions?"
    r"|figures?|tables?|scopes?|unit|room|column|step)\s+(?:[\d.()a-z]+\s*(?:,|and|or|to)\s*)*$"
)
_LOWER = re.compile(
    r"(?i)(?:more than|over|at least|exceed(?:s|ed|ing)?|in excess of|minimum of|not less than|no less than"
    r"|no fewer than|greater than|above|until)\s*$"
)
_UPPER = re.compile(
    r"(?i)(?:no more than|not more than|no later than|not exceed|no greater than|less than|fewer than|up to|under"
    r"|below|at most|maximum of|within|as much as|lower than|nearly|almost|a further)\s*$"
)
_NEGATIVE = re.compile(rf"(?i)\b(?:{NEGATIONS})\b")
_CONDITION = re.compile(
    r"(?i)\b(?:only if|if|when|unless|provided that|so long as|as long as|whenever|except|other than|subject to)\b"
)
_HEDGED = re.compile(
    r"(?i)\b(?:about|approximately|around|nearly|almost|roughly|some|over|more than)\s+[$\u20ac\u00a3]?\s*$"
)
_CHANGED = re.compile(
    r"(?i)\b(?:increased?|decreased?|rose|fell|grew|up|down|declined?|improved|gained|growth of)"
    r"(?:\s+(?:by|of|to)?(?:\s*(?:about|approximately))?)?\s*$"
)
_RATES = ("percent", "points")
_ONES, _TENS = list(UNITS), list(TENS)
_SCALES = (("million", "billion"), ("billion", "million"), ("thousand", "million"), ("trillion", "billion"))
_YEAR = re.compile(
    r"(?<![\d$\u20ac\u00a3.,/-])(?:19[5-9]|20[0-4])\d(?![\d%/-]|[.,]\d| (?:million|billion|shares|people))"
)


def mutate_numbers(text: str) -> Iterator[str]:
    """The claim with one figure changed: a digit, million for billion, per cent for percentage points."""
    for figure in _read_figures(text):
        if _is_no_quantity(text, figure):
            continue
        way = _direction(text, figure)
        if condition := _condition_word(text, figure.start):
            if way == 0:
                continue  # whether a condition is a stricter one cannot be told from the figure alone
            way = way if condition == "only if" else -way
        for wording, value in (*_figure_variants(text, figure), *_magnitude_variants(figure)):
            if way == 0 or (value > _amount(figure)) == (way > 0):
                yield text[: figure.start] + wording + text[figure.end :]
        yield from _swap_percent_and_points(text, figure)


def _read_figures(text: str) -> list[Quantity]:
    found = read_quantities(text, "prose")
    return [figure for figure in found if figure.is_measured and figure.kind != "ordinal" and not figure.worded]


def _amount(figure: Quantity) -> Decimal:
    return abs(figure.value) * Decimal(10) ** (figure.power or 0)


def _is_spelled(figure: Quantity) -> bool:
    return figure.text[0].isalpha() and not re.search(r"\d", figure.text.partition("(")[0])


def _is_in_date(text: str, at: int) -> bool:
    found = read_quantities(text, "prose")
    return any(date.start <= at < date.end for date in found if date.kind == "date")


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


def _direction(text: str, figure: Quantity) -> int:
    """Which way a figure must be moved so that the claim does not follow from the true one: 1 up, -1 down, 0 any."""
    before = re.sub(r"[$\u20ac\u00a3]\s*$", "", text[: figure.start])
    after = text[figure.end :]
    way = -1 if _UPPER.search(before) else 1 if _LOWER.search(before) else 0
    if re.match(r"(?:\s\w+)? or (?:more|greater|longer|older|above)", after):
        way = 1
    elif re.match(r"(?:\s\w+)? or (?:less|fewer|below|under|lower)", after):
        way = -1
    clause = re.split(r"[,;:]", before)[-1]
    plain = re.sub(r"(?i)\b(?:no|not) (?:more|less|later|fewer|greater) than\s*$|\bnot exceed\s*$", "", clause)
    return -way if _NEGATIVE.search(plain) else way


def _condition_word(text: str, at: int) -> str:
    """The word that makes what stands at `at` a condition; empty if it is none."""
    head = _CONDITION.match(text)
    if head and ", " not in text[:at]:
        return head[0].lower()
    found = [match for match in _CONDITION.finditer(text, 1) if match.end() <= at]
    return found[-1][0].lower() if found and not (head and ", " not in text[: found[-1].start()]) else ""


def _figure_variants(text: str, figure: Quantity) -> Iterator[tuple[str, Decimal]]:
    """Other figures of the same shape, with their values."""
    if _is_spelled(figure):
        yield from _spelled_variants(figure)
        return
    places = [place for place, char in enumerate(figure.text) if char.isdecimal()]
    least = _amount(figure) * Decimal("0.1") if _HEDGED.search(text[: figure.start]) else Decimal(0)
    for number, place in enumerate(places[:3]):
        for digit in "123456789" if number == 0 else "0123456789":
            if abs(int(digit) - int(figure.text[place])) not in (1, 2, 3, 4):
                continue
            wording = figure.text[:place] + digit + figure.text[place + 1 :]
            found = _read_figures(wording)
            if len(found) != 1 or found[0].value == 1 or abs(_amount(found[0]) - _amount(figure)) <= least:
                continue
            if not (figure.kind in _RATES and figure.value <= 100 < found[0].value):
                yield wording, _amount(found[0])


def _spelled_variants(figure: Quantity) -> Iterator[tuple[str, Decimal]]:
    value = int(figure.value)
    if not 2 <= value <= 400 or figure.value != value or figure.power is not None or " percent" in figure.text:
        return
    step = 1 if value <= 20 else 5 if value < 90 else 10
    for other in (value - 2 * step, value - step, value + step, value + 2 * step, value * 2, value // 2):
        if other >= 2 and other != value:
            word = _spell(other)
            yield (word.capitalize() if figure.text[0].isupper() else word), Decimal(other)


def _spell(value: int) -> str:
    if value < 20:
        return _ONES[value]
    if value < 100:
        return _TENS[value // 10 - 2] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    rest = f" and {_spell(value % 100)}" if value % 100 else ""
    return f"{_ONES[value // 100]} hundred{rest}"


def _magnitude_variants(figure: Quantity) -> Iterator[tuple[str, Decimal]]:
    for scale, other in _SCALES:
        wording = re.sub(rf"\b{scale}\b", other, figure.text)
        if wording != figure.text:
            found = _read_figures(wording)
            if found:
                yield wording, _amount(found[0])


def _swap_percent_and_points(text: str, figure: Quantity) -> Iterator[str]:
    """A rise of 5 % made one of 5 percentage points, and the other way round."""
    if figure.kind not in _RATES or _is_spelled(figure):
        return
    before, after = text[: figure.start], text[figure.end :]
    if re.search(r"percentage points?$", figure.text):
        yield before + re.sub(r"\s*percentage points?$", "%", figure.text) + after
    elif _CHANGED.search(before) and not re.search(r"\bto\s*$", before) and not after.startswith((" of", " point")):
        yield before + re.sub(r"\s*(?:%|per\s?cent)$", " percentage points", figure.text) + after


# Time

_MONTHS = [month.capitalize() for month in MONTHS]
_SHORT = ("February", "April", "June", "September", "November")
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_QUARTERS = ("first", "second", "third", "fourth")
_BEHIND = r"\s+(?:[\w,]+\s){0,4}$"
_OPEN_SPAN = re.compile(rf"(?i)\b(?:between|through|until|after|to|and|later than){_BEHIND}")
_SPAN_END = re.compile(r"(?i)\b(?:to|and) $")
_SINCE_OR_BY = re.compile(rf"(?i)\b(?:by|before|prior to|since|from){_BEHIND}")
"""What happened by a year happened by any later one, and what holds since a year holds since any later one."""

_COUNTED = "|".join((*_ONES, *_TENS))
_TIME = re.compile(rf"\s+(?!(?:that|it|this|them|about|approximately|more|less|{_COUNTED})\b)[^\W\d]")
_NO_TIME_BEFORE = re.compile(r"(?i)\b(?:day|year|soon|look\w*|sought|named) $")
_BEFORE_A_COURT = re.compile(r"(?i)\b(?:brings?|brought|come|comes|laid|put|appear\w*|went|goes?|pending)\b[^,;]*$")
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
    """The claim with another year, month, quarter or pace, or with "before" for "after"."""
    years = {int(match[0]) for match in _YEAR.finditer(text)}
    for match in _YEAR.finditer(text):
        before = text[: match.start()]
        if _OPEN_SPAN.search(before) and (_has_span(before) or not _SPAN_END.search(before)):
            continue  # a longer span holds what a shorter one does
        for shift in (-3, -2, -1) if _SINCE_OR_BY.search(before) else (-3, -2, -1, 1, 2):
            other = int(match[0]) + shift
            if other not in years and not (min(years) < other < max(years) and _has_span(text)):
                yield replace_match(match, str(other))
    for match in _MONTH.finditer(text):
        before = text[: match.start()]
        bare = match[0] in ("May", "March") and not _is_in_date(text, match.start())
        if bare or _OPEN_SPAN.search(before) or _SINCE_OR_BY.search(before):
            continue
        for month in _MONTHS:
            long = re.search(r"\b31\b", text) or (month == "February" and re.search(r"\b(?:29|30)\b", text))
            if month not in text and not (long and month in _SHORT):
                yield replace_match(match, month)
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
            if _BEFORE_A_COURT.search(before) or _NO_TIME_BEFORE.search(before) or _NOT_TIME.match(after):
                continue
            if _TIME.match(after):
                yield replace_match(match, other)
    for word, other in _PACE_SWAPS:
        yield from replace_each(text, rf"(?<!quarter of )\b{word}\b", other)
