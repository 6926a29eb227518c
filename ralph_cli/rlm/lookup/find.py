"""Guest code: `find` and `more`, which print the places of a regular expression."""

import bisect
import itertools
import re
from typing import Any

from ralph_cli.documents.structure.sections import TOP_REACH, certain_headings, page_top
from ralph_cli.rlm.lookup.lines import (
    _LONG,
    _counted,
    _cut,
    _line_span,
    _lines_of,
    _named,
    _note,
    _note_lines,
    _Page,
    _page_at,
    _page_table,
    _pages_of,
    _parts_of,
    _place_name,
    _text,
)
from ralph_cli.rlm.lookup.rows import _header_of, _numbered_parts, _Place, _rank_rows, _row_of, _table_at
from ralph_cli.text.patterns import widen_spaces

# Characters that the lines around all places may have, below which further places get a line each, and about those by
# which a place is named.
_FIND_CHARS, _LISTED_CHARS, _NAME_CHARS = 4_000, 3_300, 90

_LISTED_NOTE = 160  # characters that the note on a row may have where a place has a line

_TOGETHER_CHARS = 1_200  # characters up to which places whose lines touch are one

_SENTENCE_LINES = 3  # lines over which the sentence of a hit is followed on each side

_MOST_DOCUMENTS = 20  # documents of which `find` says how many places they have

_Part = tuple[int, int]  # first character and end

_Hits = tuple[list[int], list[int]]  # where hits begin, and those of a short name inside other words

_BEFORE_CHARS = 40  # characters before a hit within a long line, where its place has a line

_SHORT_NAME = re.compile(r"[A-Z][A-Za-z]{1,4}")
_MOST_SHOWN = 6

_INK = re.compile(r"\S")

_PART_CHARS = 48  # characters by which a heading is named beside a place

_SENTENCE_END = re.compile(r"[.!?][\"\u201d)]?(?:\s|$)")
_ENDS = re.compile(r"[.!?:;][\"\u201d)]?\s*$")

_FURTHER: list[Any] = []


def find(
    pattern: str,
    show: int = 6,
    before: int = 1,
    after: int = 2,
    start: int = 0,
    rows: bool = False,
    doc: str | int | None = None,
) -> None:
    """Print how often a regular expression occurs and the lines around each place, with page and offset.

    Case is ignored, a space matches any white space, ^ and $ are the ends of lines; with `rows` only table rows count,
    those of the widest tables first. Hits of a short name (EMEA) inside other words come last. Above a table row, the
    header of its columns and the unit are printed if they can be told. No place is hidden: those that have no room get
    a line each, and then, or with a small `show`, their page. With `doc` only those of several documents are searched
    that it names.
    """
    parts = _parts_of(doc)
    if not parts:
        return
    try:
        places, count = _places(_compiled(pattern), before, after, parts)
        hits = _hits_of_alternatives(pattern, parts)
    except re.error as fault:
        print(f"find: '{pattern}' is no regular expression: {fault}")
        return
    if (doc is None or len(parts) > 1) and globals().get("docs"):
        places = _take_turns(places)
    places, inside = _put_telling_first(places, list(hits.values()))
    found = len(places)
    text_pages: list[int] = []
    if rows:
        (places, text_pages), inside = _rank_rows(places), 0
    lines = len(places)
    places, inside = _join_places(places, inside)
    counted, near = (found, "") if rows else (len(places), " (hits near one another are one place)")
    near *= len(places) < count
    missed = "" if count else f" of '{pattern}'" * (len(hits) < 2) + f" in {doc!r}" * (doc is not None)
    spread = _spread(places)
    print(f"{_counted(count, 'hit')} in {_counted(counted, 'place')}{missed}{near}{_describe_hits(hits)}{spread}")
    if rows:
        where = f"; the others are on {_pages_of(text_pages)}" if text_pages else ""
        joined = f", joined to {_counted(len(places), 'place')}" if len(places) < lines else ""
        print(f"{lines} of {found} are rows of tables, statements and wide tables first{joined}{where}")
    if start and start >= len(places):
        print(f"start={start} is past the last of {len(places)} places: start counts places, not characters")
        return
    last = len(places) - (inside if start < len(places) - inside else 0)
    left, following = _print_places(places[:last], start, show)
    if len(places) - following > show > 0 and show < _MOST_SHOWN:
        left = 0  # who asks for few wants no long list of the others
    _FURTHER[:] = [pattern, show, before, after, following, rows, doc, len(places)]
    _list_places(places, following, last, left)


