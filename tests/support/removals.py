"""Whether a test fails once the defence that it promises is taken out of a copy of the project."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Removal:
    """What is taken out of a file, what takes its place (all `times` that it stands there), and the test that must fail
    then."""

    name: str
    file: str
    old: str
    new: str
    test: str
    times: int = 1


@contextmanager
def copied_project(name: str) -> Iterator[Path]:
    """A copy of the code and its tests."""
    folder = Path("/tmp") / f"ralph-{name}-{os.getpid()}"  # on a disk: Deno reads nothing below /dev
    for part in ("ralph_cli", "sandbox", "tests", "docs", "samples"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copyfile(ROOT / part, folder / part)
    yield folder
    shutil.rmtree(folder)


def assert_needed(removal: Removal, copy: Path, *options: str) -> None:
    """Fails if the test passes in the copy without what is removed."""
    file = copy / removal.file
    before = file.read_text("utf-8")
    assert before.count(removal.old) == removal.times, f"{removal.file}: not {removal.times} times {removal.old!r}"
    file.write_text(before.replace(removal.old, removal.new), "utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", "-p", "no:cacheprovider", removal.test]
        env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([*command, *options], cwd=copy, env=env, capture_output=True, text=True, timeout=300)
    finally:
        file.write_text(before, "utf-8")
    # What is let out may as well end the tests themselves.
    assert "FAILED" in done.stdout or done.returncode == -signal.SIGKILL, done.stdout[-2000:]
