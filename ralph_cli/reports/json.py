"""A run as one JSON object."""

import json
from typing import Any

from ralph_cli.core.run import Quote
from ralph_cli.reports.view import TIERS, RunView


def as_object(view: RunView) -> dict[str, Any]:
    """The object of `--json`: ok, stop, output, claims, quotes, usage, document, run; `output.text` of a task.

    `start` and `end` are half-open character offsets in the document's text; `page` counts from 1 and is null in
    formats without pages; `match` is "exact", "folded" or "re-cut", with what a reader should know in `difference`;
    `hidden` says why a reader of the page cannot see the quote, and is empty when nothing speaks against it;
    `usage.usd` is null when a price is unknown.
    """
    paged = view.document.get("kind") == "pdf" or view.document.get("pages", 1) > 1
    return {
        "ok": view.ok,
        "stop": {"type": view.halt.type.value, "reason": view.halt.detail},
        "question": view.question,
        "output": ({"text": view.output} if view.mode == "task" else {})
        | {
            "answer": "\n".join(f"- {item.claim.text}" for item in view.claims),
            "evidence": [quote.text for quote in view.quotes],
        },
        "claims": [
            {
                "id": item.claim.id,
                "text": item.claim.text,
                "quotes": list(item.claim.quotes),
                "verdict": item.verdict,
                "reason": item.ruling.reason if item.ruling else "",
                "judge": item.ruling.judge if item.ruling else None,
            }
            for item in view.claims
        ],
        "quotes": [_quote(quote, paged) for quote in view.quotes],
        "not_found": _absence(view),
        "issues": [{"check": i.check, "claim": i.claim, "message": i.line} for i in view.issues],
        "judged": view.judged,
        "iterations": view.iterations,
        "usage": {
            "calls": view.usage.calls,
            "input_tokens": view.usage.input_tokens,
            "output_tokens": view.usage.output_tokens,
            "cache_read_tokens": view.usage.cache_read_tokens,
            "cache_write_tokens": view.usage.cache_write_tokens,
            "characters_sent": view.usage.characters,
            "usd": view.usage.usd,
            "seconds": view.seconds,
        },
        "document": view.document,
        "notices": list(view.notices),
        "run": {"id": view.run, "folder": view.folder},
    }


def _quote(quote: Quote, paged: bool) -> dict[str, Any]:
    return {
        "id": quote.id,
        "text": quote.text,
        "page": quote.page if paged else None,
        "label": quote.label if paged else None,
        "start": quote.start,
        "end": quote.end,
        "last_page": (quote.last_page or quote.page) if paged else None,
        "match": TIERS[quote.match],
        "difference": list(quote.difference),
        "hidden": quote.hidden,
        "occurrences": quote.occurrences,
        "places": [list(place) for place in quote.places],
        "said": quote.said,
    }


def _absence(view: RunView) -> dict[str, Any] | None:
    if view.absence is None:
        return None
    searched = [{"term": search.term, "hits": search.hits} for search in view.searches]
    return {"searched": searched, "note": view.absence}


def dumps(view: RunView) -> str:
    """The object as text; characters that a terminal would obey come out escaped, as JSON allows."""
    return json.dumps(as_object(view), ensure_ascii=True, indent=2)
