"""Takes jobs from the queue and does them, in threads of DBOS."""

import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from ralph_cli.cluster.connection import WorkerLock, import_dbos
from ralph_cli.cluster.database import APPLICATION, QUEUE, WORKFLOW, JobQueue, queue_of
from ralph_cli.cluster.job import code_version
from ralph_cli.core.errors import ConfigError, RalphError

# Seconds between two checks whether a worker still has the lock of its id.
KEEP_SECONDS = 2.0

# Seconds that a worker has for its jobs at work when it ends.
FINISH_SECONDS = 86_400

# Takes the hash of a job, and a function that raises JobCancelled if it was cancelled; returns the result's hash.
DoJob = Callable[[str, Callable[[], None]], str]


class JobCancelled(RalphError):
    """Raised when a job is cancelled while it is done; its worker keeps what is done on its disk."""

    def __init__(self) -> None:
        super().__init__("the job was cancelled", code="cancelled")


class WorkerUnfit(RalphError):
    """Raised when this worker lacks something that a job needs: a key, a sandbox.

    `has_begun`: its disk has answers of that job, so it should do the rest once that is fixed.
    """

    def __init__(self, fault: str, *, has_begun: bool) -> None:
        kept = "it keeps the document that it began" if has_begun else "other workers get its document"
        super().__init__(f"this worker ends, and {kept}: {fault}", code="unfit")
        self.has_begun = has_begun


class _NotDone(Exception):
    """Raised to end a job without a result. The database sees only its one word."""


class _HandedBack(BaseException):
    """Raised to give a job back. It is no Exception, so DBOS does not take it for a result."""


def serve(
    url: str, worker: str, jobs: int, do_job: DoJob, until: threading.Event, on_fault: Callable[[Exception], None]
) -> None:
    """Do jobs until `until` is set, first those that this worker left unfinished.

    `on_fault` gets what `do_job` raises; the database does not. Raises ConfigError if another worker has this id, or if
    only jobs of other versions wait. Raises WorkerUnfit if `do_job` does, after the other jobs at work are done and
    that one is given back.
    """
    dbos = import_dbos()
    with ExitStack() as on_failure:
        queue = on_failure.enter_context(closing(JobQueue(url)))
        _require_work_for_us(queue)
        lock = on_failure.enter_context(closing(WorkerLock(url, worker)))
        queue.set_jobs(jobs)
        queue.set_jobs(jobs, queue_of(worker))
        queue.take_over(worker, to=worker)
        ending = on_failure.pop_all()

    serving = _Serving(queue, worker, do_job, until, on_fault)
    _launch(dbos, url, worker, serving)
    # An exception here leaves the connections open: jobs at work would take a closed one for a failure.
    while not until.wait(KEEP_SECONDS):
        lock.keep()
    dbos.DBOS.destroy(workflow_completion_timeout_sec=FINISH_SECONDS)
    ending.close()
    if serving.unfit is not None:
        raise serving.unfit


def _require_work_for_us(queue: JobQueue) -> None:
    """Raise ConfigError if jobs wait and all need other versions."""
    others = queue.waiting_versions()
    if others and code_version() not in others:
        names = ", ".join(f"{count} of {name}" for name, count in others.items())
        what = f"the jobs that wait are of other versions ({names}); this worker is of {code_version()}"
        raise ConfigError(what, code="other-version", hint="install that version of ralph here, or cancel the jobs")


@dataclass(slots=True)
class _Serving:
    """Does jobs in the threads of DBOS; `unfit` says why this worker takes no more."""

    queue: JobQueue
    worker: str
    do_job: DoJob
    until: threading.Event
    on_fault: Callable[[Exception], None]
    unfit: WorkerUnfit | None = None

    def ask(self, job: str, job_id: str) -> str:
        """Do a job. An error may quote the document, so the database gets only its kind."""
        try:
            return self.do_job(job, lambda: self._check(job_id))
        except WorkerUnfit as error:
            self.unfit = self.unfit or error
            self.until.set()
            self.queue.hand_back(job_id, to=self.worker if error.has_begun else "")
            raise _HandedBack from None
        except Exception as error:  # noqa: BLE001 - see above
            self.on_fault(error)
            raise _NotDone("cancelled" if isinstance(error, JobCancelled) else "failed") from None

    def _check(self, job_id: str) -> None:
        if any(job.is_cancelled for job in self.queue.ended([job_id])):
            raise JobCancelled


def _launch(dbos: Any, url: str, worker: str, serving: _Serving) -> None:
    """Start to take jobs."""
    api = dbos.DBOS
    options = {"retries_allowed": True, "max_attempts": 6, "interval_seconds": 2.0, "should_retry": _may_pass}
    # DBOS takes functions, not methods.
    step = api.step(name="ask", **options)(lambda job, job_id: serving.ask(job, job_id))

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
    api.listen_queues([QUEUE, queue_of(worker)])
    api.launch()


def _may_pass(error: BaseException) -> bool:
    """Whether a further attempt may succeed: a store or a disk may come back."""
    return str(error) == "failed"
