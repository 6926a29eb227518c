"""A paragraph of OpenDocument: its visible text, with the notes, comments and drawings attached to it."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from xml.etree.ElementTree import Element

from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, child, number
from ralph_cli.documents.open_document.controls import Controls
from ralph_cli.documents.open_document.styles import Styles
from ralph_cli.documents.page_text import clean_text
from ralph_cli.documents.sight import MARKED, Colours, Ink
from ralph_cli.text.raised import STRUCK_CLOSING, STRUCK_OPENING, lower_figures, raise_figures, strike

_SHAPES = "frame custom-shape g rect ellipse circle line connector polygon polyline path caption control"
# The elements of frames, shapes and groups of them.
DRAWINGS = frozenset(f"draw:{name}" for name in _SHAPES.split())

_MOST_SPACES = 40
_WHITE_SPACE = re.compile("[ \t\r\n]+")
_SIGNS = {"text:tab": "\t", "text:line-break": "\n", "text:soft-hyphen": "\u00ad"}
_SILENT = frozenset(
    {
        "text:bookmark", "text:bookmark-start", "text:bookmark-end", "text:change", "text:change-start",
        "text:change-end", "office:annotation-end", "text:soft-page-break", "text:alphabetical-index-mark",
        "text:note-body",
    }
)  # fmt: skip


@dataclass(slots=True)
class Paragraph:
    """A paragraph's text; `notes` are elements with their offsets in it.

    `filled_in` are the ranges of form fields, as start and end offsets.
    """

    text: str = ""
    notes: list[tuple[Element, int]] = field(default_factory=list)
    comments: list[Element] = field(default_factory=list)
    drawings: list[Element] = field(default_factory=list)
    filled_in: list[tuple[int, int]] = field(default_factory=list)


class ParagraphReader:
    """Reads paragraphs with the styles of their document."""

    def __init__(self, styles: Styles, findings: Findings, controls: Controls) -> None:
        self.styles, self.findings, self.controls = styles, findings, controls
        self.fields: dict[str, str] = {}
        """The texts of fields that do not contain their own text, by the names of their elements."""
        self.usual = self._ink = styles.usual_ink("paragraph", Ink())
        """The ink of characters without another ink from a style."""
        self.is_fitted = False
        """Whether the font size adapts to the room in a shape."""
        self._paper, self._doubtful = self.usual.ground, set[Hashable]()

    def lay_on_paper(self, paper: Colours, doubtful: set[Hashable]) -> None:
        """Set the ground behind the text, and the paragraphs (`id` of their elements) that may cover a drawing."""
        self.usual, self._paper, self._doubtful = replace(self.usual, ground=paper), paper, doubtful

    def read(self, element: Element) -> Paragraph:
        """Return the paragraph or heading of an element."""
        found = Paragraph()
        usual = self.usual
        if id(element) in self._doubtful and usual.ground == self._paper:
            usual = replace(usual, ground=None)
        self._ink = self.styles.ink("paragraph", attribute(element, "style-name"), usual)
        if self._ink.flag == MARKED:
            self.findings.hide("".join(element.itertext()), MARKED)
            return found
        parts: list[str] = []
        self._read_runs(element, found, parts)
        text = "".join(parts)
        lead = len(text) - len(text.lstrip())
        found.text = text.strip()
        found.notes = [(note, max(at - lead, 0)) for note, at in found.notes]
        found.filled_in = [(max(start - lead, 0), end - lead) for start, end in found.filled_in]
        return found

    def _read_runs(self, element: Element, found: Paragraph, parts: list[str]) -> None:
        self._write(element.text, parts)
        for one in element:
            self._read_run(one, found, parts)
            self._write(one.tail, parts)

    def _write(self, text: str | None, parts: list[str]) -> None:
        if text:
            ink = replace(self._ink, size=None) if self.is_fitted else self._ink
            shown = self.findings.take(text, ink.why)
            parts += [_collapse(shown, parts)] * bool(shown)

    def _read_run(self, one: Element, found: Paragraph, parts: list[str]) -> None:
        match one.tag:
            case "text:s":
                parts.append(" " * min(number(attribute(one, "c"), 1) or 1, _MOST_SPACES))
            case "text:span":
                self._read_span(one, found, parts)
            case "text:note":
                parts.append(raise_figures(note_mark(one)))
                found.notes.append((one, sum(map(len, parts))))
            case "office:annotation":
                found.comments.append(one)
            case "text:hidden-text" | "text:hidden-paragraph":
                self.findings.hide("".join(one.itertext()), MARKED)
            case "text:ruby-text":
                self._read_ruby(one, found, parts)
            case tag if tag in self.fields:
                parts.append(self.fields[tag])
            case tag if tag in _SIGNS:
                parts.append(_SIGNS[tag])
            case "draw:control" if attribute(one, "anchor-type") == "as-char":
                self._read_control(one, found, parts)
            case tag if tag in DRAWINGS:
                found.drawings.append(one)
            case tag if tag not in _SILENT:
                self._read_runs(one, found, parts)

    def _read_control(self, one: Element, found: Paragraph, parts: list[str]) -> None:
        """Add a form control that is in the line, separated from the words around it."""
        text, is_filled_in = self.controls.take(one)
        if text:
            parts.append(_collapse(" ", parts))
            begin = sum(map(len, parts))
            found.filled_in += [(begin, begin + len(text))] if is_filled_in else []
            parts += (text, " ")

    def _read_ruby(self, one: Element, found: Paragraph, parts: list[str]) -> None:
        """Add the ruby text of a word in brackets after it."""
        inner, place = list[str](), Paragraph()
        self._read_runs(one, place, inner)
        raw = "".join(inner)
        text = raw.strip()
        parts += ["("] if text else []
        _take_over(found, place, parts, len(raw) - len(raw.lstrip()), range(len(text) + 1))
        parts += [text, ")"] if text else []

    def _read_span(self, one: Element, found: Paragraph, parts: list[str]) -> None:
        name = attribute(one, "style-name")
        outer = self._ink
        ink = self.styles.ink("text", name, outer)
        if ink.flag == MARKED:
            self.findings.hide("".join(one.itertext()), MARKED)
            return
        before = parts[-1:]
        inner, place = list(before), Paragraph()
        self._ink = ink
        self._read_runs(one, place, inner)
        self._ink = outer
        text = self._shift("".join(inner[len(before) :]), name)
        is_struck = self.styles.value("text", name, "text", "text-line-through-style") not in ("", "none")
        ends: Sequence[int] = range(len(text) + 1)
        if is_struck and text.strip():
            self.findings.strike(text)
            parts.append(STRUCK_OPENING)
            ends = [0, *accumulate(len(strike(character)) for character in text)]
            text = f"{strike(text)}{STRUCK_CLOSING}"
        _take_over(found, place, parts, sum(map(len, before)), ends)
        parts += [text] if text else []

    def _shift(self, text: str, style: str) -> str:
        """Return the text of a span, with figures raised or lowered if its style says so."""
        position = self.styles.value("text", style, "text", "text-position")
        if position.startswith("super") or (position[:1].isdigit() and not position.startswith("0")):
            return raise_figures(text)
        return lower_figures(text) if position.startswith(("sub", "-")) else text


def _take_over(found: Paragraph, inner: Paragraph, parts: list[str], lead: int, ends: Sequence[int]) -> None:
    """Add the notes, fields, comments and drawings of an inner text, which comes after `parts`, to the paragraph.

    The first `lead` characters of the inner text are left out. `ends` are the ends of its other characters in the
    written text, from 0 on.
    """
    begin = sum(map(len, parts)) if inner.notes or inner.filled_in else 0

    def place(at: int) -> int:
        return begin + ends[min(max(at - lead, 0), len(ends) - 1)]

    found.notes += [(note, place(at)) for note, at in inner.notes]
    found.filled_in += [(place(start), place(end)) for start, end in inner.filled_in]
    found.comments += inner.comments
    found.drawings += inner.drawings


def note_mark(note: Element) -> str:
    """Return the mark by which a note is cited."""
    citation = child(note, "text:note-citation")
    return "" if citation is None else "".join(citation.itertext()).strip()


def _collapse(text: str, parts: list[str]) -> str:
    """Collapse whitespace to one space, and to none after a space (part 3, 6.1.2)."""
    joined = _WHITE_SPACE.sub(" ", clean_text(text))
    last = next((part for part in reversed(parts) if part), "")
    return joined.lstrip(" ") if not last or last[-1] in " \n\t" else joined


def blanks_before(paragraph: Element | None) -> str:
    """Return the spaces or tab elements at the start of a paragraph; spaces in the source do not count."""
    first = paragraph[0] if paragraph is not None and len(paragraph) and not (paragraph.text or "").strip() else None
    if first is not None and first.tag == "text:s":
        return " " * min(number(attribute(first, "c"), 1) or 1, _MOST_SPACES)
    return "\t" if first is not None and first.tag == "text:tab" else ""


def plain_text(element: Element | None) -> str:
    """Return the paragraphs of an element on one line, without notes, comments and drawings."""
    if element is None:
        return ""
    paragraphs = (one for one in element.iter() if one.tag in ("text:p", "text:h"))
    return " ".join(" ".join("".join(one.itertext()).split()) for one in paragraphs).strip()
