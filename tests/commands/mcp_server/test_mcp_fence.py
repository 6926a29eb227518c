"""Which files a client reaches: those of the allowed folders, however a path is spelt."""

import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from mcp_clients import LEASE, SECRET, MakeFront, call, text_of
from mcp_types import CallToolResult
from reached import reached, reaches

from ralph_cli.commands.mcp.fence import Fence
from ralph_cli.core.errors import ConfigError, UserError

OUTSIDE = {
    "absolute": "{base}/secret.txt",
    "parent": "../secret.txt",
    "parent behind a folder": "inner/../../secret.txt",
    "parent behind what is not there": "none/../../secret.txt",
    "absolute through the folder": "{deal}/../secret.txt",
    "doubled slashes": "{deal}//..//secret.txt",
    "two slashes before": "/{base}/secret.txt",
    "dots and slashes": "./././../secret.txt/.",
    "a link to the file": "link.txt",
    "a link to the folder": "linked/secret.txt",
    "a link to a link": "twice.txt",
    "a folder whose name begins alike": "{deal}-other/secret.txt",
    "home": "~/secret.txt",
    "home of a user": "~root/.bashrc",
    "a file address": "file://{base}/secret.txt",
    "a file address of this machine": "file://localhost{base}/secret.txt",
    "a file address in capitals": "FILE:{base}/secret.txt",
    "percent": "%2e%2e/secret.txt",
    "percent slash": "..%2fsecret.txt",
    "percent twice": "%252e%252e%252fsecret.txt",
    "percent absolute": "{percent}",
    "backslashes": "..\\secret.txt",
    "mixed slashes": "inner\\..\\../../secret.txt",
    "a share": "\\\\localhost\\c$\\secret.txt",
    "a long path of Windows": "\\\\?\\{base}\\secret.txt",
    "a drive": "C:{base}/secret.txt",
    "NUL": "lease.txt\0/../../secret.txt",
    "NUL in front": "\0{base}/secret.txt",
    "full width dots": "．．/secret.txt",
    "one dot leaders": "‥/secret.txt",
    "a division slash": "..∕secret.txt",
    "an overlong slash": "..\u00c0\u00afsecret.txt",
    "invisible letters": "..\u200b/..\u2060/secret.txt",
    "half a character": "../\udc2e\udc2e/../secret.txt",
    "the root of the process": "/proc/self/root{base}/secret.txt",
    "its working folder": "/proc/self/cwd/../secret.txt",
    "its environment": "/proc/self/environ",
    "its standard input": "/dev/stdin",
    "standard input": "-",
    "a variable": "$HOME/secret.txt",
    "a command": "$(cat ../secret.txt)",
    "a pattern": "../*.txt",
    "a pattern of an absolute path": "{base}/s*.txt",
    "braces": "{{lease.txt,../secret.txt}}",
    "spaces": " ../secret.txt ",
    "a line": "lease.txt\n../secret.txt",
    "an address": "http://127.0.0.1/secret.txt",
    "the folder above": "..",
    "all": "/",
    "nothing": "",
    "very long": "a/" * 3_000 + "../secret.txt",
}
"""Ways to name the secret, or something else outside, by what they try."""


@pytest.fixture
def traps(deal: Path, tmp_path: Path) -> Path:
    """Links in the allowed folder that lead out of it, and a neighbour with a similar name."""
    (deal / "link.txt").symlink_to(tmp_path / "secret.txt")
    (deal / "linked").symlink_to(tmp_path)
    (deal / "twice.txt").symlink_to(deal / "link.txt")
    (tmp_path / "deal-other").mkdir()
    (tmp_path / "deal-other" / "secret.txt").write_text(SECRET)
    return deal


def refused(result: CallToolResult) -> bool:
    """Whether it is an error of one line that tells nothing of what is outside."""
    whole = result.model_dump_json()
    assert "7741" not in whole and "root:" not in whole and "PATH=" not in whole, whole
    return bool(result.is_error) and "\n" not in text_of(result) and len(result.content) == 1


