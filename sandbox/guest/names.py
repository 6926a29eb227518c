"""Names that a snippet relies on: those that it may not bind, and how to restore what it changed."""

from __future__ import annotations

import ast
import symtable
import types
from collections.abc import Iterator
from operator import is_
from typing import Any

RESERVED = ("context", "pages", "llm_query", "llm_query_batch")
COMPREHENSION_VARIABLE = 1 << 9  # DEF_COMP_ITER; `Symbol.is_comp_iter` needs Python 3.14


class Original:
    """The state of a module, a class or an object at the time of creation."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self._names = dict(vars(owner))
        self._keys, self._values = tuple(self._names), tuple(self._names.values())

    def restore(self) -> None:
        """Undo everything that was set, replaced or deleted since."""
        owner, table = self.owner, vars(self.owner)
        # By identity, because the present value may claim to be equal to everything.
        if len(table) == len(self._keys) and all(map(is_, map(table.get, self._keys), self._values)):
            return
        for name, value in self._names.items():
            if table.get(name, self) is not value:
                setattr(owner, name, value)
        # A submodule that was imported is harmless, and would not be set again.
        added = [name for name in table if name not in self._names and type(table[name]) is not types.ModuleType]
        for name in added:
            delattr(owner, name)


def reserved_names(tree: ast.Module, code: str, file: str) -> list[str]:
    """Return the reserved names that a snippet binds or deletes at its top level or with `global`."""
    try:
        table = symtable.symtable(code, file, "exec")
    except SyntaxError:
        compile(tree, file, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        # The error was an `await` outside a function, which is allowed here and binds nothing.
        table = symtable.symtable(ast.unparse(_Waitless().visit(ast.parse(code))), file, "exec")
    walrus = _walrus_targets(tree)
    return [name for name in RESERVED if name in walrus or any(_binds(scope, name) for scope in _scopes(table))]


class _Waitless(ast.NodeTransformer):
    """Removes `await` and `async` from the top level of a snippet."""

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return self.generic_visit(ast.Tuple([node.value], ast.Load()))

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        return self.generic_visit(ast.For(**vars(node)))

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.AST:
        return self.generic_visit(ast.With(**vars(node)))

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.is_async = 0
        return self.generic_visit(node)


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
        # From Python 3.12 on, a comprehension's own variables appear in the table around it.
        return bound and not getattr(symbol, "_Symbol__flags", 0) & COMPREHENSION_VARIABLE
    return bound and symbol.is_declared_global()


def _walrus_targets(tree: ast.Module) -> set[str]:
    """Return names bound with `:=` at the top level, also inside comprehensions, where no table shows them."""
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.NamedExpr):
                names.add(node.target.id)
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                waiting.append(node)
    return names
