"""The evidence report as Markdown, in which foreign text is only text: no link, no image, no HTML, no formatting."""

import re
from collections.abc import Iterator

from ralph_cli.core.run import Quote
from ralph_cli.reports.html.coverage_strip import LEVELS, page_ranges
from ralph_cli.reports.report import Report, ending, heading
from ralph_cli.reports.safe_text import visible
from ralph_cli.reports.sections import absence
from ralph_cli.reports.sections.coverage import coverage_line, unreadable_line
from ralph_cli.reports.sections.opinions import opinions, verdict_words
from ralph_cli.reports.sections.refused import Refused, refused
from ralph_cli.reports.terminal import cost
from ralph_cli.reports.view import TIERS, ClaimView, pages_of

_ALWAYS = re.compile(r"([\\`*_{}\[\]<>#|~&$!^=])")
_AT_THE_START = re.compile(r"^(\s*)([-+])")
_NUMBERED = re.compile(r"^(\s*\d+)([.)])(?=\s|$)")
_SCHEME = re.compile(r":(?=\S)(?!\d)")
_DOMAIN = re.compile(r"(?<=\w)\.(?=\w*[^\W\d])")


def escaped(line: str) -> str:
    """One line of foreign text, so that it reads the same rendered and is never more than text.

    What CommonMark and its GitHub dialect give a meaning to is escaped: marks, HTML, bare addresses, lists, tables and
    formulas. An "@" between letters is parted by an empty comment, because that dialect links mail addresses even when
    they are escaped.
    """
    flat = visible(" ".join(line.split()))
    flat = _ALWAYS.sub(r"\\\1", flat)
    flat = _AT_THE_START.sub(r"\1\\\2", flat)
    flat = _NUMBERED.sub(r"\1\\\2", flat)
    flat = _SCHEME.sub(r"\\:", flat)
    flat = _DOMAIN.sub(r"\\.", flat)
    return flat.replace("@", "@<!-- -->")


