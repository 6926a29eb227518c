"""Closed classes of words that describe a number: scales, fractions, units and their symbols, hedges. Pure."""

# ruff: noqa: SIM905

import re
from decimal import Decimal
from itertools import pairwise, product

from ralph_cli.text import lexicon
from ralph_cli.text.lexicon import FOREIGN_PARTS, ORDINALS, STOP_WORDS, TENS, UNITS

SCALES = {
    "thousand": 3, "tsd": 3, "k": 3, "million": 6, "mn": 6, "mm": 6, "m": 6, "mio": 6, "mln": 6, "billion": 9, "bn": 9,
    "b": 9, "mrd": 9, "trillion": 12, "tn": 12, "lakh": 5, "crore": 7,
}  # fmt: skip
# Scales of Chinese, Japanese and Korean; two adjacent ones are multiplied.
EAST_ASIAN_SCALES = dict(zip("十百千万萬亿億兆천만억조", (1, 2, 3, 4, 4, 8, 8, 12, 3, 4, 8, 12), strict=True))

SCALES |= EAST_ASIAN_SCALES
SCALES |= {f"{word}s": SCALES[word] for word in ("thousand", "million", "billion", "trillion")}
# Scales of one letter, which must be glued to their number.
LETTER_SCALES = frozenset("kmb")

FRACTIONS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8}
FRACTIONS |= {"ninth": 9, "tenth": 10, "twentieth": 20, "hundredth": 100}
TIMES = {
    "day": "day", "night": "night", "week": "week", "month": "month", "mo": "month", "quarter": "quarter",
    "year": "year",
    "yr": "year", "annum": "year", "hour": "hour", "minute": "minute", "second": "second", "sec": "second",
    "decade": "decade", "fortnight": "fortnight", "h": "hour", "hr": "hour", "min": "minute",
    "s": "second", "ms": "millisecond", "millisecond": "millisecond",
}  # fmt: skip
# Words that say which time an amount is stated for.
PACES = {
    "annual": "year", "yearly": "year", "annually": "year", "annualised": "year", "annualized": "year",
    "quarterly": "quarter", "monthly": "month", "weekly": "week", "daily": "day", "hourly": "hour",
}  # fmt: skip

WORKING_DAYS = {
    "business": "business day",
    "working": "business day",
    "banking": "business day",
    "trading": "trading day",
}

