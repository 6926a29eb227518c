"""What jobs on many machines share: the bounds of their table, and turns at a service.

Before each call, a job reserves the most that the call may cost in the database; after it, the job books what it did
cost. So spending and reservations together never exceed a bound of the table. A reservation of a dead worker stays
until its job is continued, because nobody knows what its calls have cost.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any, NamedTuple

from ralph_cli.cluster.connection import PatientConnection
from ralph_cli.core import clock
from ralph_cli.core.budget import Budget, Forecast, Ledger
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.model import Usage
from ralph_cli.providers.endpoint import Endpoint

# Seconds that a job waits for running calls elsewhere, which may cost less than is reserved for them.
LONGEST_CALL_SECONDS = 900.0

_TABLES = """
CREATE SCHEMA IF NOT EXISTS ralph;
CREATE TABLE IF NOT EXISTS ralph.bounds (
    purse text PRIMARY KEY, usd float8, calls float8, tokens float8, ends timestamptz,
    spent_usd float8 NOT NULL, spent_calls float8 NOT NULL, spent_tokens float8 NOT NULL
);
CREATE TABLE IF NOT EXISTS ralph.spending (
    purse text, job text, worker text, spent_usd float8 NOT NULL, spent_calls float8 NOT NULL,
    spent_tokens float8 NOT NULL, held_usd float8 NOT NULL, held_calls float8 NOT NULL, held_tokens float8 NOT NULL,
    PRIMARY KEY (purse, job, worker)
);
CREATE TABLE IF NOT EXISTS ralph.turn (service text PRIMARY KEY, next timestamptz NOT NULL)
"""

# By how much sums of floats may differ.
_ENOUGH = 1e-9

# US dollars that are reserved for a call whose cost is unknown, at least.
_LEAST = 1e-6


class Amounts(NamedTuple):
    """US dollars, calls and tokens."""

    usd: float = 0.0
    calls: float = 0.0
    tokens: float = 0.0

    @classmethod
    def of(cls, usage: Usage) -> "Amounts":
        """Return those of a usage; an unknown price counts as 0."""
        return cls(usage.usd or 0.0, usage.calls, usage.input_tokens + usage.output_tokens)

    def plus(self, other: "Amounts") -> "Amounts":
        """Return the sums of both."""
        return Amounts(*(one + more for one, more in zip(self, other, strict=True)))

    def without(self, other: "Amounts") -> "Amounts":
        """Return the differences, at least 0."""
        return Amounts(*(max(one - less, 0.0) for one, less in zip(self, other, strict=True)))


NOTHING = Amounts()


class Room(Enum):
    """Whether there is room for a call: now, perhaps after running calls elsewhere, or never."""

    NOW = auto()
    LATER = auto()
    NEVER = auto()


def find_room(bounds: Budget, spent: Amounts, held: Amounts, more: Amounts) -> tuple[Room, str]:
    """Return whether a call that may cost `more` fits into the bounds, beside what is `spent` and `held`, and the
    name of the bound that it does not fit into.
    """
    found = Room.NOW, ""
    caps = ("cost", bounds.usd), ("calls", bounds.calls), ("tokens", bounds.tokens)
    for (limit, cap), before, reserved, wanted in zip(caps, spent, held, more, strict=True):
        if cap is None or before + reserved + wanted <= cap + _ENOUGH:
            continue
        # A running call always counts as one, so waiting does not help.
        if limit == "calls" or before + wanted > cap + _ENOUGH:
            return Room.NEVER, limit
        found = Room.LATER, limit
    return found


class DatabaseShares:
    """Who has spent how much of a table's bounds, in a PostgreSQL database: hashes, ids of workers and amounts.

    A purse has the bounds of a table and is named by a hash. All methods wait while the database is away, and raise
    ConfigError if that takes too long.
    """

    def __init__(self, url: str) -> None:
        self._database = PatientConnection(url, _TABLES)

    def open(self, purse: str, bounds: Budget, spent: Amounts) -> None:
        """Set the bounds of a table, whose time begins now, and what it has spent according to its records."""
        ends = "now() + make_interval(secs => %s)"
        statement = (
            f"INSERT INTO ralph.bounds VALUES (%s, %s, %s, %s, {ends}, %s, %s, %s) ON CONFLICT (purse) DO UPDATE SET "
            "usd = excluded.usd, calls = excluded.calls, tokens = excluded.tokens, ends = excluded.ends, "
            "spent_usd = excluded.spent_usd, spent_calls = excluded.spent_calls, spent_tokens = excluded.spent_tokens"
        )
        values = (purse, bounds.usd, bounds.calls, bounds.tokens, bounds.seconds, *spent)
        self._database.change(lambda connection: connection.execute(statement, values))

    def begin(self, purse: str, job: str, worker: str) -> float | None:
        """Begin a job: drop the reservations of a worker that did it before.

        Returns the seconds that the table has left, None without a bound.
        """
        give_back = (
            "UPDATE ralph.spending SET held_usd = 0, held_calls = 0, held_tokens = 0 WHERE (purse, job) = (%s, %s)"
        )

        def change(connection: Any) -> float | None:
            connection.execute(give_back, (purse, job))
            query = "SELECT extract(epoch FROM ends - now())::float8 FROM ralph.bounds WHERE purse = %s"
            (seconds,) = connection.execute(query, (purse,)).fetchone() or (None,)
            return None if seconds is None else max(float(seconds), 0.0)

        return self._database.change(change)

    def hold(
        self, purse: str, job: str, worker: str, spent: Amounts, held: Amounts, more: Amounts = NOTHING
    ) -> tuple[Room, str]:
        """Book what a job has `spent`, keep `held` for its running calls, and reserve `more` if that fits.

        Returns what `find_room` returns.
        """
        names = ("spent_usd", "spent_calls", "spent_tokens", "held_usd", "held_calls", "held_tokens")
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in names)
        others = f"SELECT {sums} FROM ralph.spending WHERE purse = %s AND (job, worker) <> (%s, %s)"
        put = (
            "INSERT INTO ralph.spending VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) "
            f"ON CONFLICT (purse, job, worker) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in names)}"
        )
        # The row of the bounds is the lock, so that jobs count one after another.
        read = (
            "SELECT usd, calls, tokens, spent_usd, spent_calls, spent_tokens FROM ralph.bounds WHERE purse = %s "
            "FOR UPDATE"
        )

        def change(connection: Any) -> tuple[Room, str]:
            found = connection.execute(read, (purse,)).fetchone() or (0.0,) * 6
            which = (purse, job, worker)
            theirs = connection.execute(others, which).fetchone()
            bounds = Budget(None, *found[:3])
            before = Amounts(*found[3:]).plus(Amounts(*theirs[:3])).plus(spent)
            room = find_room(bounds, before, held.plus(Amounts(*theirs[3:])), more)
            connection.execute(put, (*which, *spent, *(held.plus(more) if room[0] is Room.NOW else held)))
            return room

        return self._database.change(change)

    def collect(self, purse: str, job: str, worker: str, spent: Amounts) -> None:
        """Close the account of a job whose records are in the table, which has `spent` so much."""
        update = "UPDATE ralph.bounds SET spent_usd = %s, spent_calls = %s, spent_tokens = %s WHERE purse = %s"
        delete = "DELETE FROM ralph.spending WHERE (purse, job, worker) = (%s, %s, %s)"

        def change(connection: Any) -> None:
            connection.execute(update, (*spent, purse))
            connection.execute(delete, (purse, job, worker))

        self._database.change(change)

    def take_turn(self, service: str, gap: float) -> float:
        """Take the turn at a service if `gap` seconds have passed since the last turn of any worker, and return 0.0.

        Otherwise returns the seconds until then. `service` is a hash. A turn is taken only when its request is sent:
        with a turn in advance, a late request would come too close to the next one.
        """
        names = {"service": service, "gap": gap}
        take = (
            "INSERT INTO ralph.turn AS known VALUES (%(service)s, clock_timestamp() + make_interval(secs => %(gap)s)) "
            "ON CONFLICT (service) DO UPDATE SET next = excluded.next WHERE known.next <= clock_timestamp() RETURNING 1"
        )
        left = "SELECT extract(epoch FROM next - clock_timestamp())::float8 FROM ralph.turn WHERE service = %(service)s"

        def change(connection: Any) -> float:
            if connection.execute(take, names).fetchone() is not None:
                return 0.0
            (seconds,) = connection.execute(left, names).fetchone()
            return min(max(float(seconds), 0.001), gap)

        return self._database.change(change)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()


class Turns:
    """The turns of this worker at its services. It asks the database only when there may be a turn."""

    def __init__(self, take_turn: Callable[[str, float], float]) -> None:
        self._take_turn = take_turn
        self._next: dict[str, float] = {}
        self._lock = threading.Lock()

    def __call__(self, endpoint: Endpoint, gap: float) -> float:
        """Do what `DatabaseShares.take_turn` does."""
        account = endpoint.account
        with self._lock:
            wait = self._next.get(account, 0.0) - clock.monotonic()
            if wait > 0:
                return wait
            # Only somebody with the same key can recognise the hash.
            wait = self._take_turn(hashlib.sha256(f"turn\n{account}".encode()).hexdigest()[:32], gap)
            self._next[account] = clock.monotonic() + (wait or gap)
            return wait


class JobPurse(Ledger):
    """The budget of a job within the bounds of its table: each call is also reserved and booked in the database.

    `hold` gets what the job has spent, what is reserved for its running calls, and what the next call may cost. `paid`
    is what the continued runs cost before: it is booked here again, but not in the database. `seconds` are left for the
    whole table. `refused` names the bound that had no room for a call.
    """

    def __init__(
        self, hold: Callable[[Amounts, Amounts, Amounts], tuple[Room, str]], paid: Amounts, seconds: float | None
    ) -> None:
        super().__init__(Budget(seconds))
        self._hold, self._paid = hold, paid
        self._waits_since: float | None = None
        self.refused = ""

    @property
    def left(self) -> dict[str, float]:
        """0 for a bound that had no room, and the time. The rest is known only to the database."""
        return {**super().left, **({self.refused: 0.0} if self.refused else {})}

    @contextmanager
    def reserve(self, worst_usd: float | None, worst_tokens: int = 0) -> Iterator[Callable[[Usage], None]]:
        """Reserve as `Ledger.reserve` does, and book the real cost in the database at the end."""
        with super().reserve(worst_usd, worst_tokens) as book:
            yield book
        self.tell()

    def tell(self) -> None:
        """Book in the database what is spent."""
        with self._changed:
            self._tell(NOTHING)

    def _fits(self, promise: Forecast) -> bool:
        self.check_time()
        more = _most(promise)
        room, limit = self._tell(more)
        self._waits_since = None if room is Room.NOW else self._waits_since or clock.monotonic()
        if self._waits_since is not None and clock.monotonic() - self._waits_since > LONGEST_CALL_SECONDS:
            room = Room.NEVER
        if room is Room.NEVER:
            self.refused = limit
            wanted = {"cost": f"${more.usd:.2g}", "calls": "room", "tokens": f"{more.tokens:,.0f} tokens"}[limit]
            message = f"the bound of the whole table ({limit}) leaves no {wanted} for the next call, on any machine"
            hint = f"--resume with a higher --max-{limit}"
            raise LimitExceeded(limit, cap=0.0, spent=self._counted_usd, message=message, hint=hint)
        return room is Room.NOW

    def _tell(self, more: Amounts) -> tuple[Room, str]:
        held = NOTHING
        for _, forecast in self._promises.values():
            held = held.plus(_most(forecast))
        return self._hold(Amounts.of(self._spent)._replace(usd=self._counted_usd).without(self._paid), held, more)


def _most(forecast: Forecast) -> Amounts:
    return Amounts(max(forecast.usd or 0.0, _LEAST), 1, forecast.tokens)
