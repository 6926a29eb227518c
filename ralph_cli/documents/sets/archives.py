"""What an archive holds: its files as bytes, unpacked by a parser process and never written to disk."""

import json
from collections.abc import Sequence

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.process.child import StartParser, run_parser, start_parser

MAX_NAME = 1_000
"""Characters of a file's name in an archive, and of what is said of it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file within an archive or mail: its bytes, or why they cannot be had (`fault`)."""

    name: str
    data: bytes
    fault: str = ""


def is_archive(name: str, data: bytes) -> bool:
    """Whether a file is a ZIP archive that is named as one: office documents are archives, too."""
    return name.lower().endswith(".zip") and data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def unpack(
    data: bytes, name: str, limits: LoadLimits, only: str | None = None, start: StartParser = start_parser
) -> tuple[Entry, ...]:
    """The files of an archive, or `only` the one of that name. Raises DocumentError: damaged, too-big, and the rest."""
    return run_parser(
        "unpack",
        data,
        lambda answer: decode_entries(answer, limits.bytes),
        name=name,
        limits=limits,
        start=start,
        only=only,
    )


def encode_entries(entries: Sequence[Entry]) -> bytes:
    """A form that `decode_entries` reads back."""
    head = [[entry.name, len(entry.data), entry.fault] for entry in entries]
    return json.dumps(head).encode("ascii") + b"\n" + b"".join(entry.data for entry in entries)


def decode_entries(answer: bytes, most: int) -> tuple[Entry, ...]:
    """The files in a parser's answer; ValueError for anything that a correct one would not have sent."""
    head, _, rest = answer.partition(b"\n")
    described = json.loads(head)
    if not isinstance(described, list) or len(rest) > most:
        raise ValueError("not a list of files, or too much")
    entries, at = [], 0
    for name, size, fault in described:
        if not isinstance(name, str) or not isinstance(fault, str) or type(size) is not int or size < 0:
            raise ValueError("a file without a name or size")
        entries.append(Entry(name[:MAX_NAME], rest[at : at + size], fault[:MAX_NAME]))
        at += size
    if at != len(rest):
        raise ValueError("bytes that belong to no file")
    return tuple(entries)
