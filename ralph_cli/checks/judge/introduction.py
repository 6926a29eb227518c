"""Introduces a document to a model before its text, and gives the whole text of a short one."""

import re

from ralph_cli.checks.judge.passages import safe_file_name
from ralph_cli.core.coverage import format_ranges
from ralph_cli.core.document import SKIPPED, Document
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.text.lexicon import pluralize

# The most documents of a set that are listed.
MAX_DOCUMENTS = 100

# The cautions about pages with pictures or drawings that were not read, such as graphs.
_PICTURE_CODES = frozenset(("no-text", "unread-print"))

# A number printed on a page: "12", "F-3", "xiv", "B".
_PAGE_NUMBER = re.compile(r"(?:[A-Z]{1,2}[.-]?)?\d{1,5}|[ivxlcdm]{1,8}|[A-Z]", re.IGNORECASE)


def describe_kind(document: Document) -> str:
    """The name of a document, as far as a prompt may contain it, and its kind: "3M_2018.pdf (pdf)"."""
    if document.members:
        return pluralize(len(document.members), "document")
    name = safe_file_name(document.called or document.path)
    return f"{name} ({document.kind})" if name != "-" else document.kind


def describe_pages(document: Document) -> str:
    """The number of pages, whether their printed labels differ, and which pages were not read completely."""
    if not document.members and not document.paged:
        return f"{document.text.count(chr(10)) + 1:,} lines; it has no pages, so all of it is page 1"
    unread = document.unreadable_pages
    which = (
        "page {} was not read, or not all of it" if len(unread) == 1 else "pages {} were not read, or not all of them"
    )
    other = {page for caution in document.cautions if caution.code not in _PICTURE_CODES for page in caution.pages}
    pictures = " (pictures)" * other.isdisjoint(unread)
    missing = f"; {which.format(format_ranges(unread))}{pictures}" if unread else ""
    labelled = [page for page in document.pages if page.label != str(page.number) and not document.members]
    # A label is the author's text and outside the data marks, so only a plain number is repeated.
    plain = bool(labelled) and _PAGE_NUMBER.fullmatch(labelled[0].label)
    odd = f" (printed labels differ: page {labelled[0].number} is labelled {labelled[0].label})" if plain else ""
    return f"{len(document.pages)} pages{odd}{missing}"


def render_whole(document: Document, nonce: str) -> str:
    """The whole text, framed as data; in a set each document by itself, so that none can pretend to be another."""
    if not document.members:
        return frame_data(document.text, nonce)
    parts = [
        f"Document {number}:\n{frame_data(document.text[member.start : member.end], nonce)}"
        for number, member in enumerate(document.members, 1)
    ]
    return "\n\n".join((list_documents(document, nonce), *parts))


def list_documents(document: Document, nonce: str) -> str:
    """The documents of a set by number. Their names come from outside, so they are framed as data."""
    lines = [
        f"{number}. {member.name} ({member.kind}, {format_ranges(range(member.first_page, member.last_page + 1))}; "
        f"{member.end - member.start:,} characters)"
        for number, member in enumerate(document.members[:MAX_DOCUMENTS], 1)
    ]
    if len(document.members) > MAX_DOCUMENTS:
        lines.append(f"... {len(document.members) - MAX_DOCUMENTS} more: `docs` has all of them")
    unread = [caution.message for caution in document.cautions if caution.code == SKIPPED]
    lines += [f"({message})" for message in unread[:MAX_DOCUMENTS]]
    return f"The documents, each with its pages in the whole:\n{frame_data(chr(10).join(lines), nonce)}"
