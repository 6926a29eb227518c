"""Formulas in MathML (MathML Core) as one line of text: (a + b)/c, x\N{SUPERSCRIPT TWO}."""

import re
from collections.abc import Callable
from typing import Any

from ralph_cli.text.raised import flatten_figures, lower_figures, raise_figures, write_fraction

_HIDDEN = frozenset(("annotation", "annotation-xml", "mphantom", "mspace", "none", "mprescripts", "-comment"))
_UNSEEN = re.compile("[\u2061-\u2064\u200b]")
_APART = re.compile(r"[=<>+\u2212\u00b1\u00d7\u00f7\u2190-\u21ff\u2200-\u2211\u2227-\u222a\u2243-\u22ff]|:=")
_ATOM = re.compile(r"[\w.,\u2032\u00b0%]+|[\w.]*\([^()]*\)|\u221a(?:\w+|\([^()]*\))")
_NUMBER = re.compile(r"\d+")
_DEEPEST = 60


def math_text(node: Any) -> str:
    """The text of a <math> element."""
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
    """A part as one operand."""
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
"""The layouts that place their parts, by how many parts they have at least."""
