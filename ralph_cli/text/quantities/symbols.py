"""Symbols of units behind a figure, as the text writes them: "pF", "ng/mL", "kg/m³". Pure.

Prefixes, units and their names are those of the SI brochure (9th edition, tables 2, 4, 7 and 8), with the watt-hour,
the ampere-hour, the volt-ampere, the bar and the suffixes DC and AC.
"""

from itertools import product

from ralph_cli.core.deferred import re

_PREFIXES = {
    "f": "femto", "p": "pico", "n": "nano", "\u00b5": "micro", "m": "milli", "c": "centi", "d": "deci", "h": "hecto",
    "k": "kilo", "M": "mega", "G": "giga", "T": "tera",
}  # fmt: skip
_UNITS = {
    "m": "metre meter", "g": "gram", "s": "second", "A": "ampere amp", "K": "kelvin", "mol": "mole", "cd": "candela",
    "Hz": "hertz", "N": "newton", "Pa": "pascal", "J": "joule", "W": "watt", "C": "coulomb", "V": "volt", "F": "farad",
    "\u03a9": "ohm", "S": "siemens", "Wb": "weber", "T": "tesla", "H": "henry", "lm": "lumen", "lx": "lux",
    "Bq": "becquerel", "Gy": "gray", "Sv": "sievert", "kat": "katal", "L": "litre liter", "t": "tonne",
    "eV": "electronvolt", "Wh": "watthour", "bar": "bar", "Ah": "amperehour", "VA": "voltampere",
}  # fmt: skip
_SAME_LETTERS = str.maketrans({"\u03bc": "\u00b5", "u": "\u00b5", "\u2126": "\u03a9", "2": "\u00b2", "3": "\u00b3"})
"""Letters that Unicode has twice, and what stands for µ and for raised figures where a keyboard lacks them."""

_LITRE = re.compile(rf"(?<![^\W\d_])([{''.join(_PREFIXES)}]?)l(?![^\W\d_])")

_NAMED = {
    prefix_name + name: prefix + unit
    for (prefix, prefix_name), (unit, names) in product([("", ""), *_PREFIXES.items()], _UNITS.items())
    for name in names.split()
}
_PART = rf"(?:[{''.join(_PREFIXES)}\u03bcu]|)(?:{'|'.join(_UNITS)}|l|\u2126)(?:DC|AC|[23\u00b2\u00b3])?"
_SYMBOL = re.compile(rf"[ \u00a0\u2009\u202f-]?({_PART}(?:[/\u00b7]{_PART})*)(?![^\W_]|[/\u00b7%])")
_NAME = re.compile(r"[ \u00a0-]([^\W\d_]+)")


def symbol_behind(text: str, end: int) -> str:
    """The symbol of the unit that is written, or named, directly behind a figure that ends at `end`; "" for none."""
    if match := _SYMBOL.match(text, end):
        return _LITRE.sub(r"\1L", match[1].translate(_SAME_LETTERS))
    name = _NAME.match(text, end)
    word = name[1].lower() if name else ""
    return _NAMED.get(word) or _NAMED.get(word.removesuffix("s"), "")


def symbols_differ(one: str, other: str) -> bool:
    """Whether two symbols are of different units; one that is not said to be "per" anything may be so."""
    (unit, *per), (another, *other_per) = one.split("/"), other.split("/")
    return unit != another or bool(per and other_per and per != other_per)
