"""Goal mode: the worker produces one text and calls the user's verifiers on it, until their evidence accepts it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ralph_cli.checks.command import Ran
from ralph_cli.core.document import Document
from ralph_cli.core.events import AnyEvent, GoalSet, IterationStarted, Said, Sink, Verified, VerifierStarted, Wrote
from ralph_cli.core.prompts.framing import cut, framed, told
from ralph_cli.core.prompts.templates import render
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.run import Attempt, Draft, Evidence, Lesson
from ralph_cli.loop.completion import Intent, examine, intends, without_marker
from ralph_cli.loop.state import LoopState
from ralph_cli.modes.goal_summary import RuntimeSummary
from ralph_cli.modes.opening import headings_told, pages_told
from ralph_cli.modes.retry import TOO_LARGE, Retry
from ralph_cli.rlm.goal_acts import MOST, GiveUp, Refusal, Say, SetOutput, TakeOutput, Verify
from ralph_cli.rlm.loop import Explorer, Told

PREVIEW = 600
SHOWN = 2_500
"""Characters of the output so far that a fresh conversation is shown; all of it is in the variable `KEPT_IN`."""

EVIDENCE = 3_000
KEPT_IN = "output_so_far"


@dataclass(frozen=True, slots=True)
class Brief:
    """What the worker is told of its goal: at the beginning, and when a conversation is begun anew."""

    objective: str
    document: Document
    terms: GoalSet
    nonce: str
    direct: bool
    most_iterations: int

    def opening(self) -> str:
        """The first message: the document's kind and beginning (all of a short one), the verifiers, the objective."""
        text = self.document.text
        lead = "It is short, so here is all of it:" if self.direct else "Its beginning:"
        return render(
            "goal_opening",
            document=self._document(),
            headings="" if self.direct else headings_told(self.document, self.nonce),
            lead=lead,
            preview=framed(text if self.direct else text[:PREVIEW], self.nonce),
            verifiers=self._verifiers(),
            objective=self.objective,
            instructions=self._instructions(),
        )

    def continuation(self, goal: GoalState, reason: str, summary: str, *, kept: bool) -> str:
        """The compact message that takes the place of the conversation so far."""
        last = "\n".join(_line(item) for item in goal.evidence)
        fresh = ", on the output as it stands:" if goal.fresh else ", on an earlier version of the output:"
        size = f" ({len(goal.output):,} characters; whole in the sandbox variable `{KEPT_IN}`):" if goal.output else ":"
        return render(
            "goal_continuation",
            iteration=goal.iteration + 1,
            most=self.most_iterations,
            variables="The sandbox is as you left it."
            if kept
            else "The sandbox is new, so earlier variables are gone.",
            document=self._document(),
            objective=self.objective,
            instructions=self._instructions(),
            verifiers=self._verifiers(),
            reason=reason,
            size=size,
            output=framed(cut(goal.output, SHOWN), self.nonce) if goal.output else "(none)",
            fresh=fresh if goal.evidence else ":",
            evidence=framed(cut(last, EVIDENCE), self.nonce) if last else "(none: no verifier was run)",
            summary=framed(summary or "(nothing)", self.nonce),
        )

    def feedback(self, goal: GoalState, reason: str) -> str:
        """The next message of a conversation that goes on."""
        return render("goal_feedback", iteration=goal.iteration + 1, most=self.most_iterations, reason=reason)

    def _document(self) -> str:
        return f"{self.document.kind}, {len(self.document.text):,} characters, {pages_told(self.document)}"

    def _verifiers(self) -> str:
        names = ", ".join(name for name, _ in self.terms.verifiers)
        if names:
            return f"The user's verifiers, all of which must pass: {names}."
        return "There is no verifier. When the output is as good as you can make it, say `<promise>DONE</promise>`."

    def _instructions(self) -> str:
        return f"\nHow to verify, in the user's words:\n{self.terms.instructions}\n" if self.terms.instructions else ""


