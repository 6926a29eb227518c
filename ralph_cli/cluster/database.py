"""The jobs of all tables in a PostgreSQL database, by DBOS: which are waiting, who does them, what came of them.

A job is a workflow of DBOS. The database has hashes of files in the store, the ids of workers and the version of ralph:
no text, no name of a document, no question, no key. What is in it is read as JSON; nothing in it is executed.

A worker takes jobs from one queue for all. Those that it left behind when it died it moves to a queue of its own when
it begins again: its disk has what was paid for, so nobody else should do them, unless a person hands them over.
"""

import logging
import re
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ralph_cli.cluster.job import code_version
from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError, RalphError

if TYPE_CHECKING:
    from dbos import DBOSClient, WorkflowStatus

APPLICATION, QUEUE, WORKFLOW = "ralph", "documents", "answer_document"
POLL_SECONDS = 0.25
"""How often a worker looks for a job, and a submitter whether one is done."""

KEEP_SECONDS = 2.0
"""How often a worker looks whether it has the lock of its id still."""

FINISH_SECONDS = 86_400
"""How long a worker that is told to end finishes what it has begun."""

CONNECT_SECONDS = 10
PATIENCE_SECONDS = 900.0
"""How long a submitter waits for a database that has gone away."""

_LOCK_CLASS = 0x52414C50
"""The first number of the advisory locks by which a worker shows that it lives; the second follows from its id."""

_UNDONE = ("ENQUEUED", "PENDING", "DELAYED")
_WORKER_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")


@dataclass(frozen=True, slots=True)
class JobState:
    """How far a job is: `result` is the hash of what it gave, `worker` who does it or did, if anybody."""

    id: str
    is_done: bool
    result: str = ""
    worker: str = ""
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True)
class QueueState:
    """What `ralph queue show` shows. `doing` has, by worker, jobs that are at work; `living` the workers there are now.

    `waiting` counts jobs by the version of ralph that must do them, `ended` those that are over by how.
    """

    waiting: Mapping[str, int]
    doing: Mapping[str, int]
    left: Mapping[str, int]
    ended: Mapping[str, int]
    living: tuple[str, ...]
    is_paused: bool


class Queue(Protocol):
    """The jobs, as far as a table that is being filled needs them; see `JobQueue`."""

    def submit(self, job_id: str, job: str) -> None:
        """Let a worker do the job with that hash."""

    def states(self, job_ids: Collection[str]) -> list[JobState]:
        """How far these jobs are."""

    def cancel(self, job_ids: Collection[str] | None = None, *, at_work: bool = True) -> int:
        """Cancel jobs that are not done."""

    def close(self) -> None:
        """Give the connections back."""


def require_worker_id(name: str) -> str:
    """The id of a worker; ConfigError unless it is a short plain name."""
    if not _WORKER_ID.fullmatch(name):
        what = f"{name!r:.80} is no id of a worker"
        raise ConfigError(what, code="worker-id", hint="letters, digits, dots and dashes, such as host1-0")
    return name


