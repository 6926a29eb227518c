"""Makes evidence reports from a run and its document, and writes them as HTML, highlighted PDF, Markdown or CSV."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from pathlib import Path

from ralph_cli.checks.judge.passages import safe_file_name
from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError, UserError
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.results.memo import Finding, MemoCheck
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Span
from ralph_cli.core.version import __version__
from ralph_cli.documents.pages import split_by_file
from ralph_cli.documents.pdf import page_images
from ralph_cli.documents.sets.finding import take_name
from ralph_cli.documents.sniff import OCR_KINDS
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.traces import replace_file
from ralph_cli.loop.state import fold
from ralph_cli.reports.html.coverage_strip import build_coverage_strip
from ralph_cli.reports.report import Crop, Excerpt, Report, find_excerpt
from ralph_cli.reports.safe_text import one_line
from ralph_cli.reports.sections.documents import list_documents
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.reports.view import TIER_NAMES, ClaimView
from ralph_cli.runs.folders import folder_fault
from ralph_cli.runs.history import RecordedRun
from ralph_cli.runs.opening import open_recorded
from ralph_cli.text.figure_lines import describe_source

# Code of the error for a run without quotes to highlight.
NO_QUOTES = "no-quotes"

# Bytes of all pictures in a report; quotes beyond have no picture.
MAX_PICTURE_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class RunDocument:
    """The document of a run as it is loaded now, with its source; or the reason why it cannot be loaded (`missing`).

    A run without a document has neither.
    """

    document: Document | None = None
    missing: str = ""
    source: DocumentSource | None = None


@dataclass(frozen=True, slots=True)
class ReportTargets:
    """The files to write; None for those that are not wanted."""

    html: Path | None = None
    pdf: Path | None = None
    markdown: Path | None = None
    csv: Path | None = None

    def paths_by_format(self) -> dict[str, Path]:
        """The wanted files by format."""
        named = {"html": self.html, "pdf": self.pdf, "md": self.markdown, "csv": self.csv}
        return {name: path for name, path in named.items() if path is not None}

    def check(self, *sources: str) -> None:
        """Raise UserError for a target that cannot be written or is one of the documents; nothing is touched.

        Highlighted copies of a set go to a folder.
        """
        given = self.paths_by_format()
        for path in given.values():
            if path != self.pdf or not path.is_dir():
                check_target(path, sources)
        places = [path.resolve() for path in given.values()]
        if len(set(places)) < len(places):
            raise UserError("two reports cannot go to one file", code="bad-target", hint="give each a name of its own")


def check_target(path: Path, sources: tuple[str, ...]) -> None:
    """Raise UserError for a file that cannot be written or is one of the `sources`; nothing is touched."""
    hint = "name a file in a folder that is there and can be written to"
    if str(path) == "-":
        raise UserError("- stands for standard input and cannot be written to", code="bad-target", hint=hint)
    if path.is_dir():
        raise UserError(f"{path} is a folder", code="bad-target", hint=hint)
    if not path.absolute().parent.is_dir():
        raise UserError(f"{path} cannot be written: there is no folder {path.parent}", code="bad-target", hint=hint)
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is not a file", code="bad-target", hint=hint)
    if fault := folder_fault(path.absolute().parent):
        raise UserError(f"{path} cannot be written: {fault}", code="bad-target", hint=hint)
    _refuse_documents(path, sources)


def _refuse_documents(path: Path, sources: tuple[str, ...]) -> None:
    for source in sources:
        with suppress(OSError, ValueError):  # one of the two does not exist, or is not a path
            if source != "-" and path.samefile(source):
                what = f"{path} is the document itself, which is never overwritten"
                raise UserError(what, code="bad-target", hint="name another file")


def recorded_files(run: RecordedRun) -> tuple[str, ...]:
    """The recorded files of a run's document; of a set all files."""
    record = run.view.document
    return tuple(str(entry.get("path", "-")) for entry in list_documents(record) or [record])


def document_files(document: Document | None) -> tuple[str, ...]:
    """The files of a document; of a set all files."""
    if document is None:
        return ()
    return tuple(member.path for member in document.members) or (document.path,)


def load_run_document(run: RecordedRun, settings: Settings, given: DocumentSource | None = None) -> RunDocument:
    """The document of a recorded run, read from its old path, or from `given`; a changed document is not used."""
    record = run.view.document
    if not record:
        return RunDocument()
    try:
        found = open_recorded(record, settings.cache_folder, given)
    except DocumentError as error:
        return RunDocument(missing=error.message)
    document = found.load()
    if document.sha256 != record.get("sha256"):
        return RunDocument(missing=f"{found.path} is not the document of this run, or has changed since")
    if document.fingerprint != record.get("fingerprint", document.fingerprint):
        why = "another version of its reader, or another encoding"
        return RunDocument(missing=f"{document.path} gives another text now than in this run: {why}")
    return RunDocument(document, source=found)


