"""Words that stand beside each other on one line of type, and which of their figures are raised or lowered."""

import re
from dataclasses import dataclass
from itertools import groupby

from ralph_cli.documents.pdf.geometry.word import LEVEL, LOWERED, RAISED, Word
from ralph_cli.documents.structure.grids import INTERVAL

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_DIGIT = re.compile(r"\d")
_SIGN = r"[$\u20ac\u00a3\u00a5]"
_ONLY_SIGN = re.compile(_SIGN)
_AMOUNT = rf"[-+\u2212]?(?:US|C|A|HK)?{_SIGN}?\s*\(?[-+\u2212]?\d[\d,.\u2019' ]*[)%xX\u2030]*(?:\s?[%)])*(?:\s{_SIGN})?"
_NIL = rf"{_SIGN}?\s*\(?[-\u2010-\u2015\u2212]+\)?%?"
_FIGURE = re.compile(rf"(?:\(?{_AMOUNT}\**|{_NIL}|{INTERVAL}|N/?[AM]|n/?[am]|NM|\*+)$")
_LONGEST_FIGURE = 32
_PROSE_WORDS, _PROSE_SHARE = 4, 0.7
# Words nearer than this share of the type's height go on a fragment.
_WORD_SPACE = 0.7

_SMALL = 0.9
_CLOSING = ")]%.,:;*\"'\u2019\u201d"
_FRACTION = re.compile(r"\d+[/\u2044\u2215]\d+$")


@dataclass(eq=False, slots=True)
class Fragment:
    """Words that follow each other in the file and stand beside each other on one line; grows while it is read.

    `order` is its place in the file, `text` what the file has from its first word to its last. `is_uneven`: its words
    differ in height and baseline. `is_spaced`: one character parts each word from the next. `initials` counts the words
    that begin with a letter. `is_prose`: a piece of a paragraph, not a cell. `is_figure`: a cell that holds one
    amount, or says that there is none. `has_letters`: it says something in words.
    """

    words: list[Word]
    left: float
    right: float
    baseline: float
    height: float
    order: int
    is_right_to_left: bool
    is_uneven: bool = False
    is_spaced: bool = True
    text: str = ""
    initials: int = 0
    is_prose: bool = False
    is_figure: bool = False
    has_letters: bool = False


def read_fragments(words: list[Word], text: str) -> list[Fragment]:
    """The words of a page, in the order of the file, as fragments."""
    fragments: list[Fragment] = []
    fragment: Fragment | None = None
    low, high = min((word.start for word in words), default=0), max((word.end for word in words), default=0)
    has_right_to_left = _RIGHT_TO_LEFT.search(text, low, high) is not None
    previous_end = 0
    for word in words:
        is_right_to_left = has_right_to_left and _RIGHT_TO_LEFT.match(text, word.start) is not None
        goes_on = fragment is not None and _goes_on(fragment, word, is_right_to_left, text[previous_end : word.start])
        if fragment is not None and goes_on and not _begins_amount(word, fragments, text):
            _append(fragment, word)
            fragment.is_right_to_left |= is_right_to_left
        else:
            place = word.left, word.right, word.baseline, word.height
            fragment = Fragment([word], *place, len(fragments), is_right_to_left)
            fragments.append(fragment)
        previous_end = word.end
    for fragment in fragments:
        _describe(fragment, text)
    return fragments


def _describe(fragment: Fragment, source: str) -> None:
    """Say what the fragment is, now that all of its words are known."""
    words = fragment.words
    text = level = source[words[0].start : words[-1].end]
    if fragment.is_right_to_left:
        words = fragment.words = _in_reading_order(words, source)
        fragment.is_spaced = False
        text = level = " ".join(source[word.start : word.end] for word in words)
    if fragment.is_uneven:
        _shift_figures(words, source)
        level = " ".join(source[word.start : word.end] for word in words if word.shift == LEVEL)
    count = len(words)
    fragment.text = text
    fragment.initials = sum([source[word.start].isalpha() for word in words])
    fragment.is_prose = count >= _PROSE_WORDS and fragment.initials >= _PROSE_SHARE * count
    fragment.is_figure = 0 < len(level) <= _LONGEST_FIGURE and level[-1] not in ".," and bool(_FIGURE.match(level))
    fragment.has_letters = not fragment.is_figure and (fragment.initials > 0 or any(map(str.isalpha, text)))


