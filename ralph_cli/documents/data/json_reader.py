"""JSON (RFC 8259), one value or one value per line (jsonl), as text in which each value has a place: "/items/3/name".

One pass finds the members, the pointers to them (RFC 6901), and the position where the text stops being JSON. The
text may have any depth and size: the pass does not recurse and computes no numbers.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

from ralph_cli.core.document import Caution
from ralph_cli.core.structure import NamedPlace
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import MOST_PLACES, ParsedDocument, bound_places, clean_place
from ralph_cli.documents.plain.reader import read_plain_text

_LINES_SUFFIXES = frozenset([".jsonl", ".ndjson"])
_LONGEST_LINE = 2_000
_MOST_NAMED = 5

# A string (RFC 8259, section 7); unescaped line ends and other control characters are allowed in it.
STRING = r'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'

_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\r\\n|\\(.)", re.DOTALL
)
_MEANT = {"n": "\n", "r": "\n", "t": "\t", "/": "/"}
_STRING_OR_COMMA = re.compile(rf"{STRING}|,[ \t]*+(?!\n)", re.DOTALL)

_TOKEN = re.compile(
    rf"[ \t\n\r]*+(?:(?P<name>{STRING})[ \t\n\r]*+:|(?P<scalar>{STRING}|(?:true|false|null|NaN|-?Infinity)\b"
    r"|-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?(?![\w.]))|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,))",
    re.DOTALL,
)
_BLANKS = re.compile(r"[ \t\n\r]*+")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)
_LONGEST_NAME, _LONGEST_POINTER = 200, 400
# What may follow: a value; the first or next member of the open container, or its end; a comma, or the end.
_VALUE, _FIRST, _NEXT, _END = range(4)


def write_out_escapes(text: str) -> str:
    r"""Return JSON with its escapes decoded: "Caf\u00e9" becomes "Café", and "\n" a line end.

    Escapes that JSON needs are kept: quotation marks, backslashes and control characters.
    """
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def read_string(written: str) -> str:
    """Return the value of a JSON string; `written` includes its quotation marks."""
    return str(json.loads(written, strict=False)) if "\\" in written else written[1:-1]


def break_lines(text: str) -> str:
    """Return JSON with a line end after each comma between its values."""
    return _STRING_OR_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else ",\n", text)


def _meant(found: "re.Match[str]") -> str:
    high, low, single, letter = found.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    if single:
        character = chr(int(single, 16))
        keep = character < " " or "\x7f" <= character <= "\x9f" or "\ud800" <= character <= "\udfff"
        return found[0] if keep or character in '"\\' else character
    return _MEANT.get(letter, found[0]) if letter else "\n"


@dataclass(slots=True)
class _OpenContainer:
    """An object or array that is being read."""

    pointer: str
    is_object: bool
    name: str = ""
    count: int = 0
    names: set[str] = field(default_factory=set)

    @property
    def member(self) -> str:
        """The pointer to the current member; a long one loses its middle."""
        pointer = f"{self.pointer}/{self.name if self.is_object else self.count}"
        if len(pointer) > _LONGEST_POINTER:
            return f"{pointer[: _LONGEST_POINTER // 2]}\u2026{pointer[-_LONGEST_POINTER // 4 :]}"
        return pointer


class JsonScan:
    """A pass over the value in a text; afterwards `damage` is the offset where it stops being JSON, None if nowhere.

    Members below the depth `deepest`, if given, are skipped; `too_deep` means that this failed.
    """

    def __init__(self, text: str, deepest: int | None = None) -> None:
        self.damage: int | None = None
        self.too_deep = False
        self.repeated: list[str] = []
        """Pointers to members whose name occurred in the same object before."""
        self._text = text
        self._deepest = deepest
        self._at = 0
        self._open: list[_OpenContainer] = []
        self._awaited = _VALUE

    def members(self) -> Iterator[tuple[int, str]]:
        """Yield the offset of each member of an object or array (of its name, if it has one) and the pointer to it."""
        match = _TOKEN.match
        while self._awaited != _END or self._open:
            token = match(self._text, self._at)
            if token is None:
                break
            kind = token.lastgroup or ""
            inner = self._open[-1] if self._open else None
            begins = inner is not None and (self._awaited == _FIRST or self._awaited == _NEXT)
            self._at = token.end()
            if not self._take(kind, token, inner, begins):
                self._at = token.start()
                break
            if begins and inner is not None and kind != "close":
                yield token.start(kind), inner.member
        self._at = _skip_blanks(self._text, self._at)
        if self._awaited != _END or self._open or self._at < len(self._text):
            self.damage = self._at

    def _take(self, kind: str, token: "re.Match[str]", inner: _OpenContainer | None, begins: bool) -> bool:
        """Process a token; return False if it is not allowed here. `begins` means that a member may begin with it."""
        if kind == "name":
            if not begins or inner is None or not inner.is_object:
                return False
            self._take_name(token["name"], inner)
        elif kind == "comma":
            if inner is None or self._awaited != _END:
                return False
            inner.count += 1
            self._awaited = _NEXT
        elif kind == "close":
            if inner is None or self._awaited not in (_FIRST, _END) or inner.is_object != (token["close"] == "}"):
                return False
            self._open.pop()
            self._awaited = _END
        elif self._awaited != _VALUE and (not begins or inner is None or inner.is_object):
            return False
        elif kind == "open" and len(self._open) != self._deepest:
            self._open.append(_OpenContainer(inner.member if inner else "", token["open"] == "{"))
            self._awaited = _FIRST
        else:
            self._awaited = _END
            return kind != "open" or self._pass_over(token.start("open"))
        return True

    def _take_name(self, found: str, inner: _OpenContainer) -> None:
        inner.name = read_string(found)[:_LONGEST_NAME].replace("~", "~0").replace("/", "~1")
        if found in inner.names:
            self.repeated.append(inner.member)
        inner.names.add(found)
        self._awaited = _VALUE

    def _pass_over(self, start: int) -> bool:
        """Skip a whole object or array."""
        try:
            _, self._at = _DECODER.raw_decode(self._text, start)
        except RecursionError:
            self.too_deep = True
            return False
        except ValueError:
            return False
        return True


def is_json(text: str) -> bool:
    """Whether a text is one JSON value that is not too deep for Python."""
    try:
        _, end = _DECODER.raw_decode(text, _skip_blanks(text, 0))
    except (ValueError, RecursionError, MemoryError):
        return False
    return _skip_blanks(text, end) == len(text)


def _skip_blanks(text: str, at: int) -> int:
    """Return the offset after the blanks at `at`."""
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def parse_json(data: bytes, *, name: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Return JSON unchanged, except that escaped letters in its strings are decoded; call it in a child process.

    A text with very long lines gets a line for each value. Invalid JSON is kept unchanged, and a caution says where
    it begins. Raises DocumentError as `read_plain_text` does.
    """
    text, cautions = read_plain_text(data, name=name, encoding=encoding, limits=limits)
    text = text.replace("\f", " ")
    by_line = PurePath(name).suffix.lower() in _LINES_SUFFIXES or _is_value_per_line(text)
    deepest = _deepest_place(text, by_line)
    layout = _JsonLayout(deepest)
    if by_line:
        layout.read_lines(text)
    else:
        layout.read_value(text)
    places, unnamed = bound_places(layout.places)
    found = [*cautions, *layout.cautions()]
    if unnamed or deepest is not None:
        found.append(Caution("places-dropped", f"so many values that places are those of whole records{unnamed}"))
    return plain_document([layout.text], found, places=places)


