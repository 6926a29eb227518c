"""The source of a figure in words:

its cell with row, column and scale, or the words next to it, and its rivals. Pure.
"""

import re
from collections.abc import Iterator, Sequence

from ralph_cli.core.run import FigureSource, Rival
from ralph_cli.core.structure import Label
from ralph_cli.text.scales import SCALE_STATEMENT
from ralph_cli.text.sentences import shorten_line

# Characters of a line and of a label, and rivals of each sort, before either is cut.
_LONG, _ALL_RIVALS, _WIDTH = 150, 3, 48

_BRACKETED = re.compile(r"\([^()]*\)")


def describe_source(figure: FigureSource) -> str:
    """Return a figure and its source in one line, for a judge and a terminal.

    Long lines have fewer rivals, shorter labels.
    """
    lines = [f'"{figure.words}": ' + " | ".join(source_parts(figure, most, width)) for most, width in _FORMS]
    return next((line for line in lines if len(line) <= _LONG), lines[-1])


_FORMS = ((_ALL_RIVALS, _WIDTH), (1, 36), (1, 24))


def source_parts(figure: FigureSource, most: int = _ALL_RIVALS, width: int = _WIDTH) -> list[str]:
    """Return the source of a figure, the labels of its row and column, and its rivals.

    There are up to `most` rivals (figures for which it may be mistaken) in each direction. Labels have up to `width`
    characters.
    """
    if figure.origin == "nowhere":
        return [figure.difference or "in no quote"]
    place = _place_parts(figure, width) if figure.origin == "quote" else (_origin_part(figure, width),)
    return [part for part in (*place, figure.difference, *_rival_parts(figure, most, width)) if part]


def _origin_part(figure: FigureSource, width: int) -> str:
    """Return the source of a figure that is in no quote."""
    header = f'in "{shorten_line(figure.token.text, width)}" ' if figure.token else ""
    return {
        "calculation": f"from the calculation {figure.calculation}",
        "derived": f"in no quote; no calculation is recorded, but {figure.calculation} gives it",
        "question": "from the question",
        "header": f"{header}above quote {figure.quote}",
    }.get(figure.origin, "in the document")


def _place_parts(figure: FigureSource, width: int) -> Iterator[str]:
    """Yield the position of a quoted figure: its cell, one of several cells with its value, or the words next
    to it.
    """
    quote, token = f"quote {figure.quote}", figure.token.text if figure.token else ""
    if figure.row or figure.column:
        equal = [rival for rival in figure.rivals if rival.near == "value"]
        if equal:
            own = " > ".join(label.text for label in (*figure.row, *figure.column))
            cells = (f"{token} ({shorten_line(own, width)})", *(_rival_part(it, width) for it in equal))
            yield f"one of several cells, code cannot tell which: {', '.join(cells)}"
        else:
            yield f"{token} in {quote}"
            yield f"row {_path(figure.row, width)}" if figure.row else "row without a label"
            yield f"column {_path(figure.column, width)}" if figure.column else "column without a name"
        is_named = figure.scale is None or figure.scale in (*figure.row, *figure.column)
        yield _short_scale(figure.scale.text, width) if figure.scale and not is_named else ""
    elif token:
        yield f'"{" ".join(filter(None, (figure.before, f"[{token}]", figure.after)))}" in {quote}'


def _rival_parts(figure: FigureSource, most: int, width: int) -> Iterator[str]:
    for near in ("row", "column", "sentence"):
        rivals = [_rival_part(rival, width * 5 // 8) for rival in figure.rivals if rival.near == near][:most]
        yield f"same {near}: {', '.join(rivals)}" if rivals else ""


def _rival_part(rival: Rival, width: int) -> str:
    return f"{rival.token.text} ({shorten_line(rival.name, width)})" if rival.name else rival.token.text


def _path(labels: Sequence[Label], width: int) -> str:
    """Return a path in one line; only the innermost labels if it is long."""
    words = [label.text for label in labels]
    while len(words) > 1 and len(" > ".join(words)) > width:
        words = words[1:]
    return shorten_line(("" if len(words) == len(labels) else "... > ") + " > ".join(words), width)


def _short_scale(text: str, width: int) -> str:
    """Return a statement of scale in a few words: its text in brackets, or the rest of its line, if that states the
    scale.
    """
    bracketed = next((match[0] for match in _BRACKETED.finditer(text) if SCALE_STATEMENT.search(match[0])), "")
    stated = SCALE_STATEMENT.search(text)
    return shorten_line(bracketed or (text[stated.start() :] if stated else text), width)
