"""Renders the evidence report as one HTML file without scripts and requests; all foreign text is escaped."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ralph_cli.core.events import RunHalted, RunStarted
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.run import FigureSource, Ruling, StopType, Verdict
from ralph_cli.reports.goal import describe_verification
from ralph_cli.reports.html.coverage_strip import LEVELS
from ralph_cli.reports.html.evidence import claims, linked_figures, listed_figures
from ralph_cli.reports.html.markup import CSS, Child, Markup, bullets, el, join, policy
from ralph_cli.reports.html.timeline import timeline
from ralph_cli.reports.report import Report, describe_ending, outcome_heading
from ralph_cli.reports.safe_text import one_line
from ralph_cli.reports.sections import absence
from ralph_cli.reports.sections.children import ChildRun
from ralph_cli.reports.sections.coverage import completeness_lines, coverage_line, percent, unreadable_line
from ralph_cli.reports.sections.documents import list_documents, shares_read
from ralph_cli.reports.sections.outcome import describe_follows
from ralph_cli.reports.sections.refused import Refusals, collect_refusals
from ralph_cli.reports.sections.reviews import HEADING as HEADING_OF_REVIEWS
from ralph_cli.reports.sections.reviews import describe_reviews
from ralph_cli.reports.sections.spending import Spending, spending
from ralph_cli.reports.sections.unconfirmed import HEADING, describe_doubt
from ralph_cli.reports.view import RUNNING, VERDICT_WORDS, describe_place

# The anchor, the heading and the content of a section.
Section = tuple[str, str, Markup]


def render_page(report: Report) -> str:
    """The whole file. The markup is ralph's own; documents and models contribute text only."""
    document = f" · {report.document_name}{report.document_size}" if report.view.document else ""
    outcome = outcome_heading(report)
    head = page_head(f"Evidence report{document}", report.view.question, outcome, describe_ending(report))
    follows = describe_follows(report.view.follows)
    notes = [el("p", note, class_="differs") for note in report.notes]
    notes = [el("p", f"{follows}."), *notes] if follows else notes
    return render_document(report.view.question, join(head, *notes), _sections(report), _footer(report))


def page_head(kicker: str, title: str, outcome: tuple[str, str], ending: str) -> Markup:
    """The title of a report, and how the run ended: in a few words of this kind, and in a sentence."""
    words, kind = outcome
    badge = el("span", words, class_=f"verdict {kind}")
    return join(
        el("p", kicker, class_="kicker"),
        el("h1", title),
        el("div", badge, el("p", ending), class_=f"ending {kind}"),
    )


def render_document(title: str, head: Markup, sections: Iterable[Section], footer: Markup, *, css: str = CSS) -> str:
    """A file in ralph's style with the sections that have content."""
    parts = [part for part in sections if part[2]]
    meta = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy(css)),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", f"Evidence: {one_line(title, 90)}"),
        el("style", Markup(css)),
    )
    contents = bullets(el("a", name.partition(": ")[0], href=f"#{anchor}") for anchor, name, _ in parts)
    body = el(
        "body",
        el("a", "Skip to the answer", href=f"#{parts[0][0]}", class_="skip") if parts else None,
        el("header", head),
        el("nav", contents, aria_label="Contents"),
        el("main", *(_section(*part) for part in parts)),
        el("footer", footer),
    )
    return f"<!doctype html>\n{el('html', meta, body, lang='en')}\n"


def render_sections(report: Report) -> Markup:
    """The sections of a report that have content."""
    return join(*(_section(*part) for part in _sections(report) if part[2]))


def _section(anchor: str, name: str, content: Markup) -> Markup:
    return el("section", el("h2", name, id=anchor, tabindex="-1"), content, aria_labelledby=anchor)


