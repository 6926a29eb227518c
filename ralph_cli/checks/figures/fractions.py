"""Words that are figures: "doubled", "two-thirds", "half of". Each needs the same in the quotes, or numbers for it.

What merely has such a word is none: the second half, a third party, the third quarter, a half-year. Pure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ralph_cli.checks.figures.agreement import quoted_figures
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.quantities.figures import Figure

_ROOTS = {"doubl": Decimal(2), "tripl": Decimal(3), "quadrupl": Decimal(4), "quintupl": Decimal(5)}
_ROOTS["halv"] = Decimal("0.5")
_COUNTS = {"one": 1, "a": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_COUNTS |= {"ten": 10, "twelve": 12, "twenty": 20, "hundred": 100}
_PARTS = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "tenth": 10}
_MARGIN = Decimal("1.0001")
_COUNT, _ROOT = "|".join(_COUNTS), "|".join(_ROOTS)
_COMPARED = r"\s+(?:as|the|its|their|that|those|what|higher|more|larger|greater|bigger|longer|faster)\b"
_TIMES = re.compile(
    rf"(?i)\b(?:(?P<root>{_ROOT})(?:ed|es|ing)"
    rf"|(?:(?:to|will|would|could|should|can|may|might|must|did|not|nearly|almost|than)\s+(?P<verb>{_ROOT})e"
    rf"|(?P<last>{_ROOT})e(?=\s*(?:[?.,;]|\Z))|(?P<wise>double|triple)(?=\s+(?:the|its|their|that|those|what)\b))"
    r"(?![\s-]+(?:count|check|dip|deal|tax|digit|net|down\b))"
    rf"|(?P<fold>{_COUNT}|\d+)[\s-]?fold|(?P<twice>twice)(?={_COMPARED})|(?P<times>{_COUNT})\s+times(?={_COMPARED}))(?![\w-])"
)
_SHARE = re.compile(
    r"(?i)(?<!\bfirst )(?<!second )(?<!latter )(?<!\bother )(?<!better )(?<!\bfinal )(?<!\blast )(?<!\band )(?<![\w-])"
    r"(?:(?P<half>(?:one|a)[\s-]half|half(?=\s+(?:of|the|its|their|our|that|this|those|these|what|as)\b)"
    r"|(?:(?<=\bby )|(?<=\bin )|(?<=than )|(?<=least )|(?<=about )|(?<=nearly )|(?<=almost )|(?<=over ))half)"
    r"|(?P<count>one|two|three|four|five|seven)[\s-](?P<part>thirds?|fourths?|fifths?|sixths?|sevenths?|eighths?|tenths?)"
    r"|(?P<quarters>(?:one|three)-quarters?|(?:one|three)\s+quarters?(?=\s+of\b))"
    r"|a\s+(?P<single>third|quarter|fifth|sixth|seventh|eighth|tenth)(?=\s+of\b)"
    r"|a\s+(?P<ended>third)(?=\s*(?:[.;)]|\Z)|\s+(?:higher|lower|more|less|larger|smaller|fewer)\b))"
    r"(?!-)(?!\s+(?:years?|hours?|day|party|parties|of\s+(?:fiscal|calendar|(?:19|20)\d\d|the\s+(?:fiscal\s+|calendar\s+)?year))\b)"
)
_MORE = re.compile(r"(?i)(?:more\s+than|over|above|exceed(?:s|ed|ing)?|in\s+excess\s+of)\s+(?:an?\s+)?\Z")
_LEAST = re.compile(r"(?i)at\s+least\s+(?:an?\s+)?\Z")
_NEARLY = re.compile(r"(?i)(?:nearly|almost|just\s+under|close\s+to)\s+(?:an?\s+)?\Z")
_LESS = re.compile(r"(?i)(?:less\s+than|under|below|up\s+to|at\s+most)\s+(?:an?\s+)?\Z")
_ABOUT = re.compile(r"(?i)(?:about|roughly|approximately|around|some)\s+(?:\w+\s+)?\Z")
_NOT = re.compile(rf"(?i)\b(?:{NEGATIONS})\b[^.;]*\Z")
_REACH = 200
"""Characters before a multiple in which its hedge, or a denial, is looked for."""

MAX_FIGURES = 12
"""Figures of a quote that are compared with one another."""


@dataclass(frozen=True, slots=True)
class Multiple:
    """A multiple or a share in words, at text[start:end]; `least` and `most` are what it may be, hedges considered."""

    text: str
    start: int
    end: int
    value: Decimal
    least: Decimal
    most: Decimal
    denied: bool

    def admits(self, value: Decimal) -> bool:
        """Whether a number is what the words say."""
        return self.least <= value <= self.most


def multiples(text: str) -> Iterator[Multiple]:
    """The multiples and shares that a text names in words."""
    for match in _TIMES.finditer(text):
        root = match["root"] or match["verb"] or match["last"] or (match["wise"] or "")[:-1]
        count = (match["fold"] or match["times"] or "two").lower()  # "twice" is two times
        value = _ROOTS[root.lower()] if root else Decimal(_COUNTS.get(count) or count)
        # "to double" begins with its auxiliary, and what hedges it stands before that.
        yield _multiple(match, value, text)
    for match in _SHARE.finditer(text):
        if match["half"]:
            value = Decimal("0.5")
        elif match["quarters"]:
            value = Decimal(_COUNTS[re.split(r"\W", match["quarters"].lower())[0]]) / 4
        else:
            part = (match["part"] or match["single"] or match["ended"]).lower().rstrip("s")
            value = Decimal(_COUNTS[(match["count"] or "a").lower()]) / _PARTS[part]
        yield _multiple(match, value, text)


def _multiple(match: re.Match[str], value: Decimal, text: str) -> Multiple:
    before = text[max(match.start() - _REACH, 0) : match.start()]
    # "than" and "almost" may be the first word of the match.
    hedge = before + match[0].split()[0] + " "
    room = Decimal("0.1") if _ABOUT.search(before) else Decimal("0.025")
    least, most = value * (1 - room), value * (1 + room)
    if _MORE.search(before) or _MORE.search(hedge):
        least, most = value * _MARGIN, value * Decimal("1.5")
    elif _LEAST.search(before):
        least, most = value, value * Decimal("1.5")
    elif _NEARLY.search(before) or _NEARLY.search(hedge):
        least, most = value * Decimal("0.8"), value / _MARGIN
    elif _LESS.search(before):
        least, most = Decimal(0), value
    return Multiple(match[0], match.start(), match.end(), value, least, most, bool(_NOT.search(before + match[0])))


def check_multiples(
    text: str, quotes: Sequence[str], results: Iterable[Figure], question: str
) -> tuple[list[Multiple], list[Multiple]]:
    """The multiples of a text, and those of them that nothing bears out.

    They are borne out by the same in the quotes, a percentage, a share or a ratio there or among the results, or by two
    figures of one quote that make it. A question's own may be denied: "it did not double".
    """
    named = {multiple.value for quote in quotes for multiple in multiples(quote)}
    asked = {multiple.value for multiple in multiples(question)}
    rows = [[found.figure for found in quoted_figures(quote) if not found.figure.name] for quote in quotes]
    values = [*results, *(figure for row in rows for figure in row)]
    ratios = [one.value / other.value for row in rows for one, other in _comparable_pairs(row)]

    def is_supported(multiple: Multiple) -> bool:
        if multiple.value in named or (multiple.denied and multiple.value in asked):
            return True
        return any(_is_multiple(figure, multiple) for figure in values) or any(map(multiple.admits, ratios))

    found = list(multiples(text))
    return found, [multiple for multiple in found if not is_supported(multiple)]


def _is_multiple(figure: Figure, multiple: Multiple) -> bool:
    """Whether a figure is the multiple: 0.5 and 50 % are half, and 2.0 and a rise of 100 % are twice."""
    if figure.scale != 1 or figure.currency:
        return False
    if figure.percent:
        return multiple.admits(figure.value / 100) or (multiple.value > 1 and multiple.admits(1 + figure.value / 100))
    return multiple.admits(figure.value) and (multiple.value < 1 or "." in figure.text)


def _comparable_pairs(row: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
    """Pairs of different figures of a quote that may be of one kind, no years among them."""
    amounts = [figure for figure in row if not (figure.currency == "" and 1900 <= figure.value <= 2100)][:MAX_FIGURES]
    for one in amounts:
        for other in amounts:
            if one is not other and other.value and one.percent == other.percent and one.currency == other.currency:
                yield one, other
