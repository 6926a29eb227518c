"""The source of a figure in words: its cell with row, column and scale, or words beside it, and its rivals. Pure."""

import re
from collections.abc import Iterator, Sequence

from ralph_cli.core.run import FigureSource, Rival
from ralph_cli.core.structure import Label
from ralph_cli.text.scales import SCALE_STATEMENT
from ralph_cli.text.sentences import shorten_line

_MOST_LABEL, _MOST_NAME = 48, 30
_BRACKETED = re.compile(r"\([^()]*\)")


def describe_source(figure: FigureSource) -> str:
    """A figure and its source in one line, for a judge and for a terminal."""
    return f'"{figure.words}": ' + " | ".join(source_parts(figure))


def source_parts(figure: FigureSource) -> list[str]:
    """Where a figure comes from, what names its row and column, and the figures for which it may be mistaken."""
    if figure.origin == "nowhere":
        return [figure.difference or "in no quote"]
    place = _place_parts(figure) if figure.origin == "quote" else (_origin_part(figure),)
    return [part for part in (*place, figure.difference, *_rival_parts(figure)) if part]


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
    """Where a figure of a quote stands: its cell, one of several cells with its value, or the words beside it."""
    quote, token = f"quote {figure.quote}", figure.token.text if figure.token else ""
    if figure.row or figure.column:
        equal = [rival for rival in figure.rivals if rival.near == "value"]
        if equal:
            own = " > ".join(label.text for label in (*figure.row, *figure.column))
            cells = (f"{token} ({shorten_line(own, _MOST_LABEL)})", *map(_rival_part, equal))
            yield f"one of several cells, code cannot tell which: {', '.join(cells)}"
        else:
            yield f"{token} in {quote}"
            yield f"row {_path(figure.row)}" if figure.row else "row without a label"
            yield f"column {_path(figure.column)}" if figure.column else "column without a name"
        yield _short_scale(figure.scale.text) if figure.scale else ""
    elif token:
        yield f'"{" ".join(filter(None, (figure.before, f"[{token}]", figure.after)))}" in {quote}'


def _rival_parts(figure: FigureSource) -> Iterator[str]:
    for near in ("row", "column", "sentence"):
        rivals = [_rival_part(rival) for rival in figure.rivals if rival.near == near]
        yield f"same {near}: {', '.join(rivals)}" if rivals else ""


def _rival_part(rival: Rival) -> str:
    return f"{rival.token.text} ({shorten_line(rival.name, _MOST_NAME)})" if rival.name else rival.token.text


def _path(labels: Sequence[Label]) -> str:
    """A path in one line; of a long one the innermost labels."""
    words = [label.text for label in labels]
    while len(words) > 1 and len(" > ".join(words)) > _MOST_LABEL:
        words = words[1:]
    return shorten_line(("" if len(words) == len(labels) else "... > ") + " > ".join(words), _MOST_LABEL)


def _short_scale(text: str) -> str:
    """A statement of scale in a few words: what it has in brackets, or the rest of its line, if that states it."""
    bracketed = next((match[0] for match in _BRACKETED.finditer(text) if SCALE_STATEMENT.search(match[0])), "")
    stated = SCALE_STATEMENT.search(text)
    return shorten_line(bracketed or (text[stated.start() :] if stated else text), _MOST_LABEL)
