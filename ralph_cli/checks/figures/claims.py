"""Every quantity, date and name of a text against all that it may rest on: contradicted, or open. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from itertools import combinations, pairwise, product

from ralph_cli.checks.figures.candidates import MAIN_CURRENCIES, Candidate, DocumentFacts
from ralph_cli.checks.figures.compare import BOUND, Comparison, Standing, compare
from ralph_cli.checks.figures.dates import compare_date, is_between_dates, is_between_times, is_shifted
from ralph_cli.checks.figures.derived import as_claimed, derive, relate
from ralph_cli.checks.figures.places import Place, is_earlier
from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.quantities.nearness import weigh_words
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.relations import (
    PART_OF,
    are_comparable,
    is_misstated,
    ordered_pairs,
    read_change,
)
from ralph_cli.text.quantities.vocabulary import PACES, TIMES, powers_named, singular, units_named
from ralph_cli.text.sentences import sentence_at

NOWHERE = "nowhere"
_WORDS_BEHIND = re.compile(r"[\s-]+[^\W\d_]+")
_REACH = 60
_NEAR = 300
"""Characters between two figures of a text of which one may be made of the other."""

_MARGIN, _MARGIN_OF_PAIR = 0.7, 0.3
"""By how many words another place must agree better with what is said of a figure, and two places with two figures."""

_PLURALS = frozenset(("people", "men", "women", "children", "staff", "aircraft", "criteria"))
_MARK = re.compile(r"(?m)[\u2022\u25aa\u25e6\u2023\u2610-\u2612]|^[ \t]*(?:[-*+]|\(?\d{1,2}[.)])[ \t]")
_BOXES = "\u2610\u2611\u2612"
_BETWEEN_ITEMS = re.compile(r"[,;]|\b(?:and|or)\b")
_YEAR_BEFORE = re.compile(r"(?i)\b(?:prior|previous|preceding|last)\s+(?:\w+\s+)?year|\byear\s+(?:before|earlier|ago)")
_WORD, _FEW_WORDS = re.compile(r"[^\W\d_]{2,}"), 3
_ALL = re.compile(r"(?i)\b(?:all|every(?:\s+one)?|each|both)\s+(?:(?:of|the|its|their|our)\s+)*\Z")
_OF = re.compile(r"\s+of\s+([^,.;:()]*)")
_NEGATED = re.compile(rf"(?i)\b(?:{NEGATIONS})\b")


_Fault = tuple[str, Standing, str, str]
"""The words of an answer, its standing, field and message."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What of a text is not supported, and why: `words` are the text's, at `start`; `field` is what decides it."""

    words: str
    start: int
    standing: Standing
    field: str
    message: str


