"""Describes the doubts on a result: what code could not confirm, and what it could not decide."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ralph_cli.core.run import Attempt, Doubt
from ralph_cli.text.lexicon import pluralize

HEADING = "Doubts"


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """Words of a claim, or of an output (`claim` is None), that code could not confirm, with its message.

    To an "objection" the worker has answered `because`, and the judge has ruled with both in view. What is "open" is
    unverified: code could not decide.
    """

    claim: int | None
    words: str
    message: str
    kind: Literal["objection", "open"]
    because: str = ""

    @property
    def is_objection(self) -> bool:
        """Whether code takes the words for wrong."""
        return self.kind == "objection"


def list_unconfirmed(attempt: Attempt, doubts: Iterable[Doubt]) -> tuple[Unconfirmed, ...]:
    """The doubts on an attempt, each once, with the worker's reasons against objections."""
    reasons = {0: attempt.because} | {claim.id: claim.because for claim in attempt.claims}
    found = [
        Unconfirmed(
            doubt.claim or None,
            doubt.words,
            doubt.message,
            doubt.kind,
            reasons.get(doubt.claim, "") if doubt.kind == "objection" else "",
        )
        for doubt in doubts
    ]
    return tuple(dict.fromkeys(found))


def doubt_label(doubt: Unconfirmed) -> str:
    """What code could not confirm, in a few words."""
    return f"code could not confirm {doubt.words}" if doubt.is_objection else "code could not tell"


def doubt_details(doubt: Unconfirmed) -> str:
    """The finding of code, and the worker's reason against it."""
    return f"{doubt.message} (the worker: {doubt.because})" if doubt.because else doubt.message


def describe_doubt(doubt: Unconfirmed) -> str:
    """The label and the details of a doubt."""
    return f"{doubt_label(doubt)}: {doubt_details(doubt)}"


def count_doubts(doubts: Sequence[Unconfirmed]) -> str:
    """The number of unconfirmed figures and of open questions; empty if there are none."""
    objections = sum(doubt.is_objection for doubt in doubts)
    left_open = len(doubts) - objections
    parts = [f"{pluralize(objections, 'figure')} unconfirmed by code"] if objections else []
    parts += [f"{pluralize(left_open, 'question')} left open by code"] if left_open else []
    return ", ".join(parts)
