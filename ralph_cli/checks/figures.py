"""Figures and dates of a text, normalised so that 1,577 is 1577, 4 million is 4,000,000 and forty-five is 45. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Sign = Literal["", "-", "()"]

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_UNITS += " seventeen eighteen nineteen"
_SMALL = {word: number for number, word in enumerate(_UNITS.split())}
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * number for number, word in enumerate(_TEN_WORDS.split(), 2)}
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
_ORDINALS += " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
_ORDINAL = {word: number for number, word in enumerate(_ORDINALS.split())}
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SUFFIXES = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12}

_WORD = "|".join([*_SMALL, *_TENS, *_SCALES])
_SPELLED = re.compile(rf"(?<![\w-])(?:{_WORD})(?:(?:-|\s+(?:and\s+)?)(?:{_WORD}))*(?![\w])", re.IGNORECASE)
_ORDINAL_WORD = re.compile(rf"(?<!\w)(?:({'|'.join(_TENS)})-)?({'|'.join(_ORDINAL)})(?!\w)", re.IGNORECASE)
UNIT = re.compile(
    r"[\s-]+(?:(?:business|working|calendar|full|further|consecutive)[\s-]+)?(?:days?|weeks?|months?|years?|hours?"
    r"|minutes?|seconds?|quarters?|per\s?cent|percent|pounds?|dollars?|euros?|francs?|pence|cents?)\b",
    re.IGNORECASE,
)
"""What makes a number that is spelled out, and small, a figure: "six months", but not "two parties"."""

_CURRENCY = {"usd": "$", "us$": "$", "eur": "€", "gbp": "£", "jpy": "¥"}
_SEPARATOR = r"[,'\u2019\u00a0\u202f]"
_NUMBER = re.compile(
    r"(?P<open>\()?(?P<minus>(?<![\w\d.)])[-\u2212\u2013](?=[\d$€£¥.]))?"
    r"(?:(?P<currency>US\$|[$€£¥]|(?<![A-Za-z])(?:USD|EUR|GBP|JPY|CHF))\s*)?(?P<inner>[-\u2212](?=\d))?"
    r"(?P<number>\d+(?:\.\d+){2,}"  # 12.3.1: a name, not a quantity
    rf"|\d{{1,3}}(?:\.\d{{3}})+,\d+|\d{{1,3}}(?:{_SEPARATOR}\d{{3}})+(?!\d)(?:\.\d+)?|\d+,\d{{1,2}}(?![\d,])"
    r"|\d+(?:\.\d+)?|(?<![\d.])\.\d+)"
    r"(?:\s*(?P<scale>thousand|million|billion|trillion|mn|bn|tn)\b|(?P<letter>[kKmMbB])\b)?"
    r"(?P<percent>\s*(?:%|per\s?cent\b|percent\b|percentage\s+points?\b))?(?P<close>\))?",
    re.IGNORECASE,
)
_MONTH_WORDS = "january february march april may june july august september october november december"
_MONTHS = _MONTH_WORDS.split()
_MONTH = "|".join([*(m.capitalize() for m in _MONTHS), "Sept", *(m[:3].capitalize() for m in _MONTHS if m != "may")])
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATES = (
    re.compile(r"(?<![\d-])(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})(?![\d-])"),
    re.compile(rf"(?<!\d){_DAY}(?:\s+day)?(?:\s+of)?\s+(?P<month>{_MONTH})\b\.?(?:,?\s+(?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b(?P<month>{_MONTH})\b\.?\s+{_DAY}(?!\d|[.,]\d)(?:,?\s+(?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b(?P<month>{_MONTH})\b\.?,?\s+(?P<year>\d{{4}})\b"),
    re.compile(
        r"(?<![\d/.])(?P<first>\d{1,2})(?P<part>[/.])(?P<second>\d{1,2})(?P=part)(?P<year>\d{4}|\d{2})(?![\d/])"
    ),
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text, at text[start:end]; `value` is without sign, `scale` 10**6 for "million".

    `sign` is "()" for a figure in brackets, which is negative in accounts and only bracketed in prose. `spelled` marks
    words ("forty-five"); `name` a number with several points ("12.3.1"), which is compared as it is written.
    """

    text: str
    start: int
    end: int
    value: Decimal
    scale: int = 1
    sign: Sign = ""
    percent: bool = False
    currency: str = ""
    spelled: bool = False
    name: str = ""

    @property
    def raw(self) -> Decimal:
        """The number before its scale: 4 of "4 million"."""
        return self.value / self.scale


