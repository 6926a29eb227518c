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
from ralph_cli.documents.docx.body import BodyParser, NotesParser, attribute, local_name
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import ParsedDocument, ParsedNote, ParsedPage

MAX_MEMBERS, MAX_RATIO, RATIO_MIN_SIZE = 10_000, 200, 1 << 20
"""An archive with more members, or a part of more than 1 MiB that unpacks to so many times its size, is refused."""

_DOCUMENT_TYPE = "officeDocument"
_DEFAULT_MAIN_PART = "word/document.xml"


def parse_docx(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """The text of a Word document on one page, with headings, block quotations and notes; meant for a child process.

    Paragraphs are parted by an empty line, table rows stand on one line, cells two spaces apart; notes come at the end.
    Raises DocumentError damaged, too-big, no-text, unsupported.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _Reader(archive, name, limits).parse()
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, KeyError, NotImplementedError) as error:
        hint = "open it in a word processor and save it again"
        raise DocumentError(f"{name} is damaged: {error}", code="damaged", hint=hint) from None


def _ignore(_: str) -> None:
    """For a part of which only the beginnings of elements matter."""


class _Reader:
    """Reads the parts of one archive within bounds."""

    def __init__(self, archive: zipfile.ZipFile, name: str, limits: LoadLimits) -> None:
        self._archive, self._name, self._limits = archive, name, limits
        self._left = 6 * limits.characters
        if len(archive.infolist()) > MAX_MEMBERS:
            raise self._too_big_error(f"has more than {MAX_MEMBERS:,} parts")

    def parse(self) -> ParsedDocument:
        """The whole document."""
        main = self._main_part()
        folder = posixpath.dirname(main)
        body = BodyParser(self._style_names(f"{folder}/styles.xml"), self._limits.characters, self._too_big_error)
        self._parse_part(main, body.start, body.end, body.characters)
        headings, notes = tuple(body.headings), self._append_notes(folder, body)
        text = body.text()
        if not text.strip():
            hint = "pictures are not read; run OCR first"
            raise DocumentError(f"{self._name} has no text", code="no-text", hint=hint)
        return ParsedDocument((ParsedPage(text),), headings, body.cautions(), tuple(body.quoted), notes)

    def _append_notes(self, folder: str, body: BodyParser) -> tuple[ParsedNote, ...]:
        """Footnotes and endnotes, added to the text in the order in which they are cited."""
        found: dict[tuple[str, str], str] = {}
        for kind in ("footnote", "endnote"):
            if any(cited == kind for cited, _, _ in body.note_references):
                notes = NotesParser(kind, body)
                self._parse_part(f"{folder}/{kind}s.xml", notes.start, notes.end, notes.characters)
                found |= notes.found
        placed = []
        for kind, number, at in body.note_references:
            if text := found.get((kind, number), "").strip():
                start = body.add_block(text)
                placed.append(ParsedNote(0, start, start + len(text), at))
        return tuple(placed)

    def _main_part(self) -> str:
        """The name of the main part: what the package's relations say, or the usual one."""
        targets: list[str] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if attributes.get("Type", "").endswith("/" + _DOCUMENT_TYPE):
                targets.append(attributes.get("Target", "").lstrip("/"))

        self._parse_part("_rels/.rels", start)
        for target in (*targets, _DEFAULT_MAIN_PART):
            if target in self._archive.NameToInfo:
                return target
        raise DocumentError(f"{self._name} is damaged: it has no main part", code="damaged", hint="save it again")

    def _style_names(self, part: str) -> dict[str, str]:
        """What each style is called, its parents' names behind it: "My Quote/Quote/Normal"."""
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

        self._parse_part(part, start)
        return {
            style: "/".join(names.get(ancestor, "") for ancestor in _style_ancestry(style, parents)) for style in names
        }

    def _parse_part(
        self,
        part: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None] = _ignore,
        characters: Callable[[str], None] = _ignore,
    ) -> None:
        """Give what stands in a part, if there is one, to functions as it is read."""
        if part not in self._archive.NameToInfo:
            return
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        depth = 0

        def on_start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > self._limits.html_depth:
                raise self._too_big_error(f"nests elements more than {self._limits.html_depth} levels deep")
            start(tag, attributes)

        def on_end(tag: str) -> None:
            nonlocal depth
            depth -= 1
            end(tag)

        parser.StartElementHandler, parser.EndElementHandler = on_start, on_end
        parser.CharacterDataHandler = characters
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.Parse(self._read_part(part), True)

    def _read_part(self, part: str) -> bytes:
        info = self._archive.NameToInfo[part]
        if info.flag_bits & 1:
            hint = "remove its password first"
            raise DocumentError(f"{self._name} is encrypted", code="unsupported", hint=hint)
        if info.file_size > RATIO_MIN_SIZE and info.file_size > MAX_RATIO * max(info.compress_size, 1):
            raise self._too_big_error(
                f"contains a part that unpacks to {info.file_size // max(info.compress_size, 1):,} times its size"
            )
        with self._archive.open(info) as stream:
            data = stream.read(self._left + 1)  # what the archive says of its sizes may be a lie
        self._left -= len(data)
        if self._left < 0:
            raise self._too_big_error(f"unpacks to more than {6 * self._limits.characters >> 20:,} MiB")
        return data

    def _refuse_doctype(self, *_: object) -> None:
        hint = "no word processor writes this: do not trust the file"
        raise DocumentError(f"{self._name} contains a document type declaration", code="unsupported", hint=hint)

    def _too_big_error(self, what: str) -> DocumentError:
        return DocumentError(
            f"{self._name} {what}", code="too-big", hint="split the file; if it is small, it may be malicious"
        )


def _style_ancestry(style: str, parents: dict[str, str]) -> list[str]:
    """A style and those it is based on, the nearest first; a circle is cut."""
    found = [style]
    while (parent := parents.get(found[-1])) and parent not in found:
        found.append(parent)
    return found
