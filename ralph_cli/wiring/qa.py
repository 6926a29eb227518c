"""The parts of a question run: worker, sandbox, checks and judge, put together."""

from collections.abc import Callable

from ralph_cli.agents.spec import prompt
from ralph_cli.checks.base import Check
from ralph_cli.checks.coverage import CoverageCheck
from ralph_cli.checks.judge import Judge
from ralph_cli.checks.quotes import quotes_hold
from ralph_cli.checks.rules import form_holds
from ralph_cli.checks.verifier import LLMVerifier, VerifierCheck
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.events import Noticed, Sink
from ralph_cli.core.nonce import Nonces
from ralph_cli.documents.locate import QuoteIndex
from ralph_cli.modes.qa import QaMode, Question
from ralph_cli.rlm.bridge import Subqueries, Workbench
from ralph_cli.rlm.loop import Explorer
from ralph_cli.wiring.models import Models, Parts
from sandbox import Sandbox


def choose_strategy(settings: Settings, document: Document) -> tuple[bool, str]:
    """Whether the document is given whole, and why."""
    size = len(document.text)
    if settings.strategy != "auto":
        return settings.strategy == "direct", f"--strategy {settings.strategy}"
    if size <= settings.direct_chars:
        return True, f"{size:,} characters are few enough to be read whole (limit {settings.direct_chars:,})"
    return False, f"{size:,} characters are explored by code (whole up to {settings.direct_chars:,})"


def build_qa(
    settings: Settings,
    models: Models,
    document: Document,
    question: str,
    engine: Callable[[], Sandbox],
    nonces: Nonces,
    sink: Sink,
) -> Parts:
    """The qa mode on built parts; the sandbox begins to start before this returns."""
    direct, reason = choose_strategy(settings, document)
    direct = direct and models.worker.vendor != "offline"
    if models.worker.vendor != "offline":
        sink(Noticed("strategy", f"{'direct' if direct else 'rlm'}: {reason}"))
    elif settings.strategy == "direct":
        sink(Noticed("strategy", "rlm: the offline engine reads by code only, so --strategy direct is not followed"))
    workbench = Workbench(engine, document)
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
    checks: tuple[Check, ...] = (form_holds(settings.form), quotes_hold(document))
    if settings.min_coverage:
        checks += (CoverageCheck(document, settings.min_coverage, lambda: explorer.reading.coverage.shown),)
    judge = Judge(models.judge, document, question, nonces)
    mode = QaMode(
        asked,
        explorer,
        models.worker,
        index,
        checks,
        judge,
        verifier=verifier_of(settings, models, question, nonces),
        retry=settings.retry,
    )
    return Parts(mode, (subqueries.close, workbench.close))


def verifier_of(settings: Settings, models: Models, task: str, nonces: Nonces) -> VerifierCheck | None:
    """The check of `--verify-with-model`, if it was asked for."""
    if models.verifier is None:
        return None
    return VerifierCheck(
        LLMVerifier(models.verifier, nonces),
        task,
        max_iterations=settings.max_iterations,
        skip_last=settings.skip_last_verification,
    )
