"""Reads Word documents (docx) as the text that a reader of the pages sees, in order.

It uses only zipfile and expat, except for included files; a part that declares entities is refused. Tracked
deletions, hidden text and field codes are left out; insertions and field results are kept. Clause numbers that Word
generates are before their paragraphs. Notes, comments, headers and footers are at the end; the last three are marked.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from operator import itemgetter
from xml.etree.ElementTree import Element

from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import PAGE_BREAK, Note, Origin
from ralph_cli.documents.docx.drawings import Drawings, has_backdrop
from ralph_cli.documents.docx.numbering import Numbering
from ralph_cli.documents.docx.reading import Reading
from ralph_cli.documents.docx.story import Story
from ralph_cli.documents.docx.styles import PAPER, Ground, Styles
from ralph_cli.documents.limits import LoadLimits, TooManyCharacters
from ralph_cli.documents.office.backdrops import PAGE_SIZE
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.package import CONTENT_TYPES, Package, Relation
from ralph_cli.documents.office.theme import read_theme
from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on
from ralph_cli.documents.page_text import CharacterBudget, finish_document, plain_document
from ralph_cli.documents.parsed import ParsedDocument, bound_cautions
from ralph_cli.documents.sight import WHITE, read_colour
from ralph_cli.documents.sniff import Kind, identify

_MAIN_PART = "word/document.xml"
_NOTES = ("footnote", "endnote")
_HEADS: tuple[tuple[str, Origin, str], ...] = (("header", "page header", "w:hdr"), ("footer", "page footer", "w:ftr"))
_DRAWING_ROOTS = ("c:chartSpace", "cx:chartSpace", "dgm:dataModel")
_FOREIGN = {
    "w:altChunk": "documents put in from other files",
    "w:subDoc": "documents kept in other files",
    ":OLEObject": "embedded objects",
    "w:objectEmbed": "embedded objects",
    "w:objectLink": "linked objects",
}
_LONGEST_NAME = 80
_UNSEEN_HEAD = "in headers or footers that no page shows"

# The most levels of documents inside each other.
DEEPEST = 3

# Media types that cannot be recognized by the first bytes of a file.
_KINDS: dict[str, Kind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "message/rfc822": "mhtml",
    "multipart/related": "mhtml",
    "text/plain": "text",
}


def read_chunk(
    data: bytes,
    content_type: str,
    name: str,
    limits: LoadLimits,
    parse_word: Callable[[bytes, str, LoadLimits], ParsedDocument],
) -> ParsedDocument:
    """Return the text of an included document on one page; `parse_word` reads a Word document.

    Raises DocumentError as the readers do, and "unsupported" for formats that are not read inside another document.
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
            from ralph_cli.documents.mail.reader import parse_web_page

            found = parse_web_page(data, name=name, encoding=None, limits=limits)
        case "rtf":
            from ralph_cli.documents.rich_text.rtf import parse_rtf

            found = parse_rtf(data, name=name, limits=limits)
        case "text" if not name.endswith(".xml"):  # other XML is data for programs, not text
            from ralph_cli.documents.plain.reader import read_plain_text

            text, cautions = read_plain_text(data, name=name, encoding=None, limits=limits)
            found = plain_document([text.replace(PAGE_BREAK, "\n\n")], cautions)
        case _:
            what = f"{name} has a format ({kind}) that ralph does not read inside another document"
            raise DocumentError(what, code="unsupported")
    if len(found.pages) == 1:
        return found
    return plain_document([found.text.replace(PAGE_BREAK, "\n\n")], found.cautions)


