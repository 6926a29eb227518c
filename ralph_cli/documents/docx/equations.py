"""Equations (m:oMath) on one line: x², a/b, √(x + 1), ∑_(i=1)^n. Elements as in ECMA-376, part 1, chapter 22.1."""

import re
from collections.abc import Callable, Iterable
from xml.etree.ElementTree import Element

from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on
from ralph_cli.text.raised import LOWERED, RAISED, lower_figures, raise_figures, write_fraction

_NUMBER = re.compile(r"[-\u2212]?\d[\d.,]*")
_SIMPLE = re.compile(rf"[\w.,%\u221e\u2032'\u0300-\u036f\u20d7]*|{_NUMBER.pattern}")
_FRACTION_OF_FIGURES = re.compile(r"\d+/\d+")
_OPEN_SCRIPT = re.compile(r"[_^][^\s()_^]+$")
_ACCENTS = {"\u0300", "\u0301", "\u0302", "\u0303", "\u0304", "\u0305", "\u0307", "\u0308", "\u030c", "\u20d7"}
_INTEGRAL = "\u222b"
_NOT_SHOWN = frozenset({"w:del", "w:moveFrom", "w:rPr", "m:rPr", "m:ctrlPr", "w:instrText", "w:delText"})


def write_equation(element: Element) -> str:
    """Return the text of an equation, or of a part of one."""
    if element.tag in _NOT_SHOWN:
        return ""
    if element.tag in ("m:t", "w:t"):
        return element.text or ""
    write = _WRITERS.get(element.tag)
    return write(element) if write else _join((one.tag == "m:f", write_equation(one)) for one in element)


def _join(parts: Iterable[tuple[bool, str]]) -> str:
    """Join the parts of an equation; each comes with whether it is a fraction.

    A space separates parts that would otherwise continue an index, an exponent or a figure (3 5/16). A fraction is
    put in brackets if its neighbour would become part of it: (a/b)c is not a/bc.
    """
    joined = last = ""
    for is_fraction, part in parts:
        if last and (part[:1].isalnum() or part[:1] in ("(", "\u221a")):
            whole = f"{last} " if _FRACTION_OF_FIGURES.fullmatch(last) else f"({last})"
            joined = joined.removesuffix(last) + whole
        if is_fraction and joined.endswith(("/", "\u00f7", "\u2215")):
            is_fraction, part = False, _group(part)
        figures = joined[-1:].isdecimal() and part[:1].isdecimal() and "/" in part
        goes_on = part[:1].isalnum() and _OPEN_SCRIPT.search(joined)
        joined += f" {part}" if figures or goes_on else part
        if part:
            last = part if is_fraction and "/" in part else ""
    return joined


def _part(element: Element, name: str) -> str:
    found = child(element, name)
    return "" if found is None else write_equation(found).strip()


def _property(element: Element, name: str) -> Element | None:
    return child(element, f"{element.tag}Pr", f"m:{name}")


def _sign(element: Element, name: str, usual: str) -> str:
    found = _property(element, name)
    return usual if found is None else attribute(found)


def _group(text: str) -> str:
    """Return the text in brackets, unless it is a single figure or name, or already in brackets."""
    closed = text[:1] == "(" and text.find(")") == len(text) - 1
    return text if closed or _SIMPLE.fullmatch(text) else f"({text})"


def _script(text: str, sign: str) -> str:
    """Return an exponent or index in raised or lowered characters if they exist, else after ^ or _."""
    marked, known = (raise_figures(text), RAISED) if sign == "^" else (lower_figures(text), LOWERED)
    marked = "".join(marked.split())
    if not text or all(c in known for c in marked):
        return marked
    one = len(text) == 1 or _NUMBER.fullmatch(text) or sign == "_"
    return f"{sign}{_group(text) if one else _enclose(text)}"


def _enclose(text: str) -> str:
    return text if _group(text) == text and text[0] == "(" else f"({text})"


def _write_fraction(element: Element) -> str:
    above, below = _part(element, "m:num"), _part(element, "m:den")
    if attribute(_property(element, "type")) == "noBar":
        return f"{_group(above)} over {_group(below)}"
    if above.isdecimal() and below.isdecimal():
        return write_fraction(above, below)
    return f"{_group(above)}/{_group(below)}"


def _both_scripts(element: Element) -> str:
    return _script(_part(element, "m:sub"), "_") + _script(_part(element, "m:sup"), "^")


def _write_scripts(element: Element) -> str:
    base = "".join(_part(element, "m:e").split("\n"))
    scripts = _both_scripts(element)
    if element.tag == "m:sPre":
        return scripts + base
    is_simple = len(base) <= 1 or (_SIMPLE.fullmatch(base) and base[-1] not in RAISED)
    return (base if is_simple else _enclose(base)) + scripts


def _write_radical(element: Element) -> str:
    degree = "" if is_on(_property(element, "degHide")) else _part(element, "m:deg")
    signs = {"": "\u221a", "2": "\u221a", "3": "\u221b", "4": "\u221c"}
    inner = f"({_part(element, 'm:e')})"
    return signs[degree] + inner if degree in signs else f"{_script(degree, '^')}\u221a{inner}"


def _write_nary(element: Element) -> str:
    return f"{_sign(element, 'chr', _INTEGRAL)}{_both_scripts(element)} {_part(element, 'm:e')}"


def _write_delimiters(element: Element) -> str:
    parts = (write_equation(one).strip() for one in children(element, "m:e"))
    before, between, behind = (_sign(element, *each) for each in (("begChr", "("), ("sepChr", "|"), ("endChr", ")")))
    return f"{before}{between.join(parts)}{behind}"


def _write_function(element: Element) -> str:
    return f"{_part(element, 'm:fName')} {_part(element, 'm:e')}"


def _write_limit(element: Element) -> str:
    return f"{_part(element, 'm:e')}{_script(_part(element, 'm:lim'), '_' if element.tag == 'm:limLow' else '^')}"


def _write_accent(element: Element) -> str:
    mark = _sign(element, "chr", "\u0302")
    base = _part(element, "m:e")
    return base + mark if len(base) == 1 and mark in _ACCENTS else base


def _write_rows(element: Element) -> str:
    rows = [[one] for one in children(element, "m:e")]
    rows = [children(row, "m:e") for row in children(element, "m:mr")] if element.tag == "m:m" else rows
    return "; ".join(", ".join(write_equation(one).strip() for one in row) for row in rows)


def _write_phantom(element: Element) -> str:
    shown = _property(element, "show")
    return _part(element, "m:e") if shown is None or is_on(shown) else ""


_WRITERS: dict[str, Callable[[Element], str]] = {
    "m:f": _write_fraction,
    **dict.fromkeys(("m:sSup", "m:sSub", "m:sSubSup", "m:sPre"), _write_scripts),
    "m:rad": _write_radical,
    "m:nary": _write_nary,
    "m:d": _write_delimiters,
    "m:func": _write_function,
    **dict.fromkeys(("m:limLow", "m:limUpp"), _write_limit),
    "m:acc": _write_accent,
    **dict.fromkeys(("m:m", "m:eqArr"), _write_rows),
    "m:phant": _write_phantom,
}
