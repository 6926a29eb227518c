"""The tools: use cases like those of the commands, with the settings and the bounds of the server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ralph_cli.checks.output.shape import Format
from ralph_cli.commands.mcp.fence import Fence
from ralph_cli.config import Settings
from ralph_cli.core.budget import Ledger
from ralph_cli.core.document import Document, Member
from ralph_cli.core.errors import UserError
from ralph_cli.core.events import EventSink, NoticeIssued
from ralph_cli.core.model import Model
from ralph_cli.core.run import Passage
from ralph_cli.core.structure import Span
from ralph_cli.documents.sets.loading import load_source
from ralph_cli.documents.source import DocumentSource
from ralph_cli.reports.json import passage_object, quote_object
from ralph_cli.reports.memo.json import memo_object
from ralph_cli.reports.safe_text import one_line
from ralph_cli.retrieval.search.nearest import nearest_passages, widen_to_lines
from ralph_cli.retrieval.search.occurrences import SearchCounter
from ralph_cli.runs.execute import Setup, describe_document
from ralph_cli.runs.lookup import check_memo, check_quotes
from ralph_cli.runs.questions import answer_question, do_task
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.following import follow_run
from ralph_cli.wiring.spending import run_budget
from sandbox import Sandbox

MOST_QUOTES = 200

Words = Annotated[str, Field(min_length=1, max_length=20_000)]
Named = Annotated[str, Field(min_length=1, max_length=4_096)]
Several = Annotated[
    list[Named],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    Field(min_length=1, max_length=100),
]


class Arguments(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class AboutDocuments(Arguments):
    """Arguments of tools that read documents."""

    documents: Several
    """Paths of files, or of folders and ZIP archives, which mean all documents in them."""


class Ask(AboutDocuments):
    """Arguments of `ask`."""

    question: Words
    """What you want to know, in a sentence."""


class FollowUp(Arguments):
    """Arguments of `follow_up`."""

    run: Annotated[str, Field(min_length=1, max_length=200)]
    """The `run.id` of the answer that the question follows on."""
    question: Words
    """What you want to know further, such as "and in 2021?"."""


class Task(AboutDocuments):
    """Arguments of `task`."""

    task: Words
    """The work: a summary, a list, a table. Say what it must have."""
    format: Format | None = None
    """Form of the output; Markdown by default."""


class CheckQuotes(AboutDocuments):
    """Arguments of `check_quotes`."""

    quotes: Annotated[list[Words], Field(min_length=1, max_length=MOST_QUOTES)]
    """The quotes, as they are believed to stand in the documents."""


class CheckMemo(AboutDocuments):
    """Arguments of `check_memo`."""

    memo: Annotated[str, Field(max_length=2_000_000)] = ""
    """The memo's text, in Markdown or plain."""
    memo_file: Annotated[str, Field(max_length=4_096)] = ""
    """Its path, instead of its text."""


