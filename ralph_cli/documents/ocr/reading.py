"""Reads the pages of a document that have no text with OCR, and puts the result into the document."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli.core.coverage import format_ranges
from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import Layout, LoadLimits
from ralph_cli.documents.ocr.engine import INSTALL_HINT, OcrEngine, OcrOptions, find_engine
from ralph_cli.documents.ocr.words import UNSURE, unpack_words
from ralph_cli.documents.parsed import ParsedDocument, join_parts, page_text, split_pages
from ralph_cli.documents.process.child import OnProgress, run_parser
from ralph_cli.documents.structure.complete import complete
from ralph_cli.documents.text_cache import read_parsed, write_parsed
from ralph_cli.text.lexicon import pluralize

READ_BY_OCR, FAILED = "ocr", "ocr-failed"
# Increase the number whenever the same words on a page would give another text.
_OCR_VERSION = 1

_NO_TEXT = "no-text"
# Codes of cautions about a page's own text, which do not apply once OCR has read the page.
_TEXT_LAYER_CAUTIONS = frozenset(
    [_NO_TEXT, "nameless-letters", "garbled-letters", "unread-print", "vertical-lines", "changed-letters"]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A file with pages for OCR: its bytes and how they were parsed. `fingerprint` is that of the parse."""

    data: bytes
    name: str
    kind: str
    password: str | None
    layout: Layout
    fingerprint: str


def read_scanned_pages(
    parsed: ParsedDocument,
    scan: Scan,
    options: OcrOptions,
    limits: LoadLimits,
    *,
    store: Path | None = None,
    on_progress: OnProgress = None,
) -> tuple[ParsedDocument, str]:
    """Return the document with the pages that OCR reads, and its fingerprint, which then includes the OCR engine.

    OCR reads all pages if `options` force it, else those without words. The result is kept in `store`. Without the
    program the document stays as it is, with a caution on how to install it. Raises DocumentError "no-text" if the
    document has no text in the end, and "unsupported" if a language is missing or a forced reading has no program.
    """
    pages = _pages_to_read(parsed, options)
    engine = find_engine(options.language) if pages else None
    if engine is None:
        if pages and options.mode == "force":
            raise DocumentError("--ocr force needs the program tesseract", code="unsupported", hint=INSTALL_HINT)
        if parsed.refusal is not None:
            what, hint = parsed.refusal
            hint = hint if options.mode == "never" else INSTALL_HINT
            raise DocumentError(what, code=_NO_TEXT, hint=hint)
        return (_with_hint(parsed) if pages else parsed), scan.fingerprint
    parts = [scan.fingerprint, "ocr", _OCR_VERSION, engine.description, pages]
    fingerprint = hashlib.sha256(json.dumps(parts).encode("utf-8")).hexdigest()
    read = read_parsed(store, fingerprint, limits) if store is not None else None
    if read is None:
        read = _read(scan, pages, engine, limits, on_progress)
        if store is not None and not read.cautions:
            write_parsed(store, fingerprint, read)
    merged = _merge(parsed, pages, read, engine)
    if parsed.refusal is not None and not merged.text.strip():
        what = f"{parsed.refusal[0]}; OCR found no words on it either"
        raise DocumentError(what, code=_NO_TEXT, hint="scan it again, straight and at 200 to 300 dots an inch")
    return complete(replace(merged, refusal=None), scan.kind), fingerprint


def _pages_to_read(parsed: ParsedDocument, options: OcrOptions) -> list[int]:
    """Return the numbers of the pages that OCR should read."""
    if options.mode == "never":
        return []
    if options.mode == "force" or parsed.refusal is not None:
        return list(range(1, len(parsed.pages) + 1))
    return sorted({number for caution in parsed.cautions if caution.code == _NO_TEXT for number in caution.pages})


