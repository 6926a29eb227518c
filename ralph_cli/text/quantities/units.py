"""What a number measures, read from the words before and behind it: money, time, size, things. Pure."""

# ruff: noqa: SIM905

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from ralph_cli.text.quantities.currencies import CURRENCY_MARK, currency_after, currency_key
from ralph_cli.text.quantities.dates import CURRENCY_SIGNS, read_date
from ralph_cli.text.quantities.numbers import Form, Number
from ralph_cli.text.quantities.quantity import Kind
from ralph_cli.text.quantities.tokens import MINUSES, Tokens
from ralph_cli.text.quantities.vocabulary import (
    ABOUT,
    AREAS,
    LETTER_SCALES,
    LITTLE_WORDS,
    NUMBER_WORDS,
    OVER,
    PACES,
    PHYSICAL,
    RAISED_UNITS,
    SCALES,
    TIMES,
    WORKING_DAYS,
    singular,
)

_MARK = re.compile(CURRENCY_MARK, re.IGNORECASE)
_PERCENT = ("%", "percent", "pct", "per cent")
_POINTS = ("points", "point")
_BARE = frozenset((*_POINTS, "p"))
"""What is a unit of a number without any other alone."""

_SPELLED: tuple[tuple[str, Kind, str], ...] = (
    *((f"{whole} {point}", "points", "") for whole in (*_PERCENT, "percentage") for point in _POINTS),
    *((word, "points", "basis point") for word in ("bp", "bps", "basis points", "basis point")),
    *((word, "points", "") for word in ("pp", "ppt", "ppts", "pts", "pps", "p . p .", *_POINTS)),
    *((word, "percent", "") for word in _PERCENT),
    *((word, "percent", "thousandth") for word in ("\u2030", "per mille", "per mil", "per thousand")),
    *((word, "duration", "minute") for word in ("\u5206 \u9593", "\u5206 \u949f", "\u5206 \u9418")),
    ("\u5929", "duration", "day"),
    ("\u6210", "percent", "tenth"),
    *(
        (f"{word} {scale}", "physical", f"degree {name}")
        for word in ("°", "degree", "degrees")
        for name in ("celsius", "fahrenheit")
        for scale in (name, name[0])
    ),
    *((f"parts per {size}", "physical", f"part per {size}") for size in ("million", "billion")),
)
_UNITS: dict[str, list[tuple[list[str], Kind, str]]] = {}
for _words, _kind, _unit in _SPELLED:
    _UNITS.setdefault(_words.split()[0], []).append((_words.split(), _kind, _unit))
_THINGS = frozenset(
    "share unit barrel gallon mwh kwh customer person employee member user subscriber tonne ton".split()
)
"""What "a" may stand before as "per" does: $10 a share."""

_BEFORE_NEGATIVE = frozenset("was were is are be been of to from by at and or than the a - , : ;".split()) | {""}
"""What a negative amount in brackets stands behind in running text; behind other words it is an aside."""

_POWERS = {"hundred": "100"} | {word: str(10 ** SCALES[word]) for word in ("thousand", "million", "billion")}
_MAX_NOUNS = 4
_WORDS_BEFORE = 5
"""Words before an amount among which "annual" says what it is stated for."""


@dataclass(slots=True)
class Draft:
    """A quantity while it is read: `begin` and `next` are the indexes of its first token and of the one behind it."""

    value: Decimal
    begin: int
    next: int
    decimals: int
    form: Form
    worded: bool
    kind: Kind = "none"
    unit: str = ""
    power: int | None = None
    negative: bool = False
    opened: bool = False
    aside: bool = False
    nouns: tuple[str, ...] = ()
    behind_nouns: int = 0
    per_time: str = ""
    per_thing: str = ""
    marks: dict[int, tuple[int, str]] = field(default_factory=dict)


def currency_marks(text: str) -> dict[int, tuple[int, str]]:
    """The signs and codes of currencies in a text, by the place behind each: where it begins, and the currency."""
    return {match.end(): (match.start(), currency_key(match[0])) for match in _MARK.finditer(text)}


def begin_draft(number: Number, at: int, marks: dict[int, tuple[int, str]]) -> Draft:
    """The quantity that a number begins, before anything around it is read."""
    kinds: dict[Form, Kind] = {"share": "ratio", "multiple": "ratio", "ordinal": "ordinal"}
    kind = kinds.get(number.form, "none")
    return Draft(number.value, at, number.next, number.decimals, number.form, number.worded, kind, marks=marks)


