"""The Pyodide runtime in the cache folder: fetched once by Deno's npm client, checked by hash at each start."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sandbox.interface import SandboxUnavailable

VERSION = "314.0.7"
# SHA-256 of the files in the npm package pyodide 314.0.7; npm publishes for the package the integrity value
# sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==.
FILES = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
}
LARGEST_FILE = 32 << 20
FETCH_SECONDS = 300.0
OLDEST_DENO = "2.8.1"
VERSION_SECONDS = 20.0
PACKAGE_HINT = f"get pyodide-{VERSION}.tgz from npm: npm pack pyodide@{VERSION}"
OFFLINE_HINT = "with a network: `ralph doctor --fetch`; without: `ralph doctor --runtime FILE.tgz`"


def find_deno() -> Path:
    """Return the Deno binary of the `deno` package, or else the one on PATH, if it is new enough.

    Raises SandboxUnavailable if there is none.
    """
    found: str | None = None
    try:
        import deno  # type: ignore[import-untyped,unused-ignore]

        found = deno.find_deno_bin()
    except (ImportError, FileNotFoundError):
        found = shutil.which("deno")
        if found is not None:
            _check_version(found)
    if found is None:
        raise SandboxUnavailable(
            "the pyodide sandbox needs Deno, and there is no Deno binary for this platform",
            f"install Deno {OLDEST_DENO} or newer; on Linux `--sandbox native` runs without it",
        )
    return Path(found).resolve()


def _check_version(deno: str) -> None:
    """Raise SandboxUnavailable if a Deno that the user installed is too old."""
    try:
        done = subprocess.run([deno, "--version"], env={}, capture_output=True, text=True, timeout=VERSION_SECONDS)
        said = done.stdout
    except (OSError, subprocess.SubprocessError, ValueError):
        said = ""
    match = re.match(r"deno (\d+)\.(\d+)\.(\d+)", said)
    if match is None or tuple(map(int, match.groups())) < tuple(map(int, OLDEST_DENO.split("."))):
        version = match[0].removeprefix("deno ") if match else "of an unknown version"
        raise SandboxUnavailable(
            f"the Deno on PATH, {deno}, is {version}", f"the pyodide sandbox needs {OLDEST_DENO} or newer: deno upgrade"
        )


def runtime_folder(cache: Path) -> Path:
    """Where the runtime is kept below `cache`; links are resolved, because Deno grants real paths only."""
    return Path(os.path.realpath(cache)) / f"pyodide-{VERSION}"


def ensure_runtime(
    cache: Path, *, deno: Path, env: Mapping[str, str] | None, on_wait: Callable[[str], None] = lambda _: None
) -> Path:
    """Return the folder with the five checked files; fetch them if they are missing.

    `env` is the environment of the fetch (None: never fetch). Raises SandboxUnavailable if the files are missing and
    cannot be fetched, if a file is not the published one, or if the folder cannot be written.
    """
    folder = runtime_folder(cache)
    if is_complete(folder):
        return folder
    if env is None:
        raise SandboxUnavailable("the Pyodide runtime is not installed", OFFLINE_HINT)
    with _staging(cache) as stage:
        on_wait("fetching the Pyodide runtime (6.5 MB, once)")
        if not is_complete(folder):  # another process may have installed it meanwhile
            _install(_fetch(stage, deno, env), stage, folder)
    return folder


def install_runtime(tgz: Path, cache: Path) -> Path:
    """Install from a local copy of the npm package. Raises SandboxUnavailable if it is not the pinned one."""
    folder = runtime_folder(cache)
    with _staging(cache) as stage:
        source = stage / "unpacked"
        source.mkdir()
        _unpack(tgz, source)
        _install(source, stage, folder)
    return folder


def is_complete(folder: Path) -> bool:
    """Whether all five files exist. Raises SandboxUnavailable if one is not the published file."""
    if not all((folder / name).is_file() for name in FILES):
        return False
    check_files(folder)
    return True


def check_files(folder: Path) -> None:
    """Compare all five files with the published hashes (13.5 MB, about 20 ms)."""
    for name, expected in FILES.items():
        try:
            with open(folder / name, "rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise SandboxUnavailable(f"{folder / name} cannot be read: {error.strerror}") from None
        if found != expected:
            what = f"{folder / name} is not the file that was published with Pyodide {VERSION}"
            raise SandboxUnavailable(what, f"delete {folder}, then: {OFFLINE_HINT}")


@contextmanager
def _staging(cache: Path) -> Iterator[Path]:
    """Make a temporary folder beside the final one, for one process at a time."""
    stage: Path | None = None
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with open(cache / f"pyodide-{VERSION}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stage = Path(tempfile.mkdtemp(prefix=".fetch-", dir=cache))
            yield stage
    except OSError as error:
        what = f"the cache folder {cache} cannot be used: {error.strerror or error}"
        hint = "choose another folder with RALPH_CACHE, or free some disk space"
        raise SandboxUnavailable(what, hint) from None
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)


def _fetch(stage: Path, deno: Path, env: Mapping[str, str]) -> Path:
    """Let Deno's npm client fetch the package into a folder of its own; return the package's folder."""
    store, work = stage / "deno", stage / "work"
    work.mkdir()  # empty, so that no package.json or .npmrc of a project has an effect
    command = [str(deno), "cache", "--quiet", "--no-config", "--no-lock", f"npm:pyodide@{VERSION}"]
    settings = {**env, "DENO_DIR": str(store), "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
    try:
        done = subprocess.run(
            command, env=settings, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, timeout=FETCH_SECONDS
        )
        why = done.stderr.decode("utf-8", "replace").strip()
    except subprocess.TimeoutExpired:
        why = f"no answer in {FETCH_SECONDS:.0f} s"
    # The folder between is named after the registry, which the user may choose.
    for package in store.glob(f"npm/**/pyodide/{VERSION}"):
        if all((package / name).is_file() for name in FILES):
            return package
    raise SandboxUnavailable(f"the Pyodide runtime could not be fetched: {_first_lines(why)}", OFFLINE_HINT)


def _first_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " / ".join(lines[:3])[:400] if lines else "Deno gave no reason"


def _unpack(tgz: Path, target: Path) -> None:
    """Copy only the five files. Links and other names are ignored, and huge files are refused."""
    try:
        with tarfile.open(tgz, "r:gz") as archive:
            for member in archive:
                name = member.name.removeprefix("package/")
                if name not in FILES or not member.isreg() or member.name != f"package/{name}":
                    continue
                if member.size > LARGEST_FILE:
                    raise SandboxUnavailable(f"{tgz}: {name} is too large to be the published file")
                content = archive.extractfile(member)
                if content is not None:
                    (target / name).write_bytes(content.read(LARGEST_FILE + 1))
    except FileNotFoundError:
        raise SandboxUnavailable(f"there is no file {tgz}", PACKAGE_HINT) from None
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise SandboxUnavailable(f"{tgz} is not an npm package: {error}", PACKAGE_HINT) from None
    missing = [name for name in FILES if not (target / name).is_file()]
    if missing:
        raise SandboxUnavailable(f"{tgz} has no {missing[0]}", PACKAGE_HINT)


def _install(source: Path, stage: Path, folder: Path) -> None:
    """Check the files, then move each into place atomically. Two processes can only write the same content."""
    check_files(source)
    folder.mkdir(exist_ok=True)
    for name in FILES:
        ready = stage / name
        shutil.copyfile(source / name, ready)
        ready.replace(folder / name)
