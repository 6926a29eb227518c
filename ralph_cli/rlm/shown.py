"""Finds the parts of a document in a text that a model was shown: printed output, or the text of a sub-query.

The method is seed and extend, as in sequence alignment (Altschul et al. 1990, BLAST). Short blocks of the document are
indexed once. A block found in the text is extended, character by character, as far as both texts agree. So added lines,
cut marks, prefixes and escapes between two pieces do no harm.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ralph_cli.core.coverage import Spans, count_covered, merge_spans
from ralph_cli.core.document import Document

BLOCK_CHARS = 16  # characters of an indexed block

MIN_PIECE_CHARS = 24  # minimum characters of a piece; shorter pieces may agree by chance

CERTAIN_PIECE_CHARS = 60  # minimum characters of a piece that counts at any distance from the last one

PASSAGE_CHARS = 200  # minimum characters of a passage; a shorter text is treated as a line

BLOCK_STRIDE = 8  # distance between blocks; a piece of BLOCK + STRIDE - 1 characters contains a whole block

MOST_BY_CHANCE = 4  # characters after a piece that may agree with a wrong position by chance

MAX_BLOCKS = 1_000_000  # maximum number of indexed blocks; in a longer text they are further apart

MAX_BLOCK_PLACES = 64  # blocks with more positions are ignored: dots, dashes, blanks, running heads

# A position within this many characters of a printed offset, or of the last piece, is preferred.
NEAR_HINT_CHARS = 20_000

_OFFSET = re.compile(r"^(?:--- )?(?:place \d+, )?page \d+\b[^\n]{0,80}?, offset (\d+)(?::[ ]([^\n]*))?", re.MULTILINE)
_ABOVE = re.compile(r"  \(above: [^\n]*\)$")
# Notes of `find` and `headings` about a page or part. They are removed: a note of `find` would match the document
# and use up the offset before it, and the part that `headings` names was not read.
_TOP = re.compile(r" \[(?:in|(?:page )?begins): [^\n]*\]$", re.MULTILINE)

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words that start at `first` in the shown text and occupy [start, end) in the document."""

    first: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


class _BlockIndex:
    """The positions of each indexed block of a document, as chains of block numbers with the same hash.

    Two arrays keep a million blocks small: the last block of each chain, and the previous block of each block; 0 means
    none. A full chain accepts no more blocks, so repetitive text makes no long chains.
    """

    def __init__(self, text: str, stride: int) -> None:
        self._text, self._stride = text, stride
        count = max(len(text) - BLOCK_CHARS, 0) // stride + 1
        self._mask = mask = (1 << count.bit_length()) - 1
        self._last = last = array("i", bytes(4 * (mask + 1)))
        self._before = before = array("i", bytes(4 * (count + 1)))
        lengths = bytearray(mask + 1)
        for number, at in enumerate(range(0, len(text) - BLOCK_CHARS + 1, stride), 1):
            chain = hash(text[at : at + BLOCK_CHARS]) & mask
            if lengths[chain] <= MAX_BLOCK_PLACES:
                lengths[chain] += 1
                before[number] = last[chain]
                last[chain] = number

    def first_known(self, shown: str, at: int) -> int:
        """Return the position of the first indexed block in `shown`, searching from `at`.

        If there is no such block, the result is too near the end of `shown` for a block to fit. Blocks that begin with
        space are skipped, because the space before a line differs at the top of a page.
        """
        last, mask, end = self._last, self._mask, len(shown) - BLOCK_CHARS
        while at <= end:
            block = shown[at : at + BLOCK_CHARS]
            if last[hash(block) & mask] and not block[0].isspace() and self.places(block):
                break
            at += 1
        return at

    def places(self, block: str) -> list[int]:
        """Return the positions of a block, last position first; at most `MAX_BLOCK_PLACES` + 1."""
        found = []
        number = self._last[hash(block) & self._mask]
        while number:
            place = (number - 1) * self._stride
            if self._text.startswith(block, place):
                found.append(place)
            number = self._before[number]
        return found


