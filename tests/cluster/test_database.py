"""The jobs in PostgreSQL: what is kept there, who may take them, how they are paused, cancelled and handed over."""

import base64
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from contracts import FEES, paid_calls, questions, submit, write_contracts
from model_service import ANSWER_TOKENS, ModelService, service_settings
from postgres import Postgres, Start

from ralph_cli import api
from ralph_cli.cluster import database
from ralph_cli.cluster.connection import living_workers
from ralph_cli.cluster.database import JobQueue, require_worker_id
from ralph_cli.cluster.serving import serve
from ralph_cli.cluster.shares import Amounts, DatabaseShares, Room
from ralph_cli.commands.app import run
from ralph_cli.core.budget import Budget
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.results.table import Table
from ralph_cli.core.run import StopType

JOB = "ab" * 32


def dump(server: Postgres) -> str:
    """All rows of all tables, as text."""
    import psycopg

    with psycopg.connect(server.url) as connection:
        names = connection.execute(
            "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname IN ('dbos', 'ralph')"
        ).fetchall()
        rows = [connection.execute(f"SELECT t::text FROM {name} t").fetchall() for (name,) in names]
    return "\n".join(row for table in rows for (row,) in table)


def await_that(done: Any, seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, "it does not come"
        time.sleep(0.05)


def test_a_job_is_submitted_once_paused_and_cancelled(server: Postgres) -> None:
    with closing(JobQueue(server.url)) as queue:
        for _ in range(2):
            queue.submit("once", JOB)
        assert sum(queue.look().waiting.values()) == 1 and not queue.look().living
        queue.pause(paused=True)
        assert queue.look().is_paused
        queue.pause(paused=False)
        assert not queue.look().is_paused and queue.cancel() == 1
        (job,) = queue.ended(["once"])
        assert job.is_cancelled and queue.look().ended == {"cancelled": 1}
        queue.submit("once", JOB)  # goes on with it
        assert not queue.ended(["once"]) and queue.cancel(["once"]) == 1


@pytest.mark.full
def test_a_living_worker_is_neither_doubled_nor_robbed(server: Postgres, start: Start, tmp_path: Path) -> None:
    start("worker", server.url, tmp_path / "store", "lives", tmp_path / "out", tmp_path / "log", 0, 1)
    await_that(lambda: living_workers(server.url, ["lives", "other"]) == ("lives",))
    with closing(JobQueue(server.url)) as queue:
        with pytest.raises(ConfigError, match="the worker lives is at work"):
            queue.recover("lives")
        assert queue.recover("other") == 0
    with pytest.raises(ConfigError, match="the worker lives is at work"):
        serve(server.url, "lives", 1, lambda job, check: "", threading.Event(), print)


def test_what_is_held_for_a_dead_worker_is_given_back_once_another_goes_on_with_its_job(server: Postgres) -> None:
    bounds, a_call = Budget(60, 1.0, 100, None), Amounts(0.8, 1, 50)
    with closing(DatabaseShares(server.url)) as ours, closing(DatabaseShares(server.url)) as theirs:
        ours.open("purse", bounds, Amounts(0.05, 3, 90))
        assert 50 < (ours.begin("purse", "job", "dies") or 0) <= 60 and ours.begin("none", "job", "w") is None
        assert theirs.hold("purse", "job", "dies", Amounts(0.1, 1, 50), Amounts(), a_call) == (Room.NOW, "")
        assert ours.hold("purse", "other", "w", Amounts(), Amounts(), a_call) == (Room.LATER, "cost")
        ours.begin("purse", "job", "heir")
        assert ours.hold("purse", "other", "w", Amounts(), Amounts(), a_call) == (Room.NOW, "")
        # What the dead one has spent was paid.
        assert ours.hold("purse", "other", "w", Amounts(0.8, 1, 50), Amounts(), Amounts(0.1)) == (Room.NEVER, "cost")


def test_turns_at_a_service_are_apart_whichever_worker_takes_them(server: Postgres) -> None:
    with closing(DatabaseShares(server.url)) as ours, closing(DatabaseShares(server.url)) as theirs:
        assert ours.take_turn("service", 0.3) == 0
        begun = time.monotonic()
        assert 0 < theirs.take_turn("service", 0.3) <= 0.3 and theirs.take_turn("another", 9) == 0
        while theirs.take_turn("service", 0.3) > 0:
            time.sleep(0.01)
        assert time.monotonic() - begun >= 0.2 and ours.take_turn("service", 0.3) > 0


def test_jobs_of_another_version_are_refused_by_name(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(JobQueue(server.url)) as queue:
        monkeypatch.setattr(database, "code_version", lambda: "9.9.9-abc")
        queue.submit("theirs", JOB)
        monkeypatch.undo()
        with pytest.raises(ConfigError, match=r"of other versions \(1 of 9\.9\.9-abc\); this worker is of 0"):
            serve(server.url, "w", 1, lambda job, check: "", threading.Event(), print)
        assert queue.cancel() == 1


def test_nothing_of_a_row_is_executed(server: Postgres, tmp_path: Path) -> None:
    import psycopg

    class Evil:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "executed",)

    pickled = base64.b64encode(pickle.dumps(Evil())).decode()
    with closing(JobQueue(server.url)) as queue:
        queue.submit("pickled", JOB)
        with psycopg.connect(server.url) as connection:
            connection.execute(
                "UPDATE dbos.workflow_status SET status = 'SUCCESS', output = %s, serialization = 'py_pickle'"
                " WHERE workflow_uuid = 'pickled'",
                (pickled,),
            )
        queue.ended(["pickled"])
        assert not (tmp_path / "executed").exists()


@pytest.mark.full
def test_the_database_has_hashes_and_no_words(server: Postgres, start: Start, tmp_path: Path) -> None:
    contracts = write_contracts(tmp_path / "contracts", 2)
    (contracts / "broken.txt").write_text("\0\1\2" * 90)
    start("worker", server.url, tmp_path / "store", "w-words", tmp_path / "w", tmp_path / "log", 0, 1)
    submit(server.url, str(tmp_path / "store"), tmp_path / "table", contracts)
    kept = dump(server)
    assert "answer_document" in kept and "w-words" in kept
    for word in (*FEES, "fee?", "Contract", "c0000", "EUR", "contracts", str(tmp_path), "max_cost"):
        assert word not in kept, word


@pytest.mark.full
def test_what_a_dead_worker_left_is_done_by_others_once_it_is_handed_over(
    server: Postgres, start: Start, tmp_path: Path
) -> None:
    contracts, log = write_contracts(tmp_path / "contracts", 2), tmp_path / "log"
    arguments = ("worker", server.url, tmp_path / "store")
    dead = start(*arguments, "w-dead", tmp_path / "dead", log, 0.3, 2)
    submitter = start("submit", server.url, tmp_path / "store", tmp_path / "table", contracts)
    await_that(lambda: len(paid_calls(log)) >= 2)
    dead.kill()
    dead.wait()
    start(*arguments, "w-heir", tmp_path / "heir", log, 0, 2)
    with closing(JobQueue(server.url)) as queue:
        await_that(lambda: "w-heir" in living_workers(server.url, ["w-heir"]))
        assert queue.look().doing == {"w-dead": 2} and queue.recover("w-dead") == 2
    submitter.wait(timeout=120)
    table = submit(server.url, str(tmp_path / "store"), tmp_path / "table", contracts)
    assert all(cell.state.is_accepted for cell in table)


def test_without_the_extra_or_a_server_there_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    address = f"postgresql://me:secret@localhost:1/x?host={tmp_path}"
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "dbos", None)
        assert run(["queue", "show", "--database", address]) == 1
        assert "pip install 'ralph-cli[cluster]'" in capfd.readouterr().err
    assert run(["queue", "show", "--database", "sqlite:///x"]) == 1
    assert "not the address of a PostgreSQL database" in capfd.readouterr().err
    assert run(["table", "samples/table.csv", "x", "--store", str(tmp_path)]) == 1
    assert "a store is of use with a database only" in capfd.readouterr().err
    for wrong in ("", "../x", "a b", "x" * 80):
        with pytest.raises(ConfigError, match="is not an id of a worker"):
            require_worker_id(wrong)


