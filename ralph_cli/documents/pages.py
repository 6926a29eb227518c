"""Reads the pages of a loaded PDF again, to check what they show and whether a reader sees it."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.ocr.words import scanned_words
from ralph_cli.documents.process.child import run_parser
from ralph_cli.documents.sets.joining import split_spans, take_member
from ralph_cli.documents.sight import Visibility, combine, visibilities_from_json
from ralph_cli.documents.sniff import OCR_KINDS, display_name
from ralph_cli.documents.source import DocumentSource

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class FilePart:
    """The spans of a document that are in one file.

    `document` is the file's own document, and `spans` are offsets in it. `numbers` are the indices of these spans in
    the request. `name` is the file's name in a set, "" outside of sets.
    """

    name: str
    document: Document
    spans: tuple[Span, ...]
    numbers: tuple[int, ...]
    source: DocumentSource | None


def split_by_file(
    document: Document, spans: Sequence[Span], source: DocumentSource | None = None
) -> Iterator[FilePart]:
    """Group spans by file. For a set, each of its documents is a file."""
    if not document.members:
        yield FilePart("", document, tuple(spans), tuple(range(len(spans))), source)
        return
    source = source or DocumentSource(document.path)
    for member, numbers in split_spans(document, spans):
        own = tuple(Span(spans[n].start - member.start, spans[n].end - member.start) for n in numbers)
        part = take_member(document, member)
        yield FilePart(member.name, part, own, tuple(numbers), source.of_member(member))


def check_visibility(
    document: Document, spans: Sequence[Span], *, source: DocumentSource | None = None
) -> list[Visibility]:
    """Return whether a reader of the PDF sees the words of each span, in the order of the spans; renders the pages.

    Raises DocumentError as `ask_pages` does.
    """
    pages, owners = group_by_page(document, spans)
    span_numbers = [number for page in pages for number in owners[page["number"]]]
    decode = partial(visibilities_from_json, count=len(span_numbers))
    answers = ask_pages("seen", document, pages, decode, source=source)
    parts: list[list[Visibility]] = [[] for _ in spans]
    for number, answer in zip(span_numbers, answers, strict=True):
        parts[number].append(answer)
    return [combine(group) for group in parts]


def group_by_page(document: Document, spans: Sequence[Span]) -> tuple[list[dict[str, Any]], dict[int, list[int]]]:
    """Return the parser's request for each page with spans, and the indices of the spans on each page number.

    A span may cross pages. The request has the page's number, its text, and the parts of spans as offsets in that
    text. For a page read by OCR it also has the boxes of each part, because the file does not contain those words.
    """
    pages, owners = [], {}
    scanned = {scan.number for scan in document.scans}
    for page in document.pages:
        inside = [index for index, span in enumerate(spans) if span.start < page.end and page.start < span.end]
        if not inside:
            continue
        owners[page.number] = inside
        places = [(max(spans[index].start, page.start), min(spans[index].end, page.end)) for index in inside]
        parts = [(start - page.start, end - page.start) for start, end in places]
        given = {"number": page.number, "text": document.text[page.start : page.end], "spans": parts}
        if page.number in scanned:
            given["boxes"] = [[word[3:] for word in scanned_words(document, Span(*place))] for place in places]
        pages.append(given)
    return pages, owners


def ask_pages(
    operation: str,
    document: Document,
    pages: list[dict[str, Any]],
    decode: Callable[[bytes], _Result],
    *,
    source: DocumentSource | None,
    **options: Any,
) -> _Result:
    """Ask the parser process about pages of the PDF that `document` was loaded from; `group_by_page` returns `pages`.

    `source` says how the document was loaded. Raises DocumentError "unsupported" if the document is not a PDF,
    "changed" if the file or its text differs from what was loaded, and the errors of loading, such as timeout and
    crashed.
    """
    name = display_name(document.path)
    if document.kind not in OCR_KINDS:
        raise DocumentError(f"{name} is not a PDF, so its text has no positions on pages", code="unsupported")
    if source is None or not source.path:
        source = replace(source or DocumentSource(""), path=document.path)
    data = source.read()
    if hashlib.sha256(data).hexdigest() != document.sha256:
        raise DocumentError(f"{name} has changed since it was loaded", code="changed", hint="load it again")
    options |= {"kind": document.kind, "pages": pages, "password": source.password, "layout": source.layout}
    return run_parser(operation, data, decode, name=name, limits=DEFAULT_LIMITS, **options)
