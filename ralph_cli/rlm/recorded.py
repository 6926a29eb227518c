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
    """A snippet that ran to its end: when, what it gave, its calls and children, and what was read by it or was not."""

    at: str
    ran: events.SnippetRan
    calls: tuple[events.CallEvent, ...]
    reading: tuple[events.CoverageAdded | events.SubqueriesAsked, ...]
    children: tuple[events.ChildEvent, ...] = ()
    branch: str = ""

    @property
    def first_ordinal(self) -> int:
        """The ordinal of its first sub-query."""
        return min((call.ordinal for call in self._own_subqueries()), default=0)

    def answers(self) -> "RecordedAnswers":
        """What its sub-queries were answered, for running it once more."""
        texts = {call.number: (call.sent, call.ordinal) for call in self._own_subqueries()}
        ended = {call.number: call for call in self.calls if isinstance(call, events.CallFinished)}
        # Of a call that was tried again only the last try was answered.
        last = {texts[number][1] or -number: number for number in texts if number in ended}
        return RecordedAnswers([(*texts[number], _as_answer(ended[number])) for number in last.values()])

    def _own_subqueries(self) -> Iterator[events.CallStarted]:
        """The sub-queries of this very code, not those of its children."""
        return (call for call in self.calls if isinstance(call, events.CallStarted) and call.branch == self.branch)


def _as_answer(call: events.CallFinished) -> Answer:
    return QueryFailure(call.error) if call.reply is None else as_answer(parse_reply(call.reply, call.usage))


@dataclass(slots=True)
class RecordedAnswers:
    """The answers that sub-queries of a snippet had, as (what was asked, its ordinal, the answer)."""

    waiting: list[tuple[str, int, Answer]]

    def take(self, asked: str, ordinal: int) -> Answer | None:
        """The answer to what is asked; else, for code that asks otherwise each time, to what was asked in its place."""
        found = [item for item in self.waiting if item[0] == asked]
        found = [item for item in found if item[1] == ordinal] or found
        found = found or [item for item in self.waiting if item[1] == ordinal]
        if not found:
            return None
        self.waiting.remove(found[0])
        return found[0][2]


@dataclass(slots=True)
class RecordedSnippets:
    """The snippets of earlier runs, each at its place: iteration, step and code. Each is given out once.

    `repeat_calls` tells of the calls that a snippet made. Once code was run that no run has a record of, variables may
    be others than they were, and nothing is given out any more.
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
        """Those of these runs, or of the child `branch` in them.

        Of a place that several runs have, the run that has most of it counts.
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
        """When the snippet was begun there, also one that was cut off; now, if none was."""
        begun = self.times.get((iteration, step))
        return clock.now() if self.over or not begun else begun.popleft()

    def take(self, iteration: int, step: int, code: str) -> RecordedSnippet | None:
        """The snippet that was run there, or None."""
        waiting = self.waiting.get((iteration, step, code))
        if self.over or not waiting:
            self.over = True
            return None
        return waiting.popleft()


def take_branch(run: Iterable[events.AnyEvent], branch: str) -> list[events.AnyEvent]:
    """The events of a child in a run, and of its sub-queries and children, as those of a run of its own."""
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
    """The snippets of a run that ran to their end, each with the events between its start and its end."""
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
    """The calls that were begun `inside` a snippet, with those of their ends that came after it."""
    started = {event.number for event in inside if isinstance(event, events.CallStarted)}
    calls = [
        event
        for event in inside
        if isinstance(event, events.CallStarted | events.CallRetried)
        or (isinstance(event, events.CallFinished) and event.number in started)
    ]
    ended = {call.number for call in calls if isinstance(call, events.CallFinished)}
    return (*calls, *(ends[number] for number in sorted(started - ended) if number in ends))
