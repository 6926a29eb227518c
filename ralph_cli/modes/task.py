"""Task mode: a reader gathers a brief of quotes, a reasoner writes the output from it, rules and a judge check it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ralph_cli.checks.absence import describe_searches, is_absence
from ralph_cli.checks.base import WORDING, Check, JudgeCheck, run_all, run_in_order
from ralph_cli.checks.completeness import NAME as COMPLETENESS
from ralph_cli.checks.coverage import LOST as LOST_SUBQUERIES
from ralph_cli.checks.coverage import NAME as COVERAGE
from ralph_cli.checks.figures.cells import quote_header
from ralph_cli.checks.form import as_draft, form_issues
from ralph_cli.checks.judge.lists import NAME as LIST
from ralph_cli.checks.judge.outputs import NAME as TASK_JUDGE
from ralph_cli.checks.judge.passages import safe_file_name
from ralph_cli.checks.output.check import FIGURES_CHECK, OutputCheck, OutputForm
from ralph_cli.checks.output.shape import strip_fence
from ralph_cli.checks.output.words import count_words
from ralph_cli.checks.verifier import VerifierCheck
from ralph_cli.core.document import Document
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import frame_data, render_issues, truncate
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, agent_request, ask_model, parse_object
from ralph_cli.core.prompts.json_schema import object_schema, string
from ralph_cli.core.prompts.templates import prompt_text, render_prompt
from ralph_cli.core.run import (
    ABSENCE_CHECK,
    Attempt,
    Claim,
    Completeness,
    Draft,
    DraftClaim,
    Evidence,
    Issue,
    Lesson,
    Step,
)
from ralph_cli.loop.state import LoopState
from ralph_cli.modes.reader import DocumentReader
from ralph_cli.modes.retry import Retry, needs_fresh_conversation
from ralph_cli.rlm.loop import Review

# The characters of the brief that a fresh conversation of the reader is shown.
BRIEF_CHARS = 24_000

# The latest iterations whose issues the reasoner reads; older ones are only counted.
VERBATIM_ITERATIONS = 2

MAX_TOKENS = 8_000
# The checks whose issues only reading can fix: the reasoner has no document.
ONLY_READER_CHECKS = frozenset(
    {COMPLETENESS, COVERAGE, LOST_SUBQUERIES, ABSENCE_CHECK, LIST, "quotes", "form", "brief"}
)

# The checks whose issues more reading may fix; the others concern the reasoner alone.
READER_CHECKS = ONLY_READER_CHECKS | {TASK_JUDGE, "verifier", FIGURES_CHECK}

# The checks whose issues name words to which code has objected.
TOLD = frozenset({FIGURES_CHECK, WORDING})

FORMAT_DESCRIPTIONS = {
    "md": "Markdown",
    "text": "plain text",
    "json": "JSON: `output` is a string that parses as one JSON value, without a code fence",
    "csv": "CSV: `output` is a header line and rows, comma-separated, quoted where needed, without a code fence",
}

_RESULT_FIELDS = {"output": string(), "memory_update": string()}
RESULT_SCHEMA = object_schema(**_RESULT_FIELDS)
RESULT_WITH_REASON = object_schema(**_RESULT_FIELDS, because=string())


class _Result(StrictObject):
    output: str
    memory_update: str
    because: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A task: its document (None: from memory alone), and the form of its output.

    `memory` are the notes of earlier runs on this document; `schema` is the JSON Schema of the output as its author
    wrote it.
    """

    text: str
    document: Document | None
    output: OutputForm
    memory: str = ""
    schema: str = ""

    def reasoner_request(self, brief: Attempt, constraints: str, nonce: str) -> str:
        """Return the reasoner's message: brief, notes, constraints, format, and the task last."""
        kind = FORMAT_DESCRIPTIONS[self.output.kind]
        if self.schema:
            kind += f". It must fit this JSON Schema:\n{frame_data(self.schema, nonce)}"
        memory = frame_data(self.memory, nonce) if self.memory else "(nothing)"
        values: dict[str, object] = {"memory": memory, "constraints": constraints, "format": kind, "task": self.text}
        if self.document is None:
            return render_prompt("reasoner_request_memory", **values)
        shown = frame_data(render_items(brief, self.document), nonce)
        return render_prompt(
            "reasoner_request",
            brief=shown,
            document=safe_file_name(self.document.called or self.document.path),
            **values,
        )


