"""Dates, periods and durations of a claim against those of its quotes. Pure.

A date agrees with another in every field that both name. The dates that agree must together name all that the claim's
date names: "Q4 2022" is borne out by "three months ended December 31" in one place and 2022 in another.
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
_TERMS, _MOST_TERMS = (-1, 1), 20


@dataclass(frozen=True, slots=True)
class DateMatch:
    """What bears out a date of a claim: the candidates that agree with it, and the first field that none of them names.

    `rival` is a quoted date that names this field otherwise, `is_sure` that it is of the same thing.
    """

    sources: tuple[Candidate, ...]
    missing: str = ""
    rival: Quantity | None = None
    is_sure: bool = False


def match_date(
    claimed: Quantity, candidates: Sequence[Candidate], others: Sequence[Date], fiscal_end: int
) -> DateMatch:
    """How a date of a claim stands to all dates that may bear it out; a quoted one that `others` of the claim repeat is
    no rival."""
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
        elif _is_rival(candidate, clash, shared) and not any(_repeats(other, known, clash) for other in others):
            rivals.append((clash, candidate.quantity))
    missing = sorted(_named(date) - covered)
    sources.sort(key=lambda one: -len(_covered(date, one.quantity.date, fiscal_end)))
    found = [(clash, rival) for clash, rival in rivals if _names_otherwise(clash, rival, missing)]
    if found:
        clash, rival = min(found, key=lambda one: len(one[0]))
        # A month and a day of another one may be of two things.
        apart = (date.day is None) != (rival.date.day is None) and clash == [_MONTH]
        return DateMatch(tuple(sources), _FIELDS[min(set(clash) & set(missing))], rival, not apart)
    is_whole = _is_whole(date, missing, fiscal_end)
    return DateMatch(tuple(sources), "" if is_whole else _FIELDS[missing[0]])


def _names_otherwise(clash: list[int], rival: Quantity, missing: list[int]) -> bool:
    """Whether a rival names what no quote names as the claim does; a part of a year only where it is one itself."""
    return bool(set(clash) & set(missing)) and (missing != [_PART] or bool(rival.date.part))


def _named(date: Date) -> set[int]:
    return {number for number, said in enumerate(date) if said is not None}


def _is_whole(date: Date, missing: Sequence[int], fiscal_end: int) -> bool:
    """Whether what no quote names of a date may be left out: "the year ended June 30, 2023" is that of 2023."""
    if not missing or date.months != 12:
        return not missing
    return list(missing) == [_LENGTH] or (date.last_month == fiscal_end and _YEAR not in missing)


def _is_rival(candidate: Candidate, clash: list[int], shared: set[int]) -> bool:
    """Whether what a date says otherwise contradicts: of a header with several columns only how long they are.

    That of a cell does if both share its year or month, for others may be of anything: "leased until 2031".
    """
    if candidate.in_table and not shared & {_YEAR, _MONTH}:
        return False
    return candidate.source in ("quote", "calculation") or (candidate.source == "header" and clash == [_LENGTH])


def _clash(date: Date, known: Date, fiscal_end: int) -> list[int]:
    """The fields that two dates name differently."""
    found = [
        number
        for number in (_MONTH, _DAY)
        if date[number] is not None and known[number] is not None and date[number] != known[number]
    ]
    if date.year and known.year and date.year not in _years(date, known, fiscal_end):
        found.insert(0, _YEAR)
    if date.part and _is_other_part(date.part, known, fiscal_end):
        found.append(_PART)
    if date.months and known.months and date.months != known.months:
        found.append(_LENGTH)
    return found


def _is_other_part(part: str, known: Date, fiscal_end: int) -> bool:
    """Whether a date names another quarter or half of a year, or months that lie in another one."""
    if known.part and part != known.part and part[0] == known.part[0]:
        return True
    return bool(known.months and known.month) and not any(_is_part(part, known, end) for end in (12, fiscal_end))


def _covered(date: Date, known: Date, fiscal_end: int) -> set[int]:
    """The fields of a date that another one bears out, with which it agrees."""
    found = {number for number, said in enumerate(date) if said is not None and known[number] == said}
    if date.year in _years(date, known, fiscal_end):
        found.add(_YEAR)
    if date.part and known.month and _is_part(date.part, known, fiscal_end):
        found.add(_PART)
    if known.part and date.month and known.year and _is_part(known.part, date, fiscal_end, end_only=True):
        found |= {_YEAR, _MONTH, _DAY}
    return found


def _years(date: Date, known: Date, fiscal_end: int) -> frozenset[int | None]:
    """The years by which a date may name a known one: a month has its own alone."""
    return frozenset((known.year,) if date.month else known.years(fiscal_end))


def _is_part(part: str, date: Date, year_end: int, *, end_only: bool = False) -> bool:
    """Whether a month, or the months that end with it, lie in a quarter or half of a year that ends so."""
    size = 3 if part[0] == "Q" else 6
    if date.months and date.months != size:
        return False
    elapsed = (date.last_month - year_end - 1) % 12 + 1
    return (elapsed - 1) // size + 1 == int(part[1]) and (elapsed % size == 0 or not (date.months or end_only))


def _repeats(other: Date, known: Date, clash: Sequence[int]) -> bool:
    """Whether a date of the claim names a quoted one, as far as both say; `clash` is what it must say."""
    both = [number for number in range(3) if other[number] is not None and known[number] is not None]
    is_told = set(both) >= {number for number in clash if number <= _DAY}
    return bool(both) and is_told and all(other[number] == known[number] for number in both)


def full_day(date: Date) -> Day | None:
    """The day that a date names, None if it names none or there is none such."""
    if date.year is None or date.month is None or date.day is None:
        return None
    try:
        return Day(date.year, date.month, date.day)
    except ValueError:
        return None


def shift_day(day: Day, amount: Decimal, unit: str) -> Day | None:
    """A day moved by days, weeks, months or years; None beyond the calendar."""
    if unit in SECONDS_IN:
        try:
            return day + timedelta(seconds=int(amount * SECONDS_IN[unit]))
        except OverflowError:
            return None
    months = day.month - 1 + int(amount * MONTHS_IN[unit])
    year, month = day.year + months // 12, months % 12 + 1
    return Day(year, month, min(day.day, monthrange(year, month)[1])) if 1 <= year <= _MAX_YEAR else None


def is_shifted(date: Date, candidates: Sequence[Candidate]) -> bool:
    """Whether a quoted day and a quoted duration make a date; either end may count or not."""
    quoted = [found.quantity for found in candidates if found.source == "quote"]
    days = {day for found in quoted if (day := full_day(found.date)) is not None}
    units = (*MONTHS_IN, *SECONDS_IN)
    times = {(found.value, found.unit) for found in quoted if found.kind == "duration" and found.unit in units}
    pairs = product(sorted(days)[:_MOST_TERMS], sorted(times)[:_MOST_TERMS], _TERMS)
    ends = (shift_day(day, factor * amount, unit) for day, (amount, unit), factor in pairs)
    near = (end - timedelta(days=early) for end in ends if end is not None for early in (0, 1) if end > Day.min)
    return any(not _clash(date, Date(day.year, day.month, day.day), 12) for day in near)


def spans_duration(start: Day, end: Day, amount: Decimal, unit: str) -> bool:
    """Whether so much time lies between two days, the last of which may count or not."""
    if unit not in MONTHS_IN and unit not in SECONDS_IN:
        return False
    shifted = shift_day(start, amount, unit)
    return shifted is not None and abs((shifted - end).days) <= 1


def is_between_dates(claimed: Quantity, candidates: Sequence[Candidate]) -> bool:
    """Whether a duration is that of a quoted period, or lies between two quoted dates or years of theirs.

    So does a number of years or columns.
    """
    dates = _dates_said(candidates)
    days = sorted({day for date in dates if (day := full_day(date)) is not None})
    if any(spans_duration(one, other, claimed.value, claimed.unit) for one, other in combinations(days, 2)):
        return True
    months = claimed.value * MONTHS_IN.get(claimed.unit, 0)
    if months in _months_apart(dates):
        return True
    # Of days with other months the years alone do not tell.
    is_yearly = len({day.month for day in days}) < 2 and not (claimed.bound and len(days) > 1)
    is_apart = claimed.unit == "year" and is_yearly and claimed.value in _years_apart(dates)
    return is_apart or any(months == date.months for date in dates if date.months)


def _dates_said(candidates: Sequence[Candidate]) -> list[Date]:
    """The dates of quotes and of calculations; beside a calculation those of headers, too."""
    is_computed = any(found.source == "calculation" for found in candidates)
    said = ("quote", "calculation", *(("header",) if is_computed else ()))
    return [found.quantity.date for found in candidates if found.quantity.kind == "date" and found.source in said]


def _months_apart(dates: Sequence[Date]) -> set[int]:
    """How many months lie between months of dates, of which the last one may count or not."""
    named = {12 * date.year + date.month for date in dates if date.year and date.month and not date.day}
    apart = {abs(other - one) for one, other in combinations(named, 2)}
    return apart | {months + 1 for months in apart}


def _years_apart(dates: Sequence[Date]) -> set[int]:
    """How many years lie between the years of dates, and how many there are."""
    years = {date.year for date in dates if date.year is not None}
    return {abs(other - one) for one in years for other in years} | ({len(years)} - {0})
