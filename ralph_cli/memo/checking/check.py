"""Verifies a memo's quotations: whether the words are in the documents, and on the page that the memo names.

Words that are not there are "altered" if the document has anything like them, or has them in two pieces; else "not
found".
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from ralph_cli.checks.figures.cells import find_cell
from ralph_cli.checks.quotes import HiddenReasonLookup, quote_at
from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import ClosestText, Finding, Memo, MemoCheck, MemoFigure, Quotation, QuotationOutcome
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Page, Span
from ralph_cli.documents.structure.running_lines import with_printed_numbers
from ralph_cli.memo.checking.elisions import TIER_RANKS, display_text, parse_elisions
from ralph_cli.memo.checking.naming import DocumentNames
from ralph_cli.memo.checking.source import TRAILING, Hit, Source, describe_splice, quoted_excerpt
from ralph_cli.memo.reading.page_references import is_in_document, page_match
from ralph_cli.text.fold import fold
from ralph_cli.text.languages.documents import read_in_english

# A closest text with this score shows by itself what was changed.
CLOSE_SCORE = 92.0

MAX_PAGES_NAMED = 5
# The most rows of tables that are named for a figure.
MAX_ROWS_NAMED = 3


def check_quotations(memo: Memo, name: str, documents: Sequence[Document], *, strict: bool = False) -> MemoCheck:
    """Look up every quotation, page reference and figure of a memo in the documents. Of several results the best
    counts.
    """
    documents = list(map(with_printed_numbers, documents))
    sources = [Source(number, document) for number, document in enumerate(documents)]
    names = DocumentNames(documents)
    found = [_finding(number, quotation, sources, names) for number, quotation in enumerate(memo.quotations, 1)]
    unpaged = sum(
        finding.holds and finding.quotation.reference is not None and not documents[finding.document or 0].paged
        for finding in found
    )
    paged = [document for document in documents if document.paged]
    inside = memo.references
    if paged:
        inside = tuple(item for item in inside if any(is_in_document(item, document) for document in paged))
    quotations = tuple(finding for finding in found if finding.quotation.form != "term")
    terms = tuple(finding for finding in found if finding.quotation.form == "term")
    beyond = tuple(reference for reference in memo.references if reference not in inside)
    figures = look_up_figures(memo.figures, documents)
    return MemoCheck(name, tuple(documents), quotations, terms, beyond, unpaged, inside, strict=strict, figures=figures)


def _finding(number: int, quotation: Quotation, sources: Sequence[Source], names: DocumentNames) -> Finding:
    """The finding on a quotation: in the document that the memo names, or the best of all documents."""
    if not quotation.closed:
        return Finding(quotation, "unclosed")
    named = names.named(quotation)
    if named is None:
        return _finding_in(number, quotation, sources)
    name, meant = named
    found = _finding_in(number, quotation, [source for source in sources if source.number in meant])
    if found.holds or quotation.form == "term":
        return found if found.holds else _finding_in(number, quotation, sources)
    elsewhere = _finding_in(number, quotation, [source for source in sources if source.number not in meant])
    note = f"the memo names {name}" + ("" if meant else ", which is none of the documents that were given")
    if elsewhere.holds:
        return replace(elsewhere, outcome="wrong-document", notes=(*elsewhere.notes, note))
    return found if meant else replace(elsewhere, notes=(*elsewhere.notes, note))


def _finding_in(number: int, quotation: Quotation, sources: Sequence[Source]) -> Finding:
    """The best finding on a quotation in these documents."""
    held: list[Finding] = []
    for words in (quotation.words, *quotation.readings):
        read = replace(quotation, words=words)
        held += [_finding_for_hit(number, read, source, hit) for source in sources if (hit := _find(read, source))]
        if any(finding.outcome != "altered" for finding in held):
            break
    if held:
        best = min(held, key=_finding_rank)
        others = [finding for finding in held if finding is not best and finding.quote]
        return replace(best, also=tuple(finding.document for finding in others if finding.document is not None))
    return _term_finding(quotation, sources) if quotation.form == "term" else _missing_finding(quotation, sources)


def _find(quotation: Quotation, source: Source) -> Hit | None:
    """The place of the words in one document; on the page that the memo names, if they are there."""
    return source.find(quotation.words, partial(_is_on_named_page, quotation, source.document))


def _is_on_named_page(quotation: Quotation, document: Document, span: Span) -> bool:
    """Whether a place is on the page that the memo names."""
    reference = quotation.reference
    if reference is None or not document.paged:
        return False
    return any(page_match(reference, page) for page in _pages_of(document, span))


def _finding_rank(finding: Finding) -> tuple[bool, bool, int]:
    """The rank of a finding, the least is best: words that are not altered, on the right page, as they are written."""
    tier = TIER_RANKS.index(finding.quote.match) if finding.quote else len(TIER_RANKS)
    return finding.outcome == "altered", finding.outcome == "wrong-page", tier


def _finding_for_hit(number: int, quotation: Quotation, source: Source, hit: Hit) -> Finding:
    """The finding for words that were found: checks the named page, and that gaps and brackets change no meaning."""
    document, reference, match = source.document, quotation.reference, hit.match
    places = [(span, page) for span in match.occurrences for page in _pages_of(document, span)]
    listed = tuple(dict.fromkeys((page.number, page.label) for _, page in places))[:MAX_PAGES_NAMED]
    span, how = match.occurrences[0], None
    if hit.meaning_change is not None:
        memo_words, document_words = hit.meaning_change
        near = source.passage(span, (f"{memo_words} -> {document_words or '(nothing)'}",))
        return Finding(quotation, "altered", document=source.number, nearest=near, pages=listed, notes=hit.notes)
    outcome: QuotationOutcome = match.tier
    if reference is not None and document.paged:
        right = [(span, how) for span, page in places if (how := page_match(reference, page))]
        # A page with this number that also prints it is what everybody means; next comes the file's own number.
        ranks = ("both", "number", "label")
        span, how = min(right, key=lambda pair: ranks.index(pair[1]), default=(span, None))
        outcome = outcome if right else "wrong-page"
    quote, where = quote_at(document, span, number, match, quotation.words, hit.notes), source.describe_place(span)
    return Finding(quotation, outcome, quote, source.number, (), None, listed, how, hit.notes, where)


def _pages_of(document: Document, span: Span) -> Iterator[Page]:
    first, last = document.page_at(span.start).number, document.page_at(span.end - 1).number
    return iter(document.pages[first - 1 : last])


def _term_finding(quotation: Quotation, sources: Sequence[Source]) -> Finding:
    """The finding on a term, which may be found in upper or lower case."""
    wanted = fold(quotation.words).text.strip(TRAILING).casefold()
    word = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
    for source in sources:
        if wanted and word.search(source.lower):
            return Finding(quotation, "folded", document=source.number, notes=("found with different capitalization",))
    return Finding(quotation, "not-found")


def _missing_finding(quotation: Quotation, sources: Sequence[Source]) -> Finding:
    """The finding on words that are not there: "altered" with the closest text, else "not-found"."""
    wanted = parse_elisions(quotation.words)
    parts = tuple(map(display_text, wanted.parts)) if wanted else (quotation.words,)
    if len(parts) > 1:
        for source in sources:
            hits = [hit for part in parts if (hit := source.find(part))]
            if len(hits) == len(parts):
                return _scattered_finding(quotation, source, hits)
        # The missing part tells more than the whole.
        parts = tuple(part for part in parts if not any(source.find(part) for source in sources)) or parts
    longest = max(parts, key=len).rstrip(TRAILING)
    notes = [f"the part that was not found: {quoted_excerpt(longest)}"] if wanted and longest != quotation.words else []
    notes += _mixed_alphabet_notes(longest)
    best, number = _closest(quotation, longest, sources)
    splice = describe_splice(longest, sources) if best is None or best.score < CLOSE_SCORE else None
    notes += [splice] if splice else []
    if best is None:
        return Finding(quotation, "altered" if splice else "not-found", notes=tuple(notes))
    notes += [best.unsure] if best.unsure else []
    return Finding(quotation, "altered", document=number, nearest=best, notes=tuple(notes))


def _closest(quotation: Quotation, words: str, sources: Sequence[Source]) -> tuple[ClosestText | None, int]:
    """The text closest to the words, and the number of its document."""
    near = [
        (near, source.number)
        for source in sources
        if (near := source.nearest(words, partial(_is_on_named_page, quotation, source.document)))
    ]
    return max(near, key=lambda pair: pair[0].score, default=(None, 0))


def _mixed_alphabet_notes(words: str) -> Iterator[str]:
    """A note for each word that mixes letters of several alphabets: a reader would not see what is wrong with it."""
    for word in words.split():
        scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in word if letter.isalpha()}
        if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK"}:
            odd = next(letter for letter in word if unicodedata.name(letter, "").startswith(("CYRILLIC", "GREEK")))
            yield f"{word} contains a letter of another alphabet: {unicodedata.name(odd).capitalize()}"


def _scattered_finding(quotation: Quotation, source: Source, hits: Sequence[Hit]) -> Finding:
    """The finding on parts that are all there, but far apart or in another order."""
    pages = [source.document.page_at(hit.match.occurrences[0].start) for hit in hits]
    where = ", ".join(f"p. {page.number}" for page in pages) if source.document.paged else "far apart"
    note = f"its parts are not close together in this order ({where})"
    listed = tuple(dict.fromkeys((page.number, page.label) for page in pages))
    return Finding(quotation, "altered", document=source.number, pages=listed[:MAX_PAGES_NAMED], notes=(note,))


_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def look_up_figures(figures: Sequence[MemoFigure], documents: Sequence[Document]) -> tuple[MemoFigure, ...]:
    """The figures, each with whether it occurs on the page that its sentence names (else anywhere), and its rows."""
    if not figures:
        return ()
    pages = [(document, page, _numbers(document, page)) for document in documents for page in document.pages]

    def look_up(figure: MemoFigure) -> MemoFigure:
        reference = figure.reference
        if reference is not None and any(document.paged for document in documents):
            named = [(d, page, numbers) for d, page, numbers in pages if d.paged and page_match(reference, page)]
        else:
            named = pages
        if figure.number[:1].isdigit():
            found = [(document, page) for document, page, numbers in named if figure.number in numbers]
            rows = chain.from_iterable(_rows_with(figure.number, document, page) for document, page in found)
            return replace(figure, occurs=bool(found), rows=tuple(islice(rows, MAX_ROWS_NAMED)))
        words = " ".join(figure.number.casefold().split())
        occurs = any(words in " ".join(d.text[p.start : p.end].casefold().split()) for d, p, _ in named)
        return replace(figure, occurs=occurs)

    return tuple(map(look_up, figures))


def _rows_with(number: str, document: Document, page: Page) -> Iterator[str]:
    """The rows and columns of a page's tables that contain a number, in words."""
    english = document.derive(read_in_english).document.text
    for match in _NUMBER.finditer(english, page.start, page.end):
        place = find_cell(document, match.start()) if match[0].replace(",", "") == number else None
        if place is not None:
            table, cell = place
            row = " > ".join(document.row_path(table, cell.row)) or "row without a label"
            column = " > ".join(document.column_path(table, cell.column, cell.last)) or "column without a name"
            yield f"{document.name_page(page)}: {row} | {column}"


