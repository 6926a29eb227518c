"""Decide after a refusal whether a worker's conversation continues, or starts again from a compact prompt."""

from typing import Literal

from ralph_cli.checks.base import rate_step
from ralph_cli.loop.state import LoopState

Retry = Literal["continue", "fresh", "auto"]

# The characters of a conversation above which "auto" starts a new one.
MAX_CONVERSATION_CHARS = 100_000


def needs_fresh_conversation(retry: Retry, state: LoopState, characters: int) -> bool:
    """Whether the next attempt starts a new conversation from a compact prompt.

    "auto" does so if the conversation is too large, if nothing was submitted, or if the last attempt was no better than
    the one before: a conversation that is stuck stays stuck.
    """
    if retry != "auto":
        return retry == "fresh"
    if characters > MAX_CONVERSATION_CHARS or not state.steps[-1].attempt.has_result:
        return True
    return len(state.steps) >= 2 and rate_step(state.steps[-1]) <= rate_step(state.steps[-2])
