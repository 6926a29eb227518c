"""Read the date or period at a token: a day, a month, a year, a quarter, "three months ended June 30". Pure."""

# ruff: noqa: SIM905

import re

from ralph_cli.text.lexicon import MONTHS, ORDINALS, UNITS, any_of
from ralph_cli.text.quantities.currencies import currency_after
from ralph_cli.text.quantities.quantity import Date
from ralph_cli.text.quantities.tokens import Tokens
from ralph_cli.text.quantities.vocabulary import LETTER_SCALES, SCALES

_MONTHS = {name[:length]: number for number, name in enumerate(MONTHS, 1) for length in (3, 4, len(name))}
_ENDINGS = frozenset(("st", "nd", "rd", "th"))
# Words before "May" and "March", which behind others may be no months.
_BEFORE_MONTH = frozenset(
    "in of by until till since during to from through before after late early mid each every last next and or -".split()
)

_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_TO = r"\s?[-\u2010\u2011\u2013]\s?|\s(?:to|through)\s"
# A month, with days before or behind it and a year.
_MONTH_DATE = re.compile(
    rf"(?i)(?:(?P<first>{_DAY})(?P<several>(?:{_TO}|\s(?:and|or)\s){_DAY})?\s+(?:day\s+)?(?:of\s+)?)?"
    rf"(?P<month>{any_of(_MONTHS)})(?!\w)\.?(?:\s+(?P<day>{_DAY})(?![.,]?\d|\w)(?:(?:{_TO}){_DAY}(?![.,]?\d|\w))?)?"
    r"(?:(?:\s?,|\s+of)?\s+(?P<year>(?:19|20)\d\d|2100|['\u2019]\d\d)(?!\w|[.,]\d))?"
)

_NUMERIC = re.compile(
    r"(?P<year>\d{4})(?P<mark>-(?=\d\d-\d\d)|/)(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?![\d/-])"
    r"|(?P<first>\d{1,2})(?P<sign>[./]|-(?=\d\d?-\d{4}))(?P<second>\d{1,2})(?P=sign)(?P<last>\d{4}|\d\d)(?![\d/])"
)
_YEAR = r"(?:(?:\s?(?:FY|CY))?[^\S\n]?(?:of\s+|fiscal\s+)?['\u2019]?(?P<{0}>(?:19|20)\d\d|\d\d))?(?![\w%])"
_SHORT_YEAR = re.compile(r"[-\u2013/](\d\d)\b(?![-\u2013/])")
_COMPACT = re.compile(
    rf"(?P<part>[QH][1-4]){_YEAR.format('year')}|(?P<number>[1-4])(?P<kind>[QH]){_YEAR.format('behind')}"
    r"|(?i:FY|CY)\s?['\u2019]?(?P<fiscal>(?:19|20)\d\d|\d\d)(?!\w)"
)
CURRENCY_SIGNS = frozenset("$\u20ac\u00a3\u00a5")
# A whole year, or a length of time that ends on a date.
_PERIOD = re.compile(
    r"(?i)(?P<full>full|whole|entire)(?:[\s-]+year(?!\w)|\s+(?P<in>(?:19|20)\d\d)(?!\w))"
    rf"|(?:(?P<count>\d{{1,2}}|{any_of(UNITS)})[\s-]+(?P<span>months?|weeks?)|(?P<unit>years?|quarters?|half[\s-]year))"
    r"\s+(?:periods?\s+)?(?:then\s+)?(?P<ended>ended|ending|ends|to)(?!\w)\s*(?:(?:on|in)\s+)?"
)

_MONTHS_OF = {"year": 12, "half": 6, "quar": 3}
# A quarter or half of a year.
_PART = re.compile(
    r"(?i)(?P<number>first|second|third|fourth|[1-4](?:st|nd|rd|th))[\s-]+(?:(?:fiscal|calendar)\s+)?"
    r"(?P<unit>quarter|half)s?(?![\w-])"
    r"(?:(?:\s?,|\s+of)?\s+(?:(?:the|our|fiscal|calendar|year)\s+)*(?P<year>(?:19|20)\d\d)(?!\w|[.,]\d))?"
)


def read_date(tokens: Tokens, at: int) -> tuple[Date, int] | None:
    """Return the date or period that begins at a token, and the index after it."""
    if at >= len(tokens):
        return None
    joined = tokens.is_glued(at) and (tokens.is_word(at - 1) or tokens.low(at - 1) in "._")
    if joined and tokens.low(at - 1) and tokens.is_number(at):
        return None
    readers = (_read_period, _read_month, _read_numeric, _read_compact, _read_part, _read_year)
    return next((found for read in readers if (found := read(tokens, at)) is not None), None)


