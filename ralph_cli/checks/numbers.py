"""Every figure and date of a claim stands in its quotes, or in a calculation over them that is computed again here.

A figure may be a quoted one that is rounded correctly to two or more digits. What a quote stands in belongs to it: the
lines above a table row that name its columns, its period and its unit are found by code and count as quoted. What needs
no source: years and thresholds ("more than 20%") that the question names, pages of the claim's quotes, sections of the
document, and names with digits in them ("3M", "10-K", "FY2018") if the document has them. No model takes part.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import zip_longest

from ralph_cli.checks.agreement import Quoted, contradiction, quoted_figures
from ralph_cli.checks.calculation import Derived, Sources, computations, derive, half_unit
from ralph_cli.checks.dates import dates
from ralph_cli.checks.expression import Wrong
from ralph_cli.checks.figures import Figure, figures
from ralph_cli.checks.grounding import Ground
from ralph_cli.checks.header import NIL, header_of, percentages
from ralph_cli.checks.numbering import sections_of
from ralph_cli.checks.rows import counts
from ralph_cli.checks.shape import Piece
from ralph_cli.checks.units import TIMES, restated, unit_beside
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Evidence, Issue, Quote

NAME = "numbers"
MOST_CALCULATIONS = 12
COUNTS = frozenset(map(Decimal, range(2, 13)))
"""What an average of percentages may divide by."""

_NAME = re.compile(r"(?<![\w$\u20ac\u00a3\u00a5.,])(?:[A-Za-z]+[-.]?\d[\w-]*|\d+[-.]?[A-Za-z][\w-]*)")
_SCALED = re.compile(r"\d+(?:k|m|mn|bn|b|tn|x)", re.IGNORECASE)
_COMMON = 10
_QUARTER = re.compile(r"(?:Q[1-4]|H[12]|[1-4]Q|[12]H)(?:FY)?(?:\d{2}|\d{4})?", re.IGNORECASE)
_FISCAL = re.compile(r"(?i)(?:FY|CY)[\u2019']?(\d{4})")
_THRESHOLD = re.compile(
    r"(?i)(?:more|less|fewer|greater|higher|lower)\s+than\s*\Z|(?:over|above|below|under|exceed(?:s|ed|ing)?|at\s+least|at\s+most"
    r"|up\s+to|within|beyond|outside|reach(?:es|ed)?|threshold\s+of|limit\s+of|mark\s+of)\s+(?:the\s+)?\Z|[<>\u2264\u2265]\s*\Z"
)
"""What stands before a figure that a claim is measured against: the question may have named it."""

_HIDE = {ord(digit): 0xE000 + int(digit) for digit in "0123456789"}
_SHOW = {hidden: digit for digit, hidden in _HIDE.items()}
_COUNTED = re.compile(r"(?i)\b(?:those|these)\s+(?:two|three|four|five|six|seven)\b")
_YEAR = re.compile(
    r"(?<![\d$\u20ac\u00a3\u00a5.,])(?:19|20)\d\d(?![\d%]|[.,]\d|\s*(?:thousand|million|billion|percent|%)|\s+(?:dollars|euros|pounds))"
)
"""A year, which is no amount: nothing of money, scale or percent stands beside it."""

_MEASURED = re.compile(r"(?i)\d+(?:-(?:day|week|month|year|hour|minute|quarter)s?|bps?|x)")
_ABOUT = re.compile(
    r"(?i)\b(?:about|around|roughly|approximately|nearly|almost|some|circa|over|more\s+than)\s+[$\u20ac\u00a3\u00a5]?\Z|~\s*\Z"
)
_WORDS = {10**3: "thousand", 10**6: "million", 10**9: "billion", 10**12: "trillion"}


@dataclass(frozen=True)
class NumbersCheck:
    """The check `numbers`: passes if nothing in any claim is without a source. Each miss is an issue that names it."""

    document: Document
    question: str

    def __call__(self, attempt: Attempt) -> Evidence:
        issues = tuple(issue for claim in attempt.claims for issue in self._issues(claim, attempt))
        return Evidence(NAME, issues)

    @cached_property
    def _sections(self) -> frozenset[str]:
        return sections_of(self.document.text)

    @cached_property
    def _years(self) -> frozenset[str]:
        return frozenset(_YEAR.findall(self.question))

    @cached_property
    def _asked(self) -> frozenset[tuple[Decimal, str]]:
        return frozenset(_asked(figure, self.question) for figure in figures(self.question))

    def _issues(self, claim: Claim, attempt: Attempt) -> Iterator[Issue]:
        quotes = attempt.quotes_of(claim)
        if not quotes:
            return  # another check says so, and every figure would be said to be missing
        sources = _Sources(self.document, quotes)
        results: list[str] = []
        for calculation in claim.calculations[:MOST_CALCULATIONS]:
            try:
                results += sources.result(calculation, results)
            except Wrong as wrong:
                told = f"a calculation of claim {claim.id} does not hold"
                yield Issue(NAME, told, claim.id, f"{calculation}: {wrong}")
        if len(claim.calculations) > MOST_CALCULATIONS:
            yield Issue(NAME, f"claim {claim.id} has more than {MOST_CALCULATIONS} calculations", claim.id)
        plain = self._plain(claim.text, sources.years)
        results += sources.computed(plain)
        results += [figure.text for figure in figures(plain) if sources.state(figure, plain, results)]
        results += [figure.text for figure in figures(plain) if figure.percent and self._is_share(figure, quotes)]
        for miss in self._ground(sources, results, len(attempt.claims)).misses((Piece(plain),)):
            told = f"claim {claim.id} says what its quotes do not bear out; {ADVICE}"
            yield Issue(NAME, told, claim.id, miss.message.translate(_SHOW))

    def _is_share(self, figure: Figure, quotes: Sequence[Quote]) -> bool:
        """Whether a percentage stands without its sign in a column of a quoted table that has it further up."""
        return any(figure.value == other.value for quote in quotes for other in percentages(self.document, quote))

    def _ground(self, sources: "_Sources", results: Sequence[str], claims: int) -> Ground:
        return Ground(
            (*sources.texts, *results),
            sources.pages,
            claims,
            self.question,
            self._sections,
            "no quote of the claim, nor the result of a calculation that holds",
            sources.beside,
        )

    def _plain(self, text: str, years: frozenset[str]) -> str:
        """The claim with the digits replaced by what is no digit in all that needs no source: see the module's head.

        `years` are those that the headers of the quoted rows name.
        """
        for match in list(_NAME.finditer(text)):
            if self._is_name(match[0], years):
                text = _hidden(text, match.start(), match.end())
        for match in list(_YEAR.finditer(text)):
            if match[0] in self._years or match[0] in years:
                text = _hidden(text, match.start(), match.end())
        for figure in figures(text):
            if _asked(figure, text) in self._asked and _THRESHOLD.search(text, 0, figure.start):
                text = _hidden(text, figure.start, figure.end)
        return _COUNTED.sub(lambda match: "_" * len(match[0]), text)

    def _is_name(self, word: str, years: frozenset[str]) -> bool:
        if _MEASURED.fullmatch(word):
            return False
        if year := _FISCAL.fullmatch(word):
            return year[1] in self._years or year[1] in years
        if _QUARTER.fullmatch(word):
            named = _YEAR.search(word)
            return named is None or named[0] in self._years or named[0] in years
        # "3M" is a company where it stands on every page, and three million where it stands once.
        return self._times(word) >= (_COMMON if _SCALED.fullmatch(word) else 1)

    def _times(self, word: str) -> int:
        """How often a word stands in the document, counted as far as it matters."""
        if word not in self._counted:
            found = re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", self.document.text)
            self._counted[word] = sum(1 for _ in zip(found, range(_COMMON), strict=False))
        return self._counted[word]

    @cached_property
    def _counted(self) -> dict[str, int]:
        return {}


class _Sources:
    """What bears out a claim: its quotes, and what the headers of their tables say of unit, scale and years."""

    def __init__(self, document: Document, quotes: Sequence[Quote]) -> None:
        self.texts = [quote.text for quote in quotes]
        self.beside = [_beside(document, quote, quotes) for quote in quotes]
        headers = "\n".join(line for quote in quotes for line in header_of(document, quote))
        self.years = frozenset(_YEAR.findall(headers))
        # A header's dates are dates of the quote; its other figures are not its figures.
        self.texts += [date.text for date in dates(headers)]
        numbers = (
            number for quote in quotes for number in (str(quote.page), str(quote.last_page), quote.label.lower())
        )
        self.pages = frozenset(numbers)
        self._quoted = [
            found
            for text, near in zip_longest(self.texts, self.beside, fillvalue="")
            for found in quoted_figures(text, near)
        ]
        self._derived: dict[Decimal, Derived] = {}
        self._scales = frozenset(scale for found in self._quoted for scale in (*found.scales, found.figure.scale)) - {1}

    def result(self, calculation: str, earlier: Sequence[str]) -> list[str]:
        """The result of a calculation over quoted figures and `earlier` results, as it may be named. Raises Wrong."""
        derived = derive(calculation, self._rest(earlier))
        result = derived.figure
        self._derived[result.value] = derived
        stated = {found.figure.value for found in self._quoted if found.figure.percent}
        # The difference of two percentages is a number of percentage points, signs written or not.
        parts = {figure.value for figure in figures(calculation)} - {result.value}
        shares = any(part in stated for part in parts) and all(part in stated or part in COUNTS for part in parts)
        points = not result.percent and shares
        named = [result.text]
        if points or result.percent:
            named += [f"{result.value.normalize():f}%", f"{(100 * result.value).normalize():f} basis points"]
        elif result.scale == 1 and derived.scaled == 1:
            named += [f"{result.text} {_WORDS[scale]}" for scale in self._scales if scale in _WORDS]
        return named

    def computed(self, text: str) -> list[str]:
        """The figures of a text that are the value of a computation beside them, and those it is made of."""
        found: list[str] = []
        wanted = [figure for figure in figures(text) if not figure.name and _digits(figure) >= 2]
        for computed in computations(text, self._rest(())):
            for figure in wanted:
                shown = -figure.value if figure.sign == "-" else figure.value
                values = [*computed.percents] if figure.percent else [computed.value]
                values += [computed.value * figure.scale] if figure.scale == self._scale != 1 == computed.scaled else []
                if any(abs(value - shown) <= half_unit(figure) for value in values):
                    found += [figure.text, *(part.text for part in computed.figures)]
        return found

    def state(self, figure: Figure, text: str, results: Sequence[str]) -> bool:
        """Whether a figure is a source's in another scale, or rounded correctly to two digits or more, and no more than
        that: with the sign, currency and unit of its source. A nil is what a dash in a table means.
        """
        if figure.name:
            return False
        if figure.value == 0 and any(NIL.search(source) for source in self.texts):
            return True
        found = (*self._quoted, *(one for result in results for one in quoted_figures(result)))
        return any(_is_stated(one, text, other) for one in (figure, *restated(figure, text)) for other in found)

    def _rest(self, earlier: Sequence[str]) -> Sources:
        """What a calculation may rest on."""
        scaled = {found.figure.raw for found in self._quoted if found.scales and found.figure.scale == 1}
        return Sources(self._borne_out(earlier), self._scale, lambda figure: figure.raw in scaled, self._derived)

    def _borne_out(self, earlier: Sequence[str]) -> Callable[[Figure], bool]:
        """Whether a figure of a computation stands in the sources; a scale word may be left to all of them."""
        stated = [found.figure for found in self._quoted if not found.figure.name]
        stated += [figure for result in earlier for figure in figures(result)]
        values = {figure.value for figure in stated}
        plain = {figure.raw for figure in stated if figure.scale == 1}
        written = {figure.scale for figure in stated} - {1}
        raw = {figure.raw for figure in stated if figure.scale != 1} if len(written) == 1 else set()

        def borne_out(figure: Figure) -> bool:
            bare = figure.scale == 1 and figure.value in raw
            return figure.value in values or bare or (figure.scale in self._scales and figure.raw in plain)

        return borne_out

    @property
    def _scale(self) -> int:
        """The scale of the tables behind a claim, 1 when they have none or differ."""
        return next(iter(self._scales)) if len(self._scales) == 1 else 1


def _beside(document: Document, quote: Quote, quotes: Sequence[Quote]) -> str:
    """What names unit and scale of a quote's rows: lines above it, found or quoted, without their figures."""
    page = document.page_at(quote.start)
    above = [other.text for other in quotes if page.start <= other.start and other.end <= quote.start]
    return re.sub(r"\d", "", "\n".join(dict.fromkeys((*above, *header_of(document, quote)))))


