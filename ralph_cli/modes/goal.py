"""Goal mode: the worker writes one text and runs the user's verifiers on it, until their evidence accepts it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ralph_cli.checks.base import Check
from ralph_cli.checks.command import CommandResult
from ralph_cli.checks.judge.introduction import describe_kind, describe_pages, render_whole
from ralph_cli.core import events
from ralph_cli.core.document import Document
from ralph_cli.core.prompts.framing import frame_data, render_issues, truncate
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.run import Attempt, Draft, Evidence, Lesson
from ralph_cli.loop.completion import Intent, completion_evidence, has_done_marker, remove_marker
from ralph_cli.loop.state import LoopState
from ralph_cli.modes.goal_summary import RuntimeSummary
from ralph_cli.modes.opening import render_beginning, render_headings
from ralph_cli.modes.recorded_acts import RecordedActs
from ralph_cli.modes.retry import MAX_CONVERSATION_CHARS, Retry
from ralph_cli.rlm.goal_acts import MAX_OUTPUT_CHARS, GiveUp, OutputFromVariable, Refusal, Say, SetOutput, Verify
from ralph_cli.rlm.loop import Explorer, ToolAnswer

# The characters of the output that a fresh conversation is shown; all of it is in the variable `OUTPUT_VARIABLE`.
SHOWN_OUTPUT_CHARS = 2_500

EVIDENCE_CHARS = 3_000
OUTPUT_VARIABLE = "output_so_far"


@dataclass(frozen=True, slots=True)
class GoalPrompts:
    """The messages to the worker about its goal: the first one, and those of a new or continued conversation."""

    objective: str
    document: Document
    terms: events.GoalSet
    nonce: str
    include_document: bool
    max_iterations: int

    def opening(self) -> str:
        """Return the first message: the document's kind and beginning (all of a short one), the verifiers, the
        objective.
        """
        document, nonce = self.document, self.nonce
        shown = render_whole(document, nonce) if self.include_document else ""
        lead = "It is short, so here is all of it:" if self.include_document else "Its beginning:"
        return render_prompt(
            "goal_opening",
            document=self._document_line(),
            headings="" if shown else render_headings(document, nonce),
            lead=lead,
            preview=shown or render_beginning(document, nonce),
            verifiers=self._verifiers_line(),
            objective=self.objective,
            instructions=self._instructions_part(),
        )

    def continuation(self, goal: GoalState, reason: str, summary: str) -> str:
        """Return the compact message that replaces the conversation so far."""
        last = "\n".join(_render_verified(item) for item in goal.evidence)
        fresh = ", on the output as it stands:" if goal.current_evidence else ", on an earlier version of the output:"
        size = (
            f" ({len(goal.output):,} characters; whole in the sandbox variable `{OUTPUT_VARIABLE}`):"
            if goal.output
            else ":"
        )
        return render_prompt(
            "goal_continuation",
            iteration=goal.iteration + 1,
            most=self.max_iterations,
            document=self._document_line(),
            objective=self.objective,
            instructions=self._instructions_part(),
            verifiers=self._verifiers_line(),
            reason=reason,
            size=size,
            output=frame_data(truncate(goal.output, SHOWN_OUTPUT_CHARS), self.nonce) if goal.output else "(none)",
            fresh=fresh if goal.evidence else ":",
            evidence=frame_data(truncate(last, EVIDENCE_CHARS), self.nonce) if last else "(none: no verifier was run)",
            summary=frame_data(summary or "(nothing)", self.nonce),
        )

    def feedback(self, goal: GoalState, reason: str) -> str:
        """Return the next message of a continued conversation."""
        return render_prompt("goal_feedback", iteration=goal.iteration + 1, most=self.max_iterations, reason=reason)

    def _document_line(self) -> str:
        return (
            f"{describe_kind(self.document)}, {len(self.document.text):,} characters, {describe_pages(self.document)}"
        )

    def _verifiers_line(self) -> str:
        names = ", ".join(name for name, _ in self.terms.verifiers)
        if names:
            return f"The user's verifiers, all of which must pass: {names}."
        return "There is no verifier. When the output is as good as you can make it, say `<promise>DONE</promise>`."

    def _instructions_part(self) -> str:
        return f"\nHow to verify, in the user's words:\n{self.terms.instructions}\n" if self.terms.instructions else ""


@dataclass(slots=True)
class GoalWorkspace:
    """Holds the output of a goal and carries out the worker's acts on it. Only this class produces evidence.

    `verify` runs the verifiers on a text: it gives the name of each, then its result. `read_variable` reads a variable
    of the sandbox. `goal` is the fold of the events so far: `sink` gets the events of this class, and must pass them to
    `on_event`. Acts `recorded` in earlier runs replace both functions, so that the worker reads the same again.
    """

    goal: GoalState
    verify: Callable[[str], Iterator[str | CommandResult]]
    read_variable: Callable[[str], str | Refusal]
    sink: events.EventSink
    nonce: str
    recorded: RecordedActs = field(default_factory=RecordedActs)
    intent: Intent = field(default_factory=Intent)
    rounds: int = 0
    _evidence_is_recorded: bool = False

    def begin_iteration(self, event: events.IterationStarted) -> None:
        """Begin an iteration: the worker has claimed nothing yet."""
        self.intent = Intent()
        self.on_event(event)

    def on_event(self, event: events.AnyEvent, /) -> None:
        """Fold an event of another source."""
        self.goal = self.goal.apply(event)

    def perform(self, act: object) -> ToolAnswer:
        """Carry out one act of the worker."""
        match act:
            case SetOutput(call, text):
                return self._set_output(call, text)
            case OutputFromVariable(call, name):
                read = self.recorded.take_variable(self.goal.iteration, name) or self._read_variable(call, name)
                self.sink(read)
                return ToolAnswer(read.refused, error=True) if read.refused else self._set_output(call, read.text)
            case Verify(call):
                return self._run_verifiers(call)
            case Say(call, text):
                return self._record_statement(call, text)
            case GiveUp(call, reason):
                self.intent = Intent(done=self.intent.done, blocked=reason)
                self.sink(events.WorkerReported(self.goal.iteration, call, reason, "blocked"))
                return ToolAnswer("Noted: you cannot go on.", accepted_draft=Draft(output=self.goal.output))
            case _:
                raise AssertionError(f"not an act of a goal: {act!r}")

    def on_text(self, text: str) -> Draft | None:
        """Read text without a tool call; it counts only with the completion marker."""
        return self._record_statement("", text).accepted_draft if has_done_marker(text) else None

    def _read_variable(self, call: str, name: str) -> events.VariableRead:
        taken = self.read_variable(name)
        text, refused = ("", taken.reason) if isinstance(taken, Refusal) else (taken, "")
        return events.VariableRead(self.goal.iteration, call, name, text, refused)

    def _record_statement(self, call: str, text: str) -> ToolAnswer:
        done = has_done_marker(text)
        self.sink(events.WorkerReported(self.goal.iteration, call, remove_marker(text), "done" if done else "note"))
        if not done:
            return ToolAnswer("Noted. To finish, verify, and then say the completion marker.")
        self.intent = Intent(done=True, blocked=self.intent.blocked)
        return ToolAnswer(
            "Your intent to finish is noted; the evidence decides.", accepted_draft=Draft(output=self.goal.output)
        )

    def _set_output(self, call: str, text: str) -> ToolAnswer:
        # The text is cleaned before it is verified, so that exactly the verified text is handed over.
        text = remove_marker(text).encode("utf-8", "replace").decode()
        if not text.strip():
            return ToolAnswer("The output would be empty; nothing was changed.", error=True)
        if len(text) > MAX_OUTPUT_CHARS:
            message = (
                f"The output has {len(text):,} characters, at most {MAX_OUTPUT_CHARS:,} are taken; nothing was changed."
            )
            return ToolAnswer(message, error=True)
        if text == self.goal.output:
            return ToolAnswer("That is the output already; nothing was changed.")
        self.sink(events.OutputChanged(self.goal.iteration, call, text, self.goal.revision + 1))
        lines = text.count("\n") + 1
        return ToolAnswer(f"The output is set: {len(text):,} characters, {lines:,} lines. It is not verified.")

    def _run_verifiers(self, call: str) -> ToolAnswer:
        if not self.goal.verifier_names:
            return ToolAnswer("There is no verifier to run.", error=True)
        if not self.goal.output:
            return ToolAnswer("There is no output to verify; set it first.", error=True)
        self._verify(call, is_recorded=True)
        failed = sum(not item.passed for item in self.goal.current_evidence)
        count = len(self.goal.verifier_names)
        first = f"FAILED: {failed} of {count} verifiers" if failed else f"PASSED: all {count} verifiers"
        lines = "\n".join(_render_verified(item) for item in self.goal.current_evidence)
        body = frame_data(truncate(lines, 2 * EVIDENCE_CHARS), self.nonce)
        return ToolAnswer(f"{first}, on the output as it stands\n{body}", error=bool(failed))

    def renew_evidence(self) -> None:
        """Verify the output once more if its evidence is only recorded: a record accepts nothing."""
        if not (self._evidence_is_recorded and self.intent.done and self.goal.verified):
            return
        if not self.recorded.is_closed or self.recorded.is_renewal(self.rounds + 1):
            self._verify("", is_recorded=self.recorded.is_closed)

    def _verify(self, call: str, *, is_recorded: bool) -> None:
        """Report the result of every verifier: the recorded result if there is one (`is_recorded`), else by
        running it.
        """
        self.rounds += 1
        said = self.recorded.take_round(self.rounds, self.goal.output, self.goal.terms.verifiers) if is_recorded else ()
        self._evidence_is_recorded = bool(said)
        for item in said:
            self.sink(events.VerifierStarted(item.iteration, item.name))
            self.sink(item)
        for ran in () if said else self.verify(self.goal.output):
            if isinstance(ran, str):
                self.sink(events.VerifierStarted(self.goal.iteration, ran))
                continue
            place = self.goal.iteration, ran.name, call, ran.command, ran.passed, ran.ended, ran.output, ran.at
            self.sink(events.VerifierFinished(*place, self.rounds, self.goal.revision, ran.seconds))


def _render_verified(item: events.VerifierFinished) -> str:
    word = "passed" if item.passed else "FAILED"
    return f"- {item.name} {word} ({item.ended})" + (f"\n{item.output}" if item.output else "")


@dataclass(slots=True)
class GoalMode:
    """The goal mode of the outer loop, see `loop.engine.Mode`: an iteration ends with DONE, blocked, or its last step.

    `check_lost` refuses an output for which too many sub-queries gave no answer. `start_conversation` makes a fresh
    conversation from a first message; all share one sandbox. Each iteration has its own conversation unless `retry`
    continues one: "continue" always, "auto" while it is small and the worker has said that it is done, because then
    only the refusal is new.
    """

    prompts: GoalPrompts
    workspace: GoalWorkspace
    summary: RuntimeSummary
    start_conversation: Callable[[str], Explorer]
    write_variable: Callable[[str, str], None]
    check_lost: Check
    summary_chars: int = 4_000
    retry: Retry = "fresh"
    _conversation: Explorer | None = None
    _continues: bool = False

    def plan(self, state: LoopState) -> str:
        goal = self.workspace.goal
        self._continues = bool(state.steps) and self._should_continue(state.steps[-1].attempt)
        if not state.steps:
            return ""
        reason = render_issues(state.steps[-1].issues, self.prompts.nonce)
        if self._continues:
            return self.prompts.feedback(goal, reason)
        return self.prompts.continuation(goal, reason, self.summary.text(self.summary_chars))

    def run(self, message: str, iteration: int) -> Attempt:
        begun = events.IterationStarted(iteration, message)
        self.workspace.begin_iteration(begun)
        self.summary(begun)
        if self._conversation is not None and self._continues:
            explored = self._conversation.explore(message, iteration)
        else:
            if message and self.workspace.goal.output:
                self.write_variable(OUTPUT_VARIABLE, self.workspace.goal.output)
            self._conversation = self.start_conversation(message or self.prompts.opening())
            explored = self._conversation.explore("", iteration)
        output = self.workspace.goal.output
        error = "" if output else self.workspace.intent.blocked or explored.stuck or "no output was set"
        return Attempt(finished=self.workspace.intent.done, source="worker", output=output, error=error)

    def _should_continue(self, last: Attempt) -> bool:
        """Whether the live conversation continues after this attempt."""
        if self._conversation is None or self.retry == "fresh":
            return False
        return self.retry == "continue" or (last.finished and self._conversation.characters <= MAX_CONVERSATION_CHARS)

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        self.workspace.renew_evidence()
        evidence = completion_evidence(self.workspace.goal, self.workspace.intent)
        lost = self.check_lost(attempt)
        # A check that finds nothing is left out: it accepts no output that is not verified.
        return (*evidence, lost) if lost.issues else evidence

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Return the runtime summary, with which the next conversation begins."""
        return Lesson(self.summary.text(self.summary_chars))
