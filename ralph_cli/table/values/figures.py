"""What a figure of a statement measures, in base units.

Only this module connects values to the reader of quantities.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ralph_cli.table.values.writing import count_decimals, write_amount, write_measure
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.vocabulary import singular

_CODES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
# The words that tell which currency is meant by "dollars" or by a sign that several currencies share.
_OWNERS = {"$": r"USD|(?:US|U\.S\.)\s?(?:\$|dollar)", "¥": r"JPY|\byen\b"}

# Units of time, in units of which they are a whole number by definition. A month is not a fixed number of days.
_LENGTHS = {
    "second": ("second", 1), "minute": ("second", 60), "hour": ("second", 3_600), "day": ("second", 86_400),
    "week": ("second", 604_800), "month": ("month", 1), "quarter": ("month", 3), "year": ("month", 12),
    "decade": ("month", 120),
}  # fmt: skip

# A decimal fraction in one language, thousands in another.
_DOUBTFUL = re.compile(r"[1-9]\d{0,2}\.\d{3}(?!\d)")

_WORDS_OF_UNIT = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a statement: what it counts (`kind` and `base`), and how many.

    `unit` names its unit for people, and `scale` is that unit in `base` units. `nouns` are the words after it. `per` is
    the reference of a rate (" per year").
    """

    quantity: Quantity
    kind: str
    base: str
    number: Decimal
    unit: str = ""
    scale: Decimal = Decimal(1)
    per: str = ""

    @property
    def text(self) -> str:
        """Return the figure in its own unit, for people."""
        if not self.is_plain:
            return self.quantity.text
        own = self.number / self.scale
        if self.kind == "money":
            return write_amount(own, self.unit) + self.per
        return write_measure(own, self.unit) + self.per

    @property
    def is_plain(self) -> bool:
        """Whether the figure is a number, not "a third", "7-for-1" or a count of cents of an unnamed currency."""
        return not self.quantity.wording and self.kind != "cents" and (self.kind != "ratio" or not self.base)

    @property
    def amount(self) -> tuple[str, str, Decimal]:
        """Return a key that is equal for figures that state the same amount."""
        return self.kind, self.base, self.number

    def renamed(self, currency: str) -> "Figure":
        """Return the same amount in a currency, if the statement has only the currency's sign."""
        return replace(self, base=currency, unit=currency)

    @property
    def is_doubtful(self) -> bool:
        """Whether its point may be a thousands separator: "1.284 employees"."""
        quantity = self.quantity
        counted = self.kind in ("count", "time", "money") and quantity.power is None and quantity.decimals == 3
        return counted and _DOUBTFUL.search(quantity.text) is not None


def read_figures(statement: str) -> list[Figure]:
    """Return all figures of a statement that measure or count something, in order."""
    found = read_quantities(statement, "prose")
    return [_figure(statement, one) for one in found if one.is_measured and one.kind != "ordinal"]


def read_unit(unit: str) -> Figure | None:
    """Return one unit of what a question wants, such as "1 day" for "days"; None if its words or signs are unknown."""
    signs = (f"{sign}1" for sign in unit if not sign.isalnum())
    for text in (f"1 {unit}", f"{unit} 1", *(f"1 {word}" for word in unit.split()), *signs):
        found = read_quantities(text, "prose")
        if any(one.kind == "currency" for one in found):
            return _figure(f"{text} USD", next(one for one in found if one.kind == "currency"))
    found = read_quantities(f"1 {unit}", "prose")
    is_read = len(found) == 1 and all(sign.isalpha() or sign in " .-%" for sign in unit)
    if not is_read or not found[0].is_measured:
        return None
    one = _figure(f"1 {unit}", found[0])
    return replace(one, unit=unit.split()[-1]) if one.kind == "count" else one


