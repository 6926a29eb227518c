"""Renders claims and quotes as HTML: the verdict, its reason, and each quote in its page or its context."""

import base64
from collections.abc import Iterator, Sequence

from ralph_cli.core.run import FigureSource, Quote
from ralph_cli.reports.html.markup import Markup, bullets, el, join
from ralph_cli.reports.report import Crop, Excerpt, Report
from ralph_cli.reports.sections.opinions import Opinion, opinions, verdict_words
from ralph_cli.reports.view import TIER_WORDS, ClaimView, describe_ocr, describe_place, pages_of
from ralph_cli.text.figure_lines import describe_source, source_parts

_SIGNS = {"supported": ("✓", "good"), "verbatim": ("=", "plain"), "partly": ("~", "warn"), "absent": ("∅", "plain")}


def verdict_badge(item: ClaimView) -> Markup:
    """The verdict on a claim as a sign and words."""
    mark, kind = _sign_and_kind(item)
    return el("span", f"{mark} {verdict_words(item)}", class_=f"verdict {kind}")


def _sign_and_kind(item: ClaimView) -> tuple[str, str]:
    """The sign and the kind of the verdict. A supported claim that is limited, disputed or doubted is "warn", not
    "good".
    """
    mark, kind = _SIGNS.get(item.verdict, ("✗", "bad") if item.ruling else ("?", "warn"))
    objected = any(doubt.is_objection for doubt in item.unconfirmed)
    disputed = item.ruling is not None and item.ruling.disputed
    doubted = objected or disputed or item.limits or item.missing_votes
    return mark, "warn" if doubted and kind == "good" else kind


def claims(report: Report) -> Markup:
    """Each claim with its evidence. A quote of several claims is shown in full with the first of them."""
    shown: set[int] = set()
    parts = []
    for item in report.view.claims:
        new = [quote for quote in item.quotes if quote.id not in shown]
        repeated = [quote for quote in item.quotes if quote.id in shown]
        shown.update(quote.id for quote in new)
        parts.append(_claim(item, new, repeated, report))
    unclaimed = [_quote(quote, report) for quote in report.view.quotes if quote.id not in shown]
    found = [_quote(quote, report) for quote in report.view.found_passages]
    return join(
        *parts,
        el("h3", f"Quotes of no {report.claim_noun.lower()}") if unclaimed else None,
        *unclaimed,
        el("h3", "Found by the checks") if found or report.view.notes or report.view.looks else None,
        bullets(report.view.notes),
        bullets(f"The judge {look.line}" for look in report.view.looks),
        *found,
    )


def _claim(item: ClaimView, new: list[Quote], repeated: list[Quote], report: Report) -> Markup:
    ruling = item.ruling
    unjudged_item = ruling is None and report.claim_noun == "Item"
    kind = "plain" if unjudged_item else _sign_and_kind(item)[1]
    why = f"{ruling.reason or 'No reason was given.'} ({ruling.judge})" if ruling else "No judge ruled on this claim."
    links = [el("a", f"[{quote.id}]", href=f"#quote-{quote.id}") for quote in repeated]
    anchor = f"claim-{item.claim.id}"
    title = el("h3", f"{report.claim_noun} {item.claim.id}", id=anchor)
    return el(
        "article",
        el("div", title, None if unjudged_item else verdict_badge(item), class_="head"),
        None if item.is_quote else el("p", *linked_figures(item.text, item.figures, item.claim.id), class_="words"),
        None if item.is_quote else listed_figures(item.figures),
        None if unjudged_item or item.is_quote else el("p", el("b", f"{item.ruling_label}: "), why),
        bullets(_opinion(remark) for remark in opinions(item)),
        bullets(issue.line for issue in item.issues),
        el("p", "Also supported by, shown above: ", *links) if links else None,
        None if item.quotes or item.claim.searches else el("p", f"This {report.claim_noun.lower()} has no quote."),
        *(_quote(quote, report) for quote in new),
        class_=f"claim {kind}",
        aria_labelledby=anchor,
    )


def linked_figures(text: str, figures: Sequence[FigureSource], owner: int) -> Iterator[Markup | str]:
    """The text of a claim or an output (`owner` 0), in which each figure links to its quote and shows its source."""
    at = 0
    for number, figure in enumerate(figures):
        end = figure.at + len(figure.words)
        if figure.at < at or text[figure.at : end] != figure.words:
            continue
        yield text[at : figure.at]
        yield _figure(figure, f"figure-{owner}-{number}")
        at = end
    yield text[at:]


def listed_figures(figures: Sequence[FigureSource]) -> Markup | None:
    """The sources of figures as a list, for print."""
    lines = [el("li", describe_source(figure)) for figure in figures]
    return el("ul", *lines, class_="figures") if lines else None


