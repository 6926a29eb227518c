"""The parts of a question run: worker, sandbox, checks and judge, put together."""

from dataclasses import replace

from ralph_cli.checks.base import Check
from ralph_cli.checks.coverage import CoverageCheck
from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.form import form_holds
from ralph_cli.checks.judge.claims import Judge
from ralph_cli.checks.judge.counter_evidence import CounterEvidence
from ralph_cli.checks.quotes import Visibility, quotes_hold
from ralph_cli.checks.verifier import LLMVerifier, Verifier, VerifierCheck
from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.document import Document
from ralph_cli.core.events import Noticed, Sink
from ralph_cli.core.prompts.templates import prompt
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.documents.source import DocumentSource
from ralph_cli.documents.visibility import Sight
from ralph_cli.modes.qa import QaMode, Question
from ralph_cli.rlm.bridge import Subqueries, Workbench
from ralph_cli.rlm.loop import Explorer
from ralph_cli.runner.scorers import AsksModel
from ralph_cli.wiring.models import Models, Parts, Stage


def visibility_of(settings: Settings, document: Document, sink: Sink, source: DocumentSource) -> Visibility:
    """How quotes of the document are checked for visibility; what stands in the way of it is a notice."""

    def caution(code: str, message: str) -> None:
        sink(Noticed(code, message))

    sight = Sight(document, caution, source)
    return Visibility(sight, settings.allow_hidden_text)


def choose_strategy(settings: Settings, document: Document) -> tuple[bool, str]:
    """Whether the document is given whole, and why."""
    size = len(document.text)
    if settings.strategy != "auto":
        return settings.strategy == "direct", f"--strategy {settings.strategy}"
    if size <= settings.direct_chars:
        return True, f"{size:,} characters are few enough to be read whole (limit {settings.direct_chars:,})"
    return False, f"{size:,} characters are explored by code (whole up to {settings.direct_chars:,})"


def build_qa(
    stage: Stage, document: Document, question: str, source: DocumentSource, verifier: Verifier | None = None
) -> Parts:
    """The qa mode on built parts; the sandbox begins to start before this returns."""
    settings, models, nonces, sink = stage.settings, stage.models, stage.nonces, stage.sink
    direct, reason = choose_strategy(settings, document)
    direct = direct and models.worker.vendor != "offline"
    if models.worker.vendor != "offline":
        sink(Noticed("strategy", f"{'direct' if direct else 'rlm'}: {reason}"))
    elif settings.strategy == "direct":
        sink(Noticed("strategy", "rlm: the offline engine reads by code only, so --strategy direct is not followed"))
    workbench = Workbench(stage.engine, document, stage.ledger)
    if not direct:
        workbench.prepare()
    nonce = nonces()
    asked = Question(question, document, settings.form)
    index = QuoteIndex(document)
    subqueries = Subqueries(models.subquery, prompt("subquery_system"), nonce, settings.max_subqueries)
    explorer = Explorer(
        models.worker,
        workbench,
        subqueries,
        document,
        prompt("worker_system"),
        asked.opening(nonce, direct=direct),
        asked.inputs,
        nonce,
        lambda draft: mode.review(draft),  # the mode is made below, of this very explorer
        sink,
        settings.max_steps,
        looked=direct,
    )
    numbers = NumbersCheck(document, question)
    checks: tuple[Check, ...] = (form_holds(settings.form), quotes_hold(document), numbers)
    if settings.min_coverage:
        checks += (CoverageCheck(document, settings.min_coverage, lambda: explorer.reading.coverage.shown),)
    judge = Judge(models.judge, document, question, nonces, models.panel)
    mode = QaMode(
        asked,
        explorer,
        models.worker,
        index,
        checks,
        judge,
        numbers,
        counter=_counter(stage, document, question),
        verifier=verifier_of(stage, models, question, verifier),
        visibility=visibility_of(settings, document, sink, source),
        retry=settings.retry,
    )
    return Parts(mode, (subqueries.close, workbench.close))


def _counter(stage: Stage, document: Document, question: str) -> CounterEvidence | None:
    """The search for what speaks against claims, unless it is switched off or no model is there to read."""
    if not stage.settings.counter_evidence or stage.models.judge.vendor == "offline":
        return None
    return CounterEvidence(stage.models.judge, document, question, stage.nonces)


def verifier_of(stage: Stage, models: Models, task: str, own: Verifier | None = None) -> VerifierCheck | None:
    """The check of a verifier of the caller's `own`, or of `--verify-with-model`; None if neither was asked for."""
    verifier: Verifier
    settings, nonces = stage.settings, stage.nonces
    if own is not None:
        # A resumed run must ask the very same again, so what is left to chance comes from the run's seed.
        if isinstance(own, LLMVerifier) and own.new_nonce is clock.token:
            own = replace(own, new_nonce=nonces)
        verifier = own.through(models.meter) if isinstance(own, AsksModel) else own
    elif models.verifier is not None:
        verifier = LLMVerifier(models.verifier, nonces)
    else:
        return None
    return VerifierCheck(
        verifier,
        task,
        max_iterations=settings.max_iterations,
        skip_last=settings.skip_last_verification,
        cut=stage.ledger.cut,
    )