def _sections(report: Report) -> Iterator[Section]:
    apart = report.view.mode in _ANSWER_TITLES
    title = "Passages" if report.view.has_no_reader else "Answer"
    yield "answer", _ANSWER_TITLES.get(report.view.mode, title), _answer(report)
    yield "reviews", HEADING_OF_REVIEWS, bullets(describe_reviews(report.view.reviews, report.claim_noun))
    yield "claims", "Evidence", claims(report) if apart else Markup("")
    yield "searched", "What was searched", _searches(report)
    yield "found", "What the checks found", bullets(report.open_issues)
    yield "read", "What was read", Markup("") if report.view.has_no_reader else _coverage(report)
    yield "documents", "The documents", _documents(report)
    yield "notices", "Notices", bullets(report.view.notices)
    yield "made", "How this was made", _making(report)


_ANSWER_TITLES = {"task": "Output", "goal": "Output and its verification"}


def facts(items: Iterable[tuple[str, Child]]) -> Markup:
    """Names and values as a list, without empty values."""
    return el("dl", *(join(el("dt", name), el("dd", value)) for name, value in items if value))


def hash_value(value: object) -> Markup:
    """A hash or another machine-made name."""
    return el("span", str(value), class_="hash")


def _making(report: Report) -> Markup:
    """Details for a check of the run: times, models, hashes, cost, every step, and what was refused."""
    view = report.view
    started = next((event for event in report.events if isinstance(event, RunStarted)), None)
    ended = [event.at for event in report.events if isinstance(event, RunHalted)]
    models = started.settings.get("models", {}) if started else {}
    course, refused = timeline(report.events), _refused(report)
    return join(
        facts(
            (
                ("Models", ", ".join(f"{role} {name}" for role, name in models.items())),
                ("Begun", _time(started.at) if started else None),
                ("Ended", _time(ended[0]) if ended else None),
                ("Run", hash_value(view.run)),
                ("SHA-256", hash_value(view.document.get("sha256", "")) if view.document else None),
            )
        ),
        _cost(report),
        el("details", el("summary", "Course of the run: each step, what it ran and what it was shown"), course),
        el("details", el("summary", "What was refused on the way"), refused) if refused else None,
    )


