"""Texts shown instead of an element's content: a form's values, a picture's description, a formula, generated text."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ralph_cli.core.structure import Origin
from ralph_cli.text.raised import flatten_figures, lower_figures, raise_figures, write_fraction

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
# Characters that have a meaning only in an icon font.
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")

Attributes = Mapping[str, str | None]

_HIDDEN = frozenset(("annotation", "annotation-xml", "mphantom", "mspace", "none", "mprescripts", "-comment"))
_UNSEEN = re.compile("[\u2061-\u2064\u200b]")
_APART = re.compile(r"[=<>+\u2212\u00b1\u00d7\u00f7\u2190-\u21ff\u2200-\u2211\u2227-\u222a\u2243-\u22ff]|:=")
_ATOM = re.compile(r"[\w.,\u2032\u00b0%]+|[\w.]*\([^()]*\)|\u221a(?:\w+|\([^()]*\))")
_NUMBER = re.compile(r"\d+")
_DEEPEST = 60


def math_text(node: Any) -> str:
    """Return the text of a <math> element."""
    return " ".join(_write(node, _DEEPEST).split())


def _write(node: Any, deeper: int) -> str:
    if node.tag in _HIDDEN or not deeper:
        return ""
    text = node.text() if node.tag in ("mi", "mn", "mo", "mtext", "ms") else ""
    if text or node.tag == "-text":
        return _write_token(node.tag, text or node.text_content or "")
    children = [child for child in node.iter(include_text=False) if child.tag not in ("mprescripts", "-comment")]
    layout = _LAYOUTS.get(node.tag)
    if layout is None or len(children) < layout[0]:
        return _join([_write(child, deeper - 1) for child in node.iter(include_text=True)])
    return layout[1]([_write(child, deeper - 1) for child in children])


def _write_token(tag: str, text: str) -> str:
    text = _UNSEEN.sub("", " ".join(text.split()))
    if tag == "mo":
        return f" {text} " if _APART.fullmatch(text) else f"{text} " if text in (",", ";") else text
    return f" {text} " if tag == "mtext" else text


def _join(parts: list[str]) -> str:
    text = ""
    for part in parts:
        digits = text[-1:].isdigit() and part[:1].isdigit()
        text += f" {part}" if digits else part
    return text


def _group(text: str) -> str:
    """Return a part as one operand, in brackets if necessary."""
    text = text.strip()
    return text if not text or _ATOM.fullmatch(text) else f"({text})"


def _write_fraction(parts: list[str]) -> str:
    above, below = parts[0].strip(), parts[1].strip()
    if _NUMBER.fullmatch(above) and _NUMBER.fullmatch(below):
        return write_fraction(above, below)
    return f"{_group(above)}/{_group(below)}"


def _raise(text: str) -> str:
    text = text.strip()
    raised = raise_figures(text)
    return (
        raised
        if raised != text and flatten_figures(raised) == text and not re.search(r"[^\W\d]|[.,]", text)
        else (f"^{_group(text)}" if re.search(r"\w", text) else text)
    )


def _lower(text: str) -> str:
    text = text.strip()
    return lower_figures(text) if _NUMBER.fullmatch(text) else f"_{_group(text)}" if text else ""


def _table(parts: list[str]) -> str:
    return "[" + "; ".join(part.strip() for part in parts) + "]"


# Layouts of formulas: the fewest parts, and the function that writes them.
_LAYOUTS: dict[str, tuple[int, Callable[[list[str]], str]]] = {
    "mfrac": (2, _write_fraction),
    "msup": (2, lambda parts: _group(parts[0]) + _raise(parts[1])),
    "msub": (2, lambda parts: _group(parts[0]) + _lower(parts[1])),
    "msubsup": (3, lambda parts: _group(parts[0]) + _lower(parts[1]) + _raise(parts[2])),
    "munder": (2, lambda parts: parts[0].strip() + _lower(parts[1]) + " "),
    "mover": (2, lambda parts: parts[0].strip() + _raise(parts[1])),
    "munderover": (3, lambda parts: parts[0].strip() + _lower(parts[1]) + _raise(parts[2]) + " "),
    "mmultiscripts": (3, lambda parts: _group(parts[0]) + _lower(parts[1]) + _raise(parts[2])),
    "msqrt": (1, lambda parts: f"\u221a{_group(_join(parts))}"),
    "mroot": (2, lambda parts: f"{raise_figures(parts[1].strip())}\u221a{_group(parts[0])}"),
    "mfenced": (1, lambda parts: "(" + ", ".join(part.strip() for part in parts) + ")"),
    "mtable": (1, _table),
    "mtr": (1, lambda parts: ", ".join(part.strip() for part in parts)),
    "semantics": (1, lambda parts: parts[0]),
}


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
    """Return the chosen option of a menu, or all options of a list, each with a checkbox."""
    options = node.css("option")
    chosen = [option for option in options if "selected" in option.attributes]
    if _is_menu(attributes):
        return _label(chosen[-1] if chosen else options[0]) if options else ""
    marked = {option.mem_id for option in chosen}
    return "\n".join(f"{_CHECKED if option.mem_id in marked else _UNCHECKED} {_label(option)}" for option in options)


def _label(option: Any) -> str:
    return " ".join((option.text() or option.attributes.get("label") or "").split())


# Elements that show something other than their text, with the function that returns it.
REPLACED: dict[str, Callable[[Any, Attributes], str]] = {
    "img": _image_text,
    "input": _input_text,
    "select": _select_text,
    "math": lambda node, attributes: math_text(node),
}

# The origin of the texts of these elements.
ORIGINS: dict[str, Origin] = {"img": "image description", "input": "form field", "select": "form field"}


def unchosen_text(node: Any, attributes: Attributes) -> str:
    """Return the options of a menu that are not shown until it is opened."""
    if node.tag != "select" or not _is_menu(attributes):
        return ""
    return "".join(map(_label, node.css("option"))).replace(_select_text(node, attributes), "", 1)


def _is_menu(attributes: Attributes) -> bool:
    return "multiple" not in attributes and attributes.get("size") in (None, "", "0", "1")


def is_embedded(tag: str, attributes: Attributes) -> bool:
    """Whether an element shows another document, which is not read. An element without a size only counts visits."""
    source = attributes.get("data" if tag == "object" else "src") or ""
    small = any((attributes.get(side) or "").strip() in ("0", "1") for side in ("width", "height"))
    return bool(source) and not source.startswith(("about:", "javascript:")) and not small


def generated_text(content: str, attributes: Attributes) -> tuple[str, bool]:
    """Return the text that the property `content` generates, and whether it is complete: counters are not evaluated."""
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
