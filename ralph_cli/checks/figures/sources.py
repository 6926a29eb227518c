"""The source of a figure in a claim or output, for a judge and a reader: a cell, or the words next to it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from ralph_cli.checks.figures.calculation import WITHOUT_UNIT
from ralph_cli.checks.figures.candidates import Candidate
from ralph_cli.checks.figures.cells import as_label, find_cell, neighbours
from ralph_cli.checks.figures.trace import Trace, label_words, name_quantity
from ralph_cli.core.document import Document
from ralph_cli.core.run import FigureOrigin, FigureSource, Rival
from ralph_cli.core.structure import Cell, Span, Table
from ralph_cli.retrieval.context import sentence_span
from ralph_cli.text.languages.documents import DocumentInEnglish
from ralph_cli.text.languages.figures import EnglishFigures
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities

_MOST_RIVALS, _MOST_TOKEN = 3, 60
_BEFORE, _AFTER = re.compile(r"(?:\S+\s+){0,4}\S*\Z"), re.compile(r"\S*(?:\s+\S+){0,3}")
_MOST_BESIDE = 40


def find_source(
    english: DocumentInEnglish, original: Document, text: EnglishFigures, said: str, trace: Trace
) -> FigureSource | None:
    """Return the source of a figure, with its position in the `original` document and the text near it.

    `said` has all words that describe the figure. Returns None for a name with digits that the document has.
    """
    quantity, source = trace.quantity, trace.source
    if quantity.kind == "identifier" and trace.fault is None:
        return None
    if source is not None and source.start >= 0:
        start, end = english.read.widen(source.start, source.end)
        trace = replace(trace, source=replace(source, start=start, end=end))
    start, end = text.widen(quantity.start, quantity.end)
    as_written = replace(quantity, text=text.original[start:end], start=start, end=end)
    found = _make_source(original, text.original, said, replace(trace, quantity=as_written))
    if english.document is original:
        return found
    row, column = (tuple(as_label(original, it.start, it.end) for it in path) for path in (found.row, found.column))
    scale = as_label(original, found.scale.start, found.scale.end) if found.scale else None
    return replace(found, row=row, column=column, scale=scale)


def _make_source(document: Document, text: str, said: str, trace: Trace) -> FigureSource:
    quantity, source = trace.quantity, trace.source
    words = name_quantity(text, quantity)
    words = words if "(" in words else words.rstrip(")")
    difference = (trace.fault.brief or trace.fault.what) if trace.fault else ""
    if source is None:
        origin: FigureOrigin = "document" if trace.fault is None else "nowhere"
        return FigureSource(0, words, quantity.start, origin, difference=difference)
    found = FigureSource(
        0,
        words,
        quantity.start,
        source.source,
        source.quote,
        calculation=source.expression,
        difference=difference,
    )
    if source.start < 0:
        return found
    if source.source in ("header", "document"):
        return replace(found, token=as_label(document, source.start, source.end))
    place = find_cell(document, source.start)
    if place is not None:
        return _with_cell(document, said, found, trace, *place)
    return _with_sentence(document, found, source, quantity)


def _with_cell(
    document: Document, said: str, found: FigureSource, trace: Trace, table: Table, cell: Cell
) -> FigureSource:
    source = trace.source or Candidate(trace.quantity)
    token = as_label(document, cell.start, cell.end)
    if len(token.text) > _MOST_TOKEN:
        token = as_label(document, source.start, source.end)
    written = read_quantities(document.text[cell.start : cell.end])
    own = next((one for one in written if cell.start + one.start == source.start), source.quantity)
    rivals = [*_same_value(document, trace), *_rivals_of_cell(document, said, own, table, cell)]
    facts = source.facts
    return replace(found, token=token, row=facts.row, column=facts.column, scale=facts.scale, rivals=tuple(rivals))


def _same_value(document: Document, trace: Trace) -> Iterator[Rival]:
    """Yield other quoted cells with the same value, at the precision of the claim."""
    seen = {(trace.source.start if trace.source else -1)}
    for other in trace.others:
        if other.source == "quote" and other.start not in seen and (place := find_cell(document, other.start)):
            seen.add(other.start)
            token = as_label(document, place[1].start, place[1].end)
            yield Rival(token, "value", " > ".join(it.text for it in (*other.facts.row, *other.facts.column)))


def _rivals_of_cell(document: Document, said: str, quantity: Quantity, table: Table, cell: Cell) -> Sequence[Rival]:
    """Return figures of the same kind in the row and column of a cell, ordered by how many words of `said` their names
    have.
    """
    words, found = label_words(said), list[tuple[int, Rival]]()
    own = document.row_path(table, cell.row), document.column_path(table, cell.column, cell.last)
    for it, is_beside in neighbours(table, cell):
        token = as_label(document, it.start, it.end)
        read = read_quantities(token.text)
        if (
            not any(_is_of_one_kind(one, quantity) for one in read)
            or token.text == document.text[cell.start : cell.end]
        ):
            continue
        path = document.column_path(table, it.column, it.last) if is_beside else document.row_path(table, it.row)
        shared = len(words & label_words(" ".join(path)))
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, own[is_beside], strict=False)))
        name = " > ".join(path[min(same, len(path) - 1) :])
        found.append((-shared, Rival(token, "row" if is_beside else "column", name)))
    ranked = [rival for _, rival in sorted(found, key=lambda pair: pair[0])]
    row, column = ([rival for rival in ranked if rival.near == near] for near in ("row", "column"))
    return [*row[: _MOST_RIVALS - bool(column)], *column[: max(1, _MOST_RIVALS - len(row))]]


def _is_of_one_kind(one: Quantity, other: Quantity) -> bool:
    kinds = {"none" if it.kind == "date" and it.date == Date(it.date.year) else it.kind for it in (one, other)}
    return len(kinds) == 1 or kinds <= {*WITHOUT_UNIT, "currency"}


def _with_sentence(document: Document, found: FigureSource, source: Candidate, quantity: Quantity) -> FigureSource:
    sentence = sentence_span(document, Span(source.start, source.end))
    before = _BEFORE.search(document.text, sentence.start, source.start)
    after = _AFTER.match(document.text, source.end, sentence.end)
    others = [
        as_label(document, sentence.start + one.start, sentence.start + one.end)
        for one in read_quantities(document.text[sentence.start : sentence.end])
        if sentence.start + one.start != source.start and _is_rival(one, source.quantity)
    ]
    token = as_label(document, source.start, source.end)
    words_before = " ".join(before[0].split())[-_MOST_BESIDE:] if before else ""
    words_after = " ".join(after[0].split())[:_MOST_BESIDE] if after else ""
    is_limited = bool(source.quantity.bound or source.quantity.approximate)
    is_dropped = is_limited and not (quantity.bound or quantity.approximate)
    return replace(
        found,
        token=token,
        before=words_before,
        after=words_after,
        limit=f"{words_before} {token.text} {words_after}".strip() if is_dropped else "",
        rivals=tuple(Rival(it, "sentence") for it in others[:_MOST_RIVALS]),
    )


def _is_rival(one: Quantity, other: Quantity) -> bool:
    """Whether two figures of a sentence are of one kind; two dates must both be days."""
    return _is_of_one_kind(one, other) and (one.kind != "date" or bool(one.date.day and other.date.day))
