"""Renders the course of a run as HTML: each step with its code and output, drafts, verdicts and retries."""

from collections.abc import Iterable, Iterator

from ralph_cli.core import events
from ralph_cli.core.run import DraftClaim, Step
from ralph_cli.reports.html.coverage_strip import all_ranges
from ralph_cli.reports.html.markup import Markup, bullets, el, join
from ralph_cli.reports.safe_text import one_line

_MAX_LINES, _MAX_CHARACTERS = 60, 8_000


def timeline(run: Iterable[events.AnyEvent]) -> Markup:
    """The events in order, with a heading for each iteration; empty for a run without any."""
    parts: list[Markup] = []
    steps: list[Markup] = []
    for event in run:
        if isinstance(event, events.IterationStarted):
            parts += [_step_list(steps), el("h3", f"Iteration {event.number}")]
            steps = []
            if event.feedback:
                parts.append(_details("Feedback on the previous attempt", el("pre", shorten(event.feedback))))
        steps += [el("li", item) for item in _event_items(event)]
    return join(*parts, _step_list(steps))


def _step_list(steps: list[Markup]) -> Markup:
    return el("ol", *steps, class_="steps") if steps else Markup("")


def shorten(words: str) -> str:
    """Long text without its middle. The trace has all of it."""
    lines = words.splitlines()
    if len(lines) > _MAX_LINES:
        left = len(lines) - _MAX_LINES
        lines = [*lines[: _MAX_LINES // 2], f"... {left} lines are left out here ...", *lines[-_MAX_LINES // 2 :]]
    words = "\n".join(lines)
    if len(words) > _MAX_CHARACTERS:
        half = _MAX_CHARACTERS // 2
        words = f"{words[:half]}\n... {len(words) - 2 * half:,} characters are left out here ...\n{words[-half:]}"
    return words


def _reason(claim: DraftClaim) -> Markup | None:
    return el("p", "Because: ", claim.because) if claim.because else None


def _event_items(event: events.AnyEvent) -> Iterator[Markup]:
    match event:
        case events.SnippetRan():
            pages = f", pages {all_ranges(sorted(set(event.pages)))}" if event.pages else ""
            asked = f", {event.queries} sub-queries" if event.queries else ""
            failed = ", which failed" if event.error else ""
            lost = "; the sandbox’s state was lost" if event.state_lost else ""
            name = f"Step {event.step}: ran code for {event.seconds:.2f} s{failed}{asked}{pages}{lost}"
            code = el("h4", "Code"), el("pre", shorten(event.code))
            yield _details(name, *code, el("h4", "What it was shown"), el("pre", shorten(event.output) or "(nothing)"))
        case events.DraftSubmitted():
            yield _draft_item(event)
        case events.ChildStarted() | events.ChildWorked() | events.ChildFinished():
            yield from _child_items(event)
        case events.TurnRejected(step=step, reason=reason):
            yield el("span", f"Step {step}: {one_line(reason, 600)}")
        case events.StepFinished(step):
            yield from _check_results(step)
        case events.CallRetried(agent, model, attempt, reason):
            yield el("span", f"{agent} ({model}) failed on try {attempt}: {one_line(reason, 600)}")
        case events.CallFinished(agent=agent, model=model, error=error) if error:
            yield el("span", f"{agent} ({model}) failed: {one_line(error, 600)}")
        case events.RunHalted(halt=halt, at=at):
            yield el("span", el("b", "End"), f" ({halt.type.value}) at {at}: {one_line(halt.detail, 600)}")
        case _:
            yield from _goal_event_items(event)


def _draft_item(event: events.DraftSubmitted) -> Markup:
    draft = event.draft
    name = f"Step {event.step}: submitted" + (", rejected" if event.problems else ", accepted")
    items = [
        el("li", claim.text, el("ul", *(el("li", el("q", quote)) for quote in claim.quotes)), _reason(claim))
        for claim in draft.claims
    ]
    if draft.absence is not None:
        items.append(el("li", "Not in the document; searched: ", ", ".join(draft.absence.searched)))
    output = el("pre", shorten(draft.output)) if draft.output else None
    wrong = join(el("h4", "Problems"), bullets(event.problems)) if event.problems else None
    return _details(name, el("ul", *items), output, wrong)


def _child_items(event: events.ChildEvent) -> Iterator[Markup]:
    match event:
        case events.ChildStarted():
            part = f"{event.characters:,} characters" + (f" from offset {event.start:,}" if event.end else "")
            yield el("span", f"Child worker {event.branch} ({part}): {one_line(event.question, 600)}")
        case events.ChildWorked(branch=branch, event=done):
            yield from (join(el("b", f"Child {branch}. "), item) for item in _event_items(done))
        case events.ChildFinished():
            answer = event.error or event.answer
            yield _details(f"Child worker {event.branch} ended after {event.seconds:.1f} s", el("pre", shorten(answer)))


def _check_results(step: Step) -> Iterator[Markup]:
    if step.attempt.error:
        yield el("span", f"No result: {step.attempt.error}")
    for item in step.evidence:
        if item.broken:
            yield el("span", f"The check “{item.check}” could not be run: {one_line(item.broken, 600)}")
    if step.rulings:
        verdicts = bullets(
            join(
                el("b", f"Claim {r.claim}" if r.claim else "The output"), f": {r.verdict.value}. {r.reason} ({r.judge})"
            )
            for r in step.rulings
        )
        yield _details("The judge’s verdicts", verdicts)


def _goal_event_items(event: events.AnyEvent) -> Iterator[Markup]:
    match event:
        case events.GoalSet(verifiers=verifiers, instructions=instructions):
            named = bullets(join(el("b", name), ": ", el("code", command)) for name, command in verifiers)
            yield join("Verifiers: ", named or "none", instructions)
        case events.OutputChanged(output=output, revision=revision):
            yield _details(f"Output, version {revision}: {len(output):,} characters", el("pre", shorten(output)))
        case events.VerifierFinished(name=name, command=command, passed=passed, ended=ended, at=at):
            word = "passed" if passed else "FAILED"
            title = f"Version {event.revision} verified by {one_line(name)}: {word} ({one_line(ended)}) at {at}"
            yield _details(title, el("pre", shorten(f"$ {command}\n{event.output}".rstrip())))
        case events.WorkerReported(text=words, intent=intent):
            meant = {"note": "a note", "done": "it is done", "blocked": "it cannot go on"}[intent]
            yield el("span", f"The worker says ({meant}): {one_line(words, 2_000)}")


def _details(name: str, *content: Markup | None) -> Markup:
    return el("details", el("summary", name), *content)
