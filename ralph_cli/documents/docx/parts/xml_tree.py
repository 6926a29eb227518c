"""The XML of a part as a tree with short names; what is broken, too deep or declares entities is refused.

Elements are called as ECMA-376 calls them ("w:p", "m:oMath"), attributes by their local names.
"""

from collections.abc import Callable
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

MAX_DEPTH = 200
"""Levels of nesting: sixty tables in each other. The readers of this room call themselves once a level."""

_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://purl.oclc.org/ooxml/drawingml/main": "a",
    "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing": "wp",
    "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing": "wp",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
    "http://purl.oclc.org/ooxml/drawingml/chart": "c",
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
    "http://purl.oclc.org/ooxml/drawingml/diagram": "dgm",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "urn:schemas-microsoft-com:vml": "v",
}
_OFF = frozenset({"0", "false", "off", "none"})
_CODES = expat.errors.codes
_REASONS = {
    _CODES[expat.errors.XML_ERROR_NO_ELEMENTS]: "it ends too early",
    _CODES[expat.errors.XML_ERROR_UNCLOSED_TOKEN]: "it ends too early",
    _CODES[expat.errors.XML_ERROR_PARTIAL_CHAR]: "it ends too early",
    _CODES[expat.errors.XML_ERROR_TAG_MISMATCH]: "an element ends that has not begun",
    _CODES[expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE]: "an element has an attribute twice",
    _CODES[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]: "something follows behind its end",
    _CODES[expat.errors.XML_ERROR_UNBOUND_PREFIX]: "a name has a prefix that is not declared",
    _CODES[expat.errors.XML_ERROR_UNDEFINED_ENTITY]: "it names an entity that is not declared",
    _CODES[expat.errors.XML_ERROR_UNKNOWN_ENCODING]: "its encoding is not known",
    _CODES[expat.errors.XML_ERROR_INCORRECT_ENCODING]: "its encoding is not what it says",
}


class BrokenXml(Exception):
    """The text of a part is no XML; the message says why and where."""


class TooDeep(Exception):
    """Elements are nested more than 200 levels deep."""


class DeclaresDocumentType(Exception):
    """The part has a document type declaration, by which entities could be declared."""


def parse_xml(data: bytes) -> Element:
    """The root of a part's tree. Raises BrokenXml, TooDeep, DeclaresDocumentType."""
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    names, local_names = _Names(_short_name), _Names(_local_name)
    depth = 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise TooDeep
        builder.start(names[tag], {local_names[key]: value for key, value in attributes.items()} if attributes else {})

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(names[tag])

    def refuse(*_: object) -> None:
        raise DeclaresDocumentType

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
        return builder.close()
    except expat.ExpatError as error:
        reason = _REASONS.get(error.code, "it is not well-formed XML")
        raise BrokenXml(f"{reason} (line {error.lineno:,}, column {error.offset + 1:,})") from None
    except (LookupError, ValueError):
        raise BrokenXml("its encoding is not known") from None


def attribute(element: Element | None, name: str = "val") -> str:
    """An attribute's value, "" if there is no such attribute or no such element."""
    return "" if element is None else element.get(name, "")


def child(element: Element | None, *path: str) -> Element | None:
    """The element at the end of this path of children; None if there is none."""
    for name in path:
        for one in element if element is not None else ():
            if one.tag == name:
                element = one
                break
        else:
            return None
    return element


def children(element: Element | None, name: str) -> list[Element]:
    """The children of this name, in order."""
    return [] if element is None else [one for one in element if one.tag == name]


def is_on(element: Element | None) -> bool:
    """Whether a property that is on or off is there, and on (ECMA-376, 17.17.4)."""
    return element is not None and element.get("val", "").lower() not in _OFF


def number(text: str, default: int | None = None) -> int | None:
    """A whole number of at most nine digits, with or without a sign; `default` for anything else."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= 9 else default


class _Names(dict[str, str]):
    """What names are shortened to; each is worked out once."""

    def __init__(self, shorten: Callable[[str], str]) -> None:
        super().__init__()
        self._shorten = shorten

    def __missing__(self, name: str) -> str:
        self[name] = short = self._shorten(name)
        return short


def _short_name(tag: str) -> str:
    namespace, _, local = tag.rpartition(" ")
    return f"{_PREFIXES.get(namespace, '')}:{local}"


def _local_name(name: str) -> str:
    return name.rpartition(" ")[2]
