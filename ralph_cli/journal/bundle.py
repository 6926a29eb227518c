"""A run as one portable file: its events in a hash chain, its view, the identity of its document, and a manifest.

The chain proves that the file is complete and consistent. It does not prove who wrote it, because anybody can compute
the chain again. A seal that was noted elsewhere at the time proves later that it is the same record.
"""

import hashlib
import json
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent, RunStarted
from ralph_cli.core.model import Json
from ralph_cli.core.version import SCHEMA_VERSION
from ralph_cli.journal.consistency import parse_event
from ralph_cli.journal.store import JournalRow

FORMAT, VERSION = "ralph-bundle", 1
JOURNAL, VIEW, IDENTITY, ORIGIN, DOCUMENT = "journal.jsonl", "view.json", "document.json", "origin.json", "document"
MANIFEST = "manifest.json"
MEMBERS = (MANIFEST, JOURNAL, VIEW, IDENTITY, ORIGIN)

_DOCUMENT_OF_SET = re.compile(r"document-\d{1,5}")

MIB = 1 << 20
# A member that would compress more than this is stored uncompressed, so that readers may refuse such members.
MAX_COMPRESSION_RATIO = 200

MAX_DEPTH = 100
# The most bytes of each member.
MAX_MEMBER_BYTES = {
    MANIFEST: MIB,
    VIEW: 64 * MIB,
    IDENTITY: MIB,
    ORIGIN: 4 * MIB,
    JOURNAL: 256 * MIB,
    DOCUMENT: 200 * MIB,
}


def is_document(name: str) -> bool:
    """Whether a member is the document of the run, or one of its set."""
    return name == DOCUMENT or _DOCUMENT_OF_SET.fullmatch(name) is not None


def most_bytes(name: str) -> int:
    """The most bytes of the member with this name."""
    return MAX_MEMBER_BYTES[DOCUMENT if is_document(name) else name]


def document_members(documents: Sequence[bytes], *, of_set: bool) -> dict[str, bytes]:
    """The documents by their names in a bundle, in the order of the run's record."""
    names = [f"{DOCUMENT}-{number}" if of_set else DOCUMENT for number in range(1, len(documents) + 1)]
    return dict(zip(names, documents, strict=True))


# The hash before the first event of a chain.
CHAIN_START = hashlib.sha256(f"{FORMAT} {VERSION}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Bundle:
    """The contents of a checked bundle.

    `view` is the JSON object of the run as it was shown, `seal` the SHA-256 of the manifest. `documents` are the bytes
    of each file; empty if they were left out.
    """

    rows: tuple[JournalRow, ...]
    view: Json
    seal: str
    documents: tuple[bytes, ...] = ()


_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical_json(value: object) -> bytes:
    """The canonical spelling of a value; JournalError if JSON cannot express it, or it is nested too deep."""
    try:
        text = _encode(value)
        # Each level has a bracket: most events have too few of them to be nested too deep.
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
    """The bundle of a run and its seal; the same run always gives the same bytes.

    `events` are (time, event as plain values) in order. `members` has the view, the identity and the origin.
    `documents` is what `document_members` returns, to include them.
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
    """The lines of a journal, each with the hash of itself and all lines before it; and the last of these hashes."""
    lines, chain = [], CHAIN_START
    for seq, (at, event) in enumerate(events, 1):
        body = canonical_json({"at": at, "event": event, "seq": seq})
        chain = chain_hash(chain, body)
        time = canonical_json({"at": at})[:-1]
        lines.append(time + chain_member(chain) + body.removeprefix(time) + b"\n")
    return lines, chain


def chain_hash(previous: str, body: bytes) -> str:
    """The hash that chains an event to the ones before it; `body` is its line without that hash."""
    return hashlib.sha256(bytes.fromhex(previous) + body).hexdigest()


def chain_member(chain: str) -> bytes:
    """The hash as it is written in the line of an event, behind its time."""
    return f',"chain":"{chain}"'.encode()


def build_manifest(run: str, events: int, chain: str, parts: Mapping[str, bytes], schema: int) -> Json:
    """The whole manifest: it follows from the other members and the `schema`."""
    members = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(parts.items())
    }
    versions = {"format": FORMAT, "version": VERSION, "schema": schema}
    return versions | {"run": run, "events": events, "chain": chain, "members": members}


def _depth(value: object) -> int:
    """The depth of nested lists and objects, counted without recursion."""
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
    """A member without time and owner, so that the bytes are the same everywhere."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = 0o600 << 16
    return info


def _compression_for(data: bytes) -> int:
    packed = len(zlib.compress(data, 9))
    return zipfile.ZIP_DEFLATED if packed < len(data) <= packed * MAX_COMPRESSION_RATIO else zipfile.ZIP_STORED


MAX_FILE = 512 * MIB
# The errors of the standard library for a damaged archive.
_ARCHIVE_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error,
    OSError, EOFError, ValueError, RuntimeError, KeyError, OverflowError,
)  # fmt: skip

