"""The parts of a test of the judge: its cases, and the very judge that question mode has."""

from collections.abc import Sequence
from dataclasses import replace

from ralph_cli.checks.judge.claims import Judge
from ralph_cli.core.document import Document
from ralph_cli.core.events import CasesMade, Noticed
from ralph_cli.core.judge_test import Case
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.judge_testing.mode import QUESTION, JudgeTestMode, Watched
from ralph_cli.wiring.models import Names, Parts, Stage

NOBODY = "offline:extractive"
"""A model that needs no key: it stands where no model is asked."""

NO_MODEL = (
    "no model is tested: the judge is `offline`, which only compares words. Set a key, or name one with --judge-model."
)


def judge_alone(names: Names, vendor: str) -> Names:
    """The models of a test: nobody but the judge and the panel is asked, so nothing else needs a key or a price."""
    notices = (Noticed("no-model", NO_MODEL),) if vendor == "offline" else ()
    return replace(names, worker=NOBODY, subquery=NOBODY, verifier="", notices=notices)


def build_judge_test(
    stage: Stage,
    document: Document,
    index: QuoteIndex,
    cases: Sequence[Case],
    batches: Sequence[tuple[int, ...]],
    seed: int,
) -> Parts:
    """The mode of a test on built parts."""
    stage.sink(CasesMade(tuple(cases), tuple(batches), seed))
    watched = Watched(stage.models.judge, stage.sink)
    judge = Judge(watched, document, QUESTION, stage.nonces, stage.models.panel)
    return Parts(JudgeTestMode(cases, batches, document, index, judge, watched))
