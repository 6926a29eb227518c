"""Every field of a run folder, and of a bundle, as somebody forges it: no key leaves, nothing is run or touched."""

import json
import random
import sqlite3
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from math import nan
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
from ralph_cli.core.results.verification import Verification
from ralph_cli.journal.bundle import document_members, pack
from ralph_cli.journal.consistency import EVENT
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import read_events, read_rows
from ralph_cli.providers.scripted import ScriptedModel, tool_reply
from ralph_cli.runs.export import export
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.runs.resuming.resume import resume
from ralph_cli.runs.verifying.verify import verify
from sandbox import HostQuery
from sandbox import Result as SnippetResult

GONE = object()
CONTROLS = "\x1b]0;x\x07\u202e\x00\n"
NEVER_ENDING = ["/dev/zero", "/proc/self/environ"]
"""A device, and what a kernel shows as a file of no size."""

SET = 3
SET_FILES = (b"A note.\n", b"A letter.\n")
FREE = ("path", "inner", "reader", "cautions", "skipped")
"""What a record says of where its documents lay and what was said of them, which their hashes and text do not show."""

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
    """The value with `new` at the place; without the place, if it is to be `GONE`."""
    if not path:
        return new
    key, *rest = path
    if not rest and new is GONE:
        return without(value, key)
    if isinstance(value, dict):
        return {**value, key: put(value[key], tuple(rest), new)}
    return [put(item, tuple(rest), new) if at == key else item for at, item in enumerate(value)]


def without(value: Any, key: object) -> Any:
    """The value without the item that is there."""
    if isinstance(value, dict):
        return {name: item for name, item in value.items() if name != key}
    return [item for at, item in enumerate(value) if at != key]


def anothers(document: Any, path: tuple[object, ...]) -> object:
    """What stands at this place of the record in another document of the set; of no document's place, the last one."""
    other = document["documents"][path[2] - 1 if len(path) > 2 and isinstance(path[2], int) else -1]
    return other.get(path[3]) if len(path) > 3 else other


