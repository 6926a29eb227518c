"""Turns a bundle from the store into a run of the table, if it passes all checks on the document here."""

import re
import tempfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from ralph_cli.config import Settings
from ralph_cli.core.errors import JournalError, describe_fault
from ralph_cli.core.events import RunStarted
from ralph_cli.core.results.table import TableRow
from ralph_cli.core.run import StopType
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.bundle import Bundle, parse_bundle
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import JournalRow, write_journal
from ralph_cli.journal.traces import IterationTraces, write_traces
from ralph_cli.runs.execute import describe_document
from ralph_cli.runs.verifying.verify import verify
from ralph_cli.table.record import TableRecord

_ACCEPTED = (StopType.COMPLETION, StopType.ABSENT)


def unpack_run(data: bytes, record: TableRecord, row: TableRow, source: DocumentSource, settings: Settings) -> None:
    """Write the run in the bundle `data` into the folder of the table, unless it is there already.

    The bundle must be complete and answer a question of this table about the document of that row. An accepted run
    must pass every check that needs no model, on the document itself. The path of the document is replaced by the one
    here. Raises JournalError otherwise, and writes nothing.
    """
    bundle = parse_bundle(BytesIO(data), "a bundle of the store")
    rows, started = bundle.rows, bundle.rows[0].event
    assert isinstance(started, RunStarted)  # parse_bundle requires it
    target = record.runs_of(row.sha256) / _run_name(started)
    if (target / JOURNAL_FILE).exists():
        return
    _require_ours(started, record, row, source)
    _require_holds(bundle, source, settings)
    started = replace(started, document=describe_document(source.load(), source.record))
    incoming = record.folder / "incoming"
    try:
        incoming.mkdir(parents=True, exist_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=incoming) as temporary:
            folder = Path(temporary) / target.name
            written = [JournalRow(rows[0].at, started), *rows[1:]]
            write_journal(folder, written)
            write_traces(folder, IterationTraces(row.event for row in written))
            folder.rename(target)
    except OSError as error:
        what = f"{record.folder} {describe_fault(error)}"
        raise JournalError(what, code="unwritable", hint="free some disk space, or choose another folder") from error


def _run_name(started: RunStarted) -> str:
    if not re.fullmatch(r"[0-9]{8}-[0-9]{6,12}-qa-[0-9a-f]{8}-[0-9a-f]{6}", started.run):
        raise _refusal(started, "ralph gives no such names")
    return started.run


def _refusal(started: RunStarted, why: str) -> JournalError:
    return JournalError(f"the run {started.run!r:.60} from the store is not used: {why}", code="store-damaged")


def _require_ours(started: RunStarted, record: TableRecord, row: TableRow, source: DocumentSource) -> None:
    asked = {(question.question, question.answer_as) for question in record.questions}
    document = source.load()
    of_text = started.document.get("sha256"), started.document.get("fingerprint")
    if of_text != (row.sha256, document.fingerprint):
        raise _refusal(started, f"it is not about {row.name}, or about another text of it")
    if (started.question, str(started.settings.get("answer_as", ""))) not in asked or started.mode != "qa":
        raise _refusal(started, "it answers no question of this table")
    if not started.seed.startswith(f"{record.seed_of(row)}-"):
        raise _refusal(started, "it was not made for this table")


def _require_holds(bundle: Bundle, source: DocumentSource, settings: Settings) -> None:
    """Raise JournalError unless an accepted run passes every check that needs no model."""
    last = bundle.rows[-1].event
    halt = getattr(last, "halt", None)
    if halt is None or halt.type not in _ACCEPTED:
        return
    verified = verify(bundle, document=source, settings=settings)
    if not verified.holds:
        faults = [issue.message for check in verified.checks for issue in check.faults]
        faults += [f"a quote is {quote.standing}" for quote in verified.quotes if not quote.there or quote.around]
        raise JournalError(f"the run {verified.run} from the store fails a check: {faults[0]}", code="store-damaged")