def build_report(run: RecordedRun, run_document: RunDocument, *, pictures: bool = True) -> Report:
    """The report on a run. `notes` say what is missing because the document is."""
    goal = reduce(GoalState.apply, run.events, GoalState()) if run.view.mode == "goal" else None
    output = goal.final_output(fold(run.events).best) if goal else run.view.output
    record, document, quotes = run.view.document, run_document.document, (*run.view.quotes, *run.view.found_passages)
    notes: list[str] = []
    if run_document.missing:
        what = "the quotes, which were looked up when the run was made, are shown without their pages and passages"
        notes.append(f"The document could not be read for this report ({run_document.missing}): {what}.")
    excerpts: dict[int, Excerpt] = {}
    crops: Mapping[int, tuple[Crop, ...]] = {}
    if document is not None:
        excerpts = {quote.id: around for quote in quotes if (around := find_excerpt(document, quote))}
        if len(excerpts) < len(quotes):
            notes.append("Some quotes are no longer at their place in the document: no passage is shown for them.")
        if pictures and quotes:
            spans = {quote.id: Span(quote.start, quote.end) for quote in quotes}
            crops, crop_notes = _render_crops(document, spans, run_document.source)
            notes += crop_notes
    return Report(
        view=run.view,
        events=run.events,
        made_at=clock.now(),
        version=__version__,
        goal=goal,
        output=output,
        excerpts=excerpts,
        crops=crops,
        coverage=build_coverage_strip(
            run.events,
            document,
            int(record.get("pages", 0)),
            run.view.coverage.pages if run.view.coverage and run.view.paged and not list_documents(record) else (),
        ),
        notes=tuple(notes),
    )


def _render_crops(
    document: Document, spans: Mapping[int, Span], source: DocumentSource | None
) -> tuple[dict[int, tuple[Crop, ...]], list[str]]:
    """Pictures of the pages of PDFs by the number of the span, and notes on missing ones."""
    ids, pictured = list(spans), 0
    crops: dict[int, tuple[Crop, ...]] = {}
    notes: list[str] = []
    bytes_left = MAX_PICTURE_BYTES
    for part in split_by_file(document, list(spans.values()), source):
        if part.document.kind not in OCR_KINDS:
            continue
        try:
            found = page_images.render_pictures(part.document, part.spans, source=part.source)
        except DocumentError as error:
            what = f"of {part.name} " * bool(part.name)
            notes.append(f"The pages {what}could not be drawn ({error.message}), so there are no pictures of them.")
            continue
        pictured += len(found)
        for number, pictures in zip(part.numbers, found, strict=True):
            bytes_left -= sum(len(picture.png) for picture in pictures)
            if pictures and bytes_left >= 0:
                crops[ids[number]] = tuple(Crop(item.page, item.width, item.height, item.png) for item in pictures)
    if left := pictured - len(crops):
        notes.append(
            f"{left} of {len(spans)} quotes have no picture of their page, to keep this file at a sensible size."
        )
    return crops, notes


def render_memo_report(check: MemoCheck, sources: Sequence[DocumentSource]) -> str:
    """The HTML report on a checked memo, with pictures of the PDFs in `sources`."""
    from ralph_cli.reports.memo.html import memo_html

    crops: dict[int, tuple[Crop, ...]] = {}
    notes: list[str] = []
    for number, (document, source) in enumerate(zip(check.documents, sources, strict=True)):
        if document.kind not in OCR_KINDS or document.path == "-":
            continue
        spans = {
            at: span
            for at, finding in enumerate(check.findings)
            if finding.document == number and (span := _shown_span(finding, document))
        }
        if spans:
            found, missing = _render_crops(document, spans, source)
            crops |= found
            notes += missing
    return memo_html(check, crops, notes, made_at=clock.now(), version=__version__)


def _shown_span(finding: Finding, document: Document) -> Span | None:
    """The place of a finding's words in the document, or of the closest words."""
    if finding.nearest is None:
        return Span(finding.quote.start, finding.quote.end) if finding.quote else None
    page = document.pages[finding.nearest.page - 1]
    start = document.text.find(finding.nearest.text, page.start)
    return Span(start, start + len(finding.nearest.text)) if start >= 0 else None


def highlight_pdfs(report: Report, run_document: RunDocument, target: Path) -> dict[Path, bytes]:
    """Copies of the run's PDF with its quotes highlighted, with a note on each; for a set, one copy of each PDF with
    quotes.

    Copies of a set are in the folder `target`; a single one is `target` itself if its name ends in ".pdf". Raises
    UserError if there is none.
    """
    document = run_document.document
    if document is None:
        why = run_document.missing or "the run has no document"
        raise UserError(f"the PDF cannot be highlighted: {why}", code="no-document", hint="name it with --document")
    _require_pdf(document, target, "--pdf", "--html")
    found = annotate_copies(list_annotations(report), document, run_document.source)
    names: set[str] = set()
    copies: dict[Path, bytes] = {}
    is_file = target.suffix.lower() == ".pdf"
    folder = target.with_suffix("") if is_file else target
    for name, content in found.items():
        name = safe_file_name(name.replace("/", "_"))
        name = name if name.lower().endswith(".pdf") else f"{name}.pdf"
        is_only = not document.members or (is_file and len(found) == 1)
        copies[target if is_only else folder / take_name(name, names)] = content
    if not copies:
        hint = "`ralph trace show` shows what the run has"
        what = "none of the quotes is of a PDF" if report.quotes else "there is no quote to highlight in this run"
        raise UserError(what, code=NO_QUOTES, hint=hint)
    return copies


