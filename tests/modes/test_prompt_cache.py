"""What a run sends again is read from the vendor's cache of prompts, which counts here as its documentation says."""

import json
import re

from fakes import FakeSandbox, document
from model_service import PromptCache

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.model import Request
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.providers.vendors.anthropic import request_body

RENT = {"text": "The base rent is $48,000 a year.", "quotes": ["a base rent of $48,000 a year"]}
VERDICT = json.dumps({"verdicts": [{"id": 1, "verdict": "supported", "reason": "It says so."}]})
LINES = [
    f"{number}. The tenant of room {number} pays {number * 7} dollars on day {number % 28}." for number in range(4_000)
]
LONG = document("\n".join(["The tenant pays a base rent of $48,000 a year.", *LINES]))
SHORT = document("\n".join(["The tenant pays a base rent of $48,000 a year.", *LINES[:200]]))


def worker_requests(about: Document, question: str, looks: list[str], settings: Settings) -> list[Request]:
    """What a worker is sent that runs these snippets and then answers."""
    replies = [*(tool_reply({"code": code}) for code in looks), tool_reply({"claims": [RENT]})]
    worker, judge = ScriptedModel(replies), ScriptedModel([text_reply(VERDICT)] * 3)
    wide = settings.model_copy(update={"max_steps": len(replies) + 1})
    result = ask(about, question, settings=wide, models={"worker": worker, "judge": judge}, engine=FakeSandbox)
    assert result.ok
    return worker.requests


def test_at_60_steps_less_than_a_fifth_of_the_input_is_paid_in_full(settings: Settings) -> None:
    looks = [f"print(context[{1_500 * step}:{1_500 * step + 1_500}])" for step in range(60)]
    cache, requests = PromptCache(), worker_requests(LONG, "What is the rent?", looks, settings)
    counts = [cache.count(request_body(request, "claude")) for request in requests]
    plain, read, written = map(sum, zip(*counts, strict=True))
    assert len(counts) == 61 and read > 500_000
    assert (plain + written) / (plain + read + written) < 0.2


def test_a_second_question_on_a_document_reads_what_the_first_has_written(settings: Settings) -> None:
    cache = PromptCache()
    first, second = (
        cache.count(request_body(worker_requests(SHORT, question, [], settings)[0], "claude"))
        for question in ("What is the rent?", "How much does the tenant pay for the hall?")
    )
    assert first[1] == 0 and second[1] > 0.8 * sum(second)


def test_marks_around_data_are_others_for_another_document_and_on_another_machine(settings: Settings) -> None:
    elsewhere = settings.model_copy(update={"cache": settings.cache_folder.with_name("other")})
    changed = document(SHORT.text.replace("room 7 ", "room 8 "))
    opened = [(SHORT, settings), (SHORT, settings), (changed, settings), (SHORT, elsewhere)]
    requests = [worker_requests(about, "What is the rent?", [], known)[0] for about, known in opened]
    marks = [max(re.findall(r"\b[0-9a-f]{12}\b", str(request.turns)), default="") for request in requests]
    assert all(marks) and marks[0] == marks[1] and len(set(marks)) == 3
