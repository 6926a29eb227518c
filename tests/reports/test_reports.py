"""What is shown: nothing that a terminal would obey, and every verdict in its own words."""

import csv
import io
import unicodedata
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reached import reached, reaches
from sample_run import Words, sample_run

from ralph_cli.core.coverage import Coverage
from ralph_cli.core.events import RunStarted
from ralph_cli.core.model import Usage
from ralph_cli.core.run import (
    INCOMPLETE_COUNTER_CHECKS,
    SKIPPED_VERIFIER_CHECK,
    Absence,
    Attempt,
    Claim,
    Doubt,
    Evidence,
    Halt,
    Issue,
    Outcome,
    Passage,
    Quote,
    QuoteRuling,
    Ruling,
    Search,
    Step,
    StopType,
    Verdict,
    Vote,
)
from ralph_cli.reports import markdown
from ralph_cli.reports.csv import csv_report
from ralph_cli.reports.html import page
from ralph_cli.reports.json import as_object
from ralph_cli.reports.notebook import render_table
from ralph_cli.reports.report import Report, describe_ending, outcome_heading
from ralph_cli.reports.safe_text import make_visible, one_line, to_json
from ralph_cli.reports.story import story
from ralph_cli.reports.terminal import report_text
from ralph_cli.reports.view import RunView, build_view
from ralph_cli.runs.report import RunDocument, build_report

QUOTE = Quote(1, "rent of\n$48,000", 10, 25, 3, "iii", "folded", 2, "rent of $48,000")
CLAIM = Claim(1, "The rent is $48,000.", (1,))


OUTPUT_DOUBTS = (Doubt(0, "39 %", "no quote has it", "objection"), Doubt(0, "3,877", "the table has no unit"))


def test_what_code_could_not_confirm_of_an_output_is_told_below_it() -> None:
    attempt = Attempt((CLAIM,), (QUOTE,), finished=True, output="About 39 % of 3,877.", because="two of five")
    ruling = Ruling(0, Verdict.SUPPORTED, "complete", "openai:gpt-5")
    step = Step(attempt, (Evidence("output", doubts=OUTPUT_DOUBTS), Evidence("task_judge", rulings=(ruling,))))
    run, document = sample_run()
    begun = RunStarted("r-1", "task", "Summarize.", {"kind": "pdf", "pages": 3}, {}, "2026-01-02T03:04:05Z")
    view = build_view(
        begun,
        Outcome(Halt(StopType.COMPLETION, "every check passed"), step, 1),
        folder="out/r-1",
        usage=Usage(),
        seconds=1.0,
        notices=(),
        coverage=Coverage(),
        missing_votes={},
    )
    objection = "code could not confirm 39 %: no quote has it (the worker: two of five)"
    question = "code could not tell: the table has no unit"
    text = report_text(view)
    assert f"Doubts:\n  - {objection}\n  - {question}\n" in text
    assert "Accepted: every figure, date and quotation but 1 is in the " in text
    assert "the task done. 1 figure unconfirmed by code, 1 question left open by code.\n" in text
    report = build_report(replace(run, view=view, events=(begun,)), RunDocument(document))
    for form in (markdown.markdown_report(report), page.render_page(report), render_table(view)):
        assert objection in form and question in form and "1 figure unconfirmed" in form
    assert [item["claim"] for item in as_object(view)["unconfirmed"]] == [None, None]


def test_what_code_could_not_tell_is_said_without_a_judge_too() -> None:
    run, _ = sample_run()
    claims = tuple(
        replace(item, unconfirmed=tuple(doubt for doubt in item.unconfirmed if not doubt.is_objection))
        for item in run.view.claims
    )
    left = tuple(doubt for item in claims for doubt in item.unconfirmed)
    view = replace(run.view, claims=claims, unconfirmed=left, halt=Halt(StopType.PASSAGES, "so"))
    text = report_text(view)
    assert "Doubts:\n  - code could not tell: no quote has it\n" in text
    assert "1 question left open by code." in text and "unconfirmed" not in text


def shown(reason: StopType, verdict: Verdict | None = Verdict.SUPPORTED, text: str = CLAIM.text) -> RunView:
    issues = () if verdict in (Verdict.SUPPORTED, Verdict.VERBATIM) else (Issue("judge", "why not", 1),)
    rulings = (Ruling(1, verdict, "a reason", "openai:gpt"),) if verdict else ()
    step = Step(Attempt((replace(CLAIM, text=text),), (QUOTE,), finished=True), (Evidence("judge", issues, rulings),))
    return view_of_step(step, reason)


