"""Numbers that count or name instead of measuring: of sections, and of the items of a list. Pure."""

import re

from ralph_cli.checks.figures import Figure

_PART = r"(?:sections?|clauses?|notes?|articles?|schedules?|chapters?|annex(?:es)?|appendix|parts?|paragraphs?|\u00a7+)"
SECTIONS = re.compile(
    rf"\b{_PART}\s*(\d+(?:\.\d+)*(?:\([a-z]+\))?(?:\s*(?:-|\u2013|,|and|&|to)\s*\d+(?:\.\d+)*(?:\([a-z]+\))?)*)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"^[ \t#*>]*(?:{_PART}\s+)?(\d{{1,3}}(?:\.\d{{1,3}})*)[.):]?\*{{0,2}}(?=\s)", re.MULTILINE | re.IGNORECASE
)
ITEMS = re.compile(
    r"\s+(?:[^\W\d]+\s+){0,2}?(?:items?|points?|entries|bullets?|rows?|findings?|facts?|quotes?|quotations?|passages?"
    r"|statements?|lines?)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^[ \t]*(?:[-*+\u2022]|\(?\d{1,3}[.)])[ \t]+\S")


def sections_of(text: str) -> frozenset[str]:
    """The numbers with which lines of a document begin: those of its sections, clauses, notes and schedules."""
    return frozenset(match[1] for match in _NUMBERED.finditer(text))


def announces(text: str, figure: Figure) -> bool:
    """Whether the line of a figure announces a list of just so many items."""
    end = text.find("\n", figure.end)
    line = text[text.rfind("\n", 0, figure.start) + 1 : end if end >= 0 else len(text)]
    if end < 0 or not (line.rstrip(" *_").endswith(":") or line.lstrip().startswith("#")):
        return False
    count = 0
    for following in text[end + 1 :].split("\n"):
        if _ITEM.match(following):
            count += not following.startswith(("  ", "\t"))
        elif following.strip() and not following.startswith((" ", "\t")):
            break
    return figure.value == count
