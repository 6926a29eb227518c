"""The texts of drawings: paragraphs, charts and diagrams.

Charts follow ECMA-376, part 1, chapter 21.2. A chart's figures are the copies that it keeps of its table's. Each is
shown in its stored number format, or in that of the labels that show it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from xml.etree.ElementTree import Element

from ralph_cli.documents.office.number_format import GENERAL, NumberFormat
from ralph_cli.documents.office.xml_tree import all_text, attribute, child, children, is_on, number
from ralph_cli.documents.page_text import PageText
from ralph_cli.documents.tables import TableCell, TableRow, write_table

_MOST_POINTS = 10_000
_NUMBERS, _AXES = ("c:numCache", "c:numLit"), ("c:catAx", "c:dateAx")
_LABELS, _VALUES = ("c:cat", "c:xVal"), ("c:val", "c:yVal", "c:bubbleSize")


def join_paragraphs(element: Element | None) -> str:
    """Join the paragraphs of a text in a drawing with " / "."""
    if element is None:
        return ""
    texts = (" ".join(all_text(one, "a:t").split()) for one in element.iter("a:p"))
    return " / ".join(text for text in texts if text)


def describe_chart(root: Element) -> PageText:
    """Return a chart as its title, the names of its axes, and a table of its series with a row per category."""
    found = PageText()
    titles = (*root.iter("c:title"), *root.iter("cx:title"))
    found.write("; ".join(filter(None, (join_paragraphs(title) or _cached_text(title) for title in titles))))
    series = list(_read_series(root))
    labels: dict[int, str] = {}
    values: dict[int, list[TableCell]] = {}
    for column, one in enumerate(series, 1):
        for at, label in one.labels.items():
            labels.setdefault(at, label)
        for at, value in one.values.items():
            values.setdefault(at, []).append(TableCell(column, column + 1, value))
    head = [TableCell(column, column + 1, one.head) for column, one in enumerate(series, 1)]
    rows = [TableRow([TableCell(0, 1, labels.get(at, "")), *values.get(at, ())]) for at in sorted({*labels, *values})]
    if table := write_table([TableRow(head, is_header=True), *rows]):
        found.add_line(table)
    return found


@dataclass(frozen=True, slots=True)
class _Series:
    """The name of a series, and the labels and values of its points, keyed by their index."""

    head: str
    labels: dict[int, str]
    values: dict[int, str]


def _read_series(root: Element) -> Iterator[_Series]:
    """Yield the series of a chart, in order."""
    is_1904 = is_on(child(root, "c:date1904"))
    axes = {attribute(child(one, "c:axId")): one for name in _AXES for one in root.iter(name)}
    for group in (one for one in root.iter() if child(one, "c:ser") is not None):
        axis = next((axes[key] for one in children(group, "c:axId") if (key := attribute(one)) in axes), None)
        of_labels = None if is_on(child(axis, "c:delete")) else _own_format(axis)
        of_group = _format_of_marks(child(group, "c:dLbls"))
        for one in children(group, "c:ser"):
            marks = child(one, "c:dLbls")
            of_values = of_group if marks is None else _format_of_marks(marks)
            yield _Series(
                _cached_text(child(one, "c:tx")),
                _points(one, _LABELS, of_labels, is_1904),
                _points(one, _VALUES, of_values, is_1904),
            )


def _own_format(element: Element | None) -> NumberFormat | None:
    """Return the format that an axis or the labels of a series have of their own; None if the table's applies."""
    shown = child(element, "c:numFmt")
    is_own = shown is not None and attribute(shown, "sourceLinked") in ("0", "false")
    code = attribute(shown, "formatCode")
    return _format(code) if is_own and code not in ("", "General") else None


def _format_of_marks(marks: Element | None) -> NumberFormat | None:
    """Return the format of a series' labels, if they show its values and no other number."""
    shows_values = is_on(child(marks, "c:showVal")) and not is_on(child(marks, "c:showPercent"))
    return _own_format(marks) if shows_values else None


def _points(series: Element, names: tuple[str, ...], own: NumberFormat | None, is_1904: bool) -> dict[int, str]:
    """Return the points that a chart keeps of a series, by index; `own` is the format that shows its numbers, if any.

    Without `own`, the format of the point or of its cache applies.
    """
    found: dict[int, str] = {}
    for cache in (cache for name in names for part in children(series, name) for cache in part.iter()):
        of_cache = _format(_text(child(cache, "c:formatCode")))
        for point in children(cache, "c:pt"):
            at = number(attribute(point, "idx"), 0)
            text = " ".join(_text(child(point, "c:v")).split())
            if len(found) < _MOST_POINTS and text and at not in found:
                code = attribute(point, "formatCode")
                shown = own or (_format(code) if code else of_cache)
                found[at] = _show_number(text, shown, is_1904) if cache.tag in _NUMBERS else text
    return found


@lru_cache(maxsize=256)
def _format(code: str) -> NumberFormat:
    """Return the format with this code; cached for all figures that have it."""
    return NumberFormat(code)


def _show_number(text: str, shown: NumberFormat, is_1904: bool) -> str:
    """Return a number as its format shows it; a text that is not a number, such as "#N/A", stays unchanged.

    If the format shows nothing, the general format is used, because the number is visible as the height of a bar.
    """
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return text
    return " ".join(shown.show_number(value, is_1904).text.split()) or GENERAL.show_number(value).text


def _text(element: Element | None) -> str:
    return (element.text or "") if element is not None else ""


def _cached_text(element: Element | None) -> str:
    values = element.iter("c:v") if element is not None else ()
    return " ".join(" ".join(value.text or "" for value in values).split())


def describe_diagram(root: Element) -> PageText:
    """Return the texts of a diagram's points, one per line."""
    texts = (join_paragraphs(child(point, "dgm:t")) for point in root.iter("dgm:pt"))
    return PageText.of("\n".join(text for text in texts if text))
