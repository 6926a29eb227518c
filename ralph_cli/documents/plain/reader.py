"""Plain text, Markdown and source code: line ends, pages marked by form feeds, Markdown headings."""

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import PAGE_BREAK
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.load import empty_error
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.plain.decoding import decode_text
from ralph_cli.documents.plain.headings import find_headings


def parse_text(data: bytes, *, name: str, kind: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Text, Markdown or code as it is, with line ends made LF; form feeds separate pages."""
    text, cautions = read_plain_text(data, name=name, encoding=encoding, limits=limits)
    pages = text.split(PAGE_BREAK)
    while len(pages) > 1 and not pages[-1].strip():
        pages.pop()  # a form feed also ends the last page of many texts
    if len(pages) > limits.pages:
        raise DocumentError(f"{name} has {len(pages)} pages; the limit is {limits.pages}", code="too-big")
    headings = tuple(find_headings(pages)) if kind == "markdown" else ()
    return plain_document(pages, cautions, headings=headings)


def read_plain_text(
    data: bytes, *, name: str, encoding: str | None, limits: LoadLimits
) -> tuple[str, tuple[Caution, ...]]:
    """A file's text with line ends made LF, and what was guessed. Raises DocumentError as `decode_text` does, empty and
    too-big.
    """
    text, cautions = decode_text(data, name=name, encoding=encoding)
    if len(text) > limits.characters:
        raise TooManyCharacters(name, limits)
    if not text.strip():
        raise empty_error(name, data)
    return text.replace("\r\n", "\n").replace("\r", "\n"), cautions
