"""Runs a judge test: makes the claims, puts them to the judge of question mode, and counts what it caught."""

from dataclasses import replace

from ralph_cli.checks.judge.claims import Judge
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import CasesGenerated
from ralph_cli.core.results.judge_test import JudgeTest
from ralph_cli.documents.sets.loading import load_source
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.store import read_events
from ralph_cli.judge_testing.cases import choose_claims, load_built_in, make_batches, make_cases, sample_claims
from ralph_cli.judge_testing.mode import QUESTION, JudgeTestDetector, JudgeTestMode, ObservedModel, summarize_judge_test
from ralph_cli.judge_testing.mutations import DocumentFacts
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.runs.execute import Job, Setup, execute
from ralph_cli.wiring.models import NOBODY, BuiltMode, RunContext, choose_models
from ralph_cli.wiring.qa import build_looker

# Claims made from a document by default. Without a document the default is all claims that come with ralph.
DEFAULT_CLAIMS = 20

MAX_CLAIMS = 200
NO_JUDGE_HINT = "set OPENAI_API_KEY or ANTHROPIC_API_KEY, or choose a model with --judge-model"


def run_judge_test(source: DocumentSource | None, claims: int | None, seed: int, setup: Setup) -> JudgeTest:
    """Put true claims, and the same made false by code, to the judge; see `api.judge_test`."""
    settings, models = setup.settings, setup.models
    if claims is not None and not 1 <= claims <= MAX_CLAIMS:
        what = f"claims must be from 1 to {MAX_CLAIMS}, not {claims}"
        raise ConfigError(what, code="bad-claims", hint="20 are enough for a first look")
    names = choose_models(settings, models)
    # The test asks only the judge and the panel, so no other model needs a key or a price.
    names = replace(names, worker=NOBODY, subquery=NOBODY, verifier="", notices=())
    document, built_in = (
        (load_source(source.with_ocr(settings.ocr_options), settings.cache_folder).load(), None)
        if source
        else load_built_in()
    )
    index, facts = QuoteIndex(document), DocumentFacts(document.text)
    if built_in is None:
        true_claims = choose_claims(document, index, facts, claims or DEFAULT_CLAIMS, seed)
    else:
        true_claims = sample_claims(built_in, claims or len(built_in), seed)
    cases = make_cases(true_claims, facts, seed)
    batches = make_batches(cases, seed)

    vendor = models["judge"].vendor if "judge" in models else names.judge.split(":")[0]
    if vendor == "offline" and settings.judge_model is None:
        raise ConfigError("there is no judge to test: no key is set", code="no-judge", hint=NO_JUDGE_HINT)

    def build(context: RunContext) -> BuiltMode:
        context.sink(CasesGenerated(cases, batches, seed))
        observed = ObservedModel(context.models.judge, context.sink)
        looker = build_looker(context, document)
        judge = Judge(observed, document, QUESTION, context.nonces, context.models.panel, looker)
        return BuiltMode(JudgeTestMode(cases, batches, document, index, judge, observed))

    true, false = len(true_claims), len(cases) - len(true_claims)
    title = f"test of the judge: {true} true claims, {false} made false, seed {seed}"
    detectors = JudgeTestDetector(len(batches), settings.max_failures)
    read_as = source.record if source else {}
    job = Job("judge-test", title, document, names, read_as=read_as, detectors=detectors)
    judge_only = {"judge": models["judge"]} if "judge" in models else {}
    finished = execute(job, build, replace(setup, models=judge_only))
    return summarize_judge_test(tuple(read_events(finished.folder)), finished.folder)
