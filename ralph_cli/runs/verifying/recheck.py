"""Chooses the deterministic checks for a recorded attempt, and makes them with the settings of its run."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ralph_cli.checks.figures.check import ADVICE, STAND_BY, NumbersCheck
from ralph_cli.checks.form import AnswerForm
from ralph_cli.checks.output.check import OutputCheck, OutputForm
from ralph_cli.checks.output.numbering import section_numbers
from ralph_cli.checks.output.schema import check_schema
from ralph_cli.checks.output.shape import Format
from ralph_cli.config import Settings
from ralph_cli.core.document import LANGUAGES, Document
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import RunStarted
from ralph_cli.core.results.verification import QuoteStanding, Rechecked, Standing, TextRelation
from ralph_cli.core.run import Attempt, Doubt, Evidence, Halt, Issue, Quote, Step
from ralph_cli.documents.load import describe_loader
from ralph_cli.reports.sections.documents import list_documents
from ralph_cli.reports.sections.unconfirmed import count_doubts, list_unconfirmed
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.runs.execute import describe_document
from ralph_cli.runs.verifying.context import DocumentContext
from ralph_cli.runs.verifying.reverify import (
    compare_doubts,
    merge_doubts,
    recheck_claims,
    recheck_form,
    recheck_quote,
    recheck_searches,
    recheck_verdicts,
)
from ralph_cli.runs.verifying.sets import locate_in_set
from ralph_cli.runs.verifying.versions import locate_quote
from ralph_cli.wiring.task import ANY_COUNT

# The recorded fields of a document that follow from the document alone.
DESCRIBED = (
    "id",
    "name",
    "kind",
    "sha256",
    "fingerprint",
    "pages",
    "page_starts",
    "first_page",
    "start",
    "characters",
    "unreadable",
)

# The recorded settings on which the local checks depend.
FORM_SETTINGS = ("bullets", "quotes", "quote_chars", "answer_as", "format", "memory")


def reading_of(started: RunStarted, current: Document | None) -> TextRelation:
    """The relation of the present document to that of the run."""
    if current is None:
        return "none"
    if current.sha256 != started.document.get("sha256"):
        return "other-document"
    return "same" if current.fingerprint == started.document.get("fingerprint") else "other-reading"


def recheck(
    started: RunStarted,
    step: Step,
    halt: Halt,
    current: Document | None,
    original: Document | None = None,
    *,
    document_named: bool = False,
    changed_reason: str = "",
) -> tuple[tuple[Rechecked, ...], tuple[QuoteStanding, ...], tuple[Doubt, ...]]:
    """The results of all checks on an attempt, the standing of its quotes, and what code could not confirm.

    `original` is the run's own text beside another one. `document_named` says that the user named the document, so that
    another one is taken for a new version. `changed_reason` says why the file at the document's path was not read.
    """
    reading = reading_of(started, current)
    # In another text only quotes and searches can be compared.
    comparable = started.mode != "goal" and bool(step.attempt.quotes or step.attempt.absence)
    if changed_reason:
        what = f"{changed_reason}: it was changed since, or is another document; --document treats it as a new version"
        checks = [Rechecked("document", "the file of the run", (Issue("document", what),))]
    else:
        checks = [_check_document(started, current, reading, allow_new_version=document_named and comparable)]
    if started.mode == "goal":
        return tuple(checks), (), ()
    answer, output = _recorded_forms(started)
    attempt, quotes = step.attempt, _quote_standings(started, step.attempt, current, reading, original)
    doubts: tuple[Doubt, ...] = ()
    if quotes:
        checks.append(_check_quotes(quotes, reading))
    if reading != "same" and any(item.there for item in quotes):
        checks.append(_check_context(quotes, original))
    if current is not None:
        if (searched := recheck_searches(attempt, current)) is not None:
            checks.append(searched)
        if attempt.claims:
            checks.append(recheck_claims(attempt, current))
        checks.append(recheck_form(attempt, answer))
        if started.mode == "qa" and attempt.claims:
            numbers, doubts = _check_numbers(started, step, current, reading, quotes)
            checks.append(numbers)
    if started.mode == "task" and attempt.output:
        looked_up, doubts = _check_output(started, step, quotes, current, output)
        checks.append(looked_up)
    checks.append(recheck_verdicts(step, halt, output.kind))
    return tuple(checks), quotes, merge_doubts(step, doubts)


def _quote_standings(
    started: RunStarted, attempt: Attempt, current: Document | None, reading: TextRelation, original: Document | None
) -> tuple[QuoteStanding, ...]:
    if current is None:
        return ()
    index, now = QuoteIndex(current), DocumentContext(current)
    if reading == "same":
        return tuple(recheck_quote(quote, now, index) for quote in attempt.quotes)
    if current.members and list_documents(started.document):
        return locate_in_set(attempt.quotes, list_documents(started.document), current, original)
    then = DocumentContext(original) if original is not None else None
    return tuple(locate_quote(quote, now, index, then) for quote in attempt.quotes)


def _check_document(
    started: RunStarted, current: Document | None, reading: TextRelation, *, allow_new_version: bool
) -> Rechecked:
    """Whether this is the run's document, read as before; with `allow_new_version` another document may be a new
    version.
    """
    if current is None:
        why = "the run had no document" if not started.document else "the document is not at hand"
        return Rechecked("document", "", skipped=why)
    if reading == "same":
        told = f"it is the file of the run (sha256 {current.sha256[:12]}...), read as it was then"
        return Rechecked("document", told, tuple(_find_misdescribed(started.document, describe_document(current))))
    if reading == "other-reading":
        then, now = started.document.get("reader") or "a reader that was not recorded", describe_loader(current.kind)
        how = f"by {then}, now by {now}" if then != now else "with another encoding or another layout"
        return Rechecked("document", f"it is the file of the run, but it was read {how}: the quotes are looked up anew")
    recorded = str(started.document.get("sha256", "nothing"))[:12]
    what = f"it is not the file of the run (sha256 {current.sha256[:12]}..., recorded is {recorded}...)"
    if allow_new_version:
        return Rechecked("document", f"{what}: it is taken for a new version")
    why = "it was changed since, or is another document"
    return Rechecked("document", "the file of the run", (Issue("document", f"{what}: {why}"),))


def _find_misdescribed(recorded: Mapping[str, Any], current: Mapping[str, Any]) -> Iterator[Issue]:
    """The recorded fields of a document that are wrong; its path and its cautions are not checked."""
    told, now = list_documents(recorded), list_documents(current)
    if len(told) != len(now):
        yield Issue("document", f"its record has {len(told)} documents, and it has {len(now)}")
        return
    for was, is_ in zip((recorded, *told), (current, *now), strict=True):
        for name in DESCRIBED:
            if was.get(name, is_.get(name)) != is_.get(name):
                of = f" of {is_['name']}" if "name" in is_ else ""
                yield Issue("document", f"its record gives another {name.replace('_', ' ')}{of}")


def _check_quotes(quotes: tuple[QuoteStanding, ...], reading: TextRelation) -> Rechecked:
    good = sum(item.there for item in quotes)
    where = "at their place, with page, label, match and number of places" if reading == "same" else "still there"
    lost = [item for item in quotes if not item.there]
    faults = tuple(Issue("quotes", f"quote {item.quote.id}: {_describe_fault(item)}") for item in lost)
    return Rechecked("quotes", f"{good} of {len(quotes)} {where}", faults)


def _describe_fault(item: QuoteStanding) -> str:
    faults = {Standing.CHANGED: "its words were changed", Standing.GONE: "its words are gone"}
    return faults.get(item.standing) or "; ".join(item.notes)


def _check_context(quotes: tuple[QuoteStanding, ...], original: Document | None) -> Rechecked:
    """Whether the context of the quotes that are still there is unchanged."""
    there = [item for item in quotes if item.there]
    faults = tuple(Issue("around", f"quote {item.quote.id}: {note}") for item in there for note in item.around)
    if original is None:
        why = "the run's own text is not at hand: only the quotes themselves were compared, not what stands around them"
        return Rechecked("around", why, faults, "" if faults else why)
    same = sum(not item.around for item in there)
    told = f"{same} of {len(there)} with the same words, heading and table header around them"
    return Rechecked("around", told, faults)


def _check_numbers(
    started: RunStarted, step: Step, current: Document, reading: TextRelation, quotes: tuple[QuoteStanding, ...]
) -> tuple[Rechecked, tuple[Doubt, ...]]:
    """Whether the quotes support every figure and date of the claims; in another text the quotes as they read there."""
    told, attempt = "the figures and dates of the claims, and their calculations", step.attempt
    if reading != "same":
        attempt = _with_current_quotes(attempt, quotes)
        told += ", by the quotes as they read now"
        if not any(claim.quotes for claim in attempt.claims):
            return Rechecked("numbers", "", skipped="no quote is left that could support them"), ()
    if any(not 0 <= quote.start < quote.end <= len(current.text) for quote in attempt.quotes):
        # Only a forged record has such a quote; the check of quotes reports it.
        return Rechecked("numbers", "", skipped="a quote has a place that the document does not have"), ()
    found = NumbersCheck(_in_recorded_language(current, started), started.question, vetoes=_had_vetoes(started))(
        attempt
    )
    # Advice to a worker is of no use to a reader.
    faults = tuple(
        replace(issue, message=issue.message.removesuffix(STAND_BY).removesuffix(f"; {ADVICE}"))
        for issue in found.issues
    )
    return _with_doubts(Rechecked("numbers", told, faults), found, step), found.doubts


def _in_recorded_language(document: Document, started: RunStarted) -> Document:
    """The document in the recorded language of the run; a value from a foreign record may be anything."""
    language = started.settings.get("language")
    return document.in_language(language if language in LANGUAGES else None)


def _had_vetoes(started: RunStarted) -> bool:
    """Whether the run refused everything that code objected to, regardless of the worker's reasons."""
    judge = str(started.settings.get("models", {}).get("judge", ""))
    return bool(started.settings.get("strict")) or judge.startswith("offline:")


