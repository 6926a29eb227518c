"""The doubts of code in a request to a judge, and the answers that the judge must give. Pure."""

from collections.abc import Sequence

from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject
from ralph_cli.core.prompts.json_schema import array, object_schema, string
from ralph_cli.core.run import Doubt

# The `doubts` of a reply: one entry for each doubt that was shown.
ANSWERS_SCHEMA = array(object_schema(id={"type": "integer"}, proved={"type": "boolean"}, reason=string()))


class DoubtAnswer(StrictObject):
    """A judge's answer to one doubt: whether the doubted words are proved nevertheless, and by what."""

    id: int
    proved: bool
    reason: str


def render_doubts(what: str, doubts: Sequence[Doubt], because: str, nonce: str) -> str:
    """The doubts about a claim or an output, numbered from 1, with the worker's reason; empty without doubts."""
    if not doubts:
        return ""
    listed = [f"{number}. {_named(doubt)}" for number, doubt in enumerate(doubts, 1)]
    lines = [
        f"Code could not confirm all of {what}. What it doubts, for you to settle:",
        frame_data("\n".join(listed), nonce),
    ]
    if because and any(doubt.kind == "objection" for doubt in doubts):
        lines += [
            f"The worker was told of the objection and stands by {what}. Its reason is its word and proves nothing:",
            frame_data(because, nonce),
        ]
    return "\n".join(lines)


def _named(doubt: Doubt) -> str:
    """A doubt's kind, its words and its message, without repeating the words."""
    kind = {"objection": "objection to", "open": "open question on"}[doubt.kind]
    words = f'"{doubt.words}": '
    return f"{kind} {words}{doubt.message.removeprefix(words)}"


def check_answers(what: str, answers: Sequence[DoubtAnswer], doubts: Sequence[Doubt], *, stands: bool) -> None:
    """Raise ValueError unless each doubt is answered once, with a reason, and all are proved if the claim `stands`."""
    numbers = list(range(1, len(doubts) + 1))
    if sorted(answer.id for answer in answers) != numbers:
        raise ValueError(f"the verdict on {what} must answer its doubts {numbers}, once each")
    if any(not answer.reason.strip() for answer in answers):
        raise ValueError(f"a doubt on {what} is answered without a reason")
    if stands and (left := [answer.id for answer in answers if not answer.proved]):
        raise ValueError(f"{what} cannot stand: what doubt {left[0]} is about is not proved")


def join_answers(reason: str, answers: Sequence[DoubtAnswer], doubts: Sequence[Doubt]) -> str:
    """The reason of a verdict with the answer to each doubt."""
    said = {answer.id: " ".join(answer.reason.split()) for answer in answers}
    parts = (reason, *(f'On "{doubt.words}": {said[number]}' for number, doubt in enumerate(doubts, 1)))
    return " ".join(part if part.endswith((".", "!", "?")) or not doubts else f"{part}." for part in parts)
