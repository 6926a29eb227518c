"""A font made here that draws a box for every letter: it stands in for a font that this machine does not have."""

import struct
import unicodedata
from functools import cache

_UNITS = 1_000
_LEFT, _RIGHT, _TOP, _STROKE = 60, 500, 720, 120
# As wide as the digits and most letters of Helvetica.
_ADVANCE, _ASCENT, _DESCENT = 556, 880, 120

# Glyphs; the first of a font, 0, stands for those that it does not have.
_BOX, _BLANK = 1, 2

# Unicode's categories of what is not drawn, or by no agreed shape: spaces, controls, private use.
_UNSEEN = "CZ"


@cache
def box_font() -> bytes:
    """A TrueType font that has a box for all that Unicode says is drawn, and blanks for the rest."""
    across, up, stroke = _RIGHT - _LEFT, _TOP, _STROKE
    # Steps from corner to corner: around the outside one way, around the inside the other.
    xs = (_LEFT, 0, across, 0, stroke - across, across - 2 * stroke, 0, 2 * stroke - across)
    ys = (0, up, 0, -up, stroke, 0, up - 2 * stroke, 0)
    box = struct.pack(">5h3H8B16h", 2, _LEFT, 0, _RIGHT, _TOP, 3, 7, 0, *[1] * 8, *xs, *ys)
    bounds = struct.pack(">4h", _LEFT, 0, _RIGHT, _TOP)
    return _pack(
        {
            b"cmap": struct.pack(">4HI", 0, 1, 3, 10, 12) + _character_map(),
            b"glyf": box,
            b"head": struct.pack(">4I2H2Q", 1 << 16, 1 << 16, 0, 0x5F0F3CF5, 0, _UNITS, 0, 0)
            + bounds
            + struct.pack(">2H3h", 0, 8, 2, 1, 0),
            b"hhea": struct.pack(">I3hH11hH", 1 << 16, _ASCENT, -_DESCENT, 0, _ADVANCE, 0, 0, _RIGHT, 1, *[0] * 7, 1),
            b"hmtx": struct.pack(">H3h", _ADVANCE, 0, _LEFT, 0),
            b"loca": struct.pack(">4I", 0, 0, len(box), len(box)),
            b"maxp": struct.pack(">I14H", 1 << 16, 3, 8, 2, 0, 0, 1, *[0] * 8),
        }
    )


def _character_map() -> bytes:
    """A map of the Basic Multilingual Plane to the glyphs, many to one (format 13).

    What is not drawn has a glyph, too: for a code without one pdfium draws the letter that the file says it is.
    """
    ranges: list[list[int]] = []
    for code in range(0x10000):
        glyph = _BLANK if unicodedata.category(chr(code))[0] in _UNSEEN else _BOX
        if ranges and ranges[-1][2] == glyph:
            ranges[-1][1] = code
        else:
            ranges.append([code, code, glyph])
    groups = b"".join(struct.pack(">3I", *bounds) for bounds in ranges)
    return struct.pack(">2H3I", 13, 0, 16 + len(groups), 0, len(ranges)) + groups


def _pack(tables: dict[bytes, bytes]) -> bytes:
    """A font file of these tables; nobody looks at their checksums."""
    log = len(tables).bit_length() - 1
    head = struct.pack(">I4H", 1 << 16, len(tables), 16 << log, log, (len(tables) << 4) - (16 << log))
    at, body = len(head) + 16 * len(tables), b""
    for tag, table in sorted(tables.items()):
        head += tag + struct.pack(">3I", 0, at + len(body), len(table))
        body += table + b"\0" * (-len(table) % 4)
    return head + body
