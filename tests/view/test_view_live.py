"""What an open page is told of runs and tables that go on, begin, change and go away."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from table.test_table import RENT, TERM, Cast, fill

from ralph_cli.config import Settings
from ralph_cli.core.errors import UserError
from ralph_cli.core.events import RunStarted
from ralph_cli.core.results.review import Mark
from ralph_cli.journal.reviews import add_review
from ralph_cli.view import following
from ralph_cli.view.asking import MOST_AT_ONCE, Asker

Found = list[tuple[str, Any]]


def lines_of(found: Found) -> list[Any]:
    return [item for kind, items in found if kind == "runs" for item in items]


def test_a_run_that_begins_goes_on_and_ends_is_told_in_the_list(
    tmp_path: Path, serve: Callable[..., Any], running: Callable[..., Any], forge: Callable[..., Path]
) -> None:
    forge("20260101-old")
    site, steps = serve(tmp_path / "out"), []

    def until(found: Found) -> bool:
        state = lines_of(found)[-1]["state"]
        if state == "running, 0 calls" and len(steps) == 1:
            steps.append(1)
            for _ in range(3):
                steps[0]()
        if state == "running, 1 call" and len(steps) == 2:
            steps.append(2)
            steps[0](whole=True)
        return len(steps) == 3 and not lines_of(found)[-1]["running"]

    found = site.follow("lists", then=lambda: steps.append(running("20260102-new")), until=until)
    lines = lines_of(found)
    assert [line["run"] for line in lines[:2]] == ["20260101-old", "20260102-new"]
    states = list(dict.fromkeys(line["state"] for line in lines[1:]))
    assert states[0] == "running, 0 calls" and "running, 1 call" in states and states[-1] == "Not accepted"


def test_a_process_that_is_killed_is_told_though_nothing_is_written(
    tmp_path: Path, serve: Callable[..., Any], running: Callable[..., Any]
) -> None:
    step, site = running("20260101-run"), serve(tmp_path / "out")

    def kill() -> None:
        os.close(step.journal._lock_file)  # what the end of its process does

    assert "ralph trace resume" not in site.get("runs/20260101-run").text
    found = site.follow("lists", then=kill, until=lambda found: len(lines_of(found)) == 2)
    assert "To go on: ralph trace resume 20260101-run" in site.get("runs/20260101-run").text
    assert [line["cost"] for line in lines_of(found)] == ["", "no cost"]
    step.journal._lock_file = os.open(tmp_path, os.O_RDONLY)
    step.journal.close()
    assert [line["running"] for line in lines_of(found)] == [True, False]


def test_a_run_that_is_deleted_or_reviewed_is_told(
    tmp_path: Path, serve: Callable[..., Any], forge: Callable[..., Path]
) -> None:
    first, second = forge("20260101-a"), forge("20260102-b")
    site = serve(tmp_path / "out")

    def change() -> None:
        shutil.rmtree(first)
        add_review(second, by="Bo", mark=Mark.WRONG)

    found = site.follow("lists", then=change, until=lambda found: len(lines_of(found)) == 3)
    assert ("gone", "runs/20260101-a") in found
    assert lines_of(found)[-1]["reviews"] == [{"by": "Bo", "mark": "wrong"}]
    page = site.follow(
        "runs/20260102-b/changes", then=lambda: shutil.rmtree(second), until=lambda found: found[-1][0] == "gone"
    )
    assert [kind for kind, _ in page] == ["state", "gone"]


def test_the_page_of_a_run_is_told_the_state_that_it_was_made_of(
    tmp_path: Path, serve: Callable[..., Any], running: Callable[..., Any]
) -> None:
    step, site = running("20260101-run"), serve(tmp_path / "out", ask=lambda folder, question: "")
    made = site.get("runs/20260101-run").text
    found = site.follow(
        "runs/20260101-run/changes", then=lambda: step(whole=True), until=lambda found: not found[-1][1]["running"]
    )
    assert found[0][1]["running"] and f'data-state="{found[0][1]["state"]}"' in made
    after = site.get("runs/20260101-run?part=answer").text
    assert f'data-state="{found[-1][1]["state"]}"' in after and "Still running" in made and "Still" not in after
    assert "state so far: 0 calls" in made and "No answer yet." in made and "yet" not in after
    # The form is there for the moment at which the run ends.
    assert '<form id="ask" class="tools" hidden>' in made


def test_the_cells_of_a_table_are_told_row_by_row_and_again_when_they_change(
    tmp_path: Path, serve: Callable[..., Any]
) -> None:
    fill(Cast(), tmp_path, RENT)
    site = serve(tmp_path)

    def rows(found: Found) -> list[Any]:
        return [row for kind, items in found if kind == "rows" for row in items]

    run = next((tmp_path / "table" / "runs").glob("*/*/journal.sqlite3")).parent
    found = site.follow(
        "tables/table/cells",
        then=lambda: add_review(run, by="Bo", mark=Mark.WRONG),
        until=lambda found: len(rows(found)) == 3,
    )
    assert found[0][0] == "shape" and f'data-shape="{found[0][1]}"' in site.get("tables/table").text
    assert [row["row"] for row in rows(found)][:2] == [0, 1]
    assert {row["cells"][0]["state"] for row in rows(found)} == {"answered"}
    assert rows(found)[-1]["cells"][0]["reviews"] == [{"by": "Bo", "mark": "wrong"}]

    def ask_more() -> None:
        fill(Cast(), tmp_path, RENT, TERM, resume=True)

    found = site.follow("tables/table/cells", then=ask_more, until=lambda found: len(rows(found)[-1]["cells"]) == 2)
    assert [kind for kind, _ in found].count("shape") == 2
    found = site.follow(
        "tables/table/cells", then=lambda: shutil.rmtree(tmp_path / "table"), until=lambda found: found[-1][0] == "gone"
    )
    assert found[-1] == ("gone", "table")


def test_what_was_read_is_not_read_again(
    tmp_path: Path, serve: Callable[..., Any], forge: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [forge(f"2026010{n}-run").name for n in range(1, 5)]
    site, read = serve(tmp_path / "out"), []
    summarize = following.summarize_run
    monkeypatch.setattr(
        following, "summarize_run", lambda address, run: [read.append(address.run), summarize(address, run)][1]
    )
    first, again = site.follow("lists"), site.follow("lists")
    assert lines_of(first) == lines_of(again) and read == names[::-1]
    monkeypatch.setattr(following, "MOST_TOLD", 3)
    assert [len(items) for kind, items in site.follow("lists") if kind == "runs"] == [3, 1]


def test_a_follow_up_begins_beside_the_pages_and_its_faults_are_a_line(
    tmp_path: Path, serve: Callable[..., Any], forge: Callable[..., Path]
) -> None:
    forge("20260101-run")
    asked: list[Any] = []

    def follow_up(folder: Path, question: str, *, settings: Any, sink: Any) -> None:
        asked.append((folder.name, question))
        if "fault" in question:
            raise UserError("no key is set", code="no-key")
        if "nothing" not in question:
            sink(RunStarted("20260102-next", "qa", question, {}, {}, ""))

    site = serve(tmp_path / "out", ask=Asker(None, follow_up))  # type: ignore[arg-type]
    assert 'id="ask" class="tools">' in site.get("runs/20260101-run").text
    address = "runs/20260101-run/ask"
    assert site.post(address, {"question": " And in 2021? "}).json() == {"path": "runs/20260102-next"}
    assert asked == [("20260101-run", "And in 2021?")]
    for question, said in (("a fault", "no key is set"), ("nothing", "did not begin")):
        refused = site.post(address, {"question": question})
        assert refused.status_code == 400 and said in refused.json()["error"]
    for value in ({}, {"question": " "}, {"question": ["x"]}, []):
        assert site.post(address, value).status_code == 404
    assert site.post(address, {"question": "x"}, content_type="text/plain").status_code == 404
    assert serve(tmp_path / "out").post(address, {"question": "x"}).status_code == 404
    assert len(asked) == 3


def test_a_follow_up_is_a_run_beside_the_others_that_its_page_follows_to_its_end(
    tmp_path: Path, serve: Callable[..., Any], asked: Callable[..., str]
) -> None:
    lease = tmp_path / "lease.txt"
    lease.write_text("The base rent of the hall is $48,000.\n\nThe deposit of the hall is $9,000.\n")
    first = asked(lease, "What is the base rent?")
    settings = Settings(out=tmp_path / "out", cache=tmp_path / "cache", sandbox="native")
    site = serve(tmp_path / "out", ask=Asker(settings))
    path = site.post(f"runs/{first}/ask", {"question": "What is the deposit?"}).json()["path"]
    site.follow(f"{path}/changes", until=lambda found: found[-1][0] == "state" and not found[-1][1]["running"])
    page = site.get(path).text
    assert "What is the deposit?" in page and "$9,000" in page
    assert f'<a href="/t0ken/runs/{first}">Follows on “What is the base rent?”' in page
    (listed,) = [line for line in lines_of(site.follow("lists")) if line["path"] == path]
    assert listed["mode"] == "follow-up"
    shutil.rmtree(tmp_path / "out" / first)
    assert f'/runs/{first}"' not in site.get(path).text and "Follows on" in site.get(path).text
    lease.unlink()
    refused = site.post(f"{path}/ask", {"question": "And the rent?"})
    assert refused.status_code == 400 and "lease.txt" in refused.json()["error"]


def test_no_more_follow_ups_than_a_few_are_under_way_together(tmp_path: Path) -> None:
    import threading

    end = threading.Event()

    def follow_up(folder: Path, question: str, *, settings: Any, sink: Any) -> None:
        sink(RunStarted(question, "qa", question, {}, {}, ""))
        end.wait(20)

    asker = Asker(None, follow_up)  # type: ignore[arg-type]
    assert [asker(tmp_path, str(n)) for n in range(MOST_AT_ONCE)] == ["0", "1", "2", "3"]
    with pytest.raises(UserError, match="being answered"):
        asker(tmp_path, "more")
    end.set()
