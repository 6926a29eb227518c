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
from ralph_cli.checks.judge.claims import one_word
from ralph_cli.checks.judge.outputs import NAME as TASK_JUDGE
from ralph_cli.checks.output.check import UNFOUND, OutputCheck, OutputForm
from ralph_cli.checks.output.shape import unfenced
from ralph_cli.checks.quotes import Visibility, pin
from ralph_cli.checks.verifier import VerifierCheck
from ralph_cli.core.document import Document
from ralph_cli.core.model import Json, Model, Request, UserTurn
from ralph_cli.core.prompts.framing import cut, framed, told
from ralph_cli.core.prompts.json_reply import Unparseable, ask, one_object
from ralph_cli.core.prompts.templates import prompt, render
from ralph_cli.core.run import Attempt, Claim, Draft, DraftClaim, Evidence, Issue, Lesson, Step
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.loop.state import LoopState
from ralph_cli.modes.opening import headings_told, pages_told
from ralph_cli.modes.retry import SUMMARY, Retry, starts_afresh
from ralph_cli.rlm.loop import Explorer
from ralph_cli.rlm.parse import ACT, parse_call

PREVIEW, TRAJECTORY = 600, 24_000
BRIEF = 24_000
"""Characters of the brief so far that a fresh conversation of the reader is shown."""

ITEMS, QUOTES = Range(1, 60), Range(1, 120)
"""Items of a brief, and different quotes in it, that a reader may hand in at once."""

VERBATIM = 2
"""So many of the latest iterations are repeated to the reasoner word for word; older ones are counted."""

MAX_TOKENS = 8_000
HINTED = frozenset({TASK_JUDGE, "verifier", UNFOUND, COVERAGE, ABSENCE, "quotes", "form", "brief"})
"""Issues of these checks may be mended by reading more; the others concern the reasoner alone."""

