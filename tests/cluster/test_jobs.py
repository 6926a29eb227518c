"""What travels between submitter and workers, and what is believed of it: without a database, with a real store."""

import hashlib
import json
import zipfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from contracts import cells_of, paid_calls, questions, scripted_models, write_contracts

from ralph_cli import api
from ralph_cli.cluster import job as jobs
from ralph_cli.cluster.database import EndedJob
from ralph_cli.cluster.job import Job, JobResult, read_file, write_file
from ralph_cli.cluster.serving import WorkerUnfit
from ralph_cli.cluster.shares import NOTHING, Amounts, JobPurse, Room, find_room
from ralph_cli.cluster.store import Store, open_store
from ralph_cli.cluster.submitting import Submission
from ralph_cli.cluster.worker import Workplace
from ralph_cli.config import Settings
from ralph_cli.core.budget import Budget
from ralph_cli.core.errors import ConfigError, EngineError, JournalError, LimitExceeded, ProviderError, RalphError
from ralph_cli.core.model import Model, Reply, Request
from ralph_cli.core.results.table import Cell, CellState, Table, TableQuestion
from ralph_cli.core.run import StopType
from ralph_cli.documents.source import DocumentSource
from ralph_cli.providers.scripted import ScriptedModel
from ralph_cli.runs.execute import Setup
from ralph_cli.runs.verifying.verify import verify
from ralph_cli.table.make import make_table
from ralph_cli.table.run import Filling

ONCE = Filling()


@dataclass
class OneWorker:
    """A queue whose jobs are done as soon as they are handed in, by a worker with a folder of its own."""

    folder: Path
    log: Path | None = None
    meddle: Callable[[Store, str], str] = lambda store, result: result
    on_cell: Callable[[Cell], None] = lambda cell: None
    max_jobs: int = 100
    models: dict[str, Model] = field(default_factory=dict)
    shares: "SharesHere" = field(default_factory=lambda: SharesHere())
    results: dict[str, str] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)

    @property
    def place(self) -> Workplace:
        settings = Settings(out=self.folder)
        setup = Setup(settings=settings, models=self.models or scripted_models(self.log))
        return Workplace("w", open_store(str(self.folder / "store")), self.folder / "w", setup, self.shares)

    def submit(self, job_id: str, job: str) -> None:
        if job_id not in self.results and len(self.results) < self.max_jobs:
            self.results[job_id] = self.meddle(self.place.store, self.place.do_job(job, self.on_cell))

    def ended(self, job_ids: Collection[str]) -> list[EndedJob]:
        done = self.results.keys() | self.cancelled
        return [EndedJob(n, self.results.get(n, ""), "w", n in self.cancelled) for n in job_ids if n in done]

    def cancel(self, job_ids: Collection[str] | None = None, *, at_work: bool = True) -> int:
        self.cancelled |= {name for name in job_ids or () if name not in self.results}
        return len(self.cancelled)

    def close(self) -> None: ...


@dataclass
class SharesHere:
    """The bounds of tables, counted in this process as the database does it."""

    bounds: dict[str, Budget] = field(default_factory=dict)
    spent: dict[str, Amounts] = field(default_factory=dict)
    held: dict[tuple[str, str, str], tuple[Amounts, Amounts]] = field(default_factory=dict)

    def open(self, purse: str, bounds: Budget, spent: Amounts) -> None:
        self.bounds[purse], self.spent[purse] = bounds, spent

    def begin(self, purse: str, job: str, worker: str) -> float | None:
        for place in [place for place in self.held if place[:2] == (purse, job)]:
            self.held[place] = self.held[place][0], Amounts()
        return self.bounds[purse].seconds

    def hold(
        self, purse: str, job: str, worker: str, spent: Amounts, held: Amounts, more: Amounts = NOTHING
    ) -> tuple[Room, str]:
        self.held.pop((purse, job, worker), None)
        before, under_way = self.spent[purse].plus(spent), held
        for theirs, promised in self.held.values():
            before, under_way = before.plus(theirs), under_way.plus(promised)
        room = find_room(self.bounds[purse], before, under_way, more)
        self.held[purse, job, worker] = spent, held.plus(more) if room[0] is Room.NOW else held
        return room

    def collect(self, purse: str, job: str, worker: str, spent: Amounts) -> None:
        self.spent[purse] = spent
        self.held.pop((purse, job, worker), None)

    def close(self) -> None: ...


