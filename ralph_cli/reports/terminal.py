"""Renders a run for a terminal; the lines are the same with and without colour."""

from collections.abc import Iterable, Iterator

from ralph_cli.core.model import Usage
from ralph_cli.core.run import Claim, FigureSource, Quote, Ruling, StopType
from ralph_cli.reports.safe_text import Styled, join_lines, make_visible, one_line, plain_text, trace_line
from ralph_cli.reports.sections import absence
from ralph_cli.reports.sections.children import describe_children
from ralph_cli.reports.sections.coverage import completeness_lines, coverage_line, unreadable_line
from ralph_cli.reports.sections.opinions import BEARINGS, describe_qualifications
from ralph_cli.reports.sections.outcome import (
    PASSAGES_HEADING,
    describe_follows,
    describe_outcome,
    payload,
    resume_line,
)
from ralph_cli.reports.sections.reviews import HEADING as HEADING_OF_REVIEWS
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.reports.sections.unconfirmed import HEADING, Unconfirmed, describe_doubt
from ralph_cli.reports.view import (
    TIER_NAMES,
    TIER_WORDS,
    VERDICT_WORDS,
    ClaimView,
    RunView,
    describe_ocr,
    describe_place,
)
from ralph_cli.text.lexicon import pluralize

# The headings of answers that are not simply accepted.
HEADINGS = {
    StopType.ABSENT: "Not in the document.",
    StopType.PASSAGES: f"{PASSAGES_HEADING}:",
    StopType.NO_PASSAGES: "No passage was found.",
}

# Characters shown of a passage near the question.
MAX_PASSAGE_CHARS = 160

SIGNS = {"supported": ("✓", "green"), "verbatim": ("=", "cyan"), "partly": ("~", "yellow"), "absent": ("∅", "cyan")}


_SIGN_MEANINGS = {
    "✓": "supported by its quotes, says the judge",
    "=": "a quote of the document, judged by nobody",
    "~": "supported only in part",
    "∅": "not in the document, as far as was searched",
    "✗": "not supported",
    "?": "not judged",
}


def report_lines(view: RunView, *, output: bool = True) -> Iterator[list[Styled]]:
    """The report, a line at a time; without `output` the report on a task without the output itself.

    A record may be from anybody, so no line contains characters that a terminal obeys.
    """
    yield from _visible_lines(_report_lines(view, output=output))


def answer_lines(view: RunView) -> Iterator[list[Styled]]:
    """The answer to a question by itself, as in a conversation: claims with verdicts, and the cost."""
    yield from _visible_lines(_answer_lines(view))


def evidence_lines(view: RunView) -> Iterator[list[Styled]]:
    """The evidence of an answer: its quotes with their places, and where its record is."""
    quotes = (line for quote in (*view.quotes, *view.found_passages) for line in _quote_lines(quote, view))
    yield from _visible_lines(quotes)
    end = [[(legend, "dim")]] if (legend := _legend(view)) else []
    yield from _visible_lines([*end, [(trace_line(view.folder, view.run), "dim")]])


def _visible_lines(lines: Iterable[list[Styled]]) -> Iterator[list[Styled]]:
    for line in lines:
        yield [(make_visible(text, keep="\t"), style) for text, style in line]


def _answer_lines(view: RunView) -> Iterator[list[Styled]]:
    yield from _head_lines(view)
    if view.has_no_reader:
        for quote in view.quotes:
            yield from _quote_lines(quote, view)
    else:
        for item in view.claims:
            yield from _claim_lines(item)
    if view.absence is not None:
        yield from _absence_lines(view)
    yield from _ending_lines(view)
    yield [(describe_spending(view, view.iterations), "dim")]


def _report_lines(view: RunView, *, output: bool) -> Iterator[list[Styled]]:
    yield from _head_lines(view)
    if view.mode == "task":
        yield from _output_lines(view, output=output)
    elif _shows_claims(view):
        for item in view.claims:
            yield from _claim_lines(item)
    if view.absence is not None:
        yield from _absence_lines(view)
    if view.quotes and view.mode != "task" and not view.has_no_reader:
        yield []
    for quote in (*view.quotes, *view.found_passages) if view.quotes else ():
        yield from _quote_lines(quote, view)
    yield from _remark_lines(view)
    yield []
    if legend := _legend(view):
        yield [(legend, "dim")]
    if not view.has_no_reader:
        yield from ([(one_line(line), style)] for line, style in completeness_lines(view))
        if read := coverage_line(view):
            yield [read]
    yield from _ending_lines(view)
    if follows := describe_follows(view.follows):
        yield [(follows, "dim")]
    yield [(trace_line(view.folder, view.run), "dim")]
    yield from ([(line, "dim")] for line in [*describe_children(view.children)][:1])
    yield [(describe_spending(view, view.iterations), "dim")]


