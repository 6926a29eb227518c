"""One page of a PDF: its text, its tables, additions such as annotations, and what its text lacks.

The text of a page may contain less than a reader sees, or something else.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal

import pypdfium2  # type: ignore[import-untyped]

from ralph_cli.core.structure import Addition, Heading, Page, Table
from ralph_cli.documents.limits import Layout
from ralph_cli.documents.parsed import ParsedDocument, clean_label
from ralph_cli.documents.pdf.content.annotations import find_additions, open_page
from ralph_cli.documents.pdf.content.findings import PageFindings
from ralph_cli.documents.pdf.content.lost_letters import restore_letters
from ralph_cli.documents.pdf.content.missing_fonts import find_missing_fonts
from ralph_cli.documents.pdf.content.unread_print import may_have_unread_print
from ralph_cli.documents.pdf.ink import PageCanvas
from ralph_cli.documents.pdf.layout import lay_out
from ralph_cli.documents.pdf.marked_content import IMAGE
from ralph_cli.documents.pdf.typefaces import TypeLine, read_type
from ralph_cli.text.raised import flatten_figures

_FEW_LETTERS = 20

_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_CONTROL = "\x01\x03-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd"
_ODD = re.compile(f"[{_CONTROL}{_PRIVATE}]")
_BULLET = re.compile(rf"^[{_CONTROL}](?=\s)|(?:^|(?<=\s))[{_PRIVATE}]+|[{_PRIVATE}]+(?=\s|$)", re.MULTILINE)
_WORD = re.compile("[A-Za-z]{4,}")
_VOWELS, _CONSONANTS = "aeiouyAEIOUY", "bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ"
_MANY_LETTERS, _FEW_VOWELS = 200, 0.22
# Width in pixels of a page that is rendered as a whole.
_THUMBNAIL = 400

_SCAN_SHARE = 0.5


@dataclass(slots=True)
class ReadPage:
    """The text of a page without page breaks, its printed label, and the findings. Offsets are relative to the page."""

    text: str = ""
    label: str = ""
    tables: tuple[Table, ...] = ()
    additions: tuple[Addition, ...] = ()
    lines: tuple[TypeLine, ...] = ()
    findings: PageFindings = field(default_factory=PageFindings)

    def finish(self, headings: Sequence[Heading]) -> ParsedDocument:
        """Return the page as a document of one page, with these headings."""
        page = Page(1, self.label, 0, len(self.text))
        inside = tuple(sorted(headings, key=lambda heading: heading.start))
        return ParsedDocument(self.text, (page,), inside, tables=self.tables, additions=self.additions)


def read_page(document: Any, index: int, layout: Layout) -> ReadPage:
    """Read the page at `index` of an open PDF, independently of other pages. A page that fails to load has no text."""
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
            lines = tuple(read_type(text_page.raw, laid_out))
            return ReadPage(text, label, tuple(laid_out.tables), additions, lines, found)
    except pypdfium2.PdfiumError:
        return ReadPage(label=label, findings=PageFindings(causes=["unloadable"]))


def clean_text(text: str) -> str:
    """Replace the page breaks and lone surrogates in the text of a page."""
    return text.replace("\f", "\n").encode("utf-8", "replace").decode("utf-8")


def _examine(page: Any, text: str, found: PageFindings) -> None:
    """Record what a reader sees on a page but its text does not contain."""
    letters = count_letters(text)
    found.letters = sum(letters.values())
    found.has_text = bool(text.strip())
    if found.missing_fonts:
        found.causes.append("fonts")
    if found.letters < _FEW_LETTERS:
        kind = classify_textless(page)
        if not found.has_text or kind == "scan":
            # A page that draws none of its words does not look like its text.
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


def has_nameless_letters(text: str) -> bool:
    """Whether a page's text has characters of no script, because the file's fonts do not name them.

    A single character before a line and private-use characters at the edge of a word are ignored: they are bullets.
    """
    return _ODD.search(text) is not None and _ODD.search(_BULLET.sub("", text)) is not None


def count_letters(text: str) -> dict[str, int]:
    """Count each letter and digit of a text, with raised figures and ligatures as plain characters."""
    letters: dict[str, int] = {}
    for character, count in Counter(text).items():
        plain = character if character.isascii() else unicodedata.normalize("NFKC", flatten_figures(character))
        for letter in plain:
            if letter.isalnum():
                letters[letter] = letters.get(letter, 0) + count
    return letters


def differs(text: str, text_page: Any, symbols: tuple[str, str] = ("", "")) -> bool:
    """Whether a page's text has other letters or digits than pdfium's text, in any order.

    Characters of symbol fonts count both as named in the file (`symbols[0]`) and as they appear (`symbols[1]`).
    """
    named, shown = symbols
    return count_letters(text + named) != count_letters(text_page.get_text_range(errors="replace") + shown)


def looks_garbled(text: str, letters: dict[str, int]) -> bool:
    """Whether the Latin words of a page have hardly any vowels, as when a font names its letters by numbers.

    In languages with Latin letters, a third to a half of the letters of a page are vowels.
    """
    if not _is_short_of_vowels(letters):
        return False
    return _is_short_of_vowels(Counter("".join(_WORD.findall(text))))


def _is_short_of_vowels(letters: Mapping[str, int]) -> bool:
    vowels, others = (sum(letters.get(letter, 0) for letter in group) for group in (_VOWELS, _CONSONANTS))
    return vowels + others >= _MANY_LETTERS and vowels < _FEW_VOWELS * (vowels + others)


def classify_textless(page: Any) -> Literal["blank", "scan", "drawing"]:
    """Return the kind of a page without text: "scan" (a picture covers it), "blank", or "drawing" (anything else)."""
    try:
        width, height = page.get_size()
        pictures = 0
        for item in page.get_objects(filter=[IMAGE], max_depth=3):
            pictures += 1
            left, bottom, right, top = item.get_bounds()
            if (right - left) * (top - bottom) >= _SCAN_SHARE * width * height:
                return "scan"
    except pypdfium2.PdfiumError:
        return "scan"  # a picture that is odd
    if pictures:
        return "drawing"
    canvas = PageCanvas(page, _THUMBNAIL, max(round(_THUMBNAIL * height / max(width, 1)), 1))
    return "blank" if canvas.render(canvas.page_rect).is_flat(canvas.page_rect) else "drawing"
