"""Guest code: `show`, `at`, `section`, `headings`, `table` and `term`, which print parts of the document."""

import bisect
import re
from typing import Any

from ralph_cli.rlm.lookup.lines import (
    _counted,
    _cut,
    _lines_of,
    _named,
    _note_lines,
    _Page,
    _page_at,
    _page_in,
    _pages_of,
    _part_of,
    _place_name,
    _print_lines,
    _text,
    _whole_lines,
)
from ralph_cli.rlm.lookup.rows import _header_of, _row_of, _table_at

_SHOW_CHARS = 5_500  # characters that one call prints: most pages whole

_LONG_REST = 4 * _SHOW_CHARS  # characters from which on the rest of a part is better read by a second model

_Part = tuple[int, int, str, int]  # where it begins, level, heading, where it ends

_DEFINES = re.compile(
    r"\W{0,3}(?:,[^,]{1,80},)?\s*(?:shall\s+)?(?:means?\b|has\s+the\s+meaning|refers?\s+to|:|=|is\s+defined)"
)
_MOST_PLACES = 12
_MOST_HEADINGS = 60
_SAME = 3
_NUMBER_WITHIN = 20  # first characters of a line, which hold the number of its part


def show(
    page: int | str, *further: int, start: int = 0, chars: int = _SHOW_CHARS, doc: str | int | None = None
) -> None:
    """Print `chars` characters of one page, from character `start` of it; show("a.pdf", 3) is page 3 of that one.

    `further` may give `start` and `chars` without their names.
    """
    if isinstance(page, str):
        page, doc, further = (*further, 1)[0], page, further[1:]
    start, chars = (*further, *(start, chars)[len(further) :])[:2]
    found = _page_in(page, doc)
    if found is None:
        return
    page, label, first, last = found
    low, high = _whole_lines(first + start, first + start + chars, first, last)
    is_named = _named(page) != f"page {page}" or label == str(page)
    called = _named(page) if is_named else f"page {page} (printed label {label})"
    print(f"{called}, {last - first} characters, offset {low}")
    _print_lines(low, high)
    if high < last:
        print(f"({last - high} more characters: show({page}, start={high - first}))")


def at(offset: int, before: int = 600, after: int = 1200) -> None:
    """Print the lines around an offset of `context`, also of the pages before and after it."""
    own = (entry[5:7] for entry in globals().get("docs", []) if entry[5] <= offset <= entry[6])
    begin, end = next(own, (0, len(_text())))
    low = max(offset - before, begin)
    page, _, first, last = _page_at(low)
    low = _whole_lines(low, last, first, last)[0]
    print(f"{_named(page)}{_place_name(low)}, offset {low}")
    _print_pages(low, min(offset + after, end), end)


def section(words: str, start: int = 0, chars: int = _SHOW_CHARS, doc: str | int | None = None) -> None:
    """Print the part whose heading has these words, or this number: a statement, a note, an item, a clause.

    Of several that fit the longest is printed, and the others are named; "Leases|Rent" are words to choose from. A part
    ends where the next of its level begins.
    """
    within = _part_of(doc)
    if within is None:
        return
    found = [part for each in words.split("|") for part in _parts_named(each)]
    found = [part for part in dict.fromkeys(found) if within[0] <= part[0] < max(within[1], 1)]
    if not found:
        print(f"no heading has the words {words!r}: find() looks for them in the text")
        return
    fits = {part: max(_fit(part, each) for each in words.split("|")) for part in found}
    chosen = max(found, key=lambda part: fits[part] * 10**9 + min(part[3] - part[0], 10**8))
    begin, _, name, end = chosen
    low = max(begin + start, begin)
    page = _page_at(low)[0]
    last = _page_at(max(end - 1, low))[0]
    pages = _named(page) if page == last else f"{_named(page)} to {last}"
    print(f"section {name!r}, {pages}, {end - begin} characters, offset {low}")
    if others := [part for part in found if part is not chosen][:_MOST_PLACES]:
        named = "; ".join(f"{_page_at(other)[0]} {text[:60]}" for other, _, text, _ in others)
        print(f"other headings with these words: {named}")
    most = low + chars if end - low > chars + _SHOW_CHARS // 5 else end
    at = _print_pages(low, most, end)
    if at >= end < len(_text()) and (behind := _lines_of(end, min(end + 600, len(_text())))):
        print(f"it ends here, before {_named(_page_at(behind[0][0])[0])} [begins: {behind[0][1].strip()[:100]}]")
    if at < end:
        read = f"; llm_query(prompt, context[{at}:{end}]) has them read" if end - at > _LONG_REST else ""
        print(f"({end - at} more characters: section({words!r}, start={at - begin}){read})")
        _print_parts_within(at, end)


