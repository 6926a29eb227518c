"""The money of a table, which jobs spend at the same time on many machines.

Before a call a job has the database hold the most that it may cost, and after it what it did cost. So what is spent
and what calls under way may cost never pass the bound of the table together. Of a worker that has died nobody knows
what its calls under way have cost: the most is held for them until the worker begins again.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from typing import Any, Protocol

from ralph_cli.cluster.connection import connect, connecting
from ralph_cli.core import clock
from ralph_cli.core.budget import Budget, Forecast, Ledger
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.model import Usage

POLL_SECONDS, PATIENCE_SECONDS = 1.0, 900.0
"""How often and how long a job waits for a database that has gone away before it buys anything more."""

LONGEST_CALL_SECONDS = 900.0
"""How long a job waits for calls under way elsewhere, which may cost less than is held for them."""

_TABLES = """
CREATE SCHEMA IF NOT EXISTS ralph;
CREATE TABLE IF NOT EXISTS ralph.purse (name text PRIMARY KEY, bound float8, spent float8 NOT NULL);
CREATE TABLE IF NOT EXISTS ralph.share (
    purse text, job text, worker text, spent float8 NOT NULL, promised float8 NOT NULL,
    PRIMARY KEY (purse, job, worker)
)
"""

_ENOUGH = 1e-9
"""US dollars by which sums of fractions may differ."""

_LEAST = 1e-6
"""US dollars that must be left for a call of which nobody knows what it may cost."""


class Room(Enum):
    """Whether there is money for a call: now, perhaps once calls under way elsewhere have ended, or not."""

    NOW = auto()
    LATER = auto()
    NEVER = auto()


def find_room(bound: float | None, spent: float, promised: float, more: float) -> Room:
    """Whether a call that may cost `more` fits in a bound, beside what all have spent and what calls under way may."""
    if bound is None or spent + promised + more <= bound + _ENOUGH:
        return Room.NOW
    return Room.LATER if spent + more <= bound + _ENOUGH else Room.NEVER


class Shares(Protocol):
    """Who has spent how much of a table's money; see `DatabaseShares`. A purse is that of a table, named by a hash."""

    def open(self, purse: str, bound: float | None, spent: float) -> None:
        """Set the bound of a table, and what it has spent as far as its records tell."""

    def hold(self, purse: str, job: str, worker: str, spent: float, promised: float, more: float = 0.0) -> Room:
        """Note what a job has spent and what its calls under way may cost, and hold `more` for the next if it fits."""

    def collect(self, purse: str, job: str, worker: str, spent: float) -> None:
        """The records of a job are in the table, which has `spent` so much: its own account is closed."""

    def close(self) -> None:
        """Give what it holds back."""


