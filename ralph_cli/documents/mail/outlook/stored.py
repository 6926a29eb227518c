"""Reads mails from the files that Outlook saves, one storage each (MS-OXMSG, section 2.2).

Such a file is a compound file (MS-CFB): it has storages and streams, as a disk has folders and files.
"""

import re
import struct
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.mail.message import DEEPEST, too_deep_error
from ralph_cli.documents.mail.outlook import properties as mapi
from ralph_cli.documents.mail.outlook.properties import Attachment, Item, Properties

_HEADER = 512
_ENTRY = struct.Struct("<64sHBx3I36xII4x")
_NONE = 0xFFFFFFFF
_END_OF_CHAIN = 0xFFFFFFFE
# Streams of fewer bytes are in the small sectors of the mini stream (MS-CFB, section 2.2).
_CUTOFF = 4096

_MINI = 64
_STORAGE, _STREAM, _ROOT = 1, 2, 5

# Bytes before the first property: for the mail itself, an inner mail, and recipients or attachments.
_ITEM_HEADER, _INNER_HEADER, _OTHER_HEADER = 32, 24, 8

_RECIPIENTS, _ATTACHMENTS = "__recip_version1.0_", "__attach_version1.0_"
_INNER = "__substg1.0_3701000d"
_TABLE = "__properties_version1.0"
_STREAM_NAME = re.compile(r"__substg1\.0_([0-9a-f]{4})(001e|001f|0102)")
_PROPERTY = 16