def view_of_step(step: Step, reason: StopType, **document: Any) -> RunView:
    """The view of a run of one step that ended so; `document` is what it recorded of its document beside its pages."""
    models = {"models": {"judge": "openai:gpt"}}
    return build_view(
        RunStarted("r", "qa", "q", {"kind": "pdf", "pages": 9, **document}, models, "2026-11-20T10:00:00.000Z"),
        Outcome(Halt(reason, "detail"), step, 1),
        folder="out/r",
        usage=Usage(3, 100, 20, usd=0.01),
        seconds=1.5,
        notices=(),
        coverage=Coverage(),
        missing_votes={},
    )


def test_an_accepted_answer_shows_claim_mark_quote_page_tier_and_cost() -> None:
    text = report_text(shown(StopType.COMPLETION))
    assert "- The rent is $48,000. [1] ✓" in text
    assert "[1] “rent of / $48,000”  p. 3 (printed iii), folded, 2 places" in text
    folded = "folded: word for word but for spaces and typographic signs"
    assert f"Signs: ✓ supported by its quotes, says the judge; {folded}; / a line ends here." in text
    assert (
        "Accepted" in text and "3 model calls, 100 tokens in, 20 out, $0.0100" in text and "ralph trace show r" in text
    )


def test_the_last_line_tells_who_has_spent_what_and_what_a_cache_has_saved() -> None:
    spent = {"worker": 0.007, "judge": 0.003}
    text = report_text(replace(shown(StopType.COMPLETION), usd_by_role=spent, saved_usd=0.002))
    told = "3 model calls, 100 tokens in, 20 out, $0.0100, 1 iteration (worker $0.0070, judge $0.0030)"
    assert text.rstrip().splitlines()[-1] == f"{told}; $0.0020 saved by the cache, 1.5 s"


def test_verbatim_is_never_called_supported() -> None:
    told = shown(StopType.COMPLETION, Verdict.VERBATIM)
    text = report_text(told)
    assert "No model has judged" in text and "supported" not in text.lower() and "Accepted" not in text
    assert as_object(told)["judged"] is False


def test_a_refused_answer_says_so_first_and_why() -> None:
    text = report_text(shown(StopType.MAX_ITERATIONS, Verdict.PARTLY))
    assert (
        text.startswith("Not accepted (max_iterations)")
        and "only partly supported: a reason" in text
        and "why not" in text
    )


@pytest.mark.parametrize(
    ("stop", "heading"),
    [
        (StopType.STALLED, ("Not accepted", "bad")),
        (StopType.MAX_COST, ("Cut off", "warn")),
        (StopType.USER_INTERRUPTED, ("Cut off", "warn")),
        (StopType.SYSTEM_ERROR, ("Failed", "bad")),
        (StopType.ABSENT, ("Not in the document", "note")),
    ],
)
def test_a_report_says_first_whether_a_run_was_refused_cut_off_or_failed(
    stop: StopType, heading: tuple[str, str]
) -> None:
    run, _ = sample_run(absent=stop is StopType.ABSENT)
    run = replace(run, view=replace(run.view, halt=Halt(stop, "the same answer failed twice")))
    report = build_report(run, RunDocument())
    assert outcome_heading(report) == heading
    if stop is not StopType.ABSENT:
        assert describe_ending(report).startswith(
            "The same answer failed twice."
        ) and "Stopped" not in markdown.markdown_report(report)


def test_an_unjudged_answer_says_that_nobody_judged() -> None:
    text = report_text(shown(StopType.UNJUDGED, None))
    assert "Unjudged: detail" in text and "nobody has judged" in text


def test_an_absence_shows_its_searches() -> None:
    step = Step(
        Attempt(absence=Absence(("parking",), "only a hall"), searches=(Search("parking", 0),)), (Evidence("form"),)
    )
    told = view_of_step(step, StopType.ABSENT, unreadable=[5, 6, 9])
    assert "Not in the document." in report_text(told) and "parking: 0" in report_text(told)
    unread = "Not searched, or not all of it (damaged, a picture, or letters without a name): pages 5-6, 9."
    assert unread in report_text(told)
    report = Report(told, (), "2026-11-20T10:00:00.000Z", "0")
    assert all(
        unread in make_visible(form(report)).replace("\\", "") for form in (markdown.markdown_report, page.render_page)
    )
    searched = [{"term": "parking", "hits": 0, "by": "worker", "pattern": False}]
    not_found = {"searched": searched, "note": "only a hall", "nearest": [], "unreadable_pages": [5, 6, 9]}
    assert as_object(told)["not_found"] == not_found | {"pages_read": None}


