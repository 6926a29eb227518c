"""Which deterministic checks a recorded attempt is put through again, and with which settings: those of its run."""

from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from ralph_cli.checks.figures.check import ADVICE, NumbersCheck
from ralph_cli.checks.figures.numbering import sections_of
from ralph_cli.checks.form import AnswerForm
from ralph_cli.checks.output.check import OutputCheck, OutputForm
from ralph_cli.checks.output.schema import check_schema
from ralph_cli.checks.output.shape import Format
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import RunStarted
from ralph_cli.core.results.verification import QuoteStanding, Reading, Rechecked, Standing
from ralph_cli.core.run import Attempt, Halt, Issue, Step
from ralph_cli.documents.load import reader_of
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.runs.verifying.context import Surroundings
from ralph_cli.runs.verifying.reverify import (
    form_again,
    output_again,
    pinned_again,
    quote_again,
    searches_again,
    verdicts_again,
)
from ralph_cli.runs.verifying.versions import stands
from ralph_cli.wiring.task import ANY

FORM = ("bullets", "quotes", "quote_chars", "format", "memory")
"""The recorded settings on which the local checks depend."""


def reading_of(started: RunStarted, at_hand: Document | None) -> Reading:
    """How the document at hand relates to that of the run."""
    if at_hand is None:
        return "none"
    if at_hand.sha256 != started.document.get("sha256"):
        return "other-document"
    return "same" if at_hand.fingerprint == started.document.get("fingerprint") else "other-reading"


def recheck(
    started: RunStarted,
    step: Step,
    halt: Halt,
    at_hand: Document | None,
    before: Document | None = None,
    *,
    given: bool = False,
    changed: str = "",
) -> tuple[tuple[Rechecked, ...], tuple[QuoteStanding, ...]]:
    """All checks on an attempt, and where its quotes stand.

    `before` is the run's own text beside another one; `given` says that the document was named by the user, so that
    another one than the run's is meant to be another. `changed` says why the file at the document's path was not read.
    """
    reading = reading_of(started, at_hand)
    # In another text there is something to compare only if there are quotes to look up, or searches to count.
    comparable = started.mode != "goal" and bool(step.attempt.quotes or step.attempt.absence)
    checks = [_of_document(started, at_hand, reading, version=given and comparable)]
    if changed:
        what = f"{changed}: it was changed since, or is another document; --document takes it for a new version"
        checks = [Rechecked("document", "the file of the run", (Issue("document", what),))]
    if started.mode == "goal":
        return tuple(checks), ()
    answer, output = _forms(started)
    attempt, quotes = step.attempt, _standings(step.attempt, at_hand, reading, before)
    if quotes:
        checks.append(_of_quotes(quotes, reading))
    if reading != "same" and any(item.there for item in quotes):
        checks.append(_of_surroundings(quotes, before))
    if at_hand is not None:
        if (searched := searches_again(attempt, at_hand)) is not None:
            checks.append(searched)
        if attempt.claims:
            checks.append(pinned_again(attempt, at_hand))
        checks.append(form_again(attempt, answer))
        if started.mode == "qa" and attempt.claims:
            checks.append(_of_numbers(started, attempt, at_hand, reading, quotes))
    if started.mode == "task" and attempt.output:
        checks.append(_of_output(started, attempt, quotes, at_hand, output))
    checks.append(verdicts_again(step, halt, output.kind))
    return tuple(checks), quotes


def _standings(
    attempt: Attempt, at_hand: Document | None, reading: Reading, before: Document | None
) -> tuple[QuoteStanding, ...]:
    if at_hand is None:
        return ()
    index = QuoteIndex(at_hand)
    if reading == "same":
        return tuple(quote_again(quote, at_hand, index) for quote in attempt.quotes)
    now, then = Surroundings(at_hand), Surroundings(before) if before is not None else None
    return tuple(stands(quote, now, index, then) for quote in attempt.quotes)


def _of_document(started: RunStarted, at_hand: Document | None, reading: Reading, *, version: bool) -> Rechecked:
    """Whether this is the document of the run, read as it was then; `version`: another may be a new version of it."""
    if at_hand is None:
        why = "the run had no document" if not started.document else "the document is not at hand"
        return Rechecked("document", "", skipped=why)
    if reading == "same":
        return Rechecked(
            "document", f"it is the file of the run (sha256 {at_hand.sha256[:12]}...), read as it was then"
        )
    if reading == "other-reading":
        then, now = started.document.get("reader") or "a reader that was not recorded", reader_of(at_hand.kind)
        how = f"by {then}, now by {now}" if then != now else "with another encoding or another layout"
        return Rechecked("document", f"it is the file of the run, but it was read {how}: the quotes are looked up anew")
    what = f"it is not the file of the run (sha256 {at_hand.sha256[:12]}..., recorded is {_short(started)})"
    if version:
        return Rechecked("document", f"{what}: it is taken for a new version")
    why = "it was changed since, or is another document"
    return Rechecked("document", "the file of the run", (Issue("document", f"{what}: {why}"),))


def _short(started: RunStarted) -> str:
    return f"{str(started.document.get('sha256', 'nothing'))[:12]}..."


