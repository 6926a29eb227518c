"""`ralph check` on the command line: verdicts and exit codes, formats of memos, JSON and HTML, errors in one line."""

import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from word import docx, paragraph, part

from ralph_cli.commands.app import run

LEASE = (
    "The lease of the north hall ends on 31 March 2031.\nThe rent of 4,800 is due on the first day of each month.\f"
    "The tenant shall not sublet the hall.\n"
)
GOOD = "The lease says: \u201cThe rent of 4,800 is due on the first day\u201d (p. 1)."
BAD = (
    "It says \u201cThe rent of 4,900 is due on the first day\u201d and \u201cThe tenant shall not sublet\u201d (p. 1)."
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a lease of two pages."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RALPH_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "lease.txt").write_text(LEASE, "utf-8")
    return tmp_path


def memo(text: str, name: str = "memo.md") -> str:
    Path(name).write_text(text, "utf-8")
    return name


def test_a_memo_that_holds_is_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", memo(GOOD), "--doc", "lease.txt"]) == 0
    out, err = capsys.readouterr()
    assert "Exact (1)" in out and "p. 1" in out and "1 quotation checked: all hold" in out
    assert "no model was asked" in out and "Traceback" not in err


def test_what_does_not_hold_is_exit_code_2_and_comes_first_with_the_true_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["check", memo(GOOD + "\n\n" + BAD), "--doc", "lease.txt"]) == 2
    out = capsys.readouterr().out
    assert out.index("Altered") < out.index("Wrong page") < out.index("Exact")
    assert "line 3: \u201cThe rent of 4,900" in out and "4,900 -> 4,800" in out
    assert "the memo says p. 1; it is on p. 2" in out and "3 quotations checked: 2 do not hold" in out


OMITTED = "It says \u201cThe rent of 4,800 [...] on the first day\u201d."
LANDLORD = GOOD + " The \u201clandlord\u201d agrees."
PEPPERCORN = GOOD + " The \u201clandlord\u201d agrees to the \u201cpeppercorn rent\u201d."
SUBLET = GOOD + " It said the tenant \u201cmay sublet\u201d and \u201cowes nothing\u201d."


