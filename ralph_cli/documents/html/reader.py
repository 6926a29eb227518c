"""HTML pages: the visible text, one block or table row per line, cells two spaces apart (selectolax, lexbor)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

from selectolax.lexbor import LexborHTMLParser

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.hidden import TextLook, is_hidden
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import ParsedDocument, ParsedHeading, ParsedPage, clean_heading
from ralph_cli.documents.plain_text import decode_text

_DROPPED_TAGS = "script style noscript template iframe object svg math canvas audio video head"
_DROPPED = frozenset(_DROPPED_TAGS.split())
_BLOCK_TAGS = """
    address article aside dd details dialog div dl dt fieldset figcaption figure footer form header hgroup hr legend li
    main menu nav ol option section summary tbody tfoot thead tr ul center
"""
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_PARAGRAPH_TAGS = "p h1 h2 h3 h4 h5 h6 table pre blockquote caption title body"
_PARAGRAPHS = frozenset(_PARAGRAPH_TAGS.split())
_QUOTE_TAGS = frozenset(("blockquote", "q"))
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = frozenset(("td", "th"))
_CELL_BLOCKS = "table, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6"
"""What makes a table cell a container of lines of its own; a <p> or <div> in a cell does not."""

_SPACE, _CELL, _LINE, _PARAGRAPH = 1, 2, 3, 4
_SEPARATORS = ("", " ", "  ", "\n", "\n\n")
_WHITE_SPACE = re.compile("[ \t\r\n\f]+")
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
    """The text a reader of the page sees, plus its headings; meant to run in a child process.

    What the page hides by attributes and inline styles (see `html.hidden`) is left out and counted in a caution, so
    that it is never a quote. Raises DocumentError too-big, no-text, undecodable, unsupported.
    """
    if len(data) > limits.html_bytes:
        raise DocumentError(
            f"{name} is larger than {limits.html_bytes >> 20} MiB of HTML", code="too-big", hint="split it"
        )
    source, cautions = _decode_page(data, name, encoding)
    depth = nesting_depth(source, limits.html_depth)
    if depth > limits.html_depth:
        raise DocumentError(f"{name} nests elements more than {limits.html_depth} levels deep", code="too-big")
    tree = LexborHTMLParser(source)
    reader = _TreeReader([_LookState(TextLook(styles_known=tree.css_first("style, link[rel~=stylesheet]") is None))])
    reader.visit(tree.root)
    text = reader.out.text()
    if len(text) > limits.characters:
        raise DocumentError(
            f"{name} has more than {limits.characters:,} characters", code="too-big", hint="split the file"
        )
    if not text.strip():
        hint = "save the page after it has loaded in a browser"
        raise DocumentError(f"{name} has no text", code="no-text", hint=hint)
    if reader.hidden:
        cautions += (Caution("hidden-elements", f"hidden elements omitted: {reader.hidden}"),)
    return ParsedDocument((ParsedPage(text),), tuple(reader.headings), cautions, tuple(reader.quoted))


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


@dataclass(slots=True)
class _TextBuilder:
    """Text under construction: pieces, and the strongest separator asked for since the last piece."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    pending: int = 0

    def separate(self, strength: int) -> None:
        self.pending = max(self.pending, strength)

    def write(self, piece: str) -> None:
        """Add a piece verbatim, after the separator due."""
        separator = _SEPARATORS[self.pending] if self.parts else ""
        self.parts.append(separator + piece)
        self.length += len(separator) + len(piece)
        self.pending = 0

    def write_running_text(self, text: str) -> None:
        """Add running text: white space collapses, text of nothing but no-break spaces only separates."""
        body = _WHITE_SPACE.sub(" ", text)
        stripped = body.strip(" ")
        if not stripped.strip("\xa0 "):
            if body:
                self.separate(_SPACE)
            return
        if body[0] == " ":
            self.separate(_SPACE)
        self.write(stripped)
        if body[-1] == " ":
            self.separate(_SPACE)

    def write_preformatted(self, text: str) -> None:
        """Add preformatted text with its line ends and spaces."""
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").rstrip("\n")
        if text:
            self.write(text)

    def next_start(self) -> int:
        """Offset at which the next piece will begin."""
        return self.length + (len(_SEPARATORS[self.pending]) if self.parts else 0)

    def text(self) -> str:
        return "".join(self.parts)


@dataclass(slots=True)
class _LookState:
    """How an element's text looks, and whether it was counted as hidden."""

    look: TextLook
    counted: bool = False


