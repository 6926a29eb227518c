"""A job: what a worker needs to ask a table's questions about one document, and the result that it returns.

Both are files in the store, named by their hashes. The database has only these hashes.
"""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ralph_cli.cluster.shares import Amounts
from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import RunStarted
from ralph_cli.core.prompts.templates import prompt_digests
from ralph_cli.core.results.table import CellState, TableQuestion, TableRow
from ralph_cli.core.run import StopType
from ralph_cli.core.version import __version__
from ralph_cli.journal.bundle import canonical_json

# The version of the format of these files.
FORMAT = 2

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Stored(BaseModel):
    """A part of a file in the store."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class JobDocument(_Stored):
    """A document of a job: its name in a set, its file name, its hash and its encoding.

    `fingerprint` is that of the text that the submitter read from it.
    """

    name: str
    file: Annotated[str, Field(max_length=1_000)]
    sha256: Sha256
    fingerprint: str
    encoding: str | None = None


class Job(_Stored):
    """The questions about one document of a table, or about all of them together.

    `version` and `prompts` are those of the submitter, `settings` those that a run's record has. The seed is the
    table's, so that prompts begin as they would on one machine. `earlier` are bundles of runs that the job continues,
    `paid` is what they cost, and `again` are the states of cells that are asked again. `seconds` and `usd` bound each
    cell. `purse` names the bounds of the whole table, if it has any (see `cluster.shares`).
    """

    format: Annotated[int, Field(ge=1, le=FORMAT)]
    version: str
    prompts: dict[str, str]
    settings: dict[str, Any]
    seed: Annotated[str, Field(pattern=r"^[0-9a-f]{16,64}$")]
    questions: tuple[TableQuestion, ...]
    row: TableRow
    documents: tuple[JobDocument, ...]
    skipped: tuple[str, ...] = ()
    earlier: tuple[Sha256, ...] = ()
    again: tuple[CellState, ...] = ()
    paid: Amounts = Amounts()
    purse: Annotated[str, Field(pattern=r"^([0-9a-f]{32})?$")] = ""
    seconds: float | None = None
    usd: float | None = None
    made: str = ""

    @property
    def started(self) -> RunStarted:
        """A run's first event with these settings: a job may decide what a record may decide."""
        return RunStarted("", "qa", "", {}, self.settings, clock.now(), self.seed)


class FailedCell(_Stored):
    """A question of a job that has no run, and the reason."""

    question: str
    reason: str


class JobResult(_Stored):
    """The result of a job: the bundles of all its runs, cells without a run, and why it ended.

    `fault` says why the job could not be done at all. `is_refused`: a bound of the whole table allowed no more calls.
    """

    format: Annotated[int, Field(ge=1, le=FORMAT)]
    job: Sha256
    worker: str
    bundles: tuple[Sha256, ...] = ()
    failed: tuple[FailedCell, ...] = ()
    stop: StopType = StopType.COMPLETION
    detail: str = ""
    fault: str = ""
    is_refused: bool = False


_File = TypeVar("_File", Job, JobResult)


def write_file(value: BaseModel) -> bytes:
    """Return the bytes of a job or a result; the same for the same values."""
    return canonical_json(value.model_dump(mode="json"))


def read_file(kind: type[_File], data: bytes) -> _File:
    """Return the job or the result in these bytes. Raises JournalError for anything else, and for newer versions."""
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        what = f"the {kind.__name__} in the store cannot be used: {error.errors()[0]['msg']}"
        raise JournalError(what, code="store-damaged", hint="use the same version for submitter and workers") from error


def code_version() -> str:
    """Return the version of ralph and its prompts, by which the database matches jobs and workers."""
    return _version_name(__version__, prompt_digests())


def _version_name(version: str, prompts: Mapping[str, str]) -> str:
    return f"{version}-{hashlib.sha256(canonical_json(dict(prompts))).hexdigest()[:12]}"


def require_same_version(job: Job) -> None:
    """Raise ConfigError unless the job has the version and the prompts of this program."""
    theirs, ours = _version_name(job.version, job.prompts), code_version()
    if theirs != ours:
        what = f"the job is of version {theirs}, and this worker of {ours}"
        raise ConfigError(what, code="other-version", hint="install the same version of ralph on all machines")
