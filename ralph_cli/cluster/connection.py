"""Connections to the database of the workers, and locks that last as long as a connection."""

import logging
import re
import threading
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError

CONNECT_SECONDS = 10

# Seconds between two attempts to reach a database that is away.
POLL_SECONDS = 1.0

# Seconds after which these attempts end.
PATIENCE_SECONDS = 900.0

T = TypeVar("T")

# The first number of the advisory locks of running workers; the second one is made from a worker's id.
_LOCK_CLASS = 0x52414C50


def require_postgres(url: str) -> str:
    """Return the address of a PostgreSQL database. Raises ConfigError for any other."""
    scheme, mark, rest = url.partition("://")
    if scheme not in ("postgres", "postgresql") or not mark:
        hint = "--database postgresql://USER@HOST/NAME"
        raise ConfigError("--database is not the address of a PostgreSQL database", code="no-database", hint=hint)
    return f"postgresql://{rest}"


def import_dbos() -> Any:
    """Import DBOS so that it reads only JSON from the database. Raises ConfigError without the extra."""
    try:
        import dbos
        from dbos import _serialization
    except ImportError as error:
        hint = "pip install 'ralph-cli[cluster]'"
        what = f"--database needs DBOS, which is not installed ({error})"
        raise ConfigError(what, code="no-extra", hint=hint) from None
    # A row may claim to be pickled, whatever serializer is set, and unpickling can run any code.
    _serialization.DefaultSerializer.deserialize = _refuse_pickle
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    return dbos


def _refuse_pickle(_self: object, _data: str) -> Any:
    raise ValueError("a row of the database is pickled and is not read")


def connect(url: str) -> Any:
    """Return a connection of psycopg in which each statement is a transaction."""
    import psycopg

    return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="ralph")


@contextmanager
def connecting(url: str) -> Iterator[None]:
    """Turn errors of the database into a ConfigError of one line, without the password of its address."""
    import psycopg
    import sqlalchemy.exc

    try:
        yield
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        shown = re.sub(r"://[^@/]*@", "://", url)
        hint = "check that the server runs and that this user may create tables in that database"
        raise ConfigError(f"the database {shown} cannot be used: {why}", code="no-database", hint=hint) from None


def patiently(url: str, ask: Callable[[], T]) -> T:
    """Return what `ask` returns. While the database is away, it is called again: it must do no harm twice.

    Raises ConfigError if the database is away for more than PATIENCE_SECONDS.
    """
    import psycopg
    import sqlalchemy.exc

    until = clock.monotonic() + PATIENCE_SECONDS
    while True:
        with connecting(url):
            try:
                return ask()
            except (
                psycopg.OperationalError,
                psycopg.InterfaceError,
                sqlalchemy.exc.OperationalError,
                sqlalchemy.exc.InterfaceError,
            ):
                if clock.monotonic() > until:
                    raise
        clock.sleep(POLL_SECONDS)


class PatientConnection:
    """A connection for changes that do no harm if they are made twice. It waits while the database is away."""

    def __init__(self, url: str, prepare: str = "") -> None:
        """`prepare` creates the tables before the first change."""
        self._url, self._prepare = url, prepare
        self._connection: Any = None
        self._lock = threading.Lock()

    def change(self, change: Callable[[Any], T]) -> T:
        """Return what a change in one transaction returns. Raises ConfigError as `patiently` does."""

        def attempt() -> T:
            with self._lock:
                try:
                    self._connection = self._connection or connect(self._url)
                    with self._connection.transaction():
                        if self._prepare:
                            # Two processes may begin at once.
                            self._connection.execute("SELECT pg_advisory_xact_lock(hashtext('ralph.tables'))")
                            self._connection.execute(self._prepare)
                        done = change(self._connection)
                    self._prepare = ""
                    return done
                except Exception:
                    self.close()
                    raise

        return patiently(self._url, attempt)

    def close(self) -> None:
        """Close the connection."""
        gone, self._connection = self._connection, None
        with suppress(Exception):  # it may be lost already
            gone.close()


def _lock_number(worker: str) -> int:
    return zlib.crc32(worker.encode()) - (1 << 31)


class WorkerLock:
    """The lock of a worker's id. It belongs to a connection, so it ends with the process or the database."""

    def __init__(self, url: str, worker: str) -> None:
        """Take the lock. Raises ConfigError while another process has it."""
        self._url, self._worker = url, worker
        with connecting(url):
            self._take()

    def _take(self) -> None:
        self._connection = connect(self._url)
        query, numbers = "SELECT pg_try_advisory_lock(%s, %s)", (_LOCK_CLASS, _lock_number(self._worker))
        (held,) = self._connection.execute(query, numbers).fetchone()
        if not held:
            self._connection.close()
            what = f"the worker {self._worker} is at work"
            raise ConfigError(what, code="worker-lives", hint="stop it first, or choose another id")

    def keep(self) -> None:
        """Take the lock again if the database was away. Raises ConfigError if another process has it."""
        import psycopg

        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            with suppress(psycopg.Error):  # it is still away
                self._take()

    def close(self) -> None:
        """Release the lock."""
        self._connection.close()


def living_workers(url: str, ids: Collection[str]) -> tuple[str, ...]:
    """Return which of these workers hold the lock of their id now."""
    with connecting(url), connect(url) as connection:
        query = "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND granted"
        numbers = {number for (number,) in connection.execute(query, (_LOCK_CLASS,)).fetchall()}
    return tuple(sorted(name for name in ids if _lock_number(name) % (1 << 32) in numbers))