def read_front(tokens: Tokens, draft: Draft, *, arithmetic: bool, prose: bool) -> None:
    """The signs before a number: its minus, its currency, the bracket of a negative."""
    at = draft.begin - 1
    if not arithmetic:
        at = _read_sign(tokens, draft, at)
    mark = draft.marks.get(tokens[at].end) if at >= 0 and not draft.worded else None
    if mark is not None:
        draft.kind, draft.unit = "currency", mark[1]
        while at >= 0 and tokens[at].start >= mark[0]:
            draft.begin, at = at, at - 1
        if not arithmetic:
            at = _read_sign(tokens, draft, at)
    if tokens.low(at) in ("minus", "negative") and not arithmetic:
        draft.negative = True
    _read_brackets(tokens, draft, at, prose=prose)


def _read_sign(tokens: Tokens, draft: Draft, at: int) -> int:
    """The index before a bracket or a minus that ends at a token, or the token's."""
    if tokens.low(at) == "(" and not draft.opened:
        draft.opened = True
        return at - 1
    if not draft.worded and _is_minus(tokens, at):
        draft.negative, draft.begin = True, at
        return at - 1
    return at


def _read_brackets(tokens: Tokens, draft: Draft, at: int, *, prose: bool) -> None:
    """Whether brackets around a number make it negative; `at` is the token before them."""
    named = tokens.low(at) in NUMBER_WORDS  # "fifteen (15) months"
    closed = draft.opened and tokens.low(draft.next) == ")"
    # "Two in three ($3 million) went", but "was ($3 million)" and "$(3) million".
    draft.aside = tokens.low(at + 1) == "(" and tokens.low(at) not in _BEFORE_NEGATIVE
    negative = not tokens.is_word(at) or tokens.low(at) in _BEFORE_NEGATIVE
    is_percent = draft.opened and not prose and tokens.has(draft.next, "%", ")") and negative
    if (closed and not (draft.worded or named)) or is_percent:
        draft.negative = draft.negative or not (prose and draft.aside)
        draft.begin = min(draft.begin, at + 1)
    draft.next += closed


def _is_minus(tokens: Tokens, at: int) -> bool:
    """Whether a sign before a number is its minus, and not the hyphen of a compound or a range."""
    if tokens.low(at) not in MINUSES or at < 0 or not tokens.is_glued(at + 1):
        return False
    return not (
        tokens.is_glued(at) and (tokens.is_number(at - 1) or tokens.is_word(at - 1) or tokens.low(at - 1) == ")")
    )


def read_scale(tokens: Tokens, draft: Draft) -> None:
    """The scale behind a number: "million", "bn", "hundred thousand"."""
    _skip_digits_again(tokens, draft)
    at = tokens.skip_hyphen(draft.next)
    word = tokens.low(at)
    if word not in SCALES or tokens.is_apart(at) or (word == "mm" and draft.kind != "currency"):  # millimetres
        return
    if word in LETTER_SCALES and not _counts_money(tokens, draft, at):
        return
    draft.power, draft.next = SCALES[word], at + 1
    again = tokens.low(draft.next)
    if again in SCALES and again not in LETTER_SCALES:
        draft.power, draft.next = draft.power + SCALES[again], draft.next + 1
    draft.next += tokens.low(draft.next) == "." and word in ("mio", "mrd", "mln")
    if draft.opened and tokens.low(draft.next) == ")":
        draft.negative, draft.next = draft.negative or not draft.aside, draft.next + 1


def _skip_digits_again(tokens: Tokens, draft: Draft) -> None:
    """Read over the digits of a number in words: "fifteen (15)"."""
    again = tokens.low(draft.next + 1)
    if draft.worded and tokens.low(draft.next) == "(" and again.isdecimal() and tokens.low(draft.next + 2) == ")":
        draft.next += 3 if int(again) == draft.value else 0


def _counts_money(tokens: Tokens, draft: Draft, at: int) -> bool:
    """Whether a letter is a scale: "3M" is a company, "3m" three million or metres: only money is surely counted so."""
    glued = tokens.is_glued(at) and at == draft.next
    if draft.kind == "currency":
        return True
    hedged = tokens.low(draft.begin - 1) in ABOUT | OVER  # a company's name is not
    return hedged or not glued if tokens[at].text == "M" else glued


def read_unit(tokens: Tokens, draft: Draft) -> None:
    """The unit directly behind a number and its scale, if it is of a closed class."""
    at = tokens.skip_hyphen(draft.next)
    if tokens.is_apart(at) and tokens.low(at) != "%":
        return
    for words, kind, unit in _UNITS.get(tokens.low(at), ()):
        if (draft.kind == "none" or words[0] not in _BARE) and (end := _behind(tokens, at, words)):
            draft.kind, draft.unit, draft.next = kind, unit, end
            break
    else:
        if not _read_ratio(tokens, draft, at):
            _read_currency_behind(tokens, draft)
            return
    if draft.unit == "basis point":
        draft.value, draft.decimals = draft.value / 100, draft.decimals + 2
    if draft.unit == "thousandth":
        draft.value, draft.decimals, draft.unit = draft.value / 10, draft.decimals + 1, ""
    if draft.unit == "tenth":
        draft.value, draft.decimals, draft.unit = draft.value * 10, max(0, draft.decimals - 1), ""
    draft.next += draft.opened and tokens.low(draft.next) == ")"


