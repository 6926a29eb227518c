"""The self-check passes on the real engines, and each of its checks fails on a sandbox that has that hole."""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from baits import native_first

from sandbox import HostQuery, Result, Sandbox
from sandbox.selfcheck import _check_protections, check, check_sandbox

CHECKS = [
    "runs a snippet", "keeps its variables", "sees the document", "asks sub-queries", "cannot read a file",
    "cannot see the environment", "cannot connect", "cannot write", "cannot start a program",
    "its protections are active",
]  # fmt: skip


class NoSandbox:
    """Runs snippets in this very process, and does nothing that it should."""

    name = "pyodide"
    walls: ClassVar[dict[str, bool | int]] = {}

    def start(self) -> None: ...

    def load(self, context: str, pages: Sequence[tuple[int, str, int, int]]) -> None: ...

    def define(self, code: str, offered: Sequence[str]) -> None: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None: ...

    def run(
        self, code: str, query: HostQuery, *, seconds: float | None = None, watched: Collection[int] = (), **_: object
    ) -> Result:
        printed, names, value = io.StringIO(), {"context": "", "pages": 0}, None
        error = None
        try:
            with contextlib.redirect_stdout(printed):
                tree = ast.parse(code)
                exec(compile(tree, "<snippet>", "exec"), names)
        except Exception as raised:  # noqa: BLE001
            error = repr(raised)
        return Result(printed.getvalue(), 0, value, error, False, 0.0)


@pytest.mark.parametrize("engine", ["pyodide", "native"])
def test_the_engines_pass(engine: str, cache: Path) -> None:
    checks = check(engine, cache=cache)
    assert [item.name for item in checks] == CHECKS
    assert [item for item in checks if not item.ok] == []


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_every_check_fails_without_a_sandbox() -> None:
    leaky: Sandbox = NoSandbox()
    assert [item.name for item in check_sandbox(leaky) if item.ok] == []


def test_a_missing_wall_is_a_check_that_is_neither_good_nor_bad() -> None:
    class Weak(NoSandbox):
        walls: ClassVar[dict[str, bool | int]] = {"deno permissions": True, "landlock": 0, "seccomp": True}

    protections, missing = _check_protections(Weak())
    assert (protections.ok, protections.detail) == (True, "deno permissions: yes, landlock: no, seccomp: yes")
    assert (missing.name, missing.ok) == ("without landlock", None) and "no file can be read" in missing.detail


def test_an_engine_that_is_not_there_is_one_failed_check(tmp_path: Path) -> None:
    (only,) = check("pyodide", cache=tmp_path)
    assert (only.name, only.ok) == ("start", False)
    assert "ralph doctor --fetch" in only.detail


@native_first
def test_the_walls_are_told(engine: str, opener: Callable[..., Any]) -> None:
    with opener(engine) as sandbox:
        assert sandbox.walls == {}
        sandbox.start()
        assert sandbox.walls[{"pyodide": "deno permissions", "native": "seccomp"}[engine]] is True
