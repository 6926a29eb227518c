"""Where the parts of a document begin: its own headings, or the lines that are written as headings are. Pure.

A PDF without bookmarks names none, so its lines are looked at: those that count on with each other, and those that look
like headings. What nearly every page repeats is no heading, nor is what has no text behind it.
"""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from operator import attrgetter
from typing import overload

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.document import Document, Heading, Page
from ralph_cli.documents.sniff import MAIL_KINDS
from ralph_cli.documents.structure.heading_lines import (
    ends_sentence,
    heading_level,
    is_text,
    run_in_heading,
    stands_in_table,
)
from ralph_cli.documents.structure.numbered_headings import find_runs
from ralph_cli.documents.structure.sections import Reach, certain_headings
from ralph_cli.text.scan import strip_interval
from ralph_cli.text.tables import names_columns

MAX_OWN_PAGES = 10
"""Pages for each heading of a document's own above which they are too few to find a part by."""

LAST_REACH = 1_500
"""Characters, on its page, for which the last of numbered headings counts for certain: no other ends it."""

_MOST_REPEATS, _PAGES_EACH = 3, 20
_LINE = re.compile(r"[^\n]+")
_BARE_NUMBER = re.compile(r"\d{1,2}(?!\S)")
_ADDRESSED = re.compile(r"[\d:]")
"""What stands in lines that look like headings and name a place, a day or a person: "Am Weinberg 3", "To: A. Berg"."""

_LABEL = re.compile(r"([A-Z][A-Za-z]{2,})[ \u00a0](\d{1,3})([A-Z]?)\b")


@dataclass(frozen=True, slots=True)
class _Part:
    """A heading and `sure_until`: what stands before that character stands under it, as far as code can be sure.

    That is where the next begins that an outline or a number names; of a heading without either (`is_counted` is false)
    the end of its page, or the heading itself where it names rows of a table or no text follows it.
    """

    heading: Heading
    sure_until: int
    is_counted: bool


@dataclass(frozen=True, slots=True)
class _File:
    """A document, or one of a set: its kind, its pages from `first` to before `last`, and its characters."""

    kind: str
    first: int
    last: int
    start: int
    end: int


class _Lines(Sequence[str]):
    """The lines of some pages that are not empty, without the space around them; only where they stand is kept."""

    def __init__(self, text: str, pages: Sequence[Page]) -> None:
        self._text, self._pages = text, pages
        self.starts, self._ends = array("q"), array("q")
        for page in pages:
            for match in _LINE.finditer(text, page.start, page.end):
                start, end = strip_interval(text, *match.span())
                if start < end:
                    self.starts.append(start)
                    self._ends.append(end)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        return self._text[self.starts[at] : self._ends[at]]

    def page_end(self, at: int) -> int:
        """Where the page ends that a line stands on."""
        return self._pages[bisect_right(self._pages, self.starts[at], key=attrgetter("start")) - 1].end


def find_headings(document: Document) -> tuple[Heading, ...]:
    """The headings of a document in order: its own if there are enough of them, else what its lines look like, too.

    The level of a line is that of its number if that goes on with others (4 is 1, 4.1 is 2); else 1 if it is numbered
    or in capitals, and below that one deeper than numbers go; what names a group of rows is one deeper still.
    """
    return tuple(part.heading for part in _parts(document))


def section_at(document: Document, offset: int) -> tuple[Heading, ...]:
    """The headings, the outermost first, under which a character stands for certain; there may be none.

    One without a number counts only as the nearest above, on the same page: how far it reaches is not known.
    """
    parts = _parts(document)
    return tuple(parts[number].heading for number in certain_headings(heading_reaches(document), offset))


def heading_reaches(document: Document) -> tuple[Reach, ...]:
    """Of each of the headings, in order, where it begins and how far it counts for certain."""
    return tuple((part.heading.start, part.sure_until, part.is_counted) for part in _parts(document))


def _parts(document: Document) -> tuple[_Part, ...]:
    files = tuple(_File(it.kind, it.first_page - 1, it.last_page, it.start, it.end) for it in document.members)
    whole = _File(document.kind, 0, len(document.pages), 0, len(document.text))
    return _find_in_files(document.text, document.pages, document.headings, files or (whole,))