_SPELLINGS = {
    "foot": "foot feet ft", "metre": "metre meter", "kilometre": "kilometre kilometer km", "mile": "mile mi",
    "centimetre": "centimetre centimeter cm", "millimetre": "millimetre millimeter mm",
    "yard": "yard", "inch": "inch", "acre": "acre", "hectare": "hectare ha", "gallon": "gallon", "litre": "litre liter",
    "barrel": "barrel bbl", "ton": "ton", "tonne": "tonne mt t", "gram": "gram g", "kilogram": "kilogram kg",
    "ounce": "ounce oz", "bushel": "bushel", "watt": "watt", "watt hour": "watthour", "hertz": "hertz", "byte": "byte",
    "degree": "degree", "pound": "lb lbs", "square foot": "sqft", "square metre": "sqm sqmetre",
    "milligram": "milligram mg", "microgram": "microgram mcg \u00b5g", "millilitre": "millilitre milliliter ml",
    "nautical mile": "nm nmi", "part per million": "ppm", "part per billion": "ppb", "knot": "knot kn kts",
}  # fmt: skip
_PREFIXES = {"": 0, "k": 3, "m": 6, "g": 9, "t": 12, "kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15}
_PREFIXED = {"wh": "watt hour", "w": "watt", "wac": "watt", "wdc": "watt", "wp": "watt", "hz": "hertz", "byte": "byte"}
_PREFIXED |= {"watthour": "watt hour", "watt": "watt", "hertz": "hertz"}
PHYSICAL = {p + symbol: (unit, power) for p, power in _PREFIXES.items() for symbol, unit in _PREFIXED.items()}
PHYSICAL |= {spelling: (unit, 0) for unit, spellings in _SPELLINGS.items() for spelling in spellings.split()}
PHYSICAL |= {"gb": ("byte", 9), "tb": ("byte", 12), "pb": ("byte", 15), "kt": ("tonne", 3), "m": ("metre", 0)}
"""Units of size, weight and energy as they are written, each with its unit and the power of ten of its prefix."""

_METRES = {"foot": "0.3048", "inch": "0.0254", "yard": "0.9144", "mile": "1609.344", "kilometre": "1000"}
_METRES |= {"metre": "1", "centimetre": "0.01", "millimetre": "0.001"}
SIZES = {unit: ("metre", Decimal(size)) for unit, size in _METRES.items()}
SIZES |= {f"square {unit}": ("square metre", Decimal(size) ** 2) for unit, size in _METRES.items()}
SIZES |= {"acre": ("square metre", Decimal("4046.8564224")), "hectare": ("square metre", Decimal(10000))}
SIZES |= {"gram": ("gram", Decimal(1)), "kilogram": ("gram", Decimal(1000)), "tonne": ("gram", Decimal(10**6))}
SIZES |= {"pound": ("gram", Decimal("453.59237")), "ton": ("gram", Decimal("907184.74"))}
SIZES |= {"milligram": ("gram", Decimal("0.001")), "microgram": ("gram", Decimal("0.000001"))}
SIZES |= {"nautical mile": ("metre", Decimal(1852)), "millilitre": ("litre", Decimal("0.001"))}
SIZES |= {"litre": ("litre", Decimal(1)), "gallon": ("litre", Decimal("3.785411784"))}
# Units that can be converted, each with its base unit: international feet, acres and miles, and US gallons, tons and
# barrels.
SIZES["barrel"] = "litre", Decimal("158.987294928")

# What follows a unit of length to make an area or volume: "km2", "m³".
RAISED_UNITS = {"2": "square", "\u00b2": "square", "3": "cubic", "\u00b3": "cubic"}

AREAS = {"square": "square ", "sq": "square ", "cubic": "cubic ", "cu": "cubic ", "nautical": "nautical "}

OVER = frozenset("over exceed exceeds exceeded exceeding above topped beyond surpassed upwards > ≥".split())
UNDER = frozenset("under below nearly almost short < ≤".split())
ABOUT = frozenset("about approximately around roughly some nearly almost circa ca approx close ~ ≈".split())

# Words after which a number is a name and not an amount.
REFERENCES = frozenset((*FOREIGN_PARTS, *lexicon.REFERENCES)) | frozenset(
    (
        "section subsection article clause subclause item note exhibit schedule page part table form rule paragraph "
        "appendix annex topic level chapter series draft version step phase stage option question lot tranche category "
        "tier volume box round proposal resolution §"
    ).split()
)

# Function words; the counted noun ends before them.
LITTLE_WORDS = STOP_WORDS | frozenset(
    "per since upon among within compared versus less fewer higher lower larger smaller greater".split()
)

NUMBER_WORDS = frozenset((*UNITS, *TENS, *ORDINALS))
_IRREGULAR = {
    "ft": "foot",
    "feet": "foot",
    "inches": "inch",
    "sq": "square",
    "halves": "half",
    "people": "person",
    "countries": "country",
}


_UNIT_WORD = re.compile(r"[a-z]+[23\u00b2\u00b3]?")


def units_named(text: str) -> frozenset[str]:
    """Return the units of size that a text names anywhere: "square foot" for "sq ft", "square kilometre" for "km2"."""
    words = [singular(word) for word in _UNIT_WORD.findall(text.lower())]
    found = {AREAS.get(before, "") + PHYSICAL[word][0] for before, word in pairwise(("", *words)) if word in PHYSICAL}
    raised = ((word[:-1], RAISED_UNITS[word[-1]]) for word in words if word[-1] in RAISED_UNITS)
    found |= {f"{power} {PHYSICAL[word][0]}" for word, power in raised if word in PHYSICAL}
    return frozenset(found | {word for word in words if word in SIZES})


def singular(word: str) -> str:
    """Return a noun in lower case without its plural ending."""
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


# Symbols of units. Prefixes, units and their names are those of the SI brochure (9th edition, tables 2, 4, 7 and 8),
# with some others that engineers write, and the suffixes DC and AC.

_SI_PREFIXES = {
    "f": "femto", "p": "pico", "n": "nano", "\u00b5": "micro", "m": "milli", "c": "centi", "d": "deci", "h": "hecto",
    "k": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta", "E": "exa",
}  # fmt: skip
_SI_POWERS = dict(zip(_SI_PREFIXES, (-15, -12, -9, -6, -3, -2, -1, 2, 3, 6, 9, 12, 15, 18), strict=True))
_SI_UNITS = {
    "m": "metre meter", "g": "gram", "s": "second", "A": "ampere amp", "K": "kelvin", "mol": "mole", "cd": "candela",
    "Hz": "hertz", "N": "newton", "Pa": "pascal", "J": "joule", "W": "watt", "C": "coulomb", "V": "volt", "F": "farad",
    "\u03a9": "ohm", "S": "siemens", "Wb": "weber", "T": "tesla", "H": "henry", "lm": "lumen", "lx": "lux",
    "Bq": "becquerel", "Gy": "gray", "Sv": "sievert", "kat": "katal", "L": "litre liter", "t": "tonne",
    "eV": "electronvolt", "Wh": "watthour", "bar": "bar", "Ah": "amperehour", "VA": "voltampere",
    "B": "byte", "bps": "", "psi": "", "rpm": "", "IU": "",
}  # fmt: skip
# Letters that Unicode has twice, and keyboard replacements for µ and raised figures.
_SAME_LETTERS = str.maketrans({"\u03bc": "\u00b5", "u": "\u00b5", "\u2126": "\u03a9", "2": "\u00b2", "3": "\u00b3"})

_LITRE = re.compile(rf"(?<![^\W\d_])([{''.join(_SI_PREFIXES)}]?)l(?![^\W\d_])")

_SI_NAMES = {
    prefix_name + name: prefix + unit
    for (prefix, prefix_name), (unit, names) in product([("", ""), *_SI_PREFIXES.items()], _SI_UNITS.items())
    for name in names.split()
}
_SI_NAMES |= {"kilohm": "k\u03a9", "megohm": "M\u03a9", "cc": "mL", "msec": "ms", "Nm": "N\u00b7m"}
_PART = rf"(?:[{''.join(_SI_PREFIXES)}\u03bcu]|)(?:{'|'.join(_SI_UNITS)}|l|\u2126)[23\u00b2\u00b3]?"
_SYMBOL = re.compile(rf"[ \u00a0\u2009\u202f-]?({_PART}(?:[/\u00b7]{_PART})*)(?: ?[DA]C)?(?![^\W_])")
_NAME = re.compile(r"[ \u00a0-]?([^\W\d_]+)(?P<more>[ -](?:of\b|\w+))?")
# Stands for a unit of several words whose symbol is unknown.
UNKNOWN_UNIT = "?"


def symbol_behind(text: str, end: int) -> str:
    """Return the symbol of the unit written, or named, directly after a figure that ends at `end`; "" for none."""
    if match := _SYMBOL.match(text, end):
        return _LITRE.sub(r"\1L", match[1].translate(_SAME_LETTERS))
    if not (name := _NAME.match(text, end)):
        return ""
    symbol = _symbol_of(name[1])
    behind = (name["more"] or " ")[1:]
    return UNKNOWN_UNIT if symbol and (behind == "of" or _symbol_of(behind)) else symbol


def _symbol_of(name: str) -> str:
    """Return the symbol of a unit by its name, in the singular or plural."""
    names = (name, name.lower(), name.lower().removesuffix("s"))
    return next((_SI_NAMES[one] for one in names if one in _SI_NAMES), "")


def convert_symbol(one: str, other: str) -> Decimal | None:
    """Return how many of the second unit one of the first is: 0.001 for "pF" and "nF"; None if they do not convert."""
    parts, others = one.split("/"), other.split("/")
    read = [(_split_prefix(part), _split_prefix(another)) for part, another in zip(parts, others, strict=False)]
    # A unit without "per" may still be one.
    if any(base != other_base for (_, base), (_, other_base) in read) or min(len(parts), len(others)) == 0:
        return None
    factors = [Decimal(10) ** (power - other_power) for (power, _), (other_power, _) in read]
    return factors[0] / factors[1] if len(factors) > 1 else factors[0]


def _split_prefix(symbol: str) -> tuple[int, str]:
    """Return the power of ten of a symbol's prefix, and its unit; a raised unit multiplies the power."""
    base = symbol.rstrip("\u00b2\u00b3")
    raised = {"\u00b2": 2, "\u00b3": 3}.get(symbol[len(base) :], 1)
    has_prefix = base not in _SI_UNITS and base[:1] in _SI_POWERS and base[1:] in _SI_UNITS
    power, unit = (_SI_POWERS[base[0]] * raised, symbol[1:]) if has_prefix else (0, symbol)
    own, other = _POWERS_OF_SI.get(unit, (0, unit))
    return power + own, other


# Units that are a power of ten of another one.
_POWERS_OF_SI = {"bar": (5, "Pa"), "t": (6, "g"), "L": (-3, "m\u00b3")}


def is_sure_symbol(symbol: str) -> bool:
    """Whether letters can only be a unit: "TV" and "MS" may be words, "mA" and "k\u03a9" cannot."""
    return not (symbol.isascii() and symbol.isupper())
