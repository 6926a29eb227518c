"""Keeps the reviews of a run in a file beside its folder, to which lines are only added."""

import fcntl
import os
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ralph_cli.core import clock
from ralph_cli.core.errors import JournalError, UserError
from ralph_cli.core.results.review import Mark, Review

# The most characters of a note or a correction.
MOST_CHARACTERS = 4_000

# The most bytes of the file.
MOST_BYTES = 4 << 20


class _Line(BaseModel):
    """A line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: Annotated[str, Field(max_length=40)]
    by: Annotated[str, Field(min_length=1, max_length=100)]
    mark: Mark
    claim: Annotated[int, Field(ge=0)] = 0
    correction: Annotated[str, Field(max_length=MOST_CHARACTERS)] = ""
    note: Annotated[str, Field(max_length=MOST_CHARACTERS)] = ""


def reviews_file(run_folder: Path) -> Path:
    """The file with the reviews of a run."""
    return run_folder.with_name(f"{run_folder.name}.reviews.jsonl")


def read_reviews(run_folder: Path) -> tuple[Review, ...]:
    """The reviews of a run, oldest first. Raises JournalError if the file is damaged or cannot be read."""
    path = reviews_file(run_folder)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # opening a pipe must not wait
        with os.fdopen(handle, "rb") as file:
            data = file.read(MOST_BYTES + 1) or b""
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror or error}", code="reviews-unreadable") from error
    reviews = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            reviews.append(Review(**_Line.model_validate_json(line).model_dump()))
        except ValidationError as error:
            hint = "mend or move the file; the run itself is whole"
            raise JournalError(f"line {number} of {path} is not a review", code="reviews-damaged", hint=hint) from error
    return tuple(reviews)


def add_review(
    run_folder: Path, *, by: str, mark: Mark, claim: int = 0, correction: str = "", note: str = ""
) -> Review:
    """Add a review of the run in `run_folder`, or of one of its claims, and return it.

    Raises UserError if something is missing or too long, JournalError if it cannot be written.
    """
    if mark is Mark.CORRECTED and not correction.strip():
        raise UserError("a correction says what is right", code="bad-review", hint="write it beside the mark")
    try:
        line = _Line(
            at=clock.now(),
            by=" ".join(by.split()),
            mark=mark,
            claim=claim,
            correction=correction.strip() if mark is Mark.CORRECTED else "",
            note=note.strip(),
        )
    except ValidationError as error:
        fault = error.errors()[0]
        what = f"the review's {'name' if fault['loc'] == ('by',) else fault['loc'][0]} cannot be taken: {fault['msg']}"
        raise UserError(what, code="bad-review", hint=f"a name, and at most {MOST_CHARACTERS:,} characters") from error
    path = reviews_file(run_folder)
    data = line.model_dump_json().encode() + b"\n"
    try:
        handle = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        with os.fdopen(handle, "ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(handle).st_size + len(data) > MOST_BYTES:
                raise JournalError(f"{path} has no room for another review", code="reviews-full")
            file.write(data)
            file.flush()
            os.fsync(handle)
    except OSError as error:
        raise JournalError(f"{path} cannot be written: {error.strerror or error}", code="reviews-unwritable") from error
    return Review(**line.model_dump())
