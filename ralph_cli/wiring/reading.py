"""The parts that read a document: sandbox, sub-queries, and the worker's conversation over them."""

from collections.abc import Callable, Iterable
from functools import partial

from ralph_cli.checks.quotes import VisibilityPolicy
from ralph_cli.core.document import Document
from ralph_cli.core.events import NoticeIssued
from ralph_cli.core.prompts.templates import prompt_text
from ralph_cli.documents.source import DocumentSource
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

Closers = tuple[Callable[[], None], ...]  # how to end the threads and processes behind something, in order


def choose_strategy(context: RunContext, document: Document) -> tuple[bool, str]:
    """Whether the document is given whole, and why; no reason where nobody had a choice."""
    settings, size = context.settings, len(document.text)
    if context.models.worker.vendor == "offline":
        refused = "the built-in engine reads by code only, so --strategy direct is not followed"
        return False, refused if settings.strategy == "direct" else ""
    direct = settings.strategy == "direct" or (settings.strategy == "auto" and size <= settings.direct_chars)
    how = "the model is given the whole text" if direct else "the model explores the text by code"
    why = f"up to {settings.direct_chars:,} it is given whole" if settings.strategy == "auto" else "as --strategy says"
    return direct, f"{how}: {size:,} characters ({why})"


def open_sandbox(
    context: RunContext, document: Document, nonce: str, memory: str | None = None
) -> tuple[DocumentSandbox, Subqueries, Closers]:
    """The sandbox with the document, not started yet, and who answers the questions of its code."""
    sandbox = DocumentSandbox(context.engine, document, context.ledger, memory)
    model, most = context.models.subquery, context.settings.max_subqueries
    at_once = context.settings.max_parallel
    subqueries = Subqueries(model, prompt_text("subquery_system"), nonce, most, most_at_once=at_once)
    return sandbox, subqueries, (subqueries.close, sandbox.close)


def open_reader(
    context: RunContext, assignment: Assignment, source: DocumentSource, agent: str
) -> tuple[DocumentReader, Closers]:
    """The worker with its sandbox, which begins to start before this returns unless the document is given whole."""
    settings, sink, document = context.settings, context.sink, assignment.document
    direct, reason = choose_strategy(context, document)
    if reason:
        sink(NoticeIssued("strategy", reason))
    if several := describe_ambiguous(document, assignment.named):
        sink(NoticeIssued("part-ambiguous", several))
    nonce = context.nonces()
    memory = assignment.memory if assignment.kind == "task" else None
    sandbox, subqueries, closers = open_sandbox(context, document, nonce, memory)
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
        recorded=context.recorded_snippets(),
    )
    if context.followed:
        _take_up_conversation(context, assignment, explorer)
    checker = VisibilityChecker(document, lambda code, message: sink(NoticeIssued(code, message)), source)
    return DocumentReader(assignment, explorer, VisibilityPolicy(checker, settings.allow_hidden_text)), closers


def work_ahead(reader: DocumentReader, needed: Iterable[Callable[[], None]]) -> None:
    """Have this worked out while the first reply to the reader's worker is waited for, if it is one that takes long."""
    explorer = reader.explorer
    if explorer.model.vendor not in KEYLESS_VENDORS:
        explorer.model = PreloadingModel(explorer.model, tuple(needed))


def _take_up_conversation(context: RunContext, assignment: Assignment, explorer: Explorer) -> None:
    """Let the worker go on in the conversation of the runs before, if that can be made again and is not too long.

    Else its opening tells what was asked, answered and quoted.
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
