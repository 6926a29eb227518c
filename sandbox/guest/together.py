"""Sends sub-queries together that a snippet asks one by one and that cannot depend on each other.

These are `[llm_query(p, t) for t in parts]`, and loops that only do `out.append(llm_query(p, t))`. The prompts must be
made of plain data that exists before the loop (texts, numbers, lists of these, not the list of answers), with operators
and a few built-in functions. Then only the list of answers can see what happens in the loop. Everything else runs as it
is written. After a failure, the answers before it are there as usual; only the loop's variable has its last value.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from types import MethodType
from typing import Any

from sandbox.guest.queries import Queries, QueryError
from sandbox.guest.touched import Text

NAME = "__together__"  # the name of `Together` while a snippet runs
MAX_CHARACTERS = 8 << 20  # of prompts and texts that are sent together
MAX_VALUES = 100_000  # that are checked before a loop

_FUNCTION_NAMES = "abs bool enumerate float int len list max min range repr reversed round sorted str sum zip"
_METHOD_NAMES = """
    casefold end endswith format get group groups items join keys lower lstrip replace rstrip span split splitlines
    start startswith strip title upper values
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_METHODS = frozenset(_METHOD_NAMES.split())
_SIMPLE = (
    ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.Dict, ast.FormattedValue, ast.IfExp, ast.JoinedStr, ast.List,
    ast.Slice, ast.Starred, ast.Subscript, ast.Tuple, ast.UnaryOp, ast.operator, ast.boolop, ast.cmpop, ast.unaryop,
    ast.expr_context, ast.keyword,
)  # fmt: skip
_ATOMS = (str, int, float, bool, bytes, type(None), range, re.Match, Text)
_CONTAINERS = (list, tuple, set, frozenset)


