"""The white space that parts the elements of a page, as their boxes do on a screen: between blocks, lines and cells."""

from collections.abc import Container, Iterable
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ralph_cli.documents.page_text import CELL, LINE, PARAGRAPH, SPACE

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
"""The white space around an element, if no style sheet makes another box of it."""
_CELL_BLOCKS = "table, ul, ol, pre, blockquote, h1, h2, h3, h4, h5, h6"
"""What makes a table cell a container of lines of its own; a <p> or <div> in a cell does not."""


def strength_around(tag: str, display: str, outer_display: str) -> int:
    """The white space around an element, as `TextBuilder.separate` takes it; 0 for one within a line.

    `display` is what the style sheets make of it, "" for what it is by itself, `outer_display` of the element around.
    """
    strength = _STRENGTHS.get(tag, 0)
    if display and strength != CELL:
        strength = _shown_strength(strength, display)
    return LINE if not strength and outer_display in ("flex", "grid") else strength


def find_holders(tree: LexborHTMLParser) -> set[int]:
    """The table cells that keep their lines, and the tables that hold tables, by the parser's number for a node.

    Cells that hold blocks keep them, and those that are the only ones of their row, as in tables that only place things
    on the page.
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
    """The white space around an element that a style sheet makes another box of."""
    if display == "table-cell":
        return CELL
    if display.startswith("inline") or display == "contents":
        return SPACE if strength and display != "inline" else 0
    return max(strength, LINE) if display in _BLOCK_DISPLAYS else strength
