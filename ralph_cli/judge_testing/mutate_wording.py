"""Claims made false by a word or a clause: a negation more or less, a condition dropped, a part made the whole."""

import re
from collections.abc import Iterator

from ralph_cli.text.lexicon import NEGATIONS, STOP_WORDS

_CONDITIONS = (
    r"if|unless|when|whenever|except|provided that|(?:for )?(?:so|as) long as|other than|to the extent|subject to"
    r"|only (?:where|when|if)|in the event"
)
# Words that begin a condition or an exception.
CONDITION = re.compile(rf"(?i)\b(?:{_CONDITIONS})\b")

_BOUNDARY = re.compile(r"[,;:](?=\s)|[()\u2013\u2014\u201c\u201d\"]")
_AUXILIARY = re.compile(r"\b(is|are|was|were|will|shall|must|may|can|could|should|would|has|have|had)\b")
# Words before an auxiliary after which "not" may leave the claim true: the auxiliary is not that of a main clause, or
# its subject is only a part of something.
_SUBORDINATE = re.compile(
    rf"(?i)\b(?:{_CONDITIONS}|that|which|who|whose|whom|where|as|because|since|while|although|though|until|after|before"
    r"|whether|how|what|than|once|certain|some|several|many|most|part|portion|there|various|others?|majority|might)\b"
)

_NEGATIVE = re.compile(rf"(?i)\b(?:{NEGATIONS}|hardly|few|fewer|little|only|except|unable)\b")
_UNFIT_BEHIND = re.compile(
    r"\s+(?:not|no|only|also|both|just|either|neither|at|up|even|as|then|now|still|already|first|less|more|most)\b"
)
_NOT = re.compile(
    r"\b(shall|may|must|will|should|is|are|was|were|does|do|did|has|have|had|can|could|would) not\b"
    r"(?! (?:only|less|more|later|earlier|fewer|greater|limited|necessarily|yet|all|every|always|both))"
)
_NEEDS_NEGATION = re.compile(r"(?i)\b(?:any|either|nor|yet|neither|at all|ever|anyone|anything|whether)\b")
_OPPOSITES = (
    ("increased", "decreased"),
    ("increases", "decreases"),
    ("increase", "decrease"),
    ("rose", "fell"),
    ("grew", "shrank"),
    ("improved", "worsened"),
    ("higher", "lower"),
)


def mutate_negations(text: str) -> Iterator[str]:
    """The claim with a negation more or less, "may" made "must", or a rise made a fall."""
    for match in _NOT.finditer(text):
        if not _NEEDS_NEGATION.search(text[match.end() :]):
            yield replace_match(match, match[1])
    for match in _AUXILIARY.finditer(text):
        if match[1] == "may":
            if not _UNFIT_BEHIND.match(text[match.end() :]):
                yield replace_match(match, "must")
        elif _is_negatable(text, match):
            yield replace_match(match, "cannot" if match[1] == "can" else f"{match[1]} not")
    yield from _swap_opposites(text)


def _is_negatable(text: str, match: re.Match[str]) -> bool:
    """Whether an auxiliary is that of a main clause, which "not" makes false."""
    head, before = text[: match.start()], _clause_before(text, match.start())
    boundary = _BOUNDARY.search(text, match.end())
    after = text[match.end() : boundary.start() if boundary else len(text)]
    if match[1] in ("has", "have", "had") and not re.match(
        r"\s+(?:\w+e[dn]|been|made|had|held|set|paid|sold)\b", after
    ):
        return False
    is_aside = head.count("(") != head.count(")") or sum(head.count(sign) for sign in '"\u201c\u201d') % 2 == 1
    unfit = _SUBORDINATE.search(before) or _NEGATIVE.search(before + after) or _UNFIT_BEHIND.match(after)
    return bool(before.strip()) and not is_aside and not unfit and "whether" not in head


