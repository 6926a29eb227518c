"""Calculations with dates: "31 May 2027 - 180 days = 2 December 2026", "1 May 2024 - 1 May 2021 = 3 years". Pure."""

import calendar
import re
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import date, timedelta
from decimal import Decimal

from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.text.quantities.dates import Date, dates
from ralph_cli.text.quantities.figures import figures

_EQUALS = re.compile(r"\s*=\s*")
_STEP = re.compile(
    r"(?i)\s*(?P<sign>[+\u2212\u2013-]|plus\b|minus\b|less\b)\s*(?P<number>\d{1,6}|[a-z]+(?:-[a-z]+)?)\s*(?:\((?:\d+|[a-z-]+)\)\s*)?"
    r"(?P<kind>business|working|trading|banking|calendar|consecutive)?[\s-]*(?P<unit>day|week|month|year)s?\s*"
)
_LENGTH = re.compile(r"\s*(?P<number>\d{1,6})\s*(?:calendar\s+)?(?P<unit>day|week|month|year)s?\s*", re.IGNORECASE)
_MINUS = re.compile(r"(?i)\s*(?:[\u2212\u2013-]|minus|less|to|until)\s*")
_UNCOUNTABLE_DAYS = frozenset(("business", "working", "trading", "banking"))
_FORM_ADVICE = "write a date, what is added or taken away, and the result: 30 June 2024 - 90 days = 1 April 2024"


def evaluate_dates(text: str, source_texts: Iterable[str], is_supported: Callable[[Decimal], bool]) -> str | None:
    """The result of a calculation with dates as it is written there; None if it is none.

    Its date must stand in one of the `source_texts` with day, month and year, its number of days or months be
    borne out; one day needs no source ("the day before"). A month that is too short gives its last day. Raises
    CalculationError.
    """
    found = [one for one in dates(text) if any(None not in meaning for meaning in one.meanings)]
    if not found:
        return None
    sides = _EQUALS.split(text.strip())
    if len(sides) != 2:
        raise CalculationError(_FORM_ADVICE)
    left, right = sides
    start = _leading_date(left)
    if start is not None and not left[start.end :].strip():
        left, right, start = right, left, _leading_date(right)
    if start is None:
        raise CalculationError(_FORM_ADVICE)
    stated = {day for words in source_texts for one in dates(words) for day in _possible_days(one)}
    starts = _stated_days(start, stated)
    rest = left[start.end :]
    if (match := _MINUS.match(rest)) and (other := _leading_date(rest[match.end() :])) is not None:
        return _verify_length(right, starts, _stated_days(other, stated))
    wanted = _leading_date(right)
    if wanted is None or right[wanted.end :].strip(" ."):
        raise CalculationError(_FORM_ADVICE)
    given = [_apply_steps(day, rest, is_supported) for day in starts]
    if not any(day in _possible_days(wanted) for day in given):
        first = given[0]
        computed = f"{first.day} {calendar.month_name[first.month]} {first.year}"
        raise CalculationError(f"it gives {computed}, not {wanted.text}")
    return wanted.text


def _leading_date(text: str) -> Date | None:
    """The date that a text begins with."""
    found = dates(text)
    return found[0] if found and not text[: found[0].start].strip(" (") and _possible_days(found[0]) else None


def _possible_days(written: Date) -> list[date]:
    """The days that a date may mean."""
    days = []
    for year, month, day in written.meanings:
        if year and day and 1 <= year <= 9999 and day <= calendar.monthrange(year, month)[1]:
            days.append(date(year, month, day))
    return days


def _stated_days(written: Date, stated: Set[date]) -> list[date]:
    """The days that a date may mean and that a source states. Raises CalculationError if there are none."""
    days = [day for day in _possible_days(written) if day in stated]
    if not days:
        raise CalculationError(f"its date {written.text} is in no quote of the claim")
    return days


def _apply_steps(day: date, steps: str, is_supported: Callable[[Decimal], bool]) -> date:
    at = 0
    while at < len(steps.rstrip(" )")):
        match = _STEP.match(steps, at)
        if match is None:
            raise CalculationError(_FORM_ADVICE)
        if (match["kind"] or "").lower() in _UNCOUNTABLE_DAYS:
            raise CalculationError(f"{match['kind']} days are not counted here: which days those are is not known")
        number = figures(match["number"])
        if len(number) != 1:
            raise CalculationError(_FORM_ADVICE)
        count, unit = number[0].value, match["unit"].lower()
        if not is_supported(count) and not (count == 1 and unit == "day"):
            raise CalculationError(f"its figure {match['number']} is in no quote of the claim")
        day = _shift_day(day, int(count) * (1 if match["sign"].lower() in ("+", "plus") else -1), unit)
        at = match.end()
    if not at:
        raise CalculationError(_FORM_ADVICE)
    return day


def _shift_day(day: date, count: int, unit: str) -> date:
    try:
        if unit in ("day", "week"):
            return day + timedelta(days=count * (7 if unit == "week" else 1))
        months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
        year, month = months // 12, months % 12 + 1
        return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))
    except (OverflowError, ValueError):
        raise CalculationError("its result is no date") from None


def _verify_length(right: str, starts: Sequence[date], ends: Sequence[date]) -> str:
    """How long it is between two dates, as it is written; both the first and the last day may be counted."""
    match = _LENGTH.fullmatch(right)
    if match is None:
        raise CalculationError("write how long it is: 1 May 2024 - 1 May 2021 = 3 years")
    count, unit = int(match["number"]), match["unit"].lower()
    for one in starts:
        for other in ends:
            first, last = sorted((one, other))
            if any(_shift_day(first, count, unit) == day for day in (last, last + timedelta(days=1))):
                return right.strip()
    first, last = sorted((starts[0], ends[0]))
    raise CalculationError(f"it gives {(last - first).days} days, not {right.strip()}")
