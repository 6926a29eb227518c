"""Every figure and date of a claim stands in its quotes, or in a calculation over them that is computed again here.

Three answers are given. What is supported is passed. What the quotes state otherwise, or nowhere, is an objection: the
worker is told once, and may stand by its claim with a reason, which is then for the judge. What code cannot tell is
open, and left to the judge as a question. What a quote stands in belongs to it: the lines above a table row that name
its columns, its period and its unit are found by code and count as quoted. No model takes part.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ralph_cli.checks.figures.calculation import Calculator
from ralph_cli.checks.figures.candidates import DocumentFacts, collect_candidates
from ralph_cli.checks.figures.claims import NOWHERE, Answer, FigureComparison
from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.checks.figures.header import TableHeaders
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Doubt, Evidence, Issue
from ralph_cli.text.quantities.reader import read_quantities

NAME = "numbers"
MAX_CALCULATIONS = 12
ADVICE = "quote the words that do, or hand in the calculation, or leave it out"


@dataclass(frozen=True)
class NumbersCheck:
    """The check `numbers`: passes if no figure of a claim is contradicted; what it cannot tell is a doubt.

    With `vetoes` an objection stands whatever the worker says. Without, a claim that gives a reason for a figure to
    which this check objected before is passed on, with the objection as a doubt; a reason without one counts for
    nothing.
    """

    document: Document
    question: str
    vetoes: bool = True
    _objections: set[str] = field(default_factory=set, compare=False, repr=False)

    def __call__(self, attempt: Attempt) -> Evidence:
        issues: list[Issue] = []
        doubts: list[Doubt] = []
        raised: set[str] = set()
        for claim in attempt.claims:
            for answer in self._answers(claim, attempt):
                if answer.standing == "open":
                    doubts.append(Doubt(claim.id, answer.words, answer.message))
                elif claim.because and not self.vetoes and answer.words in self._objections:
                    doubts.append(Doubt(claim.id, answer.words, answer.message, "objection"))
                else:
                    issues.append(_as_issue(claim, answer))
                    raised.add(answer.words)
        self._objections.update(raised)
        return Evidence(NAME, tuple(issues), doubts=tuple(doubts))

    @cached_property
    def _facts(self) -> DocumentFacts:
        return DocumentFacts(self.document.text, self.question)

    @cached_property
    def _headers(self) -> TableHeaders:
        return TableHeaders(self.document)

    def _answers(self, claim: Claim, attempt: Attempt) -> Iterator[Answer]:
        quotes = attempt.quotes_of(claim)
        if not quotes:
            return  # another check says so, and every figure would be said to be missing
        said = "\n".join(quote.text for quote in quotes)
        calculator = Calculator(collect_candidates(quotes, self._headers, self._facts), f"{claim.text}\n{said}")
        failed: set[str] = set()
        for calculation in claim.calculations[:MAX_CALCULATIONS]:
            try:
                calculator.compute(calculation)
            except CalculationError as wrong:
                failed.add(calculation)
                yield Answer(calculation, 0, "contradicted", "calculation", f"{calculation}: {wrong}")
        if len(claim.calculations) > MAX_CALCULATIONS:
            yield Answer("", 0, "contradicted", "calculation", f"there are more than {MAX_CALCULATIONS} calculations")
        constants = set[int]()
        shown = list(calculator.compute_in_text(claim.text))
        for result, start, end in shown:
            calculator.candidates.append(result)
            constants |= set(range(start, end))
        comparison = FigureComparison(calculator.candidates, self._facts, said)
        pages = {part for quote in quotes for part in (str(quote.page), str(quote.last_page), quote.label.lower())}
        for answer in comparison.unsupported(claim.text):
            if answer.start in constants or (answer.field == "name" and _names_page(answer.words, pages)):
                continue
            if answer.field == NOWHERE and _is_result_of(answer.words, failed):
                continue  # what is wrong with its calculation has been said
            yield answer


def _as_issue(claim: Claim, answer: Answer) -> Issue:
    if answer.field == "calculation":
        return Issue(NAME, f"a calculation of claim {claim.id} does not hold", claim.id, answer.message)
    return Issue(NAME, f"claim {claim.id} says what its quotes do not bear out; {ADVICE}", claim.id, answer.message)


def _names_page(words: str, pages: set[str]) -> bool:
    match = re.fullmatch(r"(?i)(?:pages?|pp?\.)\s*(\w+)", words)
    return match is not None and match[1].lower() in pages


def _is_result_of(words: str, calculations: set[str]) -> bool:
    """Whether a figure stands in a calculation that does not hold."""
    figure = next((found for found in read_quantities(words, "prose") if found.is_measured), None)
    stated = (found for text in calculations for found in read_quantities(text))
    return figure is not None and any(abs(found.value) == abs(figure.value) for found in stated)
