"""The unit beside a figure, and the same amount in the whole unit: cents as dollars, basis points as per cent. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from ralph_cli.text.quantities.currencies import CENT_CURRENCIES, DOLLARS, currency_after
from ralph_cli.text.quantities.figures import Figure

_POINTS_BEHIND = re.compile(r"[\s-]?(?:bps?|basis[\s-]+points?)\b", re.IGNORECASE)
_COUNTED = "employees|people|persons|shares|stores|customers|countries|units|aircraft|members|shareholders"
_MEASURES = {
    "business day": r"(?:business|working)[\s-]+days?", "trading day": r"trading[\s-]+days?", "day": "days?",
    "night": "nights?", "week": "weeks?", "month": "months?", "quarter": "quarters?", "year": "years?",
    "decade": "decades?", "hour": "hours?", "minute": "minutes?", "second": "seconds",
    "square kilometre": r"(?:square|sq\.?)\s+(?:kilomet(?:er|re)s?|km)", "square mile": r"(?:square|sq\.?)\s+miles?",
    "square metre": r"(?:square|sq\.?)\s+(?:met(?:er|re)s?|m)", "square foot": r"(?:square|sq\.?)\s+(?:feet|foot|ft)",
    "kilometre": "kilomet(?:er|re)s?|kms?", "mile": "miles?", "metre": "met(?:er|re)s?", "foot": "feet|foot|ft",
    "acre": "acres?", "hectare": "hectares?|ha", "tonne": r"tonnes?|metric\s+tons?", "ton": "tons?",
    "kilogram": "kilograms?|kg", "barrel": "barrels?|bbl", "gallon": "gallons?", "litre": "lit(?:er|re)s?",
    "megawatt hour": r"megawatt[\s-]hours?|MWh", "gigawatt hour": r"gigawatt[\s-]hours?|GWh",
    "megawatt": "megawatts?|MW", "gigawatt": "gigawatts?|GW", "count": _COUNTED,
}  # fmt: skip
_MEASURE_BEHIND = re.compile(
    r"(?i)(?:\s*\([\w-]+\))?\)?[\s-]+(?:(?:calendar|full|further|consecutive|fiscal|clear)[\s-]+)*"
    rf"(?:{'|'.join(f'({measure})' for measure in _MEASURES.values())})\b"
)
_KINDS = tuple(_MEASURES)

STRICT_UNITS = frozenset(_KINDS[: _KINDS.index("second") + 1]) | {"count"}
"""Units that a rounded figure must share with its source: a number of days is none of months, whatever it is."""


def unit_of(figure: Figure, text: str) -> str:
    """What stands directly beside a figure: "percent", "bps", a currency, a unit of time or size, "count"; else ""."""
    if figure.percent:
        return "percent"
    if figure.currency:
        # "$5 million CAD" is in Canadian dollars.
        behind = currency_after(text, figure.end) if figure.currency == "$" else ""
        return behind if behind in DOLLARS else figure.currency
    if _POINTS_BEHIND.match(text, figure.end):
        return "bps"
    if money := currency_after(text, figure.end):
        return money
    match = _MEASURE_BEHIND.match(text, figure.end)
    return _KINDS[(match.lastindex or 1) - 1] if match else ""


_DURATIONS = {"month": ("months", 1), "quarter": ("months", 3), "year": ("months", 12), "decade": ("months", 120)}
_DURATIONS |= {"day": ("days", 1), "week": ("days", 7)}


def duration(figure: Figure, text: str) -> tuple[str, Decimal] | None:
    """How long a time is, in months or in days, as ("months", 12); None if the figure is of no time, or of less."""
    unit = unit_of(figure, text)
    if figure.name or figure.percent or unit not in _DURATIONS:
        return None
    kind, count = _DURATIONS[unit]
    return kind, figure.value * count


def in_whole_units(figure: Figure, text: str) -> Iterator[Figure]:
    """A figure of cents, pence or basis points as one of the whole unit: 74 cents are $0.74, 50 basis points 0.5%."""
    unit = unit_of(figure, text)
    if unit not in ("bps", "cent", "pence") or figure.scale != 1 or figure.name:
        return
    value = figure.value / 100
    whole = replace(figure, text=f"{value:f}", value=value, spelled=False, currency="")
    if unit == "bps":
        yield replace(whole, percent=True)
    for currency in CENT_CURRENCIES if unit == "cent" else ("\u00a3",) if unit == "pence" else ():
        yield replace(whole, currency=currency)
