"""Reads the mails that Exchange sends inside other mails as "winmail.dat" (MS-OXTNEF)."""

import struct
from collections.abc import Iterator
from datetime import UTC, datetime

from ralph_cli.documents.mail.message import DEEPEST, too_deep_error
from ralph_cli.documents.mail.outlook import properties as mapi
from ralph_cli.documents.mail.outlook.properties import Attachment, Item, Properties

TNEF_MARK = b"\x78\x9f\x3e\x22"
_HEADER, _ATTRIBUTE, _CHECKSUM = 6, 9, 2
_MESSAGE_PROPERTIES, _ATTACHMENT_PROPERTIES, _RECIPIENTS = 0x9003, 0x9005, 0x9004
_CODE_PAGES, _BEGIN_ATTACHMENT, _DATE_SENT = 0x9007, 0x9002, 0x8005
_TEXTS = {0x8004: mapi.SUBJECT, 0x800C: mapi.TEXT, 0x8008: mapi.MAIL_CLASS}
_TITLE, _DATA = 0x8010, 0x800F
_OTHER_SIZES = {0x0004: 4, 0x0005: 8, 0x0006: 8, 0x0007: 8, 0x000A: 4, 0x0048: 16}
_EMBEDDED, _MULTIPLE, _NAMED = 0x000D, 0x1000, 0x8000
_COUNTED = (mapi.STRING, mapi.STRING_8, mapi.BINARY, _EMBEDDED)
# The bytes before an object that identify its kind.
_SHARED_NUMBER = 16

_DAMAGED = "a part of it is cut off or damaged"


def read_tnef_item(data: bytes, name: str, depth: int = 0) -> Item:
    """Return the mail in a TNEF file, as far as it is readable. Raises DocumentError "too-big".

    The format does not store the number of attachments: a file cut off between two of them looks complete.
    """
    if depth > DEEPEST:
        raise too_deep_error(name)
    item = Item(Properties())
    mail, has_properties = item.properties, False
    for number, content in _attributes(data, item.doubts):
        has_properties |= number == _MESSAGE_PROPERTIES
        if number == _CODE_PAGES and len(content) >= 4:
            mail.numbers.setdefault(mapi.CODE_PAGE, int.from_bytes(content[:4], "little"))
        elif number in _TEXTS:
            if _TEXTS[number] not in mail.texts:
                mail.read_string(_TEXTS[number], content.rstrip(b"\0"), name)
        elif number == _DATE_SENT:
            _read_date(content, mail)
        elif number == _MESSAGE_PROPERTIES:
            _Values(content, name, item.doubts).read_into(mail)
        elif number == _RECIPIENTS:
            _read_recipients(content, item, name)
        else:
            _read_attached(number, content, item, name, depth)
    if not has_properties:
        item.doubts.append("its list of properties is missing")
    return item


def _attributes(data: bytes, doubts: list[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the attributes with their numbers; a truncated one with its remaining content."""
    at = _HEADER
    while at + _ATTRIBUTE <= len(data):
        level, number, _, size = struct.unpack_from("<BHHI", data, at)
        start, end = at + _ATTRIBUTE, at + _ATTRIBUTE + size
        content = data[start:end]
        checksum = data[end : end + _CHECKSUM]
        if (
            level not in (1, 2)
            or len(checksum) < _CHECKSUM
            or sum(content) & 0xFFFF != int.from_bytes(checksum, "little")
        ):
            doubts.append(_DAMAGED)
        if level not in (1, 2):
            return
        yield number, content
        at = end + _CHECKSUM
    if data[at:].strip(b"\r\n\0") or at > len(data):
        doubts.append(_DAMAGED)


def _read_date(content: bytes, mail: Properties) -> None:
    """Read year, month, day, hour, minute and second; the format names no time zone, and programs write UTC."""
    try:
        year, month, day, hour, minute, second = struct.unpack_from("<6H", content)
        sent = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except (struct.error, ValueError):
        return
    mail.numbers.setdefault(mapi.SENT, int((sent - mapi.EPOCH).total_seconds()) * 10**7)


def _read_recipients(content: bytes, item: Item, name: str) -> None:
    values = _Values(content, name, item.doubts)
    for _ in range(values.read_count()):
        recipient = item.properties.new_part()
        if not values.read_into(recipient):
            return
        item.recipients.append(recipient)


def _read_attached(number: int, content: bytes, item: Item, name: str, depth: int) -> None:
    """Process an attribute of the last attachment, or begin a new one."""
    if number == _BEGIN_ATTACHMENT:
        item.attachments.append(Attachment(item.properties.new_part()))
        return
    if number not in (_TITLE, _DATA, _ATTACHMENT_PROPERTIES) or not item.attachments:
        return
    attached = item.attachments[-1]
    if number == _TITLE:
        attached.properties.read_string(mapi.FILE_NAME, content.rstrip(b"\0"), name)
    elif number == _DATA:
        attached.properties.binaries[mapi.CONTENT] = content
    else:
        _Values(content, name, item.doubts).read_into(attached.properties)
        inner = attached.properties.binaries.get(mapi.CONTENT, b"")[_SHARED_NUMBER:]
        if attached.properties.numbers.get(mapi.METHOD) != mapi.OBJECT and inner.startswith(TNEF_MARK):
            attached.item = read_tnef_item(inner, name, depth + 1)


class _Values:
    """A sequence of properties (MS-OXTNEF, section 2.1.3.4)."""

    def __init__(self, content: bytes, name: str, doubts: list[str]) -> None:
        self._content, self._at = content, 0
        self._name, self._doubts = name, doubts

    def read_into(self, found: Properties) -> bool:
        """Read a list of properties; return False if it is cut off or damaged."""
        try:
            for _ in range(self.read_count()):
                self._read_property(found)
        except (EOFError, struct.error):
            self._doubts.append(_DAMAGED)
            return False
        return True

    def read_count(self) -> int:
        """Return the number of items that follow, limited by the length of the content."""
        return min(int.from_bytes(self._take(4, check=False), "little"), len(self._content))

    def _read_property(self, found: Properties) -> None:
        kind, number = struct.unpack("<HH", self._take(4))
        if number >= _NAMED:
            (is_text,) = struct.unpack_from("<I", self._take(20), 16)
            self._take(self._size() if is_text else 4)
        is_counted = kind & _MULTIPLE or kind in _COUNTED
        values = [self._value(kind & ~_MULTIPLE) for _ in range(self._size() if is_counted else 1)]
        if number >= _NAMED or kind & _MULTIPLE or not values:
            return
        found.take(number, mapi.BINARY if kind == _EMBEDDED else kind, values[0], self._name)

    def _value(self, kind: int) -> bytes:
        if kind in _COUNTED:
            return self._take(self._size())
        size = mapi.NUMBERS.get(kind) or _OTHER_SIZES.get(kind)
        if size is None:
            raise EOFError  # the start of the next value is unknown
        return self._take(size)

    def _size(self) -> int:
        (size,) = struct.unpack("<I", self._take(4))
        if size > len(self._content):
            raise EOFError
        return int(size)

    def _take(self, size: int, *, check: bool = True) -> bytes:
        """Return the next bytes; the value after them begins at a multiple of four."""
        piece = self._content[self._at : self._at + size]
        if check and len(piece) < size:
            raise EOFError
        self._at += size + -size % 4
        return piece
