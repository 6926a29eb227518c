"""The worker's sandbox: it starts early, has the document loaded, and the host answers its sub-queries in parallel."""

import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from typing import TypeVar

from ralph_cli.core import clock
from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.document import Document
from ralph_cli.core.errors import EngineError, ProviderError
from ralph_cli.core.model import Model, Reply, Request, StopReason, UserTurn
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.structure import CLAUSE_KINDS
from ralph_cli.retrieval.context import describe_sparse_rows
from ralph_cli.retrieval.quotes.additions import describe_lines_with_additions
from ralph_cli.retrieval.quotes.scanned import describe_unsure_lines
from ralph_cli.rlm.lookup.children import CHILDREN
from ralph_cli.rlm.lookup.lines import OFFERED
from sandbox import (
    Answer,
    HostQuery,
    QueryFailure,
    Result,
    Sandbox,
    SandboxFailure,
    SandboxUnavailable,
    refuse_to_delegate,
)

T = TypeVar("T")

MAX_ANSWER_TOKENS = 2_000  # tokens of the answer to a sub-query

CLOSE_WAIT_S = 5.0  # seconds to wait for an engine that is still starting


@dataclass(slots=True)
class Subqueries:
    """Answers `llm_query` for code in the sandbox. The host controls budget and calls, and trusts nothing from the
    sandbox.
    """

    model: Model
    system: str
    nonce: str
    allowed: int
    used: int = 0
    most_at_once: int = 32
    _beside: "SideBySide" = field(init=False)

    def __post_init__(self) -> None:
        self._beside = SideBySide(self.most_at_once)

    def __call__(self, items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
        """Answer (prompt, text) pairs in order. A pair that fails or exceeds the budget does not affect the others."""
        answers: list[Answer | Future[Answer]] = []
        for number in range(len(items)):  # pairs beyond the budget are not even decoded
            if self.used >= self.allowed:
                spent = f"sub-query budget used up ({self.used} of {self.allowed}); finish with what you have"
                answers.append(QueryFailure(spent))
                continue
            self.used += 1
            prompt, text = items[number]
            answers.append(self._beside.submit(partial(self._ask, prompt, text, self.used)))
        wait_for([answer for answer in answers if isinstance(answer, Future)])
        return [answer.result() if isinstance(answer, Future) else answer for answer in answers]

    def _ask(self, prompt: str, text: str, ordinal: int) -> Answer:
        turns, inputs = (UserTurn(self.message(prompt, text)),), {"prompt": prompt, "text": text}
        request = Request("subquery", self.system, turns, max_tokens=MAX_ANSWER_TOKENS, inputs=inputs, ordinal=ordinal)
        try:
            return as_answer(self.model.complete(request))
        except ProviderError as error:
            return QueryFailure(error.message)

    def message(self, prompt: str, text: str) -> str:
        """Return the message that is sent to the model."""
        return f"{frame_data(text, self.nonce)}\n\n{prompt}" if text else prompt

    @property
    def warning(self) -> str:
        """A warning to the worker once 80 % of the budget is used; empty before."""
        if self.used < int(self.allowed * 0.8):
            return ""
        return f"[{self.used} of {self.allowed} sub-queries used: plan to finish]"

    def close(self) -> None:
        """Start no further calls. Running calls end by themselves."""
        self._beside.close()


class SideBySide:
    """Runs functions on separate threads, at most `most_at_once` at a time.

    The threads do not keep the program alive, so Ctrl-C does not wait for a slow model.
    """

    def __init__(self, most_at_once: int) -> None:
        self._slots = threading.BoundedSemaphore(most_at_once)
        self._closed = threading.Event()

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Start a function as soon as a slot is free. The future receives its result or its exception."""
        future: Future[T] = Future()

        def run() -> None:
            with self._slots:
                if self._closed.is_set() or not future.set_running_or_notify_cancel():
                    return
                try:
                    future.set_result(work())
                except BaseException as error:  # noqa: BLE001 - carried to the thread that waits, never swallowed
                    future.set_exception(error)

        threading.Thread(target=run, name="beside", daemon=True).start()
        return future

    def close(self) -> None:
        """Start no further calls. Running calls may end."""
        self._closed.set()


def wait_for(futures: Sequence["Future[T]"]) -> list[T]:
    """Wait for all futures and return their results. Raises the first exception in the order of `futures`.

    Running calls are paid for, so a limit that one call exceeds ends the run only after the others are back. If the
    wait is interrupted, the calls that have not started are cancelled.
    """
    try:
        wait(futures)
        return [future.result() for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def as_answer(reply: Reply) -> Answer:
    """Return the answer for the worker's code. A truncated reply is a failure, because the code could not detect it."""
    if reply.stop is StopReason.LENGTH:
        return QueryFailure(f"the answer was cut at {MAX_ANSWER_TOKENS} tokens; ask for less at a time")
    return reply.text if reply.text.strip() else QueryFailure("the model gave no answer")


def refuse_queries(items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
    """Refuse all sub-queries; used for ralph's own code, which needs no model."""
    return [QueryFailure("not now") for _ in items]


class DocumentSandbox:
    """A sandbox with one document. `prepare` starts it in the background; `run` waits for it only when needed.

    `memory` holds the notes of earlier runs and becomes the variable `memory`. `has_children` offers `rlm_query`. No
    snippet runs longer than the time left in `ledger`.
    """

    def __init__(
        self,
        open_engine: Callable[[], Sandbox],
        document: Document,
        ledger: Ledger | None = None,
        memory: str | None = None,
        *,
        has_children: bool = False,
    ) -> None:
        self._open, self._document, self._ledger = open_engine, document, ledger or Ledger(Budget())
        notes = "" if memory is None else f"\nmemory = {memory!r}\n"
        self._prelude = f"{document.derive(_write_prelude)}{notes}"
        self._offered = (*OFFERED, "_tables", *["docs"] * bool(document.members), *["memory"] * (memory is not None))
        self._offered += CHILDREN * has_children
        self._sandbox: Sandbox | None = None
        self._ready: Future[Sandbox] | None = None
        self._lock = threading.Lock()
        self._deferred: list[Callable[[], object]] = []

    def prepare(self) -> None:
        """Start the engine in the background. A second call does nothing."""
        with self._lock:
            if self._ready is None:
                self._ready = Future()
                threading.Thread(target=self._start, args=(self._ready,), name="sandbox-start", daemon=True).start()

    def _start(self, ready: "Future[Sandbox]") -> None:
        try:
            sandbox = self._open()
            self._sandbox = sandbox
            sandbox.start()
            pages = [(page.number, page.label, page.start, page.end) for page in self._document.pages]
            sandbox.load(self._document.text, pages)
            sandbox.define(self._prelude, self._offered)
            ready.set_result(sandbox)
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits, never swallowed
            ready.set_exception(error)

    def run(
        self,
        code: str,
        query: HostQuery,
        watched: Collection[int] = (),
        now: str = "",
        delegate: HostQuery = refuse_to_delegate,
    ) -> Result:
        """Run one snippet, after all deferred actions. `now` is the time that the snippet sees. A snippet that fails
        returns a Result.

        Raises EngineError if there is no engine, and LimitExceeded if the time of the run is over, even during the
        snippet.
        """
        deferred, self._deferred = self._deferred, []
        for action in deferred:
            action()
        self.prepare()
        assert self._ready is not None
        wait([self._ready], timeout=self._ledger.seconds_left)
        self._ledger.check_time()
        try:
            sandbox = self._ready.result()
            left = self._ledger.seconds_left
            at = clock.since_1970(now)
            result = sandbox.run(code, query, seconds=left, watched=watched, now=at, delegate=delegate)
            if result.state_lost:
                # If the run's time limit ended the snippet, the snippet is not at fault.
                self._ledger.check_time()
        except SandboxUnavailable as error:
            raise EngineError(str(error.args[0]), code="no-sandbox", hint=error.hint) from error
        except SandboxFailure as error:
            raise EngineError(str(error), code="sandbox-failed", hint="run `ralph doctor`") from error
        return result

    def assign(self, name: str, value: object) -> None:
        """Assign a plain value to a variable before the next snippet runs."""
        self.defer(lambda: self.run(f"{name} = {value!r}", refuse_queries))

    def tell_budget(self, **left: int) -> None:
        """Make `budget()` return what is left now: the values in `left` and what the run may still spend."""
        self.assign("_budget", {**left, **self._ledger.left})

    def defer(self, action: Callable[[], object]) -> None:
        """Run `action` before the next snippet, if there is one."""
        self._deferred.append(action)

    def drop_deferred(self) -> None:
        """Drop the deferred actions, because the variables that they were for are lost."""
        self._deferred.clear()

    def take_engine(self) -> Sandbox | None:
        """Return the engine for use with another document; None if it never started. This sandbox must not be used
        afterwards.
        """
        ready, self._ready = self._ready, None
        if ready is None or not ready.done() or ready.exception() is not None:
            self._ready = ready
            return None
        return ready.result()

    def close(self) -> None:
        """Stop the sandbox. You can call this at any time, and more than once.

        An engine that is still starting gets `CLOSE_WAIT_S` seconds, so that it leaves no files behind. If it needs
        longer, for example to download its runtime, it is closed once it has started.
        """
        with self._lock:
            ready = self._ready
        if ready is None:
            return
        wait([ready], timeout=CLOSE_WAIT_S)
        sandbox = self._sandbox
        if sandbox is None:
            return
        if ready.done():
            sandbox.close()
        else:
            ready.add_done_callback(lambda _: sandbox.close())


def _write_prelude(document: Document) -> str:
    """Return the source of the look-up functions, and the facts about the document that they use."""
    facts = "".join(f"{name} = {value!r}\n" for name, value in lookup_facts(document).items())
    return f"{lookup_functions()}\n{facts}"


def lookup_facts(document: Document) -> dict[str, object]:
    """Return what the look-up functions know about a document besides its text and pages, by global name."""
    return {
        "_line_notes": _describe_lines(document),
        "_headings": [(heading.start, heading.level, heading.text, heading.end) for heading in document.headings],
        "_tables": list_tables(document),
        "_page_names": _name_pages(document),
        "_place_names": _name_places(document),
        "_reaches": [(heading.start, heading.sure_until, heading.is_counted) for heading in document.headings],
        "_clauses": [(clause.start, clause.key) for clause in document.clauses],
        **({"docs": list_members(document)} if document.members else {}),
    }


def list_members(document: Document) -> list[tuple[int, str, str, int, int, int, int]]:
    """Return the documents of a set, as a worker sees them.

    Each is (number, name, kind, first page, last page, start of its text, end of its text).
    """
    return [
        (number, it.name, it.kind, it.first_page, it.last_page, it.start, it.end)
        for number, it in enumerate(document.members, 1)
    ]


def list_tables(document: Document) -> list[tuple[int, int, int, list[tuple[int, int]], dict[int, int]]]:
    """Return for each table: start of its title, end, start of its first row below the header, lines above, and groups.

    The lines above are those that govern all of its rows. The groups map the start of each grouped row to the start of
    its group's head.
    """
    found = []
    for table in document.tables:
        first = table.rows[min(table.header_rows, len(table.rows) - 1)].start
        groups = {
            _line_start(document.text, row.start): _line_start(document.text, table.rows[row.parent].start)
            for row in table.rows
            if row.parent >= 0
        }
        above = [(it.start, it.end) for it in document.lines_above(first)]
        begin = table.title if table.title >= 0 else table.start
        found.append((_line_start(document.text, begin), table.end, _line_start(document.text, first), above, groups))
    return found


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\f", 0, offset)) + 1


def _name_pages(document: Document) -> dict[int, str]:
    """Return descriptions of pages that say more than the number: in sets, in formats without pages, and for OCR."""
    scanned = dict.fromkeys((scan.number for scan in document.scans), "read by OCR")
    if not document.members and document.page_noun == "page":
        return scanned
    named = {page.number: document.name_page(page) for page in document.pages}
    return named | {number: f"{named[number]}, {note}" for number, note in scanned.items()}


def _name_places(document: Document) -> list[tuple[int, str]]:
    """Return the starts and names of numbered parts, for the formats in which people refer to parts by number."""
    files = document.members or (document,)
    ends = [(member.start, "") for member in document.members]  # no part continues in the next document
    kinds = [file.kind for file in files]
    places = [
        (place.start, place.name)
        for place in document.places
        if kinds[max(bisect_right(ends, (place.start, "\uffff")) - 1, 0)] in CLAUSE_KINDS
    ]
    return sorted([*ends, *places])


def _describe_lines(document: Document) -> dict[int, str]:
    """Return notes on what lines of the document do not show, by the offset where the line begins."""
    notes = {line: f"in this row {columns}" for line, columns in describe_sparse_rows(document).items()}
    for described in (describe_lines_with_additions(document), describe_unsure_lines(document)):
        for line, note in described.items():
            notes[line] = f"{notes[line]}; {note}" if line in notes else note
    return notes


@cache
def lookup_functions() -> str:
    """Return the source of the look-up functions as one module. The code for each document's sandbox begins with it."""
    package = resources.files("ralph_cli")
    names = (
        "text/patterns.py",
        "documents/sets/naming.py",
        "documents/structure/sections.py",
        *(f"rlm/lookup/{name}.py" for name in ("lines", "rows", "find", "parts", "children")),
    )
    sources = "\n".join(package.joinpath(name).read_text("utf-8") for name in names)
    return re.sub(r"^from ralph_cli\.[\w.]+ import (?:\([^)]*\)|.*)\n", "", sources, flags=re.MULTILINE)
