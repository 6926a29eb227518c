"""A reviewer marks an answer: what is kept, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ralph_cli.journal.reviews import read_reviews


@pytest.fixture
def reviewed(tmp_path: Path, serve: Callable[..., Any], forge: Callable[..., Path]) -> Any:
    """The pages of a run with three claims, and its folder."""
    return serve(tmp_path / "out"), forge("20260101-run")


def test_a_mark_is_kept_beside_the_run_and_told_in_list_and_page(reviewed: Any) -> None:
    site, folder = reviewed
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    site.post(f"runs/{folder.name}/reviews", {"mark": "confirmed"})
    given = {"mark": "corrected", "claim": 2, "by": "Bo", "correction": "It is <b>early</b>.", "note": "see p. 3"}
    kept = site.post(f"runs/{folder.name}/reviews", given).json()
    assert [(item["by"], item["mark"], item["claim"]) for item in kept] == [
        ("Ann", "confirmed", None),
        ("Bo", "corrected", 2),
    ]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (line,) = next(items for kind, items in site.follow("lists") if kind == "runs")
    assert line["reviews"] == [{"by": "Ann", "mark": "confirmed"}, {"by": "Bo", "mark": "corrected"}]
    page = site.get(f"runs/{folder.name}").text
    assert "Claim 2: corrected by Bo" in page and "It is &lt;b&gt;early&lt;/b&gt;." in page
    site.post(f"runs/{folder.name}/reviews", {"mark": "withdrawn", "claim": 2, "by": "Bo"})
    assert "corrected by Bo" not in site.get(f"runs/{folder.name}").text


GOOD = {"mark": "wrong", "claim": 1, "note": "no"}
BAD: tuple[Any, ...] = (
    {}, {"mark": "perfect"}, {"mark": ["wrong"]}, {"mark": None}, {**GOOD, "claim": 4}, {**GOOD, "claim": -1},
    {**GOOD, "claim": True}, {**GOOD, "claim": 1.0}, {**GOOD, "claim": "1"}, {**GOOD, "claim": 10**40},
    {**GOOD, "claim": None},
    {**GOOD, "note": {"a": 1}}, {**GOOD, "note": "x" * 4_001}, {**GOOD, "by": "x" * 101}, {**GOOD, "by": " \n "},
    {**GOOD, "by": 7}, {**GOOD, "note": "\ud800"}, {"mark": "corrected"}, {"mark": "corrected", "correction": " "},
    {"mark": "corrected", "correction": ["it"]}, [], [GOOD], "wrong", 1, None,
)  # fmt: skip


def test_what_is_no_review_is_refused_and_nothing_is_written(reviewed: Any) -> None:
    site, folder = reviewed
    address = f"runs/{folder.name}/reviews"
    for value in BAD:
        refused = site.post(address, value)
        assert refused.status_code in (400, 404) and "\n" not in refused.json()["error"], value
    raw, headers = site.client.post, {"content-type": "application/json", "origin": "http://127.0.0.1"}
    for content in (b"", b"{", b"[" * 50_000, b'{"mark": "wrong", "note": "' + b"x" * 70_000 + b'"}', b"\xff\xfe"):
        url = f"/t0ken/{address}"
        assert raw(url, content=content, headers=headers).status_code == 404
    # What a form or a script of another origin can send unasked.
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "text/json"):
        assert site.post(address, GOOD, content_type=kind).status_code == 404
    assert site.get(address).status_code == 404
    for origin in ("http://evil.example", "http://127.0.0.1:1", "https://127.0.0.1", "null", ""):
        assert site.post(address, GOOD, origin=origin).status_code == 403, "only pages of the server may change"
    assert not read_reviews(folder)
    assert site.post("runs/other/reviews", GOOD).status_code == 404
    assert site.post("runs/%2e%2e/reviews", GOOD).status_code in (403, 404)
    assert read_reviews(folder) == ()
    assert site.post(address, GOOD).status_code == 200 and len(read_reviews(folder)) == 1


def test_a_run_that_goes_on_cannot_be_reviewed(
    tmp_path: Path, serve: Callable[..., Any], running: Callable[..., Any]
) -> None:
    step, site = running("20260101-run"), serve(tmp_path / "out")
    assert 'class="marks"' not in site.get("runs/20260101-run").text
    refused = site.post("runs/20260101-run/reviews", {"mark": "confirmed"})
    assert refused.status_code == 400 and "has not ended" in refused.json()["error"]
    step(whole=True)
    assert site.post("runs/20260101-run/reviews", {"mark": "confirmed"}).status_code == 200


def test_a_file_of_reviews_that_is_a_link_or_full_is_not_written(reviewed: Any, tmp_path: Path) -> None:
    site, folder = reviewed
    target = tmp_path / "elsewhere"
    target.touch()
    link = folder.with_name(f"{folder.name}.reviews.jsonl")
    link.symlink_to(target)
    refused = site.post(f"runs/{folder.name}/reviews", GOOD)
    assert refused.status_code == 400 and "cannot be written" in refused.json()["error"]
    assert target.read_bytes() == b""