@pytest.mark.parametrize(
    ("text", "more", "code", "told"),
    [
        ("Everything is working.", [], 2, ["Nothing was checked"]),
        ("The \u201clease\u201d is well.", [], 2, ["Nothing was checked"]),
        (LANDLORD, [], 0, ["not in the document: \u201clandlord\u201d (line 1)"]),
        (LANDLORD, ["--strict"], 2, ["landlord"]),
        (OMITTED, [], 0, ["Elided", 'omitted: "is due"', "it holds; 1 with words left out or put in"]),
        (PEPPERCORN, [], 0, ["1 quotation checked: it holds; 2 terms between marks not in the document;"]),
        (SUBLET, [], 2, ["3 quotations checked: 2 do not hold"]),
    ],
)
def test_what_is_said_of_a_memo_and_its_exit_code(
    text: str, more: list[str], code: int, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", memo(text), "--doc", "lease.txt", *more]) == code
    out = capsys.readouterr().out
    assert all(words in out for words in told), out


def test_the_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", memo(BAD + " See p. 9."), "--doc", "lease.txt", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert not told["ok"] and told["counts"]["checked"] == 2 and told["counts"]["altered"] == 1
    altered, moved = told["quotations"]
    assert altered["outcome"] == "altered" and altered["closest"]["differing"] == ["4,900 -> 4,800"]
    assert altered["closest"]["page"] == 1 and altered["quote"] is None and altered["line"] == 1
    assert moved["outcome"] == "wrong-page" and moved["pages"] == [{"page": 2, "label": "2"}]
    assert (
        moved["quote"]["text"]
        == "The tenant shall not sublet"
        == LEASE[moved["quote"]["start"] : moved["quote"]["end"]]
    )
    assert told["pages_past_the_end"] == [{"text": "p. 9", "line": 1}] and told["support"] is None
    assert told["documents"][0]["path"] == "lease.txt" and told["documents"][0]["pages"] == 2


def test_password_and_encoding_without_effect_are_said_if_they_are_for_none_of_the_files(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    words = ["check", memo(GOOD), "--doc", "lease.txt"]
    assert run([*words, "--password", "x", "--encoding", "utf-8"]) == 0
    told = capsys.readouterr().err
    assert "lease.txt: the password has no effect, because this is neither a PDF" in told and "encoding" not in told
    assert run([*words, "--doc", str(samples / "report.pdf"), "--password", "x", "--encoding", "utf-8"]) == 0
    assert "no effect" not in capsys.readouterr().err


def test_the_page_is_for_its_owner_only() -> None:
    assert run(["check", memo(GOOD), "--doc", "lease.txt", "--html", "out.html"]) == 0
    assert Path("out.html").stat().st_mode & 0o777 == 0o600


def test_a_page_that_belongs_to_no_quotation_is_told_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", memo(GOOD + "\n\nThe hall is described on page 2 of it."), "--doc", "lease.txt"]
    assert run([*words, "--html", "out.html"]) == 0
    out = capsys.readouterr().out
    assert "belong to no quotation: not checked (1)\n  ? line 3: page 2" in out and "all hold" not in out
    assert "1 quotation checked: it holds; 1 page reference not linked to a quotation, not checked" in out
    page = Path("out.html").read_text("utf-8")
    assert "belong to no quotation: not checked (1)" in page and "<li>line 3: page 2</li>" in page
    assert run([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pages_without_a_quotation"] == [{"text": "page 2", "line": 3, "place": "line 3"}]
    assert run([*words, "--strict"]) == 2
    assert run(["check", memo("See page 2."), "--doc", "lease.txt"]) == 2
    assert "Nothing was checked" in (said := capsys.readouterr().out) and "1 page reference not linked" in said


def test_all_hold_is_never_said_over_figures_that_nobody_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", memo(GOOD + " So it is 57,600 a year, or 4,800 a month."), "--doc", "lease.txt"]
    assert run([*words, "--html", "out.html"]) == 0
    out = capsys.readouterr().out
    assert "1 quotation checked: it holds; 2 figures outside of quotations were not checked (1 not found" in out
    assert "computed, rounded or wrong (1)\n  ? line 1: 57,600\n" in out and "all hold" not in out
    assert "<li>line 1: 57,600</li>" in Path("out.html").read_text("utf-8")
    assert run([*words, "--json"]) == 0
    assert [one["occurs"] for one in json.loads(capsys.readouterr().out)["figures_not_checked"]] == [False, True]
    assert run([*words, "--strict"]) == 2


def test_several_documents(capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.txt").write_text("The deposit of 9,600 is held in trust.", "utf-8")
    text = GOOD + " And \u201cThe deposit of 9,600 is held\u201d."
    assert run(["check", memo(text), "--doc", "lease.txt", "--doc", "other.txt"]) == 0
    out = capsys.readouterr().out
    assert "of lease.txt" in out and "of other.txt" in out
    assert run(["check", memo(text), "--doc", "lease.txt"]) == 2


@pytest.mark.parametrize("name", ["memo.txt", "memo.html", "memo.docx", "-"])
def test_memos_of_every_format(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if name.endswith("docx"):
        body = (
            paragraph("It says:")
            + paragraph("The rent of 4,800 is due on the first day", "Quote")
            + paragraph("(p. 1)")
        )
        body += paragraph("And \u201cThe tenant shall sublet the hall.\u201d")
        Path(name).write_bytes(docx(body))
    elif name.endswith("html"):
        block = "<blockquote>The rent of 4,800 is due on the first day</blockquote><p>(p. 1)</p>"
        memo(f"<p>It says:</p>{block}<p>And <q>The tenant shall sublet the hall.</q></p>", name)
    else:
        text = GOOD + "\n\n" + "And 'The tenant shall sublet the hall.'"
        memo(text, "memo.txt")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["check", name, "--doc", "lease.txt", "--json"]) == 2
    first, second = json.loads(capsys.readouterr().out)["quotations"]
    assert first["outcome"] == "exact" and first["page_matched"] == "both"
    assert second["outcome"] == "altered" and second["closest"]["differing"] == ["(nothing) -> not"]


def test_a_word_document_can_be_what_is_checked_against(capsys: pytest.CaptureFixture[str]) -> None:
    note = "<w:footnote w:id='1'>" + paragraph("As the parties agreed in writing.") + "</w:footnote>"
    cited = "<w:p><w:r><w:t>Rent is due.</w:t><w:footnoteReference w:id='1'/></w:r></w:p>"
    Path("lease.docx").write_bytes(docx(cited, footnotes=part("footnotes", note)))
    text = 'It says "As the parties agreed in writing" (p. 3).'
    assert run(["check", memo(text), "--doc", "lease.docx"]) == 0
    assert "1 page reference not checked, for the document has no pages" in capsys.readouterr().out
    assert run(["check", memo(text), "--doc", "lease.docx", "--strict"]) == 2


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_the_html_file_is_escaped_and_asks_for_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\u201c<script>alert(1)</script> <img src=x onerror=y> and so on\u201d"
    assert run(["check", memo(BAD + hostile, "memo.txt"), "--doc", "lease.txt", "--html", "out.html"]) == 2
    text = Path("out.html").read_text("utf-8")
    tags = _Tags()
    tags.feed(text)
    assert not tags.tags & {"script", "img", "link", "iframe"} and not tags.attributes & {"src", "onerror"}
    assert "&lt;script&gt;" in text and "4,900 → 4,800" in text and "Wrong page" in text
    assert set(re.findall('href="(.)', text)) == {"#"}
    assert "http" not in text.replace('http-equiv="Content-Security-Policy"', "")
    assert run(["check", memo(GOOD), "--doc", "lease.txt", "--html", "none/out.html"]) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_control_characters_of_a_memo_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", memo("It says \u201cthe rent \x1b[31mis due\u202e on the first\u201d."), "--doc", "lease.txt"])
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\u202e" not in out and "\\u{1b}" in out


def test_the_judge_is_asked_on_request_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = {"verdicts": [{"id": 1, "verdict": "not", "reason": "It says the first day."}]}
    (folder / "judge.json").write_text(json.dumps([{"text": json.dumps(verdicts)}]))
    words = [
        "check",
        memo("Rent is due late: \u201cThe rent of 4,800 is due on the first day\u201d."),
        "--doc",
        "lease.txt",
    ]
    assert run(words) == 0
    assert run([*words, "--judge"]) == 1
    assert "--judge needs a model" in capsys.readouterr().err
    assert run([*words, "--judge", "--judge-model", "scripted:judge.json", "--html", "out.html"]) == 2
    out = capsys.readouterr().out
    assert "not supported: It says the first day." in out and "1 sentence judged by scripted:judge.json" in out
    assert "It says the first day." in Path("out.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "none.md", "--doc", "lease.txt"], "does not exist"),
        (["check", "lease.txt", "--doc", "none.pdf"], "does not exist"),
        (["check", "lease.txt"], "--doc"),
        (["check", "-", "--doc", "-"], "standard input"),
    ],
)
def test_errors_are_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 1
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_a_report_never_takes_the_place_of_the_memo_or_the_document(tmp_path: Path) -> None:
    memo, doc = tmp_path / "memo.md", tmp_path / "doc.md"
    memo.write_text('It says "the hall is cold in winter".', encoding="utf-8")
    doc.write_text("So the hall is cold in winter.", encoding="utf-8")
    for target in (memo, doc, tmp_path, tmp_path / "no" / "x.html", Path("-")):
        before = memo.read_text("utf-8"), doc.read_text("utf-8")
        assert run(["check", str(memo), "--doc", str(doc), "--html", str(target), "--quiet"]) == 1
        assert (memo.read_text("utf-8"), doc.read_text("utf-8")) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_standard_output_on_a_full_disk_is_one_line(tmp_path: Path) -> None:
    for name in ("memo.md", "lease.md"):
        (tmp_path / name).write_text('It says "the hall is cold in winter".', encoding="utf-8")
    memo, lease = str(tmp_path / "memo.md"), str(tmp_path / "lease.md")
    command = [sys.executable, "-m", "ralph_cli", "check", memo, "--doc", lease]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (
        done.returncode == 1 and "Traceback" not in done.stderr and "standard output cannot be written" in done.stderr
    )


def test_a_memo_is_not_checked_against_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("memo.md").write_text('It says "the hall is cold in winter".', encoding="utf-8")
    assert run(["check", "memo.md", "--doc", "memo.md"]) == 1
    assert "the same file" in capsys.readouterr().err
