"""Lines of a report whose pieces have styles: in colour on a terminal, and the same as plain text anywhere else."""

from collections.abc import Iterable

Styled = tuple[str, str]
"""A piece of a line and its style name ("" for none)."""


def plain_text(lines: Iterable[list[Styled]]) -> str:
    """The lines as text without any style."""
    return "".join("".join(text for text, _ in line) + "\n" for line in lines)
