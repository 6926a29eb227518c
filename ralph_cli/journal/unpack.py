"""Reading a bundle that anybody may have made: in memory, within bounds, and only if it is whole and of one piece."""

import hashlib
import json
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent, RunStarted
from ralph_cli.core.model import Json
from ralph_cli.core.version import SCHEMA_VERSION
from ralph_cli.journal.bundle import (
    CHAIN_START,
    FORMAT,
    IDENTITY,
    JOURNAL,
    MANIFEST,
    MAX_COMPRESSION_RATIO,
    MAX_DEPTH,
    MEMBERS,
    MIB,
    ORIGIN,
    VERSION,
    VIEW,
    Bundle,
    build_manifest,
    canonical_json,
    chain_hash,
    chain_member,
    document_members,
    is_document,
    most_bytes,
)
from ralph_cli.journal.consistency import parse_event
from ralph_cli.journal.store import JournalRow

MAX_FILE = 512 * MIB
_ARCHIVE_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error,
    OSError, EOFError, ValueError, RuntimeError, KeyError, OverflowError,
)  # fmt: skip
"""What the standard library raises on a damaged archive."""

_HINT = "ask for the bundle again; `ralph trace export` makes one"


def read_bundle(path: Path) -> Bundle:
    """The bundle in the file `path`. Nothing is unpacked to disk.

    Raises JournalError for a file that is no bundle, is damaged or was tampered with; the message names the first
    event, or the member, that does not fit.
    """
    try:
        with path.open("rb") as file:
            return parse_bundle(file, path.name)
    except OSError as error:
        what = f"{path.name} cannot be read: {error.strerror}"
        raise JournalError(what, code="bundle-unreadable") from error


def parse_bundle(file: BinaryIO, name: str) -> Bundle:
    """The bundle in an open file, or in bytes, of that name; as `read_bundle`."""
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
    """The documents in a bundle, each of which must be the one that the journal names; none if they were left out."""
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
    """The bytes of every member, bounded before they are unpacked."""
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
    """The events, each of which must fit the chain; and the end of the chain."""
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
            raise _tampered_error(f"event {place} does not fit the chain: it was changed, or another stands before it")
        rows.append(JournalRow(*_parse_event(body, place)))
    if type(expected_count) is int and expected_count > len(rows):
        raise _tampered_error(f"the events after {len(rows)} are missing")
    if type(expected_count) is not int or expected_count != len(rows):
        raise _tampered_error(f"the manifest counts other events than the {len(rows)} of the journal")
    return tuple(rows), chain


def _describe_misplaced(place: int, seq: object) -> str:
    if type(seq) is not int or not 0 < seq < 1 << 40:
        return f"event {place} has no number"
    return f"event {place} is missing, event {seq} stands in its place" if seq > place else f"event {seq} stands twice"


def _parse_event(body: Json, place: int) -> tuple[str, AnyEvent]:
    at, event = body.get("at"), body.get("event")
    if set(body) != {"at", "event", "seq"} or not isinstance(at, str):
        raise _tampered_error(f"event {place} lacks required fields, or has others")
    return at, parse_event(canonical_json(event), f"event {place} of the bundle", "an event", "bundle-damaged")


def _parse_json(data: bytes, name: str) -> Json:
    """One JSON object, written in the one way in which ralph writes it."""
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
