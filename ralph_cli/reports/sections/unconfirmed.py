"""What code could not confirm of a result, and what it could not tell: in a sentence each, and counted."""

from collections.abc import Sequence

from ralph_cli.reports.view import Unconfirmed
from ralph_cli.text.plural import pluralize

HEADING = "Doubts"


def doubt_label(doubt: Unconfirmed) -> str:
    """What is doubted, in a few words."""
    return f"code could not confirm {doubt.words}" if doubt.is_objection else "code could not tell"


def doubt_details(doubt: Unconfirmed) -> str:
    """What code has found, and why the worker stands by its words."""
    return f"{doubt.message} (the worker: {doubt.because})" if doubt.because else doubt.message


def describe_doubt(doubt: Unconfirmed) -> str:
    """Both."""
    return f"{doubt_label(doubt)}: {doubt_details(doubt)}"


def count_doubts(doubts: Sequence[Unconfirmed]) -> str:
    """How many figures are unconfirmed, and how many questions are open; empty without any."""
    objections = sum(doubt.is_objection for doubt in doubts)
    left_open = len(doubts) - objections
    parts = [f"{pluralize(objections, 'figure')} unconfirmed by code"] if objections else []
    parts += [f"{pluralize(left_open, 'question')} left open by code"] if left_open else []
    return ", ".join(parts)
