"""A property with a way out says how often it must not be taken: see `tests/support/reached.py`.

Ways out are a return, an assumption that drops the example, and a condition around assertions without an alternative.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reached import reached, reaches

TESTS = Path(__file__).parent
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def called(node: ast.AST) -> str:
    """The name of what an expression calls, or is."""
    target = node.func if isinstance(node, ast.Call) else node
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """What a test does itself: not what the functions do that it defines."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FUNCTIONS):
            yield child
            yield from inside(child)


def counts(node: ast.AST) -> bool:
    return any(called(part) == "reached" for part in ast.walk(node) if isinstance(part, ast.Call))


def asserts(nodes: list[ast.stmt]) -> bool:
    return any(isinstance(part, ast.Assert) for node in nodes for part in ast.walk(node))


def uncounted(test: ast.FunctionDef) -> Iterator[str]:
    """The ways out of a property that are not counted, and names that are counted but not asked for, or the reverse."""
    parts = list(inside(test))
    ifs = [part for part in parts if isinstance(part, ast.If)]
    free = {leave for part in ifs if counts(part.test) for node in part.body for leave in (node, *inside(node))}
    for part in parts:
        leaves = isinstance(part, ast.Return | ast.Continue | ast.Break) and part not in free
        drops = isinstance(part, ast.Call) and called(part) in ("assume", "reject") and not counts(part)
        if leaves or drops:
            yield f"line {part.lineno}: a way out that is not counted"
        if isinstance(part, ast.If) and not counts(part.test) and asserts(part.body) != asserts(part.orelse):
            yield f"line {part.lineno}: assertions that are not always reached, which is not counted"
    named = {part.args[0].value for part in parts if isinstance(part, ast.Call) and called(part) == "reached"}  # type: ignore[attr-defined]
    wanted = {word.arg for mark in test.decorator_list if called(mark) == "reaches" for word in mark.keywords}  # type: ignore[attr-defined]
    yield from (f"{name} is counted or wanted, not both" for name in sorted(named ^ wanted))
    if wanted and called(test.decorator_list[0]) != "reaches":
        yield "reaches stands first, else settings are not those of the property"


def faults(source: str) -> list[str]:
    """What is wrong with the properties of a module."""
    tests = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    properties = [test for test in tests if any(called(mark) == "given" for mark in test.decorator_list)]
    return [f"{test.name}, {fault}" for test in properties for fault in uncounted(test)]


def test_every_property_counts_what_it_reaches() -> None:
    texts = {str(path.relative_to(TESTS)): path.read_text("utf-8") for path in TESTS.rglob("test_*.py")}
    found = {path: faults(text) for path, text in texts.items() if "given" in text}
    assert len(found) > 30 and {path: said for path, said in found.items() if said} == {}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("assert made(x)", ""),
        ("if not made(x):\n        return\n    assert x", "a way out"),
        ("for y in x:\n        if y:\n            continue\n        assert x", "a way out"),
        ("try:\n        made(x)\n    except ValueError:\n        return\n    assert x", "a way out"),
        ("assume(made(x))\n    assert x", "a way out"),
        ("if made(x):\n        assert x", "not always reached"),
        ("if made(x):\n        assert x\n    else:\n        assert not x", ""),
        ("if x:\n        x = 1\n    assert x", ""),
        ("def made():\n        return 1\n    assert made()", ""),
        ("if not reached('good', x):\n        return\n    assert x", "good is counted or wanted"),
    ],
)
def test_a_way_out_is_found(body: str, fault: str) -> None:
    found = faults(f"@settings()\n@given(st.text())\ndef test_a(x):\n    {body}\n")
    assert [fault in line for line in found] == [True] * bool(fault)


@pytest.mark.parametrize(
    "body",
    [
        "if not reached('good', x):\n        return\n    assert x",
        "assume(reached('good', x))\n    assert x",
        "if reached('good', x):\n        assert x",
    ],
)
def test_a_way_out_that_is_counted_is_free(body: str) -> None:
    assert faults(f"@reaches(good=0.5)\n@given(st.text())\ndef test_a(x):\n    {body}\n") == []
    assert faults(f"@settings()\n@reaches(good=0.5)\n@given(st.text())\ndef test_a(x):\n    {body}\n") != []
    assert faults(f"@reaches(good=0.5, bad=0.5)\n@given(st.text())\ndef test_a(x):\n    {body}\n") != []
    assert faults(f"def test_a(x):\n    if x:\n        return\n    {body}\n") == []  # no property


@pytest.mark.parametrize(("least", "share"), [(-5, 1.0), (0, 0.2), (5, 0.9), (99, 0.1)])
def test_a_property_fails_that_reaches_too_little(least: int, share: float) -> None:
    drawn: list[bool] = []

    @reaches(large=share)
    @given(st.integers(-5, 5))
    def seldom(number: int) -> None:
        drawn.append(number >= least)
        if not reached("large", number >= least):
            return
        assert number >= least

    enough = least <= 0
    try:
        seldom()
    except AssertionError as error:
        assert not enough and f"large: reached in {sum(drawn)} of {len(drawn)} examples" in str(error)
    else:
        assert enough


def test_a_property_that_counts_nothing_fails() -> None:
    with pytest.raises(AssertionError, match="good: reached in 0 of 0 examples"):
        reaches(good=0.0)(lambda: None)()
