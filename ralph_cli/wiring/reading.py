"""Builds the parts that read a document: sandbox, sub-queries, and the worker's conversation."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from ralph_cli.checks.form import LIST_FORM
from ralph_cli.checks.quotes import VisibilityPolicy
from ralph_cli.core.document import Document
from ralph_cli.core.events import NoticeIssued
from ralph_cli.core.prompts.templates import prompt_text
from ralph_cli.documents.source import DocumentSource
from ralph_cli.modes.children import Allowance, ChildRead, Children
from ralph_cli.modes.opening import render_headings
from ralph_cli.modes.reader import Assignment, DocumentReader, SubmissionParser
from ralph_cli.modes.retry import MAX_CONVERSATION_CHARS
from ralph_cli.providers.registry import KEYLESS_VENDORS
from ralph_cli.providers.wrapper import PreloadingModel
from ralph_cli.retrieval.quotes.visibility import VisibilityChecker
from ralph_cli.retrieval.search.named_parts import describe_ambiguous
from ralph_cli.rlm.bridge import DocumentSandbox, Subqueries
from ralph_cli.rlm.conversation import rebuild_conversation
from ralph_cli.rlm.loop import CODE_CUT_OFF, Explorer
from ralph_cli.rlm.reading import CoverageTracker
from ralph_cli.wiring.models import RunContext
from sandbox import Sandbox

CHILD_STEPS = 20  # steps of a child worker, if a worker may take no fewer

# Children of the worker that work side by side: the sandbox of each has about 130 MB. Of a child two do.
CHILDREN_AT_ONCE = 8

# The form of a child worker's answer.
CHILD_ANSWER = "findings for a colleague, who cannot see this part of the document"

Closers = tuple[Callable[[], None], ...]  # functions that end threads and processes, in order


def choose_strategy(context: RunContext, document: Document) -> tuple[bool, str]:
    """Return whether the model gets the whole document, and why; the reason is empty if there was no choice."""
    settings, size = context.settings, len(document.text)
    if context.models.worker.vendor == "offline":
        refused = "the built-in engine reads by code only, so --strategy direct is not followed"
        return False, refused if settings.strategy == "direct" else ""
    direct = settings.strategy == "direct" or (settings.strategy == "auto" and size <= settings.direct_chars)
    how = "the model is given the whole text" if direct else "the model explores the text by code"
    why = f"up to {settings.direct_chars:,} it is given whole" if settings.strategy == "auto" else "as --strategy says"
    return direct, f"{how}: {size:,} characters ({why})"


def open_sandbox(
    context: RunContext, document: Document, nonce: str, memory: str | None = None, *, has_children: bool = False
) -> tuple[DocumentSandbox, Subqueries, Children | None, Closers]:
    """Return the sandbox with the document, not started yet, and what answers its sub-queries and children."""
    sandbox = DocumentSandbox(context.engine, document, context.ledger, memory, has_children=has_children)
    model, most = context.models.subquery, context.settings.max_subqueries
    at_once = context.settings.max_parallel
    subqueries = Subqueries(model, prompt_text("subquery_system"), nonce, most, most_at_once=at_once)
    closers = subqueries.close, sandbox.close
    if not has_children:
        return sandbox, subqueries, None, closers
    children, end_children = build_children(context, document, nonce, subqueries)
    return sandbox, subqueries, children, (*end_children, *closers)


def open_reader(
    context: RunContext, assignment: Assignment, source: DocumentSource | None, agent: str, nonce: str = ""
) -> tuple[DocumentReader, Closers]:
    """Return the worker with its sandbox, which starts in the background unless the worker gets the whole document.

    `nonce` is new unless it is given: children use their parent's, because they may start in any order. Without a
    `source`, nothing checks whether quotes are visible on the pages.
    """
    settings, sink, document = context.settings, context.sink, assignment.document
    direct, reason = choose_strategy(context, document)
    if reason:
        sink(NoticeIssued("strategy", reason))
    if several := describe_ambiguous(document, assignment.named):
        sink(NoticeIssued("part-ambiguous", several))
    nonce = nonce or context.nonces()
    memory = assignment.memory if assignment.kind == "task" else None
    has_children = assignment.may_have_children
    sandbox, subqueries, children, closers = open_sandbox(context, document, nonce, memory, has_children=has_children)
    if not direct and not context.earlier:
        sandbox.prepare()
    opening = assignment.opening(nonce, include_document=direct)
    explorer = Explorer(
        model=context.models.worker,
        sandbox=sandbox,
        subqueries=subqueries,
        document=document,
        system=assignment.system(include_document=direct),
        opening=opening,
        shared_opening=assignment.shared_part(opening, nonce),
        short_system=assignment.system(include_document=False),
        short_opening=partial(assignment.opening, nonce, include_document=False),
        inputs=assignment.inputs,
        nonce=nonce,
        sink=sink,
        listed_headings=render_headings(document, nonce),
        max_steps=settings.max_steps,
        output_chars=settings.output_chars,
        coverage_tracker=CoverageTracker(document, sink),
        tool=assignment.tool,
        parse=SubmissionParser(assignment.form),
        holds_text=direct,
        agent=agent,
        children=children,
        recorded=context.recorded_snippets(),
    )
    if context.followed:
        _take_up_conversation(context, assignment, explorer)
    if source is None:  # a child's quotes are checked when its parent quotes them
        return DocumentReader(assignment, explorer, None), closers
    checker = VisibilityChecker(document, lambda code, message: sink(NoticeIssued(code, message)), source)
    return DocumentReader(assignment, explorer, VisibilityPolicy(checker, settings.allow_hidden_text)), closers


def may_have_children(context: RunContext, document: Document) -> bool:
    """Whether the worker's code may use child workers; false if the worker gets the whole document."""
    if context.models.worker.vendor == "offline" or not context.settings.max_depth:
        return False
    return not choose_strategy(context, document)[0]


