"""Write figures and dates of other languages as in English, so that one reader reads all. Pure.

A text is read passage by passage: an English passage in a German report is read as English. All positions stay the
same, because the English is as long as the words that it replaces.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from ralph_cli.text.languages.east_asian import PAD, figures_in_english
from ralph_cli.text.languages.numerals import fractions, number_words, numerals, ones, read_numerals
from ralph_cli.text.languages.phrases import LANGUAGES, MONTHS, PHRASES
from ralph_cli.text.languages.words import LITTLE_WORDS, told_language
from ralph_cli.text.lexicon import TENS, UNITS, any_of

# Languages that write 1.284,6 (or 1 284,6) where English writes 1,284.6; not in all countries.
DECIMAL_COMMAS = frozenset(LANGUAGES)

EAST_ASIAN = frozenset(("ja", "zh"))
# Languages whose figures are read as English ones.
TRANSLATED = DECIMAL_COMMAS | EAST_ASIAN

_GROUP = "[.\u00a0\u2009\u202f'\u2019]"
_NUMBER = re.compile(
    rf"(?<![\w.,])\d{{1,3}}(?:['\u2019]\d{{3}})+\.\d+(?![\d,]|\.\d)"
    rf"|(?<![\w.,])\d{{1,3}}(?:{_GROUP}\d{{3}})+(?:,\d+)?(?!\d|[.,'\u2019]\d)|(?<![\w.,])\d+,\d+(?![\d,]|\.\d)"
)
_SPACED_NUMBER = re.compile(rf"(?<![\w.,])(?<!\d )\d{{1,3}}(?: \d{{3}})+(?:,\d+)?(?! ?\d|,\d)|{_NUMBER.pattern}")
_WRITES_COMMAS = re.compile(r"\d(?:\.\d{3}(?:,\d|\.\d{3}(?!\d))|,(?:\d\d?(?![\d,])|\d{4,}))")
_WRITES_POINTS = re.compile(
    r"\d,\d{3}\.\d|\d,\d{3},\d{3}(?!\d)|(?<![\d.])\d+\.\d\d?(?=\s?%|\s(?:mil|Mi))|[$\u20ac\u00a3]\s?\d+\.\d\d?(?![\d.])"
)
_MAY_WRITE_POINTS = re.compile(r"\d,\d{3}(?!\d)")
_MONTH_NAMES = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905
_MONTH = rf"(?:{'|'.join(_MONTH_NAMES)})"
# 4T23 and T4 2023, 1S24 and S1 2024, of which English has Q and H.
_SHORT_PART = re.compile(
    r"\b(?:(?P<part>[1-4])(?P<kind>[TS])(?=\s?['\u2019]?\d\d(?!\d\d\d))|(?P<french>[TS])(?=[1-4]\s(?:19|20)\d\d))"
)

# What is written between day, month and year.
_IN_DATE = re.compile(
    rf"(?<=\d)(?:\.|er|[º°])(?=\s+(?:de\s+)?{_MONTH}\b)|\bde(?=\s+{_MONTH}\b)|(?<={_MONTH})\sdel?(?=\s(?:19|20)\d\d\b)"
)

_OF_YEAR = re.compile(r"(?<=[QH][1-4])\s+(?:del?|du|di)(?=\s(?:19|20)\d\d\b)")

# 180 T€, 180 TEUR, 4,5 M€, 2 Md€ and 120mila are 180k €, 180k EUR, 4.5m €, 2bn € and 120 tsd.
_GLUED_SCALE = re.compile(
    r"(?<=\d)\s?([TKkM])(?=\u20ac)|(?<=\d)\s([TKkM])(?=EUR\b)|(?<=\d)\s?M(ds?|rd?s?)(?=\s?\u20ac)|(?<=\d)(mila)\b"
)

# (M€) above a table is (€M), (K€) is (€k), "en milliers" in thousands, "R$ mil" R$ tsd.
_SCALE_OF_TABLE = re.compile(
    r"(?<![\w.,])([MKk])(?:€|EUR\b)|\b(?i:e[nm])(?=\s+(?:mil|thou|bil|[Mk]?\u20ac|R?\$))|(?<=\$ )(mil|mi|bi)\b"
)

_SCALES_ALONE = {"mil": "tsd", "mi": "mn", "bi": "bn"}

_LETTERS = re.compile(r"[^\W\d_]+")
_PASSAGES = re.compile(r"\n[ \t]*\n\s*|\f\s*")
_CHOICES = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_QUOTED = re.compile(r'"([^"]+)"')
_WORDS = re.compile(r"\w+")
_ENGLISH = {number: word for word, number in (UNITS | TENS).items()}
_PARTS = "third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
# Fewest letters of a month's name that is read anywhere.
_LEAST_MONTH = 5


@dataclass(frozen=True, slots=True)
class EnglishFigures:
    """A text with its figures written as in English, of the same length as the `original`."""

    text: str
    original: str

    def cut(self, start: int, end: int) -> "EnglishFigures":
        """Return a part of the text, as read within the whole."""
        return EnglishFigures(self.text[start:end], self.original[start:end])

    def find(self, words: str) -> str | None:
        """Return words of the text as originally written, on one line.

        Words after them that are not in the text stay unchanged.
        """
        parts = words.split()
        for count in range(len(parts), 0, -1):
            pattern = r"\s+".join(map(re.escape, parts[:count]))
            if match := re.search(rf"(?<!\d)(?<!\d[.,]){pattern}(?!\d|[.,]\d)", self.text):
                start, end = self.widen(match.start(), match.end())
                return " ".join((*self.original[start:end].split(), *parts[count:]))
        return None

    def widen(self, start: int, end: int) -> tuple[int, int]:
        """Return an interval of the text, widened to all original words that its words replace."""
        while start and self.text[start - 1] != self.original[start - 1]:
            start -= 1
        while end < len(self.text) and self.text[end] != self.original[end]:
            end += 1
        return start, end


def in_english(text: str, language: str, points: Callable[[], bool | None] = lambda: None) -> EnglishFigures:
    """Return the text with its numbers, months, units and phrases written as in English.

    Each passage is read in its own language if its words show one, else in `language`. A passage in a language without
    an entry here is not changed. `points` tells whether decimals have a point if the figures of a passage do not show
    it; if it returns None, the figures of the whole text decide.
    """
    parts: list[str] = []
    at = 0

    @cache
    def usual() -> bool:
        told = points()
        return bool(writes_points(text) if told is None else told)

    for start, end, own in passages(text, language):
        if own not in TRANSLATED:
            continue
        passage = text[start:end]
        if own in EAST_ASIAN:
            english = figures_in_english(passage)
        else:
            told = writes_points(passage)
            english = _translate(passage, own, points=usual() if told is None else told)
        parts += [text[at:start], english]
        at = end
    return EnglishFigures("".join((*parts, text[at:])), text)


def passages(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield the paragraphs of a text in `language`, each with its own language if its words and figures show one."""
    at = 0
    for match in _PASSAGES.finditer(text):
        yield at, match.start(), language_of_figures(text[at : match.start()], language)
        at = match.end()
    yield at, len(text), language_of_figures(text[at:], language)


