"""A run folder of somebody else chooses neither where a key goes, nor what is executed, nor which file is used."""

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeSandbox, hand_in
from test_ask import LOOK, MEMO, RENT, TERM, verdicts

from ralph_cli.api import ask, run_task
from ralph_cli.commands.app import run
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError, DocumentError, JournalError, ProviderError, RalphError
from ralph_cli.core.events import AnyEvent, NoticeIssued, RunStarted
from ralph_cli.core.model import Model
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.verified import verification_text
from ralph_cli.runs import report
from ralph_cli.runs.export import export
from ralph_cli.runs.history import read_run
from ralph_cli.runs.opening import read_recorded
from ralph_cli.runs.resuming import record_fields as fields
from ralph_cli.runs.resuming.resume import resume
from ralph_cli.runs.verifying.verify import verify

KEY = "sk-canary-2b9f61c07d"
SECRET = "The vault behind the north hall opens with the number 7741."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memo.txt").write_text(MEMO.text)
    return tmp_path


def fakes(*, judge: str = "not", **more: Model) -> dict[str, Model]:
    worker = [tool_reply(LOOK), hand_in(RENT)] if judge == "not" else [hand_in(TERM)]
    return {
        "worker": ScriptedModel(worker, vendor="a"),
        "judge": ScriptedModel([verdicts((1, judge))], vendor="b"),
        "subquery": ScriptedModel([]),
        **more,
    }


def refused_run(folder: Path, **settings: Any) -> Path:
    """A run that was not accepted within one iteration, so that it can be resumed."""
    chosen = Settings(out=folder / "out", cache=folder / "cache", strategy="rlm", max_iterations=1, **settings)
    return ask(folder / "memo.txt", "What is the rent?", settings=chosen, models=fakes(), engine=FakeSandbox).folder


def forged(run_folder: Path, *, document: dict[str, Any] | None = None, **settings: Any) -> Path:
    """The run as somebody hands it on who has written other things into its first event."""
    first, *rest = read_events(run_folder)
    assert isinstance(first, RunStarted)
    changed = replace(first, settings={**first.settings, **settings}, document={**first.document, **(document or {})})
    return journal_of(run_folder.parent / f"{run_folder.name}-forged", changed, *rest[:-1])


def journal_of(folder: Path, *events: AnyEvent) -> Path:
    journal = Journal(folder)
    for event in events:
        journal(event)
    journal.close()
    return folder


def now(folder: Path, **settings: Any) -> Settings:
    return Settings(out=folder / "out", cache=folder / "cache", **settings)


