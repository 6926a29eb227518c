"""A run as a story: what was asked, tried, shown, refused and ruled, in order, as plain text."""

from collections.abc import Iterable, Iterator

from ralph_cli.core.events import (
    AnyEvent,
    CallFinished,
    CallRetried,
    CasesMade,
    GoalSet,
    IterationStarted,
    Noticed,
    Nudged,
    RunStarted,
    Said,
    SnippetRan,
    StepFinished,
    Submitted,
    Verified,
    Wrote,
)
from ralph_cli.core.run import Draft, Step
from ralph_cli.reports.safe_text import one_line, visible


def story(events: Iterable[AnyEvent]) -> str:
    """All events a reader cares for, one paragraph each."""
    return "\n".join(line for event in events for line in _tell(event))


def _tell(event: AnyEvent) -> Iterator[str]:
    match event:
        case RunStarted():
            models = event.settings.get("models", {})
            yield f"Question: {one_line(event.question)}"
            yield f"Document: {one_line(str(event.document.get('path')))} (sha256 {event.document.get('sha256')})"
            yield "Models: " + ", ".join(f"{role} {visible(str(name))}" for role, name in models.items())
            yield f"Begun: {event.at}\n"
        case Noticed(_, message):
            yield f"note: {one_line(message)}\n"
        case IterationStarted(number, feedback):
            yield f"== Iteration {number}"
            if feedback:
                yield _indented(feedback)
        case CasesMade(cases, batches, seed):
            yield f"Cases: {len(cases)} in {len(batches)} batches, seed {seed}"
            for case in cases:
                yield f"  {case.number} {visible(case.kind)}: {one_line(case.text)}"
            yield ""
        case SnippetRan():
            pages = f", pages {', '.join(map(str, event.pages))}" if event.pages else ""
            asked = f", {event.queries} sub-queries" if event.queries else ""
            yield f"-- step {event.step}: ran code in {event.seconds:.2f} s{asked}{pages}"
            yield _indented(_short(event.code), "  > ")
            yield _indented(event.output)
        case Submitted(step=step, draft=draft, problems=problems):
            yield f"-- step {step}: handed in" + (", sent back" if problems else ", taken")
            yield from _draft(draft)
            yield from (f"  ! {one_line(problem)}" for problem in problems)
        case Nudged(step=step, reason=reason):
            yield f"-- step {step}: {one_line(reason)}"
        case GoalSet() | Wrote() | Verified() | Said():
            yield from _goal(event)
        case StepFinished(step):
            yield from _output(step)
            for ruling in step.rulings:
                what = f"claim {ruling.claim}" if ruling.claim else "the output"
                said = f"{what} {ruling.verdict.value}: {one_line(ruling.reason)}"
                yield f"-- judge ({visible(ruling.judge)}): {said}"
            yield from (
                f"-- {item.check} could not be made: {one_line(item.broken)}" for item in step.evidence if item.broken
            )
            yield ""
        case CallRetried(agent, model, attempt, reason):
            yield f"-- {agent} ({visible(model)}) failed on try {attempt}: {one_line(reason)}"
        case CallFinished(agent=agent, model=model, error=error) if error:
            yield f"-- {agent} ({visible(model)}) failed: {one_line(error)}"
        case _:
            return


def _output(step: Step) -> Iterator[str]:
    """What a task's reasoner wrote and noted, and what the hard rules refused in it."""
    if step.attempt.memory:
        yield f"-- output: {len(step.attempt.output):,} characters"
        yield _indented(_short(step.attempt.output))
        yield "-- to be remembered:"
        yield _indented(_short(step.attempt.memory))
        hard = [item for evidence in step.evidence if not evidence.rulings for item in evidence.issues]
        yield from (f"  ! {one_line(issue.message)}" for issue in hard)


def _goal(event: GoalSet | Wrote | Verified | Said) -> Iterator[str]:
    match event:
        case GoalSet(verifiers=verifiers, instructions=instructions, continues=continues):
            yield from (f"Verifier {one_line(name)}: {visible(command)}" for name, command in verifiers)
            if not verifiers:
                yield "Verifier: none"
            if instructions:
                yield f"Instructions: {one_line(instructions)}"
            if continues:
                yield f"Continues: {visible(continues)}, after iteration {event.iteration}"
            yield ""
        case Wrote(output=output, revision=revision):
            yield f"-- output, version {revision}: {len(output):,} characters"
            yield _indented(_short(output))
        case Verified(name=name, command=command, passed=passed, ended=ended, at=at):
            word = "passed" if passed else "FAILED"
            what = f"version {event.revision} by {one_line(name)}"
            yield f"-- verified {what}: {word} ({one_line(ended)}) at {visible(at)}"
            yield f"  $ {one_line(command)}"
            if event.output:
                yield _indented(event.output)
        case Said(text=text, intent=intent):
            words = {"note": "a note", "done": "it is done", "blocked": "it cannot go on"}
            yield f"-- the worker says ({words[intent]}): {one_line(text)}"


def _draft(draft: Draft) -> Iterator[str]:
    for claim in draft.claims:
        yield f"  - {one_line(claim.text)}"
        yield from (f'      "{one_line(quote)}"' for quote in claim.quotes)
    if draft.absence is not None:
        yield f"  not in the document; searched: {one_line(', '.join(draft.absence.searched))}"


def _short(code: str, most: int = 40) -> str:
    """The code, its middle left out when it is long; the trace file holds it whole."""
    lines = code.splitlines()
    if len(lines) <= most:
        return code
    head, tail = lines[: most // 2], lines[-most // 2 :]
    return "\n".join((*head, f"... {len(lines) - most} lines ...", *tail))


def _indented(text: str, mark: str = "  ") -> str:
    return "\n".join(mark + line for line in visible(text).splitlines())