def _behind(tokens: Tokens, at: int, words: Sequence[str]) -> int:
    """The index behind these words, 0 if others stand there; a hyphen may join them."""
    for word in words:
        at = at if tokens.low(at) == word else tokens.skip_hyphen(at)
        if tokens.low(at) != word:
            return 0
        at += 1
    return at


def _read_ratio(tokens: Tokens, draft: Draft, at: int) -> bool:
    """ "7-for-one", "2:1", "3x", "four times"."""
    word, one = tokens.low(at), tokens.skip_hyphen(at + 1)
    if draft.kind != "none" or draft.power is not None:
        return False
    joined = at > draft.next or one > at + 1 or draft.worded
    if word == "for" and joined and tokens.low(one) in ("one", "1"):
        draft.unit, draft.next = "split", one + 1
    elif _is_to_one(tokens, draft, at):
        draft.unit, draft.next = "split", at + 2
    elif word in ("times", "fold") or (word in ("x", "\u00d7") and tokens[at].text != "X"):
        if word not in ("times", "fold") and _is_operand(tokens, at + 1):
            return False
        draft.next = at + 1
    else:
        return False
    draft.kind = "ratio"
    return True


def _is_to_one(tokens: Tokens, draft: Draft, at: int) -> bool:
    """Whether ":1" stands behind a number, or as in a cover of "3.0 to 1.0"."""
    if tokens.low(at) == ":":
        return tokens.low(at + 1) == "1" and tokens.is_glued(at)
    is_one = tokens.low(at + 1).rstrip(".0") in ("1", "one")
    return tokens.low(at) == "to" and is_one and tokens.low(draft.begin - 1) != "from"


def _is_operand(tokens: Tokens, at: int) -> bool:
    """Whether a figure, or a bracket that stands as "2 x (3" does, follows a sign that may multiply."""
    bracket = tokens.low(at) == "(" and tokens.is_glued(at) == tokens.is_glued(at - 1)  # but "2.7x (2.1x before)"
    return tokens.is_number(at) or bracket or tokens.low(at) in CURRENCY_SIGNS


def _read_currency_behind(tokens: Tokens, draft: Draft) -> None:
    key, end = currency_after(tokens.text, tokens[draft.next - 1].end)
    if not key or (draft.kind == "currency" and not (draft.unit == "$" and key not in ("$", "cent", "pence"))):
        return
    if draft.kind not in ("none", "currency"):
        return
    if key in ("cent", "pence"):
        draft.value, draft.decimals = draft.value / 100, draft.decimals + 2
    draft.kind, draft.unit = "currency", "\u00a3" if key == "pence" else key
    bracketed = tokens.low(draft.next) == "("
    draft.next = tokens.index_at(end, draft.next)
    draft.next += bracketed and tokens.low(draft.next) == ")"


def read_nouns(tokens: Tokens, draft: Draft) -> None:
    """The words behind a number, and the unit of time or size, or the thing counted, that they name."""
    at, found = draft.next, list[str]()
    while len(found) < _MAX_NOUNS and at < len(tokens) and not tokens.is_apart(at):
        word = tokens.low(at)
        if _joins_nouns(tokens, at):
            at += 1
            continue
        if not _is_noun(tokens, at):
            break
        raised = RAISED_UNITS.get(tokens.low(at + 1)) if word in PHYSICAL and tokens.is_glued(at + 1) else None
        found += [raised, word] if raised else [singular(word)]
        at += 2 if raised else 1
    draft.nouns, draft.behind_nouns = tuple(found), at
    if draft.kind == "none" and found and not (draft.opened and tokens.low(draft.next - 1) == ")"):
        _name_unit(draft)


def _joins_nouns(tokens: Tokens, at: int) -> bool:
    """Whether a sign stands between nouns: "kilowatt-hour", "sq. ft."."""
    hyphened = tokens.low(at) in ("-", "\u2010", "\u2011") and tokens.is_glued(at)
    return hyphened or (tokens.low(at) == "." and tokens.low(at - 1) in ("sq", "ft", "cu"))


def _is_noun(tokens: Tokens, at: int) -> bool:
    """Whether a token may name what is counted: no little word, no number, no date, no plural of "the 737s"."""
    word = tokens.low(at)
    if not tokens.is_word(at) or word in LITTLE_WORDS or word in NUMBER_WORDS or (word == "s" and tokens.is_glued(at)):
        return False
    return not (tokens.is_capitalized(at) and read_date(tokens, at) is not None)


