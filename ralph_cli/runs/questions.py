"""Questions and tasks put to a document: what `ask` and `run_task` of the API do, and what `resume` does again."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from ralph_cli.checks.verifier import Verifier
from ralph_cli.config import Settings, load
from ralph_cli.core.document import Document
from ralph_cli.core.events import Sink
from ralph_cli.core.model import Model
from ralph_cli.runs.execute import Earlier, Finished, checked, execute
from ralph_cli.runs.lookup import QuoteCheck as QuoteCheck
from ralph_cli.runs.lookup import check_memo as check_memo
from ralph_cli.runs.lookup import check_quotes as check_quotes
from ralph_cli.runs.opening import opened
from ralph_cli.wiring.models import Parts, Stage, choose
from ralph_cli.wiring.qa import Original, build_qa
from ralph_cli.wiring.task import build_task, read_spec
from sandbox import Sandbox


def ask(
    document: str | Path | Document,
    question: str,
    *,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: Sink | None = None,
    password: str | None = None,
    encoding: str | None = None,
    stdin: Callable[[], bytes] | None = None,
    on_loading: Callable[[int, int], None] | None = None,
    earlier: Earlier | None = None,
) -> Finished:
    """Answer `question` from `document`, with every claim pinned to verbatim quotes.

    `models` replaces the worker, judge or subquery by models of the caller's, `engine` the sandbox. `verifier` is asked
    last of each answer that passed everything else; it may be asynchronous, and its model, if it is an LLMVerifier, is
    metered. It takes the place of `settings.verify_with_model`. `sink` hears every event after it was committed to the
    journal. Raises RalphError: UserError for what a person can mend (ConfigError for a verifier that cannot be asked),
    ProviderError when a model service fails, EngineError when no sandbox can run. A question that could not be answered
    is not an error: see `Finished.outcome`. `earlier` is how `resume` goes on with a run.
    """
    settings = settings or load()
    question = checked(question, "question", 'ralph qa report.pdf "What was ...?"')
    names = choose(settings, models or {}, verifier)
    stdin = cache(stdin) if stdin else None
    loaded = opened(document, settings, password, encoding, stdin, on_loading)
    original = Original(password, stdin)

    def build(stage: Stage) -> Parts:
        return build_qa(stage, loaded, question, original, verifier)

    return execute(
        "qa",
        question,
        loaded,
        build,
        settings=settings,
        names=names,
        models=models,
        engine=engine,
        sink=sink,
        earlier=earlier,
        encoding=encoding,
    )


def run_task(
    document: str | Path | Document | None,
    task: str,
    *,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: Sink | None = None,
    password: str | None = None,
    encoding: str | None = None,
    stdin: Callable[[], bytes] | None = None,
    on_loading: Callable[[int, int], None] | None = None,
    earlier: Earlier | None = None,
) -> Finished:
    """Do `task` on `document`: the result is free text, or data, at `Finished.outcome.best.attempt.output`.

    Every figure, date and quotation in it is in the quotes of the brief behind it (`attempt.claims`, `attempt.quotes`),
    and those are in the document. Format, schema and memory are settings. Without a document (None) the memory named
    by `settings.memory` is all that is known. `models` may also hold a "reasoner"; everything else is as in `ask`.
    """
    settings = settings or load()
    task = checked(task, "task", 'ralph task contract.docx "List every deadline"')
    names = choose(settings, models or {}, verifier)
    stdin = cache(stdin) if stdin else None
    loaded = None if document is None else opened(document, settings, password, encoding, stdin, on_loading)
    original = Original(password, stdin)
    spec = read_spec(settings, task, loaded, earlier.folders if earlier else ())

    def build(stage: Stage) -> Parts:
        return build_task(stage, loaded, spec, original, verifier)

    terms = {"schema": spec.output.schema, "memory": "" if loaded else spec.memory}
    return execute(
        "task",
        task,
        loaded,
        build,
        settings=settings,
        names=names,
        models=models,
        engine=engine,
        sink=sink,
        earlier=earlier,
        encoding=encoding,
        terms=terms,
    )
