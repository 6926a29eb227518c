"""Every quantity, date and name of a text against all that it may rest on: contradicted, or open. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from decimal import Decimal

from ralph_cli.checks.figures.candidates import MAIN_CURRENCIES, Candidate, DocumentFacts
from ralph_cli.checks.figures.compare import BOUND, OTHER_SCALE, OTHER_UNIT, Comparison, Standing, compare
from ralph_cli.checks.figures.consistency import Answer, FigureConsistency, flatten, name_quantity, words_behind
from ralph_cli.checks.figures.dates import compare_date, is_between_dates, is_between_times, is_shifted
from ralph_cli.checks.figures.derived import as_claimed, derive, relate
from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.text.lexicon import NEGATIONS, SCALES
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.relations import read_change
from ralph_cli.text.quantities.vocabulary import PACES, TIMES, powers_named, singular, units_named
from ralph_cli.text.scales import SCALE_STATEMENT
from ralph_cli.text.sentences import sentence_at

NOWHERE = "nowhere"
_NEAR = 300
"""Characters between two figures of a text of which one may be made of the other."""

_AROUND = 24
"""Characters before and behind a statement of scale that a message shows with it."""

_PLURALS = frozenset(("people", "men", "women", "children", "staff", "aircraft", "criteria"))
_MARK = re.compile(r"(?m)[\u2022\u25aa\u25e6\u2023\u2610-\u2612]|^[ \t]*(?:[-*+]|\(?\d{1,2}[.)])[ \t]")
_BOXES = "\u2610\u2611\u2612"
_BETWEEN_ITEMS = re.compile(r"[,;]|\b(?:and|or)\b")
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
        supported = [one for one, answer in answers if answer is None]
        yield from self._misplaced_names(text, found, supported)
        consistency = FigureConsistency(text, self.candidates, self._homes)
        yield from consistency.inconsistent(found, supported)

    def _misplaced_names(self, text: str, found: Sequence[Quantity], supported: Sequence[Quantity]) -> Iterator[Answer]:
        """Figures that only name columns, where no other figure of the claim stands in a cell of such a column."""
        values = {abs(one.value) for one in found}
        quoted = (one for one in self.candidates if one.source == "quote" and abs(one.quantity.value) in values)
        fitting = [home for one in supported for home in self._homes.get(one, ())]
        if any(home.source == "calculation" for home in fitting):
            return  # what it was computed of is not looked for
        places = {one.place.start for one in (*quoted, *fitting) if one.place}
        for one in supported:
            homes = self._homes.get(one, ())
            cells = [cell for home in homes for cell in home.header.cells]
            is_name = bool(cells) and all(home.source == "header" for home in homes)
            if is_name and not any(cell.start <= at < cell.end for cell in cells for at in places):
                name = name_quantity(text, one)
                message = f'"{name}" names a column of the quoted row, and no figure of the claim stands in that column'
                yield Answer(name, one.start, "open", "column", message)

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
        # "Clause 5" may be where a line begins with that number, or it is quoted.
        part = rf"{re.escape(number)}(?![\d,]|\.\d)"
        is_own = name in quoted or (number[0].isdigit() and _begins_line(part, self.said))
        if not is_own and (rival := next((one for one in own if _begins_line(re.escape(one), self.said)), "")):
            return quantity.text, "open", "name", f'"{quantity.text}": the quotes say "{flatten(rival)}"'
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
            message = f'"{quantity.text}": the quotes say "{flatten(rival.text)}" (another {found.field})'
        return quantity.text, found.standing, found.field, message

    def _answer_measured(self, text: str, quantity: Quantity, others: Sequence[Quantity], named: str) -> _Fault | None:
        if self._repeats_name(text, quantity):
            return None
        sentence = text[slice(*sentence_at(text, quantity.start, quantity.end))] + named
        results = [(self._compare(quantity, candidate, sentence), candidate) for candidate in self.candidates]
        fitting = [one for result, one in results if result and result.standing == "supported"]
        self._homes[quantity] = list(fitting)
        found = [(result, candidate) for result, candidate in results if result]
        name = name_quantity(text, quantity)
        is_weighed = quantity.unit == "\u00a3" and "pound" in units_named(self.said)
        known = is_weighed or quantity.unit == "cent" or self.facts.names_currency(quantity.unit)
        if quantity.kind == "currency" and not known:
            standing: Standing = "contradicted" if quantity.unit in MAIN_CURRENCIES else "open"
            return name, standing, "currency", f'"{name}": the document names no such currency'
        if any(result.standing == "supported" for result, _ in found) or self._shares_unit(quantity, others, sentence):
            return None
        told = any(
            result.field in ("direction", BOUND)
            or (result.field == "sign" and one.is_loss)
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
        mark = other.kind == "none" and other.is_small and not candidate.in_table
        if quantity.bound and mark and not whole and abs(quantity.value) != abs(other.value):
            return None  # "(2)" is nothing that a limit of 2.50 lets in
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
            message = f'"{name}": the quotes say "{flatten(rival.text)} {" ".join(rival.nouns[:2])}"'
            return name, "contradicted", "number", message
        before = text[: quantity.start].split()
        words = words_behind(text, quantity, len(quantity.nouns))
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
        hint = f'; nearest is "{flatten(nearest)}"' if nearest and gap <= abs(quantity.value) / 4 else ""
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


def _is_year_before(date: Date, known: Date, said: str) -> bool:
    """Whether a date is of the year before a quoted one, and the quotes speak of it: "more than in the year before"."""
    return date.year is not None and date.year + 1 == known.year and bool(_YEAR_BEFORE.search(said))


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


def _begins_line(pattern: str, text: str) -> bool:
    return bool(re.search(rf"(?im)^\W*{pattern}", text))


def _scale_statement(candidate: Candidate) -> str:
    """The words above a table that state its scales, with a few around them that say of what."""
    words = flatten(" ".join(filter(SCALE_STATEMENT.search, candidate.header.lines)))
    found = list(SCALE_STATEMENT.finditer(words))
    if not found:
        values = {10**power for power in candidate.header.scales.powers}
        return ", ".join(f"{word}s" for word, value in SCALES.items() if value in values)
    start = words.rfind(" ", 0, max(found[0].start() - _AROUND, 0)) + 1
    end = words.find(" ", found[-1].end() + _AROUND)
    return words[start : end if end > 0 else None]


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
