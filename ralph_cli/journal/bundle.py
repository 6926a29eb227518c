"""A run as one portable file: its events in a hash chain, its view, its document's identity, and a manifest of it all.

What the chain proves is consistency: that the file is whole and of one piece. It does not prove who wrote it, for
whoever can write the file can compute the chain again. A seal that was noted apart from the file, at the time, shows
later that this very record is meant.
"""

import hashlib
import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.errors import JournalError
from ralph_cli.core.model import Json
from ralph_cli.core.version import SCHEMA_VERSION
from ralph_cli.journal.store import JournalRow

FORMAT, VERSION = "ralph-bundle", 1
JOURNAL, VIEW, IDENTITY, ORIGIN, DOCUMENT = "journal.jsonl", "view.json", "document.json", "origin.json", "document"
MANIFEST = "manifest.json"
MEMBERS = (MANIFEST, JOURNAL, VIEW, IDENTITY, ORIGIN)

_DOCUMENT_OF_SET = re.compile(r"document-\d{1,5}")

MIB = 1 << 20
MAX_COMPRESSION_RATIO = 200
"""A member that would be packed tighter than this is stored as it is, so that a reader may refuse what is."""

MAX_DEPTH = 100
MAX_MEMBER_BYTES = {
    MANIFEST: MIB,
    VIEW: 64 * MIB,
    IDENTITY: MIB,
    ORIGIN: 4 * MIB,
    JOURNAL: 256 * MIB,
    DOCUMENT: 200 * MIB,
}
"""Bytes that a member may have."""


def is_document(name: str) -> bool:
    """Whether a member is the document of the run, or one of its set."""
    return name == DOCUMENT or _DOCUMENT_OF_SET.fullmatch(name) is not None


def most_bytes(name: str) -> int:
    """Bytes that the member of this name may have."""
    return MAX_MEMBER_BYTES[DOCUMENT if is_document(name) else name]


def document_members(documents: Sequence[bytes], *, of_set: bool) -> dict[str, bytes]:
    """The documents under the names that they have in a bundle, in the order of the run's record."""
    names = [f"{DOCUMENT}-{number}" if of_set else DOCUMENT for number in range(1, len(documents) + 1)]
    return dict(zip(names, documents, strict=True))


CHAIN_START = hashlib.sha256(f"{FORMAT} {VERSION}".encode()).hexdigest()
"""What the first event of a chain is chained to."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is used of a bundle that is whole and of one piece.

    `view` is the JSON object of the run as it was shown, `seal` the SHA-256 of the manifest; `documents` hold the bytes
    of the file, or of each file of a set, and are empty if they were left out.
    """

    rows: tuple[JournalRow, ...]
    view: Json
    seal: str
    documents: tuple[bytes, ...] = ()


_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical_json(value: object) -> bytes:
    """The one way in which a value is written; JournalError for what JSON cannot say, or nested too deep."""
    try:
        text = _encode(value)
        # Each level has a bracket: of most events there are too few to look any closer.
        if text.count("{") + text.count("[") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
            raise ValueError("nested too deep")
        return text.encode("utf-8")
    except (ValueError, TypeError, RecursionError) as error:
        raise JournalError(f"the record cannot be written as JSON: {error}", code="bundle-unwritable") from error


def pack(
    run: str,
    events: Sequence[tuple[str, Json]],
    members: Mapping[str, Json],
    documents: Mapping[str, bytes] | None = None,
) -> tuple[bytes, str]:
    """The bundle of a run and its seal; the same bytes whenever the same run is packed.

    `events` are (time, event as plain values) in order; `members` holds the view, the identity and the origin,
    `documents` what `document_members` gives, if they are packed, too.
    """
    lines, chain = chain_events(events)
    parts = {JOURNAL: b"".join(lines)} | {name: canonical_json(members[name]) for name in (VIEW, IDENTITY, ORIGIN)}
    parts |= documents or {}
    for name, data in parts.items():
        if len(data) > most_bytes(name):
            raise JournalError(f"the {name} of {run} is too large for a bundle", code="bundle-too-large")
    manifest = canonical_json(build_manifest(run, len(lines), chain, parts, SCHEMA_VERSION))
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in ({MANIFEST: manifest} | parts).items():
            archive.writestr(_zip_info(name), data, _compression_for(data), 9)
    return out.getvalue(), hashlib.sha256(manifest).hexdigest()


def chain_events(events: Iterable[tuple[str, Json]]) -> tuple[list[bytes], str]:
    """The lines of a journal, each with the hash of itself and all before it; and the last of these hashes."""
    lines, chain = [], CHAIN_START
    for seq, (at, event) in enumerate(events, 1):
        body = canonical_json({"at": at, "event": event, "seq": seq})
        chain = chain_hash(chain, body)
        time = canonical_json({"at": at})[:-1]
        lines.append(time + chain_member(chain) + body.removeprefix(time) + b"\n")
    return lines, chain


def chain_hash(previous: str, body: bytes) -> str:
    """The hash that chains an event, as its line has it without that hash, to the ones before it."""
    return hashlib.sha256(bytes.fromhex(previous) + body).hexdigest()


def chain_member(chain: str) -> bytes:
    """How the hash stands in the line of an event, behind its time."""
    return f',"chain":"{chain}"'.encode()


def build_manifest(run: str, events: int, chain: str, parts: Mapping[str, bytes], schema: int) -> Json:
    """What a manifest says, and all it says: every word of it follows from the other members and the `schema`."""
    members = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(parts.items())
    }
    versions = {"format": FORMAT, "version": VERSION, "schema": schema}
    return versions | {"run": run, "events": events, "chain": chain, "members": members}


def _depth(value: object) -> int:
    """How deep lists and objects are nested, counted without recursion."""
    level: list[Any] = [value]
    depth = 0
    while level and depth <= MAX_DEPTH:
        level = [
            item
            for node in level
            if isinstance(node, dict | list | tuple)
            for item in (node.values() if isinstance(node, dict) else node)
        ]
        depth += 1
    return depth


def _zip_info(name: str) -> zipfile.ZipInfo:
    """A member with neither time nor owner, so that the bytes are the same everywhere."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = 0o600 << 16
    return info


def _compression_for(data: bytes) -> int:
    packed = len(zlib.compress(data, 9))
    return zipfile.ZIP_DEFLATED if packed < len(data) <= packed * MAX_COMPRESSION_RATIO else zipfile.ZIP_STORED
