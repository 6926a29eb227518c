"""The parts of a question run: worker, sandbox, checks and judge, put together."""

from collections.abc import Callable
from dataclasses import dataclass

from ralph_cli.agents.spec import prompt
from ralph_cli.checks.judge import Judge
from ralph_cli.checks.quotes import Visibility, quotes_hold
from ralph_cli.checks.rules import form_holds
from ralph_cli.checks.verifier import LLMVerifier, VerifierCheck
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.events import Noticed, Sink
from ralph_cli.core.nonce import Nonces
from ralph_cli.documents.locate import QuoteIndex
from ralph_cli.documents.sight import Sight
from ralph_cli.modes.qa import QaMode, Question
from ralph_cli.rlm.bridge import Subqueries, Workbench
from ralph_cli.rlm.loop import Explorer
from ralph_cli.wiring.models import Models, Parts
from sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class Original:
    """How the bytes of a document are read again: its password, and `stdin` for what came from standard input."""

    password: str | None = None
    stdin: Callable[[], bytes] | None = None


def visibility_of(settings: Settings, document: Document, sink: Sink, original: Original) -> Visibility:
    """How quotes of the document are checked for visibility; what stands in the way of it is a notice."""

    def caution(code: str, message: str) -> None:
        sink(Noticed(code, message))

    sight = Sight(document, caution, password=original.password, stdin=original.stdin)
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
    settings: Settings,
    models: Models,
    document: Document,
    question: str,
    engine: Callable[[], Sandbox],
    nonces: Nonces,
    sink: Sink,
    original: Original,
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
    checks = (form_holds(settings.form), quotes_hold(document))
    judge = Judge(models.judge, document, question, nonces)
    mode = QaMode(
        asked,
        explorer,
        models.worker,
        index,
        checks,
        judge,
        verifier=verifier_of(settings, models, question, nonces),
        visibility=visibility_of(settings, document, sink, original),
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
