"""The time of a run from the Python API: whatever of the caller's hangs, the run ends when its time is over."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from fakes import FakeSandbox, document, hand_in

from ralph_cli.api import ask, run_task
from ralph_cli.checks.verifier import VerificationResult
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.model import Model, Reply, Request
from ralph_cli.core.run import StopType
from ralph_cli.providers.scripted import ScriptedModel, text_reply

LEASE = document("The tenant pays a base rent of $48,000 a year in twelve equal instalments.\n")
RENT = {"text": "The base rent is $48,000 a year.", "quotes": ["a base rent of $48,000 a year"]}
SUPPORTED = '{"verdicts": [{"id": 1, "verdict": "supported", "reason": "it says so"}]}'


@pytest.fixture
def freed() -> Iterator[threading.Event]:
    """What hangs here waits for the end of its test."""
    over = threading.Event()
    yield over
    over.set()


@pytest.fixture
def hurried(settings: Settings) -> Settings:
    return settings.model_copy(update={"max_time": 1.0})


class Hangs:
    """A verifier, and a model, that does not come back."""

    name, vendor = "hangs", "z"

    def __init__(self, freed: threading.Event) -> None:
        self.freed, self.called = freed, False

    def verify(self, *_: object) -> VerificationResult:
        self.called = True
        self.freed.wait(30)
        return VerificationResult(True, "")

    def complete(self, request: Request) -> Reply:
        self.called = True
        self.freed.wait(30)
        return text_reply("too late")


class HangsAwaited(Hangs):
    """The same, asynchronously."""

    async def verify(self, *_: object) -> VerificationResult:  # type: ignore[override]
        self.called = True
        await asyncio.sleep(30)
        return VerificationResult(True, "")


def models(**others: Model) -> dict[str, Model]:
    return {"worker": ScriptedModel([hand_in(RENT)]), "judge": ScriptedModel([text_reply(SUPPORTED)]), **others}


@pytest.mark.parametrize("kind", [Hangs, HangsAwaited])
def test_a_verifier_that_hangs_is_left_when_the_time_is_over(
    hurried: Settings, freed: threading.Event, kind: type[Hangs]
) -> None:
    """C3, B1: the run keeps its time whatever the verifier is."""
    verifier = kind(freed)
    asked = ask(LEASE, "Rent?", settings=hurried, models=models(), verifier=verifier, engine=FakeSandbox)
    assert asked.outcome.halt.type is StopType.TIMEOUT and verifier.called


@pytest.mark.parametrize("role", ["worker", "judge"])
def test_a_model_of_the_callers_that_hangs_is_left_too(hurried: Settings, freed: threading.Event, role: str) -> None:
    hanging = Hangs(freed)
    asked = ask(LEASE, "Rent?", settings=hurried, models=models(**{role: hanging}), engine=FakeSandbox)
    assert asked.outcome.halt.type is StopType.TIMEOUT and hanging.called


def test_so_it_is_in_a_task(hurried: Settings, freed: threading.Event) -> None:
    hanging = Hangs(freed)
    done = run_task(LEASE, "Summarize", settings=hurried, models=models(worker=hanging), engine=FakeSandbox)
    assert done.outcome.halt.type is StopType.TIMEOUT and hanging.called


def test_without_a_limit_nothing_is_cut(settings: Settings) -> None:
    class Fits:
        def verify(self, *_: object) -> VerificationResult:
            return VerificationResult(True, "")

    asked = ask(LEASE, "Rent?", settings=settings, models=models(), verifier=Fits(), engine=FakeSandbox)
    assert asked.outcome.halt.type is StopType.COMPLETION


@pytest.mark.parametrize("seconds", ["inf", "nan", "1e300", "0", "-1"])
def test_a_time_that_is_none_is_refused(seconds: str) -> None:
    with pytest.raises(ConfigError, match="max_time"):
        Settings(max_time=seconds)  # type: ignore[arg-type]
