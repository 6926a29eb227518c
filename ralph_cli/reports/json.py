"""Renders a run as one JSON object."""

from dataclasses import asdict
from typing import Any

from ralph_cli.core.run import FigureSource, Passage, Quote, Ruling, Search
from ralph_cli.reports.safe_text import pick
from ralph_cli.reports.sections import coverage
from ralph_cli.reports.sections.documents import Record, place_values
from ralph_cli.reports.sections.reviews import review_objects
from ralph_cli.reports.view import TIER_NAMES, ClaimView, RunView


def as_object(view: RunView) -> dict[str, Any]:
    """The object of `--json`: ok, stop, output, claims, quotes, coverage, usage, document, run; `output.text`.

    The `verdict` of a claim is the judge's verdict or "unjudged". An item of a task is "in-output" if the output was
    judged as a whole; `output.verdict` has that verdict (null if nobody judged it). `start` and `end` are half-open
    character offsets in the document's text. `page` counts from 1 and is null in formats without pages; `place` says
    the same in words. In a set `document` is the name of the document, which counts its own pages; offsets count
    through all texts, and `document.documents` has where each begins. `match` is "exact", "folded", "re-cut" or
    "elided"; `difference` has what a reader should know of it. `hidden` says why a reader of the page cannot see the
    quote; it is empty if nothing hides it. `usage.usd` is null if a price is unknown. `not_found` has the searches,
    counted by code (`by`: named by the worker or found in its code; `hits` is null with a `fault` if a search could not
    be counted), the pages of which a model was shown something (runs [first, last]; null if not recorded, or without
    pages), the passages nearest to the question, which do not answer it, and the pages that could not be read in full.
    `completeness` is the proof that a list is complete (`by` words of the document that close the list, `places` of
    terms, or `pages`), and whether it `holds`. `unheard` are models of the panel that gave no verdict on a claim.
    `subqueries` counts the sub-queries that were asked, those without an answer (lost, with the reasons, and the
    intervals of the text that no model has read since), and those that were not asked (refused). `children` are the
    child workers, each with its branch ("2.1" is a child of "2") and its cost. `unconfirmed` has what code could not
    confirm of a claim (null: of the output): to an "objection" the worker has answered with a reason; what is "open" is
    unverified. `notices` also say if counter-evidence was not searched for, and if sub-queries were lost.
    `verification` is the word of a verifier on the result: "passed", "refused", "failed" (it gave no verdict),
    "skipped" (it was not asked on the last iteration), or null without a verifier. `reviews` are later reviews by
    people (confirmed, wrong, corrected).
    """
    return {
        "ok": view.ok,
        "stop": {"type": view.halt.type.value, "reason": view.halt.detail},
        "question": view.question,
        "follows": dict(view.follows) or None,
        "output": (_output_object(view) if view.mode == "task" else {})
        | {
            "answer": "\n".join(f"- {item.claim.text}" for item in view.claims),
            "evidence": [quote.text for quote in view.quotes],
        },
        "claims": [_claim_object(item) for item in view.claims],
        "quotes": [quote_object(quote, paged=view.paged, record=view.document) for quote in view.quotes],
        "counter_evidence": {
            "passages": [quote_object(quote, paged=view.paged, record=view.document) for quote in view.found_passages],
            "notes": list(view.notes),
        },
        "looks": [asdict(look) for look in view.looks],
        "not_found": _absence(view),
        "completeness": [pick(it, "by", "holds", "message") for it in view.completeness],
        "coverage": coverage.as_object(view.coverage, view.document),
        "subqueries": view.subqueries,
        "children": [child.as_object() for child in view.children],
        "unconfirmed": [asdict(doubt) for doubt in view.unconfirmed],
        "issues": [{"check": i.check, "claim": i.claim, "message": i.line} for i in view.issues],
        "judged": view.judged,
        "verification": view.verification or None,
        "iterations": view.iterations,
        "usage": {
            **pick(view.usage, "calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
            "characters_sent": view.usage.characters,
            "usd": view.usage.usd,
            "usd_by_role": dict(view.usd_by_role),
            "usd_saved_by_cache": view.saved_usd,
            "seconds": view.seconds,
        },
        "document": view.document,
        "reviews": review_objects(view.reviews),
        "notices": list(view.notices),
        "run": {"id": view.run, "folder": view.folder},
    }


def _claim_object(item: ClaimView) -> dict[str, Any]:
    return {
        **pick(item.claim, "id", "text", "quotes", "calculations"),
        "verdict": item.verdict,
        **_reason_object(item.ruling),
        "quote_verdicts": [
            {"quote": judged.quote, "verdict": judged.bearing, "reason": judged.reason}
            for judged in (item.ruling.quotes if item.ruling else ())
        ],
        "qualified": [
            {"quote": q.quote, "verdict": q.effect, "reason": q.reason, "judge": q.judge} for q in item.qualifications
        ],
        "figures": [figure_object(figure) for figure in item.figures],
        "votes": vote_objects(item.ruling),
        "unheard": [{"judge": judge, "reason": why} for judge, why in item.missing_votes],
    }


def _reason_object(ruling: Ruling | None) -> dict[str, Any]:
    return pick(ruling, "reason", "judge") if ruling else {"reason": "", "judge": None}


def _output_object(view: RunView) -> dict[str, Any]:
    """The output of a task, the ruling on it as a whole, and the sources of its figures."""
    ruling = view.output_ruling
    return {
        "text": view.output,
        "verdict": ruling.verdict.value if ruling else None,
        **_reason_object(ruling),
        "figures": [figure_object(figure) for figure in view.figures],
    }


def vote_objects(ruling: Ruling | None) -> list[dict[str, Any]]:
    """The votes of a ruling as plain values."""
    votes = ruling.votes if ruling else ()
    return [{"judge": vote.judge, "verdict": vote.verdict.value, "reason": vote.reason} for vote in votes]


def quote_object(quote: Quote, *, paged: bool, record: Record) -> dict[str, Any]:
    """A quote as plain values; its page is null in formats without pages."""
    return {
        **pick(quote, "id", "text"),
        **place_values(quote, record, paged=paged),
        **pick(quote, "start", "end"),
        "match": TIER_NAMES[quote.match],
        **pick(quote, "difference", "hidden", "ocr", "occurrences"),
        "places": [list(place) for place in quote.places],
        "said": quote.said,
    }


def figure_object(figure: FigureSource) -> dict[str, Any]:
    """The source of a figure as plain values, each label with its place in the text; unknown values are left out."""
    values = {name: value for name, value in asdict(figure).items() if value not in ("", (), None)}
    return {name: value for name, value in values.items() if (name, value) not in _UNKNOWN and name != "claim"}


_UNKNOWN = (("quote", 0), ("at", -1))


def passage_object(passage: Passage, *, paged: bool, record: Record) -> dict[str, Any]:
    """A passage as plain values, with the question's words that it contains."""
    return {
        "text": passage.text,
        **place_values(passage, record, paged=paged),
        **pick(passage, "start", "end", "words"),
    }


def _search(search: Search) -> dict[str, Any]:
    counted = pick(search, "term", "hits", "by", "pattern")
    counted |= {"stem": True} if search.stem else {}
    counted |= {"within": search.within} if search.within else {}
    return counted | {"fault": search.fault} if search.fault else counted


def _absence(view: RunView) -> dict[str, Any] | None:
    if view.absence is None:
        return None
    nearest = [passage_object(passage, paged=view.paged, record=view.document) for passage in view.nearest]
    pages = coverage.by_page(view.coverage)
    return {
        "searched": [_search(search) for search in view.searches],
        "note": view.absence,
        "pages_read": pages["shown"] if pages else None,
        "nearest": nearest,
        "unreadable_pages": list(view.document.get("unreadable", ())),
    }