@dataclass(slots=True)
class _TreeReader:
    """One pass over the tree without recursion, for a tree may be deeper than Python's stack."""

    _looks: list["_LookState"]
    out: _TextBuilder = field(default_factory=_TextBuilder)
    headings: list[ParsedHeading] = field(default_factory=list)
    quoted: list[tuple[int, int, int]] = field(default_factory=list)
    hidden: int = 0
    _pre: int = 0
    _inline_cells: list[bool] = field(default_factory=list)
    _open_headings: list[tuple[int, int]] = field(default_factory=list)
    _open_quotes: list[int] = field(default_factory=list)

    def visit(self, root: Any) -> None:
        """Write the text of `root` and everything below it."""
        stack: list[tuple[Any, bool]] = [(root, False)] if root is not None else []
        while stack:
            node, leaving = stack.pop()
            tag = node.tag
            if leaving:
                self._leave(tag)
            elif tag == "-text":
                self._write(node.text_content or "")
            elif tag == "head":
                title = node.css_first("title")
                if title is not None:
                    self.out.write_running_text(title.text())
                    self.out.separate(_PARAGRAPH)
            elif tag not in _DROPPED and not tag.startswith(("-", "_")) and not self._is_hidden(node):
                self._enter(node, tag)
                stack.append((node, True))
                stack += [(child, False) for child in _nodes(node.last_child, "prev")]

    def _is_hidden(self, node: Any) -> bool:
        hidden = bool(node.attributes) and is_hidden(node.attributes)
        self.hidden += hidden
        return hidden

    def _write(self, text: str) -> None:
        shown = self._looks[-1]
        if shown.look.is_invisible and text.strip():
            self.hidden += not shown.counted
            shown.counted = True
        elif self._pre:
            self.out.write_preformatted(text)
        else:
            self.out.write_running_text(text)

    def _enter(self, node: Any, tag: str) -> None:
        outer = self._looks[-1]
        look = outer.look.for_child(tag, node.attributes or {})
        self._looks.append(outer if look == outer.look else _LookState(look))
        if tag in _CELLS:
            self.out.separate(_CELL)
            self._inline_cells.append(node.css_first(_CELL_BLOCKS) is None and not _is_only_cell(node))
        else:
            self._separate_block(tag)
        if tag == "br":
            self._separate_lines(_PARAGRAPH if self.out.pending >= _LINE else _LINE)
        elif tag == "pre":
            self._pre += 1
        elif tag in _HEADINGS:
            self._open_headings.append((len(self.out.parts), self.out.next_start()))
        elif tag == "table":
            self._inline_cells.append(False)
        elif tag in _QUOTE_TAGS:
            self._open_quotes.append(self.out.next_start())

    def _leave(self, tag: str) -> None:
        self._looks.pop()
        if tag in _CELLS:
            self._inline_cells.pop()
            self.out.separate(_CELL)
            return
        if tag == "pre":
            self._pre -= 1
        elif tag == "table":
            self._inline_cells.pop()
        elif tag in _HEADINGS:
            first, start = self._open_headings.pop()
            title = clean_heading("".join(self.out.parts[first:]))
            if title:
                self.headings.append(ParsedHeading(0, start, title, _HEADINGS[tag]))
        elif tag in _QUOTE_TAGS:
            start = self._open_quotes.pop()
            if start < self.out.length and not self._open_quotes:
                self.quoted.append((0, start, self.out.length))
        self._separate_block(tag)

    def _separate_block(self, tag: str) -> None:
        if tag in _PARAGRAPHS or tag in _BLOCKS:
            self._separate_lines(_PARAGRAPH if tag in _PARAGRAPHS else _LINE)

    def _separate_lines(self, strength: int) -> None:
        """Ask for the end of a line or paragraph; within a cell on one line it is a space."""
        self.out.separate(_SPACE if self._inline_cells and self._inline_cells[-1] else strength)


def _is_only_cell(cell: Any) -> bool:
    """Whether a cell is the only one of its row, as in tables that only place things on the page."""
    beside = chain(_nodes(cell.prev, "prev"), _nodes(cell.next, "next"))
    return not any(node.tag in _CELLS for node in beside)


def _nodes(node: Any, direction: Literal["prev", "next"]) -> Iterator[Any]:
    """The node and its siblings in one direction."""
    while node is not None:
        yield node
        node = getattr(node, direction)
