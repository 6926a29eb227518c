"""Claims with quotes from a document, put through the check of figures."""

from collections.abc import Sequence

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.run import Draft, DraftClaim, Evidence, FigureSource
from ralph_cli.retrieval.quotes.index import QuoteIndex


def check_figures(
    about: Document, text: str, quotes: Sequence[str], calculations: Sequence[str] = (), question: str = ""
) -> Evidence:
    """What the check says of one claim, whose quotes are all in the document."""
    attempt = resolve_quotes(Draft((DraftClaim(text, tuple(quotes), tuple(calculations)),)), about, QuoteIndex(about))
    assert not attempt.refused, attempt.refused
    return NumbersCheck(about, question)(attempt)


def objections(
    about: Document, text: str, quotes: Sequence[str], calculations: Sequence[str] = (), question: str = ""
) -> list[str]:
    """The words of all objections to one claim."""
    return [issue.material for issue in check_figures(about, text, quotes, calculations, question).issues]


def source_of(words: str, found: Evidence) -> FigureSource:
    """The source of the figure that a claim writes so."""
    (source,) = (source for source in found.figures if source.words == words)
    return source
