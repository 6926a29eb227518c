"""Are the figures, dates and quotations of a text in the words it rests on? Local and exact, every miss with its place.

What counts as found, and why:

* a figure when a figure of the quoted words has the same value (1,577 = 1577, 4 million = 4,000,000, forty-five = 45)
  and nothing directly beside it, or stated for its whole table ("in millions"), says otherwise: another unit, currency
  or scale, or a minus that was dropped or added (see `agreement`). Nothing is rounded, and nothing is computed but what
  the text shows: "27,900 = 21,500 + 6,400" holds if the parts are found and the sum is right.
* a date when a date of the quoted words agrees with it, however either is written; a year alone counts as a figure.
* a quotation when its words stand in one quote, folded as quotes are; its first letter may change case. Gaps that are
  marked ("...", "[...]") may leave words out, but no negation and no limit ("not", "except").

What needs no source: numbers of a list, as long as they count on from the one before; page numbers, which must be pages
of the brief's quotes; numbers of sections, clauses and the like, which must be numbered parts of the document; marks
such as [2] that name an item of the brief; how many items the brief has, or the list that follows the line, if the line
counts them ("3 deadlines:", but not "Deadlines: 3"); small numbers spelled out that measure nothing ("two parties").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import zip_longest

from ralph_cli.checks.figures.agreement import Quoted, contradiction, quoted_figures, same_value
from ralph_cli.checks.figures.arithmetic import sums
from ralph_cli.checks.figures.numbering import ITEMS, SECTIONS, announces
from ralph_cli.checks.output.quotations import BLOCK_WORDS, Quotation, departure, places, quotations
from ralph_cli.checks.output.shape import Piece
from ralph_cli.text.boundary import on_boundaries
from ralph_cli.text.fold import fold
from ralph_cli.text.quantities.dates import Date, dates
from ralph_cli.text.quantities.figures import UNIT, Figure, figures
from ralph_cli.text.quantities.units import restated

TERM_WORDS = 3
"""A term of the task may be named in quotation marks up to this length without being quoted from the document."""

_PAGES = re.compile(r"\b(?:pages?|pp?\.)\s*((?:\d+|[ivxlc]+\b)(?:\s*(?:-|\u2013|,|and|&|to)\s*\d+)*)", re.IGNORECASE)
_PAGE_LABEL = re.compile(
    r"(?i)(?:(?:source|pdf|from|to|start|end)[ _-]?)?(?:pages?|pp?\.?)(?:[ _-]?(?:no|nr|number|numbers|ref|refs)\.?)?"
)
_NUMBER_LABEL = re.compile(r"(?i)#|no\.?|nr\.?|id|index|item|item[ _]?(?:no|number)\.?|row|rank|number|n")
_QUOTE_LABEL = re.compile(
    r"(?i)(?:verbatim[ _]?)?(?:quotes?|quotations?|evidence|passages?|source[ _]?text|wording|verbatim)"
)
_LISTED = re.compile(
    r"^(?P<key>[ \t>]*(?:[-*+\u2022][ \t]+|#{1,6}[ \t]+)?\(?)(?P<number>\d{1,3})[.)](?=\s)", re.MULTILINE
)
_BRACKETED = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d.,]*\d)")
_NARROW = re.compile("[\u00a0\u2007\u2009\u202f]")
_NAME = re.compile(r"\d[A-Z]")
"""A figure or a name, such as 3M: a name if the task names it."""

_AROUND = 30


@dataclass(frozen=True, slots=True)
class Miss:
    """Something in a text that its sources do not bear out: where it stands, and what is wrong, in words."""

    place: str
    message: str


@dataclass(slots=True)
class Ground:
    """The words that a text may rest on: quoted passages, the pages they stand on, and how many items they prove.

    `pages` are the numbers and labels of the quotes' pages; `items` counts the items of the brief; `task` is what was
    asked, whose own terms may be repeated in quotation marks; `sections` are the numbers of the document's parts;
    `name` says in messages what the sources are; `beside` gives for each text what is quoted from the same place, such
    as the header of its table.
    """

    texts: Sequence[str]
    pages: frozenset[str] = frozenset()
    items: int = 0
    task: str = ""
    sections: frozenset[str] = frozenset()
    name: str = "no quote of the brief"
    beside: Sequence[str] = ()
    checked: int = 0
    _folded: list[str] = field(default_factory=list)
    _figures: list[Quoted] = field(default_factory=list)
    _dates: list[Date] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._folded = [fold(text).text for text in self.texts]
        for text, beside in zip_longest(self.texts, self.beside[: len(self.texts)], fillvalue=""):
            found = quoted_figures(text, beside)
            days = dates(found[0].text) if found else ()
            self._dates += days
            # The day of a date is no quantity; its year may be named alone.
            spans = [(date.start, date.end) for date in days]
            self._figures += [
                quoted
                for quoted in found
                if quoted.figure.value >= 1000 or not _inside(quoted.figure.start, quoted.figure.end, spans)
            ]

    def misses(self, pieces: Sequence[Piece]) -> tuple[Miss, ...]:
        """Everything in the pieces that is not borne out, in order, each once."""
        return tuple(dict.fromkeys(miss for piece in pieces for miss in self._misses(piece)))

    def _misses(self, piece: Piece) -> Iterator[Miss]:
        text = piece.text
        if _PAGE_LABEL.fullmatch(piece.label.strip()):
            yield from self._wrong_pages(piece, re.finditer(r"\d+", text))
            return
        whole = (Quotation(0, ((len(text), text),)),)
        quoted = []
        for quotation in whole if _whole_quote(piece) else quotations(text):
            self.checked += 1
            faults = [self._departure(words) for _, words in quotation.readings]
            ends = [end for (end, _), fault in zip(quotation.readings, faults, strict=True) if fault is None]
            quoted += [(quotation.start, end) for end in ends]
            if not ends:
                yield Miss(piece.place(quotation.start), f'the quotation "{_short(quotation.words)}" {faults[0]}')
        free = [*quoted, *self._free(piece)]
        pages = [match for match in _PAGES.finditer(text) if not self._verbatim(match[0])]
        yield from self._wrong_pages(piece, pages)
        free += [match.span() for match in pages]
        free += [match.span() for match in SECTIONS.finditer(text) if self._are_sections(match[1])]
        for date in dates(text):
            if not _inside(date.start, date.end, free):
                free.append((date.start, date.end))
                self.checked += 1
                if not any(date.agrees(other) for other in self._dates):
                    yield Miss(
                        piece.place(date.start), f"the date {date.text} ({_around(text, date)}) is in {self.name}"
                    )
        free += self._grouped_by_spaces(text)
        computed = sums(text, lambda figure: self._fault(figure, piece) is None)
        free += computed
        for figure in figures(text):
            if _inside(figure.start, figure.end, free) or (figure.spelled and not _measures(figure, text)):
                continue
            self.checked += 1
            fault = self._fault(figure, piece)
            if fault is not None:
                yield Miss(piece.place(figure.start), f"the figure {figure.text} ({_around(text, figure)}) {fault}")

    def _fault(self, figure: Figure, piece: Piece) -> str | None:
        """Why a figure is not borne out, None if it is."""
        if figure.name:
            named = any(other.figure.name == figure.name for other in self._figures)
            return None if named or self._verbatim(figure.name) else f"is in {self.name}"
        faults = [
            contradiction(one, piece, other)
            for one in (figure, *restated(figure, piece.text))
            for other in self._figures
            if same_value(one, other, piece.label)
        ]
        if not faults:
            return self._without_scale(figure) or f"is in {self.name}"
        return None if None in faults else faults[0]

    def _without_scale(self, figure: Figure) -> str | None:
        """What is missing where a quote has the digits of a figure in millions, and nothing says that it counts so."""
        bare = (other.figure for other in self._figures if other.figure.scale == 1 and not other.figure.spelled)
        same = next((other for other in bare if figure.scale != 1 and other.raw == figure.raw), None)
        if same is None:
            return None
        told = f"stands in the quoted words as {same.text}, and none of them says in which unit the table counts"
        return f"{told}: quote the line that does, too"

    def _grouped_by_spaces(self, text: str) -> Iterator[tuple[int, int]]:
        """Numbers whose digits are grouped by plain spaces, where a quote groups the same number by narrow ones."""
        for match in _SPACED.finditer(text):
            value = Decimal(match[0].replace(" ", ""))
            if any(other.figure.value == value and _NARROW.search(other.figure.text) for other in self._figures):
                yield match.span()

    def _verbatim(self, words: str) -> bool:
        """Whether the words stand in a source as they are, on the boundaries of words and numbers."""
        wanted = fold(words).text.strip()
        return bool(wanted) and any(
            on_boundaries(text, at, at + len(wanted)) for text in self._folded for at in places(text, wanted)
        )

    def _departure(self, words: str) -> str | None:
        """What is wrong with a quotation, None if its words stand in one source, or are a term of the task."""
        limit = departure(words, self._folded)
        term = len(words.split()) <= TERM_WORDS and fold(words).text.casefold() in fold(self.task).text.casefold()
        if limit is None or term:
            return None
        if limit:
            return f'leaves out "{limit}", which changes what is said: quote it too, or say it in words'
        return f"is in {self.name}: quote what stands there, or say it in words"

    def _wrong_pages(self, piece: Piece, found: "Sequence[re.Match[str]] | Iterator[re.Match[str]]") -> Iterator[Miss]:
        for match in found:
            for number in re.findall(r"\d+|[ivxlc]+", match[1] if match.re.groups else match[0], re.IGNORECASE):
                self.checked += 1
                if number.lower() not in self.pages:
                    known = ", ".join(sorted(self.pages, key=lambda page: (len(page), page))[:20])
                    which = f"the brief's quotes stand on {known}" if known else "what it rests on has no pages"
                    yield Miss(piece.place(match.start()), f"page {number} is not a page that was quoted: {which}")

    def _are_sections(self, numbers: str) -> bool:
        return all(number.rstrip(".") in self.sections for number in re.findall(r"\d+(?:\.\d+)*", numbers))

    def _free(self, piece: Piece) -> Iterator[tuple[int, int]]:
        """Places whose numbers need no source; see the head of this module."""
        text = piece.text
        if (
            _NUMBER_LABEL.fullmatch(piece.label.strip())
            and text.strip().isdecimal()
            and self._counts_on(piece.label, text)
        ):
            yield 0, len(text)
        for match in _LISTED.finditer(text):
            if self._counts_on(match["key"], match["number"]):
                yield match.start("number"), match.end()
        for match in _BRACKETED.finditer(text):
            if all(1 <= int(number) <= self.items for number in re.findall(r"\d+", match[1])):
                yield match.span()
        for figure in figures(text):
            if _NAME.fullmatch(figure.text) and re.search(rf"\b{figure.text}\b", self.task):
                yield figure.start, figure.end
            if figure.sign or figure.percent or figure.currency or figure.scale != 1:
                continue
            if (figure.value == self.items and ITEMS.match(text, figure.end)) or announces(text, figure):
                yield figure.start, figure.end

    def _counts_on(self, key: str, number: str) -> bool:
        """Whether a list's number is 1 (or 0), the one before it again, or the next."""
        key, value = " ".join(key.split()), int(number)
        before = self._counts.get(key)
        self._counts[key] = value
        return value in (0, 1) or (before is not None and value in (before, before + 1))


def _whole_quote(piece: Piece) -> bool:
    return bool(_QUOTE_LABEL.fullmatch(piece.label.strip())) and len(piece.text.split()) >= BLOCK_WORDS


def _measures(figure: Figure, text: str) -> bool:
    """Whether a number that is spelled out is a figure: a large one, or one before a unit."""
    return figure.value > 12 or figure.percent or bool(UNIT.match(text, figure.end))


def _inside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(a <= start and end <= b for a, b in spans)


def _around(text: str, found: Figure | Date) -> str:
    before = " ".join(text[max(found.start - _AROUND, 0) : found.start].split(" "))
    after = text[found.end : found.end + _AROUND]
    return '"' + " ".join(f"...{before}{text[found.start : found.end]}{after}...".split()) + '"'


def _short(words: str, most: int = 120) -> str:
    flat = " ".join(words.split())
    return flat if len(flat) <= most else flat[:most] + "..."
