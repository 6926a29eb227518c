"""Currencies as texts name them: signs, codes and names, each with one key, so that C$ is not $ and "kronor" is SEK.

A bare dollar sign is that of the United States, as in "US$", unless a header says which dollars it counts. Pure.
"""

import re

_DOLLARS = {"cad": "C|CA|CDN|Cdn|Can", "aud": "A|AU|AUD", "nzd": "NZ|NZD", "hkd": "HK|HKD", "sgd": "S|SG|SGD"}
_DOLLARS |= {"twd": "NT|NTD", "$": "US|U.S.|USD"}
_OTHER = {"brl": "R", "mxn": "MX|Mex"}
_CODES = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
_UPPER = "CHF CAD AUD NZD HKD SGD TWD SEK NOK DKK INR CNY RMB KRW BRL MXN ZAR PLN CZK HUF TRY ILS THB IDR MYR PHP VND"
_UPPER += " RUB SAR AED QAR KWD EGP NGN KES CLP ARS ISK RON BGN UAH"
_SIGNS = {"$": "$", "€": "€", "£": "£", "¥": "¥", "₹": "inr", "₩": "krw"}
_SIGNS |= {"₪": "ils", "₽": "rub", "₺": "try"}
_SYNONYMS = {"rmb": "cny", "rs": "inr", "rs.": "inr"}

_PREFIXES = {prefix: key for key, prefixes in (_DOLLARS | _OTHER).items() for prefix in prefixes.split("|")}
_CODE = rf"(?:USD|EUR|GBP|JPY|(?-i:{'|'.join(_UPPER.split())}))"
CURRENCY_MARK = (
    # "A $5 fee" is no Australian one: only the codes and the United States may stand apart from the sign.
    rf"(?<![^\W\d_])(?-i:{'|'.join(map(re.escape, _PREFIXES))})\$|(?<![^\W\d_])(?:(?-i:US|U\.S\.)\s|{_CODE}\s?)\$"
    rf"|[{''.join(_SIGNS)}]|(?<![^\W\d_]){_CODE}(?![^\W\d_])|(?<![^\W\d_])(?-i:Rs)(?![^\W\d_])\.?"
)
"""What names a currency before an amount; to be read without regard to case."""

_NAMES = {
    "cent": r"(?:(?:US|U\.S\.|euro)\s+)?cents?", "pence": r"pence",
    "€": r"euros?", "£": r"pounds?(?:\s+sterling)?", "¥": r"(?:japanese\s+)?yen", "chf": r"(?:swiss\s+)?francs?",
    "cad": r"canadian\s+dollars?", "aud": r"australian\s+dollars?", "nzd": r"new\s+zealand\s+dollars?",
    "hkd": r"hong\s+kong\s+dollars?", "sgd": r"singapore(?:an)?\s+dollars?",
    "sek": r"(?:swedish\s+)?kronor|swedish\s+krona",
    "twd": r"(?:new\s+)?taiwan(?:ese)?\s+dollars?", "nok": r"norwegian\s+kron(?:e|er|or)",
    "dkk": r"danish\s+kron(?:e|er|or)", "inr": r"(?:indian\s+)?rupees?", "cny": r"(?:chinese\s+)?(?:renminbi|yuan)",
    "krw": r"(?:south\s+)?korean\s+won", "brl": r"(?:brazilian\s+)?reais|brazilian\s+real",
    "mxn": r"mexican\s+pesos?", "zar": r"(?:south\s+african\s+)?rand", "pln": r"(?:polish\s+)?z[lł]oty",
    "ils": r"(?:israeli\s+)?(?:new\s+)?shekels?", "$": r"(?:(?:US|U\.S\.)\s+)?dollars?",
}  # fmt: skip
CURRENCY_NAME = rf"(?:{'|'.join(_NAMES.values())})\b"
"""What names a currency in words."""

_NAMED = "|".join(f"(?P<n{number}>{name})" for number, name in enumerate(_NAMES.values()))
_KEYS = tuple(_NAMES)
_SIGN_BEHIND = rf"{_CODE}|[€₹](?!\s*\d)|¢"
_BEHIND = re.compile(rf"[\s-]?\s?\(?(?:(?:{_NAMED})\b|(?P<code>{_SIGN_BEHIND})(?![^\W_]|\s*[$\d]))", re.IGNORECASE)
_ANYWHERE = re.compile(rf"\b(?:{_NAMED})\b|(?P<code>{CURRENCY_MARK})", re.IGNORECASE)

DOLLARS = frozenset(_DOLLARS)
CENT_CURRENCIES = ("$", "€", "cad", "aud", "nzd", "hkd", "sgd")
"""Currencies whose hundredth is a cent."""

CURRENCIES = frozenset((*_NAMES, *_CODES.values(), *_SIGNS.values(), *(code.lower() for code in _UPPER.split())))


def currency_key(mark: str) -> str:
    """The key of a currency that is named by a sign or a code, empty for none."""
    mark = "".join(mark.split())
    if mark.endswith("$") and len(mark) > 1:
        return _PREFIXES.get(mark[:-1]) or currency_key(mark[:-1])
    key = _SIGNS.get(mark) or _CODES.get(mark.upper()) or mark.lower()
    return "cent" if key == "¢" else _SYNONYMS.get(key, key)


def currency_after(text: str, at: int) -> str:
    """The currency, or its hundredth, that is named directly behind an amount that ends at `at`, empty for none."""
    return _key(match) if (match := _BEHIND.match(text, at)) else ""


def currencies_named(text: str) -> frozenset[str]:
    """All currencies that a text names anywhere."""
    return frozenset(_key(match) for match in _ANYWHERE.finditer(text)) - {"cent", "pence"}


def _key(match: re.Match[str]) -> str:
    if match["code"]:
        return currency_key(match["code"])
    return _KEYS[next(number for number in range(len(_KEYS)) if match[f"n{number}"])]