def _print_parts_within(low: int, high: int) -> None:
    """Print the headings in text[low:high] with their pages, if there are any."""
    if inside := [part for part in _parts() if low <= part[0] < high]:
        named = "; ".join(f"{_page_at(at)[0]} {name[:50]}" for at, _, name, _ in inside[:_MOST_PLACES])
        more = f"; {len(inside) - _MOST_PLACES} more" if len(inside) > _MOST_PLACES else ""
        print(f"its parts in these, each a section: {named}{more}")


def _print_pages(low: int, high: int, end: int) -> int:
    """Print the lines from `low` to about `high`, none behind `end`, further pages below their names; returns where the
    first line begins that was not printed.
    """
    at = low
    while at < high:
        number, _, first, last = _page_at(at)
        if at > low:
            print(f"{_named(number)}, offset {at}")
        reached = min(_whole_lines(at, high, first, last)[1], end)
        _print_lines(at, reached)
        at = reached if reached < last else last + 1
    return at


def headings(words: str = "", doc: str | int | None = None, start: int = 0) -> None:
    """Print the headings with these words, all without any, each with the page on which its part begins.

    Those with "leases" or "rent" are those of "leases|rent". Of many some are printed at once, from number `start` on.
    """
    within = _part_of(doc)
    if within is None:
        return
    found = [part for part in _parts() if within[0] <= part[0] < max(within[1], 1)]
    found = [part for part in found if any(_has_words(_words(part[2]), _words(each)) for each in words.split("|"))]
    print(f"{_counted(len(found), 'heading')}, each with its page; section(words) prints its part")
    last = start + _MOST_HEADINGS
    for at, _, name, _ in found[start:last]:
        print(f"{_page_at(at)[0]} [begins: {name[:100]}]")
    if len(found) > last:
        print(
            f"({len(found) - last} more, from page {_page_at(found[last][0])[0]} on: headings({words!r}, start={last}))"
        )


def table(page: int | str, *further: int | str, words: str = "", doc: str | int | None = None) -> None:
    """Print the tables of a page, those with `words`, with the lines that name their columns and units.

    table("a.pdf", 3) prints those of page 3 of that one; `further` may give `words` without their name.
    """
    if isinstance(page, str):
        page, doc, further = int((*further, 1)[0]), page, further[1:]
    words = str((*further, words)[0])
    found = _page_in(page, doc)
    if found is None:
        return
    page = found[0]
    blocks = [block for block in _table_blocks(found) if words.casefold() in _cut(*block).casefold()]
    if not blocks:
        print(f"no table {f'with {words!r} ' if words else ''}on page {page}: show({page})")
    before = 0
    for low, high in blocks:
        if before and not words and (between := _lines_of(before, low)):
            print(f"({_counted(len(between), 'line')} left out: at({between[0][0]}) prints them)")
        before = high
        print(f"{_named(page)}, offset {low}")
        shown = _cut(low, high)
        inner = _table_at(low)
        for part in _header_of(inner[2]) if inner else ():
            if part not in shown:
                print(f"(above: {part})")
        print("\n".join(_note_lines([(at, at + len(line)) for at, line in _lines_of(low, high)])))


