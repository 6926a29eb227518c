"""The RTF text of Outlook mails: unpacks it (MS-OXRTFCP), and extracts the HTML page in it (MS-OXRTFEX)."""

import struct
import zlib
from dataclasses import dataclass

from ralph_cli.documents.rich_text.tokens import SIGNS, SYMBOLS, Group, TokenReader, read_tokens

_PACKED, _PLAIN = b"LZFu", b"MELA"
_RING = 4096
_INVERTED = 0xFFFFFFFF
# The initial content of the ring (MS-OXRTFCP, section 2.1.3.1.1).
_KNOWN = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n"
    b"\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)

_BREAKS = {"par": "\n", "line": "\n"}
_APART = frozenset(["fonttbl", "colortbl", "stylesheet", "info", "pntext", "listtext", "pict", "object"])


def unpack_rtf(data: bytes) -> tuple[bytes, bool]:
    """Return the unpacked RTF, and whether it is complete."""
    size, length, form, checksum = struct.unpack("<II4sI", data[:16].ljust(16, b"\0"))
    packed = data[16 : size + 4]
    if form == _PLAIN:
        return packed[:length], len(packed) >= length
    if form != _PACKED:
        return b"", False
    out, is_ended = _unpack(packed)
    is_sound = zlib.crc32(packed, _INVERTED) ^ _INVERTED == checksum  # zlib's checksum without its inversions
    return out, is_ended and is_sound


def _unpack(packed: bytes) -> tuple[bytes, bool]:
    """Return the decompressed data, and whether the end mark was reached (MS-OXRTFCP, section 3.1.4.1)."""
    out, at = bytearray(_KNOWN), 0
    while at < len(packed):
        flags = packed[at]
        at += 1
        for bit in range(8):
            if not flags >> bit & 1:
                out += packed[at : at + 1]
                at += 1
                continue
            if at + 2 > len(packed):
                return bytes(out[len(_KNOWN) :]), False
            reference = packed[at] << 8 | packed[at + 1]
            at += 2
            back = (len(out) - (reference >> 4)) % _RING
            if not back:
                return bytes(out[len(_KNOWN) :]), True
            start, count = max(len(out) - back, 0), (reference & 15) + 2
            while count:  # the copied range may overlap its own output
                piece = out[start : start + count]
                out += piece
                start, count = start + len(piece), count - len(piece)
    return bytes(out[len(_KNOWN) :]), False


@dataclass(slots=True)
class _State(Group):
    """The state of a group: whether its text belongs to the page."""

    is_markup: bool = False
    is_apart: bool = False
    is_for_rtf: bool = False


def unwrap_page(rtf: bytes) -> str | None:
    """Return the HTML page in an RTF file, None if there is none."""
    head = rtf[:2_000]
    return _PageReader().read(rtf.decode("latin-1")) if b"\\fromhtml1" in head else None


class _PageReader(TokenReader[_State]):
    """Writes the page's text, without the parts for programs that read only RTF (MS-OXRTFEX, section 3.1.1)."""

    def __init__(self) -> None:
        super().__init__(_State())
        self._out: list[str] = []

    def read(self, source: str) -> str:
        """Return the page."""
        for token in read_tokens(source):
            self._take(token)
        self._flush_bytes()
        text = "".join(self._out)
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _take_word(self, word: str, number: int | None) -> None:
        state = self._state
        is_first, state.is_new = state.is_new, False
        if is_first and (state.starred or word in _APART):
            state.is_markup, state.is_apart = word == "htmltag", word != "htmltag"
        elif word == "htmlrtf":
            state.is_for_rtf = number != 0
        elif word == "fcharset":
            self._name_encoding(number or 0)
        elif not self._take_character(word, number):
            self._write(_BREAKS.get(word) or SIGNS.get(word, ""))

    def _take_symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._state.starred = True
        else:
            self._write({"~": "&nbsp;", "_": "&shy;"}.get(symbol) or SYMBOLS.get(symbol, ""))

    def _decode(self, data: str) -> str:
        """Decode bytes in the encoding of their font, and markup in that of the file."""
        if self._state.is_markup:
            return data.encode("latin-1", "replace").decode(self._encoding, "replace")
        return super()._decode(data)

    def _write(self, text: str) -> None:
        if not self._state.is_apart and not self._state.is_for_rtf:
            self._out.append(text)
