"""Every field of a run folder, and of a bundle, as somebody forges it: no key leaves, nothing is run or touched."""

import json
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeSandbox
from journal.forging import rechain
from modes.test_goal import DONE, VERIFY
from test_ask import MEMO
from test_forged_runs import KEY, SECRET, listening
from test_resume import VARYING, Paying
from test_task import LEASE
from test_task_resume import chosen, noted, whole

from ralph_cli.api import ask, run_goal
from ralph_cli.commands.app import run
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import RalphError
from ralph_cli.core.model import Json, Model
from ralph_cli.journal.bundle import pack
from ralph_cli.journal.consistency import EVENT
from ralph_cli.journal.store import JOURNAL_FILE, read_events, read_rows
from ralph_cli.providers.scripted import ScriptedModel, tool_reply
from ralph_cli.runs.export import export
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.runs.resuming.resume import resume
from ralph_cli.runs.verifying.verify import verify
from sandbox import HostQuery
from sandbox import Result as SnippetResult

_seen: list[tuple[str, str]] = []
_watched: list[str] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watched and event in (
        "open",
        "os.remove",
        "os.rename",
        "os.mkdir",
        "os.listdir",
        "subprocess.Popen",
        "os.exec",
    ):
        text = repr(arguments)
        if any(word in text for word in _watched):
            _seen.append((event, text[:300]))


sys.addaudithook(_watch)


class InertSandbox(FakeSandbox):
    """Runs nothing, so that no code of a record is run in the process of the tests."""

    def run(self, code: str, query: HostQuery, **options: object) -> SnippetResult:
        return SnippetResult("something else\n", 15, None, None, False, 0.0)


