"""Question mode: claims pinned to verbatim quotes, checked by rules and then by a judge."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ralph_cli.checks.absence import AbsenceReview
from ralph_cli.checks.base import Check, run_in_order
from ralph_cli.checks.form import AnswerForm, form_issues, only_lengths
from ralph_cli.checks.quotes import Visibility, pin
from ralph_cli.checks.verifier import VerifierCheck
from ralph_cli.core.document import Document
from ralph_cli.core.model import Model, Request, UserTurn
from ralph_cli.core.prompts.framing import cut, framed, told
from ralph_cli.core.prompts.templates import prompt, render
from ralph_cli.core.run import Attempt, Draft, Evidence, Issue, Lesson
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.loop.state import LoopState
from ralph_cli.modes.kept import Kept
from ralph_cli.modes.opening import headings_told, pages_told
from ralph_cli.modes.retry import SUMMARY, Retry, starts_afresh
from ralph_cli.rlm.loop import Explorer
from ralph_cli.rlm.parse import ACT, parse_call

PREVIEW, TRAJECTORY = 600, 24_000


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of which document, and the form the answer must have."""

    text: str
    document: Document
    form: AnswerForm

    def opening(self, nonce: str, *, direct: bool) -> str:
        """The first message: metadata and a preview, or the whole text of a short document; the question last."""
        values = {
            "kind": self.document.kind,
            "characters": f"{len(self.document.text):,}",
            "pages": pages_told(self.document),
            "preview": framed(self.document.text if direct else self.document.text[:PREVIEW], nonce),
            "question": self.text,
            **self._counts(),
        }
        if direct:
            return render("worker_direct", **values)
        return render("worker_opening", headings=headings_told(self.document, nonce), **values)

    def last_call(self, trajectory: Sequence[tuple[str, str]], nonce: str) -> str:
        """The message of the fallback extractor: the question over what was printed."""
        steps = "\n\n".join(f"Step {n}\nCode:\n{code}\nOutput:\n{out}" for n, (code, out) in enumerate(trajectory, 1))
        shown = framed(cut(steps, TRAJECTORY) or "(no step was run)", nonce)
        return render("extractor", trajectory=shown, question=self.text, **self._counts())

    def _counts(self) -> dict[str, object]:
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
    numbers: Check
    counter: Check | None = None
    verifier: VerifierCheck | None = None
    visibility: Visibility | None = None
    retry: Retry = "auto"
    kept: Kept = field(default_factory=Kept)
    absence: AbsenceReview = field(init=False)
    _restart: bool = False
    _unfit: bool = False

    def __post_init__(self) -> None:
        explorer = self.explorer
        self.absence = AbsenceReview(
            self.question.document,
            self.question.text,
            lambda: explorer.searches,
            lambda: explorer.reading.coverage.shown,
        )

    def plan(self, state: LoopState) -> str:
        if not state.steps:
            return ""
        step = state.steps[-1]
        issues = told((*step.attempt.refused, *step.issues), self.explorer.nonce)
        values = {"issues": issues or "- nothing was handed in", "kept": self.kept.told()}
        self._restart = starts_afresh(self.retry, state, self.explorer.characters)
        if not self._restart:
            return render("worker_feedback", **values)
        opening = self.question.opening(self.explorer.nonce, direct=False)
        return render("worker_continue", opening=opening, done=self.explorer.done(SUMMARY), **values)

    def run(self, order: str, iteration: int) -> Attempt:
        if self.verifier is not None:
            self.verifier.begin(iteration)
        if self._restart:
            self.explorer.restart(order)
        explored = self.explorer.explore("" if self._restart else order, iteration)
        if explored.taken and explored.draft is not None:
            return replace(self._pinned(explored.draft), finished=True, source="worker")
        draft = self._extract() or explored.draft
        if draft is None and not self.kept.claims:
            return Attempt()
        attempt = self._pinned(draft or Draft())
        finished = not form_issues(self.kept.merged(draft or Draft()), self.question.form)
        return replace(attempt, finished=finished, source="extractor")

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        further = (self.verifier,) if self.verifier is not None else ()
        if attempt.absence is not None:
            return run_in_order((*self.local_checks, self._not_unfit, self.absence, *further), attempt)
        counter = (self.counter,) if self.counter is not None else ()
        found = run_in_order((*self.local_checks, self._judged, *counter, *further), attempt)
        self.kept = self.kept.after(attempt, found)
        return found

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Nothing beyond the issues: they are the feedback, word for word."""
        return None

    def review(self, draft: Draft) -> tuple[Issue, ...]:
        """The local rules on a draft with what is kept: its form, quotes and figures, and what it did not look at."""
        merged = self.kept.merged(draft)
        issues = form_issues(merged, self.question.form)
        if merged.absence is not None:
            return issues or self._unfit_issues() or self.absence.issues(merged.absence)
        self._unfit = only_lengths(merged, self.question.form)
        if issues:
            return issues
        attempt = self._looked_up(merged)
        return attempt.refused or self.numbers(attempt).issues

    def _unfit_issues(self) -> tuple[Issue, ...]:
        """What speaks against an absence after claims that only had quotes of a wrong length: they are no absence."""
        if not self._unfit:
            return ()
        length = self.question.form.quote_chars
        told = f"only the length of the quotes was refused, which is no absence; hand in quotes of {length} characters"
        return (Issue("form", told),)

    def _not_unfit(self, attempt: Attempt) -> Evidence:
        return Evidence("form", self._unfit_issues())

    def _pinned(self, draft: Draft) -> Attempt:
        return self.absence.recorded(self._looked_up(self.kept.merged(draft)))

    def _looked_up(self, draft: Draft) -> Attempt:
        return pin(draft, self.question.document, self.index, self.explorer.reading.coverage.shown, self.visibility)

    def _judged(self, attempt: Attempt) -> Evidence:
        """The judge's evidence on all claims; those that were let stand before, word for word, are not sent again."""
        settled = self.kept.rulings(attempt)
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

    def _extract(self) -> Draft | None:
        """One last call over the trajectory when the steps are used up; None if it hands in nothing usable."""
        request = Request(
            "extractor",
            prompt("worker_system"),
            (UserTurn(self.question.last_call(self.explorer.trajectory, self.explorer.nonce)),),
            (ACT,),
            inputs={
                **self.question.inputs,
                "trajectory": "\n".join(output for _, output in self.explorer.trajectory),
            },
        )
        reply = self.worker.complete(request)
        drafts = [act for call in reply.calls if isinstance(act := parse_call(call), Draft)]
        return drafts[-1] if drafts else None
