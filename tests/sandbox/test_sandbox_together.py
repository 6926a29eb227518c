"""Sub-queries that cannot depend on each other are sent together, and nobody but the host can tell."""

from __future__ import annotations

import ast
import json
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reached import reached, reaches

from sandbox.guest.queries import Queries, QueryError
from sandbox.guest.together import NAME, Together
from sandbox.guest.touched import Text

BEFORE = """
parts = ["a", "bad", "c", "d"]
numbers = [1, 2, 3]
mixed = ["a", None, "c"]
pairs = [("a", 1), ("b", 2)]
named = {"x": "a", "y": "b"}
out = ["first"]
alias = out
held = [out, "b"]
question = "Who?"
def seen():
    return str(len(out))
def asked(t):
    return llm_query("inner", t)
"""


def run(code: str, *, rewritten: bool) -> tuple[dict[str, Any], list[list[list[str]]]]:
    """The variables that a snippet leaves behind, its error among them, and what the host was asked in each call."""
    calls: list[list[list[str]]] = []

    def host_call(meta: str, blob: bytes) -> str:
        parts, at = [], 0
        for size in json.loads(meta)["sizes"]:
            parts.append(blob[at : at + size].decode())
            at += size
        calls.append([parts[i : i + 2] for i in range(0, len(parts), 2)])
        told = [{"failed": text} if "bad" in text else {"text": f"<{prompt}|{text}>"} for prompt, text in calls[-1]]
        return json.dumps({"answers": told})

    queries = Queries(host_call, {"prompt_chars": 100, "batch": 3, "call_bytes": 1 << 20})
    names: dict[str, Any] = {
        "llm_query": queries.llm_query,
        "QueryError": QueryError,
        "context": Text("once upon a time"),
    }
    together = Together(queries)
    tree = ast.parse(BEFORE + code)
    names[NAME] = together
    try:
        exec(compile(together.visit(tree) if rewritten else tree, "<snippet>", "exec"), names)
        error = ""
    except Exception as raised:  # noqa: BLE001 - compared
        error = f"{type(raised).__name__}: {raised}"
    left = {
        name: repr(value) for name, value in names.items() if not name.startswith("_") and type(value) in (list, str)
    }
    return left | {"error": error}, calls


INDEPENDENT = [
    "found = [llm_query('q', t) for t in ['a', 'b']]",
    "found = [llm_query(f'{question} {i + 1:>3}', text=t.strip()) for i, t in enumerate(parts) if i != 1]",
    "found = [llm_query(prompt=question, text=str(n)) for n in numbers]",
    "def many(parts, q):\n    return [llm_query(q, t[:5]) for t in parts]\nfound = many(['x', 'y'], 'why')",
    "for name, number in pairs:\n    out.append(llm_query(question + name, 'ab' * number))",
    "for i in range(0, len(context), 5):\n    out.append(llm_query('q', context[i : i + 5]))",
    "for key, value in sorted(named.items()):\n    out.append(llm_query(key, value))",
]


@pytest.mark.parametrize("code", INDEPENDENT)
def test_questions_that_cannot_depend_on_each_other_are_sent_together(code: str) -> None:
    (left, calls), (expected, one_by_one) = run(code, rewritten=True), run(code, rewritten=False)
    assert (left, list(chain(*calls))) == (expected, list(chain(*one_by_one)))
    assert len(calls) < len(one_by_one) and not left["error"]


DEPENDENT = [
    "for t in parts[:1] * 2:\n    out.append(llm_query('q', out[-1]))",
    "for t in numbers:\n    out.append(llm_query('q', alias[-1]))",
    "for t in numbers:\n    out.append(llm_query('q', held[0][-1]))",
    "for t in numbers:\n    out.append(llm_query('q', seen()))",
    "for t in map(str, numbers):\n    out.append(llm_query('q', t))",
    "for t in (str(len(out)) for n in numbers):\n    out.append(llm_query('q', t))",
    "for out in ([], []):\n    out.append(llm_query('q', 'a'))",
    "for t in numbers:\n    out.append(llm_query('q', str(t)))\n    question = 'b'",
    "for t in numbers:\n    out.append(llm_query('q', str(t)))\nelse:\n    out.append('done')",
    "len = seen = lambda x: str(out)\nfor t in numbers:\n    out.append(llm_query('q', len(t)))",
    "llm = llm_query\ndef f(llm_query):\n    return [llm_query('q', 'a') for t in numbers]\n"
    "found = f(lambda p, t: llm(p, t))",
    "found = [llm_query('q', asked(t)) for t in 'ab']",
    "found = [llm_query('q', (last := str(t))) for t in numbers]",
    "class Kept(list):\n    def append(self, x):\n        super().append(x + '!')\nout = Kept()\n"
    "for t in numbers:\n    out.append(llm_query('q', str(t)))\nout = list(out)",
]


@pytest.mark.parametrize("code", DEPENDENT)
def test_whatever_else_there_is_in_a_loop_is_run_as_it_is_written(code: str) -> None:
    left, calls = run(code, rewritten=True)
    assert (left, calls) == run(code, rewritten=False)
    assert all(len(call) == 1 for call in calls) and len(calls) > 1


texts = st.sampled_from(
    [
        "t",
        "str(t)",
        "out[-1]",
        "str(len(alias))",
        "t.upper()",
        "parts[n]",
        "context[n : n + 4]",
        "seen()",
        "missing",
        "t[0]",
    ]
)
prompts = st.sampled_from(["'q'", "question", "f'{question}{n}'", "'q' + t", "f'{held}'", "'%s' % n", "asked('z')"])
sources = st.sampled_from(
    [
        "parts",
        "parts[2:]",
        "mixed",
        "['a', 'c'] * 3",
        "named.values()",
        "list(named)",
        "out[:3]",
        "[str(x) for x in out]",
    ]
)
loops = st.sampled_from(
    [
        "for n, t in enumerate({source}):\n    out.append(llm_query({prompt}, {text}))",
        "n = 1\nout += [llm_query({prompt}, {text}) for t in {source}]",
        "n = 2\nalias = [llm_query({prompt}, text={text}) for t in {source} if t != 'bad']",
        "n = 0\ndef f(n, out):\n    for t in {source}:\n        out.append(llm_query({prompt}, {text}))\nf(1, out)",
        "n = 0\ntry:\n    for t in {source}:\n        out.append(llm_query({prompt}, {text}))\n"
        "except QueryError:\n    n = 1",
    ]
)


@reaches(together=0.1, failed=0.1)
@settings(max_examples=100, deadline=None)
@given(loops, sources, prompts, texts)
def test_a_snippet_leaves_the_same_behind_however_it_is_sent(loop: str, source: str, prompt: str, text: str) -> None:
    code = loop.format(source=source, prompt=prompt, text=text)
    (left, calls), (expected, one_by_one) = run(code, rewritten=True), run(code, rewritten=False)
    asked, needed = list(chain(*calls)), list(chain(*one_by_one))
    if reached("failed", len(asked) > len(needed) or expected["error"]):
        left.pop("t", None), expected.pop("t", None)  # what is sent together has gone through the whole loop
    assert left == expected and asked[: len(needed)] == needed
    if reached("together", any(len(call) > 1 for call in calls)):
        assert len(calls) < len(asked)
