"""The evidence report as one HTML file: no script, no request, every foreign character escaped."""

import re
from collections.abc import Iterator

from ralph_cli.core.events import NoticeIssued, RunHalted, RunStarted
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.run import Ruling, StopType, Verdict
from ralph_cli.reports.goal import describe_verification
from ralph_cli.reports.html.coverage_strip import LEVELS
from ralph_cli.reports.html.evidence import claims, quote_links, verdict_badge
from ralph_cli.reports.html.markup import Markup, bullets, el, join
from ralph_cli.reports.html.style import CSS, POLICY
from ralph_cli.reports.html.timeline import timeline
from ralph_cli.reports.report import Report, describe_ending, outcome_heading
from ralph_cli.reports.safe_text import one_line
from ralph_cli.reports.sections import absence
from ralph_cli.reports.sections.coverage import unreadable_line
from ralph_cli.reports.sections.refused import Refusals, collect_refusals
from ralph_cli.reports.sections.spending import Spending, spending
from ralph_cli.reports.terminal import describe_calls
from ralph_cli.reports.view import VERDICT_WORDS, describe_place

Section = tuple[str, str, Markup]
"""Anchor, heading and content."""


def render_page(report: Report) -> str:
    """The whole file. What a browser shows of it was made here; the document and the models only give text."""
    parts = [part for part in _sections(report) if part[2]]
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", f"Evidence: {one_line(report.view.question, 90)}"),
        el("style", Markup(CSS)),
    )
    contents = bullets(el("a", name, href=f"#{anchor}") for anchor, name, _ in parts)
    body = el(
        "body",
        el("a", "Skip to the answer", href="#answer", class_="skip"),
        _header(report),
        el("nav", contents, aria_label="Contents"),
        el("main", *(_section(*part) for part in parts)),
        _footer(report),
    )
    return f"<!doctype html>\n{el('html', head, body, lang='en')}\n"


def _section(anchor: str, name: str, content: Markup) -> Markup:
    apart = "apart" if anchor == "course" else None
    return el("section", el("h2", name, id=anchor, tabindex="-1"), content, class_=apart, aria_labelledby=anchor)


def _sections(report: Report) -> Iterator[Section]:
    yield "answer", _ANSWER_TITLES.get(report.view.mode, "Answer"), _answer(report)
    evidence = "Evidence" if report.view.mode == "task" else "Claims and their evidence"
    yield "claims", evidence, claims(report)
    yield "searched", "What was searched", _searches(report)
    issues = report.view.issues if report.view.ok is False else ()
    yield "found", "What the checks found", bullets(dict.fromkeys(issue.line for issue in issues))
    yield "read", "What was read", _coverage(report)
    yield "notices", "Notices", bullets(dict.fromkeys(e.message for e in report.events if isinstance(e, NoticeIssued)))
    yield "cost", "Cost", _cost(report)
    yield "course", "Course of the run", timeline(report.events)
    yield "refused", "Appendix: what was refused", _refused(report)


_ANSWER_TITLES = {"task": "Output", "goal": "Output and its verification"}


def _header(report: Report) -> Markup:
    view = report.view
    words, kind = outcome_heading(report)
    started = next((event for event in report.events if isinstance(event, RunStarted)), None)
    ended = [event.at for event in report.events if isinstance(event, RunHalted)]
    models = started.settings.get("models", {}) if started else {}
    document = view.document
    facts: tuple[tuple[str, str | None], ...] = (
        ("Document", join(report.document_name, *_size(report)) if document else "none"),
        ("SHA-256", el("span", str(document.get("sha256", "")), class_="hash") if document else None),
        ("Models", ", ".join(f"{role} {name}" for role, name in models.items())),
        ("Begun", _time(started.at) if started else None),
        ("Ended", _time(ended[0]) if ended else None),
        ("Run", el("span", view.run, class_="hash")),
        ("Spent", describe_calls(view, view.iterations)),
    )
    badge = el("span", words, class_=f"verdict {kind}")
    return el(
        "header",
        el("p", f"Evidence report · ralph {view.mode}", class_="kicker"),
        el("h1", view.question),
        el("div", badge, el("p", describe_ending(report)), class_=f"ending {kind}"),
        *(el("p", note, class_="differs") for note in report.notes),
        el("dl", *(join(el("dt", name), el("dd", value)) for name, value in facts if value)),
    )


def _size(report: Report) -> Iterator[str]:
    document = report.view.document
    if report.view.paged:
        yield f", {document.get('pages')} pages"
    if document.get("characters"):
        yield f", {document['characters']:,} characters"


