"""A run over several documents, with scripted models: what each is told, what is recorded, and what is verified."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from fakes import NOT_THERE, FakeSandbox, hand_in, script_models, second_reader
from runs.test_ask import verdicts

from ralph_cli import verify
from ralph_cli.api import ask, run_task
from ralph_cli.commands.app import run as run_command
from ralph_cli.config import Settings
from ralph_cli.core.errors import DocumentError, JournalError
from ralph_cli.core.events import RunStarted
from ralph_cli.core.model import Model, UserTurn
from ralph_cli.core.results.verification import Standing
from ralph_cli.core.run import StopType
from ralph_cli.journal.bundle import canonical_json
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.json import as_object
from ralph_cli.reports.terminal import report_text
from ralph_cli.runs.export import export
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.resume import resume

LEASE = "Lease of the north hall.\n\nThe tenant pays a rent of $48,000 a year.\n\nThe lease ends on 31 March 2031.\n"
LETTER = "Side letter of 2 May 2027.\n\nFrom 2028 the rent is $52,000 a year.\n"
FIRST = {"text": "The lease sets a rent of $48,000 a year.", "quotes": ["a rent of $48,000 a year"]}
LATER = {"text": "By letter.txt the rent is $52,000 a year from 2028.", "quotes": ["From 2028 the rent is $52,000"]}


@pytest.fixture
def deal(tmp_path: Path) -> Path:
    folder = tmp_path / "deal"
    folder.mkdir()
    (folder / "lease.txt").write_text(LEASE)
    (folder / "letter.txt").write_text(LETTER)
    return folder


def settings_of(folder: Path, **more: Any) -> Settings:
    return Settings(out=folder.parent / "out", cache=folder.parent / "cache", strategy="rlm", **more)


def asked(deal: Path | list[Path], *steps: dict[str, Any], **more: Any) -> tuple[Result, ScriptedModel, ScriptedModel]:
    worker = ScriptedModel([tool_reply(step) for step in steps], vendor="a")
    claims = len(steps[-1].get("claims", ()))
    said = verdicts(*((n, "supported") for n in range(1, claims + 1)))
    judge = ScriptedModel(lambda request: second_reader(request) or said, vendor="b")
    models: dict[str, Model] = {"worker": worker, "judge": judge, "subquery": ScriptedModel([])}
    settings = settings_of(deal if isinstance(deal, Path) else deal[0].parent, **more)
    return ask(deal, "What is the rent?", settings=settings, models=models, engine=FakeSandbox), worker, judge


def told(model: ScriptedModel, at: int = -1) -> str:
    request = model.requests[at]
    return request.system + "\n".join(turn.text for turn in request.turns if isinstance(turn, UserTurn))


def test_each_quote_names_its_document_to_everybody(deal: Path) -> None:
    result, worker, judge = asked(deal, {"code": "find('rent')"}, {"claims": [FIRST, LATER]})
    assert result.ok, result.outcome.halt
    opening = told(worker, 0)
    assert (
        "2 documents" in opening and "1. lease.txt (text, 1; " in opening and "There are several documents." in opening
    )
    seen = "".join(str(turn) for turn in worker.requests[1].turns)
    assert (
        "places in 2 documents of 2, in turns: lease.txt 1; letter.txt 1" in seen
        and "page 2 (letter.txt), offset" in seen
    )
    asked_of_judge = told(judge)
    assert "Document 1, page 1:" in asked_of_judge and "Document 2, page 1:" in asked_of_judge
    assert "2. letter.txt: Side letter of 2 May 2027." in asked_of_judge
    shown = as_object(result.view)
    assert [(quote["document"], quote["page"], quote["place"]) for quote in shown["quotes"]] == [
        ("lease.txt", 1, "lease.txt, line 3"),
        ("letter.txt", 1, "letter.txt, line 3"),
    ]
    assert [entry["name"] for entry in shown["document"]["documents"]] == ["lease.txt", "letter.txt"]
    assert {entry["name"] for entry in shown["coverage"]["documents"]} == {"lease.txt", "letter.txt"}
    assert "letter.txt, line 3" in report_text(result.view)


def test_a_name_with_figures_is_no_figure_of_a_claim(deal: Path) -> None:
    (deal / "letter.txt").rename(deal / "letter 2027-05 v3.txt")
    claim = {**LATER, "text": "By letter 2027-05 v3.txt the rent is $52,000 a year from 2028."}
    result, *_ = asked(deal, {"code": "find('rent')"}, {"claims": [FIRST, claim]})
    assert result.ok, [issue.line for issue in result.view.issues]


def test_a_run_over_a_folder_is_verified_document_by_document(deal: Path) -> None:
    result, *_ = asked(deal, {"code": "find('rent')"}, {"claims": [FIRST, LATER]})
    settings = settings_of(deal)
    assert verify(result.run, settings=settings).holds
    moved = deal.with_name("moved")
    shutil.copytree(deal, moved)
    assert verify(result.run, document=moved, settings=settings).reading == "same"
    (moved / "a first.txt").write_text("A new document, so that all places move.")
    (moved / "letter.txt").write_text(LETTER.replace("52,000", "51,000"))
    found = verify(result.run, document=moved, settings=settings)
    assert [item.standing for item in found.quotes] == [Standing.HOLDS, Standing.CHANGED]
    assert found.quotes[0].where == "lease.txt, line 3" and found.quotes[1].where == "letter.txt, line 3"
    (moved / "letter.txt").unlink()
    lost = verify(result.run, document=moved, settings=settings).quotes[1]
    assert lost.standing is Standing.GONE and lost.notes == ("letter.txt is not in the set any more",)


def test_a_changed_file_is_named_and_nothing_of_it_is_used(deal: Path) -> None:
    result, *_ = asked(deal, {"code": "find('rent')"}, {"claims": [FIRST, LATER]})
    (deal / "letter.txt").write_text("Another letter.")
    found = verify(result.run, settings=settings_of(deal))
    faults = [issue.line for check in found.checks for issue in check.faults]
    assert not found.holds and "letter.txt is not the document of that run any more" in faults[0]
    with pytest.raises(DocumentError):
        export(result.run, deal.parent / "b.zip", settings=settings_of(deal), with_document=True)


def test_an_exported_set_is_verified_where_its_files_are_not(deal: Path) -> None:
    result, *_ = asked(deal, {"code": "find('rent')"}, {"claims": [FIRST, LATER]})
    path = deal.parent / "run.zip"
    export(result.run, path, settings=settings_of(deal), with_document=True)
    shutil.rmtree(deal)
    found = verify(path, settings=settings_of(deal))
    assert found.holds and found.reading == "same" and [item.where for item in found.quotes][1] == "letter.txt, line 3"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (("document-1", LEASE, "document-2", LETTER), ""),
        (("document-1", LETTER, "document-2", LEASE), "a document in it is not the one"),
        (("document-1", LEASE), "other documents than"),
        (("document-1", LEASE, "document-2", LETTER, "document-3", LETTER), "other documents than"),
        (("document-0", LEASE, "document-1", LETTER), "other documents than"),
        (("document-1", LEASE, "document-\u0662", LETTER), "not packed the way"),
        (("document", LEASE), "other documents than"),
        (("document-1", LEASE, "document-1", LETTER), "a member twice"),
        *((("document-1", LEASE, name, LETTER), "it holds") for name in ("../../etc/x", "/etc/x", "document-2/../x")),
        (("document-1", LEASE, "document-2\x1b[2J\n", LETTER), "it holds"),
    ],
)
def test_the_files_in_a_bundle_are_those_of_its_record_or_it_is_refused(
    deal: Path, files: tuple[str, ...], told: str, recwarn: pytest.WarningsRecorder
) -> None:
    result, *_ = asked(deal, {"code": "find('rent')"}, {"claims": [FIRST, LATER]})
    path = deal.parent / "run.zip"
    export(result.run, path, settings=settings_of(deal))
    before = sorted(deal.parent.rglob("*"))
    with ZipFile(path) as bundle:
        members = {name: bundle.read(name) for name in bundle.namelist()}
    manifest, documents = json.loads(members["manifest.json"]), list(zip(files[::2], files[1::2], strict=True))
    for name, text in documents:
        data = text.encode()
        manifest["members"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    with ZipFile(path, "w") as bundle:
        for name, data in (members | {"manifest.json": canonical_json(manifest)}).items():
            bundle.writestr(name, data)
        for name, text in documents:
            bundle.writestr(name, text)
    if told:
        with pytest.raises(JournalError, match=told) as caught:
            verify(path, settings=settings_of(deal))
        assert not set("\x1b\n") & set(caught.value.line)
    else:
        assert verify(path, settings=settings_of(deal)).holds
    assert sorted(deal.parent.rglob("*")) == before


def test_files_of_one_name_are_exported_without_the_folders_of_this_machine(deal: Path) -> None:
    files = [deal / "lease.txt", deal.parent / "elsewhere" / "new" / "lease.txt"]
    files[1].parent.mkdir(parents=True)
    files[1].write_text(LETTER)
    result, *_ = asked(files, {"code": "find('rent')"}, {"claims": [FIRST]})
    names = [entry["name"] for entry in result.view.document["documents"]]
    assert names == ["deal/lease.txt", "elsewhere/new/lease.txt"]
    path = deal.parent / "run.zip"
    export(result.run, path, settings=settings_of(deal), with_document=True)
    with ZipFile(path) as bundle:
        assert all(str(deal.parent).encode() not in bundle.read(name) for name in bundle.namelist())
    found = verify(path, settings=settings_of(deal))
    assert found.holds and found.reading == "same"


@pytest.mark.parametrize("name", ["name", "fingerprint", "sha256", "kind"])
def test_a_record_that_describes_other_documents_does_not_hold(deal: Path, name: str) -> None:
    result, *_ = asked(deal, {"code": "find('rent')"}, {"claims": [FIRST, LATER]})
    settings, (first, *rest) = settings_of(deal), read_events(result.folder)
    assert isinstance(first, RunStarted) and verify(result.run, document=deal, settings=settings).holds
    one, two = first.document["documents"]
    swapped = [{**one, name: two[name] + "?"}, {**two, name: one[name]}]
    journal = Journal(settings.out / "forged")
    for event in (replace(first, document={**first.document, "documents": swapped}), *rest):
        journal(event)
    journal.close()
    found = verify("forged", document=deal, settings=settings)
    faults = [issue.message for check in found.checks for issue in check.faults]
    assert not found.holds and f"its record gives another {name} of lease.txt" in faults


def test_a_run_over_a_folder_is_resumed(deal: Path) -> None:
    worker = ScriptedModel([tool_reply({"code": "find('rent')"}), hand_in(FIRST)], vendor="a")
    models: dict[str, Model] = {"worker": worker, "judge": ScriptedModel([], vendor="b"), "subquery": ScriptedModel([])}
    settings = settings_of(deal, max_calls=2)
    cut = ask(deal, "What is the rent?", settings=settings, models=models, engine=FakeSandbox)
    assert cut.outcome.halt.type is StopType.MAX_CALLS
    again = script_models([], [verdicts((1, "supported"))])
    result = resume(cut.run, settings=settings_of(deal), changes={"max_calls": 9}, models=again, engine=FakeSandbox)
    assert result.ok and result.view.quotes[0].place == "lease.txt, line 3"


def test_a_task_names_documents_and_their_own_pages(deal: Path) -> None:
    reader = ScriptedModel([tool_reply({"code": "find('rent')"}), hand_in(FIRST, LATER)], vendor="a")
    text = "The rent is $48,000 a year (lease.txt), and from 2028 it is $52,000 (letter.txt)."
    reasoner = ScriptedModel([text_reply(json.dumps({"output": text, "memory_update": ""}))], vendor="a")
    judge = ScriptedModel([text_reply(json.dumps({"ok": True, "issues": []}))], vendor="b")
    models: dict[str, Model] = {"worker": reader, "reasoner": reasoner, "judge": judge, "subquery": ScriptedModel([])}
    settings = settings_of(deal, memory="off")
    done = run_task(deal, "Draft a note on the rent", settings=settings, models=models, engine=FakeSandbox)
    assert done.ok, [issue.line for issue in done.view.issues]
    assert "(letter.txt, line 3)" in told(reasoner)


def test_the_command_line_takes_folders_and_tells_what_it_would_read(
    deal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(deal.parent)
    monkeypatch.setenv("RALPH_CACHE_DIR", str(deal.parent / "cache"))
    (deal / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    assert run_command(["ls", "deal", "-q"]) == 0
    out = capsys.readouterr().out
    assert "lease.txt" in out and "not read: broken.pdf" in out and "2 documents, " in out
    assert run_command(["ls", "deal", "--json", "-q"]) == 0
    assert [it["name"] for it in json.loads(capsys.readouterr().out)["documents"]] == ["lease.txt", "letter.txt"]
    assert run_command(["qa", "deal", "What is the rent?", "--strict-load", "-q"]) == 1
    assert "broken.pdf" in capsys.readouterr().err


def test_everybody_is_told_what_could_not_be_read(deal: Path) -> None:
    (deal / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    missing = {"not_found": {"searched": ["deposit"], "note": "no document speaks of one"}}
    result, worker, _ = asked(deal, {"code": "find('deposit')"}, missing)
    assert "(broken.pdf was not read: " in told(worker, 0)
    text = report_text(result.view)
    assert "Not searched: broken.pdf was not read: " in text, text
    assert f"scripted:script has looked for itself, too: {NOT_THERE}" in text


def test_a_record_of_a_table_is_shown_under_what_names_its_columns(deal: Path) -> None:
    rows = "\n".join(f"Customer {n},{n % 90},{n * 7}" for n in range(2, 200))
    (deal / "customers.csv").write_text(f"name,days,amount\n{rows}\nBrevik AS,75,180000\n")
    claim = {"text": "Brevik AS has 75 days.", "quotes": ["Brevik AS,75,180000"]}
    _, worker, judge = asked(deal, {"code": "find('Brevik', doc='customers')"}, {"claims": [claim]})
    seen = "".join(str(turn) for turn in worker.requests[1].turns)
    assert "(above: name,days,amount)" in seen and "(above: name,days,amount)" in told(judge)
