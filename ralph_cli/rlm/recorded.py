"""Snippets of earlier runs: their output is reused, and their code runs again only to rebuild variables."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ralph_cli.core import clock, events
from ralph_cli.providers.replaying import parse_reply
from ralph_cli.rlm.bridge import as_answer
from sandbox import Answer, QueryFailure


@dataclass(frozen=True, slots=True)
class RecordedSnippet:
    """A snippet that was completed: its start time `at`, its result, calls and children, and what it read or failed to
    read.
    """

    at: str
    ran: events.SnippetRan
    calls: tuple[events.CallEvent, ...]
    reading: tuple[events.CoverageAdded | events.SubqueriesAsked, ...]
    children: tuple[events.ChildEvent, ...] = ()
    branch: str = ""

    @property
    def first_ordinal(self) -> int:
        """The ordinal of the snippet's first sub-query; 0 if it has none."""
        return min((call.ordinal for call in self._own_subqueries()), default=0)

    def answers(self) -> "RecordedAnswers":
        """Return the answers to the snippet's sub-queries, for running it again."""
        texts = {call.number: (call.sent, call.ordinal) for call in self._own_subqueries()}
        ended = {call.number: call for call in self.calls if isinstance(call, events.CallFinished)}
        # If a call was retried, only the last try was answered.
        last = {texts[number][1] or -number: number for number in texts if number in ended}
        return RecordedAnswers([(*texts[number], _as_answer(ended[number])) for number in last.values()])

    def _own_subqueries(self) -> Iterator[events.CallStarted]:
        """Return the sub-queries of this snippet, without those of its children."""
        return (call for call in self.calls if isinstance(call, events.CallStarted) and call.branch == self.branch)


def _as_answer(call: events.CallFinished) -> Answer:
    return QueryFailure(call.error) if call.reply is None else as_answer(parse_reply(call.reply, call.usage))


@dataclass(slots=True)
class RecordedAnswers:
    """The answers to a snippet's sub-queries, as (message, ordinal, answer)."""

    waiting: list[tuple[str, int, Answer]]

    def take(self, asked: str, ordinal: int) -> Answer | None:
        """Remove and return the answer to the message `asked`, or else the answer with the same ordinal.

        The ordinal serves code that asks differently each time. Returns None if nothing matches.
        """
        found = [item for item in self.waiting if item[0] == asked]
        found = [item for item in found if item[1] == ordinal] or found
        found = found or [item for item in self.waiting if item[1] == ordinal]
        if not found:
            return None
        self.waiting.remove(found[0])
        return found[0][2]


@dataclass(slots=True)
class RecordedSnippets:
    """The snippets of earlier runs, by iteration, step and code. Each is returned once.

    `repeat_calls` reports the calls of a snippet. After code without a record was run, variables may differ from the
    recorded ones; from then on no snippet is returned.
    """

    waiting: dict[tuple[int, int, str], deque[RecordedSnippet]] = field(default_factory=dict)
    times: dict[tuple[int, int], deque[str]] = field(default_factory=dict)
    repeat_calls: Callable[[Iterable[events.CallEvent]], None] = lambda calls: None
    over: bool = False

    @classmethod
    def of(
        cls,
        runs: Iterable[Sequence[events.AnyEvent]],
        repeat_calls: Callable[[Iterable[events.CallEvent]], None],
        branch: str = "",
    ) -> "RecordedSnippets":
        """Return the snippets of these runs, or of the child `branch` in them.

        If several runs have snippets at the same place, the run with the most snippets there counts.
        """
        waiting: dict[tuple[int, int, str], deque[RecordedSnippet]] = {}
        times: dict[tuple[int, int], deque[str]] = {}
        for run in (take_branch(run, branch) for run in runs) if branch else runs:
            begun: dict[tuple[int, int], deque[str]] = {}
            for event in run:
                if isinstance(event, events.SnippetStarted):
                    begun.setdefault((event.iteration, event.step), deque()).append(event.at)
            times |= {place: new for place, new in begun.items() if len(new) > len(times.get(place, ()))}
            found: dict[tuple[int, int, str], deque[RecordedSnippet]] = {}
            for snippet in list_snippets(run, branch):
                place = snippet.ran.iteration, snippet.ran.step, snippet.ran.code
                found.setdefault(place, deque()).append(snippet)
            waiting |= {place: new for place, new in found.items() if len(new) > len(waiting.get(place, ()))}
        return cls(waiting, times, repeat_calls)

    def take_time(self, iteration: int, step: int) -> str:
        """Return when the snippet at this step was started, even if it was interrupted; the current time if there is no
        record.
        """
        begun = self.times.get((iteration, step))
        return clock.now() if self.over or not begun else begun.popleft()

    def take(self, iteration: int, step: int, code: str) -> RecordedSnippet | None:
        """Return the recorded snippet with this iteration, step and code, or None."""
        waiting = self.waiting.get((iteration, step, code))
        if self.over or not waiting:
            self.over = True
            return None
        return waiting.popleft()


def take_branch(run: Iterable[events.AnyEvent], branch: str) -> list[events.AnyEvent]:
    """Return the events of one child of a run, with its sub-queries and children, as the events of a separate run."""
    found: list[events.AnyEvent] = []
    numbers = set()
    for event in run:
        match event:
            case events.ChildWorked(branch=own, event=done) if own == branch:
                found.append(done)
            case events.CallStarted(number=number, branch=own) if f"{own}.".startswith(f"{branch}."):
                numbers.add(number)
                found.append(event)
            case events.CallFinished(number=number) if number in numbers:
                found.append(event)
            case events.ChildStarted() | events.ChildWorked() | events.ChildFinished():
                if event.branch.startswith(f"{branch}."):
                    found.append(event)
    return found


def list_snippets(run: Sequence[events.AnyEvent], branch: str = "") -> Iterator[RecordedSnippet]:
    """Yield the completed snippets of a run, each with the events between its start and its end."""
    ends = {event.number: event for event in run if isinstance(event, events.CallFinished)}
    begun: list[events.AnyEvent] | None = None
    at = ""
    for event in run:
        match event:
            case events.SnippetStarted():
                begun, at = [], event.at
            case events.IterationStarted():
                begun = None
            case events.SnippetRan() if begun is not None:
                reading = tuple(
                    item for item in begun if isinstance(item, events.CoverageAdded | events.SubqueriesAsked)
                )
                children = tuple(item for item in begun if isinstance(item, events.ChildEvent))
                yield RecordedSnippet(at, event, _calls_among(begun, ends), reading, children, branch)
                begun = None
            case _ if begun is not None:
                begun.append(event)


def _calls_among(
    inside: Sequence[events.AnyEvent], ends: Mapping[int, events.CallFinished]
) -> tuple[events.CallEvent, ...]:
    """Return the calls that a snippet started, including their ends if these came after the snippet."""
    started = {event.number for event in inside if isinstance(event, events.CallStarted)}
    calls = [
        event
        for event in inside
        if isinstance(event, events.CallStarted | events.CallRetried)
        or (isinstance(event, events.CallFinished) and event.number in started)
    ]
    ended = {call.number for call in calls if isinstance(call, events.CallFinished)}
    return (*calls, *(ends[number] for number in sorted(started - ended) if number in ends))
