"""Finds figures, dates and quotations of a text that its sources do not support. Local and exact; names each place.

A figure is supported if a figure of the quoted words has the same value (1,577 = 1577, 4 million = 4,000,000,
forty-five = 45), or is rounded to it, and nothing beside it or stated for its table ("in millions") contradicts:
another unit, currency or scale, or a dropped or added minus. Only the text's own calculations are computed: "27,900 =
21,500 + 6,400" is fine if it is right. A date is supported if a date of the quoted words agrees with it, in any format.
A quotation is supported if its words are in one quote, folded as quotes are; its first letter may change case. Marked
gaps ("...", "[...]") may leave words out, but no negation and no limit ("not", "except").

These need no source: consecutive numbers of a list; page numbers, which must be pages of the quotes; numbers of
sections and clauses, which must be parts of the document or named in a quote; marks such as [2] that name an item of
the brief; the number of items of the brief, or of the list that follows the line ("3 deadlines:", but not "Deadlines:
3"); small numbers in words that measure nothing ("two parties").
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal

from ralph_cli.checks.figures.calculation import Calculator
from ralph_cli.checks.figures.candidates import Candidate, DocumentFacts, collect_from_texts
from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.checks.figures.sources import find_source
from ralph_cli.checks.figures.trace import FigureTracer, Trace
from ralph_cli.checks.output.numbering import ITEM_WORDS, PART_LABEL, SECTION_REFERENCE, announces_list
from ralph_cli.checks.output.quotations import MIN_BLOCK_WORDS, Quotation, find_all, quotation_fault, quotations
from ralph_cli.checks.output.shape import Piece
from ralph_cli.core.document import Document
from ralph_cli.core.run import FigureSource
from ralph_cli.text.boundary import on_boundaries
from ralph_cli.text.fold import fold
from ralph_cli.text.languages.documents import DocumentInEnglish
from ralph_cli.text.languages.figures import EnglishFigures, in_english, language_of_figures, restore_all
from ralph_cli.text.quantities.currencies import currencies_named
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.scales import read_scales
from ralph_cli.text.sentences import sentence_at, shorten_line

# The most words of a term of the task that may be in quotation marks without being quoted from the document.
MAX_TERM_WORDS = 3

PAGE_REFERENCE = re.compile(
    r"\b(?:pages?|pp?\.)\s*((?:\d+|[ivxlc]+\b)(?:\s*(?:-|\u2013|,|and|&|to)\s*\d+)*)", re.IGNORECASE
)
_PAGE_LABEL = re.compile(
    r"(?i)(?:(?:source|pdf|from|to|start|end)[ _-]?)?(?:pages?|pp?\.?)(?:[ _-]?(?:no|nr|number|numbers|ref|refs)\.?)?"
)
_NUMBER_LABEL = re.compile(r"(?i)#|no\.?|nr\.?|id|index|item|item[ _]?(?:no|number)\.?|row|rank|number|n")
_QUOTE_LABEL = re.compile(
    r"(?i)(?:verbatim[ _]?)?(?:quotes?|quotations?|evidence|passages?|source[ _]?text|wording|verbatim)"
)
_LISTED = re.compile(r"(?m)^(?P<key>[ \t>]*(?:[-*+\u2022][ \t]+|#{1,6}[ \t]+)?\(?)(?P<number>\d{1,3})[.)](?=\s)")
_PART_NUMBER = re.compile(r"(\d+(?:\.\d+)*)(?:\([a-z]{1,4}\))*")
# A number with a point that may name a part by itself: before a line, in brackets or in quotation marks.
_AS_LABEL = re.compile(
    r"(?m)(?:^[ \t>]*(?:[-*+\u2022][ \t]+|#{1,6}[ \t]+)?[*_]{0,2}|(?<=\w )[(\[]|[\"\u201c\u201e])"
    r"(?P<number>\d+(?:\.\d+)+(?:\([a-z]{1,4}\))*)(?:[:)\]*_\u201c\u201d\",;]|\.(?!\d)|[ \t][\u2013\u2014-][ \t])"
)

_WORD = re.compile(r"[^\W\d_]{4}")
_BRACKETED = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d.,]*\d)")
_NARROW = re.compile("[\u00a0\u2007\u2009\u202f]")
_EXCERPT_CHARS = 30
# The highest number in words that needs no source if it measures nothing.
MAX_SMALL_NUMBER = 12


@dataclass(frozen=True, slots=True)
class UnsupportedItem:
    """An item of a text that its sources do not support: its place, and what is wrong, in words.

    With `is_open`, code can neither confirm nor refute it.
    """

    place: str
    message: str
    is_open: bool = False


def named_words(message: str) -> str:
    """The words of a claim or an output, or the calculation, that a message is about."""
    named = _NAMED.match(message)
    return next(filter(None, named.groups()), "") if named else message.partition(": ")[0]


_NAMED = re.compile(r'(?:the quotation )?"([^"]+)"|the (?:figure|date) (.+?) \(|(page \w+)')


@dataclass(slots=True)
class GroundingSources:
    """The sources of a text: quoted passages, their pages, and the number of items that they prove.

    `pages` are the numbers and labels of the quotes' pages; `item_count` is the number of items of the brief; `task` is
    the request, whose own terms may be in quotation marks; `sections` are the numbers of the document's parts;
    `description` names the sources in messages. `facts` are those of the document, and `candidates` the figures of its
    quotes; without them the texts are read by themselves, and `contexts` give for each the other quotes of the same
    place, such as the header of its table. Results of correct `calculations` count, too. Figures are read as in
    English, those of the texts from their `language`, with `points` before decimals if the figures do not show it;
    `facts` and `candidates` are in English already. `traced` has the sources of the figures looked up so far, each with
    its piece and the words elsewhere that name it.
    """

    texts: Sequence[str]
    pages: frozenset[str] = frozenset()
    item_count: int = 0
    task: str = ""
    sections: frozenset[str] = frozenset()
    description: str = "no quote of the brief"
    contexts: Sequence[str] = ()
    facts: DocumentFacts | None = None
    candidates: Sequence[Candidate] | None = None
    calculations: Sequence[str] = ()
    language: str = "en"
    points: Callable[[], bool | None] = lambda: None
    checked_count: int = 0
    traced: list[tuple[Piece, EnglishFigures, str, Trace]] = field(default_factory=list)
    _folded: list[str] = field(default_factory=list)
    _parts: set[str] = field(default_factory=set)
    _calculator: Calculator = field(init=False)
    _facts: DocumentFacts = field(init=False)
    _last_numbers: dict[str, int] = field(default_factory=dict)
    _translated: list[EnglishFigures] = field(default_factory=list)
    _said: str = field(init=False)

    def __post_init__(self) -> None:
        self._folded = [fold(text).text for text in self.texts]
        named = (match[1] for text in self.texts for match in SECTION_REFERENCE.finditer(text))
        self._parts = {number for numbers in named for number in _PART_NUMBER.findall(numbers)} | self.sections
        self._facts = self.facts or DocumentFacts("", self.task)
        texts, contexts = ([self._translate(text, self.language) for text in of] for of in (self.texts, self.contexts))
        self._said = "\n".join((*texts, self._translate(self.task, self.language)))
        read = collect_from_texts(texts, contexts) if self.candidates is None else tuple(self.candidates)
        self._calculator = Calculator(read, "")
        for calculation in self.calculations:
            with suppress(CalculationError):  # a wrong calculation proves nothing
                self._calculator.compute(self._translate(calculation, self.language))

    def find_unsupported(self, pieces: Sequence[Piece]) -> tuple[UnsupportedItem, ...]:
        """Everything in the pieces that is not supported, in order, each once."""
        found: dict[UnsupportedItem, None] = {}
        # The task is included, because the words of a short text may be those of several languages.
        language = language_of_figures("\n".join((*(piece.text for piece in pieces), self.task)), self.language)
        announced = frozenset[int]()
        for piece in pieces:
            announced |= read_scales(f"{piece.caption}\n{self._translate(piece.text, language)}").powers
            for offset, message in self._find_faults(piece):
                found[UnsupportedItem(piece.place(offset), message)] = None
            for offset, message, is_open in self._find_wrong_figures(piece, language, announced):
                found[UnsupportedItem(piece.place(offset), message, is_open)] = None
        return tuple(found)

    def find_sources(self, english: DocumentInEnglish, document: Document) -> Iterator[FigureSource]:
        """The sources of the figures looked up so far, with their places in the output as far as they are known."""
        for piece, text, named, trace in self.traced:
            sentence = piece.text[slice(*sentence_at(piece.text, trace.quantity.start, trace.quantity.end))]
            found = find_source(english, document, text, f"{sentence} {named}", trace)
            if found is not None:
                at = piece.start + found.at if piece.start >= 0 else -1
                yield replace(found, at=at, difference=restore_all(found.difference, self._translated))

    def _find_faults(self, piece: Piece) -> Iterator[tuple[int, str]]:
        """The quotations and pages of a piece that are not supported: the place, and what is wrong."""
        text = piece.text
        if _PAGE_LABEL.fullmatch(piece.label.strip()):
            yield from self._wrong_pages((match.start(), match[0]) for match in re.finditer(r"\d+", text))
            return
        for quotation in _quotations_of(piece):
            self.checked_count += 1
            faults = [self._describe_quotation_fault(words) for _, words in quotation.readings]
            if None not in faults:
                yield quotation.start, f'the quotation "{shorten_line(quotation.words, 120)}" {faults[0]}'
        yield from self._wrong_pages((match.start(), match[1]) for match in self._page_references(text))

    def _translate(self, text: str, language: str) -> str:
        """A text of the same length with its figures as in English; messages show them as they were."""
        read = in_english(text, language, self.points)
        self._translated += [read] if read.text != text else []
        return read.text

    def _find_wrong_figures(
        self, written: Piece, language: str, announced: frozenset[int]
    ) -> Iterator[tuple[int, str, bool]]:
        """The figures and dates of a piece that are not supported, except in places that need no source.

        A figure may have the only scale that was `announced` before it.
        """
        if _PAGE_LABEL.fullmatch(written.label.strip()):
            return
        exempt = list(self._exempt_spans(written))
        text, label, row, caption = (
            self._translate(words, language) for words in (written.text, written.label, written.row, written.caption)
        )
        piece = replace(written, text=text, label=label, row=row, caption=caption)
        tracer = FigureTracer(self._calculator.candidates, self._facts, self._said, self.description, derives=False)
        found = read_quantities(text, "prose")
        for quantity in found:
            as_written = replace(quantity, text=written.text[quantity.start : quantity.end])
            if _is_inside(quantity, exempt) or _is_small_word(as_written):
                continue
            self.checked_count += 1
            typed = _typed_by_label(quantity, piece)
            named = f" {piece.label} {piece.row} {piece.where}".replace("_", " ").replace(".", " ")
            trace = _trace_first(tracer, text, quantity, typed, found, named, is_captioned=bool(piece.caption))
            if trace.fault and trace.fault.field == "scale" and quantity.power is None and len(announced) == 1:
                scaled = tracer.trace(text, replace(quantity, power=next(iter(announced))), found, named)
                trace = trace if scaled.fault else scaled
            self.traced.append((written, EnglishFigures(text, written.text), named, trace))
            if fault := trace.fault:
                kind = "date" if quantity.kind == "date" else "figure"
                said = restore_all(fault.said, self._translated)
                message = f"the {kind} {as_written.text} ({_excerpt(written.text, quantity)}){said}"
                yield quantity.start, message, not fault.is_sure and fault.field in ("unit", "scale")

    def _page_references(self, text: str) -> list[re.Match[str]]:
        return [match for match in PAGE_REFERENCE.finditer(text) if not self._is_verbatim(match[0])]

    def _grouped_by_spaces(self, text: str) -> Iterator[tuple[int, int]]:
        """Numbers whose digits are grouped by plain spaces, if a quote groups the same number by narrow ones."""
        for match in _SPACED.finditer(text):
            value = Decimal(match[0].replace(" ", ""))
            known = (candidate.quantity for candidate in self._calculator.candidates)
            if any(quantity.value == value and _NARROW.search(quantity.text) for quantity in known):
                yield match.span()

    def _is_verbatim(self, words: str) -> bool:
        """Whether the words occur unchanged in a source, at word and number boundaries."""
        wanted = fold(words).text.strip()
        return bool(wanted) and any(
            on_boundaries(text, at, at + len(wanted)) for text in self._folded for at in find_all(text, wanted)
        )

    def _describe_quotation_fault(self, words: str) -> str | None:
        """The fault of a quotation; None if its words are in one source, or are a term of the task."""
        limit = quotation_fault(words, self._folded)
        term = len(words.split()) <= MAX_TERM_WORDS and fold(words).text.casefold() in fold(self.task).text.casefold()
        if limit is None or term or (words in self._parts and "." in words):
            return None
        if limit:
            return f'leaves out "{limit}", which changes what is said: quote it too, or say it in words'
        return f"is in {self.description}: quote what stands there, or say it in words"

    def _wrong_pages(self, references: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Yield the pages in references at these offsets that are not pages of the quotes."""
        for start, numbers in references:
            for number in re.findall(r"\d+|[ivxlc]+", numbers, re.IGNORECASE):
                self.checked_count += 1
                if number.lower() not in self.pages:
                    known = ", ".join(sorted(self.pages, key=lambda page: (len(page), page))[:20])
                    which = f"the brief's quotes stand on {known}" if known else "what it rests on has no pages"
                    yield start, f"page {number} is not a page that was quoted: {which}"

    def _are_sections(self, numbers: str) -> bool:
        return all(number in self._parts for number in _PART_NUMBER.findall(numbers))

    def _exempt_spans(self, piece: Piece) -> Iterator[tuple[int, int]]:
        """Yield the spans whose numbers need no source; see the top of this module."""
        text = piece.text
        for quotation in _quotations_of(piece):
            ends = (end for end, words in quotation.readings if self._describe_quotation_fault(words) is None)
            yield from ((quotation.start, end) for end in ends)
        yield from (match.span() for match in self._page_references(text))
        yield from (match.span() for match in SECTION_REFERENCE.finditer(text) if self._are_sections(match[1]))
        if PART_LABEL.fullmatch(piece.label.strip()) and not _WORD.search(text):
            yield from (match.span() for match in _PART_NUMBER.finditer(text) if match[1] in self._parts)
        yield from self._spans_of_labels(piece)
        yield from self._grouped_by_spaces(text)
        yield from self._spans_of_counts(piece)

    def _spans_of_labels(self, piece: Piece) -> Iterator[tuple[int, int]]:
        """Numbers of parts that stand alone, of a list, and of items in brackets."""
        text = piece.text
        labels = (match for match in _AS_LABEL.finditer(text) if self._are_sections(match["number"]))
        yield from (label.span() for label in labels if text[label.end() :].strip("*_ )]") or label[0][0] in "([")
        is_numbered = _NUMBER_LABEL.fullmatch(piece.label.strip()) and text.strip().isdecimal()
        if is_numbered and self._continues_numbering(piece.label, text):
            yield 0, len(text)
        for match in _LISTED.finditer(text):
            if self._continues_numbering(match["key"], match["number"]):
                yield match.start("number"), match.end()
        for match in _BRACKETED.finditer(text):
            if all(1 <= int(number) <= self.item_count for number in re.findall(r"\d+", match[1])):
                yield match.span()

    def _spans_of_counts(self, piece: Piece) -> Iterator[tuple[int, int]]:
        """The places of the number of items, and of the number of entries of the list that follows."""
        text = piece.text
        for quantity in read_quantities(text, "prose"):
            plain = quantity.kind in ("none", "count", "points") and quantity.power is None
            number_end = quantity.start + len(quantity.text.split()[0])
            counts = quantity.value == self.item_count and ITEM_WORDS.match(text, number_end)
            if plain and (counts or announces_list(text, quantity)):
                yield quantity.start, quantity.end

    def _continues_numbering(self, key: str, number: str) -> bool:
        """Whether a list's number is 1 (or 0), the one before it again, or the next."""
        key, value = " ".join(key.split()), int(number)
        before = self._last_numbers.get(key)
        self._last_numbers[key] = value
        return value in (0, 1) or (before is not None and value in (before, before + 1))


