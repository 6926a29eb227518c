"""Coverage as a worker explores: what it is told, what its code prints and takes, what sub-queries are given."""

import json
from dataclasses import replace
from typing import Any

from fakes import FakeSandbox, document
from test_shown import DOC, TEXT

from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.coverage import Coverage, count_covered, coverage_map
from ralph_cli.core.events import AnyEvent, CoverageAdded, SnippetRan
from ralph_cli.core.model import Reply, Request
from ralph_cli.core.run import Issue
from ralph_cli.loop.state import fold
from ralph_cli.modes.opening import render_headings
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.rlm.bridge import DocumentSandbox, Subqueries
from ralph_cli.rlm.loop import Explorer, Review
from ralph_cli.rlm.reading import CoverageTracker
from sandbox import HostQuery, Result

CLAIM = {"claims": [{"text": "a statement", "quotes": ["words"]}]}


class Touching(FakeSandbox):
    """A sandbox that reports what a test wants it to."""

    touched: tuple[tuple[int, int], ...] = ()

    def run(self, code: str, query: HostQuery, **options: Any) -> Result:
        return replace(super().run(code, query, **options), touched=self.touched)


def explorer(
    *script: Reply,
    sandbox: FakeSandbox | None = None,
    opening: str = "an opening",
    looked: bool = False,
) -> tuple[Explorer, list[AnyEvent]]:
    events: list[AnyEvent] = []

    def answer(request: Request) -> Reply:
        return text_reply("" if "fail" in request.inputs["prompt"] else "an answer")

    bench = DocumentSandbox(lambda: sandbox or FakeSandbox(), DOC)
    subqueries = Subqueries(ScriptedModel(answer), "system", "n0", 3)
    made = Explorer(
        model=ScriptedModel(list(script)),
        sandbox=bench,
        subqueries=subqueries,
        document=DOC,
        system="system",
        opening=opening,
        inputs={},
        nonce="n0",
        sink=events.append,
        max_steps=9,
        output_chars=6_000,
        coverage_tracker=CoverageTracker(DOC, events.append),
        holds_text=looked,
    )
    return made, events


def shown(events: list[AnyEvent]) -> set[int]:
    """Pages of which something was shown."""
    starts = [page.start for page in DOC.pages]
    return set(coverage_map(fold(events).coverage, starts, len(TEXT)).shown_pages)


def test_the_preview_of_the_opening_was_shown() -> None:
    made, events = explorer(
        tool_reply({"code": "print(1)"}), tool_reply(CLAIM), opening=f"It begins:\n{TEXT[:600]}\nThe question"
    )
    made.explore("", 1)
    assert fold(events).coverage.shown == ((0, 600),)


def test_a_document_that_is_given_whole_was_read_whole() -> None:
    made, events = explorer(tool_reply(CLAIM), looked=True)
    made.explore("", 1)
    assert [event for event in events if isinstance(event, CoverageAdded)] == [
        CoverageAdded(1, "shown", ((0, len(TEXT)),))
    ]


def test_what_a_snippet_prints_was_shown_and_what_it_takes_was_gone_through() -> None:
    sandbox = Touching()
    sandbox.touched = ((0, 5_000), (4_000, 9_000))
    made, events = explorer(tool_reply({"code": "show(3, chars=400)"}), tool_reply(CLAIM), sandbox=sandbox)
    made.explore("", 1)
    assert shown(events) == {3} and fold(events).coverage.code == ((0, 9_000),)
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("SnippetStarted") < kinds.index("CoverageAdded") < kinds.index("SnippetRan")
    assert made.coverage_tracker.coverage == fold(events).coverage


def test_a_text_that_a_subquery_answered_was_shown_and_one_that_failed_was_not() -> None:
    code = (
        "a = [context[s:e] for _, _, s, e in pages]\n"
        "llm_query_batch([('what?', a[4]), ('fail', a[6]), ('what is in ' + a[8], ''), ('one too many', a[9])])\n"
        "print(1)"
    )
    made, events = explorer(tool_reply({"code": code}), tool_reply(CLAIM))
    made.explore("", 1)
    assert shown(events) == {5, 9}
    page = DOC.pages[4]
    assert count_covered(fold(events).coverage.shown, page.start, page.end) == page.end - page.start
    first = next(n for n, event in enumerate(events) if isinstance(event, CoverageAdded))
    assert first < next(n for n, event in enumerate(events) if isinstance(event, SnippetRan))


def test_the_lines_of_a_refusal_were_shown() -> None:
    line = TEXT[DOC.pages[11].start :].split("\n")[2]
    reviews = [Review((Issue("quotes", "look here", material=line),)), Review()]
    made, events = explorer(tool_reply({"code": "print(1)"}), tool_reply(CLAIM), tool_reply(CLAIM))
    made.explore("", 1, lambda draft: reviews.pop(0))
    assert shown(events) == {12}


def test_what_adds_nothing_is_no_event() -> None:
    events: list[AnyEvent] = []
    reading = CoverageTracker(DOC, events.append)
    reading.add_shown(1, TEXT[:500], "other words, at some length, of nobody")
    reading.add_shown(2, TEXT[100:400])
    reading.add_touched(2, ())
    assert events == [CoverageAdded(1, "shown", ((0, 500),))]
    assert reading.coverage == Coverage(((0, 500),))


def test_escaped_output_of_a_hostile_document_is_text_like_any_other() -> None:
    text = json.dumps({"page 1, offset 5": "place 3, page 2, offset 17: ignore"}) * 4
    reading = CoverageTracker(document(text), lambda event: None)
    reading.add_shown(1, "page 1, offset 999999999999999999999\n" + text[:60])
    assert document(text).text == text and all(0 <= a < b <= len(text) for a, b in reading.coverage.shown)


def test_headings_that_are_listed_were_not_read() -> None:
    names = ("Rent", "Term", "Notice", "Repairs", "Insurance", "Deposit")
    parts = [f"{n}. All Provisions On {name}\n" + f"What is said of {name}. " * 9 for n, name in enumerate(names, 1)]
    about = document("\f".join(parts))
    listed = render_headings(about, "n0")
    assert "5 5. All Provisions On Insurance" in listed
    events: list[AnyEvent] = []
    made = Explorer(
        model=ScriptedModel([tool_reply({"not_found": {"searched": ["x1"]}})] * 9),
        sandbox=DocumentSandbox(FakeSandbox, about),
        subqueries=Subqueries(ScriptedModel([]), "system", "n0", 3),
        document=about,
        system="system",
        opening=f"{listed}Its beginning:\n{about.text[:120]}",
        inputs={},
        nonce="n0",
        sink=events.append,
        max_steps=2,
        output_chars=6_000,
        coverage_tracker=CoverageTracker(about, events.append),
        listed_headings=listed,
    )
    made.explore("", 1)
    assert [about.page_at(start).number for start, _ in made.coverage_tracker.coverage.shown] == [1]


def test_what_is_left_is_told_to_code_that_asks() -> None:
    made, events = explorer(
        tool_reply({"code": "print(llm_query('a', 'x'), llm_query('b', 'x'))"}),
        tool_reply({"code": "left = budget(); print(left)"}),
        tool_reply(CLAIM),
    )
    made.sandbox = DocumentSandbox(FakeSandbox, DOC, Ledger(Budget(usd=2.0, calls=40)))
    made.explore("", 1)
    outputs = [event.output for event in events if isinstance(event, SnippetRan)]
    assert outputs[1] == "{'subqueries': 1, 'cost': 2.0, 'calls': 40}"
