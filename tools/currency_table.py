"""Write ralph_cli/text/quantities/currency_table.py from CLDR's data: `pip install babel==2.18.0`, then run this file.

Babel (BSD licence) carries the data of the Unicode Common Locale Data Repository. What was tender somewhere since 2015
is taken, so that reports of past years can be read.
"""

import unicodedata
from datetime import date
from pathlib import Path
from pprint import pformat

import babel
from babel import Locale, localedata
from babel.numbers import get_territory_currencies

PINNED = "2.18.0"
FIRST, LAST = date(2015, 1, 1), date(2026, 11, 1)
TARGET = Path(__file__).parents[1] / "ralph_cli/text/quantities/currency_table.py"

# Words, names and acronyms that stand before figures in other meanings: "ALL 5", "AMD 2022", "IRR 15%", "SDG 13".
NO_CODES = "ALL AMD BAM BND BOB BSD CDF COP CRC CUP CVE DOP ERN GEL GIP IRR LAK LSL MAD MGA MOP MRO NAD NIO PEN SCR SDG"
NO_CODES += " SHP SOS SSP STD TMT TOP"

# Currencies whose name's last word means only them, and nothing else in English; "won", "real" and "sol" do not.
SHORT = "THB HUF CZK PLN MYR IDR UAH KZT NGN ILS JPY CNY EUR"

HEAD = f'''"""Currencies of ISO 4217 with their signs and English names: made by tools/currency_table.py, not by hand.

The data are those of the Unicode CLDR as Babel {PINNED} has them (BSD licence, Unicode licence).
"""

# fmt: off
# ruff: noqa: SIM905
'''


def read_currencies() -> tuple[list[str], dict[str, str], dict[str, str]]:
    """The codes; the signs that one currency alone has; and the names in lower case, each with its code."""
    english = Locale("en")
    tender: set[str] = set()
    for territory in (name for name in english.territories if len(name) == 2 and name.isalpha()):
        tender |= set(get_territory_currencies(territory, FIRST, LAST, tender=True))
    owners: dict[str, set[str]] = {}
    for identifier in localedata.locale_identifiers():
        for code, sign in Locale.parse(identifier).currency_symbols.items():
            if code in tender and len(sign) == 1 and unicodedata.category(sign) == "Sc":
                owners.setdefault(sign, set()).add(code)
    names: dict[str, str] = {}
    for code in sorted(tender):
        for name in (english.currencies[code], *(english._data["currency_names_plural"].get(code, {}).values())):
            if "(" in name or code == "ZWG":  # "Belarusian Ruble (2000-2016)"; "Zimbabwean gold" is a metal, too
                continue
            names[name.lower()] = code
            if code in SHORT.split():
                names[name.lower().split()[-1]] = code
    signs = {sign: min(codes) for sign, codes in sorted(owners.items()) if len(codes) == 1}
    return sorted(tender - set(NO_CODES.split())), signs, names


def packed(value: object) -> str:
    """A literal on full lines."""
    return pformat(value, width=100, compact=True).replace("'", '"')


def main() -> None:
    """Write the module."""
    assert babel.__version__ == PINNED, f"this was made for Babel {PINNED}"
    codes, signs, names = read_currencies()
    by_code: dict[str, list[str]] = {}
    for name, code in names.items():
        by_code.setdefault(code, []).append(name)
    lines, line = [], "   "
    for code, own in sorted(by_code.items()):
        own = [name for name in own if not (name.endswith("s") and name[:-1] in own)]
        entry = f' "{code}": "{"|".join(own)}",'
        if len(line + entry) > 120:
            lines, line = [*lines, line], "   "
        line += entry
    body = "\n".join([*lines, line])
    TARGET.write_text(
        f"{HEAD}CODES = {packed(' '.join(codes))}.split()\n"
        '"""Codes that mean a currency beside a figure, in capitals."""\n\n'
        f"SIGNS = {packed(' '.join(sign + code for sign, code in signs.items()))}.split()\n"
        '"""Signs of one currency alone, each before its code."""\n\n'
        f"NAMES = {{\n{body}\n}}\n"
        '"""For each code its names in lower case, separated by "|", without the plurals that add an s."""\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
