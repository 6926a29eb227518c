"""The jobs of all tables in a PostgreSQL database, through DBOS: which wait, who does them, how they ended.

A job is a workflow of DBOS. The database has hashes of files in the store, ids of workers and the version of ralph: no
text, no name of a document, no question, no key. It is read as JSON; nothing in it is executed.

All workers take jobs from one queue. A worker that starts again moves the jobs that it left unfinished to its own
queue: its disk has what was paid for, so nobody else should do them, unless a person runs `ralph queue recover`.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ralph_cli.cluster.connection import (
    WorkerLock,
    connect,
    connecting,
    import_dbos,
    living_workers,
    patiently,
    require_postgres,
)
from ralph_cli.cluster.job import code_version
from ralph_cli.core.errors import ConfigError

if TYPE_CHECKING:
    from dbos import DBOSClient, WorkflowStatus

APPLICATION = "ralph"
QUEUE = "documents"
WORKFLOW = "answer_document"

# Seconds between two looks of a worker into the queue of all.
POLL_SECONDS = 0.5

# Seconds between two looks into its own queue, which rarely gets a job.
OWN_POLL_SECONDS = 2.0

_UNDONE = ("ENQUEUED", "PENDING", "DELAYED")
_ENDED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]


@dataclass(frozen=True, slots=True)
class EndedJob:
    """A finished job: `result` is the hash of its result, `worker` is who did it, if anybody."""

    id: str
    result: str = ""
    worker: str = ""
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True)
class QueueState:
    """The state of the queue, as `ralph queue show` prints it.

    `waiting` counts jobs by the version of ralph that they need, `doing` by the worker that does them, `left` by the
    worker that began them and must continue them, and `ended` by how they ended. `living` are the running workers.
    """

    waiting: Mapping[str, int]
    doing: Mapping[str, int]
    left: Mapping[str, int]
    ended: Mapping[str, int]
    living: tuple[str, ...]
    is_paused: bool


def require_worker_id(name: str) -> str:
    """Return the id of a worker. Raises ConfigError unless it is a short plain name."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}", name):
        what = f"{name!r:.80} is not an id of a worker"
        raise ConfigError(what, code="worker-id", hint="use letters, digits, dots and dashes, such as host1-0")
    return name


class JobQueue:
    """The jobs in a database. Once connected, it waits while the database is away."""

    def __init__(self, url: str) -> None:
        """Connect to the database, and create the tables of DBOS if necessary. Raises ConfigError."""
        self._url = require_postgres(url)
        dbos = import_dbos()
        with connecting(url):
            # DBOS would wait forever for a missing server, so connect without it first.
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
        """Close the connections."""
        self._client.destroy()

    def submit(self, job_id: str, job: str) -> None:
        """Submit the job with that hash, unless it was submitted before. A cancelled job is continued."""
        options = {
            "workflow_name": WORKFLOW,
            "queue_name": QUEUE,
            "workflow_id": job_id,
            "app_version": code_version(),
            "application_name": APPLICATION,
        }
        patiently(self._url, lambda: self._client.enqueue(options, job))
        for state in self._list(workflow_ids=[job_id], status="CANCELLED"):
            self._resume([job_id], queue_of(state.executor_id or ""))

    def ended(self, job_ids: Collection[str]) -> list[EndedJob]:
        """Return which of these jobs have ended."""
        found = []
        for start in range(0, len(ids := list(job_ids)), 500):
            found += self._list(workflow_ids=ids[start : start + 500], status=_ENDED, load_output=True)
        return [_as_ended(item) for item in found]

    def cancel(self, job_ids: Collection[str] | None = None, *, at_work: bool = True) -> int:
        """Cancel unfinished jobs, by default all, also those `at_work`; return how many.

        A job at work ends after its current cell.
        """
        states = ["ENQUEUED", "DELAYED", *(["PENDING"] if at_work else [])]
        wanted = {"workflow_ids": list(job_ids)} if job_ids is not None else {}
        ids = [item.workflow_id for item in self._list(status=states, **wanted)]
        if ids:
            patiently(self._url, lambda: self._client.cancel_workflows(ids))
        return len(ids)

    def pause(self, *, paused: bool) -> None:
        """Let no worker begin a job, or let them begin again. Jobs at work are finished."""
        for queue in self._client.list_queues():
            queue.set_limiter({"limit": 0, "period": 1.0} if paused else None)

    def recover(self, worker: str, *, to: str = "") -> int:
        """Give the jobs of a dead worker to all others, or to the worker `to`; return how many.

        Raises ConfigError while that worker runs.
        """
        with closing(WorkerLock(self._url, worker)):
            return self.take_over(worker, to=to)

    def take_over(self, worker: str, *, to: str) -> int:
        """Do the same for a worker that is known to be dead."""
        left = self._list(status="PENDING", executor_id=worker)
        left += self._list(status="ENQUEUED", queue_name=queue_of(worker)) if to != worker else []
        ids = [item.workflow_id for item in left]
        if to:
            self._ensure_queue(queue_of(to), None)
        if ids:
            self._resume(ids, queue_of(to))
        return len(ids)

    def hand_back(self, job_id: str, *, to: str = "") -> None:
        """Let all others, or the worker `to`, do an unfinished job from its beginning."""
        self._resume([job_id], queue_of(to))

    def look(self) -> QueueState:
        """Return the state of the queue."""
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
        """Set how many jobs each worker does side by side."""
        self._ensure_queue(queue, jobs)
        found = self._client.retrieve_queue(queue)
        assert found is not None
        found.set_worker_concurrency(jobs)

    def waiting_versions(self) -> Counter[str]:
        """Return how many jobs wait for each version of ralph."""
        return Counter(item.app_version or "" for item in self._list(status="ENQUEUED"))

    def _ensure_queue(self, name: str, jobs: int | None) -> None:
        seconds = POLL_SECONDS if name == QUEUE else OWN_POLL_SECONDS
        self._client.register_queue(
            name, worker_concurrency=jobs, polling_interval_sec=seconds, on_conflict="never_update"
        )

    def _list(self, **wanted: Any) -> "list[WorkflowStatus]":
        wanted = {"load_output": False, **wanted}
        return list(
            patiently(self._url, lambda: self._client.list_workflows(name=WORKFLOW, load_input=False, **wanted))
        )

    def _resume(self, ids: list[str], queue: str) -> None:
        patiently(self._url, lambda: self._client.resume_workflows(ids, queue_name=queue))


def _as_ended(item: "WorkflowStatus") -> EndedJob:
    return EndedJob(
        id=item.workflow_id,
        result=item.output if item.status == "SUCCESS" and isinstance(item.output, str) else "",
        worker=item.executor_id or "",
        is_cancelled=item.status == "CANCELLED",
    )


def queue_of(worker: str) -> str:
    """Return the name of a worker's own queue, or with "" of the queue of all."""
    return f"worker-{worker}" if worker else QUEUE
