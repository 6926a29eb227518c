"""The quantities that a claim may rest on: those of its quotes, each with what its table says of it. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from ralph_cli.checks.figures.places import Place, find_places
from ralph_cli.checks.figures.tables.header import PER_CENT, TableHeader, TableHeaders, read_header
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import PAGE_BREAK
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import assemble
from ralph_cli.documents.structure.complete import complete
from ralph_cli.text.quantities.currencies import currencies_named
from ralph_cli.text.quantities.dates import orders_of_days, possible_days
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.scales import EXCEPTION, SCALE_STATEMENT, SCALE_WORDS, Scales, content_words, read_scales
from ralph_cli.text.sentences import line_at

Source = Literal["quote", "header", "question", "document", "calculation"]

UNSCALED = frozenset((0,))
_LABEL = re.compile(r"(?s)(?<![(])[\d$\u20ac\u00a3\u00a5].*")
_OWN_UNIT = re.compile(
    r"(?i)[^\W\d_] \((?!(?:in )?(?:loss|income|expense|decrease|increase|deficit|benefit|used|unaudited|restated|note"
    r"|net|thousand|million|billion))(?:in )?[a-z$\u20ac\u00a3\u00a5.]+(?: [a-z]+)?\)(?=[\s|]+[$\d])"
)
"""The end of a row's label that tells in which unit it counts: "Enrollment (pupils)", not "(loss)"."""

_SCALE_WORD = re.compile(r"(?i)\b(thousand|million|billion)s?\b")
_PAIRED = re.compile(r"\([^()]*%\s*\)")
_BEHIND_FIGURE = re.compile(r"\d\s\(?\Z")
"""Of "n (%)" the figure in brackets behind another is the percentage, and no negative."""

_FISCAL_END = re.compile(r"(?i)\byears?\s+(?:then\s+)?(?:ended|ending|ends)\s+(?:on\s+)?")
_FISCAL_END_REACH = 24
_MOST_PERCENT = 1000
MILLIONS = 6
IN_FULL = 10**6
"""From this on a figure without a currency may be written out in full, whatever scale is stated above it."""

_TRACES = {
    "$": ("$", "dollar", "usd", "美元", "美金", "ドル", "달러"),
    "\u20ac": ("\u20ac", "eur", "欧元", "歐元", "ユーロ", "유로"),
    "\u00a3": ("\u00a3", "pound", "gbp", "sterling", "英镑", "英鎊", "ポンド", "파운드"),
    "\u00a5": ("\u00a5", "\uffe5", "yen", "jpy", "yuan", "cny", "rmb", "renminbi", "\u5186", "\u5143"),
}
"""What a text that counts in a currency has somewhere, in any language; that "eur" is in "Europe" is fine."""

_TRACES["cny"] = _TRACES["\u00a5"]

