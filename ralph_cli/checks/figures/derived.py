"""What one plain relation between figures gives: a sum, a difference, a mean, a share, a multiple, a change. Pure.

A claim that states both figures needs no recorded calculation for what lies between them. Of figures that only its
quotes state, sums and differences are taken where the quotes offer few; any other relation may be meant by chance.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice, permutations, product

from ralph_cli.checks.figures.candidates import UNSCALED, Candidate
from ralph_cli.core.deferred import re
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.relations import NO_CHANGE, Change, direction_of

_MEAN = re.compile(r"(?i)\b(?:means?|averag)")
_MOST_PAIRED, _MOST_GROUPED = 14, 40
"""Figures that are looked at: in pairs, and by their kind."""


def relate(figures: Iterable[Candidate]) -> Iterator[Candidate]:
    """The sums, differences, quotients and changes of each two figures that may be of one kind."""
    pool = list(islice((found for found in figures if _is_amount(found.quantity)), _MOST_PAIRED))
    for one, other in permutations(pool, 2):
        if not _are_alike(one, other) or not one.powers & other.powers:
            continue
        value, base = one.quantity.value, other.quantity.value
        if value >= base:
            yield _sum_up((one, other))
            yield _result(one, value - base, Change("by"))
        if base and one.powers == other.powers:
            yield _quotient(one, value / base)
            yield replace(_quotient(one, (value - base) / base), change=Change("", "rise" if value > base else "fall"))


def derive(
    claimed: Quantity, sentence: str, quoted: Sequence[Candidate], inputs: Sequence[Candidate]
) -> Iterator[Candidate]:
    """What a figure of a claim may be without a recorded calculation.

    `inputs` are what bears out the other figures of its sentence: of these any relation counts. Of the `quoted` ones
    the sum of all, the mean where the claim speaks of one, the share for one in words, and of few what lies between.
    """
    yield from relate(inputs)
    yield from (_sum_up(group) for group in _groups(inputs) if len(group) > 2)
    if claimed.kind == "ratio" and claimed.worded:
        prose = (found for found in quoted if not found.in_table)
        yield from (found for found in relate(prose) if found.is_pure and not found.change.direction)
    for group in _groups(quoted) if len(quoted) <= _MOST_GROUPED else ():
        if _MEAN.search(sentence):
            total = _sum_up(group)
            yield _result(total, total.quantity.value / len(group), terms=len(group))
        if claimed.kind not in ("none", "ordinal") and not (claimed.kind == "count" and claimed.is_small):
            yield from _relate_few(claimed, sentence, group, inputs)


def _relate_few(
    claimed: Quantity, sentence: str, group: Sequence[Candidate], inputs: Sequence[Candidate]
) -> Iterator[Candidate]:
    """The sum of a group, and the sums and differences of two of it if they are so few that none fits by chance.

    Where the claim says up or down, the figure that it states must be the end of that.
    """
    digits = len(str(abs(claimed.value)).replace(".", "").strip("0"))
    if len(group) > 2:
        yield _sum_up(group)
    if len(group) > digits + 1:
        return
    direction = next((direction_of(part) for part in sentence.split(", ") if claimed.text in part), "")
    yield from (found for found in relate(group) if not found.is_pure and not (found.change.role and direction))
    for end, other in product(inputs, group):
        if _are_alike(end, other) and end.powers & other.powers:
            change = abs(end.quantity.value) - abs(other.quantity.value)
            if direction == ("rise" if change > 0 else "fall"):
                yield _result(other, abs(change), Change("by"))


def as_claimed(candidate: Candidate, claimed: Quantity) -> Candidate:
    """A figure of the quotes with the sign and the unit that a claim gives it."""
    value = abs(candidate.quantity.value) * (-1 if claimed.value < 0 else 1)
    known = claimed if claimed.kind != "none" else candidate.quantity
    return replace(candidate, quantity=replace(candidate.quantity, value=value, kind=known.kind, unit=known.unit))


def _sum_up(figures: Sequence[Candidate]) -> Candidate:
    total = sum((found.quantity.value * _scale(found, figures[0]) for found in figures), Decimal(0))
    return _result(figures[0], total, terms=len(figures))


def _scale(one: Candidate, first: Candidate) -> Decimal:
    return Decimal(10) ** (max(one.powers) - max(first.powers))


def _groups(figures: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    left = [found for found in figures if _is_amount(found.quantity)]
    while left:
        group = [found for found in left if _are_alike(found, left[0])]
        left = [found for found in left if found not in group]
        yield group


def _is_amount(quantity: Quantity) -> bool:
    return quantity.is_measured and quantity.kind != "ordinal" and bool(quantity.value)


def _are_alike(one: Candidate, other: Candidate) -> bool:
    """Whether two figures are of one kind; a bare one is of that of its neighbours in a table, or counts."""
    kinds = {one.quantity.kind, other.quantity.kind}
    if "none" in kinds:
        return kinds <= {"none", "count"} or (one.in_table and other.in_table)
    units = {one.quantity.unit, other.quantity.unit} - {"cent"}
    return len(kinds) == 1 and ("count" in kinds or len(units) < 2)


def _result(of: Candidate, value: Decimal, change: Change = NO_CHANGE, terms: int = 1) -> Candidate:
    kind = "points" if of.quantity.kind == "percent" and change.role else of.quantity.kind
    found = replace(of.quantity, value=value, kind=kind, bound="", approximate=False)
    return replace(of, quantity=found, source="calculation", change=change, terms=terms, place=None)


def _quotient(of: Candidate, value: Decimal) -> Candidate:
    found = replace(of.quantity, value=value, kind="ratio", unit="")
    pure = replace(of, quantity=found, powers=UNSCALED, source="calculation", is_pure=True)
    return replace(pure, change=NO_CHANGE, place=None)
