"""The pages of a document that only show words, read by OCR and put into its text."""

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
# Raised whenever the same words on a page would give another text.
_OCR_VERSION = 1

_NO_TEXT = "no-text"
# Codes of cautions about the text that a file has of its pages, which no longer hold of what OCR has read.
_TEXT_LAYER_CAUTIONS = frozenset(
    [_NO_TEXT, "nameless-letters", "garbled-letters", "unread-print", "vertical-lines", "changed-letters"]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """A file with pages that OCR may read: its bytes, and how they were parsed. `fingerprint` is that of the parse."""

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
    """The document with what OCR reads on its pages, and its fingerprint, which then covers what has read it.

    Read are all pages if `options` force it, else those without words. What was read is kept in `store`. Without the
    program the document is as it was, with a caution that says how to get it. Raises DocumentError: "no-text" when the
    document has none in the end, "unsupported" when a language is missing, or a forced reading has no program.
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
    """The numbers of the pages that are to be read by OCR."""
    if options.mode == "never":
        return []
    if options.mode == "force" or parsed.refusal is not None:
        return list(range(1, len(parsed.pages) + 1))
    return sorted({number for caution in parsed.cautions if caution.code == _NO_TEXT for number in caution.pages})


def _read(
    scan: Scan, pages: Sequence[int], engine: OcrEngine, limits: LoadLimits, on_progress: OnProgress
) -> ParsedDocument:
    """What a parser process reads on these pages; whatever it is, it has as many of them."""

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
    """The document with the pages that were read in the place of its own; one that failed stays as it was."""
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
    """What a reader must know of the pages that OCR has read, or could not; and all that still holds."""
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
    """Which pages OCR has read, with what, and of how many of their words it is unsure."""
    words = [word.confidence for scan in read.scans for word in unpack_words(scan.words)]
    unsure = sum(confidence < UNSURE for confidence in words)
    program = engine.description.partition(",")[0]
    message = f"read by OCR ({program}, {engine.language}) and not from the file: {pages}; letters and figures may be "
    return message + f"wrong, and of {pluralize(len(words), 'word')} it is unsure of {unsure:,}"


def _with_hint(parsed: ParsedDocument) -> ParsedDocument:
    """The document with a caution that says how its pages without words can be read."""
    hint = f"; {INSTALL_HINT}"
    cautions = (replace(it, message=it.message + hint * (it.code == _NO_TEXT)) for it in parsed.cautions)
    return replace(parsed, cautions=tuple(cautions))
