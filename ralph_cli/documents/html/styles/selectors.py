"""Matches selectors of elements, classes and ids, the most frequent ones, and computes specificity (Selectors 4)."""

import re
from dataclasses import dataclass
from typing import Any

import tinycss2

from ralph_cli.documents.html.styles.css import Style

_NAME = r"(?:[a-zA-Z_\u0080-\U0010ffff-][\w\u0080-\U0010ffff-]*)"
_COMPOUND = re.compile(rf"(\*|{_NAME})?((?:[.#]{_NAME})*)")
_COMBINATOR = re.compile(r"\s*(>)\s*|\s+")

# The conditions of a simple selector: tag, id and classes.
Frame = tuple[str, str, frozenset[str]]


class ElementPath:
    """An element and its ancestors, as selectors see them. Elements that look alike to selectors share one path."""

    def __init__(self, frame: Frame, parent: "ElementPath | None") -> None:
        self.frame = frame
        self.parent = parent
        self.keys: frozenset[str] = keys_of(frame) if parent is None else parent.keys | keys_of(frame)
        self.rules: dict[str, list[Rule]] = {}
        self.children: dict[Frame, ElementPath] = {}


@dataclass(frozen=True, slots=True)
class Rule:
    """The declarations of a rule for one selector; the highest `rank` takes priority."""

    rank: tuple[int, tuple[int, int, int], int]
    normal: Style
    important: Style
    compounds: tuple[Frame, ...] = ()
    children: tuple[bool, ...] = ()
    """For each compound but the last, from the right: whether it must match the parent of the element after it."""

    needed: frozenset[str] = frozenset()
    """Tags, ids and classes that the element and its ancestors must all have."""

    def matches(self, path: ElementPath) -> bool:
        """Whether an element matches the last compound and its ancestors match the others."""
        return self.needed <= path.keys and _has(path.frame, self.compounds[0]) and bool(self._matches(1, path.parent))

    def _matches(self, index: int, path: ElementPath | None) -> bool | None:
        """Whether the compounds from `index` match; None if there are too few ancestors, whatever the start."""
        if index == len(self.compounds):
            return True
        while path is not None:
            found = _has(path.frame, self.compounds[index]) and self._matches(index + 1, path.parent)
            if found is not False or self.children[index - 1]:
                return found
            path = path.parent
        return None


def keys_of(frame: Frame) -> frozenset[str]:
    """Return the tag, the id and the classes of a frame as one set."""
    tag, name, classes = frame
    return frozenset((*([tag] if tag else []), *([f"#{name}"] if name else []), *(f".{each}" for each in classes)))


def _has(element: Frame, wanted: Frame) -> bool:
    """Whether an element matches a compound selector."""
    tag, name, classes = wanted
    return (not tag or tag == element[0]) and (not name or name == element[1]) and classes <= element[2]


def split_selectors(prelude: list[Any]) -> list[str]:
    """Return the comma-separated selectors of a rule's prelude."""
    selectors: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            selectors.append([])
        elif token.type != "comment":
            selectors[-1].append(token)
    return [tinycss2.serialize(tokens).strip() for tokens in selectors]


def split_compounds(selector: str, quirks: bool) -> tuple[tuple[Frame, ...], tuple[bool, ...]] | None:
    """Return the compounds of a selector from the right, and which must match a parent; None for other selectors."""
    compounds: list[Frame] = []
    children: list[bool] = []
    at = 0
    while True:
        found = _COMPOUND.match(selector, at)
        if found is None or found.end() == at:
            return None
        names = re.findall(r"([.#])([^.#]+)", found[2])
        ids = [name for mark, name in names if mark == "#"]
        classes = frozenset((name.lower() if quirks else name) for mark, name in names if mark == ".")
        if len(set(ids)) > 1:
            return None
        tag = (found[1] or "").lower()
        compounds.insert(0, ("" if tag == "*" else tag, ids[0] if ids else "", classes))
        at = found.end()
        if at == len(selector):
            return tuple(compounds), tuple(children)
        combinator = _COMBINATOR.match(selector, at)
        if combinator is None:
            return None
        children.insert(0, combinator[1] is not None)
        at = combinator.end()


_SPECIFIC = re.compile(
    rf"(?P<id>#{_NAME})|(?P<class>\.{_NAME}|\[[^\]]*\]|:(?!:)(?!not|is|has|where)[\w-]+)|(?P<tag>(?<![\w.#:-]){_NAME})"
)


def specificity(selector: str) -> tuple[int, int, int]:
    """Return the specificity of a selector: ids, classes, elements (Selectors 4, section 17).

    The contents of :not, :is and :has count approximately: all entries of a list count, not only the highest.
    """
    bare = re.sub(r":where\([^()]*\)", "", selector)
    kinds = [found.lastgroup for found in _SPECIFIC.finditer(bare)]
    return kinds.count("id"), kinds.count("class"), kinds.count("tag")
