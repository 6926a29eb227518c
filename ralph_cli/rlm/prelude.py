"""Guest code: the look-up functions that every worker finds in its sandbox. Runs there, never here."""

import bisect
import re
from typing import Any

from ralph_cli.text.tables import has_columns, header_lines, widen_spaces

_Page = tuple[int, str, int, int]  # number, label, first character, end
_Place = tuple[_Page, int, int, int]  # its page, first character, end, start of the hit's own line

_LONG = 400
_FURTHER: list[Any] = []


def find(pattern: str, show: int = 6, before: int = 1, after: int = 2, start: int = 0, rows: bool = False) -> None:
    """Print how often a regular expression occurs and the lines around each place, with page and offset.

    Case is ignored, a space matches any white space, ^ and $ are the ends of lines; with `rows` only table rows count.
    Above a table row, the header of its columns and the unit are printed if they can be told. The places share what may
    be printed: each keeps its hit; what is left goes to further places, a line each.
    """
    places, count = _places(pattern, before, after)
    print(f"{count} hits in {len(places)} places (hits near each other are one place){_alternatives(pattern)}")
    if rows:
        places = [place for place in places if has_columns(_line_at(place[3]))]
        print(f"{len(places)} of them are table rows")
    if start and start >= len(places):
        print(f"start={start} is past the last of {len(places)} places: start counts places, not characters")
        return
    chosen = places[start : start + show]
    left = 1650
    printed_headers: set[tuple[int, str]] = set()
    shown = 0
    for number, place in enumerate(chosen, start):
        if shown and left < 150:  # long rows have used the room up: the rest gets a line each, or more() goes on
            break
        shown += 1
        passage = _passage(place, max(left // (len(chosen) + start - number) - 90, 100), printed_headers)
        where = f"--- place {number}, page {place[0][0]}, offset {place[3]}{_top(place[0])}"
        print(f"{where}\n{passage}")
        left -= len(passage) + len(where) + 2
    number = start + shown
    while number < len(places) and left > 150:
        line = _listed(places[number])
        print(f"place {number}, {line}")
        left -= len(line) + 12
        number += 1
    _FURTHER[:] = [pattern, show, before, after, number, rows]
    if number < len(places):
        print(f"({len(places) - number} more places: more())")


def more() -> None:
    """Print the next places of the last `find`."""
    if not _FURTHER:
        print("nothing was searched yet")
        return
    find(*_FURTHER)


def show(page: int, start: int = 0, chars: int = 1800) -> None:
    """Print `chars` characters of one page, from character `start` of it."""
    table: list[_Page] = globals()["pages"]
    known = [row for row in table if row[0] == page]
    if not known:
        print(f"there is no page {page}; pages are {table[0][0]} to {table[-1][0]}")
        return
    _, label, first, last = known[0]
    low, high = _whole_lines(first + start, first + start + chars, first, last)
    print(f"page {page} (printed label {label}), {last - first} characters, offset {low}")
    print(globals()["context"][low:high])
    if high < last:
        print(f"({last - high} more characters: show({page}, start={high - first}))")


def at(offset: int, before: int = 600, after: int = 1200) -> None:
    """Print the lines around an offset of `context`, on its page."""
    page, _, first, last = _page_at(offset)
    low, high = _whole_lines(offset - before, offset + after, first, last)
    print(f"page {page}, offset {low}")
    print(globals()["context"][low:high])


def _whole_lines(low: int, high: int, first: int, last: int) -> tuple[int, int]:
    """Offsets moved to the ends of lines, within a page: words cut in two could not be quoted. Long lines are cut."""
    text = _text()
    begin = max(text.rfind("\n", first, max(low, first)) + 1, first)
    end = text.find("\n", min(high, last), last)
    end = last if end < 0 else end
    return max(begin, low - 400), min(end, high + 400)


def _text() -> str:
    """The document for looking around in it: what is sliced of `context` itself is noted as gone through."""
    return str(globals()["context"])


def _alternatives(pattern: str) -> str:
    """The hits of each alternative of a plain a|b|c, so that a wrong word shows."""
    if "|" not in pattern or re.search(r"[(\[\\]", pattern):
        return ""
    counts = [f"{part!r} {len(_compiled(part).findall(_text()))}" for part in pattern.split("|") if part]
    return ": " + ", ".join(counts)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(widen_spaces(pattern), re.IGNORECASE | re.MULTILINE)


def _listed(place: _Place) -> str:
    """A place on one line: page, offset, the hit's line, and the columns above it if it is a table row."""
    page, _, _, own = place
    line = _line_at(own)
    head = header_lines(_text()[page[2] : own], line)
    above = f"  (above: {' '.join(head[-1].split())[:60]})" if head else ""
    above += f"  {_note(own)}" if _note(own) else ""
    return f"page {page[0]}, offset {own}: {' '.join(line.split())[:110]}{above}"


def _places(pattern: str, before: int, after: int) -> tuple[list[_Place], int]:
    """The places of a pattern, and how many hits it has."""
    text = _text()
    places: list[_Place] = []
    count = 0
    for match in _compiled(pattern).finditer(text):
        count += 1
        page = _page_at(match.start())
        first, last = page[2], page[3]
        low = own = max(text.rfind("\n", first, match.start()) + 1, first)
        if match.start() - own > _LONG:  # a paragraph on one line: the hit's own words are its line
            low = own = text.rfind(" ", own, match.start() - _LONG // 2) + 1
        for _ in range(before):
            low = max(text.rfind("\n", first, max(low - 1, first)) + 1, first)
        high = match.end()
        for _ in range(after + 1):
            high = text.find("\n", high, last) + 1
            if high == 0:
                break
        high = min(last if high == 0 else high - 1, match.end() + 4 * _LONG)
        if places and places[-1][0] == page and low <= places[-1][2]:
            places[-1] = (page, places[-1][1], max(high, places[-1][2]), places[-1][3])
        else:
            places.append((page, low, high, own))
    return places, count


def _page_at(offset: int) -> _Page:
    table: list[_Page] = globals()["pages"]
    return table[max(bisect.bisect_right([page[2] for page in table], offset) - 1, 0)]


def _line_at(start: int) -> str:
    """The line that begins at `start`, cut if it is very long."""
    text = _text()
    ends = [end for end in (text.find("\n", start), text.find("\f", start)) if end >= 0]
    return text[start : min([*ends, start + 2 * _LONG], default=len(text))]


def _top(page: _Page) -> str:
    """The first words of a page, which often name the statement or section; empty in a text without pages."""
    if len(globals()["pages"]) < 2:
        return ""
    lines = [line.strip() for line in _text()[page[2] : min(page[2] + 300, page[3])].split("\n")]
    words = " / ".join(line for line in lines[:4] if line and line.lower() != "table of contents")
    return f" [page begins: {' '.join(words.split())[:90]}]"


def _passage(place: _Place, room: int, printed_headers: set[tuple[int, str]]) -> str:
    """The lines of a place within `room` characters: what goes first is context far from the hit, never the hit.

    `printed_headers`, as (page, line), are not repeated; those of this place are added to them.
    """
    text = _text()
    page, low, high, own = place
    line = _line_at(own)
    head = [part for part in header_lines(text[page[2] : own], line) if (page[0], part) not in printed_headers]
    printed_headers.update((page[0], part) for part in head)
    room = max(room - len(head), min(len(line), 300))
    if high - low > room:
        spare = max(room - len(line), 0)
        early = text.find("\n", max(own - spare // 2, low), own) if own - low > spare // 2 else low - 1
        low = own if early < 0 else early + 1
        end = own + len(line)
        if high > low + room:
            # Whole lines, because words cut in two could not be quoted; but the hit's own line, however long.
            high = max(text.rfind("\n", end, low + room), end if len(line) <= room else low + room)
    shown = str(globals()["context"][low:high]).strip("\n")
    notes = [_note(own)] if _note(own) else []
    return "\n".join([*(f"(above: {part})" for part in head if part not in shown), *notes, shown])


def _note(line: int) -> str:
    """What the text of a line does not show: under which headers its figures stand, or where its words are from."""
    note = globals().get("line_notes", {}).get(line, "")
    return f"({note})" if note else ""
