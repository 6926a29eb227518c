"""Estimate how many cells of a table are still to be asked, and their cost, before anything is sent."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from ralph_cli.config import Settings
from ralph_cli.core.results.table import CellState
from ralph_cli.runs.history import recorded_costs
from ralph_cli.table.record import KnownCells, TableRecord
from ralph_cli.table.run import pending_questions
from ralph_cli.wiring.estimating import CostEstimate, PastRun, estimate_cost, total
from ralph_cli.wiring.models import ModelNames


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEstimate:
    """The number of cells to ask, of how many documents, and the cost in US dollars: low, likely, high (None: a price
    is unknown).

    `by_model` has the likely and the high cost of each model. `how` describes the estimate. `bound` is that of the
    whole table.
    """

    cells: int
    documents: int
    low: float | None
    likely: float | None
    high: float | None
    by_model: dict[str, tuple[float, float]] = field(default_factory=dict)
    how: tuple[str, ...] = ()
    bound: float | None = None


def estimate_table(
    record: TableRecord, known: KnownCells, settings: Settings, names: ModelNames, again: Collection[CellState] = ()
) -> TableEstimate:
    """Return the estimate for filling a table. Nothing is sent."""
    past = _past_runs(record, settings, names)
    found: list[CostEstimate] = []
    documents = 0
    for row in record.rows:
        asked = len(pending_questions(record, known, row, again))
        documents += bool(asked)
        for number in range(asked):
            found.append(estimate_cost(settings, names, row.characters, past, is_first=number == 0))
    by_model: dict[str, tuple[float, float]] = {}
    for each in found:
        for model, (likely, high) in each.by_model.items():
            before = by_model.get(model, (0.0, 0.0))
            by_model[model] = before[0] + likely, before[1] + high
    low, likely_usd, high_usd = (total([getattr(each, name) for each in found]) for name in ("low", "likely", "high"))
    return TableEstimate(
        cells=len(found),
        documents=documents,
        low=low,
        likely=likely_usd,
        high=high_usd,
        by_model=by_model,
        how=tuple(dict.fromkeys(each.how.partition("; ")[2] for each in found)),
        bound=found[0].bound if found else None,
    )


def _past_runs(record: TableRecord, settings: Settings, names: ModelNames) -> list[PastRun]:
    """Return the cost of similar runs: of the table itself, else of the folder of runs."""
    folders: list[Path] = [record.runs_of(row.sha256) for row in record.rows if row.sha256]
    own = [run for folder in folders for run in recorded_costs(folder, "qa", names.worker, names.judge)]
    return own or recorded_costs(settings.out, "qa", names.worker, names.judge)
