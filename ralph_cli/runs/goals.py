"""Pursues goals: a worker revises a text until the user's own commands accept it."""

import re
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli.checks.command import CommandVerifier, VerifierEnvironment, read_verifiers, require_programs
from ralph_cli.core.errors import JournalError, UserError
from ralph_cli.core.events import AnyEvent, Fanout, GoalSet, NoticeIssued
from ralph_cli.documents.source import DocumentSource
from ralph_cli.environment import command_environment
from ralph_cli.loop.completion import goal_detectors
from ralph_cli.modes import goal_record
from ralph_cli.runs.execute import Job, Setup, execute, require_text
from ralph_cli.runs.opening import load_documents
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.earlier import hold_runs
from ralph_cli.wiring.goal import GoalSpec, build_goal, drop_judge_notices, goal_settings
from ralph_cli.wiring.models import BuiltMode, RunContext


@dataclass(frozen=True, slots=True)
class VerifierCommands:
    """The commands that decide on a goal's output, and how they are run.

    Commands run in `folder` (default: the working folder), with `shell` through /bin/sh. "{output}" in a command is
    replaced by the path of a file that ends in `suffix`.
    """

    commands: Sequence[str | CommandVerifier] = ()
    shell: bool = False
    folder: Path | None = None
    suffix: str = ".txt"


@dataclass(frozen=True, slots=True)
class Goal:
    """The objective of the output, the commands that decide on it, and the worker's instructions.

    With `resume` the newest run of the same goal is continued if it was cut off; else `continues` names the run.
    """

    objective: str
    verify: VerifierCommands
    instructions: str = ""
    require_verifier: bool = True
    resume: bool = False
    continues: str = ""


def recorded_goal(events: Sequence[AnyEvent], objective: str, continues: str) -> Goal:
    """The goal in the record of a run. Its verifiers are commands, so callers must trust the record.

    Raises JournalError if the ending of its output file is not one, as when it leads to another folder.
    """
    terms = next((event for event in events if isinstance(event, GoalSet)), GoalSet((), False))
    if not is_file_ending(terms.suffix):
        raise JournalError("the record names no ending of a file for the goal's output", code="journal-damaged")
    commands = [CommandVerifier(name, command) for name, command in terms.verifiers]
    verify = VerifierCommands(commands, terms.shell, suffix=terms.suffix)
    return Goal(objective, verify, terms.instructions, terms.require_verifier, continues=continues)


def is_file_ending(suffix: str) -> bool:
    """Whether the suffix is a dot with up to 16 letters or digits, so that it leads to no other folder."""
    return re.fullmatch(r"\.\w{1,16}", suffix) is not None


def pursue_goal(source: DocumentSource, goal: Goal, setup: Setup) -> Result:
    """Work on the document toward the goal; see `api.run_goal`."""
    settings = goal_settings(setup.settings)
    example = 'ralph goal report.pdf "Extract ..." --verify "python check.py {output}"'
    objective = require_text(goal.objective, "objective", example)
    verify, timeout = goal.verify, settings.verify_timeout
    around = VerifierEnvironment(verify.folder or Path.cwd(), command_environment(), timeout, verify.shell)
    verifiers = read_verifiers(verify.commands, shell=verify.shell)
    earlier = setup.earlier
    if not is_file_ending(verify.suffix):
        hint = "give it as a dot with up to 16 letters or digits, such as .csv"
        raise UserError(f"{verify.suffix!r} is no ending of a file", code="bad-suffix", hint=hint)
    if earlier is None or earlier.names is None:
        require_programs(verifiers, around)
    spec = GoalSpec(objective, verifiers, around, goal.instructions, goal.require_verifier, verify.suffix)
    names = drop_judge_notices(replace(setup, settings=settings).choose_models())
    source = load_documents(source, settings)
    document = source.load()
    folder = goal_record.find_unfinished(settings.out, document.sha256, objective) if goal.resume else None
    continues = folder.name if folder else goal.continues

    def build(stage: RunContext) -> BuiltMode:
        if goal.resume and folder is None:
            stage.sink(NoticeIssued("afresh", "no run of this goal was cut off, so it starts afresh"))
        return build_goal(stage, document, replace(spec, continues=continues))

    job = Job("goal", objective, document, names, read_as=source.record, detectors=goal_detectors())
    record = goal_record.GoalRecord(settings.out)
    sink = Fanout((record, setup.sink)) if setup.sink else record
    with hold_runs(folder) if folder else nullcontext(earlier) as found:
        finished = execute(job, build, replace(setup, settings=settings, sink=sink, earlier=found))
    goal_record.save_output(finished.folder, verify.suffix, finished.outcome.best)
    return finished
