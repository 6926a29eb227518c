"""Parses the XML of a part into a tree with short names; refuses broken or too deep XML and entity declarations.

Elements have the names of ECMA-376 and OpenDocument ("w:p", "table:table-row"), attributes their local names.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import overload
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

# The most levels of nesting, enough for sixty nested tables. The readers of office formats recurse once per level.
MAX_DEPTH = 200

# Namespaces of ECMA-376; strict documents use other names, without the year.
_OFFICE_OPEN = {
    "wordprocessingml/2006/main": "w",
    "officeDocument/2006/math": "m",
    "drawingml/2006/main": "a",
    "drawingml/2006/wordprocessingDrawing": "wp",
    "drawingml/2006/chart": "c",
    "drawingml/2006/diagram": "dgm",
    "spreadsheetml/2006/main": "x",
    "drawingml/2006/spreadsheetDrawing": "xdr",
    "presentationml/2006/main": "p",
}

_OPEN_DOCUMENT = "office table text presentation style chart manifest form"
_PREFIXES = {
    **{f"http://schemas.openxmlformats.org/{name}": prefix for name, prefix in _OFFICE_OPEN.items()},
    **{f"http://purl.oclc.org/ooxml/{name.replace('/2006', '')}": prefix for name, prefix in _OFFICE_OPEN.items()},
    **{f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0": name for name in _OPEN_DOCUMENT.split()},
    "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0": "draw",
    "urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0": "number",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx",
    "urn:schemas-microsoft-com:vml": "v",
}
_LONGEST_ENTITY = 64
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([^\s;&<#][^\s;&<]{0,%d});" % _LONGEST_ENTITY)
_OFF = frozenset({"0", "false", "off", "none"})
_CODES = expat.errors.codes
_UNDEFINED_ENTITY = _CODES[expat.errors.XML_ERROR_UNDEFINED_ENTITY]
_REASONS = {
    _CODES[expat.errors.XML_ERROR_NO_ELEMENTS]: "it ends too early",
    _CODES[expat.errors.XML_ERROR_UNCLOSED_TOKEN]: "it ends too early",
    _CODES[expat.errors.XML_ERROR_PARTIAL_CHAR]: "it ends too early",
    _CODES[expat.errors.XML_ERROR_TAG_MISMATCH]: "an element ends that has not begun",
    _CODES[expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE]: "an element has an attribute twice",
    _CODES[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]: "something follows behind its end",
    _CODES[expat.errors.XML_ERROR_UNBOUND_PREFIX]: "a name has a prefix that is not declared",
    _UNDEFINED_ENTITY: "it names an entity that is not declared",
    _CODES[expat.errors.XML_ERROR_UNKNOWN_ENCODING]: "its encoding is not known",
    _CODES[expat.errors.XML_ERROR_INCORRECT_ENCODING]: "its encoding is not what it says",
}


class BrokenXml(Exception):
    """A part is not valid XML; the message says why and where."""


class TooDeep(Exception):
    """Elements are nested more than 200 levels deep."""


class DeclaresEntities(Exception):
    """The part's document type has an internal subset, which can declare entities."""


def parse_xml(data: bytes) -> Element:
    """Return the root of a part's tree. Raises BrokenXml, TooDeep, DeclaresEntities.

    A document type that only refers to an external definition is ignored; the definition is never opened.
    """
    builder = TreeBuilder()
    parser = _Parser(builder.start, builder.end, builder.data)
    parser.feed(data, True)
    return builder.close()


def iterate_xml(
    chunks: Iterable[bytes], names: Collection[str], check_root: Callable[[Element], None], opened: Collection[str] = ()
) -> Iterator[Element]:
    """Yield each complete element of these names with its contents; nothing else is kept.

    `opened` elements are yielded with their attributes only, at their start. `check_root` is called with the root and
    its attributes before its contents are read. Raises as `parse_xml` does.
    """
    builder = TreeBuilder()
    depth = inside = 0
    complete: list[Element] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal builder, depth, inside
        depth += 1
        if depth == 1:
            check_root(Element(tag, attributes))
        if tag in opened and not inside:
            complete.append(Element(tag, attributes))
        if inside or tag in names:
            builder.start(tag, attributes)
            inside += 1

    def end(tag: str) -> None:
        nonlocal builder, inside
        if inside:
            builder.end(tag)
            inside -= 1
            if not inside:
                complete.append(builder.close())
                builder = TreeBuilder()

    def write(text: str) -> None:
        if inside:
            builder.data(text)

    parser = _Parser(begin, end, write)
    for chunk in chunks:
        parser.feed(chunk, False)
        yield from complete
        complete.clear()
    parser.feed(b"", True)
    yield from complete


