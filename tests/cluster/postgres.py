"""A PostgreSQL server of one's own, in a temporary folder, reached by a socket there; for tests and benches."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

Start = Callable[..., "subprocess.Popen[str]"]
"""What starts a command of the project that ends with the test."""


def find_postgres() -> Path | None:
    """The folder of the server's programs; None where it is not installed. It need not be on the PATH."""
    on_path = shutil.which("pg_isready")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin")) + (
        [Path(on_path).resolve().parent] if on_path else []
    )
    return next((folder for folder in installed if (folder / "postgres").exists()), None)


class Postgres:
    """A server that can be killed and started again. It does not write through to the disk, but for `durable` ones."""

    def __init__(self) -> None:
        programs = find_postgres()
        assert programs is not None
        self._programs = programs
        # A socket's path may have 107 characters, and pytest's folders have long names.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:  # which the server refuses to run as
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self._server: subprocess.Popen[bytes] | None = None
        command = [
            self._programs / "initdb",
            "-D",
            self.folder / "data",
            "-U",
            "ralph",
            "-A",
            "trust",
            "-N",
            "-E",
            "UTF8",
        ]
        subprocess.run([*command, "--locale=C"], check=True, capture_output=True, cwd=self.folder, **self._user)

    @property
    def url(self) -> str:
        """Its address."""
        return f"postgresql://ralph@/postgres?host={self.folder}"

    def start(self) -> Self:
        """Start it, and wait until it answers."""
        options = ["-k", str(self.folder), "-c", "listen_addresses=", "-c", "max_connections=200", "-c", "fsync=off"]
        self._server = subprocess.Popen(
            [self._programs / "postgres", "-D", self.folder / "data", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            **self._user,
        )
        ready = [self._programs / "pg_isready", "-q", "-h", self.folder]
        until = time.monotonic() + 60
        while subprocess.run(ready, check=False).returncode != 0:
            assert time.monotonic() < until, "PostgreSQL does not begin"
            time.sleep(0.02)
        return self

    def kill(self) -> None:
        """Kill it, as if the power was cut."""
        assert self._server is not None
        self._server.send_signal(signal.SIGQUIT)  # at once, without a checkpoint
        self._server.wait()

    def close(self) -> None:
        """End it, and take its folder away."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
