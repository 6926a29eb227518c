"""Spans of a run: who is whose parent and when, tokens and cost by the conventions, no word unless it is asked for."""

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeSandbox, document
from modes.test_goal import DONE, VERIFY
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from ralph_cli.api import ask, run_goal
from ralph_cli.config import Settings, load_settings
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.events import CallFinished, RunHalted, RunStarted
from ralph_cli.core.model import Model, Usage
from ralph_cli.core.run import Halt, StopType
from ralph_cli.journal.spans import RunSpans, TellingExporter
from ralph_cli.journal.store import read_events
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.wiring.spans import open_spans

LEASE = document("The tenant pays a base rent of $48,000 a year, says the clause of the zephyr.\n")
CLAIM = {"text": "The zephyr rent is $48,000 a year.", "quotes": ["a base rent of $48,000 a year"]}
WRONG = {"text": "The zephyr rent is $46,000 a year.", "quotes": ["a base rent of $46,000 a year"]}
CODE = {"code": "print(llm_query('Which zephyr?', context))"}
LOOK = {"code": "print(context)"}
QUESTION = "What is the zephyr rent?"


class Collector:
    """Spans in memory, and the sink that makes them."""

    def __init__(self, *, texts: bool = False) -> None:
        self.exporter, self.provider = InMemorySpanExporter(), TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.sink = RunSpans(self.provider.get_tracer("test"), texts=texts)

    @property
    def spans(self) -> list[ReadableSpan]:
        return sorted(self.exporter.get_finished_spans(), key=lambda span: (span.start_time, -(span.end_time or 0)))

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def parent(self, span: ReadableSpan) -> str:
        """The name of a span's parent; empty for a root."""
        ids = {item.context.span_id: item.name for item in self.spans}
        return ids[span.parent.span_id] if span.parent else ""


def asked(tmp_path: Path, collector: Collector, *worker: Any, **more: Any) -> Any:
    """A question to the lease, with a judge and sub-queries that answer."""
    usage = Usage(1, 100, 20, cache_read_tokens=60, cache_write_tokens=10, usd=0.01)
    verdict = '{"verdicts": [{"id": 1, "verdict": "supported", "reason": "the zephyr says so"}]}'
    models: dict[str, Model] = {
        "worker": ScriptedModel(worker, name="anthropic:claude-x", vendor="anthropic"),
        "judge": ScriptedModel(lambda _: text_reply(verdict, usage=usage), name="openai:gpt-x", vendor="openai"),
        "subquery": ScriptedModel(lambda _: text_reply("the zephyr", usage=usage), name="anthropic:small"),
    }
    settings = Settings(out=tmp_path, strategy="rlm", **more)
    return ask(LEASE, QUESTION, settings=settings, models=models, engine=FakeSandbox, sink=collector.sink)


def told(call: dict[str, Any]) -> Any:
    return tool_reply(call, usage=Usage(1, 1_000, 50, usd=0.02))


def test_each_call_snippet_and_check_is_a_span_under_its_parent_and_within_its_time(tmp_path: Path) -> None:
    collector = Collector()
    result = asked(tmp_path, collector, told(CODE), told({"claims": [WRONG]}), told({"claims": [CLAIM]}))
    assert result.ok
    tree = {(span.name, collector.parent(span)) for span in collector.spans}
    assert {
        ("invoke_workflow qa", ""),
        ("iteration 1", "invoke_workflow qa"),
        ("chat claude-x", "iteration 1"),
        ("execute_tool python", "iteration 1"),
        ("chat small", "execute_tool python"),
        ("check quotes", "iteration 1"),
        ("check judge", "iteration 1"),
        ("chat gpt-x", "check judge"),
    } <= tree
    assert len(collector.named("chat claude-x")) == 3 and len({span.context.trace_id for span in collector.spans}) == 1
    by_id = {span.context.span_id: span for span in collector.spans}
    for span in collector.spans:
        assert span.start_time is not None and span.end_time is not None and span.start_time <= span.end_time
        if span.parent:
            parent = by_id[span.parent.span_id]
            assert parent.start_time <= span.start_time and span.end_time <= parent.end_time, span.name  # type: ignore[operator]
    (judge,), (quotes,) = collector.named("check judge"), collector.named("check quotes")
    assert quotes.end_time <= judge.start_time  # type: ignore[operator]
    finished = [event for event in read_events(result.folder) if isinstance(event, CallFinished)]
    assert len(finished) == sum(span.kind is SpanKind.CLIENT for span in collector.spans) == 5


