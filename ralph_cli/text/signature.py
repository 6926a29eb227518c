"""Letters and digits alone: the key of the last tier, and what two texts with the same key may still differ in."""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

from ralph_cli.text.boundary import begins_with_digit_group
from ralph_cli.text.fold import ZERO_WIDTH, fold
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.sentences import line_at

# Letters and digits that a quote must have to be looked for in this tier: fewer occur anywhere by chance.
MIN_KEY = 12

# The same for a quote that is all of a line, such as a short row of a table.
MIN_LINE_KEY = 6

_BLOCK = 256
_COMPARING = "<>\u2264\u2265\u2260\u00b1\u2248~"
_NEGATION = re.compile(rf"(?i)\b(?:{NEGATIONS})\b")


@lru_cache(maxsize=4_096)
def _is_key_character(character: str) -> bool:
    """Whether a character belongs to the key: letters, marks and numbers do, spaces, punctuation and symbols do not."""
    return unicodedata.category(character)[0] in "LMN"


class LetterIndex:
    """The key of a folded text, with a map back to the text. Only the length of the key of each block is stored."""

    def __init__(self, text: str) -> None:
        self._text = text
        dropped = "".join(character for character in set(text) if not _is_key_character(character))
        drop = re.compile(f"[{re.escape(dropped)}]+") if dropped else None
        blocks = [text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK)]
        keys = [drop.sub("", block) if drop else block for block in blocks]
        self._starts = [0, *accumulate(map(len, keys))]
        self.key = "".join(keys)

    def find(self, wanted: str, limit: int) -> Iterator[tuple[int, int]]:
        """Yield the first `limit` intervals of the folded text whose key is `wanted`."""
        at = self.key.find(wanted)
        while at >= 0 and limit > 0:
            yield self._origin(at), self._origin(at + len(wanted) - 1) + 1
            at, limit = self.key.find(wanted, at + 1), limit - 1

    def _origin(self, offset: int) -> int:
        """Return the position of the key's character `offset` in the folded text."""
        block = bisect_right(self._starts, offset) - 1
        left = offset - self._starts[block]
        for at in range(block * _BLOCK, len(self._text)):
            if _is_key_character(self._text[at]):
                if left == 0:
                    return at
                left -= 1
        raise ValueError(f"offset {offset} is outside the key")


def letter_key(folded: str) -> str:
    """Return the letters, marks and digits of a folded text."""
    return "".join(filter(_is_key_character, folded))


def has_same_meaning(quote: str, text: str) -> bool:
    """Whether two folded texts with the same key also say the same.

    Punctuation, spaces, quotation marks, and signs that only one of the two has may differ: those are shown to the
    reader. Decimal points, groups of digits, hyphens inside words, the number of negations, and a sign, currency or
    percent mark that replaces another one may not.
    """
    # A full stop may be in one of the two only, and what a negation is must not hang on it.
    if len(_NEGATION.findall(quote.replace(".", " "))) != len(_NEGATION.findall(text.replace(".", " "))):
        return False
    quote_gaps, text_gaps = list(_gaps(quote)), list(_gaps(text))
    return len(quote_gaps) == len(text_gaps) and all(map(_gaps_agree, quote_gaps, text_gaps))


def fills_line(text: str, start: int, end: int) -> bool:
    """Whether the line of text[start:end] has only punctuation and signs around it."""
    first, last = line_at(text, start, end)
    beside = text[first:start] + text[end:last]
    return "\n" not in text[start:end] and not any(map(_is_key_character, beside))


def include_edge_signs(quote: str, text: str, start: int, end: int) -> tuple[int, int]:
    """The interval, widened by the signs that the folded quote has before its first and behind its last letter too."""
    letters = [at for at, character in enumerate(quote) if _is_key_character(character)]
    for sign in quote[letters[-1] + 1 :].replace(" ", "") if letters else "":
        at = end
        while at < len(text) and text[at] == " ":
            at += 1
        if at == len(text) or fold(text[at]).text != sign:
            break
        end = at + 1
    for sign in reversed(quote[: letters[0]].replace(" ", "")) if letters else "":
        at = start
        while at > 0 and text[at - 1] == " ":
            at -= 1
        if at == 0 or fold(text[at - 1]).text != sign:
            break
        start = at - 1
    return start, end


def include_outer_signs(text: str, start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """The interval, widened within text[first:last] as far as its letters and digits stay the same."""
    while start > first and not _is_key_character(text[start - 1]):
        start -= 1
    while end < last and not _is_key_character(text[end]):
        end += 1
    return start, end


# The letter or digit before a gap, the gap, and the characters behind it: as many as tell a group of three digits.
_Gap = tuple[str, str, str]


def _gaps(text: str) -> Iterator[_Gap]:
    last = -1
    for at, character in enumerate(text):
        if _is_key_character(character):
            yield text[last] if last >= 0 else "", text[last + 1 : at], text[at : at + 4]
            last = at
    if last >= 0:
        yield text[last], text[last + 1 :], ""


def _gaps_agree(quote_gap: _Gap, text_gap: _Gap) -> bool:
    before, between, behind = quote_gap
    if between == text_gap[1]:
        return True
    if _gap_kind(quote_gap) != _gap_kind(text_gap):
        return False
    # The edges of a quote may be cut anywhere; inside, what is closed up may be spaced out, and no more than that.
    is_closed_up = not between or not text_gap[1]
    if before and behind and is_closed_up and _gap_kind(quote_gap) == "" and (between + text_gap[1]).strip():
        return False
    quote_symbols, text_symbols = _symbols(quote_gap), _symbols(text_gap)
    if any(quote_symbols[sign] != text_symbols[sign] for sign in _COMPARING):
        return False  # "under 3" is another thing than "3", and no way to write it
    return quote_symbols <= text_symbols or text_symbols <= quote_symbols


def _gap_kind(gap: _Gap) -> str:
    """What a gap does to the number around it: nothing, or it makes another one."""
    before, between, behind = gap
    if not behind[:1].isdecimal():
        return ""
    if before.isdecimal():
        if not between or (between in ",'" and begins_with_digit_group(behind)):
            return "joined"
        return between if between in (".", ",", "'", ":", "/") else ""
    # ".5" is no 5, but the last of several leader dots is no decimal point.
    return "." if between.endswith(".") and not between.endswith("..") and not (before and len(between) == 1) else ""


def _symbols(gap: _Gap) -> Counter[str]:
    """The signs, currencies and other symbols of a gap that mean something."""
    before, between, behind = gap
    found = Counter(c for c in between if c in "%\u2030\u00a7&#@+" or unicodedata.category(c) in ("Sc", "Sm", "So"))
    if between.rstrip().endswith("-") and behind[:1].isdecimal() and not (before and len(between) == 1):
        found["-"] += 1
    return found


def count_zero_width(text: str) -> int:
    """Return the number of zero-width characters in a text."""
    return sum(map(text.count, ZERO_WIDTH))