def _swap_opposites(text: str) -> Iterator[str]:
    for pair in _OPPOSITES:
        if all(re.search(rf"\b{word[:-1]}", text) for word in pair):
            continue
        for word, other in (pair, pair[::-1]):
            # Only the first is turned round: it is what the sentence is about.
            match = re.search(rf"\b{word}\b(?! or\b)(?! \(de)", text)
            if match and not _NEGATIVE.search(text[: match.start()]):
                changed = replace_match(match, other)
                yield re.sub(r"\b([Aa])n? (increase)\b", r"\1n \2", re.sub(r"\b([Aa])n (?=[dlh])", r"\1 ", changed))


def replace_each(text: str, pattern: str, replacement: str) -> Iterator[str]:
    """The text with each match of the pattern, one at a time, made the replacement."""
    return (replace_match(match, match.expand(replacement)) for match in re.finditer(pattern, text))


def replace_match(match: re.Match[str], words: str) -> str:
    """The text in which a match was found, with other words in its place."""
    return match.string[: match.start()] + words + match.string[match.end() :]


_WIDER = (
    (r"\b(?:primarily|mainly|mostly|chiefly|principally|predominantly)\b", "solely"),
    (r"\blargely\b", "entirely"),
    (r"\bpart(?:ial)?ly offset\b", "fully offset"),
    (r"\b(?:generally|usually|typically|normally|often|sometimes|frequently)\b(?! accepted)", "always"),
)
_ITS = r"(?:the|its|our|their|these|those)\b"
_THINGS = r"(?!years|months|days|weeks|ways|times|others)[a-z]+[^s\W]s\b"
_OTHER_QUANTITIES = (
    (r"\b(?:substantially all|most|some|certain|a majority|a portion|many|several) of\b", "all of"),
    (rf"\b(?:certain|some|several|many|most) (?=(?:[a-z-]+ )?{_THINGS})", "all "),
    (rf"\ball (?:of )?(?={_ITS})", "only some of "),
    (rf"\ball (?={_THINGS})", "only some "),
)
_UNFIT_BEFORE = re.compile(
    r"(?i)\b(?:at|above|in|after|nearly|almost|substantially|virtually|not|are|is|were|was|next|past|last|these"
    r"|those) $|% of $"
)
_TAIL = re.compile(rf",?\s(?:{_CONDITIONS})\b")
_HEAD = re.compile(rf"(?i)(?:{_CONDITIONS})\b[^,;]*,\s+(?=(?:the|we|our|each|either|no|all|an?)\s)")


def mutate_scopes(text: str) -> Iterator[str]:
    """The claim said of more than it holds for: a limit, a condition or a part left out, or "only" put before it."""
    for pattern, put in (*_WIDER, *_OTHER_QUANTITIES):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            before = text[: match.start()]
            fit = (pattern, put) in _WIDER or not _UNFIT_BEFORE.search(before)
            if fit and not _NEGATIVE.search(_clause_before(text, match.start())):
                yield replace_match(match, put if before else put[0].upper() + put[1:])
    for match in _TAIL.finditer(text):
        rest = text[: match.start()].rstrip(" ,;")
        if _is_definite_sentence(rest):
            yield f"{rest}."
    if head := _HEAD.match(text):
        rest = text[head.end() :]
        if _is_definite_sentence(rest):
            yield rest[0].upper() + rest[1:]


def _clause_before(text: str, at: int) -> str:
    """The part of the clause before `at`."""
    begin = max((found.end() for found in _BOUNDARY.finditer(text, 0, at)), default=0)
    return text[begin:at]


def _is_definite_sentence(rest: str) -> bool:
    """Whether the rest is a sentence that says more than what may be possible."""
    words = rest.split()
    balanced = rest.count("(") == rest.count(")") and rest.count("\u201c") == rest.count("\u201d")
    verb = re.search(rf"{_AUXILIARY.pattern}|\b[a-z]{{3,}}(?:ed|[^s]s)\b", rest.partition(", ")[2] or rest)
    possible = re.search(r"\b(?:could|might|can|may)\b", rest)
    return len(words) >= 5 and balanced and bool(verb) and not possible and words[-1].lower() not in STOP_WORDS
