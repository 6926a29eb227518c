"""Strings of JSON as they are meant, and JSON on one endless line with a line for each value.

What comes out is still JSON, with the same values.
"""

import json

from ralph_cli.core.deferred import re

STRING = r'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
"""A string (RFC 8259, section 7); line ends and other control characters may stand in it as they are."""

_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\r\\n|\\(.)", re.DOTALL
)
_MEANT = {"n": "\n", "r": "\n", "t": "\t", "/": "/"}
_STRING_OR_COMMA = re.compile(rf"{STRING}|,[ \t]*+(?!\n)", re.DOTALL)


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
