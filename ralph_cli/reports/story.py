"""A run as plain text: what was asked, tried, shown, refused and judged, in order."""

from collections.abc import Iterable, Iterator

from ralph_cli.core import events
from ralph_cli.core.run import Draft, Step
from ralph_cli.reports.safe_text import make_visible, one_line
from ralph_cli.reports.sections.outcome import describe_follows
from ralph_cli.reports.sections.unconfirmed import describe_doubt, list_unconfirmed
from ralph_cli.text.figure_lines import describe_source


def story(run: Iterable[events.AnyEvent]) -> str:
    """The events that matter to a reader, a paragraph each."""
    return make_visible("\n".join(line for event in run for line in _event_lines(event)))


def _event_lines(event: events.AnyEvent) -> Iterator[str]:
    match event:
        case events.RunStarted():
            yield from _start_lines(event)
        case events.NoticeIssued(_, message):
            yield f"note: {one_line(message)}\n"
        case events.IterationStarted(number, feedback):
            yield f"== Iteration {number}"
            if feedback:
                yield _indent(feedback)
        case events.CasesGenerated(cases, batches, seed):
            yield f"Cases: {len(cases)} in {len(batches)} batches, seed {seed}"
            yield from (f"  {case.number} {case.kind}: {one_line(case.text)}" for case in cases)
            yield ""
        case events.StepFinished(step):
            yield from _step_lines(step)
        case events.GoalSet() | events.OutputChanged() | events.VerifierFinished() | events.WorkerReported():
            yield from _goal_event_lines(event)
        case events.CallRetried(agent, model, attempt, reason):
            yield f"-- {agent} ({model}) failed on try {attempt}: {one_line(reason)}"
        case events.CallFinished(agent=agent, model=model, error=error) if error:
            yield f"-- {agent} ({model}) failed: {one_line(error)}"
        case _:
            yield from _worker_event_lines(event)


def _start_lines(started: events.RunStarted) -> Iterator[str]:
    yield f"Question: {one_line(started.question)}"
    if follows := describe_follows(started.follows):
        yield follows
    path, sha256 = (one_line(str(started.document.get(name))) for name in ("path", "sha256"))
    yield f"Document: {path} (sha256 {sha256})"
    yield "Models: " + ", ".join(f"{role} {name}" for role, name in started.settings.get("models", {}).items())
    yield f"Begun: {one_line(started.at)}\n"


def _worker_event_lines(event: events.AnyEvent) -> Iterator[str]:
    match event:
        case events.SnippetRan():
            pages = f", pages {', '.join(map(str, event.pages))}" if event.pages else ""
            asked = f", {event.queries} sub-queries" if event.queries else ""
            yield f"-- step {event.step}: ran code in {event.seconds:.2f} s{asked}{pages}"
            yield _indent(_shorten(event.code), "  > ")
            yield _indent(event.output)
        case events.DraftSubmitted(step=step, draft=draft, problems=problems):
            yield f"-- step {step}: submitted" + (", rejected" if problems else ", accepted")
            yield from _draft_lines(draft)
            yield from (f"  ! {one_line(problem)}" for problem in problems)
        case events.ChildStarted() | events.ChildWorked() | events.ChildFinished():
            yield from _child_lines(event)
        case events.ChildStarted() | events.ChildWorked() | events.ChildFinished():
            yield from _child_lines(event)
        case events.SubqueriesAsked(tally=tally) if tally.lost or tally.refused:
            counted = f"{len(tally.lost)} of {tally.asked} gave no answer, {tally.refused} were not asked"
            yield f"-- sub-queries so far: {counted}"
            yield from (f"  ! {one_line(reason)}" for reason in dict.fromkeys(item.reason for item in tally.lost))
        case events.TurnRejected(step=step, reason=reason):
            yield f"-- step {step}: {one_line(reason)}"


