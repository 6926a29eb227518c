"""Finds the document that a memo names for a quotation: by its file name, or by its title.

A name counts in a citation (the brackets, line or footnote that says where the words are) or in the sentence that
quotes. It names a document if its words are in the file name or on the first page.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import PurePath

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import Quotation

# The characters at the beginning of a document that contain its title and year.
OPENING_CHARS = 4_000

# A document that has a word this often owns it; the name of a rival occurs less often.
OWN_WORD_COUNT = 10

_FILE = re.compile(r"(?i)(?<![\w/])[\w.()&-]*\w\.(?:pdf|docx?|html?|md|txt|rtf)\b")
_KIND = (
    r"(?:(?:[Ff]orm\s+)?(?:10-?[KQ]|8-?K|20-?F)|[Aa]nnual\s+[Rr]eport|[Qq]uarterly\s+[Rr]eport|Report|Agreement|Contract"
    r"|Lease|Prospectus|Deed|Licen[cs]e)"
)
_NAME = r"[A-Z][\w&.\u2019'-]*|(?:FY\s?)?(?:19|20)\d\d"
_TITLED = re.compile(
    rf"(?:(?:{_NAME})[,\s]+){{1,6}}{_KIND}\b(?:\s+(?:for\s+|of\s+)?(?:fiscal\s+)?(?:FY\s?)?(?:19|20)\d\d)?"
)
_SAYING = r"(?:says?|states?|provides?|reads?|requires?|notes?|calls?|puts?|reports?|discloses?)"
_FUNCTION_WORDS = "the a an see source from at on in form of for our its this and also cf under id per"
_PARTS = "page section item note exhibit company fiscal fy"
# Words of a citation that do not tell documents apart.
_SKIPPED = frozenset(f"{_FUNCTION_WORDS} {_PARTS}".split())


class DocumentNames:
    """The names of some documents, to compare with those in a memo."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._paths = [PurePath(document.path) for document in documents]
        self._texts = [document.text for document in documents]
        stems = [{key for key in _keys(path.stem) if len(key) > 3 and not key.isdigit()} for path in self._paths]
        counts = Counter(key for stem in stems for key in stem - _SKIPPED)
        self._own_stems = [sorted(key for key in stem if counts[key] == 1) for stem in stems]

    @cached_property
    def _words(self) -> list[str]:
        return [" ".join(_keys(text)) for text in self._texts]

    @cached_property
    def _openings(self) -> list[list[str]]:
        pairs = zip(self._paths, self._texts, strict=True)
        return [[*_keys(path.stem), *_keys(text[:OPENING_CHARS])] for path, text in pairs]

    def named(self, quotation: Quotation) -> tuple[str, frozenset[int]] | None:
        """The name that the memo gives to the quoted document, and the numbers of the documents that it may mean.

        None if the memo names no document. The set is empty if the name is that of another document.
        """
        sentence = quotation.sentence.replace(" ".join(quotation.words.split()), " ")
        for words, cited in ((quotation.citation, True), (sentence, False)):
            if name := _only_one(_FILE, words) or (_only_one(_TITLED, words) if cited else ""):
                return name, frozenset(at for at in range(len(self._paths)) if self._may_be_called(at, name))
            if named := self._by_stem(words, cited=cited):
                return named
        return None

    def _by_stem(self, words: str, *, cited: bool) -> tuple[str, frozenset[int]] | None:
        """The one document whose file name has a part that the words contain, if no other document's has it."""
        named = {
            at: key
            for at, keys in enumerate(self._own_stems)
            for key in keys
            if self._is_named(key, words, cited=cited)
        }
        if len(named) != 1 or len(self._paths) < 2:
            return None
        ((number, key),) = named.items()
        return key, frozenset((number,))

    def _is_named(self, key: str, words: str, *, cited: bool) -> bool:
        """Whether words, one or several in a row, spell a part of a file name.

        In a sentence, a word that also occurs in small letters must be who says something: "the lease says".
        """
        parts = _keys(words)
        runs = ("".join(parts[at : at + count]) for count in range(1, 5) for at in range(len(parts) - count + 1))
        if key not in runs:
            return False
        plain = re.compile(rf"(?<![\w./@-]){re.escape(key)}(?![\w/@-]|\.\w)")
        if cited or not any(map(plain.search, (words, *self._texts))):
            return True
        said = rf"(?i)\baccording\s+to\s+the\s+(?:\w+\s+)?{key}\b|\bthe\s+(?:\w+\s+)?{key}\s+(?:\w+\s+)?{_SAYING}\b"
        return re.search(said, words) is not None

    def _may_be_called(self, at: int, name: str) -> bool:
        """Whether a name is that of the file, or its words are on the first page, or are frequent in the text."""
        if _FILE.fullmatch(name):
            return name.casefold() == self._paths[at].name.casefold()
        if " ".join(_keys(name)) in self._words[at]:
            return True  # a part of the document, or a name that it uses
        known, joined = self._openings[at], "".join(self._openings[at])
        return all(
            key in known if key.isdigit() else key in joined or self._words[at].count(key) >= OWN_WORD_COUNT
            for key in _own_keys(name)
        )


def _only_one(pattern: re.Pattern[str], words: str) -> str:
    """The only thing that a pattern finds in the words; "" if it finds none or several."""
    found = {match[0] for match in pattern.finditer(words) if pattern is _FILE or _own_keys(match[0])}
    return found.pop() if len(found) == 1 else ""


def _own_keys(name: str) -> list[str]:
    """The words of a name that distinguish it from others of its kind."""
    return [key for key in _keys(re.sub(_KIND, " ", name)) if key not in _SKIPPED and len(key) > 1]


def _keys(text: str) -> list[str]:
    """The words of a text in lower case, without possessive endings."""
    return re.findall(r"[^\W_]+(?:&[^\W_]+)*", re.sub(r"['\u2019]s\b", "", text).casefold())