def test_an_absence_shows_what_code_searched_what_could_not_be_counted_and_the_nearest_passages() -> None:
    searches = (Search("par.ing", 2, "code", True), Search("(a+)+", None, "code", True, "not counted: too long"))
    near = (Passage("Cars of \x1b[1mtenants\n" + "x" * 300, 5, 20, 3, "iii", ("cars", "tenants")),)
    step = Step(Attempt(absence=Absence(("parking",)), searches=searches, nearest=near), (Evidence("form"),))
    told = view_of_step(step, StopType.ABSENT)
    text = report_text(told)
    assert "par\u2026ing (as a pattern), in its code: 2" in text
    assert "a (as a pattern), in its code: not counted: too long" in text
    assert "p. 3 (printed iii): “Cars of \\u{1b}[1mtenants xxx" in text and "(cars, tenants)" in text
    assert len(max(text.splitlines(), key=len)) < 250
    found = as_object(told)["not_found"]
    assert found["searched"][1] == {
        "term": "(a+)+",
        "hits": None,
        "by": "code",
        "pattern": True,
        "fault": "not counted: too long",
    }
    assert found["nearest"][0]["page"] == 3 and found["nearest"][0]["words"] == ["cars", "tenants"]


def test_an_old_run_on_a_document_without_pages_shows_offsets() -> None:
    told = replace(shown(StopType.COMPLETION), document={"kind": "text", "pages": 1})
    assert "at character 10" in report_text(told) and as_object(told)["quotes"][0]["page"] is None


PAYLOADS = [
    "\x1b[31m",
    "\x1b]8;;http://x\x07",
    "\x9b2J",
    "\r",
    "\x08",
    "\u202e",
    "\u200b",
    "\ufe0f",
    "\U000e0041",
    "\u3164",
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_a_terminal_obeys_gets_through(payload: str) -> None:
    told = shown(StopType.MAX_ITERATIONS, Verdict.NOT, text=f"a{payload}b")
    told = replace(told, usd_by_role={f"a{payload}b": 0.01})
    begun = RunStarted("r", "qa", "q", {"path": "p", "sha256": f"a{payload}b"}, {}, f"a{payload}b")
    for text in (report_text(told), to_json(as_object(told)), story([begun])):
        assert payload not in text
    assert f"\\u{{{ord(payload[0]):x}}}" in make_visible(payload)


@reaches(plain=0.1)
@given(st.text() | st.text(st.characters(codec="ascii", categories=["L", "N", "P"])))
def test_visible_text_holds_no_control_and_plain_text_is_untouched(text: str) -> None:
    clean = make_visible(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn") for char in clean if char not in "\n\t")
    if reached("plain", text.isascii() and text.isprintable()):
        assert clean == text


def test_one_line_is_one_line_within_its_width() -> None:
    assert one_line("a\nb\t c", 0) == "a b c" and one_line("x" * 50, 10) == "x" * 7 + "..."


@pytest.mark.parametrize("mode", ["qa", "task"])
@pytest.mark.parametrize("stop", [StopType.COMPLETION, StopType.ABSENT])
def test_a_verification_that_was_skipped_is_said_in_the_closing_line(mode: str, stop: StopType) -> None:
    """B4: what was not asked is never shown as if it had been."""
    told = replace(shown(stop), mode=mode, output="an output")
    assert as_object(told)["verification"] is None and "verifier" not in report_text(told)
    skipped = replace(told, verification="skipped")
    closing = report_text(skipped).splitlines()[-3]
    assert closing.endswith("Not verified: the verifier was not asked about this last iteration.")
    assert as_object(skipped)["verification"] == "skipped"


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (Evidence("verifier"), "passed"),
        (Evidence("verifier", (Issue("verifier", "no"),)), "refused"),
        (Evidence("verifier", broken="down"), "failed"),
        (Evidence(SKIPPED_VERIFIER_CHECK), "skipped"),
        (Evidence("judge"), None),
    ],
)
def test_the_view_tells_what_became_of_the_verification(evidence: Evidence, expected: str | None) -> None:
    step = Step(Attempt((CLAIM,), (QUOTE,), finished=True), (Evidence("form"), evidence))
    assert step.verification == (expected or "")
    told = view_of_step(step, StopType.COMPLETION)
    assert as_object(told)["verification"] == expected


