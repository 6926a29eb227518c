"""Describes the reviews of an answer, in words and as values."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from ralph_cli.core.results.review import Mark, Review

HEADING = "What reviewers say"


def describe_review(review: Review, noun: str = "claim") -> str:
    """A review in a sentence: its subject, mark, author and date, and the note."""
    about = f"{noun[:1].upper()}{noun[1:]} {review.claim}: " if review.claim else ""
    right = f", it is: {review.correction}" if review.mark is Mark.CORRECTED else ""
    note = f" ({review.note})" if review.note else ""
    return f"{about}{review.mark.value} by {review.by} on {review.at[:10]}{right}{note}"


def describe_reviews(reviews: Iterable[Review], noun: str = "claim") -> list[str]:
    """The reviews, each in a sentence."""
    return [describe_review(review, noun) for review in reviews]


def review_objects(reviews: Iterable[Review]) -> list[dict[str, Any]]:
    """Reviews as plain values; `claim` is null for the answer as a whole."""
    return [asdict(review) | {"mark": review.mark.value, "claim": review.claim or None} for review in reviews]
