"""Every figure and date of a claim stands in its quotes, or in a calculation over them that is computed again here.

A figure may be a quoted one that is rounded correctly to two or more digits. What a quote stands in belongs to it: the
lines above a table row that name its columns, its period and its unit are found by code and count as quoted. What needs
no source: years and thresholds ("more than 20%") that the question names, pages of the claim's quotes, sections of the
document, and names with digits in them ("3M", "10-K", "FY2018") if the document has them. No model takes part.

What code finds fault with is an objection. A claim whose worker says why it stands by it goes on with the objection as
a doubt, for a judge who can read to decide; where objections are vetoes they stand.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice

from ralph_cli.checks.figures import fractions, undocumented
from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.checks.figures.grounding import GroundingSources, named_words
from ralph_cli.checks.figures.numbering import section_numbers
from ralph_cli.checks.figures.sources import YEAR, ClaimSources
from ralph_cli.checks.output.shape import Piece
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Doubt, Evidence, Issue
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
    """The check `numbers`: passes if nothing in any claim is without a source. Each miss is an issue that names it.

    Without `vetoes` the misses of a claim that says `because` are doubts, and do not fail the check.
    """

    document: Document
    question: str
    vetoes: bool = True

    def __call__(self, attempt: Attempt) -> Evidence:
        issues: list[Issue] = []
        doubts: list[Doubt] = []
        for claim in attempt.claims:
            for objection in self._objections(claim, attempt):
                if claim.because and not self.vetoes:
                    doubts.append(Doubt(claim.id, named_words(objection.material), objection.material, "objection"))
                else:
                    issues.append(objection)
            if len(claim.calculations) > MAX_CALCULATIONS:
                issues.append(Issue(NAME, f"claim {claim.id} has more than {MAX_CALCULATIONS} calculations", claim.id))
        return Evidence(NAME, tuple(issues), doubts=tuple(doubts))

    @property
    def _stand_by(self) -> str:
        return "" if self.vetoes else STAND_BY

    @cached_property
    def _sections(self) -> frozenset[str]:
        return section_numbers(self.document.text)

    @cached_property
    def _question_years(self) -> frozenset[str]:
        return frozenset(YEAR.findall(self.question))

    @cached_property
    def _question_amounts(self) -> frozenset[tuple[Decimal, str]]:
        return frozenset(_value_and_unit(figure, self.question) for figure in figures(self.question))

    def _objections(self, claim: Claim, attempt: Attempt) -> Iterator[Issue]:
        """What speaks against a claim, as it is told to its worker."""
        quotes = attempt.quotes_of(claim)
        if not quotes:
            return  # another check says so, and every figure would be said to be missing
        sources = ClaimSources(self.document, quotes)
        results: list[str] = []
        for calculation in claim.calculations[:MAX_CALCULATIONS]:
            try:
                results += sources.evaluate(calculation, results)
            except CalculationError as wrong:
                message = f"a calculation of claim {claim.id} does not hold{self._stand_by}"
                yield Issue(NAME, message, claim.id, f"{calculation}: {wrong}")
        message = f"claim {claim.id} says what its quotes do not bear out; {ADVICE}{self._stand_by}"
        for fault in self._unsupported(claim.text, sources, results, len(attempt.claims)):
            yield Issue(NAME, message, claim.id, fault)

    def _unsupported(self, text: str, sources: ClaimSources, results: list[str], claims: int) -> Iterator[str]:
        """What of a claim's text nothing bears out, each as it is named to the worker."""
        for amount in undocumented.currencies(text, self._lowercase_text.__contains__):
            yield f'"{amount}": the document names no such currency'
        computed = [figure for result in results for figure in figures(result)]
        multiples, missed = fractions.check_multiples(text, sources.quotes, computed, self.question)
        for words in (
            *self._unsupported_periods(text, sources, results),
            *undocumented.ordinals(text, sources.values),
            *undocumented.odd_digits(text, sources.quotes),
            *(multiple.text for multiple in missed),
        ):
            yield f'"{words}" is in {_SOURCES_PHRASE}'
        plain = self._mask_exempt(text, sources)
        for start, end in sources.find_supported_periods(text):
            plain = _mask(plain, start, end, _TEXT_MASK)
        for multiple in multiples:
            plain = _mask(plain, multiple.start, multiple.end, _TEXT_MASK)
        results = [*results, *sources.find_computed(plain)]
        results += [figure.text for figure in figures(plain) if sources.supports(figure, plain, results)]
        # A percentage may stand without its sign in a column of a quoted table that has it further up.
        unmarked = sources.unmarked_percentages
        results += [figure.text for figure in figures(plain) if figure.percent and figure.value in unmarked]
        texts, task = (*sources.texts, *results), self.question
        grounding = GroundingSources(
            texts, sources.pages, claims, task, self._sections, _SOURCES_PHRASE, sources.beside
        )
        for miss in grounding.find_unsupported((Piece(plain),)):
            yield miss.message.translate(_UNMASK)

    def _unsupported_periods(self, text: str, sources: ClaimSources, results: Sequence[str]) -> Iterator[str]:
        """The months and quarters of a text that nothing bears out: quotes, their headers, results, the question."""
        words = "\n".join((*sources.quotes, sources.headers, *results))
        years = self._question_years | sources.years | frozenset(YEAR.findall(words))
        borne_out = periods.named_periods(f"{words}\n{self.question}", self._last_month)
        return periods.unsupported_periods(text, borne_out, years)

    @cached_property
    def _lowercase_text(self) -> str:
        return f"{self.document.text}\n{self.question}".lower()

    @cached_property
    def _last_month(self) -> int:
        return periods.fiscal_year_end_month(self.document.text)

    def _mask_exempt(self, text: str, sources: ClaimSources) -> str:
        """The claim with the digits replaced by what is no digit in all that needs no source: see the module's head."""
        years = sources.years | self._question_years
        for match in list(_NAME.finditer(text)):
            if self._is_name(match[0], years):
                text = _mask(text, *match.span(), _DIGIT_MASK)
        for match in list(YEAR.finditer(text)):
            if match[0] in years:
                text = _mask(text, *match.span(), _DIGIT_MASK)
        for figure in figures(text):
            if _value_and_unit(figure, text) in self._question_amounts and _THRESHOLD.search(text, 0, figure.start):
                text = _mask(text, figure.start, figure.end, _DIGIT_MASK)
        return _COUNTED.sub(lambda match: match[0].translate(_TEXT_MASK), text)

    def _is_name(self, word: str, years: frozenset[str]) -> bool:
        if _MEASURED.fullmatch(word):
            return False
        if year := _FISCAL.fullmatch(word):
            return year[1] in years
        if _QUARTER.fullmatch(word):
            return True  # a period, which is looked for by itself
        # "3M" is a company where it stands on every page, and three million where it stands once.
        found = re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", self.document.text)
        needed = _COMMON_NAME_COUNT if _SCALED.fullmatch(word) else 1
        return sum(1 for _ in islice(found, needed)) == needed


def _value_and_unit(figure: Figure, text: str) -> tuple[Decimal, str]:
    """What makes a threshold the same: value and unit."""
    return figure.value, unit_of(figure, text)


def _mask(text: str, start: int, end: int, mask: Mapping[int, int]) -> str:
    return text[:start] + text[start:end].translate(mask) + text[end:]


_SOURCES_PHRASE = "no quote of the claim, nor the result of a calculation that holds"
ADVICE = "quote the words that do, or hand in the calculation, or leave it out"
STAND_BY = "; or hand it in again with `because`, if it is right as it stands"
