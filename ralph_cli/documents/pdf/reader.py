"""Read PDF files: text in reading lines, page labels, outline, and positions of characters on the page (pypdfium2)."""

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Heading
from ralph_cli.documents.limits import Layout, LoadLimits
from ralph_cli.documents.parsed import ParsedDocument, clean_heading, join_parts
from ralph_cli.documents.pdf.boxes import Box, join_boxes, loose_box
from ralph_cli.documents.pdf.content.annotations import open_page
from ralph_cli.documents.pdf.content.findings import Findings
from ralph_cli.documents.pdf.content.lost_letters import restore_letters
from ralph_cli.documents.pdf.content.missing_fonts import Boxes, PdfFile, is_blank
from ralph_cli.documents.pdf.content.unread_print import has_unread_print
from ralph_cli.documents.pdf.damage import ENCRYPTED, damaged_pages, has_damaged_index
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, lay_out
from ralph_cli.documents.pdf.page import ReadPage, clean_text, read_page
from ralph_cli.documents.pdf.typefaces import find_set_apart
from ralph_cli.documents.pdf.visibility import PageVisibility
from ralph_cli.documents.process.side_by_side import read_side_by_side
from ralph_cli.documents.sight import Visibility, visibilities_to_json

_ERROR_SUCCESS, _ERROR_PASSWORD, _ERROR_SECURITY = 0, 4, 5
_XFA_FORMS = (pdfium_c.FORMTYPE_XFA_FULL, pdfium_c.FORMTYPE_XFA_FOREGROUND)
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
    processes: int = 1,
) -> ParsedDocument:
    """Read all pages of a PDF. Run it in a child process, because pdfium may crash on hostile files.

    `on_progress(done, total)` is called before the first page and after each page. `processes` is the number of
    processes that read a long file. Raises DocumentError with the codes encrypted, wrong-password, damaged, no-text,
    too-big and unsupported.
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

        def read_some(indices: Sequence[int]) -> Iterator[tuple[int, ReadPage]]:
            with open_pdf(data, name, password) as own:
                characters = 0
                for index in indices:
                    page = read_page(own, index, layout)
                    yield index, page
                    characters += len(page.text) + 1
                    if characters > limits.characters:
                        return  # the pages together are refused below

        pages = read_side_by_side(read_some, total, processes, on_progress)
        characters = 0
        for number, page in enumerate(pages, 1):
            characters += len(page.text) + 1
            if characters > limits.characters:
                what = f"{name} has more than {limits.characters:,} characters (page {number} of {total})"
                raise DocumentError(what, code="too-big", hint="split the file")
            findings.add_page(number, page.findings)
        for number in findings.pages_to_look_at():
            if _has_unread_print(document, number - 1):
                findings.add("print", number)
        findings.add_damaged(damaged)
        refusal = findings.refusal(name, pages[0].text)
        if refusal and not findings.may_be_pictures(refusal):
            raise refusal
        headings: dict[int, list[Heading]] = defaultdict(list)
        for index, heading in _outline(document, pages):
            headings[index].append(heading)
        apart = find_set_apart([(page.text, page.lines) for page in pages])
        parts = [
            page.finish([*headings[index], *it]) for index, (page, it) in enumerate(zip(pages, apart, strict=True))
        ]
        parsed = join_parts(parts, tuple(findings.cautions()))
        return replace(parsed, refusal=(refusal.message, refusal.hint) if refusal else None)


class LaidOutPage:
    """A page laid out again to locate spans of its text on it.

    Raises DocumentError "changed" if the page's text differs from the loaded text, because spans would then be wrong.
    """

    def __init__(self, document: Any, name: str, layout: Layout, number: int, text: str) -> None:
        self.page, _ = open_page(document, number - 1)
        self.text_page = self.page.get_textpage()
        self.layout = restore_letters(self.page, self.text_page, lay_out(self.text_page, layout))
        if clean_text(self.layout.text) != text:
            what = f"the text of page {number} of {name} has changed since it was loaded"
            raise DocumentError(what, code="changed", hint="load it again")

    def boxes(self, start: int, end: int) -> list[Box]:
        """Return one rectangle per line of text[start:end]. Cells that are far apart get one each."""
        drawn = (index for index in self.layout.characters[start:end] if index != NOT_A_CHARACTER)
        return join_boxes(filter(None, (loose_box(self.text_page.raw, index) for index in drawn)))

    def blank_letters(self, start: int, end: int) -> list[int]:
        """Return the offsets in text[start:end] of letters that leave no ink, because their font is missing on this
        machine.
        """
        drawn = ((place, self.layout.characters[place]) for place in range(start, end))
        return [place for place, index in drawn if index != NOT_A_CHARACTER and is_blank(self.text_page, index)]


def check_visibility(
    data: bytes, *, name: str, password: str | None, layout: Layout, pages: list[dict[str, Any]]
) -> bytes:
    """Return whether a reader sees the spans of these pages ({number, text, spans}): one answer per span, in order, as
    JSON.
    """
    found: list[Visibility] = []
    blank: list[tuple[dict[str, Any], int, list[int]]] = []
    with open_pdf(data, name, password) as document:
        for wanted in pages:
            if "boxes" in wanted:  # what OCR has read is what is seen
                found += [Visibility()] * len(wanted["spans"])
                continue
            laid_out = LaidOutPage(document, name, layout, wanted["number"], wanted["text"])
            visibility = PageVisibility(laid_out.page, laid_out.text_page, laid_out.layout)
            for start, end in wanted["spans"]:
                answer = visibility.check(range(start, end))
                letters = laid_out.blank_letters(start, end) if answer.reason else []
                if letters and not visibility.check(sorted({*range(start, end)}.difference(letters))).reason:
                    blank.append((wanted, len(found), letters))
                found.append(answer)
    # Letters without a font are boxes then, so that what else would hide them still does.
    attempts: tuple[Boxes, ...] = ("missing", "all")
    for boxes in attempts:
        if blank := [question for question in blank if found[question[1]].reason]:
            with open_pdf(data, name, password, boxes) as document:
                for wanted, place, letters in blank:
                    with suppress(DocumentError):  # a page may be laid out in another way with boxes
                        laid_out = LaidOutPage(document, name, layout, wanted["number"], wanted["text"])
                        found[place] = PageVisibility(laid_out.page, laid_out.text_page, laid_out.layout).check(letters)
    return visibilities_to_json(found)


@contextmanager
def open_pdf(data: bytes, name: str, password: str | None, boxes: Boxes = "lost") -> Iterator[PdfFile]:
    """Open the PDF in these bytes, and close it at the end. Raises DocumentError if it cannot be opened."""
    try:
        document = PdfFile(data, password, boxes)
    except pypdfium2.PdfiumError as error:
        raise _open_error(name, getattr(error, "err_code", _ERROR_SUCCESS), password) from None
    try:
        yield document
    finally:
        document.close_all()


def _open_error(name: str, code: int | None, password: str | None) -> DocumentError:
    if code == _ERROR_PASSWORD and password is None:
        return DocumentError(f"{name} is encrypted", code="encrypted", hint="give its password with --password")
    if code == _ERROR_PASSWORD:
        return DocumentError(f"wrong password for {name}", code="wrong-password", hint="check --password")
    if code == _ERROR_SECURITY:
        return DocumentError(f"{name} is encrypted in a way that is not supported", code="unsupported")
    hint = "get the file again, or repair it: qpdf in.pdf out.pdf"
    return DocumentError(f"{name} is damaged or incomplete and cannot be read as PDF", code="damaged", hint=hint)


def _find_damaged_pages(document: Any, data: bytes) -> list[int]:
    """Return the pages with parts that cannot be decoded. An encrypted file is checked in an unencrypted copy."""
    if ENCRYPTED in data:
        copy = io.BytesIO()
        try:
            document.save(copy, flags=pdfium_c.FPDF_REMOVE_SECURITY)
        except pypdfium2.PdfiumError:
            return []
        data = copy.getvalue()
    return damaged_pages(data, len(document))


def _attached_names(document: Any) -> list[str]:
    """Return the names of the attached files, as the file gives them."""
    try:
        return [document.get_attachment(number).get_name() for number in range(document.count_attachments())]
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return []


def _has_unread_print(document: Any, index: int) -> bool:
    """Whether words on a page are drawn as shapes or pictures. A page that fails to load was reported before."""
    try:
        page, _ = open_page(document, index)
        with closing(page), closing(page.get_textpage()) as text_page:
            return has_unread_print(page, text_page)
    except pypdfium2.PdfiumError:
        return False


def _outline(document: Any, pages: Sequence[ReadPage]) -> Iterator[tuple[int, Heading]]:
    """Yield bookmarks as headings, each with its page index: at their text on that page, or at the page's beginning."""
    try:
        for count, bookmark in enumerate(document.get_toc(max_depth=_OUTLINE_DEPTH)):
            if count >= _MAX_OUTLINE:
                return
            title = clean_heading(bookmark.get_title())
            destination = bookmark.get_dest()
            index = destination.get_index() if destination is not None else None
            if title and index is not None and 0 <= index < len(pages):
                yield index, Heading(title, _find_title(title, pages[index].text), bookmark.level + 1)
    except (pypdfium2.PdfiumError, UnicodeDecodeError, ValueError):
        return  # an outline is a convenience; a broken one is no reason to refuse the document


def _find_title(title: str, text: str) -> int:
    """Return the offset of a title on its page, preferably at the beginning of a line; 0 if it is not found."""
    words = r"\s+".join(re.escape(word) for word in title.split())
    patterns = (
        rf"(?m)^[ \t]*({words})",
        rf"(?im)^[ \t]*({words})",
        rf"(?m)({words})[ \t]*$",
        rf"({words})",
        rf"(?i)({words})",
    )
    found = next((match for pattern in patterns if (match := re.search(pattern, text))), None)
    return found.start(1) if found else 0