def test_a_call_has_the_attributes_of_the_conventions(tmp_path: Path) -> None:
    collector = Collector()
    asked(tmp_path, collector, told(LOOK), told({"claims": [CLAIM]}))
    (judged,) = collector.named("chat gpt-x")
    assert dict(judged.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-x",
        "gen_ai.response.model": "scripted",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.agent.name": "judge",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.cache_creation.input_tokens": 10,
        "ralph.cost.usd": 0.01,
        "ralph.call": 3,
    }
    (run,) = collector.named("invoke_workflow qa")
    given = dict(run.attributes or {})
    assert given["gen_ai.operation.name"] == "invoke_workflow" and given["gen_ai.workflow.name"] == "qa"
    assert given["gen_ai.usage.input_tokens"] == 2_100 and given["ralph.cost.usd"] == pytest.approx(0.05)
    assert given["ralph.stop.type"] == "completion" and run.status.status_code is StatusCode.UNSET
    (check,) = collector.named("check judge")
    given = dict(check.attributes or {})
    assert (given["gen_ai.evaluation.name"], given["gen_ai.evaluation.score.label"]) == ("judge", "passed")
    assert given["gen_ai.evaluation.score.value"] == 1.0


@pytest.mark.parametrize("texts", [False, True])
def test_no_word_of_document_question_or_answer_is_sent_unless_it_is_asked_for(tmp_path: Path, texts: bool) -> None:
    collector = Collector(texts=texts)
    asked(tmp_path, collector, told(CODE), told({"claims": [WRONG]}), told({"claims": [CLAIM]}))
    sent = "\n".join(span.to_json() for span in collector.spans)
    for word in ("zephyr", "base", "48,000", "46,000", "memo.txt", "print("):
        assert (word in sent) is texts, word
    if texts:
        (snippet,) = collector.named("execute_tool python")
        assert (snippet.attributes or {})["gen_ai.tool.call.arguments"] == CODE["code"]
        (judged,) = collector.named("chat gpt-x")
        (message,) = json.loads(str((judged.attributes or {})["gen_ai.output.messages"]))
        assert message["role"] == "assistant" and "the zephyr says so" in message["parts"][0]["content"]


def test_what_is_refused_fails_or_breaks_is_told(tmp_path: Path) -> None:
    collector = Collector()
    fault = ProviderError("the zephyr is down", code="overloaded")
    broken = told({"code": "raise ValueError('zephyr')"})
    with pytest.raises(ProviderError):
        asked(tmp_path, collector, broken, told({"claims": [WRONG]}), fault)
    (snippet,) = collector.named("execute_tool python")
    assert snippet.status.status_code is StatusCode.ERROR and (snippet.attributes or {})["error.type"] == "snippet"
    failed = collector.named("chat claude-x")[-1]
    assert failed.status.status_code is StatusCode.ERROR and (failed.attributes or {})["error.type"] == "overloaded"
    (run,) = collector.named("invoke_workflow qa")
    assert (run.attributes or {})["error.type"] == "system_error" and run.status.status_code is StatusCode.ERROR
    assert "zephyr" not in "".join(span.to_json() for span in collector.spans)
    assert collector.sink._calls == {} and collector.sink._iteration is None


def test_the_commands_of_a_goal_are_checks(tmp_path: Path) -> None:
    collector = Collector()
    acts = ({"output": "zephyr"}, VERIFY, DONE)
    worker = ScriptedModel([tool_reply(act) for act in acts])
    models: dict[str, Model] = {"worker": worker, "judge": ScriptedModel([]), "subquery": ScriptedModel([])}
    settings = Settings(out=tmp_path, max_iterations=1)
    run_goal(
        LEASE, "Copy it", verify=["test -s {output}"], settings=settings, models=models, engine=FakeSandbox,
        sink=collector.sink,
    )  # fmt: skip
    assert collector.named("invoke_workflow goal")
    for check in collector.named("check command"):
        assert (check.attributes or {})["gen_ai.evaluation.score.label"] == "passed"
        assert collector.parent(check) == "iteration 1" and check.end_time > check.start_time  # type: ignore[operator]
    assert collector.named("check command")
    sent = "".join(span.to_json() for span in collector.spans)
    assert "zephyr" not in sent and "Copy" not in sent


