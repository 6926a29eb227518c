"""Number formats of spreadsheets: how a stored value is shown (ECMA-376, part 1, 18.8.30 and 18.8.31).

Formats that depend on the user's region (ids 14, 22 and those of East Asia) are shown as ISO 8601 dates, because
03/04/2024 may be two different days.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import cached_property

from ralph_cli.documents.office.dates import DATE_TOKEN, format_date, to_moment

_LONGEST_FORMAT = 500
_LONG = Context(prec=150)
# The most digits after the decimal point in a format.
_MOST_DIGITS = 60

_BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "$#,##0;-$#,##0", 6: "$#,##0;-$#,##0", 7: "$#,##0.00;-$#,##0.00",
    8: "$#,##0.00;-$#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 41: '#,##0;(#,##0);"-";@', 42: '$#,##0;$(#,##0);$"-";@',
    43: '#,##0.00;(#,##0.00);"-";@', 44: '$#,##0.00;$(#,##0.00);$"-";@', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@", **dict.fromkeys((*range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd"),
    **dict.fromkeys(range(32, 36), "h:mm:ss"),
}  # fmt: skip
_REGIONAL = frozenset([14, 22, *range(27, 37), *range(50, 59)])
# Prefixes of codes for the long date and the time in the user's own format.
_SYSTEM = ("[$-f800]", "[$-f400]")

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]'
    r"|\[(?P<test>[<>=]+)(?P<bound>-?[\d.]+)\]|(?P<general>General)"
    rf"|(?P<date>{DATE_TOKEN})|\[[^\]]*\]|(?P<exponent>[Ee][+-])|(?P<digit>[0#?])|(?P<sign>[.,%/@])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
# The form of most figures: integer digits, decimal places, percent; "l" is any other sign.
_PLAIN = re.compile(r"(l*)(0|#,##0)(\.0{1,10})?([l%]*)")

_TESTS = {
    "<": Decimal.__lt__, ">": Decimal.__gt__, "=": Decimal.__eq__, "<=": Decimal.__le__, ">=": Decimal.__ge__,
    "<>": Decimal.__ne__,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """A value as it is shown; `is_exact` is false if digits or parts of it are left out."""

    text: str
    is_exact: bool = True


@dataclass(frozen=True)
class NumberFormat:
    """A format code, such as `#,##0.00;(#,##0.00)`; "" is the general format. `identity` is a built-in format's id."""

    code: str
    identity: int = -1

    @classmethod
    def built_in(cls, identity: int) -> "NumberFormat":
        """Return the built-in format with this id; the general format if the id is unknown."""
        return cls(_BUILT_IN.get(identity, ""), identity)

    @cached_property
    def _sections(self) -> list["_Section"]:
        return [_Section.read(part) for part in _split_sections(self.code[:_LONGEST_FORMAT])][:4]

    @cached_property
    def _of_numbers(self) -> list["_Section"]:
        return [section for section in self._sections if not section.is_text or len(self._sections) < 4]

    @cached_property
    def is_date(self) -> bool:
        """Whether it shows numbers as dates or times."""
        return any(section.is_date for section in self._sections[:1])

    @cached_property
    def is_regional(self) -> bool:
        """Whether a program shows dates or times in the format of its user's region."""
        return self.identity in _REGIONAL or self.code.lower().startswith(_SYSTEM)

    def show_text(self, text: str) -> str:
        """Return a text as it is shown."""
        section = next((one for one in self._sections if one.is_text), None)
        if section is None and len(self._sections) == 4:
            section = self._sections[3]
        if section is None:
            return text
        is_text = (kind == "general" or (kind, token) == ("sign", "@") for kind, token in section.tokens)
        return "".join(text if own else token for own, (_, token) in zip(is_text, section.tokens, strict=True))

    def show_number(self, stored: float, is_1904: bool = False) -> Shown:
        """Return a number as it is shown; `is_1904` means that days are counted from 1904-01-01."""
        value = Decimal(f"{stored:.15g}")
        section, is_negative = _choose_section(self._of_numbers, value)
        if section is None or section.is_general or section.is_text:
            affixes = section.affixes() if section else ("", "")
            text = format_general(abs(stored) if is_negative else stored)
            return Shown(f"{affixes[0]}{text}{affixes[1]}", "E" not in text or abs(Decimal(text)) == abs(value))
        if section.is_date:
            moment = to_moment(stored, section.second_digits, is_1904)
            if moment is None:
                return Shown(format_general(stored))
            return Shown(*format_date(section.tokens, moment))
        shown = section.show(abs(value))
        return Shown("-" + shown.text, shown.is_exact) if value < 0 and not is_negative else shown


def format_general(value: float) -> str:
    """Return a number in the general format: all its digits, within eleven characters."""
    if value == int(value) and abs(value) < 1e11:
        return str(int(value))
    if 1e-4 <= abs(value) < 1e11:
        places = max(10 - len(str(int(abs(value)))), 0)
        text = f"{value:.{places}f}"
        return text.rstrip("0").rstrip(".") if places else text
    mantissa, _, exponent = f"{value:.5E}".partition("E")
    return f"{mantissa.rstrip('0').rstrip('.')}E{exponent}"


