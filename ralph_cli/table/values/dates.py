"""Read the date that a statement gives, with the precision of the statement."""

import re
from datetime import date
from typing import Final

from ralph_cli.core.results.table import TableQuestion, Value
from ralph_cli.table.values.surroundings import describe_several, hedge_of, problem_of
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities

# Other spellings with the same meaning. "The year ends on" names a day; "the year ended" names a period.
_SPELLINGS: Final = (
    (re.compile(r"\b(\d{4})/(\d\d)/(\d\d)\b"), r"\1-\2-\3"),
    (re.compile(r"\b(\d{1,2})-(\d{1,2})-(\d{4})\b"), r"\1/\2/\3"),
    (re.compile(r"\b(\d{1,2})-([^\W\d_]{3,9})-(\d{4})\b"), r"\1 \2 \3"),
    (re.compile(r"\bends\b"), "is"),
)

_RECKONED = re.compile(
    r"(?i)\b(?:after|before|following|preceding|prior\s+to|since|beyond|later\s+than|earlier\s+than|anniversary\s+of)"
    r"(?:\s+(?:the|and\s+including))?\s+\Z"
)
_DEADLINE = re.compile(r"(?i)\b(?:on\s+or\s+before|not?\s+(?:be\s+)?later\s+than)\s+\Z")
_RECKONED_FROM = re.compile(r"(?i)\b(?:of|from|after|before|following|prior|since|anniversary)\b")
_JOINED = re.compile(r"(?i)\s*(?:[-–—/.]|(?:day\s+)?of|and|or|to)?\s*")
_FISCAL = re.compile(r"(?i)\b(?:fiscal|financial|tax)\b|\bFY")


def read_date(question: TableQuestion, statement: str) -> Value:
    """Return the only date of a statement: "2027-05-31", "2027-05", "2027-Q2", "2027", "FY2027"; or why there is none.

    Dates have the format of ISO 8601. Quarters and halves, which ISO 8601 lacks, are written similarly.
    """
    for pattern, spelling in _SPELLINGS:
        statement = pattern.sub(spelling, statement)
    found: dict[str, tuple[Quantity, str]] = {}
    for one in read_quantities(statement, "prose"):
        if one.kind == "date":
            text = _iso(statement, one)
            found.setdefault(text or one.text, (one, one.text))
    if not found:
        return Value(problem="it names no date")
    if len(found) > 1:
        return Value(problem=describe_several(statement, list(found.values())))
    text, (one, _) = next(iter(found.items()))
    problem = _problem(statement, one) or problem_of(statement, question.question, one, one.text)
    about = hedge_of(statement, one)
    return Value(problem=problem) if problem else Value(text=about + text if about == "about " else text)


def _iso(statement: str, one: Quantity) -> str:
    year, month, day, part, months = one.date
    is_fiscal = _FISCAL.search(one.text) or _FISCAL.search(statement[: one.start][-10:])
    begin = f"{'FY' if is_fiscal else ''}{year or ''}"
    if year is None or months is not None or not _is_sure(one):
        return ""
    if month is None:
        return f"{begin}-{part}" if part else begin
    if day is None:
        return f"{year}-{month:02d}"
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _is_sure(one: Quantity) -> bool:
    """Whether all written digits have only one reading; false for "04/05/2027", "31/05/97", "2019/20"."""
    year, month, day, part, _ = one.date
    known = {year, month, day, int(part[1]) if part else None}
    return str(year) in one.text and {int(digits) for digits in re.findall(r"\d+", one.text)} <= known


def _problem(statement: str, one: Quantity) -> str:
    """Return why the quantity is not a date that can be named; empty if it is one."""
    year, month, day, _, months = one.date
    if months is not None:
        return f'"{one.text}" is a period'
    if year is None:
        return f"{one.text} has no year"
    if not _is_sure(one):
        return f"which day, month and year {one.text} is cannot be told"
    if month is not None and day is not None and not _iso(statement, one):
        return f"there is no {one.text}"
    before = statement[: one.start]
    if (word := _RECKONED.search(before)) is not None and not _DEADLINE.search(before):
        return f'it gives no date but one that it is reckoned from ("{" ".join(word[0].split())} {one.text}")'
    for other in read_quantities(statement, "prose"):
        gap = statement[min(one.end, other.end) : max(one.start, other.start)]
        is_before = other.start < one.start
        if is_before and other.kind == "duration" and _RECKONED_FROM.search(gap):
            return f"it gives no date but one that it is reckoned from, {one.text}"
        if other is not one and _JOINED.fullmatch(gap):
            return f"what {one.text} belongs to cannot be told"
    return ""
