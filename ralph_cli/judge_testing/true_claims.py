"""True claims made from a document by code: sentences in its own words, and rows of tables in a fixed form. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Table
from ralph_cli.judge_testing.mutations import TrueClaim
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.text.sentences import sentence_ends

MIN_CHARS = 50
# The most characters of a sentence that becomes a claim.
MAX_CHARS = 260

_ITEM_NUMBER = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*\.?|\(?[a-z]{1,3}\)|[-*\u2022])\s+(?=[A-Z])")
# The beginning of a sentence that cannot be understood without the one before.
_DEPENDENT = re.compile(
    r"(?i)(?:however|accordingly|therefore|further|furthermore|also|but|and|or|so|thus|additionally|moreover|both|here"
    r"|there|then|one|as a result|in addition|for example|see|refer|notwithstanding|(?:each of |in )?(?:this|that|these"
    r"|those|their|such|its|his)|the (?:former|latter|following|above|same|preceding)"
    r"|(?:\w+\W+){0,6}(?:it|they|them|this|these|such|he|she))\b"
)

_MARKUP = re.compile(r"[*_`|<>\[\]{}#@~^\\]|\S {2,}\S|-\n|[a-z]\.[A-Z]|http|www\.|\.{3}|\u2026")
# Each line of a sentence but the last is at least this share of the longest: a heading before it is shorter.
_MIN_LINE_SHARE = 0.6

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_CELL = re.compile(r"\(?-?[$\u20ac\u00a3]?\s?\(?\d[\d,]*(?:\.\d+)?\)?\s?%?x?")
# Characters within which the rows of a table are alternatives to each other.
_NEAR_CHARS = 600


class _Row(NamedTuple):
    """A row of a table: where it begins, its line, its label, its figures, and the years that name their columns."""

    start: int
    line: str
    label: str
    cells: list[str]
    years: list[str]


def true_claims(document: Document, index: QuoteIndex) -> list[TrueClaim]:
    """All claims that can be made from a document, in order, each with a quote that occurs once."""
    found = [*_sentence_claims(document), *_row_claims(document)]
    unique = {claim.text.casefold(): claim for claim in found}
    return [claim for claim in unique.values() if _is_quotable(claim, index)]


def _is_quotable(claim: TrueClaim, index: QuoteIndex) -> bool:
    matches = [index.find(quote) for quote in claim.quotes]
    return all(match is not None and match.tier != "recut" and match.count == 1 for match in matches)


def _sentence_claims(document: Document) -> Iterator[TrueClaim]:
    for page in document.pages:
        text = document.text[page.start : page.end]
        for start, end in _sentence_bounds(text):
            if document.table_at(page.start + start):
                continue
            passage = text[start:end].strip()
            passage = passage[number.end() :] if (number := _ITEM_NUMBER.match(passage)) else passage
            if _is_sentence(passage):
                yield TrueClaim(" ".join(passage.split()), (passage,))


def _sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    """The bounds of sentences: behind another sentence, or at the beginning of a paragraph or an item."""
    for block in re.finditer(r"\S(?:(?!\n[ \t]*\n).)*", text, re.DOTALL):
        begin = block.start()
        # Without a blank line, a paragraph's first sentence cannot be told from a heading above it.
        known = bool(re.search(r"\n[ \t]*\n\s*\Z", text[max(begin - 20, 0) : begin]))
        for stop, following in sentence_ends(text, block.start(), block.end()):
            if known:
                yield begin, stop
            begin, known = following, True
        if known and text[begin : block.end()].rstrip().endswith("."):
            yield begin, block.end()


def _is_sentence(passage: str) -> bool:
    lines = passage.split("\n")
    longest = max(map(len, lines))
    whole = all(len(line) >= _MIN_LINE_SHARE * longest for line in lines[:-1])
    if not (MIN_CHARS <= len(passage) <= MAX_CHARS and passage[0].isupper() and passage.endswith(".") and whole):
        return False
    if _DEPENDENT.match(passage) or _MARKUP.search(passage) or re.match(r"[^:]{0,40}: ", passage):
        return False
    if any(passage.count(one) != passage.count(two) for one, two in ("()", "\u201c\u201d")) or passage.count('"') % 2:
        return False
    words = passage.split()
    titled = sum(word[0].isupper() for word in words if word[0].isalpha())
    return len(words) >= 8 and titled <= len(words) / 2 and ";" not in passage


def _row_claims(document: Document) -> Iterator[TrueClaim]:
    """Rows under columns of years, as "The table shows <figure> for <label> in <year>": no more than the row says."""
    labels = Counter(_label(document, table, row) for table in document.tables for row in range(len(table.rows)))
    for table in document.tables:
        years = _years_of_columns(document, table)
        numbers = range(table.header_rows, len(table.rows)) if years else ()
        rows = [row for at in numbers if (row := _read_row(document, table, at, years))]
        for row in rows:
            if labels[row.label] == 1:  # another table may have other figures for the same label
                near = [other for other in rows if abs(other.start - row.start) < _NEAR_CHARS]
                yield from _claim_from_row(row, near)


def _label(document: Document, table: Table, row: int) -> str:
    return (document.row_path(table, row) or ("",))[-1]


def _years_of_columns(document: Document, table: Table) -> list[str]:
    """The year of each column of figures; empty unless the names of the columns differ only in the year."""
    columns = [at for at, column in enumerate(table.columns) if not column.is_label]
    names = [" ".join(document.column_path(table, at)) for at in columns]
    years = [found[0] for name in names if len(found := _YEAR.findall(name)) == 1]
    is_sure = len(set(years)) == len(names) and len({_YEAR.sub("", name) for name in names}) == 1
    return years if is_sure else []


def _read_row(document: Document, table: Table, number: int, years: list[str]) -> _Row | None:
    """A row with a plain label and a figure under each year; None for another one."""
    text, row = document.text, table.rows[number]
    cells = [it for it in table.cells_of(number) if not table.columns[it.column].is_label]
    label = _label(document, table, number)
    figures = [" ".join(text[it.start : it.end].split()).replace("$ ", "$").replace("( ", "(") for it in cells]
    is_plain = bool(re.fullmatch(r"[A-Z][A-Za-z ,&/'\u2019()-]{4,60}", label)) and all(map(_CELL.fullmatch, figures))
    if not is_plain or len(cells) != len(years) or table.rows[number].goes_on:
        return None
    return _Row(row.start, text[row.start : row.end].strip(), label, figures, years)


def _claim_from_row(row: _Row, near: list[_Row]) -> Iterator[TrueClaim]:
    """The claim that a row states; `near` are the rows of the same table close to it."""
    values = [re.sub(r"[^\d.]", "", cell) for cell in row.cells]
    if len(set(values)) < len(values) or not all(values):
        return
    # One claim per row; the row's own figures choose the column, so that a document always gives the same claims.
    place = sum(map(len, values)) % len(row.years)
    cell, year = row.cells[place], row.years[place]
    rivals = tuple(other.label for other in near if other.label != row.label and other.cells[place] != cell)
    periods = tuple(other for other in row.years if other != year)
    text = f'The table shows {cell} for "{row.label}" in {year}.'
    quote = row.line.strip("| ") if row.line.startswith("|") else row.line
    yield TrueClaim(text, (quote,), row.label, rivals, year, periods)
