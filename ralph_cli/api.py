"""The Python API: names and paths in, a result out; the same functions that the commands call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ralph_cli.checks.command import CommandVerifier
from ralph_cli.checks.verifier import Verifier
from ralph_cli.config import Settings
from ralph_cli.core.awaiting import WatchedRun, as_coroutine
from ralph_cli.core.budget import Budget
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import AnyEvent, EventSink
from ralph_cli.core.model import Model
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.results.judge_test import JudgeTest
from ralph_cli.core.results.table import Cell, CellState, Table, TableQuestion
from ralph_cli.documents.source import DocumentLike, DocumentSource
from ralph_cli.modes import goal_record
from ralph_cli.runs.execute import Setup
from ralph_cli.runs.goals import Goal, pursue_goal
from ralph_cli.runs.goals import VerifierCommands as VerifierCommands
from ralph_cli.runs.lookup import QuoteCheck as QuoteCheck
from ralph_cli.runs.lookup import check_memo as check_memo
from ralph_cli.runs.lookup import check_quotes as check_quotes
from ralph_cli.runs.questions import answer_question, do_task
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.following import find_question, follow_run

if TYPE_CHECKING:  # what few callers need is imported where they call it
    from ralph_cli.evaluation.question_sets import Question
    from ralph_cli.evaluation.results import Evaluation, QuestionResult
    from ralph_cli.table.estimate import TableEstimate
    from sandbox import Sandbox

    OnQuestion = Callable[[int, int, Question, QuestionResult | None], None]
    OnCell = Callable[[int, int, Cell], None]

P = ParamSpec("P")
T = TypeVar("T")


def ask(
    document: DocumentLike,
    question: str,
    *,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: EventSink | None = None,
    password: str | None = None,
    encoding: str | None = None,
) -> Result:
    """Answer `question` from `document`, with every claim pinned to verbatim quotes.

        result = ask("report.pdf", "What was capital expenditure in 2023?")
        if result.ok:
            print(result.text)

    Returns a Result: `ok` is True when every check passed, False when not, None when no language model has read what
    was found; `text`, `claims` and `quotes` are the answer, `cost` is in US dollars, `folder` holds the run's record. A
    question that could not be answered is a Result, too, and no error: `stop` says why.

    `document` is a path, a loaded Document, or a DocumentSource, which also says how standard input is read, or a list
    of these; a folder, a pattern and an archive mean all documents in them, and each quote names its own. `password`
    opens an encrypted PDF or Office document, and `encoding` (such as "cp1252") is that of a text or HTML file.
    `settings` are those of the environment and ralph.toml by default; `load_settings` changes some of them. `models`
    replaces the "worker", "judge", "subquery" or "verifier" by models of the caller's, `engine` the sandbox.

    `verifier` is asked last of each answer that passed everything else; it may be asynchronous, and its model, if it is
    an LLMVerifier, is metered. It takes the place of `settings.verify_with_model`. `sink` is called with every event
    after it was committed to the journal, in the run's own thread.

    Raises RalphError: UserError for what a person can mend (DocumentError for a document that cannot be read,
    ConfigError for a wrong setting or a verifier that cannot be asked), ProviderError when a model service fails,
    EngineError when no sandbox can run.
    """
    source = DocumentSource.of(document, password=password, encoding=encoding)
    return answer_question(source, question, Setup.of(settings, models, verifier, engine, sink))


def follow_up(
    run: str | Path,
    question: str,
    *,
    document: DocumentLike | None = None,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: EventSink | None = None,
    password: str | None = None,
) -> Result:
    """Put a further `question` to the document of a `run` that was a question; it is understood from that one.

        first = ask("report.pdf", "What was capital expenditure in 2020?")
        second = follow_up(first.folder, "and in 2021?")

    `run` is a run's folder, its name, the end of it, or "last". The worker goes on in the conversation of that run,
    with the variables of its code; where that cannot be, it is told what was asked, answered and quoted. Nothing of it
    is paid for again but as a part of the new prompts. Every claim is pinned, checked and judged as in `ask`, also one
    that was accepted before; who judges is shown the questions before.

    The Result is that of a run of its own, which has copies of those that it follows on and can be followed itself.
    Models and settings are those that the run was given, but for what `settings` set. Bounds, and models that nobody
    had named, are those of now.
    `document` says where the document is now; it must be the same. The rest, and what is raised, is as in `ask`; a run
    that cannot be used is a JournalError.
    """
    setup = Setup.of(settings, models, verifier, engine, sink)
    folder = run if isinstance(run, Path) else find_question(setup.settings.out, run)
    return follow_run(folder, question, setup, DocumentSource.of(document or "", password=password))


def run_task(
    document: DocumentLike | None,
    task: str,
    *,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: EventSink | None = None,
    password: str | None = None,
    encoding: str | None = None,
) -> Result:
    """Do `task` on `document`: free text, or data, whose every figure, date and quotation is in the document.

        result = run_task("contract.docx", "List every deadline with the party that owes it")
        print(result.text)

    Returns a Result: `text` is the output, `claims` and `quotes` are the brief behind it, in which each of its figures,
    dates and quotations is found; `ok`, `cost` and `stop` are as in `ask`. The format ("md", "text", "json", "csv"), a
    JSON Schema and the memory are settings. Without a document (None) the memory named by `settings.memory` is all that
    is known. `models` may also hold a "reasoner", which writes the output from the brief; everything else, and what is
    raised, is as in `ask`.
    """
    source = None if document is None else DocumentSource.of(document, password=password, encoding=encoding)
    return do_task(source, task, Setup.of(settings, models, verifier, engine, sink))


def run_goal(
    document: DocumentLike,
    objective: str,
    *,
    verify: Sequence[str | CommandVerifier] | VerifierCommands = (),
    instructions: str = "",
    require_verifier: bool = True,
    resume: bool = False,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: EventSink | None = None,
) -> Result:
    """Work on `document` toward `objective` until every command of `verify` has passed on the output.

        result = run_goal("filing.pdf", "The segment table as CSV", verify=["python check.py {output}"])

    Returns a Result: `text` is the output, and `ok` says whether every verifier passed on it. `verify` are commands, in
    which "{output}" stands for the path of the output; a command passes when it exits with 0. VerifierCommands also
    says where and how they are run. The worker is told `instructions`. With `resume` the newest run of this goal goes
    on if it was cut off. Without any verifier ConfigError is raised, unless `require_verifier` is False: then the
    result is unverified. `goal_of` tells status, output and evidence; password and encoding are those of a
    DocumentSource; everything else is as in `ask`.
    """
    commands = verify if isinstance(verify, VerifierCommands) else VerifierCommands(verify)
    goal = Goal(objective, commands, instructions, require_verifier, resume)
    return pursue_goal(DocumentSource.of(document), goal, Setup.of(settings, models, engine=engine, sink=sink))


_AS_COROUTINE = (
    "`{name}` as a coroutine: the same parameters, result and errors. The run has a thread of its own. Cancelling ends "
    "the coroutine at once, and the run before its next model call; its record is kept, and `resume` goes on with it."
)

aask = as_coroutine(ask, _AS_COROUTINE.format(name="ask"))
afollow_up = as_coroutine(follow_up, _AS_COROUTINE.format(name="follow_up"))
arun_task = as_coroutine(run_task, _AS_COROUTINE.format(name="run_task"))
arun_goal = as_coroutine(run_goal, _AS_COROUTINE.format(name="run_goal"))


def watch(call: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs) -> WatchedRun[AnyEvent, T]:
    """Start `call`, such as `aask`, with these arguments: iterate over its events while it runs, await its result.

        run = watch(aask, "report.pdf", "What was capital expenditure in 2023?")
        async for event in run:
            print(event.kind)
        result = await run

    It begins at once, in the event loop that is running. Iterating ends with the run and raises nothing of it; awaiting
    gives its result or raises its error, then or later. A `sink` among the arguments is called as well. Each event is
    one of `ralph_cli.core.events`.
    """
    given: Any = kwargs.pop("sink", None)

    def start(hear: EventSink) -> Coroutine[Any, Any, T]:
        def sink(event: AnyEvent, /) -> None:
            if given is not None:
                given(event)
            hear(event)

        return call(*args, **{**kwargs, "sink": sink})  # type: ignore[arg-type]

    return WatchedRun(start)


def goal_of(folder: Path) -> GoalState:
    """Status, output and evidence of the goal whose run is in `folder`. Raises JournalError."""
    return goal_record.read_goal(folder)


def judge_test(
    document: DocumentLike | None = None,
    *,
    claims: int | None = None,
    seed: int = 0,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    sink: EventSink | None = None,
    password: str | None = None,
    encoding: str | None = None,
) -> JudgeTest:
    """Put true claims, and the same made false by code, to the judge of `ask`, and tell what it caught.

    The claims are made from `document` by code, 20 unless `claims` says how many; without a document they are those
    that come with ralph. What is changed in them follows from `seed`. The judge, its panel and the bounds are those of
    `settings`, or `models["judge"]`. A judge that fails or talks nonsense is no error: see `halt`, `broken` and
    `usable` of the result. Raises DocumentError also when no claims can be made of the document; the rest is as in
    `ask`.
    """
    from ralph_cli.judge_testing.run import run_judge_test

    source = None if document is None else DocumentSource.of(document, password=password, encoding=encoding)
    return run_judge_test(source, claims, seed, Setup.of(settings, models, sink=sink))


def evaluate(
    questions: str | Path,
    *,
    documents: str | Path | None = None,
    first_page: int | None = None,
    limit: int | None = None,
    cost_each: float | None = None,
    time_each: float | None = None,
    resume: Path | None = None,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: EventSink | None = None,
    on_question: OnQuestion = lambda number, total, question, result: None,
) -> Evaluation:
    """Put the questions of a file to `ask`, and compare the answers with the references that it has.

    The documents are in the folder `documents`, by default that of the file; pages count from `first_page` where the
    file does not say it. `cost_each` (US dollars) and `time_each` (seconds) bound each question, the settings all of
    them. `resume` is the folder of an evaluation that goes on. `on_question` is called with each question before it is
    asked, and with its result. The judge's model, or `models["judge"]`, compares answers with references; without one
    code counts shared words and figures. Raises UserError for a file that cannot be used; a question that fails is told
    in its result. The rest is as in `ask`.
    """
    from ralph_cli.evaluation.question_sets import read_questions
    from ralph_cli.evaluation.run import run_evaluation

    if first_page not in (None, 0, 1):
        raise ConfigError(f"pages count from 0 or 1, not {first_page}", code="bad-first-page", hint="--first-page 0")
    for name, bound in (("cost_each", cost_each), ("time_each", time_each)):
        if bound is not None and not 0 < bound < inf:
            hint = "leave it out for no bound"
            raise ConfigError(f"{name} must be a number above 0, not {bound:g}", code="bad-bound", hint=hint)
    folder = None if documents is None else Path(documents)
    read = read_questions(Path(questions), folder, first_page=first_page)
    setup = Setup.of(settings, models, verifier, engine, sink)
    return run_evaluation(
        read, setup, limit=limit, each=Budget(time_each, cost_each), folder=resume, on_question=on_question
    )


def make_table(
    questions: str | Path | Sequence[TableQuestion],
    documents: DocumentLike,
    *,
    folder: str | Path = Path("out/table"),
    resume: bool = False,
    again: Collection[CellState] = (),
    only_changed: bool = False,
    cost_each: float | None = None,
    time_each: float | None = None,
    jobs: int | None = None,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: EventSink | None = None,
    database: str | None = None,
    store: str | Path | None = None,
    on_cell: OnCell = lambda done, total, cell: None,
    on_wait: Callable[[str], None] = lambda message: None,
    password: str | None = None,
    encoding: str | None = None,
) -> Table:
    """Put the same questions to each of many documents; each cell of the table is the result of an `ask`.

        table = make_table("questions.csv", ["deal/"])
        for cell in table:
            print(cell.row, cell.question, cell.shown)

    `questions` are a file (see docs/table.md) or values. The runs are kept in `folder`; with `resume` the table that is
    there goes on, and asks only what has no answer yet, or is in one of the states `again`. With `only_changed`
    accepted answers from an earlier version of a document are first verified in that of now, without a model, and asked
    again only if they no longer hold; `Table.changes` tells of each. `cost_each` (US dollars)
    and `time_each` (seconds) bound each cell, the settings the whole table. As many documents as `jobs` says are asked
    side by side, by default one a core. With a `database` (postgresql://...) and a `store` (a folder or an address)
    workers on other machines answer, and `on_wait` is told what is waited for: see docs/cluster.md. `on_cell` is called
    with each cell when it is done. A document that cannot be read is a row that says so, and a cell that fails is told
    in it. Raises UserError for questions that cannot be used;
    the rest is as in `ask`.
    """
    from ralph_cli.table import make
    from ralph_cli.table.run import Fill, Filling, fill_table

    asked, apart = _read_asked(questions)
    source = replace(DocumentSource.of(documents, password=password, encoding=encoding), apart=apart)
    setup = Setup.of(settings, models, verifier, engine, sink)
    filling = Filling(again=again, each=Budget(time_each, cost_each), jobs=jobs or 0, only_changed=only_changed)
    fill: Fill = fill_table
    if (database is None) != (store is None):
        what = "workers need both a database and a store" if store is None else "a store is of use with a database only"
        raise ConfigError(what, code="usage", hint="--database postgresql://USER@HOST/NAME --store FOLDER")
    if database is not None:
        from ralph_cli.cluster.submitting import Submission

        fill = Submission(database, str(store), on_wait)
    return make.make_table(asked, source, Path(folder), setup, filling, resume=resume, on_cell=on_cell, fill=fill)


atable = as_coroutine(make_table, _AS_COROUTINE.format(name="make_table"), name="atable")


def _read_asked(
    questions: str | Path | Sequence[TableQuestion],
) -> tuple[tuple[TableQuestion, ...], tuple[Path, ...]]:
    """The questions of a table, and the file that they are in, which is none of its documents."""
    from ralph_cli.table.questions import read_table_questions

    if isinstance(questions, str | Path):
        return read_table_questions(Path(questions)), (Path(questions),)
    return tuple(questions), ()


def estimate_table(
    questions: str | Path | Sequence[TableQuestion],
    documents: DocumentLike,
    *,
    folder: str | Path = Path("out/table"),
    resume: bool = False,
    again: Collection[CellState] = (),
    settings: Settings | None = None,
) -> TableEstimate:
    """What `make_table` would ask and what that will likely cost, by model; nothing is sent or written."""
    from ralph_cli.table import make
    from ralph_cli.table.run import Filling

    asked, apart = _read_asked(questions)
    source = replace(DocumentSource.of(documents), apart=apart)
    setup, filling = Setup.of(settings), Filling(again=again)
    return make.estimate(asked, source, Path(folder), setup, filling, resume=resume)
