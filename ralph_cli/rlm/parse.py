"""What a model said, parsed into closed types at the border. Pure; never raises on what a model wrote."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from ralph_cli.core.model import Tool, ToolCall
from ralph_cli.core.prompts.json_reply import describe_validation_error
from ralph_cli.core.run import Absence, Draft, DraftClaim

ACT_TOOL = Tool(
    name="act",
    description=(
        "Do exactly one thing: run Python (`code`), hand in the answer (`claims`), or hand in that the answer is not "
        "in the document (`not_found`)."
    ),
    schema={
        "type": "object",
        "properties": {
            "code": {"type": "string", "description": "Python to run; what it prints comes back"},
            "claims": {
                "type": "array",
                "description": "the answer: statements, each with the words of the document that prove it",
                "items": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string", "description": "one statement, in your words"},
                        "quotes": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "verbatim words of the document that prove the statement",
                        },
                        "calculations": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "for each computed figure: the computation over quoted figures = its result",
                        },
                    },
                    "required": ["text", "quotes"],
                    "additionalProperties": False,
                },
            },
            "not_found": {
                "type": "object",
                "properties": {
                    "searched": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "the words and figures looked for",
                    },
                    "note": {"type": "string", "description": "what the document has instead, if anything"},
                },
                "required": ["searched"],
                "additionalProperties": False,
            },
        },
        "additionalProperties": False,
    },
)
"""The one tool of a worker."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """The model wants this Python run."""

    code: str


@dataclass(frozen=True, slots=True)
class MalformedCall:
    """What the model did cannot be carried out; `reason` tells it why and what to do."""

    reason: str


class _Claim(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    text: str
    quotes: list[str]
    calculations: list[str] | None = None


class _NotFound(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    searched: list[str]
    note: str | None = None


class _Act(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    code: str | None = None
    claims: list[_Claim] | None = None
    not_found: _NotFound | None = None


def parse_call(call: ToolCall) -> Snippet | Draft | MalformedCall:
    """The meaning of one tool call."""
    if call.name != ACT_TOOL.name:
        return MalformedCall(f"There is no tool {call.name!r}; the only tool is `act`.")
    if call.arguments is None:
        return MalformedCall("The arguments of `act` were not a JSON object; call it again.")
    try:
        act = _Act.model_validate(call.arguments)
    except ValidationError as error:
        return MalformedCall(f"`act` was not understood: {describe_validation_error(error)}.")
    given = [name for name in ("code", "claims", "not_found") if getattr(act, name) is not None]
    if len(given) != 1:
        what = "nothing was given" if not given else f"{' and '.join(given)} were given together"
        return MalformedCall(f"`act` takes exactly one of code, claims, not_found; {what}.")
    if act.code is not None:
        return Snippet(act.code) if act.code.strip() else MalformedCall("`code` is empty; write Python that prints.")
    if act.claims is not None:
        return Draft(
            claims=tuple(
                DraftClaim(claim.text, tuple(claim.quotes), tuple(claim.calculations or ())) for claim in act.claims
            )
        )
    assert act.not_found is not None
    return Draft(absence=Absence(tuple(act.not_found.searched), act.not_found.note or ""))
