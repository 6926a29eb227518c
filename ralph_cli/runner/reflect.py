"""The learn phase: the lesson from a failed attempt, made by rules or by a model."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from pydantic import Field

from ralph_cli.core import clock
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, agent_request, ask_once
from ralph_cli.core.prompts.json_schema import array, object_schema, string
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import Evidence, Lesson

MAX_OUTPUT_CHARS, MAX_HISTORY = 6_000, 5  # characters of the output, and earlier lessons, that a model is shown

MAX_SUGGESTIONS = {"shallow": 1, "medium": 3, "deep": 6}  # most suggestions that a model may make, by level

LESSON_SCHEMA = object_schema(summary=string(), suggestions=array(string()))
MAX_TOKENS = 1_000


class Reflector(Protocol):
    """Anything that makes a lesson from an attempt; it may be asynchronous."""

    def reflect(
        self, input: str, output: str, evidence: Sequence[Evidence], history: Sequence[Lesson], level: str
    ) -> Lesson | Awaitable[Lesson]:
        """Return the lesson from `output`, given the faults in `evidence`. `history` has the earlier lessons, oldest
        first.
        """
        ...


class RuleReflector:
    """Turns each issue into a suggestion, without a model; the same evidence gives the same lesson.

    `shallow` keeps the first issue. `deep` also names suggestions that were made before and did not help. A check that
    could not be made teaches nothing about the output.
    """

    def reflect(
        self, input: str, output: str, evidence: Sequence[Evidence], history: Sequence[Lesson], level: str
    ) -> Lesson:
        """Return one suggestion for each different issue."""
        failed = [item for item in evidence if item.issues and not item.broken]
        lines = dict.fromkeys(f"Mend what {issue.check} found: {issue.line}" for e in failed for issue in e.issues)
        suggestions = list(lines)[: 1 if level == "shallow" else None]
        if level == "deep":
            earlier = {line for lesson in history for line in lesson.suggestions}
            again = [line for line in suggestions if line in earlier]
            suggestions += [f"This was suggested before without success; try another way: {line}" for line in again]
        names = ", ".join(dict.fromkeys(item.check for item in failed))
        return Lesson(f"not passed: {names}" if names else "nothing was found that could be fixed", tuple(suggestions))


class _LessonReply(StrictObject):
    summary: str = Field(min_length=1)
    suggestions: list[str]


@dataclass(frozen=True, slots=True)
class ModelReflector:
    """Asks a model once what to change. If it fails or its reply is unusable, the lesson comes from the rules and says
    so.
    """

    model: Model
    new_nonce: Callable[[], str] = field(default=clock.token, repr=False)

    def through(self, wrap: Callable[[Model], Model], /) -> "ModelReflector":
        """Return a copy with its model wrapped."""
        return replace(self, model=wrap(self.model))

    def reflect(
        self, input: str, output: str, evidence: Sequence[Evidence], history: Sequence[Lesson], level: str
    ) -> Lesson:
        """Return the model's lesson, or that of the rules; never raises ProviderError."""
        nonce, most = self.new_nonce(), MAX_SUGGESTIONS.get(level, MAX_SUGGESTIONS["medium"])
        found = "\n".join(f"- {issue.check}: {issue.line}" for item in evidence for issue in item.issues)
        earlier = "\n".join(map(_render_lesson, history[-MAX_HISTORY:]))
        prompt = render_prompt(
            "reflector_request",
            input=frame_data(input, nonce),
            output=frame_data(output[:MAX_OUTPUT_CHARS] or "(nothing)", nonce),
            issues=frame_data(found or "(the score was too low)", nonce),
            history=frame_data(earlier or "(none)", nonce),
            most=most,
        )
        inputs = {"input": input, "output": output, "issues": found, "level": level}
        try:
            request = agent_request("reflector", prompt, LESSON_SCHEMA, "lesson", inputs, MAX_TOKENS)
            reply = ask_once(self.model, request, _LessonReply)
        except (ProviderError, UnparseableReply) as error:
            return rule_lesson(str(error), input, output, evidence, history, level)
        lines = dict.fromkeys(" ".join(line.split()) for line in reply.suggestions)
        return Lesson(" ".join(reply.summary.split()), tuple(line for line in lines if line)[:most])


def _render_lesson(lesson: Lesson) -> str:
    return f"- {lesson.summary}\n" + "".join(f"  - {line}\n" for line in lesson.suggestions)


def rule_lesson(
    reason: str, input: str, output: str, evidence: Sequence[Evidence], history: Sequence[Lesson], level: str
) -> Lesson:
    """Return the lesson of the rules, with the reason why there is no better one."""
    lesson = RuleReflector().reflect(input, output, evidence, history, level)
    return Lesson(f"{lesson.summary} (by rules, because the reflection failed: {reason})", lesson.suggestions)
