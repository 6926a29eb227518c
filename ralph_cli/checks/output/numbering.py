"""Finds numbers that count or name instead of measuring: of sections, and of the items of a list. Pure."""

import re

from ralph_cli.core.document import Document
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.sentences import line_at

_PART = (
    r"(?:sections?|clauses?|notes?|articles?|schedules?|chapters?|annex(?:es)?|appendix|parts?|paragraphs?|items?"
    r"|cls?\.|secs?\.|arts?\.|paras?\.|\u00a7+)"
)
SECTION_REFERENCE = re.compile(
    rf"(?i)\b{_PART}\s*(\d+(?:\.\d+)*(?:\([a-z]+\))?(?:\s*(?:-|\u2013|,|and|&|to)\s*\d+(?:\.\d+)*(?:\([a-z]+\))?)*)"
)
# The name of a column or key whose numbers name parts of a document.
PART_LABEL = re.compile(rf"(?i)(?!item|parts){_PART}[ _]?(?:(?:no|nr|number|ref|reference)s?\.?)?")

_NUMBERED = re.compile(r"(?:[^\W\d_]+\W+)?(\d{1,3}(?:\.\d{1,3})*)(?!\d)")
# Names for the items of a brief, behind their number.
ITEM_WORDS = re.compile(
    r"(?i)\s+(?:(?:separate|different|distinct|relevant|quoted|listed|further|key|main|such)\s+){0,2}"
    r"(?:items?|entries|bullets?|findings?|facts?|quotes?|quotations?|passages?|statements?"
    r"|(?:(?<=key )|(?<=main ))points)\b"
)

_PLURAL = re.compile(r"(?:\s+[^\W\d_]+){0,2}?\s+(?:[^\W\d_]+s|people|persons|criteria)\b")
_ITEM = re.compile(r"^[ \t]*(?:[-*+\u2022]|\(?\d{1,3}[.)])[ \t]+\S")


def section_numbers(document: Document) -> frozenset[str]:
    """The numbers of a document's parts: those of its clauses and of its numbered headings ("7.2", "Note 3")."""
    names = (*(clause.key for clause in document.clauses), *(heading.text for heading in document.headings))
    return frozenset(match[1] for name in names if (match := _NUMBERED.match(name)))


def announces_list(text: str, figure: Quantity) -> bool:
    """Whether the line of a figure announces a list of as many items: "3 deadlines of the Supplier:", "# 3 deadlines".

    The line is a heading or ends in a colon, and a plural behind the figure names what it counts. A total behind its
    name ("# Total breaches 3") is a statement about the document, however long the list below is.
    """
    begin, end = line_at(text, figure.start, figure.end)
    line = text[begin:end]
    points = figure.kind == "points" and "percent" not in figure.text  # "3 points are open"
    behind = figure.start + len(figure.text.split()[0])
    counts = (points or figure.kind in ("none", "count")) and _PLURAL.match(text, behind, end)
    leads = line.lstrip().startswith("#") or line.rstrip(" *_").endswith(":")
    return bool(counts) and leads and figure.value == _list_length(text[end + 1 :])


def _list_length(text: str) -> int:
    """The number of items of the list with which a text begins."""
    count = 0
    for line in text.split("\n"):
        if _ITEM.match(line):
            count += not line.startswith(("  ", "\t"))
        elif line.strip() and not line.startswith((" ", "\t")):
            break
    return count
