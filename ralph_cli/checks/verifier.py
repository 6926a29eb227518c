"""Verifiers: a second opinion on whether a result fulfils the whole task, from a model or any object that fits."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Protocol, runtime_checkable

from ralph_cli.checks.base import describe_failure
from ralph_cli.core import clock
from ralph_cli.core.awaiting import Awaiter
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject, agent_request, ask_once
from ralph_cli.core.prompts.json_schema import object_schema, string
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import SKIPPED_VERIFIER_CHECK, VERIFIER_CHECK, Attempt, Evidence, Issue

# The characters shown of the result to verify.
MAX_RESULT_CHARS = 4_000

# The characters shown of each earlier result.
MAX_PREVIOUS_CHARS = 600

MAX_PREVIOUS_RESULTS = 5
MAX_TOKENS = 512

VERDICT_SCHEMA = object_schema(complete={"type": "boolean"}, reason=string())


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """Whether a result fulfils its task, and what is missing if not. Raises ValueError if `complete` is no bool."""

    complete: bool
    reason: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.complete, bool):
            raise ValueError(f"complete must be True or False, not {self.complete!r}")


@runtime_checkable
class Verifier(Protocol):
    """Any object with this method. It may be asynchronous, and may raise, which is never a pass."""

    def verify(
        self, task: str, result: str, iteration: int, previous_results: Sequence[str]
    ) -> VerificationResult | Awaitable[VerificationResult]:
        """Return the verdict on `result`, the output of this iteration (counted from 1). `previous_results` are oldest
        first.
        """
        ...


def verifier_fault(verifier: object) -> str:
    """The reason why an object cannot be a verifier; empty if it can."""
    name = type(verifier).__name__
    if isinstance(verifier, type):
        return f"a verifier must be an instance, not the class {verifier.__name__} itself"
    ask_it = getattr(verifier, "verify", None)
    if not callable(ask_it):
        return f"a verifier must have a method verify; {name} has none"
    try:
        inspect.signature(ask_it).bind("task", "result", 1, ())
    except TypeError:
        return f"{name}.verify cannot be called with task, result, iteration and previous_results"
    except ValueError:
        pass  # the signature of a built-in function may be unknown
    return ""


class _VerifierReply(StrictObject):
    complete: bool
    reason: str


@dataclass(frozen=True, slots=True)
class LLMVerifier:
    """Asks a model in one light call: no tools, at most 512 tokens of reply, at most 4,000 characters of the result.

    `new_nonce` gives the marks around data; a run that can be resumed passes its own.
    """

    model: Model
    new_nonce: Callable[[], str] = field(default=clock.token, repr=False)

    def through(self, wrap: Callable[[Model], Model], /) -> "LLMVerifier":
        """Return a copy with its model wrapped."""
        return replace(self, model=wrap(self.model))

    def verify(self, task: str, result: str, iteration: int, previous_results: Sequence[str]) -> VerificationResult:
        """Return the model's verdict. Raises ProviderError, and UnparseableReply for a reply of the wrong shape."""
        nonce = self.new_nonce()
        earlier = [
            f"Attempt {number}:\n{frame_data(shorten(text, MAX_PREVIOUS_CHARS), nonce)}"
            for number, text in list(enumerate(previous_results, 1))[-MAX_PREVIOUS_RESULTS:]
        ]
        prompt = render_prompt(
            "verifier_request",
            task=frame_data(task, nonce),
            previous="\n\n".join(earlier) or "(none)",
            iteration=iteration,
            result=frame_data(shorten(result, MAX_RESULT_CHARS), nonce),
        )
        inputs = {"task": task, "result": result, "iteration": iteration, "previous": list(previous_results)}
        request = agent_request("verifier", prompt, VERDICT_SCHEMA, "verdict", inputs, MAX_TOKENS)
        reply = ask_once(self.model, request, _VerifierReply)
        return VerificationResult(reply.complete, " ".join(reply.reason.split()))


def shorten(text: str, max_chars: int) -> str:
    """The beginning of `text`, at most `max_chars` characters; a note marks the cut, so that nobody takes it for the
    end.
    """
    if len(text) <= max_chars:
        return text
    mark = f"\n[... cut: {len(text):,} characters in all]"
    return text[: max_chars - len(mark)] + mark


def result_text(attempt: Attempt) -> str:
    """An attempt as a verifier reads it: its free text, its claims as bullets, or its absence."""
    if attempt.output:
        return attempt.output
    if attempt.absence is not None:
        searched = ", ".join(attempt.absence.searched)
        return f"The answer is not in the document. Searched: {searched}. {attempt.absence.note}".strip()
    return "\n".join(f"- {claim.text}" for claim in attempt.claims)


@dataclass(slots=True, eq=False)
class VerifierCheck:
    """A verifier as a check of an attempt, for a run of at most `max_iterations`.

    A verifier that fails is a broken check and never a pass. With `skip_last` the last iteration is not verified: its
    evidence passes, under a name that says so. A mode calls `begin` with each iteration. `awaiter` serves a verifier
    that several runs ask; `call_with_deadline` makes a call and stops waiting for it when the run's time is over.
    """

    verifier: Verifier
    task: str
    _: KW_ONLY
    max_iterations: int
    skip_last: bool = False
    awaiter: Callable[[object], object] = field(default_factory=Awaiter)
    call_with_deadline: Callable[[Callable[[], object]], object] = lambda call: call()
    _iteration: int = field(default=0, init=False)
    _previous: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        if why := verifier_fault(self.verifier):
            raise TypeError(why)

    def begin(self, iteration: int) -> None:
        """Set the number of the iteration, from 1. This check does not run in all of them, since others may fail before
        it.
        """
        self._iteration = iteration

    def __call__(self, attempt: Attempt) -> Evidence:
        if not attempt.has_result:
            return Evidence(VERIFIER_CHECK, (Issue(VERIFIER_CHECK, "there is no result to verify"),))
        if self.skip_last and self._iteration >= self.max_iterations:
            return Evidence(SKIPPED_VERIFIER_CHECK)
        result, previous = result_text(attempt), tuple(self._previous)
        iteration = self._iteration or len(previous) + 1
        self._previous.append(result)
        try:
            verdict = self.call_with_deadline(
                lambda: self.awaiter(self.verifier.verify(self.task, result, iteration, previous))
            )
        except LimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001 - anybody's verifier may raise anything, and none of it is a pass
            return Evidence(VERIFIER_CHECK, broken=describe_failure(error))
        if not isinstance(verdict, VerificationResult):
            return Evidence(VERIFIER_CHECK, broken=f"it gave {type(verdict).__name__} and no VerificationResult")
        message, reason = "the verifier says that it is not complete", verdict.reason or "no reason given"
        return Evidence(VERIFIER_CHECK, () if verdict.complete else (Issue(VERIFIER_CHECK, message, None, reason),))
