"""Renders a table as JSON: a line for each cell, and one object for all."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ralph_cli.core.results.table import Cell, Table
from ralph_cli.reports.sections.reviews import review_objects
from ralph_cli.reports.table.words import count_states


def cell_object(cell: Cell) -> dict[str, Any]:
    """All data of a cell; `value` is null without a type, and its `plain` is null if no value could be read."""
    fields = asdict(cell)
    value = None if cell.value is None else {"plain": cell.value.plain, **fields.pop("value")}
    fields |= {"state": cell.state.value, "accepted": cell.state.is_accepted, "value": value}
    return fields | {"reviews": review_objects(cell.reviews)}


def json_lines(table: Table) -> str:
    """A line for each cell; characters outside ASCII are escaped, as JSON allows."""
    return "".join(json.dumps(cell_object(cell)) + "\n" for cell in table)


def as_object(table: Table, files: dict[str, str], problems: Sequence[str]) -> dict[str, Any]:
    """The object of `ralph table --json`. `files` are the written outputs by kind; `problems` say what could not be
    made.
    """
    return {
        "folder": str(table.folder),
        "stop": {"type": table.halt.type.value, "reason": table.halt.detail},
        "counts": [{"state": state.value, "cells": count} for state, count in count_states(table).items()],
        "questions": [asdict(question) for question in table.questions],
        "documents": [asdict(row) for row in table.rows],
        "files": files,
        "problems": list(problems),
        "cells": [cell_object(cell) for cell in table],
    }