@dataclass(frozen=True)
class FigureComparison:
    """Compares the figures of texts with what they may rest on.

    `said` are the quoted words, in which names with digits are looked up, too; `described` says in messages what the
    sources are.
    """

    candidates: Sequence[Candidate]
    facts: DocumentFacts
    said: str
    described: str = "no quote of the claim, nor the result of a calculation that holds"
    _terms: set[int] = field(default_factory=set)
    _homes: dict[Quantity, list[Candidate]] = field(default_factory=dict)
    _inputs: dict[Quantity, Candidate | None] = field(default_factory=dict)

    def unsupported(self, text: str) -> Iterator[Answer]:
        """What of a text is contradicted or open, in order."""
        found = read_quantities(text, "prose")
        answers = [(one, self.answer(text, one, found)) for one in found]
        amounts = (one for one, answer in answers if answer is None and one.is_measured)
        is_beside = any(not (one.is_small and one.text.isalpha()) for one in amounts)
        terms = self._terms - {1}
        used = {home.quantity for homes in self._homes.values() for home in homes}
        is_beside &= not any(_is_count(one) and one.quantity not in used for one in self.candidates)
        for one, answer in answers:
            in_words = is_beside and one.kind in ("count", "none") and one.text.isalpha()
            # A count of the terms of a sum, or else one in words beside a figure that is borne out, is an aside.
            if answer and not (answer.field == "count" and (one.value in terms if terms else in_words)):
                yield answer
        yield from self._answers_to_order(text, [one for one in found if one.is_measured])
        yield from self._answers_to_uses(text, [one for one in found if one.is_measured])
        yield from self._answers_to_directions(text, [one for one in found if one.is_measured])
        yield from self._answers_to_places(text, [one for one, answer in answers if answer is None])

    def _answers_to_order(self, text: str, found: Sequence[Quantity]) -> Iterator[Answer]:
        """Figures of which a text says that one became the other, and that go the other way."""
        for before, after in ordered_pairs(text, found):
            first = min(before, after, key=lambda one: one.start)
            homes = [*product(self._places_of(before), self._places_of(after))]
            names = f'from "{_name(text, before)}" to "{_name(text, after)}"'
            if is_misstated(text, before, after):
                message = f"{names}: the words say the other direction"
                yield Answer(first.text, first.start, "contradicted", "direction", message)
            elif homes and all(is_earlier(end, begin) for begin, end in homes):
                message = f"{names}: in the quotes the second is the earlier one"
                yield Answer(first.text, first.start, "contradicted", "time", message)
            points = abs(after.value - before.value) if before.kind == after.kind == "percent" else None
            for rate in found:
                if rate.kind == "percent" and abs(rate.value) == points and rate not in (before, after):
                    message = f'"{rate.text}" lies between "{before.text}" and "{after.text}": write percentage points'
                    yield Answer(rate.text, rate.start, "open", "unit", message)

    def _answers_to_uses(self, text: str, found: Sequence[Quantity]) -> Iterator[Answer]:
        """Figures of a sentence that all rest on one that the quotes state once, or on a whole told as its part."""
        places = {one: {place.start for place in self._places_of(one)} for one in found}
        for one, other in pairwise(found):
            alike = (one.value, one.kind) == (other.value, other.kind) and not one.worded
            apart = len(_WORD.findall(text, one.end, other.start)) >= _FEW_WORDS  # and not "74 cents, or 74 c"
            if (
                alike
                and apart
                and places[one] == places[other]
                and len(places[one]) == 1
                and _in_one_sentence(text, one, other)
            ):
                message = f'"{_name(text, one)}" and "{_name(text, other)}": the quotes state it once'
                yield Answer(other.text, other.start, "open", "place", message)
        used = frozenset[int]().union(*places.values())
        for one in (one for one in found if _ALL.search(text, 0, one.start)):
            parts = {place.part for place in self._places_of(one)} - {-1}
            if parts and not parts & used:
                message = f'"{_name(text, one)}": the quotes tell of a part of them only'
                yield Answer(one.text, one.start, "open", "count", message)

    def _answers_to_directions(self, text: str, found: Sequence[Quantity]) -> Iterator[Answer]:
        """Figures to which a text says that something rose or fell, and all earlier ones of whose row say otherwise."""
        for one in found:
            said = read_change(text, one)
            homes = [home for home in self._homes.get(one, ()) if home.in_table and home.place]
            if said.role != "to" or len({home.place.start for home in homes if home.place}) != 1:
                continue
            value = abs(homes[0].quantity.value)
            earlier = {abs(other.quantity.value) for other in self.candidates if _is_before_in_row(other, homes[0])}
            wrong = all(before > value for before in earlier) if said.direction == "rise" else False
            wrong |= said.direction == "fall" and all(before < value for before in earlier)
            if earlier and wrong:
                message = f'"{_name(text, one)}": the earlier figures of its row say the other direction'
                yield Answer(one.text, one.start, "open", "direction", message)

    def _answers_to_places(self, text: str, found: Sequence[Quantity]) -> Iterator[Answer]:
        """Figures of a text of which it says what the quotes say of another figure, or that it exchanges."""
        computed = {one for one in found if any(home.source == "calculation" for home in self._homes.get(one, ()))}
        homes = {one: places for one in found if one not in computed and (places := self._places_of(one))}
        placeless = (one for one in found if one not in computed and one not in homes)
        names = frozenset(one.start for one in placeless if any(home.in_table for home in self._homes.get(one, ())))
        told = {one: weigh_words(text, one.start, is_claim=True, names=names) for one in homes}
        said = {one: _without_words_of_others(one, told, homes) for one in homes}
        taken = {place.start for places in homes.values() for place in places}
        quoted = [one for one in self.candidates if one.place and one.source == "quote"]
        others = [one for one in quoted if one.place and one.place.start not in taken]
        for one, places in homes.items():
            own = max(place.agreement(said[one]) for place in places)
            rivals = (other for other in others if _are_rivals(self._homes[one][0], other))
            agreements = ((other.place.agreement(said[one]), other) for other in rivals if other.place)
            best, rival = max(agreements, key=lambda pair: pair[0], default=(0.0, None))
            if rival is not None and rival.place is not None and best > own + _MARGIN:
                of_other_time = all(place.is_of_other_time(said[one], rival.place) for place in places)
                message = f'the quotes say of "{_flat(rival.quantity.text)}" what is said of "{_name(text, one)}"'
                yield Answer(one.text, one.start, "contradicted" if of_other_time else "open", "place", message)
        for one, other in combinations(homes, 2):
            pairs = [*product(homes[one], homes[other])]
            is_apart = are_comparable(one, other) and all(first.start != second.start for first, second in pairs)
            # What is said of five of twelve is said of either.
            is_apart &= not PART_OF.fullmatch(text, one.end, other.start)
            both = [_without_words_of_others(each, told, homes, even=False) for each in (one, other)]
            if is_apart and all(_are_exchanged(pair, (both[0], both[1])) for pair in pairs):
                names = f'"{_name(text, one)}" and "{_name(text, other)}"'
                yield Answer(one.text, one.start, "open", "place", f"{names}: the quotes have them the other way round")

    def _places_of(self, quantity: Quantity) -> Sequence[Place]:
        """Where the quotes have a quantity; of those that its bound or its rounding lets in the nearest."""
        homes = [one for one in self._homes.get(quantity, ()) if one.place and one.source == "quote"]
        apart = [_distance(quantity, one) for one in homes]
        nearest = min(apart, default=Decimal(0))
        return [one.place for one, distance in zip(homes, apart, strict=True) if one.place and distance == nearest]

    def answer(self, text: str, quantity: Quantity, others: Sequence[Quantity] = (), named: str = "") -> Answer | None:
        """What speaks against a quantity of a text, None if it is supported.

        `others` are all of the text, `named` are words that stand elsewhere and say what it is.
        """
        if quantity.kind == "identifier":
            found = self._answer_name(text, quantity)
        elif quantity.kind == "date":
            found = self._answer_date(text, quantity, others)
        else:
            found = self._answer_measured(text, quantity, others, named)
        return Answer(found[0], quantity.start, found[1], found[2], found[3]) if found else None

    def _answer_name(self, text: str, quantity: Quantity) -> _Fault | None:
        name, (noun, _, number) = quantity.text.lower(), quantity.text.lower().rpartition(" ")
        quoted = {one.quantity.text.lower() for one in self.candidates if one.source == "quote"}
        # What a line of the quotes begins with is their own part; others may be told beside it.
        own = (one for one in sorted(quoted) if noun and one.startswith(f"{noun} ") and one not in text.lower())
        if name not in quoted and (rival := next((one for one in own if _begins_line(re.escape(one), self.said)), "")):
            return quantity.text, "open", "name", f'"{quantity.text}": the quotes say "{_flat(rival)}"'
        # "Clause 5" may be where a line begins with that number, or it is quoted.
        part = rf"{re.escape(number)}(?![\d,]|\.\d)"
        quoted_part = re.search(rf"(?<![\d.,]){part}", self.said)
        is_part = number[0].isdigit() and (quoted_part or _begins_line(part, self.facts.text))
        plain = re.sub(r"\W", "", name)
        if is_part or plain in self.facts.letters or plain.rstrip("s") in re.sub(r"\W", "", self.said).lower():
            return None
        standing: Standing = "open" if quantity.text.isascii() else "contradicted"
        return quantity.text, standing, "name", f'"{quantity.text}" is in {self.described}'

    def _answer_date(self, text: str, quantity: Quantity, others: Sequence[Quantity]) -> _Fault | None:
        said = [other.date for other in others if other.kind == "date" and other is not quantity]
        found, rival = compare_date(quantity, self.candidates, said, self.facts.fiscal_end)
        if found.standing != "supported" and is_shifted(quantity.date, self.candidates):
            message = f'"{quantity.text}" may be computed from the quotes, but no calculation is recorded'
            return quantity.text, "open", "calculation", message
        if found.field == "year" and rival is not None and _is_year_before(quantity.date, rival.date, self.said):
            found = Comparison("open", found.field)
        if found.standing == "supported":
            self._homes[quantity] = [one for one in self.candidates if one.quantity.date == quantity.date and one.place]
            return None
        message = f'no quote names the {found.field} of "{quantity.text}"'
        if rival is not None:
            message = f'"{quantity.text}": the quotes say "{_flat(rival.text)}" (another {found.field})'
        return quantity.text, found.standing, found.field, message

    def _answer_measured(self, text: str, quantity: Quantity, others: Sequence[Quantity], named: str) -> _Fault | None:
        if self._repeats_name(text, quantity):
            return None
        sentence = text[slice(*sentence_at(text, quantity.start, quantity.end))] + named
        results = [(self._compare(quantity, candidate, sentence), candidate) for candidate in self.candidates]
        fitting = [one for result, one in results if result and result.standing == "supported"]
        self._homes[quantity] = list(fitting)
        found = [(result, candidate) for result, candidate in results if result]
        name = _name(text, quantity)
        is_weighed = quantity.unit == "\u00a3" and "pound" in units_named(self.said)
        known = is_weighed or quantity.unit == "cent" or self.facts.names_currency(quantity.unit)
        if quantity.kind == "currency" and not known:
            standing: Standing = "contradicted" if quantity.unit in MAIN_CURRENCIES else "open"
            return name, standing, "currency", f'"{name}": the document names no such currency'
        if any(result.standing == "supported" for result, _ in found) or self._shares_unit(quantity, others, sentence):
            return None
        told = any(
            result.field in ("direction", BOUND)
            or (result.field in ("unit", "currency") and abs(one.quantity.value) == abs(quantity.value))
            for result, one in found
        )
        if not told and self._is_derived(quantity, sentence, others):
            return None
        for standing in ("open", "contradicted"):
            for result, candidate in found:
                if result.standing == standing:
                    return name, standing, result.field, _describe(name, quantity, result, candidate)
        return self._answer_missing(text, quantity, name)

    def _shares_unit(self, quantity: Quantity, others: Sequence[Quantity], sentence: str) -> bool:
        """Whether a bare number is borne out with the unit of the figure before it: "12.25 cents, against 12"."""
        before = [one for one in others if one.is_measured and one.start < quantity.start]
        if quantity.kind not in ("none", "count") or not before or before[-1].kind not in ("currency", "percent"):
            return False
        other = before[-1]
        factor = Decimal(100) if other.unit == "cent" else Decimal(1)
        decimals = quantity.decimals + 2 * (factor > 1)
        meant = replace(
            other, value=quantity.value / factor, decimals=decimals, text=quantity.text, bound=quantity.bound
        )
        results = (self._compare(meant, candidate, sentence) for candidate in self.candidates)
        return any(result is not None and result.standing == "supported" for result in results)

    def _repeats_name(self, text: str, quantity: Quantity) -> bool:
        """Whether a number names something, as the quotes do ("DN 150"), or a day or week that the document has."""
        before = text[: quantity.start].split()[-1:]
        timed = bool(before) and before[0] in TIMES
        if not quantity.text.isdecimal() or not before or not (timed or (before[0].isupper() and before[0].isalpha())):
            return False
        words = self.facts.lowercase if timed else self.said.lower()
        return bool(re.search(rf"\b{re.escape(before[0].lower())}\s{quantity.text}(?![\d.,%])", words))

    def _compare(self, quantity: Quantity, candidate: Candidate, sentence: str) -> Comparison | None:
        other, whole = candidate.quantity, quantity.kind in ("ordinal", "none", "count")
        if whole and candidate.source == "quote" and other.date.year == quantity.value * 10 ** (quantity.power or 0):
            return Comparison("supported")  # "1900 members" look like a year
        if quantity.kind == "ordinal" and other.date.day == quantity.value and not quantity.nouns:
            return Comparison("supported")  # "by the 15th"
        if not other.is_measured or (quantity.is_small and quantity.kind == "count" and other.value % 1):
            return None  # four segments are no rounding of 4.2 %
        alike = whole or (quantity.kind == "duration" and quantity.unit == other.unit)
        if alike and other.last is not None and other.value <= quantity.value <= other.last:
            beyond = quantity.value == {"over": other.last, "under": other.value}.get(quantity.bound)
            return Comparison("contradicted", BOUND) if beyond else Comparison("supported")
        if quantity.kind == "physical" and quantity.power and other.kind in ("none", "count"):
            named = powers_named(" ".join((self.said, *candidate.header.lines)), quantity.unit)
            if named == {quantity.power}:
                quantity = replace(quantity, power=None)  # of a table in GWh
        asked = candidate.source == "question"
        result = compare(replace(quantity, bound="") if asked else quantity, candidate, sentence)
        if result is None and quantity.wording == "change" and other.kind == "percent":
            # What doubled is 200 % of what it was, or up by 100 %.
            result = compare(replace(quantity, value=abs(quantity.value - 1)), candidate, sentence)
        if result is None or result.standing != "supported":
            return None if asked else result
        if asked:  # what a claim is measured against, or denies, the question may have named, whatever its bound
            return result if quantity.bound or other.bound or _NEGATED.search(sentence) else None
        if not self._names_pace(quantity, candidate):
            return Comparison("open", "time it is stated for")
        return self._compare_change(quantity, candidate, sentence) or result

    def _names_pace(self, quantity: Quantity, candidate: Candidate) -> bool:
        """Whether the quotes, or what stands above them, name the time a figure is stated for; a year is plain."""
        paid = candidate.source == "calculation" and quantity.kind == "currency"  # what is for a year, by twelve
        if paid or quantity.per_time in ("", "year", candidate.per_time):
            return True
        words = " ".join((self.said, *candidate.header.lines, self.facts.question)).lower()
        named = (PACES.get(word) or TIMES.get(singular(word)) for word in re.findall(r"[a-z]+", words))
        return quantity.per_time in named

    def _compare_change(self, quantity: Quantity, candidate: Candidate, sentence: str) -> Comparison | None:
        """What speaks against a figure as a change, or what is left after one, None if nothing does."""
        at = sentence.find(quantity.text)
        said, known = read_change(sentence, replace(quantity, start=at, end=at + len(quantity.text))), candidate.change
        computed = candidate.source == "calculation"
        if {said.role, known.role} == {"by", "to"}:
            role = "role (by how much, or to what)"
            return Comparison("open" if candidate.in_table else "contradicted", role)
        if said.role == "by" and {said.direction, known.direction} == {"rise", "fall"}:
            if computed and quantity.kind in ("percent", "ratio"):
                return Comparison("contradicted", "base (a change is divided by what was before it)")
            if known.role == "by" or computed:
                return Comparison("open", "direction")  # of a loss, a fall is better
        if candidate.is_of_rest and _OF.match(sentence, at + len(quantity.text)):
            return Comparison("open", "base (of what it is a share)")
        return None

    def _is_derived(self, quantity: Quantity, sentence: str, others: Sequence[Quantity]) -> bool:
        """Whether quoted dates, or figures that the claim or its quotes set beside one another, make a quantity."""
        if quantity.kind == "duration" and (
            is_between_dates(quantity, self.candidates) or is_between_times(quantity, self.said)
        ):
            return True
        near = [other for other in others if 0 < abs(other.start - quantity.start) <= _NEAR]
        inputs = [found for other in near if (found := self._as_input(other, sentence)) is not None]
        quoted = [found for found in self.candidates if found.source == "quote"]
        return self._is_among(quantity, derive(quantity, sentence, quoted, inputs), sentence)

    def _as_input(self, quantity: Quantity, sentence: str) -> Candidate | None:
        """What bears out another figure of the claim, with the sign and unit that the claim gives it."""
        if quantity not in self._inputs:
            found = self.candidates if quantity.is_measured else ()
            results = ((self._compare(quantity, candidate, sentence), candidate) for candidate in found)
            fitting = (candidate for result, candidate in results if result and result.standing == "supported")
            self._inputs[quantity] = next((as_claimed(candidate, quantity) for candidate in fitting), None)
        return self._inputs[quantity]

    def _is_among(
        self, quantity: Quantity, candidates: Iterable[Candidate], sentence: str, standings: str = "supported"
    ) -> bool:
        for candidate in candidates:
            result = self._compare(quantity, candidate, sentence)
            if result is not None and result.standing in standings:
                self._terms.add(candidate.terms)
                return True
        return False

    def _answer_missing(self, text: str, quantity: Quantity, name: str) -> _Fault | None:
        """A quantity that none of the candidates has."""
        small, counted = quantity.is_small, quantity.kind in ("none", "count")
        quoted = [found for found in self.candidates if found.source == "quote"]
        message = f'"{name}" may be computed from the quotes, but no calculation is recorded'
        computable: _Fault = name, "open", "calculation", message
        countable = small and (counted or quantity.kind in ("ordinal", "duration"))
        if not countable and self._is_among(quantity, relate(quoted), "", "supported open"):
            return computable
        rival = next((found.quantity for found in quoted if _is_rival(found, quantity)), None)
        if rival is not None:
            message = f'"{name}": the quotes say "{_flat(rival.text)} {" ".join(rival.nouns[:2])}"'
            return name, "contradicted", "number", message
        before = text[: quantity.start].split()
        words = _WORDS_BEHIND.findall(text[quantity.end : quantity.end + _REACH])[: len(quantity.nouns)]
        plural = any(word.endswith("s") or word.split()[-1] in _PLURALS for word in words)
        named = (len(before) > 1 and before[-1][0].isupper()) or (quantity.kind == "count" and not plural)
        is_the = before[-1:] == ["the"] and not plural  # "the 787 climbed", "costs on the 787"
        if counted and (named or is_the) and quantity.text.isdecimal():
            if is_the and re.search(rf"(?<![\d.,]){quantity.text}(?![\d.,%])", self.facts.text):
                return None
            whole = " ".join((*before[-1:], quantity.text))
            return name, "open", "name", f'code could not tell whether "{whole}" is a name'
        if small and (counted or quantity.kind == "ordinal") and self._is_counted(text, quantity):
            return None
        timed = any(found.quantity.kind == "duration" and not found.in_table for found in self.candidates)
        one = quantity.value == 1 or (quantity.value == 12 and quantity.unit == "month")
        if quantity.kind == "duration" and one and quantity.text.isalpha() and not timed:
            return None
        if countable:
            return name, "open", "count", f'code could not count "{name}" in the quotes'
        # Where the quotes speak of another unit of size, it may be converted.
        if quantity.kind == "physical" and units_named(self.said) - {quantity.unit}:
            return computable
        alike = [found.quantity for found in quoted if found.quantity.kind == quantity.kind]
        gap, nearest = min(((abs(abs(one.value) - abs(quantity.value)), one.text) for one in alike), default=(0, ""))
        hint = f'; nearest is "{_flat(nearest)}"' if nearest and gap <= abs(quantity.value) / 4 else ""
        standing: Standing = "open" if quantity.worded else "contradicted"
        return name, standing, NOWHERE, f'"{name}" is in {self.described}{hint}'

    def _is_counted(self, text: str, quantity: Quantity) -> bool:
        """Whether so many items are marked in the quotes, or listed behind a count; "one core" is "a core"."""
        marks = [mark.strip()[0] for mark in _MARK.findall(self.said)]
        if quantity.value == 1 and (quantity.kind != "none" or quantity.text.isalpha()):
            return True
        if not quantity.text.isalpha():
            return quantity.kind == "count" and quantity.value == len(marks)
        boxes = Counter(mark for mark in marks if mark in _BOXES)
        listed = text[quantity.end : sentence_at(text, quantity.start, quantity.end)[1]].partition(":")[2]
        items = [item for item in _BETWEEN_ITEMS.split(listed) if item.strip(" .")]
        return quantity.kind != "ordinal" and quantity.value in (len(marks), len(items), *boxes.values())


