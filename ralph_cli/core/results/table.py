"""A table: the same questions put to many documents, and what is known of each cell."""

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

# What an answer is to be; "text" is anything.
AnswerType = Literal["text", "yes/no", "number", "date", "money", "list", "choice"]

ALL_DOCUMENTS = "all documents"  # the name of the row of those questions that are put to the documents together


HEDGES = ("at least", "at most", "about")  # possible words before the text of a value


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuestion:
    """A question of a table; its `id` names the column. `unit` is that of a number or an amount of money.

    With `each` "set" it is put once, to all documents together.
    """

    id: str
    question: str
    type: AnswerType = "text"
    unit: str = ""
    choices: tuple[str, ...] = ()
    each: Literal["document", "set"] = "document"

    @property
    def answer_as(self) -> str:
        """The form of the answer in words, for the worker; see the setting of that name."""
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
    """The typed value of an answer, made by code from its words.

    `text` is what a person reads: "45 days", "2027-05-31", "EUR 5.1 million", "yes". `number` is a number or an amount
    in `unit` (5100000.0 for "EUR 5.1 million"), `items` are those of a list. `problem` says why there is no value; the
    rest is empty then.
    """

    text: str = ""
    number: float | None = None
    unit: str = ""
    items: tuple[str, ...] = ()
    problem: str = ""

    @property
    def hedge(self) -> str:
        """The words before the value without which it says more than the answer did; often none."""
        return next((words for words in HEDGES if self.text.startswith(f"{words} ")), "")

    @property
    def plain(self) -> str | float | bool | list[str] | None:
        """The value for programs; None if there is none."""
        if self.problem:
            return None
        if self.number is not None:
            return self.number
        if self.items:
            return list(self.items)
        return {"yes": True, "no": False}.get(self.text, self.text)


class CellState(StrEnum):
    """What became of a cell. ANSWERED, QUALIFIED and ABSENT passed every check.

    QUALIFIED is an accepted answer to which other passages of the document add something. PASSAGES and NO_PASSAGES are
    what the built-in engine found, which no language model has read. REFUSED ran and was not accepted; CUT_OFF met a
    bound, or was interrupted.
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
        """Whether nothing is left to do for the cell, unless a person asks for it again."""
        return self not in (CellState.CUT_OFF, CellState.PENDING)

    @property
    def is_accepted(self) -> bool:
        """Whether it passed every check."""
        return self in (CellState.ANSWERED, CellState.QUALIFIED, CellState.ABSENT)


@dataclass(frozen=True, slots=True)
class CellQuote:
    """A quote behind a cell: its words, their place, and their document in a set.

    `page` counts from 1 in the file, 0 where there are no pages. `link` is the page of the highlighted copy, relative
    to the table's folder.
    """

    text: str
    place: str
    document: str = ""
    page: int = 0
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One question put to one document: `row` is the document's name, `question` the question's id.

    `answer` is what was accepted or found, `reason` why there is no accepted answer, and what else a reader should know
    of one (`notes`). `searched` tells of an absence what was looked for and how often it stood there. `evidence` is the
    page with the proof, relative to the table's folder. `run` is empty for what was not asked. `reviews` are
    what people have said of it since. `figures` say of each figure of the answer from which cell or words it comes.
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
        """The text of the cell for a person: the value, else the answer, else why there is none."""
        if self.value is not None and self.value.text:
            return self.value.text
        return self.answer or self.reason or self.state.value

    @property
    def accepted_value(self) -> str | float | bool | list[str] | None:
        """The value of an answer that was accepted, or its words where its question has no type; else None."""
        if not self.state.is_accepted or self.state is CellState.ABSENT:
            return None
        return self.value.plain if self.value is not None else self.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class CellChange:
    """An answer from an earlier version of a document, verified in the version of now.

    `run` is that of the answer, `quotes` says of each of its quotes what became of it (see `Standing`). It `holds`, or
    `why` says why it is asked again.
    """

    row: str
    question: str
    run: str
    quotes: tuple[str, ...] = ()
    holds: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A document of a table, or all of them together; `fault` says why it could not be read.

    `path` and `inner` say where it is, as of a `DocumentSource`. Without a fault it has a `sha256`.
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
        """Whether it is that of all documents together."""
        return self.name == ALL_DOCUMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as its folder has it. `cells` are by the row's name and the question's id; `halt` says why it stopped.

    `changes` are the answers that were verified in documents which had changed, in this sitting. `lacking` says what
    this machine lacks, a key or a sandbox, if it stopped for that.
    """

    folder: Path
    questions: tuple[TableQuestion, ...]
    rows: tuple[TableRow, ...]
    cells: Mapping[tuple[str, str], Cell] = field(default_factory=dict)
    halt: Halt
    changes: tuple[CellChange, ...] = ()
    lacking: str = ""

    def cell(self, row: TableRow, question: TableQuestion) -> Cell:
        """The cell of that row and column; one that has no record was not asked."""
        known = self.cells.get((row.name, question.id))
        if known is None and row.fault:
            return Cell(row=row.name, question=question.id, state=CellState.FAILED, reason=row.fault)
        return known or Cell(row=row.name, question=question.id, reason="it was not asked yet")

    def of_each(self, row: TableRow) -> tuple[TableQuestion, ...]:
        """The questions that are put to that row."""
        return tuple(question for question in self.questions if (question.each == "set") == row.is_set)

    def __iter__(self) -> Iterator[Cell]:
        """All cells, row by row."""
        return (self.cell(row, question) for row in self.rows for question in self.of_each(row))

    def __len__(self) -> int:
        return sum(len(self.of_each(row)) for row in self.rows)

    def to_pandas(self, *, cells: bool = False) -> Any:
        """The table as a pandas DataFrame: a row for each document, a column for each question, the values of answers
        that were accepted (numbers as numbers, the answer's words where there is no value), else None.

        With `cells` it has a row for each cell instead, with its state, answer, value, quotes and cost. Raises
        ConfigError when pandas is not installed.
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
    """A cell as a row of plain values."""
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
    """What documents have in common: a value, an item of a list, a unit, a reason. `rows` are their names.

    Of an item `lacking` are the documents that have a list without it.
    """

    text: str
    rows: tuple[str, ...]
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlier:
    """A value far from the others: of the document `row`, in words, beside the `median` of all.

    `score` says how far, in the measure of the rule, see `table.comparing`; it is negative below the median.
    """

    row: str
    text: str
    median: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The answers of all documents to a question side by side.

    `values` are those that documents give, the most frequent first; of lists the items. `silent` are the documents that
    do not say it, `unusable` those without an accepted answer or without a value, by the reason. `units` has more than
    one entry where numbers or amounts are not compared, because they are counted in different things.
    """

    question: TableQuestion
    values: tuple[DocumentGroup, ...] = ()
    outliers: tuple[Outlier, ...] = ()
    silent: tuple[str, ...] = ()
    unusable: tuple[DocumentGroup, ...] = ()
    units: tuple[DocumentGroup, ...] = ()

    @property
    def compared(self) -> int:
        """How many documents have a value."""
        return len({row for group in self.values for row in (*group.rows, *group.lacking)})

    @property
    def differs(self) -> bool:
        """Whether two documents say different things."""
        if self.question.type == "list":
            return any(group.lacking for group in self.values)
        return len(self.values) > 1
