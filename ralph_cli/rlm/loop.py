"""The inner loop: one worker's conversation, from the first look at the document to a draft for the judge."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from ralph_cli.core.coverage import Spans
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.events import (
    ChildEvent,
    CoverageAdded,
    DraftSubmitted,
    EventSink,
    NoticeIssued,
    SnippetRan,
    SnippetStarted,
    TurnRejected,
)
from ralph_cli.core.model import Model, ModelTurn, Reply, Request, StopReason, Tool, ToolCall, ToolTurn, Turn, UserTurn
from ralph_cli.core.prompts.framing import frame_data, render_issues, truncate
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import Attempt, Draft, Issue
from ralph_cli.retrieval.search.occurrences import SearchTerm
from ralph_cli.rlm.bridge import DocumentSandbox, Subqueries
from ralph_cli.rlm.observe import NOTHING_PRINTED, RepetitionDetector, pages_shown, render_result
from ralph_cli.rlm.parse import ACT_TOOL, MalformedCall, Snippet, parse_call
from ralph_cli.rlm.reading import CoverageTracker
from ralph_cli.rlm.recorded import RecordedSnippet, RecordedSnippets
from ralph_cli.rlm.searches import SearchTracker
from sandbox import Answer, HostQuery, QueryFailure, Result, refuse_to_delegate

MAX_TOKENS = 8_000
MAX_TOKENS_LONG = 16_000
COMPACT_SUMMARY_CHARS = 6_000
NUDGE = "Use the tool `act`: run Python with `code`, or hand in with `claims` or `not_found`."
LOOK_FIRST = "Nothing was looked at yet. Run code that prints the passages in question, then hand in."
SEE_FIRST = "Hand in with a call of its own, after you have seen what the code prints."
VARIABLES_KEPT = "Your Python variables are still there."
CODE_CUT_OFF = "The code of your last call was cut off: run it again if you need it."
VARIABLES_LOST = "[The sandbox was restarted: your variables are gone; `context`, `find` and the like are still there.]"


@dataclass(frozen=True, slots=True)
class Review:
    """The result of the local rules for a draft: the issues (none if the draft may go to the judge) and the attempt
    made from it.
    """

    issues: tuple[Issue | str, ...] = ()
    attempt: Attempt | None = None


ReviewDraft = Callable[[Draft], Review]  # checks a draft against the local rules


class AnswersForChildren(Protocol):
    """Answers a worker's questions to its children; `begun` counts the children. See `modes.children.Children`."""

    begun: int

    @property
    def left(self) -> int:
        """How many more children may be started."""

    def ask(self, items: Sequence[tuple[str, str]], iteration: int) -> tuple[Sequence[Answer], Spans]:
        """Return the answers to (question, part) pairs, in order, and the spans of the document that the children were
        shown.
        """

    def repeat(self, recorded: Sequence[ChildEvent]) -> None:
        """Report children of an earlier run as if they had worked now. Their questions are not asked again."""

    def learn(self, recorded: Sequence[ChildEvent]) -> None:
        """Keep what children of an earlier run answered, without counting them."""

    def known_answers(self, items: Sequence[tuple[str, str]]) -> list[Answer | None]:
        """Return the earlier answers of children to these items; None for each item without an answer."""


def accept_draft(draft: Draft) -> Review:
    """Accept any draft, so that the first one submitted ends the iteration."""
    return Review()


