"""Documents that a Word document puts in from files of its package (w:altChunk), each read as its format is read."""

from collections.abc import Callable

from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import PAGE_BREAK
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sniff import Kind, identify

DEEPEST = 3
"""How deep documents may stand in each other."""

_KINDS: dict[str, Kind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "message/rfc822": "mhtml",
    "multipart/related": "mhtml",
    "text/plain": "text",
}
"""Types whose texts do not show themselves by their first bytes."""


def read_chunk(
    data: bytes,
    content_type: str,
    name: str,
    limits: LoadLimits,
    parse_word: Callable[[bytes, str, LoadLimits], ParsedDocument],
) -> ParsedDocument:
    """The text of a document on one page; `parse_word` reads one of Word.

    Raises DocumentError as the readers do, and "unsupported" for what is not read in the middle of a text.
    """
    declared = content_type.partition(";")[0].strip().lower()
    kind = _KINDS.get(declared) or identify(name, data)
    match kind:
        case "docx":
            found = parse_word(data, name, limits)
        case "html":
            from ralph_cli.documents.html.reader import parse_html
            from ralph_cli.documents.html.source_tags import close_elements

            is_xml = "xhtml" in declared or data.lstrip().startswith(b"<?xml")
            source = close_elements(data) if is_xml else data
            found = parse_html(source, name=name, encoding=None, limits=limits, titled=False)
        case "mhtml":
            from ralph_cli.documents.mail.web_page import parse_web_page

            found = parse_web_page(data, name=name, encoding=None, limits=limits)
        case "rtf":
            from ralph_cli.documents.rich_text.rtf import parse_rtf

            found = parse_rtf(data, name=name, limits=limits)
        case "text" if not name.endswith(".xml"):  # other XML is for a program, and no words
            from ralph_cli.documents.plain.reader import read_plain_text

            text, cautions = read_plain_text(data, name=name, encoding=None, limits=limits)
            found = plain_document([text.replace(PAGE_BREAK, "\n\n")], cautions)
        case _:
            what = f"{name} has a format ({kind}) that ralph does not read inside another document"
            raise DocumentError(what, code="unsupported")
    if len(found.pages) == 1:
        return found
    return plain_document([found.text.replace(PAGE_BREAK, "\n\n")], found.cautions)
