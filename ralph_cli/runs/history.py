"""Reads runs from their journals: finds them by name, and builds what is shown of them."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph_cli.core import clock
from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent, CallFinished, GoalSet, NoticeIssued, RunHalted, RunStarted, SnippetRan
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.results.review import standing_reviews
from ralph_cli.core.run import Halt, Outcome, Step, StopType
from ralph_cli.journal.reviews import read_reviews
from ralph_cli.journal.rows import JOURNAL_FILE, is_running
from ralph_cli.journal.store import read_events
from ralph_cli.loop.state import fold
from ralph_cli.providers.prices import saved_by_cache
from ralph_cli.reports.safe_text import resume_command
from ralph_cli.reports.sections.children import list_children
from ralph_cli.reports.sections.spending import spending, usd_by_role
from ralph_cli.reports.view import RUNNING, MissingVote, RunView, build_view
from ralph_cli.text.lexicon import pluralize

if TYPE_CHECKING:  # listing runs does not need the modules that make runs
    from ralph_cli.wiring.estimating import PastRun

NO_VERDICT = "no verdict of it could be used"
UNFINISHED = Halt(StopType.NONE, "the run has not ended")
KILLED = Halt(StopType.NONE, "the run was killed before it ended; what was recorded is kept")


def missing_votes(
    best: Step | None, panel: Sequence[str], faults: Mapping[str, str]
) -> dict[int, tuple[MissingVote, ...]]:
    """By claim, the models of the panel that gave no second opinion when asked, with the reason from `faults`."""
    found: dict[int, tuple[MissingVote, ...]] = {}
    for ruling in best.rulings if best is not None else ():
        if not ruling.claim or not (ruling.votes or ruling.is_near_margin):
            continue  # nobody was asked for a second opinion
        silent = Counter(map(called_name, panel)) - Counter(vote.judge for vote in ruling.votes[1:])
        if silent:
            found[ruling.claim] = tuple((name, faults.get(name, NO_VERDICT)) for name in silent.elements())
    return found


def called_name(name: str) -> str:
    """The name of a model in the record of its calls: for a script the name of its file."""
    vendor, _, rest = name.partition(":")
    return f"{vendor}:{Path(rest).name}" if vendor == "scripted" else name


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run as its journal has it."""

    view: RunView
    events: tuple[AnyEvent, ...]

    @property
    def started(self) -> RunStarted:
        """The event that begins the run."""
        return find_start(self.events, self.view.folder)


def read_run(folder: Path) -> RecordedRun:
    """Read a run from its journal, finished or not, with its reviews. Raises JournalError.

    Reviews that cannot be read are reported in the notices.
    """
    run = run_from_events(tuple(read_events(folder)), str(folder))
    view = run.view
    if view.halt == UNFINISHED:
        view = replace(view, halt=RUNNING if is_running(folder) else KILLED)
    try:
        view = replace(view, reviews=standing_reviews(read_reviews(folder)))
    except JournalError as error:
        view = replace(view, notices=(*view.notices, f"The reviews could not be read: {error.message}."))
    return replace(run, view=view)


def run_from_events(events: tuple[AnyEvent, ...], folder: str) -> RecordedRun:
    """The run of these events; `folder` has its record. Raises JournalError if the events do not begin a run."""
    started = find_start(events, folder)
    state = fold(events)
    ended = next((event.at for event in reversed(events) if isinstance(event, RunHalted)), None)
    calls = [event for event in events if isinstance(event, CallFinished)]
    # A run that was cut off has no time of its end.
    seconds = sum(call.seconds for call in calls) if ended is None else clock.seconds_between(started.at, ended)
    panel = started.settings.get("panel")
    faults = {call.model: call.error for call in calls if call.agent == "judge" and call.error}
    shown = build_view(
        started,
        Outcome(state.halt or UNFINISHED, state.best, len(state.steps)),
        folder=folder,
        usage=state.usage,
        seconds=round(seconds, 3),
        notices=tuple(event.message for event in events if isinstance(event, NoticeIssued)),
        coverage=state.coverage,
        is_searched=not started.document.get("documents") and any(map(_searches_all, events)),
        subqueries=state.subqueries,
        usd_by_role=usd_by_role(spending(events)),
        saved_usd=round(sum(saved_by_cache(call.model, call.usage) for call in calls), 6),
        missing_votes=missing_votes(state.best, panel if isinstance(panel, list | tuple) else (), faults),
        children=list_children(events),
    )
    return RecordedRun(shown, events)