def render_items(brief: Attempt, document: Document) -> str:
    """Return the items of a brief with their quotes and pages. A table's header is printed with its first row."""
    told: dict[tuple[str, ...], int] = {}
    return "\n".join(_render_item(claim, brief, document, told) for claim in brief.claims)


def _render_item(claim: Claim, brief: Attempt, document: Document, told: dict[tuple[str, ...], int]) -> str:
    """An item of the brief with its quotes and their pages; `told` has the item that printed each header."""
    lines = [f"Item {claim.id}: {claim.text}"]
    for quote in brief.quotes_of(claim):
        place = f"  ({quote.place})" if document.paged else ""
        header = quote_header(document, quote.start, quote.end)
        if header and told.setdefault(header, claim.id) != claim.id:
            lines.append(f"  (above: as in item {told[header]})")
        else:
            own = " ".join(quote.text.split())
            lines += [f"  (above: {line})" for line in header if " ".join(line.split()) not in own]
        lines.append(f'  "{_keep_cells(quote.text)}"{place}')
    lines += [f"  (computed: {calculation})" for calculation in claim.calculations]
    if claim.searches:
        lines.append(f"  ({'' if claim.quotes else 'no quote; '}searched, {describe_searches(claim.searches)})")
    return "\n".join(lines)


def _keep_cells(text: str) -> str:
    """Return a quote on one line; each row of a table on its own line, with its cells apart."""
    if "  " not in text and "\t" not in text:
        return " ".join(text.split())
    return "\n   ".join(line.strip() for line in text.splitlines() if line.strip())