def _numbers(document: Document, page: Page) -> frozenset[str]:
    """The numbers of a page, as English writes them and as the document does."""
    english = document.derive(read_in_english).document.text
    return frozenset(chain.from_iterable(_plain(text[page.start : page.end]) for text in (english, document.text)))


def _plain(text: str) -> Iterator[str]:
    """The numbers of a text without the commas between their digits."""
    return (match[0].replace(",", "") for match in _NUMBER.finditer(text))


# The most other places of hidden words that are looked at.
MAX_OTHER_PLACES = 10


def check_visibility(
    check: MemoCheck, lookups: Sequence[HiddenReasonLookup], *, hidden_allowed: bool = False
) -> MemoCheck:
    """Mark the findings whose words a reader cannot see. They do not hold, unless `hidden_allowed`.

    `lookups` has a function for each document of the check; each gets all spans of its document at once.
    """
    hidden: dict[tuple[int | None, Span], str] = {}
    for number, look_up in enumerate(lookups):
        findings = [finding for finding in (*check.findings, *check.terms) if finding.document == number]
        quotes = [finding.quote for finding in findings if finding.holds and finding.quote]
        reasons = dict(look_up([_span(quote) for quote in quotes]))
        others = [span for quote in quotes if reasons[_span(quote)] for span in _other_spans(quote)]
        unknown = [span for span in others if span not in reasons]
        reasons |= look_up(unknown) if unknown else {}
        hidden |= {(number, span): why for span, why in reasons.items()}

    def apply(finding: Finding) -> Finding:
        quote, number = finding.quote, finding.document
        why = hidden.get((number, _span(quote)), "") if quote else ""
        if quote is None or not why:
            return finding
        elsewhere = any(not hidden.get((number, span), "unknown") for span in _other_spans(quote))
        note = f"hidden from readers there: {why}" + ("; it is visible elsewhere" if elsewhere else "")
        outcome = finding.outcome if hidden_allowed or elsewhere else "hidden"
        return replace(finding, outcome=outcome, quote=replace(quote, hidden=why), notes=(*finding.notes, note))

    return replace(check, findings=tuple(map(apply, check.findings)), terms=tuple(map(apply, check.terms)))


def _span(quote: Quote) -> Span:
    return Span(quote.start, quote.end)


def _other_spans(quote: Quote) -> list[Span]:
    return [Span(*place) for place in quote.places if place != (quote.start, quote.end)][:MAX_OTHER_PLACES]