_HINT = "ask for the bundle again; `ralph trace export` makes one"


def read_bundle(path: Path) -> Bundle:
    """The bundle in the file `path`. Nothing is unpacked to disk.

    Raises JournalError for a file that is not a bundle, is damaged or was tampered with; the message names the first
    event or member that is wrong.
    """
    try:
        with path.open("rb") as file:
            return parse_bundle(file, path.name)
    except OSError as error:
        what = f"{path.name} cannot be read: {error.strerror}"
        raise JournalError(what, code="bundle-unreadable") from error


def parse_bundle(file: BinaryIO, name: str) -> Bundle:
    """The bundle in an open file of that name; see `read_bundle`."""
    parts = _read_members(file, name)
    manifest = _parse_json(parts.pop(MANIFEST), MANIFEST)
    if manifest.get("format") != FORMAT or manifest.get("version") != VERSION:
        what = f"{name} is not a bundle of version {VERSION}"
        raise JournalError(what, code="bundle-version", hint="use the version of ralph that made it")
    schema = manifest.get("schema")
    if type(schema) is not int or not 0 < schema <= SCHEMA_VERSION:
        what = f"{name} is of schema {schema!r:.20}; this ralph reads up to {SCHEMA_VERSION}"
        raise JournalError(what, code="bundle-version", hint="use a ralph as new as the one that made it")
    rows, chain = _parse_rows(parts[JOURNAL], manifest.get("events"))
    started = rows[0].event if rows else None
    if not isinstance(started, RunStarted):
        raise _tampered_error("the journal does not begin with the start of a run")
    if manifest.get("chain") != chain:
        raise _tampered_error("the chain hash in the manifest does not match the events")
    expected = build_manifest(started.run, len(rows), chain, parts, schema)
    members = manifest.get("members")
    listed = members if isinstance(members, dict) else {}
    for member in sorted({*expected["members"], *listed}):
        if expected["members"].get(member) != listed.get(member):
            raise _tampered_error(f"{member} is not what the manifest says")
    wrong = [field for field in sorted({*manifest, *expected}) if manifest.get(field) != expected.get(field)]
    if wrong:
        raise _tampered_error(f"the manifest does not match the journal ({wrong[0]})")
    view, identity, _ = (_parse_json(parts[member], member) for member in (VIEW, IDENTITY, ORIGIN))
    documents = _order_documents(parts, started)
    if identity != started.document:
        raise _tampered_error(f"{IDENTITY} is not the document that the journal names")
    seal = hashlib.sha256(canonical_json(manifest)).hexdigest()
    return Bundle(rows, view, seal, documents)


def _order_documents(parts: dict[str, bytes], started: RunStarted) -> tuple[bytes, ...]:
    """The documents in a bundle, checked against those that the journal names; empty if they were left out."""
    named = started.document.get("documents")
    records = named if isinstance(named, list) else [started.document]
    members = {name: data for name, data in parts.items() if is_document(name)}
    if not members:
        return ()
    expected = document_members([b""] * len(records), of_set=isinstance(named, list))
    if set(members) != set(expected):
        raise _tampered_error("it holds other documents than the journal names")
    ordered = tuple(members[name] for name in expected)
    for record, data in zip(records, ordered, strict=True):
        if not isinstance(record, dict) or hashlib.sha256(data).hexdigest() != record.get("sha256"):
            raise _tampered_error("a document in it is not the one that the journal names")
    return ordered


