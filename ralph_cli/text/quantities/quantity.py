"""A figure of a text as the quantity that it states: number, rounding, scale, unit and what else is written of it."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple

# What a number measures. "points" are percentage points, and basis points as hundredths of them; a "ratio" is a
# multiple or a share ("2.7 times", "a third"); an "identifier" is a name with digits ("10-K", "Note 5") and no
# quantity; a number without anything said of it is of kind "none".
Kind = Literal[
    "none", "currency", "percent", "points", "ratio", "duration", "physical", "count", "ordinal", "date", "identifier"
]

Bound = Literal["", "over", "under"]
Wording = Literal["", "share", "multiple"]


_SMALL_COUNT = 24
_FEW_MONTHS = 2
# Days of a month on which a year of 52 weeks may end that is the one before.
_MAX_WEEK_OVERRUN = 7


class Date(NamedTuple):
    """A date or a period, None for what is not said: a part of a year is "Q3" or "H2", `months` its length."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    part: str | None = None
    months: int | None = None

    @property
    def last_month(self) -> int:
        """Return the month with which a period ends, even if it ends on one of the first days of the next."""
        month = self.month or 12
        return (month - 1 or 12) if self.day is not None and self.day <= _MAX_WEEK_OVERRUN else month

    def years(self, fiscal_end: int) -> frozenset[int]:
        """Return the years by which the date may be named: its own, and the year in which its fiscal year ends.

        The year before is included if few months of the fiscal year are in the later year.
        """
        if self.year is None or self.month is None:
            return frozenset(filter(None, (self.year,)))
        month = self.last_month
        ends = self.year - (month > self.month) + (month > fiscal_end)
        return frozenset((self.year, ends, ends - (fiscal_end <= _FEW_MONTHS)))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity at text[start:end].

    `value` is the number as it is written, with its sign and without its scale; of cents and basis points the
    hundredth. `decimals` is how many are shown, `power` the scale that is written beside it as a power of ten (6 for
    "million"), None for none. `unit` is a currency's key, a unit of time or size, or the noun that is counted; `nouns`
    are the words behind it, in the singular. `per_time` and `per_thing` are what it is stated for ("month", "share").
    `symbol` is the unit's symbol where it is of the SI, as it is written or named behind the figure: "pF", "ng/mL".
    `wording` marks shares and multiples in words, which are rounded freely. `last` is the far end
    of a range of whole numbers ("7 through 9"). `date` is set for dates alone.
    """

    text: str
    start: int
    end: int
    value: Decimal
    decimals: int = 0
    power: int | None = None
    kind: Kind = "none"
    unit: str = ""
    nouns: tuple[str, ...] = ()
    per_time: str = ""
    per_thing: str = ""
    approximate: bool = False
    bound: Bound = ""
    wording: Wording = ""
    last: Decimal | None = None
    date: Date = field(default_factory=Date)
    symbol: str = ""

    @property
    def worded(self) -> bool:
        """Whether the quantity is a share or a multiple in words."""
        return bool(self.wording)

    @property
    def is_small(self) -> bool:
        """Whether the quantity is a whole number that may count things in a text, which code cannot check."""
        return self.power is None and not self.decimals and abs(self.value) <= _SMALL_COUNT

    @property
    def is_measured(self) -> bool:
        """Whether the quantity is an amount, not a date or a name."""
        return self.kind not in ("date", "identifier")
