"""Compute simple relations between two figures: a sum, a difference, a share, a multiple, a change. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import islice, permutations

from ralph_cli.checks.figures.candidates import Candidate
from ralph_cli.text.quantities.quantity import Kind

_BESIDE_BARE = {"none", "currency", "percent"}
# Most figures that are compared in pairs.
_MOST = 14


def relate(figures: Iterable[Candidate], *, shares: bool) -> Iterator[Candidate]:
    """Yield for each two figures of one kind the quotient and the change (`shares`), or the sum and the difference.

    Cells of tables are combined only if they share a row or a column.
    """
    pool = islice((one for one in figures if one.quantity.is_measured and one.quantity.value), _MOST)
    for one, other in permutations(pool, 2):
        if not (_are_alike(one, other) and _are_in_line(one, other) and one.powers & other.powers):
            continue
        value, base = one.quantity.value, other.quantity.value
        if value > base and not shares:
            kind: Kind = "points" if one.quantity.kind == "percent" else one.quantity.kind
            total = value + base * Decimal(10) ** (max(other.powers) - max(one.powers))
            yield _result(one, total, one.quantity.kind, f"{_text(one)} + {_text(other)}")
            yield _result(one, value - base, kind, f"{_text(one)} - {_text(other)}")
        if one.powers == other.powers and shares and abs(base) != 1 and value != base:
            yield _quotient(one, value / base, f"{_text(one)} / {_text(other)}")
            yield _quotient(one, (value - base) / base, f"({_text(one)} - {_text(other)}) / {_text(other)}")


def _are_in_line(one: Candidate, other: Candidate) -> bool:
    """Whether two table cells share a row or a column. Figures of running text always count as related."""
    is_known = one.in_table and other.in_table and one.facts.row and other.facts.row
    return not is_known or one.facts.row == other.facts.row or one.facts.column == other.facts.column


def _are_alike(one: Candidate, other: Candidate) -> bool:
    """Whether two figures have the same kind.

    A bare figure takes the kind of its neighbours in a table, or is a count.
    """
    kinds = {one.quantity.kind, other.quantity.kind}
    if "none" in kinds:
        return kinds <= {"none", "count"} or (one.in_table and other.in_table and kinds <= _BESIDE_BARE)
    units = {one.quantity.unit, other.quantity.unit} - {"cent"}
    return len(kinds) == 1 and ("count" in kinds or len(units) < 2)


def _text(figure: Candidate) -> str:
    return " ".join(figure.quantity.text.split())


def _result(of: Candidate, value: Decimal, kind: Kind, expression: str) -> Candidate:
    found = replace(of.quantity, value=value, kind=kind, bound="", approximate=False, symbol="", last=None)
    return Candidate(found, of.powers, of.is_scale_stated, "derived", facts=of.facts, expression=expression)


def _quotient(of: Candidate, value: Decimal, expression: str) -> Candidate:
    found = replace(of.quantity, value=value, kind="ratio", unit="", bound="", symbol="", last=None)
    return Candidate(found, source="derived", is_pure=True, expression=expression)
