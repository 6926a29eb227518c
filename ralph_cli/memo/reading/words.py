"""The words of a quotation, without what Markdown adds to them and without what is said beside a block of them."""

import html
from collections.abc import Iterator
from itertools import product

from ralph_cli.core.deferred import re
from ralph_cli.memo.reading.page_references import find_references, has_reference

MAX_TERM_WORDS = 3
"""Up to this many words between marks may merely name something, unless they have an amount or a page with them."""

MAX_SMALL_LETTERS = 3
"""A word of so many letters may be small in a heading, too: "and", "of the"."""

MAX_DIVIDED = 4
"""Words divided at line ends of which each is read in both ways; of more all are, or none is, closed up."""

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
    """The words on one line, as they are meant to be read: emphasis, escapes and footnote marks are the memo's own."""
    text = text.replace("\u00ad", "")  # where a word may be divided, not a character of it
    if kind in ("markdown", "text"):
        text = _EMPHASIS.sub("", _FOOTNOTE.sub("", _LINK.sub(r"\1", text)))
    if kind == "markdown":
        text = html.unescape(_BREAK.sub(" ", _ESCAPE.sub(r"\1", text)))
    return " ".join(text.split())


def readings_of_hyphens(text: str) -> Iterator[str]:
    """The text with each word that a hyphen divides at a line's end closed up, or with the hyphen; closed up first."""
    parts = _DIVIDED.split(text)
    count = len(parts) - 1
    joints = product(("", "-"), repeat=count) if count <= MAX_DIVIDED else (("",) * count, ("-",) * count)
    for marks in joints:
        yield "".join(part + mark for part, mark in zip(parts, (*marks, ""), strict=True))


def strip_quote_prefix(text: str) -> str:
    """The lines of a typed block quotation without their ">"."""
    return _PREFIX.sub("", text)


def strip_attribution(text: str) -> str:
    """A block quotation without the lines or brackets at its end that only say where it stands."""
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
    """How many words; in scripts without spaces two characters count as one."""
    unspaced = len(_UNSPACED.findall(words))
    return unspaced // 2 + sum(any(map(str.isalnum, _UNSPACED.sub("", word))) for word in words.split())


def is_title(words: str) -> bool:
    """Whether words are written as a heading is: all of more than three letters with a capital, and several of them."""
    long = [word for word in re.findall(r"[^\W\d_]+", words) if len(word) > MAX_SMALL_LETTERS]
    return len(long) > 1 and all(word[0].isupper() for word in long)


def is_term(words: str) -> bool:
    """Whether the words are so few that they may merely name something."""
    return count_words(words) <= MAX_TERM_WORDS and not _AMOUNT.search(words)