FORMATS = {
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
        return AnswerForm(ITEMS, QUOTES, self.quote_chars)

    def opening(self, nonce: str, *, direct: bool) -> str:
        """The reader's first message: metadata and a preview, or the whole text; notes; the task last."""
        assert self.document is not None
        text = self.document.text
        values: dict[str, object] = {
            "kind": self.document.kind,
            "characters": f"{len(text):,}",
            "pages": pages_told(self.document),
            "preview": framed(text if direct else text[:PREVIEW], nonce),
            "memory": f"Notes of earlier runs (`memory`):\n{framed(self.memory, nonce)}\n" if self.memory else "",
            "task": self.text,
            **self._counts(),
        }
        if direct:
            return render("reader_direct", **values)
        return render("reader_opening", headings=headings_told(self.document, nonce), **values)

    def last_call(self, trajectory: Sequence[tuple[str, str]], nonce: str) -> str:
        """The message of the fallback extractor: the task over what was printed."""
        steps = "\n\n".join(f"Step {n}\nCode:\n{code}\nOutput:\n{out}" for n, (code, out) in enumerate(trajectory, 1))
        shown = framed(cut(steps, TRAJECTORY) or "(no step was run)", nonce)
        return render("reader_extractor", trajectory=shown, task=self.text, **self._counts())

    def work_order(self, brief: Attempt, constraints: str, nonce: str) -> str:
        """The reasoner's message: brief, notes, constraints, format, and the task last."""
        kind = FORMATS[self.output.kind]
        if self.schema:
            kind += f". It must fit this JSON Schema:\n{framed(self.schema, nonce)}"
        memory = framed(self.memory, nonce) if self.memory else "(nothing)"
        told: dict[str, object] = {"memory": memory, "constraints": constraints, "format": kind, "task": self.text}
        if self.document is None:
            return render("reasoner_request_memory", **told)
        shown = framed(items_told(brief, self.document), nonce)
        return render("reasoner_request", brief=shown, document=one_word(self.document.path), **told)

    def _counts(self) -> dict[str, object]:
        return {"bullets": ITEMS, "quotes": QUOTES, "quote_chars": self.quote_chars}

    @property
    def inputs(self) -> dict[str, object]:
        """The same as values, for engines that read no prose."""
        return {
            "question": self.text,
            "bullets": [ITEMS.low, ITEMS.high],
            "quotes": [QUOTES.low, QUOTES.high],
            "quote_chars": [self.quote_chars.low, self.quote_chars.high],
        }


def items_told(brief: Attempt, document: Document) -> str:
    """The items of a brief with their quotes and pages."""
    return "\n".join(_item(claim, brief, document) for claim in brief.claims)


def _item(claim: Claim, brief: Attempt, document: Document) -> str:
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
    visibility: Visibility | None = None
    absence: AbsenceReview | None = field(init=False, default=None)
    _past: tuple[Step, ...] = ()
    _restart: bool = False

    def __post_init__(self) -> None:
        if self.explorer is not None and self.task.document is not None:
            explorer, read = self.explorer, self.explorer.reading
            self.absence = AbsenceReview(
                self.task.document, self.task.text, lambda: explorer.searches, lambda: read.coverage.shown
            )

    def plan(self, state: LoopState) -> str:
        """The hints for the reader: what the last iteration lacked. Empty when reading more would mend nothing."""
        self._past, self._restart = state.steps, False
        if not state.steps:
            return ""
        step = state.steps[-1]
        issues = [issue for issue in (*step.attempt.refused, *step.issues) if issue.check in HINTED]
        if not issues and self._earlier():
            return ""
        nonce = self.explorer.nonce if self.explorer else ""
        hints = render("reader_feedback", hints=told(issues, nonce) or "- no brief was handed in")
        if self.explorer is None or not starts_afresh(self.retry, state, self.explorer.characters):
            return hints
        self._restart = True
        return self._afresh(self.explorer, hints)

    def run(self, order: str, iteration: int) -> Attempt:
        if self.verifier is not None:
            self.verifier.begin(iteration)
        brief = self._brief(order, iteration)
        if brief.error or brief.absence is not None:
            return brief
        nonce = self.new_nonce()
        constraints = constraints_told(self._past, nonce)
        request = Request(
            "reasoner",
            prompt("reasoner_system"),
            (UserTurn(self.task.work_order(brief, constraints, nonce)),),
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
            said = ask(self.reasoner, request, lambda text: one_object(text, _Result))
        except Unparseable as error:
            return replace(brief, error=f"the TaskReasoner gave nothing usable: {error}")
        output = unfenced(said.output, self.task.output.kind)
        return replace(brief, finished=True, output=output, memory=said.memory_update.strip())

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        if attempt.error:
            return (Evidence("brief", (Issue("brief" if not attempt.claims else "reasoner", attempt.error),)),)
        if attempt.absence is not None:
            return run_in_order((*self.brief_checks, *((self.absence,) if self.absence else ())), attempt)
        further = (self.verifier,) if self.verifier is not None else ()
        return run_in_order((*self.brief_checks, self.output_check, self.judge, *further), attempt)

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Keep what was established, if everything but the judge's word holds; the issues are the feedback."""
        hard = [item for item in evidence if item.check != TASK_JUDGE and not item.check.startswith("verifier")]
        established = attempt.output and hard and hard[-1].check == "output" and all(item.passed for item in hard)
        # A note that says more than the quotes is not kept; that is no reason to refuse the output.
        if established and self.remember is not None and not self.output_check.unfit_to_remember(attempt):
            self.remember(state.iteration, attempt.memory)
        return None

    def _brief(self, order: str, iteration: int) -> Attempt:
        """The brief of this iteration: that of the ones before, and what the reader adds to it."""
        if self.explorer is None or self.index is None or self.task.document is None:
            return Attempt()
        earlier = self._earlier()
        if self._past and not order:
            return replace(self._pinned(Draft(earlier)), source="worker")
        if self._restart:
            self.explorer.restart(order)
        explored = self.explorer.explore("" if self._restart else order, iteration)
        draft = explored.draft if explored.taken else self._extract() or explored.draft
        source: Literal["worker", "extractor"] = "worker" if explored.taken else "extractor"
        if draft is not None and draft.absence is not None and not earlier:
            found = self._pinned(draft)
            return replace(found, finished=not form_issues(draft, self.task.brief_form), source=source)
        claims = merged(earlier, self._sound(draft) if draft is not None else ())
        if not claims:
            return Attempt(error="the DocReader handed in no brief whose quotes are in the document")
        return replace(self._pinned(Draft(claims)), source=source)

    def review(self, draft: Draft) -> tuple[Issue, ...]:
        """The local rules on a brief that is handed in: its form, its quotes, and what it did not look at."""
        found = form_issues(draft, self.task.brief_form) or self._pinned(draft).refused
        # Beside what was gathered before, "nothing more" is no statement on the document.
        if found or draft.absence is None or self.absence is None or self._earlier():
            return found
        return self.absence.issues(draft.absence)

    def _pinned(self, draft: Draft) -> Attempt:
        assert self.explorer is not None and self.index is not None and self.task.document is not None
        pinned = pin(draft, self.task.document, self.index, self.explorer.reading.coverage.shown, self.visibility)
        return self.absence.recorded(pinned) if self.absence else pinned

    def _afresh(self, explorer: Explorer, hints: str) -> str:
        """The compact message that takes the place of the reader's conversation so far."""
        assert self.task.document is not None
        brief = cut(items_told(self._latest(), self.task.document), BRIEF)
        return render(
            "reader_continue",
            opening=self.task.opening(explorer.nonce, direct=False),
            done=explorer.done(SUMMARY),
            brief=framed(brief, explorer.nonce) if brief else "(none)",
            feedback=hints,
        )

    def _sound(self, draft: Draft) -> tuple[DraftClaim, ...]:
        """The items of a draft that the rules would take alone: of a brief that was never taken, what can be used."""
        refused = {issue.claim for issue in self._pinned(draft).refused}
        return tuple(
            claim
            for number, claim in enumerate(draft.claims, 1)
            if number not in refused and not form_issues(Draft((claim,)), self.task.brief_form)
        )

    def _earlier(self) -> tuple[DraftClaim, ...]:
        """The items that the latest brief had."""
        attempt = self._latest()
        return tuple(
            DraftClaim(claim.text, tuple(quote.said for quote in attempt.quotes_of(claim)), claim.calculations)
            for claim in attempt.claims
        )

    def _latest(self) -> Attempt:
        """The latest attempt that had a brief."""
        return next((step.attempt for step in reversed(self._past) if step.attempt.claims), Attempt())

    def _extract(self) -> Draft | None:
        """One last call over the trajectory when the steps are used up; None if it hands in nothing usable."""
        assert self.explorer is not None
        told = self.task.last_call(self.explorer.trajectory, self.explorer.nonce)
        printed = "\n".join(output for _, output in self.explorer.trajectory)
        request = Request(
            "extractor",
            prompt("reader_system"),
            (UserTurn(told),),
            (ACT,),
            inputs={**self.task.inputs, "trajectory": printed},
        )
        reply = self.reader.complete(request)
        drafts = [act for call in reply.calls if isinstance(act := parse_call(call), Draft)]
        return drafts[-1] if drafts else None


def merged(earlier: Sequence[DraftClaim], added: Sequence[DraftClaim]) -> tuple[DraftClaim, ...]:
    """The earlier items, without those of which an added one has the same quotes or words, then the added ones."""

    def keys(claim: DraftClaim) -> tuple[object, object]:
        return frozenset(" ".join(quote.split()) for quote in claim.quotes), " ".join(claim.text.split()).casefold()

    def again(old: DraftClaim, new: DraftClaim) -> bool:
        return any(one == other for one, other in zip(keys(old), keys(new), strict=True))

    kept = [claim for claim in earlier if not any(again(claim, new) for new in added)]
    return (*kept, *added)


def constraints_told(steps: Sequence[Step], nonce: str) -> str:
    """What went wrong before: the last two iterations word for word, older ones counted; empty at first."""
    if not steps:
        return ""
    older = len(steps) - VERBATIM
    parts = []
    for number, step in list(enumerate(steps, 1))[-VERBATIM:]:
        parts.append(f"Iteration {number} was not accepted:\n" + told(step.issues, nonce))
        if step.attempt.output:
            parts.append(f"Its output (improve on this):\n{framed(step.attempt.output, nonce)}")
        if step.attempt.memory:
            parts.append(f"Its memory update (kept once the rules hold):\n{framed(step.attempt.memory, nonce)}")
    omitted = f"({older} earlier iteration(s) omitted)\n" if older > 0 else ""
    return render("reasoner_constraints", omitted=omitted, iterations="\n".join(parts)) + "\n\n"
