"""The evidence report as Markdown, in which foreign text is only text: no link, no image, no HTML, no formatting."""

import re
from collections.abc import Iterator

from ralph_cli.core.run import Passage, Quote
from ralph_cli.reports.report import Report, describe_ending, outcome_heading
from ralph_cli.reports.safe_text import make_visible
from ralph_cli.reports.sections import absence
from ralph_cli.reports.sections.coverage import coverage_line, unreadable_line
from ralph_cli.reports.sections.opinions import Opinion, opinions, verdict_words
from ralph_cli.reports.sections.refused import Refusals, collect_refusals
from ralph_cli.reports.terminal import describe_cost
from ralph_cli.reports.view import TIER_NAMES, ClaimView, RunView, describe_place, pages_of

_SPECIAL_CHARACTERS = re.compile(r"([\\`*_{}\[\]<>#|~&$!^=])")
_LEADING_LIST_MARK = re.compile(r"^(\s*)([-+])")
_LEADING_NUMBER = re.compile(r"^(\s*\d+)([.)])(?=\s|$)")
_SCHEME = re.compile(r":(?=\S)(?!\d)")
_DOMAIN = re.compile(r"(?<=\w)\.(?=\w*[^\W\d])")


def escape_markdown(line: str) -> str:
    """One line of foreign text, so that it reads the same rendered and is never more than text.

    What CommonMark and its GitHub dialect give a meaning to is escaped: marks, HTML, bare addresses, lists, tables and
    formulas. An "@" between letters is parted by an empty comment, because that dialect links mail addresses even when
    they are escaped.
    """
    flat = make_visible(" ".join(line.split()))
    flat = _SPECIAL_CHARACTERS.sub(r"\\\1", flat)
    flat = _LEADING_LIST_MARK.sub(r"\1\\\2", flat)
    flat = _LEADING_NUMBER.sub(r"\1\\\2", flat)
    flat = _SCHEME.sub(r"\\:", flat)
    flat = _DOMAIN.sub(r"\\.", flat)
    return flat.replace("@", "@<!-- -->")


def markdown_report(report: Report) -> str:
    """The whole report: answer, claims with verdicts and quotes, searches, what was refused, cost."""
    return "\n".join(_report_lines(report)).rstrip() + "\n"


def _report_lines(report: Report) -> Iterator[str]:
    view = report.view
    yield from ("# Evidence report", "", f"**Question:** {escape_markdown(view.question)}", "")
    yield from (f"**{outcome_heading(report)[0]}.** {escape_markdown(describe_ending(report))}", "")
    for note in report.notes:
        yield from (escape_markdown(note), "")
    if view.document:
        pages = f", {view.document.get('pages')} pages" if report.view.paged else ""
        yield f"- Document: {escape_markdown(report.document_name)}{pages}"
        yield f"- SHA-256: `{re.sub('[^0-9a-f]', '', str(view.document.get('sha256')))}`"
    yield from (f"- Run: {escape_markdown(view.run)}", f"- Spent: {escape_markdown(describe_cost(view.usage))}", "")
    yield from _answer_lines(report)
    for item in view.claims:
        yield from _claim_lines(item, report)
    if view.found_passages or view.notes:
        notes = [f"- {escape_markdown(note)}" for note in view.notes]
        yield from ("## Reasons for caution found by the checks", "", *notes, "")
    for quote in view.found_passages:
        yield from _quote_lines(quote, report)
    searches = [
        f"{escape_markdown(absence.describe_term(item))}: {escape_markdown(absence.describe_hits(item))}"
        for item in view.searches
    ]
    yield from _section_lines("## What was searched", searches)
    yield from _section_lines(f"{absence.NEAREST}:", [_passage_line(item, view) for item in view.nearest])
    if view.document:
        yield from _coverage_lines(report)
    if view.ok is False:
        yield from _section_lines("## What the checks found", [escape_markdown(issue.line) for issue in view.issues])
    yield from _refusal_lines(collect_refusals(report.events))
    yield from _section_lines("## Notices", [escape_markdown(notice) for notice in view.notices])
    yield f"Made {report.made_at} by ralph {escape_markdown(report.version)}."