@dataclass(slots=True)
class Storage:
    """A storage: its streams and storages by their names in lower case (case is not significant)."""

    streams: dict[str, bytes] = field(default_factory=dict)
    storages: dict[str, "Storage"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class _Reader:
    """Reads each sector for one stream only, so that no file gives more than it has. Raises DocumentError "damaged"."""

    def __init__(self, data: bytes, name: str) -> None:
        if len(data) < _HEADER or data[30:32] not in (b"\x09\x00", b"\x0c\x00"):
            raise _damaged_error(name, "its header is damaged")
        self._data, self._name = data, name
        self._size = 1 << data[30]
        self._doubts: dict[str, None] = {}
        self._used: set[tuple[bool, int]] = set()
        self._table = array("I")
        for number in self._table_sectors():
            self._table.extend(_numbers(self._sector(number)))
        self._entries = [*_read_entries(self._read_chain(self._header(48)))]
        if not self._entries or self._entries[0].kind != _ROOT:
            raise _damaged_error(name, "it has no directory")
        self._small_table = _numbers(self._read_chain(self._header(60)))
        self._small = self._read_stream(self._entries[0].start, self._entries[0].size, is_root=True)

    def read(self) -> tuple[Storage, list[str]]:
        """Return the root storage with all its contents, and descriptions of damage."""
        root = Storage()
        waiting, seen = [(root, self._entries[0].child)], {0}
        while waiting:
            storage, number = waiting.pop()
            if number == _NONE:
                continue
            if number >= len(self._entries) or number in seen or self._entries[number].kind not in (_STORAGE, _STREAM):
                self._doubt("its directory is damaged")
                continue
            seen.add(number)
            entry = self._entries[number]
            waiting += (storage, entry.left), (storage, entry.right)
            if entry.kind == _STORAGE:
                inner = storage.storages.setdefault(entry.name, Storage())
                waiting.append((inner, entry.child))
            else:
                storage.streams.setdefault(entry.name, self._read_stream(entry.start, entry.size))
        if any(entry.kind for number, entry in enumerate(self._entries) if number not in seen):
            self._doubt("its directory is damaged")
        return root, list(self._doubts)

    def _doubt(self, what: str) -> None:
        self._doubts[what] = None

    def _header(self, at: int) -> int:
        return int.from_bytes(self._data[at : at + 4], "little")

    def _sector(self, number: int) -> bytes:
        """Return a sector; the last one may be short, and a missing one is empty."""
        return self._data[(number + 1) * self._size : (number + 2) * self._size]

    def _table_sectors(self) -> Iterator[int]:
        """Return the sectors of the table that links sectors into chains."""
        count, link, seen = self._header(44), self._header(68), set[int]()
        numbers = _numbers(self._data[76:_HEADER])
        while link < _END_OF_CHAIN and link not in seen and (sector := self._sector(link)):
            seen.add(link)
            *more, link = _numbers(sector) or [_NONE]
            numbers.extend(more)
        known = [number for number in numbers if number < _END_OF_CHAIN and self._sector(number)]
        if len(known) < count:
            self._doubt("the table of its sectors is damaged")
        return iter(known)

    def _read_chain(self, start: int, *, small: bool = False) -> bytes:
        """Return the sectors from `start` to the end of their chain."""
        table = self._small_table if small else self._table
        number, parts = start, list[bytes]()
        while number < _END_OF_CHAIN:
            part = self._small[number * _MINI : (number + 1) * _MINI] if small else self._sector(number)
            if number >= len(table) or (small, number) in self._used or not part:
                self._doubt("a piece of it is missing")
                break
            self._used.add((small, number))
            parts.append(part)
            number = table[number]
        return b"".join(parts)

    def _read_stream(self, start: int, size: int, *, is_root: bool = False) -> bytes:
        if not size:
            return b""
        small = size < _CUTOFF and not is_root
        content = self._read_chain(start, small=small)
        step = _MINI if small else self._size
        if not 0 <= len(content) - size < step:
            self._doubt("a piece of it is missing" if len(content) < size else "the size of a piece of it is wrong")
        return content[:size]


def _read_entries(directory: bytes) -> Iterator[_Entry]:
    whole = len(directory) // _ENTRY.size * _ENTRY.size
    for raw, length, *rest in _ENTRY.iter_unpack(directory[:whole]):
        yield _Entry(raw[: max(length - 2, 0)].decode("utf-16-le", "replace").lower(), *rest)


def _numbers(data: bytes) -> "array[int]":
    numbers = array("I", data[: len(data) // 4 * 4])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _damaged_error(name: str, what: str) -> DocumentError:
    return DocumentError(f"{name} is a damaged file of Outlook: {what}", code="damaged", hint="save the mail again")


def read_stored_item(data: bytes, name: str) -> Item:
    """Return the mail in a file. Raises DocumentError damaged, too-big."""
    root, doubts = _Reader(data, name).read()
    if not any(stream.startswith("__") for stream in root.streams):
        raise DocumentError(f"{name} holds no mail of Outlook", code="damaged", hint="save the mail again")
    item = _read_item(root, _ITEM_HEADER, name, 0)
    item.doubts += doubts
    return item


def _read_item(storage: Storage, header: int, name: str, depth: int) -> Item:
    if depth > DEEPEST:
        raise too_deep_error(name)
    doubts = [*_missing(storage)]
    item = Item(_read_properties(storage, header, name, doubts), doubts=doubts)
    page = item.properties.code_page
    for entry in _numbered(storage, _RECIPIENTS):
        item.recipients.append(_read_properties(entry, _OTHER_HEADER, name, doubts, page))
    for entry in _numbered(storage, _ATTACHMENTS):
        attached = Attachment(_read_properties(entry, _OTHER_HEADER, name, doubts, page))
        inner = entry.storages.get(_INNER)
        if inner is not None and attached.properties.numbers.get(mapi.METHOD) != mapi.OBJECT:
            attached.item = _read_item(inner, _INNER_HEADER, name, depth + 1)
        item.attachments.append(attached)
    return item


def _read_properties(storage: Storage, header: int, name: str, doubts: list[str], page: int = 0) -> Properties:
    """Return the properties of a storage whose table has a header of `header` bytes; damage is added to `doubts`.

    `page` is the code page of the mail that recipients and attachments belong to.
    """
    found = Properties(numbers={mapi.CODE_PAGE: page} if page else {})
    streams = {
        (int(match[1], 16), int(match[2], 16)): content
        for stream, content in storage.streams.items()
        if (match := _STREAM_NAME.fullmatch(stream))
    }
    table = storage.streams.get(_TABLE)
    if table is None or len(table) < header or (len(table) - header) % _PROPERTY:
        doubts.append("the list of what it holds is damaged")
    for at in range(header, len(table or b"") - _PROPERTY + 1, _PROPERTY):
        entry = (table or b"")[at : at + _PROPERTY]
        kind, number = int.from_bytes(entry[:2], "little"), int.from_bytes(entry[2:4], "little")
        if kind in mapi.NUMBERS:
            found.take(number, kind, entry[8 : 8 + mapi.NUMBERS[kind]], name)
        elif kind in (mapi.STRING_8, mapi.STRING, mapi.BINARY):
            size = int.from_bytes(entry[8:12], "little")  # the size of a text includes its terminator
            if len(streams.get((number, kind), b"")) + 2 < size:
                doubts.append("some of what it lists is missing")
    for (number, kind), content in streams.items():
        found.take(number, kind, content, name)
    return found


def _missing(storage: Storage) -> list[str]:
    """Return doubts about recipients and attachments that the mail counts but does not contain."""
    table, doubts = storage.streams.get(_TABLE, b""), []
    for at, prefix, what in ((16, _RECIPIENTS, "recipients"), (20, _ATTACHMENTS, "attachments")):
        said, found = int.from_bytes(table[at : at + 4], "little"), len(_numbered(storage, prefix))
        if said > found:
            doubts.append(f"it says that it has {said:,} {what}, and has {found:,}")
    return doubts


def _numbered(storage: Storage, prefix: str) -> list[Storage]:
    """Return the storages of recipients or attachments, in order."""
    return [inner for name, inner in sorted(storage.storages.items()) if name.startswith(prefix)]
