"""The goal worker's tool: whatever a model writes is one act or a reason why it is none."""

import pytest
from fakes import FakeSandbox, document
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.model import Json, ToolCall
from ralph_cli.providers.vendors.schemas import to_strict
from ralph_cli.rlm.bridge import DocumentSandbox
from ralph_cli.rlm.goal_acts import (
    GOAL_ACT,
    MAX_OUTPUT_CHARS,
    GiveUp,
    OutputFromVariable,
    Refusal,
    Say,
    SetOutput,
    Verify,
    parse_goal_call,
    read_variable,
)
from ralph_cli.rlm.parse import MalformedCall, Snippet

ROWS = {"D3": ["test_each_act_has_one_meaning", "test_verify_false_is_no_verification"]}


def parsed(arguments: Json | None, name: str = "act") -> object:
    return parse_goal_call(ToolCall("c", name, arguments))


@pytest.mark.parametrize(
    ("arguments", "act"),
    [
        ({"code": "1 + 1"}, Snippet("1 + 1")),
        ({"output": " kept as it is\n"}, SetOutput("c", " kept as it is\n")),
        ({"output_from": " rows "}, OutputFromVariable("c", "rows")),
        ({"verify": True}, Verify("c")),
        ({"say": "<promise>DONE</promise>"}, Say("c", "<promise>DONE</promise>")),
        ({"blocked": "page 9\nis missing"}, GiveUp("c", "page 9 is missing")),
        # What a strict schema makes a model write for "not given".
        ({"code": None, "output": "", "verify": False, "say": " ", "blocked": "no"}, GiveUp("c", "no")),
    ],
)
def test_each_act_has_one_meaning(arguments: Json, act: object) -> None:
    assert parsed(arguments) == act


@pytest.mark.parametrize(
    "arguments", [{}, None, {"verify": True, "say": "x"}, {"code": ""}, {"verify": "yes"}, {"evidence": "passed"}]
)
def test_what_is_not_one_act_is_told_why(arguments: Json | None) -> None:
    told = parsed(arguments)
    assert isinstance(told, MalformedCall) and "act" in told.reason


def test_verify_false_is_no_verification() -> None:
    assert isinstance(parsed({"verify": False}), MalformedCall) and isinstance(
        parsed({"verify": True}, "run"), MalformedCall
    )


values = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.lists(st.text(max_size=2)))


@given(
    st.dictionaries(
        st.one_of(st.sampled_from(list(GOAL_ACT.schema["properties"])), st.text(max_size=5)), values, max_size=4
    )
)
def test_parsing_never_raises(arguments: Json) -> None:
    known = Snippet | SetOutput | OutputFromVariable | Verify | Say | GiveUp | MalformedCall
    assert isinstance(parsed(arguments), known)


def test_the_tool_has_a_strict_form() -> None:
    assert to_strict(GOAL_ACT.schema) is not None


def test_a_variable_is_taken_as_text_within_its_size() -> None:
    bench = DocumentSandbox(FakeSandbox, document("text"))
    bench.assign("kept", "a'\"\\\n\u2028\x00é")
    assert read_variable(bench, "kept") == "a'\"\\\n\u2028\x00é"
    bad = "class Bad:\n    def __str__(self): raise ValueError('no text')\nbad = Bad()"
    bench.run(f"n = 5; big = 'x' * {MAX_OUTPUT_CHARS + 1}\n{bad}", _nobody)
    assert read_variable(bench, "n") == "5"
    for name in ("big", "bad", "missing", "import", "a b", "__import__('os')", "", "ﬁn"):
        assert isinstance(read_variable(bench, name), Refusal), name
    bench.close()


def _nobody(items: object) -> list[str]:
    return []
