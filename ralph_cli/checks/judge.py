"""The semantic check: a model of another vendor reads each claim beside the passages quoted for it. Fails closed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ralph_cli.agents.spec import prompt, render
from ralph_cli.checks.base import GOOD
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, Model, Request, UserTurn
from ralph_cli.core.run import Attempt, Claim, Evidence, Issue, Quote, Ruling, Verdict
from ralph_cli.rlm.observe import framed
from ralph_cli.rlm.prelude import columns
from ralph_cli.rlm.structured import Unparseable, ask, one_object

BEFORE, AFTER = 700, 300
"""Characters of the document shown on each side of a quote, then widened to whole lines; at least 220 are asked for."""

BEGINNING = 400
"""Characters of the document's beginning that tell the judge what it is."""

AROUND = 220
"""The same for other places of the same words."""

SHOWN_ELSEWHERE, COMMON = 2, 3

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


@dataclass(frozen=True, slots=True)
class _Mark:
    """One place of a quote, with the text that is shown around it."""

    start: int
    end: int
    sign: str
    low: int
    high: int


def passages(document: Document, quotes: Sequence[Quote], nonce: str) -> str:
    """The passages around all quotes, each once, the quoted words marked with the quote's id.

    Words that stand in several places are marked at the place they were pinned to, and as `[[1, also here: ...]]` at a
    few others. A table row comes with the lines that name its columns, period and unit.
    """
    marks: list[_Mark] = []
    for quote in quotes:
        marks.append(_mark(document, quote.start, quote.end, f"{quote.id}: ", BEFORE, AFTER))
        # Words that stand nearly everywhere, such as the years above a table, say nothing elsewhere.
        place, others = -1, SHOWN_ELSEWHERE if quote.occurrences > COMMON else 0
        while others < SHOWN_ELSEWHERE and (place := document.text.find(quote.text, place + 1)) >= 0:
            if place != quote.start:
                end = place + len(quote.text)
                marks.append(_mark(document, place, end, f"{quote.id}, also here: ", AROUND, AROUND))
                others += 1
    windows: list[tuple[int, int]] = []
    for mark in sorted(marks, key=lambda mark: mark.low):
        if windows and mark.low <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(mark.high, windows[-1][1]))
        else:
            windows.append((mark.low, mark.high))
    shown = []
    for low, high in windows:
        inside = [mark for mark in marks if low <= mark.start and mark.end <= high]
        page = document.page_at(min(mark.start for mark in inside))
        text = _headers(document, low, inside) + _marked(document.text, low, high, inside)
        shown.append(f"Page {page.number}:\n{framed(text, nonce)}")
    return "\n\n".join(shown)


def _mark(document: Document, start: int, end: int, sign: str, before: int, after: int) -> _Mark:
    """A mark with its window: so many characters on each side, widened to whole lines, within reason."""
    text = document.text
    low = max(text.rfind("\n", 0, max(start - before, 0)) + 1, start - 2 * before, 0)
    stop = text.find("\n", min(end + after, len(text)))
    high = min(len(text) if stop < 0 else stop, end + 2 * after)
    return _Mark(start, end, sign, low, high)


def _headers(document: Document, low: int, marks: Sequence[_Mark]) -> str:
    """The header lines of marked table rows that stand above the passage on the same page."""
    text = document.text
    found: dict[str, None] = {}
    for mark in marks:
        line = max(text.rfind("\n", 0, mark.start), text.rfind("\f", 0, mark.start)) + 1
        page = document.page_at(mark.start)
        for part in columns(text[page.start : line], text[line : mark.end]):
            if part not in text[low : mark.end]:
                found[part] = None
    return "".join(f"(above: {part})\n" for part in found)


def _marked(text: str, low: int, high: int, marks: Sequence[_Mark]) -> str:
    cuts = sorted([(mark.start, 1, f"[[{mark.sign}") for mark in marks] + [(mark.end, 0, "]]") for mark in marks])
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
        score = 1 - len(issues) / len(rulings) if rulings else None
        return Evidence("judge", issues, rulings, score=score)

    def _request(self, attempt: Attempt) -> Request:
        nonce = self.new_nonce()
        claims = "\n".join(_told(claim, nonce) for claim in attempt.claims)
        begins = framed(" ".join(self.document.text[:BEGINNING].split()), nonce)
        shown = passages(self.document, attempt.quotes, nonce)
        told = f"The document ({one_word(self.document.path)}) begins:\n{begins}\n\n{shown}\n\n{claims}"
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


def _told(claim: Claim, nonce: str) -> str:
    """A claim with the numbers of its quotes, and the calculations that code has found to hold."""
    lines = [f"Claim {claim.id} (quotes {', '.join(map(str, claim.quotes))}):", framed(claim.text, nonce)]
    if claim.calculations:
        lines += ["Its calculations, computed again by code:", framed("\n".join(claim.calculations), nonce)]
    return "\n".join(lines)


def one_word(path: str) -> str:
    """The file's name, without anything that could break out of its place in a prompt."""
    return re.sub(r"[^\w.,+-]+", "_", Path(path).name)[:80] or "-"


def _issue(ruling: Ruling, attempt: Attempt) -> Issue:
    """The refusal of one claim as feedback: the claim, its quotes and the judge's reason."""
    claim = next(claim for claim in attempt.claims if claim.id == ruling.claim)
    quotes = "; ".join(f'"{" ".join(quote.text.split())}" (page {quote.page})' for quote in attempt.quotes_of(claim))
    what = {"partly": "only partly proved", "not": "not proved", "contradicted": "contradicted"}[ruling.verdict.value]
    material = f"{ruling.reason} (claim: {claim.text} - quotes: {quotes})"
    return Issue("judge", f"claim {claim.id} is {what} by its quotes", claim.id, material)
