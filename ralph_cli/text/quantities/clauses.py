"""Which words of a sentence are said of which of its figures. Pure.

A figure has the words between the boundaries around it: commas, brackets, "and", "while", "than". What stands between
two figures without a boundary is said of both, and a part of the sentence without a figure of all. What is compared
("than in 2017") is said of none.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from ralph_cli.core.deferred import re
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.relations import are_comparable
from ralph_cli.text.quantities.vocabulary import ABOUT, LITTLE_WORDS, NUMBER_WORDS, OVER, SCALES, TIMES, UNDER, singular
from ralph_cli.text.sentences import sentence_at

PARTS_OF_DATES = ("y:", "m:", "p:", "l:")
"""How words for the year, the month, the part of a year and the length in months of a date begin."""

_YEAR = r"\s+(?:the\s+)?(?:fiscal\s+)?(?:19|20)\d\d"
_TO_FIGURE = r"(?=\s+(?:[a-z]+\s+){0,2}[^\w\s]*\Z)"
_BOUNDARY = re.compile(
    rf"(?i),(?!\s+(?:19|20)\d\d\b)|[;()\u2013\u2014]|:(?!\W*\Z)"
    rf"|\b(?:(?:and|or)(?!\s+(?:19|20)\d\d\b)|but|while|whereas|although|though|which|where|when|whose"
    rf"|(?<!up )(?P<to>to){_TO_FIGURE})\b"
    rf"|\b(?P<compared>than|against|compared|versus|vs|since|unlike|after|before|(?:over|on|from)(?={_YEAR})|from{_TO_FIGURE})\b"
)
_OTHER_YEAR = re.compile(r"(?i)\b(?:prior|previous|preceding|earlier|before|ago|last)\b")
_NEW_CLAUSE = re.compile(r"(?i);|\b(?:but|while|whereas|although|though)\b")
_ASIDE = re.compile(r"[,;:()]")
OTHER_YEAR = "y:-1"
"""What is said of a figure with which others are compared: it is of another year than they."""

_THAN = re.compile(r"(?<=\S)\s+(?:not?\s+)?\w+\s+than\s*\Z")
"""A bound of the figure behind it, which compares nothing."""

_GOES_ON = re.compile(r"(?i)\s*(?:with|at|by|for|to|from|or|up|down|on)\b")
"""What begins words that go on with what is said before them: "A met the most opposition of all, with 5 votes"."""

_COMPARED = re.compile(
    r"(?i)\b(?:from|after|against|than|vs|versus|compared\s(?:to|with)|following|previously)\s+(?:[a-z]+\s+){0,4}[^\w\s]*\Z"
)
_DEFINED = re.compile(r"\(([^()]*[\"'\u201c\u2018\u00ab][^()]+[\"'\u201d\u2019\u00bb])\s*\)")
_LISTED = re.compile(r"(?i),\s*(?:and\s+)?|\sand\s")
_JOINT = re.compile(r"\s*(?:,|,?\s*and|,?\s*or)\s*(?:of|to|in|at)?\s*")
"""What stands between figures of a list, which share the words before and behind it."""

_RESPECTIVELY = re.compile(r"(?i)\brespectively\b")
_WORD = re.compile(r"[^\W\d_]{3,}")
_ENDINGS = re.compile(r"(?:ables?|ations?|itions?|ions?|ings?|ments?|ives?|ers?|ed|al|ly|es?)\Z")
_NO_LABEL = frozenset().union(
    LITTLE_WORDS, ABOUT, OVER, UNDER, NUMBER_WORDS, SCALES, TIMES, {"respectively", "ended"}
) - {"own"}
_ALIKE = {
    "home": "domestic", "abroad": "international", "overseas": "international", "foreign": "international",
    "bought": "buy", "purchase": "buy", "purchased": "buy", "rent": "lease", "rented": "lease", "sold": "sell",
    "sale": "sell", "paid": "pay", "abstained": "abstention", "overall": "total",
    "consolidated": "total", "altogether": "total", "held": "hold", "lent": "loan", "built": "build",
}  # fmt: skip
"""Words that name one thing in tables and another way in sentences, and forms that no ending tells."""


def say_words(text: str, fiscal_end: int = 12) -> frozenset[str]:
    """The stems of the words that name something, times ("t:3year"), and the parts of dates: "y:2018", "m:6", "p:Q3".

    A day or month has all the years after which it may be named where fiscal years end with this month.
    """
    found: set[str] = set()
    for one in reversed(read_quantities(text, "prose")):
        if one.kind in ("duration", "ordinal"):
            found.add(f"t:{one.value}{one.unit}")
        if one.kind == "date":
            found |= {f"y:{year}" for year in one.date.years(fiscal_end)}
            found |= {f"t:{one.date.part[1:]}"} if one.date.part else set()
            named = (("m:", one.date.month), ("p:", one.date.part), ("l:", one.date.months))
            found.update(f"{key}{value}" for key, value in named if value is not None)
            text = f"{text[: one.start]} {text[one.end :]}"
    return frozenset(found | {_stem(word) for word in map(singular, _WORD.findall(text)) if word not in _NO_LABEL})


def _stem(word: str) -> str:
    word = _ALIKE.get(word, word)
    while len(stem := _ENDINGS.sub("", word)) > 2 and stem != word:
        word = stem
    word = word[:-1] if len(word) > 3 and word[-1] == word[-2] else word  # "planned"
    return f"{word[:-1]}i" if word[-1] == "y" else word  # "carried" and "carry"


_SAY_NOTHING = say_words("increase decrease rise fall growth decline change gain drop up down margin share of")


@lru_cache(maxsize=512)
def words_of_figures(text: str) -> dict[int, frozenset[str]]:
    """What a text says of each of its figures, by where it begins."""
    quantities = read_quantities(text, "prose")
    found: dict[int, frozenset[str]] = {}
    for wanted in (_is_day, _is_time, _is_amount):
        group_of = filter(wanted, quantities)
        for (start, end), group in groupby(group_of, key=lambda one: sentence_at(text, one.start, one.end)):
            found |= _words_in_sentence(text, start, end, list(group))
    for at, words, dated in _pair_lists(text, quantities):
        found[at] = words | frozenset(word for word in found.get(at, ()) if dated and not is_of_date(word))
    return found


def _is_amount(quantity: Quantity) -> bool:
    return quantity.is_measured and not _is_time(quantity)


def _is_time(quantity: Quantity) -> bool:
    return quantity.kind in ("duration", "ordinal")


def _is_day(quantity: Quantity) -> bool:
    return quantity.date.day is not None


def _words_in_sentence(
    text: str, start: int, end: int, figures: Sequence[Quantity]
) -> Iterator[tuple[int, frozenset[str]]]:
    spans = [_with_brackets(text, one) for one in figures]
    edges = [start, *(edge for span in spans for edge in span), end]
    gaps = [
        _split(_THAN.sub("", _DEFINED.sub(r" \1 ", text[at:to])), is_behind=at > start)
        for at, to in zip(edges[::2], edges[1::2], strict=True)
    ]
    free = [_say_free(parts[number > 0 : len(parts) - (number < len(figures))]) for number, parts in enumerate(gaps)]
    ends = [
        0 < at < len(figures) and bool(_NEW_CLAUSE.search(text, edges[2 * at], edges[2 * at + 1]))
        for at in range(len(gaps))
    ]
    shared = frozenset(
        word for words, new in zip(free, ends, strict=True) if not new for word in words if not is_of_date(word)
    )
    last = frozenset[str]()
    pairs = zip(figures, figures[1:], spans, spans[1:], strict=False)
    listed = [are_comparable(a, b) and bool(_JOINT.fullmatch(text, c[1], d[0])) for a, b, c, d in pairs]
    for number, figure in enumerate(figures):
        first, last_gap = number, number + 1
        while first and listed[first - 1]:
            first -= 1
        while last_gap < len(figures) and listed[last_gap - 1]:
            last_gap += 1
        (before, boundary), (behind, _) = gaps[first][-1], gaps[last_gap][0]
        near = say_words(f"{before} , {behind}")
        lead, rest = (text[edges[2 * gap] : edges[2 * gap + 1]] for gap in (first, last_gap))
        lead = _THAN.sub("", lead)
        beside = f"{_ASIDE.split(lead)[-1]} , {_ASIDE.split(rest)[0]}"
        is_other = boundary == "compared" or bool(_OTHER_YEAR.search(beside) or _COMPARED.search(lead))
        named = sum(not is_of_date(word) for word in near - _SAY_NOTHING)
        goes_on = _GOES_ON.match(before) or before.rstrip().endswith((" that of", " those of"))
        if number and (boundary or named <= bool(goes_on)):
            undated = is_other or any(map(is_of_date, near))  # "it grew by 5 in 2022, to 7"
            near |= frozenset(word for word in last if not (undated and is_of_date(word)))
        last = near if boundary != "compared" else frozenset()
        near |= {OTHER_YEAR} if is_other else frozenset()
        dated = boundary == "compared" or _OTHER_YEAR.search(f"{before} {behind}") or any(map(is_of_date, near))
        between = any(is_of_date(word) for words in free[1:-1] for word in words)
        of_all = frozenset[str]() if dated or between else free[0] | free[-1]
        own = free[first] if ends[first] else frozenset[str]()
        yield figure.start, near | shared | of_all | own


def _with_brackets(text: str, figure: Quantity) -> tuple[int, int]:
    """Where a figure begins and ends with the brackets that hold nothing else: "the founders (55%)"."""
    start, end = figure.start, figure.end
    closed = end if text[end - 1 : end] == ")" else end + 1
    alone = text[start - 1 : start] == "(" and text[closed - 1 : closed] == ")"
    return (start - 1, closed) if alone else (start, end)


def is_of_date(word: str) -> bool:
    """Whether it stands for a part of a date."""
    return word[:2] in PARTS_OF_DATES


def _split(gap: str, *, is_behind: bool) -> list[tuple[str, str]]:
    """The parts of what stands beside figures, each with what parts it from the one before: "to", "compared", or "".

    Only `is_behind` a figure "to" begins a part: "it rose by 5 to 7", but "revenue rose to 7".
    """
    parts, at, boundary = list[tuple[str, str]](), 0, ""
    for match in _BOUNDARY.finditer(gap):
        if match["to"] and (parts or not is_behind):
            continue
        parts.append((gap[at : match.start()], boundary))
        at, boundary = match.end(), match.lastgroup or ""
    return [*parts, (gap[at:], boundary)]


def _say_free(parts: Sequence[tuple[str, str]]) -> frozenset[str]:
    """The words of parts that are beside no figure and not compared."""
    return say_words(" , ".join(words for words, boundary in parts if boundary != "compared"))


def _pair_lists(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[int, frozenset[str], bool]]:
    """The words of each figure, by its place, of lists that go together: "in 2022 and 2021 it sold 5 and 4".

    The last says whether they are dates; else, of figures that a text calls "respectively", what is listed before them.
    """
    for (begin, end), group in groupby(quantities, key=lambda one: sentence_at(text, one.start, one.end)):
        found = list(group)
        lists = list(_read_lists(text, found))
        dates = [one for one in lists if one[0].kind == "date"]
        said = _RESPECTIVELY.search(text, begin, end)
        if said and dates and not any(len(one) == len(dates[-1]) for one in lists if one not in dates):
            lists.append([one for one in found if one.kind != "date"][-len(dates[-1]) :])  # "up to 8 from 3 in ..."
        for figures in lists:
            alike = [one for one in dates if len(one) == len(figures) > 1]
            if figures not in dates and alike and (said or len(dates) == 1):
                nearest = min(alike, key=lambda one: abs(one[0].start - figures[0].start))
                yield from ((one.start, say_words(date.text), True) for one, date in zip(figures, nearest, strict=True))
        if said and not dates and lists and len(figures := lists[-1]) > 1:
            listed = _LISTED.split(text[begin : figures[0].start])[-len(figures) :]
            if len(listed) == len(figures):
                yield from ((one.start, say_words(item), False) for one, item in zip(figures, listed, strict=True))


def _read_lists(text: str, quantities: Sequence[Quantity]) -> Iterator[list[Quantity]]:
    """The figures and dates of a sentence in the lists that they stand in, or alone."""
    found: list[Quantity] = []
    for one in quantities:
        if found and (
            not _JOINT.fullmatch(text, found[-1].end, one.start) or (found[-1].kind == "date") != (one.kind == "date")
        ):
            yield found
            found = []
        found.append(one)
    if found:
        yield found