def fill(
    queue: OneWorker,
    asked: tuple[TableQuestion, ...] = questions(),
    *,
    resume: bool = False,
    max_calls: int | None = None,
    max_cost: float | str = "none",
    contracts: int = 2,
    filling: Filling = ONCE,
) -> Table:
    folder = queue.folder
    submission = Submission(
        "", str(folder / "store"), open_queue=lambda url: queue, open_shares=lambda url: queue.shares
    )
    setup = Setup(settings=Settings(out=folder, max_cost=max_cost, max_calls=max_calls), models=scripted_models())
    source = DocumentSource(str(write_contracts(folder / "contracts", contracts)))
    return make_table(asked, source, folder / "table", setup, filling, resume=resume, fill=submission)


def alone(folder: Path, asked: tuple[TableQuestion, ...] = questions(), contracts: int = 2) -> Table:
    documents = str(write_contracts(folder / "contracts", contracts))
    settings = Settings(out=folder, max_cost="none")
    return api.make_table(asked, documents, folder=folder / "alone", settings=settings, models=scripted_models())


def test_the_table_of_a_worker_is_that_of_this_machine(tmp_path: Path) -> None:
    asked = (*questions(), replace(questions(4)[3], each="set"))
    table = fill(OneWorker(tmp_path), asked)
    assert cells_of(table) == cells_of(alone(tmp_path, asked)) and len(table) == 7
    assert table.halt.type is StopType.COMPLETION
    # What was unpacked is a run as any other, of the document where it is here.
    run = next((tmp_path / "table" / "runs").glob("*/*"))
    assert verify(run, settings=Settings(out=tmp_path)).holds


def test_a_finished_table_submits_nothing_and_new_questions_ask_only_these(tmp_path: Path) -> None:
    queue = OneWorker(tmp_path, log=tmp_path / "log")
    fill(queue)
    assert len(queue.results) == 2 and not list((tmp_path / "table" / "jobs").iterdir())
    fill(queue, resume=True)
    assert len(queue.results) == 2
    table = fill(queue, questions(4), resume=True)
    assert len(queue.results) == 4 and cells_of(table) == cells_of(alone(tmp_path, questions(4)))
    assert len(paid_calls(tmp_path / "log")) == len(set(paid_calls(tmp_path / "log"))) == 16


def test_a_job_that_was_begun_goes_on_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    def die(cell: Cell) -> None:
        if cell.question == "opening":
            raise SystemExit

    queue = OneWorker(tmp_path, log=tmp_path / "log", on_cell=die)
    with pytest.raises(SystemExit):
        fill(queue)
    queue.on_cell = lambda cell: None
    table = fill(queue, resume=True)
    assert cells_of(table) == cells_of(alone(tmp_path))
    assert len(paid_calls(tmp_path / "log")) == len(set(paid_calls(tmp_path / "log"))) == 12


def test_a_bound_of_the_table_lets_no_further_job_begin(tmp_path: Path) -> None:
    queue = OneWorker(tmp_path, max_jobs=2)
    table = fill(queue, max_calls=11, contracts=4)  # a document takes six
    assert table.halt.type is StopType.MAX_CALLS
    assert [cell.state for cell in table].count(CellState.PENDING) >= 6
    queue.max_jobs, queue.cancelled = 100, set()
    assert cells_of(fill(queue, resume=True, contracts=4)) == cells_of(alone(tmp_path, contracts=4))


