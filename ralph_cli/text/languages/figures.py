"""Figures and dates of other languages as English writes them, so that one reader reads all. Pure.

Names of months and ways to write numbers are those of the Unicode CLDR; short forms as annual reports print them.
"""

from collections.abc import Iterable
from functools import cache

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.text.languages.east_asian import PAD, figures_in_english
from ralph_cli.text.languages.words import LITTLE_WORDS, language_of

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905
_MONTH_NAMES = {
    "de": "Januar|Jänner Februar|Feber März|Mär April Mai Juni|Jun Juli|Jul August September|Sept Oktober|Okt "
    "November Dezember|Dez",
    "fr": "janvier|janv février|févr mars avril|avr mai juin juillet|juil août septembre|sept octobre|oct novembre|nov "
    "décembre|déc",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}
_NUMBERS = {
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn zwanzig",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf vingt",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove venti",
    "pt": "dois|duas três quatro cinco seis sete oito nove dez onze doze treze catorze|quatorze quinze "
    "dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove vinte",
}
# What figures are counted, measured and limited in: the English words, and those of the language, which are no shorter.
_WORDS = {
    "de": {
        "Q1": r"1\. Quartals?|erste[nsr]? Quartals?",
        "Q2": r"2\. Quartals?|zweite[nsr]? Quartals?",
        "Q3": r"3\. Quartals?|dritte[nsr]? Quartals?",
        "Q4": r"4\. Quartals?|vierte[nsr]? Quartals?",
        "at most": "nicht mehr als|höchstens",
        "at least": "nicht weniger als|mindestens",
        "by": r"um(?= \d)",
        "loss": "Verlust(?:e[sn]?)?|Fehlbetrag(?:e?s)?",
        "percent": "Prozent",
        "pp": "Prozentpunkte?n?",
        "bps": "Basispunkte?n?",
        "mn": "Mio\\.",
        "bn": "Mrd\\.",
        "tsd": "Tsd\\.|TSD|Tausend",
        "million": "Million(?:en)?",
        "billion": "Milliarden?",
        "USD": "US-Dollars?",
        "CHF": "(?:Schweizer )?Franken",
        "year": "Jahre?[ns]?",
        "month": "Monate?n?s?",
        "week": "Wochen?",
        "day": "Tage[ns]?",
        "hour": "Stunden?",
        "quarter": "Quartale?n?s?|Viertel",
        "third": "Drittel",
        "half": "Hälfte",
        "fiscal": "Geschäftsjahre?[ns]?",
        "share": "Aktien?",
        "per": "pro",
        "a": "je",
        "ca": "rund|etwa",
        "about": "ungefähr",
        "over": "über|mehr als",
        "under": "knapp|weniger als",
        "to": "bis",
        "between": "zwischen",
        "and": "und",
        "end": "Ende",
        "rose": "stieg(?:en)?|gestiegen|erhöhten?|wuchs",
        "fell": "sank(?:en)?|gesunken|fiel(?:en)?|gefallen|verringerten?",
    },
    "fr": {
        "in": r"en(?= (?:mil|M€|k€))",
        "rose": "progressée?s?|augmentée?s?|crû|bondi",
        "fell": "reculée?s?|baissée?s?|diminuée?s?",
        "Q1": "1er trimestre|premier trimestre",
        "Q2": "2e trimestre|deuxième trimestre",
        "Q3": "3e trimestre|troisième trimestre",
        "Q4": "4e trimestre|quatrième trimestre",
        "loss": "pertes?|déficit",
        "percent": "pour cent",
        "pp": "points? de pourcentage",
        "bps": "points? de base",
        "million": "millions? de|millions? d[’']|millions?",
        "billion": "milliards? de|milliards? d[’']|milliards?",
        "thousand": "milliers de|milliers d[’']|milliers",
        "year": "ans|années?",
        "month": "mois",
        "week": "semaines?",
        "day": "jours",
        "quarter": "trimestres?",
        "half": "moitié",
        "third": "tiers",
        "share": "actions?",
        "per": "par",
        "ca": "environ|près de",
        "over": "plus de",
        "under": "moins de",
        "at most": "au maximum",
        "at least": "au minimum|au moins",
        "between": "comprise? entre",
        "and": "et(?= \\d)",
        "fiscal": "exercice",
        "end": "fin",
    },
    "es": {
        "in": r"en(?= (?:mil|M€|k€))",
        "rose": "aumentó|aumentaron|creció|crecieron|subió",
        "fell": "bajó|cayó|disminuyó|descendió|cayeron",
        "Q1": "primer trimestre|1T",
        "Q2": "segundo trimestre|2T",
        "Q3": "tercer trimestre|3T",
        "Q4": "cuarto trimestre|4T",
        "loss": "pérdidas?",
        "percent": "por ciento",
        "pp": "puntos porcentuales",
        "bps": "puntos básicos",
        "billion": "mil millones de|mil millones",
        "million": "millones de|millones",
        "thousand": "miles de",
        "year": "años?",
        "month": "meses|mes",
        "week": "semanas?",
        "day": "días",
        "quarter": "trimestres?",
        "half": "mitad",
        "third": "tercio",
        "share": "acción|acciones",
        "per": "por",
        "ca": "unos|unas|cerca de|alrededor de",
        "about": "aproximadamente",
        "over": "más de",
        "under": "menos de",
        "at most": "como máximo",
        "at least": "al menos|como mínimo",
        "fiscal": "ejercicio",
        "end": "fines|finales",
    },
    "it": {
        "rose": "cresciut[oaie]|aumentat[oaie]|salit[oaie]",
        "fell": "sces[oaie]|diminuit[oaie]|calat[oaie]",
        "Q1": "primo trimestre",
        "Q2": "secondo trimestre",
        "Q3": "terzo trimestre",
        "Q4": "quarto trimestre",
        "loss": "perdita|perdite",
        "percent": "per cento",
        "pp": "punti percentuali",
        "bps": "punti base",
        "billion": "miliardi di|miliardo di|miliardi|miliardo",
        "million": "milioni di|milione di|milioni|milione",
        "thousand": "migliaia di",
        "year": "anni|anno",
        "month": "mesi|mese",
        "week": "settimane|settimana",
        "day": "giorni|giorno",
        "quarter": "trimestre|trimestri",
        "half": "metà",
        "third": "terzo",
        "share": "azione|azioni",
        "ca": "circa",
        "over": "oltre|più di",
        "under": "meno di",
        "at most": "al massimo",
        "at least": "almeno|al minimo",
        "fiscal": "esercizio",
        "end": "fine",
    },
    "pt": {
        "in": r"em(?= (?:mil|M€|k€))",
        "rose": "cresceu|aumentou|subiu|cresceram",
        "fell": "caiu|diminuiu|recuou|desceu|caíram",
        "Q1": r"primeiro trimestre|1\.º trimestre",
        "Q2": r"segundo trimestre|2\.º trimestre",
        "Q3": r"terceiro trimestre|3\.º trimestre",
        "Q4": r"quarto trimestre|4\.º trimestre",
        "loss": "prejuízos?",
        "percent": "por cento",
        "pp": "pontos percentuais",
        "bps": "pontos base|pontos-base",
        "billion": "mil milhões de|mil milhões|bilhões de|bilhões|bilhão de",
        "million": "milhões de|milhões|milhão de",
        "thousand": "milhares de",
        "year": "anos?",
        "month": "meses|mês",
        "week": "semanas?",
        "day": "dias",
        "quarter": "trimestres?",
        "half": "metade",
        "third": "terço",
        "share": "ações",
        "per": "por",
        "ca": "cerca de",
        "about": "aproximadamente",
        "over": "mais de",
        "under": "menos de",
        "at most": "no máximo",
        "at least": "pelo menos|no mínimo",
        "fiscal": "exercício",
        "end": "fim|final",
    },
}
DECIMAL_COMMAS = frozenset(_WORDS)
"""Languages that write 1.284,6 (or 1 284,6) where English writes 1,284.6."""

