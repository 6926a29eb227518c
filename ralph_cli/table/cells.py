"""Fills a cell with the result of a run."""

from collections.abc import Iterator

from ralph_cli.core.model import Usage
from ralph_cli.core.results.table import Cell, CellQuote, CellState, TableQuestion, TableRow, Value
from ralph_cli.core.run import Quote, StopType
from ralph_cli.reports.sections.documents import place_values
from ralph_cli.reports.view import RunView, describe_place
from ralph_cli.table.values.reading import read_value
from ralph_cli.text.figure_lines import describe_source

# The beginning of the notice on an answer from an earlier version that is still in the document.
TAKEN_OVER = "taken over from the earlier version of the document"

_STATES = {
    StopType.COMPLETION: CellState.ANSWERED,
    StopType.ABSENT: CellState.ABSENT,
    StopType.PASSAGES: CellState.PASSAGES,
    StopType.NO_PASSAGES: CellState.NO_PASSAGES,
    StopType.UNJUDGED: CellState.UNJUDGED,
    StopType.SYSTEM_ERROR: CellState.FAILED,
}


def fill_cell(row: TableRow, question: TableQuestion, view: RunView) -> Cell:
    """Return the cell with the result of a run."""
    state = _state(view)
    statements = [claim.text for claim in view.claims]
    accepted = state in (CellState.ANSWERED, CellState.QUALIFIED)
    answered = accepted or state is CellState.PASSAGES
    return Cell(
        row=row.name,
        question=question.id,
        state=state,
        answer="\n".join(statements) if answered else "",
        value=_value(question, view) if accepted else None,
        quotes=tuple(_cell_quote(quote, view) for quote in (view.quotes if answered else ())),
        reason=_reason(view, state),
        notes=tuple(_notes(view)),
        searched=tuple(f'"{search.term}": {search.hits}' for search in view.searches),
        run=view.run,
        models=view.models,
        # The built-in engine counts words, not tokens.
        usage=view.usage if view.asks_models else Usage(),
        seconds=view.seconds,
        reviews=view.reviews,
        figures=tuple(describe_source(figure) for item in view.claims for figure in item.figures) if answered else (),
    )


def _value(question: TableQuestion, view: RunView) -> Value | None:
    """Return the value in the claims; a problem if the source limits a figure and the claim does not mention
    the limit.
    """
    value = read_value(question, [claim.text for claim in view.claims])
    limits = (figure.limit for claim in view.claims[:1] for figure in claim.figures if figure.limit)
    if value is None or value.number is None or (limit := next(limits, "")) == "":
        return value
    return Value(problem=f'the document limits it ("{limit}"), and the claim does not say so')


def _cell_quote(quote: Quote, view: RunView) -> CellQuote:
    values = place_values(quote, view.document, paged=view.paged)
    place = describe_place(quote, paged=view.paged)
    return CellQuote(quote.text, place, str(values.get("document", "")), int(values["page"] or 0))


def _state(view: RunView) -> CellState:
    stop = view.halt.type
    if stop is StopType.COMPLETION:
        if all(claim.verdict == "absent" for claim in view.claims):
            return CellState.ABSENT
        if any(claim.limits for claim in view.claims):
            return CellState.QUALIFIED
    if stop in _STATES:
        return _STATES[stop]
    return CellState.CUT_OFF if stop.is_cut_off() else CellState.REFUSED


def _reason(view: RunView, state: CellState) -> str:
    """Return why there is no accepted answer; empty if there is an accepted answer."""
    if state in (CellState.ANSWERED, CellState.QUALIFIED):
        return ""
    if state is CellState.ABSENT:
        return view.absence or "the document does not say it"
    if state is CellState.PASSAGES:
        return "passages that may answer; no language model has read them"
    first = next((issue.message for issue in view.issues), "") if state is CellState.REFUSED else ""
    return f"{view.halt.detail}: {first}" if first else view.halt.detail


def _notes(view: RunView) -> Iterator[str]:
    """Yield remarks on the answer."""
    for claim in view.claims:
        for item in claim.limits:
            yield f"{'contradicted' if item.contradicts else 'qualified'} elsewhere: {item.reason}"
    for doubt in view.unconfirmed:
        yield doubt.message
    yield from view.losses
    yield from (notice for notice in view.notices if notice.startswith(TAKEN_OVER))
