"""Renders the evidence report as Markdown, in which foreign text is only text: no link, image, HTML or formatting."""

import re
from collections.abc import Iterable, Iterator

from ralph_cli.core.run import FigureSource, Passage, Quote
from ralph_cli.reports.report import Report, describe_ending, outcome_heading
from ralph_cli.reports.safe_text import make_visible
from ralph_cli.reports.sections import absence
from ralph_cli.reports.sections.children import describe_children
from ralph_cli.reports.sections.coverage import completeness_lines, coverage_line, percent, unreadable_line
from ralph_cli.reports.sections.documents import list_documents, shares_read
from ralph_cli.reports.sections.opinions import Opinion, opinions, verdict_words
from ralph_cli.reports.sections.outcome import describe_follows
from ralph_cli.reports.sections.refused import Refusals, collect_refusals
from ralph_cli.reports.sections.reviews import HEADING as HEADING_OF_REVIEWS
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.reports.sections.unconfirmed import HEADING, describe_doubt
from ralph_cli.reports.terminal import describe_calls
from ralph_cli.reports.view import TIER_WORDS, ClaimView, RunView, describe_ocr, describe_place
from ralph_cli.text.figure_lines import describe_source
from ralph_cli.text.fold import fold

_SPECIAL_CHARACTERS = re.compile(r"([\\`*_{}\[\]<|~^]|^[=>]|(?<!\S)#|\$(?!\d)|&(?=#|\w+;))")
_LIST_MARK = re.compile(r"^(\d*)((?<!\d)[-+]|(?<=\d)[.)](?=\s|$))")
_SCHEME = re.compile(r"(?i)(?<=mailto):|(?<=xmpp):|:(?=//)")
# Renderers may take a word such as "memo.md" for an address, but not "U.S." or "a.pdf".
_DOMAIN = re.compile(r"(?<=\w)\.(?!(?:pdf|docx|html|json|txt|csv)\b)(?=\w*[^\W\d]\w*[^\W\d])")
_QUOTED = re.compile(r"[“\"]([^”\"]{12,})[”\"]")


def escape_markdown(line: str) -> str:
    """One line of foreign text, escaped so that it renders as it is written.

    Escapes marks, HTML, bare addresses, lists, tables and formulas of CommonMark and GitHub's dialect (a "$" before a
    digit ends no formula). An empty comment splits an "@", because GitHub links mail addresses even if they are
    escaped.
    """
    flat = make_visible(" ".join(line.split()))
    flat = _SPECIAL_CHARACTERS.sub(r"\\\1", flat)
    flat = _LIST_MARK.sub(r"\1\\\2", flat)
    flat = _SCHEME.sub(r"\\:", flat)
    flat = _DOMAIN.sub(r"\\.", flat)
    return flat.replace("@", "@<!-- -->")


def markdown_report(report: Report) -> str:
    """The whole report: the answer, claims with verdicts and quotes, searches, what was refused, and the cost."""
    return "\n".join(_report_lines(report)).rstrip() + "\n"


def _report_lines(report: Report) -> Iterator[str]:
    view = report.view
    yield from (f"# {escape_markdown(view.question)}", "")
    if follows := describe_follows(view.follows):
        yield from (f"{escape_markdown(follows)}.", "")
    if view.document:
        yield from (f"Evidence report on {escape_markdown(report.document_name)}{report.document_size}.", "")
    yield from (f"**{outcome_heading(report)[0]}.** {escape_markdown(describe_ending(report))}", "")
    for note in report.notes:
        yield from (escape_markdown(note), "")
    yield from _answer_lines(report)
    reviews = describe_reviews(view.reviews, report.claim_noun)
    yield from _section_lines(f"## {HEADING_OF_REVIEWS}", [escape_markdown(line) for line in reviews])
    shown: set[int] = set()
    for item in view.claims:
        yield from _claim_lines(item, report, [quote for quote in item.quotes if quote.id not in shown])
        shown.update(item.claim.quotes)
    yield from _finding_lines(report)
    yield from _section_lines("## What the checks found", [escape_markdown(line) for line in report.open_issues])
    if view.document and not view.has_no_reader:
        yield from _coverage_lines(report)
    yield from _section_lines("## The documents", list(_document_lines(view)))
    children = [escape_markdown(line.strip()) for line in describe_children(view.children)]
    yield from _section_lines("## Child workers", children)
    yield from _section_lines("## Notices", [escape_markdown(notice) for notice in view.notices])
    yield from _refusal_lines(collect_refusals(report.events))
    yield from ("## How this was made", "")
    if view.document:
        yield f"- SHA-256 of the document: `{re.sub('[^0-9a-f]', '', str(view.document.get('sha256')))}`"
    yield f"- Run {escape_markdown(view.run)}: {escape_markdown(describe_calls(view, view.iterations))}"
    yield f"- Made {report.made_at} by ralph {escape_markdown(report.version)}"