def _with_doubts(check: Rechecked, found: Evidence, step: Step) -> Rechecked:
    """The check with the objections that the record hides, and the number of doubts."""
    now, then = (count_doubts(list_unconfirmed(step.attempt, doubts)) for doubts in (found.doubts, step.doubts))
    told = check.told if not now and not then else f"{check.told}; {now or 'nothing unconfirmed'}"
    told += (f", recorded is {then or 'nothing'}" if now != then else ", as recorded") if told != check.told else ""
    return replace(check, told=told, faults=check.faults + compare_doubts(found, step))


def _with_current_quotes(attempt: Attempt, standings: tuple[QuoteStanding, ...]) -> Attempt:
    """The attempt with its quotes as they read in another text, without those that are gone."""
    quotes = tuple(_current_quote(item) for item in standings if item.text)
    ids = {quote.id for quote in quotes}
    claims = [replace(claim, quotes=tuple(id_ for id_ in claim.quotes if id_ in ids)) for claim in attempt.claims]
    return replace(attempt, claims=tuple(claims), quotes=quotes)


def _current_quote(item: QuoteStanding) -> Quote:
    placed = replace(item.quote, start=item.start, end=item.end, page=item.page, label=item.label)
    return replace(placed, text=item.text, last_page=0, places=())


def _recorded_forms(started: RunStarted) -> tuple[AnswerForm, OutputForm]:
    """The forms that the recorded settings asked for."""
    settings = started.settings
    names = {name: settings[name] for name in FORM_SETTINGS if name in settings}
    try:
        then = Settings(**names)
    except ConfigError as error:
        what = f"the settings of the run cannot be read ({error.message})"
        raise JournalError(what, code="journal-damaged") from None
    schema = _recorded_terms(started).get("schema")
    kind: Format = then.format or ("json" if settings.get("output_schema") else "md")
    if schema is not None and (fault := check_schema(schema)):
        raise JournalError(f"the schema of the run cannot be used: {fault}", code="journal-damaged")
    form = OutputForm(kind, schema, then.memory != "off" or not started.document)
    return (AnswerForm(ANY_COUNT, ANY_COUNT, then.quote_chars) if started.mode == "task" else then.form), form


