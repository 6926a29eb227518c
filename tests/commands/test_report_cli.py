"""Reports on the command line: after a run and from its record, never over the document or at the answer's cost."""

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium_c
import pytest

from ralph_cli.commands.app import run
from ralph_cli.documents.source import DocumentSource
from ralph_cli.runs import report

QUESTION = "May net leverage ever exceed 3.50 times?"
MEMO = "The lease of the north hall ends on 31 March 2031.\nThe rent is due on the first day of each month.\n" * 3
Told = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples: Path) -> Path:
    """A working folder that holds a PDF and a memo."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.pdf").write_bytes((samples / "report.pdf").read_bytes())
    (tmp_path / "memo.txt").write_text(MEMO, encoding="utf-8")
    return tmp_path


def ask(*more: str, document: str = "report.pdf", question: str = QUESTION) -> int:
    return run(["qa", document, question, "--sandbox", "native", "--quiet", *more])


def highlights(path: Path) -> int:
    document = pypdfium2.PdfDocument(path)
    count = 0
    for page in document:
        for index in range(pdfium_c.FPDFPage_GetAnnotCount(page.raw)):
            annotation = pdfium_c.FPDFPage_GetAnnot(page.raw, index)
            count += pdfium_c.FPDFAnnot_GetSubtype(annotation) == pdfium_c.FPDF_ANNOT_HIGHLIGHT
            pdfium_c.FPDFPage_CloseAnnot(annotation)
    document.close()
    return count


def test_qa_writes_report_and_highlighted_copy_after_the_answer(folder: Path, capsys: Told) -> None:
    before = (folder / "report.pdf").read_bytes()
    assert ask("--report", "r.html", "--annotate", "marked.pdf") == 0
    out, _ = capsys.readouterr()
    assert "no model has read them" in out
    text = (folder / "r.html").read_text("utf-8")
    assert QUESTION in text and "data:image/png;base64," in text and "3.50" in text
    assert highlights(folder / "marked.pdf") >= 1
    assert DocumentSource.of(folder / "marked.pdf").load().text == DocumentSource.of(folder / "report.pdf").load().text
    assert (folder / "report.pdf").read_bytes() == before
    assert {path.name for path in folder.iterdir()} == {"report.pdf", "memo.txt", "r.html", "marked.pdf", "out"}


def test_all_four_forms_come_from_a_recorded_run(folder: Path, capsys: Told) -> None:
    assert ask() == 0
    capsys.readouterr()
    assert run(["trace", "report", "--html", "r.html", "--pdf", "r.pdf", "--md", "r.md", "--csv", "r.csv"]) == 0
    out, err = capsys.readouterr()
    assert [line.split(" (")[0] for line in out.splitlines()] == [
        f"Written to r.{end}" for end in ("html", "pdf", "md", "csv")
    ]
    assert err == ""
    assert highlights(folder / "r.pdf") >= 1 and "Evidence report on report.pdf" in (folder / "r.md").read_text("utf-8")
    assert (folder / "r.csv").read_bytes().startswith(b"\xef\xbb\xbfrun,question,")


def test_a_report_without_its_document_is_written_and_says_so_but_no_pdf(folder: Path, capsys: Told) -> None:
    assert ask() == 0
    (folder / "report.pdf").rename(folder / "moved.pdf")
    capsys.readouterr()
    assert run(["trace", "report", "--html", "r.html", "--pdf", "r.pdf"]) == 1
    out, err = capsys.readouterr()
    assert "Written to r.html" in out and not (folder / "r.pdf").exists()
    assert err.count("\n") == 1 and "report.pdf does not exist" in err and "--document" in err
    text = (folder / "r.html").read_text("utf-8")
    assert "could not be read for this report" in text and "data:image" not in text
    assert run(["trace", "report", "--html", "r.html", "--pdf", "r.pdf", "--document", "moved.pdf"]) == 0
    assert highlights(folder / "r.pdf") >= 1


def test_another_document_is_never_taken_for_the_one_of_the_run(folder: Path, capsys: Told) -> None:
    assert ask(document="memo.txt", question="When does the lease end?") == 0
    (folder / "memo.txt").write_text(MEMO.replace("2031", "2032"))
    capsys.readouterr()
    assert run(["trace", "report", "--html", "r.html"]) == 0
    assert "is not the document of that run any more" in capsys.readouterr().err
    text = (folder / "r.html").read_text("utf-8")
    assert "2031" in text and "2032" not in text


def refused(words: list[str], capsys: Told) -> str:
    """The one line with which a command line is refused."""
    capsys.readouterr()
    assert run(words) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1, err
    return err


def test_what_cannot_be_written_is_refused_before_the_run(folder: Path, capsys: Told) -> None:
    qa = ["qa", "report.pdf", QUESTION, "--sandbox", "native", "--quiet"]
    (folder / "hard.pdf").hardlink_to(folder / "report.pdf")
    (folder / "soft.html").symlink_to(folder / "report.pdf")
    os.mkfifo(folder / "pipe.html")
    before = (folder / "report.pdf").read_bytes()
    for more, why in (
        (["--report", "gone/r.html"], "there is no folder gone"),
        (["--report", "."], "is a folder"),
        (["--report", "pipe.html"], "is not a file"),
        (["--annotate", "report.pdf"], "the document itself"),
        (["--annotate", "hard.pdf"], "the document itself"),
        (["--report", "soft.html"], "the document itself"),
        (["--report", "one", "--annotate", "./one"], "two reports cannot go to one file"),
    ):
        assert why in refused([*qa, *more], capsys)
    assert "not a PDF" in refused(["qa", "memo.txt", QUESTION, "--quiet", "--annotate", "r.pdf"], capsys)
    task = ["task", "memo.txt", "Summarize it", "--quiet", "--annotate", "r.pdf"]
    assert "not a PDF" in refused(task, capsys)
    assert not (folder / "out").exists() and (folder / "report.pdf").read_bytes() == before


def test_no_file_of_a_set_is_overwritten_not_even_by_force(folder: Path, capsys: Told) -> None:
    deal = folder / "deal"
    deal.mkdir()
    for name in ("report.pdf", "memo.txt"):
        (folder / name).rename(deal / name)
    before = {path: path.read_bytes() for path in deal.iterdir()}
    assert "the document itself" in refused(["qa", "deal", QUESTION, "--report", "deal/memo.txt", "--force"], capsys)
    assert not (folder / "out").exists()
    assert ask("--annotate", "deal", "--force", document="deal") == 1
    out, err = capsys.readouterr()
    assert "no model has read them" in out and "deal/report.pdf is the document itself" in err
    assert run(["trace", "report", "--pdf", "marked.pdf"]) == 0 and highlights(folder / "marked.pdf") >= 1
    for form in (["--md", "deal/memo.txt"], ["--pdf", "deal"]):
        assert "the document itself" in refused(["trace", "report", "--force", *form], capsys)
    assert {path: path.read_bytes() for path in deal.iterdir()} == before


def test_a_record_report_is_refused_in_one_line_too(folder: Path, capsys: Told) -> None:
    assert ask(document="memo.txt", question="When does the lease end?") == 0
    assert "choose what to write" in refused(["trace", "report"], capsys)
    assert "there is no folder" in refused(["trace", "report", "--html", "gone/r.html"], capsys)
    assert "the document itself" in refused(["trace", "report", "--md", "memo.txt"], capsys)
    assert "is not a PDF" in refused(["trace", "report", "--pdf", "r.pdf"], capsys)
    assert "no-run" in refused(["trace", "report", "nobody", "--html", "r.html"], capsys)
    assert (folder / "memo.txt").read_text("utf-8") == MEMO and not (folder / "r.pdf").exists()


def test_when_writing_fails_the_answer_is_there_and_only_a_success_becomes_an_error(
    folder: Path, capsys: Told, monkeypatch: pytest.MonkeyPatch
) -> None:

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(report, "replace_file", full)
    assert ask("--report", "r.html") == 1
    out, err = capsys.readouterr()
    assert "Trace: out/" in out and err.count("\n") == 1 and "No space left on device" in err
    absent = ["--report", "r.html", "--annotate", "a.pdf"]
    assert ask(*absent, question="What is the helicopter's registration?") == 2
    out, err = capsys.readouterr()
    assert "No passage was found." in out and "No space left on device" in err


def test_an_absent_answer_is_reported_though_there_is_nothing_to_highlight(folder: Path, capsys: Told) -> None:
    wanted = ["--report", "r.html", "--annotate", "a.pdf"]
    assert ask(*wanted, question="What is the helicopter's registration?") == 2
    assert "no quote to highlight" in capsys.readouterr().err
    assert "What was searched" in (folder / "r.html").read_text("utf-8") and not (folder / "a.pdf").exists()


def test_a_run_that_was_not_accepted_is_reported(folder: Path, capsys: Told) -> None:
    script = folder / "worker.json"
    quote = "The lease of the north hall ends on 31 March 2031."
    claim = {"text": "The hall is red.", "quotes": [quote]}
    reply = {"act": {"claims": [claim]}}
    script.write_text(json.dumps([{"act": {"code": "print(context)"}}, reply] * 9))
    judge = folder / "judge.json"
    ruling = {"verdicts": [{"id": 1, "verdict": "not", "reason": "no <b>colour</b>"}]}
    judge.write_text(json.dumps([{"text": json.dumps(ruling)}] * 9))
    models = ["--model", f"scripted:{script}", "--judge-model", f"scripted:{judge}", "--strategy", "rlm"]
    assert ask(*models, "--report", "r.html", document="memo.txt", question="Which colour?") == 2
    text = (folder / "r.html").read_text("utf-8")
    assert "Not accepted" in text and "no &lt;b&gt;colour&lt;/b&gt;" in text and "not supported" in text


def test_standard_input_is_read_once_for_run_and_report(
    folder: Path, capsys: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = io.BytesIO((folder / "report.pdf").read_bytes())
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"buffer": data})())
    assert ask("--report", "r.html", "--annotate", "r.pdf", document="-") == 0
    assert highlights(folder / "r.pdf") >= 1
    assert "data:image/png" in (folder / "r.html").read_text("utf-8")
    capsys.readouterr()
    assert run(["trace", "report", "--html", "again.html"]) == 0
    assert "came from standard input" in capsys.readouterr().err


def test_task_and_goal_runs_have_reports(folder: Path, capsys: Told) -> None:
    task = ["task", "report.pdf", "List the covenants with their page", "--format", "csv", "--sandbox", "native"]
    assert run([*task, "--quiet", "--report", "t.html", "--annotate", "t.pdf"]) == 0
    text = (folder / "t.html").read_text("utf-8")
    assert "Evidence" in text and "quote,page" in text and highlights(folder / "t.pdf") >= 1
    goal = ["goal", "report.pdf", "Extract the table of revenue by segment as CSV", "--verify", "test -s {output}"]
    assert run([*goal, "--sandbox", "native", "--quiet"]) == 0
    assert run(["trace", "report", "--html", "g.html", "--md", "g.md", "--csv", "g.csv"]) == 0
    text = (folder / "g.html").read_text("utf-8")
    assert "Completed, verified" in text and "passed" in text and "test -s" in text and "Total revenue" in text
    assert "Total revenue" in (folder / "g.md").read_text("utf-8")


def test_a_target_that_was_there_is_replaced_whole_or_left_as_it_was(
    folder: Path, capsys: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(document="memo.txt", question="When does the lease end?") == 0
    (folder / "r.html").write_text("old")
    replace: Callable[..., object] = Path.replace

    def broken(self: Path, target: object) -> object:
        if str(target).endswith("r.html"):
            raise OSError(5, "Input/output error")
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", broken)
        assert run(["trace", "report", "--html", "r.html", "--force"]) == 1
    assert (folder / "r.html").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["memo.txt", "out", "r.html", "report.pdf"]
    assert run(["trace", "report", "--html", "r.html", "--force"]) == 0
    assert (folder / "r.html").read_text("utf-8").startswith("<!doctype html>")
