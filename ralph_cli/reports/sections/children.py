"""Describes the child workers of a run: their questions, results and costs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ralph_cli.core.events import AnyEvent, CallFinished, CallStarted, ChildFinished, ChildStarted
from ralph_cli.core.model import Usage
from ralph_cli.text.lexicon import pluralize


@dataclass(frozen=True, slots=True)
class ChildRun:
    """A child worker: its `branch` ("2.1" is a child of "2"), its question, and its part, text[start:end].

    `end` is 0 for a text that is not in the document. `usage` covers its own calls and sub-queries. `findings` is None
    while it has not ended, and if it failed; then `error` has the reason.
    """

    branch: str
    question: str
    start: int
    end: int
    usage: Usage = Usage()
    findings: int | None = None
    error: str = ""
    seconds: float = 0.0

    @property
    def depth(self) -> int:
        """The number of levels below the run's worker, from 1."""
        return self.branch.count(".") + 1

    @property
    def result(self) -> str:
        """How it ended, in words."""
        if self.error:
            return f"failed: {self.error}"
        return "did not end" if self.findings is None else pluralize(self.findings, "finding")

    def as_object(self) -> dict[str, Any]:
        """An entry of the `children` of `--json`."""
        place = [self.start, self.end] if self.end else None
        spent = {"calls": self.usage.calls, "usd": self.usage.usd, "seconds": self.seconds}
        return {
            "branch": self.branch,
            "question": self.question,
            "part": place,
            "findings": self.findings,
            "error": self.error,
            **spent,
        }


def list_children(events: Iterable[AnyEvent]) -> tuple[ChildRun, ...]:
    """The children of a run in the order of the tree: each before its own children."""
    found: dict[str, ChildRun] = {}
    owners: dict[int, str] = {}
    for event in events:
        match event:
            case ChildStarted():
                found[event.branch] = ChildRun(event.branch, event.question, event.start, event.end)
            case CallStarted() if event.branch in found:
                owners[event.number] = event.branch
            case CallFinished() if event.number in owners:
                child = found[owners[event.number]]
                found[child.branch] = replace(child, usage=child.usage + event.usage)
            case ChildFinished() if event.branch in found:
                count = len(json.loads(event.answer)["findings"]) if event.answer else None
                ended = replace(found[event.branch], findings=count, error=event.error, seconds=event.seconds)
                found[event.branch] = ended
    return tuple(sorted(found.values(), key=lambda child: [int(part) for part in child.branch.split(".")]))


def describe_children(children: Sequence[ChildRun]) -> Iterator[str]:
    """A line on all children, then one on each, indented by its depth."""
    if not children:
        return
    total = sum((child.usage for child in children), Usage())
    failed = sum(bool(child.error) for child in children)
    counted = pluralize(len(children), "child worker")
    cost = f", ${total.usd:.2f}" if total.usd else ""
    yield f"{counted}{f' ({failed} failed)' * bool(failed)}, {pluralize(total.calls, 'call')}{cost}"
    for child in children:
        cost = f", ${child.usage.usd:.2f}" if child.usage.usd else ""
        spent = f"{pluralize(child.usage.calls, 'call')}{cost}, {child.seconds:.0f} s"
        yield f"{'  ' * child.depth}{child.branch}. {' '.join(child.question.split())}: {child.result} ({spent})"
