"""Opening a document with a run's settings."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.load import load as load_document
from ralph_cli.documents.load import load_bytes, read_bytes

CHANGED = "document-changed"


def opened(
    document: str | Path | Document,
    settings: Settings,
    password: str | None = None,
    encoding: str | None = None,
    stdin: Callable[[], bytes] | None = None,
    on_loading: Callable[[int, int], None] | None = None,
) -> Document:
    """The document, loaded if it is a path. Raises DocumentError."""
    if isinstance(document, Document):
        return document
    cache = settings.cache_folder
    return load_document(
        document, stdin=stdin, password=password, encoding=encoding, cache=cache, on_progress=on_loading
    )


def open_recorded(
    about: Mapping[str, Any],
    settings: Settings,
    *,
    password: str | None = None,
    encoding: str | None = None,
    on_loading: Callable[[int, int], None] | None = None,
) -> Document:
    """The document that a record tells `about`, from the path that it names, if the file is still that document.

    Raises DocumentError: "no-document" when it came from standard input, "document-changed" when the file has another
    hash, and what `load` raises.
    """
    path = str(about.get("path", ""))
    return load_bytes(
        read_recorded(about),
        path,
        password=password,
        encoding=encoding or about.get("encoding"),
        cache=settings.cache_folder,
        on_progress=on_loading,
    )


def read_recorded(about: Mapping[str, Any]) -> bytes:
    """The bytes of the document that a record tells `about`. Raises DocumentError as `open_recorded` does.

    A record may come from anybody, so the path in it is only where to look: of a file with another hash nothing is
    used or shown, and what is no regular file is not opened.
    """
    path = str(about.get("path", ""))
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
    if hashlib.sha256(data).hexdigest() != about.get("sha256"):
        what = f"{path} is not the document of that run any more"
        raise DocumentError(what, code=CHANGED, hint="name the document, if it was moved")
    return data
