"""What a worker is told of a document before it has read any of it: its pages and its headings."""

import re

from ralph_cli.core.document import Document
from ralph_cli.core.prompts.framing import frame_data

MAX_HEADINGS = 40


def describe_pages(document: Document) -> str:
    """How many pages there are and whether their printed labels differ, or that there are only lines."""
    if not document.paged:
        return f"{document.text.count(chr(10)) + 1:,} lines, no pages"
    labelled = [page for page in document.pages if page.label != str(page.number)]
    # A label is the author's text and stands outside the data marks: only what is plainly a label is repeated.
    plain = bool(labelled) and re.fullmatch(r"[\w.-]{1,8}", labelled[0].label)
    odd = f" (printed labels differ: page {labelled[0].number} is labelled {labelled[0].label})" if plain else ""
    return f"{len(document.pages)} pages{odd}"


def render_headings(document: Document, nonce: str) -> str:
    """The upper headings with their pages, framed as data; empty when there are none."""
    if not document.headings:
        return ""
    tops = [heading for heading in document.headings if heading.level <= 2] or list(document.headings)
    lines = [f"{h.text[:80]} (page {document.page_at(h.start).number})" for h in tops[:MAX_HEADINGS]]
    if len(tops) > MAX_HEADINGS:
        lines.append(f"... {len(tops) - MAX_HEADINGS} more")
    return f"Headings:\n{frame_data(chr(10).join(lines), nonce)}\n"
