"""Serves the pages of a folder of runs and tables on the loopback, to whoever has the token of the address.

Nothing is believed of a request: runs and tables are looked up by name among those that are there, texts are shown as
texts, and the only thing that is ever written is a review beside a run.
"""

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ralph_cli.config import Settings
from ralph_cli.core.errors import RalphError
from ralph_cli.core.results.review import Mark
from ralph_cli.journal.reviews import add_review
from ralph_cli.reports.html.style import CSS
from ralph_cli.reports.sections.reviews import review_objects
from ralph_cli.runs.history import RUNNING
from ralph_cli.runs.report import RunDocument, build_report
from ralph_cli.view import pages
from ralph_cli.view.catalog import Catalog, RunAddress
from ralph_cli.view.evidence import DocumentViewer
from ralph_cli.view.summaries import Values, fail_run, summarize_row, summarize_run, summarize_table

HEADERS = {
    "content-security-policy": pages.POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

SECONDS_BETWEEN_LOOKS = 0.7
"""How often a page that is open looks whether records have changed."""

BATCH = 40
"""Runs or rows that are told at once."""

MOST_BODY_BYTES = 64 << 10

STATIC = Path(__file__).with_name("static")

Ask = Callable[[Path, str], str]
"""Begins a follow-up on the run in that folder, and returns its name."""


def make_app(root: Path, settings: Settings, token: str, reviewer: str, ask: Ask | None = None) -> ASGIApp:
    """The application for the folder `root`; `reviewer` is the name that reviews are offered with."""
    site = _Site(Catalog(root), DocumentViewer(settings), reviewer, ask)
    run, of_table = "/runs/{run}", "/tables/{table}/runs/{document}/{run}"
    routes = [
        Route("/", site.home),
        Route("/static/{name}", _static),
        Route("/lists", site.lists),
        Route("/tables/{table}", site.table),
        Route("/tables/{table}/cells", site.cells),
    ]
    for address in (run, of_table):
        routes += [
            Route(address, site.run),
            Route(f"{address}/changes", site.changes),
            Route(f"{address}/quotes", site.quotes),
            Route(f"{address}/pages/{{number:int}}", site.page),
            Route(f"{address}/pages/{{number:int}}/picture", site.picture),
            Route(f"{address}/words/{{number:int}}", site.words),
            Route(f"{address}/reviews", site.review, methods=["POST"]),
            Route(f"{address}/ask", site.ask, methods=["POST"]),
        ]
    app = Starlette(routes=routes, exception_handlers={404: _not_found, 405: _not_found, RalphError: _fault})
    return TrustedHostMiddleware(_Guard(app, token), allowed_hosts=["127.0.0.1", "localhost"])


class _Guard:
    """Lets through whoever begins the path with the token, and gives every response the security headers."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close"})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        given = scope["path"].split("/")[1]
        if hmac.compare_digest(given.encode(), self._token.encode()):
            # What stands before the path is the root of all our addresses.
            await self._app({**scope, "root_path": f"/{given}"}, receive, send_guarded)
            return
        if scope["path"] == "/favicon.ico":  # browsers ask unbidden
            await Response(status_code=204)(scope, receive, send_guarded)
            return
        said = "There is nothing here: open the address that `ralph view` has printed.\n"
        await PlainTextResponse(said, 403)(scope, receive, send_guarded)


class _Site:
    """Answers requests. What reads files runs in threads, so that a slow document keeps nobody else waiting."""

    def __init__(self, catalog: Catalog, viewer: DocumentViewer, reviewer: str, ask: Ask | None) -> None:
        self._catalog, self._viewer, self._reviewer, self._ask = catalog, viewer, reviewer, ask

    def home(self, request: Request) -> Response:
        """The page with the lists."""
        return HTMLResponse(pages.render_home(_prefix(request), self._catalog.root.absolute().name))

    async def lists(self, request: Request) -> Response:
        """All runs and tables, newest first, and from then on what changes."""
        return _stream(request, self._follow_lists())

    def table(self, request: Request) -> Response:
        """The page of a table."""
        name = request.path_params["table"]
        record = self._catalog.open_table(name)
        return _missing(request) if record is None else HTMLResponse(pages.render_table(_prefix(request), name, record))

    async def cells(self, request: Request) -> Response:
        """The cells of a table, row by row, and from then on the rows that change."""
        return _stream(request, self._follow_cells(request.path_params["table"]))

    def run(self, request: Request) -> Response:
        """The page of a run, or, for a page that is open already, its answer alone."""
        address = _address(request)
        run = self._catalog.read(address)
        if run is None:
            return _missing(request)
        report = build_report(run, RunDocument(), pictures=False)
        is_running = run.view.halt == RUNNING
        if request.query_params.get("part") == "answer":
            return HTMLResponse(pages.render_answer(report, is_running=is_running))
        page = pages.render_run(
            _prefix(request),
            address.path,
            report,
            is_running=is_running,
            can_ask=self._ask is not None and not is_running,
            reviewer=self._reviewer,
        )
        return HTMLResponse(page)

    async def changes(self, request: Request) -> Response:
        """Says whenever something was added to a run."""
        return _stream(request, self._follow_run(_address(request)))

    def quotes(self, request: Request) -> Response:
        """The quotes of a run with their pages, and what is missing."""
        run = self._catalog.read(_address(request))
        return _missing(request) if run is None else JSONResponse(self._viewer.list_quotes(run))

    def page(self, request: Request) -> Response:
        """The size of a drawn page, and the places of quotes on it in shares of it."""
        run = self._catalog.read(_address(request))
        shown = run and self._viewer.show_page(run, request.path_params["number"])
        if not shown:
            return _missing(request)
        size = {"width": shown.picture.width, "height": shown.picture.height}
        return JSONResponse({**size, "lines": shown.lines})

    def picture(self, request: Request) -> Response:
        """A page as a picture."""
        run = self._catalog.read(_address(request))
        shown = run and self._viewer.show_page(run, request.path_params["number"])
        return Response(shown.picture.png, media_type="image/png") if shown else _missing(request)

    def words(self, request: Request) -> Response:
        """The words around a quote."""
        run = self._catalog.read(_address(request))
        found = run and self._viewer.show_words(run, request.path_params["number"])
        return JSONResponse(found) if found else _missing(request)

    async def review(self, request: Request) -> Response:
        """Add a review, and say what counts now."""
        address = _address(request)
        given = await _read_body(request)
        folder = await run_in_threadpool(self._catalog.find_folder, address)
        if folder is None or given is None or given.get("mark") not in set(Mark):
            return _missing(request)
        claim = given.get("claim", 0)
        add = partial(
            add_review,
            folder,
            by=str(given.get("by") or self._reviewer),
            mark=Mark(given["mark"]),
            claim=claim if isinstance(claim, int) else 0,
            correction=str(given.get("correction", "")),
            note=str(given.get("note", "")),
        )
        await run_in_threadpool(add)
        run = await run_in_threadpool(self._catalog.read, address)
        return JSONResponse(review_objects(run.view.reviews if run else ()))

    async def ask(self, request: Request) -> Response:
        """Begin a follow-up, and say where it is."""
        given = await _read_body(request)
        folder = await run_in_threadpool(self._catalog.find_folder, _address(request))
        question = str((given or {}).get("question", "")).strip()
        if self._ask is None or folder is None or not question:
            return _missing(request)
        return JSONResponse({"path": f"runs/{await run_in_threadpool(self._ask, folder, question)}"})

    def _summarize(self, addresses: list[RunAddress]) -> list[Values]:
        found = []
        for address in addresses:
            try:
                if run := self._catalog.read(address):
                    found.append(summarize_run(address, run))
            except RalphError as error:
                found.append(fail_run(address, error))
        return found

    def _summarize_tables(self) -> list[Values]:
        return [summarize_table(name, self._catalog) for name in self._catalog.tables()]

    async def _follow_lists(self) -> AsyncIterator[tuple[str, Any]]:
        known: dict[RunAddress, Any] = {}
        tables: list[Values] = []
        while True:
            states = await run_in_threadpool(self._catalog.list_runs)
            for gone in known.keys() - states.keys():
                yield "gone", gone.run
            changed = [address for address, state in states.items() if known.get(address) != state][::-1]
            for batch in _batches(changed):
                yield "runs", await run_in_threadpool(self._summarize, batch)
            known = dict(states)
            now = await run_in_threadpool(self._summarize_tables)
            if now != tables:
                yield "tables", now
                tables = now
            yield "read", len(known)
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    async def _follow_cells(self, name: str) -> AsyncIterator[tuple[str, Any]]:
        known: dict[str, Any] = {}
        while True:
            record = await run_in_threadpool(self._catalog.open_table, name)
            if record is None:
                yield "gone", name
                return
            states = await run_in_threadpool(self._catalog.list_runs, record)
            by_document: dict[str, dict[str, Any]] = {}
            for address, state in states.items():
                by_document.setdefault(address.document, {})[address.run] = state
            for number, row in enumerate(record.rows):
                of_row = by_document.get(record.runs_of(row.sha256).name if row.sha256 else "", {})
                if known.get(row.name) != of_row:
                    cells = await run_in_threadpool(summarize_row, name, record, row)
                    yield "row", {"row": number, "cells": cells}
                    known[row.name] = of_row
            yield "read", len(known)
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    async def _follow_run(self, address: RunAddress) -> AsyncIterator[tuple[str, Any]]:
        known = await run_in_threadpool(self._catalog.state_of, address)
        while known:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            state = await run_in_threadpool(self._catalog.state_of, address)
            if state != known:
                run = await run_in_threadpool(self._catalog.read, address)
                yield "changed", {"running": bool(run and run.view.halt == RUNNING)}
            known = state
        yield "gone", address.run


def _batches(items: list[RunAddress]) -> Iterator[list[RunAddress]]:
    for at in range(0, len(items), BATCH):
        yield items[at : at + BATCH]


def _prefix(request: Request) -> str:
    return str(request.scope["root_path"])


def _address(request: Request) -> RunAddress:
    given = request.path_params
    return RunAddress(given["run"], given.get("table"), given.get("document", ""))


def _stream(request: Request, found: AsyncIterator[tuple[str, Any]]) -> Response:
    """What is found as server-sent events, until the browser has left."""

    async def lines() -> AsyncIterator[str]:
        try:
            async for kind, value in found:
                yield f"event: {kind}\ndata: {json.dumps(value)}\n\n"
                if await request.is_disconnected():
                    return
        except RalphError as error:
            yield f"event: fault\ndata: {json.dumps(error.line)}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


async def _read_body(request: Request) -> Values | None:
    """The JSON object of a request; None for anything else. A page of another origin cannot send this type unasked."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return None
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST_BODY_BYTES:
            return None
    try:
        given = json.loads(data)
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _static(request: Request) -> Response:
    kinds = {"view.js": "text/javascript", "view.css": "text/css"}
    name = request.path_params["name"]
    if name == "report.css":
        return Response(CSS, media_type="text/css")
    if name not in kinds:
        return _missing(request)
    return Response((STATIC / name).read_bytes(), media_type=kinds[name])


def _missing(request: Request) -> Response:
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": "there is no such thing here"}, 404)
    lines = ["It may have been deleted, or the address is not whole."]
    return HTMLResponse(pages.render_message(_prefix(request), "There is nothing here", lines), 404)


def _not_found(request: Request, _error: Exception) -> Response:
    return _missing(request)


def _fault(request: Request, error: Exception) -> Response:
    """What went wrong, in the line that the command line would print."""
    assert isinstance(error, RalphError)
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": error.line}, 400)
    lines = [error.message, *([error.hint] if error.hint else [])]
    return HTMLResponse(pages.render_message(_prefix(request), "This cannot be shown", lines), 500)
