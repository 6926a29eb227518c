"""Events as they are read from a record: of the right shape, their parts fit, their free fields hold what is read."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ralph_cli.core import events
from ralph_cli.core.coverage import Spans
from ralph_cli.core.errors import JournalError
from ralph_cli.core.model import Json, StopReason, ToolCall
from ralph_cli.core.run import Attempt
from ralph_cli.core.structure import PAGE_BREAK

EVENT: TypeAdapter[events.AnyEvent] = TypeAdapter(events.Event)
"""Events from plain values and back."""

MAX_FAULT_CHARS = 160
"""Characters of a fault that are told: it may repeat what somebody wrote into a record."""

_BRANCH = re.compile(r"[1-9]\d{0,5}(?:\.[1-9]\d{0,5}){0,5}", re.ASCII)
_TEXT_FIELDS = ("id", "name", "sha256", "fingerprint", "path", "kind", "reader")
_COUNT_FIELDS = ("pages", "characters", "first_page", "start")
_TEXTS_FIELDS = ("cautions", "skipped", "inner")


def parse_event(text: str | bytes, name: str, form: str, code: str) -> events.AnyEvent:
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


def find_inconsistency(event: events.AnyEvent) -> str:
    """Why an event that has the right shape cannot have been written by a run; empty if it can."""
    match event:
        case events.RunStarted(document=document, settings=settings, follows=follows):
            return _check_document(document) or _check_settings(settings) or _check_follows(follows)
        case events.StepFinished(step=step):
            return _check_attempt(step.attempt)
        case events.CallFinished(reply=reply) if reply is not None:
            return _check_reply(reply)
        case events.SnippetRan():
            counts = (event.iteration, event.step, event.queries, *event.pages)
            fits = all(map(_is_count, counts)) and 0 <= event.seconds < 1 << 40
            return "" if fits else "a number of it is no count"
        case events.CoverageAdded(spans=spans):
            return "" if _are_places(spans) else "a span of it has no place"
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
    """Why nothing was described so, neither a document nor a set of them; empty if it can have been."""
    if "documents" not in document:
        return _check_fields(document)
    members = document["documents"]
    if not isinstance(members, list) or not members or not all(isinstance(member, dict) for member in members):
        return "the documents of the set are not described"
    faults = (_check_fields(record) for record in (document, *members))
    return next(filter(None, faults), "") or _check_order(document, members)


def _check_order(document: Mapping[str, Any], members: Sequence[Mapping[str, Any]]) -> str:
    """Why these are not the documents of a set, one behind the other with a page break between them."""
    if len({member.get("name") for member in members}) < len(members):
        return "two documents of the set have one name"
    start, page = 0, 1
    for member in members:
        if not {*_COUNT_FIELDS} <= member.keys() or (member["start"], member["first_page"]) != (start, page):
            return "a document of the set is not behind the one before"
        start += member["characters"] + len(PAGE_BREAK)
        page += member["pages"]
    whole = start - len(PAGE_BREAK), page - 1
    fits = (document.get("characters"), document.get("pages")) == whole
    return "" if fits else "the documents of the set are not all of it"


def _check_fields(document: Mapping[str, Any]) -> str:
    for name in _TEXT_FIELDS:
        if not isinstance(document.get(name, ""), str):
            return f"the document's {name} is not text"
    for name in _COUNT_FIELDS:
        if not _is_count(document.get(name, 1)):
            return f"the document's {name} is not a count"
    for name in ("unreadable", "page_starts"):
        numbers = document.get(name, [])
        if not isinstance(numbers, list) or not all(map(_is_count, numbers)):
            return f"the document's {name} is not a list of numbers"
    for name in _TEXTS_FIELDS:
        texts = document.get(name, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return f"the document's {name} is not a list of texts"
    if not isinstance(document.get("encoding") or "", str):
        return "the document's encoding is not a name"
    ocr = document.get("ocr", {})
    if not isinstance(ocr, dict) or not all(isinstance(value, str) for value in ocr.values()):
        return "the document's ocr does not say how it was read"
    return ""


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 40


def _are_places(spans: Spans) -> bool:
    return all(_is_count(end) and 0 <= start < end for start, end in spans)


def _check_reply(reply: Json) -> str:
    """Why a reply cannot be given once more; empty if it can."""
    fault = "its reply is not one of a model"
    try:
        calls, stop = [ToolCall(**call) for call in reply["calls"]], StopReason(reply["stop"])
        texts = [
            reply["text"],
            reply["model"],
            *(part for call in calls for part in (call.id, call.name, call.malformed)),
        ]
    except (KeyError, TypeError, ValueError):
        return fault
    fits = all(isinstance(text, str) for text in texts) and "raw" in reply and stop in StopReason
    return "" if fits and all(isinstance(call.arguments, dict | None) for call in calls) else fault


def _check_settings(settings: Mapping[str, Any]) -> str:
    models = settings.get("models", {})
    if not isinstance(models, dict) or not all(isinstance(name, str) for name in models.values()):
        return "the models have no names"
    panel = settings.get("panel") or []
    if not isinstance(panel, list | str) or not all(isinstance(name, str) for name in panel):
        return "the panel has no names"
    return ""


def _check_follows(follows: Mapping[str, Any]) -> str:
    named, questions = [follows.get(name) for name in ("run", "chain")], follows.get("questions")
    listed = isinstance(questions, list) and questions and all(isinstance(asked, str) for asked in questions)
    is_described = listed and all(isinstance(name, str) for name in named)
    return "" if not follows or is_described else "the run that it follows is not described"


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