def _split_sections(code: str) -> list[str]:
    parts, start = [], 0
    for token in _TOKEN.finditer(code):
        if token["other"] == ";":
            parts.append(code[start : token.start()])
            start = token.end()
    return [*parts, code[start:]] if code else []


def _choose_section(sections: list["_Section"], value: Decimal) -> tuple["_Section | None", bool]:
    """Return the section for a value, and whether the section itself shows that the value is negative."""
    if not sections:
        return None, False
    tested = [section for section in sections if section.test]
    if tested:
        for number, section in enumerate(sections[:3]):
            if section.accepts(value):
                return section, number == 1 and value < 0 and not sections[0].test
        return sections[-1], False
    if value < 0 and len(sections) > 1:
        return sections[1], True
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], False


@dataclass(frozen=True)
class _Section:
    """One section of a format: its tokens as (kind, text), and the condition for its use."""

    tokens: tuple[tuple[str, str], ...]
    test: str = ""
    bound: Decimal = Decimal(0)

    @classmethod
    def read(cls, code: str) -> "_Section":
        tokens: list[tuple[str, str]] = []
        test, bound = "", Decimal(0)
        for match in _TOKEN.finditer(code):
            kind = match.lastgroup
            if kind == "bound":
                test = match["test"] if match["test"] in _TESTS else ""
                bound = Decimal(match["bound"]) if re.fullmatch(r"-?\d+\.?\d*|-?\.\d+", match["bound"]) else bound
            elif kind in ("quoted", "escaped", "currency", "other"):
                tokens.append(("literal", match[kind]))
            elif kind is not None:
                tokens.append((kind, match[kind]))
        if tokens.count(("sign", "@")) == 0 and any(kind == "date" for kind, _ in tokens):
            # In a date format, signs other than "." are literal; "." begins the decimals of seconds.
            tokens = [
                ("literal", token) if kind == "sign" and token not in "." else (kind, token) for kind, token in tokens
            ]
        return cls(tuple(tokens), test, bound)

    @cached_property
    def is_date(self) -> bool:
        return any(kind == "date" for kind, _ in self.tokens)

    @cached_property
    def is_text(self) -> bool:
        return ("sign", "@") in self.tokens

    @cached_property
    def is_general(self) -> bool:
        return any(kind == "general" for kind, _ in self.tokens)

    @cached_property
    def second_digits(self) -> int:
        """The number of decimal places of seconds."""
        point = next((at for at, token in enumerate(self.tokens) if token == ("sign", ".")), len(self.tokens))
        return min(sum(kind == "digit" for kind, _ in self.tokens[point:]), 3)

    def accepts(self, value: Decimal) -> bool:
        return not self.test or bool(_TESTS[self.test](value, self.bound))

    def affixes(self) -> tuple[str, str]:
        """Return the texts before and after a value in the general format."""
        at = next((at for at, (kind, token) in enumerate(self.tokens) if kind == "general" or token == "@"), 0)
        sides = (self.tokens[:at], self.tokens[at + 1 :])
        before, behind = ("".join(token for kind, token in side if kind == "literal") for side in sides)
        return before, behind

    @cached_property
    def _plain(self) -> tuple[str, Decimal, str, int, str] | None:
        """The text before the digits, the last decimal place, the digit format, the percent signs, the text after.

        None unless the format is as simple as `"EUR" #,##0.00` or `0%`.
        """
        kinds = "".join("l" if kind == "literal" else token[:1] for kind, token in self.tokens)
        match = _PLAIN.fullmatch(kinds)
        if match is None:
            return None
        before, behind = len(match[1]), len(kinds) - len(match[4])
        lead, trail = ("".join(token for _, token in part) for part in (self.tokens[:before], self.tokens[behind:]))
        places = len(match[3] or ".") - 1
        return lead, Decimal(1).scaleb(-places), ",f" if "," in match[2] else "f", trail.count("%"), trail

    def show(self, value: Decimal) -> Shown:
        """Return a value without its sign as it is shown."""
        if self._plain and value.adjusted() < 20:
            before, place, written, percent, behind = self._plain
            value = value.scaleb(2 * percent)
            rounded = value.quantize(place, ROUND_HALF_UP, _LONG)
            return Shown(f"{before}{rounded:{written}}{behind}", _is_near(rounded, value))
        tokens = list(self.tokens)
        exponent = next((at for at, (kind, _) in enumerate(tokens) if kind == "exponent"), None)
        digits = [at for at, (kind, _) in enumerate(tokens[:exponent]) if kind == "digit"]
        if not digits:
            return Shown("".join(token for kind, token in tokens if kind == "literal" or token == "%"), value == 0)
        value *= Decimal(100) ** tokens.count(("sign", "%"))
        if ("sign", "/") in tokens:
            return self._show_fraction(value)
        last = digits[-1]
        scale = 0
        while tokens[last + 1 + scale : last + 2 + scale] == [("sign", ",")]:
            scale += 1
        del tokens[last + 1 : last + 1 + scale]
        value = value.scaleb(-3 * scale)
        if exponent is not None:
            return _show_scientific(tokens, exponent - scale, value)
        text, rounded = _fill(tokens, value)
        return Shown(text, _is_near(rounded, value))

    def _show_fraction(self, value: Decimal) -> Shown:
        """Return the value as a fraction: `# ?/?`, `# ??/16`."""
        text = "".join(token for kind, token in self.tokens if kind != "sign" or token == "/")
        above, _, below = text.partition("/")
        has_whole = " " in above.strip()
        fixed = re.match(r"\s*(\d{1,4})", below)
        most = 10 ** min(max(sum(sign in "0#?" for sign in below), 1), 4) - 1
        exact = Fraction(value)
        whole = int(exact) if has_whole else 0
        rest = exact - whole
        denominator = int(fixed[1]) if fixed else 0
        near = Fraction(round(rest * denominator), denominator) if denominator else rest.limit_denominator(most)
        if near >= 1 and has_whole:
            whole, near = whole + int(near), near - int(near)
        shown = _write_fraction(near, denominator, has_whole) if near else "0" if not whole else ""
        text = " ".join(part for part in (str(whole) if whole else "", shown) if part)
        return Shown(text, _is_near(Decimal(whole) + Decimal(near.numerator) / near.denominator, value))


