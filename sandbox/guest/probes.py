"""Numbers the expressions of a snippet, as the host does, and records which of them are evaluated."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Any

MARK = "__evaluated__"  # the name of the recording function while a snippet runs
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def statement_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a snippet in the order of its text, without the bodies of its definitions."""
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, _DEFINITIONS):
            yield child
            yield from statement_nodes(child)


def numbered_expressions(tree: ast.AST) -> Iterator[ast.Call | ast.Compare]:
    """Yield the calls and comparisons of a snippet; their order gives their numbers."""
    return (node for node in statement_nodes(tree) if isinstance(node, ast.Call | ast.Compare))


class Probes(ast.NodeTransformer):
    """Makes a snippet record which of some expressions it evaluates."""

    def __init__(self, tree: ast.Module, numbers: Collection[int]) -> None:
        self.reached: set[int] = set()
        self._watched = {id(node): n for n, node in enumerate(numbered_expressions(tree)) if n in numbers}
        if self._watched:
            self.visit(tree)
            ast.fix_missing_locations(tree)

    def visit(self, node: ast.AST) -> Any:
        number = self._watched.get(id(node))
        self.generic_visit(node)
        if number is None or not isinstance(node, ast.expr):
            return node
        arguments: list[ast.expr] = [ast.Constant(number), node]
        return ast.copy_location(ast.Call(ast.Name(MARK, ast.Load()), arguments, []), node)

    def note(self, number: int, value: Any) -> Any:
        """Record an evaluation, and return its value."""
        self.reached.add(number)
        return value
