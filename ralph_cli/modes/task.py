"""Task mode: a reader gathers a brief of quotes, a reasoner does the task from it alone, rules and a judge check it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ralph_cli.checks.absence import NAME as ABSENCE
from ralph_cli.checks.absence import AbsenceReview
from ralph_cli.checks.base import Check, run_in_order
from ralph_cli.checks.coverage import NAME as COVERAGE
from ralph_cli.checks.form import AnswerForm, Range, form_issues
from ralph_cli.checks.judge.claims import safe_file_name
from ralph_cli.checks.judge.outputs import NAME as TASK_JUDGE
from ralph_cli.checks.output.check import FIGURES_CHECK, OutputCheck, OutputForm
from ralph_cli.checks.output.shape import strip_fence
from ralph_cli.checks.quotes import VisibilityPolicy, resolve_quotes
from ralph_cli.checks.verifier import VerifierCheck
from ralph_cli.core.document import Document
from ralph_cli.core.model import Json, Model, Request, UserTurn
from ralph_cli.core.prompts.framing import frame_data, render_issues, truncate
from ralph_cli.core.prompts.json_reply import UnparseableReply, ask_model, parse_object
from ralph_cli.core.prompts.templates import prompt_text, render_prompt
from ralph_cli.core.run import Attempt, Claim, Draft, DraftClaim, Evidence, Issue, Lesson, Step
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.loop.state import LoopState
from ralph_cli.modes.opening import describe_pages, render_headings
from ralph_cli.modes.retry import SUMMARY_CHARS, Retry, needs_fresh_conversation
from ralph_cli.rlm.loop import Explorer
from ralph_cli.rlm.parse import ACT_TOOL, parse_call

PREVIEW_CHARS, TRAJECTORY_CHARS = 600, 24_000
BRIEF_CHARS = 24_000
"""Characters of the brief so far that a fresh conversation of the reader is shown."""

ITEM_RANGE, QUOTE_RANGE = Range(1, 60), Range(1, 120)
"""Items of a brief, and different quotes in it, that a reader may hand in at once."""

VERBATIM_ITERATIONS = 2
"""So many of the latest iterations are repeated to the reasoner word for word; older ones are counted."""

MAX_TOKENS = 8_000
READER_CHECKS = frozenset({TASK_JUDGE, "verifier", FIGURES_CHECK, COVERAGE, ABSENCE, "quotes", "form", "brief"})
"""Issues of these checks may be mended by reading more; the others concern the reasoner alone."""

FORMAT_DESCRIPTIONS = {
    "md": "Markdown",
    "text": "plain text",
    "json": "JSON: `output` is a string that parses as one JSON value, without a code fence",
    "csv": "CSV: `output` is a header line and rows, comma-separated, quoted where needed, without a code fence",
}

RESULT_SCHEMA: Json = {
    "type": "object",
    "properties": {"output": {"type": "string"}, "memory_update": {"type": "string"}},
    "required": ["output", "memory_update"],
    "additionalProperties": False,
}


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    output: str
    memory_update: str


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done, with which document (None: from memory alone), and what the output must be.

    `memory` is what earlier runs noted of this document; `schema` the JSON Schema of the output as its author wrote it.
    """

    text: str
    document: Document | None
    output: OutputForm
    quote_chars: Range = Range(12, 500)
    memory: str = ""
    schema: str = ""

    @property
    def brief_form(self) -> AnswerForm:
        """The form of what a reader hands in at once."""
        return AnswerForm(ITEM_RANGE, QUOTE_RANGE, self.quote_chars)

    def opening(self, nonce: str, *, include_document: bool) -> str:
        """The reader's first message: metadata and a preview, or the whole text; notes; the task last."""
        assert self.document is not None
        text = self.document.text
        values: dict[str, object] = {
            "kind": self.document.kind,
            "characters": f"{len(text):,}",
            "pages": describe_pages(self.document),
            "preview": frame_data(text if include_document else text[:PREVIEW_CHARS], nonce),
            "memory": f"Notes of earlier runs (`memory`):\n{frame_data(self.memory, nonce)}\n" if self.memory else "",
            "task": self.text,
            **self._form_values(),
        }
        if include_document:
            return render_prompt("reader_direct", **values)
        return render_prompt("reader_opening", headings=render_headings(self.document, nonce), **values)

    def extractor_request(self, trajectory: Sequence[tuple[str, str]], nonce: str) -> str:
        """The message of the fallback extractor: the task over what was printed."""
        steps = "\n\n".join(f"Step {n}\nCode:\n{code}\nOutput:\n{out}" for n, (code, out) in enumerate(trajectory, 1))
        shown = frame_data(truncate(steps, TRAJECTORY_CHARS) or "(no step was run)", nonce)
        return render_prompt("reader_extractor", trajectory=shown, task=self.text, **self._form_values())

    def reasoner_request(self, brief: Attempt, constraints: str, nonce: str) -> str:
        """The reasoner's message: brief, notes, constraints, format, and the task last."""
        kind = FORMAT_DESCRIPTIONS[self.output.kind]
        if self.schema:
            kind += f". It must fit this JSON Schema:\n{frame_data(self.schema, nonce)}"
        memory = frame_data(self.memory, nonce) if self.memory else "(nothing)"
        values: dict[str, object] = {"memory": memory, "constraints": constraints, "format": kind, "task": self.text}
        if self.document is None:
            return render_prompt("reasoner_request_memory", **values)
        shown = frame_data(render_items(brief, self.document), nonce)
        return render_prompt("reasoner_request", brief=shown, document=safe_file_name(self.document.path), **values)

    def _form_values(self) -> dict[str, object]:
        return {"bullets": ITEM_RANGE, "quotes": QUOTE_RANGE, "quote_chars": self.quote_chars}

    @property
    def inputs(self) -> dict[str, object]:
        """The same as values, for engines that read no prose."""
        return {
            "question": self.text,
            "bullets": [ITEM_RANGE.low, ITEM_RANGE.high],
            "quotes": [QUOTE_RANGE.low, QUOTE_RANGE.high],
            "quote_chars": [self.quote_chars.low, self.quote_chars.high],
        }


