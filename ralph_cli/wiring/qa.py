"""The parts of a question run: worker, sandbox, checks and judge, put together."""

from dataclasses import replace

from ralph_cli.checks.base import Check
from ralph_cli.checks.coverage import CoverageCheck
from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.form import FormCheck
from ralph_cli.checks.judge.claims import Judge
from ralph_cli.checks.judge.counter_evidence import CounterEvidence
from ralph_cli.checks.quotes import QuoteCheck, VisibilityPolicy
from ralph_cli.checks.verifier import LLMVerifier, Verifier, VerifierCheck
from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.document import Document
from ralph_cli.core.events import EventSink, NoticeIssued
from ralph_cli.core.prompts.templates import prompt_text
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.documents.source import DocumentSource
from ralph_cli.documents.visibility import VisibilityChecker
from ralph_cli.modes.qa import QaMode, Question
from ralph_cli.rlm.bridge import DocumentSandbox, Subqueries
from ralph_cli.rlm.loop import Explorer
from ralph_cli.runner.scorers import AsksModel
from ralph_cli.wiring.models import BuiltMode, Models, RunContext


def build_visibility(
    settings: Settings, document: Document, sink: EventSink, source: DocumentSource
) -> VisibilityPolicy:
    """How quotes of the document are checked for visibility; what stands in the way of it is a notice."""

    def caution(code: str, message: str) -> None:
        sink(NoticeIssued(code, message))

    sight = VisibilityChecker(document, caution, source)
    return VisibilityPolicy(sight, settings.allow_hidden_text)


def choose_strategy(settings: Settings, document: Document) -> tuple[bool, str]:
    """Whether the document is given whole, and why."""
    size = len(document.text)
    if settings.strategy != "auto":
        return settings.strategy == "direct", f"--strategy {settings.strategy}"
    if size <= settings.direct_chars:
        return True, f"{size:,} characters are few enough to be read whole (limit {settings.direct_chars:,})"
    return False, f"{size:,} characters are explored by code (whole up to {settings.direct_chars:,})"


def build_qa(
    context: RunContext, document: Document, question: str, source: DocumentSource, verifier: Verifier | None = None
) -> BuiltMode:
    """The qa mode on built parts; the sandbox begins to start before this returns."""
    settings, models, nonces, sink = context.settings, context.models, context.nonces, context.sink
    direct, reason = choose_strategy(settings, document)
    direct = direct and models.worker.vendor != "offline"
    if models.worker.vendor != "offline":
        sink(NoticeIssued("strategy", f"{'direct' if direct else 'rlm'}: {reason}"))
    elif settings.strategy == "direct":
        sink(
            NoticeIssued("strategy", "rlm: the offline engine reads by code only, so --strategy direct is not followed")
        )
    workbench = DocumentSandbox(context.engine, document, context.ledger)
    if not direct:
        workbench.prepare()
    nonce = nonces()
    asked = Question(question, document, settings.form)
    index = QuoteIndex(document)
    subqueries = Subqueries(models.subquery, prompt_text("subquery_system"), nonce, settings.max_subqueries)
    explorer = Explorer(
        models.worker,
        workbench,
        subqueries,
        document,
        prompt_text("worker_system"),
        asked.opening(nonce, include_document=direct),
        asked.inputs,
        nonce,
        lambda draft: mode.review(draft),  # the mode is made below, of this very explorer
        sink,
        settings.max_steps,
        has_seen_text=direct,
    )
    numbers = NumbersCheck(document, question)
    checks: tuple[Check, ...] = (FormCheck(settings.form), QuoteCheck(document), numbers)
    if settings.min_coverage:
        checks += (CoverageCheck(document, settings.min_coverage, lambda: explorer.coverage_tracker.coverage.shown),)
    judge = Judge(models.judge, document, question, nonces, models.panel)
    mode = QaMode(
        asked,
        explorer,
        models.worker,
        index,
        checks,
        judge,
        numbers,
        counter_check=_build_counter_evidence(context, document, question),
        verifier=build_verifier_check(context, models, question, verifier),
        visibility=build_visibility(settings, document, sink, source),
        retry=settings.retry,
    )
    return BuiltMode(mode, (subqueries.close, workbench.close))


def _build_counter_evidence(context: RunContext, document: Document, question: str) -> CounterEvidence | None:
    """The search for what speaks against claims, unless it is switched off or no model is there to read."""
    if not context.settings.counter_evidence or context.models.judge.vendor == "offline":
        return None
    return CounterEvidence(context.models.judge, document, question, context.nonces)


def build_verifier_check(
    context: RunContext, models: Models, task: str, custom_verifier: Verifier | None = None
) -> VerifierCheck | None:
    """The check of a verifier of the caller's `custom_verifier`, or of `--verify-with-model`; None if neither was asked
    for."""
    verifier: Verifier
    settings, nonces = context.settings, context.nonces
    if custom_verifier is not None:
        # A resumed run must ask the very same again, so what is left to chance comes from the run's seed.
        if isinstance(custom_verifier, LLMVerifier) and custom_verifier.new_nonce is clock.token:
            custom_verifier = replace(custom_verifier, new_nonce=nonces)
        verifier = custom_verifier.through(models.meter) if isinstance(custom_verifier, AsksModel) else custom_verifier
    elif models.verifier is not None:
        verifier = LLMVerifier(models.verifier, nonces)
    else:
        return None
    return VerifierCheck(
        verifier,
        task,
        max_iterations=settings.max_iterations,
        skip_last=settings.skip_last_verification,
        call_with_deadline=context.ledger.call_in_remaining_time,
    )
