"""`context`, `pages` and the calls cannot be rebound where that would hide them; elsewhere their names are free."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from baits import answers, both

from sandbox import Sandbox

Shared = Callable[..., Sandbox]


@both
@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("context = 'x'", "context"),
        ("context += 'x'", "context"),
        ("del pages", "pages"),
        ("import json as context", "context"),
        ("from json import loads as llm_query", "llm_query"),
        ("def llm_query(p): pass", "llm_query"),
        ("class pages: pass", "pages"),
        ("for context in 'ab': pass", "context"),
        ("a, (pages, b) = 1, (2, 3)", "pages"),
        ("if (context := 'x'): pass", "context"),
        ("[context := c for c in 'ab']", "context"),
        ("def f():\n    global context\n    context = 'x'", "context"),
        ("class A:\n    def f(self):\n        global llm_query_batch\n        llm_query_batch = 1", "llm_query_batch"),
        ("try: 1 / 0\nexcept Exception as context: pass", "context"),
        ("match 1:\n    case context: pass", "context"),
        ("with open('x') as context: pass", "context"),
    ],
)
def test_the_document_and_the_calls_cannot_be_rebound(engine: str, code: str, name: str, shared: Shared) -> None:
    sandbox = shared(engine)
    sandbox.load("true", [])
    result = sandbox.run(f"ran = True\n{code}", answers)
    assert result.error == f"`{name}` is read-only: use another name (nothing was run)"
    assert sandbox.run("'ran' in globals(), context", answers).value == "(False, 'true')"


@both
@pytest.mark.parametrize(
    "code",
    [
        "def f(context): return context\nf(7)",
        "(lambda pages: pages)(7)",
        "[context for context in [7]][0]",
        "{context: 1 for context in [7]}.popitem()[0]",
        "def f():\n    context = 7\n    return context\nf()",
        "class A:\n    context = 7\nA.context",
        "def f():\n    global context\n    return 7 if context else 8\nf()",
        "next(pages for pages in [7])",
        "len(context) + 3",
    ],
)
def test_the_names_are_free_elsewhere(engine: str, code: str, shared: Shared) -> None:
    sandbox = shared(engine)
    sandbox.load("true", [])
    result = sandbox.run(code, answers)
    assert (result.value, result.error) == ("7", None)
