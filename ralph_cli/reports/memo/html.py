"""Renders a checked memo as one HTML file in the style of the evidence report, without scripts and requests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from ralph_cli.core.results.memo import HOLDING_OUTCOMES, Finding, MemoCheck, QuotationOutcome, Support
from ralph_cli.reports.html.evidence import picture, quoted_words
from ralph_cli.reports.html.markup import Markup, bullets, el, join
from ralph_cli.reports.html.page import Section, facts, hash_value, made_line, page_head, render_document
from ralph_cli.reports.memo.terminal import (
    ABSENT_FIGURES,
    GROUPS,
    OCCURRING_FIGURES,
    describe_figure,
    describe_outcome,
    describe_page_reference,
    describe_rows,
    describe_ruling,
    describe_source,
    faulty_references,
)
from ralph_cli.reports.report import Crop
from ralph_cli.reports.safe_text import one_line
from ralph_cli.reports.view import VERDICT_WORDS, describe_ocr

_BADGES: dict[QuotationOutcome, tuple[str, str]] = {
    outcome: ("✓ holds", "good") if outcome in HOLDING_OUTCOMES else (f"✗ {title.partition(':')[0].lower()}", "bad")
    for outcome, title in GROUPS
} | {"recut": ("~ re-cut", "warn"), "elided": ("~ elided", "warn")}


def memo_html(
    check: MemoCheck, crops: Mapping[int, tuple[Crop, ...]], notes: Sequence[str], *, made_at: str, version: str
) -> str:
    """The whole file. `crops` are pictures of the pages by the number of the finding; `notes` say which are missing."""
    against = ", ".join(describe_source(replace(item, path=PurePath(item.path).name)) for item in check.documents)
    outcome = (
        ("✓ Holds", "good") if check.ok else ("✗ Does not hold", "bad") if check.checked else ("Unchecked", "warn")
    )
    head = page_head(
        f"Memo check · against {against}", PurePath(one_line(check.memo)).name, outcome, describe_outcome(check)
    )
    head = join(head, *(el("p", note, class_="differs") for note in notes))
    sources = facts(
        (PurePath(one_line(document.path)).name, hash_value(f"SHA-256 {document.sha256}"))
        for document in check.documents
    )
    return render_document(check.memo, head, _sections(check, crops), join(sources, made_line(made_at, version)))


def _sections(check: MemoCheck, crops: Mapping[int, tuple[Crop, ...]]) -> Iterator[Section]:
    for outcome, title in GROUPS:
        found = [
            _finding(finding, check, crops.get(number, ()))
            for number, finding in enumerate(check.findings)
            if finding.outcome == outcome
        ]
        name, _, meaning = title.partition(": ")
        yield outcome, f"{name} ({len(found)}){': ' if meaning else ''}{meaning}", join(*found)
    for anchor, (title, references) in zip(("beyond", "unbound"), faulty_references(check), strict=True):
        items = bullets(f"{reference.place}: {reference.text}" for reference in references)
        yield anchor, f"{title} ({len(references)})", items
    figures = bullets(describe_figure(figure) for figure in check.absent_figures)
    yield "figures", f"{ABSENT_FIGURES} ({len(check.absent_figures)})", figures
    occurring = [figure for figure in check.figures if figure.occurs]
    yield "rows", f"{OCCURRING_FIGURES} ({len(occurring)})", bullets(map(describe_rows, occurring))
    judged = (
        el(
            "article",
            _card(item.place, badge, item.sentence),
            el("p", describe_ruling(item)),
            class_=f"claim {badge[1]}",
        )
        for item in check.support or ()
        for badge in [_support_badge(item)]
    )
    yield "support", f"Support, judged by {one_line(check.judge)}", join(*judged)
    terms = (
        join(el("q", term.quotation.words), f" ({term.quotation.place}): {'' if term.holds else 'not '}in the document")
        for term in check.terms
    )
    yield "terms", "Terms of up to three words", bullets(terms)


def _support_badge(item: Support) -> tuple[str, str]:
    if item.ruling is None:
        return "? not judged", "warn"
    return ("✓ supported", "good") if item.holds else (f"✗ {VERDICT_WORDS[item.ruling.verdict.value]}", "bad")


def _card(place: str, badge: tuple[str, str], words: str) -> Markup:
    """The place of a quotation in the memo, its outcome, and its words."""
    text, kind = badge
    head = el("div", el("h3", place), el("span", text, class_=f"verdict {kind}"), class_="head")
    return join(head, el("p", words, class_="words"))


def _finding(finding: Finding, check: MemoCheck, crops: tuple[Crop, ...]) -> Markup:
    """A quotation beside the document's own words: as a picture of their page, or as text."""
    quote, near, badge = finding.quote, finding.nearest, _BADGES[finding.outcome]
    document = check.documents[finding.document] if finding.document is not None else None
    where, words, page = (near.where, near.text, near.page) if near else (finding.where, "", 1)
    if quote is not None and near is None:
        words, page = quote.text, quote.page
    visible = bool(crops) and finding.outcome != "hidden"
    lead = "The closest text in the document" if near else "In the document"
    several = f" of {document.path}" if document is not None and len(check.documents) > 1 else ""
    # Words that are the same in the memo need no second reading.
    differ = near is not None or finding.outcome not in ("exact", "wrong-page", *(["folded"] if visible else []))
    shown = quoted_words(words, page, seen=visible) if words and differ else None
    return el(
        "article",
        _card(finding.quotation.place, badge, f"“{finding.quotation.words}”"),
        el("p", describe_page_reference(finding)),
        bullets(
            f"Memo → document: {differing.replace(' -> ', ' → ')}" for differing in (near.differing if near else ())
        ),
        bullets(note for note in (describe_ocr(finding.passage), *finding.notes) if note),
        el("p", f"{lead}: {where}{several}", class_="facts") if words else None,
        shown,
        *(picture(crop, "the words") for crop in crops),
        class_=f"claim whole-card {badge[1]}",
    )