def _finding_lines(report: Report) -> Iterator[str]:
    """The notes and passages of the checks, then the searches and the passages nearest to the question."""
    view = report.view
    if view.found_passages or view.notes or view.looks:
        notes = [*view.notes, *(f"The judge {look.line}" for look in view.looks)]
        yield from ("## Found by the checks", "", *(f"- {escape_markdown(note)}" for note in notes), "")
    for quote in view.found_passages:
        yield from _quote_lines(quote, report)
    searches = [
        f"{escape_markdown(absence.describe_term(item))}: {escape_markdown(absence.describe_hits(item))}"
        for item in view.searches
    ]
    yield from _section_lines("## What was searched", searches)
    yield from _section_lines(f"{absence.NEAREST}:", [_passage_line(item, view) for item in view.nearest])


def _document_lines(view: RunView) -> Iterator[str]:
    """The documents of a set: their size, the share that a model was shown, and their hashes."""
    shown = [f", read {percent(share)}" for _, share in shares_read(view.document, view.coverage)]
    for number, entry in enumerate(list_documents(view.document)):
        size = f"{int(entry.get('characters', 0)):,} characters{shown[number] if shown else ''}"
        digest = re.sub("[^0-9a-f]", "", str(entry.get("sha256")))[:16]
        yield f"{escape_markdown(str(entry.get('name')))}: {size}, SHA-256 `{digest}`"


def _section_lines(heading: str, items: list[str]) -> Iterator[str]:
    """A list below its heading; nothing without items."""
    if items:
        yield from (heading, "", *_list_lines(items))


def _list_lines(items: list[str]) -> list[str]:
    """A list of items that are Markdown already; nothing without items."""
    return [*(f"- {item}" for item in items), ""] if items else []


def _passage_line(passage: Passage, view: RunView) -> str:
    place, words = describe_place(passage, paged=view.paged), ", ".join(passage.words)
    return f"{escape_markdown(place)}: “{escape_markdown(passage.text)}” ({escape_markdown(words)})"


def _whole_doubts(view: RunView) -> Iterator[str]:
    """What code could not confirm of an output or an answer as a whole."""
    doubts = [escape_markdown(describe_doubt(doubt)) for doubt in view.unconfirmed if doubt.claim is None]
    yield from _section_lines(f"{HEADING}:", doubts)


def _answer_lines(report: Report) -> Iterator[str]:
    view = report.view
    if report.goal is not None or view.mode == "task":
        output = report.output or view.output
        marked = _marked_output(output, view) if view.format in ("md", "text") else output
        yield from ("## Output", "", *_code_block(marked), "")
        if marked != output:
            yield from ("The numbers in brackets are not part of it: they are those of the quotes below.", "")
        yield from _whole_doubts(view)
        yield from _list_lines([*_figure_lines(view.figures)])
        if view.claims:
            yield from ("## Evidence", "")
        return
    yield from ("## Passages" if view.has_no_reader and view.claims else "## Answer", "")
    yield from _whole_doubts(view)
    if view.absence is not None:
        found_nothing = "A search for words has found nothing."
        absent = "Not in the document, as far as the searches below can tell."
        yield from (found_nothing if view.has_no_reader else absent, "")
        if unreadable := unreadable_line(view):
            yield from (unreadable, "")
        if view.absence:
            yield from (f"The worker notes: {escape_markdown(view.absence)}", "")
    elif not view.claims:
        yield from ("No answer.", "")


