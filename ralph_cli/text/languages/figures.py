"""Figures and dates of other languages as English writes them, so that one reader reads all. Pure.

A text is read passage by passage: an English one in a German report as English, whatever the language of the report.
What stands in a passage stays at its place, for the English is as long as what it stands for.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from ralph_cli.text.languages.east_asian import PAD, figures_in_english
from ralph_cli.text.languages.numerals import fractions, number_words, numerals, ones, read_numerals
from ralph_cli.text.languages.phrases import MONTHS, PHRASES
from ralph_cli.text.languages.words import LITTLE_WORDS, told_language
from ralph_cli.text.lexicon import TENS, UNITS, any_of

DECIMAL_COMMAS = frozenset(PHRASES)
"""Languages that write 1.284,6 (or 1 284,6) where English writes 1,284.6; not in all countries."""

EAST_ASIAN = frozenset(("ja", "zh"))
TRANSLATED = DECIMAL_COMMAS | EAST_ASIAN
"""Languages whose figures are read as English ones."""

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
_SHORT_PART = re.compile(
    r"\b(?:(?P<part>[1-4])(?P<kind>[TS])(?=\s?['\u2019]?\d\d(?!\d\d\d))|(?P<french>[TS])(?=[1-4]\s(?:19|20)\d\d))"
)
"""4T23 and T4 2023, 1S24 and S1 2024, of which English has Q and H."""

_IN_DATE = re.compile(
    rf"(?<=\d)(?:\.|er|[º°])(?=\s+(?:de\s+)?{_MONTH}\b)|\bde(?=\s+{_MONTH}\b)|(?<={_MONTH})\sdel?(?=\s(?:19|20)\d\d\b)"
)
"""What stands between day, month and year."""

_OF_YEAR = re.compile(r"(?<=[QH][1-4])\s+(?:del?|du|di)(?=\s(?:19|20)\d\d\b)")

_GLUED_SCALE = re.compile(
    r"(?<=\d)\s?([TKkM])(?=\u20ac)|(?<=\d)\s([TKkM])(?=EUR\b)|(?<=\d)\s?M(ds?|rd?s?)(?=\s?\u20ac)|(?<=\d)(mila)\b"
)
"""180 T€, 180 TEUR, 4,5 M€, 2 Md€ and 120mila are 180k €, 180k EUR, 4.5m €, 2bn € and 120 tsd."""

_SCALE_OF_TABLE = re.compile(
    r"(?<![\w.,])([MKk])(?:€|EUR\b)|\b(?i:e[nm])(?=\s+(?:mil|thou|bil|[Mk]?\u20ac|R?\$))|(?<=\$ )(mil|mi|bi)\b"
)
"""(M€) above a table is (€M), (K€) is (€k), "en milliers" in thousands, "R$ mil" R$ tsd."""

_SCALES_ALONE = {"mil": "tsd", "mi": "mn", "bi": "bn"}

_FROM_TO = re.compile(
    r"(?<!\w)(?:(?P<first>entre|tra|fra)|d[aeo]s?|d[ae]l)"
    r"(?P<between>\s+[$\u20ac\u00a3]?\d[\d.,]*(?:\s?(?P<unit>[%\u20ac])|\s+[a-z]+)?\s+)(?P<joint>(?(first),|(?:\u00e0|a[olu]?)))"
    r"(?=\s[$\u20ac\u00a3]?\d[\d.,]*(?(unit)\s?(?P=unit)))"
)
"""Ranges whose "to" is shorter than the English word: de 5 a 7, entre 5 y 7."""

_AGAIN_IN_DIGITS = re.compile(r"\s*\(\s*(\d+)\s*\)")
"""Behind a number in words: quarante-huit (48) heures."""

_LETTERS = re.compile(r"[^\W\d_]+")
_PASSAGES = re.compile(r"\n[ \t]*\n\s*|\f\s*")
_CHOICES = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_QUOTED = re.compile(r'"([^"]+)"')
_FIGURE = re.compile(r"(?<![\d.,])\d[\d,]*(?:\.\d+)?(?!\d)")
_WORDS = re.compile(r"\w+")
_NEXT_WORD = re.compile(r"\s+([^\W\d_]+)")
_PER = ("per", "/")
_ENGLISH = {number: word for word, number in (UNITS | TENS).items()}
_PARTS = "third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
_TIMES = frozenset(("day", "week", "month", "year", "hour", "minute", "quarter"))
_LEAST_MONTH = 5
"""Letters of a month's name from which it is one wherever it stands."""


