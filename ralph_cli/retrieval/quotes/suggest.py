"""Finds the passages of a long text that are most similar to a short one (rapidfuzz), in bounded time."""

import re

MIN_SCORE = 75.0
# The most characters scanned in full, proportionally fewer for long quotes. In longer texts only likely passages are
# compared.
_FULL_SCAN = 4_000_000

_TYPICAL_QUOTE = 300
# The most characters of a quote that are searched for in the whole text: the time grows with their square.
_HEAD = 500

_MAX_QUOTE = 2_000
_WORDS = re.compile(r"\S+")
_ANCHORS = 8
_MAX_HITS = 200
_MAX_WINDOWS = 100


def alignments(quote: str, text: str, limit: int) -> list[tuple[float, int, int]]:
    """Return up to `limit` separate passages as (score from 75 to 100, start, end), best first.

    A quote of over 500 characters is located by its beginning, or else by its end, and compared there in full.
    """
    quote = quote[:_MAX_QUOTE]
    if not quote or not text or limit < 1:
        return []
    if len(quote) <= _HEAD:
        return _search(quote, text, limit)
    rest = len(quote) - _HEAD
    near = [(start, start + len(quote) + rest // 4) for _, start, _ in _search(quote[:_HEAD], text, limit)]
    if not near:
        near = [(end - len(quote) - rest // 4, end) for _, _, end in _search(quote[-_HEAD:], text, limit)]
    found = [_best_alignment(quote, text, max(0, first), min(len(text), last)) for first, last in near]
    return sorted(((s, a, b) for s, a, b, *_ in filter(None, found)), key=lambda place: -place[0])


def _search(quote: str, text: str, limit: int) -> list[tuple[float, int, int]]:
    """Return the passages of `alignments` for a quote of bounded length."""
    affordable = _FULL_SCAN * _TYPICAL_QUOTE // max(len(quote), _TYPICAL_QUOTE)
    pieces = [(0, len(text))] if len(text) <= affordable else _likely_windows(quote, text)
    candidates = [best for start, end in pieces if (best := _best_alignment(quote, text, start, end)) is not None]
    found: list[tuple[float, int, int]] = []
    while candidates and len(found) < limit:
        best = max(candidates, key=lambda item: (item[0], -item[1]))
        candidates.remove(best)
        score, start, end, first, last = best
        if all(end <= other_start or other_end <= start for _, other_start, other_end in found):
            found.append((score, start, end))
        if len(found) < limit:
            for piece in ((first, start), (end, last)):
                further = _best_alignment(quote, text, *piece)
                if further is not None:
                    candidates.append(further)
    return found


def _best_alignment(quote: str, text: str, first: int, last: int) -> tuple[float, int, int, int, int] | None:
    """Return the best passage within text[first:last], followed by `first` and `last`; None below the minimum score."""
    from rapidfuzz import fuzz

    if last - first < len(quote) // 2:
        return None  # rapidfuzz would search for the text in the quote
    found = fuzz.partial_ratio_alignment(quote, text[first:last].ljust(len(quote)), score_cutoff=MIN_SCORE)
    if found is None:
        return None
    start, end = first + found.dest_start, min(first + found.dest_end, last)
    return (found.score, start, end, first, last) if start < end else None


def _likely_windows(quote: str, text: str) -> list[tuple[int, int]]:
    """Return the windows of the text that contain most of the quote's longest words."""
    words = sorted({(match[0], match.start()) for match in _WORDS.finditer(quote)}, key=lambda w: (-len(w[0]), w[1]))
    width = max(len(quote), 50)
    votes: dict[int, int] = {}
    for word, offset in words[:_ANCHORS]:
        at = text.find(word)
        for _ in range(_MAX_HITS):
            if at < 0:
                break
            slot = max(0, at - offset) // width
            votes[slot] = votes.get(slot, 0) + 1
            at = text.find(word, at + 1)
    best = sorted(votes, key=lambda slot: (-votes[slot], slot))[:_MAX_WINDOWS]
    return [(max(0, (slot - 1) * width), min(len(text), (slot + 3) * width)) for slot in best]
