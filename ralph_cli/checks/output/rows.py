"""The names of a table's rows: which of them a header's "in millions" is not meant for. Pure."""

import re

_FIGURE = re.compile(r"\d[\d.,]*\s*(?:%|per\s?cent\b|percent\b|bps\b|basis\s+points?\b)?", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{3}")
_PER_SHARE = re.compile(r"\bper[\s-]+(?:\w+[\s-]+){0,2}(?:shares?|unit|employee)\b|\bEPS\b", re.IGNORECASE)
_OF_A_SHARE = re.compile(r"\W*(?:basic|diluted)\W*[$€£]\W*", re.IGNORECASE)
"""A row below "Earnings per share": one of numbers of shares has no currency."""

_RATIO = re.compile(r"%|\bper\s?cent|\bbasis\s+points?\b|\bratio\b|\btax\s+rate\b", re.IGNORECASE)
_PLACES = r"(?:stores?|restaurants?|branch(?:es)?|hotels?|plants?|locations?|employees?|customers?|countries)"
# "Stores" and "Personnel" may be rows of sales and costs, and income is "attributable to shareholders".
_COUNTS = re.compile(
    r"(?is)\W*(?:(?:total|average|full[\s-]time|part[\s-]time|regular|permanent|worldwide|global|our)\s+)*"
    r"(?:employees|headcount|workforce|full[\s-]time\s+equivalents?|FTEs?)\b\W*"
    r"(?:(?:\(|at|as\s+of|in|on|worldwide|equivalent)\b.*|\(.*)?"
    rf"|.*\bnumber\s+of\s+(?:\w+[\s-]+){{0,2}}(?:people|persons|{_PLACES})\b.*"
    rf"|.*\b{_PLACES}\s+(?:count\b|(?:open\s+)?(?:at|as\s+of)\s+(?:the\s+)?(?:beginning|end)\b|at\s+\w+[\s-]+end\b).*"
)
_SHARES = re.compile(
    r"(?i)\b(?:weighted[\s-]+average|average|diluted|basic|number\s+of)\b.*\bshares\b|\bshares\b.*\b(?:outstanding|authorized)\b"
)
_SHARES_EXCEPTED = re.compile(r"\bexcept\b[^\n]*\bshares?\b", re.IGNORECASE)


def row_label(text: str, offset: int) -> str:
    """The words before a place in its line, back to the figures before them: the name of the row of a table's cell."""
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    stretches = [part for part in _FIGURE.split(before) if _WORDS.search(part)]
    return stretches[-1] if stretches else ""


def is_count_label(label: str) -> bool:
    """Whether a row's name is that of people or places that are counted one by one."""
    return bool(_COUNTS.fullmatch(label))


def is_scaled(label: str, header: str) -> bool:
    """Whether a header's "in millions" is meant for a row: not for per-share figures, ratios, and numbers of people.

    Numbers of shares are in millions unless the header excepts them.
    """
    if _PER_SHARE.search(label) or _OF_A_SHARE.fullmatch(label) or _RATIO.search(label) or is_count_label(label):
        return False
    return not (_SHARES.search(label) and _SHARES_EXCEPTED.search(_PER_SHARE.sub("", header)))
