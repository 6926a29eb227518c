"""What a run will likely cost, printed instead of making it."""

from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.parameters.options import result_option
from ralph_cli.reports.safe_text import pick, to_json

if TYPE_CHECKING:
    from ralph_cli.config import Settings
    from ralph_cli.documents.source import DocumentSource
    from ralph_cli.wiring.estimating import CostEstimate

Estimate = Annotated[
    bool, result_option("--estimate", help="Say what it will likely cost, and how that is known, and send nothing.")
]


def print_estimate(settings: "Settings", mode: str, source: "DocumentSource | None", *, json: bool) -> int:
    """Print low, likely and high cost of a run of that mode on the document; nothing is sent."""
    from ralph_cli.runs.opening import load_documents

    characters = len(load_documents(source, settings).load().text) if source else 0
    found = _estimate(settings, mode, characters)
    if json:
        usd = pick(found, "low", "likely", "high", "bound")
        typer.echo(to_json({"estimate": {"usd": usd, "how": found.how}}))
    else:
        typer.echo(_line(found))
        typer.echo(f"How it is known: {found.how}. Nothing was sent.")
    return 0


def describe_estimate(settings: "Settings", mode: str, characters: int) -> str:
    """In one line what a run of that mode over so many characters will likely cost."""
    return _line(_estimate(settings, mode, characters))


def _estimate(settings: "Settings", mode: str, characters: int) -> "CostEstimate":
    from ralph_cli.runs.history import recorded_costs
    from ralph_cli.wiring.estimating import estimate_cost
    from ralph_cli.wiring.models import choose_models

    names = choose_models(settings)
    is_goal = mode == "goal"
    past = recorded_costs(settings.out, mode, names.worker, "" if is_goal else names.judge)
    return estimate_cost(settings, names, characters, past, is_goal=is_goal)


def _line(found: "CostEstimate") -> str:
    bound = f"; the bound is ${found.bound:g}" if found.bound is not None else "; there is no bound in dollars"
    if found.low is None or found.likely is None or found.high is None:
        return f"The cost is not known: a model has no price (--prices gives one){bound}."
    if not found.high:
        return "It costs nothing: no model of a vendor is asked."
    return f"Likely ${found.likely:.4f} (low ${found.low:.4f}, high ${found.high:.4f}){bound}."