class JobQueue:
    """The jobs in a database, as a submitter sees them. Waits while the database is away, once it was there."""

    def __init__(self, url: str) -> None:
        """Connect to the database, and make the tables of DBOS in it when they are not there. Raises ConfigError."""
        self._url = require_postgres(url)
        dbos = _import_dbos()
        with _connecting(url):
            # Asked first by a connection of our own: DBOS would wait for ever for a server that is not there.
            with _connect(url):
                pass
            dbos.DBOS.migrate(self._url)
            self._client: DBOSClient = dbos.DBOSClient(
                system_database_url=self._url,
                serializer=dbos.DBOSPortableJSONSerializer(),
                application_name=APPLICATION,
            )
            self._ensure_queue(QUEUE, None)

    def close(self) -> None:
        """Give the connections back."""
        self._client.destroy()

    def submit(self, job_id: str, job: str) -> None:
        """Let a worker do the job with that hash; one that was submitted before is not submitted again.

        One that was cancelled goes on where it was.
        """
        options = {
            "workflow_name": WORKFLOW,
            "queue_name": QUEUE,
            "workflow_id": job_id,
            "app_version": code_version(),
            "application_name": APPLICATION,
        }
        self._patiently(lambda: self._client.enqueue(options, job))
        for state in self._list(workflow_ids=[job_id], status="CANCELLED"):
            self._resume([job_id], _queue_of(state.executor_id or ""))

    def states(self, job_ids: Collection[str]) -> list[JobState]:
        """How far these jobs are."""
        found = []
        for start in range(0, len(ids := list(job_ids)), 500):
            found += self._list(workflow_ids=ids[start : start + 500], load_output=True)
        return [_state(item) for item in found]

    def cancel(self, job_ids: Collection[str] | None = None, *, at_work: bool = True) -> int:
        """Cancel jobs that are not done, by default all, and those `at_work`, too; returns how many they are.

        A job that is at work ends after the cell that is being asked.
        """
        states = ["ENQUEUED", "DELAYED", *(["PENDING"] if at_work else [])]
        wanted = {"workflow_ids": list(job_ids)} if job_ids is not None else {}
        ids = [item.workflow_id for item in self._list(status=states, **wanted)]
        if ids:
            self._patiently(lambda: self._client.cancel_workflows(ids))
        return len(ids)

    def pause(self, *, paused: bool) -> None:
        """Let no worker begin a job, or let them again; those at work are finished."""
        for queue in self._client.list_queues():
            queue.set_limiter({"limit": 0, "period": 1.0} if paused else None)

    def recover(self, worker: str, *, to: str = "") -> int:
        """Let others, or the worker `to`, do what a dead worker has left; returns how many jobs that are.

        Raises ConfigError while that worker lives.
        """
        with closing(_Lock(self._url, worker)):
            return self.take_over(worker, to=to)

    def take_over(self, worker: str, *, to: str) -> int:
        """As `recover`, by whoever knows that the worker is dead."""
        left = self._list(status="PENDING", executor_id=worker)
        left += self._list(status="ENQUEUED", queue_name=_queue_of(worker)) if to != worker else []
        ids = [item.workflow_id for item in left]
        if to:
            self._ensure_queue(_queue_of(to), None)
        if ids:
            self._resume(ids, _queue_of(to))
        return len(ids)

    def look(self) -> QueueState:
        """What there is to do, and who does it."""
        items = self._list()
        living = living_workers(self._url, {item.executor_id for item in items if item.executor_id})
        waiting = [item for item in items if item.status in ("ENQUEUED", "DELAYED")]
        return QueueState(
            waiting=Counter(item.app_version or "" for item in waiting if item.queue_name == QUEUE),
            doing=Counter(item.executor_id or "" for item in items if item.status == "PENDING"),
            left=Counter(_worker_of(item.queue_name) for item in waiting if item.queue_name != QUEUE),
            ended=Counter(item.status.lower() for item in items if item.status not in _UNDONE),
            living=living,
            is_paused=any(queue.limiter is not None for queue in self._client.list_queues() if queue.name == QUEUE),
        )

    def set_jobs(self, jobs: int, queue: str = QUEUE) -> None:
        """How many jobs each worker does side by side."""
        self._ensure_queue(queue, jobs)
        found = self._client.retrieve_queue(queue)
        assert found is not None
        found.set_worker_concurrency(jobs)

    def waiting_versions(self) -> Counter[str]:
        """How many jobs wait for each version of ralph."""
        return Counter(item.app_version or "" for item in self._list(status="ENQUEUED"))

    def _ensure_queue(self, name: str, jobs: int | None) -> None:
        self._client.register_queue(
            name, worker_concurrency=jobs, polling_interval_sec=POLL_SECONDS, on_conflict="never_update"
        )

    def _list(self, **wanted: Any) -> "list[WorkflowStatus]":
        wanted = {"load_output": False, **wanted}
        return list(self._patiently(lambda: self._client.list_workflows(name=WORKFLOW, load_input=False, **wanted)))

    def _resume(self, ids: list[str], queue: str) -> None:
        self._patiently(lambda: self._client.resume_workflows(ids, queue_name=queue))

    def _patiently(self, ask: Callable[[], Any]) -> Any:
        """What the database says, which it is asked again while it is away: nothing that is asked does harm twice."""
        import sqlalchemy.exc

        until = clock.monotonic() + PATIENCE_SECONDS
        while True:
            with _connecting(self._url):
                try:
                    return ask()
                except (sqlalchemy.exc.OperationalError, sqlalchemy.exc.InterfaceError):
                    if clock.monotonic() > until:
                        raise
            clock.sleep(1)


def _state(item: "WorkflowStatus") -> JobState:
    return JobState(
        id=item.workflow_id,
        is_done=item.status not in _UNDONE,
        result=item.output if item.status == "SUCCESS" and isinstance(item.output, str) else "",
        worker=item.executor_id or "",
        is_cancelled=item.status == "CANCELLED",
    )


def _queue_of(worker: str) -> str:
    return f"worker-{worker}" if worker else QUEUE


def _worker_of(queue: str | None) -> str:
    return (queue or "").removeprefix("worker-")


class JobCancelled(RalphError):
    """The job was cancelled while it was being done; what is done of it stays on the disk of its worker."""

    def __init__(self) -> None:
        super().__init__("the job was cancelled", code="cancelled")