def test_judges_that_do_not_agree_and_quotes_that_do_not_bear_are_shown() -> None:
    ruling = Ruling(
        1,
        Verdict.SUPPORTED,
        "a reason",
        "openai:gpt",
        (QuoteRuling(1, "supports", "it says so"), QuoteRuling(2, "unrelated", "about rent")),
        (Vote("openai:gpt", Verdict.PARTLY, "half"), Vote("openai:gpt", Verdict.SUPPORTED, "all")),
    )
    quotes = (QUOTE, replace(QUOTE, id=2, match="recut", difference=("48,000 -> $48,000",), last_page=4))
    step = Step(Attempt((replace(CLAIM, quotes=(1, 2)),), quotes, finished=True), (Evidence("judge", (), (ruling,)),))
    told = view_of_step(step, StopType.COMPLETION)
    text = report_text(told)
    assert "[2] does not bear on it: about rent" in text and "[1] supports" not in text
    assert "The judges do not agree: openai:gpt: only partly supported; openai:gpt: supported" in text
    assert "p. 3-4 (printed iii), re-cut" in text and "as given -> in the document: 48,000 -> $48,000" in text
    (claim,) = as_object(told)["claims"]
    assert [said["verdict"] for said in claim["quote_verdicts"]] == ["supports", "unrelated"]
    assert [vote["verdict"] for vote in claim["votes"]] == ["partly", "supported"]


@pytest.mark.parametrize("accepted", [True, False])
def test_every_report_of_an_absence_shows_the_pages_read_and_the_passages_near(accepted: bool) -> None:
    run, document = sample_run(absent=True)
    told = run.view if accepted else replace(run.view, halt=Halt(StopType.MAX_ITERATIONS, "d"))
    report = build_report(replace(run, view=told), RunDocument(document))
    for text in (
        report_text(told),
        unescape(page.render_page(report)),
        markdown.markdown_report(report).replace("\\", ""),
    ):
        assert "Pages read, at least in part: 2, 4 (" in text
        assert "The passages that hold most of the question's words" in text
        assert "garage, in its code" in text and "p. 2 (printed ii): " in text
    found = as_object(told)["not_found"]
    assert found["pages_read"] == [[2, 2], [4, 4]] and found["nearest"][0]["page"] == 2


def test_every_report_marks_a_quote_that_was_read_by_ocr_with_its_confidence() -> None:
    run, document = sample_run()
    first, *others = run.view.quotes
    claims = tuple(
        replace(item, quotes=tuple(replace(it, ocr=43) if it.id == first.id else it for it in item.quotes))
        for item in run.view.claims
    )
    told = replace(run.view, claims=claims, quotes=(replace(first, ocr=43), *others))
    report = build_report(replace(run, view=told), RunDocument(document))
    for text in (report_text(told), unescape(page.render_page(report)), markdown.markdown_report(report)):
        assert text.count("ocr: read off a picture of the page, lowest confidence 43 %") == 1
    assert [quote["ocr"] for quote in as_object(told)["quotes"]] == [43] + [None] * len(others)
    rows = list(csv.DictReader(io.StringIO(csv_report(report).removeprefix("\ufeff"))))
    assert {(row["quote"], row["ocr"]) for row in rows if row["match"]} >= {("1", "43"), ("2", "")}


@pytest.mark.parametrize("in_part", [False, True])
def test_that_counter_evidence_was_not_looked_for_is_told_beside_the_acceptance(in_part: bool) -> None:
    note = "passages that might contradict the claims were not checked: the limit of 4 calls is reached"
    if in_part:
        note = "3 passages that might limit 2 claims were read; 0 do; 2 more were not checked: no service"
    words = f"Counter-evidence was only partly checked: {note}." if in_part else f"P{note[1:]}."
    judged = Evidence("judge", (), (Ruling(1, Verdict.SUPPORTED, "so", "openai:gpt"),))

    def told(*further: Evidence) -> RunView:
        return view_of_step(Step(Attempt((CLAIM,), (QUOTE,)), (judged, *further)), StopType.COMPLETION)

    found = told(Evidence(INCOMPLETE_COUNTER_CHECKS[in_part], note=note))
    accepted = next(line for line in report_text(found).splitlines() if line.startswith("Accepted: "))
    assert accepted.endswith(words) and as_object(found)["notices"] == [words]
    report = Report(found, (), "2026-11-20T10:00:00.000Z", "0")
    assert words in unescape(page.render_page(report)) and words in markdown.markdown_report(report)
    made = told(Evidence("counter", note="4 passages were read"))
    assert (
        "not checked" not in report_text(made)
        and "partly checked" not in report_text(made)
        and as_object(made)["notices"] == []
    )


def test_a_model_of_the_panel_that_gave_no_verdict_is_named_beside_the_claim() -> None:
    run, document = sample_run(Words(judge="openai:second", reason="no credit left"))
    report = build_report(run, RunDocument(document))
    assert "openai:second was asked for a second opinion and gave none: no credit left" in report_text(run.view)
    assert as_object(run.view)["claims"][0]["unheard"] == [{"judge": "openai:second", "reason": "no credit left"}]
    assert as_object(run.view)["claims"][1]["unheard"] == []
    for text in (unescape(page.render_page(report)), markdown.markdown_report(report).replace("\\", "")):
        assert "Asked for a second opinion, gave none" in text and "openai:second: no credit left" in text