@dataclass(slots=True)
class Desk:
    """Holds the output of a goal and carries out the worker's acts on it; evidence comes from here and nowhere else.

    `verify` runs the verifiers on a text: the name of each, then how it ended. `take` reads a sandbox variable. `goal`
    is the fold of the events so far: `sink` hears what is done here, and must tell it to `note`.
    """

    goal: GoalState
    verify: Callable[[str], Iterator[str | Ran]]
    take: Callable[[str], str | Refusal]
    sink: Sink
    nonce: str
    intent: Intent = field(default_factory=Intent)
    rounds: int = 0

    def begin(self, event: IterationStarted) -> None:
        """A new iteration: nothing is claimed yet."""
        self.intent = Intent()
        self.note(event)

    def note(self, event: AnyEvent, /) -> None:
        """Fold an event that others emit."""
        self.goal = self.goal.apply(event)

    def perform(self, act: object) -> Told:
        """Carry out one act of the worker."""
        match act:
            case SetOutput(call, text):
                return self._write(call, text)
            case TakeOutput(call, name):
                taken = self.take(name)
                return Told(taken.reason, error=True) if isinstance(taken, Refusal) else self._write(call, taken)
            case Verify(call):
                return self._verify(call)
            case Say(call, text):
                return self._say(call, text)
            case GiveUp(call, reason):
                self.intent = Intent(done=self.intent.done, blocked=reason)
                self.sink(Said(self.goal.iteration, call, reason, "blocked"))
                return Told("Noted: you cannot go on.", taken=Draft(output=self.goal.output))
            case _:
                raise AssertionError(f"not an act of a goal: {act!r}")

    def hear(self, text: str) -> Draft | None:
        """What is said without a tool call counts only if it holds the completion marker."""
        return self._say("", text).taken if intends(text) else None

    def _say(self, call: str, text: str) -> Told:
        done = intends(text)
        self.sink(Said(self.goal.iteration, call, without_marker(text), "done" if done else "note"))
        if not done:
            return Told("Noted. To finish, verify, and then say the completion marker.")
        self.intent = Intent(done=True, blocked=self.intent.blocked)
        return Told("Your intent to finish is noted; the evidence decides.", taken=Draft(output=self.goal.output))

    def _write(self, call: str, text: str) -> Told:
        # Cleaned before it is verified: what was verified is what is handed over, to the character.
        text = without_marker(text).encode("utf-8", "replace").decode()
        if not text.strip():
            return Told("The output would be empty; nothing was changed.", error=True)
        if len(text) > MOST:
            said = f"The output has {len(text):,} characters, at most {MOST:,} are taken; nothing was changed."
            return Told(said, error=True)
        if text == self.goal.output:
            return Told("That is the output already; nothing was changed.")
        self.sink(Wrote(self.goal.iteration, call, text, self.goal.revision + 1))
        lines = text.count("\n") + 1
        return Told(f"The output is set: {len(text):,} characters, {lines:,} lines. It is not verified.")

    def _verify(self, call: str) -> Told:
        if not self.goal.required:
            return Told("There is no verifier to run.", error=True)
        if not self.goal.output:
            return Told("There is no output to verify; set it first.", error=True)
        self.rounds += 1
        for ran in self.verify(self.goal.output):
            if isinstance(ran, str):
                self.sink(VerifierStarted(self.goal.iteration, ran))
                continue
            place = self.goal.iteration, ran.name, call, ran.command, ran.passed, ran.ended, ran.output, ran.at
            self.sink(Verified(*place, self.rounds, self.goal.revision, ran.seconds))
        failed = sum(not item.passed for item in self.goal.fresh)
        count = len(self.goal.required)
        first = f"FAILED: {failed} of {count} verifiers" if failed else f"PASSED: all {count} verifiers"
        body = framed(cut("\n".join(_line(item) for item in self.goal.fresh), 2 * EVIDENCE), self.nonce)
        return Told(f"{first}, on the output as it stands\n{body}", error=bool(failed))


def _line(item: Verified) -> str:
    word = "passed" if item.passed else "FAILED"
    return f"- {item.name} {word} ({item.ended})" + (f"\n{item.output}" if item.output else "")


@dataclass(slots=True)
class GoalMode:
    """The goal mode of the outer loop, see `loop.engine.Mode`: an iteration ends with DONE, blocked, or its last step.

    `converse` begins a fresh conversation from a first message; the sandbox behind all of them is the same. Each
    iteration has its own, unless `retry` lets one go on: "continue" always, "auto" while it is small and ended with the
    worker's word that it is done, because then only the refusal is new to it.
    """

    brief: Brief
    desk: Desk
    summary: RuntimeSummary
    converse: Callable[[str], Explorer]
    put: Callable[[str, str], bool]
    summary_chars: int = 4_000
    retry: Retry = "fresh"
    _live: Explorer | None = None
    _goes_on: bool = False

    def plan(self, state: LoopState) -> str:
        goal = self.desk.goal
        summary = self.summary.text(self.summary_chars)
        self._goes_on = bool(state.steps) and self._worth_keeping(state.steps[-1].attempt)
        if state.steps:
            reason = told(state.steps[-1].issues, self.brief.nonce)
            if self._goes_on:
                return self.brief.feedback(goal, reason)
            return self.brief.continuation(goal, reason, summary, kept=True)
        if goal.terms.continues:
            reason = "- an earlier run of this goal was cut off before it ended; its evidence must be renewed"
            return self.brief.continuation(goal, reason, summary, kept=False)
        return ""

    def run(self, order: str, iteration: int) -> Attempt:
        begun = IterationStarted(iteration, order)
        self.desk.begin(begun)
        self.summary(begun)
        if self._live is not None and self._goes_on:
            self._live.explore(order, iteration)
        else:
            if order and self.desk.goal.output:
                self.put(KEPT_IN, self.desk.goal.output)
            self._live = self.converse(order or self.brief.opening())
            self._live.explore("", iteration)
        output = self.desk.goal.output
        error = "" if output else self.desk.intent.blocked or "no output was set"
        return Attempt(finished=self.desk.intent.done, source="worker", output=output, error=error)

    def _worth_keeping(self, last: Attempt) -> bool:
        """Whether the live conversation goes on after this attempt."""
        if self._live is None or self.retry == "fresh":
            return False
        return self.retry == "continue" or (last.finished and self._live.characters <= TOO_LARGE)

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        return examine(self.desk.goal, self.desk.intent)

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """The runtime summary: it is what the next conversation begins with."""
        return Lesson(self.summary.text(self.summary_chars))
