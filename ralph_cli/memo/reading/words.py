"""The words of a quotation, without Markdown's marks and without the attribution of a block."""

import html
import re
from collections.abc import Iterator
from itertools import product

from ralph_cli.memo.reading.page_references import find_references, has_reference
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.sentences import sentence_at

# Up to this many words between marks may merely name something, unless they have an amount or a page.
MAX_TERM_WORDS = 3

# A word of up to this many letters may be in small letters within a heading: "and", "of the".
MAX_SMALL_LETTERS = 3

# Up to this many words divided at line ends are read in both ways; of more, all or none are joined.
MAX_DIVIDED = 4

_DIVIDED = re.compile("(?<=[^\\W\\d_])[-\u2010][ \\t]*(?:\\r?\\n|\\f)[ \\t>]*(?=[^\\W\\d_])")
_PREFIX = re.compile(r"^[ \t]{0,3}(?:[-*+][ \t]+)?(?:>[ \t]?)+", re.MULTILINE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_FOOTNOTE = re.compile(r"\[\^[\w-]+\]")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~|`+)")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~$-])")
_AMOUNT = re.compile(r"[$\u20ac\u00a3\u00a5%]|\d[.,]\d")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
_DASH_LINE = re.compile(r"\n\s*(?:\u2014|\u2013|--)\s*\S[^\n]*\Z")
_BRACKETED_END = re.compile(r"[(\[][^()\[\]]{0,120}[)\]][\s.]*\Z")
_DASHED_END = re.compile(r"(?:\u2014|\u2013|--|\s-)[^\n\u2014\u2013]{0,120}\Z")


def strip_markup(text: str, kind: str) -> str:
    """The words on one line, without emphasis, escapes and footnote marks, which are the memo's own."""
    text = text.replace("\u00ad", "")  # a soft hyphen is no character of the word
    if kind in ("markdown", "text"):
        text = _EMPHASIS.sub("", _FOOTNOTE.sub("", _LINK.sub(r"\1", text)))
    if kind == "markdown":
        text = html.unescape(_BREAK.sub(" ", _ESCAPE.sub(r"\1", text)))
    return " ".join(text.split())


def readings_of_hyphens(text: str) -> Iterator[str]:
    """The text with each word that a hyphen divides at a line's end joined, or with the hyphen; joined first."""
    parts = _DIVIDED.split(text)
    count = len(parts) - 1
    joints = product(("", "-"), repeat=count) if count <= MAX_DIVIDED else (("",) * count, ("-",) * count)
    for marks in joints:
        yield "".join(part + mark for part, mark in zip(parts, (*marks, ""), strict=True))


def strip_quote_prefix(text: str) -> str:
    """The lines of a typed block quotation without their ">"."""
    return _PREFIX.sub("", text)


def strip_attribution(text: str) -> str:
    """A block quotation without the lines or brackets at its end that only give its source."""
    text = _DASH_LINE.sub("", text)
    for pattern in (_BRACKETED_END, _DASHED_END):
        match = pattern.search(text)
        if match and has_reference(match[0]):
            return text[: match.start()].rstrip()
    last = text.rpartition("\n")[2]
    found = list(find_references(last))
    if found and not last[: found[0].start].strip(" \t*_") and not last[found[-1].end :].strip(" \t.*_"):
        return text[: len(text) - len(last)].rstrip()
    return text.rstrip()


def count_words(words: str) -> int:
    """The number of words; in scripts without spaces two characters count as one."""
    unspaced = len(_UNSPACED.findall(words))
    return unspaced // 2 + sum(any(map(str.isalnum, _UNSPACED.sub("", word))) for word in words.split())


def is_title(words: str) -> bool:
    """Whether words look like a heading: several words, and all of more than three letters with a capital."""
    long = [word for word in re.findall(r"[^\W\d_]+", words) if len(word) > MAX_SMALL_LETTERS]
    return len(long) > 1 and all(word[0].isupper() for word in long)


def is_term(words: str) -> bool:
    """Whether the words are so few that they may merely name something."""
    return count_words(words) <= MAX_TERM_WORDS and not _AMOUNT.search(words)


# The words from which a phrase behind a verb of saying is a quotation; one word is too often a name.
MIN_WORDS = 2

# The characters before a phrase in which its verb may be.
_MAX_CHARS_BEFORE = 200

# The most words between the verb and the phrase.
_MAX_WORDS_BETWEEN = 8

_SAYS = (
    r"(?:says?|said|saying|states|stated|stating|provides|provided|providing|reads|writes?|wrote|written|according\s+to"
    r"|declares?|declared|confirms?|confirmed|acknowledges?|acknowledged|admits?|admitted|warns?|warned|quotes?|quoted)\b"
)
_VERB = re.compile(rf"(?i)\b{_SAYS}")
_VERB_BEHIND = re.compile(rf"(?i)[.*_]*,?\s+(?:\w+\s+){{0,3}}?{_SAYS}")
# Words before a name: the "Base Rate" is no quotation, even behind a verb of saying.
_BEFORE_NAME = re.compile(
    r"(?i)\b(?:the|an?|this|these|those|such|its|their|our|your|his|her|any|each|no|so-called|called|terms?|words?"
    r"|phrase|defined\s+as|known\s+as)[\s(*_]*\Z"
)


def is_attributed(text: str, start: int, end: int) -> bool:
    """Whether a verb of saying introduces the phrase at text[start:end], or follows it behind a comma."""
    # Only the sentence's beginning is wanted.
    low, _ = sentence_at(text, start, end, max(start - _MAX_CHARS_BEFORE, 0), start)
    before = text[low:start]
    if _BEFORE_NAME.search(before):
        return False
    # The comma is before the closing mark ("thus," he said) or behind it ("thus", he said).
    if "," in text[end - 2 : end + 1] and _VERB_BEHIND.match(text, end):
        return True
    verbs = list(_VERB.finditer(before))
    return bool(verbs) and len(before[verbs[-1].end() :].split()) <= _MAX_WORDS_BETWEEN


# The number of a list's item, of a heading or of a footnote.
_LISTED = re.compile(
    r"(?m)^[ \t>]*[(\[]?\d{1,3}(?:\.\d{1,3})*[.)\]](?=\s)|^[ \t>]*\d{1,3}(?:\.\d{1,3})+(?=\s+[A-Z(]|\s*\Z)"
    r"|^[ \t>]*#{1,6}[ \t]+\d{1,3}(?:\.\d{1,3})*\b|\[\^?\d{1,3}\]"
)


def names_a_time_or_part(text: str) -> bool:
    """Whether a text has a date, a year or the number of a part of a document."""
    return any(not found.is_measured for found in read_quantities(text, "prose"))


def stated_figures(text: str) -> Iterator[Quantity]:
    """The figures of a text that say how much or how many; in words only from two."""
    listed = [match.span() for match in _LISTED.finditer(text)]
    for found in read_quantities(text, "prose"):
        is_named = not found.is_measured or any(start <= found.start < end for start, end in listed)
        is_one = found.value < 2 and not any(map(str.isdigit, found.text))  # "one" is also a pronoun
        if not is_named and not is_one:
            yield found
