"""The Python API: names and paths in, a result out; the same functions that the commands call."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ralph_cli.checks.command import CommandVerifier, Surroundings, read_verifiers
from ralph_cli.config import Settings, command_environment, load
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import Fanout, Noticed, Sink
from ralph_cli.core.judge_test import JudgeTest
from ralph_cli.core.model import Model
from ralph_cli.core.results.goal import GoalState
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.journal.store import read_events
from ralph_cli.judge_testing import cases as judge_cases
from ralph_cli.judge_testing.build import build_judge_test, judge_alone
from ralph_cli.judge_testing.mode import Tested, tested
from ralph_cli.judge_testing.mutations import Lore
from ralph_cli.loop.completion import goal_detectors
from ralph_cli.modes import goal_record
from ralph_cli.runs.execute import Finished, checked, execute
from ralph_cli.runs.lookup import QuoteCheck as QuoteCheck
from ralph_cli.runs.lookup import check_memo as check_memo
from ralph_cli.runs.lookup import check_quotes as check_quotes
from ralph_cli.runs.opening import opened
from ralph_cli.runs.questions import ask as ask
from ralph_cli.runs.questions import run_task as run_task
from ralph_cli.wiring.goal import GoalSpec, build_goal, goal_settings, refuse_if_used_up, without_judge
from ralph_cli.wiring.models import Parts, Stage, choose
from sandbox import Sandbox

CLAIMS, MOST_CLAIMS = 20, 200
"""Claims that a judge is tested with unless it is said how many, and at most."""


def run_goal(
    document: str | Path | Document,
    objective: str,
    *,
    verify: Sequence[str | CommandVerifier] = (),
    instructions: str = "",
    require_verifier: bool = True,
    resume: bool = False,
    shell: bool = False,
    folder: Path | None = None,
    suffix: str = ".txt",
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: Sink | None = None,
    password: str | None = None,
    encoding: str | None = None,
    stdin: Callable[[], bytes] | None = None,
    on_loading: Callable[[int, int], None] | None = None,
) -> Finished:
    """Work on `document` toward `objective` until every command of `verify` has passed on the output.

    A command is run in `folder` (the working folder), with "{output}" replaced by the path of a file that ends in
    `suffix`. The worker is told `instructions`. With `resume` the newest run of this goal goes on if it was cut off.
    Without any verifier ConfigError is raised, unless `require_verifier` is False: then the result is unverified.
    `goal_of` tells status, output and evidence; everything else is as in `ask`.
    """
    settings = goal_settings(settings or load())
    objective = checked(
        objective, "objective", 'ralph goal report.pdf "Extract ..." --verify "python check.py {output}"'
    )
    around = Surroundings(folder or Path.cwd(), command_environment(), settings.verify_timeout, shell)
    spec = GoalSpec(objective, read_verifiers(verify, shell=shell), around, instructions, require_verifier, suffix)
    names = without_judge(choose(settings, models or {}))
    loaded = opened(document, settings, password, encoding, stdin, on_loading)
    earlier = goal_record.unfinished(settings.out, loaded.sha256, objective) if resume else None
    refuse_if_used_up(earlier, settings.max_iterations)
    spec = replace(spec, earlier=earlier)

    def build(stage: Stage) -> Parts:
        if resume and earlier is None:
            stage.sink(Noticed("afresh", "no run of this goal was cut off, so it starts afresh"))
        return build_goal(stage, loaded, spec)

    finished = execute(
        "goal",
        objective,
        loaded,
        build,
        settings=settings,
        names=names,
        models=models,
        engine=engine,
        sink=Fanout((goal_record.GoalRecord(settings.out), *((sink,) if sink else ()))),
        detectors=goal_detectors(earlier.iteration if earlier else 0),
        encoding=encoding,
    )
    goal_record.keep_output(finished.folder, suffix, finished.outcome.best)
    return finished


def goal_of(folder: Path) -> GoalState:
    """Status, output and evidence of the goal whose run is in `folder`. Raises JournalError."""
    return goal_record.goal_of(folder)


def judge_test(
    document: str | Path | Document | None = None,
    *,
    claims: int | None = None,
    seed: int = 0,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    sink: Sink | None = None,
    password: str | None = None,
    encoding: str | None = None,
    stdin: Callable[[], bytes] | None = None,
    on_loading: Callable[[int, int], None] | None = None,
) -> JudgeTest:
    """Put true claims, and the same made false by code, to the judge of `ask`, and tell what it caught.

    The claims are made from `document` by code, 20 unless `claims` says how many; without a document they are those
    that come with ralph. What is changed in them follows from `seed`. The judge, its panel and the bounds are those of
    `settings`, or `models["judge"]`. A judge that fails or talks nonsense is no error: see `halt`, `broken` and
    `usable` of the result. Raises DocumentError also when no claims can be made of the document; the rest is as in
    `ask`.
    """
    settings = settings or load()
    if claims is not None and not 1 <= claims <= MOST_CLAIMS:
        told = f"claims must be from 1 to {MOST_CLAIMS}, not {claims}"
        raise ConfigError(told, code="bad-claims", hint="20 are enough for a first look")
    names = choose(settings, models or {})
    names = judge_alone(names, models["judge"].vendor if models and "judge" in models else names.judge.split(":")[0])
    if document is None:
        loaded, true = judge_cases.built_in()
        index, lore = QuoteIndex(loaded), Lore(loaded.text)
        true = judge_cases.some(true, claims or len(true), seed)
    else:
        loaded = opened(document, settings, password, encoding, stdin, on_loading)
        index, lore = QuoteIndex(loaded), Lore(loaded.text)
        true = judge_cases.claims_of(loaded, index, lore, claims or CLAIMS, seed)
    cases = judge_cases.cases_of(true, lore, seed)
    batches = judge_cases.batches_of(cases, seed)

    def build(stage: Stage) -> Parts:
        return build_judge_test(stage, loaded, index, cases, batches, seed)

    finished = execute(
        "judge-test",
        f"test of the judge: {len(true)} true claims, {len(cases) - len(true)} made false, seed {seed}",
        loaded,
        build,
        settings=settings,
        names=names,
        models={role: model for role, model in (models or {}).items() if role == "judge"},
        sink=sink,
        detectors=Tested(len(batches), settings.max_failures),
        encoding=encoding,
    )
    return tested(tuple(read_events(finished.folder)), finished.folder)
