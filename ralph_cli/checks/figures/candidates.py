"""The quantities that may support a claim: those of its quotes, each with the data of its table. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from itertools import zip_longest

from ralph_cli.checks.figures.cells import (
    CellFacts,
    as_label,
    find_cell,
    is_row,
    lines_above,
    read_cell,
    set_cells_apart,
)
from ralph_cli.core.document import Document
from ralph_cli.core.run import FigureOrigin, Quote
from ralph_cli.core.structure import PAGE_BREAK, Label
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import assemble
from ralph_cli.documents.sniff import MAIL_KINDS
from ralph_cli.documents.structure.complete import complete
from ralph_cli.text.quantities.currencies import currencies_named
from ralph_cli.text.quantities.dates import orders_of_days, possible_days
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.scales import EXCEPTION, Scales, content_words, read_scales

UNSCALED = frozenset((0,))
# A figure of at least this size without a currency may be written in full, whatever scale is stated above it.
IN_FULL = 10**6

_NIL = re.compile(r"[$\u20ac\u00a3\u00a5(\s]*[-\u2010-\u2015\u2212][)%\s]*")
_DIGITS = re.compile(r"\d+(?![\d.,])")
_MAIL_DATE = re.compile(r"(?m)^Date: .*")
_FISCAL_END = re.compile(r"(?i)\byears?\s+(?:then\s+)?(?:ended|ending|ends)\s+(?:on\s+)?")
_FISCAL_END_REACH = 24
_MOST_PERCENT = 1000
# A count of at least this size in a sentence is written in full: "1,900 people".
_IN_FULL_IN_TEXT = 1000

_NEVER_SCALED = ("percent", "points", "ratio", "duration", "date", "ordinal")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A quantity that may be the source of a claim's figure, with the scale and unit that apply to it.

    `powers` are its possible scales, as powers of ten; `is_scale_stated` is false if no scale is written for it.
    `is_pure` marks a quotient of like quantities. It is at text[start:end] in the document, in the quote with this id;
    -1 and 0 if it has no position. `facts` describe its cell. `terms` is the number of terms in the sum of a
    calculation, and `expression` is that calculation.
    """

    quantity: Quantity
    powers: frozenset[int] = UNSCALED
    is_scale_stated: bool = True
    source: FigureOrigin = "quote"
    in_table: bool = False
    is_pure: bool = False
    terms: int = 1
    start: int = -1
    end: int = -1
    quote: int = 0
    facts: CellFacts = field(default_factory=CellFacts)
    expression: str = ""


@dataclass(frozen=True)
class DocumentFacts:
    """What a whole document states about all its figures. Each fact is looked up once."""

    text: str
    question: str = ""

    @cached_property
    def letters(self) -> str:
        """Return only the letters and digits of the text and question, to look up names."""
        return re.sub(r"\W", "", f"{self.text}\n{self.question}".lower())

    @cached_property
    def fiscal_end(self) -> int:
        """Return the month in which fiscal years end: the month that the document names most often, else December."""
        text = self.text
        reach = (text[match.end() : match.end() + _FISCAL_END_REACH] for match in _FISCAL_END.finditer(text))
        dates = (found.date for words in reach for found in read_quantities(words)[:1] if found.date.month)
        months = Counter(date.last_month for date in dates).most_common(1)
        return months[0][0] if months else 12

    @cached_property
    def currencies(self) -> frozenset[str]:
        """Return the currencies that the document or the question names."""
        return currencies_named(f"{self.text}\n{self.question}")

    @cached_property
    def orders_of_days(self) -> frozenset[str]:
        """Return the orders of day, month and year in which the document writes dates in digits."""
        return orders_of_days(self.text)