def _list_places(places: list[_Place], first: int, last: int, left: int) -> None:
    """Print a line for each place from `first` to before `last` while `left` characters have room, then the pages of
    the others.
    """
    for number in range(first, len(places)):
        line = f"place {number}, {_listed(places[number][3], 110 if left > 600 else 60)}"
        left -= len(line) + 1
        if left < 0 or number >= last:
            further = [place[0][0] for place in places[number:]]
            print(f"({_counted(len(further), 'more place')}, on {_pages_of(further)}: more())")
            return
        print(line)
        _FURTHER[4] = number + 1


def more() -> None:
    """Print the next places of the last `find`."""
    if not _FURTHER:
        print("nothing was searched yet")
    elif _FURTHER[4] >= _FURTHER[7]:
        print("all places of the last find were printed or listed")
    else:
        find(*_FURTHER[:7])


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(widen_spaces(pattern), re.IGNORECASE | re.MULTILINE)


def _take_turns(places: list[_Place]) -> list[_Place]:
    """The first place of each document, then the second of each: what few documents say often hides no other."""
    starts = [entry[5] for entry in globals()["docs"]]
    met: dict[int, int] = {}
    turns: list[tuple[int, int, _Place]] = []
    for place in places:
        number = bisect.bisect_right(starts, place[3][0])
        met[number] = met.get(number, 0) + 1
        turns.append((met[number], number, place))
    return [place for _, _, place in sorted(turns, key=lambda turn: turn[:2])]


def _spread(places: list[_Place]) -> str:
    """In how many documents of several the places are, and how many are in each."""
    table: list[Any] = globals().get("docs", [])
    if not table or not places:
        return ""
    starts = [entry[5] for entry in table]
    counts: dict[str, int] = {}
    for place in places:
        name = table[bisect.bisect_right(starts, place[3][0]) - 1][1]
        counts[name] = counts.get(name, 0) + 1
    told = "; ".join(f"{name} {count}" for name, count in list(counts.items())[:_MOST_DOCUMENTS])
    more = f"; {len(counts) - _MOST_DOCUMENTS} more" if len(counts) > _MOST_DOCUMENTS else ""
    order = ", in turns" if len(counts) > 1 else ""
    return f"; places in {_counted(len(counts), 'document')} of {len(table)}{order}: {told}{more}"


def _hits_of_alternatives(pattern: str, within: list[_Part]) -> dict[str, _Hits]:
    """The hits of each alternative of a|b|c; the pattern is its only one if they stand in a group.

    Those of a short name (EMEA, Ulta) inside other words (remeasured, consultant) are set apart.
    """
    # What is escaped, in a class or in brackets is no bar that parts the whole.
    parts = re.findall(r"(?:\\.|\[(?:\\.|[^\]\\])*\]|\((?:\\.|[^()\\])*\)|[^|\\\[(])+", pattern)
    found: dict[str, _Hits] = {}
    for word in parts if "|".join(parts) == pattern else [pattern]:
        whole, inside = found[word] = [], []
        name = re.compile(rf"(?<!\w){word}(?:e?s)?(?!\w)", re.IGNORECASE) if _SHORT_NAME.fullmatch(word) else None
        for match in (match for part in within for match in _compiled(word).finditer(_text(), *part)):
            at = match.start()
            (whole if name is None or name.match(_text(), at) else inside).append(at)
    return found


