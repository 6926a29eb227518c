"""What the worker of a goal can do with its one tool, and the parsing of it; never raises on what a model wrote."""

import keyword
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from ralph_cli.core.model import Tool, ToolCall
from ralph_cli.core.prompts.json_reply import describe_validation_error
from ralph_cli.rlm.bridge import DocumentSandbox
from ralph_cli.rlm.parse import MalformedCall, Snippet
from sandbox import Answer, QueryFailure

MAX_OUTPUT_CHARS = 200_000
"""Characters of an output."""

ACT_FIELDS = ("code", "output", "output_from", "verify", "say", "blocked")

NUDGE = (
    "Use the tool `act`: run Python with `code`, set the output with `output` or `output_from`, run the verifiers with "
    '`verify`, and say "<promise>DONE</promise>" with `say` when they have passed.'
)

GOAL_ACT = Tool(
    name="act",
    description=(
        "Do exactly one thing: run Python (`code`), set the whole output (`output`, or `output_from` a variable), run "
        "the user's verifiers on it (`verify`), say something (`say`), or say why you cannot go on (`blocked`)."
    ),
    schema={
        "type": "object",
        "properties": {
            "code": {"type": "string", "description": "Python to run; what it prints comes back"},
            "output": {"type": "string", "description": "the new whole text of the output"},
            "output_from": {
                "type": "string",
                "description": "name of a sandbox variable; its str() becomes the new whole output",
            },
            "verify": {"type": "boolean", "description": "true: run the user's verifiers on the output as it stands"},
            "say": {
                "type": "string",
                "description": "a note that is kept, or <promise>DONE</promise> once the verifiers have passed",
            },
            "blocked": {"type": "string", "description": "why the objective cannot be reached"},
        },
        "additionalProperties": False,
    },
)
"""The one tool of a goal's worker."""


@dataclass(frozen=True, slots=True)
class SetOutput:
    """The worker gives the whole output."""

    call: str
    text: str


@dataclass(frozen=True, slots=True)
class OutputFromVariable:
    """The worker wants the text of a sandbox variable to be the output."""

    call: str
    name: str


@dataclass(frozen=True, slots=True)
class Verify:
    """The worker wants the verifiers run on the output as it stands."""

    call: str


@dataclass(frozen=True, slots=True)
class Say:
    """The worker says something; the completion marker in it is its intent to finish."""

    call: str
    text: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The worker says why it cannot go on."""

    call: str
    reason: str


Act = Snippet | SetOutput | OutputFromVariable | Verify | Say | GiveUp


class _Act(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    code: str | None = None
    output: str | None = None
    output_from: str | None = None
    verify: bool | None = None
    say: str | None = None
    blocked: str | None = None


def parse_goal_call(call: ToolCall) -> Act | MalformedCall:
    """The meaning of one tool call. An empty text and `verify: false` are as good as not given."""
    if call.name != GOAL_ACT.name:
        return MalformedCall(f"There is no tool {call.name!r}; the only tool is `act`.")
    if call.arguments is None:
        return MalformedCall("The arguments of `act` were not a JSON object; call it again.")
    try:
        act = _Act.model_validate(call.arguments)
    except ValidationError as error:
        return MalformedCall(f"`act` was not understood: {describe_validation_error(error)}.")
    given = [name for name in ACT_FIELDS if (value := getattr(act, name)) and (value is True or value.strip())]
    if len(given) != 1:
        what = "nothing was given" if not given else f"{' and '.join(given)} were given together"
        return MalformedCall(f"`act` takes exactly one of {', '.join(ACT_FIELDS)}; {what}.")
    match given[0]:
        case "code":
            return Snippet(act.code or "")
        case "output":
            return SetOutput(call.id, act.output or "")
        case "output_from":
            return OutputFromVariable(call.id, (act.output_from or "").strip())
        case "verify":
            return Verify(call.id)
        case "say":
            return Say(call.id, act.say or "")
        case _:
            return GiveUp(call.id, " ".join((act.blocked or "").split()))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no text; phrased for the worker."""

    reason: str


class SandboxVariables:
    """The sandbox's variables as the host reaches them: one can be taken out as text, one can be put in."""

    def __init__(self, workbench: DocumentSandbox) -> None:
        self._workbench = workbench

    def read(self, name: str) -> str | Refusal:
        """The str() of the variable; what comes out is as untrusted as everything else in the sandbox."""
        if not name.isidentifier() or keyword.iskeyword(name) or unicodedata.normalize("NFKC", name) != name:
            return Refusal(f"{name!r} is not the name of a variable.")
        result = self._workbench.run(f"print(str({name}), end='')", _refuse_queries)
        if result.error is not None:
            return Refusal(f"The variable `{name}` could not be read: {result.error.strip().splitlines()[-1]}")
        if max(result.stdout_total, len(result.stdout)) > MAX_OUTPUT_CHARS:
            return Refusal(
                f"`{name}` has {result.stdout_total:,} characters, an output at most {MAX_OUTPUT_CHARS:,}; "
                "nothing was changed."
            )
        return result.stdout

    def write(self, name: str, text: str) -> bool:
        """Make `text` a variable; False if the sandbox did not take it."""
        return self._workbench.run(f"{name} = {text!r}", _refuse_queries).error is None


def _refuse_queries(items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
    """A variable's text is read without asking any model."""
    return [QueryFailure("not now") for _ in items]
