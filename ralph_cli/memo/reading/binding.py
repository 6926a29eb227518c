"""Finds the page reference that belongs to each quotation of a memo."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import PageReference, Quotation
from ralph_cli.memo.reading.layout import Piece
from ralph_cli.memo.reading.notes import note_mark_behind, note_spans, pages_of_note
from ralph_cli.memo.reading.page_references import reference_behind
from ralph_cli.memo.reading.words import is_title
from ralph_cli.text.sentences import sentence_ends

# The text that may separate a quotation from the reference right behind it.
_BETWEEN_QUOTATION_AND_REFERENCE = re.compile(
    r"[\s.,;:!?*_\u2010-\u2015)\]\"\u201d\u2019\u00bb-]*(?:[(\[][^()\[\]]{0,120})?"
)

_JOINED = re.compile(r"[\s,;*_)\"\u201d\u2019-]*(?:and|or|&|as well as)?[\s,*_(]*(?:the\s+)?")
_DASHED = re.compile(r"\s*(?:>\s*)*(?:\u2014|\u2013|--?)[^\n]{0,120}")
_LEADS = re.compile(r":\s*(?:(?:[-*+>\u2022]|\(?\d{1,3}[.)])\s*)*[*_]*\Z")
# The most characters between a quotation and its reference.
_REACH = 240

# The most words between a quotation and the reference behind it.
_WORDS_BEHIND = 8

# The most words between a reference and the quotation behind it.
_WORDS_BEFORE = 12


# Words that only cite: "See", "Source: Annual Report 2023,".
_CITING = (
    r"(?:(?!(?:Cf|Compare|Contrast|But|Also|However|Unlike|Not)\b)"
    r"(?:[Ss]ee|[Ss]ource:?|[Ff]rom|[Aa]t|[Oo]n|in|the|of|its|[A-Z0-9][\w.&\u2019/-]*)[,;]?\s+){0,7}"
)

_CITED = re.compile(rf"[\s.,;:!?*_\u2010-\u2015)\]\"\u201d\u2019\u00bb-]*[(\[]?{_CITING}")
_AFTER_CITATION = re.compile(r"[)\]*_]*\s*(?:[.;)\]]|\n|\Z)")
_STANDALONE = re.compile(
    rf"(?P<indent>[ \t]*)(?P<item>[-*+\u2022][ \t]+)?(?P<heading>\#{{1,6}}[ \t]+)?"
    rf"(?P<behind>[\u2010-\u2015-]+\s*|[*_]*[(\[]|(?=[Ss]ource))?[*_]*(?P<cites>{_CITING})"
)
_AFTER_STANDALONE = re.compile(r"[\s.;:)\]*_]*")
_AFTER_QUOTATION = re.compile(r"[\s.,;:!?*_)\]\"\u201d\u2019\u00bb]*")


@dataclass(slots=True)
class Binder:
    """Binds page references to quotations."""

    document: Document
    pieces: Sequence[Piece]
    quotations: Sequence[Quotation]
    references: Sequence[PageReference]
    _taken: set[int] = field(default_factory=set)

    def bind(self) -> list[tuple[Quotation, PageReference | None]]:
        """Each quotation with its reference, if it has one."""
        count = len(self.quotations)
        found: list[PageReference | None] = [None] * count
        for ways in (
            (self._reference_in_note, self._reference_right_after),
            (
                self._reference_before,
                self._reference_in_row,
                self._reference_in_sentence,
                self._reference_in_note_of_sentence,
            ),
            (self._reference_above, self._reference_beneath),
        ):
            for at in range(count):
                found[at] = found[at] or next(filter(None, (way(at) for way in ways)), None)
            self._taken |= {reference.start for reference in found if reference is not None}
        for at in reversed(range(count - 1)):
            if self._are_joined(at):
                found[at] = found[at] or found[at + 1]
        for at in range(1, count):
            if self._are_joined(at - 1):
                found[at] = found[at] or found[at - 1]
        # A note may name the heading under which words are: the part may begin before the page that it names.
        return [
            (quotation, None if is_title(quotation.words) and self._note_around(quotation.start) else reference)
            for quotation, reference in zip(self.quotations, found, strict=True)
        ]

    def _piece_index(self, offset: int) -> int:
        """The index of the piece that contains the character at `offset`."""
        return max(bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1, 0)

    def _search_range(self, at: int) -> tuple[int, int]:
        """The range in which a quotation's reference may be: its piece; for a block also the pieces beside it."""
        quotation = self.quotations[at]
        index = self._piece_index(quotation.start)
        low, high = self.pieces[index].start, self.pieces[index].end
        if quotation.form == "block" or self.pieces[index].block:
            low = self.pieces[max(index - 1, 0)].start
            high = self.pieces[min(index + 1, len(self.pieces) - 1)].end
        elif index and self.document.text[self.pieces[index - 1].start : low].rstrip(" \n*_").endswith(":"):
            low = self.pieces[index - 1].start
        before = self.quotations[at - 1].end if at else 0
        behind = self.quotations[at + 1].start if at + 1 < len(self.quotations) else len(self.document.text)
        first, last = self._note_around(quotation.start) or (low, high)
        return max(low, before, first), min(high, behind, last)

    def _note_around(self, offset: int) -> tuple[int, int] | None:
        """The note that contains a place: words quoted there are on the pages that the note names."""
        spans = self.document.derive(note_spans)
        index = bisect_right(spans, offset, key=lambda span: span[0]) - 1
        return spans[index] if index >= 0 and offset < spans[index][1] else None

    def _reference_right_after(self, at: int) -> PageReference | None:
        """The reference right behind the quotation. A block's may come with a name, at its end or beneath it."""
        quotation, text = self.quotations[at], self.document.text
        if quotation.form == "marks" and (bare := reference_behind(text, quotation.end)):
            return bare
        reference = self._first_reference_between(quotation.end, min(self._search_range(at)[1], quotation.end + _REACH))
        if reference is None:
            return None
        between = text[quotation.end : reference.start]
        if quotation.form == "block":
            named = reference.start < self.pieces[self._piece_index(quotation.start)].end or _DASHED.fullmatch(between)
        else:
            named = _CITED.fullmatch(between) and _AFTER_CITATION.match(text, reference.end)
        return reference if named or _BETWEEN_QUOTATION_AND_REFERENCE.fullmatch(between) else None

    def _first_reference_between(self, start: int, end: int) -> PageReference | None:
        """The first reference between two places."""
        index = bisect_left(self.references, start, key=lambda reference: reference.start)
        found = self.references[index] if index < len(self.references) else None
        return found if found is not None and found.start < end else None

    def _reference_before(self, at: int) -> PageReference | None:
        """The reference in the sentence that leads to the quotation."""
        quotation = self.quotations[at]
        low = max(self._search_range(at)[0], quotation.start - _REACH)
        index = bisect_left(self.references, quotation.start, key=lambda reference: reference.start) - 1
        before = self.references[index] if index >= 0 else None
        if before is None or before.start < low:
            return None
        if before.start in self._taken and self._note_around(quotation.start) is None:
            return None
        between = self.document.text[before.end : quotation.start]
        apart = (any(sentence_ends(between)) or "\n\n" in between) and not _LEADS.search(between)
        return None if apart or len(between.split()) > _WORDS_BEFORE else before

    def _reference_in_sentence(self, at: int) -> PageReference | None:
        """The reference behind the quotation in the same sentence."""
        quotation = self.quotations[at]
        high = min(self._search_range(at)[1], quotation.end + _REACH)
        behind = self._first_reference_between(quotation.end, high)
        if behind is None or behind.start in self._taken or quotation.form == "block":
            return None
        # The full stop of a sentence may be inside the marks.
        between = self.document.text[quotation.end : behind.start]
        ended = any(sentence_ends(self.document.text, quotation.end - 2, behind.start))
        apart = ended or len(between.split()) > _WORDS_BEHIND
        return None if apart else behind

    def _reference_in_row(self, at: int) -> PageReference | None:
        """The reference in the page column of the table's row."""
        piece = self.pieces[self._piece_index(self.quotations[at].start)]
        if piece.pages is None:
            return None
        line = self.document.text.count("\n", 0, piece.start) + 1
        return replace(piece.pages, line=line, start=piece.start, end=piece.start)

    def _reference_in_note(self, at: int) -> PageReference | None:
        """The pages named by the note that is cited right behind the quotation; a note itself cites none."""
        quotation = self.quotations[at]
        if self._note_around(quotation.start):
            return None
        return pages_of_note(self.document, quotation.end, self.references)

    def _reference_in_note_of_sentence(self, at: int) -> PageReference | None:
        """The pages named by the note that is cited further on in the quotation's sentence."""
        quotation = self.quotations[at]
        end = self.pieces[self._piece_index(quotation.start)].end
        mark = note_mark_behind(self.document, quotation.end, end)
        if mark is None or quotation.form == "block":
            return None
        return pages_of_note(self.document, mark, self.references)

    def _reference_above(self, at: int) -> PageReference | None:
        """The reference alone in the piece above the quotation: a heading "Page 44", or the list item around it."""
        index = self._piece_index(self.quotations[at].start)
        found = self._standalone_reference(index - 1)
        if found is None or self._note_around(self.quotations[at].start):
            return None
        reference, look = found
        rest = self.document.text[reference.end : self.pieces[index - 1].end].strip(" \n*_")
        if look["behind"] or look["cites"] or rest.startswith("."):
            return None
        return reference if not look["item"] or self._indent(index) > len(look["indent"]) else None

    def _reference_beneath(self, at: int) -> PageReference | None:
        """The reference alone in the piece beneath the quotation: the next paragraph, or an item within its item."""
        quotation = self.quotations[at]
        index = self._piece_index(quotation.start)
        found = self._standalone_reference(index + 1)
        rest = self.document.text[quotation.end : self.pieces[index].end]
        if found is None or not _AFTER_QUOTATION.fullmatch(rest) or self._note_around(quotation.start):
            return None
        reference, look = found
        if reference.start in self._taken or look["heading"]:
            return None
        return reference if not look["item"] or self._indent(index) < len(look["indent"]) else None

    def _indent(self, index: int) -> int:
        """How many blanks a piece begins with."""
        text = self.document.text[self.pieces[index].start : self.pieces[index].end]
        return len(text) - len(text.lstrip(" \t"))

    def _standalone_reference(self, index: int) -> tuple[PageReference, re.Match[str]] | None:
        """The reference of a piece that has nothing else, and the text before it; None without such a piece."""
        if not 0 <= index < len(self.pieces) or self.pieces[index].block:
            return None
        piece, text = self.pieces[index], self.document.text
        reference = self._first_reference_between(piece.start, piece.end)
        if reference is None:
            return None
        before = _STANDALONE.fullmatch(text, piece.start, reference.start)
        return (reference, before) if before and _AFTER_STANDALONE.fullmatch(text, reference.end, piece.end) else None

    def _are_joined(self, at: int) -> bool:
        """Whether only "and" or a comma stands between two quotations."""
        first, second = self.quotations[at], self.quotations[at + 1]
        between = self.document.text[first.end : second.start]
        if first.form == second.form == "block":
            whole = any(span.start <= first.start and second.end <= span.end for span in self.document.quoted)
            return not between.strip(" \n>") and (whole or "\n\n" not in between)
        return len(between) < 30 and "\n\n" not in between and _JOINED.fullmatch(between) is not None
