"""The state of an offline worker's conversation, computed from its turns, so that no other memory is needed."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ralph_cli.core.model import Json, ModelTurn, ToolTurn, Turn, UserTurn
from ralph_cli.providers.offline.spans import LINE_MARK, REPEATED_PAGE_FACTOR

_CLAIM_NUMBERS = re.compile(r"(?i)\b(?:claim|bullet)s?\s*(?:#|no\.?|number)?\s*((?:\d+(?:\s*(?:,|and|&)\s*)?)+)")
_CLAIM_INDEX = re.compile(r"\bclaims\[(\d+)\]|\bclaims\.(\d+)\b")
# A line that requests a different number of claims; it refuses none of them.
_CLAIM_COUNT = re.compile(r"(?i)\b\d+(?:-\d+)? (?:different |more )?(?:claims|quotes|bullets)\b|\btoo (?:few|many)\b")

_PASSED_WORDS = re.compile(r"(?i)\b(?:accepted|passed|verified|frozen|keep|kept)\b")
_FAILED_WORDS = re.compile(
    r"(?i)\b(?:refused|rejected|fail\w*|drop\w*|replace\w*|wrong"
    r"|not (?:accepted|supported|verbatim|found|in the document))\b"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One span that the snippet printed; `text` is context[start:end].

    `header` is the header of a row whose table is too long to be quoted from there on.
    """

    page: int
    start: int
    end: int
    score: float
    text: str
    header: str = ""

    @property
    def claim(self) -> str:
        """The span as a claim: whitespace runs become single spaces, nothing else changes."""
        return " ".join(self.text.split())


def parse_search_output(text: str) -> tuple[list[Json], list[Candidate]]:
    """Return the summaries of searches and the candidates from the marked lines of `text`. Truncated lines are
    skipped.
    """
    summaries: list[Json] = []
    candidates: list[Candidate] = []
    decoder = json.JSONDecoder()
    for piece in text.split(LINE_MARK)[1:]:
        try:
            row, _ = decoder.raw_decode(piece)
            if "text" in row:
                place = int(row["page"]), int(row["start"]), int(row["end"])
                candidates.append(Candidate(*place, float(row["score"]), str(row["text"]), str(row.get("header", ""))))
            elif "coverage" in row:
                summaries.append(row)
        except (ValueError, TypeError, LookupError):
            continue
    return summaries, candidates


@dataclass(slots=True)
class History:
    """The searches made, their results, what was submitted, and what was refused.

    `search_summaries` has the first line of each search (coverage, terms). `refused` has the refused claims, and
    feedback lines that name them. `exhausted` says that the last search found nothing new.
    """

    search_summaries: list[Json] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    searches: int = 0
    refused: set[str] = field(default_factory=set)
    submitted: bool = False
    exhausted: bool = False

    @classmethod
    def from_turns(cls, turns: Sequence[Turn]) -> "History":
        """Build the history from the turns, in order."""
        history = cls()
        arguments: Json = {}
        for turn in turns:
            match turn:
                case ModelTurn(_, calls):
                    arguments = next((call.arguments for call in calls if call.arguments), {})
                    if "code" in arguments:
                        history.searches += 1
                    history.submitted = history.submitted or "claims" in arguments
                case ToolTurn(results, note):
                    history._observe(arguments, "\n".join([*(text for _, text, _ in results), note]))
                case UserTurn(text):
                    history._observe(arguments if "claims" in arguments else {}, text)
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
        else:
            lines = [line for line in _nonblank_lines(text) if _FAILED_WORDS.search(line)]
            self.refused |= {line for line in lines if not _PASSED_WORDS.search(line)}

    @property
    def best_score(self) -> float:
        """The best score of all candidates, refused or not."""
        return max((c.score for c in self.candidates), default=0.0)

    @property
    def unrefused(self) -> list[Candidate]:
        """The candidates that were not refused: search by search, the best first within each.

        Scores of different searches cannot be compared.
        """
        refused_text = " \n ".join(" ".join(line.split()) for line in self.refused)
        return [c for c in self.candidates if c.claim not in refused_text]

    def rank_by(self, alike: Sequence[float]) -> None:
        """Rank the candidates by score, multiplied by up to 2 for similarity to the question. Repeated pages count
        less.
        """
        earlier: Counter[int] = Counter()
        worth = {c: c.score * (1.0 + max(like, 0.0)) for c, like in zip(self.candidates, alike, strict=True)}
        for candidate in sorted(worth, key=lambda candidate: -worth[candidate]):
            worth[candidate] *= REPEATED_PAGE_FACTOR ** earlier[candidate.page]
            earlier[candidate.page] += 1
        self.candidates = sorted(worth, key=lambda candidate: -worth[candidate])


def refused_claims(claims: Sequence[str], feedback: str) -> set[str]:
    """Return the claims that a refusal names, by their words or their number.

    A refusal that only counts claims names none of them. A refusal that names nothing means all of them.
    """
    lines = [line for line in _nonblank_lines(feedback) if _FAILED_WORDS.search(line) or not _PASSED_WORDS.search(line)]
    named: set[str] = set()
    for line in lines:
        folded = " ".join(line.split())
        numbers: set[int] = set()
        # Only the first numbers in a line count: "claim 3 says the same as claim 1" is about claim 3.
        if numbered := _CLAIM_NUMBERS.search(line):
            numbers |= set(map(int, re.findall(r"\d+", numbered[1])))
        if indexed := _CLAIM_INDEX.search(line):
            numbers.add(int(indexed[1] or indexed[2]) + 1)
        named |= {claim for number, claim in enumerate(claims, 1) if number in numbers or claim[:40] in folded}
    return named if named or any(map(_CLAIM_COUNT.search, lines)) else set(claims)


def _nonblank_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]