def list_annotations(report: Report) -> list[page_images.Annotation]:
    """The quotes of a run with the notes for their highlights."""
    return [page_images.Annotation(Span(q.start, q.end), _highlight_note(report, q)) for q in report.quotes]


def annotate_copies(
    notes: Sequence[page_images.Annotation], document: Document, source: DocumentSource | None
) -> dict[str, bytes]:
    """A copy of the PDF with these notes; for a set, one of each PDF that has any, by its name in the set."""
    copies: dict[str, bytes] = {}
    for part in split_by_file(document, [note.span for note in notes], source):
        if part.document.kind in OCR_KINDS and part.numbers:
            own = [
                page_images.Annotation(span, notes[number].text)
                for number, span in zip(part.numbers, part.spans, strict=True)
            ]
            copies[part.name] = page_images.annotate(part.document, own, source=part.source)
    return copies


def _highlight_note(report: Report, quote: Quote) -> str:
    """The note beside a highlight: its claims with their verdicts, and how the words were matched."""

    def verdict_suffix(item: ClaimView) -> str:
        return "" if report.claim_noun == "Item" and item.ruling is None else f" ({item.verdict_words})"

    claims = [
        f"{report.claim_noun} {item.claim.id}{verdict_suffix(item)}: {one_line(item.claim.text, 600)}"
        for item in report.claims_of(quote)
    ]
    claims += [
        f"Found by the judge, {found.effect} claim {found.claim}: {one_line(found.reason, 600)}"
        for item in report.view.claims
        for found in item.qualifications
        if found.quote == quote.id
    ]
    figures = chain(report.view.figures, *(item.figures for item in report.claims_of(quote)))
    claims += [one_line(f"Figure {describe_source(it)}", 600) for it in figures if it.quote == quote.id]
    numbers = {item.claim.id for item in report.claims_of(quote)}
    claims += describe_reviews(review for review in report.view.reviews if review.claim in {0, *numbers})
    match = "; ".join((TIER_NAMES[quote.match], *quote.difference))
    return "\n".join((*(claims or ["Quoted for no claim"]), f"Quote {quote.id}, match: {match}"))


def write_reports(
    run: RecordedRun, run_document: RunDocument, targets: ReportTargets, on_written: Callable[[Path, int], None]
) -> None:
    """Write the wanted reports, each whole or not at all, and call `on_written` with each and its size in bytes.

    If some reports fail, the others are still written; then the first UserError is raised.
    """
    from ralph_cli.reports import csv, markdown
    from ralph_cli.reports.html import page

    sources = (*recorded_files(run), *document_files(run_document.document))
    targets.check(*sources)
    report = build_report(run, run_document, pictures=targets.html is not None)
    make: dict[str, Callable[[Path], dict[Path, bytes]]] = {
        "html": lambda path: {path: page.render_page(report).encode()},
        "pdf": lambda path: highlight_pdfs(report, run_document, path),
        "md": lambda path: {path: markdown.markdown_report(report).encode()},
        "csv": lambda path: {path: csv.csv_report(report).encode()},
    }
    failed: UserError | None = None
    for name, target in targets.paths_by_format().items():
        try:
            for path, content in make[name](target).items():
                _refuse_documents(path, sources)
                write_report_file(path, content)
                on_written(path, len(content))
        except UserError as error:
            failed = failed or error
    if failed is not None:
        raise failed


def write_report_file(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, readable by its owner only; UserError if it cannot be written."""
    try:
        path.parent.mkdir(exist_ok=True)
        replace_file(path, content)
    except OSError as error:
        what = f"{path} cannot be written: {error.strerror or error}"
        raise UserError(what, code="bad-target", hint="name another file, or free some space") from error


def require_highlightable(targets: ReportTargets, document: Document | None) -> None:
    """Raise UserError, before anything is paid for, if a highlighted copy is wanted and the document is not a PDF."""
    if targets.pdf is None:
        return
    if document is None:
        hint = "leave out --annotate, or use --report"
        raise UserError("there is no document, so there is no PDF to highlight", code="unsupported", hint=hint)
    _require_pdf(document, targets.pdf, "--annotate", "--report")


def _require_pdf(document: Document, target: Path, option: str, other: str) -> None:
    """Raise UserError unless the document is a PDF, or a set with one and the target a folder."""
    kinds = {document.kind, *(member.kind for member in document.members)}
    if kinds.isdisjoint(OCR_KINDS):
        what = f"{document.path} is not a PDF, so no copy of it can be highlighted"
        raise UserError(what, code="unsupported", hint=f"leave out {option}; {other} makes a report of any document")
    if document.members and target.exists() and not target.is_dir():
        what = f"{target} is a file, and the highlighted copies of a set go to a folder"
        raise UserError(what, code="bad-target", hint=f"{option} FOLDER")
    if not document.members and target.is_dir():
        raise UserError(f"{target} is a folder", code="bad-target", hint="name a file")
