"""A judge test for a reader: a table of what was caught, what was missed, false alarms; and one JSON object."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ralph_cli.core.results.judge_test import CaseResult, JudgeTest, Rate
from ralph_cli.core.run import StopType
from ralph_cli.reports.safe_text import make_visible, one_line, pick, trace_line
from ralph_cli.reports.terminal import describe_cost

NO_MODEL_NOTICE = "No model was tested: `offline` only compares words. Its rates, for comparison:"
NO_MODEL_LABEL = " (no model: word comparison)"

RATE = ("hits", "asked", "share", "interval")


def report_lines(test: JudgeTest) -> Iterator[str]:
    """The report, a line at a time."""
    true = len({(result.case.truth, result.case.quotes) for result in test.results})
    changed = sum(result.case.kind != "true" for result in test.results)
    counts = f"{true} true claims, {changed} false variants, seed {test.seed}"
    yield f"{make_visible(test.judge)} on {one_line(test.document)}: {counts}"
    if not test.modelled:
        yield NO_MODEL_NOTICE
    yield ""
    yield from _table(test)
    yield from _examples(test)
    yield ""
    if test.halt.type is not StopType.TESTED:
        yield f"Stopped ({test.halt.type.value}): {one_line(test.halt.detail)}."
    unjudged = len(test.results) - len(test.judged)
    if unjudged or test.refused or test.broken:
        told = f"{test.refused} requested again, {len(test.broken)} batches without verdicts"
        yield f"Unusable replies: {told}; {unjudged} of {len(test.results)} claims not judged."
    yield from (f"  {one_line(why, 200)}" for why in dict.fromkeys(test.broken))
    yield f"{describe_cost(test.usage)}, {test.seconds:.1f} s"
    yield trace_line(str(test.folder), test.run)


def render_text(test: JudgeTest) -> str:
    """The report as text."""
    return "\n".join(report_lines(test)) + "\n"


def _table(test: JudgeTest) -> Iterator[str]:
    if not test.judged:
        yield "No verdicts."
        return
    label = "" if test.modelled else NO_MODEL_LABEL
    yield f"{'type of change':<14}{'caught':>11}{'share':>8}   95 % interval{label}"
    for kind, rate in (*test.kinds.items(), ("all kinds", test.caught)):
        yield _row(kind, rate)
    yield f"{'':<14}{'rejected':>11}{'share':>8}   95 % interval{label}"
    yield _row("true claims", test.false_alarms)


def _row(name: str, rate: Rate) -> str:
    share, interval = rate.share, rate.interval
    if share is None or interval is None:
        return f"{name:<14}{'no cases':>11}"
    return f"{name:<14}{f'{rate.hits} of {rate.asked}':>11}{share:>8.0%}   {interval[0]:.0%} - {interval[1]:.0%}"


def _examples(test: JudgeTest) -> Iterator[str]:
    if not test.modelled:
        return
    if test.missed:
        yield ""
        yield "Missed (false claims that the judge accepted):"
        for result in test.missed:
            yield f"- {result.case.kind}: {one_line(result.case.text)}"
            yield f"    true version: {one_line(result.case.truth)}"
            yield f"    the judge: {_render_ruling(result)}"
    if test.alarms:
        yield ""
        yield "False alarms (true claims that the judge rejected):"
        for result in test.alarms:
            yield f"- {one_line(result.case.text)}"
            yield f"    the judge: {_render_ruling(result)}"


def _render_ruling(result: CaseResult) -> str:
    assert result.ruling is not None
    votes = f" ({len(result.ruling.votes)} opinions)" if result.ruling.votes else ""
    return f"{result.ruling.verdict.value}{votes} - {one_line(result.ruling.reason)}"


def render_json(test: JudgeTest) -> str:
    """The object of `--json` as text.

    `tested` is false if no model has given a verdict. Shares and bounds are between 0 and 1, or null if nothing was
    asked; `interval` is Wilson's at 95 %. A case that was not judged has a `verdict` of null.
    """
    value = {
        "tested": test.usable,
        "judge": test.judge,
        "basis": "model" if test.modelled else "no model: word comparison",
        "document": test.document,
        "seed": test.seed,
        "stop": {"type": test.halt.type.value, "reason": test.halt.detail},
        "caught": {kind: pick(rate, *RATE) for kind, rate in (*test.kinds.items(), ("all", test.caught))},
        "false_alarms": pick(test.false_alarms, *RATE),
        "replies": {"asked_again": test.refused, "batches_without_verdicts": list(test.broken)},
        "cases": [_case(result) for result in test.results],
        "usage": {**pick(test.usage, "calls", "input_tokens", "output_tokens", "usd"), "seconds": test.seconds},
        "run": {"id": test.run, "folder": str(test.folder)},
    }
    return json.dumps(value, ensure_ascii=True, indent=2)


def _case(result: CaseResult) -> dict[str, Any]:
    ruling = result.ruling
    return {
        **asdict(result.case),
        "verdict": ruling.verdict.value if ruling else None,
        "reason": ruling.reason if ruling else "",
        "votes": [{"judge": v.judge, "verdict": v.verdict.value} for v in ruling.votes] if ruling else [],
    }
