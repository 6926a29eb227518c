"""Guest code: two look-up functions that every worker finds in its sandbox. Runs there, never here."""


def find(pattern: str, show: int = 6, before: int = 1, after: int = 2, start: int = 0) -> None:
    """Print how often a regular expression occurs (case ignored) and the lines around each place, with its page."""
    import bisect
    import re

    text: str = globals()["context"]
    table: list[tuple[int, str, int, int]] = globals()["pages"]
    firsts = [page[2] for page in table]
    places: list[list[int]] = []  # page row, first character, end
    count = 0
    for match in re.finditer(pattern, text, re.IGNORECASE):
        count += 1
        row = max(bisect.bisect_right(firsts, match.start()) - 1, 0)
        first, last = table[row][2], table[row][3]
        low = match.start()
        for _ in range(before + 1):
            low = text.rfind("\n", first, low)
            if low < 0:
                break
        low = first if low < 0 else low + 1
        high = match.end()
        for _ in range(after + 1):
            high = text.find("\n", high, last) + 1
            if high == 0:
                break
        high = last if high == 0 else high - 1
        if places and places[-1][0] == row and low <= places[-1][2]:
            places[-1][2] = max(high, places[-1][2])
        else:
            places.append([row, low, high])
    print(f"{count} hits in {len(places)} places for {pattern!r}")
    used = 0
    for number in range(start, len(places)):
        row, low, high = places[number]
        passage = text[low:high].strip("\n")[:900]
        if number >= start + show or (used and used + len(passage) > 1700):
            print(f"({len(places) - number} more places: find({pattern!r}, start={number}))")
            break
        used += len(passage) + 30
        print(f"--- place {number}, page {table[row][0]}, offset {low}\n{passage}")


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
