"""A run for a reader at a terminal, with or without colour; the same lines either way."""

from collections.abc import Iterator

from ralph_cli.core.model import Usage
from ralph_cli.core.run import Quote, Ruling, StopType
from ralph_cli.reports.safe_text import one_line, trace_line, visible
from ralph_cli.reports.sections import absence
from ralph_cli.reports.sections.coverage import coverage_line, unreadable_line
from ralph_cli.reports.sections.opinions import BEARINGS
from ralph_cli.reports.sections.output import output_lines, output_verdict
from ralph_cli.reports.view import TIERS, WORDS, ClaimView, RunView, pages_of

Styled = tuple[str, str]
"""A piece of a line and its style name ("" for none)."""

NEAREST = 160
"""Characters shown of a passage that is near."""

SIGNS = {"supported": ("✓", "green"), "verbatim": ("=", "cyan"), "partly": ("~", "yellow")}
UNASKED = " Not verified: the verifier was not asked about this last iteration."
NO_JUDGE = "No model has judged this answer: each claim is only a quote of the document, chosen by word statistics."


def lines(view: RunView, *, output: bool = True) -> Iterator[list[Styled]]:
    """The report, a line at a time; without `output` that of a task without the output itself."""
    yield from _head(view)
    if view.mode == "task":
        if output and view.output:
            yield from output_lines(view)
            yield []
        if view.quotes:
            yield [("What it rests on:", "bold")]
    else:
        for item in view.claims:
            yield from _claim(item, view)
    if view.absence is not None:
        yield from _absence(view)
    if view.quotes:
        if view.mode != "task":
            yield []
        for quote in (*view.quotes, *view.found):
            yield from _quote(quote, view)
    if view.issues and not view.ok:
        yield []
        yield [("What the checks found:", "bold")]
        for issue in view.issues:
            yield [(f"  - {one_line(issue.line)}", "yellow")]
    yield []
    if read := coverage_line(view):
        yield [read]
    yield [(verdict(view), _colour(view))]
    yield [(f"{cost(view.usage)}, {view.seconds:.1f} s, {_count(view.iterations, 'iteration')}", "dim")]
    yield [(trace_line(view.folder, view.run), "dim")]


def plain(view: RunView, *, output: bool = True) -> str:
    """The report as text without any style."""
    return "\n".join("".join(text for text, _ in line) for line in lines(view, output=output)) + "\n"


def _head(view: RunView) -> Iterator[list[Styled]]:
    if view.halt.type is StopType.ABSENT:
        yield [("Not in the document.", "bold")]
    elif not (view.output if view.mode == "task" else view.claims):
        yield [("No output." if view.mode == "task" else "No answer.", "bold")]
    elif not view.ok:
        yield [(f"Not accepted ({view.halt.type.value}). The best attempt:", "bold yellow")]


def _claim(item: ClaimView, view: RunView) -> Iterator[list[Styled]]:
    marks = "".join(f"[{number}]" for number in item.claim.quotes)
    sign, colour = SIGNS.get(item.verdict, ("✗", "red") if item.ruling else ("?", "yellow"))
    yield [
        ("- ", ""),
        (one_line(item.claim.text), ""),
        (f" {marks}" if marks else " [no quote]", "bold"),
        (f" {sign}", colour),
    ]
    for calculation in item.claim.calculations:
        yield [(f"    {one_line(calculation)}", "dim")]
    if item.ruling and item.verdict not in ("supported", "verbatim"):
        yield [(f"    {WORDS[item.verdict]}: {one_line(item.ruling.reason)}", colour)]
    if item.ruling:
        yield from _opinions(item.ruling)
    for judge, why in item.unheard:
        yield [(f"    {one_line(judge)} was asked for a second opinion and gave none: {one_line(why)}", "yellow")]
    for said in item.qualified:
        word = "contradicted" if said.contradicts else "qualified"
        yield [(f"    {word} by [{said.quote}]: {one_line(said.reason)}", "yellow")]


def _opinions(ruling: Ruling) -> Iterator[list[Styled]]:
    """What a reader should know beside the verdict: quotes that do not bear on the claim, judges that do not agree."""
    for said in ruling.quotes:
        if said.bearing != "supports" and len(ruling.quotes) > 1:
            yield [(f"    [{said.quote}] {BEARINGS[said.bearing]}: {one_line(said.reason)}", "yellow")]
    if ruling.disputed:
        votes = "; ".join(f"{one_line(vote.judge)}: {WORDS[vote.verdict.value]}" for vote in ruling.votes)
        yield [(f"    The judges do not agree: {votes}", "yellow")]


