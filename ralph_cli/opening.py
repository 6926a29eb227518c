"""Opening a document with a run's settings."""

from collections.abc import Callable
from pathlib import Path

from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.documents.load import load as load_document


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