@dataclass(slots=True, kw_only=True)
class TaskMode:
    """The task mode of the outer loop: see `loop.engine.Mode`.

    Issues that reading may fix go to the reader, in its conversation or in a fresh one, as `retry` says; the items of
    the brief are kept. Without a reader there is no brief, and the reasoner works from memory. `remember(iteration,
    update)` keeps the memory update of an iteration that has passed the hard rules; None keeps nothing.
    """

    task: Task
    reader: DocumentReader | None
    reasoner: Model
    brief_checks: Sequence[Check]
    output_check: OutputCheck
    judge: JudgeCheck
    new_nonce: Callable[[], str]
    remember: Callable[[int, str], None] | None = None
    absence_check: Check | None = None
    list_check: Check | None = None
    verifier: VerifierCheck | None = None
    retry: Retry = "auto"
    _steps: tuple[Step, ...] = ()
    _starts_fresh: bool = False
    _completeness: Completeness | None = None
    _wrote_alone: bool = False

    def plan(self, state: LoopState) -> str:
        """Return the hints for the reader: what the last iteration lacked. Empty if more reading would not help."""
        self._steps, self._starts_fresh = state.steps, False
        if not state.steps:
            return ""
        step = state.steps[-1]
        issues = [issue for issue in (*step.attempt.refused, *step.issues) if issue.check in READER_CHECKS]
        wording = [issue for issue in step.issues if issue.check == WORDING]
        # What the writer could not fix alone may need other words of the document after all.
        self._wrote_alone = not issues and bool(wording) and not self._wrote_alone
        if not issues and (self._wrote_alone or not wording) and self._earlier_items():
            return ""
        issues = issues or wording
        nonce = self.reader.nonce if self.reader else ""
        hints = render_prompt("reader_feedback", hints=render_issues(issues, nonce) or "- no brief was handed in")
        if self.reader is None or not needs_fresh_conversation(self.retry, state, self.reader.explorer.characters):
            return hints
        self._starts_fresh = True
        brief = truncate(render_items(self._latest_attempt(), self.reader.document), BRIEF_CHARS)
        framed = frame_data(brief, nonce) if brief else "(none)"
        return render_prompt("reader_continue", **self.reader.continuation(), brief=framed, feedback=hints)

    def run(self, message: str, iteration: int) -> Attempt:
        if self.verifier is not None:
            self.verifier.begin(iteration)
        brief = self._build_brief(message, iteration)
        if brief.error or brief.absence is not None:
            return brief
        nonce = self.new_nonce()
        constraints = render_constraints(self._steps, nonce)
        inputs = {
            "task": self.task.text,
            "format": self.task.output.kind,
            "paged": self.task.document is not None and self.task.document.paged,
            "memory": self.task.memory,
            "quotes": [{"text": quote.text, "page": quote.page, "start": quote.start} for quote in brief.quotes],
        }
        objected_words = self._objected_words()
        if objected_words:
            constraints = f"{constraints.rstrip()}\n{prompt_text('reasoner_stand_by')}\n\n"
        prompt = self.task.reasoner_request(brief, constraints, nonce)
        schema = RESULT_WITH_REASON if objected_words else RESULT_SCHEMA
        request = agent_request("reasoner", prompt, schema, "result", inputs, MAX_TOKENS)
        try:
            said = ask_model(self.reasoner, request, lambda text: parse_object(text, _Result))
        except UnparseableReply as error:
            return replace(brief, error=f"the reasoner's reply was unusable: {error}")
        output = strip_fence(said.output, self.task.output.kind)
        attempt = replace(brief, finished=True, output=output, memory=said.memory_update.strip())
        # A reason for something else does not answer a new objection, so the new objection comes first.
        if any(doubt.words not in objected_words for doubt in self.output_check.objections(attempt)):
            return attempt
        return replace(attempt, because=" ".join(said.because.split()) if objected_words else "")

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        if attempt.error:
            return (Evidence("brief", (Issue("brief" if not attempt.claims else "reasoner", attempt.error),)),)
        if attempt.absence is not None:
            return run_in_order((*self.brief_checks, *([self.absence_check] if self.absence_check else [])), attempt)
        found = run_all((*self.brief_checks, self.output_check), attempt)
        if not all(item.passed for item in found):
            return found
        found += run_all(tuple(self._second_readers(attempt)), attempt)
        if not all(item.passed for item in found):
            return found
        further = (self.verifier,) if self.verifier is not None else ()
        return found + run_in_order((lambda attempt: self.judge(attempt, found), *further), attempt)

    def _second_readers(self, attempt: Attempt) -> Iterator[Check]:
        """Yield the checks of second readers that this brief needs."""
        if self.absence_check is not None and any(map(is_absence, attempt.claims)):
            yield self.absence_check
        if self.list_check is not None:
            yield self.list_check

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Keep the memory update if everything but the judge's verdict holds; the issues are the feedback."""
        said = (TASK_JUDGE, ABSENCE_CHECK, LIST)
        hard = [item for item in evidence if item.check not in said and not item.check.startswith("verifier")]
        established = attempt.output and hard and hard[-1].check == "output" and all(item.passed for item in hard)
        # A memory update that says more than the quotes is not kept, but that is no reason to refuse the output.
        if established and self.remember is not None and not self.output_check.has_unsupported_memory(attempt):
            self.remember(state.iteration, attempt.memory)
        return None

    def _build_brief(self, message: str, iteration: int) -> Attempt:
        """Return the brief of this iteration: the brief of earlier iterations, with the reader's additions."""
        if self.reader is None:
            return Attempt()
        earlier = self._earlier_items()
        if self._steps and not message:
            brief = self.reader.add_reading_record(self.reader.resolve(Draft(earlier)), self._completeness)
            return replace(brief, source="worker")
        reading = self.reader.read(message, iteration, self.review, fresh=self._starts_fresh)
        draft, attempt = reading.draft or Draft(), reading.attempt
        self._completeness = draft.completeness or self._completeness
        if draft.absence is not None and not earlier:
            found = attempt or self.reader.resolve(draft)
            return replace(found, finished=not form_issues(draft, self.reader.assignment.form), source=reading.source)
        if attempt is None or earlier:
            claims = merge_items(earlier, draft.claims if attempt else self._usable_items(draft))
            attempt = self.reader.resolve(Draft(claims))
        if not attempt.claims:
            return Attempt(error=reading.stuck or "the reader submitted no quotes that are in the document")
        return replace(self.reader.add_reading_record(attempt, self._completeness), source=reading.source)

    def review(self, draft: Draft) -> Review:
        """Check a submitted brief by the local rules: its form, its quotes, and parts that were not read."""
        assert self.reader is not None
        attempt = self.reader.resolve(draft)
        earlier = self._earlier_items()
        # With earlier items, "nothing more" is not a statement about the document.
        if draft.absence is not None and earlier:
            return Review((), attempt)
        issues = (*form_issues(draft, self.reader.assignment.form), *attempt.refused)
        if draft.absence is not None:
            return Review(issues, attempt)
        if draft.claims and not self.reader.ranks_only:
            said = draft.completeness or self._completeness
            issues += (
                *self.reader.unseen_quotes.issues(attempt),
                *self.reader.completeness_review.issues(said),
            )
        return Review(issues, attempt)

    def _usable_items(self, draft: Draft) -> tuple[DraftClaim, ...]:
        """Return the items of a refused draft that the rules accept by themselves."""
        assert self.reader is not None
        refused = {issue.claim for issue in self.reader.resolve(draft).refused}
        found = [claim for number, claim in enumerate(draft.claims, 1) if number not in refused]
        form = self.reader.assignment.form
        return tuple(claim for claim in found if not form_issues(Draft((claim,)), form))

    def _objected_words(self) -> frozenset[str]:
        """Return the words with an earlier objection: the reasoner may give a reason for these."""
        if self.output_check.vetoes:
            return frozenset()
        attempts = [step.attempt for step in self._steps if any(it.check in TOLD for it in step.issues)]
        return frozenset(doubt.words for attempt in attempts for doubt in self.output_check.objections(attempt))

    def _earlier_items(self) -> tuple[DraftClaim, ...]:
        """Return the items of the latest brief."""
        attempt = self._latest_attempt()
        return tuple(as_draft(claim, attempt) for claim in attempt.claims)

    def _latest_attempt(self) -> Attempt:
        """Return the latest attempt that had a brief."""
        return next((step.attempt for step in reversed(self._steps) if step.attempt.claims), Attempt())