def serve(
    url: str,
    worker: str,
    jobs: int,
    do_job: Callable[[str, Callable[[], None]], str],
    until: threading.Event,
    on_fault: Callable[[Exception], None],
) -> None:
    """Do jobs until `until` is set, first those that this worker has left behind.

    `do_job` gets the hash of a job and a function that raises JobCancelled once it is cancelled; it returns the hash
    of the result. `on_fault` is told what it raises, of which the database learns nothing. Raises ConfigError when
    another worker of that id lives, or when only jobs of other versions wait.
    """
    dbos = _import_dbos()
    with ExitStack() as on_failure:
        queue = on_failure.enter_context(closing(JobQueue(url)))
        _require_work_for_us(queue)
        lock = on_failure.enter_context(closing(_Lock(url, worker)))
        queue.set_jobs(jobs)
        queue.set_jobs(jobs, _queue_of(worker))
        queue.take_over(worker, to=worker)
        ending = on_failure.pop_all()

    def check(job_id: str) -> None:
        if any(state.is_cancelled for state in queue.states([job_id])):
            raise JobCancelled

    _launch(dbos, url, worker, do_job, check, on_fault)
    # Whatever else ends this leaves the connections to the jobs at work, which would take their end for a failure.
    while not until.wait(KEEP_SECONDS):
        lock.keep()
    dbos.DBOS.destroy(workflow_completion_timeout_sec=FINISH_SECONDS)
    ending.close()


def _require_work_for_us(queue: JobQueue) -> None:
    """ConfigError, which names them, when jobs wait and all are of other versions."""
    others = queue.waiting_versions()
    if others and code_version() not in others:
        names = ", ".join(f"{count} of {name}" for name, count in others.items())
        what = f"the jobs that wait are of other versions ({names}); this worker is of {code_version()}"
        raise ConfigError(what, code="other-version", hint="install that version of ralph here, or cancel them")


def _launch(
    dbos: Any,
    url: str,
    worker: str,
    do_job: Callable[[str, Callable[[], None]], str],
    check: Callable[[str], None],
    on_fault: Callable[[Exception], None],
) -> None:
    """Begin to take jobs, in threads of DBOS."""
    api = dbos.DBOS

    def ask(job: str, job_id: str) -> str:
        try:
            return do_job(job, lambda: check(job_id))
        except Exception as error:  # noqa: BLE001 - what it says may be of the document, and is for this machine
            on_fault(error)
            raise RuntimeError("cancelled" if isinstance(error, JobCancelled) else "failed") from None

    step = api.step(name="ask", retries_allowed=True, max_attempts=6, interval_seconds=2.0, should_retry=_may_pass)(ask)

    def answer_document(job: str) -> str:
        return str(step(job, str(api.workflow_id)))

    api.workflow(name=WORKFLOW, max_recovery_attempts=None)(answer_document)
    api(
        config={
            "name": APPLICATION,
            "system_database_url": url,
            "serializer": dbos.DBOSPortableJSONSerializer(),
            "application_version": code_version(),
            "executor_id": worker,
            "log_level": "CRITICAL",
            "run_migrations": False,
        }
    )
    api.listen_queues([QUEUE, _queue_of(worker)])
    api.launch()


def _may_pass(error: BaseException) -> bool:
    """Whether trying again may help: a store or a disk may come back, a cancelled job does not."""
    return str(error) != "cancelled"


def require_postgres(url: str) -> str:
    """The address of a PostgreSQL database. Raises ConfigError for any other."""
    if not re.match(r"postgres(ql)?://", url):
        hint = "--database postgresql://USER@HOST/NAME"
        raise ConfigError("--database is no address of a PostgreSQL database", code="no-database", hint=hint)
    return re.sub(r"^postgres://", "postgresql://", url)


def _import_dbos() -> Any:
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


def _connect(url: str) -> Any:
    import psycopg

    return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="ralph")


@contextmanager
def _connecting(url: str) -> Iterator[None]:
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


def _lock_number(worker: str) -> int:
    return zlib.crc32(worker.encode()) - (1 << 31)


class _Lock:
    """The lock of a worker's id. It is that of a connection: it goes with the process, and with the database."""

    def __init__(self, url: str, worker: str) -> None:
        """Take it. Raises ConfigError while another process has it."""
        self._url, self._worker = url, worker
        with _connecting(url):
            self._take()

    def _take(self) -> None:
        self._connection = _connect(self._url)
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
    with _connecting(url), _connect(url) as connection:
        query = "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND granted"
        numbers = {number for (number,) in connection.execute(query, (_LOCK_CLASS,)).fetchall()}
    return tuple(sorted(name for name in ids if _lock_number(name) % (1 << 32) in numbers))
