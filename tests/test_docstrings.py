"""A docstring speaks of names that are there: what is renamed in the code is renamed in the words about it."""

import ast
import builtins
import keyword
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ralph_cli.config import Settings
from ralph_cli.core.results.judge_test import JudgeTest
from ralph_cli.runs.result import Result

ROOT = Path(__file__).parents[1]
FILES = sorted(path for folder in ("ralph_cli", "sandbox") for path in (ROOT / folder).rglob("*.py"))
_BACKTICKED = re.compile(r"(?<!`)`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)`(?!`)")
_NAMED_BY: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.keyword: "arg",
    ast.alias: "name",
    ast.FunctionDef: "name",
    ast.AsyncFunctionDef: "name",
    ast.ClassDef: "name",
}
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in FILES}


def names_in(tree: ast.AST) -> Iterator[str]:
    """Every name, attribute, parameter, keyword and short text of a module's code."""
    for node in ast.walk(tree):
        if field := _NAMED_BY.get(type(node)):
            name = getattr(node, field)
            if name is not None:  # the keyword of `**more` is none
                yield name
        elif type(node) is ast.Constant and type(text := node.value) is str and "`" not in text and len(text) < 300:
            yield from re.findall(r"\w+", text)


def unknown_names(tree: ast.AST) -> list[tuple[int, str]]:
    """Line and name of each backticked name of a docstring that nobody finds: not in its module, nor a shared one."""
    known = {*names_of(tree), *dir(builtins), *keyword.kwlist, *shared()}
    found = []
    for node in (node for node in ast.walk(tree) if type(node) is ast.Expr and type(node.value) is ast.Constant):
        if type(node.value.value) is not str:
            continue
        for name in _BACKTICKED.findall(node.value.value):
            first, *rest = name.split(".")
            if first in sys.stdlib_module_names:
                continue
            if first not in known or any(part not in everywhere() and part not in shared() for part in rest):
                found.append((node.lineno, name))
    return found


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in FILES}


@cache
def names_of(tree: ast.AST) -> frozenset[str]:
    return frozenset(names_in(tree))


@cache
def everywhere() -> frozenset[str]:
    """What may follow a dot."""
    return frozenset().union(*map(names_of, trees().values()))


@cache
def shared() -> frozenset[str]:
    """Names that every docstring may speak of: modules, public classes, functions and constants, settings, what a
    worker calls."""
    found = {*(part for module in MODULES for part in module.split(".")), *Settings.model_fields, "llm_query"}
    for node in (node for tree in trees().values() for node in tree.body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            found.add(node.name)
        if isinstance(node, ast.Assign):
            found |= {name for name in names_in(node.targets[0]) if name[0].isupper()}
    return frozenset(found)


EXCEPTIONS = {
    "ralph_cli/api.py": {*dir(Result), *dir(JudgeTest)},  # what its functions return
    "ralph_cli/reports/html/markup.py": {"class_", "aria_label"},
}
"""By file the names that stand for what somebody else passes in."""


def test_docstrings_name_what_is_there() -> None:
    offenders = []
    for path in FILES:
        name = str(path.relative_to(ROOT))
        for line, unknown in unknown_names(trees()[path]):
            if unknown not in EXCEPTIONS.get(name, ()):
                offenders.append(f"{name}:{line} {unknown}")
    assert offenders == []


def test_a_name_that_is_gone_is_found() -> None:
    source = '''
def read(path, strict):
    """The text of `path`; `lenient` skips what cannot be read, see `core.run` and `read`."""
'''
    assert unknown_names(ast.parse(source)) == [(3, "lenient")]
