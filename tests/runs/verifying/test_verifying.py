"""Runs verified later: from their folder or from a bundle, on their document or on a new version of it."""

import io
import json
import random
import shutil
import sqlite3
import string
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeSandbox
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from journal.forging import rechain, rewritten
from journal.test_sound import mutated
from test_ask import LOOK, MEMO, RENT, TERM, verdicts

from ralph_cli import VerifierCommands, verify
from ralph_cli.api import ask, judge_test, run_goal, run_task
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, DocumentError, JournalError, RalphError, UserError
from ralph_cli.core.events import CallFinished, RunStarted
from ralph_cli.core.model import Json, Model, Usage
from ralph_cli.core.results.verification import Standing, Verification
from ralph_cli.documents.load import describe_loader
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.bundle import IDENTITY, JOURNAL, ORIGIN, VIEW, pack
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import Journal
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.safe_text import to_json
from ralph_cli.reports.verified import as_object, verification_text
from ralph_cli.runs.export import export
from ralph_cli.runs.result import Result

KEY = "sk-ant-api03-0123456789abcdefghij"
NOTHING: dict[str, Model] = {"subquery": ScriptedModel([])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds the memo."""
    (tmp_path / "memo.txt").write_text(MEMO.text, encoding="utf-8")
    return tmp_path


def settings_of(folder: Path, **more: Any) -> Settings:
    return Settings(out=folder / "out", cache=folder / "cache", strategy="rlm", **more)


def asked(folder: Path, draft: Json | None = None, document: str | Document = "", **more: Any) -> Result:
    """A question run on the memo, with scripted models."""
    draft = draft or {"claims": [RENT, TERM]}
    judged = verdicts(*((number, "supported") for number, _ in enumerate(draft.get("claims", ()), 1)))
    models: dict[str, Model] = {
        "worker": ScriptedModel([tool_reply(LOOK), tool_reply(draft)], vendor="a"),
        "judge": ScriptedModel([judged] if "claims" in draft else [], vendor="b"),
        **NOTHING,
    }
    about = document or folder / "memo.txt"
    return ask(about, "What is the rent?", settings=settings_of(folder, **more), models=models, engine=FakeSandbox)


def verified(folder: Path, what: str | Path | None = None, document: str | Path | None = None) -> Verification:
    return verify(what, document=document, settings=settings_of(folder))


def holding(found: Verification) -> dict[str, bool]:
    return {check.check: check.holds for check in found.checks}


def test_a_run_holds_on_its_document_and_says_what_was_not_repeated(folder: Path) -> None:
    run = asked(folder)
    found = verified(folder, run.run)
    assert found.holds and found.reading == "same" and found.source == "run" and found.run == run.run
    assert holding(found) == dict.fromkeys(("document", "quotes", "claims", "form", "numbers", "record"), True)
    assert [item.standing for item in found.quotes] == [Standing.HOLDS] * 2 and not found.lost
    text, shown = verification_text(found), as_object(found)
    assert "Every deterministic check that was run passed." in text
    assert (
        "supported: because - by scripted:script, as recorded, not repeated" in text
        and "no model was asked again" in text
    )
    assert shown["ok"] and shown["claims"][0]["repeated"] is False and shown["quotes"][0]["now"]["page"] == 1
    assert verified(folder) == verified(folder, run.folder) == found


def test_no_model_and_no_key_is_needed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = asked(folder, anthropic_key=KEY)
    monkeypatch.setattr("ralph_cli.wiring.models.connect", lambda *_: pytest.fail("a model was connected"))
    assert verified(folder, run.run).holds


def test_figures_are_read_again_in_the_language_that_was_said(folder: Path) -> None:
    table = folder / "table.txt"
    table.write_text("Total | 1.284\nUnits | 6.482\n", encoding="utf-8")
    draft: Json = {"claims": [{"text": "Total: 1284", "quotes": ["Total | 1.284"]}]}
    run = asked(folder, draft, str(table), language="de", max_iterations=1)
    assert run.ok and holding(verified(folder, run.run))["numbers"]
    untold = retold(folder, run, lambda event: event.get("settings", {}).pop("language", None))
    assert holding(verified(folder, untold, table))["numbers"] is False


def bundle_of(folder: Path, run: Result, name: str = "run.zip", **more: Any) -> Path:
    return export(run.run, folder / name, settings=settings_of(folder), **more).path


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_holds_with_the_document_beside_it_or_in_it(folder: Path) -> None:
    run = asked(folder)
    path, whole = bundle_of(folder, run), bundle_of(folder, run, "whole.zip", with_document=True)
    found = verified(folder, path, folder / "memo.txt")
    assert found.holds and found.source == "bundle" and holding(found)["bundle"] and len(found.seal) == 64
    with pytest.raises(DocumentError, match="does not hold the document") as caught:
        verified(folder, path)
    assert "--document (memo.txt)" in caught.value.hint
    (folder / "memo.txt").unlink()
    assert verified(folder, whole).holds and members(whole)["document"] == MEMO.text.encode()


def test_the_same_run_is_exported_to_the_same_bytes(folder: Path) -> None:
    run = asked(folder)
    one, two = (bundle_of(folder, run, name) for name in ("one.zip", "two.zip"))
    assert one.read_bytes() == two.read_bytes() and one.stat().st_mode & 0o077 == 0
    assert bundle_of(folder, run, "one.zip") == one  # the very same may be written again
    (folder / "other.zip").write_bytes(b"theirs")
    with pytest.raises(UserError, match="exists already"):
        bundle_of(folder, run, "other.zip")
    with pytest.raises(UserError, match="cannot be written"):
        bundle_of(folder, run, "no/such/folder.zip")
    assert (folder / "other.zip").read_bytes() == b"theirs"


def test_a_bundle_names_no_folder_and_no_key_of_the_machine(folder: Path) -> None:
    run = asked(folder, {"claims": [RENT]}, anthropic_key=KEY, anthropic_base_url="https://me:secret@models.example")
    everything = b"".join(members(bundle_of(folder, run)).values()).decode()
    for secret in (str(folder), str(Path.home()) + "/", KEY, "models.example", "me:secret"):
        assert secret not in everything
    assert '"path":"memo.txt"' in everything and KEY not in (
        folder / "out" / run.run / JOURNAL_FILE
    ).read_bytes().decode("latin-1")


@pytest.fixture
def lettered() -> Iterator[Path]:
    """A folder with the memo whose path has no digits: a claim that names it has no figure without a source."""
    folder = Path(tempfile.gettempdir()) / f"ralph-{''.join(random.choices(string.ascii_lowercase, k=16))}"
    folder.mkdir()
    (folder / "memo.txt").write_text(MEMO.text, encoding="utf-8")
    yield folder
    shutil.rmtree(folder)


def test_a_folder_that_a_result_names_is_kept_and_told(lettered: Path) -> None:
    folder = lettered
    asked(folder, {"claims": [RENT | {"text": f"By {folder}/memo.txt the base rent is high."}]})
    done = export(None, folder / "r.zip", settings=settings_of(folder))
    assert "results are kept to the letter" in done.notices[0]
    assert verified(folder, folder / "r.zip", folder / "memo.txt").holds
    asked(folder)
    (notice,) = export(None, folder / "other.zip", settings=settings_of(folder)).notices
    assert "needs the document" in notice


def test_a_record_that_holds_a_key_where_none_can_be_taken_out_is_not_exported(folder: Path) -> None:
    started = RunStarted("r", "qa", "q", {"path": "memo.txt"}, {}, "now")
    journal = Journal(folder / "out" / "r")
    reply = {"text": "", "calls": [], "stop": "end", "model": "m", "raw": {"a-secret-of-ours": 1}}
    for event in (started, CallFinished(1, "worker", "m", Usage(), 0.1, reply)):
        journal(event)
    journal.close()
    with pytest.raises(JournalError, match="holds a key"):
        export("r", folder / "r.zip", settings=settings_of(folder, openai_key="a-secret-of-ours"))
    assert not (folder / "r.zip").exists()
    assert export("r", folder / "r.zip", settings=settings_of(folder)).events == 2


def test_a_run_that_is_at_work_or_has_another_document_is_not_exported(folder: Path) -> None:
    run = asked(folder)
    with closing(Journal(run.folder)), pytest.raises(JournalError, match="still working on this run"):
        bundle_of(folder, run)
    (folder / "memo.txt").write_text("Another memo.", encoding="utf-8")
    with pytest.raises(DocumentError, match="not the document of that run any more"):
        bundle_of(folder, run, with_document=True)
    assert bundle_of(folder, run).exists()


NEW = MEMO.text.replace("$48,000", "$52,000").replace("\f", "Signed.\n\f").replace("Either", "\fEither")


def test_a_test_of_a_judge_is_nothing_to_verify(folder: Path) -> None:
    judge_test(claims=2, settings=settings_of(folder, judge_model="offline"))
    with pytest.raises(JournalError, match="is a judge test"):
        verified(folder)


def test_a_new_version_says_what_changed_and_what_moved(folder: Path) -> None:
    end = {"text": "It can be ended early.", "quotes": ["may end it on six months' notice after the fifth year"]}
    run = asked(folder, {"claims": [RENT, TERM, end]})
    (folder / "new.txt").write_text(NEW, encoding="utf-8")
    found = verified(folder, run.run, folder / "new.txt")
    assert found.reading == "other-document" and not found.holds
    assert [item.standing for item in found.quotes] == [Standing.CHANGED, Standing.HOLDS, Standing.MOVED]
    assert found.quotes[0].differing == ("$48,000 -> $52,000",)
    text = verification_text(found)
    assert "1 of 3 quotes is no longer in the document (1 changed); 1 on another page" in text
    read_anew = verification_text(replace(found, reading="other-reading"))
    assert (
        "1 of 3 quotes is no longer in the document's text as it is read now, though the file is the same" in read_anew
    )
    assert "no longer supported as recorded: [1] (changed)" in text and "from p. 2 to p. 3" in text
    assert "on the words as they were" in text and "52,000" in text


def test_a_new_version_in_which_everything_stands_holds(folder: Path) -> None:
    run = asked(folder)
    (folder / "new.txt").write_text(MEMO.text + "A schedule was added.\n", encoding="utf-8")
    found = verified(folder, run.run, folder / "new.txt")
    assert found.holds and "All of the quotes are still in the document." in verification_text(found)


def test_a_document_that_was_changed_behind_the_run_does_not_hold(folder: Path) -> None:
    run = asked(folder)
    (folder / "memo.txt").write_text(MEMO.text + "A schedule was added.\n", encoding="utf-8")
    found = verified(folder, run.run)
    assert not found.holds and not found.lost and holding(found)["document"] is False
    assert "it was changed since" in verification_text(found)


def test_another_reader_is_named_and_the_quotes_are_looked_up_anew(folder: Path) -> None:
    run = asked(folder)
    path = retold(folder, run, lambda event: event.get("document", {}).update(fingerprint="0" * 64, reader="loader 0"))
    found = verified(folder, path, folder / "memo.txt")
    assert found.reading == "other-reading" and found.holds
    assert f"read by loader 0, now by {describe_loader('text')}" in verification_text(found)


def retold(folder: Path, run: Result, change: Callable[[Json], None], name: str = "retold.zip") -> Path:
    """A bundle of somebody who can write one: every hash is right, the events say something else."""
    parts = members(bundle_of(folder, run, f"of-{name}"))
    events = [json.loads(line) for line in parts[JOURNAL].splitlines()]
    for line in events:
        change(line["event"])
    view, origin = json.loads(parts[VIEW]), json.loads(parts[ORIGIN])
    identity = events[0]["event"]["document"]
    told = [(line["at"], line["event"]) for line in events]
    data, _ = pack(run.run, told, {VIEW: view, IDENTITY: identity, ORIGIN: origin})
    (folder / name).write_bytes(data)
    return folder / name


def step_of(event: Json) -> Json:
    """The step of an event that ends one, else an empty one."""
    empty: Json = {"attempt": {}, "evidence": []}
    return event["step"] if event["kind"] == "step_finished" else empty


def quotes_with(**values: Any) -> Callable[[Json], None]:
    def change(event: Json) -> None:
        for quote in step_of(event)["attempt"].get("quotes", [])[:1]:
            quote.update(values)

    return change


def claims_with(**values: Any) -> Callable[[Json], None]:
    def change(event: Json) -> None:
        for claim in step_of(event)["attempt"].get("claims", []):
            claim.update(values)

    return change


def output_with(output: str) -> Callable[[Json], None]:
    return lambda event: step_of(event)["attempt"].update(output=output)


def evidence_with(**values: Any) -> Callable[[Json], None]:
    def change(event: Json) -> None:
        for item in step_of(event)["evidence"]:
            item.update(values)

    return change


def reworded(event: Json) -> None:
    for item in step_of(event)["evidence"]:
        for ruling in item["rulings"]:
            ruling.update(verdict="partly")


REFUSED = {"check": "judge", "message": "no", "claim": 1}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (quotes_with(text="a base rent of $46,000 a year"), "quotes"),
        (quotes_with(page=2), "quotes"),
        (quotes_with(match="folded"), "quotes"),
        (claims_with(quotes=[]), "form"),
        (claims_with(text="Yes."), "form"),
        (evidence_with(issues=[REFUSED]), "record"),
        (evidence_with(rulings=[]), "record"),
    ],
)
def test_a_record_that_was_made_up_with_right_hashes_fails_on_the_document(
    folder: Path, change: Callable[[Json], None], told: str
) -> None:
    path = retold(folder, asked(folder), change)
    found = verified(folder, path, folder / "memo.txt")
    assert not found.holds and holding(found)[told] is False and told in verification_text(found)


def test_a_view_that_tells_another_story_than_the_journal_is_named(folder: Path) -> None:
    path = retold(folder, asked(folder), reworded)
    assert "view.json does not tell what the journal tells" in verification_text(
        verified(folder, path, folder / "memo.txt")
    )


def test_an_absence_is_counted_again_and_refuted_by_a_new_version(folder: Path) -> None:
    run = asked(folder, {"not_found": {"searched": ["parking", "rent"]}})
    found = verified(folder, run.run)
    assert found.holds and holding(found) == dict.fromkeys(("document", "absence", "form", "record"), True)
    (folder / "new.txt").write_text(MEMO.text + "Parking is free.\n", encoding="utf-8")
    again = verified(folder, run.run, folder / "new.txt")
    assert not again.holds and "counted 0 times, it is there 1 time: parking" in verification_text(again)
    (folder / "other.txt").write_text("A base rent is nothing to us.", encoding="utf-8")
    other = verification_text(verified(folder, run.run, folder / "other.txt"))
    assert "The document is not that of the run: only the searches could be counted again in it." in other


GOOD = "The tenant pays a base rent of $48,000 a year (p. 1), in equal instalments."


def task(folder: Path, output: str = GOOD, **more: Any) -> Result:
    said = text_reply(json.dumps({"output": output, "memory_update": "Rent established: $48,000 a year (p. 1)."}))
    models: dict[str, Model] = {
        "worker": ScriptedModel([tool_reply(LOOK), tool_reply({"claims": [RENT]}), said], vendor="a"),
        "judge": ScriptedModel([text_reply('{"ok": true, "issues": []}')], vendor="b"),
        **NOTHING,
    }
    settings = settings_of(folder, **more)
    return run_task(folder / "memo.txt", "Say what is paid.", settings=settings, models=models, engine=FakeSandbox)


def test_the_output_of_a_task_is_looked_up_again(folder: Path) -> None:
    run = task(folder)
    found = verified(folder, run.run)
    assert run.outcome.ok and found.holds and holding(found)["output"] and found.output == GOOD
    assert "The output as a whole: supported" in verification_text(found)
    wrong = retold(folder, run, output_with(GOOD.replace("48", "49")))
    again = verified(folder, wrong, folder / "memo.txt")
    assert not again.holds and "the figure $49,000" in verification_text(again)
    (folder / "new.txt").write_text(NEW, encoding="utf-8")
    newer = verified(folder, run.run, folder / "new.txt")
    assert not newer.holds and "the figure $48,000" in verification_text(newer) and newer.lost


def test_the_schema_of_a_task_is_recorded_and_applied_again(folder: Path) -> None:
    schema: Json = {"type": "object", "properties": {"rent": {"type": "number"}}, "required": ["rent"]}
    (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    run = task(folder, '{"rent": 48000}', output_schema=folder / "schema.json")
    assert run.outcome.ok and verified(folder, run.run).holds
    wrong = retold(folder, run, output_with('{"rent": "48,000"}'))
    again = verified(folder, wrong, folder / "memo.txt")
    assert holding(again)["output"] is False and "$.rent" in verification_text(again)
    older = retold(folder, run, lambda e: e.get("settings", {}).pop("terms", None), "older.zip")
    assert "the schema of the run was not recorded" in verification_text(verified(folder, older, folder / "memo.txt"))


def test_a_task_from_memory_alone_is_looked_up_in_the_memory(folder: Path) -> None:
    task(folder)
    (memory,) = (folder / "out" / "memory").glob("*.md")
    output = "The rent is established: $48,000 a year, as noted in the memory."
    said = text_reply(json.dumps({"output": output, "memory_update": "The rent is $48,000 a year."}))
    judge = ScriptedModel([text_reply('{"ok": true, "issues": []}')], vendor="b")
    models: dict[str, Model] = {"worker": ScriptedModel([said], vendor="a"), "judge": judge, **NOTHING}
    run = run_task(None, "Say what is paid.", settings=settings_of(folder, memory=str(memory)), models=models)
    found = verified(folder, run.run)
    assert run.outcome.ok and found.holds and found.reading == "none" and holding(found)["output"]


def goal(folder: Path) -> Result:
    (folder / "check.py").write_text(
        "import pathlib, sys\npathlib.Path('ran').touch()\nsys.exit('48,000' not in open(sys.argv[1]).read())"
    )
    acted = [
        tool_reply({"output": "The rent is $48,000."}),
        tool_reply({"verify": True}),
        tool_reply({"say": "Ready. <promise>DONE</promise>"}),
    ]
    models: dict[str, Model] = {"worker": ScriptedModel(acted, vendor="a"), "judge": ScriptedModel([]), **NOTHING}
    return run_goal(
        folder / "memo.txt",
        "Say the rent.",
        verify=VerifierCommands(["python3 check.py {output}"], folder=folder),
        settings=settings_of(folder),
        models=models,
        engine=FakeSandbox,
    )


def test_the_evidence_of_a_goal_is_shown_and_its_commands_are_not_run(folder: Path) -> None:
    run = goal(folder)
    assert run.outcome.ok and (folder / "ran").exists()
    (folder / "ran").unlink()
    found = verified(folder, run.run)
    assert found.holds and holding(found) == {"document": True, "record": True, "output": True}
    assert "verify-1 passed (exit 0)" in verification_text(found) and not (folder / "ran").exists()
    (output,) = (folder / "out" / run.run).glob("output.*")
    output.write_text("something else")
    assert "is not the output that was recorded" in verification_text(verified(folder, run.run))
    output.unlink()
    gone = verified(folder, run.run)
    assert gone.holds and "Not checked: output." in verification_text(gone)
    path = bundle_of(folder, run)
    (folder / "memo.txt").unlink()
    packed = verified(folder, path)
    assert packed.holds and packed.reading == "none" and str(folder) not in verification_text(packed)


def test_a_goal_that_is_called_completed_against_its_evidence_is_named(folder: Path) -> None:
    path = retold(folder, goal(folder), lambda e: e.update(passed=False) if e["kind"] == "verified" else None)
    assert holding(verified(folder, path, folder / "memo.txt"))["record"] is False


def test_what_cannot_be_verified_is_one_line(folder: Path) -> None:
    with pytest.raises(JournalError, match="no runs"):
        verified(folder, "nothing")
    run = asked(folder)
    (folder / "memo.txt").unlink()
    with pytest.raises(DocumentError, match="does not exist") as caught:
        verified(folder, run.run)
    assert "--document" in caught.value.hint
    with pytest.raises(DocumentError, match="does not exist"):
        verified(folder, run.run, folder / "none.txt")
    rewritten(
        run.folder,
        "DELETE FROM event WHERE kind IN ('step_finished', 'run_halted')",
        "DELETE FROM event WHERE seq > (SELECT min(seq) FROM event WHERE kind = 'iteration_started')",
    )
    with pytest.raises(JournalError, match="no attempt that could be verified"):
        verified(folder, run.run)


def test_a_run_from_standard_input_needs_the_document_named(folder: Path) -> None:
    models: dict[str, Model] = {
        "worker": ScriptedModel([tool_reply(LOOK), tool_reply({"claims": [RENT]})], vendor="a"),
        **NOTHING,
    }
    models["judge"] = ScriptedModel([verdicts((1, "supported"))], vendor="b")
    run = ask(
        DocumentSource("-", standard_input=MEMO.text.encode),
        "What?",
        settings=settings_of(folder),
        models=models,
        engine=FakeSandbox,
    )
    with pytest.raises(DocumentError, match="standard input"):
        verified(folder, run.run)
    assert verified(folder, run.run, folder / "memo.txt").holds
    with pytest.raises(DocumentError, match="standard input"):
        bundle_of(folder, run, with_document=True)


def test_mutated_journals_are_verified_or_refused_and_never_crash(folder: Path) -> None:
    """T17: what somebody else's run folder may hold; the document is there, so every check is reached."""
    chance = random.Random(11)
    runs = [asked(folder), asked(folder, {"not_found": {"searched": ["parking"]}}), task(folder), goal(folder)]
    document = DocumentSource.of(folder / "memo.txt").load(folder / "cache")
    told = held = 0
    for number in range(160):
        path = runs[number % len(runs)].folder / JOURNAL_FILE
        whole = path.read_bytes()
        db = sqlite3.connect(path)
        rows = db.execute("SELECT seq, body FROM event WHERE kind NOT IN ('call_started', 'call_finished')").fetchall()
        seq, body = chance.choice(rows)
        value = mutated(chance, json.loads(body))
        db.execute("UPDATE event SET body = ? WHERE seq = ?", (json.dumps(value), seq))
        db.commit()
        db.close()
        rechain(path.parent)
        try:
            found = verify(path.parent, document=document, settings=settings_of(folder))
            assert verification_text(found) and to_json(as_object(found))
            held += 1
        except RalphError as error:
            assert "\n" not in error.message
            told += 1
        path.write_bytes(whole)
    assert told > 10 and held > 10


@examples(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_changed_byte_of_a_bundle_is_noticed_or_changes_nothing_that_is_shown(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder, path, whole, shown = made(tmp_path_factory)
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255))
    path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
    try:
        assert verification_text(verify(path, document=MEMO, settings=settings_of(folder))) == shown
    except RalphError as error:
        assert "\n" not in error.message


_MADE: list[tuple[Path, Path, bytes, str]] = []


def made(factory: pytest.TempPathFactory) -> tuple[Path, Path, bytes, str]:
    """One bundle and what is shown of it, made once."""
    if not _MADE:
        folder = factory.mktemp("bundle")
        path = bundle_of(folder, asked(folder, document=MEMO))
        shown = verification_text(verify(path, document=MEMO, settings=settings_of(folder)))
        _MADE.append((folder, path, path.read_bytes(), shown))
    return _MADE[0]


def test_a_bundle_that_was_tampered_with_is_not_verified(folder: Path) -> None:
    path = bundle_of(folder, asked(folder))
    parts = members(path)
    lines = parts[JOURNAL].replace(b"$48,000 a year", b"$84,000 a year")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in (parts | {JOURNAL: lines}).items():
            archive.writestr(name, data)
    path.write_bytes(out.getvalue())
    with pytest.raises(JournalError, match=r"event \d+ does not fit the chain") as caught:
        verified(folder, path, folder / "memo.txt")
    assert caught.value.code == "bundle-tampered" and "do not rely on it" in caught.value.hint


def test_settings_that_no_run_has_are_refused(folder: Path) -> None:
    def bad(event: Json) -> None:
        if event["kind"] == "run_started":
            event["settings"]["quote_chars"] = "many"

    with pytest.raises((JournalError, ConfigError), match="settings of the run"):
        verified(folder, retold(folder, asked(folder), bad), folder / "memo.txt")


RESULTS = (
    "Consolidated results\n(in millions)\nYear ended December 31,  2023  2022\n"
    "Product revenue  700  600\nTotal revenue  930  737\n\nThe fee is 5 % of revenue. It is due monthly.\n"
)
REVENUE: Json = {"text": "Total revenue was 930 million in 2023.", "quotes": ["Total revenue  930  737"]}
FEE: Json = {"text": "The fee is 5 % of revenue.", "quotes": ["fee is 5 % of revenue"]}


def results(folder: Path) -> Result:
    (folder / "results.txt").write_text(RESULTS, encoding="utf-8")
    return asked(folder, {"claims": [REVENUE, FEE]}, folder / "results.txt")


@pytest.mark.parametrize(
    ("old", "new", "failing"),
    [
        ("(in millions)", "(in thousands)", {"around", "numbers"}),
        ("2023  2022", "2022  2023", {"around"}),
        ("It is due", "This ends in 2025. It is due", {"around"}),
    ],
)
def test_a_quote_that_is_still_there_under_another_header_does_not_hold(
    folder: Path, old: str, new: str, failing: set[str]
) -> None:
    run = results(folder)
    (folder / "new.txt").write_text(RESULTS.replace(old, new), encoding="utf-8")
    found = verified(folder, run.run, folder / "new.txt")
    assert not found.holds and not found.lost
    assert {name for name, holds in holding(found).items() if not holds} == failing
    text, shown = verification_text(found), as_object(found)
    assert "still there, but its context changed: " in text and "holds." not in text
    assert "the context of 1 of those that are was changed: read it in context" in text
    assert not shown["ok"] and sum(claim["borne_out"] for claim in shown["claims"]) == 1
    assert len([quote for quote in shown["quotes"] if quote["around"]]) == 1


def test_without_the_runs_own_text_only_the_quotes_are_compared_and_the_numbers_on_the_new_text(folder: Path) -> None:
    path = bundle_of(folder, results(folder))
    (folder / "new.txt").write_text(RESULTS.replace("December 31,", "June 30,"), encoding="utf-8")
    found = verified(folder, path, folder / "new.txt")
    assert found.holds and "around" in {check.check for check in found.checks if check.skipped}
    text = verification_text(found)
    assert "Only the quotes themselves were compared, not their context." in text
    assert "the lines that head its table now: (in millions) / Year ended June 30, 2023 2022" in text
    (folder / "new.txt").write_text(RESULTS.replace("(in millions)", "(in thousands)"), encoding="utf-8")
    again = verified(folder, path, folder / "new.txt")
    assert not again.holds and holding(again)["numbers"] is False and "930 million" in verification_text(again)


def test_a_clause_under_another_heading_has_moved(folder: Path) -> None:
    old = "# Charges\n\nThe fee is 5 % of revenue.\n\n# Waived\n\nNothing is waived.\n"
    new = "# Charges\n\nThere are none.\n\n# Waived\n\nThe fee is 5 % of revenue.\n"
    (folder / "old.md").write_text(old, encoding="utf-8")
    (folder / "new.md").write_text(new, encoding="utf-8")
    run = asked(folder, {"claims": [FEE]}, folder / "old.md")
    found = verified(folder, run.run, folder / "new.md")
    assert [item.standing for item in found.quotes] == [Standing.MOVED] and not found.holds
    text = verification_text(found)
    assert 'was under "Charges", is under "Waived"' in text and "1 under another heading" in text
    assert "was line 3, under “Charges”, now line 7, under “Waived”" in text


def test_what_no_quote_or_search_ties_to_a_document_is_not_verified_on_another(folder: Path) -> None:
    (folder / "other.txt").write_text("Something else altogether.", encoding="utf-8")
    path = bundle_of(folder, goal(folder))
    assert verified(folder, path, folder / "memo.txt").holds
    found = verified(folder, path, folder / "other.txt")
    assert not found.holds and holding(found)["document"] is False
    assert "it is not the file of the run" in verification_text(
        found
    ) and "What does not hold: document." in verification_text(found)


def test_a_place_that_the_runs_own_text_does_not_have_is_no_crash(folder: Path) -> None:
    run = asked(folder)
    path = retold(folder, run, quotes_with(start=10_000, end=10_020, places=[]))
    (folder / "new.txt").write_text(MEMO.text + "A schedule was added.\n", encoding="utf-8")
    whole = folder / "with.zip"
    parts = members(path)
    told = [(line["at"], line["event"]) for line in map(json.loads, parts[JOURNAL].splitlines())]
    kept = {name: json.loads(parts[name]) for name in (VIEW, IDENTITY, ORIGIN)}
    whole.write_bytes(pack(run.run, told, kept, {"document": MEMO.text.encode()})[0])
    found = verified(folder, whole, folder / "new.txt")
    assert not found.holds and "its recorded place is not in the text of the run" in verification_text(found)
