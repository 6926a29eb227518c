"""What a client may say to each tool: nothing of it is a setting, a bound, a model or a place to write to."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ralph_cli.checks.output.shape import Format
from ralph_cli.core.errors import UserError
from ralph_cli.reports.safe_text import one_line

MOST_QUOTES = 200

Words = Annotated[str, Field(min_length=1, max_length=20_000)]
Named = Annotated[str, Field(min_length=1, max_length=4_096)]
Several = Annotated[
    list[Named],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    Field(min_length=1, max_length=100),
]


class Arguments(BaseModel):
    """What is said to a tool."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class AboutDocuments(Arguments):
    """Arguments of what reads documents."""

    documents: Several
    """Paths of files, or of folders and ZIP archives, which mean all documents in them."""


class Ask(AboutDocuments):
    """Arguments of `ask`."""

    question: Words
    """What you want to know, in a sentence."""


class FollowUp(Arguments):
    """Arguments of `follow_up`."""

    run: Annotated[str, Field(min_length=1, max_length=200)]
    """The `run.id` of the answer that the question follows on."""
    question: Words
    """What you want to know further, such as "and in 2021?"."""


class Task(AboutDocuments):
    """Arguments of `task`."""

    task: Words
    """The work: a summary, a list, a table. Say what it must have."""
    format: Format | None = None
    """Form of the output; Markdown by default."""


class CheckQuotes(AboutDocuments):
    """Arguments of `check_quotes`."""

    quotes: Annotated[list[Words], Field(min_length=1, max_length=MOST_QUOTES)]
    """The quotes, as they are believed to stand in the documents."""


class CheckMemo(AboutDocuments):
    """Arguments of `check_memo`."""

    memo: Annotated[str, Field(max_length=2_000_000)] = ""
    """The memo's text, in Markdown or plain."""
    memo_file: Annotated[str, Field(max_length=4_096)] = ""
    """Its path, instead of its text."""


class Search(AboutDocuments):
    """Arguments of `search`."""

    words: Annotated[str, Field(min_length=1, max_length=500)]
    """What to look for: a phrase, or the words of a question."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    """Places and passages at most."""


class ReadPage(Arguments):
    """Arguments of `read_page`."""

    document: Named
    """Path of the file; of a folder or archive, say in `name` which of its documents."""
    page: Annotated[int, Field(ge=1)] = 1
    """Number of the page, from 1; formats without pages have one."""
    name: Annotated[str, Field(max_length=4_096)] = ""
    """Name of the document in its folder or archive, as other tools tell it."""
    start: Annotated[int, Field(ge=0)] = 0
    """Characters of the page to leave out, to go on with a long one."""


class TableStatus(Arguments):
    """Arguments of the tool that tells how far a table is."""

    folder: Named
    """Folder of a table that `ralph table` has made, or is making."""
    document: Annotated[str, Field(max_length=4_096)] = ""
    """Name of a document of the table, whose cells are told with their quotes."""


def parse_arguments(kind: type[Arguments], said: dict[str, Any] | None) -> Arguments:
    """What a client has said, checked. Raises UserError with one line on the first thing that is wrong."""
    try:
        return kind.model_validate(said or {})
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, fault["loc"]))
        what = {"extra_forbidden": "there is no such argument", "missing": "it is missing"}.get(fault["type"])
        known = ", ".join(kind.model_fields)
        message = one_line(f"{place or 'the arguments'}: {what or fault['msg']}", 300)
        raise UserError(message, code="bad-argument", hint=f"the arguments are {known}") from None


Kind = Literal["paid", "local"]
"""Whether a tool asks models, which costs money and takes minutes, or only this machine."""
