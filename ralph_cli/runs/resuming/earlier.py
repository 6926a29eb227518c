"""The runs that a new one goes on with: one that was cut off, and those that went on with it before."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ralph_cli.core.errors import RalphError
from ralph_cli.core.events import AnyEvent, CallFinished, IterationStarted, RunStarted
from ralph_cli.journal.copies import copied_runs
from ralph_cli.journal.store import JOURNAL_FILE, hold_run, read_events
from ralph_cli.runs.execute import EarlierRuns
from ralph_cli.runs.history import read_run


@contextmanager
def hold_runs(folder: Path) -> Iterator[EarlierRuns]:
    """The run in `folder` with all that share its seed, held so that no other process goes on with one of them.

    Raises JournalError while another process works on one of them, or goes on with one.
    """
    with ExitStack() as held:
        held.enter_context(hold_run(folder))
        recorded = read_run(folder)
        siblings = dict(_sibling_runs(folder, recorded.started.seed))
        for sibling in siblings:
            held.enter_context(hold_run(sibling))
        yield EarlierRuns((recorded.events, *siblings.values()), recorded.started.seed, (folder, *siblings))


def drop_unusable_verdicts(events: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
    """The events of a run that ended without a verdict, so that a judge is asked again: without what judges said in its
    last iteration. Where one gave no reply at all, that alone is asked again.
    """
    begun = max((place for place, event in enumerate(events) if isinstance(event, IterationStarted)), default=0)
    said = [event for event in events[begun:] if isinstance(event, CallFinished) and event.agent == "judge"]
    if any(event.reply is None for event in said):
        return events
    return tuple(event for event in events if event not in said)


def _sibling_runs(folder: Path, seed: str) -> Iterator[tuple[Path, tuple[AnyEvent, ...]]]:
    """The other runs that went on with the same run, or with which it went on: they share a seed.

    They are beside it, or, if one of them was moved, in its folder as copies.
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
