"""Question mode: claims pinned to verbatim quotes, checked by rules and then by a judge."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ralph_cli.checks.absence import AbsenceReview
from ralph_cli.checks.base import Check, run_in_order
from ralph_cli.checks.form import AnswerForm, form_issues, has_only_length_issues
from ralph_cli.checks.quotes import VisibilityPolicy, resolve_quotes
from ralph_cli.checks.verifier import VerifierCheck
from ralph_cli.core.document import Document
from ralph_cli.core.model import Model, Request, UserTurn
from ralph_cli.core.prompts.framing import frame_data, render_issues, truncate
from ralph_cli.core.prompts.templates import prompt_text, render_prompt
from ralph_cli.core.run import Attempt, Draft, Evidence, Issue, Lesson
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.loop.state import LoopState
from ralph_cli.modes.kept import AcceptedClaims
from ralph_cli.modes.opening import describe_pages, render_headings
from ralph_cli.modes.retry import SUMMARY_CHARS, Retry, needs_fresh_conversation
from ralph_cli.rlm.loop import Explorer
from ralph_cli.rlm.parse import ACT_TOOL, parse_call

PREVIEW_CHARS, TRAJECTORY_CHARS = 600, 24_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of which document, and the form the answer must have."""

    text: str
    document: Document
    form: AnswerForm

    def opening(self, nonce: str, *, include_document: bool) -> str:
        """The first message: metadata and a preview, or the whole text of a short document; the question last."""
        values = {
            "kind": self.document.kind,
            "characters": f"{len(self.document.text):,}",
            "pages": describe_pages(self.document),
            "preview": frame_data(
                self.document.text if include_document else self.document.text[:PREVIEW_CHARS], nonce
            ),
            "question": self.text,
            **self._form_values(),
        }
        if include_document:
            return render_prompt("worker_direct", **values)
        return render_prompt("worker_opening", headings=render_headings(self.document, nonce), **values)

    def extractor_request(self, trajectory: Sequence[tuple[str, str]], nonce: str) -> str:
        """The message of the fallback extractor: the question over what was printed."""
        steps = "\n\n".join(f"Step {n}\nCode:\n{code}\nOutput:\n{out}" for n, (code, out) in enumerate(trajectory, 1))
        shown = frame_data(truncate(steps, TRAJECTORY_CHARS) or "(no step was run)", nonce)
        return render_prompt("extractor", trajectory=shown, question=self.text, **self._form_values())

    def _form_values(self) -> dict[str, object]:
        return {"bullets": self.form.bullets, "quotes": self.form.quotes, "quote_chars": self.form.quote_chars}

    @property
    def inputs(self) -> dict[str, object]:
        """The same as values, for engines that read no prose."""
        form = self.form
        return {
            "question": self.text,
            "bullets": [form.bullets.low, form.bullets.high],
            "quotes": [form.quotes.low, form.quotes.high],
            "quote_chars": [form.quote_chars.low, form.quote_chars.high],
        }


