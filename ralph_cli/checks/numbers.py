"""Every figure and date of a claim stands in its quotes, or in a calculation over them that is computed again here.

A figure may be a quoted one that is rounded correctly to two or more digits. What a quote stands in belongs to it: the
lines above a table row that name its columns, its period and its unit are found by code and count as quoted. What needs
no source: years that the question names, pages of the claim's quotes, sections of the document, and names with digits
in them ("3M", "10-K", "FY2018") if the document has them. No model takes part.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from ralph_cli.checks.calculation import Wrong, computations, half_unit, verify
from ralph_cli.checks.figures import Figure, figures, scales_named
from ralph_cli.checks.grounding import Ground
from ralph_cli.checks.header import DASH, header_of, percentages
from ralph_cli.checks.numbering import sections_of
from ralph_cli.checks.shape import Piece
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Evidence, Issue, Quote
from ralph_cli.documents.fold import fold

NAME = "numbers"
MOST_CALCULATIONS = 12

_NAME = re.compile(r"(?<![\w$\u20ac\u00a3\u00a5.,])(?:[A-Za-z]+[-.]?\d[\w-]*|\d+[-.]?[A-Za-z][\w-]*)")
_SCALED = re.compile(r"\d+(?:k|m|mn|bn|b|tn|x)", re.IGNORECASE)
_COMMON = 10
_QUARTER = re.compile(r"(?:Q[1-4]|H[12]|[1-4]Q|[12]H)(?:FY)?(?:\d{2}|\d{4})?", re.IGNORECASE)
_FISCAL = re.compile(r"(?i)(?:FY|CY)[\u2019']?(\d{4})")
_HIDE = {ord(digit): 0xE000 + int(digit) for digit in "0123456789"}
_SHOW = {hidden: digit for digit, hidden in _HIDE.items()}
_COUNTED = re.compile(r"(?i)\b(?:those|these)\s+(?:two|three|four|five|six|seven)\b")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


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

    def _issues(self, claim: Claim, attempt: Attempt) -> Iterator[Issue]:
        quotes = attempt.quotes_of(claim)
        if not quotes:
            return  # another check says so, and every figure would be said to be missing
        texts = [self._source(quote, quotes) for quote in quotes]
        results: list[str] = []
        for calculation in claim.calculations[:MOST_CALCULATIONS]:
            try:
                results += self._result(calculation, texts)
            except Wrong as wrong:
                yield Issue(
                    NAME, f"a calculation of claim {claim.id} does not hold", claim.id, f"{calculation}: {wrong}"
                )
        if len(claim.calculations) > MOST_CALCULATIONS:
            yield Issue(NAME, f"claim {claim.id} has more than {MOST_CALCULATIONS} calculations", claim.id)
        plain = self._plain(claim.text)
        results += self._computed(plain, texts)
        results += [figure.text for figure in figures(plain) if _is_stated(figure, (*texts, *results))]
        results += [figure.text for figure in figures(plain) if figure.percent and self._is_share(figure, quotes)]
        ground = self._ground((*texts, *results), quotes, len(attempt.claims))
        for miss in ground.misses((Piece(plain),)):
            yield Issue(
                NAME,
                f"claim {claim.id} says what its quotes do not bear out; {ADVICE}",
                claim.id,
                miss.message.translate(_SHOW),
            )

    def _result(self, calculation: str, texts: Sequence[str]) -> list[str]:
        """The result of a calculation over the figures of `texts`, as it may be named. Raises Wrong."""
        result = verify(calculation, _borne_out(texts), _scale(texts))
        stated = {f.value for text in texts for f in figures(fold(text).text) if f.percent}
        # The difference of two percentages is a number of percentage points, signs written or not.
        points = not result.percent and any(figure.value in stated for figure in figures(calculation))
        return [result.text, f"{result.text}%"] if points else [result.text]

    def _is_share(self, figure: Figure, quotes: Sequence[Quote]) -> bool:
        """Whether a percentage stands without its sign in a column of a quoted table that has it further up."""
        return any(figure.value == other.value for quote in quotes for other in percentages(self.document, quote))

    def _computed(self, text: str, texts: Sequence[str]) -> list[str]:
        """The figures of a text that are the value of a computation beside them, and those it is made of."""
        found: list[str] = []
        scale = _scale(texts)
        wanted = [figure for figure in figures(text) if not figure.name and _digits(figure) >= 2]
        for computed in computations(text, _borne_out(texts)):
            for figure in wanted:
                value = -figure.value if figure.sign == "-" else figure.value
                factors = [Decimal(1), *([Decimal(100)] if figure.percent else [])]
                factors += [Decimal(scale)] if figure.scale == scale else []
                if any(abs(computed.value * factor - value) <= half_unit(figure) for factor in factors):
                    found += [figure.text, *(part.text for part in computed.figures)]
        return found

    def _ground(self, texts: Sequence[str], quotes: Sequence[Quote], claims: int) -> Ground:
        pages = {number for quote in quotes for number in (str(quote.page), str(quote.last_page), quote.label.lower())}
        return Ground(
            texts,
            frozenset(pages),
            claims,
            self.question,
            self._sections,
            "no quote of the claim, nor the result of a calculation that holds",
        )

    def _source(self, quote: Quote, quotes: Sequence[Quote]) -> str:
        """A quote with what names the columns, period and unit of its rows: lines above it, quoted or not."""
        page = self.document.page_at(quote.start)
        above = [other.text for other in quotes if page.start <= other.start and other.end <= quote.start]
        return "\n".join(dict.fromkeys((*above, *header_of(self.document, quote), quote.text)))

    def _plain(self, text: str) -> str:
        """The claim with the digits of names, and of years that were asked about, replaced by what is no digit."""
        for match in list(_NAME.finditer(text)):
            if self._is_name(match[0]):
                text = text[: match.start()] + match[0].translate(_HIDE) + text[match.end() :]
        for match in list(_YEAR.finditer(text)):
            if match[0] in self._years:
                text = text[: match.start()] + match[0].translate(_HIDE) + text[match.end() :]
        return _COUNTED.sub(lambda match: "_" * len(match[0]), text)

    def _is_name(self, word: str) -> bool:
        if year := _FISCAL.fullmatch(word):
            return year[1] in self._years
        if _QUARTER.fullmatch(word):
            return True
        times = len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", self.document.text))
        # "3M" is a company where it stands on every page, and three million where it stands once.
        return times >= (_COMMON if _SCALED.fullmatch(word) else 1)


def _borne_out(texts: Sequence[str]) -> Callable[[Figure], bool]:
    """Whether a figure of a computation stands in the sources; a scale word may be left to the table's header."""
    stated = [figure for text in texts for figure in figures(fold(text).text) if not figure.name]
    values = {figure.value for figure in stated}
    plain = {figure.raw for figure in stated if figure.scale == 1}
    scales = _scales(texts)
    return lambda figure: figure.value in values or (figure.scale in scales and figure.raw in plain)


