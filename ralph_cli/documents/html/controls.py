"""What stands in the place of an element: a form's values, a picture's description, a formula, text made by styles."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ralph_cli.core.structure import Origin
from ralph_cli.documents.html.mathml import math_text

_CHECKED, _UNCHECKED = "\u2612", "\u2610"
_UNSEEN_INPUTS = frozenset(("hidden", "password", "color", "range", "file"))
_CONTENT = re.compile(
    r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|attr\(\s*([\w-]+)\s*\)|"
    r"(none|normal|initial|(?:no-)?(?:open|close)-quote)|"
    r"(url\([^()]*\))|(/.*)|(\S+)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(\n)|(.))", re.DOTALL)
_QUOTES = {"open-quote": "\u201c", "close-quote": "\u201d"}
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
"""Characters that only a font for pictures has a meaning for."""

Attributes = Mapping[str, str | None]


def _input_text(node: Any, attributes: Attributes) -> str:
    kind = (attributes.get("type") or "text").strip().lower()
    if kind in ("checkbox", "radio"):
        return _CHECKED if "checked" in attributes else _UNCHECKED
    if kind == "image":
        return _image_text(node, attributes)
    if kind in ("submit", "reset") and "value" not in attributes:
        return kind.capitalize()
    return "" if kind in _UNSEEN_INPUTS else attributes.get("value") or ""


def _image_text(node: Any, attributes: Attributes) -> str:
    description = " ".join((attributes.get("alt") or "").split())
    return f"[image: {description}]" if description else ""


def _select_text(node: Any, attributes: Attributes) -> str:
    """The chosen option of a menu, or all options of a list, each with its box."""
    options = node.css("option")
    chosen = [option for option in options if "selected" in option.attributes]
    if _is_menu(attributes):
        return _label(chosen[-1] if chosen else options[0]) if options else ""
    marked = {option.mem_id for option in chosen}
    return "\n".join(f"{_CHECKED if option.mem_id in marked else _UNCHECKED} {_label(option)}" for option in options)


def _label(option: Any) -> str:
    return " ".join((option.text() or option.attributes.get("label") or "").split())


REPLACED: dict[str, Callable[[Any, Attributes], str]] = {
    "img": _image_text,
    "input": _input_text,
    "select": _select_text,
    "math": lambda node, attributes: math_text(node),
}
"""Elements that show something else than the text in them, and what it is."""

ORIGINS: dict[str, Origin] = {"img": "image description", "input": "form field", "select": "form field"}
"""Where the words of these are from."""


def unchosen_text(node: Any, attributes: Attributes) -> str:
    """The options of a menu that are not shown until it is opened."""
    if node.tag != "select" or not _is_menu(attributes):
        return ""
    return "".join(map(_label, node.css("option"))).replace(_select_text(node, attributes), "", 1)


def _is_menu(attributes: Attributes) -> bool:
    return "multiple" not in attributes and attributes.get("size") in (None, "", "0", "1")


def is_embedded(tag: str, attributes: Attributes) -> bool:
    """Whether an element shows another document, which is not read; one of no size only measures visits."""
    source = attributes.get("data" if tag == "object" else "src") or ""
    small = any((attributes.get(side) or "").strip() in ("0", "1") for side in ("width", "height"))
    return bool(source) and not source.startswith(("about:", "javascript:")) and not small


def generated_text(content: str, attributes: Attributes) -> tuple[str, bool]:
    """The text that the property `content` makes, and whether all of it is known: counters are not counted."""
    text, known = "", True
    for double, single, name, word, image, spoken, other in _CONTENT.findall(content[:2_000]):
        if name:
            text += attributes.get(name) or ""
        elif word:
            text += _QUOTES.get(word, "")
        elif other:
            known = False
        elif not image and not spoken:
            text += _ESCAPE.sub(_unescape, double or single)
    return _PRIVATE.sub("", text), known


def _unescape(found: re.Match[str]) -> str:
    if not found[1]:
        return found[3] or ""
    number = int(found[1], 16)
    return chr(number) if 0 < number < 0xD800 or 0xDFFF < number < 0x110000 else "\ufffd"
