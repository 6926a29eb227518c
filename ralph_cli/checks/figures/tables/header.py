"""What stands above a row of a table and governs its figures: lines, scale, currency, percent, dates. Pure.

The same lines are shown to a worker, count as quoted, and are what the figures are checked against.
"""

# ruff: noqa: SIM905

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import field, replace

from ralph_cli.checks.figures.tables.columns import NamedCell, find_names, name_cells
from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import PAGE_BREAK, Page
from ralph_cli.documents.sniff import MAIL_KINDS
from ralph_cli.text.quantities.currencies import currencies_named
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.vocabulary import EAST_ASIAN_SCALES, LITTLE_WORDS, PACES, singular
from ralph_cli.text.sentences import line_at
from ralph_cli.text.tables import (
    NIL,
    count_cells,
    first_line_above,
    has_columns,
    header_lines,
    is_row,
    names_columns,
    table_lines,
)

FAR_PAGES = 30
"""Pages above a row on which a statement of scale may stand that its own table lacks."""

SCALE_WORDS = {
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
    "tsd": 3,
    "mn": 6,
    "mio": 6,
    "bn": 9,
    "m": 6,
    "k": 3,
    "0": 3,
}
_SCALE = "thousand|million|billion|trillion|tsd|mn|bn"
_MONEY = r"(?:[$\u20ac\u00a3\u00a5]|dollars?\b|euros?\b|pounds\b|U\.?S\.?\s+dollars?\b|(?-i:\b[A-Z]{3}\b))"
SCALE_STATEMENT = re.compile(
    rf"(?im)(?:(?:\bin|\()\s*(?:(?:U\.?S\.?\s+)?{_MONEY}\s*)?|^\s*(?=\w+s\b)|_)(?P<word>{_SCALE})s?(?![^\W_])"
    rf"(?!\s+of\b(?!\s+(?:[A-Z][\w.]*\s+){{0,2}}{_MONEY}))|\bin\s+(?P<things>{_SCALE})s(?=\s+of\s)"
    rf"|{_MONEY}\s*(?P<mark>{_SCALE}|mn|mio|bn|m|k)s?(?![^\W_])"
    rf"|(?:{_MONEY}|\bin|\()\s*['\u2018\u2019]?00(?P<zeros>0)(?:['\u2019]?s)?(?![\w,.])"
    r"|(?<![^\W\d_])(?-i:[Tk])(?P<kilo>)(?:€|(?-i:EUR)\b)"
    r"|(?<![\d.数几幾])(?P<east>(?<![十百千万萬亿億兆])[十百千万萬亿億兆]+)[元円圓]"
)
"""A scale that is named for a table, apart from any figure: "(in millions)", "$000s", "EUR bn", "単位：百万円"."""

EXCEPTION = re.compile(r"(?i)\b(?:except|excluding|other than|unless)\b([^)\n]*(?:\n[^)\n]{0,80})?)")
_EXCEPT_REACH = 200
_CONTENT = re.compile(r"[^\W\d_]{3,}")
_GENERIC = frozenset(
    (
        "data amount amounts figure information where noted otherwise indicated stated item shown dollar thousand "
        "million billion expressed"
    ).split()
)
_FIGURE_BEHIND = re.compile(r"[)\]:]?[ \t]*([$\u20ac\u00a3\u00a5(]* ?\d[^\n]{0,20})")
_FEW_AMOUNTS = 5
_MAIL_DATE = re.compile(r"(?m)^Date: .*")
_EXHIBIT = re.compile(r"(?im)^[ \t]*exhibit[ \t]+\(?[\dA-Z]")
_NUMBERED = re.compile(r"\A\W*\w+ \d+[.:]?\s+")
_RULE_BELOW = re.compile(r"\n\s*\|[\s:|-]*-[\s:|-]*\|[^\S\n]*(?:\n|\Z)")
_PARTS = re.compile(r"[(;:.\n\t|]| {2,}")
_UNIT_BEHIND = re.compile(r"(?:\((?:in )?|, )((?:[^\W\d]|[%/.\u00b7 ]){1,30})\)?[ *:]*$")
_UNITS = ("percent", "points", "physical", "duration")
CELLS_APART = re.compile(r" {2,}|\t|\s*\|\s*")
PER_CENT = re.compile(r"(?i)%|\bper\s?cent")
_PER_CENT_ALONE = re.compile(r"(?i)(?<![\d)])(?<!\d\s)(?<!\)\s)(?:%|\bper\s?cent)")


