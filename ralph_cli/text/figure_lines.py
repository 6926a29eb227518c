"""The source of a figure in words: its cell with row, column and scale, or words beside it, and its rivals. Pure."""

import re
from collections.abc import Iterator, Sequence

from ralph_cli.core.run import FigureSource
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
    parts = (*_place_parts(figure), figure.difference if figure.origin != "nowhere" else "", *_rival_parts(figure))
    return [part for part in parts if part]


def _place_parts(figure: FigureSource) -> Iterator[str]:
    quote, token = f"quote {figure.quote}", figure.token.text if figure.token else ""
    if figure.origin == "nowhere":
        yield figure.difference or "in no quote"
    elif figure.origin == "calculation":
        yield f"from the calculation {figure.calculation}"
    elif figure.origin == "derived":
        yield f"in no quote; no calculation is recorded, but {figure.calculation} gives it"
    elif figure.origin in ("question", "document"):
        yield "from the question" if figure.origin == "question" else "in the document"
    elif figure.origin == "header":
        yield f'in "{shorten_line(token, _MOST_LABEL)}" above {quote}' if token else f"above {quote}"
    elif figure.row or figure.column:
        yield f"{token} in {quote}"
        yield f"row {_path(figure.row)}" if figure.row else "row without a label"
        yield f"column {_path(figure.column)}" if figure.column else "column without a name"
        yield _short_scale(figure.scale.text) if figure.scale else ""
    elif token:
        yield f'"{" ".join(filter(None, (figure.before, f"[{token}]", figure.after)))}" in {quote}'


def _rival_parts(figure: FigureSource) -> Iterator[str]:
    for near in ("value", "row", "column", "sentence"):
        rivals = [rival for rival in figure.rivals if rival.near == near]
        named = [f" ({shorten_line(it.name, _MOST_NAME)})" if it.name else "" for it in rivals]
        listed = ", ".join(f"{it.token.text}{name}" for it, name in zip(rivals, named, strict=True))
        yield f"same {near}: {listed}" if rivals else ""


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
