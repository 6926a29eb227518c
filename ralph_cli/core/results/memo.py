"""The values of a memo that is checked against documents: quotation, page reference, finding, the check as a whole."""

from dataclasses import dataclass
from typing import Literal

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote, Ruling

# The result for a quotation. The first four hold (see `Tier`); a person should read the omitted words of an elided one.
# Altered: similar to the document's words; wrong-document: the words are in another document than the memo names;
# unclosed: a quotation mark without a partner, so that the extent of the quotation is unknown; hidden: the document's
# words, but invisible to a reader of its pages.
QuotationOutcome = Literal[
    "exact", "folded", "recut", "elided", "altered", "wrong-page", "wrong-document", "not-found", "unclosed", "hidden"
]

HOLDING_OUTCOMES: frozenset[QuotationOutcome] = frozenset(("exact", "folded", "recut", "elided"))


@dataclass(frozen=True, slots=True)
class PageReference:
    """The pages that a memo names. `text` is as in the memo: "pp. 12-13" is (("12", "13"),), "p. iv" is (("iv",
    "iv"),).

    `line` is its line in the memo, from 1; `start` and `end` are offsets in the memo; `place` tells a reader where it
    is.
    """

    text: str
    ranges: tuple[tuple[str, str], ...]
    line: int
    start: int
    end: int
    place: str = ""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that a memo presents as a quotation, between `start` and `end` of its text, including the marks.

    `words` are without quotation and emphasis marks. `readings` are other possible words, longest first, if an
    apostrophe might also close the quotation. `form` is "marks", "block" or "term" (a few words that may only be a
    name). `place` tells a reader where it is ("line 12"). `sentence` is the sentence that contains it, and `citation`
    the adjacent statement of its source.
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
    """An amount in the memo's own words, outside every quotation, so that it has no quote.

    `place` tells a reader where it is. `reference` is the page that its sentence names, unless a quotation uses that
    page. `number` is its digits, or the words that spell it. `occurs` says whether it occurs in the documents as
    written (on the named page, if any); it is None before the search. An occurrence does not prove that the number is
    right, so `rows` has the table rows and columns where it occurs, for a reader to compare.
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
    """A memo's quotations, page references that belong to no quotation, and figures, each in order."""

    quotations: tuple[Quotation, ...]
    references: tuple[PageReference, ...]
    figures: tuple[MemoFigure, ...] = ()


@dataclass(frozen=True, slots=True)
class ClosestText:
    """Document text similar to a quotation (`score` 75 to 100). `differing` lists the words that differ.

    `where` is its location in words: a page, or a line and heading in documents without pages. If the words were read
    by OCR, `ocr` is their lowest confidence, 0 to 100, and `unsure` says which of them may be wrong.
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
    """The result for one quotation.

    `document` is the index of the document that contains `quote` or `nearest`; `also` are indices of further documents
    that contain the quotation. `pages` are the (number, printed label) of the words' pages, first positions first.
    `matched` says whether the page reference agrees with the page's number in the file, its printed label, or both; it
    is None if there is no reference, it is wrong, or the document has no pages. `where` is the location of `quote` in
    words; `notes` are for the reader.
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
        """Whether the words are the document's, and are on the named page."""
        return self.outcome in HOLDING_OUTCOMES

    @property
    def passage(self) -> Quote | ClosestText | None:
        """The document's words to show next to the quotation: the most similar words if they differ, otherwise the
        quote.
        """
        return self.nearest or self.quote


@dataclass(frozen=True, slots=True)
class Support:
    """A judge's ruling on a sentence of the memo and the passages that it quotes; `ruling` is None if the judge
    failed.
    """

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
    """A memo checked against documents: the finding on each quotation, in the memo's order.

    `terms` are the findings on words too short to count as quotations. `beyond` are page references past the last page
    of every document. `unbound` are references that belong to no quotation, so they could not be checked. `unpaged`
    counts references to documents without pages, which cannot be checked. `figures` are those of the memo's own words,
    which are searched for but not checked. `support` has the judge's rulings; it is None if no judge was asked. With
    `strict`, terms, unbound and unpaged references and missing figures count, too.
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
        """The number of quotations that count. If it is 0, nothing was checked."""
        return len(self.findings) + (len(self.terms) if self.strict else 0)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that count and do not hold."""
        terms = self.terms if self.strict else ()
        return tuple(finding for finding in (*self.findings, *terms) if not finding.holds)

    @property
    def missing(self) -> tuple[Finding, ...]:
        """The terms that are in no document. They count only with `strict`."""
        return tuple(term for term in self.terms if not term.holds)

    @property
    def absent_figures(self) -> tuple[MemoFigure, ...]:
        """The figures of the memo's own words that are not in the documents, or not on the named page."""
        return tuple(figure for figure in self.figures if figure.occurs is False)

    @property
    def elided(self) -> tuple[Finding, ...]:
        """The findings that hold, but with words omitted or inserted that a person should read."""
        return tuple(finding for finding in self.findings if finding.outcome == "elided")

    @property
    def ok(self) -> bool:
        """Whether something was checked and all of it holds."""
        unsupported = [item for item in self.support or () if not item.holds]
        unchecked = self.strict and (self.unpaged or self.unbound or self.absent_figures)
        return bool(self.checked) and not (self.faults or self.beyond or unsupported or unchecked)
