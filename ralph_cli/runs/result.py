"""What a question, a task or a goal gave, as the callers of the Python API meet it."""

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
    """An answer, an output, or why there is none; with what it rests on, what it cost, and where its record is.

    `outcome` has every detail of the best attempt, `view` what a report shows, `document` what is recorded of the
    document, `notices` what a person should know, `coverage` what was read. `folder` is the run's record.
    """

    outcome: Outcome
    view: RunView
    document: dict[str, object]
    folder: Path
    notices: tuple[NoticeIssued, ...]
    coverage: Coverage

    @property
    def ok(self) -> bool | None:
        """Whether it was accepted: every check passed. None when no language model has read what was found."""
        return self.view.ok

    @property
    def absent(self) -> bool:
        """Whether it was accepted that the document does not say it."""
        return self.stop.type is StopType.ABSENT

    @property
    def text(self) -> str:
        """The output of a task or a goal; of a question its claims, a line each. Empty when there is none."""
        return self.view.output or "\n".join(claim.text for claim in self.claims)

    @property
    def claims(self) -> tuple[ClaimView, ...]:
        """The statements of an answer, or the items behind an output, each with its quotes and its verdict."""
        return self.view.claims

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The document's own words that the claims rest on."""
        return self.view.quotes

    @property
    def unconfirmed(self) -> tuple[Unconfirmed, ...]:
        """What code could not confirm of the claims or the output, and what it could not tell."""
        return self.view.unconfirmed

    @property
    def stop(self) -> Halt:
        """Why the run ended: its type, and its detail in a sentence."""
        return self.outcome.halt

    @property
    def cost(self) -> float | None:
        """US dollars; None when a price is unknown."""
        return self.usage.usd

    @property
    def usage(self) -> Usage:
        """Calls, tokens and dollars."""
        return self.view.usage

    @property
    def seconds(self) -> float:
        """How long the run took."""
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
        """The object that `--json` prints, as plain values; read from the run's record. Raises JournalError."""
        return as_object(read_run(self.folder))

    def __repr__(self) -> str:
        words = " ".join(self.text.split())
        text = words if len(words) <= 80 else f"{words[:77]}..."
        found = f"{len(self.claims)} claims, {len(self.quotes)} quotes"
        return f"<Result ok={self.ok} stop={self.stop.type.value} {text!r} {found}, run={self.run!r}>"

    def _repr_html_(self) -> str:
        from ralph_cli.reports.notebook import render_table

        return render_table(self.view)
