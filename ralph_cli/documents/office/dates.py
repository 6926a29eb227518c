"""Dates and times of spreadsheets: a number of days, and its display by a format (ECMA-376, part 1, 18.17.4)."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

# The codes of a format for parts of a date or time.
DATE_TOKEN = r"AM/PM|A/P|y+|m+|d+|h+|s+|\[h+\]|\[m+\]|\[s+\]"

_FIRST_1900, _FIRST_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_DAYS_UNTIL_10000 = 2_958_466
# Day 60 is 1900-02-29, which did not exist; the numbers before it count one day less.
_NO_LEAP_DAY = 60

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A date with a time, and the seconds since day 0."""

    at: datetime
    seconds: float
    is_never: bool = False
    """Whether it is 1900-02-29, a day that did not exist."""


def to_moment(days: float, second_digits: int, is_1904: bool) -> Moment | None:
    """Return the date and time for a number of days, rounded to `second_digits`; None if a sheet cannot show it."""
    seconds = round(days * 86_400, second_digits)
    if not 0 <= seconds < _DAYS_UNTIL_10000 * 86_400:
        return None
    if is_1904:
        first = _FIRST_1904
        if seconds + (_FIRST_1904 - _FIRST_1900).total_seconds() >= _DAYS_UNTIL_10000 * 86_400:
            return None
    else:
        first = _FIRST_1900 + timedelta(days=days < _NO_LEAP_DAY)
    return Moment(first + timedelta(seconds=seconds), seconds, not is_1904 and int(days) == _NO_LEAP_DAY)


def to_iso(days: float, is_1904: bool) -> str:
    """Return a number of days in ISO 8601, with the time if it has one; "" if it is not a date."""
    moment = to_moment(days, 0, is_1904)
    if moment is None:
        return ""
    if moment.is_never:
        return "1900-02-29"
    return str(moment.at.date()) if moment.at.time() == datetime.min.time() else str(moment.at)


def days_since(day: date, is_1904: bool = False) -> float:
    """Return the number of days that represents a date or time."""
    moment = day if isinstance(day, datetime) else datetime(day.year, day.month, day.day)
    days = (moment - (_FIRST_1904 if is_1904 else _FIRST_1900)) / timedelta(days=1)
    return days if is_1904 or days > _NO_LEAP_DAY else days - 1


def format_date(tokens: tuple[tuple[str, str], ...], moment: Moment) -> tuple[str, bool]:
    """Return a moment as the tokens of a format show it, and whether they show all of it."""
    names = [token.lower() if kind == "date" else "" for kind, token in tokens]
    is_half_day = "am/pm" in names or "a/p" in names
    parts = []
    for at, (kind, token) in enumerate(tokens):
        if kind == "date":
            is_minute = token[0] in "mM" and len(token) <= 2 and _is_beside_hours_or_seconds(names, at)
            parts.append(_show_part(token.lower(), moment, is_half_day, is_minute))
        elif kind == "digit":
            parts.append("")
        elif (kind, token) == ("sign", "."):
            digits = len([0 for kind, _ in tokens[at:] if kind == "digit"])
            parts.append(f".{moment.at.microsecond:06d}"[: min(digits, 6) + 1] if digits else ".")
        elif kind == "literal":
            parts.append(token)
    return "".join(parts), _is_whole(names, moment)


def _is_beside_hours_or_seconds(names: list[str], at: int) -> bool:
    """Whether "m" means minutes: after hours or before seconds."""
    before = next((name for name in reversed(names[:at]) if name), "")
    behind = next((name for name in names[at + 1 :] if name), "")
    return before.strip("[]").startswith("h") or behind.strip("[]").startswith("s")


def _show_part(token: str, moment: Moment, is_half_day: bool, is_minute: bool) -> str:
    at, size = moment.at, len(token)
    day, month, weekday = at.day, at.month, at.weekday()
    if moment.is_never:
        day, month, weekday = 29, 2, 2
    match token[0]:
        case "[":
            unit = {"h": 3_600, "m": 60, "s": 1}[token[1]]
            return f"{int(moment.seconds // unit):0{size - 2}d}"
        case "a":
            sign = "AM" if at.hour < 12 else "PM"
            return sign if size > 3 else sign[0]
        case "y":
            return f"{at.year:04d}" if size > 2 else f"{at.year % 100:02d}"
        case "m" if not is_minute:
            name = _MONTHS[month - 1]
            return (str(month), f"{month:02d}", name[:3], name, name[0])[min(size, 5) - 1] if size < 6 else name
        case "d":
            name = _DAYS[weekday]
            return (str(day), f"{day:02d}", name[:3], name)[min(size, 4) - 1]
        case "h":
            number = (at.hour % 12 or 12) if is_half_day else at.hour
        case "s":
            number = at.second
        case _:
            number = at.minute
    return f"{number:02d}" if size > 1 else str(number)


def _is_whole(names: list[str], moment: Moment) -> bool:
    """Whether the parts shown identify the whole date and time."""
    if any(name.startswith("[") for name in names):
        return True
    shown = {name[0] for name in names if name}
    has_date, has_time = moment.seconds >= 86_400, bool(moment.seconds % 86_400)
    return (not has_date or {"y", "m", "d"} <= shown) and (not has_time or "h" in shown)
