"""One text put together from parts that were read on their own, some of them pages of HTML, with a place for each."""

from collections.abc import Iterable
from dataclasses import replace

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.parsed import (
    MAX_HEADINGS,
    MAX_PASSAGES,
    ParsedAddition,
    ParsedDocument,
    ParsedHeading,
    ParsedPage,
    ParsedPlace,
    ParsedTable,
    bound_cautions,
    bound_places,
    bound_tables,
    clean_heading,
    clean_place,
)

_APART = "\n\n"


class ComposedText:
    """A text of one page that grows part by part."""

    def __init__(self, name: str, limits: LoadLimits) -> None:
        """`name` is the document's, for messages."""
        self._name = name
        self._limits = limits
        self._pieces: list[str] = []
        self._length = 0
        self._headings: list[ParsedHeading] = []
        self._places: list[ParsedPlace] = []
        self._quoted: list[tuple[int, int, int]] = []
        self._tables: list[ParsedTable] = []
        self._additions: list[ParsedAddition] = []
        self._cautions: dict[Caution, None] = {}

    def warn(self, code: str, message: str) -> None:
        """Say something about the document on one line; what was said before is not said again."""
        line = "".join(character if character.isprintable() else "\ufffd" for character in message)
        self._cautions[Caution(code, line)] = None

    def write(self, text: str, place: str, apart: str = _APART, *, title: str = "") -> int:
        """Add a text, which begins behind `apart`, and return where it begins; all of it is at `place`.

        It has a heading if `title` is given. A text of nothing but blanks is not written.
        """
        text = text.replace("\f", "\n").strip("\n")
        if not text.strip():
            return self._length
        if self._pieces:
            self._pieces.append(apart)
            self._length += len(apart)
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        if self._length > self._limits.characters:
            raise TooManyCharacters(self._name, self._limits)
        self._places.append(ParsedPlace(0, start, clean_place(place)))
        if title:
            self._headings.append(ParsedHeading(0, start, clean_heading(title), 1))
        return start

    def add_headings(self, headings: Iterable[ParsedHeading], start: int) -> None:
        """Add headings of a text that was written at `start`."""
        self._headings += (replace(heading, offset=heading.offset + start) for heading in headings)

    def write_counted(self, text: str, place: str, noun: str) -> int:
        """Add a text whose lines have places of their own: "body, line 3".

        Where the noun is "paragraph", lines without words are not counted.
        """
        text = text.replace("\f", "\n")
        count = len(text) - len(text.lstrip("\n")) if noun == "line" else 0
        start = at = self.write(text, place)
        if not text.strip():
            return start
        self._places.pop()
        for line in text.strip("\n").split("\n"):
            count += noun == "line" or bool(line.strip())
            if line.strip():
                self._places.append(ParsedPlace(0, at, clean_place(f"{place}, {noun} {count}")))
            at += len(line) + 1
        return start

    def write_page(self, page: ParsedDocument, place: str, *, counted: bool = False) -> None:
        """Add what was read of a page of HTML, its headings one level lower, and its cautions."""
        text = page.pages[0].text
        start = self.write_counted(text, place, "paragraph") if counted else self.write(text, place)
        start -= len(text) - len(text.lstrip("\n"))
        self.add_headings((replace(heading, level=heading.level + 1) for heading in page.headings), start)
        self._quoted += ((0, first + start, last + start) for _, first, last in page.quoted)
        self._tables += (ParsedTable(0, found.table.moved(start)) for found in page.tables)
        self._additions += (ParsedAddition(0, found.addition.moved(start)) for found in page.additions)
        for caution in page.cautions:
            self.warn(caution.code, f"{place}: {caution.message}")

    def finish(self) -> ParsedDocument:
        """What was put together, within the bounds of a document. Raises DocumentError "no-text"."""
        if not self._pieces:
            raise DocumentError(f"{self._name} has no text", code="no-text", hint="look at it in its own program")
        tables = bound_tables(self._tables)
        places, unnamed = bound_places(self._places)
        if unnamed or len(tables) < len(self._tables):
            self.warn("places-dropped", f"so long that not every place and table is kept{unnamed}")
        return ParsedDocument(
            (ParsedPage("".join(self._pieces)),),
            tuple(self._headings[:MAX_HEADINGS]),
            bound_cautions(list(self._cautions)),
            tuple(self._quoted[:MAX_PASSAGES]),
            tables=tables,
            additions=tuple(self._additions[:MAX_PASSAGES]),
            places=places,
        )
