"""The inner loop's parts: what a model said, what it is shown, what the guest may ask."""

import re
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest
from fakes import FakeSandbox, document
from hypothesis import given
from hypothesis import strategies as st
from tables import make_table

from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.model import Reply, Request, StopReason, ToolCall
from ralph_cli.core.prompts.framing import frame_data, truncate
from ralph_cli.core.run import Absence, Draft, DraftClaim
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.rlm.bridge import DocumentSandbox, Subqueries
from ralph_cli.rlm.observe import NEARLY, pages_shown, render_result
from ralph_cli.rlm.parse import MalformedCall, Snippet, parse_call
from sandbox import QueryFailure, Result
from sandbox.questions import Questions

OUTPUT_CAP = 6_000
DOC = document("The first page speaks of apples and pears.\fThe second page speaks of plums, and of nothing else.")


def call(**arguments: object) -> ToolCall:
    return ToolCall("1", "act", dict(arguments))


def test_each_kind_of_act_is_understood() -> None:
    assert parse_call(call(code="print(1)")) == Snippet("print(1)")
    claim = {"text": "a", "quotes": ["b"]}
    assert parse_call(call(claims=[claim])) == Draft((DraftClaim("a", ("b",)),))
    assert parse_call(call(code=None, claims=None, not_found={"searched": ["x"], "note": None})) == Draft(
        absence=Absence(("x",))
    )


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (ToolCall("1", "bash", {"code": "ls"}), "no tool 'bash'"),
        (ToolCall("1", "act", None, "{oops"), "not a JSON object"),
        (call(), "nothing was given"),
        (call(code="x", claims=[]), "code and claims were given together"),
        (call(code="  "), "empty"),
        (call(code=3), "code"),
        (call(claims="yes"), "claims"),
        (call(claims=[{"quotes": ["b"]}]), "claims.0.text"),
        (call(claims=[{"text": "a", "quotes": ["b"], "pages": 3}]), "claims.0.pages"),
        (call(answer="yes"), "answer"),
    ],
)
def test_what_cannot_be_carried_out_says_why(bad: ToolCall, told: str) -> None:
    parsed = parse_call(bad)
    assert isinstance(parsed, MalformedCall) and told in parsed.reason


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["code", "claims", "not_found", "x"]), json_values, max_size=3))
def test_parsing_never_raises(arguments: dict[str, object]) -> None:
    assert isinstance(parse_call(ToolCall("1", "act", arguments)), Snippet | Draft | MalformedCall)


def test_a_cut_keeps_head_and_tail_and_names_what_is_gone() -> None:
    text = "a" * 3_000 + "b" * 3_000
    shown = truncate(text, 2_000)
    assert shown.startswith("aaa") and shown.endswith("bbb") and "4,000 characters cut" in shown
    assert truncate("short", 2_000) == "short"


def test_an_observation_shows_output_value_and_error_within_the_cap() -> None:
    shown, rest = render_result(
        Result("out\n" * 200, 800, "'value'", "Traceback\nValueError: no", False, 0.1), OUTPUT_CAP
    )
    assert shown.startswith("out\n") and "'value'" in shown and shown.endswith("ValueError: no") and rest == ""
    assert render_result(Result("", 0, None, None, False, 0.0), OUTPUT_CAP) == ("(no output)", "")
    assert "8,000 characters were printed" in render_result(Result("x", 8_000, None, None, False, 0.0), OUTPUT_CAP)[0]


def test_what_is_cut_off_at_a_line_is_printed_by_rest() -> None:
    lines = [f"line {number} of what was printed" for number in range(1_000)]
    bench = DocumentSandbox(FakeSandbox, DOC)
    result = bench.run(f"print({chr(10).join(lines)!r})", lambda items: [])
    seen: list[str] = []
    while True:
        shown, rest = render_result(result, OUTPUT_CAP)
        assert len(shown) < OUTPUT_CAP * NEARLY + 100
        seen += [line for line in shown.split("\n") if not line.startswith("[")]
        if not rest:
            break
        assert f"[{len(rest):,} characters were cut off here: rest() prints them]" in shown
        bench.assign("_cut_off", rest)
        result = bench.run("rest()", lambda items: [])
    assert seen == lines
    assert bench.run("rest()", lambda items: []).stdout == "nothing was cut off\n"


