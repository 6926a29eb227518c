"""The recorded acts on a goal in earlier runs: variables that were read, and results of verifiers."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ralph_cli.core.events import AnyEvent, GoalSet, OutputChanged, VariableRead, VerifierFinished

Verifiers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Round:
    """The results of all verifiers, each with name and command, for one output."""

    verifiers: Verifiers
    output: str
    said: tuple[VerifierFinished, ...] = ()


@dataclass(slots=True)
class RecordedActs:
    """The recorded acts on a goal by position; each is returned once.

    If several runs resumed one another, the one with the most records of a kind counts. With `is_closed` nothing else
    is verified.
    """

    variables: dict[tuple[int, str], deque[VariableRead]] = field(default_factory=dict)
    rounds: dict[int, Round] = field(default_factory=dict)
    is_closed: bool = False

    @classmethod
    def of(cls, runs: Iterable[Sequence[AnyEvent]], *, is_closed: bool = False) -> "RecordedActs":
        """Return the acts of these runs."""
        acts = cls(is_closed=is_closed)
        for run in runs:
            variables: dict[tuple[int, str], deque[VariableRead]] = {}
            for event in run:
                if isinstance(event, VariableRead):
                    variables.setdefault((event.iteration, event.name), deque()).append(event)
            for place, found in variables.items():
                if len(found) > len(acts.variables.get(place, ())):
                    acts.variables[place] = found
            rounds = _complete_rounds(run)
            if len(rounds) > len(acts.rounds):
                acts.rounds = rounds
        return acts

    def take_variable(self, iteration: int, name: str) -> VariableRead | None:
        """Return the variable as it was read in that iteration, or None."""
        waiting = self.variables.get((iteration, name))
        return waiting.popleft() if waiting else None

    def take_round(self, number: int, output: str, verifiers: Verifiers) -> tuple[VerifierFinished, ...]:
        """Return the verifiers' results for this output in the round `number`; empty if its output or verifiers
        differ.
        """
        found = self.rounds.pop(number, None)
        return found.said if found and (found.verifiers, found.output) == (verifiers, output) else ()

    def is_renewal(self, number: int) -> bool:
        """Whether the worker did not ask for the round of that number."""
        return number in self.rounds and not self.rounds[number].said[0].call


def _complete_rounds(events: Iterable[AnyEvent]) -> dict[int, Round]:
    """Return the rounds with a result of every verifier of the goal."""
    rounds: dict[int, Round] = {}
    outputs: dict[int, str] = {}
    verifiers: Verifiers = ()
    for event in events:
        match event:
            case GoalSet():
                verifiers = event.verifiers
            case OutputChanged(output=output, revision=revision):
                outputs[revision] = output
            case VerifierFinished(round=number, revision=revision):
                found = rounds.get(number) or Round(verifiers, outputs.get(revision, ""))
                rounds[number] = replace(found, said=(*found.said, event))
    return {number: found for number, found in rounds.items() if len(found.said) == len(found.verifiers)}
