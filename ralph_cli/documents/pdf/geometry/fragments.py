"""Words that stand beside each other on one line of type, and which of their figures are raised or lowered."""

import re
from dataclasses import dataclass
from functools import cached_property

from ralph_cli.documents.pdf.geometry.words import LEVEL, LOWERED, RAISED, Word

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIGIT = re.compile(r"\d")
_AMOUNT = r"[-+\u2212]?(?:US|C|A|HK)?[$\u20ac\u00a3\u00a5]?\s*\(?[-+\u2212]?\d[\d,.\u2019' ]*[)%xX\u2030]*(?:\s?[%)])*"
_NIL = r"[$\u20ac\u00a3\u00a5]?\s*\(?[-\u2010-\u2015\u2212]+\)?%?"
_FIGURE = re.compile(rf"(?:\(?{_AMOUNT}|{_NIL}|N/?[AM]|n/?[am]|NM|\*+)$")
_LONGEST_FIGURE = 32
_PROSE_WORDS, _PROSE_SHARE = 4, 0.7
_WORD_SPACE = 0.7
"""Words nearer than this share of the type's height go on a fragment."""

_SMALL = 0.9
_FRACTION = re.compile(r"\d+[/\u2044\u2215]\d+$")


@dataclass(eq=False)
class Fragment:
    """Words that follow each other in the file and stand beside each other on one line; grows while it is read.

    `order` is its place in the file, `text` what the file has from its first word to its last.
    """

    words: list[Word]
    left: float
    right: float
    baseline: float
    height: float
    order: int
    is_right_to_left: bool
    source: str
    is_uneven: bool = False

    @cached_property
    def text(self) -> str:
        """Its characters as pdfium gives them."""
        return self.source[self.words[0].start : self.words[-1].end]

    @cached_property
    def initials(self) -> int:
        """How many of its words begin with a letter."""
        return sum(self.source[word.start].isalpha() for word in self.words)

    @cached_property
    def is_prose(self) -> bool:
        """At least four words, most of which begin with a letter: a piece of a paragraph, not a cell."""
        count = len(self.words)
        return count >= _PROSE_WORDS and self.initials >= _PROSE_SHARE * count

    @cached_property
    def is_figure(self) -> bool:
        """Whether it is a cell of a table that holds one amount, or says that there is none."""
        if len(self.words) > 8 or self.words[-1].end - self.words[0].start > _LONGEST_FIGURE:
            return False
        text = self.text
        if self.is_uneven:
            level = [word for word in self.words if word.shift == LEVEL]
            text = " ".join(self.source[word.start : word.end] for word in level)
        return bool(text) and text[-1] not in ".," and _FIGURE.match(text) is not None

    @cached_property
    def has_letters(self) -> bool:
        """Whether it says something in words."""
        return not self.is_figure and any(character.isalpha() for character in self.text)


def read_fragments(words: list[Word], text: str) -> list[Fragment]:
    """The words of a page, in the order of the file, as fragments."""
    fragments: list[Fragment] = []
    previous_end = 0
    for word in words:
        is_right_to_left = _RIGHT_TO_LEFT.match(text, word.start) is not None
        fragment = fragments[-1] if fragments else None
        if fragment is not None and _goes_on(fragment, word, is_right_to_left, text[previous_end : word.start]):
            _append(fragment, word)
            fragment.is_right_to_left |= is_right_to_left
        else:
            place = word.left, word.right, word.baseline, word.height
            fragments.append(Fragment([word], *place, len(fragments), is_right_to_left, text))
        previous_end = word.end
    for fragment in fragments:
        if fragment.is_uneven:
            _shift_figures(fragment.words, text)
    return fragments


def _goes_on(fragment: Fragment, word: Word, is_right_to_left: bool, between: str) -> bool:
    """Whether the word stands beside the fragment: on its baseline, or as small type a little above or below it."""
    larger = max(word.height, fragment.height)
    distance = abs(word.baseline - fragment.baseline)
    if word.is_glued:
        return distance < 0.8 * larger
    ahead, behind = word.left - fragment.right, fragment.left - word.right
    leftward = is_right_to_left or fragment.is_right_to_left
    if "\n" in between:  # pdfium breaks the line at raised figures: what touches belongs together
        last = fragment.words[-1]
        is_shifted = 0.1 * larger < abs(word.baseline - last.baseline) < 0.6 * larger
        is_small = min(word.height, last.height) < _SMALL * larger
        return is_shifted and is_small and abs(behind if leftward else ahead) < 0.15 * larger
    is_small = min(word.height, fragment.height) < _SMALL * larger
    if distance >= 0.25 * word.height and not (is_small and distance < 0.6 * larger):
        return False
    room = _WORD_SPACE * larger
    return -room < ahead < room or (leftward and -room < behind < room)


def _append(fragment: Fragment, word: Word) -> None:
    last = fragment.words[-1]
    if abs(word.baseline - last.baseline) > 0.04 * last.height and abs(word.height - last.height) > 0.1 * last.height:
        fragment.is_uneven = True
    if word.height > fragment.height:
        fragment.baseline, fragment.height = word.baseline, word.height
    fragment.words.append(word)
    fragment.left, fragment.right = min(fragment.left, word.left), max(fragment.right, word.right)


def _shift_figures(words: list[Word], text: str) -> None:
    """Say of the small figures whether they are raised or lowered against what they stand at."""
    for number, word in enumerate(words):
        if _DIGIT.search(text, word.start, word.end):
            level = next((other for other in reversed(words[:number]) if other.shift == LEVEL), None)
            beside = [level, *words[number + 1 : number + 2]]
            shifts = [_shift_against(other, word) for other in beside if other is not None]
            word.shift = next((shift for shift in shifts if shift != LEVEL), LEVEL)
    for number, word in enumerate(words):
        if word.shift == RAISED and (end := _fraction_end(words, number, text)):
            word.shift = LEVEL
            word.is_glued &= not text[words[number - 1].end - 1].isdecimal()
            for part in words[number + 1 : end]:
                part.shift, part.is_glued = LEVEL, True


def _shift_against(beside: Word, word: Word) -> int:
    rise = (word.baseline - beside.baseline) / beside.height
    gap = max(word.left - beside.right, beside.left - word.right)
    if word.height >= _SMALL * beside.height or gap > _WORD_SPACE * beside.height:
        return LEVEL
    if 0.12 < rise < 0.8:
        return RAISED
    return LOWERED if -0.5 < rise < -0.04 else LEVEL


def _fraction_end(words: list[Word], number: int, text: str) -> int:
    """Behind which word a fraction ends that the raised figure begins, as in "1/2"; 0 if it is none."""
    height = words[number].height
    fraction = ""
    for end, part in enumerate(words[number : number + 3], number + 1):
        fraction += text[part.start : part.end]
        is_below = part.shift == LOWERED or part.height < 1.1 * height
        if is_below and _FRACTION.match(fraction):
            return end
    return 0
