"""The Python side of a snippet, inside the sandbox: runs it, captures what it prints, asks the host its sub-queries.

The same file for every engine; it is sent to the worker as source and imports nothing but the standard library.
"""

from __future__ import annotations

import ast
import builtins
import io
import json
import linecache
import random
import symtable
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.touched import Text

HostCall = Callable[[str, bytes], str]
"""Takes JSON and a blob, blocks until the host has answered, gives the answer's JSON."""

RESERVED = ("context", "pages", "llm_query", "llm_query_batch")
ERROR_CHARS = 8192
COMPREHENSION_VARIABLE = 1 << 9  # DEF_COMP_ITER; `Symbol.is_comp_iter` is there from Python 3.14 on only
MAX_SOURCES = 64  # snippets whose lines a traceback can still show


class QueryError(Exception):
    """A sub-query that failed; the message says why."""

    __module__ = "__main__"  # so that a traceback calls it by its plain name


class _Capture(io.TextIOBase):
    """Keeps the first `limit` characters and counts all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[str] = []
        self._kept = 0
        self.total = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        text = str.__str__(text)  # a subclass may lie about its length
        self.total += len(text)
        if self._kept < self._limit:
            self._parts.append(text[: self._limit - self._kept])
            self._kept += len(self._parts[-1])
            if len(self._parts) > 4096:  # ten million one-letter prints must not become ten million objects
                self._parts = ["".join(self._parts)]
        return len(text)

    def text(self) -> str:
        return "".join(self._parts)


class Guest:
    """One session: a namespace that is kept from snippet to snippet, and the way to the host."""

    def __init__(self, host_call: HostCall, options: str, text: Callable[[str], Text]) -> None:
        """`text` makes of the document what the snippets get to see as `context`: see `sandbox.touched`."""
        bounds = json.loads(options)
        self._output: int = bounds["output"]
        self._queries = Queries(host_call, bounds)
        self._text = text
        self._context = text("")
        self._pages: tuple[tuple[Any, ...], ...] = ()
        self._count = 0
        self._sources: list[str] = []
        self._builtins = dict(vars(builtins))
        self._recursion_limit = sys.getrecursionlimit()
        # A module of its own, so that dataclasses, typing and pickle find the namespace under the usual name.
        main = types.ModuleType("__main__")
        sys.modules["__main__"] = main
        self._names = vars(main)
        sys.modules.update(serial_executors())
        random.seed(0)  # a snippet that is run again, in another interpreter, draws the same

    def load(self, context: Any, pages: str) -> None:
        """Set the document: its UTF-8 bytes, and its pages as JSON."""
        self._context = self._text(str(context, "utf-8", "replace"))
        self._pages = tuple(tuple(page) for page in json.loads(pages))

    def run(self, code: str) -> str:
        """Run a snippet; gives the fields of its result as JSON."""
        self._restore()
        capture = _Capture(self._output)
        before = sys.stdout, sys.stderr, sys.stdin
        value = error = None
        sys.stdout = sys.stderr = capture
        sys.stdin = io.StringIO()  # `input()` raises EOFError
        try:
            value = self._execute(code)
        except BaseException as raised:  # noqa: BLE001 - SystemExit and KeyboardInterrupt too: nothing ends the session
            error = _describe(raised, self._count)
        finally:
            sys.stdout, sys.stderr, sys.stdin = before
        fields = {"stdout": capture.text(), "total": capture.total, "value": value, "error": error}
        return json_dumps({**fields, "touched": self._take_touched()})

    def _take_touched(self) -> list[list[int]]:
        """The slices that the snippet took of the document."""
        try:
            return self._context.take()
        except BaseException:  # noqa: BLE001 - no memory is left, or the snippet has spoilt it: it is of no importance
            return []

    def _restore(self) -> None:
        """Undo what an earlier snippet did to the names that the next one relies on."""
        sys.setrecursionlimit(self._recursion_limit)
        table = vars(builtins)
        if len(table) != len(self._builtins) or any(table.get(k) is not v for k, v in self._builtins.items()):
            table.clear()
            table.update(self._builtins)
        names = self._names
        names.pop("print", None)  # other builtins may be shadowed by the model's own variables; this one reports
        names.update(
            __name__="__main__",
            __builtins__=builtins,
            context=self._context,
            pages=list(self._pages),
            llm_query=self._queries.llm_query,
            llm_query_batch=self._queries.llm_query_batch,
            QueryError=QueryError,
        )

    def _execute(self, code: str) -> str | None:
        self._count += 1
        name = _file_name(self._count)
        tree = ast.parse(code, name)
        rebound = reserved_names(tree, symtable.symtable(code, name, "exec"))
        if rebound:
            raise _Refused(f"`{rebound[0]}` is read-only: use another name (nothing was run)")
        self._remember(name, code)
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            exec(compile(tree, name, "exec", dont_inherit=True), self._names)
            return None
        tree.body.pop()
        exec(compile(tree, name, "exec", dont_inherit=True), self._names)
        value = eval(compile(ast.Expression(last.value), name, "eval", dont_inherit=True), self._names)
        if value is None:
            return None
        text = str.__str__(repr(value))
        return text if len(text) <= self._output else f"{text[: self._output]}… ({len(text):,} characters)"

    def _remember(self, name: str, code: str) -> None:
        """Keep the snippet's lines where a traceback looks for them."""
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        self._sources.append(name)
        if len(self._sources) > MAX_SOURCES:
            linecache.cache.pop(self._sources.pop(0), None)


