"""A test of the judge: true and falsified claims, the judge's verdicts on them, and the resulting rates."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ralph_cli.core.model import Usage
from ralph_cli.core.run import Halt, Ruling

TRUE_KIND = "true"  # the kind of a claim that was not changed

# What can be falsified: whether, how much, who or where, how generally, and when.
FALSEHOOD_KINDS = ("negation", "number", "entity", "scope", "time")

_Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution, for a 95 % interval


@dataclass(frozen=True, slots=True)
class Case:
    """One claim that the judge is asked about. `number` counts from 1.

    `kind` is "true" or the kind of falsehood in the claim. `truth` is the original claim, the same in all cases made
    from it. `quotes` prove the truth.
    """

    number: int
    kind: str
    text: str
    truth: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """The number of `hits` among the cases `asked`. There is no rate if none was asked."""

    hits: int
    asked: int

    @property
    def share(self) -> float | None:
        """The share of hits, between 0 and 1; None if nothing was asked."""
        return self.hits / self.asked if self.asked else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson score interval at 95 %; None if nothing was asked.

        E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
        Statistical Association 22 (1927), 209-212. It assumes independent cases. Cases made from the same claim are not
        quite independent, so the true interval is rather wider.
        """
        if not self.asked:
            return None
        n, p, z = self.asked, self.hits / self.asked, _Z
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        low = 0.0 if self.hits == 0 else max(middle - half, 0.0)
        high = 1.0 if self.hits == n else min(middle + half, 1.0)
        return low, high


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The judge's ruling on one case; None if the judge gave no usable verdict or was not asked."""

    case: Case
    ruling: Ruling | None

    @property
    def accepted(self) -> bool:
        """Whether the judge accepts the claim."""
        return self.ruling is not None and self.ruling.verdict.passes


@dataclass(frozen=True, slots=True)
class JudgeTest:
    """The result of testing a judge. `modelled` is False for the offline judge, which compares words and is no model.

    `refused` counts unusable replies. `broken` has the reason for each batch without any verdict. `seconds` is the time
    of the model calls.
    """

    judge: str
    modelled: bool
    document: str
    seed: int
    results: tuple[CaseResult, ...]
    refused: int
    broken: tuple[str, ...]
    halt: Halt
    usage: Usage
    seconds: float
    run: str
    folder: Path

    @property
    def judged(self) -> tuple[CaseResult, ...]:
        """The cases with a verdict."""
        return tuple(result for result in self.results if result.ruling is not None)

    @property
    def usable(self) -> bool:
        """Whether a model gave a verdict on any claim; otherwise the rates mean nothing."""
        return self.modelled and bool(self.judged)

    @property
    def kinds(self) -> dict[str, Rate]:
        """The rate of caught claims for each kind of falsehood, among the claims with a verdict."""
        by_kind = {kind: [item for item in self.judged if item.case.kind == kind] for kind in FALSEHOOD_KINDS}
        return {kind: _refusal_rate(results) for kind, results in by_kind.items()}

    @property
    def caught(self) -> Rate:
        """The rate of caught claims over all kinds."""
        return _refusal_rate(result for result in self.judged if result.case.kind != TRUE_KIND)

    @property
    def false_alarms(self) -> Rate:
        """The rate of refused claims among the true ones."""
        return _refusal_rate(result for result in self.judged if result.case.kind == TRUE_KIND)

    @property
    def missed(self) -> tuple[CaseResult, ...]:
        """The false claims that the judge accepted."""
        return tuple(result for result in self.judged if result.case.kind != TRUE_KIND and result.accepted)

    @property
    def alarms(self) -> tuple[CaseResult, ...]:
        """The true claims that the judge refused."""
        return tuple(result for result in self.judged if result.case.kind == TRUE_KIND and not result.accepted)


def _refusal_rate(results: Iterable[CaseResult]) -> Rate:
    refused = [not result.accepted for result in results]
    return Rate(sum(refused), len(refused))
