"""A session of snippets: runs them in one namespace, captures what they print, and gives them the document."""

from __future__ import annotations

import ast
import builtins
import inspect
import io
import json
import linecache
import random
import re
import symtable
import sys
import traceback
import types
import warnings
from typing import Any

from sandbox.guest import ahead, moment, names, probes, queries, reports, stand_ins, together, touched
from sandbox.guest.probes import MARK, Probes
from sandbox.guest.queries import HostCall, Queries, QueryError, json_dumps, json_loads
from sandbox.guest.reports import Refused, Sources, describe
from sandbox.guest.together import Together
from sandbox.guest.touched import Text

AWAITABLE = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


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

    def __init__(self, host_call: HostCall, options: str) -> None:
        bounds = json.loads(options)
        self._output: int = bounds["output"]
        self._queries = Queries(host_call, bounds)
        self._context = Text("")
        self._pieces: list[str] = []
        self._pages: tuple[tuple[Any, ...], ...] = ()
        self._recursion_limit = sys.getrecursionlimit()
        self._modules: dict[str, types.ModuleType] = {}
        self._originals: list[names.Original] = []
        self._offered: dict[str, Any] = {}
        self._begin()
        sys.modules.update(stand_ins.serial_executors())
        stand_ins.use_event_loop()
        self._moment = moment.Moment()

    def load(self, piece: Any, pages: str) -> None:
        """Take a piece of the document in UTF-8; with the last piece also the pages as JSON, "" before."""
        self._context = Text("")
        self._pieces.append(str(piece, "utf-8", "replace"))
        if pages:
            whole = "".join(self._pieces)
            self._pieces.clear()
            self._context = Text(whole)
            self._pages = tuple(tuple(page) for page in json.loads(pages))

    def define(self, code: str, offered: str) -> str | None:
        """Run code of the host in a namespace of its own, and offer the names in the JSON list `offered`.

        This begins a session: the variables of earlier snippets are gone. Returns the error, or None.
        """
        self._restore()
        self._originals = [original for original in self._originals if original.owner is not self._prelude]
        self._begin()
        self._restore()
        prelude = vars(self._prelude)
        try:
            ahead.execute(code, prelude)
            self._offered = {name: prelude[name] for name in json.loads(offered)}
        except Exception as error:  # noqa: BLE001 - the host gets it
            return f"{type(error).__name__}: {error}"
        self._originals.append(names.Original(self._prelude))
        return None

    def _begin(self) -> None:
        """Make a new namespace for snippets, with the same random seed."""
        # A module of its own, so that dataclasses, typing and pickle find the namespace under the usual name.
        main = types.ModuleType("__main__")
        sys.modules["__main__"] = main
        self._names = vars(main)
        if "__main__" in self._modules:
            self._modules["__main__"] = main
        self._prelude = types.ModuleType("prelude")
        self._offered = {}
        self._sources = Sources()
        random.seed(0)

    def run(self, code: str, watched: str = "[]", now: str = "null") -> str:
        """Run a snippet; return the fields of its result as JSON. An exception is a fault of this runner.

        `watched`, in JSON, are the numbers of expressions whose evaluation is reported; `now`, in JSON, is the
        snippet's time.
        """
        self._restore()
        self._moment.set(json_loads(now))
        self._reached: set[int] = set()
        capture = _Capture(self._output)
        before = sys.stdout, sys.stderr, sys.stdin
        value = error = None
        sys.stdout = sys.stderr = capture
        sys.stdin = io.StringIO()  # `input()` raises EOFError
        name = self._sources.add(code)
        try:
            value = self._execute(code, name, json_loads(watched))
        except BaseException as raised:  # noqa: BLE001 - SystemExit and KeyboardInterrupt too: nothing ends the session
            error = describe(raised, name)
        finally:
            sys.stdout, sys.stderr, sys.stdin = before
        if hidden := [name for name, own in self._offered.items() if self._names.get(name) is not own]:
            told = " and ".join(f"`{name}`" for name in hidden)
            capture.write(f"[next time {told} will be what the sandbox offers again: keep yours under another name]\n")
        fields = {"stdout": capture.text(), "total": capture.total, "value": value, "error": error}
        return json_dumps({**fields, "touched": self._take_touched(), "reached": sorted(self._reached)})

    def _take_touched(self) -> list[list[int]]:
        """Return the slices that the snippet took of the document."""
        try:
            return self._context.take()
        except BaseException:  # noqa: BLE001 - no memory is left, or the snippet broke it; it is only a hint
            return []

    def _remember(self) -> None:
        """Remember what snippets and this runner rely on, before the first snippet and after the lock-down."""
        self._modules = dict(sys.modules)
        libraries = (builtins, ast, inspect, io, json, linecache, random, re, symtable, traceback, types)
        ours = (ahead, names, probes, queries, reports, stand_ins, together, touched, self._queries)
        classes = (Guest, Probes, Queries, Sources, Text, Together, _Capture, traceback.TracebackException)
        self._originals = [names.Original(owner) for owner in (*libraries, *ours, *classes)]

    def _restore(self) -> None:
        """Restore the names that the next snippet and this runner rely on."""
        if not self._originals:
            self._remember()
        sys.setrecursionlimit(self._recursion_limit)
        sys.settrace(None)
        sys.setprofile(None)
        warnings.simplefilter("ignore")  # a warning, such as on "\\(", is no output of the snippet
        for original in self._originals:
            original.restore()
        if any(sys.modules.get(name) is not module for name, module in self._modules.items()):
            sys.modules.update(self._modules)
        document = {"context": self._context, "pages": list(self._pages), "__builtins__": builtins}
        vars(self._prelude).update(document, _session=self._names, _delegate=self._queries.delegate)
        self._names.pop(MARK, None)
        self._names.pop(together.NAME, None)
        self._names.pop("print", None)  # variables may shadow other builtins, but results are printed
        self._names.update(
            document,
            __name__="__main__",
            llm_query=self._queries.llm_query,
            llm_query_batch=self._queries.llm_query_batch,
            QueryError=QueryError,
            **self._offered,
        )

    def _execute(self, code: str, name: str, watched: list[int]) -> str | None:
        tree = ast.parse(code, name)
        rebound = names.reserved_names(tree, code, name)
        if rebound:
            raise Refused(f"`{rebound[0]}` is read-only: use another name (nothing was run)")
        probes = Probes(tree, watched)
        self._reached, self._names[MARK] = probes.reached, probes.note
        self._names[together.NAME] = rewriter = Together(self._queries)
        tree = rewriter.visit(tree)
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            self._evaluate(tree, name, "exec")
            return None
        tree.body.pop()
        self._evaluate(tree, name, "exec")
        value = self._evaluate(ast.Expression(last.value), name, "eval")
        if value is None:
            return None
        text = str.__str__(repr(value))
        return text if len(text) <= self._output else f"{text[: self._output]}… ({len(text):,} characters)"

    def _evaluate(self, tree: ast.Module | ast.Expression, name: str, mode: str) -> Any:
        """Run a part of a snippet, in an event loop if it has `await` at its top level."""
        program = compile(tree, name, mode, flags=AWAITABLE, dont_inherit=True)
        value = eval(program, self._names)
        if not program.co_flags & inspect.CO_COROUTINE:
            return value
        loop = stand_ins.EventLoop()
        try:
            return loop.run_until_complete(value)
        finally:
            loop.close()
