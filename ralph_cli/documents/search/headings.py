"""Where the parts of a document begin: its own headings, or the lines that are written as headings are. Pure.

A PDF without bookmarks names none, so its lines are looked at: a heading is short, ends in no comma, is no row of a
table, and is numbered or has capitals on all words but the little ones. What nearly every page repeats is no heading.
No word of any trade is known here.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from ralph_cli.core.document import Document, Heading, Page
from ralph_cli.text.lexicon import MONTHS, STOP_WORDS, any_of
from ralph_cli.text.tables import CELLS_APART, is_row, names_columns

MAX_OWN_PAGES = 10
"""Pages for each heading of a document's own above which they are too few to find a part by."""

LONGEST_HEADING, MOST_WORDS, MOST_NUMBERED = 160, 14, 24
"""Characters and words of a line that may be a heading; one with a number may have more words."""

_NUMBER = r"(?:[1-9]\d?(?:\.\d{1,3})*|[IVXLC]+|[A-Z])"
_COUNT = r"[1-9]\d{0,2}(?:\.\d{1,3})*[A-Z]?\b|[IVXLC]+\b|[A-Z](?=\s*(?:[:\u2013\u2014-]|$))"
_LABELLED = rf"(?:[A-Z][a-z]+|[A-Z]{{3,}})[ \u00a0](?:{_COUNT})"
_NUMBERED = re.compile(rf"(?:\u00a7+\s*\d[\d.]*|\(?{_NUMBER}(?:[.)]|(?=\s))|{_LABELLED})[.:)]?(?!\s+[a-z])")
_RUN_IN = re.compile(r"\s*((?:\u00a7\s*)?\d{1,3}(?:\.\d{1,3})*[.)]?\s+[A-Z][^.;:\n\d]{2,60})[.:]\s+\S")
_WORD = re.compile(r"[^\W\d_][\w\u2019'&-]*")
_SENTENCE = re.compile(r"[.;!?]\s+[a-z]|\.{3}")
_DATED = re.compile(rf"(?i)\b(?:{any_of(MONTHS)})\s+\d")
_FEW_WORDS = 5
_MOST_REPEATS, _PAGES_EACH, _NEAR, _LONG = 3, 20, 4, 75


def find_headings(document: Document) -> tuple[Heading, ...]:
    """The headings of a document in order: its own if there are enough of them, else what its lines look like, too.

    The level of a line is 1 if it is numbered or in capitals, 3 if it names a group of rows, else 2.
    """
    files = tuple((it.first_page - 1, it.last_page, it.start, it.end) for it in document.members)
    whole = (0, len(document.pages), 0, len(document.text))
    return _find_in_files(document.text, document.pages, document.headings, files or (whole,))


@lru_cache(maxsize=2)  # by these parts only: to compare whole documents is to go through all cells of their tables
def _find_in_files(
    text: str, pages: tuple[Page, ...], known: tuple[Heading, ...], files: tuple[tuple[int, int, int, int], ...]
) -> tuple[Heading, ...]:
    found: list[Heading] = []
    for first, last, start, end in files:
        own = tuple(heading for heading in known if start <= heading.start <= end)
        enough = len(own) * MAX_OWN_PAGES >= max(last - first, 3 * MAX_OWN_PAGES)
        found += own if enough else _find(text, pages[first:last], own)
    return tuple(found)


def _find(text: str, pages: tuple[Page, ...], known: tuple[Heading, ...]) -> tuple[Heading, ...]:
    found = [heading for page in pages for heading in _headings_of(text, page)]
    repeated = Counter(_key(heading.text) for heading in found)
    most = max(_MOST_REPEATS, len(pages) // _PAGES_EACH)
    own = {heading.start: heading for heading in known}
    by_start = {heading.start: heading for heading in found if repeated[_key(heading.text)] <= most} | own
    return tuple(by_start[start] for start in sorted(by_start))


def _headings_of(text: str, page: Page) -> Iterator[Heading]:
    lines = [match for match in re.finditer(r"[^\n]+", text[page.start : page.end]) if match[0].strip()]
    for number, match in enumerate(lines):
        line = match[0].strip()
        start = page.start + match.start() + len(match[0]) - len(match[0].lstrip())
        if level := heading_level(line):
            around = [[other[0] for other in lines[max(number - _NEAR, 0) : number]]]
            around.append([other[0] for other in lines[number + 1 : number + 1 + _NEAR]])
            yield Heading(line, start, 3 if level == 2 and _names_rows(*around) else level)
        elif run_in := _RUN_IN.match(match[0]):
            yield Heading(" ".join(run_in[1].split()), start, 1 + run_in[1].split()[0].rstrip(".").count("."))


def _names_rows(before: list[str], behind: list[str]) -> bool:
    """Whether a line between these names a group of rows inside a table: no text follows, and no new header."""
    titles = any(map(names_columns, behind)) or any(len(line) > _LONG and not is_row(line) for line in behind[:1])
    return not titles and any(map(is_row, before)) and any(map(is_row, behind))


def heading_level(line: str) -> int:
    """1 for a line that is written as a numbered heading or in capitals, 2 for one with capitalised words, else 0."""
    if not 3 <= len(line) <= LONGEST_HEADING:
        return 0
    words = _WORD.findall(line)
    number = _NUMBERED.match(line)
    rest = line[number.end() :].lstrip(" \u2010\u2011\u2012\u2013\u2014-") if number else line
    most = MOST_NUMBERED if number else MOST_WORDS
    if not 0 < len(words) <= most or is_row(rest):
        return 0
    if words[-1].casefold() in STOP_WORDS and len(words) > 1 and not line.isupper():  # the sentence goes on
        return 0
    if line[-1] in ",;" or line[0] in "(\u2022*" or CELLS_APART.search(rest) or _SENTENCE.search(line):
        return 0
    if line[-1] in ".:" and not number:
        return 0
    # A letter by itself is often the end of a broken word.
    telling = [word for word in words if word.casefold() not in STOP_WORDS and len(word) > 1]
    if not any(len(word) > 2 for word in telling) or not all(word[0].isupper() for word in telling):
        return 0
    if _DATED.search(line) and len(words) < _FEW_WORDS:  # "At December 31", above a table or beside a signature
        return 0
    return 1 if number or (line.isupper() and len(line) > 4) else 2


def is_numbered(heading: str) -> bool:
    """Whether a heading begins with a number, or with a word and a number."""
    return bool(_NUMBERED.match(heading))


def _key(heading: str) -> str:
    return " ".join(re.sub(r"\d+", "#", heading.casefold()).split())
