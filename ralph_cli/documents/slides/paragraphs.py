"""The paragraphs of a drawing's text as a slide shows them: list numbers, raised and struck-out runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.numbering import format_number
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.theme import Theme, read_ground, read_paint
from ralph_cli.documents.office.xml_tree import all_text, attribute, child, children, number, preferred_choice
from ralph_cli.documents.page_text import clean_text
from ralph_cli.documents.sight import Ink
from ralph_cli.text.raised import lower_figures, raise_figures

_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
_SIGNS = {"Period": ("", "."), "ParenR": ("", ")"), "ParenBoth": ("(", ")")}
_TEXTS = ("m:t", "a:t")
_FILLS = frozenset(f"a:{name}Fill" for name in ("no", "solid", "grad", "blip", "patt", "grp"))
# Returns the text of a run with these properties as it is shown.
_Look = Callable[[Element | None, str], str]


@dataclass(frozen=True, slots=True)
class TextSetting:
    """The context of a text: the ink around it, the elements that style it (nearest first), and the theme's colours."""

    ink: Ink
    styles: Sequence[Element] = ()
    theme: Theme = field(default_factory=dict)


def read_paragraphs(body: Element | None, findings: Findings, setting: TextSetting) -> str:
    """Return the text of a body, one line per paragraph; paragraphs without text are left out."""
    counts: dict[int, int] = {}
    found = []
    is_stretched = attribute(child(body, "a:bodyPr", "a:prstTxWarp"), "prst") not in ("", "textNoShape")
    styles = [*children(body, "a:lstStyle"), *setting.styles]
    for element in children(body, "a:p"):
        usual = list(_of_level(styles, number(attribute(child(element, "a:pPr"), "lvl"), 0)))

        def look(properties: Element | None, text: str, usual: list[Element] = usual) -> str:
            ink = _ink(properties, usual, setting)
            why = replace(ink, size=None).why if is_stretched else ink.why
            return _look(properties, findings.take(text, why), findings)

        text = "\n".join(" ".join(part.split()) for part in clean_text(_read_runs(element, look)).split("\n")).strip()
        if all_text(element, *_TEXTS).strip():  # paragraphs too small to read are numbered too
            begin = _number(element, counts)
            found += [begin + text] * bool(text)
    return "\n".join(found)


def _of_level(styles: Sequence[Element], level: int) -> Iterator[Element]:
    """Yield the run properties of a paragraph level (from 0) in the styles; a theme font's reference sets a colour."""
    for style in styles:
        found = style if style.tag == "a:fontRef" else child(style, f"a:lvl{level + 1}pPr", "a:defRPr")
        if found is not None and len(found) + len(found.attrib):
            yield found


def _ink(properties: Element | None, usual: Sequence[Element], setting: TextSetting) -> Ink:
    """Return the ink of a run with these properties; `usual` are its inherited properties, nearest first."""
    told = [*usual] if properties is None else [properties, *usual]
    size = next((size for one in told if (size := number(attribute(one, "sz"))) is not None), None)
    ink = replace(setting.ink, size=None if size is None else size / 100)
    if (marker := child(properties, "a:highlight")) is not None:
        ink = replace(ink, ground=read_ground(marker, setting.theme))
    fill = next((fill for one in told if (fill := _find_fill(one)) is not None), None)
    if fill is None or child(properties, "a:hlinkClick") is not None:  # a link has the colour of links
        return ink
    if fill.tag != "a:noFill":
        colour, opacity = read_paint(fill, setting.theme)
        return replace(ink, colour=colour, opacity=opacity)
    is_outlined = any(_find_fill(line) is not None for one in told for line in children(one, "a:ln"))
    return replace(ink, opacity=float(is_outlined))


def _find_fill(properties: Element) -> Element | None:
    """Return the fill of letters in some properties."""
    return properties if properties.tag == "a:fontRef" else next((one for one in properties if one.tag in _FILLS), None)


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
    return all_text(element, *_TEXTS)  # an equation


def _look(properties: Element | None, text: str, findings: Findings) -> str:
    """Return the text of a run with its figures raised or lowered, or struck out."""
    raised = number(attribute(properties, "baseline"), 0)
    if raised:
        text = raise_figures(text) if raised > 0 else lower_figures(text)
    if attribute(properties, "strike") in ("sngStrike", "dblStrike"):
        return findings.strike(text)
    return text


def _number(element: Element, counts: dict[int, int]) -> str:
    """Return the number before a paragraph in a numbered list (ECMA-376, part 1, 21.1.2.4.1), or ""."""
    properties = child(element, "a:pPr")
    level = number(attribute(properties, "lvl"), 0)
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