def _of_quotes(quotes: tuple[QuoteStanding, ...], reading: Reading) -> Rechecked:
    good = sum(item.there for item in quotes)
    where = "at their place, with page, label, match and number of places" if reading == "same" else "still there"
    faults = tuple(Issue("quotes", f"quote {item.quote.id}: {_fault(item)}") for item in quotes if not item.there)
    return Rechecked("quotes", f"{good} of {len(quotes)} {where}", faults)


def _fault(item: QuoteStanding) -> str:
    match item.standing:
        case Standing.CHANGED:
            return "its words were changed"
        case Standing.GONE:
            return "its words are gone"
        case _:
            return "; ".join(item.notes)


def _of_surroundings(quotes: tuple[QuoteStanding, ...], before: Document | None) -> Rechecked:
    """Whether what stands around the quotes that are still there is what stood there."""
    there = [item for item in quotes if item.there]
    faults = tuple(Issue("around", f"quote {item.quote.id}: {note}") for item in there for note in item.around)
    if before is None:
        why = "the run's own text is not at hand: only the quotes themselves were compared, not what stands around them"
        return Rechecked("around", why, faults, "" if faults else why)
    same = sum(not item.around for item in there)
    told = f"{same} of {len(there)} with the same words, heading and table header around them"
    return Rechecked("around", told, faults)


def _of_numbers(
    started: RunStarted, attempt: Attempt, at_hand: Document, reading: Reading, quotes: tuple[QuoteStanding, ...]
) -> Rechecked:
    """Whether every figure and date of the claims is borne out; in another text by the quotes as they read there."""
    told = "the figures and dates of the claims, and their calculations"
    if reading != "same":
        attempt = _placed(attempt, quotes)
        told += ", by the quotes as they read now"
        if not any(claim.quotes for claim in attempt.claims):
            return Rechecked("numbers", "", skipped="no quote is left that could bear them out")
    issues = NumbersCheck(at_hand, started.question)(attempt).issues
    # What a worker could do about it is nothing to a reader.
    faults = tuple(replace(issue, message=issue.message.removesuffix(f"; {ADVICE}")) for issue in issues)
    return Rechecked("numbers", told, faults)


def _placed(attempt: Attempt, standings: tuple[QuoteStanding, ...]) -> Attempt:
    """The attempt with its quotes as they read and where they stand in another text, without those that are gone."""
    quotes = tuple(
        replace(
            item.quote,
            text=item.text,
            start=item.start,
            end=item.end,
            page=item.page,
            label=item.label,
            last_page=0,
            places=(),
        )
        for item in standings
        if item.text
    )
    ids = {quote.id for quote in quotes}
    claims = tuple(
        replace(claim, quotes=tuple(number for number in claim.quotes if number in ids)) for claim in attempt.claims
    )
    return replace(attempt, claims=claims, quotes=quotes)


def _forms(started: RunStarted) -> tuple[AnswerForm, OutputForm]:
    """The forms that the recorded settings asked for."""
    settings = started.settings
    names = {name: settings[name] for name in FORM if name in settings}
    try:
        then = Settings.model_validate(names)
    except ValidationError as error:
        what = f"the settings of the run cannot be read ({error.errors(include_url=False)[0]['msg']})"
        raise JournalError(what, code="journal-damaged") from None
    schema = _terms(started).get("schema")
    kind: Format = then.format or ("json" if settings.get("output_schema") else "md")
    if schema is not None and (fault := check_schema(schema)):
        raise JournalError(f"the schema of the run cannot be used: {fault}", code="journal-damaged")
    form = OutputForm(kind, schema, then.memory != "off" or not started.document)
    return (AnswerForm(ANY, ANY, then.quote_chars) if started.mode == "task" else then.form), form


def _terms(started: RunStarted) -> dict[str, Any]:
    terms = started.settings.get("terms")
    return terms if isinstance(terms, dict) else {}


def _of_output(
    started: RunStarted,
    attempt: Attempt,
    quotes: tuple[QuoteStanding, ...],
    at_hand: Document | None,
    form: OutputForm,
) -> Rechecked:
    """The hard rules of an output; in another text only the quotes that are still there bear it out."""
    terms = _terms(started)
    if started.settings.get("output_schema") and "schema" not in terms:
        return Rechecked("output", "", skipped="the schema of the run was not recorded")
    if at_hand is None and started.document:
        return Rechecked("output", "", skipped="the document is not at hand")
    if at_hand is None:
        memory = terms.get("memory")
        if not isinstance(memory, str):
            return Rechecked("output", "", skipped="the memory of the run was not recorded")
        return output_again(attempt, OutputCheck(form, started.question, memory=memory))
    there = _as_they_stand(attempt, quotes)
    sections = sections_of(at_hand.text)
    headed = at_hand if at_hand.fingerprint == started.document.get("fingerprint") else None
    check = OutputCheck(form, started.question, paged=at_hand.paged, sections=sections, document=headed)
    return output_again(there, check)


def _as_they_stand(attempt: Attempt, quotes: tuple[QuoteStanding, ...]) -> Attempt:
    """The attempt with the quotes that are there, on the pages where they stand now."""
    there = (replace(item.quote, page=item.page, label=item.label) for item in quotes if item.there)
    return replace(attempt, quotes=tuple(there))
