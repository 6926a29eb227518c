"""Renders the summary of a finished table: its states, open cells, cost, and which file to open first."""

from collections.abc import Iterator, Mapping

from ralph_cli.core.results.table import CellState, Table
from ralph_cli.reports.safe_text import Styled, one_line
from ralph_cli.reports.table.words import STATES, count_states, describe_cost, describe_size, explain

# Cells named of those that need attention.
MAX_TOLD = 5

_STYLES = {"good": "green", "warn": "yellow", "bad": "bold red"}
_WANT_A_LOOK = (CellState.FAILED, CellState.REFUSED, CellState.UNJUDGED, CellState.CUT_OFF)


def table_lines(table: Table, files: Mapping[str, str], made: int) -> Iterator[list[Styled]]:
    """The summary, a line at a time. `files` are paths by kind; `made` counts new files of evidence."""
    yield [(f"{describe_size(table)}: ", "bold"), (one_line(table.halt.detail), "")]
    for state, count in count_states(table).items():
        words = STATES[state]
        yield [(f"{count:>7,}  ", ""), (words.words, _STYLES.get(words.kind, "")), (f"  {words.meaning}", "dim")]
    yield [(f"Cost: {describe_cost(table)}", "dim")]
    wanting = [cell for cell in table if cell.state in _WANT_A_LOOK]
    if wanting:
        yield []
        for cell in wanting[:MAX_TOLD]:
            why = one_line(next(explain(cell), ""), 160)
            where = f"{one_line(cell.row, 60)} / {one_line(cell.question)}"
            yield [(f"{STATES[cell.state].words}: ", "yellow"), (f"{where}: {why}", "")]
        if (more := len(wanting) - MAX_TOLD) > 0:
            yield [(f"and {more:,} more: see the sheet Problems, or table.md", "dim")]
    yield []
    if first := files.get("html"):
        yield [("Open first: ", "bold"), (one_line(first), "")]
    names = [path for name, path in files.items() if name not in ("html", "evidence")]
    if names:
        yield [(f"The same as {', '.join(map(one_line, names))}", "dim")]
    if "evidence" in files:
        new = f" ({made:,} new files)" if made else ""
        yield [(f"Evidence of each cell{new}: {one_line(files['evidence'])}", "dim")]
