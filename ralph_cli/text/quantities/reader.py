"""Read figures: turn a text into typed quantities with exact positions. It knows nothing of claims and quotes. Pure.

At each token it tries a date first, then a number with the words before and after it. No character is read twice.
Afterwards it distributes what neighbours share ("$28-32 billion").
"""

# ruff: noqa: SIM905

import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from ralph_cli.text.quantities.dates import read_date
from ralph_cli.text.quantities.numbers import Number, read_number
from ralph_cli.text.quantities.quantity import Bound, Quantity
from ralph_cli.text.quantities.sharing import share_between_neighbours
from ralph_cli.text.quantities.tokens import HYPHENS, Tokens
from ralph_cli.text.quantities.units import (
    Draft,
    begin_draft,
    currency_marks,
    read_front,
    read_nouns,
    read_per,
    read_scale,
    read_unit,
)
from ralph_cli.text.quantities.vocabulary import (
    ABOUT,
    LITTLE_WORDS,
    OVER,
    PHYSICAL,
    REFERENCES,
    SCALES,
    TIMES,
    UNDER,
    singular,
    symbol_behind,
)
from ralph_cli.text.raised import LOWERED, RAISED

# How brackets and slashes are read. In a document "(54%)" is negative, as in a row of a table; in prose it is an
# aside; in arithmetic brackets group, a minus subtracts and a slash divides.
Style = Literal["document", "prose", "arithmetic"]

# Characters of a number; a longer one is a name.
MAX_DIGITS = 60

# A number from this one on names nothing behind a word in small letters.
MAX_REFERENCE = 1000

_LESS = frozenset("less fewer lower smaller shorter earlier rather other".split())
_WITH_SYMBOLS = ("none", "count", "physical", "duration")
# Words before a number that are searched for a hedge ("more than", "about").
_WORDS_BEFORE = 4


@lru_cache(maxsize=4096)
def read_quantities(text: str, style: Style = "document") -> tuple[Quantity, ...]:
    """Return the quantities, dates and names with digits of a text, in order, none inside another."""
    return share_between_neighbours(text, QuantityReader(text, style).read())


