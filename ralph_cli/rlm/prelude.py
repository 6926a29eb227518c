"""Guest code: two look-up functions that every worker finds in its sandbox. Runs there, never here."""


def find(pattern: str, show: int = 6, before: int = 1, after: int = 2, start: int = 0) -> None:
    """Print how often a regular expression occurs (case ignored) and the lines around each place, with its page.

    Above a table row that has figures, the header of its columns and the unit are printed if they can be told.
    """
    import bisect
    import re

    text: str = globals()["context"]
    table: list[tuple[int, str, int, int]] = globals()["pages"]
    firsts = [page[2] for page in table]
    places: list[list[int]] = []  # page row, first character, end, the hit's own line
    count = 0
    for match in re.finditer(pattern, text, re.IGNORECASE):
        count += 1
        row = max(bisect.bisect_right(firsts, match.start()) - 1, 0)
        first, last = table[row][2], table[row][3]
        low = own = max(text.rfind("\n", first, match.start()) + 1, first)
        for _ in range(before):
            low = max(text.rfind("\n", first, max(low - 1, first)) + 1, first)
        high = match.end()
        for _ in range(after + 1):
            high = text.find("\n", high, last) + 1
            if high == 0:
                break
        high = last if high == 0 else high - 1
        if places and places[-1][0] == row and low <= places[-1][2]:
            places[-1][2] = max(high, places[-1][2])
        else:
            places.append([row, low, high, own])
    print(f"{count} hits in {len(places)} places for {pattern!r}")
    used = 0
    for number in range(start, len(places)):
        row, low, high, own = places[number]
        # What is cut of a long passage is its beginning, never the hit.
        low = low if own - low <= 500 else max(text.find("\n", own - 500, own) + 1, own - 500)
        passage = text[low:high].strip("\n")[:900]
        head = _columns(text[table[row][2] : own], text[own : own + 200].split("\n")[0], low - table[row][2])
        if number >= start + show or (used and used + len(head) + len(passage) > 1700):
            print(f"({len(places) - number} more places: find({pattern!r}, start={number}))")
            break
        used += len(head) + len(passage) + 30
        print(f"--- place {number}, page {table[row][0]}, offset {low}\n{head}{passage}")


def _columns(above: str, line: str, shown_from: int) -> str:
    """The nearest lines above a table row that name its columns (two years or dates) and its unit, if not shown yet."""
    import re

    if len(re.findall(r"\d[\d,.]*", line)) < 2:
        return ""
    year = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b")
    unit = re.compile(
        r"\b(?:in|\(|\$ ?)\s?(?:thousand|million|billion)s?\b|\(\s?(?:thousand|million|billion)s", re.IGNORECASE
    )
    end, found, wanted = len(above), [], {"columns", "unit"}
    for _ in range(60):
        begin = above.rfind("\n", 0, max(end - 1, 0)) + 1
        part = above[begin:end].strip()
        kinds = set()
        if len(part) < 160 and len(year.findall(part)) >= 2:
            kinds.add("columns")
        if len(part) < 200 and unit.search(part):
            kinds.add("unit")
        if kinds & wanted and begin < shown_from:
            found.append(part)
        wanted -= kinds
        end = begin
        if not wanted or begin == 0:
            break
    return "".join(f"(above: {part})\n" for part in reversed(found))


def show(page: int, start: int = 0, chars: int = 1800) -> None:
    """Print `chars` characters of one page, from character `start` of it."""
    text: str = globals()["context"]
    table: list[tuple[int, str, int, int]] = globals()["pages"]
    known = [row for row in table if row[0] == page]
    if not known:
        print(f"there is no page {page}; pages are {table[0][0]} to {table[-1][0]}")
        return
    _, label, low, high = known[0]
    size = high - low
    print(f"page {page} (printed label {label}), {size} characters, offset {low}")
    print(text[low + start : min(low + start + chars, high)])
    if start + chars < size:
        print(f"({size - start - chars} more characters: show({page}, start={start + chars}))")