class _Parser:
    """Calls functions for starts, ends and texts of elements, and refuses what no part may contain."""

    def __init__(
        self,
        on_begin: Callable[[str, dict[str, str]], object],
        on_end: Callable[[str], object],
        on_text: Callable[[str], object],
    ) -> None:
        depth = 0

        def begin(tag: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > MAX_DEPTH:
                raise TooDeep
            for key in attributes:
                if " " in key:
                    # If two have the same name, the one with a namespace counts, as for a relation's id.
                    ordered = sorted(attributes, key=lambda key: " " in key)
                    attributes = {_local_name(key): attributes[key] for key in ordered}
                    break
            on_begin(_short_name(tag), attributes)

        def end(tag: str) -> None:
            nonlocal depth
            depth -= 1
            on_end(_short_name(tag))

        def check_document_type(name: str, system: str | None, public: str | None, has_declarations: bool) -> None:
            if has_declarations:
                raise DeclaresEntities
            self._has_type = True

        def refuse_unknown(name: str, *_: object) -> None:
            # Only the external definition could say what the entity means.
            raise BrokenXml(f"{_REASONS[_UNDEFINED_ENTITY]}: {name[:40]}")

        self._has_type, self._tail = False, b""
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler, self._parser.EndElementHandler = begin, end
        self._parser.CharacterDataHandler = on_text
        self._parser.StartDoctypeDeclHandler = check_document_type
        self._parser.SkippedEntityHandler = refuse_unknown

    def feed(self, data: bytes, is_last: bool) -> None:
        """Parse more bytes. Raises BrokenXml, TooDeep, DeclaresEntities."""
        try:
            self._parser.Parse(data, is_last)
        except expat.ExpatError as error:
            reason = _REASONS.get(error.code, "it is not well-formed XML")
            raise BrokenXml(f"{reason} (line {error.lineno:,}, column {error.offset + 1:,})") from None
        except (LookupError, ValueError):
            raise BrokenXml("its encoding is not known") from None
        if self._has_type:
            self._refuse_entities(data)

    def _refuse_entities(self, data: bytes) -> None:
        """Raise BrokenXml for an unknown entity: with an external definition, expat silently drops it in an
        attribute.

        Comments and CDATA sections are also searched. Without NUL bytes, UTF-16 can be searched like ASCII.
        """
        source = self._tail + data.replace(b"\0", b"")
        if match := _ENTITY.search(source):
            raise BrokenXml(f"{_REASONS[_UNDEFINED_ENTITY]}: {match[1][:40].decode('ascii', 'replace')}")
        self._tail = source[-_LONGEST_ENTITY - 2 :]


def attribute(element: Element | None, name: str = "val") -> str:
    """Return an attribute's value, "" if the attribute or the element is missing."""
    return "" if element is None else element.get(name, "")


def child(element: Element | None, *path: str) -> Element | None:
    """Return the element at the end of this path of children; None if it is missing."""
    for name in path:
        for one in element if element is not None else ():
            if one.tag == name:
                element = one
                break
        else:
            return None
    return element


def contents(element: Element | None, *path: str) -> list[Element]:
    """Return the children of the element at the end of this path."""
    found = child(element, *path)
    return [] if found is None else list(found)


def children(element: Element | None, *path: str) -> list[Element]:
    """Return the elements with the last name of the path, children of the element that the rest of it leads to."""
    name = path[-1]
    holder = child(element, *path[:-1]) if len(path) > 1 else element
    return [] if holder is None else [one for one in holder if one.tag == name]


def all_text(element: Element, *names: str) -> str:
    """Return the characters in the descendants of these names, in order."""
    return "".join(one.text or "" for one in element.iter() if one.tag in names)


def is_on(element: Element | None) -> bool:
    """Whether an on-off property is present and on (ECMA-376, 17.17.4)."""
    return element is not None and element.get("val", "").lower() not in _OFF


@overload
def number(text: str) -> int | None:
    """A whole number, None for anything else."""


@overload
def number(text: str, default: int) -> int:
    """A whole number, `default` for anything else."""


def number(text: str, default: int | None = None) -> int | None:
    """Return a whole number of at most nine digits, with or without a sign; `default` for other texts."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= 9 else default


def preferred_choice(element: Element) -> Element:
    """Return the alternative form of a content that is shown (ECMA-376, part 3): the first choice, or the fallback."""
    choice = child(element, "mc:Choice")
    if choice is None:
        choice = child(element, "mc:Fallback")
    return Element("mc:Choice") if choice is None else choice


@lru_cache(maxsize=4_096)
def _short_name(tag: str) -> str:
    namespace, _, local = tag.rpartition(" ")
    return f"{_PREFIXES.get(namespace, '')}:{local}"


@lru_cache(maxsize=4_096)
def _local_name(name: str) -> str:
    return name.rpartition(" ")[2]