@lru_cache(maxsize=2)  # by these parts only: to compare whole documents is to go through all cells of their tables
def _find_in_files(
    text: str, pages: tuple[Page, ...], known: tuple[Heading, ...], files: tuple[_File, ...]
) -> tuple[_Part, ...]:
    found: list[_Part] = []
    for file in files:
        own = [heading for heading in known if file.start <= heading.start <= file.end]
        parts = {heading.start: _own_part(own, number, file.end) for number, heading in enumerate(own)}
        enough = len(own) * MAX_OWN_PAGES >= max(file.last - file.first, 3 * MAX_OWN_PAGES)
        if not enough and not (own and file.kind in MAIL_KINDS):  # names below a letter are none
            parts = {part.heading.start: part for part in _find(text, pages[file.first : file.last])} | parts
        found += [parts[start] for start in sorted(parts)]
    return tuple(found)


def _own_part(own: Sequence[Heading], number: int, end: int) -> _Part:
    """A heading of the document's own, which ends at the next of its level or above."""
    heading = own[number]
    return _Part(heading, next((it.start for it in own[number + 1 :] if it.level <= heading.level), end), True)


def _find(text: str, pages: Sequence[Page]) -> list[_Part]:
    """What looks like a heading in the text of one file: what counts on with others, and what is written as one."""
    lines = _Lines(text, pages)
    runs = find_runs(lines)
    counted = {it.at: (it.heading, it.level) for run in runs for it in run}
    looks = _headings_by_look(lines, max((level for _, level in counted.values()), default=1), len(pages))
    if runs:  # where numbers count on, one that does not is no heading, if nothing else sets it apart
        above = {str(it.number[0]) for run in runs for it in run if it.level > 1}
        looks = {at: it for at, it in looks.items() if it[0] == lines[at] and _bare_number(it[0]) in {"", *above}}
    found = looks | counted
    labels = [at for at in sorted(found) if at not in counted and _LABEL.match(lines[at])]
    followers = dict(pair for run in runs for pair in pairwise(it.at for it in run)) | _next_labels(labels, lines)
    order = sorted(found)
    parts = []
    for at, behind in zip_longest(order, order[1:]):
        heading = Heading(found[at][0], lines.starts[at], found[at][1])
        is_counted = at in counted or at in labels
        reach = _reach(lines, at, is_counted, behind) if at not in followers else lines.starts[followers[at]]
        parts.append(_Part(heading, reach, is_counted))
    return parts


def _bare_number(heading: str) -> str:
    match = _BARE_NUMBER.match(heading)
    return match[0] if match else ""


def _headings_by_look(lines: Sequence[str], depth: int, pages: int) -> dict[int, tuple[str, int]]:
    """The lines that are written as headings, each with its text and level, `depth` being that of the numbers."""
    last = next((at for at in reversed(range(len(lines))) if is_text(lines[at])), 0)
    found: dict[int, tuple[str, int]] = {}
    for at in range(last + 1):
        line = lines[at]
        if at and ends_sentence(line, lines[at - 1]):
            continue
        if (level := heading_level(line)) and not (
            level == 2 and lines[at + 1 : at + 2] and lines[at + 1][0].islower()
        ):
            inside = level == 2 and stands_in_table(lines[max(at - 4, 0) : at], lines[at + 1 : at + 5])
            found[at] = (line, level if level == 1 else depth + 1 + inside)
        elif run_in := run_in_heading(line):
            found[at] = (run_in, 1 + run_in.split()[0].rstrip(".").count("."))
    repeated = Counter(_key(heading) for heading, _ in found.values())
    most = max(_MOST_REPEATS, pages // _PAGES_EACH)
    return {at: heading for at, heading in found.items() if repeated[_key(heading[0])] <= most}


def _next_labels(labels: Sequence[int], lines: Sequence[str]) -> dict[int, int]:
    """Of each line with a word and number ("Item 7", "Note 3") the next with that word, if it counts on."""
    found: dict[int, int] = {}
    last: dict[str, tuple[int, int, str]] = {}
    for at in labels:
        match = _LABEL.match(lines[at])
        assert match is not None
        word, number, letter = match[1].casefold(), int(match[2]), match[3]
        before, count, tail = last.get(word, (0, 0, ""))
        if word in last and ((number == count + 1 and letter < "B") or (number == count and letter > tail)):
            found[before] = at
        last[word] = (at, number, letter)
    return found


def _reach(lines: _Lines, at: int, is_counted: bool, behind: int | None) -> int:
    """Up to where a heading counts for certain that no other goes on with, `behind` being the next one of any kind."""
    start, end = lines.starts[at], lines.page_end(at)
    if is_counted:
        return min(end, start + LAST_REACH, lines.starts[behind] if behind is not None else end)
    below = lines[at + 1 : at + 2]
    is_sure = not _ADDRESSED.search(lines[at]) and any(is_text(other) or names_columns(other) for other in below)
    return end if is_sure else start


def _key(heading: str) -> str:
    return " ".join(re.sub(r"\d+", "#", heading.casefold()).split())
