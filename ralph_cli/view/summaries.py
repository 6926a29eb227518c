"""Runs, tables and cells as plain values, from which the browser makes the lists and the matrix."""

import hashlib
from collections.abc import Iterable
from typing import Any

from ralph_cli.core.errors import RalphError
from ralph_cli.core.events import CallFinished
from ralph_cli.core.results.review import Review
from ralph_cli.core.results.table import ALL_DOCUMENTS, Cell, TableRow
from ralph_cli.reports.report import Report, outcome_heading
from ralph_cli.reports.safe_text import make_visible
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.reports.table.words import STATES, describe_size, explain, first_place, reason
from ralph_cli.reports.view import RUNNING
from ralph_cli.runs.history import RecordedRun, goal_state
from ralph_cli.table.record import TableRecord, read_row
from ralph_cli.text.lexicon import pluralize
from ralph_cli.view.catalog import Catalog, RunAddress, table_path

Values = dict[str, Any]

# Names of modes on pages; the others keep their own names.
MODES = {"qa": "question"}

# Characters of a question or an answer in a list, at most.
MOST_CHARACTERS = 300


def summarize_run(address: RunAddress, run: RecordedRun) -> Values:
    """Return the line of a run in the list, with all text made visible."""
    view = run.view
    report = Report(view=view, events=run.events, made_at="", version="", goal=goal_state(run.events))
    words, kind = outcome_heading(report)
    if is_running := view.halt == RUNNING:
        words, kind = f"running, {describe_progress(run)}", "note"
    usd = view.usage.usd
    return {
        "run": make_visible(address.run),
        "path": address.path,
        "begun": run.started.at,
        "mode": "follow-up" if view.follows else MODES.get(view.mode, view.mode),
        "question": _cut(view.question),
        "document": _cut(report.document_name),
        "state": words,
        "kind": kind,
        "running": is_running,
        "answer": _cut(" ".join(claim.text for claim in view.claims) or view.output),
        "cost": "price unknown" if usd is None else f"${usd:.2f}" if usd else "" if is_running else "no cost",
        "more": [_cut(line) for line in describe_reviews(view.reviews)],
        "reviews": _summarize_reviews(view.reviews),
    }


def describe_progress(run: RecordedRun) -> str:
    """Say how far a running run has come."""
    return pluralize(sum(isinstance(event, CallFinished) for event in run.events), "call")


def fail_run(address: RunAddress, why: str) -> Values:
    """Return the line of a run whose record cannot be read."""
    empty = dict.fromkeys(("begun", "mode", "question", "document", "cost"), "")
    return {
        **empty,
        "run": make_visible(address.run),
        "path": address.path,
        "state": "cannot be read",
        "kind": "bad",
        "running": False,
        "answer": _cut(why),
        "more": [],
        "reviews": [],
    }


def summarize_table(name: str, catalog: Catalog) -> Values:
    """Return the line of a table in the list."""
    shown = {"table": make_visible(name), "path": table_path(name)}
    try:
        record = catalog.open_table(name)
    except RalphError as error:
        return {**shown, "size": _cut(error.message), "kind": "bad"}
    if record is None:
        return {**shown, "size": "it is gone", "kind": "bad"}
    asked = sum(map(len, catalog.list_cells(record).values()))
    return {**shown, "size": f"{describe_size(record.as_table())}; runs: {asked:,}", "kind": "plain"}


def describe_shape(record: TableRecord) -> str:
    """Return a hash of a table's questions and documents: if it changes, the page must be loaded again."""
    return hashlib.sha256(repr((record.questions, record.rows)).encode("utf-8", "replace")).hexdigest()[:16]


def summarize_row(name: str, record: TableRecord, row: TableRow, runs: Iterable[str]) -> list[Values]:
    """Return the cells of a row, one for each question of the table, from the records of its `runs`."""
    read = read_row(record, row, runs)
    table = record.as_table()
    own = table.of_each(row)
    values = []
    for question in record.questions:
        if question not in own:
            where = ALL_DOCUMENTS + " together" if question.each == "set" else "each document"
            values.append({"state": "", "kind": "soft", "shown": f"asked of {where}", "path": ""})
            continue
        run = read.runs.get(question.id)
        cell = read.cells.get(question.id) or table.cell(row, question)
        is_running = run is not None and run.view.halt == RUNNING
        values.append(_summarize_cell(name, record, row, cell, is_running=is_running))
    return values


def _summarize_cell(name: str, record: TableRecord, row: TableRow, cell: Cell, *, is_running: bool) -> Values:
    words = STATES[cell.state]
    path = RunAddress(cell.run, name, record.runs_of(row.sha256).name).path if cell.run else ""
    return {
        "state": "running" if is_running else words.words,
        "kind": "note" if is_running else words.kind,
        "shown": "" if is_running else _cut(cell.shown if cell.answer else reason(cell)),
        "place": _cut(first_place(cell)),
        "path": path,
        "more": [] if is_running else [_cut(line) for line in explain(cell)][:6],
        "reviews": _summarize_reviews(cell.reviews),
    }


def _summarize_reviews(reviews: Iterable[Review]) -> list[Values]:
    """Return who set which mark, on the answer or on any claim."""
    found = {(review.by, review.mark.value): None for review in reviews}
    return [{"by": make_visible(by), "mark": mark} for by, mark in found]


def _cut(text: str) -> str:
    text = make_visible(" ".join(text.split()))
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS].rstrip()} …"
