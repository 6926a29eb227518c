"""One pass over the elements of a page: what each shows is written, and what is not seen is counted."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.structure import Origin
from ralph_cli.documents.html import controls
from ralph_cli.documents.html.boxes import find_cells_of_blocks, is_only_cell, strength_around
from ralph_cli.documents.html.findings import PageFindings
from ralph_cli.documents.html.hidden import TextLook
from ralph_cli.documents.html.numbering import ListCounter
from ralph_cli.documents.html.styles.css import Style
from ralph_cli.documents.html.styles.defaults import default_style
from ralph_cli.documents.html.styles.selectors import ElementPath
from ralph_cli.documents.html.styles.stylesheet import StyleSheets
from ralph_cli.documents.html.tables import GridTable
from ralph_cli.documents.html.text_builder import CELL, LINE, PARAGRAPH, SPACE, TextBuilder
from ralph_cli.documents.office.findings import CLOSED_LIST
from ralph_cli.documents.parsed import clean_heading
from ralph_cli.documents.sight import is_unseen
from ralph_cli.text.raised import STRUCK_CLOSING, STRUCK_OPENING, lower_figures, raise_figures, strike

Attributes = Mapping[str, str | None]

_DROPPED_TAGS = "script style link meta template title desc rp defs symbol metadata clippath mask pattern marker"
_DROPPED = frozenset(_DROPPED_TAGS.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_REPLACED = frozenset(("br", "iframe", "frame", "embed", *controls.REPLACED))

_LONGEST_MARK = 30
"""Characters of a raised text that may be a mark or an exponent; longer ones are small print."""
_DEEPEST_PAGE = 3
"""How deep pages may stand in pages."""


@dataclass(slots=True)
class _OpenElement:
    """An element that is being read."""

    tag: str
    path: ElementPath
    look: TextLook
    display: str
    variables: Style
    is_one_line: bool = False
    """Whether line ends in it are spaces, as in a table's cell without blocks."""
    place: int = 0
    lead: int = 0
    """Characters at its place that do not belong to it, such as the number of a list's item."""
    opening: str = ""
    closing: str = ""
    column: int = 0
    items: ListCounter | None = None


