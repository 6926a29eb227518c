"""A verifier command that misbehaves is a fail with a reason, and never costs the run."""

import os
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from ralph_cli.checks.command import (
    MAX_EDGE_CHARS,
    CommandResult,
    CommandVerifier,
    VerifierEnvironment,
    read_verifiers,
    run_command,
)
from ralph_cli.core.errors import ConfigError
from ralph_cli.environment import command_environment

ROWS = {
    "D2": [
        "test_exit_codes",
        "test_a_verifier_that_hangs_is_killed_and_has_failed",
        "test_a_missing_program_is_a_fail",
        "test_one_that_kills_itself_has_failed",
    ],
    "D6": ["test_names_are_given_or_made"],
    "D8": [
        "test_the_path_is_one_argument_whatever_is_in_it",
        "test_the_environment_holds_no_key",
        "test_no_shell_unless_it_is_wanted",
        "test_a_flood_of_output_is_cut",
    ],
}


def script(tmp_path: Path, body: str) -> str:
    """A command that runs these lines of Python on the output."""
    path = tmp_path / "verifier.py"
    path.write_text(f"import os, sys, time\n{body}\n", encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))} {{output}}"


def ran(
    tmp_path: Path,
    command: str,
    *,
    text: str = "text",
    timeout: float = 20.0,
    shell: bool = False,
    name: str = "out.txt",
    left: float | None = None,
) -> CommandResult:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    around = VerifierEnvironment(tmp_path, command_environment({"PATH": os.environ["PATH"]}), timeout, shell)
    return run_command(CommandVerifier("check", command), file, around, left)


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has buried yet has."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(("code", "passed"), [(0, True), (1, False), (3, False), (255, False)])
def test_exit_codes(tmp_path: Path, code: int, passed: bool) -> None:
    result = ran(tmp_path, script(tmp_path, f"print('seen', open(sys.argv[1]).read())\nsys.exit({code})"))
    assert (result.passed, result.ended, result.output) == (passed, f"exit {code}", "seen text")
    assert result.at.endswith("Z") and result.seconds > 0 and str(tmp_path / "out.txt") in result.command


def test_standard_error_is_heard_too_and_there_is_nothing_to_read(tmp_path: Path) -> None:
    result = ran(tmp_path, script(tmp_path, "print('no', file=sys.stderr)\nsys.exit(len(sys.stdin.read()) + 1)"))
    assert not result.passed and result.output == "no" and result.ended == "exit 1"


def test_a_verifier_that_hangs_is_killed_and_has_failed(tmp_path: Path) -> None:
    begun = time.monotonic()
    result = ran(tmp_path, script(tmp_path, "print(os.getpid(), flush=True)\ntime.sleep(60)"), timeout=1.0)
    assert time.monotonic() - begun < 10
    assert not result.passed and result.ended == "did not finish within 1 s, killed" and gone(int(result.output))


def test_one_that_ignores_signals_and_closes_its_output_is_killed_too(tmp_path: Path) -> None:
    body = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.close(1); os.close(2)\ntime.sleep(60)"
    result = ran(tmp_path, script(tmp_path, body), timeout=1.0)
    assert not result.passed and "killed" in result.ended


@pytest.mark.parametrize(
    ("timeout", "left", "ended"),
    [
        (60.0, 0.5, "did not finish before the time limit of the run, killed"),
        (0.5, 60.0, "did not finish within 0.5 s, killed"),
        (0.5, None, "did not finish within 0.5 s, killed"),
    ],
)
def test_a_verifier_has_the_smaller_of_its_own_time_and_what_is_left_of_the_run(
    tmp_path: Path, timeout: float, left: float | None, ended: str
) -> None:
    result = ran(tmp_path, script(tmp_path, "print('begun', flush=True)\ntime.sleep(90)"), timeout=timeout, left=left)
    assert not result.passed and result.ended == ended


def test_a_flood_of_output_is_cut(tmp_path: Path) -> None:
    body = "w = sys.stdout.write\nw('begin\\n')\nfor _ in range(100): w('x' * 1_000_000)\nw('\\nend')"
    result = ran(tmp_path, script(tmp_path, body), timeout=60.0)
    assert result.passed and result.output.startswith("begin\n") and result.output.endswith("\nend")
    assert (
        len(result.output) < 2 * MAX_EDGE_CHARS + 100
        and "[... middle omitted, 100,000,010 bytes in total ...]" in result.output
    )


def test_an_endless_flood_ends_with_the_time(tmp_path: Path) -> None:
    result = ran(tmp_path, script(tmp_path, "while True: print('y' * 10_000)"), timeout=1.0)
    assert not result.passed and "did not finish" in result.ended and len(result.output) < 2 * MAX_EDGE_CHARS + 100


