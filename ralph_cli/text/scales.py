"""Statements of scale and unit: "(in millions, except per share data)", "単位：百万円", "Fuel used (t)". Pure."""

# ruff: noqa: SIM905

import re
from dataclasses import dataclass

from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.vocabulary import EAST_ASIAN_SCALES, LITTLE_WORDS, UNKNOWN_UNIT, singular

SCALE_WORDS = {
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
    "tsd": 3,
    "mn": 6,
    "mio": 6,
    "bn": 9,
    "m": 6,
    "k": 3,
    "0": 3,
}
_SCALE = "thousand|million|billion|trillion|tsd|mn|bn"
_MONEY = r"(?:[$\u20ac\u00a3\u00a5]|dollars?\b|euros?\b|pounds\b|U\.?S\.?\s+dollars?\b|(?-i:\b[A-Z]{3}\b))"
# A scale that is named for a table, apart from any figure: "(in millions)", "$000s", "EUR bn", "単位：百万円".
SCALE_STATEMENT = re.compile(
    rf"(?im)(?:(?:\bin|\()\s*(?:(?:U\.?S\.?\s+)?{_MONEY}\s*)?|^\s*(?=\w+s\b)|_)(?P<word>{_SCALE})s?(?![^\W_])"
    rf"(?!\s+of\b(?!\s+(?:[A-Z][\w.]*\s+){{0,2}}{_MONEY}))|\bin\s+(?P<things>{_SCALE})s(?=\s+of\s)"
    rf"|{_MONEY}\s*(?P<mark>{_SCALE}|mn|mio|bn|m|k)s?(?![^\W_])"
    rf"|(?:{_MONEY}|\bin|\()\s*['\u2018\u2019]?00(?P<zeros>0)(?:['\u2019]?s)?(?![\w,.])"
    r"|(?<![^\W\d_])(?-i:[Tk])(?P<kilo>)(?:€|(?-i:EUR)\b)"
    r"|(?<![\d.数几幾])(?P<east>(?<![十百千万萬亿億兆])[十百千万萬亿億兆]+)[元円圓]"
)

EXCEPTION = re.compile(r"(?i)\b(?:except|excluding|other than|unless)\b([^)\n]*(?:\n[^)\n]{0,80})?)")
_EXCEPT_REACH = 200
_CONTENT = re.compile(r"[^\W\d_]{3,}")
_GENERIC = frozenset(
    (
        "data amount amounts figure information where noted otherwise indicated stated item shown dollar thousand "
        "million billion expressed"
    ).split()
)
_UNIT_BEHIND = re.compile(r"(?:\((?:in )?|, )((?:[^\W\d_]|[%/.\u00b7 ]){1,30})\)?[ *:]*$")
_UNITS = ("percent", "points", "physical", "duration")


@dataclass(frozen=True, slots=True)
class Scales:
    """The scales that some lines name, as powers of ten, and what they except.

    Each exception is the set of words that a row's label must have: all of "revenue per membership". Of one that begins
    with "per" nothing is scaled; of another one ("shares") some amounts may be.
    """

    powers: frozenset[int] = frozenset()
    exceptions: frozenset[frozenset[str]] = frozenset()


def read_unit(label: str) -> Quantity | None:
    """One of the unit that the end of a label names in brackets: "Fuel used (t)", "Margin (bps)"; None for none."""
    match = _UNIT_BEHIND.search(label)
    words = match[1].split() if match else []
    for at in range(len(words) if label.rstrip(" *:").endswith(")") else 1):  # "(diluted US cents)"
        found = read_quantities(" ".join(("1", *words[at:])), "prose")
        price = found[0].kind == "currency" and (found[0].value != 1 or found[0].per_thing) if found else False
        # Capitals are more often something else: "Part (PA)" is counted in no petaamperes.
        is_symbol = bool(found) and found[0].symbol not in ("", UNKNOWN_UNIT) and not words[at].isupper()
        is_known = bool(found) and (found[0].kind in _UNITS or is_symbol)
        if len(found) == 1 and (is_known or price):
            return found[0]
    return None


def content_words(text: str) -> frozenset[str]:
    """Return the words of a label that distinguish it from others, in the singular."""
    return frozenset(map(singular, _CONTENT.findall(text))) - _GENERIC - LITTLE_WORDS


def read_scales(text: str) -> Scales:
    """Return the scales that a text names for figures of a table; "sales of $7 million" names none."""
    powers: set[int] = set()
    exceptions: set[frozenset[str]] = set()
    for match in SCALE_STATEMENT.finditer(text):
        powers.add(_power_of(match))
        if excepted := EXCEPTION.search(text, match.end(), match.end() + _EXCEPT_REACH):
            items = re.split(r",|\band\b|\bor\b", excepted[1])
            exceptions |= {_exception(item) for item in items if content_words(item)}
    return Scales(frozenset(powers), frozenset(exceptions))


def _power_of(statement: "re.Match[str]") -> int:
    """Return the power of ten of a statement of scale."""
    kilo = "k" if statement["kilo"] is not None else ""
    word = statement["word"] or statement["things"] or statement["mark"] or statement["zeros"] or kilo
    return SCALE_WORDS[word.lower()] if word else sum(map(EAST_ASIAN_SCALES.__getitem__, statement["east"]))


def _exception(item: str) -> frozenset[str]:
    return content_words(item) | ({"per"} if re.match(r"\s*per\b", item) else frozenset())