def writes_points(text: str) -> bool | None:
    """Whether the figures of a text have a decimal point; None if they do not show it."""
    points, commas = len(_WRITES_POINTS.findall(text)), len(_WRITES_COMMAS.findall(text))
    return None if points == commas else points > commas


def language_of_figures(text: str, otherwise: str) -> str:
    """Return the language in which a passage writes figures; `otherwise` if neither they nor its words show it."""
    told = told_language(text, otherwise)
    if told is not None:
        return told
    if otherwise not in DECIMAL_COMMAS or _WRITES_COMMAS.search(text):
        return otherwise
    # Words of both languages, such as "in" and "was" of German, tell only beside thousands with a comma.
    words = {word.lower() for word in _LETTERS.findall(text)}
    return "en" if _MAY_WRITE_POINTS.search(text) and len(LITTLE_WORDS["en"] & words) > 1 else otherwise


def restore_all(message: str, texts: Iterable[EnglishFigures]) -> str:
    """Return a message about several texts with its words as originally written, from the first text that has them."""
    texts = tuple(texts)
    return _restore(message, texts) if any(text.text != text.original for text in texts) else message


def _restore(message: str, texts: tuple[EnglishFigures, ...]) -> str:
    for text in texts:
        if text.text.strip() and text.text in message:
            message = message.replace(text.text, text.original)

    def as_written(words: str) -> str:
        return next((found for text in texts if (found := text.find(words)) is not None), words)

    parts = _QUOTED.split(message)
    if len(parts) == 1 and any(message in text.text for text in texts):
        return as_written(message)
    shown = (f'"{as_written(part)}"' if at % 2 else part for at, part in enumerate(parts))
    return re.sub(f" ?{PAD}+ ?", " ", "".join(shown))


