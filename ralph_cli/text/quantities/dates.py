"""Dates of a text, however they are written, as the days, months and years that they may mean. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ralph_cli.text.lexicon import MONTHS

_NAMED = [*(m.capitalize() for m in MONTHS), "Sept", *(m[:3].capitalize() for m in MONTHS if m != "may")]
_MONTH = "|".join([*_NAMED, *(m.upper() for m in MONTHS)])
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
class Date:
    """A date in a text, at text[start:end]: every (year, month, day) it may mean; None for what it leaves out."""

    text: str
    start: int
    end: int
    meanings: tuple[tuple[int | None, int, int | None], ...]

    def agrees(self, other: "Date") -> bool:
        """Whether the other date may be the same day, or the month or year of it that this one names."""
        return any(
            all(part is None or part == other_part for part, other_part in zip(meaning, other_meaning, strict=True))
            for meaning in self.meanings
            for other_meaning in other.meanings
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
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(name[:3].lower()))
