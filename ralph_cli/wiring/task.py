"""Build the parts of a task run: reader and sandbox, reasoner, hard rules, task judge and memory."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli.checks.base import Check
from ralph_cli.checks.coverage import CoverageCheck, SubqueryCheck
from ralph_cli.checks.form import LIST_FORM, AnswerForm, FormCheck, Range
from ralph_cli.checks.judge.outputs import TaskJudge
from ralph_cli.checks.output.check import OutputCheck, OutputForm
from ralph_cli.checks.output.numbering import section_numbers
from ralph_cli.checks.output.schema import check_schema
from ralph_cli.checks.quotes import QuoteCheck
from ralph_cli.checks.verifier import Verifier
from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.coverage import asks_for_all, asks_for_summary
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, JournalError, describe_fault
from ralph_cli.core.events import EventSink, NoticeIssued
from ralph_cli.core.model import Json
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.copies import MEMORY_SNAPSHOT_FILE, SCHEMA_SNAPSHOT_FILE
from ralph_cli.journal.memory import HEADER_CHARS, MemoryFile
from ralph_cli.journal.traces import write_atomic
from ralph_cli.loop.memory import add_block, count_blocks, newest_text, parse_memory
from ralph_cli.modes.reader import Assignment, DocumentReader
from ralph_cli.modes.task import Task, TaskMode
from ralph_cli.wiring.models import BuiltMode, RunContext
from ralph_cli.wiring.qa import build_absence_reader, build_list_reader, build_looker, build_verifier_check, has_vetoes
from ralph_cli.wiring.reading import Closers, may_have_children, open_reader

ANY_COUNT = Range(1, 1_000_000)  # items of a brief, and different quotes in it, that a reader may submit at once


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task with everything that was read for it before the run began: schema and memory.

    `resumed` is true if an earlier run, which read the same memory, may have added to it since.
    """

    text: str
    output: OutputForm
    schema: str = ""
    memory: str = ""
    memory_file: MemoryFile | None = None
    resumed: bool = False


def read_spec(settings: Settings, task: str, document: Document | None, earlier: Sequence[Path] = ()) -> TaskSpec:
    """Read schema and memory. Those that the runs in the folders `earlier` found are reused, the latest first.

    Raises ConfigError before anything is spent if one of them cannot be used.
    """
    kind = settings.output_format
    schema, written = None, ""
    if settings.output_schema is not None:
        if kind not in ("json", "csv"):
            raise ConfigError(f"a schema needs --format json or csv, not {kind}", code="schema-format")
        schema, written = _read_schema(find_run_file(earlier, SCHEMA_SNAPSHOT_FILE) or settings.output_schema)
    snapshot = find_run_file(earlier, MEMORY_SNAPSHOT_FILE)
    file = _memory_file(settings, document, needed=snapshot is None)
    # The file may be longer than the budget, which was lowered since, or a person edited the file.
    found = newest_text(file.read(), settings.memory_budget - HEADER_CHARS) if file else ""
    # In bytes: reading as text would drop carriage returns, and the requests would differ.
    memory = found if snapshot is None else snapshot.read_bytes().decode("utf-8")
    return TaskSpec(task, OutputForm(kind, schema, file is not None), written, memory, file, bool(earlier))


def find_run_file(folders: Sequence[Path], name: str) -> Path | None:
    """Return the first file of that name in run folders. Links are skipped, because they may lead anywhere."""
    paths = (folder / name for folder in folders)
    return next((path for path in paths if path.is_file() and not path.is_symlink()), None)


def _read_schema(path: Path) -> tuple[Json | bool, str]:
    try:
        written = path.read_text("utf-8")
        schema = json.loads(written)
    except (OSError, ValueError, RecursionError) as error:
        hint = "--schema takes a file with a JSON Schema"
        raise ConfigError(f"the schema {path} {describe_fault(error)}", code="bad-schema", hint=hint) from error
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
            hint = "a task without a document needs one"
            raise ConfigError(f"there is no memory {path}", code="no-memory", hint=hint)
        return MemoryFile(path)
    path = settings.out / "memory" / f"{document.id}.md" if wish == "auto" else Path(wish).expanduser()
    return MemoryFile(path, document.id)


