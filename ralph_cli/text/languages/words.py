"""Languages of documents and questions: which it is, its little words, and its words where no spaces part them. Pure.

The source of this module also runs as guest code in the sandbox. Standard library only.
"""

import re

# Articles, prepositions, pronouns, auxiliaries and words of questions, by the language's code (ISO 639-1).
FUNCTION_WORDS = {
    "en": """
        a the of and to in is are was were be been for that with on by as at from which what when where who how why
        does did do has have had this these those it its an or not will would shall should may can could there their
        our we they he she if
    """,
    "de": """
        der die das den dem des ein eine einer eines einem einen und oder aber in im an am auf aus bei beim bis
        durch für gegen mit nach ohne seit über um unter von vom vor während wegen zu zum zur zwischen als auch dass
        daß denn doch er es sie wir ihr ich man sich ist sind war waren wird werden wurde wurden worden sein hat
        haben hatte hatten kann können muss müssen soll sollen darf dürfen nicht kein keine keinen noch nur schon
        sehr so wenn weil wie was wann wer wem wen wo warum weshalb wieso woher wohin womit wofür worin worauf
        welche welcher welches welchen welchem wieviel viel viele hoch groß lange dieser diese dieses diesem diesen
        jeder jede jedes gibt es
    """,
    "fr": """
        le la les l un une des du de d à au aux en dans par pour sur sous avec sans chez entre vers depuis pendant
        et ou où mais donc or ni car que qui quoi quel quelle quels quelles quand comment combien pourquoi dont il
        elle ils elles on nous vous je se s ce cet cette ces son sa ses leur leurs est sont était étaient être été
        sera seront a ont avait avaient avoir fait peut peuvent doit doivent ne n pas plus moins très si comme aussi
        y quelqu
    """,
    "es": """
        el la los las un una unos unas de del al a en por para con sin sobre entre hasta desde durante según y e o u
        pero ni que qué quien quién quienes quiénes cual cuál cuales cuáles cuando cuándo donde dónde como cómo
        cuanto cuánto cuanta cuánta cuantos cuántos cuantas cuántas porque es son era eran fue fueron ser sido está
        están hay ha han había habían haber tiene tienen puede pueden debe deben no se lo le les su sus este esta
        estos estas ese esa más menos muy si ya también
    """,
    "it": """
        il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dallo
        dalla dai dagli dalle in nel nello nella nei negli nelle con col su sul sullo sulla sui sugli sulle per tra
        fra e ed o ma né che chi cui qual quale quali quando dove come quanto quanta quanti quante perché è sono era
        erano stato stata stati state essere ha hanno aveva avevano avere può possono deve devono non si ci ne suo
        sua suoi sue questo questa questi queste più meno molto se già anche
    """,
    "pt": """
        o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela pelos pelas para com
        sem sobre entre até desde durante segundo e ou mas nem que quem qual quais quando onde como quanto quanta
        quantos quantas porque é são era eram foi foram ser sido está estão há tem têm tinha tinham ter pode podem
        deve devem não se lhe seu sua seus suas este esta estes estas esse essa mais menos muito já também
    """,
}

LITTLE_WORDS = {language: frozenset(words.split()) for language, words in FUNCTION_WORDS.items()}

_ALL_LITTLE_WORDS = frozenset().union(*LITTLE_WORDS.values())

# Characters of a text that are used to find its language.
SAMPLE_CHARS = 20_000

# What follows a number with a full stop in German, which makes an ordinal of it: no sentence ends there.
DAY_FOLLOWERS = (
    "Januar|Jänner|Februar|Feber|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Quartal|Halbjahr"
)

# Characters of Chinese and Japanese, for a class of a pattern.
UNSPACED = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d"

# Signs that end a sentence there, without a space after them.
FULL_STOPS = "\u3002\uff01\uff1f"

# Share of little words among all, from which on they tell a language: tables and lists of names have fewer.
LEAST_SHARE = 0.12

# Words of a sentence, of which fewer little ones tell a language.
_FEW_WORDS = 15

_LETTERS = re.compile(r"[^\W\d_]+")
_ASCII_LETTERS = "".join(chr(number) if chr(number).isalpha() else " " for number in range(128))
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30ff\uff66-\uff9d]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")

