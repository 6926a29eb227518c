"""Servers that others wrote: their wires, their refusals and their broken connections, met by `ralph qa` itself."""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

import pytest
from answering_service import ASK, FIRST, LEASE, PAGES, QUOTE, RIGHT
from fault_server import CANARY
from foreign_servers import aimock, llama
from provider_wires import WIRES, adapter

from ralph_cli.commands.app import run
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.events import CallFinished, CallRetried, CallStarted
from ralph_cli.core.model import Request, StopReason, UserTurn
from ralph_cli.journal.store import read_events

pytestmark = pytest.mark.full

Fixture = dict[str, Any]


def verdict(word: str) -> Fixture:
    return {"content": json.dumps({"verdicts": [{"id": 1, "verdict": word, "reason": "as the passage reads"}]})}


def act(**arguments: object) -> Fixture:
    return {"toolCalls": [{"name": "act", "arguments": arguments}]}


def claim(text: str) -> Fixture:
    return act(claims=[{"text": text, "quotes": [QUOTE]}])


WORKER = (act(code=ASK), act(code="find('base rent')"), claim(FIRST), claim(RIGHT))
RUN: list[Fixture] = [
    {"match": {"systemMessage": "You judge", "userMessage": RIGHT}, "response": verdict("supported")},
    {"match": {"systemMessage": "You judge"}, "response": verdict("not")},
    {"match": {"systemMessage": "You read a text"}, "response": {"content": "nothing"}},
    *({"match": {"turnIndex": turn}, "response": response} for turn, response in enumerate(WORKER)),
]
"""What the models of a run say, whichever wire they are asked on."""

WORKERS_SECOND = {"toolName": "act", "turnIndex": 1}
PAGE_4 = {"systemMessage": "You read a text", "userMessage": "page 4: what"}


def refusal(status: int, kind: str, **more: object) -> Fixture:
    return {"response": {"error": {"message": f"no ({CANARY})", "type": kind}, "status": status, **more}}


def troubled(match: Fixture, *troubles: Fixture, forever: bool = False) -> list[Fixture]:
    """A run with these troubles at one of its requests, one after the other."""
    places: list[Fixture] = [{} if forever else {"sequenceIndex": place} for place in range(len(troubles))]
    return [{"match": match | place, **trouble} for place, trouble in zip(places, troubles, strict=True)] + RUN


class Asked:
    """`ralph qa` on the lease at a server: its exit code, what it printed, and the events of its run."""

    def __init__(self, code: int, out: str, err: str, folder: Path) -> None:
        self.code, self.out, self.err = code, out, err
        self.events = [
            event for path in (folder / "out").glob("*/journal.sqlite3") for event in read_events(path.parent)
        ]
        kept = b"".join(path.read_bytes() for path in folder.rglob("out/**/*") if path.is_file())
        for secret in (CANARY, base64.b64encode(CANARY.encode()).decode().rstrip("=")):
            assert secret not in out + err and secret.encode() not in kept

    @property
    def end(self) -> tuple[int, list[str]]:
        """The exit code, and the claims of the answer."""
        return self.code, [claim["text"] for claim in json.loads(self.out)["claims"]]

    @property
    def error(self) -> tuple[int, str]:
        """The exit code and the code of the one error, which says how to resume the run that it names."""
        told = json.loads(self.out)["error"]
        named, *rest = self.err.splitlines()
        assert told["hint"] and f"[{told['code']}]" in named and told["message"] in named
        assert len(rest) == 1 and f"ralph trace resume {told['run']}" in rest[0], self.err
        return self.code, told["code"]

    @property
    def retried(self) -> list[tuple[str, float]]:
        return [(event.reason, event.wait) for event in self.events if isinstance(event, CallRetried)]


Ask = Callable[..., Asked]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lease.txt").write_text(LEASE.text)

    def ask(wire: str, url: str, *flags: str, key: str = CANARY) -> Asked:
        vendor = "anthropic" if wire == "messages" else "openai"
        monkeypatch.setenv(f"{vendor.upper()}_API_KEY", key)
        monkeypatch.setenv(f"{vendor.upper()}_BASE_URL", url if vendor == "anthropic" else f"{url}/v1")
        if vendor == "openai":
            monkeypatch.setenv("OPENAI_API", wire)
        models = [f"--{role}={vendor}:m" for role in ("model", "judge-model", "subquery-model")]
        shape = ["--strategy", "rlm", "--sandbox", "native", "--json"]
        code = run(["qa", "lease.txt", "What is the base rent?", *models, *shape, *flags])
        out, err = capsys.readouterr()
        return Asked(code, out, err, tmp_path)

    return ask


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def count_requests(url: str) -> int:
    with urlopen(HttpRequest(f"{url}/__aimock/journal?limit=1", headers={"x-api-key": CANARY})) as response:
        return int(response.headers["X-Total-Count"])


