"""What a sandbox is: the values that go in and out, and the errors that mean there is none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Bounds of one sandbox.

    `seconds`: wall time of one snippet, and `seconds_per_million` more for each million characters of the document;
    while the host answers a sub-query, only what the worker computes counts.
    `memory`: bytes the guest's interpreter may use. `output`: characters of printed text, and of the last value, that
    are kept. `prompt_chars`: characters of one sub-query, prompt and text together. `batch`: sub-queries in one batch.
    """

    seconds: float = 30.0
    seconds_per_million: float = 1.0
    memory: int = 2 * GIB
    output: int = 256 * 1024
    prompt_chars: int = 400_000
    batch: int = 256


@dataclass(frozen=True, slots=True)
class Result:
    """What one snippet did.

    `stdout`: what it printed, from the start, at most `ResourceLimits.output` characters; `stdout_total`: characters
    printed, kept or not. `value`: repr of the last expression, None if there is none or it is None. `error`: the
    traceback of the snippet's own frames, or the reason why it was ended; None if it ran through. `state_lost`: the
    worker was replaced, so every variable is gone (`context` and `pages` are loaded again). `seconds`: wall time,
    without the time the host took to answer. `touched`: half-open intervals of `context` that the snippet took slices
    of, within bounds but the guest's own word, which may be wrong. `reached`: the numbers of the watched expressions
    that were evaluated, by the same word.
    """

    stdout: str
    stdout_total: int
    value: str | None
    error: str | None
    state_lost: bool
    seconds: float
    touched: tuple[tuple[int, int], ...] = ()
    reached: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryFailure:
    """A sub-query that failed; never a string, so that it cannot be taken for an answer."""

    message: str


Answer = str | QueryFailure
HostQuery = Callable[[Sequence[tuple[str, str]]], Sequence[Answer]]
"""(prompt, text) pairs in, answers in the same order out; called on the thread that called `Sandbox.run`.

A pair is decoded each time it is taken, so that one which is not answered need not be. Taking one may raise: what the
guest sent was no sub-query then, and the exception has to go on to `Sandbox.run`, which ends the worker.
"""


def refuse_to_delegate(items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
    """Answer nothing: for snippets whose host has nobody to delegate to."""
    return [QueryFailure("nobody can be asked that here") for _ in items]


Protections = Mapping[str, bool | int]
"""Name of a wall -> whether it holds (Landlock: its ABI version, 0 if it is not there)."""

KERNEL_WALLS = {
    "namespaces": "no network, no shared memory and no queues of the machine can be seen",
    "private root": "no path can be seen but the few that the runtime needs",
    "landlock": "no file can be read but those of the runtime, none can be written",
    "seccomp": "no sockets, processes, signals or files can be made, whatever is seen",
}
"""The walls that Linux can raise around a worker, and what each of them keeps up alone."""


def missing_walls(walls: Protections) -> tuple[str, ...]:
    """The walls that a worker's engine has but this machine does not."""
    return tuple(name for name, state in walls.items() if not state)


class Sandbox(Protocol):
    """Runs snippets over one document in a process of its own, and keeps their variables."""

    @property
    def name(self) -> str:
        """The engine: "pyodide" or "native"."""

    @property
    def walls(self) -> Protections:
        """The walls of this engine, and whether they stand around the running worker; empty before `start`.

        The code that raises them reports it.
        """

    def start(self) -> None:
        """Start the worker, if it is not running. May be called on another thread, but not beside other calls.

        Raises SandboxUnavailable if this machine lacks something, a wall that is required for one, SandboxFailure if
        the worker does not start.
        """

    def load(self, context: str, pages: Sequence[tuple[int, str, int, int]]) -> None:
        """Give the guest `context` and `pages` (number, label, start, end); kept here and loaded into every worker."""

    def define(self, code: str, offered: Sequence[str]) -> None:
        """Have code of the caller's own run in every worker, in a namespace of its own; kept here, as the document is.

        It begins a session: a worker that has run snippets forgets their variables.
        The names in `offered` are put into the snippets' namespace before each of them, whatever the last one did to
        them. The code finds among its globals `context`, `pages`, the function _delegate (pairs of
        texts in, answers out; see `run`), and those of the snippets as the dict _session.
        """

    def run(
        self,
        code: str,
        query: HostQuery,
        *,
        seconds: float | None = None,
        watched: Collection[int] = (),
        now: float | None = None,
        delegate: HostQuery = refuse_to_delegate,
    ) -> Result:
        """Run one snippet. Whatever goes wrong in the guest is in the Result.

        `seconds` is a further bound of this snippet, in wall time with the host's answers in it; beside it
        `ResourceLimits.seconds` holds as ever. `watched` are numbers of expressions, as `guest.probes` counts them, of
        which the result says whether they were evaluated. `now` is the time, in seconds since 1970, that the snippet
        finds, and from which its chances follow (uuid4, secrets): one that is run again after the same ones finds the
        same. None is the real time. `delegate` answers what the host's own code in the guest asks with _delegate;
        both its texts are the host's to interpret, and trusted as little as those of `query`.

        An exception that `query` or `delegate` raises comes out of here unchanged; the worker is then replaced and its
        variables are lost. Raises SandboxUnavailable or SandboxFailure if no worker can be started.
        """

    def close(self) -> None:
        """End the worker and remove what it left on disk. May be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_error: object) -> None: ...


class SandboxUnavailable(Exception):
    """This machine cannot run the engine now; the message says what is missing, `hint` what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.args[0]} ({self.hint})" if self.hint else str(self.args[0])


class SandboxFailure(Exception):
    """The engine is there but did not work: a worker that does not start, a document that does not fit."""
