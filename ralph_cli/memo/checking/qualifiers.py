"""What words put in or left out must not touch, for a sentence says something else then: figures, negations, limits."""

import re
from dataclasses import dataclass

from ralph_cli.text.lexicon import SCALES, TENS, UNITS, any_of, find_qualifier
from ralph_cli.text.sentences import sentence_ends

MOST_REPLACED = 6
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
    put_in: tuple[str, ...] = ()
    ellipsis: bool = False


def weighty(text: str) -> str:
    """The first negation, limit or figure of a text, "" if there is none."""
    match = _FIGURE.search(text)
    return find_qualifier(text) or (match[0] if match else "")


def reversing(put_in: str) -> bool:
    """Whether words in square brackets say by themselves what the document may not: "[not]", "[3.5]", "[un]able"."""
    return bool(_REVERSING.search(put_in) or weighty(put_in))


def changed(gap: Gap, before: str, there: str, behind: str) -> tuple[str, str] | None:
    """What a gap makes of the document's words, as (in the memo, in the document); None if nothing of weight.

    `there` is what the document has in the gap's place, `before` and `behind` are the parts of the quotation beside it.
    Sentences that an ellipsis leaves out as a whole are not looked at: what is quoted keeps its own limits.
    """
    there = _PAGE_NUMBER.sub("\n", there)
    flat = " ".join(there.split())
    for put_in in gap.put_in:
        if reversing(put_in):
            return put_in, flat
    if gap.ellipsis:
        word = find_qualifier(_rest_of_sentences(before, there, behind)) or _displaced(there, behind)
        return ("[...]", word) if word else None
    if not gap.put_in:
        return None
    told = " ".join(gap.put_in), flat
    if weighty(there) or len(flat.split()) > MOST_REPLACED:
        return told
    match = _CUT_WORD.fullmatch(gap.put_in[0]) if len(gap.put_in) == 1 else None
    if match and (match[1] or match[2]) and not _is_of(flat.casefold(), match[1].casefold(), match[2].casefold()):
        return told
    return None


def _is_of(word: str, head: str, tail: str) -> bool:
    """Whether the letters outside the brackets of "pay[s]" are those of the document's word."""
    return word.strip(".,;:").startswith(head) and word.strip(".,;:").endswith(tail)


def _rest_of_sentences(before: str, there: str, behind: str) -> str:
    """What is left out of the sentences that are quoted in part."""
    text = before[-1:] + there + behind[:1]
    ends = list(sentence_ends(text))
    return f"{text[: ends[0][0]]} {text[ends[-1][1] :]}" if ends else text


def _displaced(there: str, behind: str) -> str:
    """The figure left out into whose place another one, or nothing but its unit, moves up; "" if there is none."""
    match = _FIGURE.search(there)
    return match[0] if match and not any(sentence_ends(there)) and _UNIT.match(behind) else ""
