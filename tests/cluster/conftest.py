"""A PostgreSQL server for the tests that need one, and workers that end with them."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres import Postgres, Start, find_postgres

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """A PostgreSQL server of the module's own."""
    if importlib.util.find_spec("dbos") is None:
        pytest.skip("the extra [cluster] is not installed")
    if find_postgres() is None:
        pytest.skip("PostgreSQL is not installed (apt install postgresql)")
    server = Postgres().start()
    yield server
    server.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a worker or a submitter as a process, and kills it at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: object) -> "subprocess.Popen[str]":
        paths = [str(ROOT), *(path for path in sys.path if path)]
        with (tmp_path / f"process-{len(started)}.log").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("contracts.py")), *map(str, arguments)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                stdout=log,
                stderr=log,
                text=True,
            )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
