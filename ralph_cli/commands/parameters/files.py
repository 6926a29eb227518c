"""Files that a command writes for a person: ralph replaces its own files, and others only with --force."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ralph_cli.core.errors import UserError


@contextmanager
def replacing(paths: tuple[Path | None, ...], cache: Path, *, force: bool) -> Iterator[None]:
    """Surround the writing of files. Raises UserError first if one exists that ralph did not write.

    For a folder, this concerns every file in it. The folder `cache` keeps the hash of each written file, so a file that
    was changed since is not ralph's any more.
    """
    given = [path for path in paths if path is not None]
    before = {path: _digest(path) for path in _files_of(given)}
    for path, digest in before.items():
        if digest and not force and not _is_written(path, digest, cache):
            hint = "name another file, or replace it with --force"
            raise UserError(f"{path} exists and was not written by ralph", code="file-exists", hint=hint)
    try:
        yield
    finally:
        for path in _files_of(given):
            digest = _digest(path)
            if digest and digest != before.get(path):
                with suppress(OSError):  # then it needs --force the next time
                    _note(path, cache).parent.mkdir(parents=True, exist_ok=True)
                    _note(path, cache).write_text(digest, "utf-8")


def _files_of(paths: list[Path]) -> list[Path]:
    """Return the paths, with folders replaced by the files in them."""
    return [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]


def _is_written(path: Path, digest: str, cache: Path) -> bool:
    try:
        return _note(path, cache).read_text("utf-8") == digest
    except OSError:
        return False


def _note(path: Path, cache: Path) -> Path:
    """Return the file that keeps the hash of what ralph last wrote to this path."""
    return cache / "written" / _hash(str(path.resolve()).encode("utf-8", "surrogateescape"))[:32]


def _digest(path: Path) -> str:
    """Return the hash of a regular file; empty if it is empty or cannot be read."""
    try:
        data = path.read_bytes() if path.is_file() else b""
    except OSError:
        return ""
    return _hash(data) if data else ""


def _hash(data: bytes) -> str:
    from hashlib import sha256  # loads OpenSSL, which `ralph --help` does not need

    return sha256(data).hexdigest()
