"""Find the pages of a PDF that need a damaged stream. pdfium draws what it can decode of it, without an error."""

import base64
import re
import zlib
from collections.abc import Iterator

_OBJECT, _NUMBER = re.compile(rb"obj\b"), re.compile(rb"(?<![\d.])(\d{1,10})\s+\d{1,5}\s+\Z")
# Bytes before "obj" that are searched for its number: a search for a word in binary data is fast, for numbers slow.
_NUMBER_ROOM = 64

_STREAM = re.compile(rb"\bstream(?:\r\n|\n|\r)")
_ROOT = re.compile(rb"/Root\s+(\d{1,10})\s+\d{1,5}\s+R\b")
_PAGES = re.compile(rb"/Pages\s+(\d{1,10})\s+\d{1,5}\s+R\b")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_PAGE, _PICTURE = re.compile(rb"/Type\s*/Page\b"), re.compile(rb"/Subtype\s*/Image\b|/Alternate\b|/Type\s*/Metadata\b")
_REFERENCE = re.compile(rb"(\d{1,10})\s+\d{1,5}\s+R\b")
_FILTER = re.compile(rb"/Filter\s*(?:\[([^\]]*)\]|/(\w+))")
_FIRST, _COUNT = re.compile(rb"/First\s+(\d{1,10})"), re.compile(rb"/N\s+(\d{1,10})")
_START, _INDEX = re.compile(rb"startxref\s+(\d{1,10})"), re.compile(rb"\s*(?:xref\b|\d+\s+\d+\s+obj\b)")
# Bytes at each end of the file that readers search for the header and the trailer.
_TAIL = 1_024

# Marks a file whose streams are encrypted.
ENCRYPTED = b"/Encrypt"

_HEAD, _PIECE = 1 << 16, 1 << 18
# Most bytes decoded from one stream, and from an object stream: real files have no larger ones.
_MAX_DECODED, _MAX_UNPACKED = 1 << 28, 1 << 24


def damaged_pages(data: bytes, pages: int) -> list[int]:
    """Return the numbers of those of the `pages` pages that need a compressed stream which cannot be decoded
    completely.

    Deflate has a checksum (RFC 1950), so a changed byte is found. Pictures are not checked. If the page tree read here
    has a different number of pages, all pages are returned. Encrypted files and uncompressed streams are not checked.
    """
    if ENCRYPTED in data:
        return []
    file = _PdfObjects(data)
    damaged = file.damaged_streams()
    if not damaged:
        return []
    found = list(file.pages())
    if len(found) != pages:
        return list(range(1, pages + 1))
    return [number for number, page in enumerate(found, 1) if file.needs(page, damaged)]


def has_damaged_index(data: bytes) -> bool:
    """Whether the end of the file does not give the position of its cross-reference table (ISO 32000-2, 7.5.5).

    pdfium then searches for the objects itself and uses what it finds. This happens if bytes before the table are
    missing.
    """
    found = _START.findall(data, max(len(data) - _TAIL, 0))
    before = max(data[:_TAIL].find(b"%PDF-"), 0)
    return not found or not any(_INDEX.match(data, int(found[-1]) + shift) for shift in (0, before))


