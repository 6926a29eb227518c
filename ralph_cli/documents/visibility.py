"""Whether a reader of a document sees words of its text: asked of the pages of a PDF, and of the characters."""

from collections.abc import Callable, Sequence

from ralph_cli.core.document import Document, Span
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.hidden_reasons import Seen
from ralph_cli.documents.invisible import unreadable
from ralph_cli.documents.pages import seen_on_pages
from ralph_cli.documents.source import DocumentSource

UNCHECKED = "unchecked-visibility"
SCAN = "text-layer"

Caution = Callable[[str, str], None]
"""Called with a code and a message when a reader should know something of what was, or was not, looked at."""


class Sight:
    """Answers why a reader cannot see words; every span is looked at once.

    A file that is gone, has changed or cannot be rendered is cautioned of once and not tried again: the words were
    found in the text, and nothing is said of how they look. `source` is where the document was loaded from.
    """

    def __init__(self, document: Document, caution: Caution, source: DocumentSource | None = None) -> None:
        self._document, self._caution, self._source = document, caution, source
        self._known: dict[Span, Seen] = {}
        self._blind = document.kind != "pdf"
        self._told_of_pictures = False

    def __call__(self, spans: Sequence[Span]) -> dict[Span, str]:
        """For each span why a reader cannot see it, "" if nothing speaks against it."""
        fresh = [span for span in dict.fromkeys(spans) if span not in self._known]
        if fresh:
            self._known |= zip(fresh, self._looked_at(fresh), strict=True)
            self._tell_of_pictures(fresh)
        text = self._document.text
        return {span: _told(self._known[span]) or unreadable(text, span.start, span.end) for span in spans}

    def _looked_at(self, spans: Sequence[Span]) -> Sequence[Seen]:
        if not self._blind:
            try:
                return seen_on_pages(self._document, spans, source=self._source)
            except DocumentError as error:
                self._blind = True
                message = f"quotes could not be checked for visibility: {error.message}"
                self._caution(UNCHECKED, f"{message}; look at the pages yourself")
        return [Seen()] * len(spans)

    def _tell_of_pictures(self, spans: Sequence[Span]) -> None:
        pages = sorted({self._document.page_at(span.start).number for span in spans if self._known[span].picture})
        if pages and not self._told_of_pictures:
            self._told_of_pictures = True
            message = (
                f"page {pages[0]} is a picture with a text layer (a scan): whether the picture shows the words of "
            )
            self._caution(SCAN, f"{message}the layer, there and on pages like it, was not checked")


def _told(seen: Seen) -> str:
    return f"in part {seen.why}" if seen.why and seen.part else seen.why
