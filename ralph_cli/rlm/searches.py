"""Finds what a worker's code searches the document for. The code is only parsed here, never run.

Only words and patterns in the code's own statements are found, not those in functions that it defines. A pattern that
is built at run time is missed, so the result is a lower bound. A search counts if the sandbox reports that its
expression was evaluated.
"""

import ast
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ralph_cli.retrieval.search.occurrences import SearchTerm
from sandbox.guest.probes import statement_nodes

REGEX_METHODS = frozenset({"search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn"})
STRING_METHODS = frozenset({"find", "rfind", "index", "rindex", "count", "startswith", "endswith", "partition"})
# Most searches that are reported, characters of each, and characters of code that are parsed.
MAX_SEARCHES, MAX_TERM_CHARS, MAX_CODE_CHARS = 60, 200, 100_000

_PLACE_OF_DOC = 6  # position of the argument `doc` of `find`, counted from 0

_Loop = ast.For | ast.comprehension
_PARSING = threading.Lock()


def parse_code(code: str) -> ast.Module:
    """Return the syntax tree of a model's code. Only one thread at a time parses.

    CPython 3.11 counts the depth of trees for all threads together, so parsing in two threads ends in a SystemError.
    Raises SyntaxError, ValueError, RecursionError or MemoryError for code that cannot be parsed.
    """
    with _PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about "\d" in a plain string of the model's code
        return ast.parse(code)


@dataclass(slots=True)
class _VariableTracker:
    """The strings that each variable may hold, and the variables that come from the document."""

    texts: dict[str, set[SearchTerm]] = field(default_factory=dict)
    document: set[str] = field(default_factory=lambda: {"context"})

    def record_assignments(self, nodes: Iterable[ast.AST]) -> None:
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
                self.texts[name] = self.texts.get(name, set()) | self.possible_strings(value)
                if self.mentions_document(value):
                    self.document.add(name)

    def possible_strings(self, node: ast.AST) -> set[SearchTerm]:
        """Return the strings that an expression may be or may contain."""
        match node:
            case ast.Constant(value=str(text)):
                return {SearchTerm(text)}
            case ast.Name(id=name):
                return self.texts.get(name, set())
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return {held for item in items for held in self.possible_strings(item)}
            case ast.Call(func=ast.Attribute(value=text, attr="lower" | "upper" | "casefold" | "strip"), args=[]):
                return self.possible_strings(text)
            case ast.Call(func=ast.Attribute(attr="join"), args=[items]):
                return self.possible_strings(items)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile"), args=[pattern, *_]):
                return {SearchTerm(held.term, True) for held in self.possible_strings(pattern)}
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="escape"), args=[text]):
                return self.possible_strings(text)
        return set()

    def possible_names(self, node: ast.AST) -> set[str]:
        """Return the names or numbers of documents that an expression may be."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return {str(node.value)}
        return {held.term for held in self.possible_strings(node)}

    def mentions_document(self, node: ast.AST) -> bool:
        return any(isinstance(part, ast.Name) and part.id in self.document for part in ast.walk(node))


# A snippet's search terms, by the number of the expression that searches, as `sandbox.guest.probes` counts them.
Planned = Mapping[int, tuple[SearchTerm, ...]]


class SearchTracker:
    """The terms that consecutive snippets searched the document for."""

    def __init__(self) -> None:
        self._names = _VariableTracker()
        self._found: dict[SearchTerm, None] = {}

    @property
    def terms(self) -> tuple[SearchTerm, ...]:
        """The search terms, each once, in order; only the latest `MAX_SEARCHES` are kept."""
        return tuple(self._found)[-MAX_SEARCHES:]

    def plan(self, code: str) -> Planned:
        """Return the searches that the next snippet would make if all of it ran."""
        try:
            nodes = list(statement_nodes(parse_code(code[:MAX_CODE_CHARS])))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {}
        self._names.record_assignments(nodes)
        self._names.record_assignments(nodes)  # second pass, for names that are used before they are bound
        expressions = enumerate(node for node in nodes if isinstance(node, ast.Call | ast.Compare))
        found = ((number, tuple(filter(_is_search, _searches(node, self._names)))) for number, node in expressions)
        return {number: terms for number, terms in found if terms}

    def record(self, planned: Planned, reached: Iterable[int]) -> None:
        """Record the search terms of the expressions that were evaluated."""
        for number in reached:
            self._found.update(dict.fromkeys(planned.get(number, ())))


def _is_search(term: SearchTerm) -> bool:
    return bool(term.term.strip()) and len(term.term) <= MAX_TERM_CHARS and any(map(str.isalnum, term.term))


def _searches(node: ast.AST, names: _VariableTracker) -> Iterator[SearchTerm]:
    match node:
        case ast.Call(func=ast.Name(id="find"), args=[pattern, *rest], keywords=named):
            confined = [it.value for it in named if it.arg == "doc"] + rest[_PLACE_OF_DOC - 1 : _PLACE_OF_DOC]
            within = {name for value in confined for name in names.possible_names(value)} or {""}
            found = names.possible_strings(pattern)
            yield from _sort_terms(SearchTerm(item.term, True, name) for item in found for name in within)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[pattern, *rest]) if (
            name in REGEX_METHODS
        ):
            if any(map(names.mentions_document, rest)):
                yield from _sort_terms(SearchTerm(item.term, True) for item in names.possible_strings(pattern))
        case ast.Call(func=ast.Attribute(value=subject, attr=name), args=[_, *_] as args):
            yield from _searches_by_method(name, subject, args, names)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[subject]):
            if names.mentions_document(subject):
                yield from _sort_terms(names.possible_strings(left))


def _searches_by_method(
    name: str, subject: ast.expr, args: list[ast.expr], names: _VariableTracker
) -> Iterator[SearchTerm]:
    """Yield the searches made by a method of a compiled pattern or of the document's text."""
    compiled = [held for held in names.possible_strings(subject) if held.pattern]
    is_method_of_pattern = compiled and name in REGEX_METHODS | STRING_METHODS
    if is_method_of_pattern and names.mentions_document(args[-1] if name in ("sub", "subn") else args[0]):
        yield from _sort_terms(compiled)
    elif name in STRING_METHODS and names.mentions_document(subject):
        yield from _sort_terms(names.possible_strings(args[0]))


def _sort_terms(terms: Iterable[SearchTerm]) -> Iterator[SearchTerm]:
    return iter(sorted(terms, key=lambda item: (item.term, item.pattern, item.within)))
