"""A run's events as OpenTelemetry spans, by its conventions for generative AI; without any text unless it is asked for.

invoke_workflow qa                    the run
  iteration 1
    chat claude-opus-5                a call of a model: provider, tokens, cost
    execute_tool python               a snippet
      chat claude-haiku-5             a sub-query of its code
    check quotes                      a check, passed or refused
    check judge
      chat gpt-6.1
"""

import json
import logging
import threading
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from ralph_cli.core import clock, events
from ralph_cli.core.model import Json, StopReason, Usage
from ralph_cli.core.run import Evidence, StopType
from ralph_cli.core.version import __version__

# Vendors with another name in the conventions.
PROVIDERS = {"azure": "azure.ai.openai", "bedrock": "aws.bedrock", "vertex": "gcp.vertex_ai"}

FINISH_REASONS = {StopReason.END: "stop", StopReason.TOOL: "tool_call", StopReason.LENGTH: "length"}

# Seconds that the end of the program waits for a collector that does not answer.
EXPORT_SECONDS = 5

_COMMAND = "command"


@cache
def open_tracer(endpoint: str) -> Tracer:
    """The tracer that sends spans to the collector at that address, one for the whole program. ImportError without the
    extra.
    """
    exporter = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter").OTLPSpanExporter
    logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL)  # it logs a paragraph for each attempt
    address = f"{endpoint.rstrip('/')}/v1/traces"
    telling = TellingExporter(exporter(endpoint=address, timeout=EXPORT_SECONDS), endpoint)
    provider = TracerProvider(resource=Resource.create({"service.name": "ralph", "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(telling))
    return provider.get_tracer("ralph", __version__)


class TellingExporter(SpanExporter):
    """An exporter that warns once, in a line, if spans could not be sent."""

    def __init__(self, exporter: SpanExporter, endpoint: str) -> None:
        self._exporter, self._endpoint, self._told = exporter, endpoint, False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send the spans."""
        result = self._exporter.export(spans)
        if result is not SpanExportResult.SUCCESS and not self._told:
            self._told = True
            what = f"spans could not be sent to {self._endpoint}: is a collector there that speaks OTLP over HTTP?"
            warnings.warn(what, UserWarning, stacklevel=2)
        return result

    def shutdown(self) -> None:
        """Send nothing more."""
        self._exporter.shutdown()


class RunSpans:
    """A sink that makes spans of one run's events; thread-safe.

    A span lasts from the event that begins it to the one that ends it. The run's span belongs to the span in whose
    context this sink was made. A check that asks models lasts from the first of these calls to the last. Other checks
    have no events of their own: they share the time between the worker's last act and the judging. With `texts` the
    spans also have the question, prompts, replies, code and output.
    """

    def __init__(self, tracer: Tracer, *, texts: bool = False) -> None:
        self._tracer, self._texts = tracer, texts
        self._run: Span | None = None
        self._iteration: Span | None = None
        self._snippet: Span | None = None
        self._calls: dict[int, Span] = {}
        self._checks: dict[str, Span] = {}
        self._children: dict[str, Span] = {}
        self._check_ends: dict[str, int] = {}
        self._usage = Usage()
        self._iterations = 0
        self._acted = self._judged = 0
        self._lock = threading.Lock()

    def __call__(self, event: events.AnyEvent, /) -> None:
        with self._lock:
            self._take(event, clock.nanoseconds())

    def _take(self, event: events.AnyEvent, at: int) -> None:
        parent = self._iteration or self._run
        match event:
            case events.RunStarted():
                self._begin_run(event, at)
            case events.IterationStarted(number):
                self._iterations, self._acted, self._judged = number, at, 0
                self._iteration = self._begin(f"iteration {number}", self._run, at, {"ralph.iteration": number})
            case events.CallStarted():
                self._begin_call(event, at)
            case events.CallFinished():
                self._end_call(event, at)
            case events.CallRetried(attempt=attempt, wait=wait) if parent:
                parent.add_event("retry", {"ralph.attempt": attempt, "ralph.wait": wait}, at)
            case events.SnippetStarted(step=step):
                named = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "python"}
                named |= {"gen_ai.tool.type": "function"}
                self._snippet = self._begin("execute_tool python", parent, at, {**named, "ralph.step": step})
            case events.SnippetRan():
                self._end_snippet(event, at)
            case events.ChildStarted():
                self._begin_child(event, at)
            case events.ChildFinished(branch=branch, error=error):
                self._end(self._children.pop(branch, None), at, {}, fault="child" if error else "")
            case events.DraftSubmitted() | events.TurnRejected():
                self._acted = at
            case events.VerifierStarted():
                self._checks[_COMMAND] = self._begin("check command", parent, at)
            case events.VerifierFinished():
                self._end_verifier(event, at)
            case events.StepFinished(step):
                for evidence in step.evidence:
                    self._end_check(evidence, at)
                self._end_iteration(at)
            case events.RunHalted():
                self._end_run(event, at)

    def _begin_run(self, event: events.RunStarted, at: int) -> None:
        given = {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.workflow.name": event.mode,
            "gen_ai.conversation.id": event.run,
            "ralph.document.kind": event.document.get("kind"),
            "ralph.document.pages": event.document.get("pages"),
            "ralph.question": event.question if self._texts else None,
        }
        self._run = self._begin(f"invoke_workflow {event.mode}", None, at, given)

    def _begin_child(self, event: events.ChildStarted, at: int) -> None:
        parent = self._children.get(event.branch.rpartition(".")[0], self._snippet)
        given = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "child",
            "ralph.branch": event.branch,
            "ralph.question": event.question if self._texts else None,
        }
        self._children[event.branch] = self._begin("invoke_agent child", parent, at, given)

    def _begin_call(self, event: events.CallStarted, at: int) -> None:
        vendor, _, model = event.model.partition(":")
        given = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDERS.get(vendor, vendor),
            "gen_ai.request.model": model or vendor,
            "gen_ai.agent.name": event.agent,
            "ralph.call": event.number,
            "gen_ai.input.messages": _messages("user", event.sent) if self._texts else None,
        }
        parent = self._iteration or self._run
        if event.agent in events.JUDGES:
            self._judged = self._judged or at
            if event.agent not in self._checks:
                self._checks[event.agent] = self._begin(f"check {event.agent}", parent, at)
            parent = self._checks[event.agent]
        elif event.branch in self._children:
            parent = self._children[event.branch]
        elif event.agent == "subquery":
            parent = self._snippet or parent
        self._calls[event.number] = self._begin(f"chat {model or vendor}", parent, at, given, SpanKind.CLIENT)

    def _end_call(self, event: events.CallFinished, at: int) -> None:
        self._usage += event.usage
        if event.agent in events.JUDGES:
            self._check_ends[event.agent] = at
        else:
            self._acted = at
        reply = event.reply or {}
        given = {
            "gen_ai.response.model": reply.get("model"),
            "gen_ai.response.finish_reasons": _finish_reasons(reply),
            **_usage_attributes(event.usage),
            "gen_ai.output.messages": _messages("assistant", reply.get("text", "")) if self._texts and reply else None,
        }
        self._end(self._calls.pop(event.number, None), at, given, fault=event.code or ("failed" if event.error else ""))

    def _end_snippet(self, event: events.SnippetRan, at: int) -> None:
        self._acted = at
        given: dict[str, Any] = {"ralph.queries": event.queries}
        if self._texts:
            given |= {"gen_ai.tool.call.arguments": event.code, "gen_ai.tool.call.result": event.output}
        self._end(self._snippet, at, given, fault="snippet" if event.error else "")
        self._snippet = None

    def _end_verifier(self, event: events.VerifierFinished, at: int) -> None:
        given = {
            "gen_ai.evaluation.name": _COMMAND,
            "gen_ai.evaluation.score.label": "passed" if event.passed else "refused",
            "ralph.check.command": event.name if self._texts else None,
        }
        self._end(self._checks.pop(_COMMAND, None), at, given)

    def _end_check(self, evidence: Evidence, at: int) -> None:
        """Ends the span of a check, which has begun already if it asked a model."""
        name = evidence.check.split(" (")[0]
        span, end = self._checks.pop(name, None), self._check_ends.pop(name, None)
        if span is None:
            span = self._begin(f"check {name}", self._iteration or self._run, self._acted or at)
            end = self._judged or at
        given = {
            "gen_ai.evaluation.name": evidence.check,
            "gen_ai.evaluation.score.value": evidence.score,
            "gen_ai.evaluation.score.label": "passed" if evidence.passed else "refused",
            "ralph.check.issues": len(evidence.issues),
        }
        self._end(span, end or at, given, fault="broken" if evidence.broken else "")

    def _end_iteration(self, at: int) -> None:
        """Ends the iteration, and spans left open in it."""
        for name in list(self._checks):
            self._end(self._checks.pop(name), self._check_ends.pop(name, at))
        self._end(self._snippet, at, fault="left behind")
        self._end(self._iteration, at)
        self._snippet = self._iteration = None

    def _end_run(self, event: events.RunHalted, at: int) -> None:
        for number in list(self._calls):
            self._end(self._calls.pop(number), at, fault="left behind")
        self._end_iteration(at)
        given = {
            "ralph.stop.type": event.halt.type.value,
            "ralph.stop.reason": event.halt.detail if self._texts else None,
            "ralph.iterations": self._iterations,
            **_usage_attributes(self._usage),
        }
        fault = event.halt.type.value if event.halt.type is StopType.SYSTEM_ERROR else ""
        self._end(self._run, at, given, fault=fault)
        self._run = None

    def _begin(
        self,
        name: str,
        parent: Span | None,
        at: int,
        given: Json | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> Span:
        context: Context | None = set_span_in_context(parent) if parent else None
        return self._tracer.start_span(name, context, kind, _known(given or {}), start_time=at)

    def _end(self, span: Span | None, at: int, given: Json | None = None, *, fault: str = "") -> None:
        if span is None:
            return
        span.set_attributes(_known(given or {}))
        if fault:
            span.set_attribute("error.type", fault)
            span.set_status(Status(StatusCode.ERROR))
        span.end(at)


def _known(given: Json) -> Json:
    """The attributes with a value; half a character, which a document may contain, cannot be sent and is replaced."""
    texts = {name: value.encode("utf-8", "replace").decode() for name, value in given.items() if type(value) is str}
    return {name: value for name, value in (given | texts).items() if value is not None}


def _usage_attributes(usage: Usage) -> Json:
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        "ralph.cost.usd": usage.usd,
    }


def _finish_reasons(reply: Json) -> list[str] | None:
    stop = reply.get("stop")
    return [FINISH_REASONS[StopReason(stop)]] if stop in list(StopReason) else None


def _messages(role: str, text: str) -> str:
    """A message in the form of the conventions."""
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])
