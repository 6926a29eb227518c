"""Serves the pages of a folder of runs and tables on the loopback, for requests with the token of the address.

No request is trusted: runs and tables are looked up by name among the existing ones, text is escaped, and the only
files that are written are reviews and new runs.
"""

import hmac
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
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
from ralph_cli.runs.history import RecordedRun
from ralph_cli.runs.report import RunDocument, build_report
from ralph_cli.view import pages
from ralph_cli.view.catalog import Catalog, RunAddress
from ralph_cli.view.evidence import DocumentViewer, ShownPage
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

# Methods that change nothing.
_READING = ("GET", "HEAD")

MOST_BODY_BYTES = 64 << 10

# Begins a follow-up of the run in that folder, and returns its name.
Ask = Callable[[Path, str], str]


def make_app(root: Path, settings: Settings, token: str, reviewer: str, ask: Ask | None = None) -> "Pages":
    """Return the application for the folder `root`; `reviewer` is the default name for reviews."""
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
    app = Starlette(routes=routes, exception_handlers={404: _missing, 405: _missing, RalphError: _fault})
    return Pages(TrustedHostMiddleware(app, allowed_hosts=["127.0.0.1", "localhost"]), token, follower.end)


class Pages:
    """An ASGI application that accepts only paths that begin with the token, and changes only from its own pages.
    It adds the security headers.

    `end` ends all streams, so that the server can end.
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
        is_known = hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode())
        if is_known and (scope["method"] in _READING or _is_from_own_page(scope)):
            # The token is the root of all our addresses.
            await self._app({**scope, "root_path": f"/{given}"}, receive, send_guarded)
            return
        if scope["path"] == "/favicon.ico":  # browsers request it by themselves
            await Response(status_code=204)(scope, receive, send_guarded)
            return
        await HTMLResponse(pages.render_refusal(), 403)(scope, receive, send_guarded)


def _is_from_own_page(scope: Scope) -> bool:
    """Whether a request comes from a page of this server: browsers state the origin of each request that may change
    something (Fetch Standard, section 3.2)."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    return headers.get(b"origin") == b"http://" + headers.get(b"host", b"")


