"""Child workers, which explore parts of a document for another worker's code and answer `rlm_query`."""

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ralph_cli.checks.form import form_issues
from ralph_cli.core import clock
from ralph_cli.core.coverage import Spans, merge_spans
from ralph_cli.core.document import Document
from ralph_cli.core.errors import EngineError, ProviderError
from ralph_cli.core.events import ChildEvent, ChildFinished, ChildStarted, EventSink
from ralph_cli.core.run import Attempt, Draft
from ralph_cli.core.structure import Page, Span
from ralph_cli.documents.sets.joining import take_part
from ralph_cli.modes.reader import DocumentReader, Reading
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.rlm.bridge import SideBySide, Subqueries, wait_for
from ralph_cli.rlm.loop import Review
from sandbox import Answer, QueryFailure

NO_PART = QueryFailure("the part is empty, or not in the document")


@dataclass(frozen=True, slots=True)
class Part:
    """The text that a child reads, as a separate document.

    `start` is its position in the parent's document, or None if it is not in it.
    """

    document: Document
    start: int | None

    @property
    def end(self) -> int:
        """Where the part ends in the parent's document; 0 if it is not in it."""
        return 0 if self.start is None else self.start + len(self.document.text)


@dataclass(frozen=True, slots=True)
class Allowance:
    """The number of sub-queries and children that a child may use."""

    subqueries: int
    children: int


@dataclass(frozen=True, slots=True)
class ChildRead:
    """A child as its parent sees it: the reader, and a count of what it has used of its allowance."""

    reader: DocumentReader
    used: Callable[[], Allowance]


