"""`ralph task`: a piece of work on a document, free text or data."""

from pathlib import Path
from typing import Annotated

import typer

from ralph_cli.commands import options
from ralph_cli.commands.qa import exit_code
from ralph_cli.commands.report import Annotate, ReportFile, prepare, write_requested_reports
from ralph_cli.commands.terminal.screen import deliver_output, write_if_accepted

Format = Annotated[str | None, typer.Option("--format", help="md, text, json or csv (default md; json with a schema).")]
Schema = Annotated[Path | None, typer.Option("--schema", help="JSON Schema that the JSON or CSV must fit.")]
Memory = Annotated[Path | None, typer.Option("--memory", help="Memory file (default <out>/memory/<document id>.md).")]
NoMemory = Annotated[bool, typer.Option("--no-memory", help="Neither read nor write notes on the document.")]
MemoryBudget = Annotated[int | None, typer.Option("--memory-budget", help="Characters of the memory (default 1500).")]
OutputFile = Annotated[
    Path | None, typer.Option("--output", help="Write the output to this file once it is accepted, not to the screen.")
]
NoDocument = Annotated[bool, typer.Option("--no-document", help="Work from the memory alone; give --memory FILE.")]


def task(
    document: Annotated[
        str, typer.Argument(help="The document, or - for standard input; left out with --no-document.")
    ],
    task: Annotated[str | None, typer.Argument(help="What is to be done.")] = None,
    format: Format = None,
    schema: Schema = None,
    memory: Memory = None,
    no_memory: NoMemory = False,
    memory_budget: MemoryBudget = None,
    no_document: NoDocument = False,
    model: options.Model = None,
    judge_model: options.JudgeModel = None,
    subquery_model: options.SubqueryModel = None,
    verify_with_model: options.VerifyWithModel = None,
    verifier_model: options.VerifierModel = None,
    skip_last_verification: options.SkipLastVerification = None,
    quote_chars: options.QuoteChars = None,
    allow_hidden_text: options.AllowHiddenText = None,
    max_iterations: options.MaxIterations = None,
    max_steps: options.MaxSteps = None,
    max_subqueries: options.MaxSubqueries = None,
    max_time: options.MaxTime = None,
    max_cost: options.MaxCost = None,
    max_failures: options.MaxFailures = None,
    score_threshold: options.ScoreThreshold = None,
    min_coverage: options.MinCoverage = None,
    strategy: options.Strategy = None,
    retry: options.Retry = None,
    sandbox: options.Engine = None,
    password: options.Password = None,
    encoding: options.Encoding = None,
    out: options.Out = None,
    output: OutputFile = None,
    report: ReportFile = None,
    annotate: Annotate = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Do a task on a document, such as "summarize"; what it states in figures and quotations is in the document."""
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.reports.json import dumps
    from ralph_cli.reports.sections.output import payload
    from ralph_cli.runs import history
    from ralph_cli.runs.report import ReportTargets, check_target

    path, order = document_and_task(document, task, no_document=no_document)
    settings = config.load_settings(
        options.drop_unset(
            format=format,
            output_schema=schema,
            memory=memory_setting(memory, no_memory=no_memory),
            memory_budget=memory_budget,
            model=model,
            judge_model=judge_model,
            subquery_model=subquery_model,
            verify_with_model=verify_with_model,
            verifier_model=verifier_model,
            skip_last_verification=skip_last_verification,
            quote_chars=quote_chars,
            allow_hidden_text=allow_hidden_text,
            max_iterations=max_iterations,
            max_steps=max_steps,
            max_subqueries=max_subqueries,
            max_time=max_time,
            max_cost=max_cost,
            max_failures=max_failures,
            score_threshold=score_threshold,
            min_coverage=min_coverage,
            strategy=strategy,
            retry=retry,
            sandbox=sandbox,
            out=out,
        )
    )
    targets = ReportTargets(html=report, pdf=annotate)
    if output is not None:
        check_target(output, (path or "-",))
    with progress(settings.heartbeat_ms / 1000, quiet=quiet) as display:
        named = (
            options.source_of(path, password=password, encoding=encoding, on_loading=display.on_loading)
            if path is not None
            else None
        )
        source = prepare(targets, named, settings)
        done = api.run_task(source, order, settings=settings, sink=display)
    shown = history.view_of(done)
    if json:
        typer.echo(dumps(shown))
        if output is not None:
            typer.echo(write_if_accepted(output, payload(shown), accepted=shown.ok), err=True)
    else:
        deliver_output(shown, output)
    return write_requested_reports(done, source, targets, exit_code(shown.halt.type), quiet=quiet)


def document_and_task(document: str, task: str | None, *, no_document: bool) -> tuple[str | None, str]:
    """Document and task; with --no-document the only word is the task."""
    if no_document:
        if task is not None:
            raise typer.BadParameter("with --no-document there is a task only, no document")
        return None, document
    if task is None:
        raise typer.BadParameter("name a document and a task, or only a task with --no-document")
    return document, task


def memory_setting(memory: Path | None, *, no_memory: bool) -> str | None:
    """The setting `memory` that the options mean, None when none was given."""
    if memory is not None and no_memory:
        raise typer.BadParameter("--memory and --no-memory exclude each other")
    return "off" if no_memory else None if memory is None else str(memory)
