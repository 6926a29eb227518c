"""A table: the same questions asked about many documents, and the state of each cell."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from ralph_cli.core.errors import ConfigError
from ralph_cli.core.model import Usage
from ralph_cli.core.results.review import Review
from ralph_cli.core.run import Halt

# The type of an answer; "text" accepts any answer.
AnswerType = Literal["text", "yes/no", "number", "date", "money", "list", "choice"]

ALL_DOCUMENTS = "all documents"  # the row's name for questions about all documents together


HEDGES = ("at least", "at most", "about")  # words that may precede the text of a value


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuestion:
    """A question of a table. `id` names its column; `unit` is the unit of a number or an amount of money.

    If `each` is "set", the question is asked once, about all documents together.
    """

    id: str
    question: str
    type: AnswerType = "text"
    unit: str = ""
    choices: tuple[str, ...] = ()
    each: Literal["document", "set"] = "document"

    @property
    def answer_as(self) -> str:
        """The required form of the answer in words, for the worker; see the setting of that name."""
        match self.type:
            case "yes/no":
                return "yes or no"
            case "number":
                return f"one number, in {self.unit}" if self.unit else "one number"
            case "date":
                return "one date, as exact as the document has it"
            case "money":
                return f"one amount of money, in {self.unit}" if self.unit else "one amount of money, with its currency"
            case "choice":
                return f"one of these: {'; '.join(self.choices)}"
            case "list":
                return "a list"
            case _:
                return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """The typed value of an answer, which code parses from the answer's words.

    `text` is for people: "45 days", "2027-05-31", "EUR 5.1 million", "yes". `number` is a number or an amount in `unit`
    (5100000.0 for "EUR 5.1 million"). `items` are those of a list. `problem` says why there is no value; the other
    fields are then empty.
    """

    text: str = ""
    number: float | None = None
    unit: str = ""
    items: tuple[str, ...] = ()
    problem: str = ""

    @property
    def hedge(self) -> str:
        """The words before the value that limit it, such as "at least"; often empty. Without them the value would
        overstate the answer.
        """
        return next((words for words in HEDGES if self.text.startswith(f"{words} ")), "")

    @property
    def plain(self) -> str | float | bool | list[str] | None:
        """The value in machine-readable form; None if there is none."""
        if self.problem:
            return None
        if self.number is not None:
            return self.number
        if self.items:
            return list(self.items)
        return {"yes": True, "no": False}.get(self.text, self.text)


class CellState(StrEnum):
    """The state of a cell. ANSWERED, QUALIFIED and ABSENT passed every check.

    QUALIFIED is an accepted answer that other passages of the document limit or add to. PASSAGES and NO_PASSAGES are
    results of the built-in search, which no language model has read. REFUSED ran and was not accepted. CUT_OFF reached
    a limit or was interrupted.
    """

    ANSWERED = "answered"
    QUALIFIED = "qualified"
    ABSENT = "absent"
    PASSAGES = "passages"
    NO_PASSAGES = "no passages"
    UNJUDGED = "unjudged"
    REFUSED = "refused"
    CUT_OFF = "cut off"
    FAILED = "failed"
    PENDING = "not asked"

    @property
    def is_final(self) -> bool:
        """Whether the cell needs no more work, unless a person asks for it again."""
        return self not in (CellState.CUT_OFF, CellState.PENDING)

    @property
    def is_accepted(self) -> bool:
        """Whether the answer passed every check."""
        return self in (CellState.ANSWERED, CellState.QUALIFIED, CellState.ABSENT)


@dataclass(frozen=True, slots=True)
class CellQuote:
    """A quote that supports a cell: its words, its location, and its document in a set.

    `page` counts from 1 in the file; it is 0 without pages. `link` is the page of the highlighted copy, relative to the
    table's folder.
    """

    text: str
    place: str
    document: str = ""
    page: int = 0
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One question about one document: `row` is the document's name, `question` the question's id.

    `answer` is the answer that was accepted or found. `reason` says why there is no accepted answer; `notes` are
    further remarks on one. `searched` has, for an absence, the search terms and their number of hits. `evidence` is the
    page with the proof, relative to the table's folder. `run` is empty if the question was not asked. `reviews` are
    people's later reviews. `figures` names the source of each figure of the answer.
    """

    row: str
    question: str
    state: CellState = CellState.PENDING
    answer: str = ""
    value: Value | None = None
    quotes: tuple[CellQuote, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    run: str = ""
    models: tuple[str, ...] = ()
    usage: Usage = Usage()
    seconds: float = 0.0
    evidence: str = ""
    reviews: tuple[Review, ...] = ()
    figures: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The text of the cell for people: the value, otherwise the answer, otherwise the reason why there is none."""
        if self.value is not None and self.value.text:
            return self.value.text
        return self.answer or self.reason or self.state.value

    @property
    def accepted_value(self) -> str | float | bool | list[str] | None:
        """The value of an accepted answer, or its words if the question has no type; otherwise None."""
        if not self.state.is_accepted or self.state is CellState.ABSENT:
            return None
        return self.value.plain if self.value is not None else self.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class CellChange:
    """An answer from an earlier version of a document, verified against the current version.

    `run` is the run of the answer. `quotes` describes what became of each of its quotes (see `Standing`). If it no
    longer `holds`, `why` says why the question is asked again.
    """

    row: str
    question: str
    run: str
    quotes: tuple[str, ...] = ()
    holds: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A document of a table, or all documents together. `fault` says why the document could not be read.

    `path` and `inner` give its location, as in a `DocumentSource`. Without a fault it has a `sha256`.
    """

    name: str
    path: str
    inner: tuple[str, ...] = ()
    sha256: str = ""
    kind: str = ""
    pages: int = 0
    characters: int = 0
    fault: str = ""

    @property
    def is_set(self) -> bool:
        """Whether the row is for all documents together."""
        return self.name == ALL_DOCUMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as stored in its folder. `cells` are keyed by the row's name and the question's id; `halt` says why it
    stopped.

    `changes` are the answers that this session verified in changed documents. `lacking` says what is missing on this
    machine (a key or a sandbox) if the table stopped for that reason.
    """

    folder: Path
    questions: tuple[TableQuestion, ...]
    rows: tuple[TableRow, ...]
    cells: Mapping[tuple[str, str], Cell] = field(default_factory=dict)
    halt: Halt
    changes: tuple[CellChange, ...] = ()
    lacking: str = ""

    def cell(self, row: TableRow, question: TableQuestion) -> Cell:
        """Return the cell of a row and a question. A cell without a record was not asked."""
        known = self.cells.get((row.name, question.id))
        if known is None and row.fault:
            return Cell(row=row.name, question=question.id, state=CellState.FAILED, reason=row.fault)
        return known or Cell(row=row.name, question=question.id, reason="it was not asked yet")

    def of_each(self, row: TableRow) -> tuple[TableQuestion, ...]:
        """Return the questions that are asked for this row."""
        return tuple(question for question in self.questions if (question.each == "set") == row.is_set)

    def __iter__(self) -> Iterator[Cell]:
        """Iterate over all cells, row by row."""
        return (self.cell(row, question) for row in self.rows for question in self.of_each(row))

    def __len__(self) -> int:
        return sum(len(self.of_each(row)) for row in self.rows)

    def to_pandas(self, *, cells: bool = False) -> Any:
        """Return a pandas DataFrame with a row for each document and a column for each question.

        It has the values of accepted answers (numbers as numbers; the answer's words if there is no value), else None.
        With `cells` it has a row for each cell instead, with its state, answer, value, quotes and cost. Raises
        ConfigError if pandas is not installed.
        """
        try:
            frame = import_module("pandas").DataFrame
        except ImportError as error:
            what = f"Table.to_pandas needs pandas, which is not installed ({error})"
            raise ConfigError(what, code="no-extra", hint="pip install pandas") from None
        if cells:
            return frame([_as_record(cell) for cell in self], columns=_COLUMNS)
        values = {(cell.row, cell.question): cell.accepted_value for cell in self}
        names = [question.id for question in self.questions]
        rows = [{name: values.get((row.name, name)) for name in names} for row in self.rows]
        return frame(rows, index=[row.name for row in self.rows], columns=names)


_COLUMNS = ["document", "question", "state", "accepted", "value", "hedge", "unit", "answer", "reason"]
_COLUMNS += ["quotes", "places", "pages", "run", "usd"]


def _as_record(cell: Cell) -> dict[str, object]:
    """Return a cell as a row of plain values."""
    return {
        "document": cell.row,
        "question": cell.question,
        "state": cell.state.value,
        "accepted": cell.state.is_accepted,
        "value": cell.accepted_value,
        "hedge": cell.value.hedge if cell.value else "",
        "unit": cell.value.unit if cell.value else "",
        "answer": cell.answer,
        "reason": cell.reason,
        "quotes": [quote.text for quote in cell.quotes],
        "places": [quote.place for quote in cell.quotes],
        "pages": [quote.page for quote in cell.quotes],
        "run": cell.run,
        "usd": cell.usage.usd,
    }


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """Documents with the same value, list item, unit or reason; `rows` are their names.

    For a list item, `lacking` are the documents whose list does not have it.
    """

    text: str
    rows: tuple[str, ...]
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlier:
    """A value far from the others: the value of the document `row` in words, and the `median` of all values.

    `score` is the distance in the units of the rule, see `table.comparing`; it is negative below the median.
    """

    row: str
    text: str
    median: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A comparison of all documents' answers to one question.

    `values` are the documents' values, or the items of lists, most frequent first. `silent` are the documents that do
    not state it. `unusable` are those without an accepted answer or value, by reason. `units` has more than one entry
    if numbers or amounts cannot be compared because their units differ.
    """

    question: TableQuestion
    values: tuple[DocumentGroup, ...] = ()
    outliers: tuple[Outlier, ...] = ()
    silent: tuple[str, ...] = ()
    unusable: tuple[DocumentGroup, ...] = ()
    units: tuple[DocumentGroup, ...] = ()

    @property
    def compared(self) -> int:
        """The number of documents with a value."""
        return len({row for group in self.values for row in (*group.rows, *group.lacking)})

    @property
    def differs(self) -> bool:
        """Whether two documents give different values."""
        if self.question.type == "list":
            return any(group.lacking for group in self.values)
        return len(self.values) > 1
