"""The numbered parts of a document: which part contains a passage, and which parts a text names. Pure.

A number at the beginning of a line numbers a part if it continues the numbers before it: 7.2 after 7.1, 8 after 7.2,
(b) after (a). So a figure at the end of a broken sentence or in a table row is not the number of a part.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ralph_cli.core.structure import PAGE_BREAK, Clause, Heading, NamedPlace
from ralph_cli.documents.structure.lines import LONGEST_HEADING, heading_level
from ralph_cli.text.lexicon import FOREIGN_PARTS, any_of

MOST_CHARACTERS = 5_000_000
# The most that a number may exceed the previous one: parts are deleted, or missing in an extract.
MOST_LEFT_OUT = 3

_SERIES, _LONGEST_RANGE, _TITLE = 4, 30, 24
# Words that name a numbered part of any document; "Schedule 4" and "Annex 2" are parts of their own beside those.
_PARTS = (
    r"(?i:(?:sub-?)?(?:sections?|clauses?|paragraphs?|articles?)|notes?|items?|points?|paras?|arts?|secs?|cls?|ziff"
    rf"|(?<![.'\u2019])ss?(?=\.[ \u00a0]?\d)|{any_of(FOREIGN_PARTS)})"
)

_COUNTED = """
    abs absatz abs\u00e4tze nr nummer paragraph paragraphs para paras subparagraph sub-paragraph subsection sub-section
    subclause sub-clause point points number no lid comma commi al alin\u00e9a alin\u00e9as apartado apartados
    p\u00e1rrafo par\u00e1grafo ust pkt