class DatabaseShares:
    """The shares in a PostgreSQL database: hashes, ids of workers and amounts. Waits while the database is away."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Any = None
        self._lock = threading.Lock()

    def open(self, purse: str, bound: float | None, spent: float) -> None:
        """See `Shares`. Raises ConfigError."""
        statement = (
            "INSERT INTO ralph.purse VALUES (%s, %s, %s) "
            "ON CONFLICT (name) DO UPDATE SET bound = excluded.bound, spent = excluded.spent"
        )

        def set_bound(connection: Any) -> None:
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('ralph.purse'))")  # two may begin at once
            connection.execute(_TABLES)
            connection.execute(statement, (purse, bound, spent))

        self._patiently(set_bound)

    def hold(self, purse: str, job: str, worker: str, spent: float, promised: float, more: float = 0.0) -> Room:
        """See `Shares`. Raises ConfigError."""
        others = "SELECT coalesce(sum(spent), 0), coalesce(sum(promised), 0) FROM ralph.share"
        put = (
            "INSERT INTO ralph.share VALUES (%s, %s, %s, %s, %s) ON CONFLICT (purse, job, worker) "
            "DO UPDATE SET spent = excluded.spent, promised = excluded.promised"
        )

        def change(connection: Any) -> Room:
            # The row of the purse is the lock: one job after another counts what is left.
            found = connection.execute("SELECT bound, spent FROM ralph.purse WHERE name = %s FOR UPDATE", (purse,))
            bound, before = found.fetchone() or (0.0, 0.0)
            which = (purse, job, worker)
            found = connection.execute(f"{others} WHERE purse = %s AND (job, worker) <> (%s, %s)", which)
            their_spent, their_promised = found.fetchone()
            room = find_room(bound, before + their_spent + spent, their_promised + promised, more)
            connection.execute(put, (*which, spent, promised + (more if room is Room.NOW else 0.0)))
            return room

        room = self._patiently(change)
        assert isinstance(room, Room)
        return room

    def collect(self, purse: str, job: str, worker: str, spent: float) -> None:
        """See `Shares`. Raises ConfigError."""

        def take_in(connection: Any) -> None:
            connection.execute("UPDATE ralph.purse SET spent = %s WHERE name = %s", (spent, purse))
            which = "DELETE FROM ralph.share WHERE (purse, job, worker) = (%s, %s, %s)"
            connection.execute(which, (purse, job, worker))

        self._patiently(take_in)

    def _patiently(self, change: Callable[[Any], Any]) -> Any:
        """What a change in one transaction gives; it is made again while the database is away, which does no harm."""
        import psycopg

        until = clock.monotonic() + PATIENCE_SECONDS
        while True:
            with connecting(self._url), self._lock:
                try:
                    self._connection = self._connection or connect(self._url)
                    with self._connection.transaction():
                        return change(self._connection)
                except (psycopg.OperationalError, psycopg.InterfaceError):
                    self._close()
                    if clock.monotonic() > until:
                        raise
            clock.sleep(POLL_SECONDS)

    def close(self) -> None:
        """Give the connection back."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        gone, self._connection = self._connection, None
        with suppress(Exception):  # it is lost already
            gone.close()


class JobPurse(Ledger):
    """What a job may spend of its table's money: each call of it is held and told elsewhere, too.

    `hold` gets what the job has spent, what its calls under way may cost, and what the next may. `paid` is what the
    runs with which the job goes on had cost before: it is booked here once more, and not told. It `is_refused` once
    there was no room for a call.
    """

    def __init__(self, hold: Callable[[float, float, float], Room], paid: float) -> None:
        super().__init__(Budget())
        self._hold, self._paid = hold, paid
        self._waits_since: float | None = None
        self.is_refused = False

    @property
    def left(self) -> dict[str, float]:
        """Nothing is left once a call was refused; before that nobody here knows how much."""
        return {"cost": 0.0} if self.is_refused else {}

    @contextmanager
    def reserve(self, worst_usd: float | None, worst_tokens: int = 0) -> Iterator[Callable[[Usage], None]]:
        """As `Ledger.reserve`; what the call did cost is told at its end."""
        with super().reserve(worst_usd, worst_tokens) as book:
            yield book
        self.tell()

    def tell(self) -> Room:
        """Tell what is spent."""
        with self._changed:
            return self._tell(0.0)

    def _fits(self, promise: Forecast) -> bool:
        self.check_time()
        more = max(promise.usd or 0.0, _LEAST)
        room = self._tell(more)
        self._waits_since = None if room is Room.NOW else self._waits_since or clock.monotonic()
        if self._waits_since is not None and clock.monotonic() - self._waits_since > LONGEST_CALL_SECONDS:
            room = Room.NEVER
        if room is Room.NEVER:
            self.is_refused = True
            message = f"the bound of the whole table leaves no ${more:.2g} for the next call, on whatever machine"
            hint = "--resume with a higher --max-cost"
            raise LimitExceeded("cost", cap=0.0, spent=self._counted_usd, message=message, hint=hint)
        return room is Room.NOW

    def _tell(self, more: float) -> Room:
        promised = sum(max(forecast.usd or 0.0, _LEAST) for _, forecast in self._promises.values())
        return self._hold(max(self._counted_usd - self._paid, 0.0), promised, more)