@dataclass(frozen=True, slots=True)
class Date:
    """A date in a text, at text[start:end]: every (year, month, day) it may mean; None for what it leaves out."""

    text: str
    start: int
    end: int
    meanings: tuple[tuple[int | None, int, int | None], ...]

    def agrees(self, other: "Date") -> bool:
        """Whether the other date may be the same day, or the month or year of it that this one names."""
        return any(
            all(mine is None or mine == theirs for mine, theirs in zip(one, two, strict=True))
            for one in self.meanings
            for two in other.meanings
        )


def dates(text: str) -> tuple[Date, ...]:
    """The dates of `text` in order, none inside another."""
    found: list[Date] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(match.start() < date.end and date.start < match.end() for date in found):
                continue
            meanings = tuple(_meanings(match.groupdict()))
            if meanings:
                found.append(Date(match[0], match.start(), match.end(), meanings))
    return tuple(sorted(found, key=lambda date: date.start))


def _meanings(part: dict[str, str | None]) -> Iterator[tuple[int | None, int, int | None]]:
    year = int(part.get("year") or 0) or None
    if part.get("first"):
        year = 2000 + year if year is not None and year < 100 else year
        first, second = int(part["first"] or 0), int(part["second"] or 0)
        pairs = {(first, second), (second, first)}
        yield from sorted((year, month, day) for day, month in pairs if 1 <= month <= 12 and 1 <= day <= 31)
        return
    name = part.get("month")
    month = int(part["number"] or 0) if name is None else _month(name)
    day = int(part.get("day") or 0) or None
    if 1 <= month <= 12 and (day is None or 1 <= day <= 31):
        yield year, month, day


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3].lower()))


def figures(text: str, *, ordinals: bool = False) -> tuple[Figure, ...]:
    """The figures of `text` in order: digits, and numbers spelled out in English; ordinal words only if asked for."""
    found = [_figure(match) for match in _NUMBER.finditer(text)]
    found += [_spelled(match) for match in _SPELLED.finditer(text) if match[0].lower() not in _SCALES]
    if ordinals:
        for match in _ORDINAL_WORD.finditer(text):
            value = _TENS.get((match[1] or "").lower(), 0) + _ORDINAL[match[2].lower()]
            found.append(Figure(match[0], match.start(), match.end(), Decimal(value), spelled=True))
    return tuple(sorted(found, key=lambda figure: figure.start))


def _figure(match: re.Match[str]) -> Figure:
    part = match.groupdict()
    number = part["number"]
    bracketed = bool(part["open"] and part["close"])
    start = match.start() + (1 if part["open"] and not bracketed else 0)
    end = match.end() - (1 if part["close"] and not bracketed else 0)
    sign: Sign = "-" if part["minus"] or part["inner"] else "()" if bracketed else ""
    currency = (part["currency"] or "").lower()
    scale = _SCALES.get((part["scale"] or "").lower()) or _SUFFIXES.get((part["scale"] or part["letter"] or "").lower())
    several = number.count(".") > 1 and "," not in number
    return Figure(
        match.string[start:end].strip(),
        start,
        end,
        Decimal(0) if several else _decimal(number) * (scale or 1),
        scale or 1,
        sign,
        bool(part["percent"]),
        _CURRENCY.get(currency, currency),
        name=number if several else "",
    )


def _decimal(number: str) -> Decimal:
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", number):
        return Decimal(number.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d+,\d{1,2}", number):
        return Decimal(number.replace(",", "."))
    return Decimal(re.sub(_SEPARATOR, "", number))


def _spelled(match: re.Match[str]) -> Figure:
    total, part = 0, 0
    for word in re.split(r"[\s-]+", match[0].lower()):
        if word in _SCALES and _SCALES[word] > 100:
            total, part = total + (part or 1) * _SCALES[word], 0
        elif word == "hundred":
            part = (part or 1) * 100
        elif word != "and":
            part += _SMALL.get(word, _TENS.get(word, 0))
    percent = bool(re.match(r"[\s-]+per\s?cent\b", match.string[match.end() :], re.IGNORECASE))
    return Figure(match[0], match.start(), match.end(), Decimal(total + part), percent=percent, spelled=True)


def scale_named(text: str) -> int:
    """The scale that a column's name or a table's header gives to its figures: 10**6 for "£ million", else 1."""
    match = re.search(r"\b(thousand|million|billion|trillion|mn|bn)s?\b|[$€£](m|bn|k)\b", text, re.IGNORECASE)
    if match is None:
        return 1
    word = (match[1] or match[2]).lower()
    return _SCALES.get(word) or _SUFFIXES[word]