def merge_items(earlier: Sequence[DraftClaim], added: Sequence[DraftClaim]) -> tuple[DraftClaim, ...]:
    """Return the earlier items and the added items.

    An added item with the same quotes or words replaces an earlier item.
    """

    def keys(claim: DraftClaim) -> tuple[object, object]:
        return frozenset(" ".join(quote.split()) for quote in claim.quotes), " ".join(claim.text.split()).casefold()

    def again(old: DraftClaim, new: DraftClaim) -> bool:
        return any(one == other for one, other in zip(keys(old), keys(new), strict=True))

    merged: dict[DraftClaim, None] = {}
    for old in earlier:
        merged |= dict.fromkeys([new for new in added if again(old, new)] or [old])
    return (*(merged | dict.fromkeys(added)),)


def render_constraints(steps: Sequence[Step], nonce: str) -> str:
    """Return the issues of the last two iterations, with the last output; older issues are counted. Empty at first."""
    if not steps:
        return ""
    older = len(steps) - VERBATIM_ITERATIONS
    parts = []
    for number, step in list(enumerate(steps, 1))[-VERBATIM_ITERATIONS:]:
        issues = [issue for issue in step.issues if issue.check not in ONLY_READER_CHECKS]
        told = render_issues(issues, nonce) or "- the brief was not enough; it may hold more now"
        parts.append(f"Iteration {number} was not accepted:\n{told}")
    latest = next((step.attempt for step in reversed(steps) if step.attempt.output), Attempt())
    sized = f"output ({count_words(latest.output)} words as code counts them)"
    for name, text in ((sized, latest.output), ("memory update", latest.memory)):
        parts += [f"The last {name}; keep of it all that is not objected to:\n{frame_data(text, nonce)}"] * bool(text)
    omitted = f"({older} earlier iteration(s) omitted)\n" if older > 0 else ""
    return render_prompt("reasoner_constraints", omitted=omitted, iterations="\n".join(parts)) + "\n\n"
