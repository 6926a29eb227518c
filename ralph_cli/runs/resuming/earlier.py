"""Finds the runs that a new run continues: one that was cut off, its siblings, and those it follows on."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from ralph_cli.core.errors import JournalError, RalphError
from ralph_cli.core.events import JUDGES, AnyEvent, CallEvent, CallFinished, CallStarted, IterationStarted, RunStarted
from ralph_cli.journal.copies import copied_runs
from ralph_cli.journal.rows import JOURNAL_FILE, hold_run, read_chain
from ralph_cli.journal.store import read_events
from ralph_cli.runs.execute import EarlierRuns, FollowedRuns
from ralph_cli.runs.history import find_start, read_run


@contextmanager
def hold_runs(folder: Path) -> Iterator[EarlierRuns]:
    """The run in `folder` and all runs with its seed, locked so that no other process continues one of them.

    Raises JournalError if another process works on one of them or continues one.
    """
    with ExitStack() as held:
        held.enter_context(hold_run(folder))
        recorded = read_run(folder)
        siblings = dict(_sibling_runs(folder, recorded.started.seed))
        for sibling in siblings:
            held.enter_context(hold_run(sibling))
        yield EarlierRuns((recorded.events, *siblings.values()), recorded.started.seed, (folder, *siblings))


def find_followed(started: RunStarted, folders: Iterable[Path]) -> FollowedRuns | None:
    """The runs that a run's question follows on, from the copies in these folders; None if it follows on none.

    A record names them by their hashes, not by their places. Raises JournalError if one is missing.
    """
    if not started.follows:
        return None
    copies = {_read_chain(copy): copy for folder in folders for copy in copied_runs(folder)}
    found: list[Path] = []
    first, follower = started, started.run
    while first.follows:
        copy = copies.get(str(first.follows["chain"]))
        if copy is None:
            what = f"{first.follows['run']}, which {follower} follows on, is not in its folder as it was then"
            raise JournalError(what, code="followed-gone", hint="put the question anew, with `ralph qa`")
        found.insert(0, copy)
        follower = copy.name
        first = find_start(tuple(read_events(copy)), follower)
    return FollowedRuns(tuple(tuple(read_events(copy)) for copy in found), tuple(found), started.follows["chain"])


def _read_chain(folder: Path) -> str:
    with suppress(RalphError):
        return read_chain(folder)
    return ""


def without_unusable_verdicts(earlier: EarlierRuns) -> EarlierRuns:
    """Runs that ended without a verdict, without the last iteration's replies of the judge that gave none, so that it
    is asked again.

    If some of its calls have no reply, only these are asked again. The replies stay paid for.
    """
    unusable = tuple(map(_unusable_verdicts, earlier.runs))
    runs = tuple(
        tuple(event for event in events if event not in dropped)
        for events, dropped in zip(earlier.runs, unusable, strict=True)
    )
    return replace(earlier, runs=runs, dropped=unusable[0])


def _unusable_verdicts(events: tuple[AnyEvent, ...]) -> tuple[CallEvent, ...]:
    begun = max((place for place, event in enumerate(events) if isinstance(event, IterationStarted)), default=0)
    calls = [event for event in events[begun:] if isinstance(event, CallStarted | CallFinished)]
    # The judge whose failure ended the run was asked last.
    last = next((event.agent for event in reversed(calls) if event.agent in JUDGES), "")
    said = tuple(event for event in calls if event.agent == last)
    newest = {event.model: event.reply for event in said if isinstance(event, CallFinished)}
    return () if None in newest.values() else said


def _sibling_runs(folder: Path, seed: str) -> Iterator[tuple[Path, tuple[AnyEvent, ...]]]:
    """The other runs with the same seed: they continued the same run, or it continued them.

    They are beside it or, if it was moved, copies in its folder.
    """
    here = folder.resolve()
    beside = [path.parent for path in sorted(here.parent.glob(f"*/{JOURNAL_FILE}")) if not path.is_symlink()]
    beside = [other for other in beside if other != here and not other.is_symlink()]
    names = {here.name, *(other.name for other in beside)}
    for other in (*beside, *(copy for copy in copied_runs(here) if copy.name not in names)) if seed else ():
        with suppress(RalphError):
            first = next(read_events(other), None)
            if isinstance(first, RunStarted) and first.seed == seed:
                yield other, tuple(read_events(other))
