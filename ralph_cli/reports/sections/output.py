"""How the output of a task is handed over."""

from ralph_cli.reports.view import RunView
from ralph_cli.text.csv_cells import without_formulas


def payload(view: RunView) -> str:
    """The output to be handed over: as it is, but that no cell of a CSV is a formula to a spreadsheet."""
    text = without_formulas(view.output) if view.format == "csv" else view.output
    return text if not text or text.endswith("\n") else f"{text}\n"