"""
_LETTERED = "lit buchstabe letter letra lettera lettre"
# Words that name a part within the one that is named before them: "Article 6, paragraph 1, lit. f".
_WITHIN = (
    rf"(?i:(?:{any_of(_COUNTED.split())})\b\.?[ \u00a0]*(?=\d|\([a-z])|"
    rf"(?:{any_of(_LETTERED.split())})\b\.?[ \u00a0]*(?=\(?[a-z]\b))"
)

_LETTER = r"\((?:[a-z]{1,2}|[ivx]{3,5}|\d{1,2})\)"
_DECIMAL = r"\d{1,3}(?:\.\d{1,3})*"
_LINE = re.compile(
    r"(?m)^[ \t]*(?:#{1,6}[ \t]+)?(?:"
    rf"(?:(?P<sign>\u00a7+)[ \u00a0]?|(?P<word>[A-Z][A-Za-z]{{2,}})[ \u00a0]+)?"
    rf"(?P<number>{_DECIMAL}|(?<=[ \u00a0])[IVXLC]+\b)(?P<stop>[.):]?)|(?P<letter>{_LETTER}|[a-z]\)))"
    r"(?=[ \t\u00a0:\u2013\u2014-]*(?:\n|\Z|[\u201c\"'\u2018(]?(?P<first>[^\W\d_])))"
)
_AND, _TO = "and or und oder et ou y e o", "to through bis \u00e0 al t/m"
_JOINT = (
    rf"\s*(?:,\s*(?:(?:{any_of(_AND.split())})\b)?|;|(?:{any_of(_AND.split())})\b|&|(?:{any_of(_TO.split())})\b"
    r"|[\u2013-])\s*"
)
_NUMBER = rf"(?:{_DECIMAL}|[IVXLC]+\b)"
_ONE = rf"{_NUMBER}(?:[ \u00a0]?{_LETTER})*"
_ONE_IN_ONE = rf"{_NUMBER}(?:[ \u00a0]?{_LETTER}|,?[ \u00a0]+{_WITHIN}\(?(?:[a-z]|\d{{1,2}})\b\)?)*"
_PART_WITHIN = re.compile(rf",?[ \u00a0]+{_WITHIN}\(?([a-z]|\d{{1,2}})\b\)?")
_NAMED = re.compile(
    rf"(?:(?:\u00a7+|\b{_PARTS}\b\.?)[\s\u00a0]*(?<=\W)(?P<list>{_ONE_IN_ONE}(?:{_JOINT}{_ONE_IN_ONE})*)"
    rf"|\b(?P<word>[A-Z][a-z]{{2,}}|[A-Z]{{3,}})[\s\u00a0]+(?P<numbers>{_ONE}(?:{_JOINT}{_ONE})*))(?!\d)"
)
# The beginning of a number that may be that of a part; a text without one names no part, and is read faster.
_NUMBERED = re.compile(r"[\dIVXLC](?<=[\s.\u00a7].)(?:(?<=\d)|[IVXLC]*\b)")

_IN_LIST = re.compile(rf"(?P<joint>{_JOINT})?(?P<one>{_ONE_IN_ONE})")
_TOKEN = re.compile(rf"{_LETTER}|{_DECIMAL}|[IVXLC]+")
_IS_PART = re.compile(_PARTS)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


_Path = tuple[int, ...]


@dataclass(slots=True)
class _Series:
    """Numbers that continue each other, with `path` as the last; `is_list` is true if they count items within a
    part.
    """

    path: _Path
    is_list: bool


@dataclass(slots=True)
class _Reading:
    """The state of reading a document's numbers."""

    text: str
    found: list[Clause] = field(default_factory=list)
    series: list[_Series] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    titles: set[tuple[_Path, str]] = field(default_factory=set)
    level: int = 99

    @property
    def open(self) -> bool:
        """Whether the text at this point belongs to a numbered part."""
        return bool(self.found and self.found[-1].key)

    def close(self, at: int) -> None:
        """End the part at a heading without a number."""
        if self.open:
            self.found.append(Clause(at, "", ""))

    def read_line(self, match: re.Match[str], known: int | None) -> None:
        """Read a line that begins with a number or letter.

        `known` is its level if the document lists it as a heading.
        """
        if match["letter"]:
            self._read_letter(match)
            return
        at = match.start("word") if match["word"] else match.start("sign") if match["sign"] else match.start("number")
        line = self.text[at : at + LONGEST_HEADING + 1].partition("\n")[0]
        is_heading = known is not None or (len(line) <= LONGEST_HEADING and heading_level(line.strip()) > 0)
        word = match["word"] or ""
        if word and not _IS_PART.fullmatch(word):
            if is_heading:
                name = f"{word} {match['number']}"
                self._add(Clause(at, name.casefold(), name), known)
            return
        title = "".join(re.findall(r"[^\W\d_]", line[match.end("number") - at :].casefold())[:_TITLE])
        if self._counts(match, title, is_heading, known):
            path = _to_path(match["number"])
            noun = word or ("\u00a7" if match["sign"] else "clause")
            name = f"{noun} {match['number']}"
            self._add(Clause(at, ".".join(map(str, path)), name), known if is_heading else None)

    def _counts(self, match: re.Match[str], words: str, is_heading: bool, known: int | None) -> bool:
        """Whether a number with these words belongs to a series of parts."""
        path = _to_path(match["number"])
        is_marked = bool(match["stop"] or match["word"] or match["sign"])
        is_sentence = (match["first"] or "A").isupper()
        if len(path) == 1 and not is_heading and not (is_marked and is_sentence):
            return False
        may_leap = is_marked or is_sentence
        series = self._continue(path, is_heading, may_leap)
        if series is None and may_leap:
            series = self._begin(path, (path, words), known, is_heading and is_marked)
        self.titles.add((path, words))
        return series is not None and not series.is_list

    def _add(self, clause: Clause, level: int | None) -> None:
        self.found.append(clause)
        self.letters.clear()
        if level is not None:
            self.level = level

    def _continue(self, path: _Path, is_heading: bool, may_leap: bool) -> _Series | None:
        """Return the latest series that the number continues. If it `may_leap`, 5.1 or 6 may follow 4."""
        for series in reversed(self.series):
            if _follows(series.path, path, may_leap) and not (series.is_list and is_heading):
                series.path = path
                self.series.remove(series)
                self.series.append(series)
                return series
        return None

    def _begin(self, path: _Path, title: tuple[_Path, str], known: int | None, is_sure: bool) -> _Series | None:
        """Begin a series: the document's first, one that starts with 1, or the text after a table of contents."""
        if path[-1] != 1 and (self.series or not is_sure):
            return None
        is_list = self.open and len(path) == 1 and known is None and title not in self.titles
        self.series = [*self.series[-_SERIES:], _Series(path, is_list)]
        return self.series[-1]

    def _read_letter(self, match: re.Match[str]) -> None:
        """Read (b) after (a) in a paragraph of a numbered part, or (a) as its first letter."""
        if not self.open:
            return
        at, letter = match.start("letter"), match["letter"].strip("()")
        base = next(clause for clause in reversed(self.found) if "(" not in clause.key)
        depth = next((n for n, other in enumerate(self.letters) if _next_letter(other, letter)), -1)
        if depth >= 0:
            self.letters[depth:] = [letter]
        elif letter in ("a", "i", "1") and letter not in self.letters:
            self.letters.append(letter)
        else:
            return
        tail = "".join(f"({one})" for one in self.letters)
        self.found.append(Clause(at, base.key + tail, base.name + tail))


