"""The state of an offline worker's conversation, folded from its turns: what was found, submitted and refused."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ralph_cli.core.model import Json, ModelTurn, ToolTurn, Turn
from ralph_cli.providers.offline.spans import LINE_MARK, REPEATED_PAGE_FACTOR

_CLAIM_NUMBERS = re.compile(r"(?i)\bclaims?\s*((?:\d+(?:\s*(?:,|and)\s*)?)+)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One span that the snippet printed: `text` is context[start:end].

    `header` holds the lines above a table row that name its columns, if they can be quoted.
    """

    page: int
    start: int
    end: int
    score: float
    text: str
    header: str = ""

    @property
    def claim(self) -> str:
        """The span as a claim, with single spaces between its words."""
        return " ".join(self.text.split())


def parse_search_output(text: str) -> tuple[list[Json], list[Candidate]]:
    """The summaries of searches and the candidates from the marked lines of `text`. Lines that were cut are skipped."""
    summaries: list[Json] = []
    candidates: list[Candidate] = []
    decoder = json.JSONDecoder()
    for piece in text.split(LINE_MARK)[1:]:
        try:
            row, _ = decoder.raw_decode(piece)
            if "text" in row:
                candidates.append(Candidate(**row))
            elif "coverage" in row:
                summaries.append(row)
        except (ValueError, TypeError):
            continue
    return summaries, candidates


@dataclass(slots=True)
class History:
    """The searches of a conversation, what they found, and which submitted claims were refused.

    `search_summaries` holds the first line of each search; `exhausted` means that the last search found nothing new.
    """

    search_summaries: list[Json] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    searches: int = 0
    refused: set[str] = field(default_factory=set)
    submitted: bool = False
    exhausted: bool = False

    @classmethod
    def from_turns(cls, turns: Sequence[Turn]) -> "History":
        """Read the turns in order."""
        history = cls()
        arguments: Json = {}
        for turn in turns:
            match turn:
                case ModelTurn(_, calls):
                    arguments = next((call.arguments for call in calls if call.arguments), {})
                    history.searches += "code" in arguments
                    history.submitted |= "claims" in arguments
                case ToolTurn(results, note):
                    history._observe(arguments, "\n".join([*(text for _, text, _ in results), note]))
        return history

    def _observe(self, arguments: Json, text: str) -> None:
        if "claims" in arguments:
            self.refused |= refused_claims([str(claim["text"]) for claim in arguments["claims"]], text)
        elif "code" in arguments:
            summaries, found = parse_search_output(text)
            known = {(c.start, c.end) for c in self.candidates}
            fresh = [c for c in found if (c.start, c.end) not in known]
            self.search_summaries += summaries
            self.candidates += fresh
            self.exhausted = bool(summaries) and not fresh

    @property
    def best_score(self) -> float:
        """The best score of all candidates, refused or not."""
        return max((c.score for c in self.candidates), default=0.0)

    @property
    def unrefused(self) -> list[Candidate]:
        """The candidates that were not refused: search by search, because scores of two searches do not compare."""
        return [c for c in self.candidates if c.claim not in self.refused]

    def rank_by(self, alike: Sequence[float]) -> None:
        """Rank the candidates by score, at most doubled by likeness to the question. Pages take turns."""
        earlier: Counter[int] = Counter()
        worth = {c: c.score * (1.0 + max(like, 0.0)) for c, like in zip(self.candidates, alike, strict=True)}
        for candidate in sorted(worth, key=lambda candidate: -worth[candidate]):
            worth[candidate] *= REPEATED_PAGE_FACTOR ** earlier[candidate.page]
            earlier[candidate.page] += 1
        self.candidates = sorted(worth, key=lambda candidate: -worth[candidate])


def refused_claims(claims: Sequence[str], feedback: str) -> set[str]:
    """The claims that a refusal names by number or by their first words; all of them if it names none.

    A refusal that asks for another number of claims ("needs 3-7 claims") refuses none.
    """
    named: set[str] = set()
    for line in feedback.splitlines():
        # Only the first numbers count: "claim 3 says the same as claim 1" is about claim 3.
        found = _CLAIM_NUMBERS.search(line)
        numbers = {int(number) for number in re.findall(r"\d+", found[1])} if found else set()
        words = " ".join(line.split())
        named |= {claim for number, claim in enumerate(claims, 1) if number in numbers or claim[:40] in words}
    return named if named or " needs " in feedback else set(claims)
