"""Lines of bare text: which look like rows of a table, and which name the columns, period or unit of rows. Pure.

Only the readers of headings ask this, of text whose format says nothing of its structure.
"""

import re

CELLS_APART = re.compile(r"\S(?: {2,}|\t)\S")
_AMOUNT = re.compile(r"\d[\d,.]*")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_GOES_ON = re.compile(r"\d\S* (?:and|by|compared|from|in|of|or|to|was|were|with)\b.*\d|\d\S*\.$")
_GAP = "\u2002* \u2002*(?:\u2002+ \u2002*)?"
"""A space, and those by which a month in English is shorter than that of its text."""

_DAY = (
    r"\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}-[^\W\d_]{3}-\d{2,4}\b"
    rf"|\b\d{{1,2}}\.?{_GAP}(?:de )?[^\W\d_]{{3,10}}\.?{_GAP}(?:de )?(?:19|20)\d\d\b"
)
"""A day of a year, whatever its month is called: "31/12/24", "2024-12-31", "31-Dec-24", "31. Dezember 2024"."""

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_MONTH_DAY = rf"\b(?:\d{{1,2}}(?:\.|th|st|nd|rd)? )?{_MONTH}\b\.?(?: \d{{1,2}}\b)?"
_NIL = re.compile(r"[-\u2010-\u2015](?<!\S.)[-\u2010-\u2015]?(?!\S)")
"""A dash that stands alone, as it does in a cell without an amount. It is asked for first: so others cost nothing."""

_YEARS = rf"(?:\b(?:19|20)\d\d\b.*){{2}}|(?:(?:{_DAY}).*){{2}}"
_PERIOD = r"(?i)\b(?:months|weeks|years?|quarters?) ended\b|\bas of\b.*\d|^at [A-Z][a-z]+ \d"
_UNIT = (
    r"(?i)(?:\bin |[($\u20ac\u00a3] ?|(?-i:\b[A-Z]{3} ))(?:thousand|million|billion)s?\b"
    r"|[($\u20ac\u00a3]['\u2018\u2019]?000\b"
)
_DAYS = rf"(?:(?=\S* ?\S*\d){_MONTH_DAY}.*){{2}}"
_NAMED_ABOVE = tuple(map(re.compile, (_YEARS, _DAYS, _PERIOD, _UNIT)))


def is_row(line: str) -> bool:
    """Whether a line looks like a row of a table: cells apart, or figures and few words; or one of Markdown."""
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
