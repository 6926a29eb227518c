"""Events as they are read from a record: of the right shape, their parts fit, their free fields hold what is read."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent, Event, RunStarted, StepFinished
from ralph_cli.core.run import Attempt

EVENT: TypeAdapter[AnyEvent] = TypeAdapter(Event)
"""Events from plain values and back."""

MAX_FAULT_CHARS = 160
"""Characters of a fault that are told: it may repeat what somebody wrote into a record."""

_TEXT_FIELDS = ("id", "sha256", "fingerprint", "path", "kind", "reader")
_COUNT_FIELDS = ("pages", "characters")


def parse_event(text: str | bytes, name: str, form: str, code: str) -> AnyEvent:
    """The event that is written as JSON; JournalError with `code` if what is called `name` has not that `form`."""
    try:
        event = EVENT.validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        what = " ".join(fault["msg"].split())
        if fault["type"] == "union_tag_invalid":
            what = f"of a kind that this ralph does not know: {fault['ctx']['tag']!r}"
        what = what if len(what) <= MAX_FAULT_CHARS else what[:MAX_FAULT_CHARS] + "..."
        raise JournalError(f"{name} is not {form} ({what})", code=code) from error
    if inconsistency := find_inconsistency(event):
        raise JournalError(f"{name} is inconsistent: {inconsistency}", code=code)
    return event


def find_inconsistency(event: AnyEvent) -> str:
    """Why an event that has the right shape cannot have been written by a run; empty if it can."""
    match event:
        case RunStarted(document=document, settings=settings):
            return _check_document(document) or _check_settings(settings)
        case StepFinished(step=step):
            return _check_attempt(step.attempt)
        case _:
            return ""


def _check_document(document: Mapping[str, Any]) -> str:
    for name in _TEXT_FIELDS:
        if not isinstance(document.get(name, ""), str):
            return f"the document's {name} is not text"
    for name in _COUNT_FIELDS:
        count = document.get(name, 1)
        if type(count) is not int or not 0 <= count < 1 << 40:
            return f"the document's {name} is not a count"
    pages = document.get("unreadable", [])
    if not isinstance(pages, list) or not all(type(page) is int and 0 < page < 1 << 40 for page in pages):
        return "the document's unreadable is not a list of pages"
    return ""


def _check_settings(settings: Mapping[str, Any]) -> str:
    models = settings.get("models", {})
    if not isinstance(models, dict) or not all(isinstance(name, str) for name in models.values()):
        return "the models have no names"
    return ""


def _check_attempt(attempt: Attempt) -> str:
    ids = [quote.id for quote in attempt.quotes]
    if len(set(ids)) != len(ids):
        return "two quotes have one number"
    for quote in attempt.quotes:
        if not 0 <= quote.start < quote.end < 1 << 40:
            return f"quote {quote.id} has no place"
    for claim in attempt.claims:
        missing = set(claim.quotes) - set(ids)
        if missing:
            return f"claim {claim.id} refers to quote {min(missing)}, which is not there"
    return ""
