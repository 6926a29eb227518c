"""The runtime and its snapshot: checked, repaired, installed from a file, refused when they are not the real ones."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from baits import answers

from sandbox import ResourceLimits, SandboxUnavailable, open_sandbox
from sandbox.deno.engine import PyodideEngine
from sandbox.deno.runtime import (
    FILES,
    check_files,
    ensure_runtime,
    find_deno,
    install_runtime,
    is_complete,
    runtime_folder,
)
from sandbox.deno.snapshot import BUILD_BOUNDS, ensure_snapshot
from sandbox.deno.worker import Deno
from sandbox.worker import WorkerFault


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder on a disk: Deno reads nothing below /dev, where a folder in memory is."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def own(cache: Path, tmp_path: Path) -> Path:
    """A cache folder of the test's own, with the runtime but without a snapshot."""
    folder = runtime_folder(tmp_path / "own cache, with a comma")
    folder.mkdir(parents=True)
    for name in FILES:
        shutil.copyfile(runtime_folder(cache) / name, folder / name)
    return folder.parent


@pytest.fixture
def package(cache: Path, tmp_path: Path) -> Callable[..., Path]:
    """Makes a package as npm does, with some of its members replaced or added."""

    def make(**changed: bytes | tarfile.TarInfo) -> Path:
        path = tmp_path / "pyodide.tgz"
        with tarfile.open(path, "w:gz", compresslevel=1) as archive:
            for name in FILES:
                if name not in changed:
                    archive.add(runtime_folder(cache) / name, f"package/{name}")
            for name, content in changed.items():
                if isinstance(content, tarfile.TarInfo):
                    archive.addfile(content)
                    continue
                info = tarfile.TarInfo(name if "/" in name else f"package/{name}")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return path

    return make


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_cache_behind_a_link(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(cache, target_is_directory=True)
    with open_sandbox("pyodide", cache=tmp_path / "link") as sandbox:
        assert sandbox.run("1 + 1", answers).value == "2"


@pytest.fixture
def snapshot(cache: Path, own: Path) -> Path:
    """A good snapshot in the test's own cache."""
    good = ensure_snapshot(Deno(find_deno(), runtime_folder(cache), 1 << 30))
    assert good is not None
    return Path(shutil.copyfile(good, runtime_folder(own) / good.name))


@pytest.mark.full  # builds a snapshot, which takes seconds; the next test has the rule without the building
def test_a_spoilt_snapshot_is_built_again(own: Path, snapshot: Path) -> None:
    waits: list[str] = []

    def start() -> None:
        with open_sandbox("pyodide", cache=own, on_wait=waits.append) as sandbox:
            assert sandbox.run("1 + 1", answers).value == "2"

    start()
    assert waits == []
    good = snapshot.read_bytes()
    snapshot.write_bytes(good[:1_000_000] + b"X" + good[1_000_001:])
    start()
    assert waits == ["preparing the sandbox (once, some seconds)"]
    start()
    assert len(waits) == 1
    assert len(snapshot.read_bytes()) == len(good)
    assert [path.name for path in runtime_folder(own).glob(".*")] == []


@pytest.mark.parametrize(
    "spoil", [lambda b: b[:-1], lambda b: b"", lambda b: b"-" + b[1:], lambda b: b[:64] + b"0" * 64 + b[128:]]
)
def test_what_is_no_snapshot_of_ours(
    spoil: Callable[[bytes], bytes], own: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.deno.snapshot._build", lambda deno: b"built again")
    snapshot.write_bytes(spoil(snapshot.read_bytes()))
    waits: list[str] = []
    assert ensure_snapshot(Deno(find_deno(), runtime_folder(own), 1 << 30), on_wait=waits.append) == snapshot
    assert waits == ["preparing the sandbox (once, some seconds)"]
    assert snapshot.read_bytes()[128:] == b"built again"


def test_without_a_place_for_a_snapshot_there_is_none(own: Path) -> None:
    """Then the worker starts plainly, as with a snapshot that does not start."""
    (runtime_folder(own) / "snapshot.lock").mkdir()
    assert ensure_snapshot(Deno(find_deno(), runtime_folder(own), 1 << 30)) is None


@pytest.mark.full
def test_a_snapshot_that_does_not_start_is_done_without(own: Path, snapshot: Path) -> None:
    key, memory = snapshot.read_bytes()[:64], b"\0" * (1 << 16)
    snapshot.write_bytes(key + hashlib.sha256(memory).hexdigest().encode() + memory)
    with open_sandbox("pyodide", cache=own) as sandbox:
        assert sandbox.run("1 + 1", answers).value == "2"
    assert not snapshot.exists()


def test_a_snapshot_from_which_nothing_starts_is_forgotten(
    own: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[Path | None] = []

    def start(self: PyodideEngine, deno: Deno, given: Path | None, *_: object) -> object:
        starts.append(given)
        if given is not None:
            raise WorkerFault("the worker died")
        return "a worker"

    monkeypatch.setattr(PyodideEngine, "_start", start)
    engine = PyodideEngine(ResourceLimits(), cache=own, fetch_env=None, on_wait=lambda _: None)
    assert engine.spawn(BUILD_BOUNDS, {}) == "a worker"
    assert starts == [snapshot, None] and not snapshot.exists()


@pytest.mark.full
def test_two_processes_build_at_once(own: Path) -> None:
    code = (
        "from pathlib import Path; from sandbox import open_sandbox\n"
        f"with open_sandbox('pyodide', cache=Path({str(own)!r})) as sandbox: print(sandbox.run('6 * 7', None).value)"
    )
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[0] for process in both] == ["42\n", "42\n"]
    assert len(list(runtime_folder(own).glob("*snapshot-*"))) == 1


@pytest.mark.parametrize("name", list(FILES))
def test_an_altered_file_is_refused_by_name(name: str, own: Path) -> None:
    with open(runtime_folder(own) / name, "ab") as file:
        file.write(b" ")
    with (
        open_sandbox("pyodide", cache=own, fetch_env={}) as sandbox,
        pytest.raises(SandboxUnavailable, match=f"{name} is not the file"),
    ):
        sandbox.start()


def test_a_missing_runtime_is_not_fetched_unasked(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match=r"not installed.*ralph doctor --fetch"):
        ensure_runtime(tmp_path, deno=find_deno(), env=None)
    assert list(tmp_path.iterdir()) == []


def test_a_fetch_without_a_network_says_what_to_do(tmp_path: Path) -> None:
    env = {"NPM_CONFIG_REGISTRY": f"http://127.0.0.1:{closed_port()}/", "PATH": os.environ["PATH"]}
    waits: list[str] = []
    with pytest.raises(SandboxUnavailable, match=r"could not be fetched: .*ralph doctor --runtime FILE.tgz"):
        ensure_runtime(tmp_path, deno=find_deno(), env=env, on_wait=waits.append)
    assert waits == ["fetching the Pyodide runtime (6.5 MB, once)"]
    assert not runtime_folder(tmp_path).exists()
    assert list(tmp_path.glob(".fetch-*")) == []


def test_a_cache_that_cannot_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SandboxUnavailable, match=r"cache folder .* cannot be used"):
        ensure_runtime(tmp_path / "file", deno=find_deno(), env={}, on_wait=pytest.fail)  # nothing is fetched


def test_a_full_disk(package: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = package()
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(SandboxUnavailable, match=r"No space left on device.*free some disk space"):
        install_runtime(path, tmp_path / "cache")
    assert not is_complete(runtime_folder(tmp_path / "cache"))


def test_no_deno(monkeypatch: pytest.MonkeyPatch) -> None:
    import deno

    def missing() -> str:
        raise FileNotFoundError("deno")

    monkeypatch.setattr(deno, "find_deno_bin", missing)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxUnavailable, match=r"no Deno binary for this platform.*--sandbox native"):
        find_deno()


@pytest.mark.parametrize(
    ("says", "refused"),
    [
        ("echo 'deno 2.8.0 (stable, release)'", "is 2.8.0"),
        ("echo 'deno 1.46.3'", "is 1.46.3"),
        ("echo what", "of an unknown version"),
        ("exit 3", "of an unknown version"),
        ("echo 'deno 2.8.1 (stable)'", ""),
        ("echo 'deno 3.0.0'", ""),
    ],
)
def test_a_deno_on_the_path_must_be_new_enough(
    says: str, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import deno

    def missing() -> str:
        raise FileNotFoundError("deno")

    monkeypatch.setattr(deno, "find_deno_bin", missing)
    own = tmp_path / "deno"
    own.write_text(f"#!/bin/sh\n{says}\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    if not refused:
        assert find_deno() == own
        return
    with pytest.raises(SandboxUnavailable, match=rf"{own}, is {refused.removeprefix('is ')}.*2\.8\.1 or newer"):
        find_deno()


def test_install_from_a_package(package: Callable[..., Path], tmp_path: Path) -> None:
    folder = install_runtime(package(), tmp_path / "fresh")
    check_files(folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    assert list((tmp_path / "fresh").glob(".fetch-*")) == []


def test_install_repairs_an_altered_file(package: Callable[..., Path], own: Path) -> None:
    (runtime_folder(own) / "pyodide.mjs").write_text("export const loadPyodide = 0;")
    install_runtime(package(), own)
    assert is_complete(runtime_folder(own))


def _link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"pyodide.mjs": b"export const loadPyodide = 0;"}, "pyodide.mjs is not the file"),
        ({"pyodide.asm.wasm": b""}, "pyodide.asm.wasm is not the file"),
        ({"pyodide.asm.wasm": bytes((32 << 20) + 1)}, "pyodide.asm.wasm is too large"),
        ({"pyodide.mjs": _link("package/pyodide.mjs", "/etc/passwd")}, "has no pyodide.mjs"),
    ],
)
def test_a_package_that_is_not_the_real_one_is_refused(
    changed: dict[str, bytes | tarfile.TarInfo], message: str, package: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(SandboxUnavailable, match=message):
        install_runtime(package(**changed), tmp_path / "fresh")
    assert not runtime_folder(tmp_path / "fresh").exists()


def test_members_that_would_be_written_elsewhere_are_left_out(package: Callable[..., Path], tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "fresh"
    path = package(
        **{
            "package/../../../evil.txt": b"x",
            str(tmp_path / "absolute.txt"): b"x",
            "package/sub/pyodide.mjs": b"x",
            "package/link": _link("package/link", "/"),
        }
    )
    folder = install_runtime(path, cache)
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    assert not list(tmp_path.rglob("evil.txt")) and not list(tmp_path.rglob("absolute.txt"))


@pytest.mark.parametrize("content", [b"", b"not an archive", b"\x1f\x8b\x08\x00garbage" * 10])
def test_a_file_that_is_no_package(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.tgz").write_bytes(content)
    with pytest.raises(SandboxUnavailable, match=r"x\.tgz is not an npm package"):
        install_runtime(tmp_path / "x.tgz", tmp_path / "fresh")
    with pytest.raises(SandboxUnavailable, match="there is no file"):
        install_runtime(tmp_path / "y.tgz", tmp_path / "fresh")
