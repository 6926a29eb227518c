"""The inner loop: one worker's live conversation, from the first look at the document to a draft that may be judged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ralph_cli.core.document import Document
from ralph_cli.core.events import Nudged, Sink, SnippetRan, SnippetStarted, Submitted
from ralph_cli.core.model import Model, ModelTurn, Reply, Request, Stop, Tool, ToolCall, ToolTurn, Turn, UserTurn
from ralph_cli.core.prompts.framing import CAP, framed, told
from ralph_cli.core.run import Draft, Issue
from ralph_cli.documents.search.occurrences import SearchTerm
from ralph_cli.rlm.bridge import Subqueries, Tally, Workbench
from ralph_cli.rlm.observe import observation, pages_shown
from ralph_cli.rlm.parse import ACT, Malformed, Snippet, parse_call
from ralph_cli.rlm.reading import Reading
from ralph_cli.rlm.searches import searched_in
from sandbox import Answer, QueryFailure

MAX_TOKENS = 8_000
MAX_TOKENS_LONG = 16_000
NUDGE = "Use the tool `act`: run Python with `code`, or hand in with `claims` or `not_found`."
LOOK_FIRST = "Nothing was looked at yet. Run code that prints the passages in question, then hand in."
SEE_FIRST = "Hand in with a call of its own, after you have seen what the code prints."
LOST = "[The sandbox was restarted: your variables are gone; `context`, `find`, `show` and `at` are still there.]"

Review = Callable[[Draft], tuple[Issue | str, ...]]
"""The local rules: what is wrong with a draft, empty when it may go to the judge."""


@dataclass(frozen=True, slots=True)
class Explored:
    """How an iteration of exploring ended: the last draft (None if none was made) and whether the rules took it."""

    draft: Draft | None
    taken: bool
    steps: int


@dataclass(frozen=True, slots=True)
class Told:
    """The answer to one tool call: what the worker is told, whether it is an error, a draft that was taken."""

    text: str
    error: bool = False
    taken: Draft | None = None


@dataclass(slots=True)
class Explorer:
    """A worker with its conversation; history is only appended to, so that every request extends the one before.

    `parse` gives the meaning of a tool call: a Snippet is run, a Draft is reviewed and may end the iteration, a
    Malformed is told back, and any other act of a mode's own is carried out by `perform`. What is said without a tool
    call is given to `hear`, and answered with `nudge` unless that makes a draft of it. `looked` says whether the worker
    has seen what it speaks of; at first, that the opening holds the whole document. `reading` keeps what was read.
    """

    model: Model
    workbench: Workbench
    subqueries: Subqueries
    document: Document
    system: str
    opening: str
    inputs: Mapping[str, Any]
    nonce: str
    review: Review
    sink: Sink
    max_steps: int
    looked: bool = False
    agent: str = "worker"
    tool: Tool = ACT
    parse: Callable[[ToolCall], object] = parse_call
    perform: Callable[[object], Told] | None = None
    hear: Callable[[str], Draft | None] | None = None
    nudge: str = NUDGE
    turns: tuple[Turn, ...] = ()
    trajectory: list[tuple[str, str]] = field(default_factory=list)
    reading: Reading = field(init=False)
    _pending: tuple[str, ...] = ()
    _last: Draft | None = None
    _iteration: int = 0
    _step: int = 0

    def __post_init__(self) -> None:
        self.reading = Reading(self.document.text, self.sink)

    def explore(self, feedback: str, iteration: int) -> Explored:
        """One iteration: go on from `feedback` (empty at first) until a draft passes the rules or the steps are used.

        Raises ProviderError, EngineError and LimitExceeded.
        """
        self._iteration, self._step, self._last = iteration, 0, None
        self.subqueries.used = 0
        if not self.turns and self.looked and not self.trajectory:
            self.reading.show_all(iteration)
        self._say(feedback if self.turns else self.opening)
        while self._step < self.max_steps:
            self._step += 1
            draft = self._take_step()
            if draft is not None:
                return Explored(draft, True, self._step)
        return Explored(self._last, False, self._step)

    def restart(self, opening: str) -> None:
        """Begin a new conversation with `opening`; what was run is remembered, the sandbox keeps its variables."""
        self.turns, self._pending, self.opening = (), (), opening

    @property
    def searches(self) -> tuple[SearchTerm, ...]:
        """What the code that was run searched the document for."""
        return searched_in(code for code, _ in self.trajectory)

    @property
    def characters(self) -> int:
        """Size of the conversation so far."""
        return Request(self.agent, self.system, self.turns).characters

    def done(self, most: int) -> str:
        """What was run so far, a line each, the latest kept when it is more than `most` characters."""
        lines = [
            f"- {' '.join(code.split())[:160]} -> {_pages(output, self.document)}" for code, output in self.trajectory
        ]
        kept: list[str] = []
        for line in reversed(lines):
            if sum(map(len, kept)) + len(line) > most - 60:
                kept.append(f"({len(lines) - len(kept)} earlier ones are left out)")
                break
            kept.append(line)
        return "\n".join(reversed(kept)) or "nothing"

    def _say(self, text: str) -> None:
        """Speak to the worker: as the answer to the draft it handed in, or as a user."""
        self.reading.show(self._iteration, text)
        if self._pending:
            self.turns += (ToolTurn(tuple((call, text, True) for call in self._pending)),)
            self._pending = ()
        else:
            self.turns += (UserTurn(text),)

    def _take_step(self) -> Draft | None:
        reply = self._ask(MAX_TOKENS)
        if reply.stop is Stop.LENGTH:
            reply = self._ask(MAX_TOKENS_LONG)
        if reply.stop is Stop.LENGTH:
            self._nudge(
                reply.turn, f"Your reply was cut at {MAX_TOKENS_LONG} tokens. Do less in one call. {self.nudge}"
            )
            return None
        if not reply.calls:
            heard = self.hear(reply.text) if self.hear else None
            if heard is None:
                self._nudge(reply.turn, self.nudge)
            else:
                self.turns += (reply.turn,)
            return heard
        self.turns += (reply.turn,)
        return self._answer(reply.calls)

    def _ask(self, max_tokens: int) -> Reply:
        request = Request(
            self.agent, self.system, self.turns, (self.tool,), max_tokens=max_tokens, cache=True, inputs=self.inputs
        )
        return self.model.complete(request)

    def _nudge(self, turn: ModelTurn, reason: str) -> None:
        if turn.text.strip():
            self.turns += (ModelTurn(turn.text, (), turn.raw),)
        self.turns += (UserTurn(reason),)
        self.sink(Nudged(self._iteration, self._step, reason))

    def _answer(self, calls: tuple[ToolCall, ...]) -> Draft | None:
        """Carry out every call of a turn, in order; each id gets its answer, whatever happens to the others."""
        answers: list[tuple[str, Told]] = []
        ran_code = False
        for call in calls:
            act = self.parse(call)
            match act:
                case Snippet(code):
                    answers.append((call.id, self._run(code)))
                    ran_code = True
                case Draft():
                    answers.append((call.id, self._hand_in(act, ran_code)))
                case Malformed(reason):
                    self.sink(Nudged(self._iteration, self._step, reason))
                    answers.append((call.id, Told(reason, error=True)))
                case _:
                    assert self.perform is not None, f"nobody carries out {act!r}"
                    answers.append((call.id, self.perform(act)))
        taken = next((answer.taken for _, answer in answers if answer.taken is not None), None)
        if taken is not None and len(answers) == 1:
            # The judge's word, if it is a no, will be the answer to this call.
            self._pending = (answers[0][0],)
        else:
            self.turns += (ToolTurn(tuple((id_, answer.text, answer.error) for id_, answer in answers)),)
        return taken

    def _run(self, code: str) -> Told:
        before = self.subqueries.used
        self.sink(SnippetStarted(self._iteration, self._step))
        result = self.workbench.run(code, self._query)
        tally = Tally(self.subqueries.used - before, self.subqueries.used, self.subqueries.allowed)
        shown = observation(result, CAP)
        # Code that fails or prints nothing has shown nothing of the document.
        self.looked = self.looked or (result.error is None and bool(result.stdout.strip() or result.value))
        self.trajectory.append((code, shown))
        self.sink(
            SnippetRan(
                self._iteration,
                self._step,
                code,
                shown,
                result.error is not None,
                result.state_lost,
                round(result.seconds, 3),
                tally.asked,
                pages_shown(shown, self.document),
            )
        )
        self.reading.show(self._iteration, shown)
        self.reading.touch(self._iteration, result.touched)
        notes = [LOST] if result.state_lost else []
        notes += [tally.warning] if tally.warning else []
        return Told("\n".join((framed(shown, self.nonce), *notes)), error=result.error is not None)

    def _query(self, items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
        """Let sub-queries be answered; what was answered was read."""
        answers = self.subqueries(items)
        pairs = zip(items, answers, strict=True)
        read = [part for item, answer in pairs if not isinstance(answer, QueryFailure) for part in item]
        self.reading.show(self._iteration, *read)
        return answers

    def _hand_in(self, draft: Draft, ran_code: bool) -> Told:
        if ran_code:
            problems: tuple[Issue | str, ...] = (SEE_FIRST,)
        elif not self.looked:
            problems = (LOOK_FIRST,)
        else:
            problems = self.review(draft)
            self._last = draft
        lines = tuple(problem if isinstance(problem, str) else problem.line for problem in problems)
        self.sink(Submitted(self._iteration, self._step, draft, lines))
        if problems:
            text = "Not taken:\n" + told(problems, self.nonce)
            self.reading.show(self._iteration, text)
            return Told(text, error=True)
        return Told("Taken.", taken=draft)


def _pages(output: str, document: Document) -> str:
    pages = pages_shown(output, document)
    return f"pages {', '.join(map(str, pages))}" if pages else "no page"
