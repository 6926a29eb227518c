"""Claims made false by a word or a clause: a negation more or less, a condition dropped, a part made the whole."""

import re
from collections.abc import Iterator

from ralph_cli.text.lexicon import NEGATIONS

_BOUNDARY = re.compile(r"[,;:](?=\s)|[()\u2013\u2014\u201c\u201d\"]")
_AUXILIARY = re.compile(r"\b(is|are|was|were|will|shall|must|may|can|could|should|would|has|have|had)\b")
_PARTICIPLE = re.compile(r"\s+(?:\w+ed|\w+en|been|made|had|held|set|put|paid|sold|kept|become|begun|grown|built|met)\b")
_SUBORDINATE = re.compile(
    r"(?i)\b(?:that|which|who|whose|whom|where|when|whenever|if|as|because|since|while|although|though|until|unless"
    r"|after|before|whether|how|what|than|once|certain|some|several|many|most|part|portion|there|various|other|others"
    r"|majority|may|might)\b"
)
_NEGATIVE = re.compile(rf"(?i)\b(?:{NEGATIONS}|hardly|few|fewer|little|only|except|unable)\b")
_UNFIT_NEXT = re.compile(
    r"\s+(?:not|no|only|also|both|just|merely|either|neither|at|up|even|as|then|now|still|already|first|less|more|fewer|most)\b"
)
_NOT = re.compile(
    r"\b(shall|may|must|will|should|is|are|was|were|does|do|did|has|have|had|can|could|would) not\b"
    r"(?! (?:only|less|more|later|earlier|fewer|greater|limited|necessarily|yet|all|every|always|both))"
)
_NEVER_POSITIVE = re.compile(r"(?i)\b(?:any|either|nor|yet|neither|at all|ever|anyone|anything|whether)\b")
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
        if not _NEVER_POSITIVE.search(text[match.end() :]):
            yield replace_match(match, match[1])
    for match in _AUXILIARY.finditer(text):
        if _is_negatable(text, match):
            yield replace_match(match, "cannot" if match[1] == "can" else f"{match[1]} not")
        if match[1] == "may" and not _UNFIT_NEXT.match(text[match.end() :]):
            yield replace_match(match, "must")
    yield from _swap_opposites(text)


def _is_negatable(text: str, match: re.Match[str]) -> bool:
    """Whether an auxiliary is that of a main clause which "not" makes false."""
    head, before = text[: match.start()], _clause_before(text, match.start())
    boundary = _BOUNDARY.search(text, match.end())
    after = text[match.end() : boundary.start() if boundary else len(text)]
    if match[1] == "may" or "whether" in head or head.count("(") != head.count(")"):
        return False
    if match[1] in ("has", "have", "had") and not _PARTICIPLE.match(after):
        return False
    quoted = sum(head.count(sign) for sign in '"\u201c\u201d') % 2 == 1
    unfit = _SUBORDINATE.search(before) or _NEGATIVE.search(before + after) or _UNFIT_NEXT.match(after)
    return bool(before.strip()) and not quoted and not unfit


def _swap_opposites(text: str) -> Iterator[str]:
    for pair in _OPPOSITES:
        if all(re.search(rf"\b{word[:-1]}", text) for word in pair):
            continue
        for word, other in (pair, pair[::-1]):
            # Only the first is turned round: it is what the sentence is about.
            match = re.search(rf"\b{word}\b(?! or\b)(?! \(de)", text)
            if match and not _NEGATIVE.search(text[: match.start()]):
                yield _fix_article(replace_match(match, other))


def _fix_article(text: str) -> str:
    text = re.sub(r"\b([Aa])n (?=(?:decrease|lower|higher)\b)", r"\1 ", text)
    return re.sub(r"\b([Aa]) (?=increase\b)", r"\1n ", text)


def replace_each(text: str, pattern: str, replacement: str) -> Iterator[str]:
    """The text with each match of the pattern, one at a time, made the replacement."""
    return (replace_match(match, match.expand(replacement)) for match in re.finditer(pattern, text))


def replace_match(match: re.Match[str], words: str) -> str:
    """The text in which a match was found, with other words in its place."""
    return match.string[: match.start()] + words + match.string[match.end() :]


# Scope

