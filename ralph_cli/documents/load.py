"""Loading a document: read, identify, parse within bounds, and join the pages into one text."""

import dataclasses
import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import DEFAULT_LIMITS, Layout, LoadLimits
from ralph_cli.documents.parsed import ParsedDocument, assemble
from ralph_cli.documents.plain_text import parse_text
from ralph_cli.documents.process.child import invalid_result_error, run_parser
from ralph_cli.documents.sniff import Kind, display_name, identify
from ralph_cli.documents.text_cache import read_parsed, write_parsed

__all__ = [
    "Layout",
    "LoadLimits",
    "describe_loader",
    "load_bytes",
    "load_document",
    "parser_request",
    "read_bytes",
]

_LOADER_VERSIONS: dict[str, int] = {"pdf": 1, "docx": 1, "html": 4, "text": 1, "markdown": 1, "code": 1}
"""Raised whenever a loader gives another text for the same bytes."""

_LIBRARIES: dict[str, str] = {"pdf": "pypdfium2", "html": "selectolax"}


def load_document(
    source: str | Path,
    *,
    stdin: Callable[[], bytes] | None = None,
    password: str | None = None,
    encoding: str | None = None,
    layout: Layout = "auto",
    cache: Path | None = None,
    limits: LoadLimits = DEFAULT_LIMITS,
    on_progress: Callable[[int, int], None] | None = None,
) -> Document:
    """Load the file `source`, or standard input for "-" (through `stdin`, if given).

    PDF, docx and HTML are parsed in a child process. `on_progress(pages done, pages in all)` is called for PDFs that
    are not in the `cache` folder. Documents opened with a password are never cached. Raises DocumentError with codes
    missing, is-a-directory, unreadable, empty, not-what-it-says, encrypted, wrong-password, damaged, no-text, too-big,
    timeout, crashed, unsupported, undecodable.
    """
    path = os.fspath(source)
    data = read_standard_input(stdin, limits) if path == "-" else read_bytes(path, limits)
    return load_bytes(
        data,
        path,
        password=password,
        encoding=encoding,
        layout=layout,
        cache=cache,
        limits=limits,
        on_progress=on_progress,
    )


def load_bytes(
    data: bytes,
    path: str,
    *,
    password: str | None = None,
    encoding: str | None = None,
    layout: Layout = "auto",
    cache: Path | None = None,
    limits: LoadLimits = DEFAULT_LIMITS,
    on_progress: Callable[[int, int], None] | None = None,
) -> Document:
    """The same for the bytes of a file that was called `path`; no file is read."""
    if len(data) > limits.bytes:
        raise _too_big_error(display_name(path), limits)
    name = display_name(path)
    if not data.strip(b" \t\r\n\f"):
        raise DocumentError(f"{name} is empty", code="empty", hint="check the file")
    kind = identify(path, data)
    sha256 = hashlib.sha256(data).hexdigest()
    fingerprint = _fingerprint(sha256, kind, layout, encoding)
    store = cache if password is None else None
    parsed = read_parsed(store, fingerprint, limits) if store is not None else None
    if parsed is None:
        parsed = _parse(data, kind, name, password, encoding, layout, limits, on_progress)
        if store is not None:
            write_parsed(store, fingerprint, parsed)
    return assemble(parsed, path=path, kind=kind, sha256=sha256, fingerprint=fingerprint)


def describe_loader(kind: str) -> str:
    """What reads a document of this kind here, with its versions: "pypdfium2 5.15.0, loader 1"; empty if nothing."""
    if kind not in _LOADER_VERSIONS:
        return ""
    library = _library_version(kind)
    return f"{library}{', ' if library else ''}loader {_LOADER_VERSIONS[kind]}"


def _parse(
    data: bytes,
    kind: Kind,
    name: str,
    password: str | None,
    encoding: str | None,
    layout: Layout,
    limits: LoadLimits,
    on_progress: Callable[[int, int], None] | None,
) -> ParsedDocument:
    if kind not in ("pdf", "docx", "html"):
        return parse_text(data, name=name, kind=kind, encoding=encoding, limits=limits)
    request = parser_request(kind, name, limits, password=password, layout=layout, encoding=encoding)
    result = run_parser(request, data, name=name, limits=limits, on_progress=on_progress)
    try:
        return ParsedDocument.from_json(result, limits)
    except ValueError as error:
        raise invalid_result_error(name, error) from None


def parser_request(operation: str, name: str, limits: LoadLimits, **options: Any) -> dict[str, Any]:
    """What the parser process is asked: an operation on a file of that name, within limits."""
    return {"op": operation, "name": name, "limits": dataclasses.asdict(limits), **options}


def read_bytes(path: str, limits: LoadLimits = DEFAULT_LIMITS) -> bytes:
    """The bytes of a file, no more than a document may have. Raises DocumentError."""
    name = display_name(path)
    try:
        with open(path, "rb") as stream:
            if os.fstat(stream.fileno()).st_size > limits.bytes:
                raise _too_big_error(name, limits)
            data = stream.read(limits.bytes + 1)
    except FileNotFoundError:
        raise DocumentError(f"{name} does not exist", code="missing", hint="check the path") from None
    except IsADirectoryError:
        raise DocumentError(f"{name} is a directory", code="is-a-directory", hint="give the path of a file") from None
    except PermissionError:
        if Path(path).is_dir():  # what Windows says about a directory
            raise DocumentError(
                f"{name} is a directory", code="is-a-directory", hint="give the path of a file"
            ) from None
        raise DocumentError(f"no permission to read {name}", code="unreadable", hint="check its permissions") from None
    except ValueError:
        raise DocumentError(f"{name} is not a valid path", code="missing", hint="check the path") from None
    except OSError as error:
        raise DocumentError(f"{name} cannot be read: {error.strerror}", code="unreadable") from None
    if len(data) > limits.bytes:
        raise _too_big_error(name, limits)
    return data


def read_standard_input(stdin: Callable[[], bytes] | None, limits: LoadLimits) -> bytes:
    """What `stdin` gives, or the program's own standard input, no more than a document may have."""
    try:
        data = stdin() if stdin is not None else sys.stdin.buffer.read(limits.bytes + 1)
    except OSError as error:
        raise DocumentError(f"standard input cannot be read: {error.strerror}", code="unreadable") from None
    if len(data) > limits.bytes:
        raise _too_big_error(display_name("-"), limits)
    return data


def _too_big_error(name: str, limits: LoadLimits) -> DocumentError:
    return DocumentError(f"{name} is larger than {limits.bytes >> 20} MiB", code="too-big", hint="split the file")


def _fingerprint(sha256: str, kind: Kind, layout: Layout, encoding: str | None) -> str:
    """SHA-256 over the file's hash, the loader with its versions, and the options that shape the text."""
    options = {"layout": layout} if kind == "pdf" else {"encoding": encoding}
    parts = [sha256, kind, _LOADER_VERSIONS[kind], _library_version(kind), options]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8")).hexdigest()


def _library_version(kind: str) -> str:
    library = _LIBRARIES.get(kind)
    if library is None:
        return ""
    from importlib import metadata

    try:
        return f"{library} {metadata.version(library)}"
    except metadata.PackageNotFoundError:
        raise DocumentError(f"{library} is not installed", code="unsupported", hint=f"pip install {library}") from None
