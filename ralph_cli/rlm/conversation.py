"""The conversation of runs before, made again to the letter from their journals, so that a further question goes on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ralph_cli.core.events import AnyEvent, CallFinished, CallStarted
from ralph_cli.core.model import ModelTurn, Reply, Request, StopReason, Tool, ToolTurn, Turn, UserTurn
from ralph_cli.providers.metered import request_digest
from ralph_cli.providers.replaying import parse_reply
from ralph_cli.rlm.loop import MAX_TOKENS, MAX_TOKENS_LONG
from ralph_cli.rlm.recorded import RecordedSnippet, list_snippets


@dataclass(frozen=True, slots=True)
class RecordedConversation:
    """The turns up to the worker's last word, by what `system` prompt, and the snippets whose variables it has.

    The calls of its last turn have no answer yet (`open_calls`): what it is told next answers them.
    """

    system: str
    turns: tuple[Turn, ...]
    open_calls: tuple[str, ...]
    snippets: tuple[RecordedSnippet, ...]

    @property
    def further_characters(self) -> int:
        """Characters of what was said behind the first turn, which a new conversation would have, too."""
        return Request("", "", self.turns[1:]).characters

    @property
    def shown_texts(self) -> Iterator[str]:
        """What the worker was told."""
        for turn in self.turns:
            match turn:
                case UserTurn(text):
                    yield text
                case ToolTurn(results):
                    yield from (text for _, text, _ in results)


def rebuild_conversation(
    runs: Sequence[Sequence[AnyEvent]], agent: str, model: str, systems: Sequence[str], tool: Tool
) -> RecordedConversation | None:
    """The conversation that these runs, each of which went on from the one before, had with `agent` of `model`.

    A journal has the newest turn and the reply of each call, and the hash of the whole request: what is put together
    from those has that hash, with one of the `systems`. None if it has not: of another model, or of another version.
    """
    system, turns, snippets = "", tuple[Turn, ...](), list[RecordedSnippet]()
    reply: Reply | None = None
    for events in runs:
        ended = {event.number: event for event in events if isinstance(event, CallFinished)}
        calls = [event for event in events if isinstance(event, CallStarted) and event.agent == agent]
        if not calls or any(call.model != model for call in calls):
            return None
        for call in calls:
            found = _find_request(call, turns, reply, systems, tool)
            if found is None:
                return None
            system, turns = found
            if call is calls[0] and len(turns) == 1:
                snippets = []  # it began anew, in a sandbox of its own
            finished = ended.get(call.number)
            reply = None
            if finished is not None and finished.reply is not None:
                reply = parse_reply(finished.reply, finished.usage)
        snippets += list_snippets(events)
    if reply is None or reply.stop is StopReason.LENGTH:
        return RecordedConversation(system, turns, (), tuple(snippets))
    return RecordedConversation(system, (*turns, reply.turn), tuple(call.id for call in reply.calls), tuple(snippets))


def _find_request(
    call: CallStarted, turns: tuple[Turn, ...], reply: Reply | None, systems: Sequence[str], tool: Tool
) -> tuple[str, tuple[Turn, ...]] | None:
    """The system prompt and the turns that were sent with a call, as its hash tells."""
    for candidate in _possible_turns(call.sent, turns, reply):
        for system in systems:
            for most in (MAX_TOKENS, MAX_TOKENS_LONG):
                if request_digest(Request(call.agent, system, candidate, (tool,), max_tokens=most)) == call.digest:
                    return system, candidate
    return None


def _possible_turns(sent: str, turns: tuple[Turn, ...], reply: Reply | None) -> Iterator[tuple[Turn, ...]]:
    """What may have been sent when `sent` was the newest turn, behind these turns and the reply to them."""
    if turns:
        yield turns  # asked again
    if reply is not None and len(reply.calls) == 1:
        for is_error in (False, True):
            yield (*turns, reply.turn, ToolTurn(((reply.calls[0].id, sent, is_error),)))
    said = reply.turn if reply is not None else None
    if said is not None and said.text.strip():
        yield (*turns, ModelTurn(said.text, (), said.raw), UserTurn(sent))
    yield (*turns, UserTurn(sent))
    yield (UserTurn(sent),)
