"""The reading half of a question and of a task: one worker with one document, and its submissions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ralph_cli.checks.absence import SearchRecord
from ralph_cli.checks.completeness import CompletenessReview
from ralph_cli.checks.form import AnswerForm, is_list, split_long_quotes
from ralph_cli.checks.judge.introduction import describe_kind, describe_pages, render_whole
from ralph_cli.checks.quotes import VisibilityPolicy, resolve_quotes
from ralph_cli.checks.unseen import UnseenQuotes
from ralph_cli.core.coverage import Spans, SubqueryTally
from ralph_cli.core.document import Document
from ralph_cli.core.model import Request, Tool, ToolCall, UserTurn
from ralph_cli.core.prompts.framing import frame_data, truncate
from ralph_cli.core.prompts.templates import prompt_text, render_prompt
from ralph_cli.core.run import Attempt, Completeness, Draft, DraftClaim
from ralph_cli.modes.exchanges import Exchange, render_exchanges, render_outcome, words_in_context
from ralph_cli.modes.opening import render_beginning, render_headings
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.search.named_parts import NamedPart
from ralph_cli.rlm.loop import Explorer, ReviewDraft
from ralph_cli.rlm.parse import ACT_TOOL, READ_TOOL, MalformedCall, Snippet, parse_call

TRAJECTORY_CHARS = 24_000
SUMMARY_CHARS = 4_000
# The most offsets of a part that are named.
_MOST_OFFSETS = 5

_LIST_CLAIMS = "each claim names one item, and every item that the document has is a claim"

_HOW_MANY = "One claim is enough for one statement; of many items a claim names several, a quote several rows."

_PROMPTS = {
    "question": ("worker_system", "worker_opening", "worker_direct", "extractor"),
    "task": ("reader_system", "reader_opening", "reader_direct", "reader_extractor"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The task of a worker in a document: the answer to a question, or the material for a task.

    `form` is the form of its submission; `memory` are the notes of earlier runs (tasks only); `least_share` is the
    share of the document that must be read; `output_chars` is how much of a step it is shown; `answer_as` describes the
    answer to a question; `named` are the parts that the question names by number, and `exchanges` the earlier
    questions. With `may_have_children`, its code may hand parts to other workers.
    """

    kind: Literal["question", "task"]
    text: str
    document: Document
    form: AnswerForm
    memory: str = ""
    least_share: float = 0.0
    output_chars: int
    answer_as: str = ""
    named: tuple[NamedPart, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    may_have_children: bool = False

    def system(self, *, include_document: bool) -> str:
        """Return the system prompt. A worker with the whole text gets fewer instructions on running code."""
        return self._system("sandbox_whole" if include_document else "sandbox")

    def _system(self, python: str) -> str:
        """The system prompt with the text of this name about running Python."""
        # After a whole text nothing is left to read.
        unread = "" if python == "sandbox_whole" else f"{prompt_text('reader_complete')}\n"
        complete = {"complete": unread} if self.kind == "task" else {}
        if python == "sandbox_done":
            return render_prompt(_PROMPTS[self.kind][0], python=prompt_text(python), **complete)
        several = f"\n\n{prompt_text('sandbox_set')}" if self.document.members else ""
        if self.may_have_children and python == "sandbox":
            several += f"\n\n{prompt_text('sandbox_children')}"
        told = render_prompt(python, output_chars=f"{self.output_chars:,}") + several
        return render_prompt(_PROMPTS[self.kind][0], python=told, **complete)

    @property
    def tool(self) -> Tool:
        """Return the worker's tool."""
        return ACT_TOOL if self.kind == "question" else READ_TOOL

    def opening(self, nonce: str, *, include_document: bool) -> str:
        """Return the first message: metadata and a preview, or the whole text; notes; the question comes last."""
        document = self.document
        shown = render_whole(document, nonce) if include_document else render_beginning(document, nonce)
        values = {
            "kind": describe_kind(document),
            "characters": f"{len(document.text):,}",
            "pages": describe_pages(document),
            "preview": shown,
            **self._values(nonce),
        }
        if self.kind == "task":
            notes = f"Notes of earlier runs (`memory`):\n{frame_data(self.memory, nonce)}\n"
            values["memory"] = notes if self.memory else ""
        _, opening, direct, _ = _PROMPTS[self.kind]
        if include_document:
            return render_prompt(direct, **values)
        least = f"At least {self.least_share:.0%} of the document must be read.\n" if self.least_share else ""
        return render_prompt(opening, headings=render_headings(document, nonce), least_read=least, **values)

    def shared_part(self, opening: str, nonce: str) -> str:
        """Return the beginning of the first message that is the same for every question about this document."""
        asked = f"The question:\n{self.text}" if self.kind == "question" else self.text
        return opening[: opening.rindex(self._earlier(nonce) or asked)]

    def follow_up(self, nonce: str, told: Collection[str], variables: str) -> str:
        """Return the next message in the conversation that answered the last earlier question.

        `told` has that conversation's messages: the form of an answer is not repeated. `variables` tells that variables
        still exist.
        """
        values = self._form_values
        asked = {name: values.pop(name) for name in ("question", "answer_as")}
        form = render_prompt("worker_form", **values)
        return render_prompt(
            "worker_follow_up",
            outcome=render_outcome(self.exchanges, self.document, nonce),
            variables=variables,
            form="" if any(form in text for text in told) else f"{form}\n",
            **asked,
        )

    def extractor_request(self, trajectory: Sequence[tuple[str, str]], nonce: str) -> Request:
        """Return the request of the fallback extractor: the question, with the printed output."""
        steps = "\n\n".join(f"Step {n}\nCode:\n{code}\nOutput:\n{out}" for n, (code, out) in enumerate(trajectory, 1))
        printed = frame_data(truncate(steps, TRAJECTORY_CHARS) or "(no step was run)", nonce)
        message = render_prompt(_PROMPTS[self.kind][3], trajectory=printed, **self._values(nonce))
        inputs = {**self.inputs, "trajectory": "\n".join(output for _, output in trajectory)}
        return Request("extractor", self._system("sandbox_done"), (UserTurn(message),), (self.tool,), inputs=inputs)

    @property
    def inputs(self) -> dict[str, object]:
        """Return the same values for engines that read no prose."""
        form = self.form
        return {
            "question": self.words,
            "bullets": [form.bullets.low, form.bullets.high],
            "quotes": [form.quotes.low, form.quotes.high],
            "quote_chars": [form.quote_chars.low, form.quote_chars.high],
            "parts": [[place.start, place.end] for part in self.named for place in part.places],
        }

    @property
    def words(self) -> str:
        """Return the question with the words of the earlier questions."""
        return words_in_context(self.text, [exchange.question for exchange in self.exchanges])

    def _earlier(self, nonce: str) -> str:
        return render_exchanges(self.exchanges, self.document, nonce)

    def _values(self, nonce: str) -> dict[str, object]:
        """The values of a prompt for a new conversation."""
        return self._form_values | ({"earlier": self._earlier(nonce)} if self.kind == "question" else {})

    @property
    def _form_values(self) -> dict[str, object]:
        form = self.form
        values = {"bullets": form.bullets, "quotes": form.quotes, "quote_chars": form.quote_chars}
        if self.kind == "task":
            return {**values, "task": self.text}
        how = _LIST_CLAIMS if is_list(self.answer_as) else "the first claim states it"
        wanted = f"\nThe answer is to be {self.answer_as}: {how}." if self.answer_as else ""
        several = "" if form.bullets.high == 1 or is_list(self.answer_as) else f" {_HOW_MANY}"
        wanted += "".join(map(_describe_named, self.named))
        return {**values, "question": self.text, "answer_as": wanted, "how_many": several}


def _describe_named(part: NamedPart) -> str:
    """Return the position of a part that the question names, for a worker that reads by code."""
    offsets = ", ".join(str(place.start) for place in part.places[:_MOST_OFFSETS])
    if len(part.places) == 1:
        return f"\nIt names {part.name}, which begins at offset {offsets}."
    which = "say in each claim which of them it is about"
    return f"\nIt names {part.name}, which is there {len(part.places)} times, at offsets {offsets}: {which}."


def parse_submission(call: ToolCall, form: AnswerForm) -> Snippet | Draft | MalformedCall:
    """Return the meaning of a tool call. Quotes that are too long are cut into several."""
    act = parse_call(call)
    return split_long_quotes(act, form) if isinstance(act, Draft) else act


@dataclass(slots=True)
class SubmissionParser:
    """Read tool calls.

    A submission without items that only proves completeness refers to the last items, which need not be repeated. The
    proof need not be repeated with items submitted after it.
    """

    form: AnswerForm
    _items: tuple[DraftClaim, ...] = ()
    _completeness: Completeness | None = None

    def __call__(self, call: ToolCall) -> Snippet | Draft | MalformedCall:
        act = parse_submission(call, self.form)
        if isinstance(act, Draft) and act.absence is None:
            self._items = act.claims or (self._items if act.completeness else ())
            self._completeness = act.completeness or self._completeness
            return replace(act, claims=self._items, completeness=self._completeness)
        return act


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of an iteration of reading: the draft (None without one), who submitted it, and the attempt if the
    local rules accepted it. `stuck` names what the worker repeated blindly.
    """

    draft: Draft | None
    source: Literal["worker", "extractor"]
    attempt: Attempt | None = None
    stuck: str = ""


@dataclass(slots=True)
class DocumentReader:
    """A worker in conversation about a document; looks up its submissions."""

    assignment: Assignment
    explorer: Explorer
    visibility: VisibilityPolicy | None
    search_record: SearchRecord = field(init=False)
    completeness_review: CompletenessReview = field(init=False)
    unseen_quotes: UnseenQuotes = field(init=False)
    _index: QuoteIndex = field(init=False)

    def __post_init__(self) -> None:
        document, text = self.assignment.document, self.assignment.text
        self._index = document.derive(QuoteIndex)
        self.search_record = SearchRecord(document, self.assignment.words, lambda: self.explorer.searches)
        self.completeness_review = CompletenessReview(document, text, self._index, self.shown_spans)
        self.unseen_quotes = UnseenQuotes(document, self.shown_spans, lambda: self.explorer.shown_texts)

    @property
    def document(self) -> Document:
        """Return the document."""
        return self.assignment.document

    @property
    def ranks_only(self) -> bool:
        """Whether the worker is no language model: it ranks passages and cannot be asked to read."""
        return self.explorer.model.vendor == "offline"

    @property
    def nonce(self) -> str:
        """Return the mark of data in this conversation."""
        return self.explorer.nonce

    def shown_spans(self) -> Spans:
        """Return the parts of the document that a model was shown so far."""
        return self.explorer.coverage_tracker.coverage.shown

    def subquery_tally(self) -> SubqueryTally:
        """Return the results of the sub-queries so far."""
        return self.explorer.coverage_tracker.subqueries

    def read(self, message: str, iteration: int, review: ReviewDraft, *, fresh: bool) -> Reading:
        """Run one iteration from `message`, in a `fresh` conversation or in the live one.

        After the last step, one more call over the printed output asks for a submission, which is not reviewed.
        """
        if fresh:
            self.explorer.restart(message)
        explored = self.explorer.explore("" if fresh else message, iteration, review)
        if explored.accepted:
            return Reading(explored.draft, "worker", explored.attempt)
        return Reading(self._extract_draft() or explored.draft, "extractor", stuck=explored.stuck)

    def resolve(self, draft: Draft) -> Attempt:
        """Return the draft with its quotes looked up, and with the record of the search if it submits an absence."""
        shortest = self.assignment.form.quote_chars.low
        attempt = resolve_quotes(draft, self.document, self._index, self.shown_spans(), self.visibility, shortest)
        return self.search_record.add_claim_searches(self.search_record.add_search_record(attempt), draft)

    def add_reading_record(self, attempt: Attempt, said: Completeness | None) -> Attempt:
        """Return the attempt, with the record of what was read if the task asks for all of something."""
        proofs = self.completeness_review.prove(said)
        return self.search_record.add_search_counts(replace(attempt, completeness=proofs)) if proofs else attempt

    def continuation(self) -> dict[str, str]:
        """Return the values that begin a fresh conversation: the opening, and the code run before."""
        opening = self.assignment.opening(self.nonce, include_document=self.explorer.holds_text)
        done = self.explorer.summarize_steps(SUMMARY_CHARS)
        return {"opening": opening, "variables": self.explorer.variables_note, "done": done}

    def _extract_draft(self) -> Draft | None:
        """Make one last call over the trajectory; return None if it submits nothing usable."""
        asked = self.assignment.extractor_request(self.explorer.trajectory, self.nonce)
        reply = self.explorer.model.complete(asked)
        drafts = [act for call in reply.calls if isinstance(act := parse_submission(call, self.assignment.form), Draft)]
        return drafts[-1] if drafts else None
