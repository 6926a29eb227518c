"""The text of a Word document's parts, from the events of an XML parser: what a reader sees, in order.

Element names are those of ECMA-376, part 1, chapter 17.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.parsed import ParsedHeading, clean_heading

_MAIN = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"

_HIDDEN_ELEMENTS = frozenset(
    ["del", "moveFrom", "delText", "instrText", "delInstrText", "rt", "Fallback", "rPrChange", "pPrChange"]
)
"""Elements whose text is not shown: what was deleted, fields' code, phonetic guides, the twin of a text box."""

_QUOTE_STYLES = ("quote", "intense quote", "block text", "quotations", "block quote", "block quotation")
_INDENT = 360
"""Twentieths of a point (a quarter inch) by which a paragraph is set in on both sides when it is a block quotation."""


@dataclass(slots=True)
class _Paragraph:
    """A paragraph under construction."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    style: str = ""
    level: int = 0
    indent: int = 0
    joins_next: bool = False
    note_references: list[tuple[str, str, int]] = field(default_factory=list)
    boxes: list["_Paragraph"] = field(default_factory=list)

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


@dataclass(slots=True)
class _Table:
    """A table under construction: the cells of its row, each as the texts of its paragraphs."""

    rows: list[str] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)
    note_references: list[tuple[str, str, int]] = field(default_factory=list)


class BodyParser:
    """One pass over the main part, event by event."""

    def __init__(
        self, styles: dict[str, str], max_characters: int, too_big_error: Callable[[str], DocumentError]
    ) -> None:
        self._styles, self._most, self._too_big = styles, max_characters, too_big_error
        self.headings: list[ParsedHeading] = []
        self.quoted: list[tuple[int, int, int]] = []
        self.note_references: list[tuple[str, str, int]] = []
        self._parts: list[str] = []
        self._length = self._hidden = self._symbols = 0
        self._deleted = False
        self._path: list[str] = []
        self._hidden_depth = 0
        self._run_is_hidden = False
        self._open: list[_Paragraph] = []
        self._tables: list[_Table] = []
        self._joins_next: _Paragraph | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        local = local_name(tag) if tag.startswith((*_MAIN, _MATH)) or tag.endswith("Fallback") else ""
        self._path.append(local)
        if self._hidden_depth or local in _HIDDEN_ELEMENTS:
            # A deleted paragraph mark is an empty <w:del/> among the properties: it joins two paragraphs.
            if local == "del" and self._path[-3:-1] == ["pPr", "rPr"] and self._open and not self._hidden_depth:
                self._open[-1].joins_next = True
            elif local in ("del", "moveFrom") and not self._hidden_depth:
                self._deleted = True
            self._hidden_depth += 1
        elif local == "p":
            self._begin_paragraph()
        elif local == "tbl":
            self._finish_joined()
            self._tables.append(_Table())
        elif local in ("tr", "tc") and self._tables:
            self._tables[-1].cells = [] if local == "tr" else [*self._tables[-1].cells, []]
        elif self._open:
            self._start_in_paragraph(local, attributes)

    def end(self, tag: str) -> None:
        """An element ends."""
        local = self._path.pop()
        if self._hidden_depth:
            self._hidden_depth -= 1
        elif local == "r":
            self._run_is_hidden = False
        elif local == "p" and self._open:
            self._end_paragraph()
        elif local == "tc" and self._tables:
            self._finish_joined()
        elif local == "tr" and self._tables:
            row = "  ".join(cell for cell in (" ".join(texts) for texts in self._tables[-1].cells) if cell)
            if row:
                self._tables[-1].rows.append(row)
            self._tables[-1].cells = []
        elif local == "tbl" and self._tables:
            self._end_table()

    def characters(self, text: str) -> None:
        """Text of an element."""
        if self._open and self._path[-1] == "t" and not self._hidden_depth:
            if self._run_is_hidden:
                self._hidden += len(text)
            else:
                self._write(text.replace("\f", " "))

    def add_block(self, text: str) -> int:
        """Add a finished block, an empty line behind the one before, and return where it begins."""
        separator = "\n\n" if self._parts else ""
        self._parts.append(separator + text)
        at = self._length + len(separator)
        self._length = at + len(text)
        return at

    @property
    def in_element(self) -> bool:
        """Whether an element is open."""
        return bool(self._path)

    def text(self) -> str:
        """All that was added."""
        self._finish_joined()
        return "".join(self._parts)

    def cautions(self) -> tuple[Caution, ...]:
        """What was left out that a reader should know of."""
        found = []
        if self._hidden:
            found.append(Caution("hidden-text", f"hidden text omitted: {self._hidden:,} characters"))
        if self._deleted:
            found.append(Caution("tracked-changes", "tracked changes: deletions are omitted, insertions are kept"))
        if self._symbols:
            found.append(Caution("symbols", f"{self._symbols:,} symbols of special fonts are shown as U+FFFD"))
        return tuple(found)

    def empty_copy(self) -> "BodyParser":
        """A parser with the same settings for another part."""
        return BodyParser(self._styles, self._most, self._too_big)

    def _write(self, text: str) -> None:
        self._open[-1].write(text)
        if self._length + self._open[-1].length > self._most:
            raise self._too_big(f"has more than {self._most:,} characters")

    def _start_in_paragraph(self, local: str, attributes: dict[str, str]) -> None:
        paragraph, parent = self._open[-1], self._path[-2]
        if parent == "pPr":
            self._read_property(paragraph, local, attributes)
        elif parent == "rPr" and local == "vanish" and self._path[-3] == "r":
            self._run_is_hidden = attribute(attributes, "val") not in ("0", "false", "off")
        elif parent != "r" or self._run_is_hidden:
            return
        elif local in ("tab", "ptab"):
            self._write("\t")
        elif local in ("br", "cr"):
            self._write("\n")
        elif local == "noBreakHyphen":
            self._write("\u2011")
        elif local == "sym":
            self._write(self._symbol(attribute(attributes, "char")))
        elif local in ("footnoteReference", "endnoteReference"):
            paragraph.note_references.append(
                (local.removesuffix("Reference"), attribute(attributes, "id"), paragraph.length)
            )

    def _read_property(self, paragraph: _Paragraph, local: str, attributes: dict[str, str]) -> None:
        if local == "pStyle":
            style = attribute(attributes, "val")
            paragraph.style = self._styles.get(style, style.casefold())
        elif local == "outlineLvl" and attribute(attributes, "val").isdecimal():
            paragraph.level = int(attribute(attributes, "val")[:2]) + 1
        elif local == "ind":
            left = attribute(attributes, "left") or attribute(attributes, "start")
            right = attribute(attributes, "right") or attribute(attributes, "end")
            paragraph.indent = min(int(side) if side.isdecimal() else 0 for side in (left[:9], right[:9]))

    def _symbol(self, code: str) -> str:
        """A character given by its code; those of the private area mean something in one font only."""
        try:
            character = chr(int(code, 16))
        except (ValueError, OverflowError):
            character = "\ufffd"
        if not character.isprintable():
            self._symbols += 1
            return "\ufffd"
        return character

    def _begin_paragraph(self) -> None:
        self._open.append(_Paragraph())
        if self._joins_next is not None and len(self._open) == 1:
            # The mark between this paragraph and the one before is deleted: they read as one.
            before, self._joins_next = self._joins_next, None
            before.joins_next = False
            self._open = [before]

    def _end_paragraph(self) -> None:
        paragraph = self._open.pop()
        if self._open:
            self._open[-1].boxes += [paragraph, *paragraph.boxes]  # a text box: shown behind the paragraph it hangs on
        elif paragraph.joins_next:
            self._joins_next = paragraph
        else:
            self._finish(paragraph)

    def _finish_joined(self) -> None:
        """A paragraph that was to be joined to a next one ends here, for there is none."""
        if self._joins_next is not None:
            joined, self._joins_next = self._joins_next, None
            self._finish(joined)

    def _finish(self, paragraph: _Paragraph) -> None:
        if self._tables:
            self._add_to_cell(paragraph)
            return
        self._add_paragraph(paragraph)
        for box in paragraph.boxes:
            self._add_paragraph(box)

    def _add_to_cell(self, paragraph: _Paragraph) -> None:
        table = self._tables[-1]
        table.note_references += paragraph.note_references
        texts = [" ".join("".join(part.parts).split()) for part in (paragraph, *paragraph.boxes)]
        if not table.cells:
            table.cells.append([])
        table.cells[-1] += [text for text in texts if text]

    def _end_table(self) -> None:
        table = self._tables.pop()
        text = "\n".join(table.rows)
        if self._tables:
            if text and self._tables[-1].cells:
                self._tables[-1].cells[-1].append("  ".join(table.rows))
            self._tables[-1].note_references += table.note_references
        elif text:
            at = self.add_block(text)
            self.note_references += [(kind, number, at) for kind, number, _ in table.note_references]
        if self._length > self._most:
            raise self._too_big(f"has more than {self._most:,} characters")

    def _add_paragraph(self, paragraph: _Paragraph) -> None:
        raw = "".join(paragraph.parts)
        text = raw.strip()
        if not text:
            self.note_references += [(kind, number, self._length) for kind, number, _ in paragraph.note_references]
            return
        at = self.add_block(text)
        lead = len(raw) - len(raw.lstrip())
        for kind, number, place in paragraph.note_references:
            self.note_references.append((kind, number, at + max(0, min(place - lead, len(text)))))
        names = paragraph.style.split("/")
        level = paragraph.level or next((_heading_level(name) for name in names if _heading_level(name)), 0)
        if 1 <= level <= 9:
            self.headings.append(ParsedHeading(0, at, clean_heading(text), level))
        elif any(name in _QUOTE_STYLES for name in names) or paragraph.indent >= _INDENT:
            self.quoted.append((0, at, at + len(text)))


class NotesParser:
    """One pass over a part of notes: each note's text by its kind and id."""

    def __init__(self, kind: str, body: BodyParser) -> None:
        self._kind, self._body = kind, body
        self._inner = body.empty_copy()
        self._id = ""
        self.found: dict[tuple[str, str], str] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if local_name(tag) == self._kind:
            # Separators are notes, too, with a type.
            self._id = "" if attribute(attributes, "type") not in ("", "normal") else attribute(attributes, "id")
            self._inner = self._body.empty_copy()
        self._inner.start(tag, attributes)

    def end(self, tag: str) -> None:
        """An element ends."""
        if self._inner.in_element:
            self._inner.end(tag)
        if local_name(tag) == self._kind and self._id:
            self.found[self._kind, self._id] = self._inner.text()

    def characters(self, text: str) -> None:
        """Text of an element."""
        if self._inner.in_element:
            self._inner.characters(text)


def local_name(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rpartition(" ")[2]


def attribute(attributes: dict[str, str], name: str) -> str:
    """An attribute of whatever namespace."""
    return next((value for key, value in attributes.items() if local_name(key) == name), "")


def _heading_level(name: str) -> int:
    """The level of the built-in heading styles, 0 for any other."""
    head, _, number = name.rpartition(" ")
    if head == "heading" and number.isdecimal():
        return int(number[:2])
    return 1 if name == "title" else 0
