"""The nouns of a memo that is checked against documents: quotation, page reference, finding, the check as a whole."""

from dataclasses import dataclass
from typing import Literal

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote, Ruling

# What became of a quotation: the first four hold (see `Tier`); of an elided one a person should read what is left out.
# Altered: not the document's words, but near them; wrong-document: the words stand in another document than the memo
# names; unclosed: a quotation mark without a partner, so that nobody can tell what is quoted; hidden: the document's
# words, but not for a reader of its pages.
QuotationOutcome = Literal[
    "exact", "folded", "recut", "elided", "altered", "wrong-page", "wrong-document", "not-found", "unclosed", "hidden"
]

HOLDING_OUTCOMES: frozenset[QuotationOutcome] = frozenset(("exact", "folded", "recut", "elided"))


@dataclass(frozen=True, slots=True)
class PageReference:
    """Pages that a memo names, `text` as it writes them: "pp. 12-13" is (("12", "13"),), "p. iv" (("iv", "iv"),).

    `line` is its line in the memo's text, from 1; `start` and `end` are offsets there; `place` is where a reader finds
    it.
    """

    text: str
    ranges: tuple[tuple[str, str], ...]
    line: int
    start: int
    end: int
    place: str = ""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a memo presents as a quotation, between `start` and `end` of its text, marks included.

    `words` are without quotation and emphasis marks. `readings` are other words that may be meant, where an apostrophe
    might close the quotation too, longest first. `form` is "marks", "block" or "term" (a few words that may merely be a
    name); `place` is where a reader finds it ("line 12"); `sentence` is the sentence that carries it, `citation` what
    is said beside it of where the words stand.
    """

    words: str
    start: int
    end: int
    line: int
    place: str
    form: Literal["marks", "block", "term"] = "marks"
    closed: bool = True
    reference: PageReference | None = None
    readings: tuple[str, ...] = ()
    sentence: str = ""
    citation: str = ""


@dataclass(frozen=True, slots=True)
class MemoFigure:
    """An amount in the memo's own words, outside of every quotation, so that it has no quote.

    `place` is where a reader finds it, `reference` the page that its sentence names for no quotation. `number` is its
    digits, or the words that spell it. `occurs` says whether it stands in the documents as it is written (on that page,
    if one is named), None before they were looked at; that a number stands there does not say that it is the right one:
    `rows` are rows and columns of tables in which it does, for a reader to compare.
    """

    text: str
    number: str
    line: int
    place: str
    reference: PageReference | None = None
    occurs: bool | None = None
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Memo:
    """A memo as it was read, in order: its quotations, the page references that belong to none of them, its figures."""

    quotations: tuple[Quotation, ...]
    references: tuple[PageReference, ...]
    figures: tuple[MemoFigure, ...] = ()


@dataclass(frozen=True, slots=True)
class ClosestText:
    """Document text that resembles a quotation (`score` 75 to 100) without being it; `differing` names what differs.

    `where` is its place in words: a page, or a line and heading in documents without pages. `ocr` is the lowest
    confidence of its words, 0 to 100, if they were read by OCR, `unsure` which of them may be wrong.
    """

    text: str
    where: str
    page: int
    label: str
    score: float
    differing: tuple[str, ...]
    ocr: int | None = None
    unsure: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one quotation.

    `document` is the index of the document that `quote` or `nearest` stands in; `also` are indices of further ones that
    hold the quotation. `pages` are (number, printed label) of where the words stand, first places first. `matched` says
    whether the page reference agrees with the page's number in the file, the label printed on it, or both; None when
    there is no reference, it is wrong, or the document has no pages. `where` is the place of `quote` in words, `notes`
    are for the reader.
    """

    quotation: Quotation
    outcome: QuotationOutcome
    quote: Quote | None = None
    document: int | None = None
    also: tuple[int, ...] = ()
    nearest: ClosestText | None = None
    pages: tuple[tuple[int, str], ...] = ()
    matched: Literal["number", "label", "both"] | None = None
    notes: tuple[str, ...] = ()
    where: str = ""

    @property
    def holds(self) -> bool:
        """Whether the words are the document's, and on the page that is named."""
        return self.outcome in HOLDING_OUTCOMES

    @property
    def passage(self) -> Quote | ClosestText | None:
        """The document's words that are shown beside the quotation: those that it is, or else those most like it."""
        return self.nearest or self.quote


@dataclass(frozen=True, slots=True)
class Support:
    """What a judge says of a sentence of the memo beside the passages it quotes; `ruling` is None when it failed."""

    sentence: str
    place: str
    findings: tuple[int, ...]
    ruling: Ruling | None
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether the judge accepts the sentence."""
        return self.ruling is not None and self.ruling.verdict.passes


@dataclass(frozen=True, slots=True)
class MemoCheck:
    """A memo checked against documents: what became of each quotation, in the memo's order.

    `terms` are the findings on words too short to count as quotations; `beyond` are page references past the last page
    of every document, `unbound` those that belong to no quotation, so that nothing could be looked up; `unpaged` counts
    references to documents without pages, which cannot be checked. `figures` are those of the memo's own words, which
    are looked for and not checked. `support` is what a judge said, None when none was asked. With `strict` terms,
    unbound and unpaged references count, too, and figures that do not occur.
    """

    memo: str
    documents: tuple[Document, ...]
    findings: tuple[Finding, ...]
    terms: tuple[Finding, ...] = ()
    beyond: tuple[PageReference, ...] = ()
    unpaged: int = 0
    unbound: tuple[PageReference, ...] = ()
    support: tuple[Support, ...] | None = None
    judge: str = ""
    strict: bool = False
    figures: tuple[MemoFigure, ...] = ()

    @property
    def checked(self) -> int:
        """How many quotations decide: without one, nothing was checked."""
        return len(self.findings) + (len(self.terms) if self.strict else 0)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that do not hold and count."""
        terms = self.terms if self.strict else ()
        return tuple(finding for finding in (*self.findings, *terms) if not finding.holds)

    @property
    def missing(self) -> tuple[Finding, ...]:
        """The terms that are in no document; they count with `strict` only."""
        return tuple(term for term in self.terms if not term.holds)

    @property
    def absent_figures(self) -> tuple[MemoFigure, ...]:
        """The figures of the memo's own words that are not in the documents, or not on the named page."""
        return tuple(figure for figure in self.figures if figure.occurs is False)

    @property
    def elided(self) -> tuple[Finding, ...]:
        """The findings that hold, with words left out or put in that a person should read."""
        return tuple(finding for finding in self.findings if finding.outcome == "elided")

    @property
    def ok(self) -> bool:
        """Whether there was something to check and all of it holds."""
        unsupported = [item for item in self.support or () if not item.holds]
        unchecked = self.strict and (self.unpaged or self.unbound or self.absent_figures)
        return bool(self.checked) and not (self.faults or self.beyond or unsupported or unchecked)
