"""The store that submitters and workers share: every file is named by the SHA-256 of its bytes.

    documents/<hash>   the documents
    jobs/<hash>        questions about a document, and how to answer them
    bundles/<hash>     finished runs, each exported as one file
    results/<hash>     the bundles of a job

A shared folder needs nothing else; fsspec opens other addresses (s3://, gcs://, az://, ...). A file is used only if it
has the requested hash.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeVar

from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.journal.traces import replace_file

Kind = Literal["documents", "jobs", "bundles", "results"]

MIB = 1 << 20
# The largest size of a file of each kind; a larger one is not read.
MOST_BYTES: dict[Kind, int] = {"documents": 1024 * MIB, "jobs": 64 * MIB, "bundles": 512 * MIB, "results": 64 * MIB}

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class _Folder:
    """Files in a folder, which several machines may share. A file is written completely or not at all."""

    folder: Path

    def size(self, name: str) -> int | None:
        try:
            return (self.folder / name).stat().st_size
        except FileNotFoundError:
            return None

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)


@dataclass(frozen=True, slots=True)
class _Remote:
    """Files behind fsspec, which writes an object completely or not at all."""

    filesystem: Any
    root: str

    def size(self, name: str) -> int | None:
        try:
            self.filesystem.invalidate_cache()
            return int(self.filesystem.info(f"{self.root}/{name}")["size"])
        except FileNotFoundError:
            return None

    def read(self, name: str) -> bytes:
        return bytes(self.filesystem.cat_file(f"{self.root}/{name}"))

    def write(self, name: str, data: bytes) -> None:
        path = f"{self.root}/{name}"
        self.filesystem.makedirs(str(PurePosixPath(path).parent), exist_ok=True)
        self.filesystem.pipe_file(path, data)


@dataclass(frozen=True, slots=True)
class Store:
    """Files by kind and hash, at the `address` that a person named."""

    address: str
    _files: _Folder | _Remote

    def put(self, kind: Kind, data: bytes) -> str:
        """Store these bytes unless they are there already; return their hash. Raises JournalError."""
        sha256 = hashlib.sha256(data).hexdigest()
        name = _name(kind, sha256)
        if self._try(lambda: self._files.size(name), "read") != len(data):
            self._try(lambda: self._files.write(name, data), "written")
        return sha256

    def get(self, kind: Kind, sha256: str) -> bytes:
        """Return the bytes with that hash. Raises JournalError if they are missing, too many, or different."""
        name = _name(kind, sha256)
        size = self._try(lambda: self._files.size(name), "read")
        if size is None:
            what = f"{name} is not in the store {self.address}"
            raise JournalError(what, code="not-in-store", hint="use the same --store for submitter and workers")
        if size > MOST_BYTES[kind]:
            raise JournalError(f"{name} in the store is too large ({size:,} bytes)", code="store-damaged")
        data = self._try(lambda: self._files.read(name), "read")
        if hashlib.sha256(data).hexdigest() != sha256:
            raise JournalError(f"{name} in the store does not have that hash", code="store-damaged")
        return data

    def _try(self, work: Callable[[], _Found], done: str) -> _Found:
        try:
            return work()
        except Exception as error:
            # Each library behind fsspec has errors of its own.
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            what = f"the store {self.address} cannot be {done}: {why}"
            raise JournalError(what, code="store", hint="check that --store can be reached") from error


def _name(kind: Kind, sha256: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise JournalError(f"{sha256!r:.80} is not the hash of a file", code="store-damaged")
    return f"{kind}/{sha256[:2]}/{sha256}"


def open_store(address: str) -> Store:
    """Return the store at an address: a folder, or what fsspec opens. Raises ConfigError if that is not installed."""
    scheme, mark, path = address.partition("://")
    if not mark or scheme.lower() == "file":
        folder = Path(path if mark else address).expanduser()
        return Store(str(folder), _Folder(folder))
    hint = "pip install 'ralph-cli[cluster]', and the library that fsspec needs for that address"
    try:
        from fsspec.core import url_to_fs

        filesystem, root = url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise ConfigError(f"the store {address} cannot be opened: {error}", code="no-store", hint=hint) from error
    return Store(address, _Remote(filesystem, root.rstrip("/")))
