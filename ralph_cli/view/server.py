"""Serves the pages of a folder of runs and tables on the loopback, to whoever has the token of the address.

Nothing is believed of a request: runs and tables are looked up by name among those that are there, texts are shown as
texts, and the only thing that is ever written is a review beside a run.
"""

import hmac
import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ralph_cli.config import Settings
from ralph_cli.core.errors import RalphError, UserError
from ralph_cli.core.results.review import Mark
from ralph_cli.journal.reviews import add_review
from ralph_cli.reports.html.markup import CSS
from ralph_cli.reports.sections.outcome import resume_line
from ralph_cli.reports.sections.reviews import review_objects
from ralph_cli.reports.view import RUNNING
from ralph_cli.runs.report import RunDocument, build_report
from ralph_cli.view import pages
from ralph_cli.view.catalog import Catalog, RunAddress
from ralph_cli.view.evidence import DocumentViewer
from ralph_cli.view.following import Follower, Told, describe_state
from ralph_cli.view.summaries import Values, describe_progress

HEADERS = {
    "content-security-policy": pages.POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

MOST_BODY_BYTES = 64 << 10

Ask = Callable[[Path, str], str]
"""Begins a follow-up on the run in that folder, and returns its name."""


def make_app(root: Path, settings: Settings, token: str, reviewer: str, ask: Ask | None = None) -> "Pages":
    """The pages for the folder `root`; `reviewer` is the name that reviews are offered with."""
    catalog = Catalog(root)
    follower = Follower(catalog)
    site = _Site(catalog, DocumentViewer(settings), follower, reviewer, ask)
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
            Route(f"{address}/pages/{{number}}", site.page),
            Route(f"{address}/pages/{{number}}/picture", site.picture),
            Route(f"{address}/words/{{number}}", site.words),
            Route(f"{address}/reviews", site.review, methods=["POST"]),
            Route(f"{address}/ask", site.ask, methods=["POST"]),
        ]
    app = Starlette(routes=routes, exception_handlers={404: _not_found, 405: _not_found, RalphError: _fault})
    return Pages(TrustedHostMiddleware(app, allowed_hosts=["127.0.0.1", "localhost"]), token, follower.end)


class Pages:
    """An ASGI application. It lets through whoever begins the path with the token, and gives every response the
    security headers. `end` lets all streams come to their end, so that the server can.
    """

    def __init__(self, app: ASGIApp, token: str, end: Callable[[], None]) -> None:
        self._app, self._token, self.end = app, token, end

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

        given = scope["path"].removeprefix("/").partition("/")[0]
        if hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode()):
            # What stands before the path is the root of all our addresses.
            await self._app({**scope, "root_path": f"/{given}"}, receive, send_guarded)
            return
        if scope["path"] == "/favicon.ico":  # browsers ask unbidden
            await Response(status_code=204)(scope, receive, send_guarded)
            return
        await HTMLResponse(pages.render_refusal(), 403)(scope, receive, send_guarded)


