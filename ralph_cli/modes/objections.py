"""The claims to which code has objected: only of those may a worker say why it stands by them."""

from collections.abc import Sequence
from dataclasses import field, replace

from ralph_cli.checks.figures.check import NAME
from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.run import Attempt, Draft, Issue

_DIGITS = re.compile(r"\d+")
ClaimFigures = tuple[str, ...] | str
"""The figures of a claim, in order of size; without any its words."""


@dataclass(slots=True)
class Objections:
    """What a worker was told of figures that code does not confirm.

    Whoever gives reasons unasked has not heard what speaks against the claim, so such reasons are left out, and the
    objection is told once. A claim with the same figures in other words is the same claim.
    """

    _told: set[ClaimFigures] = field(default_factory=set)

    def admit(self, draft: Draft) -> Draft:
        """The draft without the reasons of claims to which nobody has objected."""
        claims = [
            claim if _figures_of(claim.text) in self._told else replace(claim, because="") for claim in draft.claims
        ]
        return replace(draft, claims=tuple(claims))

    def add(self, attempt: Attempt, issues: Sequence[Issue]) -> None:
        """Note to which claims of an attempt the check of figures has objected."""
        objected = {issue.claim for issue in issues if issue.check == NAME}
        self._told |= {_figures_of(claim.text) for claim in attempt.claims if claim.id in objected}


def _figures_of(text: str) -> ClaimFigures:
    return tuple(sorted(_DIGITS.findall(text))) or " ".join(text.split()).casefold()
