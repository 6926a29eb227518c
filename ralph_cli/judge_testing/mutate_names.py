"""Claims made false by another name: of the same document and used in the same way, or another country or state."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ralph_cli.judge_testing.mutate_wording import replace_match
from ralph_cli.text.lexicon import MONTHS

COUNTRIES = (
    "United States", "United Kingdom", "Canada", "Mexico", "Brazil", "Argentina", "Chile", "Germany", "France", "Italy",
    "Spain", "Portugal", "Ireland", "Switzerland", "Austria", "Belgium", "Netherlands", "Denmark", "Sweden", "Norway",
    "Finland", "Poland", "Russia", "Turkey", "Israel", "India", "China", "Japan", "South Korea", "Taiwan", "Singapore",
    "Malaysia", "Thailand", "Vietnam", "Indonesia", "Philippines", "Australia", "New Zealand", "South Africa", "Egypt",
    "Ukraine", "Greece", "Hungary", "Colombia", "Peru", "Pakistan", "Kenya", "Nigeria", "Saudi Arabia", "Luxembourg",
    "Venezuela",
)  # fmt: skip
"""Countries; each is as good as another in a sentence."""

WITH_ARTICLE = frozenset({"United States", "United Kingdom", "Netherlands", "Philippines"})
"""Those that stand behind "the"."""

REGIONS = (
    "North America", "Latin America", "South America", "Europe", "Western Europe", "Eastern Europe", "Asia",
    "Asia Pacific", "Asia-Pacific", "Africa", "Middle East", "EMEA",
)  # fmt: skip
"""Parts of the world that hold several countries."""

STATES = (
    "Alabama", "Arizona", "Arkansas", "California", "Colorado", "Connecticut", "Delaware", "Florida", "Idaho",
    "Illinois", "Indiana", "Iowa", "Kansas", "Kentucky", "Louisiana", "Maryland", "Massachusetts", "Michigan",
    "Minnesota", "Mississippi", "Missouri", "Montana", "Nebraska", "Nevada", "New Jersey", "New York", "North Carolina",
    "Ohio", "Oklahoma", "Oregon", "Pennsylvania", "South Carolina", "Tennessee", "Texas", "Utah", "Virginia",
    "Washington", "Wisconsin",
)  # fmt: skip
"""States of the United States, without those that are also something else in most texts."""


_NAME = re.compile(
    r"(?:(?P<the>\b[Tt]he )|(?<=[a-z,;] )(?<![Tt]he ))(?P<name>[A-Z][a-z]+(?:[A-Z][a-z]+)*"
    r"(?: (?:(?:of|and|&) )?[A-Z][A-Za-z.]*[A-Za-z])*"
    r"(?: B\.V\.)?)(?=[ ,.;:)'\u2019])(?! \d)"
)
_NO_NAMES = """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Fiscal Q
    Note Notes Section Item Form Part Table Schedule Exhibit Act Agreement Plan Plans Report Statement Statements
    Consolidated Financial Annual Quarterly Page Clause Rule Rules Appendix Chapter Article Mr Mrs Ms Dr I We Our
    The This These It In On At If As For See Inc Corp Co Ltd Standard Standards Services Data
    Proxy Contents Participant Internal