def _read(
    scan: Scan, pages: Sequence[int], engine: OcrEngine, limits: LoadLimits, on_progress: OnProgress
) -> ParsedDocument:
    """Return these pages as read by a parser process; their number is checked."""

    def decode(answer: bytes) -> ParsedDocument:
        read = ParsedDocument.from_json(answer, limits)
        if len(read.pages) != len(pages):
            raise ValueError("more or fewer pages than were asked for")
        return read

    bounded = replace(limits, seconds_per_page=limits.seconds_per_page + limits.ocr_seconds)
    return run_parser(
        "ocr",
        scan.data,
        decode,
        name=scan.name,
        limits=bounded,
        on_progress=on_progress,
        kind=scan.kind,
        password=scan.password,
        layout=scan.layout,
        pages=list(pages),
        engine=[engine.path, engine.data, engine.language],
    )


def _merge(parsed: ParsedDocument, pages: list[int], read: ParsedDocument, engine: OcrEngine) -> ParsedDocument:
    """Return the document with the OCR pages in place of its own; pages that failed stay unchanged."""
    failed = {pages[place - 1] for caution in read.cautions for place in caution.pages}
    taken = {number - 1: place for place, number in enumerate(pages) if number not in failed}
    parts, found = split_pages(parsed), split_pages(read)
    for index, place in taken.items():
        headings = tuple(it._replace(start=0) for it in parts[index].headings if not it.is_read_off)
        page = found[place].pages[0]._replace(label=parts[index].pages[0].label)
        parts[index] = replace(found[place], headings=headings, pages=(page,))
    return replace(join_parts(parts, tuple(_cautions(parsed, pages, taken, read, engine))), refusal=parsed.refusal)


def _cautions(
    parsed: ParsedDocument, pages: Sequence[int], taken: Mapping[int, int], read: ParsedDocument, engine: OcrEngine
) -> Iterator[Caution]:
    """Yield cautions about the pages that OCR has read or could not read, and the earlier ones that still apply."""
    total = len(parsed.pages)

    def describe(numbers: Sequence[int]) -> str:
        return f"{len(numbers)} of {pluralize(total, 'page')} ({format_ranges(numbers)})"

    has_words = {index + 1: bool(page_text(read, place).strip()) for index, place in taken.items()}
    if by_ocr := [number for number, has in has_words.items() if has]:
        yield Caution(READ_BY_OCR, _describe_reading(read, engine, describe(by_ocr)))
    unread = {number for caution in parsed.cautions if caution.code == _NO_TEXT for number in caution.pages}
    wordless = [number for number, has in has_words.items() if not has]
    if without := [number for number in wordless if number in unread or page_text(parsed, number - 1).strip()]:
        yield Caution(_NO_TEXT, f"OCR found no words on {describe(without)}", tuple(without))
    if failed := [number for number in pages if number - 1 not in taken]:
        message = f"OCR failed or took too long on {describe(failed)}: scan them again, or look at them yourself"
        yield Caution(FAILED, message, tuple(failed))
    for caution in parsed.cautions:
        if caution.code not in _TEXT_LAYER_CAUTIONS or not set(caution.pages) <= set(pages):
            yield caution


def _describe_reading(read: ParsedDocument, engine: OcrEngine, pages: str) -> str:
    """Describe which pages OCR has read, with which program, and how many of their words it is unsure of."""
    words = [word.confidence for scan in read.scans for word in unpack_words(scan.words)]
    unsure = sum(confidence < UNSURE for confidence in words)
    program = engine.description.partition(",")[0]
    message = f"read by OCR ({program}, {engine.language}) and not from the file: {pages}; letters and figures may be "
    return message + f"wrong, and of {pluralize(len(words), 'word')} it is unsure of {unsure:,}"


def _with_hint(parsed: ParsedDocument) -> ParsedDocument:
    """Return the document with a hint on how to read its pages without words."""
    hint = f"; {INSTALL_HINT}"
    cautions = (replace(it, message=it.message + hint * (it.code == _NO_TEXT)) for it in parsed.cautions)
    return replace(parsed, cautions=tuple(cautions))
