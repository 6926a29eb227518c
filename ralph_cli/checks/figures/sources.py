"""What bears out a claim: its quotes, what the headers of their tables say, and results of calculations. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from itertools import zip_longest

from ralph_cli.checks.figures import date_arithmetic
from ralph_cli.checks.figures.agreement import QuotedFigure, contradiction, quoted_figures
from ralph_cli.checks.figures.calculation import (
    CalculationResult,
    CalculationSources,
    evaluate_calculation,
    find_computations,
    half_unit,
)
from ralph_cli.checks.figures.header import find_unmarked_percentages, quote_header
from ralph_cli.checks.output.rows import is_count_label
from ralph_cli.checks.output.shape import Piece
from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.text.quantities.dates import dates
from ralph_cli.text.quantities.figures import Figure, figures
from ralph_cli.text.quantities.units import STRICT_UNITS, duration, in_whole_units, unit_of
from ralph_cli.text.tables import NIL_CELL

AVERAGE_DIVISORS = frozenset(map(Decimal, range(2, 13)))
"""What an average of percentages may divide by."""

YEAR = re.compile(
    r"(?<![\d$\u20ac\u00a3\u00a5.,])(?:19|20)\d\d(?![\d%]|[.,]\d|\s*(?:thousand|million|billion|percent|%)|\s+(?:dollars|euros|pounds))"
)
"""A year, which is no amount: nothing of money, scale or percent stands beside it."""

_FEW = "two|three|four|five|six|seven|eight|nine|ten|[2-9]|10"
_ABOUT = re.compile(
    r"(?i)\b(?:about|around|roughly|approximately|nearly|almost|some|circa|over|more\s+than)\s+[$\u20ac\u00a3\u00a5]?\Z|~\s*\Z"
)
_MORE = re.compile(
    r"(?i)\b(?:(?:more|greater|higher)\s+than|over|above|at\s+least|exceed(?:s|ed|ing)?|upwards\s+of)\s+\Z|[>\u2265]\s*\Z"
)
_LESS = re.compile(
    r"(?i)\b(?:(?:less|fewer|lower)\s+than|under|below|at\s+most|not\s+quite|nearly|almost|just\s+short\s+of)\s+\Z"
    r"|[<\u2264]\s*\Z"
)
_BOUND_RATIO = Decimal("1.25")
"""How far a value may be from the bound that is said to be passed or not reached, as a ratio: "over 1%" says little."""

_PERIOD = re.compile(r"(?i)\b(?P<number>[a-z]+(?:-[a-z]+)?|\d{1,2})[\s-](?P<unit>month|week|quarter|year)s?\b")
_SPAN = re.compile(
    r"(?i)(?:\b(?:all|past|last|prior|previous|over|across)\s+(?:the\s+)?(?:(?:past|last|prior|previous)\s+)?"
    rf"(?P<several>{_FEW})(?:\s+fiscal)?\s+years\b|\bthe\s+(?P<added>{_FEW})(?:\s+fiscal)?\s+(?:years|quarters|months)\b"
    rf"|\b(?P<joined>{_FEW})-year(?=\s+(?:\w+\s+)?(?:average|mean|period|total|sum|span|cagr|compound|growth|change"
    r"|increase|decrease|decline|trend|cumulative|aggregate)\b))"
)
_SCALE_WORDS = {10**3: "thousand", 10**6: "million", 10**9: "billion", 10**12: "trillion"}


class ClaimSources:
    """What bears out a claim: its quotes, and what the headers of their tables say of unit, scale and years."""

    def __init__(self, document: Document, quotes: Sequence[Quote]) -> None:
        self.quotes = tuple(quote.text for quote in quotes)
        self.beside = [_quote_context(document, quote, quotes) for quote in quotes]
        self.unmarked_percentages = frozenset(
            figure.value for quote in quotes for figure in find_unmarked_percentages(document, quote)
        )
        self.headers = "\n".join(line for quote in quotes for line in quote_header(document, quote.start, quote.end))
        self.years = frozenset(YEAR.findall(self.headers))
        # A header's dates are dates of the quote; its other figures are not its figures.
        self.texts = [*self.quotes, *(date.text for date in dates(self.headers))]
        self.pages = frozenset(
            number for quote in quotes for number in (str(quote.page), str(quote.last_page), quote.label.lower())
        )
        self._quoted: list[QuotedFigure] = []
        for text, near in zip_longest(self.texts, self.beside, fillvalue=""):
            self._quoted += quoted_figures(text, near)
        # The values of ordinal words are among them.
        self.values = frozenset(found.figure.value for found in self._quoted)
        self._derived: dict[Decimal, CalculationResult] = {}
        self._scales = frozenset(scale for found in self._quoted for scale in (*found.scales, found.figure.scale)) - {1}
        # The scale of the tables behind a claim, 1 when they have none or differ.
        self._common_scale = next(iter(self._scales)) if len(self._scales) == 1 else 1

    def find_supported_periods(self, text: str) -> Iterator[tuple[int, int]]:
        """Numbers of years that the columns or a calculation cover ("two-year average"), and the periods of headers."""
        years = {int(year) for year in (*self.years, *YEAR.findall("\n".join(self.quotes)))}
        covered = {len(years), max(years) - min(years)} if years else set[int]()
        added = {derived.longest_sum for derived in self._derived.values()}
        covered |= added
        for match in _SPAN.finditer(text):
            group = next(name for name in ("several", "joined", "added") if match[name])
            if figures(match[group])[0].value in (covered if group != "added" else added):
                yield match.span(group)
        lasting = {duration(found.figure, found.text) for found in self._quoted} - {None}
        for figure in figures(text):
            if duration(figure, text) in lasting:
                yield figure.start, figure.end
        headed = {_period_length(match) for match in _PERIOD.finditer(self.headers)} - {None}
        yield from (match.span() for match in _PERIOD.finditer(text) if _period_length(match) in headed)

    def evaluate(self, calculation: str, earlier_results: Sequence[str]) -> list[str]:
        """The result of a calculation over quoted figures and `earlier_results`, as it may be named.

        Raises CalculationError.
        """
        computation, *results = re.split(r"\s*[=\u2248]\s*", calculation)
        if len(results) > 1 and all(results):  # "5.1% - 4.6% = 0.5% = 50 basis points"
            return [name for result in results for name in self.evaluate(f"{computation} = {result}", earlier_results)]
        dated = date_arithmetic.evaluate_dates(calculation, (*self.texts, *earlier_results), self.values.__contains__)
        if dated is not None:
            return [dated]
        derived = evaluate_calculation(calculation, self._calculation_sources(earlier_results))
        result = derived.figure
        self._derived[result.value] = derived
        stated = {found.figure.value for found in self._quoted if found.figure.percent}
        # The difference of two percentages is a number of percentage points, signs written or not.
        parts = {figure.value for figure in figures(calculation)} - {result.value}
        points = bool(parts & stated) and parts <= stated | AVERAGE_DIVISORS
        named = [result.text]
        if points or result.percent:
            named += [f"{result.value.normalize():f}%", f"{(100 * result.value).normalize():f} basis points"]
        elif result.scale == 1 and derived.scale_degree == 1:
            named += [f"{result.text} {_SCALE_WORDS[scale]}" for scale in self._scales if scale in _SCALE_WORDS]
        return named

    def find_computed(self, text: str) -> list[str]:
        """The figures of a text that are the value of a computation beside them, and those it is made of."""
        found: list[str] = []
        wanted = [figure for figure in figures(text) if not figure.name and _significant_digits(figure) >= 2]
        for computed in find_computations(text, self._calculation_sources(())):
            for figure in wanted:
                shown = -figure.value if figure.sign == "-" else figure.value
                values = [computed.percent if figure.percent else computed.value]
                if figure.scale == self._common_scale != 1 == computed.scale_degree:
                    values.append(computed.value * figure.scale)
                if any(abs(value - shown) <= half_unit(figure) for value in values):
                    found += [figure.text, *(part.text for part in computed.figures)]
        return found

    def supports(self, figure: Figure, text: str, results: Sequence[str]) -> bool:
        """Whether a figure is a source's in another scale, or rounded correctly to two digits or more, and no more than
        that: with the sign, currency and unit of its source. A nil is what a dash in a table means.
        """
        if figure.name:
            return False
        if figure.value == 0 and any(NIL_CELL.search(source) for source in self.texts):
            return True
        found = (*self._quoted, *(quoted for result in results for quoted in quoted_figures(result)))
        variants = (figure, *in_whole_units(figure, text))
        return any(_is_source_figure(variant, text, quoted) for variant in variants for quoted in found)

    def _calculation_sources(self, earlier_results: Sequence[str]) -> CalculationSources:
        """What a calculation may rest on."""
        # "130 - 100 = 30" over "$130 million" is in millions, too.
        quoted = [(found.figure, found.scales) for found in self._quoted]
        scaled = {figure.unscaled for figure, scales in quoted if (scales and not figure.spelled) or figure.scale != 1}
        is_supported = self._make_support_test(earlier_results)
        return CalculationSources(is_supported, self._common_scale, lambda it: it.unscaled in scaled, self._derived)

    def _make_support_test(self, earlier_results: Sequence[str]) -> Callable[[Figure], bool]:
        """Whether a figure of a computation stands in the sources; a scale word may be left to all of them."""
        stated = [found.figure for found in self._quoted if not found.figure.name]
        stated += [figure for result in earlier_results for figure in figures(result)]
        values = {figure.value for figure in stated}
        plain = {figure.unscaled for figure in stated if figure.scale == 1}
        written = {figure.scale for figure in stated} - {1}
        raw = {figure.unscaled for figure in stated if figure.scale != 1} if len(written) == 1 else set()

        def is_supported(figure: Figure) -> bool:
            bare = figure.scale == 1 and figure.value in raw
            return figure.value in values or bare or (figure.scale in self._scales and figure.unscaled in plain)

        return is_supported


def _period_length(match: re.Match[str]) -> tuple[Decimal, str] | None:
    """The number and unit of a period such as "three months", if it is one."""
    number = figures(match["number"])
    return (number[0].value, match["unit"].lower()) if number else None


def _quote_context(document: Document, quote: Quote, quotes: Sequence[Quote]) -> str:
    """What names unit and scale of a quote's rows: lines above it, found or quoted, without their figures."""
    page = document.page_at(quote.start)
    above = [higher.text for higher in quotes if page.start <= higher.start and higher.end <= quote.start]
    return re.sub(r"\d", "", "\n".join(dict.fromkeys((*above, *quote_header(document, quote.start, quote.end)))))


