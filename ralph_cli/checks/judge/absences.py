"""The second reader of an absence: a model that searches for what the worker says is not in the document.

A statement that something is not in the document is accepted only if this reader has looked and found nothing. The
worker gets what it finds, and answers from it or says why it does not. Then the reader is asked once more for its last
word.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from ralph_cli.checks.absence import describe_searches, is_absence
from ralph_cli.checks.base import describe_failure
from ralph_cli.checks.judge.looks import Locator, Looker, Prompt
from ralph_cli.checks.judge.passages import break_marks, safe_file_name
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, agent_request, ask_model, parse_object
from ralph_cli.core.prompts.json_schema import array, choice, object_schema, render_example, string
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import ABSENCE_CHECK as NAME
from ralph_cli.core.run import Attempt, Evidence, Issue, Look, Ruling, Search, Verdict
from ralph_cli.retrieval.context import context_span
from ralph_cli.retrieval.quotes.index import Match

MAX_PASSAGES = 4
# The characters shown on each side of a passage when the reader is asked again.
PASSAGE_CHARS = 200

_INTEGER = {"type": "integer"}
VERDICTS = object_schema(
    verdicts=array(
        object_schema(
            id=_INTEGER, verdict=choice("absent", "answered", "mixed"), reason=string(), passages=array(string())
        )
    )
)


class _Verdict(StrictObject):
    id: int
    verdict: Literal["absent", "answered", "mixed"]
    reason: str
    passages: list[str]


class _Verdicts(StrictObject):
    verdicts: list[_Verdict]


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement that something is not in the document: about a claim (its number), or the whole question (0)."""

    claim: int
    text: str
    searches: tuple[Search, ...]
    note: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """The reader's verdict on a statement, with the passages that it cites."""

    verdict: Literal["absent", "answered", "mixed"]
    reason: str
    passages: tuple[Match, ...] = ()
    is_last: bool = False


