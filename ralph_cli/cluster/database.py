"""The jobs of all tables in a PostgreSQL database, by DBOS: which are waiting, who does them, what came of them.

A job is a workflow of DBOS. The database has hashes of files in the store, the ids of workers and the version of ralph:
no text, no name of a document, no question, no key. What is in it is read as JSON; nothing in it is executed.

A worker takes jobs from one queue for all. Those that it left behind when it died it moves to a queue of its own when
it begins again: its disk has what was paid for, so nobody else should do them, unless a person hands them over.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ralph_cli.cluster.connection import WorkerLock, connect, connecting, import_dbos, living_workers, require_postgres
from ralph_cli.cluster.job import code_version
from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError

if TYPE_CHECKING:
    from dbos import DBOSClient, WorkflowStatus

APPLICATION, QUEUE, WORKFLOW = "ralph", "documents", "answer_document"
POLL_SECONDS, OWN_POLL_SECONDS = 0.5, 2.0
"""How often a worker looks for a job in the queue of all, and in its own, which gets one only when it is handed back.
"""

PATIENCE_SECONDS = 900.0
"""How long a submitter waits for a database that has gone away."""

_UNDONE = ("ENQUEUED", "PENDING", "DELAYED")
_ENDED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_WORKER_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")


@dataclass(frozen=True, slots=True)
class EndedJob:
    """A job that is over: `result` is the hash of what it gave, `worker` who did it, if anybody."""

    id: str
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
        dbos = import_dbos()
        with connecting(url):
            # Asked first by a connection of our own: DBOS would wait for ever for a server that is not there.
            with connect(url):
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
            self._resume([job_id], queue_of(state.executor_id or ""))

    def ended(self, job_ids: Collection[str]) -> list[EndedJob]:
        """Those of these jobs that are over."""
        found = []
        for start in range(0, len(ids := list(job_ids)), 500):
            found += self._list(workflow_ids=ids[start : start + 500], status=_ENDED, load_output=True)
        return [_as_ended(item) for item in found]

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
        with closing(WorkerLock(self._url, worker)):
            return self.take_over(worker, to=to)

    def take_over(self, worker: str, *, to: str) -> int:
        """As `recover`, by whoever knows that the worker is dead."""
        left = self._list(status="PENDING", executor_id=worker)
        left += self._list(status="ENQUEUED", queue_name=queue_of(worker)) if to != worker else []
        ids = [item.workflow_id for item in left]
        if to:
            self._ensure_queue(queue_of(to), None)
        if ids:
            self._resume(ids, queue_of(to))
        return len(ids)

    def hand_back(self, job_id: str, *, to: str = "") -> None:
        """Let others, or the worker `to`, do a job from its beginning, which nobody finishes here."""
        self._resume([job_id], queue_of(to))

    def look(self) -> QueueState:
        """What there is to do, and who does it."""
        items = self._list()
        living = living_workers(self._url, {item.executor_id for item in items if item.executor_id})
        waiting = [item for item in items if item.status in ("ENQUEUED", "DELAYED")]
        return QueueState(
            waiting=Counter(item.app_version or "" for item in waiting if item.queue_name == QUEUE),
            doing=Counter(item.executor_id or "" for item in items if item.status == "PENDING"),
            left=Counter(
                (item.queue_name or "").removeprefix("worker-") for item in waiting if item.queue_name != QUEUE
            ),
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
        seconds = POLL_SECONDS if name == QUEUE else OWN_POLL_SECONDS
        self._client.register_queue(
            name, worker_concurrency=jobs, polling_interval_sec=seconds, on_conflict="never_update"
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
            with connecting(self._url):
                try:
                    return ask()
                except (sqlalchemy.exc.OperationalError, sqlalchemy.exc.InterfaceError):
                    if clock.monotonic() > until:
                        raise
            clock.sleep(1)


def _as_ended(item: "WorkflowStatus") -> EndedJob:
    return EndedJob(
        id=item.workflow_id,
        result=item.output if item.status == "SUCCESS" and isinstance(item.output, str) else "",
        worker=item.executor_id or "",
        is_cancelled=item.status == "CANCELLED",
    )


def queue_of(worker: str) -> str:
    """The queue of a worker's own jobs; "" is that of all."""
    return f"worker-{worker}" if worker else QUEUE
