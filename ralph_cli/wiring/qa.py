"""The parts of a question run: worker, sandbox, checks and judge, put together."""

from dataclasses import replace

from ralph_cli.checks.base import Check
from ralph_cli.checks.coverage import CoverageCheck, SubqueryCheck
from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.form import FormCheck
from ralph_cli.checks.judge.claims import Judge
from ralph_cli.checks.judge.counter_evidence import CounterEvidence
from ralph_cli.checks.quotes import QuoteCheck
from ralph_cli.checks.verifier import LLMVerifier, Verifier, VerifierCheck
from ralph_cli.core import clock
from ralph_cli.core.document import Document
from ralph_cli.documents.source import DocumentSource
from ralph_cli.modes.exchanges import Exchange, question_in_context
from ralph_cli.modes.qa import QaMode
from ralph_cli.modes.reader import Assignment
from ralph_cli.retrieval.search.named_parts import find_named_parts
from ralph_cli.runner.scorers import AsksModel
from ralph_cli.wiring.models import BuiltMode, RunContext
from ralph_cli.wiring.reading import open_reader, work_ahead


def build_qa(
    context: RunContext, document: Document, question: str, source: DocumentSource, verifier: Verifier | None = None
) -> BuiltMode:
    """The qa mode on built parts; the sandbox begins to start before this returns."""
    settings, models = context.settings, context.models
    least_share = settings.min_coverage or 0.0
    exchanges = tuple(map(Exchange.of, context.followed))
    assignment = Assignment(
        kind="question",
        text=question,
        document=document,
        form=settings.form,
        least_share=least_share,
        output_chars=settings.output_chars,
        answer_as=settings.answer_as,
        named=find_named_parts(document, question),
        exchanges=exchanges,
    )
    reader, closers = open_reader(context, assignment, source, "worker")
    before = [exchange.question for exchange in exchanges]
    asked = question_in_context(question, before, context.nonces()) if before else question
    figures = NumbersCheck(document.in_language(settings.language), question, vetoes=has_vetoes(context))
    checks: tuple[Check, ...] = (FormCheck(settings.form), QuoteCheck(document), figures)
    checks += (SubqueryCheck(settings.max_lost, reader.subquery_tally, reader.shown_spans),)
    if least_share:
        checks += (CoverageCheck(document, least_share, reader.shown_spans),)
    counter = _build_counter_evidence(context, document, asked)
    work_ahead(reader, [figures.prepare] if counter is None else [figures.prepare, counter.prepare])
    mode = QaMode(
        reader=reader,
        local_checks=checks,
        judge=Judge(
            models.judge,
            document,
            asked,
            context.nonces,
            models.panel,
            counter,
            settings.context_chars,
            can_mend=True,
        ),
        figure_check=figures,
        counter_check=counter,
        verifier=build_verifier_check(context, asked, verifier),
        retry=settings.retry,
    )
    return BuiltMode(mode, closers)


def has_vetoes(context: RunContext) -> bool:
    """Whether what code objects to stands: nobody is there to decide otherwise, or the user will not have it."""
    return context.settings.strict or context.models.judge.vendor == "offline"


def _build_counter_evidence(context: RunContext, document: Document, question: str) -> CounterEvidence | None:
    """The search for what speaks against claims, unless it is switched off or no model is there to read."""
    if not context.settings.counter_evidence or context.models.judge.vendor == "offline":
        return None
    return CounterEvidence(context.models.judge, document, question, context.nonces)


def build_verifier_check(
    context: RunContext, task: str, custom_verifier: Verifier | None = None
) -> VerifierCheck | None:
    """The check of a verifier of the caller's `custom_verifier`, or of `--verify-with-model`; None if neither was asked
    for."""
    verifier: Verifier
    settings, models, nonces = context.settings, context.models, context.nonces
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