class _JsonLayout:
    """The text as it is shown, and the places in it."""

    def __init__(self, deepest: int | None) -> None:
        """Members below the depth `deepest` have no places of their own."""
        self.text = ""
        self.places: list[NamedPlace] = []
        self._deepest = deepest
        self._damage = ""
        self._repeated: list[str] = []

    def read_value(self, text: str) -> None:
        """Lay out one value."""
        self.text = write_out_escapes(text)
        if any(len(line) > _LONGEST_LINE for line in self.text.split("\n")) and is_json(self.text):
            self.text = break_lines(self.text)
        scan = self._scan(self.text, 0, "")
        if scan.damage is not None:
            line = self.text.count("\n", 0, scan.damage) + 1
            column = scan.damage - self.text.rfind("\n", 0, scan.damage)
            what = "nested too deeply" if scan.too_deep else "no valid JSON"
            self._damage = f"{what} from line {line:,}, column {column:,}"
            self.places.append(NamedPlace(scan.damage, f"line {line} or behind it, where it is {what}"))

    def read_lines(self, text: str) -> None:
        """Lay out one value per line."""
        shown: list[str] = []
        at = broken = 0
        for number, line in enumerate(text.split("\n"), 1):
            written = write_out_escapes(line)
            if len(written) > _LONGEST_LINE and is_json(written):
                written = break_lines(written)
            if written.strip():
                self._add_place(at, f"line {number}")
                count = len(self.places)
                if self._scan(written, at, f"line {number}, ").damage is not None:
                    broken += 1
                    self._damage = self._damage or f"no valid JSON in line {number:,}"
                    del self.places[count:]
            shown.append(written)
            at += len(written) + 1
        self._damage += f" and {broken - 1:,} more" if broken > 1 else ""
        self.text = "\n".join(shown)

    def cautions(self) -> Iterator[Caution]:
        """Yield cautions about faults of the text as JSON."""
        if self._damage:
            yield Caution("incomplete", f"{self._damage}: the file may be cut off or damaged")
        if self._repeated:
            named = ", ".join(clean_place(pointer) for pointer in self._repeated[:_MOST_NAMED])
            more = len(self._repeated) - _MOST_NAMED
            what = f"names that stand twice in one object, of which programs read only one: {named}"
            yield Caution("repeated-names", f"{what} and {more:,} more" if more > 0 else what)

    def _scan(self, text: str, start: int, before: str) -> JsonScan:
        scan = JsonScan(text, self._deepest)
        for at, pointer in scan.members():
            self._add_place(start + at, f"{before}{pointer}")
        self._repeated += scan.repeated
        return scan

    def _add_place(self, at: int, name: str) -> None:
        if len(self.places) <= MOST_PLACES:
            self.places.append(NamedPlace(at, clean_place(name)))


def _deepest_place(text: str, by_line: bool) -> int | None:
    """Return the greatest depth of members with places: None for all; with too many values, that of records."""
    if sum(map(text.count, ",[{")) <= MOST_PLACES:
        return None
    return 0 if by_line else 1 if text.lstrip(" \t\n")[:1] == "[" else 2


def _is_value_per_line(text: str) -> bool:
    """Whether the first line is a complete value and more text follows."""
    first, _, rest = text.lstrip("\n").partition("\n")
    return bool(rest.strip()) and first.strip()[:1] in ("{", "[") and is_json(first)
