"""Bundles: the same bytes for the same run, nothing private in them, and every change to them is named."""

import hashlib
import io
import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from journal.test_journal import EVENTS
from pydantic import TypeAdapter

from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent, Event
from ralph_cli.core.model import Json
from ralph_cli.core.version import SCHEMA_VERSION
from ralph_cli.journal.bundle import (
    CHAIN_START,
    IDENTITY,
    JOURNAL,
    MANIFEST,
    MAX_DEPTH,
    ORIGIN,
    VIEW,
    build_manifest,
    canonical_json,
    chain_events,
    chain_hash,
    chain_member,
    pack,
    read_bundle,
)
from ralph_cli.journal.redact import create_redactor

_EVENT: TypeAdapter[AnyEvent] = TypeAdapter(Event)
PLAIN = [(f"at {number}", _EVENT.dump_python(event, mode="json")) for number, event in enumerate(EVENTS, 1)]
MEMBERS: dict[str, Json] = {VIEW: {"ok": True}, IDENTITY: {"id": "d"}, ORIGIN: {"ralph": "0"}}
DATA, SEAL = pack("r", PLAIN, MEMBERS)


def parts(data: bytes = DATA) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def resealed(members: dict[str, bytes], lines: list[bytes]) -> bytes:
    """As one who knows the format would do it: the manifest is made anew for the journal, the chain is not."""
    inner = {name: data for name, data in members.items() if name != MANIFEST} | {JOURNAL: b"".join(lines)}
    chain = json.loads(members[MANIFEST])["chain"]
    return zipped({MANIFEST: canonical_json(build_manifest("r", len(lines), chain, inner, SCHEMA_VERSION))} | inner)


def test_a_bundle_comes_back_as_it_went_in(tmp_path: Path) -> None:
    path = tmp_path / "r.zip"
    path.write_bytes(DATA)
    bundle = read_bundle(path)
    assert [row.event for row in bundle.rows] == EVENTS and [row.at for row in bundle.rows] == [at for at, _ in PLAIN]
    assert bundle.view == MEMBERS[VIEW]
    assert bundle.seal == SEAL == hashlib.sha256(parts()[MANIFEST]).hexdigest() and bundle.documents == ()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["r.zip"]


def test_the_same_run_gives_the_same_bytes() -> None:
    assert pack("r", PLAIN, MEMBERS) == (DATA, SEAL)
    assert pack("r", PLAIN[:-1], MEMBERS)[1] != SEAL


def lines() -> list[bytes]:
    return parts()[JOURNAL].splitlines(keepends=True)


def edited(number: int, old: bytes, new: bytes) -> list[bytes]:
    found = lines()
    assert old in found[number - 1]
    found[number - 1] = found[number - 1].replace(old, new, 1)
    return found


def renumbered(found: list[bytes]) -> list[bytes]:
    return [canonical_json(json.loads(line) | {"seq": seq}) + b"\n" for seq, line in enumerate(found, 1)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda: edited(9, b'"text":"q"', b'"text":"Q"'), "event 9 does not fit the chain"),
        (lambda: edited(9, b'"verdict":"partly"', b'"verdict":"supported"'), "event 9 does not fit the chain"),
        (lambda: edited(3, b'"at":"at 3"', b'"at":"at 4"'), "event 3 does not fit the chain"),
        (lambda: [*lines()[:3], lines()[4], lines()[3], *lines()[5:]], "event 4 is missing, event 5 is in its place"),
        (lambda: renumbered([*lines()[:3], lines()[4], lines()[3], *lines()[5:]]), "event 4 does not fit the chain"),
        (lambda: lines()[:4] + lines()[5:], "event 5 is missing"),
        (lambda: renumbered(lines()[:4] + lines()[5:]), "event 5 does not fit the chain"),
        (lambda: [*lines()[:5], lines()[4], *lines()[5:]], "event 5 is there twice"),
        (lambda: renumbered([*lines()[:5], lines()[1], *lines()[5:]]), "event 6 does not fit the chain"),
        (lambda: lines()[:-1], "the chain hash in the manifest does not match"),
        (lambda: [*lines()[:-1], lines()[-1][:-1]], "the last event is cut off"),
        (lambda: edited(2, b'"at":', b'"at": '), "event 2 is not written as ralph writes it"),
        (lambda: edited(2, b'"code":"c"', b'"code":"c","code":"c"'), "event 2 is not written as ralph writes it"),
        (lambda: edited(2, b'{"at"', b'{at"'), "event 2 in the bundle is not JSON"),
        (lambda: edited(2, b'"seq":2', b'"seq":2e0'), "event 2"),
    ],
)
def test_a_change_in_the_journal_names_the_first_event_that_does_not_fit(
    tmp_path: Path, change: Callable[[], list[bytes]], told: str
) -> None:
    path = tmp_path / "r.zip"
    path.write_bytes(resealed(parts(), change()))
    with pytest.raises(JournalError, match=told) as caught:
        read_bundle(path)
    assert caught.value.code in ("bundle-tampered", "bundle-damaged") and "\n" not in caught.value.message