def _name_unit(draft: Draft) -> None:
    nouns = draft.nouns[:3]
    time = next((number for number, noun in enumerate(nouns) if noun in TIMES), None)
    body = next((number for number, noun in enumerate(nouns) if noun in PHYSICAL), None)
    if time is not None and body != 0:
        working = next((WORKING_DAYS[noun] for noun in nouns[:time] if noun in WORKING_DAYS), "")
        unit = TIMES[nouns[time]]
        draft.kind, draft.unit = "duration", working if unit == "day" and working else unit
    elif body is not None and (body <= 1 or nouns[body - 1] in AREAS):
        _name_size(draft, body)
    else:
        draft.kind, draft.unit = "count", nouns[0]


def _name_size(draft: Draft, body: int) -> None:
    """The unit of size that the noun with this number names, with the power of its prefix."""
    unit, power = PHYSICAL[draft.nouns[body]]
    unit += " hour" * (unit == "watt" and draft.nouns[body + 1 : body + 2] == ("hour",))
    draft.kind, draft.unit = "physical", AREAS.get(draft.nouns[body - 1], "") + unit if body else unit
    draft.power = (draft.power or 0) + power if power else draft.power


def read_per(tokens: Tokens, draft: Draft) -> None:
    """What an amount is stated for: "per share", "a month", "annually", or "annual" before it."""
    for at in dict.fromkeys((draft.next, draft.behind_nouns, draft.behind_nouns - 1)):
        _read_per_at(tokens, draft, at)
    if tokens.low(draft.behind_nouns) == "of":  # "25 hours of training each year"
        for at in range(draft.behind_nouns + 2, draft.behind_nouns + 2 + _MAX_NOUNS):
            if tokens.low(at) in ("per", "each", "every") and tokens.low(at + 1) in TIMES:
                _read_per_at(tokens, draft, at)
    _read_cents_of_dollar(tokens, draft)
    if draft.kind != "currency" or draft.per_time:
        return
    for before in range(draft.begin - 1, draft.begin - 1 - _WORDS_BEFORE, -1):
        if tokens.low(before) in (",", ";", ".", "") or tokens.is_number(before):
            break
        draft.per_time = draft.per_time or PACES.get(tokens.low(before), "")


def _read_cents_of_dollar(tokens: Tokens, draft: Draft) -> None:
    """ "17 cents on the dollar" are 17 %."""
    is_share = tokens.low(draft.next + 1) in ("each", "every", "the", "a") and tokens.low(draft.next + 2) == "dollar"
    if is_share and draft.kind == "currency":
        draft.kind, draft.unit = "percent", ""
        draft.value, draft.decimals = draft.value * 100, max(0, draft.decimals - 2)


def _read_per_at(tokens: Tokens, draft: Draft, at: int) -> None:
    word = tokens.low(at)
    if word == "for" and tokens.low(at + 1) in ("each", "every"):
        at, word = at + 1, "per"
    draft.per_time = draft.per_time or _pace_at(tokens, at)
    if word not in ("per", "/", "a", "an", "each", "every") or tokens.is_apart(at):
        return
    noun = singular(tokens.low(at + 1))
    if noun == "second" and word in ("each", "every"):
        return  # "every second" of several
    if noun in TIMES:
        draft.per_time = draft.per_time or TIMES[noun]
    elif word in ("per", "/") or noun in _THINGS:
        draft.per_thing = draft.per_thing or _thing_at(tokens, at + 1)
        _read_per_at(tokens, draft, at + 2)  # "per share for each quarter"


def _pace_at(tokens: Tokens, at: int) -> str:
    """The time that a word behind an amount states it for: "monthly", "p.a."."""
    word = tokens.low(at)
    is_yearly = word == "p" and tokens.has(at + 1, ".", "a")
    return "year" if is_yearly else PACES.get(word, "") if word != "annual" else ""


def _thing_at(tokens: Tokens, at: int) -> str:
    """What "per" stands before: the share or unit of size among its words, else the first of them."""
    words = list[str]()
    number = tokens.low(at).replace(",", "") if tokens.is_number(at) else _POWERS.get(tokens.low(at), "")
    at += bool(number)
    scale = f"{number} " if number else ""
    while at < len(tokens) and tokens.is_word(at) and tokens.low(at) not in LITTLE_WORDS and len(words) < _MAX_NOUNS:
        words.append(singular(tokens.low(at)))
        at += 1
    words += ["hour"] if tokens.low(tokens.skip_hyphen(at)) in ("hour", "hours") else []
    return _thing_of(words, scale)


def _thing_of(words: Sequence[str], scale: str) -> str:
    """The share or unit of size among words, with its scale before it, else the first of them."""
    known = next((word for word in words if word == "share" or word in PHYSICAL), "")
    if "hour" in words and PHYSICAL.get(known, ("",))[0] == "watt":
        return "watt hour"
    return scale + (PHYSICAL[known][0] if known in PHYSICAL else known or (words[0] if words else ""))