def collect_candidates(quotes: Sequence[Quote], document: Document, facts: DocumentFacts) -> tuple[Candidate, ...]:
    """Return all candidates for a claim with these quotes: quantities of the quotes, their headers and the question."""
    quotes = [set_cells_apart(document, quote) for quote in quotes]
    # A scale quoted next to rows of a table applies to them; a scale in their own table is known anyway.
    stated = _join_scales(it for it in quotes if not is_row(document, it.start))
    found = [candidate for quote in quotes for candidate in _candidates_of_quote(quote, stated, document, facts)]
    found += _candidates_of_headers(quotes, document)
    found += _candidates_of_headings(quotes, document)
    found += [Candidate(asked, explicit_power(asked), source="question") for asked in read_quantities(facts.question)]
    mailed = [date for quote in quotes if (date := _mail_date(document, quote.start)) is not None]
    known = {*mailed, *(Date(date.year) for date in mailed)}
    found += [Candidate(Quantity("", 0, 0, Decimal(0), kind="date", date=date), source="document") for date in known]
    return tuple(found)


def _join_scales(quotes: Iterator[Quote]) -> Scales:
    read = [read_scales(quote.text) for quote in quotes]
    powers = frozenset(power for scales in read for power in scales.powers)
    return Scales(powers, frozenset(item for scales in read for item in scales.exceptions))


def _candidates_of_headers(quotes: Sequence[Quote], document: Document) -> Iterator[Candidate]:
    """Yield the figures and dates of the lines above quoted rows, and of the names of their columns."""
    for quote in quotes:
        cells = (cell for cell in document.cells_in(quote.start, quote.end) if cell.start < quote.end)
        named = {(document.table_at(cell.start), cell.column, cell.last) for cell in cells if quote.start < cell.end}
        columns = [document.column_labels(table, column, last) for table, column, last in named if table]
        lines = [(line,) for line in lines_above(document, quote.start, quote.end)]
        for labels in (*filter(None, columns), *lines):
            yield from _candidates_of_labels(labels, "header", quote)


def _candidates_of_headings(quotes: Sequence[Quote], document: Document) -> Iterator[Candidate]:
    """Yield the figures of the headings above quotes, except dates and small numbers, which may count the headings."""
    for quote in quotes:
        for start in (heading.start for heading in document.sections_at(quote.start)):
            heading = as_label(document, start, document.text.find("\n", start))
            found = _candidates_of_labels((heading,), "document", quote)
            yield from (one for one in found if one.quantity.kind != "date" and not one.quantity.is_small)


def _candidates_of_labels(labels: Sequence[Label], source: FigureOrigin, quote: Quote) -> Iterator[Candidate]:
    start, end = labels[0].start, labels[-1].end
    for one in read_quantities(" ".join(label.text for label in labels)):
        if one.kind == "identifier" and (digits := _DIGITS.match(one.text)):  # 125C
            one = replace(one, kind="none", value=Decimal(digits[0]))
        yield Candidate(one, explicit_power(one), source=source, start=start, end=end, quote=quote.id)


def _mail_date(document: Document, offset: int) -> Date | None:
    """Return the date of the mail with the character at `offset`; None outside of mails."""
    member = document.member_at(offset)
    begin, kind = (member.start, member.kind) if member else (0, document.kind)
    lines = _MAIL_DATE.findall(document.text, begin, offset) if kind in MAIL_KINDS else ()
    return next((found.date for found in read_quantities(lines[-1]) if found.date.day), None) if lines else None


def collect_from_texts(texts: Sequence[str], contexts: Sequence[str]) -> tuple[Candidate, ...]:
    """Return the quantities of texts without their document. `contexts` has the lines above each text."""
    found: list[Candidate] = []
    for text, context in zip_longest(texts, contexts[: len(texts)], fillvalue=""):
        whole = f"{context}\n{text}".replace(PAGE_BREAK, "\n")
        document = assemble(complete(plain_document([whole]), "text"), path="", kind="text", sha256="", fingerprint="")
        quote = Quote(0, text, len(context) + 1, len(whole), 1, "1", "exact", 1, text)
        found += _candidates_of_quote(quote, read_scales(whole), document, DocumentFacts(whole))
    return tuple(found)