@dataclass(frozen=True, slots=True)
class ExplorationResult:
    """The end of an iteration: the last draft (None if there was none), whether the rules accepted it, and its attempt.

    If blind repetition ended the iteration, `stuck` says what the worker repeated.
    """

    draft: Draft | None
    accepted: bool
    attempt: Attempt | None = None
    stuck: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer to one tool call: its text, whether it is an error, and the draft if it was accepted."""

    text: str
    error: bool = False
    accepted_draft: Draft | None = None


def list_shown(turns: Iterable[Turn]) -> Iterator[str]:
    """Yield the texts that these turns sent to the model."""
    for turn in turns:
        match turn:
            case UserTurn(text):
                yield text
            case ToolTurn(results):
                yield from (text for _, text, _ in results)


@dataclass(slots=True, kw_only=True)
class Explorer:
    """A worker with its conversation. History is only appended to, so that every request extends the previous one.

    `parse` turns a tool call into an act. A Snippet is run, a Draft is reviewed and may end the iteration, a
    MalformedCall is answered with its fault, and `perform` carries out any other act of a mode. Text without a tool
    call goes to `on_text`; it is answered with `nudge` unless `on_text` makes a draft of it.

    `shared_opening` is the beginning of the opening that all questions to this document share. `holds_text` says
    whether the opening contains the whole document. If a conversation grows too long, it restarts with `short_opening`,
    which lacks the document, and the system prompt `short_system`.

    `coverage_tracker` records what was read, also in earlier conversations. `listed_headings`, a part of the opening,
    does not count as read. `children` answer `rlm_query`. `recorded` has the snippets of the runs that this one
    continues; their recorded output is reused.
    """

    model: Model
    sandbox: DocumentSandbox
    subqueries: Subqueries
    document: Document
    system: str
    opening: str
    inputs: Mapping[str, Any]
    nonce: str
    sink: EventSink
    max_steps: int
    output_chars: int
    coverage_tracker: CoverageTracker
    listed_headings: str = ""
    shared_opening: str = ""
    holds_text: bool = False
    agent: str = "worker"
    children: AnswersForChildren | None = None
    tool: Tool = ACT_TOOL
    parse: Callable[[ToolCall], object] = parse_call
    perform: Callable[[object], ToolAnswer] | None = None
    on_text: Callable[[str], Draft | None] | None = None
    nudge: str = NUDGE
    recorded: RecordedSnippets = field(default_factory=RecordedSnippets)
    short_opening: Callable[[], str] | None = None
    short_system: str = ""
    turns: tuple[Turn, ...] = ()
    trajectory: list[tuple[str, str]] = field(default_factory=list)
    _has_seen_text: bool = field(init=False)
    _searches: SearchTracker = field(default_factory=SearchTracker)
    _open_calls: tuple[str, ...] = ()
    _review: ReviewDraft = accept_draft
    _last_draft: Draft | None = None
    _last_attempt: Attempt | None = None
    _iteration: int = 0
    _step: int = 0
    _told: str = ""
    _is_compacted: bool = False
    _taken_up: tuple[str, ...] = ()
    _has_variables: bool = False
    _variables_lost: bool = False
    _repetition: RepetitionDetector = field(default_factory=RepetitionDetector)

    def __post_init__(self) -> None:
        self._has_seen_text = self.holds_text

    def explore(self, feedback: str, iteration: int, review: ReviewDraft = accept_draft) -> ExplorationResult:
        """Run one iteration: continue from `feedback` (empty at first) until `review` accepts a draft or the steps are
        used up.

        The same step three times in a row also ends the iteration. Raises ProviderError, EngineError and LimitExceeded.
        """
        self._iteration, self._step, self._last_draft, self._review = iteration, 0, None, review
        self._told, self._is_compacted, self._repetition = feedback, False, RepetitionDetector()
        self.subqueries.used = 0
        if self.holds_text and not self.trajectory and (self._taken_up or not self.turns):
            self.coverage_tracker.add_all_shown(iteration)
        if self._taken_up:
            self.coverage_tracker.add_shown(iteration, *self._taken_up)
            self._taken_up = ()
        self._send(feedback or self.opening, error=bool(feedback))
        while self._step < self.max_steps:
            self._step += 1
            draft = self._take_step()
            if draft is not None:
                return ExplorationResult(draft, True, self._last_attempt)
            if stuck := self._repetition.verdict:
                self.sink(NoticeIssued("repetition", f"iteration {iteration} was ended: {stuck}"))
                return ExplorationResult(self._last_draft, False, stuck=stuck)
        return ExplorationResult(self._last_draft, False)

    def take_up(self, turns: tuple[Turn, ...], open_calls: tuple[str, ...], shown: Iterable[str]) -> None:
        """Continue a conversation of earlier runs; the opening becomes the next message in it.

        The parts of the document in `shown` count as read, because the conversation sends them to a model again.
        """
        self.turns, self._open_calls, self._has_seen_text = turns, open_calls, True
        self._taken_up = tuple(text.replace(self.listed_headings, "") for text in shown)

    def take_over_variables(self, snippets: Iterable[RecordedSnippet]) -> None:
        """Restore the variables that the code of earlier runs created, before the next new snippet runs.

        This makes no paid calls, and the searches of the earlier code do not count as searches of this run.
        """
        for snippet in snippets:
            self._searches.plan(snippet.ran.code)
            if self.children is not None:
                self.children.learn(snippet.children)
            self._has_variables = not snippet.ran.state_lost
            if snippet.ran.state_lost:
                self.sandbox.drop_deferred()
            else:
                self.sandbox.defer(partial(self._rebuild, snippet, before="of a run before, "))

    def restart(self, opening: str) -> None:
        """Begin a new conversation with `opening`. The trajectory and the sandbox's variables are kept."""
        self.turns, self._open_calls, self.opening = (), (), opening

    @property
    def variables_note(self) -> str:
        """A note that the variables of earlier code still exist; empty if no code was run or its variables are lost."""
        return f" {VARIABLES_KEPT}" if self._has_variables else ""

    @property
    def searches(self) -> tuple[SearchTerm, ...]:
        """The terms that the worker's code searched the document for."""
        return self._searches.terms

    @property
    def shown_texts(self) -> Iterator[str]:
        """All texts that the worker was shown: messages, and the output of its code, also in earlier conversations."""
        yield from (output for _, output in self.trajectory)
        yield from list_shown(self.turns)

    @property
    def characters(self) -> int:
        """The size of the conversation so far, in characters."""
        return Request(self.agent, self.system, self.turns).characters

    def summarize_steps(self, max_chars: int) -> str:
        """Return one line for each snippet that was run; only the latest lines if all exceed `max_chars` characters."""
        lines = [
            f"- {' '.join(code.split())[:160]} -> {_describe_pages(output, self.document)}"
            for code, output in self.trajectory
        ]
        latest: list[str] = []
        for line in reversed(lines):
            if sum(map(len, latest)) + len(line) > max_chars - 60:
                latest.append(f"({len(lines) - len(latest)} earlier ones are left out)")
                break
            latest.append(line)
        return "\n".join(reversed(latest)) or "nothing"

    def _send(self, text: str, *, error: bool) -> None:
        """Send a text to the worker, as the answer to its open calls or else as a user's message."""
        self.coverage_tracker.add_shown(self._iteration, text.replace(self.listed_headings, ""))
        if self._open_calls:
            self.turns += (ToolTurn(tuple((call, text, error) for call in self._open_calls)),)
            self._open_calls = ()
        else:
            self.turns += (UserTurn(text),)

    def _take_step(self) -> Draft | None:
        reply = self._ask(MAX_TOKENS)
        if reply.stop is StopReason.LENGTH:
            reply = self._ask(MAX_TOKENS_LONG)
        if reply.stop is StopReason.LENGTH:
            reason = f"Your reply was cut at {MAX_TOKENS_LONG} tokens. Do less in one call. {self.nudge}"
            self._nudge(reply.turn, reason)
            return None
        if not reply.calls:
            draft = self.on_text(reply.text) if self.on_text else None
            if draft is None:
                self._nudge(reply.turn, self.nudge)
            else:
                self.turns += (reply.turn,)
            return draft
        self.turns += (reply.turn,)
        return self._answer(reply.calls)

    def _ask(self, max_tokens: int) -> Reply:
        try:
            return self.model.complete(self._request(max_tokens))
        except ProviderError as error:
            if error.code != "too-long" or self._is_compacted:
                raise
        self._compact()
        return self.model.complete(self._request(max_tokens))

    def _request(self, max_tokens: int) -> Request:
        first = self.turns[0] if self.turns else None
        is_shared = isinstance(first, UserTurn) and first.text.startswith(self.shared_opening)
        return Request(
            self.agent,
            self.system,
            self.turns,
            (self.tool,),
            max_tokens=max_tokens,
            cache=True,
            shared=len(self.shared_opening) if is_shared else 0,
            inputs=self.inputs,
        )

    def _compact(self) -> None:
        """Start a new conversation with a summary, because the old one no longer fits the model."""
        self._is_compacted = True
        latest = truncate(self.trajectory[-1][1], self.output_chars) if self.trajectory else "(nothing was run)"
        opening = self.short_opening() if self.short_opening else self.opening
        # Without the document's text, the worker needs the description of all functions.
        self.system, self.holds_text = self.short_system or self.system, False
        text = render_prompt(
            "compacted",
            opening=opening,
            variables=self.variables_note,
            done=self.summarize_steps(COMPACT_SUMMARY_CHARS),
            latest=frame_data(latest, self.nonce),
            told=f"What you were told last:\n{self._told}\n" if self._told else "",
        )
        self.turns, self._open_calls = (UserTurn(text),), ()
        what = "the conversation had grown too long for the worker's model, and begins anew from what was run so far"
        self.sink(NoticeIssued("compacted", f"{what} (iteration {self._iteration}, step {self._step})"))

    def _nudge(self, turn: ModelTurn, reason: str) -> None:
        if turn.text.strip():
            self.turns += (ModelTurn(turn.text, (), turn.raw),)
        self.turns += (UserTurn(reason),)
        self._repetition.add(reason, f"the worker was told: {reason}")
        self.sink(TurnRejected(self._iteration, self._step, reason))

    def _answer(self, calls: tuple[ToolCall, ...]) -> Draft | None:
        """Carry out every call of a turn, in order. Each call gets its answer, even if another call fails."""
        answers: list[tuple[str, ToolAnswer]] = []
        acts: list[object] = []
        ran_code = False
        for call in calls:
            act = self.parse(call)
            acts.append(act if not isinstance(act, MalformedCall) else None)
            match act:
                case Snippet(code):
                    answers.append((call.id, self._run_snippet(code)))
                    ran_code = True
                case Draft():
                    answers.append((call.id, self._submit(act, ran_code)))
                case MalformedCall(reason):
                    self.sink(TurnRejected(self._iteration, self._step, reason))
                    answers.append((call.id, ToolAnswer(reason, error=True)))
                case _:
                    assert self.perform is not None, f"nobody carries out {act!r}"
                    answers.append((call.id, self.perform(act)))
        self._note_repetition(acts, [answer.text for _, answer in answers])
        accepted = next((answer.accepted_draft for _, answer in answers if answer.accepted_draft is not None), None)
        if accepted is not None and len(answers) == 1:
            # If the judge rejects the draft, its feedback will be the answer to this call.
            self._open_calls = (answers[0][0],)
        else:
            self.turns += (ToolTurn(tuple((id_, answer.text, answer.error) for id_, answer in answers)),)
        return accepted

    def _note_repetition(self, acts: Sequence[object], answers: Sequence[str]) -> None:
        match acts[0]:
            case None:
                what = f"the worker was told: {answers[0]}"
            case Snippet():
                what = "the worker ran the same code and saw the same"
            case _:
                what = "the worker did the same and was told the same"
        self._repetition.add((tuple(acts), tuple(answers)), what)

    def _run_snippet(self, code: str) -> ToolAnswer:
        at = self.recorded.take_time(self._iteration, self._step)
        self.sink(SnippetStarted(self._iteration, self._step, at))
        recorded = self.recorded.take(self._iteration, self._step, code)
        ran = self._run_live(code, at) if recorded is None else self._replay(recorded)
        # Code that fails or prints nothing has not shown any of the document.
        if not ran.error and ran.output != NOTHING_PRINTED:
            self._has_seen_text = True
        self.trajectory.append((code, ran.output))
        self.coverage_tracker.add_shown(self._iteration, ran.output)
        # All events of a snippet are recorded before its end, so an interrupted run has all of them or none.
        self.sink(ran)
        self._has_variables = not ran.state_lost
        notes = [VARIABLES_LOST] if ran.state_lost else []
        notes += [self.subqueries.warning] if ran.queries and self.subqueries.warning else []
        return ToolAnswer("\n".join((frame_data(ran.output, self.nonce), *notes)), error=ran.error)

    def _run_live(self, code: str, at: str) -> SnippetRan:
        before = self.subqueries.used
        planned = self._searches.plan(code)
        result = self._run_code(code, self._answer_queries, at, planned, self._ask_children)
        self._searches.record(planned, result.reached)
        shown = self._show(result)
        self.coverage_tracker.add_touched(self._iteration, result.touched)
        failed, seconds, pages = result.error is not None, round(result.seconds, 3), pages_shown(shown, self.document)
        asked = self.subqueries.used - before
        lost, self._variables_lost = result.state_lost or self._variables_lost, False
        return SnippetRan(self._iteration, self._step, code, shown, failed, lost, seconds, asked, pages, result.reached)

    def _run_code(
        self,
        code: str,
        query: HostQuery,
        at: str,
        watched: Collection[int] = (),
        delegate: HostQuery = refuse_to_delegate,
    ) -> Result:
        if "budget(" in code:
            children = {"children": self.children.left} if self.children else {}
            self.sandbox.tell_budget(subqueries=self.subqueries.allowed - self.subqueries.used, **children)
        return self.sandbox.run(code, query, watched, at, delegate)

    def _show(self, result: Result) -> str:
        """Return the part of a result that the worker is shown. The part that is cut off is kept in the sandbox."""
        shown, rest = render_result(result, self.output_chars)
        if rest:
            self.sandbox.assign("_cut_off", rest)
        return shown

    def _replay(self, recorded: RecordedSnippet) -> SnippetRan:
        """Return the recorded result of a snippet. Its code runs again only when a new snippet needs its variables."""
        ran = recorded.ran
        self.recorded.repeat_calls(recorded.calls)
        if self.children is not None:
            self.children.repeat(recorded.children)
        for part in recorded.reading:
            self.coverage_tracker.record(part)
        planned = self._searches.plan(ran.code)
        self._searches.record(planned, planned if ran.reached is None else ran.reached)
        self.subqueries.used += ran.queries
        if ran.state_lost:
            self.sandbox.drop_deferred()
        else:
            self.sandbox.defer(lambda: self._rebuild(recorded))
        return ran

    def _rebuild(self, recorded: RecordedSnippet, before: str = "") -> None:
        """Run a recorded snippet again for its variables. Its recorded output is kept, even if it now prints something
        else.

        If `before` is set, the snippet belongs to an earlier run, and no paid calls are made for it.
        """
        ran, answers = recorded.ran, recorded.answers()
        asked = 0

        def answer(items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
            nonlocal asked
            found: list[Answer] = []
            for prompt, text in items:
                asked += 1
                known = answers.take(self.subqueries.message(prompt, text), recorded.first_ordinal + asked - 1)
                if known is None and before:
                    known = QueryFailure("it was not asked in that run")
                found += [known] if known is not None else self._answer_queries([(prompt, text)])
            return found

        def delegate(items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
            known = self.children.known_answers(items) if self.children is not None else [None] * len(items)
            if before:
                return [QueryFailure("it was not asked in that run") if it is None else it for it in known]
            return [self._ask_children([item])[0] if it is None else it for item, it in zip(items, known, strict=True)]

        result = self._run_code(ran.code, answer, recorded.at, delegate=delegate)
        self._variables_lost |= result.state_lost
        if self._show(result) != ran.output:
            what = f"the code {before}of step {ran.step} of iteration {ran.iteration}, run again for its variables, "
            self.sink(NoticeIssued("snippet-differs", what + "gave another output; the recorded one stands"))

    def _answer_queries(self, items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
        """Answer sub-queries, and record which texts they read and which they did not."""
        before = self.subqueries.used
        answers = self.subqueries(items)
        faults = [answer.message if isinstance(answer, QueryFailure) else None for answer in answers]
        asked = [(items[number], faults[number]) for number in range(self.subqueries.used - before)]
        self.coverage_tracker.add_subqueries(self._iteration, asked, len(items) - len(asked))
        return answers

    def _ask_children(self, items: Sequence[tuple[str, str]]) -> Sequence[Answer]:
        """Let children answer, and record which parts of the document they were shown."""
        if self.children is None:
            return refuse_to_delegate(items)
        answers, shown = self.children.ask(items, self._iteration)
        self.coverage_tracker.record(CoverageAdded(self._iteration, "shown", shown))
        return answers

    def _submit(self, draft: Draft, ran_code: bool) -> ToolAnswer:
        if ran_code:
            problems: tuple[Issue | str, ...] = (SEE_FIRST,)
        elif not self._has_seen_text:
            problems = (LOOK_FIRST,)
        else:
            review = self._review(draft)
            problems = review.issues
            self._last_draft, self._last_attempt = draft, review.attempt
        lines = tuple(problem if isinstance(problem, str) else problem.line for problem in problems)
        self.sink(DraftSubmitted(self._iteration, self._step, draft, lines))
        if problems:
            faulty = {problem.claim for problem in problems if not isinstance(problem, str)} - {None}
            others = "; hand the other claims in again, too" if 0 < len(faulty) < len(draft.claims) else ""
            text = f"Not taken{others}:\n{render_issues(problems, self.nonce)}"
            self.coverage_tracker.add_shown(self._iteration, text)
            return ToolAnswer(text, error=True)
        return ToolAnswer("Taken.", accepted_draft=draft)


def _describe_pages(output: str, document: Document) -> str:
    pages = pages_shown(output, document)
    return f"pages {', '.join(map(str, pages))}" if pages else "no page"
