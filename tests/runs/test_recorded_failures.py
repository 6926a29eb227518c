"""The recorded failures of the original program as scripted replays: each is caught, or repaired, here.

Its committed runs all failed. What they handed in: the system prompt quoted as evidence, a straight apostrophe where
the document has a typographic one, bullets of the answer before as evidence, quotes of three characters, bullets glued
to each other. The document below is written anew, with the same traps.
"""

import json

from fakes import FakeSandbox, document, hand_in, script_models

from ralph_cli.api import ask, run_task
from ralph_cli.config import Settings
from ralph_cli.core.events import AnyEvent, DraftSubmitted
from ralph_cli.core.model import Model, Reply
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.result import Result

ROWS = {
    "A6": [
        "test_three_character_quotes_are_refused",
        "test_quotes_of_the_prompt_are_refused",
        "test_quotes_taken_from_the_previous_answer_are_refused",
    ],
    "A8": ["test_the_run_that_failed_for_one_apostrophe_passes_in_its_second_iteration"],
}

NOTES = document(
    "Notes on loops that check their work\n"
    "The outer loop makes an attempt, checks it, and hands what failed to the next attempt.\n"
    "It keeps the state in files instead of the model\u2019s short-term memory.\n"
    "Each failure becomes the next attempt\u2019s input, word for word.\n"
    "The inner loop treats the document as an environment and reads it with code.\n"
    "It saves cost, because it doesn\u2019t send the whole document again.\n",
    path="long.txt",
)
TASK = "Explain both loops and how they work together"
LOOK = {"code": "print(context)"}
OUTER = {"text": "The outer loop feeds failures back.", "quotes": ["hands what failed to the next attempt"]}
STATE = {"text": "State is kept outside.", "quotes": ["instead of the model's short-term memory"]}
INPUT = {"text": "Failures are the next input.", "quotes": ["Each failure becomes the next attempt's input"]}
COST = {"text": "It saves cost.", "quotes": ["because it doesn't send the whole document again"]}
PROMPTED = {"text": "The worker runs code.", "quotes": ["you run Python over its text and read what you print"]}
PREVIOUS = {"text": "Failures come back.", "quotes": ["The outer loop feeds failures back."]}
TINY = {"text": "There are two loops.", "quotes": ["loop"]}
GLUED = {
    "text": "- It saves resources- The loop then tries again.",
    "quotes": ["hands what failed to the next attempt"],
}


def verdicts(*said: str) -> Reply:
    rows = [{"id": n, "verdict": word, "reason": "it says too little"} for n, word in enumerate(said, 1)]
    return text_reply(json.dumps({"verdicts": rows}))


def play(settings: Settings, worker: list[Reply], judge: list[Reply]) -> tuple[Result, list[DraftSubmitted]]:
    events: list[AnyEvent] = []
    models = script_models(worker, judge)
    rlm = settings.model_copy(update={"strategy": "rlm"})
    done = ask(NOTES, TASK, settings=rlm, models=models, engine=FakeSandbox, sink=events.append)
    return done, [event for event in events if isinstance(event, DraftSubmitted)]


def test_typographic_apostrophes_are_folded_and_the_document_keeps_its_own(settings: Settings) -> None:
    done, _ = play(settings, [tool_reply(LOOK), hand_in(STATE, INPUT, COST)], [verdicts(*["supported"] * 3)])
    assert done.outcome.ok and done.outcome.iterations == 1 and done.outcome.best is not None
    for quote in done.outcome.best.attempt.quotes:
        assert "\u2019" in quote.text and quote.match == "folded" and "'" in quote.said
        assert quote.text == NOTES.text[quote.start : quote.end]


def test_the_run_that_failed_for_one_apostrophe_passes_in_its_second_iteration(settings: Settings) -> None:
    done, handed_in = play(
        settings,
        [
            hand_in(PROMPTED),  # answered at once, without a look at the document
            tool_reply(LOOK),
            hand_in(OUTER),
            hand_in(OUTER, STATE, INPUT, COST),  # this one fell for its apostrophes
        ],
        [verdicts("partly"), verdicts("partly"), verdicts(*["supported"] * 4)],
    )
    assert done.outcome.ok and done.outcome.iterations == 2
    assert "Nothing was looked at" in handed_in[0].problems[0]


def test_quotes_of_the_prompt_are_refused(settings: Settings) -> None:
    done, handed_in = play(settings, [tool_reply(LOOK), hand_in(PROMPTED), hand_in(OUTER)], [verdicts("supported")])
    assert "is not in the document" in handed_in[0].problems[0] and done.outcome.ok and done.outcome.iterations == 1


def test_quotes_taken_from_the_previous_answer_are_refused(settings: Settings) -> None:
    done, handed_in = play(
        settings,
        [tool_reply(LOOK), hand_in(OUTER), hand_in(PREVIOUS), hand_in(OUTER, STATE)],
        [verdicts("partly"), verdicts("partly"), verdicts("supported", "supported")],
    )
    assert handed_in[1].problems and "is not in the document" in handed_in[1].problems[0]
    assert done.outcome.ok and done.outcome.iterations == 2  # it got better, not worse


def test_three_character_quotes_are_refused(settings: Settings) -> None:
    tiny = [{**TINY, "quotes": [quote]} for quote in ("loop", "RLM", "the")]
    done, handed_in = play(
        settings,
        [tool_reply(LOOK), *(hand_in(claim) for claim in tiny), hand_in(OUTER)],
        [verdicts("supported")],
    )  # fmt: skip
    assert all("is too short" in event.problems[0] for event in handed_in[:3]) and done.outcome.ok


def test_glued_bullets_are_refused(settings: Settings) -> None:
    done, handed_in = play(settings, [tool_reply(LOOK), hand_in(GLUED), hand_in(OUTER)], [verdicts("supported")])
    assert "two items of a list stand on one line" in handed_in[0].problems[0] and done.outcome.ok


def test_all_of_them_in_one_task(settings: Settings) -> None:
    def result(output: str) -> Reply:
        note = "Both loops are described in the notes."
        return text_reply(json.dumps({"output": output, "memory_update": note}))

    bad = "- It saves resources- The loop then says “the model's long-term memory”.\n- 24 attempts are made."
    good = "The outer loop “hands what failed to the next attempt”; state is not in “the model's short-term memory”."
    worker = [
        hand_in(PROMPTED),
        tool_reply(LOOK),
        hand_in(PROMPTED, TINY),
        hand_in(PROMPTED),
        hand_in(OUTER, STATE),
        result(bad),
        tool_reply({"not_found": {"searched": ["24", "long-term memory"]}}),
        result(good),
    ]
    judge = ScriptedModel([text_reply('{"ok": true, "issues": []}')], vendor="b")
    models: dict[str, Model] = {
        "worker": ScriptedModel(worker, vendor="a"),
        "judge": judge,
        "subquery": ScriptedModel([]),
    }
    events: list[AnyEvent] = []
    rlm = settings.model_copy(update={"strategy": "rlm"})
    done = run_task(NOTES, TASK, settings=rlm, models=models, engine=FakeSandbox, sink=events.append)
    assert done.outcome.ok and done.outcome.iterations == 2 and len(judge.requests) == 1
    refused = [event.problems for event in events if isinstance(event, DraftSubmitted) and event.problems]
    assert [len(problems) >= 1 for problems in refused] == [True, True, True]
    first = next(event.step for event in events if event.kind == "step_finished")
    messages = " / ".join(issue.line for issue in first.issues)
    assert "two items of a list" in messages and "long-term memory" in messages and "the figure 24" in messages
