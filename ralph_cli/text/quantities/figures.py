"""Figures of a text, normalised so that 1,577 is 1577, 4 million is 4,000,000 and forty-five is 45. Pure."""

import re
import unicodedata
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from ralph_cli.text.lexicon import ORDINALS, SCALES, TENS, UNITS
from ralph_cli.text.quantities.currencies import CURRENCY_MARK, CURRENCY_NAME, currency_key

Sign = Literal["", "-", "()"]

_SCALES = SCALES | {"k": 10**3, "m": 10**6, "mn": 10**6, "mio": 10**6, "mln": 10**6}
_SCALES |= {"bn": 10**9, "b": 10**9, "mrd": 10**9, "tn": 10**12}

# "Two five-year terms" are two numbers: what follows a number below a hundred without a word for more is another.
_TENS_WORD = rf"(?:(?:{'|'.join(TENS)})(?:[\s-]+(?:{'|'.join(list(UNITS)[1:10])}))?|{'|'.join(UNITS)})"
_AND = r"(?:-|\s+(?:and\s+)?)"
_BELOW = rf"(?:{_TENS_WORD}(?:[\s-]+hundred(?:{_AND}{_TENS_WORD})?)?|hundred(?:{_AND}{_TENS_WORD})?)"
_TERM = rf"(?:{_BELOW}[\s-]+)?(?:{'|'.join(list(SCALES)[1:])})(?:\s+(?:{'|'.join(list(SCALES)[1:])}))*"
_SPELLED = re.compile(rf"(?<![\w-])(?:{_TERM}{_AND})*(?:{_TERM}|{_BELOW})(?![\w])", re.IGNORECASE)
_ORDINAL_WORD = re.compile(rf"(?<!\w)(?:({'|'.join(TENS)})-)?({'|'.join(ORDINALS)})(?!\w)", re.IGNORECASE)
UNIT_AFTER = re.compile(
    r"(?i)[\s-]+(?:(?:business|working|trading|calendar|full|further|consecutive)[\s-]+)?(?:days?|weeks?|months?|years?|hours?"
    r"|minutes?|seconds?|quarters?|decades?|nights?|per\s?cent|percent|percentage\s+points?|basis\s+points?|bps?"
    rf"|kilomet(?:er|re)s?|miles?|{CURRENCY_NAME})\b"
)
"""What makes a number that is spelled out, and small, a figure: "six months", but not "two parties"."""

