"""Checks whether a reader sees words of the text, using the pages of a PDF and the characters."""

from collections.abc import Callable, Sequence

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import UNSEEN_ORIGINS, Span
from ralph_cli.documents.invisible import unreadable_reason
from ralph_cli.documents.pages import check_visibility, split_by_file
from ralph_cli.documents.sight import Visibility
from ralph_cli.documents.sniff import OCR_KINDS
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.quotes.additions import overlapping_additions

UNCHECKED_VISIBILITY = "unchecked-visibility"
SCAN_TEXT_LAYER = "text-layer"

# Called with a code and a message about a check that was limited or not possible.
OnCaution = Callable[[str, str], None]


class VisibilityChecker:
    """Finds why a reader cannot see words; every span is checked once.

    A file that is missing, changed or not renderable causes one caution and is not tried again; its words are assumed
    to be visible. `source` is the source that the document was loaded from.
    """

    def __init__(self, document: Document, on_caution: OnCaution, source: DocumentSource | None = None) -> None:
        self._document, self._caution, self._source = document, on_caution, source
        self._known: dict[Span, Visibility] = {}
        self._failed: set[str] = set()
        self._warned_of_scans = False

    def __call__(self, spans: Sequence[Span]) -> dict[Span, str]:
        """Return for each span why a reader cannot see it; "" if nothing hides it."""
        fresh = [span for span in dict.fromkeys(spans) if span not in self._known]
        if fresh:
            self._known |= zip(fresh, self._check_pages(fresh), strict=True)
            self._warn_of_scans(fresh)
        text = self._document.text
        return {
            span: _describe_reason(self._known[span])
            or _hidden_part(self._document, span)
            or unreadable_reason(text, span.start, span.end)
            for span in spans
        }

    def _check_pages(self, spans: Sequence[Span]) -> Sequence[Visibility]:
        found = [Visibility()] * len(spans)
        for part in split_by_file(self._document, spans, self._source):
            if part.document.kind not in OCR_KINDS or part.name in self._failed:
                continue
            try:
                answers = check_visibility(part.document, part.spans, source=part.source)
            except DocumentError as error:
                self._failed.add(part.name)
                message = f"quotes could not be checked for visibility: {error.message}"
                self._caution(UNCHECKED_VISIBILITY, f"{message}; check the pages yourself")
            else:
                for number, answer in zip(part.numbers, answers, strict=True):
                    found[number] = answer
        return found

    def _warn_of_scans(self, spans: Sequence[Span]) -> None:
        scans = [span for span in spans if self._known[span].on_picture]
        if scans and not self._warned_of_scans:
            self._warned_of_scans = True
            page = self._document.page_at(min(span.start for span in scans))
            message = f"{self._document.describe_page(page)} is a scan with a text layer: whether the image shows the "
            self._caution(
                SCAN_TEXT_LAYER, f"{message}same words as the layer was not checked, here and on similar pages"
            )


def _describe_reason(answer: Visibility) -> str:
    return f"in part {answer.reason}" if answer.reason and answer.partly else answer.reason


def _hidden_part(document: Document, span: Span) -> str:
    """Return the hidden part of the document, such as a hidden row, that contains words of a span; "" without one."""
    for addition in overlapping_additions(document, span):
        words = document.text[max(addition.start, span.start) : min(addition.end, span.end)]
        if addition.origin in UNSEEN_ORIGINS and any(map(str.isalnum, words)):
            partly = "" if addition.start <= span.start and span.end <= addition.end else "in part "
            return f"{partly}in a {addition.origin}"
    return ""