def test_calls_that_end_side_by_side_and_one_that_never_ends(tmp_path: Path) -> None:
    from ralph_cli.core.events import CallStarted, IterationStarted

    collector = Collector()
    take: Callable[[Any], None] = collector.sink
    take(RunStarted("r-1", "qa", QUESTION, {}, {}, "now"))
    take(IterationStarted(1, ""))

    def call(number: int) -> None:
        take(CallStarted(number, "subquery", "bedrock:m", 1, "", "zephyr"))
        if number != 20:
            take(CallFinished(number, "subquery", "bedrock:m", Usage(1, usd=None), 0.1))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(1, 21)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    take(RunHalted(Halt(StopType.TIMEOUT, "zephyr"), "later"))
    calls = collector.named("chat m")
    assert len(calls) == 20 and all(collector.parent(span) == "iteration 1" for span in calls)
    assert {(span.attributes or {})["gen_ai.provider.name"] for span in calls} == {"aws.bedrock"}
    assert [(span.attributes or {}).get("error.type") for span in calls].count("left behind") == 1
    (run,) = collector.named("invoke_workflow qa")
    assert "ralph.cost.usd" not in (run.attributes or {}) and "zephyr" not in run.to_json()


def test_a_run_belongs_to_the_span_of_its_caller(tmp_path: Path) -> None:
    collector = Collector()
    with collector.provider.get_tracer("caller").start_as_current_span("request"):
        asked(tmp_path, collector, told(LOOK), told({"claims": [CLAIM]}))
    (run,) = collector.named("invoke_workflow qa")
    assert collector.parent(run) == "request"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://127.0.0.1:4318", "is not installed - pip install 'ralph-cli[otel]'"),
        ("127.0.0.1:4318", "no spans are sent: otel is not a web address - write https://host[:port]/path"),
        ("https://me:pa55word@collector.example", "otel is not a web address"),
        ("https://collector.example?key=pa55word", "otel is not a web address"),
        ("http://collector.example", "would be sent to collector.example unencrypted"),
    ],
)
def test_where_no_spans_can_be_sent_one_line_says_so_and_the_run_goes_on(
    tmp_path: Path, address: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    result = asked(tmp_path, Collector(), told(LOOK), told({"claims": [CLAIM]}), otel=address, otel_texts=True)
    assert result.ok and [why in notice.message for notice in result.notices if notice.code == "otel"] == [True]
    assert not any(b"pa55word" in path.read_bytes() for path in result.folder.iterdir())


def test_spans_without_texts_may_go_to_any_collector_of_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ralph_cli.journal.spans.open_tracer", lambda endpoint: TracerProvider().get_tracer(endpoint))
    assert [len(found) for found in open_spans(Settings(otel="http://collector.example"))] == [1, 0]
    assert [len(found) for found in open_spans(Settings(otel="http://collector.example", otel_texts=True))] == [0, 1]


def test_a_collector_that_does_not_take_them_is_told_of_once() -> None:
    class Failing(InMemorySpanExporter):
        def export(self, spans: Any) -> SpanExportResult:
            return SpanExportResult.FAILURE

    exporter = TellingExporter(Failing(), "http://127.0.0.1:4318")
    with pytest.warns(UserWarning, match=r"^spans could not be sent to http://127.0.0.1:4318: is a collector there"):
        exporter.export([])
    assert exporter.export([]) is SpanExportResult.FAILURE  # a second warning would be an error here


def test_the_collector_is_named_by_a_flag_or_by_the_variable_of_the_standard(tmp_path: Path) -> None:
    standard = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
    assert load_settings(environ=standard, folder=tmp_path).otel == "http://collector:4318"
    assert load_settings({"otel": "http://other:4318"}, environ=standard, folder=tmp_path).otel == "http://other:4318"
    assert load_settings(environ={}, folder=tmp_path).otel == "" and not Settings().otel_texts
