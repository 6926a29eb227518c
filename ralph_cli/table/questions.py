"""Reads the questions of a table: a CSV or YAML file, or a text with a question on each line."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ralph_cli.core.errors import UserError, describe_fault
from ralph_cli.core.prompts.json_reply import describe_validation_error
from ralph_cli.core.results.table import AnswerType, TableQuestion

MAX_QUESTIONS = 1_000

_HINT = "write a CSV file with the columns id, question and type, a YAML list, or a question on each line"


def _split_choices(value: Any) -> Any:
    """Return choices from a list, or from a text that separates them by semicolons or vertical bars."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.replace("|", ";").split(";") if part.strip()]


def _lower(value: Any) -> Any:
    return value.strip().lower() or None if isinstance(value, str) else value


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, coerce_numbers_to_str=True)

    question: Annotated[str, Field(min_length=1)]
    id: Annotated[str, Field(max_length=80)] = ""
    type: Annotated[AnswerType | None, BeforeValidator(_lower)] = None
    unit: Annotated[str, Field(max_length=40)] = ""
    choices: Annotated[list[Annotated[str, Field(min_length=1)]], BeforeValidator(_split_choices)] = []
    each: Annotated[Literal["document", "set"] | None, BeforeValidator(_lower)] = None


def read_table_questions(path: Path) -> tuple[TableQuestion, ...]:
    """Return the questions of a file, in its order. Raises UserError with the position of a fault."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UserError(f"{path} {describe_fault(error)}", code="bad-questions", hint=_HINT) from error
    ending = path.suffix.lower()
    if ending == ".csv":
        records = _csv_records(path, text)
    elif ending in (".yaml", ".yml", ".json"):
        records = _yaml_records(path, text)
    else:
        lines = enumerate(text.splitlines(), 1)
        plain = ((number, line.strip()) for number, line in lines)
        records = ((f"line {n}", {"question": line}) for n, line in plain if line and not line.startswith("#"))
    found = tuple(_questions(path, records))
    if not found:
        raise UserError(f"{path} has no questions", code="bad-questions", hint=_HINT)
    if len(found) > MAX_QUESTIONS:
        what = f"{path} has {len(found):,} questions, at most {MAX_QUESTIONS:,} are allowed"
        raise UserError(what, code="bad-questions", hint="make several tables of them")
    return found


def _fault(path: Path, where: str, what: str) -> UserError:
    return UserError(f"{path}, {where}: {what}", code="bad-questions", hint=_HINT)


def _csv_records(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a CSV file by its header, which also shows the separator."""
    header = text.split("\n", 1)[0]
    between = max(",;\t", key=header.count)
    rows = csv.DictReader(text.splitlines(keepends=True), delimiter=between, strict=True)
    try:
        if "question" not in [name.strip().lower() for name in rows.fieldnames or ()]:
            raise _fault(path, "line 1", "no column is named question")
        for row in rows:
            where = f"line {rows.line_num}"
            if None in row:
                raise _fault(path, where, "it has more cells than the header (put a question with commas in quotes)")
            cells = {name.strip().lower(): cell for name, cell in row.items() if name.strip() and (cell or "").strip()}
            if cells:
                yield where, cells
    except csv.Error as error:
        raise _fault(path, f"line {rows.line_num}", str(error)) from error


def _yaml_records(path: Path, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The items of a YAML list, each a question or a mapping with one; or of the list under `questions`."""
    import yaml

    try:
        listed = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}" if mark else "the file"
        raise _fault(path, where, f"is not YAML ({getattr(error, 'problem', None) or error})") from error
    if isinstance(listed, dict):
        listed = listed.get("questions")
    if not isinstance(listed, list):
        raise _fault(path, "the file", "is no list of questions")
    for number, item in enumerate(listed, 1):
        record = {"question": item} if isinstance(item, str) else item
        if not isinstance(record, dict):
            raise _fault(path, f"item {number}", "is neither a question nor a mapping with one")
        yield f"item {number}", {str(name): value for name, value in record.items() if value is not None}


def _questions(path: Path, records: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[TableQuestion]:
    seen: dict[str, str] = {}
    for number, (where, record) in enumerate(records, 1):
        for name in record:
            if name not in _Record.model_fields:
                near = get_close_matches(name, _Record.model_fields, n=1)
                meant = f": did you mean {near[0]!r}?" if near else ""
                raise _fault(path, where, f"there is no column {name!r}{meant}")
        try:
            read = _Record.model_validate(record)
        except ValidationError as error:
            raise _fault(path, where, describe_validation_error(error)) from None
        kind = read.type or ("choice" if read.choices else "text")
        if (kind == "choice") != bool(read.choices) or (kind == "choice" and len(set(read.choices)) < 2):
            raise _fault(path, where, "a question of the type choice, and no other, has two or more `choices`")
        if read.unit and kind not in ("number", "money"):
            raise _fault(path, where, f"a {kind} has no unit")
        question = TableQuestion(
            id=read.id or f"q{number}",
            question=read.question,
            type=kind,
            unit=read.unit,
            choices=tuple(dict.fromkeys(read.choices)),
            each=read.each or "document",
        )
        if (earlier := seen.setdefault(question.id, where)) != where:
            raise _fault(path, where, f"the id {question.id!r} is that of {earlier}, too")
        yield question
