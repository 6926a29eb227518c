"""One pass over the elements of a page: writes what each one shows, and counts what is not seen."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ralph_cli.core.document import Caution
from ralph_cli.core.structure import Span
from ralph_cli.documents.html import controls
from ralph_cli.documents.html.hidden import TextLook
from ralph_cli.documents.html.numbering import ListCounter
from ralph_cli.documents.html.styles.css import pixels
from ralph_cli.documents.html.styles.defaults import default_style
from ralph_cli.documents.html.styles.selectors import ElementPath
from ralph_cli.documents.html.styles.stylesheet import ResolvedStyle, StyleSheets
from ralph_cli.documents.html.tables import GridTable
from ralph_cli.documents.html.text_builder import TextBuilder, find_holders, strength_around
from ralph_cli.documents.office.findings import CLOSED_LIST, Findings
from ralph_cli.documents.page_text import CELL, LINE, PARAGRAPH, SPACE
from ralph_cli.documents.sight import is_unseen
from ralph_cli.documents.tables import measure_blanks
from ralph_cli.text.raised import STRUCK_CLOSING, STRUCK_OPENING, lower_figures, raise_figures, strike

Attributes = Mapping[str, str | None]

_DROPPED_TAGS = "script style link meta template title desc rp defs symbol metadata clippath mask pattern marker"
_DROPPED = frozenset(_DROPPED_TAGS.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PSEUDOS = ("before", "after")
_TABLE_PARTS = frozenset(("table", "thead", "tbody", "tfoot", "tr"))
_REPLACED = frozenset(("br", "iframe", "frame", "embed", *controls.REPLACED))

# The most characters of a raised text that may be a mark or an exponent; longer ones are small print.
_LONGEST_MARK = 30

_POINTS_OF_PIXEL = 0.75
_COLLAPSED = re.compile("[ \t\r\n\f]+")
# The most levels of pages inside each other.
_DEEPEST_PAGE = 3


@dataclass(slots=True)
class PageFindings(Findings):
    """Findings about a page, including embedded documents, and styles that were not read.

    `linked` counts styles in other files, `unresolved` those in the page.
    """

    embedded: int = 0
    linked: int = 0
    unresolved: int = 0
    unknown_contents: set[str] = field(default_factory=set)
    """Values of the property `content` that generate an unknown text."""

    def cautions(self, unknown_numbers: int = 0) -> tuple[Caution, ...]:
        """Return the findings as cautions."""
        return (*Findings.cautions(self, unknown_numbers), *self._unread())

    def _unread(self) -> Iterator[Caution]:
        unresolved = self.unresolved + len(self.unknown_contents)
        unread = [f"{self.linked} in other files"] * bool(self.linked)
        unread += [f"{unresolved} in the page"] * bool(unresolved)
        if unread:
            message = f"styles that could not be read: {', '.join(unread)}; what they hide or show is not known"
            yield Caution("styles-unread", message)
        if self.embedded:
            yield Caution("embedded-unread", f"embedded documents that were not read: {self.embedded}")


@dataclass(slots=True)
class _OpenElement:
    """An element that is being read."""

    tag: str
    path: ElementPath
    look: TextLook
    style: ResolvedStyle
    is_one_line: bool = False
    """Whether line ends in it become spaces, as in a table cell without blocks."""
    is_struck: bool = False
    """Whether it is inside an element that is marked as struck out."""
    place: int = 0
    lead: int = 0
    """The number of characters at its start that do not belong to it, such as the number of a list item."""
    opening: str = ""
    closing: str = ""
    columns: tuple[int, int] = (0, 0)
    outside: TextBuilder | None = None
    """For a table cell: the builder that its table is written to."""
    items: ListCounter | None = None


class PageWalk:
    """One pass over the tree without recursion, because a tree may be deeper than Python's stack."""

    def __init__(self, is_shallow: Callable[[str], bool], linked: Mapping[str, str], *, titled: bool) -> None:
        """`is_shallow` says whether an inner page may be parsed; `linked` are other files that came with the page.

        `titled` says whether the title of the page is shown; the title of an inner page never is.
        """
        self.out = TextBuilder()
        self.findings = PageFindings()
        self._is_shallow = is_shallow
        self._titled = titled
        self._linked = linked
        self._tables: list[GridTable | None] = [None]
        """The open tables, innermost last; None for a table that contains tables and so only serves layout."""
        self._spare: list[TextBuilder] = []
        self._sheets = StyleSheets()
        self._open: list[_OpenElement] = []
        self._holders: set[int] = set()
        """Table cells that keep their lines, and tables that contain tables."""
        self._after: dict[int, Callable[[], None]] = {}
        """By the number of open elements: the text that the style sheet generates at the end of the innermost one."""
        self._quote_depth = self._pages = 0

    def read(self, source: str) -> None:
        """Write the text of a page, or of an inner page."""
        outside = self._sheets, self._open, self._holders, self._after, self._tables
        tree = LexborHTMLParser(source)
        self._sheets, self._holders = StyleSheets.of(tree, source, self._linked), find_holders(tree)
        self._after, self._tables = {}, [None]
        look = TextLook(styles_known=self._sheets.are_known)
        self._open = [_OpenElement("", ElementPath(("", "", frozenset()), None), look, ResolvedStyle((), {}))]
        self._pages += 1
        if tree.root is not None:
            self._visit(tree.root)
        self._pages -= 1
        self.findings.unresolved += self._sheets.unresolved
        self.findings.linked += self._sheets.linked
        self._sheets, self._open, self._holders, self._after, self._tables = outside

    def _visit(self, root: Any) -> None:
        # The next child of each open element; no recursion, because a page may be deeper than Python's stack.
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
                if self._titled and self._pages == 1 and (title := node.css_first("title")) is not None:
                    self.out.write_running_text(title.text())
                    self.out.separate(PARAGRAPH)
            elif tag[0] not in "-_" and self._enter(node, tag.lower()):
                unread.append(node.child)

    def _enter(self, node: Any, tag: str) -> bool:
        """Begin an element. Return False if its content is not to be read."""
        if tag in _DROPPED:
            return False
        outer = self._open[-1]
        attributes = node.attributes
        path = self._sheets.path(outer.path, tag, attributes)
        inline = attributes.get("style") or ""
        style = self._sheets.resolve(node, path, inline, default_style(tag, attributes), outer.style.variables)
        look = outer.look.for_child(style.declarations)
        if look.is_gone:
            self.findings.hide(_text_of(node), look.why)
            return False
        element = _OpenElement(tag, path, look, style, outer.is_one_line)
        self._separate(element, outer)
        self._open.append(element)
        element.place = self.out.length
        self._begin(element, node, attributes)
        element.is_struck = outer.is_struck
        if element.opening or (look.struck and not outer.is_struck):
            self._open_wrapping(element)
        if self._sheets.pseudos:
            before, after = (self._sheets.resolve(node, path, "", (), style.variables, it) for it in _PSEUDOS)
            if before.get("content"):
                self._write_generated(before, element, attributes)
            if after.get("content"):
                self._after[len(self._open)] = partial(self._write_generated, after, element, attributes)
        if tag not in _REPLACED and (tag != "object" or not controls.is_embedded(tag, attributes)):
            return True
        self._replace(node, tag, attributes)
        self._leave()
        return False

    def _replace(self, node: Any, tag: str, attributes: Attributes) -> None:
        """Write what is shown instead of an element's content."""
        if tag == "br":
            self._ask(PARAGRAPH if self.out.pending >= LINE else LINE, self._open[-1])
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
        """Return the source of the page that a frame shows, if it is in the page or came with it."""
        if tag == "iframe" and "srcdoc" in attributes:
            return attributes["srcdoc"] or ""
        return self._linked.get(attributes.get("src") or "") if tag in ("iframe", "frame") else None

    def _write_replacement(self, tag: str, text: str) -> None:
        place, lead = self.out.length, len(self.out.prefix)
        self._write(text)
        origin = controls.ORIGINS.get(tag)
        if origin is not None and any(map(str.isalnum, text)):
            self.out.mark(origin, self.out.start(place) + lead, self.out.length)

    def _write_generated(self, style: ResolvedStyle, element: _OpenElement, attributes: Attributes) -> None:
        """Write the text that a style sheet generates before or after an element's content, if it is visible."""
        look = element.look.for_child(style.declarations)
        text, known = controls.generated_text(style.get("content"), attributes)
        if not known:
            self.findings.unknown_contents.add(style.get("content"))
        if text and not is_unseen(look.why):
            self.out.write_running_text(text)

    def _open_wrapping(self, element: _OpenElement) -> None:
        """Make the next piece begin with the element's opening characters; in a table, strike out each cell
        separately.
        """
        if element.look.struck and not element.is_struck and element.tag not in _TABLE_PARTS:
            element.opening += STRUCK_OPENING
            element.closing = STRUCK_CLOSING + element.closing
            element.is_struck = True
        if is_unseen(element.look.why):
            element.opening = element.closing = ""
        self.out.prefix += element.opening
        element.lead = len(self.out.prefix)

    def _begin(self, element: _OpenElement, node: Any, attributes: Attributes) -> None:
        """Apply the effect of a tag at the start of its element."""
        table = self._tables[-1]
        match element.tag:
            case "td" | "th":
                element.is_one_line = node.mem_id not in self._holders
                if table:
                    element.columns = table.begin_cell(attributes)
                    element.outside, element.place = self.out, 0
                    self.out = self._spare.pop() if self._spare else TextBuilder()
            case "tr" if table:
                table.begin_row()
            case "table":
                self._tables.append(None if node.mem_id in self._holders else GridTable())
                element.is_one_line = False
            case "ol" | "ul" | "menu" | "dir":
                element.items = ListCounter(element.tag, attributes, node)
            case "li":
                counter = next((outer.items for outer in reversed(self._open[:-1]) if outer.items), None)
                if counter and element.style.display in ("", "list-item", "block"):
                    element.opening = counter.next_marker(element.look.list_style, attributes.get("value"))
            case "q" | "blockquote":
                # The quotation marks are not written; the quotation is recorded as data.
                self._quote_depth += 1
                element.lead = len(self.out.prefix)
            case "rt":
                element.opening, element.closing = "()"

    def _leave(self) -> None:
        """End the innermost element."""
        if self._after and (after := self._after.pop(len(self._open), None)):
            after()
        element = self._open.pop()
        if self.out.length == element.place:
            self.out.prefix = self.out.prefix.removesuffix(element.opening)
        elif element.closing:
            self.out.write(element.closing)
        self._end(element)
        self._separate(element, self._open[-1])

    def _end(self, element: _OpenElement) -> None:
        """Apply the effect of a tag at the end of its element."""
        out, table = self.out, self._tables[-1]
        match element.tag:
            case "td" | "th" if element.outside is not None and table:
                is_header = element.tag == "th" or self._open[-2].tag == "thead"
                table.end_cell(element.columns, is_header, out)
                self._spare += [] if out else [out]
                self.out = element.outside
            case "thead" | "tbody" | "tfoot" if table:
                table.end_row_group()
            case "table":
                self._tables.pop()
                if table:
                    table.write(out)
            case "textarea":
                out.mark("form field", out.start(element.place), out.length)
            case "q" | "blockquote":
                self._quote_depth -= 1
                start, end = out.start(element.place) + element.lead, out.length - len(element.closing)
                if start < end and not self._quote_depth:
                    out.quoted.append(Span(start, end))
            case tag if tag in _HEADINGS:
                out.name_part(out.text(element.place), out.start(element.place), _HEADINGS[tag])

    def _separate(self, element: _OpenElement, outer: _OpenElement) -> None:
        """Request the whitespace before or after an element."""
        self._ask(strength_around(element.tag, element.style.display, outer.style.display), outer)

    def _ask(self, strength: int, outer: _OpenElement) -> None:
        """Request whitespace; in a cell on one line, the end of a line or paragraph becomes a space."""
        self.out.separate(SPACE if strength > CELL and outer.is_one_line else strength)

    def _write(self, text: str) -> None:
        """Write text as the innermost element shows it."""
        look = self._open[-1].look
        if look.why and not self.findings.take(text, look.why):
            self.out.separate(SPACE if text[:1].isspace() or text[-1:].isspace() else 0)
            return
        if not self.out.length and (table := self._tables[-1]) and table.begins_row:
            self.out.indent += self._measure_indent(text)
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

    def _measure_indent(self, text: str) -> float:
        """Return the indent of a cell's first text in points; for a text without words, only the width of blanks."""
        blanks = measure_blanks(_COLLAPSED.sub("", text[: len(text) - len(text.lstrip())]) + "x")
        margins, first_line = 0.0, None
        for element in reversed(self._open) if text.strip() else ():
            for name, value in element.style.declarations:
                if name in ("margin-left", "padding-left"):
                    margins += pixels(value, em=element.look.size) or 0.0
                elif name == "text-indent" and first_line is None:
                    first_line = pixels(value, em=element.look.size)
            if element.outside is not None:
                break
        return _POINTS_OF_PIXEL * (margins + (first_line or 0.0)) + blanks


def _text_of(element: Any) -> str:
    """Return the text in an element, without scripts and the like."""
    texts = (node for node in element.traverse(include_text=True) if node.tag == "-text")
    return "".join(node.text_content or "" for node in texts if node.parent.tag not in _DROPPED)
