"""Every figure and date of a claim stands in its quotes, or in a calculation over them that is computed again here.

Three answers are given. What is supported is passed. What the quotes state otherwise, or nowhere, is an objection: the
worker is told once, and may stand by its claim with a reason, which is then for the judge. What code cannot tell is
open, and left to the judge as a question. What a quote stands in belongs to it: the lines above a table row that name
its columns, its period and its unit are found by code and count as quoted. No model takes part.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from ralph_cli.checks.figures.calculation import Calculator
from ralph_cli.checks.figures.candidates import Candidate, DocumentFacts, collect_candidates
from ralph_cli.checks.figures.claims import NOWHERE, FigureComparison
from ralph_cli.checks.figures.compare import BOUND, Standing
from ralph_cli.checks.figures.consistency import Answer
from ralph_cli.checks.figures.dates import is_shifted
from ralph_cli.checks.figures.expression import CalculationError, UnquotedError, UnreadError, WrongResultError
from ralph_cli.checks.figures.tables.header import TableHeaders
from ralph_cli.core.document import CLAUSE_KINDS, Document
from ralph_cli.core.run import Attempt, Claim, Doubt, Evidence, Issue, Quote
from ralph_cli.core.structure import Span
from ralph_cli.documents.sets.joining import mask_names
from ralph_cli.documents.structure.clauses import above, named_clauses
from ralph_cli.retrieval.quotes.scanned import unsure_words
from ralph_cli.text.languages.documents import DocumentInEnglish, read_in_english
from ralph_cli.text.languages.east_asian import PAD
from ralph_cli.text.languages.figures import EnglishFigures, restore_all
from ralph_cli.text.languages.words import LITTLE_WORDS, UNSPACED
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.sentences import sentence_at
from ralph_cli.text.verbatim import departure

NAME = "numbers"
MAX_CALCULATIONS = 12
ADVICE = "quote the words that do, or hand in the calculation, or leave it out"
_DENIAL = re.compile(rf"(?i)\b(?:{NEGATIONS})\b|ない|ません|不得|不能|不可")
_WORD_BEHIND = re.compile(rf"[\s{PAD}-]*([{UNSPACED}]|[^\W\d_]+)")
STAND_BY = "; or hand it in again with `because`, if it is right as it stands"


@dataclass(frozen=True)
class NumbersCheck:
    """The check `numbers`: passes if no figure of a claim is contradicted; what it cannot tell is a doubt.

    With `vetoes` an objection stands whatever the worker says. Without, an objection to a claim that gives a reason is
    a doubt, too, for a judge who can read to decide; that the worker has heard it before is seen to by the mode.
    """

    document: Document
    question: str
    vetoes: bool = True

    def __call__(self, attempt: Attempt) -> Evidence:
        """The check of all figures as in English, whose ways to write them the reader knows; it is told as written."""
        read: list[EnglishFigures] = []

        def translate(text: str) -> str:
            read.append(self._translated.read_text(text))
            return read[-1].text

        claims = tuple(
            replace(claim, text=translate(claim.text), calculations=tuple(map(translate, claim.calculations)))
            for claim in attempt.claims
        )
        foreign = {claim.id for claim in attempt.claims if self._is_foreign(claim, attempt)}
        quotes = tuple(map(self._translated.read_quote, attempt.quotes))
        evidence = self._in_english._check(replace(attempt, quotes=quotes, claims=claims), foreign)
        read += [*map(self._translated.read_words, attempt.quotes), self._translated.read]
        tell = partial(restore_all, texts=read)
        issues = (replace(item, message=tell(item.message), material=tell(item.material)) for item in evidence.issues)
        doubts = (replace(doubt, words=tell(doubt.words), message=tell(doubt.message)) for doubt in evidence.doubts)
        return replace(evidence, issues=tuple(issues), doubts=tuple(doubts))

    def prepare(self) -> None:
        """Work out what the check needs of the document, whatever the claims will be."""
        _ = self._translated

    @property
    def _translated(self) -> DocumentInEnglish:
        return self.document.derive(read_in_english)

    @cached_property
    def _in_english(self) -> "NumbersCheck":
        """The same check of the document with its figures as in English."""
        return NumbersCheck(self._translated.document, self._translated.read_text(self.question).text, self.vetoes)

    def _is_foreign(self, claim: Claim, attempt: Attempt) -> bool:
        """Whether a claim, or a quote of it, is in a language whose figures are read as English ones."""
        read = (self._translated.read_text(claim.text), *map(self._translated.read_words, attempt.quotes_of(claim)))
        return any(text.is_foreign for text in read)

    def _check(self, attempt: Attempt, foreign: Container[int] = ()) -> Evidence:
        issues: list[Issue] = []
        doubts: list[Doubt] = []
        for claim in attempt.claims:
            for answer in self._answers(claim, attempt, is_foreign=claim.id in foreign):
                if answer.standing == "open":
                    doubts.append(Doubt(claim.id, answer.words, answer.message))
                elif claim.because and not self.vetoes:
                    doubts.append(Doubt(claim.id, answer.words, answer.message, "objection"))
                else:
                    issues.append(self._as_issue(claim, answer))
            doubts += self._unsure_figures(claim, attempt)
            if len(claim.calculations) > MAX_CALCULATIONS:
                issues.append(Issue(NAME, f"claim {claim.id} has more than {MAX_CALCULATIONS} calculations", claim.id))
        return Evidence(NAME, tuple(issues), doubts=tuple(doubts))

    def _unsure_figures(self, claim: Claim, attempt: Attempt) -> Iterator[Doubt]:
        """The figures of a claim that stand in its quotes as OCR has read them, where it was not sure of them."""
        said = {_digits(word) for word in " ".join((claim.text, *claim.calculations)).split()} - {""}
        for quote in attempt.quotes_of(claim) if said else ():
            for word, confidence in unsure_words(self.document, Span(quote.start, quote.end)).items():
                if _digits(word) in said:
                    message = f'OCR read "{word}" with a confidence of {confidence} %: compare it with the page'
                    yield Doubt(claim.id, word, message)

    def _as_issue(self, claim: Claim, answer: Answer) -> Issue:
        stand_by = "" if self.vetoes else STAND_BY
        if answer.field == "calculation":
            message = f"a calculation of claim {claim.id} does not hold{stand_by}"
        else:
            message = f"claim {claim.id} says what its quotes do not bear out; {ADVICE}{stand_by}"
        return Issue(NAME, message, claim.id, answer.message)

    @cached_property
    def _facts(self) -> DocumentFacts:
        return DocumentFacts(self.document.text, self.question)

    @cached_property
    def _headers(self) -> TableHeaders:
        return TableHeaders(self.document)

    def _answers(self, claim: Claim, attempt: Attempt, *, is_foreign: bool) -> Iterator[Answer]:
        quotes = attempt.quotes_of(claim)
        if not claim.calculations and not departure(claim.text, [quote.text for quote in quotes]):
            return  # a quotation says what the document says, in its own words
        if not quotes:
            return  # another check says so, and every figure would be said to be missing
        said = "\n".join(quote.text for quote in quotes)
        calculator = Calculator(collect_candidates(quotes, self._headers, self._facts), f"{claim.text}\n{said}")
        own = {abs(one.value) for one in read_quantities(claim.text, "prose") if one.is_measured}
        failed: set[str] = set()
        for calculation in claim.calculations[:MAX_CALCULATIONS]:
            try:
                calculator.compute(calculation)
            except CalculationError as wrong:
                is_read = not isinstance(wrong, UnreadError)
                is_own = isinstance(wrong, UnquotedError) and abs(wrong.value) in own  # what it supposes, perhaps
                is_sure = isinstance(wrong, WrongResultError) or (is_read and not is_foreign and not is_own)
                failed |= {calculation} if is_read or is_foreign else set()
                standing: Standing = "contradicted" if is_sure else "open"
                yield Answer(calculation, 0, standing, "calculation", f"{calculation}: {wrong}")
        comparison = FigureComparison(calculator.candidates, self._facts, said)
        pages = {part for quote in quotes for part in self._names_of_pages(quote)}
        for answer in comparison.unsupported(mask_names(claim.text, self.document)):
            if answer.field == "name" and _names_page(answer.words, pages):
                continue
            if answer.field == NOWHERE and _is_result_of(answer.words, failed):
                continue  # what is wrong with its calculation has been said
            if is_foreign and answer.field == "sign":
                continue  # the words that may stand for a minus are known of English alone
            is_doubt = is_foreign and not _is_sure(answer, claim, calculator.candidates, said, failed)
            yield replace(answer, standing="open") if is_doubt else answer
        yield from self._answer_to_part(claim.text, quotes, said)

    def _answer_to_part(self, text: str, quotes: Sequence[Quote], said: str) -> Iterator[Answer]:
        """What speaks against the numbered parts that a text names: none of its quotes stands in any, or names it."""
        places = self.document.places if self.document.kind in CLAUSE_KINDS else ()
        at = [bisect_right(places, quote.start, key=lambda place: place.start) - 1 for quote in quotes]
        own = [named_clauses(places[number].name) if number >= 0 else frozenset[str]() for number in at]
        named = {key for key in named_clauses(text) if key[-1] != "(" and " " not in key}
        if not named or not all(own) or named & named_clauses(said):
            return
        known = frozenset[str]().union(*own)
        if not any(one == key or one in above(key) or key in above(one) for one in known for key in named):
            names = ", ".join(dict.fromkeys(places[number].name for number in at))
            part = min(named)
            yield Answer(part, 0, "open", "name", f'the claim names "{part}", and its quotes stand in {names}')

    def _names_of_pages(self, quote: Quote) -> tuple[str, ...]:
        """How a claim may name the pages of a quote: by their numbers, in a set also those of its document."""
        own = self.document.own_number(self.document.page_at(quote.start))
        return (str(quote.page), str(quote.last_page), quote.label.lower(), str(own))


def _names_page(words: str, pages: set[str]) -> bool:
    match = re.fullmatch(r"(?i)(?:pages?|pp?\.)\s*(\w+)", words)
    return match is not None and match[1].lower() in pages


def _is_result_of(words: str, calculations: set[str]) -> bool:
    """Whether a figure stands in a calculation that does not hold."""
    figure = next((found for found in read_quantities(words, "prose") if found.is_measured), None)
    stated = (found for text in calculations for found in read_quantities(text))
    return figure is not None and any(abs(found.value) == abs(figure.value) for found in stated)


def _is_sure(answer: Answer, claim: Claim, candidates: Sequence[Candidate], said: str, failed: Collection[str]) -> bool:
    """Whether an objection to a claim in another language, or about one, rests on what code has read for sure.

    A word behind a figure that is no unit to code may be one, or a scale; so may be one above a table. What a
    calculation gives that code could not compute is not known, nor which bound a denial behind a figure makes.
    """
    found = read_quantities(claim.text, "prose")
    figure = next((one for one in found if one.start == answer.start), None)
    if figure is not None and figure.kind == "date":
        return not is_shifted(figure.date, candidates)
    if figure is not None and answer.field == BOUND:
        return not any(_is_denied_behind(text, figure) for text in (claim.text, said))
    if figure is None or answer.field not in ("unit", "scale", "currency", "number", NOWHERE):
        return True
    calculated = [one for text in claim.calculations for one in read_quantities(text)]
    if answer.field in ("number", NOWHERE):
        results = (one for text in failed for one in read_quantities(text.rpartition("=")[2]))
        if any(_has_digits_of(figure, one) for one in results):
            return False
    quoted = [one for one in candidates if one.source == "quote" and one.quantity.is_measured]
    if answer.field == "number":
        nouns = set(figure.nouns).difference(*LITTLE_WORDS.values())
        return any(nouns & set(one.quantity.nouns) for one in quoted)
    word = _WORD_BEHIND.match(claim.text, figure.end)
    if figure.kind in ("none", "count") and word is not None and word[1] not in _words_behind(said) | {"元"}:
        return False
    rivals = [one for one in quoted if any(_has_digits_of(one.quantity, other) for other in (figure, *calculated))]
    return all(
        (one.quantity.kind != "count" or set(one.quantity.nouns) & set(figure.nouns))
        and (answer.field != "scale" or one.quantity.power is not None or one.quantity.unit or one.header.is_certain)
        for one in rivals
    )


def _is_denied_behind(text: str, figure: Quantity) -> bool:
    """Whether a sentence of a text denies what it says of a figure behind it: fewer than ten shall not meet."""
    same = [one for one in read_quantities(text, "prose") if _has_digits_of(one, figure)]
    return any(_DENIAL.search(text, one.end, sentence_at(text, one.start, one.end)[1]) for one in same)


def _words_behind(text: str) -> set[str]:
    """The words, or the characters of Chinese and Japanese, that stand behind the figures of a text."""
    words = (_WORD_BEHIND.match(text, figure.end) for figure in read_quantities(text, "prose"))
    return {word[1] for word in words if word is not None}


def _has_digits_of(one: Quantity, other: Quantity) -> bool:
    """Whether the digits of two figures are the same, as far as both show them; the last may be rounded."""
    texts = [f"{abs(quantity.value):f}".replace(".", "").strip("0") or "0" for quantity in (one, other)]
    shown = min(map(len, texts))
    return texts[0] == texts[1] or (shown > 1 and abs(int(texts[0][:shown]) - int(texts[1][:shown])) <= 1)


def _digits(word: str) -> str:
    return "".join(filter(str.isdecimal, word))
