"""Whether what a text says of its figures beside one another agrees with where the quotes have them. Pure.

Each figure may stand in the quotes and yet be told of something else: exchanged with another one, of another row or
column, as the later one of two. What is said of a figure is weighed by the words near it. Most answers are questions:
the quotes may say the same in other words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, product

from ralph_cli.checks.figures.candidates import Candidate
from ralph_cli.checks.figures.compare import Standing
from ralph_cli.checks.figures.places import Place, is_earlier
from ralph_cli.text.quantities.nearness import weigh_words
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.relations import are_comparable, is_misstated, ordered_pairs

_MARGIN, _MARGIN_OF_PAIR = 0.7, 0.3
"""By how many words another place must agree better with what is said of a figure, and two places with two figures."""

_WHOLE = re.compile(r"\d\S*(?: [a-z]+)? of (?:(?:the|its|their|our|all) )*\Z")
"""What stands before the whole of a part: "5 of the"."""

_WORDS_BEHIND, _REACH = re.compile(r"[\s-]+[^\W\d_]+"), 60


@dataclass(frozen=True, slots=True)
class Answer:
    """What of a text is not supported, and why: `words` are the text's, at `start`; `field` is what decides it."""

    words: str
    start: int
    standing: Standing
    field: str
    message: str


@dataclass(frozen=True)
class FigureConsistency:
    """Compares what a text says of its figures with what the quotes say of them.

    `homes` are the candidates that bear out each figure.
    """

    text: str
    candidates: Sequence[Candidate]
    homes: Mapping[Quantity, Sequence[Candidate]]

    def inconsistent(self, found: Sequence[Quantity], supported: Sequence[Quantity]) -> Iterator[Answer]:
        """What does not agree, of the quantities and dates of the text, of which some are supported by themselves."""
        measured = [one for one in found if one.is_measured]
        yield from self._order(measured)
        yield from self._places(supported)

    def _order(self, found: Sequence[Quantity]) -> Iterator[Answer]:
        """Figures of which the text says that one became the other, and that go the other way."""
        for before, after in ordered_pairs(self.text, found):
            first = min(before, after, key=lambda one: one.start)
            homes = [*product(self._places_of(before), self._places_of(after))]
            names = f'from "{name_quantity(self.text, before)}" to "{name_quantity(self.text, after)}"'
            if is_misstated(self.text, before, after):
                message = f"{names}: the words say the other direction"
                yield Answer(first.text, first.start, "contradicted", "direction", message)
            elif homes and all(is_earlier(end, begin) for begin, end in homes):
                message = f"{names}: in the quotes the second is the earlier one"
                yield Answer(first.text, first.start, "contradicted", "time", message)

    def _places(self, found: Sequence[Quantity]) -> Iterator[Answer]:
        """Figures of which the text says what the quotes say of another figure, or that it exchanges."""
        computed = {one for one in found if any(home.source == "calculation" for home in self.homes.get(one, ()))}
        places = {one: known for one in found if one not in computed and (known := self._places_of(one))}
        placeless = (one for one in found if one not in computed and one not in places)
        names = frozenset(one.start for one in placeless if any(home.in_table for home in self.homes.get(one, ())))
        said = {one: weigh_words(self.text, one.start, is_claim=True, names=names) for one in places}
        yield from self._misplaced(found, places, said)
        yield from self._exchanged(places, said)

    def _misplaced(
        self,
        found: Sequence[Quantity],
        places: Mapping[Quantity, Sequence[Place]],
        said: Mapping[Quantity, Mapping[str, float]],
    ) -> Iterator[Answer]:
        taken = {place.start for known in places.values() for place in known}
        quoted = [one for one in self.candidates if one.place and one.source == "quote"]
        others = [one for one in quoted if one.place and one.place.start not in taken]
        for one, known in places.items():
            if _WHOLE.search(self.text, 0, one.start):
                continue  # what follows is said of its part
            own = said[one]
            agreement = max(place.agreement(own) for place in known)
            rivals = (other for other in others if _are_rivals(self.homes[one][0], other))
            agreements = ((other.place.agreement(own), other) for other in rivals if other.place)
            best, rival = max(agreements, key=lambda pair: pair[0], default=(0.0, None))
            if rival is not None and rival.place is not None and best > agreement + _MARGIN:
                is_of_other_time = all(place.is_of_other_time(own, rival.place) for place in known)
                name, other = name_quantity(self.text, one), flatten(rival.quantity.text)
                message = f'the quotes say of "{other}" what is said of "{name}"'
                yield Answer(one.text, one.start, "contradicted" if is_of_other_time else "open", "place", message)

    def _exchanged(
        self, places: Mapping[Quantity, Sequence[Place]], said: Mapping[Quantity, Mapping[str, float]]
    ) -> Iterator[Answer]:
        for one, other in combinations(places, 2):
            pairs = [*product(places[one], places[other])]
            is_apart = are_comparable(one, other) and all(first.start != second.start for first, second in pairs)
            if is_apart and all(_are_exchanged(pair, (said[one], said[other])) for pair in pairs):
                names = f'"{name_quantity(self.text, one)}" and "{name_quantity(self.text, other)}"'
                yield Answer(one.text, one.start, "open", "place", f"{names}: the quotes have them the other way round")

    def _places_of(self, quantity: Quantity) -> Sequence[Place]:
        """Where the quotes have a quantity; of those that its bound or its rounding lets in the nearest."""
        homes = [one for one in self.homes.get(quantity, ()) if one.place and one.source == "quote"]
        apart = [_distance(quantity, one) for one in homes]
        nearest = min(apart, default=Decimal(0))
        return [one.place for one, distance in zip(homes, apart, strict=True) if one.place and distance == nearest]


