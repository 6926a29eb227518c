"""Numbers that count or name instead of measuring: of sections, and of the items of a list. Pure."""

import re

from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.sentences import line_at

_PART = (
    r"(?:sections?|clauses?|notes?|articles?|schedules?|chapters?|annex(?:es)?|appendix|parts?|paragraphs?|items?"
    r"|cls?\.|secs?\.|arts?\.|paras?\.|\u00a7+)"
)
SECTION_REFERENCE = re.compile(
    rf"(?i)\b{_PART}\s*(\d+(?:\.\d+)*(?:\([a-z]+\))?(?:\s*(?:-|\u2013|,|and|&|to)\s*\d+(?:\.\d+)*(?:\([a-z]+\))?)*)"
)
PART_LABEL = re.compile(rf"(?i)(?!item|parts){_PART}[ _]?(?:(?:no|nr|number|ref|reference)s?\.?)?")
"""What a column or key is called whose numbers name parts of a document."""

_LINE = re.compile(
    rf"(?i)[ \t>]*(?P<mark>#{{1,6}}[ \t]+|\*\*|__)?(?:(?P<part>{_PART})[ \t]?)?(?P<number>\d{{1,3}}(?:\.\d{{1,3}})*)"
    r"(?P<end>(?-i:[A-Z])?[.):]*)[*_]{0,2}(?P<rest>(?:[\s(\u2013\u2014-].*)?)"
)
_CONTENTS_PAGE = re.compile(r"(?:\s*\.{2,}\s*|\s*\u2026+\s*|\s{2,}|\t)\d{1,4}\s*\Z")
_CELLS = re.compile(r"(?:\s{2,}|\t)[-\u2013\u2014$\u20ac\u00a3(]*[\d\u2014]")
_TITLE = re.compile(r"[\"\u201c\u2018*_]*[^\W\d_a-z][^\d]{1,60}(?<![.,;:])")
ITEM_WORDS = re.compile(
    r"(?i)\s+(?:(?:separate|different|distinct|relevant|quoted|listed|further|key|main|such)\s+){0,2}"
    r"(?:items?|entries|bullets?|findings?|facts?|quotes?|quotations?|passages?|statements?"
    r"|(?:(?<=key )|(?<=main ))points)\b"
)
"""What the items of a brief are called, behind their number."""

_PLURAL = re.compile(r"(?:\s+[^\W\d_]+){0,2}?\s+(?:[^\W\d_]+s|people|persons|criteria)\b")
_DETERMINED = re.compile(r"[\s#*_>]*(?:(?:the|these|all|following|key|main|first)\s+)*", re.IGNORECASE)
_NAMED = re.compile(rf"\b(?:{_PART}|fiscal|years?|quarters?|pages?|p\.|no\.?|totals?)\s*\Z", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:[-*+\u2022]|\(?\d{1,3}[.)])[ \t]+\S")


def section_numbers(text: str) -> frozenset[str]:
    """The numbers of a document's sections, clauses, notes and schedules: those that begin a line with their look.

    Enough by itself is a heading mark or a word such as "Note" before the number, or a point or bracket behind it (or
    in it: 7.1) with a title or a capital following. Less than that (a bare number before a title, a point before
    running text) is enough if the numbers beside it (6 or 8, 7.1) look like it. A number before running text, a table's
    row, a quantity or a page's header is none.
    """
    strong: set[str] = set()
    weak: dict[str, set[str]] = {}
    titles: dict[str, set[str]] = {}
    for line in re.split(r"[\n\f]", text):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        number, rest = match["number"], _CONTENTS_PAGE.sub("", match["rest"]).strip()
        titles.setdefault(rest.casefold(), set()).add(number)
        look = _section_likelihood(match, rest)
        if look == "strong":
            strong.add(number)
        elif look:
            weak.setdefault(number, set()).add(rest.casefold())
    # What follows several numbers is the header of pages, not the title of a section.
    likely = {number for number, rests in weak.items() if any(not rest or len(titles[rest]) == 1 for rest in rests)}
    return frozenset(strong | {number for number in likely if _neighbouring_numbers(number) & (strong | likely)})


def _section_likelihood(match: re.Match[str], rest: str) -> str:
    """How much a line looks like the beginning of a section: "strong", "weak" or "" for not at all."""
    titled = bool(_TITLE.fullmatch(rest))
    dotted, ended = "." in match["number"], bool(match["end"])
    capital = bool(re.match(r"[\"\u201c\u2018(*_]*[^\W\d_a-z]", rest))
    if match["part"]:
        return "strong"
    if _is_measured(f"1 {rest}") or _CELLS.search(f"  {rest}"):
        return ""
    marked = match["mark"] and (dotted or ended or capital or not rest)
    if marked or (dotted and capital) or (ended and titled):
        return "strong"
    return "weak" if match["mark"] or dotted or ended or titled else ""


def _neighbouring_numbers(number: str) -> set[str]:
    """The numbers that make a number likely: the one before, the one after, and its own first part."""
    parent, _, last = number.rpartition(".")
    before = f"{parent}." if parent else ""
    return {f"{before}{int(last) - 1}", f"{before}{int(last) + 1}", f"{number}.1"}


def _is_measured(text: str) -> bool:
    """Whether the number with which a text begins is an amount of something, and counts nothing."""
    found = read_quantities(text, "prose")[:1]
    return bool(found) and (found[0].kind not in ("none", "count", "identifier", "date") or found[0].power is not None)


def announces_list(text: str, figure: Quantity) -> bool:
    """Whether the line of a figure announces a list of just so many items.

    It counts them if things are named behind it in the plural ("3 deadlines of the Supplier:"), which are no unit, and
    if the line leads to the list: by a colon at its end, or as a heading that begins with the figure. A total that is
    named before its figure ("# Total breaches 3") says something of the document, however long the list below is.
    """
    begin, end = line_at(text, figure.start, figure.end)
    line = text[begin:end]
    points = figure.kind == "points" and "percent" not in figure.text  # "3 points are open"
    behind = figure.start + len(figure.text.split()[0])
    counted = figure.kind in ("none", "count") or points
    if end == len(text) or not counted or not _PLURAL.match(text, behind, end):
        return False
    if line.lstrip().startswith("#"):
        leads = _DETERMINED.fullmatch(text, begin, figure.start) is not None
    else:
        leads = line.rstrip(" *_").endswith(":") and not _NAMED.search(text[begin : figure.start])
    return leads and figure.value == _list_length(text[end + 1 :])


def _list_length(text: str) -> int:
    """How many items the list has with which a text begins."""
    count = 0
    for line in text.split("\n"):
        if _ITEM.match(line):
            count += not line.startswith(("  ", "\t"))
        elif line.strip() and not line.startswith((" ", "\t")):
            break
    return count
