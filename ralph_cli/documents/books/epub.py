"""EPUB books: each chapter of the spine is an HTML page, named by the book's table of contents (EPUB 3.3)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from selectolax.lexbor import LexborHTMLParser

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.reader import parse_html
from ralph_cli.documents.html.source_tags import close_elements
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.archive import Archive
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, child, children
from ralph_cli.documents.page_text import CharacterBudget, one_line, plain_document
from ralph_cli.documents.parsed import ParsedDocument, clean_label, join_parts

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_LINKED = re.compile(rb"""<link\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>""", re.IGNORECASE)
_HREF = re.compile(rb"""href\s*=\s*["']([^"'<>]{1,500})["']""", re.IGNORECASE)
_PAGES = re.compile(r"\.x?html?$")
# The most bytes read of each style sheet.
_MOST_STYLES = 1 << 20


def parse_epub(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """Return the text of a book with headings and tables; call it in a child process.

    Raises DocumentError damaged, encrypted (also for DRM), too-big, no-text, unsupported.
    """
    archive = Archive(data, name, limits)
    root = archive.read_xml(_CONTAINER, ":container")
    package = next((unquote(attribute(one, "full-path")) for one in root.iter(":rootfile")), "")
    if not package:
        raise archive.damaged_error(f"the part {_CONTAINER} names no book")
    return _BookReader(archive, package, limits).read()


class _BookReader:
    """Reads the chapters of one book."""

    def __init__(self, archive: Archive, package: str, limits: LoadLimits) -> None:
        self._archive, self._package, self._limits = archive, package, limits
        root = archive.read_xml(package, ":package")
        self._items = {attribute(one, "id"): one for one in children(root, ":manifest", ":item")}
        self._spine = children(root, ":spine", ":itemref")
        self._contents = attribute(child(root, ":spine"), "toc")
        self._findings = Findings()
        self._styles: dict[str, bytes] = {}

    def read(self) -> ParsedDocument:
        """Return the whole book."""
        self._refuse_encrypted()
        names = self._read_contents()
        parts: list[ParsedDocument] = []
        said: dict[tuple[str, str], list[int]] = {}
        count = CharacterBudget(self._archive.name, self._limits)
        for at, reference in enumerate(self._spine, 1):
            item = self._items.get(attribute(reference, "idref"))
            part = self._part_of(item)
            chapter = self._read_chapter(part, item, at)
            heading = next((one.text for one in chapter.headings), "")
            name = names.get((part.casefold(), False)) or heading or names.get((part.casefold(), True), "")
            page = chapter.pages[0]._replace(label=clean_label(name))
            parts.append(replace(chapter, pages=(page,), cautions=()))
            for caution in chapter.cautions:
                said.setdefault((caution.code, caution.message), []).append(at)
            count(len(chapter.text))
        self._findings.pass_over(self._archive.unread_parts(_PAGES))
        if not any(part.text.strip() for part in parts):
            if self._findings.unreadable:
                raise self._archive.damaged_error(self._findings.unreadable[0][0])
            hint = "its pages are pictures: save it as PDF, and run OCR"
            raise DocumentError(f"{self._archive.name} has no text", code="no-text", hint=hint)
        cautions = [Caution(*what, tuple(at) if what[0] == "incomplete" else ()) for what, at in said.items()]
        return join_parts(parts, (*self._findings.cautions(), *cautions)[:100])

    def _read_chapter(self, part: str, item: Element | None, at: int) -> ParsedDocument:
        """Return one chapter as a document of one page; an empty one if it cannot be read."""
        empty = plain_document([""])
        if item is None or not self._archive.has(part):
            what = f"chapter {at} is not in the file: {part[:100] or 'it has no name'}"
            self._findings.unreadable.append((what, (at,)))
            return empty
        if attribute(item, "media-type") not in _CHAPTERS and not part.lower().endswith((".xhtml", ".html", ".htm")):
            self._findings.unread["chapters that are pictures"] += 1
            return empty
        try:
            source = self._prepare(part)
            if b"</html" not in source.lower():
                self._findings.unreadable.append((f"chapter {at} is cut off: what stood behind is not known", (at,)))
            name = f"{self._archive.name}, {part[:100]}"
            return parse_html(source, name=name, encoding=None, limits=self._limits, titled=False)
        except DocumentError as error:
            if error.code != "no-text":
                self._findings.note_damage(error, f"chapter {at} could not be read", at, ("too-big", "encrypted"))
            return empty

    def _prepare(self, part: str) -> bytes:
        """Return a chapter as HTML: its elements closed as in HTML, its style sheets included."""
        source = close_elements(self._archive.read(part))
        return _LINKED.sub(lambda link: self._put_in_styles(part, link), source)

    def _put_in_styles(self, part: str, link: "re.Match[bytes]") -> bytes:
        target = _HREF.search(link[1])
        if target is None or b"stylesheet" not in link[1].lower():
            return link[0]
        style = self._archive.resolve(part, unquote(target[1].decode("utf-8", "replace")).partition("?")[0])
        if style not in self._styles:
            known = self._archive.has(style)
            self._styles[style] = self._archive.read(style)[:_MOST_STYLES].replace(b"</", b"") if known else b""
        return b"<style>" + self._styles[style] + b"</style>" if self._styles[style] else link[0]

    def _part_of(self, item: Element | None) -> str:
        target = unquote(attribute(item, "href")).partition("#")[0]
        return self._archive.resolve(self._package, target) if item is not None else ""

    def _refuse_encrypted(self) -> None:
        """Raise DocumentError "encrypted" if chapters are encrypted; books with only encrypted fonts are readable."""
        if not self._archive.has(_ENCRYPTION):
            return
        root = self._archive.read_xml(_ENCRYPTION, ":encryption")
        hidden = {
            unquote(attribute(one, "URI")).casefold() for one in root.iter() if one.tag.endswith(":CipherReference")
        }
        if any(self._part_of(self._items.get(attribute(one, "idref"))).casefold() in hidden for one in self._spine):
            what = f"{self._archive.name} is encrypted by the shop that sold it (DRM)"
            raise DocumentError(what, code="encrypted", hint="get a copy without DRM")

    def _read_contents(self) -> dict[tuple[str, bool], str]:
        """Return chapter names from the table of contents, keyed by part and whether the entry names a place in the
        part.
        """
        listed = [item for item in self._items.values() if "nav" in attribute(item, "properties").split()]
        listed += [self._items[self._contents]] if self._contents in self._items else []
        names: dict[tuple[str, bool], str] = {}
        for part in (self._part_of(item) for item in listed):
            if self._archive.has(part):
                for target, name in _read_links(close_elements(self._archive.read(part))):
                    chapter, _, place = unquote(target).partition("#")
                    if name:
                        names.setdefault((self._archive.resolve(part, chapter).casefold(), bool(place)), name)
        return names


def _read_links(source: bytes) -> Iterator[tuple[str, str]]:
    """Yield the targets and names of a table of contents: links in EPUB 3, points in EPUB 2."""
    tree = LexborHTMLParser(source.decode("utf-8", "replace"))
    for link in tree.css("nav a[href], body > a[href]"):
        yield link.attributes.get("href") or "", one_line(link.text())
    for point in tree.css("navpoint"):
        label, target = point.css_first("navlabel"), point.css_first("content")
        if label is not None and target is not None:
            yield target.attributes.get("src") or "", one_line(label.text())