def _write_fraction(near: Fraction, denominator: int, has_whole: bool) -> str:
    """Return the fraction with this denominator, or its own for 0; without `has_whole`, 3 becomes "3/1"."""
    if denominator:
        return f"{near.numerator * (denominator // near.denominator)}/{denominator}"
    return str(near) if "/" in str(near) or has_whole else f"{near}/1"


def _is_near(shown: Decimal, value: Decimal) -> bool:
    """Whether only the imprecision of binary fractions was lost."""
    return shown == value or abs(shown - value) <= abs(value) * Decimal("1e-9")


def _fill(tokens: list[tuple[str, str]], value: Decimal) -> tuple[str, Decimal]:
    """Return the tokens filled with the digits of a value, and the value as rounded for them."""
    point = next((at for at, token in enumerate(tokens) if token == ("sign", ".")), len(tokens))
    before = [at for at, (kind, _) in enumerate(tokens[:point]) if kind == "digit"]
    behind = [at for at, (kind, _) in enumerate(tokens[point:], point) if kind == "digit"][:_MOST_DIGITS]
    grouped = bool(before) and ("sign", ",") in tokens[before[0] : before[-1]]
    rounded = value.quantize(Decimal(1).scaleb(-len(behind)), ROUND_HALF_UP, _LONG) if value.adjusted() < 40 else value
    whole, _, decimals = f"{rounded:f}".partition(".")
    whole = whole.lstrip("0")
    out = {at: token for at, (kind, token) in enumerate(tokens) if kind == "literal" or token == "%"}
    out |= _place_whole(tokens, before, whole, grouped)
    decimals = decimals.ljust(len(behind), "0")
    needed = max((at for at, place in enumerate(behind, 1) if tokens[place][1] == "0"), default=0)
    decimals = decimals[:needed] + decimals[needed:].rstrip("0")
    out |= dict(zip(behind, decimals, strict=False))
    if point < len(tokens):
        out[point] = "."
    if not before and whole:
        out[point] = whole + out.get(point, "")
    return "".join(out[at] for at in sorted(out)), rounded


def _place_whole(tokens: list[tuple[str, str]], places: list[int], whole: str, grouped: bool) -> dict[int, str]:
    """Return the digits of a whole number by position, filled from the right; the first position takes all that are
    left.
    """
    out: dict[int, str] = {}
    number = 0
    for at in reversed(places):
        taken = whole[-1:] or ("0" if tokens[at][1] == "0" else "")
        whole = whole[:-1]
        if at == places[0]:
            taken = whole + taken
        text = ""
        for digit in reversed(taken):
            text = digit + ("," if grouped and number and number % 3 == 0 else "") + text
            number += 1
        out[at] = text
    return out


def _show_scientific(tokens: list[tuple[str, str]], at: int, value: Decimal) -> Shown:
    """Return a mantissa and a power of ten; `##0.0E+0` uses powers of a thousand."""
    mantissa, power = tokens[:at], tokens[at + 1 :]
    point = next((place for place, token in enumerate(mantissa) if token == ("sign", ".")), len(mantissa))
    step = max(sum(kind == "digit" for kind, _ in mantissa[:point]), 1)
    exponent = value.adjusted() // step * step if value else 0
    text, rounded = _fill(mantissa, value.scaleb(-exponent))
    if rounded >= Decimal(10) ** step:
        exponent += step
        text, rounded = _fill(mantissa, value.scaleb(-exponent))
    sign = "-" if exponent < 0 else "+" if tokens[at][1].endswith("+") else ""
    digits, _ = _fill(power, Decimal(abs(exponent)))
    return Shown(f"{text}E{sign}{digits}", _is_near(rounded.scaleb(exponent), value))


# The format of numbers without a format.
GENERAL = NumberFormat("")
