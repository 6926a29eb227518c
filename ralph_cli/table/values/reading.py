"""From the statements of an answer to its value, as the question wants it."""

import re
from collections.abc import Sequence

from ralph_cli.core.results.table import TableQuestion, Value
from ralph_cli.text.fold import fold

_YES_NO = re.compile(r"(?i)\W*(yes|no)\b")


def read_value(question: TableQuestion, statements: Sequence[str]) -> Value | None:
    """The value that the statements of an accepted answer give; None for a question that wants no type."""
    if not statements or question.type == "text":
        return None
    first = statements[0]
    match question.type:
        case "yes/no":
            said = _YES_NO.match(first)
            return Value(text=said[1].lower()) if said else Value(problem="its first claim says neither yes nor no")
        case "choice":
            return _read_choice(question.choices, first)
        case "list":
            return Value(text="; ".join(statements), items=tuple(statements))
        case _:
            return Value(problem=f"a {question.type} is not read yet")


def _read_choice(choices: Sequence[str], statement: str) -> Value:
    """The one choice that a statement names; a choice within the words of a longer one that is named does not count."""
    text = fold(statement).text.casefold()
    named: list[str] = []
    for choice in sorted(choices, key=len, reverse=True):
        pattern = rf"(?<!\w){re.escape(fold(choice).text.casefold())}(?!\w)"
        text, count = re.subn(pattern, " ", text)
        named += [choice] if count else []
    if len(named) == 1:
        return Value(text=named[0])
    return Value(problem=f"its first claim names {' and '.join(named) if named else 'none of the choices'}")
