"""Searches a text for quotes: folded, across hyphens at line ends, and by letters and digits alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ralph_cli.core.structure import Span
from ralph_cli.text.boundary import is_word_character, on_boundaries
from ralph_cli.text.fold import FoldedText, fold, without_hyphens
from ralph_cli.text.lexicon import any_of
from ralph_cli.text.quantities.currencies import CODES, SIGNS
from ralph_cli.text.scan import find_places
from ralph_cli.text.signature import (
    MIN_KEY,
    MIN_LINE_KEY,
    LetterIndex,
    fills_line,
    has_same_meaning,
    include_edge_signs,
    include_outer_signs,
    letter_key,
)

_CURRENCY = f"\u00a2\u20a0-\u20cf{SIGNS}"
_MINUS = "\\-\u2010-\u2013\u2212"
_CODES = rf"{any_of(CODES)}|Rs\."
_NUMBER = r"\d[\d.,']*(?<![.,'])"
_FIGURE = re.compile(
    f"(?:(?:(?<![A-Z])[A-Z]{{1,3}})?[{_CURRENCY}] {{0,3}}(?=\\())?(?P<open>\\()?"
    r"(?:[~<>\u00b1\u2248\u2264\u2265](?=\S))?"
    f"(?P<sign>(?:[+{_MINUS}]|\u2212 )(?=[{_CURRENCY}\\d.A-Z]))?"
    f"(?:(?:\\b(?:{_CODES}) ?)(?=[{_CURRENCY}{_MINUS}\\d])|(?:(?<![A-Z])[A-Z]{{1,3}})?[{_CURRENCY}] {{0,3}})?"
    f"[+{_MINUS}]?"
    # Groups of three digits with plain spaces between them are cells of a table unless a word follows.
    rf"(?:\d{{1,3}}(?: \d{{3}})+(?= [^\W\d_])|(?:\d+ (?=\d+/\d))?{_NUMBER}(?:[/:]{_NUMBER})*)"
    f"(?: ?[%\u2030]| ?(?:{_CODES})\\b| ?[\u20ac\u00a3](?! ?\\d))?"
    r"(?P<scale> ?(?:thousand|million|billion|trillion|bn|mn|m|k)\b(?=\)))?(?P<close>\))?"
)
# The most characters of a figure or a compound on each side of an offset.
_REACH = 48

_FIGURE_SIGNS = re.compile(f"[\\d()+~<>%\u2030\u00b1\u2248\u2264\u2265{_CURRENCY}{_MINUS}]")
_HYPHENS = "-\u2010\u2011"
_DASHES = "-\u2010-\u2013"


def widen_to_whole(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the interval, widened to the whole words and figures at its edges.

    A figure includes its sign, currency and percent sign, the brackets of a negative number, and the other side of a
    fraction, ratio or range. A word includes the other parts of a hyphenated word. A quote that begins with the 5 of
    "-5%" is widened to "-5%", so that no figure loses its sign.
    """
    for _ in range(3):  # "1,000-2,000" is two figures in one compound
        before = start, end
        start, end = _widen_compound(text, start, end)
        for at in (start, end - 1):
            if start < end and _FIGURE_SIGNS.match(text[at]):
                first, last = _figure_at(text, at)
                start, end = min(start, first), max(end, last)
        if (start, end) == before:
            break
    return start, end


def _figure_at(text: str, at: int) -> tuple[int, int]:
    """Return the interval of the figure that contains the character at `at`; without one, that of the character."""
    for match in _FIGURE.finditer(text, max(0, at - _REACH), at + _REACH):
        first, last = match.span()
        if not first <= at < last:
            continue
        # Only a pair of brackets around the figure is a sign; a hyphen after a word or number is not.
        if match["open"] and not match["close"]:
            first = match.end("open")
        if match["close"] and not match["open"]:
            last -= 1
        if match["scale"] and not (match["open"] and match["close"]):
            last = match.start("scale")
        if match["sign"] and not match["open"] and first > 0 and is_word_character(text[first - 1]):
            first = match.end("sign")
        return min(first, at), max(last, at + 1)
    return at, at + 1


