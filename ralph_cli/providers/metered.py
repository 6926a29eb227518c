"""A model wrapper that reserves budget before each call, and books and records the call afterwards."""

import hashlib
import itertools
import json
import string
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any

from ralph_cli.core import clock
from ralph_cli.core.awaiting import CallTimedOut, call_with_timeout
from ralph_cli.core.budget import Forecast, Ledger
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.events import CallFinished, CallStarted, EventSink, NoticeIssued
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, ToolTurn, Turn, Usage, UserTurn
from ralph_cli.providers.wrapper import ModelWrapper

EXTRA_TOKENS = 2_000  # tokens for what is sent in addition to the text: tools, schemas, turn markers

_SPLIT_FINELY = (string.digits + string.punctuation).encode("ascii")


def most_text_tokens(text: str) -> int:
    """Return an upper bound for the number of tokens of a text, for any known tokenizer.

    Tokenizers join bytes of UTF-8 (Sennrich et al. 2016 on byte pairs), two or more bytes of prose to a token. So a
    Latin letter is at most half a token; a letter of Greek, Cyrillic or Arabic one; of Chinese, Thai or Hindi one and a
    half. Digits and punctuation count one token each, because some tokenizers split them.
    """
    data = text.encode("utf-8", "surrogatepass")
    return (2 * len(data) - len(data.translate(None, _SPLIT_FINELY))) // 2 + 1


def most_tokens(request: Request) -> int:
    """Return the most tokens that a request and its reply can use."""
    return most_prompt_tokens(request) + request.max_tokens


def most_prompt_tokens(request: Request) -> int:
    """Return the most tokens of a request, including earlier replies and their reasoning that are sent back."""
    texts = [request.system]
    for turn in request.turns:
        match turn:
            case UserTurn(text):
                texts.append(text)
            case ModelTurn(text, calls, raw):
                said = text + "".join(str(call.arguments or call.malformed) for call in calls)
                sent_back = str(raw) if raw is not None else ""
                texts.append(sent_back if len(sent_back) > len(said) else said)
            case ToolTurn(results, note):
                texts += [note, *(text for _, text, _ in results)]
    return sum(map(most_text_tokens, texts)) + EXTRA_TOKENS


Estimate = Callable[[Request], Forecast]  # returns the most that a request can cost and use


@dataclass(slots=True)
class TimeLimitedModel(ModelWrapper):
    """Limits the wrapped model to `seconds` and to the time of its run; for models without their own time limit."""

    ledger: Ledger
    seconds: float

    def complete(self, request: Request) -> Reply:
        """Return the wrapped model's reply.

        Raises ProviderError if it does not arrive in time, and LimitExceeded if the run's time is over before that.
        """
        left = self.ledger.seconds_left
        self.ledger.check_time()
        try:
            return call_with_timeout(
                lambda: self.wrapped.complete(request), self.seconds if left is None else min(self.seconds, left)
            )
        except CallTimedOut:
            self.ledger.check_time()
            what = f"no answer from {self.name} within {self.seconds:g} s"
            hint = "raise --max-call-time, or choose a faster model"
            raise ProviderError(what, code="timeout", hint=hint, retryable=True, usage_unknown=True) from None


@dataclass(slots=True)
class MeteredModel(ModelWrapper):
    """Checks the budget before every call of the wrapped model, and books and records it afterwards. Safe to use from
    every thread.
    """

    ledger: Ledger
    sink: EventSink
    numbers: Iterator[int]
    estimate: Estimate = field(default=lambda request: Forecast(tokens=most_tokens(request)))

    def complete(self, request: Request) -> Reply:
        """Return the wrapped model's reply. The start is recorded before sending, and the reply before it is
        returned.
        """
        worst = self.estimate(request)
        with self.ledger.reserve(worst.usd, worst.tokens) as book:
            number = next(self.numbers)
            digest, newest = request_digest(request), turn_text(request.turns[-1])
            size = request.characters
            self.sink(
                CallStarted(number, request.agent, self.name, size, digest, newest, request.ordinal, request.branch)
            )
            begun = clock.monotonic()

            def finish(usage: Usage, reply: Json | None = None, failure: ProviderError | None = None) -> None:
                book(usage)
                seconds = round(clock.monotonic() - begun, 3)
                why = (failure.message, failure.code, failure.hint) if failure else ("", "", "")
                self.sink(CallFinished(number, request.agent, self.name, usage, seconds, reply, *why))
                for warning in self.ledger.take_warnings():
                    self.sink(NoticeIssued("budget", warning))

            try:
                reply = self.wrapped.complete(request)
            except ProviderError as error:
                # A timeout may have been billed: it counts with the reserved amount, and is reported as unknown.
                spent = Usage(calls=1, characters=request.characters, usd=None if error.usage_unknown else 0.0)
                finish(spent, failure=error)
                raise
            finish(replace(reply.usage, calls=1, characters=request.characters), _reply_as_json(reply))
            return reply


def call_numbers() -> Iterator[int]:
    """Return the numbers of a run's calls, which its models share. `next` on it is atomic."""
    return itertools.count(1)


def request_digest(request: Request) -> str:
    """Return the SHA-256 of everything in a request that affects its answer."""
    body = {
        "agent": request.agent,
        "system": request.system,
        "turns": [{"kind": type(turn).__name__, **_fields_of(turn)} for turn in request.turns],
        "tools": request.tools,
        "schema": request.output_schema,
        "max_tokens": request.max_tokens,
    }
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_fields_of)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _fields_of(value: Any) -> Any:
    """Return the fields of a dataclass without the copying of `asdict`, because conversations are long; any other value
    as text.
    """
    return {item.name: getattr(value, item.name) for item in fields(value)} if is_dataclass(value) else str(value)


def turn_text(turn: Turn) -> str:
    """Return the text of one turn."""
    match turn:
        case UserTurn(text) | ModelTurn(text):
            return text
        case ToolTurn(results, note):
            return "\n".join([text for _, text, _ in results] + ([note] if note else []))


def _reply_as_json(reply: Reply) -> Json:
    calls = [asdict(call) for call in reply.calls]
    return {"text": reply.text, "calls": calls, "stop": reply.stop.value, "model": reply.model, "raw": reply.turn.raw}
