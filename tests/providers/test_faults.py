"""Every fault of a model service ends in a good Reply or in one ProviderError of the expected code, without the key."""

import traceback
from collections.abc import Iterator
from dataclasses import replace

import pytest
from fault_server import CANARY, FAULTS, FaultServer, function_call, message, response, tool_use
from provider_wires import WIRES, adapter

from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Reply, Request, StopReason, Tool, UserTurn

ASK = Request("worker", "Be brief.", (UserTurn("hello there"),), (Tool("py", "run", {"type": "object"}),))
RETRYABLE = {"rate-limit", "overloaded", "server", "timeout", "connection", "bad-reply"}


def chain(error: BaseException | None) -> str:
    """All texts that a traceback, a log or a trace could show of the error."""
    texts = []
    while error is not None:
        texts += [str(error), repr(error), repr(error.args), repr(vars(error))]
        texts += traceback.format_exception(error)
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def faults() -> Iterator[object]:
    """Every fault on every wire; of what only the SDK meets, one of the two OpenAI wires stands for both.

    Replies (b-, c-, t-, u-) are read by each wire's own code. Statuses, redirects and broken connections (the others)
    reach it as an exception of its SDK, of which there are two.
    """
    for fault in FAULTS:
        for wire in WIRES if fault != "redirect-target" else ():
            twice = wire == "responses" and not fault.startswith(("b-", "c-", "t-", "u-"))
            yield pytest.param(fault, wire, id=f"{fault}-{wire}", marks=[pytest.mark.full] if twice else [])


@pytest.mark.parametrize(("fault", "wire"), list(faults()))
def test_fault(fault: str, wire: str, server: FaultServer) -> None:
    expected = FAULTS[fault][1]
    model = adapter(wire, server.url(fault), 0.4 if fault in ("hang", "drip") else 10)
    try:
        reply = model.complete(ASK)
    except ProviderError as error:
        assert error.code == expected, error.message
        assert error.retryable == (error.code in RETRYABLE and fault != "s429-no-retry")
        assert CANARY not in chain(error) and CANARY not in error.hint
        assert error.__cause__ is None and error.__context__ is None
        assert model.name.split(":")[0] in error.message and " m " in error.message and "127.0.0.1" in error.message
        assert error.message.isprintable() and error.hint
    else:
        check(reply, expected)


def check(reply: Reply, expected: str) -> None:
    stop = {"reply": StopReason.END, "length": StopReason.LENGTH, "tool": StopReason.TOOL, "malformed": StopReason.TOOL}
    assert reply.stop is stop[expected]
    assert reply.usage.calls == 1 and reply.usage.input_tokens > 0 and reply.usage.output_tokens >= 0
    reply.text.encode()
    if expected == "tool":
        assert reply.calls[0].arguments == {"code": "1"}
    elif expected == "malformed":
        assert reply.calls[0].arguments is None and reply.calls[0].malformed
    else:
        assert reply.calls == ()


@pytest.mark.parametrize("wire", WIRES)
def test_an_empty_reply_is_called_empty(wire: str, server: FaultServer) -> None:
    for fault in ("c-blank", "t-no-call"):
        with pytest.raises(ProviderError, match=r"it is empty|made none"):
            adapter(wire, server.url(fault)).complete(ASK)


@pytest.mark.parametrize("wire", WIRES)
def test_redirects_are_never_followed(wire: str, server: FaultServer) -> None:
    for status in (301, 302, 303, 307, 308):
        with pytest.raises(ProviderError):
            adapter(wire, server.url(f"r{status}")).complete(ASK)
    assert not [seen for seen in server.seen if seen[0] == "redirect-target"]


def test_nothing_is_sent_twice(server: FaultServer, wire: str) -> None:
    before = len(server.seen)
    with pytest.raises(ProviderError):
        adapter(wire, server.url("s529")).complete(ASK)
    assert len(server.seen) == before + 1


def test_nobody_listens(wire: str) -> None:
    with pytest.raises(ProviderError) as caught:
        adapter(wire, "http://127.0.0.1:9").complete(ASK)
    assert caught.value.code == "connection" and not caught.value.usage_unknown


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [("s429", None), ("s429-after", 7.0), ("s429-after-ms", 1.5), ("s429-after-odd", None)],
)
def test_retry_after(fault: str, seconds: float | None, server: FaultServer, wire: str) -> None:
    with pytest.raises(ProviderError) as caught:
        adapter(wire, server.url(fault)).complete(ASK)
    assert caught.value.retry_after == seconds


def test_retry_after_as_a_date(server: FaultServer, wire: str) -> None:
    with pytest.raises(ProviderError) as caught:
        adapter(wire, server.url("s429-after-date")).complete(ASK)
    assert (caught.value.retry_after or 0) > 1e9


@pytest.mark.parametrize(
    ("fault", "unknown"),
    [("s429", False), ("s500", False), ("s504", True), ("partial", True), ("hang", True), ("b-html", True)],
)
def test_what_may_have_been_billed_is_marked(fault: str, unknown: bool, server: FaultServer, wire: str) -> None:
    with pytest.raises(ProviderError) as caught:
        adapter(wire, server.url(fault), 0.4).complete(ASK)
    assert caught.value.usage_unknown is unknown


def test_a_reply_as_long_as_it_might_be_was_cut_off(server: FaultServer) -> None:
    """llama.cpp says on this wire that every reply is complete."""
    model, ask = adapter("responses", server.url("good")), Request("worker", "", (UserTurn("hi"),))
    stops = [model.complete(replace(ask, max_tokens=tokens)).stop for tokens in (7, 8)]
    assert stops == [StopReason.LENGTH, StopReason.END]


def test_a_truncated_reply_keeps_only_its_text(server: FaultServer, wire: str) -> None:
    reply = adapter(wire, server.url("c-length")).complete(ASK)
    assert (reply.text, reply.calls, reply.turn.raw) == ("fi", (), None)


def test_a_lone_surrogate_is_replaced(server: FaultServer, wire: str) -> None:
    assert adapter(wire, server.url("b-surrogate")).complete(ASK).text == "f\ufffde"


def test_a_hostile_request_can_still_be_sent(server: FaultServer, wire: str) -> None:
    ask = Request("worker", "\ud800", (UserTurn("a\udfffb\x00"),))
    assert adapter(wire, server.url("good")).complete(ask).text == "fine"


def test_missing_usage_is_estimated(server: FaultServer, wire: str) -> None:
    for fault in ("u-missing", "u-list", "u-partial", "u-strange"):
        usage = adapter(wire, server.url(fault)).complete(ASK).usage
        # "Be brief." and "hello there" are 20 characters, "fine" is 4.
        assert (usage.input_tokens, usage.output_tokens, usage.characters) == (5, 1, 20)


def test_two_calls_of_one_id_cannot_be_answered(server: FaultServer) -> None:
    server.faults["alike-ids"] = lambda h: h.one_of(
        message(stop_reason="tool_use", content=[tool_use({}), tool_use({})]),
        response(function_call("{}"), function_call("{}")),
        None,
    )
    for wire in ("messages", "responses"):
        with pytest.raises(ProviderError) as caught:
            adapter(wire, server.url("alike-ids")).complete(ASK)
        assert caught.value.code == "bad-reply"


def test_a_shortened_echo_of_the_key_is_not_repeated(server: FaultServer, wire: str) -> None:
    server.faults["echo"] = lambda h: h.error(401, "x", None, f"Incorrect API key: {CANARY[:9]}***")
    with pytest.raises(ProviderError) as caught:
        adapter(wire, server.url("echo")).complete(ASK)
    assert CANARY[:9] not in caught.value.message
