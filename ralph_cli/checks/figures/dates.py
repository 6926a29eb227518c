"""Compare the dates, periods and durations of a claim with those of its quotes. Pure.

Two dates agree if all fields that both name are equal. The dates that agree must together name every field of the
claim's date: "Q4 2022" agrees with "three months ended December 31" in one quote and 2022 in another.
"""

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date as Day
from datetime import timedelta
from decimal import Decimal
from itertools import combinations, product

from ralph_cli.checks.figures.candidates import Candidate
from ralph_cli.checks.figures.match import MONTHS_IN, SECONDS_IN
from ralph_cli.text.quantities.quantity import Date, Quantity

_FIELDS = ("year", "month", "day", "part of a year", "length of the period")
_YEAR, _MONTH, _DAY, _PART, _LENGTH = range(5)
_MAX_YEAR = 9999
# Dates, and durations, that are combined with each other.
_MOST_TERMS = 20


@dataclass(frozen=True, slots=True)
class DateMatch:
    """The candidates that agree with a date of a claim, and the first field that none of them names.

    `rival` is a quoted date with a different value in this field. `is_sure` is true if it is a date of the same thing.
    """

    sources: tuple[Candidate, ...]
    missing: str = ""
    rival: Quantity | None = None
    is_sure: bool = False


def match_date(claimed: Quantity, candidates: Sequence[Candidate], fiscal_end: int) -> DateMatch:
    """Compare a date of a claim with the dates among its candidates."""
    date = claimed.date
    covered: set[int] = set()
    sources: list[Candidate] = []
    rivals: list[tuple[list[int], Quantity]] = []
    for candidate in (one for one in candidates if one.quantity.kind == "date"):
        known = candidate.quantity.date
        clash, shared = _clash(date, known, fiscal_end), _covered(date, known, fiscal_end)
        if not clash:
            covered |= shared
            sources += [candidate] if shared else []
        elif candidate.source == "quote" or (candidate.source, clash) == ("header", [_LENGTH]):
            rivals.append((clash, candidate.quantity))
    missing = sorted(_named(date) - covered)
    sources.sort(key=lambda one: -len(_covered(date, one.quantity.date, fiscal_end)))
    found = [(clash, rival) for clash, rival in rivals if set(clash) & set(missing)]
    if found:
        return _with_rival(claimed, tuple(sources), missing, *min(found, key=lambda one: len(one[0])))
    if not missing or (missing == [_LENGTH] and date.months == 12):  # a year need not be called a full one
        return DateMatch(tuple(sources))
    return DateMatch(tuple(sources), _FIELDS[missing[0]])


def _named(date: Date) -> set[int]:
    return {number for number, said in enumerate(date) if said is not None}


def _with_rival(
    claimed: Quantity, sources: tuple[Candidate, ...], missing: list[int], clash: list[int], rival: Quantity
) -> DateMatch:
    # A month and a day of another month may belong to different things.
    is_apart = (claimed.date.day is None) != (rival.date.day is None) and clash == [_MONTH]
    return DateMatch(sources, _FIELDS[min(set(clash) & set(missing))], rival, not is_apart)


def _clash(date: Date, known: Date, fiscal_end: int) -> list[int]:
    """Return the fields in which two dates differ."""
    found = [number for number in (_MONTH, _DAY) if date[number] and known[number] and date[number] != known[number]]
    if date.year and known.year and date.year not in _years(date, known, fiscal_end):
        found.insert(0, _YEAR)
    if date.part and _is_other_part(date.part, known, fiscal_end):
        found.append(_PART)
    if date.months and known.months and date.months != known.months:
        found.append(_LENGTH)
    return found


def _is_other_part(part: str, known: Date, fiscal_end: int) -> bool:
    """Whether a date names a different quarter or half of a year, or months that belong to a different one."""
    if known.part and part != known.part and part[0] == known.part[0]:
        return True
    return bool(known.months and known.month) and not any(_is_part(part, known, end) for end in (12, fiscal_end))


def _covered(date: Date, known: Date, fiscal_end: int) -> set[int]:
    """Return the fields of a date that an agreeing date also names."""
    found = {number for number in _named(date) if known[number] == date[number]}
    if date.year in _years(date, known, fiscal_end):
        found.add(_YEAR)
    if date.part and known.month and _is_part(date.part, known, fiscal_end):
        found.add(_PART)
    return found