@dataclass(frozen=True, slots=True)
class Scales:
    """The scales that some lines name, as powers of ten, and what they except.

    Each exception is the set of words that a row's label must have: all of "revenue per membership". Of one that begins
    with "per" nothing is scaled; of another one ("shares") some amounts may be. `in_row` says that each is named for
    the figure behind it ("Floor space (in thousands) 350"), and perhaps for no other; `named` are the things of which
    it is said ("$ and shares in millions").
    """

    powers: frozenset[int] = frozenset()
    exceptions: frozenset[frozenset[str]] = frozenset()
    in_row: bool = False
    named: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TableHeader:
    """What governs the figures of a row. `is_certain` says that the scales are stated for its own table.

    `cells` are those of the row's line, by their places in the document, each with the name of its column.
    `is_of_column` says that a scale stands in a line of units, each of one column.
    `unit` is one of that which its title names.
    `decimals` is how many most amounts of the table show, None for a table of few.
    """

    lines: tuple[str, ...] = ()
    cells: tuple[NamedCell, ...] = ()
    scales: Scales = field(default_factory=Scales)
    is_certain: bool = False
    is_of_column: bool = False
    currencies: frozenset[str] = frozenset()
    has_percent: bool = False
    decimals: int | None = None
    dates: tuple[Quantity, ...] = ()
    per_time: str = ""
    unit: Quantity | None = None


def is_table_row(line: str) -> bool:
    """Whether a line is a row of a table, and not one of a wrapped sentence that goes on with a list."""
    return (is_row(line) or has_columns(line)) and not line.rstrip().endswith((",", " and", " or"))


def read_unit(label: str) -> Quantity | None:
    """One of the unit that the end of a label names in brackets: "Fuel used (t)", "Margin (bps)"; None for none."""
    match = _UNIT_BEHIND.search(label)
    words = match[1].split() if match else []
    for at in range(len(words) if label.rstrip(" *:").endswith(")") else 1):  # "(diluted US cents)"
        found = read_quantities(" ".join(("1", *words[at:])), "prose")
        price = found[0].kind == "currency" and (found[0].value != 1 or found[0].per_thing) if found else False
        if len(found) == 1 and (found[0].kind in _UNITS or price):
            return found[0]
    return None


def content_words(text: str) -> frozenset[str]:
    """The words of a label that tell it from others, in the singular."""
    return frozenset(map(singular, _CONTENT.findall(text))) - _GENERIC - LITTLE_WORDS


def read_scales(text: str) -> Scales:
    """The scales that a text names for figures of a table; "sales of $7 million" names none."""
    powers: set[int] = set()
    exceptions: set[frozenset[str]] = set()
    named: set[str] = set()
    in_row = True
    for match in SCALE_STATEMENT.finditer(text):
        powers.add(_power_of(match))
        in_row &= _is_before_figure(text, match.end())
        named |= content_words(_PARTS.split(text[: match.start()].removesuffix("("))[-1])
        if excepted := EXCEPTION.search(text, match.end(), match.end() + _EXCEPT_REACH):
            items = re.split(r",|\band\b|\bor\b", excepted[1])
            exceptions |= {_exception(item) for item in items if content_words(item)}
    return Scales(frozenset(powers), frozenset(exceptions), in_row and bool(powers), frozenset(named))


def scale_of(things: Sequence[str], lines: Sequence[str]) -> int | None:
    """The power of ten that the lines above a table state of these things: 3 of "(dollars in millions, shares in
    thousands)" for shares; None if they state none of them.
    """
    text, at = " ".join(lines), 0
    for match in SCALE_STATEMENT.finditer(text):
        if not content_words(text[at : match.start()]).isdisjoint(things):
            return _power_of(match)
        at = match.end()
    return None


def _power_of(statement: "re.Match[str]") -> int:
    """The power of ten of a statement of scale."""
    kilo = "k" if statement["kilo"] is not None else ""
    word = statement["word"] or statement["things"] or statement["mark"] or statement["zeros"] or kilo
    return SCALE_WORDS[word.lower()] if word else sum(map(EAST_ASIAN_SCALES.__getitem__, statement["east"]))


