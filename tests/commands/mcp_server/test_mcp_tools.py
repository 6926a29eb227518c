"""What clients get of the tools: the JSON of the commands with its evidence, progress, bounds that hold, one line."""

import asyncio
import base64
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_clients import CLAIM, LEASE, QUESTION, MakeFront, call, judged, models, talk, text_of
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ralph_cli.commands.mcp.server import PAID_AT_ONCE
from ralph_cli.commands.mcp.tools import TOOLS
from ralph_cli.core.events import CallFinished
from ralph_cli.core.model import Reply, Request, Usage
from ralph_cli.journal.store import read_events
from ralph_cli.providers.metered import turn_text
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.history import as_object, read_run

ABSENT = {"not_found": {"searched": ["parking"], "note": "the lease is of a hall"}}


def test_the_tools_are_these_and_say_what_they_take(make_front: MakeFront) -> None:
    listed = talk(make_front(), lambda client: client.list_tools()).tools
    assert [tool.name for tool in listed] == list(TOOLS)
    paid, free = {"ask", "follow_up", "task"}, {"check_quotes", "check_memo", "search", "read_page", "table_status"}
    assert set(TOOLS) == paid | free
    for tool in listed:
        assert tool.description and tool.annotations and tool.input_schema["additionalProperties"] is False
        assert tool.annotations.read_only_hint is (tool.name in free)
        assert all(part["description"] for part in tool.input_schema["properties"].values())
        # What a client says chooses no key, address, model, folder to write to or bound.
        settings = {
            "model",
            "out",
            "cache",
            "max_cost",
            "max_time",
            "max_calls",
            "prices",
            "anthropic_base_url",
            "sandbox",
        }
        assert not settings & set(tool.input_schema["properties"])


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_answer_is_the_json_of_the_command_with_links_to_its_evidence(make_front: MakeFront, mode: str) -> None:
    front = make_front()

    async def use(client: Client) -> tuple[Any, Any, Any]:
        answer = await client.call_tool("ask", QUESTION)
        evidence = await client.read_resource(answer.content[1].uri)  # type: ignore[union-attr]
        templates = (await client.list_resource_templates()).resource_templates
        assert [item.uri_template for item in templates] == ["ralph://runs/{run}", "ralph://runs/{run}/quotes/{id}"]
        whole = (await client.read_resource(f"ralph://runs/{answer.structured_content['run']['id']}")).contents
        assert json.loads(whole[0].text) == answer.structured_content
        return answer, evidence, await client.list_resources()

    answer, evidence, listed = talk(front, use, mode)
    ((name, folder),) = front.tools.runs.items()
    told = as_object(read_run(folder))
    assert answer.structured_content == told == json.loads(text_of(answer)) and not answer.is_error
    assert told["ok"] is True and told["run"]["id"] == name and told["claims"][0]["verdict"] == "supported"
    assert told["quotes"][0]["text"] == CLAIM["quotes"][0] and told["usage"]["usd"] is not None
    held = json.loads(evidence.contents[0].text)
    assert held["quote"] == told["quotes"][0] and held["claims"] == told["claims"]
    assert [item.uri for item in listed.resources] == [f"ralph://runs/{name}", f"ralph://runs/{name}/quotes/1"]


def test_the_evidence_of_a_pdf_is_its_page_with_the_quote_marked(
    make_front: MakeFront, deal: Path, samples: Path
) -> None:
    (deal / "report.pdf").write_bytes((samples / "report.pdf").read_bytes())
    claim = {"text": "Leverage is limited.", "quotes": ["limits net leverage to 3.50 times adjusted EBITDA"]}
    front = make_front(models(worker=lambda _: tool_reply({"claims": [claim]})))

    async def use(client: Client) -> Any:
        answer = await client.call_tool("ask", {"documents": "report.pdf", "question": "What is limited?"})
        return await client.read_resource(answer.content[1].uri)  # type: ignore[union-attr]

    words, picture = talk(front, use).contents
    png = base64.b64decode(picture.blob)
    assert json.loads(words.text)["quote"]["page"] == 13 and picture.uri.endswith("/quotes/1#page=13")
    assert picture.mime_type == "image/png" and png.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(png[16:20]) == 1100 and int.from_bytes(png[20:24]) > 1400  # the whole page


