"""The proof of each cell: the report of its run as a page, and one highlighted copy of each PDF.

evidence/<document>/<question>.html
evidence/<document>/annotated.pdf
evidence/written.json                   which runs they were made from: what is the same is not made again
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ralph_cli.checks.judge.passages import safe_file_name
from ralph_cli.config import Settings
from ralph_cli.core.document import Span
from ralph_cli.core.errors import DocumentError, JournalError, UserError
from ralph_cli.core.results.table import Cell, Table, TableRow
from ralph_cli.documents.pdf.page_images import Annotation
from ralph_cli.documents.sets.finding import take_name
from ralph_cli.documents.sniff import OCR_KINDS
from ralph_cli.documents.source import DocumentSource
from ralph_cli.reports.html.page import render_page
from ralph_cli.reports.report import Report
from ralph_cli.runs.history import RecordedRun, read_run
from ralph_cli.runs.report import (
    RunDocument,
    annotate_copies,
    build_report,
    list_annotations,
    load_run_document,
    write_report_file,
)
from ralph_cli.table.record import TableRecord

EVIDENCE_FOLDER, COPY_NAME, WRITTEN_FILE = "evidence", "annotated.pdf", "written.json"

EvidenceLevel = Literal["none", "pages", "full"]
"""What is made of each cell: nothing new, a page with the words around each quote, or one with pictures, too. With
pages there is a highlighted copy of each PDF.
"""

MAX_NAME = 60
"""Characters of the names of folders and files."""


@dataclass(slots=True)
class Evidence:
    """What there is: the path of each cell's page and each row's copy, relative to the table's folder."""

    pages: dict[tuple[str, str], str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    made: int = 0

    def link(self, cell: Cell) -> Cell:
        """The cell with the way to its proof."""
        copy = self.copies.get(cell.row)
        quotes = tuple(
            replace(quote, link=f"{copy}#page={quote.page}") if copy and quote.page else quote for quote in cell.quotes
        )
        return replace(cell, evidence=self.pages.get((cell.row, cell.question), ""), quotes=quotes)


def write_evidence(
    record: TableRecord,
    table: Table,
    level: EvidenceLevel,
    settings: Settings,
    source: DocumentSource | None = None,
    on_row: Callable[[int, int], None] = lambda done, total: None,
) -> Evidence:
    """Write the evidence of all cells that have a run, and have none yet or that of another run.

    `source` says how documents are opened (password, encoding); where they are says the record of each run. A document
    that cannot be opened costs its passages, its pictures and the copy, which is told in `problems`. Raises UserError
    when nothing can be written there.
    """
    folder = record.folder / EVIDENCE_FOLDER
    options = (
        replace(source, path="", others=(), document=None, on_loading=None, on_files=None)
        if source
        else DocumentSource("")
    )
    writer = _Writer(record, folder, level, settings, options, _read_written(folder))
    taken: set[str] = set()
    for number, row in enumerate(record.rows, 1):
        own = {question.id for question in table.of_each(row)}
        cells = [cell for key in own if (cell := table.cells.get((row.name, key))) is not None and cell.run]
        writer.write_row(row, sorted(cells, key=lambda cell: cell.question), folder / _name(row.name, taken))
        on_row(number, len(record.rows))
    if writer.found.made:
        content = json.dumps(writer.written, indent=1, sort_keys=True).encode()
        writer.put(folder / WRITTEN_FILE, content)
    return writer.found


@dataclass(slots=True)
class _Writer:
    """Writes what is not there yet. `written` has, by path, from what a file was made."""

    record: TableRecord
    folder: Path
    level: EvidenceLevel
    settings: Settings
    options: DocumentSource
    written: dict[str, str]
    found: Evidence = field(default_factory=Evidence)

    def write_row(self, row: TableRow, cells: Sequence[Cell], folder: Path) -> None:
        """The pages of a document's cells, and its copy."""
        taken = {COPY_NAME}
        pages = {cell.question: folder / f"{_name(cell.question, taken)}.html" for cell in cells}
        copy = folder / COPY_NAME
        new = [cell for cell in cells if not self._is_written(pages[cell.question], cell.run)]
        quoted = [cell for cell in cells if cell.quotes]
        from_runs = _digest(cell.run for cell in quoted)
        wants_copy = bool(quoted) and row.kind in OCR_KINDS and not self._is_written(copy, from_runs)
        if self.level != "none" and (new or wants_copy):
            self._write_new(row, new, pages, copy, quoted if wants_copy else (), from_runs)
        for cell in cells:
            if self._is_there(pages[cell.question], cell.run):
                self.found.pages[cell.row, cell.question] = self._relative(pages[cell.question])
        if quoted and self._is_there(copy, from_runs):
            self.found.copies[row.name] = self._relative(copy)

    def _write_new(
        self,
        row: TableRow,
        new: Sequence[Cell],
        pages: Mapping[str, Path],
        copy: Path,
        quoted: Sequence[Cell],
        from_runs: str,
    ) -> None:
        document, current = RunDocument(), None
        notes: dict[Span, list[str]] = {}
        wanted, quoted_runs = {cell.run for cell in new}, {cell.run for cell in quoted}
        for cell in dict.fromkeys((*new, *quoted)):
            run = self._read_run(row, cell)
            if run is None:
                continue
            if not _is_of(run, document):
                document = load_run_document(run, self.settings, self.options)
            if document.missing:
                self._tell(f"{row.name}: {document.missing}")
            report = build_report(run, document, pictures=self.level == "full" and cell.run in wanted)
            if cell.run in wanted:
                self._put_page(pages[cell.question], cell, report, document)
            # An answer may rest on the document as it was before: the copy is of the one that is there now.
            if cell.run in quoted_runs and document.document is not None and document.document.sha256 == row.sha256:
                current = document
                for note in list_annotations(report):
                    notes.setdefault(note.span, []).append(f"{cell.question}: {run.view.question}\n{note.text}")
        if current is not None:
            self._put_copy(row, current, copy, notes, from_runs)

    def _put_copy(
        self, row: TableRow, current: RunDocument, copy: Path, notes: Mapping[Span, Sequence[str]], mark: str
    ) -> None:
        assert current.document is not None
        joined = [Annotation(span, "\n\n".join(texts)) for span, texts in notes.items()]
        try:
            for path, content in annotate_copies(joined, current.document, copy, current.source).items():
                self._keep(path, content, mark)
        except DocumentError as error:
            self._tell(f"{row.name}: no highlighted copy: {error.message}")

    def _put_page(self, path: Path, cell: Cell, report: Report, document: RunDocument) -> None:
        # A page without its document is made again when the document is back.
        level = "partly" if document.missing else self.level
        self._keep(path, render_page(report).encode(), f"{cell.run} {level}")

    def _read_run(self, row: TableRow, cell: Cell) -> RecordedRun | None:
        for sha256 in (row.sha256, *self.record.earlier.get(row.name, ())):
            runs = self.record.runs_of(sha256)
            folder = runs / cell.run
            # What a record says of its own name leads to no other folder.
            if folder.is_dir() and folder.resolve().parent == runs.resolve():
                try:
                    return read_run(folder)
                except JournalError as error:
                    self._tell(f"{row.name} / {cell.question}: {error.message}")
                    return None
        self._tell(f"{row.name} / {cell.question}: the record of its run is gone")
        return None

    def _tell(self, problem: str) -> None:
        if problem not in self.found.problems:
            self.found.problems.append(problem)

    def _keep(self, path: Path, content: bytes, mark: str) -> None:
        self.put(path, content)
        self.written[self._relative(path)] = mark
        self.found.made += 1

    def put(self, path: Path, content: bytes) -> None:
        """Write a file below the table's folder, and nowhere else: a folder that was handed over may hold links."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.record.folder.resolve() not in path.parent.resolve().parents:
            raise UserError(f"{path} leads out of the table's folder", code="bad-target", hint="remove the link there")
        write_report_file(path, content)

    def _is_written(self, path: Path, mark: str) -> bool:
        """Whether the file is there as it is wanted now."""
        levels = ("full",) if self.level == "full" else ("pages", "full")
        made = self.written.get(self._relative(path), "")
        return path.is_file() and made in (mark, *(f"{mark} {level}" for level in levels))

    def _is_there(self, path: Path, mark: str) -> bool:
        """Whether the file is there, and of that run, with whatever in it."""
        return path.is_file() and self.written.get(self._relative(path), "").split(" ")[0] == mark

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.record.folder).as_posix()


def _is_of(run: RecordedRun, document: RunDocument) -> bool:
    """Whether a document that is loaded is that of the run, read in the same way."""
    loaded, record = document.document, run.view.document
    if loaded is None or loaded.sha256 != record.get("sha256"):
        return False
    return bool(record.get("fingerprint", loaded.fingerprint) == loaded.fingerprint)


def _name(name: str, taken: set[str]) -> str:
    """A name for a folder or file that leads nowhere else, and of its own on systems that know no capitals."""
    safe = safe_file_name(name.replace("/", "_").casefold())[-MAX_NAME:].strip(".") or "document"
    return take_name(safe, taken)


def _digest(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:32]


def _read_written(folder: Path) -> dict[str, str]:
    """What was written before; nothing if that is not known, and then all is made again."""
    try:
        held = json.loads((folder / WRITTEN_FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return {str(path): str(mark) for path, mark in held.items()} if isinstance(held, dict) else {}
