"""Reading a memo: what it quotes, and from which pages it says so."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

from ralph_cli.core.document import Document
from ralph_cli.core.memo import Memo, PageReference, Quotation
from ralph_cli.memo.layout import Piece, Places, is_block, pieces
from ralph_cli.memo.marks import Marked, marked
from ralph_cli.memo.pages import reference_behind, references
from ralph_cli.memo.words import is_term, plain, unprefixed, without_attribution

_MOSTLY = 0.5
"""Share of a block quotation that stands between marks from which those are the quotations, not the block."""

_BESIDE = re.compile(r"[\s.,;:!?*_\u2010-\u2015)\]\"\u201d\u2019\u00bb-]*(?:[(\[][^()\[\]]{0,120})?")
"""What may stand between a quotation and the reference that follows it at once."""

_SENTENCE_END = re.compile(
    r"[.!?][\"\u201d\u2019\u00bb)\]*_]*(?:\s+[(\[](?=[^()\[\]]*\d)[^()\[\]]{1,80}[)\]][.;*_]*)?\s+"
    r"(?=[\"\u201c\u2018\u00ab(\[*_$\u20ac\u00a3]*[A-Z0-9\u00c0-\u00d6\u00d8-\u00de])|\n\s*\n"
)
"""A full stop; behind one that stands within the marks, the reference to the page still belongs to the sentence."""

_ABBREVIATED = re.compile(
    r"(?i)\b(?:pp?|pgs?|no|nos|cl|sec|art|para|paras|ex|exh|id|cf|e\.g|i\.e|vs?|inc|ltd|co|corp|mr|mrs|ms|dr|st)\.\s+\Z"
)
_TURN = re.compile(r"(?i)\b(?:but|whereas|while|although|though|unlike|contrast|however|compare|cf)\b")
_JOINED = re.compile(r"[\s,;*_)\"\u201d\u2019-]*(?:and|or|&|as well as)?[\s,*_(]*(?:the\s+)?")
_DASHED = re.compile(r"\s*(?:>\s*)*(?:\u2014|\u2013|--?)[^\n]{0,120}")
_LEADS = re.compile(r":\s*(?:(?:[-*+>\u2022]|\(?\d{1,3}[.)])\s*)*[*_]*\Z")
_REACH, _WORDS_BEHIND, _WORDS_BEFORE = 240, 8, 12
_SHOWN, _SENTENCE = 200, 1_000
"""Characters shown of what never closes, and looked through on each side of a quotation for its sentence."""

_NOTE_MARK = re.compile(r"[\s.,;:!?*_\"\u201d\u2019)]{0,4}\[\^([\w-]+)\]")
_NOTE_TEXT = re.compile(r"^ {0,3}\[\^([\w-]+)\]:(.*(?:\n(?: {2,}|\t).*)*)", re.MULTILINE)


def read_memo(document: Document) -> Memo:
    """The quotations of a memo and its other page references."""
    reader = _Reader(document)
    found = reader.quotations()
    starts = [one.start for one in found]

    def inside(at: int) -> bool:
        index = bisect_right(starts, at) - 1
        return index >= 0 and at < found[index].end

    stray = [replace(one, line=reader.places.line(one.start)) for one in references(document.text)]
    stray = [one for one in stray if not inside(one.start)]
    bound = [
        _classified(replace(one, reference=reference))
        for one, reference in _Binder(document, reader.pieces, found, stray).bound()
    ]
    used = {one.reference.start for one in bound if one.reference}
    return Memo(tuple(bound), tuple(one for one in stray if one.start not in used))


def _classified(quotation: Quotation) -> Quotation:
    """A quotation of a few words is a term, unless it names its page."""
    if quotation.closed and quotation.reference is None and is_term(quotation.words):
        return replace(quotation, form="term")
    return quotation


class _Reader:
    """Finds the quotations of a memo's pieces."""

    def __init__(self, document: Document) -> None:
        self._document, self._text, self._kind = document, document.text, document.kind
        self.pieces, self.places = pieces(document), Places(document)
        self._inline = [span for span in document.quoted if not is_block(document, span.start, span.end)]

    def quotations(self) -> list[Quotation]:
        """All of them, in order, none within another."""
        found: list[Quotation] = []
        lead = ""
        for piece, following in zip_longest(self.pieces, self.pieces[1:]):
            inner = sorted(self._in_piece(piece, following), key=lambda one: (one.start, -one.end))
            if not piece.block:
                lead = self._lead(piece)
            elif lead:
                inner = [replace(one, sentence=lead) for one in inner]
            found += [one for one in inner if not found or one.start >= found[-1].end]
        return found

    def _lead(self, piece: Piece) -> str:
        """The sentence with which a piece leads to a block quotation, if it ends in a colon."""
        said = self._text[piece.start : piece.end].rstrip(" \t\n*_")
        return _sentence(self._document, piece, piece.start + len(said), piece.end) if said.endswith(":") else ""

    def _in_piece(self, piece: Piece, following: Piece | None) -> Iterator[Quotation]:
        between = [self._between(piece, one, following) for one in marked(self._text, piece.start, piece.end)]
        if piece.block:
            raw = self._text[piece.start : piece.end]
            body = without_attribution(unprefixed(raw))
            if sum(len(one.words) for one in between if one.closed) < _MOSTLY * max(len(body), 1):
                yield from self._made(piece, body, piece.start, piece.start + _end_of(body, raw), form="block")
                return
        for span in self._inline:
            if piece.start <= span.start and span.end <= piece.end:
                yield from self._made(piece, self._text[span.start : span.end], span.start, span.end)
        for one in between:
            if any(map(str.isalnum, one.words)):
                yield one

    def _made(
        self, piece: Piece, raw: str, start: int, end: int, form: Literal["marks", "block"] = "marks"
    ) -> Iterator[Quotation]:
        words = plain(raw, self._kind)
        if any(map(str.isalnum, words)):
            yield self._quotation(piece, words, start, end, form=form)

    def _between(self, piece: Piece, one: Marked, following: Piece | None) -> Quotation:
        """The quotation between marks."""
        text = self._text
        block = unprefixed if piece.block else str
        readings = [plain(block(text[one.start + 1 : end]), self._kind) for end in reversed(one.ends)]
        if readings:
            end = one.ends[-1] + 1
            return self._quotation(piece, readings[0], one.start, end, readings=tuple(readings[1:]))
        # A quotation of several paragraphs opens each of them and closes the last one only.
        behind = text[following.start : following.end].lstrip(" \t>*_") if following else ""
        closed = behind.startswith(text[one.start]) and text[one.start] in "\u201c\u00ab\u2018"
        limit = piece.end if closed else min(piece.end, one.start + _SHOWN)
        words = plain(block(text[one.start + 1 : limit]), self._kind)
        return self._quotation(piece, words, one.start, piece.end if closed else one.start + 1, closed=closed)

    def _quotation(
        self,
        piece: Piece,
        words: str,
        start: int,
        end: int,
        *,
        form: Literal["marks", "block"] = "marks",
        closed: bool = True,
        readings: tuple[str, ...] = (),
    ) -> Quotation:
        sentence = _sentence(self._document, piece, start, end)
        line, place = self.places.line(start), self.places.place(start)
        return Quotation(words, start, end, line, place, form, closed, None, readings, sentence)


