"""Guest code: the lines and pages of `context`, and what is printed of them."""

import bisect
import inspect
import re
from collections.abc import Callable
from typing import Any

from ralph_cli.documents.sets.naming import match_names

# The look-up functions that a snippet finds.
OFFERED = ("find", "more", "section", "headings", "term", "show", "at", "table", "rest", "budget", "help")

_Page = tuple[int, str, int, int]  # number, label, first character, end

_STARTS: list[int] = []  # where each page begins; the document of a sandbox does not change

# A note on the columns of a row that tells nothing else.
_COLUMNS_ONLY = re.compile("\\(in this row (?:[^\u201c\u201d]*under \u201c[^\u201d]*\u201d)+\\)")

_MOST_COUNTED = 20  # pages that are printed one by one with their counts; more are printed as ranges

_LONG = 400  # characters of a line above which only a part of it is printed


def _text() -> str:
    """The document, to be searched; what is sliced of it is noted as gone through, so looking around takes `_cut`."""
    text: str = globals()["context"]
    return text


def _cut(low: int, high: int) -> str:
    """The document from `low` to `high`, for looking around: not noted as gone through."""
    return str.__getitem__(_text(), slice(low, high))


def _page_table() -> list[_Page]:
    table: list[_Page] = globals()["pages"]
    return table


def _named(page: int) -> str:
    """A page as it is printed: its number, and what it is called where that says more, such as its document."""
    called = globals().get("_page_names", {}).get(page, "")
    return f"page {page} ({called})" if called else f"page {page}"


def _place_name(offset: int) -> str:
    """What the document itself calls the place of a character, behind a comma: its clause; empty if it has no name."""
    places: list[tuple[int, str]] = globals().get("_place_names", [])
    at = bisect.bisect_right(places, offset, key=lambda place: place[0]) - 1
    return f", {places[at][1]}" if at >= 0 and places[at][1] else ""


def _parts_of(doc: str | int | None) -> list[tuple[int, int]]:
    """Where the text of each document of `docs` that is meant begins and ends; of all without `doc`.

    They are meant by number, name, or words that their names have. Says so if they are several, or none.
    """
    if doc is None:
        return [(0, len(_text()))]
    table: list[tuple[int, str, str, int, int, int, int]] = globals().get("docs", [])
    named = [table[at] for at in match_names(doc, [entry[1] for entry in table])]
    if len(named) != 1:
        names = ", ".join(entry[1] for entry in (named or table)[:10])
        fault = f"names {len(named)} documents" if named else "names no document"
        print(f"{doc!r} {fault}: {names}{', ...' * (len(named or table) > 10)}" if table else "there is one document")
    return [(entry[5], entry[6]) for entry in named]


def _part_of(doc: str | int | None) -> tuple[int, int] | None:
    """Where the text of the one document that is meant begins and ends; None, with a message, if it is not one."""
    found = _parts_of(doc)
    return found[0] if len(found) == 1 else None


def _page_in(page: int | str, doc: str | int | None) -> _Page | None:
    """The page of that number, counted from the beginning of `doc` if one is named; says so and gives None if there is
    none.
    """
    number = int(page)
    if doc is not None:
        part = _part_of(doc)
        if part is None:
            return None
        number += _page_at(part[0])[0] - 1
    table = _page_table()
    found = next((entry for entry in table if entry[0] == number), None)
    if found is None:
        print(f"there is no page {number}; pages are {table[0][0]} to {table[-1][0]}")
    return found


def _page_at(offset: int) -> _Page:
    table = _page_table()
    if not _STARTS:
        _STARTS.extend(page[2] for page in table)
    return table[max(bisect.bisect_right(_STARTS, offset) - 1, 0)]