def test_a_further_question_goes_on_in_the_conversation_and_pays_from_the_same_purse(
    make_front: MakeFront, deal: Path
) -> None:
    worker = ScriptedModel(lambda _: tool_reply({"claims": [CLAIM]}, usage=Usage(1, 10, 10, usd=0.4)), vendor="a")
    front = make_front({**models(), "worker": worker}, max_cost=1.0)

    async def use(client: Client) -> list[Any]:
        found = [await client.call_tool("ask", QUESTION)]
        for question in ("And what is it?", "Once more?"):
            said = {"run": found[-1].structured_content["run"]["id"], "question": question}
            found.append(await client.call_tool("follow_up", said))
        return found

    first, second, third = talk(front, use)
    told = second.structured_content
    assert told["ok"] is True and told["follows"] == {
        "run": first.structured_content["run"]["id"],
        "questions": [QUESTION["question"]],
    }
    assert told == as_object(read_run(front.tools.runs[told["run"]["id"]]))
    assert second.content[1].uri == f"ralph://runs/{told['run']['id']}/quotes/1"
    said = "\n".join(turn_text(turn) for turn in worker.requests[1].turns)
    assert said.index(QUESTION["question"]) < said.index("And what is it?")
    assert third.structured_content["stop"]["type"] == "max_cost"  # of 1 dollar 0.8 are spent
    # A document that is another one now, and a run of another server, are no ground for a further question.
    (deal / "lease.txt").write_text("The rent is $1 a year.")
    run = told["run"]["id"]
    changed = call(front, "follow_up", {"run": run, "question": "And now?"})
    assert changed.is_error and "lease.txt" in text_of(changed) and "$1" not in text_of(changed)
    assert call(make_front(), "follow_up", {"run": run, "question": "And?"}).is_error


@pytest.mark.parametrize("form", [None, "text"])
def test_a_task_gives_its_output_with_the_quotes_behind_it(make_front: MakeFront, form: str | None) -> None:
    output = {
        "output": "The tenant pays a base rent of $48,000 a year for the hall.",
        "memory_update": "Rent established: $48,000 a year.",
    }
    given = models(judge=lambda _: text_reply('{"ok": true, "issues": []}'))
    front = make_front({**given, "reasoner": ScriptedModel(lambda _: text_reply(json.dumps(output)), vendor="a")})
    said = {"documents": ["lease.txt"], "task": "Say what the tenant pays.", **({"format": form} if form else {})}
    found = call(front, "task", said).structured_content
    assert found["ok"] is True and found["output"]["text"] == output["output"], found["stop"]
    assert found["quotes"][0]["text"] == CLAIM["quotes"][0] and found["output"]["verdict"] == "supported"


def test_what_was_not_accepted_or_is_absent_is_told_as_such_and_no_error(make_front: MakeFront) -> None:
    refused = call(make_front(models(judge=lambda _: judged("not"))), "ask", QUESTION)
    assert not refused.is_error and refused.structured_content["ok"] is False
    about = {**QUESTION, "question": "Is there parking?"}
    absent = call(make_front(models(worker=lambda _: tool_reply(ABSENT))), "ask", about)
    assert not absent.is_error and absent.structured_content["stop"]["type"] == "absent"
    assert absent.structured_content["not_found"]["searched"][0]["term"] == "parking"


def test_documents_without_a_model(make_front: MakeFront, deal: Path) -> None:
    front = make_front()
    quotes = call(front, "check_quotes", {"documents": "lease.txt", "quotes": [CLAIM["quotes"][0], "a rent of $1"]})
    assert quotes.structured_content["ok"] is False
    there, missing = quotes.structured_content["quotes"]
    assert there["quote"]["place"] == "line 1" and there["issue"] is None
    assert missing["quote"] is None and "not in the document" in missing["issue"]
    memo = {"documents": ["lease.txt"], "memo": f"It has “{CLAIM['quotes'][0]}”, and “{LEASE[60:90]}”."}
    assert call(front, "check_memo", memo).structured_content["counts"]["checked"] == 2
    (deal / "memo.md").write_text(memo["memo"])  # type: ignore[arg-type]
    assert call(front, "check_memo", {"documents": [str(deal)], "memo_file": "memo.md"}).structured_content["ok"]
    found = call(front, "search", {"documents": [str(deal)], "words": "six months’ notice"}).structured_content
    assert found["hits"] == 1 and found["places"][0]["document"] == "lease.txt" and found["passages"]
    page = call(front, "read_page", {"document": str(deal), "name": "inner/note.txt"}).structured_content
    assert "the roof is new" in page["text"] and page["next"] is None