json_dumps = json.dumps  # bound before the first snippet could replace it
json_loads = json.loads


class _Refused(Exception):
    """A snippet that was not run; its message is the whole error."""


class Queries:
    """`llm_query` and `llm_query_batch` as the snippet sees them."""

    def __init__(self, host_call: HostCall, bounds: Mapping[str, int]) -> None:
        self._host_call = host_call
        self._chars, self._batch, self._bytes = bounds["prompt_chars"], bounds["batch"], bounds["call_bytes"]

    def llm_query(self, prompt: str, text: str = "") -> str:
        """Ask a model one question about a piece of text; blocks; raises QueryError if it fails."""
        answer = self._ask([self._pair("llm_query", prompt, text)])[0]
        if isinstance(answer, QueryError):
            raise answer
        return answer

    def llm_query_batch(self, items: Iterable[Any]) -> list[str | QueryError]:
        """Ask many questions at once: (prompt, text) pairs or prompts; a failed one is a QueryError in its place."""
        if isinstance(items, (str, bytes)):
            raise TypeError("llm_query_batch takes a list of (prompt, text) pairs, not one string")
        pairs: list[tuple[str, str]] = []
        answers: list[str | QueryError | None] = []
        for number, item in enumerate(items):
            if number >= self._batch:
                raise ValueError(f"llm_query_batch takes at most {self._batch} items: split the list")
            pair = (item, "") if isinstance(item, str) else item
            try:
                if not isinstance(pair, (tuple, list)) or len(pair) not in (1, 2):
                    raise TypeError(f"llm_query_batch: item {number} is not a (prompt, text) pair")
                pairs.append(self._pair(f"llm_query_batch: item {number}", *pair))
                answers.append(None)
            except (TypeError, ValueError) as error:
                answers.append(QueryError(str(error)))
        replies = iter(self._ask(pairs) if pairs else [])
        return [next(replies) if answer is None else answer for answer in answers]

    def _pair(self, where: str, prompt: Any, text: Any = "") -> tuple[str, str]:
        for name, value in (("prompt", prompt), ("text", text)):
            if not isinstance(value, str):
                raise TypeError(f"{where}: {name} must be str, not {type(value).__name__}")
        prompt, text = str.__str__(prompt), str.__str__(text)  # a subclass may lie about its length
        size = len(prompt) + len(text)
        if size > self._chars:
            raise ValueError(f"{where}: prompt and text have {size:,} characters, at most {self._chars:,} can be sent")
        return prompt, text

    def _ask(self, pairs: list[tuple[str, str]]) -> list[str | QueryError]:
        parts = [part.encode("utf-8", "surrogatepass") for pair in pairs for part in pair]
        sizes = [len(part) for part in parts]
        if sum(sizes) > self._bytes:
            raise ValueError(f"llm_query_batch: {sum(sizes):,} bytes at once, at most {self._bytes:,}: split the list")
        answers = json_loads(self._host_call(json_dumps({"sizes": sizes}), b"".join(parts)))["answers"]
        return [answer["text"] if "text" in answer else QueryError(answer["failed"]) for answer in answers]


