"""Counts how often a property reaches what it is about: assertions that no example comes to prove nothing.

    @reaches(accepted=0.5)
    @given(...)
    def test_accepted_means_judged(...):
        if not reached("accepted", outcome.ok):
            return
        assert ...

The test fails if fewer than half of its examples were accepted. `tests/test_properties.py` holds every property with
an early return to this.
"""

import functools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from hypothesis import event

_answers: dict[str, list[bool]] = defaultdict(list)
"""What was answered under each name since the test began; one test runs at a time in a process."""


def reached(what: str, condition: object) -> bool:
    """Whether this example came so far, which is counted under `what`; seen with --hypothesis-show-statistics."""
    _answers[what].append(bool(condition))
    event(f"{what}: {'reached' if condition else 'not reached'}")
    return bool(condition)


def reaches(**shares: float) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Fail a property, once its examples have passed, in which too small a share of them `reached` what is named."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def counted(*args: Any, **kwargs: Any) -> None:
            _answers.clear()
            test(*args, **kwargs)
            for what, share in shares.items():
                answers = _answers[what]
                told = f"{what}: reached in {sum(answers)} of {len(answers)} examples, {share:.0%} are wanted"
                assert answers and sum(answers) >= share * len(answers), told

        return counted

    return decorate