@pytest.mark.parametrize(("length", "is_cut"), [(7_400, False), (7_600, True)])
def test_what_is_only_a_little_too_long_is_not_cut(length: int, is_cut: bool) -> None:
    shown, rest = render_result(Result("x" * length, length, None, None, False, 0.0), OUTPUT_CAP)
    assert bool(rest) is is_cut and len(shown) < OUTPUT_CAP * NEARLY


def test_pages_shown_are_those_whose_lines_were_printed() -> None:
    assert pages_shown("--- place 0\nThe second page speaks of plums, and of nothing else.\n", DOC) == (2,)
    assert pages_shown("short\n", DOC) == ()


@pytest.mark.parametrize(
    "code", ["show(3)", "find('speaks of', show=0)", "at(context.find('third'))", "term('third')", "find('third', 1)"]
)
def test_a_page_that_is_named_counts_when_its_words_were_shown(code: str) -> None:
    text = "The first page speaks of pears.\fShort.\fThe third page speaks of plums\nPlums 400\fPlums"
    about = document(text)
    shown = render_result(DocumentSandbox(FakeSandbox, about).run(code, lambda items: []), 6_000)[0]
    assert 3 in pages_shown(shown, about)
    assert (
        pages_shown("page 3\npage 2, offset 40\n--- place 1, page 4, offset 99\nno word of it\npage 1, found", about)
        == ()
    )


def bridge(script: object, *, allowed: int = 60) -> Subqueries:
    return Subqueries(ScriptedModel(script), "system", "nonce", allowed)  # type: ignore[arg-type]


def test_a_batch_of_32_takes_at_most_four_round_trips() -> None:
    # A call comes back only when eight are in flight together, so 32 need at most four rounds; fewer would hang.
    together = threading.Barrier(8, timeout=20)

    def answer(request: Request) -> Reply:
        together.wait()
        return text_reply(request.inputs["prompt"])

    subqueries = bridge(answer)
    assert list(subqueries([(f"q{n}", "t") for n in range(32)])) == [f"q{n}" for n in range(32)]
    subqueries.close()


def test_at_least_16_are_in_flight() -> None:
    together = threading.Barrier(16, timeout=20)

    def answer(request: Request) -> Reply:
        together.wait()
        return text_reply("done")

    assert list(bridge(answer)([("q", "")] * 16)) == ["done"] * 16


def test_a_failed_item_fails_alone_and_is_never_a_string() -> None:
    def answer(request: Request) -> Reply | ProviderError:
        prompt = request.inputs["prompt"]
        if prompt == "down":
            return ProviderError("it is down", code="server")
        return text_reply(
            "" if prompt == "mute" else "cut", stop=StopReason.LENGTH if prompt == "long" else StopReason.END
        )

    good, down, mute, long = bridge(answer)([("good", ""), ("down", ""), ("mute", ""), ("long", "")])
    assert good == "cut"
    assert [isinstance(item, QueryFailure) for item in (down, mute, long)] == [True] * 3
    assert down == QueryFailure("it is down")


def test_the_budget_of_subqueries_is_the_hosts() -> None:
    subqueries = bridge(lambda request: text_reply("ok"), allowed=3)
    answers = subqueries([("q", "")] * 5)
    assert list(answers[:3]) == ["ok"] * 3
    assert all(isinstance(item, QueryFailure) and "used up (3 of 3)" in item.message for item in answers[3:])
    undecodable = Questions(b"\xff" * 4, [1, 0] * 4, max_chars=9)
    assert len(subqueries(undecodable)) == 4  # none was taken


def test_a_run_budget_gets_through_to_the_engine() -> None:
    def answer(request: Request) -> Reply:
        raise LimitExceeded("cost", cap=1, spent=2)

    with pytest.raises(LimitExceeded):
        bridge(answer)([("q", "")])


def test_the_text_of_a_subquery_is_framed_and_the_prompt_comes_last() -> None:
    model = ScriptedModel([text_reply("ok")])
    Subqueries(model, "system", "n1", 5)([("What is it?", "some text")])
    (request,) = model.requests
    assert request.turns[0].text == frame_data("some text", "n1") + "\n\nWhat is it?"  # type: ignore[union-attr]


