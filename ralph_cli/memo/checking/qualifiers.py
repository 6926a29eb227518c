"""Finds words whose insertion or omission changes what a sentence says: figures, negations and limits.

A limit is recognised by its place in the sentence: a phrase that begins with a condition, words between "may" or
"shall" and the verb, a quantity ("the lesser of"), a phrase between commas that begins with a preposition (unless it is
a date), and the clause that says which ones "all" are.
"""

import re
from dataclasses import dataclass

from ralph_cli.memo.reading.words import names_a_time_or_part, stated_figures
from ralph_cli.text.lexicon import LIMITS, find_qualifier
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.sentences import sentence_ends

# The most words of the document that words in square brackets may replace; more than a name or subject is a gap.
MAX_REPLACED_WORDS = 6

_REVERSING = re.compile(r"(?i)\[\s*(?:un|in|im|ir|il|dis|non-?|mis)\s*\](?=\w)|(?<=\w)\[\s*less\s*\]")
_CUT_WORD = re.compile(r"(\w*)\[[^\[\]]*\](\w*)")
_CONDITIONS = (
    r"if|unless|until|till|save|except|excluding|barring|provid(?:ed|ing)|subject|only|solely|so\s+long|as\s+long|without"
    r"|to\s+the\s+extent|in\s+(?:the|any|no|each)\s+(?:event|case)|in\s+cases?|insofar|where|when(?:ever)?|pending|absent"
    r"|assuming|other\s+than"
)
# The prepositions of English are a closed class: no new ones are made.
_PREPOSITIONS = (
    r"after|against|as|at|before|by|during|for|from|in|on|once|per|since|through|throughout|to|toward|under|upon|via|with"
    r"|within"
)

# Phrases that only connect sentences, say where something is explained, or begin a clause of their own.
_CONNECTIVE = re.compile(
    r"(?i)(?:for\s+(?:example|instance)|in\s+(?:addition|fact|particular|turn|short|other\s+words)|by\s+contrast|as\s+(?:a\s+result"
    r"|amended|defined|described|discussed|mentioned|noted|such|well)|on\s+the\s+other\s+hand|at\s+the\s+same\s+time"
    r"|\w+\s+(?:which|whom|whose))\b"
)

_PARTITIVE_ENDS = re.compile(r"(?i)\bof\W*\Z")

_CONDITION_BEGINS = re.compile(rf"(?i)\s*(?:(?:and|or|nor)\s+)?(?:\w+ly\s+)?(?:{_CONDITIONS})\b")
_ADVERBIAL_BEGINS = re.compile(rf"(?i)\s*(?:(?:and|or)\s+)?(?:{_PREPOSITIONS})\b")
_MODAL = r"(?:may|might|can|could|shall|should|will|would|must)"
_MODAL_BEFORE = re.compile(rf"(?i)\b{_MODAL}\W*\Z")
_PHRASE_ENDS = re.compile(r",(?!\d)|[;:()\u2013\u2014]|\s-\s")
_LIMIT_BEGINS = re.compile(rf"(?i)(?:{LIMITS}|not?\s+(?:(?:to\s+)?exceed\w*|\w+\s+than))\b")
_UNIVERSAL_ENDS = re.compile(r"(?i)\b(?:all|any|each|every|no)(?:\s+[\w\u2019'-]+){1,3}\s*\Z")
# A relative clause or a participle. Right behind "all claims", without a comma, it says which ones.
_RESTRICTION_BEGINS = re.compile(r"(?i)(?:that|which|who|whose|whom|\w{2,}ed|\w{2,}ing)\b")

# The words right before a quotation in which a negation belongs to it.
_MAX_EDGE_WORDS = 2

_PAGE_NUMBER = re.compile(r"\n[ \t]*(?:[A-Z]-)?\d{1,4}[ \t]*\f")


@dataclass(frozen=True, slots=True)
class Gap:
    """A place where a quotation departs from the document: how many characters it spans, the inserted words, and
    whether words are left out.
    """

    reach: int = 0
    inserted: tuple[str, ...] = ()
    ellipsis: bool = False


def find_meaningful_word(text: str) -> str:
    """The first negation, limit or figure of a text; "" if it has none."""
    figures = (it for it in read_quantities(text, "prose") if it.wording or it.value > 1 or re.search(r"\d", it.text))
    return find_qualifier(text) or next((figure.text for figure in figures), "")


def is_reversing(inserted: str) -> bool:
    """Whether words in square brackets can reverse the document's words: "[not]", "[3.5]", "[un]able"."""
    return bool(_REVERSING.search(inserted) or find_meaningful_word(inserted))


def meaning_change(gap: Gap, before: str, replaced: str, after: str) -> tuple[str, str] | None:
    """The change of meaning that a gap makes, as (words in the memo, words in the document); None if it makes none.

    `replaced` is the document's text in the gap; `before` and `after` are the parts of the quotation beside it. Whole
    sentences may be left out: the quoted ones keep their limits and figures.
    """
    replaced = _PAGE_NUMBER.sub("\n", replaced)
    flat = " ".join(replaced.split())
    for put_in in gap.inserted:
        if is_reversing(put_in):
            return put_in, flat
    if gap.ellipsis:
        omitted = _omitted_sentence_parts(before, replaced, after)
        figure = next((figure.text for figure in stated_figures(omitted)), "")
        word = find_limit(before, omitted) or figure
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


def find_limit(before: str, omitted: str) -> str:
    """The negation or limit that is omitted from a sentence behind the words `before`; "" if there is none."""
    if word := find_qualifier(omitted):
        return word
    flat = " ".join(omitted.split())
    phrases = [phrase.strip() for phrase in _PHRASE_ENDS.split(flat) if phrase.strip()]
    if condition := next(filter(_CONDITION_BEGINS.match, phrases), ""):
        return condition
    if not phrases:
        return ""
    if _MODAL_BEFORE.search(before) or (_UNIVERSAL_ENDS.search(before) and _RESTRICTION_BEGINS.match(flat)):
        return phrases[0]
    if _PARTITIVE_ENDS.search(flat):
        return flat.strip(" ,;")
    set_off = flat.startswith(",") and _ADVERBIAL_BEGINS.match(phrases[0])
    return phrases[0] if set_off and not (_CONNECTIVE.match(phrases[0]) or names_a_time_or_part(phrases[0])) else ""


def find_limit_behind(rest: str) -> str:
    """The condition or limit that continues a sentence behind a quotation that ends with an ellipsis; "" if there is
    none.
    """
    flat = " ".join(rest.split())
    phrase = next((phrase for phrase in _PHRASE_ENDS.split(flat) if phrase.strip()), "").strip()
    return phrase.rstrip(".") if _CONDITION_BEGINS.match(phrase) or _LIMIT_BEGINS.match(phrase) else ""


def find_negation_before(text: str) -> str:
    """The negation or limit right before a quotation that begins with an ellipsis; "" if there is none."""
    return find_qualifier(" ".join(text.split()[-_MAX_EDGE_WORDS:]))


def _omitted_sentence_parts(before: str, omitted: str, after: str) -> str:
    """The omitted words of the sentences that are quoted in part."""
    text, shift = before[-1:] + omitted + after[:1], len(before[-1:])
    ends = list(sentence_ends(text))
    return f"{omitted[: max(ends[0][0] - shift, 0)]}\n{omitted[ends[-1][1] - shift :]}" if ends else omitted
