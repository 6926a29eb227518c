"""The document that a record tells of, opened again: a record is material, so its path is only where to look."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.load import read_bytes
from ralph_cli.documents.ocr.engine import OcrOptions
from ralph_cli.documents.source import DocumentSource

DOCUMENT_CHANGED = "document-changed"


def open_recorded(
    record: Mapping[str, Any], cache: Path | None = None, source: DocumentSource | None = None
) -> DocumentSource:
    """The document of a `record`, loaded: from where `source` says that it is, else from the path that it names.

    The file at the record's own path is used only if it is still that document. Password and encoding are those of
    `source`; without an encoding there it is that of the record, which also says what OCR has read. Raises
    DocumentError: "no-document" when it came from standard input, "document-changed" when the file has another hash,
    and what `load` raises.
    """
    options = source or DocumentSource("")
    ocr = OcrOptions.recorded(record.get("ocr"))
    options = replace(options, encoding=options.encoding or record.get("encoding"), ocr=ocr)
    if options.path:
        return options.loaded(cache)
    options = replace(options, path=str(record.get("path", "")))
    return replace(options, document=options.load_bytes(read_recorded(record), cache))


def read_recorded(record: Mapping[str, Any]) -> bytes:
    """The bytes of the document of a `record`. Raises DocumentError as `open_recorded` does.

    Of a file with another hash nothing is used or shown, and what is no regular file is not opened.
    """
    path = str(record.get("path", ""))
    if path in ("", "-"):
        what = "the document of that run came from standard input" if path else "the record names no document"
        raise DocumentError(what, code="no-document", hint="name its file")
    try:
        special = Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir()
    except (OSError, ValueError):
        special = False  # reading it says what is wrong
    if special:
        raise DocumentError(f"{path} is not a regular file", code="unreadable", hint="name the document")
    data = read_bytes(path)
    if hashlib.sha256(data).hexdigest() != record.get("sha256"):
        what = f"{path} is not the document of that run any more"
        raise DocumentError(what, code=DOCUMENT_CHANGED, hint="name the document, if it was moved")
    return data
