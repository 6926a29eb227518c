"""The pages of a document while they are written: text, and what stands where in it."""

from collections.abc import Iterable
from dataclasses import field, replace
from typing import Any

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
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

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_HALF_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class PageText:
    """One page; `hidden` says why no reader sees it, if it is hidden as a whole. Blocks are parted by an empty line."""

    label: str = ""
    hidden: Origin | None = None
    length: int = 0
    headings: list[Heading] = field(default_factory=list)
    quoted: list[Span] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    places: list[NamedPlace] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    marked: list[Addition] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)

    def write(self, text: str) -> int:
        """Add some text as it is, and return where it begins."""
        at = self.length
        self._parts.append(text)
        self.length += len(text)
        return at

    def add_line(self, text: str) -> int:
        """Add some text on a line of its own, and return where it begins."""
        if self.length:
            self.write("\n")
        return self.write(text)

    def add_block(self, text: str) -> int:
        """Add some text, an empty line behind what stands before it, and return where it begins."""
        if self.length:
            self.write("\n\n")
        return self.write(text)

    def add_heading(self, text: str, level: int) -> int:
        """Add a heading, and return where it begins."""
        at = self.add_block(text)
        self.name_part(text, at, level)
        return at

    def name_part(self, text: str, at: int, level: int) -> None:
        """Say that what was written at a place is a heading with this text; one without words is none."""
        if title := clean_heading(text):
            self.headings.append(Heading(title, at, min(max(level, 1), 100)))

    def add_tables(self, text: str, tables: Iterable[Table]) -> int:
        """Add a block of text with tables in it, whose offsets are those of that text; returns where it begins."""
        at = self.add_block(text)
        self.tables += (table.moved(at) for table in tables)
        return at

    def add_from(self, origin: Origin, label: str, text: str) -> int:
        """Add a block of words from there, behind a label in brackets, and return where it begins."""
        at = self.add_block(f"[{label}] {text}")
        self.mark(origin, at, self.length)
        return at

    def add_parsed(self, parsed: ParsedDocument, at: int, lower: int = 0) -> None:
        """Take over what stands in a text that was written at a place, its headings so many levels lower."""
        self.headings += (it.moved(at)._replace(level=min(it.level + lower, 100)) for it in parsed.headings)
        self.quoted += (it.moved(at) for it in parsed.quoted)
        self.tables += (it.moved(at) for it in parsed.tables)
        self.notes += (it.moved(at) for it in parsed.notes)
        self.marked += (it.moved(at) for it in parsed.additions)

    def mark(self, origin: Origin, start: int, end: int) -> None:
        """Say of some characters where they are from; those that are marked already stay as they are."""
        if start < end:
            self.marked.append(Addition(start, end, origin))

    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def additions(self, most: int = MAX_PASSAGES) -> list[Addition]:
        """What was marked, in order and apart, what is hidden first; of a hidden page all of it.

        Of more than `most` those of dates in regional form are left out; of more than that one is made that holds them
        all: what stands between counts as hidden, rather than that something hidden counts as seen.
        """
        if self.hidden:
            return [Addition(0, self.length, self.hidden)] if self.length else []
        found: list[Addition] = []
        for one in sorted(self.marked, key=lambda addition: (addition.start, addition.origin not in HIDDEN_ORIGINS)):
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
        """The page as a document by itself, with at most so many additions."""
        text = self.text()
        return ParsedDocument(
            text,
            (Page(1, clean_label(self.label), 0, len(text)),),
            headings=tuple(sorted(self.headings, key=lambda heading: heading.start)),
            quoted=tuple(self.quoted),
            notes=tuple(self.notes),
            tables=tuple(sorted(self.tables)),
            additions=tuple(self.additions(most)),
            places=tuple(self.places),
        )


def finish_document(
    pages: Iterable[PageText], findings: Findings, name: str, limits: LoadLimits, *, empty_hint: str
) -> ParsedDocument:
    """The document of these pages. Raises DocumentError too-big, no-text; `empty_hint` says what to do then."""
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
    """A document of pages that are plain text."""
    parts = [ParsedDocument(text, (Page(1, "", 0, len(text)),)) for text in pages]
    return replace(join_parts(parts, bound_cautions([*cautions])), **found)


class CharacterBudget:
    """Counts the characters that are read, and refuses a file with more than a document may have."""

    def __init__(self, name: str, limits: LoadLimits) -> None:
        self._name, self._limits, self._left = name, limits, limits.characters

    def __call__(self, characters: int) -> None:
        """Count so many more. Raises DocumentError "too-big"."""
        self._left -= characters
        if self._left < 0:
            raise TooManyCharacters(self._name, self._limits)


def one_line(text: str) -> str:
    """Some text on one line, with single spaces, without control characters and halves of characters."""
    return " ".join(clean_text(text).split())


def clean_text(text: str) -> str:
    """Some text with a space for each control character but line ends and tabs; half a character becomes U+FFFD."""
    text = _CONTROL.sub(" ", text)
    return text if text.isascii() else _HALF_PAIR.sub("\ufffd", text)
