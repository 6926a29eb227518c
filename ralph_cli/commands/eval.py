"""`ralph eval`: asks questions whose answers are known, and counts how many are answered well."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands import qa
from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.core.run import StopType
from ralph_cli.reports.safe_text import one_line, to_json

if TYPE_CHECKING:
    from ralph_cli.commands.terminal.progress import SilentProgress
    from ralph_cli.evaluation.question_sets import Question
    from ralph_cli.evaluation.results import Evaluation, QuestionResult

Questions = Annotated[Path, typer.Argument(help="JSON Lines; FinanceBench's and LegalBench-RAG's files are read, too.")]
Documents = Annotated[Path | None, typer.Option(help="Folder of the documents (default: that of QUESTIONS).")]
Limit = Annotated[int | None, typer.Option(min=1, help="Ask only this many questions, the first ones.")]
FirstPage = Annotated[int | None, typer.Option(help="Number of the first page, 0 or 1, if the set does not say it.")]
CostEach = Annotated[float | None, typer.Option(help="US dollars for each question.")]
TimeEach = Annotated[float | None, typer.Option(help="Seconds for each question.")]
Resume = Annotated[Path | None, typer.Option(help="Folder of an interrupted evaluation, to continue it.")]
Compare = Annotated[Path | None, typer.Option(help="Results to compare with, as -o has written them.")]
Output = Annotated[Path | None, options.result_option("-o", "--output", help="Write the results here, as JSON.")]


@takes(
    *(*RUN, *JUDGED, "panel", "bullets", "quotes", "limits"),
    max_time="Seconds for all questions.",
    max_cost="US dollars for all questions, also those answered before --resume (default 5).",
    max_calls="Calls of models for all questions, as for --max-cost.",
    max_tokens="Tokens for all questions, as for --max-cost.",
)
def evaluate(
    given: Given,
    questions: Questions,
    documents: Documents = None,
    limit: Limit = None,
    first_page: FirstPage = None,
    cost_each: CostEach = None,
    time_each: TimeEach = None,
    resume: Resume = None,
    compare: Compare = None,
    output: Output = None,
    json: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Ask a set of questions whose answers are known; print how many are right, supported and on the right page."""
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import FirstNotices, progress
    from ralph_cli.evaluation import comparing, report
    from ralph_cli.runs.report import check_target, write_report_file

    settings = config.load_settings(given)
    if output is not None:
        check_target(output, (str(questions),))
    before = comparing.read_earlier(compare) if compare else None
    with replacing((output,), settings.cache_folder, force=force):
        with progress(settings, quiet=quiet) as display:
            evaluation = api.evaluate(
                questions,
                documents=documents,
                first_page=first_page,
                limit=limit,
                cost_each=cost_each,
                time_each=time_each,
                resume=resume,
                settings=settings,
                sink=FirstNotices(display, set()),
                on_question=partial(_tell, display),
            )
        against = comparing.compare(before, evaluation.results) if before else None
        shown = to_json(report.as_object(evaluation, against))
        if output is not None:
            write_report_file(output, f"{shown}\n".encode())
        typer.echo(shown if json else report.render_text(evaluation, against), nl=json)
    return exit_code(evaluation)


def exit_code(evaluation: "Evaluation") -> int:
    """Return 0 if every question has a result, whatever the rates, 2 if one failed, else the code as for a question."""
    if evaluation.halt.type is StopType.NONE:
        return 0 if evaluation.complete else 2
    return qa.exit_code(evaluation.halt.type)


def _tell(
    display: "SilentProgress", number: int, total: int, question: "Question", result: "QuestionResult | None"
) -> None:
    """Show a question when it is asked, and then its result."""
    from ralph_cli.evaluation.report import describe_result

    if result is None:
        asked = f"{one_line(question.document)}: {one_line(question.question, 150)}"
        display.write(f"question {number} of {total}, {asked}")
    else:
        display.write(f"  {describe_result(result)}")
