"""Who is let in, and to what: by the token, on this machine, by the names of what is there."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from table.test_table import Cast, fill

from ralph_cli.view.catalog import RunAddress
from ralph_cli.view.server import HEADERS

SECRET = "canary-51c0ffee"


@pytest.fixture
def table_site(tmp_path: Path, serve: Callable[..., Any]) -> Any:
    """A folder with a table of two leases."""
    (tmp_path / "out").mkdir()
    fill(Cast(), tmp_path / "out")
    return serve(tmp_path / "out")


def first_cell(site: Any) -> str:
    """The address of a run of the table."""
    events = site.follow("tables/table/cells")
    return next(cell["path"] for kind, rows in events if kind == "rows" for cell in rows[0]["cells"])


PATHS = (
    "", "lists", "static/view.js", "tables/table", "tables/table/cells", "runs/x", "runs/x/changes", "runs/x/quotes",
    "runs/x/pages/1", "runs/x/pages/1/picture", "runs/x/words/1", "nothing",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_whoever_does_not_know_the_token_sees_nothing(table_site: Any, path: str) -> None:
    for token in ("", "wrong", "t0ke", "t0kenn", "T0KEN", "%74%30", "t0ken%00", "é"):
        answer = table_site.client.get(f"/{token}/{path}" if token else f"/{path}")
        assert answer.status_code == 403 and "ralph view" in answer.text and "lease" not in answer.text
        assert table_site.client.post(f"/{token}/{path}", json={"mark": "wrong"}).status_code == 403
    assert table_site.client.get("/favicon.ico").status_code == 204


def test_every_response_bears_the_security_headers(table_site: Any) -> None:
    cell = first_cell(table_site)
    responses = [table_site.get(path) for path in PATHS if path not in ("lists", "tables/table/cells")]
    responses += [table_site.get(f"{cell}{part}") for part in ("", "?part=answer", "/quotes", "/words/1", "/words/9")]
    responses += [table_site.post(f"{cell}/reviews", {"mark": "nothing"}), table_site.client.get("/favicon.ico")]
    responses += [table_site.client.get("/elsewhere"), table_site.get("", host="evil.example")]
    responses += [table_site.client.request(method, "/t0ken/") for method in ("PUT", "DELETE", "OPTIONS", "HEAD")]
    assert {answer.status_code for answer in responses} >= {200, 204, 400, 403, 404}
    for answer in responses:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS, answer.url
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    page = table_site.get(cell).text
    assert "<style" not in page and "onclick" not in page and page.count("<script") == 1


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::1]:80", "localhost.", "0.0.0.0"])
def test_a_name_of_elsewhere_is_refused(table_site: Any, host: str) -> None:
    assert table_site.get("", host="127.0.0.1:8080").status_code == 200
    assert table_site.get("", host="localhost").status_code == 200
    refused = table_site.get("", host=host)
    assert refused.status_code == 400 and "Runs" not in refused.text


OUTSIDE = (
    "..", "%2e%2e", "..%2f..", "%2e%2e%2foutside", "../outside", "..\\outside", "%252e%252e", "/etc", "%2fetc%2fpasswd",
    ".", "%00", "*", "table", "%ff", "x" * 5_000, "out", "~", "{}", "linked", "%2e", "outside", "..;", "%c0%ae%c0%ae",
)  # fmt: skip


def test_no_name_leads_out_of_the_folder(
    tmp_path: Path, serve: Callable[..., Any], asked: Callable[..., str], table_site: Any
) -> None:
    inside, outside = asked(question="What is the inner rent?"), asked(out="outside", question=f"What is {SECRET}?")
    (tmp_path / "out" / "linked").symlink_to(tmp_path / "outside" / outside)
    (tmp_path / "out" / "linked-table").symlink_to(tmp_path / "out" / "table")
    copied = tmp_path / "out" / "copied"
    copied.mkdir()
    (copied / "table.json").symlink_to(tmp_path / "out" / "table" / "table.json")
    cell = first_cell(table_site)
    table, folder, run = cell.split("/")[1::2][0], cell.split("/")[3], cell.split("/")[4]
    assert table_site.get(f"runs/{inside}").status_code == table_site.get(cell).status_code == 200
    tried = [f"runs/{name}{part}" for name in OUTSIDE for part in ("", "/quotes", "/words/1", "/pages/1", "/changes")]
    tried += [f"runs/{name}/{outside}" for name in OUTSIDE]
    tried += [f"tables/{name}" for name in OUTSIDE if name != "table"]
    tried += [f"tables/{table}/runs/{name}/{run}" for name in OUTSIDE]
    tried += [f"tables/{table}/runs/{folder}/{name}" for name in OUTSIDE]
    tried += [
        f"tables/{name}/runs/{folder}/{run}" for name in (*OUTSIDE[:-3], "linked-table", "copied") if name != "table"
    ]
    tried += ["tables/linked-table", "tables/copied", f"tables/{table}/runs/{folder}/{inside}", f"runs/{run}"]
    for path in tried:
        status, text = table_site.fetch(path)
        assert status == 404 or (path.endswith("/changes") and "gone" in text), path
        assert SECRET not in text and "Traceback" not in text
    listed = table_site.follow("lists")
    assert [item["run"] for kind, items in listed if kind == "runs" for item in items] == [inside]
    assert [item["table"] for kind, items in listed if kind == "tables" for item in items] == ["table"]


def test_the_runs_of_a_cell_are_not_those_of_a_link(tmp_path: Path, table_site: Any) -> None:
    cell = first_cell(table_site)
    (folder,) = (tmp_path / "out" / "table" / "runs").glob(cell.split("/")[3])
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    events = table_site.follow("tables/table/cells")
    cells = [cell for kind, rows in events if kind == "rows" for cell in rows[0]["cells"]]
    assert {cell["state"] for cell in cells} == {"not asked"}
    assert table_site.get(cell).status_code == 404


def test_names_with_any_sign_are_found_by_their_addresses(
    tmp_path: Path, serve: Callable[..., Any], forge: Callable[..., Path]
) -> None:
    names = ["a b", "50%25", "what?#x", "ümläut", "a&b;c", "'\"<b>", "\u202egnp", "..x"]
    for name in names:
        forge(name)
    site = serve(tmp_path / "out")
    for name in names:
        assert site.fetch(RunAddress(name).path)[0] == 200, name
    events = site.follow("lists")
    found = [item for kind, items in events if kind == "runs" for item in items]
    assert len(found) == len(names) and "\u202e" not in json.dumps(found, ensure_ascii=False)


def test_a_folder_that_is_a_table_shows_that_one(tmp_path: Path, serve: Callable[..., Any]) -> None:
    fill(Cast(), tmp_path)
    site = serve(tmp_path / "table")
    assert site.get("tables/table").status_code == 200 and site.get("tables/other").status_code == 404


def test_a_path_without_a_slash_is_answered_too(table_site: Any) -> None:
    """As of the request `OPTIONS *`."""
    import asyncio

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "OPTIONS", "path": "*", "headers": [(b"host", b"127.0.0.1")]}
    asyncio.run(table_site.app(scope, None, send))
    assert sent[0]["status"] == 403


def test_what_is_damaged_is_a_line_and_keeps_nothing_else_from_being_shown(
    tmp_path: Path, serve: Callable[..., Any], forge: Callable[..., Path], asked: Callable[..., str]
) -> None:
    good = asked()
    forge("damaged")
    (tmp_path / "out" / "damaged" / "journal.sqlite3").write_bytes(b"SQLite format 3\0 and no more")
    (tmp_path / "out" / "empty").mkdir()
    (tmp_path / "out" / "empty" / "journal.sqlite3").touch()
    broken = tmp_path / "out" / "broken"
    broken.mkdir()
    (broken / "table.json").write_text("{")
    site = serve(tmp_path / "out")
    events = site.follow("lists")
    lines = {item["run"]: item for kind, items in events if kind == "runs" for item in items}
    assert lines[good]["kind"] == "plain" and lines["damaged"]["state"] == "cannot be read"
    assert lines["damaged"]["answer"] and lines["empty"]["state"] == "cannot be read"
    (tables,) = [items for kind, items in events if kind == "tables"]
    assert [table["kind"] for table in tables] == ["bad"] and "damaged" in tables[0]["size"]
    for path in ("runs/damaged", "tables/broken"):
        page = site.get(path, accept="text/html")
        assert page.status_code == 500 and "This cannot be shown" in page.text
        line = site.get(path)
        assert line.status_code == 400 and "\n" not in line.json()["error"]
    stream = site.follow("tables/broken/cells", until=bool)
    assert stream[0][0] == "fault" and "damaged" in stream[0][1]