def test_a_run_with_tool_calls_on_each_wire(ask: Ask, wire: str, tmp_path: Path) -> None:
    with aimock(tmp_path, RUN, CANARY) as url:
        asked = ask(wire, url)
        sent = count_requests(url)
    assert asked.end == (0, [RIGHT]), asked.err
    replies = [event for event in asked.events if isinstance(event, CallFinished)]
    assert len(replies) == sent == len(WORKER) + PAGES + 2
    assert asked.retried == []


def test_what_passes_by_itself_is_waited_for(ask: Ask, wire: str, tmp_path: Path) -> None:
    """429 with a time to wait, 529, a connection that is cut, no JSON: one after the other, then the answer."""
    anything = {"response": {"content": "never said"}}
    troubles = (
        refusal(429, "rate_limit_error", retryAfter=2),
        refusal(529, "overloaded_error"),
        {"chaos": {"disconnectRate": 1}, **anything},
        {"chaos": {"malformedRate": 1}, **anything},
    )
    with aimock(tmp_path, troubled(WORKERS_SECOND, *troubles), CANARY) as url:
        asked = ask(wire, url)
    assert asked.end == (0, [RIGHT]), asked.err
    limited, overloaded, cut, garbled = asked.retried
    assert "429" in limited[0] and 1 < limited[1] <= 2
    assert "529" in overloaded[0] and "connection" in cut[0] and "JSON" in garbled[0]
    assert sum(isinstance(event, CallStarted) for event in asked.events) == len(WORKER) + PAGES + 2 + len(troubles)


LASTING = {
    "rate-limit": refusal(429, "rate_limit_error", retryAfter=600),
    "bad-request": refusal(400, "invalid_request_error"),
    "auth": refusal(401, "authentication_error"),
    "connection": {"chaos": {"disconnectRate": 1}, "response": {"content": "never said"}},
}


@pytest.mark.parametrize("code", LASTING)
def test_what_lasts_is_one_error_that_says_how_to_resume(code: str, ask: Ask, wire: str, tmp_path: Path) -> None:
    with aimock(tmp_path, troubled(WORKERS_SECOND, LASTING[code], forever=True), CANARY) as url:
        asked = ask(wire, url, "--quiet", "--max-call-time", "2")
    assert asked.error == (1, code)


def test_a_key_that_is_not_known_is_an_error_before_anything_else(ask: Ask, wire: str, tmp_path: Path) -> None:
    with aimock(tmp_path, RUN, "another") as url:
        asked = ask(wire, url, "--quiet")
    assert asked.error == (1, "auth")
    assert not any(isinstance(event, CallFinished) and event.reply for event in asked.events)


def test_a_sub_query_that_is_lost_is_said(ask: Ask, wire: str, tmp_path: Path) -> None:
    lost = refusal(400, "invalid_request_error")
    with aimock(tmp_path, troubled(PAGE_4, lost, forever=True), CANARY) as url:
        asked = ask(wire, url)
    told = json.loads(asked.out)
    assert asked.end == (0, [RIGHT]), asked.err
    assert (told["subqueries"]["asked"], told["subqueries"]["lost"]) == (PAGES, 1)


# --- llama.cpp --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def llama_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama(tmp_path_factory.mktemp("llama")) as url:
        yield url


def request(text: str, max_tokens: int, **more: Any) -> Request:
    return Request("subquery", "Be brief.", (UserTurn(text),), max_tokens=max_tokens, **more)


def test_llama_says_what_was_read_written_and_cut_off(llama_url: str, wire: str) -> None:
    reply = adapter(wire, llama_url, 100).complete(request("Count to one hundred.", 2))
    assert reply.text.strip() and reply.stop is StopReason.LENGTH
    assert 10 < reply.usage.input_tokens < 60 and reply.usage.output_tokens == 2 and "SmolLM2" in reply.model


def test_llama_is_told_of_a_schema(llama_url: str) -> None:
    schema = {
        "type": "object",
        "properties": {"white": {"type": "boolean"}},
        "required": ["white"],
        "additionalProperties": False,
    }
    reply = adapter("chat", llama_url, 100).complete(request("Is snow white?", 40, output_schema=schema))
    assert reply.stop is StopReason.END and set(json.loads(reply.text)) == {"white"}


def test_llama_refuses_what_is_too_long(llama_url: str, wire: str) -> None:
    with pytest.raises(ProviderError) as caught:
        adapter(wire, llama_url, 100).complete(request("word " * 3_000, 6))
    assert caught.value.code == "too-long" and not caught.value.retryable


def test_a_model_that_is_too_small_for_a_run_is_one_error(llama_url: str, wire: str, ask: Ask) -> None:
    assert ask(wire, llama_url, "--quiet").error == (1, "too-long")
