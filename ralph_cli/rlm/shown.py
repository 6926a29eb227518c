"""Which parts of a document are in a text that a model was shown: printed output, or the text of a sub-query.

A text is taken apart by seeds and extension, as similar sequences are found (Altschul et al. 1990, BLAST): short blocks
of the document are indexed once; a block that is in the text is widened, character for character, to all that
agrees. So lines of ours, cut marks, prefixes and escapes between two pieces do no harm.
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

MIN_PIECE_CHARS = 24  # characters of a piece that counts; fewer agree by chance

CERTAIN_PIECE_CHARS = 60  # characters of a piece that counts at any place

PASSAGE_CHARS = 200  # characters of a slice that is no mere line

BLOCK_STRIDE = 8  # distance of the blocks: a piece of BLOCK + STRIDE - 1 characters holds a whole one

MOST_BY_CHANCE = 4  # characters by which what is printed behind a piece goes on like a place that it is not of

MAX_BLOCKS = 1_000_000  # indexed blocks at most; in a longer text they are further apart

MAX_BLOCK_PLACES = 64  # blocks in more places are ignored: dots, dashes, blanks, running heads

# Characters from an offset that our functions printed, or from the last piece, within which one place is preferred.
NEAR_HINT_CHARS = 20_000

_OFFSET = re.compile(r"^(?:--- )?(?:place \d+, )?page \d+\b[^\n]{0,80}?, offset (\d+)(?::[ ]([^\n]*))?", re.MULTILINE)
_ABOVE = re.compile(r"  \(above: [^\n]*\)$")
# What `find` says of a page or a part, which would be found there and take the offset before it for itself, and
# `headings` of a part, which was not read for that.
_TOP = re.compile(r" \[(?:in|(?:page )?begins): [^\n]*\]$", re.MULTILINE)

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words at `first` of the text that was shown, which are [start, end) of the document."""

    first: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


class _BlockIndex:
    """The places of each indexed block of a document: chains of block numbers, by the hash of their characters.

    Two arrays, for a million blocks are many: the last block of each chain, and of each block the one before it; 0 is
    none. A chain that is full takes no more, so that a text which repeats itself has no long ones.
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
        """The place in `shown` of the first of these blocks from `at` on; an offset too near its end if there is none.

        The space before a line differs at the top of a page, so blocks that begin with space are skipped.
        """
        last, mask, end = self._last, self._mask, len(shown) - BLOCK_CHARS
        while at <= end:
            block = shown[at : at + BLOCK_CHARS]
            if last[hash(block) & mask] and not block[0].isspace() and self.places(block):
                break
            at += 1
        return at

    def places(self, block: str) -> list[int]:
        """The places of a block, the last one first, and at most one more than `MAX_BLOCK_PLACES`."""
        found = []
        number = self._last[hash(block) & self._mask]
        while number:
            place = (number - 1) * self._stride
            if self._text.startswith(block, place):
                found.append(place)
            number = self._before[number]
        return found


class ShownTextFinder:
    """Finds the pieces of one document in texts; the index is made at the first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stride = max(BLOCK_STRIDE, len(text) // MAX_BLOCKS)

    def find_spans(self, shown: str, known: Spans = ()) -> Spans:
        """The spans of the document that are in `shown`. Words in several places count for one of them.

        That is the one at, or nearest to, an offset that our own functions printed above, or the piece before. Where
        nothing tells, a passage counts for its first place that is not in `known`, and a line for none, so that what is
        called read was read.
        """
        shown = _TOP.sub("", shown)
        if len(shown) >= MIN_PIECE_CHARS and (whole := self._text.find(shown)) >= 0:
            if self._text.find(shown, whole + 1) < 0:
                return ((whole, whole + len(shown)),)
            if len(shown) >= PASSAGE_CHARS:
                return (self._first_unknown_place(shown, whole, known),)
        return merge_spans(self._find_pieces(shown), self._find_listed_lines(shown))

    def _first_unknown_place(self, passage: str, first: int, known: Spans) -> tuple[int, int]:
        """The first place of a passage of which not all is known; else the first."""
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
            # Some words agree with a far page by chance, where a passage is printed with its spaces made one.
            if is_near or (len(longest) == 1 and (near < 0 or best.size >= CERTAIN_PIECE_CHARS)):
                last = best.end
                yield best.start, best.end

    def _candidates(self, shown: str, at: int) -> set[int]:
        """Every possible place of the words at `at`: one of their blocks is indexed there.

        Empty if one of the blocks is everywhere.
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
        """The longest piece around `at`, at each of its places; none when it is too short to count.

        A few characters less are no other piece: what is printed behind it may by chance go on like one of the places.
        """
        least = max(MIN_PIECE_CHARS, BLOCK_CHARS + self._stride)
        extents = [(place, *self._matching_extent(shown, at, place, floor)) for place in places]
        longest = max((back + ahead for _, back, ahead in extents), default=0)
        least = max(least, longest - MOST_BY_CHANCE)
        return [
            _Piece(at - back, place - back, place + ahead) for place, back, ahead in extents if back + ahead >= least
        ]

    def _matching_extent(self, shown: str, at: int, place: int, floor: int) -> tuple[int, int]:
        """How many characters agree before and from the two offsets."""
        text = self._text
        back = 0
        while at - back > floor and place > back and shown[at - back - 1] == text[place - back - 1]:
            back += 1
        return back, _common_prefix_length(shown, at, text, place)

    def _find_listed_lines(self, shown: str) -> Iterator[tuple[int, int]]:
        """The lines that `find` lists with their offset, runs of spaces made one."""
        for match in _OFFSET.finditer(shown):
            start, words = int(match[1]), _ABOVE.sub("", match[2] or "").strip()
            if words and start < len(self._text):
                end = self._end_of_words(start, words)
                if end:
                    yield start, end

    def _end_of_words(self, start: int, words: str) -> int:
        """Where the `words` end that begin at `start`, spaces aside; 0 if other words are there."""
        at = start
        for word in words.split(" "):
            blank = _SPACE.match(self._text, at)
            at = blank.end() if blank else at
            if not self._text.startswith(word, at):
                return 0
            at += len(word)
        return at


def find_in(document: Document) -> ShownTextFinder:
    """The finder of a document, for `Document.derive`: runs that ask the same document share the index."""
    return ShownTextFinder(document.text)


def _common_prefix_length(left: str, left_start: int, right: str, right_start: int) -> int:
    """How many characters agree from these offsets on; in strides that double, for slices are long."""
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