def _section_lines(heading: str, items: list[str]) -> Iterator[str]:
    """A list below its heading; nothing without items."""
    if items:
        yield from (heading, "", *_list_lines(items))


def _list_lines(items: list[str]) -> Iterator[str]:
    """Items that are Markdown already, as a list; nothing without any."""
    if items:
        yield from (*(f"- {item}" for item in items), "")


def _passage_line(passage: Passage, view: RunView) -> str:
    place, words = describe_place(passage, paged=view.paged), ", ".join(passage.words)
    return f"{escape_markdown(place)}: “{escape_markdown(passage.text)}” ({escape_markdown(words)})"


def _answer_lines(report: Report) -> Iterator[str]:
    view = report.view
    if report.goal is not None or view.mode == "task":
        yield from ("## Output", "", *_code_block(report.output or view.output), "")
        return
    yield from ("## Answer", "")
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
    for item in view.claims:
        marks = " ".join(f"\\[{number}\\]" for number in item.claim.quotes)
        yield f"- {escape_markdown(item.claim.text)} {marks or '(no quote)'}"
    if view.claims:
        yield ""


def _claim_lines(item: ClaimView, report: Report) -> Iterator[str]:
    heading = f"## {report.claim_noun} {item.claim.id}"
    if item.ruling or report.claim_noun == "Claim":
        heading += f": {escape_markdown(verdict_words(item))}"
    yield from (heading, "", escape_markdown(item.claim.text), "")
    if item.ruling:
        reason = escape_markdown(item.ruling.reason or "no reason given")
        yield from (f"{item.ruling_label} ({escape_markdown(item.ruling.judge)}): {reason}", "")
    yield from _list_lines([_remark(remark) for remark in opinions(item)])
    for quote in item.quotes:
        yield from _quote_lines(quote, report)


def _remark(remark: Opinion) -> str:
    about = f"\\[{remark.quote}\\] " if remark.quote else ""
    return f"{about}{remark.label}: {escape_markdown(remark.text)}"


def _quote_lines(quote: Quote, report: Report) -> Iterator[str]:
    lines = [escape_markdown(line) for line in quote.text.replace("\f", "\n").split("\n") if line.strip()]
    yield "\\\n".join(f"> {line}" for line in lines)
    printed = f" (printed {escape_markdown(quote.label)})" if quote.label != str(quote.page) else ""
    place = f"p. {pages_of(quote)}{printed}" if report.view.paged else f"characters {quote.start:,}-{quote.end:,}"
    more = f", found in {quote.occurrences} places" if quote.occurrences > 1 else ""
    yield from (">", f"> \\[{quote.id}\\] {place}, match: {TIER_NAMES[quote.match]}{more}", "")
    if quote.difference:
        prefix = "As given, then in the document: " if quote.match == "recut" else ""
        yield from (f"{prefix}{escape_markdown('; '.join(quote.difference))}", "")


def _coverage_lines(report: Report) -> Iterator[str]:
    """How much of the document was read, and which pages, or parts of a text without pages."""
    view, found = report.view, report.coverage
    yield from ("## What was read", "")
    if view.absence is not None:
        yield from (absence.describe_pages_read(view), "")
    if line := coverage_line(view):
        yield from (line[0], "")
    elif not found.parts and view.absence is None:
        yield from (found.note, "")
    yield from _list_lines([f"{name}{rest}" for name, rest in found.describe_levels()])


def _refusal_lines(found: tuple[Refusals, ...]) -> Iterator[str]:
    if found:
        yield from ("## Appendix: what was refused", "")
    for item in found:
        issues = [escape_markdown(issue.line) for issue in (*item.quotes, *item.issues)]
        drafts = [f"step {step}: {escape_markdown(problem)}" for step, problem in item.drafts]
        broken = [f"{escape_markdown(check)} could not be run: {escape_markdown(why)}" for check, why in item.broken]
        yield from _section_lines(f"Iteration {item.iteration}:", [*issues, *drafts, *broken])


def _code_block(text: str) -> Iterator[str]:
    """Text as a code block that nothing in it can end: its fence is longer than any in the text."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    yield from (f"{fence}text", *make_visible(text).rstrip("\n").split("\n"), fence)