def test_a_server_that_is_not_there_is_one_clear_line_without_its_password(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("dbos")
    assert run(["queue", "show", "--database", f"postgresql://me:secret@/x?host={tmp_path}"]) == 1
    told = capfd.readouterr().err
    assert told.count("\n") == 1 and "cannot be used" in told and "secret" not in told


def test_only_the_commands_of_many_machines_import_their_libraries(tmp_path: Path) -> None:
    tried = (
        "import sys; from ralph_cli.commands.app import run; from contracts import *; "
        f"folder = Path({str(tmp_path)!r}); run(['--help']); run(['worker', '--help']); "
        "api.make_table(questions(1), str(write_contracts(folder / 'c', 1)), folder=folder / 'table', "
        "settings=Settings(out=folder, max_cost='none'), models=scripted_models()); "
        "print([name for name in ('dbos', 'psycopg', 'sqlalchemy', 'fsspec') if name in sys.modules])"
    )
    paths = os.pathsep.join([str(Path(__file__).parents[2]), str(Path(__file__).parent), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", tried],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.stdout.rstrip().endswith("[]")


def start_worker(server: Postgres, folder: Path, name: str, **environment: str) -> "subprocess.Popen[str]":
    """`ralph worker`, with no keys but those in the environment that is given."""
    command = [sys.executable, "-m", "ralph_cli", "worker", "--database", server.url, "--id", name]
    paths = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    kept = {key: value for key, value in os.environ.items() if not key.endswith(("_API_KEY", "_BASE_URL"))}
    return subprocess.Popen(
        [*command, "--store", str(folder / "store"), "--out", str(folder / name)],
        env={**kept, "PYTHONPATH": paths, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.full
@pytest.mark.parametrize("wrong", [{}, {"ANTHROPIC_API_KEY": "another"}], ids=["no-key", "wrong-key"])
def test_a_worker_without_a_key_ends_with_a_line_and_leaves_the_document_to_others(
    server: Postgres, tmp_path: Path, wrong: dict[str, str]
) -> None:
    with ModelService(key="right") as service, ThreadPoolExecutor(1) as pool:
        where = {"ANTHROPIC_BASE_URL": service.url} if wrong else {}
        lacking = start_worker(server, tmp_path, "w-lacks", **where, **wrong)
        table = pool.submit(
            api.make_table,
            questions(),
            write_contracts(tmp_path / "contracts", 2),
            folder=tmp_path / "table",
            settings=service_settings(service, tmp_path),
            database=server.url,
            store=tmp_path / "store",
        )
        _, told = lacking.communicate(timeout=120)
        assert lacking.returncode == 1
        line = told.strip().splitlines()[-1]
        assert "this worker ends" in line and "key" in line and "Traceback" not in told
        able = start_worker(server, tmp_path, "w-able", ANTHROPIC_API_KEY="right", ANTHROPIC_BASE_URL=service.url)
        try:
            assert all(cell.state.is_accepted for cell in table.result(timeout=120))
        finally:
            able.terminate()
            able.communicate(timeout=30)


@pytest.mark.full
def test_two_workers_never_spend_more_than_the_bound_of_the_table(server: Postgres, tmp_path: Path) -> None:
    import psycopg

    bound, usd_of = 0.3, {"anthropic:reader": (3.0, 15.0), "anthropic:judge": (3.0, 15.0)}
    prices = tuple(f"{name}={fresh:g}/{out:g}" for name, (fresh, out) in usd_of.items())
    held: list[float] = []

    def look() -> None:
        with psycopg.connect(server.url) as connection:
            query = (
                "SELECT b.spent_usd + coalesce(sum(s.spent_usd + s.held_usd), 0) FROM ralph.bounds b "
                "LEFT JOIN ralph.spending s USING (purse) WHERE purse <> 'purse' GROUP BY b.purse, b.spent_usd"
            )
            with suppress(psycopg.errors.UndefinedTable):
                held.extend(amount for (amount,) in connection.execute(query).fetchall())

    with ModelService(seconds=0.1, key="right") as service, ThreadPoolExecutor(1) as pool:
        given = {"ANTHROPIC_API_KEY": "right", "ANTHROPIC_BASE_URL": service.url, "RALPH_PRICES": ",".join(prices)}
        workers = [start_worker(server, tmp_path, f"w-money{number}", **given) for number in (1, 2)]

        def fill(cost: float, *, resume: bool = False) -> Table:
            settings = service_settings(service, tmp_path, max_cost=cost, prices=prices)
            contracts = write_contracts(tmp_path / "contracts", 16)
            where = {"database": server.url, "store": tmp_path / "store", "folder": tmp_path / "table"}
            done = pool.submit(api.make_table, questions(), contracts, settings=settings, resume=resume, **where)
            while not done.done():
                look()
                time.sleep(0.05)
            return done.result()

        def spent() -> float:
            tokens = [(call.plain + call.read + call.written, ANSWER_TOKENS) for call in service.calls]
            return sum(read * 3 + written * 15 for read, written in tokens) / 1e6

        try:
            table = fill(bound)
            assert table.halt.type is StopType.MAX_COST and any(cell.state.is_accepted for cell in table)
            assert 0.3 * bound < spent() <= bound and max(held) <= bound + 1e-6
            calls = len(service.calls)
            assert all(cell.state.is_accepted for cell in fill(50, resume=True))
            assert calls < len(service.calls) == 2 * 48
        finally:
            for worker in workers:
                worker.terminate()
                worker.communicate(timeout=30)


@pytest.mark.full
def test_two_workers_share_a_limit_of_five_requests_a_second(server: Postgres, tmp_path: Path) -> None:
    with ModelService(seconds=0.3) as service:
        given = {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": service.url, "RALPH_MAX_RATE": "5"}
        workers = [start_worker(server, tmp_path, f"w-rate{number}", **given) for number in (1, 2)]
        try:
            table = api.make_table(
                questions(10),
                write_contracts(tmp_path / "contracts", 8),
                folder=tmp_path / "table",
                settings=service_settings(service, tmp_path),
                database=server.url,
                store=tmp_path / "store",
            )
        finally:
            for worker in workers:
                worker.terminate()
                worker.communicate(timeout=30)
    assert all(cell.state.is_accepted for cell in table)
    # From its turn in the database to the service a request may take longer than the next, on a crowded machine.
    assert service.most_within(10) <= 50 and service.most_within(1) <= 6


@pytest.mark.full
def test_a_worker_ends_at_once_when_it_is_told_to(server: Postgres, tmp_path: Path) -> None:
    worker = start_worker(server, tmp_path, "w-ends")
    try:
        await_that(lambda: living_workers(server.url, ["w-ends"]) or worker.poll() is not None)
        worker.send_signal(signal.SIGTERM)
        _, told = worker.communicate(timeout=20)
    finally:
        worker.kill()
    assert worker.returncode == 128 + signal.SIGTERM and "start w-ends again and it continues" in told
    assert not living_workers(server.url, ["w-ends"])
