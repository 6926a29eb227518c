"""Word documents (docx): paragraphs, tables, notes and text boxes in order, without what a reader cannot see.

Only zipfile and expat are used. The XML is streamed, so no tree is built; a document type declaration is refused, so
there are no entities. Deletions that are tracked, hidden text, field codes, comments, headers and footers are left out,
insertions are kept. Numbers that Word makes itself, as those of clauses, are not in the file's text.
"""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Callable
from xml.parsers import expat

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.docx.body import Notes, Walk, attribute, local_name
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import Parsed, ParsedNote, ParsedPage

MEMBERS, RATIO, RATIO_FROM = 10_000, 200, 1 << 20
"""An archive with more members, or a part of more than 1 MiB that unpacks to so many times its size, is refused."""

_DOCUMENT_TYPE = "officeDocument"
_USUAL = "word/document.xml"


def parse_docx(data: bytes, *, name: str, limits: LoadLimits) -> Parsed:
    """The text of a Word document on one page, with headings, block quotations and notes; meant for a child process.

    Paragraphs are parted by an empty line, table rows stand on one line, cells two spaces apart; notes come at the end.
    Raises DocumentError damaged, too-big, no-text, unsupported.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _Reader(archive, name, limits).parsed()
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, KeyError, NotImplementedError) as error:
        hint = "open it in a word processor and save it again"
        raise DocumentError(f"{name} is damaged: {error}", code="damaged", hint=hint) from None


class _Reader:
    """Reads the parts of one archive within bounds."""

    def __init__(self, archive: zipfile.ZipFile, name: str, limits: LoadLimits) -> None:
        self._archive, self._name, self._limits = archive, name, limits
        self._left = 6 * limits.characters
        if len(archive.infolist()) > MEMBERS:
            raise self._too_big(f"has more than {MEMBERS:,} parts")

    def parsed(self) -> Parsed:
        """The whole document."""
        main = self._main()
        folder = posixpath.dirname(main)
        walk = Walk(self._styles(f"{folder}/styles.xml"), self._limits.characters, self._too_big)
        self._parse(main, walk.start, walk.end, walk.characters)
        headings, notes = tuple(walk.headings), self._notes(folder, walk)
        text = walk.text()
        if not text.strip():
            raise DocumentError(
                f"{self._name} has no text", code="no-text", hint="pictures are not read; run OCR first"
            )
        return Parsed((ParsedPage(text),), headings, walk.cautions(), tuple(walk.quoted), notes)

    def _notes(self, folder: str, walk: "Walk") -> tuple[ParsedNote, ...]:
        """Footnotes and endnotes, added to the text in the order in which they are cited."""
        found: dict[tuple[str, str], str] = {}
        for kind in ("footnote", "endnote"):
            part = f"{folder}/{kind}s.xml"
            if any(cited == kind for cited, _, _ in walk.cited) and part in self._archive.NameToInfo:
                notes = Notes(kind, walk)
                self._parse(part, notes.start, notes.end, notes.characters)
                found |= notes.found
        placed = []
        for kind, number, at in walk.cited:
            if text := found.get((kind, number), "").strip():
                start = walk.add(text)
                placed.append(ParsedNote(0, start, start + len(text), at))
        return tuple(placed)

    def _main(self) -> str:
        """The name of the main part: what the package's relations say, or the usual one."""
        targets: list[str] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if attributes.get("Type", "").endswith("/" + _DOCUMENT_TYPE):
                targets.append(attributes.get("Target", "").lstrip("/"))

        if "_rels/.rels" in self._archive.NameToInfo:
            self._parse("_rels/.rels", start, lambda _tag: None, lambda _text: None)
        for target in (*targets, _USUAL):
            if target in self._archive.NameToInfo:
                return target
        raise DocumentError(f"{self._name} is damaged: it has no main part", code="damaged", hint="save it again")

    def _styles(self, part: str) -> dict[str, str]:
        """What each style is called, its parents' names behind it: "My Quote/Quote/Normal"."""
        if part not in self._archive.NameToInfo:
            return {}
        names: dict[str, str] = {}
        parents: dict[str, str] = {}
        inside: list[str] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            local, value = local_name(tag), attribute(attributes, "val")
            if local == "style":
                inside[:] = [attribute(attributes, "styleId")]
            elif local == "name" and inside:
                names.setdefault(inside[0], value.casefold())
            elif local == "basedOn" and inside:
                parents[inside[0]] = value

        self._parse(part, start, lambda _tag: None, lambda _text: None)
        return {style: "/".join(names.get(one, "") for one in _line(style, parents)) for style in names}

    def _parse(
        self,
        part: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None],
        characters: Callable[[str], None],
    ) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        depth = 0

        def opened(tag: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > self._limits.html_depth:
                raise self._too_big(f"nests its elements more than {self._limits.html_depth} deep")
            start(tag, attributes)

        def closed(tag: str) -> None:
            nonlocal depth
            depth -= 1
            end(tag)

        parser.StartElementHandler, parser.EndElementHandler = opened, closed
        parser.CharacterDataHandler = characters
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.Parse(self._read(part), True)

    def _read(self, part: str) -> bytes:
        info = self._archive.NameToInfo[part]
        if info.flag_bits & 1:
            hint = "remove its password first"
            raise DocumentError(f"{self._name} is encrypted", code="unsupported", hint=hint)
        if info.file_size > RATIO_FROM and info.file_size > RATIO * max(info.compress_size, 1):
            raise self._too_big(
                f"holds a part that unpacks to {info.file_size // max(info.compress_size, 1):,} times its size"
            )
        with self._archive.open(info) as stream:
            data = stream.read(self._left + 1)  # what the archive says of its sizes may be a lie
        self._left -= len(data)
        if self._left < 0:
            raise self._too_big(f"unpacks to more than {6 * self._limits.characters >> 20:,} MiB")
        return data

    def _refuse_doctype(self, *_: object) -> None:
        hint = "no word processor writes that: distrust this file"
        raise DocumentError(f"{self._name} declares a document type of its own", code="unsupported", hint=hint)

    def _too_big(self, what: str) -> DocumentError:
        return DocumentError(f"{self._name} {what}", code="too-big", hint="split the file; if it is small, distrust it")


def _line(style: str, parents: dict[str, str]) -> list[str]:
    """A style and those it is based on, the nearest first; a circle is cut."""
    found = [style]
    while (parent := parents.get(found[-1])) and parent not in found:
        found.append(parent)
    return found
