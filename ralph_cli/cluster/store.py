"""The store that submitters and workers share: every file lies under the SHA-256 of its bytes.

    documents/<hash>   the files that are asked
    jobs/<hash>        what is to be asked of a document, and how
    bundles/<hash>     finished runs, each exported as one file
    results/<hash>     which bundles a job has given

A shared folder needs nothing else; other addresses (s3://, gcs://, az://, ...) are opened by fsspec. What comes back is
used only if it has the hash that was asked for.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Protocol, TypeVar

from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.journal.traces import replace_file

Kind = Literal["documents", "jobs", "bundles", "results"]

MIB = 1 << 20
MOST_BYTES: dict[Kind, int] = {"documents": 1024 * MIB, "jobs": 64 * MIB, "bundles": 512 * MIB, "results": 64 * MIB}
"""Bytes that a file of each kind may have; a larger one is not read."""

_Found = TypeVar("_Found")

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+)://(.*)", re.IGNORECASE | re.DOTALL)


class _Files(Protocol):
    """Where the files are. Each function raises OSError, or what the library behind it raises."""

    def size(self, name: str) -> int | None:
        """Bytes of that file; None when it is not there."""

    def read(self, name: str) -> bytes:
        """Its bytes."""

    def write(self, name: str, data: bytes) -> None:
        """Write it, whole or not at all."""


@dataclass(frozen=True, slots=True)
class Store:
    """Files by kind and hash, at the `address` that a person named."""

    address: str
    _files: _Files

    def put(self, kind: Kind, data: bytes) -> str:
        """Keep these bytes; returns their hash. What is there already is not sent again. Raises JournalError."""
        sha256 = hashlib.sha256(data).hexdigest()
        name = _name(kind, sha256)

        def keep() -> None:
            if self._files.size(name) != len(data):
                self._files.write(name, data)

        self._try(keep, "written")
        return sha256

    def get(self, kind: Kind, sha256: str) -> bytes:
        """The bytes with that hash. Raises JournalError when they are not there, are too many, or are others."""
        name = _name(kind, sha256)
        size = self._try(lambda: self._files.size(name), "read")
        if size is None:
            what = f"{name} is not in the store {self.address}"
            raise JournalError(what, code="not-in-store", hint="submitter and workers name the same --store")
        if size > MOST_BYTES[kind]:
            raise JournalError(f"{name} in the store has {size:,} bytes, which is too many", code="store-damaged")
        data = self._try(lambda: self._files.read(name), "read")
        if hashlib.sha256(data).hexdigest() != sha256:
            raise JournalError(f"{name} in the store is not what its name says", code="store-damaged")
        return data

    def _try(self, work: Callable[[], _Found], done: str) -> _Found:
        try:
            return work()
        except Exception as error:
            # Each library behind fsspec has errors of its own.
            told = getattr(error, "strerror", None) or str(error) or type(error).__name__
            what = f"the store {self.address} cannot be {done}: {told}"
            raise JournalError(what, code="store", hint="--store names a folder or address that is in reach") from error


def _name(kind: Kind, sha256: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise JournalError(f"{sha256!r:.80} is no hash of a file in the store", code="store-damaged")
    return f"{kind}/{sha256[:2]}/{sha256}"


def open_store(address: str) -> Store:
    """The store at an address: a folder, or what fsspec opens. Raises ConfigError when that is not installed."""
    found = _ADDRESS.fullmatch(address)
    if found is None or found[1].lower() == "file":
        folder = Path(found[2] if found else address).expanduser()
        return Store(str(folder), _Folder(folder))
    hint = "pip install 'ralph-cli[cluster]', and the library that fsspec names for that address"
    try:
        from fsspec.core import url_to_fs

        filesystem, root = url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise ConfigError(f"the store {address} cannot be opened: {error}", code="no-store", hint=hint) from error
    return Store(address, _Remote(filesystem, root.rstrip("/")))


@dataclass(frozen=True, slots=True)
class _Folder:
    """Files in a folder, which machines may share."""

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
    """Files behind fsspec; an object is written whole or not at all there."""

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
