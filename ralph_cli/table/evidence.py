"""The proof of each cell: the report of its run as a page, and one highlighted copy of each PDF.

evidence/<document>/<question>.html
evidence/<document>/annotated.pdf
evidence/all documents/<document>.pdf   what the questions to all together have quoted of it
evidence/written.json                   which runs they were made from: what is the same is not made again
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ralph_cli.checks.judge.passages import safe_file_name
from ralph_cli.config import Settings
from ralph_cli.core.errors import DocumentError, UserError
from ralph_cli.core.results.table import Cell, TableRow
from ralph_cli.core.structure import Span
from ralph_cli.documents.pdf.page_images import Annotation
from ralph_cli.documents.sets.finding import take_name
from ralph_cli.documents.sniff import OCR_KINDS
from ralph_cli.documents.source import DocumentSource
from ralph_cli.reports.html.page import render_page
from ralph_cli.runs.history import RecordedRun
from ralph_cli.runs.report import (
    RunDocument,
    annotate_copies,
    build_report,
    list_annotations,
    load_run_document,
    write_report_file,
)
from ralph_cli.table.record import TableRecord, read_row
from ralph_cli.table.run import cores

EVIDENCE_FOLDER = "evidence"
COPY_NAME = "annotated.pdf"
WRITTEN_FILE = "written.json"

# The files made for each cell: none, a page with the context of each quote, or a page with pictures, too. With
# pages, each PDF has a highlighted copy.
EvidenceLevel = Literal["none", "pages", "full"]

# The most characters in the names of folders and files.
MAX_NAME = 60


@dataclass(slots=True)
class Evidence:
    """The path of each cell's page and of each copy, relative to the table's folder.

    Copies are by row and, in the row of all documents, by the document's name; else by "".
    """

    pages: dict[tuple[str, str], str] = field(default_factory=dict)
    copies: dict[tuple[str, str], str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    made: int = 0

    def add(self, other: "Evidence") -> None:
        """Add the evidence of other documents."""
        self.pages |= other.pages
        self.copies |= other.copies
        self.problems += other.problems
        self.made += other.made

    def link(self, cell: Cell) -> Cell:
        """Return the cell with links to its evidence."""
        quotes = tuple(
            replace(quote, link=f"{copy}#page={quote.page}")
            if quote.page and (copy := self.copies.get((cell.row, quote.document)))
            else quote
            for quote in cell.quotes
        )
        return replace(cell, evidence=self.pages.get((cell.row, cell.question), ""), quotes=quotes)


def write_evidence(
    record: TableRecord,
    level: EvidenceLevel,
    settings: Settings,
    source: DocumentSource | None = None,
    on_row: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[dict[tuple[str, str], Cell], Evidence]:
    """Read the cells of a table, and write evidence that is missing or is that of another run.

    Each record is read once, and at most as many as there are cores are in memory. `source` says how documents are
    opened (password, encoding); the record of each run says where they are. A document that cannot be opened has no
    context, pictures or copy; a copy that somebody has changed, such as with notes, is kept. `problems` report both.
    Raises UserError if nothing can be written there.
    """
    folder = record.folder / EVIDENCE_FOLDER
    options = (
        replace(source, path="", others=(), document=None, on_loading=None, on_files=None)
        if source
        else DocumentSource("")
    )
    taken: set[str] = set()
    writers = [
        _RowWriter(record, row, folder / _name(row.name, taken), level, settings, options) for row in record.rows
    ]
    cells: dict[tuple[str, str], Cell] = {}
    found = Evidence()
    with ThreadPoolExecutor(cores(), "evidence") as pool:
        try:
            for number, (row_cells, part) in enumerate(pool.map(_RowWriter.read_and_write, writers), 1):
                cells |= row_cells
                found.add(part)
                on_row(number, len(writers))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return cells, found


# What a file was made from, and its hash.
Made = tuple[str, str]


@dataclass(slots=True)
class _RowWriter:
    """Write the missing evidence of one document. `written` has the files of its folder by name."""

    record: TableRecord
    row: TableRow
    folder: Path
    level: EvidenceLevel
    settings: Settings
    options: DocumentSource
    found: Evidence = field(default_factory=Evidence)
    written: dict[str, Made] = field(default_factory=dict)
    runs: Mapping[str, RecordedRun] = field(default_factory=dict)

    def read_and_write(self) -> tuple[dict[tuple[str, str], Cell], Evidence]:
        """Read the cells of the row, and write the missing evidence."""
        read = read_row(self.record, self.row)
        asked = {question.id for question in self.record.questions if (question.each == "set") == self.row.is_set}
        self.runs = read.runs
        self._write([read.cells[name] for name in sorted(asked & read.cells.keys())])
        self.runs = {}
        return {(self.row.name, name): cell for name, cell in read.cells.items()}, self.found

    def _write(self, cells: Sequence[Cell]) -> None:
        """Write the pages of the cells, and the copies. `found` has those that exist."""
        self.written = _read_written(self.folder)
        taken = {COPY_NAME, WRITTEN_FILE}
        pages = {cell.question: f"{_name(cell.question, taken)}.html" for cell in cells}
        new = [cell for cell in cells if not self._is_written(pages[cell.question], _shown(cell))]
        copies = self._name_copies(cells, taken)
        quoted = [cell for cell in cells if any(quote.document in copies for quote in cell.quotes)]
        from_runs = _digest("\n".join(sorted(map(_shown, quoted))).encode())
        wanted = {document: name for document, name in copies.items() if not self._is_written(name, from_runs)}
        if self.level != "none" and (new or wanted):
            self._write_new(new, pages, quoted if wanted else (), wanted, from_runs)
            if self.found.made:
                self._put(WRITTEN_FILE, json.dumps(self.written, indent=1, sort_keys=True).encode())
        for cell in cells:
            if self._is_there(pages[cell.question], cell.run):
                self.found.pages[cell.row, cell.question] = self._relative(pages[cell.question])
        for document, name in copies.items():
            if self._is_there(name, from_runs):
                self.found.copies[self.row.name, document] = self._relative(name)

    def _name_copies(self, cells: Sequence[Cell], taken: set[str]) -> dict[str, str]:
        """Return the files of the highlighted copies by the names of their documents; "" is the row's own document."""
        if not self.row.is_set:
            is_quoted = self.row.kind in OCR_KINDS and any(cell.quotes for cell in cells)
            return {"": COPY_NAME} if is_quoted else {}
        highlighted = {row.name for row in self.record.rows if row.kind in OCR_KINDS}
        quoted = {quote.document for cell in cells for quote in cell.quotes}
        return {name: _name(f"{name.removesuffix('.pdf')}.pdf", taken) for name in sorted(quoted & highlighted)}

    def _write_new(
        self,
        new: Sequence[Cell],
        pages: Mapping[str, str],
        quoted: Sequence[Cell],
        copies: Mapping[str, str],
        from_runs: str,
    ) -> None:
        document, current = RunDocument(), None
        notes: dict[Span, list[str]] = {}
        wanted, quoted_runs = {cell.run for cell in new}, {cell.run for cell in quoted}
        for cell in dict.fromkeys((*new, *quoted)):
            run = self.runs[cell.question]
            if not _is_of(run, document):
                document = load_run_document(run, self.settings, self.options)
            if document.missing:
                self._tell(document.missing)
            report = build_report(run, document, pictures=self.level == "full" and cell.run in wanted)
            if cell.run in wanted:
                # A page without its document is made again when the document is back.
                level = "partly" if document.missing else self.level
                self._keep(pages[cell.question], render_page(report).encode(), f"{_shown(cell)} {level}")
            # An answer may come from an earlier version of the document: the copy is made from the present version.
            loaded = document.document
            if cell.run in quoted_runs and loaded is not None and loaded.sha256 == self.row.sha256:
                current = document
                for note in list_annotations(report):
                    notes.setdefault(note.span, []).append(f"{cell.question}: {run.view.question}\n{note.text}")
        if current is not None:
            self._put_copies(current, notes, copies, from_runs)

    def _put_copies(
        self, current: RunDocument, notes: Mapping[Span, Sequence[str]], copies: Mapping[str, str], mark: str
    ) -> None:
        assert current.document is not None
        joined = [Annotation(span, "\n\n".join(texts)) for span, texts in notes.items()]
        try:
            made = annotate_copies(joined, current.document, current.source)
        except DocumentError as error:
            self._tell(f"no highlighted copy: {error.message}")
            return
        for document, name in copies.items():
            path = self.folder / name
            if path.exists() and _digest(path.read_bytes()) != self.written.get(name, ("", ""))[1]:
                self._tell(f"{path} was changed by somebody, so no new one is made: remove it or rename it to have one")
            elif document in made:
                self._keep(name, made[document], mark)

    def _tell(self, problem: str) -> None:
        problem = f"{self.row.name}: {problem}"
        if problem not in self.found.problems:
            self.found.problems.append(problem)

    def _keep(self, name: str, content: bytes, mark: str) -> None:
        self._put(name, content)
        self.written[name] = mark, _digest(content)
        self.found.made += 1

    def _put(self, name: str, content: bytes) -> None:
        """Write a file, only below the table's folder: a folder from somebody else may contain links."""
        if self.record.folder.resolve() not in self.folder.resolve().parents:
            what = f"{self.folder} leads out of the table's folder"
            raise UserError(what, code="bad-target", hint="remove the link there")
        self.folder.mkdir(parents=True, exist_ok=True)
        write_report_file(self.folder / name, content)

    def _is_written(self, name: str, mark: str) -> bool:
        """Whether the file exists in the requested form."""
        levels = ("full",) if self.level == "full" else ("pages", "full")
        made, _ = self.written.get(name, ("", ""))
        return (self.folder / name).is_file() and made in (mark, *(f"{mark} {level}" for level in levels))

    def _is_there(self, name: str, mark: str) -> bool:
        """Whether the file exists and was made from that run, in any detail."""
        made, _ = self.written.get(name, ("", ""))
        return (self.folder / name).is_file() and made.split(" ")[0].split("+")[0] == mark

    def _relative(self, name: str) -> str:
        return (self.folder / name).relative_to(self.record.folder).as_posix()


def _shown(cell: Cell) -> str:
    """Return the sources of a cell's evidence: its run and its reviews."""
    return f"{cell.run}+{_digest(repr(cell.reviews).encode())[:8]}" if cell.reviews else cell.run


def _is_of(run: RecordedRun, document: RunDocument) -> bool:
    """Whether a loaded document is the run's document, read in the same way."""
    loaded, record = document.document, run.view.document
    if loaded is None or loaded.sha256 != record.get("sha256"):
        return False
    return bool(record.get("fingerprint", loaded.fingerprint) == loaded.fingerprint)


def _name(name: str, taken: set[str]) -> str:
    """Return a safe name for a folder or file, unique even on systems that ignore case."""
    safe = safe_file_name(name.replace("/", "_").casefold())[-MAX_NAME:].strip(".") or "document"
    return take_name(safe, taken)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _read_written(folder: Path) -> dict[str, Made]:
    """Return the files written before; empty if they are unknown, so that all files are made again."""
    try:
        held = json.loads((folder / WRITTEN_FILE).read_bytes())
        return {str(name): (str(mark), str(digest)) for name, (mark, digest) in held.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
