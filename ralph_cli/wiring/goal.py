"""Builds the parts of a goal: worker, sandbox, the user's verifiers and the desk between them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ralph_cli.checks.command import CommandResult, CommandVerifier, VerifierEnvironment, run_command
from ralph_cli.checks.coverage import SubqueryCheck
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import EventSink, Fanout, GoalSet, NoticeIssued
from ralph_cli.core.prompts.templates import prompt_text, render_prompt
from ralph_cli.core.results.goal import GoalState
from ralph_cli.journal.traces import write_atomic
from ralph_cli.modes.goal import GoalMode, GoalPrompts, GoalWorkspace
from ralph_cli.modes.goal_record import OUTPUT_STEM
from ralph_cli.modes.goal_summary import RuntimeSummary
from ralph_cli.modes.recorded_acts import RecordedActs
from ralph_cli.rlm.goal_acts import GOAL_ACT, NUDGE, parse_goal_call, read_variable
from ralph_cli.rlm.loop import Explorer
from ralph_cli.rlm.reading import CoverageTracker
from ralph_cli.wiring.models import BuiltMode, ModelNames, RunContext
from ralph_cli.wiring.reading import choose_strategy, may_have_children, open_sandbox

MAX_ITERATIONS = 20
_CHANGED = "it ended well, but the output's file was changed while it ran"
UNVERIFIED = "this goal has no verifier: what the worker says is done is accepted, and reported as unverified"


@dataclass(frozen=True, slots=True)
class GoalSpec:
    """The user's goal: an objective and its verifiers. `continues` is the run that it continues."""

    objective: str
    verifiers: tuple[CommandVerifier, ...]
    verifier_environment: VerifierEnvironment
    instructions: str = ""
    require_verifier: bool = True
    suffix: str = ".txt"
    continues: str = ""

    def __post_init__(self) -> None:
        if self.require_verifier and not self.verifiers:
            hint = '--verify "python check.py {output}", or --no-require-verifier for a result that nobody has verified'
            raise ConfigError("a goal needs a verifier", code="no-verifier", hint=hint)

    @property
    def terms(self) -> GoalSet:
        """The terms as the goal's first event."""
        verifiers = tuple((verifier.name, verifier.command) for verifier in self.verifiers)
        shell = self.verifier_environment.shell
        return GoalSet(verifiers, self.require_verifier, self.instructions, self.continues, shell, self.suffix)


def goal_settings(settings: Settings) -> Settings:
    """Return the settings of a goal; unless the user sets them, 20 iterations, each in a fresh conversation."""
    usual = {"max_iterations": MAX_ITERATIONS, "retry": "fresh"}
    return settings.model_copy(update={n: v for n, v in usual.items() if n not in settings.model_fields_set})


def drop_judge_notices(names: ModelNames) -> ModelNames:
    """The models of a goal, without notices about judge and verifying model, which a goal does not ask."""
    dropped = ("one-family", "offline-judge", "unused-verifier")
    kept = tuple(notice for notice in names.notices if notice.code not in dropped)
    return replace(names, notices=kept)


def build_goal(context: RunContext, document: Document, spec: GoalSpec) -> BuiltMode:
    """Return the goal mode with its parts. The sandbox starts in the background before this returns."""
    settings, sink, folder, ledger = context.settings, context.sink, context.folder, context.ledger
    direct, _ = choose_strategy(context, document)
    nonce = context.nonces()
    has_children = may_have_children(context, document)
    workbench, subqueries, children, closers = open_sandbox(context, document, nonce, has_children=has_children)
    if not context.earlier:
        workbench.prepare()
    read = partial(read_variable, workbench)
    file = (folder / f"{OUTPUT_STEM}{spec.suffix}").resolve()
    terms = spec.terms

    def run_verifiers(text: str) -> Iterator[str | CommandResult]:
        if context.is_replay:
            raise JournalError("there is no such verification in the record", code="not-recorded")
        for verifier in spec.verifiers:
            ledger.check_time()
            yield verifier.name
            # Written again for each verifier, so that none sees or passes another's changes.
            write_atomic(file, text)
            ran = run_command(verifier, file, spec.verifier_environment, ledger.seconds_left)
            yield ran if not ran.passed or _is_unchanged(file, text) else replace(ran, passed=False, ended=_CHANGED)
        ledger.check_time()

    goal = GoalState(run=folder.name, objective=spec.objective, document=document.sha256)
    summary = RuntimeSummary()
    desk = GoalWorkspace(
        goal, run_verifiers, read, sink, nonce, RecordedActs.of(context.earlier, is_closed=context.is_replay)
    )
    all_sinks = Fanout((sink, desk.on_event, summary))
    desk.sink = all_sinks
    all_sinks(terms)
    _warn(spec, settings, sink)
    brief = GoalPrompts(spec.objective, document, terms, nonce, direct, settings.max_iterations)
    inputs = {
        "objective": spec.objective,
        "instructions": spec.instructions,
        "verifiers": [verifier.name for verifier in spec.verifiers],
        "suffix": spec.suffix,
    }

    further = f"{prompt_text('sandbox_children')}\n\n" if has_children else ""
    system = render_prompt("goal_system", output_chars=f"{settings.output_chars:,}", children=further)
    recorded = context.recorded_snippets()
    tracker = CoverageTracker(document, all_sinks)
    check_lost = SubqueryCheck(settings.max_lost, lambda: tracker.subqueries, lambda: tracker.coverage.shown)

    def start_conversation(opening: str) -> Explorer:
        return Explorer(
            model=context.models.worker,
            sandbox=workbench,
            subqueries=subqueries,
            document=document,
            system=system,
            opening=opening,
            short_opening=replace(brief, include_document=False).opening,
            inputs=inputs,
            nonce=nonce,
            sink=all_sinks,
            max_steps=settings.max_steps,
            output_chars=settings.output_chars,
            coverage_tracker=tracker,
            agent="goal",
            children=children,
            tool=GOAL_ACT,
            parse=parse_goal_call,
            perform=desk.perform,
            on_text=desk.on_text,
            nudge=NUDGE,
            recorded=recorded,
        )

    mode = GoalMode(
        prompts=brief,
        workspace=desk,
        summary=summary,
        start_conversation=start_conversation,
        write_variable=workbench.assign,
        check_lost=check_lost,
        summary_chars=settings.summary_chars,
        retry=settings.retry,
    )
    return BuiltMode(mode, closers, has_result=lambda: bool(desk.goal.output))


def _is_unchanged(file: Path, text: str) -> bool:
    try:
        return file.read_bytes() == text.encode("utf-8")
    except OSError:
        return False


def _warn(spec: GoalSpec, settings: Settings, sink: EventSink) -> None:
    """Issue the notices that a user should see before anything is spent."""
    if not spec.verifiers:
        sink(NoticeIssued("unverified", UNVERIFIED))
        if settings.score_threshold:
            what = (
                "the score of a goal is the share of verifiers that passed: without any, --score-threshold never stops"
            )
            sink(NoticeIssued("score-threshold", what))
