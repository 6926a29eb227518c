"""Finds the quotations of a text, and whether the words of one are in a source. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ralph_cli.checks.marks import marked_quotations, may_be_apostrophe
from ralph_cli.text.boundary import on_boundaries
from ralph_cli.text.fold import fold
from ralph_cli.text.lexicon import find_qualifier

# The words from which a block quotation counts as one; a typed ">" before fewer is mere layout.
MIN_BLOCK_WORDS = 4

# Words between tags, between marks written as HTML entities, or between backticks.
_TAGGED = re.compile(
    r"(?is)<(q|blockquote)(?:\s[^<>]*)?>(.+?)</\1>|&(ldquo|quot);(.+?)&(?:rdquo|quot);|(?<!`)(`)([^`\n]+)`(?!`)"
)

_BLOCK = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_DOTS = r"(?:\.\s?\.\s?\.|\u2026)"
_GAP = re.compile(rf"\s*(?:\[\s*{_DOTS}\s*\]|\(\s*{_DOTS}\s*\)|{_DOTS})\s*")
_MOST_PARTS = 24
# The most places of a part that are compared with those of the others.
_MOST_PLACES = 40


@dataclass(frozen=True, slots=True)
class Quotation:
    """Quoted words of a text, from `start`: each way to read their end, as (end, words), the likeliest first.

    There are several only if an apostrophe may be the closing mark, as in 'the parties' rights'.
    """

    start: int
    readings: tuple[tuple[int, str], ...]

    @property
    def words(self) -> str:
        """The most likely reading of the words."""
        return self.readings[0][1]


def quotations(text: str) -> tuple[Quotation, ...]:
    """The quotations of a text in order: words in quotation marks of any kind, and block quotations of some length.

    Single straight marks, apostrophes and backticks have other uses too: they quote from four words on. A quotation
    within a quotation is part of it.
    """
    found: list[Quotation] = []
    for quotation in sorted(_marked_quotations(text), key=lambda quotation: quotation.start):
        if not found or quotation.start >= found[-1].readings[0][0]:
            found.append(quotation)
    return (*found, *_block_quotations(text))


def _marked_quotations(text: str) -> Iterator[Quotation]:
    for match in _TAGGED.finditer(text):
        words = match[2] or match[4] or match[6]
        if not match[5] or len(words.split()) >= MIN_BLOCK_WORDS:
            yield Quotation(match.start(), ((match.end(), words),))
    for mark in marked_quotations(text, 0, len(text)):
        ends, least = mark.ends, MIN_BLOCK_WORDS if text[mark.start] in "'\u2019" else 1
        paragraph_end = text.find("\n\n", mark.start)
        if not ends and paragraph_end >= 0 and text[paragraph_end:].lstrip()[:1] == text[mark.start]:
            ends = (
                paragraph_end,
            )  # each paragraph of a long quotation may begin with a mark, and only the last one ends with one
        ends = ends[-1:] if ends and not may_be_apostrophe(text, ends[-1], len(text)) else ends[::-1]
        readings = tuple((end + 1, text[mark.start + 1 : end]) for end in ends)
        if readings and all(len(words.split()) >= least for _, words in readings):
            yield Quotation(mark.start, readings)


def _block_quotations(text: str) -> Iterator[Quotation]:
    for match in _BLOCK.finditer(text):
        words = " ".join(line.strip().lstrip(">").strip() for line in match[0].splitlines())
        # The source next to it is not part of the quotation.
        words = re.sub(r"\s*[-\u2013\u2014]?\s*\(?\b(?:pages?|pp?\.)\s*\d+\)?\.?\s*$", "", words).strip()
        marked = sum(len(quotation.words.split()) for quotation in _marked_quotations(words))
        if len(words.split()) >= max(MIN_BLOCK_WORDS, 2 * marked + 1):
            yield Quotation(match.start(), ((match.end(), words),))


def quotation_fault(words: str, texts: Sequence[str]) -> str | None:
    """How the words of a quotation depart from the folded texts: None if they are in one of them, in order.

    Marked gaps may leave words out, but no negation and no limit: that word is returned; else "". Words in more than 24
    pieces are no quotation.
    """
    parts = [fold(part).text.strip().rstrip(".,;:!? ") for part in _GAP.split(words)]
    parts = [part for part in parts if part]
    found = [_omitted_qualifier(parts, text) for text in texts] if 0 < len(parts) <= _MOST_PARTS else []
    return None if "" in found else next((word for word in found if word), "")


def _omitted_qualifier(parts: Sequence[str], text: str) -> str | None:
    """A limit that the gaps between the parts leave out; "" if there is none, None if the text lacks a part."""
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
    """The offsets of `wanted` in a text, with overlapping ones."""
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)