def _output_lines(view: RunView, *, output: bool) -> Iterator[list[Styled]]:
    if output and view.output:
        yield from ([(line, "")] for line in make_visible(payload(view).removesuffix("\n")).split("\n"))
        yield []
    yield from _limit_lines(view.figures, "")
    if view.quotes and not view.has_no_reader:
        yield [("Evidence:", "bold")]


def _ending_lines(view: RunView) -> Iterator[list[Styled]]:
    yield [(describe_outcome(view), _colour(view))]
    if further := resume_line(view):
        yield [(further, "yellow")]


def _remark_lines(view: RunView) -> Iterator[list[Styled]]:
    """Doubts, findings of the checks and reviews, each below its heading."""
    doubts = [doubt for doubt in view.unconfirmed if doubt.claim is None or not _shows_claims(view)]
    parts = (
        (HEADING, [_doubt_line(doubt, "  - ") for doubt in doubts]),
        ("What the checks found", [[(f"  - {one_line(it.line)}", "yellow")] for it in view.issues if view.ok is False]),
        (HEADING_OF_REVIEWS, [[(f"  - {one_line(line)}", "")] for line in describe_reviews(view.reviews)]),
    )
    for heading, lines in parts:
        if lines:
            yield from ([], [(f"{heading}:", "bold")], *lines)


def _shows_claims(view: RunView) -> bool:
    """Whether the report lists the claims, and not only an output or the passages themselves."""
    return view.mode != "task" and view.halt.type is not StopType.PASSAGES


def _legend(view: RunView) -> str:
    """The meaning of the signs that the report uses."""
    verdicts = {(item.verdict, bool(item.ruling)) for item in view.claims} if _shows_claims(view) else set()
    used = {SIGNS.get(verdict, ("✗" if ruled else "?", ""))[0] for verdict, ruled in verdicts}
    words = [f"{sign} {meaning}" for sign, meaning in _SIGN_MEANINGS.items() if sign in used]
    quotes = (*view.quotes, *view.found_passages)
    tiers = {quote.match for quote in quotes} - {"exact"}
    words += [f"{name}: {TIER_WORDS[tier]}" for tier, name in TIER_NAMES.items() if tier in tiers]
    words += ["/ a line ends here"] if any(set(quote.text) & {"\n", "\f"} for quote in quotes) else []
    return f"Signs: {'; '.join(words)}." if words else ""


def report_text(view: RunView, *, output: bool = True) -> str:
    """The report as text without any style."""
    return plain_text(report_lines(view, output=output))


def _head_lines(view: RunView) -> Iterator[list[Styled]]:
    if view.halt.type in HEADINGS:
        yield [(HEADINGS[view.halt.type], "bold")]
    elif not (view.output if view.mode == "task" else view.claims):
        yield [("No output." if view.mode == "task" else "No answer.", "bold")]
    elif not view.ok:
        yield [(f"Not accepted ({view.halt.type.value}). The best attempt:", "bold yellow")]


def claim_line(claim: Claim) -> list[Styled]:
    """A claim and the numbers of its quotes."""
    marks = "".join(f"[{number}]" for number in claim.quotes) or "[no quote]"
    return [("- ", ""), (one_line(claim.text), ""), (f" {marks}", "bold")]


def _claim_lines(item: ClaimView) -> Iterator[list[Styled]]:
    sign, colour = SIGNS.get(item.verdict, ("✗", "red") if item.ruling else ("?", "yellow"))
    yield [*claim_line(item.claim), (f" {sign}", colour)]
    for calculation in item.claim.calculations:
        yield [(f"    {one_line(calculation)}", "dim")]
    if item.ruling and item.verdict not in ("supported", "verbatim"):
        yield [(f"    {VERDICT_WORDS[item.verdict]}: {one_line(item.ruling.reason)}", colour)]
    if item.ruling:
        yield from _opinion_lines(item.ruling)
    for doubt in item.unconfirmed:
        yield _doubt_line(doubt, "    ")
    yield from _limit_lines(item.figures, "    ")
    for judge, why in item.missing_votes:
        yield [(f"    {one_line(judge)} was asked for a second opinion and gave none: {one_line(why)}", "yellow")]
    for found, words in zip(item.limits, describe_qualifications(item), strict=True):
        yield [(f"    {words}: {one_line(found.reason)}", "yellow")]


