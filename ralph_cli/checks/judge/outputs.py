"""The semantic check of a task: a model of another vendor reads the output and its brief."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pydantic import Field

from ralph_cli.checks.absence import describe_count, describe_searches
from ralph_cli.checks.base import WORDING, describe_failure
from ralph_cli.checks.judge.doubts import ANSWERS_SCHEMA, DoubtAnswer, check_answers, join_answers, render_doubts
from ralph_cli.checks.judge.passages import (
    break_marks,
    introduce_documents,
    name_quotes,
    render_marked,
    render_passages,
    safe_file_name,
)
from ralph_cli.checks.output.words import count_words
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Model, Request
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, agent_request, ask_model, parse_object
from ralph_cli.core.prompts.json_schema import array, object_schema, render_example, string
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import Attempt, Claim, Doubt, Evidence, Issue, Ruling, Verdict
from ralph_cli.core.structure import PAGE_BREAK, Span
from ralph_cli.retrieval.context import MIN_CONTEXT, context_span

NAME = "task_judge"
# The `claim` of a ruling on the output as a whole; claims count from 1.
WHOLE_OUTPUT = 0

# The most characters on each side of words that close a list: the judge must see whether it continues.
CLOSING_CHARS = 600

_FIELDS = {"ok": {"type": "boolean"}, "issues": array(string()), "writing": array({"type": "integer"})}
SCHEMA = object_schema(**_FIELDS)
SCHEMA_WITH_DOUBTS = object_schema(**_FIELDS, doubts=ANSWERS_SCHEMA)


class _JudgeReply(StrictObject):
    ok: bool
    issues: list[str]
    writing: list[int] = Field(default_factory=list)
    doubts: list[DoubtAnswer] = Field(default_factory=list)


class _OfflineReply(StrictObject):
    verbatim: bool
    issues: list[str]


def parse_ruling(text: str, *, deterministic: bool, doubts: Sequence[Doubt] = ()) -> tuple[bool, dict[str, bool], str]:
    """Whether the judge accepts the output; its issues, each with whether other writing can fix it; and its reason.

    "ok" with issues is not ok; a refusal must have an issue. Each of the `doubts` must be answered. The deterministic
    judge can only say "verbatim", so that nobody takes its comparison for a reading. Raises ValueError.
    """
    if deterministic:
        compared = parse_object(text, _OfflineReply)
        good, named, writing, answers = compared.verbatim, compared.issues, [], []
        doubts = ()
    else:
        judged = parse_object(text, _JudgeReply)
        good, named, writing, answers = judged.ok, judged.issues, judged.writing, judged.doubts
    issues: dict[str, bool] = {}
    for number, issue in enumerate(named, 1):
        if line := " ".join(issue.split()):
            issues[line] = issues.get(line, True) and number in writing
    if not good and not issues:
        raise ValueError("what is not ok needs at least one issue that says what is wrong")
    good = good and not issues
    check_answers("the work", answers, doubts, stands=good)
    reason = "; ".join(issues) or ("every line is a quote" if deterministic else "complete and supported")
    return good, issues, join_answers(reason, answers, doubts)


_IF_UNSETTLED = 'Doubted words that are not proved are an issue, too, and then "ok" is false.'


@dataclass(frozen=True, slots=True)
class TaskJudge:
    """The check `task_judge`: passes only if the judge says ok and names no issue.

    The judge sees the task, the output, the brief with the passages around its quotes, and the memory before the run. A
    judge that fails, or whose reply has the wrong shape, is a broken check and never a verdict.
    """

    model: Model
    document: Document | None
    task: str
    kind: str
    memory: str
    new_nonce: Callable[[], str]
    context_chars: int = MIN_CONTEXT

    def __call__(self, attempt: Attempt, local: Sequence[Evidence] = ()) -> Evidence:
        """The verdict on an attempt's output, given the doubts of the checks before it."""
        doubts = [doubt for item in local for doubt in item.doubts]
        deterministic = self.model.vendor == "offline"
        try:
            parse = partial(parse_ruling, deterministic=deterministic, doubts=doubts)
            good, issues, reason = ask_model(self.model, self._request(attempt, doubts), parse)
        except (ProviderError, UnparseableReply) as error:
            return Evidence(NAME, broken=describe_failure(error))
        verdict = Verdict.VERBATIM if deterministic else Verdict.SUPPORTED
        ruling = Ruling(WHOLE_OUTPUT, verdict if good else Verdict.NOT, reason, self.model.name)
        told = {issue: name_quotes(issue, attempt.quotes) for issue in issues}
        found = tuple(
            Issue(WORDING if is_writing else NAME, "the judge of the task says", None, told[issue])
            for issue, is_writing in issues.items()
        )
        return Evidence(NAME, found, (ruling,))

    def _request(self, attempt: Attempt, doubts: Sequence[Doubt]) -> Request:
        nonce = self.new_nonce()
        shown = frame_data(attempt.output, nonce)
        if doubts:
            how = render_prompt("judge_doubts", where="Beside `issues`", consequence=_IF_UNSETTLED)
            shown += f"\n\n{render_doubts('the work', doubts, attempt.because, nonce)}\n\n{how}"
        schema = SCHEMA_WITH_DOUBTS if doubts else SCHEMA
        prompt = render_prompt(
            "task_judge_request",
            task=self.task,
            document=safe_file_name(self.document.called or self.document.path)
            if self.document
            else "none: only the memory is known",
            brief=(brief := self._brief(attempt, nonce)),
            known=self._known(attempt, brief, nonce),
            output=shown,
            kind=self.kind,
            words=count_words(attempt.output),
            shape=render_example(schema),
        )
        quotes = [{"text": quote.text, "page": quote.page} for quote in attempt.quotes]
        inputs = {"task": self.task, "output": attempt.output, "format": self.kind, "quotes": quotes}
        return agent_request(NAME, prompt, schema, "ruling", inputs | {"memory": self.memory}, 4_000)

    def _known(self, attempt: Attempt, brief: str, nonce: str) -> str:
        """The notes of earlier runs and the record of the reading, as far as the brief does not show them."""
        reading = "\n".join(_reading_record(attempt))
        parts = {"Notes of earlier runs on it": self.memory, "What code knows of the reading": reading}
        closing = [Span(*proof.place) for proof in attempt.completeness if proof.place]
        if self.document is not None and closing:
            if break_marks(self.document.text[closing[0].start : closing[0].end]) not in brief:
                passage = render_marked(self.document, closing[0], CLOSING_CHARS)
                parts["The words that close the list, marked in what stands around them"] = passage
            parts["What follows the last quoted entry, behind its passage"] = self._after_last(attempt, closing[0])
        return "".join(f"\n{what}:\n{frame_data(text, nonce)}\n" for what, text in parts.items() if text)

    def _after_last(self, attempt: Attempt, closing: Span) -> str:
        """The text behind the last quote of a closed list, up to the heading that ends it: the judge must see whether
        the list continues. Empty if the quote's own passage shows such a heading.
        """
        document = self.document
        last = max(attempt.quotes, key=lambda quote: quote.end, default=None)
        if document is None or last is None or last.end <= closing.start:
            return ""
        begin = context_span(document, Span(last.start, last.end), least=self.context_chars).end
        member = document.member_at(last.start)
        most = min(begin + CLOSING_CHARS, member.end if member else len(document.text))
        heading = next((it for it in document.headings if it.start >= last.end), None)
        if heading is not None and heading.start < begin:
            return ""
        end = min(most, heading.start + len(heading.text)) if heading is not None else most
        return break_marks(document.text[begin:end].replace(PAGE_BREAK, "\n").strip())

    def _brief(self, attempt: Attempt, nonce: str) -> str:
        if self.document is None or not attempt.claims:
            return "(no document was read)"
        shown = render_passages(self.document, attempt.quotes, nonce, self.context_chars)
        if self.document.members:
            shown = f"{introduce_documents(self.document, [quote.start for quote in attempt.quotes], nonce)}\n\n{shown}"
        return f"{shown}\n\nThe items that the reader made of them:\n{render_items(attempt.claims, nonce)}"


def render_items(claims: Sequence[Claim], nonce: str) -> str:
    """The items of a brief, each on a line with the numbers of its quotes, its calculations and its searches."""
    lines = []
    for claim in claims:
        on = f"quotes {', '.join(map(str, claim.quotes))}" if claim.quotes else "no quote"
        lines.append(f"Item {claim.id} ({on}): {claim.text}")
        lines += [f"  computed: {calculation}" for calculation in claim.calculations]
        lines += [f"  searched, {describe_searches(claim.searches)}"] * bool(claim.searches)
    return frame_data(break_marks("\n".join(lines)), nonce)


def _reading_record(attempt: Attempt) -> list[str]:
    """The record of how the brief was gathered: the searches, and the proofs that nothing is missing."""
    lines = [f"- {proof.message}" if proof.holds else f"- not shown: {proof.message}" for proof in attempt.completeness]
    return [*lines, *(f"- searched, places counted: {describe_count(search)}" for search in attempt.searches)]
