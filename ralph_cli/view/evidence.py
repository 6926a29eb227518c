"""The document beside an answer: pages of a PDF as pictures with the places of quotes, or the words around a quote."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from ralph_cli.config import Settings
from ralph_cli.core.document import Document, Span
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.run import Quote
from ralph_cli.documents.pages import split_by_file
from ralph_cli.documents.pdf.page_images import PagePicture, draw_page
from ralph_cli.documents.sniff import OCR_KINDS
from ralph_cli.documents.source import DocumentSource
from ralph_cli.reports.safe_text import make_visible
from ralph_cli.reports.view import describe_place
from ralph_cli.runs.history import RecordedRun
from ralph_cli.runs.report import RunDocument, load_run_document

MOST_DOCUMENTS, MOST_PICTURES = 4, 48
"""How many are held, so that turning a page does not read a document again."""

REACH = 4_000
"""Characters that are shown on each side of a quote in a document without pages."""

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page that was drawn: its picture, and by quote its lines in shares of width and height."""

    picture: PagePicture
    lines: dict[int, list[tuple[float, float, float, float]]]


class DocumentViewer:
    """Opens the documents of runs as reports do, and draws their pages."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._documents: OrderedDict[tuple[str, str], RunDocument] = OrderedDict()
        self._pictures: OrderedDict[tuple[str, str, int], ShownPage] = OrderedDict()
        self._lock = threading.Lock()

    def list_quotes(self, run: RecordedRun) -> Values:
        """The quotes of a run with the page each is on, of how many; `missing` says why there is no document."""
        opened = self._open(run)
        document = opened.document
        quotes = []
        for quote in (*run.view.quotes, *run.view.found_passages):
            page = document.page_at(quote.start).number if document and _is_there(document, quote) else 0
            place = make_visible(describe_place(quote, paged=run.view.paged))
            drawn = bool(page and document and _is_drawn(document, quote.start))
            quotes.append({"id": quote.id, "page": page, "place": place, "drawn": drawn})
        pages = len(document.pages) if document and document.kind != "text" else 0
        return {"quotes": quotes, "pages": pages, "missing": make_visible(opened.missing)}

    def show_page(self, run: RecordedRun, number: int) -> ShownPage | None:
        """A page of a PDF, counted through all documents of a set; None if there is no such page, or no picture of it.

        Raises DocumentError when it cannot be drawn.
        """
        opened = self._open(run)
        document = opened.document
        if document is None or not 1 <= number <= len(document.pages):
            return None
        key = run.view.run, document.sha256, number
        with self._lock:
            if known := self._pictures.get(key):
                self._pictures.move_to_end(key)
                return known
        shown = _draw(document, number, (*run.view.quotes, *run.view.found_passages), opened.source)
        if shown is not None:
            with self._lock:
                self._pictures[key] = shown
                while len(self._pictures) > MOST_PICTURES:
                    self._pictures.popitem(last=False)
        return shown

    def show_words(self, run: RecordedRun, number: int) -> Values | None:
        """The words around the quote of that number, in three parts; None if there is no such quote, or no document."""
        document = self._open(run).document
        quotes = (*run.view.quotes, *run.view.found_passages)
        quote = next((quote for quote in quotes if quote.id == number), None)
        if document is None or quote is None or not _is_there(document, quote):
            return None
        start, end = max(quote.start - REACH, 0), min(quote.end + REACH, len(document.text))
        text = document.text
        parts = text[start : quote.start], quote.text, text[quote.end : end]
        return dict(zip(("before", "quoted", "after"), map(make_visible, parts), strict=True))

    def _open(self, run: RecordedRun) -> RunDocument:
        key = run.view.folder, str(run.view.document.get("sha256", ""))
        with self._lock:
            if known := self._documents.get(key):
                self._documents.move_to_end(key)
                return known
        try:
            opened = load_run_document(run, self._settings)
        except DocumentError as error:
            opened = RunDocument(missing=error.message)
        with self._lock:
            self._documents[key] = opened
            while len(self._documents) > MOST_DOCUMENTS:
                self._documents.popitem(last=False)
        return opened


def _is_there(document: Document, quote: Quote) -> bool:
    return document.text[quote.start : quote.end] == quote.text


def _is_drawn(document: Document, start: int) -> bool:
    part = next(split_by_file(document, [Span(start, start + 1)]), None)
    return part is not None and part.document.kind in OCR_KINDS


def _draw(
    document: Document, number: int, quotes: tuple[Quote, ...], source: DocumentSource | None
) -> ShownPage | None:
    """The page, drawn from the file that it is of."""
    page = document.pages[number - 1]
    part = next(split_by_file(document, [Span(page.start, page.start + 1)], source), None)
    if part is None or not part.spans or part.document.kind not in OCR_KINDS:
        return None
    offset = page.start - part.spans[0].start
    own = part.document.page_at(part.spans[0].start)
    here = [
        quote for quote in quotes if quote.start < page.end and page.start < quote.end and _is_there(document, quote)
    ]
    spans = [Span(max(quote.start, page.start) - offset, min(quote.end, page.end) - offset) for quote in here]
    picture = draw_page(part.document, own.number, spans, source=part.source)
    lines = {
        quote.id: [
            (left / picture.width, top / picture.height, right / picture.width, bottom / picture.height)
            for left, top, right, bottom in found
        ]
        for quote, found in zip(here, picture.lines, strict=True)
    }
    return ShownPage(picture, lines)