class PageWalk:
    """One pass over the tree without recursion, for a tree may be deeper than Python's stack."""

    def __init__(self, is_shallow: Callable[[str], bool], linked: Mapping[str, str], *, titled: bool) -> None:
        """`is_shallow` says whether a page in the page may be parsed; `linked` are what else came with it.

        `titled` says whether the title of the page is shown; that of a page in the page never is.
        """
        self.out = TextBuilder()
        self.headings: list[tuple[int, str, int]] = []
        self.quoted: list[tuple[int, int, int, int]] = []
        self.tables: list[GridTable] = []
        self.additions: list[tuple[int, int, Origin]] = []
        self.findings = PageFindings()
        self._is_shallow = is_shallow
        self._titled = titled
        self._linked = linked
        self._tables: list[GridTable] = []
        self._sheets = StyleSheets()
        self._open: list[_OpenElement] = []
        self._cells_of_blocks: set[int] = set()
        """Table cells that hold blocks with lines of their own."""
        self._after: dict[int, Callable[[], None]] = {}
        """By the number of open elements: what the style sheet makes at the end of the innermost."""
        self._quote_depth = self._pages = 0

    def read(self, source: str) -> None:
        """Write the text of a page, or of a page in the page."""
        outside = self._sheets, self._open, self._cells_of_blocks, self._after, self._tables
        tree = LexborHTMLParser(source)
        self._sheets, self._cells_of_blocks = StyleSheets.of(tree, source, self._linked), find_cells_of_blocks(tree)
        self._after, self._tables = {}, []
        look = TextLook(styles_known=self._sheets.are_known)
        self._open = [_OpenElement("", ElementPath(("", "", frozenset()), None), look, "", {})]
        self._pages += 1
        if tree.root is not None:
            self._visit(tree.root)
        self._pages -= 1
        self.findings.unresolved += self._sheets.unresolved
        self.findings.linked += self._sheets.linked
        self._sheets, self._open, self._cells_of_blocks, self._after, self._tables = outside

    def _visit(self, root: Any) -> None:
        # For each open element the next of its children; a page may be deeper than Python's stack.
        unread = [root]
        while unread:
            node = unread[-1]
            if node is None:
                unread.pop()
                if unread:
                    self._leave()
                continue
            unread[-1] = node.next
            tag = node.tag
            if tag == "-text":
                self._write(node.text_content or "")
            elif tag == "head":
                self._write_title(node)
            elif tag[0] not in "-_" and self._enter(node, tag.lower()):
                unread.append(node.child)

    def _write_title(self, head: Any) -> None:
        title = head.css_first("title") if self._titled and self._pages == 1 else None
        if title is not None:
            self.out.write_running_text(title.text())
            self.out.separate(PARAGRAPH)

    def _enter(self, node: Any, tag: str) -> bool:
        """Begin an element; False if nothing in it is to be read."""
        if tag in _DROPPED:
            return False
        outer = self._open[-1]
        attributes = node.attributes
        path = self._sheets.path(outer.path, tag, attributes)
        inline = attributes.get("style") or ""
        style = self._sheets.resolve(node, path, inline, default_style(tag, attributes), outer.variables)
        look = outer.look.for_child(style.declarations)
        if look.is_gone:
            self.findings.hide(_text_of(node), look.why)
            return False
        element = _OpenElement(tag, path, look, style.display, style.variables, outer.is_one_line)
        self._separate(element, outer)
        self._open.append(element)
        element.place = self.out.place
        begin = _BEGIN.get(tag)
        if begin is not None:
            begin(self, element, node, attributes)
        if element.opening or look.struck:
            self._open_wrapping(element, outer)
        if self._sheets.pseudos:
            self._generate(node, element, attributes, "before")
            self._after[len(self._open)] = partial(self._generate, node, element, attributes, "after")
        if tag not in _REPLACED and (tag != "object" or not controls.is_embedded(tag, attributes)):
            return True
        self._replace(node, tag, attributes)
        self._leave()
        return False

    def _replace(self, node: Any, tag: str, attributes: Attributes) -> None:
        """Write what stands in the place of an element."""
        if tag == "br":
            self._separate_lines(PARAGRAPH if self.out.pending >= LINE else LINE, self._open[-1])
        elif tag in controls.REPLACED:
            self._write_replacement(tag, controls.REPLACED[tag](node, attributes))
            self.findings.hide(controls.unchosen_text(node, attributes), CLOSED_LIST)
        elif (source := self._inner_page(tag, attributes)) is not None:
            if self._pages < _DEEPEST_PAGE and self._is_shallow(source):
                self.read(source)
            else:
                self.findings.embedded += 1
        else:
            self.findings.embedded += controls.is_embedded(tag, attributes)

    def _inner_page(self, tag: str, attributes: Attributes) -> str | None:
        """The source of the page that a frame shows, if it is in the page or came with it."""
        if tag == "iframe" and "srcdoc" in attributes:
            return attributes["srcdoc"] or ""
        return self._linked.get(attributes.get("src") or "") if tag in ("iframe", "frame") else None

    def _write_replacement(self, tag: str, text: str) -> None:
        place = self.out.place
        self._write(text)
        origin = controls.ORIGINS.get(tag)
        if origin is not None and any(map(str.isalnum, text)) and self.out.place > place:
            self.additions.append((place, len(self.out.parts), origin))

    def _generate(self, node: Any, element: _OpenElement, attributes: Attributes, pseudo: str) -> None:
        """Write the text that a style sheet makes before or after the content of an element, if it is seen."""
        style = self._sheets.resolve(node, element.path, "", (), element.variables, pseudo)
        text, known = controls.generated_text(style.get("content"), attributes)
        look = element.look.for_child(style.declarations)
        if not known:
            self.findings.unknown_contents.add(style.get("content"))
        if text and not is_unseen(look.why):
            self.out.write_running_text(text)

    def _open_wrapping(self, element: _OpenElement, outer: _OpenElement) -> None:
        """Let the next piece begin with what stands before the text of an element."""
        if element.look.struck and not outer.look.struck:
            element.opening, element.closing = (
                f"{element.opening}{STRUCK_OPENING}",
                f"{STRUCK_CLOSING}{element.closing}",
            )
        if is_unseen(element.look.why):
            element.opening = element.closing = ""
        self.out.prefix += element.opening
        element.lead = len(self.out.prefix)

    def _begin_cell(self, element: _OpenElement, node: Any, attributes: Attributes) -> None:
        element.is_one_line = node.mem_id not in self._cells_of_blocks and not is_only_cell(node)
        if self._tables:
            element.column = self._tables[-1].begin_cell(attributes)

    def _begin_row(self, element: _OpenElement, node: Any, attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1].begin_row()

    def _begin_table(self, element: _OpenElement, node: Any, attributes: Attributes) -> None:
        if self._tables:
            self._tables[-1].holds_table = True
        self._tables.append(GridTable())
        element.is_one_line = False

    def _begin_list(self, element: _OpenElement, node: Any, attributes: Attributes) -> None:
        element.items = ListCounter(element.tag, attributes, node)

    def _begin_item(self, element: _OpenElement, node: Any, attributes: Attributes) -> None:
        counter = next((outer.items for outer in reversed(self._open[:-1]) if outer.items), None)
        if counter and element.display in ("", "list-item", "block"):
            element.opening = counter.next_marker(element.look.list_style, attributes.get("value"))

    def _begin_quote(self, element: _OpenElement, node: Any, attributes: Attributes) -> None:
        # Its marks are not written: that it is a quotation is kept as data.
        self._quote_depth += 1
        element.lead = len(self.out.prefix)

    def _begin_reading(self, element: _OpenElement, node: Any, attributes: Attributes) -> None:
        element.opening, element.closing = "()"

    def _leave(self) -> None:
        """End the innermost element."""
        if self._after and (after := self._after.pop(len(self._open), None)):
            after()
        element = self._open.pop()
        written = len(self.out.parts) > element.place - 1
        if not written:
            self.out.prefix = self.out.prefix.removesuffix(element.opening)
        elif element.closing:
            self.out.parts[-1] += element.closing
        end = _END.get(element.tag)
        if end is not None:
            end(self, element, written)
        self._separate(element, self._open[-1])

    def _end_cell(self, element: _OpenElement, written: bool) -> None:
        if self._tables:
            is_header = element.tag == "th" or any(outer.tag == "thead" for outer in self._open[-2:])
            self._tables[-1].end_cell(element.column, is_header, element.place, self.out)

    def _end_row_group(self, element: _OpenElement, written: bool) -> None:
        if self._tables:
            self._tables[-1].end_row_group()

    def _end_table(self, element: _OpenElement, written: bool) -> None:
        table = self._tables.pop()
        table.finish(self.out)
        self.tables.append(table)

    def _end_typed_text(self, element: _OpenElement, written: bool) -> None:
        if written:
            self.additions.append((element.place, len(self.out.parts), "form field"))

    def _end_heading(self, element: _OpenElement, written: bool) -> None:
        title = clean_heading("".join(self.out.parts[element.place :]))
        if title:
            self.headings.append((element.place, title, _HEADINGS[element.tag]))

    def _end_quote(self, element: _OpenElement, written: bool) -> None:
        self._quote_depth -= 1
        if written and not self._quote_depth:
            self.quoted.append((element.place, element.lead, len(self.out.parts), len(element.closing)))

    def _separate(self, element: _OpenElement, outer: _OpenElement) -> None:
        """Ask for the white space before or after an element."""
        strength = strength_around(element.tag, element.display, outer.display)
        if strength > CELL:
            self._separate_lines(strength, outer)
        elif strength:
            self.out.separate(strength)

    def _separate_lines(self, strength: int, outer: _OpenElement) -> None:
        """Ask for the end of a line or paragraph; within a cell on one line it is a space."""
        self.out.separate(SPACE if outer.is_one_line else strength)

    def _write(self, text: str) -> None:
        """Write text as the innermost element shows it."""
        look = self._open[-1].look
        if look.why and not self.findings.take(text, look.why):
            return
        if look.is_turned:
            text = text[::-1]
        if look.struck:
            self.findings.strike(text)
            text = strike(text)
        if look.raised and len(text) <= _LONGEST_MARK:
            if look.raised > 0:
                self.out.write_running_text(raise_figures(text))
            else:
                self.out.write_lowered(lower_figures(text))
        elif look.white_space == "pre":
            self.out.write_preformatted(text)
        elif look.white_space == "lines":
            self.out.write_lines(text)
        else:
            self.out.write_running_text(text)


