"""Which document a memo names for a quotation: by the name of its file, or by what it is called.

A name counts where the memo cites: in the brackets, the line or the footnote that says where the words stand, or in the
sentence that carries them. It names a document if its words stand in that one's file name or on its first page.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import Quotation

OPENING_CHARS = 4_000
"""Characters at the beginning of a document that say what it is called, and of which year."""

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
_SKIPPED = frozenset(f"{_FUNCTION_WORDS} {_PARTS}".split())
"""Words of a citation that tell no document from another."""


def named_documents(quotation: Quotation, documents: Sequence[Document]) -> tuple[str, frozenset[int]] | None:
    """What the memo calls the document that it quotes, and which of the documents may be meant; None if it names none.

    The set is empty if it names another one than any of those.
    """
    sentence = quotation.sentence.replace(" ".join(quotation.words.split()), " ")
    for words in (quotation.citation, sentence):
        cited = words is quotation.citation
        if name := _only_one(_FILE, words) or (_only_one(_TITLED, words) if cited else ""):
            return name, frozenset(at for at, document in enumerate(documents) if _may_be_called(document, name))
        if named := _known_name(words, documents, cited=cited):
            return named
    return None


def _only_one(pattern: re.Pattern[str], words: str) -> str:
    """What a pattern finds in the words, if that is one thing; "" if it is none or several."""
    found = {match[0] for match in pattern.finditer(words) if pattern is _FILE or _own_keys(match[0])}
    return found.pop() if len(found) == 1 else ""


def _known_name(words: str, documents: Sequence[Document], *, cited: bool) -> tuple[str, frozenset[int]] | None:
    """The document of which the words have a part of the file's name that no other one's has."""
    stems = [
        {key for key in _keys(PurePath(item.path).stem) if len(key) > 3 and not key.isdigit()} for item in documents
    ]
    named: dict[int, str] = {}
    for number, keys in enumerate(stems):
        others = {key for at, other in enumerate(stems) if at != number for key in other}
        own = next((key for key in sorted(keys - others - _SKIPPED) if _is_named(key, words, cited=cited)), None)
        if own is not None:
            named[number] = own
    return (next(iter(named.values())), frozenset(named)) if len(named) == 1 < len(documents) else None


def _is_named(key: str, words: str, *, cited: bool) -> bool:
    """Whether words, one or some in a row, write a key of a file's name; in a sentence as a name or as who says it."""
    parts = re.findall(r"[^\W_]+", re.sub(r"['\u2019]s\b", "", words))
    runs = (parts[at : at + count] for count in range(1, 5) for at in range(len(parts) - count + 1))
    written = [run for run in runs if "".join(run).casefold() == key]
    if cited or any(run[0][0].isupper() for run in written):
        return bool(written)
    said = rf"(?i)\baccording\s+to\s+the\s+(?:\w+\s+)?{key}\b|\bthe\s+(?:\w+\s+)?{key}\s+(?:\w+\s+)?{_SAYING}\b"
    return bool(written) and re.search(said, words) is not None


def _may_be_called(document: Document, name: str) -> bool:
    """Whether a name is that of a document's file, or of what its first page or any place of it calls so."""
    path = PurePath(document.path)
    if _FILE.fullmatch(name):
        return name.casefold() == path.name.casefold()
    if " ".join(_keys(name)) in " ".join(_keys(document.text)):
        return True  # a part of it, or what it is called somewhere
    known = [*_keys(path.stem), *_keys(document.text[:OPENING_CHARS])]
    joined = "".join(known)
    return all(key in known if key.isdigit() else key in joined for key in _own_keys(name))


def _own_keys(name: str) -> list[str]:
    """The words of a name that tell it from others of its kind."""
    return [key for key in _keys(re.sub(_KIND, " ", name)) if key not in _SKIPPED and len(key) > 1]


def _keys(text: str) -> list[str]:
    """The words of a text in lower case, without what says whose something is."""
    return re.findall(r"[^\W_]+(?:&[^\W_]+)*", re.sub(r"['\u2019]s\b", "", text).casefold())
