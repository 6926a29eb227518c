"""Whether a quote may begin or end at a position: not inside a word, and not inside a number."""

import re

from ralph_cli.text.fold import ZERO_WIDTH
from ralph_cli.text.raised import RAISED, is_footnote_mark

_APOSTROPHES = "'\u2019"
_NUMBER_SEPARATORS = ".,\u066b\u066c" + _APOSTROPHES
_THIN_SPACES = "\xa0\u2007\u2009\u202f"
_HYPHENS = "-\u00ad\u2010"
# Scripts that do not put spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese).
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)

_COMBINING = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]")
_BROKEN_BEFORE = re.compile(f"[^\\W\\d_][{_HYPHENS}][ \t\r]*[\n\f]\\s*$")
_BROKEN_AFTER = re.compile(f"[{ZERO_WIDTH}]*[{_HYPHENS}][ \t\r]*[\n\f]\\s*[^\\W\\d_]")
_LINE_BREAK_REACH = 24


def on_boundaries(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] neither begins nor ends inside a word or a number."""
    return not is_inside_word(text, start) and not is_inside_word(text, end)


def is_inside_word(text: str, at: int) -> bool:
    """Whether a cut before character `at` goes through a word or a number.

    A number continues over a decimal point or a group separator (1,577.5; 1'577; 1 577 with a no-break space). A word
    continues over a hyphen at a line end and over the n't of a negation. Zero-width characters are ignored. Signs,
    currency and percent signs are not included: `search_text.widen_to_whole` adds them to a quote.
    """
    before, after = _before(text, at), _after(text, at)
    if before < 0 or after >= len(text):
        return False
    left, right = text[before], text[after]
    if is_word_character(left) and is_word_character(right):
        # After a number even a mark may be an exponent; a quote without it has a different number.
        is_mark = right in RAISED and not left.isdecimal() and is_footnote_mark(text, after)
        return not is_mark and _belong_together(left, right)
    inside = _is_inside_number(text, before, after)
    if inside is not None:
        return inside
    if right in _APOSTROPHES and left in "nN":
        return _is_contraction(text, after)
    return _is_inside_hyphenated(text, at, before)


def _is_inside_number(text: str, before: int, after: int) -> bool | None:
    """Whether a cut between these characters goes through a number at a separator; None if there is no separator."""
    left, right = text[before], text[after]
    if right in _NUMBER_SEPARATORS and left.isdecimal():
        following = _after(text, after + 1)
        return following < len(text) and text[following].isdecimal()
    if left in _NUMBER_SEPARATORS and right.isdecimal():
        preceding = _before(text, before)
        if preceding < 0 or text[preceding].isdecimal():
            return True
        # After an abbreviation, or after other leader dots, a point is not a decimal point.
        return left == "." and not (text[preceding].isalnum() or text[preceding] == ".")
    if left.isdecimal() and right in _THIN_SPACES:
        return _is_digit_group(text, before, after + 1)
    if left in _THIN_SPACES and right.isdecimal():
        return _is_digit_group(text, before - 1, after)
    return None


def _before(text: str, at: int) -> int:
    """Return the index of the visible character before `at`, or -1."""
    at -= 1
    while at >= 0 and text[at] in ZERO_WIDTH:
        at -= 1
    return at


def _after(text: str, at: int) -> int:
    """Return the index of the visible character from `at` on, or the length of the text."""
    while at < len(text) and text[at] in ZERO_WIDTH:
        at += 1
    return at


def is_word_character(character: str) -> bool:
    """Whether a character is part of a word or number: a letter, a digit, or a mark on one."""
    return character.isalnum() or _COMBINING.match(character) is not None


def _belong_together(left: str, right: str) -> bool:
    """Whether two adjacent letters or digits belong together."""
    if _UNSPACED.match(left) or _UNSPACED.match(right):
        return left.isnumeric() and right.isnumeric()  # 12 and the character for ten thousand
    return True


def _is_digit_group(text: str, last: int, first: int) -> bool:
    """Whether text[:last+1] ends in one to three digits and text[first:] begins with exactly three."""
    left = text[max(0, last - 3) : last + 1]
    digits = len(left) - len(left.rstrip("0123456789"))
    return 1 <= digits <= 3 and begins_with_digit_group(text[first : first + 4])


def begins_with_digit_group(text: str) -> bool:
    """Whether a text begins with exactly three digits."""
    return len(text) >= 3 and text[:3].isdecimal() and not text[3:4].isdecimal()


def _is_contraction(text: str, apostrophe: int) -> bool:
    return text[apostrophe + 1 : apostrophe + 2] in ("t", "T") and not text[apostrophe + 2 : apostrophe + 3].isalpha()


def _is_inside_hyphenated(text: str, at: int, before: int) -> bool:
    """Whether the cut falls into a word that a hyphen divides at a line end (un-/sold).

    `before` comes from `_before`.
    """
    after = _after(text, at)
    if text[after].isalpha() and _BROKEN_BEFORE.search(text[max(0, at - _LINE_BREAK_REACH) : at]):
        return True
    if text[before] in _HYPHENS:  # the cut is between the hyphen and the line end
        at, before = before, before - 1
    else:
        at = before + 1
    return before >= 0 and text[before].isalpha() and _BROKEN_AFTER.match(text, at) is not None