def _is_source_figure(figure: Figure, text: str, quoted: QuotedFigure) -> bool:
    """Whether a figure is a source's in another scale or with fewer digits, and in the same unit."""
    source = quoted.figure
    if source.name or source.percent != figure.percent or YEAR.fullmatch(source.text):
        return False
    unit = unit_of(figure, text)
    bound = _bound_test(figure, text)
    values = [value for value in _possible_values(quoted) if bound is None or bound(value)]
    near = unit not in STRICT_UNITS and bound is not None and bool(values)
    rounded = figure.scale != 1 and figure.value in _possible_values(quoted)
    if not (near or rounded or _is_rounding_of(figure, text, source, values)):
        return False
    if contradiction(figure, Piece(text), quoted) is not None:
        return False
    # A rounded time, number of people or percentage has its unit beside the source, too, or in the name of the row.
    free = not unit or (unit not in STRICT_UNITS and not figure.percent)
    return free or unit_of(source, quoted.text) == unit or (unit == "count" and is_count_label(quoted.label))


def _possible_values(quoted: QuotedFigure) -> set[Decimal]:
    """What a quoted figure may amount to: as it is written, and in the scales of its table."""
    source = quoted.figure
    return {source.value * scale for scale in (1, *quoted.scales)} if source.scale == 1 else {source.value}


