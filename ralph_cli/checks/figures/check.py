"""Every figure and date of a claim stands in its quotes, or in a calculation over them that is computed again here.

A figure may be a quoted one that is rounded correctly to two or more digits. What a quote stands in belongs to it: the
lines above a table row that name its columns, its period and its unit are found by code and count as quoted. What needs
no source: years and thresholds ("more than 20%") that the question names, pages of the claim's quotes, sections of the
document, and names with digits in them ("3M", "10-K", "FY2018") if the document has them. No model takes part.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from ralph_cli.checks.figures import fractions, undocumented
from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.checks.figures.grounding import GroundingSources
from ralph_cli.checks.figures.header import unmarked_percentages
from ralph_cli.checks.figures.numbering import section_numbers
from ralph_cli.checks.figures.sources import YEAR, ClaimSources
from ralph_cli.checks.output.shape import Piece
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Evidence, Issue, Quote
from ralph_cli.text.quantities import periods
from ralph_cli.text.quantities.figures import Figure, figures
from ralph_cli.text.quantities.units import unit_of

NAME = "numbers"
MAX_CALCULATIONS = 12
_NAME = re.compile(r"(?<![\w$\u20ac\u00a3\u00a5.,])(?:[A-Za-z]+[-.]?\d[\w-]*|\d+[-.]?[A-Za-z][\w-]*)")
_SCALED = re.compile(r"\d+(?:k|m|mn|bn|b|tn|x)", re.IGNORECASE)
_COMMON_NAME_COUNT = 10
_QUARTER = re.compile(r"(?:Q[1-4]|H[12]|[1-4]Q|[12]H)(?:FY)?(?:\d{2}|\d{4})?", re.IGNORECASE)
_FISCAL = re.compile(r"(?i)(?:FY|CY)[\u2019']?(\d{4})")
_THRESHOLD = re.compile(
    r"(?i)(?:more|less|fewer|greater|higher|lower)\s+than\s*\Z|(?:over|above|below|under|exceed(?:s|ed|ing)?|at\s+least|at\s+most"
    r"|up\s+to|within|beyond|outside|reach(?:es|ed)?|threshold\s+of|limit\s+of|mark\s+of)\s+(?:the\s+)?\Z|[<>\u2264\u2265]\s*\Z"
)
"""What stands before a figure that a claim is measured against: the question may have named it."""

_DIGIT_MASK = {ord(digit): 0xE000 + ord(digit) for digit in "0123456789"}
_TEXT_MASK = {code: 0xE000 + code for code in range(0x21, 0x3000)}
_UNMASK = {hidden: code for code, hidden in _TEXT_MASK.items()}
"""What needs no source is put out of sight of those who look for figures, and shown again in what they say."""

_COUNTED = re.compile(r"(?i)\b(?:those|these)\s+(?:two|three|four|five|six|seven)\b")
_MEASURED = re.compile(r"(?i)\d+(?:-(?:day|week|month|year|hour|minute|quarter)s?|bps?|x)")


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
        return section_numbers(self.document.text)

    @cached_property
    def _question_years(self) -> frozenset[str]:
        return frozenset(YEAR.findall(self.question))

    @cached_property
    def _question_amounts(self) -> frozenset[tuple[Decimal, str]]:
        return frozenset(_value_and_unit(figure, self.question) for figure in figures(self.question))

    def _issues(self, claim: Claim, attempt: Attempt) -> Iterator[Issue]:
        quotes = attempt.quotes_of(claim)
        if not quotes:
            return  # another check says so, and every figure would be said to be missing
        sources = ClaimSources(self.document, quotes)
        results: list[str] = []
        for calculation in claim.calculations[:MAX_CALCULATIONS]:
            try:
                results += sources.evaluate(calculation, results)
            except CalculationError as wrong:
                message = f"a calculation of claim {claim.id} does not hold"
                yield Issue(NAME, message, claim.id, f"{calculation}: {wrong}")
        if len(claim.calculations) > MAX_CALCULATIONS:
            yield Issue(NAME, f"claim {claim.id} has more than {MAX_CALCULATIONS} calculations", claim.id)
        unsupported_words = [
            *self._unsupported_periods(claim.text, sources, results),
            *undocumented.ordinals(claim.text, sources.values),
        ]
        unsupported_words += undocumented.odd_digits(claim.text, sources.quotes)
        for amount in undocumented.currencies(claim.text, self._mentions):
            yield Issue(NAME, _unsupported_message(claim), claim.id, f'"{amount}": the document names no such currency')
        computed = [figure for result in results for figure in figures(result)]
        found, missed = fractions.check_multiples(
            claim.text, sources.quotes, sources.figures_by_quote, computed, self.question
        )
        for words in (*unsupported_words, *(multiple.text for multiple in missed)):
            yield Issue(NAME, _unsupported_message(claim), claim.id, f'"{words}" is in {_SOURCES_PHRASE}')
        plain = self._mask_exempt(claim.text, sources)
        for start, end in (
            *sources.find_supported_periods(claim.text),
            *((multiple.start, multiple.end) for multiple in found),
        ):
            plain = plain[:start] + plain[start:end].translate(_TEXT_MASK) + plain[end:]
        results += sources.find_computed(plain)
        results += [figure.text for figure in figures(plain) if sources.supports(figure, plain, results)]
        results += [
            figure.text for figure in figures(plain) if figure.percent and self._is_percent_cell(figure, quotes)
        ]
        for miss in self._grounding_sources(sources, results, len(attempt.claims)).find_unsupported((Piece(plain),)):
            yield Issue(NAME, _unsupported_message(claim), claim.id, miss.message.translate(_UNMASK))

    def _unsupported_periods(self, text: str, sources: ClaimSources, results: Sequence[str]) -> Iterator[str]:
        """The months and quarters of a text that nothing bears out: quotes, their headers, results, the question."""
        words = "\n".join((*sources.quotes, sources.headers, *results))
        years = self._question_years | sources.years | frozenset(YEAR.findall(words))
        borne_out = periods.named_periods(f"{words}\n{self.question}", self._last_month)
        return periods.unsupported_periods(text, borne_out, years)

    @cached_property
    def _lowercase_text(self) -> str:
        return f"{self.document.text}\n{self.question}".lower()

    def _mentions(self, word: str) -> bool:
        return word in self._lowercase_text

    @cached_property
    def _last_month(self) -> int:
        return periods.fiscal_year_end_month(self.document.text)

    def _is_percent_cell(self, figure: Figure, quotes: Sequence[Quote]) -> bool:
        """Whether a percentage stands without its sign in a column of a quoted table that has it further up."""
        return any(
            figure.value == other.value for quote in quotes for other in unmarked_percentages(self.document, quote)
        )

    def _grounding_sources(self, sources: ClaimSources, results: Sequence[str], claims: int) -> GroundingSources:
        return GroundingSources(
            (*sources.texts, *results),
            sources.pages,
            claims,
            self.question,
            self._sections,
            _SOURCES_PHRASE,
            sources.beside,
        )

    def _mask_exempt(self, text: str, sources: ClaimSources) -> str:
        """The claim with the digits replaced by what is no digit in all that needs no source: see the module's head."""
        years = sources.years
        for match in list(_NAME.finditer(text)):
            if self._is_name(match[0], years):
                text = _mask_digits(text, match.start(), match.end())
        for match in list(YEAR.finditer(text)):
            if match[0] in self._question_years or match[0] in years:
                text = _mask_digits(text, match.start(), match.end())
        for figure in figures(text):
            if _value_and_unit(figure, text) in self._question_amounts and _THRESHOLD.search(text, 0, figure.start):
                text = _mask_digits(text, figure.start, figure.end)
        return _COUNTED.sub(lambda match: match[0].translate(_TEXT_MASK), text)

    def _is_name(self, word: str, years: frozenset[str]) -> bool:
        if _MEASURED.fullmatch(word):
            return False
        if year := _FISCAL.fullmatch(word):
            return year[1] in self._question_years or year[1] in years
        if _QUARTER.fullmatch(word):
            return True  # a period, which is looked for by itself
        # "3M" is a company where it stands on every page, and three million where it stands once.
        return self._count_in_document(word) >= (_COMMON_NAME_COUNT if _SCALED.fullmatch(word) else 1)

    def _count_in_document(self, word: str) -> int:
        """How often a word stands in the document, counted as far as it matters."""
        if word not in self._count_cache:
            found = re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", self.document.text)
            self._count_cache[word] = sum(1 for _ in zip(found, range(_COMMON_NAME_COUNT), strict=False))
        return self._count_cache[word]

    @cached_property
    def _count_cache(self) -> dict[str, int]:
        return {}


def _value_and_unit(figure: Figure, text: str) -> tuple[Decimal, str]:
    """What makes a threshold the same: value and unit."""
    return figure.value, unit_of(figure, text)


def _mask_digits(text: str, start: int, end: int) -> str:
    return text[:start] + text[start:end].translate(_DIGIT_MASK) + text[end:]


def _unsupported_message(claim: Claim) -> str:
    return f"claim {claim.id} says what its quotes do not bear out; {ADVICE}"


_SOURCES_PHRASE = "no quote of the claim, nor the result of a calculation that holds"
ADVICE = "quote the words that do, or hand in the calculation, or leave it out"
