"""Writes small mails of Outlook for tests: compound files with the properties that matter, nothing else."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

Tree: TypeAlias = "dict[str, bytes | Tree]"

_SECTOR, _MINI, _CUTOFF = 512, 64, 4096
_END, _FREE, _TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD

CLASS, SUBJECT, FROM_NAME, FROM_ADDRESS, TEXT, PAGE, RTF = 0x001A, 0x0037, 0x0042, 0x5D02, 0x1000, 0x1013, 0x1009
SENT, FLAGS, CODE_PAGE = 0x0039, 0x0E07, 0x3FFD
NAME, ADDRESS, ROLE = 0x3001, 0x39FE, 0x0C15
CONTENT, METHOD, FILE_NAME, MEDIA, CONTENT_ID, HIDDEN = 0x3701, 0x3705, 0x3707, 0x370E, 0x3712, 0x7FFE
_TIMES = (SENT,)

Values: TypeAlias = Mapping[int, "str | bytes | int | datetime"]


def filetime(time: datetime) -> int:
    return int((time - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000


def properties(values: Values, header: bytes, code_page: str = "") -> Tree:
    """The streams of these properties; texts are of 8 bits if a code page is given."""
    tree: Tree = {}
    table = header
    for number, value in values.items():
        if isinstance(value, int | datetime):
            kind, fixed = (0x40, filetime(value)) if isinstance(value, datetime) else (0x03, value)
            table += struct.pack("<HHIQ", kind, number, 6, fixed & (1 << 64) - 1)
            continue
        kind, content = 0x102, value if isinstance(value, bytes) else b""
        if isinstance(value, str):
            kind, content = (0x1E, value.encode(code_page)) if code_page else (0x1F, value.encode("utf-16-le"))
        tree[f"__substg1.0_{number:04X}{kind:04X}"] = content
        table += struct.pack("<HHIII", kind, number, 6, len(content) + {0x1E: 1, 0x1F: 2}.get(kind, 0), 0)
    return {"__properties_version1.0": table, **tree}


def mail_tree(
    values: Values,
    recipients: Sequence[Values] = (),
    attachments: Sequence["Values | tuple[Values, Tree]"] = (),
    *,
    inner: bool = False,
    code_page: str = "",
) -> Tree:
    """The storage of a mail; an attachment that is a mail is given with its storage."""
    header = struct.pack("<8xIIII", *[len(recipients), len(attachments)] * 2) + b"\0" * 8 * (not inner)
    tree = properties(values, header, code_page)
    for at, recipient in enumerate(recipients):
        tree[f"__recip_version1.0_#{at:08X}"] = properties(recipient, b"\0" * 8, code_page)
    for at, given in enumerate(attachments):
        own, mail = given if isinstance(given, tuple) else (given, None)
        attached = properties(own, b"\0" * 8, code_page)
        tree[f"__attach_version1.0_#{at:08X}"] = attached | ({"__substg1.0_3701000D": mail} if mail else {})
    return tree


def tnef_mail(
    values: Values, recipients: Sequence[Values] = (), attachments: Sequence["Values | tuple[Values, bytes]"] = ()
) -> bytes:
    """The same as it is sent, in a file "winmail.dat"; an attachment that is a mail is given with such a file."""
    data = b"\x78\x9f\x3e\x22\x01\x00" + _attribute(1, 0x00069007, struct.pack("<II", 1252, 0))
    people = b"".join(map(_listed, recipients))
    data += _attribute(1, 0x00069004, struct.pack("<I", len(recipients)) + people) if recipients else b""
    data += _attribute(1, 0x00069003, _listed(values))
    for given in attachments:
        own, mail = given if isinstance(given, tuple) else (given, b"")
        content = own.get(CONTENT, b"")
        data += _attribute(2, 0x00069002, b"\0" * 14)
        data += _attribute(2, 0x0006800F, content) if isinstance(content, bytes) and content else b""
        inner = {CONTENT: b"\0" * 16 + mail} if mail else {}
        data += _attribute(2, 0x00069005, _listed({key: own[key] for key in own if key != CONTENT} | inner))
    return data


def _attribute(level: int, number: int, content: bytes) -> bytes:
    return struct.pack("<BII", level, number, len(content)) + content + struct.pack("<H", sum(content) & 0xFFFF)


def _listed(values: Values) -> bytes:
    """Properties one behind another, and two of those that have names or several values, which nobody reads."""
    named = struct.pack("<HH16sII8sI", 0x1F, 0x8001, b"", 1, 6, "abc".encode("utf-16-le"), 1) + b"\2\0\0\0x\0\0\0"
    many = struct.pack("<HHIII", 0x1003, 0x1234, 2, 7, 8)
    listed = [named, many]
    for number, value in values.items():
        if isinstance(value, int | datetime):
            kind, fixed = (0x40, filetime(value)) if isinstance(value, datetime) else (0x03, value)
            listed.append(struct.pack("<HH", kind, number) + struct.pack("<Q" if kind == 0x40 else "<I", fixed))
            continue
        kind, content = (0x102, value) if isinstance(value, bytes) else (0x1F, value.encode("utf-16-le") + b"\0\0")
        listed.append(struct.pack("<HHII", kind, number, 1, len(content)) + content + b"\0" * (-len(content) % 4))
    return struct.pack("<I", len(listed)) + b"".join(listed)


def packed_rtf(rtf: bytes, *, is_packed: bool = True) -> bytes:
    """RTF as Outlook keeps it; packed, each run of eight bytes that was there before is a reference."""
    if not is_packed:
        return struct.pack("<II4sI", len(rtf) + 12, len(rtf), b"MELA", 0) + rtf
    written, out, at = b"\0" * 207, b"", 0
    while at <= len(rtf):
        flags, run = 0, b""
        for bit in range(8):
            found = written[207:].rfind(rtf[at : at + 8]) + 207 if at + 8 <= len(rtf) else 206
            if at >= len(rtf):
                flags |= 1 << bit
                run += struct.pack(">H", len(written) % 4096 << 4)
                at = len(rtf) + 1
                break
            length = 1
            if found > 206 and len(written) - found < 4000:
                flags |= 1 << bit
                run += struct.pack(">H", found % 4096 << 4 | 6)
                length = 8
            else:
                run += rtf[at : at + 1]
            written += rtf[at : at + length]
            at += length
        out += bytes([flags]) + run
    checksum = zlib.crc32(out, 0xFFFFFFFF) ^ 0xFFFFFFFF
    return struct.pack("<II4sI", len(out) + 12, len(rtf), b"LZFu", checksum) + out


def compound_file(tree: Tree) -> bytes:
    """A file of 512-byte sectors with these storages and streams."""
    entries: list[list[object]] = [["Root Entry", 5, _FREE, _FREE, b""]]
    _add_entries(tree, entries, 0)
    small, table, small_table, sectors = b"", list[int](), list[int](), list[bytes]()

    def place(content: bytes) -> int:
        first, count = len(sectors), -(-len(content) // _SECTOR)
        sectors.extend(content[at : at + _SECTOR].ljust(_SECTOR, b"\0") for at in range(0, len(content), _SECTOR))
        table.extend([*range(first + 1, first + count), _END][:count])
        return first if count else _END

    directory = b""
    starts = []
    for entry in entries[1:]:
        content = entry[4]
        assert isinstance(content, bytes)
        if len(content) >= _CUTOFF:
            starts.append(place(content))
        elif content:
            starts.append(len(small_table))
            count = -(-len(content) // _MINI)
            small_table += [*range(len(small_table) + 1, len(small_table) + count), _END]
            small += content.ljust(count * _MINI, b"\0")
        else:
            starts.append(_END)
    root = place(small)
    for (name, kind, right, child, content), start in zip(entries, [root, *starts], strict=True):
        assert isinstance(name, str) and isinstance(content, bytes)
        size = len(small) if kind == 5 else len(content)
        raw = name.encode("utf-16-le") + b"\0\0"
        directory += struct.pack(
            "<64sHBBIII36xIII", raw, len(raw), kind, 1, _FREE, right, child, start if size else 0, size, 0
        )
    directory_start = place(directory)
    small_start = place(struct.pack(f"<{len(small_table)}I", *small_table))
    count = -(-(len(table) + 1) // (_SECTOR // 4 - 2))
    own = range(len(sectors), len(sectors) + count)
    table += [_TABLE] * count
    # What has no room in the header is told in sectors of its own, each with the number of the next.
    more = [*own[109:]]
    links = -(-len(more) // 127)
    chain = [*range(len(sectors) + count + 1, len(sectors) + count + links), _END][:links]
    told = [more[at * 127 :][:127] for at in range(links)]
    behind = b"".join(
        struct.pack("<128I", *part, *[_FREE] * (127 - len(part)), link) for part, link in zip(told, chain, strict=True)
    )
    table += [_TABLE - 1] * links
    table += [_FREE] * (count * _SECTOR // 4 - len(table))
    header = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6,
        0, count, directory_start, 0, _CUTOFF, small_start, -(-len(small_table) // 128),
        len(sectors) + count if links else _END, links,
    )  # fmt: skip
    header += struct.pack("<109I", *own[:109], *[_FREE] * (109 - count))
    return header + b"".join(sectors) + struct.pack(f"<{len(table)}I", *table)[: count * _SECTOR] + behind


def _add_entries(tree: Tree, entries: list[list[object]], parent: int) -> None:
    """Add what a storage holds, each behind the one before it, which is a tree that readers take."""
    above = None
    for name, content in tree.items():
        number = len(entries)
        is_stream = isinstance(content, bytes)
        entries.append([name, 2 if is_stream else 1, _FREE, _FREE, content if is_stream else b""])
        if above is None:
            entries[parent][3] = number
        else:
            entries[above][2] = number
        above = number
        if not isinstance(content, bytes):
            _add_entries(content, entries, number)


def outlook_mail(values: Values, **given: object) -> bytes:
    """A file with a mail of these properties; the rest as for `mail_tree`."""
    return compound_file(mail_tree(values, **given))  # type: ignore[arg-type]
