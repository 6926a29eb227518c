"""The pages as HTML, in which all text of documents and models is escaped."""

from dataclasses import replace
from pathlib import Path
from string import Template

from ralph_cli.core.results.review import Mark
from ralph_cli.core.results.table import TableQuestion, TableRow
from ralph_cli.core.version import __version__
from ralph_cli.reports.html.markup import Child, Markup, bullets, el, escape, join
from ralph_cli.reports.html.page import page_head, render_sections
from ralph_cli.reports.report import Report, describe_ending, outcome_heading
from ralph_cli.reports.safe_text import one_line
from ralph_cli.reports.sections.outcome import describe_follows
from ralph_cli.reports.sections.reviews import describe_review
from ralph_cli.reports.table.words import describe_size
from ralph_cli.table.record import TableRecord
from ralph_cli.view.catalog import RunAddress, table_path
from ralph_cli.view.summaries import MODES, describe_shape

# The security policy of every page: it loads only our own files, and runs no script in a page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

STATIC = Path(__file__).with_name("static")

# The marks of a review, the words of their buttons, and their keys.
MARKS = (
    (Mark.CONFIRMED, "Confirm", "c"),
    (Mark.WRONG, "Wrong", "w"),
    (Mark.CORRECTED, "Correct it", "e"),
    (Mark.WITHDRAWN, "Take back", "u"),
)


def _fill(name: str, **values: str) -> Markup:
    """Fill one of our HTML files with these values, which are escaped unless they are Markup."""
    shown = {key: value if isinstance(value, Markup) else escape(value) for key, value in values.items()}
    return Markup(Template((STATIC / f"{name}.html").read_text("utf-8")).substitute(shown))


def _render(
    prefix: str, kind: str, title: str, *body: Child, table: str = "", link: Markup | None = None, **data: str | int
) -> str:
    """Return a page. The script does what its `kind` says with the `data`.

    `table` is the name of the table that it belongs to, `link` a further link in its head.
    """
    way_back = el("a", table, href=f"{prefix}/{table_path(table)}") if table else None
    attributes = Markup("".join(f' data-{name}="{escape(str(value))}"' for name, value in data.items()))
    return _fill(
        "page",
        prefix=prefix,
        kind=kind,
        title=one_line(title, 90),
        data=attributes,
        links=join(way_back, link),
        body=join(*body),
    )


def render_home(prefix: str, folder: str) -> str:
    """Return the page with the lists of tables and runs, which the script fills."""
    search = _fill("search", what="runs and tables")
    return _render(prefix, "home", "Runs and tables", _fill("home", folder=one_line(folder), search=search))


def render_table(prefix: str, name: str, record: TableRecord) -> str:
    """Return the page of a table with its heads; the script fills the cells."""
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
        _fill("search", what="documents, columns and answers"),
        grid,
        path=table_path(name),
        columns=len(record.questions),
        shape=describe_shape(record),
    )


def _column(question: TableQuestion) -> Markup:
    words = el("span", one_line(question.question, 240))
    return el("div", el("b", question.id), words, role="columnheader", class_="cell head")


def _row(index: int, row: TableRow) -> Markup:
    """Return a row with its head; the script adds the cells when they become visible."""
    fault = f"cannot be read: {row.fault}" if row.fault else row.kind
    head = el("div", el("b", row.name), el("span", one_line(fault)), role="rowheader", class_="cell side")
    return el("div", head, role="row", class_="row", aria_rowindex=index)


def render_run(
    prefix: str, address: RunAddress, question: str, answer: Markup, *, is_running: bool, can_ask: bool, reviewer: str
) -> str:
    """Return the page of a run: on the left the `answer`, on the right the document."""
    hidden = Markup(" hidden") if is_running else ""
    ask = _fill("ask", hidden=hidden) if can_ask else ""
    return _render(
        prefix,
        "run",
        question,
        _fill("run", answer=answer, ask=ask),
        table=address.table or "",
        link=el("a", "Ask a follow-up", href="#ask", id="to-ask", hidden=is_running) if can_ask else None,
        path=address.path,
        reviewer=reviewer,
        running="yes" if is_running else "no",
    )


def render_answer(report: Report, state: str, *, progress: str, followed: str | None, resume: str = "") -> Markup:
    """Return the part of a run's page that changes: how it ended, its reviews, and all sections of its report.

    `state` is the state of its record, `progress` how far it has come (empty if it has ended), `followed` the address
    of the run that it follows, if that can be shown, and `resume` says how to resume an interrupted run.
    """
    words, kind = ("Still running", "note") if progress else outcome_heading(report)
    ending = f"This is its state so far: {progress}." if progress else describe_ending(report)
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
        render_sections(replace(report, view=replace(report.view, reviews=()))),  # they are above
    )


def render_refusal() -> str:
    """Return the page for requests without the token, which has no address of ours."""
    return _fill("refusal")


def render_message(prefix: str, title: str, lines: list[str]) -> str:
    """Return a page with a message."""
    return _render(
        prefix, "message", title, el("h1", title), bullets(lines), el("p", f"ralph {__version__}", class_="soft")
    )
