"""`ralph ls`: lists which files and folders ralph would read, and which not."""

from typing import TYPE_CHECKING, Any

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import Given, takes
from ralph_cli.commands.terminal.estimate import describe_estimate
from ralph_cli.reports.safe_text import one_line, pick, to_json
from ralph_cli.text.lexicon import pluralize

if TYPE_CHECKING:
    from ralph_cli.documents.sets.joining import NamedDocument
    from ralph_cli.documents.sets.loading import LoadedSet


@takes("model", "judge_model", "subquery_model", "max_cost", "prices", "out")
def ls(
    given: Given,
    documents: options.Documents = None,
    doc: options.Doc = None,
    password: options.Password = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """List the documents that would be read, with kind, pages, characters and cautions, and what is skipped; nothing is
    sent."""
    from ralph_cli import config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.documents.sets.loading import read_set

    settings = config.load_settings(given)
    paths = [*(documents or []), *(doc or [])] or ["."]
    with progress(settings, quiet=quiet) as display:
        source = options.source_of(*paths, password=password, encoding=encoding, display=display)
        found = read_set(source, settings.cache_folder, (settings.out,))
    characters = sum(len(item.document.text) for item in found.documents)
    estimate = describe_estimate(settings, "qa", characters)
    if json:
        typer.echo(to_json(_as_object(found)))
        return 0
    for line in (*_rows(found), *_skipped(found)):
        typer.echo(line)
    left_out = f", {pluralize(len(found.skipped), 'file')} not read" if found.skipped else ""
    typer.echo(f"\n{pluralize(len(found.documents), 'document')}, {characters:,} characters{left_out}")
    typer.echo(f"A question about all of them: {estimate}")
    return 0


def _rows(found: "LoadedSet") -> list[str]:
    """Return a line for each document, with its cautions below it."""
    cells = [(one_line(item.name), item.document.kind, _size(item)) for item in found.documents]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for (name, kind, size), item in zip(cells, found.documents, strict=True):
        characters = f"{len(item.document.text):>11,} characters"
        lines.append(f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {size:>{widths[2]}}  {characters}")
        lines += [f"    {one_line(caution.message)}" for caution in item.document.cautions]
    return lines


def _size(item: "NamedDocument") -> str:
    from ralph_cli.core.document import PAGE_NOUNS

    document = item.document
    if not document.paged:
        return pluralize(document.text.count("\n") + 1, "line")
    return pluralize(len(document.pages), PAGE_NOUNS.get(document.kind, "page"))


def _skipped(found: "LoadedSet") -> list[str]:
    lines = []
    for item in found.skipped:
        hint = f" ({one_line(item.hint)})" if item.hint else ""
        lines.append(f"not read: {one_line(item.name)}: {one_line(item.message)}{hint}")
    return lines


def _as_object(found: "LoadedSet") -> dict[str, Any]:
    documents = [
        {
            **pick(item, "name", "path", "inner"),
            "kind": item.document.kind,
            "pages": len(item.document.pages) if item.document.paged else None,
            "characters": len(item.document.text),
            "sha256": item.document.sha256,
            "cautions": [caution.message for caution in item.document.cautions],
        }
        for item in found.documents
    ]
    return {
        "documents": documents,
        "skipped": [pick(item, "name", "code", "message", "hint") for item in found.skipped],
    }