def _time(stamp: str) -> str:
    """A time of the journal to the second; other text is returned unchanged."""
    return re.sub(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$", r"\1 \2 UTC", stamp)


def _answer(report: Report) -> Markup:
    view = report.view
    if report.goal is not None:
        return join(_output(report.output), _verifier_results(report.goal))
    if view.mode == "task":
        output = _output(view.output, view.figures)
        return join(output, listed_figures(view.figures), _output_ruling(view.output_ruling), _output_doubts(report))
    if view.halt.type is StopType.ABSENT or view.absence is not None:
        absent = (
            "A search for words has found nothing."
            if view.has_no_reader
            else "Not in the document, as far as the searches shown below can tell."
        )
        note = el("p", "The worker notes: ", view.absence) if view.absence else None
        return join(el("p", f"{absent} {unreadable_line(view)}".rstrip()), note, claims(report))
    none = "No answer yet." if view.halt == RUNNING else "No answer."
    return join(None if view.claims else el("p", none), _output_doubts(report), claims(report))


def _output(output: str, figures: Sequence[FigureSource] = ()) -> Markup:
    shown = linked_figures(output, figures, 0)
    return el("div", *shown, class_="output") if output.strip() else el("p", "No output.")


def _output_ruling(ruling: Ruling | None) -> Markup:
    """The judge's ruling on an output as a whole."""
    if ruling is None:
        return el("p", "No judge ruled on the output.")
    who = "Compared" if ruling.verdict is Verdict.VERBATIM else "Judge"
    return el("p", el("b", f"{who}: {VERDICT_WORDS[ruling.verdict.value]}. "), f"{ruling.reason} ({ruling.judge})")


def _output_doubts(report: Report) -> Markup | None:
    """What code could not confirm of an output as a whole."""
    doubts = bullets(describe_doubt(doubt) for doubt in report.view.unconfirmed if doubt.claim is None)
    return join(el("p", el("b", f"{HEADING}:")), doubts) if doubts else None


def _verifier_results(goal: GoalState) -> Markup:
    """The results of the user's verifiers on the present output."""
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
    told = join(*(el("p", line) for line, _ in completeness_lines(report.view)))
    if not found.parts:
        line = coverage_line(report.view)
        return join(told, el("p", line[0] if line else found.note))
    key = [el("li", el("b", name), rest, class_=level) for level, name, rest in found.describe_levels()]
    names = (part.name if found.unit == "page" else "" for part in found.parts)
    cells = [
        el("li", name, class_=part.level, title=f"{part.name}: {LEVELS[part.level]}")
        for name, part in zip(names, found.parts, strict=True)
    ]
    return join(
        told,
        el("ul", *key, class_="key"),
        el("ul", *cells, class_="strip", aria_label="How far each part was read"),
        el("p", found.note, class_="soft"),
    )


def _documents(report: Report) -> Markup:
    """The documents of a set by number: their size, the share that a model was shown, and their hashes."""
    view = report.view
    shown = [percent(share) for _, share in shares_read(view.document, view.coverage)]
    rows = []
    for number, entry in enumerate(list_documents(view.document), 1):
        pages, characters = (f"{int(entry.get(name, 0)):,}" for name in ("pages", "characters"))
        figures = (pages, characters, shown[number - 1] if shown else "")
        rows.append(
            el(
                "tr",
                el("td", str(number), class_="n"),
                el("td", str(entry.get("name", ""))),
                el("td", str(entry.get("kind", ""))),
                *(el("td", figure, class_="n") for figure in figures),
                el("td", hash_value(str(entry.get("sha256", ""))[:16])),
            )
        )
    columns = (("", "n"), ("Document", ""), ("Kind", ""), ("Pages", "n"), ("Characters", "n"), ("Read", "n"))
    return _table((*columns, ("SHA-256", "")), rows) if rows else Markup("")


def _cost(report: Report) -> Markup:
    items = spending(report.events)
    if not items or report.view.has_no_reader:
        return el("p", "No model was called.")
    seconds, failed = sum(item.seconds for item in items), sum(item.failed for item in items)
    total = Spending("Total", "", report.view.usage, seconds, failed)
    columns = (("Agent", ""), ("Model", ""), ("Calls", "n"), ("Failed", "n"), ("Tokens in", "n"), ("Tokens out", "n"))
    rows = [_cost_row(item) for item in items]
    costs = _table((*columns, ("US$", "n"), ("Seconds", "n")), rows, _cost_row(total))
    return join(costs, _children(report.view.children))


def _children(children: tuple[ChildRun, ...]) -> Markup:
    """The child workers as a tree, with what each branch cost."""
    rows = []
    for child in children:
        money = "unknown" if child.usage.usd is None else f"{child.usage.usd:.4f}"
        part = f"{child.start:,}-{child.end:,}" if child.end else "a text of the code's"
        names = (f"{chr(0xA0) * 4 * (child.depth - 1)}{child.branch}", child.question, part, child.result)
        figures = (f"{child.usage.calls:,}", money, f"{child.seconds:,.1f}")
        rows.append(el("tr", *(el("td", name) for name in names), *(el("td", it, class_="n") for it in figures)))
    columns = (("Child worker", ""), ("Asked", ""), ("Characters", ""), ("Result", ""))
    return _table((*columns, ("Calls", "n"), ("US$", "n"), ("Seconds", "n")), rows) if rows else Markup("")


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
    caveat = el("p", "None of this is in the answer, unless a later iteration corrected it.", class_="soft")
    return join(caveat, *(_iteration_refusals(item) for item in found)) if found else Markup("")


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
    return join(
        el(
            "p",
            "Every quote is the document’s own text, found by code at the place named: word for word, but for line "
            "breaks, spaces and typographic signs where that is said. Of a re-cut quote the letters and digits agree, "
            "and what differs is shown. A supported claim is what the document says, as one model read it and another "
            "agreed; both can be wrong. A quote proves presence; nothing proves that nothing was missed.",
        ),
        made_line(report.made_at, report.version),
    )


def made_line(made_at: str, version: str) -> Markup:
    """The time and the version with which a file was made, and room for signatures."""
    return join(
        el("p", f"Made {_time(made_at)} by ralph {version}. This file runs no script and loads nothing."),
        el("div", el("span", "Checked by"), el("span", "Date"), class_="sign"),
    )
