"""Shows an evaluation: a table of the totals and a line for each question, or one JSON object."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from ralph_cli.core.run import StopType
from ralph_cli.core.version import __version__
from ralph_cli.evaluation.comparing import Comparison
from ralph_cli.evaluation.results import BY_ABSENCE, BY_FIGURES, BY_NOTHING, BY_WORDS, Evaluation, QuestionResult
from ralph_cli.reports.safe_text import make_visible, one_line, pick
from ralph_cli.reports.terminal import describe_cost
from ralph_cli.text.lexicon import pluralize

NO_GRADER = (
    "No model has compared the answers: right is told by figures and shared words only, which is no measure of it."
)

_MEASURES = {
    "answered": "answered",
    "right": "right",
    "partly_right": "partly right",
    "supported": "supported (accepted)",
    "supported_and_right": "supported and right",
    "on_gold": "on the gold page",
    "absent_rightly": "absent, rightly",
    "absent_wrongly": "absent, wrongly",
}

# The totals of a comparison, each with its name and number of decimals.
_TOTALS = {"calls": ("calls", 0), "characters": ("characters", 0), "usd": ("dollars", 4), "seconds": ("seconds", 1)}


def report_lines(evaluation: Evaluation, comparison: Comparison | None = None) -> Iterator[str]:
    """The report, a line at a time."""
    counts = f"{len(evaluation.results)} of {pluralize(evaluation.total, 'question')} ({evaluation.format})"
    yield f"{one_line(evaluation.questions)}: {counts}; {_models(evaluation.models)}"
    yield ""
    yield from _table(evaluation)
    yield ""
    yield from _questions(evaluation)
    yield from _not_right(evaluation)
    if comparison is not None:
        yield ""
        yield from _comparison(comparison)
    yield ""
    if evaluation.halt.type is not StopType.NONE:
        yield f"Stopped ({evaluation.halt.type.value}): {one_line(evaluation.halt.detail)}."
    if not evaluation.complete:
        yield make_visible(f"Go on with it: the same command with --resume {evaluation.folder}")
    yield make_visible(f"Runs: {evaluation.folder}")


def render_text(evaluation: Evaluation, comparison: Comparison | None = None) -> str:
    """The report as text."""
    return "\n".join(report_lines(evaluation, comparison)) + "\n"


def describe_result(result: QuestionResult) -> str:
    """A result in a few words: the kind of answer, whether it is right and by what, and whether it is supported."""
    if result.error:
        return f"failed: {one_line(result.error, 150)}"
    if result.cut_off:
        return f"cut off ({one_line(result.stop)})"
    grade = result.grade
    right = {"yes": "right", "partly": "partly right", "no": "not right"}.get(grade.right, "not compared")
    if grade.right == "unjudged":
        right += f" ({one_line(grade.reason, 80)})"
    elif grade.by:
        right += f" by {one_line(grade.by)}"
    parts = [result.answered, right]
    if result.supported is not None:
        parts.append("supported" if result.supported else f"not supported ({one_line(result.stop)})")
    if result.on_gold is not None:
        parts.append("on the gold page" if result.on_gold else "off the gold page")
    return ", ".join(parts)


def _models(models: Mapping[str, str]) -> str:
    return one_line(", ".join(f"{role} {name}" for role, name in models.items()))


def _table(evaluation: Evaluation) -> Iterator[str]:
    for name, rate in evaluation.rates.items():
        if rate.asked and (name != "absent_wrongly" or rate.hits):
            yield f"{_MEASURES[name]:<22}{f'{rate.hits} of {rate.asked}':>11}{rate.share:>8.0%}"
    yield f"Compared by: {_graders(evaluation)}." if _graders(evaluation) else "No references to compare with."
    if not evaluation.grader:
        yield NO_GRADER
    failed = sum(bool(result.error) for result in evaluation.results)
    unjudged = sum(result.grade.right == "unjudged" for result in evaluation.results)
    if failed or unjudged:
        yield f"Without a result: {failed} failed, {unjudged} not compared."
    usage = evaluation.usage
    yield f"Answers: {describe_cost(usage)}, {usage.characters:,} characters sent, {evaluation.seconds:.1f} s"
    if evaluation.grading.calls:
        yield f"Comparing them with the references: {describe_cost(evaluation.grading)}"


def _graders(evaluation: Evaluation) -> str:
    names = {
        BY_FIGURES: "figures that agree",
        BY_WORDS: "shared words and figures",
        BY_ABSENCE: "absence",
        BY_NOTHING: "no answer",
    }
    counts: dict[str, int] = {}
    for result in evaluation.results:
        if result.grade.by and result.grade.right != "unjudged":
            words = names.get(result.grade.by, f"the word of {one_line(result.grade.by)}")
            counts[words] = counts.get(words, 0) + 1
    return ", ".join(f"{words} {count}" for words, count in counts.items())


def _questions(evaluation: Evaluation) -> Iterator[str]:
    width = min(max((len(one_line(result.id)) for result in evaluation.results), default=2), 24)
    yield f"{'id':<{width}}  {'calls':>5} {'characters':>10} {'dollars':>8} {'seconds':>7}  result, question"
    for result in evaluation.results:
        usage = result.usage
        usd = "?" if usage.usd is None else f"{usage.usd:.4f}"
        spent = f"{usage.calls:>5} {usage.characters:>10,} {usd:>8} {result.seconds:>7.1f}"
        words = f"{describe_result(result)}: {one_line(result.question, 90)}"
        yield f"{one_line(result.id, width):<{width}}  {spent}  {words}"


def _not_right(evaluation: Evaluation) -> Iterator[str]:
    """The answers that the grader has refused, with the references: a reference may be wrong, and so may the grader."""
    refused = [item for item in evaluation.results if item.grade.right in ("no", "partly")]
    if not evaluation.grader or not refused:
        return
    yield ""
    yield "Not right, or partly:"
    for result in refused:
        reference = one_line(result.reference, 200) or "not in the document"
        yield f"- {one_line(result.id)}: {one_line(result.question)}"
        yield f"    reference: {reference}"
        yield f"    answer: {one_line(result.answer, 200) or 'none'}"
        yield f"    {one_line(result.grade.by)}: {one_line(result.grade.reason, 200)}".rstrip(": ")


def _comparison(comparison: Comparison) -> Iterator[str]:
    alone = f"; {comparison.alone} in one of them only" if comparison.alone else ""
    yield f"Against {one_line(comparison.file)}: {pluralize(comparison.paired, 'question')} in both{alone}"
    yield f"  that was ralph {one_line(comparison.version)}, {_models(comparison.models)}"
    yield f"{'':<22}{'better':>8}{'worse':>8}{'same':>8}"
    for name, paired in comparison.measures.items():
        yield f"{_MEASURES[name].split(' (')[0]:<22}{paired.better:>8}{paired.worse:>8}{paired.same:>8}"
    yield f"{'':<22}{'before':>12}{'now':>12}"
    for name, values in comparison.totals.items():
        words, decimals = _TOTALS[name]
        before, now = ("?" if value is None else f"{value:,.{decimals}f}" for value in values)
        yield f"{words:<22}{before:>12}{now:>12}"
    for title, better in (("Better:", True), ("Worse:", False)):
        changes = [change for change in comparison.changes if change.better is better]
        if changes:
            yield title
        for change in changes:
            yield f"- {one_line(change.id)}: {change.was} -> {change.now}: {one_line(change.question, 90)}"


def as_object(evaluation: Evaluation, comparison: Comparison | None = None) -> dict[str, Any]:
    """The object of `--json`; its results are what `--compare` reads."""
    return {
        "questions": {
            "file": evaluation.questions,
            **pick(evaluation, "sha256", "format", "total"),
        },
        "complete": evaluation.complete,
        "version": __version__,
        "models": evaluation.models,
        "grader": evaluation.grader or None,
        "stop": {"type": evaluation.halt.type.value, "reason": evaluation.halt.detail},
        "totals": {name: pick(rate, "hits", "asked", "share") for name, rate in evaluation.rates.items()},
        "usage": asdict(evaluation.usage) | {"seconds": evaluation.seconds},
        "grading": asdict(evaluation.grading),
        "results": [asdict(result) for result in evaluation.results],
        "comparison": None if comparison is None else asdict(comparison),
        "folder": str(evaluation.folder),
    }