class ShownTextFinder:
    """Finds the pieces of one document in texts. The index is built on first use."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stride = max(BLOCK_STRIDE, len(text) // MAX_BLOCKS)

    def find_spans(self, shown: str, known: Spans = ()) -> Spans:
        """Return the spans of the document that are in `shown`. Words with several positions count for one of them.

        The chosen position is at, or nearest to, an offset printed above the words, or the previous piece. Without such
        a hint, a passage counts for its first position outside `known`, and a line is ignored. This way, only text that
        was read is reported as read.
        """
        shown = _TOP.sub("", shown)
        if len(shown) >= MIN_PIECE_CHARS and (whole := self._text.find(shown)) >= 0:
            if self._text.find(shown, whole + 1) < 0:
                return ((whole, whole + len(shown)),)
            if len(shown) >= PASSAGE_CHARS:
                return (self._first_unknown_place(shown, whole, known),)
        return merge_spans(self._find_pieces(shown), self._find_listed_lines(shown))

    def _first_unknown_place(self, passage: str, first: int, known: Spans) -> tuple[int, int]:
        """Return the first span of a passage that is not entirely in `known`; otherwise the span at `first`."""
        size, place = len(passage), first
        for _ in range(MAX_BLOCK_PLACES):
            if place < 0:
                break
            if count_covered(known, place, place + size) < size:
                return place, place + size
            place = self._text.find(passage, place + 1)
        return first, first + size

    @cached_property
    def _block_index(self) -> "_BlockIndex":
        return _BlockIndex(self._text, self._stride)

    def _find_pieces(self, shown: str) -> Iterator[tuple[int, int]]:
        hints = [(match.end(), int(match[1])) for match in _OFFSET.finditer(shown)]
        at, floor, last = 0, 0, -1
        while (at := self._block_index.first_known(shown, at)) + BLOCK_CHARS <= len(shown):
            found = self._longest_pieces(shown, at, self._candidates(shown, at), floor)
            if not found:
                at += 1
                continue
            hint = bisect_right(hints, (at, len(self._text))) - 1
            near = hints[hint][1] if hint >= 0 and hints[hint][0] > floor else last
            best = min(found, key=lambda piece: abs(piece.start - near))
            is_near = near >= 0 and abs(best.start - near) <= NEAR_HINT_CHARS
            longest = [piece for piece in found if piece.size == max(other.size for other in found)]
            if not is_near:
                best = min(longest, key=lambda piece: abs(piece.start - near))
            at = floor = best.first + best.size
            # Some words agree with a distant page by chance if a passage is printed with collapsed spaces.
            if is_near or (len(longest) == 1 and (near < 0 or best.size >= CERTAIN_PIECE_CHARS)):
                last = best.end
                yield best.start, best.end

    def _candidates(self, shown: str, at: int) -> set[int]:
        """Return every possible position of the words at `at`, found through their indexed blocks.

        The result is empty if one of the blocks has more than `MAX_BLOCK_PLACES` positions.
        """
        index = self._block_index
        found: set[int] = set()
        for step in range(self._stride):
            places = index.places(shown[at + step : at + step + BLOCK_CHARS])
            if len(places) > MAX_BLOCK_PLACES:
                return set()
            found.update(place - step for place in places if place >= step)
        return found

    def _longest_pieces(self, shown: str, at: int, places: Iterable[int], floor: int) -> list[_Piece]:
        """Return the longest pieces around `at`, at most one per position; empty if they are too short to count.

        Pieces up to `MOST_BY_CHANCE` characters shorter count, too, because the text after a piece may agree with a
        wrong position by chance.
        """
        least = max(MIN_PIECE_CHARS, BLOCK_CHARS + self._stride)
        extents = [(place, *self._matching_extent(shown, at, place, floor)) for place in places]
        longest = max((back + ahead for _, back, ahead in extents), default=0)
        least = max(least, longest - MOST_BY_CHANCE)
        return [
            _Piece(at - back, place - back, place + ahead) for place, back, ahead in extents if back + ahead >= least
        ]

    def _matching_extent(self, shown: str, at: int, place: int, floor: int) -> tuple[int, int]:
        """Return how many characters agree before the two offsets, and how many from them on."""
        text = self._text
        back = 0
        while at - back > floor and place > back and shown[at - back - 1] == text[place - back - 1]:
            back += 1
        return back, _common_prefix_length(shown, at, text, place)

    def _find_listed_lines(self, shown: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of the lines that `find` lists with their offset and with collapsed spaces."""
        for match in _OFFSET.finditer(shown):
            start, words = int(match[1]), _ABOVE.sub("", match[2] or "").strip()
            if words and start < len(self._text):
                end = self._end_of_words(start, words)
                if end:
                    yield start, end

    def _end_of_words(self, start: int, words: str) -> int:
        """Return where `words` end if they begin at `start`, ignoring spaces; 0 if the text there has other words."""
        at = start
        for word in words.split(" "):
            blank = _SPACE.match(self._text, at)
            at = blank.end() if blank else at
            if not self._text.startswith(word, at):
                return 0
            at += len(word)
        return at


def find_in(document: Document) -> ShownTextFinder:
    """Return the finder of a document, for `Document.derive`. Runs on the same document share its index."""
    return ShownTextFinder(document.text)


def _common_prefix_length(left: str, left_start: int, right: str, right_start: int) -> int:
    """Return how many characters agree from these offsets on.

    The comparison uses strides that double, because slices are long.
    """
    most = min(len(left) - left_start, len(right) - right_start)
    done, stride = 0, 64
    while done < most:
        stride = min(stride, most - done)
        at, other_at = left_start + done, right_start + done
        if left[at : at + stride] == right[other_at : other_at + stride]:
            done, stride = done + stride, stride * 2
        elif stride == 1:
            break
        else:
            stride = max(stride // 4, 1)
    return done