def test_the_workbench_teaches_find_and_show() -> None:
    bench = DocumentSandbox(FakeSandbox, DOC)
    found = bench.run("find('plums|pears')", lambda items: []).stdout
    assert found.startswith("2 hits in 2 places") and "page 2" in found and "of plums, and" in found
    lines = "\n".join(f"line {n} of the second page" for n in range(100))
    bench = DocumentSandbox(FakeSandbox, document(f"first page\f{lines}"))
    shown = bench.run("show(2, start=40, chars=60)", lambda items: []).stdout
    assert "line 1 of" in shown and shown.splitlines()[-2].startswith("line") and "line 9 " not in shown
    further = re.search(r"show\(2, start=\d+\)", shown)
    assert further is not None and "line 5 " in bench.run(further.group(0), lambda items: []).stdout
    assert "there is no page 9" in bench.run("show(9)", lambda items: []).stdout


def test_find_groups_neighbours_and_offers_the_next_places() -> None:
    text = "\n".join(f"line {n} {'apple' if n % 10 == 0 else 'other'}" for n in range(900))
    bench = DocumentSandbox(FakeSandbox, document(text))
    few = bench.run("find('apple', show=3)", lambda items: []).stdout
    assert (
        few.count("\nline ") == 11 and "\nplace " not in few and "\n(87 more places, on page 1 (87): more())\n" in few
    )
    first = bench.run("find('apple')", lambda items: []).stdout
    assert "90 hits in 90 places" in first and "--- place 2" in first and len(first) < OUTPUT_CAP
    assert re.search(r"^place 6, page 1, offset \d+: line 60 apple$", first, re.MULTILINE)  # further ones, a line each
    assert re.search(r"^\(\d+ more places, on page 1 \(\d+\): more\(\)\)$", first, re.MULTILINE)
    second = bench.run("more()", lambda items: []).stdout
    last = re.findall(r"^place (\d+),", first, re.MULTILINE)[-1]
    assert f"--- place {int(last) + 1}, " in second
    assert "start counts places" in bench.run("find('apple', start=4000)", lambda items: []).stdout
    assert "0 hits" in bench.run("find('pear')", lambda items: []).stdout
    near = bench.run("find('line 1[0-9] ')", lambda items: []).stdout
    assert near.startswith("10 hits in 1 place (hits near one another are one place)") and near.count("--- place") == 1
    assert [near.count(f"line {number} ") for number in range(9, 20)] == [1] * 11


def test_closing_twice_is_no_matter() -> None:
    fake = FakeSandbox()
    bench = DocumentSandbox(lambda: fake, DOC)
    bench.close()
    bench.run("1", lambda items: [])
    bench.close()
    bench.close()
    assert fake.closed


def test_an_engine_that_does_not_start_is_waited_for_as_long_as_the_run_may_last() -> None:
    free = threading.Event()

    def slowly() -> None:
        free.wait(30)

    bench = DocumentSandbox(lambda: FakeSandbox(slowly), DOC, Ledger(Budget(seconds=0.3)))
    with pytest.raises(LimitExceeded, match="time"):
        bench.run("1", lambda items: [])
    free.set()
    bench.close()


TABLE = """Cash flows
(Millions)  2018  2017
Net income  5,363  4,869
Depreciation  1,488  1,544
Capital spending  (1,577)  (1,373)
"""


def test_find_prints_the_columns_above_a_table_row() -> None:
    bench = DocumentSandbox(FakeSandbox, document("Prose about capital spending.\n" + TABLE))
    found = bench.run("find('capital spending', before=0, after=0)", lambda items: []).stdout
    prose, row = found.split("--- place 1")
    assert "(above: (Millions)  2018  2017)" in row and "(above" not in prose
    shown = bench.run("find('capital spending', before=3, after=0)", lambda items: []).stdout
    assert shown.count("(Millions)  2018  2017") == 1 and "(above" not in shown


