"""The document beside an answer: pages as pictures with the places of quotes, or the text around a quote."""

from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from ralph_cli.config import Settings
from ralph_cli.core.document import PAGE_NOUNS, Document, Member
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Label, Page, Span
from ralph_cli.documents.pdf.page_images import PagePicture, draw_page
from ralph_cli.documents.sets.joining import take_member
from ralph_cli.documents.sniff import OCR_KINDS
from ralph_cli.documents.source import DocumentSource
from ralph_cli.reports.safe_text import make_visible, to_json
from ralph_cli.reports.view import describe_place
from ralph_cli.runs.history import RecordedRun
from ralph_cli.runs.report import RunDocument, load_run_document
from ralph_cli.view.catalog import LastUsed

# Documents that are kept in memory, so that turning a page does not read one again.
MOST_DOCUMENTS = 4

# Pictures of pages that are kept in memory.
MOST_PICTURES = 48

# Characters before and after a quote that are shown of a document without pages.
REACH = 4_000

# Characters of a page that is shown as text, at most.
MOST_CHARACTERS = 60_000

Values = dict[str, Any]
# Left, top, right and bottom of a line, as shares of the page's width and height.
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page: its place in words, and its text or its picture.

    `lines` are the lines of quotes by their ids, `cells` those of the claims' figures by their places in the text.
    """

    place: str
    text: str = ""
    picture: PagePicture | None = None
    lines: dict[int, list[Box]] = field(default_factory=dict)
    cells: dict[str, list[Box]] = field(default_factory=dict)


class DocumentViewer:
    """Opens the documents of runs, and draws their pages."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._documents = LastUsed[str, RunDocument](MOST_DOCUMENTS)
        self._pictures = LastUsed[tuple[str, int, tuple[Quote | Label, ...]], ShownPage](MOST_PICTURES)

    def list_quotes(self, run: RecordedRun) -> Values:
        """Return the quotes of a run with their pages; `missing` says why there is no document."""
        opened = self._open(run)
        document = opened.document
        quotes = []
        for quote in (*run.view.quotes, *run.view.found_passages):
            page = document.page_at(quote.start).number if document and _is_there(document, quote) else 0
            place = make_visible(describe_place(quote, paged=run.view.paged))
            drawn = bool(page and document and _is_drawn(document, page))
            quotes.append({"id": quote.id, "page": page, "place": place, "drawn": drawn})
        pages = len(document.pages) if document else 0
        one = bool(document and not document.members)
        return {
            "quotes": quotes,
            "pages": pages,
            "one": one,
            "missing": make_visible(_explain_missing(run, opened.missing)),
        }

    def show_page(self, run: RecordedRun, number: int) -> ShownPage | None:
        """Return a page, counted through all documents of a set, or None. Pages of a PDF are drawn.

        Raises DocumentError if it cannot be drawn.
        """
        opened = self._open(run)
        document = opened.document
        if document is None or not 1 <= number <= len(document.pages):
            return None
        quotes = (*run.view.quotes, *run.view.found_passages)
        figures = chain(run.view.figures, *(item.figures for item in run.view.claims))
        tokens = tuple(figure.token for figure in figures if figure.token)
        marked: tuple[Quote | Label, ...] = (*quotes, *tokens)
        key = document.sha256, number, marked  # they change while a run works
        known = self._pictures.get(key)
        return known or self._pictures.keep(key, _show(document, number, marked, opened.source))

    def show_words(self, run: RecordedRun, number: int) -> Values | None:
        """Return the quote of that number with the text around it, in three parts; None without quote or document."""
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
        # Many runs may be about one document, such as those of a row of a table.
        key = to_json(run.view.document)
        if known := self._documents.get(key):
            return known
        try:
            opened = load_run_document(run, self._settings)
        except DocumentError as error:
            return RunDocument(missing=error.message)
        # A missing document may come back.
        return opened if opened.document is None else self._documents.keep(key, opened)


def _explain_missing(run: RecordedRun, missing: str) -> str:
    """Say why there is no document, and what to do if its path was relative to where the run was made."""
    if not missing:
        return ""
    missing = f"{missing}. The quotes are shown as they were recorded."
    if Path(str(run.view.document.get("path", ""))).is_absolute():
        return missing
    return f"{missing} If its path is relative, start `ralph view` in the folder where the run was made."


def _is_there(document: Document, quote: Quote) -> bool:
    return document.text[quote.start : quote.end] == quote.text


def _member_at(document: Document, number: int) -> Member | None:
    """Return the document of a set that a page belongs to."""
    return next((member for member in document.members if member.first_page <= number <= member.last_page), None)


def _is_drawn(document: Document, number: int) -> bool:
    member = _member_at(document, number)
    return (member.kind if member else document.kind) in OCR_KINDS


def _name_page(document: Document, page: Page, member: Member | None) -> str:
    """Return the number of a page, of how many, with its printed label; for a file without pages its name."""
    kind, pages = (member.kind, member.pages) if member else (document.kind, len(document.pages))
    name = member.name if member else Path(document.path).name
    if pages == 1 and kind not in PAGE_NOUNS:
        return name
    own, noun = document.own_number(page), PAGE_NOUNS.get(kind, "page")
    label = "" if page.label in ("", str(own)) else f" (printed {page.label})" if noun == "page" else f" ({page.label})"
    return f"{f'{name}, ' if member else ''}{noun} {own} of {pages}{label}"


def _show(
    document: Document, number: int, marked: tuple[Quote | Label, ...], source: DocumentSource | None
) -> ShownPage:
    """Return a page with the places of what is `marked` on it."""
    page, member = document.pages[number - 1], _member_at(document, number)
    own, offset = document.own_number(page), member.start if member else 0
    place = make_visible(_name_page(document, page, member))
    if not _is_drawn(document, number):
        return ShownPage(place, make_visible(document.text[page.start : page.end][:MOST_CHARACTERS]))
    whole = document
    if member is not None:
        document, source = take_member(document, member), (source or DocumentSource(document.path)).of_member(member)
    start, end = page.start - offset, page.end - offset
    here = [it for it in marked if it.start < page.end and page.start < it.end]
    here = [it for it in here if isinstance(it, Label) or _is_there(whole, it)]
    spans = [Span(max(it.start - offset, start), min(it.end - offset, end)) for it in here]
    picture = draw_page(document, own, spans, source=source)
    shown = ShownPage(place, picture=picture)
    for it, found in zip(here, picture.lines, strict=True):
        boxes = [
            (left / picture.width, top / picture.height, right / picture.width, bottom / picture.height)
            for left, top, right, bottom in found
        ]
        if isinstance(it, Quote):
            shown.lines[it.id] = boxes
        else:
            shown.cells[f"{it.start}-{it.end}"] = boxes
    return shown
