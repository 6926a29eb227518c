"""The document beside an answer: its pages, the words around a quote, and why there is none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from ralph_cli.config import Settings
from ralph_cli.runs.history import read_run
from ralph_cli.view.evidence import DocumentViewer

RENT = "The annual rent of the north hall is $48,000."
PDF = ([(72, 700, "A lease of halls.")], [(72, 700, "It is let for years."), (72, 640, RENT)])


@pytest.fixture
def of_pdf(tmp_path: Path, pdf: Callable[..., Path], asked: Callable[..., str], serve: Callable[..., Any]) -> Any:
    """The pages of a run on a PDF of two pages, and its name."""
    name = asked(pdf(*PDF), "What is the annual rent of the north hall?")
    return serve(tmp_path / "out"), name


def test_a_page_of_a_pdf_is_a_picture_with_the_places_of_its_quotes(of_pdf: Any) -> None:
    site, run = of_pdf
    found = site.get(f"runs/{run}/quotes").json()
    quote = next(quote for quote in found["quotes"] if quote["page"] == 2)
    assert found["pages"] == 2 and found["missing"] == "" and quote["drawn"]
    page = site.get(f"runs/{run}/pages/2").json()
    assert page["place"] == "page 2 of 2"
    ((left, top, right, bottom),) = page["lines"][str(quote["id"])]
    # 72 points from the left of 612, and 640 from the bottom of 792.
    assert left == pytest.approx(72 / 612, abs=0.02) and right < 0.6
    assert top < 1 - 640 / 792 < bottom + 0.01 and bottom - top < 0.04
    picture = site.get(f"runs/{run}/pages/2/picture")
    assert picture.headers["content-type"] == "image/png" and picture.content.startswith(b"\x89PNG")
    assert site.get(f"runs/{run}/pages/1").json()["lines"] == {}
    for number in (0, 3, 10**30, "9" * 5_000, "-1", "x", "²"):
        for part in (f"pages/{number}", f"pages/{number}/picture", f"words/{number}"):
            assert site.get(f"runs/{run}/{part}").status_code == 404


@pytest.mark.parametrize("change", ["gone", "changed", "a folder", "a device"])
def test_a_document_that_is_not_there_any_more_is_told_in_a_line(of_pdf: Any, tmp_path: Path, change: str) -> None:
    site, run = of_pdf
    path = tmp_path / "made.pdf"
    before = path.read_bytes()
    path.unlink()
    if change == "changed":
        path.write_bytes(before.replace(b"612", b"613"))
    elif change == "a folder":
        path.mkdir()
    elif change == "a device":
        path.symlink_to("/dev/zero")
    found = site.get(f"runs/{run}/quotes").json()
    assert found["pages"] == 0 and "made.pdf" in found["missing"] and "\n" not in found["missing"]
    assert all(quote["page"] == 0 and not quote["drawn"] and quote["place"] for quote in found["quotes"])
    assert site.get(f"runs/{run}/pages/2").status_code == site.get(f"runs/{run}/words/1").status_code == 404
    assert "48,000" in site.get(f"runs/{run}").text  # the answer is there all the same
    if change == "gone":
        path.write_bytes(before)
        assert site.get(f"runs/{run}/quotes").json()["pages"] == 2


def test_a_document_that_changes_while_its_page_is_open_is_not_drawn(of_pdf: Any, tmp_path: Path) -> None:
    site, run = of_pdf
    assert site.get(f"runs/{run}/quotes").json()["pages"] == 2
    (tmp_path / "made.pdf").write_bytes(b"%PDF-1.7 and no more")
    refused = site.get(f"runs/{run}/pages/1")
    assert refused.status_code == 400 and "has changed" in refused.json()["error"]


def test_the_words_around_a_quote_are_the_documents_own(
    tmp_path: Path, asked: Callable[..., str], serve: Callable[..., Any]
) -> None:
    lease = tmp_path / "lease.txt"
    annex = "".join(f"Line {n} of the annex.\n" for n in range(40_000))
    lease.write_text(f"{annex}\n{RENT}\n\n\u202eAnd more.\nThe end.\n")
    run, site = asked(lease, "What is the annual rent of the north hall?"), serve(tmp_path / "out")
    found = site.get(f"runs/{run}/quotes").json()
    quote = next(quote for quote in found["quotes"] if not quote["drawn"])
    words = site.get(f"runs/{run}/words/{quote['id']}").json()
    assert RENT in words["quoted"] and words["before"].endswith("Line 39999 of the annex.\n\n")
    assert len(words["before"]) <= 4_000 and "\u202e" not in words["after"] and "The end." in words["after"]
    page = site.get(f"runs/{run}/pages/1").json()
    assert page["text"].startswith("Line 0 of the annex.") and len(page["text"]) <= 60_000
    assert site.get(f"runs/{run}/words/99").status_code == 404


def test_a_page_of_a_set_is_named_by_its_document(
    tmp_path: Path, pdf: Callable[..., Path], asked: Callable[..., str], serve: Callable[..., Any]
) -> None:
    deal = tmp_path / "deal"
    deal.mkdir()
    pdf(*PDF).rename(deal / "b.pdf")
    (deal / "a.txt").write_text("A letter. The deposit of the north hall is $9,000 in all.\n")
    run, site = asked(deal, "What is the annual rent of the north hall?"), serve(tmp_path / "out")
    found = site.get(f"runs/{run}/quotes").json()
    assert found["pages"] == 3 and any("b.pdf" in quote["place"] for quote in found["quotes"])
    letter, first, second = (site.get(f"runs/{run}/pages/{number}").json() for number in (1, 2, 3))
    assert letter["place"] == "a.txt" and "deposit" in letter["text"]
    assert (first["place"], second["place"]) == ("b.pdf, page 1 of 2", "b.pdf, page 2 of 2")
    drawn = {quote["id"]: quote["drawn"] for quote in found["quotes"]}
    assert second["lines"] and all(drawn[int(number)] for number in second["lines"])
    assert site.get(f"runs/{run}/pages/3/picture").content != site.get(f"runs/{run}/pages/2/picture").content
    assert site.get(f"runs/{run}/pages/1/picture").status_code == 404


def test_a_page_is_called_what_its_format_calls_it(
    tmp_path: Path, asked: Callable[..., str], serve: Callable[..., Any], samples: Path
) -> None:
    book = Workbook()
    book.active.title, book.active["A1"] = "Costs", "The rent of the hall"
    book.create_sheet("Income")["A1"] = "The income of the hall"
    book.save(tmp_path / "book.xlsx")
    (tmp_path / "note.txt").write_text("The rent of the hall is paid.")
    question = "What is the rent of the hall?"
    workbook, note, report = (
        asked(path, question) for path in (tmp_path / "book.xlsx", tmp_path / "note.txt", samples / "report.pdf")
    )
    site = serve(tmp_path / "out")

    def place(run: str, number: int = 1) -> str:
        return str(site.get(f"runs/{run}/pages/{number}").json()["place"])

    assert [place(workbook, number) for number in (1, 2)] == ["sheet 1 of 2 (Costs)", "sheet 2 of 2 (Income)"]
    assert place(note) == "note.txt"
    assert [place(report, number) for number in (3, 21)] == ["page 3 of 38 (printed iii)", "page 21 of 38 (printed 17)"]


def test_a_page_that_was_seen_before_its_quotes_were_found_shows_them(of_pdf: Any, tmp_path: Path) -> None:
    _, name = of_pdf
    found = read_run(tmp_path / "out" / name)
    begun = replace(found, view=replace(found.view, quotes=(), found_passages=()))
    viewer = DocumentViewer(Settings())
    seen = [viewer.show_page(run, 2) for run in (begun, found)]
    assert [bool(page and page.lines) for page in seen] == [False, True]
