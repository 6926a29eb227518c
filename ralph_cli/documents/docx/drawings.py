"""What drawings say: text boxes, the words of shapes, and the text of charts and diagrams."""

from collections.abc import Callable
from typing import Literal
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.docx.formatting.styles import Ground
from ralph_cli.documents.docx.paragraphs import Box
from ralph_cli.documents.office.drawing_text import describe_chart, describe_diagram, plain_text
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.theme import Theme, read_fill
from ralph_cli.documents.office.xml_tree import attribute, child, preferred_choice
from ralph_cli.documents.page_text import PageText
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sight import MARKED, read_colour

_What = Literal["chart", "diagram"]
_OBJECTS = frozenset({":OLEObject", "w:objectEmbed", "w:objectLink"})


@dataclass(frozen=True, slots=True)
class Drawings:
    """Reads the drawings of one part; `open_part` gives the tree of what an id there refers to, None if it is gone.

    `read_foreign` reads what an element puts in from another file, None if it is not read, which is then said.
    """

    findings: Findings
    open_part: Callable[[str], Element | None]
    theme: Theme
    read_foreign: Callable[[Element], ParsedDocument | None]

    def read(self, element: Element) -> list[Box]:
        """What hangs on a paragraph by a drawing, a picture or an object."""
        found: list[Box] = []
        self._visit(element, Ground(None), found)
        return found

    def _visit(self, element: Element, ground: Ground, found: list[Box]) -> None:
        if attribute(child(element, "wp:docPr"), "hidden") in ("1", "true"):
            self.findings.hide("".join(text.text or "" for text in element.iter("w:t")), MARKED)
            return
        for one in element:
            if one.tag == "w:txbxContent":
                found.append(Box(one, ground))
            elif one.tag in ("c:chart", "cx:chart"):
                self._add_part("chart", attribute(one, "id"), describe_chart, found)
            elif one.tag == "dgm:relIds":
                self._add_part("diagram", attribute(one, "dm"), describe_diagram, found)
            elif one.tag in _OBJECTS:
                self.read_foreign(one)
            elif one.tag == "v:textpath":
                found.append(Box(text=PageText.of(attribute(one, "string").strip())))
            elif one.tag == "a:p":
                found.append(Box(text=PageText.of(plain_text(one).strip())))
            elif one.tag == "mc:AlternateContent":
                self._visit(preferred_choice(one), ground, found)
            else:
                self._visit(one, _fill(one, ground, self.theme), found)

    def _add_part(self, what: _What, identity: str, describe: Callable[[Element], PageText], found: list[Box]) -> None:
        root = self.open_part(identity)
        if root is not None and (told := describe(root)):
            found.append(Box(text=PageText()))
            found[-1].text.add_from(what, what, told)


def _fill(shape: Element, ground: Ground, theme: Theme) -> Ground:
    """The colour of a shape, for the text in it; not known if it has none, for a shape may lie over anything."""
    if shape.tag == "wps:wsp":
        return Ground(read_fill(child(shape, "wps:spPr"), child(shape, "wps:style", "a:fillRef"), theme) or None)
    if shape.tag in ("v:shape", "v:rect", "v:roundrect", "v:oval"):
        colour = read_colour(attribute(shape, "fillcolor").partition(" ")[0].removeprefix("#"))
        return Ground(None if colour is None else frozenset({colour}))
    return ground
