"""Whether a figure of a text and a quoted figure say the same: value, scale, unit and sign. Pure.

A quoted minus may be left out only beside a word of loss, decrease or cost. Brackets are contradicted only by a word
of gain or increase, because filings use them for all that is deducted: in the rows of twelve of them 3,942 figures
stand in brackets, more than half of them labelled as costs, payments or decreases, and 10 have a minus.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from ralph_cli.checks.output.rows import is_scaled, row_label
from ralph_cli.checks.output.shape import Piece
from ralph_cli.text.fold import ZERO_WIDTH
from ralph_cli.text.quantities.currencies import CURRENCIES, DOLLARS, currencies_named
from ralph_cli.text.quantities.figures import Figure, figures, scales_named
from ralph_cli.text.quantities.units import in_whole_units, unit_of
from ralph_cli.text.sentences import line_at, sentence_at

_PERCENT = r"(?:%|per\s?cent\b|percent(?:age)?s?\b)"
_PERCENT_NAMED = re.compile(rf"(?<![\d)])(?<!\d\s)(?<!\)\s){_PERCENT}", re.IGNORECASE)
_PERCENT_SHARED = re.compile(rf"(?:\s*(?:,|-|\u2013|/|to|and|or)\s*\d[\d.,]*\d?)+\s*{_PERCENT}", re.IGNORECASE)
_DEDUCTED = re.compile(
    r"(?i)\b(?:loss|lost|losing|decreas|declin|fell\b|fall|down\b|drop|reduc|shr[aiu]nk|contract(?:ed|ion)|eros|erod|weak"
    r"|worse|negativ|minus|deficit|outflow|used?\b|less\b|below|under\b|lower|short|adverse|unfavou?r|credit|deduct"
    r"|offset|eliminat|impair|writ|chang|differ|varia|rang|sensitiv)"
)
"""Words that say the minus of a figure, or leave its direction open."""

_PAID = re.compile(
    r"(?i)\b(?:cost|expen[sd]|paid|pay|repa[iy]|charg|(?<!before )(?<!before income )(?<!after )tax|depreciat"
    r"|amorti[sz]|purchas|bought|acqui|dividend|distribut|spen[dt]|invest|capex|capital|provision|liabilit|debt|allowance"
    r"|treasury|repurchas|redemption|redeem|settle|accumulated|fees?\b)"
)
"""Words for amounts that are paid or deducted: a table may give them a minus, a sentence does not."""

_GAINED = re.compile(
    r"(?i)\b(?:profit|gain|increas|rose\b|ris(?:e|en|ing)\b|grew\b|grow|up\b(?!\s+to\b)|higher|positive|surplus|inflow|improv)"
)
_GAIN_LABEL = re.compile(r"\b(?:gain|increas)", re.IGNORECASE)
_BRACKETS_MEAN = re.compile(r"[(/]\s*(?:loss|decrease|decline|used|outflow|reduction|deficit)", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:](?=\s)|\s(?:and|but|while|whereas|although|despite)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuotedFigure:
    """A figure of a quote with the quote's text around it, and what headers say of it.

    `scales` are those of its table, none for a figure that is not measured in them (per share, employees, a ratio);
    `percents` says that the quote or its header names per cent; `currencies` are those that its header names.
    """

    figure: Figure
    text: str
    scales: frozenset[int]
    percents: bool
    currencies: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """The words in front of a figure in its line, those of the row's name for a cell of a table."""
        return row_label(self.text, self.figure.start)

    @property
    def line(self) -> str:
        """The line that the figure stands in, with the one before it if its label seems to begin there."""
        begin, end = line_at(self.text, self.figure.start, self.figure.end)
        if not re.search(r"[^\W\d]{3}", self.text[begin : self.figure.start]):
            begin, _ = line_at(self.text, max(begin - 1, 0), begin)
        return self.text[begin:end]


def quoted_figures(text: str, context: str = "") -> tuple[QuotedFigure, ...]:
    """The figures of a quote; `context` are the quotes of the same page, which may hold its table's header.

    A figure of cents or basis points is also given as the one of dollars or per cent that it is.
    """
    text = text.translate({ord(character): None for character in ZERO_WIDTH})
    own, above = scales_named(text), scales_named(context)
    percents = bool(_PERCENT_NAMED.search(text) or _PERCENT_NAMED.search(context))
    currencies = currencies_named(context)
    found: list[QuotedFigure] = []
    for figure in figures(text, ordinals=True):
        label = row_label(text, figure.start)
        scales = scales_named(label) or (own or above if is_scaled(label, f"{context}\n{text}") else frozenset[int]())
        variants = (figure, *in_whole_units(figure, text))
        found += [QuotedFigure(variant, text, scales, percents, currencies) for variant in variants]
    return tuple(found)


def has_same_value(figure: Figure, quoted: QuotedFigure, label: str) -> bool:
    """Whether a figure under a column's name has the quoted value, written out or by the scale named for either."""
    source, labelled = quoted.figure, scales_named(label)
    if source.name:
        return False
    bare = figure.scale == 1 and source.scale == 1
    if figure.value == source.value and not (bare and labelled and quoted.scales and not labelled & quoted.scales):
        return True
    scales = quoted.scales if source.scale == 1 and not source.percent else ()
    values = {source.value, *(source.value * scale for scale in scales)}
    meant = {figure.value * scale for scale in labelled} if figure.scale == 1 else set[Decimal]()
    return bool(values & meant) or (figure.value != source.value and figure.value in values)


