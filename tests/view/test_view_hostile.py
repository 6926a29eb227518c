"""Whatever a document, a name, a model or a reviewer says: it comes to the pages as text, and is seen as it is."""

import json
from collections.abc import Callable
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from sample_run import Words
from table.test_table import Cast, fill
from test_outputs import _OBEYED, _SNIPPETS, payloads
from test_report_html import HOSTILE

from ralph_cli.core.results.review import Mark
from ralph_cli.core.results.table import TableQuestion
from ralph_cli.journal.reviews import add_review

WILD = [*HOSTILE, *_SNIPPETS, *payloads(60, 18)]


class Elements(HTMLParser):
    """The elements of a page with the names of their attributes, in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(sorted(name for name, _ in attrs))))


def shape(page: str) -> list[tuple[str, tuple[str, ...]]]:
    return Elements(page).found


def wild_words(at: int) -> Words:
    """A payload in everything that somebody else wrote, another one in each."""
    size = len(fields(Words))
    given = [WILD[(at * size + number) % len(WILD)].replace("\f", " ") for number in range(size)]
    return Words(
        **{
            item.name: f"calm {number} {text}"
            for number, (item, text) in enumerate(zip(fields(Words), given, strict=True))
        }
    )


def test_a_run_full_of_payloads_is_shown_as_text(
    tmp_path: Path, serve: Callable[..., Any], forge: Callable[..., Path]
) -> None:
    calm = Words(**{item.name: f"calm {number}" for number, item in enumerate(fields(Words))})
    names = {}
    for at in range(-1, len(WILD) // len(fields(Words)) + 1):
        names[at] = forge(f"2026-{at + 1:02}", calm if at < 0 else wild_words(at))
        said = "calm" if at < 0 else "x" + WILD[at].encode("utf-8", "replace").decode()[:90]
        add_review(names[at], by=said, mark=Mark.CORRECTED, correction=said, note=said, claim=1)
    site = serve(tmp_path / "out")
    pages = {at: site.get(f"runs/{folder.name}").text for at, folder in names.items()}
    like = shape(pages[-1])
    for at, page in pages.items():
        assert shape(page) == like, WILD[at]
        assert not (found := _OBEYED.search(page.replace("\n", " ").replace("\t", " "))), (at, found)
        part = site.get(f"runs/{names[at].name}?part=answer").text
        assert part in page
    told = json.dumps(site.follow("lists"), ensure_ascii=False)
    assert not _OBEYED.search(told) and "<script>" in told  # which the browser sets as text


@pytest.mark.parametrize("payload", [HOSTILE[0], HOSTILE[1], HOSTILE[13]])
def test_a_table_full_of_payloads_is_shown_as_text(tmp_path: Path, serve: Callable[..., Any], payload: str) -> None:
    sites = []
    for place, word in (("calm", "calm"), ("wild", payload)):
        folder = tmp_path / place
        folder.mkdir()
        question = TableQuestion(id="rent", question=f"What is the rent? {word}")
        fill(Cast(), folder, question)
        path = folder / "table" / "table.json"
        held = json.loads(path.read_text("utf-8"))
        held["rows"][0]["name"] = f"a {word}.html"
        held["rows"][1]["fault"] = f"broken {word}"
        path.write_text(json.dumps(held), "utf-8")
        (folder / "table").rename(folder / f"table {word}".replace("/", "_"))
        sites.append(serve(folder))
    pages, told = [], []
    for site in sites:
        (tables,) = [items for kind, items in site.follow("lists") if kind == "tables"]
        status, page = site.fetch(tables[0]["path"])
        assert status == 200
        pages.append(page)
        status, _ = site.fetch(tables[0]["path"].replace("tables/", "tables/x"))
        assert status == 404
        told.append(json.dumps(tables, ensure_ascii=False))
    assert shape(pages[0]) == shape(pages[1]) and "\u202e" not in pages[1] + told[1]


def test_the_script_makes_no_markup_of_a_text() -> None:
    """Texts are set by `textContent` and `append`; what parses HTML does so of our own page alone."""
    static = Path(__file__).parents[2] / "ralph_cli" / "view" / "static" / "view.js"
    script = static.read_text("utf-8")
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "srcdoc",
        "http:",
    ):
        assert way not in script, way
    assert script.count("parseFromString") == 1
