"""How a value is written for people: in one standard form, whatever form the document uses."""

from decimal import Decimal

_SCALES = ((12, "trillion"), (9, "billion"), (6, "million"))

# An amount that needs more decimals than this in millions is written out.
MAX_DECIMALS = 4

_GLUED = ("%", "x")


def write_number(number: Decimal) -> str:
    """Return a number with commas between thousands, in millions from a million on: "12,480", "2.15 million"."""
    for power, word in _SCALES:
        scaled = number.scaleb(-power)
        if abs(scaled) >= 1:
            if count_decimals(scaled) <= MAX_DECIMALS:
                return f"{_plain(scaled)} {word}"
            break
    return _plain(number)


def write_amount(number: Decimal, currency: str) -> str:
    """Return an amount with its currency first: "EUR 5.1 million", "-USD 12.50".

    A sign that is not a code has no space.
    """
    text = write_number(abs(number))
    if count_decimals(number) == 1 and text[-1].isdigit():
        text += "0"
    return f"{'-' if number < 0 else ''}{currency}{' ' if currency.isalpha() else ''}{text}"


def write_measure(number: Decimal, unit: str) -> str:
    """Return a number with its unit: "45 days", "12.5%"."""
    return f"{write_number(number)}{'' if unit in _GLUED or not unit else ' '}{unit}"


def count_decimals(number: Decimal) -> int:
    """Return how many decimals a number needs."""
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _plain(number: Decimal) -> str:
    return f"{number.normalize():,f}"
