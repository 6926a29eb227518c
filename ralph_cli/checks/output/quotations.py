"""The quotations of a text, and whether the words of one stand in a source. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ralph_cli.text.boundary import on_boundaries
from ralph_cli.text.fold import fold
from ralph_cli.text.lexicon import find_qualifier

MIN_BLOCK_WORDS = 4
"""Words from which a block quotation counts as one; a typed ">" before less is mere layout."""

_QUOTED = re.compile(
    r"(?is)\u201c([^\u201c\u201d]+)\u201d|\u201e([^\u201c\u201d\u201e]+)[\u201c\u201d]|\"([^\"\n]+)\""
    r"|\u00ab([^\u00ab\u00bb]+)\u00bb|\u00bb([^\u00ab\u00bb]+)\u00ab|\u2039([^\u2039\u203a]+)\u203a"
    r"|\u203a([^\u2039\u203a]+)\u2039|\u201a([^\u201a\u2018\u2019]+)\u2018|\u300c([^\u300c\u300d]+)\u300d"
    r"|<q(?:\s[^<>]*)?>(.+?)</q>|<blockquote(?:\s[^<>]*)?>(.+?)</blockquote>"
    r"|&ldquo;(.+?)&rdquo;|&quot;(.+?)&quot;"
    # A mark that opens and closes alike, straight over a line's end or as in Swedish and Finnish, must stand where a
    # quotation can begin and end.
    r"|(?<!\w)\"(?=\S)([^\"\n]+\n[^\"]*)(?<=\S)\"(?!\w)"
    r"|(?<![^\s(\[{*_/\u2013\u2014-])\u201d(?=\S)([^\u201c\u201d]+)(?<=\S)\u201d(?!\w)"
    r"|(?<![^\s(\[{*_/\u2013\u2014-])\u00bb(?=\S)([^\u00ab\u00bb]+)(?<=\S)\u00bb(?!\w)"
)
_OPENS_ANEW = re.compile(r"\u201c([^\u201c\u201d]+)(?=\u201c)")
_TICKED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_OPENS = re.compile(
    r"(?i)(?<![\w'\u2018\u2019])(?:\u2018|['\u2019](?=[^\s'\u2019]))(?!\d0s\b|(?:tis|twas|em|til|cause|n)\b)"
)
"""A single mark that may open a quotation, and no apostrophe of a word that is cut short ('tis, the '90s)."""

_CLOSES = re.compile(r"(?<=\S)['\u2019](?![\w'\u2019])")
_POSSESSIVE = re.compile(r"(?<=[sxzSXZ])['\u2019](?=\s+\w)")
_BLOCK = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_DOTS = r"(?:\.\s?\.\s?\.|\u2026)"
_GAP = re.compile(rf"\s*(?:\[\s*{_DOTS}\s*\]|\(\s*{_DOTS}\s*\)|{_DOTS})\s*")
_MOST_PARTS, _MOST_PLACES = 24, 40
"""Parts of a quotation, and places of a part, that are looked at: all of them together are compared."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Quoted words of a text, from `start` on: each way to read where they end, as (end, words), the likeliest first.

    There are several only where an apostrophe may be the closing mark, as in 'the parties' rights'.
    """

    start: int
    readings: tuple[tuple[int, str], ...]

    @property
    def words(self) -> str:
        """The words as they are most likely meant."""
        return self.readings[0][1]


def quotations(text: str) -> tuple[Quotation, ...]:
    """The quotations of a text in order: words in quotation marks of any kind, and block quotations of some length.

    Marks that serve other purposes too (straight single ones, apostrophes, backticks) quote from four words on. A
    quotation within a quotation is part of it.
    """
    found: list[Quotation] = []
    for quotation in sorted(_marked_quotations(text), key=lambda quotation: quotation.start):
        if not found or quotation.start >= found[-1].readings[0][0]:
            found.append(quotation)
    return (*found, *_block_quotations(text))


def _marked_quotations(text: str) -> Iterator[Quotation]:
    for match in _QUOTED.finditer(text):
        words = next(group for group in match.groups() if group is not None)
        yield Quotation(match.start(), ((match.end(), words),))
    for match in _OPENS_ANEW.finditer(text):
        # Where a quotation has several paragraphs each may open anew, and only the last one closes.
        words = match[1].rstrip()
        if words and match[1].count("\n", len(words)) > 1:
            yield Quotation(match.start(), ((match.start(1) + len(words), words),))
    for match in _TICKED.finditer(text):
        if len(match[1].split()) >= MIN_BLOCK_WORDS:
            yield Quotation(match.start(), ((match.end(), match[1]),))
    yield from _single_mark_quotations(text)


def _single_mark_quotations(text: str) -> Iterator[Quotation]:
    """Quotations in single marks, which apostrophes are, too."""
    at = 0
    while opening := _OPENS.search(text, at):
        at = opening.end()
        following = _OPENS.search(text, at)
        paragraph = text.find("\n\n", at)
        bound = min(end for end in (following.start() if following else len(text), paragraph) if end >= 0)
        closing = [match.start() for match in _CLOSES.finditer(text, at, bound)]
        ends = [end for end in closing if not _POSSESSIVE.match(text, end)][:1] or closing
        readings = tuple((end + 1, text[at:end]) for end in ends)
        least = 1 if opening[0] == "\u2018" else MIN_BLOCK_WORDS
        if readings and all(len(words.split()) >= least for _, words in readings):
            yield Quotation(opening.start(), readings)
        if readings:
            at = readings[0][0]


def _block_quotations(text: str) -> Iterator[Quotation]:
    for match in _BLOCK.finditer(text):
        words = " ".join(line.strip().lstrip(">").strip() for line in match[0].splitlines())
        # What is said beside it, such as where it stands, is not part of the quotation.
        words = re.sub(r"\s*[-\u2013\u2014]?\s*\(?\b(?:pages?|pp?\.)\s*\d+\)?\.?\s*$", "", words).strip()
        marked = sum(len(quotation.words.split()) for quotation in _marked_quotations(words))
        if len(words.split()) >= max(MIN_BLOCK_WORDS, 2 * marked + 1):
            yield Quotation(match.start(), ((match.end(), words),))


def quotation_fault(words: str, texts: Sequence[str]) -> str | None:
    """How the words of a quotation depart from the folded texts: None if they stand in one of them, in order.

    Gaps that are marked may leave words out, but no negation and no limit: that word is returned; else "". What is
    in more than 24 pieces is no quotation.
    """
    parts = [fold(part).text.strip().rstrip(".,;:!? ") for part in _GAP.split(words)]
    parts = [part for part in parts if part]
    found = [_omitted_qualifier(parts, text) for text in texts] if 0 < len(parts) <= _MOST_PARTS else []
    return None if "" in found else next((word for word in found if word), "")


def _omitted_qualifier(parts: Sequence[str], text: str) -> str | None:
    """A limit that the gaps between the parts leave out, "" if there is none; None if the parts are not there."""
    ends: dict[int, str] = {}
    for number, part in enumerate(parts):
        forms = {part, part[0].swapcase() + part[1:]} if number == 0 else {part}
        before, ends = ends, {}
        for at in sorted(place for form in forms for place in islice(find_all(text, form), _MOST_PLACES)):
            if not on_boundaries(text, at, at + len(part)):
                continue
            gaps = (
                [word or find_qualifier(text[end:at]) for end, word in before.items() if end <= at] if number else [""]
            )
            if gaps:
                ends[at + len(part)] = min(gaps)
    return min(ends.values(), default=None)


def find_all(text: str, wanted: str) -> Iterator[int]:
    """Where `wanted` stands in a text, overlapping places too."""
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)
