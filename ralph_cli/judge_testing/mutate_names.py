"""Claims made false by another name: of the same document and used in the same way, or another country."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

# Countries, each of which can stand for any other in a sentence.
COUNTRIES = (
    "United States", "United Kingdom", "Canada", "Mexico", "Brazil", "Argentina", "Germany", "France", "Italy", "Spain",
    "Portugal", "Ireland", "Switzerland", "Austria", "Belgium", "Denmark", "Sweden", "Norway", "Finland", "Poland",
    "Israel", "India", "China", "Japan", "Singapore", "Australia",
)  # fmt: skip

_NAME = re.compile(
    r"\b[Tt]he (?P<name>[A-Z][a-z]+(?:[A-Z][a-z]+)*(?: (?:(?:of|and|&) )?[A-Z][A-Za-z.]*[A-Za-z])*)"
    r"(?=[ ,.;:)'\u2019])(?! \d)"
)
# Names for the company that a document is about: two of them often mean the same.
_ISSUER = {"Company", "Corporation", "Registrant", "Issuer", "Group", "Parent", "Firm", "Bank", "Borrower", "Employer"}

# Words that stand behind any name.
_COMMON = ("and", "or", "of", "is", "was", "to", "in", "for", "with", "by", "from", "as", "that")

_MIN_COUNT = 4
_MAX_NAME_WORDS = 3


class DocumentNames:
    """The names with an article that a text has several times, and for each the one that is used most like it."""

    def __init__(self, text: str) -> None:
        self.text = text
        flat = " ".join(text.split())
        uses: dict[str, list[int]] = defaultdict(list)
        for match in _NAME.finditer(flat):
            if len(match["name"].split()) <= _MAX_NAME_WORDS:
                uses[match["name"]].append(match.end())
        self._words_behind = {
            name: Counter(word for end in ends for word in _word_behind(flat, end))
            for name, ends in uses.items()
            if len(ends) >= _MIN_COUNT and not name.startswith(COUNTRIES)
        }
        self._rivals = {name: rival for name in self._words_behind if (rival := self._rival(name))}

    def swap_names(self, text: str) -> Iterator[str]:
        """The claim with one of its names exchanged for another, or with two of them in each other's place."""
        yield from _move_places(text)
        for name, rival in self._rivals.items():
            own, other = _pattern(name), _pattern(rival)
            if not own.search(text) or re.search(rf"[A-Z]\w+ {re.escape(name)}\b", text.replace("The ", "the ")):
                continue
            if rival not in text:
                yield own.sub(rf"\g<1>{rival}", text)
            elif other.search(text) and not _are_coordinated(text, name, rival):
                yield other.sub(rf"\g<1>{name}", own.sub(r"\g<1>\0", text)).replace("\0", rival)

    def _rival(self, name: str) -> str:
        """The name with most words in common behind it that does not mean the same; "" if there is none like it."""
        alike = [
            ((self._words_behind[name] & words).total(), rival)
            for rival, words in self._words_behind.items()
            if rival.endswith("s") == name.endswith("s") and not self._may_be_same(name, rival)
        ]
        shared, best = max(alike, default=(0, ""))
        return best if shared else ""

    def _may_be_same(self, name: str, other: str) -> bool:
        """Whether two names may mean the same: they share a word, or the text defines one as the other."""
        if set(name.split()) & set(other.split()) or {name, other} <= _ISSUER:
            return True
        between = r"[^.()\"\u201c\u201d]{0,150}\((?:[^)]*[\"\u201c\s])?\**"
        pairs = ((name, other), (other, name))
        return any(re.search(rf"{re.escape(one)}{between}{re.escape(two)}\b", self.text) for one, two in pairs)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])([Tt]he ){re.escape(name)}(?![\w-])(?! \d)(?! [A-Z])")


def _are_coordinated(text: str, name: str, rival: str) -> bool:
    """Whether "and" or "or" joins two names, so that their order means nothing."""
    return any(re.search(rf"{one},? (?:and|or) (?:the )?{two}", text) for one, two in ((name, rival), (rival, name)))


def _word_behind(flat: str, at: int) -> Iterator[str]:
    """The word behind a name, unless it stands behind everything; after a possessive the "'s"."""
    after = re.match(r"['\u2019]s\b|\W*\s([a-z]+)", flat[at : at + 40])
    if after and after[1] not in _COMMON:
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
