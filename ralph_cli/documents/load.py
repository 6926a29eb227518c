"""The first steps of loading: read a file's bytes within the limit, and identify the loader by its versions."""

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import DEFAULT_LIMITS, Layout, LoadLimits
from ralph_cli.documents.sniff import OCR_KINDS, Kind, display_name

# Increase the number whenever a loader returns a different text for the same bytes.
_LOADER_VERSIONS: dict[str, int] = {
    "pdf": 13, "docx": 9, "html": 11, "text": 2, "markdown": 2, "code": 2,
    "xlsx": 5, "xlsb": 1, "xls": 1, "pptx": 5, "odt": 5, "ods": 4, "odp": 5, "epub": 4, "rtf": 5,
    "eml": 8, "mbox": 8, "msg": 6, "mhtml": 5, "ipynb": 5, "csv": 2, "json": 1, "image": 1,
}  # fmt: skip

_LIBRARIES: dict[str, str] = {
    "pdf": "pypdfium2",
    "image": "pillow",
    **dict.fromkeys(("xls", "xlsb"), "python-calamine"),
    **dict.fromkeys(("html", "docx", "epub", "eml", "mbox", "msg", "mhtml", "ipynb"), "selectolax"),
}
# Libraries that come with the extra `office`.
_EXTRA = ("pillow", "python-calamine")


def describe_loader(kind: str) -> str:
    """Return the library and loader for this kind with their versions, "pypdfium2 5.15.0, loader 1", or ""."""
    if kind not in _LOADER_VERSIONS:
        return ""
    library = _library_version(kind)
    return f"{library}{', ' if library else ''}loader {_LOADER_VERSIONS[kind]}"


def read_bytes(path: str, limits: LoadLimits = DEFAULT_LIMITS) -> bytes:
    """Return the bytes of a file, at most `limits.bytes`. Raises DocumentError."""
    name = display_name(path)
    try:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > limits.bytes:
                raise too_big_error(name, limits)
            # `read` allocates a buffer of the requested size at once, so request no more than the size of the file.
            data = stream.read(min(size, limits.bytes) + 1)
            if len(data) > size:  # not a regular file, or one that grows
                data += stream.read(limits.bytes + 1 - len(data))
    except FileNotFoundError:
        what = f"{name} does not exist" if name else "the name of the document is empty"
        hint = "download it first" if re.match(r"https?://", path) else "check the path"
        raise DocumentError(what, code="missing", hint=hint) from None
    except (IsADirectoryError, PermissionError):
        if Path(path).is_dir():
            hint = "give the path of a file"
            raise DocumentError(f"{name} is a directory", code="is-a-directory", hint=hint) from None
        raise DocumentError(f"no permission to read {name}", code="unreadable", hint="check its permissions") from None
    except ValueError:
        raise DocumentError(f"{name} is not a valid path", code="missing", hint="check the path") from None
    except OSError as error:
        raise DocumentError(f"{name} cannot be read: {error.strerror}", code="unreadable") from None
    if len(data) > limits.bytes:
        raise too_big_error(name, limits)
    return data


def read_standard_input(stdin: Callable[[], bytes] | None, limits: LoadLimits) -> bytes:
    """Return the bytes that `stdin` returns, or those of the program's own standard input, at most `limits.bytes`."""
    try:
        data = stdin() if stdin is not None else sys.stdin.buffer.read(limits.bytes + 1)
    except OSError as error:
        raise DocumentError(f"standard input cannot be read: {error.strerror}", code="unreadable") from None
    if len(data) > limits.bytes:
        raise too_big_error(display_name("-"), limits)
    return data


def too_big_error(name: str, limits: LoadLimits) -> DocumentError:
    """Return the error for a file with more bytes than the limit."""
    return DocumentError(f"{name} is larger than {limits.bytes >> 20} MiB", code="too-big", hint="split the file")


def empty_error(name: str, data: bytes) -> DocumentError:
    """Return the error for a file without text."""
    what = "holds nothing but blanks" if data else "is empty"
    return DocumentError(f"{name} {what}", code="empty", hint="name a file that has text in it")


def loader_fingerprint(sha256: str, kind: Kind, layout: Layout, encoding: str | None) -> str:
    """Return the SHA-256 of the file's hash, the loader with its versions, and the options that affect the text."""
    options = {"layout": layout} if kind in OCR_KINDS else {"encoding": encoding}
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
        what = f"{library}, which reads files of the kind {kind}, is not installed"
        package = "'ralph-cli[office]'" if library in _EXTRA else library
        raise DocumentError(what, code="unsupported", hint=f"pip install {package}") from None
