"""Every quantity, date and name of a text against all that it may rest on: contradicted, or open. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import combinations, product

from ralph_cli.checks.figures.candidates import MAIN_CURRENCIES, Candidate, DocumentFacts
from ralph_cli.checks.figures.compare import Comparison, Standing, compare
from ralph_cli.checks.figures.dates import compare_date, is_between_dates
from ralph_cli.checks.figures.derived import as_claimed, derive, relate
from ralph_cli.checks.figures.places import Place, are_exchanged, is_earlier, misplaced
from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.quantities.clauses import is_of_date, say_words, words_of_figures
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.relations import are_comparable, is_misstated, larger_parts, ordered_pairs, read_change
from ralph_cli.text.quantities.vocabulary import PACES, TIMES, singular, units_named
from ralph_cli.text.sentences import sentence_at

NOWHERE = "nowhere"
_WORDS_BEHIND = re.compile(r"[\s-]+[^\W\d_]+")
_REACH = 60
_FEW = 10
_NEAR = 300
"""Characters between two figures of a text of which one may be made of the other."""

_PLURALS = frozenset(("people", "men", "women", "children", "staff", "aircraft", "criteria"))
_MARK = re.compile(r"(?m)[\u2022\u25aa\u25e6\u2023\u2610-\u2612]|^[ \t]*(?:[-*+]|\(?\d{1,2}[.)])[ \t]")
_BOXES = "\u2610\u2611\u2612"
_BETWEEN_ITEMS = re.compile(r"[,;]|\b(?:and|or)\b")
_OF = re.compile(r"\s+of\s+([^,.;:()]*)")
_NEGATED = re.compile(rf"(?i)\b(?:{NEGATIONS})\b")
_ROUNDINGS = ("rounding", "side of the bound", "distance to the bound")


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
    _homes: dict[Quantity, list[Place]] = field(default_factory=dict)
    _inputs: dict[Quantity, Candidate | None] = field(default_factory=dict)

    def unsupported(self, text: str) -> Iterator[Answer]:
        """What of a text is contradicted or open, in order."""
        found = read_quantities(text, "prose")
        answers = [self.answer(text, quantity, found) for quantity in found]
        main = any(
            answer is None and one.is_measured and not (one.is_small and one.text.isalpha())
            for one, answer in zip(found, answers, strict=True)
        )
        for quantity, answer in zip(found, answers, strict=True):
            if answer is not None and not (answer.field == "count" and self._is_aside(quantity, main)):
                yield answer
        yield from self._answers_beside_question(text, found)
        yield from self._answers_to_pairs(text, [one for one in found if one.is_measured or one.date.day])

    def _is_aside(self, quantity: Quantity, beside_figure: bool) -> bool:
        """Whether a count is that of the terms of a sum, or else one in words beside a figure that is borne out."""
        if terms := self._terms - {1}:
            return quantity.value in terms
        in_words = quantity.kind in ("count", "none") and quantity.text.isalpha() and quantity.value <= _FEW
        return beside_figure and in_words

    def _answers_to_pairs(self, text: str, found: Sequence[Quantity]) -> Iterator[Answer]:
        """Figures of a text that go the other way than it says, or that it exchanges."""
        for before, after in ordered_pairs(text, found):
            first = min(before, after, key=lambda one: one.start)
            points = abs(after.value - before.value) if before.kind == after.kind == "percent" else None
            rates = (one for one in found if one.kind == "percent" and one not in (before, after))
            for rate in (one for one in rates if abs(one.value) == points):
                message = f'"{rate.text}" lies between "{before.text}" and "{after.text}": write percentage points'
                yield _answer(rate.text, rate, "open", "unit", message)
            names = f'from "{_name(text, before)}" to "{_name(text, after)}"'
            if is_misstated(text, before, after):
                message = f"{names}: the words say the other direction"
                yield _answer(first.text, first, "contradicted", "direction", message)
            elif (pairs := self._pairs(before, after)) and all(is_earlier(end, begin) for begin, end in pairs):
                message = f"{names}: in the quotes the second is the earlier one"
                yield _answer(first.text, first, "contradicted", "time", message)
        for part, whole in larger_parts(text, found):
            names = f'"{_name(text, part)}" of "{_name(text, whole)}"'
            yield _answer(part.text, part, "contradicted", "part", f"{names}: a part is not larger than the whole")
        said = words_of_figures(text)
        for one, other in combinations(found, 2):
            places = self._places_of(one), self._places_of(other)
            if not all(places) or not are_comparable(one, other) or set(places[0]) & set(places[1]):
                continue
            result = are_exchanged((said[one.start], said[other.start]), places)
            if result := result or ("open" if self._are_reversed(text, one, other) else ""):
                standing: Standing = "contradicted" if result == "sure" else "open"
                names = f'"{_name(text, one)}" and "{_name(text, other)}"'
                yield _answer(one.text, one, standing, "place", f"{names}: the quotes have them the other way round")

    def _answers_beside_question(self, text: str, found: Sequence[Quantity]) -> Iterator[Answer]:
        """The first figure of a text that tells of other years than the question, and names them not."""
        asked = {one.date.year for one in read_quantities(self.facts.question) if one.date.year}
        wanted = {f"y:{year}" for year in asked}
        homes = {one: [place.words for place in self._homes.get(one, ())] for one in found if one.is_measured}
        first = next((one for one, places in homes.items() if places), None)
        dated = [set(filter(is_of_date, words)) for places in homes.values() for words in places]
        known = any(wanted & place.place.words for place in self.candidates if place.place)
        if first and len(asked) == 1 and known and all(dated) and not wanted & (say_words(text) | set().union(*dated)):
            message = f'"{_name(text, first)}" is of another year in the quotes than the question'
            yield _answer(first.text, first, "open", "year", message)

    def _pairs(self, one: Quantity, other: Quantity) -> list[tuple[Place, Place]]:
        """The places that two figures of a text may stand in."""
        return [pair for pair in product(self._places_of(one), self._places_of(other)) if pair[0] is not pair[1]]

    def _are_reversed(self, text: str, one: Quantity, other: Quantity) -> bool:
        """Whether the same words stand between two figures in the document, but the second before the first."""
        between = text[one.end : other.start].split()
        if not set(between) - {",", ";", "and", "or"}:
            return False  # a list may be told in any order
        pairs = self._pairs(one, other)
        return bool(pairs) and all(self.facts.text[b.end : a.start].split() == between for a, b in pairs)

    def _places_of(self, quantity: Quantity) -> Sequence[Place]:
        return self._homes.get(quantity, ())

    def answer(self, text: str, quantity: Quantity, others: Sequence[Quantity] = (), named: str = "") -> Answer | None:
        """What speaks against a quantity of a text, None if it is supported.

        `others` are all of the text, `named` are words that stand elsewhere and say what it is.
        """
        if quantity.kind == "identifier":
            return self._answer_name(text, quantity)
        if quantity.kind == "date":
            return self._answer_date(text, quantity, others)
        return self._answer_measured(text, quantity, others, named)

    def _answer_name(self, text: str, quantity: Quantity) -> Answer | None:
        plain = re.sub(r"\W", "", quantity.text).lower()
        noun, _, number = quantity.text.rpartition(" ")
        quoted = [one.quantity.text for one in self.candidates if one.source == "quote"]
        # What a line of the quotes begins with is their own part; others may be told beside it.
        own = (one for one in quoted if noun and one.lower().startswith(f"{noun.lower()} "))
        rival = next((one for one in own if re.search(rf"(?m)^\W*{re.escape(one)}", self.said)), "").lower()
        if rival and quantity.text.lower() not in map(str.lower, quoted) and rival not in text.lower():
            message = f'"{quantity.text}": the quotes say "{_flat(rival)}"'
            return _answer(quantity.text, quantity, "open", "name", message)
        if number[0].isdigit():  # "clause 5", where a line begins with that number, or it is quoted
            part = rf"{re.escape(number)}(?![\d,]|\.\d)"
            if re.search(rf"(?m)^\W*{part}", self.facts.text) or re.search(rf"(?<![\d.,]){part}", self.said):
                return None
        if plain and (plain in self.facts.letters or plain.rstrip("s") in re.sub(r"\W", "", self.said).lower()):
            return None
        odd = not quantity.text.isascii()
        return _answer(
            quantity.text,
            quantity,
            "contradicted" if odd else "open",
            "name",
            f'"{quantity.text}" is in {self.described}',
        )

    def _answer_date(self, text: str, quantity: Quantity, others: Sequence[Quantity]) -> Answer | None:
        said = [other.date for other in others if other.kind == "date" and other is not quantity]
        found, rival = compare_date(quantity, self.candidates, said, self.facts.fiscal_end)
        if found.standing == "supported":
            same = (one for one in self.candidates if one.quantity.date == quantity.date and one.place)
            self._homes[quantity] = [one.place for one in same if one.place]
            return None
        if rival is not None:
            message = f'"{quantity.text}": the quotes say "{_flat(rival.text)}" (another {found.field})'
        else:
            message = f'no quote names the {found.field} of "{quantity.text}"'
        return _answer(quantity.text, quantity, found.standing, found.field, message)

    def _answer_measured(self, text: str, quantity: Quantity, others: Sequence[Quantity], named: str) -> Answer | None:
        sentence = text[slice(*sentence_at(text, quantity.start, quantity.end))] + named
        found = [
            (result, candidate)
            for candidate in self.candidates
            if (result := self._compare(quantity, candidate, sentence))
        ]
        self._homes[quantity] = [
            candidate.place
            for result, candidate in found
            if result.standing == "supported" and candidate.source == "quote" and candidate.place
        ]
        found = [
            ((result.standing == "supported" and self._find_misplaced(text, quantity, candidate)) or result, candidate)
            for result, candidate in found
        ]
        name = _name(text, quantity)
        is_weighed = quantity.unit == "\u00a3" and "pound" in units_named(self.said)
        known = is_weighed or quantity.unit == "cent" or self.facts.names_currency(quantity.unit)
        if quantity.kind == "currency" and not known:
            standing: Standing = "contradicted" if quantity.unit in MAIN_CURRENCIES else "open"
            return _answer(name, quantity, standing, "currency", f'"{name}": the document names no such currency')
        if any(result.standing == "supported" for result, _ in found):
            return None
        told = any(result.field == "direction" for result, _ in found)
        if not told and self._is_derived(quantity, sentence, others):
            return None
        for standing in ("open", "contradicted"):
            for result, candidate in found:
                if result.standing == standing:
                    message = _describe(name, quantity, result, candidate)
                    return _answer(name, quantity, standing, result.field, message)
        return self._answer_missing(text, quantity, name)

    def _compare(self, quantity: Quantity, candidate: Candidate, sentence: str) -> Comparison | None:
        other = candidate.quantity
        bare = quantity.kind in ("none", "count") and candidate.source == "quote"
        if bare and other.date.year is not None and other.date.year == quantity.value * 10 ** (quantity.power or 0):
            return Comparison("supported")  # "1900 members" look like a year
        is_day = quantity.kind == "ordinal" and quantity.text[0].isdigit() and not quantity.nouns
        if is_day and other.date.day == quantity.value:
            return Comparison("supported")  # "by the 15th"
        if not other.is_measured:
            return None
        if (
            other.last is not None
            and quantity.kind in ("ordinal", "none", "count")
            and other.value <= quantity.value <= other.last
        ):
            return Comparison("supported")
        result = compare(quantity, candidate, sentence)
        if result is not None and result.standing == "supported":
            result = self._compare_change(quantity, candidate, sentence) or result
        if result is None and quantity.wording == "change" and other.kind == "percent":
            # What doubled is 200 % of what it was, or up by 100 %.
            result = compare(replace(quantity, value=abs(quantity.value - 1)), candidate, sentence)
        if result is not None and result.standing == "supported" and not self._names_pace(quantity, candidate):
            result = Comparison("open", "time it is stated for")
        if candidate.source == "question" and result is not None:
            # What a claim is measured against, or denies, the question may have named.
            free = quantity.bound or other.bound or _NEGATED.search(sentence)
            return result if result.standing == "supported" and free else None
        return result

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
        if {said.role, known.role} == {"by", "to"}:
            return Comparison("contradicted", "role (by how much, or to what)")
        if said.role == "by" and {said.direction, known.direction} == {"rise", "fall"}:
            if candidate.source == "calculation" and quantity.kind in ("percent", "ratio"):
                return Comparison("contradicted", "base (a change is divided by what was before it)")
            if known.role == "by" or candidate.source == "calculation":
                return Comparison("open", "direction")  # of a loss, a fall is better
        whole = _OF.match(sentence, at + len(quantity.text)) if candidate.base else None
        if whole and (candidate.is_of_rest or self._names_other(say_words(whole[1]), candidate)):
            return Comparison("open", "base (of what it is a share)")
        return None

    def _names_other(self, said: frozenset[str], candidate: Candidate) -> bool:
        """Whether words for a whole name another figure of prose, and not that by which a share was computed."""
        if candidate.base is None or candidate.base.in_table:
            return False
        base = candidate.base.words
        places = (one.place.words for one in self.candidates if one.place and not one.in_table)
        return any(said & words - base and not said & base - words for words in places)

    def _find_misplaced(self, text: str, quantity: Quantity, candidate: Candidate) -> Comparison | None:
        """What speaks against a figure by the words that the text says of it, None if nothing does."""
        said = words_of_figures(text).get(quantity.start)
        if candidate.place is None or said is None:
            return None
        known = say_words(f"{text} {self.facts.question}")
        others = (found.place for found in self.candidates if found.place and found.place is not candidate.place)
        fault = misplaced(said, known, candidate.place, others)
        if not fault or (fault == "subject" and quantity.is_small):  # so few may be counted, or named for any reason
            return None
        return Comparison("contradicted" if fault == "date" else "open", fault)

    def _is_derived(self, quantity: Quantity, sentence: str, others: Sequence[Quantity]) -> bool:
        """Whether quoted dates, or figures that the claim or its quotes set beside one another, make a quantity."""
        if quantity.kind == "duration" and is_between_dates(quantity, self.candidates):
            return True
        near = [other for other in others if 0 < abs(other.start - quantity.start) <= _NEAR]
        inputs = [self._as_input(other, sentence) for other in near]
        quoted = [found for found in self.candidates if found.source == "quote"]
        known = [found for found in inputs if found is not None]
        return self._is_among(quantity, derive(quantity, sentence, quoted, known), sentence)

    def _as_input(self, quantity: Quantity, sentence: str) -> Candidate | None:
        """What bears out another figure of the claim, with the sign and unit that the claim gives it."""
        if quantity not in self._inputs:
            found = self.candidates if quantity.is_measured else ()
            results = ((self._compare(quantity, candidate, sentence), candidate) for candidate in found)
            fitting = (candidate for result, candidate in results if result and result.standing == "supported")
            self._inputs[quantity] = next((as_claimed(candidate, quantity) for candidate in fitting), None)
        return self._inputs[quantity]

    def _is_among(
        self,
        quantity: Quantity,
        candidates: Iterable[Candidate],
        sentence: str,
        standings: Sequence[Standing] = ("supported",),
    ) -> bool:
        for candidate in candidates:
            result = self._compare(quantity, candidate, sentence)
            if result is not None and result.standing in standings:
                self._terms.add(candidate.terms)
                return True
        return False

    def _answer_missing(self, text: str, quantity: Quantity, name: str) -> Answer | None:
        """A quantity that none of the candidates has."""
        small = quantity.is_small
        if not small and self._is_computable(quantity):
            message = f'"{name}" may be computed from the quotes, but no calculation is recorded'
            return _answer(name, quantity, "open", "calculation", message)
        rival = next((found.quantity for found in self.candidates if _is_rival(found, quantity)), None)
        if rival is not None:
            message = f'"{name}": the quotes say "{_flat(rival.text)} {" ".join(rival.nouns[:2])}"'
            return _answer(name, quantity, "contradicted", "number", message)
        plain = quantity.power is None and not quantity.decimals
        before = text[: quantity.start].split()
        named = len(before) > 1 and before[-1][0].isupper() and quantity.text.isdecimal()
        words = _WORDS_BEHIND.findall(text[quantity.end : quantity.end + _REACH])[: len(quantity.nouns)]
        counts = any(word.endswith("s") or word.split()[-1] in _PLURALS for word in words)
        named |= quantity.kind == "count" and quantity.text.isdecimal() and not counts  # "the 787 climbed"
        if quantity.kind in ("none", "count") and plain and named:
            whole = " ".join((*before[-1:], quantity.text))
            return _answer(name, quantity, "open", "name", f'code could not tell whether "{whole}" is a name')
        if small and quantity.kind in ("none", "count", "ordinal") and self._is_counted(text, quantity):
            return None
        timed = any(found.quantity.kind == "duration" and not found.in_table for found in self.candidates)
        one = quantity.value == 1 or (quantity.value == 12 and quantity.unit == "month")
        if quantity.kind == "duration" and one and quantity.text.isalpha() and not timed:
            return None
        if small and quantity.kind in ("count", "ordinal", "duration", "none"):
            return _answer(name, quantity, "open", "count", f'code could not count "{name}" in the quotes')
        if (small and self._is_computable(quantity)) or self._is_in_other_unit(quantity):
            message = f'"{name}" may be computed from the quotes, but no calculation is recorded'
            return _answer(name, quantity, "open", "calculation", message)
        alike = [
            found.quantity
            for found in self.candidates
            if found.source == "quote" and found.quantity.kind == quantity.kind
        ]
        nearest = min(alike, key=lambda other: abs(abs(other.value) - abs(quantity.value)), default=quantity)
        is_near = nearest is not quantity and abs(abs(nearest.value) - abs(quantity.value)) <= abs(quantity.value) / 4
        hint = f'; nearest is "{_flat(nearest.text)}"' if is_near else ""
        standing: Standing = "open" if quantity.worded else "contradicted"
        return _answer(name, quantity, standing, NOWHERE, f'"{name}" is in {self.described}{hint}')

    def _is_counted(self, text: str, quantity: Quantity) -> bool:
        """Whether so many items are marked in the quotes, or listed behind a count; "one core" is "a core"."""
        marks = [mark.strip()[0] for mark in _MARK.findall(self.said)]
        boxes = Counter(mark for mark in marks if mark in _BOXES)
        one = quantity.value == 1 and (quantity.kind != "none" or quantity.text.isalpha())
        if quantity.kind == "ordinal" or not quantity.text.isalpha():
            return one or (quantity.kind != "none" and quantity.value == len(marks))
        listed = text[quantity.end : sentence_at(text, quantity.start, quantity.end)[1]].partition(":")[2]
        items = [item for item in _BETWEEN_ITEMS.split(listed) if item.strip(" .")]
        return one or quantity.value in (len(marks), len(items), *boxes.values())

    def _is_in_other_unit(self, quantity: Quantity) -> bool:
        """Whether the quotes speak of another unit of size, from which a quantity may be converted."""
        return quantity.kind == "physical" and bool(units_named(self.said) - {quantity.unit})

    def _is_computable(self, quantity: Quantity) -> bool:
        """Whether some relation between two quoted figures gives a quantity."""
        quoted = [found for found in self.candidates if found.source == "quote"]
        return self._is_among(quantity, relate(quoted), "", ("supported", "open"))


def _is_rival(candidate: Candidate, quantity: Quantity) -> bool:
    """Whether prose counts the same things to another number."""
    other = candidate.quantity
    both = (
        candidate.source == "quote" and not candidate.in_table and other.kind == quantity.kind in ("count", "ordinal")
    )
    one = quantity.value == 1 and quantity.text.isalpha()  # "one employee in seventeen"
    return both and not one and bool(set(other.nouns[:3]) & set(quantity.nouns[:3]))


def _answer(words: str, quantity: Quantity, standing: Standing, field: str, message: str) -> Answer:
    return Answer(words, quantity.start, standing, field, message)


def _name(text: str, quantity: Quantity) -> str:
    """A quantity as it is named in messages: with the words behind it that say what it measures."""
    if quantity.kind not in ("count", "duration", "physical", "ordinal"):
        return quantity.text
    behind = _WORDS_BEHIND.findall(text[quantity.end : quantity.end + _REACH])[: min(len(quantity.nouns), 2)]
    return _flat(quantity.text + "".join(behind))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _describe(name: str, quantity: Quantity, result: Comparison, candidate: Candidate) -> str:
    other = _flat(candidate.quantity.text)
    where = {"quote": "in the quotes", "calculation": "in your calculation"}.get(candidate.source, "in the sources")
    if candidate.quantity.nouns and candidate.quantity.kind in ("count", "duration", "physical"):
        other += " " + " ".join(candidate.quantity.nouns[:2])
    if result.field == "sign" and candidate.quantity.value < 0:
        return f'"{name}" is negative in the quoted words ("{other}"): write its sign, or say the loss or decrease'
    if result.standing == "open":
        if result.field in _ROUNDINGS:
            return f'code could not tell whether "{name}" may stand for "{other}" ({result.field})'
        return f'code could not tell the {result.field} of "{other}", on which "{name}" rests'
    unscaled = candidate.source == "quote" and candidate.quantity.power is None and not candidate.header.is_certain
    if result.field == "scale" and unscaled and quantity.power:
        missing = "none of them says in which unit the table counts: quote the line that does, too"
        return f'"{name}" stands in the quotes as "{other}", and {missing}'
    if quantity.kind == "percent" and candidate.quantity.kind == "points":
        return f'"{name}": "{other}" {where} is a number of percentage points'
    return f'"{name}": its {result.field} differs from "{other}" {where}'
