"""Find where the parts of a document begin: at its own headings, or at lines that look like headings. Pure.

A PDF without bookmarks lists no headings, so its lines are examined: those with numbers that continue each other, and
those set apart by their type or, without type, those that look like headings. A line in a table, a line on nearly every
page, and a line without text after it are not headings.
"""

import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import compress, pairwise, zip_longest
from operator import attrgetter
from typing import overload

from ralph_cli.core.structure import Heading, Page
from ralph_cli.documents.parsed import MAX_HEADINGS
from ralph_cli.documents.sniff import MAIL_KINDS
from ralph_cli.documents.structure.lines import (
    CELLS_APART,
    ends_sentence,
    heading_level,
    is_text,
    may_be_heading,
    names_columns,
    run_in_heading,
)
from ralph_cli.documents.structure.numbered_headings import NumberedLine, find_runs
from ralph_cli.text.scan import strip_interval

# Pages for each heading of a document's own above which they are too few to find a part by.
MAX_OWN_PAGES = 10

# Characters, on its page, for which the last of numbered headings counts for certain: no other ends it.
LAST_REACH = 1_500

_MOST_REPEATS, _PAGES_EACH = 3, 20
_LONGEST = 500
_LINE = re.compile(r"[^\n]+")
_BARE_NUMBER = re.compile(r"\d{1,2}(?!\S)")
# What stands in lines that look like headings and name a place, a day or a person: "Am Weinberg 3", "To: A. Berg".
_ADDRESSED = re.compile(r"[\d:]")

_LABEL = re.compile(r"([A-Z][A-Za-z]{2,})[ \u00a0](\d{1,3})([A-Z]?)\b")


# An interval [start, end) of the text.
Place = tuple[int, int]


class _Lines(Sequence[str]):
    """The lines of some pages that are not empty, without surrounding space. Only their positions are stored."""

    def __init__(self, text: str, pages: Sequence[Page], taken: Sequence[Place]) -> None:
        self._text, self._pages = text, pages
        self.starts, self._ends = array("q"), array("q")
        self.taken: set[int] = set()
        """Lines that stand in a table, or on every page."""

        taken = sorted(taken)
        for page in pages:
            for match in _LINE.finditer(text, page.start, page.end):
                start, end = strip_interval(text, *match.span())
                if start < end:
                    at = bisect_right(taken, (start, len(text))) - 1
                    if at >= 0 and start < taken[at][1]:
                        self.taken.add(len(self.starts))
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
        """Return the end of the page with the line `at`."""
        return self._pages[bisect_right(self._pages, self.starts[at], key=attrgetter("start")) - 1].end


def find_headings(
    text: str,
    pages: Sequence[Page],
    own: Sequence[Heading],
    kind: str,
    apart: Sequence[Heading],
    taken: Sequence[Place],
) -> list[Heading]:
    """Return the headings of a document of this kind in order, each with its extent.

    These are its `own` headings. If there are too few, lines that look like headings are added. If type sets lines
    `apart`, other lines need a number to be headings. A line that begins in a `taken` interval (a table, or a line on
    every page) is not a heading. The level of a line is that of its number if the number continues others (4 is 1, 4.1
    is 2). Otherwise it is 1 if the line is numbered or in capitals, else one more than the deepest number.
    """
    found = {heading.start: _own_part(own, number, len(text)) for number, heading in enumerate(own)}
    enough = len(own) * MAX_OWN_PAGES >= max(len(pages), 3 * MAX_OWN_PAGES)
    if not enough and not (own and kind in MAIL_KINDS):  # names below a letter are none
        found = {heading.start: heading for heading in _find(_Lines(text, pages, taken), len(pages), apart)} | found
    return find_ends(text, [found[start] for start in sorted(found)][:MAX_HEADINGS])


def _own_part(own: Sequence[Heading], number: int, end: int) -> Heading:
    """Return a heading of the document's own, which ends at the next of the same or a higher level."""
    heading = own[number]
    return heading._replace(
        sure_until=next((it.start for it in own[number + 1 :] if it.level <= heading.level), end), is_counted=True
    )


def _find(lines: _Lines, pages: int, apart: Sequence[Heading]) -> list[Heading]:
    """Return the lines of one file that look like headings: with continuing numbers, or written as headings."""
    runs = find_runs(lines, lines.taken)
    counted = {it.at: (it.heading, it.level) for run in runs for it in run}
    titles = {heading.start: heading.text for heading in apart}
    looks = _headings_by_look(lines, max((level for _, level in counted.values()), default=1), pages, titles)
    if runs and not apart:  # where numbers count on, one that does not is no heading, if nothing else sets it apart
        looks = {at: it for at, it in looks.items() if it[0] == lines[at] and _goes_with(runs, it[0])}
    found = looks | counted
    labels = [at for at in sorted(found) if at not in counted and _LABEL.match(lines[at])]
    followers = dict(pair for run in runs for pair in pairwise(it.at for it in run)) | _next_labels(labels, lines)
    order = sorted(found)
    parts = []
    for at, behind in zip_longest(order, order[1:]):
        is_counted = at in counted or at in labels
        reach = _reach(lines, at, is_counted, behind) if at not in followers else lines.starts[followers[at]]
        title, level = found[at]
        parts.append(Heading(title[:_LONGEST], lines.starts[at], level, 0, max(reach, 0), is_counted, is_read_off=True))
    return parts


