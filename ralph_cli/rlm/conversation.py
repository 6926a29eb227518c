"""Rebuilds the exact conversation of earlier runs from their journals, so that a follow-up question can continue it."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ralph_cli.core.events import AnyEvent, CallFinished, CallStarted, SnippetRan
from ralph_cli.core.model import ModelTurn, Reply, Request, StopReason, Tool, ToolTurn, Turn, UserTurn
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.providers.metered import request_digest
from ralph_cli.providers.replaying import parse_reply
from ralph_cli.rlm.loop import MAX_TOKENS, MAX_TOKENS_LONG, list_shown
from ralph_cli.rlm.recorded import RecordedSnippet, list_snippets

MOST_CALLS = 4  # most calls in one turn whose answers can be separated

_MARK = re.compile(r"<data-([0-9a-f]{12})>")


@dataclass(frozen=True, slots=True)
class RecordedConversation:
    """The turns up to the worker's last message, their `system` prompt, and the snippets that created its variables.

    The calls of the last turn have no answer yet (`open_calls`); the next message answers them.
    """

    system: str
    turns: tuple[Turn, ...]
    open_calls: tuple[str, ...]
    snippets: tuple[RecordedSnippet, ...]

    @property
    def is_cut_off(self) -> bool:
        """Whether the last turn has code whose output was never shown."""
        last = self.turns[-1]
        calls = last.calls if isinstance(last, ModelTurn) and self.open_calls else ()
        return any((call.arguments or {}).get("code") for call in calls)

    @property
    def further_characters(self) -> int:
        """The characters of all turns after the first, which a new conversation would contain, too."""
        return Request("", "", self.turns[1:]).characters

    @property
    def shown_texts(self) -> Iterator[str]:
        """The texts that the worker was shown."""
        return list_shown(self.turns)


def rebuild_conversation(
    runs: Sequence[Sequence[AnyEvent]], agent: str, model: str, systems: Sequence[str], tool: Tool
) -> RecordedConversation | None:
    """Return the conversation that these runs had with `agent` of `model`. Each run continued the one before.

    A journal has the newest turn and the reply of each call, and the hash of the whole request. The request is rebuilt
    from these with each of the `systems` until its hash agrees. Returns None if none agrees, as for another model or
    version.
    """
    system, turns, snippets = "", tuple[Turn, ...](), list[RecordedSnippet]()
    said: _Said | None = None
    for events in runs:
        calls = [event for event in events if isinstance(event, CallStarted) and event.agent == agent]
        if not calls or any(call.model != model for call in calls):
            return None
        numbers = {call.number for call in calls}
        for event in events:
            match event:
                case CallStarted() if event.number in numbers:
                    found = _find_request(event, turns, said, systems, tool)
                    if found is None:
                        return None
                    system, turns, said = *found, None
                    if event is calls[0] and len(turns) == 1:
                        snippets = []  # the conversation began again, in a new sandbox
                case CallFinished(reply=reply) if event.number in numbers and reply is not None:
                    said = _Said(parse_reply(reply, event.usage), [])
                case SnippetRan() if said is not None:
                    said.ran.append(event)
        snippets += list_snippets(events)
    if said is None or said.reply.stop is StopReason.LENGTH:
        return RecordedConversation(system, turns, (), tuple(snippets))
    open_calls = tuple(call.id for call in said.reply.calls)
    return RecordedConversation(system, (*turns, said.reply.turn), open_calls, tuple(snippets))


@dataclass(frozen=True, slots=True)
class _Said:
    """A reply, and the snippets that ran because of it."""

    reply: Reply
    ran: list[SnippetRan]

    def answers(self, sent: str) -> Iterator[ToolTurn]:
        """Yield the possible answers to the reply's calls, if `sent` is the whole message.

        The journal does not record whether an answer was an error, nor where it ends, except for the output of code.
        """
        calls = self.reply.calls
        if not 0 < len(calls) <= MOST_CALLS:
            return
        mark = _MARK.search(sent)
        ran = iter(self.ran)
        parts = []
        for call in calls:
            snippet = next(ran, None) if mark and (call.arguments or {}).get("code") else None
            printed = re.escape(frame_data(snippet.output, mark[1])) if snippet and mark else None
            parts.append("(.*)" if printed is None else rf"({printed}(?:\n\[[^\n]*\])*)")
        found = re.fullmatch("\n".join(parts), sent, re.DOTALL)
        for errors in itertools.product((False, True), repeat=len(calls)) if found else ():
            texts = zip(calls, found.groups(), errors, strict=True) if found else ()
            yield ToolTurn(tuple((call.id, text, is_error) for call, text, is_error in texts))


def _find_request(
    call: CallStarted, turns: tuple[Turn, ...], said: _Said | None, systems: Sequence[str], tool: Tool
) -> tuple[str, tuple[Turn, ...]] | None:
    """Return the system prompt and the turns of a call's request, found by its hash; None if no candidate agrees."""
    for candidate in _possible_turns(call.sent, turns, said):
        for system in systems:
            for most in (MAX_TOKENS, MAX_TOKENS_LONG):
                if request_digest(Request(call.agent, system, candidate, (tool,), max_tokens=most)) == call.digest:
                    return system, candidate
    return None


def _possible_turns(sent: str, turns: tuple[Turn, ...], said: _Said | None) -> Iterator[tuple[Turn, ...]]:
    """Yield the turns that may have been sent with `sent` as the newest turn, after `turns` and the reply `said`."""
    if said is not None:
        turn = said.reply.turn
        for answer in said.answers(sent):
            yield (*turns, turn, answer)
        if turn.text.strip():
            yield (*turns, ModelTurn(turn.text, (), turn.raw), UserTurn(sent))
    if turns:
        yield turns  # the same request again
        yield (*turns, UserTurn(sent))
    yield (UserTurn(sent),)
