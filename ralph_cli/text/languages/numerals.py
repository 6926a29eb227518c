"""Numbers in words, from two to nine hundred, in five languages. Pure."""

import re
from functools import cache

from ralph_cli.text.lexicon import any_of

# One to nineteen, then the tens from twenty.
_WORDS = {
    "de": "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
    "dix-neuf vingt trente quarante cinquante soixante septante quatre-vingt nonante",
    "es": "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "pt": "um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete "
    "dezoito dezenove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
}

_HUNDRED = {
    "de": "{}hundert",
    "fr": "{} cents|{} cent",
    "es": "{}cientos|{}cientas",
    "it": "{}cento",
    "pt": "{}centos|{}centas",
}
_ALSO = {
    "de": {"hundert": 100, "einhundert": 100, "dreissig": 30},
    "fr": {"cent": 100, "quatre-vingts": 80},
    "es": {"cien": 100, "ciento": 100, "quinientos": 500, "setecientos": 700, "novecientos": 900, "veintiún": 21},
    "it": {"cento": 100},
    "pt": {
        "duas": 2, "quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19, "cem": 100, "cento": 100,
        "duzentos": 200, "trezentos": 300, "quinhentos": 500,
    },
}  # fmt: skip


# A third to a tenth.
_FRACTIONS = {
    "de": "drittel|dritteln viertel|vierteln fünftel sechstel siebtel achtel neuntel zehntel",
    "fr": "tiers quart|quarts cinquième|cinquièmes sixième|sixièmes septième|septièmes huitième|huitièmes "
    "neuvième|neuvièmes dixième|dixièmes",
    "es": "tercio|tercios|tercera_parte|terceras_partes cuarto|cuartos|cuarta_parte|cuartas_partes "
    "quinto|quintos|quinta_parte|quintas_partes sexto|sextos|sexta_parte séptimo|séptimos octavo|octavos "
    "noveno|novenos décimo|décimos|décima_parte",
    "it": "terzo|terzi quarto|quarti quinto|quinti sesto|sesti settimo|settimi ottavo|ottavi nono|noni decimo|decimi",
    "pt": "terço|terços|terça_parte quarto|quartos|quarta_parte quinto|quintos|quinta_parte sexto|sextos sétimo "
    "oitavo|oitavos nono|nonos décimo|décimos|décima_parte",
}

_ONES = {
    "de": "ein eine einer eines einem einen", "fr": "un une", "es": "un uno una", "it": "un uno una", "pt": "um uma",
}  # fmt: skip
_SCALES = {
    "de": {"tausend": 10**3, "million": 10**6, "millionen": 10**6},
    "fr": {"mille": 10**3, "million": 10**6, "millions": 10**6},
    "es": {"mil": 10**3, "millón": 10**6, "millones": 10**6},
    "it": {"mila": 10**3, "mille": 10**3, "milione": 10**6, "milioni": 10**6},
    "pt": {"mil": 10**3, "milhão": 10**6, "milhões": 10**6},
}

_THOUSAND = 1000


def _compounds(language: str, ten: int, tens: str, one: int, ones: str) -> tuple[str, ...]:
    """Return how a ten and a one are written together."""
    match language:
        case "de":
            return (f"{ones}und{tens}",)
        case "fr":
            joined = f"{tens} et {ones}" if one % 10 == 1 else f"{tens}-{ones}"
            return joined, f"{tens}-{ones}", f"{tens}-et-{ones}"
        case "es" if ten == 2:
            accented = {"dos": "dós", "tres": "trés", "seis": "séis", "un": "uno"}
            return (f"veinti{accented.get(ones, ones)}",)
        case "es":
            return f"{tens} y {ones}", f"{tens} y {ones}o", f"{tens} y {ones}a"
        case "it":
            stem = tens[:-1] if ones[0] in "ou" else tens
            return f"{stem}{ones}", f"{stem}{ones}o", f"{stem}{ones.replace('e', 'é')}"
    return f"{tens} e {ones}", f"{tens} e {ones}a", f"{tens} e duas" if one == 2 else f"{tens} e {ones}"


@cache
def number_words(language: str) -> dict[str, int]:
    """Return a language's words for the numbers from two on, in lower case, each with its number."""
    words = ["", *_WORDS[language].split()]
    found = {word: number for number, word in enumerate(words[:20]) if number > 1}
    for ten, tens in enumerate(words[20:], 2):
        found[tens] = 10 * ten
        for one in range(1, 20):
            if one < 10 or (language == "fr" and ten in (6, 8)):
                found |= dict.fromkeys(_compounds(language, ten, tens, one, words[one]), 10 * ten + one)
    for one in range(2, 10):
        found |= dict.fromkeys((form.format(words[one]) for form in _HUNDRED[language].split("|")), 100 * one)
    below = tuple(found.items()) if language in ("de", "it") else ()
    hundreds = ("hundert", "einhundert") if language == "de" else ("cento",)
    found |= {f"{hundred}{word}": 100 + number for hundred in hundreds for word, number in below if number < 100}
    return found | _ALSO[language]


def ones(language: str) -> dict[str, int]:
    """Return the words for one, which are also articles."""
    return dict.fromkeys(_ONES[language].split(), 1)


def fractions(language: str) -> dict[str, int]:
    """Return the words for parts, a third to a tenth, each with the number of parts in a whole."""
    parts = enumerate(_FRACTIONS[language].split(), 3)
    return {word.replace("_", " "): whole for whole, words in parts for word in words.split("|")}


@cache
def numerals(language: str) -> tuple[re.Pattern[str], dict[str, int]]:
    """Return the pattern of the words that form numbers of several words, and their numbers."""
    values = number_words(language) | ones(language) | _SCALES[language]
    return re.compile(rf"(?:{any_of(values)})(?!\w)"), values


def read_numerals(language: str, text: str) -> int | None:
    """Return the number that several words form together, "un millón ciento cincuenta mil".

    Return None if they form several.
    """
    word, values = numerals(language)
    total = group = 0
    for match in word.finditer(text.lower()):
        value = values[" ".join(match[0].split())]
        if value == _THOUSAND:
            group = max(group, 1) * value
        elif value > _THOUSAND:
            total, group = total + max(group, 1) * value, 0
        elif group % 10 ** len(str(value)):
            return None
        else:
            group += value
    return total + group
