"""The pages themselves, in HTML that nothing of a document or a model can break out of."""

from collections.abc import Mapping
from dataclasses import replace

from ralph_cli.core.results.review import Mark
from ralph_cli.core.results.table import TableQuestion, TableRow
from ralph_cli.core.version import __version__
from ralph_cli.reports.html.markup import Child, Markup, bullets, el, join
from ralph_cli.reports.html.page import page_head, render_sections
from ralph_cli.reports.report import Report, describe_ending, outcome_heading
from ralph_cli.reports.safe_text import one_line
from ralph_cli.reports.sections.outcome import describe_follows
from ralph_cli.reports.sections.reviews import describe_review
from ralph_cli.reports.table.words import describe_size
from ralph_cli.table.record import TableRecord
from ralph_cli.view.catalog import RunAddress, table_path
from ralph_cli.view.summaries import MODES, describe_shape

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The security policy of every page: nothing but our own files is loaded, and no script in a page is run."""

FILTERS = {
    "": "all",
    "good": "accepted",
    "note": "not found, or running",
    "plain": "passages only",
    "warn": "with reservations, cut off",
    "bad": "not accepted, failed",
}
"""What the lists can be narrowed to, by the kind of a state."""

REVIEWS = {
    "": "all",
    "no": "not reviewed",
    "yes": "reviewed",
    **{f"mark {mark.value}": mark.value for mark in Mark if mark is not Mark.WITHDRAWN},
}
"""The same by reviews; the script adds the reviewers by name."""

MARKS = (
    (Mark.CONFIRMED, "Confirm", "c"),
    (Mark.WRONG, "Wrong", "w"),
    (Mark.CORRECTED, "Correct it", "e"),
    (Mark.WITHDRAWN, "Take back", "u"),
)
"""What a reviewer can say, the words of the button and its key."""


def _render(
    prefix: str, kind: str, title: str, *body: Child, table: str = "", link: Markup | None = None, **data: str | int
) -> str:
    """A page of ours: its kind tells the script what to do, `data` with what.

    `table` is the name of that it is of, `link` what it offers beside the ways to others.
    """
    way_back = el("a", table, href=f"{prefix}/{table_path(table)}") if table else None
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", f"{one_line(title, 90)} · ralph"),
        el("link", rel="stylesheet", href=f"{prefix}/static/report.css"),
        el("link", rel="stylesheet", href=f"{prefix}/static/view.css"),
        el("script", src=f"{prefix}/static/view.js", defer=True),
    )
    top = el(
        "nav",
        el("a", "All runs and tables", href=f"{prefix}/", id="home"),
        way_back,
        link,
        el("button", "Keys", type="button", id="keys", title="What the keys do (?)"),
        class_="top",
        aria_label="Places",
    )
    attributes = {f"data_{name}": value for name, value in data.items()}
    content = el(
        "body",
        el("a", "Skip to the content", href="#main", class_="skip"),
        top,
        el("main", *body, id="main", tabindex="-1"),
        el("p", "", id="said", class_="said", role="status"),
        _keys(),
        class_=kind,
        data_page=kind,
        data_prefix=prefix,
        **attributes,
    )
    return f"<!doctype html>\n{el('html', head, content, lang='en')}\n"


def _keys() -> Markup:
    """What the keys do, shown on demand."""
    keys = (
        ("/", "search"),
        ("j, k or arrows", "next, previous line, cell or quote"),
        ("Enter", "open it"),
        ("p, n", "previous, next answer of the list or table that you came from"),
        ("c, w, e", "confirm, mark as wrong, correct the answer that is open"),
        ("Enter", "in a review: keep it; with Shift: and go on to the next answer"),
        ("u", "take your review back"),
        ("[ and ]", "previous, next page of the document"),
        ("g", "go to a page of the document"),
        ("a", "ask a follow-up"),
        ("Escape", "back"),
        ("?", "this list"),
    )
    items = [part for key, what in keys for part in (el("dt", el("kbd", key)), el("dd", what))]
    # It comes first, so that the list is shown from its beginning: what has the focus is scrolled into sight.
    close = el("form", el("button", "Close", autofocus=True), method="dialog")
    return el(
        "dialog", close, el("h2", "Keys", id="keys-title"), el("dl", *items), id="help", aria_labelledby="keys-title"
    )


def _search(what: str) -> Markup:
    return el(
        "div",
        el("label", f"Search {what} ", el("input", type="search", id="search", autocomplete="off")),
        el("label", "State ", _select("filter", FILTERS)),
        el("label", "Reviews ", _select("reviews", REVIEWS)),
        el("button", "Show all", type="button", id="all", hidden=True),
        el("span", "", id="count", class_="soft", role="status"),
        class_="tools",
        role="search",
    )


def _select(name: str, options: Mapping[str, str]) -> Markup:
    return el("select", *(el("option", words, value=value) for value, words in options.items()), id=name)


def render_home(prefix: str, folder: str) -> str:
    """The list of tables and runs, which the script fills."""
    waiting = el("p", "Reading the records …", id="wait", class_="soft", role="status")
    return _render(
        prefix,
        "home",
        "Runs and tables",
        el("h1", "Runs and tables"),
        el("p", f"Folder: {one_line(folder)}", class_="soft"),
        _search("runs and tables"),
        _list("tables", "Tables", hidden=True),
        _list("runs", "Runs", waiting),
        el("button", "Show more", type="button", id="more", hidden=True),
    )


def _list(name: str, title: str, *more: Child, hidden: bool = False) -> Markup:
    heading, items = el("h2", title, id=f"{name}-title"), el("ul", id=name, class_="list")
    return el("section", heading, *more, items, id=f"{name}-part", hidden=hidden, aria_labelledby=f"{name}-title")


def render_table(prefix: str, name: str, record: TableRecord) -> str:
    """The matrix of a table with its heads; the script fills the cells."""
    columns = [el("div", "Document", role="columnheader", class_="cell head")]
    columns += [_column(question) for question in record.questions]
    rows = [_row(number, row) for number, row in enumerate(record.rows, 2)]
    grid = el(
        "div",
        el(
            "div",
            el("div", *columns, role="row", aria_rowindex=1, class_="row heads"),
            role="rowgroup",
            class_="headgroup",
        ),
        el("div", *rows, role="rowgroup", id="rows"),
        role="grid",
        class_="grid",
        id="grid",
        tabindex="0",
        aria_label="Answers: documents down, questions across",
        aria_rowcount=len(record.rows) + 1,
        aria_colcount=len(record.questions) + 1,
    )
    return _render(
        prefix,
        "table",
        name,
        el("h1", name),
        el("p", describe_size(record.as_table()), ". ", el("span", id="reviewed"), class_="soft"),
        _search("documents, columns and answers"),
        grid,
        path=table_path(name),
        columns=len(record.questions),
        shape=describe_shape(record),
    )


def _column(question: TableQuestion) -> Markup:
    words = el("span", one_line(question.question, 240))
    return el("div", el("b", question.id), words, role="columnheader", class_="cell head")


def _row(index: int, row: TableRow) -> Markup:
    """A row with its head; the script makes the cells when they come into sight."""
    fault = f"cannot be read: {row.fault}" if row.fault else row.kind
    head = el("div", el("b", row.name), el("span", one_line(fault)), role="rowheader", class_="cell side")
    return el("div", head, role="row", class_="row", aria_rowindex=index)


def render_run(
    prefix: str, address: RunAddress, question: str, answer: Markup, *, is_running: bool, can_ask: bool, reviewer: str
) -> str:
    """A run: on the left the `answer`, on the right the document."""
    way = (
        el("button", "‹ Previous", type="button", id="way-before", title="Previous answer (p)"),
        el("span", "", id="way-where", class_="soft"),
        el("button", "Next ›", type="button", id="way-after", title="Next answer (n)"),
    )
    pager = (
        el("button", "‹", type="button", id="before", title="Previous page ([)", aria_label="Previous page"),
        el("span", "", id="where"),
        el(
            "input", id="goto", inputmode="numeric", autocomplete="off", title="Go to page (g)", aria_label="Go to page"
        ),
        el("button", "›", type="button", id="after", title="Next page (])", aria_label="Next page"),
        el("button", "Hide", type="button", id="fold", aria_expanded="true", aria_controls="sheet"),
    )
    opening = el("p", "Opening the document …", class_="soft")
    viewer = el(
        "aside",
        el("div", *pager, class_="pager", id="pager", hidden=True),
        el("div", opening, id="sheet", tabindex="0", role="region", aria_label="The document"),
        id="viewer",
        aria_label="The document beside the answer",
    )
    ask = (
        el(
            "form",
            el("label", "Ask a follow-up ", el("input", type="text", id="question", autocomplete="off")),
            el("button", "Ask", type="submit"),
            id="ask",
            class_="tools",
            hidden=is_running,
        )
        if can_ask
        else None
    )
    return _render(
        prefix,
        "run",
        question,
        el(
            "div",
            el("div", *way, id="way", class_="way", hidden=True),
            el("div", answer, id="answer"),
            ask,
            class_="left",
        ),
        viewer,
        table=address.table or "",
        link=el("a", "Ask a follow-up", href="#ask", id="to-ask", hidden=is_running) if can_ask else None,
        path=address.path,
        reviewer=reviewer,
        running="yes" if is_running else "no",
    )


def render_answer(report: Report, state: str, *, progress: str, followed: str | None, resume: str = "") -> Markup:
    """What is replaced when a run has gone on: how it ended, what is said of it, and every section of its report.

    `state` is that of the records which it was made of, `progress` how far it has come, empty if it has ended;
    `followed` the address of the run that it follows on, if that can be shown; `resume` says how it goes on, if it was
    cut off.
    """
    words, kind = ("Still running", "note") if progress else outcome_heading(report)
    ending = f"It is shown as far as it has come: {progress}." if progress else describe_ending(report)
    follows = describe_follows(report.view.follows)
    document = f" · {report.document_name}{report.document_size}" if report.view.document else ""
    buttons = (
        el("button", word, type="button", data_mark=mark.value, title=f"{word} ({key})") for mark, word, key in MARKS
    )
    review = el("div", *buttons, class_="marks", data_claim="0", role="group", aria_label="Your review of the answer")
    said = [
        el("li", describe_review(item, report.claim_noun), class_=item.mark.value, data_claim=item.claim)
        for item in report.view.reviews
    ]
    return join(
        el(
            "header",
            page_head(
                f"{MODES.get(report.view.mode, report.view.mode)}{document}",
                report.view.question,
                (words, kind),
                ending,
            ),
            el("p", el("a", follows, href=followed) if followed else follows) if follows else None,
            el("p", resume, class_="soft resume") if resume else None,
            data_state=state,
        ),
        None if progress else review,
        el("ul", *said, class_="reviews") if said else None,
        render_sections(replace(report, view=replace(report.view, reviews=()))),  # they stand above
    )


def render_refusal() -> str:
    """What somebody sees who does not know the token: a page without any address of ours."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", "ralph"),
    )
    words = "There is nothing here: open the address that `ralph view` has printed."
    return f"<!doctype html>\n{el('html', head, el('body', el('p', words)), lang='en')}\n"


def render_message(prefix: str, title: str, lines: list[str]) -> str:
    """A page that says why there is nothing else."""
    return _render(
        prefix, "message", title, el("h1", title), bullets(lines), el("p", f"ralph {__version__}", class_="soft")
    )
