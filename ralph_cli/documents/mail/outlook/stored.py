"""The items in the files that Outlook saves, one storage each (MS-OXMSG, section 2.2)."""

import re

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.mail.message import DEEPEST, too_deep_error
from ralph_cli.documents.mail.outlook import properties as mapi
from ralph_cli.documents.mail.outlook.compound_file import Storage, read_compound_file
from ralph_cli.documents.mail.outlook.properties import Attachment, Item, Properties

_HEADER, _INNER_HEADER, _OTHER_HEADER = 32, 24, 8
"""Bytes before the first property: of the mail itself, of one in it, and of recipients and attachments."""

_RECIPIENTS, _ATTACHMENTS = "__recip_version1.0_", "__attach_version1.0_"
_INNER = "__substg1.0_3701000d"
_TABLE = "__properties_version1.0"
_STREAM_NAME = re.compile(r"__substg1\.0_([0-9a-f]{4})(001e|001f|0102)")
_ENTRY = 16


def read_stored_item(data: bytes, name: str) -> Item:
    """The mail in a file. Raises DocumentError damaged, too-big."""
    root, doubts = read_compound_file(data, name)
    if not any(stream.startswith("__") for stream in root.streams):
        raise DocumentError(f"{name} holds no mail of Outlook", code="damaged", hint="save the mail again")
    item = _read_item(root, _HEADER, name, 0)
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
    """The properties of a storage, whose table has a header of so many bytes; what is missing is added to `doubts`.

    `page` is the code page of the mail that recipients and attachments belong to.
    """
    found = Properties(numbers={mapi.CODE_PAGE: page} if page else {})
    streams = {
        (int(match[1], 16), int(match[2], 16)): content
        for stream, content in storage.streams.items()
        if (match := _STREAM_NAME.fullmatch(stream))
    }
    table = storage.streams.get(_TABLE)
    if table is None or len(table) < header or (len(table) - header) % _ENTRY:
        doubts.append("the list of what it holds is damaged")
    for at in range(header, len(table or b"") - _ENTRY + 1, _ENTRY):
        entry = (table or b"")[at : at + _ENTRY]
        kind, number = int.from_bytes(entry[:2], "little"), int.from_bytes(entry[2:4], "little")
        if kind in mapi.NUMBERS:
            found.take(number, kind, entry[8 : 8 + mapi.NUMBERS[kind]], name)
        elif kind in (mapi.STRING_8, mapi.STRING, mapi.BINARY):
            size = int.from_bytes(entry[8:12], "little")  # that of a text counts the sign that ends it
            if len(streams.get((number, kind), b"")) + 2 < size:
                doubts.append("some of what it lists is missing")
    for (number, kind), content in streams.items():
        found.take(number, kind, content, name)
    return found


def _missing(storage: Storage) -> list[str]:
    """Whether there are fewer recipients and attachments than the mail says that it has."""
    table, doubts = storage.streams.get(_TABLE, b""), []
    for at, prefix, what in ((16, _RECIPIENTS, "recipients"), (20, _ATTACHMENTS, "attachments")):
        said, found = int.from_bytes(table[at : at + 4], "little"), len(_numbered(storage, prefix))
        if said > found:
            doubts.append(f"it says that it has {said:,} {what}, and has {found:,}")
    return doubts


def _numbered(storage: Storage, prefix: str) -> list[Storage]:
    """The storages of recipients or attachments, in their order."""
    return [inner for name, inner in sorted(storage.storages.items()) if name.startswith(prefix)]
