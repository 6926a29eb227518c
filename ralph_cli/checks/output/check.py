"""The hard rules of an output: its length and shape, and that its figures are in the quoted words."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from ralph_cli.checks.base import WORDING
from ralph_cli.checks.figures.candidates import Candidate, DocumentFacts, collect_candidates
from ralph_cli.checks.figures.cells import quote_header
from ralph_cli.checks.form import MAX_BECAUSE_CHARS, has_joined_items
from ralph_cli.checks.output.grounding import GroundingSources, UnsupportedItem, named_words
from ralph_cli.checks.output.schema import SchemaCheckError
from ralph_cli.checks.output.shape import Format, OutputParseError, Piece, pieces, shape_faults
from ralph_cli.checks.output.words import count_words, word_limits
from ralph_cli.core.document import Document
from ralph_cli.core.model import Json
from ralph_cli.core.run import Attempt, Doubt, DoubtKind, Evidence, Issue, Quote
from ralph_cli.documents.sets.joining import mask_names
from ralph_cli.text.languages.documents import DocumentInEnglish, read_in_english
from ralph_cli.text.languages.words import language_of

MIN_OUTPUT_CHARS = 50
# The least characters of a memory update.
MIN_MEMORY_CHARS = 20

# The `check` of issues about words that the brief does not quote; reading may find them.
FIGURES_CHECK = "figures"

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")

NOT_BORNE_OUT = "the quoted words do not bear it out"


@dataclass(frozen=True, slots=True)
class OutputForm:
    """The required form of an output: its format, its JSON Schema, and whether it has a memory update.

    With a schema, only the schema says how much is enough; otherwise an output has at least 50 characters.
    """

    kind: Format = "md"
    schema: Json | bool | None = None
    has_memory: bool = True


@dataclass(frozen=True, slots=True)
class OutputCheck:
    """The check `output`: lengths, then shape, then every figure, date and quotation in the words that it comes from.

    Those words are the quotes of the attempt's brief, with the header lines of their tables in `document`; in a run
    without a document they are `memory`, if that is given. What code cannot confirm or refute becomes a doubt and fails
    nothing. Without `vetoes`, so does what is not found there, if the attempt gives a reason (`because`).
    """

    form: OutputForm
    task: str
    paged: bool = True
    memory: str | None = None
    sections: frozenset[str] = frozenset()
    document: Document | None = None
    vetoes: bool = True

    def __call__(self, attempt: Attempt) -> Evidence:
        faults = list(self._length_faults(attempt))
        if faults and not attempt.output:
            return Evidence("output", _issues("output", faults))
        try:
            faults += shape_faults(attempt.output, self.form.kind, self.form.schema)
        except SchemaCheckError as error:
            return Evidence("output", _issues("output", faults), broken=str(error))
        try:
            sources, unsupported = self._find_unsupported(attempt)
        except OutputParseError:
            return Evidence("output", _issues("output", faults))
        if self.form.kind not in ("json", "csv"):
            faults += [*_joined_item_faults(attempt.output), *self._word_count_faults(attempt.output)]
        stands_by = bool(attempt.because) and not self.vetoes
        doubts = tuple(doubt for doubt in unsupported if doubt.kind == "open" or stands_by)
        objections = [
            Issue(self._whose(doubt, attempt), NOT_BORNE_OUT, material=doubt.message)
            for doubt in unsupported
            if doubt not in doubts
        ]
        score = _score(sources, len(objections), len(faults))
        about = self.document
        figures = sources.find_sources(about.derive(read_in_english), about) if about is not None else ()
        ordered = tuple(sorted(figures, key=lambda figure: figure.at))
        issues = (*_issues("output", faults), *objections)
        return Evidence("output", issues, score=score, doubts=doubts, figures=ordered)

    def objections(self, attempt: Attempt) -> tuple[Doubt, ...]:
        """The words of an output that code does not find in its sources, whatever the worker's reason."""
        try:
            return tuple(doubt for doubt in self._find_unsupported(attempt)[1] if doubt.kind == "objection")
        except OutputParseError:
            return ()

    def _whose(self, doubt: Doubt, attempt: Attempt) -> str:
        """The check of an objection: reading may find what the document has and no quote; else the writing is wrong."""
        words = max(_FIGURE.findall(doubt.words), key=len, default=doubt.words)
        quoted = "\n".join(map(self._text_with_header, attempt.quotes))
        text = self.document.text if self.document is not None else ""
        return FIGURES_CHECK if _holds(text, words) and not _holds(quoted, words) else WORDING

    def _find_unsupported(self, attempt: Attempt) -> tuple[GroundingSources, list[Doubt]]:
        """The sources of an output, and what in it they do not support."""
        output = mask_names(attempt.output, self.document) if self.document is not None else attempt.output
        found = [piece for piece in pieces(output, self.form.kind) if not self._is_requested_name(piece)]
        sources = self._grounding_sources(attempt)
        return sources, [self._as_doubt(miss) for miss in sources.find_unsupported(found)]

    def _as_doubt(self, miss: UnsupportedItem) -> Doubt:
        """An unsupported item as a doubt. What code cannot confirm or refute is open only if there is a document."""
        kind: DoubtKind = "open" if miss.is_open and self.document is not None else "objection"
        return Doubt(0, named_words(miss.message), f"{miss.place} of the output: {miss.message}", kind)

    def has_unsupported_memory(self, attempt: Attempt) -> bool:
        """Whether the memory update has a figure, a date or a quotation that the quotes do not support."""
        return bool(self._grounding_sources(attempt).find_unsupported(pieces(attempt.memory, "md")))

    def _is_requested_name(self, piece: Piece) -> bool:
        """Whether the schema or the task names a column or key so."""
        if not piece.is_header:
            return False
        name, schema = piece.name or piece.text, json.dumps(self.form.schema, ensure_ascii=False)
        return name in self.task or json.dumps(name, ensure_ascii=False) in schema

    def _length_faults(self, attempt: Attempt) -> Iterator[str]:
        kinds = [("output", attempt.output, MIN_OUTPUT_CHARS if self.form.schema is None else 1)]
        if self.form.has_memory:
            kinds.append(("memory update", attempt.memory, MIN_MEMORY_CHARS))
        for name, text, least in kinds:
            size = len(text.strip())
            if size == 0:
                yield f"the {name} is empty"
            elif size < least:
                yield f"the {name} is too short ({size} characters, at least {least})"
        if (size := len(attempt.because)) > MAX_BECAUSE_CHARS:
            yield f"`because` is too long ({size} characters, at most {MAX_BECAUSE_CHARS})"

    def _grounding_sources(self, attempt: Attempt) -> GroundingSources:
        if self.memory is not None:
            told = "nothing that is remembered"
            return GroundingSources((self.memory,), task=self.task, description=told, language=language_of(self.memory))
        quotes = attempt.quotes if self.paged else ()
        pages = frozenset(name for quote in quotes for name in self._page_names(quote))
        texts = [self._text_with_header(quote) for quote in attempt.quotes]
        english = self.document.derive(read_in_english) if self.document is not None else None
        facts = DocumentFacts(english.document.text, english.read_text(self.task).text) if english else None
        return GroundingSources(
            texts,
            pages,
            len(attempt.claims),
            self.task,
            self.sections,
            contexts=[self._related_quotes(attempt, quote) for quote in attempt.quotes],
            facts=facts,
            candidates=_candidates(attempt, english, facts) if english and facts else None,
            calculations=[calculation for claim in attempt.claims for calculation in claim.calculations],
            language=english.language if english else language_of("\n".join(texts)),
            points=english.points if english else lambda: None,
        )

    def _page_names(self, quote: Quote) -> tuple[str, ...]:
        """The names that an output may use for a quote's page: its number, its label, its number in its document."""
        document = self.document
        own = document.own_number(document.page_at(quote.start)) if document is not None and document.members else 0
        return (str(own or quote.page), quote.label.lower())

    def _text_with_header(self, quote: Quote) -> str:
        """A quote below the lines that name the columns, period and unit of its rows."""
        above = quote_header(self.document, quote.start, quote.end) if self.document is not None else ()
        return "\n".join((*above, quote.text))

    def _related_quotes(self, attempt: Attempt, quote: Quote) -> str:
        """The other quotes of the same item or page, where the header of a table may be."""
        items = [claim.quotes for claim in attempt.claims if quote.id in claim.quotes]
        return "\n".join(
            other.text
            for other in attempt.quotes
            if other.id != quote.id
            and ((self.paged and other.page == quote.page) or any(other.id in quotes for quotes in items))
        )

    def _word_count_faults(self, output: str) -> Iterator[str]:
        """The faults in the number of words, if the task sets one."""
        (least, most), count = word_limits(self.task), count_words(output)
        if most is not None and count > most:
            yield f"the output has {count} words, {count - most} more than the {most} that the task allows"
        if least is not None and count < least:
            yield f"the output has {count} words, {least - count} fewer than the {least} that the task asks for"