def _describe_hits(hits: dict[str, _Hits]) -> str:
    """How many hits each of several alternatives has, so that a wrong word shows."""
    if len(hits) < 2 and not any(inside for _, inside in hits.values()):
        return ""
    more = {word: f" ({len(inside)} more inside other words)" * bool(inside) for word, (_, inside) in hits.items()}
    return ": " + ", ".join(f"'{word}' {len(whole)}{more[word]}" for word, (whole, _) in hits.items())


def _put_telling_first(places: list[_Place], hits: list[_Hits]) -> tuple[list[_Place], int]:
    """The places, those last that have short names inside other words only; how many these are, if there are others.

    Of many places the first are one of each alternative. The order depends on what was searched alone: a place keeps
    its number, however many are shown.
    """
    inside: list[_Place] = []
    if any(others for _, others in hits):
        lines = {_line_span(at)[0] for whole, _ in hits for at in whole}
        inside = [place for place in places if lines.isdisjoint(place[3])]
        places = [place for place in places if not lines.isdisjoint(place[3])]
    if len(hits) > 1 and len(places) > _MOST_SHOWN:
        first = {_line_span(whole[0])[0] for whole, _ in hits if whole}
        places = sorted(places, key=lambda place: first.isdisjoint(place[3]))
    return [*places, *inside], len(inside) if places else 0


def _places(pattern: re.Pattern[str], before: int, after: int, within: list[_Part]) -> tuple[list[_Place], int]:
    """The places of a pattern with so many lines before and after, and how many hits it has.

    Hits on the same lines are one place, whatever is shown around them: the number of a place stays.
    """
    places: list[_Place] = []
    count = 0
    reached = 0
    for match in (match for part in within for match in pattern.finditer(_text(), *part)):
        count += 1
        page = _page_at(match.start())
        own = _line_span(match.start())[0]
        end = _line_span(max(match.end() - 1, match.start()))[1]
        if places and places[-1][0] == page and own <= reached:
            hits = places[-1][3]
            hits += [own] if own != hits[-1] else []
            places[-1] = (page, places[-1][1], max(_lines_on(end, after, page), places[-1][2]), hits)
        else:
            places.append((page, _lines_back(own, before, page), _lines_on(end, after, page), [own]))
        reached = end
    return places, count


def _lines_back(start: int, lines: int, page: _Page) -> int:
    """The start of the line so many lines before the one at `start`, on the page."""
    for _ in range(lines):
        start = max(_text().rfind("\n", page[2], max(start - 1, page[2])) + 1, page[2])
    return start


def _lines_on(end: int, lines: int, page: _Page) -> int:
    """The end of the line so many lines after the one that ends at `end`, on the page; it may be cut."""
    at = end
    for _ in range(lines):
        at = _text().find("\n", at + 1, page[3])
        if at < 0:
            return min(page[3], end + 1_600)
    return min(at, end + 1_600)


def _join_places(places: list[_Place], inside: int) -> tuple[list[_Place], int]:
    """The places with those joined whose lines touch, in the order of the first of each; how many are of the last
    `inside` alone. Where they would be too long, or are of two clauses, each of the lines around them is of one.
    """
    joined: list[tuple[int, _Place]] = []
    size = 0
    for order, (page, low, high, hits) in sorted(enumerate(places), key=lambda entry: entry[1][3]):
        own = sum(end - begin for begin, end in map(_line_span, hits))
        if joined and joined[-1][1][0] == page and low <= joined[-1][1][2] + 1:
            first, (_, begin, end, before) = joined[-1]
            size += own
            is_short = size <= _TOGETHER_CHARS and (hits[0] <= end or max(high, end) - begin <= _TOGETHER_CHARS)
            if is_short and _place_name(before[0]) == _place_name(hits[0]):
                joined[-1] = min(first, order), (page, begin, max(high, end), [*before, *hits])
                continue
            joined[-1] = first, (page, begin, min(end, hits[0] - 1), before)
            low = min(end + 1, hits[0])
        joined.append((order, (page, low, high, hits)))
        size = own
    last = len(places) - inside
    ordered = sorted(joined, key=lambda entry: entry[0])
    return [place for _, place in ordered], sum(order >= last for order, _ in ordered)