# A run of Han characters or of katakana is a word or several; hiragana are endings and particles.
_UNSPACED_WORDS = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005]+|[\u30a1-\u30fa\u30fc-\u30ff]+|[0-9０-９]+"
)
# Characters of Chinese that part words as spaces do elsewhere, and Japanese words that only ask.
_LITTLE_HAN = re.compile("[的是在了和与及或吗什么多少哪谁为被将对于由从到着过也都就而但并其之]|何[年月日人時円]?|誰")
_LONGEST_WORD = 4


def language_of(text: str) -> str:
    """Return the language of a text as its ISO 639-1 code; "en" if its words do not show it.

    It is found by script, and by the language with the most function words. This is fast, and sufficient for the seven
    languages distinguished here.
    """
    sample = text[:SAMPLE_CHARS]
    words = [word.lower() for word in _LETTERS.findall(sample)]
    if script := _language_of_script(sample, words):
        return script
    counts = {language: sum(word in little for word in words) for language, little in LITTLE_WORDS.items()}
    best = max(counts, key=lambda language: counts[language])
    is_told = counts[best] > 1 and counts[best] >= LEAST_SHARE * len(words)
    return best if is_told and counts[best] > counts["en"] else "en"


def told_language(text: str, otherwise: str) -> str | None:
    """Return the language of a passage, by its own words; None if they do not show it.

    Words that both languages share show nothing, nor do single letters, which may be abbreviations.
    """
    sample = text[:SAMPLE_CHARS].lower()
    # The same words, in half the time.
    words = sample.translate(_ASCII_LETTERS).split() if sample.isascii() else _LETTERS.findall(sample)
    if script := _language_of_script(text[:SAMPLE_CHARS], words):
        return otherwise if otherwise in ("ja", "zh") else script
    usual = LITTLE_WORDS.get(otherwise, frozenset())
    known = {word for word in _ALL_LITTLE_WORDS.intersection(words) if len(word) > 1}
    # Names and tables have a word of any language now and then.
    least = 2 if len(words) <= _FEW_WORDS else 3
    best, most = None, 0
    if len(known - usual) >= least:
        for language, little in LITTLE_WORDS.items():
            own, against, share = (
                sum(map(words.count, known & some)) for some in (little - usual, usual - little, little)
            )
            several = len(known & little - usual) >= least
            if several and own > max(most, against) and share >= LEAST_SHARE * len(words):
                best, most = language, own
    is_usual = len(known & usual - LITTLE_WORDS["en"]) >= least
    return otherwise if best is None and is_usual else best


def _language_of_script(text: str, words: list[str]) -> str:
    """Return Japanese or Chinese if most of a text is in its script."""
    if not has_unspaced(text):
        return ""
    han, kana = len(_HAN.findall(text)), len(_KANA.findall(text))
    if kana + han <= (sum(map(len, words)) - han - kana) / 2:
        return ""
    return "ja" if kana * 20 >= han else "zh"


def little_words_of(text: str) -> frozenset[str]:
    """Return the function words of a text's language; none for English, Japanese and Chinese, which have their own
    lists.
    """
    language = language_of(text)
    return LITTLE_WORDS[language] if language in LITTLE_WORDS and language != "en" else frozenset()


def has_unspaced(text: str) -> bool:
    """Whether a text has words without spaces between them: Chinese and Japanese."""
    return not text.isascii() and bool(_HAN.search(text) or _KANA.search(text))


def split_unspaced(text: str) -> list[str]:
    """Return the words of Chinese or Japanese text by script: runs of Han characters, katakana or figures.

    A run longer than most words is split into pairs, because most compounds consist of pairs.
    """
    found = []
    for match in _UNSPACED_WORDS.finditer(_LITTLE_HAN.sub(" ", text)):
        run = match[0]
        if len(run) <= _LONGEST_WORD or not _HAN.match(run):
            found += [run] if len(run) > 1 else []
            continue
        pairs = [run[at : at + 2] for at in range(0, len(run) - 1, 2)]
        found += [*pairs[:-1], pairs[-1] + run[len(run) - len(run) % 2 :]]
    return found