class Search(AboutDocuments):
    """Arguments of `search`."""

    words: Annotated[str, Field(min_length=1, max_length=500)]
    """What to look for: a phrase, or the words of a question."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    """Places and passages at most."""


class ReadPage(Arguments):
    """Arguments of `read_page`."""

    document: Named
    """Path of the file; of a folder or archive, say in `name` which of its documents."""
    page: Annotated[int, Field(ge=1)] = 1
    """Number of the page, from 1; formats without pages have one."""
    name: Annotated[str, Field(max_length=4_096)] = ""
    """Name of the document in its folder or archive, as other tools tell it."""
    start: Annotated[int, Field(ge=0)] = 0
    """Characters of the page to leave out, to go on with a long one."""


class TableStatus(Arguments):
    """Arguments of the tool that tells how far a table is."""

    folder: Named
    """Folder of a table that `ralph table` has made, or is making."""
    document: Annotated[str, Field(max_length=4_096)] = ""
    """Name of a document of the table, whose cells are told with their quotes."""


def parse_arguments(kind: type[Arguments], said: dict[str, Any] | None) -> Arguments:
    """Return the checked arguments. Raises UserError, which names the first fault."""
    try:
        return kind.model_validate(said or {})
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, fault["loc"]))
        what = {"extra_forbidden": "there is no such argument", "missing": "it is missing"}.get(fault["type"])
        known = ", ".join(kind.model_fields)
        message = one_line(f"{place or 'the arguments'}: {what or fault['msg']}", 300)
        raise UserError(message, code="bad-argument", hint=f"the arguments are {known}") from None


# Whether a tool asks models, which costs money and takes minutes, or runs only on this machine.
Kind = Literal["paid", "local"]

# Characters of a page that one call returns, at most.
PAGE_CHARACTERS = 20_000


@dataclass(slots=True)
class Toolbox:
    """The tools, for files within the `fence`. The bounds of the `settings` hold for each call and for all together.

    `models` and `engine` replace those of the settings. `runs` are the folders of the runs made here, by name; only
    their evidence is shown. Can be used from any thread.
    """

    settings: Settings
    fence: Fence
    models: Mapping[str, Model] = field(default_factory=dict)
    engine: Callable[[], Sandbox] | None = None
    runs: dict[str, Path] = field(default_factory=dict)
    notices: tuple[NoticeIssued, ...] = ()
    _purse: Ledger = field(init=False)

    def __post_init__(self) -> None:
        setup = Setup.of(self.settings, self.models)
        bounds, self.notices = run_budget(self.settings, setup.choose_models().by_role, self.models)
        self._purse = Ledger(replace(bounds, seconds=None))

    def ask(self, said: Ask, sink: EventSink) -> dict[str, Any]:
        """Answer a question from documents. Each claim has verbatim quotes that code has found there, with page, and
        the verdict of a judge model. `ok` is true if the answer passed every check, false if not, null if no language
        model was asked. An answer may be that the documents do not say it, with what was searched. Repeat no claim as
        proved when `ok` is not true. Takes minutes, and may cost money.
        """
        return self._keep(answer_question(self._source(said.documents), said.question, self._setup(sink)))

    def follow_up(self, said: FollowUp, sink: EventSink) -> dict[str, Any]:
        """Ask a further question on an answer that `ask` or `follow_up` has given here: it is understood from those
        before it, and only what is new is paid for. `run` is the `run.id` of that answer. Gives what `ask` gives; each
        claim is proved anew. Takes minutes, and may cost money.
        """
        folder = self.runs.get(said.run)
        if folder is None:
            what = f"this server made no run {one_line(said.run, 60)}"
            raise UserError(what, code="no-run", hint="give the run.id of an answer of it, or use ask")
        # Only the very document of that run is accepted.
        return self._keep(follow_run(folder, said.question, self._setup(sink), DocumentSource.of("")))

    def task(self, said: Task, sink: EventSink) -> dict[str, Any]:
        """Do a piece of work on documents: a summary, a list, a table. Every figure, date and quotation of the output
        is found in the documents by code. `output.text` is the output, `ok` as for `ask`. Takes minutes, and may cost
        money.
        """
        settings = self.settings.model_copy(update={"format": said.format} if said.format else {})
        return self._keep(do_task(self._source(said.documents), said.task, self._setup(sink, settings)))

    def check_quotes(self, said: CheckQuotes, sink: EventSink) -> dict[str, Any]:
        """Look up quotes in documents: whether each stands there word for word, and on which page. Costs nothing."""
        source = self._load(said.documents)
        document = source.load()
        record, found = describe_document(document), check_quotes(source, said.quotes, settings=self.settings)
        return {
            "ok": all(item.quote is not None and item.issue is None for item in found),
            "quotes": [
                {
                    "said": item.said,
                    "quote": item.quote and quote_object(item.quote, paged=document.paged, record=record),
                    "issue": item.issue.line if item.issue else None,
                    "cautions": list(item.cautions),
                }
                for item in found
            ],
        }

    def check_memo(self, said: CheckMemo, sink: EventSink) -> dict[str, Any]:
        """Check a memo, brief or report that quotes documents: is each quotation there, and on the page that is named?
        Each fault comes with the documents' own words. No model is asked, and it costs nothing.
        """
        if bool(said.memo.strip()) == bool(said.memo_file):
            raise UserError("give the memo's text or its file", code="bad-argument", hint="memo, or memo_file")
        if said.memo_file:
            memo = DocumentSource(str(self.fence.find_document(said.memo_file)))
        else:
            memo = DocumentSource("-", standard_input=said.memo.encode)
        documents = [self._source([path]) for path in said.documents]
        return memo_object(check_memo(memo, documents, settings=self.settings, sink=sink))

    def search(self, said: Search, sink: EventSink) -> dict[str, Any]:
        """Find words in documents: `places` where they stand together as written (case does not matter), with how
        often, and the `passages` that hold most of them, best first. Each has its page. No model reads them. Costs
        nothing.
        """
        document = self._load(said.documents).load()
        record = describe_document(document)

        def tell(start: int, end: int, words: tuple[str, ...]) -> dict[str, Any]:
            page, where = document.page_at(start), document.place_beside_pages(Span(start, end))
            passage = Passage(document.text[start:end], start, end, page.number, page.label, words, where)
            return passage_object(passage, paged=document.paged, record=record)

        together = SearchCounter(document).count([said.words], ())
        places = [place for tally in together for place in tally.places][: said.limit]
        near = nearest_passages(said.words, document.text, said.limit)
        return {
            "hits": sum(tally.search.hits or 0 for tally in together),
            "places": [tell(*widen_to_lines(document.text, *place), (said.words,)) for place in places],
            "passages": [tell(item.start, item.end, item.words) for item in near],
            "cautions": [caution.message for caution in document.cautions],
        }

    def read_page(self, said: ReadPage, sink: EventSink) -> dict[str, Any]:
        """Read the text of a page of a document, as quotes are looked up in it. `next` is the `start` with which a long
        page goes on. Costs nothing.
        """
        document = self._load([said.document]).load()
        first, count, member = 1, len(document.pages), None
        if document.members:
            member = _find_member(document, said.name)
            first, count = member.first_page, member.pages
        if said.page > count:
            raise UserError(f"there is no page {said.page}", code="no-page", hint=f"the last one is page {count}")
        page = document.pages[first + said.page - 2]
        begin = min(page.start + said.start, page.end)
        end = min(begin + PAGE_CHARACTERS, page.end)
        return {
            "document": member.name if member else document.path,
            "page": said.page,
            "label": page.label,
            "pages": count,
            "text": document.text[begin:end],
            "start": begin,
            "end": end,
            "next": end - page.start if end < page.end else None,
            "cautions": [caution.message for caution in document.cautions],
        }

    def table_status(self, said: TableStatus, sink: EventSink) -> dict[str, Any]:
        """How far a table of `ralph table` is: its questions, its documents, how many cells are answered, absent,
        refused or left; for one of its documents the cells with their answers and quotes. Costs nothing.
        """
        from ralph_cli.reports.table.json import as_object
        from ralph_cli.table.outputs import read_table

        status = as_object(read_table(self.fence.find_table(said.folder)), {}, ())
        cells = [cell for cell in status.pop("cells") if cell["row"] == said.document]
        if said.document and not cells:
            what = f"the table has no document {said.document!r:.200}"
            raise UserError(what, code="bad-argument", hint="`documents` has their names")
        return status | {"cells": cells}

    def _source(self, documents: Sequence[str]) -> DocumentSource:
        """Return the documents that a client names, without ralph's own records in an allowed folder."""
        source = DocumentSource.of([str(self.fence.find_document(path)) for path in documents])
        return replace(source, apart=self.fence.apart)

    def _load(self, documents: Sequence[str]) -> DocumentSource:
        return load_source(self._source(documents).with_ocr(self.settings.ocr_options), self.settings.cache_folder)

    def _setup(self, sink: EventSink, settings: Settings | None = None) -> Setup:
        setup = Setup.of(settings or self.settings, self.models, engine=self.engine, sink=sink)
        return replace(setup, purse=self._purse)

    def _keep(self, result: Result) -> dict[str, Any]:
        self.runs[result.run] = result.folder
        return result.to_dict()


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as clients see it; the docstring of its method describes it."""

    name: str
    title: str
    kind: Kind
    arguments: type[Arguments]
    run: Callable[[Toolbox, Any, EventSink], dict[str, Any]]

    @property
    def text(self) -> str:
        """The description for clients."""
        return " ".join((self.run.__doc__ or "").split())


# The tools by name.
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("ask", "Ask documents", "paid", Ask, Toolbox.ask),
        Tool("follow_up", "Ask a further question", "paid", FollowUp, Toolbox.follow_up),
        Tool("task", "Do a task on documents", "paid", Task, Toolbox.task),
        Tool("check_quotes", "Look up quotes", "local", CheckQuotes, Toolbox.check_quotes),
        Tool("check_memo", "Check a memo", "local", CheckMemo, Toolbox.check_memo),
        Tool("search", "Search documents", "local", Search, Toolbox.search),
        Tool("read_page", "Read a page", "local", ReadPage, Toolbox.read_page),
        Tool("table_status", "See how far a table is", "local", TableStatus, Toolbox.table_status),
    )
}


def _find_member(document: Document, name: str) -> Member:
    """Return the document of a set by its name. Raises UserError."""
    for member in document.members:
        if member.name == name:
            return member
    hint = f"give the name of one of them: {', '.join(member.name for member in document.members[:5])}"
    raise UserError(f"there are {len(document.members)} documents", code="bad-argument", hint=hint)
