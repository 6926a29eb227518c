"""A test of the judge: claims that are true, claims made false, what the judge said of each, and rates of it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ralph_cli.core.model import Usage
from ralph_cli.core.run import Halt, Ruling

TRUE_KIND = "true"  # the kind of a claim that was not changed

# What can be made false: whether, how much, who or where, how generally, and when.
FALSEHOOD_KINDS = ("negation", "number", "entity", "scope", "time")

_Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution: for an interval of 95 %


@dataclass(frozen=True, slots=True)
class Case:
    """One claim that the judge is asked about. `number` counts from 1.

    `kind` is "true", or the kind of falsehood that was put in; `truth` is the claim before that, the same in all cases
    of one claim. `quotes` prove the truth.
    """

    number: int
    kind: str
    text: str
    truth: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of `asked`; of nothing asked there is no rate."""

    hits: int
    asked: int

    @property
    def share(self) -> float | None:
        """Between 0 and 1."""
        return self.hits / self.asked if self.asked else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson score interval at 95 %: shares with which what was seen is not surprising.

        E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
        Statistical Association 22 (1927), 209-212. It holds for independent cases; those made of one claim are not
        quite, so the truth is rather wider.
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
    """What the judge said of one case; `ruling` is None when it gave no usable verdict on it, or was not asked."""

    case: Case
    ruling: Ruling | None

    @property
    def accepted(self) -> bool:
        """Whether the judge accepts the claim."""
        return self.ruling is not None and self.ruling.verdict.passes


@dataclass(frozen=True, slots=True)
class JudgeTest:
    """How a judge did. `modelled` is False for the offline judge, which compares words: its rates are of no model.

    `refused` counts replies that could not be used, `broken` holds why a batch was left without any verdict. `seconds`
    are those of the model calls.
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
        """The cases on which there is a verdict."""
        return tuple(result for result in self.results if result.ruling is not None)

    @property
    def usable(self) -> bool:
        """Whether a model has said something of a claim: without that the rates mean nothing."""
        return self.modelled and bool(self.judged)

    @property
    def kinds(self) -> dict[str, Rate]:
        """For each kind of falsehood how many of the claims on which there is a verdict were caught."""
        by_kind = {kind: [item for item in self.judged if item.case.kind == kind] for kind in FALSEHOOD_KINDS}
        return {kind: _refusal_rate(results) for kind, results in by_kind.items()}

    @property
    def caught(self) -> Rate:
        """The same over all kinds."""
        return _refusal_rate(result for result in self.judged if result.case.kind != TRUE_KIND)

    @property
    def false_alarms(self) -> Rate:
        """How many of the true claims were refused."""
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