def _text_of(element: Any) -> str:
    """The text in an element, without that of scripts and the like."""
    texts = (node for node in element.traverse(include_text=True) if node.tag == "-text")
    return "".join(node.text_content or "" for node in texts if node.parent.tag not in _DROPPED)


_BEGIN: dict[str, Callable[[PageWalk, _OpenElement, Any, Attributes], None]] = {
    "td": PageWalk._begin_cell,
    "th": PageWalk._begin_cell,
    "tr": PageWalk._begin_row,
    "table": PageWalk._begin_table,
    **dict.fromkeys(("ol", "ul", "menu", "dir"), PageWalk._begin_list),
    "li": PageWalk._begin_item,
    "q": PageWalk._begin_quote,
    "blockquote": PageWalk._begin_quote,
    "rt": PageWalk._begin_reading,
}
_END: dict[str, Callable[[PageWalk, _OpenElement, bool], None]] = {
    "td": PageWalk._end_cell,
    "th": PageWalk._end_cell,
    **dict.fromkeys(("thead", "tbody", "tfoot"), PageWalk._end_row_group),
    "table": PageWalk._end_table,
    "textarea": PageWalk._end_typed_text,
    **dict.fromkeys(_HEADINGS, PageWalk._end_heading),
    "q": PageWalk._end_quote,
    "blockquote": PageWalk._end_quote,
}
