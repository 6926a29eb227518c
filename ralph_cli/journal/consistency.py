"""Reads events from a record: checks their shape, that their parts fit, and the free fields that ralph reads."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from ralph_cli.core import events
from ralph_cli.core.coverage import Spans
from ralph_cli.core.errors import JournalError
from ralph_cli.core.model import Json, StopReason, ToolCall
from ralph_cli.core.run import Attempt
from ralph_cli.core.structure import PAGE_BREAK

# Converts events to plain values and back.
EVENT: TypeAdapter[events.AnyEvent] = TypeAdapter(events.Event)

# Characters shown of a fault: it may repeat text that somebody wrote into a record.
MAX_FAULT_CHARS = 160

Count = Annotated[int, Field(strict=True, ge=0, lt=1 << 40)]


class _DocumentRecord(BaseModel):
    """The fields that ralph reads of what a run recorded of its document, or of one document of a set."""

    id: str = ""
    name: str = ""
    sha256: str = ""
    fingerprint: str = ""
    path: str = ""
    kind: str = ""
    reader: str = ""
    encoding: str | None = None
    inner: list[str] = []
    pages: Count = 1
    first_page: Count = 1
    start: Count = 0
    characters: Count = 0
    page_starts: list[Count] = []
    unreadable: list[Count] = []
    cautions: list[str] = []
    skipped: list[str] = []
    ocr: dict[str, str] = {}


class _SettingsRecord(BaseModel):
    """The fields that ralph reads of recorded settings without parsing them as settings."""

    models: dict[str, str] = {}
    panel: list[str] | str | None = None


class _FollowsRecord(BaseModel):
    """What a run recorded of the run that its question follows on."""

    run: str
    chain: str
    questions: Annotated[list[str], Field(min_length=1)]


# The branch of a child worker: "2.1" is a child of "2".
_BRANCH = re.compile(r"[1-9]\d{0,5}(?:\.[1-9]\d{0,5}){0,5}", re.ASCII)


def parse_event(text: str | bytes, name: str, form: str, code: str) -> events.AnyEvent:
    """The event in a JSON text; JournalError with `code` if the text called `name` does not have this `form`."""
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


def find_inconsistency(event: events.AnyEvent) -> str:
    """The reason why no run can have written an event of the right shape; empty if one can."""
    match event:
        case events.RunStarted(document=document, settings=settings, follows=follows):
            faults = _check_document(document) or _check_fields("settings", _SettingsRecord, settings)
            return faults or (_check_fields("earlier run", _FollowsRecord, follows) if follows else "")
        case events.StepFinished(step=step):
            return _check_attempt(step.attempt)
        case events.CallFinished(reply=reply) if reply is not None:
            return _check_reply(reply)
        case events.SnippetRan():
            counts = (event.iteration, event.step, event.queries, *event.pages)
            fits = all(map(_is_count, counts)) and 0 <= event.seconds < 1 << 40
            return "" if fits else "one of its numbers is not a count"
        case events.CoverageAdded(spans=spans):
            return "" if _are_places(spans) else "one of its spans has no place"
        case events.SubqueriesAsked(tally=tally):
            counts = tally.asked, tally.refused, tally.asked - len(tally.lost)
            fits = all(map(_is_count, counts)) and all(_are_places(item.spans) for item in tally.lost)
            return "" if fits else "its sub-queries are not counted"
        case events.ChildStarted() | events.ChildWorked() | events.ChildFinished():
            return _check_child(event)
        case _:
            return ""


def _check_child(event: events.ChildEvent) -> str:
    """Why an event of a child worker cannot have been; empty if it can."""
    if not _BRANCH.fullmatch(event.branch):
        return "its branch is none"
    match event:
        case events.ChildStarted(iteration=iteration, start=start, end=end, characters=characters):
            return "" if all(map(_is_count, (iteration, start, end, characters))) else "a number of it is no count"
        case events.ChildWorked(event=done):
            return find_inconsistency(done)
        case events.ChildFinished(answer=answer, seconds=seconds):
            try:
                is_answer = not answer or isinstance(json.loads(answer)["findings"], list)
            except (ValueError, TypeError, LookupError, RecursionError):
                is_answer = False
            return "" if is_answer and 0 <= seconds < 1 << 40 else "its answer is none"


def _check_document(document: Mapping[str, Any]) -> str:
    """The reason why this cannot describe a document or a set of documents; empty if it can."""
    if "documents" not in document:
        return _check_fields("document", _DocumentRecord, document)
    members = document["documents"]
    if not isinstance(members, list) or not members or not all(isinstance(member, dict) for member in members):
        return "the documents of the set are not described"
    faults = (_check_fields("document", _DocumentRecord, record) for record in (document, *members))
    return next(filter(None, faults), "") or _check_order(document, members)


def _check_order(document: Mapping[str, Any], members: Sequence[Mapping[str, Any]]) -> str:
    """The reason why these are not all documents of a set in order, with page breaks between; empty if they are."""
    if len({member.get("name") for member in members}) < len(members):
        return "two documents of the set have one name"
    start, page = 0, 1
    for member in members:
        if not {"pages", "characters", "first_page", "start"} <= member.keys() or (
            member["start"],
            member["first_page"],
        ) != (start, page):
            return "a document of the set is not behind the one before"
        start += member["characters"] + len(PAGE_BREAK)
        page += member["pages"]
    whole = start - len(PAGE_BREAK), page - 1
    fits = (document.get("characters"), document.get("pages")) == whole
    return "" if fits else "the documents of the set are not all of it"


def _check_fields(what: str, model: type[BaseModel], values: Mapping[str, Any]) -> str:
    try:
        model.model_validate(values)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        return f"{what}: {'.'.join(map(str, fault['loc']))} cannot be used ({fault['msg']})"
    return ""


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 40


def _are_places(spans: Spans) -> bool:
    return all(_is_count(end) and 0 <= start < end for start, end in spans)


def _check_reply(reply: Json) -> str:
    """The reason why a reply cannot be replayed; empty if it can."""
    fault = "its reply is not one of a model"
    try:
        calls, stop = [ToolCall(**call) for call in reply["calls"]], StopReason(reply["stop"])
        texts = [reply["text"], reply["model"]]
        texts += [part for call in calls for part in (call.id, call.name, call.malformed)]
    except (KeyError, TypeError, ValueError):
        return fault
    fits = all(isinstance(text, str) for text in texts) and "raw" in reply and stop in StopReason
    return "" if fits and all(isinstance(call.arguments, dict | None) for call in calls) else fault


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
