"""Lays out text as a browser does: whitespace collapses, and the elements determine the space between pieces."""

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ralph_cli.documents.page_text import CELL, LINE, PARAGRAPH, SEPARATORS, SPACE, PageText
from ralph_cli.text.raised import LOWERED, RAISED, write_fraction

_WHITE_SPACE = re.compile("[ \t\r\n\f]+")
_BREAKS = re.compile("[ \t\r\f]*\n[ \t\r\f]*")
_FRACTION = re.compile(rf"(?:([{RAISED}]+)[\u2044/])?([{LOWERED}]+)")
_RAISED_END = re.compile(rf"([{RAISED}]+)[\u2044/]\Z")

CELLS = frozenset(("td", "th"))

_BLOCK_TAGS = """
    address article aside dd details dialog div dl dt fieldset figcaption figure footer form header hgroup hr legend li
    main menu nav ol section summary tbody tfoot thead tr ul center svg text iframe
"""
_PARAGRAPH_TAGS = "p h1 h2 h3 h4 h5 h6 table pre blockquote caption title body"
_BLOCK_DISPLAY_WORDS = "block flex grid list-item table flow-root table-row table-caption table-row-group"
_BLOCK_DISPLAYS = frozenset(_BLOCK_DISPLAY_WORDS.split())
_STRENGTHS = dict.fromkeys(_BLOCK_TAGS.split(), LINE)
_STRENGTHS |= dict.fromkeys(_PARAGRAPH_TAGS.split(), PARAGRAPH) | dict.fromkeys(CELLS, CELL)
"""The whitespace around an element, unless a style sheet changes its box."""
# Elements that make a table cell a container of lines; a <p> or <div> in a cell does not.
_CELL_BLOCKS = "table, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6"


@dataclass(slots=True)
class TextBuilder(PageText):
    """A page, with the strongest whitespace requested since its last piece, and a prefix for its next piece.

    `before` is the whitespace requested before its first piece; `indent` is the indent of that piece in points.
    """

    before: int = 0
    indent: float = 0.0
    pending: int = 0
    prefix: str = ""

    def separate(self, strength: int) -> None:
        """Request whitespace before the next piece."""
        if strength > self.pending:
            self.pending = strength

    def add_piece(self, piece: str | PageText) -> None:
        """Append a piece unchanged, after the requested whitespace."""
        if not self.length:
            self.before = max(self.before, self.pending)
        elif self.pending:
            self.write(SEPARATORS[self.pending])
        if self.prefix:
            self.write(self.prefix)
        self.write(piece)
        self.pending, self.prefix = 0, ""

    def take(self) -> str | PageText:
        """Return the content, as plain text if it has no structure; the builder is then empty and can be reused."""
        if self.headings or self.quoted or self.tables or self.additions:
            return self
        text = self.text()
        self._parts.clear()
        self.length = self.before = self.pending = 0
        self.indent = 0.0
        return text

    def start(self, place: int) -> int:
        """Return the offset of the first word written from the offset `place` on."""
        text = self.text(place)
        return place + len(text) - len(text.lstrip(" \n"))

    def write_running_text(self, text: str) -> None:
        """Append running text: whitespace collapses, and a text of only no-break spaces acts as a separator."""
        if not text.strip(" \t\r\n\f\xa0"):
            self.separate(SPACE if text else 0)
            return
        body = _WHITE_SPACE.sub(" ", text)
        self.separate(SPACE if body[0] == " " else 0)
        self.add_piece(body.strip(" "))
        self.separate(SPACE if body[-1] == " " else 0)

    def write_preformatted(self, text: str) -> None:
        """Append preformatted text with its line ends and spaces."""
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
        body = text.rstrip("\n")
        if body:
            self.add_piece(body)
        if body != text:
            self.separate(LINE if len(text) == len(body) + 1 else PARAGRAPH)

    def write_lines(self, text: str) -> None:
        """Append running text and keep its line ends."""
        for index, line in enumerate(_BREAKS.split(text)):
            if index:
                self.separate(LINE)
            self.write_running_text(line)

    def write_lowered(self, text: str) -> None:
        """Append lowered text; with raised figures and a slash before it, it becomes a fraction."""
        above = _RAISED_END.search("".join(self._parts[-2:])) if not self.pending else None
        if above is None or not _FRACTION.fullmatch(text):
            self.write_running_text(text)
            return
        self._take_back(len(above[0]))
        fraction = write_fraction(above[1], text)
        is_behind_figure = bool(self.length) and self.text(self.length - 1).isdigit()
        self.add_piece(f" {fraction}" if len(fraction) > 1 and is_behind_figure else fraction)

    def _take_back(self, count: int) -> None:
        """Remove the last `count` characters, and the additions that they belong to."""
        self._parts[-2:] = ["".join(self._parts[-2:])[:-count]]
        self.length -= count
        while self.additions and self.additions[-1].end > self.length:
            self.additions.pop()


def strength_around(tag: str, display: str, outer_display: str) -> int:
    """Return the whitespace around an element, for `TextBuilder.separate`; 0 for an inline element.

    `display` is the display set by style sheets, "" for the default; `outer_display` is that of the parent element.
    """
    strength = _STRENGTHS.get(tag, 0)
    if display and strength != CELL:
        strength = _shown_strength(strength, display)
    return LINE if not strength and outer_display in ("flex", "grid") else strength


def find_holders(tree: LexborHTMLParser) -> set[int]:
    """Return the table cells that keep their lines, and the tables that contain tables, as node numbers of the
    parser.

    Cells keep their lines if they contain blocks, or if they are alone in their row, as in layout tables.
    """
    alone = {cell.mem_id for cell in tree.css("td:only-child, th:only-child")}
    return alone | _find_around(tree.css(_CELL_BLOCKS), CELLS) | _find_around(tree.css("table table"), ("table",))


def _find_around(nodes: Iterable[Any], tags: Container[str]) -> set[int]:
    seen: set[int] = set()
    found: set[int] = set()
    for node in nodes:
        above = node.parent
        while above is not None and above.mem_id not in seen:
            seen.add(above.mem_id)
            if above.tag in tags:
                found.add(above.mem_id)
            above = above.parent
    return found


def _shown_strength(strength: int, display: str) -> int:
    """Return the whitespace around an element whose box a style sheet changes."""
    if display == "table-cell":
        return CELL
    if display.startswith("inline") or display == "contents":
        return SPACE if strength and display != "inline" else 0
    return max(strength, LINE) if display in _BLOCK_DISPLAYS else strength