def _widen_compound(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the interval with the rest of a hyphenated word, or of a range of numbers, at its edges."""
    if not 0 <= start < end <= len(text):
        return start, end
    first, last = start, end
    if first > 0 and (_is_link(text, first) or _is_link(text, first - 1)):
        while (
            first > 0 and start - first < _REACH and (is_word_character(text[first - 1]) or _is_link(text, first - 1))
        ):
            first -= 1
    if last < len(text) and (_is_link(text, last) or _is_link(text, last - 1)):
        while last < len(text) and last - end < _REACH and (is_word_character(text[last]) or _is_link(text, last)):
            last += 1
    return start if start - first >= _REACH else first, end if last - end >= _REACH else last


def _is_link(text: str, at: int) -> bool:
    """Whether the character at `at` is a hyphen between two words or digits, or a dash between two digits."""
    if text[at] not in _DASHES or not 0 < at < len(text) - 1:
        return False
    left, right = text[at - 1], text[at + 1]
    if text[at] in _HYPHENS:
        return is_word_character(left) and is_word_character(right)
    return left.isdecimal() and right.isdecimal()


# The most candidates that the last tier examines.
MAX_LOOSE_PLACES = 50

_LINE_END_HYPHEN = re.compile("(?<=\\w)[-\u2010\u00ad][ \t\r]*[\n\f]\\s*(?=\\w)")
# Like `scan.MAX_COMPARED`, but lower, because reading across line ends costs more.
_MAX_HYPHENATED = 100_000


@dataclass(eq=False)
class SearchText:
    """A text to search, with keys created on first use; `base` maps offsets back to the document's own text."""

    base: FoldedText
    original: str

    @cached_property
    def folded(self) -> FoldedText:
        return fold(self.base.text)

    @cached_property
    def _key(self) -> FoldedText:
        return without_hyphens(self.folded)

    @cached_property
    def _letters(self) -> LetterIndex:
        return LetterIndex(self.folded.text)

    def find_folded(self, wanted: str) -> Iterator[Span]:
        """Yield the spans whose folded text is `wanted`."""

        def look(at: int) -> Span | None:
            start, end = self.folded.original_span(at, at + len(wanted))
            # A ligature cannot be split, and a whole one is more text than the quote has.
            return self._span(start, end) if fold(self.base.text[start:end]).text == wanted else None

        return find_places(self.folded.text, wanted, look)

    def find_hyphenated(self, wanted: str) -> Iterator[Span]:
        """Yield the spans that differ from the quote only by hyphens at line ends."""
        key = without_hyphens(FoldedText(wanted)).text

        def look(at: int) -> Span | None:
            start, end = self._key.original_span(at, at + len(key))
            return self._span(start, end) if _reads_as(self.base.text[start:end], wanted) else None

        return find_places(self._key.text, key, look, _MAX_HYPHENATED)

    def find_loose(self, wanted: str) -> Iterator[Span]:
        """Yield the spans with the same letters and digits, if no difference changes a number."""
        key = letter_key(wanted)
        if len(key) < MIN_LINE_KEY or key.isdecimal():
            return
        for first, last in self._letters.find(key, MAX_LOOSE_PLACES):
            # A few letters and digits occur anywhere by chance, but seldom as a whole line.
            start, end = self.folded.original_span(first, last)
            if len(key) < MIN_KEY and not fills_line(self.base.text, start, end):
                continue
            start, end = include_edge_signs(wanted, self.base.text, start, end)
            if not on_boundaries(self.base.text, start, end):
                continue  # part of a number is a different number, which widening would conceal
            first, last = widen_to_whole(self.base.text, start, end)
            start, end = include_outer_signs(self.base.text, start, end, first, last)
            span = self._span(first, last) if has_same_meaning(wanted, fold(self.base.text[start:end]).text) else None
            if span is not None:
                yield span

    def _span(self, start: int, end: int) -> Span | None:
        start, end = self.base.original_span(start, end)
        return Span(start, end) if on_boundaries(self.original, start, end) else None


def _reads_as(text: str, wanted: str) -> bool:
    """Whether `wanted` equals the text with each hyphen at a line end either kept or, between letters, removed."""
    pattern: list[str] = []
    last = 0
    for match in _LINE_END_HYPHEN.finditer(text):
        pattern.append(re.escape(fold(text[last : match.start()]).text))
        letters = text[match.start() - 1].isalpha() and text[match.end()].isalpha()
        pattern.append("(?:- ?)?" if letters else "- ?")
        last = match.end()
    pattern.append(re.escape(fold(text[last:]).text))
    return re.fullmatch("".join(pattern), wanted) is not None
