"""Renders a table as one HTML page without scripts: a matrix with links to the evidence, and open cells."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote as percent_encoded

from ralph_cli.core.results.table import ALL_DOCUMENTS, Cell, CellQuote, Comparison, Table, TableQuestion, TableRow
from ralph_cli.reports.html.markup import CSS, Markup, el, join
from ralph_cli.reports.html.page import Section, made_line, page_head, render_document
from ralph_cli.reports.table.comparison import compared_rows, describe_comparison
from ralph_cli.reports.table.words import (
    STATES,
    as_sentence,
    count_states,
    describe_cost,
    describe_outcome,
    describe_size,
    explain,
    open_cells,
    reason,
)
from ralph_cli.text.lexicon import pluralize

TABLE_CSS = CSS + Path(__file__).with_name("table.css").read_text("utf-8")

# Characters of an answer and of a quote in the matrix, and quotes of a cell; the evidence has all of it.
MAX_ANSWER, MAX_QUOTE, MAX_QUOTES = 240, 400, 3

# Documents named for a value.
MAX_NAMES = 40

# Cells listed below the matrix; the matrix itself also shows their reasons.
MAX_OPEN = 1_000


def table_html(table: Table, made_at: str, version: str, compared: Sequence[Comparison] = ()) -> str:
    """The whole page. Documents and models contribute text only; the page loads nothing."""
    ending = f"{as_sentence(table.halt.detail)} Cost: {describe_cost(table)}."
    head = page_head("Table of answers", describe_size(table), describe_outcome(table), ending)
    caveat = el(
        "p",
        "Every quote is the document’s own text, found by code at the place named. A cell is accepted if its answer "
        "passed every check; a quote proves presence, and nothing proves that nothing was missed.",
    )
    footer = join(caveat, made_line(made_at, version))
    return render_document(
        describe_size(table), join(head, _key(table)), _sections(table, compared), footer, css=TABLE_CSS
    )


def link(path: str) -> str:
    """A path relative to the page, which may end in a page of a PDF, as an address."""
    file, mark, fragment = path.partition("#page=")
    return percent_encoded(file, errors="replace") + mark + fragment


def cut(text: str, most: int) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= most else f"{text[:most].rstrip()} …"


def _key(table: Table) -> Markup:
    """The meaning of the states, and the number of cells in each."""
    items = []
    for state, count in count_states(table).items():
        words = STATES[state]
        badge = el("span", words.words, class_=f"verdict {words.kind}")
        items.append(el("li", el("b", f"{count:,} "), badge, f" {words.meaning}"))
    return el("ul", *items, class_="states")


def _sections(table: Table, compared: Sequence[Comparison]) -> Iterator[Section]:
    yield "matrix", "Answers", _matrix(table)
    yield "comparison", "What differs", _comparison(compared)
    yield "open", "Not simply answered, and why", _open(table)
    yield "questions", "Questions", _questions(table)


def _matrix(table: Table) -> Markup:
    heads = (
        el("th", el("b", question.id), el("span", cut(question.question, MAX_ANSWER)), scope="col")
        for question in table.questions
    )
    header = el("thead", el("tr", el("th", "Document", scope="col"), *heads))
    rows = []
    for row in table.rows:
        own = table.of_each(row)
        cells = (
            _cell(table.cell(row, question)) if question in own else _elsewhere(question)
            for question in table.questions
        )
        rows.append(el("tr", _row_head(row), *cells))
    body = el("table", header, el("tbody", *rows))
    return el("div", body, class_="matrix", tabindex="0", role="region", aria_label="The matrix of answers")


def _row_head(row: TableRow) -> Markup:
    size = f"{row.kind}, {pluralize(row.pages, 'page')}" if row.pages > 1 else row.kind
    told = f"cannot be read: {row.fault}" if row.fault else size
    return el("th", row.name, el("small", told), scope="row")


def _elsewhere(question: TableQuestion) -> Markup:
    where = f"asked of {ALL_DOCUMENTS} together" if question.each == "set" else "asked of each document"
    return el("td", el("small", where), class_="elsewhere")


def _cell(cell: Cell) -> Markup:
    """The state, the answer and the link to its proof; other details are folded."""
    words = STATES[cell.state]
    badge: Markup | str = el("span", words.words, class_=f"verdict {words.kind}")
    place = cell.quotes[0].place if cell.quotes else "evidence"
    proof = el("a", place, href=link(cell.evidence)) if cell.evidence else place if cell.quotes else None
    is_value = cell.value is not None and bool(cell.value.text)
    text = cell.shown if cell.answer else reason(cell)
    answer = el("p", cut(text, MAX_ANSWER), class_="value" if is_value else None) if text else None
    return el("td", el("div", badge, " ", proof, class_="top"), answer, _fold(cell, is_value), class_=words.kind)


def _fold(cell: Cell, is_value: bool) -> Markup | None:
    """The words of the answer, the quotes, and the limits."""
    lines = [line for line in explain(cell) if line != reason(cell)]
    quotes = cell.quotes[:MAX_QUOTES]
    parts = [
        el("p", cut(cell.answer, 2 * MAX_ANSWER)) if is_value or len(cell.answer) > MAX_ANSWER else None,
        *(el("p", cut(line, MAX_QUOTE), class_="soft") for line in lines),
        *(_quote(quote) for quote in quotes),
    ]
    if not any(parts):
        return None
    more = len(cell.quotes) - len(quotes)
    rest = el("p", f"{pluralize(more, 'more quote')} in the evidence", class_="soft") if more else None
    title = pluralize(len(cell.quotes), "quote") if cell.quotes else "searched" if cell.searched else "more"
    return el("details", el("summary", title), *parts, rest)


def _quote(quote: CellQuote) -> Markup:
    where = el("a", quote.place, href=link(quote.link)) if quote.link else quote.place
    return el("blockquote", cut(" ".join(quote.text.split()), MAX_QUOTE), " ", el("cite", where))


def _comparison(compared: Sequence[Comparison]) -> Markup:
    """For each question, in a fold: the values with their documents, outliers, and documents without a value."""
    folds = []
    rows = list(compared_rows(compared))
    for comparison in compared:
        own = [row for row in rows if row[0] is comparison]
        lines = (
            el("tr", el("td", what), el("td", cut(text, MAX_QUOTE)), el("td", _names(documents)))
            for _, what, text, documents in own[:MAX_OPEN]
        )
        columns = (el("th", name, scope="col") for name in ("What", "Value", "Documents"))
        listed = el("table", el("thead", el("tr", *columns)), el("tbody", *lines))
        more = len(own) - MAX_OPEN
        rest = el("p", f"{more:,} more are in the workbook and in --json.", class_="soft") if more > 0 else None
        title = join(el("b", comparison.question.id), f": {describe_comparison(comparison)}")
        scroll = el("div", listed, class_="scroll", tabindex="0", role="region", aria_label=comparison.question.id)
        folds.append(el("details", el("summary", title), scroll, rest))
    return join(*folds)


def _names(documents: Sequence[str]) -> str:
    more = len(documents) - MAX_NAMES
    return ", ".join(documents[:MAX_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def _open(table: Table) -> Markup:
    cells = list(open_cells(table))
    rows = []
    for cell in cells[:MAX_OPEN]:
        words = STATES[cell.state]
        name = el("a", cell.question, href=link(cell.evidence)) if cell.evidence else cell.question
        badge = el("span", words.words, class_=f"verdict {words.kind}")
        why = join(*(el("p", cut(line, 2 * MAX_QUOTE)) for line in explain(cell)))
        rows.append(el("tr", el("td", cell.row), el("td", name), el("td", badge), el("td", why)))
    if not rows:
        return Markup("")
    columns = (el("th", name, scope="col") for name in ("Document", "Question", "State", "Why"))
    listed = el("table", el("thead", el("tr", *columns)), el("tbody", *rows))
    more = len(cells) - MAX_OPEN
    rest = el("p", f"{more:,} more are in the matrix only.", class_="soft") if more > 0 else None
    return join(el("div", listed, class_="scroll", tabindex="0", role="region", aria_label="Open cells"), rest)


def _questions(table: Table) -> Markup:
    items = []
    for question in table.questions:
        wanted = f" ({question.answer_as})" if question.answer_as else ""
        items += [el("dt", question.id), el("dd", f"{question.question}{wanted}")]
    return el("dl", *items)
