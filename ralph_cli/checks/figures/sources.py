"""Where a figure of a claim comes from, as a judge and a reader are shown it: a cell, or words beside it. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from ralph_cli.checks.figures.candidates import Candidate
from ralph_cli.checks.figures.cells import find_cell, neighbours
from ralph_cli.checks.figures.trace import Trace, name_quantity
from ralph_cli.core.document import Document
from ralph_cli.core.run import Claim, FigureOrigin, FigureSource, Rival
from ralph_cli.core.structure import Cell, Label, Span, Table
from ralph_cli.retrieval.context import sentence_span
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.scales import SCALE_STATEMENT, content_words
from ralph_cli.text.sentences import shorten_line

_MOST_RIVALS, _MOST_TOKEN = 3, 60
_BEFORE, _AFTER = re.compile(r"(?:\S+\s+){0,4}\S*\Z"), re.compile(r"\S*(?:\s+\S+){0,3}")
_MOST_BESIDE, _MOST_LABEL, _MOST_NAME = 40, 48, 30
_BRACKETED = re.compile(r"\([^()]*\)")
_YEAR = re.compile(r"\d{4}")
_WITHOUT_UNIT = ("none", "count")


def make_source(document: Document, claim: Claim, trace: Trace) -> FigureSource:
    """The source of a figure of a claim, with its place in the document and what stands near it."""
    quantity, source = trace.quantity, trace.source
    words = name_quantity(claim.text, quantity)
    difference = trace.fault.what if trace.fault else ""
    if source is None:
        origin: FigureOrigin = "document" if trace.fault is None else "nowhere"
        return FigureSource(claim.id, words, quantity.start, origin, difference=difference)
    found = FigureSource(
        claim.id,
        words,
        quantity.start,
        source.source,
        source.quote,
        calculation=source.expression,
        difference=difference,
    )
    if source.start < 0:
        return found
    if source.source == "header":
        return replace(found, token=_label(document, source.start, source.end))
    place = find_cell(document, source.start)
    if place is not None:
        return _with_cell(document, claim, found, source, *place)
    return _with_sentence(document, found, source)


def _with_cell(
    document: Document, claim: Claim, found: FigureSource, source: Candidate, table: Table, cell: Cell
) -> FigureSource:
    token = _label(document, cell.start, cell.end)
    if len(token.text) > _MOST_TOKEN:
        token = _label(document, source.start, source.end)
    written = read_quantities(document.text[cell.start : cell.end])
    own = next((one for one in written if cell.start + one.start == source.start), source.quantity)
    rivals = _rivals_of_cell(document, claim, own, table, cell)
    facts = source.facts
    return replace(found, token=token, row=facts.row, column=facts.column, scale=facts.scale, rivals=tuple(rivals))


def _rivals_of_cell(document: Document, claim: Claim, quantity: Quantity, table: Table, cell: Cell) -> Sequence[Rival]:
    """Figures of one kind in the row and column of a cell; first those whose names have most words of the claim."""
    said, found = _words(claim.text), list[tuple[int, Rival]]()
    own = document.row_path(table, cell.row), document.column_path(table, cell.column, cell.last)
    for it, is_beside in neighbours(table, cell):
        token = _label(document, it.start, it.end)
        read = read_quantities(token.text)
        if not any(_is_alike(one, quantity) for one in read) or token.text == document.text[cell.start : cell.end]:
            continue
        path = document.column_path(table, it.column, it.last) if is_beside else document.row_path(table, it.row)
        shared = len(said & _words(" ".join(path)))
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(path, own[is_beside], strict=False)))
        name = " > ".join(path[min(same, len(path) - 1) :])
        found.append((-shared, Rival(token, "row" if is_beside else "column", name)))
    ranked = [rival for _, rival in sorted(found, key=lambda pair: pair[0])]
    row, column = ([rival for rival in ranked if rival.near == near] for near in ("row", "column"))
    return [*row[: _MOST_RIVALS - bool(column)], *column[: max(1, _MOST_RIVALS - len(row))]]


def _words(text: str) -> frozenset[str]:
    """The words, and the years, that tell a label from others."""
    return content_words(text) | frozenset(_YEAR.findall(text))


def _is_alike(one: Quantity, other: Quantity) -> bool:
    kinds = {"none" if it.kind == "date" and it.date == Date(it.date.year) else it.kind for it in (one, other)}
    return len(kinds) == 1 or kinds <= {*_WITHOUT_UNIT, "currency"}


def _with_sentence(document: Document, found: FigureSource, source: Candidate) -> FigureSource:
    sentence = sentence_span(document, Span(source.start, source.end))
    before = _BEFORE.search(document.text, sentence.start, source.start)
    after = _AFTER.match(document.text, source.end, sentence.end)
    others = [
        _label(document, sentence.start + one.start, sentence.start + one.end)
        for one in read_quantities(document.text[sentence.start : sentence.end])
        if sentence.start + one.start != source.start and _is_rival(one, source.quantity)
    ]
    return replace(
        found,
        token=_label(document, source.start, source.end),
        before=" ".join(before[0].split())[-_MOST_BESIDE:] if before else "",
        after=" ".join(after[0].split())[:_MOST_BESIDE] if after else "",
        rivals=tuple(Rival(token, "sentence") for token in others[:_MOST_RIVALS]),
    )


def _is_rival(one: Quantity, other: Quantity) -> bool:
    """Whether figures of a sentence are of one kind; of dates, whether both are days."""
    return _is_alike(one, other) and (one.kind != "date" or bool(one.date.day and other.date.day))


def _label(document: Document, start: int, end: int) -> Label:
    return Label(" ".join(document.text[start:end].split()), start, end)


def describe_source(figure: FigureSource) -> str:
    """A figure and its source in one line, for a judge and for a terminal."""
    return f'"{figure.words}": ' + " | ".join(filter(None, _parts_of(figure)))


def _parts_of(figure: FigureSource) -> Iterator[str]:
    if figure.origin == "nowhere":
        yield figure.difference or "in no quote"
        return
    yield from _place_parts(figure) if figure.origin == "quote" else (_origin_part(figure),)
    yield figure.difference
    for near in ("row", "column", "sentence"):
        rivals = [_rival_part(rival) for rival in figure.rivals if rival.near == near]
        yield f"same {near}: {', '.join(rivals)}" if rivals else ""


def _origin_part(figure: FigureSource) -> str:
    """Where a figure comes from that is in no quote."""
    header = f'in "{shorten_line(figure.token.text, _MOST_LABEL)}" ' if figure.token else ""
    return {
        "calculation": f"from the calculation {figure.calculation}",
        "derived": f"in no quote; no calculation is recorded, but {figure.calculation} gives it",
        "question": "from the question",
        "header": f"{header}above quote {figure.quote}",
    }.get(figure.origin, "in the document")


def _place_parts(figure: FigureSource) -> Iterator[str]:
    """Where a figure of a quote stands: its cell, or the words beside it."""
    quote, token = f"quote {figure.quote}", figure.token.text if figure.token else ""
    if figure.row or figure.column:
        yield f"{token} in {quote}" if token else quote
        yield f"row {_path(figure.row)}" if figure.row else "row without a label"
        yield f"column {_path(figure.column)}" if figure.column else "column without a name"
        yield _short_scale(figure.scale.text) if figure.scale else ""
    elif token:
        yield f'"{" ".join(filter(None, (figure.before, f"[{token}]", figure.after)))}" in {quote}'


def _rival_part(rival: Rival) -> str:
    return f"{rival.token.text} ({shorten_line(rival.name, _MOST_NAME)})" if rival.name else rival.token.text


def _path(labels: Sequence[Label]) -> str:
    """A path in one line; of a long one the innermost labels."""
    words = [label.text for label in labels]
    while len(words) > 1 and len(" > ".join(words)) > _MOST_LABEL:
        words = words[1:]
    return shorten_line(("" if len(words) == len(labels) else "... > ") + " > ".join(words), _MOST_LABEL)


def _short_scale(text: str) -> str:
    """A statement of scale in a few words: what it has in brackets, if that states it."""
    bracketed = next((match[0] for match in _BRACKETED.finditer(text) if SCALE_STATEMENT.search(match[0])), text)
    return shorten_line(bracketed, _MOST_LABEL)