def build_task(
    context: RunContext,
    document: Document | None,
    spec: TaskSpec,
    source: DocumentSource,
    custom_verifier: Verifier | None = None,
) -> BuiltMode:
    """Return the task mode. Its sandbox begins to start before this returns."""
    settings, models, memory = context.settings, context.models, spec.memory
    write_atomic(context.folder / MEMORY_SNAPSHOT_FILE, memory)
    if spec.schema:
        write_atomic(context.folder / SCHEMA_SNAPSHOT_FILE, spec.schema)
    reader: DocumentReader | None = None
    checks: tuple[Check, ...] = ()
    absence_check: Check | None = None
    list_check: Check | None = None
    closers: Closers = ()
    if document is None:
        message = "no document is read: the output is looked up in the memory only"
        context.sink(NoticeIssued("no-document", message))
        output_check = OutputCheck(spec.output, spec.text, memory=memory, vetoes=has_vetoes(context))
    else:
        form = replace(LIST_FORM, quote_chars=settings.quote_chars)
        least_share = settings.min_coverage or 0.0
        assignment = Assignment(
            kind="task",
            text=spec.text,
            document=document,
            form=form,
            memory=memory,
            least_share=least_share,
            output_chars=settings.output_chars,
            may_have_children=may_have_children(context, document),
        )
        reader, closers = open_reader(context, assignment, source, "reader")
        checks = FormCheck(AnswerForm(ANY_COUNT, ANY_COUNT, settings.quote_chars)), QuoteCheck(document)
        checks += (SubqueryCheck(settings.max_lost, reader.subquery_tally, reader.shown_spans),)
        if least_share:
            checks += (CoverageCheck(document, least_share, reader.shown_spans),)
        sections = section_numbers(document)
        output_check = OutputCheck(
            spec.output,
            spec.text,
            paged=document.paged,
            sections=sections,
            document=document.in_language(settings.language),
            vetoes=has_vetoes(context),
        )
        is_list = asks_for_all(spec.text) and not asks_for_summary(spec.text)
        looker = build_looker(context, document, reader.visibility)
        absence_check = build_absence_reader(
            context, document, f"Nothing in the document bears on the task: {spec.text}", looker
        )
        list_check = build_list_reader(context, document, spec.text, looker, is_list=is_list)
    mode = TaskMode(
        task=Task(spec.text, document, spec.output, memory, spec.schema),
        reader=reader,
        reasoner=models.reasoner or models.worker,
        brief_checks=checks,
        output_check=output_check,
        judge=TaskJudge(
            models.judge, document, spec.text, spec.output.kind, memory, context.nonces, settings.context_chars
        ),
        new_nonce=context.nonces,
        remember=_memory_writer(spec, settings.memory_budget, context.sink),
        verifier=build_verifier_check(context, spec.text, custom_verifier),
        retry=settings.retry,
        absence_check=absence_check,
        list_check=list_check,
    )
    return BuiltMode(mode, closers)


def _memory_writer(spec: TaskSpec, budget: int, sink: EventSink) -> Callable[[int, str], None] | None:
    """Return a function that adds a block to the memory file, if there is one. A failed write is only a notice.

    A resumed run may find that the earlier run has already added the same block. The file then has one more of it than
    the earlier run found, and the block is not added again.
    """
    if (file := spec.memory_file) is None:
        return None
    found, room = parse_memory(spec.memory), budget - HEADER_CHARS

    def remember(iteration: int, update: str) -> None:
        def add(text: str) -> str:
            now = parse_memory(text)
            if spec.resumed and count_blocks(now, iteration, update) > count_blocks(found, iteration, update):
                return text
            return add_block(now, iteration, clock.now(), update, room).text

        try:
            file.update(add)
        except (ConfigError, JournalError) as error:
            sink(NoticeIssued("memory", f"nothing was remembered: {error.message}"))

    return remember
