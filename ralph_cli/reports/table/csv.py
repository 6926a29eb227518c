"""Renders a table as CSV: a matrix with a row for each document, and a list with a row for each cell."""

from ralph_cli.core.results.table import ALL_DOCUMENTS, Cell, Table, TableQuestion, TableRow
from ralph_cli.reports.csv import write_csv
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.reports.table.words import STATES, first_place

ASKED_COLUMNS = ("document", "id", "question", "type")
ANSWER_COLUMNS = ("state", "accepted", "value", "number", "unit", "problem", "answer")
PROOF_COLUMNS = ("place", "quote", "quotes", "evidence")
REASON_COLUMNS = ("reason", "notes", "searched", "reviews")
RUN_COLUMNS = ("run", "calls", "usd", "seconds")
CELL_COLUMNS = (*ASKED_COLUMNS, *ANSWER_COLUMNS, *PROOF_COLUMNS, *REASON_COLUMNS, *RUN_COLUMNS)


def matrix_csv(table: Table) -> str:
    """A row for each document, and for each question three columns: the value or the answer, the cell's state, and the
    place of its first quote or the reason why there is none. CSV as `write_csv` makes it.
    """
    named = [(question.id, f"{question.id}: state", f"{question.id}: place or reason") for question in table.questions]
    lines: list[list[str | int]] = [["document", *(name for names in named for name in names)]]
    for row in table.rows:
        lines.append([row.name, *(part for question in table.questions for part in _three(table, row, question))])
    return write_csv(lines)


def cells_csv(table: Table) -> str:
    """A row for each cell with all of its data but further quotes. CSV as `write_csv` makes it."""
    questions = {question.id: question for question in table.questions}
    return write_csv([CELL_COLUMNS, *(_cell_row(cell, questions[cell.question]) for cell in table)])


def _three(table: Table, row: TableRow, question: TableQuestion) -> tuple[str, str, str]:
    if question not in table.of_each(row):
        return "", f"asked of {ALL_DOCUMENTS}" if question.each == "set" else "asked of each document", ""
    cell = table.cell(row, question)
    return cell.shown if cell.answer else "", STATES[cell.state].words, first_place(cell) or cell.reason


def _cell_row(cell: Cell, question: TableQuestion) -> tuple[str | int, ...]:
    value = cell.value
    number = "" if value is None or value.number is None else f"{value.number:.15g}"
    money = "" if cell.usage.usd is None else f"{cell.usage.usd:.6f}"
    return (
        *(cell.row, question.id, question.question, question.type),
        *(cell.state.value, "yes" if cell.state.is_accepted else "no"),
        *((value.text, number, value.unit, value.problem) if value else ("",) * 4),
        *(cell.answer, first_place(cell), cell.quotes[0].text if cell.quotes else "", len(cell.quotes), cell.evidence),
        *(cell.reason, "\n".join(cell.notes), "\n".join(cell.searched)),
        "\n".join(describe_reviews(cell.reviews)),
        *(cell.run, cell.usage.calls, money, f"{cell.seconds:.3f}"),
    )
