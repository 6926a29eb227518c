"""Keeps parsed texts between runs, one compressed file per fingerprint."""

import gzip
import json
import os
import zlib
from contextlib import suppress
from pathlib import Path

from ralph_cli.core import clock
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import MISSING_FONTS, ParsedDocument

_FORMAT = 9


def read_parsed(cache: Path, fingerprint: str, limits: LoadLimits) -> ParsedDocument | None:
    """Return the parse stored under this fingerprint; None if the file is missing or invalid."""
    try:
        with gzip.open(_file(cache, fingerprint), "rb") as stream:
            head = json.loads(stream.readline(1_000))
            if head != {"format": _FORMAT, "fingerprint": fingerprint}:
                return None
            return ParsedDocument.from_json(stream.read(limits.json_bytes), limits)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        return None


def is_kept(cache: Path, fingerprint: str) -> bool:
    """Whether a file is stored under this fingerprint."""
    return _file(cache, fingerprint).exists()


def write_parsed(cache: Path, fingerprint: str, parsed: ParsedDocument) -> None:
    """Store a parse in a file that only its owner can read. A cache that cannot be written is not an error.

    A parse with missing fonts is not stored, because it would stay in use after the fonts are installed.
    """
    if any(caution.code == MISSING_FONTS for caution in parsed.cautions):
        return
    target = _file(cache, fingerprint)
    head = json.dumps({"format": _FORMAT, "fingerprint": fingerprint}).encode("ascii") + b"\n"
    content = gzip.compress(head + parsed.to_json(), compresslevel=3, mtime=0)
    temporary = target.with_name(f".{fingerprint}.{clock.token()}")
    with suppress(OSError):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def _file(cache: Path, fingerprint: str) -> Path:
    return cache / "texts" / f"{fingerprint}.json.gz"