def _marked_output(output: str, view: RunView) -> str:
    """The output with the numbers of its quotes behind each line that contains their words, contains an item's
    statement, or quotes from them.
    """

    def marks(line: str) -> str:
        words, quoted = _fold_case(line), [_fold_case(part) for part in _QUOTED.findall(line)]
        proved = {n for item in view.claims if _fold_case(item.claim.text) in words for n in item.claim.quotes}
        for quote in view.quotes:
            text = _fold_case(quote.text)
            if text in words or any(part in text for part in quoted):
                proved.add(quote.id)
        return "".join(f" [{number}]" for number in sorted(proved))

    return "\n".join(f"{line}{marks(line)}" for line in output.split("\n"))


def _fold_case(words: str) -> str:
    return fold(words).text.casefold().strip(" .")


def _claim_lines(item: ClaimView, report: Report, quotes: list[Quote]) -> Iterator[str]:
    """A claim with those of its quotes that were not shown before."""
    heading = f"### {report.claim_noun} {item.claim.id}"
    if item.ruling or report.claim_noun == "Claim":
        heading += f": {escape_markdown(verdict_words(item))}"
    yield from (heading, "")
    if not item.is_quote:
        marks = " ".join(f"\\[{number}\\]" for number in item.claim.quotes)
        marks = marks or ("" if item.claim.searches else "(no quote)")
        yield from (f"**{escape_markdown(item.claim.text)}** {marks}".rstrip(), "")
    if item.ruling and not item.is_quote:
        reason = escape_markdown(item.ruling.reason or "no reason given")
        yield from (f"{item.ruling_label} ({escape_markdown(item.ruling.judge)}): {reason}", "")
    issues = [escape_markdown(issue.line) for issue in item.issues]
    yield from _list_lines([*(_remark(remark) for remark in opinions(item)), *_figure_lines(item.figures), *issues])
    for quote in quotes:
        yield from _quote_lines(quote, report)


def _figure_lines(figures: Iterable[FigureSource]) -> Iterator[str]:
    return (f"Figure {escape_markdown(describe_source(figure))}" for figure in figures)


def _remark(remark: Opinion) -> str:
    about = f"\\[{remark.quote}\\] " if remark.quote else ""
    return f"{about}{escape_markdown(remark.label)}: {escape_markdown(remark.text)}"


def _quote_lines(quote: Quote, report: Report) -> Iterator[str]:
    lines = [escape_markdown(line) for line in quote.text.replace("\f", "\n").split("\n") if line.strip()]
    yield "\\\n".join(f"> {line}" for line in lines)
    place = escape_markdown(describe_place(quote, paged=report.view.paged))
    more = f", found in {quote.occurrences} places" if quote.occurrences > 1 else ""
    yield from (">", f"> \\[{quote.id}\\] {place}, {TIER_WORDS[quote.match]}{more}", "")
    if quote.hidden:
        yield from (f"**A reader cannot see it:** {escape_markdown(quote.hidden)}", "")
    if ocr := describe_ocr(quote):
        yield from (f"*{ocr}*", "")
    if quote.difference:
        prefix = "As given, then in the document: " if quote.match == "recut" else ""
        yield from (f"{prefix}{escape_markdown('; '.join(quote.difference))}", "")


def _coverage_lines(report: Report) -> Iterator[str]:
    """How much of the document was read: which pages, or which parts of a text without pages."""
    view, found = report.view, report.coverage
    yield from ("## What was read", "")
    for told, _ in completeness_lines(view):
        yield from (escape_markdown(told), "")
    if view.absence is not None:
        yield from (absence.describe_pages_read(view), "")
    if (line := coverage_line(view)) and not found.parts:
        yield from (line[0], "")
    elif not found.parts and view.absence is None:
        yield from (found.note, "")
    yield from _list_lines([f"{name}{rest}" for _, name, rest in found.describe_levels()])


def _refusal_lines(found: tuple[Refusals, ...]) -> Iterator[str]:
    if found:
        yield from ("## Appendix: what was refused", "")
    for item in found:
        issues = [escape_markdown(issue.line) for issue in (*item.quotes, *item.issues)]
        drafts = [f"step {step}: {escape_markdown(problem)}" for step, problem in item.drafts]
        broken = [f"{escape_markdown(check)} could not be run: {escape_markdown(why)}" for check, why in item.broken]
        yield from _section_lines(f"Iteration {item.iteration}:", [*issues, *drafts, *broken])


def _code_block(text: str) -> Iterator[str]:
    """Text as a code block. Its fence is longer than any in the text, so nothing in it ends the block."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    yield from (f"{fence}text", *make_visible(text).rstrip("\n").split("\n"), fence)
