"""The semantic check: a model of another vendor reads each claim beside the passages quoted for it. Fails closed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ralph_cli.agents.spec import prompt, render
from ralph_cli.checks.base import GOOD
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, Model, Request, UserTurn
from ralph_cli.core.run import Attempt, Evidence, Issue, Quote, Ruling, Verdict
from ralph_cli.rlm.observe import framed
from ralph_cli.rlm.structured import Unparseable, ask, one_object

BEFORE, AFTER = 700, 300
"""Characters of the document shown on each side of a quote, then widened to whole lines; at least 220 are asked for."""

SHOWN_OCCURRENCES = 3

VERDICT_SCHEMA: Json = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "verdict": {"type": "string", "enum": ["supported", "partly", "not", "contradicted"]},
                    "reason": {"type": "string"},
                },
                "required": ["id", "verdict", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    id: int
    verdict: Literal["supported", "partly", "not", "contradicted", "verbatim"]
    reason: str


class _Verdicts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    verdicts: list[_Said]


def parse_verdicts(text: str, claims: Sequence[int], judge: str, *, deterministic: bool) -> tuple[Ruling, ...]:
    """The rulings in a judge's reply: exactly one for each claim id, else ValueError.

    Only the deterministic judge may say "verbatim", and it may not say "supported": a reader must be able to tell
    from the verdict alone whether a model has read the claim.
    """
    said = one_object(text, _Verdicts).verdicts
    if sorted(item.id for item in said) != sorted(claims):
        raise ValueError(f"verdicts must be for the claims {sorted(claims)}, one each")
    allowed = {"verbatim", "not"} if deterministic else {"supported", "partly", "not", "contradicted"}
    for item in said:
        if item.verdict not in allowed:
            raise ValueError(f"{item.verdict!r} is not a verdict that this judge can give")
    ordered = sorted(said, key=lambda item: item.id)
    return tuple(Ruling(item.id, Verdict(item.verdict), " ".join(item.reason.split()), judge) for item in ordered)


def passages(document: Document, quotes: Sequence[Quote], nonce: str) -> str:
    """The passages around all quotes, each once, the quoted words marked with the quote's id."""
    marks: list[tuple[int, int, int]] = []
    for quote in quotes:
        place = quote.start
        for _ in range(SHOWN_OCCURRENCES):
            marks.append((place, place + len(quote.text), quote.id))
            place = document.text.find(quote.text, place + 1)
            if place < 0:
                break
    windows: list[tuple[int, int]] = []
    for start, end, _ in sorted(marks):
        low, high = _window(document.text, start, end)
        if windows and low <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(high, windows[-1][1]))
        else:
            windows.append((low, high))
    shown = []
    for low, high in windows:
        inside = [mark for mark in marks if low <= mark[0] and mark[1] <= high]
        page = document.page_at(min(mark[0] for mark in inside)).number
        shown.append(f"Page {page}:\n{framed(_marked(document.text, low, high, inside), nonce)}")
    return "\n\n".join(shown)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    low = text.rfind("\n", 0, max(start - BEFORE, 0)) + 1
    high = text.find("\n", min(end + AFTER, len(text)))
    low = max(low, start - 2 * BEFORE)  # a document without line ends must not be sent whole
    return low, min(len(text) if high < 0 else high, end + 2 * AFTER)


def _marked(text: str, low: int, high: int, marks: Sequence[tuple[int, int, int]]) -> str:
    cuts = sorted([(start, 1, f"[[{number}: ") for start, _, number in marks] + [(end, 0, "]]") for _, end, _ in marks])
    parts, at = [], low
    for place, _, sign in cuts:
        parts += [text[at:place], sign]
        at = place
    return "".join((*parts, text[at:high]))


@dataclass(frozen=True, slots=True)
class Judge:
    """The check `judge`: passes only if every claim of the attempt is ruled to stand.

    A judge that fails, or does not answer in shape, is a broken check and never a verdict.
    """

    model: Model
    document: Document
    question: str
    new_nonce: Callable[[], str]

    def __call__(self, attempt: Attempt) -> Evidence:
        ids = [claim.id for claim in attempt.claims]
        deterministic = self.model.vendor == "offline"
        try:
            rulings = ask(
                self.model,
                self._request(attempt),
                lambda text: parse_verdicts(text, ids, self.model.name, deterministic=deterministic),
            )
        except (ProviderError, Unparseable) as error:
            return Evidence("judge", broken=str(error) or type(error).__name__)
        issues = tuple(_issue(ruling, attempt) for ruling in rulings if ruling.verdict not in GOOD)
        return Evidence("judge", issues, rulings)

    def _request(self, attempt: Attempt) -> Request:
        nonce = self.new_nonce()
        claims = "\n".join(
            f"Claim {claim.id} (quotes {', '.join(map(str, claim.quotes))}):\n{framed(claim.text, nonce)}"
            for claim in attempt.claims
        )
        told = f"{passages(self.document, attempt.quotes, nonce)}\n\n{claims}"
        return Request(
            "judge",
            prompt("judge_system"),
            (UserTurn(render("judge_request", claims=told, question=self.question)),),
            output_schema=VERDICT_SCHEMA,
            output_name="verdicts",
            max_tokens=4_000,
            inputs={
                "question": self.question,
                "claims": [
                    {
                        "id": claim.id,
                        "text": claim.text,
                        "quotes": [{"text": q.text, "match": q.match} for q in attempt.quotes_of(claim)],
                    }
                    for claim in attempt.claims
                ],
            },
        )


def _issue(ruling: Ruling, attempt: Attempt) -> Issue:
    """The refusal of one claim as feedback: the claim, its quotes and the judge's reason."""
    claim = next(claim for claim in attempt.claims if claim.id == ruling.claim)
    quotes = "; ".join(f'"{" ".join(quote.text.split())}" (page {quote.page})' for quote in attempt.quotes_of(claim))
    what = {"partly": "only partly proved", "not": "not proved", "contradicted": "contradicted"}[ruling.verdict.value]
    return Issue("judge", f'claim {claim.id}, "{claim.text}", is {what} by {quotes}: {ruling.reason}', claim.id)