class _PdfObjects:
    """The objects of a PDF by number: the position of each object, or its bytes if it is in an object stream."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        # The last object with a number is the valid one: a file is changed by appending to it.
        self._places = {
            int(before[1]): match.end()
            for match in _OBJECT.finditer(data)
            if (before := _NUMBER.search(data, max(match.start() - _NUMBER_ROOM, 0), match.start()))
        }
        self._heads: dict[int, bytes] = {}
        packed: dict[int, bytes] = {}
        for number in self._places:
            if b"/ObjStm" in self._head(number):
                self._unpack(number, packed)
        self._heads = packed | self._heads

    def pages(self) -> Iterator[bytes]:
        """Yield the dictionaries of the pages, in order."""
        roots = _ROOT.findall(self._data)
        start = _PAGES.search(self._head(int(roots[-1]))) if roots else None
        waiting, seen = [int(start[1])] if start else [], set[int]()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue  # the tree contains a cycle
            seen.add(number)
            node = self._head(number)
            if kids := _KIDS.search(node):
                waiting += reversed([int(kid) for kid in _REFERENCE.findall(kids[1])])
            else:
                yield node

    def damaged_streams(self) -> set[int]:
        """Return the numbers of the compressed streams, except pictures, that cannot be decoded to their end."""
        return {
            number
            for number in self._places
            if not _PICTURE.search(self._head(number)) and self._decode_stream(number, keep=False) is None
        }

    def needs(self, page: bytes, streams: set[int]) -> bool:
        """Whether a page refers to one of these streams, directly or through other objects.

        Other pages are not followed.
        """
        waiting, seen = [page], set[int]()
        while waiting:
            for number in map(int, _REFERENCE.findall(_KIDS.sub(b"", waiting.pop()))):
                if number in streams:
                    return True
                if number not in seen:
                    seen.add(number)
                    head = self._head(number)
                    waiting += [] if _PAGE.search(head) else [head]
        return False

    def _head(self, number: int) -> bytes:
        """Return the part of the object before its stream."""
        if number not in self._heads and number in self._places:
            self._heads[number] = self._find_head(number)
        return self._heads.get(number, b"")

    def _find_head(self, number: int) -> bytes:
        start = self._places[number]
        end = self._data.find(b"endobj", start, start + _HEAD)
        match = _STREAM.search(self._data, start, end if end >= 0 else start + _HEAD)
        if match is not None:
            end = match.start()
        return self._data[start : end if end >= 0 else start + _HEAD]

    def _unpack(self, number: int, packed: dict[int, bytes]) -> None:
        head, body = self._head(number), self._decode_stream(number, keep=True) or b""
        first, count = _FIRST.search(head), _COUNT.search(head)
        if first is None or count is None:
            return
        numbers = [int(value) for value in re.findall(rb"\d{1,10}", body[: int(first[1])])][: 2 * int(count[1])]
        places = [*numbers[1::2], len(body)]
        for member, start, end in zip(numbers[::2], places, places[1:], strict=False):
            packed[member] = body[int(first[1]) + start : int(first[1]) + end]

    def _decode_stream(self, number: int, *, keep: bool) -> bytes | None:
        """Return the content of a stream; b"" if its compression is unknown here or it is not kept.

        Return None if it is damaged.
        """
        head = self._head(number)
        match = _FILTER.search(head)
        filters = re.findall(rb"\w+", match[1] or match[2]) if match else []
        stream = _STREAM.match(self._data, self._places.get(number, len(self._data)) + len(head))
        if stream is None:
            return b""
        if filters in ([b"FlateDecode"], [b"Fl"]):
            return _inflate(self._data, stream.end(), keep)
        if filters in ([b"ASCII85Decode", b"FlateDecode"], [b"A85", b"Fl"]):
            end = self._data.find(b"~>", stream.end())
            try:
                return _inflate(base64.a85decode(self._data[stream.end() : max(end, 0)]), 0, keep)
            except ValueError:
                return None
        return b""


def _inflate(data: bytes, start: int, keep: bool) -> bytes | None:
    """What is compressed from `start` on, which says itself where it ends; None when it is damaged."""
    decoder = zlib.decompressobj()
    out: list[bytes] = []
    size, piece = 0, b""
    try:
        while not decoder.eof and size < (_MAX_UNPACKED if keep else _MAX_DECODED):
            piece = decoder.unconsumed_tail
            if not piece:
                piece, start = data[start : start + _PIECE], start + _PIECE
            if not piece:
                return None
            part = decoder.decompress(piece, _PIECE)
            size += len(part)
            out += [part] if keep else []
    except zlib.error:
        return None
    return b"".join(out)