def term(words: str) -> None:
    """Print where a term is defined: in quotation marks, best with "means" or a colon behind; else where it stands."""
    text = _text()
    loose = r"\s+".join(map(re.escape, words.split()))
    marked = list(
        re.finditer(rf"[\"\u201c\u201d\u2018\u2019'*_(]{loose}[\"\u201c\u201d\u2019'*_)]", text, re.IGNORECASE)
    )
    defining = [match for match in marked if _DEFINES.match(text, match.end())]
    heads = list(
        re.finditer(
            rf"(?m)(?:^|(?<=\f))[ \t]*(?:[\d.]+[ \t]+)?{loose}\b[ \t]*(?:means?\b|[.:\u2013\u2014-])",
            text,
            re.IGNORECASE,
        )
    )
    found = defining or heads or marked or list(re.finditer(rf"\b{loose}\b", text, re.IGNORECASE))
    if not found:
        print(f"{words!r} stands nowhere in the text")
        return
    how = (
        "is defined at" if defining or heads else "is set apart at" if marked else "is nowhere set apart; it stands at"
    )
    print(f"{words!r} {how} {_counted(len(found), 'place')}")
    shown = reached = 0
    for number, match in enumerate(found):
        if match.start() < reached:
            continue
        if shown == 3:
            print(f"(more on {_pages_of([_page_at(other.start())[0] for other in found[number:]])})")
            return
        page, _, first, last = _page_at(match.start())
        low, reached = _whole_lines(match.start(), match.start() + 700, first, last)
        print(f"--- {_named(page)}, offset {low}")
        _print_lines(low, reached)
        shown += 1


def _parts() -> list[_Part]:
    parts: list[Any] = globals().get("_headings", [])
    return parts


def _parts_named(words: str) -> list[_Part]:
    """The headings with all these words, whatever they end with; if there are none, the lines that begin with them."""
    wanted = _words(words)
    found = [
        part for part in _parts() if wanted and (_has_words(_words(part[2]), wanted) or _fit(part, words) == _SAME)
    ]
    if found or not wanted:
        return found
    loose = r"\W+".join(map(re.escape, words.split()))
    lines = re.finditer(
        rf"(?m)(?:^|(?<=\f))[ \t]*(?:\W{{0,3}}|\w+ ){loose}(?!\w)[^\n]{{0,80}}$", _text(), re.IGNORECASE
    )
    named = ((match.start(), " ".join(match[0].split())) for match in lines if _row_of(match.start()) is None)
    return [(start, 9, line, _end_after(start)) for start, line in named if not line[0].islower()]


def _end_after(offset: int) -> int:
    """Where a part ends that begins at a line which is none of the headings: with the numbered part that begins in it,
    else at the next heading."""
    ends = [entry[6] for entry in globals().get("docs", []) if entry[6] > offset]
    ends += [other[0] for other in _parts() if other[0] > offset][:1]
    clauses: list[tuple[int, str]] = globals().get("_clauses", [])
    at = bisect.bisect_left(clauses, (offset,))
    if at < len(clauses) and clauses[at][0] < offset + _NUMBER_WITHIN:
        own = clauses[at][1]
        later = (start for start, key in clauses[at + 1 :] if not key.startswith((f"{own}.", f"{own}(")))
        return next(later, ends[0] if ends else len(_text()))
    return min(ends, default=len(_text()))


def _has_words(heading: list[str], wanted: list[str]) -> bool:
    """Whether each word is in a heading, except for up to two letters at its end."""
    return all(any(_is_form(word, other) for other in heading) for word in wanted)


def _is_form(word: str, other: str) -> bool:
    stem = max(len(word), len(other)) - 2
    return word == other or (stem > 2 and word[:stem] == other[:stem])


def _fit(part: _Part, words: str) -> int:
    """3 if a heading, its number aside, is these words, however they are spaced, 2 if it begins with them, 1 if it has
    them one after another."""
    name, wanted = (" ".join(_words(text)) for text in (part[2], words))
    bare = re.sub(r"^(?:\w+ )?[\divxlc]+[a-z]? ", "", name)
    joined = wanted.replace(" ", "").removesuffix("s")
    if any(joined == text.replace(" ", "").removesuffix("s") for text in (name, bare)):
        return _SAME
    return 2 if name.startswith(wanted) or bare.startswith(wanted) else int(f" {wanted} " in f" {name} ")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _table_blocks(page: _Page) -> list[tuple[int, int]]:
    """The tables of a page, each from its title on; those that lie in each other are one."""
    tables: list[Any] = globals().get("_tables", [])
    blocks: list[tuple[int, int]] = []
    for begin, end, *_ in tables:
        if page[2] <= begin < page[3]:
            if blocks and begin < blocks[-1][1]:
                blocks[-1] = blocks[-1][0], max(blocks[-1][1], end)
            else:
                blocks.append((begin, end))
    return blocks