def render_items(brief: Attempt, document: Document) -> str:
    """The items of a brief with their quotes and pages."""
    return "\n".join(_render_item(claim, brief, document) for claim in brief.claims)


def _render_item(claim: Claim, brief: Attempt, document: Document) -> str:
    """One item of the brief with its quotes and their pages."""
    lines = [f"Item {claim.id}: {claim.text}"]
    for quote in brief.quotes_of(claim):
        label = f", printed {quote.label}" if quote.label != str(quote.page) else ""
        place = f"  (p. {quote.page}{label})" if document.paged else ""
        lines.append(f'  "{" ".join(quote.text.split())}"{place}')
    return "\n".join(lines)


@dataclass(slots=True)
class TaskMode:
    """The task mode of the outer loop: see `loop.engine.Mode`.

    Issues that reading may mend go to the reader, in its conversation or in a fresh one, as `retry` says; the items of
    the brief are kept. Without an explorer there is no brief, and the reasoner works from memory. `remember(iteration,
    update)` keeps what an iteration established, once it has passed the hard rules; None when nothing is to be kept.
    """

    task: Task
    explorer: Explorer | None
    reader: Model
    reasoner: Model
    index: QuoteIndex | None
    brief_checks: Sequence[Check]
    output_check: OutputCheck
    judge: Check
    new_nonce: Callable[[], str]
    remember: Callable[[int, str], None] | None = None
    verifier: VerifierCheck | None = None
    retry: Retry = "auto"
    visibility: VisibilityPolicy | None = None
    absence_review: AbsenceReview | None = field(init=False, default=None)
    _steps: tuple[Step, ...] = ()
    _starts_fresh: bool = False

    def __post_init__(self) -> None:
        if self.explorer is not None and self.task.document is not None:
            explorer, read = self.explorer, self.explorer.coverage_tracker
            self.absence_review = AbsenceReview(
                self.task.document, self.task.text, lambda: explorer.searches, lambda: read.coverage.shown
            )

    def plan(self, state: LoopState) -> str:
        """The hints for the reader: what the last iteration lacked. Empty when reading more would mend nothing."""
        self._steps, self._starts_fresh = state.steps, False
        if not state.steps:
            return ""
        step = state.steps[-1]
        issues = [issue for issue in (*step.attempt.refused, *step.issues) if issue.check in READER_CHECKS]
        if not issues and self._earlier_items():
            return ""
        nonce = self.explorer.nonce if self.explorer else ""
        hints = render_prompt("reader_feedback", hints=render_issues(issues, nonce) or "- no brief was handed in")
        if self.explorer is None or not needs_fresh_conversation(self.retry, state, self.explorer.characters):
            return hints
        self._starts_fresh = True
        return self._fresh_message(self.explorer, hints)

    def run(self, message: str, iteration: int) -> Attempt:
        if self.verifier is not None:
            self.verifier.begin(iteration)
        brief = self._build_brief(message, iteration)
        if brief.error or brief.absence is not None:
            return brief
        nonce = self.new_nonce()
        constraints = render_constraints(self._steps, nonce)
        request = Request(
            "reasoner",
            prompt_text("reasoner_system"),
            (UserTurn(self.task.reasoner_request(brief, constraints, nonce)),),
            output_schema=RESULT_SCHEMA,
            output_name="result",
            max_tokens=MAX_TOKENS,
            inputs={
                "task": self.task.text,
                "format": self.task.output.kind,
                "paged": self.task.document is not None and self.task.document.paged,
                "memory": self.task.memory,
                "quotes": [{"text": quote.text, "page": quote.page, "start": quote.start} for quote in brief.quotes],
            },
        )
        try:
            said = ask_model(self.reasoner, request, lambda text: parse_object(text, _Result))
        except UnparseableReply as error:
            return replace(brief, error=f"the reasoner's reply was unusable: {error}")
        output = strip_fence(said.output, self.task.output.kind)
        return replace(brief, finished=True, output=output, memory=said.memory_update.strip())

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        if attempt.error:
            return (Evidence("brief", (Issue("brief" if not attempt.claims else "reasoner", attempt.error),)),)
        if attempt.absence is not None:
            return run_in_order((*self.brief_checks, *((self.absence_review,) if self.absence_review else ())), attempt)
        further = (self.verifier,) if self.verifier is not None else ()
        return run_in_order((*self.brief_checks, self.output_check, self.judge, *further), attempt)

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Keep what was established, if everything but the judge's word holds; the issues are the feedback."""
        hard = [item for item in evidence if item.check != TASK_JUDGE and not item.check.startswith("verifier")]
        established = attempt.output and hard and hard[-1].check == "output" and all(item.passed for item in hard)
        # A note that says more than the quotes is not kept; that is no reason to refuse the output.
        if established and self.remember is not None and not self.output_check.has_unsupported_memory(attempt):
            self.remember(state.iteration, attempt.memory)
        return None

    def _build_brief(self, message: str, iteration: int) -> Attempt:
        """The brief of this iteration: that of the ones before, and what the reader adds to it."""
        if self.explorer is None or self.index is None or self.task.document is None:
            return Attempt()
        earlier = self._earlier_items()
        if self._steps and not message:
            return replace(self._resolve_quotes(Draft(earlier)), source="worker")
        if self._starts_fresh:
            self.explorer.restart(message)
        explored = self.explorer.explore("" if self._starts_fresh else message, iteration)
        draft = explored.draft if explored.accepted else self._extract_draft() or explored.draft
        source: Literal["worker", "extractor"] = "worker" if explored.accepted else "extractor"
        if draft is not None and draft.absence is not None and not earlier:
            found = self._resolve_quotes(draft)
            return replace(found, finished=not form_issues(draft, self.task.brief_form), source=source)
        claims = merge_items(earlier, self._usable_items(draft) if draft is not None else ())
        if not claims:
            return Attempt(error="the reader submitted no quotes that are in the document")
        return replace(self._resolve_quotes(Draft(claims)), source=source)

    def review(self, draft: Draft) -> tuple[Issue, ...]:
        """The local rules on a brief that is handed in: its form, its quotes, and what it did not look at."""
        found = form_issues(draft, self.task.brief_form) or self._resolve_quotes(draft).refused
        # Beside what was gathered before, "nothing more" is no statement on the document.
        if found or draft.absence is None or self.absence_review is None or self._earlier_items():
            return found
        return self.absence_review.issues(draft.absence)

    def _resolve_quotes(self, draft: Draft) -> Attempt:
        assert self.explorer is not None and self.index is not None and self.task.document is not None
        pinned = resolve_quotes(
            draft, self.task.document, self.index, self.explorer.coverage_tracker.coverage.shown, self.visibility
        )
        return self.absence_review.add_search_record(pinned) if self.absence_review else pinned

    def _fresh_message(self, explorer: Explorer, hints: str) -> str:
        """The compact message that takes the place of the reader's conversation so far."""
        assert self.task.document is not None
        brief = truncate(render_items(self._latest_attempt(), self.task.document), BRIEF_CHARS)
        return render_prompt(
            "reader_continue",
            opening=self.task.opening(explorer.nonce, include_document=False),
            done=explorer.summarize_steps(SUMMARY_CHARS),
            brief=frame_data(brief, explorer.nonce) if brief else "(none)",
            feedback=hints,
        )

    def _usable_items(self, draft: Draft) -> tuple[DraftClaim, ...]:
        """The items of a draft that the rules would take alone: of a brief that was never taken, what can be used."""
        refused = {issue.claim for issue in self._resolve_quotes(draft).refused}
        return tuple(
            claim
            for number, claim in enumerate(draft.claims, 1)
            if number not in refused and not form_issues(Draft((claim,)), self.task.brief_form)
        )

    def _earlier_items(self) -> tuple[DraftClaim, ...]:
        """The items that the latest brief had."""
        attempt = self._latest_attempt()
        return tuple(
            DraftClaim(claim.text, tuple(quote.said for quote in attempt.quotes_of(claim)), claim.calculations)
            for claim in attempt.claims
        )

    def _latest_attempt(self) -> Attempt:
        """The latest attempt that had a brief."""
        return next((step.attempt for step in reversed(self._steps) if step.attempt.claims), Attempt())

    def _extract_draft(self) -> Draft | None:
        """One last call over the trajectory when the steps are used up; None if it hands in nothing usable."""
        assert self.explorer is not None
        told = self.task.extractor_request(self.explorer.trajectory, self.explorer.nonce)
        printed = "\n".join(output for _, output in self.explorer.trajectory)
        request = Request(
            "extractor",
            prompt_text("reader_system"),
            (UserTurn(told),),
            (ACT_TOOL,),
            inputs={**self.task.inputs, "trajectory": printed},
        )
        reply = self.reader.complete(request)
        drafts = [act for call in reply.calls if isinstance(act := parse_call(call), Draft)]
        return drafts[-1] if drafts else None


