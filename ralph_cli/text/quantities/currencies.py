"""Currencies as texts name them: signs, codes and names, each with one key. C$ differs from $, and "kronor" is SEK.

A bare dollar sign means the US dollar, as in "US$", unless a header names other dollars. Pure.
"""

import re
from functools import cache, lru_cache

from ralph_cli.text.lexicon import any_of
from ralph_cli.text.quantities import currency_table

_PREFIXES = {"cad": "C CA CDN Cdn Can", "aud": "A AU AUD", "nzd": "NZ NZD", "hkd": "HK HKD", "sgd": "S SG SGD"}
_PREFIXES |= {"twd": "NT NTD", "$": "US U.S. USD", "brl": "R", "mxn": "MX Mex"}
_OF_PREFIX = {prefix: key for key, prefixes in _PREFIXES.items() for prefix in prefixes.split()}
_KEYS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
_SYNONYMS = {"p": "pence", "rmb": "cny", "rs": "inr", "rs.": "inr"}
_SIGNS = {"$": "$", "£": "£", "¥": "¥"}
_SIGNS |= {entry[0]: _KEYS.get(entry[1:], entry[1:].lower()) for entry in currency_table.SIGNS}
SIGNS = "".join(_SIGNS)
CODES = (*currency_table.CODES, "RMB")
_CODE = rf"(?:{'|'.join(_KEYS)}|(?-i:{any_of(CODES)}))"
# Names of currencies before an amount, read without regard to case.
CURRENCY_MARK = (
    # "A $5 fee" is no Australian one: only the codes and the United States may be apart from the sign.
    rf"(?<![^\W\d_])(?-i:{any_of(_OF_PREFIX)})\$|(?<![^\W\d_])(?:(?-i:US|U\.S\.)\s|{_CODE}\s?)\$"
    rf"|[{SIGNS}]|(?<![^\W\d_]){_CODE}(?![^\W\d_])|(?<![^\W\d_])(?-i:Rs)(?![^\W\d_])\.?"
)

# Short names of currencies, in addition to the full names of CLDR.
_ALSO = {
    "cent": "cent|us cent|u.s. cent|euro cent|cps", "pence": "pence", "$": "dollar|u.s. dollar",
    "£": "pound|pound sterling|pounds sterling", "chf": "franc", "sgd": "singaporean dollar", "sek": "kronor",
    "twd": "taiwan dollar|taiwanese dollar|new taiwanese dollar", "nok": "norwegian kronor", "dkk": "danish kronor",
    "inr": "rupee", "zar": "rand", "krw": "korean won", "cny": "renminbi|chinese renminbi",
    "brl": "reais|brazilian reais", "pln": "złoty|polish złoty", "ils": "new shekel|israeli shekel",
    "czk": "czech crown", "try": "turkish lira",
}  # fmt: skip
_NAMES = {name: _KEYS.get(code, code.lower()) for code, own in currency_table.NAMES.items() for name in own.split("|")}
_NAMES |= {name: key for key, names in _ALSO.items() for name in names.split("|")}
_NAMES |= {f"{name}s": key for name, key in _NAMES.items() if not name.endswith("s")}
# What names a currency in words.
CURRENCY_NAME = rf"(?:{any_of(_NAMES)})\b"

_EAST_ASIAN = {"元": ("cny", "twd", "¥"), "円": ("¥",), "圓": ("¥", "twd")}
_SIGN_BEHIND = rf"{_CODE}|[{SIGNS.translate({ord(sign): None for sign in '$£¥'})}](?!\s*\d)|¢|(?<=\d)(?-i:p)(?!\.\w)"
DOLLARS = frozenset(key for name, key in _NAMES.items() if name.endswith(" dollar")) - {"$"}
# Currencies whose hundredth is a cent.
CENT_CURRENCIES = ("$", "€", "cad", "aud", "nzd", "hkd", "sgd")


@cache
def _behind() -> re.Pattern[str]:
    """Return the pattern, compiled only when needed, because the names of all currencies take long."""
    name, code = rf"(?P<name>{CURRENCY_NAME})", rf"(?P<code>{_SIGN_BEHIND})"
    # The wide space replaces letters that another language has more than English.
    return re.compile(rf"(?i)[\s-]?\u2002*\s?\u2002*\(?(?:{name}|{code}(?![^\W_]|\s*[$\d]))")


@cache
def _anywhere() -> re.Pattern[str]:
    return re.compile(rf"\b(?P<name>{CURRENCY_NAME})|(?P<code>{CURRENCY_MARK})", re.IGNORECASE)


def currency_key(mark: str) -> str:
    """Return the key of the currency that a sign or code names; empty for none."""
    mark = "".join(mark.split())
    if mark.endswith("$") and len(mark) > 1:
        return _OF_PREFIX.get(mark[:-1]) or currency_key(mark[:-1])
    key = _SIGNS.get(mark) or _KEYS.get(mark.upper()) or mark.lower()
    return "cent" if key == "¢" else _SYNONYMS.get(key, key)


def currency_after(text: str, at: int) -> tuple[str, int]:
    """Return the currency, or its hundredth, named directly after an amount, and its end; "" for none."""
    return (_key(match), match.end()) if (match := _behind().match(text, at)) else ("", at)


@lru_cache(maxsize=4096)
def currencies_named(text: str) -> frozenset[str]:
    """Return all currencies that a text names, and those that a sign of Chinese or Japanese may name."""
    named = {_key(match) for match in _anywhere().finditer(text)} - {"cent", "pence"}
    return frozenset(named.union(*(keys for sign, keys in _EAST_ASIAN.items() if sign in text)))


def _key(match: re.Match[str]) -> str:
    return currency_key(match["code"]) if match["code"] else _NAMES[" ".join(match["name"].lower().split())]
