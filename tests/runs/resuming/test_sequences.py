"""Whatever happens to a run, in any order: what a record of it holds is not bought again, and it ends the same."""

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import test_ask
import test_task
from fakes import FakeSandbox
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from test_kills import MENDED, Vendor
from test_resume import cut_off

from ralph_cli.api import ask, run_task
from ralph_cli.config import Settings
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.events import CallFinished, CallStarted, RunHalted
from ralph_cli.journal.copies import COPIES
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import read_events
from ralph_cli.providers.metered import request_digest
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.runs.resuming.resume import FINISHED_STOPS, resume


class Troubled(Vendor):
    """A vendor whose models fail, or are interrupted, from one of their calls on.

    Sub-queries do not fail: a run that has lost some is another run, and its answer may be refused for it.
    """

    def __init__(self, mode: str, bought: Path, trouble: type[BaseException] | None = None, at: int = 0) -> None:
        super().__init__(mode, bought)
        self.trouble, self.left = trouble, at

    def buy(self, what: str) -> None:
        self.left -= 1
        spared = self.trouble is ProviderError and what.startswith("subquery")
        if self.trouble is not None and self.left < 0 and not spared:
            raise ProviderError("no credit", code="billing") if self.trouble is ProviderError else self.trouble
        super().buy(what)


ACTIONS = st.one_of(
    st.tuples(st.just("fail"), st.integers(0, 9)),
    st.tuples(st.just("interrupt"), st.integers(0, 9)),
    st.tuples(st.just("kill"), st.integers(2, 40)),
    st.tuples(st.just("bound"), st.integers(1, 3)),
    st.tuples(st.just("replay"), st.just(0)),
    st.tuples(st.just("move the runs"), st.just(0)),
)


def paid(folder: Path) -> Counter[str]:
    """How many replies to each request the records of all folders of runs hold; they have those of one another."""
    found: Counter[str] = Counter()
    for journal in folder.glob(f"out*/*/{JOURNAL_FILE}"):
        events = tuple(read_events(journal.parent))
        digests = {event.number: event.digest for event in events if isinstance(event, CallStarted)}
        found |= Counter(digests[event.number] for event in events if isinstance(event, CallFinished) and event.reply)
    return found


def newest(folder: Path) -> Path:
    return max((path.parent for path in folder.glob(f"out*/*/{JOURNAL_FILE}")), key=lambda path: path.name)


def go_on(mode: str, folder: Path, vendor: Troubled, run: Path | None, **changes: Any) -> Any:
    """Make the run, or go on with it; whatever ends it."""
    about = test_task.LEASE if mode == "task" else test_ask.MEMO
    settings = Settings(out=folder / "out", strategy="rlm", retry="continue", memory="off")
    before = paid(folder)
    models = vendor.models()
    try:
        if run is not None:
            return resume(run, settings=settings, changes=changes, document=about, models=models, engine=FakeSandbox)
        if mode == "task":
            return run_task(about, "Say what is paid.", settings=settings, models=models, engine=FakeSandbox)
        return ask(about, "What is the rent?", settings=settings, models=models, engine=FakeSandbox)
    except (ProviderError, KeyboardInterrupt):
        return None
    finally:
        requests = [request for model in models.values() for request in model.requests]  # type: ignore[attr-defined]
        asked = Counter(map(request_digest, requests))
        # One question is asked twice, side by side.
        twice = {request_digest(request) for request in requests if request.inputs.get("text") == "a"}
        assert all(asked[digest] + before[digest] <= 1 + (digest in twice) for digest in asked), "paid for twice"


def has_answer(run: Path) -> bool:
    last = list(read_events(run))[-1]
    return isinstance(last, RunHalted) and last.halt.type in FINISHED_STOPS


def carry_out(mode: str, actions: list[tuple[str, int]], reference: dict[str, Any]) -> int:
    """Do all this to a run, then let it end; returns how often it was resumed."""
    resumed = 0
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        run: Path | None = None
        for action, number in actions:
            if run is not None and has_answer(run) and action not in ("kill", "replay"):
                continue
            bought = folder / "bought"
            if action in ("fail", "interrupt"):
                trouble = ProviderError if action == "fail" else KeyboardInterrupt
                resumed += run is not None
                go_on(mode, folder, Troubled(mode, bought, trouble, number), run)
            elif action == "bound" and run is not None:
                resumed += 1
                go_on(mode, folder, Troubled(mode, bought), run, max_iterations=number)
            elif action == "kill" and run is not None:
                events = tuple(read_events(run))
                if not 2 <= number < len(events):
                    continue
                cut = run.with_name(f"{run.name}-cut")
                cut_off(events, number, cut)
                if (run / COPIES).is_dir():
                    (run / COPIES).rename(cut / COPIES)
                shutil.rmtree(run)
                cut.rename(run)
            elif action == "replay" and run is not None:
                about = test_task.LEASE if mode == "task" else test_ask.MEMO
                assert not replay(run, settings=Settings(out=folder / "out"), document=about).difference
            elif action == "move the runs" and (folder / "out").is_dir():
                (folder / "out").rename(folder / f"out-{len(list(folder.iterdir()))}")
            if list(folder.glob(f"out*/*/{JOURNAL_FILE}")):
                run = newest(folder)
        if run is None or not has_answer(run):
            done = go_on(mode, folder, Troubled(mode, folder / "bought"), run, **({"max_iterations": 4} if run else {}))
            assert done.ok and done.text == reference[mode], done
            resumed += run is not None
    return resumed


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    texts = {}
    for mode in ("qa", "task"):
        folder = tmp_path_factory.mktemp(mode)
        texts[mode] = go_on(mode, folder, Troubled(mode, folder / "bought"), None).text
    assert MENDED["text"] in texts["qa"]
    return texts


@pytest.mark.parametrize("count", [5, pytest.param(1_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("mode", ["qa", "task"])
def test_any_sequence_of_troubles_ends_in_the_same_answer(mode: str, count: int, reference: dict[str, Any]) -> None:
    resumed: list[int] = []

    @examples(max_examples=count, derandomize=count < 100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(ACTIONS, min_size=1, max_size=6))
    def sequences(actions: list[tuple[str, int]]) -> None:
        resumed.append(carry_out(mode, actions, reference))

    sequences()
    print(f"{mode}: {len(resumed)} sequences, {sum(resumed)} resumptions")
    assert sum(resumed) > count / 3