def _child_lines(event: events.ChildEvent) -> Iterator[str]:
    """The work of a child worker, each line with its branch."""
    match event:
        case events.ChildStarted():
            part = f"{event.characters:,} characters" + (f" from offset {event.start}" if event.end else "")
            yield f"[{event.branch}] child worker, {part}: {one_line(event.question)}"
        case events.ChildWorked(branch=branch, event=done):
            yield from (f"[{branch}] {line}" for lines in _event_lines(done) for line in lines.splitlines() if line)
        case events.ChildFinished():
            answer = event.error or event.answer
            yield f"[{event.branch}] ended after {event.seconds:.1f} s: {one_line(_shorten(answer))}"


def _step_lines(step: Step) -> Iterator[str]:
    """The end of an iteration: the output of a task, the sources of figures, and what checks and judges found."""
    if step.attempt.memory:
        yield f"-- output: {len(step.attempt.output):,} characters"
        yield _indent(_shorten(step.attempt.output))
        yield "-- saved to memory:"
        yield _indent(_shorten(step.attempt.memory))
        hard = [item for evidence in step.evidence if not evidence.rulings for item in evidence.issues]
        yield from (f"  ! {one_line(issue.line)}" for issue in hard)
    for figure in step.figures:
        yield f"-- {_name_subject(figure.claim)}: {one_line(describe_source(figure))}"
    yield from (f"-- judge {one_line(look.line)}" for look in step.looks)
    for doubt in list_unconfirmed(step.attempt, step.doubts):
        yield f"-- {_name_subject(doubt.claim)}: {one_line(describe_doubt(doubt))}"
    for ruling in step.rulings:
        verdict = f"{_name_subject(ruling.claim)} {ruling.verdict.value}: {one_line(ruling.reason)}"
        yield f"-- judge ({ruling.judge}): {verdict}"
    yield from (f"-- {item.check} could not be run: {one_line(item.broken)}" for item in step.evidence if item.broken)
    yield ""


def _name_subject(claim: int | None) -> str:
    return f"claim {claim}" if claim else "the output"


def _goal_event_lines(
    event: events.GoalSet | events.OutputChanged | events.VerifierFinished | events.WorkerReported,
) -> Iterator[str]:
    match event:
        case events.GoalSet(verifiers=verifiers, instructions=instructions, continues=continues):
            yield from (f"Verifier {one_line(name)}: {command}" for name, command in verifiers)
            if not verifiers:
                yield "Verifier: none"
            if instructions:
                yield f"Instructions: {one_line(instructions)}"
            if continues:
                yield f"Continues: {continues}"
            yield ""
        case events.OutputChanged(output=output, revision=revision):
            yield f"-- output, version {revision}: {len(output):,} characters"
            yield _indent(_shorten(output))
        case events.VerifierFinished(name=name, command=command, passed=passed, ended=ended, at=at):
            word = "passed" if passed else "FAILED"
            what = f"version {event.revision} by {one_line(name)}"
            yield f"-- verified {what}: {word} ({one_line(ended)}) at {at}"
            yield f"  $ {one_line(command)}"
            if event.output:
                yield _indent(event.output)
        case events.WorkerReported(text=text, intent=intent):
            words = {"note": "a note", "done": "it is done", "blocked": "it cannot go on"}
            yield f"-- the worker says ({words[intent]}): {one_line(text)}"


def _draft_lines(draft: Draft) -> Iterator[str]:
    for claim in draft.claims:
        yield f"  - {one_line(claim.text)}"
        yield from (f'      "{one_line(quote)}"' for quote in claim.quotes)
        if claim.because:
            yield f"      because: {one_line(claim.because)}"
    if draft.absence is not None:
        yield f"  not in the document; searched: {one_line(', '.join(draft.absence.searched))}"


def _shorten(text: str) -> str:
    """A text without the middle if it has over 40 lines. The trace file has all of it."""
    lines = text.splitlines()
    return text if len(lines) <= 40 else "\n".join((*lines[:20], f"... {len(lines) - 40} lines ...", *lines[-20:]))


def _indent(text: str, mark: str = "  ") -> str:
    return "\n".join(mark + line for line in make_visible(text).splitlines())
