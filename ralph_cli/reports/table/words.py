"""Describes the cells of a table: their states, why some are open, and their cost."""

from collections.abc import Iterator
from dataclasses import dataclass

from ralph_cli.core.model import Usage
from ralph_cli.core.results.review import Mark
from ralph_cli.core.results.table import Cell, CellState, Table
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.text.lexicon import pluralize


@dataclass(frozen=True, slots=True)
class StateWords:
    """A state in a few words and in a sentence; `kind` is "good", "plain", "note", "warn", "bad" or "soft"."""

    words: str
    meaning: str
    kind: str


STATES = {
    CellState.ANSWERED: StateWords("answered", "The answer and its quotes passed every check.", "good"),
    CellState.QUALIFIED: StateWords(
        "answered, qualified", "Accepted, but other passages of the document limit or contradict it.", "warn"
    ),
    CellState.ABSENT: StateWords(
        "not in the document", "The document does not say it, as far as the searches that were made can tell.", "note"
    ),
    CellState.PASSAGES: StateWords(
        "passages only", "Passages that may answer; no language model has read them.", "plain"
    ),
    CellState.NO_PASSAGES: StateWords(
        "no passage found", "A search for words found nothing; no language model has looked.", "note"
    ),
    CellState.UNJUDGED: StateWords("not judged", "No judge has confirmed what its evidence shows.", "warn"),
    CellState.REFUSED: StateWords("not accepted", "A check refused what its evidence shows.", "bad"),
    CellState.CUT_OFF: StateWords("cut off", "It met a bound, or was interrupted; --resume continues it.", "warn"),
    CellState.FAILED: StateWords("failed", "Something went wrong: the document, or a service.", "bad"),
    CellState.PENDING: StateWords("not asked", "Nobody has asked yet; --resume does.", "soft"),
}


def count_states(table: Table) -> dict[CellState, int]:
    """The number of cells in each state that occurs, the best state first."""
    states = [cell.state for cell in table]
    return {state: states.count(state) for state in CellState if state in states}


def describe_outcome(table: Table) -> tuple[str, str]:
    """The outcome of the table in a few words, and its kind."""
    counts = count_states(table)
    if counts.keys() <= {CellState.PASSAGES, CellState.NO_PASSAGES}:
        return "Passages only: no language model took part", "plain"
    accepted = sum(count for state, count in counts.items() if state.is_accepted)
    return f"{accepted:,} of {pluralize(len(table), 'cell')} accepted", "good" if accepted == len(table) else "warn"


def describe_size(table: Table) -> str:
    """The numbers of documents, questions and cells."""
    documents = sum(not row.is_set for row in table.rows)
    named = pluralize(len(table.questions), "question"), pluralize(documents, "document")
    return f"{named[0]} to {named[1]}, {pluralize(len(table), 'cell')}"


def describe_cost(table: Table) -> str:
    """The cost of the cells, in a few words."""
    usage = sum((cell.usage for cell in table), Usage())
    if not usage.calls:
        return "no model was called"
    money = "at an unknown price" if usage.usd is None else f"${usage.usd:,.4f}"
    return f"{pluralize(usage.calls, 'call')}, {money}"


def reason(cell: Cell) -> str:
    """The reason why there is no accepted answer; empty if the state says it all."""
    return "" if cell.state in (CellState.PASSAGES, CellState.NO_PASSAGES) else cell.reason


def explain(cell: Cell) -> Iterator[str]:
    """What a reader should know beside an answer: why there is none, its limits, the searches, and reviews."""
    yield from _limits(cell)
    yield from describe_reviews(cell.reviews)


def _limits(cell: Cell) -> Iterator[str]:
    if why := reason(cell):
        yield why
    if cell.value is not None and cell.value.problem:
        yield f"no value could be read from the answer: {cell.value.problem}"
    yield from cell.notes
    if cell.searched:
        yield f"searched, with the places found: {', '.join(cell.searched)}"


def open_cells(table: Table) -> Iterator[Cell]:
    """The cells with more to say than an answer or found passages, and a person's confirmation."""
    plain = CellState.ANSWERED, CellState.PASSAGES
    return (
        cell
        for cell in table
        if cell.state not in plain
        or any(_limits(cell))
        or any(review.mark is not Mark.CONFIRMED for review in cell.reviews)
    )


def first_place(cell: Cell) -> str:
    """The place of the first quote; empty without quotes."""
    return cell.quotes[0].place if cell.quotes else ""


def as_sentence(text: str) -> str:
    """A reason as a sentence."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
