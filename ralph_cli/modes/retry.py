"""After a refusal: whether a worker's conversation goes on, or is begun afresh from a compact prompt."""

from typing import Literal

from ralph_cli.checks.base import rate_step
from ralph_cli.loop.state import LoopState

Retry = Literal["continue", "fresh", "auto"]

MAX_CONVERSATION_CHARS = 100_000
"""Characters of a conversation above which "auto" begins a new one."""


def needs_fresh_conversation(retry: Retry, state: LoopState, characters: int) -> bool:
    """Whether the next attempt begins a new conversation from a compact prompt instead of going on in the live one.

    "auto" does so when the conversation has grown too large, when nothing was handed in, or when the last attempt was
    no better than the one before it: a conversation that is stuck stays stuck.
    """
    if retry != "auto":
        return retry == "fresh"
    if characters > MAX_CONVERSATION_CHARS or not state.steps[-1].attempt.has_result:
        return True
    return len(state.steps) >= 2 and rate_step(state.steps[-1]) <= rate_step(state.steps[-2])
