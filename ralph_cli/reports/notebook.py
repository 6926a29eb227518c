"""Renders a run as a table for a notebook: each claim beside its quotes, as HTML with all foreign text escaped."""

from collections.abc import Iterable
from html import escape

from ralph_cli.core.run import Quote
from ralph_cli.reports.safe_text import make_visible
from ralph_cli.reports.sections.outcome import PASSAGES_HEADING, describe_outcome
from ralph_cli.reports.sections.reviews import HEADING, describe_reviews
from ralph_cli.reports.sections.unconfirmed import Unconfirmed, describe_doubt
from ralph_cli.reports.view import ClaimView, RunView, describe_place


def render_table(view: RunView) -> str:
    """The question, the outcome, and the claims with their quotes and places."""
    # Nobody has ruled on passages that code found, and their claims are the quotes.
    heads = (PASSAGES_HEADING,) if view.has_no_reader else ("Claim", "Judged", "Quotes")
    rows = "".join(f"<tr>{_cells(item, view)}</tr>" for item in view.claims)
    head = "".join(f'<th style="text-align:left">{_text(title)}</th>' for title in heads)
    output = f"<pre>{escape(make_visible(view.output))}</pre>" if view.output else ""
    table = f"<table><tr>{head}</tr>{rows}</table>" if rows else ""
    output += _doubts([doubt for doubt in view.unconfirmed if doubt.claim is None])
    reviews = "".join(f"<br>{_text(line)}" for line in describe_reviews(view.reviews))
    table += f"<p>{HEADING}:{reviews}</p>" if reviews else ""
    return f"<p><b>{_text(view.question)}</b></p>{output}{table}<p><small>{_text(describe_outcome(view))}</small></p>"


def _cells(item: ClaimView, view: RunView) -> str:
    quotes = "<br>".join(_quote(quote, paged=view.paged) for quote in item.quotes)
    judged = f"{_text(item.verdict_words)}{_doubts(item.unconfirmed)}"
    told = () if view.has_no_reader else (_text(item.claim.text), judged)
    return "".join(f'<td style="text-align:left;vertical-align:top">{cell}</td>' for cell in (*told, quotes))


def _quote(quote: Quote, *, paged: bool) -> str:
    return f"“{_text(quote.text)}” <small>{_text(describe_place(quote, paged=paged))}</small>"


def _doubts(doubts: Iterable[Unconfirmed]) -> str:
    return "".join(f"<br><small>{_text(describe_doubt(doubt))}</small>" for doubt in doubts)


def _text(text: str) -> str:
    return escape(" ".join(make_visible(text).split()))
