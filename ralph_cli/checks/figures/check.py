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
from ralph_cli.checks.figures.expression import Wrong
from ralph_cli.checks.figures.grounding import Ground
from ralph_cli.checks.figures.header import percentages
from ralph_cli.checks.figures.numbering import sections_of
from ralph_cli.checks.figures.sources import YEAR, ClaimSources
from ralph_cli.checks.output.shape import Piece
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Evidence, Issue, Quote
from ralph_cli.text.quantities import periods
from ralph_cli.text.quantities.figures import Figure, figures
from ralph_cli.text.quantities.units import unit_beside

NAME = "numbers"
MOST_CALCULATIONS = 12
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

_HIDE = {ord(digit): 0xE000 + ord(digit) for digit in "0123456789"}
_MASK = {code: 0xE000 + code for code in range(0x21, 0x3000)}
_SHOW = {hidden: code for code, hidden in _MASK.items()}
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
        return sections_of(self.document.text)

    @cached_property
    def _years(self) -> frozenset[str]:
        return frozenset(YEAR.findall(self.question))

    @cached_property
    def _asked(self) -> frozenset[tuple[Decimal, str]]:
        return frozenset(_asked(figure, self.question) for figure in figures(self.question))

    def _issues(self, claim: Claim, attempt: Attempt) -> Iterator[Issue]:
        quotes = attempt.quotes_of(claim)
        if not quotes:
            return  # another check says so, and every figure would be said to be missing
        sources = ClaimSources(self.document, quotes)
        results: list[str] = []
        for calculation in claim.calculations[:MOST_CALCULATIONS]:
            try:
                results += sources.result(calculation, results)
            except Wrong as wrong:
                told = f"a calculation of claim {claim.id} does not hold"
                yield Issue(NAME, told, claim.id, f"{calculation}: {wrong}")
        if len(claim.calculations) > MOST_CALCULATIONS:
            yield Issue(NAME, f"claim {claim.id} has more than {MOST_CALCULATIONS} calculations", claim.id)
        named = [*self._named(claim.text, sources, results), *undocumented.ordinals(claim.text, sources.values)]
        named += undocumented.odd_digits(claim.text, sources.quotes)
        for amount in undocumented.currencies(claim.text, self._has):
            yield Issue(NAME, _told(claim), claim.id, f'"{amount}": the document names no such currency')
        computed = [figure for result in results for figure in figures(result)]
        found, missed = fractions.unfounded(claim.text, sources.quotes, sources.rows, computed, self.question)
        for words in (*named, *(multiple.text for multiple in missed)):
            yield Issue(NAME, _told(claim), claim.id, f'"{words}" is in {_SOURCES}')
        plain = self._plain(claim.text, sources)
        for start, end in (*sources.spans(claim.text), *((multiple.start, multiple.end) for multiple in found)):
            plain = plain[:start] + plain[start:end].translate(_MASK) + plain[end:]
        results += sources.computed(plain)
        results += [figure.text for figure in figures(plain) if sources.state(figure, plain, results)]
        results += [figure.text for figure in figures(plain) if figure.percent and self._is_share(figure, quotes)]
        for miss in self._ground(sources, results, len(attempt.claims)).misses((Piece(plain),)):
            yield Issue(NAME, _told(claim), claim.id, miss.message.translate(_SHOW))

    def _named(self, text: str, sources: ClaimSources, results: Sequence[str]) -> Iterator[str]:
        """The months and quarters of a text that nothing bears out: quotes, their headers, results, the question."""
        words = "\n".join((*sources.quotes, sources.headers, *results))
        years = self._years | sources.years | frozenset(YEAR.findall(words))
        borne_out = periods.periods_of(f"{words}\n{self.question}", self._last_month)
        return periods.unfounded(text, borne_out, years)

    @cached_property
    def _lower(self) -> str:
        return f"{self.document.text}\n{self.question}".lower()

    def _has(self, word: str) -> bool:
        return word in self._lower

    @cached_property
    def _last_month(self) -> int:
        return periods.year_end(self.document.text)

    def _is_share(self, figure: Figure, quotes: Sequence[Quote]) -> bool:
        """Whether a percentage stands without its sign in a column of a quoted table that has it further up."""
        return any(figure.value == other.value for quote in quotes for other in percentages(self.document, quote))

    def _ground(self, sources: ClaimSources, results: Sequence[str], claims: int) -> Ground:
        return Ground(
            (*sources.texts, *results),
            sources.pages,
            claims,
            self.question,
            self._sections,
            _SOURCES,
            sources.beside,
        )

    def _plain(self, text: str, sources: ClaimSources) -> str:
        """The claim with the digits replaced by what is no digit in all that needs no source: see the module's head."""
        years = sources.years
        for match in list(_NAME.finditer(text)):
            if self._is_name(match[0], years):
                text = _hidden(text, match.start(), match.end())
        for match in list(YEAR.finditer(text)):
            if match[0] in self._years or match[0] in years:
                text = _hidden(text, match.start(), match.end())
        for figure in figures(text):
            if _asked(figure, text) in self._asked and _THRESHOLD.search(text, 0, figure.start):
                text = _hidden(text, figure.start, figure.end)
        return _COUNTED.sub(lambda match: match[0].translate(_MASK), text)

    def _is_name(self, word: str, years: frozenset[str]) -> bool:
        if _MEASURED.fullmatch(word):
            return False
        if year := _FISCAL.fullmatch(word):
            return year[1] in self._years or year[1] in years
        if _QUARTER.fullmatch(word):
            return True  # a period, which is looked for by itself
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


def _asked(figure: Figure, text: str) -> tuple[Decimal, str]:
    """What makes a threshold the same: value and unit."""
    return figure.value, unit_beside(figure, text)


def _hidden(text: str, start: int, end: int) -> str:
    return text[:start] + text[start:end].translate(_HIDE) + text[end:]


def _told(claim: Claim) -> str:
    return f"claim {claim.id} says what its quotes do not bear out; {ADVICE}"


_SOURCES = "no quote of the claim, nor the result of a calculation that holds"
ADVICE = "quote the words that do, or hand in the calculation, or leave it out"