def _goes_with(runs: Sequence[Sequence[NumberedLine]], heading: str) -> bool:
    """Whether a line has no number, or the number of a part whose subparts are numbered in series."""
    number = match[0] if (match := _BARE_NUMBER.match(heading)) else ""
    return not number or any(str(it.number[0]) == number for run in runs for it in run if it.level > 1)


def _headings_by_look(lines: _Lines, depth: int, pages: int, titles: dict[int, str]) -> dict[int, tuple[str, int]]:
    """Return the lines that are set apart or written as headings, each with text and level.

    `depth` is the depth of the numbers.
    """
    last = next((at for at in reversed(range(len(lines))) if is_text(lines[at])), -1)
    found: dict[int, tuple[str, int]] = {}
    for at in range(last + 1):
        title = titles.get(lines.starts[at], "")
        if not titles and (heading := _read_heading(lines, at, depth)):
            found[at] = heading
        elif may_be_heading(title) and not CELLS_APART.search(lines[at]):
            found[at] = (title, 1 if heading_level(title) == 1 else depth + 1)
    return _drop_running(lines, found, pages, bool(titles))


def _drop_running(
    lines: _Lines, found: dict[int, tuple[str, int]], pages: int, are_titles: bool
) -> dict[int, tuple[str, int]]:
    """Remove the lines that are on many pages from the possible headings.

    `are_titles` is true if type sets them apart.
    """
    keys = {at: heading if are_titles else _key(heading) for at, (heading, _) in found.items()}
    # What its type sets apart is no running line where other lines of its page stand above it.
    tops = (
        not are_titles or not at or at - 1 in lines.taken or lines.page_end(at - 1) <= lines.starts[at] for at in keys
    )
    repeated = Counter(compress(keys.values(), tops))
    most = max(_MOST_REPEATS, pages // _PAGES_EACH)
    # "Note 7" on page 8 and "Note 8" on page 9 only look like running lines.
    kept = (at for at, key in keys.items() if at not in lines.taken or (_LABEL.match(key) and repeated[key] < 2))
    return {at: found[at] for at in kept if repeated[keys[at]] <= most}


def _read_heading(lines: _Lines, at: int, depth: int) -> tuple[str, int] | None:
    """Return the text and level of a line that is written as a heading, or that begins with one; None otherwise."""
    line, below = lines[at], lines[at + 1 : at + 2]
    if at and ends_sentence(line, lines[at - 1]):
        return None
    if (level := heading_level(line)) and not (level == 2 and below and below[0][0].islower()):
        return line, level if level == 1 else depth + 1
    run_in = run_in_heading(line)
    return (run_in, 1 + run_in.split()[0].rstrip(".").count(".")) if run_in else None


def _next_labels(labels: Sequence[int], lines: Sequence[str]) -> dict[int, int]:
    """Return, for each line with a word and number ("Item 7", "Note 3"), the next line that continues the count."""
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
    """Return up to where a heading certainly applies if no other continues it; `behind` is the next heading of any
    kind.
    """
    start, end = lines.starts[at], lines.page_end(at)
    if is_counted:
        return min(end, start + LAST_REACH, lines.starts[behind] if behind is not None else end)
    below = lines[at + 1 : at + 2]
    is_sure = not _ADDRESSED.search(lines[at]) and any(is_text(other) or names_columns(other) for other in below)
    return end if is_sure else start


def _key(heading: str) -> str:
    return " ".join(re.sub(r"\d+", "#", heading.casefold()).split())


def find_ends(text: str, headings: Sequence[Heading]) -> list[Heading]:
    """Return the headings with the ends of their parts: the next heading of the same or a higher level, or the next
    number.

    A heading without a number right below another heading belongs to that heading's part, whatever it looks like.
    """
    numbers = [_number(heading.text) for heading in headings]
    found = []
    for at, heading in enumerate(headings):
        own, first = numbers[at], at + 1
        below = text.find("\n", heading.start)
        while first < len(headings) and not numbers[first] and 0 <= below <= headings[first].start:
            if text[below : headings[first].start].strip():
                break
            below = text.find("\n", headings[first].start)
            first += 1
        later = range(first, len(headings))
        ends = (n for n in later if headings[n].level <= heading.level or _is_next(own, numbers[n]))
        end = headings[stop].start if (stop := next(ends, None)) is not None else len(text)
        found.append(heading._replace(end=max(_end_of_number(text, heading.start, end, own), heading.start)))
    return found


def _end_of_number(text: str, start: int, end: int, number: tuple[int, ...]) -> int:
    """Return the latest end of a part with a number such as 7.2: 7.3 and 8. after it may not be headings."""
    for depth in range(len(number)) if len(number) > 1 else ():
        after = "[.]".join(map(str, (*number[:depth], number[depth] + 1)))
        line = re.compile(rf"(?m)^[ \t]*{after}{'[.)]?' if depth else '[.)]'}[ \t]+(?=[^\W\da-z_])")
        match = line.search(text, start, end)
        end = match.start() if match else end
    return end


def _number(heading: str) -> tuple[int, ...]:
    """Return the number at the beginning of a heading: 17 and 2 for "Note 17.2 Leases"."""
    match = re.match(r"\W*(?:[^\W\d_]+ )?(\d{1,3}(?:\.\d{1,3})*)(?![\w%])", heading)
    return tuple(map(int, match[1].split("."))) if match else ()


def _is_next(number: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether `other` is one or two after `number`, at the same level or a higher one: 7.3 or 8 for 7.2."""
    depth = len(other) - 1
    return 0 < len(other) <= len(number) and other[:depth] == number[:depth] and 0 < other[depth] - number[depth] < 3