def _is_before_figure(text: str, end: int) -> bool:
    """Whether a scale that ends here stands directly before an amount, and not before the dates of columns."""
    behind = _FIGURE_BEHIND.match(text, end)
    found = read_quantities(behind[1])[:1] if behind else ()
    return bool(found) and found[0].is_measured and found[0].kind != "duration"


def _exception(item: str) -> frozenset[str]:
    return content_words(item) | ({"per"} if re.match(r"\s*per\b", item) else frozenset())


def read_header(text: str, context: str = "") -> TableHeader:
    """What a quoted text, and what is quoted beside it, say of its figures."""
    both = f"{context}\n{text}"
    scales = read_scales(both)
    percent = bool(_PER_CENT_ALONE.search(both))
    return TableHeader(
        scales=scales, is_certain=bool(scales.powers), currencies=currencies_named(context), has_percent=percent
    )


def _lines_of_other_table(block: Sequence[str], named: Sequence[str]) -> int:
    """How many lines of a block belong to a table above: those up to its last row before the names of these columns."""
    first = next((at for at in range(len(block) - 1, -1, -1) if named and block[at] == named[0]), 0)
    return next(
        (at + 1 for at in range(first - 1, -1, -1) if has_columns(block[at]) and not names_columns(block[at])), 0
    )


def _unit_of_title(block: Sequence[str]) -> Quantity | None:
    """One of the unit that the nearest lines above the rows of a block, which are no rows themselves, name."""
    numbered = (_NUMBERED.sub("", line) for line in reversed(block) if not has_columns(line))
    titles = (line for line in numbered if count_cells(line) == 1)
    return next(filter(None, map(read_unit, titles)), None)