def _end_of(body: str, raw: str) -> int:
    """Where the body of a block quotation ends in its typed lines: what says where it stands is not part of it."""
    tail = unprefixed(raw)[len(body) :].strip()
    return len(raw[: raw.rfind(tail.split("\n")[0])].rstrip(" \t>\n")) if tail else len(raw)


def _sentence(document: Document, piece: Piece, start: int, end: int) -> str:
    """The sentence that carries text[start:end], as words."""
    text = document.text
    low, high = max(piece.start, start - _SENTENCE), min(piece.end, end + _SENTENCE)
    first, last = low, high
    # The quotation itself may begin the sentence, so its first letter is looked at, too.
    for match in _SENTENCE_END.finditer(text, low, min(start + 3, end)):
        if match.end() <= start and not _ABBREVIATED.search(text, low, match.end()):
            first = match.end()
    for match in _SENTENCE_END.finditer(text, max(end - 2, start), high):
        if match.end() > end and not _ABBREVIATED.search(text, low, match.end()):
            last = match.end()
            break
    said = plain(unprefixed(text[first:last]), document.kind)
    return " ".join(re.sub(r"^\s*(?:[-*+\u2022]|\(?\d{1,3}[.)])\s+", "", said).split())


@dataclass(slots=True)
class _Binder:
    """Which page reference belongs to which quotation."""

    document: Document
    pieces: Sequence[Piece]
    quotations: Sequence[Quotation]
    references: Sequence[PageReference]

    def bound(self) -> list[tuple[Quotation, PageReference | None]]:
        """Each quotation with its reference, if it has one."""
        found: list[PageReference | None] = [None] * len(self.quotations)
        taken: set[int] = set()
        for at, quotation in enumerate(self.quotations):
            found[at] = self._in_note(quotation) or self._at_once(at)
            if found[at] is not None:
                taken.add(found[at].start)  # type: ignore[union-attr]
        for at in range(len(self.quotations)):
            found[at] = found[at] or self._before(at, taken) or self._in_row(at) or self._behind(at, taken)
        for at in reversed(range(len(found) - 1)):
            if found[at] is None and found[at + 1] is not None and self._joined(at):
                found[at] = found[at + 1]
        for at in range(1, len(found)):
            if found[at] is None and found[at - 1] is not None and self._joined(at - 1):
                found[at] = found[at - 1]
        return list(zip(self.quotations, found, strict=True))

    def _piece(self, at: int) -> int:
        """Index of the piece that holds the character `at`."""
        return max(bisect_right(self.pieces, at, key=lambda piece: piece.start) - 1, 0)

    def _limits(self, at: int) -> tuple[int, int]:
        """How far before and behind a quotation its reference may stand: its piece, for a block also its neighbours."""
        quotation = self.quotations[at]
        index = self._piece(quotation.start)
        low, high = self.pieces[index].start, self.pieces[index].end
        if quotation.form == "block" or self.pieces[index].block:
            low = self.pieces[max(index - 1, 0)].start
            high = self.pieces[min(index + 1, len(self.pieces) - 1)].end
        elif index and self.document.text[self.pieces[index - 1].start : low].rstrip(" \n*_").endswith(":"):
            low = self.pieces[index - 1].start
        before = self.quotations[at - 1].end if at else 0
        behind = self.quotations[at + 1].start if at + 1 < len(self.quotations) else len(self.document.text)
        return max(low, before), min(high, behind)

    def _at_once(self, at: int) -> PageReference | None:
        """The reference right behind the quotation; that of a block may come with a name, at its end or beneath it."""
        quotation, text = self.quotations[at], self.document.text
        if quotation.form == "marks" and (bare := reference_behind(text, quotation.end)):
            return bare
        reference = self._following(quotation.end, min(self._limits(at)[1], quotation.end + _REACH))
        if reference is None:
            return None
        between = text[quotation.end : reference.start]
        if quotation.form == "block":
            named = reference.start < self.pieces[self._piece(quotation.start)].end or _DASHED.fullmatch(between)
            return reference if named or _BESIDE.fullmatch(between) else None
        return reference if _BESIDE.fullmatch(between) else None

    def _following(self, start: int, end: int) -> PageReference | None:
        """The first reference between two places."""
        index = bisect_left(self.references, start, key=lambda one: one.start)
        found = self.references[index] if index < len(self.references) else None
        return found if found is not None and found.start < end else None

    def _before(self, at: int, taken: set[int]) -> PageReference | None:
        """The reference in the sentence that leads to the quotation."""
        quotation = self.quotations[at]
        low = max(self._limits(at)[0], quotation.start - _REACH)
        index = bisect_left(self.references, quotation.start, key=lambda one: one.start) - 1
        before = self.references[index] if index >= 0 else None
        if before is None or before.start < low or before.start in taken:
            return None
        between = self.document.text[before.end : quotation.start]
        apart = (_SENTENCE_END.search(between) or "\n\n" in between) and not _LEADS.search(between)
        return None if apart or len(between.split()) > _WORDS_BEFORE or _TURN.search(between) else before

    def _behind(self, at: int, taken: set[int]) -> PageReference | None:
        """The reference behind the quotation in the same sentence."""
        quotation = self.quotations[at]
        high = min(self._limits(at)[1], quotation.end + _REACH)
        behind = self._following(quotation.end, high)
        if behind is None or behind.start in taken or quotation.form == "block":
            return None
        # The full stop of a sentence may stand inside the marks.
        between = self.document.text[quotation.end : behind.start]
        ended = _SENTENCE_END.search(self.document.text, quotation.end - 2, behind.start)
        apart = ended or len(between.split()) > _WORDS_BEHIND or _TURN.search(between)
        return None if apart else behind

    def _in_row(self, at: int) -> PageReference | None:
        """What the page column of the table's row says."""
        piece = self.pieces[self._piece(self.quotations[at].start)]
        if piece.pages is None:
            return None
        line = self.document.text.count("\n", 0, piece.start) + 1
        return replace(piece.pages, line=line, start=piece.start, end=piece.start)

    def _in_note(self, quotation: Quotation) -> PageReference | None:
        """The reference in the footnote that is cited right behind the quotation."""
        text = self.document.text
        if self.document.kind == "markdown" and (mark := _NOTE_MARK.match(text, quotation.end)):
            for note in _NOTE_TEXT.finditer(text):
                if note[1] == mark[1]:
                    return self._first(*note.span(2))
        for noted in self.document.notes:
            if -2 <= noted.cited - quotation.end <= 3:
                return self._first(noted.start, noted.end)
        return None

    def _first(self, start: int, end: int) -> PageReference | None:
        return self._following(start, end)

    def _joined(self, at: int) -> bool:
        """Whether only "and" or a comma stands between two quotations."""
        first, second = self.quotations[at], self.quotations[at + 1]
        between = self.document.text[first.end : second.start]
        if first.form == second.form == "block":
            whole = any(span.start <= first.start and second.end <= span.end for span in self.document.quoted)
            return not between.strip(" \n>") and (whole or "\n\n" not in between)
        return len(between) < 30 and "\n\n" not in between and _JOINED.fullmatch(between) is not None