def reserved_names(tree: ast.Module, table: symtable.SymbolTable) -> list[str]:
    """The reserved names that a snippet binds or deletes at its top level, or through a `global` statement."""
    walrus = _walrus_targets(tree)
    return [name for name in RESERVED if name in walrus or any(_binds(scope, name) for scope in _scopes(table))]


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _binds(table: symtable.SymbolTable, name: str) -> bool:
    if name not in table.get_identifiers():
        return False
    symbol = table.lookup(name)
    bound = symbol.is_assigned() or symbol.is_imported()
    if table.get_type() == "module":
        # From Python 3.12 on, a comprehension's own variables are seen in the table around it.
        return bound and not getattr(symbol, "_Symbol__flags", 0) & COMPREHENSION_VARIABLE
    return bound and symbol.is_declared_global()


def _walrus_targets(tree: ast.Module) -> set[str]:
    """Names bound with `:=` at the top level; one in a comprehension is bound outside it, which no table says."""
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.NamedExpr):
                names.add(node.target.id)
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                waiting.append(node)
    return names


def _file_name(number: int) -> str:
    return f"<snippet {number}>"


def _describe(error: BaseException, number: int) -> str:
    """The traceback without the frames of this runner and of the library, in the snippet's own line numbers."""
    if isinstance(error, _Refused):
        return str(error)
    try:
        report = traceback.TracebackException.from_exception(error)
        _trim(report, number, set())
        text = "".join(report.format()).strip()
    except BaseException:  # noqa: BLE001 - an exception whose own methods fail, or no memory is left
        text = type(error).__name__
    text = text.replace(f'"{_file_name(number)}"', '"<snippet>"')
    return text if len(text) <= ERROR_CHARS else f"{text[: ERROR_CHARS // 2]}\n...\n{text[-ERROR_CHARS // 2 :]}"


def _trim(report: traceback.TracebackException, number: int, seen: set[int]) -> None:
    if id(report) in seen:
        return
    seen.add(id(report))
    frames = []
    for frame in report.stack:
        if frame.filename.startswith("<snippet"):
            name = "<snippet>" if frame.filename == _file_name(number) else "<earlier snippet>"
            frames.append(traceback.FrameSummary(name, frame.lineno, frame.name, lookup_line=False, line=frame.line))
    report.stack = traceback.StackSummary.from_list(frames)
    for linked in (report.__cause__, report.__context__, *(getattr(report, "exceptions", None) or ())):
        if linked is not None:
            _trim(linked, number, seen)


def serial_executors() -> dict[str, types.ModuleType]:
    """Modules `concurrent` and `concurrent.futures` whose executors run each call at once: there are no threads."""

    class Future:
        def __init__(self, call: Callable[[], Any]) -> None:
            self._value: Any = None
            self._error: BaseException | None = None
            try:
                self._value = call()
            except Exception as error:  # noqa: BLE001 - as the real one does
                self._error = error

        def result(self, timeout: float | None = None) -> Any:
            if self._error is not None:
                raise self._error
            return self._value

        def exception(self, timeout: float | None = None) -> BaseException | None:
            return self._error

        def done(self) -> bool:
            return True

        def cancel(self) -> bool:
            return False

        def add_done_callback(self, callback: Callable[[Any], object]) -> None:
            callback(self)

    class Executor:
        def __init__(self, max_workers: int | None = None, *_args: Any, **_options: Any) -> None: ...

        def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future:
            return Future(lambda: call(*args, **options))

        def map(self, call: Callable[..., Any], *lists: Iterable[Any], **_options: Any) -> Iterator[Any]:
            return iter([call(*items) for items in zip(*lists, strict=False)])

        def shutdown(self, *_args: Any, **_options: Any) -> None: ...

        def __enter__(self) -> Executor:
            return self

        def __exit__(self, *_error: object) -> None: ...

    package, module = types.ModuleType("concurrent"), types.ModuleType("concurrent.futures")
    vars(package).update(futures=module, __path__=[])
    vars(module).update(
        Executor=Executor,
        ThreadPoolExecutor=Executor,
        ProcessPoolExecutor=Executor,
        Future=Future,
        TimeoutError=TimeoutError,
        as_completed=lambda futures, timeout=None: iter(list(futures)),
        wait=lambda futures, timeout=None, return_when=None: (set(futures), set()),
    )
    return {"concurrent": package, "concurrent.futures": module}
