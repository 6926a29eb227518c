"""A bundle from the store becomes a run of the table, if it is one and holds against the document that is here."""

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

_RUN_NAME = re.compile(r"[0-9]{8}-[0-9]{6,12}-qa-[0-9a-f]{8}-[0-9a-f]{6}")

_ACCEPTED = (StopType.COMPLETION, StopType.ABSENT)


def unpack_run(data: bytes, record: TableRecord, row: TableRow, source: DocumentSource, settings: Settings) -> None:
    """Write the run in the bundle `data` into the folder of the table; one that is there is left as it is.

    The bundle must be whole, of a question of this table to the document of that row, and, if it was accepted, hold
    against the document itself: every check that needs no model is made again. What it says of files is replaced by
    where the document is here. Raises JournalError otherwise; nothing is written then.
    """
    bundle = parse_bundle(BytesIO(data), "a bundle of the store")
    rows, started = bundle.rows, bundle.rows[0].event
    assert isinstance(started, RunStarted)  # or it were no bundle
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
            _write(folder, [JournalRow(rows[0].at, started), *rows[1:]])
            folder.rename(target)
    except OSError as error:
        what = f"{record.folder} {describe_fault(error)}"
        raise JournalError(what, code="unwritable", hint="free some disk space, or choose another folder") from error


def _run_name(started: RunStarted) -> str:
    if not _RUN_NAME.fullmatch(started.run):
        raise _refusal(started, "its name is none of ours")
    return started.run


def _refusal(started: RunStarted, why: str) -> JournalError:
    return JournalError(f"the run {started.run!r:.60} from the store is not used: {why}", code="store-damaged")


def _require_ours(started: RunStarted, record: TableRecord, row: TableRow, source: DocumentSource) -> None:
    asked = {(question.question, question.answer_as) for question in record.questions}
    document = source.load()
    of_text = started.document.get("sha256"), started.document.get("fingerprint")
    if of_text != (row.sha256, document.fingerprint):
        raise _refusal(started, f"it is not of {row.name}, or of another text of it")
    if (started.question, str(started.settings.get("answer_as", ""))) not in asked or started.mode != "qa":
        raise _refusal(started, "it answers no question of this table")
    if not started.seed.startswith(f"{record.seed_of(row)}-"):
        raise _refusal(started, "it was not made for this table")


def _require_holds(bundle: Bundle, source: DocumentSource, settings: Settings) -> None:
    """Of a run that was accepted, every check that needs no model holds, as of one that somebody sends."""
    last = bundle.rows[-1].event
    halt = getattr(last, "halt", None)
    if halt is None or halt.type not in _ACCEPTED:
        return
    verified = verify(bundle, document=source, settings=settings)
    if not verified.holds:
        faults = [issue.message for check in verified.checks for issue in check.faults]
        faults += [f"a quote is {quote.standing}" for quote in verified.quotes if not quote.there or quote.around]
        raise JournalError(f"the run {verified.run} from the store does not hold: {faults[0]}", code="store-damaged")


def _write(folder: Path, rows: list[JournalRow]) -> None:
    write_journal(folder, rows)
    write_traces(folder, IterationTraces(row.event for row in rows))
