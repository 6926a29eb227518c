"""Read the value of an answer from its statements, as the question wants it."""

import re
from collections.abc import Sequence

from ralph_cli.core.results.table import TableQuestion, Value
from ralph_cli.table.values.amounts import read_amount
from ralph_cli.table.values.dates import read_date
from ralph_cli.table.values.surroundings import is_denied
from ralph_cli.text.fold import fold
from ralph_cli.text.lexicon import STOP_WORDS

# A longer statement is not searched for a value.
MAX_CHARACTERS = 2_000


def read_value(question: TableQuestion, statements: Sequence[str]) -> Value | None:
    """Return the value in the statements of an accepted answer; None if the question wants no type.

    It is read from the first statement; a list is read from all. An ambiguous statement gives no value, but the reason.
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


_YES_NO = re.compile(
    r"(?i)\W*(?:(yes)\b(?![-/]\w)|(no)(?=\W*\Z|[*_'\"”’]*(?:[,;:.!)–—](?!\s*\d)|\s+[-–—(])))(?!\W+(?:and|or)\b)"
)

# A shorter choice such as "A" may be an ordinary word of a sentence.
_MIN_CHOICE = 3


def read_yes_no(statements: Sequence[str]) -> Value:
    """Return the yes or no that begins the first statement, if no other statement begins with the opposite."""
    opened = [
        match[0].strip("*_\"'“‘( ").lower()
        for statement in statements
        if (match := _YES_NO.match(statement)) is not None
    ]
    if len(set(opened)) > 1:
        return Value(problem="its claims say both yes and no")
    if not _YES_NO.match(statements[0]):
        return Value(problem="its first claim says neither yes nor no")
    return Value(text=opened[0])


def read_choice(choices: Sequence[str], statement: str) -> Value:
    """Return the only choice that a statement names. A choice inside a longer named choice does not count."""
    text = fold(statement).text.casefold()
    named: list[str] = []
    for choice in sorted(choices, key=len, reverse=True):
        words = fold(choice).text.casefold()
        pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        if len(words) < _MIN_CHOICE or STOP_WORDS.issuperset(words.split()):
            pattern = re.compile(rf"^\W*{re.escape(words)}(?=\W*\Z|\W*[,;:.)])")
        for match in pattern.finditer(text):
            if word := is_denied(text[: match.start()]):
                return Value(problem=f'it denies something ("{word}") where it names {choice}')
        text, count = pattern.subn(lambda match: "," * len(match[0]), text)
        named += [choice] if count else []
    if len(named) == 1:
        return Value(text=named[0])
    return Value(problem=f"its first claim names {' and '.join(named) if named else 'none of the choices'}")


def read_list(statements: Sequence[str]) -> Value:
    """Return the items of a list, one per statement, without marks before them and without repetitions."""
    items: dict[str, str] = {}
    for statement in statements:
        item = re.sub(r"^\s*(?:[-*•–]|\(?\d{1,3}[.)])\s+", "", statement).strip()
        items.setdefault(fold(item).text.casefold().rstrip("."), item)
    return Value(text="; ".join(items.values()), items=tuple(items.values()))
