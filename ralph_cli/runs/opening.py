"""Opens the documents of a record again. A record is foreign data, so its paths only say where to look."""

import hashlib
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ralph_cli.config import Settings
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.ocr.engine import OcrOptions
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.documents.sets.loading import load_source
from ralph_cli.documents.sniff import display_name
from ralph_cli.documents.source import DocumentSource
from ralph_cli.reports.sections.documents import list_documents

DOCUMENT_CHANGED = "document-changed"


def load_documents(source: DocumentSource, settings: Settings) -> DocumentSource:
    """Read the documents of a source as the settings say, without those in the folder of runs."""
    return load_source(source.with_ocr(settings.ocr_options), settings.cache_folder, (settings.out,))


def open_recorded(
    record: Mapping[str, Any], cache: Path | None = None, source: DocumentSource | None = None
) -> DocumentSource:
    """The document of a `record`, or its set of documents, loaded from `source`, else from the recorded paths.

    A file at a recorded path is used only if it is still the same document. Password and encoding are those of
    `source`; the default encoding, and the pages read by OCR, are those of the record. Raises DocumentError:
    "no-document" if the document came from standard input, "document-changed" if a file has another hash, and the
    errors of `load_source`.
    """
    options = source or DocumentSource("")
    ocr = OcrOptions.recorded(record.get("ocr"))
    options = replace(options, encoding=options.encoding or record.get("encoding"), ocr=ocr)
    if options.path:
        return load_source(options, cache)
    if not is_recorded_set(record):
        return load_recorded(record, read_recorded(record), cache, options)
    contents = [read_recorded(entry) for entry in list_documents(record)]
    return load_recorded_set(record, contents, cache, options)


def load_recorded(
    record: Mapping[str, Any], data: bytes, cache: Path | None, options: DocumentSource
) -> DocumentSource:
    """The document of a record, in the bytes of its file."""
    source = replace(options, path=str(record.get("path", "")), inner=_recorded_inner(record))
    return replace(source, document=source.load_bytes(data, cache))


def load_recorded_set(
    record: Mapping[str, Any], contents: Sequence[bytes], cache: Path | None, options: DocumentSource
) -> DocumentSource:
    """The set of a record, in the bytes of its files in the order of the record."""
    documents = []
    for entry, data in zip(list_documents(record), contents, strict=True):
        source = load_recorded(entry, data, cache, options)
        document = source.load()
        documents.append(NamedDocument(display_name(str(entry.get("name", ""))), document, source.path, source.inner))
    path = str(record.get("path", ""))
    return replace(options, path=path, document=join_documents(path, documents))


def is_recorded_set(record: Mapping[str, Any]) -> bool:
    """Whether a record describes a set of documents."""
    return isinstance(record.get("documents"), list)


def read_recorded(record: Mapping[str, Any]) -> bytes:
    """The bytes of a document of a `record`. Raises DocumentError as `open_recorded` does.

    Nothing of a file with another hash is used or shown. Empty and special files are not opened.
    """
    path, inner = str(record.get("path", "")), _recorded_inner(record)
    if path in ("", "-"):
        what = "the document of that run came from standard input" if path else "the record names no document"
        raise DocumentError(what, code="no-document", hint="name its file")
    source, is_empty = DocumentSource(path, inner=inner), False
    with suppress(OSError, ValueError):  # reading the file reports what is wrong
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            what = f"{display_name(path)} is not a regular file"
            raise DocumentError(what, code="unreadable", hint="name the document")
        is_empty = not status.st_size
    data = b"" if is_empty else source.read()  # a file that the kernel shows as empty may never end
    if hashlib.sha256(data).hexdigest() != record.get("sha256"):
        what = f"{display_name(source.name)} is not the document of that run any more"
        raise DocumentError(what, code=DOCUMENT_CHANGED, hint="name the document, if it was moved")
    return data


def _recorded_inner(record: Mapping[str, Any]) -> tuple[str, ...]:
    names = record.get("inner", [])
    return tuple(str(name) for name in names) if isinstance(names, list) else ()
