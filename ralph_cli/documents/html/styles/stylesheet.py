"""Resolves the style sheets of a page: which declarations apply to which element.

Rules from CSS Cascading and Inheritance 5, Selectors 4 and Media Queries 4. The page is evaluated for a desktop
screen, before any pointing or clicking. Most selectors are elements, classes and ids, which are matched here; the
parser matches the others.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import tinycss2
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from ralph_cli.documents.html.styles.css import (
    DECIDING,
    Declarations,
    Style,
    declarations_of,
    parse_inline_style,
    pixels,
    substitute_variables,
)
from ralph_cli.documents.html.styles.selectors import (
    ElementPath,
    Rule,
    keys_of,
    specificity,
    split_compounds,
    split_selectors,
)

_MOST_RULES = 20_000
# The most elements that the parser may test for the other selectors; each selector tests all elements.
_MOST_STEPS = 20_000_000

_MOST_COMPOUNDS = 100
_DEEPEST = 8

_PSEUDO_ELEMENT = re.compile(r"::?(before|after)\s*$", re.IGNORECASE)
_OTHER_PSEUDO_ELEMENT = re.compile(r"::|:(?:first-line|first-letter)\b", re.IGNORECASE)
# States that a newly opened page does not have.
_NEVER = re.compile(
    r":(?:hover|active|focus(?:-within|-visible)?|visited|target(?:-within)?|current|playing|fullscreen|modal|open|"
    r"popover-open|autofill|host|-[a-z]+-)\b",
    re.IGNORECASE,
)

_WIDTH, _HEIGHT = 1_280.0, 800.0
_QUERY = re.compile(r"\s*(?:(not|only)\s+)?([a-z-]+)?((?:\s*(?:and\s+)?\([^()]*\))*)\s*")
_FEATURE = re.compile(r"\(\s*([^()]*?)\s*\)")
_PLAIN = re.compile(r"(min-|max-)?(?:device-)?(width|height)\s*:\s*(\S+)")
_RANGE = re.compile(r"(?:(\S+)\s*(<=?|>=?)\s*)?(width|height)(?:\s*(<=?|>=?|=)\s*(\S+))?")
# Media features and their values on a desktop screen.
_WORDS = {
    "orientation": ("landscape",), "hover": ("hover", ""), "any-hover": ("hover", ""), "pointer": ("fine", ""),
    "any-pointer": ("fine", ""), "prefers-color-scheme": ("light", ""), "prefers-reduced-motion": ("no-preference",),
    "prefers-reduced-transparency": ("no-preference",), "prefers-contrast": ("no-preference",), "color": ("",),
    "forced-colors": ("none",), "scripting": ("enabled", ""), "update": ("fast", ""), "grid": ("0",),
    "display-mode": ("browser",), "inverted-colors": ("none",), "monochrome": ("0",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ResolvedStyle:
    """The declarations that apply to an element, and its variables."""

    declarations: Declarations
    variables: Style
    display: str = ""

    def get(self, name: str) -> str:
        """Return the value of a property, "" if it is not set."""
        return next((value for other, value in reversed(self.declarations) if other == name), "")


@dataclass(slots=True)
class StyleSheets:
    """All style sheets of a page. `unresolved` counts unreadable rules, `linked` sheets that are not available."""

    unresolved: int = 0
    linked: int = 0
    pseudos: set[str] = field(default_factory=set)
    """Which of "before" and "after" have rules that generate text."""

    _order: int = 0
    _steps: int = 0
    _elements: int = 1
    _tree: Any = None
    _at_hand: Mapping[str, str] = field(default_factory=dict)
    _quirks: bool = False
    _used: set[str] = field(default_factory=set)
    _class_names: dict[str, frozenset[str]] = field(default_factory=dict)
    _layers: dict[str, int] = field(default_factory=dict)
    _by_key: dict[str, list[Rule]] = field(default_factory=dict)
    _by_node: dict[str, dict[int, list[Rule]]] = field(default_factory=dict)
    _animations: dict[str, Style] = field(default_factory=dict)
    """The declarations at the end of each animation, by its name."""
    _resolved: dict[tuple[Any, ...], ResolvedStyle] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: LexborHTMLParser, source: str, linked: Mapping[str, str]) -> "StyleSheets":
        """Return the style sheets of a page; `linked` are those that came with it, by their addresses."""
        sheets = cls(_tree=tree, _at_hand=linked, _quirks="<!doctype" not in source[:2_000].lower())
        if "<style" in source or "<STYLE" in source or "<link" in source.lower():
            sheets._elements = max(1, source.count("<") - source.count("</"))
            for node in tree.css("style, link[rel~=stylesheet]"):
                sheets._read(node)
        return sheets

    @property
    def are_known(self) -> bool:
        """Whether all style sheets of the page could be read."""
        return not (self.linked or self.unresolved)

    def path(self, parent: ElementPath, tag: str, attributes: Mapping[str, str | None]) -> ElementPath:
        """Return the path of an element, without the ids and classes that no rule uses."""
        name, names = attributes.get("id") or "", attributes.get("class") or ""
        if names not in self._class_names:
            # In quirks mode the case of classes is ignored.
            words = (names.lower() if self._quirks else names).split()
            self._class_names[names] = frozenset(word for word in words if f".{word}" in self._used)
        frame = tag, name if f"#{name}" in self._used else "", self._class_names[names]
        if frame not in parent.children:
            parent.children[frame] = ElementPath(frame, parent)
        return parent.children[frame]

    def resolve(
        self, node: Any, path: ElementPath, inline: str, default: Declarations, variables: Style, pseudo: str = ""
    ) -> ResolvedStyle:
        """Return the style of an element, or of the text generated before or after it; `default` is its own style."""
        rules = path.rules.get(pseudo)
        if rules is None:
            rules = path.rules[pseudo] = self._find_rules(path, pseudo)
        by_node = self._by_node.get(pseudo)
        if by_node and (found := by_node.get(node.mem_id)):
            rules = rules + found
        if not rules and not inline:
            return ResolvedStyle(default, variables)
        key = (*map(id, rules), inline, default, id(variables))
        if key not in self._resolved:
            self._resolved[key] = self._cascade(rules, inline, default, variables)
        return self._resolved[key]

    def _cascade(self, rules: list[Rule], inline: str, default: Declarations, variables: Style) -> ResolvedStyle:
        """Return the declarations that take priority (CSS Cascading 5, section 6.1), with variables replaced."""
        style = dict(default)
        own, own_important = parse_inline_style(inline)
        for rule in sorted(rules, key=lambda rule: rule.rank):
            style |= rule.normal
        style |= own
        for rule in sorted(rules, key=lambda rule: (-rule.rank[0], *rule.rank[1:])):
            style |= rule.important
        style |= own_important
        lasting = f"{style.get('animation', '')} {style.get('animation-fill-mode', '')}".split()
        if not {"forwards", "both"}.isdisjoint(lasting):
            for name in (*lasting, *style.get("animation-name", "").split()):
                style |= self._animations.get(name, {})
        named = {name: style.pop(name) for name in list(style) if name.startswith("--")}
        if named:
            known = {**variables, **named}
            variables = {**variables, **{name: substitute_variables(value, known) for name, value in named.items()}}
        values = ((name, substitute_variables(value, variables)) for name, value in style.items())
        style = {name: value for name, value in values if value}
        return ResolvedStyle(tuple(style.items()), variables, style.get("display", ""))

    def _find_rules(self, path: ElementPath, pseudo: str) -> list[Rule]:
        """Return the rules that apply to all elements with this path."""
        if not self._by_key:
            return []
        tag, name, classes = path.frame
        keys = (f"{pseudo} *", f"{pseudo} {tag}", f"{pseudo} #{name}", *(f"{pseudo} .{each}" for each in classes))
        return [rule for key in keys for rule in self._by_key.get(key, ()) if rule.matches(path)]

    def _read(self, node: Any) -> None:
        """Read one <style> or <link>, or count it as unread."""
        attributes = node.attributes
        media = media_matches(attributes.get("media") or "")
        if media is False or "disabled" in attributes:
            return
        source = self._at_hand.get(attributes.get("href") or "") if node.tag == "link" else node.text()
        is_alternate = node.tag == "link" and "alternate" in (attributes.get("rel") or "").lower()
        if source is None or is_alternate:
            self.linked += not is_alternate
            return
        if (attributes.get("type") or "text/css").lower() != "text/css":
            return
        try:
            items = tinycss2.parse_stylesheet(source, skip_comments=True, skip_whitespace=True)
            self._collect(items, [], 1 << 30, media is None, _DEEPEST)
        except RecursionError:
            self.unresolved += 1

    def _collect(self, items: Iterable[Any], parents: list[str], layer: int, unknown: bool, deeper: int) -> None:
        """Read rules, which may be nested in at-rules and in each other."""
        for item in items:
            if item.type == "qualified-rule":
                self._add_rule(item, parents, layer, unknown, deeper)
            elif item.type == "at-rule":
                self._collect_at_rule(item, parents, layer, unknown, deeper)

    def _collect_at_rule(self, item: Any, parents: list[str], layer: int, unknown: bool, deeper: int) -> None:
        keyword, prelude = item.lower_at_keyword, tinycss2.serialize(item.prelude).strip().lower()
        if keyword == "import":
            self.linked += (
                media_matches(re.sub(r"^(?:url\([^)]*\)|\"[^\"]*\"|'[^']*')", "", prelude).strip()) is not False
            )
        elif keyword == "layer":
            names = [name.strip() for name in prelude.split(",")]
            for name in names:
                self._layers.setdefault(name or f"#{len(self._layers)}", len(self._layers))
            layer = self._layers[names[-1]] if names[-1] else len(self._layers) - 1
        elif keyword == "media":
            matches = media_matches(prelude)
            if matches is False:
                return
            unknown = unknown or matches is None
        elif keyword == "supports":
            if prelude.startswith("not"):
                return
        elif keyword in ("container", "scope"):
            unknown = True
        elif keyword.endswith("keyframes") and item.content is not None:
            self._read_animation(prelude, item.content)
            return
        else:
            return
        if item.content is None or not deeper:
            return
        contents = tinycss2.parse_blocks_contents(item.content, skip_comments=True, skip_whitespace=True)
        if parents:
            self._add_declarations(contents, parents, layer, unknown)
        self._collect(contents, parents, layer, unknown, deeper - 1)

    def _read_animation(self, name: str, content: list[Any]) -> None:
        for frame in tinycss2.parse_rule_list(content, skip_comments=True, skip_whitespace=True):
            if frame.type == "qualified-rule" and {"to", "100%"} & set(split_selectors(frame.prelude)):
                self._animations[name], _ = declarations_of(tinycss2.parse_blocks_contents(frame.content))

    def _add_rule(self, rule: Any, parents: list[str], layer: int, unknown: bool, deeper: int) -> None:
        selectors = split_selectors(rule.prelude)
        if parents:
            selectors = [
                selector.replace("&", parent) if "&" in selector else f"{parent} {selector}"
                for parent in parents
                for selector in selectors
            ]
        if len(selectors) > _MOST_RULES or not deeper:
            self.unresolved += 1
            return
        contents = tinycss2.parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
        self._add_declarations(contents, selectors, layer, unknown)
        self._collect(contents, selectors, layer, unknown, deeper - 1)

    def _add_declarations(self, contents: list[Any], selectors: list[str], layer: int, unknown: bool) -> None:
        normal, important = declarations_of(contents)
        if not normal and not important:
            return
        decides = any(name in DECIDING for name in (*normal, *important))
        for selector in selectors:
            if self._order >= _MOST_RULES or unknown or not self._add_selector(selector, normal, important, layer):
                self.unresolved += decides

    def _add_selector(self, selector: str, normal: Style, important: Style, layer: int) -> bool:
        """Add a rule for one selector. Return False if the selector cannot be resolved."""
        self._order += 1
        pseudo = _PSEUDO_ELEMENT.search(selector)
        kind = pseudo[1].lower() if pseudo else ""
        if pseudo:
            selector = selector[: pseudo.start()] or "*"
        if _OTHER_PSEUDO_ELEMENT.search(selector) or (kind and "content" not in {**normal, **important}):
            return True
        self.pseudos |= {kind} - {""}
        rank = (layer, specificity(selector), self._order)
        steps = split_compounds(selector, self._quirks)
        if steps is not None and len(steps[0]) <= _MOST_COMPOUNDS:
            compounds, children = steps
            needed = frozenset().union(*map(keys_of, compounds))
            self._used |= needed
            rule = Rule(rank, normal, important, compounds, children, needed)
            tag, name, classes = compounds[0]
            key = f"#{name}" if name else f".{min(classes)}" if classes else tag or "*"
            self._by_key.setdefault(f"{kind} {key}", []).append(rule)
            return True
        if _NEVER.search(re.sub(r":not\([^()]*\)", "", selector)):
            return True
        self._steps += self._elements * (self._elements if ":has" in selector else 1)
        if self._steps > _MOST_STEPS:
            return False
        try:
            nodes = self._tree.css(selector)
        except SelectolaxError:
            return False
        rule = Rule(rank, normal, important)
        for node in nodes:
            self._by_node.setdefault(kind, {}).setdefault(node.mem_id, []).append(rule)
        return True


def media_matches(queries: str) -> bool | None:
    """Whether a list of media queries applies to a desktop screen; None if unknown."""
    answers = [_query_matches(query) for query in queries.lower().split(",")] if queries.strip() else [True]
    return True if True in answers else None if None in answers else False


def _query_matches(query: str) -> bool | None:
    found = _QUERY.fullmatch(query)
    if found is None:
        return None
    turned, medium, features = found.groups()
    answers = [_feature_matches(feature) for feature in _FEATURE.findall(features)]
    if medium not in (None, "all", "screen"):
        answers.append(False)
    answer = False if False in answers else None if None in answers else True
    return answer if turned != "not" or answer is None else not answer


def _feature_matches(feature: str) -> bool | None:
    plain = _PLAIN.fullmatch(feature)
    if plain:
        least = {None: "=", "min-": ">=", "max-": "<="}[plain[1]]
        return _compare(plain[2], least, plain[3])
    limits = _RANGE.fullmatch(feature)
    if limits and (limits[2] or limits[4]):
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
        left = _compare(limits[3], turned[limits[2]], limits[1]) if limits[2] else True
        right = _compare(limits[3], limits[4], limits[5]) if limits[4] else True
        return None if None in (left, right) else bool(left and right)
    name, _, value = (part.strip() for part in feature.partition(":"))
    return value in _WORDS[name] if name in _WORDS else None


def _compare(side: str, sign: str, value: str) -> bool | None:
    limit, size = pixels(value), _WIDTH if side == "width" else _HEIGHT
    if limit is None:
        return None
    return {"<": size < limit, "<=": size <= limit, ">": size > limit, ">=": size >= limit, "=": size == limit}[sign]