@pytest.mark.parametrize(
    "write",
    [
        lambda time, member, rest: time + rest[:-1] + member + b"}",
        lambda time, member, rest: time + member + rest[:-1] + member + b"}",
        lambda time, member, rest: b'{"at":{"a":1' + member + b"}" + member + rest,
        lambda time, member, rest: time + member.replace(b":", b": ") + rest,
        lambda time, member, rest: time + member.replace(b"chain", b"ch\\u0061in") + rest,
        lambda time, member, rest: time + rest,
    ],
    ids=["at the end", "twice", "within another member", "with a space", "escaped", "not at all"],
)
def test_a_chained_line_that_is_written_in_another_way_is_refused(
    tmp_path: Path, write: Callable[[bytes, bytes, bytes], bytes]
) -> None:
    """Whoever tampers so computes each hash over the bytes that are left without it, and the manifest, too."""
    chain, found = CHAIN_START, []
    for number, (at, event) in enumerate(PLAIN, 1):
        body = canonical_json({"at": at, "event": event, "seq": number})
        time = canonical_json({"at": at})[:-1]
        rest = body.removeprefix(time)
        hashed = write(time, b"", rest) if number == 2 else body
        chain = chain_hash(chain, hashed)
        member = chain_member(chain)
        found.append((write(time, member, rest) if number == 2 else time + member + rest) + b"\n")
    inner = {name: data for name, data in parts().items() if name != MANIFEST} | {JOURNAL: b"".join(found)}
    manifest = build_manifest("r", len(found), chain, inner, SCHEMA_VERSION)
    path = tmp_path / "r.zip"
    path.write_bytes(zipped({MANIFEST: canonical_json(manifest)} | inner))
    with pytest.raises(JournalError, match="event 2 ") as caught:
        read_bundle(path)
    assert caught.value.code == "bundle-tampered"


def test_events_cut_off_at_the_end_are_missed_by_the_manifest(tmp_path: Path) -> None:
    path = tmp_path / "r.zip"
    path.write_bytes(zipped(parts() | {JOURNAL: b"".join(lines()[:-2])}))
    with pytest.raises(JournalError, match="the events after 8 are missing"):
        read_bundle(path)


@pytest.mark.parametrize("name", [VIEW, IDENTITY, ORIGIN])
def test_a_changed_member_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / "r.zip"
    path.write_bytes(zipped(parts() | {name: b'{"ok":false}'}))
    with pytest.raises(JournalError, match=f"{name} is not what the manifest says"):
        read_bundle(path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"chain": "0" * 64}, "the chain hash in the manifest does not match"),
        ({"events": 9}, "manifest counts other events"),
        ({"events": 11}, "the events after 10 are missing"),
        ({"events": "10"}, "manifest counts other events"),
        ({"run": "other"}, "the manifest does not match the journal .run."),
        ({"schema": 3}, "is of schema 3; this ralph reads up to 2"),
        ({"schema": True}, "is of schema True"),
        ({"note": "signed"}, "the manifest does not match the journal .note."),
        ({"members": {}}, "is not what the manifest says"),
        ({"members": []}, "is not what the manifest says"),
        ({"version": 2}, "not a bundle of version 1"),
        ({"format": "other"}, "not a bundle"),
    ],
)
def test_a_changed_manifest_is_named(tmp_path: Path, change: Json, told: str) -> None:
    path = tmp_path / "r.zip"
    manifest = canonical_json(json.loads(parts()[MANIFEST]) | change)
    path.write_bytes(zipped(parts() | {MANIFEST: manifest}))
    with pytest.raises(JournalError, match=told):
        read_bundle(path)


def test_another_identity_than_the_journals_is_refused_even_when_it_is_resealed(tmp_path: Path) -> None:
    path = tmp_path / "r.zip"
    path.write_bytes(pack("r", PLAIN, MEMBERS | {IDENTITY: {"id": "e"}})[0])
    with pytest.raises(JournalError, match=r"document\.json is not the document that the journal names"):
        read_bundle(path)


def test_another_document_than_the_journals_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.zip"
    path.write_bytes(pack("r", PLAIN, MEMBERS, {"document": b"other"})[0])
    with pytest.raises(JournalError, match="a document in it is not the one"):
        read_bundle(path)


@examples(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, len(DATA) - 1), byte=st.integers(0, 255))
def test_any_changed_byte_is_noticed_or_changes_nothing(tmp_path: Path, at: int, byte: int) -> None:
    path = tmp_path / "r.zip"
    path.write_bytes(DATA)
    whole = read_bundle(path)
    path.write_bytes(DATA[:at] + bytes([byte]) + DATA[at + 1 :])
    try:
        assert read_bundle(path) == whole
    except JournalError as error:
        assert "\n" not in error.message