def test_a_long_page_is_read_in_parts(make_front: MakeFront, deal: Path) -> None:
    text = "".join(f"Line {number} of the page.\n" for number in range(2_000))
    (deal / "long.txt").write_text(text)
    front, read, start = make_front(), "", 0
    while start is not None:
        part = call(front, "read_page", {"document": "long.txt", "start": start}).structured_content
        read, start = read + part["text"], part["next"]
    assert read == text


def test_a_table_is_told_by_its_cells(make_front: MakeFront, deal: Path) -> None:
    from fakes import FakeSandbox

    from ralph_cli.api import make_table
    from ralph_cli.core.results.table import TableQuestion

    front = make_front()
    asked = [TableQuestion(id="rent", question="What is the rent?")]
    make_table(
        asked,
        deal / "lease.txt",
        folder=deal / "table",
        settings=front.tools.settings,
        models=models(),
        engine=FakeSandbox,
    )
    status = call(front, "table_status", {"folder": "table"}).structured_content
    assert status["counts"] == [{"state": "answered", "cells": 1}] and status["cells"] == []
    (cell,) = call(front, "table_status", {"folder": "table", "document": "lease.txt"}).structured_content["cells"]
    assert cell["quotes"][0]["text"] == CLAIM["quotes"][0]
    assert "has no document" in text_of(call(front, "table_status", {"folder": "table", "document": "x"}))


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("guess", {}, "there is no tool guess"),
        ("ask", {"documents": ["lease.txt"]}, "question: it is missing"),
        ("ask", {**QUESTION, "question": "  "}, "the question is empty"),
        ("ask", {**QUESTION, "max_cost": 1_000}, "max_cost: there is no such argument"),
        ("ask", {**QUESTION, "documents": []}, "documents: Value should have at least 1 item"),
        ("ask", {"documents": [7], "question": "x"}, "documents.0: Input should be a valid string"),
        ("follow_up", {"run": "x"}, "question: it is missing"),
        ("follow_up", {"run": "../../x\n", "question": "And?"}, "this server made no run ../../x"),
        ("task", {"documents": ["lease.txt"], "task": "List", "format": "exe"}, "format: Input should be"),
        ("check_memo", {"documents": ["lease.txt"]}, "give the memo's text or its file"),
        ("read_page", {"document": "lease.txt", "page": 9}, "there is no page 9 - the last one is page 1"),
        ("read_page", {"document": "."}, "there are 2 documents"),
        ("search", {"documents": ["inner/none.txt"], "words": "x"}, "is not a file or folder"),
        ("table_status", {"folder": "inner"}, "does not exist"),
    ],
)
def test_bad_input_is_an_error_of_one_line(tool: str, arguments: Any, line: str, make_front: MakeFront) -> None:
    found = call(make_front(), tool, arguments)
    assert found.is_error and line in text_of(found) and "\n" not in text_of(found), text_of(found)
    assert found.structured_content["ok"] is False and set(found.structured_content) == {"ok", "error"}


