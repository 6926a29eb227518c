"""The evidence of a result, as resources: the run, and each of its quotes with a picture of its page."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from mcp_types import BlobResourceContents, Resource, ResourceLink, ResourceTemplate, TextResourceContents

from ralph_cli.commands.mcp.tools import Toolbox
from ralph_cli.core.errors import UserError
from ralph_cli.core.structure import Span
from ralph_cli.documents.pages import split_by_file
from ralph_cli.documents.pdf.page_images import render_pictures
from ralph_cli.documents.sniff import OCR_KINDS
from ralph_cli.reports.safe_text import one_line
from ralph_cli.runs.history import RecordedRun, as_object, read_run
from ralph_cli.runs.report import load_run_document

# Runs whose quotes are listed: the newest ones.
MOST_LISTED = 50

TEMPLATES = [
    ResourceTemplate(
        name="run",
        uri_template="ralph://runs/{run}",
        description="The whole result of a run of this server.",
        mime_type="application/json",
    ),
    ResourceTemplate(
        name="quote",
        uri_template="ralph://runs/{run}/quotes/{id}",
        description="A quote of that result with its place; of a PDF also its page as a picture, the quote marked.",
    ),
]


def list_resources(tools: Toolbox) -> list[Resource]:
    """Return the runs that this server made, and their quotes."""
    found: list[Resource] = []
    for name in list(tools.runs)[: -MOST_LISTED - 1 : -1]:
        result = as_object(read_run(tools.runs[name]))
        question = one_line(str(result["question"]), 200)
        found.append(
            Resource(name=f"run {name}", uri=f"ralph://runs/{name}", description=question, mime_type="application/json")
        )
        found += (Resource(**link.model_dump(exclude={"type"})) for link in link_quotes(result))
    return found


def link_quotes(result: dict[str, Any]) -> list[ResourceLink]:
    """Return links to the quotes of a result."""
    run = result.get("run", {}).get("id", "")
    quotes = [*result.get("quotes", ()), *result.get("counter_evidence", {}).get("passages", ())]
    return [
        ResourceLink(
            name=f"quote {quote['id']}",
            uri=f"ralph://runs/{run}/quotes/{quote['id']}",
            description=one_line(f"{quote['place']}: {quote['text']}", 200),
        )
        for quote in quotes
        if run
    ]


def read_resource(tools: Toolbox, uri: str) -> list[TextResourceContents | BlobResourceContents]:
    """Return what is at an address. Raises UserError, and what reading a run and its document raises."""
    name, is_quote, number = uri.removeprefix("ralph://runs/").partition("/quotes/")
    folder = tools.runs.get(name) if uri.startswith("ralph://runs/") else None
    if folder is None:
        what = f"{one_line(uri, 120)} is no evidence of a run of this server"
        raise UserError(what, code="no-evidence", hint="call ask again: its result links its evidence")
    run = read_run(folder)
    result = as_object(run)
    if not is_quote:
        return [_text(uri, result)]
    quotes = {str(quote["id"]): quote for quote in (*result["quotes"], *result["counter_evidence"]["passages"])}
    quote = quotes.get(number)
    if quote is None:
        what = f"the run has no quote {one_line(number, 20)}"
        raise UserError(what, code="no-evidence", hint=f"it has {len(quotes)}")
    claims = [claim for claim in result["claims"] if quote["id"] in claim["quotes"]]
    return [
        _text(uri, {"quote": quote, "claims": claims}),
        *_pictures(tools, run, Span(quote["start"], quote["end"]), uri),
    ]


def _text(uri: str, value: dict[str, Any]) -> TextResourceContents:
    return TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(value))


def _pictures(tools: Toolbox, run: RecordedRun, span: Span, uri: str) -> Iterator[BlobResourceContents]:
    """Yield the pages of a PDF that a span is on, with the span marked. Other formats and missing files have none."""
    found = load_run_document(run, tools.settings)
    if found.document is None:
        return
    for part in split_by_file(found.document, [span], found.source):
        if part.document.kind in OCR_KINDS:
            for pictures in render_pictures(part.document, part.spans, source=part.source, whole=True):
                for picture in pictures:
                    data = base64.b64encode(picture.png).decode("ascii")
                    yield BlobResourceContents(uri=f"{uri}#page={picture.page}", mime_type="image/png", blob=data)