def parse_docx(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """Return a Word document on one page with headings, tables, block quotations and notes; call it in a child
    process.

    An empty line separates paragraphs. A table row is one line, with cells two spaces apart. Raises DocumentError
    damaged, encrypted, too-big, no-text, unsupported.
    """
    return _parse(Package(data, name, limits, _MAIN_PART), limits, 0)


def _parse(package: Package, limits: LoadLimits, depth: int) -> ParsedDocument:
    try:
        return _DocumentReader(package, limits, depth).read()
    except RecursionError:
        raise package.too_big_error("nests tables or text boxes too deeply") from None


class _DocumentReader:
    """Reads the parts of one document; `depth` counts the documents around it."""

    def __init__(self, package: Package, limits: LoadLimits, depth: int) -> None:
        self._package, self._limits, self._depth = package, limits, depth
        self._count = CharacterBudget(package.name, limits)
        self._chunks: dict[str, tuple[ParsedDocument | None, str]] = {}
        """For each included file: its document, or why it is not read."""
        self._main = package.main_part()
        self._relations = package.relations(self._main)
        self._findings = Findings()
        self._settings = self._open("settings")
        self._theme = read_theme(self._open("theme", "a:theme"))
        styles = Styles.read(self._open("styles"))
        self._numbering = Numbering(self._open("numbering"), styles)
        forms = {kind: self._setting(f"w:{kind}Pr", "w:numFmt") for kind in _NOTES}
        self._reading = Reading(styles, self._numbering, self._findings, self._count, forms)

    def read(self) -> ParsedDocument:
        """Return the whole document."""
        self._findings.doubts += self._package.doubts(self._main, "a Word document")
        root = self._package.read_xml(self._main, "w:document")
        paper = self._paper(root)
        body = self._story(self._main, self._relations, paper)
        body.read(root)
        self._append_notes(body)
        self._append_comments(body)
        self._append_heads(body, paper)
        hint = self._findings.advise("pictures are not read; run OCR first")
        parsed = finish_document([body], self._findings, self._package.name, self._limits, empty_hint=hint)
        return replace(parsed, cautions=bound_cautions(self._findings.cautions(self._numbering.unknown)))

    def _append_notes(self, body: Story) -> None:
        """Add footnotes and endnotes in the order of their citations, each with its mark as in the text."""
        elements = {
            (kind, attribute(element, "id")): element
            for kind in _NOTES
            if any(mark.kind == kind for mark, _ in body.marks)
            for element in self._children(f"{kind}s", f"w:{kind}")
            if attribute(element, "type") in ("", "normal")
        }
        for kind in _NOTES:
            # A note that is cited again (Word uses a field) is not added again.
            first = {mark: at for mark, at in reversed(body.marks) if mark.kind == kind}
            for mark, at in sorted(first.items(), key=itemgetter(1)):
                element = elements.get((kind, mark.number))
                if element is None:
                    self._findings.miss(f"{kind} {mark.number[:9]}")
                    continue
                note = self._story(f"{kind}s", self._relations_of(f"{kind}s"))
                note.read(element)
                if note.length:
                    sign = self._reading.note_marks.get((kind, mark.number), "")
                    body.add_block(f"{sign} " if sign else "")
                    body.notes.append(Note(body.write(note), body.length, at))

    def _append_comments(self, body: Story) -> None:
        """Add comments, each under a heading with its author, because they are not the document's own words."""
        elements = {attribute(element, "id"): element for element in self._children("comments", "w:comment")}
        places: dict[str, int] = {}
        for mark, at in body.marks:
            if mark.kind == "comment":
                places.setdefault(mark.number, at)
        lines = _line_starts(body.text())
        for number in [*places, *(number for number in elements if number not in places)]:
            if number not in elements:
                self._findings.miss(f"comment {number[:9]}")
                continue
            comment = self._story("comments", self._relations_of("comments"))
            comment.read(elements[number])
            if not (text := comment.text()):
                continue
            author = " ".join(attribute(elements[number], "author").split())[:_LONGEST_NAME] or "an unnamed author"
            at = places.get(number, -1)
            where = f", on paragraph {max(bisect_right(lines, at), 1):,}" if at >= 0 else ""
            start = body.add_from("comment", f"comment by {author}{where}", _close_up(text))
            body.name_part(f"Comment by {author}", start, 1)
            self._findings.comments += 1

    def _append_heads(self, body: Story, paper: Ground) -> None:
        """Add each text of headers and footers once, without page numbers; those that no page shows are left out."""
        shown: set[tuple[str, str]] = set()
        read: set[str] = set()
        for kind, label, root in _HEADS:
            for number, section in enumerate(body.sections):
                for reference in children(section, f"w:{kind}Reference"):
                    relation = self._relations.get(attribute(reference, "id"))
                    if relation is None or not self._package.has(relation.target):
                        self._findings.miss(relation.target if relation else label)
                        continue
                    if relation.target in read:
                        continue
                    read.add(relation.target)
                    story = self._story(relation.target, self._package.relations(relation.target), paper, repeated=True)
                    story.read(self._package.read_xml(relation.target, root))
                    text = _close_up(story.text())
                    if not self._is_shown(attribute(reference, "type"), body.sections[number:]):
                        self._findings.hide(text, _UNSEEN_HEAD)
                    elif any(map(str.isalnum, text)) and (label, text) not in shown:
                        shown.add((label, text))
                        at = body.add_from(label, label, text)
                        body.name_part(label.capitalize(), at, 1)

    def _is_shown(self, kind: str, sections: Iterable[Element]) -> bool:
        """Whether a header for first or even pages is in use (ECMA-376, 17.10.1 and 17.10.6)."""
        if kind == "first":
            return any(is_on(child(section, "w:titlePg")) for section in sections)
        return kind != "even" or is_on(child(self._settings, "w:evenAndOddHeaders"))

    def _story(self, part: str, relations: dict[str, Relation], paper: Ground = PAPER, repeated: bool = False) -> Story:
        def open_part(identity: str) -> Element | None:
            usual = f"a drawing of {part}"
            return self._package.open(relations.get(identity), self._findings, usual, *_DRAWING_ROOTS)

        read_foreign = partial(self._read_foreign, part, relations)
        return Story(self._reading, Drawings(self._findings, open_part, self._theme, read_foreign), paper, repeated)

    def _read_foreign(self, part: str, relations: dict[str, Relation], element: Element) -> ParsedDocument | None:
        """Read a file of the package that a part includes; a file that is not read becomes a finding."""
        what = "linked objects" if attribute(element, "Type") == "Link" else _FOREIGN[element.tag]
        identity = attribute(element, "id")
        relation = relations.get(identity)
        if relation is None:
            self._findings.leave(what, self._package.links(part).get(identity, ""))
        elif not self._package.has(relation.target):
            self._findings.miss(relation.target)
        elif element.tag != "w:altChunk" or self._depth >= DEEPEST:
            self._findings.leave(what)
        else:
            return self._read_chunk(relation.target, what)
        return None

    def _read_chunk(self, part: str, what: str) -> ParsedDocument | None:
        if part not in self._chunks:
            self._chunks[part] = self._parse_chunk(part)
        found, fault = self._chunks[part]
        if fault:
            self._findings.leave(what, fault)
        if found is not None:
            self._count(len(found.text))
        return found

    def _parse_chunk(self, part: str) -> tuple[ParsedDocument | None, str]:
        """Return an included file, or why it is not read. Raises DocumentError if the whole document is too big."""
        kind = self._package.content_type(part) if self._package.has(CONTENT_TYPES) else ""
        limits, outside = replace(self._limits, characters=self._count.left), f"{self._package.name}, "
        try:
            found = read_chunk(self._package.read(part), kind, f"{outside}{part}", limits, self._parse_inner)
        except TooManyCharacters:
            raise
        except DocumentError as error:
            if self._package.is_used_up:
                raise
            return None, "" if error.code in ("no-text", "empty") else error.message.removeprefix(outside)
        self._findings.notices += (replace(one, message=f"{part}: {one.message}", pages=()) for one in found.cautions)
        return found, ""

    def _parse_inner(self, data: bytes, name: str, limits: LoadLimits) -> ParsedDocument:
        return _parse(Package(data, name, limits, _MAIN_PART, self._package), limits, self._depth + 1)

    def _open(self, kind: str, root: str = "") -> Element | None:
        """Return the tree of the part of this kind; None if the document has none."""
        part = self._part_of(kind)
        return self._package.read_xml(part, root or f"w:{kind}") if part else None

    def _part_of(self, kind: str) -> str:
        """Return the part of this kind that the main part refers to, or else the one with its usual name, or ""."""
        usual = f"{self._main.rpartition('/')[0]}/{kind}.xml"
        return self._package.find_part(self._relations, kind, self._findings, usual)

    def _relations_of(self, kind: str) -> dict[str, Relation]:
        part = self._part_of(kind)
        return self._package.relations(part) if part else {}

    def _children(self, kind: str, name: str) -> list[Element]:
        return children(self._open(kind), name)

    def _setting(self, *path: str) -> str:
        return attribute(child(self._settings, *path))

    def _paper(self, root: Element) -> Ground:
        """Return the possible colours of a page; not every program prints a page's own colour.

        They are unknown if a large drawing in a header or footer may be behind the text.
        """
        if any(has_backdrop(head, PAGE_SIZE) for head in self._heads(root)):
            return Ground(None)
        background = child(root, "w:background")
        colour = None if background is None else read_colour(attribute(background, "color"))
        if colour is None or not is_on(child(self._settings, "w:displayBackgroundShape")):
            return PAPER
        return Ground(frozenset({WHITE, colour}))

    def _heads(self, root: Element) -> Iterator[Element]:
        """Yield the trees of all headers and footers that the document's sections refer to."""
        for kind, _, name in _HEADS:
            references = (one for section in root.iter("w:sectPr") for one in children(section, f"w:{kind}Reference"))
            relations = {self._relations.get(attribute(one, "id")) for one in references}
            for target in sorted({relation.target for relation in relations if relation is not None}):
                if self._package.has(target):
                    yield self._package.read_xml(target, name)


def _close_up(text: str) -> str:
    """Remove the empty lines between paragraphs."""
    return text.replace("\n\n", "\n")


def _line_starts(text: str) -> list[int]:
    """Return the offsets where lines that are not empty begin."""
    starts, at = [], 0
    for line in text.split("\n"):
        if line.strip():
            starts.append(at)
        at += len(line) + 1
    return starts
