"""A run meets every fault at every place: the right answer, one typed error, or a result that says what it lost."""

import base64
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest
from answering_service import LEASE, POSITIONS, RIGHT, AnsweringService
from fakes import FakeSandbox
from fault_server import CANARY, FAULTS, FaultServer

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.errors import RalphError
from ralph_cli.providers import governor
from ralph_cli.providers.retrying import RetryPolicy
from ralph_cli.reports.safe_text import to_json
from ralph_cli.reports.terminal import report_text

VENDORS = ("anthropic", "openai")
GOOD = ("good", "redirect-target")
SLOW = ("hang", "drip")
BUSY = ("s429", "s529", "s503-overloaded", "b-error-object")
"""Faults that hold for all lanes of a key; here nobody has the patience to wait for them."""

KINDS = [name for name in FAULTS if name not in (*GOOD, *SLOW, "b-bomb", "b-huge", "b-deep")]
SINGLE = list(product([name for name in FAULTS if name not in GOOD], POSITIONS, VENDORS))
DOUBLE = list(product(KINDS[::4][:20], KINDS[1::4][:20], ("worker-middle", "subquery-last", "judge")))
SECRETS = (CANARY, quote(CANARY, safe=""), base64.b64encode(CANARY.encode()).decode().rstrip("="))


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    running = FaultServer({})
    yield running
    running.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time is spent on waiting for a service to recover."""
    hasty = {"attempts": 3, "first_wait_s": 0.01, "longest_wait_s": 0.02, "patience_s": 0.1}
    monkeypatch.setattr(
        "ralph_cli.wiring.models.RetryPolicy", lambda deadline_s: RetryPolicy(deadline_s=deadline_s, **hasty)
    )
    for name, value in (("FIRST_WAIT_S", 0.01), ("LONGEST_WAIT_S", 0.02), ("FIRST_GAP_S", 0.001)):
        monkeypatch.setattr(governor, name, value)
    for module in ("governor", "retrying"):
        monkeypatch.setattr(f"ralph_cli.providers.{module}.LONGEST_HOLD_S", 0.3)


def play(
    server: FaultServer,
    out: Path,
    vendor: str,
    position: str,
    faults: Sequence[str],
    *,
    forever: bool,
    call_seconds: float = 30,
) -> tuple[str, AnsweringService]:
    """How a run ended that met these faults: "answer", "lost", "not accepted", or the code of its error."""
    name = f"case-{len(server.faults)}"
    service = server.faults[name] = AnsweringService(position, faults, forever=forever)
    model = f"{vendor}:m"
    settings = Settings(
        model=model,
        judge_model=model,
        subquery_model=model,
        anthropic_key=CANARY,
        openai_key=CANARY,
        anthropic_base_url=server.url(name),
        openai_base_url=f"{server.url(name)}/v1",
        openai_api="responses",
        strategy="rlm",
        max_call_time=call_seconds,
        out=out / name,
        cache=out / "cache",
    )
    try:
        done = ask(LEASE, "What is the base rent?", settings=settings, engine=FakeSandbox)
    except RalphError as error:
        assert error.code and error.message.isprintable() and error.run and error.hint, error.line
        assert "ralph trace resume " in "".join(error.__notes__)
        shown, ended = "".join(traceback.format_exception(error)) + repr(vars(error)), error.code
    else:
        shown = report_text(done.view) + to_json(done.to_dict()) + repr(done)
        assert done.stop.detail
        assert not done.ok or done.text == RIGHT
        ended = ("lost" if done.view.losses else "answer") if done.ok else f"not accepted: {done.stop.type.value}"
        if not done.ok:
            assert done.stop.detail in shown
    kept = b"".join(path.read_bytes() for path in (out / name).rglob("*") if path.is_file())
    for secret in SECRETS:
        assert secret not in shown and secret.encode() not in kept
    return ended, service


def seconds_of_a_run(server: FaultServer, out: Path, vendor: str) -> float:
    begun = time.monotonic()
    assert play(server, out, vendor, "nowhere", (), forever=False)[0] == "answer"
    return time.monotonic() - begun


def check(server: FaultServer, out: Path, vendor: str, position: str, faults: Sequence[str], *, forever: bool) -> str:
    # A service without an answer is waited for as long as a whole run takes here and now: the calls beside it, which
    # are answered, must not run out of time on a machine that is busy.
    bound = {"call_seconds": seconds_of_a_run(server, out, vendor)} if set(faults) & set(SLOW) else {}
    ended, service = play(server, out, vendor, position, faults, forever=forever, **bound)
    if position.startswith("subquery") and not any(fault.startswith(BUSY) for fault in faults):
        assert ended in ("answer", "lost"), ended  # one sub-query never ends a run
    assert forever or len(service.faults) < len(faults), "the run came never there"
    return ended


def test_a_run_without_a_fault_is_answered(server: FaultServer, tmp_path: Path, hurried: None) -> None:
    for vendor in VENDORS:
        assert play(server, tmp_path, vendor, "nowhere", (), forever=False)[0] == "answer"


SAMPLE = SINGLE[::83]


@pytest.mark.parametrize(("fault", "position", "vendor"), SAMPLE)
def test_a_sample_of_single_faults(
    server: FaultServer, tmp_path: Path, hurried: None, fault: str, position: str, vendor: str
) -> None:
    check(server, tmp_path, vendor, position, [fault], forever=True)


@pytest.mark.full
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("position", POSITIONS)
def test_every_fault_at_every_position(
    server: FaultServer, tmp_path: Path, hurried: None, position: str, vendor: str
) -> None:
    ends: Counter[str] = Counter()
    for fault, where, whose in SINGLE:
        if (where, whose) == (position, vendor):
            for forever in (True, False):
                ends[check(server, tmp_path, vendor, position, [fault], forever=forever)] += 1
    print(f"{position}, {vendor}: {sum(ends.values())} runs: {dict(ends)}")
    assert sum(ends.values()) == 2 * (len(FAULTS) - len(GOOD))


@pytest.mark.full
@pytest.mark.parametrize("first", sorted({pair[0] for pair in DOUBLE}))
def test_double_faults(server: FaultServer, tmp_path: Path, hurried: None, first: str) -> None:
    ends: Counter[str] = Counter()
    for number, (one, other, position) in enumerate(DOUBLE):
        if one == first:
            vendor = VENDORS[number % 2]
            ends[check(server, tmp_path, vendor, position, [one, other], forever=False)] += 1
    print(f"{first} and another: {sum(ends.values())} runs: {dict(ends)}")
    assert sum(ends.values()) == len(DOUBLE) // 20
