"""The parts of a task run: reader and sandbox, reasoner, hard rules, task judge and memory, put together."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ralph_cli.checks.base import Check
from ralph_cli.checks.coverage import CoverageCheck, share_to_read
from ralph_cli.checks.figures.numbering import section_numbers
from ralph_cli.checks.form import AnswerForm, FormCheck, Range
from ralph_cli.checks.judge.outputs import TaskJudge
from ralph_cli.checks.output.check import OutputCheck, OutputForm
from ralph_cli.checks.output.schema import check_schema
from ralph_cli.checks.quotes import QuoteCheck
from ralph_cli.checks.verifier import Verifier
from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import EventSink, NoticeIssued
from ralph_cli.core.model import Json
from ralph_cli.core.prompts.templates import prompt_text
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.memory import HEADER_CHARS, MemoryFile
from ralph_cli.journal.traces import write_atomic
from ralph_cli.loop.memory import Memory, add_block, count_blocks, newest_text, parse_memory
from ralph_cli.modes.task import Task, TaskMode
from ralph_cli.rlm.bridge import DocumentSandbox, Subqueries
from ralph_cli.rlm.loop import Explorer, ReviewDraft
from ralph_cli.wiring.models import BuiltMode, RunContext
from ralph_cli.wiring.qa import build_verifier_check, build_visibility, choose_strategy
from sandbox import Answer, Result, Sandbox

MEMORY_SNAPSHOT_FILE, SCHEMA_SNAPSHOT_FILE = "memory-before.md", "schema.json"
"""In a run's folder: memory and schema as the run found them, so that it can be resumed and understood later."""

