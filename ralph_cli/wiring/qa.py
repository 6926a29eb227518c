"""Build the parts of a question run: worker, sandbox, checks and judge."""

from dataclasses import replace

from ralph_cli.checks.base import Check
from ralph_cli.checks.coverage import CoverageCheck, SubqueryCheck
from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.form import FormCheck, is_list
from ralph_cli.checks.judge.absences import AbsenceReader
from ralph_cli.checks.judge.claims import Judge
from ralph_cli.checks.judge.lists import ListReader
from ralph_cli.checks.judge.looks import CitedPassages, Looker
from ralph_cli.checks.quotes import QuoteCheck, VisibilityPolicy
from ralph_cli.checks.verifier import LLMVerifier, Verifier, VerifierCheck
from ralph_cli.core import clock
from ralph_cli.core.coverage import asks_for_all
from ralph_cli.core.document import Document
from ralph_cli.documents.source import DocumentSource
from ralph_cli.modes.exchanges import Exchange, question_in_context
from ralph_cli.modes.qa import QaMode
from ralph_cli.modes.reader import Assignment
from ralph_cli.retrieval.search.named_parts import find_named_parts
from ralph_cli.rlm.host_lookup import HostLookups
from ralph_cli.runner.scorers import AsksModel
from ralph_cli.wiring.models import BuiltMode, RunContext
from ralph_cli.wiring.reading import may_have_children, open_reader, work_ahead


def build_qa(
    context: RunContext, document: Document, question: str, source: DocumentSource, verifier: Verifier | None = None
) -> BuiltMode:
    """Return the qa mode. Its sandbox begins to start before this returns."""
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
        may_have_children=may_have_children(context, document),
    )
    reader, closers = open_reader(context, assignment, source, "worker")
    before = [exchange.question for exchange in exchanges]
    asked = question_in_context(question, before, context.nonces()) if before else question
    figures = NumbersCheck(document.in_language(settings.language), question, vetoes=has_vetoes(context))
    checks: tuple[Check, ...] = (FormCheck(settings.form), QuoteCheck(document), figures)
    checks += (SubqueryCheck(settings.max_lost, reader.subquery_tally, reader.shown_spans),)
    if least_share:
        checks += (CoverageCheck(document, least_share, reader.shown_spans),)
    looker = build_looker(context, document, reader.visibility)
    listed = is_list(settings.answer_as) or asks_for_all(question, question=True)
    cited = CitedPassages(document) if looker is not None and looker.rounds else None
    work_ahead(reader, [figures.prepare])
    mode = QaMode(
        reader=reader,
        local_checks=checks,
        judge=Judge(
            models.judge,
            document,
            asked,
            context.nonces,
            models.panel,
            looker,
            cited,
            limits=settings.limits,
            context_chars=settings.context_chars,
            can_mend=True,
        ),
        figure_check=figures,
        cited_check=cited,
        absence_check=build_absence_reader(
            context, document, f"The document does not answer the question: {asked}", looker
        ),
        list_check=build_list_reader(context, document, asked, looker, is_list=listed),
        verifier=build_verifier_check(context, asked, verifier),
        retry=settings.retry,
    )
    return BuiltMode(mode, closers)


def has_vetoes(context: RunContext) -> bool:
    """Whether objections by code are final: no model judges, or the settings say `strict`."""
    return context.settings.strict or context.models.judge.vendor == "offline"


def build_looker(context: RunContext, document: Document, visibility: VisibilityPolicy | None = None) -> Looker | None:
    """Return the object that runs the look-ups of judges; None if no model can ask for look-ups."""
    if context.models.judge.vendor == "offline":
        return None
    return Looker(document, document.derive(HostLookups), context.settings.judge_looks, visibility)


def build_absence_reader(
    context: RunContext, document: Document, whole: str, looker: Looker | None
) -> AbsenceReader | None:
    """Return the second reader of absences; None without a model for it.

    `whole` is the statement that nothing in the document answers the question.
    """
    if looker is None or not looker.rounds:
        return None
    return AbsenceReader(context.models.judge, document, whole, context.nonces, looker)


def build_list_reader(
    context: RunContext, document: Document, task: str, looker: Looker | None, *, is_list: bool
) -> ListReader | None:
    """Return the second reader of a list; None if the answer is not a list or no model can read."""
    if looker is None or not looker.rounds or not is_list:
        return None
    return ListReader(context.models.judge, document, task, context.nonces, looker)


def build_verifier_check(
    context: RunContext, task: str, custom_verifier: Verifier | None = None
) -> VerifierCheck | None:
    """Return the check of the caller's `custom_verifier`, or of `--verify-with-model`.

    Return None if neither was requested.
    """
    verifier: Verifier
    settings, models, nonces = context.settings, context.models, context.nonces
    if custom_verifier is not None:
        # A resumed run must send the same requests again, so random choices come from the run's seed.
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
