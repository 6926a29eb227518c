"""A run, a table and a cell as plain values, of which the browser makes the lists and the matrix."""

from typing import Any

from ralph_cli.core.errors import RalphError
from ralph_cli.core.events import CallFinished
from ralph_cli.core.results.table import ALL_DOCUMENTS, Cell, Table, TableRow
from ralph_cli.core.run import Halt, StopType
from ralph_cli.reports.report import Report, outcome_heading
from ralph_cli.reports.safe_text import make_visible
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.reports.table.words import STATES, describe_size, explain, first_place, reason
from ralph_cli.runs.history import RUNNING, RecordedRun, goal_state, run_names
from ralph_cli.table.record import TableRecord, read_row
from ralph_cli.text.plural import pluralize
from ralph_cli.view.catalog import Catalog, RunAddress

Values = dict[str, Any]

MOST_CHARACTERS = 300
"""Of a question or an answer in a list; the page of the run has all of it."""


def summarize_run(address: RunAddress, run: RecordedRun) -> Values:
    """A line of the list of runs. Texts are shown as texts, whatever is in them."""
    view = run.view
    report = Report(view=view, events=run.events, made_at="", version="", goal=goal_state(run.events))
    words, kind = outcome_heading(report)
    if is_running := view.halt == RUNNING:
        calls = sum(isinstance(event, CallFinished) for event in run.events)
        words, kind = f"running, {pluralize(calls, 'call')}", "note"
    usd = view.usage.usd
    return {
        "run": address.run,
        "path": address.path,
        "begun": run.started.at,
        "mode": view.mode,
        "question": _cut(view.question),
        "document": _cut(report.document_name),
        "state": words,
        "kind": kind,
        "running": is_running,
        "answer": _cut("; ".join(claim.text for claim in view.claims) or view.output),
        "cost": "price unknown" if usd is None else f"${usd:.2f}" if usd else "no cost",
        "reviews": [_cut(line) for line in describe_reviews(view.reviews)],
        "marks": sorted({review.mark.value for review in view.reviews}),
    }


def fail_run(address: RunAddress, error: RalphError) -> Values:
    """The line of a run whose record cannot be read."""
    empty = dict.fromkeys(("begun", "mode", "question", "document", "answer", "cost"), "")
    return {
        "run": address.run,
        "path": address.path,
        "state": "cannot be read",
        "kind": "bad",
        "running": False,
        "reviews": [],
        "marks": [],
        **empty,
        "answer": _cut(error.message),
    }


def summarize_table(name: str, catalog: Catalog) -> Values:
    """A line of the list of tables."""
    try:
        record = catalog.open_table(name)
    except RalphError as error:
        return {"table": name, "path": f"tables/{name}", "size": _cut(error.message), "asked": 0}
    if record is None:
        return {"table": name, "path": f"tables/{name}", "size": "it is gone", "asked": 0}
    asked = sum(len(run_names(record.runs_of(row.sha256))) for row in record.rows if row.sha256)
    size = describe_size(as_table(record))
    return {"table": name, "path": f"tables/{name}", "size": size, "asked": asked}


def as_table(record: TableRecord) -> Table:
    """The table without its cells: which there are."""
    return Table(folder=record.folder, questions=record.questions, rows=record.rows, halt=Halt(StopType.NONE, ""))


def summarize_row(name: str, record: TableRecord, row: TableRow) -> list[Values]:
    """The cells of a row, in the order of the questions; those that are not of it among them."""
    read = read_row(record, row)
    table = as_table(record)
    own = table.of_each(row)
    values = []
    for question in record.questions:
        if question not in own:
            where = ALL_DOCUMENTS + " together" if question.each == "set" else "each document"
            values.append({"state": "", "kind": "soft", "shown": f"asked of {where}", "path": ""})
            continue
        cell = read.cells.get(question.id) or table.cell(row, question)
        values.append(_summarize_cell(name, record, row, cell))
    return values


def _summarize_cell(name: str, record: TableRecord, row: TableRow, cell: Cell) -> Values:
    words = STATES[cell.state]
    path = RunAddress(cell.run, name, record.runs_of(row.sha256).name).path if cell.run else ""
    return {
        "state": words.words,
        "kind": words.kind,
        "shown": _cut(cell.shown if cell.answer else reason(cell)),
        "place": _cut(first_place(cell)),
        "path": path,
        "more": [_cut(line) for line in explain(cell)][:6],
        "marks": sorted({review.mark.value for review in cell.reviews}),
    }


def _cut(text: str) -> str:
    text = make_visible(" ".join(text.split()))
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS].rstrip()} …"