def build_children(
    context: RunContext, document: Document, nonce: str, subqueries: Subqueries
) -> tuple[Children, Closers]:
    """Return the object that answers `rlm_query` for a worker's code, and how to end it.

    Sandboxes of finished children are reused by later children.
    """
    settings = context.settings
    idle: list[Sandbox] = []
    lock = threading.Lock()

    def open_engine() -> Sandbox:
        with lock:
            if idle:
                return idle.pop()
        return context.engine()

    @contextmanager
    def open_child(branch: str, part: Document, question: str, allowance: Allowance) -> Iterator[ChildRead]:
        depth = settings.max_depth - 1 if allowance.children else 0
        own = context.of_child(
            branch,
            open_engine,
            max_steps=min(settings.max_steps, CHILD_STEPS),
            max_subqueries=allowance.subqueries,
            max_depth=depth,
            max_children=allowance.children,
        )
        form = replace(LIST_FORM, quote_chars=settings.form.quote_chars)
        asked = Assignment(
            kind="question",
            text=question,
            document=part,
            form=form,
            output_chars=settings.output_chars,
            answer_as=CHILD_ANSWER,
            may_have_children=may_have_children(own, part),
        )
        reader, end = open_reader(own, asked, None, "child", nonce)
        explorer = reader.explorer

        def used() -> Allowance:
            return Allowance(explorer.subqueries.used, explorer.children.begun if explorer.children else 0)

        try:
            yield ChildRead(reader, used)
            if (engine := explorer.sandbox.take_engine()) is not None:
                with lock:
                    idle.append(engine)
        finally:
            for close in end:
                close()

    def close_idle() -> None:
        with lock:
            while idle:
                idle.pop().close()

    children = Children(
        document=document,
        open_child=open_child,
        subqueries=subqueries,
        sink=context.sink,
        most=settings.max_children,
        most_at_once=min(settings.max_parallel, 2 if context.branch else CHILDREN_AT_ONCE),
        branch=context.branch,
    )
    return children, (children.close, close_idle)


def work_ahead(reader: DocumentReader, needed: Iterable[Callable[[], None]]) -> None:
    """Prepare these steps while the reader's worker waits for its first reply, unless the worker needs no network."""
    explorer = reader.explorer
    if explorer.model.vendor not in KEYLESS_VENDORS:
        explorer.model = PreloadingModel(explorer.model, tuple(needed))


def _take_up_conversation(context: RunContext, assignment: Assignment, explorer: Explorer) -> None:
    """Let the worker continue the conversation of earlier runs, if it can be rebuilt and is not too long.

    Otherwise its opening lists what was asked, answered and quoted.
    """
    model, sink = context.models.worker, context.sink
    if model.vendor == "offline":
        told = "the built-in engine looks for the words of the questions before, too; it understands none of them"
        sink(NoticeIssued("follow-up", told))
        return
    found = rebuild_conversation(
        context.followed, explorer.agent, model.name, (explorer.system, explorer.short_system), explorer.tool
    )
    if found is None or found.further_characters > MAX_CONVERSATION_CHARS:
        changed = "was with another model or version, or was cut off at its beginning"
        why = changed if found is None else "has grown too long"
        told = f"the conversation before {why}: the worker begins anew, and is told what was asked, answered and quoted"
        sink(NoticeIssued("follow-up", told))
        return
    explorer.holds_text = explorer.holds_text and found.system == explorer.system
    explorer.system = found.system
    explorer.take_up(found.turns, found.open_calls, found.shown_texts)
    explorer.take_over_variables(found.snippets)
    cut_off = f" {CODE_CUT_OFF}" if found.is_cut_off else ""
    explorer.opening = assignment.follow_up(
        explorer.nonce, tuple(found.shown_texts), f"{explorer.variables_note}{cut_off}"
    )