_HEDGES = (
    (r"\b(?:primarily|mainly|mostly|chiefly|principally|predominantly)\b", "solely"),
    (r"\blargely\b", "entirely"),
    (r"\bpart(?:ial)?ly offset\b", "fully offset"),
    (r"\b(?:generally|usually|typically|normally|often|sometimes|frequently)\b(?! accepted)", "always"),
    (r"\b(?:substantially all|most|some|certain|a majority|a portion|many|several) of\b", "all of"),
    (
        r"\b(?:certain|some|several|many|most) (?=(?:[a-z-]+ )?(?!years|months|days|weeks|ways|times)[a-z]+[^s\W]s\b)",
        "all ",
    ),
)
_WHOLE = (
    (r"\ball (?:of )?(?=(?:the|its|our|their|these|those)\b)", "only some of "),
    (r"\ball (?=(?!times|others)[a-z]+[^\s\W]s\b)", "only some "),
)
_QUANTIFIERS = (*_WHOLE, *(pair for pair in _HEDGES if pair[1].startswith("all")))
_NOT_BEFORE = re.compile(
    r"(?i)\b(?:at|above|in|after|nearly|almost|substantially|virtually|not|are|is|were|was|next|past|last|these"
    r"|those) $|% of $"
)
_TAIL = re.compile(
    r",?\s+(?:(?<!even )(?<!as )(?<!only )(?<!or )(?<!and )(?<!see )(?<!determine )if\b(?! any| applicable| necessary"
    r"| appropriate| required| so)|unless\b|except\b(?! as\b)(?! to the)|provided that\b|(?:for )?(?:so|as) long as\b"
    r"|other than\b|to the extent\b|only (?:if|when|where)\b|in the event\b)"
)
_HEAD = re.compile(
    r"(?:If|Unless|Subject to|Except (?:for|in|where)|Provided that|To the extent)\b[^,;]*,\s+"
    r"(?=(?:the|we|our|each|either|no|all|an?)\s)"
)
_DANGLING_ENDS = ("and", "or", "but", "that", "than", "of", "by", "for", "in", "on", "to", "with", "at", "as", "from")
_MERELY_POSSIBLE = re.compile(
    r"\b(?:could|might|can)\b|\bmay (?:be|have|also|adversely|not|affect|result|cause|lead|need|experience|incur|lose"
    r"|become)\b"
)
_PREPOSITIONS = "Within|After|Before|On|In|At|By|For|From|During|Upon|Of|With|Under|As"
_VERB = re.compile(
    r"\b(?:is|are|was|were|will|shall|must|may|can|could|should|would|has|have|had|does|do|did|[a-z]{3,}ed|rose|fell"
    r"|grew|includes?|means?|lasts?|continues?|applies|apply|expects?|provides?|requires?|remains?|receives?|holds?"
    r"|makes?|owns?|begins?|ends?|pays?|sells?)\b"
)


def mutate_scopes(text: str) -> Iterator[str]:
    """The claim said of more than it holds for: a limit, a condition or a part left out, or "only" put before it."""
    for pattern, put in (*_HEDGES, *_WHOLE):
        for match in re.finditer(pattern, text, re.IGNORECASE):
            fit = not _NOT_BEFORE.search(text[: match.start()]) or (pattern, put) not in _QUANTIFIERS
            if fit and not _NEGATIVE.search(_clause_before(text, match.start())):
                yield replace_match(match, put[0].upper() + put[1:] if match.start() == 0 else put)
    for match in _TAIL.finditer(text):
        rest = text[: match.start()].rstrip(" ,;")
        if _is_full_sentence(rest) and not _MERELY_POSSIBLE.search(rest):
            yield rest + "."
    if head := _HEAD.match(text):
        rest = text[head.end() :]
        if _is_full_sentence(rest) and not _MERELY_POSSIBLE.search(rest):
            yield rest[0].upper() + rest[1:]


def _clause_before(text: str, at: int) -> str:
    """What stands before `at` in its clause."""
    begin = max((found.end() for found in _BOUNDARY.finditer(text, 0, at)), default=0)
    return text[begin:at]


def _is_full_sentence(rest: str) -> bool:
    """Whether what is left can stand as a sentence."""
    words = rest.split()
    balanced = rest.count("(") == rest.count(")") and rest.count("\u201c") == rest.count("\u201d")
    ends = words[-1].lower() if words else ""
    main = re.sub(rf"^(?:{_PREPOSITIONS})\b[^,]*(?:,|$)", "", rest)
    verb = _VERB.search(main)
    return len(words) >= 5 and balanced and bool(verb) and ends not in _DANGLING_ENDS