def leaves(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The places of a value at which a forger may put something else."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from leaves(item, (*path, key))


def put(value: Any, path: tuple[object, ...], new: object) -> Any:
    """The value with `new` at the place."""
    if not path:
        return new
    key, *rest = path
    if isinstance(value, dict):
        return {**value, key: put(value[key], tuple(rest), new)}
    return [put(item, tuple(rest), new) if at == key else item for at, item in enumerate(value)]


def recorded_runs(folder: Path) -> list[Result]:
    """A run of each mode, on documents that lie in the folder."""
    settings = Settings(out=folder / "out", cache=folder / "cache", strategy="rlm")
    (folder / "memo.txt").write_text(MEMO.text)
    memo = folder / "memo.txt"
    noted(folder)
    acts = ({"code": VARYING}, {"output": "bad"}, VERIFY, {"output_from": "mark"}, VERIFY, DONE)
    goal: dict[str, Any] = {
        **Paying().models(), "worker": ScriptedModel([tool_reply(act) for act in acts])
    }  # fmt: skip
    return [
        ask(memo, "What is the rent?", settings=settings, models=Paying().models(), engine=FakeSandbox),
        whole(folder, chosen(folder, cache=folder / "cache"))[0],
        run_goal(memo, "Copy it", verify=["true"], settings=settings, models=goal, engine=FakeSandbox),
    ]


@pytest.mark.parametrize("count", [18, pytest.param(1_700, marks=pytest.mark.full)])
def test_no_field_of_a_foreign_record_reaches_a_key_a_program_or_a_file(
    tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret.txt"
    secret.write_text(SECRET)
    runs = recorded_runs(tmp_path)
    chance = random.Random(3)
    places = [
        (number, seq, path)
        for number, done in enumerate(runs)
        for seq, event in enumerate(read_events(done.folder), 1)
        for path in leaves(EVENT.dump_python(event, mode="json"))
    ]
    forged = refused = 0
    monkeypatch.setattr(sys.modules[__name__], "_watched", [str(outside)])
    with listening() as (theirs, stolen), listening() as (ours, _):
        hostile = [
            str(secret), f"{outside}/new", f"../outside/{secret.name}", f"scripted:{secret}", f"touch {outside}/pwned",
            theirs, f"anthropic:{theirs}", f"; touch {outside}/pwned #", None, True, -1, 10**25, 0.5, "", [], {}, [[]],
            {"a": [None]}, ["x"] * 3, "\\x1b]0;x\\x07\u202e", "x" * 70_000,
        ]  # fmt: skip
        settings = Settings(
            out=tmp_path / "out", cache=tmp_path / "cache", anthropic_key=KEY, openai_key=KEY,
            anthropic_base_url=ours, openai_base_url=ours,
        )  # fmt: skip
        for number, seq, path in chance.sample(places, count):
            done = runs[number]
            folder = tmp_path / "forged" / str(forged) / "20260101-forged"
            folder.mkdir(parents=True)
            for kept in done.folder.iterdir():
                (folder / kept.name).write_bytes(kept.read_bytes())
            with closing(sqlite3.connect(folder / JOURNAL_FILE)) as db:
                (body,) = db.execute("SELECT body FROM event WHERE seq = ?", (seq,)).fetchone()
                changed = put(json.loads(body), path, chance.choice(hostile))
                if path and path[-1] == "settings":
                    changed = {**json.loads(body), "settings": {"anthropic_base_url": theirs, "sandbox": "native"}}
                db.execute("UPDATE event SET body = ? WHERE seq = ?", (json.dumps(changed), seq))
                if chance.random() < 0.7:
                    db.execute("DELETE FROM event WHERE kind IN ('run_halted')")
                if chance.random() < 0.5:
                    half = "SELECT max(seq) * 2 / 3 FROM event"
                    db.execute(f"DELETE FROM event WHERE seq > max(({half}), {seq})")
                db.commit()
            rechain(folder)
            forged += 1
            document = LEASE if number == 1 else tmp_path / "memo.txt"
            for use in uses(folder, document, settings):
                try:
                    use()
                except RalphError as error:
                    assert "\n" not in error.message and KEY not in error.line, error.line
                    refused += 1
            said = "".join(capsys.readouterr())
            assert KEY not in said and SECRET not in said
            read = [what for what in _seen if not (path[:2] == ("document", "path") or path in ((), ("document",)))]
            assert read == [], (changed, path)
            _seen.clear()
    assert stolen == [] and sorted(outside.iterdir()) == [secret] and secret.read_text() == SECRET
    for file in tmp_path.rglob("*"):
        if file.is_file() and file != secret:
            content = file.read_bytes()
            assert KEY.encode() not in content and SECRET.encode() not in content, file
    print(f"{forged} of {len(places)} fields were forged, {refused} uses refused")
    assert forged == count and refused > count


def uses(folder: Path, document: Document | Path, settings: Settings) -> list[Callable[[], object]]:
    """All that can be done with a run folder."""
    out = ["--out", str(folder.parent)]
    return [
        lambda: run(["trace", "show", folder.name, *out]),
        lambda: run(["trace", "list", "--json", *out]),
        lambda: verify(folder, document=document, settings=settings),
        lambda: verify(bundled(folder), document=document, settings=settings),
        lambda: export(folder, folder / "exported.zip", settings=settings),
        lambda: replay(folder, settings=settings, document=document),
        lambda: resume(folder, settings=settings, document=document, models=silent(), engine=InertSandbox),
        lambda: resume(folder, settings=settings, engine=InertSandbox),
        lambda: goal_again(folder, settings),
    ]


def silent() -> dict[str, Model]:
    """Models that go by the names of the record, and have nothing more to say."""
    return {role: ScriptedModel([], name=f"scripted:{role}", vendor=role) for role in ("worker", "judge", "subquery")}


def goal_again(folder: Path, settings: Settings) -> None:
    """`ralph goal --continue` where the forged run lies."""
    now = settings.model_copy(update={"out": folder.parent})
    run_goal("memo.txt", "Copy it", verify=["true"], settings=now, models=silent(), engine=InertSandbox, resume=True)


def bundled(folder: Path) -> Path:
    """The forged run as a bundle that is whole and of one piece."""
    path = folder / "forged.zip"
    rows: list[tuple[str, Json]] = [(row.at, EVENT.dump_python(row.event, mode="json")) for row in read_rows(folder)]
    first = rows[0][1]
    members: dict[str, Json] = {"view.json": {}, "document.json": first.get("document", {}), "origin.json": {}}
    path.write_bytes(
        pack(str(first.get("run", "")), rows, members, (folder.parent.parent.parent / "memo.txt").read_bytes())[0]
    )
    return path
