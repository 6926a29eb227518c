"""Makes a memo about any document: true quotations in every style, and beside them faults of every kind, by a seed."""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Page
from ralph_cli.memo.checking.qualifiers import Gap, find_meaningful_word, meaning_change

_SENTENCE = re.compile(r"(?<=[.!?]\s)[A-Z][a-z][^.!?\f]{60,260}(?:\.\d[^.!?\f]{0,80})*[.](?=\s)")
_ROW = re.compile(r"^(?=[^\n]*\d[^\n]*\d)[A-Z][^\n]{12,60}?  [^\n]{4,40}$", re.MULTILINE)
_FIGURE = re.compile(r"\d[\d,]*\.?\d*")


@dataclass(frozen=True, slots=True)
class Planted:
    """A memo, the kind of what stands on each of its lines, and the lines whose quotation or page is false."""

    memo: str
    kinds: dict[int, str]
    false: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of the document as a person retypes it, and its page."""

    words: str
    page: Page
    at: int


class _Source:
    """Sentences of a document that stand in it once, each handed out once."""

    def __init__(self, document: Document, chance: random.Random) -> None:
        self.document, self.chance = document, chance
        self.flat = " ".join(document.text.split())
        found = [
            _Said(" ".join(match[0].split()), document.page_at(match.start()), match.start())
            for match in _SENTENCE.finditer(document.text)
        ]
        self._left = [one for one in found if self._is_plain(one.words)]
        chance.shuffle(self._left)

    def _is_plain(self, words: str) -> bool:
        return self.flat.count(words) == 1 and not re.search(r"[\"\u201c\u201d()\[\]\u2026*_|<>]|\.\.|- ", words)

    def take(self, wanted: Callable[[str], object] = lambda _words: True) -> _Said:
        """The next sentence that has what is wanted."""
        at = next(
            at for at, one in enumerate(self._left) if wanted(one.words) and not re.search(r"\b[A-Z]\.$", one.words)
        )
        return self._left.pop(at)

    def start_of(self, words: str) -> str:
        """The first words of a sentence."""
        return " ".join(words.split()[:6])

    def end_of(self, words: str) -> str:
        """The last words of a sentence."""
        return " ".join(words.split()[-6:])

    def is_own(self, words: str) -> bool:
        """Whether the beginning and the end of a sentence stand nowhere else."""
        return self.flat.count(self.start_of(words)) == 1 == self.flat.count(self.end_of(words))

    def row(self) -> _Said:
        rows = [(match[0], match.start()) for match in _ROW.finditer(self.document.text)]
        rows = [(row, at) for row, at in rows if self.flat.count(" ".join(row.split())) == 1 and "(" not in row]
        row, at = self.chance.choice(rows)
        return _Said(" ".join(row.split()), self.document.page_at(at), at)

    def wrong_page(self, page: Page) -> Page:
        """A page that has neither the number nor the label of this one or its neighbours."""
        near = {str(n) for n in range(page.number - 1, page.number + 2)}
        near |= {
            self.document.pages[n - 1].label
            for n in range(max(page.number - 1, 1), min(page.number + 1, len(self.document.pages)) + 1)
        }
        return self.chance.choice(
            [one for one in self.document.pages if str(one.number) not in near and one.label not in near]
        )

    def no_longer_there(self, words: str) -> str:
        """The words, once it is sure that the document does not have them."""
        assert " ".join(words.split()) not in self.flat, words
        return words


def planted(document: Document, seed: int) -> Planted:
    """Twenty true quotations and twenty faults, shuffled, each on a line of its own."""
    chance = random.Random(seed)
    source = _Source(document, chance)
    items = [(kind, text, False) for kind, text in _true(source)] + [
        (kind, text, True) for kind, text in _false(source)
    ]
    chance.shuffle(items)
    lines, kinds, false = ["# A memo with planted faults", ""], {}, set()
    for kind, text, is_false in items:
        kinds[len(lines) + 1] = kind
        if is_false:
            false.add(len(lines) + 1)
        lines += [*text.split("\n"), ""]
    return Planted("\n".join(lines), kinds, frozenset(false))


def _true(source: _Source) -> Iterator[tuple[str, str]]:
    one = source.take()
    yield "curly, page by number", f"It says \u201c{one.words}\u201d (p. {one.page.number})."
    one = source.take()
    yield "straight, page by label", f'It says "{one.words}" (page {one.page.label}).'
    one = source.take(lambda words: "'" not in words and "\u2019" not in words)
    yield "single", f"It says \u2018{one.words}\u2019 [p {one.page.number}]."
    one = source.take()
    yield "guillemets", f"It says \u00ab {one.words} \u00bb."
    one = source.take()
    yield "low marks", f"It says \u201e{one.words}\u201c."
    one = source.take()
    yield "page before", f"On page {one.page.number}, it says: \u201c{one.words}\u201d"
    one = source.take()
    yield "page range", f"It says \u201c{one.words}\u201d (pp. {max(one.page.number - 1, 1)}-{one.page.number})."
    one = source.take()
    yield "at", f"It says \u201c{one.words}\u201d (Report, at {one.page.number})."
    one = source.take()
    yield "block", f"> {one.words}\n> \u2014 Report, p. {one.page.number}"
    one = source.take()
    head, tail = _halves(one.words)
    yield "block over lines", f"> {head}\n> {tail}"
    one = source.take()
    yield "over a line's end", f"It says \u201c{head_of(one.words)}\n{tail_of(one.words)}\u201d."
    one = source.take()
    yield "emphasis", f"It says **\u201c{head_of(one.words)}** {tail_of(one.words)}\u201d."
    one = source.take(lambda words: _is_elision(words, 5))
    parts = one.words.split()
    yield "ellipsis", f"It says \u201c{' '.join(parts[:5])} [...] {' '.join(parts[-6:])}\u201d (p. {one.page.number})."
    one = source.take(lambda words: _is_elision(words, 7) and not find_meaningful_word(head_of(words)))
    parts = one.words.split()
    yield "bare ellipsis", f"It says \u201c\u2026 {' '.join(parts[2:7])} \u2026 {' '.join(parts[-6:])}\u201d."
    one = source.take()
    yield "first letter", f"It says \u201c[{one.words[0].lower()}]{one.words[1:]}\u201d."
    one = source.take()
    parts = one.words.split()
    yield "sic", f"It says \u201c{' '.join(parts[:5])} [sic] {' '.join(parts[5:])}\u201d."
    one = source.take(lambda words: not find_meaningful_word(words.split()[4]))
    parts = one.words.split()
    yield "put in", f"It says \u201c{' '.join(parts[:4])} [the company] {' '.join(parts[5:])}\u201d."
    one = source.take(lambda words: re.match(r"[^,]*[a-z],\s", words))
    yield "comma inside", f"As \u201c{one.words.split(',')[0].rstrip()},\u201d it says, \u201c{one.words}\u201d"
    one = source.row()
    yield "row of a table", f"The table has \u201c{one.words}\u201d (p. {one.page.number})."
    one = source.take()
    yield "no page", f"It says \u201c{one.words}\u201d."


def _false(source: _Source) -> Iterator[tuple[str, str]]:
    def said(kind: str, words: str) -> tuple[str, str]:
        return kind, f"It says \u201c{source.no_longer_there(words)}\u201d."

    one = source.take(_FIGURE.search)
    yield said("digit", _FIGURE.sub(_other_digit, one.words, count=1))
    one = source.take(lambda words: re.search(r"\d\.\d", words))
    yield said("decimal point", re.sub(r"(\d)\.(\d)", r"\1\2", one.words, count=1))
    one = source.take(lambda words: re.search(r"\b(?:million|billion)\b", words))
    yield said(
        "scale", re.sub(r"\b(million|billion)\b", lambda m: "billion" if m[0] == "million" else "million", one.words)
    )
    one = source.take(lambda words: "$" in words)
    yield said("currency", one.words.replace("$", "\u20ac"))
    one = source.take(lambda words: re.search(r"\b(?:not|no)\b", words))
    yield said("negation dropped", " ".join(re.sub(r"\b(?:not|no)\b", "", one.words, count=1).split()))
    one = source.take(lambda words: re.search(r"\b(?:is|are|was|were|will|may)\b", words))
    yield said("negation added", re.sub(r"\b(is|are|was|were|will|may)\b", r"\1 not", one.words, count=1))
    one = source.take()
    parts = one.words.split()
    yield said("word changed", " ".join([*parts[:4], "quietly", *parts[5:]]))
    one = source.take()
    parts = one.words.split()
    yield said("words dropped", " ".join([*parts[:4], *parts[7:]]))
    one = source.take(lambda words: len({*words.split()[3:6]}) == 3)
    parts = one.words.split()
    yield said("order", " ".join([*parts[:3], parts[5], parts[4], parts[3], *parts[6:]]))
    one = source.take(lambda words: " and " in words)
    yield said("and for or", one.words.replace(" and ", " or ", 1))
    one, other = source.take(), source.take()
    yield said("splice", f"{head_of(one.words)} {tail_of(other.words)}")
    one = source.take(lambda words: re.search(r"[a-z]a[a-z]", words))
    yield said("homoglyph", re.sub(r"(?<=[a-z])a(?=[a-z])", "\u0430", one.words, count=1))
    one = source.take(lambda words: words.split()[4].isalpha())
    parts = one.words.split()
    yield said(
        "case",
        " ".join([*parts[:4], parts[4].upper() if parts[4].upper() != parts[4] else parts[4].lower(), *parts[5:]]),
    )
    first, last = sorted((source.take(source.is_own), source.take(source.is_own)), key=lambda one: one.at)
    far = f"{source.start_of(last.words)} [...] {source.end_of(first.words)}"
    yield "ellipsis backwards", f"It says \u201c{far}\u201d."
    one = source.take()
    parts = one.words.split()
    yield (
        "ellipsis hides a lie",
        f"It says \u201c{' '.join(parts[:5])} [...] {' '.join([*parts[-6:-1], 'gladly'])}\u201d.",
    )
    one = source.take()
    yield "wrong page", f"It says \u201c{one.words}\u201d (p. {source.wrong_page(one.page).number})."
    one = source.take()
    yield "wrong page of a block", f"> {one.words}\n\n(page {source.wrong_page(one.page).number})"
    yield "page past the end", f"See also page {len(source.document.pages) + 40}."
    one = source.take()
    yield "never closed", f"It says \u201c{one.words}"
    yield (
        "made up",
        "It says \u201cour auditors resigned in protest after the archivist of Ulm burnt every ledger\u201d (p. 2).",
    )


def head_of(words: str) -> str:
    """The first half of a sentence."""
    return _halves(words)[0]


def tail_of(words: str) -> str:
    """Its second half."""
    return _halves(words)[1]


def _halves(words: str) -> tuple[str, str]:
    parts = words.split()
    return " ".join(parts[: len(parts) // 2]), " ".join(parts[len(parts) // 2 :])


def _is_elision(words: str, first: int) -> bool:
    """Whether what stands between its first words and the last six may be left out of a sentence."""
    parts = words.split()
    head, middle, tail = (" ".join(part) for part in (parts[:first], parts[first:-6], parts[-6:]))
    return len(parts) > 14 and meaning_change(Gap(ellipsis=True), head, middle, tail) is None


def _other_digit(match: re.Match[str]) -> str:
    return str((int(match[0][0]) + 3) % 9 + 1) + match[0][1:]
