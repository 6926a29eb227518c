"""Updates the cells of a changed document: looks up old quotes in the new text, and asks only what is lost."""

from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli.checks.quotes import quote_at
from ralph_cli.core.document import Document
from ralph_cli.core.errors import RalphError
from ralph_cli.core.results.table import CellChange, TableQuestion, TableRow
from ralph_cli.core.results.verification import QuoteStanding, Standing
from ralph_cli.core.run import Attempt, Step, StopType
from ralph_cli.core.structure import Span
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.parsed import assemble
from ralph_cli.documents.source import DocumentSource
from ralph_cli.documents.text_cache import read_parsed
from ralph_cli.loop.state import fold
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.runs.execute import Job, Setup
from ralph_cli.runs.history import RecordedRun
from ralph_cli.runs.result import Result
from ralph_cli.runs.reuse import KnownAnswer, repeat_answer
from ralph_cli.runs.verifying.recheck import recheck
from ralph_cli.table.cells import TAKEN_OVER
from ralph_cli.table.record import HASH
from ralph_cli.text.lexicon import pluralize


@dataclass(frozen=True, slots=True)
class OldAnswer:
    """An accepted answer to a question from an earlier version of a document."""

    row: TableRow
    question: TableQuestion
    run: RecordedRun


def take_over(old: OldAnswer, source: DocumentSource, setup: Setup) -> tuple[CellChange, Result | None]:
    """Verify an old answer in the present document; if it is still right, record it as the present answer.

    It is right if every quote is there in an unchanged context, the same searches find as much as before, and the local
    checks pass. No model is asked. Other new text is not read, and the record says so.
    """
    document, run = source.load(), old.run
    step = fold(run.events).best
    change = CellChange(row=old.row.name, question=old.question.id, run=run.view.run)
    if step is None or run.view.halt.type not in (StopType.COMPLETION, StopType.ABSENT):
        return replace(change, why="it was not accepted"), None
    original = _recall_text(run, setup.settings.cache_folder)
    checks, quotes, _ = recheck(run.started, step, run.view.halt, document, original, document_named=True)
    change = replace(change, quotes=tuple(item.standing.value for item in quotes))
    if why := _reason_to_ask(step, quotes, original):
        return replace(change, why=why), None
    if faults := [issue.message for check in checks for issue in check.faults]:
        return replace(change, why=faults[0]), None
    moved = sum(item.standing is Standing.MOVED for item in quotes)
    what = (
        f"{TAKEN_OVER} (run {run.view.run}): {_describe(len(quotes), moved, step)}; what else has changed was not read"
    )
    job = Job("qa", old.question.question, document, setup.choose_models(), read_as=source.record)
    answer = KnownAnswer(run.started, replace(step, attempt=_move_quotes(step.attempt, quotes, document)), ())
    return replace(change, holds=True), repeat_answer(job, setup, answer, what)


def _describe(quotes: int, moved: int, step: Step) -> str:
    if step.attempt.absence is not None or not quotes:
        return "the same searches find what they found"
    places = f", {moved} on another page" if moved else ""
    return f"{pluralize(quotes, 'quote')} still there{places}"


def _reason_to_ask(step: Step, quotes: tuple[QuoteStanding, ...], original: Document | None) -> str:
    """Return why the question must be asked again; empty if the old answer is still right."""
    for item in quotes:
        if not item.there:
            return f"quote {item.quote.id} is {item.standing.value}: {' '.join(item.differing) or item.quote.text[:80]}"
    for item in quotes:
        if item.around:
            return f"around quote {item.quote.id}: {item.around[0]}"
    if quotes and original is None:
        return "the earlier text is not kept, so the context of its quotes cannot be compared"
    if any(evidence.quotes or evidence.qualifications for evidence in step.evidence):
        return "it was qualified by other passages"
    return ""


def _move_quotes(attempt: Attempt, standings: tuple[QuoteStanding, ...], document: Document) -> Attempt:
    """Return the attempt with its quotes at their positions in the new text."""
    index, moved = document.derive(QuoteIndex), []
    for item in standings:
        match = index.find(item.quote.text)
        assert match is not None, "a quote that is there is found"
        span = Span(item.start, item.end)
        departures = index.describe_departures(item.quote.said, span, match.tier)
        quote = quote_at(document, span, item.quote.id, match, item.quote.said, departures)
        moved.append(replace(quote, match=item.quote.match, hidden=item.quote.hidden))
    return replace(attempt, quotes=tuple(moved), nearest=())


def _recall_text(run: RecordedRun, cache: Path) -> Document | None:
    """Return the text of the run's document from the cache of parsed texts; None if the cache lacks it."""
    record = run.view.document
    fingerprint = str(record.get("fingerprint", ""))
    parsed = read_parsed(cache, fingerprint, DEFAULT_LIMITS) if HASH.fullmatch(fingerprint) else None
    if parsed is None:
        return None
    try:
        found = assemble(
            parsed,
            path=str(record.get("path", "")),
            kind=str(record.get("kind", "")),
            sha256=str(record.get("sha256", "")),
            fingerprint=fingerprint,
        )
    except (RalphError, ValueError, IndexError):
        return None
    return found if len(found.text) == record.get("characters") else None