def _translate(text: str, language: str, *, points: bool) -> str:
    """Return a passage of a language with decimal commas, written as in English."""
    if not points:
        text = (_NUMBER if language == "de" else _SPACED_NUMBER).sub(_as_points, text)
    text = _phrases_of(language).translate(text)
    text = _GLUED_SCALE.sub(_as_glued, text)
    text = _SHORT_PART.sub(_as_part, text)
    text = _SCALE_OF_TABLE.sub(_as_scale_of_table, text)
    text = _OF_YEAR.sub(lambda match: " of".ljust(len(match[0])), text)
    return _IN_DATE.sub(lambda match: PAD * len(match[0]), text)


def _as_points(match: re.Match[str]) -> str:
    # In Switzerland figures have their thousands apart by an apostrophe, and a decimal point.
    has_point = "." in match[0] and not match[0].replace(".", "").isdecimal() and "," not in match[0]
    whole, _, decimals = match[0].partition("." if has_point else ",")
    return re.sub(r"\D", ",", whole) + (f".{decimals}" if decimals else "")


def _as_part(match: re.Match[str]) -> str:
    letter = "Q" if "T" in match[0] else "H"
    return letter if match["french"] else f"{match['part']}{letter}"


def _as_scale_of_table(match: re.Match[str]) -> str:
    if match[1]:
        return f"\u20ac{match[1].replace('K', 'k')}".ljust(len(match[0]))
    return _SCALES_ALONE.get(match[2], "in")


def _as_glued(match: re.Match[str]) -> str:
    if match[4]:
        return " tsd"
    letter = match[1] or match[2]
    scale = {"T": "k", "K": "k", "M": "m"}.get(letter, letter) if letter else "bn"
    return scale.ljust(len(match[0]))


def _fit(foreign: str, *english: str) -> str:
    """Return the first English phrase that fits, padded to the same length; the foreign phrase if none fits."""
    before, line_end, behind = foreign.partition("\n")
    room = max(before, behind, key=len)
    gap = PAD * foreign.endswith(("'", "\u2019"))  # of "millions d'euros"
    fitting = next((one + gap for one in english if len(one + gap) <= len(room)), None)
    if fitting is None:
        return foreign
    filled = fitting.rjust(len(room), PAD)
    if not line_end:
        return filled
    return filled + "\n" + PAD * len(behind) if room is before else PAD * len(before) + "\n" + filled


@dataclass(frozen=True, slots=True)
class _Phrases:
    """The phrases of a language as one pattern, and the words that begin them.

    `words`, `behind` (phrases after a figure) and `months` have the English of each phrase, in lower case.
    """

    language: str
    pattern: re.Pattern[str]
    first_words: frozenset[str]
    words: dict[str, tuple[str, ...]]
    behind: dict[str, tuple[str, ...]]
    months: dict[str, str]

    def translate(self, text: str) -> str:
        """Return the text with its phrases in English, with the same number of characters."""
        parts, at = list[str](), 0
        for word in _WORDS.finditer(text):
            if word.start() < at or word[0].lower() not in self.first_words:
                continue
            if match := self.pattern.match(text, word.start()):
                english = self._as_english(match)
                parts += [text[at : match.start()], english]
                at = match.start() + len(english)
        return "".join((*parts, text[at:]))

    def _as_english(self, match: re.Match[str]) -> str:
        group, words = match.lastgroup or "", match[0].lower().split()
        if group in ("share", "part"):
            return self._as_share(match, words)
        if group == "numerals":
            return self._as_number(match[0], words)
        if group == "month":
            month = self.months[words[0].rstrip("./")]
            if match[0].endswith("/"):
                month += " " if match.string[match.end() :][:4].isdecimal() else "'"
            return _fit(match[0], month)
        phrase = " ".join(words)
        return _fit(match[0], *(self.words.get(phrase) or self.behind[phrase]))

    def _as_number(self, foreign: str, words: list[str]) -> str:
        """Return a number in several words, without its scale ("dos millones"), which is read next.

        "Tres y nueve" is not one number, so only its first word is read.
        """
        if words[-1] in self.words and words[-1] not in number_words(self.language):
            foreign = foreign[: foreign.lower().rindex(words.pop())].rstrip()
        value = read_numerals(self.language, " ".join(words))
        if value is not None:
            return _fit(foreign, f"{value:,}")
        first = foreign.split()[0]
        return _fit(first, *self.words.get(first.lower(), ("1",)))

    def _as_share(self, match: re.Match[str], words: list[str]) -> str:
        """Return "uno de cada cinco" as "one in five", "un quinto de" as "a fifth of"; in digits if there is too little
        space.
        """
        known = number_words(self.language) | ones(self.language)
        over = known[words[0]]
        if match.lastgroup == "share":
            under = known[words[-1]]
            return _fit(match[0], f"{_ENGLISH[over]} in {_ENGLISH.get(under, '')}", f"{over}/{under}")
        of = " of" * bool(match["of"])
        under = fractions(self.language)[" ".join(words[1 : len(words) - bool(of)])]
        name = f"{'a' if over == 1 else _ENGLISH[over]} {_PARTS[under - 3]}{'s' * (over > 1)}"
        return _fit(match[0], name + of, f"{over}/{under}{of}")