@dataclass(slots=True)
class QaMode:
    """The qa mode of the outer loop: see `loop.engine.Mode`.

    Claims that a judge let stand are kept: the worker is asked for the others only, and they are not judged again.
    """

    question: Question
    explorer: Explorer
    worker: Model
    index: QuoteIndex
    local_checks: Sequence[Check]
    judge: Check
    figure_check: Check
    counter_check: Check | None = None
    verifier: VerifierCheck | None = None
    visibility: VisibilityPolicy | None = None
    retry: Retry = "auto"
    accepted_claims: AcceptedClaims = field(default_factory=AcceptedClaims)
    absence_review: AbsenceReview = field(init=False)
    _starts_fresh: bool = False
    _only_lengths_refused: bool = False

    def __post_init__(self) -> None:
        explorer = self.explorer
        self.absence_review = AbsenceReview(
            self.question.document,
            self.question.text,
            lambda: explorer.searches,
            lambda: explorer.coverage_tracker.coverage.shown,
        )

    def plan(self, state: LoopState) -> str:
        if not state.steps:
            return ""
        step = state.steps[-1]
        issues = render_issues((*step.attempt.refused, *step.issues), self.explorer.nonce)
        values = {"issues": issues or "- nothing was handed in", "kept": self.accepted_claims.message()}
        self._starts_fresh = needs_fresh_conversation(self.retry, state, self.explorer.characters)
        if not self._starts_fresh:
            return render_prompt("worker_feedback", **values)
        opening = self.question.opening(self.explorer.nonce, include_document=False)
        return render_prompt(
            "worker_continue", opening=opening, done=self.explorer.summarize_steps(SUMMARY_CHARS), **values
        )

    def run(self, message: str, iteration: int) -> Attempt:
        if self.verifier is not None:
            self.verifier.begin(iteration)
        if self._starts_fresh:
            self.explorer.restart(message)
        explored = self.explorer.explore("" if self._starts_fresh else message, iteration)
        if explored.accepted and explored.draft is not None:
            return replace(self._resolve_merged(explored.draft), finished=True, source="worker")
        draft = self._extract_draft() or explored.draft
        if draft is None and not self.accepted_claims.claims:
            return Attempt()
        attempt = self._resolve_merged(draft or Draft())
        finished = not form_issues(self.accepted_claims.merge(draft or Draft()), self.question.form)
        return replace(attempt, finished=finished, source="extractor")

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        further = (self.verifier,) if self.verifier is not None else ()
        if attempt.absence is not None:
            return run_in_order((*self.local_checks, self._check_lengths, self.absence_review, *further), attempt)
        counter = (self.counter_check,) if self.counter_check is not None else ()
        found = run_in_order((*self.local_checks, self._judge_fresh_claims, *counter, *further), attempt)
        self.accepted_claims = self.accepted_claims.update(attempt, found)
        return found

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Nothing beyond the issues: they are the feedback, word for word."""
        return None

    def review(self, draft: Draft) -> tuple[Issue, ...]:
        """The local rules on a draft with what is kept: its form, quotes and figures, and what it did not look at."""
        merged = self.accepted_claims.merge(draft)
        issues = form_issues(merged, self.question.form)
        if merged.absence is not None:
            return issues or self._length_issues() or self.absence_review.issues(merged.absence)
        self._only_lengths_refused = has_only_length_issues(merged, self.question.form)
        if issues:
            return issues
        attempt = self._resolve_quotes(merged)
        return attempt.refused or self.figure_check(attempt).issues

    def _length_issues(self) -> tuple[Issue, ...]:
        """What speaks against an absence after claims that only had quotes of a wrong length: they are no absence."""
        if not self._only_lengths_refused:
            return ()
        length = self.question.form.quote_chars
        message = (
            f"only the length of the quotes was refused, which is no absence; hand in quotes of {length} characters"
        )
        return (Issue("form", message),)

    def _check_lengths(self, attempt: Attempt) -> Evidence:
        return Evidence("form", self._length_issues())

    def _resolve_merged(self, draft: Draft) -> Attempt:
        return self.absence_review.add_search_record(self._resolve_quotes(self.accepted_claims.merge(draft)))

    def _resolve_quotes(self, draft: Draft) -> Attempt:
        return resolve_quotes(
            draft, self.question.document, self.index, self.explorer.coverage_tracker.coverage.shown, self.visibility
        )

    def _judge_fresh_claims(self, attempt: Attempt) -> Evidence:
        """The judge's evidence on all claims; those that were let stand before, word for word, are not sent again."""
        settled = self.accepted_claims.rulings_for(attempt)
        fresh = tuple(claim for claim in attempt.claims if claim.id not in {ruling.claim for ruling in settled})
        if not fresh:
            return Evidence("judge", (), settled, score=1.0)
        ids = {number for claim in fresh for number in claim.quotes}
        quotes = tuple(quote for quote in attempt.quotes if quote.id in ids)
        found = self.judge(replace(attempt, claims=fresh, quotes=quotes))
        if found.broken:
            return found
        rulings = tuple(sorted((*settled, *found.rulings), key=lambda ruling: ruling.claim))
        score = 1 - len(found.issues) / len(attempt.claims)
        return replace(found, rulings=rulings, score=score)

    def _extract_draft(self) -> Draft | None:
        """One last call over the trajectory when the steps are used up; None if it hands in nothing usable."""
        request = Request(
            "extractor",
            prompt_text("worker_system"),
            (UserTurn(self.question.extractor_request(self.explorer.trajectory, self.explorer.nonce)),),
            (ACT_TOOL,),
            inputs={
                **self.question.inputs,
                "trajectory": "\n".join(output for _, output in self.explorer.trajectory),
            },
        )
        reply = self.worker.complete(request)
        drafts = [act for call in reply.calls if isinstance(act := parse_call(call), Draft)]
        return drafts[-1] if drafts else None
