"""Months, quarters and halves of years that a text names, and whether other words bear them out. Pure.

A month by itself ("ends in May") needs one in the quotes, in words or in a date. A quarter needs the same one, or a
period that is it: three months that end in its last month, counted from the end of the document's fiscal years.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ralph_cli.text.lexicon import MONTHS
from ralph_cli.text.quantities.dates import dates

_MONTH = re.compile(rf"\b(?:{'|'.join((*(month.capitalize() for month in MONTHS), *map(str.upper, MONTHS)))})\b")
_SENTENCE_BEGINS = re.compile(r"(?:\A|[.!?:;\u2022*\n]|[\"\u201c(\[-])\s*\Z")
_IN_A_NAME = re.compile(r"\s+[A-Z][a-z]")
_PREPOSITION = re.compile(
    r"(?i)\b(?:in|of|by|until|till|since|during|to|from|through|before|after|late|early|mid|each|every|last|next|this"
    r"|end(?:s|ed|ing)?|begin(?:s|ning)?|between|and|or)[\s-]+\Z"
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_ORDINAL = "|".join(_ORDINALS)
_PARTS = re.compile(
    rf"(?i)\b(?P<named>(?:{_ORDINAL})(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|or|to|through)\s+)(?:the\s+)?(?:{_ORDINAL})){{0,3}})[\s-]+"
    r"(?:fiscal[\s-]+|calendar[\s-]+)?(?P<part>quarter|half)s?\b(?!-|\s+(?:running|straight|in\s+a\s+row))"
)
_YEAR = r"(?:\s?(?:FY|CY)?\s?[\u2019']?(?P<year>\d{4}|\d{2}))?"
_MARKED = re.compile(rf"(?<![\w.])(?:(?P<part>[QH])(?P<number>[1-4])|(?P<other>[1-4])(?P<kind>[QH])){_YEAR}(?![\w])")
_PERIOD = re.compile(
    r"(?i)\b(?:(?:three|six|nine|[369])[\s-]+months?|(?:twelve|thirteen|fourteen|twenty-six|thirty-nine|1[234]|26|27|39)"
    r"[\s-]+weeks?|(?:fiscal\s+)?quarter(?:ly\s+period)?s?|half[\s-]years?)\s+(?:period\s+)?(?:ended|ending|to)\b"
)
_YEAR_ENDED = re.compile(r"(?i)\byears?\s+(?:then\s+)?(?:ended|ending|ends)\s+(?:on\s+)?")
_YEAR_END_REACH = 24
"""Characters behind "year ended" in which its date begins and ends."""

_WINDOW = 48
"""Characters behind "three months ended" in which the dates of the columns stand."""

_OVERRUN_DAYS = 7
"""Days of a month on which a quarter of thirteen weeks may end that is the one before."""


@dataclass(frozen=True, slots=True)
class YearPart:
    """A quarter or half of a year as it is named at text[start:end]: its number, and the year that is glued to it."""

    text: str
    start: int
    end: int
    kind: str
    number: int
    year: str = ""


@dataclass(frozen=True, slots=True)
class Periods:
    """The months that some words bear out, and the quarters and halves of years, by kind and number."""

    months: frozenset[int]
    parts: frozenset[tuple[str, int]]


def named_periods(text: str, year_end_month: int) -> Periods:
    """What a text names, dates included; `year_end_month` is the month in which fiscal years end."""
    meant = [meaning for date in dates(text) for meaning in date.meanings]
    months = {month for _, month, _ in meant} | {MONTHS.index(match[0].lower()) + 1 for match in _MONTH.finditer(text)}
    parts = {(part.kind, part.number) for part in named_year_parts(text)}
    for match in _PERIOD.finditer(text):
        behind = text[match.end() : match.end() + _WINDOW]
        ends = {_last_month(month, day) for date in dates(behind) for _, month, day in date.meanings}
        ends |= {month for _, month in named_months(behind)}
        elapsed = {(month - year_end_month) % 12 or 12 for month in ends}
        parts |= {("quarter", count // 3) for count in elapsed if count % 3 == 0}
        parts |= {("half", count // 6) for count in elapsed if count % 6 == 0}
    return Periods(frozenset(months), frozenset(parts))


def named_year_parts(text: str) -> Iterator[YearPart]:
    """The quarters and halves of years that a text names: "Q3 2022", "3Q22", "the second and third quarters"."""
    for match in _PARTS.finditer(text):
        for word in re.findall(_ORDINAL, match["named"], re.IGNORECASE):
            number = _ORDINALS[word.lower()]
            if match["part"].lower() == "quarter" or number <= 2:
                yield YearPart(match[0], match.start(), match.end(), match["part"].lower(), number)
    for match in _MARKED.finditer(text):
        kind = "quarter" if (match["part"] or match["kind"]) == "Q" else "half"
        number, year = int(match["number"] or match["other"]), match["year"] or ""
        if kind == "quarter" or number <= 2:
            yield YearPart(match[0], match.start(), match.end(), kind, number, f"20{year}" if len(year) == 2 else year)


def named_months(text: str) -> Iterator[tuple[str, int]]:
    """The months that a text names outside a date; "May" at the head of a sentence, or before a name, is a verb."""
    within = [(date.start, date.end) for date in dates(text)]
    for match in _MONTH.finditer(text):
        if any(start <= match.start() < end for start, end in within):
            continue
        if match[0].lower() == "may":
            before = text[max(match.start() - _WINDOW, 0) : match.start()]
            named = _IN_A_NAME.match(text, match.end()) and not _PREPOSITION.search(before)
            if _SENTENCE_BEGINS.search(before) or named or match[0] == "MAY":
                continue
        yield match[0], MONTHS.index(match[0].lower()) + 1


def fiscal_year_end_month(text: str) -> int:
    """The month in which the fiscal years of a document end: the one that it most often names so, else December."""
    ends = (dates(text[match.end() : match.end() + _YEAR_END_REACH])[:1] for match in _YEAR_ENDED.finditer(text))
    counted = Counter(_last_month(month, day) for found in ends for date in found for _, month, day in date.meanings)
    return counted.most_common(1)[0][0] if counted else 12


def _last_month(month: int, day: int | None) -> int:
    """The month that a period ends with, which may end on one of the first days of the next."""
    return (month - 1 or 12) if day is not None and day <= _OVERRUN_DAYS else month


def unsupported_periods(text: str, source: Periods, years: frozenset[str]) -> Iterator[str]:
    """The months, quarters and halves of a text that a source does not bear out, as they are written.

    `years` are those that may be glued to a quarter ("Q32022").
    """
    for name, month in named_months(text):
        if month not in source.months:
            yield name
    for part in named_year_parts(text):
        if (part.kind, part.number) not in source.parts or (part.year and part.year not in years):
            yield part.text
