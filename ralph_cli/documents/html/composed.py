"""One text put together from parts that were read on their own, some of them pages of HTML, with a place for each."""

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
    """A text of one page that grows part by part."""

    def __init__(self, name: str, limits: LoadLimits) -> None:
        """`name` is the document's, for messages."""
        self._name = name
        self._limits = limits
        self._page = PageText()
        self._cautions: dict[Caution, None] = {}

    def warn(self, code: str, message: str) -> None:
        """Say something about the document on one line; what was said before is not said again."""
        line = "".join(character if character.isprintable() else "\ufffd" for character in message)
        self._cautions[Caution(code, line)] = None

    def write(
        self, text: str | ParsedDocument, place: str, apart: int = PARAGRAPH, *, title: str = "", noun: str = ""
    ) -> int:
        """Add a text, or a page with its headings one level lower, and return where it begins; all of it is at `place`.

        It has a heading if `title` is given. With a `noun` its lines have places of their own, "body, line 3"; where
        that is "paragraph", lines without words are not counted. A text of nothing but blanks is not written.
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
        """Add headings of a text that was written at `start`."""
        self._page.headings += (heading.moved(start) for heading in headings)

    def write_page(self, page: ParsedDocument, place: str, *, noun: str = "") -> None:
        """Add what was read of a page of HTML, and its cautions."""
        self.write(page, place, noun=noun)
        for caution in page.cautions:
            self.warn(caution.code, f"{place}: {caution.message}")

    def finish(self) -> ParsedDocument:
        """What was put together, within the bounds of a document. Raises DocumentError "no-text"."""
        page = self._page
        if not page.length:
            raise DocumentError(f"{self._name} has no text", code="no-text", hint="look at it in its own program")
        places, unnamed = bound_places(page.places)
        page.places = list(places)
        if unnamed or len(bound_tables(page.tables)) < len(page.tables):
            self.warn("places-dropped", f"so long that not every place and table is kept{unnamed}")
        return join_parts([page.finish()], bound_cautions(list(self._cautions)))
