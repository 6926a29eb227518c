"""A goal's worker without a language model: texts found by word statistics, tried on the verifiers in turn."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ralph_cli.core.model import Json, ModelTurn, Request, ToolTurn, Turn
from ralph_cli.providers.offline.snippet import guest_source

COUNT_MARK = "@@goal "
"""Stands before the number of texts that were found."""

VARIABLE_PREFIX = "goal_output_"
DONE_REPLY = "<promise>DONE</promise>"
UNREAD_NOTE = "Found by word statistics; no language model has read it."


def choose_goal_act(request: Request) -> Json:
    """The next act, from what is in the conversation alone: search, hand in, verify, and so on with the next text."""
    inputs, turns = request.inputs, request.turns
    arguments, answer, failed = _last_call(turns)
    tried = sum("output_from" in call.arguments for call in _calls(turns) if call.arguments)
    results = [text for turn in turns if isinstance(turn, ToolTurn) for _, text, _ in turn.results]
    counted = re.search(COUNT_MARK + r"(\d+)", "\n".join(results))
    count = int(counted[1]) if counted else 0
    if not arguments:
        return {"code": build_snippet(str(inputs.get("objective", "")), as_csv=_wants_csv(inputs))}
    if "output_from" in arguments and not failed:
        return {"verify": True} if inputs.get("verifiers") else {"say": f"{UNREAD_NOTE} {DONE_REPLY}"}
    if "verify" in arguments and not failed:
        return {"say": f"{UNREAD_NOTE} {DONE_REPLY}"}
    if tried < count:
        return {"output_from": f"{VARIABLE_PREFIX}{tried + 1}"}
    if not count:
        return {"blocked": "no passage or table of the document holds the words of the objective"}
    verdict = next((line for line in answer.splitlines() if line.strip()), "no answer")[:200]
    return {"blocked": f"all {count} texts that word statistics found were tried; the last one: {verdict}"}


def build_snippet(objective: str, *, as_csv: bool) -> str:
    """A search for texts, which it leaves in variables of the sandbox."""
    return (
        f"{guest_source('spans', 'tables')}\n\n"
        "goal_tables = globals().get('_tables', ())\n"
        f"goal_found = candidate_texts({objective!r}, context, pages, as_csv={as_csv}, tables=goal_tables)\n"
        f"print({COUNT_MARK!r} + str(len(goal_found)))\n"
        "for goal_number, goal_text in enumerate(goal_found, 1):\n"
        f"    globals()[{VARIABLE_PREFIX!r} + str(goal_number)] = goal_text\n"
        "    print(goal_number, len(goal_text), goal_text[:200])\n"
    )


def _wants_csv(inputs: Mapping[str, Any]) -> bool:
    words = f"{inputs.get('objective', '')} {inputs.get('instructions', '')}"
    return bool(re.search(r"\bcsv\b", words, re.IGNORECASE)) or inputs.get("suffix") == ".csv"


def _calls(turns: Sequence[Turn]) -> list[Any]:
    return [call for turn in turns if isinstance(turn, ModelTurn) for call in turn.calls]


def _last_call(turns: Sequence[Turn]) -> tuple[Json, str, bool]:
    """The arguments of the last call, what came back, and whether it was an error; nothing at the beginning."""
    calls = _calls(turns)
    if not calls:
        return {}, "", False
    results = turns[-1].results if isinstance(turns[-1], ToolTurn) else (("", "", True),)
    return calls[-1].arguments or {}, results[-1][1], results[-1][2]
