"""A test of the judge, made and told: claims are made, put to the judge, and what it caught is counted."""

from dataclasses import replace

from ralph_cli.core.errors import ConfigError
from ralph_cli.core.judge_test import JudgeTest
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.store import read_events
from ralph_cli.judge_testing import cases as judge_cases
from ralph_cli.judge_testing.build import build_judge_test, judge_alone
from ralph_cli.judge_testing.mode import Tested, tested
from ralph_cli.judge_testing.mutations import Lore
from ralph_cli.runs.execute import Job, Setup, execute
from ralph_cli.wiring.models import Parts, Stage, choose

CLAIMS, MOST_CLAIMS = 20, 200
"""Claims that a judge is tested with unless it is said how many, and at most."""


def run_judge_test(source: DocumentSource | None, claims: int | None, seed: int, setup: Setup) -> JudgeTest:
    """Put true claims, and the same made false by code, to the judge; see `api.judge_test`."""
    settings, models = setup.settings, setup.models
    if claims is not None and not 1 <= claims <= MOST_CLAIMS:
        what = f"claims must be from 1 to {MOST_CLAIMS}, not {claims}"
        raise ConfigError(what, code="bad-claims", hint="20 are enough for a first look")
    names = choose(settings, models)
    names = judge_alone(names, models["judge"].vendor if "judge" in models else names.judge.split(":")[0])
    if source is None:
        document, true = judge_cases.built_in()
        index, lore = QuoteIndex(document), Lore(document.text)
        true = judge_cases.some(true, claims or len(true), seed)
    else:
        document = source.load(settings.cache_folder)
        index, lore = QuoteIndex(document), Lore(document.text)
        true = judge_cases.claims_of(document, index, lore, claims or CLAIMS, seed)
    cases = judge_cases.cases_of(true, lore, seed)
    batches = judge_cases.batches_of(cases, seed)

    def build(stage: Stage) -> Parts:
        return build_judge_test(stage, document, index, cases, batches, seed)

    text = f"test of the judge: {len(true)} true claims, {len(cases) - len(true)} made false, seed {seed}"
    detectors = Tested(len(batches), settings.max_failures)
    job = Job("judge-test", text, document, names, encoding=source.encoding if source else None, detectors=detectors)
    finished = execute(job, build, replace(setup, models={r: m for r, m in models.items() if r == "judge"}))
    return tested(tuple(read_events(finished.folder)), finished.folder)
