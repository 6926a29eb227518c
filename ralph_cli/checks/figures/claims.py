"""Every quantity, date and name of a text against all that it may rest on: contradicted, or open. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ralph_cli.checks.figures.candidates import MAIN_CURRENCIES, Candidate, DocumentFacts
from ralph_cli.checks.figures.compare import BOUND, OTHER_SCALE, OTHER_UNIT, Comparison, Standing, compare
from ralph_cli.checks.figures.consistency import Answer, FigureConsistency, flatten, name_quantity
from ralph_cli.checks.figures.dates import compare_date, is_between_dates, is_shifted
from ralph_cli.checks.figures.derived import add_up, quotients, relate
from ralph_cli.text.lexicon import NEGATIONS, SCALES
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.scales import SCALE_STATEMENT
from ralph_cli.text.sentences import sentence_at, shorten_line

NOWHERE = "nowhere"
_NEAR = 300
"""Characters between two figures of a text of which one may be made of the other."""

_MOST_STATED = 160
"""Characters of a statement of scale that a message shows."""

_YEAR_BEFORE = re.compile(r"(?i)\b(?:prior|previous|preceding|last)\s+(?:\w+\s+)?year|\byear\s+(?:before|earlier|ago)")
_NEGATED = re.compile(rf"(?i)\b(?:{NEGATIONS})\b")


_Fault = tuple[str, Standing, str, str]
"""The words of an answer, its standing, field and message."""


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
    _homes: dict[Quantity, list[Candidate]] = field(default_factory=dict)

    def unsupported(self, text: str) -> Iterator[Answer]:
        """What of a text is contradicted or open, in order."""
        found = read_quantities(text, "prose")
        answers = [(one, self.answer(text, one, found)) for one in found]
        supported = [one for one, answer in answers if answer is None]
        is_beside = any(one.is_measured and not (one.is_small and one.text.isalpha()) for one in supported)
        for one, answer in answers:
            # A small number in words beside a figure that is borne out is an aside.
            if answer and not (is_beside and answer.field == "count" and one.kind != "duration" and one.text.isalpha()):
                yield answer
        consistency = FigureConsistency(text, self.candidates, self._homes)
        yield from consistency.inconsistent(found, supported)

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
        number = quantity.text.lower().rpartition(" ")[2]
        # "Clause 5" may be where a line begins with that number, or it is quoted.
        part = rf"{re.escape(number)}(?![\d,]|\.\d)"
        is_part = number[0].isdigit() and re.search(rf"(?<![\d.,]){part}", self.said)
        if is_part or (number[0].isdigit() and re.search(rf"(?im)^\W*{part}", self.facts.text)):
            return None
        plain = re.sub(r"\W", "", quantity.text.lower())
        if plain in self.facts.letters or plain.rstrip("s") in re.sub(r"\W", "", self.said).lower():
            return None
        standing: Standing = "open" if quantity.text.isascii() else "contradicted"
        return quantity.text, standing, "name", f'"{quantity.text}" is in {self.described}'

    def _answer_date(self, text: str, quantity: Quantity, others: Sequence[Quantity]) -> _Fault | None:
        said = [other.date for other in others if other.kind == "date" and other is not quantity]
        found, rival = compare_date(quantity, self.candidates, said, self.facts.fiscal_end)
        if found.standing != "supported" and is_shifted(quantity.date, self.candidates):
            message = f'"{quantity.text}" may be computed from the quotes, but no calculation is recorded'
            return quantity.text, "open", "calculation", message
        is_before = rival is not None and (quantity.date.year or 0) + 1 == rival.date.year
        if found.field == "year" and is_before and _YEAR_BEFORE.search(self.said):
            found = Comparison("open", found.field)  # "more than in the year before"
        if found.standing == "supported":
            self._homes[quantity] = [one for one in self.candidates if one.quantity.date == quantity.date and one.place]
            return None
        message = f'no quote names the {found.field} of "{quantity.text}"'
        if rival is not None:
            message = f'"{quantity.text}": the quotes say "{flatten(rival.text)}" (another {found.field})'
        return quantity.text, found.standing, found.field, message

    def _answer_measured(self, text: str, quantity: Quantity, others: Sequence[Quantity], named: str) -> _Fault | None:
        sentence = text[slice(*sentence_at(text, quantity.start, quantity.end))] + named
        results = [(self._compare(quantity, candidate, sentence), candidate) for candidate in self.candidates]
        fitting = [one for result, one in results if result and result.standing == "supported"]
        self._homes[quantity] = list(fitting)
        found = [(result, candidate) for result, candidate in results if result]
        name = name_quantity(text, quantity)
        known = quantity.unit == "cent" or self.facts.names_currency(quantity.unit)
        if quantity.kind == "currency" and not known:
            standing: Standing = "contradicted" if quantity.unit in MAIN_CURRENCIES else "open"
            return name, standing, "currency", f'"{name}": the document names no such currency'
        if fitting:
            return None
        told = any(
            result.field == BOUND
            or (result.field in ("unit", "currency") and abs(one.quantity.value) == abs(quantity.value))
            for result, one in found
        )
        if not told and self._is_derived(quantity, sentence, others):
            return None
        for standing in ("open", "contradicted"):
            for result, candidate in found:
                if result.standing == standing:
                    if result.field == OTHER_UNIT:
                        own = _with_unit(quantity, text) if quantity.symbol else name
                        other = _with_unit(candidate.quantity, self.said)
                        return name, standing, result.field, f'"{own}": the quotes say "{other}" (another unit)'
                    return name, standing, result.field, _describe(name, quantity, result, candidate)
        return self._answer_missing(text, quantity, name)

    def _compare(self, quantity: Quantity, candidate: Candidate, sentence: str) -> Comparison | None:
        if (plain := _compare_plain(quantity, candidate)) is not None:
            return plain
        other = candidate.quantity
        if not other.is_measured or _is_accidental(quantity, candidate):
            return None
        asked = candidate.source == "question"
        result = compare(replace(quantity, bound="") if asked else quantity, candidate, sentence)
        if result is None and quantity.wording == "change" and other.kind == "percent":
            # What doubled is 200 % of what it was, or up by 100 %.
            result = compare(replace(quantity, value=abs(quantity.value - 1)), candidate, sentence)
        if not asked:
            return result
        # What a claim is measured against, or denies, the question may have named, whatever its bound.
        is_named = quantity.bound or other.bound or _NEGATED.search(sentence)
        return result if is_named and result is not None and result.standing == "supported" else None

    def _is_derived(self, quantity: Quantity, sentence: str, others: Sequence[Quantity]) -> bool:
        """Whether quoted dates, or other figures of the claim, make a quantity; one in words two quoted figures may."""
        if quantity.kind == "duration" and is_between_dates(quantity, self.candidates):
            return True
        near = [other for other in others if 0 < abs(other.start - quantity.start) <= _NEAR]
        inputs = [found for other in near if (found := self._as_input(other, sentence)) is not None]
        prose = [one for one in self.candidates if one.source == "quote" and not one.in_table]
        if quantity.kind == "ratio" and quantity.worded:
            return self._is_among(quantity, (*quotients(inputs), *quotients(prose)), sentence)
        return self._is_among(quantity, (*relate(inputs), *add_up(inputs)), sentence)

    def _as_input(self, quantity: Quantity, sentence: str) -> Candidate | None:
        """What bears out another figure of the claim, with the sign and unit that the claim gives it."""
        if not quantity.is_measured:
            return None
        if quantity not in self._homes:
            results = ((self._compare(quantity, candidate, sentence), candidate) for candidate in self.candidates)
            self._homes[quantity] = [one for result, one in results if result and result.standing == "supported"]
        for home in self._homes[quantity][:1]:
            value = abs(home.quantity.value) * (-1 if quantity.value < 0 else 1)
            known = quantity if quantity.kind != "none" else home.quantity
            return replace(home, quantity=replace(home.quantity, value=value, kind=known.kind, unit=known.unit))
        return None

    def _is_among(
        self, quantity: Quantity, candidates: Iterable[Candidate], sentence: str, standings: str = "supported"
    ) -> bool:
        results = (self._compare(quantity, candidate, sentence) for candidate in candidates)
        return any(result is not None and result.standing in standings for result in results)

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
            message = f'"{name}": the quotes say "{flatten(rival.text)} {" ".join(rival.nouns[:2])}"'
            return name, "contradicted", "number", message
        if counted and quantity.text.isdecimal() and (words := text[: quantity.start].split()[-1:]):
            named = re.escape(f"{words[0]} {quantity.text}")  # "week 52", "DN 150", "the 787"
            if re.search(rf"(?i)(?<!\w){named}(?![\d.,%])", self.facts.text):
                return None
        one = quantity.value == 1 or (quantity.value == 12 and quantity.unit == "month")
        timed = any(found.quantity.kind == "duration" and not found.in_table for found in self.candidates)
        if one and quantity.text.isalpha() and not (quantity.kind == "duration" and timed):
            return None
        if countable:
            return name, "open", "count", f'code could not count "{name}" in the quotes'
        alike = [found.quantity for found in quoted if found.quantity.kind == quantity.kind]
        gap, nearest = min(((abs(abs(one.value) - abs(quantity.value)), one.text) for one in alike), default=(0, ""))
        hint = f'; nearest is "{flatten(nearest)}"' if nearest and gap <= abs(quantity.value) / 4 else ""
        standing: Standing = "open" if quantity.worded else "contradicted"
        return name, standing, NOWHERE, f'"{name}" is in {self.described}{hint}'


def _compare_plain(quantity: Quantity, candidate: Candidate) -> Comparison | None:
    """How a number stands to a year, a day or a range of whole numbers in the quotes, None if it is none of them."""
    other, is_whole = candidate.quantity, quantity.kind in ("ordinal", "none", "count")
    if is_whole and candidate.source == "quote" and other.date.year == quantity.value * 10 ** (quantity.power or 0):
        return Comparison("supported")  # "1900 members" look like a year
    if quantity.kind == "ordinal" and other.date.day == quantity.value and not quantity.nouns:
        return Comparison("supported")  # "by the 15th"
    is_alike = is_whole or (quantity.kind == "duration" and quantity.unit == other.unit)
    if not is_alike or other.last is None or not other.value <= quantity.value <= other.last:
        return None
    is_beyond = quantity.value == {"over": other.last, "under": other.value}.get(quantity.bound)
    return Comparison("contradicted", BOUND) if is_beyond else Comparison("supported")


def _is_accidental(quantity: Quantity, candidate: Candidate) -> bool:
    """Whether a figure is near another one by chance: four segments to 4.2 %, a limit of 2.50 to the mark "(2)"."""
    other = candidate.quantity
    if quantity.is_small and quantity.kind == "count" and other.value % 1:
        return True
    is_mark = other.kind == "none" and other.is_small and not candidate.in_table
    is_limit = quantity.bound and quantity.kind not in ("ordinal", "none", "count")
    return bool(is_limit and is_mark and abs(quantity.value) != abs(other.value))


def _is_rival(candidate: Candidate, quantity: Quantity) -> bool:
    """Whether prose counts the same things to another number."""
    other = candidate.quantity
    both = not candidate.in_table and other.kind == quantity.kind in ("count", "ordinal")
    one = quantity.value == 1 and quantity.text.isalpha()  # "one employee in seventeen"
    return both and not one and bool(set(other.nouns[:3]) & set(quantity.nouns[:3]))


def _scale_statement(candidate: Candidate) -> str:
    """The words above a table that state its scales, or the scales if these stand elsewhere."""
    if stated := flatten(" ".join(filter(SCALE_STATEMENT.search, candidate.header.lines))):
        return shorten_line(stated, _MOST_STATED)
    values = {10**power for power in candidate.header.scales.powers}
    return ", ".join(f"{word}s" for word, value in SCALES.items() if value in values)


def _with_unit(quantity: Quantity, text: str) -> str:
    """A figure of a text with what is written directly behind it."""
    written = re.search(rf"{re.escape(quantity.text)}[ \u00a0-]?[^\s,;)|]+", text)
    return flatten(written[0]).rstrip(".") if written else quantity.text


def _describe(name: str, quantity: Quantity, result: Comparison, candidate: Candidate) -> str:
    found = candidate.quantity
    where = {"quote": "in the quotes", "calculation": "in your calculation"}.get(candidate.source, "in the sources")
    other = flatten(
        " ".join((found.text, *(found.nouns[:2] if found.kind in ("count", "duration", "physical") else ())))
    )
    if result.field == "sign" and found.value < 0:
        return f'"{name}" is negative in the quoted words ("{other}"): write its sign, or say the loss or decrease'
    if result.field == OTHER_SCALE:
        stated = _scale_statement(candidate)
        return f'"{name}": the quotes say "{other}", and their table states several scales: "{stated}"'
    if result.standing == "open":
        return f'code could not tell the {result.field} of "{other}", on which "{name}" rests'
    unscaled = candidate.source == "quote" and found.power is None and not candidate.header.is_certain
    if result.field == "scale" and unscaled and quantity.power:
        missing = "none of them says in which unit the table counts: quote the line that does, too"
        return f'"{name}" stands in the quotes as "{other}", and {missing}'
    if quantity.kind == "percent" and found.kind == "points":
        return f'"{name}": "{other}" {where} is a number of percentage points'
    return f'"{name}": its {result.field} differs from "{other}" {where}'