def _scale(texts: Sequence[str]) -> int:
    """The scale of the tables behind a claim, 1 when they have none or differ."""
    scales = _scales(texts)
    return next(iter(scales)) if len(scales) == 1 else 1


def _scales(texts: Sequence[str]) -> frozenset[int]:
    return frozenset(scale for text in texts for scale in scales_named(text))


def _is_stated(figure: Figure, texts: Sequence[str]) -> bool:
    """Whether a figure is a source's in another scale, or rounded correctly to fewer digits, but two at least.

    A nil is what a dash in a table means.
    """
    digits = _digits(figure)
    if figure.value == 0 and any(DASH.search(text) for text in texts):
        return True
    if figure.name:
        return False
    for text in texts:
        folded = fold(text).text
        scales = {1, *scales_named(folded)}
        for other in figures(folded):
            # Years are named, not rounded.
            if other.name or other.percent != figure.percent or _YEAR.fullmatch(other.text):
                continue
            if figure.currency and other.currency and figure.currency != other.currency:
                continue
            values = {other.value * scale for scale in scales} if other.scale == 1 else {other.value}
            if figure.value in values and figure.scale != 1:
                return True
            room = half_unit(figure) if 2 <= digits < _digits(other) else -1
            if any(abs(value - figure.value) <= room for value in values):
                return True
    return False


def _digits(figure: Figure) -> int:
    """Significant digits that a figure shows; zeros at the end of a whole number are none."""
    shown = re.sub(r"\D", "", figure.text.split(".")[0]) if "." not in figure.text else re.sub(r"\D", "", figure.text)
    return len(shown.lstrip("0") if "." in figure.text else shown.strip("0"))


ADVICE = "quote the words that do, or hand in the calculation, or leave it out"
