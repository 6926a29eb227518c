"""Question mode: claims pinned to verbatim quotes, checked by rules and then by a judge."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ralph_cli.agents.spec import prompt, render
from ralph_cli.checks.base import GOOD, Check, run_in_order
from ralph_cli.checks.quotes import pin
from ralph_cli.checks.rules import AnswerForm, form_issues
from ralph_cli.core.document import Document
from ralph_cli.core.model import Model, Request, UserTurn
from ralph_cli.core.run import Attempt, Draft, Evidence, Lesson, Step
from ralph_cli.documents.locate import QuoteIndex
from ralph_cli.loop.state import LoopState
from ralph_cli.rlm.loop import Explorer
from ralph_cli.rlm.observe import cut, framed
from ralph_cli.rlm.parse import ACT, parse_call

PREVIEW = 600
TRAJECTORY = 24_000
HEADINGS = 40


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
            "pages": _pages(self.document),
            "preview": framed(self.document.text if direct else self.document.text[:PREVIEW], nonce),
            "question": self.text,
            **self._counts(),
        }
        if direct:
            return render("worker_direct", **values)
        return render("worker_opening", headings=_headings(self.document, nonce), **values)

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


def _pages(document: Document) -> str:
    count = len(document.pages)
    if not document.paged:
        return f"{document.text.count(chr(10)) + 1:,} lines, no pages"
    labelled = [page for page in document.pages if page.label != str(page.number)]
    odd = f" (printed labels differ: page {labelled[0].number} is labelled {labelled[0].label})" if labelled else ""
    return f"{count} pages{odd}"


def _headings(document: Document, nonce: str) -> str:
    if not document.headings:
        return ""
    tops = [heading for heading in document.headings if heading.level <= 2] or list(document.headings)
    lines = [f"{h.text[:80]} (page {document.page_at(h.start).number})" for h in tops[:HEADINGS]]
    if len(tops) > HEADINGS:
        lines.append(f"... {len(tops) - HEADINGS} more")
    return f"Headings:\n{framed(chr(10).join(lines), nonce)}\n"


@dataclass(slots=True)
class QaMode:
    """The qa mode of the outer loop: see `loop.engine.Mode`."""

    question: Question
    explorer: Explorer
    worker: Model
    index: QuoteIndex
    local_checks: Sequence[Check]
    judge: Check

    def plan(self, state: LoopState) -> str:
        if not state.steps:
            return ""
        step = state.steps[-1]
        issues = "\n".join(f"- {issue.message}" for issue in (*step.attempt.refused, *step.issues))
        issues = "\n".join(dict.fromkeys(issues.splitlines()))
        return render("worker_feedback", issues=issues or "- nothing was handed in", kept=_kept(step))

    def run(self, order: str, iteration: int) -> Attempt:
        explored = self.explorer.explore(order, iteration)
        if explored.taken and explored.draft is not None:
            return replace(pin(explored.draft, self.question.document, self.index), finished=True, source="worker")
        draft = self._extract() or explored.draft
        if draft is None:
            return Attempt()
        attempt = pin(draft, self.question.document, self.index)
        return replace(attempt, finished=not form_issues(draft, self.question.form), source="extractor")

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        if attempt.absence is not None:
            return run_in_order(self.local_checks, attempt)
        return run_in_order((*self.local_checks, self.judge), attempt)

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Nothing beyond the issues: they are the feedback, word for word."""
        return None

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


def _kept(step: Step) -> str:
    """Which claims a judge let stand, so that they are not rewritten."""
    good = [str(ruling.claim) for ruling in step.rulings if ruling.verdict in GOOD]
    kept = "keep them word for word, unless a mended claim says the same"
    return f"Accepted as they are, {kept}: claim {', '.join(good)}.\n" if good else ""


def review(question: Question, index: QuoteIndex, draft: Draft) -> tuple[str, ...]:
    """The local rules on a draft, before a judge is paid: its form, then its quotes."""
    issues = form_issues(draft, question.form) or pin(draft, question.document, index).refused
    return tuple(issue.message for issue in issues)