EAST_ASIAN = frozenset(("ja", "zh"))
TRANSLATED = DECIMAL_COMMAS | EAST_ASIAN
"""Languages whose figures are read as English ones."""

_GROUP = "[.\u00a0\u2009\u202f'\u2019]"
_NUMBER = re.compile(
    rf"(?<![\w.,])\d{{1,3}}(?:['\u2019]\d{{3}})+\.\d+(?![\d,]|\.\d)"
    rf"|(?<![\w.,])\d{{1,3}}(?:{_GROUP}\d{{3}})+(?:,\d+)?(?!\d|[.,'\u2019]\d)|(?<![\w.,])\d+,\d+(?![\d,]|\.\d)"
)
_SPACED_NUMBER = re.compile(rf"(?<![\w.,])(?<!\d )\d{{1,3}}(?: \d{{3}})+(?:,\d+)?(?! ?\d|,\d)|{_NUMBER.pattern}")
_WRITES_COMMAS = re.compile(r"\d\.\d{3},\d|\d\.\d{3}\.\d{3}(?!\d)|\d,\d\d?(?![\d,])|\d,\d{4,}")
_WRITES_POINTS = re.compile(r"\d,\d{3}\.\d|\d,\d{3},\d{3}(?!\d)")
_MAY_WRITE_POINTS = re.compile(r"\d,\d{3}(?!\d)")
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_IN_DATE = re.compile(rf"(?<=\d)(?:\.|er|º)(?=\s{_MONTH}\b)|\bde(?=\s{_MONTH}\b)|(?<={PAD})\sde(?=\s(?:19|20)\d\d\b)")
"""What stands between day, month and year."""

