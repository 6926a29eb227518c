"""One pass over JSON (RFC 8259): where its members are, what points to them (RFC 6901), where it stops being JSON.

Its strings are read as they are meant. A text may be of any depth and size: nothing here recurses, and no number is
computed.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

STRING = r'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
"""A string (RFC 8259, section 7); line ends and other control characters may stand in it as they are."""

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
_VALUE, _FIRST, _NEXT, _END = range(4)
"""What may come: a value; the first or the next member of what is open, or its end; a comma, or the end."""


def write_out_escapes(text: str) -> str:
    """JSON with the characters that its escapes stand for: "Caf\\\\u00e9" reads "Café", "\\\\n" is the end of a line.

    Escapes stay where JSON needs them: of quotation marks, backslashes and control characters.
    """
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def read_string(written: str) -> str:
    """What a string of JSON says; `written` is with its quotation marks."""
    return str(json.loads(written, strict=False)) if "\\" in written else written[1:-1]


def break_lines(text: str) -> str:
    """JSON with the end of a line behind each comma between its values."""
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
        """The pointer to the member that is being read, without its middle if it is long."""
        pointer = f"{self.pointer}/{self.name if self.is_object else self.count}"
        if len(pointer) > _LONGEST_POINTER:
            return f"{pointer[: _LONGEST_POINTER // 2]}\u2026{pointer[-_LONGEST_POINTER // 4 :]}"
        return pointer


class JsonScan:
    """A pass over the value in a text. Afterwards `damage` is where it stops being JSON, None if nowhere.

    Below the depth `deepest`, if it is given, members are passed over: `too_deep` says that this could not be done.
    """

    def __init__(self, text: str, deepest: int | None = None) -> None:
        self.damage: int | None = None
        self.too_deep = False
        self.repeated: list[str] = []
        """Pointers to members whose name stood in the same object before."""
        self._text = text
        self._deepest = deepest
        self._at = 0
        self._open: list[_OpenContainer] = []
        self._awaited = _VALUE

    def members(self) -> Iterator[tuple[int, str]]:
        """The offset of each member of an object or array, at its name if it has one, and the pointer to it."""
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
        blanks = _BLANKS.match(self._text, self._at)
        self._at = blanks.end() if blanks else self._at
        if self._awaited != _END or self._open or self._at < len(self._text):
            self.damage = self._at

    def _take(self, kind: str, token: "re.Match[str]", inner: _OpenContainer | None, begins: bool) -> bool:
        """Go on behind a token; False if it may not stand here. `begins` says that a member may begin with it."""
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
        """Go on behind a whole object or array."""
        try:
            _, self._at = _DECODER.raw_decode(self._text, start)
        except RecursionError:
            self.too_deep = True
            return False
        except ValueError:
            return False
        return True


def is_json(text: str) -> bool:
    """Whether a text is one value of JSON that is not too deep for Python."""
    try:
        _, end = _DECODER.raw_decode(text, _start_of(text))
    except (ValueError, RecursionError, MemoryError):
        return False
    return not text[end:].strip(" \t\n\r")


def _start_of(text: str) -> int:
    blanks = _BLANKS.match(text)
    return blanks.end() if blanks else 0
