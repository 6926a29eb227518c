"""The pages themselves, in HTML that nothing of a document or a model can break out of."""

from ralph_cli.core.results.table import TableQuestion, TableRow
from ralph_cli.core.version import __version__
from ralph_cli.reports.html.markup import Child, Markup, bullets, el, join
from ralph_cli.reports.html.page import page_head, render_sections
from ralph_cli.reports.report import Report, describe_ending, outcome_heading
from ralph_cli.reports.safe_text import one_line
from ralph_cli.reports.table.words import describe_size
from ralph_cli.table.record import TableRecord
from ralph_cli.view.summaries import as_table

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The security policy of every page: nothing but our own files is loaded, and no script in a page is run."""

FILTERS = {
    "": "all",
    "good": "accepted",
    "note": "not in the document, or running",
    "plain": "passages only",
    "warn": "with reservations",
    "bad": "not accepted, failed",
    "reviewed": "reviewed",
    "unreviewed": "not reviewed",
}
"""What the lists can be narrowed to, by the kind of a state or by its reviews."""


def _render(prefix: str, kind: str, title: str, *body: Child, **data: str | int | bool | None) -> str:
    """A page of ours: its kind tells the script what to do, `data` with what."""
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
        ("c, w, e", "confirm, mark as wrong, correct the answer that is open"),
        ("[ and ]", "previous, next page of the document"),
        ("p, n", "previous, next cell of the table"),
        ("Escape", "back"),
        ("?", "this list"),
    )
    items = [part for key, what in keys for part in (el("dt", el("kbd", key)), el("dd", what))]
    close = el("form", el("button", "Close", autofocus=True), method="dialog")
    return el(
        "dialog", el("h2", "Keys", id="keys-title"), el("dl", *items), close, id="help", aria_labelledby="keys-title"
    )


def _search(what: str) -> Markup:
    options = [el("option", words, value=value) for value, words in FILTERS.items()]
    return el(
        "div",
        el("label", f"Search {what} ", el("input", type="search", id="search", autocomplete="off")),
        el("label", "Show ", el("select", *options, id="filter")),
        el("span", "", id="count", class_="soft", role="status"),
        class_="tools",
        role="search",
    )


def render_home(prefix: str, folder: str) -> str:
    """The list of tables and runs, which the script fills."""
    waiting = el("p", "Reading the records …", id="wait", class_="soft")
    return _render(
        prefix,
        "home",
        "Runs and tables",
        el("h1", "Runs and tables"),
        el("p", f"In {one_line(folder)}", class_="soft"),
        _search("runs"),
        _list("tables", "Tables", hidden=True),
        _list("runs", "Runs", waiting),
    )


def _list(name: str, title: str, *more: Child, hidden: bool = False) -> Markup:
    heading, items = el("h2", title, id=f"{name}-title"), el("ul", id=name, class_="list")
    return el("section", heading, *more, items, id=f"{name}-part", hidden=hidden, aria_labelledby=f"{name}-title")


def render_table(prefix: str, name: str, record: TableRecord) -> str:
    """The matrix of a table with its heads; the script fills the cells."""
    columns = [el("div", "Document", role="columnheader", class_="cell head")]
    columns += [_column(question) for question in record.questions]
    rows = [_row(number, row, len(record.questions)) for number, row in enumerate(record.rows)]
    grid = el(
        "div",
        el("div", el("div", *columns, role="row", class_="row heads"), role="rowgroup", class_="headgroup"),
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
        el("p", describe_size(as_table(record)), class_="soft"),
        _search("documents and answers"),
        grid,
        table=name,
        columns=len(record.questions),
    )


def _column(question: TableQuestion) -> Markup:
    words = el("span", one_line(question.question, 240))
    return el("div", el("b", question.id), words, role="columnheader", class_="cell head")


def _row(number: int, row: TableRow, columns: int) -> Markup:
    fault = f"cannot be read: {row.fault}" if row.fault else row.kind
    head = el("div", el("b", row.name), el("span", one_line(fault)), role="rowheader", class_="cell side")
    cells = [el("div", "…", role="gridcell", class_="cell waiting") for _ in range(columns)]
    return el("div", head, *cells, role="row", class_="row", data_row=number)


def render_run(prefix: str, path: str, report: Report, *, is_running: bool, can_ask: bool, reviewer: str) -> str:
    """A run: on the left all that its evidence report says, on the right the document."""
    answer = el("div", render_answer(report, is_running=is_running), id="answer")
    pager = (
        el("button", "‹", type="button", id="before", title="Previous page ([)", aria_label="Previous page"),
        el("span", "", id="where"),
        el("button", "›", type="button", id="after", title="Next page (])", aria_label="Next page"),
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
        )
        if can_ask
        else None
    )
    return _render(
        prefix,
        "run",
        report.view.question,
        el("div", answer, ask, class_="left"),
        viewer,
        path=path,
        reviewer=reviewer,
        running="yes" if is_running else "no",
    )


def render_answer(report: Report, *, is_running: bool) -> Markup:
    """What is replaced when a run has gone on: how it ended, what is said of it, and every section of its report."""
    words, kind = ("Still running", "note") if is_running else outcome_heading(report)
    ending = "It is shown as far as it has come." if is_running else describe_ending(report)
    document = f" · {report.document_name}{report.document_size}" if report.view.document else ""
    marks = (("confirmed", "Confirm", "c"), ("wrong", "Wrong", "w"), ("corrected", "Correct", "e"))
    buttons = (el("button", word, type="button", data_mark=mark, title=f"{word} ({key})") for mark, word, key in marks)
    review = el("div", *buttons, class_="marks", data_claim="0", role="group", aria_label="Your review of the answer")
    return join(
        el("header", page_head(f"{report.view.mode}{document}", report.view.question, (words, kind), ending)),
        None if is_running else review,
        render_sections(report),
    )


def render_message(prefix: str, title: str, lines: list[str]) -> str:
    """A page that says why there is nothing else."""
    return _render(
        prefix, "message", title, el("h1", title), bullets(lines), el("p", f"ralph {__version__}", class_="soft")
    )
