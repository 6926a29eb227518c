"""Renders a checked memo for a terminal: faults first, each with its place and the document's own text."""

from collections.abc import Iterator, Sequence

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import Finding, MemoCheck, MemoFigure, PageReference, QuotationOutcome, Support
from ralph_cli.reports.safe_text import Styled, one_line, plain_text
from ralph_cli.reports.terminal import SIGNS
from ralph_cli.reports.view import VERDICT_WORDS, describe_ocr
from ralph_cli.text.lexicon import pluralize

# Characters shown of a quotation, and of the document's text beside it.
MAX_SHOWN_CHARS = 400

MAX_SHOWN_FIGURES = 40

# The outcomes with their headings, in the order in which a reader needs them.
GROUPS: tuple[tuple[QuotationOutcome, str], ...] = (
    ("altered", "Altered: not the document's words"),
    ("not-found", "Not found"),
    ("wrong-page", "Wrong page"),
    ("hidden", "Hidden: in the document's text, but a reader of its pages cannot see it"),
    ("wrong-document", "Wrong document: the memo names another one than has the words"),
    ("unclosed", "Without a partner: this quotation mark is never closed, or was never opened"),
    ("elided", "Elided: words left out or put in, as the memo marks; read what they are"),
    ("recut", "Re-cut: the same letters and digits, what differs is shown"),
    ("folded", "Folded: the same but for line breaks, spaces and typographic signs"),
    ("exact", "Exact"),
)


def memo_lines(check: MemoCheck) -> Iterator[list[Styled]]:
    """The report, a line at a time."""
    sources = ", ".join(describe_source(document) for document in check.documents)
    yield [(f"{one_line(check.memo)} against {sources}", "bold")]
    counted = (*check.findings, *(check.terms if check.strict else ()))
    for outcome, title in GROUPS:
        found = [finding for finding in counted if finding.outcome == outcome]
        if found:
            yield []
            yield [(f"{title} ({len(found)})", "bold")]
        for finding in found:
            yield from _finding_lines(finding, check)
    yield from _reference_lines(check)
    yield from _figure_lines(check)
    yield from _support_lines(check)
    if not check.strict:
        yield from _term_lines(check.terms)
    yield []
    yield [(describe_outcome(check), "green" if check.ok else "red")]


def memo_text(check: MemoCheck) -> str:
    """The report as text without any style."""
    return plain_text(memo_lines(check))


def describe_outcome(check: MemoCheck) -> str:
    """One sentence: whether the memo holds, and what was not checked."""
    if not check.checked:
        few = f" ({len(check.terms)} of up to three words were only looked for)" if check.terms else ""
        nothing = f"Nothing was checked: the memo has no quotation to check{few}"
        return "; ".join((nothing, *_unchecked_messages(check))) + "."
    # What was not checked must not hide behind the word "all".
    terms = () if check.strict else check.missing
    unread = bool(terms or check.unbound or check.figures or check.elided)
    hold = "all hold" if not unread else "it holds" if check.checked == 1 else "these hold"
    if faults := len(check.faults):
        hold = f"{faults} {'does' if faults == 1 else 'do'} not hold"
    parts = [f"{pluralize(check.checked, 'quotation')} checked: {hold}"]
    if check.elided:
        parts.append(f"{len(check.elided)} with words left out or put in, to be read")
    if terms:
        parts.append(f"{pluralize(len(terms), 'term')} between marks not in the {_document_noun(check)}")
    parts += _unchecked_messages(check)
    if check.beyond:
        parts.append(f"{pluralize(len(check.beyond), 'page reference')} past the last page")
    if check.unpaged:
        parts.append(f"{pluralize(check.unpaged, 'page reference')} not checked, for the document has no pages")
    parts.append(_support_message(check))
    return "; ".join(parts) + "."


def _support_message(check: MemoCheck) -> str:
    if check.support is None:
        return "no model was asked whether they support what the memo says"
    bad = sum(not item.holds for item in check.support)
    by = f" by {one_line(check.judge)}: {bad} not supported" if bad else ", all supported"
    return f"{pluralize(len(check.support), 'sentence')} judged{by}"


