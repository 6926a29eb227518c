"""Selectors of elements, classes and ids, which most are, and how specific any selector is (Selectors 4)."""

import re
from dataclasses import dataclass
from typing import Any

import tinycss2

from ralph_cli.documents.html.styles.css import Style

_NAME = r"(?:[a-zA-Z_\u0080-\U0010ffff-][\w\u0080-\U0010ffff-]*)"
_COMPOUND = re.compile(rf"(\*|{_NAME})?((?:[.#]{_NAME})*)")
_COMBINATOR = re.compile(r"\s*(>)\s*|\s+")

# What a simple selector asks of an element: its tag, id and classes.
Frame = tuple[str, str, frozenset[str]]


class ElementPath:
    """An element as selectors see it, with those around it. Elements that are alike share one."""

    def __init__(self, frame: Frame, parent: "ElementPath | None") -> None:
        self.frame = frame
        self.parent = parent
        self.keys: frozenset[str] = keys_of(frame) if parent is None else parent.keys | keys_of(frame)
        self.rules: dict[str, list[Rule]] = {}
        self.children: dict[Frame, ElementPath] = {}


@dataclass(frozen=True, slots=True)
class Rule:
    """The declarations of a rule for one selector; a later `rank` wins."""

    rank: tuple[int, tuple[int, int, int], int]
    normal: Style
    important: Style
    compounds: tuple[Frame, ...] = ()
    children: tuple[bool, ...] = ()
    """For each compound but the last, from the right, whether it must be the parent of the one behind it."""

    needed: frozenset[str] = frozenset()
    """Tags, ids and classes that must all be found on the way to an element."""

    def matches(self, path: ElementPath) -> bool:
        """Whether an element is what the last compound wants, and those around it what the others want."""
        return self.needed <= path.keys and _has(path.frame, self.compounds[0]) and bool(self._matches(1, path.parent))

    def _matches(self, index: int, path: ElementPath | None) -> bool | None:
        """Whether the compounds from `index` are found; None if there are not elements enough, wherever one begins."""
        if index == len(self.compounds):
            return True
        while path is not None:
            found = _has(path.frame, self.compounds[index]) and self._matches(index + 1, path.parent)
            if found is not False or self.children[index - 1]:
                return found
            path = path.parent
        return None


def keys_of(frame: Frame) -> frozenset[str]:
    """The tag, the id and the classes of a frame as one set."""
    tag, name, classes = frame
    return frozenset((*([tag] if tag else []), *([f"#{name}"] if name else []), *(f".{each}" for each in classes)))


def _has(element: Frame, wanted: Frame) -> bool:
    """Whether an element is what a compound selector wants."""
    tag, name, classes = wanted
    return (not tag or tag == element[0]) and (not name or name == element[1]) and classes <= element[2]


def split_selectors(prelude: list[Any]) -> list[str]:
    """The selectors between the commas of a rule's prelude."""
    selectors: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            selectors.append([])
        elif token.type != "comment":
            selectors[-1].append(token)
    return [tinycss2.serialize(tokens).strip() for tokens in selectors]


def split_compounds(selector: str, quirks: bool) -> tuple[tuple[Frame, ...], tuple[bool, ...]] | None:
    """The compounds of a selector from the right, and which of them stand for parents; None if it has other parts."""
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
    """How specific a selector is: ids, classes, elements (Selectors 4, section 17).

    What stands in :not, :is and :has counts, nearly as it should: all of a list counts, not its highest entry.
    """
    bare = re.sub(r":where\([^()]*\)", "", selector)
    kinds = [found.lastgroup for found in _SPECIFIC.finditer(bare)]
    return kinds.count("id"), kinds.count("class"), kinds.count("tag")
