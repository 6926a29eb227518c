"""Trace every figure, date and name of a text to its source, or report that it is found nowhere. Pure.

Code locates figures and interprets no words: a source is a position with the names of its row and column. Only what
needs no reading is a fault: a value found nowhere, or two written units or scales that differ.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from ralph_cli.checks.figures.candidates import Candidate, DocumentFacts
from ralph_cli.checks.figures.dates import is_between_dates, is_shifted, match_date
from ralph_cli.checks.figures.derived import relate
from ralph_cli.checks.figures.match import MONTHS_IN, Match, match, same_value
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.vocabulary import UNKNOWN_UNIT
from ralph_cli.text.scales import content_words
from ralph_cli.text.sentences import sentence_at

# Most characters between two figures of a text if one may be computed from the other.
_NEAR = 300

_WORDS_BEHIND, _REACH = re.compile(r"[\s-]+[^\W\d_]+(?:/[^\W\d_]+)?"), 60
_YEAR_OR_LETTERS = re.compile(r"\b(?:19|20)\d\d\b|\b(?:[A-Z]\.){2,}")
_ORDER = ("quote", "calculation", "header", "derived", "document", "question")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a figure: `field` is "nowhere", "unit", "scale", "date", "name" or "calculation".

    If it is not `is_sure`, the figure may still be right. `name` is the figure in the words of the text, and `what`
    describes the fault. `brief` describes it for a reader who sees the source next to it.
    """

    field: str
    name: str
    what: str
    is_sure: bool = True
    brief: str = ""

    @property
    def message(self) -> str:
        """Return name and fault in one line."""
        return f'"{self.name}"{self.said}'

    @property
    def said(self) -> str:
        """Return the fault in the words that follow the name."""
        return f" is {self.what}" if self.field in ("nowhere", "name") else f": {self.what}"