@pytest.mark.parametrize(
    "size", [MAX_EDGE_CHARS, 2 * MAX_EDGE_CHARS, 2 * MAX_EDGE_CHARS + 1, 4 * MAX_EDGE_CHARS, 5 * MAX_EDGE_CHARS]
)
def test_head_and_tail_are_kept_and_nothing_is_told_twice(tmp_path: Path, size: int) -> None:
    result = ran(tmp_path, script(tmp_path, f"print(''.join(chr(97 + n % 26) for n in range({size})), end='')"))
    whole = "".join(chr(97 + n % 26) for n in range(size))
    if size <= 2 * MAX_EDGE_CHARS:
        assert result.output == whole
    else:
        assert result.output.startswith(whole[:MAX_EDGE_CHARS] + "\n[...") and result.output.endswith(
            "...]\n" + whole[-MAX_EDGE_CHARS:]
        )


def test_control_characters_become_visible(tmp_path: Path) -> None:
    body = "sys.stdout.buffer.write(b'\\x1b[2Jcleared\\r\\n\\x1b]0;title\\x07 \\xff \\xe2\\x80\\xae')"
    result = ran(tmp_path, script(tmp_path, body))
    assert "\x1b" not in result.output and "\\u{1b}[2Jcleared\n" in result.output and "\u202e" not in result.output


def test_one_that_kills_itself_has_failed(tmp_path: Path) -> None:
    result = ran(tmp_path, script(tmp_path, f"os.kill(os.getpid(), {int(signal.SIGKILL)})"))
    assert not result.passed and result.ended == "killed by SIGKILL"


@pytest.mark.parametrize("own_session", [False, True])
def test_a_child_that_holds_the_pipe_does_not_hold_us(tmp_path: Path, own_session: bool) -> None:
    leave = "os.setsid()" if own_session else "pass"
    body = f"pid = os.fork()\nif pid == 0:\n    {leave}\n    time.sleep(30)\n    os._exit(0)\nprint(pid, flush=True)"
    begun = time.monotonic()
    result = ran(tmp_path, script(tmp_path, body))
    assert result.passed and time.monotonic() - begun < 10
    if own_session:
        os.kill(int(result.output), signal.SIGKILL)
    else:
        assert gone(int(result.output))


def test_a_missing_program_is_a_fail(tmp_path: Path) -> None:
    result = ran(tmp_path, "no-such-program-anywhere {output}")
    assert not result.passed and "could not be started: No such file" in result.ended
    (tmp_path / "plain").write_text("not a program")
    assert "could not be started: Permission denied" in ran(tmp_path, "./plain {output}").ended


@pytest.mark.parametrize(
    "name", ["with space.txt", "quote'\".txt", "$(touch hacked); `id`.txt", "-n.txt", "{output}.txt"]
)
@pytest.mark.parametrize("shell", [False, True])
def test_the_path_is_one_argument_whatever_is_in_it(tmp_path: Path, name: str, shell: bool) -> None:
    command = script(tmp_path, "print(len(sys.argv), open(sys.argv[1]).read())")
    assert ran(tmp_path, command, name=name, shell=shell).output == "2 text"
    assert not (tmp_path / "hacked").exists()


def test_the_path_may_be_part_of_an_argument_or_missing(tmp_path: Path) -> None:
    command = script(tmp_path, "print(sys.argv[1:])")
    assert f"--file={tmp_path}/out.txt" in ran(tmp_path, command.replace("{output}", "--file={output}")).output
    assert ran(tmp_path, command.replace("{output}", "{other} '{}'")).output == "['{other}', '{}']"


def test_no_shell_unless_it_is_wanted(tmp_path: Path) -> None:
    command = script(tmp_path, "print(sys.argv[2:])") + " | wc -l > counted && echo $HOME"
    assert "'|', 'wc'" in ran(tmp_path, command).output and not (tmp_path / "counted").exists()
    assert ran(tmp_path, command, shell=True).passed and (tmp_path / "counted").exists()
    assert ran(tmp_path, "test -s {output} && exit 7", shell=True).ended == "exit 7"


def test_the_environment_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    assert set(command_environment()) <= {"PATH", "HOME", "LANG"} and "LANG" in command_environment()
    result = ran(tmp_path, script(tmp_path, "print(sorted(os.environ), os.getcwd())"))
    assert "KEY" not in result.output and result.output.endswith(str(tmp_path))


def test_names_are_given_or_made() -> None:
    made = read_verifiers(["python check.py {output}", "totals: python t.py", "a:b c", "x: y: z"])
    assert [(item.name, item.command) for item in made] == [
        ("verify-1", "python check.py {output}"),
        ("totals", "python t.py"),
        ("verify-3", "a:b c"),
        ("x", "y: z"),
    ]


@pytest.mark.parametrize("given", [["  "], ["echo 'no end"], ["a: true", "a: false"], ["''"], ["x\0y"]])
def test_a_verifier_that_cannot_be_meant_is_refused(given: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        read_verifiers(given)
    assert caught.value.code == "bad-verifier"