def _limit_lines(figures: Iterable[FigureSource], mark: str) -> Iterator[list[Styled]]:
    """A line for each figure whose limiting word was dropped."""
    for figure in (figure for figure in figures if figure.limit):
        yield [(f'{mark}{one_line(figure.words)}: the document says "{one_line(figure.limit)}"', "yellow")]


def _doubt_line(doubt: Unconfirmed, mark: str) -> list[Styled]:
    return [(f"{mark}{one_line(describe_doubt(doubt))}", "yellow" if doubt.is_objection else "dim")]


def _opinion_lines(ruling: Ruling) -> Iterator[list[Styled]]:
    """Remarks beside the verdict: quotes that do not support the claim, and judges that disagree."""
    for judged in ruling.quotes:
        if judged.bearing != "supports" and len(ruling.quotes) > 1:
            yield [(f"    [{judged.quote}] {BEARINGS[judged.bearing]}: {one_line(judged.reason)}", "yellow")]
    if ruling.disputed:
        votes = "; ".join(f"{one_line(vote.judge)}: {VERDICT_WORDS[vote.verdict.value]}" for vote in ruling.votes)
        yield [(f"    The judges do not agree: {votes}", "yellow")]


def _quote_lines(quote: Quote, view: RunView) -> Iterator[list[Styled]]:
    place = f"{one_line(describe_place(quote, paged=view.paged))}, {TIER_NAMES[quote.match]}"
    if quote.occurrences > 1:
        place += f", {quote.occurrences} places"
    yield [(f"[{quote.id}] ", "bold"), (f"“{join_lines(quote.text)}”", ""), (f"  {place}", "dim")]
    if quote.hidden:
        yield [(f"    a reader cannot see it: {one_line(quote.hidden)}", "red")]
    if ocr := describe_ocr(quote):
        yield [(f"    {ocr}", "dim")]
    if quote.difference:
        prefix = "as given -> in the document: " if quote.match == "recut" else ""
        yield [(f"    {prefix}{'; '.join(one_line(note) for note in quote.difference)}", "yellow")]


def _absence_lines(view: RunView) -> Iterator[list[Styled]]:
    if view.absence:
        yield [(f"  {one_line(view.absence)}", "")]
    yield [(f"  {absence.SEARCHED}:", "dim")]
    for search in view.searches:
        yield [(f"    {one_line(absence.describe_term(search))}: {one_line(absence.describe_hits(search))}", "dim")]
    if not view.has_no_reader:
        yield [(f"  {absence.describe_pages_read(view)}", "dim")]
    if view.nearest:
        yield [(f"  {absence.NEAREST}:", "dim")]
    for passage in view.nearest:
        place = one_line(describe_place(passage, paged=view.paged))
        words = ", ".join(one_line(word) for word in passage.words)
        yield [(f"    {place}: “{one_line(passage.text, MAX_PASSAGE_CHARS)}” ({words})", "dim")]
    if unreadable := unreadable_line(view):
        yield [(f"  {unreadable}", "yellow")]


def _colour(view: RunView) -> str:
    if (
        view.counter_evidence_gaps
        or view.losses
        or view.ok is False
        or any(doubt.is_objection for doubt in view.unconfirmed)
    ):
        return "yellow"
    return "green" if view.judged else "cyan"


def describe_cost(usage: Usage) -> str:
    """Calls, tokens and money in words."""
    money = "price unknown" if usage.usd is None else "no cost" if usage.usd == 0 else f"${usage.usd:.4f}"
    tokens = f", {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out" if usage.input_tokens else ""
    return f"{pluralize(usage.calls, 'model call')}{tokens}, {money}"


def describe_calls(view: RunView, iterations: int) -> str:
    """Calls, tokens, money and iterations in words."""
    if view.has_no_reader or not view.asks_models:
        return "no model calls"
    return f"{describe_cost(view.usage)}, {pluralize(iterations, 'iteration')}"


def describe_spending(view: RunView, iterations: int) -> str:
    """The cost of a run, by role, with the savings of the cache and the time it took."""
    by_role = ", ".join(f"{role} ${usd:.4f}" for role, usd in view.usd_by_role.items())
    saved = f"; ${view.saved_usd:.4f} saved by the cache" if view.saved_usd else ""
    return f"{describe_calls(view, iterations)}{f' ({by_role})' if by_role else ''}{saved}, {view.seconds:.1f} s"
