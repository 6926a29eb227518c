"""The HTML report: all that a reader needs to check a claim, and nothing that a browser would run or fetch."""

import base64
import hashlib
import re
from dataclasses import fields, replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sample_run import Words, sample_document, sample_run

from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.events import GoalSet, OutputChanged, SnippetRan, VerifierFinished, WorkerReported
from ralph_cli.core.run import Halt, Quote, Ruling, StopType, Verdict
from ralph_cli.documents.source import DocumentSource
from ralph_cli.reports import markdown
from ralph_cli.reports.html import markup
from ralph_cli.reports.html import page as html
from ralph_cli.reports.html.markup import Markup, el, join
from ralph_cli.reports.memo.html import memo_html
from ralph_cli.reports.report import Crop, find_excerpt
from ralph_cli.reports.terminal import report_text
from ralph_cli.runs.lookup import check_memo
from ralph_cli.runs.report import RunDocument, build_report, render_memo_report


class Read(HTMLParser):
    """What a browser would make of a page: its elements with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.marked = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)
        if "mark" in self.open:
            self.marked += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page(words: Words | None = None, **options: bool) -> str:
    run, document = sample_run(words, **options)
    return html.render_page(build_report(run, RunDocument(document)))


def test_a_reader_sees_claim_verdict_reason_judge_quote_place_tier_difference_and_count() -> None:
    text = Read(page()).text
    assert "Is the rent due monthly?" in text and "lease.txt, 12 pages" in text and "Not accepted" in text
    claim = text.split("Claim 1 ")[1]
    assert claim.startswith("✓ supported, qualified by [3] The rent is $48,000 a year, due monthly. Judge: the passage")
    assert (
        "Page 2 (printed ii) the same letters and digits, other signs and spaces found in 3 places; this is one of them"
        in claim
    )
    assert "As given → in the document: 48,000 -> $48,000," in claim
    assert "The worker’s wording: The annual rent is 48,000 payable monthly" in claim
    assert "~ only partly supported It is late." in text and "✗ contradicted, 39 % unconfirmed It is new." in text
    assert "This claim has no quote." in text and "Also supported by, shown above: [2]" in text


def test_calculations_bearings_votes_and_what_speaks_against_a_claim_are_shown() -> None:
    read = Read(page())
    assert "Calculation: 4,000 * 12 = 48,000" in read.text
    assert "[1] supports it" not in read.text  # the judge's reason for the claim has said it
    assert "[2] does not bear on it: rent is $49,000" in read.text
    assert (
        "The judges do not agree: openai:gpt-5: only partly supported (the passage says so); other: supp" in read.text
    )
    assert "[3] Found by the judge, qualifies it: the passage says so (openai:gpt-5)" in read.text
    found = read.text.split("Found by the checks")[1]
    assert found.startswith(" one page could not be read Quote 3 Page 5 word for word Page 5 begins.")
    assert "#quote-3" in {item["href"] for item in read.of("a")}


def test_the_passage_is_of_the_quotes_own_page_with_the_quote_marked() -> None:
    read = Read(page())
    assert (
        "Before the quote stands this line. The annual rent is $48,000, payable monthly. After it stands" in read.text
    )
    assert read.marked == "The annual rent is $48,000,payable monthly.Page 3 begins.Page 5 begins."
    assert "Page 1 begins" not in read.text


def test_paragraphs_lines_and_words_bound_a_passage() -> None:
    def around(text: str, quoted: str, size: int) -> tuple[str, str]:
        from fakes import document

        start = text.index(quoted)
        found = find_excerpt(
            document(text), Quote(1, quoted, start, start + len(quoted), 1, "1", "exact", 1, quoted), size
        )
        assert found is not None and found.quoted == quoted
        return found.before, found.after

    paragraphs = "One.\n\nTwo.\n\nThree has THE WORDS in it.\n\nFour.\n\nFive."
    assert around(paragraphs, "THE WORDS", 500) == ("Two.\n\nThree has ", " in it.\n\nFour.")
    lines = (
        "".join(f"line {n} of ten\n" for n in range(10))
        + "THE WORDS\n"
        + "".join(f"row {n} of ten\n" for n in range(10))
    )
    before, after = around(lines, "THE WORDS", 40)
    assert before == "line 8 of ten\nline 9 of ten\n" and after == "\nrow 0 of ten\nrow 1 of ten\nrow 2 of ten"
    assert around("word " * 50 + "THE WORDS" + " word" * 50, "THE WORDS", 22) == (
        "… word word word word ",
        " word word word word …",
    )


def test_what_stands_elsewhere_in_the_document_is_not_shown_as_its_passage() -> None:
    run, document = sample_run()
    other = replace(document, text=document.text.replace("annual rent", "yearly rent"))
    report = build_report(run, RunDocument(other))
    assert 1 not in report.excerpts and 2 in report.excerpts
    assert "Some quotes are no longer at their place in the document" in Read(html.render_page(report)).text


def test_without_the_document_the_report_says_so_and_shows_the_quotes() -> None:
    run, _ = sample_run()
    report = build_report(run, RunDocument(missing="lease.txt does not exist"))
    text = Read(html.render_page(report)).text
    assert "could not be read for this report (lease.txt does not exist)" in text
    assert "The annual rent is $48,000, payable monthly." in text and "In context" not in text
    assert "Pages shown to a model (1 of 12): 2" in text and "Pages never read (5 of 12): 8-12" in text


def test_refused_quotes_and_issues_of_every_iteration_are_in_the_appendix() -> None:
    appendix = Read(page()).text.split("What was refused on the way")[-1]
    first, second = appendix.split("Iteration 2")
    assert "this quote is not in the document: rent is $49,000" in first
    assert "Step 3: the claim says more than its quotes" in first and "quotes: a quote is refused" in first
    assert "judge: the passage says so" in first  # a check that could not be made
    assert "judge: the claim says more than its quotes: rent is $49,000" in second


def test_pages_are_shown_by_how_far_they_were_read() -> None:
    read = Read(page())
    assert "Pages shown to a model (1 of 12): 2" in read.text
    assert "Pages shown to a model in part (1 of 12): 4" in read.text
    assert "Pages processed by code only (5 of 12): 1, 3, 5-7" in read.text
    assert "Pages never read (5 of 12): 8-12" in read.text
    cells = [item["class"] for item in read.of("li") if item.get("title")]
    assert cells == ["code", "whole", "code", "some", "code", "code", "code", *["none"] * 5]


def test_older_runs_tell_pages_from_what_steps_printed_and_others_say_not_recorded() -> None:
    run, document = sample_run(covered=False)
    text = Read(html.render_page(build_report(run, RunDocument(document)))).text
    assert (
        "Pages shown to a model in part (2 of 12): 2-3" in text
        and "in the output of a step that the worker saw" in text
    )
    bare = replace(run, events=tuple(event for event in run.events if not isinstance(event, SnippetRan)))
    assert "was not recorded in this run" in Read(html.render_page(build_report(bare, RunDocument(document)))).text


def test_the_course_shows_code_output_drafts_verdicts_and_retries() -> None:
    text = Read(page()).text.split("Course of the run")[-1]
    assert (
        "Step 1: ran code for 0.12 s, 3 sub-queries, pages 2-3 Code print(find('rent')) What it was shown 1 hit" in text
    )
    assert "Step 3: submitted, rejected" in text and "failed on try 1" in text and "Claim 3 : contradicted." in text


def test_cost_is_told_by_agent_and_model_and_in_all() -> None:
    text = Read(page()).text
    assert "worker anthropic:claude-opus 2 0 2,700 170 0.0323 4.5" in text
    assert "judge openai:gpt-5 1 1 900 50 0.0040 1.0 Total 3 1 3,600 220 0.0363 5.5" in text


def test_an_absence_shows_its_searches_and_does_not_claim_too_much() -> None:
    text = Read(page(absent=True)).text
    assert "Not in the document, as far as the searches shown below can tell. The worker notes: only a hall" in text
    assert "Term Places parking 0 garage, in its code 4" in text


def test_a_task_shows_its_output_and_the_brief() -> None:
    run, document = sample_run()
    run = replace(
        run, view=replace(run.view, mode="task", output="Item,2024\nRent,48000", halt=Halt(StopType.COMPLETION, ""))
    )
    text = Read(html.render_page(build_report(run, RunDocument(document)))).text
    assert "Item,2024 Rent,48000" in text and "Evidence" in text
    assert "Item 1 ✓ supported" in text and "Claim 1 ✓" not in text and "No judge ruled on the output." in text
    bare = replace(run, view=replace(run.view, claims=tuple(replace(item, ruling=None) for item in run.view.claims)))
    ruled = replace(bare, view=replace(bare.view, output_ruling=Ruling(0, Verdict.PARTLY, "a line is missing", "gpt")))
    text = Read(html.render_page(build_report(ruled, RunDocument(document)))).text
    assert "Judge: only partly supported. a line is missing (gpt)" in text
    assert "Item 1 The rent is $48,000 a year, due monthly. Calculation:" in text  # an item has no verdict of its own


def test_a_goal_shows_its_output_and_the_verdict_of_the_users_commands() -> None:
    run, document = sample_run()
    evidence = VerifierFinished(1, "check", "c", "test -s out", True, "exit 0", "fine", "2026-01-02", 1, 1)
    more = (
        GoalSet((("check", "test -s {output}"),), True),
        OutputChanged(1, "c", "a,b\n1,2", 1),
        evidence,
        WorkerReported(1, "c", "so", "done"),
    )
    empty = replace(run.view, mode="goal", claims=(), quotes=(), halt=Halt(StopType.COMPLETION, "every check passed"))
    events = tuple(event for event in run.events if event.kind not in ("step_finished", "run_halted"))
    text = Read(
        html.render_page(build_report(replace(run, view=empty, events=(*events, *more)), RunDocument(document)))
    ).text
    assert "Completed, verified" in text and "a,b 1,2" in text
    assert "check: passed (exit 0)" in text and "$ test -s out fine" in text and "which proves nothing: so" in text


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "</pre></details></section><iframe src=http://evil.example></iframe>",
    "<svg/onload=alert(1)>",
    "<style>@import 'http://evil.example'</style>",
    "<!-- --><base href=http://evil.example><meta http-equiv=refresh content=0>",
    "javascript:alert(1)",
    "&lt;script&gt;alert(1)&#x3c;/script&#62;",
    "<a href='javascript:alert(1)'>x</a>",
    "]]><x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(1)</x:script>",
    "\u2028\u2029<script\u0000>alert(1)</script>",
    "a\u202egnp.exe\u2066 \u200bzero\ufeff \x1b[31m \x85 \U000e0041",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "\ud800 <b>half a pair</b>",
]


def shape(page: str) -> list[tuple[str, tuple[str, ...]]]:
    """Elements and the names of their attributes, in order."""
    return [(tag, tuple(sorted(attributes))) for tag, attributes in Read(page).elements]


@pytest.mark.parametrize("payload", HOSTILE)
def test_no_foreign_word_changes_what_the_page_is_made_of(payload: str) -> None:
    calm = Words(**{item.name: f"calm {number}" for number, item in enumerate(fields(Words))})
    wild = Words(**{item.name: f"calm {number} {payload}" for number, item in enumerate(fields(Words))})
    for absent in (False, True):
        page_ = page(wild, absent=absent)
        assert shape(page_) == shape(page(calm, absent=absent))
        for char in ("\u2028", "\u202e", "\u200b", "\x1b", "\x00", "\ufeff", "\u2066", "\U000e0041", "\x85"):
            assert char not in page_
        page_.encode("utf-8")


def test_the_page_may_run_and_load_nothing() -> None:
    text = page()
    read = Read(text)
    policy = next(item["content"] for item in read.of("meta") if item.get("http-equiv") == "Content-Security-Policy")
    css = text.split("<style>")[1].split("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert not re.search(r"url\(|@import|expression", markup.CSS)
    for tag, attributes in read.elements:
        assert tag not in ("script", "iframe", "object", "embed", "link", "form", "base", "svg")
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert str(attributes.get("href", "#")).startswith("#")
        assert str(attributes.get("src", "data:image/png;base64,")).startswith("data:image/png;base64,")


def test_links_lead_somewhere_and_no_anchor_stands_twice() -> None:
    read = Read(page())
    anchors = [item["id"] for _, item in read.elements if "id" in item]
    assert len(anchors) == len(set(anchors))
    links = {item["href"] for item in read.of("a")}
    assert links <= {f"#{anchor}" for anchor in anchors} and "#quote-2" in links and "#answer" in links


def test_a_crop_is_an_image_in_the_page_with_words_for_those_who_cannot_see_it() -> None:
    run, document = sample_run()
    report = replace(build_report(run, RunDocument(document)), crops={1: (Crop(2, 1100, 200, b"\x89PNG..."),)})
    (image,) = Read(html.render_page(report)).of("img")
    assert image["src"] == "data:image/png;base64," + base64.b64encode(b"\x89PNG...").decode()
    assert image["alt"] == "Page 2 of the document around quote 1; its lines are marked"


def test_markup_escapes_whatever_is_not_markup() -> None:
    assert el("p", "<b>", el("b", "&"), None, class_='a"b') == '<p class="a&quot;b">&lt;b&gt;<b>&amp;</b></p>'
    assert join("a" + Markup("<i>")) == "a&lt;i&gt;"  # what was glued together is text again
    assert el("meta", charset="utf-8") == '<meta charset="utf-8">'
    assert el("details", open=True) == "<details open></details>" and el("p", hidden=False, id=None) == "<p></p>"


def test_a_long_document_gets_a_strip_of_bounded_length() -> None:
    run, _ = sample_run()
    long: Document = sample_document(Words(), pages=2000)
    run = replace(run, view=replace(run.view, document=run.view.document | {"pages": 2000}))
    report = build_report(run, RunDocument(replace(long, sha256=run.view.document["sha256"])))
    assert len(report.coverage.parts) <= 300
    assert "Pages never read (1993 of 2000): 8-2000" in Read(html.render_page(report)).text


def test_a_text_without_pages_is_told_in_lines() -> None:
    run, document = sample_run()
    flat = replace(
        document, text=document.text.replace("\f", "\n"), pages=(document.pages[0]._replace(end=len(document.text)),)
    )
    quotes = tuple(replace(quote, where="line 5, under “Rent”") for quote in run.view.quotes)
    claims = tuple(replace(item, quotes=quotes[:1]) for item in run.view.claims[:1])
    view = replace(run.view, document=run.view.document | {"pages": 1}, quotes=quotes, claims=claims, found_passages=())
    report = build_report(replace(run, view=view), RunDocument(flat))
    text = Read(html.render_page(report)).text
    assert "Lines never read (" in text and "Line 5, under “Rent”" in text and "t character" not in text
    assert "[1\\] line 5, under “Rent”" in markdown.markdown_report(report)
    assert "”  line 5, under “Rent”, re-cut" in report_text(view)


def test_passages_that_no_model_has_read_are_shown_once_and_without_advice() -> None:
    run, document = sample_run()
    (first, *_), (quote, *_) = run.view.claims, run.view.quotes
    ruling = Ruling(1, Verdict.VERBATIM, "the same words", "offline:extractive")
    claim = replace(first.claim, text=" ".join(quote.text.split()), calculations=())
    item = replace(first, claim=claim, quotes=(quote,), ruling=ruling, qualifications=(), missing_votes=())
    view = replace(run.view, claims=(item,), quotes=(quote,), found_passages=(), halt=Halt(StopType.PASSAGES, "so"))
    report = build_report(replace(run, view=view), RunDocument(document))
    text = Read(html.render_page(report)).text
    assert text.count("annual rent is $48,000") == 1 + text.split("Course of the run")[1].count(
        "annual rent is $48,000"
    )
    assert "Passage 1 = verbatim Quote 1" in text and "API_KEY" not in text and "shown to a model" not in text
    assert markdown.markdown_report(report).count("annual rent is") == 1


def test_what_goes_after_a_run_stands_behind_the_answer() -> None:
    run, document = sample_run()
    for text in (page(), markdown.markdown_report(build_report(run, RunDocument(document)))):
        assert text.index("It is new.") < text.index(run.view.document["sha256"])


def test_a_checked_memo_is_shown_in_the_same_look_with_pictures(tmp_path: Path) -> None:
    samples = Path(__file__).parents[2] / "samples"
    (tmp_path / "memo.md").write_text((samples / "memo.md").read_text("utf-8") + "\n<script>alert(1)</script>\n")
    source = DocumentSource(str(samples / "report.pdf"))
    check = check_memo(str(tmp_path / "memo.md"), [source], settings=Settings(cache=tmp_path))
    made = render_memo_report(check, [source])
    read = Read(made)
    assert len(read.of("img")) == 6 and markup.policy() in unescape(made) and not read.of("script")
    assert "✗ altered “the ratio was 1.93 times” Memo → document: 1.93 → 1.39" in read.text
    assert "the memo says p. 19; it is on p. 21 (printed 17)" in read.text
    assert "SHA-256 1ac82e" in read.text.split("Terms of up to three words")[-1]
    bare = Read(memo_html(check, {}, ["No pictures."], made_at="now", version="0")).text
    assert "The closest text in the document: p. 13 (printed 9) the ratio was 1.39 times" in bare
    assert "No pictures. " in bare.split("Altered")[0]
