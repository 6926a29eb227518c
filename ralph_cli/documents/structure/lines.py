"""Lines of bare text: rows of a table, headings, and lines that name the columns, period or unit of rows. Pure.

Only the readers of headings use this, for text whose format marks no structure. A heading is short, does not end in a
comma, is not a row of a table, and has a number or capitals on all words except short function words.
"""

import re

from ralph_cli.text.lexicon import MONTHS, STOP_WORDS, any_of

CELLS_APART = re.compile(r"\S(?: {2,}|\t)\S")
_AMOUNT = re.compile(r"\d[\d,.]*")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_GOES_ON = re.compile(r"\d\S* (?:and|by|compared|from|in|of|or|to|was|were|with)\b.*\d|\d\S*\.$")
# A space, and those by which a month in English is shorter than that of its text.
_GAP = "\u2002* \u2002*(?:\u2002+ \u2002*)?"

# A day of a year, whatever its month is called: "31/12/24", "2024-12-31", "31-Dec-24", "31. Dezember 2024".
_DAY = (
    r"\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}-[^\W\d_]{3}-\d{2,4}\b"
    rf"|\b\d{{1,2}}\.?{_GAP}(?:de )?[^\W\d_]{{3,10}}\.?{_GAP}(?:de )?(?:19|20)\d\d\b"
)

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_MONTH_DAY = rf"\b(?:\d{{1,2}}(?:\.|th|st|nd|rd)? )?{_MONTH}\b\.?(?: \d{{1,2}}\b)?"
# A dash that stands alone, as it does in a cell without an amount. It is asked for first: so others cost nothing.
_NIL = re.compile(r"[-\u2010-\u2015](?<!\S.)[-\u2010-\u2015]?(?!\S)")

_YEARS = rf"(?:\b(?:19|20)\d\d\b.*){{2}}|(?:(?:{_DAY}).*){{2}}"
_PERIOD = r"(?i)\b(?:months|weeks|years?|quarters?) ended\b|\bas of\b.*\d|^at [A-Z][a-z]+ \d"
_UNIT = (
    r"(?i)(?:\bin |[($\u20ac\u00a3] ?|(?-i:\b[A-Z]{3} ))(?:thousand|million|billion)s?\b"
    r"|[($\u20ac\u00a3]['\u2018\u2019]?000\b"
)
_DAYS = rf"(?:(?=\S* ?\S*\d){_MONTH_DAY}.*){{2}}"
_NAMED_ABOVE = tuple(map(re.compile, (_YEARS, _DAYS, _PERIOD, _UNIT)))

# Characters and words of a line that may be a heading; one with a number may have more words.
LONGEST_HEADING, MOST_WORDS, MOST_NUMBERED = 160, 14, 24

_NUMBER = r"(?:[1-9]\d?(?:\.\d{1,3})*|[IVXLC]+|[A-Z])"
_COUNT = r"[1-9]\d{0,2}(?:\.\d{1,3})*[A-Z]?\b|[IVXLC]+\b|[A-Z](?=\s*(?:[:\u2013\u2014-]|$))"
_LABELLED = rf"(?:[A-Z][a-z]+|[A-Z]{{3,}})[ \u00a0](?:{_COUNT})"
_NUMBERED = re.compile(rf"(?:\u00a7+\s*\d[\d.]*|\(?{_NUMBER}(?:[.)](?![A-Z]\.)|(?=\s))|{_LABELLED})[.:)]?(?!\s+[a-z])")
_RUN_IN = re.compile(r"\s*((?:\u00a7\s*)?\d{1,3}(?:\.\d{1,3})*[.)]?\s+[A-Z][^.;:\n\d]{2,60})[.:]\s+\S")
_WORD = re.compile(r"[^\W\d_][\w\u2019'&-]*")
_SENTENCE = re.compile(r"[.;!?]\s+[a-z]|\.{3}")
_DATED = re.compile(rf"(?i)\b(?:{any_of(MONTHS)})\s+\d")
_PAGE_NUMBER = re.compile(r"(?i)page [\divxlc]+(?: of \d+)?")
_FEW_WORDS, _LONG = 5, 75


