"""Pages of a document under construction: the text, and the positions of headings, tables, notes and the like in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import (
    HIDDEN_ORIGINS,
    REGIONAL,
    Addition,
    Heading,
    NamedPlace,
    Note,
    Origin,
    Page,
    Span,
    Table,
)
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.parsed import (
    MAX_PASSAGES,
    ParsedDocument,
    bound_cautions,
    clean_heading,
    clean_label,
    join_parts,
)

SPACE, CELL, LINE, PARAGRAPH = 1, 2, 3, 4
# The whitespace between two texts, weakest first.
SEPARATORS = ("", " ", "  ", "\n", "\n\n")

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_HALF_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class PageText:
    """A page, or a part of one. `hidden` says why readers do not see the page; None if it is not hidden as a whole.

    `marks` are references that the reader still has to resolve, such as a note's number, each with its offset.
    """

    label: str = ""
    hidden: Origin | None = None
    length: int = 0
    headings: list[Heading] = field(default_factory=list)
    quoted: list[Span] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    places: list[NamedPlace] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    additions: list[Addition] = field(default_factory=list)
    marks: list[tuple[Any, int]] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, *texts: "str | PageText") -> "PageText":
        """Return the texts joined without a separator."""
        found = cls()
        for text in texts:
            found.write(text)
        return found

    def __bool__(self) -> bool:
        """Whether any text was written."""
        return self.length > 0

    def write(self, text: "str | PageText | ParsedDocument", lower: int = 0) -> int:
        """Append `text` unchanged, with its headings, tables and the like, and return the offset where it begins.

        `lower` is added to the level of its headings. The names of its places are dropped.
        """
        at = self.length
        if isinstance(text, str):
            self._parts.append(text)
            self.length += len(text)
            return at
        if isinstance(text, PageText):
            self._parts += text._parts
            self.length += text.length
            self.marks += [(what, at + place) for what, place in text.marks]
        else:
            self.write(text.text)
        self.headings += [it.moved(at)._replace(level=min(it.level + lower, 100)) for it in text.headings]
        self.quoted += [it.moved(at) for it in text.quoted]
        self.tables += [it.moved(at) for it in text.tables]
        self.notes += [it.moved(at) for it in text.notes]
        self.additions += [it.moved(at) for it in text.additions]
        return at

    def add_line(self, text: "str | PageText | ParsedDocument", apart: int = LINE, lower: int = 0) -> int:
        """Append `text` on a new line and return the offset where it begins; headings become `lower` levels lower."""
        if self.length and (text or isinstance(text, str)):
            self.write(SEPARATORS[apart])
        return self.write(text, lower)

    def add_block(self, text: "str | PageText | ParsedDocument") -> int:
        """Append `text` after an empty line and return the offset where it begins."""
        return self.add_line(text, PARAGRAPH)

    def add_from(self, origin: Origin, label: str, text: "str | PageText") -> int:
        """Append a block of text from `origin`, after `label` in brackets, and return the offset where it begins."""
        at = self.add_block(label_text(label, text))
        self.mark(origin, at, self.length)
        return at

    def name_part(self, text: str, at: int, level: int) -> None:
        """Add a heading `text` at the offset `at`; a text without words is ignored."""
        if title := clean_heading(text):
            self.headings.append(Heading(title, at, min(max(level, 1), 100)))

    def mark(self, origin: Origin, start: int, end: int) -> None:
        """Record `origin` as the origin of the characters from `start` to `end`; `settle_additions` resolves
        overlaps.
        """
        if start < end:
            self.additions.append(Addition(start, end, origin))

    def text(self, start: int = 0) -> str:
        """Return the text written so far, from the offset `start` on."""
        if not start:
            return "".join(self._parts)
        left, found = self.length - start, list[str]()
        for part in reversed(self._parts):
            if left <= 0:
                break
            found.append(part[-left:])
            left -= len(part)
        return "".join(reversed(found))

    def settle_additions(self, most: int = MAX_PASSAGES) -> list[Addition]:
        """Return the marked spans in order, without overlaps. Hidden spans take priority; a hidden page is one span.

        If there are more than `most`, dates in regional form are dropped. If there are still too many, one span
        covers them all: visible text then counts as hidden, which is safer than the reverse.
        """
        if self.hidden:
            return [Addition(0, self.length, self.hidden)] if self.length else []
        found: list[Addition] = []
        for one in sorted(self.additions, key=lambda it: (it.start, it.origin not in HIDDEN_ORIGINS, -it.end)):
            start = max(one.start, found[-1].end if found else 0)
            if start < one.end:
                found.append(Addition(start, one.end, one.origin))
        if len(found) > most:
            found = [one for one in found if one.origin != REGIONAL]
        if len(found) <= most:
            return found
        origin = next((one.origin for one in found if one.origin in HIDDEN_ORIGINS), found[0].origin)
        return [Addition(found[0].start, found[-1].end, origin)]

    def finish(self, most: int = MAX_PASSAGES) -> ParsedDocument:
        """Return the page as a document of its own, with at most `most` additions."""
        text = self.text()
        return ParsedDocument(
            text,
            (Page(1, clean_label(self.label), 0, len(text)),),
            headings=tuple(sorted(self.headings, key=lambda heading: heading.start)),
            quoted=tuple(self.quoted),
            notes=tuple(self.notes),
            tables=tuple(sorted(self.tables)),
            additions=tuple(self.settle_additions(most)),
            places=tuple(self.places),
        )


def label_text(label: str, text: str | PageText) -> PageText:
    """Return `text` after `label` in brackets."""
    return PageText.of(f"[{label}] ", text)


def join_lines(texts: Iterable[PageText]) -> PageText:
    """Join texts into one line, as in a cell, with their additions and marks."""
    found = PageText()
    for text in texts:
        raw = clean_text(text.text())
        line = one_line(raw)
        found.write(" " if found and line else "")
        at = found.write(line)
        places = _places_on_one_line(raw) if text.additions or text.marks else []
        for it in text.additions:
            found.mark(it.origin, at + places[it.start][1], at + places[it.end][0])
        found.marks += ((what, at + places[place][0]) for what, place in text.marks)
    return found


def _places_on_one_line(text: str) -> list[tuple[int, int]]:
    """Return for each offset of `text` two offsets in its one-line form: the end of the text before, and the start of
    the text after.
    """
    found = []
    ended = begun = 0
    for character in f"{text}.":
        found.append((ended, begun))
        if not character.isspace():
            ended = begun = begun + 1
        elif ended:
            begun = ended + 1
    return found


def finish_document(
    pages: Iterable[PageText], findings: Findings, name: str, limits: LoadLimits, *, empty_hint: str
) -> ParsedDocument:
    """Join the pages into a document. Raises DocumentError too-big, damaged, no-text; `empty_hint` is the hint of the
    last two.
    """
    pages = list(pages)
    if sum(page.length for page in pages) > limits.characters:
        raise TooManyCharacters(name, limits)
    if len(pages) > limits.pages:
        raise DocumentError(f"{name} has more than {limits.pages:,} pages", code="too-big", hint="split the file")
    parts = [page.finish(MAX_PASSAGES // len(pages)) for page in pages]
    if not any(part.text.strip() for part in parts):
        if findings.unreadable:
            raise DocumentError(f"{name} is damaged: {findings.unreadable[0][0]}", code="damaged", hint=empty_hint)
        why = "no text that a reader sees" if findings.hidden else "no text"
        raise DocumentError(f"{name} has {why}", code="no-text", hint=empty_hint)
    return join_parts(parts, findings.cautions())


def plain_document(pages: Iterable[str], cautions: Iterable[Caution] = (), **found: Any) -> ParsedDocument:
    """Return a document whose pages are plain text."""
    parts = [ParsedDocument(text, (Page(1, "", 0, len(text)),)) for text in pages]
    return replace(join_parts(parts, bound_cautions([*cautions])), **found)


class CharacterBudget:
    """Counts the characters read, and refuses a file with more than the limit."""

    def __init__(self, name: str, limits: LoadLimits) -> None:
        self._name, self._limits, self.left = name, limits, limits.characters

    def __call__(self, characters: int) -> None:
        """Count that many characters. Raises DocumentError "too-big"."""
        self.left -= characters
        if self.left < 0:
            raise TooManyCharacters(self._name, self._limits)


def one_line(text: str) -> str:
    """Return `text` on one line with single spaces, without control characters and unpaired surrogates."""
    return " ".join(clean_text(text).split())


def clean_text(text: str) -> str:
    """Replace each control character except tabs and line feeds by a space, and each unpaired surrogate by U+FFFD."""
    text = _CONTROL.sub(" ", text)
    return text if text.isascii() else _HALF_PAIR.sub("\ufffd", text)