ANY_COUNT = Range(1, 1_000_000)


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task with everything that was read for it before the run began: schema and memory.

    `resumed` says that an earlier run, which found the same, may have added to the memory since.
    """

    text: str
    output: OutputForm
    schema: str = ""
    memory: str = ""
    memory_file: MemoryFile | None = None
    resumed: bool = False


def read_spec(settings: Settings, task: str, document: Document | None, earlier: Sequence[Path] = ()) -> TaskSpec:
    """Read schema and memory; what the runs in the folders `earlier` found is taken from there, latest first.

    Raises ConfigError when one cannot be used, before anything is spent.
    """
    kind = settings.output_format
    schema, written = None, ""
    if settings.output_schema is not None:
        if kind not in ("json", "csv"):
            raise ConfigError(f"a schema needs --format json or csv, not {kind}", code="schema-format")
        schema, written = _read_schema(find_run_file(earlier, SCHEMA_SNAPSHOT_FILE) or settings.output_schema)
    snapshot = find_run_file(earlier, MEMORY_SNAPSHOT_FILE)
    file = _memory_file(settings, document, needed=snapshot is None)
    # The file may be longer than the budget: it was lowered since, or somebody wrote in it.
    found = newest_text(file.read(), settings.memory_budget - HEADER_CHARS) if file else ""
    # In bytes: a text that is read as text loses its carriage returns, and requests would not be the same.
    memory = found if snapshot is None else snapshot.read_bytes().decode("utf-8")
    return TaskSpec(task, OutputForm(kind, schema, file is not None), written, memory, file, bool(earlier))


def find_run_file(folders: Sequence[Path], name: str) -> Path | None:
    """The first file of that name in run folders; a link is none, for it may lead anywhere."""
    paths = (folder / name for folder in folders)
    return next((path for path in paths if path.is_file() and not path.is_symlink()), None)


def _read_schema(path: Path) -> tuple[Json | bool, str]:
    try:
        written = path.read_text("utf-8")
        schema = json.loads(written)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"the schema {path} cannot be read: {error}", code="bad-schema") from error
    fault = check_schema(schema)
    if fault:
        raise ConfigError(f"{path} is not a JSON Schema: {fault}", code="bad-schema")
    return schema, written.strip()


def _memory_file(settings: Settings, document: Document | None, *, needed: bool) -> MemoryFile | None:
    wish = settings.memory
    if document is None and wish in ("auto", "off"):
        hint = "give the file of an earlier run: --memory out/memory/<document id>.md"
        raise ConfigError("a task without a document needs a memory", code="no-memory", hint=hint)
    if wish == "off":
        return None
    if document is None:
        path = Path(wish).expanduser()
        if needed and not path.exists():
            raise ConfigError(
                f"there is no memory {path}", code="no-memory", hint="a task without a document needs one"
            )
        return MemoryFile(path)
    path = settings.out / "memory" / f"{document.id}.md" if wish == "auto" else Path(wish).expanduser()
    return MemoryFile(path, document.id)


class MemoryWorkbench(DocumentSandbox):
    """A workbench on which the notes of earlier runs lie, too, as the variable `memory`."""

    def __init__(self, open_engine: Callable[[], Sandbox], document: Document, memory: str, ledger: Ledger) -> None:
        super().__init__(open_engine, document, ledger)
        self._memory_assignment = f"memory = {memory!r}"
        self._memory_assigned = False

    def run(self, code: str, query: Callable[[Sequence[tuple[str, str]]], Sequence[Answer]]) -> Result:
        """Run one snippet; see `DocumentSandbox.run`."""
        if not self._memory_assigned:
            super().run(self._memory_assignment, query)
            self._memory_assigned = True
        result = super().run(code, query)
        self._memory_assigned = not result.state_lost
        return result


def build_task(
    context: RunContext,
    document: Document | None,
    spec: TaskSpec,
    source: DocumentSource,
    custom_verifier: Verifier | None = None,
) -> BuiltMode:
    """The task mode on built parts; the sandbox begins to start before this returns."""
    settings, models, nonces, sink = context.settings, context.models, context.nonces, context.sink
    memory = spec.memory
    write_atomic(context.folder / MEMORY_SNAPSHOT_FILE, memory)
    if spec.schema:
        write_atomic(context.folder / SCHEMA_SNAPSHOT_FILE, spec.schema)
    task = Task(spec.text, document, spec.output, settings.quote_chars, memory, spec.schema)
    reasoner = models.reasoner or models.worker
    judge = TaskJudge(models.judge, document, spec.text, spec.output.kind, memory, nonces)
    remember = (
        _memory_writer(spec.memory_file, settings.memory_budget, sink, _already_written_test(spec))
        if spec.memory_file
        else None
    )
    verifier = build_verifier_check(context, models, spec.text, custom_verifier)
    if document is None:
        sink(NoticeIssued("no-document", "no document is read: the output is looked up in the memory only"))
        check = OutputCheck(spec.output, spec.text, memory=memory)
        mode = TaskMode(task, None, models.worker, reasoner, None, (), check, judge, nonces, remember, verifier)
        return BuiltMode(mode)
    index = QuoteIndex(document)
    explorer, closing = _build_reader(
        context, document, task, lambda draft: mode.review(draft)
    )  # the mode is made below
    checks: tuple[Check, ...] = (
        FormCheck(AnswerForm(ANY_COUNT, ANY_COUNT, settings.quote_chars)),
        QuoteCheck(document),
    )
    wish = settings.min_coverage
    if models.worker.vendor == "offline":
        wish = wish or 0.0  # it ranks passages and cannot be told to read, so nothing is demanded unasked
    share = share_to_read(wish, spec.text, len(document.text), settings.max_subqueries)
    if share:
        checks += (CoverageCheck(document, share, lambda: explorer.coverage_tracker.coverage.shown),)
    check = OutputCheck(
        spec.output, spec.text, paged=document.paged, sections=section_numbers(document.text), document=document
    )
    judged = check, judge, nonces, remember, verifier, settings.retry
    visibility = build_visibility(settings, document, sink, source)
    mode = TaskMode(task, explorer, models.worker, reasoner, index, checks, *judged, visibility)
    return BuiltMode(mode, closing)


def _build_reader(
    context: RunContext, document: Document, task: Task, review: ReviewDraft
) -> tuple[Explorer, tuple[Callable[[], None], ...]]:
    """The DocReader with its sandbox, and how to end what is behind it."""
    settings, models, nonces, sink = context.settings, context.models, context.nonces, context.sink
    direct, reason = choose_strategy(settings, document)
    direct = direct and models.worker.vendor != "offline"
    if models.worker.vendor != "offline":
        sink(NoticeIssued("strategy", f"{'direct' if direct else 'rlm'}: {reason}"))
    workbench = MemoryWorkbench(context.engine, document, task.memory, context.ledger)
    if not direct:
        workbench.prepare()
    nonce = nonces()
    subqueries = Subqueries(models.subquery, prompt_text("subquery_system"), nonce, settings.max_subqueries)
    explorer = Explorer(
        models.worker,
        workbench,
        subqueries,
        document,
        prompt_text("reader_system"),
        task.opening(nonce, include_document=direct),
        task.inputs,
        nonce,
        review,
        sink,
        settings.max_steps,
        has_seen_text=direct,
        agent="reader",
    )
    return explorer, (subqueries.close, workbench.close)


def _already_written_test(spec: TaskSpec) -> Callable[[Memory, int, str], bool]:
    """Whether the run that is resumed has added this very block to the memory already: one more than it had found."""
    found = parse_memory(spec.memory)
    return lambda now, iteration, update: (
        spec.resumed and count_blocks(now, iteration, update) > count_blocks(found, iteration, update)
    )


def _memory_writer(
    file: MemoryFile, budget: int, sink: EventSink, is_already_written: Callable[[Memory, int, str], bool]
) -> Callable[[int, str], None]:
    """Adds a block to the file; a memory that cannot be written is a notice and never the end of a run."""

    def remember(iteration: int, update: str) -> None:
        def change(text: str) -> str:
            now = parse_memory(text)
            return (
                text
                if is_already_written(now, iteration, update)
                else add_block(now, iteration, clock.now(), update, room).text
            )

        try:
            file.update(change)
        except (ConfigError, JournalError) as error:
            sink(NoticeIssued("memory", f"nothing was remembered: {error.message}"))

    room = budget - HEADER_CHARS
    return remember