def contradiction(figure: Figure, piece: Piece, quoted: QuotedFigure) -> str | None:
    """What a figure of the same value says otherwise than the quoted one, None if it agrees."""
    source = quoted.figure
    if figure.sign == "-" and source.sign == "":
        return f"stands in the quoted words without a minus, as {source.text}"
    unit, meant = unit_of(figure, piece.text), unit_of(source, quoted.text)
    shared = quoted.percents or (source.value < 1000 and bool(_PERCENT_SHARED.match(quoted.text, source.end)))
    if unit in ("percent", "bps") and not meant and not (shared and unit == "percent"):
        kind = "a percent sign" if unit == "percent" else '"basis points"'
        return f"stands in the quoted words without {kind}, as {source.text}"
    unit = unit or _unit_in_label(piece.label)
    if meant == "percent" and not unit and figure.scale != 1:
        return f"stands in the quoted words as a percentage, as {source.text}"
    same = unit == meant or (unit == "percent" and shared) or _is_same_dollar(unit, meant, quoted)
    if unit and meant and not same:
        kind = "in another currency" if {unit, meant} <= CURRENCIES else "with another unit"
        return f"stands in the quoted words {kind}, as {_text_with_unit(quoted)}"
    if unit in CURRENCIES and not meant and quoted.currencies and not _is_header_currency(unit, quoted.currencies):
        return f"stands in a table in another currency, as {source.text}"
    return _missing_minus_fault(figure, piece, quoted)


def _is_same_dollar(unit: str, quoted_unit: str, quoted: QuotedFigure) -> bool:
    """Whether a dollar sign is that of the dollars which the header names: C$ 5 of "$ 5" under "Canadian dollars"."""
    return quoted_unit == "$" and unit in DOLLARS & quoted.currencies


def _is_header_currency(currency: str, header_currencies: frozenset[str]) -> bool:
    """Whether a currency is one that a header names; any dollars may be called dollars there."""
    named = header_currencies | {"cent", "pence"}
    return currency in (named | {"$"} if header_currencies & DOLLARS else named)


def _unit_in_label(label: str) -> str:
    """The unit that a column's name gives to its figures, if it names one only."""
    found = set(currencies_named(label))
    found |= {"percent"} if re.search(_PERCENT, label, re.IGNORECASE) else set()
    return found.pop() if len(found) == 1 else ""


def _text_with_unit(quoted: QuotedFigure) -> str:
    figure = quoted.figure
    behind = re.match(r"\)?[\s-]?[^\W\d]+(?:\s[^\W\d]+)?", quoted.text[figure.end :])
    if figure.percent or figure.currency or not behind:
        return figure.text
    return " ".join((figure.text + behind[0]).split())


def _missing_minus_fault(figure: Figure, piece: Piece, quoted: QuotedFigure) -> str | None:
    """What is wrong with a figure without a sign whose quoted figure is negative; see the head of this module."""
    source = quoted.figure
    if figure.sign or not source.sign or not (_is_minus(quoted) if source.sign == "-" else _is_in_table_row(quoted)):
        return None
    sentence, clause = _sentence_and_clause(figure, piece)
    # A percentage is a rate and never an amount paid.
    paid = not source.percent and bool(_PAID.search(sentence) or _PAID.search(quoted.line))
    gained = bool(_GAINED.search(clause)) and not _DEDUCTED.search(clause) and not paid
    if source.sign == "()":
        wrong = gained and (not _GAIN_LABEL.search(quoted.line) or bool(_BRACKETS_MEAN.search(quoted.line)))
    else:
        wrong = gained or not (paid or _DEDUCTED.search(sentence))
    if not wrong:
        return None
    return f"is negative in the quoted words ({source.text}): write its sign, or say the loss or decrease"


def _is_minus(quoted: QuotedFigure) -> bool:
    """Whether a hyphen before a figure is its sign, and not part of a compound or of a range of years."""
    figure = quoted.figure
    year = figure.value == int(figure.value) and 1900 <= figure.value <= 2100 and len(figure.text) == 5
    return not year and quoted.text[figure.end : figure.end + 1] not in ("-", "\u2013")


def _is_in_table_row(quoted: QuotedFigure) -> bool:
    """Whether a figure in brackets is one of a table's row: behind a label, with only cells behind it."""
    begin, end = line_at(quoted.text, quoted.figure.start, quoted.figure.end)
    has_label = re.search(r"[^\W\d]", quoted.text[begin : quoted.figure.start])
    behind = re.fullmatch(r"[\s\d$\u20ac\u00a3%.,()\u2014\u2013-]*", quoted.text[quoted.figure.end : end])
    return has_label is not None and behind is not None


def _sentence_and_clause(figure: Figure, piece: Piece) -> tuple[str, str]:
    """The sentence and the clause of a figure, with what names it: its column, row and key."""
    text = piece.text
    begin, end = sentence_at(text, figure.start, figure.end, *line_at(text, figure.start, figure.end))
    opening = max((match.end() for match in _CLAUSE.finditer(text, begin, figure.start)), default=begin)
    closing = next((match.start() for match in _CLAUSE.finditer(text, figure.end, end)), end)
    named = f" {piece.label} {piece.row} {piece.where}".replace("_", " ").replace(".", " ")
    return text[begin:end] + named, text[opening:closing] + named
