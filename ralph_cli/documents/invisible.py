"""Finds characters that make stored text differ from shown text: tags, stray selectors, overrides, private use.

Characters that ordinary text needs are allowed: selectors after a symbol or an ideograph, flags made of tag
characters, and the marks and isolates of right-to-left writing. A private-use character alone or at the edge of a
word is allowed, because many PDFs use it as a bullet or sign.
"""

import re
import unicodedata

TAGS = "with tag characters, which are not shown"
SELECTORS = "with variation selectors out of place, which are not shown"
OVERRIDE = "with a change of direction, which shows it in another order"
PRIVATE = "with private-use characters, which mean nothing"

_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
_TAG = re.compile("[\U000e0000-\U000e007f]")
_STRAY = re.compile("(?:(?<=(.))|^)[\ufe00-\ufe0f\U000e0100-\U000e01ef]", re.DOTALL)
_KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
_PRIVATE = "[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
_INSIDE = re.compile(rf"\S{_PRIVATE}\S")
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_PARAGRAPH = re.compile("[\n\f\r\x85\u2029]")
_LOOK_BACK = 2_000
# General categories of characters that a selector may follow: emoji and other symbols, ideographs, Mongolian letters.
_SELECTOR_BASES = frozenset({"So", "Sm", "Sk", "Po", "Pd", "Lo"})


def unreadable_reason(text: str, start: int, end: int) -> str:
    """Return why the stored text[start:end] differs from what a reader sees; "" if no difference is found."""
    words = text[start:end]
    if _is_reordered(text, start, end):
        return OVERRIDE
    if words.isascii():
        return ""
    if _TAG.search(_FLAG.sub("", words)):
        return TAGS
    if any(not _takes_selector(match[1]) for match in _STRAY.finditer(_KEYCAP.sub("", words))):
        return SELECTORS
    return PRIVATE if _INSIDE.search(words) else ""


def _takes_selector(character: str | None) -> bool:
    if character is None or character in ".,%;:!?'\"/&@*#":
        return False
    return unicodedata.category(character) in _SELECTOR_BASES


def _is_reordered(text: str, start: int, end: int) -> bool:
    """Whether an override, or a right-to-left embedding of words without right-to-left letters, reorders some words.

    A mark before the words takes effect until the paragraph ends (Unicode Standard Annex 9).
    """
    first = max(0, start - _LOOK_BACK)
    marks = list(_DIRECTION.finditer(text, first, end))
    if not marks:
        return False
    leftward = any(unicodedata.bidirectional(character) in ("R", "AL") for character in text[start:end])
    events = sorted([*marks, *_PARAGRAPH.finditer(text, first, end)], key=lambda match: match.start())
    open_marks: list[str] = []
    for number, event in enumerate(events):
        mark = event[0]
        if mark in "\u202c\u2069":
            open_marks = open_marks[:-1]
        elif _DIRECTION.match(mark):
            open_marks.append(mark)
        else:
            open_marks = []
        until = events[number + 1].start() if number + 1 < len(events) else end
        turned = any(mark in "\u202d\u202e" or (mark in "\u202b\u2067" and not leftward) for mark in open_marks)
        if turned and text[max(event.end(), start) : until].strip():
            return True
    return False