def _is_stated(figure: Figure, text: str, other: Quoted) -> bool:
    """Whether a figure is a source's in another scale or with fewer digits, and in the same unit."""
    source = other.figure
    if source.name or source.percent != figure.percent or _YEAR.fullmatch(source.text):
        return False
    unit = unit_beside(figure, text)
    if not _is_rounded(figure, text, other) or contradiction(figure, Piece(text), other) is not None:
        return False
    # A rounded time, number of people or percentage has its unit beside the source, too, or in the name of the row.
    free = not unit or (unit not in TIMES and not figure.percent)
    return free or unit_beside(source, other.text) == unit or (unit == "count" and counts(other.label))


def _is_rounded(figure: Figure, text: str, other: Quoted) -> bool:
    """Whether a figure has the value of another one in another scale, or is it with fewer digits."""
    source = other.figure
    values = {source.value * scale for scale in (1, *other.scales)} if source.scale == 1 else {source.value}
    if figure.value in values and figure.scale != 1:
        return True
    digits = _digits(figure)
    if not 2 <= digits < _digits(source):
        return False
    room = half_unit(figure)
    if "." not in figure.text and _ABOUT.search(text, 0, figure.start):
        # "about 93,500" shows three digits.
        zeros = len(re.sub(r"\D", "", figure.text)) - len(re.sub(r"\D", "", figure.text).rstrip("0"))
        room = Decimal(figure.scale) * 10**zeros / 2
    return any(abs(value - figure.value) <= room for value in values)


def _asked(figure: Figure, text: str) -> tuple[Decimal, str]:
    """What makes a threshold the same: value and unit."""
    return figure.value, unit_beside(figure, text)


def _hidden(text: str, start: int, end: int) -> str:
    return text[:start] + text[start:end].translate(_HIDE) + text[end:]


def _digits(figure: Figure) -> int:
    """Significant digits that a figure shows; zeros at the end of a whole number are none."""
    shown = re.sub(r"\D", "", figure.text.split(".")[0]) if "." not in figure.text else re.sub(r"\D", "", figure.text)
    return len(shown.lstrip("0") if "." in figure.text else shown.strip("0"))


ADVICE = "quote the words that do, or hand in the calculation, or leave it out"
