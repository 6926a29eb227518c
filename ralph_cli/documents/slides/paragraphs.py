"""The paragraphs of a drawing's text as a slide shows them: numbers of lists, raised and struck runs."""

from collections.abc import Callable, Iterator
from functools import partial
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.numbering import format_number
from ralph_cli.documents.hidden_reasons import TINY
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.sight import is_tiny
from ralph_cli.documents.office.xml_tree import attribute, child, children, number, preferred_choice
from ralph_cli.documents.page_text import clean_text
from ralph_cli.text.raised import STRUCK_CLOSING, STRUCK_OPENING, lower_figures, raise_figures, strike

_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
_SIGNS = {"Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")")}
_Look = Callable[[Element | None, str], str]
"""The text of a run with these properties, as it is shown."""


def read_paragraphs(body: Element | None, findings: Findings) -> str:
    """The text of a body, a paragraph a line; those without text are left out."""
    lines = (line for element in children(body, "a:p") for line in [element])
    counts: dict[int, int] = {}
    found = []
    is_stretched = attribute(child(body, "a:bodyPr", "a:prstTxWarp"), "prst") not in ("", "textNoShape")
    for element in lines:
        look = partial(_look, usual=_usual_size(body, element), findings=None if is_stretched else findings)
        text = "\n".join(" ".join(part.split()) for part in clean_text(_read_runs(element, look)).split("\n")).strip()
        if "".join(_texts(element)).strip():  # what is too small to read has a number, too
            begin = _number(element, counts)
            found += [begin + text] * bool(text)
    return "\n".join(found)


def _usual_size(body: Element | None, paragraph: Element) -> int | None:
    """The size that a body gives to runs without one, in hundredths of a point; None if it gives none."""
    level = (number(attribute(child(paragraph, "a:pPr"), "lvl"), 0) or 0) + 1
    return number(attribute(child(body, "a:lstStyle", f"a:lvl{level}pPr", "a:defRPr"), "sz"))


def _read_runs(element: Element, look: _Look) -> str:
    return "".join(_read_run(one, look) for one in element)


def _read_run(element: Element, look: _Look) -> str:
    match element.tag:
        case "a:br":
            return "\n"
        case "a:r" | "a:fld":
            return look(child(element, "a:rPr"), "".join(one.text or "" for one in children(element, "a:t")))
        case "mc:AlternateContent":
            return _read_runs(preferred_choice(element), look)
        case "a:pPr" | "a:endParaRPr":
            return ""
    return "".join(_texts(element))  # an equation


def _texts(element: Element) -> Iterator[str]:
    for one in element.iter():
        if one.tag in ("m:t", "a:t"):
            yield one.text or ""


def _look(properties: Element | None, text: str, *, usual: int | None, findings: Findings | None) -> str:
    """The text of a run as it is shown; without `findings` it is as large as its shape has room for."""
    size = number(attribute(properties, "sz"), usual)
    if findings is not None and size is not None and is_tiny(size / 100):
        findings.hide(text, TINY)
        return ""
    raised = number(attribute(properties, "baseline"), 0) or 0
    if raised:
        text = raise_figures(text) if raised > 0 else lower_figures(text)
    if attribute(properties, "strike") in ("sngStrike", "dblStrike") and text.strip():
        return f"{STRUCK_OPENING}{strike(text)}{STRUCK_CLOSING}"
    return text


def _number(element: Element, counts: dict[int, int]) -> str:
    """What a paragraph of a numbered list begins with (ECMA-376, part 1, 21.1.2.4.1); "" for any other."""
    properties = child(element, "a:pPr")
    level = number(attribute(properties, "lvl"), 0) or 0
    numbered = child(properties, "a:buAutoNum")
    for deeper in [one for one in counts if one > level]:
        del counts[deeper]
    if numbered is None:
        counts.pop(level, None)
        return ""
    counts[level] = count = counts.get(level, (number(attribute(numbered, "startAt"), 1) or 1) - 1) + 1
    kind = attribute(numbered, "type")
    sign = next((sign for sign in _SIGNS if kind.endswith(sign)), "")
    before, behind = _SIGNS.get(sign, ("", "."))
    return f"{before}{format_number(count, _FORMS.get(kind.removesuffix(sign), 'decimal'))}{behind} "