class QuantityReader:
    """Reads one text token by token."""

    def __init__(self, text: str, style: Style = "document") -> None:
        self.tokens = Tokens(text)
        self.style = style
        self._marks = currency_marks(text)
        self._floor = 0  # the index behind what was read last

    def read(self) -> list[Quantity]:
        found: list[Quantity] = []
        at = 0
        while at < len(self.tokens):
            read = self.date_at(at) or self.quantity_at(at)
            if read is not None:
                found.append(read[0])
            at = max(read[1], at + 1) if read is not None else at + 1
            self._floor = at if read is not None else self._floor
        return found

    def date_at(self, at: int) -> tuple[Quantity, int] | None:
        """Return the date that begins at a token, and the index after it."""
        read = read_date(self.tokens, at)
        if read is None or (self.style == "arithmetic" and read[0].month is None):
            return None
        start, end = self.tokens[at].start, self.tokens[read[1] - 1].end
        date = read[0]
        value = Decimal(date.year or date.day or date.month or 0)
        return Quantity(self.tokens.text[start:end], start, end, value, kind="date", date=date), read[1]

    def quantity_at(self, at: int) -> tuple[Quantity, int] | None:
        """Return the quantity, or name with digits, that begins at a token, and the index after it."""
        tokens = self.tokens
        number = read_number(tokens, at, arithmetic=self.style == "arithmetic")
        if number is None:
            return self._other_digit(at)
        if (begin := self._name_begins(at, number)) is not None:
            return self._name(max(begin, min(self._floor, at)), number.next)
        draft = begin_draft(number, at, self._marks)
        read_front(tokens, draft, arithmetic=self.style == "arithmetic", prose=self.style == "prose")
        draft.begin = max(draft.begin, min(self._floor, at))
        if not draft.form or draft.kind == "currency":
            read_scale(tokens, draft)
            read_unit(tokens, draft)
            if self._is_name_behind(draft):
                return self._name(at, draft.next + 1 if tokens.is_glued(draft.next) else draft.next + 2)
        read_nouns(tokens, draft)
        read_per(tokens, draft)
        return self._finish(draft), draft.next

    def _name_begins(self, at: int, number: Number) -> int | None:
        """Return the start of the name that contains a number: "F-35", "COVID-19", "Note 5", "12.3.1".

        Return None for none.
        """
        tokens, before = self.tokens, self.tokens.low(at - 1)
        if number.worded or not tokens.is_number(at):
            return None
        if _is_dotted(tokens.low(at)) or len(tokens.low(at)) > MAX_DIGITS:
            return at
        run_on = len(before) > 1 and before in LITTLE_WORDS  # "than3.0": a space was lost
        if tokens.is_glued(at) and tokens.is_word(at - 1) and not run_on and self.tokens[at].start not in self._marks:
            return at - 1
        if self.style == "arithmetic":
            return None
        hyphened = before in HYPHENS and tokens.is_glued(at) and tokens.is_glued(at - 1)
        if hyphened and self._is_name(at - 2):
            return at - 2
        return self._reference_begins(at, number)

    def _reference_begins(self, at: int, number: Number) -> int | None:
        """Return the start of the reference that contains a number: "Note 5", "art. 4"."""
        tokens, before = self.tokens, self.tokens.low(at - 1)
        named = at - 2 if before == "." else at - 1
        word = tokens.low(named)
        is_plain = tokens.is_capitalized(named) or before == "." or (number.value < MAX_REFERENCE and word != "no")
        is_measured = tokens.low(number.next) in ("%", "percent", "per", *SCALES)
        is_reference = word in REFERENCES or singular(word) in REFERENCES
        return named if is_reference and is_plain and not is_measured and not tokens.is_apart(at) else None

    def _is_name_behind(self, draft: Draft) -> bool:
        """Whether the text after a plain number makes it a name: "3M", "10-K", "401(k)"."""
        tokens, at = self.tokens, draft.next
        if self.style == "arithmetic" or not draft.is_plain:
            return False
        word = tokens.low(at)
        if tokens.is_glued(at) and tokens.is_word(at):
            is_letter = self._is_letter(at) and tokens.is_capitalized(at)  # "3G"
            is_unit = singular(word) in PHYSICAL or singular(word) in TIMES
            return word == "m" or (word not in SCALES and (is_letter or not is_unit))
        behind = tokens.skip_hyphen(at)
        if behind > at and tokens.is_word(behind):
            return self._is_letter(behind) and tokens.is_capitalized(behind)
        return word == "(" and tokens.is_glued(at) and self._is_letter(at + 1)

    def _is_name(self, at: int) -> bool:
        return self.tokens.is_word(at) and self.tokens.is_capitalized(at)

    def _is_letter(self, at: int) -> bool:
        return self.tokens.is_word(at) and len(self.tokens.low(at)) == 1

    def _name(self, begin: int, after: int) -> tuple[Quantity, int]:
        tokens = self.tokens
        while after < len(tokens) and tokens.is_glued(after):
            part = after + (tokens.low(after) in HYPHENS and tokens.is_glued(after + 1))
            if not (tokens.is_word(part) or tokens.is_number(part)):
                break
            after = part + 1
        after += tokens.low(after) == ")" and tokens.low(after - 2) == "("
        start, end = tokens[begin].start, tokens[min(after, len(tokens)) - 1].end
        return Quantity(tokens.text[start:end], start, end, Decimal(0), kind="identifier"), after

    def _other_digit(self, at: int) -> tuple[Quantity, int] | None:
        """A sign for a number that is no digit, as in a circle, and has to be quoted as it is."""
        sign = self.tokens[at].text
        if len(sign) != 1 or sign in RAISED + LOWERED or unicodedata.category(sign) not in ("No", "Nl"):
            return None
        return self._name(at, at + 1)

    def _finish(self, draft: Draft) -> Quantity:
        tokens = self.tokens
        start, end = tokens[draft.begin].start, tokens[draft.next - 1].end
        words = self._words_before(draft.begin)
        return Quantity(
            tokens.text[start:end],
            start,
            end,
            -draft.value if draft.negative else draft.value,
            draft.decimals,
            draft.power,
            draft.kind,
            draft.unit,
            draft.nouns,
            draft.per_time,
            draft.per_thing,
            approximate=bool(ABOUT.intersection(words)),
            bound=_bound_of(words),
            wording=draft.form if draft.worded and draft.form != "ordinal" else "",
            symbol=symbol_behind(tokens.text, end) if draft.kind in _WITH_SYMBOLS else "",
        )

    def _words_before(self, begin: int) -> list[str]:
        words: list[str] = []
        for at in range(max(begin - _WORDS_BEFORE, 0), begin):
            word = self.tokens.low(at)
            ends = word in (".", ";", ",", "(", "the", "%") or self.tokens.is_number(at)
            words = [] if ends else [*words, word]
        return words


def _bound_of(words: Sequence[str]) -> Bound:
    """Return the bound in the words before a figure: "more than", "at most", "no later than"."""
    phrase, said = f" {' '.join(words)} ", set(words)
    if any(f" {bound} " in phrase for bound in ("at least", "at most", "up to")):
        return "over" if " at least " in phrase else "under"
    compared = {before for before, word in pairwise(words) if word == "than"}
    more = bool(OVER & said) or any(word == "more" or word.endswith("er") for word in compared - _LESS)
    less = bool(UNDER & said or compared & _LESS)
    if (more or less) and {"no", "not"} & said:
        more, less = less, more
    return "over" if more else "under" if less else ""


def _is_dotted(number: str) -> bool:
    """Whether a number is a section number, such as "12.3.1"."""
    return number.count(".") > 1 and "," not in number
