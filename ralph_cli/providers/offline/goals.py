"""A goal's worker without a language model: it finds texts by word statistics and verifies them in turn."""

import re
from collections.abc import Mapping
from typing import Any

from ralph_cli.core.model import Json, ModelTurn, Request, ToolTurn
from ralph_cli.providers.offline.snippet import guest_source

COUNT_MARK = "@@goal "  # beginning of the line with the number of texts that were found

VARIABLE_PREFIX = "goal_output_"  # beginning of the sandbox variables that hold these texts

DONE = {"say": "Found by word statistics; no language model has read it. <promise>DONE</promise>"}


def choose_goal_act(request: Request) -> Json:
    """Return the next act, from the conversation alone: search, submit a text, verify, then the next text."""
    inputs = request.inputs
    calls = [call.arguments or {} for turn in request.turns if isinstance(turn, ModelTurn) for call in turn.calls]
    results = [result for turn in request.turns if isinstance(turn, ToolTurn) for result in turn.results]
    if not calls:
        return {"code": build_snippet(str(inputs.get("objective", "")), as_csv=_wants_csv(inputs))}
    _, answer, failed = results[-1] if isinstance(request.turns[-1], ToolTurn) else ("", "", True)
    if "output_from" in calls[-1] and not failed:
        return {"verify": True} if inputs.get("verifiers") else DONE
    if "verify" in calls[-1] and not failed:
        return DONE
    tried = sum("output_from" in arguments for arguments in calls)
    return _next_text(tried, results, answer)


def _next_text(tried: int, results: list[tuple[str, str, bool]], answer: str) -> Json:
    """Submit the text after those that were `tried`, or report that there is none."""
    counted = re.search(COUNT_MARK + r"(\d+)", "\n".join(text for _, text, _ in results))
    count = int(counted[1]) if counted else 0
    if tried < count:
        return {"output_from": f"{VARIABLE_PREFIX}{tried + 1}"}
    if not count:
        return {"blocked": "no passage or table of the document holds the words of the objective"}
    verdict = next((line for line in answer.splitlines() if line.strip()), "no answer")[:200]
    return {"blocked": f"all {count} texts that word statistics found were tried; the last one: {verdict}"}


def build_snippet(objective: str, *, as_csv: bool) -> str:
    """Return code that searches for texts and stores them in variables of the sandbox."""
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