def year_at(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Return the year at a token, and the index after it: "2021", "'21"."""
    word = tokens.low(at)
    behind = tokens.low(at + 1)
    if word in ("'", "\u2019") and behind.isdecimal() and len(behind) == 2:
        return 2000 + int(behind), at + 2
    if not (word.isdecimal() and len(word) == 4 and 1900 <= int(word) <= 2100):
        return None
    scaled = behind in SCALES and behind not in LETTER_SCALES
    if scaled or behind in ("%", "percent") or (behind == "s" and tokens.is_glued(at + 1)):
        return None
    return int(word), at + 1


def _full_year(digits: str | None) -> int | None:
    if not digits:
        return None
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _read_period(tokens: Tokens, at: int) -> tuple[Date, int] | None:
    """Return a period: "three months ended June 30", "the full year"."""
    match = _PERIOD.match(tokens.text, tokens[at].start) if at < len(tokens) else None
    if match is None:
        return None
    behind = tokens.index_at(match.end(), at)
    if match["full"]:
        year = _full_year(match["in"])
        return Date(year, months=12), behind
    months = _MONTHS_OF.get((match["unit"] or "")[:4].lower(), 0)
    if match["count"]:
        count = int(match["count"]) if match["count"].isdecimal() else UNITS[match["count"].lower()]
        months = 3 * round(count / 13) if match["span"][0] in "wW" else count
    end = _read_month(tokens, behind) or _read_numeric(tokens, behind)
    if end is None or not months:
        return (Date(months=months), behind) if match["ended"].lower() != "to" and months else None
    return end[0]._replace(months=months), end[1]


def _read_month(tokens: Tokens, at: int) -> tuple[Date, int] | None:
    """Return a month with its day and year, if they are named; of several days the first."""
    match = _MONTH_DATE.match(tokens.text, tokens[at].start) if at < len(tokens) else None
    if match is None or not match["month"][0].isupper() or (match["first"] and tokens.low(at - 1) in CURRENCY_SIGNS):
        return None
    month, day, year = _MONTHS[match["month"].lower()], match["first"] or match["day"], match["year"]
    if not (day or year) and not _is_month_alone(tokens, at, MONTHS[month - 1]):
        return None
    date = Date(_full_year(year.lstrip("'\u2019")) if year else None, month, int(day.rstrip("stndrh")) if day else None)
    # Each day of "1 and 15 April" is read.
    return date, tokens.index_at(match.end("first") if match["several"] else match.end(), at)


def _is_month_alone(tokens: Tokens, at: int, name: str) -> bool:
    """Whether a month without day and year is named in full. "May" and "march" count only after some words."""
    word = tokens.low(at)
    return word == name and (word not in ("may", "march") or tokens.low(at - 1) in _BEFORE_MONTH)


def _read_numeric(tokens: Tokens, at: int) -> tuple[Date, int] | None:
    """Return a date in digits. Only the year of "05/06/2022" is certain."""
    match = _NUMERIC.match(tokens.text, tokens[at].start) if tokens.is_number(at) else None
    if match is None:
        return None
    after = tokens.index_at(match.end(), at)
    if match["year"]:
        year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    else:
        year, month, day = _full_year(match["last"]) or 0, int(match["first"]), int(match["second"])
        if day <= 12 and month <= 12 and day != month:
            return (Date(year), after) if match["sign"] == "/" or len(match["last"]) == 4 else None
        if month > 12:
            month, day = day, month
    return (Date(year, month, day), after) if 1 <= month <= 12 and 1 <= day <= 31 else None


def possible_days(text: str) -> dict[str, Date]:
    """Return the possible days of a date in digits, each with its order ("day first", "month first"); none if
    certain.
    """
    match = _NUMERIC.fullmatch(text)
    if match is None or match["year"] or max(int(match["first"]), int(match["second"])) > 12:
        return {}
    year, first, second = _full_year(match["last"]), int(match["first"]), int(match["second"])
    return {"month first": Date(year, first, second), "day first": Date(year, second, first)}


def orders_of_days(text: str) -> frozenset[str]:
    """Return the orders of day and month that the unambiguous dates in digits of a text show."""
    found = (match for match in _NUMERIC.finditer(text) if match["first"])
    pairs = ((int(match["first"]), int(match["second"])) for match in found)
    named = {"day first" if one > 12 else "month first" for one, other in pairs if max(one, other) in range(13, 32)}
    return frozenset(named)


def _read_compact(tokens: Tokens, at: int) -> tuple[Date, int] | None:
    """Return a date in compact form: "Q3 2022", "3Q22", "H2", "FY'22"."""
    if tokens.low(at)[:1] not in "qh1234fc" or tokens.is_glued(at):
        return None
    match = _COMPACT.match(tokens.text, tokens[at].start)
    if match is None or tokens.low(at - 1) in CURRENCY_SIGNS:
        return None
    part = match["part"] or (f"{match['kind']}{match['number']}" if match["kind"] else None)
    year = _full_year(match["year"] or match["behind"] or match["fiscal"])
    if part in ("H3", "H4"):
        return None
    return Date(year, part=part), tokens.index_at(match.end(), at)


def _read_part(tokens: Tokens, at: int) -> tuple[Date, int] | None:
    """Return a part of a year: "the third quarter of 2022", "the second half"."""
    match = _PART.match(tokens.text, tokens[at].start)
    if match is None:
        return None
    unit, number = match["unit"][0].upper(), match["number"]
    place = int(number[0]) if number[0].isdecimal() else ORDINALS[number.lower()]
    if unit == "H" and place > 2:
        return None
    return Date(_full_year(match["year"]), part=f"{unit}{place}"), tokens.index_at(match.end(), at)


def _read_year(tokens: Tokens, at: int) -> tuple[Date, int] | None:
    year = year_at(tokens, at)
    if year is None or not tokens.is_number(at) or tokens.low(at - 1) in CURRENCY_SIGNS:
        return None
    if currency_after(tokens.text, tokens[at].end)[0] and tokens.low(at + 1) != "(":
        return None
    match = _SHORT_YEAR.match(tokens.text, tokens[at].end)
    return Date(year[0]), tokens.index_at(match.end(), at) if match else year[1]
