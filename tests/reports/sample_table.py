"""A table with a cell in each state, of which a test may replace the words and have more rows."""

from pathlib import Path

from sample_run import Words

from ralph_cli.core.model import Usage
from ralph_cli.core.results.table import (
    ALL_DOCUMENTS,
    Cell,
    CellQuote,
    CellState,
    Table,
    TableQuestion,
    TableRow,
    Value,
)
from ralph_cli.core.run import Halt, StopType

WHY = {
    CellState.ABSENT: "it names no law",
    CellState.PASSAGES: "passages that may answer; no language model has read them",
    CellState.NO_PASSAGES: "no passage was found",
    CellState.UNJUDGED: "the judge gave no verdict",
    CellState.REFUSED: "the claim says more than its quotes",
    CellState.CUT_OFF: "the cost would pass its bound",
    CellState.FAILED: "the service did not answer",
}


def sample_table(words: Words | None = None, rows: int = 1) -> Table:
    """The questions: one in each state, four with typed values, one to all documents."""
    words = words or Words()
    typed = {
        "days": ("number", Value(text="1,045 days", number=1045, unit="days")),
        "fee": ("money", Value(text="EUR 5.1 million per year", number=5_100_000, unit="EUR per year")),
        "end": ("date", Value(text="2027-05-31")),
        "renewal": ("yes/no", Value(text="yes")),
        "share": ("number", Value(problem="its first claim has two numbers")),
    }
    questions = [TableQuestion(id=state.value.replace(" ", "-"), question=words.question) for state in CellState]
    questions += [
        TableQuestion(id=name, question=f"What is the {name}?", type=kind) for name, (kind, _) in typed.items()
    ]
    questions.append(TableQuestion(id="law", question=words.question, each="set"))
    names = [words.path, *(f"{number}-{words.path}" for number in range(1, rows))]
    listed = [TableRow(name=name, path=name, sha256="a" * 64, kind="pdf", pages=30) for name in names]
    listed += [
        TableRow(name="broken.pdf", path="broken.pdf", fault="it is damaged"),
        TableRow(name=ALL_DOCUMENTS, path=".", sha256="b" * 64),
    ]
    cells = {}
    for name in names:
        for state, question in zip(CellState, questions, strict=False):
            if state is not CellState.PENDING:
                cells[name, question.id] = _cell(words, name, question.id, state)
        for key, (_, value) in typed.items():
            state = CellState.QUALIFIED if key == "days" else CellState.ANSWERED
            cells[name, key] = _cell(words, name, key, state, value)
    cells[ALL_DOCUMENTS, "law"] = _cell(words, ALL_DOCUMENTS, "law", CellState.ANSWERED)
    return Table(
        folder=Path("out/table"),
        questions=tuple(questions),
        rows=tuple(listed),
        cells=cells,
        halt=Halt(StopType.COMPLETION, "every cell was asked"),
    )


def _cell(words: Words, row: str, question: str, state: CellState, value: Value | None = None) -> Cell:
    answered = state in (CellState.ANSWERED, CellState.QUALIFIED, CellState.PASSAGES)
    page = f"evidence/{row[:20]}/{question}.html"
    link = f"evidence/{row[:20]}/annotated.pdf#page=2"
    return Cell(
        row=row,
        question=question,
        state=state,
        answer=words.claim if answered else "",
        value=value,
        quotes=(CellQuote(words.quote, "p. 2 (printed ii)", page=2, link=link),) * 2 if answered else (),
        reason=WHY.get(state, ""),
        notes=(f"qualified elsewhere: {words.reason}",) if state is CellState.QUALIFIED else (),
        searched=(f'"{words.term}": 0',) if state is CellState.ABSENT else (),
        run="r-1",
        usage=Usage() if "passages" in state.value else Usage(3, 3600, 220, usd=0.0363),
        seconds=5.5,
        evidence=page,
    )
