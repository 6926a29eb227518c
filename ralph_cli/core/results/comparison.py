"""What differs between the documents of a table, question by question."""

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.results.table import TableQuestion


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
