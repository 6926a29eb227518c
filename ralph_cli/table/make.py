"""Makes a table from its questions and documents, or resumes one."""

from collections.abc import Callable
from pathlib import Path

from ralph_cli.core.results.table import Table, TableQuestion, TableRow
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.rows import hold_folder
from ralph_cli.runs.execute import Setup
from ralph_cli.table.estimate import TableEstimate, estimate_table
from ralph_cli.table.record import TableRecord, begin_table, open_table, read_cells
from ralph_cli.table.rows import list_rows
from ralph_cli.table.run import Fill, Filling, OnCell, fill_table


def make_table(
    questions: tuple[TableQuestion, ...],
    source: DocumentSource,
    folder: Path,
    setup: Setup,
    filling: Filling,
    *,
    resume: bool = False,
    on_cell: OnCell = lambda done, total, cell: None,
    on_row: Callable[[int, int], None] = lambda done, total: None,
    fill: Fill = fill_table,
) -> Table:
    """Put the questions to the documents of `source`, and keep the answers in `folder`.

    With `resume`, the existing table is continued, and its answers are not asked again. `fill` asks the rest. Raises
    ConfigError, DocumentError if nothing can be read, and JournalError, also if another process works on that table.
    """
    source = source.with_ocr(setup.settings.ocr_options)
    rows = _list_rows(questions, source, folder, setup)
    with hold_folder(folder, "this table"):
        record = _plan(questions, rows, folder, resume=resume)
        record.write()
        return fill(record, read_cells(record, on_row), source, setup, filling, on_cell)


def estimate(
    questions: tuple[TableQuestion, ...],
    source: DocumentSource,
    folder: Path,
    setup: Setup,
    filling: Filling,
    *,
    resume: bool = False,
) -> TableEstimate:
    """Estimate what `make_table` would ask. Nothing is sent or written."""
    source = source.with_ocr(setup.settings.ocr_options)
    record = _plan(questions, _list_rows(questions, source, folder, setup), folder, resume=resume)
    return estimate_table(record, read_cells(record), setup.settings, setup.choose_models(), filling.again)


def _list_rows(
    questions: tuple[TableQuestion, ...], source: DocumentSource, folder: Path, setup: Setup
) -> tuple[TableRow, ...]:
    settings = setup.settings
    return list_rows(source, questions, settings.cache_folder, (folder, settings.out))[0]


def _plan(
    questions: tuple[TableQuestion, ...], rows: tuple[TableRow, ...], folder: Path, *, resume: bool
) -> TableRecord:
    """Return the existing table with new questions and documents, or a new table; nothing is written."""
    before = open_table(folder) if resume else None
    return before.with_changes(questions, rows) if before else begin_table(folder, questions, rows)