def _in_reading_order(words: list[Word], source: str) -> list[Word]:
    """The words of a line that runs to the left; pdfium turns those that run from left to right within it, too."""

    def runs_right(word: Word) -> bool:
        return source[word.start].isalpha() and not _RIGHT_TO_LEFT.match(source, word.start)

    ordered: list[Word] = []
    for is_run, group in groupby(words, runs_right):
        run = list(group)
        ordered += sorted(run, key=lambda word: word.left) if is_run else run
    return ordered


def _goes_on(fragment: Fragment, word: Word, is_right_to_left: bool, between: str) -> bool:
    """Whether the word stands beside the fragment: on its baseline, or as small type a little above or below it."""
    larger = word.height if word.height > fragment.height else fragment.height
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
    if distance >= 0.25 * word.height:
        is_small = min(word.height, fragment.height) < _SMALL * larger
        if not is_small or distance >= 0.6 * larger:
            return False
    room = _WORD_SPACE * larger
    return -room < ahead < room or (leftward and -room < behind < room)


def _begins_amount(word: Word, fragments: list[Fragment], text: str) -> bool:
    """Whether a currency's sign behind a figure is that of the next one: the figure has the same sign before it."""
    sign = text[word.start : word.end]
    if not _ONLY_SIGN.fullmatch(sign) or len(fragments) < 2:
        return False
    *_, before, figure = fragments
    is_signed = [text[it.start : it.end] for it in before.words] == [sign]
    return is_signed and abs(before.baseline - figure.baseline) < 0.25 * word.height


def _append(fragment: Fragment, word: Word) -> None:
    last = fragment.words[-1]
    if abs(word.baseline - last.baseline) > 0.04 * last.height and abs(word.height - last.height) > 0.1 * last.height:
        fragment.is_uneven = True
    if word.start != last.end + 1:
        fragment.is_spaced = False
    if word.height > fragment.height:
        fragment.baseline, fragment.height = word.baseline, word.height
    fragment.words.append(word)
    if word.left < fragment.left:
        fragment.left = word.left
    if word.right > fragment.right:
        fragment.right = word.right


def _shift_figures(words: list[Word], text: str) -> None:
    """Say of the small figures whether they are raised or lowered against what they stand at."""
    for number, word in enumerate(words):
        if _DIGIT.search(text, word.start, word.end):
            level = [other for other in words[:number] if other.shift == LEVEL][-1:]
            beside = [other for other in level + words[number + 1 : number + 2] if _is_base(other, text)]
            shifts = [_shift_against(other, word) for other in beside]
            word.shift = next((shift for shift in shifts if shift != LEVEL), LEVEL)
    for number, word in enumerate(words):
        if word.shift == RAISED and (end := _fraction_end(words, number, text)):
            word.shift = LEVEL
            word.is_glued &= not text[words[number - 1].end - 1].isdecimal()
            for part in words[number + 1 : end]:
                part.shift, part.is_glued = LEVEL, True


def shift_beside(left: Fragment, right: Fragment, source: str) -> None:
    """Raise or lower the figures of two fragments of a row that touch, though they stand apart in the file."""
    larger, smaller = max(left.height, right.height), min(left.height, right.height)
    if smaller < _SMALL * larger and right.left - left.right < _WORD_SPACE * larger:
        words = [*left.words, *right.words]
        _shift_figures(words, source)
        if any(word.shift != LEVEL for word in words):
            left.is_uneven = right.is_uneven = True


def _is_base(word: Word, text: str) -> bool:
    """Whether figures may be raised at it; a sign such as a root has a baseline of its own."""
    return any(character.isalnum() or character in _CLOSING for character in text[word.start : word.end])


def _shift_against(beside: Word, word: Word) -> int:
    rise = (word.baseline - beside.baseline) / beside.height
    if word.height >= _SMALL * beside.height:
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
