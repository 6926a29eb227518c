"""Question mode: claims pinned to verbatim quotes, checked by rules and then by a judge."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ralph_cli.checks.absence import is_absence, rule_by_counts
from ralph_cli.checks.base import Check, JudgeCheck, run_in_order
from ralph_cli.checks.form import form_issues
from ralph_cli.checks.verifier import VerifierCheck
from ralph_cli.core.prompts.framing import render_issues
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import ABSENCE_CHECK, Attempt, Draft, Evidence, Issue, Lesson
from ralph_cli.loop.state import LoopState
from ralph_cli.modes.kept import AcceptedClaims, Objections
from ralph_cli.modes.reader import DocumentReader
from ralph_cli.modes.retry import Retry, needs_fresh_conversation
from ralph_cli.rlm.loop import Review
from ralph_cli.text.sentences import shorten_line

# The characters by which a refusal names a claim.
CLAIM_BEGINS = 60


@dataclass(slots=True, kw_only=True)
class QaMode:
    """The qa mode of the outer loop: see `loop.engine.Mode`.

    Supported claims are kept: the worker is asked for the others only, and they are not judged again.
    """

    reader: DocumentReader
    local_checks: Sequence[Check]
    judge: JudgeCheck
    figure_check: Check
    cited_check: Check | None = None
    absence_check: Check | None = None
    list_check: Check | None = None
    verifier: VerifierCheck | None = None
    retry: Retry = "auto"
    accepted_claims: AcceptedClaims = field(default_factory=AcceptedClaims)
    objections: Objections = field(default_factory=Objections)
    _starts_fresh: bool = False

    def plan(self, state: LoopState) -> str:
        if not state.steps:
            return ""
        step = state.steps[-1]
        issues = render_issues((*step.attempt.refused, *step.issues), self.reader.nonce)
        values = {"issues": issues or "- nothing was handed in", "kept": self.accepted_claims.message()}
        self._starts_fresh = needs_fresh_conversation(self.retry, state, self.reader.explorer.characters)
        if not self._starts_fresh:
            return render_prompt("worker_feedback", **values)
        return render_prompt("worker_continue", **self.reader.continuation(), **values)

    def run(self, message: str, iteration: int) -> Attempt:
        if self.verifier is not None:
            self.verifier.begin(iteration)
        reading = self.reader.read(message, iteration, self.review, fresh=self._starts_fresh)
        if reading.attempt is not None:
            return replace(reading.attempt, finished=True, source="worker")
        if reading.draft is None and not self.accepted_claims.claims:
            return Attempt(error=reading.stuck)
        merged = self._merge(reading.draft or Draft())
        finished = not form_issues(merged, self.reader.assignment.form)
        return replace(self.reader.resolve(merged), finished=finished, source="extractor")

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        further = (self.verifier,) if self.verifier is not None else ()
        if attempt.absence is not None:
            absence = (self.absence_check,) if self.absence_check is not None else ()
            return run_in_order((*self.local_checks, *absence, *further), attempt)
        cited = (self.cited_check,) if self.cited_check is not None else ()
        found = run_in_order(self.local_checks, attempt)
        if all(item.passed for item in found):
            judged = (*self._rule_on_absences(attempt), self._judge_fresh_claims(attempt, found))
            # The judge's citations tell the worker what to correct, whatever the verdicts are.
            found += judged + (() if judged[-1].broken else tuple(check(attempt) for check in cited))
            if all(item.passed for item in found):
                listed = (self.list_check,) if self.list_check is not None else ()
                found += run_in_order((*listed, *further), attempt)
        self.objections.add(attempt, [issue for item in found for issue in item.issues])
        self.accepted_claims = self.accepted_claims.update(attempt, found)
        return found

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Return nothing beyond the issues: the feedback is the issues, word for word."""
        return None

    def review(self, draft: Draft) -> Review:
        """Check a draft with the kept claims by the local rules: form, quotes, figures, and parts that were not
        read.
        """
        merged = self._merge(draft)
        issues = form_issues(merged, self.reader.assignment.form)
        if merged.absence is not None:
            return Review(issues, None if issues else self.reader.resolve(merged))
        attempt = self.reader.resolve(merged)
        faulty = {issue.claim for issue in (*issues, *attempt.refused)}
        # A figure may be in the very quote that was refused.
        figures = tuple(issue for issue in self.figure_check(attempt).issues if issue.claim not in faulty)
        self.objections.add(attempt, figures)
        unseen = () if self.reader.ranks_only else self.reader.unseen_quotes.issues(attempt)
        told = self._name_claims((*issues, *attempt.refused, *figures, *unseen), merged)
        return Review(told, attempt)

    def _name_claims(self, issues: Sequence[Issue], merged: Draft) -> tuple[Issue, ...]:
        """Return the issues. If claims are kept, each names its claim by its first words, because the numbers
        differ.
        """
        if not self.accepted_claims.claims:
            return tuple(issues)
        begun = {number: shorten_line(claim.text, CLAIM_BEGINS) for number, claim in enumerate(merged.claims, 1)}
        return tuple(
            replace(it, material=f'("{begun[it.claim]}") {it.material}'.strip()) if it.claim in begun else it
            for it in issues
        )

    def _merge(self, draft: Draft) -> Draft:
        """Return the draft with the kept claims, and with reasons only for claims to which code has objected."""
        return self.objections.admit(self.accepted_claims.merge(draft))

    def _rule_on_absences(self, attempt: Attempt) -> tuple[Evidence, ...]:
        """Return the second reader's rulings on claims that something is not in the document; without a reader, by
        counts.
        """
        absences = [claim for claim in attempt.claims if is_absence(claim)]
        if not absences:
            return ()
        if self.absence_check is not None:
            return (self.absence_check(attempt),)
        return (Evidence(ABSENCE_CHECK, rulings=tuple(map(rule_by_counts, absences))),)

    def _judge_fresh_claims(self, attempt: Attempt, local: Sequence[Evidence]) -> Evidence:
        """Return the judge's evidence on all claims.

        Claims that were supported before, word for word, are not sent again.
        """
        # A judge cannot find in a quote what the document does not say: a second reader looks for it.
        absent = {claim.id for claim in attempt.claims if is_absence(claim)}
        settled = tuple(it for it in self.accepted_claims.rulings_for(attempt) if it.claim not in absent)
        known = absent | {ruling.claim for ruling in settled}
        fresh = tuple(claim for claim in attempt.claims if claim.id not in known)
        if not fresh:
            return Evidence("judge", (), settled, score=1.0)
        ids = {number for claim in fresh for number in claim.quotes}
        quotes = tuple(quote for quote in attempt.quotes if quote.id in ids)
        found = self.judge(replace(attempt, claims=fresh, quotes=quotes), local)
        if found.broken:
            return found
        rulings = tuple(sorted((*settled, *found.rulings), key=lambda ruling: ruling.claim))
        score = 1 - len(found.issues) / len(attempt.claims)
        return replace(found, rulings=rulings, score=score)