class TableHeaders:
    """The headers of one document's rows, each read once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._read: dict[int, TableHeader] = {}
        self._on_page: dict[int, tuple[re.Match[str], ...]] = {}

    def at(self, offset: int) -> TableHeader:
        """The header of the line in which a place of the document stands."""
        page = self._document.page_at(offset)
        start, end = line_at(self._document.text, offset, offset, page.start, page.end)
        if start not in self._read:
            self._read[start] = self._header(page, start, end)
        return self._read[start]

    def column_at(self, offset: int) -> tuple[int | None, str]:
        """The number of the column of the cell at a place, and what names it; None and nothing where none is known."""
        tables = self._document.tables
        number = bisect_right(tables, offset, key=lambda table: table.start) - 1
        if number < 0 or offset >= tables[number].end:
            return None, ""
        cells = tables[number].cells
        cell = bisect_right(cells, offset, key=lambda cell: cell.start) - 1
        if cell < 0 or offset >= cells[cell].end:
            return None, ""
        path = self._document.column_path(tables[number], cells[cell].column, cells[cell].last)
        return cells[cell].column, " ".join(path)

    def is_above_rule(self, offset: int) -> bool:
        """Whether the line at a place is that of a Markdown table which names its columns."""
        text = self._document.text
        return bool(_RULE_BELOW.match(text, max(0, text.find("\n", offset))))

    def set_cells_apart(self, quote: Quote) -> Quote:
        """A quote with a tab for each sign between two cells: "7,120,450" of a CSV file may be three figures."""
        text = list(quote.text)
        for table in self._document.tables:
            for cell in table.cells if table.start < quote.end and quote.start < table.end else ():
                for at in (cell.start - 1 - quote.start, cell.end - quote.start):
                    if 0 <= at < len(text) and text[at] in ",;":
                        text[at] = "\t"
        return replace(quote, text="".join(text))

    def mail_date_at(self, offset: int) -> Date | None:
        """The date of the mail in which a place stands, if it does in one."""
        member = self._document.member_at(offset)
        begin, kind = (member.start, member.kind) if member else (0, self._document.kind)
        lines = _MAIL_DATE.findall(self._document.text, begin, offset) if kind in MAIL_KINDS else ()
        return next((found.date for found in read_quantities(lines[-1]) if found.date.day), None) if lines else None

    def lines_above(self, start: int, end: int) -> tuple[str, ...]:
        """The header lines of the rows of text[start:end], each once; none for running text."""
        found: dict[str, None] = {}
        at = start
        for line in self._document.text[start:end].splitlines(keepends=True):
            found.update(dict.fromkeys(self.at(at).lines))
            at += len(line)
        return tuple(found)

    def _header(self, page: Page, start: int, end: int) -> TableHeader:
        text = self._document.text
        row = NIL.sub("0", text[start:end])
        tabular = is_table_row(row)
        above = text[first_line_above(text, page.start, start) : start]
        block = table_lines(above, row) if tabular else []
        named = find_names(block, row)
        if above_names := _lines_of_other_table(block, named):
            block = block[above_names:]
            above = "".join(f"{line}\n" for line in block)
        lines = tuple(header_lines(above, row))
        cells = [
            NamedCell(start + one, start + other, name)
            for one, other, name in (name_cells(named, text[start:end]) if tabular else ())
        ]
        stacked = [*named, *lines, *(cell.name for cell in cells)] if lines or named else block
        own = "\n".join(line for line in stacked if lines or named or not is_row(line)) if tabular else ""
        scales = read_scales(own)
        far = (start, start) if scales.powers else self._far_statement(page, start)
        stated = (text[slice(*far)],) if far[0] < start else ()
        body = "\n".join((*block, row))
        stating = max((at for at, line in enumerate(block) if SCALE_STATEMENT.search(line)), default=-1)
        read = (found for line in (*block[stating + 1 :], row) for found in read_quantities(line))
        shown = Counter(found.decimals for found in read if found.kind in ("none", "currency", "count"))
        paces = {
            PACES[word] for line in own.split("\n") for word in re.findall(r"[a-z]+", line.lower()) if word in PACES
        }
        return TableHeader(
            unit=_unit_of_title(block),
            lines=(*(stated if self._is_one_part(far[0], start) else ()), *lines) if tabular else (),
            cells=tuple(cells),
            scales=scales if scales.powers else read_scales("\n".join(stated)),
            is_certain=bool(scales.powers),
            is_of_column=any(
                SCALE_STATEMENT.search(cell) for line in lines for cell in re.split(r" {2,}|\t", line)[2:]
            ),
            currencies=frozenset[str]().union(*map(currencies_named, (*block, row))) if tabular else frozenset(),
            decimals=shown.most_common(1)[0][0] if tabular and shown.total() > _FEW_AMOUNTS else None,
            has_percent=bool(PER_CENT.search(body)),
            dates=tuple(found for found in read_quantities(own) if found.kind == "date"),
            per_time=paces.pop() if len(paces) == 1 else "",
        )

    def _is_one_part(self, low: int, high: int) -> bool:
        """Whether text[low:high] is of one part: no exhibit begins in it, no page in it is without a table."""
        text = self._document.text
        inside = text[low:high].split(PAGE_BREAK)[1:-1]
        return not _EXHIBIT.search(text, low, high) and all(any(map(has_columns, it.split("\n"))) for it in inside)

    def _far_statement(self, page: Page, start: int) -> tuple[int, int]:
        """The nearest statement of scale above the table, on its page or one before: it may be meant for it.

        Where there is none, nothing at `start`.
        """
        text, pages = self._document.text, self._document.pages
        number = bisect_right(pages, page.start, key=lambda one: one.start) - 1
        member = self._document.member_at(page.start)
        before = max(member.first_page - 2 if member else -1, number - FAR_PAGES)
        for at in range(number, before, -1):
            if at not in self._on_page:
                self._on_page[at] = tuple(SCALE_STATEMENT.finditer(text, pages[at].start, pages[at].end))
            places = [match for match in self._on_page[at] if match.end() <= start]
            if places:
                first, last = line_at(text, places[-1].start(), places[-1].end(), pages[at].start, pages[at].end)
                if "(" in text[first:last] and ")" not in text[places[-1].end() : last]:
                    last = line_at(text, last + 1, last + 1, first, pages[at].end)[1]
                return first, last
        return start, start


def quote_header(document: Document, start: int, end: int) -> tuple[str, ...]:
    """The header lines of the rows of text[start:end] that stand above them; none for running text."""
    return TableHeaders(document).lines_above(start, end)
