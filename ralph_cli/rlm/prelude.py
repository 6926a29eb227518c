"""Guest code: two look-up functions that every worker finds in its sandbox. Runs there, never here."""


def find(pattern: str, show: int = 6, before: int = 1, after: int = 2, start: int = 0) -> None:
    """Print how often a regular expression occurs (case ignored) and the lines around each place, with its page."""
    import bisect
    import re

    text: str = globals()["context"]
    table: list[tuple[int, str, int, int]] = globals()["pages"]
    hits = [match.start() for match in re.finditer(pattern, text, re.IGNORECASE)]
    starts = [page[2] for page in table]
    blocks: list[tuple[int, int, int]] = []
    for hit in hits:
        low = hit
        for _ in range(before + 1):
            low = text.rfind("\n", 0, low)
            if low < 0:
                break
        high = hit
        for _ in range(after + 1):
            high = text.find("\n", high + 1)
            if high < 0:
                high = len(text)
                break
        low += 1
        if blocks and low <= blocks[-1][1]:
            blocks[-1] = (blocks[-1][0], max(high, blocks[-1][1]), blocks[-1][2])
        else:
            blocks.append((low, high, hit))
    print(f"{len(hits)} hits in {len(blocks)} places for {pattern!r}")
    used = 0
    for number in range(start, len(blocks)):
        low, high, hit = blocks[number]
        passage = text[low:high].strip("\n")[:900]
        if number >= start + show or (used and used + len(passage) > 1700):
            print(f"({len(blocks) - number} more places: find({pattern!r}, start={number}))")
            break
        used += len(passage) + 30
        page = table[bisect.bisect_right(starts, hit) - 1]
        print(f"--- place {number}, page {page[0]}, offset {low}\n{passage}")


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
