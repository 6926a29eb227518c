"""The reviews that people give after reading an answer's evidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """A reviewer's verdict on an answer or a claim. WITHDRAWN cancels the same person's earlier mark."""

    CONFIRMED = "confirmed"
    WRONG = "wrong"
    CORRECTED = "corrected"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A mark by the reviewer `by`, made at the time `at` (ISO 8601, UTC).

    `claim` is the number of the reviewed claim, or 0 for the answer as a whole. `correction` is the correct statement;
    only CORRECTED has one.
    """

    at: str
    by: str
    mark: Mark
    claim: int = 0
    correction: str = ""
    note: str = ""


def standing_reviews(reviews: Iterable[Review]) -> tuple[Review, ...]:
    """Return the reviews that count, oldest first: each reviewer's last mark on each claim, unless it is withdrawn."""
    last: dict[tuple[str, int], Review] = {}
    for review in reviews:
        last.pop((review.by, review.claim), None)
        last[review.by, review.claim] = review
    return tuple(review for review in last.values() if review.mark is not Mark.WITHDRAWN)