def _read_members(file: BinaryIO, name: str) -> dict[str, bytes]:
    """The bytes of every member. Sizes are checked before anything is unpacked."""
    try:
        if file.seek(0, os.SEEK_END) > MAX_FILE:
            raise JournalError(f"{name} is larger than a bundle can be", code="bundle-too-large", hint=_HINT)
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
            _check_bounds(archive, infos, name)
            return {info.filename: archive.read(info) for info in infos}
    except _ARCHIVE_ERRORS as error:
        if isinstance(error, OSError) and error.strerror:
            raise JournalError(f"{name} cannot be read: {error.strerror}", code="bundle-unreadable") from error
        what = f"{name} is not a bundle, or is damaged: {error}"
        raise JournalError(what, code="bundle-damaged", hint=_HINT) from error


def _check_bounds(archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], name: str) -> None:
    names = [info.filename for info in infos]
    strange = sorted(name for name in set(names) - set(MEMBERS) if not is_document(name))
    missing = sorted(set(MEMBERS) - set(names))
    if strange or missing or len(names) != len(set(names)) or archive.comment:
        fault = f"{missing[0]} is not in it" if missing else "a member twice"
        fault = f"it holds {strange[0][:60]!r}" if strange else fault
        raise JournalError(f"{name} is not a bundle of ralph: {fault}", code="bundle-damaged", hint=_HINT)
    for info in infos:
        plain = info.flag_bits == 0 and info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        tight = info.file_size > MIB and info.compress_size * MAX_COMPRESSION_RATIO < info.file_size
        if not plain or tight or info.file_size > most_bytes(info.filename):
            what = f"{info.filename} in {name} is too large, or not packed the way ralph packs it"
            raise JournalError(what, code="bundle-too-large", hint=_HINT)


def _parse_rows(data: bytes, expected_count: object) -> tuple[tuple[JournalRow, ...], str]:
    """The events, checked against the chain; and the end of the chain."""
    rows: list[JournalRow] = []
    chain = CHAIN_START
    if data and not data.endswith(b"\n"):
        raise _tampered_error("the last event is cut off")
    for place, line in enumerate(data.split(b"\n")[:-1], 1):
        body = _parse_json(line, f"event {place}")
        seq, stored_chain = body.get("seq"), body.pop("chain", None)
        if type(seq) is not int or seq != place:
            raise _tampered_error(_describe_misplaced(place, seq))
        chain = chain_hash(chain, line.replace(chain_member(str(stored_chain)), b"", 1))
        if stored_chain != chain:
            raise _tampered_error(
                f"event {place} does not fit the chain: it was changed, or another event is before it"
            )
        rows.append(JournalRow(*_parse_event(body, place)))
    if type(expected_count) is int and expected_count > len(rows):
        raise _tampered_error(f"the events after {len(rows)} are missing")
    if type(expected_count) is not int or expected_count != len(rows):
        raise _tampered_error(f"the manifest counts other events than the {len(rows)} of the journal")
    return tuple(rows), chain


def _describe_misplaced(place: int, seq: object) -> str:
    if type(seq) is not int or not 0 < seq < 1 << 40:
        return f"event {place} has no number"
    return f"event {place} is missing, event {seq} is in its place" if seq > place else f"event {seq} is there twice"


def _parse_event(body: Json, place: int) -> tuple[str, AnyEvent]:
    at, event = body.get("at"), body.get("event")
    if set(body) != {"at", "event", "seq"} or not isinstance(at, str):
        raise _tampered_error(f"event {place} lacks required fields, or has others")
    return at, parse_event(canonical_json(event), f"event {place} of the bundle", "an event", "bundle-damaged")


def _parse_json(data: bytes, name: str) -> Json:
    """One JSON object in its canonical spelling."""
    try:
        value = json.loads(data.decode("utf-8"))
        same = isinstance(value, dict) and canonical_json(value) == data
    except (ValueError, RecursionError) as error:
        what = f"{name} in the bundle is not JSON, or nested deeper than {MAX_DEPTH}"
        raise JournalError(what, code="bundle-damaged") from error
    except JournalError as error:
        raise JournalError(f"{name} in the bundle is damaged: {error.message}", code="bundle-damaged") from error
    if not same:
        raise _tampered_error(f"{name} is not written as ralph writes it")
    return dict(value)


def _tampered_error(what: str) -> JournalError:
    hint = "the bundle was changed after it was made: do not rely on it"
    return JournalError(f"the bundle failed its integrity check: {what}", code="bundle-tampered", hint=hint)
