"""What words put in or left out must not touch, for a sentence says something else then: figures, negations, limits."""

import re
from dataclasses import dataclass

from ralph_cli.text.lexicon import SCALES, TENS, UNITS, any_of, find_qualifier
from ralph_cli.text.sentences import sentence_ends

MAX_REPLACED_WORDS = 6
"""Words of the document that words in square brackets may stand for; more than a name or a subject is a gap."""

_NUMBERS = any_of(word for words in (UNITS, TENS, SCALES) for word in words if word not in ("zero", "one"))
_FIGURE = re.compile(rf"(?i)\w*\d[\d.,]*%?|\b(?:\w+ty-\w+|{_NUMBERS}|half|twice|double[ds]?|tripled?)\b")
_UNIT = re.compile(
    r"(?i)[-(]?[$\u20ac\u00a3\u00a5]?\s?(?:\d|%|(?:million|billion|thousand|per\s?cent|times|x|days|months|years)\b)"
)
_REVERSING = re.compile(r"(?i)\[\s*(?:un|in|im|ir|il|dis|non-?|mis)\s*\](?=\w)|(?<=\w)\[\s*less\s*\]")
_CUT_WORD = re.compile(r"(\w*)\[[^\[\]]*\](\w*)")
_PAGE_NUMBER = re.compile(r"\n[ \t]*(?:[A-Z]-)?\d{1,4}[ \t]*\f")


@dataclass(frozen=True, slots=True)
class Gap:
    """Where a quotation departs from the document: over how many characters, what it puts in, whether it leaves out."""

    reach: int = 0
    inserted: tuple[str, ...] = ()
    ellipsis: bool = False


def find_meaningful_word(text: str) -> str:
    """The first negation, limit or figure of a text, "" if there is none."""
    match = _FIGURE.search(text)
    return find_qualifier(text) or (match[0] if match else "")


def is_reversing(inserted: str) -> bool:
    """Whether words in square brackets say by themselves what the document may not: "[not]", "[3.5]", "[un]able"."""
    return bool(_REVERSING.search(inserted) or find_meaningful_word(inserted))


def meaning_change(gap: Gap, before: str, replaced: str, after: str) -> tuple[str, str] | None:
    """What a gap makes of the document's words, as (in the memo, in the document); None if nothing of weight.

    `replaced` is what the document has in the gap's place, `before` and `after` are the parts of the quotation beside
    it. Sentences that an ellipsis leaves out as a whole are not looked at: what is quoted keeps its own limits.
    """
    replaced = _PAGE_NUMBER.sub("\n", replaced)
    flat = " ".join(replaced.split())
    for put_in in gap.inserted:
        if is_reversing(put_in):
            return put_in, flat
    if gap.ellipsis:
        word = find_qualifier(_omitted_sentence_parts(before, replaced, after)) or _displaced_figure(replaced, after)
        return ("[...]", word) if word else None
    if not gap.inserted:
        return None
    change = " ".join(gap.inserted), flat
    if find_meaningful_word(replaced) or len(flat.split()) > MAX_REPLACED_WORDS:
        return change
    if len(gap.inserted) == 1 and (cut := _CUT_WORD.fullmatch(gap.inserted[0].casefold())):
        # The letters outside the brackets of "pay[s]" must be those of the document's word.
        word = flat.casefold().strip(".,;:")
        if (cut[1] or cut[2]) and not (word.startswith(cut[1]) and word.endswith(cut[2])):
            return change
    return None


def _omitted_sentence_parts(before: str, omitted: str, after: str) -> str:
    """What is left out of the sentences that are quoted in part."""
    text = before[-1:] + omitted + after[:1]
    ends = list(sentence_ends(text))
    return f"{text[: ends[0][0]]} {text[ends[-1][1] :]}" if ends else text


def _displaced_figure(omitted: str, after: str) -> str:
    """The figure left out into whose place another one, or nothing but its unit, moves up; "" if there is none."""
    match = _FIGURE.search(omitted)
    return match[0] if match and not any(sentence_ends(omitted)) and _UNIT.match(after) else ""
