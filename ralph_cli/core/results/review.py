"""What a person has said of an answer after reading its evidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """What a reviewer says of an answer or a claim; WITHDRAWN takes back what the same person has said before."""

    CONFIRMED = "confirmed"
    WRONG = "wrong"
    CORRECTED = "corrected"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A mark of the reviewer `by`, made at the time `at` (ISO 8601, UTC).

    `claim` is the number of the claim that it is about, 0 for the answer as a whole. `correction` says what is right,
    for CORRECTED alone.
    """

    at: str
    by: str
    mark: Mark
    claim: int = 0
    correction: str = ""
    note: str = ""


def standing_reviews(reviews: Iterable[Review]) -> tuple[Review, ...]:
    """What counts of all that was said, oldest first: each reviewer's last word on each claim, unless withdrawn."""
    last: dict[tuple[str, int], Review] = {}
    for review in reviews:
        last.pop((review.by, review.claim), None)
        last[review.by, review.claim] = review
    return tuple(review for review in last.values() if review.mark is not Mark.WITHDRAWN)
