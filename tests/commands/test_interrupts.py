"""Ctrl-C and its kin, and streams that are closed or full: what a person is told, and what the exit code is."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

QUESTION = "How much notice is there?"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def memo(tmp_path: Path) -> Path:
    path = tmp_path / "memo.txt"
    path.write_text("LEASE\n\nEither party may end the lease on six months' notice.\n")
    return path


def start(program: str, *, cwd: Path, stderr: int = subprocess.PIPE) -> "subprocess.Popen[str]":
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, env=environ, cwd=cwd, stdout=subprocess.PIPE, stderr=stderr, text=True)


ASK = f"""
import sys
sys.argv = ["ralph", "qa", "memo.txt", "{QUESTION}", "--sandbox", "native"]
from ralph_cli.__main__ import main
"""

WHEN_IT_IS_SHOWN = """
import atexit, io, os, signal

class Output(io.TextIOWrapper):
    def write(self, text):
        self.write = super().write
        os.kill(os.getpid(), signal.SIGINT)
        return super().write(text)

sys.stdout = Output(sys.stdout.detach())
# Past the end of the program's own work, too, where Python has no handlers any more.
atexit.register(os.kill, os.getpid(), signal.SIGINT)
main()
"""


def test_ctrl_c_takes_no_result_away_that_is_there(memo: Path) -> None:
    child = start(ASK + WHEN_IT_IS_SHOWN, cwd=memo.parent)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert "six months' notice" in out and "Trace: " in out and "interrupted" not in err and "Traceback" not in err


TWICE = """
import os, signal, subprocess, sys, time
from ralph_cli.commands.terminal.interrupts import interrupts
interrupts.install()
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
print(child.pid, flush=True)
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
except KeyboardInterrupt:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds the children of a process in /proc")
def test_a_second_signal_ends_at_once_and_leaves_nothing_running(tmp_path: Path) -> None:
    child = start(TWICE, cwd=tmp_path)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 128 + signal.SIGTERM
    assert err.splitlines() == [
        "ralph: interrupted: stopping; a second interrupt ends it at once",
        "ralph: ended at once",
    ]
    for _ in range(100):
        stat = Path(f"/proc/{int(out)}/stat")
        if not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("its child runs on")


def test_a_signal_that_is_to_be_ignored_stays_so(tmp_path: Path) -> None:
    """As under nohup: a program that outlives its terminal must not end with it."""
    program = """
import os, signal
from ralph_cli.commands.terminal.interrupts import interrupts
signal.signal(signal.SIGHUP, signal.SIG_IGN)
interrupts.install()
os.kill(os.getpid(), signal.SIGHUP)
print("goes on")
"""
    assert start(program, cwd=tmp_path).communicate(timeout=30) == ("goes on\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_stream_on_a_full_disk(memo: Path, stream: str) -> None:
    """The result is worth an error, and says where it is; progress is worth none."""
    with open("/dev/full", "w") as full:
        if stream == "stderr":
            out, _ = start(ASK + "main()", cwd=memo.parent, stderr=full.fileno()).communicate(timeout=60)
            assert "six months' notice" in out
            return
        program = ASK + f"import os; os.dup2({full.fileno()}, 1); main()"
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            cwd=memo.parent,
            stderr=subprocess.PIPE,
            pass_fds=(full.fileno(),),
            text=True,
            check=False,
        )
    (run,) = [path.name for path in (memo.parent / "out").iterdir() if path.is_dir() and "-qa-" in path.name]
    assert done.returncode == 1 and f"`ralph trace show {run}`" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("closed", [(0, 1, 2), (2,)])
def test_no_file_takes_the_place_of_a_closed_stream(tmp_path: Path, closed: tuple[int, ...]) -> None:
    """A journal with the number of standard error would be written into by whoever complains."""
    program = "import os; from ralph_cli.__main__ import _open_standard_streams as o; o(); os._exit(os.open('.', 0))"
    close = "".join(f"{number}{'<' if number == 0 else '>'}&- " for number in closed)
    command = ["sh", "-c", f'exec "$0" -c "$1" {close}', sys.executable, program]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environ, cwd=tmp_path, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode > 2


def test_without_standard_output_nothing_is_begun(memo: Path) -> None:
    program = "import os, sys; os.close(1); sys.stdout = None\n" + ASK + "main()"
    child = start(program, cwd=memo.parent)
    assert child.communicate(timeout=60)[1].startswith("ralph: standard output is closed - ")
    assert child.returncode == 1 and not (memo.parent / "out").exists()
