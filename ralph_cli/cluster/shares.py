"""What jobs share that are at work at the same time on many machines: the bounds of their table, turns at a service.

Before a call a job has the database hold the most that it may take of each bound, and after it what it did take. So
what is spent and what calls under way may take never pass a bound of the table together. Of a worker that has died
nobody knows what its calls under way have taken: the most is held for them until somebody goes on with its job.
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

LONGEST_CALL_SECONDS = 900.0
"""How long a job waits for calls under way elsewhere, which may take less than is held for them."""

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

_ENOUGH = 1e-9
"""By how much sums of fractions may differ."""

_LEAST = 1e-6
"""US dollars that must be left for a call of which nobody knows what it may cost."""


class Amounts(NamedTuple):
    """US dollars, calls and tokens."""

    usd: float = 0.0
    calls: float = 0.0
    tokens: float = 0.0

    @classmethod
    def of(cls, usage: Usage) -> "Amounts":
        """Those of a usage; an unknown price counts for nothing."""
        return cls(usage.usd or 0.0, usage.calls, usage.input_tokens + usage.output_tokens)

    def plus(self, other: "Amounts") -> "Amounts":
        """Both together."""
        return Amounts(*(one + more for one, more in zip(self, other, strict=True)))

    def without(self, other: "Amounts") -> "Amounts":
        """What is left without another, of nothing less than nothing."""
        return Amounts(*(max(one - less, 0.0) for one, less in zip(self, other, strict=True)))


NOTHING = Amounts()


class Room(Enum):
    """Whether there is room for a call: now, perhaps once calls under way elsewhere have ended, or not."""

    NOW = auto()
    LATER = auto()
    NEVER = auto()


def find_room(bounds: Budget, spent: Amounts, held: Amounts, more: Amounts) -> tuple[Room, str]:
    """Whether a call that may take `more` fits in the bounds, beside what all have spent and what is held for calls
    under way; and the bound that it does not fit in.
    """
    found = Room.NOW, ""
    caps = ("cost", bounds.usd), ("calls", bounds.calls), ("tokens", bounds.tokens)
    for (limit, cap), before, under_way, wanted in zip(caps, spent, held, more, strict=True):
        if cap is None or before + under_way + wanted <= cap + _ENOUGH:
            continue
        # A call under way will be one, so there is nothing to wait for.
        if limit == "calls" or before + wanted > cap + _ENOUGH:
            return Room.NEVER, limit
        found = Room.LATER, limit
    return found


class DatabaseShares:
    """Who has spent how much of a table's bounds, in a PostgreSQL database: hashes, ids of workers and amounts.

    A purse is that of a table, named by a hash. Waits while the database is away.
    """

    def __init__(self, url: str) -> None:
        self._database = PatientConnection(url, _TABLES)

    def open(self, purse: str, bounds: Budget, spent: Amounts) -> None:
        """Set the bounds of a table, whose time begins now, and what it has spent as far as its records tell.

        Raises ConfigError.
        """
        ends = "now() + make_interval(secs => %s)"
        statement = (
            f"INSERT INTO ralph.bounds VALUES (%s, %s, %s, %s, {ends}, %s, %s, %s) ON CONFLICT (purse) DO UPDATE SET "
            "usd = excluded.usd, calls = excluded.calls, tokens = excluded.tokens, ends = excluded.ends, "
            "spent_usd = excluded.spent_usd, spent_calls = excluded.spent_calls, spent_tokens = excluded.spent_tokens"
        )
        values = (purse, bounds.usd, bounds.calls, bounds.tokens, bounds.seconds, *spent)
        self._database.change(lambda connection: connection.execute(statement, values))

    def begin(self, purse: str, job: str, worker: str) -> float | None:
        """A worker does that job now: nothing is held any more for one that did it before. Returns the seconds that
        the table has left, None without a bound.

        Raises ConfigError.
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
        """Note what a job has spent and what its calls under way may take, and hold `more` for the next if it fits.

        Returns what `find_room` does.

        Raises ConfigError.
        """
        names = ("spent_usd", "spent_calls", "spent_tokens", "held_usd", "held_calls", "held_tokens")
        sums = ", ".join(f"coalesce(sum({name}), 0)" for name in names)
        others = f"SELECT {sums} FROM ralph.spending WHERE purse = %s AND (job, worker) <> (%s, %s)"
        put = (
            "INSERT INTO ralph.spending VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) "
            f"ON CONFLICT (purse, job, worker) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in names)}"
        )
        # The row of the bounds is the lock: one job after another counts what is left.
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
        """The records of a job are in the table, which has `spent` so much: its own account is closed.

        Raises ConfigError.
        """
        settle = (
            "UPDATE ralph.bounds SET spent_usd = %s, spent_calls = %s, spent_tokens = %s WHERE purse = %s",
            "DELETE FROM ralph.spending WHERE (purse, job, worker) = (%s, %s, %s)",
        )

        def take_in(connection: Any) -> None:
            connection.execute(settle[0], (*spent, purse))
            connection.execute(settle[1], (purse, job, worker))

        self._database.change(take_in)

    def take_turn(self, service: str, gap: float) -> float:
        """Take the turn at a service, if `gap` seconds have passed since the last one of whatever worker; then 0.0,
        else the seconds until they have. The service goes by a hash. Raises ConfigError.

        A turn is taken when its request is sent and never beforehand, for whoever wakes late would come too near to the
        next one.
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
        """Give the connection back."""
        self._database.close()


class Turns:
    """The turns of this worker at its services: of all its lanes one asks the database, when there may be a turn."""

    def __init__(self, take_turn: Callable[[str, float], float]) -> None:
        self._take_turn = take_turn
        self._next: dict[str, float] = {}
        self._lock = threading.Lock()

    def __call__(self, endpoint: Endpoint, gap: float) -> float:
        """As `DatabaseShares.take_turn`."""
        account = endpoint.account
        with self._lock:
            wait = self._next.get(account, 0.0) - clock.monotonic()
            if wait > 0:
                return wait
            # Only who has the same key learns from this that it is the same.
            wait = self._take_turn(hashlib.sha256(f"turn\n{account}".encode()).hexdigest()[:32], gap)
            self._next[account] = clock.monotonic() + (wait or gap)
            return wait


class JobPurse(Ledger):
    """What a job may spend of its table's bounds: each call of it is held and told elsewhere, too.

    `hold` gets what the job has spent, what its calls under way may take, and what the next may. `paid` is what the
    runs with which the job goes on had taken before: it is booked here once more, and not told. `seconds` are left for
    the whole table. `refused` names the bound in which there was no room for a call.
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
        """Nothing is left of a bound that had no room; before that nobody here knows how much, but for the time."""
        return {**super().left, **({self.refused: 0.0} if self.refused else {})}

    @contextmanager
    def reserve(self, worst_usd: float | None, worst_tokens: int = 0) -> Iterator[Callable[[Usage], None]]:
        """As `Ledger.reserve`; what the call did take is told at its end."""
        with super().reserve(worst_usd, worst_tokens) as book:
            yield book
        self.tell()

    def tell(self) -> None:
        """Tell what is spent."""
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