def _years(date: Date, known: Date, fiscal_end: int) -> frozenset[int | None]:
    """Return the years by which a date may name a known date. A date with a month has only its own year."""
    return frozenset((known.year,) if date.month else known.years(fiscal_end))


def _is_part(part: str, date: Date, year_end: int) -> bool:
    """Whether a month, or the months that end with it, belong to a quarter or half of a year that ends in
    `year_end`.
    """
    size = 3 if part[0] == "Q" else 6
    if date.months and date.months != size:
        return False
    elapsed = (date.last_month - year_end - 1) % 12 + 1
    return (elapsed - 1) // size + 1 == int(part[1]) and (elapsed % size == 0 or not date.months)


def full_day(date: Date) -> Day | None:
    """Return the day that a date names; None if it names no day or the day does not exist."""
    if date.year is None or date.month is None or date.day is None:
        return None
    try:
        return Day(date.year, date.month, date.day)
    except ValueError:
        return None


def shift_day(day: Day, amount: Decimal, unit: str) -> Day | None:
    """Return a day moved by days, weeks, months or years; None beyond the calendar."""
    if unit in SECONDS_IN:
        try:
            return day + timedelta(seconds=int(amount * SECONDS_IN[unit]))
        except OverflowError:
            return None
    months = day.month - 1 + int(amount * MONTHS_IN[unit])
    year, month = day.year + months // 12, months % 12 + 1
    return Day(year, month, min(day.day, monthrange(year, month)[1])) if 1 <= year <= _MAX_YEAR else None


def is_shifted(date: Date, candidates: Sequence[Candidate]) -> bool:
    """Whether a quoted day plus or minus a quoted duration gives a date. Both ends may be inclusive or exclusive."""
    quoted = [found.quantity for found in candidates if found.source == "quote"]
    days = {day for found in quoted if (day := full_day(found.date)) is not None}
    units = (*MONTHS_IN, *SECONDS_IN)
    times = {(found.value, found.unit) for found in quoted if found.kind == "duration" and found.unit in units}
    pairs = product(sorted(days)[:_MOST_TERMS], sorted(times)[:_MOST_TERMS], (-1, 1))
    ends = (shift_day(day, factor * amount, unit) for day, (amount, unit), factor in pairs)
    near = (end - timedelta(days=early) for end in ends if end is not None for early in (0, 1) if end > Day.min)
    return any(not _clash(date, Date(day.year, day.month, day.day), 12) for day in near)


def spans_duration(start: Day, end: Day, amount: Decimal, unit: str) -> bool:
    """Whether a duration separates two days, with the last day included or excluded."""
    if unit not in MONTHS_IN and unit not in SECONDS_IN:
        return False
    shifted = shift_day(start, amount, unit)
    return shifted is not None and abs((shifted - end).days) <= 1


def is_between_dates(claimed: Quantity, candidates: Sequence[Candidate]) -> bool:
    """Whether a duration is the length of a quoted period, or the time between two quoted dates, months or years."""
    dates = [one.quantity.date for one in candidates if one.source in ("quote", "header", "calculation")]
    days = sorted({day for date in dates if (day := full_day(date)) is not None})
    if any(spans_duration(one, other, claimed.value, claimed.unit) for one, other in combinations(days, 2)):
        return True
    return claimed.value * MONTHS_IN.get(claimed.unit, 0) in _months_between(dates, days)


def _months_between(dates: Sequence[Date], days: Sequence[Day]) -> set[int]:
    """Return the lengths of periods in months, and the months between dates."""
    named = {12 * date.year + date.month for date in dates if date.year and date.month and not date.day}
    apart = {abs(other - one) for one, other in combinations(named, 2)}
    found = {date.months for date in dates if date.months} | apart | {one + 1 for one in apart}  # the last may count
    if len({day.month for day in days}) < 2:  # of days with other months the years alone say nothing
        years = sorted({date.year for date in dates if date.year})
        found |= {12 * (other - one) for one, other in combinations(years, 2)}
    return found