@pytest.mark.parametrize(
    ("bound", "higher", "stop", "most"),
    [
        # A call costs 0.001, a document six of them; a scripted model promises nothing, so one call may be too many.
        ({"max_cost": 0.009}, {"max_cost": 0.0181}, StopType.MAX_COST, 10),
        ({"max_calls": 9}, {"max_calls": 18}, StopType.MAX_CALLS, 9),
    ],
)
def test_the_bounds_of_the_table_hold_for_all_jobs_and_each_settles_what_it_has_spent(
    tmp_path: Path, bound: dict[str, Any], higher: dict[str, Any], stop: StopType, most: int
) -> None:
    queue = OneWorker(tmp_path, log=tmp_path / "log")
    table = fill(queue, contracts=3, **bound)
    assert table.halt.type is stop and "whole table" in table.halt.detail
    assert 9 <= len(paid_calls(tmp_path / "log")) <= most
    assert not queue.shares.held and next(iter(queue.shares.spent.values())).usd == pytest.approx(0.009, abs=0.0011)
    queue.cancelled = set()
    table = fill(queue, resume=True, contracts=3, **higher)
    assert cells_of(table) == cells_of(alone(tmp_path, contracts=3)) and not queue.shares.held
    assert len(paid_calls(tmp_path / "log")) == len(set(paid_calls(tmp_path / "log"))) == 18
    assert next(iter(queue.shares.spent.values())).usd == pytest.approx(0.018)


def test_there_is_room_for_a_call_if_no_bound_is_passed_by_what_calls_under_way_may_take() -> None:
    bounds, spent, held = Budget(None, 1.0, 9, 1000), Amounts(0.5, 5, 500), Amounts(0.3, 2, 400)
    assert find_room(bounds, spent, held, Amounts(0.2, 1, 100)) == (Room.NOW, "")
    assert find_room(bounds, spent, held, Amounts(0.3, 1, 100)) == (Room.LATER, "cost")
    assert find_room(bounds, spent, held, Amounts(0.6, 1, 100)) == (Room.NEVER, "cost")
    assert find_room(bounds, spent, held, Amounts(0.2, 1, 101)) == (Room.LATER, "tokens")
    assert find_room(bounds, spent, held, Amounts(0.2, 3, 100)) == (Room.NEVER, "calls")
    assert find_room(Budget(), spent, held, Amounts(9.0, 9, 9000)) == (Room.NOW, "")


def test_a_job_whose_table_has_no_time_left_asks_nothing() -> None:
    purse = JobPurse(lambda spent, held, more: (Room.NOW, ""), NOTHING, 0.0)
    with pytest.raises(LimitExceeded, match="time limit"), purse.reserve(None):
        pytest.fail("it was asked")
    assert purse.left == {"time": 0} and not purse.refused


def test_a_run_that_was_cut_off_is_given_to_the_worker_to_go_on_with(tmp_path: Path) -> None:
    queue = OneWorker(tmp_path, log=tmp_path / "log")
    table = fill(queue, max_calls=5, contracts=1)
    assert [cell.state for cell in table].count(CellState.CUT_OFF) == 1
    queue.folder.joinpath("w").rename(tmp_path / "gone")  # another worker gets it
    table = fill(queue, resume=True, max_calls=6, contracts=1)
    assert cells_of(table) == cells_of(alone(tmp_path, contracts=1))
    assert len(paid_calls(tmp_path / "log")) == len(set(paid_calls(tmp_path / "log"))) == 6


def forged(store: Store, result: str, change: Callable[[dict[str, bytes]], dict[str, bytes]]) -> str:
    """The result with its first bundle made anew, by somebody who can make seals and hashes, too."""
    given = read_file(JobResult, store.get("results", result))
    path = Path(store.address) / "forged.zip"
    path.write_bytes(store.get("bundles", given.bundles[0]))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in change(members).items():
            archive.writestr(name, data)
    bundle = store.put("bundles", path.read_bytes())
    return store.put("results", write_file(given.model_copy(update={"bundles": (bundle, *given.bundles[1:])})))


