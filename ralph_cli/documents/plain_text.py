"""Plain text, Markdown and source code: decoding, line ends, pages marked by form feeds, Markdown headings."""

import codecs
import re
from collections.abc import Iterator

from ralph_cli.core.document import PAGE_BREAK, Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.load import empty_error
from ralph_cli.documents.parsed import ParsedDocument, ParsedHeading, ParsedPage, clean_heading

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BAD_SHARE = 0.001
_SURROGATE = re.compile("[\ud800-\udfff]")
_BAD_BYTE = re.compile("[\udc80-\udcff]")
_CONTROL = re.compile(b"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_ENCODING_HINT = "give its encoding with --encoding, such as utf-8, cp1252 or utf-16"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_ATX_CLOSE = re.compile(r"(?:^|[ \t])#+$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NOT_A_PARAGRAPH = re.compile(r" {0,3}(?:[-*+][ \t]|\d{1,9}[.)][ \t]|>|\||(?:[-*_][ \t]*){3,}$)|(?: {4}|\t)")


def decode_text(data: bytes, *, name: str, encoding: str | None = None) -> tuple[str, tuple[Caution, ...]]:
    """Decode a file's bytes and say what had to be guessed or replaced.

    The ladder: the given encoding; byte order mark; strict UTF-8; UTF-16 by its pattern of NUL bytes; UTF-8 in which
    fewer than 0.1 % of the bytes are wrong (they become U+FFFD); Windows-1252 with a caution. Data without a single
    valid multi-byte UTF-8 sequence are not taken for damaged UTF-8: in them the odd bytes are Windows-1252.
    Raises DocumentError "undecodable", or "unsupported" for binary data.
    """
    if encoding is not None:
        return _decode_as(data, encoding, name), ()
    for mark, named in _BOMS:
        if data.startswith(mark):
            return _decode_with_mark(data[len(mark) :], named, name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None and "\0" not in text:
        if _is_binary(data):
            raise _binary_error(name)
        return text, ()
    guess = _utf16_by_pattern(data)
    if guess is not None:
        return _decode_as(data, guess, name), ()
    if b"\0" in data or _is_binary(data):
        raise _binary_error(name)
    return _decode_damaged(data, name)


def parse_text(data: bytes, *, name: str, kind: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Text, Markdown or code as it is, with line ends made LF; form feeds separate pages."""
    text, cautions = decode_text(data, name=name, encoding=encoding)
    if len(text) > limits.characters:
        raise DocumentError(
            f"{name} has more than {limits.characters:,} characters", code="too-big", hint="split the file"
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    pages = text.split(PAGE_BREAK)
    while len(pages) > 1 and not pages[-1].strip():
        pages.pop()  # a form feed also ends the last page of many texts
    if len(pages) > limits.pages:
        raise DocumentError(f"{name} has {len(pages)} pages; the limit is {limits.pages}", code="too-big")
    if not any(page.strip() for page in pages):
        raise empty_error(name, data)
    headings = tuple(_headings(pages)) if kind == "markdown" else ()
    return ParsedDocument(tuple(ParsedPage(page) for page in pages), headings, cautions)


def _decode_as(data: bytes, encoding: str, name: str) -> str:
    try:
        text = data.decode(encoding)
    except LookupError:
        raise DocumentError(f"unknown encoding {encoding!r}", code="undecodable", hint=_ENCODING_HINT) from None
    except UnicodeError as error:
        where = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        raise DocumentError(f"{name} is not {encoding}{where}", code="undecodable", hint=_ENCODING_HINT) from None
    if "\0" in text:
        raise _binary_error(name)
    return _SURROGATE.sub("\ufffd", text).removeprefix("\ufeff")


def _decode_with_mark(data: bytes, encoding: str, name: str) -> tuple[str, tuple[Caution, ...]]:
    """Decode data that carried a byte order mark; a few wrong bytes are replaced and counted."""
    text = data.decode(encoding, "replace")
    bad = text.count("\ufffd")
    if bad and bad >= max(1, len(text)) * _BAD_SHARE:
        return _decode_as(data, encoding, name), ()
    if "\0" in text:
        raise _binary_error(name)
    return text, _replacement_cautions(bad)


def _decode_damaged(data: bytes, name: str) -> tuple[str, tuple[Caution, ...]]:
    text = data.decode("utf-8", "surrogateescape")
    bad = len(_BAD_BYTE.findall(text))
    multi_byte = sum(1 for c in set(text) if c > "\x7f" and not "\udc80" <= c <= "\udcff")
    if bad < len(data) * _BAD_SHARE and multi_byte:
        return _BAD_BYTE.sub("\ufffd", text), _replacement_cautions(bad)
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise DocumentError(
            f"the encoding of {name} cannot be determined", code="undecodable", hint=_ENCODING_HINT
        ) from None
    message = "not UTF-8; read as Windows-1252, so characters other than English letters and digits may be wrong"
    return text, (Caution("encoding-guessed", message),)


def _replacement_cautions(count: int) -> tuple[Caution, ...]:
    message = f"{count} bytes are not valid text and were replaced by U+FFFD"
    return (Caution("bytes-replaced", message),) if count else ()


def _utf16_by_pattern(data: bytes) -> str | None:
    """UTF-16 without a mark: in mostly Western text every second byte is NUL, always on the same side."""
    sample = data[: 1 << 16]
    half = len(sample) // 2
    if half < 2 or len(data) % 2:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _is_binary(data: bytes) -> bool:
    sample = data[: 1 << 16]
    return len(_CONTROL.findall(sample)) > 0.02 * len(sample)


def _binary_error(name: str) -> DocumentError:
    hint = f"if it is text, {_ENCODING_HINT}"
    return DocumentError(f"{name} is a binary file, not text", code="unsupported", hint=hint)


def _headings(pages: list[str]) -> Iterator[ParsedHeading]:
    """ATX and setext headings outside fenced code (CommonMark 0.31, sections 4.2, 4.3 and 4.5)."""
    fence = ""
    for index, page in enumerate(pages):
        offset = 0
        previous: tuple[int, str] | None = None
        for line in page.split("\n"):
            mark = _FENCE.fullmatch(line)
            if fence:
                if mark and mark[1].startswith(fence) and not mark[2].strip():
                    fence = ""
                previous = None
            elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
                fence, previous = mark[1], None
            elif atx := _ATX.match(line):
                title = clean_heading(_ATX_CLOSE.sub("", line[atx.end() :].rstrip()))
                if title:
                    yield ParsedHeading(index, offset, title, len(atx[1]))
                previous = None
            elif (under := _SETEXT.fullmatch(line)) and previous:
                yield ParsedHeading(index, previous[0], clean_heading(previous[1]), 1 if under[1][0] == "=" else 2)
                previous = None
            else:
                previous = (offset, line) if line.strip() and not _NOT_A_PARAGRAPH.match(line) else None
            offset += len(line) + 1