def resumed(run_folder: Path, settings: Settings, **more: Any) -> tuple[Settings, tuple[NoticeIssued, ...]]:
    """The settings with which a run on models of the caller's is resumed, and what is said of them."""
    started = next(iter(read_events(run_folder)))
    assert isinstance(started, RunStarted)
    return fields.resumed_settings(started, settings, more.pop("changes", {}), given_models=fakes(), **more)


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A model service that refuses every key, and the keys that it was sent."""
    keys: list[str] = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            keys.append(self.headers.get("x-api-key") or self.headers.get("authorization") or "none")
            self.send_response(401)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", keys
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("vendor", ["anthropic", "openai"])
def test_a_key_goes_only_where_the_settings_of_now_say(folder: Path, vendor: str) -> None:
    first = refused_run(folder)
    with listening() as (theirs, stolen), listening() as (ours, asked):
        names = dict.fromkeys(("worker", "judge", "subquery"), f"{vendor}:some-model")
        evil = forged(first, models=names, openai_api="chat", **{f"{vendor}_base_url": theirs})
        keys = {f"{vendor}_key": KEY, f"{vendor}_base_url": ours}
        for accept in (False, True):
            told: list[AnyEvent] = []
            with pytest.raises(ProviderError, match="key was not accepted"):
                resume(
                    evil,
                    settings=now(folder, **keys),
                    accept_settings=accept,
                    models={role: model for role, model in fakes().items() if role != "worker"},
                    engine=FakeSandbox,
                    sink=told.append,
                )
            notices = [event.message for event in told if isinstance(event, NoticeIssued) and event.code == "settings"]
            assert any(theirs in message and ours in message and "accept" not in message for message in notices)
    assert stolen == [] and len(asked) >= 2 and all(KEY in key for key in asked)


def test_without_an_address_of_now_the_vendor_itself_is_asked(folder: Path) -> None:
    evil = forged(refused_run(folder), anthropic_base_url="http://127.0.0.1:9", openai_base_url="http://127.0.0.1:9")
    chosen, notices = resumed(evil, now(folder, anthropic_key=KEY), accept=True)
    assert chosen.endpoint("anthropic").base_url is None and chosen.endpoint("openai").base_url is None
    assert len([notice for notice in notices if "http://127.0.0.1:9" in notice.message]) == 2


def test_every_setting_has_a_rule_for_what_a_record_may_do() -> None:
    rules = (fields.ALWAYS_CURRENT, fields.CURRENT_UNLESS_ACCEPTED, fields.LOWER_OF_BOTH, fields.FROM_RECORD)
    assert sorted(name for rule in rules for name in rule) == sorted(Settings.model_fields)


NOW: list[tuple[str, Any, Any, bool]] = [
    ("sandbox", "native", "pyodide", True),
    ("snippet_seconds", 3_000.0, 30.0, True),
    ("snippet_memory_mb", 16_384, 2_048, True),
    ("memory", "/somewhere/notes.md", "auto", True),
    ("verify_timeout", 80_000.0, 60.0, True),
    ("out", "/somewhere/out", "", False),
    ("cache", "/somewhere/cache", "", False),
]


@pytest.mark.parametrize(("name", "theirs", "ours", "can_be_accepted"), NOW)
def test_what_is_executed_and_where_files_are_is_of_now(
    folder: Path, name: str, theirs: Any, ours: Any, can_be_accepted: bool
) -> None:
    evil = forged(refused_run(folder), **{name: theirs})
    settings = now(folder, **({name: ours} if ours else {}))
    for accept in (False, True):
        chosen, notices = resumed(evil, settings, accept=accept)
        taken = accept and can_be_accepted
        assert chosen.shown()[name] == (theirs if taken else settings.shown()[name])
        told = [notice.message for notice in notices if notice.message.startswith(name.replace("_", "-"))]
        assert bool(told) is not taken and all(str(theirs) in message for message in told)
        assert all(("--accept-settings" in message) is can_be_accepted for message in told)


def test_what_was_asked_for_is_of_the_run(folder: Path) -> None:
    first = refused_run(folder, bullets="1-5", min_coverage=0.1, retry="fresh")
    chosen, notices = resumed(first, now(folder), changes={"max_iterations": 9})
    assert (str(chosen.bullets), chosen.min_coverage, chosen.retry, chosen.max_iterations) == ("1-5", 0.1, "fresh", 9)
    assert notices == ()


@pytest.mark.parametrize("bound", ["max_cost", "max_time"])
def test_a_record_does_not_raise_a_bound_of_now(folder: Path, bound: str) -> None:
    first = refused_run(folder)
    for number, (theirs, ours, holds) in enumerate(((1e6, 2, 2), (None, 2, 2), (1, 2, 1), (1, None, 1))):
        first = forged(first, **{bound: theirs}).rename(folder / "out" / str(number))
        chosen, _ = resumed(first, now(folder, **{bound: ours}))
        assert getattr(chosen, bound) == holds


@pytest.mark.parametrize("role", ["worker", "judge", "subquery", "panel", "panel as text", "spaced", "verifier"])
def test_a_script_that_a_record_names_is_not_read(folder: Path, role: str) -> None:
    script = folder / "script.json"
    script.write_text(json.dumps([{"text": SECRET}]))
    first = refused_run(folder)
    name = f"scripted:{script}"
    models = {"worker": "a:x", "judge": "b:x", "subquery": "c:x"}
    # A setting may be written in several ways, and each names the same file.
    other_ways = {"panel": {"panel": [name]}, "panel as text": {"panel": f"a:x, {name}"}}
    more: dict[str, Any] = other_ways.get(role, {"verifier_model": f" {name}" if role == "spaced" else name})
    evil = forged(first, **({"models": models | {role: name}} if role in models else more))
    given = {given_role: model for given_role, model in fakes(judge="supported").items() if given_role != role}
    with pytest.raises(ConfigError, match="a record does not choose what is read") as caught:
        resume(evil, settings=now(folder), models=given, engine=FakeSandbox)
    assert "--accept-settings" in caught.value.hint


def test_a_forged_run_shows_the_difference_on_the_screen(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RALPH_SANDBOX", "native")
    assert run(["qa", "memo.txt", "What is the rent?", "--max-time", "0.001", "-q"]) == 4
    (first,) = (folder / "out").glob("*-qa-*")
    evil = forged(first, anthropic_base_url="http://evil.example", sandbox="auto", max_time=None)
    capsys.readouterr()
    assert run(["trace", "resume", evil.name]) == 0
    said = capsys.readouterr().err
    assert "anthropic-base-url was http://evil.example in that run and is not set now" in said
    assert "sandbox was auto in that run and is native now" in said


def test_a_folder_that_is_written_in_another_way_is_no_difference(folder: Path) -> None:
    started = next(iter(read_events(refused_run(folder))))
    assert isinstance(started, RunStarted)

    def said(cache: str) -> list[str]:
        run = replace(started, settings={**started.settings, "cache": cache})
        _, notices = fields.resumed_settings(run, Settings(out=folder / "out"), {}, given_models=fakes())
        return [notice.message for notice in notices if notice.message.startswith("cache ")]

    home = Path.home() / ".cache" / "ralph"
    assert [said(str(home)), said(f"{home}/../ralph"), said("~/.cache/ralph")] == [[], [], []]
    assert said("a\0b") and said("\ud800") and said("~nobody-here/x")
    (message,) = said(str(folder / "cache"))
    assert message.startswith(f"cache was {folder / 'cache'} in that run and is ~/.cache/ralph now")


def task_run(folder: Path, **settings: Any) -> Path:
    """A task without an end: it was refused once."""
    chosen = now(folder, strategy="rlm", max_iterations=1, **settings)
    models = fakes(reasoner=ScriptedModel(lambda request: text_reply("no result")))
    return run_task(folder / "memo.txt", "Say what is paid.", settings=chosen, models=models, engine=FakeSandbox).folder


@pytest.mark.parametrize("kept", ["memory-before.md", "schema.json"])
def test_a_link_in_a_run_folder_is_not_followed(folder: Path, kept: str) -> None:
    (folder / "schema.json").write_text('{"type": "object"}')
    secret = folder / "secret"
    secret.write_text(json.dumps({"type": "object", "description": SECRET}) if kept == "schema.json" else SECRET)
    evil = forged(task_run(folder, format="json", output_schema=folder / "schema.json"))
    (evil / kept).symlink_to(secret)
    asked = ScriptedModel(lambda request: text_reply("nothing"), vendor="a")
    models = {**fakes(), "worker": asked, "reasoner": asked}
    try:
        resume(evil, settings=now(folder), changes={"max_iterations": 2}, models=models, engine=FakeSandbox)
    except ConfigError as error:
        assert kept == "schema.json" and error.code == "no-schema"
    files = [file for file in (folder / "out").rglob("*") if file.is_file() and not file.is_symlink()]
    everything = "".join(file.read_text(errors="replace") for file in files)
    assert SECRET not in everything and SECRET not in str(asked.requests)


def test_a_memory_file_that_a_record_names_is_neither_read_nor_written(folder: Path) -> None:
    notes = folder / "elsewhere.md"
    notes.write_text(SECRET)
    evil = forged(task_run(folder), memory=str(notes))
    asked = ScriptedModel(lambda request: text_reply("nothing"), vendor="a")
    models = {**fakes(), "worker": asked, "reasoner": asked}
    told: list[AnyEvent] = []
    resume(
        evil, settings=now(folder), changes={"max_iterations": 2}, models=models, engine=FakeSandbox, sink=told.append
    )
    assert notes.read_text() == SECRET and SECRET not in str(asked.requests)
    assert any(isinstance(event, NoticeIssued) and str(notes) in event.message for event in told)


def test_a_file_that_a_record_names_and_that_is_not_its_document_is_not_used(folder: Path) -> None:
    secret = folder / "secret.txt"
    secret.write_text(SECRET + "\nThe tenant pays a base rent of $48,000 a year, says the other file.\n")
    evil = forged(refused_run(folder), document={"path": str(secret)})
    with pytest.raises(DocumentError, match="not the document") as caught:
        resume(evil, settings=now(folder), models=fakes(judge="supported"), engine=FakeSandbox)
    assert "--document" in caught.value.hint
    with pytest.raises(DocumentError, match="not the document"):
        export(evil, folder / "run.zip", settings=now(folder), with_document=True)
    found = verify(evil, settings=now(folder))
    assert not found.holds and not found.quotes and "says the other file" not in verification_text(found)
    source = report.load_run_document(read_run(evil), now(folder))
    assert source.document is None and "not the document" in source.missing
    # Named by a person, the same file is compared.
    assert verify(evil, document=secret, settings=now(folder)).quotes


@pytest.mark.parametrize("what", ["pipe", "folder", "nothing", "nul", "standard input"])
def test_a_path_in_a_record_that_is_no_document_is_one_line(folder: Path, what: str) -> None:
    path = {"nul": "a\0b", "standard input": "-"}.get(what, str(folder / what))
    if what == "pipe":
        os.mkfifo(path)  # opened for reading it would wait for ever
    if what == "folder":
        Path(path).mkdir()
    evil = forged(refused_run(folder), document={"path": path})
    with pytest.raises(RalphError) as caught:
        resume(evil, settings=now(folder), models=fakes(judge="supported"), engine=FakeSandbox)
    assert caught.value.hint


def test_what_a_kernel_shows_as_a_file_is_not_opened() -> None:
    path = Path("/proc/self/environ")  # of no size, like others there that are never at an end
    content = path.read_bytes() if path.exists() else pytest.skip("needs Linux")
    with pytest.raises(DocumentError, match="not the document of that run any more"):
        read_recorded({"path": str(path), "sha256": hashlib.sha256(content).hexdigest()})


def test_a_document_that_was_moved_is_named(folder: Path) -> None:
    first = refused_run(folder)
    (folder / "memo.txt").rename(folder / "moved.txt")
    with pytest.raises(DocumentError, match="does not exist") as caught:
        resume(first, settings=now(folder), models=fakes(judge="supported"), engine=FakeSandbox)
    assert "--document" in caught.value.hint
    models = fakes(judge="supported")
    again = resume(
        first,
        settings=now(folder),
        document=folder / "moved.txt",
        changes={"max_iterations": 2},
        models=models,
        engine=FakeSandbox,
    )
    assert again.outcome.ok


def test_a_journal_that_is_a_link_is_not_read(folder: Path) -> None:
    first = refused_run(folder)
    (folder / "out" / "evil").mkdir()
    (folder / "out" / "evil" / JOURNAL_FILE).symlink_to(first / JOURNAL_FILE)
    with pytest.raises(JournalError, match="is a symbolic link"):
        read_run(folder / "out" / "evil")


def test_a_special_file_is_no_document_of_a_record(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DocumentError, match="not a regular file") as caught:
        read_recorded({"path": str(tmp_path / "pipe"), "sha256": hashlib.sha256(b"").hexdigest()})
    assert caught.value.code == "unreadable"