def explicit_power(quantity: Quantity) -> frozenset[int]:
    """Return the scale that is written next to a quantity, or no scale."""
    return UNSCALED if quantity.power is None else frozenset((quantity.power,))


def _candidates_of_quote(quote: Quote, stated: Scales, document: Document, facts: DocumentFacts) -> Iterator[Candidate]:
    for quantity in read_quantities(quote.text):
        start, end = quote.start + quantity.start, quote.start + quantity.end
        place, in_table = find_cell(document, start), is_row(document, start)
        source: FigureOrigin = "quote" if in_table or document.table_at(start) is None else "header"
        cell = read_cell(document, *place) if place else CellFacts()
        for reading in _readings(quantity, facts, in_cell=place is not None):
            candidate = _make_candidate(reading, quote.text, cell, stated, in_table=in_table)
            yield replace(candidate, source=source, start=start, end=end, quote=quote.id)
    for one in document.cells_in(quote.start, quote.end):
        if one.start < quote.end and quote.start < one.end and _NIL.fullmatch(document.text, one.start, one.end):
            nil = Quantity(document.text[one.start : one.end], 0, 0, Decimal(0))
            powers = frozenset((0, 3, 6, 9))
            yield Candidate(nil, powers, in_table=True, start=one.start, end=one.end, quote=quote.id)


def _readings(quantity: Quantity, facts: DocumentFacts, *, in_cell: bool) -> Iterator[Quantity]:
    """Yield all readings of a quantity: "2040" in a cell is a year or a number; "3/4/2031" is in March or April."""
    yield quantity
    if quantity.kind == "date":
        if in_cell and quantity.text.isdecimal():
            yield replace(quantity, kind="none", date=Date())
        days = possible_days(quantity.text)
        known = facts.orders_of_days if days else ()
        yield from (replace(quantity, date=day) for order, day in days.items() if order in (known or days))


def _make_candidate(quantity: Quantity, text: str, cell: CellFacts, stated: Scales, *, in_table: bool) -> Candidate:
    """Return a quantity of a text with the scale and unit from its cell or from the quoted text around it."""
    before = text[: quantity.start + (quantity.text[:1] == "(")]
    line = before.rpartition("\n")[2]
    quantity = _in_unit_of(cell, quantity)
    scales = cell.scales if cell.scale else stated  # "(dollars)" beside a row are no thousands
    is_scaled = quantity.power is not None or quantity.kind in _NEVER_SCALED
    is_in_full = not in_table and quantity.kind == "count" and abs(quantity.value) >= _IN_FULL_IN_TEXT
    powers, is_stated = explicit_power(quantity), is_scaled or is_in_full or bool(scales.powers)
    if not is_scaled and scales.powers:
        powers = _powers_of(scales, f"{EXCEPTION.sub('', line)} {cell.name}", in_table=in_table)
    return Candidate(quantity, powers, is_scale_stated=is_stated, in_table=in_table, facts=cell)


def _in_unit_of(cell: CellFacts, quantity: Quantity) -> Quantity:
    """Return a bare quantity in the unit that is stated for its cell."""
    unit = cell.unit
    if not unit or quantity.kind != "none" or (unit.kind == "percent" and abs(quantity.value) >= _MOST_PERCENT):
        return quantity
    return replace(
        unit,
        text=quantity.text,
        start=quantity.start,
        end=quantity.end,
        value=quantity.value * unit.value,
        decimals=quantity.decimals + unit.decimals,
        power=unit.power if quantity.power is None else quantity.power,
    )


def _powers_of(scales: Scales, named: str, *, in_table: bool) -> frozenset[int]:
    """Return the possible scales of a figure under the stated ones.

    Excepted figures, and those outside tables, may be unscaled.
    """
    words = content_words(named) | ({"per"} & set(named.lower().split()))
    excepted = [item for item in scales.exceptions if item <= words]
    if in_table and any("per" in item for item in excepted):
        return UNSCALED
    return scales.powers | (UNSCALED if excepted or not in_table else frozenset())