def _print_places(places: list[_Place], start: int, show: int) -> tuple[int, int]:
    """Print `show` places from `start`: of each the sentences or rows of its hits, then, of the first ones, the lines
    around them while there is room.

    Returns how many characters are left for a list of others, and the number of the first of them.
    """
    cores = [_core_lines(place) for place in places[start : start + show]]
    sizes = [_NAME_CHARS + sum(end - begin + 1 for begin, end in core) for core in cores]
    shown = min(max(sum(total <= _FIND_CHARS for total in itertools.accumulate(sizes)), 1), len(sizes))
    left, later = _FIND_CHARS, sum(sizes[:shown])
    headers: dict[tuple[int, str], int] = {}
    cut: list[str] = []
    page, last_part = 0, ""
    for number, core, size in zip(range(start, start + shown), cores, sizes, strict=False):
        (on, _, _, _), _, _, hits = place = places[number]
        part, top = _part_named(hits[0]), _top(place) if on != page else ""
        told = "; ".join(filter(None, (f"in: {part}" if part != last_part and part not in top else "", top)))
        where = f"--- place {number}, {_named(on)}{_place_name(hits[0])}, offset {hits[0]}{told and f' [{told}]'}"
        page, last_part = on, part
        later -= size  # what is scarce, the last ones lack
        passage, hidden = _passage(number, place, core, left - later - len(where), headers)
        print(f"{where}\n{passage}")
        cut += [f"{hidden} at place {number}"] if hidden else []
        left -= len(passage) + len(where) + 2
    if cut:
        print(f"(left out for room: {'; '.join(cut[:4])}{'; ...' * (len(cut) > 4)}: at(offset) prints them)")
    return _LISTED_CHARS - (_FIND_CHARS - left), min(start + shown, len(places))


def _passage(
    number: int, place: _Place, core: list[_Part], room: int, headers: dict[tuple[int, str], int]
) -> tuple[str, str]:
    """The lines of a place within `room` characters, below the header of its row, and what of them had no room.

    `headers`, by page and line, say with which place a header was printed; those of this place are added to them.
    """
    page, first = place[0][0], place[3][0]
    chosen, hidden = _choose_lines(place, core, room)
    shown = _join_lines(chosen, place[1], place[3])
    head = [part for part in _header_of(first) if part not in shown]
    above = [f"(above: {part})" for part in head if (page, part) not in headers]
    if head and not above:
        above = [f"(above: as at place {headers[page, head[-1]]})"]
    for part in head:
        headers.setdefault((page, part), number)
    return "\n".join([*above, shown]), _counted(hidden, "line") if hidden else ""


def _core_lines(place: _Place) -> list[_Part]:
    """The lines of a place that are shown first: those of its hits, and what their sentences have on the lines around
    them."""
    _, low, high, hits = place
    own = [_line_span(at) for at in hits]
    lines = [(at, at + len(line)) for at, line in _lines_of(low, high)]
    core = dict.fromkeys(own)
    for begin, end in own:
        if _row_of(begin) is not None:
            continue
        before = [line for line in lines if line[1] <= begin][-_SENTENCE_LINES:]
        after = [line for line in lines if line[0] >= end][:_SENTENCE_LINES]
        if not _ENDS.search(_cut(begin, end)):
            core |= dict.fromkeys(_to_sentence_end(after))
        core |= dict.fromkeys(itertools.takewhile(lambda line: not _ENDS.search(_cut(*line)), before[::-1]))
    return sorted(core)


def _to_sentence_end(lines: list[_Part]) -> list[_Part]:
    """The lines up to the one on which a sentence ends; none if it ends on none, or a row comes before."""
    for number, (begin, end) in enumerate(lines):
        if _row_of(begin) is not None:
            return []
        if _SENTENCE_END.search(_cut(begin, end)):
            return lines[: number + 1]
    return []