@dataclass(frozen=True, slots=True)
class Trace:
    """A figure, date or name of a text, and its candidate; `fault` is set if no candidate has it as written.

    `others` are candidates with the same value, at the precision of the text.
    """

    quantity: Quantity
    source: Candidate | None = None
    fault: Fault | None = None
    others: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class FigureTracer:
    """Trace the figures of texts to their possible sources.

    `said` has the quoted words, which are also searched for names with digits. `described` names the sources in
    messages. With `derives`, a figure may be computed from two quoted figures, else from two other figures of its text.
    """

    candidates: Sequence[Candidate]
    facts: DocumentFacts
    said: str
    described: str = "no quote of the claim, nor the result of a calculation that holds"
    derives: bool = True
    _matches: dict[Quantity, list[Match]] = field(default_factory=dict)

    def trace_all(self, text: str) -> list[Trace]:
        """Return the traces of all figures, dates and names with digits of a text, in order."""
        found = read_quantities(text, "prose")
        return [self.trace(text, one, found) for one in found]

    def trace(self, text: str, quantity: Quantity, others: Sequence[Quantity] = (), named: str = "") -> Trace:
        """Trace a figure of a text.

        `others` are all figures of the text; `named` has words elsewhere that name the figure.
        """
        if quantity.kind == "identifier":
            return self._trace_name(quantity)
        if quantity.kind == "date":
            return self._trace_date(quantity)
        sentence = text[slice(*sentence_at(text, quantity.start, quantity.end))] + named
        matches = self._find(quantity)
        fitting = [one.candidate for one in matches if not one.difference]
        if fitting and not self._lacks_currency(quantity, fitting):
            ranked = _rank(fitting, quantity, sentence)
            return Trace(quantity, ranked[0], others=tuple(ranked[1:]))
        repeats = any(one.is_sure and abs(one.candidate.quantity.value) == abs(quantity.value) for one in matches)
        if not repeats and (derived := self._derive(quantity, others)):
            return Trace(quantity, derived)
        name = name_quantity(text, quantity)
        if fitting:
            fault = Fault("unit", name, "the document names no such currency")
            return Trace(quantity, fitting[0], fault)
        if matches:
            # A different unit comes before a different scale; uncertain differences come last.
            best_match = min(matches, key=lambda one: (not one.is_sure, one.difference))
            return Trace(quantity, best_match.candidate, _describe(name, best_match))
        return Trace(quantity, fault=self._describe_missing(text, quantity, name))

    def _lacks_currency(self, quantity: Quantity, fitting: Sequence[Candidate]) -> bool:
        """Whether neither the candidates nor the rest of the document name the currency of an amount."""
        is_named = any(one.quantity.kind == "currency" for one in fitting) or not self.facts.text
        return quantity.kind == "currency" and not is_named and quantity.unit not in ("cent", *self.facts.currencies)

    def _find(self, quantity: Quantity) -> list[Match]:
        if quantity not in self._matches:
            found = (self._match(quantity, candidate) for candidate in self.candidates)
            self._matches[quantity] = [one for one in found if one is not None]
        return self._matches[quantity]

    def _match(self, quantity: Quantity, candidate: Candidate) -> Match | None:
        found = match(replace(quantity, bound="") if candidate.source == "question" else quantity, candidate)
        # A result computed from figures without a stated scale may have any scale.
        is_shown = candidate.source == "quote" or (candidate.source == "calculation" and found and not found.is_sure)
        return None if found and found.difference and not is_shown else found

    def _trace_name(self, quantity: Quantity) -> Trace:
        plain, number = re.sub(r"\W", "", quantity.text.lower()), quantity.text.lower().rpartition(" ")[2]
        # "Clause 5" may be where a line begins with that number, or it is quoted.
        part = rf"{re.escape(number)}(?![\d,]|\.\d)" if number[0].isdigit() else "(?!)"
        is_part = re.search(rf"(?<![\d.,]){part}", self.said) or re.search(rf"(?m)^\W*{part}", self.facts.text.lower())
        if is_part or plain in self.facts.letters or plain in re.sub(r"\W", "", self.said.lower()):
            return Trace(quantity, Candidate(quantity, source="document"))
        # In other scripts it is a number that must be quoted as written.
        fault = Fault("name", quantity.text, f"in {self.described}", is_sure=not quantity.text.isascii())
        return Trace(quantity, fault=fault)

    def _trace_date(self, quantity: Quantity) -> Trace:
        found = match_date(quantity, self.candidates, self.facts.fiscal_end)
        if not found.missing:
            return Trace(quantity, next(iter(found.sources), None))
        if is_shifted(quantity.date, self.candidates):
            what = "it may be computed from the quotes, but no calculation is recorded"
            return Trace(quantity, fault=Fault("calculation", quantity.text, what, is_sure=False))
        what = f"{found.missing} in no quote"
        if found.rival is not None:
            what = f'the quotes say "{flatten(found.rival.text)}" (another {found.missing})'
        source = next(iter(found.sources), None)
        # Where the quotes and their headers name years, and not this one, it is another; where they name none, it may
        # be that of the whole document.
        years = {one.quantity.date.year for one in self.candidates if one.source in ("quote", "header")} - {None}
        is_sure = found.is_sure or (found.missing == "year" and bool(years))
        return Trace(quantity, source, Fault("date", quantity.text, what, is_sure=is_sure))

    def _derive(self, quantity: Quantity, others: Sequence[Quantity]) -> Candidate | None:
        """Return the quantity as computed from quoted dates, or by one operation on two figures.

        Return None if it is neither.
        """
        if quantity.kind == "duration" and is_between_dates(quantity, self.candidates):
            return Candidate(quantity, source="derived", expression="the time between quoted dates")
        shares = quantity.kind in ("percent", "ratio")
        if not self.derives:
            return self._first(relate(self._sources_near(quantity, others), shares=shares), quantity)
        if quantity.is_small and quantity.kind in ("none", "count", "ordinal", "duration"):
            return None
        quoted = (one for one in self.candidates if one.source == "quote")
        return self._first(relate(quoted, shares=shares), quantity)

    def _sources_near(self, quantity: Quantity, others: Sequence[Quantity]) -> Iterator[Candidate]:
        """Yield the sources of other figures of a text that are near a quantity."""
        for other in others:
            if 0 < abs(other.start - quantity.start) <= _NEAR and other.is_measured:
                yield from [one.candidate for one in self._find(other) if not one.difference][:1]

    def _first(self, candidates: Iterable[Candidate], quantity: Quantity) -> Candidate | None:
        matches = ((match(quantity, candidate), candidate) for candidate in candidates)
        return next((candidate for found, candidate in matches if found and not found.difference), None)

    def _describe_missing(self, text: str, quantity: Quantity, name: str) -> Fault | None:
        """Return the fault of a quantity without a candidate; None for a name, and for the number one of a thing."""
        counted = quantity.kind in ("none", "count")
        if (counted and self._is_name(text, quantity)) or (quantity.value == 1 and quantity.text.isalpha()):
            return None
        if quantity.is_small and (counted or quantity.kind == "ordinal" or quantity.unit in MONTHS_IN):
            return Fault("count", name, "code could not count it in the quotes", is_sure=False)
        # The 99th percentile may be written p99.
        is_glued = quantity.kind == "ordinal" and re.search(rf"[^\W\d_]{quantity.value}(?!\d)", self.said)
        is_sure = not quantity.worded and not is_glued
        return Fault("nowhere", name, f"in {self.described}{self._hint(quantity)}", is_sure=is_sure)

    def _is_name(self, text: str, quantity: Quantity) -> bool:
        """Whether a number and the word before it are a name in the document: "week 52", "DN 150", "the 787"."""
        words = text[: quantity.start].split()[-1:] if quantity.text.isdecimal() else []
        named = (re.escape(f"{word} {quantity.text}") for word in words)
        return any(re.search(rf"(?i)(?<!\w){name}(?![\d.,%])", self.facts.text) for name in named)

    def _hint(self, quantity: Quantity) -> str:
        """Return the nearest quoted figure of the same kind, if it is close enough to be meant."""
        quoted = (found.quantity for found in self.candidates if found.source == "quote")
        gaps = [(abs(abs(one.value) - abs(quantity.value)), one.text) for one in quoted if one.kind == quantity.kind]
        gap, nearest = min(gaps, default=(0, ""))
        return f'; nearest is "{flatten(nearest)}"' if nearest and gap <= abs(quantity.value) / 4 else ""


