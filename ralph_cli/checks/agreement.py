"""Whether a figure of a text and a figure of its source say the same. Pure."""

import re
from decimal import Decimal

from ralph_cli.checks.figures import Figure, scale_named


def same_value(figure: Figure, other: Figure, text: str, label: str) -> bool:
    if other.name:
        return False
    if figure.value == other.value:
        return True
    # "4 million" in words, 4 in a table whose header says "in millions"; and the other way round.
    if figure.scale != 1 and other.scale == 1 and figure.raw == other.value:
        return scale_named(text) == figure.scale
    named = scale_named(label)
    return named != 1 and figure.scale == 1 and Decimal(named) * figure.value == other.value


def contradiction(figure: Figure, other: Figure, text: str) -> str | None:
    """What a figure of the same value says otherwise, None if it agrees."""
    if figure.sign == "-" and other.sign == "":
        return f"stands in the quoted words without a minus, as {other.text}"
    if figure.percent and not other.percent and not re.search(r"%|per\s?cent|percent", text, re.IGNORECASE):
        return f"stands in the quoted words without a percent sign, as {other.text}"
    if figure.currency and other.currency and figure.currency != other.currency:
        return f"stands in the quoted words in another currency, as {other.text}"
    return None
