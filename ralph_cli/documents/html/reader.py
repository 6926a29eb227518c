"""HTML pages: the visible text, one block or table row per line, cells two spaces apart (selectolax, lexbor)."""

import re

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.walk import PageWalk
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import ParsedDocument, ParsedHeading, ParsedPage, ParsedTable
from ralph_cli.documents.plain_text import decode_text

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_NOT_NESTING_TAGS = """
    area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option
    optgroup colgroup html head body rb rt rtc rp
"""
_NOT_NESTING = frozenset(_NOT_NESTING_TAGS.split())
"""Void elements and those whose end tag may be left out: many unclosed ones do not nest (HTML standard, 13.1.2.4)."""

_META_CHARSET = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)
_META_SEARCH_BYTES = 4096


def parse_html(data: bytes, *, name: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """The text a reader of the page sees, plus its headings and tables; meant to run in a child process.

    What the page hides by attributes and by styles (see `html.hidden`) is left out and counted in a caution, so that it
    is never a quote. Raises DocumentError too-big, no-text, undecodable, unsupported.
    """
    if len(data) > limits.html_bytes:
        raise DocumentError(
            f"{name} is larger than {limits.html_bytes >> 20} MiB of HTML", code="too-big", hint="split it"
        )
    source, cautions = _decode_page(data, name, encoding)
    depth = nesting_depth(source, limits.html_depth)
    if depth > limits.html_depth:
        raise DocumentError(f"{name} nests elements more than {limits.html_depth} levels deep", code="too-big")
    page = PageWalk(lambda inner: nesting_depth(inner, limits.html_depth) <= limits.html_depth)
    page.read(source)
    text = page.out.text()
    if len(text) > limits.characters:
        raise DocumentError(
            f"{name} has more than {limits.characters:,} characters", code="too-big", hint="split the file"
        )
    if not text.strip():
        hint = "save the page after it has loaded in a browser"
        raise DocumentError(f"{name} has no text", code="no-text", hint=hint)
    offsets = page.out.offsets()
    headings = (ParsedHeading(0, offsets[at], title, level) for at, title, level in page.headings)
    quoted = ((0, offsets[start] + lead, offsets[end] - trail) for start, lead, end, trail in page.quoted)
    tables = (ParsedTable(0, table.to_table(offsets)) for table in page.tables)
    return ParsedDocument(
        (ParsedPage(text),), tuple(headings), cautions + page.cautions(), tuple(quoted), tables=tuple(tables)
    )


def nesting_depth(source: str, limit: int) -> int:
    """How deep the tags are nested at most, counted on the source; stops counting above `limit`.

    Checked before parsing because the parser's work grows with the square of the depth.
    """
    depth = most = 0
    for match in _TAG.finditer(source):
        if match[2].lower() in _NOT_NESTING:
            continue
        depth = max(0, depth + (-1 if match[1] else 1))
        most = max(most, depth)
        if most > limit:
            break
    return most


def _decode_page(data: bytes, name: str, encoding: str | None) -> tuple[str, tuple[Caution, ...]]:
    """By the given encoding, byte order mark, <meta charset>, or the ladder for plain text."""
    declared = _META_CHARSET.search(data[:_META_SEARCH_BYTES])
    has_mark = data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
    if encoding is None and declared and not has_mark:
        label = declared[1].decode("ascii").lower()
        # WHATWG Encoding: Latin-1 and ASCII labels mean Windows-1252; a page that can be read as bytes is not UTF-16.
        label = "cp1252" if label in ("iso-8859-1", "iso8859-1", "latin1", "us-ascii", "ascii") else label
        if not label.startswith(("utf-8", "utf8", "utf-16", "utf16")):
            try:
                return decode_text(data, name=name, encoding=label)
            except DocumentError:
                pass  # declared wrongly: look at the bytes instead
    return decode_text(data, name=name, encoding=encoding)
