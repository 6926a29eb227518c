"""A run as a table for a notebook: each claim beside its quotes, plain HTML that no document's text can change."""

from collections.abc import Iterable
from html import escape

from ralph_cli.reports.safe_text import make_visible
from ralph_cli.reports.sections.outcome import describe_outcome
from ralph_cli.reports.sections.unconfirmed import Unconfirmed, describe_doubt
from ralph_cli.reports.view import RunView, describe_place


def render_table(view: RunView) -> str:
    """What was asked, what came of it, and the claims with their quotes and places."""
    rows = "".join(
        f"<tr><td>{_text(item.claim.text)}</td><td>{_text(item.verdict_words)}{_doubts(item.unconfirmed)}</td><td>"
        + "<br>".join(
            f"“{_text(quote.text)}” <small>{_text(describe_place(quote, paged=view.paged))}</small>"
            for quote in item.quotes
        )
        + "</td></tr>"
        for item in view.claims
    )
    output = f"<pre>{_text(view.output)}</pre>" if view.output else ""
    table = f"<table><tr><th>claim</th><th>judged</th><th>quotes</th></tr>{rows}</table>" if rows else ""
    output += _doubts([doubt for doubt in view.unconfirmed if doubt.claim is None])
    return f"<p><b>{_text(view.question)}</b></p>{output}{table}<p><small>{_text(describe_outcome(view))}</small></p>"


def _doubts(doubts: Iterable[Unconfirmed]) -> str:
    return "".join(f"<br><small>{_text(describe_doubt(doubt))}</small>" for doubt in doubts)


def _text(text: str) -> str:
    return escape(" ".join(make_visible(text).split()) if "\n" not in text else make_visible(text))