# Makes the child of this branch with its part, question and allowance; ends its sandbox afterwards.
OpenChild = Callable[[str, Document, str, Allowance], AbstractContextManager[ChildRead]]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result of a child: the answer for its parent's code, what it was shown of the parent's document, what it
    used.
    """

    answer: Answer
    shown: Spans
    used: Allowance


@dataclass(slots=True, kw_only=True)
class Children:
    """The children of one worker. `most` may be begun by it and by them; `subqueries` is what all of them share.

    `branch` is the worker's own; its children are numbered in the order in which they are asked, so that a run that is
    made again gives each the same number. The same question about the same part is asked once.
    """

    document: Document
    open_child: OpenChild
    subqueries: Subqueries
    sink: EventSink
    most: int
    most_at_once: int
    branch: str = ""
    begun: int = 0
    _numbered: int = 0
    _answers: dict[str, str] = field(default_factory=dict)
    _failures: dict[str, QueryFailure] = field(default_factory=dict)
    _beside: SideBySide = field(init=False)

    def __post_init__(self) -> None:
        self._beside = SideBySide(self.most_at_once)

    @property
    def left(self) -> int:
        """How many more children may be started."""
        return max(self.most - self.begun, 0)

    def ask(self, items: Sequence[tuple[str, str]], iteration: int) -> tuple[Sequence[Answer], Spans]:
        """Return the answers to (question, part) pairs, in order, and the spans of the document that the children were
        shown.

        A child that fails, or for which nothing is left, does not affect the others. Raises LimitExceeded if the run
        may spend no more.
        """
        keys = [_key(*item) for item in items]
        asked = dict(zip(keys, items, strict=True))
        parts = {key: self._take_part(part) for key, (_, part) in asked.items() if key not in self._answers}
        new = [(key, asked[key][0], part) for key, part in parts.items() if part is not None][: self.left]
        self.begun += len(new)
        sharing = max(len(new), 1)
        left = self.subqueries.allowed - self.subqueries.used
        allowance = Allowance(max(left, 0) // sharing, self.left // sharing)
        futures: dict[str, Future[_Outcome]] = {}
        for key, question, part in new:
            self._numbered += 1
            branch = f"{self.branch}.{self._numbered}".removeprefix(".")
            work = partial(self._work, branch, key, question, part, allowance, iteration)
            futures[key] = self._beside.submit(work)
        outcomes = dict(zip(futures, wait_for([*futures.values()]), strict=True))
        for outcome in outcomes.values():
            self.subqueries.used += outcome.used.subqueries
            self.begun += outcome.used.children
        self._answers |= {key: it.answer for key, it in outcomes.items() if isinstance(it.answer, str)}
        used_up = QueryFailure(f"all {self.most} child workers of the run were used; finish with what you have")
        failures: dict[str, Answer] = {key: NO_PART if part is None else used_up for key, part in parts.items()}
        answers = {**failures, **self._answers, **{key: outcome.answer for key, outcome in outcomes.items()}}
        return [answers[key] for key in keys], merge_spans(*(outcome.shown for outcome in outcomes.values()))

    def repeat(self, recorded: Sequence[ChildEvent]) -> None:
        """Report the children of an earlier run as if they had worked now. They count, and are not asked again."""
        for event in recorded:
            self.sink(event)
            if isinstance(event, ChildStarted):
                self.begun += 1
                parent, _, number = event.branch.rpartition(".")
                self._numbered = max(self._numbered, int(number)) if parent == self.branch else self._numbered
        self.learn(recorded)

    def learn(self, recorded: Sequence[ChildEvent]) -> None:
        """Keep what children of an earlier run answered. The parts of their own children are parts of other texts."""
        for event in recorded:
            if isinstance(event, ChildFinished) and event.branch.rpartition(".")[0] == self.branch:
                if event.answer:
                    self._answers[event.key] = event.answer
                else:
                    self._failures[event.key] = QueryFailure(event.error)

    def known_answers(self, items: Sequence[tuple[str, str]]) -> list[Answer | None]:
        """Return the earlier answers or failures of children for these items; None for each item that was not asked."""
        keys = [_key(*item) for item in items]
        return [self._answers.get(key) or self._failures.get(key) for key in keys]

    def close(self) -> None:
        """Start no further children."""
        self._beside.close()

    def _work(self, branch: str, key: str, question: str, part: Part, allowance: Allowance, iteration: int) -> _Outcome:
        """Run a child on its part, and report its beginning and end."""
        begun_at = clock.monotonic()
        self.sink(ChildStarted(iteration, branch, question, part.start or 0, part.end, len(part.document.text)))
        answer: Answer
        with self.open_child(branch, part.document, question, allowance) as child:
            try:
                answer = self._explore(child.reader, part, iteration)
            except (ProviderError, EngineError) as fault:
                answer = QueryFailure(fault.message)
            shown, by = child.reader.shown_spans(), part.start
            used = child.used()
        text, error = ("", answer.message) if isinstance(answer, QueryFailure) else (answer, "")
        self.sink(ChildFinished(branch, key, text, error, round(clock.monotonic() - begun_at, 3)))
        return _Outcome(answer, () if by is None else tuple((low + by, high + by) for low, high in shown), used)

    def _take_part(self, described: str) -> Part | None:
        """Return the part that the sandbox describes, without trusting the description; None if there is nothing to
        read.
        """
        try:
            said: Any = json.loads(described)
            start, end = said.get("span", (0, 0))
            text = said.get("text", "")
        except (ValueError, TypeError, AttributeError, RecursionError):
            return None
        if type(start) is not int or type(end) is not int or not isinstance(text, str):
            return None
        if text.strip():
            page = Page(1, "1", 0, len(text))
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            about = self.document
            return Part(Document(digest[:16], about.path, "text", about.sha256, digest, text, (page,)), None)
        start, end = max(start, 0), min(end, len(self.document.text))
        if not self.document.text[start:end].strip():
            return None
        return Part(take_part(self.document, start, end), start)

    def _explore(self, reader: DocumentReader, part: Part, iteration: int) -> Answer:
        form = reader.assignment.form

        def review(draft: Draft) -> Review:
            issues = form_issues(draft, form)
            if draft.absence is not None and issues:
                return Review(issues)
            attempt = reader.resolve(draft)
            return Review((*issues, *attempt.refused), attempt)

        reading = reader.read("", iteration, review, fresh=False)
        if reading.draft is None:
            why = reading.stuck or f"it handed in nothing in {reader.explorer.max_steps} steps"
            return QueryFailure(f"the child worker gave no answer: {why}")
        return self._describe_findings(reading, reading.attempt or reader.resolve(reading.draft), reader, part)

    def _describe_findings(self, reading: Reading, attempt: Attempt, reader: DocumentReader, part: Part) -> str:
        """Return the findings as JSON, with the positions of the quotes in the parent's document."""
        assert reading.draft is not None
        found: list[dict[str, Any]] = []
        index, quotes = self.document.derive(QuoteIndex), {quote.id: quote for quote in attempt.quotes}
        own = reader.document.derive(QuoteIndex)
        for said, claim in zip(reading.draft.claims, attempt.claims, strict=True):
            places: list[Span] = []
            missing = [wording for wording in said.quotes if own.find(wording) is None]
            for quote in (quotes[number] for number in claim.quotes):
                if part.start is not None:
                    places.append(Span(quote.start + part.start, quote.end + part.start))
                elif match := index.find(quote.text):
                    places.append(match.span)
                else:
                    missing.append(quote.text)
            described = [self._describe_quote(place) for place in places]
            found.append({"text": claim.text, "quotes": described, "not_found": missing})
        absence = reading.draft.absence
        note = f"{absence.note} (searched: {', '.join(absence.searched)})".strip() if absence else ""
        return json.dumps({"findings": found, "note": note}, ensure_ascii=False)

    def _describe_quote(self, span: Span) -> dict[str, Any]:
        document = self.document
        place = {"page": document.page_at(span.start).number, "place": document.describe_span(span)}
        return {"words": document.text[span.start : span.end], "start": span.start, **place}


def _key(question: str, part: str) -> str:
    return hashlib.sha256(json.dumps([question, part]).encode("ascii")).hexdigest()
