"""Reads HTML pages: the visible text, one block or table row per line, cells two spaces apart (selectolax, lexbor)."""

import re
from collections.abc import Mapping

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.source_tags import describe_damage, nesting_depth
from ralph_cli.documents.html.walk import PageWalk
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.parsed import ParsedDocument, bound_cautions, join_parts
from ralph_cli.documents.plain.decoding import decode_text

_META_CHARSET = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_:.-]{2,40})", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([a-zA-Z0-9_:.-]{2,40})")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_META_SEARCH_BYTES = 4096


def parse_html(
    data: bytes,
    *,
    name: str,
    encoding: str | None,
    limits: LoadLimits,
    declared: str | None = None,
    linked: Mapping[str, str] | None = None,
    titled: bool = True,
) -> ParsedDocument:
    """Return the text that a reader of the page sees, with headings and tables; call it in a child process.

    Content that the page hides by attributes and styles (see `html.hidden`) is left out, so that it is never quoted;
    a caution counts it. `declared` is the encoding that came with the page; it takes priority over the one named in
    the page. `linked` are style sheets and frames that came with the page, by their addresses in the page. `titled`
    says whether the page's title is text: browsers show it, mail programs do not. Raises DocumentError too-big,
    no-text, undecodable, unsupported.
    """
    if len(data) > limits.html_bytes:
        raise DocumentError(
            f"{name} is larger than {limits.html_bytes >> 20} MiB of HTML", code="too-big", hint="split it"
        )
    source, cautions = decode_text(data, name=name, encoding=encoding, declared=declared or _declared_encoding(data))
    depth = nesting_depth(source, limits.html_depth)
    if depth > limits.html_depth:
        raise DocumentError(f"{name} nests elements more than {limits.html_depth} levels deep", code="too-big")
    if damage := describe_damage(source):
        cautions += (Caution("incomplete", damage),)
    page = PageWalk(
        lambda inner: nesting_depth(inner, limits.html_depth) <= limits.html_depth, linked or {}, titled=titled
    )
    page.read(source)
    if page.out.length > limits.characters:
        raise TooManyCharacters(name, limits)
    if not page.out.text().strip():
        hint = "save the page after it has loaded in a browser"
        raise DocumentError(f"{name} has no text", code="no-text", hint=hint)
    return join_parts([page.out.finish()], bound_cautions([*cautions, *page.findings.cautions()]))


def _declared_encoding(data: bytes) -> str | None:
    """Return the encoding named by a <meta> or an XML declaration at the beginning (HTML standard 13.2.3.2)."""
    head = _COMMENT.sub(b"", data[:_META_SEARCH_BYTES])
    declared = _XML_ENCODING.match(head) or _META_CHARSET.search(head)
    return declared[1].decode("ascii") if declared else None