def drop_repetitions(statement: str) -> str:
    """Return a statement without brackets that repeat a number: "30 days" for "30 (thirty) days"."""
    found = read_quantities(statement, "prose")
    for number in range(len(found) - 1, 0, -1):
        one, again = found[number - 1], found[number]
        is_aside = statement[one.end : again.start].strip() == "(" and again.text.endswith(")")
        if is_aside and one.value == again.value and one.kind == again.kind == "none":
            statement = statement[: one.end] + statement[again.end :]
    return statement


def _figure(statement: str, one: Quantity) -> Figure:
    number = one.value.scaleb(one.power or 0)
    per = "".join(f" per {what}" for what in (_per_thing(statement, one), one.per_time) if what)
    match one.kind:
        case "currency":
            code = _currency(statement, one)
            return Figure(one, "cents" if code == "CENT" else "money", code, number, code, per=per)
        case "duration":
            base, length = _LENGTHS.get(one.unit, (one.unit, 1))
            plural = "" if one.value == 1 and not one.power else "s"
            return Figure(one, "time", base, number * length, one.unit + plural, Decimal(length), per)
        case "percent":
            return Figure(one, "percent", "", number, "%", per=per)
        case "points":
            basis = one.unit == "basis point"
            unit = "basis points" if basis else "percentage points"
            return Figure(one, "points", "", number, unit, Decimal("0.01") if basis else Decimal(1), per)
        case "physical":
            unit, scale = _written_unit(statement, one)
            return Figure(one, "size", one.unit, number, unit, scale, per)
        case "ratio":
            return Figure(one, "ratio", one.unit, number)
        case _:
            return Figure(one, "count", "", number, per=per)


def _per_thing(statement: str, one: Quantity) -> str:
    """Return the reference of a rate in the words of the statement: "share", "MWh", "square foot"."""
    behind = re.match(r"(?i)\W*?(?:per|an?|each|every|/)\s*(?:(sq)\w*\W+|(cu)\w*\W+)?([^\W\d_]+)", statement[one.end :])
    if not one.per_thing or behind is None:
        return one.per_thing
    return f"square {singular(behind[3])}" if behind[1] else f"cubic {singular(behind[3])}" if behind[2] else behind[3]


def _currency(statement: str, one: Quantity) -> str:
    """Return the code of the figure's currency. A sign that several currencies share stays a sign."""
    owner = _OWNERS.get(one.unit)
    if owner is not None and not re.search(owner, statement):
        return one.unit
    return _CODES.get(one.unit, one.unit.upper())


def _written_unit(statement: str, one: Quantity) -> tuple[str, Decimal]:
    """Return the unit of size as the statement writes it ("MW"), and its size in base units (watts)."""
    words = re.findall(r"[^\s\d,;:()]+", statement[one.end : one.end + 60])[:_WORDS_OF_UNIT]
    for count in range(1, len(words) + 1):
        unit = " ".join(words[:count]).rstrip(".")
        read = read_quantities(f"1 {unit}", "prose")
        if len(read) == 1 and (read[0].kind, read[0].unit) == ("physical", one.unit):
            return unit, Decimal(1).scaleb(read[0].power or 0)
    return one.unit, Decimal(1)


def fits(figure: Figure, wanted: Figure, statement: str) -> bool:
    """Whether a figure of a statement matches what is wanted: "12 employees", but not "12 employee seats"."""
    if figure.kind != wanted.kind or figure.base != wanted.base or wanted.per not in ("", figure.per):
        return False
    nouns = wanted.quantity.nouns
    if figure.kind != "count" or not nouns:
        return True
    named = re.match(rf"(?i)[^\d.,;:]*?(?<!\w){re.escape(wanted.unit)}(?!\w)", statement[figure.quantity.end :])
    return set(nouns) <= set(figure.quantity.nouns) and (named is not None or figure.number == 1)


def is_exact(number: Decimal) -> bool:
    """Whether a converted number can be written without rounding: "1.5 years"."""
    return count_decimals(number) <= 6


def distinct(figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures without those that repeat an earlier figure."""
    return list({figure.amount: figure for figure in reversed(figures)}.values())[::-1]
