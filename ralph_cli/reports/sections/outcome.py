"""Describes in a sentence how a run ended, what was checked, and by whom."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ralph_cli.core.run import StopType
from ralph_cli.reports.safe_text import make_visible, one_line, resume_command, without_formulas
from ralph_cli.reports.sections.unconfirmed import count_doubts
from ralph_cli.reports.view import RunView
from ralph_cli.text.lexicon import pluralize

PASSAGES_HEADING = "Passages that may answer (no model has read them)"
USE_A_MODEL = "With ANTHROPIC_API_KEY and OPENAI_API_KEY set, Claude answers and GPT checks the answer."

# Characters that are shown of a question before, and how many are shown, the latest ones.
MAX_QUESTION_CHARS, MOST_QUESTIONS = 200, 2

NO_JUDGE_OF_ANSWER = (
    "No model has judged this answer: each claim is only a quote of the document, chosen by word statistics."
)
NO_JUDGE_OF_OUTPUT = "No model has judged this output: each line is only a quote, chosen by word statistics."


def describe_outcome(view: RunView) -> str:
    """How the run ended, and which of its checks were not made."""
    unasked = " Not verified: the verifier was not asked about this last iteration."
    doubts = f" {counted}." if (counted := count_doubts(view.unconfirmed)) else ""
    gaps = "".join(f" {one_line(gap)}" for gap in (*view.counter_evidence_gaps, *view.losses))
    return _describe_halt(view) + (unasked if view.verification == "skipped" else "") + doubts + gaps


def describe_follows(follows: Mapping[str, Any]) -> str:
    """The earlier questions that a question follows on, and their last run; empty for a first question."""
    if not follows:
        return ""
    questions = follows["questions"]
    asked = ", ".join(f"“{one_line(question, MAX_QUESTION_CHARS)}”" for question in questions[-MOST_QUESTIONS:])
    more = len(questions) - MOST_QUESTIONS
    further = f" and {pluralize(more, 'question')} before" if more > 0 else ""
    return f"Follows on {asked}{further} (run {one_line(follows['run'])})"


# The flag that a user raises to continue a run that met this bound.
_BOUNDS = {
    StopType.MAX_COST: "--max-cost",
    StopType.TIMEOUT: "--max-time",
    StopType.MAX_CALLS: "--max-calls",
    StopType.MAX_TOKENS: "--max-tokens",
}


def resume_line(view: RunView) -> str:
    """The command that continues a run which a bound, a failure or a person ended; empty for other runs."""
    if not view.halt.type.is_cut_off() and view.halt.type is not StopType.UNJUDGED:
        return ""
    command = resume_command(view.mode, Path(view.folder).parent, view.run, _BOUNDS.get(view.halt.type, ""))
    return make_visible(f"To go on: {command} (calls that were answered are not paid again)")


def _describe_halt(view: RunView) -> str:
    detail = one_line(view.halt.detail)
    match view.halt.type:
        case StopType.COMPLETION if not view.judged:
            return f"Verbatim. {_no_judge(view)}"
        case StopType.COMPLETION if view.mode == "task":
            quotes = "; every quote is in the document" if view.document else ""
            found = f"every figure, date and quotation{_exceptions(view)} is in {_source(view)}"
            return f"Accepted: {found}{quotes}, and {_judgement(view)}"
        case StopType.COMPLETION:
            return f"Accepted: every quote is in the document, and {_judgement(view)}"
        case StopType.PASSAGES:
            return f"Chosen by word statistics; whether they answer is for you to judge. {USE_A_MODEL}"
        case StopType.NO_PASSAGES:
            return f"A search for words found nothing; the document may say it in other words. {USE_A_MODEL}"
        case StopType.ABSENT:
            return f"Reported as absent: {_absence(view)}"
        case StopType.UNJUDGED if view.verification == "failed":
            return f"Not verified: {detail}. {_describe_earlier_checks(view)}"
        case StopType.UNJUDGED:
            return f"Unjudged: {detail}. {_local_checks(view)}; {_missing_judgement(view)}."
        case reason:
            return f"Stopped ({reason.value}): {detail}."


def _describe_earlier_checks(view: RunView) -> str:
    """The results of the checks before the verifier, which is asked last, after all others passed."""
    if view.absence is not None and view.mode != "task":
        return f"{_absence(view)[:1].upper()}{_absence(view)[1:]}"
    found = _local_checks(view)
    return f"{found}, and {_judgement(view)}" if view.judged else f"{found}. {_no_judge(view)}"


def _absence(view: RunView) -> str:
    """Who reports the absence, and after which searches."""
    if view.absence_reason:
        return f"{make_visible(view.judge)} has looked for itself, too: {one_line(view.absence_reason)}"
    return "the hits were counted by code, what they mean is the worker's judgement."


def _local_checks(view: RunView) -> str:
    if view.mode == "task":
        return f"Figures, dates and quotations{_exceptions(view)} are in {_source(view)}"
    return "The quotes are in the document"


def _exceptions(view: RunView) -> str:
    """How many figures, dates and quotations were not confirmed."""
    count = sum(doubt.is_objection for doubt in view.unconfirmed)
    return f" but {count}" if count else ""


def _source(view: RunView) -> str:
    return "the quotes" if view.document else "the memory (no document was read)"


def _judgement(view: RunView) -> str:
    absent = sum(
        item.ruling is not None and item.verdict == "absent" and item.ruling.judge == "code" for item in view.claims
    )
    rest = f"; absences ({pluralize(absent, 'claim')}) are supported by searches alone" if absent else ""
    what = "the task done" if view.mode == "task" else "every claim supported"
    return f"{make_visible(view.judge)} found {what}{rest}."


def _no_judge(view: RunView) -> str:
    return NO_JUDGE_OF_OUTPUT if view.mode == "task" else NO_JUDGE_OF_ANSWER


def _missing_judgement(view: RunView) -> str:
    if view.mode == "task":
        return "the verdict shown is of an earlier attempt" if view.judged else "nobody has judged the output"
    if view.claims and all(item.ruling for item in view.claims):
        return "the verdicts shown are of an earlier attempt"
    return "some claims were not judged" if view.judged else "nobody has judged the claims"


def payload(view: RunView) -> str:
    """The output as it is handed over: unchanged, but without formulas in CSV."""
    text = without_formulas(view.output) if view.format == "csv" else view.output
    return text if not text or text.endswith("\n") else f"{text}\n"
