"""What a reader of a PDF must know beside its text: which pages say nothing, or not all, and what lies over them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ralph_cli.core.coverage import number_ranges
from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.parsed import MISSING_FONTS
from ralph_cli.documents.pdf.content.annotations import Overlay
from ralph_cli.documents.pdf.content.box_marks import TICKED, UNTICKED

# A document with attached files and no more text than this is a cover for them.
_COVER_LETTERS = 600

_NOTICE = re.compile(r"(?i)please\s+wait|adobe\s+(?:acrobat\s+)?reader")
# Pages that are looked at as pictures; it takes up to a tenth of a second for each.
_MOST_LOOKS = 200

_MOST_NAMED = 8
_LONGEST_NAME = 60
_SAVE_FILES = "save them from a PDF viewer and give each one to ralph"
_READ_PICTURES = "its pages are read as pictures unless --ocr is never"
_FORCE_OCR = "to read its pages as pictures, use --ocr force"
_PRINT_XFA = "open it in Adobe Acrobat, print it to PDF and give that file"

# By cause: the code of its caution, and what it says of the pages.
_UNREAD = {
    "damaged": ("damaged-pages", "damaged, their text is missing or wrong in part: {}"),
    "unloadable": ("unreadable-pages", "could not be read: {}"),
    "scan": ("no-text", "no text on {}: a picture"),
    "drawing": ("no-text", "no text on {}: only lines, shapes or small pictures; words among them were not read"),
    "nameless": (
        "nameless-letters",
        f"letters without a name in the file's fonts, read wrongly or not at all: {{}}; {_FORCE_OCR}",
    ),
    "garbled": (
        "garbled-letters",
        f"the file's fonts seem to name wrong letters, so the text is not what is seen: {{}}; {_FORCE_OCR}",
    ),
    "print": ("unread-print", "words drawn as shapes or pictures, which were not read: {}"),
    "vertical": ("vertical-lines", "vertical lines; of parts below each other the order may be wrong: {}"),
    "fonts": (
        MISSING_FONTS,
        "letters in fonts that are neither in the file nor on this machine: {}; words may be missing, and pictures "
        "show blanks or boxes",
    ),
    "differs": ("changed-letters", "letters or digits were lost or added while reading: {}"),
}


@dataclass(slots=True)
class PageFindings:
    """What was found on one page: causes for which it says nothing, or not all, and its letters.

    `may_have_print` says that it has shapes or pictures among which there may be words; `missing_fonts` names the fonts
    of letters that neither the file nor this machine has.
    """

    overlay: Overlay = field(default_factory=Overlay)
    causes: list[str] = field(default_factory=list)
    letters: int = 0
    has_text: bool = False
    may_have_print: bool = False
    missing_fonts: frozenset[str] = frozenset()


@dataclass(slots=True)
class Findings:
    """What was found on the pages of a PDF with `total` pages, by cause and page number.

    `blank` pages have nothing to read. `attached` are the names of files in the file. A form in Adobe's XML format has
    `is_xfa`; it `is_dynamic` when its pages are laid out only as it is opened there. Of a file that `is_rebuilt` the
    table that says where its parts are is damaged.
    """

    total: int
    attached: Sequence[str] = ()
    is_xfa: bool = False
    is_dynamic: bool = False
    is_rebuilt: bool = False
    pages: dict[str, list[int]] = field(default_factory=lambda: {cause: [] for cause in _UNREAD})
    blank: list[int] = field(default_factory=list)
    overlays: dict[int, Overlay] = field(default_factory=dict)
    letters: int = 0
    has_text: bool = False
    with_pictures: list[int] = field(default_factory=list)
    missing_fonts: set[str] = field(default_factory=set)

    def add_page(self, number: int, found: PageFindings) -> None:
        """What was found on page `number`; to be called once for each, in their order."""
        self.overlays[number] = found.overlay
        self.letters += found.letters
        self.has_text = self.has_text or found.has_text
        if found.may_have_print:
            self.with_pictures.append(number)
        self.missing_fonts |= found.missing_fonts
        for cause in found.causes:
            self.add(cause, number)

    def add(self, cause: str, number: int) -> None:
        """Page `number` is blank, or says nothing, or not all, for this cause; one that does not load has no other."""
        if number not in self.pages["unloadable"]:
            (self.blank if cause == "blank" else self.pages[cause]).append(number)

    def pages_to_look_at(self) -> list[int]:
        """The pages that there is time to look at as pictures; the others are reported as unchecked."""
        return self.with_pictures[:_MOST_LOOKS]

    def add_damaged(self, numbers: Iterable[int]) -> None:
        """Pages whose content is damaged; that they have no text says nothing more."""
        for number in numbers:
            self.add("damaged", number)
            for others in (self.pages["scan"], self.pages["drawing"], self.blank):
                if number in others:
                    others.remove(number)

    def refusal(self, name: str, first_page: str) -> DocumentError | None:
        """Why this is no document to ask about: it has no text, or none but words that stand for it."""
        is_notice = _NOTICE.search(first_page) is not None or not self.has_text
        if self.is_xfa and self.letters < _COVER_LETTERS and is_notice:
            what = f"{name} is an XFA form, which only Adobe's programs lay out; its page holds no more than a notice"
            return DocumentError(what, code="unsupported", hint=_PRINT_XFA)
        if self.letters or (self.has_text and not self.pages["nameless"]):
            return None
        if self.attached:
            what = f"{name} has no text of its own, only {_describe_files(self.attached)}"
            return DocumentError(what, code="no-text", hint=_SAVE_FILES)
        if len(self.pages["unloadable"]) + len(self.pages["damaged"]) >= self.total:
            return DocumentError(f"no page of {name} can be read", code="damaged", hint="get the file again")
        if self.pages["fonts"]:
            what = f"{name} has no text that can be read here: its fonts are neither in the file nor on this machine"
            return DocumentError(what, code="unsupported", hint=self._describe_fonts().strip("; "))
        if self.has_text:
            what = f"{name} has no letters that can be read: its fonts do not say which letters they draw"
            return DocumentError(what, code="no-text", hint=_READ_PICTURES)
        where = f"any of its {self.total} pages (1-{self.total})" if self.total > 1 else "its only page"
        what = f"{name} has no text on {where}; it is {self._describe_textless()}"
        return DocumentError(what, code="no-text", hint=_READ_PICTURES if len(self.blank) < self.total else "")

    def may_be_pictures(self, refusal: DocumentError) -> bool:
        """Whether a document that is refused has pages on which words can be seen."""
        return refusal.code == "no-text" and len(self.blank) < self.total

    def _describe_textless(self) -> str:
        if len(self.blank) == self.total:
            return "blank"
        if self.pages["scan"]:
            return "probably a scan"
        return "drawn with lines and shapes only, or with small pictures"

    def cautions(self) -> Iterator[Caution]:
        """All of it in plain words; only a caution about pages that say nothing, or not all, has page numbers."""
        for cause, (code, message) in _UNREAD.items():
            if numbers := self.pages[cause]:
                message = message.format(self._describe(numbers))
                yield Caution(code, message + (self._describe_fonts() if cause == "fonts" else ""), tuple(numbers))
        if self.is_rebuilt:
            message = "the file's table of its parts is damaged, so something may be missing: get it again to be sure"
            yield Caution("damaged-file", message)
        if unchecked := self.with_pictures[_MOST_LOOKS:]:
            message = f"pictures or shapes that were not looked at for words: {self._describe(unchecked)}"
            yield Caution("unchecked-pictures", message)
        if self.blank:
            yield Caution("blank-pages", f"blank: {self._describe(self.blank)}")
        if self.is_dynamic:
            message = f"an XFA form: what only Adobe's programs show was not read; to be sure, {_PRINT_XFA}"
            yield Caution("xfa-form", message, tuple(range(1, self.total + 1)))
        if self.attached:
            cover = ", and its own text is probably only their cover" if self.letters < _COVER_LETTERS else ""
            message = f"holds {_describe_files(self.attached)}, not read{cover}; {_SAVE_FILES}"
            yield Caution("attached-files", message)
        yield from self._overlay_cautions()

    def _overlay_cautions(self) -> Iterator[Caution]:
        fields = self._numbers_with("fields")
        if fields:
            message = f"form fields on {self._describe(fields)}: what is filled in stands in the text where it is seen"
            if self._numbers_with("boxes"):
                message += f"; {TICKED} is a ticked box or chosen option, {UNTICKED} one that is not"
            chosen = [value for number in fields for value in self.overlays[number].chosen]
            if chosen:
                message += f"; lists show all choices, chosen are: {_shorten(chosen)}"
            yield Caution("form-fields", message)
        if boxes := self._numbers_with("drawn_boxes"):
            message = f"boxes drawn as lines on {self._describe(boxes)}: {TICKED} stands for one with a drawing in it"
            yield Caution("drawn-boxes", f"{message}, {UNTICKED} for an empty one")
        if notes := self._numbers_with("notes"):
            message = f"notes or stamps were put on {self._describe(notes)}; their words stand in the text"
            yield Caution("typed-notes", message)
        if struck := self._numbers_with("struck"):
            message = f"words on {self._describe(struck)} are crossed out by an annotation"
            yield Caution("struck-out", f"{message}, which the text does not show")
        if comments := self._numbers_with("comments"):
            count = sum(self.overlays[number].comments for number in comments)
            what = f"{count} comment{'' if count == 1 else 's'} of reviewers on {self._describe(comments)}"
            yield Caution("comments", f"{what}, which open on a click: not part of the text")
        if undrawn := self._numbers_with("undrawn"):
            message = f"notes without a drawn form, or on a layer, were not read: {self._describe(undrawn)}"
            yield Caution("undrawn-notes", message, tuple(undrawn))

    def _describe_fonts(self) -> str:
        names = sorted(self.missing_fonts - {""})
        which = f"{_shorten(names)}, or any font" if names else "a font"
        return f"; install {which} for that script, and load the file again"

    def _numbers_with(self, what: str) -> list[int]:
        return [number for number, overlay in self.overlays.items() if getattr(overlay, what)]

    def _describe(self, numbers: list[int]) -> str:
        return f"{len(numbers)} of {self.total} pages ({format_page_list(numbers)})"


def format_page_list(numbers: list[int]) -> str:
    """Page numbers as a reader writes them: 1, 4-6, 9; cut after twelve parts."""
    parts = [str(first) if first == last else f"{first}-{last}" for first, last in number_ranges(numbers)]
    return ", ".join(parts[:12]) + (", ..." if len(parts) > 12 else "")


def _describe_files(names: Sequence[str]) -> str:
    return f"{len(names)} attached file{'' if len(names) == 1 else 's'} ({_shorten(names)})"


def _shorten(names: Iterable[str]) -> str:
    """Some names that a file gives, on one line."""
    clean = ["".join(c for c in name if c.isprintable())[:_LONGEST_NAME] for name in names]
    return ", ".join(clean[:_MOST_NAMED]) + (", ..." if len(clean) > _MOST_NAMED else "")
