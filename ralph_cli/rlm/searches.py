"""What a worker's code searched the document for: read off the code itself, which is never run here.

Only words and patterns that stand in the code are seen, and only in its own statements, not in functions that it
defines: a pattern that is put together while it runs goes unnoticed, so this is the least that was searched.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ralph_cli.documents.search.occurrences import SearchTerm

RE = frozenset({"search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn"})
PLAIN = frozenset({"find", "rfind", "index", "rindex", "count", "startswith", "endswith", "partition"})
MOST, LONGEST, LARGEST = 60, 200, 100_000
"""Searches that are told, characters of one, and characters of code that are looked at."""

_BODIES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Loop = ast.For | ast.comprehension


@dataclass(slots=True)
class _Names:
    """What is known of variables: the strings they may hold, and whether they come from the document."""

    texts: dict[str, set[SearchTerm]] = field(default_factory=dict)
    document: set[str] = field(default_factory=lambda: {"context"})

    def learn(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            elif isinstance(node, ast.NamedExpr | ast.AnnAssign) and node.value is not None:
                targets, value = [node.target], node.value
            elif isinstance(node, _Loop):
                targets, value = [node.target], node.iter
            else:
                continue
            for name in (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)):
                self.texts[name] = self.texts.get(name, set()) | self.held(value)
                if self.speaks_of_document(value):
                    self.document.add(name)

    def held(self, node: ast.AST) -> set[SearchTerm]:
        """The strings that an expression may be, or may hold."""
        match node:
            case ast.Constant(value=str(text)):
                return {SearchTerm(text)}
            case ast.Name(id=name):
                return self.texts.get(name, set())
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return {held for item in items for held in self.held(item)}
            case ast.Call(func=ast.Attribute(value=text, attr="lower" | "upper" | "casefold" | "strip"), args=[]):
                return self.held(text)
            case ast.Call(func=ast.Attribute(attr="join"), args=[items]):
                return self.held(items)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile"), args=[pattern, *_]):
                return {SearchTerm(held.term, True) for held in self.held(pattern)}
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="escape"), args=[text]):
                return self.held(text)
        return set()

    def speaks_of_document(self, node: ast.AST) -> bool:
        return any(isinstance(part, ast.Name) and part.id in self.document for part in ast.walk(node))


def searched_in(codes: Iterable[str]) -> tuple[SearchTerm, ...]:
    """What these snippets, run one after the other, searched the document for; each once, in order, the latest kept."""
    names = _Names()
    found: dict[SearchTerm, None] = {}
    for code in codes:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of "\d" in a plain string: it is the model's
                nodes = list(_statements(ast.parse(code[:LARGEST])))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        names.learn(nodes)
        names.learn(nodes)  # once more, for what was used before it was bound
        for node in nodes:
            for sought in _searches(node, names):
                if sought.term.strip() and len(sought.term) <= LONGEST and any(map(str.isalnum, sought.term)):
                    found.setdefault(sought)
    return tuple(found)[-MOST:]


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a snippet in the order of its text, without the bodies of what it defines."""
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, _BODIES):
            yield child
            yield from _statements(child)


def _searches(node: ast.AST, names: _Names) -> Iterator[SearchTerm]:
    match node:
        case ast.Call(func=ast.Name(id="find"), args=[pattern, *_]):
            yield from _as_patterns(names.held(pattern))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[pattern, *rest]) if name in RE:
            if any(map(names.speaks_of_document, rest)):
                yield from _as_patterns(names.held(pattern))
        case ast.Call(func=ast.Attribute(value=subject, attr=name), args=args) if args and name in RE | PLAIN:
            compiled = [held for held in names.held(subject) if held.pattern]
            if compiled and names.speaks_of_document(args[-1] if name in ("sub", "subn") else args[0]):
                yield from _ordered(compiled)
            elif name in PLAIN and names.speaks_of_document(subject):
                yield from _ordered(names.held(args[0]))
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[subject]):
            if names.speaks_of_document(subject):
                yield from _ordered(names.held(left))


def _as_patterns(held: Iterable[SearchTerm]) -> Iterator[SearchTerm]:
    return _ordered(SearchTerm(item.term, True) for item in held)


def _ordered(held: Iterable[SearchTerm]) -> Iterator[SearchTerm]:
    return iter(sorted(held, key=lambda item: (item.term, item.pattern)))
