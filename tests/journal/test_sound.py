"""A journal of somebody else's: whatever was done to it, reading it ends well or with one clear line."""

import json
import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from journal.forging import rechain, rewritten
from journal.test_journal import EVENTS, STEP

from ralph_cli.core.errors import RalphError
from ralph_cli.core.events import AnyEvent, CallStarted, GoalSet, RunStarted, StepFinished
from ralph_cli.core.run import Claim
from ralph_cli.journal.consistency import find_inconsistency
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import Journal, is_sealed, read_events
from ralph_cli.reports.json import as_object
from ralph_cli.reports.safe_text import to_json
from ralph_cli.reports.story import story
from ralph_cli.reports.terminal import report_text
from ralph_cli.runs.history import read_run


def kept(folder: Path, events: list[AnyEvent]) -> Path:
    journal = Journal(folder)
    for event in events:
        journal(event)
    journal.close()
    return folder


def of_set(**changed: object) -> RunStarted:
    """The start of a run on two documents, something of the second one changed."""
    one = {"name": "a", "start": 0, "characters": 9, "first_page": 1, "pages": 1}
    two = {"name": "b", "start": 10, "characters": 5, "first_page": 2, "pages": 3, **changed}
    return RunStarted("r", "qa", "q", {"characters": 15, "pages": 4, "documents": [one, two]}, {}, "now")


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (StepFinished(replace(STEP, attempt=replace(STEP.attempt, claims=(Claim(1, "c", (9,)),)))), "quote 9"),
        (StepFinished(replace(STEP, attempt=replace(STEP.attempt, quotes=STEP.attempt.quotes * 2))), "one number"),
        (
            StepFinished(
                replace(STEP, attempt=replace(STEP.attempt, quotes=(replace(STEP.attempt.quotes[0], end=0),)))
            ),
            "no place",
        ),
        (RunStarted("r", "qa", "q", {"pages": "many"}, {}, "now"), "pages"),
        (RunStarted("r", "qa", "q", {"path": ["a"]}, {}, "now"), "path"),
        (RunStarted("r", "qa", "q", {}, {"models": ["a"]}, "now"), "models"),
        (RunStarted("r", "qa", "q", {"skipped": 3}, {}, "now"), "skipped"),
        (RunStarted("r", "qa", "q", {"documents": []}, {}, "now"), "not described"),
        (RunStarted("r", "qa", "q", {"documents": ["a"]}, {}, "now"), "not described"),
        (of_set(start="x"), "start"),
        (of_set(start=0), "not behind the one before"),
        (of_set(first_page=1), "not behind the one before"),
        (of_set(characters=1 << 60), "characters"),
        (of_set(characters=4), "not all of it"),
        (of_set(pages=2), "not all of it"),
        (of_set(name="a"), "one name"),
        (of_set(inner="a.zip"), "inner"),
    ],
)
def test_an_event_whose_parts_do_not_fit_is_named(tmp_path: Path, event: AnyEvent, told: str) -> None:
    assert told in find_inconsistency(event)
    with pytest.raises(RalphError, match=r"event 2 .* is inconsistent"):
        list(read_events(kept(tmp_path, [EVENTS[1], event])))


def test_what_a_run_writes_is_sound() -> None:
    assert {find_inconsistency(event) for event in (*EVENTS, of_set())} == {""}


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DELETE FROM event WHERE seq = 3", "event 3 is missing"),
        ("UPDATE event SET body = 7 WHERE seq = 2", "event 2"),
        ("UPDATE event SET body = x'80ff' WHERE seq = 2", "event 2"),
        ("UPDATE event SET body = CAST(x'80ff' AS TEXT) WHERE seq = 2", "cannot be read"),
        ("UPDATE event SET seq = 99 WHERE seq = 2", "event 2 is missing"),
        ("""UPDATE event SET body = '{"kind":"a\\n' || printf('%.9000c', 'x') || '"}' WHERE seq = 2""", "event 2"),
        ("DROP TABLE event", "not a journal"),
        ("ALTER TABLE event ADD COLUMN more TEXT", "not a journal"),
        ("UPDATE event SET body = replace(body, 'now', 'then') WHERE seq = 1", "event 1 was changed"),
        ("UPDATE event SET at = '1999' WHERE seq = 4", "event 4 was changed"),
        ("UPDATE event SET kind = 'noticed' WHERE seq = 4", "event 4 was changed"),
        ("UPDATE event SET chain = '' WHERE seq = 4", "event 4 was changed"),
        ("PRAGMA user_version = 3", "schema 3; this ralph reads up to 2"),
        ("PRAGMA user_version = 1", "not a journal"),
    ],
)
def test_a_journal_that_was_written_to_is_refused(tmp_path: Path, statement: str, told: str) -> None:
    folder = rewritten(kept(tmp_path, EVENTS), statement)
    with pytest.raises(RalphError, match=told) as caught:
        list(read_events(folder))
    assert "\n" not in caught.value.message and len(caught.value.message) < 500


def test_a_view_in_place_of_the_events_is_not_run(tmp_path: Path) -> None:
    endless = (
        "CREATE VIEW event AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS seq, 'now' AS at, 'x' AS body FROM n"
    )
    folder = rewritten(kept(tmp_path, EVENTS), "DROP TABLE event", endless)
    with pytest.raises(RalphError, match="not a journal"):
        list(read_events(folder))