class Together(ast.NodeTransformer):
    """Rewrites the loops of a snippet, and sends their sub-queries."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._answers: list[str] = []
        self._pairs: list[tuple[str, str]] = []
        self._characters = 0

    # --- the rewrite --------------------------------------------------------------------------------------------------

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        """Rewrite a list of answers so that all are asked together, if that makes no difference."""
        self.generic_visit(node)
        (loop, *inner), pair = node.generators, _pair(node.elt)
        if inner or loop.is_async or pair is None:
            return node
        names = _names_read(loop.target, loop.iter, [*pair.elts, *loop.ifs])
        if names is None:
            return node
        pairs = ast.GeneratorExp(pair, [copy.deepcopy(loop)])
        return _at(node.elt, ast.IfExp(_call("is_plain", _late(names)), _call("ask", pairs), node))

    def visit_For(self, node: ast.For) -> Any:
        """Rewrite a loop that appends answers so that all are asked together, if that makes no difference."""
        self.generic_visit(node)
        match node:
            case ast.For(body=[ast.Expr(ast.Call(ast.Attribute(ast.Name(out), "append"), [asked], []))], orelse=[]) if (
                pair := _pair(asked)
            ) is not None:
                names = _names_read(node.target, node.iter, pair.elts)
            case _:
                return node
        if names is None or out in _targets(node.target):
            return node
        answers = ast.Name(out, ast.Load())
        body = ast.Expr(_call("add", pair))
        loop = ast.For(copy.deepcopy(node.target), copy.deepcopy(node.iter), [body], [])
        test = _call("is_plain", _late(names), _late([out]))
        together = ast.With([ast.withitem(_call("collect", answers))], [loop])
        return _at(asked, ast.If(test, [together], [node]))

    # --- at run time --------------------------------------------------------------------------------------------------

    def is_plain(self, values: Callable[[], list[Any]], answers: Callable[[], list[Any]] | None = None) -> bool:
        """Whether values are plain data, and the list of answers is a list and not part of them."""
        try:
            waiting, out = values(), answers()[0] if answers else []
        except NameError:
            return False  # the original loop raises it in its place
        asked, *waiting = waiting
        is_ours = type(asked) is MethodType and asked.__func__ is Queries.llm_query
        if not is_ours or type(out) is not list:
            return False
        seen = 0
        while waiting:
            value, seen = waiting.pop(), seen + 1
            kind = type(value)
            if value is out or seen > MAX_VALUES:
                return False
            if kind is dict:
                waiting += [*value.keys(), *value.values()]
            elif kind in _CONTAINERS:
                waiting += value
            elif kind not in _ATOMS and not _is_own_function(value):
                return False
        return True

    def ask(self, pairs: Iterable[tuple[Any, Any]]) -> list[str]:
        """Return the answers to all pairs of prompt and text, in order. Raises the first failure."""
        answers: list[str] = []
        with self.collect(answers):
            for pair in pairs:
                self.add(pair)
        return answers

    @contextmanager
    def collect(self, answers: list[str]) -> Iterator[None]:
        """Append the answers to what the block adds, at its end or before, also those before a failure."""
        self._answers, self._pairs, self._characters = answers, [], 0
        try:
            yield
        except Exception:
            self._send()
            raise
        self._send()

    def add(self, pair: tuple[Any, Any]) -> None:
        """Add a prompt and a text; first send the waiting ones if they are many."""
        prompt, text = self._queries.checked("llm_query", *pair)
        if len(self._pairs) >= self._queries.most or self._characters > MAX_CHARACTERS:
            self._send()
        self._pairs.append((prompt, text))
        self._characters += len(prompt) + len(text)

    def _send(self) -> None:
        pairs, self._pairs, self._characters = self._pairs, [], 0
        for answer in self._queries.ask(pairs) if pairs else ():
            if isinstance(answer, QueryError):
                raise answer from None
            self._answers.append(answer)


# --- what can be rewritten --------------------------------------------------------------------------------------------


def _pair(node: ast.expr) -> ast.Tuple | None:
    """Return prompt and text of a call of `llm_query`; None for anything else."""
    match node:
        case ast.Call(ast.Name("llm_query"), args, keywords) if len(args) + len(keywords) in (1, 2):
            given = dict(zip(("prompt", "text"), args, strict=False))
            named = {keyword.arg: keyword.value for keyword in keywords}
            if given.keys() & named.keys() or not {"prompt"} <= {*given, *named} <= {"prompt", "text"}:
                return None
            both = given | named
            return ast.Tuple(
                [copy.deepcopy(both["prompt"]), copy.deepcopy(both.get("text", ast.Constant("")))], ast.Load()
            )
    return None


def _targets(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _names_read(target: ast.expr, source: ast.expr, parts: list[ast.expr]) -> list[str] | None:
    """Return the names that a loop reads, `llm_query` first; None if it may do more than combine data."""
    bound = _targets(target)
    if not all(isinstance(node, ast.Name | ast.Tuple | ast.List | ast.expr_context) for node in ast.walk(target)):
        return None
    found = [*_names_in(source), *(name for name in _names_in(*parts) if name not in bound)]
    called = set(chain.from_iterable(map(_functions_called, (source, *parts))))
    if "llm_query" in bound or called & bound or not all(map(_is_simple, (source, *parts))):
        return None
    return ["llm_query", *dict.fromkeys(found)]


def _functions_called(node: ast.expr) -> list[str]:
    calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
    return [function.id for function in calls if isinstance(function, ast.Name)]


def _names_in(*nodes: ast.expr) -> list[str]:
    return [node.id for part in nodes for node in ast.walk(part) if isinstance(node, ast.Name)]


def _is_simple(node: ast.AST) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Call(ast.Name(name), args, keywords):
            return name in _FUNCTIONS and all(map(_is_simple, (*args, *keywords)))
        case ast.Call(ast.Attribute(value, name), args, keywords):
            return name in _METHODS and all(map(_is_simple, (value, *args, *keywords)))
    return isinstance(node, _SIMPLE) and all(map(_is_simple, ast.iter_child_nodes(node)))


def _is_own_function(value: Any) -> bool:
    """Whether a value is a built-in function that only computes a value from its arguments."""
    return type(value) in (type, type(len)) and getattr(builtins, value.__name__, None) is value


def _call(method: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name(NAME, ast.Load()), method, ast.Load()), [*arguments], [])


def _late(names: Iterable[str]) -> ast.Lambda:
    """Return a lambda that gives the values of names, so that a missing name raises only when it is called."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(nothing, ast.List([ast.Name(name, ast.Load()) for name in names], ast.Load()))


def _at(place: ast.AST, node: Any) -> Any:
    """Put new nodes at the place of the sub-query in the text, so that a traceback points there."""
    return ast.fix_missing_locations(ast.copy_location(node, place))
