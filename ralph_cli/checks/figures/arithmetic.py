"""Sums that a text shows: "27,900 = 21,500 + 6,400" is borne out if its parts are, and if it is right. Pure."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal, DivisionByZero, InvalidOperation

from ralph_cli.checks.figures.expression import OPERATORS, Number, Token, evaluate
from ralph_cli.text.quantities.figures import Figure, figures

_OPERATOR = re.compile(r"\s*([-+*/\u00d7\u00f7\u2212\u2013x])\s*")
_EQUALS = re.compile(r"\s*(?:=|\u2248)\s*")
MAX_PARTS = 40


def verified_results(text: str, is_supported: Callable[[Figure], bool]) -> list[tuple[int, int]]:
    """The places of results in `text` whose computation is shown beside them, right, and made of figures borne out.

    A computation is a chain of figures with + - * / between them (times and division first, no brackets), with one `=`
    before or after it. A result may be rounded to the digits it shows; a percentage may be written for its hundredth.
    """
    equations = _equations(text)
    right = [result for result, parts, signs in equations if _is_correct(result, parts, signs, is_supported)]
    return [(result.start, result.end) for result in right]


def _equations(text: str) -> Iterator[tuple[Figure, list[Figure], list[str]]]:
    # A minus is an operator here as often as a sign, so figures are taken without it.
    found = [figure for figure in figures(text) if not figure.name and not figure.spelled]
    index = 0
    while index < len(found):
        parts, signs = [found[index]], []
        while (
            index + 1 < len(found)
            and len(parts) < MAX_PARTS
            and (sign := _operator_between(text, found[index], found[index + 1]))
        ):
            index += 1
            parts.append(found[index])
            signs.append(sign)
        if signs:
            before = found[index - len(signs) - 1] if index > len(signs) else None
            after = found[index + 1] if index + 1 < len(found) else None
            if after and _EQUALS.fullmatch(text, parts[-1].end, after.start):
                yield after, parts, signs
            if before and _EQUALS.fullmatch(text, before.end, parts[0].start):
                yield before, parts, signs
        index += 1


def _operator_between(text: str, left: Figure, right: Figure) -> str:
    """The operator between two figures, empty if something else stands there."""
    if right.sign == "-" and not text[left.end : right.start].strip():
        return "-"
    match = _OPERATOR.fullmatch(text, left.end, right.start)
    return OPERATORS[match[1]] if match else ""


def _is_correct(result: Figure, parts: list[Figure], signs: list[str], is_supported: Callable[[Figure], bool]) -> bool:
    if not all(is_supported(part) or part.value == 100 for part in parts):
        return False
    # A percentage counts as it is written here, and not as its hundredth.
    tokens: list[Token] = [Number(replace(parts[0], percent=False))]
    for sign, part in zip(signs, parts[1:], strict=True):
        tokens += [sign, Number(replace(part, percent=False))]
    try:
        value = evaluate(tokens).value
    except (DivisionByZero, InvalidOperation):
        return False
    shown = -result.value if result.sign == "-" else result.value
    match = re.search(r"\.(\d+)", result.text)
    half = Decimal(result.scale) / Decimal(10) ** (len(match[1]) if match else 0) / 2
    # A quotient is a share, and its hundredfold a percentage; percentages add up to one as they are.
    share = result.percent and ("/" in signs or "*" in signs) and not any(part.percent for part in parts)
    return abs((value * 100 if share else value) - shown) <= half
