"""Typical snippets run on each engine as they would in a notebook."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import snippets
from baits import answers, both

from sandbox import Sandbox

FILES = "there are no files here: the document's text is in `context`, its pages are in `pages`"
LIBRARY = "there is nothing here but Python's standard library, and nothing can be installed"
THREADS = "there are no threads here: `llm_query_batch` asks many questions at once"
OUTSIDE = "nothing outside can be reached from here: no network, no files, no programs"
AWAITED = "`llm_query` and `llm_query_batch` wait by themselves: call them without `await`"


@both
def test_typical_snippets_run(engine: str, shared: Callable[..., Sandbox]) -> None:
    sandbox = shared(engine)
    sandbox.load(snippets.DOCUMENT, [(1, "i", 0, 400), (2, "1", 401, 800)])
    failed = {}
    for code in snippets.SNIPPETS:
        result = sandbox.run(code, answers)
        if result.error is not None or not result.stdout:
            failed[code] = result.error
    assert len(snippets.SNIPPETS) == 33
    assert len(failed) <= 2, failed
    assert all("No module named" in str(error) for error in failed.values()), failed


@both
@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("open('report.pdf')", FILES),
        ("from pathlib import Path\nPath('report.pdf').read_bytes()", FILES),
        ("import os\nos.listdir('/data')", FILES),
        ("import numpy as np", LIBRARY),
        ("import pandas", LIBRARY),
        ("import pypdf.errors", LIBRARY),
        ("import pip", LIBRARY),
        ("import subprocess\nsubprocess.run(['pip', 'install', 'pandas'])", OUTSIDE),
        ("import urllib.request", "this module is not in the sandbox"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 80), 1)", OUTSIDE),
        ("import threading\nthreading.Thread(target=print).start()", THREADS),
        ("await llm_query('p')", AWAITED),
    ],
)
def test_the_usual_mistakes_are_answered_with_what_to_do(
    engine: str, code: str, advice: str, shared: Callable[..., Sandbox]
) -> None:
    result = shared(engine).run(code, answers)
    if engine == "pyodide" and "urllib" in code:
        return  # it is there, and the network is not
    assert result.error is not None and result.error.endswith(f" ({advice})") and not result.state_lost
    assert "install it by" not in result.error


@both
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("import asyncio\nasync def f(n): return n\nasyncio.run(f(3))", "3"),
        (
            "import asyncio\nawait asyncio.gather(asyncio.sleep(0.01, 1), asyncio.to_thread(llm_query, 'p', 't'))",
            "[1, 'A:p|t']",
        ),
        ("async def g():\n    yield 1\n    yield 2\n[n async for n in g()]", "[1, 2]"),
        ("context_two = [await c for c in [f(1)]]\ncontext_two", "[1]"),
        ("import asyncio\nasyncio.get_event_loop().run_until_complete(f(4))", "4"),
        ("import logging, sqlite3, tomllib\nsqlite3.connect(':memory:').execute('select 6 * 7').fetchone()", "(42,)"),
    ],
)
def test_coroutines_and_the_library_are_as_usual(
    engine: str, code: str, value: str, shared: Callable[..., Sandbox]
) -> None:
    sandbox = shared(engine)
    sandbox.run("async def f(n): return n", answers)
    assert sandbox.run(code, answers).value == value


@both
def test_a_coroutine_that_waits_for_nothing_and_a_reserved_name_that_is_awaited(
    engine: str, shared: Callable[..., Sandbox]
) -> None:
    sandbox = shared(engine)
    stuck = sandbox.run("import asyncio\nawait asyncio.Event().wait()", answers)
    assert stuck.error is not None and "waits for something that never happens" in stuck.error
    rebound = sandbox.run("context = await asyncio.sleep(0)", answers)
    assert rebound.error == "`context` is read-only: use another name (nothing was run)"
    wrong = sandbox.run("x = 1\nawait = 2", answers)
    assert wrong.error is not None and '"<snippet>", line 2' in wrong.error and "SyntaxError" in wrong.error
