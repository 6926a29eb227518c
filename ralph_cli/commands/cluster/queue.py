"""`ralph queue`: shows and controls the work of the workers."""

import shlex
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import HELP_FLAGS, CommandGroups
from ralph_cli.reports.safe_text import make_visible, one_line, to_json
from ralph_cli.text.lexicon import pluralize

if TYPE_CHECKING:
    from ralph_cli.cluster.database import JobQueue, QueueState

app = typer.Typer(
    cls=CommandGroups,
    help="Show and control the workers of tables.",
    rich_markup_mode=None,
    context_settings=HELP_FLAGS,
)

Database = Annotated[str, typer.Option(help="postgresql://USER@HOST/NAME, as in `ralph table`.")]


def _open(database: str) -> "closing[JobQueue]":
    from ralph_cli.cluster.database import JobQueue

    return closing(JobQueue(database))


@app.command("show")
def show(database: Database, json: options.Json = False) -> int:
    """Show the documents that wait, are being answered or are done, and the running workers."""
    with _open(database) as queue:
        state = queue.look()
    typer.echo(to_json(_as_object(state)) if json else "\n".join(_lines(state)))
    return 0


def _as_object(state: "QueueState") -> dict[str, object]:
    counts = {"waiting": state.waiting, "doing": state.doing, "left": state.left, "ended": state.ended}
    return {"paused": state.is_paused, "living": state.living, **{name: dict(item) for name, item in counts.items()}}


def _lines(state: "QueueState") -> "list[str]":
    waiting, doing, left, ended = (
        [(pluralize(count, "document"), one_line(name)) for name, count in counts.items()]
        for counts in (state.waiting, state.doing, state.left, state.ended)
    )
    gone = {one_line(name): shlex.quote(make_visible(name, "")) for name in state.doing if name not in state.living}
    lines = ["paused: no worker begins a document"] if state.is_paused else []
    lines += [f"{documents} wait for a worker of {name}" for documents, name in waiting]
    for documents, name in doing:
        dead = f"; it is gone: start it again, or `ralph queue recover {gone[name]}`" if name in gone else ""
        lines.append(f"{documents} being answered by {name}{dead}")
    lines += [f"{documents} wait for {name}, which had begun" for documents, name in left]
    lines += [f"{documents}: {name}" for documents, name in ended]
    return lines or ["the queue is empty"]


@app.command("pause")
def pause(database: Database) -> int:
    """Let no worker begin a document. Workers finish the documents that they have begun."""
    with _open(database) as queue:
        queue.pause(paused=True)
    return 0


@app.command("resume")
def resume(database: Database) -> int:
    """Let workers begin documents again."""
    with _open(database) as queue:
        queue.pause(paused=False)
    return 0


@app.command("cancel")
def cancel(database: Database) -> int:
    """Cancel everything that is not done. You can continue it with `ralph table --resume`."""
    with _open(database) as queue:
        typer.echo(f"{pluralize(queue.cancel(), 'document')} cancelled")
    return 0


@app.command("recover")
def recover(
    worker: Annotated[str, typer.Argument(metavar="ID", help="Id of a worker that does not come back.")],
    database: Database,
) -> int:
    """Give the documents of a dead worker to the others. What its disk has of them is paid for again."""
    with _open(database) as queue:
        typer.echo(f"{pluralize(queue.recover(worker), 'document')} handed over")
    return 0