def is_row(line: str) -> bool:
    """Whether a line looks like a table row: cells with gaps, figures with few words, or a row of Markdown."""
    if line.lstrip().startswith("|"):
        return True
    figures = len(_AMOUNT.findall(line)) + len(_NIL.findall(line))
    if not figures:
        return False
    has_cells = ("  " in line or "\t" in line) and bool(CELLS_APART.search(line))
    if figures < 2 and not has_cells:
        return False  # before the words are counted, which takes longest
    words = len(_LETTERS.findall(line))
    return words <= 16 and (has_cells or (figures >= words and not _GOES_ON.search(line)))


def names_columns(line: str) -> bool:
    """Whether a line names the columns (two years or dates), the period or the unit of rows below it."""
    return any(shape.search(line) for shape in _NAMED_ABOVE)


def run_in_heading(line: str) -> str:
    """Return the numbered heading that begins a line of text: "4.1 Rent" of "4.1 Rent. The tenant pays"; or ""."""
    match = _RUN_IN.match(line)
    return " ".join(match[1].split()) if match and not CELLS_APART.search(line, match.end() - 2) else ""


def is_text(line: str) -> bool:
    """Whether a line has content of its own: it is a table row or has some words of running text."""
    words = len(_WORD.findall(line))
    return is_row(line) or words >= _FEW_WORDS or (words > 2 and line.rstrip().endswith("."))


def ends_sentence(line: str, before: str) -> bool:
    """Whether a line ends a sentence, or quoted words, that the long line `before` it began."""
    return line[-1] in '."\u201d' and len(before) > _LONG and before[-1] not in ".:;!?"


def is_day(line: str) -> bool:
    """Whether a line has few words and a day: "At December 31", above a table or next to a signature."""
    return len(_WORD.findall(line)) <= _FEW_WORDS and bool(_DATED.search(line))


def may_be_heading(line: str) -> bool:
    """Whether a line set apart by its type is complete and has a telling word, so that it may be a heading."""
    telling = [word for word in _WORD.findall(line) if word.casefold() not in STOP_WORDS and len(word) > 2]
    first = line[:1]  # which has no case in some scripts
    is_whole = (first.isalnum() or first in "\u201c\u00a7") and not first.islower() and line[-1:] not in ",;"
    is_whole = is_whole and line.count("\u201c") == line.count("\u201d")
    return bool(telling) and is_whole and not is_day(line) and not _PAGE_NUMBER.fullmatch(line)


def heading_level(line: str) -> int:
    """Return 1 for a line written as a numbered heading or in capitals, 2 for one with capitalised words, else 0."""
    if not 3 <= len(line) <= LONGEST_HEADING:
        return 0
    words = _WORD.findall(line)
    number = _NUMBERED.match(line)
    rest = line[number.end() :].lstrip(" \u2010\u2011\u2012\u2013\u2014-") if number else line
    if not 0 < len(words) <= (MOST_NUMBERED if number else MOST_WORDS) or is_row(rest) or CELLS_APART.search(rest):
        return 0
    if _is_cut_off(line, words) or (line[-1] in ".:" and not number) or not _has_capitals(words):
        return 0
    if _PAGE_NUMBER.fullmatch(line) or is_day(line):
        return 0
    return 1 if number or (line.isupper() and len(line) > 4) else 2


def _is_cut_off(line: str, words: list[str]) -> bool:
    """Whether a line is a part of a sentence, or has several sentences."""
    goes_on = words[-1].casefold() in STOP_WORDS and len(words) > 1 and not line.isupper()
    return goes_on or line[-1] in ",;" or line[0] in "(\u2022*" or bool(_SENTENCE.search(line))


def _has_capitals(words: list[str]) -> bool:
    """Whether all telling words have capitals. A single letter is ignored: it is often the end of a broken word."""
    telling = [word for word in words if word.casefold() not in STOP_WORDS and len(word) > 1]
    return any(len(word) > 2 for word in telling) and all(word[0].isupper() for word in telling)


def is_numbered(heading: str) -> bool:
    """Whether a heading begins with a number, or with a word and a number."""
    return bool(_NUMBERED.match(heading))