def resealed(members: dict[str, bytes], old: bytes, new: bytes) -> dict[str, bytes]:
    """The same record with other words in it, chained and sealed again."""
    from ralph_cli.journal import bundle

    changed = {name: data.replace(old, new) for name, data in members.items() if name != bundle.MANIFEST}
    events = [json.loads(line) for line in changed[bundle.JOURNAL].splitlines()]
    lines, chain = bundle.chain_events([(event["at"], event["event"]) for event in events])
    changed[bundle.JOURNAL] = b"".join(lines)
    manifest = json.loads(members[bundle.MANIFEST].replace(old, new))
    parts = {name: data for name, data in changed.items() if name != bundle.MANIFEST}
    made = bundle.build_manifest(manifest["run"], len(lines), chain, parts, manifest["schema"])
    return {bundle.MANIFEST: bundle.canonical_json(made), **parts}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"", b"", "event"),
        (b"EUR 1,100", b"EUR 9,100", "fails a check"),
        (b"What is the basic fee?", b"What is the basic sum?", "no question of this table"),
        (b"-qa-", b"-ab/../", "name"),
        (b'"seed":"', b'"seed":"0', "not made for this table"),
    ],
)
def test_what_a_store_gives_is_believed_only_if_it_holds(tmp_path: Path, old: bytes, new: bytes, why: str) -> None:
    def change(members: dict[str, bytes]) -> dict[str, bytes]:
        if not old:
            return {name: data.replace(b"EUR 1,100", b"EUR 9,100") for name, data in members.items()}
        return resealed(members, old, new)

    table = fill(OneWorker(tmp_path, meddle=lambda store, result: forged(store, result, change)), contracts=1)
    first, *_ = table
    assert first.state is CellState.FAILED and why in first.reason, first.reason
    assert not list((tmp_path / "table").glob("**/*-ab*")) and not list((tmp_path / "table").glob("incoming/*"))


def test_other_bytes_under_a_hash_are_refused(tmp_path: Path) -> None:
    store = open_store(f"file://{tmp_path}")
    sha256 = store.put("documents", b"the contract")
    (tmp_path / "documents" / sha256[:2] / sha256).write_bytes(b"another one!")
    with pytest.raises(JournalError, match="does not have that hash"):
        store.get("documents", sha256)
    for wrong in ("../../etc/passwd", hashlib.sha256(b"").hexdigest()):
        with pytest.raises(JournalError, match=r"not the hash|not in the store"):
            store.get("documents", wrong)


def test_a_job_of_another_version_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = jobs.code_version()
    monkeypatch.setattr("ralph_cli.cluster.submitting.__version__", "9.9.9")
    table = fill(OneWorker(tmp_path), contracts=1)
    assert all(cell.state is CellState.FAILED and "9.9.9-" in cell.reason and ours in cell.reason for cell in table)


def test_a_job_names_neither_files_nor_places_nor_keys(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path, anthropic_key="sk-ant-0123456789abcdef", openai_base_url="http://10.1.2.3/")
    queue = OneWorker(tmp_path)
    submission = Submission(
        "", str(tmp_path / "store"), open_queue=lambda url: queue, open_shares=lambda url: queue.shares
    )
    source = DocumentSource(str(write_contracts(tmp_path / "contracts", 1)))
    setup = Setup(settings=settings, models=scripted_models())
    make_table(questions(), source, tmp_path / "table", setup, Filling(), fill=submission)
    (job,) = (path.read_text() for path in (tmp_path / "store" / "jobs").glob("*/*"))
    assert str(tmp_path) not in job and "sk-ant" not in job and "10.1.2.3" not in job
    assert "What is the basic fee?" in job and read_file(Job, job.encode()).row.name == "c0000.txt"