def _trace_first(
    tracer: FigureTracer,
    text: str,
    quantity: Quantity,
    typed: Quantity,
    found: Sequence[Quantity],
    named: str,
    *,
    is_captioned: bool,
) -> Trace:
    """Return the trace of a figure with its column's type, or without it if that trace has no certain fault."""
    trace = tracer.trace(text, typed, found, named)
    if trace.fault and typed is not quantity and (not trace.fault.is_sure or is_captioned):
        return tracer.trace(text, quantity, found, named)
    return trace


def _quotations_of(piece: Piece) -> Sequence[Quotation]:
    """The quotations of a piece; all of it if its key or column says that it is one."""
    whole = bool(_QUOTE_LABEL.fullmatch(piece.label.strip())) and len(piece.text.split()) >= MIN_BLOCK_WORDS
    return [Quotation(0, ((len(piece.text), piece.text),))] if whole else quotations(piece.text)


def _is_small_word(quantity: Quantity) -> bool:
    """Whether a small number in words measures nothing ("two parties"), or a word is an ordinal."""
    plain = quantity.kind in ("none", "count") and quantity.power is None and quantity.text.strip().isalpha()
    ordinal = quantity.kind == "ordinal" and quantity.text.isalpha()
    return ordinal or (plain and quantity.value <= MAX_SMALL_NUMBER)


def _typed_by_label(quantity: Quantity, piece: Piece) -> Quantity:
    """A figure with the scale and unit from the name of its column or key, or from the line above its table."""
    label = piece.label
    scales = read_scales(label).powers or read_scales(piece.caption).powers
    if quantity.power is None and len(scales) == 1 and quantity.kind in ("none", "count", "currency"):
        quantity = replace(quantity, power=next(iter(scales)))
    if quantity.kind in ("none", "count"):
        currencies = currencies_named(label)
        if len(currencies) == 1:
            return replace(quantity, kind="currency", unit=next(iter(currencies)))
        if "%" in label or "percent" in label.lower():
            return replace(quantity, kind="percent", power=None)
    return quantity


def _excerpt(text: str, found: Quantity) -> str:
    around = text[max(found.start - _EXCERPT_CHARS, 0) : found.end + _EXCERPT_CHARS]
    return '"' + " ".join(f"...{around}...".split()) + '"'


def _is_inside(quantity: Quantity, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= quantity.start and quantity.end <= end for start, end in spans)
