"""What drawings say: text boxes, the words of shapes, and the text of charts and diagrams.

Charts are those of ECMA-376, part 1, chapter 21.2; a chart's figures are the ones that it keeps from its table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.formatting.look import MARKED_HIDDEN
from ralph_cli.documents.docx.formatting.styles import Ground, read_colour
from ralph_cli.documents.docx.formatting.theme import Theme, read_fill
from ralph_cli.documents.docx.paragraphs import Box, preferred_choice
from ralph_cli.documents.docx.parts.xml_tree import attribute, child, children, number
from ralph_cli.documents.docx.reading import Findings
from ralph_cli.text.tables import EMPTY_CELL

_MOST_POINTS = 10_000
_LABELS, _VALUES = ("c:cat", "c:xVal"), ("c:val", "c:yVal", "c:bubbleSize")


@dataclass(frozen=True, slots=True)
class Drawings:
    """Reads the drawings of one part; `open_part` gives the tree of what an id there refers to, None if it is gone."""

    findings: Findings
    open_part: Callable[[str], Element | None]
    theme: Theme

    def read(self, element: Element) -> list[Box]:
        """What hangs on a paragraph by a drawing, a picture or an object."""
        found: list[Box] = []
        self._visit(element, Ground(None), found)
        return found

    def _visit(self, element: Element, ground: Ground, found: list[Box]) -> None:
        if attribute(child(element, "wp:docPr"), "hidden") in ("1", "true"):
            self.findings.hide("".join(text.text or "" for text in element.iter("w:t")), MARKED_HIDDEN)
            return
        for one in element:
            if one.tag == "w:txbxContent":
                found.append(Box(one, ground))
            elif one.tag in ("c:chart", "cx:chart"):
                self._add_part("chart", attribute(one, "id"), _describe_chart, found)
            elif one.tag == "dgm:relIds":
                self._add_part("diagram", attribute(one, "dm"), _describe_diagram, found)
            elif one.tag == "v:textpath":
                found.append(Box(text=attribute(one, "string")))
            elif one.tag == "a:p":
                found.append(Box(text=_plain_text(one)))
            elif one.tag == "mc:AlternateContent":
                self._visit(preferred_choice(one), ground, found)
            else:
                self._visit(one, _fill(one, ground, self.theme), found)

    def _add_part(
        self, what: Literal["chart", "diagram"], identity: str, describe: Callable[[Element], str], found: list[Box]
    ) -> None:
        root = self.open_part(identity)
        if root is not None:
            text = describe(root)
            found.append(Box(text=f"[{what}] {text}" if text else "", origin=what))


def _fill(shape: Element, ground: Ground, theme: Theme) -> Ground:
    """The colour of a shape, for the text in it; not known if it has none, for a shape may lie over anything."""
    if shape.tag == "wps:wsp":
        own = [one for one in child(shape, "wps:spPr") or () if one.tag.endswith("Fill")]
        usual = child(shape, "wps:style", "a:fillRef")
        fill = own[0] if own else usual if attribute(usual, "idx") not in ("", "0") else None
        return Ground(read_fill(fill, theme))
    if shape.tag in ("v:shape", "v:rect", "v:roundrect", "v:oval"):
        colour = read_colour(attribute(shape, "fillcolor").partition(" ")[0].removeprefix("#"))
        return Ground(None if colour is None else frozenset({colour}))
    return ground


def _plain_text(element: Element) -> str:
    return "".join(text.text or "" for text in element.iter("a:t"))


def _paragraphs(element: Element | None) -> str:
    """The paragraphs of a text in a drawing, one behind the other."""
    if element is None:
        return ""
    texts = (" ".join(_plain_text(one).split()) for one in element.iter("a:p"))
    return " / ".join(text for text in texts if text)


def _describe_chart(root: Element) -> str:
    """A chart as a table: its title and the names of its axes, its series, and a row for each category."""
    titles = [_paragraphs(title) or _cached_text(title) for title in (*root.iter("c:title"), *root.iter("cx:title"))]
    series = list(root.iter("c:ser"))
    heads = [_cached_text(child(one, "c:tx")) for one in series]
    labels: dict[int, str] = {}
    values = [_points(one, _VALUES) for one in series]
    for one in series:
        labels |= {at: text for at, text in _points(one, _LABELS).items() if at not in labels}
    lines = ["; ".join(title for title in titles if title)]
    if any(heads):
        lines.append("  ".join(head for head in heads if head))
    for at in sorted({*labels, *(place for column in values for place in column)}):
        cells = [column.get(at, "") or (EMPTY_CELL if head else "") for head, column in zip(heads, values, strict=True)]
        while cells and cells[-1] in ("", EMPTY_CELL):
            cells.pop()
        lines.append("  ".join(cell for cell in (labels.get(at, ""), *cells) if cell))
    return "\n".join(line for line in lines if line)


def _points(series: Element, names: tuple[str, ...]) -> dict[int, str]:
    """The points that a chart keeps of a series, by their places."""
    found: dict[int, str] = {}
    for name in names:
        for point in (point for part in children(series, name) for point in part.iter("c:pt")):
            at = number(attribute(point, "idx"), 0) or 0
            if len(found) < _MOST_POINTS and (text := " ".join(_text(child(point, "c:v")).split())):
                found.setdefault(at, text)
    return found


def _text(element: Element | None) -> str:
    return (element.text or "") if element is not None else ""


def _cached_text(element: Element | None) -> str:
    if element is None:
        return ""
    return " ".join(" ".join(text.text or "" for text in element.iter("c:v")).split())


def _describe_diagram(root: Element) -> str:
    """The words of a diagram's points, one a line."""
    return "\n".join(text for point in root.iter("dgm:pt") if (text := _paragraphs(child(point, "dgm:t"))))