def test_a_failure_that_nobody_foresaw_is_one_line_and_tells_nothing(
    make_front: MakeFront, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the inner parts")

    monkeypatch.setattr("ralph_cli.commands.mcp.tools.load_source", broken)
    found = call(make_front(), "search", {"documents": "lease.txt", "words": "rent"})
    assert (
        found.is_error
        and text_of(found) == "internal error: RuntimeError - the server's standard error has the traceback"
    )
    assert "the inner parts" in capsys.readouterr().err


@pytest.mark.parametrize(
    "uri",
    ["ralph://runs/20260101-none", "ralph://runs/../secret.txt", "file:///etc/passwd", "ralph://runs/a/quotes/x", "x"],
)
def test_evidence_is_that_of_this_servers_runs_only(uri: str, make_front: MakeFront) -> None:
    front, earlier = make_front(), make_front()
    call(earlier, "ask", QUESTION)
    (name,) = earlier.tools.runs

    async def use(client: Client) -> None:
        for address in (uri, f"ralph://runs/{name}"):
            with pytest.raises(MCPError, match="is no evidence of a run of this server"):
                await client.read_resource(address)

    talk(front, use)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_progress_is_told_from_the_events_of_the_run(make_front: MakeFront, mode: str) -> None:
    told: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    talk(make_front(), lambda client: client.call_tool("ask", QUESTION, progress_callback=hear), mode)
    assert [number for number, _ in told] == list(range(1, len(told) + 1))
    messages = [message for _, message in told]
    assert "the worker is thinking" in messages and "judge: claim 1 supported - it says so" in messages
    assert all(message and "\n" not in message for message in messages)


def test_a_long_run_keeps_nobody_waiting_and_ends_when_its_client_cancels_it(make_front: MakeFront) -> None:
    asked, go = threading.Event(), threading.Event()

    def think(request: Request) -> Reply:
        asked.set()
        assert go.wait(20)
        return tool_reply({"code": "print(1)"})

    front = make_front(models(worker=think))

    async def use(client: Client) -> None:
        running = asyncio.create_task(client.call_tool("ask", QUESTION))
        await asyncio.to_thread(asked.wait, 20)
        page = await asyncio.wait_for(client.call_tool("read_page", {"document": "lease.txt"}), 20)
        assert page.structured_content["text"] == LEASE and not running.done()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    for mode in ("auto", "legacy"):
        asked.clear(), go.clear()
        talk(front, use, mode)
        go.set()
        front.wait_for_runs()
    folders = sorted(front.tools.settings.out.glob("*-qa-*"))
    assert len(folders) == 2
    for folder in folders:
        events = list(read_events(folder))
        assert sum(isinstance(event, CallFinished) for event in events) == 1  # the call in flight was the last
        assert events[-1].kind == "run_halted"


def test_so_many_runs_are_at_work_side_by_side_and_one_that_was_cancelled_counts_until_it_ends(
    make_front: MakeFront,
) -> None:
    working, most, go, lock = [0], [0], threading.Event(), threading.Lock()

    def think(request: Request) -> Reply:
        with lock:
            working[0] += 1
            most[0] = max(most[0], working[0])
        assert go.wait(20)
        with lock:
            working[0] -= 1
        return tool_reply({"claims": [CLAIM]})

    front = make_front(models(worker=think))

    async def use(client: Client) -> None:
        running = [asyncio.create_task(client.call_tool("ask", QUESTION)) for _ in range(PAID_AT_ONCE + 3)]
        while working[0] < PAID_AT_ONCE:
            await asyncio.sleep(0.01)
        for task in (running[0], running[-1]):
            task.cancel()
        await client.call_tool("read_page", {"document": "lease.txt"})
        assert most[0] == working[0] == PAID_AT_ONCE
        go.set()
        found = await asyncio.gather(*running, return_exceptions=True)
        assert sum(isinstance(item, asyncio.CancelledError) for item in found) == 2
        assert sum(item.structured_content["ok"] is True for item in found if not isinstance(item, BaseException)) == 5

    talk(front, use)
    assert most[0] == PAID_AT_ONCE


@pytest.mark.parametrize(("cap", "asked"), [(0.09, [True, True, False]), (0.05, [True, False]), (0.01, [False])])
def test_the_cost_bound_of_the_server_holds_for_each_call_and_for_all(
    cap: float, asked: list[bool], make_front: MakeFront
) -> None:
    def hand_in(_: Request) -> Reply:
        return tool_reply({"claims": [CLAIM]}, usage=Usage(1, 10, 10, usd=0.02))

    front = make_front(models(hand_in, lambda _: judged(usd=0.02)), max_cost=cap)
    for ok in asked:
        found = call(front, "ask", QUESTION).structured_content
        assert found["ok"] is ok, found["stop"]
        assert ok or found["stop"]["type"] == "max_cost"


def test_the_answer_of_a_broken_document_is_an_error_with_its_run_or_none(make_front: MakeFront, deal: Path) -> None:
    (deal / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    found = call(make_front(), "ask", {"documents": ["broken.pdf"], "question": "What?"})
    assert found.is_error and "damaged" in text_of(found) + found.structured_content["error"]["code"]


def test_half_a_character_in_a_document_does_not_break_the_answer(make_front: MakeFront, deal: Path) -> None:
    (deal / "odd.json").write_text('{"name": "half \\ud800 of it", "whole": "\\ud83d\\ude00"}')
    found = call(make_front(), "read_page", {"document": "odd.json"})
    assert not found.is_error and "half" in found.structured_content["text"]
    found.model_dump_json().encode()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_spans_of_a_run_belong_to_the_trace_of_its_client(
    make_front: MakeFront, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("ralph_cli.journal.spans.open_tracer", lambda endpoint: provider.get_tracer("test"))
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    meta: Any = {"traceparent": f"00-{trace}-{parent}-01"}
    front = make_front(otel="http://127.0.0.1:4318")
    talk(front, lambda client: client.call_tool("ask", QUESTION, meta=meta), mode)
    (run,) = [span for span in exporter.get_finished_spans() if span.name == "invoke_workflow qa"]
    assert run.parent is not None and f"{run.parent.trace_id:032x}" == trace
    assert f"{run.parent.span_id:016x}" == parent
