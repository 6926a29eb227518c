"""Renders the evidence as CSV: one row for each claim and quote, and no cell that a spreadsheet reads as a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from ralph_cli.core.run import FigureSource, Passage, Quote, StopType
from ralph_cli.reports.report import Report
from ralph_cli.reports.safe_text import escape_cell, make_visible
from ralph_cli.reports.sections import absence
from ralph_cli.reports.sections.documents import describe_pages, place_values
from ralph_cli.reports.sections.opinions import describe_reservations
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.reports.view import TIER_NAMES, ClaimView, describe_place
from ralph_cli.text.figure_lines import describe_source

RUN_COLUMNS = ("run", "question", "document", "sha256", "stop")
CLAIM_COLUMNS = ("claim", "claim_text", "verdict", "reason", "judge", "calculations", "figures")
QUOTE_COLUMNS = ("quote", "bearing", "bearing_reason", "quote_text", "place")
PAGE_COLUMNS = ("page", "last_page", "printed", "start", "end")
MATCH_COLUMNS = ("match", "ocr", "difference", "occurrences", "said")
SEARCH_COLUMNS = ("searched", "places")
END_COLUMNS = ("pages_read", "reviews")
COLUMNS = (*RUN_COLUMNS, *CLAIM_COLUMNS, *QUOTE_COLUMNS, *PAGE_COLUMNS, *MATCH_COLUMNS, *SEARCH_COLUMNS, *END_COLUMNS)

NO_CLAIM = ("",) * len(CLAIM_COLUMNS)
NO_MATCH = ("",) * len(MATCH_COLUMNS)
NO_QUOTE = ("",) * (len(QUOTE_COLUMNS) + len(PAGE_COLUMNS)) + NO_MATCH
NO_SEARCH = ("",) * len(SEARCH_COLUMNS)

ABSENT = "not in the document"


def csv_report(report: Report) -> str:
    """The evidence as CSV (RFC 4180) with a byte order mark, by which spreadsheets recognise UTF-8.

    Claims without quotes and quotes without a claim also have a row. `verdict` is the judge's verdict, followed by
    figures that code could not confirm and quotes that limit or contradict the claim ("supported, 39 % unconfirmed,
    qualified by [7]"). `bearing` is what the judge says of the quote for this claim (supports, partly, unrelated,
    against), or what the search for limits says (qualifies, contradicts). `place` is where the words are, as the format
    counts places; in a set it names the document. Pages are those of the document; they are empty in formats without
    pages. `start` and `end` are half-open offsets in the text. An absence has a row for each search (`searched`, with
    its number of `places`) and for each of the passages nearest to the question (`bearing` is "nearest", followed by
    the question's words in it). `ocr` is the lowest confidence, 0 to 100, of words that OCR read. `pages_read` are the
    pages of which a model was shown something; empty if that was not recorded. `reviews` are later reviews by people.
    """
    run, pages_read = _run_cells(report), _pages_read(report)
    reviews = "; ".join(describe_reviews(report.view.reviews))
    rows = (*_quote_rows(report), *_absence_rows(report))
    return write_csv([COLUMNS, *((*run, *row, pages_read, reviews) for row in rows)])


def write_csv(rows: Iterable[Iterable[str | int]]) -> str:
    """The rows as CSV (RFC 4180) with a byte order mark, by which spreadsheets recognise UTF-8."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows([cell(value) for value in row] for row in rows)
    return "\ufeff" + out.getvalue()


def cell(value: str | int) -> str:
    """A value as a cell that no spreadsheet reads as a formula."""
    return escape_cell(make_visible(str(value)))


def _quote_rows(report: Report) -> Iterator[tuple[str | int, ...]]:
    """The rows of claims and quotes, without the cells that all rows share."""
    view = report.view
    for item in view.claims:
        against = {found.quote for found in item.qualifications}
        passages = [quote for quote in view.found_passages if quote.id in against]
        for quote in (*(item.quotes or (None,)), *passages):
            of_output = [figure for figure in view.figures if quote and figure.quote == quote.id]
            yield *_claim_cells(item, of_output), *_quote_cells(report, item, quote), *NO_SEARCH
    for quote in view.quotes:
        if not report.claims_of(quote):
            yield *NO_CLAIM, *_quote_cells(report, None, quote), *NO_SEARCH


def _claim_cells(item: ClaimView, of_output: Sequence[FigureSource]) -> tuple[str | int, ...]:
    ruling = item.ruling
    judged = (ruling.reason, ruling.judge) if ruling else ("", "")
    verdict = ", ".join((item.verdict, *describe_reservations(item)))
    figures = "; ".join(map(describe_source, (*item.figures, *of_output)))
    return item.claim.id, item.claim.text, verdict, *judged, "; ".join(item.claim.calculations), figures


def _run_cells(report: Report) -> tuple[str, ...]:
    view = report.view
    digest = str(view.document.get("sha256", ""))
    return view.run, view.question, report.document_name, digest, view.halt.type.value


def _absence_rows(report: Report) -> Iterator[tuple[str | int, ...]]:
    """The rows of an absence, without the cells that all rows share: one for each search (at least one row), and one
    for each nearest passage.
    """
    view = report.view
    if view.absence is None:
        return
    verdict = ABSENT if view.halt.type is StopType.ABSENT else f"{ABSENT}, not accepted"
    if view.has_no_reader:
        verdict = "no passage found"
    first_cells = ("", "", verdict, view.absence, *("",) * (len(CLAIM_COLUMNS) - 4))
    for search in view.searches:
        yield *first_cells, *NO_QUOTE, absence.describe_term(search), absence.describe_hits(search)
    if not view.searches:
        yield *first_cells, *NO_QUOTE, *NO_SEARCH
    for near in view.nearest:
        pages = _page_cells(report, near)
        words = ("nearest", ", ".join(near.words), near.text.replace("\f", "\n"), _place(report, near))
        yield *first_cells, "", *words, *pages, near.start, near.end, *NO_MATCH, *NO_SEARCH


def _pages_read(report: Report) -> str:
    pages = report.view.coverage.shown_pages if report.view.coverage and report.view.paged else ()
    return describe_pages(pages, len(pages), report.view.document) if pages else ""


def _place(report: Report, item: Quote | Passage) -> str:
    return describe_place(item, paged=report.view.paged)


def _page_cells(report: Report, item: Quote | Passage) -> tuple[str | int, ...]:
    values = place_values(item, report.view.document, paged=report.view.paged)
    return tuple("" if values[name] is None else values[name] for name in ("page", "last_page", "label"))


def _quote_cells(report: Report, item: ClaimView | None, quote: Quote | None) -> tuple[str | int, ...]:
    if quote is None:
        return NO_QUOTE
    text, pages = quote.text.replace("\f", "\n"), _page_cells(report, quote)
    confidence = "" if quote.ocr is None else quote.ocr
    found = (TIER_NAMES[quote.match], confidence, "; ".join(quote.difference), quote.occurrences, quote.said)
    return quote.id, *_bearing(item, quote), text, _place(report, quote), *pages, quote.start, quote.end, *found


def _bearing(item: ClaimView | None, quote: Quote) -> tuple[str, str]:
    """The bearing of a quote on a claim, and the reason; empty if nobody gave one."""
    if item is None:
        return "", ""
    for judged in item.ruling.quotes if item.ruling else ():
        if judged.quote == quote.id:
            return judged.bearing, judged.reason
    for found in item.qualifications:
        if found.quote == quote.id:
            return found.effect, found.reason
    return "", ""