@dataclass(slots=True)
class AbsenceReader:
    """The check `absence`: asks the second reader about everything that an attempt says is not in the document.

    `whole` is the statement that nothing answers the question. A reader that fails is a broken check and never a yes.
    """

    model: Model
    document: Document
    whole: str
    new_nonce: Callable[[], str]
    looker: Looker
    _answers: dict[str, _Answer] = field(default_factory=dict)

    def __call__(self, attempt: Attempt) -> Evidence:
        """The reader's verdicts on an absence, and on the claims that something is not in the document."""
        statements = list(self._statements(attempt))
        looks: list[Look] = []
        try:
            fresh = [it for it in statements if it.text not in self._answers]
            again = [it for it in statements if it not in fresh and not self._is_settled(it)]
            if fresh:
                self._answers |= self._read(fresh, looks)
            for statement in again:
                self._answers[statement.text] = self._read_again(statement)
        except (ProviderError, UnparseableReply) as error:
            return Evidence(NAME, broken=describe_failure(error), looks=tuple(looks))
        found = [(it, self._answers[it.text]) for it in statements]
        issues = tuple(self._issue(it, answer) for it, answer in found if answer.verdict != "absent")
        name = self.model.name
        rulings = tuple(
            Ruling(it.claim, _VERDICTS[answer.verdict], f"{answer.reason} ({describe_searches(it.searches)})", name)
            for it, answer in found
            if it.claim
        )
        notes = [answer.reason for it, answer in found if not it.claim]
        return Evidence(NAME, issues, rulings, note=" ".join(notes), looks=tuple(looks))

    def _is_settled(self, statement: _Statement) -> bool:
        """Whether there is nothing left to ask: the reader rules again only on passages that the worker has seen."""
        answer = self._answers[statement.text]
        return answer.verdict != "answered" or answer.is_last

    def _statements(self, attempt: Attempt) -> list[_Statement]:
        if attempt.absence is not None:
            return [_Statement(0, self.whole, attempt.searches, attempt.absence.note)]
        return [_Statement(it.id, it.text, it.searches, it.because) for it in attempt.claims if is_absence(it)]

    def _read(self, statements: Sequence[_Statement], looks: list[Look]) -> dict[str, _Answer]:
        """The reader's verdict on each statement, after its own look-ups, or from the text of a short document."""
        nonce = self.new_nonce()
        shown = "\n\n".join(self._render(number, it, nonce) for number, it in enumerate(statements, 1))
        prompt = Prompt(NAME, VERDICTS, {"statements": shown}, {"statements": [it.text for it in statements]})
        answers, made = self.looker.ask(
            self.model, prompt, partial(self._parse, len(statements), Locator(self.looker)), nonce
        )
        looks += made
        return {it.text: answer for it, answer in zip(statements, answers, strict=True)}

    def _read_again(self, statement: _Statement) -> _Answer:
        """The reader's last word, after the worker has seen its passages and still says that nothing answers."""
        nonce = self.new_nonce()
        first = self._answers[statement.text]
        prompt = render_prompt(
            "absence_again",
            document=safe_file_name(self.document.called or self.document.path),
            statements=self._render(1, statement, nonce),
            reason=frame_data(first.reason, nonce),
            passages=frame_data("\n\n".join(map(self._show_passage, first.passages)), nonce),
            shape=render_example(VERDICTS),
        )
        request = agent_request(NAME, prompt, VERDICTS, "verdicts", {"statements": [statement.text]}, 4_000)
        return replace(ask_model(self.model, request, partial(self._parse, 1, Locator(self.looker)))[0], is_last=True)

    def _parse(self, count: int, locate: Locator, text: str) -> list[_Answer]:
        said = sorted(parse_object(text, _Verdicts).verdicts, key=lambda item: item.id)
        if [item.id for item in said] != list(range(1, count + 1)):
            raise ValueError(f"verdicts must be for the statements 1 to {count}, one each")
        answers = []
        for item in said:
            if not item.reason.strip():
                raise ValueError(f"the verdict on statement {item.id} has no reason")
            wanted = item.passages[:MAX_PASSAGES] if item.verdict == "answered" else []
            passages = tuple(match for words in wanted if (match := locate(words)) is not None)
            if item.verdict == "answered" and not passages:
                raise ValueError(f"statement {item.id} is answered: cite the passages that answer it")
            answers.append(_Answer(item.verdict, " ".join(item.reason.split()), passages))
        return answers

    def _render(self, number: int, statement: _Statement, nonce: str) -> str:
        lines = [break_marks(statement.text)]
        if statement.searches:
            lines.append(f"The worker searched, {describe_searches(statement.searches)}")
        if statement.note:
            lines.append(f"The worker notes: {break_marks(statement.note)}")
        return f"Statement {number}:\n" + frame_data("\n".join(lines), nonce)

    def _show_passage(self, match: Match) -> str:
        around = context_span(self.document, match.span, max_characters=PASSAGE_CHARS)
        place = self.document.describe_span(match.span)
        return f"{place}: {break_marks(self.document.text[around.start : around.end].strip())}"

    def _issue(self, statement: _Statement, answer: _Answer) -> Issue:
        """The issue for the worker: the passages with their offsets, and the worker's options."""
        what = f"claim {statement.claim} says that something is not in the document" if statement.claim else "not_found"
        if answer.verdict == "mixed":
            message = f"{what}, and beside it that something is: hand that in as a claim of its own, with its quotes"
            return Issue(NAME, message, statement.claim or None, answer.reason)
        then = (
            "that is its last word: answer from them"
            if answer.is_last
            else "read them (at(offset) prints what stands around them). If they answer it, if only in part, hand in "
            f"claims that say so; else hand in the same again, and why in `{'because' if statement.claim else 'note'}`"
        )
        message = f"{what}, but a second reader has found passages that answer it; {then}"
        lines = [
            f'{self.document.describe_span(it.span)}, offset {it.span.start}: "'
            f'{" ".join(self.document.text[it.span.start : it.span.end].split())}"'
            for it in answer.passages
        ]
        return Issue(NAME, message, statement.claim or None, "\n".join((answer.reason, *lines)))


_VERDICTS = {"absent": Verdict.ABSENT, "answered": Verdict.CONTRADICTED, "mixed": Verdict.NOT}