def _unchecked_messages(check: MemoCheck) -> Iterator[str]:
    """The page references and figures that nobody has checked, counted."""
    if check.unbound:
        yield f"{pluralize(len(check.unbound), 'page reference')} not linked to a quotation, not checked"
    if count := len(check.figures):
        absent = len(check.absent_figures)
        found = f" ({absent} not found in the {_document_noun(check)})" if absent else ""
        were = "was" if count == 1 else "were"
        yield f"{pluralize(count, 'figure')} outside of quotations {were} not checked{found}"


def _document_noun(check: MemoCheck) -> str:
    return "documents" if len(check.documents) > 1 else "document"


def describe_rows(figure: MemoFigure) -> str:
    """A figure that occurs in the documents, with the rows and columns of its tables."""
    rows = "; ".join(map(one_line, figure.rows)) or "in running text only"
    return f"{describe_figure(figure)}: {rows}"


def describe_figure(figure: MemoFigure) -> str:
    """A figure of the memo's own words with its place and the page that its sentence names."""
    page = f" ({one_line(figure.reference.text)})" if figure.reference else ""
    return f"{one_line(figure.place)}: {one_line(figure.text)}{page}"


OCCURRING_FIGURES = "Figures outside of quotations that are somewhere in the documents; compare row and column"
ABSENT_FIGURES = "Figures outside of quotations that are not found as they are written: computed, rounded or wrong"


def faulty_references(check: MemoCheck) -> tuple[tuple[str, tuple[PageReference, ...]], ...]:
    """The page references past the last page, and those that were not checked, with their headings."""
    return (
        ("Page references past the last page", check.beyond),
        ("Page references that belong to no quotation: not checked", check.unbound),
    )


def page_names(pages: Sequence[tuple[int, str]]) -> str:
    """Pages with their printed labels: "p. 16 (printed 12), p. 20"."""
    return ", ".join(
        f"p. {number}" + (f" (printed {one_line(label)})" if label != str(number) else "") for number, label in pages
    )


def describe_page_reference(finding: Finding) -> str:
    """The result of the page reference in words; "" if there is nothing to say."""
    reference = finding.quotation.reference
    if reference is None or finding.quote is None or finding.outcome == "wrong-document":
        return ""
    if finding.outcome == "wrong-page":
        return f"the memo says {one_line(reference.text)}; it is on {page_names(finding.pages)}"
    if finding.matched is None:
        return f"{one_line(reference.text)} was not checked"
    if finding.matched == "both" or finding.quote.label == str(finding.quote.page):
        return ""
    which = {"label": "as printed on the page", "number": "of the file, not as printed"}[finding.matched]
    return f"{one_line(reference.text)} {which}"


def describe_source(document: Document) -> str:
    """A document's name and pages."""
    pages = f" ({pluralize(len(document.pages), 'page')})" if document.paged else ""
    return one_line(document.path) + pages


def _finding_lines(finding: Finding, check: MemoCheck) -> Iterator[list[Styled]]:
    quotation = finding.quotation
    sign, colour = ("\u2713", "green") if finding.holds else ("\u2717", "red")
    if finding.outcome in ("recut", "elided"):
        sign, colour = "~", "yellow"
    where = f"{one_line(quotation.place)}: " if quotation.place else ""
    line: list[Styled] = [(f"  {sign} ", colour), (where, "bold"), (_in_marks(quotation.words), "")]
    document = check.documents[finding.document] if finding.document is not None else None
    source = f" of {one_line(document.path)}" if len(check.documents) > 1 and document is not None else ""
    is_found = finding.holds or finding.outcome == "wrong-document"
    if finding.quote is not None and document is not None and is_found:
        line.append((f"  {one_line(finding.where)}{source}{_places_suffix(finding, check)}", "dim"))
    yield line
    if reference := describe_page_reference(finding):
        yield [(f"      {reference}", "")] if finding.holds else [(f"      {reference}{source}", "red")]
    yield from _closest_lines(finding, check, source)
    if ocr := describe_ocr(finding.passage):
        yield [(f"      {ocr}", "dim")]
    for note in finding.notes:
        yield [(f"      {one_line(note)}", "yellow")]


