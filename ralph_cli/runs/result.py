"""The result of a question, a task or a goal, for callers of the Python API."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ralph_cli.core.coverage import Coverage
from ralph_cli.core.events import NoticeIssued
from ralph_cli.core.model import Usage
from ralph_cli.core.run import Halt, Outcome, Quote, StopType
from ralph_cli.reports.sections.unconfirmed import Unconfirmed
from ralph_cli.reports.view import ClaimView, RunView
from ralph_cli.runs.history import as_object, read_run


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result:
    """An answer, an output, or the reason why there is none; with its evidence, its cost, and the place of its record.

    `outcome` has all details of the best attempt, `view` what a report shows, `document` the record of the document,
    `notices` remarks for the user, `coverage` what was read. `folder` has the run's record.
    """

    outcome: Outcome
    view: RunView
    document: dict[str, object]
    folder: Path
    notices: tuple[NoticeIssued, ...]
    coverage: Coverage

    @property
    def ok(self) -> bool | None:
        """Whether it was accepted: every check passed. None if no language model has read what was found."""
        return self.view.ok

    @property
    def absent(self) -> bool:
        """Whether an absence was accepted: the document does not contain the answer."""
        return self.stop.type is StopType.ABSENT

    @property
    def text(self) -> str:
        """The output of a task or a goal; for a question its claims, a line each. Empty if there is none."""
        return self.view.output or "\n".join(claim.text for claim in self.claims)

    @property
    def claims(self) -> tuple[ClaimView, ...]:
        """The statements of an answer, or the items behind an output, each with its quotes and its verdict."""
        return self.view.claims

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The document's own words that support the claims."""
        return self.view.quotes

    @property
    def unconfirmed(self) -> tuple[Unconfirmed, ...]:
        """What code could not confirm of the claims or the output."""
        return self.view.unconfirmed

    @property
    def stop(self) -> Halt:
        """Why the run ended: a type, and details in a sentence."""
        return self.outcome.halt

    @property
    def cost(self) -> float | None:
        """US dollars; None if a price is unknown."""
        return self.usage.usd

    @property
    def usage(self) -> Usage:
        """Calls, tokens and dollars."""
        return self.view.usage

    @property
    def seconds(self) -> float:
        """The duration of the run."""
        return self.view.seconds

    @property
    def mode(self) -> str:
        """ "qa", "task" or "goal"."""
        return self.view.mode

    @property
    def question(self) -> str:
        """The question, task or objective."""
        return self.view.question

    @property
    def run(self) -> str:
        """The run's name, as `ralph trace list` shows it."""
        return self.view.run

    def to_dict(self) -> dict[str, Any]:
        """The object of `--json` as plain values, read from the run's record. Raises JournalError."""
        return as_object(read_run(self.folder))

    def __repr__(self) -> str:
        words = " ".join(self.text.split())
        text = words if len(words) <= 80 else f"{words[:77]}..."
        found = f"{len(self.claims)} claims, {len(self.quotes)} quotes"
        return f"<Result ok={self.ok} stop={self.stop.type.value} {text!r} {found}, run={self.run!r}>"

    def _repr_html_(self) -> str:
        from ralph_cli.reports.notebook import render_table

        return render_table(self.view)