def _quote(quote: Quote, view: RunView) -> Iterator[list[Styled]]:
    place = f"p. {pages_of(quote)}" if _paged(view) else f"at {quote.start:,}"
    label = f" (printed {visible(quote.label)})" if _paged(view) and quote.label != str(quote.page) else ""
    more = f", {quote.occurrences} places" if quote.occurrences > 1 else ""
    text = visible(quote.text.replace("\n", " / ").replace("\f", " / "))
    yield [(f"[{quote.id}] ", "bold"), (f"“{text}”", ""), (f"  {place}{label}, {TIERS[quote.match]}{more}", "dim")]
    if quote.hidden:
        yield [(f"    a reader cannot see it: {one_line(quote.hidden)}", "red")]
    if quote.difference:
        told = "as given -> in the document: " if quote.match == "recut" else ""
        yield [(f"    {told}{'; '.join(one_line(note) for note in quote.difference)}", "yellow")]


def _absence(view: RunView) -> Iterator[list[Styled]]:
    if view.absence:
        yield [(f"  {one_line(view.absence)}", "")]
    yield [(f"  {absence.SEARCHED}:", "dim")]
    for search in view.searches:
        yield [(f"    {one_line(absence.term(search))}: {one_line(absence.places(search))}", "dim")]
    yield [(f"  {absence.pages_read(view)}", "dim")]
    if view.nearest:
        yield [(f"  {absence.NEAREST}:", "dim")]
    for passage in view.nearest:
        place = visible(absence.place(passage, paged=_paged(view)))
        words = ", ".join(one_line(word) for word in passage.words)
        yield [(f"    {place}: “{one_line(passage.text, NEAREST)}” ({words})", "dim")]
    if unreadable := unreadable_line(view):
        yield [(f"  {unreadable}", "yellow")]


def verdict(view: RunView) -> str:
    """In a sentence how the run ended, what was checked and by whom."""
    unasked = UNASKED if view.verification == "skipped" else ""
    return _ending(view) + unasked + "".join(f" {one_line(told)}" for told in view.unlooked)


def _ending(view: RunView) -> str:
    if view.mode == "task" and view.halt.type is not StopType.ABSENT:
        return output_verdict(view)
    match view.halt.type:
        case StopType.COMPLETION if not view.judged:
            return f"Verbatim. {NO_JUDGE}"
        case StopType.COMPLETION:
            return f"Accepted: every quote is in the document, and {visible(view.judge)} found every claim supported."
        case StopType.ABSENT:
            return "Reported as absent: the searches are counted, what they mean is the worker's word."
        case StopType.UNJUDGED if view.verification == "failed":
            return f"Not verified: {one_line(view.halt.detail)}. {_before_the_verifier(view)}"
        case StopType.UNJUDGED:
            ruled = "some claims were not judged" if view.judged else "nobody has judged the claims"
            if view.claims and all(item.ruling for item in view.claims):
                ruled = "the verdicts shown are of an earlier attempt"
            return f"Unjudged: {one_line(view.halt.detail)}. The quotes are in the document; {ruled}."
        case reason:
            return f"Stopped ({reason.value}): {one_line(view.halt.detail)}."


def _before_the_verifier(view: RunView) -> str:
    """What was found before a verifier was asked: it is asked last, when all else has passed."""
    if view.absence is not None:
        return "The searches are counted, what they mean is the worker's word."
    if not view.judged:
        return f"The quotes are in the document. {NO_JUDGE}"
    return f"The quotes are in the document, and {visible(view.judge)} found every claim supported."


def _colour(view: RunView) -> str:
    return "yellow" if view.unlooked else "green" if view.ok and view.judged else "cyan" if view.ok else "yellow"


def _paged(view: RunView) -> bool:
    return view.document.get("kind") == "pdf" or int(view.document.get("pages", 1)) > 1


def cost(usage: Usage) -> str:
    """Calls, tokens and money in words."""
    money = "price unknown" if usage.usd is None else "no cost" if usage.usd == 0 else f"${usage.usd:.4f}"
    tokens = f", {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out" if usage.input_tokens else ""
    return f"{_count(usage.calls, 'model call')}{tokens}, {money}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
