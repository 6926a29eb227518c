"""Whether a short phrase in quotation marks is what somebody said, or only names something or keeps it off."""

from ralph_cli.core.deferred import re
from ralph_cli.text.sentences import sentence_at

MIN_WORDS = 2
"""Words from which a phrase behind a verb of saying is a quotation; one word is too often a name or a tone."""

_MAX_CHARS_BEFORE, _MAX_WORDS_BETWEEN = 200, 8
"""Characters before a phrase that are looked at, and words that may stand between the verb and the phrase.

Other phrases in quotation marks are not counted."""

_SAYS = (
    r"(?:says?|said|saying|states|stated|stating|provides|provided|providing|reads|writes?|wrote|written|according\s+to"
    r"|declares?|declared|confirms?|confirmed|acknowledges?|acknowledged|admits?|admitted|warns?|warned|quotes?|quoted)\b"
)
_VERB = re.compile(rf"(?i)\b{_SAYS}")
_VERB_BEHIND = re.compile(rf"(?i)[.*_]*,?\s+(?:\w+\s+){{0,3}}?{_SAYS}")
_PHRASE = re.compile('["\u201c\u2018][^"\u201c\u201d\u2018\u2019]{1,120}["\u201d\u2019]')
_BEFORE_NAME = re.compile(
    r"(?i)\b(?:the|an?|this|these|those|such|its|their|our|your|his|her|any|each|no|so-called|called|terms?|words?"
    r"|phrase|defined\s+as|known\s+as)[\s(*_]*\Z"
)
"""What stands before a name: the "Base Rate" is no quotation, whoever says what of it."""


def is_attributed(text: str, start: int, end: int) -> bool:
    """Whether a verb of saying leads to text[start:end], a phrase with its marks, or follows it behind a comma."""
    # Only the sentence's beginning is wanted.
    low, _ = sentence_at(text, start, end, max(start - _MAX_CHARS_BEFORE, 0), start)
    before = text[low:start]
    if _BEFORE_NAME.search(before):
        return False
    # The comma stands before the closing mark ("thus," he said) or behind it ("thus", he said).
    if "," in text[end - 2 : end + 1] and _VERB_BEHIND.match(text, end):
        return True
    verbs = list(_VERB.finditer(before))
    return bool(verbs) and len(_PHRASE.sub(" ", before[verbs[-1].end() :]).split()) <= _MAX_WORDS_BETWEEN
