"""Composes one text from parts that were read separately, some of them HTML pages, with a place for each part."""

from collections.abc import Iterable

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Heading, NamedPlace
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.page_text import PARAGRAPH, PageText
from ralph_cli.documents.parsed import (
    ParsedDocument,
    bound_cautions,
    bound_places,
    bound_tables,
    clean_place,
    join_parts,
)


class ComposedText:
    """A text of one page that is built part by part."""

    def __init__(self, name: str, limits: LoadLimits) -> None:
        """`name` is the document's name, for messages."""
        self._name = name
        self._limits = limits
        self._page = PageText()
        self._cautions: dict[Caution, None] = {}

    def warn(self, code: str, message: str) -> None:
        """Add a caution about the document, on one line; a repeated caution is ignored."""
        line = "".join(character if character.isprintable() else "\ufffd" for character in message)
        self._cautions[Caution(code, line)] = None

    def write(
        self, text: str | ParsedDocument, place: str, apart: int = PARAGRAPH, *, title: str = "", noun: str = ""
    ) -> int:
        """Append a text, or a page with its headings one level lower, and return the offset where it begins.

        All of it has the location `place`. `title` adds a heading. `noun` gives each line its own location, such as
        "body, line 3"; if `noun` is "paragraph", lines without text are not counted. Text that is only whitespace is
        not written.
        """
        page = self._page
        raw = text.text if isinstance(text, ParsedDocument) else text.replace("\f", "\n")
        shown = raw.strip("\n")
        if not shown.strip():
            return page.length
        start = at = page.add_line(shown if isinstance(text, str) else text, apart, lower=1)
        if page.length > self._limits.characters:
            raise TooManyCharacters(self._name, self._limits)
        if title:
            page.name_part(title, start, 1)
        if not noun:
            page.places.append(NamedPlace(start, clean_place(place)))
            return start
        count = raw.index(shown) if noun == "line" else 0
        for line in page.text(start).split("\n"):
            count += noun == "line" or bool(line.strip())
            if line.strip():
                page.places.append(NamedPlace(at, clean_place(f"{place}, {noun} {count}")))
            at += len(line) + 1
        return start

    def add_headings(self, headings: Iterable[Heading], start: int) -> None:
        """Add the headings of a text that was written at the offset `start`."""
        self._page.headings += (heading.moved(start) for heading in headings)

    def write_page(self, page: ParsedDocument, place: str, *, noun: str = "") -> None:
        """Append an HTML page that was read, with its cautions."""
        self.write(page, place, noun=noun)
        for caution in page.cautions:
            self.warn(caution.code, f"{place}: {caution.message}")

    def finish(self) -> ParsedDocument:
        """Return the composed document, within the limits of a document. Raises DocumentError "no-text"."""
        page = self._page
        if not page.length:
            raise DocumentError(f"{self._name} has no text", code="no-text", hint="look at it in its own program")
        places, unnamed = bound_places(page.places)
        page.places = list(places)
        if unnamed or len(bound_tables(page.tables)) < len(page.tables):
            self.warn("places-dropped", f"so long that not every place and table is kept{unnamed}")
        return join_parts([page.finish()], bound_cautions(list(self._cautions)))