def name_quantity(text: str, quantity: Quantity) -> str:
    """A quantity as it is named in messages: with the words behind it that say what it measures."""
    measured = quantity.kind in ("count", "duration", "physical", "ordinal")
    return flatten(quantity.text + "".join(words_behind(text, quantity, min(len(quantity.nouns), 2 * measured))))


def words_behind(text: str, quantity: Quantity, most: int) -> list[str]:
    """The first words behind a quantity, each with what stands before it."""
    return _WORDS_BEHIND.findall(text[quantity.end : quantity.end + _REACH])[:most]


def flatten(text: str) -> str:
    """Words on one line, for messages."""
    return " ".join(text.split())


def _distance(quantity: Quantity, candidate: Candidate) -> Decimal:
    """How far a quantity lies from a candidate at the scale at which they are nearest."""
    own = abs(quantity.value).scaleb(quantity.power or 0)
    return min(abs(own - abs(candidate.quantity.value).scaleb(power)) for power in candidate.powers)


def _are_rivals(one: Candidate, other: Candidate) -> bool:
    """Whether two figures of the quotes are of one kind and unit, as far as cells without a unit show it."""
    first, second = one.quantity, other.quantity
    kinds = {first.kind, second.kind}
    columns = {found.place.column for found in (one, other) if found.place}
    bare = "none" in kinds and "date" not in kinds and (len(kinds) == 1 or len(columns) == 1)
    return (bare and one.in_table and other.in_table) or (len(kinds) == 1 and are_comparable(first, second))


def _are_exchanged(places: tuple[Place, Place], said: tuple[Mapping[str, float], Mapping[str, float]]) -> bool:
    """Whether two places agree better with what is said of the other figure than with what is said of their own.

    Neither may agree worse, and words that both places have tell nothing.
    """
    (one, other), common = places, places[0].words & places[1].words
    first, second = ({word: weight for word, weight in of.items() if word not in common} for of in said)
    gains = other.agreement(first) - one.agreement(first), one.agreement(second) - other.agreement(second)
    return min(gains) >= 0 and sum(gains) > _MARGIN_OF_PAIR
