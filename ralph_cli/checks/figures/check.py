"""Trace every figure and date of a claim to its source: a table cell, words of a quote, or a calculation.

An objection is a fact that needs no reading: a value found nowhere, a different unit or scale, or a wrong calculation.
The check sends the claim back once. The worker may keep it with a reason, and then the judge decides. The judge sees
everything else as written. The check uses no model.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from ralph_cli.checks.figures.calculation import Calculator
from ralph_cli.checks.figures.candidates import DocumentFacts, collect_candidates
from ralph_cli.checks.figures.expression import CalculationError, UnreadError
from ralph_cli.checks.figures.sources import find_source
from ralph_cli.checks.figures.trace import Fault, FigureTracer, Trace
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Doubt, Evidence, FigureSource, Issue, Quote
from ralph_cli.core.structure import Span
from ralph_cli.documents.sets.joining import mask_names
from ralph_cli.retrieval.quotes.scanned import unsure_words
from ralph_cli.text.languages.documents import DocumentInEnglish, read_in_english
from ralph_cli.text.languages.figures import EnglishFigures, restore_all
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.verbatim import departure

NAME = "numbers"
MAX_CALCULATIONS = 12
ADVICE = "quote the words that do, or hand in the calculation, or leave it out"
STAND_BY = "; or hand it in again with `because`, if it is right as it stands"


@dataclass(frozen=True)
class NumbersCheck:
    """The check `numbers`. It passes if no figure of a claim is contradicted.

    Its evidence has the sources of all figures. With `vetoes`, an objection remains even if the worker gives a reason.
    Without it, an objection to a claim with a reason becomes a doubt, which the judge decides. The mode ensures that
    the worker has seen the objection before.
    """

    document: Document
    question: str
    vetoes: bool = True

    def __call__(self, attempt: Attempt) -> Evidence:
        """Check the figures in their English form. Messages show them as written."""
        issues: list[Issue] = []
        doubts: list[Doubt] = []
        figures: list[FigureSource] = []
        for claim in attempt.claims:
            quotes = attempt.quotes_of(claim)
            if not quotes:
                continue  # another check says so, and every figure would be said to be missing
            objections, sources, open_ = self._check(claim, quotes)
            figures += sources
            doubts += open_
            for field, words, message in objections:
                if claim.because and not self.vetoes:
                    doubts.append(Doubt(claim.id, words, message, "objection"))
                else:
                    issues.append(self._as_issue(claim, field, message))
            doubts += self._unsure_figures(claim, quotes)
            if len(claim.calculations) > MAX_CALCULATIONS:
                issues.append(Issue(NAME, f"claim {claim.id} has more than {MAX_CALCULATIONS} calculations", claim.id))
        return Evidence(NAME, tuple(issues), doubts=tuple(doubts), figures=tuple(figures))

    def prepare(self) -> None:
        """Compute in advance what the check needs of the document for any claims."""
        _ = self._translated

    @property
    def _translated(self) -> DocumentInEnglish:
        return self.document.derive(read_in_english)

    @cached_property
    def _facts(self) -> DocumentFacts:
        return DocumentFacts(self._translated.document.text, self._translated.read_text(self.question).text)

    def _check(
        self, claim: Claim, quotes: tuple[Quote, ...]
    ) -> tuple[list[tuple[str, str, str]], list[FigureSource], list[Doubt]]:
        """Return the objections to a claim (field, words and message), the sources of its figures, and the open
        doubts.
        """
        english = self._translated
        text, said = english.read_text(claim.text), [english.read_words(quote) for quote in quotes]
        calculations = [english.read_text(calculation) for calculation in claim.calculations]
        tell = partial(restore_all, texts=[text, *calculations, *said, english.read])
        words = "\n".join(read.text for read in said)
        calculator = Calculator(
            collect_candidates([english.read_quote(quote) for quote in quotes], english.document, self._facts),
            f"{text.text}\n{words}",
        )
        objections, doubts, failed = self._compute(claim, calculations, calculator, tell)
        tracer = FigureTracer(calculator.candidates, self._facts, words)
        traces = tracer.trace_all(mask_names(text.text, english.document))
        found = (find_source(english, self.document, text, claim.text, trace) for trace in traces)
        sources = [replace(it, claim=claim.id, difference=tell(it.difference)) for it in found if it]
        if calculations or departure(claim.text, [quote.text for quote in quotes]):
            # A quotation repeats the document's own words.
            for quantity, fault in _faults(traces, failed):
                objections.append((fault.field, claim.text[quantity.start : quantity.end], tell(fault.message)))
        return objections, sources, doubts

    def _compute(
        self,
        claim: Claim,
        calculations: list[EnglishFigures],
        calculator: Calculator,
        tell: Callable[[str], str],
    ) -> tuple[list[tuple[str, str, str]], list[Doubt], list[str]]:
        """Return the objections to calculations, the doubts about them, and the failed calculations."""
        objections: list[tuple[str, str, str]] = []
        doubts: list[Doubt] = []
        failed: list[str] = []
        for calculation in calculations[:MAX_CALCULATIONS]:
            try:
                calculator.compute(calculation.text)
            except CalculationError as wrong:
                message = tell(f"{calculation.text}: {wrong}")
                failed.append(calculation.text)
                if isinstance(wrong, UnreadError):  # it is for the judge
                    doubts.append(Doubt(claim.id, calculation.original, message))
                else:
                    objections.append(("calculation", calculation.original, message))
        return objections, doubts, failed

    def _unsure_figures(self, claim: Claim, quotes: tuple[Quote, ...]) -> Iterator[Doubt]:
        """Yield the figures of a claim in its quotes that OCR was not sure of."""
        said = {_digits(word) for word in " ".join((claim.text, *claim.calculations)).split()} - {""}
        for quote in quotes if said else ():
            for word, confidence in unsure_words(self.document, Span(quote.start, quote.end)).items():
                if _digits(word) in said:
                    message = f'OCR read "{word}" with a confidence of {confidence} %: compare it with the page'
                    yield Doubt(claim.id, word, message)

    def _as_issue(self, claim: Claim, field: str, message: str) -> Issue:
        stand_by = "" if self.vetoes else STAND_BY
        if field == "calculation":
            return Issue(NAME, f"a calculation of claim {claim.id} does not hold{stand_by}", claim.id, message)
        return Issue(
            NAME, f"claim {claim.id} says what its quotes do not bear out; {ADVICE}{stand_by}", claim.id, message
        )


def _faults(traces: list[Trace], failed: list[str]) -> Iterator[tuple[Quantity, Fault]]:
    """Yield the figures with objections, each with its fault, except results of failed calculations."""
    wrong = {abs(one.value) for text in failed for one in read_quantities(text)}
    for quantity, fault in ((trace.quantity, trace.fault) for trace in traces):
        if fault and fault.is_sure and not (fault.field == "nowhere" and abs(quantity.value) in wrong):
            yield quantity, fault


def _digits(word: str) -> str:
    return "".join(filter(str.isdecimal, word))
