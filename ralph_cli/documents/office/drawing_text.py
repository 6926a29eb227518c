"""The words of drawings: paragraphs of a text, and what charts and diagrams say.

Charts are those of ECMA-376, part 1, chapter 21.2; a chart's figures are the ones that it keeps from its table.
"""

from xml.etree.ElementTree import Element

from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.text.tables import EMPTY_CELL

_MOST_POINTS = 10_000
_LABELS, _VALUES = ("c:cat", "c:xVal"), ("c:val", "c:yVal", "c:bubbleSize")


def plain_text(element: Element) -> str:
    """The characters of a text in a drawing, as they stand."""
    return "".join(text.text or "" for text in element.iter("a:t"))


def join_paragraphs(element: Element | None) -> str:
    """The paragraphs of a text in a drawing, one behind the other."""
    if element is None:
        return ""
    texts = (" ".join(plain_text(one).split()) for one in element.iter("a:p"))
    return " / ".join(text for text in texts if text)


def describe_chart(root: Element) -> str:
    """A chart as a table: its title and the names of its axes, its series, and a row for each category."""
    titles = [
        join_paragraphs(title) or _cached_text(title) for title in (*root.iter("c:title"), *root.iter("cx:title"))
    ]
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


def describe_diagram(root: Element) -> str:
    """The words of a diagram's points, one a line."""
    return "\n".join(text for point in root.iter("dgm:pt") if (text := join_paragraphs(child(point, "dgm:t"))))
