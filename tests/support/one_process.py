"""What has a process of its own in the program is done in that of the test: no Python is started, nothing imported.

Most tests ask what is read, counted or found wrong, not how the process that does it is bounded. Those that do ask for
it are marked `own_process`: they are the tests of the parser process, of schemas and of patterns. The sandbox's own
tests start its workers; elsewhere the guest's own code runs the snippets of the native engine here, without its walls.
"""

import io
import json
import random
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ralph_cli.checks.output import schema
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.model import Json
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.process import child, worker
from ralph_cli.documents.process.child import FAILURE, RESULT, encode_frame
from ralph_cli.retrieval.search import patterns
from ralph_cli.retrieval.search.patterns import PatternCount
from sandbox import HostQuery, ResourceLimits, Result, Sandbox, engines, host
from sandbox.guest import session, stand_ins
from sandbox.questions import Questions, ask_host
from sandbox.worker import Bounds, Frame

_START = child._BOOTSTRAP
_exchange = child.exchange
_one_at_a_time = threading.Lock()  # pdfium is not made for threads
_one_guest = threading.Lock()  # what a snippet prints is taken from the streams of the whole process


class _NoWatch:
    """Nothing is killed here."""

    def restart(self, seconds: float) -> None: ...


def exchange(
    request: dict[str, Any],
    data: bytes,
    name: str,
    limits: LoadLimits,
    on_progress: child.OnProgress,
    start: child.StartParser,
) -> bytes:
    """What `child.exchange` gives: the same request, frames and distrust, without bounds of time and memory.

    A test that sets another program for the process gets the process.
    """
    if child._BOOTSTRAP != _START:
        return _exchange(request, data, name, limits, on_progress, start)
    answers = io.BytesIO()
    with _one_at_a_time:
        try:
            result = worker.run_request(json.loads(json.dumps(request)), data, limits, answers)
            answers.write(encode_frame(RESULT, result))
        except DocumentError as error:
            answers.write(encode_frame(FAILURE, json.dumps([error.code, error.message, error.hint]).encode("ascii")))
    answers.seek(0)
    received = child._receive(answers, name, limits, _NoWatch(), on_progress)  # type: ignore[arg-type]
    assert received is not None
    return received


def find_violations(value: Any, rules: Json | bool) -> tuple[str, ...]:
    """What `violations` gives, of a schema that comes to an end."""
    try:
        pair = json.dumps([value, rules])
    except RecursionError:
        return ("the output is nested too deeply to be held against the schema",)
    found = json.loads(schema.violations_of_pair(pair))
    if isinstance(found, str):
        raise schema.SchemaCheckError(f"the schema could not be applied: {found}")
    return tuple(found)


def count(expressions: Sequence[str], text: str) -> tuple[PatternCount, ...]:
    """What `count_patterns` gives, of expressions that come to an end."""
    given, as_sent = json.loads(json.dumps([list(expressions), text]))
    return tuple(patterns._parse_line(json.dumps(patterns._count_pattern(expression, as_sent))) for expression in given)


class _RealTime:
    """The time of a snippet is that of the tests: those that ask for another are marked `own_process`."""

    def set(self, now: float | None) -> None: ...


class GuestHere(session.Guest):
    """The guest's session in this process, whose modules, chance and event loops are the tests' own."""

    def __init__(self, options: Mapping[str, int], limits: ResourceLimits) -> None:
        with _one_at_a_time, pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "__main__", sys.modules["__main__"])
            nothing_taken = {"serial_executors": dict, "use_event_loop": lambda: None}
            patch.setattr(session, "stand_ins", SimpleNamespace(**nothing_taken, EventLoop=stand_ins.EventLoop))
            patch.setattr(session, "random", random.Random())
            patch.setattr(session, "moment", SimpleNamespace(Moment=_RealTime))
            super().__init__(self._ask, json.dumps(options))
        self._max_chars = limits.prompt_chars

    def _remember(self) -> None:
        """Nothing of this process is put back."""

    def answer(self, code: str, answerers: Mapping[str, HostQuery], watched: Collection[int]) -> Frame:
        """Run a snippet; what an answerer raises comes out."""
        with _one_guest:
            self._answerers, self._raised, self._streams = answerers, None, (sys.stdout, sys.stderr, sys.stdin)
            fields = json.loads(self.run(code, json.dumps(sorted(watched))))
        if self._raised is not None:
            raise self._raised
        return Frame(fields, b"")

    def _ask(self, meta: str, blob: bytes) -> str:
        """The host's answers; meanwhile the streams are the program's, and another guest may run."""
        captured, (sys.stdout, sys.stderr, sys.stdin) = (sys.stdout, sys.stderr, sys.stdin), self._streams
        _one_guest.release()
        try:
            asked = json.loads(meta)
            questions = Questions(blob, asked["sizes"], self._max_chars)
            return json.dumps({"answers": ask_host(self._answerers[asked["whom"]], questions)})
        except BaseException as error:
            self._raised: BaseException | None = error
            raise
        finally:
            _one_guest.acquire()
            sys.stdout, sys.stderr, sys.stdin = captured

    def kill(self) -> None:
        """There is no process to end."""


class SandboxHere(host.WorkerSandbox):
    """The host's side without a process: nothing is sent, and nothing bounds a snippet's time and memory."""

    def __init__(self, limits: ResourceLimits) -> None:
        super().__init__(self, limits)  # type: ignore[arg-type]

    name, walls, max_resident = "native", {"seccomp": True}, 0  # type: ignore[assignment]

    def spawn(self, bounds: Bounds, options: Mapping[str, int]) -> GuestHere:
        return GuestHere(options, self._limits)

    def _hand_over(self, worker: Any, message: dict[str, Any], expected: str, blob: bytes = b"") -> str | None:
        if message["op"] == "define":
            return worker.define(message["code"], json.dumps(message["offered"]))
        return worker.load(blob, message["pages"])

    def _run_snippet(
        self,
        worker: Any,
        code: str,
        answerers: Mapping[str, HostQuery],
        clock: Any,
        watched: Collection[int],
        now: float | None,
    ) -> Result:
        with clock:
            frame = worker.answer(code, answerers, watched)
        return replace(self._parse_result(frame, clock.spent), reached=host._reached(frame, watched))


def open_sandbox(engine: str, **options: Any) -> Sandbox:
    """What `sandbox.open_sandbox` gives, but that native snippets run in this process."""
    return SandboxHere(options["limits"]) if engine == "native" else engines.open_sandbox(engine, **options)


@pytest.fixture(autouse=True)
def one_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Does in this process what the program does in others, unless the test is marked `own_process`."""
    if request.node.get_closest_marker("own_process") is not None:
        return
    monkeypatch.setattr(worker, "set_cpu_limit", lambda seconds: None)  # it would bound the tests themselves
    monkeypatch.setattr(child, "exchange", exchange)
    monkeypatch.setattr("ralph_cli.checks.output.shape.violations", find_violations)
    no_alarm = SimpleNamespace(setitimer=lambda *_: None, ITIMER_REAL=0)  # the alarm is for the process alone
    monkeypatch.setattr(patterns, "signal", no_alarm)
    monkeypatch.setattr("ralph_cli.retrieval.search.occurrences.count_patterns", count)
    monkeypatch.setattr("ralph_cli.wiring.models.open_sandbox", open_sandbox)