"""
_SKIPPED = frozenset(_NO_NAMES.split()) | {month.capitalize() for month in MONTHS}
_ISSUER = {"Company", "Corporation", "Registrant", "Issuer", "Group", "Parent", "Firm", "Bank", "Borrower", "Employer"}
_STOP_WORDS = frozenset("of and or the a to for with by from as that is was be not which than our its their".split())  # noqa: SIM905
_GEOGRAPHY = frozenset((*COUNTRIES, *STATES, *REGIONS))
_MIN_COUNT, _MAX_NAME_WORDS, _MIN_SIMILARITY, _MIN_SIMILARITY_NO_ARTICLE = 4, 3, 0.4, 0.6
_STATE = "|".join(STATES)


@dataclass(frozen=True, slots=True)
class _NameUsage:
    """How a name is used: with "the" or without, how often, and how often which words stand beside it."""

    has_article: bool
    count: int
    neighbours: Counter[str]

    def similarity(self, other: "_NameUsage") -> float:
        """The cosine of the angle between the words beside two names: 1 for the same company, 0 for none shared."""
        both = self.neighbours.keys() & other.neighbours.keys()
        if len(both) < (1 if self.has_article else 2):
            return 0.0
        shared = sum(self.neighbours[word] * other.neighbours[word] for word in both)
        lengths = math.hypot(*self.neighbours.values()) * math.hypot(*other.neighbours.values())
        return shared / lengths if lengths else 0.0


@dataclass(slots=True)
class DocumentNames:
    """The names of a text that stand in it several times, and for each the one that is used most like it."""

    text: str
    _rivals: dict[str, str] = field(init=False)
    _usages: dict[str, _NameUsage] = field(init=False)

    def __post_init__(self) -> None:
        flat = " ".join(self.text.split())
        uses: dict[str, list[re.Match[str]]] = defaultdict(list)
        for match in _NAME.finditer(flat):
            words = re.split(r"[ .]", match["name"])
            is_place = any(place in match["name"] for place in _GEOGRAPHY)
            if _SKIPPED.isdisjoint(words) and len(words) <= _MAX_NAME_WORDS and not is_place:
                uses[match["name"]].append(match)
        # What is as often written small is a word that a heading or a table has made large.
        lower = Counter(re.findall(r"\b[a-z]+", flat))
        self._usages = {}
        for name, found in uses.items():
            share = sum(bool(match["the"]) for match in found) / len(found)
            is_common = share < 0.5 and _is_common_word(name, len(found), lower)
            if len(found) < _MIN_COUNT or 0.2 < share < 0.8 or is_common:
                continue
            beside = Counter(word for match in found for word in _neighbour_words(flat, match))
            self._usages[name] = _NameUsage(share > 0.5, len(found), beside)
        self._rivals = {name: rival for name, use in self._usages.items() if (rival := self._rival(name, use))}

    def swap_names(self, text: str) -> Iterator[str]:
        """The claim with one of its names exchanged for another, or with two of them in each other's place."""
        yield from _move_places(text)
        for name, rival in self._rivals.items():
            if name not in text:
                continue
            own, other = self._pattern(name), self._pattern(rival)
            if not own.search(text) or re.search(rf"[A-Z]\w+ {re.escape(name)}\b", text.replace("The ", "the ")):
                continue
            if rival not in text:
                yield own.sub(lambda match, rival=rival: match[1] + rival, text)  # type: ignore[misc]
            elif other.search(text) and not _are_coordinated(text, name, rival):
                marked = own.sub(lambda match: match[1] + "\0", text)
                marked = other.sub(lambda match, name=name: match[1] + name, marked)  # type: ignore[misc]
                yield marked.replace("\0", rival)

    def _pattern(self, name: str) -> re.Pattern[str]:
        the = "[Tt]he " if self._usages[name].has_article else "(?<![Tt]he )(?<!\\ba )(?<!\\ban )"
        return re.compile(rf"(?<![\w-])({the}){re.escape(name)}(?![\w-])(?! \d)(?! [A-Z])")

    def _rival(self, name: str, use: _NameUsage) -> str:
        """The name most like this one in use, that does not mean the same; none if none is like it."""
        alike = [
            (use.similarity(other), other.count, rival)
            for rival, other in self._usages.items()
            if other.has_article == use.has_article
            and rival != name
            and _is_plural(rival) == _is_plural(name)
            and not self._may_be_same(name, rival)
        ]
        best = max(alike, default=(0.0, 0, ""))
        return best[2] if best[0] >= (_MIN_SIMILARITY if use.has_article else _MIN_SIMILARITY_NO_ARTICLE) else ""

    def _may_be_same(self, name: str, other: str) -> bool:
        """Whether two names may mean the same: they share a word, or one is defined as the other."""
        if set(name.split()) & set(other.split()) or {name, other} <= _ISSUER:
            return True
        for one, two in ((name, other), (other, name)):
            between = r"[^.()\"\u201c\u201d]{0,150}\((?:[^)]*[\"\u201c\s])?\**"
            if re.search(rf"{re.escape(one)}{between}{re.escape(two)}\b", self.text):
                return True
        return False


def _is_common_word(name: str, count: int, lower: Counter[str]) -> bool:
    words = [word.lower() for word in name.split() if word[0].isupper()]
    return all(lower[word] * 4 > count for word in words) and (len(words) == 1 or count < 5)


def _is_plural(name: str) -> bool:
    return name.endswith("s") and not name.endswith("ss")


def _are_coordinated(text: str, name: str, rival: str) -> bool:
    """Whether a claim speaks of two names in one breath, so that their order means nothing."""
    return any(re.search(rf"{one},? (?:and|or) (?:the )?{two}", text) for one, two in ((name, rival), (rival, name)))


def _neighbour_words(flat: str, match: re.Match[str]) -> Iterator[str]:
    """The words before and behind a name, without those that stand beside everything."""
    before = flat[max(match.start() - 30, 0) : match.start()].split()[-1:]
    yield from (f"<{word}" for word in before if word.isalpha() and word.islower() and word not in _STOP_WORDS)
    after = re.match(r"(['\u2019]s)?\W*\s([a-z]+)", flat[match.end() :])
    if after and (after[1] or after[2] not in _STOP_WORDS):
        yield ">'s" if after[1] else f">{after[2]}"


_BEHIND = r"(?=[,.;:)'\u2019]|\s+(?:and|or|at|in|to|for|by|is|are|was|were|will|has|have|where|which|that|during"
_BEHIND += r"|from|since|until|under|with|on|increased|decreased|grew|rose|fell)\b)(?!, (?:the )?[A-Z])"


def _move_places(text: str) -> Iterator[str]:
    """The claim moved to another country or state."""
    for country in COUNTRIES:
        the = "(?:[Tt]he )" if country in WITH_ARTICLE else ""
        pattern = re.compile(rf"(?<![\w/-]){the}{country}{_BEHIND}")
        if country in text and (match := pattern.search(text)) and _is_standalone_place(text, match):
            rivals = [other for other in COUNTRIES[:20] if other not in text and other not in WITH_ARTICLE]
            yield from (pattern.sub(rival, text) for rival in rivals)
    for match in re.finditer(rf"\b(?:{_STATE}){_BEHIND}", text):
        rivals = [other for other in STATES if other not in text]
        if _is_standalone_place(text, match):
            yield from (replace_match(match, rival) for rival in rivals[:8])


def _is_standalone_place(text: str, match: re.Match[str]) -> bool:
    """Whether a place stands alone, and not in the name of something else ("Air Canada", "Bank of China")."""
    if re.search(r"(?i)\b(?:outside|other than|except)(?: of| for| in)* $", text[: match.start()]):
        return False  # what is not in one country may well not be in the other
    return not re.search(r"[A-Z][\w&]*(?: of)? $", text[: match.start()])