class _Site:
    """Answers requests. What reads files runs in threads, so that a slow document keeps nobody else waiting."""

    def __init__(
        self, catalog: Catalog, viewer: DocumentViewer, follower: Follower, reviewer: str, ask: Ask | None
    ) -> None:
        self._catalog, self._viewer, self._follower = catalog, viewer, follower
        self._reviewer, self._ask = reviewer, ask

    def home(self, request: Request) -> Response:
        """The page with the lists."""
        return HTMLResponse(pages.render_home(_prefix(request), self._catalog.root.absolute().name))

    async def lists(self, request: Request) -> Response:
        """All runs and tables, newest first, and from then on what changes."""
        return _stream(request, self._follower.follow_lists())

    def table(self, request: Request) -> Response:
        """The page of a table."""
        name = request.path_params["table"]
        record = self._catalog.open_table(name)
        return _missing(request) if record is None else HTMLResponse(pages.render_table(_prefix(request), name, record))

    async def cells(self, request: Request) -> Response:
        """The cells of a table, row by row, and from then on the rows that change."""
        return _stream(request, self._follower.follow_cells(request.path_params["table"]))

    def run(self, request: Request) -> Response:
        """The page of a run, or, for a page that is open already, its answer alone."""
        address = _address(request)
        state = describe_state(self._catalog.state_of(address))
        run = self._catalog.read(address)
        if run is None:
            return _missing(request)
        report = build_report(run, RunDocument(), pictures=False)
        is_running = run.view.halt == RUNNING
        followed = RunAddress(str(report.view.follows.get("run", "")))
        answer = pages.render_answer(
            report,
            state,
            progress=describe_progress(run) if is_running else "",
            followed=f"{_prefix(request)}/{followed.path}" if self._catalog.find_folder(followed) else None,
            # A cell is resumed with its table.
            resume="" if address.table or is_running else resume_line(report.view),
        )
        if request.query_params.get("part") == "answer":
            return HTMLResponse(answer)
        page = pages.render_run(
            _prefix(request),
            address,
            report.view.question,
            answer,
            is_running=is_running,
            can_ask=self._ask is not None and run.view.mode == "qa",
            reviewer=self._reviewer,
        )
        return HTMLResponse(page)

    async def changes(self, request: Request) -> Response:
        """In which state a run is, now and whenever something was added to it."""
        return _stream(request, self._follower.follow_run(_address(request)))

    def quotes(self, request: Request) -> Response:
        """The quotes of a run with their pages, and what is missing."""
        run = self._catalog.read(_address(request))
        return _missing(request) if run is None else JSONResponse(self._viewer.list_quotes(run))

    def page(self, request: Request) -> Response:
        """Where a page is, and its text; or the size of its picture, and the places of quotes in shares of it."""
        run = self._catalog.read(_address(request))
        shown = run and self._viewer.show_page(run, _number(request))
        if not shown:
            return _missing(request)
        if shown.picture is None:
            return JSONResponse({"place": shown.place, "text": shown.text})
        size = {"width": shown.picture.width, "height": shown.picture.height}
        return JSONResponse({"place": shown.place, **size, "lines": shown.lines, "cells": shown.cells})

    def picture(self, request: Request) -> Response:
        """A page as a picture."""
        run = self._catalog.read(_address(request))
        shown = run and self._viewer.show_page(run, _number(request))
        if not shown or shown.picture is None:
            return _missing(request)
        return Response(shown.picture.png, media_type="image/png")

    def words(self, request: Request) -> Response:
        """The words around a quote."""
        run = self._catalog.read(_address(request))
        found = run and self._viewer.show_words(run, _number(request))
        return JSONResponse(found) if found else _missing(request)

    async def review(self, request: Request) -> Response:
        """Add a review, and say what counts now."""
        address = _address(request)
        given = await _read_body(request)
        if given is None:
            return _missing(request)
        added = await run_in_threadpool(self._add_review, address, given)
        return _missing(request) if added is None else JSONResponse(added)

    def _add_review(self, address: RunAddress, given: Values) -> list[Values] | None:
        """The reviews that count now; None if there is no such run. Raises UserError for what is no review of it."""
        folder, run = self._catalog.find_folder(address), self._catalog.read(address)
        if folder is None or run is None:
            return None
        if run.view.halt == RUNNING:
            raise UserError("the run is still going on", code="bad-review", hint="say it when it has ended")
        texts = {name: given.get(name, "") for name in ("mark", "by", "correction", "note")}
        claim = given.get("claim", 0)
        claims = {0, *(item.claim.id for item in run.view.claims)}
        if not all(isinstance(text, str) for text in texts.values()) or type(claim) is not int or claim not in claims:
            raise UserError("a review is a mark, of the answer or of one of its claims", code="bad-review")
        if texts.pop("mark") not in set(Mark):
            raise UserError(f"a mark is one of: {', '.join(Mark)}", code="bad-review")
        by = texts.pop("by") or self._reviewer
        add_review(folder, by=by, mark=Mark(given["mark"]), claim=claim, **texts)
        run = self._catalog.read(address)
        return review_objects(run.view.reviews if run else ())

    async def ask(self, request: Request) -> Response:
        """Begin a follow-up, and say where it is."""
        given = await _read_body(request)
        folder = await run_in_threadpool(self._catalog.find_folder, _address(request))
        question = (given or {}).get("question")
        if self._ask is None or folder is None or not isinstance(question, str) or not question.strip():
            return _missing(request)
        return JSONResponse({"path": RunAddress(await run_in_threadpool(self._ask, folder, question.strip())).path})


def _prefix(request: Request) -> str:
    return str(request.scope["root_path"])


def _address(request: Request) -> RunAddress:
    given = request.path_params
    return RunAddress(given["run"], given.get("table"), given.get("document", ""))


def _number(request: Request) -> int:
    """The number in the address; 0, which nothing has, for what is none. One that is longer names nothing either."""
    given = str(request.path_params["number"])
    return int(given) if re.fullmatch(r"[0-9]{1,9}", given) else 0


def _stream(request: Request, found: Told) -> Response:
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
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _static(request: Request) -> Response:
    kinds = {"view.js": "text/javascript", "view.css": "text/css"}
    name = request.path_params["name"]
    if name == "report.css":
        return Response(CSS, media_type="text/css")
    if name not in kinds:
        return _missing(request)
    return Response((pages.STATIC / name).read_bytes(), media_type=kinds[name])


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
