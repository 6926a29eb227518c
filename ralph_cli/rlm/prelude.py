"""Guest code: the look-up functions that every worker finds in its sandbox. Runs there, never here."""


def find(pattern: str, show: int = 6, before: int = 1, after: int = 2, start: int = 0) -> None:
    """Print how often a regular expression occurs (case ignored) and the lines around each place, with its page.

    Above a table row, the header of its columns and the unit are printed if they can be told. The places share what may
    be printed: each keeps its hit; what is left goes to further places, a line each.
    """
    places, count = _places(pattern, before, after)
    print(f"{count} hits in {len(places)} places (hits near each other are one place)")
    chosen = places[start : start + show]
    left = 1750
    for number, place in enumerate(chosen, start):
        passage = _passage(place, max(left // (len(chosen) + start - number) - 30, 100))
        print(f"--- place {number}, page {place[0][0]}, offset {place[3]}\n{passage}")
        left -= len(passage) + 30
    number = start + len(chosen)
    while number < len(places) and left > 120:
        page, _, _, own = places[number]
        line = " ".join(_line_at(own).split())[:110]
        print(f"place {number}, page {page[0]}, offset {own}: {line}")
        left -= len(line) + 32
        number += 1
    if number < len(places):
        quoted = f"r'{pattern}'" if "'" not in pattern and not pattern.endswith("\\") else repr(pattern)
        print(f"({len(places) - number} more: find({quoted}, {show}, {before}, {after}, start={number}))")


def show(page: int, start: int = 0, chars: int = 1800) -> None:
    """Print `chars` characters of one page, from character `start` of it."""
    table: list[tuple[int, str, int, int]] = globals()["pages"]
    known = [row for row in table if row[0] == page]
    if not known:
        print(f"there is no page {page}; pages are {table[0][0]} to {table[-1][0]}")
        return
    _, label, low, high = known[0]
    size = high - low
    print(f"page {page} (printed label {label}), {size} characters, offset {low}")
    print(globals()["context"][low + start : min(low + start + chars, high)])
    if start + chars < size:
        print(f"({size - start - chars} more characters: show({page}, start={start + chars}))")


def at(offset: int, before: int = 600, after: int = 1200) -> None:
    """Print the text around an offset of `context`."""
    low = max(offset - before, 0)
    print(f"page {_page_at(offset)[0]}, offset {low}")
    print(globals()["context"][low : offset + after])


def _places(pattern: str, before: int, after: int) -> tuple[list[tuple[tuple[int, str, int, int], int, int, int]], int]:
    """The places of a pattern, as (page row, first character, end, start of the hit's own line), and the hits."""
    import re

    text: str = globals()["context"]
    places: list[tuple[tuple[int, str, int, int], int, int, int]] = []
    count = 0
    for match in re.finditer(pattern, text, re.IGNORECASE):
        count += 1
        page = _page_at(match.start())
        first, last = page[2], page[3]
        low = own = max(text.rfind("\n", first, match.start()) + 1, first)
        for _ in range(before):
            low = max(text.rfind("\n", first, max(low - 1, first)) + 1, first)
        high = match.end()
        for _ in range(after + 1):
            high = text.find("\n", high, last) + 1
            if high == 0:
                break
        high = last if high == 0 else high - 1
        if places and places[-1][0] == page and low <= places[-1][2]:
            places[-1] = (page, places[-1][1], max(high, places[-1][2]), places[-1][3])
        else:
            places.append((page, low, high, own))
    return places, count


def _page_at(offset: int) -> tuple[int, str, int, int]:
    import bisect

    table: list[tuple[int, str, int, int]] = globals()["pages"]
    return table[max(bisect.bisect_right([page[2] for page in table], offset) - 1, 0)]


def _line_at(start: int) -> str:
    """The line that begins at `start`."""
    text: str = globals()["context"]
    ends = [end for end in (text.find("\n", start), text.find("\f", start)) if end >= 0]
    return text[start : min(ends, default=len(text))]


def _passage(place: tuple[tuple[int, str, int, int], int, int, int], room: int) -> str:
    """The lines of a place within `room` characters: what goes first is context far from the hit, never the hit."""
    text: str = globals()["context"]
    page, low, high, own = place
    line = _line_at(own)
    head = _columns(text[page[2] : own], line)
    room = max(room - len(head), min(len(line), 300))
    if high - low > room:
        spare = max(room - len(line), 0)
        early = text.find("\n", max(own - spare // 2, low), own) if own - low > spare // 2 else low - 1
        low = own if early < 0 else early + 1
        high = min(high, low + room)
    shown = text[low:high].strip("\n")
    return "".join(f"(above: {part})\n" for part in head if part not in shown) + shown


def _columns(above: str, line: str) -> list[str]:
    """The nearest lines above a table row that name its columns (two years or dates), its period and its unit."""
    import re

    if len(re.findall(r"\d[\d,.]*", line)) < 2 or len(re.findall(r"[a-z]{2,}", line)) > 14:
        return []
    kinds = {
        "columns": r"(?:\b(?:19|20)\d\d\b.*){2}|(?:\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b.*){2}",
        "period": r"(?i)\b(?:months|weeks|years?|quarters?) ended\b|\bas of\b.*\d|^at [A-Z][a-z]+ \d",
        "unit": r"(?i)\bin (?:thousand|million|billion)s?\b|[($] ?(?:thousand|million|billion)s?\b",
    }
    found: list[str] = []
    end = len(above)
    for _ in range(60):
        begin = above.rfind("\n", 0, max(end - 1, 0)) + 1
        part = above[begin:end].strip()
        hits = [kind for kind, shape in kinds.items() if len(part) < 160 and re.search(shape, part)]
        if hits:
            found.insert(0, part)
            kinds = {kind: shape for kind, shape in kinds.items() if kind not in hits}
        end = begin
        if not kinds or begin == 0:
            break
    return found
