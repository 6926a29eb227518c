"""PDF files: text in reading lines, page labels, outline, and the places of characters on the page (pypdfium2)."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.hidden_reasons import Visibility, visibilities_to_json
from ralph_cli.documents.limits import Layout, LoadLimits
from ralph_cli.documents.parsed import (
    MAX_PASSAGES,
    ParsedAddition,
    ParsedDocument,
    ParsedHeading,
    ParsedPage,
    ParsedTable,
    bound_tables,
    clean_heading,
    clean_label,
)
from ralph_cli.documents.pdf.boxes import Box, line_boxes
from ralph_cli.documents.pdf.content.added_words import find_additions
from ralph_cli.documents.pdf.content.annotations import open_page
from ralph_cli.documents.pdf.content.findings import Findings
from ralph_cli.documents.pdf.content.legibility import (
    classify_textless,
    count_letters,
    differs,
    has_nameless_letters,
    looks_garbled,
)
from ralph_cli.documents.pdf.content.lost_letters import restore_letters
from ralph_cli.documents.pdf.content.unread_print import has_unread_print, may_have_unread_print
from ralph_cli.documents.pdf.damage import ENCRYPTED, damaged_pages, has_damaged_index
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, lay_out
from ralph_cli.documents.pdf.visibility import PageVisibility

_ERROR_SUCCESS, _ERROR_PASSWORD, _ERROR_SECURITY = 0, 4, 5
_XFA_FORMS = (pdfium_c.FORMTYPE_XFA_FULL, pdfium_c.FORMTYPE_XFA_FOREGROUND)
_FEW_LETTERS = 20
_MAX_OUTLINE = 20_000
_OUTLINE_DEPTH = 15


def parse_pdf(
    data: bytes,
    *,
    name: str,
    password: str | None,
    layout: Layout,
    limits: LoadLimits,
    on_progress: Callable[[int, int], None],
) -> ParsedDocument:
    """Read all pages of a PDF; meant to run in a child process, for pdfium may crash on hostile files.

    `on_progress(done, total)` is called before the first and after each page. Raises DocumentError with the codes
    encrypted, wrong-password, damaged, no-text, too-big and unsupported.
    """
    with open_pdf(data, name, password) as document:
        total = len(document)
        if total == 0:
            raise DocumentError(f"{name} has no readable page", code="damaged", hint="get the file again")
        if total > limits.pages:
            raise DocumentError(f"{name} claims {total} pages; the limit is {limits.pages}", code="too-big")
        on_progress(0, total)
        form = document.get_formtype()
        findings = Findings(
            total,
            attached=_attached_names(document),
            is_xfa=form in _XFA_FORMS,
            is_dynamic=form == pdfium_c.FORMTYPE_XFA_FULL,
            is_rebuilt=has_damaged_index(data),
        )
        damaged = _find_damaged_pages(document, data)
        pages: list[ParsedPage] = []
        tables: list[ParsedTable] = []
        additions: list[ParsedAddition] = []
        characters = 0
        for index in range(total):
            text = _page_text(document, index, layout, findings, tables, additions)
            characters += len(text) + 1
            if characters > limits.characters:
                what = f"{name} has more than {limits.characters:,} characters (page {index + 1} of {total})"
                raise DocumentError(what, code="too-big", hint="split the file")
            pages.append(ParsedPage(text, clean_label(_page_label(document, index))))
            on_progress(index + 1, total)
        findings.add_damaged(damaged)
        if refusal := findings.refusal(name, pages[0].text):
            raise refusal
        headings = tuple(_outline(document, pages))
        cautions, added = tuple(findings.cautions()), tuple(additions[:MAX_PASSAGES])
        return ParsedDocument(tuple(pages), headings, cautions, tables=bound_tables(tables), additions=added)


class LaidOutPage:
    """A page whose text was laid out again, so that spans of its text can be found on it.

    Raises DocumentError "changed" when the page does not give the text that was loaded: spans would mean nothing.
    """

    def __init__(self, document: Any, name: str, layout: Layout, number: int, text: str) -> None:
        self.page, _ = open_page(document, number - 1)
        self.text_page = self.page.get_textpage()
        self.layout = restore_letters(self.page, self.text_page, lay_out(self.text_page, layout))
        if _clean(self.layout.text) != text:
            what = f"the text of page {number} of {name} has changed since it was loaded"
            raise DocumentError(what, code="changed", hint="load it again")

    def boxes(self, start: int, end: int) -> list[Box]:
        """One rectangle per line (or per cell, when cells are far apart) of text[start:end]."""
        drawn = [index for index in self.layout.characters[start:end] if index != NOT_A_CHARACTER]
        return line_boxes(self.text_page.raw, drawn)


def check_visibility(
    data: bytes, *, name: str, password: str | None, layout: Layout, pages: list[dict[str, Any]]
) -> bytes:
    """Whether a reader sees these spans of pages {number, text, spans}: one answer a span, in their order, as JSON."""
    found: list[Visibility] = []
    with open_pdf(data, name, password) as document:
        for wanted in pages:
            laid_out = LaidOutPage(document, name, layout, wanted["number"], wanted["text"])
            visibility = PageVisibility(laid_out.page, laid_out.text_page, laid_out.layout)
            found += [visibility.check(start, end) for start, end in wanted["spans"]]
    return visibilities_to_json(found)


@contextmanager
def open_pdf(data: bytes, name: str, password: str | None) -> Iterator[Any]:
    """The PDF in these bytes, closed at the end; DocumentError when it cannot be opened."""
    try:
        document = pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as error:
        raise _open_error(name, getattr(error, "err_code", _ERROR_SUCCESS), password) from None
    try:
        yield document
    finally:
        document.close()


def _open_error(name: str, code: int | None, password: str | None) -> DocumentError:
    if code == _ERROR_PASSWORD and password is None:
        return DocumentError(f"{name} is encrypted", code="encrypted", hint="give its password with --password")
    if code == _ERROR_PASSWORD:
        return DocumentError(f"wrong password for {name}", code="wrong-password", hint="check --password")
    if code == _ERROR_SECURITY:
        return DocumentError(f"{name} is encrypted in a way that is not supported", code="unsupported")
    hint = "get the file again, or repair it: qpdf in.pdf out.pdf"
    return DocumentError(f"{name} is damaged or incomplete and cannot be read as PDF", code="damaged", hint=hint)


def _clean(text: str) -> str:
    """Keep page breaks and lone surrogates out of a page."""
    return text.replace("\f", "\n").encode("utf-8", "replace").decode("utf-8")


def _page_text(
    document: Any,
    index: int,
    layout: Layout,
    findings: Findings,
    tables: list[ParsedTable],
    additions: list[ParsedAddition],
) -> str:
    """Text of one page; what is odd about it goes to `findings`, what it has of tables and additions to those."""
    number = index + 1
    try:
        page, overlay = open_page(document, index)
        with closing(page), closing(page.get_textpage()) as text_page:
            findings.overlays[number] = overlay
            laid_out = lay_out(text_page, layout)
            if differs(laid_out.text, text_page, laid_out.symbols):
                findings.add("differs", number)
            if laid_out.is_vertical:
                findings.add("vertical", number)
            laid_out = restore_letters(page, text_page, laid_out)
            text = _clean(laid_out.text)
            tables += (ParsedTable(index, table) for table in laid_out.tables)
            additions += (ParsedAddition(index, it) for it in find_additions(text_page, laid_out, overlay))
            _examine(page, text_page, text, findings, number)
            return text
    except pypdfium2.PdfiumError:
        findings.add("unloadable", number)
        return ""


def _examine(page: Any, text_page: Any, text: str, findings: Findings, number: int) -> None:
    """Find out of what is seen on a page what its text does not say."""
    letters = count_letters(text)
    amount = sum(letters.values())
    findings.letters += amount
    findings.has_text = findings.has_text or bool(text.strip())
    if amount < _FEW_LETTERS:
        kind = classify_textless(page)
        if not text.strip() or kind == "scan":
            findings.add(kind, number)
            return
    if has_nameless_letters(text):
        findings.add("nameless", number)
    if looks_garbled(text, letters):
        findings.add("garbled", number)
    if may_have_unread_print(page, len(text)) and findings.may_look(number) and has_unread_print(page, text_page):
        findings.add("print", number)


def _find_damaged_pages(document: Any, data: bytes) -> list[int]:
    """The pages of which something cannot be decoded; an encrypted file is looked at in a copy that is not."""
    if ENCRYPTED in data:
        copy = io.BytesIO()
        try:
            document.save(copy, flags=pdfium_c.FPDF_REMOVE_SECURITY)
        except pypdfium2.PdfiumError:
            return []
        data = copy.getvalue()
    return damaged_pages(data, len(document))


def _attached_names(document: Any) -> list[str]:
    """The names of the files that are attached to the document, as the file gives them."""
    try:
        return [document.get_attachment(number).get_name() for number in range(document.count_attachments())]
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return []


def _page_label(document: Any, index: int) -> str:
    try:
        return str(document.get_page_label(index))
    except (UnicodeDecodeError, ValueError):
        return ""


def _outline(document: Any, pages: list[ParsedPage]) -> Iterator[ParsedHeading]:
    """Bookmarks as headings: at the place where their text stands on the page, or at its beginning."""
    try:
        for count, bookmark in enumerate(document.get_toc(max_depth=_OUTLINE_DEPTH)):
            if count >= _MAX_OUTLINE:
                return
            title = clean_heading(bookmark.get_title())
            destination = bookmark.get_dest()
            index = destination.get_index() if destination is not None else None
            if title and index is not None and 0 <= index < len(pages):
                yield ParsedHeading(index, _find_title(title, pages[index].text), title, bookmark.level + 1)
    except (pypdfium2.PdfiumError, UnicodeDecodeError, ValueError):
        return  # an outline is a convenience; a broken one is no reason to refuse the document


def _find_title(title: str, text: str) -> int:
    pattern = r"\s+".join(re.escape(word) for word in title.split())
    found = re.search(pattern, text, re.IGNORECASE)
    return found.start() if found else 0
