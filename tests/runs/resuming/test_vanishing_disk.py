"""A disk that fills up, turns read-only or goes away while a run goes on: nothing is bought after the first write that
failed, what was recorded before is kept, and the run can be resumed from it.
"""

import os
import resource
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes import FakeSandbox
from test_ask import MEMO, RENT, TERM, verdicts

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError, JournalError, RalphError
from ralph_cli.core.events import AnyEvent, CallStarted, RunStarted
from ralph_cli.core.model import Model, ModelTurn, Reply, Request
from ralph_cli.core.run import StopType
from ralph_cli.journal.store import read_events
from ralph_cli.providers.metered import turn_text
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.resume import resume

MENDED = {**TERM, "text": "It begins on 1 March 2021."}
LOOK = {"code": "print(llm_query_batch([(f'what is due? {n}', context) for n in range(LANES)]))"}
CALLS = 5
"""What the whole run buys, beside its sub-queries."""


@dataclass
class Shop:
    """Models that answer what they are asked, whoever has asked before, and count it."""

    lanes: int = 1
    bought: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def models(self) -> dict[str, Model]:
        answers = {"worker": self._work, "judge": self._judge, "subquery": lambda request: text_reply("the rent")}
        return {role: ScriptedModel(self._selling(answer), vendor=role) for role, answer in answers.items()}

    def _selling(self, answer: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
        def sell(request: Request) -> Reply:
            with self._lock:
                self.bought += 1
            return answer(request)

        return sell

    def _work(self, request: Request) -> Reply:
        look = {"code": LOOK["code"].replace("LANES", str(self.lanes))}
        acts = (look, {"claims": [RENT, TERM]}, {"claims": [MENDED]})
        return tool_reply(acts[sum(isinstance(turn, ModelTurn) for turn in request.turns)])

    def _judge(self, request: Request) -> Reply:
        mended = MENDED["text"] in turn_text(request.turns[-1])
        return verdicts((2, "supported")) if mended else verdicts((1, "supported"), (2, "not"))


@contextmanager
def file_size_limit(limit: int) -> Iterator[None]:
    """No file of this process grows beyond `limit` bytes: a full disk, for any user and on any system."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def put(shop: Shop, out: Path, sink: Callable[[AnyEvent], None] = lambda _: None) -> Result | RalphError:
    """What a run gives, or the error that ended it."""
    settings = Settings(out=out, strategy="rlm")
    try:
        return ask(MEMO, "What is the rent?", settings=settings, models=shop.models(), engine=FakeSandbox, sink=sink)
    except (ConfigError, JournalError) as error:
        return error


def find_name(found: Result | RalphError) -> str:
    """The name of the run; an error says it, and how to resume it."""
    if isinstance(found, RalphError):
        assert f"ralph trace resume {found.run}" in "".join(found.__notes__)
    return found.run


def require_resumable(name: str, out: Path, shop: Shop) -> None:
    """Resumed, the run ends as if nothing had happened, and buys only the rest."""
    settings = Settings(out=out)
    again = resume(name, settings=settings, document=MEMO, models=shop.models(), engine=FakeSandbox)
    assert again.ok and [claim.text for claim in again.claims] == [RENT["text"], MENDED["text"]]
    assert shop.bought <= CALLS + 2 * shop.lanes, "what was recorded is not bought again"


@pytest.fixture(scope="module")
def events_of_a_run(tmp_path_factory: pytest.TempPathFactory) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    shop = Shop()
    found = put(shop, tmp_path_factory.mktemp("whole") / "out", events.append)
    assert isinstance(found, Result) and found.ok and shop.bought == CALLS + 1 and len(events) > 20
    return events


def delete(folder: Path) -> None:
    shutil.rmtree(folder)


def move_away(folder: Path) -> None:
    folder.rename(folder.with_name("moved"))


def replace(folder: Path) -> None:
    """By a copy: all that is written on goes to files that are not there."""
    move_away(folder)
    shutil.copytree(folder.with_name("moved"), folder)


def freeze(folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def harm_at(at: int, harm: Callable[[Path], None], out: Path) -> tuple[Result | RalphError, Shop, int, int]:
    """A run whose folder is harmed after its event of that number: what it gives, what was bought since, and allowed.

    The call that was recorded last before the harm may be sent: nobody could know.
    """
    shop, seen, before, allowed = Shop(), 0, 0, 0

    def sink(event: AnyEvent) -> None:
        nonlocal seen, before, allowed
        if seen == at:
            (folder,) = [path for path in out.iterdir() if path.is_dir()]
            before, allowed = shop.bought, int(isinstance(event, CallStarted))
            harm(folder)
        seen += 1

    with file_size_limit(1 << 30):
        found = put(shop, out, sink)
    assert seen > at
    return found, shop, shop.bought - before, allowed


def check_harm(at: int, harm: Callable[[Path], None], out: Path, last: int) -> None:
    found, shop, after, allowed = harm_at(at, harm, out)
    assert after == allowed, f"{after} calls were bought after {harm.__name__} at event {at}"
    if at == last:
        assert isinstance(found, Result) and found.ok, "the answer was there already"
    elif isinstance(found, Result):
        assert found.stop.type is StopType.SYSTEM_ERROR and found.claims, "what was paid for is shown"
    else:
        assert found.code in ("journal-unwritable", "journal-gone")
    if at == last or harm is delete:
        return
    if harm is not freeze:
        shutil.rmtree(out / found.run, ignore_errors=True)
        (out / "moved").rename(out / found.run)
        if at == last - 1:
            return  # its end was recorded, where it had been moved to
    require_resumable(find_name(found), out, shop)


HARMS = (delete, move_away, replace, freeze)


@pytest.mark.parametrize("harm", HARMS)
def test_nothing_is_bought_once_the_folder_is_gone_or_frozen(
    harm: Callable[[Path], None], events_of_a_run: list[AnyEvent], tmp_path: Path
) -> None:
    last = len(events_of_a_run) - 1
    for at in (1, last // 2, last - 1):
        check_harm(at, harm, tmp_path / str(at) / "out", last)


@pytest.mark.full
@pytest.mark.parametrize("harm", HARMS)
def test_nothing_is_bought_once_the_folder_is_gone_or_frozen_at_any_event(
    harm: Callable[[Path], None], events_of_a_run: list[AnyEvent], tmp_path: Path
) -> None:
    for at in range(len(events_of_a_run)):
        check_harm(at, harm, tmp_path / str(at) / "out", len(events_of_a_run) - 1)
    print(f"{harm.__name__}: {len(events_of_a_run)} runs, nothing bought after it")


def check_full_disk(full: AbstractContextManager[None], out: Path, *, lanes: int) -> bool:
    """A run on a disk that is `full`, resumed when it no longer is; whether it came to its end at once."""
    shop = Shop(lanes)
    with full:
        found = put(shop, out)
    runs = [path for path in out.iterdir() if path.is_dir()] if out.is_dir() else []
    if not runs:
        assert isinstance(found, JournalError | ConfigError) and shop.bought == 0 and not found.run, "it never began"
        return False
    started = [event for event in read_events(runs[0]) if isinstance(event, CallStarted)]
    assert shop.bought <= len(started), "a call was bought that could not be recorded"
    if isinstance(found, Result) and found.ok:
        return True
    require_resumable(find_name(found), out, shop)
    return False


@pytest.mark.parametrize("lanes", [1, 8])
def test_nothing_is_bought_on_a_full_disk(lanes: int, tmp_path: Path) -> None:
    for limit in (0, 48 << 10, 80 << 10):
        assert not check_full_disk(file_size_limit(limit), tmp_path / str(limit) / "out", lanes=lanes)


@pytest.mark.full
@pytest.mark.parametrize("lanes", [1, 8])
def test_nothing_is_bought_on_a_full_disk_at_any_size(lanes: int, tmp_path: Path) -> None:
    steps = 0
    while not check_full_disk(file_size_limit(steps << 12), tmp_path / str(steps) / "out", lanes=lanes):
        steps += 1
    print(f"{lanes} lanes: {steps} steps of 4 KiB, nothing bought after the first write that failed")
    assert steps > 10


def mount(*arguments: str | Path) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


def unmount(place: Path) -> None:
    subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder at which a file system can be mounted; skips where nobody may."""
    if os.geteuid() != 0 or not shutil.which("mount") or not mount("-t", "tmpfs", "none", tmp_path):
        pytest.skip("needs the right to mount a file system")
    unmount(tmp_path)
    yield tmp_path
    while tmp_path.is_mount():
        unmount(tmp_path)


@pytest.mark.full
def test_nothing_is_bought_on_a_file_system_without_room(place: Path) -> None:
    """As with a limit for each file, but here all files of a run share what there is."""

    @contextmanager
    def small(steps: int) -> Iterator[None]:
        assert mount("-t", "tmpfs", "-o", f"size={(steps + 1) << 12}", "none", place)
        yield
        assert mount("-o", "remount,size=64m", place)

    steps, ended = 0, False
    while not ended:
        ended = check_full_disk(small(steps), place / "out", lanes=2)
        unmount(place)
        steps += 1
    print(f"{steps} steps of 4 KiB, nothing bought after the first write that failed")
    assert steps > 10


@pytest.mark.full
def test_nothing_is_bought_once_the_folder_is_unmounted(events_of_a_run: list[AnyEvent], place: Path) -> None:
    for at in range(len(events_of_a_run)):
        assert mount("-t", "tmpfs", "none", place)
        _, _, after, allowed = harm_at(at, lambda _: unmount(place), place / "out")
        assert after == allowed, f"{after} calls were bought after event {at}"
    print(f"unmounted: {len(events_of_a_run)} runs, nothing bought after it")


def test_a_trace_that_cannot_be_written_is_a_notice(tmp_path: Path) -> None:
    """Only the journal ends a run: readable copies can be made from it again."""
    out = tmp_path / "out"

    def block(event: AnyEvent) -> None:
        if isinstance(event, RunStarted):
            (out / event.run / "iter-01.json").mkdir()

    found = put(Shop(), out, block)
    assert isinstance(found, Result) and found.ok
    assert any("iter-01.json cannot be written" in notice.message for notice in found.notices)
