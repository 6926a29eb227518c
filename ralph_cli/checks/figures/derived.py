"""What one plain relation between figures gives: a sum, a difference, a mean, a share, a multiple, a change. Pure.

A claim that states both figures needs no recorded calculation for what lies between them. Of figures that only its
quotes state, sums and differences are taken where the quotes offer few; any other relation may be meant by chance.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice, permutations

from ralph_cli.checks.figures.candidates import UNSCALED, Candidate
from ralph_cli.text.quantities.quantity import Quantity

_MOST_PAIRED = 14
"""Figures of the quotes of which sums, differences and quotients are looked at."""


def relate(figures: Iterable[Candidate]) -> Iterator[Candidate]:
    """The sums, differences, quotients and changes of each two figures that may be of one kind."""
    pool = list(islice((found for found in figures if _is_amount(found.quantity)), _MOST_PAIRED))
    for one, other in permutations(pool, 2):
        if not _are_alike(one, other) or not one.powers & other.powers:
            continue
        value, base = one.quantity.value, other.quantity.value
        if value >= base:
            yield _sum_up((one, other))
            yield _result(one, value - base, change="by")
        if base and one.powers == other.powers:
            yield _quotient(one, value / base)
            yield replace(_quotient(one, (value - base) / base), change="rise" if value > base else "fall")


def relate_inputs(figures: Sequence[Candidate]) -> Iterator[Candidate]:
    """What the figures that a claim itself states amount to: each two of them, and all together."""
    yield from relate(figures)
    for group in _groups(figures):
        if len(group) > 2:
            yield _sum_up(group)


def as_claimed(candidate: Candidate, claimed: Quantity) -> Candidate:
    """A figure of the quotes with the sign and the unit that a claim gives it."""
    value = abs(candidate.quantity.value) * (-1 if claimed.value < 0 else 1)
    kind, unit = (
        (claimed.kind, claimed.unit) if claimed.kind != "none" else (candidate.quantity.kind, candidate.quantity.unit)
    )
    return replace(candidate, quantity=replace(candidate.quantity, value=value, kind=kind, unit=unit))


def relate_few(figures: Sequence[Candidate], claimed: Quantity) -> Iterator[Candidate]:
    """What figures of one kind amount to: the difference and sum of two, and the sum of all.

    Two are taken of the fewer figures, the fewer digits the claim shows: else one of the pairs may fit by chance.
    """
    digits = len(str(abs(claimed.value)).replace(".", "").strip("0"))
    for group in _groups(figures):
        if len(group) <= digits + 1:
            yield from (found for found in relate(group) if not found.is_pure)
        if len(group) > 2:
            yield _sum_up(group)


def average(figures: Sequence[Candidate]) -> Iterator[Candidate]:
    """The mean of the figures of each kind."""
    for group in _groups(figures):
        total = _sum_up(group)
        yield _result(total, total.quantity.value / len(group))


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
    return len(kinds) == 1 and ("count" in kinds or one.quantity.unit == other.quantity.unit)


def _result(of: Candidate, value: Decimal, change: str = "", terms: int = 1) -> Candidate:
    kind = "points" if of.quantity.kind == "percent" and change else of.quantity.kind
    found = replace(of.quantity, value=value, kind=kind, bound="", approximate=False)
    return replace(of, quantity=found, source="calculation", change=change, terms=terms, pairing=None, context="")


def _quotient(of: Candidate, value: Decimal) -> Candidate:
    found = replace(of.quantity, value=value, kind="ratio", unit="")
    pure = replace(of, quantity=found, powers=UNSCALED, source="calculation", is_pure=True)
    return replace(pure, change="", pairing=None, context="")
