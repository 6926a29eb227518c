"""`ralph view` on the command line: what it says, what it refuses in one line, and how it ends."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ralph_cli.commands.app import run

ROOT = Path(__file__).parents[2]


def test_what_is_missing_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, said in (
            (["nowhere"], "there is no folder nowhere"),
            ([str(tmp_path), "--port", port], f"port {port} cannot be used"),
            ([str(tmp_path), "--port", "70000"], "port 70000 cannot be used"),
        ):
            assert run(["view", *arguments, "--no-browser"]) == 1
            out, err = capsys.readouterr()
            assert out == "" and said in err and len(err.splitlines()) <= 2 and "Traceback" not in err
    for name in ("uvicorn", "starlette"):
        with monkeypatch.context() as patch:
            for module in [key for key in sys.modules if key.startswith(("starlette", "uvicorn", "ralph_cli.view"))]:
                patch.delitem(sys.modules, module)
            patch.setitem(sys.modules, name, None)
            assert run(["view", str(tmp_path), "--no-browser"]) == 1
        assert "pip install 'ralph-cli[view]'" in capsys.readouterr().err


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it_soon_though_pages_are_open(
    tmp_path: Path, forge: Callable[..., Path], sent: signal.Signals
) -> None:
    forge("20260101-run")
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "ralph_cli", "view", str(tmp_path / "out"), "--no-browser"]
    with (
        subprocess.Popen(
            command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
        ) as server,
        contextlib.ExitStack() as on_failure,
    ):
        on_failure.callback(server.kill)
        assert server.stdout is not None and server.stderr is not None
        address = urlsplit(server.stdout.readline().strip())
        assert address.hostname == "127.0.0.1" and len(address.path) > 20
        for path in ("lists", "runs/20260101-run/changes"):
            page = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=20)
            on_failure.callback(page.close)
            page.request("GET", address.path + path)
            response = page.getresponse()
            assert response.status == 200 and response.readline().startswith(b"event: ")
        begun = time.monotonic()
        server.send_signal(sent)
        _, err = server.communicate(timeout=20)
        # Two seconds, and what a busy machine takes to end a process.
        assert time.monotonic() - begun < 6
    assert "Traceback" not in err and "ERROR" not in err
    assert server.returncode in (130, 128 + sent)
