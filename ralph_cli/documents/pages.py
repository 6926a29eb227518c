"""The pages of a PDF asked again, once its text is known: where words stand, and whether a reader sees them."""

import hashlib
from collections.abc import Sequence
from typing import Any

from ralph_cli.core.document import Document, Page, Span
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.hidden_reasons import Visibility, combine, visibilities_from_json
from ralph_cli.documents.limits import DEFAULT_LIMITS, LoadLimits
from ralph_cli.documents.load import parser_request, read_bytes, read_standard_input
from ralph_cli.documents.parsed import Box, boxes_from_json
from ralph_cli.documents.process.child import invalid_result_error, run_parser
from ralph_cli.documents.sniff import display_name
from ralph_cli.documents.source import DocumentSource


def page_boxes(
    document: Document,
    spans: Sequence[Span],
    *,
    source: DocumentSource | None = None,
    limits: LoadLimits = DEFAULT_LIMITS,
) -> dict[int, list[Box]]:
    """Where spans of a PDF stand on paper: page number -> one rectangle per line (or per cell that stands apart).

    A span may cross pages. `source` is that which the document was loaded from. Raises DocumentError "changed" if the
    file or its text is no longer what was loaded, "unsupported" if the document is not a PDF.
    """
    name, data = display_name(document.path), reread_pdf(document, source, limits)
    found: dict[int, list[Box]] = {}
    for page in document.pages:
        inside = [part for span in spans if (part := _part_on_page(page, span)) is not None]
        if not inside:
            continue
        request = page_request("boxes", document, source, limits) | {
            "page": page.number,
            "text": document.text[page.start : page.end],
            "spans": inside,
        }
        try:
            found[page.number] = boxes_from_json(run_parser(request, data, name=name, limits=limits))
        except ValueError as error:
            raise invalid_result_error(name, error) from None
    return found


def reread_pdf(document: Document, source: DocumentSource | None = None, limits: LoadLimits = DEFAULT_LIMITS) -> bytes:
    """The bytes of the PDF that `document` was loaded from.

    Raises DocumentError "unsupported" if it is not a PDF, "changed" if the file is no longer what was loaded, and what
    `load` raises for a file that cannot be read.
    """
    if document.kind != "pdf":
        raise DocumentError(
            f"{display_name(document.path)} is not a PDF, so its text has no places on pages", code="unsupported"
        )
    data = (
        read_standard_input(source.standard_input if source else None, limits)
        if document.path == "-"
        else read_bytes(document.path, limits)
    )
    if hashlib.sha256(data).hexdigest() != document.sha256:
        raise DocumentError(
            f"{display_name(document.path)} has changed since it was loaded", code="changed", hint="load it again"
        )
    return data


def check_visibility(
    document: Document,
    spans: Sequence[Span],
    *,
    source: DocumentSource | None = None,
    limits: LoadLimits = DEFAULT_LIMITS,
) -> list[Visibility]:
    """Whether a reader of a PDF sees the words of each span, in their order; its pages are rendered for it.

    `source` is that which the document was loaded from. Raises DocumentError as `page_boxes` does, and timeout or
    crashed.
    """
    name, data = display_name(document.path), reread_pdf(document, source, limits)
    pages: list[tuple[int, str, list[tuple[int, int]]]] = []
    span_numbers: list[int] = []
    for page in document.pages:
        inside = [
            (number, part) for number, span in enumerate(spans) if (part := _part_on_page(page, span)) is not None
        ]
        if inside:
            pages.append((page.number, document.text[page.start : page.end], [part for _, part in inside]))
            span_numbers += [number for number, _ in inside]
    request = page_request("seen", document, source, limits) | {"pages": pages}
    try:
        answers = visibilities_from_json(run_parser(request, data, name=name, limits=limits), len(span_numbers))
    except ValueError as error:
        raise invalid_result_error(name, error) from None
    return [
        combine([answer for answer, span_number in zip(answers, span_numbers, strict=True) if span_number == number])
        for number in range(len(spans))
    ]


def _part_on_page(page: Page, span: Span) -> tuple[int, int] | None:
    """The part of a span that is on a page, in offsets of its text; None if it is elsewhere."""
    start, end = max(span.start, page.start), min(span.end, page.end)
    return (start - page.start, end - page.start) if start < end else None


def page_request(
    operation: str, document: Document, source: DocumentSource | None, limits: LoadLimits
) -> dict[str, Any]:
    """What the parser process is asked about the pages of a PDF, with the options that it was loaded with."""
    source = source or DocumentSource("")
    options = {"password": source.password, "layout": source.layout}
    return parser_request(operation, display_name(document.path), limits, **options)