@examples(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_changed_byte_of_a_member_is_noticed_also_by_one_who_packs_it_again(
    tmp_path: Path, data: st.DataObject
) -> None:
    members = parts()
    name = data.draw(st.sampled_from(sorted(members)))
    at = data.draw(st.integers(0, len(members[name]) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != members[name][at]))
    changed = members[name][:at] + bytes([byte]) + members[name][at + 1 :]
    path = tmp_path / "r.zip"
    path.write_bytes(zipped(members | {name: changed}))
    with pytest.raises(JournalError):
        read_bundle(path)


def bomb() -> bytes:
    return zipped(parts() | {VIEW: b'{"a":"' + b" " * (32 << 20) + b'"}'})


def doubled() -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")
        for name, data in (*parts().items(), (VIEW, b"{}")):
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "not a bundle"),
        (b"PK\x03\x04 and nothing else", "not a bundle"),
        (b"%PDF-1.7", "not a bundle"),
        (DATA[: len(DATA) // 2], "not a bundle"),
        (zipped({"hello.txt": b"x"}), "hello.txt"),
        (zipped(parts() | {"../../etc/passwd": b"x"}), "etc/passwd"),
        (zipped({name: data for name, data in parts().items() if name != ORIGIN}), r"origin\.json is not in it"),
        (doubled(), "a member twice"),
        (bomb(), "is too large"),
        (zipped(parts() | {MANIFEST: b"[" * 100_000}), "nested deeper"),
        (zipped(parts() | {MANIFEST: b'{"a":' * 200 + b"1" + b"}" * 200}), "nested too deep"),
        (zipped(parts() | {MANIFEST: b'{"a":NaN}'}), "damaged"),
        (zipped(parts() | {MANIFEST: b'{"a":"\\ud800"}'}), "not JSON|damaged"),
        (zipped(parts() | {MANIFEST: b'{"a":' + b"9" * 5_000 + b"}"}), "not JSON"),
        (zipped(parts() | {MANIFEST: b"\xff"}), "not JSON"),
    ],
)
def test_what_is_no_bundle_or_a_trap_is_one_line(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "r.zip"
    path.write_bytes(data)
    with pytest.raises(JournalError, match=told) as caught:
        read_bundle(path)
    assert "\n" not in caught.value.message and len(caught.value.message) < 300


def test_a_bundle_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be read"):
        read_bundle(tmp_path / "none.zip")


def test_what_cannot_be_written_is_refused() -> None:
    nested: Json = {}
    for _ in range(MAX_DEPTH + 1):
        nested = {"a": nested}
    for value in (nested, {"a": float("nan")}, {"a": "\ud800"}, {"a": object()}):
        with pytest.raises(JournalError, match="cannot be written"):
            canonical_json(value)


def test_the_chain_starts_anew_for_every_format_and_covers_all_before() -> None:
    found, end = chain_events(PLAIN)
    assert json.loads(found[-1])["chain"] == end
    assert chain_events(PLAIN[:3])[1] == json.loads(found[2])["chain"]


KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"


def test_folders_addresses_and_keys_do_not_leave() -> None:
    clean = create_redactor(["/home/ann", "/home/ann/acme", "/"], ["topsecretvalue"])
    started = clean.redact_event(
        {
            "kind": "run_started",
            "document": {"path": "/home/ann/acme/lease.pdf", "sha256": "f"},
            "settings": {"out": "/srv/out", "anthropic_base_url": "https://me:pw@host", "output_schema": "/x/y/s.json"},
        }
    )
    assert started["document"]["path"] == "lease.pdf" and started["settings"] == {"output_schema": "s.json"}
    notice = {"kind": "noticed", "code": "trace", "message": "/var/lib/x/trace.json and ~/y/z cannot be written, 3/4"}
    assert clean.redact_event(notice)["message"] == "[folder]/trace.json and [folder]/z cannot be written, 3/4"
    code = {
        "kind": "snippet_ran",
        "code": "open('/home/ann/acme/a')",
        "output": "/s/ Ann, /home/ann and topsecretvalue",
    }
    assert clean.redact_event(code) == {
        "kind": "snippet_ran",
        "code": "open('[folder]/a')",
        "output": "/s/ Ann, [folder]/ and [key]",
    }
    assert clean.redact_event({"kind": "said", "text": f"{KEY} dG9wc2VjcmV0dmFsdWU"})["text"] == "[key] [key]"


def test_results_are_kept_to_the_letter_but_for_a_key() -> None:
    clean = create_redactor(["/home/ann"], [])
    words = {"text": "see /home/ann/x"}
    step = {"attempt": {"quotes": [words], "output": "/home/ann", "error": "/home/ann/x"}, "evidence": []}
    found = clean.redact_event({"kind": "step_finished", "step": step})["step"]["attempt"]
    assert found == {"quotes": [words], "output": "/home/ann", "error": "[folder]/x"}
    assert clean.redact_event({"kind": "wrote", "output": f"/home/ann {KEY}"})["output"] == "/home/ann [key]"
    assert clean.has_folder("in /home/ann/x") and not clean.has_folder("in /home/anna/x")