def _choose_lines(place: _Place, core: list[_Part], room: int) -> tuple[list[_Part], int]:
    """The lines of a place that have room, the `core` in any case, and how many have none."""
    _, low, high, hits = place
    lines = [(at, at + len(line)) for at, line in _lines_of(low, high)]
    around = [line for line in lines if not any(line[0] < end and begin < line[1] for begin, end in core)]
    # Round the first hit first, so that lines asked for are there in one piece.
    around.sort(key=lambda line: min((abs(line[0] - at), number) for number, at in enumerate(hits))[::-1])
    chosen, left = [*core], room - sum(end - begin + 1 for begin, end in core)
    for begin, end in around:
        left -= end - begin + 1
        if left >= 0:
            chosen.append((begin, end))
    return sorted(chosen), len(core) + len(around) - len(chosen)


def _join_lines(lines: list[_Part], reached: int, hits: list[int]) -> str:
    """Lines of the text, with a mark where some between them, or after `reached`, are left out, and what they do not
    show; under which columns their figures stand is told of those with hits."""
    parts: list[str] = []
    for (begin, end), line in zip(lines, _note_lines(lines, hits), strict=True):
        if _INK.search(_text(), reached, begin):
            parts.append("[...]")
        parts.append(line)
        reached = end
    return "\n".join(parts)


def _listed(hits: list[int], room: int) -> str:
    """A place on one line: page, offset, the first hit's line, and the columns above it if it is a table row."""
    own = hits[0]
    begin, end = _line_span(own)
    if own != _page_at(own)[2] and _cut(own - 1, own) != "\n":
        # A hit within a long line begins with the words around it: of those only the last before it have room here.
        begin = own + _LONG // 2 - _BEFORE_CHARS
        end = min(at for at in (_text().find("\n", begin), _page_at(own)[3]) if at >= 0)
    line = " ".join(_cut(begin, end).split())
    head = _header_of(own) if room > 60 else []
    above = f"  (above: {' '.join(head[-1].split())[:60]})" if head else ""
    above += f"  {_note(own)}" if 0 < len(_note(own)) <= _LISTED_NOTE else ""
    more = f" ({len(hits)} lines with hits)" if len(hits) > 1 else ""
    return f"{_named(_page_at(own)[0])}{_place_name(own)}{more}, offset {own}: {line[:room]}{above}"


def _part_named(offset: int) -> str:
    """The part that certainly holds a place: the innermost numbered one, and the heading above.

    For a row of a table that is only one right above the table.

    Empty where a clause is named with the page.
    """
    if _place_name(offset):
        return ""
    reaches: list[Any] = globals().get("_reaches", [])
    certain = certain_headings(reaches, offset)
    table = _table_at(offset) if _row_of(offset) is not None else None
    near = [number for number in certain if not reaches[number][2]]
    near = [number for number in near if table is None or _cut(reaches[number][0], table[0]).strip().count("\n") < 2]
    chosen = [*_numbered_parts(offset)[-1:], *near]
    return " / ".join(globals()["_headings"][number][2][:_PART_CHARS] for number in chosen)


def _top(place: _Place) -> str:
    """The first lines of a place's page, without those that are printed with the place.

    Empty where the page's name has its title, and in a text without pages.
    """
    page, low, high, hits = place
    table = _page_table()
    alone = any(entry[3] == entry[4] == page[0] for entry in globals().get("docs", []))
    if len(table) < 2 or alone or globals().get("_page_names", {}).get(page[0], "").endswith(")"):
        return ""
    at = table.index(page)
    beside = [_beginning(other) for other in (*table[max(at - 1, 0) : at], *table[at + 1 : at + 2])]
    printed = {" ".join(line.split()) for line in (*_cut(low, high).split("\n"), *_header_of(hits[0]))}
    words = page_top(_beginning(page), beside, printed)
    return f"page begins: {words}" if words else ""


def _beginning(page: _Page) -> str:
    tables: list[Any] = globals().get("_tables", [])
    first = next((table[0] for table in tables if page[2] <= table[0] < page[3]), page[3])
    return _cut(page[2], min(page[2] + TOP_REACH, page[3], first))
