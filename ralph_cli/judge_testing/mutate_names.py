"""Claims made false by another name: of the same document and used in the same way, or another country."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ralph_cli.text.lexicon import MONTHS

COUNTRIES = (
    "United States", "United Kingdom", "Canada", "Mexico", "Brazil", "Argentina", "Germany", "France", "Italy", "Spain",
    "Portugal", "Ireland", "Switzerland", "Austria", "Belgium", "Denmark", "Sweden", "Norway", "Finland", "Poland",
    "Israel", "India", "China", "Japan", "Singapore", "Australia",
)  # fmt: skip
"""Countries, each of which can stand for any other in a sentence."""

_NAME = re.compile(
    r"(?:(?P<the>\b[Tt]he )|(?<=[a-z,;] )(?<![Tt]he ))(?P<name>[A-Z][a-z]+(?:[A-Z][a-z]+)*"
    r"(?: (?:(?:of|and|&) )?[A-Z][A-Za-z.]*[A-Za-z])*)(?=[ ,.;:)'\u2019])(?! \d)"
)
_NO_NAMES = {*map(str.capitalize, MONTHS), "Mr", "Mrs", "Ms", "Dr", "Fiscal"}
_ISSUER = {"Company", "Corporation", "Registrant", "Issuer", "Group", "Parent", "Firm", "Bank", "Borrower", "Employer"}
"""Names for the company that a document is about: two of them often mean the same."""

_MIN_COUNT = 4
_MAX_NAME_WORDS = 3


@dataclass(frozen=True, slots=True)
class _NameUsage:
    """How a name is used: with "the" or without, how often, and how often each word stands behind it."""

    has_article: bool
    count: int
    words_behind: Counter[str]


@dataclass(slots=True)
class DocumentNames:
    """The names that a text has several times, and for each the name that is used most like it."""

    text: str
    _rivals: dict[str, str] = field(init=False)
    _usages: dict[str, _NameUsage] = field(init=False)

    def __post_init__(self) -> None:
        flat = " ".join(self.text.split())
        uses: dict[str, list[re.Match[str]]] = defaultdict(list)
        for match in _NAME.finditer(flat):
            words = match["name"].split()
            is_place = any(place in match["name"] for place in COUNTRIES)
            if _NO_NAMES.isdisjoint(words) and len(words) <= _MAX_NAME_WORDS and not is_place:
                uses[match["name"]].append(match)
        # A word that is as often in small letters is no name: a heading or a table has given it its capital.
        lower = Counter(re.findall(r"\b[a-z]+", flat))
        self._usages = {}
        for name, found in uses.items():
            share = sum(bool(match["the"]) for match in found) / len(found)
            is_common = share < 0.5 and all(lower[word.lower()] * 4 > len(found) for word in name.split())
            if len(found) >= _MIN_COUNT and not 0.2 < share < 0.8 and not is_common:
                behind = Counter(word for match in found for word in _word_behind(flat, match.end()))
                self._usages[name] = _NameUsage(share > 0.5, len(found), behind)
        self._rivals = {name: rival for name, use in self._usages.items() if (rival := self._rival(name, use))}

    def swap_names(self, text: str) -> Iterator[str]:
        """The claim with one of its names exchanged for another, or with two of them in each other's place."""
        yield from _move_places(text)
        for name, rival in self._rivals.items():
            own, other = self._pattern(name), self._pattern(rival)
            if not own.search(text) or re.search(rf"[A-Z]\w+ {re.escape(name)}\b", text.replace("The ", "the ")):
                continue
            if rival not in text:
                yield own.sub(rf"\g<1>{rival}", text)
            elif other.search(text) and not _are_coordinated(text, name, rival):
                yield other.sub(rf"\g<1>{name}", own.sub(r"\g<1>\0", text)).replace("\0", rival)

    def _pattern(self, name: str) -> re.Pattern[str]:
        the = "[Tt]he " if self._usages[name].has_article else "(?<![Tt]he )(?<!\\ba )(?<!\\ban )"
        return re.compile(rf"(?<![\w-])({the}){re.escape(name)}(?![\w-])(?! \d)(?! [A-Z])")

    def _rival(self, name: str, use: _NameUsage) -> str:
        """The name with most words in common behind it that does not mean the same; "" if there is none like it."""
        alike = [
            (len(use.words_behind & other.words_behind), other.count, rival)
            for rival, other in self._usages.items()
            if other.has_article == use.has_article
            and rival != name
            and rival.endswith("s") == name.endswith("s")
            and not self._may_be_same(name, rival)
        ]
        shared, _, best = max(alike, default=(0, 0, ""))
        return best if shared >= (1 if use.has_article else 2) else ""

    def _may_be_same(self, name: str, other: str) -> bool:
        """Whether two names may mean the same: they share a word, or the text defines one as the other."""
        if set(name.split()) & set(other.split()) or {name, other} <= _ISSUER:
            return True
        between = r"[^.()\"\u201c\u201d]{0,150}\((?:[^)]*[\"\u201c\s])?\**"
        pairs = ((name, other), (other, name))
        return any(re.search(rf"{re.escape(one)}{between}{re.escape(two)}\b", self.text) for one, two in pairs)


def _are_coordinated(text: str, name: str, rival: str) -> bool:
    """Whether "and" or "or" joins two names, so that their order means nothing."""
    return any(re.search(rf"{one},? (?:and|or) (?:the )?{two}", text) for one, two in ((name, rival), (rival, name)))


def _word_behind(flat: str, at: int) -> Iterator[str]:
    """The word behind a name, unless it stands behind everything; after a possessive the "'s"."""
    after = re.match(r"['\u2019]s\b|\W*\s([a-z]+)", flat[at : at + 40])
    if after and after[1] not in (
        "and",
        "or",
        "of",
        "is",
        "was",
        "to",
        "in",
        "for",
        "with",
        "by",
        "from",
        "as",
        "that",
    ):
        yield after[1] or "'s"


def _move_places(text: str) -> Iterator[str]:
    """The claim moved to another country."""
    for country in COUNTRIES:
        the = "[Tt]he " if country.startswith("United") else ""
        # The country is no part of another name ("Air Canada", "Bank of China"), and not one that is excluded.
        match = re.search(rf"(?<![\w/-]){the}{country}(?![\w-]| [A-Z]|, (?:the )?[A-Z])", text)
        if match is None or re.search(r"[A-Z][\w&]*(?: of)? \Z|\b(?:outside|than|except)\b", text[: match.start()]):
            continue
        others = [other for other in COUNTRIES if other not in text and not other.startswith("United")]
        yield from (text.replace(match[0], other) for other in others)
