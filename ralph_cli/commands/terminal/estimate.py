"""Prints what a run or a table will likely cost, instead of making it."""

from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.parameters.options import result_option
from ralph_cli.reports.safe_text import pick, to_json

if TYPE_CHECKING:
    from ralph_cli.config import Settings
    from ralph_cli.documents.source import DocumentSource
    from ralph_cli.table.estimate import TableEstimate
    from ralph_cli.wiring.estimating import CostEstimate

Estimate = Annotated[
    bool, result_option("--estimate", help="Print what it will likely cost, and how that is known; send nothing.")
]


def print_estimate(settings: "Settings", mode: str, source: "DocumentSource | None", *, json: bool) -> int:
    """Print the low, likely and high cost of a run of this mode on the document. Nothing is sent."""
    from ralph_cli.runs.opening import load_documents

    characters = len(load_documents(source, settings).load().text) if source else 0
    found = _estimate(settings, mode, characters)
    if json:
        usd = pick(found, "low", "likely", "high", "bound")
        typer.echo(to_json({"estimate": {"usd": usd, "how": found.how}}))
    else:
        typer.echo(f"{_line(found)}\nHow it is known: {found.how}. Nothing was sent.")
    return 0


def print_table_estimate(found: "TableEstimate", *, json: bool) -> int:
    """Print the number of cells, and their low, likely and high cost, in total and by model."""
    from ralph_cli.text.lexicon import pluralize

    if json:
        usd = pick(found, "low", "likely", "high", "bound")
        by_model = {model: {"likely": likely, "high": high} for model, (likely, high) in found.by_model.items()}
        shown = {**pick(found, "cells", "documents"), "usd": usd, "by_model": by_model, "how": found.how}
        typer.echo(to_json({"estimate": shown}))
        return 0
    lines = [f"{pluralize(found.cells, 'cell')} of {pluralize(found.documents, 'document')} would be asked."]
    lines.append(_line(found))
    if found.high:
        lines += [f"  {model}: likely ${usd[0]:.4f}, high ${usd[1]:.4f}" for model, usd in found.by_model.items()]
    lines += [f"How it is known: {line}." for line in found.how]
    typer.echo("\n".join([*lines, "Nothing was sent."]))
    return 0


def describe_estimate(settings: "Settings", mode: str, characters: int) -> str:
    """Return in one line what a run of this mode over so many characters will likely cost."""
    return _line(_estimate(settings, mode, characters))


def _estimate(settings: "Settings", mode: str, characters: int) -> "CostEstimate":
    from ralph_cli.runs.history import recorded_costs
    from ralph_cli.wiring.estimating import estimate_cost
    from ralph_cli.wiring.models import choose_models

    names = choose_models(settings)
    is_goal = mode == "goal"
    past = recorded_costs(settings.out, mode, names.worker, "" if is_goal else names.judge)
    return estimate_cost(settings, names, characters, past, is_goal=is_goal)


def _line(found: "CostEstimate | TableEstimate") -> str:
    bound = f"; the bound is ${found.bound:g}" if found.bound is not None else "; there is no bound in dollars"
    if found.low is None or found.likely is None or found.high is None:
        return f"The cost is not known: a model has no price (--prices gives one){bound}."
    if not found.high:
        return "It costs nothing: no model of a vendor is asked."
    return f"Likely ${found.likely:.4f} (low ${found.low:.4f}, high ${found.high:.4f}){bound}."
