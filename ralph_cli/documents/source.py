"""The source of a document: its path and reading options in one value, for every function that reads it again."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from ralph_cli.core.document import Caution, Document, Member
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import DEFAULT_LIMITS, Layout, LoadLimits
from ralph_cli.documents.load import empty_error, loader_fingerprint, read_bytes, read_standard_input, too_big_error
from ralph_cli.documents.ocr.engine import DEFAULT_OCR, OcrOptions
from ralph_cli.documents.ocr.reading import Scan, read_scanned_pages
from ralph_cli.documents.parsed import ParsedDocument, assemble
from ralph_cli.documents.plain.reader import parse_text
from ralph_cli.documents.process.child import StartParser, run_parser, start_parser
from ralph_cli.documents.sets.containers import read_inner
from ralph_cli.documents.sniff import (
    DECODED_KINDS,
    OCR_KINDS,
    TEXT_KINDS,
    Kind,
    display_name,
    identify,
    is_encrypted_office,
)
from ralph_cli.documents.structure.complete import complete
from ralph_cli.documents.text_cache import is_kept, read_parsed, write_parsed

# Codes of cautions about an option that has no effect on this file.
UNUSED_PASSWORD, UNUSED_ENCODING = UNUSED_OPTIONS = ("unused-password", "unused-encoding")

# Called with the number of pages or files read and the total; a text counts as one page.
OnLoading = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A document's path ("-" for standard input) and the options for reading it.

    `standard_input` returns the bytes of "-" and is called once; without it the program's own standard input is read.
    `layout` applies to a PDF's text and `encoding` to a text file. `ocr` says which parts of a PDF or picture OCR
    reads. `on_loading` is called for PDFs that are not in the cache. `document` is the document loaded from this
    source before. `inner` are the file's names within the archive at `path`, outermost first.

    With `others`, or if `path` is a folder, a pattern or an archive, the source is a set; see
    `documents.sets.loading`. `strict` makes an unreadable file an error. `on_files` is called with the number of
    files read. `apart` are files in the set that contain questions and are therefore not documents.
    """

    path: str
    password: str | None = field(default=None, repr=False)
    encoding: str | None = None
    layout: Layout = "auto"
    ocr: OcrOptions = DEFAULT_OCR
    standard_input: Callable[[], bytes] | None = field(default=None, repr=False)
    on_loading: OnLoading | None = field(default=None, repr=False)
    document: Document | None = field(default=None, repr=False)
    inner: tuple[str, ...] = ()
    others: tuple["DocumentSource", ...] = ()
    strict: bool = False
    on_files: OnLoading | None = field(default=None, repr=False)
    apart: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if self.standard_input is not None:
            # A pipe can be read only once, but a document is often read again: for its pages, and for pictures of them.
            object.__setattr__(self, "standard_input", cache(self.standard_input))

    @classmethod
    def of(
        cls, document: "DocumentLike", *, password: str | None = None, encoding: str | None = None
    ) -> "DocumentSource":
        """Return the source that `document` is or names. `password` and `encoding` are added to a path or a document.

        Raises DocumentError "no-document" for anything else.
        """
        if isinstance(document, DocumentSource):
            return document
        if isinstance(document, Document):
            return cls(document.path, password, encoding, document=document)
        if isinstance(document, Sequence) and not isinstance(document, str) and document:
            first, *others = (cls.of(item, password=password, encoding=encoding) for item in document)
            return replace(first, others=tuple(others))
        if not isinstance(document, str | Path):
            what = f"a document is given by its path, as a str or Path, not as {type(document).__name__}"
            raise DocumentError(what, code="no-document", hint='ask("report.pdf", "What was ...?")')
        return cls(str(document), password, encoding)

    def of_member(self, member: Member) -> "DocumentSource":
        """Return the source of one document of the set loaded from this source, with the same options."""
        named = next((other for other in self.others if other.path == member.path), self)
        return replace(named, path=member.path, inner=member.inner, others=(), document=None)

    def with_ocr(self, options: OcrOptions) -> "DocumentSource":
        """Return this source with other OCR options; a loaded document stays unchanged."""
        return replace(self, ocr=options)

    def load(self, cache: Path | None = None, limits: LoadLimits = DEFAULT_LIMITS) -> Document:
        """Return the document, and load it if necessary. Raises DocumentError as `read` and `load_bytes` do."""
        return self.document or self.load_bytes(self.read(limits), cache, limits)

    def loaded(self, cache: Path | None = None) -> "DocumentSource":
        """Return this source with its document loaded. Raises DocumentError."""
        return replace(self, document=self.load(cache))

    @property
    def record(self) -> dict[str, object]:
        """The options that a run's record keeps, so that the document can be read in the same way again."""
        encoding = {"encoding": self.encoding} if self.encoding else {}
        scanned = self.document is not None and self.document.scans
        return encoding | ({"ocr": self.ocr.record()} if scanned else {})

    def read(self, limits: LoadLimits = DEFAULT_LIMITS) -> bytes:
        """Return the bytes of the file or of standard input.

        Raises DocumentError missing, is-a-directory, unreadable, too-big.
        """
        if self.path == "-":
            return read_standard_input(self.standard_input, limits)
        data = read_bytes(self.path, limits)
        return read_inner(data, self.path, self.inner, limits) if self.inner else data

    @property
    def name(self) -> str:
        """The file's path, followed by its names within an archive."""
        return "/".join((self.path, *self.inner))

    def keep_text(self, cache: Path) -> None:
        """Keep the text of a loaded plain-text document in the folder `cache`, next to all other texts.

        Only the comparison with a later version reads it. Raises DocumentError as `read` does.
        """
        document = self.document
        if document is None or document.kind not in TEXT_KINDS or is_kept(cache, document.fingerprint):
            return
        data = self.read()
        if hashlib.sha256(data).hexdigest() == document.sha256:
            parsed = parse_text(data, name=self.name, kind=document.kind, encoding=self.encoding, limits=DEFAULT_LIMITS)
            write_parsed(cache, document.fingerprint, parsed)

    def load_bytes(
        self,
        data: bytes,
        cache: Path | None = None,
        limits: LoadLimits = DEFAULT_LIMITS,
        start: StartParser = start_parser,
    ) -> Document:
        """Return the document in `data`, the bytes of the file with this `name`; reads no file.

        A document that is not plain text is parsed in a process that `start` starts. The result is kept in the folder
        `cache`, unless there is a password. Raises DocumentError with codes empty, not-what-it-says, encrypted,
        wrong-password, damaged, no-text, too-big, timeout, crashed, unsupported, undecodable.
        """
        name = display_name(self.name)
        if len(data) > limits.bytes:
            raise too_big_error(name, limits)
        if not data.strip(b" \t\r\n\f"):
            raise empty_error(name, data)
        kind = identify(self.name, data)
        sha256 = hashlib.sha256(data).hexdigest()
        fingerprint = loader_fingerprint(sha256, kind, self.layout, self.encoding)
        # Decoding a plain text is faster than reading it from the cache.
        store = cache if self.password is None and kind not in TEXT_KINDS else None
        parsed = read_parsed(store, fingerprint, limits) if store is not None else None
        if parsed is None:
            parsed = self._parse(data, kind, name, limits, start)
            if store is not None:
                write_parsed(store, fingerprint, parsed)
        if kind in OCR_KINDS:
            scan = Scan(
                data=data, name=name, kind=kind, password=self.password, layout=self.layout, fingerprint=fingerprint
            )
            parsed, fingerprint = read_scanned_pages(
                parsed, scan, self.ocr, limits, store=store, on_progress=self.on_loading
            )
        document = assemble(parsed, path=self.name, kind=kind, sha256=sha256, fingerprint=fingerprint)
        return replace(document, cautions=(*document.cautions, *self._unused_options(kind, data)))

    def _unused_options(self, kind: Kind, data: bytes) -> Iterator[Caution]:
        """Yield a caution for each given option that has no effect on this file, because the user expects an effect."""
        if self.password is not None and kind != "pdf" and not is_encrypted_office(data):
            why = "this is neither a PDF nor an encrypted Office document"
            yield Caution(UNUSED_PASSWORD, f"the password has no effect, because {why}")
        if self.encoding is not None and kind not in DECODED_KINDS:
            yield Caution(UNUSED_ENCODING, "the encoding has no effect, because this is no text, HTML or mail")

    def _parse(self, data: bytes, kind: Kind, name: str, limits: LoadLimits, start: StartParser) -> ParsedDocument:
        if kind in TEXT_KINDS:
            if self.on_loading is not None:
                self.on_loading(0, 1)
            parsed = parse_text(data, name=name, kind=kind, encoding=self.encoding, limits=limits)
            return complete(parsed, kind)
        options = {"kind": kind, "password": self.password, "layout": self.layout, "encoding": self.encoding}
        decode = partial(ParsedDocument.from_json, limits=limits)
        return run_parser(
            kind, data, decode, name=name, limits=limits, on_progress=self.on_loading, start=start, **options
        )


# The values by which a caller may name one document or several.
DocumentLike = str | Path | Document | DocumentSource | Sequence["str | Path | Document | DocumentSource"]
