"""Parses the output of a model into closed types.

The functions are pure and never raise an error because of that output.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ralph_cli.core.model import Tool, ToolCall
from ralph_cli.core.prompts.json_reply import StrictObject, describe_validation_error
from ralph_cli.core.prompts.json_schema import array, integer, object_schema, string
from ralph_cli.core.run import Absence, Completeness, Draft, DraftClaim

_CLAIM_SCHEMA = object_schema(
    ("text",),
    text=string(),
    quotes=array(string(), "verbatim"),
    calculations=array(string()),
    page=integer("of the quotes, if their words stand on several"),
    because=string("after an objection: why the claim is right"),
    searched=array(string(), "in vain"),
)
_SEARCHED = array(string(), "words and figures")
_ACT_FIELDS = {
    "code": string("Python"),
    "claims": array(_CLAIM_SCHEMA),
    "not_found": object_schema(("searched",), searched=_SEARCHED, note=string("what there is instead")),
}
_COMPLETE_SCHEMA = object_schema(
    (),
    closed_by=string("words of the document that close the list"),
    terms=array(string(), "words at whose places in the text all instances stand, each place read"),
    pages=string("pages that were all read, such as 12-18, or all"),
    sections=array(string(), "headings of parts that were all read"),
)
_ONE_THING = "Exactly one thing: `code` to run, `claims` ({}), or `not_found` (the document does not say)."
# The one tool of a worker who answers a question.
ACT_TOOL = Tool("act", _ONE_THING.format("the answer"), object_schema((), **_ACT_FIELDS))

# The one tool of a worker who reads for a task.
READ_TOOL = Tool(
    "act",
    _ONE_THING.format("the brief") + " Beside `claims`, `complete` may say how you know that nothing is missing.",
    object_schema((), **_ACT_FIELDS, complete=_COMPLETE_SCHEMA),
)


@dataclass(frozen=True, slots=True)
class Snippet:
    """The model asks to run this Python code."""

    code: str


@dataclass(frozen=True, slots=True)
class MalformedCall:
    """A call that cannot be carried out. `reason` tells the model why, and what to do."""

    reason: str


class _Claim(StrictObject):
    text: str
    quotes: list[str] | None = None
    calculations: list[str] | None = None
    page: int | None = None
    because: str | None = None
    searched: list[str] | None = None

    def as_draft(self) -> DraftClaim:
        quotes, calculations, searched = self.quotes or (), self.calculations or (), self.searched or ()
        because, page = self.because or "", self.page or 0
        return DraftClaim(self.text, tuple(quotes), tuple(calculations), because, tuple(searched), page)


class _NotFound(StrictObject):
    searched: list[str]
    note: str | None = None


class _Complete(StrictObject):
    closed_by: str | None = None
    terms: list[str] | None = None
    pages: str | None = None
    sections: list[str] | None = None


class _Act(StrictObject):
    code: str | None = None
    claims: list[_Claim] | None = None
    not_found: _NotFound | None = None
    complete: _Complete | None = None


Act = TypeVar("Act", bound=BaseModel)


def parse_act(
    call: ToolCall, shape: type[Act], is_given: Callable[[Any], bool], beside: Collection[str] = ()
) -> tuple[Act, str, Any] | MalformedCall:
    """Parse a call of `act` into its arguments and the name and value of its one main field.

    The fields in `beside` may be given in addition. Returns a MalformedCall unless exactly one main field is given.
    """
    if call.name != ACT_TOOL.name:
        return MalformedCall(f"There is no tool {call.name!r}; the only tool is `act`.")
    if call.arguments is None:
        return MalformedCall("The arguments of `act` were not a JSON object; call it again.")
    try:
        act = shape.model_validate(call.arguments)
    except ValidationError as error:
        return MalformedCall(f"`act` was not understood: {describe_validation_error(error)}.")
    given = [(name, value) for name, value in act if name not in beside and is_given(value)]
    if len(given) == 1:
        return (act, *given[0])
    fields = ", ".join(name for name in shape.model_fields if name not in beside)
    what = f"{' and '.join(name for name, _ in given)} were given together" if given else "nothing was given"
    return MalformedCall(f"`act` takes exactly one of {fields}; {what}.")


def parse_call(call: ToolCall) -> Snippet | Draft | MalformedCall:
    """Parse one tool call of a worker."""
    given = parse_act(call, _Act, lambda value: value is not None, beside=("complete",))
    if isinstance(given, MalformedCall):
        return given
    act, name, value = given
    match name, value:
        case "code", code:
            return Snippet(code) if code.strip() else MalformedCall("`code` is empty; write Python that prints.")
        case "claims", claims:
            return Draft(tuple(claim.as_draft() for claim in claims), completeness=_completeness(act.complete))
        case _, not_found:
            return Draft(absence=Absence(tuple(not_found.searched), not_found.note or ""))


def _completeness(said: _Complete | None) -> Completeness | None:
    if said is None:
        return None
    terms, sections = tuple(said.terms or ()), tuple(said.sections or ())
    return Completeness(said.closed_by or "", terms, said.pages or "", sections)
