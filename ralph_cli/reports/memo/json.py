"""Renders a checked memo as one JSON object."""

from typing import Any

from ralph_cli.core.results.memo import Finding, MemoCheck, Support
from ralph_cli.core.run import Quote
from ralph_cli.reports.json import quote_object, vote_objects
from ralph_cli.reports.memo.terminal import GROUPS
from ralph_cli.reports.safe_text import pick


def memo_object(check: MemoCheck) -> dict[str, Any]:
    """The object of `check --json`: ok, counts, quotations, terms, page references, support, documents.

    `outcome` is exact, folded, re-cut, elided, altered, wrong-page, wrong-document, not-found, hidden or unclosed.
    `document` is an index into `documents`. `start` and `end` of a quote are half-open character offsets in that
    document's text. `page` counts from 1 and is null in formats without pages. `line` is a line of the memo's text.
    `support` is null if no judge was asked. `pages_without_a_quotation` are page references that belong to no quotation
    and were not checked. `figures_not_checked` are the amounts outside of quotations; `occurs` says whether the
    documents have such a number.
    """
    return {
        **pick(check, "ok", "memo", "strict"),
        "counts": {
            "checked": check.checked,
            "faults": len(check.faults),
            "terms_not_found": len(check.missing),
            **{
                _outcome_name(outcome): sum(found.outcome == outcome for found in check.findings)
                for outcome, _ in GROUPS
            },
        },
        "quotations": [_finding(finding, check) for finding in check.findings],
        "terms": [_finding(finding, check) for finding in check.terms],
        "pages_past_the_end": [pick(reference, "text", "line") for reference in check.beyond],
        "pages_without_a_quotation": [pick(reference, "text", "line", "place") for reference in check.unbound],
        "pages_not_checked": check.unpaged,
        "figures_not_checked": [pick(figure, "text", "line", "place", "occurs", "rows") for figure in check.figures],
        "judge": check.judge or None,
        "support": None if check.support is None else [_support(item) for item in check.support],
        "documents": [
            {
                **pick(document, "path", "id", "sha256", "kind"),
                "pages": len(document.pages) if document.paged else None,
                "characters": len(document.text),
            }
            for document in check.documents
        ],
    }


def _outcome_name(outcome: str) -> str:
    return "re-cut" if outcome == "recut" else outcome


def _finding(finding: Finding, check: MemoCheck) -> dict[str, Any]:
    quotation, near = finding.quotation, finding.nearest
    document = check.documents[finding.document] if finding.document is not None else None
    paged = document is not None and document.paged
    return {
        **pick(quotation, "words", "form", "line", "place", "sentence"),
        "page_reference": quotation.reference.text if quotation.reference else None,
        "outcome": _outcome_name(finding.outcome),
        **pick(finding, "holds", "document"),
        "also_in": list(finding.also),
        "where": finding.where or None,
        "quote": _quote(finding.quote, paged=paged) if finding.quote and document else None,
        "pages": [{"page": number, "label": label} for number, label in finding.pages] if paged else [],
        "page_matched": finding.matched,
        "closest": {
            **pick(near, "text", "where"),
            "page": near.page if paged else None,
            "label": near.label if paged else None,
            "score": round(near.score, 1),
            **pick(near, "differing", "ocr"),
        }
        if near
        else None,
        "notes": list(finding.notes),
    }


def _quote(quote: Quote, *, paged: bool) -> dict[str, Any]:
    found = quote_object(quote, paged=paged, record={})
    shown = ("text", "page", "label", "last_page", "start", "end", "match", "ocr", "occurrences", "places")
    return {name: found[name] for name in shown}


def _support(item: Support) -> dict[str, Any]:
    return {
        **pick(item, "sentence", "place"),
        "quotations": list(item.findings),
        "verdict": item.ruling.verdict.value if item.ruling else "unjudged",
        "reason": item.ruling.reason if item.ruling else item.why,
        "votes": vote_objects(item.ruling),
    }