def find_clauses(text: str, headings: Sequence[Heading] = ()) -> list[Clause]:
    """Return the numbered parts of a text in order. A heading of `headings` may end a part.

    A text of more than five million characters gives no parts: it is not a contract, and the search would take long.
    """
    if len(text) > MOST_CHARACTERS:
        return []
    text = text.replace(PAGE_BREAK, "\n")
    reading = _Reading(text)
    levels = {_line_start(text, it.start): it.level for it in headings}
    lines = {match.start(): match for match in _LINE.finditer(text)}
    for at in sorted(lines.keys() | levels.keys()):
        if at in lines:
            reading.read_line(lines[at], levels.get(at))
        elif levels[at] <= reading.level:
            reading.close(at)
    return reading.found


def clause_at(clauses: Sequence[Clause], offset: int, text: str) -> Clause | None:
    """Return the numbered part with the character at `offset`. A part with a letter ends with its paragraph."""
    at = bisect_right(clauses, offset, key=lambda clause: clause.start) - 1
    while at >= 0 and "(" in clauses[at].key and "\n\n" in text[clauses[at].start : offset]:
        at -= 1
    return clauses[at] if at >= 0 and clauses[at].key else None


def clause_places(text: str, clauses: Sequence[Clause]) -> Iterator[NamedPlace]:
    """Yield the numbered parts as places, in order. A place without a name marks the end of the part before it."""
    base = ""
    for clause, behind in zip(clauses, [*(it.start for it in clauses[1:]), len(text)], strict=False):
        yield NamedPlace(clause.start, clause.name)
        if "(" not in clause.key:
            base = clause.name
        elif 0 <= (end := text.find("\n\n", clause.start, behind)) < behind - 2:
            yield NamedPlace(end + 2, base)


def named_clauses(text: str) -> frozenset[str]:
    """Return the keys of the parts that a text names.

    "clauses 4 and 7(a)" gives 4, 7(a), and 7( for a part within 7.
    """
    found: set[str] = set()
    for match in _NAMED.finditer(text) if _NUMBERED.search(text) else ():
        word = f"{match['word'].casefold()} " if match["word"] else ""
        last: _Path = ()
        outer = ""
        for one in _IN_LIST.finditer(match["list"] or match["numbers"]):
            written, within = _PART_WITHIN.subn(r"(\1)", one["one"])
            number, *letters = _TOKEN.findall(written)
            if outer and number.isdigit() and not letters:  # "Article 28, paragraphs 3 and 4"
                found.add(f"{outer}({number})")
                continue
            path = _to_path(number)
            joint = (one["joint"] or "").strip()
            if joint in (*_TO.split(), "-", "\u2013") and len(path) == len(last) and path[:-1] == last[:-1]:
                between = range(last[-1] + 1, min(path[-1], last[-1] + _LONGEST_RANGE))
                found |= {word + ".".join(map(str, (*path[:-1], value))) for value in between}
            key = word + ".".join(map(str, path))
            outer = ""
            for letter in letters:
                found.add(f"{key}(")
                outer = key if within else ""
                key += letter
            found.add(key)
            last = path
    return frozenset(found)


def above(key: str) -> Iterator[str]:
    """Yield the keys of the parts that contain a part, the innermost first: for 7.1(a) these are 7.1 and 7."""
    while "(" in key or "." in key:
        key = key[: key.rindex("(" if "(" in key else ".")]
        yield key


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _to_path(number: str) -> _Path:
    """Return the numbers of "7.2" or "XIV"."""
    if number[0].isdigit():
        return tuple(map(int, number.split(".")))
    values = [_ROMAN[sign] for sign in number]
    behind = [*values[1:], 0]
    return (sum(-value if value < after else value for value, after in zip(values, behind, strict=True)),)


def _follows(last: _Path, path: _Path, may_leap: bool) -> bool:
    """Whether a number continues the last one: its first part (7.1 after 7), or the next at its level or a
    higher one.
    """
    most = MOST_LEFT_OUT if may_leap else 1
    if path[:-1] == last:
        return path[-1] <= most
    depth = next((n for n, (a, b) in enumerate(zip(last, path, strict=False)) if a != b), len(path))
    if depth >= min(len(last), len(path)) or not 0 < path[depth] - last[depth] <= most:
        return False
    return path[depth + 1 :] in (((), (0,), (1,)) if may_leap else ((),))


def _next_letter(last: str, letter: str) -> bool:
    """Whether `letter` follows `last`: (b) after (a), (iii) after (ii), or (3) after (2)."""
    if last.isdigit() or letter.isdigit():
        return last.isdigit() and letter.isdigit() and int(letter) == int(last) + 1
    small = [_to_path(one.upper())[0] if set(one) <= set("ivx") else 0 for one in (last, letter)]
    if 0 not in small and small[1] == small[0] + 1:
        return True
    return len(last) == len(letter) == 1 and ord(letter) == ord(last) + 1
