"""Media queries, answered for a desktop's screen (Media Queries 4 and 5)."""

import re

from ralph_cli.documents.html.styles.css import pixels

_WIDTH, _HEIGHT = 1_280.0, 800.0
_QUERY = re.compile(r"\s*(?:(not|only)\s+)?([a-z-]+)?((?:\s*(?:and\s+)?\([^()]*\))*)\s*")
_FEATURE = re.compile(r"\(\s*([^()]*?)\s*\)")
_PLAIN = re.compile(r"(min-|max-)?(?:device-)?(width|height)\s*:\s*(\S+)")
_RANGE = re.compile(r"(?:(\S+)\s*(<=?|>=?)\s*)?(width|height)(?:\s*(<=?|>=?|=)\s*(\S+))?")
_WORDS = {
    "orientation": ("landscape",), "hover": ("hover", ""), "any-hover": ("hover", ""), "pointer": ("fine", ""),
    "any-pointer": ("fine", ""), "prefers-color-scheme": ("light", ""), "prefers-reduced-motion": ("no-preference",),
    "prefers-reduced-transparency": ("no-preference",), "prefers-contrast": ("no-preference",), "color": ("",),
    "forced-colors": ("none",), "scripting": ("enabled", ""), "update": ("fast", ""), "grid": ("0",),
    "display-mode": ("browser",), "inverted-colors": ("none",), "monochrome": ("0",),
}  # fmt: skip
"""Features and the values of them that a desktop's screen has."""


def media_matches(queries: str) -> bool | None:
    """Whether a list of media queries holds for a desktop's screen; None if that is not known."""
    answers = [_query_matches(query) for query in queries.lower().split(",")] if queries.strip() else [True]
    return True if True in answers else None if None in answers else False


def _query_matches(query: str) -> bool | None:
    found = _QUERY.fullmatch(query)
    if found is None:
        return None
    turned, medium, features = found.groups()
    answers = [_feature_matches(feature) for feature in _FEATURE.findall(features)]
    if medium not in (None, "all", "screen"):
        answers.append(False)
    answer = False if False in answers else None if None in answers else True
    return answer if turned != "not" or answer is None else not answer


def _feature_matches(feature: str) -> bool | None:
    plain = _PLAIN.fullmatch(feature)
    if plain:
        least = {None: "=", "min-": ">=", "max-": "<="}[plain[1]]
        return _compare(plain[2], least, plain[3])
    limits = _RANGE.fullmatch(feature)
    if limits and (limits[2] or limits[4]):
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        left = _compare(limits[3], turned[limits[2]], limits[1]) if limits[2] else True
        right = _compare(limits[3], limits[4], limits[5]) if limits[4] else True
        return None if None in (left, right) else bool(left and right)
    name, _, value = (part.strip() for part in feature.partition(":"))
    return value in _WORDS[name] if name in _WORDS else None


def _compare(side: str, sign: str, value: str) -> bool | None:
    limit, size = pixels(value), _WIDTH if side == "width" else _HEIGHT
    if limit is None:
        return None
    return {"<": size < limit, "<=": size <= limit, ">": size > limit, ">=": size >= limit, "=": size == limit}[sign]
