"""Fences around every test: no network beyond the loopback, no keys, no settings of the person who runs it."""

import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes import REAL_CACHE
from hypothesis import settings as hypothesis_settings

from ralph_cli.config import ENVIRONMENT_VARIABLES, Settings

pytest_plugins = ["document_fixtures", "one_process"]

MEMORY = Path("/dev/shm")

FULL_TEST_SECONDS = 900  # timeout of full tests; pyproject.toml has that of the others


def is_roomy(folder: Path) -> bool:
    """Whether files may be written there, programs run from there, and two gigabytes are free."""
    if not folder.is_dir() or os.statvfs(folder).f_flag & (os.ST_NOEXEC | os.ST_RDONLY):
        return False
    return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > 2 << 30


if "TMPDIR" not in os.environ and is_roomy(MEMORY):
    # Journals are written through to the disk at every commit, which is nothing that these tests measure.
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None

# What one test or program has compiled, every other reads: hundreds of programs are started, by several workers.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The tests, their modules and syntax trees are many objects that stay: Python would look through them again and again.
gc.set_threshold(100_000, 50, 100)

# A deadline for an example measures how busy the machine is. Examples are drawn by chance in the full tests alone: else
# now and then a property would reach what it is about less often than it must, with nothing wrong.
hypothesis_settings.register_profile("repeatable", deadline=None, derandomize=True)
hypothesis_settings.register_profile("full", deadline=None)
hypothesis_settings.load_profile("repeatable")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs this in the background has us, and our children, ignore Ctrl-C, which some tests press.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Choose how examples are drawn, before the first test module is read."""
    hypothesis_settings.load_profile("full" if config.option.markexpr == "full" else "repeatable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the tests beside this file first, because they take longest, and give full tests more time."""
    items.sort(key=lambda item: item.path.parent != Path(__file__).parent)
    for item in items:
        if item.get_closest_marker("full") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(FULL_TEST_SECONDS))


@pytest.fixture(autouse=True)
def fenced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Clears every variable that ralph reads, and lets no socket leave this machine."""
    for names in ENVIRONMENT_VARIABLES.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RALPH_CACHE_DIR", str(REAL_CACHE))
    monkeypatch.setenv("RALPH_OCR", "never")  # what is read must not depend on what is installed
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if self.family in (socket.AF_INET, socket.AF_INET6) and host not in ("127.0.0.1", "::1", "localhost"):
            raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    yield


@pytest.fixture
def samples() -> Path:
    """The folder of the sample documents."""
    return Path(__file__).parent.parent / "samples"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a folder of their own for runs and texts."""
    return Settings(out=tmp_path / "out", cache=tmp_path / "cache", sandbox="native")
