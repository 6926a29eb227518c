"""What a number measures, read from the words before and after it: money, time, size, things. Pure."""

# ruff: noqa: SIM905

import re
from dataclasses import dataclass, field
from decimal import Decimal

from ralph_cli.text.quantities.currencies import CURRENCY_MARK, currency_after, currency_key
from ralph_cli.text.quantities.dates import read_date
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
# A unit of a closed class, directly behind a number and its scale.
_UNIT = re.compile(
    r"(?i)[\s-]*(?:(?P<basis>bps?(?!\w)|basis[\s-]points?(?!\w))"
    r"|(?P<points>(?:%|(?:percent(?:age)?|pct|per\scent)(?!\w))[\s-]*points?(?!\w)|(?:ppts?|pps?|pts)(?!\w)|p\.p\.)"
    r"|(?P<bare>points?(?!\w))|(?P<percent>%|(?:percent|pct|per\scent)(?!\w))"
    r"|(?P<thousandth>\u2030|per\s(?:mille?|thousand)(?!\w))|(?P<minute>\u5206[\u9593\u949f\u9418])"
    r"|(?P<day>\u5929)|(?P<tenth>\u6210)"
    r"|(?P<degree>(?:\u00b0|degrees?)\s?(?P<scale>c(?:elsius)?|f(?:ahrenheit)?)(?!\w))"
    r"|parts\sper\s(?P<parts>million|billion)(?!\w))"
)

# What makes a ratio of a number: "7-for-one", "2:1", "3 times", "3x", but not the x of "2 x 3".
_RATIO = re.compile(
    r"(?i)(?P<split>\s?(?P<hyphen>-)?\s?for[\s-](?:one|1)(?!\w)|(?::1|\sto\s(?:1(?:\.0+)?|one))(?!\w|[.,]\d))"
    r"|[\s-]*(?:times|fold)(?!\w)|[\s-]?(?:(?-i:x)|\u00d7)(?!\w)(?!\s*[$\u20ac\u00a3\u00a5]?\d|\(|\s+\(\d)"
)

# What "a" means "per" before: $10 a share.
_THINGS = frozenset(
    "share unit barrel gallon mwh kwh customer person employee member user subscriber tonne ton".split()
)

_MAX_NOUNS = 4
# Words before an amount among which "annual" says what it is stated for.
_WORDS_BEFORE = 5


@dataclass(slots=True)
class Draft:
    """A quantity that is being read: `begin` is the index of its first token, `next` the index after its last."""

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
    nouns: tuple[str, ...] = ()
    behind_nouns: int = 0
    per_time: str = ""
    per_thing: str = ""
    marks: dict[int, tuple[int, str]] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether the quantity is a number in digits without unit and scale."""
        return self.kind == "none" and not self.worded and self.power is None


def currency_marks(text: str) -> dict[int, tuple[int, str]]:
    """Return the signs and codes of currencies in a text, by the offset after each: its start, and the currency."""
    return {match.end(): (match.start(), currency_key(match[0])) for match in _MARK.finditer(text)}


def begin_draft(number: Number, at: int, marks: dict[int, tuple[int, str]]) -> Draft:
    """Return the quantity for a number, before the words around it are read."""
    kinds: dict[Form, Kind] = {"share": "ratio", "multiple": "ratio", "ordinal": "ordinal"}
    kind = kinds.get(number.form, "none")
    return Draft(number.value, at, number.next, number.decimals, number.form, number.worded, kind, marks=marks)


def read_front(tokens: Tokens, draft: Draft, *, arithmetic: bool, prose: bool) -> None:
    """Read the signs before a number: its minus, its currency, the bracket of a negative."""
    at = draft.begin - 1
    if not arithmetic:
        at = _read_sign(tokens, draft, at)
    is_inside = draft.opened
    mark = draft.marks.get(tokens[at].end) if at >= 0 and not draft.worded else None
    if mark is not None:
        draft.kind, draft.unit = "currency", mark[1]
        while at >= 0 and tokens[at].start >= mark[0]:
            draft.begin, at = at, at - 1
        if not arithmetic:
            at = _read_sign(tokens, draft, at)
    if tokens.low(at) in ("minus", "negative") and not arithmetic:
        draft.negative = True
    # In running text brackets make an aside, but not those of "$(3) million".
    _read_brackets(tokens, draft, at, is_negative=not prose or (is_inside and mark is not None))


def _read_sign(tokens: Tokens, draft: Draft, at: int) -> int:
    """The index before a bracket or a minus that ends at a token, or the token's."""
    if tokens.low(at) == "(" and not draft.opened:
        draft.opened = True
        return at - 1
    if not draft.worded and _is_minus(tokens, at):
        draft.negative, draft.begin = True, at
        return at - 1
    return at


def _read_brackets(tokens: Tokens, draft: Draft, at: int, *, is_negative: bool) -> None:
    """Whether brackets around a number make it negative; `at` is the token before them."""
    is_again = tokens.low(at) in NUMBER_WORDS  # "fifteen (15) months"
    is_closed = draft.opened and tokens.low(draft.next) == ")"
    is_percent = draft.opened and tokens.has(draft.next, "%", ")") and not tokens.is_word(at)
    if (is_closed and not (draft.worded or is_again)) or is_percent:
        draft.negative = draft.negative or is_negative
        draft.begin = min(draft.begin, at + 1)
    draft.next += is_closed


def _is_minus(tokens: Tokens, at: int) -> bool:
    """Whether a sign before a number is its minus, and not the hyphen of a compound or a range."""
    if tokens.low(at) not in MINUSES or at < 0 or not tokens.is_glued(at + 1):
        return False
    return not (
        tokens.is_glued(at) and (tokens.is_number(at - 1) or tokens.is_word(at - 1) or tokens.low(at - 1) == ")")
    )


