"""One page of a PDF as it is read: its text, its tables, what was put on it, and what its text does not say."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import field
from typing import Any

import pypdfium2  # type: ignore[import-untyped]

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.structure import Addition, Heading, Page, Table
from ralph_cli.documents.limits import Layout
from ralph_cli.documents.parsed import ParsedDocument, clean_label
from ralph_cli.documents.pdf.content.annotations import find_additions, open_page
from ralph_cli.documents.pdf.content.findings import PageFindings
from ralph_cli.documents.pdf.content.legibility import (
    classify_textless,
    count_letters,
    differs,
    has_nameless_letters,
    looks_garbled,
)
from ralph_cli.documents.pdf.content.lost_letters import restore_letters
from ralph_cli.documents.pdf.content.missing_fonts import find_missing_fonts
from ralph_cli.documents.pdf.content.unread_print import may_have_unread_print
from ralph_cli.documents.pdf.layout import lay_out

_FEW_LETTERS = 20


@dataclass(slots=True)
class ReadPage:
    """The text of a page without page breaks, the label printed on it, and what was found; offsets are of the page."""

    text: str = ""
    label: str = ""
    tables: tuple[Table, ...] = ()
    additions: tuple[Addition, ...] = ()
    findings: PageFindings = field(default_factory=PageFindings)

    def finish(self, headings: Sequence[Heading]) -> ParsedDocument:
        """The page as a document by itself, with these headings."""
        page = Page(1, self.label, 0, len(self.text))
        inside = tuple(sorted(headings, key=lambda heading: heading.start))
        return ParsedDocument(self.text, (page,), inside, tables=self.tables, additions=self.additions)


def read_page(document: Any, index: int, layout: Layout) -> ReadPage:
    """The page with that index of an open PDF; it depends on no other page. One that does not load has no text."""
    label = clean_label(_page_label(document, index))
    try:
        page, overlay = open_page(document, index)
        with closing(page), closing(page.get_textpage()) as text_page:
            found = PageFindings(overlay)
            laid_out = lay_out(text_page, layout)
            if differs(laid_out.text, text_page, laid_out.symbols):
                found.causes.append("differs")
            if laid_out.is_vertical:
                found.causes.append("vertical")
            laid_out = restore_letters(page, text_page, laid_out)
            text = clean_text(laid_out.text)
            additions = tuple(find_additions(text_page, laid_out, overlay))
            found.missing_fonts = find_missing_fonts(page, text_page)
            _examine(page, text, found)
            return ReadPage(text, label, tuple(laid_out.tables), additions, found)
    except pypdfium2.PdfiumError:
        return ReadPage(label=label, findings=PageFindings(causes=["unloadable"]))


def clean_text(text: str) -> str:
    """Keep page breaks and lone surrogates out of a page."""
    return text.replace("\f", "\n").encode("utf-8", "replace").decode("utf-8")


def _examine(page: Any, text: str, found: PageFindings) -> None:
    """Find out of what is seen on a page what its text does not say."""
    letters = count_letters(text)
    found.letters = sum(letters.values())
    found.has_text = bool(text.strip())
    if found.missing_fonts:
        found.causes.append("fonts")
    if found.letters < _FEW_LETTERS:
        kind = classify_textless(page)
        if not found.has_text or kind == "scan":
            # A page of which no word is drawn is not what it looks like.
            found.causes += [kind] if kind == "scan" or not found.missing_fonts else []
            return
    if has_nameless_letters(text):
        found.causes.append("nameless")
    if looks_garbled(text, letters):
        found.causes.append("garbled")
    found.may_have_print = may_have_unread_print(page, len(text))


def _page_label(document: Any, index: int) -> str:
    try:
        return str(document.get_page_label(index))
    except (UnicodeDecodeError, ValueError):
        return ""