def merge_items(earlier: Sequence[DraftClaim], added: Sequence[DraftClaim]) -> tuple[DraftClaim, ...]:
    """The earlier items, without those of which an added one has the same quotes or words, then the added ones."""

    def keys(claim: DraftClaim) -> tuple[object, object]:
        return frozenset(" ".join(quote.split()) for quote in claim.quotes), " ".join(claim.text.split()).casefold()

    def again(old: DraftClaim, new: DraftClaim) -> bool:
        return any(one == other for one, other in zip(keys(old), keys(new), strict=True))

    kept = [claim for claim in earlier if not any(again(claim, new) for new in added)]
    return (*kept, *added)


def render_constraints(steps: Sequence[Step], nonce: str) -> str:
    """What went wrong before: the last two iterations word for word, older ones counted; empty at first."""
    if not steps:
        return ""
    older = len(steps) - VERBATIM_ITERATIONS
    parts = []
    for number, step in list(enumerate(steps, 1))[-VERBATIM_ITERATIONS:]:
        parts.append(f"Iteration {number} was not accepted:\n" + render_issues(step.issues, nonce))
        if step.attempt.output:
            parts.append(f"Its output (improve on this):\n{frame_data(step.attempt.output, nonce)}")
        if step.attempt.memory:
            parts.append(f"Its memory update (kept once the rules hold):\n{frame_data(step.attempt.memory, nonce)}")
    omitted = f"({older} earlier iteration(s) omitted)\n" if older > 0 else ""
    return render_prompt("reasoner_constraints", omitted=omitted, iterations="\n".join(parts)) + "\n\n"
