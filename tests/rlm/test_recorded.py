"""What earlier runs have recorded is given to whom it belongs: the worker's own code, or one of its children."""

from ralph_cli.core.events import CallFinished, CallStarted, SnippetRan
from ralph_cli.core.model import Usage
from ralph_cli.rlm.recorded import RecordedSnippet, take_branch


def call(number: int, sent: str, branch: str, text: str) -> tuple[CallStarted, CallFinished]:
    reply = {"text": text, "calls": [], "stop": "end", "model": "m", "raw": None}
    started = CallStarted(number, "subquery", "m", 1, "d", sent, 1, branch)
    return started, CallFinished(number, "subquery", "m", Usage(calls=1), 0.0, reply)


def test_answers_of_a_child_are_not_taken_for_those_of_the_code_that_asked_it() -> None:
    calls = (*call(1, "ours", "", "ours was this"), *call(2, "the child's", "1", "the child's was this"))
    snippet = RecordedSnippet("", SnippetRan(1, 1, "code", "", False, False, 0.1, 1), calls, ())
    assert snippet.answers().take("ours", 1) == "ours was this"
    assert snippet.answers().take("the child's", 2) is None


def test_a_branch_has_no_calls_of_one_whose_number_begins_like_its_own() -> None:
    own, tenth, below = call(1, "a", "1", ""), call(2, "b", "10", ""), call(3, "c", "1.1", "")
    assert take_branch([*own, *tenth, *below], "1") == [*own, *below]