def read_scale(tokens: Tokens, draft: Draft) -> None:
    """Read the scale after a number: "million", "bn", "hundred thousand"."""
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
        draft.next += 1


def _skip_digits_again(tokens: Tokens, draft: Draft) -> None:
    """Skip the digits that repeat a number in words: "fifteen (15)"."""
    again = tokens.low(draft.next + 1)
    if draft.worded and tokens.low(draft.next) == "(" and again.isdecimal() and tokens.low(draft.next + 2) == ")":
        draft.next += 3 if int(again) == draft.value else 0


def _counts_money(tokens: Tokens, draft: Draft, at: int) -> bool:
    """Whether a letter is a scale. "3M" is a company, "3m" three million or metres: only money makes it certain."""
    glued = tokens.is_glued(at) and at == draft.next
    if draft.kind == "currency":
        return True
    hedged = tokens.low(draft.begin - 1) in ABOUT | OVER  # a company's name is not
    return hedged or not glued if tokens[at].text == "M" else glued


def read_unit(tokens: Tokens, draft: Draft) -> None:
    """Read the unit directly after a number and its scale, if it belongs to a closed class."""
    if tokens.is_apart(draft.next) and tokens.low(draft.next) != "%":
        return
    end = tokens[draft.next - 1].end
    match = _UNIT.match(tokens.text, end)
    if match is not None and (draft.kind == "none" or not match["bare"]):
        _take_unit(draft, match)
    elif draft.kind == "none" and draft.power is None and (match := _RATIO.match(tokens.text, end)):
        is_split = match["split"] is not None
        if is_split and "for" in match[0].lower() and not (match["hyphen"] or draft.worded):
            return
        draft.kind, draft.unit = "ratio", "split" if is_split else ""
    else:
        _read_currency_behind(tokens, draft)
        return
    draft.next = tokens.index_at(match.end(), draft.next)
    draft.next += draft.opened and tokens.low(draft.next) == ")"


def _take_unit(draft: Draft, match: re.Match[str]) -> None:
    """The kind and unit that are written; of basis points the hundredth, of thousandths and tenths the per cent."""
    name = next(name for name, words in match.groupdict().items() if words)
    kinds: dict[str, Kind] = {"basis": "points", "points": "points", "bare": "points"}
    kinds |= {"minute": "duration", "day": "duration", "degree": "physical", "parts": "physical"}
    shift = {"basis": 2, "thousandth": 1, "tenth": -1}.get(name, 0)
    draft.kind, draft.unit = kinds.get(name, "percent"), ""
    draft.value, draft.decimals = draft.value.scaleb(-shift), max(0, draft.decimals + shift)
    if name == "degree":
        draft.unit = "degree celsius" if match["scale"][0] in "cC" else "degree fahrenheit"
    elif name == "parts":
        draft.unit = f"part per {match['parts'].lower()}"
    elif name in ("basis", "minute", "day"):
        draft.unit = "basis point" if name == "basis" else name


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
    """Whether a sign joins nouns: "kilowatt-hour", "sq. ft."."""
    hyphened = tokens.low(at) in ("-", "\u2010", "\u2011") and tokens.is_glued(at)
    return hyphened or (tokens.low(at) == "." and tokens.low(at - 1) in ("sq", "ft", "cu"))


def _is_noun(tokens: Tokens, at: int) -> bool:
    """Whether a token may name what is counted, not a function word, number, date, or plural such as "the 737s"."""
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
    """Read the reference of a rate: "per share", "a month", "annually", or "annual" before it."""
    for at in dict.fromkeys((draft.next, draft.behind_nouns, draft.behind_nouns - 1)):
        _read_per_at(tokens, draft, at)
    _read_cents_of_dollar(tokens, draft)
    if draft.kind != "currency" or draft.per_time:
        return
    for before in range(draft.begin - 1, draft.begin - 1 - _WORDS_BEFORE, -1):
        if tokens.low(before) in (",", ";", ".", "") or tokens.is_number(before):
            break
        draft.per_time = draft.per_time or PACES.get(tokens.low(before), "")


def _read_cents_of_dollar(tokens: Tokens, draft: Draft) -> None:
    """Read "17 cents on the dollar" as 17 %."""
    is_share = tokens.low(draft.next + 1) in ("each", "every", "the", "a") and tokens.low(draft.next + 2) == "dollar"
    if is_share and draft.kind == "currency":
        draft.kind, draft.unit = "percent", ""
        draft.value, draft.decimals = draft.value * 100, max(0, draft.decimals - 2)


def _read_per_at(tokens: Tokens, draft: Draft, at: int) -> None:
    at += tokens.low(at) == "for" and tokens.low(at + 1) in ("each", "every")
    word, noun = tokens.low(at), singular(tokens.low(at + 1))
    if word != "annual":  # behind an amount it belongs to the next word
        draft.per_time = draft.per_time or PACES.get(word, "")
    if word not in ("per", "/", "a", "an", "each", "every") or tokens.is_apart(at):
        return
    if noun in TIMES and not (noun == "second" and word in ("each", "every")):  # "every second" of several
        draft.per_time = draft.per_time or TIMES[noun]
    elif word in ("per", "/") or noun in _THINGS:
        draft.per_thing = draft.per_thing or _thing_at(tokens, at + 1)
        _read_per_at(tokens, draft, at + 2)  # "per share for each quarter"


def _thing_at(tokens: Tokens, at: int) -> str:
    """Return the first word after "per" and a number."""
    at += tokens.is_number(at)
    return singular(tokens.low(at)) if tokens.is_word(at) and tokens.low(at) not in LITTLE_WORDS else ""
