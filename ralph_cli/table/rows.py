"""The documents of a table, each a row; and a row of all documents for questions to the whole set."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.results.table import ALL_DOCUMENTS, TableQuestion, TableRow
from ralph_cli.documents.sets.finding import Skipped
from ralph_cli.documents.sets.loading import load_source, read_set
from ralph_cli.documents.source import DocumentSource


def list_rows(
    source: DocumentSource, questions: Sequence[TableQuestion], cache: Path | None, leave_out: Sequence[Path] = ()
) -> tuple[tuple[TableRow, ...], tuple[Skipped, ...]]:
    """Return the rows for the documents of a source, and the files left out.

    A file that cannot be read is a row with a fault. Raises DocumentError if there is no document at all.
    """
    found = read_set(source, cache, leave_out)
    if not found.documents:
        found.join()  # raises the error that says why
    rows = [_row(item.name, item.path, item.inner, item.document) for item in found.documents]
    unread = [item for item in found.skipped if item.code not in ("left-out", "duplicate")]
    rows += [TableRow(name=item.name, path=item.name, fault=item.message) for item in unread]
    if any(question.each == "set" for question in questions):
        try:
            rows.append(_row(ALL_DOCUMENTS, source.path, (), found.join()))
        except DocumentError as error:
            rows.append(TableRow(name=ALL_DOCUMENTS, path=source.path, fault=error.message))
    return tuple(rows), tuple(item for item in found.skipped if item not in unread)


def open_row(
    row: TableRow, source: DocumentSource, cache: Path | None, leave_out: Sequence[Path] = ()
) -> DocumentSource:
    """Return the document of a row, loaded from its present location. Raises DocumentError."""
    if row.is_set:
        return load_source(source, cache, leave_out)
    given = next((other for other in source.others if other.path == row.path), source)
    # A document that the caller loaded is used only for its own path.
    document = given.document if given.path == row.path and not row.inner else None
    alone = replace(given, path=row.path, inner=row.inner, others=(), on_loading=None, on_files=None, document=document)
    return alone.loaded(cache)


def _row(name: str, path: str, inner: tuple[str, ...], document: Document) -> TableRow:
    return TableRow(
        name=name,
        path=path,
        inner=inner,
        sha256=document.sha256,
        kind=document.kind,
        pages=len(document.pages),
        characters=len(document.text),
    )
