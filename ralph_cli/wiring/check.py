"""The judge of `ralph check --judge`: makes a function from settings that rules on the sentences of a memo."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from ralph_cli.checks.judge.claims import Judge
from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import EventSink
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import Nonces
from ralph_cli.memo.checking.judge import QUESTION
from ralph_cli.wiring.models import build_models, choose_models
from ralph_cli.wiring.spending import run_budget

JudgeFactory = Callable[[Document], Judge]


@contextmanager
def open_memo_judge(
    settings: Settings, sink: EventSink, models: Mapping[str, Model] | None = None
) -> Iterator[tuple[JudgeFactory, str]]:
    """Yield a judge for each document, and the judge's name. Its calls are budgeted and reported to `sink`.

    Raises ConfigError if no language model can be asked.
    """
    names = choose_models(settings, models or {})
    if settings.judge_model is None and "judge" not in (models or {}) and names.judge.startswith("offline"):
        hint = "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a model: --judge-model vendor:model"
        raise ConfigError("--judge needs a model, and no key is set", code="no-key", hint=hint)
    for notice in names.notices:
        if notice.code == "offline-judge":
            sink(notice)
    judges = {"judge": names.judge} | {role: name for role, name in names.by_role.items() if role.startswith("panel")}
    budget, bounds = run_budget(settings, judges, models or {})
    for notice in bounds:
        sink(notice)
    built = build_models(settings, names, Ledger(budget), sink, models)
    nonces = Nonces(clock.token(16))
    try:
        yield (
            lambda document: Judge(built.judge, document, QUESTION, nonces, built.panel),
            built.judge.name,
        )
    finally:
        built.close()
