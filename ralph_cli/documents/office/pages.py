"""The pages of a document while they are written: text, and what stands where in it."""

from collections.abc import Iterable
from dataclasses import field

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.document import HIDDEN_ORIGINS, Addition, Origin, Table
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.parsed import (
    MAX_PASSAGES,
    ParsedAddition,
    ParsedDocument,
    ParsedHeading,
    ParsedNote,
    ParsedPage,
    ParsedPlace,
    ParsedTable,
    bound_tables,
    clean_heading,
    clean_label,
)

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_HALF_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class PageText:
    """One page; `hidden` says why no reader sees it, if it is hidden as a whole. Blocks are parted by an empty line."""

    label: str = ""
    hidden: Origin | None = None
    length: int = 0
    headings: list[tuple[int, str, int]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    places: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, int, int]] = field(default_factory=list)
    _additions: list[Addition] = field(default_factory=list)
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
        self.headings.append((at, text, level))
        return at

    def add_table(self, text: str, table: Table) -> None:
        """Add a table whose offsets are those of its text."""
        self.tables.append(table.moved(self.add_block(text)))

    def add_from(self, origin: Origin, label: str, text: str) -> int:
        """Add a block of words from there, behind a label in brackets, and return where it begins."""
        at = self.add_block(f"[{label}] {text}")
        self.mark(origin, at, self.length)
        return at

    def mark(self, origin: Origin, start: int, end: int) -> None:
        """Say of some characters where they are from; those that are marked already stay as they are."""
        if start < end:
            self._additions.append(Addition(start, end, origin))

    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def additions(self, most: int = MAX_PASSAGES) -> list[Addition]:
        """What was marked, in order and apart; of a hidden page all of it.

        Of more than `most` one is made that holds them all: what stands between counts as hidden, rather than that
        something hidden counts as seen.
        """
        if self.hidden:
            return [Addition(0, self.length, self.hidden)] if self.length else []
        found: list[Addition] = []
        for one in sorted(self._additions, key=lambda addition: addition.start):
            start = max(one.start, found[-1].end if found else 0)
            if start < one.end:
                found.append(Addition(start, one.end, one.origin))
        if len(found) <= most:
            return found
        origin = next((one.origin for one in found if one.origin in HIDDEN_ORIGINS), found[0].origin)
        return [Addition(found[0].start, found[-1].end, origin)]


def finish_document(
    pages: Iterable[PageText], findings: Findings, name: str, limits: LoadLimits, *, empty_hint: str
) -> ParsedDocument:
    """The document of these pages. Raises DocumentError too-big, no-text; `empty_hint` says what to do then."""
    pages = list(pages)
    if sum(page.length for page in pages) > limits.characters:
        raise TooManyCharacters(name, limits)
    if len(pages) > limits.pages:
        raise DocumentError(f"{name} has more than {limits.pages:,} pages", code="too-big", hint="split the file")
    texts = [page.text() for page in pages]
    if not any(text.strip() for text in texts):
        if findings.unreadable:
            raise DocumentError(f"{name} is damaged: {findings.unreadable[0][0]}", code="damaged", hint=empty_hint)
        why = "no text that a reader sees" if findings.hidden else "no text"
        raise DocumentError(f"{name} has {why}", code="no-text", hint=empty_hint)
    most = MAX_PASSAGES // len(pages)
    additions = [ParsedAddition(at, found) for at, page in enumerate(pages) for found in page.additions(most)]
    return ParsedDocument(
        tuple(ParsedPage(text, clean_label(page.label)) for text, page in zip(texts, pages, strict=True)),
        tuple(
            ParsedHeading(at, offset, title, min(max(level, 1), 100))
            for at, page in enumerate(pages)
            for offset, text, level in page.headings
            if (title := clean_heading(text))
        )[:MAX_PASSAGES // 2],
        findings.cautions(),
        notes=tuple(ParsedNote(at, *note) for at, page in enumerate(pages) for note in page.notes)[:MAX_PASSAGES],
        tables=bound_tables([ParsedTable(at, table) for at, page in enumerate(pages) for table in page.tables]),
        additions=tuple(additions),
        places=tuple(ParsedPlace(at, *place) for at, page in enumerate(pages) for place in page.places),
    )  # fmt: skip


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