def _recorded_terms(started: RunStarted) -> dict[str, Any]:
    terms = started.settings.get("terms")
    return terms if isinstance(terms, dict) else {}


def _check_output(
    started: RunStarted, step: Step, quotes: tuple[QuoteStanding, ...], current: Document | None, form: OutputForm
) -> tuple[Rechecked, tuple[Doubt, ...]]:
    """Checks the hard rules of an output; in another text only quotes that are still there support it."""
    terms, attempt = _recorded_terms(started), step.attempt
    if started.settings.get("output_schema") and "schema" not in terms:
        return Rechecked("output", "", skipped="the schema of the run was not recorded"), ()
    if current is None and started.document:
        return Rechecked("output", "", skipped="the document is not at hand"), ()
    vetoes = _had_vetoes(started)
    if current is None:
        memory = terms.get("memory")
        if not isinstance(memory, str):
            return Rechecked("output", "", skipped="the memory of the run was not recorded"), ()
        check = OutputCheck(form, started.question, memory=memory, vetoes=vetoes)
        return _recheck_output(attempt, check, step)
    there = tuple(replace(item.quote, page=item.page, label=item.label) for item in quotes if item.there)
    sections = section_numbers(current)
    is_same = current.fingerprint == started.document.get("fingerprint")
    headed = _in_recorded_language(current, started) if is_same else None
    check = OutputCheck(form, started.question, paged=current.paged, sections=sections, document=headed, vetoes=vetoes)
    return _recheck_output(replace(attempt, quotes=there), check, step)


def _recheck_output(attempt: Attempt, check: OutputCheck, step: Step) -> tuple[Rechecked, tuple[Doubt, ...]]:
    """Checks length and shape of an output, and looks up its figures, dates and quotations in the quotes."""
    found = check(attempt)
    told = "its length, its shape, and every figure, date and quotation in the quoted words"
    return _with_doubts(Rechecked("output", told, found.issues, found.broken), found, step), found.doubts
