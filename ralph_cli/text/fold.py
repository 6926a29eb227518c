"""The folded copy of a text, in which quotes are searched, with a map back to the text's own offsets.

Folding removes what printing and copying change without changing the meaning: runs of white space, typographic quotes,
primes and dashes, ligatures, soft hyphens, zero-width characters, decomposed accents, marks of empty cells, and the
raising or lowering of figures that touch no number. Digits, signs, decimal points, percent, currency, case and words
are never changed, and NFKC is not used: 10² stays 10².
"""

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from ralph_cli.core.structure import EMPTY_CELL
from ralph_cli.text.raised import LOWERED, RAISED, readable_figures

# Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark.
ZERO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff"

# All white space (by `str.isspace`) except the plain space.
WHITE_SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"  # noqa: E501

_VARIANTS = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u2035",
    '"': "\u201c\u201d\u201e\u201f\u2033\u2036",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": WHITE_SPACE,
}
_LIGATURES = {
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st",
}  # fmt: skip
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
_DROP_OR_EXPAND = re.compile(f"\u00ad[ \t]*(?:\r\n|[\n\f\r])[ \t]*|[{ZERO_WIDTH}{EMPTY_CELL}]+|[{''.join(_LIGATURES)}]")
_ACCENTED = re.compile(f"[^{_MARKS} ][{_MARKS}]+")
_SPACES = re.compile("  +")
_INK = re.compile(r"\S")
# Characters that are folded at a time.
BLOCK = 1 << 19

_RARE = frozenset(ZERO_WIDTH) | frozenset(EMPTY_CELL) | frozenset(_LIGATURES)
_SHIFTED = frozenset(RAISED + LOWERED)
_MARK = re.compile(f"[{_MARKS}]")
_HYPHEN = re.compile(r"(?<=\w)- ?(?=\w)")


@dataclass(frozen=True, slots=True)
class _Layer:
    """The length changes of one pass: edit k turned source[begins[k]:ends[k]] into result[starts[k]:stops[k]]."""

    starts: "array[int]" = field(default_factory=partial(array, "q"))
    stops: "array[int]" = field(default_factory=partial(array, "q"))
    begins: "array[int]" = field(default_factory=partial(array, "q"))
    ends: "array[int]" = field(default_factory=partial(array, "q"))

    def replace(self, part: str, edits: Iterable[tuple[int, int, str]], at: int = 0) -> str:
        """Return a part of the source, which begins at `at`, with the given intervals replaced, in order."""
        pieces: list[str] = []
        last, moved = 0, self.stops[-1] - self.ends[-1] if self.ends else 0
        for begin, end, replacement in edits:
            pieces += part[last:begin], replacement
            self.begins.append(at + begin)
            self.starts.append(at + begin + moved)
            moved += len(replacement) - (end - begin)
            self.ends.append(at + end)
            self.stops.append(at + end + moved)
            last = end
        return "".join((*pieces, part[last:])) if pieces else part

    def begin(self, offset: int) -> int:
        """Return the source offset at which the result's character `offset` begins."""
        edit = bisect_right(self.starts, offset) - 1
        if edit < 0:
            return offset
        if offset < self.stops[edit]:
            return self.begins[edit]
        return self.ends[edit] + offset - self.stops[edit]

    def end(self, offset: int) -> int:
        """Return the source offset at which the result's character before `offset` ends."""
        edit = bisect_right(self.starts, offset - 1) - 1
        if edit < 0:
            return offset
        if offset <= self.stops[edit]:
            return self.ends[edit] if offset > self.starts[edit] else self.begins[edit]
        return self.ends[edit] + offset - self.stops[edit]


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text; `original_span` maps back to the original.

    The passes store only the positions that they changed, not one number per character.
    """

    text: str
    layers: tuple[_Layer, ...] = ()

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open interval of the original text that the non-empty interval [start, end) was folded from.

        It does not include removed characters at its edges.
        """
        for layer in reversed(self.layers):
            start, end = layer.begin(start), layer.end(end)
        return start, end


def fold(text: str) -> FoldedText:
    """Fold a text for matching; `fold(fold(x).text).text == fold(x).text`."""
    layers: list[_Layer] = []
    if not text.isascii():
        present = set(text)
        if not present.isdisjoint(_RARE):
            text = _apply(
                text, ((m.start(), m.end(), _LIGATURES.get(m[0], "")) for m in _DROP_OR_EXPAND.finditer(text)), layers
            )
        if _MARK.search("".join(present)):
            text = _apply(text, _compositions(text), layers)
        if not present.isdisjoint(_SHIFTED):  # behind a letter with its accent, as it is behind any other
            text = _apply(text, readable_figures(text), layers)
    spaces, parts = _Layer(), []
    for start, end in _blocks(text):
        part = text[start:end]
        for plain, variants in _VARIANTS.items():
            for variant in variants:
                part = part.replace(variant, plain)
        parts.append(spaces.replace(part, ((m.start(), m.end(), " ") for m in _SPACES.finditer(part)), start))
    folded = "".join(parts) if len(parts) != 1 else parts[0]
    return FoldedText(folded, (*layers, spaces) if spaces.starts else tuple(layers))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of parts of a text, none within white space, so that the text is never copied as
    a whole.
    """
    start = 0
    while start < len(text):
        last = _INK.search(text, start + BLOCK - 1)
        end = last.end() if last else len(text)
        yield start, end
        start = end


def replace_spans(text: str, edits: Iterable[tuple[int, int, str]]) -> FoldedText:
    """Return the text with the given intervals replaced, in order; `FoldedText.original_span` maps back."""
    layers: list[_Layer] = []
    return FoldedText(_apply(text, edits, layers), tuple(layers))


def without_hyphens(folded: FoldedText) -> FoldedText:
    """Return a second key without hyphens inside words, to find words divided at a line end.

    It also lacks hyphens that belong there, so each match must be compared with the text again.
    """
    layers = list(folded.layers)
    text = _apply(folded.text, ((m.start(), m.end(), "") for m in _HYPHEN.finditer(folded.text)), layers)
    return FoldedText(text, tuple(layers))


def _compositions(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _ACCENTED.finditer(text):
        composed = unicodedata.normalize("NFC", match[0])
        if composed != match[0]:
            yield match.start(), match.end(), composed


def _apply(text: str, edits: Iterable[tuple[int, int, str]], layers: list[_Layer]) -> str:
    """Replace the given intervals, in order, and record them as a new layer."""
    layer = _Layer()
    result = layer.replace(text, edits)
    if layer.starts:
        layers.append(layer)
    return result