def _candidates(attempt: Attempt, english: DocumentInEnglish, facts: DocumentFacts) -> list[Candidate]:
    """Return the figures of the quotes; each item's figures have the context of its own quotes and of the document."""
    quotes = [english.read_quote(quote) for quote in attempt.quotes]
    # A record that is checked again may have lost some of its quotes.
    items = ([quote for quote in quotes if quote.id in claim.quotes] for claim in attempt.claims)
    return list(chain.from_iterable(collect_candidates(quotes, english.document, facts) for quotes in items))


def _issues(check: str, messages: Iterable[str]) -> tuple[Issue, ...]:
    return tuple(Issue(check, message) for message in messages)


def _holds(text: str, words: str) -> bool:
    """Whether a text contains these words, with figures complete."""
    return re.search(rf"(?<![\d.,]){re.escape(words)}(?![.,]?\d)", text, re.IGNORECASE) is not None


def _joined_item_faults(output: str) -> Iterator[str]:
    for number, line in enumerate(output.split("\n"), 1):
        if line.lstrip().startswith(("- ", "* ")) and has_joined_items(line):
            yield f"line {number} of the output: two items of a list stand on one line"


def _score(ground: GroundingSources, missing: int, formal: int) -> float | None:
    """The share of the looked-up items that were found; None if there were none.

    A fault of form counts as one more missing item, so that a refused output never has the full score.
    """
    if not ground.checked_count:
        return None
    return max(0.0, 1 - (missing + formal) / (ground.checked_count + formal))