def _in_one_sentence(text: str, one: Quantity, other: Quantity) -> bool:
    return sentence_at(text, one.start, one.end) == sentence_at(text, other.start, other.end)


def _is_year_before(date: Date, known: Date, said: str) -> bool:
    """Whether a date is of the year before a quoted one, and the quotes speak of that: "more than in the year before"."""
    return date.year is not None and date.year + 1 == known.year and bool(_YEAR_BEFORE.search(said))


def _is_before_in_row(one: Candidate, other: Candidate) -> bool:
    """Whether a figure of the quotes stands in the row of another one, in a column of an earlier time."""
    beside = (
        one.source == "quote" and one.in_table and one.row == other.row and one.quantity.kind == other.quantity.kind
    )
    return beside and one.place is not None and other.place is not None and is_earlier(one.place, other.place)


def _is_count(candidate: Candidate) -> bool:
    """Whether running text counts things to so few that another number of them may be meant."""
    quantity = candidate.quantity
    counts = quantity.kind == "count" or (quantity.kind == "none" and quantity.text.isalpha())
    return candidate.source == "quote" and not candidate.in_table and counts and quantity.is_small


def _is_rival(candidate: Candidate, quantity: Quantity) -> bool:
    """Whether prose counts the same things to another number."""
    other = candidate.quantity
    both = not candidate.in_table and other.kind == quantity.kind in ("count", "ordinal")
    one = quantity.value == 1 and quantity.text.isalpha()  # "one employee in seventeen"
    return both and not one and bool(set(other.nouns[:3]) & set(quantity.nouns[:3]))


