"""`ralph qa`: a question about a document."""

from typing import Annotated

import typer

from ralph_cli.commands import options
from ralph_cli.commands.report import Annotate, ReportFile, prepare, write_requested_reports
from ralph_cli.commands.terminal.screen import print_run
from ralph_cli.core.run import StopType


def qa(
    document: Annotated[
        str, typer.Argument(help="PDF, docx, text, Markdown, HTML or source file; - for standard input.")
    ],
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    model: options.Model = None,
    judge_model: options.JudgeModel = None,
    subquery_model: options.SubqueryModel = None,
    panel: options.Panel = None,
    counter_evidence: options.CounterEvidence = None,
    verify_with_model: options.VerifyWithModel = None,
    verifier_model: options.VerifierModel = None,
    skip_last_verification: options.SkipLastVerification = None,
    bullets: options.Bullets = None,
    quotes: options.Quotes = None,
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
    report: ReportFile = None,
    annotate: Annotate = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Answer a question about a document, every claim pinned to verbatim quotes with page and place."""
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.reports.json import dumps
    from ralph_cli.runs import history
    from ralph_cli.runs.report import ReportTargets

    settings = config.load_settings(
        options.drop_unset(
            model=model,
            judge_model=judge_model,
            subquery_model=subquery_model,
            panel=panel,
            counter_evidence=counter_evidence,
            verify_with_model=verify_with_model,
            verifier_model=verifier_model,
            skip_last_verification=skip_last_verification,
            bullets=bullets,
            quotes=quotes,
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
    with progress(settings.heartbeat_ms / 1000, quiet=quiet) as display:
        named = options.source_of(document, password=password, encoding=encoding, on_loading=display.on_loading)
        source = prepare(targets, named, settings)
        asked = api.ask(source or named, question, settings=settings, sink=display)
    shown = history.view_of(asked)
    if json:
        typer.echo(dumps(shown))
    else:
        print_run(shown)
    return write_requested_reports(asked, source, targets, exit_code(shown.halt.type), quiet=quiet)


def exit_code(stop: StopType) -> int:
    """The exit code for the way a run stopped; whatever is not listed ran, and was not accepted."""
    match stop:
        case StopType.COMPLETION:
            return 0
        case StopType.SYSTEM_ERROR:
            return 1
        case StopType.ABSENT:
            return 3
        case StopType.TIMEOUT | StopType.MAX_COST | StopType.MAX_CALLS:
            return 4
        case StopType.USER_INTERRUPTED:
            return 130
        case _:
            return 2
