"""Words of English that mean the same everywhere: negations, limits, numbers, months, function words. Pure.

This module has each list that several rooms need. A pattern is to be matched between word boundaries and without regard
to case.
"""

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first; a space in a word matches any white space.

    Words with the same first letter are grouped, and a word with its plural, so that a long list matches fast.
    """
    known = set(words)
    rests: dict[str, list[str]] = {}
    for word in sorted(known, key=lambda word: (-len(word), word)):
        if not (word.endswith("s") and word[:-1] in known):
            rest = re.escape(word[1:]).replace(r"\ ", r"\s+")
            rests.setdefault(word[0], []).append(f"{rest}s?" if f"{word}s" in known else rest)
    return "|".join(f"{re.escape(first)}(?:{'|'.join(own)})" for first, own in sorted(rests.items()))


NEGATIONS = (
    r"\w+n['\u2019]t|not|cannot|no(?!\.\s*\d)|none|nothing|nobody|never|nor|neither|without"  # but "No. 5" is a number
)
# Words that limit a sentence: without them it claims more.
LIMITS = (
    r"hardly|rarely|barely|except(?:s|ed|ing|ions?)?|exclud(?:es?|ed|ing)|unless|only|until|subject\s+to|other\s+than"
    r"|provided\s+that|fail(?:s|ed|ing|ures?)?|refus(?:es?|ed|ing|al)|den(?:y|ies|ied)|lack(?:s|ed|ing)?|absence|unable"
    r"|ceas(?:es?|ed)|at\s+least|at\s+most|up\s+to|(?:less|more|fewer|greater|higher|lower)\s+than|less|almost|nearly"
    r"|partly|partially"
)

_QUALIFIER = re.compile(rf"(?i)\b(?:{NEGATIONS}|{LIMITS})\b")


def find_qualifier(text: str) -> str:
    """Return the first negation or limit of a text, on one line; empty if there is none."""
    match = _QUALIFIER.search(text)
    return " ".join(match[0].split()) if match else ""


_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
_ORDINALS += " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
UNITS = {word: number for number, word in enumerate(f"{_UNITS} seventeen eighteen nineteen".split())}
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
ORDINALS = {word: number for number, word in enumerate(_ORDINALS.split())}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}

_MONTHS = "january february march april may june july august september october november december"
MONTHS = _MONTHS.split()

_ABBREVIATIONS = """
    a.m al approx cf co corp dr e.g etc i.e inc jr ltd mr mrs ms p.m prof sr st u.k u.s v vs
    bzw ca d ggf inkl mio mrd nr núm pág sog tsd u usw vgl z zzgl dott ltda mme
"""
# What a full stop behind does not end a sentence, whatever follows.
ABBREVIATIONS = _ABBREVIATIONS.split()

_REFERENCES = "art arts cl ex exh fig figs id no nos p para paras pg pgs pp sec secs vol"
# The same where a number follows: "no. 5", but "the answer is no. It".
REFERENCES = _REFERENCES.split()

_FOREIGN_PARTS = """
    ziffer ziffern abschnitt abschnitte klausel klauseln artikel artikeln paragraf punkt punkte
    articolo articoli clausola clausole sezione sezioni punto punti artículo artículos cláusula cláusulas sección
    secciones apartado apartados artigo artigos secção seção alinéa alinéas
"""
# Words of other languages that name a numbered part, as "clause" does.
FOREIGN_PARTS = _FOREIGN_PARTS.split()

_STOP_WORDS = """
    a about above after against all also an and any are as at be because been before being below between both but by
    can could did do does doing down during each every for from further had has have having he her here him his how i
    if in into is it its itself just many may me might more most much must my no nor not of off on once only or other
    our out over own same shall she should so some such than that the their them then there these they this those
    through to too under until up upon very was we were what when where whether which while who whom whose why will
    with within without would you your
"""
# Function words, which do not show the subject of a text.
STOP_WORDS = frozenset(_STOP_WORDS.split())


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 page", "2 pages". `plural` is for nouns that do not take an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
