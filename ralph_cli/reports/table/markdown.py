"""Renders a table as Markdown: the number of cells in each state, the matrix, and open cells with reasons."""

from collections.abc import Iterator

from ralph_cli.core.results.table import Cell, CellState, Table, TableRow
from ralph_cli.reports.markdown import escape_markdown
from ralph_cli.reports.table.words import (
    STATES,
    as_sentence,
    count_states,
    describe_cost,
    describe_size,
    explain,
    first_place,
    open_cells,
)

# Characters of an answer in the matrix; the other files have all of it.
MAX_SHOWN = 200


def table_markdown(table: Table, made_at: str, version: str) -> str:
    """The whole summary, in which foreign text is only text."""
    return "\n".join(_lines(table, made_at, version)).rstrip() + "\n"


def _lines(table: Table, made_at: str, version: str) -> Iterator[str]:
    size = describe_size(table)
    yield from (
        f"# Table: {size}",
        "",
        f"{escape_markdown(as_sentence(table.halt.detail))} Cost: {describe_cost(table)}.",
        "",
    )
    yield from ("| State | Cells | |", "| --- | ---: | --- |")
    for state, count in count_states(table).items():
        yield f"| {STATES[state].words} | {count:,} | {STATES[state].meaning} |"
    yield from ("", "## Questions", "")
    for question in table.questions:
        yield f"- **{escape_markdown(question.id)}**: {escape_markdown(question.question)}"
    yield from ("", "## Answers", "")
    yield f"| Document | {' | '.join(escape_markdown(question.id) for question in table.questions)} |"
    yield f"| --- |{' --- |' * len(table.questions)}"
    for row in table.rows:
        yield f"| {escape_markdown(row.name)} | {' | '.join(_row_cells(table, row))} |"
    yield from ("", *_open_lines(table), f"Made {made_at} by ralph {escape_markdown(version)}.")


def _row_cells(table: Table, row: TableRow) -> Iterator[str]:
    own = table.of_each(row)
    return (_shown(table.cell(row, question)) if question in own else "" for question in table.questions)


def _shown(cell: Cell) -> str:
    state = "" if cell.state is CellState.ANSWERED else f"**{STATES[cell.state].words}**"
    text = "" if cell.reason and not cell.answer else escape_markdown(_cut(cell.shown))
    place = f"({escape_markdown(first_place(cell))})" if cell.quotes else ""
    return " ".join(part for part in (state, text, place) if part)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def _open_lines(table: Table) -> Iterator[str]:
    """The cells that are not simply answered, by state, each with its explanation."""
    cells = list(open_cells(table))
    for state in count_states(table):
        found = [cell for cell in cells if cell.state is state]
        if not found:
            continue
        words = STATES[state].words
        yield from (f"## {words[:1].upper()}{words[1:]}, and why", "")
        for cell in found:
            reasons = "; ".join(escape_markdown(line) for line in explain(cell))
            yield f"- {escape_markdown(cell.row)} / {escape_markdown(cell.question)}: {reasons}"
        yield ""