@cache
def _phrases_of(language: str) -> _Phrases:
    """Return the phrases of a language."""
    words, behind = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
    column = LANGUAGES.index(language)
    for row in PHRASES.strip().split("\n"):
        english, _, columns = row.partition(" = ")
        phrases = (columns.split(";") + [""] * len(LANGUAGES))[column].split("|")
        for phrase in filter(None, map(str.strip, phrases)):
            known = behind if phrase.startswith("# ") else words
            known |= dict.fromkeys(map(str.lower, _forms(phrase.removeprefix("# "))), tuple(english.split(" | ")))
    months = dict[str, str]()
    for short, names in zip(_MONTH_NAMES, MONTHS[language].lower().split(), strict=True):
        full, *others = names.split("|")
        months |= dict.fromkeys((full, *others), short)
        words |= {name: (short,) for name in (full, *others) if name == full or len(name) >= _LEAST_MONTH}
    numbers = {word: (str(number),) for word, number in number_words(language).items()}
    one, number, whole = any_of(ones(language)), any_of(numbers), any_of(fractions(language))
    month, part = any_of(months), numerals(language)[0].pattern
    pattern = (
        rf"(?P<share>(?:{one}|{number}) (?:von|sur|de cada|su|em cada) (?:{number}))(?!\w)"
        rf"|(?P<part>(?:{one}|{number}) (?:{whole})(?!\w)(?: (?P<of>d[aeiou]|de[rslim]|d[ao]s|dell[aeo]|degli)(?!\w))?)"
        rf"|(?P<plain>(?:{any_of(words)})(?!(?<=\w)\w)|(?<=[\d%][ \u00a0])(?:{any_of(behind) or '(?!)'})(?!\w))"
        rf"|(?P<numerals>{part}(?:\s+(?:(?:y|e|et|und)\s+)?{part})+)"
        rf"|(?P<month>(?:{month})/(?=\d\d)|(?:{month})\.?(?=[ -]?['\u2019]?\d)|(?<=\d )(?:{month})\b\.?"
        rf"|(?<=\d\. )(?:{month})\b\.?)|(?<!-)(?<!pour )(?<!por )(?<!per )(?P<number>{number})(?![\w-])"
    )
    forms = (*numerals(language)[1], *words, *behind, *months)
    first_words = frozenset(match[0] for match in map(_WORDS.match, forms) if match)
    return _Phrases(language, re.compile(pattern, re.IGNORECASE), first_words, numbers | words, behind, months)


def _forms(phrase: str) -> Iterator[str]:
    """Yield the forms of a phrase: with and without each ending in brackets, with each of several letters."""
    parts = _CHOICES.split(phrase)
    # Of each three parts one is the words, one an ending that may lack, one the letters of which one is there.
    fixed, optional, choices = parts[::3], parts[1::3], parts[2::3]
    ways = [
        ("", ending) if ending is not None else tuple(letters)
        for ending, letters in zip(optional, choices, strict=True)
    ]
    for endings in product(*ways):
        yield "".join(word + ending for word, ending in zip(fixed, (*endings, ""), strict=True))