MAIN_CURRENCIES = frozenset(_TRACES) - {"cny"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A quantity that may bear out one of a claim, and what governs it.

    `powers` are the scales that it may have, as powers of ten; not `is_scale_sure`: any other may be meant.
    `is_pure` marks a quotient of like quantities, `is_odd` a figure with other decimals than those of its table.
    `row` is what stands before the figures in its line, `place` what governs it.
    `terms` are those of the sum that a calculation's result is.
    """

    quantity: Quantity
    powers: frozenset[int] = UNSCALED
    is_scale_sure: bool = True
    source: Source = "quote"
    in_table: bool = False
    is_pure: bool = False
    is_odd: bool = False
    row: str = ""
    place: Place | None = None
    header: TableHeader = field(default_factory=TableHeader)
    terms: int = 1

    @property
    def label(self) -> frozenset[str]:
        """The words that name its row."""
        return content_words(self.row)

    @property
    def per_time(self) -> str:
        return self.quantity.per_time or self.header.per_time


@dataclass(frozen=True)
class DocumentFacts:
    """What a whole document says of all its figures; each fact is looked up once."""

    text: str
    question: str = ""
    _currencies: dict[str, bool] = field(default_factory=dict, compare=False)

    @cached_property
    def lowercase(self) -> str:
        return f"{self.text}\n{self.question}".lower()

    @cached_property
    def letters(self) -> str:
        """Letters and digits alone, in which names are looked up."""
        return re.sub(r"\W", "", self.lowercase)

    @cached_property
    def fiscal_end(self) -> int:
        """The month in which fiscal years end: the one that the document most often names so, else December."""
        text = self.text
        reach = (text[match.end() : match.end() + _FISCAL_END_REACH] for match in _FISCAL_END.finditer(text))
        dates = (found.date for words in reach for found in read_quantities(words)[:1] if found.date.month)
        months = Counter(date.last_month for date in dates).most_common(1)
        return months[0][0] if months else 12

    @cached_property
    def orders_of_days(self) -> frozenset[str]:
        """In which orders the document writes dates in digits."""
        return orders_of_days(self.text)

    def names_currency(self, key: str) -> bool:
        """Whether the document, or the question, has any trace of a currency."""
        if key not in self._currencies:
            traces = _TRACES.get(key)
            named = traces and any(trace in self.lowercase for trace in traces)
            self._currencies[key] = not self.text or bool(named) or (not traces and key in currencies_named(self.text))
        return self._currencies[key]


def collect_candidates(quotes: Sequence[Quote], headers: TableHeaders, facts: DocumentFacts) -> tuple[Candidate, ...]:
    """All that a claim with these quotes may rest on: their quantities, the dates of their headers, the question's."""
    quotes = [headers.set_cells_apart(quote) for quote in quotes]
    # The unit of a table that is quoted with its rows is that of the rows, and of no sentence quoted beside them.
    stated = [quote for quote in quotes if not any(map(headers.is_row, _lines(quote)))]
    scales = _join_scales(quotes), _join_scales(stated)
    found = [candidate for quote in quotes for candidate in _candidates_of_quote(quote, scales, headers, facts)]
    beside = tuple(
        line
        for quote in quotes
        for at, line in zip(_lines(quote), quote.text.splitlines(), strict=True)
        if not headers.is_row(at)
    )
    found = [replace(one, header=replace(one.header, lines=(*one.header.lines, *beside))) for one in found]
    dates = {date.date: date for quote in quotes for line in _lines(quote) for date in headers.at(line).dates}
    found += [Candidate(date, source="header") for date in dates.values()]
    found += _figures_of_columns(quotes, headers)
    found += [Candidate(asked, _explicit_power(asked), source="question") for asked in read_quantities(facts.question)]
    mailed = [date for quote in quotes if (date := headers.mail_date_at(quote.start)) is not None]
    known = {*mailed, *(Date(date.year) for date in mailed)}
    found += [Candidate(Quantity("", 0, 0, Decimal(0), kind="date", date=date), source="document") for date in known]
    return tuple(found)


def _figures_of_columns(quotes: Sequence[Quote], headers: TableHeaders) -> Iterator[Candidate]:
    """The figures in the names of the columns of quoted cells, such as the dose of "Placebo | 50 mg"."""
    for quote in quotes:
        cells = dict.fromkeys(cell for line in _lines(quote) for cell in headers.at(line).cells)
        for cell in (cell for cell in cells if cell.start < quote.end and quote.start < cell.end):
            for one in read_quantities(cell.name):
                if one.is_measured:
                    yield Candidate(one, _explicit_power(one), source="header", header=TableHeader(cells=(cell,)))


def _join_scales(quotes: Sequence[Quote]) -> Scales:
    """The scales that quotes state."""
    quoted = [read_scales(quote.text) for quote in quotes]
    return Scales(
        frozenset(power for scales in quoted for power in scales.powers),
        frozenset(item for scales in quoted for item in scales.exceptions),
        all(scales.in_row for scales in quoted if scales.powers),
        frozenset(word for scales in quoted for word in scales.named),
    )


def collect_from_texts(texts: Sequence[str], contexts: Sequence[str]) -> tuple[Candidate, ...]:
    """The quantities of quoted texts without their document; `contexts` hold what is quoted beside each of them."""
    found: list[Candidate] = []
    for text, context in zip_longest(texts, contexts[: len(texts)], fillvalue=""):
        parsed = complete(plain_document([f"{context}\n{text}".replace(PAGE_BREAK, "\n")]), "text")
        headers = TableHeaders(assemble(parsed, path="", kind="text", sha256="", fingerprint=""))
        header = read_header(text, context)
        for quantity in read_quantities(text):
            start, end = line_at(text, quantity.start, quantity.end)
            at = len(context) + 1 + quantity.start
            candidate = make_candidate(quantity, text, text[start:end], header, Scales(), in_table=headers.is_row(at))
            found.append(replace(candidate, is_scale_sure=True))
    return tuple(found)


def _lines(quote: Quote) -> Iterator[int]:
    at = quote.start
    for line in quote.text.splitlines(keepends=True):
        yield at
        at += len(line)


def _explicit_power(quantity: Quantity) -> frozenset[int]:
    return UNSCALED if quantity.power is None else frozenset((quantity.power,))


def _candidates_of_quote(
    quote: Quote, scales: tuple[Scales, Scales], headers: TableHeaders, facts: DocumentFacts
) -> Iterator[Candidate]:
    quantities = read_quantities(quote.text)
    of_rows, of_prose = scales
    places = find_places(quote, quantities, headers, facts.fiscal_end)
    for quantity in quantities:
        header = headers.at(quote.start + quantity.start)
        place = places.get(quantity.start)
        start, end = line_at(quote.text, quantity.start, quantity.end)
        line = quote.text[start:end]
        in_table = headers.is_row(quote.start + quantity.start)
        column = f"{place.column if place else ''} {headers.signs_at(quote.start + quantity.start) if in_table else ''}"
        candidate = make_candidate(
            quantity, quote.text, line, header, of_rows if in_table else of_prose, column, in_table=in_table
        )
        yield replace(_typed_by_place(candidate, place), place=place)
        days = possible_days(quantity.text) if quantity.kind == "date" else {}
        for order, day in days.items():
            if order in (facts.orders_of_days or days):
                yield replace(candidate, quantity=replace(quantity, date=day))
    if headers.has_nil(quote):
        yield Candidate(Quantity("\u2014", 0, 0, Decimal(0)), frozenset((0, 3, 6, 9)), in_table=True)


def make_candidate(
    quantity: Quantity,
    text: str,
    line: str,
    header: TableHeader,
    quoted: Scales,
    column: str = "",
    *,
    in_table: bool = False,
) -> Candidate:
    """A quantity of text[start:end] in its line, with what its header, the quoted words and its column say of it."""
    start = quantity.start - text.rfind("\n", 0, quantity.start) - 1
    governing, certain = _find_scales(line, start, header, quoted, column, in_table=in_table)
    header = replace(
        header,
        scales=governing,
        is_certain=certain,
        currencies=(currencies_named(column) or header.currencies) if in_table else frozenset(),
        has_percent=header.has_percent or bool(PER_CENT.search(column)),
        per_time=header.per_time if in_table else "",
    )
    is_share = _PAIRED.search(f"{line[:start]} {column}") if in_table else quantity.kind == "percent"
    if is_share and _BEHIND_FIGURE.search(line[: start + (quantity.text[:1] == "(")]):
        quantity = replace(quantity, value=abs(quantity.value), kind="percent", unit="")
    told = content_words(f"{line[:start]} {column}")
    is_odd = in_table and header.decimals not in (None, quantity.decimals) and not governing.named & told
    is_odd &= quantity.kind != "currency" or abs(quantity.value) < 1000
    powers, sure = _explicit_power(quantity), True
    if quantity.power is None and (quantity.kind in ("none", "currency") or (quantity.kind == "count" and in_table)):
        things = governing.named & content_words(" ".join(cell.name for cell in header.cells))
        # "Worth in thousands" may not be of pieces.
        other_column = (header.is_of_column and not read_scales(column).powers) or (things and not things & told)
        label = f"{line} {column}" if in_table else ""
        powers = _scales_of(quantity, governing, label, certain and not other_column and not is_odd)
        money, scaled = quantity.kind == "currency", max(powers) > 0
        in_full = scaled and not money and abs(quantity.value) >= IN_FULL
        sure = not in_full and (money or (bool(governing.powers) and not (is_odd and len(powers) > 1)))
    return Candidate(
        quantity,
        powers,
        sure,
        in_table=in_table,
        is_odd=is_odd,
        row=_LABEL.sub("", line),
        header=header,
    )


def _find_scales(
    line: str, start: int, header: TableHeader, quoted: Scales, column: str, *, in_table: bool
) -> tuple[Scales, bool]:
    """The scales that are stated for a figure in a line: by its column, its row, the quotes or its header; and whether
    they are so for certain."""
    of_column = frozenset(SCALE_WORDS[word.lower()] for word in _SCALE_WORD.findall(column))
    if in_table and len(of_column) == 1 and not read_scales(column).powers:
        return Scales(of_column), True  # "2023, thousand bottles"
    if in_table and (own := read_scales(line[:start])).powers:
        return own, True  # a row that names its own scale has no other
    if quoted.powers and not (in_table and header.is_certain):
        return quoted, not quoted.in_row or bool(SCALE_STATEMENT.search(line, 0, start))
    return header.scales, header.is_certain


def _scales_of(quantity: Quantity, governing: Scales, line: str, certain: bool) -> frozenset[int]:
    """The scales that a figure without its own may have."""
    line = EXCEPTION.sub("", line)
    words = content_words(line) | frozenset(re.findall(r"\bper\b", line.lower()))
    excepted = [item for item in governing.exceptions if item <= words]
    if not governing.powers or (quantity.kind == "currency" and (quantity.per_time or quantity.per_thing)):
        return UNSCALED
    if any("per" in item for item in excepted) or _OWN_UNIT.search(line):
        return UNSCALED
    fine = quantity.decimals == 2 and abs(quantity.value) < 1000 and bool(governing.exceptions)
    is_rate = bool(quantity.per_time or quantity.per_thing)
    if not (certain and line) and abs(quantity.value) >= IN_FULL and not quantity.value % 10**6:
        return UNSCALED  # written out in full
    # So may this be: no table counts so many millions, or such round thousands of things.
    full = not quantity.value % 1000 or (abs(quantity.value) >= IN_FULL and min(governing.powers) >= MILLIONS)
    is_rate |= quantity.kind != "currency" and abs(quantity.value) >= 10**5 and full
    free = bool(excepted) or is_rate or fine
    return governing.powers | (UNSCALED if free or not certain else frozenset())


def _typed_by_place(candidate: Candidate, place: Place | None) -> Candidate:
    """A bare figure of a cell with the unit that its column, its row or the title of its table names."""
    unit, quantity = place.unit if place else None, candidate.quantity
    if unit is None or quantity.kind != "none" or (unit.kind == "percent" and abs(quantity.value) >= _MOST_PERCENT):
        return candidate
    typed = replace(unit, text=quantity.text, start=quantity.start, end=quantity.end, value=quantity.value * unit.value)
    powers = candidate.powers if unit.kind == "physical" and unit.power is None else _explicit_power(unit)
    return replace(candidate, quantity=replace(typed, decimals=quantity.decimals + unit.decimals), powers=powers)
