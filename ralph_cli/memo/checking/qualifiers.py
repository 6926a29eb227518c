"""What words put in or left out must not touch, for a sentence says something else then: figures, negations, limits."""

import re
from dataclasses import dataclass

MOST_REPLACED = 6
"""Words of the document that words in square brackets may stand for; more than a name or a subject is a gap."""

_LIMIT = re.compile(
    r"(?i)\b(?:\w+n['\u2019]t|not|cannot|no(?!\.\s*\d)|none|nothing|nobody|never|nor|neither|without|hardly|rarely|barely"
    r"|except(?:s|ed|ing|ions?)?|exclud(?:es?|ed|ing)|unless|only|until|subject\s+to|other\s+than|provided\s+that"
    r"|fail(?:s|ed|ing|ures?)?|refus(?:es?|ed|ing|al)|den(?:y|ies|ied)|lack(?:s|ed|ing)?|absence|unable|ceas(?:es?|ed)"
    r"|at\s+least|at\s+most|up\s+to|(?:less|more|fewer|greater|higher|lower)\s+than|less|almost|nearly|partly|partially)\b"
)
_FIGURE = re.compile(
    r"(?i)\w*\d[\d.,]*%?|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty-\w+|twenty|thirty"
    r"|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|twice|double[ds]?|tripled?)\b"
)
_UNIT = re.compile(
    r"(?i)[-(]?[$\u20ac\u00a3\u00a5]?\s?(?:\d|%|(?:million|billion|thousand|per\s?cent|times|x|days|months|years)\b)"
)
_ENDS = re.compile(
    r"(?<!\b[A-Z])(?<!Inc)(?<!Corp)(?<!Ltd)(?<!\bNo)(?<!\bCo)[.!?][\"\u201d\u2019)\]]*\s+"
    r"(?=[\"\u201c(\[\u2022]?[A-Z])|\n[ \t]*\n"
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


def limit(text: str) -> str:
    """The first negation or limit of a text, "" if there is none."""
    match = _LIMIT.search(text)
    return " ".join(match[0].split()) if match else ""


def weighty(text: str) -> str:
    """The first negation, limit or figure of a text, "" if there is none."""
    match = _FIGURE.search(text)
    return limit(text) or (match[0] if match else "")


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
        word = limit(_rest_of_sentences(before, there, behind)) or _displaced(there, behind)
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
    ends = list(_ENDS.finditer(text))
    return f"{text[: ends[0].start()]} {text[ends[-1].end() :]}" if ends else text


def _displaced(there: str, behind: str) -> str:
    """The figure left out into whose place another one, or nothing but its unit, moves up; "" if there is none."""
    match = _FIGURE.search(there)
    return match[0] if match and not _ENDS.search(there) and _UNIT.match(behind) else ""