_GLUED_SCALE = re.compile(r"(?<=\d)\s([TMk])(?=€|EUR\b)")
"""180 T€, 180 TEUR and 4,5 M€ are 180k €, 180k EUR and 4.5M €."""

_SCALE_OF_TABLE = re.compile(r"(?<![\w.,])([Mk])€")
"""(M€) above a table is (€M)."""

_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class EnglishFigures:
    """A text whose figures are written as in English, of the same length; `changed` has each figure and what it was."""

    text: str
    changed: tuple[tuple[str, str], ...] = ()

    def restore(self, message: str) -> str:
        """A message about the text with its figures as they were written."""
        for english, foreign in self.changed:
            message = re.sub(rf"(?<![\d.,]){re.escape(english)}(?!\d|[.,]\d)", foreign, message)
        return re.sub(f"{PAD}+(?=\\w)", " ", message).replace(PAD, "")


def in_english(text: str, language: str) -> EnglishFigures:
    """The text with its numbers, months and units as in English; as it is, if its language has no entry here."""
    if language in EAST_ASIAN:
        return EnglishFigures(figures_in_english(text))
    if language not in DECIMAL_COMMAS:
        return EnglishFigures(text)
    changed: dict[str, str] = {}

    def as_points(match: re.Match[str]) -> str:
        # In Switzerland figures have their thousands apart by an apostrophe, and a decimal point.
        has_point = "." in match[0] and not match[0].replace(".", "").isdecimal() and "," not in match[0]
        whole, _, decimals = match[0].partition("." if has_point else ",")
        figure = re.sub(r"\D", ",", whole) + (f".{decimals}" if decimals else "")
        changed[figure] = match[0]
        return figure

    text = (_SPACED_NUMBER if language in ("fr", "es") else _NUMBER).sub(as_points, text)
    words, english = _phrases(language)

    def as_english(match: re.Match[str]) -> str:
        found = english[int((match.lastgroup or "w0")[1:])]
        return found.ljust(len(match[0]), PAD) if len(found) <= len(match[0]) else match[0]

    text = words.sub(as_english, text)
    text = _GLUED_SCALE.sub(lambda match: f"{match[1].replace('T', 'k')} ", text)
    text = _SCALE_OF_TABLE.sub(r"€\1", text)
    text = _IN_DATE.sub(lambda match: PAD * len(match[0]), text)
    longest_first = sorted(changed.items(), key=lambda item: -len(item[0]))
    return EnglishFigures(text, tuple(longest_first))


@cache
def _phrases(language: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """What is written otherwise in a language, as one pattern, and the English of each of its groups."""
    entries: list[tuple[str, str]] = []
    for month, names in zip(_MONTHS, _MONTH_NAMES[language].split(), strict=True):
        entries.append((month, rf"(?:{names})\b"))
    entries += [(english, rf"(?:{foreign})(?:(?<=[\u2019'])|(?!\w))") for english, foreign in _WORDS[language].items()]
    entries += [
        (str(number), rf"(?<!-)(?:{names})(?![\w-])") for number, names in enumerate(_NUMBERS[language].split(), 2)
    ]
    pattern = "|".join(f"(?P<w{number}>{foreign})" for number, (_, foreign) in enumerate(entries))
    # Told once in front that a word begins here, for most characters are within one.
    return re.compile(rf"(?<!\w)(?=[^\W_])(?:{pattern})", re.IGNORECASE), tuple(english for english, _ in entries)


def language_of_figures(text: str, otherwise: str) -> str:
    """In which language the figures of a short text are written; `otherwise` where neither they nor its words tell."""
    language = language_of(text)
    if language in EAST_ASIAN:
        return language
    if _WRITES_POINTS.search(text):
        return "en"
    if language != "en":
        return language
    if _WRITES_COMMAS.search(text):
        return otherwise
    # Words of both languages, such as "in" and "was" of German, tell only beside thousands with a comma.
    english = LITTLE_WORDS["en"].intersection(word.lower() for word in _LETTERS.findall(text))
    is_english = bool(english if _MAY_WRITE_POINTS.search(text) else english - LITTLE_WORDS.get(otherwise, frozenset()))
    return "en" if is_english else otherwise


def restore_all(message: str, texts: Iterable[EnglishFigures]) -> str:
    """A message about several texts with their figures as they were written."""
    for text in texts:
        message = text.restore(message)
    return message