def document(report: Report) -> str:
    """The whole report: answer, claims with verdicts and quotes, searches, what was refused, cost."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    view = report.view
    yield from ("# Evidence report", "", f"**Question:** {escaped(view.question)}", "")
    yield from (f"**{heading(report)[0]}.** {escaped(ending(report))}", "")
    for note in report.notes:
        yield from (escaped(note), "")
    if view.document:
        pages = f", {view.document.get('pages')} pages" if report.paged else ""
        yield f"- Document: {escaped(report.document_name)}{pages}"
        yield f"- SHA-256: `{re.sub('[^0-9a-f]', '', str(view.document.get('sha256')))}`"
    yield from (f"- Run: {escaped(view.run)}", f"- Spent: {escaped(cost(view.usage))}", "")
    yield from _answer(report)
    for item in view.claims:
        yield from _claim(item, report)
    if view.found or view.notes:
        yield from (
            "## What speaks for caution, found by the checks",
            "",
            *(f"- {escaped(note)}" for note in view.notes),
            "",
        )
    for quote in view.found:
        yield from _quote(quote, report)
    if view.searches:
        yield from ("## What was searched", "")
        yield from (f"- {escaped(absence.term(item))}: {escaped(absence.places(item))}" for item in view.searches)
        yield ""
    if view.nearest:
        yield from (f"{absence.NEAREST}:", "")
    for passage in view.nearest:
        place, words = absence.place(passage, paged=report.paged), escaped(", ".join(passage.words))
        yield f"- {escaped(place)}: “{escaped(passage.text)}” ({words})"
    if view.nearest:
        yield ""
    if view.document:
        yield from _read(report)
    if view.issues and not view.ok:
        yield from ("## What the checks found", "", *(f"- {escaped(issue.line)}" for issue in view.issues), "")
    yield from _refused(refused(report.events))
    if view.notices:
        yield from ("## Notices", "", *(f"- {escaped(notice)}" for notice in view.notices), "")
    yield f"Made {report.made} by ralph {escaped(report.version)}."


def _answer(report: Report) -> Iterator[str]:
    view = report.view
    if report.goal is not None or view.mode == "task":
        yield from ("## Output", "", *_block(report.output or view.output), "")
        return
    yield from ("## Answer", "")
    if view.absence is not None:
        yield from ("Not in the document, as far as the searches below can tell.", "")
        if unreadable := unreadable_line(view):
            yield from (unreadable, "")
        if view.absence:
            yield from (f"The worker notes: {escaped(view.absence)}", "")
    elif not view.claims:
        yield from ("No answer.", "")
    for item in view.claims:
        marks = " ".join(f"\\[{number}\\]" for number in item.claim.quotes)
        yield f"- {escaped(item.claim.text)} {marks or '(no quote)'}"
    if view.claims:
        yield ""


def _claim(item: ClaimView, report: Report) -> Iterator[str]:
    told = "" if report.noun == "Item" and item.ruling is None else f": {escaped(verdict_words(item))}"
    yield from (f"## {report.noun} {item.claim.id}{told}", "", escaped(item.claim.text), "")
    if item.ruling:
        said = escaped(item.ruling.reason or "no reason given")
        yield from (f"{item.judged_by} ({escaped(item.ruling.judge)}): {said}", "")
    remarks = list(opinions(item))
    for remark in remarks:
        about = f"\\[{remark.quote}\\] " if remark.quote else ""
        yield f"- {about}{remark.what}: {escaped(remark.words)}"
    if remarks:
        yield ""
    for quote in item.quotes:
        yield from _quote(quote, report)


def _quote(quote: Quote, report: Report) -> Iterator[str]:
    lines = [escaped(line) for line in quote.text.replace("\f", "\n").split("\n") if line.strip()]
    yield "\\\n".join(f"> {line}" for line in lines)
    printed = f" (printed {escaped(quote.label)})" if quote.label != str(quote.page) else ""
    place = f"p. {pages_of(quote)}{printed}" if report.paged else f"characters {quote.start:,}-{quote.end:,}"
    more = f", stands in {quote.occurrences} places" if quote.occurrences > 1 else ""
    yield from (">", f"> \\[{quote.id}\\] {place}, match: {TIERS[quote.match]}{more}", "")
    if quote.difference:
        told = "As given, then in the document: " if quote.match == "recut" else ""
        yield from (f"{told}{escaped('; '.join(quote.difference))}", "")


def _read(report: Report) -> Iterator[str]:
    """How much of the document was read, and which pages, or parts of a text without pages."""
    view, found = report.view, report.coverage
    yield from ("## What was read", "")
    if view.absence is not None:
        yield from (absence.pages_read(view), "")
    if line := coverage_line(view):
        yield from (line[0], "")
    elif not found.parts and view.absence is None:
        yield from (found.told, "")
    name = "Characters" if found.unit == "characters" else "Pages"
    told = [(words, of) for level, words in LEVELS.items() if (of := found.of(level))]
    for words, of in told:
        yield f"- {name} {words} ({len(of)} of {len(found.single or found.parts)}): {page_ranges(of)}"
    if told:
        yield ""


def _refused(found: tuple[Refused, ...]) -> Iterator[str]:
    if found:
        yield from ("## Appendix: what was refused", "")
    for item in found:
        yield from (f"Iteration {item.iteration}:", "")
        yield from (f"- {escaped(issue.line)}" for issue in (*item.quotes, *item.issues))
        yield from (f"- step {step}: {escaped(problem)}" for step, problem in item.drafts)
        yield from (f"- {escaped(check)} could not be made: {escaped(why)}" for check, why in item.broken)
        yield ""


def _block(text: str) -> Iterator[str]:
    """Text as a code block that nothing in it can end: its fence is longer than any in the text."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    yield from (f"{fence}text", *visible(text).rstrip("\n").split("\n"), fence)
