"""A test of the judge, made and told: claims are made, put to the judge, and what it caught is counted."""

from dataclasses import replace

from ralph_cli.core.errors import ConfigError
from ralph_cli.core.judge_test import JudgeTest
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.store import read_events
from ralph_cli.judge_testing import cases as judge_cases
from ralph_cli.judge_testing.build import build_judge_test, judge_only_names
from ralph_cli.judge_testing.mode import JudgeTestDetector, summarize_judge_test
from ralph_cli.judge_testing.mutations import DocumentFacts
from ralph_cli.runs.execute import Job, Setup, execute
from ralph_cli.wiring.models import BuiltMode, RunContext, choose_models

CLAIMS, MOST_CLAIMS = 20, 200
"""Claims that a judge is tested with unless it is said how many, and at most."""


def run_judge_test(source: DocumentSource | None, claims: int | None, seed: int, setup: Setup) -> JudgeTest:
    """Put true claims, and the same made false by code, to the judge; see `api.judge_test`."""
    settings, models = setup.settings, setup.models
    if claims is not None and not 1 <= claims <= MOST_CLAIMS:
        what = f"claims must be from 1 to {MOST_CLAIMS}, not {claims}"
        raise ConfigError(what, code="bad-claims", hint="20 are enough for a first look")
    names = choose_models(settings, models)
    names = judge_only_names(names, models["judge"].vendor if "judge" in models else names.judge.split(":")[0])
    if source is None:
        document, true = judge_cases.load_built_in()
        index, lore = QuoteIndex(document), DocumentFacts(document.text)
        true = judge_cases.sample_claims(true, claims or len(true), seed)
    else:
        document = source.load(settings.cache_folder)
        index, lore = QuoteIndex(document), DocumentFacts(document.text)
        true = judge_cases.choose_claims(document, index, lore, claims or CLAIMS, seed)
    cases = judge_cases.make_cases(true, lore, seed)
    batches = judge_cases.make_batches(cases, seed)

    def build(stage: RunContext) -> BuiltMode:
        return build_judge_test(stage, document, index, cases, batches, seed)

    text = f"test of the judge: {len(true)} true claims, {len(cases) - len(true)} made false, seed {seed}"
    detectors = JudgeTestDetector(len(batches), settings.max_failures)
    job = Job("judge-test", text, document, names, encoding=source.encoding if source else None, detectors=detectors)
    finished = execute(job, build, replace(setup, models={r: m for r, m in models.items() if r == "judge"}))
    return summarize_judge_test(tuple(read_events(finished.folder)), finished.folder)
