"""From the statements of an answer to its value, as the question wants it."""

from collections.abc import Sequence

from ralph_cli.core.results.table import TableQuestion, Value
from ralph_cli.table.values.amounts import read_amount
from ralph_cli.table.values.dates import read_date
from ralph_cli.table.values.words import read_choice, read_list, read_yes_no

MAX_CHARACTERS = 2_000
"""In a longer statement nobody looks for one value."""


def read_value(question: TableQuestion, statements: Sequence[str]) -> Value | None:
    """The value that the statements of an accepted answer give; None for a question that wants no type.

    But for a list it is read from the first statement. What is not unmistakable has no value; it says why.
    """
    if not statements or question.type == "text":
        return None
    first = statements[0]
    match question.type:
        case "yes/no":
            return read_yes_no(statements)
        case "list":
            return read_list(statements)
        case _ if len(first) > MAX_CHARACTERS:
            return Value(problem=f"its first claim has more than {MAX_CHARACTERS:,} characters")
        case "choice":
            return read_choice(question.choices, first)
        case "date":
            return read_date(question, first)
        case _:
            return read_amount(question, first)
