"""The interface of a sandbox: its values and its errors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Bounds of one sandbox.

    `seconds`: wall time of one snippet, plus `seconds_per_million` for each million characters of the document; while
    the host answers a sub-query, only the worker's CPU time counts. `memory`: bytes for the guest's interpreter.
    `output`: characters that are kept of the printed text and of the last value. `prompt_chars`: characters of one
    sub-query, prompt and text together. `batch`: sub-queries in one batch.
    """

    seconds: float = 30.0
    seconds_per_million: float = 1.0
    memory: int = 2 * GIB
    output: int = 256 * 1024
    prompt_chars: int = 400_000
    batch: int = 256


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one snippet.

    `stdout`: the beginning of what it printed, at most `ResourceLimits.output` characters; `stdout_total`: characters
    printed in all. `value`: repr of the last expression, None if there is none or it is None. `error`: the traceback
    of the snippet's own frames, or the reason why it was stopped; None if it ran to its end. `state_lost`: the worker
    was replaced, so every variable is gone (`context` and `pages` are loaded again). `seconds`: wall time without the
    host's answers. `touched`: half-open intervals of `context` that the snippet sliced, and `reached`: the numbers of
    the watched expressions that were evaluated. Both come from the guest and may be wrong.
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
    """A failed sub-query. It is no string, so nobody takes it for an answer."""

    message: str


Answer = str | QueryFailure
# Takes (prompt, text) pairs and returns answers in the same order, on the thread that called `Sandbox.run`.
#
# A pair is decoded whenever it is taken, so an unanswered one costs nothing. Taking one may raise an exception, if
# the guest sent no valid sub-query. It must reach `Sandbox.run`, which kills the worker.
HostQuery = Callable[[Sequence[tuple[str, str]]], Sequence[Answer]]


def refuse_to_delegate(items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
    """Fail for every item: the default where the host has nobody to delegate to."""
    return [QueryFailure("nobody can be asked that here") for _ in items]


# Whether each wall is active, by name (Landlock: its ABI version, 0 without it).
Protections = Mapping[str, bool | int]

# The walls that Linux can raise around a worker, and what each of them ensures alone.
KERNEL_WALLS = {
    "namespaces": "no network, no shared memory and no queues of the machine can be seen",
    "private root": "no path can be seen but the few that the runtime needs",
    "landlock": "no file can be read but those of the runtime, none can be written",
    "seccomp": "no sockets, processes, signals or files can be made, whatever is seen",
}


def missing_walls(walls: Protections) -> tuple[str, ...]:
    """Return the walls of the engine that this machine lacks."""
    return tuple(name for name, state in walls.items() if not state)


class Sandbox(Protocol):
    """Runs snippets on one document in a process of its own, and keeps their variables."""

    @property
    def name(self) -> str:
        """The engine: "pyodide" or "native"."""

    @property
    def walls(self) -> Protections:
        """The walls of this engine, and whether they are active, as reported by the code that raises them.

        Empty before `start`.
        """

    def start(self) -> None:
        """Start the worker, unless it is running. May be called on another thread, but not beside other calls.

        Raises SandboxUnavailable if this machine lacks something, such as a required wall, and SandboxFailure if the
        worker does not start.
        """

    def load(self, context: str, pages: Sequence[tuple[int, str, int, int]]) -> None:
        """Set the guest's `context` and `pages` (number, label, start, end) in this worker and all later ones."""

    def define(self, code: str, offered: Sequence[str]) -> None:
        """Run code of the caller in this worker and all later ones, in a namespace of its own.

        This begins a session: a worker that has run snippets forgets their variables. The names in `offered` are put
        into the snippets' namespace before each snippet, whatever the last one did to them. The code has among its
        globals `context`, `pages`, the function _delegate (it takes pairs of texts and returns answers; see `run`), and
        the globals of the snippets as the dict _session.
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
        """Run one snippet. The Result has every error of the guest.

        `seconds` is a further bound of this snippet, in wall time including the host's answers. `watched` are the
        numbers of expressions, as `guest.probes` counts them, of which the result says whether they were evaluated.
        `now` is the snippet's time in seconds since 1970, which also seeds its randomness (uuid4, secrets): repeating
        the same snippets gives the same values. None is the real time. `delegate` answers what the host's own code in
        the guest asks with _delegate; its texts are trusted as little as those of `query`.

        An exception of `query` or `delegate` is raised unchanged; the worker is then replaced and its variables are
        lost. Raises SandboxUnavailable or SandboxFailure if no worker can be started.
        """

    def close(self) -> None:
        """Kill the worker and remove its files. May be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_error: object) -> None: ...


class SandboxUnavailable(Exception):
    """This machine cannot run the engine; the message says what is missing, `hint` how to fix it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.args[0]} ({self.hint})" if self.hint else str(self.args[0])


class SandboxFailure(Exception):
    """The engine exists but failed: a worker did not start, or a document did not fit."""