class _Site:
    """Answers requests. Methods that read files run in threads, so that a slow document delays nobody else."""

    def __init__(
        self, catalog: Catalog, viewer: DocumentViewer, follower: Follower, reviewer: str, ask: Ask | None
    ) -> None:
        self._catalog, self._viewer, self._follower = catalog, viewer, follower
        self._reviewer, self._ask = reviewer, ask

    def home(self, request: Request) -> Response:
        """Return the page with the lists."""
        return HTMLResponse(pages.render_home(_prefix(request), self._catalog.root.absolute().name))

    async def lists(self, request: Request) -> Response:
        """Stream all runs and tables, newest first, and then their changes."""
        return _stream(request, self._follower.follow_lists())

    def table(self, request: Request) -> Response:
        """Return the page of a table."""
        name = request.path_params["table"]
        record = self._catalog.open_table(name)
        if record is None:
            raise HTTPException(404)
        return HTMLResponse(pages.render_table(_prefix(request), name, record))

    async def cells(self, request: Request) -> Response:
        """Stream the cells of a table, row by row, and then the rows that change."""
        return _stream(request, self._follower.follow_cells(request.path_params["table"]))

    def run(self, request: Request) -> Response:
        """Return the page of a run, or only its answer, for a page that is open already."""
        address = _address(request)
        state = describe_state(self._catalog.state_of(address))
        run = self._read(request)
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
        """Stream the state of a run, now and after each change."""
        return _stream(request, self._follower.follow_run(_address(request)))

    def quotes(self, request: Request) -> Response:
        """Return the quotes of a run with their pages."""
        return JSONResponse(self._viewer.list_quotes(self._read(request)))

    def page(self, request: Request) -> Response:
        """Return the place of a page, and its text, or the size of its picture and the places of quotes on it."""
        shown = self._show(request)
        if shown.picture is None:
            return JSONResponse({"place": shown.place, "text": shown.text})
        size = {"width": shown.picture.width, "height": shown.picture.height}
        return JSONResponse({"place": shown.place, **size, "lines": shown.lines, "cells": shown.cells})

    def picture(self, request: Request) -> Response:
        """Return a page as a picture."""
        shown = self._show(request)
        if shown.picture is None:
            raise HTTPException(404)
        return Response(shown.picture.png, media_type="image/png")

    def words(self, request: Request) -> Response:
        """Return a quote with the text around it."""
        found = self._viewer.show_words(self._read(request), _number(request))
        if not found:
            raise HTTPException(404)
        return JSONResponse(found)

    async def review(self, request: Request) -> Response:
        """Add a review, and return the reviews that count now."""
        given = await _read_body(request)
        return JSONResponse(await run_in_threadpool(self._add_review, request, given))

    def _add_review(self, request: Request, given: Values) -> list[Values]:
        """Add a review; return those that count now. Raises UserError for an invalid one."""
        run = self._read(request)
        if run.view.halt == RUNNING:
            raise UserError("the run has not ended", code="bad-review", hint="review it when it has ended")
        texts = {name: given.get(name, "") for name in ("mark", "by", "correction", "note")}
        claim = given.get("claim", 0)
        claims = {0, *(item.claim.id for item in run.view.claims)}
        if not all(isinstance(text, str) for text in texts.values()) or type(claim) is not int or claim not in claims:
            raise UserError("a review is a mark on the answer or on one of its claims", code="bad-review")
        if texts.pop("mark") not in set(Mark):
            raise UserError(f"the mark must be one of: {', '.join(Mark)}", code="bad-review")
        by = texts.pop("by") or self._reviewer
        add_review(Path(run.view.folder), by=by, mark=Mark(given["mark"]), claim=claim, **texts)
        return review_objects(self._read(request).view.reviews)

    async def ask(self, request: Request) -> Response:
        """Begin a follow-up, and return its path."""
        question = (await _read_body(request)).get("question")
        folder = await run_in_threadpool(self._catalog.find_folder, _address(request))
        if self._ask is None or folder is None or not isinstance(question, str) or not question.strip():
            raise HTTPException(404)
        return JSONResponse({"path": RunAddress(await run_in_threadpool(self._ask, folder, question.strip())).path})

    def _read(self, request: Request) -> RecordedRun:
        """Return the run of the address. Raises HTTPException if there is none."""
        run = self._catalog.read(_address(request))
        if run is None:
            raise HTTPException(404)
        return run

    def _show(self, request: Request) -> ShownPage:
        """Return the page of the address. Raises HTTPException if there is none."""
        shown = self._viewer.show_page(self._read(request), _number(request))
        if shown is None:
            raise HTTPException(404)
        return shown


def _prefix(request: Request) -> str:
    return str(request.scope["root_path"])


def _address(request: Request) -> RunAddress:
    given = request.path_params
    return RunAddress(given["run"], given.get("table"), given.get("document", ""))


def _number(request: Request) -> int:
    """Return the number in the address; 0, which nothing has, for anything else or if it is too long."""
    given = str(request.path_params["number"])
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0


def _stream(request: Request, found: Told) -> Response:
    """Send what is found as server-sent events, until the browser leaves."""

    async def lines() -> AsyncIterator[str]:
        try:
            async for kind, value in found:
                yield f"event: {kind}\ndata: {json.dumps(value)}\n\n"
                if await request.is_disconnected():
                    return
        except RalphError as error:
            yield f"event: fault\ndata: {json.dumps(error.line)}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


async def _read_body(request: Request) -> Values:
    """Return the JSON object of a request. Raises HTTPException for anything else.

    A page of another origin cannot send this content type without permission.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(404)
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > MOST_BODY_BYTES:
            raise HTTPException(404)
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise HTTPException(404)
    return given


def _static(request: Request) -> Response:
    kinds = {"view.js": "text/javascript", "view.css": "text/css"}
    name = request.path_params["name"]
    if name == "report.css":
        return Response(CSS, media_type="text/css")
    if name not in kinds:
        raise HTTPException(404)
    return Response((pages.STATIC / name).read_bytes(), media_type=kinds[name])


def _missing(request: Request, _error: Exception) -> Response:
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": "there is no such thing here"}, 404)
    lines = ["It may have been deleted, or the address is incomplete."]
    return HTMLResponse(pages.render_message(_prefix(request), "There is nothing here", lines), 404)


def _fault(request: Request, error: Exception) -> Response:
    """Return the error as the line that the command line would print."""
    assert isinstance(error, RalphError)
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": error.line}, 400)
    lines = [error.message, *([error.hint] if error.hint else [])]
    return HTMLResponse(pages.render_message(_prefix(request), "This cannot be shown", lines), 500)
