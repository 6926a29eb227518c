"""A figure of a text as a quantity: number, rounding, scale, unit and other details of its wording."""

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
# A year of 52 weeks may end on one of the first days of a month and still belong to the month before.
_MAX_WEEK_OVERRUN = 7


class Date(NamedTuple):
    """A date or a period. Parts that are not stated are None. `part` is "Q3" or "H2"; `months` is the length of a
    period.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    part: str | None = None
    months: int | None = None

    @property
    def last_month(self) -> int:
        """The last month of a period; a period that ends on the first days of a month belongs to the month before."""
        month = self.month or 12
        return (month - 1 or 12) if self.day is not None and self.day <= _MAX_WEEK_OVERRUN else month

    def years(self, fiscal_end: int) -> frozenset[int]:
        """Return the years by which it may be named: its own, and the year in which its fiscal year ends.

        The year before that also counts if the fiscal year has only few months in its last calendar year.
        """
        if self.year is None or self.month is None:
            return frozenset(filter(None, (self.year,)))
        month = self.last_month
        ends = self.year - (month > self.month) + (month > fiscal_end)
        return frozenset((self.year, ends, ends - (fiscal_end <= _FEW_MONTHS)))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity at text[start:end].

    `value` is the number as written, with its sign and without its scale; cents and basis points are divided by 100.
    `decimals` is the number of decimals shown. `power` is the written scale as a power of ten (6 for "million"), or
    None. `unit` is a currency's key, a unit of time or size, or the counted noun. `nouns` are the words after it, in
    the singular. `per_time` and `per_thing` are what it is stated for ("month", "share"). `symbol` is the SI symbol of
    the unit, as written or named after the figure: "pF", "ng/mL". `wording` marks shares and multiples in words, which
    are rounded freely. `last` is the end of a range of whole numbers ("7 through 9"). Only dates have `date`.
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
        """Whether it is a share or a multiple in words."""
        return bool(self.wording)

    @property
    def is_small(self) -> bool:
        """Whether it is a small whole number, which may be a count of things in a text that code cannot check."""
        return self.power is None and not self.decimals and abs(self.value) <= _SMALL_COUNT

    @property
    def is_measured(self) -> bool:
        """Whether it is an amount, and neither a date nor a name."""
        return self.kind not in ("date", "identifier")