_SEPARATOR = r"[,'\u2019\u00a0\u2007\u2009\u202f]"
_HYPHENS = str.maketrans("\u2010\u2011\u2012", "---")
_SCALE_WORD = "thousand|million|billion|trillion"
_SCALE_MARK = "mn|mio|mln|bn|mrd|tn"
_FRACTION = "[½¼¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚]"
_HALF = re.compile(r"\s+and\s+(?:a|one)[\s-](?:(half)|(third)|(quarter))\b", re.IGNORECASE)
_PERCENT = r"\s*(?:%|per\s?cent\b|percent\b|percentage\s+points?\b)"
_NUMBER = re.compile(
    rf"(?i)(?:(?P<before>{CURRENCY_MARK})\s*(?=\())?(?P<open>\()?(?P<minus>(?<![\w\d.)])[-\u2212\u2013](?=[\d.]|{CURRENCY_MARK}))?"
    rf"(?:(?P<currency>{CURRENCY_MARK})\s*(?P<inner>[-\u2212](?=\d))?)?"
    r"(?P<number>\d+(?:\.\d+){2,}"  # 12.3.1: a name, not a quantity
    rf"|\d{{1,3}}(?:\.\d{{3}})+,\d+|\d{{1,3}}(?:{_SEPARATOR}\d{{3}})+(?!\d)(?:\.\d+)?|\d+,\d{{1,2}}(?![\d,])"
    rf"|(?:\d+\s?)?{_FRACTION}|\d+(?:[\s-][1-7]/[2-8](?![\d/]))|\d+(?:\.\d+)?|(?<![\d.])\.\d+)"
    r"(?P<power>(?<=(?<![\d.,])10)[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,2})?"
    rf"(?:\s*(?P<scale>{_SCALE_WORD}|{_SCALE_MARK})\b|(?P<letter>[kKmMbB])\b)?(?P<percent>{_PERCENT})?(?P<close>\))?"
    # Of a figure in brackets, scale and percent may stand behind them: $(5.3) million, (3.0)%.
    rf"(?(open)(?(close)(?:\s*(?P<scale_behind>{_SCALE_WORD}|{_SCALE_MARK})\b)?(?P<percent_behind>{_PERCENT})?))"
)
_MONEY = rf"(?:{CURRENCY_MARK}|{CURRENCY_NAME})"
_SCALE_NAMED = re.compile(
    rf"(?i)(?<![^\W_])(?<!\d )(?<!one )({_SCALE_WORD})s(?![^\W_])"
    rf"(?!\s+of\b(?!\s+(?:US\b|U\.S\.|United\s+States|{CURRENCY_NAME})))"  # not "millions of people"
    rf"|{_MONEY}(?:\s*({_SCALE_WORD}|{_SCALE_MARK})(?![^\W_])|\s?([mk])(?![^\W_])|\s?'?(000)s?\b)"
    rf"|(?:\bin\s+|\(\s*|\A|_)({_SCALE_WORD}|{_SCALE_MARK})(?![^\W_])|(?:\bin|\()\s?'?(000)s?\b"
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
    def unscaled(self) -> Decimal:
        """The number before its scale: 4 of "4 million"."""
        return self.value / self.scale


def figures(text: str, *, ordinals: bool = False) -> tuple[Figure, ...]:
    """The figures of `text` in order: digits, and numbers spelled out in English; ordinal words only if asked for."""
    text = text.translate(_HYPHENS)
    found = [_figure(match) for match in _NUMBER.finditer(text)]
    found += [_spelled(match) for match in _SPELLED.finditer(text) if match[0].lower() not in SCALES]
    if ordinals:
        for match in _ORDINAL_WORD.finditer(text):
            value = TENS.get((match[1] or "").lower(), 0) + ORDINALS[match[2].lower()]
            found.append(Figure(match[0], match.start(), match.end(), Decimal(value), spelled=True))
    return _share_scales(text, sorted(found, key=lambda figure: figure.start))


_PERCENT_WORD = re.compile(r"[\s-]+(?:per\s?cent|percentage\s+points?)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+\Z", re.IGNORECASE)
_AND_TO = re.compile(r"\s+(?:and|to)\s+")
_UP_TO = re.compile(r"\s*(?:to|-|\u2013)\s*")


def _share_scales(text: str, found: list[Figure]) -> tuple[Figure, ...]:
    """The figures, the first of "$1.5 to $1.7 billion" or "between 1 and 2 million" with the scale of the second."""
    for at in range(len(found) - 1):
        first, second = found[at], found[at + 1]
        if (
            first.scale == 1 != second.scale
            and not (first.percent or first.name or first.spelled or second.spelled)
            and first.value < 1000
            and first.currency in ("", second.currency)
            and (_AND_TO if _BETWEEN.search(text, 0, first.start) else _UP_TO).fullmatch(text, first.end, second.start)
        ):
            found[at] = replace(first, value=first.value * second.scale, scale=second.scale)
    return tuple(found)


def _figure(match: re.Match[str]) -> Figure:
    part = match.groupdict()
    number = part["number"]
    bracketed = bool(part["open"] and part["close"])
    start = match.start() if bracketed or not part["open"] else match.start("open") + 1
    end = match.end() - (1 if part["close"] and not bracketed else 0)
    sign: Sign = "-" if part["minus"] or part["inner"] else "()" if bracketed else ""
    mark = part["currency"] or (part["before"] if bracketed else "") or ""
    scale_word = (part["scale"] or part["scale_behind"] or part["letter"] or "").lower()
    scale = _SCALES.get(scale_word, 1)
    several = number.count(".") > 1 and "," not in number
    # 10 with a small raised number is a power, never a longer number; other raised numbers are marks of footnotes.
    value = Decimal(10 ** int(unicodedata.normalize("NFKC", part["power"]))) if part["power"] else _decimal(number)
    return Figure(
        match.string[start:end].strip(),
        start,
        end,
        Decimal(0) if several else value * scale,
        scale,
        sign,
        bool(part["percent"] or part["percent_behind"]),
        currency_key(mark),
        name=number if several else "",
    )


def _decimal(number: str) -> Decimal:
    if number.count(".") > 1 and "," not in number:
        return Decimal(0)
    if mixed := re.fullmatch(rf"(\d*)[\s-]?(?:(\d)/(\d)|({_FRACTION}))", number):
        part = Decimal(mixed[2]) / Decimal(mixed[3]) if mixed[2] else Decimal(unicodedata.numeric(mixed[4]))
        return Decimal(mixed[1] or 0) + part.quantize(Decimal("0.000001")).normalize()
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", number):
        return Decimal(number.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d+,\d{1,2}", number):
        return Decimal(number.replace(",", "."))
    return Decimal(re.sub(_SEPARATOR, "", number))


def _spelled(match: re.Match[str]) -> Figure:
    total, part = 0, 0
    for word in re.split(r"[\s-]+", match[0].lower()):
        if word in SCALES and SCALES[word] > 100:
            total, part = total + (part or 1) * SCALES[word], 0
        elif word == "hundred":
            part = (part or 1) * 100
        elif word != "and":
            part += UNITS.get(word, TENS.get(word, 0))
    value, end = Decimal(total + part), match.end()
    if (half := _HALF.match(match.string, end)) and value < 100:
        value, end = value + Decimal(1) / (2, 3, 4)[(half.lastindex or 1) - 1], half.end()
    percent = bool(_PERCENT_WORD.match(match.string, end))
    return Figure(match.string[match.start() : end], match.start(), end, value, percent=percent, spelled=True)


def scales_named(text: str) -> frozenset[int]:
    """The scales that a table's header or a column's name gives to its figures: 10**6 for "in millions" or "£m".

    A scale word behind a figure ("sales of $7 million", "seven million") belongs to that figure alone.
    """
    words = (next(filter(None, match.groups())).lower() for match in _SCALE_NAMED.finditer(text))
    return frozenset(1000 if "0" in word else _SCALES[word.rstrip("s")] for word in words)
