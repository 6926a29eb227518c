"""What has a process of its own in the program is done in that of the test: no Python is started, nothing imported.

Most tests ask what is read, counted or found wrong, not how the process that does it is bounded. Those that do ask for
it are marked `own_process`: they are the tests of the parser process, of schemas and of patterns.
"""

import io
import json
import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from ralph_cli.checks.output import schema
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.model import Json
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.process import child, worker
from ralph_cli.documents.process.frames import FAILURE, RESULT, encode_frame
from ralph_cli.documents.search import patterns
from ralph_cli.documents.search.patterns import PatternCount

_START = child._BOOTSTRAP
_exchange = child.exchange
_one_at_a_time = threading.Lock()  # pdfium is not made for threads


class _NoWatch:
    """Nothing is killed here."""

    def restart(self, seconds: float) -> None: ...


def exchange(
    request: dict[str, Any], data: bytes, name: str, limits: LoadLimits, on_progress: child.OnProgress
) -> bytes:
    """What `child.exchange` gives: the same request, frames and distrust, without bounds of time and memory.

    A test that sets another program for the process gets the process.
    """
    if child._BOOTSTRAP != _START:
        return _exchange(request, data, name, limits, on_progress)
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
    monkeypatch.setattr("ralph_cli.documents.search.occurrences.count_patterns", count)