def _line_span(offset: int) -> tuple[int, int]:
    """The line around an offset; of a very long one the words around it."""
    text = _text()
    _, _, first, last = _page_at(offset)
    low = max(text.rfind("\n", first, offset) + 1, first)
    high = text.find("\n", offset, last)
    high = last if high < 0 else high
    if offset - low > _LONG:
        low = text.rfind(" ", low, offset - _LONG // 2) + 1 or offset - _LONG // 2
    if high - offset > 2 * _LONG:
        high = text.find(" ", offset + _LONG, high)
    return low, high if high > offset else min(offset + 2 * _LONG, last)


def _whole_lines(low: int, high: int, first: int, last: int) -> tuple[int, int]:
    """Offsets moved to the ends of lines, within a page: words cut in two could not be quoted. Long lines are cut."""
    text = _text()
    begin = max(text.rfind("\n", first, max(low, first)) + 1, first)
    end = text.find("\n", min(high, last), last)
    end = last if end < 0 else end
    return max(begin, low - _LONG), min(end, high + _LONG)


def _print_lines(low: int, high: int) -> None:
    print(str(globals()["context"][low:high]).strip("\n"))


def _lines_of(low: int, high: int) -> list[tuple[int, str]]:
    """The lines of text[low:high] that are not empty, each with where it begins."""
    found = []
    at = low
    for line in _cut(low, high).split("\n"):
        if line.strip():
            found.append((at, line))
        at += len(line) + 1
    return found


def _note(line: int) -> str:
    """What the text of a line does not show: the headers of its figures, or the origin of its words."""
    note = globals().get("_line_notes", {}).get(line, "")
    return f"({note})" if note else ""


def _note_lines(lines: list[tuple[int, int]], asked: list[int] | None = None) -> list[str]:
    """Lines, by where they begin and end, each with its note behind it; if `asked` are given, one on columns alone only
    behind those that begin there.

    Of a run with the same note the first has it, and of rows with the same columns in turn.
    """
    shown: list[str] = []
    columns: list[str] = []
    runs: list[list[tuple[int, int]]] = []
    for line in lines:
        if runs and _note(line[0]) == _note(runs[-1][0][0]):
            runs[-1].append(line)
        else:
            runs.append([line])
    for run in runs:
        note = _note(run[0][0])
        if asked is not None and _COLUMNS_ONLY.fullmatch(note) and run[0][0] not in asked:
            note = ""
        named = re.findall("under \u201c([^\u201d]*)\u201d", note) if _COLUMNS_ONLY.fullmatch(note) else []
        if named and named == columns:
            note = "(in this row under the same columns)"
        elif note and len(run) > 1:
            note = f"{note[:-1]}, as are the next {_counted(len(run) - 1, 'line')})"
        columns = named or columns
        texts = [str(globals()["context"][begin:end]) for begin, end in run]
        shown += [f"{texts[0]}  {note}" if note else texts[0], *texts[1:]]
    return shown


def _pages_of(numbers: list[int]) -> str:
    """Page numbers with how often each occurs: "pages 12 (3), 14, 20", of many "pages 12-14, 20"; of several documents
    each with its own."""
    table: list[Any] = globals().get("docs", [])
    if table:
        named = [(entry[1], [number for number in numbers if entry[3] <= number <= entry[4]]) for entry in table]
        return "; ".join(f"{_pages_in(found)} ({name})" for name, found in named if found)
    return _pages_in(numbers)


def _pages_in(numbers: list[int]) -> str:
    if len(set(numbers)) > _MOST_COUNTED:
        return f"pages {_ranges_of(sorted(set(numbers)))}"
    counts = {number: numbers.count(number) for number in dict.fromkeys(numbers)}
    told = ", ".join(f"{number} ({count})" if count > 1 else str(number) for number, count in counts.items())
    return f"page{'s' * (len(counts) != 1)} {told}"


def _ranges_of(numbers: list[int]) -> str:
    """Numbers in order as ranges: "1-3, 7"."""
    firsts = [number for number in numbers if number - 1 not in numbers]
    lasts = [number for number in numbers if number + 1 not in numbers]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(firsts, lasts, strict=True))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def rest() -> None:
    """Print what was cut off the output of the last call that was too long."""
    print(globals().get("_session", globals()).pop("_cut_off", "") or "nothing was cut off")


def help(function: Callable[..., Any] | None = None) -> None:
    """Print how a function is called and what it does; without one, all of them."""
    session = globals().get("_session", {})
    known = {**session, **globals()}
    offered = [known[name] for name in (*OFFERED, "llm_query", "llm_query_batch") if name in known]
    offered += [session[name] for name in ("rlm_query", "rlm_query_batched", "sections") if name in session]
    for each in offered if function is None else [function]:
        print(f"{each.__name__}{inspect.signature(each)}\n{inspect.getdoc(each)}\n")


def budget() -> dict[str, float]:
    """What was left when this call began: sub-queries of the attempt; of the run child workers, dollars
    (cost), calls, tokens and seconds (time), where they are bounded.
    """
    left: dict[str, float] = globals().get("_session", globals()).get("_budget", {})
    return dict(left)
