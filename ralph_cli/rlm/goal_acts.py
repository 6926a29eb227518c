"""The acts of a goal's worker and their parsing, which never raises an error because of a model's output."""

import keyword
import unicodedata
from dataclasses import dataclass

from ralph_cli.core.model import Tool, ToolCall
from ralph_cli.core.prompts.json_reply import StrictObject
from ralph_cli.core.prompts.json_schema import object_schema, string
from ralph_cli.rlm.bridge import DocumentSandbox, refuse_queries
from ralph_cli.rlm.parse import MalformedCall, Snippet, parse_act

MAX_OUTPUT_CHARS = 200_000  # characters of an output

NUDGE = (
    "Use the tool `act`: run Python with `code`, set the output with `output` or `output_from`, run the verifiers with "
    '`verify`, and say "<promise>DONE</promise>" with `say` when they have passed.'
)

# The one tool of a goal's worker.
GOAL_ACT = Tool(
    name="act",
    description=(
        "Do exactly one thing: run Python (`code`), set the whole output (`output`, or `output_from` a variable), run "
        "the user's verifiers on it (`verify`), say something (`say`), or say why you cannot go on (`blocked`)."
    ),
    schema=object_schema(
        (),
        code=string("Python to run; what it prints comes back"),
        output=string("the new whole text of the output"),
        output_from=string("name of a sandbox variable; its str() becomes the new whole output"),
        verify={"type": "boolean", "description": "true: run the user's verifiers on the output as it stands"},
        say=string("a note that is kept, or <promise>DONE</promise> once the verifiers have passed"),
        blocked=string("why the objective cannot be reached"),
    ),
)


@dataclass(frozen=True, slots=True)
class SetOutput:
    """The worker sets the whole output."""

    call: str
    text: str


@dataclass(frozen=True, slots=True)
class OutputFromVariable:
    """The worker sets the output to the text of a sandbox variable."""

    call: str
    name: str


@dataclass(frozen=True, slots=True)
class Verify:
    """The worker asks to run the verifiers on the current output."""

    call: str


@dataclass(frozen=True, slots=True)
class Say:
    """The worker says something. A completion marker in it means that the worker wants to finish."""

    call: str
    text: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The worker says why it cannot continue."""

    call: str
    reason: str


Act = Snippet | SetOutput | OutputFromVariable | Verify | Say | GiveUp


class _Act(StrictObject):
    code: str | None = None
    output: str | None = None
    output_from: str | None = None
    verify: bool | None = None
    say: str | None = None
    blocked: str | None = None


def parse_goal_call(call: ToolCall) -> Act | MalformedCall:
    """Parse one tool call. An empty text and `verify: false` count as not given."""
    given = parse_act(call, _Act, lambda value: value is True or (isinstance(value, str) and bool(value.strip())))
    if isinstance(given, MalformedCall):
        return given
    match given[1:]:
        case "code", code:
            return Snippet(code)
        case "output", text:
            return SetOutput(call.id, text)
        case "output_from", name:
            return OutputFromVariable(call.id, name.strip())
        case "verify", _:
            return Verify(call.id)
        case "say", text:
            return Say(call.id, text)
        case _, reason:
            return GiveUp(call.id, " ".join(reason.split()))


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why there is no text, phrased for the worker."""

    reason: str


def read_variable(workbench: DocumentSandbox, name: str) -> str | Refusal:
    """Return the str() of a sandbox variable. The text is as untrusted as everything from the sandbox."""
    if not name.isidentifier() or keyword.iskeyword(name) or unicodedata.normalize("NFKC", name) != name:
        return Refusal(f"{name!r} is not the name of a variable.")
    result = workbench.run(f"print(str({name}), end='')", refuse_queries)
    if result.error is not None:
        return Refusal(f"The variable `{name}` could not be read: {result.error.strip().splitlines()[-1]}")
    if max(result.stdout_total, len(result.stdout)) > MAX_OUTPUT_CHARS:
        sizes = f"{result.stdout_total:,} characters, an output at most {MAX_OUTPUT_CHARS:,}"
        return Refusal(f"`{name}` has {sizes}; nothing was changed.")
    return result.stdout