@dataclass(frozen=True, slots=True)
class EnglishFigures:
    """A text whose figures are written as in English, of the same length.

    `original` is the text as it was, and `changed` has each figure and what it was.
    """

    text: str
    original: str
    changed: tuple[tuple[str, str], ...] = ()

    def cut(self, start: int, end: int) -> "EnglishFigures":
        """A part of the text, as it is read in the whole."""
        return EnglishFigures(self.text[start:end], self.original[start:end], self.changed)

    def find(self, words: str) -> str | None:
        """Words of the text as they were written, on one line; behind its own there may be others, left as they are."""
        parts = words.split()
        for count in range(len(parts), 0, -1):
            pattern = r"\s+".join(map(re.escape, parts[:count]))
            if match := re.search(rf"(?<!\d)(?<!\d[.,]){pattern}(?!\d|[.,]\d)", self.text):
                start, end = self.widen(match.start(), match.end())
                return " ".join((*self.original[start:end].split(), *parts[count:]))
        return None

    def widen(self, start: int, end: int) -> tuple[int, int]:
        """A place in the text with all that its words stand for, which may be longer, and begin before them."""
        while start and self.text[start - 1] != self.original[start - 1]:
            start -= 1
        while end < len(self.text) and self.text[end] != self.original[end]:
            end += 1
        return start, end


def in_english(text: str, language: str, points: Callable[[], bool | None] = lambda: None) -> EnglishFigures:
    """The text with its numbers, months, units and what is said of them as in English.

    Each passage is read in its own language where its words tell one, else in `language`; of one that has no entry
    here nothing is changed. `points` says whether decimals have a point where the figures of a passage do not tell;
    if it does not know, those of the text say.
    """
    parts: list[str] = []
    changed: dict[str, str] = {}
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
            english = _translate(passage, own, changed, points=usual() if told is None else told)
        parts += [text[at:start], english]
        at = end
    if not parts:
        return EnglishFigures(text, text)
    longest_first = sorted(changed.items(), key=lambda item: -len(item[0]))
    return EnglishFigures("".join((*parts, text[at:])), text, tuple(longest_first))


