"""The earlier questions of a conversation: what was asked, answered and quoted, as models read it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ralph_cli.core.document import Document
from ralph_cli.core.events import AnyEvent, RunStarted
from ralph_cli.core.prompts.framing import frame_data, truncate
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import Claim, Halt, Step, StopType
from ralph_cli.loop.state import fold

# The characters shown of one question with its answer.
MAX_EXCHANGE_CHARS = 2_500

# The characters shown of all earlier questions, the latest first.
MAX_EXCHANGES_CHARS = 10_000

MAX_QUESTION_CHARS = 500
MAX_QUESTIONS = 20

# The latest questions whose words are added to those of a further one for a search.
_WORDS_OF = 2

_ENDINGS = {
    StopType.COMPLETION: "Accepted:",
    StopType.ABSENT: "Accepted: the document does not say it.",
    StopType.PASSAGES: "Passages, which no model has read:",
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its result: how its run ended (None if it was interrupted), and its best attempt."""

    question: str
    halt: Halt | None
    best: Step | None

    @classmethod
    def of(cls, events: Sequence[AnyEvent]) -> "Exchange":
        """Return the exchange of a recorded run."""
        state = fold(events)
        question = next((event.question for event in events if isinstance(event, RunStarted)), "")
        return cls(question, state.halt, state.best)

    def describe(self, document: Document) -> str:
        """Return question and answer with its verdicts, and those quotes that are still at their recorded positions."""
        return truncate(
            "\n".join((f"Question: {self.question[:MAX_QUESTION_CHARS]}", self.outcome(document))), MAX_EXCHANGE_CHARS
        )

    def outcome(self, document: Document) -> str:
        """Return the result without the question."""
        attempt = self.best.attempt if self.best else None
        if attempt is None or not attempt.has_result:
            return "No answer."
        lines = [_ENDINGS.get(self.halt.type, "Not accepted:") if self.halt else "Not accepted:"]
        if attempt.absence is not None:
            lines += [attempt.absence.note] if attempt.absence.note else []
        for claim in attempt.claims:
            lines.append(f"- {claim.text} ({self._verdict(claim)})")
            for quote in attempt.quotes_of(claim):
                if document.text[quote.start : quote.end] == quote.text:
                    lines.append(f'  page {document.page_at(quote.start).number}: "{" ".join(quote.text.split())}"')
        return "\n".join(lines)

    def _verdict(self, claim: Claim) -> str:
        ruling = next((ruling for ruling in self.best.rulings if ruling.claim == claim.id), None) if self.best else None
        if ruling is None:
            return "not judged"
        return ruling.verdict.value if ruling.verdict.passes else f"{ruling.verdict.value}: {ruling.reason}"


def render_exchanges(exchanges: Sequence[Exchange], document: Document, nonce: str) -> str:
    """Return the text before a question in a new conversation: the earlier questions; empty for a first question."""
    if not exchanges:
        return ""
    told: list[str] = []
    for exchange in reversed(exchanges):
        described = exchange.describe(document)
        if sum(map(len, told)) + len(described) > MAX_EXCHANGES_CHARS:
            told.append(f"({len(exchanges) - len(told)} earlier ones are left out)")
            break
        told.append(described)
    return render_prompt("worker_asked_before", exchanges=frame_data("\n\n".join(reversed(told)), nonce)) + "\n\n"


def render_outcome(exchanges: Sequence[Exchange], document: Document, nonce: str) -> str:
    """Return the result of the last answer, for a worker that continues the conversation of that answer."""
    return frame_data(truncate(exchanges[-1].outcome(document), MAX_EXCHANGE_CHARS), nonce)


def question_in_context(question: str, before: Sequence[str], nonce: str) -> str:
    """Return a question for a judge, with the earlier questions that explain it."""
    if not before:
        return question
    listed = "\n".join(f"- {' '.join(asked.split())[:MAX_QUESTION_CHARS]}" for asked in before[-MAX_QUESTIONS:])
    return render_prompt("question_in_context", question=question, before=frame_data(listed, nonce))


def words_in_context(question: str, before: Sequence[str]) -> str:
    """Return a question with the words of the earlier questions, for code that only searches for words."""
    return " ".join((*before[-_WORDS_OF:], question))