def _distance(quantity: Quantity, candidate: Candidate) -> Decimal:
    """How far a quantity lies from a candidate at the scale at which they are nearest."""
    own = abs(quantity.value).scaleb(quantity.power or 0)
    return min(abs(own - abs(candidate.quantity.value).scaleb(power)) for power in candidate.powers)


def _are_rivals(one: Candidate, other: Candidate) -> bool:
    """Whether two figures of the quotes are of one kind and unit, as far as cells without a unit show it."""
    first, second = one.quantity, other.quantity
    kinds = {first.kind, second.kind}
    if "date" in kinds:
        return are_comparable(first, second)
    columns = {found.place.column for found in (one, other) if found.place}
    bare = one.in_table and other.in_table and "none" in kinds and (len(kinds) == 1 or len(columns) == 1)
    return bare or (len(kinds) == 1 and are_comparable(first, second))


def _without_words_of_others(
    one: Quantity,
    told: Mapping[Quantity, Mapping[str, float]],
    places: Mapping[Quantity, Sequence[Place]],
    *,
    even: bool = True,
) -> Mapping[str, float]:
    """What a text says of a figure, without words that are more another one's, of which the quotes say them, too.

    With `even` also those that are as much the other's.
    """
    own = frozenset[str]().union(*(place.words for place in places[one]))
    left = dict(told[one])
    for other in told:
        has = frozenset[str]().union(*(place.words for place in places[other])) - own
        for word in has & left.keys() if other is not one else ():
            weight = told[other].get(word, 0.0)
            if weight > told[one][word] or (even and weight == told[one][word]):
                del left[word]
    return left