def passages(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """The paragraphs of a text that is in `language`, each with its own language where its words and figures tell."""
    at = 0
    for match in _PASSAGES.finditer(text):
        yield at, match.start(), language_of_figures(text[at : match.start()], language)
        at = match.end()
    yield at, len(text), language_of_figures(text[at:], language)


def writes_points(text: str) -> bool | None:
    """Whether the figures of a text have a point before their decimals; None if they do not tell."""
    points, commas = len(_WRITES_POINTS.findall(text)), len(_WRITES_COMMAS.findall(text))
    return None if points == commas else points > commas


def language_of_figures(text: str, otherwise: str) -> str:
    """In which language the figures of a passage are written; `otherwise` where neither they nor its words tell."""
    told = told_language(text, otherwise)
    if told is not None:
        return told
    if otherwise not in DECIMAL_COMMAS or _WRITES_COMMAS.search(text):
        return otherwise
    # Words of both languages, such as "in" and "was" of German, tell only beside thousands with a comma.
    words = {word.lower() for word in _LETTERS.findall(text)}
    return "en" if _MAY_WRITE_POINTS.search(text) and len(LITTLE_WORDS["en"] & words) > 1 else otherwise


def restore_all(message: str, texts: Iterable[EnglishFigures]) -> str:
    """A message about several texts with its words as they were written; the first text that has them tells."""
    texts = tuple(texts)
    return _restore(message, texts) if any(text.text != text.original for text in texts) else message


def _restore(message: str, texts: tuple[EnglishFigures, ...]) -> str:
    for text in texts:
        if text.text.strip() and text.text in message:
            message = message.replace(text.text, text.original)
    changed = {english: foreign for text in reversed(texts) for english, foreign in text.changed}

    def as_figure(match: re.Match[str]) -> str:
        return changed.get(match[0], match[0])

    def as_written(words: str) -> str:
        return next((found for text in texts if (found := text.find(words)) is not None), _FIGURE.sub(as_figure, words))

    parts = _QUOTED.split(message)
    if len(parts) == 1 and (whole := next((text for text in texts if text.text and message in text.text), None)):
        return whole.find(message) or message
    for at, part in enumerate(parts):
        parts[at] = f'"{as_written(part)}"' if at % 2 else _FIGURE.sub(as_figure, part)
    return re.sub(f" ?{PAD}+ ?", " ", "".join(parts))


def _translate(text: str, language: str, changed: dict[str, str], *, points: bool) -> str:
    """A passage of a language with decimal commas; its figures and what they were are added to those `changed`."""

    def as_points(match: re.Match[str]) -> str:
        # In Switzerland figures have their thousands apart by an apostrophe, and a decimal point.
        has_point = "." in match[0] and not match[0].replace(".", "").isdecimal() and "," not in match[0]
        whole, _, decimals = match[0].partition("." if has_point else ",")
        figure = re.sub(r"\D", ",", whole) + (f".{decimals}" if decimals else "")
        changed[figure] = match[0]
        return figure

    if not points:
        text = (_NUMBER if language == "de" else _SPACED_NUMBER).sub(as_points, text)
    text = _phrases_of(language).translate(text)
    if language != "de":
        text = _FROM_TO.sub(_as_range, text)
    text = _GLUED_SCALE.sub(_as_glued, text)
    text = _SHORT_PART.sub(_as_part, text)
    text = _SCALE_OF_TABLE.sub(_as_scale_of_table, text)
    text = _OF_YEAR.sub(lambda match: " of".ljust(len(match[0])), text)
    return _IN_DATE.sub(lambda match: PAD * len(match[0]), text)


def _fit(english: str, foreign: str) -> str:
    """English in as many characters, at the end of the longer of its lines; what is shorter stays as it is."""
    before, line_end, behind = foreign.partition("\n")
    room = max(before, behind, key=len)
    english += PAD * foreign.endswith(("'", "\u2019"))  # of "millions d'euros"
    english += "s" * (english in _TIMES and len(english) < len(room))
    if len(english) > len(room):
        return foreign
    filled = english.rjust(len(room), PAD)
    if not line_end:
        return filled
    return filled + "\n" + PAD * len(behind) if room is before else PAD * len(before) + "\n" + filled


def _fit_first(english: str, shorter: str, foreign: str) -> str:
    """English in as many characters, or what is shorter, where there is no room."""
    return _fit(english if len(english) <= len(foreign) else shorter, foreign)


def _as_range(match: re.Match[str]) -> str:
    before = match.string[match.start() : match.start("between")]
    return (_fit("from", before) if match["first"] else before) + match["between"] + "\u2013".ljust(len(match["joint"]))


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


@dataclass(frozen=True, slots=True)
class _Phrases:
    """What is written otherwise in a language, as one pattern, with the words that it may begin with.

    `english` has by group of the pattern the English of what it matches.
    """

    language: str
    pattern: re.Pattern[str]
    behind_figures: re.Pattern[str]
    first_words: frozenset[str]
    english: dict[str, dict[str, str]]

    def translate(self, text: str) -> str:
        """The text with its phrases in English, in as many characters."""
        parts, at = list[str](), 0
        for word in _WORDS.finditer(text):
            if word.start() < at or word[0].lower() not in self.first_words:
                continue
            if match := self.pattern.match(text, word.start()):
                parts += [text[at : match.start()], self._as_english(match)]
                at = match.end()
                if again := _AGAIN_IN_DIGITS.match(text, at):
                    is_same = parts[-1].strip(PAD).replace(",", "") == again[1]
                    parts += [re.sub(r"\S| (?=[ (])", PAD, again[0])] if is_same else []
                    at = again.end() if is_same else at
        return self.behind_figures.sub(self._as_unit, "".join((*parts, text[at:])))

    def _as_unit(self, match: re.Match[str]) -> str:
        words = match[0][1:]
        return match["space"] + _fit(self.english["behind"][" ".join(words.lower().split())], words)

    def _as_english(self, match: re.Match[str]) -> str:
        group, words = match.lastgroup or "", match[0].lower().split()
        if group in ("share", "part"):
            return self._as_share(match, words)
        if group == "numerals":
            if len(words) == 2 and words[1] in self.english["plain"]:  # "dos millones"
                return match[0]
            number = read_numerals(self.language, " ".join(words))
            if number is None:  # "entre tres y nueve"
                return _WORDS.sub(self._as_number, match[0])
            return _fit(f"{number:,}", match[0])
        found = self.english[group][" ".join(words).rstrip("./" * (group == "month"))]
        behind = _NEXT_WORD.match(match.string, match.end())
        if found in _PER and (behind is None or behind[1].lower() in LITTLE_WORDS[self.language]):
            return match[0]  # "par la ville"
        if group == "month" and match[0].endswith("/"):
            found += " " if match.string[match.end() :][:4].isdecimal() else "'"
        return _fit(found, match[0])

    def _as_number(self, match: re.Match[str]) -> str:
        english = self.english["number"] | self.english["plain"]
        return _fit(english.get(match[0].lower(), match[0]), match[0])

    def _as_share(self, match: re.Match[str], words: list[str]) -> str:
        """ "Uno de cada cinco" as "one in five", "un quinto de" as "a fifth of"; in digits where there is no room."""
        known = self.english["number"] | dict.fromkeys(ones(self.language), "1")
        over = int(known[words[0]])
        if match.lastgroup == "share":
            under = int(known[words[-1]])
            return _fit_first(f"{_ENGLISH[over]} in {_ENGLISH.get(under, '')}", f"{over}/{under}", match[0])
        of = match["of"] or ""
        under = fractions(self.language)[" ".join(words[1 : len(words) - bool(of)])]
        name = f"{'a' if over == 1 else _ENGLISH[over]} {_PARTS[under - 3]}{'s' * (over > 1)}"
        digits = f"{over}/{under}" + " of" * bool(of)
        return _fit_first(f"{name} of", digits, match[0]) if of else _fit_first(name, digits, match[0])


@cache
def _phrases_of(language: str) -> _Phrases:
    """What is written otherwise in a language than in English."""
    english = _english_of(language)
    plain, before, behind, month, number = (any_of(words) for words in english.values())
    one, whole = any_of(ones(language)), any_of(fractions(language))
    share = (
        rf"(?P<share>(?:{one}|{number}) (?:von|sur|de cada|su|em cada) (?:{number}))(?!\w)"
        rf"|(?P<part>(?:{one}|{number}) (?:{whole})(?!\w)(?: (?P<of>d[aeiou]|de[rslim]|d[ao]s|dell[aeo]|degli)(?!\w))?)"
    )
    part = numerals(language)[0].pattern
    article = r"(?:(?:l[aeio]s?|el|il|gli|[oa]s?|un[ao]?|um|die|de[rnm]|das)\s+)?"
    figure = rf"{article}(?:[~\u2248]?(?:R?\$|[\u20ac\u00a3+\u2013-])?\s?\d|(?:{number})\b)"
    pattern = (
        rf"{share}|(?P<before>{before})(?=\s+{figure})|(?P<plain>{plain})(?!(?<=\w)\w)"
        rf"|(?P<numerals>{part}(?:\s+(?:(?:y|e|et|und)\s+)?{part})+)"
        rf"|(?P<month>(?:{month})/(?=\d\d)|(?:{month})\.?(?=[ -]?['\u2019]?\d)|(?<=\d )(?:{month})\b\.?"
        rf"|(?<=\d\. )(?:{month})\b\.?)|(?<!-)(?<!pour )(?<!por )(?<!per )(?P<number>{number})(?![\w-])"
    )
    forms = [*numerals(language)[1], *ones(language), *(form for group in english.values() for form in group)]
    first_words = frozenset(match[0] for match in map(_WORDS.match, forms) if match)
    behind_figures = re.compile(rf"(?<=[\d%])(?P<space>[ \u00a0])(?:{behind})(?!\w)", re.IGNORECASE)
    return _Phrases(language, re.compile(pattern, re.IGNORECASE), behind_figures, first_words, english)


def _english_of(language: str) -> dict[str, dict[str, str]]:
    """The English of the forms of a language, by the group of the pattern that finds them."""
    english: dict[str, dict[str, str]] = {"plain": {}, "before": {}, "behind": {}, "month": {}, "number": {}}
    for line in PHRASES[language].strip().split("\n"):
        meaning, _, phrases = line.partition(" = ")
        for phrase in phrases.split(" | "):
            group = "before" if phrase.endswith(" #") else "behind" if phrase.startswith("# ") else "plain"
            english[group] |= {form.lower(): meaning for form in _forms(phrase.strip("# "))}
    for short, names in zip(_MONTH_NAMES, MONTHS[language].split(), strict=True):
        for at, name in enumerate(names.split("|")):
            english["plain" if at == 0 or len(name) >= _LEAST_MONTH else "month"][name.lower()] = short
    english["number"] = {word: str(number) for word, number in number_words(language).items()}
    return english


def _forms(phrase: str) -> Iterator[str]:
    """The forms of a phrase: with and without each ending in brackets, with each of several."""
    parts = _CHOICES.split(phrase)
    # Of each three parts one is the words, one an ending that may lack, one the letters of which one stands there.
    fixed, optional, choices = parts[::3], parts[1::3], parts[2::3]
    ways = [
        ("", ending) if ending is not None else tuple(letters)
        for ending, letters in zip(optional, choices, strict=True)
    ]
    for endings in product(*ways):
        yield "".join(word + ending for word, ending in zip(fixed, (*endings, ""), strict=True))