def test_a_job_chooses_no_script_no_file_and_no_address(tmp_path: Path) -> None:
    queue = OneWorker(tmp_path)
    fill(queue, contracts=1)
    store = queue.place.store
    (path,) = (tmp_path / "store" / "jobs").glob("*/*")
    job = read_file(Job, path.read_bytes())
    hostile = {"models": {"worker": "scripted:/etc/passwd"}, "openai_base_url": "http://evil/", "out": "/"}
    row = replace(job.row, path="/etc/passwd")
    documents = tuple(item.model_copy(update={"file": "../../../../etc/x/contract.txt"}) for item in job.documents)
    changed = job.model_copy(update={"settings": job.settings | hostile, "row": row, "documents": documents})
    place = replace(queue.place, setup=Setup(settings=Settings(out=tmp_path), models={}))
    result = read_file(JobResult, store.get("results", place.do_job(store.put("jobs", write_file(changed)))))
    assert "a record does not choose what is read" in result.fault
    models = job.model_copy(update={"documents": documents, "row": row})
    again = read_file(JobResult, store.get("results", queue.place.do_job(store.put("jobs", write_file(models)))))
    assert len(again.bundles) == 3
    assert all("documents" in path.parts for path in tmp_path.glob("**/contract.txt"))


def test_a_worker_that_lacks_a_key_says_so_and_fails_no_cell(tmp_path: Path) -> None:
    queue = OneWorker(tmp_path)
    fill(queue, contracts=1)
    (path,) = (tmp_path / "store" / "jobs").glob("*/*")
    job = read_file(Job, path.read_bytes())
    named = {role: f"anthropic:{role}" for role in ("worker", "judge", "subquery")}
    keyed = queue.place.store.put("jobs", write_file(job.model_copy(update={"settings": {"models": named}})))
    place = replace(queue.place, folder=tmp_path / "other", setup=Setup(settings=Settings(out=tmp_path)))
    with pytest.raises(WorkerUnfit, match="other workers get its document: anthropic:worker needs a key") as told:
        place.do_job(keyed)
    assert not told.value.has_begun


@pytest.mark.parametrize(
    "lacking",
    [ProviderError("the key was not accepted", code="auth"), EngineError("a wall is missing", code="no-sandbox")],
)
def test_a_worker_whose_key_or_sandbox_fails_later_keeps_what_it_has_begun(tmp_path: Path, lacking: RalphError) -> None:
    calls = 0

    def answer(request: Request) -> Reply:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise lacking
        return good["worker"].complete(request)

    good = scripted_models(tmp_path / "log")
    queue = OneWorker(tmp_path, models=good | {"worker": ScriptedModel(answer, vendor="a")})
    with pytest.raises(WorkerUnfit, match=f"keeps the document that it began: {lacking.message}") as told:
        fill(queue)
    assert told.value.has_begun and not queue.results
    table = fill(queue, resume=True)
    assert cells_of(table) == cells_of(alone(tmp_path))
    assert len(paid_calls(tmp_path / "log")) == len(set(paid_calls(tmp_path / "log"))) == 12


def test_a_store_out_of_reach_and_a_password_are_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot be read: Not a directory"):
        open_store(str(tmp_path / "file" / "store")).put("jobs", b"{}")
    with pytest.raises(ConfigError, match=r"nowhere://x cannot be opened"):
        open_store("nowhere://x")
    submission = Submission(
        "", str(tmp_path), open_queue=lambda url: OneWorker(tmp_path), open_shares=lambda url: SharesHere()
    )
    with pytest.raises(ConfigError, match="only-changed runs on one machine"):
        fill(OneWorker(tmp_path), filling=Filling(only_changed=True))
    source = DocumentSource(str(write_contracts(tmp_path / "contracts", 1)), password="secret")
    setup = Setup(settings=Settings(out=tmp_path), models=scripted_models())
    with pytest.raises(RalphError, match="a password would travel"):
        make_table(questions(), source, tmp_path / "other", setup, Filling(), fill=submission)
