"""Connections to the database of the workers, and the locks that live as long as one."""

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

POLL_SECONDS, PATIENCE_SECONDS = 1.0, 900.0
"""How often and how long a database that has gone away is asked again."""

T = TypeVar("T")

_LOCK_CLASS = 0x52414C50
"""The first number of the advisory locks by which a worker shows that it lives; the second follows from its id."""


def require_postgres(url: str) -> str:
    """The address of a PostgreSQL database. Raises ConfigError for any other."""
    if not re.match(r"postgres(ql)?://", url):
        hint = "--database postgresql://USER@HOST/NAME"
        raise ConfigError("--database is no address of a PostgreSQL database", code="no-database", hint=hint)
    return re.sub(r"^postgres://", "postgresql://", url)


def import_dbos() -> Any:
    """The library, which reads nothing of a database but JSON afterwards. Raises ConfigError without the extra."""
    try:
        import dbos
        from dbos import _serialization
    except ImportError as error:
        hint = "pip install 'ralph-cli[cluster]'"
        raise ConfigError(
            f"--database needs DBOS, which is not installed ({error})", code="no-extra", hint=hint
        ) from None
    # A row may say that it is pickled, whatever serializer is set, and what is unpickled may do anything.
    _serialization.DefaultSerializer.deserialize = _refuse_pickle
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    return dbos


def _refuse_pickle(_self: object, _data: str) -> Any:
    raise ValueError("a row of the database is pickled, and is not read")


def connect(url: str) -> Any:
    """A connection of psycopg, in which each statement counts by itself."""
    import psycopg

    return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="ralph")


@contextmanager
def connecting(url: str) -> Iterator[None]:
    """Errors of the database in one line, without the password that may be in its address."""
    import psycopg
    import sqlalchemy.exc

    try:
        yield
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        told = (str(error).strip() or type(error).__name__).splitlines()[0]
        shown = re.sub(r"://[^@/]*@", "://", url)
        hint = "is the server running, and may this user make tables in that database?"
        raise ConfigError(f"the database {shown} cannot be used: {told}", code="no-database", hint=hint) from None


class PatientConnection:
    """A connection for changes that may be made twice: while the database is away, they are made again and again."""

    def __init__(self, url: str, prepare: str = "") -> None:
        """`prepare` is what is to be there before the first change: tables."""
        self._url, self._prepare = url, prepare
        self._connection: Any = None
        self._lock = threading.Lock()

    def change(self, change: Callable[[Any], T]) -> T:
        """What a change in one transaction gives. Raises ConfigError once the database has been away too long."""
        import psycopg

        until = clock.monotonic() + PATIENCE_SECONDS
        while True:
            with connecting(self._url), self._lock:
                try:
                    self._connection = self._connection or connect(self._url)
                    with self._connection.transaction():
                        if self._prepare:
                            # Two may begin at once.
                            self._connection.execute("SELECT pg_advisory_xact_lock(hashtext('ralph.tables'))")
                            self._connection.execute(self._prepare)
                        done = change(self._connection)
                    self._prepare = ""
                    return done
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


def _lock_number(worker: str) -> int:
    return zlib.crc32(worker.encode()) - (1 << 31)


class WorkerLock:
    """The lock of a worker's id. It is that of a connection: it goes with the process, and with the database."""

    def __init__(self, url: str, worker: str) -> None:
        """Take it. Raises ConfigError while another process has it."""
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
            raise ConfigError(what, code="worker-lives", hint="each worker has an id of its own; stop that one first")

    def keep(self) -> None:
        """Take it again where the database has been away. Raises ConfigError when another process was faster."""
        import psycopg

        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            with suppress(psycopg.Error):  # it is away still
                self._take()

    def close(self) -> None:
        """Give it back."""
        self._connection.close()


def living_workers(url: str, ids: Collection[str]) -> tuple[str, ...]:
    """Those of these workers that hold the lock of their id now."""
    with connecting(url), connect(url) as connection:
        query = "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND granted"
        numbers = {number for (number,) in connection.execute(query, (_LOCK_CLASS,)).fetchall()}
    return tuple(sorted(name for name in ids if _lock_number(name) % (1 << 32) in numbers))