def _rank(candidates: Sequence[Candidate], quantity: Quantity, sentence: str) -> list[Candidate]:
    """Return the candidates, the likeliest first.

    A quote comes before others, and an equal value before a rounded one. Then come the candidates whose row and column
    share most words with the sentence, then the nearest.
    """
    said = label_words(sentence)
    equal = [one for one in candidates if same_value(quantity, one)]  # of "at most 140" no 85, if there is a 140

    def order(one: Candidate) -> tuple[int, bool, int, Decimal]:
        own = abs(quantity.value).scaleb(quantity.power or 0)
        away = min(abs(own - abs(one.quantity.value).scaleb(power)) for power in one.powers)
        return _ORDER.index(one.source), away > 0, -len(said & label_words(one.facts.name)), away

    return sorted(equal or candidates, key=order)


def label_words(text: str) -> frozenset[str]:
    """Return the words that distinguish rows and columns: words, years, and abbreviations such as U.S."""
    return content_words(text) | frozenset(_YEAR_OR_LETTERS.findall(text))


def name_quantity(text: str, quantity: Quantity) -> str:
    """Return a quantity as messages name it: with the words after it that name what it measures."""
    measured = quantity.kind in ("count", "duration", "physical", "ordinal")
    behind = _WORDS_BEHIND.findall(text[quantity.end : quantity.end + _REACH])
    return flatten(quantity.text + "".join(behind[: min(len(quantity.nouns), 2 * measured)]))


def flatten(text: str) -> str:
    """Return words on one line, for messages."""
    return " ".join(text.split())


def _describe(name: str, found: Match) -> Fault:
    """Return what is written differently at a source."""
    quantity, facts = found.candidate.quantity, found.candidate.facts
    shown = quantity.kind in ("count", "duration", "physical")
    unit = (quantity.symbol,) if quantity.symbol not in ("", UNKNOWN_UNIT) else quantity.nouns[:2] if shown else ()
    pace = f" per {quantity.per_time}" if quantity.per_time and quantity.kind != "duration" else ""
    other = flatten(" ".join((quantity.text, *unit))) + pace
    if not found.is_sure:
        what = f"no {found.difference} beside it"
        return Fault(found.difference, name, f'the quotes say "{other}", and {what}', is_sure=False, brief=what)
    stated = f', in a table "{facts.scale.text}"' if facts.scale and quantity.power is None else ""
    brief = f"another {found.difference}"
    return Fault(found.difference, name, f'the quotes say "{other}"{stated} ({brief})', brief=brief)