def _are_exchanged(places: tuple[Place, Place], said: tuple[Mapping[str, float], Mapping[str, float]]) -> bool:
    """Whether two places agree better with what is said of the other figure than with what is said of their own."""
    (one, other), common = places, places[0].words & places[1].words
    first, second = ({word: weight for word, weight in of.items() if word not in common} for of in said)
    gains = other.agreement(first) - one.agreement(first), one.agreement(second) - other.agreement(second)
    return min(gains) >= 0 and sum(gains) > _MARGIN_OF_PAIR


def _begins_line(pattern: str, text: str) -> bool:
    return bool(re.search(rf"(?im)^\W*{pattern}", text))


def _name(text: str, quantity: Quantity) -> str:
    """A quantity as it is named in messages: with the words behind it that say what it measures."""
    measured = quantity.kind in ("count", "duration", "physical", "ordinal")
    behind = _WORDS_BEHIND.findall(text[quantity.end : quantity.end + _REACH])[: min(len(quantity.nouns), 2 * measured)]
    return _flat(quantity.text + "".join(behind))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _describe(name: str, quantity: Quantity, result: Comparison, candidate: Candidate) -> str:
    found = candidate.quantity
    where = {"quote": "in the quotes", "calculation": "in your calculation"}.get(candidate.source, "in the sources")
    other = _flat(" ".join((found.text, *(found.nouns[:2] if found.kind in ("count", "duration", "physical") else ()))))
    if result.field == "sign" and found.value < 0:
        return f'"{name}" is negative in the quoted words ("{other}"): write its sign, or say the loss or decrease'
    if result.standing == "open":
        return f'code could not tell the {result.field} of "{other}", on which "{name}" rests'
    unscaled = candidate.source == "quote" and found.power is None and not candidate.header.is_certain
    if result.field == "scale" and unscaled and quantity.power:
        missing = "none of them says in which unit the table counts: quote the line that does, too"
        return f'"{name}" stands in the quotes as "{other}", and {missing}'
    if quantity.kind == "percent" and found.kind == "points":
        return f'"{name}": "{other}" {where} is a number of percentage points'
    return f'"{name}": its {result.field} differs from "{other}" {where}'
