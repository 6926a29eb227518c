"""The parts of a test of the judge: its cases, and the very judge that question mode has."""

from collections.abc import Sequence
from dataclasses import replace

from ralph_cli.checks.judge.claims import Judge
from ralph_cli.core.document import Document
from ralph_cli.core.events import CasesGenerated, NoticeIssued
from ralph_cli.core.judge_test import Case
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.judge_testing.mode import QUESTION, JudgeTestMode, ObservedModel
from ralph_cli.wiring.models import BuiltMode, ModelNames, RunContext

NOBODY = "offline:extractive"
"""A model that needs no key: it stands where no model is asked."""

NO_MODEL_NOTICE = (
    "no model is tested: the judge is `offline`, which only compares words. "
    "Set an API key, or choose a model with --judge-model."
)


def judge_only_names(names: ModelNames, vendor: str) -> ModelNames:
    """The models of a test: nobody but the judge and the panel is asked, so nothing else needs a key or a price."""
    notices = (NoticeIssued("no-model", NO_MODEL_NOTICE),) if vendor == "offline" else ()
    return replace(names, worker=NOBODY, subquery=NOBODY, verifier="", notices=notices)


def build_judge_test(
    stage: RunContext,
    document: Document,
    index: QuoteIndex,
    cases: Sequence[Case],
    batches: Sequence[tuple[int, ...]],
    seed: int,
) -> BuiltMode:
    """The mode of a test on built parts."""
    stage.sink(CasesGenerated(tuple(cases), tuple(batches), seed))
    observed = ObservedModel(stage.models.judge, stage.sink)
    judge = Judge(observed, document, QUESTION, stage.nonces, stage.models.panel)
    return BuiltMode(JudgeTestMode(cases, batches, document, index, judge, observed))