def _time(stamp: str) -> str:
    """A time of the journal, to the second; anything else as it is."""
    return re.sub(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$", r"\1 \2 UTC", stamp)


def _answer(report: Report) -> Markup:
    view = report.view
    if report.goal is not None:
        return join(_output(report.output), _verifier_results(report.goal))
    if view.mode == "task":
        return join(_output(view.output), _output_ruling(view.output_ruling))
    if view.halt.type is StopType.ABSENT or view.absence is not None:
        absent = (
            "A search for words has found nothing."
            if view.has_no_reader
            else "Not in the document, as far as the searches shown below can tell."
        )
        note = el("p", "The worker notes: ", view.absence) if view.absence else None
        return join(el("p", f"{absent} {unreadable_line(view)}".rstrip()), note)
    if not view.claims:
        return el("p", "No answer.")
    items = (el("li", item.claim.text, " ", quote_links(item), " ", verdict_badge(item)) for item in view.claims)
    return el("ul", *items, class_="answer")


def _output(output: str) -> Markup:
    return el("div", output, class_="output") if output.strip() else el("p", "No output.")


def _output_ruling(ruling: Ruling | None) -> Markup:
    """What the judge said of an output as a whole."""
    if ruling is None:
        return el("p", "No judge ruled on the output.")
    who = "Compared" if ruling.verdict is Verdict.VERBATIM else "Judge"
    return el("p", el("b", f"{who}: {VERDICT_WORDS[ruling.verdict.value]}. "), f"{ruling.reason} ({ruling.judge})")


def _verifier_results(goal: GoalState) -> Markup:
    """The verdicts of the user's own commands on the output as it stands."""
    outcome = describe_verification(goal)
    items = [
        join(
            el("b", f"{item.name}: {'passed' if item.passed else 'FAILED'}"),
            f" ({item.ended}) at {_time(item.at)}",
            None if item.revision == goal.revision else ", on an earlier version of the output",
            el("pre", f"$ {item.command}\n{item.output}".rstrip()),
        )
        for item in goal.evidence
    ]
    claimed = el("p", "The worker says, which proves nothing: ", goal.said) if goal.said else None
    return join(el("p", f"{outcome[:1].upper()}{outcome[1:]}."), bullets(items), claimed)


def _searches(report: Report) -> Markup:
    view = report.view
    if not view.searches and view.absence is None:
        return Markup("")
    rows = [
        el("tr", el("td", absence.describe_term(item)), el("td", absence.describe_hits(item), class_="n"))
        for item in view.searches
    ]
    near = bullets(
        join(f"{describe_place(item, paged=view.paged)}: ", el("q", item.text.strip()), f" ({', '.join(item.words)})")
        for item in view.nearest
    )
    return join(
        el("p", "Each term was counted in the text by code; what the counts mean is for you to judge.", class_="soft"),
        _table((("Term", ""), ("Places", "n")), rows),
        el("p", absence.describe_pages_read(view)),
        join(el("p", f"{absence.NEAREST}:"), near) if near else None,
    )


def _coverage(report: Report) -> Markup:
    found = report.coverage
    if not found.parts:
        return el("p", found.note)
    names = "Characters" if found.unit == "characters" else "Pages"
    cells = [el("li", part.name, class_=part.level, title=LEVELS[part.level]) for part in found.parts]
    key = [el("li", words, class_=level) for level, words in LEVELS.items()]
    wide = "strip" if found.unit == "page" else "strip wide"
    return join(
        el("p", found.note, class_="soft"),
        el("ul", *(el("li", el("b", name), rest) for name, rest in found.describe_levels())),
        el("ul", *cells, class_=wide, aria_label=f"{names}, and how far each was read"),
        el("ul", *key, class_="strip key", aria_label="Key"),
    )


def _cost(report: Report) -> Markup:
    items = spending(report.events)
    if not items:
        return el("p", "No model was called.")
    seconds, failed = sum(item.seconds for item in items), sum(item.failed for item in items)
    total = Spending("Total", "", report.view.usage, seconds, failed)
    columns = (("Agent", ""), ("Model", ""), ("Calls", "n"), ("Failed", "n"), ("Tokens in", "n"), ("Tokens out", "n"))
    rows = [_cost_row(item) for item in items]
    return _table((*columns, ("US$", "n"), ("Seconds", "n")), rows, _cost_row(total))


def _cost_row(item: Spending) -> Markup:
    usage = item.usage
    money = "unknown" if usage.usd is None else f"{usage.usd:.4f}"
    tokens = f"{usage.input_tokens:,}", f"{usage.output_tokens:,}"
    figures = (f"{usage.calls:,}", str(item.failed), *tokens, money, f"{item.seconds:,.1f}")
    names = el("td", item.agent), el("td", item.model)
    return el("tr", *names, *(el("td", figure, class_="n") for figure in figures))


def _table(columns: tuple[tuple[str, str], ...], rows: list[Markup], foot: Markup | None = None) -> Markup:
    head = el("tr", *(el("th", name, class_=kind or None, scope="col") for name, kind in columns))
    table = el("table", el("thead", head), el("tbody", *rows), el("tfoot", foot) if foot else None)
    return el("div", table, class_="scroll", tabindex="0", role="group", aria_label="Table")


def _refused(report: Report) -> Markup:
    found = collect_refusals(report.events)
    if not found:
        return el("p", "Nothing was refused.")
    caveat = el("p", "None of this is in the answer, unless a later iteration corrected it.", class_="soft")
    return join(caveat, *(_iteration_refusals(item) for item in found))


def _iteration_refusals(item: Refusals) -> Markup:
    groups = (
        ("Quotes that are not in the document", [issue.line for issue in item.quotes]),
        ("Sent back to the worker at once", [f"Step {step}: {problem}" for step, problem in item.drafts]),
        ("Issues of the checks", [f"{issue.check}: {issue.line}" for issue in item.issues]),
        ("Checks that could not be run", [f"{check}: {why}" for check, why in item.broken]),
    )
    parts = (part for name, lines in groups if lines for part in (el("h4", name), bullets(dict.fromkeys(lines))))
    return join(el("h3", f"Iteration {item.iteration}"), *parts)


def _footer(report: Report) -> Markup:
    return el(
        "footer",
        el(
            "p",
            "Every quote is the document’s own text, found by code at the place named. Exact: character for character. "
            "Folded: after folding line breaks, spaces, typographic quotes, dashes and ligatures. Re-cut: letters and "
            "digits agree; what differs is shown. A supported claim is what the document says, as one model read it "
            "and another agreed; both can be wrong. A quote proves presence; nothing proves that nothing was missed.",
        ),
        el("p", f"Made {_time(report.made_at)} by ralph {report.version}. This file runs no script and loads nothing."),
        el("div", el("span", "Checked by"), el("span", "Date"), class_="sign"),
    )