def _figure(figure: FigureSource, name: str) -> Markup:
    """A figure in a claim. A tooltip shows its source on hover, touch or keyboard focus."""
    cell = f"{figure.token.start}-{figure.token.end}" if figure.token else None
    target = f"#quote-{figure.quote}" if figure.quote else None
    is_loose = figure.origin in ("nowhere", "derived") or bool(figure.difference or figure.limit)
    kind = "warn" if is_loose else None
    link = el("a", figure.words, href=target, tabindex="0", class_=kind, aria_describedby=name, data_cell=cell)
    parts = (el("span", part, class_="line") for part in source_parts(figure))
    return el("span", link, el("span", *parts, id=name, role="tooltip", class_="source"), class_="figure")


def _opinion(remark: Opinion) -> Markup:
    """A remark on a claim; a warning is coloured."""
    about = el("a", f"[{remark.quote}]", href=f"#quote-{remark.quote}") if remark.quote else None
    return join(about, " ", el("b", f"{remark.label}: ", class_="warn" if remark.is_warning else None), remark.text)


def _quote(quote: Quote, report: Report) -> Markup:
    """A quote in the picture of its page with the text folded below; without a picture in its context, or by itself."""
    excerpt, crops = report.excerpts.get(quote.id), report.crops.get(quote.id, ())
    return el(
        "figure",
        el("figcaption", el("h4", f"Quote {quote.id}"), _facts(quote, report)),
        quoted_words(quote.text, quote.page, seen=bool(crops) and not quote.hidden) if crops or not excerpt else None,
        _match_differences(quote),
        *(picture(crop, f"quote {quote.id}") for crop in crops),
        _excerpt(excerpt, closed=bool(crops)) if excerpt else None,
        id=f"quote-{quote.id}",
        tabindex="-1",
    )


def quoted_words(words: str, page: int, *, seen: bool) -> Markup:
    """The document's own words; if they are `seen` in a picture, shown on narrow screens only."""
    return el("blockquote", _text_lines(words, page=page), class_="narrow" if seen else None)


def picture(crop: Crop, what: str) -> Markup:
    """A picture of the page around `what`; on a narrow screen a touch enlarges it."""
    image = el(
        "img",
        class_="crop",
        alt=f"Page {crop.page} of the document around {what}; its lines are marked",
        width=crop.width,
        height=crop.height,
        src="data:image/png;base64," + base64.b64encode(crop.png).decode("ascii"),
    )
    return el("div", image, class_="scroll page", tabindex="0", role="group", aria_label=f"Picture of page {crop.page}")


def _facts(quote: Quote, report: Report) -> Markup:
    if report.view.paged and quote.where:
        place = el("b", quote.where)
    elif report.view.paged:
        many = "Pages" if quote.last_page > quote.page else "Page"
        printed = f" (printed {quote.label})" if quote.label != str(quote.page) else ""
        place = join(f"{many} ", el("b", pages_of(quote)), printed)
    else:
        where = describe_place(quote, paged=False)
        place = el("b", where[:1].upper() + where[1:])
    times = f"found in {quote.occurrences} places; this is one of them"
    used = [f"{report.claim_noun.lower()} {item.claim.id}" for item in report.claims_of(quote)]
    return el(
        "ul",
        el("li", place),
        el("li", TIER_WORDS[quote.match]),
        el("li", times) if quote.occurrences > 1 else None,
        el("li", el("b", "A reader cannot see it: "), quote.hidden) if quote.hidden else None,
        el("li", describe_ocr(quote)) if quote.ocr is not None else None,
        el("li", "For ", ", ".join(used)) if len(used) > 1 else None,
        class_="facts",
    )


def _match_differences(quote: Quote) -> Markup | None:
    """What a reader should know about a match, and the worker's wording if it differs from the quote."""
    if not quote.difference and quote.match != "recut":
        return None
    prefix = "As given → in the document: " if quote.match == "recut" else "Note: "
    wording = el("p", "The worker’s wording: ", el("q", quote.said)) if quote.said != quote.text else None
    return el("div", el("p", prefix, "; ".join(quote.difference)), wording, class_="differs")


def _excerpt(excerpt: Excerpt, *, closed: bool) -> Markup:
    start, words = len(excerpt.before), excerpt.before + excerpt.quoted + excerpt.after
    shown = _text_lines(words, marked=(start, start + len(excerpt.quoted)))
    text = el("div", shown, class_="passage")
    return el("details", el("summary", "As text, in context"), text) if closed else text


def _text_lines(words: str, page: int | None = None, marked: tuple[int, int] = (0, 0)) -> Markup:
    """The lines of the document, each in an element of its own, with the characters of `marked` highlighted.

    A page end within a line is marked. `page` is the page on which the words begin, if it is known.
    """
    parts: list[Markup] = []
    at = 0
    for number, sheet in enumerate(words.split("\f")):
        if number:
            parts.append(el("span", f"page {page + number}" if page else "next page", class_="turn"))
        for line in sheet.split("\n"):
            low, high = (min(max(edge - at, 0), len(line)) for edge in marked)
            if line.strip():
                middle = el("mark", line[low:high]) if low < high else None
                parts.append(el("span", line[:low], middle, line[high:], class_="line"))
            at += len(line) + 1
    return join(*parts)
