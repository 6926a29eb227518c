"""Writes the files of a table for people and programs from its records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.errors import UserError
from ralph_cli.core.results.table import Cell, Table
from ralph_cli.core.run import Halt, StopType
from ralph_cli.core.version import __version__
from ralph_cli.documents.source import DocumentSource
from ralph_cli.reports.table.csv import cells_csv, matrix_csv
from ralph_cli.reports.table.html import table_html
from ralph_cli.reports.table.json import json_lines
from ralph_cli.reports.table.markdown import table_markdown
from ralph_cli.reports.table.xlsx import table_xlsx
from ralph_cli.runs.report import write_report_file
from ralph_cli.table.comparing import compare_table
from ralph_cli.table.evidence import EVIDENCE_FOLDER, EvidenceLevel, write_evidence
from ralph_cli.table.record import TableRecord, open_table, read_cells

# The files in a table's folder, by kind.
FILES = {
    "html": "table.html",
    "xlsx": "table.xlsx",
    "csv": "table.csv",
    "cells": "cells.csv",
    "jsonl": "table.jsonl",
    "md": "table.md",
}

# Called with the current work, the steps done, and all steps.
OnProgress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table and its written files by kind; `made` counts new files of evidence.

    `problems` tell which files could not be made, and why.
    """

    table: Table
    files: dict[str, Path]
    made: int
    problems: tuple[str, ...]


def output_paths(folder: Path) -> tuple[Path, ...]:
    """Return the paths of a table's files, without the evidence."""
    return tuple(folder / name for name in FILES.values())


def write_table(
    folder: Path,
    settings: Settings,
    *,
    level: EvidenceLevel = "pages",
    source: DocumentSource | None = None,
    halt: Halt | None = None,
    on_progress: OnProgress = lambda what, done, total: None,
) -> WrittenTable:
    """Write the outputs of the table in `folder` from the records of its runs.

    `halt` says why it stopped, if that is known. `source` has the options for opening documents, `level` the extent of
    the evidence. What cannot be made does not affect the other files. Raises ConfigError if there is no table,
    JournalError if its file is damaged, UserError if nothing can be written.
    """
    record = open_table(folder)
    cells, evidence = write_evidence(
        record, level, settings, source, lambda done, total: on_progress("writing the evidence", done, total)
    )
    table = _table_of(record, {place: evidence.link(cell) for place, cell in cells.items()}, halt)
    compared = compare_table(table)
    made_at, problems = clock.now(), list(evidence.problems)
    make: dict[str, Callable[[], str | bytes]] = {
        "html": lambda: table_html(table, made_at, __version__, compared),
        "xlsx": lambda: table_xlsx(table, made_at, __version__, compared),
        "csv": lambda: matrix_csv(table),
        "cells": lambda: cells_csv(table),
        "jsonl": lambda: json_lines(table),
        "md": lambda: table_markdown(table, made_at, __version__),
    }
    files: dict[str, Path] = {}
    for number, (name, path) in enumerate(zip(FILES, output_paths(folder), strict=True), 1):
        on_progress("writing the table", number, len(FILES))
        try:
            content = make[name]()
        except UserError as error:
            problems.append(error.line)
            continue
        write_report_file(path, content if isinstance(content, bytes) else content.encode())
        files[name] = path
    if (folder / EVIDENCE_FOLDER).is_dir():
        files["evidence"] = folder / EVIDENCE_FOLDER
    return WrittenTable(table, files, evidence.made, tuple(problems))


def read_table(folder: Path) -> Table:
    """Return the table in `folder`, read from the records of its runs.

    Nothing is written. Raises as `write_table` does.
    """
    record = open_table(folder)
    return _table_of(record, read_cells(record).cells)


def _table_of(record: TableRecord, cells: Mapping[tuple[str, str], Cell], halt: Halt | None = None) -> Table:
    if halt is not None:
        return record.as_table(cells, halt)
    table = record.as_table(cells)
    return replace(table, halt=_standing(table))


def _standing(table: Table) -> Halt:
    """Return the progress of a table whose end was not recorded."""
    left = sum(not cell.state.is_final for cell in table)
    if left:
        return Halt(StopType.NONE, f"cells that are still to be asked: {left:,}")
    return Halt(StopType.COMPLETION, "every cell was asked")
