"""A table that workers fill is the one that this machine alone would make."""

import random
import time
from pathlib import Path

import pytest
from contracts import cells_of, paid_calls, questions, scripted_models, submit, write_contracts
from postgres import Postgres, Start

from ralph_cli import api
from ralph_cli.config import Settings


@pytest.mark.full
def test_two_workers_make_the_table_of_one_machine(server: Postgres, start: Start, tmp_path: Path) -> None:
    contracts = write_contracts(tmp_path / "contracts", 4)
    alone = api.make_table(
        questions(),
        str(contracts),
        folder=tmp_path / "alone",
        settings=Settings(out=tmp_path, max_cost="none"),
        models=scripted_models(),
    )
    store, log = tmp_path / "store", tmp_path / "log"
    for name in ("host1-0", "host2-0"):
        start("worker", server.url, store, name, tmp_path / name, log, 0.05, 1)
    table = submit(server.url, str(store), tmp_path / "together", contracts)
    assert cells_of(table) == cells_of(alone) and len(table) == 12
    assert len(paid_calls(log)) == len(set(paid_calls(log))) == 24


class Machines:
    """Two workers, a submitter and a database, any of which can be killed; it is started again at once."""

    def __init__(self, server: Postgres, start: Start, folder: Path, contracts: int, seconds: float) -> None:
        self.server, self.folder, self.log = server, folder, folder / "log"
        self.contracts = write_contracts(folder / "contracts", contracts)
        self._start = start
        self._begin = {
            "a": ("worker", server.url, folder / "store", f"{folder.name}-a", folder / "a", self.log, seconds, 2),
            "b": ("worker", server.url, folder / "store", f"{folder.name}-b", folder / "b", self.log, seconds, 2),
            "submitter": ("submit", server.url, folder / "store", folder / "table", self.contracts),
        }
        self.processes = {name: start(*arguments) for name, arguments in self._begin.items()}
        self.kills = 0

    def kill(self, what: str) -> None:
        """kill -9."""
        if what == "database":
            self.server.kill()
            self.server.start()
            return
        process = self.processes[what]
        self.kills += what != "submitter"
        process.kill()
        process.wait()
        self.processes[what] = self._start(*self._begin[what])

    def await_calls(self, count: int) -> None:
        """Wait until so many calls of models were begun."""
        until = time.monotonic() + 120
        while len(paid_calls(self.log)) < count and self.processes["submitter"].poll() is None:
            assert time.monotonic() < until, f"{len(paid_calls(self.log))} calls"
            self._look_after()

    def _look_after(self) -> None:
        """Start workers again that have ended, as a system does: one that began while the database was away."""
        time.sleep(0.05)
        for name in "ab":
            if self.processes[name].poll() is not None:
                self.processes[name] = self._start(*self._begin[name])

    def require_whole(self) -> None:
        """Every cell has ended as on one machine, and no call was paid twice but those that a kill has met."""
        until = time.monotonic() + 600
        while self.processes["submitter"].poll() is None:
            assert time.monotonic() < until
            self._look_after()
        table = submit(self.server.url, str(self.folder / "store"), self.folder / "table", self.contracts)
        alone = api.make_table(
            questions(),
            str(self.contracts),
            folder=self.folder / "alone",
            settings=Settings(out=self.folder, max_cost="none"),
            models=scripted_models(),
        )
        assert cells_of(table) == cells_of(alone)
        paid = paid_calls(self.log)
        assert len(set(paid)) == 2 * len(table)
        assert len(paid) - len(set(paid)) <= 2 * self.kills  # each worker asks for two documents side by side


@pytest.mark.full
def test_what_is_killed_goes_on_where_it_was_and_pays_nothing_twice(
    server: Postgres, start: Start, tmp_path: Path
) -> None:
    machines = Machines(server, start, tmp_path, contracts=6, seconds=0.2)
    for number, what in enumerate(("a", "submitter", "database", "b"), 1):
        machines.await_calls(6 * number)
        machines.kill(what)
    machines.require_whole()


def kill_at_random(machines: Machines, kills: int, seed: int = 16) -> None:
    """Kill so many times, each time after some more calls or while something begins, and require the whole table."""
    chance = random.Random(seed)
    for _ in range(kills):
        machines.await_calls(len(paid_calls(machines.log)) + chance.randint(0, 3))
        time.sleep(chance.uniform(0, 0.5))
        machines.kill(chance.choice(("a", "a", "a", "b", "b", "b", "submitter", "submitter", "database")))
    machines.require_whole()


@pytest.mark.full
def test_a_hundred_kills_at_random_lose_nothing_and_pay_nothing_twice(
    server: Postgres, start: Start, tmp_path: Path
) -> None:
    kill_at_random(Machines(server, start, tmp_path, contracts=120, seconds=0.25), kills=100)
