"""Tables in plain text: which lines are rows, and which lines above a row name its columns, period and unit. Pure.

The guest's look-up functions use it, too: its source is sent into the sandbox, so it imports the standard library only.
"""

import re
from collections.abc import Callable

CELLS_APART = re.compile(r"\S(?: {2,}|\t)\S")
_ESCAPED_CLASSED_OR_SPACE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]| +(?P<quantifier>(?=[*+?{]))?")
_LAST_CELL = re.compile(r"(?: {2,}|\t)[$\u20ac\u00a3\u00a5(\s]*[\d\u2010-\u2015\u2212-][\d,.)%\s]*$")
_LAST_AMOUNTS = re.compile(
    r"(?:(?:^|\s)[$\u20ac\u00a3\u00a5(\s]*(?:[-\u2010-\u2015\u2212]?\d[\d,.]*|[-\u2010-\u2015])[)%\s]*){2,}$"
)
"""Two amounts or nils, or more, at the end of a line with nothing between them, as columns a space apart have them."""

_BULLET = re.compile(
    r"^(?:[\u2022\u25a0\u25cf\u25aa\u00b7\uf0b7*\u2010-\u2015-]|\(?\w{1,4}[.)])(?: {2,}|\t)(?=\S*[^\W\d_])"
)
"""The mark or number of an item of a list, which is no cell: "(a)  Net sales of 2024"."""

_VERBOSE = re.compile(r"\(\?[aiLmsu]*x[aiLmsux]*(?:-[ims]+)?[:)]")
_AMOUNT = re.compile(r"\d[\d,.]*")
_GLUED = re.compile(r"[^\W\d_]\d+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_GAP = "\u2002* \u2002*(?:\u2002+ \u2002*)?"
"""A space, and those by which a month in English is shorter than that of its text."""

_DAY = (
    r"\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}-[^\W\d_]{3}-\d{2,4}\b"
    rf"|\b\d{{1,2}}\.?{_GAP}(?:de )?[^\W\d_]{{3,10}}\.?{_GAP}(?:de )?(?:19|20)\d\d\b"
)
"""A day of a year, whatever its month is called: "31/12/24", "2024-12-31", "31-Dec-24", "31. Dezember 2024"."""

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_DATE = re.compile(rf"\b[A-Z][a-z]{{2,8}}\.? \d{{1,2}}\b|{_DAY}|\b\d{{1,2}}\.? {_MONTH}\b")
_MONTH_DAY = rf"\b(?:\d{{1,2}}(?:\.|th|st|nd|rd)? )?{_MONTH}\b\.?(?: \d{{1,2}}\b)?"
_ROW_WORDS = re.compile(r"(?!as (?:of|at)\b|at\b|in\b|to\b|from\b|for\b)[a-z]{2,}\b.*\b(?:19|20)\d\d\b")
"""A cell of small words with a year, "due in November 2025": no name of a column."""

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_GOES_ON = re.compile(r"\d\S* (?:and|by|compared|from|in|of|or|to|was|were|with)\b.*\d|\d\S*\.$")
"""Figures in a line of wrapped prose, with little words between them or a full stop behind."""

_STOPPED = re.compile(r"[.;:!?](?:\s|$)")

EMPTY_CELL = "\u2423"
"""Written in the place of an empty cell under a column that a header names, where the row goes on behind it: what
stands behind must not be read under that header. A quote may leave it out."""

NIL = re.compile(r"[-\u2010-\u2015](?<!\S.)[-\u2010-\u2015]?(?!\S)")
"""A dash that stands alone, as it does in a cell without an amount. It is asked for first: so others cost nothing."""

NIL_CELL = re.compile(
    r"(?m)(?:(?<=\s\s)|(?<=[$\u20ac\u00a3\u00a5]\s))[-\u2010-\u2015](?=\s\s|\s*$|\s[$\u20ac\u00a3\u00a5])"
)
"""A cell that stands for nil; a dash between the words of a sentence is none."""

_YEARS = rf"(?:\b(?:19|20)\d\d\b.*){{2}}|(?:(?:{_DAY}).*){{2}}"
_PERIOD = r"(?i)\b(?:months|weeks|years?|quarters?) ended\b|\bas of\b.*\d|^at [A-Z][a-z]+ \d"
_UNIT = (
    r"(?i)(?:\bin |[($\u20ac\u00a3] ?|(?-i:\b[A-Z]{3} ))(?:thousand|million|billion)s?\b"
    r"|[($\u20ac\u00a3]['\u2018\u2019]?000\b"
)
_DAYS = rf"(?:(?=\S* ?\S*\d){_MONTH_DAY}.*){{2}}"
_NAMED_ABOVE = tuple(map(re.compile, (_YEARS, _DAYS, _PERIOD, _UNIT)))
_HEADING, _RULE = re.compile(r"#{1,6}\s+\S"), re.compile(r"\|[\s:|-]*-[\s:|-]*\|")
"""In Markdown the heading of a part, and the line below the names of a table's columns."""

_MOST_LINES, _LONGEST_HEADER, _LONGEST_LINE, _FEW_WORDS, _MOST_WORDS, _NEAR = 200, 160, 75, 6, 14, 2


def widen_spaces(pattern: str) -> str:
    """A regular expression in which a space matches any white space, as line ends are nothing to who searches words.

    A space with a quantifier behind it keeps it (" ?" is one space or none), and one in a class stays one of its
    characters. A verbose pattern, whose spaces mean nothing, is left as it is.
    """
    if _VERBOSE.search(pattern):
        return pattern
    return _ESCAPED_CLASSED_OR_SPACE.sub(_widen, pattern)


def _widen(match: "re.Match[str]") -> str:
    found = match[0]
    if found[0] == " ":
        return r"\s+" if match["quantifier"] is None else r"\s" * len(found)
    return found.replace(" ", r"\s") if found[0] == "[" else found


def is_row(line: str) -> bool:
    """Whether a line looks like a row of a table: cells apart, or figures and few words; or one of Markdown."""
    if line.lstrip().startswith("|"):
        return True
    figures = len(_AMOUNT.findall(line)) + len(NIL.findall(line))
    if not figures:
        return False
    has_cells = ("  " in line or "\t" in line) and bool(CELLS_APART.search(line))
    if figures < 2 and not has_cells:
        return False  # before the words are counted, which takes longest
    words = len(_LETTERS.findall(line))
    return words <= 16 and (has_cells or (figures >= words and not _GOES_ON.search(line)))


def has_columns(line: str) -> bool:
    """Whether a line may be a row of several columns: two amounts or more, and its cells stand apart, or it ends in
    amounts. Running text that names two years is none, nor is an item of a list."""
    line = line.strip()
    if len(_AMOUNT.findall(line)) + len(NIL.findall(line)) < 2:
        return False
    cells, words = len(re.split(r" {2,}|\t", _BULLET.sub("", line))), len(_LETTERS.findall(line))
    if line.startswith("|") or cells > 1:
        return words <= _MOST_WORDS or (cells > 2 and bool(_LAST_CELL.search(line)))
    undated = _DATE.sub("", line)
    return words <= _MOST_WORDS and bool(
        _LAST_AMOUNTS.search(undated) or len(_AMOUNT.findall(undated)) >= max(words, 2)
    )


def is_labelled_figure(line: str) -> bool:
    """Whether a line is a label and one figure in a cell of its own: "Total  1,577"; an item of a list is none."""
    return count_cells(_BULLET.sub("", line.strip())) > 1 and bool(_LAST_CELL.search(line))


def is_label(line: str, above: str) -> bool:
    """Whether a line above a row, `above` being the one above itself, may be its label or that of its group.

    No sentence ends in it, and with a colon it is short, or goes on a table: else it introduces one.
    """
    line = line.strip()
    if not line or line.endswith((".", ";", "!", "?")) or _BULLET.match(line):
        return False
    return not line.endswith(":") or len(line.split()) <= _FEW_WORDS or has_columns(above)


def count_cells(line: str) -> int:
    """How many cells of a line stand apart: two spaces or a tab, or the bars of Markdown, between them."""
    return len(re.split(r"(?: {2,}|\t|\s*\|\s*)+", line.strip(" \t|")))


def is_row_under(header: list[str] | tuple[str, ...], line: str) -> bool:
    """Whether a line is a row of the table with this header: a row by itself, or one in which no sentence ends."""
    return is_row(line) or (bool(header) and not _STOPPED.search(line))


def first_line_above(text: str, low: int, row: int) -> int:
    """Where the lines of text[low:row] begin that may belong to the table of the row at `row`: the last of them."""
    start = row
    for _ in range(_MOST_LINES + 1):
        start = text.rfind("\n", low, start)
        if start < 0:
            return low
    return start + 1


def table_lines(above: str, line: str) -> list[str]:
    """The lines above a table row that belong to its table: up to and with the sentence that introduces it."""
    found: list[str] = []
    sentences = 0
    parts = [part for part in above.rsplit("\n", _MOST_LINES + 1)[:-1][-_MOST_LINES:] if part.strip()]
    rows = [is_row(part) for part in parts] + [True]
    for number in range(len(parts) - 1, -1, -1):
        part = parts[number].rstrip()
        # A long line with rows above and below it is a label of the table, unless a sentence ends in it.
        inside = any(rows[max(number - _NEAR, 0) : number]) and any(rows[number + 1 : number + 1 + _NEAR])
        sentences += part.endswith((".", ";")) or (_is_prose(part) and not inside)
        found.insert(0, parts[number])
        # What ends in a colon below a row is the heading of a group of rows.
        introduces = part.endswith(":") and len(part.split()) > _FEW_WORDS
        if sentences > 1 or (introduces and not inside and not (number and rows[number - 1])) or _HEADING.match(part):
            break
    return found


def _is_prose(line: str) -> bool:
    cells = count_cells(line) > 2
    return len(line) > _LONGEST_LINE and not cells and not is_row(line) and not re.search(_UNIT, line)


def names_columns(line: str) -> bool:
    """Whether a line names the columns (two years or dates), the period or the unit of rows below it."""
    return any(shape.search(line) for shape in _NAMED_ABOVE)


def header_lines(above: str, line: str) -> list[str]:
    """The nearest lines of a row's table that name its columns (two years or dates, or cells of words), its period and
    its unit."""
    if not has_columns(line):
        return []
    shapes: list[Callable[[str], object]] = [shape.search for shape in _NAMED_ABOVE]
    columns = [*shapes[:2], names_cells]
    wanted = [*columns, *shapes[2:]]
    found: list[str] = []
    below = ""
    for part in reversed(table_lines(above, line)):
        part, is_first = part.strip(), bool(_RULE.fullmatch(below))
        below = part
        named = len(part) < _LONGEST_HEADER and not _is_prose(part) and not _has_data(part)
        hits = [shape for shape in wanted if (is_first and shape in columns) or (named and shape(part))]
        if hits:
            found.insert(0, part)
            wanted = [shape for shape in wanted if shape not in hits]
        if not wanted:
            break
    return found


def names_cells(line: str) -> bool:
    """Whether a line is cells of words, as the names of columns are: three or more, and no amount."""
    cells = [cell for cell in re.split(r" {2,}|\t|\s*\|\s*", line.strip(" \t|")) if cell]
    if len(cells) < 3 or not _LETTERS.search(line) or NIL.search(line.replace("%", " ")):
        return False  # "|---|---|" is the line below the names
    kinds = [cell.split()[0] for cell in cells if re.search(r"\d", cell)]  # "Tablets of 5 mg  Tablets of 10 mg"
    return all(cell[0].isalpha() for cell in cells) and all(kinds.count(kind) > 1 for kind in kinds) if kinds else True


def _has_data(line: str) -> bool:
    """Whether two amounts stand in a line, or one is all of a cell, or words and a year are, as what goes on a row."""
    undated = _DATE.sub("", line)
    amounts = _AMOUNT.findall(_GLUED.sub("", undated))
    cells = (cell.strip("$\u20ac\u00a3\u00a5()% ") for cell in re.split(r" {2,}|\t", undated))
    if any(_ROW_WORDS.match(cell) for cell in re.split(r" {2,}|\t", line)[1:]):
        return True
    alone = any(_AMOUNT.fullmatch(cell) and cell[-1] != "," and not _YEAR.fullmatch(cell) for cell in cells)
    several = sum(not _YEAR.fullmatch(amount.rstrip(",.")) for amount in amounts) > 1
    return alone or (several and not names_cells(line))