def zipped(**files: bytes) -> bytes:
    """An archive with these files."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return packed.getvalue()


def recorded_set(folder: Path) -> Result:
    """A run on a folder with a text, an archive within an archive, and a file that cannot be read."""
    deal = folder / "deal"
    deal.mkdir()
    (deal / "memo.txt").write_text(MEMO.text)
    (deal / "old.zip").write_bytes(zipped(note_txt=SET_FILES[0], older_zip=zipped(letter_txt=SET_FILES[1])))
    (deal / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    settings = Settings(out=folder / "out", cache=folder / "cache", strategy="rlm")
    return ask(deal, "What is the rent?", settings=settings, models=Paying().models(), engine=FakeSandbox)


def recorded_runs(folder: Path) -> list[Result]:
    """A run of each mode, on documents that lie in the folder, and one on a set of them."""
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
        recorded_set(folder),
    ]


@pytest.mark.parametrize("count", [12, pytest.param(800, marks=pytest.mark.full)])
def test_no_field_of_a_foreign_record_reaches_a_key_a_program_or_a_file(
    tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    secret = outside / "secret.txt"
    secret.write_text(SECRET)
    (tmp_path / "link").symlink_to(secret)
    runs = recorded_runs(tmp_path)
    records = [[EVENT.dump_python(event, mode="json") for event in read_events(done.folder)] for done in runs]
    chance = random.Random(3)
    places = [
        (number, seq, path)
        for number, events in enumerate(records)
        for seq, event in enumerate(events, 1)
        for path in leaves(event)
    ]
    of_set = [place for place in places if (*place[:2], *place[2][:1]) == (SET, 1, "document")]
    forged = refused = confirmed = 0
    _seen.clear()
    monkeypatch.setattr(sys.modules[__name__], "_watched", [str(outside), *NEVER_ENDING])
    with listening() as (theirs, stolen), listening() as (ours, _):
        hostile = [
            str(secret), f"{outside}/new", f"../outside/{secret.name}", f"scripted:{secret}", f"touch {outside}/pwned",
            theirs, f"anthropic:{theirs}", f"; touch {outside}/pwned #", None, True, -1, 10**25, 0.5, "", [], {}, [[]],
            {"a": [None]}, ["x"] * 3, CONTROLS, "x" * 70_000, nan, 0, "/etc/passwd", "../../../../etc/passwd", "link",
            GONE, [CONTROLS, str(secret)], [f"{theirs}/x.zip"] * 99, *NEVER_ENDING,
        ]  # fmt: skip
        settings = Settings(
            out=tmp_path / "out", cache=tmp_path / "cache", anthropic_key=KEY, openai_key=KEY,
            anthropic_base_url=ours, openai_base_url=ours,
        )  # fmt: skip
        for number, seq, path in [*chance.sample(places, count), *chance.choices(of_set, k=count // 2)]:
            done = runs[number]
            folder = tmp_path / "forged" / str(forged) / "20260101-forged"
            folder.mkdir(parents=True)
            for kept in done.folder.iterdir():
                (folder / kept.name).write_bytes(kept.read_bytes())
            was = records[number][seq - 1]
            others = [anothers(was["document"], path)] * 9 if (number, seq) == (SET, 1) else []
            new = chance.choice([*hostile, *others])
            changed = put(was, path, new) if path or new is not GONE else None
            if path and path[-1] == "settings":
                changed = {**was, "settings": {"anthropic_base_url": theirs, "sandbox": "native"}}
            with closing(sqlite3.connect(folder / JOURNAL_FILE)) as db:
                db.execute("UPDATE event SET body = ? WHERE seq = ?", (json.dumps(changed), seq))
                if chance.random() < 0.7:
                    db.execute("DELETE FROM event WHERE kind IN ('run_halted')")
                if chance.random() < 0.5:
                    half = "SELECT max(seq) * 2 / 3 FROM event"
                    db.execute(f"DELETE FROM event WHERE seq > max(({half}), {seq})")
                db.commit()
            rechain(folder)
            forged += 1
            document = (tmp_path / "memo.txt", LEASE, tmp_path / "memo.txt", tmp_path / "deal")[number]
            for use in uses(folder, document, settings):
                try:
                    found = use()
                except RalphError as error:
                    assert "\n" not in error.message and KEY not in error.line, error.line
                    refused += 1
                else:
                    if isinstance(found, Verification) and found.holds and found.reading == "same":
                        confirmed += 1
                        about = path[:1] == ("document",) and not set(FREE) & set(path)
                        assert not about or changed == was or new is GONE, (path, changed)
            said = "".join(capsys.readouterr())
            assert KEY not in said and SECRET not in said and not set("\x00\x07\x1b\u202e") & set(said)
            looked_at = "path" in path or path[-1:] in ((), ("document",), ("documents",)) or len(path) == 3
            read = [what for what in _seen if not looked_at or any(name in what[1] for name in NEVER_ENDING)]
            assert read == [], (changed, path)
            _seen.clear()
    assert stolen == [] and sorted(outside.iterdir()) == [secret] and secret.read_text() == SECRET
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.resolve() != secret:
            content = file.read_bytes()
            assert KEY.encode() not in content and SECRET.encode() not in content, file
    print(f"{forged} of {len(places)} fields were forged, {refused} uses refused, {confirmed} confirmed")
    assert forged == count * 3 // 2 and refused > count and confirmed


def uses(folder: Path, document: Document | Path, settings: Settings) -> list[Callable[[], object]]:
    """All that can be done with a run folder."""
    out = ["--out", str(folder.parent)]
    written = [f"--{form}={folder}/report.{form}" for form in ("html", "md", "csv")]
    return [
        lambda: run(["trace", "show", folder.name, *out]),
        lambda: run(["trace", "list", "--json", *out]),
        lambda: run(["trace", "report", folder.name, *written, *out]),
        lambda: verify(folder, settings=settings),
        lambda: verify(folder, document=document, settings=settings),
        lambda: verify(bundled(folder), settings=settings),
        lambda: export(folder, folder / "exported.zip", settings=settings, with_document=True),
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
    contents = [MEMO.text.encode(), *SET_FILES] if "documents" in members["document.json"] else [MEMO.text.encode()]
    documents = document_members(contents, of_set=len(contents) > 1)
    path.write_bytes(pack(str(first.get("run", "")), rows, members, documents)[0])
    return path
