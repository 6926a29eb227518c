"""Runs a verifier: a command of the user's, outside the sandbox, that is never trusted to behave.

It gets no terminal, no key and a limited time. Its output is cut and made visible. Nothing of its process group
outlives it.
"""

import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError
from ralph_cli.reports.safe_text import make_visible

# The placeholder for the path of the file; a command without it runs as it is.
OUTPUT_PLACEHOLDER = "{output}"

# The characters of output that are kept from the beginning, and from the end.
MAX_EDGE_CHARS = 4_000

# Seconds for the rest of the output after the command has ended; a child of it may hold the pipe open.
GRACE_SECONDS = 0.5

_NAMED_COMMAND = re.compile(r"([A-Za-z][\w.-]*):\s+(\S.*)", re.DOTALL)
_SHELL = "/bin/sh"


@dataclass(frozen=True, slots=True)
class CommandVerifier:
    """A name for people, and the command as the user wrote it."""

    name: str
    command: str

    @property
    def program(self) -> str:
        """The first word of the command."""
        return shlex.split(self.command)[0]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command. `passed` needs exit code 0; `command` is ready to be run again."""

    name: str
    command: str
    passed: bool
    ended: str
    output: str
    at: str
    seconds: float


@dataclass(frozen=True, slots=True)
class VerifierEnvironment:
    """The environment of a verifier: working folder, variables, time in seconds, and whether it runs in a shell."""

    folder: Path
    variables: Mapping[str, str]
    timeout: float = 60.0
    shell: bool = False


def read_verifiers(commands: Sequence[str | CommandVerifier], *, shell: bool = False) -> tuple[CommandVerifier, ...]:
    """The verifiers of a goal. "NAME: COMMAND" names one; the others are called verify-1, verify-2 and so on.

    Raises ConfigError for a command that is empty or has an unclosed quote, and for a name given twice.
    """
    found: list[CommandVerifier] = []
    for number, given in enumerate(commands, 1):
        verifier = given if isinstance(given, CommandVerifier) else _parse_command(number, given.strip())
        command = verifier.command
        try:
            words = [command] if shell else shlex.split(command)
        except ValueError as error:
            message = f"cannot parse the verifier command {command!r}: {error}"
            raise ConfigError(message, code="bad-verifier") from None
        if not words or not words[0].strip() or "\0" in command:
            hint = '--verify "python check.py {output}"'
            raise ConfigError("a verifier command is empty", code="bad-verifier", hint=hint)
        if verifier.name in {other.name for other in found}:
            raise ConfigError(f"two verifiers have the name {verifier.name}", code="bad-verifier")
        found.append(verifier)
    return tuple(found)


def require_programs(verifiers: Sequence[CommandVerifier], environment: VerifierEnvironment) -> None:
    """Raise ConfigError for a verifier whose program does not exist or may not be executed. Skips shells."""
    for verifier in () if environment.shell else verifiers:
        program = verifier.program
        beside = environment.folder / program
        # The program is looked for as it will be run: a bare name on PATH, any other from the folder.
        sought = str(beside) if "/" in program else program
        if OUTPUT_PLACEHOLDER in program or shutil.which(sought, path=environment.variables.get("PATH")):
            continue
        hint = "check its name, or write its whole path"
        if beside.is_file():
            hint = f"write what runs it, such as python {program}; or make it executable and write ./{beside.name}"
        message = f"the program {program!r} of the verifier {verifier.name} cannot be run"
        raise ConfigError(message, code="bad-verifier", hint=hint)


def _parse_command(number: int, command: str) -> CommandVerifier:
    named = _NAMED_COMMAND.fullmatch(command)
    return CommandVerifier(named[1], named[2]) if named else CommandVerifier(f"verify-{number}", command)


def run_command(
    verifier: CommandVerifier, path: Path, environment: VerifierEnvironment, seconds_left: float | None = None
) -> CommandResult:
    """Run one verifier. It fails with a nonzero exit, a signal, a timeout, or a program that cannot be started.

    `seconds_left` are the seconds left for the run, None without a limit; the smaller of both times counts.
    """
    argv = _argv(verifier.command, path, shell=environment.shell)
    at, begun = clock.now(), clock.monotonic()
    shown = make_visible(argv[-1] if environment.shell else shlex.join(argv))
    try:
        process = subprocess.Popen(
            argv,
            cwd=environment.folder,
            env=dict(environment.variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        ended = f"could not be started: {make_visible(getattr(error, 'strerror', None) or str(error))}"
        return CommandResult(verifier.name, shown, False, ended, "", at, 0.0)
    buffer, timeout, limit = _OutputBuffer(), environment.timeout, f"within {environment.timeout:g} s"
    if seconds_left is not None and seconds_left < timeout:
        timeout, limit = seconds_left, "before the time limit of the run"
    try:
        in_time = _read_output(process, buffer, timeout)
    finally:
        _kill_group(process)
    ended = _describe_exit(process.returncode) if in_time else f"did not finish {limit}, killed"
    passed, seconds = in_time and process.returncode == 0, round(clock.monotonic() - begun, 3)
    return CommandResult(verifier.name, shown, passed, ended, buffer.text(), at, seconds)


def _argv(command: str, path: Path, *, shell: bool) -> list[str]:
    """The argument vector; the path is one argument, or part of one, whatever it contains."""
    if shell:
        return [_SHELL, "-c", command.replace(OUTPUT_PLACEHOLDER, shlex.quote(str(path)))]
    return [word.replace(OUTPUT_PLACEHOLDER, str(path)) for word in shlex.split(command)]


def _read_output(process: "subprocess.Popen[bytes]", buffer: "_OutputBuffer", timeout: float) -> bool:
    """Read the command's output until it ends; return whether it ended within `timeout` seconds."""
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    os.set_blocking(pipe, False)
    over = clock.monotonic() + timeout
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        open_, left = True, GRACE_SECONDS
        while clock.monotonic() < over:
            ended = process.poll() is not None
            if ended and (not open_ or left <= 0):
                return True
            begun = clock.monotonic()
            if not open_:
                clock.sleep(0.01)
            elif selector.select(0.05):
                piece = os.read(pipe, 1 << 16)
                open_ = bool(piece)
                buffer.add(piece)
            if ended:
                left -= clock.monotonic() - begun
    return process.poll() is not None


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill the rest of the command's process group, and the command itself; close the pipe."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.poll() is None:
        process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"exit {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


@dataclass(slots=True)
class _OutputBuffer:
    """The beginning and the end of the output, however long it is."""

    total: int = 0
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = 4 * MAX_EDGE_CHARS - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[max(room, 0) :]
        if len(self.tail) > 16 * MAX_EDGE_CHARS:
            del self.tail[: -4 * MAX_EDGE_CHARS]

    def text(self) -> str:
        """The kept output as visible text, with a count of what was left out."""
        if self.total <= len(self.head) + len(self.tail):
            whole = _decode_visible(bytes(self.head + self.tail))
            if len(whole) <= 2 * MAX_EDGE_CHARS:
                return whole
            head = tail = whole
        else:
            head, tail = _decode_visible(bytes(self.head)), _decode_visible(bytes(self.tail))
        middle = f"[... middle omitted, {self.total:,} bytes in total ...]"
        return f"{head[:MAX_EDGE_CHARS]}\n{middle}\n{tail[-MAX_EDGE_CHARS:]}"


def _decode_visible(raw: bytes) -> str:
    return make_visible(raw.decode("utf-8", "replace").replace("\r\n", "\n")).strip("\n")
