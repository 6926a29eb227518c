"""OpenDocument texts (odt): paragraphs, lists and tables in order, then notes, comments, headers and footers."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ralph_cli.core.structure import Note, Origin
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import child, contents
from ralph_cli.documents.open_document.archive import CONTENT, OBJECTS, OpenDocument
from ralph_cli.documents.open_document.paragraphs import note_mark, plain_text
from ralph_cli.documents.open_document.story import Story
from ralph_cli.documents.open_document.styles import collect_styles
from ralph_cli.documents.page_text import LINE, CharacterBudget, PageText, finish_document, one_line
from ralph_cli.documents.parsed import ParsedDocument

_HEADS: tuple[tuple[str, Origin], ...] = (
    ("style:header", "page header"), ("style:header-first", "page header"), ("style:header-left", "page header"),
    ("style:footer", "page footer"), ("style:footer-first", "page footer"), ("style:footer-left", "page footer"),
)  # fmt: skip


def parse_odt(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """Return a document on one page, with headings, tables and notes; call it in a child process.

    Tracked deletions and hidden text are left out. Raises DocumentError damaged, encrypted, too-big, no-text,
    unsupported.
    """
    archive = OpenDocument(data, name, limits)
    findings, page = Findings(), PageText()
    root = archive.read_xml(CONTENT, "office:document-content")
    styled = archive.read_styles()
    if styled is None:
        findings.miss("styles.xml")
    body = child(root, "office:body", "office:text")
    if body is None:
        raise archive.damaged_error("the part content.xml holds no text document")
    story = Story(collect_styles(styled, root), findings, archive, CharacterBudget(name, limits))
    story.lay_on_paper(body, child(styled, "office:master-styles"))
    try:
        for block in story.blocks(body):
            block.write(page)
            if page.length > limits.characters:
                raise TooManyCharacters(name, limits)
        _append_notes(story, page)
        append_comments(page, [], findings)
        for origin, text in _read_heads(styled):
            page.add_from(origin, origin, text)
    except RecursionError:
        raise archive.too_big_error("nests sections, lists or tables too deeply") from None
    findings.pass_over(archive.unread_parts(OBJECTS))
    hint = findings.advise("pictures are not read; run OCR first")
    return finish_document([page], findings, name, limits, empty_hint=hint)


def append_comments(page: PageText, comments: list[Element], findings: Findings) -> None:
    """Add the given comments and those marked on the page at its end, each with its author."""
    marked = [one for one, _ in page.marks if one.tag == "office:annotation"]
    for comment in dict.fromkeys((*comments, *marked)):
        author, text = describe_comment(comment)
        if text:
            page.add_from("comment", f"comment by {author}", text)
            findings.comments += 1


def describe_comment(comment: Element) -> tuple[str, str]:
    """Return author and text of a comment."""
    author = next((one_line("".join(one.itertext()))[:80] for one in comment if one.tag == ":creator"), "")
    return author or "an unnamed author", plain_text(comment)


def _append_notes(story: Story, page: PageText) -> None:
    """Add the footnotes and endnotes marked on the page, each after its mark."""
    cited: dict[Element, int] = {}
    for one, at in page.marks:
        cited.setdefault(one, at)
    for note, at in cited.items():
        text = PageText()
        for block in story.blocks(contents(note, "text:note-body")) if note.tag == "text:note" else ():
            block.write(text, LINE)
        if text:
            mark = note_mark(note)
            page.add_block(f"{mark} " if mark else "")
            page.notes.append(Note(page.write(text), page.length, at))


def _read_heads(styled: Element | None) -> Iterator[tuple[Origin, str]]:
    """Yield headers and footers of pages, each text once; texts without letters, such as page numbers, are left out."""
    seen: set[str] = set()
    for master in contents(styled, "office:master-styles"):
        for tag, origin in _HEADS:
            head = child(master, tag)
            text = plain_text(head) if head is not None and head.get("display") != "false" else ""
            if any(map(str.isalpha, text)) and text not in seen:
                seen.add(text)
                yield origin, text