@pytest.mark.parametrize("how", OUTSIDE)
def test_a_path_outside_the_allowed_folders_is_refused(
    how: str, traps: Path, tmp_path: Path, make_front: MakeFront, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(traps)
    monkeypatch.setenv("HOME", str(tmp_path))
    path = OUTSIDE[how].format(base=tmp_path, deal=traps, percent=quote(f"{tmp_path}/secret.txt", safe=""))
    front = make_front()
    assert refused(call(front, "read_page", {"document": path}))
    assert refused(call(front, "search", {"documents": ["lease.txt", path], "words": "vault"}))
    assert refused(call(front, "ask", {"documents": [path], "question": "What opens the vault?"}))
    assert path == "" or refused(call(front, "check_memo", {"documents": ["lease.txt"], "memo_file": path}))
    assert refused(call(front, "table_status", {"folder": path}))
    assert list((tmp_path / "out").glob("*")) == []  # nothing was begun


@pytest.mark.parametrize(
    "path", ["lease.txt", "./inner/../lease.txt", "{deal}/lease.txt", "{deal}/./inner//../lease.txt", "within.txt"]
)
def test_a_path_inside_is_read_however_it_is_spelt(path: str, deal: Path, make_front: MakeFront) -> None:
    (deal / "within.txt").symlink_to(deal / "lease.txt")
    found = call(make_front(), "read_page", {"document": path.format(deal=deal)})
    assert not found.is_error and found.structured_content["text"] == LEASE


WITHIN = [".", "", "inner/..", "within/..", "none/..", "../deal"]
BEYOND = ["..", "linked", "deal-other", "inner", "within", "\0", "~", "%2e%2e", "．．", ".git", "{base}", "{deal}"]
BEYOND += ["proc/self/root", "proc/self/cwd"]
ENDS = ["lease.txt", "inner/note.txt", "within/note.txt", "note.txt", "secret.txt", ".env", "link.txt", "."]


@reaches(read=0.05, refused=0.3)
@given(
    st.sampled_from(["", "", "{deal}/", "{base}/", "/"]),
    st.lists(st.one_of(st.sampled_from(WITHIN), st.sampled_from(WITHIN), st.sampled_from(BEYOND)), max_size=5),
    st.sampled_from(ENDS),
)
@examples(max_examples=400)
def test_no_path_that_is_made_of_such_parts_is_read_outside(begin: str, parts: list[str], end: str) -> None:
    with TemporaryDirectory() as place:
        base = Path(place).resolve()
        deal, other = base / "deal", base / "deal-other"
        for folder in (deal / "inner", other):
            folder.mkdir(parents=True)
        for path in (deal / "lease.txt", deal / "inner" / "note.txt", deal / ".env", other / "secret.txt"):
            path.write_text("words")
        (base / "secret.txt").write_text("words")
        (deal / "link.txt").symlink_to(base / "secret.txt")
        (deal / "linked").symlink_to(other)
        (deal / "within").symlink_to(deal / "inner")
        named = (begin + "/".join([*parts, end])).format(base=base, deal=deal)
        found = None
        with suppress(UserError):
            found = Fence([deal]).find_document(named)
        reached("refused", found is None)
        if reached("read", found):
            assert found in (deal / "lease.txt", deal / "inner", deal / "inner" / "note.txt"), named


def test_whether_something_is_there_outside_is_not_told(traps: Path, tmp_path: Path) -> None:
    fence, said = Fence([traps]), []
    for name in ("secret.txt", "nothing.txt"):
        with pytest.raises(UserError) as refusal:
            fence.find_document(str(tmp_path / name))
        said.append(refusal.value.line.replace(name, ""))
    assert said[0] == said[1]


def test_a_folder_with_a_link_that_leads_out_is_refused_whole(traps: Path, make_front: MakeFront) -> None:
    found = call(make_front(), "search", {"documents": [str(traps)], "words": "vault"})
    assert refused(found) and "a link that leads out" in text_of(found)


def test_a_table_with_a_hidden_link_that_leads_out_is_refused(traps: Path, tmp_path: Path) -> None:
    (traps / "table" / "runs").mkdir(parents=True)
    (traps / "table" / "runs" / ".other").symlink_to(tmp_path)
    with pytest.raises(UserError, match="a link that leads out"):
        Fence([traps]).find_table("table")


def test_links_in_a_circle_are_no_documents(deal: Path, make_front: MakeFront) -> None:
    (deal / "circle").symlink_to("circle")
    found = call(make_front(), "search", {"documents": [str(deal)], "words": "rent"})
    assert not found.is_error, text_of(found)


def test_hidden_files_and_the_servers_own_records_are_no_documents(
    deal: Path, tmp_path: Path, make_front: MakeFront
) -> None:
    for name in (".env", "inner/.git/config", "out/run/journal.txt", "cache/texts/a.txt"):
        path = deal / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
    (deal / ".venv").symlink_to(tmp_path)  # as programs make them
    front = make_front(out=deal / "out", cache=deal / "cache")
    for arguments in ({"words": "vault"}, {"memo": f"“{SECRET}”"}):
        tool = "search" if "words" in arguments else "check_memo"
        whole = call(front, tool, {"documents": [str(deal)], **arguments})
        found = whole.structured_content
        assert not whole.is_error and not (found.get("hits") or found.get("ok"))
    (deal / "shown.txt").symlink_to(deal / ".env")
    for name in (".env", "inner/.git/config", "out/run/journal.txt", "cache/texts/a.txt", "shown.txt", "out"):
        with pytest.raises(UserError):
            front.tools.fence.find_document(name)
    (deal / "shown.txt").unlink()
    assert front.tools.fence.find_table("out") == deal / "out"


def test_what_is_no_regular_file_is_not_opened(deal: Path) -> None:
    os.mkfifo(deal / "pipe.txt")
    with pytest.raises(UserError, match="is not a file or folder"):
        Fence([deal]).find_document("pipe.txt")


def test_a_server_without_folders_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no folder is allowed"):
        Fence([])
    with pytest.raises(ConfigError, match="there is no folder"):
        Fence([tmp_path / "none"])
