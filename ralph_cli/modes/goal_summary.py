"""The runtime summary of a goal: its events in a limited number of characters. Pure."""

import ast
from dataclasses import dataclass, field

from ralph_cli.core import events
from ralph_cli.rlm.searches import parse_code

CODE_CHARS = 160
PRINTED_CHARS = 240
NOTE_CHARS = 400
REASON_CHARS = 160
OUTPUT_CHARS = 200
MAX_NAMES = 30


@dataclass(slots=True)
class RuntimeSummary:
    """A sink that keeps a line or two about every step; `text` is the summary for a fresh conversation."""

    entries: list[str] = field(default_factory=list)
    variables: dict[str, None] = field(default_factory=dict)

    def __call__(self, event: events.AnyEvent, /) -> None:
        """Add an entry for the event."""
        match event:
            case events.IterationStarted(number):
                self.entries.append(f"Iteration {number}:")
            case events.SnippetRan(code=code, output=output, error=error, state_lost=lost):
                if lost:
                    self.variables.clear()
                elif not error:
                    self.variables |= dict.fromkeys(assigned_names(code))
                failed = ", failed" if error else ""
                self.entries.append(
                    f"- ran{failed}: {_shorten(code, CODE_CHARS)}\n  printed: {_shorten(output, PRINTED_CHARS)}"
                )
            case events.OutputChanged(output=output, revision=revision):
                size = f"{len(output):,} characters"
                self.entries.append(f"- set the output, version {revision}, {size}: {_shorten(output, OUTPUT_CHARS)}")
            case events.VerifierFinished(name=name, passed=passed, ended=ended, revision=revision, output=output):
                word = "passed" if passed else f"FAILED ({ended}): {_shorten(output, REASON_CHARS)}"
                self.entries.append(f"- verified version {revision}: {name} {word}")
            case events.WorkerReported(text=text, intent=intent):
                self.entries.append(f"- said ({intent}): {_shorten(text, NOTE_CHARS)}")
            case events.TurnRejected(reason=reason):
                self.entries.append(f"- was told: {_shorten(reason, REASON_CHARS)}")

    def text(self, max_chars: int) -> str:
        """Return the summary in at most `max_chars` characters: the newest entries whole, and the number of omitted
        entries.
        """
        names = ", ".join(list(self.variables)[-MAX_NAMES:])
        first = f"Variables you made: {names}\n" if names else ""
        room = max_chars - len(first) - 60
        kept: list[str] = []
        for entry in reversed(self.entries):
            if len(entry) + 1 > room:
                break
            kept.append(entry)
            room -= len(entry) + 1
        left = len(self.entries) - len(kept)
        older = f"({left} older entries are left out)\n" if left else ""
        return (first + older + "\n".join(reversed(kept)))[: max(max_chars, 0)]


def assigned_names(code: str) -> list[str]:
    """Return the names that a snippet binds at its top level; empty if it cannot be parsed."""
    try:
        body = parse_code(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names: list[str] = []
    for node in body:
        match node:
            case ast.Assign(targets=targets):
                names += [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
                names.append(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
    return list(dict.fromkeys(names))


def _shorten(text: str, max_chars: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= max_chars else f"{flat[: max_chars * 2 // 3]} ... {flat[-max_chars // 3 :]}"