def _bound_test(figure: Figure, text: str) -> Callable[[Decimal], bool] | None:
    """Whether a value passes a figure, or does not reach it, and is near: "more than 10%"; None for no bound."""
    if _MORE.search(text, 0, figure.start):
        return lambda value: figure.value < value <= figure.value * _BOUND_RATIO
    if _LESS.search(text, 0, figure.start):
        return lambda value: value < figure.value <= value * _BOUND_RATIO
    return None


def _is_rounding_of(figure: Figure, text: str, source: Figure, values: Sequence[Decimal]) -> bool:
    """Whether a figure is one of the values of its source with fewer digits."""
    if not 2 <= _significant_digits(figure) < _significant_digits(source):
        return False
    room = half_unit(figure)
    if "." not in figure.text and _ABOUT.search(text, 0, figure.start):
        # "about 93,500" shows three digits.
        digits = re.sub(r"\D", "", figure.text)
        room = Decimal(figure.scale) * 10 ** (len(digits) - len(digits.rstrip("0"))) / 2
    return any(abs(value - figure.value) <= room for value in values)


def _significant_digits(figure: Figure) -> int:
    """Significant digits that a figure shows; zeros at the end of a whole number are none."""
    digits = re.sub(r"\D", "", figure.text)
    return len(digits.lstrip("0") if "." in figure.text else digits.strip("0"))
