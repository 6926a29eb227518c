"""A document, and texts about it, with their figures written as in English. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.text.languages.figures import EnglishFigures, in_english, writes_points
from ralph_cli.text.languages.words import language_of


@dataclass(frozen=True, slots=True)
class DocumentInEnglish:
    """The `document` with its figures written as in English, at the same positions; `read` has both texts.

    `language` applies to passages that do not show their own language. `points` tells whether decimals have a point.
    """

    document: Document
    read: EnglishFigures
    language: str
    points: Callable[[], bool | None]

    def read_text(self, text: str) -> EnglishFigures:
        """Return a text about the document, read in the document's language unless its words show another."""
        return in_english(text, self.language, self.points)

    def read_words(self, quote: Quote) -> EnglishFigures:
        """Return a quote's words as read in their passage; as read alone if the document has other words there."""
        if self.read.original[quote.start : quote.end] != quote.text:
            return self.read_text(quote.text)
        return self.read.cut(quote.start, quote.end)

    def read_quote(self, quote: Quote) -> Quote:
        """Return a quote with its figures written as in English."""
        return replace(quote, text=self.read_words(quote).text)


def read_in_english(document: Document) -> DocumentInEnglish:
    """Return the document in its language, as a person stated it or its text shows it. For `Document.derive`."""
    language = document.language or language_of(document.text)
    points = cache(lambda: writes_points(document.text))  # most texts have no passage of which that is asked
    read = in_english(document.text, language, points)
    english = replace(document, text=read.text) if read.text != document.text else document
    return DocumentInEnglish(english, read, language, points)
