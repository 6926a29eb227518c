"""The parts of a task run: reader and sandbox, reasoner, hard rules, task judge and memory, put together."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ralph_cli.agents.spec import prompt
from ralph_cli.checks.grounding import sections_of
from ralph_cli.checks.output import OutputCheck, OutputForm
from ralph_cli.checks.quotes import Visibility, quotes_hold
from ralph_cli.checks.rules import AnswerForm, Range, form_holds
from ralph_cli.checks.shape import check_schema
from ralph_cli.checks.task_judge import TaskJudge
from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import Noticed, Sink
from ralph_cli.core.nonce import Nonces
from ralph_cli.documents.locate import QuoteIndex
from ralph_cli.journal.memory import HEAD_CHARS, MemoryFile
from ralph_cli.journal.traces import write_atomic
from ralph_cli.loop.memory import add, parse
from ralph_cli.modes.task import Task, TaskMode, review
from ralph_cli.rlm.bridge import Subqueries, Workbench
from ralph_cli.rlm.loop import Explorer
from ralph_cli.wiring.models import Models, Parts
from ralph_cli.wiring.qa import Original, choose_strategy, verifier_of, visibility_of
from sandbox import Answer, Result, Sandbox

KEPT = "memory-before.md"
"""In a run's folder: the memory as the run found it, so that the run can be resumed and understood later."""

ANY = Range(1, 1_000_000)


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task with everything that was read for it before the run began: schema and memory."""

    text: str
    output: OutputForm
    schema: str = ""
    memory: str = ""
    file: MemoryFile | None = None


def read_spec(settings: Settings, task: str, document: Document | None) -> TaskSpec:
    """Read schema and memory. Raises ConfigError when one cannot be used, before anything is spent."""
    kind = settings.format or ("json" if settings.output_schema else "md")
    schema, written = None, ""
    if settings.output_schema is not None:
        if kind not in ("json", "csv"):
            raise ConfigError(f"a schema needs --format json or csv, not {kind}", code="schema-format")
        schema, written = _read_schema(settings.output_schema)
    file = _memory_file(settings, document)
    return TaskSpec(task, OutputForm(kind, schema, file is not None), written, file.read() if file else "", file)


def _read_schema(path: Path) -> tuple[dict[str, object], str]:
    try:
        written = path.read_text("utf-8")
        schema = json.loads(written)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"the schema {path} cannot be read: {error}", code="bad-schema") from error
    fault = check_schema(schema)
    if fault:
        raise ConfigError(f"{path} is not a JSON Schema: {fault}", code="bad-schema")
    return schema, written.strip()


def _memory_file(settings: Settings, document: Document | None) -> MemoryFile | None:
    wish = settings.memory
    if document is None and wish in ("auto", "off"):
        hint = "give the file of an earlier run: --memory out/memory/<document id>.md"
        raise ConfigError("a task without a document needs a memory", code="no-memory", hint=hint)
    if wish == "off":
        return None
    if document is None:
        path = Path(wish).expanduser()
        if not path.exists():
            raise ConfigError(
                f"there is no memory {path}", code="no-memory", hint="a task without a document needs one"
            )
        return MemoryFile(path)
    path = settings.out / "memory" / f"{document.id}.md" if wish == "auto" else Path(wish).expanduser()
    return MemoryFile(path, document.id)


class Desk(Workbench):
    """A workbench on which the notes of earlier runs lie, too, as the variable `memory`."""

    def __init__(self, open_engine: Callable[[], Sandbox], document: Document, memory: str) -> None:
        super().__init__(open_engine, document)
        self._lay = f"memory = {memory!r}"
        self._laid = False

    def run(self, code: str, query: Callable[[Sequence[tuple[str, str]]], Sequence[Answer]]) -> Result:
        """Run one snippet; see `Workbench.run`."""
        if not self._laid:
            super().run(self._lay, query)
            self._laid = True
        result = super().run(code, query)
        self._laid = not result.state_lost
        return result


def build_task(
    settings: Settings,
    models: Models,
    document: Document | None,
    spec: TaskSpec,
    engine: Callable[[], Sandbox],
    nonces: Nonces,
    sink: Sink,
    folder: Path,
    original: Original,
) -> Parts:
    """The task mode on built parts; the sandbox begins to start before this returns."""
    memory = _as_found(folder, spec.memory)
    task = Task(spec.text, document, spec.output, settings.quote_chars, memory, spec.schema)
    reasoner = models.reasoner or models.worker
    judge = TaskJudge(models.judge, document, spec.text, spec.output.kind, memory, nonces)
    remember = _rememberer(spec.file, settings.memory_budget, sink) if spec.file else None
    verifier = verifier_of(settings, models, spec.text, nonces)
    if document is None:
        sink(Noticed("no-document", "no document is read: the output is looked up in the memory only"))
        check = OutputCheck(spec.output, spec.text, memory=memory)
        mode = TaskMode(task, None, models.worker, reasoner, None, (), check, judge, nonces, remember, verifier)
        return Parts(mode)
    index = QuoteIndex(document)
    visibility = visibility_of(settings, document, sink, original)
    explorer, closing = _reader(settings, models, document, task, index, engine, nonces, sink, visibility)
    checks = (form_holds(AnswerForm(ANY, ANY, settings.quote_chars)), quotes_hold(document))
    check = OutputCheck(spec.output, spec.text, paged=document.paged, sections=sections_of(document.text))
    mode = TaskMode(
        task, explorer, models.worker, reasoner, index, checks, check, judge, nonces, remember, verifier, visibility
    )
    return Parts(mode, closing)


def _reader(
    settings: Settings,
    models: Models,
    document: Document,
    task: Task,
    index: QuoteIndex,
    engine: Callable[[], Sandbox],
    nonces: Nonces,
    sink: Sink,
    visibility: Visibility,
) -> tuple[Explorer, tuple[Callable[[], None], ...]]:
    """The DocReader with its sandbox, and how to end what is behind it."""
    direct, reason = choose_strategy(settings, document)
    direct = direct and models.worker.vendor != "offline"
    if models.worker.vendor != "offline":
        sink(Noticed("strategy", f"{'direct' if direct else 'rlm'}: {reason}"))
    workbench = Desk(engine, document, task.memory)
    if not direct:
        workbench.prepare()
    nonce = nonces()
    subqueries = Subqueries(models.subquery, prompt("subquery_system"), nonce, settings.max_subqueries)
    explorer = Explorer(
        models.worker,
        workbench,
        subqueries,
        document,
        prompt("reader_system"),
        task.opening(nonce, direct=direct),
        task.inputs,
        nonce,
        lambda draft: review(task, index, draft, visibility),
        sink,
        settings.max_steps,
        looked=direct,
        agent="reader",
    )
    return explorer, (subqueries.close, workbench.close)


def _as_found(folder: Path, memory: str) -> str:
    """The memory as this run found it: kept in its folder at first, read from there when the run is taken up again."""
    kept = folder / KEPT
    if kept.exists():
        return kept.read_text("utf-8")
    write_atomic(kept, memory)
    return memory


def _rememberer(file: MemoryFile, budget: int, sink: Sink) -> Callable[[int, str], None]:
    """Adds a block to the file; a memory that cannot be written is a notice and never the end of a run."""

    def remember(iteration: int, update: str) -> None:
        try:
            file.change(lambda text: add(parse(text), iteration, clock.now(), update, budget - HEAD_CHARS).text)
        except (ConfigError, JournalError) as error:
            sink(Noticed("memory", f"nothing was remembered: {error.message}"))

    return remember