def test_what_find_prints_fits_one_observation_however_long_the_rows() -> None:
    row = "A long label of a row of figures of item {}  "
    rows = "\n".join(row.format(n) + "  ".join(f"{n},{m:03}" for m in range(30)) for n in range(30))
    bench = DocumentSandbox(FakeSandbox, document(f"(in millions)  2018  2017\n{rows}"))
    for code in (
        "find('item', show=8, rows=True, before=0, after=0)",
        "find('item', show=20)",
        "find('of figures', show=8)",
    ):
        shown = bench.run(code, lambda items: []).stdout
        assert len(shown) <= OUTPUT_CAP and shown.count("--- place") >= 1, (code, len(shown))


def test_find_cuts_the_beginning_of_a_long_passage_and_never_the_hit() -> None:
    long = "\n".join("filler " * 20 for _ in range(60)) + "\nthe needle is here\nand after\n"
    found = DocumentSandbox(FakeSandbox, document(long)).run("find('needle', before=50)", lambda items: []).stdout
    assert "the needle is here" in found and "and after" in found and len(found) < 5_500
    assert re.search(r"\(left out for room: \d+ lines at place 0: at\(offset\) prints them\)", found)


def test_find_never_crosses_a_page() -> None:
    around = DocumentSandbox(FakeSandbox, DOC).run("at(50, before=3, after=4)", lambda items: [])
    assert around.stdout == f"page 2, offset 43\n{DOC.text[43:]}\n"
    found = DocumentSandbox(FakeSandbox, DOC).run("find('plums', before=9, after=9)", lambda items: []).stdout
    assert "second page" in found and "first page" not in found and "page 2" in found


def test_find_matches_across_lines_and_at_line_ends_and_counts_alternatives() -> None:
    bench = DocumentSandbox(
        FakeSandbox, document("United States\nDepartment of Defense.\nDefense spending  5  6\nother\n")
    )

    def run(code: str) -> str:
        return bench.run(code, lambda items: []).stdout

    assert run("find('states department')").startswith("1 hit in")
    assert run("find('^defense')").startswith("1 hit in")
    assert "'defense' 2, 'army' 0" in run("find('defense|army')")
    assert "1 of 2 are rows of tables, statements and wide tables first; the others are on page 1" in run(
        "find('defense', after=0, before=0, rows=True)"
    )


def test_a_place_that_is_only_listed_keeps_the_columns_of_its_row() -> None:
    table = "(Millions)  2018  2017\n" + "\n".join(f"Row {n} total  {n},000  5" for n in range(40))
    found = DocumentSandbox(FakeSandbox, document(table)).run("find('total', 1, 0, 0)", lambda items: []).stdout
    assert "Row 0 total" in found


def test_one_endless_line_is_cut() -> None:
    bench = DocumentSandbox(FakeSandbox, document("word " * 50_000 + "needle " + "word " * 50_000))
    for code in ("find('needle')", "show(1, 1000)", "at(250_000)"):
        out = bench.run(code, lambda items: []).stdout
        assert len(out) < 7_000, code
    assert "needle" in bench.run("find('needle')", lambda items: []).stdout


def test_the_worker_is_warned_at_four_fifths_of_its_subqueries() -> None:
    assert Subqueries(ScriptedModel([]), "system", "nonce", allowed=60, used=47).warning == ""
    assert "48 of 60" in Subqueries(ScriptedModel([]), "system", "nonce", allowed=60, used=48).warning


def test_what_the_guest_is_taught_imports_nothing_of_the_host() -> None:
    taught: list[str] = []

    class Listening(FakeSandbox):
        def define(self, code: str, offered: Sequence[str]) -> None:
            taught.append(code)
            super().define(code, offered)

    DocumentSandbox(Listening, DOC).run("print(1)", lambda items: [])
    assert "def widen_spaces(" in taught[0] and "def find(" in taught[0]
    assert not re.search(r"^\s*(?:from|import)\s+ralph_cli", taught[0], re.MULTILINE)


def test_a_row_whose_figures_stand_under_later_columns_says_so() -> None:
    text = "Item  2022  2023\nRent  400  450\nDividend  500"
    rows = ("Item", "2022", "2023"), ("Rent", "400", "450"), ("Dividend", "", "500")
    about = replace(document(text), tables=(make_table(text, *rows),))
    bench = DocumentSandbox(FakeSandbox, about)
    assert "(in this row 500 stands under “2023”)" in bench.run("find('dividend')", lambda items: []).stdout
    assert "in this row" not in bench.run("find('rent', after=0)", lambda items: []).stdout
