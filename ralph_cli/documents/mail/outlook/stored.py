"""The items in the files that Outlook saves, one storage each (MS-OXMSG, section 2.2)."""

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.mail.message import DEEPEST, too_deep_error
from ralph_cli.documents.mail.outlook.compound_file import Storage, read_compound_file
from ralph_cli.documents.mail.outlook.item import Attachment, Item
from ralph_cli.documents.mail.outlook.properties import METHOD, OBJECT, TABLE, read_properties

_HEADER, _INNER_HEADER, _OTHER_HEADER = 32, 24, 8
"""Bytes before the first property: of the mail itself, of one in it, and of recipients and attachments."""

_RECIPIENTS, _ATTACHMENTS = "__recip_version1.0_", "__attach_version1.0_"
_INNER = "__substg1.0_3701000d"


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
    item = Item(read_properties(storage, header, name, doubts), doubts=doubts)
    page = item.properties.code_page
    for entry in _numbered(storage, _RECIPIENTS):
        item.recipients.append(read_properties(entry, _OTHER_HEADER, name, doubts, page))
    for entry in _numbered(storage, _ATTACHMENTS):
        attached = Attachment(read_properties(entry, _OTHER_HEADER, name, doubts, page))
        inner = entry.storages.get(_INNER)
        if inner is not None and attached.properties.numbers.get(METHOD) != OBJECT:
            attached.item = _read_item(inner, _INNER_HEADER, name, depth + 1)
        item.attachments.append(attached)
    return item


def _missing(storage: Storage) -> list[str]:
    """Whether there are fewer recipients and attachments than the mail says that it has."""
    table, doubts = storage.streams.get(TABLE, b""), []
    for at, prefix, what in ((16, _RECIPIENTS, "recipients"), (20, _ATTACHMENTS, "attachments")):
        said, found = int.from_bytes(table[at : at + 4], "little"), len(_numbered(storage, prefix))
        if said > found:
            doubts.append(f"it says that it has {said:,} {what}, and has {found:,}")
    return doubts


def _numbered(storage: Storage, prefix: str) -> list[Storage]:
    """The storages of recipients or attachments, in their order."""
    return [inner for name, inner in sorted(storage.storages.items()) if name.startswith(prefix)]