def _closest_lines(finding: Finding, check: MemoCheck, source: str) -> Iterator[list[Styled]]:
    """The document's own words where the memo has others."""
    nearest = finding.nearest
    if nearest is not None and finding.document is not None:
        place = f"  {one_line(nearest.where)}{source}"
        yield [("      in the document: ", ""), (_in_marks(nearest.text), "cyan"), (place, "dim")]
        if nearest.differing:
            differing = "; ".join(one_line(words) for words in nearest.differing)
            yield [("      memo -> document: ", ""), (differing, "yellow")]
    elif finding.outcome == "not-found":
        yield [(f"      nothing like it is in the {_document_noun(check)}", "dim")]
    if finding.outcome == "recut" and finding.quote is not None:
        yield [("      in the document: ", ""), (_in_marks(finding.quote.text), "cyan")]


def _in_marks(text: str) -> str:
    return f"\u201c{one_line(text, MAX_SHOWN_CHARS)}\u201d"


def _places_suffix(finding: Finding, check: MemoCheck) -> str:
    places = f", {finding.quote.occurrences} places" if finding.quote and finding.quote.occurrences > 1 else ""
    also = ", ".join(one_line(check.documents[number].path) for number in finding.also)
    return places + (f", also in {also}" if also else "")


def _reference_lines(check: MemoCheck) -> Iterator[list[Styled]]:
    signs: tuple[Styled, ...] = (("  \u2717 ", "red"), ("  ? ", "yellow"))
    for (title, references), sign in zip(faulty_references(check), signs, strict=True):
        if references:
            yield []
            yield [(f"{title} ({len(references)})", "bold")]
        for reference in references:
            yield [sign, (f"{one_line(reference.place)}: ", "bold"), (one_line(reference.text), "")]


def _figure_lines(check: MemoCheck) -> Iterator[list[Styled]]:
    """The figures of the memo's own words: those not found in the documents, and the others with their rows."""
    occurring = [figure for figure in check.figures if figure.occurs]
    groups = (
        (ABSENT_FIGURES, "?", describe_figure, check.absent_figures),
        (OCCURRING_FIGURES, "-", describe_rows, occurring),
    )
    for title, sign, describe, figures in groups:
        if figures:
            yield []
            yield [(f"{title} ({len(figures)})", "bold")]
        for figure in figures[:MAX_SHOWN_FIGURES]:
            yield [(f"  {sign} ", "yellow"), (describe(figure), "")]
        if len(figures) > MAX_SHOWN_FIGURES:
            yield [(f"  and {len(figures) - MAX_SHOWN_FIGURES} more", "dim")]


def _support_lines(check: MemoCheck) -> Iterator[list[Styled]]:
    unsupported = [item for item in check.support or () if not item.holds]
    if unsupported:
        yield []
        yield [(f"Not supported by what they quote, says {one_line(check.judge)} ({len(unsupported)})", "bold")]
    for item in unsupported:
        sign, colour = SIGNS.get(item.ruling.verdict.value, ("\u2717", "red")) if item.ruling else ("?", "yellow")
        yield [
            (f"  {sign} ", colour),
            (f"{one_line(item.place)}: ", "bold"),
            (one_line(item.sentence, MAX_SHOWN_CHARS), ""),
        ]
        yield [(f"      {describe_ruling(item)}", colour)]


def describe_ruling(item: Support) -> str:
    """The verdict with its reason and who disagrees, or why there is no verdict."""
    if item.ruling is None:
        return f"not judged: {one_line(item.why)}"
    verdict = f"{VERDICT_WORDS[item.ruling.verdict.value]}: {one_line(item.ruling.reason)}"
    if not item.ruling.disputed:
        return verdict
    votes = "; ".join(f"{one_line(vote.judge)}: {VERDICT_WORDS[vote.verdict.value]}" for vote in item.ruling.votes)
    return f"{verdict} (the judges do not agree: {votes})"


def _term_lines(terms: Sequence[Finding]) -> Iterator[list[Styled]]:
    if not terms:
        return
    yield []
    yield [("Terms: up to three words in quotation marks; not counted without --strict", "bold")]
    for holds, title in ((False, "not in the document"), (True, "in the document")):
        found: dict[str, list[str]] = {}
        for term in terms:
            if term.holds == holds:
                found.setdefault(one_line(term.quotation.words, 80), []).append(one_line(term.quotation.place))
        if found:
            listed = ", ".join(f"\u201c{words}\u201d ({', '.join(places[:5])})" for words, places in found.items())
            yield [(f"  {title}: ", "" if holds else "yellow"), (listed, "dim" if holds else "")]