def _searches_all(event: AnyEvent) -> bool:
    """Whether the event is code that searched all of one document by `find`, without an error."""
    if not isinstance(event, SnippetRan) or event.error or not event.reached:
        return False
    return re.search(r"(?<![\w.])find\(", event.code) is not None


def describe_kept(folder: Path, mode: str) -> str:
    """The calls kept of a run that was cut off, and the command that continues it, without a full stop.

    A folder that was moved or unmounted is reported as gone.
    """
    command = resume_command(mode, folder.parent, folder.name)
    try:
        usage = read_run(folder).view.usage
    except JournalError:
        return f"the record of the run {folder.name} is gone; if its folder comes back: `{command}`"
    cost = f" (${usage.usd:.2f})" if usage.usd else ""
    return f"the run {folder.name} keeps {pluralize(usage.calls, 'call')}{cost}; to resume it: `{command}`"


def find_start(events: tuple[AnyEvent, ...], folder: str) -> RunStarted:
    """The event that begins a run; JournalError if there is none."""
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    if started is None:
        raise JournalError(f"the run in {folder} was interrupted before its first step", code="no-run")
    return started


def goal_state(events: tuple[AnyEvent, ...]) -> GoalState | None:
    """The goal in these events; None if the run pursued none."""
    if not any(isinstance(event, GoalSet) for event in events):
        return None
    return reduce(GoalState.apply, events, GoalState())


def as_object(run: RecordedRun) -> dict[str, Any]:
    """The run as the object of `--json`."""
    from ralph_cli.reports import goal, json

    state = goal_state(run.events)
    if state is None:
        return json.as_object(run.view)
    return goal.as_object(run.view, state, state.final_output(fold(run.events).best))


def recorded_costs(out: Path, mode: str, worker: str, judge: str, most: int = 50) -> "list[PastRun]":
    """The costs of the newest runs in `out` of that mode, with that worker and that judge (empty: any); only runs that
    were not cut off, at a known price.
    """
    from ralph_cli.wiring.estimating import PastRun

    found = []
    for name in list(reversed(run_names(out)))[:most]:
        try:
            run = read_run(out / name)
        except JournalError:
            continue
        models, view = run.started.settings.get("models", {}), run.view
        is_same_judge = not judge or models.get("judge") == judge
        alike = (view.mode, models.get("worker")) == (mode, worker) and is_same_judge
        if alike and view.usage.usd and not view.halt.type.is_cut_off():
            found.append(PastRun(view.usage.usd, int(view.document.get("characters", 0)), view.usd_by_role))
    return found


def run_names(out: Path) -> list[str]:
    """The runs in `out` that have a journal, oldest first."""
    return sorted(path.parent.name for path in out.glob(f"*/{JOURNAL_FILE}"))


def begun_runs(out: Path) -> list[str]:
    """The runs in `out` that have recorded anything, oldest first."""
    return [name for name in run_names(out) if _has_begun(out / name)]


def _has_begun(folder: Path) -> bool:
    """Whether a run has recorded anything before its process was killed; True for a record that cannot be read."""
    try:
        return any(True for _ in read_events(folder))
    except JournalError:
        return True


def find_run(out: Path, name: str | None) -> Path:
    """The folder of the run with that name, or a unique beginning or end of it; with None the newest that has begun."""
    names = run_names(out)
    newest = next((run for run in reversed(names) if _has_begun(out / run)), None)
    if newest is None:
        raise JournalError(f"there are no runs in {out}", code="no-run", hint='ralph qa report.pdf "What was ...?"')
    if name is None:
        return out / newest
    matching = [run for run in names if run == name] or [r for r in names if r.startswith(name) or r.endswith(name)]
    if len(matching) != 1:
        what = f"no run in {out} matches" if not matching else f"{len(matching)} runs in {out} match"
        hint = f"give more of the name: {', '.join(matching[-3:])}" if matching else "`ralph trace list` shows the runs"
        raise JournalError(f"{what} {name!r}", code="no-run", hint=hint)
    return out / matching[0]
