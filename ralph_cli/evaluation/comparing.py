"""Compares two evaluations of the same questions: what is better and what is worse, question by question."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ralph_cli.core.errors import UserError, describe_fault
from ralph_cli.core.prompts.json_reply import describe_validation_error
from ralph_cli.evaluation.results import QuestionResult

Rank = Callable[[QuestionResult], int | None]

_RIGHT = {"yes": 2, "partly": 1, "no": 0}

# The measures that are compared, the higher the better; None cannot be compared.
MEASURES: Mapping[str, Rank] = {
    "right": lambda result: _RIGHT.get(result.grade.right),
    "supported": lambda result: None if result.supported is None else int(result.supported),
    "on_gold": lambda result: None if result.on_gold is None else int(result.on_gold),
}

_WORDS = {
    "right": ("not right", "partly right", "right"),
    "supported": ("not supported", "supported"),
    "on_gold": ("off the gold page", "on the gold page"),
}


@dataclass(frozen=True, slots=True)
class Earlier:
    """An evaluation that was written as JSON: its file, version and models, and the results."""

    file: str
    version: str
    models: dict[str, str]
    results: tuple[QuestionResult, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A question with a different measure: in words, the value in the other evaluation and in this one."""

    id: str
    question: str
    measure: str
    was: str
    now: str
    better: bool


@dataclass(frozen=True, slots=True)
class Paired:
    """A measure over the questions for which both evaluations know it: how many are better, worse and the same."""

    better: int
    worse: int
    same: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """An evaluation compared with another, whose results are in `file`, from `models` of a `version` of ralph.

    `paired` counts the questions that both have, `alone` those of one only; `changes` are the differences.
    """

    file: str
    version: str
    models: dict[str, str]
    paired: int
    alone: int
    measures: dict[str, Paired]
    changes: tuple[Change, ...]
    totals: dict[str, tuple[float | None, float | None]]
    """The totals over the paired questions, of the other evaluation and of this: calls, characters, dollars, seconds.
    """


EARLIER = TypeAdapter(Earlier)


def read_earlier(path: Path) -> Earlier:
    """Read an evaluation that was written as JSON. Raises UserError."""
    try:
        value: Any = json.loads(path.read_text("utf-8"))
        fields = {name: value[name] for name in ("version", "models", "results")}
        return EARLIER.validate_json(json.dumps({"file": str(path)} | fields))
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        why = "is no evaluation"
        if isinstance(error, ValidationError):
            why += f": {describe_validation_error(error)}"
        elif isinstance(error, OSError | ValueError):
            why = describe_fault(error)
        hint = "name what `ralph eval ... -o FILE` has written"
        raise UserError(f"{path} {why}", code="no-evaluation", hint=hint) from error


def compare(before: Earlier, now: Sequence[QuestionResult]) -> Comparison:
    """The differences between two results of the same questions: those with the same id and wording."""
    earlier = {(result.id, result.question): result for result in before.results if _usable(result)}
    current = {(result.id, result.question): result for result in now if _usable(result)}
    pairs = [(earlier[key], result) for key, result in current.items() if key in earlier]
    measures, changes = {}, []
    for measure, rank in MEASURES.items():
        ranks = [(old, new, rank(old), rank(new)) for old, new in pairs]
        known = [(old, new, was, is_) for old, new, was, is_ in ranks if was is not None and is_ is not None]
        words = _WORDS[measure]
        found = [
            Change(new.id, new.question, measure, words[was], words[is_], is_ > was)
            for _, new, was, is_ in known
            if was != is_
        ]
        better = sum(change.better for change in found)
        measures[measure] = Paired(better, len(found) - better, len(known) - len(found))
        changes += found
    totals = {
        name: (_total(name, [old for old, _ in pairs]), _total(name, [new for _, new in pairs]))
        for name in ("calls", "characters", "usd", "seconds")
    }
    alone = len(earlier.keys() ^ current.keys())
    return Comparison(before.file, before.version, before.models, len(pairs), alone, measures, tuple(changes), totals)


def _usable(result: QuestionResult) -> bool:
    return not result.error and not result.cut_off


def _total(name: str, results: Sequence[QuestionResult]) -> float | None:
    """The sum over the results; None if one is unknown."""
    values = [result.seconds if name == "seconds" else getattr(result.usage, name) for result in results]
    return None if None in values else round(sum(values), 6)
