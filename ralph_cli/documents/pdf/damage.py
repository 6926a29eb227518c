"""Pages of a PDF whose content streams are damaged: pdfium draws what it can decode of them, and says nothing."""

import base64
import re
import zlib
from collections.abc import Iterator

_OBJECT = re.compile(rb"(?<![\d.])(\d{1,10})\s+\d{1,5}\s+obj\b")
_STREAM = re.compile(rb"\bstream(?:\r\n|\n|\r)")
_ROOT = re.compile(rb"/Root\s+(\d{1,10})\s+\d{1,5}\s+R\b")
_PAGES = re.compile(rb"/Pages\s+(\d{1,10})\s+\d{1,5}\s+R\b")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_CONTENTS = re.compile(rb"/Contents\s*(?:\[([^\]]*)\]|(\d{1,10})\s+\d{1,5}\s+R\b)")
_REFERENCE = re.compile(rb"(\d{1,10})\s+\d{1,5}\s+R\b")
_FILTER = re.compile(rb"/Filter\s*(?:\[([^\]]*)\]|/(\w+))")
_FIRST, _COUNT = re.compile(rb"/First\s+(\d{1,10})"), re.compile(rb"/N\s+(\d{1,10})")
ENCRYPTED = b"/Encrypt"
"""In a file whose streams are encrypted."""

_HEAD, _PIECE = 1 << 16, 1 << 18
_MAX_DECODED, _MAX_UNPACKED = 1 << 28, 1 << 24
"""Bytes that are decoded of one stream, and of one with objects in it: more is nothing that anybody wrote."""


def damaged_pages(data: bytes, pages: int) -> list[int]:
    """Numbers of the pages, of `pages`, whose compressed content cannot be decoded whole.

    Deflate has a checksum (RFC 1950), so a changed byte in it is found. Nothing is said of a file that is encrypted or
    has another number of pages in its page tree, as it is read here; nor of content that is not compressed.
    """
    if ENCRYPTED in data:
        return []
    file = _PdfObjects(data)
    found = list(file.pages())
    if len(found) != pages:
        return []
    return [number for number, page in enumerate(found, 1) if any(map(file.is_damaged, file.content_streams(page)))]


class _PdfObjects:
    """The objects of a PDF by their number: where each begins, or its bytes when it lies in an object stream."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        # The last one of a number holds: a file is changed by appending to it.
        self._places = {int(match[1]): match.end() for match in _OBJECT.finditer(data)}
        self._packed: dict[int, bytes] = {}
        self._damaged: dict[int, bool] = {}
        for number in self._places:
            if b"/ObjStm" in self._head(number):
                self._unpack(number)

    def pages(self) -> Iterator[bytes]:
        """The dictionaries of the pages, in order."""
        roots = _ROOT.findall(self._data)
        start = _PAGES.search(self._head(int(roots[-1]))) if roots else None
        waiting, seen = [int(start[1])] if start else [], set[int]()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue  # a tree that bites its tail
            seen.add(number)
            node = self._head(number)
            if kids := _KIDS.search(node):
                waiting += reversed([int(kid) for kid in _REFERENCE.findall(kids[1])])
            else:
                yield node

    def content_streams(self, page: bytes) -> list[int]:
        """The numbers of the content streams of a page."""
        match = _CONTENTS.search(page)
        if match is None:
            return []
        if match[1] is not None:
            return [int(number) for number in _REFERENCE.findall(match[1])]
        head = self._head(int(match[2])).lstrip()
        return [int(number) for number in _REFERENCE.findall(head)] if head.startswith(b"[") else [int(match[2])]

    def is_damaged(self, number: int) -> bool:
        """Whether the stream of that number is compressed and cannot be decoded to its end."""
        if number not in self._damaged:
            self._damaged[number] = self._decode_stream(number, keep=False) is None
        return self._damaged[number]

    def _head(self, number: int) -> bytes:
        """What stands in the object before its stream."""
        if number not in self._places:
            return self._packed.get(number, b"")
        start = self._places[number]
        head = self._data[start : start + _HEAD]
        ends = [place for place in (head.find(b"endobj"), getattr(_STREAM.search(head), "start", int)()) if place > 0]
        return head[: min(ends)] if ends else head

    def _unpack(self, number: int) -> None:
        head, body = self._head(number), self._decode_stream(number, keep=True) or b""
        first, count = _FIRST.search(head), _COUNT.search(head)
        if first is None or count is None:
            return
        numbers = [int(value) for value in re.findall(rb"\d{1,10}", body[: int(first[1])])][: 2 * int(count[1])]
        places = [*numbers[1::2], len(body)]
        for member, start, end in zip(numbers[::2], places, places[1:], strict=False):
            self._packed[member] = body[int(first[1]) + start : int(first[1]) + end]

    def _decode_stream(self, number: int, *, keep: bool) -> bytes | None:
        """The content of a stream, b"" if it is not compressed in a way known here or not kept; None if damaged."""
        head = self._head(number)
        match = _FILTER.search(head)
        filters = re.findall(rb"\w+", match[1] or match[2]) if match else []
        stream = _STREAM.search(self._data, self._places.get(number, len(self._data)) + len(head))
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