def shown(folder: Path) -> None:
    """Everything that is made of a journal for a reader."""
    found = read_run(folder)
    assert report_text(found.view) and to_json(as_object(found.view)) and story(found.events)


VALUES = [None, True, 0, -1, 10**30, 1.5, "", "x", "\u202e", [], {}, [[[]]], {"a": 1}]


def mutated(chance: random.Random, value: object) -> object:
    """The value with one place in it changed, dropped or doubled."""
    if chance.random() < 0.2 or not isinstance(value, dict | list) or not value:
        return chance.choice(VALUES)
    if isinstance(value, dict):
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: mutated(chance, value[key])}
    at = chance.randrange(len(value))
    if chance.random() < 0.1:
        return [*value, value[at]]
    return [*value[:at], mutated(chance, value[at]), *value[at + 1 :]]


def test_mutated_journals_are_shown_or_refused_and_never_crash(tmp_path: Path) -> None:
    chance = random.Random(5)
    whole = (kept(tmp_path / "whole", EVENTS) / JOURNAL_FILE).read_bytes()
    folder = tmp_path / "mutant"
    folder.mkdir()
    told = 0
    for number in range(400):
        (folder / JOURNAL_FILE).write_bytes(whole)
        if number % 2:
            data = bytearray(whole)
            data[chance.randrange(len(data))] = chance.randrange(256)
            (folder / JOURNAL_FILE).write_bytes(bytes(data))
        else:
            db = sqlite3.connect(folder / JOURNAL_FILE)
            seq = chance.randrange(len(EVENTS)) + 1
            (body,) = db.execute("SELECT body FROM event WHERE seq = ?", (seq,)).fetchone()
            changed = json.dumps(mutated(chance, json.loads(body)))
            db.execute("UPDATE event SET body = ? WHERE seq = ?", (changed, seq))
            db.commit()
            db.close()
            rechain(folder)
        try:
            shown(folder)
        except RalphError as error:
            assert "\n" not in error.message
            told += 1
    assert 40 < told < 400


def test_a_row_that_is_taken_out_and_the_rest_renumbered_is_missed(tmp_path: Path) -> None:
    folder = rewritten(kept(tmp_path, EVENTS), "DELETE FROM event WHERE seq = 3", "UPDATE event SET seq = -seq")
    rewritten(folder, *(f"UPDATE event SET seq = {n - (n > 3)} WHERE seq = -{n}" for n in range(1, 11) if n != 3))
    with pytest.raises(RalphError, match="event 3 was changed, or another event is before it"):
        list(read_events(folder))
    assert len(list(read_events(rechain(folder)))) == len(EVENTS) - 1


def test_no_bit_can_be_changed_unnoticed(tmp_path: Path) -> None:
    chance = random.Random(7)
    folder = kept(tmp_path, EVENTS)
    whole = (folder / JOURNAL_FILE).read_bytes()
    told = 0
    for _ in range(300):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        (folder / JOURNAL_FILE).write_bytes(bytes(data))
        try:
            assert list(read_events(folder)) == EVENTS  # where nothing is stored
        except RalphError:
            told += 1
    assert told > 50


def test_a_journal_without_a_chain_is_read_and_a_kind_that_is_unknown_is_named(tmp_path: Path) -> None:
    """As the version before this one wrote it: goals carried things over, and calls had no ordinal."""
    db = sqlite3.connect(tmp_path / JOURNAL_FILE)
    db.execute("CREATE TABLE event (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL)")
    old: list[dict[str, object]] = [
        {"kind": "goal_set", "verifiers": [["v", "true"]], "require_verifier": True, "continues": "r", "iteration": 3},
        {"kind": "call_started", "number": 1, "agent": "a", "model": "m", "characters": 1, "digest": "d", "sent": "s"},
    ]
    for event in old:
        row = ("now", event["kind"], json.dumps(event))
        db.execute("INSERT INTO event (at, kind, body) VALUES (?, ?, ?)", row)
    db.commit()
    assert list(read_events(tmp_path)) == [
        GoalSet((("v", "true"),), True, "", "r"),
        CallStarted(1, "a", "m", 1, "d", "s"),
    ]
    assert not is_sealed(tmp_path, b"key")
    db.execute("INSERT INTO event (at, kind, body) VALUES ('now', 'dreamt', '{\"kind\": \"dreamt\"}')")
    db.commit()
    db.close()
    with pytest.raises(RalphError, match=r"event 3 .* \(of a kind that this ralph does not know: 'dreamt'"):
        list(read_events(tmp_path))


def test_only_who_has_the_key_can_seal_a_journal(tmp_path: Path) -> None:
    for folder, key in ((tmp_path / "own", b"ours"), (tmp_path / "foreign", b"theirs"), (tmp_path / "none", b"")):
        journal = Journal(folder, key)
        for event in EVENTS:
            journal(event)
        journal.close()
        assert is_sealed(folder, b"ours") is (folder.name == "own") and not is_sealed(folder, b"")
    own = tmp_path / "own"
    rewritten(own, "UPDATE event SET body = replace(body, 'later', 'never') WHERE seq = 10")
    assert not is_sealed(rechain(own), b"ours")
    assert not is_sealed(rewritten(own, "DELETE FROM event"), b"ours")
